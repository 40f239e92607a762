(* The impossibility theorem from two compactness properties: n >= 2 classes (actions 0..n-1), one
   expert (action n) who comes and goes, convex losses f without and g with the expert that see
   score differences only. Near the tie, linear calibration and a zero gap exclude each other.

   The limits of the written proof are taken in first_order, with ImpossibilityLimits: near-minimisers
   of both risks at scores tie + eps d cluster, as eps goes to zero, at a point that minimises both
   risks at the tie, among these minimisers minimises the first-order terms, and inherits calibration
   to first order. A direction c in which the best and the worst point of f are unique, needed for c
   and -c at once, is found as a diameter of the set of values of f (ImpossibilityDiameter, in place
   of "almost every c"). The two compactness properties are shown in ImpossibilityFull. No claim of
   its own. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Classical.
From Deferlab Require Import Sums Impossibility ImpossibilityAlgebra ImpossibilityLimits
  ImpossibilityDiameter.
Import ListNotations.
Open Scope R_scope.

Section Main.
Variable n : nat.
Hypothesis n2 : (2 <= n)%nat.
Let A0 : list nat := seq 0 n.
Let A1 : list nat := n :: seq 0 n.
Variable D : (nat -> R) -> Prop.
Hypothesis CD : convex_set D.
Variables f g : nat -> (nat -> R) -> R.
Hypothesis Cf : forall a, In a A0 -> convex_on D (f a).
Hypothesis Cg : forall a, In a A1 -> convex_on D (g a).
Hypothesis fdiff : forall a u v k, In a A0 -> (forall c, In c A0 -> v c = u c + k) -> f a v = f a u.
Hypothesis gdiff : forall a u v k, In a A1 -> (forall c, In c A1 -> v c = u c + k) -> g a v = g a u.
Variable lo : R.
Hypothesis flo : forall a u, In a A0 -> D u -> lo <= f a u.
Hypothesis glo : forall a u, In a A1 -> D u -> lo <= g a u.

(* Scores near the tie whose classes are a law (times n t). *)
Variables t rad : R.
Hypothesis Prad : 0 < rad < t.
Definition admissible (s : nat -> R) : Prop :=
  (forall a, In a A1 -> Rabs (s a - t) <= rad) /\ sum A0 s = INR n * t.

Variable C : R.
Hypothesis PC : 0 <= C.
Hypothesis calf : forall s u r, admissible s -> D u -> is_argmax A0 u r -> calibrated A0 f D C s u r.
Hypothesis calg : forall s u r, admissible s -> D u -> is_argmax A1 u r -> calibrated A1 g D C s u r.

Hypothesis zero_gap : forall s eta, admissible s -> 0 < eta ->
  exists u, D u /\ forall v, D v ->
  total A0 f s u <= total A0 f s v + eta /\ total A1 g s u <= total A1 g s v + eta.

Hypothesis compact1 : forall (S : nat -> (nat -> R) -> Prop) (M : R),
  (forall k, exists u, S k u) ->
  (forall k u, S k u -> D u /\ forall a, In a A1 -> g a u <= M) ->
  exists P, D P /\ forall eta K, 0 < eta -> exists k u, (K <= k)%nat /\ S k u /\
  (forall a, In a A0 -> Rabs (f a u - f a P) < eta) /\
  (forall a, In a A1 -> Rabs (g a u - g a P) < eta).

Hypothesis compact0 : forall (S : nat -> (nat -> R) -> (nat -> R) -> Prop) (M : R),
  (forall k, exists u v, S k u v) ->
  (forall k u v, S k u v -> D u /\ D v /\ forall a, In a A0 -> f a u <= M /\ f a v <= M) ->
  exists X Y, D X /\ D Y /\ forall eta K, 0 < eta -> exists k u v, (K <= k)%nat /\ S k u v /\
  forall a, In a A0 -> Rabs (f a u - f a X) < eta /\ Rabs (f a v - f a Y) < eta.

Let tie : nat -> R := fun _ => t.
Let O0 := minimises A0 f D tie.
Let O1 := minimises A1 g D tie.

Lemma tie_admissible : admissible tie.
Proof.
  split.
  - intros a _. unfold tie. rewrite Rminus_eq_0, Rabs_R0. lra.
  - unfold tie, A0. rewrite sum_const, seq_length. auto.
Qed.

Lemma flocal a u v : In a A0 -> (forall c, In c A0 -> v c = u c) -> f a v = f a u.
Proof. intros Ha H. apply (fdiff a u v 0 Ha). intros c Hc. rewrite (H c Hc). ring. Qed.

Lemma glocal a u v : In a A1 -> (forall c, In c A1 -> v c = u c) -> g a v = g a u.
Proof. intros Ha H. apply (gdiff a u v 0 Ha). intros c Hc. rewrite (H c Hc). ring. Qed.

Lemma inhabited : exists u, D u.
Proof.
  destruct (zero_gap tie 1 tie_admissible ltac:(lra)) as [u [Du _]]. eauto.
Qed.

Lemma nodup0 : NoDup A0.
Proof. apply seq_NoDup. Qed.

Lemma nodup1 : NoDup A1.
Proof. constructor; [rewrite in_seq; lia|apply nodup0]. Qed.

Lemma in01 a : In a A0 -> In a A1.
Proof. right. auto. Qed.

Lemma expert_absent : ~ In n A0.
Proof. unfold A0. rewrite in_seq. lia. Qed.

Lemma score_positive s a : admissible s -> In a A1 -> t - rad <= s a <= t + rad.
Proof.
  intros [H _] Ha. specialize (H a Ha).
  pose proof (Rle_abs (s a - t)). pose proof (Rle_abs (- (s a - t))) as Q.
  rewrite Rabs_Ropp in Q. lra.
Qed.

(* For every direction d: a point that minimises both risks at the tie, among these minimisers
   minimises the first-order terms, and carries calibration to first order. *)
Lemma first_order d : sum A0 d = 0 ->
  exists P, O0 P /\ O1 P /\
  (forall v, O0 v -> total A0 f d P <= total A0 f d v) /\
  (forall v, O1 v -> total A1 g d P <= total A1 g d v) /\
  (forall v r b, O0 v -> is_argmax A0 v r -> In b A0 ->
     d b - d r <= C * (total A0 f d v - total A0 f d P)) /\
  (forall v r b, O1 v -> is_argmax A1 v r -> In b A1 ->
     d b - d r <= C * (total A1 g d v - total A1 g d P)).
Proof.
  intros Sd.
  set (B := sum A1 (fun a => Rabs (d a))).
  assert (PB : 0 <= B) by (apply sum_nonneg; intros; apply Rabs_pos).
  set (e0 := rad / (B + 1)).
  assert (Pe0 : 0 < e0) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  assert (Ee0 : e0 * (B + 1) = rad) by (unfold e0; field; lra).
  set (eps := fun k : nat => e0 / (INR k + 1)).
  assert (Pk : forall k, 0 < eps k <= e0).
  { intros k. pose proof (pos_INR k).
    assert (eps k * (INR k + 1) = e0) by (unfold eps; field; lra).
    assert (0 < eps k) by (unfold eps; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]). nra. }
  set (sk := fun (k : nat) (a : nat) => t + eps k * d a).
  assert (adm : forall k, admissible (sk k)).
  { intros k. specialize (Pk k). split.
    - intros a Ha. unfold sk. replace (t + eps k * d a - t) with (eps k * d a) by ring.
      rewrite Rabs_mult, (Rabs_right (eps k)) by lra.
      assert (Rabs (d a) <= B).
      { apply (sum_term_le A1 (fun a => Rabs (d a)) a); auto. intros. apply Rabs_pos. }
      pose proof (Rabs_pos (d a)). nra.
    - unfold sk. rewrite sum_plus, sum_const, sum_scal. fold A0. rewrite Sd.
      unfold A0. rewrite seq_length. ring. }
  set (S := fun k u => D u /\ forall v, D v ->
    total A0 f (sk k) u <= total A0 f (sk k) v + eps k * eps k /\
    total A1 g (sk k) u <= total A1 g (sk k) v + eps k * eps k).
  destruct inhabited as [x0 D0].
  set (Q := sum A1 (fun a => g a x0 - lo)).
  assert (PQ : 0 <= Q).
  { apply sum_nonneg. intros a Ha. pose proof (glo a x0 Ha D0). lra. }
  set (M := lo + ((t + rad) * Q + e0 * e0) / (t - rad)).
  destruct (compact1 S M) as [P [DP Cl]].
  { intros k. specialize (Pk k).
    destruct (zero_gap (sk k) (eps k * eps k) (adm k)) as [u [Du Mu]]; [nra|].
    exists u. split; auto. }
  { intros k u [Du Mu]. split; auto. intros a Ha. specialize (Pk k).
    destruct (Mu x0 D0) as [_ Mg].
    assert (Ps : forall b, In b A1 -> t - rad <= sk k b <= t + rad)
      by (intros b Hb; apply score_positive; auto).
    assert (E : forall v, total A1 g (sk k) v - sum A1 (fun b => sk k b * lo)
                          = sum A1 (fun b => sk k b * (g b v - lo))).
    { intros v. unfold total. rewrite <- sum_minus. apply sum_ext. intros. ring. }
    assert (T1 : sk k a * (g a u - lo) <= sum A1 (fun b => sk k b * (g b u - lo))).
    { apply (sum_term_le A1 (fun b => sk k b * (g b u - lo)) a); auto. intros b Hb.
      pose proof (Ps b Hb). pose proof (glo b u Hb Du). nra. }
    assert (T2 : sum A1 (fun b => sk k b * (g b x0 - lo)) <= (t + rad) * Q).
    { unfold Q. rewrite <- sum_scal. apply sum_le. intros b Hb.
      pose proof (Ps b Hb). pose proof (glo b x0 Hb D0). nra. }
    rewrite <- E in T1, T2.
    assert (T3 : (t - rad) * (g a u - lo) <= (t + rad) * Q + e0 * e0).
    { pose proof (Ps a Ha). pose proof (glo a u Ha Du). nra. }
    unfold M. assert (g a u - lo <= ((t + rad) * Q + e0 * e0) / (t - rad)); [|lra].
    apply Rmult_le_reg_l with (t - rad); [lra|].
    replace ((t - rad) * (((t + rad) * Q + e0 * e0) / (t - rad))) with ((t + rad) * Q + e0 * e0)
      by (field; lra). auto. }
  assert (Cl0 : forall eta K, 0 < eta -> exists k u, (K <= k)%nat /\ D u /\
    (forall v, D v -> total A0 f (sk k) u <= total A0 f (sk k) v + eps k * eps k) /\
    (forall a, In a A0 -> Rabs (f a u - f a P) < eta)).
  { intros eta K He. destruct (Cl eta K He) as [k [u [Hk [[Du Mu] [Ca _]]]]].
    exists k, u. repeat split; auto. intros v Dv. apply (Mu v Dv). }
  assert (Cl1 : forall eta K, 0 < eta -> exists k u, (K <= k)%nat /\ D u /\
    (forall v, D v -> total A1 g (sk k) u <= total A1 g (sk k) v + eps k * eps k) /\
    (forall a, In a A1 -> Rabs (g a u - g a P) < eta)).
  { intros eta K He. destruct (Cl eta K He) as [k [u [Hk [[Du Mu] [_ Ca]]]]].
    exists k, u. repeat split; auto. intros v Dv. apply (Mu v Dv). }
  assert (pos1 : forall s a, admissible s -> In a A1 -> 0 <= s a).
  { intros s a As Ha. pose proof (score_positive s a As Ha). lra. }
  assert (pos0 : forall s a, admissible s -> In a A0 -> 0 <= s a) by (intros s a As Ha; apply pos1; auto using in01).
  exists P.
  split; [apply (limit_minimises D t admissible A0 f d e0 Pe0 adm P DP Cl0)|].
  split; [apply (limit_minimises D t admissible A1 g d e0 Pe0 adm P DP Cl1)|].
  split; [intros v; apply (limit_first_order D t admissible A0 f d e0 Pe0 adm P Cl0)|].
  split; [intros v; apply (limit_first_order D t admissible A1 g d e0 Pe0 adm P Cl1)|].
  split.
  - intros v r b. apply (limit_calibrated D t C lo admissible inhabited PC A0 f d pos0 flo e0 Pe0 adm
      calf P Cl0).
  - intros v r b. apply (limit_calibrated D t C lo admissible inhabited PC A1 g d pos1 glo e0 Pe0 adm
      calg P Cl1).
