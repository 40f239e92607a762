(* Losses whose optimum misleads when an expert comes and goes, and what follows from it.

   availability-cstnd-hinge, availability-cstnd-sq, availability-sum-sq: one input, availability
   drawn from a mixture of active sets, scores that do not depend on who else is there. Every
   minimiser of the surrogate risk has a wrong action on top in one of the sets. (The minimum is
   certified, and the least risk among vectors that put the best action on top is strictly larger.)
   regret-sublinear: on such a stream, a surrogate regret that is sublinear forces a true regret
   that is linear, for whatever sequence of score vectors.
   cor-5.2-needs-zero-gap: on such a stream the inequality of Cor. 5.2 is false. *)

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

Definition vector (l : list R) : nat -> R := fun a => nth a l 0.

Lemma regret_term_nonneg A s u : A <> nil -> 0 <= largest A s - s (argmax A u).
Proof.
  intros H. destruct (argmax_is A u H) as [I _]. pose proof (largest_ge A s _ I). lra.
Qed.

Ltac nodup := repeat constructor; simpl; lia.

(* The first entries of a vector, to keep formulas short. *)
Local Notation "f '.0'" := (f 0%nat) (at level 1, left associativity, only parsing).
Local Notation "f '.1'" := (f 1%nat) (at level 1, left associativity, only parsing).
Local Notation "f '.2'" := (f 2%nat) (at level 1, left associativity, only parsing).
Local Notation "f '.3'" := (f 3%nat) (at level 1, left associativity, only parsing).

Lemma centred_hinge_3 s u :
  risk (centred cstnd_hinge) [0; 1; 2]%nat s u
  = (s .1 + s .2) * Rmax 0 (1 + (2 * u .0 - u .1 - u .2) / 3)
    + (s .0 + s .2) * Rmax 0 (1 + (2 * u .1 - u .0 - u .2) / 3)
    + (s .0 + s .1) * Rmax 0 (1 + (2 * u .2 - u .0 - u .1) / 3).
Proof.
  change (risk (centred cstnd_hinge) [0; 1; 2]%nat s u)
    with (risk cstnd_hinge [0; 1; 2]%nat s (proj [0; 1; 2]%nat u)).
  rewrite risk_cstnd_hinge by nodup. cbn [sum]. rewrite !proj_in, !mean_eq by (simpl; auto).
  cbn [sum length]. replace (INR 3) with 3 by (simpl; ring).
  replace (u .0 - (u .0 + (u .1 + (u .2 + 0))) / 3) with ((2 * u .0 - u .1 - u .2) / 3) by field.
  replace (u .1 - (u .0 + (u .1 + (u .2 + 0))) / 3) with ((2 * u .1 - u .0 - u .2) / 3) by field.
  replace (u .2 - (u .0 + (u .1 + (u .2 + 0))) / 3) with ((2 * u .2 - u .0 - u .1) / 3) by field.
  ring.
Qed.

Lemma centred_hinge_2 s u :
  risk (centred cstnd_hinge) [0; 1]%nat s u
  = s .1 * Rmax 0 (1 + (u .0 - u .1) / 2) + s .0 * Rmax 0 (1 + (u .1 - u .0) / 2).
Proof.
  change (risk (centred cstnd_hinge) [0; 1]%nat s u)
    with (risk cstnd_hinge [0; 1]%nat s (proj [0; 1]%nat u)).
  rewrite risk_cstnd_hinge by nodup. cbn [sum]. rewrite !proj_in, !mean_eq by (simpl; auto).
  cbn [sum length]. replace (INR 2) with 2 by (simpl; ring).
  replace (u .0 - (u .0 + (u .1 + 0)) / 2) with ((u .0 - u .1) / 2) by field.
  replace (u .1 - (u .0 + (u .1 + 0)) / 2) with ((u .1 - u .0) / 2) by field.
  ring.
Qed.

(* A perfect expert that is there every other time: the scores and the mixture. *)
Definition half_s : nat -> R := vector [4 / 5; 1 / 5; 1].
Definition half_mix : Mixture := [(1 / 2, [0; 1; 2]%nat); (1 / 2, [0; 1]%nat)].

