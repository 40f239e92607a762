(* Three experts leave no room: the argument, from compactness properties that ThreeExperts provides.
   Minimisers with the same losses on the classes lie on a line. For each expert and each of two
   scores (worse, better than the best class) the class parts of the limits form an interval on it;
   intervals of different experts meet, so at most one expert has two disjoint intervals. Of three
   experts one is left for which they meet in the direction c and in the direction -c, and the two
   segments then have one slope, as with shift invariance. No claim of its own. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Classical.
From Deferlab Require Import Sums Impossibility ImpossibilityAlgebra ImpossibilityLimits
  ImpossibilityDiameter.
Import ListNotations.
Open Scope R_scope.

(* Four numbers p00, p01, p10, p11: one of the two pairs of opposite intervals meets. *)
Definition between (p q z : R) : Prop := exists x, 0 <= x <= 1 /\ z = x * p + (1 - x) * q.

Lemma between_le p q z : p <= z <= q \/ q <= z <= p -> between p q z.
Proof.
  intros H. destruct (Req_dec p q) as [->|N].
  - exists 0. split; [lra|]. lra.
  - exists ((z - q) / (p - q)).
    assert (E : (z - q) / (p - q) * (p - q) = z - q) by (field; lra).
    split; [|replace ((z - q) / (p - q) * p + (1 - (z - q) / (p - q)) * q)
      with ((z - q) / (p - q) * (p - q) + q) by ring; lra].
    destruct H as [H|H].
    + assert (p < q) by lra. split; nra.
    + assert (q < p) by lra. split; nra.
Qed.

Lemma opposite_intervals p00 p01 p10 p11 :
  (exists z, between p00 p01 z /\ between p10 p11 z) \/
  (exists z, between p00 p10 z /\ between p01 p11 z).
Proof.
  destruct (Rle_dec (Rmax (Rmin p00 p01) (Rmin p10 p11)) (Rmin (Rmax p00 p01) (Rmax p10 p11))) as [L|L].
  - left. exists (Rmax (Rmin p00 p01) (Rmin p10 p11)).
    revert L. unfold Rmin, Rmax.
    destruct (Rle_dec p00 p01); destruct (Rle_dec p10 p11);
    repeat match goal with |- context [Rle_dec ?x ?y] => destruct (Rle_dec x y) end;
    intros; split; apply between_le; lra.
  - right. apply Rnot_le_lt in L.
    destruct (Rle_dec (Rmax p00 p01) (Rmax p10 p11)) as [M|M].
    + exists (Rmax p00 p01). revert L M. unfold Rmin, Rmax.
      destruct (Rle_dec p00 p01); destruct (Rle_dec p10 p11);
      repeat match goal with |- context [Rle_dec ?x ?y] => destruct (Rle_dec x y) end;
      intros; split; apply between_le; lra.
    + exists (Rmax p10 p11). revert L M. unfold Rmin, Rmax.
      destruct (Rle_dec p00 p01); destruct (Rle_dec p10 p11);
      repeat match goal with |- context [Rle_dec ?x ?y] => destruct (Rle_dec x y) end;
      intros; split; apply between_le; lra.
Qed.

Section Three.
Variable n : nat.
Hypothesis n2 : (2 <= n)%nat.
Let A0 : list nat := seq 0 n.
Let B (j : nat) : list nat := (n + j)%nat :: seq 0 n.
Variable D : (nat -> R) -> Prop.
Hypothesis CD : convex_set D.
Variable f : nat -> (nat -> R) -> R.
Variable g : nat -> nat -> (nat -> R) -> R.
Hypothesis Cf : forall a, In a A0 -> convex_on D (f a).
Hypothesis Cg : forall j a, (j < 3)%nat -> In a (B j) -> convex_on D (g j a).
Hypothesis flocal : forall a u v, In a A0 -> (forall c, In c A0 -> v c = u c) -> f a v = f a u.
Hypothesis glocal : forall j a u v, (j < 3)%nat -> In a (B j) ->
  (forall c, In c (B j) -> v c = u c) -> g j a v = g j a u.
Variable lo : R.
Hypothesis flo : forall a u, In a A0 -> D u -> lo <= f a u.
Hypothesis glo : forall j a u, (j < 3)%nat -> In a (B j) -> D u -> lo <= g j a u.
Variables t rad : R.
Hypothesis Prad : 0 < rad < t.
Definition admissible3 (s : nat -> R) : Prop :=
  (forall a, (a < n + 3)%nat -> Rabs (s a - t) <= rad) /\ sum A0 s = INR n * t.
Variable C : R.
Hypothesis PC : 0 <= C.
Hypothesis calf : forall s u r, admissible3 s -> D u -> is_argmax A0 u r -> calibrated A0 f D C s u r.
Hypothesis calg : forall j s u r, (j < 3)%nat -> admissible3 s -> D u -> is_argmax (B j) u r ->
  calibrated (B j) (g j) D C s u r.
Hypothesis zero_gap : forall s eta, admissible3 s -> 0 < eta ->
  exists u, D u /\ forall v, D v -> total A0 f s u <= total A0 f s v + eta /\
  forall j, (j < 3)%nat -> total (B j) (g j) s u <= total (B j) (g j) s v + eta.
Hypothesis compact1 : forall S : nat -> (nat -> R) -> Prop,
  (forall k, exists u, S k u) -> (forall k u, S k u -> D u) ->
  exists P, D P /\ forall eta K, 0 < eta -> exists k u, (K <= k)%nat /\ S k u /\
  (forall a, In a A0 -> Rabs (f a u - f a P) < eta) /\
  (forall j a, (j < 3)%nat -> In a (B j) -> Rabs (g j a u - g j a P) < eta).
Hypothesis compact0 : forall (S : nat -> (nat -> R) -> (nat -> R) -> Prop) (M : R),
  (forall k, exists u v, S k u v) ->
  (forall k u v, S k u v -> D u /\ D v /\ forall a, In a A0 -> f a u <= M /\ f a v <= M) ->
  exists X Y, D X /\ D Y /\ forall eta K, 0 < eta -> exists k u v, (K <= k)%nat /\ S k u v /\
  forall a, In a A0 -> Rabs (f a u - f a X) < eta /\ Rabs (f a v - f a Y) < eta.

Let tie : nat -> R := fun _ => t.
Let O0 := minimises A0 f D tie.
Let Oj (j : nat) := minimises (B j) (g j) D tie.

Lemma class_lt a : In a A0 -> (a < n + 3)%nat.
Proof. unfold A0. rewrite in_seq. lia. Qed.

Lemma joined_lt j a : (j < 3)%nat -> In a (B j) -> (a < n + 3)%nat.
Proof. intros Hj [<-|Ha]; [lia|apply class_lt; auto]. Qed.

Lemma joined_class j a : In a A0 -> In a (B j).
Proof. right. auto. Qed.

Lemma expert_not_class j : ~ In (n + j)%nat A0.
Proof. unfold A0. rewrite in_seq. lia. Qed.

Lemma positive3 s a : admissible3 s -> (a < n + 3)%nat -> 0 <= s a.
Proof.
  intros [H _] Ha. specialize (H a Ha). pose proof (Rle_abs (- (s a - t))) as Q.
  rewrite Rabs_Ropp in Q. lra.
Qed.

Lemma inhabited3 : exists u, D u.
Proof.
  destruct (zero_gap tie 1) as [u [Du _]]; [|lra|eauto]. split.
  - intros a _. unfold tie. rewrite Rminus_eq_0, Rabs_R0. lra.
  - unfold tie, A0. rewrite sum_const, seq_length. auto.
Qed.

Lemma first_order3 d : sum A0 d = 0 ->
  exists P, O0 P /\ (forall v, O0 v -> total A0 f d P <= total A0 f d v) /\
  (forall v r b, O0 v -> is_argmax A0 v r -> In b A0 ->
     d b - d r <= C * (total A0 f d v - total A0 f d P)) /\
  forall j, (j < 3)%nat -> Oj j P /\
  (forall v, Oj j v -> total (B j) (g j) d P <= total (B j) (g j) d v) /\
  (forall v r b, Oj j v -> is_argmax (B j) v r -> In b (B j) ->
     d b - d r <= C * (total (B j) (g j) d v - total (B j) (g j) d P)).
Proof.
  intros Sd.
  set (Q := sum (seq 0 (n + 3)) (fun a => Rabs (d a))).
  assert (PQ : 0 <= Q) by (apply sum_nonneg; intros; apply Rabs_pos).
  set (e0 := rad / (Q + 1)).
  assert (Pe0 : 0 < e0) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  assert (Ee0 : e0 * (Q + 1) = rad) by (unfold e0; field; lra).
  set (eps := fun k : nat => e0 / (INR k + 1)).
  assert (Pk : forall k, 0 < eps k <= e0).
  { intros k. pose proof (pos_INR k).
    assert (eps k * (INR k + 1) = e0) by (unfold eps; field; lra).
    assert (0 < eps k) by (unfold eps; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]). nra. }
  set (sk := fun (k : nat) (a : nat) => t + eps k * d a).
  assert (adm : forall k, admissible3 (sk k)).
  { intros k. specialize (Pk k). split.
    - intros a Ha. unfold sk. replace (t + eps k * d a - t) with (eps k * d a) by ring.
      rewrite Rabs_mult, (Rabs_right (eps k)) by lra.
      assert (Rabs (d a) <= Q).
      { apply (sum_term_le (seq 0 (n + 3)) (fun a => Rabs (d a)) a); [intros; apply Rabs_pos|].
        apply in_seq. lia. }
      pose proof (Rabs_pos (d a)). nra.
    - unfold sk. rewrite sum_plus, sum_const, sum_scal. fold A0. rewrite Sd.
      unfold A0. rewrite seq_length. ring. }
  destruct (compact1 (fun k u => D u /\ forall v, D v ->
    total A0 f (sk k) u <= total A0 f (sk k) v + eps k * eps k /\
    forall j, (j < 3)%nat -> total (B j) (g j) (sk k) u <= total (B j) (g j) (sk k) v + eps k * eps k))
    as [P [DP Cl]].
  { intros k. specialize (Pk k).
    destruct (zero_gap (sk k) (eps k * eps k) (adm k)) as [u [Du Mu]]; [nra|].
    exists u. split; auto. }
  { intros k u [Du _]. auto. }
  assert (Cl0 : forall eta K, 0 < eta -> exists k u, (K <= k)%nat /\ D u /\
    (forall v, D v -> total A0 f (sk k) u <= total A0 f (sk k) v + eps k * eps k) /\
    (forall a, In a A0 -> Rabs (f a u - f a P) < eta)).
  { intros eta K He. destruct (Cl eta K He) as [k [u [Hk [[Du Mu] [Ca _]]]]].
    exists k, u. repeat split; auto. intros v Dv. apply (Mu v Dv). }
  exists P.
  split; [apply (limit_minimises D t admissible3 A0 f d e0 Pe0 adm P DP Cl0)|].
  split; [intros v; apply (limit_first_order D t admissible3 A0 f d e0 Pe0 adm P Cl0)|].
  split.
  { intros v r b. apply (limit_calibrated D t C lo admissible3 inhabited3 PC A0 f d
      (fun s a As Ha => positive3 s a As (class_lt a Ha)) flo e0 Pe0 adm calf P Cl0). }
  intros j Hj.
  assert (Cl1 : forall eta K, 0 < eta -> exists k u, (K <= k)%nat /\ D u /\
    (forall v, D v -> total (B j) (g j) (sk k) u <= total (B j) (g j) (sk k) v + eps k * eps k) /\
    (forall a, In a (B j) -> Rabs (g j a u - g j a P) < eta)).
  { intros eta K He. destruct (Cl eta K He) as [k [u [Hk [[Du Mu] [_ Ca]]]]].
    exists k, u. repeat split; auto. intros v Dv. apply (Mu v Dv). auto. }
  split; [apply (limit_minimises D t admissible3 (B j) (g j) d e0 Pe0 adm P DP Cl1)|].
  split; [intros v; apply (limit_first_order D t admissible3 (B j) (g j) d e0 Pe0 adm P Cl1)|].
  intros v r b. apply (limit_calibrated D t C lo admissible3 inhabited3 PC (B j) (g j) d
    (fun s a As Ha => positive3 s a As (joined_lt j a Hj Ha)) (fun a u => glo j a u Hj) e0 Pe0 adm
    (fun s u r => calg j s u r Hj) P Cl1).
