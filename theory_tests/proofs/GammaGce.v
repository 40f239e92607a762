(* Calibration of the generalised cross-entropy (App. E) for every K and every alpha in (0, 1].

   gamma-comp-gce: Gamma(t) = sqrt(2 K^alpha t), hence sqrt(2 N^alpha t) for K <= N. That the factor
   K^alpha is more than needed is not proved here. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration GammaHinge GammaExp GammaSoftmax.
Import ListNotations.
Open Scope R_scope.

(* y^alpha lies below its tangent at one. *)
Lemma power_below_tangent alpha y : 0 <= alpha <= 1 -> 0 < y -> Rpower y alpha <= 1 + alpha * (y - 1).
Proof.
  intros A Y. unfold Rpower. set (l := ln y).
  assert (E1 : exp (alpha * l) * (1 + (1 - alpha) * l) <= exp l).
  { replace (exp l) with (exp (alpha * l) * exp ((1 - alpha) * l))
      by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [left; apply exp_pos|apply exp_ineq1_le]. }
  assert (E2 : exp (alpha * l) * (1 - alpha * l) <= 1).
  { replace 1 with (exp (alpha * l) * exp (- (alpha * l))) at 2
      by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    apply Rmult_le_compat_l; [left; apply exp_pos|].
    pose proof (exp_ineq1_le (- (alpha * l))). lra. }
  assert (Ey : exp l = y) by (apply exp_ln; auto). rewrite Ey in E1.
  apply Rmult_le_compat_l with (r := alpha) in E1; [|lra].
  apply Rmult_le_compat_l with (r := 1 - alpha) in E2; [|lra].
  nra.
Qed.

Lemma power_pos x alpha : 0 < Rpower x alpha.
Proof. apply exp_pos. Qed.

Lemma power_midpoint alpha a b :
  0 <= alpha <= 1 -> 0 < a -> 0 < b ->
  (Rpower a alpha + Rpower b alpha) / 2 <= Rpower ((a + b) / 2) alpha.
Proof.
  intros H Pa Pb. set (z := (a + b) / 2). assert (Z : 0 < z) by (unfold z; lra).
  assert (T : forall y, 0 < y -> Rpower y alpha <= Rpower z alpha * (1 + alpha * (y / z - 1))).
  { intros y Y. replace y with (z * (y / z)) at 1 by (field; lra).
    assert (0 < y / z) by (apply Rdiv_lt_0_compat; auto).
    rewrite <- Rpower_mult_distr by auto.
    apply Rmult_le_compat_l; [left; apply power_pos|]. apply power_below_tangent; auto. }
  pose proof (T a Pa) as Ta. pose proof (T b Pb) as Tb.
  assert (E : a / z + b / z = 2) by (unfold z; field; lra).
  replace (a / z) with (2 - b / z) in Ta by lra. lra.
Qed.

Lemma power_mono alpha a b : 0 <= alpha -> 0 < a -> a <= b -> Rpower a alpha <= Rpower b alpha.
Proof. intros. apply Rle_Rpower_l; auto. Qed.

Lemma softmax_mono A u a b : In a A -> u a <= u b -> softmax A u a <= softmax A u b.
Proof.
  intros H L. unfold softmax, Rdiv. apply Rmult_le_compat_r.
  - left. apply Rinv_0_lt_compat. apply (partition_pos A u a H).
  - destruct L as [L|E]; [left; apply exp_increasing; auto|rewrite E; lra].
Qed.

(* claim: gamma-comp-gce *)
Theorem comp_gce_has_gamma_sqrt_2_K_alpha_t :
  forall alpha A, 0 < alpha <= 1 -> NoDup A ->
  calibrated (comp_gce alpha) all_scores A
    (fun t => sqrt (2 * Rpower (INR (length A)) alpha * t)).
Proof.
  intros alpha A Al N s u r i D _ M I. pose proof D as [P S].
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm). pose proof (softmax_argmax A u r M) as Top.
  destruct M as [Hr Mr]. destruct Hm as [Hm Mm].
  pose proof (Mm r Hr) as Lr.
  destruct (Req_dec (s m) (s r)) as [E0|NZ].
  { rewrite E0. replace (s r - s r) with 0 by ring. apply sqrt_pos. }
  assert (NE : m <> r) by congruence.
  apply below_sqrt; [lra|].
  set (sg := s m + s r). assert (SG : 0 < sg <= 1).
  { unfold sg. split; [pose proof (P r Hr); lra|]. apply (dist_pair A s m r); auto. }
  set (d := (s m - s r) / sg).
  assert (Dpos : 0 <= d) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  assert (D1 : d <= 1).
  { unfold d. apply Rmult_le_reg_r with sg; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    pose proof (P r Hr). unfold sg. lra. }
  set (z := (exp (u m) + exp (u r)) / 2).
  pose proof (exp_pos (u m)) as Pm. pose proof (exp_pos (u r)) as Pr.
  assert (Z : 0 < z) by (unfold z; lra).
  set (w := ln z). assert (Ew : exp w = z) by (apply exp_ln; auto).
  set (c := ln (cosh d)). pose proof (cosh_ge_1 d) as C1.
  assert (Ec : exp c = cosh d) by (apply exp_ln; lra).
  pose proof (ln_cosh_le d Dpos) as Cle. fold c in Cle.
  set (v := fun a => if Nat.eqb a m then w + d - c else if Nat.eqb a r then w - d - c else u a).
  assert (Vm : v m = w + d - c) by (unfold v; rewrite Nat.eqb_refl; auto).
  assert (Vr : v r = w - d - c).
  { unfold v. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec r m); congruence. }
  assert (Ve : forall a, a <> m -> a <> r -> v a = u a).
  { intros a H1 H2. unfold v. destruct (Nat.eqb_spec a m), (Nat.eqb_spec a r); congruence. }
  assert (Part : sum A (fun b => exp (v b)) = sum A (fun b => exp (u b))).
  { rewrite (sum_two A m r (fun b => exp (v b))) by auto.
    rewrite (sum_two A m r (fun b => exp (u b))) by auto.
    rewrite (sum_ext (others (others A m) r) (fun b => exp (v b)) (fun b => exp (u b))).
    - f_equal. rewrite Vm, Vr.
      replace (w + d - c) with (w + (d + - c)) by ring.
      replace (w - d - c) with (w + (- d + - c)) by ring.
      rewrite !exp_plus, exp_Ropp, Ec, Ew.
      assert (exp d + exp (- d) = 2 * cosh d) by (unfold cosh; field).
      replace (z * (exp d * / cosh d) + z * (exp (- d) * / cosh d))
        with (z * (exp d + exp (- d)) * / cosh d) by ring.
      replace (exp d + exp (- d)) with (2 * cosh d). unfold z. field. lra.
    - intros a Ha. apply others_two in Ha. rewrite Ve; tauto. }
  pose proof (partition_pos A u m Hm) as Zp. unfold partition in Zp.
  set (Zu := sum A (fun b => exp (u b))) in *.
  set (pi := (softmax A u m + softmax A u r) / 2).
  assert (Pi : pi = z / Zu) by (unfold pi, softmax, z; fold Zu; field; lra).
  pose proof (softmax_pos A u m Hm) as Qm. pose proof (softmax_pos A u r Hr) as Qr.
  assert (Pi0 : 0 < pi) by (unfold pi; lra).
  (* The new probabilities of m and r, from below. *)
  assert (Pow : forall y, Rpower (exp (w + y) / Zu) alpha >= Rpower pi alpha * (1 + alpha * y)).
  { intros y. rewrite exp_plus, Ew. replace (z * exp y / Zu) with (pi * exp y)
      by (rewrite Pi; field; lra).
    rewrite <- Rpower_mult_distr by (auto; apply exp_pos).
    apply Rle_ge. apply Rmult_le_compat_l; [left; apply power_pos|].
    unfold Rpower. rewrite ln_exp. apply exp_ineq1_le. }
  assert (Nm : Rpower (softmax A v m) alpha >= Rpower pi alpha * (1 + alpha * (d - c))).
  { unfold softmax. rewrite Part, Vm. replace (w + d - c) with (w + (d - c)) by ring. apply Pow. }
  assert (Nr : Rpower (softmax A v r) alpha >= Rpower pi alpha * (1 + alpha * (- d - c))).
  { unfold softmax. rewrite Part, Vr. replace (w - d - c) with (w + (- d - c)) by ring. apply Pow. }
  assert (Mid := power_midpoint alpha _ _ ltac:(lra) Qm Qr). fold pi in Mid.
  assert (Mono := power_mono alpha _ _ ltac:(lra) Qm (softmax_mono A u m r Hm (Mr m Hm))).
  assert (Diff : alpha * (risk (comp_gce alpha) A s u - risk (comp_gce alpha) A s v)
    = s m * (Rpower (softmax A v m) alpha - Rpower (softmax A u m) alpha)
      + s r * (Rpower (softmax A v r) alpha - Rpower (softmax A u r) alpha)).
  { rewrite !risk_eq. unfold comp_gce.
    rewrite (sum_two A m r (fun a => s a * ((1 - Rpower (softmax A u a) alpha) / alpha))) by auto.
    rewrite (sum_two A m r (fun a => s a * ((1 - Rpower (softmax A v a) alpha) / alpha))) by auto.
    rewrite (sum_ext (others (others A m) r)
      (fun a => s a * ((1 - Rpower (softmax A v a) alpha) / alpha))
      (fun a => s a * ((1 - Rpower (softmax A u a) alpha) / alpha))).
    - field. lra.
    - intros a Ha. apply others_two in Ha. unfold softmax. fold Zu. rewrite Part, Ve by tauto. auto. }
  set (a := Rpower (softmax A u m) alpha) in *. set (b := Rpower (softmax A u r) alpha) in *.
  assert (A0 : 0 < a) by apply power_pos. assert (B0 : 0 < b) by apply power_pos.
  assert (SB : s m - s r = sg * d) by (unfold d; field; lra).
  assert (Sm : s m = sg * (1 + d) / 2) by (unfold sg in *; lra).
  assert (Sr : s r = sg * (1 - d) / 2) by (unfold sg in *; lra).
  set (g := risk (comp_gce alpha) A s u - risk (comp_gce alpha) A s v) in *.
  assert (P0 := power_pos pi alpha). set (q := Rpower pi alpha) in *.
  assert (L1 : q * (sg + alpha * (sg * (d * d) / 2)) <= s m * Rpower (softmax A v m) alpha
                + s r * Rpower (softmax A v r) alpha).
  { assert (s m * (q * (1 + alpha * (d - c))) <= s m * Rpower (softmax A v m) alpha)
      by (apply Rmult_le_compat_l; [apply P; auto|lra]).
    assert (s r * (q * (1 + alpha * (- d - c))) <= s r * Rpower (softmax A v r) alpha)
      by (apply Rmult_le_compat_l; [apply P; auto|lra]).
    assert (q * (sg + alpha * (sg * (d * d) / 2))
            <= s m * (q * (1 + alpha * (d - c))) + s r * (q * (1 + alpha * (- d - c)))).
    { rewrite Sm, Sr.
      replace (sg * (1 + d) / 2 * (q * (1 + alpha * (d - c)))
               + sg * (1 - d) / 2 * (q * (1 + alpha * (- d - c))))
        with (q * (sg + alpha * (sg * (d * d - c)))) by field.
      apply Rmult_le_compat_l; [lra|]. apply Rplus_le_compat_l.
      apply Rmult_le_compat_l; [lra|].
      replace (sg * (d * d) / 2) with (sg * (d * d / 2)) by field.
      apply Rmult_le_compat_l; lra. }
    lra. }
  assert (DD : 0 <= d * d) by nra.
  assert (L2 : (a + b) / 2 * (sg + alpha * (sg * (d * d) / 2))
               <= q * (sg + alpha * (sg * (d * d) / 2))).
  { apply Rmult_le_compat_r; auto. assert (0 <= alpha * (sg * (d * d) / 2)); [|lra].
    apply Rmult_le_pos; [lra|]. assert (0 <= sg * (d * d)) by (apply Rmult_le_pos; lra). lra. }
  assert (Gain : b * (sg * (d * d) / 2) <= g).
  { apply Rmult_le_reg_l with alpha; [lra|]. rewrite Diff.
    assert (R0 : 0 <= (b - a) * (sg * d / 2) * (1 - alpha * d / 2)).
    { assert (0 <= sg * d) by (apply Rmult_le_pos; lra).
      apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. nra. }
    assert (E : (a + b) / 2 * (sg + alpha * (sg * (d * d) / 2)) - s m * a - s r * b
                - alpha * (b * (sg * (d * d) / 2))
                = (b - a) * (sg * d / 2) * (1 - alpha * d / 2)) by (rewrite Sm, Sr; field).
    lra. }
  pose proof (proj1 I v Logic.I) as Iv.
  assert (K : 0 < INR (length A)) by (apply lt_0_INR; destruct A; [destruct Hm|simpl; lia]).
  assert (Kb : 1 <= Rpower (INR (length A)) alpha * b).
  { unfold b. rewrite Rpower_mult_distr by auto.
    replace 1 with (Rpower 1 alpha) by (unfold Rpower; rewrite ln_1, Rmult_0_r; apply exp_0).
    apply power_mono; try lra.
    apply Rmult_le_compat_l with (r := INR (length A)) in Top; [|lra].
    rewrite Rinv_r in Top by lra. auto. }
  set (k := Rpower (INR (length A)) alpha) in *. assert (K0 : 0 < k) by apply power_pos.
  rewrite SB. apply Rle_trans with (2 * k * (b * (sg * (d * d) / 2))).
  - replace (2 * k * (b * (sg * (d * d) / 2))) with (k * b * (sg * (d * d))) by field.
    apply Rle_trans with (1 * (sg * (d * d))).
    + replace (sg * d * (sg * d)) with (sg * (sg * (d * d))) by ring.
      assert (0 <= sg * (d * d)) by (apply Rmult_le_pos; lra).
      apply Rmult_le_compat_r; lra.
    + apply Rmult_le_compat_r; auto. apply Rmult_le_pos; lra.
  - apply Rmult_le_compat_l; [lra|]. unfold g in *. lra.
Qed.