Lemma half_risk u :
  mixture_risk (centred cstnd_hinge) half_mix half_s u
  = 1 / 2 * (6 / 5 * Rmax 0 (1 + (2 * u .0 - u .1 - u .2) / 3)
             + 9 / 5 * Rmax 0 (1 + (2 * u .1 - u .0 - u .2) / 3)
             + Rmax 0 (1 + (2 * u .2 - u .0 - u .1) / 3))
    + 1 / 2 * (1 / 5 * Rmax 0 (1 + (u .0 - u .1) / 2) + 4 / 5 * Rmax 0 (1 + (u .1 - u .0) / 2)).
Proof.
  unfold mixture_risk, half_mix. cbn [sum fst snd]. rewrite centred_hinge_3, centred_hinge_2.
  unfold half_s, vector. cbn [nth]. field.
Qed.

Ltac parts := repeat match goal with
  | |- context [Rmax 0 ?x] =>
      let H := fresh in pose proof (pos_part x) as H; destruct H;
      let m := fresh in set (m := Rmax 0 x) in *; clearbody m
  end.

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
  intros [_ M]. assert (u .0 <= u .2) by (apply M; simpl; auto).
  assert (u .1 <= u .2) by (apply M; simpl; auto). rewrite half_risk. parts. lra.
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

(* claim: availability-cstnd-hinge *)
Theorem constrained_hinge_optimum_never_asks_the_perfect_expert :
  is_min_over all_scores (mixture_risk (centred cstnd_hinge) half_mix half_s) (19 / 10) /\
  only_argmax [0; 1; 2]%nat half_s 2%nat /\
  forall u, mixture_risk (centred cstnd_hinge) half_mix half_s u = 19 / 10 ->
    ~ is_argmax [0; 1; 2]%nat u 2%nat /\ mixture_regret half_mix half_s u >= 1 / 10.
Proof.
  split; [apply half_min|]. split; [apply half_s_best|]. intros u E.
  assert (H : ~ is_argmax [0; 1; 2]%nat u 2%nat).
  { intros M. pose proof (half_expert_on_top u M). lra. }
  split; auto. apply Rle_ge. apply half_misled; auto.
Qed.

(* A fixed vector with no regret at all exists, yet for every sequence of score vectors the true
   regret is at least T/10 minus four times the surrogate regret (against the best fixed vector):
   if the second is sublinear, the first is not. *)
(* claim: regret-sublinear *)
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

(* Two rounds, the expert there in the first only; the fixed vector (1, -1, 0) has no surrogate
   regret, so the right side of Cor. 5.2 is Gamma(0) = 0 for the hinge and no exploration, while its
   true regret per round is 1/10. The minimizability gap per round is 1/5. *)
(* claim: cor-5.2-needs-zero-gap *)
Theorem corollary_5_2_is_false_without_zero_gap :
  exists (u : nat -> R) (i1 i0 : R),
  let R_sur v := risk (centred cstnd_hinge) [0; 1; 2]%nat half_s v
                 + risk (centred cstnd_hinge) [0; 1]%nat half_s v in
  let R_true v := (1 - half_s (argmax [0; 1; 2]%nat v)) + (1 - half_s (argmax [0; 1]%nat v)) in
  (forall v, R_sur u <= R_sur v) /\
  is_inf_over all_scores (risk (centred cstnd_hinge) [0; 1; 2]%nat half_s) i1 /\
  is_inf_over all_scores (risk (centred cstnd_hinge) [0; 1]%nat half_s) i0 /\
  (R_sur u - (i1 + i0)) / 2 = 1 / 5 /\
  exists v, (forall w, R_true v <= R_true w) /\ (R_true u - R_true v) / 2 = 1 / 10.
