(* A large ball: with B >= N every canonical margin vector is in the projected class (App. C), so the
   constrained hinge is calibrated over it and Thm 6.4 needs only the zero gap.
   Stands for: thm-6.4 (without the premise on calibration). *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions Projection Trees Ogd Rounds Hinge Protocol Algorithm
  Schedules Regret.
Import ListNotations.
Open Scope R_scope.

(* The input contains its bias entry: its norm is at least 1. *)
Definition has_bias (D : nat) (r : Round) : Prop :=
  1 <= sum (seq 0 D) (fun k => r_input r k * r_input r k).

Definition round_score (n : nat) (r : Round) : nat -> R := score n (r_law r) (r_cost r).

(* App. C: v x^T / |x|^2 on the active rows. *)
Definition canonical_matrix (n D : nat) (r : Round) (m : nat) : Matrix := fun a j =>
  if mem a (round_acts n r)
  then canonical (round_acts n r) m a * (r_input r j / sum (seq 0 D) (fun k => r_input r k * r_input r k))
  else 0.

Section Ball.
Variables (n ne D : nat) (B rho : R) (rule : list nat -> (nat -> R) -> nat).
Hypothesis rule_ok : greedy_rule rule.
Hypothesis large : INR (n + ne) <= B.
Variable r : Round.
Hypothesis valid : valid_round n ne D rho r.
Hypothesis bias : has_bias D r.

Let A := round_acts n r.
Let s := round_score n r.
Let K := INR (length A).
Let q := sum (seq 0 D) (fun k => r_input r k * r_input r k).
Let m := argmax A s.

Lemma ball_nodup : NoDup A.
Proof. apply active_nodup, valid. Qed.

Lemma ball_nonempty : A <> nil.
Proof. destruct valid as (_ & _ & L & C & _). apply (round_nonempty _ _ _ _ L C). Qed.

Lemma ball_size : 1 <= K <= INR (n + ne).
Proof.
  apply (acts_size n ne D (fun _ => r) rho (fun _ => valid) nil).
Qed.

Lemma best_is : is_argmax A s m.
Proof. apply argmax_is, ball_nonempty. Qed.

Lemma scores_nonneg a : In a A -> 0 <= s a.
Proof.
  destruct valid as (_ & _ & L & C & _). intros H. apply (score_unit _ _ _ _ L C a H).
Qed.

Lemma canonical_scores a :
  In a A -> round_scores n D r (canonical_matrix n D r m) a = canonical A m a.
Proof.
  intros Ha. unfold round_scores. rewrite scores_projM. fold A. rewrite proj_in by auto.
  assert (Q : 1 <= q) by exact bias.
  assert (E : forall b, In b A -> scores D (canonical_matrix n D r m) (r_input r) b = canonical A m b).
  { intros b Hb. unfold scores, canonical_matrix. fold A. apply mem_in in Hb. rewrite Hb.
    rewrite (sum_ext _ _ (fun k => canonical A m b / q * (r_input r k * r_input r k))).
    - rewrite sum_scal. fold q. field. lra.
    - intros k _. fold q. field. lra. }
  rewrite E by auto. rewrite mean_eq, (sum_ext A _ (canonical A m)) by (intros; apply E; auto).
  rewrite (canonical_zero_sum A ball_nodup m (proj1 best_is)). unfold Rdiv. ring.
Qed.

Lemma canonical_norm : in_B (n + ne) D B (canonical_matrix n D r m).
Proof.
  unfold in_B, frob2, inner. pose proof ball_size as [K1 KN]. assert (Q : 1 <= q) by exact bias.
  rewrite (sum_ext _ _ (fun a => if mem a A then canonical A m a * canonical A m a * / q else 0)).
  - rewrite (sum_mem A).
    + rewrite sum_scal_r, (sum_others A m _ ball_nodup (proj1 best_is)).
      rewrite (sum_ext (others A m) _ (fun _ => 1)).
      * rewrite sum_const, others_length_INR by (apply ball_nodup || apply best_is).
        unfold canonical. rewrite Nat.eqb_refl. fold K.
        assert (Qi : / q <= 1). { rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
        assert (0 < / q) by (apply Rinv_0_lt_compat; lra).
        assert (0 <= (K - 1) * (K - 1) + (K - 1) * 1) by nra.
        apply Rle_trans with (((K - 1) * (K - 1) + (K - 1) * 1) * 1).
        -- apply Rmult_le_compat_l; auto.
        -- nra.
      * intros a Ha. apply others_in in Ha. unfold canonical.
        destruct (Nat.eqb_spec a m); [tauto|]. ring.
    + apply ball_nodup.
    + apply seq_NoDup.
    + apply (acts_incl n ne D (fun _ => r) rho (fun _ => valid) nil).
  - intros a _. unfold canonical_matrix. fold A. destruct (mem a A).
    + rewrite (sum_ext _ _ (fun k => canonical A m a * canonical A m a / q * / q
                                     * (r_input r k * r_input r k))).
      * rewrite sum_scal. fold q. field. lra.
      * intros k _. fold q. field. lra.
    + apply sum_zero. intros. ring.
Qed.

Lemma sur_of_score W : sur_of n D r W = risk cstnd_hinge A s (round_scores n D r W).
Proof.
  destruct valid as (_ & _ & L & C & _). apply surrogate_risk_score; auto.
Qed.

Lemma round_zero_sum W : zero_sum A (round_scores n D r W).
Proof.
  unfold zero_sum, round_scores.
  rewrite (sum_ext _ _ (proj A (scores D W (r_input r)))) by (intros; apply scores_projM).
  apply proj_zero_sum, ball_nonempty.
Qed.

Lemma picked W : is_argmax A (round_scores n D r W) (rule A (round_scores n D r W)).
Proof. apply rule_ok, ball_nonempty. Qed.

Lemma def_of_score W : def_of n D rule r W = 1 - s (rule A (round_scores n D r W)).
Proof.
  destruct valid as (_ & _ & L & C & _). unfold def_of.
  apply (true_risk_score n (r_experts r)); auto. apply picked.
Qed.

Lemma sur_least : is_inf_over (in_B (n + ne) D B) (sur_of n D r) (K * (sum A s - s m)).
Proof.
  apply min_is_inf. split.
  - intros W _. rewrite sur_of_score. apply (hinge_lower A s ball_nodup); auto.
    + apply scores_nonneg.
    + apply best_is.
    + apply round_zero_sum.
  - exists (canonical_matrix n D r m). split; [apply canonical_norm|].
    rewrite sur_of_score, (hinge_risk_ext A s ball_nodup _ (canonical A m)).
    + apply (canonical_risk A s ball_nodup). apply best_is.
    + apply canonical_scores.
Qed.

Lemma def_least : is_inf_over (in_B (n + ne) D B) (def_of n D rule r) (1 - s m).
Proof.
  apply min_is_inf. destruct best_is as [Hm Mm]. split.
  - intros W _. rewrite def_of_score. specialize (Mm _ (proj1 (picked W))). lra.
  - exists (canonical_matrix n D r m). split; [apply canonical_norm|]. rewrite def_of_score.
    destruct (picked (canonical_matrix n D r m)) as [Hp Mp].
    set (p := rule A (round_scores n D r (canonical_matrix n D r m))) in *.
    destruct (Nat.eq_dec p m) as [->|Np]; auto.
    specialize (Mp m Hm). rewrite !canonical_scores in Mp by auto. unfold canonical in Mp.
    rewrite Nat.eqb_refl in Mp. destruct (Nat.eqb_spec p m); [tauto|].
    pose proof ball_size. fold K in Mp. lra.
Qed.

(* Calibration with Gamma(u) = u, and what is left over when a wrong action is picked. *)
Lemma ball_calibrated W :
  def_of n D rule r W - (1 - s m) <= sur_of n D r W - K * (sum A s - s m).
Proof.
  rewrite def_of_score, sur_of_score.
  pose proof (hinge_calibrated A s ball_nodup _ m _ scores_nonneg best_is (round_zero_sum W)
    (picked W)) as H. fold K in H. lra.
Qed.

Lemma ball_slack W nu :
  0 <= nu <= 1 / 4 -> (1 - nu) * sum A s <= s m -> (3 <= length A)%nat ->
  rule A (round_scores n D r W) <> m ->
  1 / 4 <= (sur_of n D r W - K * (sum A s - s m)) - (def_of n D rule r W - (1 - s m)).
Proof.
  intros Hnu C K3 Ne. rewrite def_of_score, sur_of_score.
  destruct valid as (_ & _ & L & Co & _).
  pose proof (mass_at_least_1 _ _ _ _ L Co) as S1.
  pose proof (hinge_slack A s ball_nodup _ m _ nu scores_nonneg S1 Hnu C (proj1 best_is)
    (round_zero_sum W) (picked W) Ne K3) as H. fold K in H. lra.
Qed.

End Ball.

(* Thm 6.4 with B >= N: the calibration is proved, only the zero gap remains a premise. *)
(* claim: thm-6.4 *)
Theorem true_regret_bound_in_a_large_ball
    (n ne D : nat) (B rho : R) (rule : list nat -> (nat -> R) -> nat) (kink : History -> nat -> R)
    (r : nat -> Round) (T : nat) (sur_inf : nat -> R) (def_best sur_best : R) :
  INR (n + ne) <= B -> 0 < rho -> (1 <= T)%nat -> greedy_rule rule ->
  (forall h b, 0 <= kink h b <= 1) ->
  (forall t, valid_round n ne D rho (r t) /\ has_bias D (r t)) ->
  (forall t, In t (seq 1 T) -> is_inf_over (in_B (n + ne) D B) (sur_of n D (r t)) (sur_inf t)) ->
  is_inf_over (in_B (n + ne) D B) (fun W => sum (seq 1 T) (fun t => def_of n D rule (r t) W)) def_best ->
  is_inf_over (in_B (n + ne) D B) (fun W => sum (seq 1 T) (fun t => sur_of n D (r t) W)) sur_best ->
  sur_best - sum (seq 1 T) sur_inf = 0 ->
  alg_E n ne D B rho rule kink (fixed r) T
    (along (fun h _ => alg_true n ne D B rho rule kink (fixed r) h)) - def_best
  <= general_bound B (n + ne) rho T + sum (seq 1 T) gamma_general.
Proof.
  intros LB Hr HT RO KO VR HS HD HB Gap.
  assert (N1 : 1 <= INR (n + ne)).
  { pose proof (ball_size n ne D rho (r 1%nat) (proj1 (VR 1%nat))). lra. }
  set (A := fun t => round_acts n (r t)). set (s := fun t => round_score n (r t)).
  apply (true_regret_bound n ne D B rho rule kink r T
    (fun t => 1 - s t (argmax (A t) (s t))) sur_inf def_best sur_best); auto; try lra.
  - intros t. apply VR.
  - intros t Ht. split; [|auto]. destruct (VR t) as [V Bi].
    apply (def_least n ne D B rho rule RO LB (r t) V Bi).
  - intros t W Ht _. destruct (VR t) as [V Bi].
    pose proof (ball_calibrated n ne D rho rule RO (r t) V W) as C.
    pose proof (sur_least n ne D B rho LB (r t) V Bi) as L.
    rewrite (inf_unique _ _ _ _ (HS t Ht) L). exact C.
Qed.