Qed.

Lemma classes_first_order3 d : sum A0 d = 0 -> exists P, O0 P /\
  forall v r b, O0 v -> is_argmax A0 v r -> In b A0 ->
  d b - d r <= C * (total A0 f d v - total A0 f d P).
Proof. intros Sd. destruct (first_order3 d Sd) as [P [OP [_ [KP _]]]]. eauto. Qed.

(* Scores c on the classes, x j on expert j. *)
Definition scores3 (c x : nat -> R) : nat -> R :=
  fun a => if Nat.ltb a n then c a else x (a - n)%nat.

Lemma scores3_class c x a : In a A0 -> scores3 c x a = c a.
Proof. unfold A0, scores3. rewrite in_seq. intros H. destruct (Nat.ltb_spec a n); auto. lia. Qed.

Lemma scores3_expert c x j : scores3 c x (n + j)%nat = x j.
Proof. unfold scores3. destruct (Nat.ltb_spec (n + j) n); [lia|]. f_equal. lia. Qed.

Lemma scores3_sum c x : sum A0 c = 0 -> sum A0 (scores3 c x) = 0.
Proof. intros H. rewrite (sum_ext A0 _ c); auto. intros. apply scores3_class. auto. Qed.

Lemma scores3_total c x u : total A0 f (scores3 c x) u = total A0 f c u.
Proof. apply sum_ext. intros a Ha. rewrite scores3_class; auto. Qed.