Proof.
  exists (vector [1; -1; 0]), 3, (2 / 5). cbv zeta.
  assert (E : forall v, risk (centred cstnd_hinge) [0; 1; 2]%nat half_s v
      + risk (centred cstnd_hinge) [0; 1]%nat half_s v
      = 2 * mixture_risk (centred cstnd_hinge) half_mix half_s v).
  { intros v. unfold mixture_risk, half_mix. cbn [sum fst snd]. field. }
  assert (V : mixture_risk (centred cstnd_hinge) half_mix half_s (vector [1; -1; 0]) = 19 / 10).
  { rewrite half_risk. unfold vector. cbn [nth].
    rewrite (pos_part_nonneg (1 + (2 * 1 - -1 - 0) / 3)) by lra.
    rewrite (pos_part_nonpos (1 + (2 * -1 - 1 - 0) / 3)) by lra.
    rewrite (pos_part_nonneg (1 + (2 * 0 - 1 - -1) / 3)) by lra.
    rewrite (pos_part_nonneg (1 + (1 - -1) / 2)) by lra.
    rewrite (pos_part_nonpos (1 + (-1 - 1) / 2)) by lra. lra. }
  split; [|split; [|split; [|split]]].
  - intros v. rewrite !E, V. pose proof (proj1 half_min v I). lra.
  - apply min_is_inf. split.
    + intros v _. rewrite centred_hinge_3. unfold half_s, vector. cbn [nth]. parts. lra.
    + exists (vector [-1; -1; 2]). split; [exact I|]. rewrite centred_hinge_3.
      unfold half_s, vector. cbn [nth].
      rewrite (pos_part_nonpos (1 + (2 * -1 - -1 - 2) / 3)) by lra.
      rewrite (pos_part_nonneg (1 + (2 * 2 - -1 - -1) / 3)) by lra. lra.
  - apply min_is_inf. split.
    + intros v _. rewrite centred_hinge_2. unfold half_s, vector. cbn [nth]. parts. lra.
    + exists (vector [1; -1]). split; [exact I|]. rewrite centred_hinge_2.
      unfold half_s, vector. cbn [nth].
      rewrite (pos_part_nonneg (1 + (1 - -1) / 2)) by lra.
      rewrite (pos_part_nonpos (1 + (-1 - 1) / 2)) by lra. lra.
  - rewrite E, V. lra.
  - exists (vector [1; 0; 2]). split.
    + intros w. pose proof (half_regret_nonneg w) as P. rewrite half_regret in P.
      unfold argmax, Generic.argmax, Generic.argmax_from, vector. cbn. unfold Rleb.
      repeat destruct Rle_dec; unfold half_s, vector in *; cbn in *; lra.
    + unfold argmax, Generic.argmax, Generic.argmax_from, vector. cbn. unfold Rleb.
      repeat destruct Rle_dec; unfold half_s, vector in *; cbn in *; lra.
Qed.

(* Squares: tangents at the free optimum give the minimum, tangents at the best vector with the
   expert on top give what that costs. *)
Lemma centred_sq_3 s u :
  risk (centred cstnd_sq) [0; 1; 2]%nat s u
  = (s .1 + s .2) * (Rmax 0 (1 + (2 * u .0 - u .1 - u .2) / 3) * Rmax 0 (1 + (2 * u .0 - u .1 - u .2) / 3))
    + (s .0 + s .2) * (Rmax 0 (1 + (2 * u .1 - u .0 - u .2) / 3) * Rmax 0 (1 + (2 * u .1 - u .0 - u .2) / 3))
    + (s .0 + s .1) * (Rmax 0 (1 + (2 * u .2 - u .0 - u .1) / 3) * Rmax 0 (1 + (2 * u .2 - u .0 - u .1) / 3)).
Proof.
  change (risk (centred cstnd_sq) [0; 1; 2]%nat s u)
    with (risk cstnd_sq [0; 1; 2]%nat s (proj [0; 1; 2]%nat u)).
  rewrite risk_cstnd_sq by nodup. cbn [sum]. rewrite !proj_in, !mean_eq by (simpl; auto).
  cbn [sum length]. replace (INR 3) with 3 by (simpl; ring).
  replace (u .0 - (u .0 + (u .1 + (u .2 + 0))) / 3) with ((2 * u .0 - u .1 - u .2) / 3) by field.
  replace (u .1 - (u .0 + (u .1 + (u .2 + 0))) / 3) with ((2 * u .1 - u .0 - u .2) / 3) by field.
  replace (u .2 - (u .0 + (u .1 + (u .2 + 0))) / 3) with ((2 * u .2 - u .0 - u .1) / 3) by field.
  ring.
