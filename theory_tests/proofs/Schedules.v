(* The schedules of Thm 6.3 and Thm 6.5: signs, monotonicity, sums. The bounds of the two theorems
   with every constant. No theorem stands here for a claim. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions.
Import ListNotations.
Open Scope R_scope.

(* Cube roots of round numbers. *)
Definition cbrt (t : nat) : R := Rpower (INR t) (1 / 3).

Lemma INR_pos t : (1 <= t)%nat -> 1 <= INR t.
Proof. intros H. apply le_INR in H. simpl in H. lra. Qed.

Lemma cbrt_pos t : 0 < cbrt t.
Proof. apply exp_pos. Qed.

Lemma cbrt_cube t : (1 <= t)%nat -> cbrt t * cbrt t * cbrt t = INR t.
Proof.
  intros H. apply INR_pos in H. unfold cbrt. rewrite <- !Rpower_plus.
  replace (1 / 3 + 1 / 3 + 1 / 3) with 1 by field. apply Rpower_1. lra.
Qed.

Lemma cbrt_two_thirds t : Rpower (INR t) (2 / 3) = cbrt t * cbrt t.
Proof. unfold cbrt. rewrite <- Rpower_plus. f_equal. field. Qed.

Lemma cbrt_inv t : Rpower (INR t) (- (1 / 3)) = / cbrt t.
Proof. apply Rpower_Ropp. Qed.

Lemma cbrt_inv2 t : Rpower (INR t) (- (2 / 3)) = / (cbrt t * cbrt t).
Proof. rewrite Rpower_Ropp, cbrt_two_thirds. reflexivity. Qed.

Lemma cbrt_1 : cbrt 1 = 1.
Proof. unfold cbrt. simpl. unfold Rpower. rewrite ln_1, Rmult_0_r. apply exp_0. Qed.

Lemma cbrt_incr t : (1 <= t)%nat -> cbrt t <= cbrt (S t).
Proof.
  intros H. apply Rle_Rpower_l; [lra|]. rewrite S_INR. apply INR_pos in H. lra.
Qed.

Lemma cbrt_ge_1 t : (1 <= t)%nat -> 1 <= cbrt t.
Proof.
  induction t as [|t IH]; intros H; [lia|]. destruct t as [|t]; [rewrite cbrt_1; lra|].
  pose proof (cbrt_incr (S t) ltac:(lia)). specialize (IH ltac:(lia)). lra.
Qed.

(* sum over t <= T of t^(-1/3) <= (3/2) T^(2/3). *)
Lemma sum_inv_cbrt T :
  (1 <= T)%nat -> sum (seq 1 T) (fun t => / cbrt t) <= 3 / 2 * (cbrt T * cbrt T).
Proof.
  induction T as [|T IH]; intros H; [lia|]. destruct T as [|T].
  - simpl. rewrite cbrt_1. lra.
  - specialize (IH ltac:(lia)). rewrite seq_S, sum_app, sum_cons, sum_nil.
    change (1 + S T)%nat with (S (S T)).
    pose proof (cbrt_pos (S T)) as P. pose proof (cbrt_pos (S (S T))) as P'.
    pose proof (cbrt_cube (S T) ltac:(lia)) as C. pose proof (cbrt_cube (S (S T)) ltac:(lia)) as C'.
    rewrite (S_INR (S T)) in C'. pose proof (cbrt_incr (S T) ltac:(lia)) as I.
    set (b := cbrt (S T)) in *. set (a := cbrt (S (S T))) in *.
    assert (Q : / a <= 3 / 2 * (a * a) - 3 / 2 * (b * b)).
    { apply Rmult_le_reg_l with (2 * a); [lra|].
      replace (2 * a * / a) with (2 * (a * a * a - b * b * b)) by (rewrite C, C'; field; lra).
      pose proof (Rmult_le_pos ((a - b) * (a - b)) (a + 2 * b)) as S.
      specialize (S ltac:(nra) ltac:(lra)). lra. }
    lra.
Qed.

(* sum over t <= T of 1 / sqrt t <= 2 sqrt T. *)
Lemma sum_inv_sqrt T :
  sum (seq 1 T) (fun t => / sqrt (INR t)) <= 2 * sqrt (INR T).
Proof.
  induction T as [|T IH].
  - simpl. rewrite sqrt_0. lra.
  - rewrite seq_S, sum_app, sum_cons, sum_nil. change (1 + T)%nat with (S T).
    assert (P : 0 < INR (S T)) by (apply lt_0_INR; lia).
    pose proof (sqrt_lt_R0 _ P) as Pa. pose proof (sqrt_pos (INR T)) as Pb.
    pose proof (sqrt_sqrt (INR (S T)) ltac:(lra)) as Ea.
    pose proof (sqrt_sqrt (INR T) (pos_INR T)) as Eb. rewrite S_INR in Ea at 3.
    set (a := sqrt (INR (S T))) in *. set (b := sqrt (INR T)) in *.
    assert (/ a <= 2 * a - 2 * b); [|lra].
    apply Rmult_le_reg_l with a; auto. rewrite Rinv_r by lra.
    assert (0 <= (a - b) * (a - b)) by nra. nra.
Qed.

(* N^(3/2). *)
Definition n32 (N : nat) : R := Rpower (INR N) (3 / 2).

Lemma n32_pos N : 0 < n32 N.
Proof. apply exp_pos. Qed.

Lemma n32_square N : (1 <= N)%nat -> n32 N * n32 N = INR N ^ 3.
Proof.
  intros H. apply INR_pos in H. unfold n32. rewrite <- Rpower_plus.
  replace (3 / 2 + 3 / 2) with (INR 3) by (simpl; field). apply Rpower_pow. lra.
Qed.

Lemma kappa_pos B N rho : 0 < B -> 0 < rho -> 0 < kappa B N rho.
Proof.
  intros. unfold kappa. fold (n32 N). pose proof (n32_pos N).
  apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; auto.
Qed.

(* The schedule of Thm 6.3. *)
Lemma gamma_general_unit t : (1 <= t)%nat -> 0 < gamma_general t <= 1 / 2.
Proof.
  intros H. unfold gamma_general. split.
  - apply Rmin_glb_lt; [lra|]. apply exp_pos.
  - apply Rmin_l.
Qed.

Lemma eta_general_eq B N rho t :
  eta_general B N rho t = B / (n32 N * rho * (cbrt t * cbrt t)).
Proof. unfold eta_general. rewrite cbrt_two_thirds. reflexivity. Qed.

Lemma eta_general_pos B N rho t : 0 < B -> 0 < rho -> 0 < eta_general B N rho t.
Proof.
  intros HB Hr. rewrite eta_general_eq. pose proof (n32_pos N). pose proof (cbrt_pos t).
  apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat.
  apply Rmult_lt_0_compat; apply Rmult_lt_0_compat; auto.
Qed.

Lemma eta_general_dec B N rho t :
  0 < B -> 0 < rho -> (1 <= t)%nat -> eta_general B N rho (S t) <= eta_general B N rho t.
Proof.
  intros HB Hr Ht. rewrite !eta_general_eq. pose proof (n32_pos N). pose proof (cbrt_pos t).
  pose proof (cbrt_incr t Ht).
  apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar.
  - apply Rmult_lt_0_compat; apply Rmult_lt_0_compat; auto.
  - apply Rmult_le_compat_l; [left; apply Rmult_lt_0_compat; auto|]. nra.
Qed.

(* The two terms of the proof of Thm 6.3. *)
Definition general_bound (B : R) (N : nat) (rho : R) (T : nat) : R :=
  2 * B * Rpower (INR N) (3 / 2) * rho * Rpower (INR T) (2 / 3)
  + B * Rpower (INR N) (3 / 2) * rho / 2
    * sum (seq 1 T) (fun t => Rmax (2 * Rpower (INR t) (- (2 / 3))) (Rpower (INR t) (- (1 / 3)))).

Lemma general_diameter B N rho T :
  0 < B -> 0 < rho ->
  2 * (B * B) / eta_general B N rho T
  = 2 * B * Rpower (INR N) (3 / 2) * rho * Rpower (INR T) (2 / 3).
Proof.
  intros HB Hr. rewrite eta_general_eq, cbrt_two_thirds. fold (n32 N).
  pose proof (n32_pos N). pose proof (cbrt_pos T). field. repeat split; lra.
Qed.

Lemma general_variance B N rho t :
  0 < B -> 0 < rho -> (1 <= N)%nat -> (1 <= t)%nat ->
  eta_general B N rho t / 2 * (INR N ^ 3 * (rho * rho) / gamma_general t)
  <= B * Rpower (INR N) (3 / 2) * rho / 2
     * Rmax (2 * Rpower (INR t) (- (2 / 3))) (Rpower (INR t) (- (1 / 3))).
Proof.
  intros HB Hr HN Ht. rewrite eta_general_eq, cbrt_inv2, cbrt_inv. fold (n32 N).
  rewrite <- n32_square by auto. unfold gamma_general. rewrite cbrt_inv.
  pose proof (n32_pos N) as Pn. pose proof (cbrt_pos t) as Pc.
  set (m := n32 N) in *. set (c := cbrt t) in *.
  assert (P0 : 0 < / c) by (apply Rinv_0_lt_compat; auto).
  assert (Q0 : 0 < B * m * rho / 2).
  { pose proof (Rmult_lt_0_compat _ _ (Rmult_lt_0_compat _ _ HB Pn) Hr). lra. }
  assert (E : / Rmin (1 / 2) (/ c) / (c * c) <= Rmax (2 * / (c * c)) (/ c)).
  { unfold Rmin. destruct (Rle_dec (1 / 2) (/ c)).
    - eapply Rle_trans; [|apply Rmax_l]. right. field. lra.
    - eapply Rle_trans; [|apply Rmax_r]. right. field. lra. }
  assert (G : 0 < Rmin (1 / 2) (/ c)) by (apply Rmin_glb_lt; lra).
  set (g := Rmin (1 / 2) (/ c)) in *.
  replace (B / (m * rho * (c * c)) / 2 * (m * m * (rho * rho) / g))
    with (B * m * rho / 2 * (/ g / (c * c))) by (field; repeat split; lra).
  apply Rmult_le_compat_l; [lra|auto].
Qed.

(* O(.) with a constant: 7/2. *)
Lemma general_bound_rate B N rho T :
  0 < B -> 0 < rho -> (1 <= T)%nat ->
  general_bound B N rho T <= 7 / 2 * kappa B N rho * Rpower (INR T) (2 / 3).
Proof.
  intros HB Hr HT. unfold general_bound, kappa. pose proof (kappa_pos B N rho HB Hr) as K.
  unfold kappa in K. set (k := B * Rpower (INR N) (3 / 2) * rho) in *.
  rewrite cbrt_two_thirds.
  assert (S : sum (seq 1 T) (fun t => Rmax (2 * Rpower (INR t) (- (2 / 3)))
                                           (Rpower (INR t) (- (1 / 3))))
              <= 2 * (3 / 2 * (cbrt T * cbrt T))).
  { eapply Rle_trans; [|apply Rmult_le_compat_l; [lra|]; apply sum_inv_cbrt; auto].
    rewrite <- sum_scal. apply sum_le. intros t Ht. apply in_seq in Ht.
    rewrite cbrt_inv2, cbrt_inv. pose proof (cbrt_ge_1 t ltac:(lia)).
    assert (0 < / cbrt t) by (apply Rinv_0_lt_compat; lra).
    apply Rmax_lub; [|lra]. rewrite Rinv_mult.
    assert (/ cbrt t <= 1). { rewrite <- Rinv_1. apply Rinv_le_contravar; lra. } nra. }
  apply Rmult_le_compat_l with (r := k / 2) in S; [|lra]. unfold k in *. lra.
Qed.

Lemma general_exploration T :
  (1 <= T)%nat -> sum (seq 1 T) gamma_general <= 3 / 2 * Rpower (INR T) (2 / 3).
Proof.
  intros HT. rewrite cbrt_two_thirds. eapply Rle_trans; [|apply sum_inv_cbrt; auto].
  apply sum_le. intros t _. unfold gamma_general. rewrite cbrt_inv. apply Rmin_r.
Qed.

(* The schedule of Thm 6.5. *)
Section Concentrated.
Variables (B : R) (N : nat) (rho : R).
Hypothesis HB : 0 < B.
Hypothesis Hr : 0 < rho.
Hypothesis HN : (1 <= N)%nat.
Let k := kappa B N rho.
Let lambda := 1 / (4 * INR N ^ 3 * rho ^ 2).

Lemma lambda_pos : 0 < lambda.
Proof.
  unfold lambda. pose proof (INR_pos N HN). apply Rmult_lt_0_compat; [lra|].
  apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; [|nra].
  apply Rmult_lt_0_compat; [lra|]. apply pow_lt. lra.
Qed.

Lemma sqrt_round_pos t : (1 <= t)%nat -> 0 < sqrt (INR t).
Proof. intros H. apply sqrt_lt_R0. apply INR_pos in H. lra. Qed.

Lemma gamma_concentrated_unit t : (1 <= t)%nat -> 0 < gamma_concentrated B N rho t <= 1 / 2.
Proof.
  intros H. unfold gamma_concentrated. split; [|apply Rmin_l].
  apply Rmin_glb_lt; [lra|]. apply Rmult_lt_0_compat; [apply kappa_pos; auto|].
  apply Rinv_0_lt_compat, sqrt_round_pos; auto.
Qed.

Lemma gamma_concentrated_dec t :
  (1 <= t)%nat -> gamma_concentrated B N rho (S t) <= gamma_concentrated B N rho t.
Proof.
  intros H. unfold gamma_concentrated. apply Rmin_glb; [apply Rmin_l|].
  eapply Rle_trans; [apply Rmin_r|]. apply Rmult_le_compat_l; [left; apply kappa_pos; auto|].
  apply Rinv_le_contravar; [apply sqrt_round_pos; auto|]. apply sqrt_le_1_alt. rewrite S_INR. lra.
Qed.

Lemma eta_concentrated_eq t :
  eta_concentrated B N rho t = lambda * gamma_concentrated B N rho t.
Proof. unfold eta_concentrated, lambda, Rdiv. ring. Qed.

Lemma eta_concentrated_pos t : (1 <= t)%nat -> 0 < eta_concentrated B N rho t.
Proof.
  intros H. rewrite eta_concentrated_eq. apply Rmult_lt_0_compat; [apply lambda_pos|].
  apply gamma_concentrated_unit; auto.
Qed.

Lemma eta_concentrated_dec t :
  (1 <= t)%nat -> eta_concentrated B N rho (S t) <= eta_concentrated B N rho t.
Proof.
  intros H. rewrite !eta_concentrated_eq. pose proof lambda_pos.
  apply Rmult_le_compat_l; [lra|]. apply gamma_concentrated_dec; auto.
Qed.

Lemma concentrated_exploration T :
  sum (seq 1 T) (gamma_concentrated B N rho) <= 2 * k * sqrt (INR T).
Proof.
  pose proof (kappa_pos B N rho HB Hr) as K. fold k in K.
  eapply Rle_trans; [apply (sum_le _ _ (fun t => k * / sqrt (INR t)))|].
  - intros t _. apply Rmin_r.
  - rewrite sum_scal. pose proof (sum_inv_sqrt T). nra.
Qed.

(* 2 B^2 / eta_T. *)
Lemma concentrated_diameter T :
  (1 <= T)%nat ->
  2 * (B * B) / eta_concentrated B N rho T
  <= 16 * B ^ 2 * INR N ^ 3 * rho ^ 2 + 8 * B ^ 2 * INR N ^ 3 * rho ^ 2 / k * sqrt (INR T).
Proof.
  intros HT. pose proof (kappa_pos B N rho HB Hr) as K. fold k in K.
  pose proof (sqrt_round_pos T HT) as P. pose proof (gamma_concentrated_unit T HT) as [G _].
  rewrite eta_concentrated_eq. pose proof (INR_pos N HN) as N1.
  assert (M : 0 < INR N ^ 3 * rho ^ 2).
  { apply Rmult_lt_0_compat; [apply pow_lt; lra|nra]. }
  assert (E : / gamma_concentrated B N rho T <= 2 + sqrt (INR T) / k).
  { unfold gamma_concentrated. fold k. unfold Rmin.
    assert (0 < sqrt (INR T) / k) by (apply Rmult_lt_0_compat; auto using Rinv_0_lt_compat).
    destruct (Rle_dec (1 / 2) (k / sqrt (INR T))).
    - replace (/ (1 / 2)) with 2 by field. lra.
    - replace (/ (k / sqrt (INR T))) with (sqrt (INR T) / k) by (field; lra). lra. }
  set (g := gamma_concentrated B N rho T) in *.
  replace (2 * (B * B) / (lambda * g)) with (8 * (B * B) * (INR N ^ 3 * rho ^ 2) * / g).
  - apply Rmult_le_compat_l with (r := 8 * (B * B) * (INR N ^ 3 * rho ^ 2)) in E.
    + eapply Rle_trans; [exact E|]. right. field. lra.
    + apply Rmult_le_pos; [nra|lra].
  - unfold lambda. field. repeat split; lra.
Qed.

(* The bound of the proof of Thm 6.5, term by term. *)
Definition concentrated_bound (T : nat) : R :=
  16 * B ^ 2 * INR N ^ 3 * rho ^ 2
  + 8 * B ^ 2 * INR N ^ 3 * rho ^ 2 / kappa B N rho * sqrt (INR T)
  + 2 * (1 / (4 * INR N ^ 3 * rho ^ 2)) * INR N ^ 2 * rho ^ 2 * kappa B N rho * sqrt (INR T)
  + 1 / (4 * INR N ^ 3 * rho ^ 2) * INR N ^ 3 * rho ^ 2 / 2 * sqrt (INR T)
  + 2 * (1 / (4 * INR N ^ 3 * rho ^ 2)) * rho ^ 2 * kappa B N rho * sqrt (INR T)
  + 2 * kappa B N rho * sqrt (INR T).

End Concentrated.
