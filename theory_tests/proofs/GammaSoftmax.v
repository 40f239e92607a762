(* Calibration of the losses of the soft-max (App. E): the mean absolute error and the logistic
   loss, for every K >= 2, and that their constants cannot be improved.

   gamma-comp-mae: Gamma(t) = K t (so N t for K <= N), and no Gamma(t) = c t with c < K.
   gamma-comp-log: Gamma(t) = sqrt(2 t), and no Gamma(t) = sqrt(c t) with c < 2. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration GammaHinge GammaExp.
Import ListNotations.
Open Scope R_scope.

Definition partition (A : list nat) (u : nat -> R) : R := sum A (fun b => exp (u b)).

Lemma partition_pos A u a : In a A -> 0 < partition A u.
Proof.
  intros H. apply sum_pos; [intros; left; apply exp_pos|]. exists a. split; auto. apply exp_pos.
Qed.

Lemma softmax_pos A u a : In a A -> 0 < softmax A u a.
Proof. intros H. apply Rdiv_lt_0_compat; [apply exp_pos|]. apply (partition_pos A u a H). Qed.

Lemma softmax_sum A u a : In a A -> sum A (softmax A u) = 1.
Proof.
  intros H. unfold softmax. rewrite sum_div. pose proof (partition_pos A u a H) as P.
  unfold partition in P. field. lra.
Qed.

Lemma softmax_le_1 A u a : In a A -> softmax A u a <= 1.
Proof.
  intros H. rewrite <- (softmax_sum A u a H).
  apply (sum_term_le A (softmax A u)); auto. intros b Hb. left. apply softmax_pos. auto.
Qed.

Lemma softmax_argmax A u r : is_argmax A u r -> / INR (length A) <= softmax A u r.
Proof.
  intros [H M]. unfold softmax.
  assert (L : sum A (fun b => exp (u b)) <= INR (length A) * exp (u r)).
  { apply sum_le_const. intros b Hb. destruct (M b Hb) as [Lt|E].
    - left. apply exp_increasing. auto.
    - rewrite E. lra. }
  pose proof (partition_pos A u r H) as P. unfold partition in P. pose proof (exp_pos (u r)).
  assert (0 < INR (length A)) by (apply lt_0_INR; destruct A; [destruct H|simpl; lia]).
  apply Rmult_le_reg_r with (INR (length A) * sum A (fun b => exp (u b))); [nra|].
  replace (/ INR (length A) * (INR (length A) * sum A (fun b => exp (u b))))
    with (sum A (fun b => exp (u b))) by (field; lra).
  replace (exp (u r) / sum A (fun b => exp (u b)) * (INR (length A) * sum A (fun b => exp (u b))))
    with (INR (length A) * exp (u r)) by (field; lra).
  auto.
Qed.

(* Mean absolute error. *)
Lemma risk_mae A s u :
  risk comp_mae A s u = sum A s - sum A (fun a => s a * softmax A u a).
Proof.
  rewrite risk_eq, <- sum_minus. apply sum_ext. intros a _. unfold comp_mae. ring.
Qed.

Lemma mae_infimum A s m :
  NoDup A -> is_dist A s -> is_argmax A s m ->
  is_inf_over all_scores (risk comp_mae A s) (1 - s m).
Proof.
  intros N [P S] [Hm Mm]. apply is_inf_by_sequence.
  - intros u _. rewrite risk_mae, S.
    assert (sum A (fun a => softmax A u a * s a) <= s m).
    { apply sum_weights_le; auto.
      - intros a Ha. left. apply softmax_pos. auto.
      - apply (softmax_sum A u m Hm). }
    rewrite (sum_ext A (fun a => s a * softmax A u a) (fun a => softmax A u a * s a))
      by (intros; ring). lra.
  - intros eps He. set (k := INR (length A)).
    assert (K : 0 < k) by (apply lt_0_INR; destruct A; [destruct Hm|simpl; lia]).
    set (u := fun a => if Nat.eqb a m then ln (k / eps) else 0).
    exists u. split; [exact I|]. rewrite risk_mae, S.
    assert (Sm : 0 <= s m <= 1) by (split; auto; rewrite <- S; apply sum_term_le; auto).
    assert (T : s m * softmax A u m <= sum A (fun a => s a * softmax A u a)).
    { apply (sum_term_le A (fun a => s a * softmax A u a)); auto. intros a Ha.
      apply Rmult_le_pos; auto. left. apply softmax_pos. auto. }
    assert (X : 0 < k / eps) by (apply Rdiv_lt_0_compat; lra).
    assert (E : softmax A u m = (k / eps) / (k / eps + (k - 1))).
    { unfold softmax. rewrite (sum_others A m (fun b => exp (u b)) N Hm).
      unfold u at 1 2. rewrite Nat.eqb_refl, exp_ln by auto.
      rewrite (sum_ext (others A m) _ (fun _ => 1)).
      - rewrite sum_const, others_length_INR by auto. fold k. rewrite Rmult_1_r. auto.
      - intros b Hb. apply others_in in Hb. unfold u.
        destruct (Nat.eqb_spec b m); [tauto|apply exp_0]. }
    assert (K1 : 1 <= k).
    { unfold k. destruct A; [destruct Hm|]. cbn [length]. rewrite S_INR.
      pose proof (pos_INR (length A)). lra. }
    assert (1 - eps <= softmax A u m).
    { rewrite E. assert (XE : k / eps * eps = k) by (field; lra).
      set (x := k / eps) in *. clearbody x. apply Rmult_le_reg_r with (x + (k - 1)); [lra|].
      replace (x / (x + (k - 1)) * (x + (k - 1))) with x by (field; lra). nra. }
    nra.
Qed.

(* claim: gamma-comp-mae *)
Theorem comp_mae_has_gamma_K_t :
  forall A, NoDup A -> calibrated comp_mae all_scores A (fun t => INR (length A) * t).
Proof.
  intros A N s u r i D _ M I. pose proof D as [P S].
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm).
  rewrite (inf_unique _ _ _ _ I (mae_infimum A s m N D Hm)).
  rewrite risk_mae, S. pose proof (softmax_argmax A u r M) as Q.
  destruct M as [Hr Mr]. destruct Hm as [Hm Mm].
  assert (K : 0 < INR (length A)) by (apply lt_0_INR; destruct A; [destruct Hm|simpl; lia]).
  assert (T : (s m - s r) * softmax A u r <= sum A (fun a => (s m - s a) * softmax A u a)).
  { apply (sum_term_le A (fun a => (s m - s a) * softmax A u a)); auto. intros a Ha.
    specialize (Mm a Ha). apply Rmult_le_pos; [lra|]. left. apply softmax_pos. auto. }
  rewrite (sum_ext A (fun a => (s m - s a) * softmax A u a)
             (fun a => s m * softmax A u a - s a * softmax A u a)) in T by (intros; ring).
  rewrite sum_minus, sum_scal in T. rewrite (softmax_sum A u m Hm) in T.
  specialize (Mm r Hr).
  assert ((s m - s r) * / INR (length A) <= s m - sum A (fun a => s a * softmax A u a)) by nra.
  replace (s m - s r) with (INR (length A) * ((s m - s r) * / INR (length A))) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

