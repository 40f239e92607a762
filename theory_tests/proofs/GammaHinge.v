(* Calibration of the constrained hinge and of the constrained ramp (App. E), for every K >= 2, and
   that their constants cannot be improved.

   gamma-cstnd-hinge, gamma-cstnd-tau: Gamma(t) = t, and no Gamma(t) = c t with c < 1. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration.
Import ListNotations.
Open Scope R_scope.

(* The canonical margin vector: K - 1 at m, -1 elsewhere. *)
Definition canonical (A : list nat) (m : nat) : nat -> R :=
  fun a => if Nat.eqb a m then INR (length A) - 1 else -1.

Lemma canonical_zero_sum A m : NoDup A -> In m A -> zero_sum A (canonical A m).
Proof.
  intros N H. unfold zero_sum. rewrite (sum_others A m _ N H). unfold canonical at 1.
  rewrite Nat.eqb_refl, (sum_ext _ _ (fun _ => -1)).
  - rewrite sum_const, others_length_INR by auto. lra.
  - intros a Ha. apply others_in in Ha. unfold canonical. destruct (Nat.eqb_spec a m); tauto.
Qed.

Lemma canonical_risk A s m :
  NoDup A -> In m A -> risk cstnd_hinge A s (canonical A m) = INR (length A) * (sum A s - s m).
Proof.
  intros N H. rewrite risk_cstnd_hinge by auto.
  rewrite (sum_others A m (fun b => (sum A s - s b) * Rmax 0 (1 + canonical A m b)) N H).
  unfold canonical at 1. rewrite Nat.eqb_refl, (sum_zero (others A m)).
  - rewrite pos_part_nonneg; [ring|]. replace (1 + (INR (length A) - 1)) with (INR (length A)) by ring.
    apply pos_INR.
  - intros a Ha. apply others_in in Ha. unfold canonical. destruct (Nat.eqb_spec a m); [tauto|].
    rewrite pos_part_nonpos by lra. ring.
Qed.

(* The risk above that of the canonical vector, term by term. *)
Lemma hinge_excess A s u m :
  NoDup A ->
  risk cstnd_hinge A s u - INR (length A) * (sum A s - s m)
  = sum A (fun a => (s m - s a) * Rmax 0 (1 + u a))
    + (sum A s - s m) * (sum A (fun a => Rmax 0 (1 + u a)) - INR (length A)).
Proof.
  intros N. rewrite risk_cstnd_hinge by auto.
  rewrite (sum_ext A (fun b => (sum A s - s b) * Rmax 0 (1 + u b))
     (fun b => (s m - s b) * Rmax 0 (1 + u b) + (sum A s - s m) * Rmax 0 (1 + u b)))
    by (intros; ring).
  rewrite sum_plus, sum_scal. ring.
Qed.

Lemma hinge_parts_sum A u :
  zero_sum A u -> INR (length A) <= sum A (fun a => Rmax 0 (1 + u a)).
Proof.
  intros Z. apply Rle_trans with (sum A (fun a => 1 + u a)).
  - rewrite sum_plus, sum_const. unfold zero_sum in Z. lra.
  - apply sum_le. intros. apply Rmax_r.
Qed.

(* Thm F.4 at one round. *)
Lemma hinge_least_risk A s m :
  NoDup A -> (forall a, In a A -> 0 <= s a) -> is_argmax A s m ->
  is_min_over (zero_sum A) (risk cstnd_hinge A s) (INR (length A) * (sum A s - s m)).
Proof.
  intros N P [Hm M]. split.
  - intros u Z. pose proof (hinge_excess A s u m N) as E. pose proof (hinge_parts_sum A u Z) as L.
    assert (0 <= sum A (fun a => (s m - s a) * Rmax 0 (1 + u a))).
    { apply sum_nonneg. intros a Ha. specialize (M a Ha). apply Rmult_le_pos; [lra|apply Rmax_l]. }
    assert (0 <= sum A s - s m).
    { pose proof (sum_term_le A s m P Hm). lra. }
    assert (0 <= (sum A s - s m) * (sum A (fun a => Rmax 0 (1 + u a)) - INR (length A)))
      by (apply Rmult_le_pos; lra).
    lra.
  - exists (canonical A m). split; [apply canonical_zero_sum|apply canonical_risk]; auto.
Qed.

(* Nonnegative scores of any mass. *)
Lemma hinge_calibrated_scores A s u r m :
  NoDup A -> (forall a, In a A -> 0 <= s a) -> zero_sum A u -> is_argmax A u r ->
  is_argmax A s m ->
  s m - s r <= risk cstnd_hinge A s u - INR (length A) * (sum A s - s m).
Proof.
  intros N P Z [Hr Mr] [Hm Mm]. rewrite (hinge_excess A s u m N).
  pose proof (argmax_zero_sum_nonneg A u r Z (conj Hr Mr)) as Ur.
  pose proof (hinge_parts_sum A u Z) as L.
  assert (0 <= sum A s - s m) by (pose proof (sum_term_le A s m P Hm); lra).
  assert (T : (s m - s r) * Rmax 0 (1 + u r) <= sum A (fun a => (s m - s a) * Rmax 0 (1 + u a))).
  { apply (sum_term_le A (fun a => (s m - s a) * Rmax 0 (1 + u a))); auto.
    intros a Ha. specialize (Mm a Ha). apply Rmult_le_pos; [lra|apply Rmax_l]. }
  assert (1 <= Rmax 0 (1 + u r)) by (pose proof (Rmax_r 0 (1 + u r)); lra).
  specialize (Mm r Hr).
  assert (s m - s r <= (s m - s r) * Rmax 0 (1 + u r)) by nra.
  assert (0 <= (sum A s - s m) * (sum A (fun a => Rmax 0 (1 + u a)) - INR (length A)))
    by (apply Rmult_le_pos; lra).
  lra.
Qed.

(* claim: gamma-cstnd-hinge *)
Theorem cstnd_hinge_has_gamma_t :
  forall A, NoDup A -> calibrated cstnd_hinge (zero_sum A) A (fun t => t).
Proof.
  intros A N s u r i [P S] Z M I.
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm).
  rewrite (inf_unique _ _ _ _ I (min_is_inf _ _ _ (hinge_least_risk A s m N P Hm))).
  apply hinge_calibrated_scores; auto.
