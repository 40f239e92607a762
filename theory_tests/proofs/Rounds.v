(* One round of the protocol, as the theorems about regret use it: scores, risks, the exploration
   mixture and the importance-weighted estimate. No theorem stands here for a claim of its own. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions.
Import ListNotations.
Open Scope R_scope.

(* The definitions are instances of generic ones: say that an equation is one between reals. *)
Ltac reals := match goal with |- @eq _ ?x ?y => change (@eq R x y) end.
Ltac rring := reals; ring.
Ltac rfield := reals; field.

Section Round.
Variables (n : nat) (E : list nat) (p : nat -> R) (c : nat -> nat -> R).
Hypothesis nodup : NoDup E.
Hypothesis law : is_law n p.
Hypothesis costs : unit_costs n E c.

Let A := active n E.
Let s := score n p c.

Lemma round_nodup : NoDup A.
Proof. apply active_nodup; auto. Qed.

Lemma round_class y : (y < n)%nat -> In y A.
Proof. intros H. apply active_in. auto. Qed.

Lemma round_expert j : In j E -> In (n + j)%nat A.
Proof. intros H. apply active_in. eauto. Qed.

Lemma round_nonempty : A <> nil.
Proof.
  destruct law as [_ S]. destruct n as [|m]; [simpl in S; lra|]. unfold A, active. simpl. discriminate.
Qed.

Lemma round_size_pos : 1 <= INR (length A).
Proof.
  pose proof round_nonempty. destruct A as [|a l]; [congruence|].
  change (length (a :: l)) with (S (length l)). rewrite S_INR. pose proof (pos_INR (length l)). lra.
Qed.

Lemma score_class a : (a < n)%nat -> s a = p a.
Proof. intros H. unfold s. rewrite score_eq. apply Nat.ltb_lt in H. rewrite H. auto. Qed.

Lemma score_expert j : s (n + j)%nat = 1 - sum (seq 0 n) (fun y => p y * c j y).
Proof.
  unfold s. rewrite score_eq. replace (n + j <? n)%nat with false.
  - replace (n + j - n)%nat with j by lia. reflexivity.
  - symmetry. apply Nat.ltb_ge. lia.
Qed.

Lemma law_le_1 y : (y < n)%nat -> 0 <= p y <= 1.
Proof.
  intros H. destruct law as [P S]. split; auto. rewrite <- S.
  apply (sum_term_le (seq 0 n) p y); [|apply seq_in_0; auto].
  intros z Hz. apply seq_in_0 in Hz. auto.
Qed.

Lemma expected_cost_unit j : In j E -> 0 <= sum (seq 0 n) (fun y => p y * c j y) <= 1.
Proof.
  intros H. destruct law as [P S]. split.
  - apply sum_nonneg. intros y Hy. apply seq_in_0 in Hy. specialize (P y Hy).
    destruct (costs j y H Hy). nra.
  - rewrite <- S. apply sum_le. intros y Hy. apply seq_in_0 in Hy. specialize (P y Hy).
    destruct (costs j y H Hy). nra.
Qed.

Lemma score_unit a : In a A -> 0 <= s a <= 1.
Proof.
  intros H. apply active_in in H. destruct H as [H|[j [H ->]]].
  - rewrite score_class by auto. apply law_le_1; auto.
  - rewrite score_expert. pose proof (expected_cost_unit j H). lra.
Qed.

Lemma mass_at_least_1 : 1 <= sum A s.
Proof.
  unfold A. rewrite sum_active. destruct law as [P S].
  rewrite (sum_ext (seq 0 n) s p), S.
  - assert (0 <= sum E (fun j => s (n + j)%nat)); [|lra].
    apply sum_nonneg. intros j Hj. apply score_unit, round_expert; auto.
  - intros y Hy. apply seq_in_0 in Hy. apply score_class; auto.
Qed.

Lemma mass_at_most_size : sum A s <= INR (length A).
Proof.
  replace (INR (length A)) with (INR (length A) * 1) by rring.
  apply sum_le_const. intros a Ha. apply score_unit; auto.
Qed.

(* Lem D.1: the conditional true risk of an active action. *)
Lemma true_risk_score a : In a A -> true_risk n p c a = 1 - s a.
Proof.
  intros H. rewrite true_risk_eq. apply active_in in H. destruct H as [H|[j [H ->]]].
  - rewrite score_class by auto. destruct law as [P S].
    rewrite (sum_ext _ _ (fun y => p y - (if Nat.eqb y a then p y else 0))).
    + rewrite sum_minus, S, sum_single; auto using seq_NoDup. apply seq_in_0; auto.
    + intros y _. rewrite true_loss_eq. apply Nat.ltb_lt in H. rewrite H, (Nat.eqb_sym a y).
      destruct (Nat.eqb y a); rring.
  - rewrite score_expert.
    rewrite (sum_ext _ _ (fun y => p y * c j y)); [rring|].
    intros y _. rewrite true_loss_eq. replace (n + j <? n)%nat with false.
    + replace (n + j - n)%nat with j by lia. reflexivity.
    + symmetry. apply Nat.ltb_ge. lia.
Qed.

Lemma true_risk_mix_score q : true_risk_mix n A p c q = sum A (fun a => q a * (1 - s a)).
Proof.
  rewrite true_risk_mix_eq.
  rewrite (sum_ext (seq 0 n) _ (fun y => sum A (fun a => q a * (p y * true_loss n c a y)))).
  - rewrite sum_swap. apply sum_ext. intros a Ha.
    rewrite <- true_risk_score by auto. rewrite true_risk_eq, <- sum_scal. reflexivity.
  - intros y _. rewrite true_loss_mix_eq, <- sum_scal. apply sum_ext. intros. rring.
Qed.

(* Lem D.2: the conditional surrogate risk. *)
Lemma surrogate_risk_score phi u :
  sum (seq 0 n) (fun y => p y * phi_def phi n E c u y) = risk phi A s u.
Proof.
  rewrite risk_eq. unfold A at 1. rewrite sum_active. destruct law as [P S].
  rewrite (sum_ext (seq 0 n) (fun y => p y * phi_def phi n E c u y)
    (fun y => s y * phi A y u
              + sum E (fun j => (p y * (1 - c j y)) * phi A (n + j)%nat u))).
  - rewrite sum_plus. f_equal. rewrite sum_swap. apply sum_ext. intros j Hj.
    rewrite sum_scal_r, score_expert. f_equal.
    rewrite (sum_ext _ _ (fun y => p y - p y * c j y)) by (intros; rring).
    rewrite sum_minus, S. reflexivity.
  - intros y Hy. apply seq_in_0 in Hy.
    rewrite phi_def_eq, deferral_eq, varying_eq, score_class by auto.
    assert (M : mem y (active n E) = true) by (apply mem_in, round_class; auto). rewrite M.
    rewrite Rmult_plus_distr_l, <- sum_scal. f_equal. apply sum_ext. intros j Hj.
    rewrite varying_eq.
    assert (M' : mem (n + j) (active n E) = true) by (apply mem_in, round_expert; auto).
    rewrite M'. unfold A. rring.
Qed.

(* The exploration mixture. *)
Lemma mix_sum A' gamma r f :
  NoDup A' -> In r A' ->
  sum A' (fun a => mix A' gamma r a * f a)
  = (1 - gamma) * f r + gamma / INR (length A') * sum A' f.
Proof.
  intros N H.
  rewrite (sum_ext A' _ (fun a => (if Nat.eqb a r then (1 - gamma) * f a else 0)
                                  + gamma / INR (length A') * f a)).
  - rewrite sum_plus, (sum_single A' r (fun a => (1 - gamma) * f a) N H), sum_scal. reflexivity.
  - intros a _. rewrite mix_eq. destruct (Nat.eqb a r); rring.
Qed.

Lemma mix_floor gamma r a :
  0 <= gamma <= 1 -> gamma / INR (length A) <= mix A gamma r a.
Proof. intros H. rewrite mix_eq. destruct (Nat.eqb a r); lra. Qed.

Lemma mix_dist gamma r : 0 <= gamma <= 1 -> In r A -> is_dist A (mix A gamma r).
Proof.
  intros H Hr. pose proof round_size_pos as K. split.
  - intros a Ha. pose proof (mix_floor gamma r a H).
    assert (0 <= gamma / INR (length A)).
    { apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra. } lra.
  - rewrite (sum_ext A _ (fun a => mix A gamma r a * 1)) by (intros; symmetry; apply Rmult_1_r).
    rewrite (mix_sum A gamma r (fun _ => 1) round_nodup Hr), sum_const. rfield. lra.
Qed.

Lemma mix_positive gamma r a : 0 < gamma <= 1 -> 0 < mix A gamma r a.
Proof.
  intros H. pose proof round_size_pos as K. pose proof (mix_floor gamma r a ltac:(lra)).
  assert (0 < gamma / INR (length A)); [|lra].
  apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat. lra.
Qed.

(* Exploring costs at most gamma. *)
Lemma mix_price gamma r :
  0 <= gamma <= 1 -> In r A ->
  true_risk_mix n A p c (mix A gamma r) <= true_risk n p c r + gamma.
Proof.
  intros H Hr. pose proof round_size_pos as K.
  rewrite true_risk_mix_score, true_risk_score by auto.
  rewrite (mix_sum A gamma r (fun a => 1 - s a) round_nodup Hr).
  assert (L : sum A (fun a => 1 - s a) <= INR (length A) * 1).
  { apply sum_le_const. intros a Ha. pose proof (score_unit a Ha). lra. }
  assert (L' : gamma / INR (length A) * sum A (fun a => 1 - s a) <= gamma).
  { apply Rle_trans with (gamma / INR (length A) * (INR (length A) * 1)).
    - apply Rmult_le_compat_l; auto.
      apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
    - right. rfield. lra. }
  pose proof (score_unit r Hr). nra.
Qed.

(* What the estimate of a round weighs: one target action, with this weight. *)
Definition target (a y : nat) : nat :=
  if Generic.identified n E then Generic.named_label a y else a.
Definition weight (q : nat -> R) (a y : nat) : R :=
  if Generic.identified n E then 1 else (1 - true_loss n c a y) / q a.

Lemma identified_spec : Generic.identified n E = true -> n = 2%nat /\ E = nil.
Proof.
  unfold Generic.identified. rewrite andb_true_iff, !Nat.eqb_eq. intros [H H'].
  split; auto. destruct E; simpl in *; [auto|discriminate].
Qed.

Lemma named_label_spec a y :
  Generic.identified n E = true -> In a A -> (y < n)%nat -> Generic.named_label a y = y.
Proof.
  intros H Ha Hy. destruct (identified_spec H) as [-> ->]. unfold A, active in Ha.
  rewrite app_nil_r in Ha. apply seq_in_0 in Ha. unfold Generic.named_label.
  destruct (Nat.eqb_spec a y); [auto|lia].
Qed.

Lemma target_in a y : In a A -> (y < n)%nat -> In (target a y) A.
Proof.
  intros Ha Hy. unfold target. destruct (Generic.identified n E) eqn:I; auto.
  rewrite (named_label_spec a y I Ha Hy). apply round_class; auto.
Qed.

Lemma estimate_one_target q a y f :
  In a A -> round_estimate n E c q a y f = weight q a y * f (target a y).
Proof.
  intros Ha. unfold round_estimate, Generic.round_estimate, weight, target.
  destruct (Generic.identified n E) eqn:I; [symmetry; apply Rmult_1_l|].
  change (Generic.estimate RA n E c q a y f) with (estimate n E c q a y f).
  rewrite estimate_eq, v0_eq, true_loss_eq.
  apply active_in in Ha. destruct Ha as [H|[j [H ->]]].
  - rewrite (sum_zero E).
    + apply Nat.ltb_lt in H. rewrite H. simpl. destruct (Nat.eqb a y); unfold Rdiv; rring.
    + intros j Hj. rewrite vj_eq. destruct (Nat.eqb_spec a (n + j)); [lia|]. rring.
  - replace (n + j <? n)%nat with false by (symmetry; apply Nat.ltb_ge; lia).
    replace (n + j - n)%nat with j by lia. simpl.
    rewrite (sum_ext E _ (fun i => if Nat.eqb i j then 1 / q (n + i)%nat * (1 - c i y) * f (n + i)%nat else 0)).
    + rewrite (sum_single E j (fun i => 1 / q (n + i)%nat * (1 - c i y) * f (n + i)%nat) nodup H).
      unfold Rdiv. rring.
    + intros i Hi. rewrite vj_eq.
      destruct (Nat.eqb_spec (n + j) (n + i)); destruct (Nat.eqb_spec i j); subst; try lia; rring.
Qed.

Lemma weight_nonneg q a y :
  In a A -> (y < n)%nat -> 0 < q a -> 0 <= weight q a y.
Proof.
  intros Ha Hy Hq. unfold weight. destruct (Generic.identified n E); [lra|].
  apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; auto]. rewrite true_loss_eq.
  apply active_in in Ha. destruct Ha as [H|[j [H ->]]].
  - apply Nat.ltb_lt in H. rewrite H. destruct (Nat.eqb a y); lra.
  - replace (n + j <? n)%nat with false by (symmetry; apply Nat.ltb_ge; lia).
    replace (n + j - n)%nat with j by lia. destruct (costs j y H Hy). lra.
Qed.

(* The reward of an active action has its score as expectation. *)
Lemma expected_reward a :
  In a A -> sum (seq 0 n) (fun y => p y * (1 - true_loss n c a y)) = s a.
Proof.
  intros Ha. rewrite (sum_ext _ _ (fun y => p y - p y * true_loss n c a y)) by (intros; rring).
  rewrite sum_minus, <- true_risk_eq, true_risk_score by auto. destruct law as [_ ->]. rring.
Qed.

Lemma reward_unit a y : In a A -> (y < n)%nat -> 0 <= 1 - true_loss n c a y <= 1.
Proof.
  intros Ha Hy. rewrite true_loss_eq. apply active_in in Ha. destruct Ha as [H|[j [H ->]]].
  - apply Nat.ltb_lt in H. rewrite H. destruct (Nat.eqb a y); lra.
  - replace (n + j <? n)%nat with false by (symmetry; apply Nat.ltb_ge; lia).
    replace (n + j - n)%nat with j by lia. destruct (costs j y H Hy). lra.
Qed.

(* Sec. 6.1: the estimate is unbiased. *)
Lemma estimate_unbiased q f :
  is_dist A q -> (forall a, In a A -> 0 < q a) ->
  sum A (fun a => sum (seq 0 n) (fun y => q a * p y * round_estimate n E c q a y f))
  = sum A (fun a => s a * f a).
Proof.
  intros [_ Q] Hq. destruct (Generic.identified n E) eqn:I.
  - rewrite (sum_ext A _ (fun a => q a * sum (seq 0 n) (fun y => p y * f y))).
    + rewrite sum_scal_r, Q, Rmult_1_l. destruct (identified_spec I) as [_ E0].
      unfold A. rewrite sum_active, E0. simpl. rewrite Rplus_0_r.
      apply sum_ext. intros y Hy. apply seq_in_0 in Hy. rewrite score_class; auto.
    + intros a Ha. rewrite <- sum_scal. apply sum_ext. intros y Hy. apply seq_in_0 in Hy.
      rewrite estimate_one_target by auto. unfold weight, target. rewrite I.
      rewrite named_label_spec by auto. rring.
  - apply sum_ext. intros a Ha. specialize (Hq a Ha).
    rewrite <- (expected_reward a Ha), <- sum_scal_r. apply sum_ext. intros y Hy.
    rewrite estimate_one_target by auto. unfold weight, target. rewrite I. rfield. lra.
Qed.

(* Second moment of the weight: importance weighting costs at most s_a / q_a per action. *)
Lemma weight_second_moment q a :
  Generic.identified n E = false -> In a A -> 0 < q a ->
  sum (seq 0 n) (fun y => q a * p y * (weight q a y * weight q a y)) <= s a / q a.
Proof.
  intros I Ha Hq. rewrite <- (expected_reward a Ha). unfold Rdiv at 1. rewrite <- sum_scal_r.
  apply sum_le. intros y Hy. apply seq_in_0 in Hy. unfold weight. rewrite I.
  pose proof (reward_unit a y Ha Hy) as [L U]. set (r := 1 - true_loss n c a y) in *.
  destruct law as [P _]. specialize (P y Hy).
  replace (q a * p y * (r / q a * (r / q a))) with (p y * (r * r) * / q a) by (rfield; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|].
  apply Rmult_le_compat_l; auto. rewrite <- (Rmult_1_r r) at 3. apply Rmult_le_compat_l; auto.
Qed.

End Round.

(* Infima of affine images. *)
Lemma inf_affine {X} (P : X -> Prop) (f g : X -> R) (m a b : R) :
  0 < b -> (forall x, P x -> g x = a + b * f x) -> is_inf_over P f m -> is_inf_over P g (a + b * m).
Proof.
  intros Hb Hg [L G]. split.
  - intros x Hx. rewrite Hg by auto. specialize (L x Hx). nra.
  - intros m' H. assert (K : (m' - a) / b <= m).
    { apply G. intros x Hx. specialize (H x Hx). rewrite Hg in H by auto.
      apply Rmult_le_reg_l with b; auto. replace (b * ((m' - a) / b)) with (m' - a) by (rfield; lra).
      lra. }
    apply Rmult_le_compat_l with (r := b) in K; [|lra].
    replace (b * ((m' - a) / b)) with (m' - a) in K by (rfield; lra). lra.
Qed.
