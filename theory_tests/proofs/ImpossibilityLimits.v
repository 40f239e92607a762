(* Limits for the impossibility theorem, without choosing sequences: a family of sets S k of bounded
   vectors has a cluster point; convex functions of finitely many scores are continuous; and the
   first-order behaviour at a cluster point of near-minimisers at scores tie + eps d. No claim of its
   own. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Classical.
From Deferlab Require Import Sums Impossibility.
Import ListNotations.
Open Scope R_scope.

Lemma le_eps x y c :
  0 <= c -> (forall eta, 0 < eta <= 1 -> x <= y + c * eta) -> x <= y.
Proof.
  intros Pc H. destruct (Rle_dec x y) as [|N]; auto. apply Rnot_le_lt in N. exfalso.
  set (eta := Rmin 1 ((x - y) / (2 * (c + 1)))).
  assert (Q : (x - y) / (2 * (c + 1)) * (c + 1) = (x - y) / 2) by (field; lra).
  assert (P0 : 0 < (x - y) / (2 * (c + 1))).
  { apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat. lra. }
  assert (P1 : 0 < eta) by (apply Rmin_glb_lt; lra).
  assert (P2 : eta <= 1) by apply Rmin_l.
  assert (P3 : eta <= (x - y) / (2 * (c + 1))) by apply Rmin_r.
  specialize (H eta ltac:(lra)). nra.
Qed.

Lemma large_index (x : R) : exists K : nat, x <= INR K.
Proof.
  destruct (archimed x) as [Hu _]. destruct (Rle_dec 0 x) as [P|P].
  - assert (Pz : (0 <= up x)%Z) by (apply le_IZR; lra).
    destruct (IZN _ Pz) as [K EK]. exists K. rewrite INR_IZR_INZ, <- EK. lra.
  - exists 0%nat. simpl. lra.
Qed.

Lemma inf_exists {X} (D : X -> Prop) (f : X -> R) lo :
  (exists x, D x) -> (forall x, D x -> lo <= f x) -> exists m, is_inf_over D f m.
Proof.
  intros [x0 D0] B.
  destruct (completeness (fun y => exists x, D x /\ y = - f x)) as [m [Up Least]].
  - exists (- lo). intros y [x [Dx ->]]. specialize (B x Dx). lra.
  - exists (- f x0). exists x0. auto.
  - exists (- m). split.
    + intros x Dx. specialize (Up (- f x) (ex_intro _ x (conj Dx eq_refl))). lra.
    + intros m' H. assert (m <= - m'); [|lra]. apply Least. intros y [x [Dx ->]].
      specialize (H x Dx). lra.
Qed.

Lemma inf_approached {X} (D : X -> Prop) (f : X -> R) m eta :
  is_inf_over D f m -> 0 < eta -> exists x, D x /\ f x <= m + eta.
Proof.
  intros [_ G] Pe. apply NNPP. intros N. enough (m + eta <= m) by lra. apply G.
  intros x Dx. destruct (Rle_dec (m + eta) (f x)) as [|Q]; auto. exfalso. apply N.
  exists x. split; auto. lra.
Qed.

(* Cluster points. *)
Lemma cluster_one {Y} (S : nat -> Y -> Prop) (h : Y -> R) B :
  (forall k, exists y, S k y) -> (forall k y, S k y -> Rabs (h y) <= B) ->
  exists l, forall eta K, 0 < eta -> exists k y, (K <= k)%nat /\ S k y /\ Rabs (h y - l) < eta.