Qed.

Lemma classes_first_order d : sum A0 d = 0 -> exists P, O0 P /\
  forall v r b, O0 v -> is_argmax A0 v r -> In b A0 ->
  d b - d r <= C * (total A0 f d v - total A0 f d P).
Proof. intros Sd. destruct (first_order d Sd) as [P [OP [_ [_ [_ [KP _]]]]]]. eauto. Qed.

(* Scores c on the classes, h on the expert. *)
Definition with_expert (c : nat -> R) (h : R) : nat -> R := fun a => if Nat.eqb a n then h else c a.

Lemma with_expert_class c h a : In a A0 -> with_expert c h a = c a.
Proof.
  intros H. unfold with_expert. destruct (Nat.eqb_spec a n); auto. subst.
  exfalso. apply expert_absent. auto.
Qed.

Lemma with_expert_n c h : with_expert c h n = h.
Proof. unfold with_expert. rewrite Nat.eqb_refl. auto. Qed.

Lemma with_expert_total c h u : total A0 f (with_expert c h) u = total A0 f c u.
Proof. apply sum_ext. intros a Ha. rewrite with_expert_class; auto. Qed.

(* One direction: the two limits for an expert who is worse and better than the best class. *)
Lemma segment c (Y : nat -> R) :
  sum A0 c = 0 -> (exists b, In b A0 /\ 0 < c b) -> O0 Y ->
  (forall z, O0 z -> total A0 f c z <= total A0 f c Y -> forall a, In a A0 -> f a z = f a Y) ->
  exists P0 P1 k al, O1 P0 /\ O1 P1 /\ 0 < al /\ (forall a, In a A0 -> P1 a = P0 a + k) /\
  P1 n = P0 n + k + al /\
  0 < C * (total A1 g (with_expert c 0) P1 - total A1 g (with_expert c 0) P0).