Qed.

Lemma centred_sq_2 s u :
  risk (centred cstnd_sq) [0; 1]%nat s u
  = s .1 * (Rmax 0 (1 + (u .0 - u .1) / 2) * Rmax 0 (1 + (u .0 - u .1) / 2))
    + s .0 * (Rmax 0 (1 + (u .1 - u .0) / 2) * Rmax 0 (1 + (u .1 - u .0) / 2)).
Proof.
  change (risk (centred cstnd_sq) [0; 1]%nat s u)
    with (risk cstnd_sq [0; 1]%nat s (proj [0; 1]%nat u)).
  rewrite risk_cstnd_sq by nodup. cbn [sum]. rewrite !proj_in, !mean_eq by (simpl; auto).
  cbn [sum length]. replace (INR 2) with 2 by (simpl; ring).
  replace (u .0 - (u .0 + (u .1 + 0)) / 2) with ((u .0 - u .1) / 2) by field.
  replace (u .1 - (u .0 + (u .1 + 0)) / 2) with ((u .1 - u .0) / 2) by field.
  ring.
Qed.

Definition rare_mix : Mixture := [(7 / 10, [0; 1]%nat); (3 / 10, [0; 1; 2]%nat)].

Lemma rare_risk u :
  mixture_risk (centred cstnd_sq) rare_mix half_s u
  = 7 / 10 * risk (centred cstnd_sq) [0; 1]%nat half_s u
    + 3 / 10 * risk (centred cstnd_sq) [0; 1; 2]%nat half_s u.
Proof. unfold mixture_risk, rare_mix. cbn [sum fst snd]. ring. Qed.

Lemma rare_tangents u c0 c1 c2 d0 d1 :
  0 <= c0 -> 0 <= c1 -> 0 <= c2 -> 0 <= d0 -> 0 <= d1 ->
  7 / 10 * (1 / 5 * (2 * d0 * (1 + (u .0 - u .1) / 2) - d0 * d0)
            + 4 / 5 * (2 * d1 * (1 + (u .1 - u .0) / 2) - d1 * d1))
  + 3 / 10 * (6 / 5 * (2 * c0 * (1 + (2 * u .0 - u .1 - u .2) / 3) - c0 * c0)
              + 9 / 5 * (2 * c1 * (1 + (2 * u .1 - u .0 - u .2) / 3) - c1 * c1)
              + (2 * c2 * (1 + (2 * u .2 - u .0 - u .1) / 3) - c2 * c2))
  <= mixture_risk (centred cstnd_sq) rare_mix half_s u.
Proof.
  intros. rewrite rare_risk, centred_sq_3, centred_sq_2. unfold half_s, vector. cbn [nth].
  pose proof (pos_part_sq c0 (1 + (2 * u .0 - u .1 - u .2) / 3) ltac:(auto)).
  pose proof (pos_part_sq c1 (1 + (2 * u .1 - u .0 - u .2) / 3) ltac:(auto)).
  pose proof (pos_part_sq c2 (1 + (2 * u .2 - u .0 - u .1) / 3) ltac:(auto)).
  pose proof (pos_part_sq d0 (1 + (u .0 - u .1) / 2) ltac:(auto)).
  pose proof (pos_part_sq d1 (1 + (u .1 - u .0) / 2) ltac:(auto)).
  lra.
Qed.

(* claim: availability-cstnd-sq *)
Theorem constrained_squares_optimum_is_misled_when_a_perfect_expert_is_rare :
  is_min_over all_scores (mixture_risk (centred cstnd_sq) rare_mix half_s) (45727 / 27730) /\
  only_argmax [0; 1; 2]%nat half_s 2%nat /\
  forall u, mixture_risk (centred cstnd_sq) rare_mix half_s u = 45727 / 27730 ->
    ~ is_argmax [0; 1; 2]%nat u 2%nat /\ mixture_regret rare_mix half_s u >= 3 / 50.
