(* Algorithm 1 on a finite decision tree, and what holds in one round and along one path: the
   estimate is unbiased, its gradient is a subgradient (Lem 6.2), its second moment is bounded
   (App. F), and gradient descent on the ball pays for the rest. No theorem stands here for a claim;
   Regret.v, LargeBall.v and Concentrated.v put the parts together. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Projection Trees Ogd Rounds Hinge Protocol.
Import ListNotations.
Open Scope R_scope.

Section Algorithm.
Variables (n ne D : nat) (B : R) (eta gamma : nat -> R).
Variable rule : list nat -> (nat -> R) -> nat.
Variable kink : History -> nat -> R.
Variable env : History -> Round.

Definition acts (h : History) : list nat := round_acts n (env h).

(* Scores of the matrix projected for the round, the mixture that is played. *)
Definition proj_scores (W : Matrix) (h : History) : nat -> R := round_scores n D (env h) W.
Definition greedy (W : Matrix) (h : History) : nat := rule (acts h) (proj_scores W h).
Definition mixture (W : Matrix) (h : History) : nat -> R :=
  mix (acts h) (gamma (S (length h))) (greedy W h).

(* Estimated loss of V after playing with W, when action and label were o; and the estimate of its
   subgradient at W. *)
Definition est_loss (W : Matrix) (h : History) (o : nat * nat) (V : Matrix) : R :=
  round_estimate n (r_experts (env h)) (r_cost (env h)) (mixture W h) (fst o) (snd o)
    (fun a => cstnd_hinge (acts h) a (proj_scores V h)).
Definition hinge_grad (W : Matrix) (h : History) (o : nat * nat) (a : nat) : Matrix :=
  fun b j => if mem b (others (acts h) a)
             then slope (kink (o :: h) b) (proj_scores W h b) * r_input (env h) j else 0.
Definition est_grad (W : Matrix) (h : History) (o : nat * nat) : Matrix :=
  fun b j => round_estimate n (r_experts (env h)) (r_cost (env h)) (mixture W h) (fst o) (snd o)
    (fun a => hinge_grad W h o a b j).
Definition proj_grad (W : Matrix) (h : History) (o : nat * nat) : Matrix :=
  projM (acts h) (est_grad W h o).

(* The weights after a history. *)
Definition step (W : Matrix) (h : History) (o : nat * nat) : Matrix :=
  ballM (n + ne) D B (fun b j => W b j - eta (S (length h)) * proj_grad W h o b j).
Fixpoint weights (h : History) : Matrix :=
  match h with
  | nil => fun _ _ => 0
  | o :: h' => step (weights h') h' o
  end.

(* The tree: an active action from the mixture, a label from its law. *)
Definition outcomes (h : History) : list (nat * nat) := list_prod (acts h) (seq 0 n).
Definition prob (h : History) (o : nat * nat) : R :=
  mixture (weights h) h (fst o) * r_law (env h) (snd o).
Definition E_run (T : nat) (F : History -> R) : R := expect outcomes prob T nil F.

(* Conditional risks of a fixed matrix and of the learner after a history. *)
Definition sur_cond (W : Matrix) (h : History) : R := sur_of n D (env h) W.
Definition def_cond (W : Matrix) (h : History) : R := def_of n D rule (env h) W.
Definition learner_cond (h : History) : R :=
  true_risk_mix n (acts h) (r_law (env h)) (r_cost (env h)) (mixture (weights h) h).

(* From here on: what is assumed. *)
Variable rho : R.
Hypothesis Brad : 0 <= B.
Hypothesis rounds_ok : forall h, valid_round n ne D rho (env h).
Hypothesis rule_ok : greedy_rule rule.
Hypothesis kink_ok : forall h b, 0 <= kink h b <= 1.
Hypothesis gamma_ok : forall t, (1 <= t)%nat -> 0 < gamma t <= 1.
Hypothesis eta_pos : forall t, (1 <= t)%nat -> 0 < eta t.
Hypothesis eta_dec : forall t, (1 <= t)%nat -> eta (S t) <= eta t.

Let N := (n + ne)%nat.

Lemma acts_nodup h : NoDup (acts h).
Proof. apply active_nodup, rounds_ok. Qed.

Lemma acts_nonempty h : acts h <> nil.
Proof. destruct (rounds_ok h) as (_ & _ & L & C & _). apply (round_nonempty _ _ _ _ L C). Qed.

