(* The unqualified promise of sublinear regret, on the smallest stream whose expert comes and goes.

   regret-sublinear: one input, a perfect expert that is there every other time (a fair coin). For
   whatever sequence of score vectors, a surrogate regret that is sublinear forces a true regret that
   is linear, although a fixed vector without any true regret exists. That the learner's
   surrogate regret is sublinear is Thm 6.3; the two are put together in LinearRegret.v. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration.
Import ListNotations.
Open Scope R_scope.

(* Active sets with their probabilities. *)
Definition Mixture := list (R * list nat).

(* Expected surrogate risk of one score vector for the input. *)
Definition mixture_risk (phi : Loss) (M : Mixture) (s u : nat -> R) : R :=
  sum M (fun e => fst e * risk phi (snd e) s u).

(* Expected true risk above that of the best active action; ties go to the first. *)
Definition mixture_regret (M : Mixture) (s u : nat -> R) : R :=
  sum M (fun e => fst e * (largest (snd e) s - s (argmax (snd e) u))).

Lemma regret_term_nonneg A s u : A <> nil -> 0 <= largest A s - s (argmax A u).
Proof.
  intros H. destruct (argmax_is A u H) as [I _]. pose proof (largest_ge A s _ I). lra.
Qed.

(* A perfect expert that is there every other time: the scores and the mixture. *)
Definition half_s : nat -> R := vector [4 / 5; 1 / 5; 1].
Definition half_mix : Mixture := [(1 / 2, [0; 1; 2]%nat); (1 / 2, [0; 1]%nat)].

Lemma half_risk u :
  mixture_risk (centred cstnd_hinge) half_mix half_s u
  = 1 / 2 * (6 / 5 * Rmax 0 (1 + (2 * u 0%nat - u 1%nat - u 2%nat) / 3)
             + 9 / 5 * Rmax 0 (1 + (2 * u 1%nat - u 0%nat - u 2%nat) / 3)
             + Rmax 0 (1 + (2 * u 2%nat - u 0%nat - u 1%nat) / 3))
    + 1 / 2 * (1 / 5 * Rmax 0 (1 + (u 0%nat - u 1%nat) / 2) + 4 / 5 * Rmax 0 (1 + (u 1%nat - u 0%nat) / 2)).
Proof.
  unfold mixture_risk, half_mix. cbn [sum fst snd]. rewrite centred_hinge_3, centred_hinge_2.
  unfold half_s, vector. cbn [nth]. field.
Qed.

Lemma half_min : is_min_over all_scores (mixture_risk (centred cstnd_hinge) half_mix half_s) (19 / 10).
Proof.
  split.
  - intros u _. rewrite half_risk. parts. lra.
  - exists (vector [1; -1; 0]). split; [exact I|]. rewrite half_risk. unfold vector. cbn [nth].
    rewrite (pos_part_nonneg (1 + (2 * 1 - -1 - 0) / 3)) by lra.
    rewrite (pos_part_nonpos (1 + (2 * -1 - 1 - 0) / 3)) by lra.
    rewrite (pos_part_nonneg (1 + (2 * 0 - 1 - -1) / 3)) by lra.
    rewrite (pos_part_nonneg (1 + (1 - -1) / 2)) by lra.
    rewrite (pos_part_nonpos (1 + (-1 - 1) / 2)) by lra. lra.
Qed.

(* Putting the expert on top where it is available costs at least 77/40. *)
Lemma half_expert_on_top u :
  is_argmax [0; 1; 2]%nat u 2%nat ->
  77 / 40 <= mixture_risk (centred cstnd_hinge) half_mix half_s u.
Proof.
  intros [_ M]. assert (u 0%nat <= u 2%nat) by (apply M; simpl; auto).
  assert (u 1%nat <= u 2%nat) by (apply M; simpl; auto). rewrite half_risk. parts. lra.
Qed.

Lemma half_s_best : only_argmax [0; 1; 2]%nat half_s 2%nat.
Proof.
  split; [simpl; auto|]. intros b Hb Nb. unfold half_s, vector.
  repeat destruct Hb as [<-|Hb]; cbn; try lra; try tauto; lia.
Qed.

Lemma half_largest_3 : largest [0; 1; 2]%nat half_s = 1.
Proof.
  rewrite (largest_is _ _ 2%nat); [reflexivity|]. apply only_argmax_is, half_s_best.
Qed.

Lemma half_largest_2 : largest [0; 1]%nat half_s = 4 / 5.
Proof.
  rewrite (largest_at _ _ 0%nat); [reflexivity|simpl; auto|].
  intros b Hb. unfold half_s, vector. repeat destruct Hb as [<-|Hb]; cbn; try lra; tauto.
Qed.

Lemma half_regret u :
  mixture_regret half_mix half_s u
  = 1 / 2 * (1 - half_s (argmax [0; 1; 2]%nat u)) + 1 / 2 * (4 / 5 - half_s (argmax [0; 1]%nat u)).
Proof.
  unfold mixture_regret, half_mix. cbn [sum fst snd]. rewrite half_largest_3, half_largest_2. ring.
Qed.

Lemma half_regret_nonneg u : 0 <= mixture_regret half_mix half_s u.
Proof.
  unfold mixture_regret, half_mix. cbn [sum fst snd].
  pose proof (regret_term_nonneg [0; 1; 2]%nat half_s u ltac:(congruence)).
  pose proof (regret_term_nonneg [0; 1]%nat half_s u ltac:(congruence)). lra.
Qed.

Lemma half_not_expert u :
  ~ is_argmax [0; 1; 2]%nat u 2%nat -> half_s (argmax [0; 1; 2]%nat u) <= 4 / 5.
Proof.
  intros H.
  assert (M : is_argmax [0; 1; 2]%nat u (argmax [0; 1; 2]%nat u)) by (apply argmax_is; congruence).
  destruct (argmax [0; 1; 2]%nat u) as [|[|[|n]]]; unfold half_s, vector; cbn; try lra.
  - tauto.
  - destruct n; lra.
Qed.

Lemma half_misled u :
  ~ is_argmax [0; 1; 2]%nat u 2%nat -> 1 / 10 <= mixture_regret half_mix half_s u.
Proof.
  intros H. rewrite half_regret. pose proof (half_not_expert u H).
  pose proof (regret_term_nonneg [0; 1]%nat half_s u ltac:(congruence)) as P.
  rewrite half_largest_2 in P. lra.
Qed.

(* A fixed vector with no regret at all exists, yet for every sequence of score vectors the true
   regret is at least T/10 minus four times the surrogate regret (against the best fixed vector):
   if the second is sublinear, the first is not. *)
(* about: regret-sublinear *)
Theorem sublinear_surrogate_regret_forces_linear_true_regret :
  (exists u, mixture_regret half_mix half_s u = 0) /\
  is_min_over all_scores (mixture_risk (centred cstnd_hinge) half_mix half_s) (19 / 10) /\
  forall (T : nat) (u : nat -> nat -> R),
    sum (seq 0 T) (fun t => mixture_regret half_mix half_s (u t))
    >= INR T / 10
       - 4 * sum (seq 0 T) (fun t => mixture_risk (centred cstnd_hinge) half_mix half_s (u t) - 19 / 10).
Proof.
  split; [|split; [apply half_min|]].
  - exists (vector [1; 0; 2]). rewrite half_regret.
    unfold argmax, Generic.argmax, Generic.argmax_from, vector. cbn. unfold Rleb.
    repeat destruct Rle_dec; unfold half_s, vector in *; cbn in *; lra.
  - intros T u. apply Rle_ge.
    replace (INR T / 10) with (sum (seq 0 T) (fun _ => 1 / 10))
      by (rewrite sum_const, seq_length; field).
    rewrite <- sum_scal, <- sum_minus. apply sum_le. intros t _.
    destruct (Rle_dec (77 / 40) (mixture_risk (centred cstnd_hinge) half_mix half_s (u t))) as [G|G].
    + pose proof (half_regret_nonneg (u t)). lra.
    + pose proof (proj1 half_min (u t) I).
      assert (1 / 10 <= mixture_regret half_mix half_s (u t)); [|lra].
      apply half_misled. intros M. apply G. apply half_expert_on_top. auto.
Qed.