(* On the set with expert j only its own score counts. *)
Definition on_expert (c : nat -> R) (h : R) : nat -> R := scores3 c (fun _ => h).

Lemma scores3_total_j c x j u :
  total (B j) (g j) (scores3 c x) u = total (B j) (g j) (on_expert c (x j)) u.
Proof.
  apply sum_ext. intros a [<-|Ha]; unfold on_expert.
  - rewrite !scores3_expert. auto.
  - rewrite !(scores3_class c) by auto. auto.
Qed.

Section Direction.
Variables (c Y : nat -> R).
Hypothesis Sc : sum A0 c = 0.
Hypothesis Pc : exists b, In b A0 /\ 0 < c b.
Hypothesis OY : O0 Y.
Hypothesis Uniq : forall z, O0 z -> total A0 f c z <= total A0 f c Y ->
  forall a, In a A0 -> f a z = f a Y.

(* The limits for expert j when it is worth h, with the losses of Y on the classes. *)
Definition limits (j : nat) (h : R) (u : nat -> R) : Prop :=
  O0 u /\ (forall a, In a A0 -> f a u = f a Y) /\ Oj j u /\
  forall v, Oj j v -> total (B j) (g j) (on_expert c h) u <= total (B j) (g j) (on_expert c h) v.

Lemma limits_of_all x : exists u, forall j, (j < 3)%nat -> limits j (x j) u.
Proof.
  destruct (first_order3 (scores3 c x) (scores3_sum c x Sc)) as [P [OP [FP [_ KP]]]].
  exists P. intros j Hj. destruct (KP j Hj) as [OjP [FjP _]].
  split; auto. split; [|split; auto].
  - apply Uniq; auto. specialize (FP Y OY). rewrite !scores3_total in FP. auto.
  - intros v Ov. specialize (FjP v Ov). rewrite !scores3_total_j in FjP. auto.