Proof.
  intros Ne Bd.
  assert (Bd' : forall k y, S k y -> - B <= h y <= B).
  { intros k y Hy. specialize (Bd k y Hy). pose proof (Rle_abs (h y)).
    pose proof (Rle_abs (- h y)) as Q. rewrite Rabs_Ropp in Q. lra. }
  (* The largest number that is exceeded again and again. *)
  set (E := fun x => forall K, exists k y, (K <= k)%nat /\ S k y /\ x <= h y).
  destruct (completeness E) as [l [Up Least]].
  - exists B. intros x Hx. destruct (Hx 0%nat) as [k [y [_ [Hy Q]]]]. specialize (Bd' k y Hy). lra.
  - exists (- B). intros K. destruct (Ne K) as [y Hy]. exists K, y.
    split; auto. split; auto. apply (Bd' K y Hy).
  - exists l. intros eta K Pe.
    assert (Above : exists K', forall k y, (K' <= k)%nat -> S k y -> h y < l + eta).
    { apply NNPP. intros N. assert (In1 : E (l + eta)).
      { intros K'. apply NNPP. intros N'. apply N. exists K'. intros k y Hk Hy.
        destruct (Rlt_dec (h y) (l + eta)) as [|Q]; auto. exfalso. apply N'.
        exists k, y. split; auto. split; auto. lra. }
      specialize (Up _ In1). lra. }
    destruct Above as [K' HK'].
    assert (Below : exists x, E x /\ l - eta < x).
    { apply NNPP. intros N. enough (l <= l - eta) by lra. apply Least. intros x Hx.
      destruct (Rle_dec x (l - eta)) as [|Q]; auto. exfalso. apply N. exists x. split; auto. lra. }
    destruct Below as [x [Hx Lx]].
    destruct (Hx (max K K')) as [k [y [Hk [Hy Q]]]]. exists k, y.
    split; [lia|]. split; auto. specialize (HK' k y ltac:(lia) Hy).
    apply Rabs_def1; lra.
Qed.

Lemma cluster {X} (eq_dec : forall x y : X, {x = y} + {x <> y}) (J : list X) :
  forall (S : nat -> (X -> R) -> Prop) (B : R),
  (forall k, exists u, S k u) ->
  (forall k u j, S k u -> In j J -> Rabs (u j) <= B) ->
  exists P, forall eta K, 0 < eta ->
  exists k u, (K <= k)%nat /\ S k u /\ forall j, In j J -> Rabs (u j - P j) < eta.
Proof.
  induction J as [|a J IH]; intros S B Ne Bd.
  - exists (fun _ => 0). intros eta K Pe. destruct (Ne K) as [u Hu]. exists K, u.
    split; auto. split; auto. intros j [].
  - destruct (cluster_one S (fun u => u a) B Ne) as [l Hl].
    { intros k u Hu. apply (Bd k u a Hu). left. auto. }
    destruct (IH (fun k u => exists k', (k <= k')%nat /\ S k' u /\ Rabs (u a - l) < / (INR k + 1)) B)
      as [P HP].
    { intros k. destruct (Hl (/ (INR k + 1)) k) as [k' [u [Hk [Hu Q]]]].
      - apply Rinv_0_lt_compat. pose proof (pos_INR k). lra.
      - exists u, k'. auto. }
    { intros k u j [k' [_ [Hu _]]] Hj. apply (Bd k' u j Hu). right. auto. }
    exists (fun x => if eq_dec x a then l else P x). intros eta K Pe.
    destruct (large_index (/ eta)) as [K1 HK1].
    destruct (HP eta (max K K1) Pe) as [k [u [Hk [[k' [Hk' [Hu Q]]] Cl]]]].
    exists k', u. split; [lia|]. split; auto. intros j [<-|Hj].
    + destruct (eq_dec a a); [|congruence]. eapply Rlt_le_trans; [exact Q|].
      assert (Hk1 : (K1 <= k)%nat) by lia. apply le_INR in Hk1.
      rewrite <- (Rinv_inv eta). apply Rinv_le_contravar; [apply Rinv_0_lt_compat; auto|lra].
    + destruct (eq_dec j a) as [->|]; [|apply Cl; auto].
      eapply Rlt_le_trans; [exact Q|].
      assert (Hk1 : (K1 <= k)%nat) by lia. apply le_INR in Hk1.
      rewrite <- (Rinv_inv eta). apply Rinv_le_contravar; [apply Rinv_0_lt_compat; auto|lra].
Qed.

(* Convex functions of the scores in A. *)
Definition everything : (nat -> R) -> Prop := fun _ => True.

Definition continuous_on (A : list nat) (F : (nat -> R) -> R) : Prop :=
  forall u eta, 0 < eta -> exists d, 0 < d /\
  forall v, (forall c, In c A -> Rabs (v c - u c) < d) -> Rabs (F v - F u) < eta.

Section Convex.
Variables (A : list nat) (F : (nat -> R) -> R).
Hypothesis NA : NoDup A.
Hypothesis CF : convex_on everything F.
Hypothesis local : forall u v, (forall c, In c A -> v c = u c) -> F v = F u.

Lemma jensen (ws : list (R * (nat -> R))) :
  (forall w, In w ws -> 0 <= fst w) -> 0 < sum ws fst ->
  forall X, (forall c, X c = sum ws (fun w => fst w * snd w c) / sum ws fst) ->
  F X <= sum ws (fun w => fst w * F (snd w)) / sum ws fst.
Proof.
  induction ws as [|[t u] ws IH]; simpl; intros H P X EX; [lra|].
  assert (Pt : 0 <= t) by (apply (H (t, u)); auto).
  assert (H' : forall w, In w ws -> 0 <= fst w) by auto.
  assert (Pw : 0 <= sum ws fst) by (apply sum_nonneg; auto).
  destruct (Req_dec (sum ws fst) 0) as [Z|N].
  - assert (Z' : forall w, In w ws -> fst w = 0) by (apply sum_nonneg_zero; auto).
    assert (Zs : forall g : (nat -> R) -> R, sum ws (fun w => fst w * g (snd w)) = 0).
    { intros g. apply sum_zero. intros w Hw. rewrite (Z' w Hw). ring. }
    rewrite (Zs F), Z. rewrite (local u X).
    + right. field. lra.
    + intros c _. rewrite EX, (Zs (fun v => v c)), Z. field. lra.
  - set (W := sum ws fst) in *. assert (PW : 0 < W) by lra.
    set (Y := fun c => sum ws (fun w => fst w * snd w c) / W).
    specialize (IH H' PW Y ltac:(reflexivity)).
    assert (E : t / (t + W) * (t + W) = t) by (field; lra).
    assert (Ht : 0 <= t / (t + W) <= 1).
    { assert (0 <= t / (t + W)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
      split; [auto|]. nra. }
    assert (Cx : combination (t / (t + W)) u Y X) by (intros c; rewrite EX; unfold Y; field; lra).
    pose proof (CF (t / (t + W)) u Y X Ht I I Cx) as Q.
    set (T := sum ws (fun w => fst w * F (snd w))) in *.
    replace ((t * F u + T) / (t + W)) with (t / (t + W) * F u + (1 - t / (t + W)) * (T / W))
      by (field; lra).
    assert (0 <= 1 - t / (t + W)) by lra. nra.
Qed.

Definition bump (c : nat) (x : R) (u : nat -> R) : nat -> R :=
  fun b => u b + (if Nat.eqb b c then x else 0).

Lemma bump_bound u c x :
  Rabs x <= 1 ->
  F (bump c x u) - F u <= Rabs x * (Rabs (F (bump c 1 u) - F u) + Rabs (F (bump c (-1) u) - F u)).
Proof.
  intros Hx. pose proof (Rabs_pos x).
  pose proof (Rle_abs (F (bump c 1 u) - F u)). pose proof (Rle_abs (F (bump c (-1) u) - F u)).
  pose proof (Rabs_pos (F (bump c 1 u) - F u)). pose proof (Rabs_pos (F (bump c (-1) u) - F u)).
  assert (Q : exists y, (y = 1 \/ y = -1) /\ x = Rabs x * y).
  { unfold Rabs. destruct (Rcase_abs x); [exists (-1)|exists 1]; split; auto; lra. }
  destruct Q as [y [Hy Ex]].
  assert (Cx : combination (Rabs x) (bump c y u) u (bump c x u)).
  { intros b. unfold bump. destruct (Nat.eqb b c); [|ring]. rewrite Ex at 1. ring. }
  pose proof (CF (Rabs x) (bump c y u) u (bump c x u) ltac:(lra) I I Cx) as G.
  destruct Hy as [-> | ->]; nra.
Qed.

Lemma above_continuous u v d :
  (0 < length A)%nat -> 0 <= d -> INR (length A) * d <= 1 ->
  (forall c, In c A -> Rabs (v c - u c) <= d) ->
  F v - F u <= d * sum A (fun c => Rabs (F (bump c 1 u) - F u) + Rabs (F (bump c (-1) u) - F u)).
Proof.
  intros L Pd Ld H. set (N := INR (length A)) in *.
  assert (PN : 0 < N) by (apply lt_0_INR; auto).
  set (ws := map (fun c => (1, bump c (N * (v c - u c)) u)) A).
  assert (W : sum ws fst = N).
  { unfold ws. rewrite sum_map. simpl. rewrite sum_const. fold N. ring. }
  set (X := fun b => sum ws (fun w => fst w * snd w b) / N).
  assert (EX : forall b, In b A -> X b = v b).
  { intros b Hb. unfold X, ws. rewrite sum_map. simpl.
    rewrite (sum_ext A _ (fun c => u b + (if Nat.eqb c b then N * (v c - u c) else 0))).
    - rewrite sum_plus, sum_const, (sum_single A b (fun c => N * (v c - u c)) NA Hb). fold N. field. lra.
    - intros c _. unfold bump. rewrite (Nat.eqb_sym c b). destruct (Nat.eqb_spec b c); [subst|]; ring. }
  assert (J : F X <= sum ws (fun w => fst w * F (snd w)) / sum ws fst).
  { apply jensen.
    - intros w Hw. apply in_map_iff in Hw. destruct Hw as [c [<- _]]. simpl. lra.
    - rewrite W. auto.
    - intros b. rewrite W. reflexivity. }
  rewrite W in J. rewrite (local v X EX) in J. unfold ws in J. rewrite sum_map in J. simpl in J.
  set (B := fun c => Rabs (F (bump c 1 u) - F u) + Rabs (F (bump c (-1) u) - F u)).
  assert (S : sum A (fun c => 1 * F (bump c (N * (v c - u c)) u)) <= sum A (fun c => F u + N * d * B c)).
  { apply sum_le. intros c Hc. specialize (H c Hc).
    assert (Hx : Rabs (N * (v c - u c)) <= N * d).
    { rewrite Rabs_mult, (Rabs_right N) by lra. apply Rmult_le_compat_l; lra. }
    pose proof (bump_bound u c (N * (v c - u c)) ltac:(lra)) as Q. fold (B c) in Q.
    assert (0 <= B c) by (unfold B; apply Rplus_le_le_0_compat; apply Rabs_pos).
    assert (Rabs (N * (v c - u c)) * B c <= N * d * B c) by (apply Rmult_le_compat_r; auto). lra. }
  rewrite sum_plus, sum_const, (sum_scal A (N * d) B) in S. fold N in S. fold B.
  assert (E : (N * F u + N * d * sum A B) / N = F u + d * sum A B) by (field; lra).
  assert (F v <= (N * F u + N * d * sum A B) / N); [|lra].
  eapply Rle_trans; [exact J|]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|exact S].
Qed.

Lemma convex_continuous : continuous_on A F.
Proof.
  intros u eta Pe. destruct A as [|a0 A'] eqn:EA.
  - exists 1. split; [lra|]. intros v _. rewrite (local u v) by (intros c []).
    rewrite Rminus_eq_0, Rabs_R0. auto.
  - rewrite <- EA in *. assert (L : (0 < length A)%nat) by (rewrite EA; simpl; lia).
    set (N := INR (length A)). assert (PN : 0 < N) by (apply lt_0_INR; auto).
    set (T := sum A (fun c => Rabs (F (bump c 1 u) - F u) + Rabs (F (bump c (-1) u) - F u))).
    assert (PT : 0 <= T).
    { apply sum_nonneg. intros. apply Rplus_le_le_0_compat; apply Rabs_pos. }
    set (d := Rmin (/ N) (eta / (2 * (T + 1)))).
    assert (Q0 : 0 < eta / (2 * (T + 1))) by (apply Rmult_lt_0_compat; [auto|apply Rinv_0_lt_compat; lra]).
    assert (Pd : 0 < d) by (apply Rmin_glb_lt; [apply Rinv_0_lt_compat; auto|auto]).
    assert (D1 : N * d <= 1).
    { apply Rle_trans with (N * / N); [apply Rmult_le_compat_l; [lra|apply Rmin_l]|].
      right. field. lra. }
    assert (D2 : d * T < eta).
    { assert (d <= eta / (2 * (T + 1))) by apply Rmin_r.
      assert (eta / (2 * (T + 1)) * (T + 1) = eta / 2) by (field; lra). nra. }
    exists d. split; auto. intros v Hv.
    pose proof (above_continuous u v d L ltac:(lra) D1 ltac:(intros; left; auto)) as Up. fold T in Up.
    set (z := fun c => 2 * u c - v c).
    assert (Hz : forall c, In c A -> Rabs (z c - u c) <= d).
    { intros c Hc. unfold z. replace (2 * u c - v c - u c) with (- (v c - u c)) by ring.
      rewrite Rabs_Ropp. left. auto. }
    pose proof (above_continuous u z d L ltac:(lra) D1 Hz) as Lo. fold T in Lo.
    assert (Cu : combination (1/2) v z u) by (intros c; unfold z; field).
    pose proof (CF (1/2) v z u ltac:(lra) I I Cu) as M.
    apply Rabs_def1; lra.
Qed.
End Convex.

(* Sums of losses weighted by scores. *)
Lemma total_close acts (phi : nat -> (nat -> R) -> R) s u v eta :
  (forall a, In a acts -> Rabs (phi a u - phi a v) < eta) ->
  Rabs (total acts phi s u - total acts phi s v) <= sum acts (fun a => Rabs (s a)) * eta.
Proof.
  intros H. unfold total. rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|].
  rewrite <- sum_scal_r. apply sum_le. intros a Ha. specialize (H a Ha).
  replace (s a * phi a u - s a * phi a v) with (s a * (phi a u - phi a v)) by ring.
  rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|lra].
Qed.

Lemma total_shifted acts (phi : nat -> (nat -> R) -> R) t e d u :
  total acts phi (fun a => t + e * d a) u
  = total acts phi (fun _ => t) u + e * total acts phi d u.
Proof.
  unfold total. rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros. ring.
Qed.

(* A cluster point P of near-minimisers at scores t + eps d, for one active set. *)
Section OneSet.
Variables (D : (nat -> R) -> Prop) (t C lo : R) (admissible : (nat -> R) -> Prop).
Hypothesis inhabited : exists u, D u.
Hypothesis PC : 0 <= C.
Variables (acts : list nat) (phi : nat -> (nat -> R) -> R) (d : nat -> R).
Hypothesis positive : forall s a, admissible s -> In a acts -> 0 <= s a.
Hypothesis philo : forall a u, In a acts -> D u -> lo <= phi a u.
Variable e0 : R.
Hypothesis Pe0 : 0 < e0.
Let eps (k : nat) : R := e0 / (INR k + 1).
Let sk (k : nat) : nat -> R := fun a => t + eps k * d a.
Hypothesis adm : forall k, admissible (sk k).
Hypothesis cal : forall s u r, admissible s -> D u -> is_argmax acts u r -> calibrated acts phi D C s u r.
Variable P : nat -> R.
Hypothesis DP : D P.
Hypothesis cluster : forall eta K, 0 < eta -> exists k u, (K <= k)%nat /\ D u /\
  (forall v, D v -> total acts phi (sk k) u <= total acts phi (sk k) v + eps k * eps k) /\
  (forall a, In a acts -> Rabs (phi a u - phi a P) < eta).
Let tie : nat -> R := fun _ => t.
Let O := minimises acts phi D tie.
Let G := total acts phi d.
Let cT := sum acts (fun a => Rabs (tie a)).
Let cG := sum acts (fun a => Rabs (d a)).

Lemma cT_nonneg : 0 <= cT.
Proof. apply sum_nonneg. intros. apply Rabs_pos. Qed.

Lemma cG_nonneg : 0 <= cG.
Proof. apply sum_nonneg. intros. apply Rabs_pos. Qed.

Lemma close eta : 0 < eta -> exists k u, D u /\ 0 < eps k <= eta /\
  (forall v, D v -> total acts phi tie u + eps k * G u
                    <= total acts phi tie v + eps k * G v + eps k * eps k) /\
  Rabs (total acts phi tie u - total acts phi tie P) <= cT * eta /\
  Rabs (G u - G P) <= cG * eta /\ admissible (sk k) /\
  (forall v, total acts phi (sk k) v = total acts phi tie v + eps k * G v).
Proof.
  intros Pe.
  assert (Hk : exists K, forall k, (K <= k)%nat -> eps k <= eta).
  { destruct (large_index (e0 / eta)) as [K Hu]. exists K. intros k Hk. apply le_INR in Hk.
    assert (E1 : eps k * (INR k + 1) = e0) by (unfold eps; pose proof (pos_INR k); field; lra).
    assert (E2 : e0 / eta * eta = e0) by (field; lra).
    pose proof (pos_INR k).
    assert (0 < eps k) by (unfold eps; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
    destruct (Rle_dec (eps k) eta); auto. exfalso. nra. }
  destruct Hk as [K HK]. destruct (cluster eta K Pe) as [k [u [Hk [Du [Mu Cl]]]]].
  exists k, u. split; auto.
  assert (Lin : forall v, total acts phi (sk k) v = total acts phi tie v + eps k * G v)
    by (intros; apply total_shifted).
  split; [|split; [|split; [|split; [|split]]]].
  - split; [|auto]. unfold eps. apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat.
    pose proof (pos_INR k). lra.
  - intros v Dv. specialize (Mu v Dv). rewrite !Lin in Mu. auto.
  - apply total_close. auto.
  - apply total_close. auto.
  - apply adm.
  - auto.
Qed.

Ltac abs_in H x :=
  let Q1 := fresh in let Q2 := fresh in
  pose proof (Rle_abs x) as Q1; pose proof (Rle_abs (- x)) as Q2; rewrite Rabs_Ropp in Q2.

Lemma limit_minimises : O P.
Proof.
  split; auto. intros v Dv.
  apply (le_eps _ _ (cT + Rabs (G v - G P) + cG + 1)).
  { pose proof cT_nonneg. pose proof cG_nonneg. pose proof (Rabs_pos (G v - G P)). lra. }
  intros eta He. destruct (close eta ltac:(lra)) as [k [u [Du [Pk [Mu [CT [CG _]]]]]]].
  specialize (Mu v Dv). abs_in CT (total acts phi tie u - total acts phi tie P).
  abs_in CG (G u - G P). pose proof cG_nonneg.
  set (x := Rabs (G v - G P)). assert (Px : 0 <= x) by apply Rabs_pos.
  assert (GG : G v - G u <= x + cG * eta).
  { assert (GP : G v - G P <= x) by apply Rle_abs. lra. }
  assert (E1 : eps k * (G v - G u) <= eta * (x + cG)).
  { apply Rle_trans with (eps k * (x + cG * eta)); [apply Rmult_le_compat_l; lra|].
    apply Rle_trans with (eta * (x + cG * eta)); [apply Rmult_le_compat_r; nra|].
    apply Rmult_le_compat_l; [lra|]. nra. }
  assert (E2 : eps k * eps k <= eta) by nra. lra.
Qed.

Lemma limit_first_order v : O v -> G P <= G v.
Proof.
  intros [Dv Mv]. apply (le_eps _ _ (cG + 1)); [pose proof cG_nonneg; lra|].
  intros eta He. destruct (close eta ltac:(lra)) as [k [u [Du [Pk [Mu [CT [CG _]]]]]]].
  specialize (Mu v Dv). specialize (Mv u Du). abs_in CG (G u - G P).
  assert (eps k * G u <= eps k * (G v + eps k)) by lra.
  assert (G u <= G v + eps k) by (apply Rmult_le_reg_l with (eps k); lra). lra.
Qed.

Lemma limit_calibrated v r b :
  O v -> is_argmax acts v r -> In b acts -> d b - d r <= C * (G v - G P).
Proof.
  intros [Dv Mv] Hr Hb. apply (le_eps _ _ (C * (cG + 1))); [pose proof cG_nonneg; nra|].
  intros eta He. destruct (close eta ltac:(lra)) as [k [u [Du [Pk [Mu [CT [CG [Ad Lin]]]]]]]].
  abs_in CG (G u - G P).
  destruct (inf_exists D (total acts phi (sk k)) (sum acts (fun a => sk k a * lo))) as [m Im].
  { apply inhabited. }
  { intros x Dx. apply sum_le. intros a Ha. apply Rmult_le_compat_l; auto. }
  pose proof (cal (sk k) v r Ad Dv Hr m Im b Hb) as Q.
  assert (Lm : total acts phi (sk k) u - eps k * eps k <= m).
  { destruct Im as [_ Gr]. apply Gr. intros x Dx. specialize (Mu x Dx). rewrite !Lin. lra. }
  specialize (Mv u Du).
  assert (E : total acts phi (sk k) v - m <= eps k * (G v - G u + eps k)).
  { rewrite Lin. rewrite Lin in Lm. lra. }
  assert (Q2 : eps k * (d b - d r) <= eps k * (C * (G v - G u + eps k))).
  { apply Rle_trans with (C * (total acts phi (sk k) v - m)).
    - eapply Rle_trans; [|exact Q]. unfold sk. lra.
    - apply Rle_trans with (C * (eps k * (G v - G u + eps k))); [apply Rmult_le_compat_l; auto|lra]. }
  apply Rmult_le_reg_l in Q2; [|lra].
  eapply Rle_trans; [exact Q2|].
  apply Rle_trans with (C * (G v - G P + (cG + 1) * eta)); [|lra].
  apply Rmult_le_compat_l; auto. lra.
Qed.
End OneSet.
