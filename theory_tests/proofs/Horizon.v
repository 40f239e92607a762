(* From which horizon the bounds of Thm 6.4 and Thm 6.5 say anything: a bound on a regret of T rounds
   with losses in [0, 1] says nothing as long as it is at least T. For runs as long as those of the
   paper, and B = N, neither bound is below T.
   Stands for: thm-6.4-horizon, thm-6.5-horizon (both refuted: the bounds are vacuous there). *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions Schedules.
Import ListNotations.
Open Scope R_scope.

(* B N^(3/2) rho from below, with B = N. *)
Lemma kappa_square (B : R) (N : nat) (rho : R) :
  (1 <= N)%nat -> kappa B N rho * kappa B N rho = B * B * INR N ^ 3 * (rho * rho).
Proof. intros H. rewrite <- n32_square by auto. unfold kappa. fold (n32 N). ring. Qed.

Lemma kappa_ge (B : R) (N : nat) (rho k : R) :
  (1 <= N)%nat -> 0 < B -> 0 < rho -> 0 <= k -> k * k <= B * B * INR N ^ 3 * (rho * rho) ->
  k <= kappa B N rho.
Proof.
  intros HN HB Hr Hk H. pose proof (kappa_pos B N rho HB Hr). rewrite <- kappa_square in H by auto.
  apply Rnot_lt_le. intros L. nra.
Qed.

Lemma general_vacuous B N rho T k :
  0 < B -> 0 < rho -> (1 <= T)%nat -> 0 <= k -> k <= kappa B N rho -> INR T <= 8 * (k * k * k) ->
  INR T <= general_bound B N rho T.
Proof.
  intros HB Hr HT Hk L HT3. unfold general_bound. rewrite cbrt_two_thirds.
  change (2 * B * Rpower (INR N) (3 / 2) * rho) with (2 * B * n32 N * rho).
  change (B * Rpower (INR N) (3 / 2) * rho) with (kappa B N rho).
  replace (2 * B * n32 N * rho) with (2 * kappa B N rho) by (unfold kappa, n32; ring).
  pose proof (cbrt_pos T) as P. pose proof (cbrt_cube T HT) as C. set (c := cbrt T) in *.
  assert (V : 0 <= kappa B N rho / 2 * sum (seq 1 T)
    (fun t => Rmax (2 * Rpower (INR t) (- (2 / 3))) (Rpower (INR t) (- (1 / 3))))).
  { apply Rmult_le_pos; [lra|]. apply sum_nonneg. intros t _.
    eapply Rle_trans; [|apply Rmax_r]. left. apply exp_pos. }
  assert (ck : c <= 2 * k).
  { apply Rnot_lt_le. intros Lt.
    assert (2 * k * (2 * k) < c * c) by nra.
    assert (2 * k * (2 * k) * (2 * k) <= c * c * (2 * k)) by nra.
    assert (c * c * (2 * k) < c * c * c) by nra. lra. }
  assert (c * c * c <= 2 * k * (c * c)) by nra.
  assert (2 * k * (c * c) <= 2 * kappa B N rho * (c * c)) by nra. lra.
Qed.

(* Synthetic experiments: N = 9, rho >= 1; Reuters4: N = 7, rho >= sqrt 2. B = N, T up to 100,000. *)
(* about: thm-6.4-horizon *)
Theorem bound_of_thm_6_4_is_at_least_T (T : nat) (rho : R) :
  (1 <= T)%nat -> INR T <= 100000 ->
  (1 <= rho -> INR T <= general_bound 9 9 rho T + sum (seq 1 T) gamma_general) /\
  (sqrt 2 <= rho -> INR T <= general_bound 7 7 rho T + sum (seq 1 T) gamma_general).
Proof.
  intros HT Le.
  assert (G : 0 <= sum (seq 1 T) gamma_general).
  { apply sum_nonneg. intros t Ht. apply in_seq in Ht. pose proof (gamma_general_unit t ltac:(lia)).
    lra. }
  split; intros Hr.
  - assert (INR T <= general_bound 9 9 rho T); [|lra].
    apply (general_vacuous 9 9 rho T 24); auto; try lra.
    apply kappa_ge; try lra; try lia. simpl. nra.
  - assert (S2 : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra). pose proof (sqrt_pos 2).
    assert (Hr0 : 0 < rho) by nra.
    assert (INR T <= general_bound 7 7 rho T); [|lra].
    apply (general_vacuous 7 7 rho T 24); auto; try lra.
    apply kappa_ge; try lra; try lia. simpl. nra.
Qed.

(* about: thm-6.5-horizon *)
Theorem bound_of_thm_6_5_is_at_least_T (T : nat) (rho : R) :
  (16 <= T)%nat -> INR T <= 100000 ->
  (1 <= rho -> INR T <= concentrated_bound 9 9 rho T) /\
  (sqrt 2 <= rho -> INR T <= concentrated_bound 7 7 rho T).
Proof.
  intros HT Le.
  assert (P : forall B N, (1 <= N)%nat -> 0 < B -> 0 < rho ->
    16 * B ^ 2 * INR N ^ 3 * rho ^ 2 <= concentrated_bound B N rho T).
  { intros B N HN HB Hr. unfold concentrated_bound. pose proof (kappa_pos B N rho HB Hr) as K.
    pose proof (sqrt_pos (INR T)) as S. pose proof (lambda_pos N rho Hr HN) as L.
    pose proof (INR_pos N HN) as N1.
    set (k := kappa B N rho) in *. set (l := 1 / (4 * INR N ^ 3 * rho ^ 2)) in *.
    set (q := sqrt (INR T)) in *.
    assert (A3 : 0 <= INR N ^ 3) by (apply pow_le; lra).
    assert (A2 : 0 <= INR N ^ 2) by (apply pow_le; lra).
    assert (R2 : 0 <= rho ^ 2) by (apply pow_le; lra).
    assert (B2 : 0 <= B ^ 2) by (apply pow_le; lra).
    assert (Ki : 0 < / k) by (apply Rinv_0_lt_compat; auto).
    assert (Kq : 0 <= k * q) by (apply Rmult_le_pos; lra).
    assert (0 <= 8 * B ^ 2 * INR N ^ 3 * rho ^ 2 / k * q).
    { apply Rmult_le_pos; auto. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; auto.
      apply Rmult_le_pos; auto. lra. }
    assert (0 <= l * INR N ^ 2 * rho ^ 2 * (k * q)).
    { apply Rmult_le_pos; auto. apply Rmult_le_pos; auto. apply Rmult_le_pos; lra. }
    assert (0 <= l * INR N ^ 3 * rho ^ 2 * q).
    { apply Rmult_le_pos; auto. apply Rmult_le_pos; auto. apply Rmult_le_pos; lra. }
    assert (0 <= l * rho ^ 2 * (k * q)).
    { apply Rmult_le_pos; auto. apply Rmult_le_pos; lra. }
    lra. }
  split; intros Hr.
  - eapply Rle_trans; [|apply P; [lia|lra|lra]].
    replace (INR 9) with 9 by (simpl; ring). assert (1 <= rho ^ 2) by nra. lra.
  - assert (S2 : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra). pose proof (sqrt_pos 2).
    assert (Hr0 : 0 < rho) by nra.
    eapply Rle_trans; [|apply P; [lia|lra|lra]].
    replace (INR 7) with 7 by (simpl; ring). assert (2 <= rho ^ 2) by nra. lra.
Qed.