Qed.

Lemma limits_convex j h p u v w :
  (j < 3)%nat -> 0 <= p <= 1 -> limits j h u -> limits j h v -> combination p u v w -> limits j h w.
Proof.
  intros Hj Hp [Ou [Fu [Ju Mu]]] [Ov [Fv [Jv Mv]]] Cw.
  assert (Tp : forall a : nat, 0 < tie a) by (intros; unfold tie; lra).
  assert (Ow : O0 w) by (apply (combination_minimises D A0 f tie CD Cf (fun a _ => Tp a) p u v w); auto).
  assert (Jw : Oj j w) by (apply (combination_minimises D (B j) (g j) tie CD
    (fun a => Cg j a Hj) (fun a _ => Tp a) p u v w); auto).
  split; auto. split; [|split; auto].
  - intros a Ha.
    rewrite (affine_on_minimisers A0 f D tie p u v w CD Cf (fun a _ => Tp a) Hp Ou Ov Cw a Ha).
    rewrite (Fu a Ha), (Fv a Ha). ring.
  - intros z Oz. specialize (Mu z Oz). specialize (Mv z Oz).
    assert (E : total (B j) (g j) (on_expert c h) w
      = p * total (B j) (g j) (on_expert c h) u + (1 - p) * total (B j) (g j) (on_expert c h) v).
    { unfold total. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros a Ha.
      rewrite (affine_on_minimisers (B j) (g j) D tie p u v w CD (fun a => Cg j a Hj)
        (fun a _ => Tp a) Hp Ju Jv Cw a Ha). ring. }
    rewrite E. nra.