Qed.

(* The same for scores of any mass, as Lem F.2 and the proofs of Thm 6.4 and 6.5 use it. *)
(* claim: gamma-cstnd-hinge *)
Theorem cstnd_hinge_is_linearly_calibrated_for_all_nonnegative_scores :
  forall A s u r i,
  NoDup A -> (forall a, In a A -> 0 <= s a) -> zero_sum A u -> is_argmax A u r ->
  is_inf_over (zero_sum A) (risk cstnd_hinge A s) i ->
  largest A s - s r <= risk cstnd_hinge A s u - i.
Proof.
  intros A s u r i N P Z M I.
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm).
  rewrite (inf_unique _ _ _ _ I (min_is_inf _ _ _ (hinge_least_risk A s m N P Hm))).
  apply hinge_calibrated_scores; auto.
Qed.

Lemma all_but_argmax A r m :
  (2 <= length A)%nat -> In m A -> m <> r -> is_argmax A (all_but A r) m.
Proof.
  intros L H NE. split; auto. intros b _. unfold all_but. pose proof (INR_length_2 A L).
  assert (0 < / (INR (length A) - 1)) by (apply Rinv_0_lt_compat; lra).
  destruct (Nat.eqb_spec m r); [congruence|]. destruct (Nat.eqb b r); lra.
Qed.