Lemma acts_incl h : incl (acts h) (seq 0 N).
Proof.
  intros a Ha. apply seq_in_0. apply active_in in Ha. destruct (rounds_ok h) as (_ & I & _).
  destruct Ha as [Ha|[j [Hj ->]]]; [unfold N; lia|]. specialize (I j Hj). unfold N. lia.
Qed.

Lemma acts_size h : 1 <= INR (length (acts h)) <= INR N.
Proof.
  destruct (rounds_ok h) as (_ & _ & L & C & _). split; [apply (round_size_pos _ _ _ _ L C)|].
  apply le_INR. rewrite <- (seq_length N 0). apply NoDup_incl_length; [apply acts_nodup|].
  apply acts_incl.
Qed.

Lemma greedy_in W h : In (greedy W h) (acts h).
Proof. apply rule_ok, acts_nonempty. Qed.

Lemma mixture_dist W h : is_dist (acts h) (mixture W h).
Proof.
  destruct (rounds_ok h) as (Nd & _ & L & C & _).
  pose proof (gamma_ok (S (length h)) ltac:(lia)).
  apply (mix_dist _ _ _ _ Nd L C); [lra|]. apply greedy_in.
Qed.

Lemma mixture_pos W h a : 0 < mixture W h a.
Proof.
  destruct (rounds_ok h) as (Nd & _ & L & C & _).
  apply (mix_positive _ _ _ _ L C). apply gamma_ok. lia.
Qed.

Lemma outcomes_in h a y : In (a, y) (outcomes h) <-> In a (acts h) /\ (y < n)%nat.
Proof. unfold outcomes. rewrite in_prod_iff, seq_in_0. tauto. Qed.

Lemma tree_law h : node_law outcomes prob h.
Proof.
  destruct (rounds_ok h) as (_ & _ & [P S] & _ & _). destruct (mixture_dist (weights h) h) as [Q E].
  split.
  - intros [a y] H. apply outcomes_in in H. apply Rmult_le_pos; simpl; [apply Q|apply P]; tauto.
  - unfold outcomes. rewrite sum_list_prod. unfold prob. simpl.
    rewrite (sum_ext _ _ (fun a => mixture (weights h) h a)); auto.
    intros a _. rewrite sum_scal, S. ring.
Qed.

Lemma sur_cond_score W h :
  sur_cond W h = risk cstnd_hinge (acts h) (score n (r_law (env h)) (r_cost (env h)))
                   (proj_scores W h).
Proof.
  destruct (rounds_ok h) as (_ & _ & L & _ & _).
  apply surrogate_risk_score; auto.
Qed.

(* The estimate is unbiased for every matrix. *)
Lemma est_loss_unbiased V h :
  sum (outcomes h) (fun o => prob h o * est_loss (weights h) h o V) = sur_cond V h.
Proof.
  destruct (rounds_ok h) as (Nd & _ & L & C & _).
  rewrite sur_cond_score. unfold outcomes. rewrite sum_list_prod. unfold prob, est_loss. simpl.
  rewrite risk_eq.
  apply (estimate_unbiased n (r_experts (env h)) (r_law (env h)) (r_cost (env h)) Nd L C
    (mixture (weights h) h) (fun a => cstnd_hinge (acts h) a (proj_scores V h))
    (mixture_dist (weights h) h)).
  intros a _. apply mixture_pos.
Qed.

Lemma slope_unit k v : 0 <= k <= 1 -> 0 <= slope k v <= 1.
Proof. intros H. unfold slope. destruct (Rlt_dec 0 (1 + v)), (Rlt_dec (1 + v) 0); lra. Qed.

Lemma slope_subgradient k v w :
  0 <= k <= 1 -> plus_part v - plus_part w <= slope k v * (v - w).
Proof.
  intros H. unfold slope, plus_part.
  pose proof (Rmax_l 0 (1 + w)). pose proof (Rmax_r 0 (1 + w)).
  destruct (Rlt_dec 0 (1 + v)) as [A|A]; [rewrite (Rmax_right 0 (1 + v)) by lra; lra|].
  destruct (Rlt_dec (1 + v) 0) as [C|C]; [rewrite (Rmax_left 0 (1 + v)) by lra; lra|].
  assert (E : v = -1) by lra. subst v. rewrite Rmax_left by lra. nra.
Qed.