Qed.

(* Expert j is good: limits for the scores 0 and h with the same class part. *)
Definition meets (j : nat) (h : R) : Prop :=
  exists u v, limits j 0 u /\ limits j h v /\ forall a, In a A0 -> v a = u a.

Lemma not_flat3 : forall e, (exists a, In a A0 /\ e a <> 0) -> sum A0 e = 0 ->
  exists u v, O0 u /\ O0 v /\ sum A0 (fun a => e a * (f a u - f a v)) <> 0.
Proof. apply (not_flat n n2 D f t C classes_first_order3). Qed.

(* Points of the fibre of Y lie on a line. *)
Lemma on_a_line (x0 x1 x2 x3 : nat -> R) :
  (forall z, In z [x0; x1; x2; x3] -> O0 z /\ forall a, In a A0 -> f a z = f a Y) ->
  exists v p1 p2 p3, (forall a, In a A0 -> x1 a = x0 a + p1 * v a) /\
  (forall a, In a A0 -> x2 a = x0 a + p2 * v a) /\ (forall a, In a A0 -> x3 a = x0 a + p3 * v a).
Proof.
  intros H.
  assert (Far : (forall z, In z [x1; x2; x3] -> forall a, In a A0 -> z a = x0 a) \/
    exists z a, In z [x1; x2; x3] /\ In a A0 /\ z a <> x0 a).
  { destruct (classic (exists z a, In z [x1; x2; x3] /\ In a A0 /\ z a <> x0 a)) as [|N]; auto.
    left. intros z Hz a Ha. apply NNPP. intros Q. apply N. exists z, a. auto. }
  destruct Far as [Same|[z [b [Hz [Hb Nz]]]]].
  - exists (fun _ => 0), 0, 0, 0.
    split; [|split]; intros a Ha.
    + rewrite (Same x1 ltac:(simpl; auto) a Ha). ring.
    + rewrite (Same x2 ltac:(simpl; auto) a Ha). ring.
    + rewrite (Same x3 ltac:(simpl; auto) a Ha). ring.
  - assert (On : forall y, In y [x1; x2; x3] ->
      exists p, forall a, In a A0 -> y a = x0 a + p * (z a - x0 a)).
    { intros y Hy.
      destruct (H x0 ltac:(simpl; auto)) as [O0x F0]. destruct (H z (or_intror Hz)) as [Oz Fz].
      destruct (H y (or_intror Hy)) as [Oy Fy].
      destruct (losses_leave_a_line D A0 f tie CD Cf) with (x := y) (y := x0) (x' := z) (y' := x0)
        as [p [q [Npq E]]]; auto.
      - intros a _. unfold tie. lra.
      - apply seq_NoDup.
      - unfold A0. rewrite seq_length. auto.
      - exact not_flat3.
      - intros a Ha. rewrite F0, Fy; auto.
      - intros a Ha. rewrite F0, Fz; auto.
      - assert (Np : p <> 0).
        { intros ->. destruct Npq as [Npq|Npq]; [congruence|]. specialize (E b Hb).
          apply Nz. nra. }
        exists (- q / p). intros a Ha. specialize (E a Ha).
        assert (Q : y a - x0 a = - q / p * (z a - x0 a)); [|lra].
        apply Rmult_eq_reg_l with p; auto.
        replace (p * (- q / p * (z a - x0 a))) with (- q * (z a - x0 a)) by (field; auto). lra. }
    destruct (On x1 ltac:(simpl; auto)) as [p1 E1]. destruct (On x2 ltac:(simpl; auto)) as [p2 E2].
    destruct (On x3 ltac:(simpl; auto)) as [p3 E3].
    exists (fun a => z a - x0 a), p1, p2, p3. auto.
Qed.

Lemma one_of_two_meets i j hi hj :
  (i < 3)%nat -> (j < 3)%nat -> i <> j -> meets i hi \/ meets j hj.
