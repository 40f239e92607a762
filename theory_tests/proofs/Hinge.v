(* The constrained hinge on zero-sum scores: its least conditional risk, its linear calibration and
   the slack of Lem F.2, in the form the regret proofs use. No theorem stands here for a claim. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions.
Import ListNotations.
Open Scope R_scope.

Definition plus_part (x : R) : R := Rmax 0 (1 + x).

Lemma plus_part_nonneg x : 0 <= plus_part x.
Proof. apply Rmax_l. Qed.

Lemma plus_part_ge x : 1 + x <= plus_part x.
Proof. apply Rmax_r. Qed.

(* The canonical margin vector of App. C: K - 1 at m, -1 elsewhere. *)
Definition canonical (A : list nat) (m : nat) : nat -> R :=
  fun a => if Nat.eqb a m then INR (length A) - 1 else -1.

Section Hinge.
Variables (A : list nat) (s : nat -> R).
Hypothesis nodup : NoDup A.
Let S := sum A s.
Let K := INR (length A).

Lemma hinge_risk u :
  risk cstnd_hinge A s u = sum A (fun b => (S - s b) * plus_part (u b)).
Proof.
  rewrite risk_eq. unfold S. rewrite <- (sum_cross A s (fun b => plus_part (u b)) nodup).
  apply sum_ext. intros a Ha. rewrite cstnd_hinge_eq. reflexivity.
Qed.

Lemma hinge_risk_ext u v :
  (forall a, In a A -> u a = v a) -> risk cstnd_hinge A s u = risk cstnd_hinge A s v.
Proof. intros H. rewrite !hinge_risk. apply sum_ext. intros a Ha. rewrite H; auto. Qed.

Lemma hinge_total u : zero_sum A u -> K <= sum A (fun a => plus_part (u a)).
Proof.
  intros Z. apply Rle_trans with (sum A (fun a => 1 + u a)).
  - rewrite sum_plus, Z, sum_const. unfold K. lra.
  - apply sum_le. intros. apply plus_part_ge.
Qed.

Lemma argmax_nonneg u r : zero_sum A u -> is_argmax A u r -> 0 <= u r.
Proof.
  intros Z [Hr M]. apply Rnot_lt_le. intros L.
  assert (C : sum A u < sum A (fun _ => 0)).
  { apply sum_lt; [|exists r; auto]. intros a Ha. specialize (M a Ha). lra. }
  unfold zero_sum in Z. rewrite Z, sum_zero in C by auto. lra.
Qed.

(* Least risk at m: K (S - s_m) for the largest score s_m. *)
Lemma hinge_lower u m :
  (forall a, In a A -> 0 <= s a) -> is_argmax A s m -> zero_sum A u ->
  K * (S - s m) <= risk cstnd_hinge A s u.
Proof.
  intros P [Hm M] Z. rewrite hinge_risk.
  assert (0 <= S - s m). { pose proof (sum_term_le A s m P Hm). unfold S. lra. }
  pose proof (hinge_total u Z).
  apply Rle_trans with (sum A (fun a => (S - s m) * plus_part (u a))).
  - rewrite sum_scal. nra.
  - apply sum_le. intros a Ha. specialize (M a Ha). pose proof (plus_part_nonneg (u a)). nra.
Qed.

Lemma canonical_zero_sum m : In m A -> zero_sum A (canonical A m).
Proof.
  intros Hm. unfold zero_sum. rewrite (sum_others A m _ nodup Hm).
  rewrite (sum_ext (others A m) _ (fun _ => -1)).
  - rewrite sum_const, others_length_INR by auto. unfold canonical. rewrite Nat.eqb_refl. ring.
  - intros a Ha. apply others_in in Ha. unfold canonical. destruct (Nat.eqb_spec a m); tauto.
Qed.

Lemma canonical_risk m : In m A -> risk cstnd_hinge A s (canonical A m) = K * (S - s m).
Proof.
  intros Hm. rewrite hinge_risk, (sum_others A m _ nodup Hm).
  rewrite (sum_zero (others A m)).
  - unfold canonical, plus_part. rewrite Nat.eqb_refl. fold K.
    replace (1 + (K - 1)) with K by ring. rewrite Rmax_right by apply pos_INR. ring.
  - intros a Ha. apply others_in in Ha. unfold canonical, plus_part.
    destruct (Nat.eqb_spec a m); [tauto|]. rewrite Rmax_left by lra. ring.
Qed.

(* What the surrogate excess has over the true one (the identity of the proof of Lem F.2). *)
Lemma hinge_slack_identity u m r :
  In r A ->
  risk cstnd_hinge A s u - K * (S - s m) - (s m - s r)
  = (S - s m) * (sum A (fun a => plus_part (u a)) - K) + (s m - s r) * (plus_part (u r) - 1)
    + sum (others A r) (fun a => (s m - s a) * plus_part (u a)).
Proof.
  intros Hr. rewrite hinge_risk.
  rewrite (sum_ext A (fun b => (S - s b) * plus_part (u b))
    (fun b => (S - s m) * plus_part (u b) + (s m - s b) * plus_part (u b))) by (intros; ring).
  rewrite sum_plus, sum_scal.
  rewrite (sum_others A r (fun b => (s m - s b) * plus_part (u b)) nodup Hr). ring.
Qed.

(* Linear calibration. *)
Lemma hinge_calibrated u m r :
  (forall a, In a A -> 0 <= s a) -> is_argmax A s m -> zero_sum A u -> is_argmax A u r ->
  s m - s r <= risk cstnd_hinge A s u - K * (S - s m).
Proof.
  intros P Hm Z Hr. pose proof (hinge_slack_identity u m r (proj1 Hr)) as E.
  pose proof (argmax_nonneg u r Z Hr) as U. pose proof (hinge_total u Z) as Tt.
  pose proof (plus_part_ge (u r)). destruct Hm as [Hm M], Hr as [Hr Mr].
  assert (0 <= S - s m). { pose proof (sum_term_le A s m P Hm). unfold S. lra. }
  assert (0 <= s m - s r). { specialize (M r Hr). lra. }
  assert (0 <= sum (others A r) (fun a => (s m - s a) * plus_part (u a))).
  { apply sum_nonneg. intros a Ha. apply others_in in Ha. specialize (M a (proj1 Ha)).
    pose proof (plus_part_nonneg (u a)). nra. }
  nra.
Qed.

(* Lem F.2 with mass at least 1, as the proof of Thm 6.5 uses it. *)
Lemma hinge_slack u m r nu :
  (forall a, In a A -> 0 <= s a) -> 1 <= S -> 0 <= nu <= 1 / 4 -> (1 - nu) * S <= s m ->
  In m A -> zero_sum A u -> is_argmax A u r -> r <> m -> (3 <= length A)%nat ->
  1 / 4 <= risk cstnd_hinge A s u - K * (S - s m) - (s m - s r).
Proof.
  intros P S1 Hnu C Hm Z Hr N K3.
  assert (K3' : 3 <= K) by (unfold K; apply le_INR in K3; simpl in K3; lra).
  pose proof (hinge_slack_identity u m r (proj1 Hr)) as E.
  pose proof (argmax_nonneg u r Z Hr) as U. pose proof (hinge_total u Z) as Tt.
  pose proof (plus_part_ge (u r)) as V. destruct Hr as [Hr Mr].
  pose proof (sum_others A m s nodup Hm) as SS. fold S in SS.
  assert (R0 : forall a, In a A -> a <> m -> 1 - 2 * nu <= s m - s a).
  { intros a Ha Na.
    assert (s a <= sum (others A m) s).
    { apply sum_term_le; [|apply others_in; auto].
      intros b Hb. apply others_in in Hb. apply P; tauto. }
    nra. }
  assert (Sm : 0 <= S - s m). { pose proof (sum_term_le A s m P Hm). unfold S. lra. }
  (* the mass of the other positive parts *)
  set (v := fun a => plus_part (u a)) in *.
  pose proof (sum_others A r v nodup Hr) as E1.
  assert (Hmr : In m (others A r)) by (apply others_in; auto).
  pose proof (sum_others (others A r) m v (others_nodup A r nodup) Hmr) as E2.
  assert (Vm : v m <= v r).
  { unfold v, plus_part. specialize (Mr m Hm). apply Rle_max_compat_l. lra. }
  assert (L : (1 - 2 * nu) * sum (others (others A r) m) v
              <= sum (others A r) (fun a => (s m - s a) * v a)).
  { rewrite (sum_others (others A r) m _ (others_nodup A r nodup) Hmr).
    replace ((s m - s m) * v m) with 0 by ring. rewrite Rplus_0_l, <- sum_scal. apply sum_le.
    intros a Ha. apply others_in in Ha. destruct Ha as [Ha Nm]. apply others_in in Ha.
    pose proof (plus_part_nonneg (u a)). apply Rmult_le_compat_r; auto.
    apply R0; tauto. }
  fold (v r) in V.
  assert (Hv : 1 <= v r) by lra.
  specialize (R0 r Hr N).
  assert (E3 : (1 - 2 * nu) * (v r - 1) <= (s m - s r) * (v r - 1)) by nra.
  assert (L2 : K <= 2 * (v r + sum (others (others A r) m) v)).
  { assert (0 <= sum (others (others A r) m) v); [|lra].
    apply sum_nonneg. intros. apply plus_part_nonneg. }
  change (sum A (fun a => plus_part (u a))) with (sum A v) in E.
  change (plus_part (u r)) with (v r) in E.
  change (sum (others A r) (fun a => (s m - s a) * plus_part (u a)))
    with (sum (others A r) (fun a => (s m - s a) * v a)) in E.
  change (K <= sum A v) in Tt.
  assert (0 <= (S - s m) * (sum A v - K)) by nra.
  set (w := sum (others (others A r) m) v) in *.
  assert ((1 - 2 * nu) * (1 / 2) <= (1 - 2 * nu) * (v r + w - 1)) by nra.
  nra.
Qed.

End Hinge.