Proof.
  split; [split|split; [apply half_s_best|]].
  - intros u _. eapply Rle_trans; [|apply (rare_tangents u (3468 / 2773) (1458 / 2773) (3393 / 2773)
      (3778 / 2773) (1768 / 2773)); lra]. lra.
  - exists (vector [75 / 2773; - 1935 / 2773; 0]). split; [exact I|].
    rewrite rare_risk, centred_sq_3, centred_sq_2. unfold half_s, vector. cbn [nth].
    rewrite !pos_part_nonneg by lra. lra.
  - intros u E. assert (H : ~ is_argmax [0; 1; 2]%nat u 2%nat).
    { intros [_ M]. assert (u .0 <= u .2) by (apply M; simpl; auto).
      assert (2416 / 1465 <= mixture_risk (centred cstnd_sq) rare_mix half_s u); [|lra].
      eapply Rle_trans; [|apply (rare_tangents u (363 / 293) (153 / 293) (363 / 293)
        (398 / 293) (188 / 293)); lra]. lra. }
    split; auto. pose proof (half_not_expert u H) as C.
    unfold mixture_regret, rare_mix. cbn [sum fst snd]. rewrite half_largest_3, half_largest_2.
    pose proof (regret_term_nonneg [0; 1]%nat half_s u ltac:(congruence)) as P.
    rewrite half_largest_2 in P. lra.
Qed.


(* Sum of squares: two classes and two experts, one of them slightly better than the best class;
   both there with probability 1/10, none otherwise. *)
Definition pair_s : nat -> R := vector [7 / 10; 3 / 10; 71 / 100; 1 / 10].
Definition pair_mix : Mixture := [(1 / 10, [0; 1; 2; 3]%nat); (9 / 10, [0; 1]%nat)].

Lemma pair_risk u :
  let hh x y := Rmax 0 (1 - (x - y)) * Rmax 0 (1 - (x - y)) in
  mixture_risk sum_sq pair_mix pair_s u
  = 1 / 10 * (
      7 / 10 * (hh (u .0) (u .1) + hh (u .0) (u .2) + hh (u .0) (u .3))
      + 3 / 10 * (hh (u .1) (u .0) + hh (u .1) (u .2) + hh (u .1) (u .3))
      + 71 / 100 * (hh (u .2) (u .0) + hh (u .2) (u .1) + hh (u .2) (u .3))
      + 1 / 10 * (hh (u .3) (u .0) + hh (u .3) (u .1) + hh (u .3) (u .2)))
    + 9 / 10 * (7 / 10 * hh (u .0) (u .1) + 3 / 10 * hh (u .1) (u .0)).
Proof.
  cbv zeta. unfold mixture_risk, pair_mix. cbn [sum fst snd]. rewrite !risk_eq. cbn [sum].
  rewrite !sum_sq_eq. cbn [sum others filter Nat.eqb negb]. rewrite !hinge_eq.
  unfold pair_s, vector. cbn [nth]. ring.
Qed.

(* claim: availability-sum-sq *)
Theorem sum_of_squares_optimum_is_misled_when_experts_come_together :
  is_min_over all_scores (mixture_risk sum_sq pair_mix pair_s) (167945039 / 144021275) /\
  only_argmax [0; 1; 2; 3]%nat pair_s 2%nat /\
  forall u, mixture_risk sum_sq pair_mix pair_s u = 167945039 / 144021275 ->
    ~ is_argmax [0; 1; 2; 3]%nat u 2%nat /\ mixture_regret pair_mix pair_s u >= 1 / 1000.