(* Inner products with the gradient of one target only see the rows of the others. *)
Lemma inner_hinge_grad W h o a M :
  inner N D (hinge_grad W h o a) M
  = sum (others (acts h) a) (fun b => slope (kink (o :: h) b) (proj_scores W h b)
                                      * sum (seq 0 D) (fun j => M b j * r_input (env h) j)).
Proof.
  unfold inner.
  rewrite <- (sum_mem (others (acts h) a) (seq 0 N)).
  - apply sum_ext. intros b _. unfold hinge_grad. destruct (mem b (others (acts h) a)).
    + rewrite <- sum_scal. apply sum_ext. intros. ring.
    + apply sum_zero. intros. ring.
  - apply others_nodup, acts_nodup.
  - apply seq_NoDup.
  - intros b Hb. apply others_in in Hb. apply (acts_incl h). tauto.
Qed.

(* The estimate looks at one target action. *)
Definition tgt (h : History) (o : nat * nat) : nat :=
  target n (r_experts (env h)) (fst o) (snd o).
Definition wt (W : Matrix) (h : History) (o : nat * nat) : R :=
  weight n (r_experts (env h)) (r_cost (env h)) (mixture W h) (fst o) (snd o).

Lemma est_loss_one W h o V :
  In (fst o) (acts h) ->
  est_loss W h o V = wt W h o * cstnd_hinge (acts h) (tgt h o) (proj_scores V h).
Proof.
  intros H. destruct (rounds_ok h) as (Nd & _). unfold est_loss.
  rewrite estimate_one_target; auto.
Qed.

Lemma est_grad_one W h o b j :
  In (fst o) (acts h) -> est_grad W h o b j = wt W h o * hinge_grad W h o (tgt h o) b j.
Proof.
  intros H. destruct (rounds_ok h) as (Nd & _). unfold est_grad.
  rewrite estimate_one_target; auto.
Qed.

Lemma wt_nonneg W h o : In o (outcomes h) -> 0 <= wt W h o.
Proof.
  destruct o as [a y]. intros H. apply outcomes_in in H.
  destruct (rounds_ok h) as (Nd & _ & L & C & _).
  apply weight_nonneg; simpl; try tauto. apply mixture_pos.
Qed.

Lemma inner_est_grad W h o M :
  In (fst o) (acts h) ->
  inner N D (est_grad W h o) M = wt W h o * inner N D (hinge_grad W h o (tgt h o)) M.
Proof.
  intros H. unfold inner. rewrite <- sum_scal. apply sum_ext. intros b _.
  rewrite <- sum_scal. apply sum_ext. intros j _. rewrite est_grad_one by auto. ring.
Qed.

(* Lem 6.2 along the tree. *)
Lemma per_round W V h o :
  In o (outcomes h) ->
  est_loss W h o W - est_loss W h o V <= inner N D (proj_grad W h o) (minusM W V).
Proof.
  destruct o as [a y]. intros H. pose proof H as H'. apply outcomes_in in H'.
  unfold proj_grad.
  rewrite (projM_self_adjoint N D (acts h) (acts_nodup h) (acts_incl h) (acts_nonempty h)).
  rewrite inner_est_grad, !est_loss_one by (simpl; tauto).
  pose proof (wt_nonneg W h (a, y) H) as Wn.
  rewrite <- Rmult_minus_distr_l. apply Rmult_le_compat_l; auto.
  rewrite inner_hinge_grad, !cstnd_hinge_eq, <- sum_minus. apply sum_le. intros b Hb.
  eapply Rle_trans; [apply (slope_subgradient (kink ((a, y) :: h) b)), kink_ok|].
  right. f_equal. unfold proj_scores, round_scores, scores. fold (acts h). rewrite <- sum_minus. apply sum_ext. intros j _.
  rewrite projM_minus. ring.
Qed.

(* Lem F.1 with the constant the proofs use: |Pi G|^2 <= K rho^2. *)
Lemma grad_norm W h o :
  In (fst o) (acts h) ->
  frob2 N D (proj_grad W h o) <= wt W h o * wt W h o * (INR (length (acts h)) * (rho * rho)).
