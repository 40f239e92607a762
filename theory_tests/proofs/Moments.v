(* Lengths of projected gradients (Lem 6.2, Lem F.1).
   Claims: lem-6.2, lem-f.1, lem-f.1-as-used.
   Subgradients are taken with respect to the whole weight matrix, any selection at kinks. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Projection Cost Estimator.
Import ListNotations.
Open Scope R_scope.

(* G is a subgradient of F at W. *)
Definition subgradient (N D : nat) (F : Matrix -> R) (W G : Matrix) : Prop :=
  forall V, F W + inner N D G (minusM V W) <= F V.

(* The value of the constrained hinge at a target as a function of the matrix; x has its bias. *)
Definition hinge_at (A : list nat) (D : nat) (x : nat -> R) (target : nat) : Matrix -> R :=
  fun W => cstnd_hinge A target (scores D W x).

(* Change one row. *)
Definition add_row (W : Matrix) (a : nat) (h : nat -> R) : Matrix :=
  fun b k => if Nat.eqb b a then W b k + h k else W b k.

Lemma inner_add_row N D G W a h :
  (a < N)%nat -> inner N D G (minusM (add_row W a h) W) = sum (seq 0 D) (fun k => G a k * h k).
Proof.
  intros Ha. unfold inner, minusM, add_row.
  rewrite (sum_ext (seq 0 N) _ (fun b => if Nat.eqb b a
             then sum (seq 0 D) (fun k => G b k * h k) else 0)).
  - apply (sum_single (seq 0 N) a (fun b => sum (seq 0 D) (fun k => G b k * h k))).
    + apply seq_NoDup.
    + apply seq_in_0; auto.
  - intros b _. destruct (Nat.eqb b a).
    + apply sum_ext. intros. ring.
    + apply sum_zero. intros. ring.
Qed.

Lemma scores_add_row D W a h x b :
  scores D (add_row W a h) x b
  = if Nat.eqb b a then scores D W x b + sum (seq 0 D) (fun k => h k * x k) else scores D W x b.
Proof.
  unfold scores, add_row. destruct (Nat.eqb b a); auto.
  rewrite <- sum_plus. apply sum_ext. intros. ring.
Qed.

Lemma scores_ext D V W x a :
  (forall k, (k < D)%nat -> V a k = W a k) -> scores D V x a = scores D W x a.
Proof. intros H. apply sum_ext. intros k Hk. apply seq_in_0 in Hk. rewrite H; auto. Qed.

(* A function that looks at active rows only has no gradient in the others. *)
Lemma inactive_rows_vanish N D A F W G :
  (forall V, (forall a k, In a A -> (k < D)%nat -> V a k = W a k) -> F V = F W) ->
  subgradient N D F W G ->
  forall a k, (a < N)%nat -> ~ In a A -> (k < D)%nat -> G a k = 0.
Proof.
  intros L S a k Ha Hn Hk. pose proof (S (add_row W a (fun k => G a k))) as P.
  rewrite inner_add_row in P by auto.
  rewrite (L (add_row W a (fun k => G a k))) in P.
  - assert (Z : sum (seq 0 D) (fun k => G a k * G a k) = 0).
    { pose proof (sum_sq_nonneg (seq 0 D) (G a)). lra. }
    assert (G a k * G a k = 0).
    { apply (sum_nonneg_zero (seq 0 D) (fun k => G a k * G a k)); auto.
      - intros. nra.
      - apply seq_in_0; auto. }
    nra.
  - intros b k' Hb _. unfold add_row. destruct (Nat.eqb_spec b a); [subst; tauto|auto].
Qed.

(* Lem 6.2 for any function of the active rows. *)
Lemma per_round N D A F W V G :
  NoDup A -> incl A (seq 0 N) -> A <> nil ->
  (forall U U', (forall a k, In a A -> (k < D)%nat -> U a k = U' a k) -> F U = F U') ->
  subgradient N D F (projM A W) G ->
  F (projM A W) - F (projM A V)
  <= sum A (fun i => sum (seq 0 D) (fun k => projM A G i k * (W i k - V i k))).
Proof.
  intros NA I H L S. pose proof (S (projM A V)) as P.
  assert (E1 : inner N D G (minusM (projM A V) (projM A W))
               = inner N D (projM A G) (minusM V W)).
  { rewrite projM_self_adjoint by auto. apply inner_ext; auto.
    intros. unfold minusM at 1. rewrite projM_minus. reflexivity. }
  assert (E2 : inner N D (projM A G) (minusM V W)
          = - sum A (fun i => sum (seq 0 D) (fun k => projM A G i k * (W i k - V i k)))).
  { rewrite <- (sum_mem A (seq 0 N)) by (auto using seq_NoDup). unfold inner.
    rewrite <- sum_opp. apply sum_ext. intros a Ha. apply seq_in_0 in Ha.
    destruct (mem a A) eqn:M.
    - rewrite <- sum_opp. apply sum_ext. intros. unfold minusM. ring.
    - apply mem_not_in in M. rewrite sum_zero; [ring|]. intros k Hk. apply seq_in_0 in Hk.
      unfold projM. rewrite proj_out by auto.
      rewrite (inactive_rows_vanish N D A F (projM A W) G) by auto. ring. }
  lra.
Qed.

(* The estimated loss of a round in which a was played and y drawn, as a function of the matrix. *)
Definition estimated_loss (n : nat) (E : list nat) (D : nat) (c : nat -> nat -> R) (q x : nat -> R)
    (a y : nat) : Matrix -> R :=
  fun W => round_estimate n E c q a y (fun b => hinge_at (active n E) D x b W).

Lemma cstnd_hinge_local A a u v :
  (forall b, In b A -> u b = v b) -> cstnd_hinge A a u = cstnd_hinge A a v.
Proof.
  intros E. rewrite !cstnd_hinge_eq. apply sum_ext. intros b Hb. apply others_in in Hb.
  rewrite E by tauto. reflexivity.
Qed.

Lemma round_estimate_ext n E c q a y f g :
  (forall b, f b = g b) -> round_estimate n E c q a y f = round_estimate n E c q a y g.
Proof.
  intros H. unfold round_estimate, Generic.round_estimate.
  destruct (Generic.identified n E); [apply H|].
  change (Generic.estimate RA) with estimate. rewrite !estimate_eq, H. f_equal.
  apply sum_ext. intros. rewrite H. reflexivity.
Qed.

Lemma active_nonempty n E : (0 < n)%nat -> active n E <> nil.
Proof. destruct n; [lia|]. discriminate. Qed.

(* N is any number of rows that covers the active actions; V is any matrix of the same shape. *)
(* claim: lem-6.2 *)
Theorem estimated_excess_is_at_most_the_projected_inner_product :
  forall N n E D c q x a y W V G,
  let A := active n E in
  let Phi := estimated_loss n E D c q x a y in
  (0 < n)%nat -> NoDup E -> incl A (seq 0 N) ->
  subgradient N D Phi (projM A W) G ->
  Phi (projM A W) - Phi (projM A V)
  <= sum A (fun i => sum (seq 0 D) (fun k => projM A G i k * (W i k - V i k))).
Proof.
  intros N n E D c q x a y W V G A Phi Hn NE I S.
  apply (per_round N); auto.
  - apply active_nodup; auto.
  - apply active_nonempty; auto.
  - intros U U' L. apply round_estimate_ext. intros b. apply cstnd_hinge_local.
    intros b' Hb. apply scores_ext. intros k Hk. apply L; auto.
Qed.

(* A hinge subgradient is alpha_i x in row i, with alpha_i in [0, 1] on active rows other than the
   target and 0 in all other rows. *)
Lemma Rmax_step z d : Rmax 0 (z + d) - Rmax 0 z <= Rmax 0 d.
Proof.
  pose proof (Rmax_l 0 d). pose proof (Rmax_r 0 d). pose proof (Rmax_l 0 z).
  pose proof (Rmax_r 0 z). assert (Rmax 0 (z + d) <= Rmax 0 z + Rmax 0 d); [|lra].
  apply Rmax_lub; lra.
Qed.

Definition norm2 (D : nat) (x : nat -> R) : R := sum (seq 0 D) (fun k => x k * x k).

Lemma hinge_subgradient_row N D A x target W G a :
  NoDup A -> (a < N)%nat -> subgradient N D (hinge_at A D x target) W G ->
  forall h,
  sum (seq 0 D) (fun k => G a k * h k)
  <= if andb (mem a A) (negb (Nat.eqb a target)) then Rmax 0 (sum (seq 0 D) (fun k => h k * x k))
     else 0.
Proof.
  intros NA Ha S h. pose proof (S (add_row W a h)) as P. rewrite inner_add_row in P by auto.
  unfold hinge_at in P. rewrite !cstnd_hinge_eq in P.
  assert (O : forall b, b <> a -> scores D (add_row W a h) x b = scores D W x b).
  { intros b Hb. rewrite scores_add_row. destruct (Nat.eqb_spec b a); congruence. }
  destruct (mem a A) eqn:M; simpl.
  - apply mem_in in M. destruct (Nat.eqb_spec a target) as [->|Ne]; simpl.
    + rewrite (sum_ext (others A target) (fun b => Rmax 0 (1 + scores D (add_row W target h) x b))
                 (fun b => Rmax 0 (1 + scores D W x b))) in P; [lra|].
      intros b Hb. apply others_in in Hb. rewrite O by tauto. reflexivity.
    + assert (Ia : In a (others A target)) by (apply others_in; auto).
      rewrite !(sum_others (others A target) a _ (others_nodup A target NA) Ia) in P.
      rewrite (sum_ext (others (others A target) a)
                 (fun b => Rmax 0 (1 + scores D (add_row W a h) x b))
                 (fun b => Rmax 0 (1 + scores D W x b))) in P.
      * rewrite scores_add_row, Nat.eqb_refl, <- Rplus_assoc in P.
        pose proof (Rmax_step (1 + scores D W x a) (sum (seq 0 D) (fun k => h k * x k))). lra.
      * intros b Hb. apply others_in in Hb. rewrite O by tauto. reflexivity.
  - apply mem_not_in in M.
    rewrite (sum_ext (others A target) (fun b => Rmax 0 (1 + scores D (add_row W a h) x b))
               (fun b => Rmax 0 (1 + scores D W x b))) in P; [lra|].
    intros b Hb. apply others_in in Hb. rewrite O; auto. intros ->. tauto.
Qed.

Lemma hinge_subgradient_form N D A x target W G :
  NoDup A -> 0 < norm2 D x -> subgradient N D (hinge_at A D x target) W G ->
  exists alpha : nat -> R,
  (forall a, (a < N)%nat -> 0 <= alpha a <= 1)
  /\ (forall a, (a < N)%nat -> ~ (In a A /\ a <> target) -> alpha a = 0)
  /\ forall a k, (a < N)%nat -> (k < D)%nat -> G a k = alpha a * x k.
Proof.
  intros NA X S. set (alpha a := sum (seq 0 D) (fun k => G a k * x k) / norm2 D x).
  exists alpha.
  assert (Row := fun a Ha => hinge_subgradient_row N D A x target W G a NA Ha S).
  assert (Scale : forall a (t : R), sum (seq 0 D) (fun k => G a k * (t * x k)) = t * norm2 D x * alpha a).
  { intros a t. rewrite (sum_ext _ _ (fun k => t * (G a k * x k))) by (intros; ring).
    rewrite sum_scal. unfold alpha. field. lra. }
  assert (ScaleX : forall t : R, sum (seq 0 D) (fun k => t * x k * x k) = t * norm2 D x).
  { intros t. rewrite (sum_ext _ _ (fun k => t * (x k * x k))) by (intros; ring).
    rewrite sum_scal. reflexivity. }
  assert (Up : forall a, (a < N)%nat -> alpha a <= 1).
  { intros a Ha. pose proof (Row a Ha (fun k => / norm2 D x * x k)) as P; cbv beta in P.
    rewrite Scale, ScaleX, Rinv_l, Rmult_1_l in P by lra.
    rewrite (Rmax_right 0 1) in P by lra.
    destruct (mem a A && negb (Nat.eqb a target)); lra. }
  assert (Down : forall a, (a < N)%nat -> 0 <= alpha a).
  { intros a Ha. pose proof (Row a Ha (fun k => - / norm2 D x * x k)) as P; cbv beta in P.
    rewrite Scale, ScaleX in P. replace (- / norm2 D x * norm2 D x) with (-1) in P by (field; lra).
    rewrite (Rmax_left 0 (-1)) in P by lra.
    destruct (mem a A && negb (Nat.eqb a target)); lra. }
  repeat split; auto.
  - intros a Ha Hn. apply Rle_antisym; auto.
    pose proof (Row a Ha (fun k => / norm2 D x * x k)) as P; cbv beta in P.
    rewrite Scale, Rinv_l, Rmult_1_l in P by lra.
    destruct (mem a A) eqn:M, (Nat.eqb_spec a target); simpl in P; try lra.
    apply mem_in in M. tauto.
  - intros a k Ha Hk.
    set (h k := G a k - alpha a * x k).
    assert (Hx : sum (seq 0 D) (fun k => h k * x k) = 0).
    { unfold h. rewrite (sum_ext _ _ (fun k => G a k * x k - alpha a * x k * x k)) by (intros; ring).
      rewrite sum_minus, ScaleX. unfold alpha. field. lra. }
    assert (Hh : sum (seq 0 D) (fun k => G a k * h k) = norm2 D h).
    { unfold norm2. rewrite (sum_ext _ (fun k => h k * h k)
        (fun k => G a k * h k - alpha a * (h k * x k))) by (intros; unfold h; ring).
      rewrite sum_minus, sum_scal, Hx. ring. }
    pose proof (Row a Ha h) as P. rewrite Hx, Hh, Rmax_left in P by lra.
    assert (Z : norm2 D h = 0).
    { pose proof (sum_sq_nonneg (seq 0 D) h). unfold norm2 in *.
      destruct (mem a A && negb (Nat.eqb a target)); lra. }
    assert (h k * h k = 0).
    { apply (sum_nonneg_zero (seq 0 D) (fun k => h k * h k)); auto.
      - intros. nra.
      - apply seq_in_0; auto. }
    unfold h in *. nra.
Qed.

(* Length of a centred outer product. *)
Lemma projM_outer A alpha x a k :
  projM A (fun b k => alpha b * x k) a k = proj A alpha a * x k.
Proof.
  unfold projM. rewrite !proj_eq. rewrite sum_scal_r. unfold Rdiv. destruct (mem a A); ring.
Qed.

Lemma frob2_outer N D v x :
  frob2 N D (fun a k => v a * x k) = sum (seq 0 N) (fun a => v a * v a) * norm2 D x.
Proof.
  unfold frob2, inner. rewrite <- sum_scal_r. apply sum_ext. intros a _.
  unfold norm2. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

Lemma frob2_ext N D V W :
  (forall a k, (a < N)%nat -> (k < D)%nat -> V a k = W a k) -> frob2 N D V = frob2 N D W.
Proof. intros. apply inner_ext; auto. Qed.

Lemma centred_length A alpha :
  A <> nil ->
  sum A (fun a => proj A alpha a * proj A alpha a)
  = sum A (fun a => alpha a * alpha a) - sum A alpha * sum A alpha / INR (length A).
Proof.
  intros H. pose proof (length_pos A H).
  rewrite (sum_ext A _ (fun a => alpha a * alpha a - 2 * mean A alpha * alpha a
                                 + mean A alpha * mean A alpha)).
  - rewrite sum_plus, sum_minus, sum_scal, sum_const, mean_eq. field. lra.
  - intros a Ha. rewrite proj_in by auto. ring.
Qed.

Lemma centred_length_le A alpha :
  A <> nil -> (forall a, In a A -> 0 <= alpha a <= 1) ->
  sum A (fun a => proj A alpha a * proj A alpha a) <= INR (length A) / 4.
Proof.
  intros H B. rewrite centred_length by auto. pose proof (length_pos A H) as K.
  set (r := sum A alpha). set (k := INR (length A)) in *.
  assert (L : sum A (fun a => alpha a * alpha a) <= r).
  { apply sum_le. intros a Ha. specialize (B a Ha). nra. }
  assert (Q : r - r * r / k <= k / 4).
  { apply Rmult_le_reg_r with k; auto.
    replace ((r - r * r / k) * k) with (r * k - r * r) by (field; lra).
    pose proof (pow2_ge_0 (r - k / 2)). lra. }
  lra.
Qed.

Lemma projected_subgradient_length N D A x target W G rho :
  NoDup A -> incl A (seq 0 N) -> A <> nil -> 0 < norm2 D x -> norm2 D x <= rho ^ 2 ->
  subgradient N D (hinge_at A D x target) W G ->
  frob2 N D (projM A G) <= INR (length A) * rho ^ 2 / 4.
Proof.
  intros NA I H X R S.
  destruct (hinge_subgradient_form N D A x target W G NA X S) as [alpha [B [Z F]]].
  assert (IN : forall a, In a A -> (a < N)%nat) by (intros a Ha; apply seq_in_0; auto).
  rewrite (frob2_ext N D (projM A G) (fun a k => proj A alpha a * x k)).
  - rewrite frob2_outer.
    rewrite (sum_ext (seq 0 N) _ (fun a => if mem a A then proj A alpha a * proj A alpha a else 0)).
    + rewrite (sum_mem A (seq 0 N) (fun a => proj A alpha a * proj A alpha a))
        by auto using seq_NoDup.
      pose proof (centred_length_le A alpha H (fun a Ha => B a (IN a Ha))) as L.
      pose proof (length_pos A H).
      assert (0 <= sum A (fun a => proj A alpha a * proj A alpha a)) by apply sum_sq_nonneg.
      nra.
    + intros a Ha. apply seq_in_0 in Ha. destruct (mem a A) eqn:M; auto.
      apply mem_not_in in M. rewrite proj_out, Z by tauto. ring.
  - intros a k Ha Hk. rewrite <- projM_outer. apply proj_ext.
    intros b [<-|Hb]; apply F; auto.
Qed.

(* claim: lem-f.1 *)
Theorem projected_hinge_subgradients_are_short :
  forall N D A x target W G rho,
  NoDup A -> incl A (seq 0 N) -> In target A -> 0 < norm2 D x -> norm2 D x <= rho ^ 2 ->
  subgradient N D (hinge_at A D x target) W G ->
  frob2 N D (projM A G) <= INR (length A) * rho ^ 2 / 4
  /\ INR (length A) * rho ^ 2 / 4 <= INR N * rho ^ 2 / 4.
Proof.
  intros N D A x target W G rho NA I Ht X R S. split.
  - apply (projected_subgradient_length N D A x target W G rho); auto.
    intros ->. auto.
  - assert (L : INR (length A) <= INR N).
    { apply le_INR. pose proof (NoDup_incl_length NA I) as Q. rewrite seq_length in Q. auto. }
    assert (0 < rho ^ 2) by lra. nra.
Qed.

(* claim: lem-f.1-as-used *)
Theorem projected_hinge_subgradients_as_the_proofs_use_them :
  forall N D A x target W G rho,
  NoDup A -> incl A (seq 0 N) -> In target A -> 0 < norm2 D x -> norm2 D x <= rho ^ 2 ->
  subgradient N D (hinge_at A D x target) W G ->
  frob2 N D (projM A G) <= INR (length A) * rho ^ 2.
Proof.
  intros N D A x target W G rho NA I Ht X R S.
  pose proof (projected_hinge_subgradients_are_short N D A x target W G rho NA I Ht X R S) as [L _].
  assert (0 < INR (length A)) by (apply length_pos; intros ->; auto).
  assert (0 < rho ^ 2) by lra. nra.
Qed.