Proof.
  assert (B : only_argmax [0; 1; 2; 3]%nat pair_s 2%nat).
  { split; [simpl; auto|]. intros b Hb Nb. unfold pair_s, vector.
    repeat destruct Hb as [<-|Hb]; cbn; try lra; try tauto; lia. }
  split; [split|split; [exact B|]].
  - intros u _. rewrite pair_risk. cbv beta.
    pose proof (pos_part_sq (3477131 / 5760851) (1 - (u .0 - u .1)) ltac:(lra)).
    pose proof (pos_part_sq (5755902 / 5760851) (1 - (u .0 - u .2)) ltac:(lra)).
    pose proof (pos_part_sq (1263191 / 5760851) (1 - (u .0 - u .3)) ltac:(lra)).
    pose proof (pos_part_sq (8044571 / 5760851) (1 - (u .1 - u .0)) ltac:(lra)).
    pose proof (pos_part_sq (8039622 / 5760851) (1 - (u .1 - u .2)) ltac:(lra)).
    pose proof (pos_part_sq (3546911 / 5760851) (1 - (u .1 - u .3)) ltac:(lra)).
    pose proof (pos_part_sq (5765800 / 5760851) (1 - (u .2 - u .0)) ltac:(lra)).
    pose proof (pos_part_sq (3482080 / 5760851) (1 - (u .2 - u .1)) ltac:(lra)).
    pose proof (pos_part_sq (1268140 / 5760851) (1 - (u .2 - u .3)) ltac:(lra)).
    pose proof (pos_part_sq (10258511 / 5760851) (1 - (u .3 - u .0)) ltac:(lra)).
    pose proof (pos_part_sq (7974791 / 5760851) (1 - (u .3 - u .1)) ltac:(lra)).
    pose proof (pos_part_sq (10253562 / 5760851) (1 - (u .3 - u .2)) ltac:(lra)).
    lra.
  - exists (vector [4497660 / 5760851; 2213940 / 5760851; 4492711 / 5760851; 0]). split; [exact I|].
    rewrite pair_risk. cbv beta. unfold vector. cbn [nth]. rewrite !pos_part_nonneg by lra. lra.
  - intros u E. assert (H : ~ is_argmax [0; 1; 2; 3]%nat u 2%nat).
    { intros [_ M]. assert (u .0 <= u .2) by (apply M; simpl; auto).
      assert (265571721 / 227741000 <= mixture_risk sum_sq pair_mix pair_s u); [|lra].
      rewrite pair_risk. cbv beta.
      pose proof (pos_part_sq (137480 / 227741) (1 - (u .0 - u .1)) ltac:(lra)).
      pose proof (pos_part_sq (1) (1 - (u .0 - u .2)) ltac:(lra)).
      pose proof (pos_part_sq (50020 / 227741) (1 - (u .0 - u .3)) ltac:(lra)).
      pose proof (pos_part_sq (318002 / 227741) (1 - (u .1 - u .0)) ltac:(lra)).
      pose proof (pos_part_sq (318002 / 227741) (1 - (u .1 - u .2)) ltac:(lra)).
      pose proof (pos_part_sq (140281 / 227741) (1 - (u .1 - u .3)) ltac:(lra)).
      pose proof (pos_part_sq (1) (1 - (u .2 - u .0)) ltac:(lra)).
      pose proof (pos_part_sq (137480 / 227741) (1 - (u .2 - u .1)) ltac:(lra)).
      pose proof (pos_part_sq (50020 / 227741) (1 - (u .2 - u .3)) ltac:(lra)).
      pose proof (pos_part_sq (405462 / 227741) (1 - (u .3 - u .0)) ltac:(lra)).
      pose proof (pos_part_sq (315201 / 227741) (1 - (u .3 - u .1)) ltac:(lra)).
      pose proof (pos_part_sq (405462 / 227741) (1 - (u .3 - u .2)) ltac:(lra)).
      lra. }
    split; auto.
    unfold mixture_regret, pair_mix. cbn [sum fst snd].
    rewrite (largest_is [0; 1; 2; 3]%nat pair_s 2%nat) by (apply only_argmax_is, B).
    pose proof (regret_term_nonneg [0; 1]%nat pair_s u ltac:(congruence)) as P.
    assert (M : is_argmax [0; 1; 2; 3]%nat u (argmax [0; 1; 2; 3]%nat u))
      by (apply argmax_is; congruence).
    assert (C : pair_s (argmax [0; 1; 2; 3]%nat u) <= 7 / 10).
    { destruct (argmax [0; 1; 2; 3]%nat u) as [|[|[|[|n]]]]; unfold pair_s, vector; cbn;
        try lra; [tauto|destruct n; lra]. }
    change (pair_s 2%nat) with (71 / 100). lra.
Qed.