Proof.
  intros H. destruct (rounds_ok h) as (Nd & _ & L & C & X).
  destruct (centring_never_lengthens N D (acts h) (est_grad W h o) (est_grad W h o) 0
    (acts_nodup h) (acts_incl h) (acts_nonempty h)) as (_ & P & _).
  eapply Rle_trans; [exact P|]. unfold frob2. rewrite inner_est_grad by auto.
  assert (E : inner N D (hinge_grad W h o (tgt h o)) (est_grad W h o)
              = inner N D (est_grad W h o) (hinge_grad W h o (tgt h o))).
  { apply sum_ext. intros. apply sum_ext. intros. ring. }
  rewrite E, inner_est_grad by auto. rewrite <- Rmult_assoc.
  apply Rmult_le_compat_l; [nra|].
  rewrite inner_hinge_grad.
  assert (R0 : 0 <= rho * rho) by nra.
  apply Rle_trans with (INR (length (others (acts h) (tgt h o))) * (rho * rho)).
  - apply sum_le_const. intros b Hb.
    set (x := r_input (env h)) in *. set (k := slope (kink (o :: h) b) (proj_scores W h b)).
    assert (K : 0 <= k <= 1) by (apply slope_unit, kink_ok).
    rewrite (sum_ext _ _ (fun j => k * (x j * x j))).
    + rewrite sum_scal. pose proof (sum_sq_nonneg (seq 0 D) x) as X0.
      set (q := sum (seq 0 D) (fun j => x j * x j)) in *.
      assert (k * k <= 1) by nra. assert (k * k * q <= 1 * q) by (apply Rmult_le_compat_r; auto).
      lra.
    + intros j _. unfold hinge_grad. apply mem_in in Hb. rewrite Hb. fold x. fold k. ring.
  - apply Rmult_le_compat_r; auto. apply le_INR. unfold others.
    clear. induction (acts h) as [|b l IH]; simpl; [lia|].
    destruct (negb (b =? tgt h o)%nat); simpl; lia.
Qed.

(* The conditional second moment when actions are weighted: K rho^2 times the sum of s_a / q_a. *)
Lemma second_moment_weighted h :
  Generic.identified n (r_experts (env h)) = false ->
  sum (outcomes h) (fun o => prob h o * frob2 N D (proj_grad (weights h) h o))
  <= INR (length (acts h)) * (rho * rho)
     * sum (acts h) (fun a => score n (r_law (env h)) (r_cost (env h)) a / mixture (weights h) h a).
Proof.
  intros I. destruct (rounds_ok h) as (Nd & _ & L & C & _).
  set (KR := INR (length (acts h)) * (rho * rho)).
  assert (KR0 : 0 <= KR).
  { apply Rmult_le_pos; [apply pos_INR|nra]. }
  unfold outcomes. rewrite sum_list_prod, <- sum_scal. apply sum_le. intros a Ha.
  apply Rle_trans with (KR * sum (seq 0 n) (fun y =>
    mixture (weights h) h a * r_law (env h) y * (wt (weights h) h (a, y) * wt (weights h) h (a, y)))).
  - rewrite <- sum_scal. apply sum_le. intros y Hy.
    assert (P : 0 <= prob h (a, y)).
    { apply tree_law. apply outcomes_in. apply seq_in_0 in Hy. auto. }
    pose proof (grad_norm (weights h) h (a, y) Ha) as G. fold KR in G.
    apply Rmult_le_compat_l with (r := prob h (a, y)) in G; auto.
    eapply Rle_trans; [exact G|]. unfold prob. simpl. right. ring.
  - apply Rmult_le_compat_l; auto.
    apply (weight_second_moment n (r_experts (env h))); auto. apply mixture_pos.
Qed.

Lemma second_moment_exact h :
  Generic.identified n (r_experts (env h)) = true ->
  sum (outcomes h) (fun o => prob h o * frob2 N D (proj_grad (weights h) h o))
  <= INR (length (acts h)) * (rho * rho).
Proof.
  intros I. destruct (tree_law h) as [P E].
  apply sum_weights_le; auto. intros [a y] H. apply outcomes_in in H.
  eapply Rle_trans; [apply grad_norm; simpl; tauto|]. unfold wt, weight. rewrite I. lra.
Qed.

(* Lem F.3, first part: K^3 rho^2 / gamma, hence N^3 rho^2 / gamma. *)
Lemma second_moment h :
  sum (outcomes h) (fun o => prob h o * frob2 N D (proj_grad (weights h) h o))
  <= INR N ^ 3 * (rho * rho) / gamma (S (length h)).