(* Equality: all mass spread over the actions but r, scores zero, r chosen. *)
(* claim: gamma-cstnd-hinge *)
Theorem cstnd_hinge_gamma_is_sharp_for_every_K :
  forall A c, NoDup A -> (2 <= length A)%nat -> c < 1 ->
  ~ calibrated cstnd_hinge (zero_sum A) A (fun t => c * t).
Proof.
  intros A c N L C H. destruct (two_elements A N L) as (r & m & Hr & Hm & NE).
  pose proof (INR_length_2 A L) as K2. set (k := INR (length A)) in *.
  pose proof (all_but_dist A r N Hr L) as D.
  pose proof (all_but_argmax A r m L Hm ltac:(auto)) as M.
  assert (Vm : all_but A r m = / (k - 1)).
  { unfold all_but. destruct (Nat.eqb_spec m r); [congruence|auto]. }
  assert (Vr : all_but A r r = 0) by (unfold all_but; rewrite Nat.eqb_refl; auto).
  assert (I := min_is_inf _ _ _ (hinge_least_risk A (all_but A r) m N (proj1 D) M)).
  specialize (H (all_but A r) (fun _ => 0) r _ D (zero_is_zero_sum A)
                (argmax_of_constant A 0 r Hr) I).
  cbv beta in H. rewrite (largest_is A _ m M), Vm, Vr in H.
  rewrite risk_cstnd_hinge in H by auto. rewrite (proj2 D) in H. fold k in H.
  rewrite (sum_ext A _ (fun b => 1 - all_but A r b)) in H
    by (intros; rewrite pos_part_nonneg by lra; ring).
  rewrite sum_minus, sum_const, (proj2 D) in H. fold k in H.
  replace (k * 1 - 1 - k * (1 - / (k - 1))) with (/ (k - 1)) in H by (field; lra).
  assert (0 < / (k - 1)) by (apply Rinv_0_lt_compat; lra). nra.
Qed.

(* The ramp. *)
Lemma ramp_range tau t : 0 <= ramp tau t <= 1.
Proof.
  rewrite ramp_eq. split; [|apply Rmin_r].
  apply Rmin_glb; [apply Rmax_l|lra].
Qed.