Proof.
  intros Sc [b0 [Hb0 Pb0]] OY Uniq.
  set (h := sum A0 (fun a => Rabs (c a)) + 1).
  assert (Hh : forall a, In a A0 -> c a < h).
  { intros a Ha.
    assert (Rabs (c a) <= sum A0 (fun a => Rabs (c a))).
    { apply (sum_term_le A0 (fun a => Rabs (c a)) a); auto. intros. apply Rabs_pos. }
    pose proof (Rle_abs (c a)). unfold h. lra. }
  assert (Sd : forall x, sum A0 (with_expert c x) = 0).
  { intros x. rewrite (sum_ext A0 _ c); auto. intros. apply with_expert_class; auto. }
  destruct (first_order (with_expert c 0) (Sd 0)) as [P0 [O0P0 [O1P0 [F0 [_ [_ K0]]]]]].
  destruct (first_order (with_expert c h) (Sd h)) as [P1 [O0P1 [O1P1 [F1 [_ [_ K1]]]]]].
  assert (V0 : forall a, In a A0 -> f a P0 = f a Y).
  { apply Uniq; auto. specialize (F0 Y OY). rewrite !with_expert_total in F0. auto. }
  assert (V1 : forall a, In a A0 -> f a P1 = f a Y).
  { apply Uniq; auto. specialize (F1 Y OY). rewrite !with_expert_total in F1. auto. }
  destruct (losses_determine D A0 f tie CD Cf) with (x := P1) (y := P0) as [k Hk]; auto.
  { intros a _. unfold tie. lra. }
  { exact flocal. }
  { apply nodup0. }
  { unfold A0. rewrite seq_length. auto. }
  { apply (not_flat n n2 D f t C classes_first_order). }
  { intros a Ha. rewrite V0, V1; auto. }
  assert (N1 : A1 <> nil) by (unfold A1; congruence).
  assert (Hn : In n A1) by (left; auto).
  (* At P0 a class is on top, strictly above the expert. *)
  destruct (argmax_exists A1 P0 N1) as [r0 Hr0].
  assert (T0 : forall r, is_argmax A1 P0 r -> 0 < with_expert c 0 r).
  { intros r Hr. pose proof (K0 P0 r b0 O1P0 Hr (in01 b0 Hb0)) as Q.
    rewrite (with_expert_class c 0 b0 Hb0) in Q. nra. }
  assert (R0 : In r0 A0).
  { destruct Hr0 as [[E|I] M]; auto. exfalso. subst r0.
    specialize (T0 n (conj Hn M)). rewrite with_expert_n in T0. lra. }
  assert (L0 : P0 n < P0 r0).
  { destruct (Rlt_dec (P0 n) (P0 r0)) as [|Q]; auto. exfalso.
    assert (Top : is_argmax A1 P0 n).
    { split; auto. intros b Hb. destruct Hr0 as [_ M]. specialize (M b Hb). lra. }
    specialize (T0 n Top). rewrite with_expert_n in T0. lra. }
  (* At P1 the expert is on top, strictly. *)
  assert (T1 : forall r, is_argmax A1 P1 r -> r = n).
  { intros r Hr. destruct Hr as [[E|I] M]; auto. exfalso.
    pose proof (K1 P1 r n O1P1 (conj (in01 r I) M) Hn) as Q.
    rewrite with_expert_n, with_expert_class in Q by auto. specialize (Hh r I). nra. }
  destruct (argmax_exists A1 P1 N1) as [r1 Hr1]. pose proof (T1 r1 Hr1) as E1. subst r1.
  assert (L1 : P1 r0 < P1 n).
  { destruct (Rlt_dec (P1 r0) (P1 n)) as [|Q]; auto. exfalso.
    assert (Top : is_argmax A1 P1 r0).
    { split; [apply in01; auto|]. intros b Hb. destruct Hr1 as [_ M]. specialize (M b Hb). lra. }
    specialize (T1 r0 Top). subst r0. apply expert_absent. auto. }
  pose proof (Hk r0 R0) as Ek.
  exists P0, P1, k, (P1 n - P0 n - k). split; auto. split; auto. split; [lra|].
  split; auto. split; [ring|].
  pose proof (K0 P1 n b0 O1P1 Hr1 (in01 b0 Hb0)) as Q.
  rewrite with_expert_n, with_expert_class in Q by auto. lra.