Proof.
  intros Hi Hj Nij.
  assert (Pt : forall hi hj, exists u, limits i hi u /\ limits j hj u).
  { intros a b. destruct (limits_of_all (fun k => if Nat.eqb k i then a else b)) as [u Hu].
    exists u. pose proof (Hu i Hi) as U1. pose proof (Hu j Hj) as U2. simpl in U1, U2.
    rewrite Nat.eqb_refl in U1. destruct (Nat.eqb_spec j i); [congruence|]. auto. }
  destruct (Pt 0 0) as [x00 [I00 J00]]. destruct (Pt 0 hj) as [x01 [I01 J01]].
  destruct (Pt hi 0) as [x10 [I10 J10]]. destruct (Pt hi hj) as [x11 [I11 J11]].
  destruct (on_a_line x00 x01 x10 x11) as [v [p1 [p2 [p3 [E1 [E2 E3]]]]]].
  { assert (G : forall k h z, limits k h z -> O0 z /\ forall a, In a A0 -> f a z = f a Y)
      by (intros k h z [? [? _]]; auto).
    intros z [<-|[<-|[<-|[<-|[]]]]]; eauto. }
  assert (Mix : forall k h p u w, (k < 3)%nat -> 0 <= p <= 1 -> limits k h u -> limits k h w ->
    limits k h (fun a => p * u a + (1 - p) * w a)).
  { intros k h p u w Hk Hp Lu Lw. apply (limits_convex k h p u w); auto. intros a. reflexivity. }
  destruct (opposite_intervals 0 p1 p2 p3) as [[z [[s [Hs Es]] [s' [Hs' Es']]]]|[z [[s [Hs Es]] [s' [Hs' Es']]]]].
  - left. exists (fun a => s * x00 a + (1 - s) * x01 a), (fun a => s' * x10 a + (1 - s') * x11 a).
    split; [apply Mix; auto|]. split; [apply Mix; auto|].
    intros a Ha. rewrite (E1 a Ha), (E2 a Ha), (E3 a Ha).
    replace (s * x00 a + (1 - s) * (x00 a + p1 * v a)) with (x00 a + (s * 0 + (1 - s) * p1) * v a) by ring.
    replace (s' * (x00 a + p2 * v a) + (1 - s') * (x00 a + p3 * v a))
      with (x00 a + (s' * p2 + (1 - s') * p3) * v a) by ring.
    rewrite <- Es, <- Es'. reflexivity.
  - right. exists (fun a => s * x00 a + (1 - s) * x10 a), (fun a => s' * x01 a + (1 - s') * x11 a).
    split; [apply Mix; auto|]. split; [apply Mix; auto|].
    intros a Ha. rewrite (E1 a Ha), (E2 a Ha), (E3 a Ha).
    replace (s * x00 a + (1 - s) * (x00 a + p2 * v a)) with (x00 a + (s * 0 + (1 - s) * p2) * v a) by ring.
    replace (s' * (x00 a + p1 * v a) + (1 - s') * (x00 a + p3 * v a))
      with (x00 a + (s' * p1 + (1 - s') * p3) * v a) by ring.
    rewrite <- Es, <- Es'. reflexivity.
Qed.

(* A score above all of c. *)
Definition above : R := sum A0 (fun a => Rabs (c a)) + 1.

Lemma above_c a : In a A0 -> c a < above.
Proof.
  intros Ha. assert (Rabs (c a) <= sum A0 (fun a => Rabs (c a))).
  { apply (sum_term_le A0 (fun a => Rabs (c a)) a); auto. intros. apply Rabs_pos. }
  pose proof (Rle_abs (c a)). unfold above. lra.
Qed.

Lemma segment3 j : (j < 3)%nat -> meets j above ->
  exists P0 P1 al, Oj j P0 /\ Oj j P1 /\ 0 < al /\ (forall a, In a A0 -> P1 a = P0 a) /\
  P1 (n + j)%nat = P0 (n + j)%nat + al /\
  0 < C * (total (B j) (g j) (on_expert c 0) P1 - total (B j) (g j) (on_expert c 0) P0).
