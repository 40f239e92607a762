(* Fixed availability is not enough for a gap of zero.

   fixed-availability-gap: three actions that are always there, three inputs, linear scores with a
   bias. A matrix that is right everywhere exists, yet the least hinge risk of a matrix is 16/25
   above the sum of the pointwise infima, and every minimiser errs at one input. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration GammaHinge MinimizabilityGap.
Import ListNotations.
Open Scope R_scope.

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