Proof.
  destruct (rounds_ok h) as (Nd & _ & L & C & _).
  pose proof (gamma_ok (S (length h)) ltac:(lia)) as G. set (g := gamma (S (length h))) in *.
  pose proof (acts_size h) as [K1 KN]. set (K := INR (length (acts h))) in *.
  assert (R0 : 0 <= rho * rho) by nra.
  assert (K3 : K ^ 3 <= INR N ^ 3) by (apply pow_incr; lra).
  apply Rle_trans with (K ^ 3 * (rho * rho) / g).
  - assert (Gi : 1 <= / g).
    { rewrite <- Rinv_1 at 1. apply Rinv_le_contravar; lra. }
    destruct (Generic.identified n (r_experts (env h))) eqn:I.
    + eapply Rle_trans; [apply second_moment_exact; auto|]. fold K.
      assert (K <= K ^ 3) by nra.
      apply Rle_trans with (K ^ 3 * (rho * rho)); [nra|].
      assert (0 <= K ^ 3 * (rho * rho)) by nra. unfold Rdiv. nra.
    + eapply Rle_trans; [apply second_moment_weighted; auto|]. fold K.
      assert (Sm : sum (acts h) (fun a => score n (r_law (env h)) (r_cost (env h)) a
                                          / mixture (weights h) h a) <= K * (K / g)).
      { apply sum_le_const. intros a Ha.
        pose proof (score_unit n _ _ _ L C a Ha) as U.
        pose proof (mix_floor n (r_experts (env h)) g (greedy (weights h) h) a ltac:(lra)) as F.
        change (g / K <= mixture (weights h) h a) in F.
        assert (F0 : 0 < g / K) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
        apply Rle_trans with (1 * / (g / K)).
        - apply Rmult_le_compat; try lra; [left; apply Rinv_0_lt_compat, mixture_pos|].
          apply Rinv_le_contravar; auto.
        - right. field. lra. }
      apply Rmult_le_compat_l with (r := K * (rho * rho)) in Sm; [|nra].
      eapply Rle_trans; [exact Sm|]. right. field. lra.
  - unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
    apply Rmult_le_compat_r; auto.
Qed.

(* Matrices as vectors. *)
Definition flat (W : Matrix) : nat * nat -> R := fun i => W (fst i) (snd i).
Definition entries : list (nat * nat) := list_prod (seq 0 N) (seq 0 D).

Lemma inner_flat V W : inner N D V W = dot entries (flat V) (flat W).
Proof. unfold dot, entries. rewrite sum_list_prod. reflexivity. Qed.

Lemma frob2_flat W : frob2 N D W = norm2 entries (flat W).
Proof. apply inner_flat. Qed.

Lemma ballM_flat W i : flat (ballM N D B W) i = ball_proj entries B (flat W) i.
Proof.
  unfold ballM, ball_proj. rewrite <- frob2_flat.
  destruct (Rle_dec (frob2 N D W) (B * B)); reflexivity.
Qed.

Lemma weights_in_ball h : frob2 N D (weights h) <= B * B.
Proof.
  destruct h as [|o h].
  - unfold frob2, inner. rewrite sum_zero; [nra|]. intros. apply sum_zero. intros. simpl. ring.
  - rewrite frob2_flat. simpl. unfold step. fold N.
    unfold norm2. erewrite dot_ext; [|intros; apply ballM_flat|intros; apply ballM_flat].
    apply (ball_proj_in entries B); auto.
Qed.

(* Gradient descent along one path. *)
Lemma ogd_path V : forall h,
  frob2 N D V <= B * B ->
  along (fun h o => inner N D (proj_grad (weights h) h o) (minusM (weights h) V)) h
  <= 2 * (B * B) / eta (max 1 (length h))
     - frob2 N D (minusM (weights h) V) / (2 * eta (max 1 (length h)))
     + along (fun h o => eta (S (length h)) / 2 * frob2 N D (proj_grad (weights h) h o)) h.