Proof.
  intros Hj [P0 [P1 [[_ [_ [J0 M0]]] [[_ [_ [J1 M1]]] Same]]]].
  destruct Pc as [b0 [Hb0 Pb0]]. set (h := above) in *.
  assert (Cal : forall x v r b, Oj j v -> is_argmax (B j) v r -> In b (B j) ->
    exists P, Oj j P /\ on_expert c x b - on_expert c x r
      <= C * (total (B j) (g j) (on_expert c x) v - total (B j) (g j) (on_expert c x) P)).
  { intros x v r b Ov Hr Hb.
    destruct (first_order3 (on_expert c x) (scores3_sum c (fun _ => x) Sc)) as [P [_ [_ [_ KP]]]].
    destruct (KP j Hj) as [OP [_ K]]. exists P. split; auto. }
  assert (Hn : In (n + j)%nat (B j)) by (left; auto).
  assert (N1 : B j <> nil) by (unfold B; congruence).
  (* Tops of optimal points are right to first order. *)
  assert (Tops : forall x v r b, Oj j v ->
    (forall z, Oj j z -> total (B j) (g j) (on_expert c x) v <= total (B j) (g j) (on_expert c x) z) ->
    is_argmax (B j) v r -> In b (B j) -> on_expert c x b <= on_expert c x r).
  { intros x v r b Ov Mv Hr Hb. destruct (Cal x v r b Ov Hr Hb) as [P [OP Q]].
    specialize (Mv P OP). nra. }
  destruct (argmax_exists (B j) P0 N1) as [r0 Hr0].
  assert (T0 : forall r, is_argmax (B j) P0 r -> 0 < on_expert c 0 r).
  { intros r Hr. pose proof (Tops 0 P0 r b0 J0 M0 Hr (joined_class j b0 Hb0)) as Q.
    unfold on_expert in *. rewrite (scores3_class c _ b0 Hb0) in Q. lra. }
  assert (R0 : In r0 A0).
  { destruct Hr0 as [[E|I] M]; auto. exfalso. subst r0.
    specialize (T0 (n + j)%nat (conj Hn M)). unfold on_expert in T0. rewrite scores3_expert in T0. lra. }
  assert (L0 : P0 (n + j)%nat < P0 r0).
  { destruct (Rlt_dec (P0 (n + j)%nat) (P0 r0)) as [|Q]; auto. exfalso.
    assert (Top : is_argmax (B j) P0 (n + j)%nat).
    { split; auto. intros b Hb. destruct Hr0 as [_ M]. specialize (M b Hb). lra. }
    specialize (T0 _ Top). unfold on_expert in T0. rewrite scores3_expert in T0. lra. }
  assert (T1 : forall r, is_argmax (B j) P1 r -> r = (n + j)%nat).
  { intros r Hr. destruct Hr as [[E|I] M]; auto. exfalso.
    pose proof (Tops h P1 r (n + j)%nat J1 M1 (conj (joined_class j r I) M) Hn) as Q.
    unfold on_expert in Q. rewrite scores3_expert, scores3_class in Q by auto.
    assert (Cr : c r < h) by (apply above_c; auto). lra. }
  destruct (argmax_exists (B j) P1 N1) as [r1 Hr1]. pose proof (T1 r1 Hr1) as E1. subst r1.
  assert (L1 : P1 r0 < P1 (n + j)%nat).
  { destruct (Rlt_dec (P1 r0) (P1 (n + j)%nat)) as [|Q]; auto. exfalso.
    assert (Top : is_argmax (B j) P1 r0).
    { split; [apply joined_class; auto|]. intros b Hb. destruct Hr1 as [_ M]. specialize (M b Hb). lra. }
    specialize (T1 r0 Top). subst r0. apply (expert_not_class j). auto. }
  pose proof (Same r0 R0) as Es.
  exists P0, P1, (P1 (n + j)%nat - P0 (n + j)%nat). split; auto. split; auto. split; [lra|].
  split; auto. split; [ring|].
  destruct (Cal 0 P1 (n + j)%nat b0 J1 Hr1 (joined_class j b0 Hb0)) as [P [OP Q]].
  unfold on_expert in Q. rewrite scores3_expert, scores3_class in Q by auto.
  fold (on_expert c 0) in Q. specialize (M0 P OP). nra.
Qed.
End Direction.