Qed.

Lemma calibration_and_zero_gap_exclude_each_other : False.
Proof.
  destruct (direction n n2 D f t lo C ltac:(lra) inhabited flo classes_first_order compact0)
    as [c [X [Y [Sc [Pc [Pc' [OX [OY [UY UX]]]]]]]]].
  assert (Sc' : sum A0 (fun a => - c a) = 0) by (rewrite sum_opp; unfold A0; rewrite Sc; ring).
  destruct (segment c Y Sc Pc OY UY) as [P0 [P1 [kp [al [OP0 [OP1 [Pal [EP [EPn KP]]]]]]]]].
  destruct (segment (fun a => - c a) X Sc' Pc' OX UX)
    as [Q0 [Q1 [kq [be [OQ0 [OQ1 [Pbe [EQ [EQn KQ]]]]]]]]].
  (* One slope on the two segments. *)
  assert (Slope : forall b, In b A1 -> be * (g b P1 - g b P0) = al * (g b Q1 - g b Q0)).
  { intros b Hb.
    pose proof (relation_passes D A1 g tie CD Cg ltac:(intros; unfold tie; lra) glocal
      [(be, (P1, P0)); (- al, (Q1, Q0))] (be * kp - al * kq) (or_intror gdiff)) as RP.
    simpl in RP. specialize (RP ltac:(intros w [<-|[<-|[]]]; simpl; auto)).
    assert (E : be * (g b P1 - g b P0) + (- al * (g b Q1 - g b Q0) + 0) = 0); [|lra].
    apply RP; auto. intros a [<-|Ha].
    - rewrite EPn, EQn. ring.
    - rewrite (EP a Ha), (EQ a Ha). ring. }
  set (G := total A1 g (with_expert c 0)) in *.
  assert (Neg : forall u, total A1 g (with_expert (fun a => - c a) 0) u = - G u).
  { intros u. unfold G, total. rewrite <- sum_opp. apply sum_ext. intros a _.
    unfold with_expert. destruct (Nat.eqb a n); ring. }
  rewrite !Neg in KQ.
  assert (SG : be * (G P1 - G P0) = al * (G Q1 - G Q0)).
  { unfold G, total. rewrite <- !sum_minus, <- !sum_scal. apply sum_ext. intros b Hb.
    specialize (Slope b Hb).
    replace (be * (with_expert c 0 b * g b P1 - with_expert c 0 b * g b P0))
      with (with_expert c 0 b * (be * (g b P1 - g b P0))) by ring.
    rewrite Slope. ring. }
  assert (K1 : 0 < C * (be * (G P1 - G P0))) by nra.
  assert (K2 : 0 < C * (al * (G Q0 - G Q1))) by nra.
  rewrite SG in K1. lra.
Qed.
End Main.