Lemma ramp_one tau t : 0 < tau -> t <= 0 -> ramp tau t = 1.
Proof.
  intros T H. rewrite ramp_eq. assert (t / tau <= 0).
  { apply Rmult_le_reg_r with tau; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  rewrite Rmax_right by lra. apply Rmin_right. lra.
Qed.

Lemma ramp_zero tau t : 0 < tau -> tau <= t -> ramp tau t = 0.
Proof.
  intros T H. rewrite ramp_eq. assert (1 <= t / tau).
  { apply Rmult_le_reg_r with tau; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  rewrite Rmax_left by lra. apply Rmin_left. lra.
Qed.

Lemma ramp_canonical_risk tau A s r :
  0 < tau -> NoDup A -> In r A ->
  risk (cstnd_tau tau) A s (fun a => tau * canonical A r a) = sum A s - s r.
Proof.
  intros T N Hr. rewrite risk_cstnd_tau by auto.
  rewrite (sum_others A r (fun b => (sum A s - s b) * ramp tau (- (tau * canonical A r b))) N Hr).
  unfold canonical at 1. rewrite Nat.eqb_refl, (sum_zero (others A r)).
  - rewrite ramp_one; auto; [ring|].
    assert (1 <= INR (length A)).
    { destruct A; [destruct Hr|]. cbn [length]. rewrite S_INR. pose proof (pos_INR (length A)). lra. }
    nra.
  - intros a Ha. apply others_in in Ha. unfold canonical. destruct (Nat.eqb_spec a r); [tauto|].
    rewrite ramp_zero; auto; lra.
Qed.

Lemma scaled_canonical_zero_sum tau A r :
  NoDup A -> In r A -> zero_sum A (fun a => tau * canonical A r a).
Proof.
  intros N Hr. unfold zero_sum. rewrite sum_scal. pose proof (canonical_zero_sum A r N Hr) as Z.
  unfold zero_sum in Z. rewrite Z. ring.
Qed.

Lemma ramp_at_least tau A s u r :
  0 < tau -> NoDup A -> (forall a, In a A -> 0 <= s a) -> zero_sum A u -> is_argmax A u r ->
  sum A s - s r <= risk (cstnd_tau tau) A s u.
Proof.
  intros T N P Z M. rewrite risk_cstnd_tau by auto.
  assert (Hr : In r A) by apply M.
  replace (sum A s - s r) with ((sum A s - s r) * ramp tau (- u r)).
  - apply (sum_term_le A (fun b => (sum A s - s b) * ramp tau (- u b))); auto.
    intros a Ha. pose proof (sum_term_le A s a P Ha). pose proof (ramp_range tau (- u a)).
    apply Rmult_le_pos; lra.
  - rewrite ramp_one; auto; [ring|]. pose proof (argmax_zero_sum_nonneg A u r Z M). lra.
Qed.

Lemma ramp_least_risk tau A s m :
  0 < tau -> NoDup A -> (forall a, In a A -> 0 <= s a) -> is_argmax A s m ->
  is_min_over (zero_sum A) (risk (cstnd_tau tau) A s) (sum A s - s m).
Proof.
  intros T N P [Hm Mm]. split.
  - intros u Z. destruct (argmax_exists A u) as [r Hr].
    { destruct A; [destruct Hm|congruence]. }
    pose proof (ramp_at_least tau A s u r T N P Z Hr). specialize (Mm r (proj1 Hr)). lra.
  - exists (fun a => tau * canonical A m a).
    split; [apply scaled_canonical_zero_sum|apply ramp_canonical_risk]; auto.
Qed.

(* claim: gamma-cstnd-tau *)
Theorem cstnd_tau_has_gamma_t :
  forall tau A, 0 < tau -> NoDup A -> calibrated (cstnd_tau tau) (zero_sum A) A (fun t => t).
Proof.
  intros tau A T N s u r i [P S] Z M I.
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm).
  rewrite (inf_unique _ _ _ _ I (min_is_inf _ _ _ (ramp_least_risk tau A s m T N P Hm))).
  pose proof (ramp_at_least tau A s u r T N P Z M). lra.
Qed.

(* claim: gamma-cstnd-tau *)
Theorem cstnd_tau_gamma_is_sharp_for_every_K :
  forall tau A c, 0 < tau -> NoDup A -> (2 <= length A)%nat -> c < 1 ->
  ~ calibrated (cstnd_tau tau) (zero_sum A) A (fun t => c * t).
Proof.
  intros tau A c T N L C H. destruct (two_elements A N L) as (r & m & Hr & Hm & NE).
  pose proof (INR_length_2 A L) as K2.
  pose proof (point_dist A m N Hm) as D.
  assert (M : is_argmax A (point m) m).
  { split; auto. intros b _. unfold point. rewrite Nat.eqb_refl. destruct (Nat.eqb b m); lra. }
  assert (I := min_is_inf _ _ _ (ramp_least_risk tau A _ m T N (proj1 D) M)).
  assert (Mr : is_argmax A (fun a => tau * canonical A r a) r).
  { split; auto. intros b _. apply Rmult_le_compat_l; [lra|]. unfold canonical.
    rewrite Nat.eqb_refl. destruct (Nat.eqb b r); lra. }
  specialize (H _ _ r _ D (scaled_canonical_zero_sum tau A r N Hr) Mr I). cbv beta in H.
  rewrite (largest_is A _ m M), ramp_canonical_risk in H by auto.
  replace (point m m) with 1 in H by (unfold point; rewrite Nat.eqb_refl; auto).
  replace (point m r) with 0 in H by (unfold point; destruct (Nat.eqb_spec r m); congruence).
  lra.
Qed.