Lemma three_experts_leave_no_room : False.
Proof.
  destruct (direction n n2 D f t lo C ltac:(lra) inhabited3 flo classes_first_order3 compact0)
    as [c [X [Y [Sc [Pc [Pc' [OX [OY [UY UX]]]]]]]]].
  set (c' := fun a => - c a) in *.
  assert (Sc' : sum A0 c' = 0) by (unfold c'; rewrite sum_opp; unfold A0; rewrite Sc; ring).
  assert (M1 : forall i j, (i < 3)%nat -> (j < 3)%nat -> i <> j ->
    meets c Y i (above c) \/ meets c Y j (above c))
    by (intros i j; apply (one_of_two_meets c Y Sc OY UY)).
  assert (M2 : forall i j, (i < 3)%nat -> (j < 3)%nat -> i <> j ->
    meets c' X i (above c') \/ meets c' X j (above c'))
    by (intros i j; apply (one_of_two_meets c' X Sc' OX UX)).
  assert (Good : exists j, (j < 3)%nat /\ meets c Y j (above c) /\ meets c' X j (above c')).
  { destruct (classic (meets c Y 0 (above c))) as [G0|B0];
    destruct (classic (meets c' X 0 (above c'))) as [H0|B0'].
    - exists 0%nat. split; [lia|auto].
    - destruct (M2 0%nat 1%nat) as [Q|Q1]; try lia; [contradiction|].
      destruct (M2 0%nat 2%nat) as [Q|Q2]; try lia; [contradiction|].
      destruct (M1 1%nat 2%nat) as [Q|Q]; try lia; [exists 1%nat|exists 2%nat]; auto.
    - destruct (M1 0%nat 1%nat) as [Q|Q1]; try lia; [contradiction|].
      destruct (M1 0%nat 2%nat) as [Q|Q2]; try lia; [contradiction|].
      destruct (M2 1%nat 2%nat) as [Q|Q]; try lia; [exists 1%nat|exists 2%nat]; auto.
    - destruct (M1 0%nat 1%nat) as [Q|Q1]; try lia; [contradiction|].
      destruct (M2 0%nat 1%nat) as [Q|Q2]; try lia; [contradiction|].
      exists 1%nat. auto. }
  destruct Good as [j [Hj [G1 G2]]].
  destruct (segment3 c Y Sc Pc j Hj G1) as [P0 [P1 [al [OP0 [OP1 [Pal [EP [EPn KP]]]]]]]].
  destruct (segment3 c' X Sc' Pc' j Hj G2) as [Q0 [Q1 [be [OQ0 [OQ1 [Pbe [EQ [EQn KQ]]]]]]]].
  assert (Slope : forall b, In b (B j) -> be * (g j b P1 - g j b P0) = al * (g j b Q1 - g j b Q0)).
  { intros b Hb.
    pose proof (relation_passes D (B j) (g j) tie CD (fun a => Cg j a Hj) ltac:(intros; unfold tie; lra)
      (fun a u v => glocal j a u v Hj) [(be, (P1, P0)); (- al, (Q1, Q0))] 0 (or_introl eq_refl)) as RP.
    simpl in RP. specialize (RP ltac:(intros w [<-|[<-|[]]]; simpl; auto)).
    assert (E : be * (g j b P1 - g j b P0) + (- al * (g j b Q1 - g j b Q0) + 0) = 0); [|lra].
    apply RP; auto. intros a [<-|Ha].
    - rewrite EPn, EQn. ring.
    - rewrite (EP a Ha), (EQ a Ha). ring. }
  set (G := total (B j) (g j) (on_expert c 0)) in *.
  assert (Neg : forall u, total (B j) (g j) (on_expert c' 0) u = - G u).
  { intros u. unfold G, total. rewrite <- sum_opp. apply sum_ext. intros a _.
    unfold on_expert, scores3, c'. destruct (Nat.ltb a n); ring. }
  rewrite !Neg in KQ.
  assert (SG : be * (G P1 - G P0) = al * (G Q1 - G Q0)).
  { unfold G, total. rewrite <- !sum_minus, <- !sum_scal. apply sum_ext. intros b Hb.
    specialize (Slope b Hb).
    replace (be * (on_expert c 0 b * g j b P1 - on_expert c 0 b * g j b P0))
      with (on_expert c 0 b * (be * (g j b P1 - g j b P0))) by ring.
    rewrite Slope. ring. }
  assert (K1 : 0 < C * (be * (G P1 - G P0))) by nra.
  assert (K2 : 0 < C * (al * (G Q0 - G Q1))) by nra.
  rewrite SG in K1. lra.
Qed.
End Three.
