(* Streams with and without a minimizability gap.

   zero-gap-constant-size: one best action, sets of one size: gap zero, for any number of rounds.
   zero-gap-size-changes:  what the conditions of the theorem in MinimizabilityGap.v are for: with
     a tie, or when the best actions are each absent from the other set, the gap can be zero
     although sizes differ.
   fixed-availability-gap: all three actions always there, a linear policy that is always right
     exists, yet the hinge gap of linear scores is 16/25 and every minimiser errs at one input. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration GammaHinge MinimizabilityGap
  WitnessesAvailability.
Import ListNotations.
Open Scope R_scope.

(* claim: zero-gap-constant-size *)
Theorem zero_gap_when_experts_replace_one_another :
  forall (Round : Type) (A : Round -> list nat) (s : Round -> nat -> R) (xs : list Round)
         (m k : nat),
  (forall x, In x xs -> NoDup (A x) /\ length (A x) = k /\ is_argmax (A x) (s x) m /\
     forall a, In a (A x) -> 0 <= s x a) ->
  is_min_over all_scores (fun u => sum xs (fun x => excess (A x) (s x) m u)) 0.
Proof.
  intros Round A s xs m k H. split.
  - intros u _. apply sum_nonneg. intros x Hx. destruct (H x Hx) as (N & _ & M & P).
    apply excess_nonneg; auto.
  - exists (spike (INR k) m). split; [exact I|]. apply sum_zero. intros x Hx.
    destruct (H x Hx) as (N & L & M & P). rewrite <- L. apply spike_excess; auto. apply M.
Qed.

Ltac entries := intros b Hb; unfold vector; repeat destruct Hb as [<-|Hb]; cbn; try lra; tauto.

Lemma excess_at A s m u (v : nat -> R) :
  NoDup A -> (forall a, In a A -> u a - sum A u / INR (length A) = v a) ->
  excess A s m u
  = sum A (fun b => (sum A s - s b) * Rmax 0 (1 + v b)) - INR (length A) * (sum A s - s m).
Proof.
  intros N H. rewrite excess_proj, risk_cstnd_hinge by auto. f_equal. apply sum_ext.
  intros a Ha. rewrite proj_in, mean_eq, H by auto. auto.
Qed.

(* Best actions 2 and 3 are never there together: sizes 3 and 4, gap zero. *)
(* claim: zero-gap-size-changes *)
Theorem zero_gap_with_different_sizes_when_best_actions_exclude_each_other :
  let A0 := [0; 1; 2]%nat in let s0 := vector [4 / 10; 6 / 10; 9 / 10] in
  let A1 := [0; 1; 3; 4]%nat in let s1 := vector [4 / 10; 6 / 10; 0; 8 / 10; 3 / 10] in
  only_argmax A0 s0 2%nat /\ only_argmax A1 s1 3%nat /\
  is_min_over all_scores (fun u => excess A0 s0 2%nat u + excess A1 s1 3%nat u) 0.
Proof.
  cbv zeta.
  assert (M0 : only_argmax [0; 1; 2]%nat (vector [4 / 10; 6 / 10; 9 / 10]) 2%nat).
  { split; [simpl; auto|]. intros b Hb NB. unfold vector.
    repeat destruct Hb as [<-|Hb]; cbn; try lra; try tauto; lia. }
  assert (M1 : only_argmax [0; 1; 3; 4]%nat (vector [4 / 10; 6 / 10; 0; 8 / 10; 3 / 10]) 3%nat).
  { split; [simpl; auto|]. intros b Hb NB. unfold vector.
    repeat destruct Hb as [<-|Hb]; cbn; try lra; try tauto; lia. }
  split; [exact M0|]. split; [exact M1|]. split.
  - intros u _.
    pose proof (excess_nonneg [0; 1; 2]%nat (vector [4 / 10; 6 / 10; 9 / 10]) 2%nat u
      ltac:(nodup) ltac:(entries) (only_argmax_is _ _ _ M0)).
    pose proof (excess_nonneg [0; 1; 3; 4]%nat (vector [4 / 10; 6 / 10; 0; 8 / 10; 3 / 10]) 3%nat u
      ltac:(nodup) ltac:(entries) (only_argmax_is _ _ _ M1)). lra.
  - exists (vector [0; 0; 3; 4; 0]). split; [exact I|].
    rewrite (excess_at _ _ _ _ (vector [-1; -1; 2])).
    2: nodup. 2: { intros b Hb. unfold vector. repeat destruct Hb as [<-|Hb]; cbn; try field; tauto. }
    rewrite (excess_at _ _ _ _ (vector [-1; -1; 0; 3; -1])).
    2: nodup. 2: { intros b Hb. unfold vector. repeat destruct Hb as [<-|Hb]; cbn; try field; tauto. }
    unfold vector. cbn. rewrite !(pos_part_nonpos (1 + -1)), !(pos_part_nonneg (1 + 2)),
      !(pos_part_nonneg (1 + 3)) by lra. lra.
Qed.

(* An expert exactly as good as the best class comes and goes: gap zero. *)
(* claim: zero-gap-size-changes *)
Theorem zero_gap_with_different_sizes_when_best_actions_tie :
  let s := vector [4 / 5; 1 / 5; 4 / 5] in
  is_argmax [0; 1; 2]%nat s 0%nat /\ is_argmax [0; 1]%nat s 0%nat /\
  is_min_over all_scores
    (fun u => excess [0; 1; 2]%nat s 0%nat u + excess [0; 1]%nat s 0%nat u) 0.
Proof.
  cbv zeta. set (s := vector [4 / 5; 1 / 5; 4 / 5]).
  assert (M1 : is_argmax [0; 1; 2]%nat s 0%nat) by (split; [simpl; auto|unfold s; entries]).
  assert (M0 : is_argmax [0; 1]%nat s 0%nat) by (split; [simpl; auto|unfold s; entries]).
  split; [exact M1|]. split; [exact M0|]. split.
  - intros u _.
    pose proof (excess_nonneg [0; 1; 2]%nat s 0%nat u ltac:(nodup) ltac:(unfold s; entries) M1).
    pose proof (excess_nonneg [0; 1]%nat s 0%nat u ltac:(nodup) ltac:(unfold s; entries) M0). lra.
  - exists (vector [1; -1; 0]). split; [exact I|].
    rewrite (excess_at _ _ _ _ (vector [1; -1; 0])).
    2: nodup. 2: { intros b Hb. unfold vector. repeat destruct Hb as [<-|Hb]; cbn; try field; tauto. }
    rewrite (excess_at _ _ _ _ (vector [1; -1])).
    2: nodup. 2: { intros b Hb. unfold vector. repeat destruct Hb as [<-|Hb]; cbn; try field; tauto. }
    unfold s, vector. cbn. rewrite !(pos_part_nonpos (1 + -1)), !(pos_part_nonneg (1 + 1)),
      !(pos_part_nonneg (1 + 0)) by lra. lra.
Qed.

(* Three inputs x = -2, -1, -1/2 with weights .3, .4, .3, the bias as second feature, all of three
   actions always active. *)
Definition input (x : R) : nat -> R := vector [x; 1].
Definition s1 := vector [4 / 10; 6 / 10; 5 / 10].
Definition s2 := vector [1 / 10; 9 / 10; 5 / 10].
Definition s3 := vector [9 / 10; 1 / 10; 5 / 10].
Definition linear_risk (W : Matrix) : R :=
  let r x s := risk (centred cstnd_hinge) [0; 1; 2]%nat s (scores 2 W (input x)) in
  3 / 10 * r (-2) s1 + 4 / 10 * r (-1) s2 + 3 / 10 * r (- 1 / 2) s3.
Definition matrix (a b c d e f : R) : Matrix :=
  fun i => vector (nth i [[a; b]; [c; d]; [e; f]] []).

Lemma linear_scores W x a : scores 2 W (input x) a = W a 0%nat * x + W a 1%nat.
Proof. unfold scores, input, vector. cbn. ring. Qed.

(* The best action of each input. *)
Lemma best_actions : only_argmax [0; 1; 2]%nat s1 1%nat /\ only_argmax [0; 1; 2]%nat s2 1%nat /\
  only_argmax [0; 1; 2]%nat s3 0%nat.
Proof.
  repeat split; simpl; auto; intros b Hb NB; unfold s1, s2, s3, vector;
    repeat destruct Hb as [<-|Hb]; cbn; try lra; try tauto; lia.
Qed.

Lemma linear_risk_is W :
  let p x a := W a 0%nat * x + W a 1%nat in
  linear_risk W
  = 3 / 10 * (11 / 10 * Rmax 0 (1 + (2 * p (-2) 0%nat - p (-2) 1%nat - p (-2) 2%nat) / 3)
              + 9 / 10 * Rmax 0 (1 + (2 * p (-2) 1%nat - p (-2) 0%nat - p (-2) 2%nat) / 3)
              + Rmax 0 (1 + (2 * p (-2) 2%nat - p (-2) 0%nat - p (-2) 1%nat) / 3))
    + 4 / 10 * (14 / 10 * Rmax 0 (1 + (2 * p (-1) 0%nat - p (-1) 1%nat - p (-1) 2%nat) / 3)
              + 6 / 10 * Rmax 0 (1 + (2 * p (-1) 1%nat - p (-1) 0%nat - p (-1) 2%nat) / 3)
              + Rmax 0 (1 + (2 * p (-1) 2%nat - p (-1) 0%nat - p (-1) 1%nat) / 3))
    + 3 / 10 * (6 / 10 * Rmax 0 (1 + (2 * p (- 1 / 2) 0%nat - p (- 1 / 2) 1%nat - p (- 1 / 2) 2%nat) / 3)
              + 14 / 10 * Rmax 0 (1 + (2 * p (- 1 / 2) 1%nat - p (- 1 / 2) 0%nat - p (- 1 / 2) 2%nat) / 3)
              + Rmax 0 (1 + (2 * p (- 1 / 2) 2%nat - p (- 1 / 2) 0%nat - p (- 1 / 2) 1%nat) / 3)).
Proof.
  cbv zeta. unfold linear_risk. rewrite !centred_hinge_3, !linear_scores.
  unfold s1, s2, s3, vector. cbn [nth]. field.
Qed.

(* claim: fixed-availability-gap *)
Theorem fixed_availability_does_not_make_the_gap_zero :
  (* pointwise infima *)
  is_inf_over all_scores (risk (centred cstnd_hinge) [0; 1; 2]%nat s1) (27 / 10) /\
  is_inf_over all_scores (risk (centred cstnd_hinge) [0; 1; 2]%nat s2) (18 / 10) /\
  is_inf_over all_scores (risk (centred cstnd_hinge) [0; 1; 2]%nat s3) (18 / 10) /\
  (* the least risk of a matrix, and the gap *)
  is_min_over (fun _ => True) linear_risk (271 / 100) /\
  linear_risk (matrix 2 3 (-2) (-2) 0 (-1)) = 271 / 100 /\
  271 / 100 - (3 / 10 * (27 / 10) + 4 / 10 * (18 / 10) + 3 / 10 * (18 / 10)) = 16 / 25 /\
  (* a matrix that is right everywhere *)
  (exists W, only_argmax [0; 1; 2]%nat (scores 2 W (input (-2))) 1%nat /\
             only_argmax [0; 1; 2]%nat (scores 2 W (input (-1))) 1%nat /\
             only_argmax [0; 1; 2]%nat (scores 2 W (input (- 1 / 2))) 0%nat) /\
  (* every minimiser is wrong at x = -1 *)
  forall W, linear_risk W = 271 / 100 ->
    ~ is_argmax [0; 1; 2]%nat (scores 2 W (input (-1))) 1%nat.
Proof.
  destruct best_actions as (B1 & B2 & B3).
  assert (Inf : forall s m (i : R), only_argmax [0; 1; 2]%nat s m ->
    (forall a, In a [0; 1; 2]%nat -> 0 <= s a) -> 3 * (s 0%nat + s 1%nat + s 2%nat - s m) = i ->
    is_inf_over all_scores (risk (centred cstnd_hinge) [0; 1; 2]%nat s) i).
  { intros s m i M P E. apply only_argmax_is in M. apply min_is_inf.
    assert (V : INR (length [0; 1; 2]%nat) * (sum [0; 1; 2]%nat s - s m) = i)
      by (rewrite <- E; simpl; ring).
    split.
    - intros u _. pose proof (excess_nonneg [0; 1; 2]%nat s m u ltac:(nodup) P M) as Q.
      unfold excess in Q. rewrite mass_eq, V in Q. lra.
    - exists (spike 3 m). split; [exact I|].
      pose proof (spike_excess [0; 1; 2]%nat s m ltac:(nodup) (proj1 M)) as Q.
      unfold excess in Q. rewrite mass_eq, V in Q.
      replace (INR (length [0; 1; 2]%nat)) with 3 in Q by (simpl; ring). lra. }
  assert (Val : linear_risk (matrix 2 3 (-2) (-2) 0 (-1)) = 271 / 100).
  { rewrite linear_risk_is. unfold matrix, vector. cbn [nth].
    repeat match goal with |- context [Rmax 0 ?x] =>
      first [rewrite (pos_part_nonneg x) by lra | rewrite (pos_part_nonpos x) by lra] end.
    lra. }
  split; [apply (Inf s1 1%nat); auto; [unfold s1; entries|unfold s1, vector; cbn; lra]|].
  split; [apply (Inf s2 1%nat); auto; [unfold s2; entries|unfold s2, vector; cbn; lra]|].
  split; [apply (Inf s3 0%nat); auto; [unfold s3; entries|unfold s3, vector; cbn; lra]|].
  split.
  { split; [|exists (matrix 2 3 (-2) (-2) 0 (-1)); auto].
    intros W _. rewrite linear_risk_is. parts. lra. }
  split; [exact Val|]. split; [lra|]. split.
  - exists (matrix 4 3 0 0 0 (-10)).
    repeat split; simpl; auto; intros b Hb NB; rewrite !linear_scores;
      unfold matrix, vector; repeat destruct Hb as [<-|Hb]; cbn; try lra; try tauto; lia.
  - intros W E [_ M].
    assert (Q0 := M 0%nat ltac:(simpl; auto)). assert (Q2 := M 2%nat ltac:(simpl; auto)).
    rewrite !linear_scores in Q0, Q2.
    assert (273 / 100 <= linear_risk W); [|lra].
    rewrite linear_risk_is. parts. lra.
Qed.