Proof.
  induction h as [|o h IH]; intros HV.
  - simpl along. simpl length. change (max 1 0) with 1%nat.
    pose proof (eta_pos 1 ltac:(lia)).
    pose proof (weights_in_ball nil) as W0. simpl in W0.
    pose proof (ball_diameter entries B (flat (weights nil)) (flat V)) as Dm.
    unfold in_ball in Dm. rewrite <- !frob2_flat in Dm. specialize (Dm W0 HV).
    change (norm2 entries (vsub (flat (weights nil)) (flat V)))
      with (norm2 entries (flat (minusM (weights nil) V))) in Dm. rewrite <- frob2_flat in Dm.
    set (f := frob2 N D (minusM (weights nil) V)) in *.
    assert (0 <= (4 * (B * B) - f) * / (2 * eta 1%nat)).
    { apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra. }
    replace ((4 * (B * B) - f) * / (2 * eta 1%nat))
      with (2 * (B * B) / eta 1%nat - f / (2 * eta 1%nat)) in * by (field; lra). lra.
  - specialize (IH HV). simpl along.
    change (length (o :: h)) with (S (length h)).
    replace (max 1 (S (length h))) with (S (length h)) by lia.
    set (G := proj_grad (weights h) h o). set (e := eta (S (length h))).
    pose proof (ogd_potential entries B (eta (max 1 (length h))) e (flat (weights h)) (flat G)
      (flat V) (along (fun h o => inner N D (proj_grad (weights h) h o) (minusM (weights h) V)) h
        - along (fun h o => eta (S (length h)) / 2 * frob2 N D (proj_grad (weights h) h o)) h)
      Brad (eta_pos (S (length h)) ltac:(lia))) as P.
    assert (De : e <= eta (max 1 (length h))).
    { unfold e. destruct (length h) as [|k]; [simpl; lra|].
      replace (max 1 (S k)) with (S k) by lia. apply eta_dec. lia. }
    specialize (P De). unfold in_ball in P. rewrite <- !frob2_flat in P.
    specialize (P (weights_in_ball h) HV).
    change (vsub (flat (weights h)) (flat V)) with (flat (minusM (weights h) V)) in P.
    rewrite <- frob2_flat, <- inner_flat in P. specialize (P ltac:(lra)).
    assert (E : norm2 entries
        (vsub (ball_proj entries B (vsub (flat (weights h)) (vscal e (flat G)))) (flat V))
      = frob2 N D (minusM (weights (o :: h)) V)).
    { rewrite frob2_flat.
      assert (Q : forall i,
        vsub (ball_proj entries B (vsub (flat (weights h)) (vscal e (flat G)))) (flat V) i
        = flat (minusM (weights (o :: h)) V) i).
      { intros i. unfold vsub at 1.
        change (flat (minusM (weights (o :: h)) V) i)
          with (flat (ballM N D B (fun b j => weights h b j - e * G b j)) i - flat V i).
        rewrite ballM_flat. reflexivity. }
      apply dot_ext; intros; apply Q. }
    rewrite E in P. lra.
Qed.

(* Expected surrogate excess over a fixed matrix of the ball, for any steps. *)
Lemma expected_excess T V :
  (1 <= T)%nat -> frob2 N D V <= B * B ->
  E_run T (along (fun h _ => sur_cond (weights h) h - sur_cond V h))
  <= 2 * (B * B) / eta T
     + E_run T (along (fun h o => eta (S (length h)) / 2 * frob2 N D (proj_grad (weights h) h o))).
Proof.
  intros HT HV. unfold E_run.
  assert (laws : forall h, possible outcomes h -> node_law outcomes prob h)
    by (intros; apply tree_law).
  rewrite (expect_along_eq outcomes prob laws T _
    (fun h o => est_loss (weights h) h o (weights h) - est_loss (weights h) h o V)).
  - rewrite <- (expect_const outcomes prob laws T (2 * (B * B) / eta T) nil) by (simpl; auto).
    rewrite <- expect_plus. apply (expect_le outcomes prob laws); [simpl; auto|].
    intros h P Lh. simpl in Lh. rewrite Nat.add_0_r in Lh.
    eapply Rle_trans; [apply (along_le outcomes _
      (fun h o => inner N D (proj_grad (weights h) h o) (minusM (weights h) V))); auto|].
    + intros h' o _ Ho. apply per_round; auto.
    + pose proof (ogd_path V h HV) as O. rewrite Lh in O. replace (max 1 T) with T in O by lia.
      pose proof (eta_pos T HT).
      assert (0 <= frob2 N D (minusM (weights h) V) / (2 * eta T)).
      { apply Rmult_le_pos; [apply frob2_nonneg|]. left. apply Rinv_0_lt_compat. lra. }
      lra.
  - intros h _. destruct (tree_law h) as [_ E].
    rewrite sum_scal_r, E.
    rewrite (sum_ext _ (fun o => prob h o * (est_loss (weights h) h o (weights h)
                                             - est_loss (weights h) h o V))
      (fun o => prob h o * est_loss (weights h) h o (weights h)
                - prob h o * est_loss (weights h) h o V)) by (intros; ring).
    rewrite sum_minus, !est_loss_unbiased. ring.
Qed.

End Algorithm.
