(* The condition of Thm 6.5: what it leaves to the experts.

   thm-6.5-condition: whenever the condition holds at a horizon T > 4, the best action is a class,
   and all available experts together are worth at most 1 / (sqrt T - 1). With ten classes, the
   paper's costs (alpha = 1, beta = 1/10) and one expert that guesses, the largest horizon at which
   the condition can hold is 144. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration.
Import ListNotations.
Open Scope R_scope.

(* The condition at horizon T: the best action m holds at least 1 - 1 / sqrt T of the mass. *)
Definition concentrated (n : nat) (E : list nat) (p : nat -> R) (c : nat -> nat -> R) (T : nat)
  : Prop :=
  let s := score n p c in
  forall m, is_argmax (active n E) s m -> score_bar (active n E) s m >= 1 - 1 / sqrt (INR T).

Lemma score_class n p c a : (a < n)%nat -> score n p c a = p a.
Proof. intros H. rewrite score_eq. apply Nat.ltb_lt in H. rewrite H. auto. Qed.

Lemma score_expert n p c j :
  score n p c (n + j)%nat = 1 - sum (seq 0 n) (fun y => p y * c j y).
Proof.
  rewrite score_eq. replace (n + j <? n)%nat with false by (symmetry; apply Nat.ltb_ge; lia).
  replace (n + j - n)%nat with j by lia. auto.
Qed.

Lemma score_expert_range n E p c j :
  is_law n p -> unit_costs n E c -> In j E -> 0 <= score n p c (n + j)%nat <= 1.
Proof.
  intros [P S] U Hj. rewrite score_expert.
  assert (0 <= sum (seq 0 n) (fun y => p y * c j y)).
  { apply sum_nonneg. intros y Hy. apply seq_in_0 in Hy.
    destruct (U j y Hj Hy). apply Rmult_le_pos; auto. }
  assert (sum (seq 0 n) (fun y => p y * c j y) <= 1).
  { rewrite <- S. apply sum_le. intros y Hy. apply seq_in_0 in Hy.
    destruct (U j y Hj Hy). specialize (P y Hy). nra. }
  lra.
Qed.

Lemma score_mass n E p c :
  is_law n p ->
  sum (active n E) (score n p c) = 1 + sum E (fun j => score n p c (n + j)%nat).
Proof.
  intros [P S]. rewrite sum_active. f_equal. rewrite <- S. apply sum_ext.
  intros a Ha. apply seq_in_0 in Ha. apply score_class. auto.
Qed.

Lemma score_le_1 n E p c a :
  is_law n p -> unit_costs n E c -> In a (active n E) -> score n p c a <= 1.
Proof.
  intros L U Ha. apply active_in in Ha. destruct Ha as [Ha|(j & Hj & ->)].
  - rewrite score_class by auto. destruct L as [P S]. rewrite <- S.
    apply sum_term_le; [|apply seq_in_0; auto]. intros y Hy. apply seq_in_0 in Hy. auto.
  - apply (score_expert_range n E); auto.
Qed.

Lemma experts_nonneg n E p c :
  is_law n p -> unit_costs n E c -> 0 <= sum E (fun j => score n p c (n + j)%nat).
Proof.
  intros L U. apply sum_nonneg. intros j Hj. apply (score_expert_range n E); auto.
Qed.

Lemma sqrt_gt_2 T : (4 < T)%nat -> 2 < sqrt (INR T).
Proof.
  intros H. replace 2 with (sqrt 4) by (replace 4 with (2 * 2) by ring; apply sqrt_square; lra).
  apply sqrt_lt_1_alt. apply lt_INR in H. simpl in H. lra.
Qed.

(* s m >= (1 - 1/sqrt T) S, written without division. *)
Lemma concentrated_mass n E p c T m :
  is_law n p -> unit_costs n E c -> (4 < T)%nat -> is_argmax (active n E) (score n p c) m ->
  concentrated n E p c T ->
  (sqrt (INR T) - 1) * (1 + sum E (fun j => score n p c (n + j)%nat))
  <= sqrt (INR T) * score n p c m.
Proof.
  intros L U HT M C. specialize (C m M). cbv zeta in C.
  rewrite score_bar_eq, score_mass in C by auto.
  pose proof (experts_nonneg n E p c L U). pose proof (sqrt_gt_2 T HT).
  set (e := sum E (fun j => score n p c (n + j)%nat)) in *. set (q := sqrt (INR T)) in *.
  apply Rge_le in C. apply Rmult_le_compat_r with (r := q * (1 + e)) in C; [|nra].
  replace ((1 - 1 / q) * (q * (1 + e))) with ((q - 1) * (1 + e)) in C by (field; lra).
  replace (score n p c m / (1 + e) * (q * (1 + e))) with (q * score n p c m) in C by (field; lra).
  auto.
Qed.

(* refutes: thm-6.5-condition *)
Theorem concentrated_scores_leave_nothing_to_defer :
  forall n E p c T m,
  is_law n p -> unit_costs n E c -> (4 < T)%nat -> is_argmax (active n E) (score n p c) m ->
  concentrated n E p c T ->
  (m < n)%nat /\
  sum E (fun j => score n p c (n + j)%nat) <= 1 / (sqrt (INR T) - 1).
Proof.
  intros n E p c T m L U HT M C.
  pose proof (concentrated_mass n E p c T m L U HT M C) as Q.
  pose proof (sqrt_gt_2 T HT) as Q2. set (q := sqrt (INR T)) in *.
  pose proof (score_le_1 n E p c m L U (proj1 M)) as S1.
  pose proof (experts_nonneg n E p c L U) as E0.
  split.
  - destruct (Nat.lt_ge_cases m n) as [|Ge]; auto. exfalso.
    destruct M as [Hm _]. apply active_in in Hm. destruct Hm as [Hm|(j & Hj & ->)]; [lia|].
    assert (score n p c (n + j)%nat <= sum E (fun j => score n p c (n + j)%nat)).
    { apply (sum_term_le E (fun j => score n p c (n + j)%nat)); auto.
      intros i Hi. apply (score_expert_range n E); auto. }
    nra.
  - apply Rmult_le_reg_r with (q - 1); [lra|].
    replace (1 / (q - 1) * (q - 1)) with 1 by (field; lra). nra.
Qed.

(* An expert whose normalised cost is c0 whatever the label: its score is 1 - c0, and the condition
   can be met (by a certain label) exactly when (1 - c0) (sqrt T - 1) <= 1. *)
Lemma constant_cost_score n p c0 j :
  is_law n p -> score n p (fun _ _ => c0) (n + j)%nat = 1 - c0.
Proof. intros [_ S]. rewrite score_expert, sum_scal_r, S. ring. Qed.

Definition guess_cost (n : nat) (alpha beta : R) : R :=
  1 / INR n * norm_cost alpha beta false + (1 - 1 / INR n) * norm_cost alpha beta true.

Lemma guess_among_ten : guess_cost 10 1 (1 / 10) = 10 / 11.
Proof.
  unfold guess_cost. rewrite !norm_cost_eq, Rmax_right by lra.
  replace (INR 10) with 10 by (simpl; ring). field.
Qed.

Lemma sqrt_144 : sqrt (INR 144) = 12.
Proof.
  replace (INR 144) with (12 * 12) by (rewrite INR_IZR_INZ; simpl; ring). apply sqrt_square. lra.
Qed.

(* refutes: thm-6.5-condition *)
Theorem a_guess_among_ten_classes_rules_the_condition_out_beyond_144_rounds :
  let c := fun (_ _ : nat) => guess_cost 10 1 (1 / 10) in
  (exists p, is_law 10 p /\ concentrated 10 [0%nat] p c 144) /\
  forall p T, is_law 10 p -> (144 < T)%nat -> ~ concentrated 10 [0%nat] p c T.
Proof.
  cbv zeta. rewrite guess_among_ten. split.
  - exists (point 0%nat). split.
    + destruct (point_dist (seq 0 10) 0%nat) as [P S]; [apply seq_NoDup|simpl; auto|].
      split; auto. intros y Hy. apply P. apply seq_in_0. auto.
    + assert (L : is_law 10 (point 0%nat)).
      { destruct (point_dist (seq 0 10) 0%nat) as [P S]; [apply seq_NoDup|simpl; auto|].
        split; auto. intros y Hy. apply P. apply seq_in_0. auto. }
      unfold concentrated. cbv zeta. intros m M. rewrite score_bar_eq. rewrite score_mass by auto.
      change (sum [0%nat] (fun j => score 10 (point 0%nat) (fun _ _ : nat => 10 / 11) (10 + j)%nat))
        with (score 10 (point 0%nat) (fun _ _ : nat => 10 / 11) (10 + 0)%nat + 0).
      rewrite constant_cost_score by auto.
      destruct M as [_ M]. specialize (M 0%nat ltac:(apply active_in; left; lia)).
      rewrite (score_class 10 _ _ 0%nat) in M by lia. unfold point in M at 1. simpl in M.
      rewrite sqrt_144.
      assert (1 / (1 + (1 - 10 / 11 + 0)) <= score 10 (point 0%nat) (fun _ _ => 10 / 11) m
                / (1 + (1 - 10 / 11 + 0))).
      { apply Rmult_le_compat_r; [|exact M]. left. apply Rinv_0_lt_compat. lra. }
      lra.
  - intros p T L HT C.
    assert (U : unit_costs 10 [0%nat] (fun _ _ => 10 / 11)) by (intros ? ? _ _; lra).
    destruct (argmax_exists (active 10 [0%nat]) (score 10 p (fun _ _ => 10 / 11))) as [m M].
    { discriminate. }
    destruct (concentrated_scores_leave_nothing_to_defer _ _ _ _ T m L U ltac:(lia) M C) as [_ B].
    change (sum [0%nat] (fun j => score 10 p (fun _ _ : nat => 10 / 11) (10 + j)%nat))
      with (score 10 p (fun _ _ : nat => 10 / 11) (10 + 0)%nat + 0) in B.
    rewrite constant_cost_score in B by auto.
    assert (Q : 12 < sqrt (INR T)).
    { rewrite <- sqrt_144. apply sqrt_lt_1_alt. split; [apply pos_INR|]. apply lt_INR. auto. }
    assert (1 / (sqrt (INR T) - 1) < 1 / 11); [|lra].
    unfold Rdiv. rewrite !Rmult_1_l. apply Rinv_lt_contravar; lra.
Qed.

(* The condition is not empty: a certain label and no expert meet it at every horizon. *)
Example certain_label_is_concentrated :
  forall T, (1 <= T)%nat -> concentrated 2 [] (point 0%nat) (fun _ _ => 0) T.
Proof.
  intros T HT. unfold concentrated. cbv zeta. intros m M.
  assert (L : is_law 2 (point 0%nat)).
  { destruct (point_dist (seq 0 2) 0%nat) as [P S]; [apply seq_NoDup|simpl; auto|].
    split; auto. intros y Hy. apply P. apply seq_in_0. auto. }
  rewrite score_bar_eq, score_mass by auto. cbn [sum].
  destruct M as [_ M]. specialize (M 0%nat ltac:(apply active_in; left; lia)).
  rewrite (score_class 2 _ _ 0%nat) in M by lia. unfold point in M at 1. simpl in M.
  assert (0 < sqrt (INR T)) by (apply sqrt_lt_R0, lt_0_INR; lia).
  assert (0 < 1 / sqrt (INR T)) by (apply Rdiv_lt_0_compat; lra).
  replace (score 2 (point 0%nat) (fun _ _ : nat => 0) m / (1 + 0))
    with (score 2 (point 0%nat) (fun _ _ : nat => 0) m) by field. lra.
Qed.
