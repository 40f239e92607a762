(* The sums of exploration rates and of rate quotients that the proofs of Thm 6.3, 6.4 and 6.5 use,
   at every horizon, and how long the rate of Thm 6.5 stays at one half.
   Claims: exploration-sums, thm-6.5-exploration. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions.
Import ListNotations.
Open Scope R_scope.

(* Rounds 1, .., T. *)
Definition rounds (T : nat) : list nat := seq 1 T.

Lemma sum_rounds_S T f : sum (rounds (S T)) f = sum (rounds T) f + f (S T).
Proof. unfold rounds. rewrite seq_S, sum_app. simpl. ring. Qed.

Lemma INR_S_pos t : 0 < INR (S t).
Proof. apply lt_0_INR. lia. Qed.

(* Cube roots. *)
Definition root3 (z : R) : R := Rpower z (1 / 3).

Lemma root3_pos z : 0 < root3 z.
Proof. apply exp_pos. Qed.

Lemma root3_cube z : 0 < z -> root3 z * root3 z * root3 z = z.
Proof.
  intros P. unfold root3. rewrite <- !Rpower_plus.
  replace (1 / 3 + 1 / 3 + 1 / 3) with 1 by lra. apply Rpower_1. auto.
Qed.

Lemma root3_square z : Rpower z (2 / 3) = root3 z * root3 z.
Proof. unfold root3. rewrite <- Rpower_plus. f_equal. lra. Qed.

Lemma root3_inverse z : Rpower z (- (1 / 3)) = / root3 z.
Proof. apply Rpower_Ropp. Qed.

Lemma root3_ge_1 z : 1 <= z -> 1 <= root3 z.
Proof.
  intros H. rewrite <- (Rpower_O z) by lra. unfold root3. apply Rle_Rpower; lra.
Qed.

Lemma root3_1 : root3 1 = 1.
Proof. unfold root3, Rpower. rewrite ln_1, Rmult_0_r. apply exp_0. Qed.

Lemma root3_mono z z' : 0 < z -> z <= z' -> root3 z <= root3 z'.
Proof.
  intros P L. unfold root3, Rpower.
  assert (ln z <= ln z') by (destruct L as [L| ->]; [left; apply ln_increasing; auto|lra]).
  destruct H as [H|H].
  - left. apply exp_increasing. lra.
  - rewrite H. lra.
Qed.

(* 1 / t^(1/3) is at most the growth of (3/2) t^(2/3) from t - 1 to t. *)
Lemma cube_step (z w : R) :
  0 < z -> 0 <= w -> z * z * z - w * w * w = 1 -> / z <= 3 / 2 * (z * z - w * w).
Proof.
  intros Pz Pw E. apply Rmult_le_reg_r with z; auto. rewrite Rinv_l by lra.
  rewrite <- E.
  assert (0 <= (z - w) * (z - w) * (z + 2 * w)).
  { apply Rmult_le_pos; [apply Rle_0_sqr|lra]. }
  lra.
Qed.

Lemma sum_cube_roots T :
  (1 <= T)%nat -> sum (rounds T) (fun t => / root3 (INR t)) <= 3 / 2 * Rpower (INR T) (2 / 3).
Proof.
  induction T as [|T IH]; intros H; [lia|].
  rewrite sum_rounds_S, root3_square. destruct T as [|T].
  - unfold rounds. cbn [seq sum]. replace (INR 1) with 1 by reflexivity. rewrite root3_1. lra.
  - specialize (IH ltac:(lia)). rewrite root3_square in IH.
    pose proof (cube_step (root3 (INR (S (S T)))) (root3 (INR (S T)))
      (root3_pos _) (Rlt_le _ _ (root3_pos _))) as C.
    rewrite !root3_cube in C by apply INR_S_pos.
    specialize (C ltac:(rewrite (S_INR (S T)); lra)). lra.
Qed.

(* Square roots. *)
Lemma sum_square_roots T : sum (rounds T) (fun t => / sqrt (INR t)) <= 2 * sqrt (INR T).
Proof.
  induction T as [|T IH].
  - simpl. rewrite sqrt_0. lra.
  - rewrite sum_rounds_S.
    pose proof (INR_S_pos T) as P. pose proof (pos_INR T) as P0.
    pose proof (sqrt_lt_R0 _ P) as Q. pose proof (sqrt_pos (INR T)) as Q0.
    pose proof (sqrt_sqrt (INR (S T)) (Rlt_le _ _ P)) as E.
    pose proof (sqrt_sqrt (INR T) P0) as E0.
    rewrite S_INR in *. set (z := sqrt (INR T + 1)) in *. set (w := sqrt (INR T)) in *.
    assert (/ z <= 2 * (z - w)); [|lra].
    apply Rmult_le_reg_r with z; auto. rewrite Rinv_l by lra.
    pose proof (pow2_ge_0 (z - w)). lra.
Qed.

Lemma gamma_general_root t : gamma_general t = Rmin (1 / 2) (/ root3 (INR t)).
Proof. unfold gamma_general. rewrite root3_inverse. reflexivity. Qed.

Lemma kappa_nonneg B N rho : 0 <= B -> 0 <= rho -> 0 <= kappa B N rho.
Proof.
  intros HB HR. unfold kappa. apply Rmult_le_pos; auto. apply Rmult_le_pos; auto.
  left. apply exp_pos.
Qed.

(* Under the general schedule at most (3/2) T^(2/3); under the concentrated one at most
   2 kappa sqrt T; and the quotients eta_t / gamma_t of the proof of Thm 6.3 (up to their constant
   factor) sum to at most 3 T^(2/3). For every T >= 1 and all B, rho >= 0, N. *)
(* claim: exploration-sums *)
Theorem sums_of_exploration_rates :
  forall T B N rho, (1 <= T)%nat -> 0 <= B -> 0 <= rho ->
  sum (rounds T) gamma_general <= 3 / 2 * Rpower (INR T) (2 / 3)
  /\ sum (rounds T) (gamma_concentrated B N rho) <= 2 * kappa B N rho * sqrt (INR T)
  /\ sum (rounds T) (fun t => Rmax (2 * Rpower (INR t) (- (2 / 3))) (Rpower (INR t) (- (1 / 3))))
     <= 3 * Rpower (INR T) (2 / 3).
Proof.
  intros T B N rho HT HB HR. pose proof (sum_cube_roots T HT) as C. repeat split.
  - apply Rle_trans with (sum (rounds T) (fun t => / root3 (INR t))); auto.
    apply sum_le. intros t _. rewrite gamma_general_root. apply Rmin_r.
  - apply Rle_trans with (sum (rounds T) (fun t => kappa B N rho * / sqrt (INR t))).
    + apply sum_le. intros t _. apply Rmin_r.
    + rewrite sum_scal. pose proof (sum_square_roots T) as Q.
      pose proof (kappa_nonneg B N rho HB HR) as K.
      apply Rmult_le_compat_l with (r := kappa B N rho) in Q; lra.
  - apply Rle_trans with (sum (rounds T) (fun t => 2 * / root3 (INR t))).
    + apply sum_le. intros t Ht. unfold rounds in Ht. apply in_seq in Ht.
      assert (T1 : 1 <= INR t) by (change 1 with (INR 1); apply le_INR; lia).
      pose proof (root3_ge_1 _ T1) as Z.
      rewrite Rpower_Ropp, root3_square, root3_inverse. set (z := root3 (INR t)) in *.
      assert (Iz : / z <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
      assert (Pz : 0 < / z) by (apply Rinv_0_lt_compat; lra).
      rewrite Rinv_mult. apply Rmax_lub; nra.
    + rewrite sum_scal. lra.
Qed.

(* The constant 3/2 cannot be lowered. *)
Lemma cube_step_below (z w : R) :
  0 < w -> 0 < z -> z * z * z - w * w * w = 1 -> 3 / 2 * (z * z - w * w) <= / w.
Proof.
  intros Pw Pz E. apply Rmult_le_reg_r with w; auto. rewrite Rinv_l by lra.
  rewrite <- E.
  assert (0 <= (z - w) * (z - w) * (2 * z + w)).
  { apply Rmult_le_pos; [apply Rle_0_sqr|lra]. }
  lra.
Qed.

Lemma sum_cube_roots_below T :
  3 / 2 * Rpower (INR (S T)) (2 / 3) - 3 / 2 <= sum (rounds T) (fun t => / root3 (INR t)).
Proof.
  induction T as [|T IH].
  - replace (INR 1) with 1 by reflexivity. rewrite root3_square, root3_1. simpl. lra.
  - rewrite sum_rounds_S. rewrite root3_square in *.
    pose proof (cube_step_below (root3 (INR (S (S T)))) (root3 (INR (S T)))
      (root3_pos _) (root3_pos _)) as C.
    rewrite !root3_cube in C by apply INR_S_pos.
    specialize (C ltac:(rewrite (S_INR (S T)); lra)). lra.
Qed.

Lemma cap_general t : (1 <= t)%nat ->
  / root3 (INR t) - (if Nat.ltb t 8 then 1 / 2 else 0) <= gamma_general t.
Proof.
  intros Ht. rewrite gamma_general_root.
  assert (T1 : 1 <= INR t) by (change 1 with (INR 1); apply le_INR; lia).
  pose proof (root3_ge_1 _ T1) as Z.
  assert (Iz : / root3 (INR t) <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  destruct (Nat.ltb_spec t 8) as [L|L].
  - apply Rmin_glb; lra.
  - assert (T8 : 8 <= INR t) by (apply le_INR in L; simpl in L; lra).
    assert (R2 : 2 <= root3 (INR t)).
    { pose proof (root3_cube (INR t) ltac:(lra)) as C.
      destruct (Rle_dec 2 (root3 (INR t))) as [|N]; auto. exfalso.
      apply Rnot_le_lt in N.
      set (z := root3 (INR t)) in *. assert (z * z < 4) by nra. nra. }
    assert (/ root3 (INR t) <= 1 / 2).
    { replace (1 / 2) with (/ 2) by lra. apply Rinv_le_contravar; lra. }
    apply Rmin_glb; lra.
Qed.

Lemma sum_caps T : sum (rounds T) (fun t => if Nat.ltb t 8 then 1 / 2 else 0) <= 7 / 2.
Proof.
  assert (G : sum (rounds T) (fun t => if Nat.ltb t 8 then 1 / 2 else 0)
              <= if Nat.leb T 7 then INR T / 2 else 7 / 2).
  { induction T as [|T IH]; [simpl; lra|].
    rewrite sum_rounds_S, S_INR.
    destruct (Nat.leb_spec T 7), (Nat.leb_spec (S T) 7), (Nat.ltb_spec (S T) 8); try lia; try lra.
    assert (T = 7%nat) by lia. subst. assert (INR 7 = 7) by (simpl; lra). lra. }
  destruct (Nat.leb_spec T 7) as [L|L]; [|exact G].
  apply le_INR in L. simpl in L. lra.
Qed.

(* claim: exploration-sums *)
Theorem the_general_sum_is_tight :
  forall T, (1 <= T)%nat ->
  3 / 2 * Rpower (INR T) (2 / 3) - 5 <= sum (rounds T) gamma_general.
Proof.
  intros T HT. pose proof (sum_cube_roots_below T) as L. pose proof (sum_caps T) as C.
  assert (G : sum (rounds T) (fun t => / root3 (INR t)
                - (if Nat.ltb t 8 then 1 / 2 else 0)) <= sum (rounds T) gamma_general).
  { apply sum_le. intros t Ht. unfold rounds in Ht. apply in_seq in Ht.
    apply cap_general. lia. }
  rewrite sum_minus in G.
  assert (M : Rpower (INR T) (2 / 3) <= Rpower (INR (S T)) (2 / 3)).
  { rewrite !root3_square.
    assert (root3 (INR T) <= root3 (INR (S T))).
    { apply root3_mono; [apply lt_0_INR; lia|rewrite S_INR; lra]. }
    pose proof (root3_pos (INR T)). nra. }
  lra.
Qed.

(* The same for the constant 2 of the concentrated schedule. *)
Lemma sum_square_roots_below T : 2 * sqrt (INR (S T)) - 2 <= sum (rounds T) (fun t => / sqrt (INR t)).
Proof.
  induction T as [|T IH].
  - replace (INR 1) with 1 by reflexivity. rewrite sqrt_1. simpl. lra.
  - rewrite sum_rounds_S.
    pose proof (INR_S_pos T) as P. pose proof (INR_S_pos (S T)) as P'.
    pose proof (sqrt_lt_R0 _ P) as Q. pose proof (sqrt_lt_R0 _ P') as Q'.
    pose proof (sqrt_sqrt _ (Rlt_le _ _ P)) as E. pose proof (sqrt_sqrt _ (Rlt_le _ _ P')) as E'.
    rewrite (S_INR (S T)) in *.
    set (z := sqrt (INR (S T) + 1)) in *. set (w := sqrt (INR (S T))) in *.
    assert (2 * (z - w) <= / w); [|lra].
    apply Rmult_le_reg_r with w; auto. rewrite Rinv_l by lra.
    pose proof (pow2_ge_0 (z - w)). lra.
Qed.

Lemma sum_capped (k : R) T :
  0 <= k ->
  sum (rounds T) (fun t => if Rlt_dec (sqrt (INR t)) (2 * k) then k * / sqrt (INR t) else 0)
  <= 2 * k * Rmin (sqrt (INR T)) (2 * k).
Proof.
  intros Hk. induction T as [|T IH].
  - cbn [rounds seq sum]. apply Rmult_le_pos; [lra|]. apply Rmin_glb; [apply sqrt_pos|lra].
  - rewrite sum_rounds_S.
    pose proof (INR_S_pos T) as P. pose proof (sqrt_lt_R0 _ P) as Q.
    assert (M : sqrt (INR T) <= sqrt (INR (S T))) by (apply sqrt_le_1_alt; rewrite S_INR; lra).
    destruct (Rlt_dec (sqrt (INR (S T))) (2 * k)) as [L|L].
    + rewrite Rmin_left by lra. rewrite Rmin_left in IH by lra.
      pose proof (sqrt_sqrt _ (Rlt_le _ _ P)) as E. pose proof (sqrt_sqrt _ (pos_INR T)) as E0.
      rewrite S_INR in *. set (z := sqrt (INR T + 1)) in *. set (w := sqrt (INR T)) in *.
      assert (S : / z <= 2 * (z - w)).
      { apply Rmult_le_reg_r with z; auto. rewrite Rinv_l by lra.
        pose proof (pow2_ge_0 (z - w)). lra. }
      apply Rmult_le_compat_l with (r := k) in S; lra.
    + rewrite Rplus_0_r. eapply Rle_trans; [exact IH|]. apply Rmult_le_compat_l; [lra|].
      apply Rmin_glb; [|apply Rmin_r]. eapply Rle_trans; [apply Rmin_l|exact M].
Qed.

(* claim: exploration-sums *)
Theorem the_concentrated_sum_is_tight :
  forall T B N rho, 0 <= B -> 0 <= rho ->
  2 * kappa B N rho * sqrt (INR T) - 2 * kappa B N rho - 4 * kappa B N rho ^ 2
  <= sum (rounds T) (gamma_concentrated B N rho).
Proof.
  intros T B N rho HB HR. pose proof (kappa_nonneg B N rho HB HR) as K.
  set (k := kappa B N rho) in *.
  assert (G : sum (rounds T) (fun t => k * / sqrt (INR t)
      - (if Rlt_dec (sqrt (INR t)) (2 * k) then k * / sqrt (INR t) else 0))
      <= sum (rounds T) (gamma_concentrated B N rho)).
  { apply sum_le. intros t Ht. unfold rounds in Ht. apply in_seq in Ht.
    unfold gamma_concentrated. fold k. unfold Rdiv at 2.
    assert (P : 0 < sqrt (INR t)) by (apply sqrt_lt_R0, lt_0_INR; lia).
    assert (I : 0 < / sqrt (INR t)) by (apply Rinv_0_lt_compat; auto).
    assert (KI : 0 <= k * / sqrt (INR t)) by (apply Rmult_le_pos; lra).
    destruct (Rlt_dec (sqrt (INR t)) (2 * k)) as [L|L].
    - apply Rmin_glb; lra.
    - assert (k * / sqrt (INR t) <= 1 / 2).
      { apply Rmult_le_reg_r with (sqrt (INR t)); auto.
        rewrite Rmult_assoc, Rinv_l by lra. lra. }
      apply Rmin_glb; lra. }
  rewrite sum_minus, sum_scal in G. pose proof (sum_capped k T K) as C.
  pose proof (sum_square_roots_below T) as L.
  assert (M : sqrt (INR T) <= sqrt (INR (S T))) by (apply sqrt_le_1_alt; rewrite S_INR; lra).
  assert (D : 2 * k * Rmin (sqrt (INR T)) (2 * k) <= 2 * k * (2 * k)).
  { apply Rmult_le_compat_l; [lra|]. apply Rmin_r. }
  assert (F : k * (2 * sqrt (INR T) - 2) <= k * sum (rounds T) (fun t => / sqrt (INR t))).
  { apply Rmult_le_compat_l; lra. }
  lra.
Qed.

(* How long the exploration rate of Thm 6.5 stays at one half: up to round 4 B^2 N^3 rho^2 and no
   longer. With B = N, the least radius it allows, that is longer than the 100,000 rounds of the
   synthetic runs (N = 9, rho >= 1) and of Reuters4 (N = 7, rho^2 >= 2). *)
Lemma kappa_square B N rho : (1 <= N)%nat -> kappa B N rho ^ 2 = B ^ 2 * INR N ^ 3 * rho ^ 2.
Proof.
  intros HN. assert (P : 0 < INR N) by (apply lt_0_INR; lia). unfold kappa.
  assert (E : Rpower (INR N) (3 / 2) * Rpower (INR N) (3 / 2) = INR N ^ 3).
  { rewrite <- Rpower_plus. replace (3 / 2 + 3 / 2) with (INR 3) by (simpl; lra).
    apply Rpower_pow. auto. }
  replace ((B * Rpower (INR N) (3 / 2) * rho) ^ 2)
    with (B ^ 2 * (Rpower (INR N) (3 / 2) * Rpower (INR N) (3 / 2)) * rho ^ 2) by ring.
  rewrite E. reflexivity.
Qed.

Lemma half_exactly_until B N rho t :
  (1 <= N)%nat -> (1 <= t)%nat -> 0 <= B -> 0 <= rho ->
  (gamma_concentrated B N rho t = 1 / 2 <-> INR t <= 4 * B ^ 2 * INR N ^ 3 * rho ^ 2).
Proof.
  intros HN Ht HB HR. pose proof (kappa_nonneg B N rho HB HR) as K.
  pose proof (kappa_square B N rho HN) as K2.
  replace (4 * B ^ 2 * INR N ^ 3 * rho ^ 2) with (4 * kappa B N rho ^ 2) by (rewrite K2; ring).
  unfold gamma_concentrated. set (k := kappa B N rho) in *.
  assert (P : 0 < INR t) by (apply lt_0_INR; lia).
  pose proof (sqrt_lt_R0 _ P) as Q. pose proof (sqrt_sqrt _ (Rlt_le _ _ P)) as E.
  set (z := sqrt (INR t)) in *. rewrite <- E.
  assert (Iff : 1 / 2 <= k / z <-> z <= 2 * k).
  { split; intros H.
    - apply Rmult_le_compat_r with (r := z) in H; [|lra].
      unfold Rdiv in H. rewrite (Rmult_assoc k), Rinv_l in H by lra. lra.
    - apply Rmult_le_reg_r with z; auto. unfold Rdiv. rewrite (Rmult_assoc k), Rinv_l by lra. lra. }
  split; intros H.
  - assert (1 / 2 <= k / z) by (rewrite <- H; apply Rmin_r). apply Iff in H0. nra.
  - apply Rmin_left. apply Iff.
    destruct (Rle_dec z (2 * k)) as [|C]; auto. exfalso. apply Rnot_le_lt in C. nra.
Qed.

(* refutes: thm-6.5-exploration *)
Theorem the_rate_of_thm_6_5_stays_at_one_half :
  (forall B N rho t, (1 <= N)%nat -> (1 <= t)%nat -> 0 <= B -> 0 <= rho ->
     (gamma_concentrated B N rho t = 1 / 2 <-> INR t <= 4 * B ^ 2 * INR N ^ 3 * rho ^ 2))
  /\ (forall rho t, 1 <= rho -> (1 <= t)%nat ->
        INR t <= 100000 -> gamma_concentrated 9 9 rho t = 1 / 2)
  /\ (forall rho t, 0 <= rho -> 2 <= rho ^ 2 -> (1 <= t)%nat ->
        INR t <= 100000 -> gamma_concentrated 7 7 rho t = 1 / 2).
Proof.
  split; [intros; apply half_exactly_until; auto|]. split.
  - intros rho t Hr Ht H. apply half_exactly_until; auto; try lia; try lra.
    replace (INR 9) with 9 by (simpl; lra). assert (1 <= rho ^ 2) by nra. lra.
  - intros rho t H0 Hr Ht H. apply half_exactly_until; auto; try lia; try lra.
    replace (INR 7) with 7 by (simpl; lra). lra.
Qed.
