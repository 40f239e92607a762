(* Costs, losses and scores (Sec. 3, Sec. 4.2, last line of Thm 5.1).
   Claims: cost-range, batch-reduction, absent-experts, score-mass; and two of this project:
   experts-never-best (an expert that is a map from inputs to labels is never a best action when
   asking costs something) and normalisation-changes-the-rule. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions.
Import ListNotations.
Open Scope R_scope.

Lemma div_le_1 x y : 0 < y -> x <= y -> x / y <= 1.
Proof.
  intros P L. apply Rmult_le_reg_r with y; auto. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma div_nonneg x y : 0 <= x -> 0 < y -> 0 <= x / y.
Proof. intros. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. auto. Qed.

(* The normalised cost lies in [0, 1]; the normaliser is the least number of at least one that does
   this; for alpha = 1 a wrong answer costs 1 and a right one beta / (1 + beta). *)
(* claim: cost-range *)
Theorem normalised_cost_is_in_the_unit_interval :
  forall alpha beta, 0 <= alpha -> 0 <= beta ->
  (forall wrong, 0 <= norm_cost alpha beta wrong <= 1)
  /\ (forall Q, 1 <= Q -> (forall wrong, raw_cost alpha beta wrong / Q <= 1) ->
        normalizer alpha beta <= Q)
  /\ norm_cost 1 beta true = 1
  /\ norm_cost 1 beta false = beta / (1 + beta)
  /\ (0 < beta -> 0 < norm_cost 1 beta false).
Proof.
  intros alpha beta Ha Hb.
  assert (M : 0 < Rmax 1 (alpha + beta)) by (pose proof (Rmax_l 1 (alpha + beta)); lra).
  assert (O : Rmax 1 (1 + beta) = 1 + beta) by (apply Rmax_right; lra).
  repeat split.
  - rewrite norm_cost_eq. apply div_nonneg; auto. destruct wrong; lra.
  - rewrite norm_cost_eq. apply div_le_1; auto. pose proof (Rmax_r 1 (alpha + beta)).
    destruct wrong; lra.
  - intros Q HQ C. change (Rmax 1 (alpha + beta) <= Q). apply Rmax_lub; auto.
    specialize (C true). rewrite raw_cost_eq in C.
    apply Rmult_le_reg_r with (/ Q); [apply Rinv_0_lt_compat; lra|].
    rewrite Rinv_r by lra. exact C.
  - rewrite norm_cost_eq, O. apply Rinv_r. lra.
  - rewrite norm_cost_eq, O. reflexivity.
  - intros P. rewrite norm_cost_eq, O. apply Rdiv_lt_0_compat; lra.
Qed.

(* Batch learning to defer, Def 3.2 and Def 3.3: n classes and experts 0..ne-1, all of them there. *)
Definition batch_loss (n : nat) (c : nat -> nat -> R) (a y : nat) : R :=
  if Nat.ltb a n then (if Nat.eqb a y then 0 else 1) else c (a - n)%nat y.
Definition batch_surrogate (phi : Loss) (n ne : nat) (c : nat -> nat -> R) (u : nat -> R) (y : nat) : R :=
  phi (seq 0 (n + ne)) y u
  + sum (seq 0 ne) (fun j => (1 - c j y) * phi (seq 0 (n + ne)) (n + j)%nat u).

Lemma active_all n ne : active n (seq 0 ne) = seq 0 (n + ne).
Proof.
  unfold active. rewrite seq_app. f_equal. simpl.
  induction ne as [|ne IH]; auto.
  rewrite (seq_S ne n), seq_S, map_app, IH. reflexivity.
Qed.

Definition point (a : nat) : nat -> R := fun b => if Nat.eqb b a then 1 else 0.

(* claim: batch-reduction *)
Theorem with_every_expert_there_the_losses_are_the_batch_ones :
  forall phi n ne c u y,
  (y < n)%nat ->
  (forall a, (a < n + ne)%nat ->
     true_loss n c a y = batch_loss n c a y
     /\ true_loss_mix n (active n (seq 0 ne)) c (point a) y = batch_loss n c a y)
  /\ phi_def phi n (seq 0 ne) c u y = batch_surrogate phi n ne c u y.
Proof.
  intros phi n ne c u y Hy. split.
  - intros a Ha. split; [reflexivity|].
    rewrite true_loss_mix_eq, active_all.
    rewrite (sum_ext _ _ (fun b => if Nat.eqb b a then batch_loss n c b y else 0)).
    + apply (sum_single _ a (fun b => batch_loss n c b y)); [apply seq_NoDup|]. apply seq_in_0. auto.
    + intros b _. unfold point. change (true_loss n c b y) with (batch_loss n c b y).
      destruct (Nat.eqb b a); ring.
  - rewrite phi_def_eq, deferral_eq, active_all. unfold batch_surrogate. f_equal.
    + rewrite varying_eq. assert (M : mem y (seq 0 (n + ne)) = true).
      { apply mem_in, seq_in_0. lia. } rewrite M. reflexivity.
    + apply sum_ext. intros j Hj. apply seq_in_0 in Hj. rewrite varying_eq.
      assert (M : mem (n + j) (seq 0 (n + ne)) = true).
      { apply mem_in, seq_in_0. lia. } rewrite M. reflexivity.
Qed.

(* Losses that look at active scores only. *)
Definition ten_surrogates (alpha tau : R) : list Loss :=
  [comp_exp; comp_log; comp_gce alpha; comp_mae; sum_sq; sum_exp; sum_tau tau;
   cstnd_hinge; cstnd_sq; cstnd_tau tau].

Lemma softmax_local A a u v :
  In a A -> (forall b, In b A -> u b = v b) -> softmax A u a = softmax A v a.
Proof.
  intros Ha E. unfold softmax. rewrite (E a Ha). f_equal.
  apply sum_ext. intros b Hb. rewrite (E b Hb). reflexivity.
Qed.

Lemma ten_are_local alpha tau phi :
  In phi (ten_surrogates alpha tau) ->
  forall A a u v, In a A -> (forall b, In b A -> u b = v b) -> phi A a u = phi A a v.
Proof.
  intros H A a u v Ha E.
  assert (O : forall b, In b (others A a) -> u b = v b).
  { intros b Hb. apply others_in in Hb. apply E. tauto. }
  assert (Ea := E a Ha). pose proof (softmax_local A a u v Ha E) as S.
  simpl in H.
  repeat (destruct H as [<-|H]);
    try (unfold comp_log, comp_gce, comp_mae; rewrite S; reflexivity);
    try (apply sum_ext; intros b Hb; cbn; rewrite ?Ea, (O b Hb); reflexivity).
  tauto.
Qed.

(* claim: absent-experts *)
Theorem absent_experts_do_not_matter :
  forall alpha tau phi n E c u v,
  In phi (ten_surrogates alpha tau) ->
  (forall a, In a (active n E) -> u a = v a) ->
  (forall a, varying phi (active n E) a u = varying phi (active n E) a v)
  /\ (forall y, phi_def phi n E c u y = phi_def phi n E c v y)
  /\ (forall a, In a (active n E) -> proj (active n E) u a = proj (active n E) v a).
Proof.
  intros alpha tau phi n E c u v H L.
  assert (V : forall a, varying phi (active n E) a u = varying phi (active n E) a v).
  { intros a. rewrite !varying_eq. destruct (mem a (active n E)) eqn:M; auto.
    apply mem_in in M. apply (ten_are_local alpha tau phi H); auto. }
  repeat split; auto.
  - intros y. rewrite !phi_def_eq, !deferral_eq. f_equal; auto.
    apply sum_ext. intros j _. rewrite V. reflexivity.
  - intros a Ha. rewrite !proj_eq, (L a Ha), (sum_ext _ u v) by auto. reflexivity.
Qed.

(* Scores. *)

Lemma score_class n p c y : (y < n)%nat -> score n p c y = p y.
Proof. intros H. rewrite score_eq. apply Nat.ltb_lt in H. rewrite H. reflexivity. Qed.

Lemma score_expert n p c j :
  score n p c (n + j)%nat = 1 - sum (seq 0 n) (fun y => p y * c j y).
Proof.
  rewrite score_eq. assert (H : Nat.ltb (n + j) n = false) by (apply Nat.ltb_ge; lia).
  rewrite H. replace (n + j - n)%nat with j by lia. reflexivity.
Qed.

Lemma expert_cost_unit n E p c j :
  is_law n p -> unit_costs n E c -> In j E -> 0 <= sum (seq 0 n) (fun y => p y * c j y) <= 1.
Proof.
  intros [P S] U Hj. split.
  - apply sum_nonneg. intros y Hy. apply seq_in_0 in Hy.
    specialize (P y Hy). specialize (U j y Hj Hy). nra.
  - apply sum_weights_le; auto.
    + intros y Hy. apply seq_in_0 in Hy. auto.
    + intros y Hy. apply seq_in_0 in Hy. apply (U j y Hj Hy).
Qed.

Lemma score_unit n E p c a :
  is_law n p -> unit_costs n E c -> In a (active n E) -> 0 <= score n p c a <= 1.
Proof.
  intros Lw U Ha. apply active_in in Ha. destruct Ha as [Hy|[j [Hj ->]]].
  - rewrite score_class by auto. destruct Lw as [P S]. split; auto.
    rewrite <- S. apply (sum_term_le (seq 0 n) p a).
    + intros y Iy. apply seq_in_0 in Iy. auto.
    + apply seq_in_0. auto.
  - rewrite score_expert. pose proof (expert_cost_unit n E p c j Lw U Hj). lra.
Qed.

Lemma mass_split n E p c :
  is_law n p ->
  mass (active n E) (score n p c)
  = 1 + sum E (fun j => 1 - sum (seq 0 n) (fun y => p y * c j y)).
Proof.
  intros [P S]. rewrite mass_eq, sum_active. f_equal.
  - rewrite <- S. apply sum_ext. intros y Hy. apply seq_in_0 in Hy. apply score_class; auto.
  - apply sum_ext. intros j _. apply score_expert.
Qed.

(* The mass lies between 1 and 1 + the number of available experts, which is K - n + 1 and less
   than K from two classes on; both ends are attained, for every law and every pool. *)
(* claim: score-mass *)
Theorem score_mass_is_between_one_and_K :
  forall n E p c,
  (2 <= n)%nat -> is_law n p -> unit_costs n E c ->
  1 <= mass (active n E) (score n p c)
  /\ mass (active n E) (score n p c) <= INR (length (active n E)) - INR n + 1
  /\ INR (length (active n E)) - INR n + 1 < INR (length (active n E))
  /\ mass (active n E) (score n p (fun _ _ => 1)) = 1
  /\ mass (active n E) (score n p (fun _ _ => 0)) = INR (length (active n E)) - INR n + 1.
Proof.
  intros n E p c Hn Lw U.
  assert (K : INR (length (active n E)) - INR n + 1 = 1 + INR (length E) * 1).
  { rewrite active_length, plus_INR. ring. }
  repeat split.
  - rewrite mass_split by auto.
    assert (0 <= sum E (fun j => 1 - sum (seq 0 n) (fun y => p y * c j y))); [|lra].
    apply sum_nonneg. intros j Hj. pose proof (expert_cost_unit n E p c j Lw U Hj). lra.
  - rewrite mass_split, K by auto. apply Rplus_le_compat_l. apply sum_le_const.
    intros j Hj. pose proof (expert_cost_unit n E p c j Lw U Hj). lra.
  - apply le_INR in Hn. simpl in Hn. lra.
  - rewrite mass_split by auto. rewrite sum_zero; [ring|]. intros j _.
    rewrite (sum_ext _ _ p) by (intros; cbv beta; ring). destruct Lw as [_ ->]. ring.
  - rewrite mass_split, K by auto. rewrite <- sum_const. f_equal. apply sum_ext. intros j _.
    rewrite (sum_zero (seq 0 n)) by (intros; cbv beta; ring). ring.
Qed.

(* An expert that is a map answers one label g at this input. With alpha >= 1 its score is
   alpha p(g) / (alpha + beta), at most p(g): asking is never the only best action, and no best
   action at all when beta > 0. (Costs may differ between experts; alpha = 1 is the common case.) *)
Definition map_costs (alpha beta : nat -> R) (g : nat -> nat) : nat -> nat -> R :=
  fun j y => norm_cost (alpha j) (beta j) (negb (Nat.eqb (g j) y)).

Lemma map_expert_score n p alpha beta g j :
  is_law n p -> (g j < n)%nat -> 1 <= alpha j -> 0 <= beta j ->
  score n p (map_costs alpha beta g) (n + j)%nat = alpha j * p (g j) / (alpha j + beta j).
Proof.
  intros [P S] Hg Ha Hb. rewrite score_expert.
  assert (M : Rmax 1 (alpha j + beta j) = alpha j + beta j) by (apply Rmax_right; lra).
  assert (Hin : In (g j) (seq 0 n)) by (apply seq_in_0; auto).
  rewrite (sum_ext _ _ (fun y => p y - (if Nat.eqb y (g j)
            then alpha j / (alpha j + beta j) * p y else 0))).
  - rewrite sum_minus, S.
    rewrite (sum_single (seq 0 n) (g j) (fun y => alpha j / (alpha j + beta j) * p y)
               (seq_NoDup _ _) Hin).
    field. lra.
  - intros y _. unfold map_costs. rewrite norm_cost_eq, M.
    destruct (Nat.eqb_spec (g j) y), (Nat.eqb_spec y (g j)); try congruence; simpl; field; lra.
Qed.

(* claim: experts-never-best *)
Theorem an_expert_that_is_a_map_is_never_best_when_asking_costs :
  forall n E p alpha beta g,
  is_law n p ->
  (forall j, In j E -> (g j < n)%nat /\ 1 <= alpha j /\ 0 <= beta j) ->
  forall j, In j E ->
  score n p (map_costs alpha beta g) (n + j)%nat
    <= score n p (map_costs alpha beta g) (g j)
  /\ (0 < beta j -> ~ is_argmax (active n E) (score n p (map_costs alpha beta g)) (n + j)%nat).
Proof.
  intros n E p alpha beta g Lw C j Hj. destruct (C j Hj) as [Hg [Ha Hb]].
  pose proof (map_expert_score n p alpha beta g j Lw Hg Ha Hb) as S.
  assert (P : 0 <= p (g j)) by (apply Lw; auto).
  assert (L : alpha j * p (g j) / (alpha j + beta j) <= p (g j)).
  { apply Rmult_le_reg_r with (alpha j + beta j); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  split.
  - rewrite S, score_class by auto. exact L.
  - intros B [_ M].
    assert (Y : exists y, (y < n)%nat /\ 0 < p y).
    { assert (A : n <> 0%nat -> exists r, is_argmax (seq 0 n) p r).
      { intros N0. apply argmax_exists. destruct n; [congruence|discriminate]. }
      destruct A as [r [Hr Mr]].
      { intros ->. lia. }
      exists r. apply seq_in_0 in Hr. split; auto.
      destruct Lw as [Pn Sn]. destruct (Rlt_dec 0 (p r)); auto. exfalso.
      assert (sum (seq 0 n) p <= INR (length (seq 0 n)) * 0); [|lra].
      apply sum_le_const. intros y Hy. specialize (Mr y Hy). lra. }
    destruct Y as [y [Hy Py]].
    assert (My := M y (proj2 (active_in n E y) (or_introl Hy))).
    rewrite (score_class n p _ y Hy), S in My.
    assert (Mg := M (g j) (proj2 (active_in n E (g j)) (or_introl Hg))).
    rewrite (score_class n p _ (g j) Hg), S in Mg.
    assert (Pg : 0 < p (g j)) by lra.
    apply Rmult_le_compat_r with (r := alpha j + beta j) in Mg; [|lra].
    unfold Rdiv in Mg. rewrite Rmult_assoc, Rinv_l in Mg by lra. nra.
Qed.

(* With alpha < 1 an expert that is a map can be the only best action: alpha = 1/2, beta = 1/10,
   two equally likely classes, score 13/20. *)
Example alpha_below_one_is_different :
  score 2 (fun _ => 1 / 2) (map_costs (fun _ => 1 / 2) (fun _ => 1 / 10) (fun _ => 0%nat)) 2
  = 13 / 20.
Proof.
  unfold map_costs. rewrite score_eq. simpl. rewrite !norm_cost_eq. simpl.
  rewrite Rmax_left by lra. field.
Qed.

(* Only the expert's cost is divided. Three classes with p = (.42, .29, .29), an expert whose answer
   is random given the input and right half the time, alpha = 1 and beta = 1/10: by raw costs
   predicting class 0 is best, by normalised ones asking is. *)
Definition rule_p (y : nat) : R := match y with 0%nat => 42 / 100 | _ => 29 / 100 end.
Definition half_right (cost : bool -> R) : nat -> nat -> R :=
  fun _ _ => 1 / 2 * cost true + 1 / 2 * cost false.

(* claim: normalisation-changes-the-rule *)
Theorem normalising_only_the_expert_changes_the_decision :
  is_law 3 rule_p
  /\ true_risk 3 rule_p (half_right (raw_cost 1 (1 / 10))) 0
     < true_risk 3 rule_p (half_right (raw_cost 1 (1 / 10))) 3
  /\ (forall y, (y < 3)%nat ->
        true_risk 3 rule_p (half_right (norm_cost 1 (1 / 10))) 3
        < true_risk 3 rule_p (half_right (norm_cost 1 (1 / 10))) y).
Proof.
  assert (M : Rmax 1 (1 + 1 / 10) = 11 / 10) by (rewrite Rmax_right; lra).
  repeat split.
  - intros y _. unfold rule_p. destruct y; lra.
  - simpl. lra.
  - rewrite !true_risk_eq. cbn [seq sum]. rewrite !true_loss_eq. unfold half_right, rule_p.
    cbn [Nat.ltb Nat.leb Nat.eqb]. rewrite !raw_cost_eq. lra.
  - intros y Hy. rewrite !true_risk_eq.
    destruct y as [|[|[|y]]]; [| | |lia];
      cbn [seq sum]; rewrite !true_loss_eq; unfold half_right, rule_p;
      cbn [Nat.ltb Nat.leb Nat.eqb]; rewrite !norm_cost_eq, M; lra.
Qed.
