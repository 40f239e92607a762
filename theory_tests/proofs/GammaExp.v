(* Calibration of the exponential losses (App. E), for every K >= 2, and that their constant cannot
   be improved.

   gamma-comp-exp, gamma-sum-exp: Gamma(t) = sqrt(2 t) (the two losses are the same function), and
   no Gamma(t) = sqrt(c t) with c < 2. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration.
Import ListNotations.
Open Scope R_scope.

(* The exponential. *)
Definition exp_pair (s u : nat -> R) (a b : nat) : R :=
  s a * exp (u b - u a) + s b * exp (u a - u b).

Lemma risk_comp_exp A s u :
  NoDup A ->
  2 * risk comp_exp A s u = sum A (fun a => sum (others A a) (fun b => exp_pair s u a b)).
Proof.
  intros N. apply (risk_by_pairs _ A s u (fun a b => exp (u b - u a))); auto.
Qed.

Lemma exp_pair_least s u a b :
  0 <= s a -> 0 <= s b -> 2 * (sqrt (s a) * sqrt (s b)) <= exp_pair s u a b.
Proof.
  intros Pa Pb. unfold exp_pair.
  pose proof (sqrt_sqrt (s a) Pa) as Ea. pose proof (sqrt_sqrt (s b) Pb) as Eb.
  set (x := sqrt (s a)) in *. set (y := sqrt (s b)) in *.
  set (d := (u b - u a) / 2).
  replace (u b - u a) with (d + d) by (unfold d; field).
  replace (u a - u b) with (- d + - d) by (unfold d; field).
  rewrite !exp_plus. rewrite <- Ea, <- Eb.
  assert (E : exp d * exp (- d) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  pose proof (Rle_0_sqr (x * exp d - y * exp (- d))) as Q. unfold Rsqr in Q. nra.
Qed.

Lemma exp_pair_tied s u m r :
  0 <= s r -> s r <= s m -> u m <= u r -> s m + s r <= exp_pair s u m r.
Proof.
  intros Pr L U. unfold exp_pair. set (d := u r - u m).
  replace (u m - u r) with (- d) by (unfold d; ring).
  assert (E : exp d * exp (- d) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (D : 0 <= d) by (unfold d; lra).
  pose proof (exp_ineq1_le d). pose proof (exp_pos (- d)).
  assert (X : 1 <= exp d) by lra.
  assert (X' : exp (- d) <= 1) by nra.
  assert (0 <= (exp d - 1) * (s m - s r * exp (- d))).
  { apply Rmult_le_pos; [lra|]. nra. }
  nra.
Qed.

(* Near-minimisers, also where some score is zero. *)
Definition half_logs (e : R) (s : nat -> R) : nat -> R := fun a => ln (s a + e) / 2.

Lemma sqrt_exp_half_ln x : 0 < x -> exp (ln x / 2) = sqrt x.
Proof.
  intros X. apply Rsqr_inj; [left; apply exp_pos|apply sqrt_pos|].
  unfold Rsqr. rewrite <- exp_plus, sqrt_sqrt by lra.
  replace (ln x / 2 + ln x / 2) with (ln x) by field. apply exp_ln. auto.
Qed.

Lemma exp_pair_half_logs s t a b :
  0 < t <= 1 -> 0 <= s a <= 1 -> 0 <= s b <= 1 ->
  exp_pair s (half_logs (t * t) s) a b <= 2 * (sqrt (s a) * sqrt (s b)) + 6 * t.
Proof.
  intros T Pa Pb. unfold exp_pair, half_logs.
  assert (T2 : 0 < t * t) by nra.
  assert (Xa : 0 < s a + t * t) by lra. assert (Xb : 0 < s b + t * t) by lra.
  unfold Rminus. rewrite !exp_plus, !exp_Ropp, !sqrt_exp_half_ln by auto.
  pose proof (sqrt_lt_R0 _ Xa) as Qa. pose proof (sqrt_lt_R0 _ Xb) as Qb.
  pose proof (sqrt_sqrt (s a + t * t) ltac:(lra)) as Ea.
  pose proof (sqrt_sqrt (s b + t * t) ltac:(lra)) as Eb.
  set (X := sqrt (s a + t * t)) in *. set (Y := sqrt (s b + t * t)) in *.
  assert (B1 : s a * (Y * / X) <= X * Y).
  { apply Rmult_le_reg_r with X; auto. replace (s a * (Y * / X) * X) with (s a * Y) by (field; lra).
    nra. }
  assert (B2 : s b * (X * / Y) <= X * Y).
  { apply Rmult_le_reg_r with Y; auto. replace (s b * (X * / Y) * Y) with (s b * X) by (field; lra).
    nra. }
  assert (Rt : forall z Z, 0 <= z -> 0 < Z -> Z * Z = z + t * t -> Z <= sqrt z + t).
  { intros z Z Hz HZ E. apply Rsqr_incr_0; try lra; [|pose proof (sqrt_pos z); lra].
    unfold Rsqr. rewrite E. pose proof (sqrt_sqrt z Hz). pose proof (sqrt_pos z). nra. }
  pose proof (Rt _ _ (proj1 Pa) Qa Ea) as Ca. pose proof (Rt _ _ (proj1 Pb) Qb Eb) as Cb.
  assert (U : forall z, 0 <= z <= 1 -> 0 <= sqrt z <= 1).
  { intros z Hz. split; [apply sqrt_pos|]. rewrite <- sqrt_1. apply sqrt_le_1_alt. lra. }
  pose proof (U _ Pa) as Ua. pose proof (U _ Pb) as Ub.
  set (x := sqrt (s a)) in *. set (y := sqrt (s b)) in *.
  assert (X * Y <= (x + t) * (y + t)) by (apply Rmult_le_compat; lra).
  nra.
Qed.

Lemma dist_le_1 A s a : is_dist A s -> In a A -> s a <= 1.
Proof. intros [P S] Ha. rewrite <- S. apply sum_term_le; auto. Qed.

Lemma dist_pair A s m r :
  NoDup A -> is_dist A s -> In m A -> In r A -> m <> r -> s m + s r <= 1.
Proof.
  intros N [P S] Hm Hr NE. rewrite <- S, (sum_others A m s N Hm).
  assert (s r <= sum (others A m) s); [|lra]. apply sum_term_le.
  - intros a Ha. apply others_in in Ha. apply P. tauto.
  - apply others_in. auto.
Qed.

Lemma below_sqrt x y : 0 <= x -> x * x <= y -> x <= sqrt y.
Proof.
  intros X H. rewrite <- (sqrt_square x) by auto. apply sqrt_le_1_alt. auto.
Qed.

(* claim: gamma-comp-exp *)
Theorem comp_exp_has_gamma_sqrt_2t :
  forall A, NoDup A -> calibrated comp_exp all_scores A (fun t => sqrt (2 * t)).
Proof.
  intros A N s u r i D _ M I. pose proof D as [P S].
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm). destruct M as [Hr Mr]. destruct Hm as [Hm Mm].
  destruct (Nat.eq_dec m r) as [->|NE].
  { replace (s r - s r) with 0 by ring. apply sqrt_pos. }
  set (x := sqrt (s m)). set (y := sqrt (s r)). set (d := (x - y) * (x - y)).
  pose proof (sqrt_sqrt (s m) (P m Hm)) as Em. fold x in Em.
  pose proof (sqrt_sqrt (s r) (P r Hr)) as Er. fold y in Er.
  set (Q := fun a b => 2 * (sqrt (s a) * sqrt (s b))).
  assert (G : sum A (fun a => sum (others A a) (fun b => Q a b)) + 2 * d <= 2 * risk comp_exp A s u).
  { rewrite risk_comp_exp by auto. apply (pairs_gap A _ _ m r); auto.
    - intros a b Ha Hb _. apply exp_pair_least; auto.
    - unfold Q. fold x y. pose proof (exp_pair_tied s u m r (P r Hr) (Mm r Hr) (Mr m Hm)).
      unfold d. lra.
    - unfold Q. fold x y. pose proof (exp_pair_tied s u m r (P r Hr) (Mm r Hr) (Mr m Hm)).
      replace (exp_pair s u r m) with (exp_pair s u m r) by (unfold exp_pair; ring).
      unfold d. lra. }
  assert (B : i <= risk comp_exp A s u - d).
  { apply (inf_below all_scores (risk comp_exp A s)); auto. intros eps He.
    set (k := INR (length A)). assert (K0 : 0 <= k) by apply pos_INR.
    set (t := Rmin 1 (eps / (3 * (k * k) + 1))).
    assert (K2 : 0 < 3 * (k * k) + 1) by nra.
    assert (T : 0 < t) by (apply Rmin_glb_lt; [lra|apply Rdiv_lt_0_compat; lra]).
    assert (T1 : t <= 1) by apply Rmin_l.
    assert (T2 : t * (3 * (k * k) + 1) <= eps).
    { replace eps with (eps / (3 * (k * k) + 1) * (3 * (k * k) + 1)) by (field; lra).
      apply Rmult_le_compat_r; [lra|]. apply Rmin_r. }
    exists (half_logs (t * t) s). split; [exact Logic.I|].
    assert (V : 2 * risk comp_exp A s (half_logs (t * t) s)
                <= sum A (fun a => sum (others A a) (fun b => Q a b)) + k * (k * (6 * t))).
    { rewrite risk_comp_exp by auto. unfold k. rewrite <- sum_const, <- sum_plus.
      apply sum_le. intros a Ha.
      apply Rle_trans with (sum (others A a) (fun b => Q a b + 6 * t)).
      - apply sum_le. intros b Hb. apply others_in in Hb. unfold Q.
        apply exp_pair_half_logs; try lra; split; auto; try apply P; try tauto;
          apply (dist_le_1 A); tauto.
      - rewrite sum_plus, sum_const, others_length_INR by auto.
        change (sum (others A a) (Q a)) with (sum (others A a) (fun b => Q a b)). nra. }
    nra. }
  apply below_sqrt; [specialize (Mm r Hr); lra|].
  pose proof (dist_pair A s m r N D Hm Hr NE).
  apply Rle_trans with (2 * d); [|lra].
  replace (s m - s r) with ((x - y) * (x + y)) by (rewrite <- Em, <- Er; ring).
  assert ((x + y) * (x + y) <= 2).
  { pose proof (Rle_0_sqr (x - y)) as Z. unfold Rsqr in Z. nra. }
  pose proof (Rle_0_sqr (x - y)) as Z. unfold Rsqr in Z. unfold d.
  replace ((x - y) * (x + y) * ((x - y) * (x + y)))
    with ((x - y) * (x - y) * ((x + y) * (x + y))) by ring.
  replace (2 * ((x - y) * (x - y))) with ((x - y) * (x - y) * 2) by ring.
  apply Rmult_le_compat_l; auto.
Qed.

(* A larger Gamma is easier. *)
Lemma calibrated_mono phi domain A (G G' : R -> R) :
  (forall t, 0 <= t -> G t <= G' t) -> calibrated phi domain A G -> calibrated phi domain A G'.
Proof.
  intros L H s u r i D Du M I. eapply Rle_trans; [apply (H s u r i); auto|].
  apply L. pose proof (proj1 I u Du). lra.
Qed.

(* Two actions of mass (1 + b)/2 and (1 - b)/2, both at score zero, the rest far below. *)
Definition pair_dist (m r : nat) (b : R) : nat -> R :=
  fun a => if Nat.eqb a m then (1 + b) / 2 else if Nat.eqb a r then (1 - b) / 2 else 0.
Definition pair_scores (m r : nat) (l : R) : nat -> R :=
  fun a => if Nat.eqb a m then 0 else if Nat.eqb a r then 0 else - l.

Lemma sum_two A m r f :
  NoDup A -> In m A -> In r A -> m <> r ->
  sum A f = f m + f r + sum (others (others A m) r) f.
Proof.
  intros N Hm Hr NE. rewrite (sum_others A m f N Hm), (sum_others (others A m) r f); [ring|..].
  - apply others_nodup. auto.
  - apply others_in. auto.
Qed.

Lemma others_two A m r a :
  In a (others (others A m) r) <-> In a A /\ a <> m /\ a <> r.
Proof. rewrite !others_in. tauto. Qed.

Lemma others_two_length A m r :
  NoDup A -> In m A -> In r A -> m <> r ->
  INR (length (others (others A m) r)) = INR (length A) - 2.
Proof.
  intros N Hm Hr NE. rewrite !others_length_INR; auto; [ring|apply others_nodup; auto|].
  apply others_in. auto.
Qed.

Section Pair.
Variables (A : list nat) (m r : nat) (b l : R).
Hypotheses (N : NoDup A) (Hm : In m A) (Hr : In r A) (NE : m <> r) (B : 0 <= b <= 1) (L : 0 <= l).

Lemma pair_m : pair_dist m r b m = (1 + b) / 2.
Proof. unfold pair_dist. rewrite Nat.eqb_refl. auto. Qed.
Lemma pair_r : pair_dist m r b r = (1 - b) / 2.
Proof.
  unfold pair_dist. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec r m); congruence.
Qed.
Lemma pair_else a : a <> m -> a <> r -> pair_dist m r b a = 0.
Proof.
  intros H1 H2. unfold pair_dist. destruct (Nat.eqb_spec a m), (Nat.eqb_spec a r); congruence.
Qed.
Lemma scores_m : pair_scores m r l m = 0.
Proof. unfold pair_scores. rewrite Nat.eqb_refl. auto. Qed.
Lemma scores_r : pair_scores m r l r = 0.
Proof. unfold pair_scores. rewrite Nat.eqb_refl. destruct (Nat.eqb r m); auto. Qed.
Lemma scores_else a : a <> m -> a <> r -> pair_scores m r l a = - l.
Proof.
  intros H1 H2. unfold pair_scores. destruct (Nat.eqb_spec a m), (Nat.eqb_spec a r); congruence.
Qed.

Lemma pair_is_dist : is_dist A (pair_dist m r b).
Proof.
  split.
  - intros a _. unfold pair_dist. destruct (Nat.eqb a m), (Nat.eqb a r); lra.
  - rewrite (sum_two A m r) by auto. rewrite pair_m, pair_r, sum_zero; [field|].
    intros a Ha. apply others_two in Ha. apply pair_else; tauto.
Qed.

Lemma pair_largest : largest A (pair_dist m r b) - pair_dist m r b r = b.
Proof.
  rewrite (largest_at A _ m); auto.
  - rewrite pair_m, pair_r. field.
  - intros a _. rewrite pair_m. unfold pair_dist. destruct (Nat.eqb a m), (Nat.eqb a r); lra.
Qed.

Lemma pair_argmax : is_argmax A (pair_scores m r l) r.
Proof.
  split; auto. intros a _. rewrite scores_r. unfold pair_scores.
  destruct (Nat.eqb a m), (Nat.eqb a r); lra.
Qed.

Lemma pair_risk phi u :
  risk phi A (pair_dist m r b) u = (1 + b) / 2 * phi A m u + (1 - b) / 2 * phi A r u.
Proof.
  rewrite risk_eq, (sum_two A m r) by auto. rewrite pair_m, pair_r, sum_zero; [ring|].
  intros a Ha. apply others_two in Ha. rewrite pair_else by tauto. ring.
Qed.

Lemma pair_exp_risk :
  risk comp_exp A (pair_dist m r b) (pair_scores m r l) = 1 + (INR (length A) - 2) * exp (- l).
Proof.
  rewrite pair_risk. unfold comp_exp.
  assert (V : forall a c, a <> c -> In c A -> (a = m /\ c = r \/ a = r /\ c = m) ->
    sum (others A a) (fun x => exp (pair_scores m r l x - pair_scores m r l a))
    = 1 + (INR (length A) - 2) * exp (- l)).
  { intros a c Nac Hc E. assert (Ha : In a A) by (destruct E as [[-> _]|[-> _]]; auto).
    rewrite (sum_others (others A a) c) by (try apply others_nodup; try apply others_in; auto).
    rewrite (sum_ext (others (others A a) c) _ (fun _ => exp (- l))).
    - rewrite sum_const, others_two_length by auto.
      replace (pair_scores m r l c - pair_scores m r l a) with 0
        by (destruct E as [[-> ->]|[-> ->]]; rewrite scores_m, scores_r; ring).
      rewrite exp_0. ring.
    - intros x Hx. apply others_two in Hx. f_equal.
      replace (pair_scores m r l a) with 0
        by (destruct E as [[-> ->]|[-> ->]]; rewrite ?scores_m, ?scores_r; ring).
      rewrite scores_else; [ring|..]; destruct E as [[-> ->]|[-> ->]]; tauto. }
  rewrite (V m r), (V r m) by auto. field.
Qed.

Lemma pair_exp_least u : sqrt (1 - b * b) <= risk comp_exp A (pair_dist m r b) u.
Proof.
  assert (D := pair_is_dist).
  assert (G : sum A (fun a => sum (others A a) (fun _ => 0)) + 2 * sqrt (1 - b * b)
              <= 2 * risk comp_exp A (pair_dist m r b) u).
  { rewrite risk_comp_exp by auto.
    assert (Q : 0 + sqrt (1 - b * b) <= exp_pair (pair_dist m r b) u m r).
    { pose proof (exp_pair_least (pair_dist m r b) u m r (proj1 D m Hm) (proj1 D r Hr)) as E.
      rewrite pair_m, pair_r in E.
      replace (2 * (sqrt ((1 + b) / 2) * sqrt ((1 - b) / 2))) with (sqrt (1 - b * b)) in E; [lra|].
      rewrite <- sqrt_mult by lra. replace 2 with (sqrt 4) at 1
        by (replace 4 with (2 * 2) by ring; apply sqrt_square; lra).
      rewrite <- sqrt_mult by nra. f_equal. field. }
    apply (pairs_gap A (exp_pair (pair_dist m r b) u) (fun _ _ => 0) m r (sqrt (1 - b * b))); auto.
    - intros a c Ha Hc _. unfold exp_pair.
      pose proof (exp_pos (u c - u a)). pose proof (exp_pos (u a - u c)).
      pose proof (proj1 D a Ha). pose proof (proj1 D c Hc).
      assert (0 <= pair_dist m r b a * exp (u c - u a)) by (apply Rmult_le_pos; lra).
      assert (0 <= pair_dist m r b c * exp (u a - u c)) by (apply Rmult_le_pos; lra). lra.
    - replace (exp_pair (pair_dist m r b) u r m) with (exp_pair (pair_dist m r b) u m r)
        by (unfold exp_pair; ring). auto. }
  rewrite sum_zero in G by (intros; apply sum_zero; auto). lra.
Qed.
End Pair.

(* Some far enough distance makes the rest negligible. *)
Lemma far_enough k eta : 0 <= k -> 0 < eta -> exists l, 0 <= l /\ k * exp (- l) < eta.
Proof.
  intros K E. exists (ln (1 + k / eta)).
  assert (0 <= k / eta).
  { apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. auto. }
  split.
  - rewrite <- ln_1. destruct (Req_dec (k / eta) 0) as [->|NZ]; [rewrite Rplus_0_r; lra|].
    left. apply ln_increasing; lra.
  - rewrite exp_Ropp, exp_ln by lra. apply Rmult_lt_reg_r with (1 + k / eta); [lra|].
    rewrite Rmult_assoc, Rinv_l by lra.
    replace (eta * (1 + k / eta)) with (eta + k) by (field; lra). lra.
Qed.

(* claim: gamma-comp-exp *)
Theorem comp_exp_gamma_is_sharp_for_every_K :
  forall A c, NoDup A -> (2 <= length A)%nat -> c < 2 ->
  ~ calibrated comp_exp all_scores A (fun t => sqrt (c * t)).
Proof.
  assert (Main : forall A c, NoDup A -> (2 <= length A)%nat -> 1 <= c < 2 ->
    ~ calibrated comp_exp all_scores A (fun t => sqrt (c * t))).
  { intros A c N L C H. destruct (two_elements A N L) as (r & m & Hr & Hm & NE).
    pose proof (INR_length_2 A L) as K2.
    set (q := c / 2). set (b := sqrt (1 - q * q)).
    assert (Q : 1 / 2 <= q < 1) by (unfold q; lra).
    assert (B2 : b * b = 1 - q * q) by (apply sqrt_sqrt; nra).
    assert (B0 : 0 < b) by (apply sqrt_lt_R0; nra).
    assert (B1 : b <= 1) by nra.
    assert (Eta : 0 < (1 - q) * (1 - q) / 2) by nra.
    destruct (far_enough (INR (length A) - 2) ((1 - q) * (1 - q) / 2) ltac:(lra) Eta)
      as (l & L0 & Far).
    destruct (risk_inf_exists comp_exp A (pair_dist m r b) all_scores) as [i I].
    { apply pair_is_dist; auto; lra. }
    { exists (fun _ => 0). exact Logic.I. }
    { intros a u _ _. unfold comp_exp. apply sum_nonneg. intros. left. apply exp_pos. }
    specialize (H _ (pair_scores m r l) r i (pair_is_dist A m r b N Hm Hr ltac:(auto) ltac:(lra))
                  Logic.I (pair_argmax A m r l Hr L0) I). cbv beta in H.
    rewrite pair_largest, pair_exp_risk in H by (auto; lra).
    assert (Low : q <= i).
    { apply (proj2 I). intros u _.
      replace q with (sqrt (1 - b * b)).
      - apply pair_exp_least; auto; lra.
      - rewrite B2. replace (1 - (1 - q * q)) with (q * q) by ring. apply sqrt_square. lra. }
    apply Rle_not_lt in H. apply H. apply sqrt_below; auto. rewrite B2.
    assert (c = 2 * q) by (unfold q; field). nra. }
  intros A c N L C H.
  apply (Main A (Rmax 1 c) N L).
  - split; [apply Rmax_l|]. apply Rmax_lub_lt; lra.
  - apply (calibrated_mono _ _ _ (fun t => sqrt (c * t))); auto. intros t T.
    apply sqrt_le_1_alt. apply Rmult_le_compat_r; auto. apply Rmax_r.
Qed.

(* The sum of exponentials is the same function. *)
Lemma sum_exp_is_comp_exp A s u : risk sum_exp A s u = risk comp_exp A s u.
Proof.
  rewrite !risk_eq. apply sum_ext. intros a _. f_equal. unfold sum_exp, comp_exp.
  apply sum_ext. intros b _. f_equal. ring.
Qed.

Lemma calibrated_same_risk phi psi domain A G :
  (forall s u, risk phi A s u = risk psi A s u) ->
  calibrated phi domain A G -> calibrated psi domain A G.
Proof.
  intros E H s u r i D Du M [L Gr]. rewrite <- E. apply (H s u r i); auto. split.
  - intros v Dv. rewrite E. auto.
  - intros i' Hi. apply Gr. intros v Dv. rewrite <- E. auto.
Qed.

(* claim: gamma-sum-exp *)
Theorem sum_exp_has_gamma_sqrt_2t :
  forall A, NoDup A -> calibrated sum_exp all_scores A (fun t => sqrt (2 * t)).
Proof.
  intros A N. apply (calibrated_same_risk comp_exp); [|apply comp_exp_has_gamma_sqrt_2t; auto].
  intros. symmetry. apply sum_exp_is_comp_exp.
Qed.

(* claim: gamma-sum-exp *)
Theorem sum_exp_gamma_is_sharp_for_every_K :
  forall A c, NoDup A -> (2 <= length A)%nat -> c < 2 ->
  ~ calibrated sum_exp all_scores A (fun t => sqrt (c * t)).
Proof.
  intros A c N L C H. apply (comp_exp_gamma_is_sharp_for_every_K A c N L C).
  apply (calibrated_same_risk sum_exp); auto. intros. apply sum_exp_is_comp_exp.
Qed.
