(* The expected squared length of the projected gradient estimate (Lem F.3 and the first display
   about it in the proof of Thm 6.3).
   Claims: lem-f.3-general, lem-f.3-concentrated. That such subgradients exist: SharpGradient.v. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Projection Cost Estimator Moments.
Import ListNotations.
Open Scope R_scope.

Lemma frob2_scale N D A (w : R) G :
  frob2 N D (projM A (fun a k => w * G a k)) = w * w * frob2 N D (projM A G).
Proof.
  rewrite (frob2_ext N D _ (fun a k => w * projM A G a k)).
  - unfold frob2, inner. rewrite <- sum_scal. apply sum_ext. intros a _.
    rewrite <- sum_scal. apply sum_ext. intros. ring.
  - intros a k _ _. unfold projM. rewrite !proj_eq, sum_scal. unfold Rdiv.
    destruct (mem a A); ring.
Qed.

Lemma inner_scale N D (w : R) G V : inner N D (fun a k => w * G a k) V = w * inner N D G V.
Proof.
  unfold inner. rewrite <- sum_scal. apply sum_ext. intros a _.
  rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

(* A subgradient of w times F. *)
Lemma subgradient_scale N D F W G w :
  0 < w -> subgradient N D (fun V => w * F V) W G ->
  subgradient N D F W (fun a k => / w * G a k).
Proof.
  intros P S V. specialize (S V). cbv beta in S. rewrite inner_scale.
  assert (I : 0 < / w) by (apply Rinv_0_lt_compat; auto).
  apply Rmult_le_compat_l with (r := / w) in S; [|lra].
  rewrite Rmult_plus_distr_l, <- !Rmult_assoc, Rinv_l, !Rmult_1_l in S by lra. lra.
Qed.

Lemma subgradient_of_constant N D W G (m : R) :
  subgradient N D (fun _ => m) W G -> frob2 N D G = 0.
Proof.
  intros S. specialize (S (fun a k => W a k + G a k)). cbv beta in S.
  assert (E : inner N D G (minusM (fun a k => W a k + G a k) W) = frob2 N D G)
    by (apply inner_ext; intros; unfold minusM; ring).
  pose proof (frob2_nonneg N D G). lra.
Qed.

Lemma projM_zero_length N D A G :
  NoDup A -> incl A (seq 0 N) -> A <> nil -> frob2 N D G = 0 -> frob2 N D (projM A G) = 0.
Proof.
  intros NA I H Z. pose proof (frob2_nonneg N D (projM A G)).
  destruct (centring_never_lengthens N D A G G 0 NA I H) as [_ [L _]]. lra.
Qed.

Lemma reward_unit n E c a y :
  unit_costs n E c -> (y < n)%nat -> In a (active n E) -> 0 <= reward n c a y <= 1.
Proof.
  intros U Hy Ha. apply active_in in Ha. destruct Ha as [Ha|[j [Hj ->]]].
  - rewrite reward_class by auto. destruct (Nat.eqb a y); lra.
  - rewrite reward_expert. pose proof (U j y Hj Hy). lra.
Qed.

Lemma subgradient_ext N D F F' W G :
  (forall V, F V = F' V) -> subgradient N D F W G -> subgradient N D F' W G.
Proof. intros E S V. rewrite <- !E. apply S. Qed.

Section Round.
Context (N n D : nat) (E : list nat) (c : nat -> nat -> R) (p q x : nat -> R) (rho : R).
Context (W : Matrix) (G : nat -> nat -> Matrix).
Let A := active n E.
Context (Hn : (2 <= n)%nat) (NE : NoDup E) (I : incl A (seq 0 N)).
Context (Lw : is_law n p) (U : unit_costs n E c) (Q : forall a, In a A -> 0 < q a).
Context (SQ : sum A q = 1).
Context (X : 0 < norm2 D x) (Rx : norm2 D x <= rho ^ 2).
Context (SG : forall a y, In a A -> (y < n)%nat ->
  subgradient N D (estimated_loss n E D c q x a y) (projM A W) (G a y)).

Let K := INR (length A).
Let moment := sum (seq 0 n) (fun y => p y * sum A (fun a => q a * frob2 N D (projM A (G a y)))).

Lemma K_two : 2 <= K.
Proof.
  unfold K, A. rewrite active_length, plus_INR. apply le_INR in Hn. simpl in Hn.
  pose proof (pos_INR (length E)). lra.
Qed.

Lemma A_nonempty : A <> nil.
Proof. apply active_nonempty. lia. Qed.

Lemma A_nodup : NoDup A.
Proof. apply active_nodup; auto. Qed.

Lemma gradient_when_weighted a y :
  Generic.identified n E = false -> In a A -> (y < n)%nat ->
  q a * frob2 N D (projM A (G a y)) <= K * rho ^ 2 * (reward n c a y / q a).
Proof.
  intros Id Ha Hy. pose proof (SG a y Ha Hy) as S. pose proof (Q a Ha) as Qa.
  pose proof (reward_unit n E c a y U Hy Ha) as B. pose proof K_two as K2.
  set (w := reward n c a y / q a).
  assert (S' : subgradient N D (fun V => w * hinge_at A D x a V) (projM A W) (G a y)).
  { apply (subgradient_ext N D (estimated_loss n E D c q x a y)); auto. intros V.
    unfold estimated_loss, round_estimate, Generic.round_estimate. rewrite Id.
    change (Generic.estimate RA) with estimate. apply estimate_single; auto. }
  assert (R2 : 0 < rho ^ 2) by lra.
  destruct (Rle_lt_or_eq_dec 0 w) as [P|Z].
  { apply div_nonneg; lra. }
  - pose proof (subgradient_scale N D _ _ _ w P S') as T.
    pose proof (projected_subgradient_length N D A x a _ _ rho A_nodup I A_nonempty X Rx T) as L.
    rewrite frob2_scale in L. fold K in L.
    assert (F : frob2 N D (projM A (G a y)) <= w * w * (K * rho ^ 2 / 4)).
    { apply Rmult_le_compat_l with (r := w * w) in L; [|nra].
      replace (w * w * (/ w * / w * frob2 N D (projM A (G a y))))
        with (frob2 N D (projM A (G a y))) in L by (field; lra). exact L. }
    apply Rmult_le_compat_l with (r := q a) in F; [|lra].
    assert (Wq : q a * (w * w) <= w).
    { unfold w. replace (q a * (reward n c a y / q a * (reward n c a y / q a)))
        with (reward n c a y * reward n c a y / q a) by (field; lra).
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|nra]. }
    apply Rle_trans with (q a * (w * w) * (K * rho ^ 2 / 4)); [lra|].
    assert (KR : 0 < K * rho ^ 2) by (apply Rmult_lt_0_compat; lra).
    apply Rle_trans with (w * (K * rho ^ 2 / 4)).
    + apply Rmult_le_compat_r; [lra|exact Wq].
    + rewrite (Rmult_comm _ w). apply Rmult_le_compat_l; lra.
  - assert (C : subgradient N D (fun _ => 0) (projM A W) (G a y)).
    { apply (subgradient_ext N D (fun V => w * hinge_at A D x a V)); auto.
      intros V. rewrite <- Z. ring. }
    rewrite (projM_zero_length N D A _ A_nodup I A_nonempty
               (subgradient_of_constant _ _ _ _ _ C)), <- Z. lra.
Qed.

Lemma moment_by_scores :
  Generic.identified n E = false ->
  moment <= K * rho ^ 2 * sum A (fun a => score n p c a / q a).
Proof.
  intros Id. unfold moment.
  apply Rle_trans with (sum (seq 0 n) (fun y => p y *
    sum A (fun a => K * rho ^ 2 * (reward n c a y / q a)))).
  - apply sum_le. intros y Hy. apply seq_in_0 in Hy. apply Rmult_le_compat_l; [apply Lw; auto|].
    apply sum_le. intros a Ha. apply gradient_when_weighted; auto.
  - right. rewrite <- sum_scal.
    rewrite (sum_ext (seq 0 n) _ (fun y => sum A (fun a =>
      K * rho ^ 2 / q a * (p y * reward n c a y)))).
    + rewrite sum_swap. apply sum_ext. intros a Ha. rewrite sum_scal.
      rewrite (score_reward n E) by auto. unfold Rdiv. ring.
    + intros y _. rewrite <- sum_scal. apply sum_ext. intros. unfold Rdiv. ring.
Qed.

Lemma moment_when_identified : Generic.identified n E = true -> moment <= K * rho ^ 2.
Proof.
  intros Id.
  assert (L : forall a y, In a A -> (y < n)%nat -> frob2 N D (projM A (G a y)) <= K * rho ^ 2).
  { intros a y Ha Hy. pose proof K_two. assert (0 < rho ^ 2) by lra.
    apply Rle_trans with (K * rho ^ 2 / 4); [|nra].
    apply (projected_subgradient_length N D A x (Generic.named_label a y) (projM A W) (G a y) rho);
      auto using A_nodup, A_nonempty.
    apply (subgradient_ext N D (estimated_loss n E D c q x a y)); auto. intros V.
    unfold estimated_loss, round_estimate, Generic.round_estimate. rewrite Id. reflexivity. }
  unfold moment. apply sum_weights_le.
  - intros y Hy. apply seq_in_0 in Hy. apply Lw; auto.
  - apply Lw.
  - intros y Hy. apply seq_in_0 in Hy. apply sum_weights_le; auto.
    intros a Ha. left. auto.
Qed.

End Round.

Lemma score_sum_unit n E p c :
  (2 <= n)%nat -> is_law n p -> unit_costs n E c ->
  1 <= sum (active n E) (score n p c) <= INR (length (active n E)).
Proof.
  intros Hn Lw U. destruct (score_mass_is_between_one_and_K n E p c Hn Lw U) as [L1 [L2 [L3 _]]].
  rewrite mass_eq in *. lra.
Qed.

Lemma length_le_N N n E : NoDup E -> incl (active n E) (seq 0 N) -> INR (length (active n E)) <= INR N.
Proof.
  intros NE I. apply le_INR. pose proof (NoDup_incl_length (active_nodup n E NE) I) as Q.
  rewrite seq_length in Q. auto.
Qed.

Lemma cube_le k m : 0 <= k <= m -> k ^ 3 <= m ^ 3.
Proof. intros. apply pow_incr. auto. Qed.

Lemma mix_pos A gamma r a : A <> nil -> 0 < gamma <= 1 -> 0 < mix A gamma r a.
Proof.
  intros H G. rewrite mix_eq. pose proof (length_pos A H).
  assert (0 < gamma / INR (length A)) by (apply Rdiv_lt_0_compat; lra).
  destruct (Nat.eqb a r); lra.
Qed.

(* W is any matrix; G a y is any subgradient, at the projected matrix, of the estimated loss when a
   was played and y drawn. The expectation is over the label's law p and the mixture. Rounds with
   two actions (exact loss) are included. *)
(* claim: lem-f.3-general *)
Theorem second_moment_of_the_projected_gradient :
  forall N n D E c p x rho gamma r W G,
  let A := active n E in
  let q := mix A gamma r in
  let K := INR (length A) in
  (2 <= n)%nat -> NoDup E -> incl A (seq 0 N) -> is_law n p -> unit_costs n E c ->
  In r A -> 0 < gamma <= 1 -> 0 < norm2 D x -> norm2 D x <= rho ^ 2 ->
  (forall a y, In a A -> (y < n)%nat ->
     subgradient N D (estimated_loss n E D c q x a y) (projM A W) (G a y)) ->
  sum (seq 0 n) (fun y => p y * sum A (fun a => q a * frob2 N D (projM A (G a y))))
    <= K ^ 3 * rho ^ 2 / gamma
  /\ K ^ 3 * rho ^ 2 / gamma <= INR N ^ 3 * rho ^ 2 / gamma.
Proof.
  intros N n D E c p x rho gamma r W G A q K Hn NE I Lw U Hr Hg X Rx SG.
  assert (K2 : 2 <= K) by (apply K_two; auto).
  assert (R2 : 0 < rho ^ 2) by lra.
  assert (Gi : 1 <= / gamma) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (HA : A <> nil) by (apply active_nonempty; lia).
  assert (NA : NoDup A) by (apply active_nodup; auto).
  assert (Q : forall a, In a A -> 0 < q a) by (intros; apply mix_pos; auto).
  assert (SQ : sum A q = 1) by (apply (mix_dist A gamma r); auto; lra).
  split.
  - destruct (Generic.identified n E) eqn:Id.
    + eapply Rle_trans.
      * apply (moment_when_identified N n D E c p q x rho W G); auto.
      * fold A. fold K. unfold Rdiv.
        apply Rle_trans with (K ^ 3 * rho ^ 2); [|apply Rle_trans with (K ^ 3 * rho ^ 2 * 1)];
          [|lra|].
        -- apply Rmult_le_compat_r; [lra|]. nra.
        -- apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos; [|lra].
           apply pow_le. lra.
    + eapply Rle_trans.
      * apply (moment_by_scores N n D E c p q x rho W G); auto.
      * fold A. fold K.
        assert (S : sum A (fun a => score n p c a / q a) <= K * (K / gamma)).
        { apply Rle_trans with (sum A (score n p c) * (K / gamma)).
          - rewrite <- sum_scal_r. apply sum_le. intros a Ha.
            apply Rmult_le_compat_l; [apply (score_unit n E); auto|].
            assert (F : gamma / K <= q a)
              by (apply (the_mixture_explores_every_action A gamma r); auto; lra).
            replace (K / gamma) with (/ (gamma / K)) by (field; lra).
            apply Rinv_le_contravar; auto. apply Rdiv_lt_0_compat; lra.
          - apply Rmult_le_compat_r; [apply div_nonneg; lra|].
            apply (score_sum_unit n E p c); auto. }
        apply Rle_trans with (K * rho ^ 2 * (K * (K / gamma))).
        -- apply Rmult_le_compat_l; auto. nra.
        -- right. field. lra.
  - unfold Rdiv. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [lra|].
    apply cube_le. split; [lra|]. apply length_le_N; auto.
Qed.

(* claim: lem-f.3-concentrated *)
Theorem second_moment_when_the_greedy_action_is_best_and_concentrated :
  forall N n D E c p x rho gamma nu r W G,
  let A := active n E in
  let q := mix A gamma r in
  let K := INR (length A) in
  (2 <= n)%nat -> NoDup E -> incl A (seq 0 N) -> is_law n p -> unit_costs n E c ->
  In r A -> 0 < gamma <= 1 / 2 -> 0 < norm2 D x -> norm2 D x <= rho ^ 2 ->
  0 <= nu -> 1 - nu <= score_bar A (score n p c) r ->
  (forall a y, In a A -> (y < n)%nat ->
     subgradient N D (estimated_loss n E D c q x a y) (projM A W) (G a y)) ->
  sum (seq 0 n) (fun y => p y * sum A (fun a => q a * frob2 N D (projM A (G a y))))
    <= 2 * K ^ 2 * rho ^ 2 + nu * K ^ 3 * rho ^ 2 / gamma
  /\ 2 * K ^ 2 * rho ^ 2 + nu * K ^ 3 * rho ^ 2 / gamma
     <= 2 * INR N ^ 2 * rho ^ 2 + nu * INR N ^ 3 * rho ^ 2 / gamma.
Proof.
  intros N n D E c p x rho gamma nu r W G A q K Hn NE I Lw U Hr Hg X Rx Hnu Con SG.
  assert (K2 : 2 <= K) by (apply K_two; auto).
  assert (R2 : 0 < rho ^ 2) by lra.
  assert (Gi : 0 < / gamma) by (apply Rinv_0_lt_compat; lra).
  assert (HA : A <> nil) by (apply active_nonempty; lia).
  assert (NA : NoDup A) by (apply active_nodup; auto).
  assert (Q : forall a, In a A -> 0 < q a) by (intros; apply mix_pos; auto; lra).
  assert (SQ : sum A q = 1) by (apply (mix_dist A gamma r); auto; lra).
  assert (P3 : 0 <= nu * K ^ 3 * rho ^ 2 / gamma).
  { apply div_nonneg; [|lra]. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; auto.
    apply pow_le. lra. }
  split.
  - destruct (Generic.identified n E) eqn:Id.
    + eapply Rle_trans.
      * apply (moment_when_identified N n D E c p q x rho W G); auto.
      * fold A. fold K. nra.
    + eapply Rle_trans.
      * apply (moment_by_scores N n D E c p q x rho W G); auto.
      * fold A. fold K. set (s := score n p c) in *.
        destruct (score_sum_unit n E p c Hn Lw U) as [S1 SK]. fold A in S1, SK. fold s in S1, SK.
        fold K in SK.
        assert (Sr : 0 <= s r <= 1) by (apply (score_unit n E); auto).
        assert (Rest : sum (others A r) s <= nu * K).
        { rewrite sum_others_eq by auto. rewrite score_bar_eq in Con.
          apply Rmult_le_compat_r with (r := sum A s) in Con; [|lra].
          unfold Rdiv in Con. rewrite Rmult_assoc, Rinv_l in Con by lra.
          apply Rle_trans with (nu * sum A s); [lra|]. apply Rmult_le_compat_l; auto. }
        assert (S : sum A (fun a => s a / q a) <= 2 + nu * K * (K / gamma)).
        { rewrite (sum_others A r) by auto. apply Rplus_le_compat.
          - assert (H : 1 / 2 <= q r)
              by (apply (the_mixture_explores_every_action A gamma r); auto; lra).
            apply Rle_trans with (1 * / (1 / 2)); [|lra]. unfold Rdiv at 1.
            apply Rmult_le_compat; try lra.
            + left. apply Rinv_0_lt_compat. lra.
            + apply Rinv_le_contravar; lra.
          - apply Rle_trans with (sum (others A r) s * (K / gamma)).
            + rewrite <- sum_scal_r. apply sum_le. intros a Ha. apply others_in in Ha.
              apply Rmult_le_compat_l; [apply (score_unit n E); tauto|].
              assert (F : gamma / K <= q a)
                by (apply (the_mixture_explores_every_action A gamma r); auto; try lra; tauto).
              replace (K / gamma) with (/ (gamma / K)) by (field; lra).
              apply Rinv_le_contravar; auto. apply Rdiv_lt_0_compat; lra.
            + apply Rmult_le_compat_r; auto. apply div_nonneg; lra. }
        apply Rle_trans with (K * rho ^ 2 * (2 + nu * K * (K / gamma))).
        -- apply Rmult_le_compat_l; auto. nra.
        -- replace (K * rho ^ 2 * (2 + nu * K * (K / gamma)))
             with (2 * K * rho ^ 2 + nu * K ^ 3 * rho ^ 2 / gamma) by (field; lra).
           apply Rplus_le_compat_r. nra.
  - assert (LN : K <= INR N) by (apply length_le_N; auto).
    apply Rplus_le_compat.
    + apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; [lra|].
      apply pow_incr. lra.
    + unfold Rdiv. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [lra|].
      apply Rmult_le_compat_l; auto. apply cube_le. lra.
Qed.