(* claim: gamma-comp-mae *)
Theorem comp_mae_gamma_is_sharp_for_every_K :
  forall A c, NoDup A -> (2 <= length A)%nat -> c < INR (length A) ->
  ~ calibrated comp_mae all_scores A (fun t => c * t).
Proof.
  intros A c N L C H. destruct (two_elements A N L) as (r & m & Hr & Hm & NE).
  pose proof (INR_length_2 A L) as K2. set (k := INR (length A)) in *.
  pose proof (all_but_dist A r N Hr L) as D.
  pose proof (all_but_argmax A r m L Hm ltac:(auto)) as M.
  specialize (H (all_but A r) (fun _ => 0) r _ D Logic.I (argmax_of_constant A 0 r Hr)
                (mae_infimum A _ m N D M)).
  cbv beta in H. rewrite (largest_is A _ m M) in H.
  replace (all_but A r m) with (/ (k - 1)) in H
    by (unfold all_but; destruct (Nat.eqb_spec m r); [congruence|auto]).
  replace (all_but A r r) with 0 in H by (unfold all_but; rewrite Nat.eqb_refl; auto).
  rewrite risk_mae, (proj2 D) in H.
  rewrite (sum_ext A (fun a => all_but A r a * softmax A (fun _ => 0) a)
             (fun a => / k * all_but A r a)) in H.
  - rewrite sum_scal, (proj2 D) in H.
    replace (c * (1 - / k * 1 - (1 - / (k - 1)))) with (c * / k * / (k - 1)) in H by (field; lra).
    assert (Q : 0 < / (k - 1)) by (apply Rinv_0_lt_compat; lra).
    assert (c * / k < 1).
    { apply Rmult_lt_reg_r with k; [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    nra.
  - intros a _. unfold softmax. rewrite exp_0, sum_const. fold k. field. lra.
Qed.

(* A function with a nonnegative slope grows. *)
Lemma grows (f f' : R -> R) x :
  (forall c, 0 <= c -> derivable_pt_lim f c (f' c)) -> (forall c, 0 <= c -> 0 <= f' c) ->
  0 <= x -> f 0 <= f x.
Proof.
  intros D P X. destruct X as [X|<-]; [|lra].
  destruct (MVT_cor2 f f' 0 x X) as (c & E & C); [intros; apply D; lra|].
  specialize (P c ltac:(lra)). nra.
Qed.

Lemma cosh_ge_1 x : 1 <= cosh x.
Proof.
  unfold cosh. pose proof (exp_pos x). pose proof (exp_pos (- x)).
  assert (E : exp x * exp (- x) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  pose proof (Rle_0_sqr (exp x - exp (- x))) as Q. unfold Rsqr in Q.
  assert (4 <= (exp x + exp (- x)) * (exp x + exp (- x))) by nra. nra.
Qed.

Lemma sinh_ge x : 0 <= x -> x <= sinh x.
Proof.
  intros X. assert (sinh 0 - 0 <= sinh x - x); [|rewrite sinh_0 in *; lra].
  apply (grows (fun y => sinh y - y) (fun y => cosh y - 1)); auto.
  - intros c _. apply derivable_pt_lim_minus; [apply derivable_pt_lim_sinh|apply derivable_pt_lim_id].
  - intros c _. pose proof (cosh_ge_1 c). lra.
Qed.

(* ln cosh x lies between x tanh x / 2 and x^2 / 2. *)
Lemma ln_cosh_deriv c : derivable_pt_lim (fun y => ln (cosh y)) c (sinh c / cosh c).
Proof.
  pose proof (cosh_ge_1 c). unfold Rdiv. rewrite Rmult_comm.
  apply (derivable_pt_lim_comp cosh ln).
  - apply derivable_pt_lim_cosh.
  - apply derivable_pt_lim_ln. lra.
Qed.

Lemma tanh_le x : 0 <= x -> sinh x <= x * cosh x.
Proof.
  intros X. assert (0 * cosh 0 - sinh 0 <= x * cosh x - sinh x); [|rewrite sinh_0 in *; lra].
  apply (grows (fun y => y * cosh y - sinh y) (fun y => y * sinh y)); auto.
  - intros c _. replace (c * sinh c) with ((1 * cosh c + c * sinh c) - cosh c) by ring.
    apply derivable_pt_lim_minus; [|apply derivable_pt_lim_sinh].
    apply (derivable_pt_lim_mult id cosh); [apply derivable_pt_lim_id|apply derivable_pt_lim_cosh].
  - intros c C. pose proof (sinh_ge c C). nra.
Qed.

Lemma ln_cosh_le x : 0 <= x -> ln (cosh x) <= x * x / 2.
Proof.
  intros X.
  assert (H : 0 * 0 / 2 - ln (cosh 0) <= x * x / 2 - ln (cosh x)).
  { apply (grows (fun y => y * y / 2 - ln (cosh y)) (fun y => y - sinh y / cosh y)); auto.
    - intros c _. apply (derivable_pt_lim_minus (fun y => y * y / 2) (fun y => ln (cosh y)));
        [|apply ln_cosh_deriv].
      replace c with (/ 2 * (1 * c + c * 1)) at 2 by field.
      apply (derivable_pt_lim_ext (fun y => / 2 * (y * y))); [intros; field|].
      apply (derivable_pt_lim_scal (fun y => y * y)).
      apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
    - intros c C. pose proof (tanh_le c C). pose proof (cosh_ge_1 c).
      assert (sinh c / cosh c <= c); [|lra]. apply Rmult_le_reg_r with (cosh c); [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  rewrite cosh_0, ln_1 in H. lra.
Qed.

Lemma ln_cosh_ge x : 0 <= x -> x * (sinh x / cosh x) / 2 <= ln (cosh x).
Proof.
  intros X.
  assert (H : 2 * ln (cosh 0) - 0 * (sinh 0 / cosh 0) <= 2 * ln (cosh x) - x * (sinh x / cosh x)).
  { apply (grows (fun y => 2 * ln (cosh y) - y * (sinh y / cosh y))
      (fun y => 2 * (sinh y / cosh y)
         - (1 * (sinh y / cosh y) + y * ((cosh y * cosh y - sinh y * sinh y) / Rsqr (cosh y))))); auto.
    - intros c _. apply (derivable_pt_lim_minus (fun y => 2 * ln (cosh y))).
      + apply (derivable_pt_lim_scal (fun y => ln (cosh y))). apply ln_cosh_deriv.
      + apply (derivable_pt_lim_mult id (fun y => sinh y / cosh y)).
        * apply derivable_pt_lim_id.
        * apply (derivable_pt_lim_div sinh cosh).
          -- apply derivable_pt_lim_sinh.
          -- apply derivable_pt_lim_cosh.
          -- pose proof (cosh_ge_1 c). lra.
    - intros c C. pose proof (sinh_ge c C). pose proof (cosh_ge_1 c).
      assert (E : cosh c * cosh c - sinh c * sinh c = 1).
      { unfold cosh, sinh.
        assert (exp c * exp (- c) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0). lra. }
      rewrite E. unfold Rsqr.
      replace (2 * (sinh c / cosh c) - (1 * (sinh c / cosh c) + c * (1 / (cosh c * cosh c))))
        with ((sinh c * cosh c - c) / (cosh c * cosh c)) by (field; lra).
      apply Rmult_le_pos; [nra|]. left. apply Rinv_0_lt_compat. nra. }
  rewrite cosh_0, ln_1 in H. lra.
Qed.

(* The logistic loss: mass times log of the partition minus the mean score. *)
Lemma risk_log A s u a :
  In a A -> risk comp_log A s u = sum A s * ln (partition A u) - sum A (fun b => s b * u b).
Proof.
  intros H. rewrite risk_eq, <- sum_scal_r, <- sum_minus. apply sum_ext. intros b _.
  unfold comp_log, softmax. pose proof (partition_pos A u a H) as P. unfold partition in *.
  unfold Rdiv. rewrite ln_mult, ln_Rinv, ln_exp; auto; [ring|apply exp_pos|].
  apply Rinv_0_lt_compat. auto.
Qed.

(* claim: gamma-comp-log *)
Theorem comp_log_has_gamma_sqrt_2t :
  forall A, NoDup A -> calibrated comp_log all_scores A (fun t => sqrt (2 * t)).
Proof.
  intros A N s u r i D _ M I. pose proof D as [P S].
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm). destruct M as [Hr Mr]. destruct Hm as [Hm Mm].
  pose proof (Mm r Hr) as Lr.
  destruct (Req_dec (s m) (s r)) as [E0|NZ].
  { rewrite E0. replace (s r - s r) with 0 by ring. apply sqrt_pos. }
  assert (NE : m <> r) by congruence.
  apply below_sqrt; [lra|].
  (* First tie m and r at the level that keeps the partition, then tilt by d. *)
  set (sg := s m + s r). assert (SG : 0 < sg <= 1).
  { unfold sg. split; [pose proof (P r Hr); lra|]. apply (dist_pair A s m r); auto. }
  set (d := (s m - s r) / sg).
  assert (Dpos : 0 <= d) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
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
  assert (Part : partition A v = partition A u).
  { unfold partition. rewrite (sum_two A m r (fun b => exp (v b))) by auto.
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
  assert (Diff : risk comp_log A s u - risk comp_log A s v
                 = s m * (v m - u m) + s r * (v r - u r)).
  { rewrite !(risk_log A s _ m Hm), Part.
    rewrite (sum_two A m r (fun b => s b * v b)), (sum_two A m r (fun b => s b * u b)) by auto.
    rewrite (sum_ext (others (others A m) r) (fun b => s b * v b) (fun b => s b * u b)); [ring|].
    intros a Ha. apply others_two in Ha. rewrite Ve; tauto. }
  assert (W1 : u m <= w).
  { destruct (Mr m Hm) as [Lt|E].
    - apply exp_increasing in Lt. apply Rnot_lt_le. intros Cx. apply exp_increasing in Cx.
      rewrite Ew in Cx. unfold z in Cx. lra.
    - unfold w, z. rewrite E. replace ((exp (u r) + exp (u r)) / 2) with (exp (u r)) by field.
      rewrite ln_exp. lra. }
  assert (W2 : u m + u r <= w + w).
  { apply Rnot_lt_le. intros Cx. apply exp_increasing in Cx. rewrite !exp_plus, Ew in Cx.
    pose proof (Rle_0_sqr (exp (u m) - exp (u r))) as Q. unfold Rsqr in Q. unfold z in Cx. nra. }
  assert (Gain : (s m - s r) * (s m - s r) / (2 * sg) <= risk comp_log A s u - risk comp_log A s v).
  { rewrite Diff, Vm, Vr.
    assert (T1 : 0 <= s m * (w - u m) + s r * (w - u r)).
    { pose proof (P r Hr).
      replace (s m * (w - u m) + s r * (w - u r))
        with ((s m - s r) * (w - u m) + s r * (w + w - (u m + u r))) by ring.
      assert (0 <= (s m - s r) * (w - u m)) by (apply Rmult_le_pos; lra).
      assert (0 <= s r * (w + w - (u m + u r))) by (apply Rmult_le_pos; lra). lra. }
    replace ((s m - s r) * (s m - s r) / (2 * sg)) with ((s m - s r) * d - sg * (d * d / 2))
      by (unfold d; field; lra).
    assert (sg * c <= sg * (d * d / 2)) by (apply Rmult_le_compat_l; lra).
    unfold sg in *. lra. }
  pose proof (proj1 I v Logic.I) as Iv.
  assert ((s m - s r) * (s m - s r) / 2 <= (s m - s r) * (s m - s r) / (2 * sg)).
  { unfold Rdiv. apply Rmult_le_compat_l; [nra|]. apply Rinv_le_contravar; lra. }
  lra.
Qed.

(* Two actions tilted by d: masses e^d / (2 cosh d) and e^-d / (2 cosh d). *)
Lemma ln_le_minus_1 x : 0 < x -> ln x <= x - 1.
Proof.
  intros X. pose proof (exp_ineq1_le (ln x)) as Q. rewrite exp_ln in Q by auto. lra.
Qed.

Lemma pair_log_risk A m r b l :
  NoDup A -> In m A -> In r A -> m <> r -> 0 <= b <= 1 -> 2 <= INR (length A) ->
  risk comp_log A (pair_dist m r b) (pair_scores m r l)
  <= ln 2 + (INR (length A) - 2) * exp (- l) / 2.
Proof.
  intros N Hm Hr NE B K. rewrite (risk_log _ _ _ m Hm).
  rewrite (proj2 (pair_is_dist A m r b N Hm Hr NE B)).
  rewrite (sum_two A m r (fun a => pair_dist m r b a * pair_scores m r l a)) by auto.
  rewrite scores_m, scores_r, (sum_zero (others (others A m) r)).
  2: { intros a Ha. apply others_two in Ha. rewrite pair_else by tauto. ring. }
  unfold partition. rewrite (sum_two A m r (fun a => exp (pair_scores m r l a))) by auto.
  rewrite scores_m, scores_r, exp_0.
  rewrite (sum_ext (others (others A m) r) _ (fun _ => exp (- l))).
  2: { intros a Ha. apply others_two in Ha. rewrite scores_else; tauto. }
  rewrite sum_const, others_two_length by auto.
  pose proof (exp_pos (- l)). set (x := (INR (length A) - 2) * exp (- l) / 2).
  assert (X : 0 <= x) by (unfold x; nra).
  replace (1 + 1 + (INR (length A) - 2) * exp (- l)) with (2 * (1 + x)) by (unfold x; field).
  rewrite ln_mult by lra. pose proof (ln_le_minus_1 (1 + x) ltac:(lra)). lra.
Qed.

Lemma pair_log_least A m r d u :
  NoDup A -> In m A -> In r A -> m <> r -> 0 <= d ->
  ln 2 + ln (cosh d) - d * (sinh d / cosh d)
  <= risk comp_log A (pair_dist m r (sinh d / cosh d)) u.
Proof.
  intros N Hm Hr NE D. pose proof (cosh_ge_1 d) as C1. pose proof (sinh_ge d D) as S0.
  set (b := sinh d / cosh d).
  assert (Bb : 0 <= b <= 1).
  { unfold b. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (cosh d); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    unfold sinh, cosh. pose proof (exp_pos (- d)). lra. }
  rewrite (pair_risk A m r b) by auto. unfold comp_log.
  assert (E1 : (1 + b) / 2 = exp d / (2 * cosh d)).
  { unfold b. replace (exp d) with (cosh d + sinh d) by (unfold cosh, sinh; field). field. lra. }
  assert (E2 : (1 - b) / 2 = exp (- d) / (2 * cosh d)).
  { unfold b. replace (exp (- d)) with (cosh d - sinh d) by (unfold cosh, sinh; field). field. lra. }
  assert (L1 : ln ((1 + b) / 2) = d - (ln 2 + ln (cosh d))).
  { rewrite E1. unfold Rdiv. rewrite ln_mult, ln_Rinv, ln_mult, ln_exp; try lra; try apply exp_pos.
    apply Rinv_0_lt_compat. lra. }
  assert (L2 : ln ((1 - b) / 2) = - d - (ln 2 + ln (cosh d))).
  { rewrite E2. unfold Rdiv. rewrite ln_mult, ln_Rinv, ln_mult, ln_exp; try lra; try apply exp_pos.
    apply Rinv_0_lt_compat. lra. }
  assert (Q1 : 0 < (1 + b) / 2) by (rewrite E1; apply Rdiv_lt_0_compat; [apply exp_pos|lra]).
  assert (Q2 : 0 < (1 - b) / 2) by (rewrite E2; apply Rdiv_lt_0_compat; [apply exp_pos|lra]).
  pose proof (softmax_pos A u m Hm) as P1. pose proof (softmax_pos A u r Hr) as P2.
  assert (Sum : softmax A u m + softmax A u r <= 1).
  { rewrite <- (softmax_sum A u m Hm), (sum_two A m r) by auto.
    assert (0 <= sum (others (others A m) r) (softmax A u)); [|lra].
    apply sum_nonneg. intros a Ha. apply others_two in Ha. left. apply softmax_pos. tauto. }
  assert (G : forall q p, 0 < q -> 0 < p -> q * ln p <= q * ln q + p - q).
  { intros q p Q Pp. pose proof (ln_le_minus_1 (p / q) ltac:(apply Rdiv_lt_0_compat; auto)) as T.
    unfold Rdiv in T. rewrite ln_mult, ln_Rinv in T; auto; [|apply Rinv_0_lt_compat; auto].
    apply Rmult_le_compat_l with (r := q) in T; [|lra].
    replace (q * (p * / q - 1)) with (p - q) in T by (field; lra). lra. }
  pose proof (G _ _ Q1 P1) as G1. pose proof (G _ _ Q2 P2) as G2.
  rewrite L1 in G1. rewrite L2 in G2. lra.
Qed.

(* claim: gamma-comp-log *)
Theorem comp_log_gamma_is_sharp_for_every_K :
  forall A c, NoDup A -> (2 <= length A)%nat -> c < 2 ->
  ~ calibrated comp_log all_scores A (fun t => sqrt (c * t)).
Proof.
  assert (Main : forall A c, NoDup A -> (2 <= length A)%nat -> 1 <= c < 2 ->
    ~ calibrated comp_log all_scores A (fun t => sqrt (c * t))).
  { intros A c N L C H. destruct (two_elements A N L) as (r & m & Hr & Hm & NE).
    pose proof (INR_length_2 A L) as K2.
    set (d := ln (2 / c) / 2).
    assert (C2 : 1 < 2 / c).
    { apply Rmult_lt_reg_r with c; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (D : 0 < d).
    { unfold d. rewrite <- ln_1. apply ln_increasing in C2; [|lra]. rewrite ln_1 in *. lra. }
    assert (Ed : exp d * exp d = 2 / c).
    { rewrite <- exp_plus. replace (d + d) with (ln (2 / c)) by (unfold d; field).
      apply exp_ln. lra. }
    pose proof (cosh_ge_1 d) as C1. pose proof (sinh_ge d ltac:(lra)) as S0.
    assert (Ch : cosh d * c < 2).
    { assert (X1 : 1 < exp d) by (pose proof (exp_ineq1 d ltac:(lra)); lra).
      assert (X2 : exp (- d) <= exp d) by (left; apply exp_increasing; lra).
      assert (cosh d <= exp d) by (unfold cosh; lra).
      assert (exp d < 2 / c) by nra.
      assert (E : 2 / c * c = 2) by (field; lra). nra. }
    set (b := sinh d / cosh d).
    assert (B1 : d <= b * cosh d) by (unfold b; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
    assert (B0 : 0 < b) by (apply Rdiv_lt_0_compat; lra).
    assert (Blt : b < 1).
    { unfold b. apply Rmult_lt_reg_r with (cosh d); [lra|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. unfold sinh, cosh. pose proof (exp_pos (- d)). lra. }
    assert (Key : c * d < 2 * b) by nra.
    assert (Eta : 0 < (b * b - c * d * b / 2) / 2) by nra.
    destruct (far_enough (INR (length A) - 2) _ ltac:(lra) Eta) as (l & L0 & Far).
    assert (Bb : 0 <= b <= 1) by lra.
    destruct (risk_inf_exists comp_log A (pair_dist m r b) all_scores) as [i I].
    { apply pair_is_dist; auto. }
    { exists (fun _ => 0). exact Logic.I. }
    { intros a u Ha _. unfold comp_log. pose proof (softmax_pos A u a Ha) as P.
      pose proof (softmax_le_1 A u a Ha). pose proof (ln_le_minus_1 _ P). lra. }
    specialize (H _ (pair_scores m r l) r i (pair_is_dist A m r b N Hm Hr ltac:(auto) Bb)
                  Logic.I (pair_argmax A m r l Hr L0) I). cbv beta in H.
    rewrite pair_largest in H by auto.
    pose proof (pair_log_risk A m r b l N Hm Hr ltac:(auto) Bb K2) as Up.
    assert (Low : ln 2 + ln (cosh d) - d * b <= i).
    { apply (proj2 I). intros u _. apply pair_log_least; auto. lra. }
    pose proof (ln_cosh_ge d ltac:(lra)) as Lc. fold b in Lc.
    apply Rle_not_lt in H. apply H. apply sqrt_below; auto.
    apply Rle_lt_trans with (c * (d * b / 2 + (INR (length A) - 2) * exp (- l) / 2)).
    - apply Rmult_le_compat_l; lra.
    - nra. }
  intros A c N L C H. apply (Main A (Rmax 1 c) N L).
  - split; [apply Rmax_l|]. apply Rmax_lub_lt; lra.
  - apply (calibrated_mono _ _ _ (fun t => sqrt (c * t))); auto. intros t T.
    apply sqrt_le_1_alt. apply Rmult_le_compat_r; auto. apply Rmax_r.
Qed.
