(* Prop 6.1 and the last paragraph of App. C: centring the active rows of a weight matrix is the
   Euclidean projection on the matrices whose active rows sum to zero. For every number of actions
   N, every number of columns D, every active set A and every matrix.
   Claims: prop-6.1-formula, prop-6.1-idempotent, prop-6.1-nonexpansive, prop-6.1-maxima. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions.
Import ListNotations.
Open Scope R_scope.

Definition minusM (V W : Matrix) : Matrix := fun a k => V a k - W a k.

Lemma length_pos (A : list nat) : A <> nil -> 0 < INR (length A).
Proof. destruct A; [congruence|]. intros _. apply lt_0_INR. simpl. lia. Qed.

(* Vectors. *)

Lemma proj_zero_sum A u : A <> nil -> zero_sum A (proj A u).
Proof.
  intros H. unfold zero_sum. pose proof (length_pos A H).
  rewrite (sum_ext A _ (fun a => u a - mean A u)) by (intros; apply proj_in; auto).
  rewrite sum_minus, sum_const, mean_eq. field. lra.
Qed.

Lemma proj_fixes A u a : zero_sum A u -> proj A u a = u a.
Proof.
  intros Z. rewrite proj_eq, Z. unfold Rdiv. rewrite Rmult_0_l. destruct (mem a A); lra.
Qed.

Lemma proj_ext A u v a : (forall b, In b (a :: A) -> u b = v b) -> proj A u a = proj A v a.
Proof.
  intros H. rewrite !proj_eq, (H a) by (left; auto).
  rewrite (sum_ext A u v) by (intros; apply H; right; auto). reflexivity.
Qed.

Lemma proj_rest A u a : u a - proj A u a = if mem a A then mean A u else 0.
Proof. rewrite proj_eq, mean_eq. destruct (mem a A); lra. Qed.

Section Vectors.
Context (l A : list nat).
Context (Nl : NoDup l) (NA : NoDup A) (I : incl A l) (H : A <> nil).

(* What is taken away is orthogonal to every vector that sums to zero. *)
Lemma proj_orthogonal u v :
  zero_sum A v -> sum l (fun a => (u a - proj A u a) * v a) = 0.
Proof.
  intros Z.
  rewrite (sum_ext l _ (fun a => if mem a A then mean A u * v a else 0)).
  - rewrite (sum_mem A l (fun a => mean A u * v a)) by auto.
    rewrite sum_scal, Z. ring.
  - intros a _. rewrite proj_rest. destruct (mem a A); ring.
Qed.

Lemma proj_self_adjoint u v :
  sum l (fun a => proj A u a * v a) = sum l (fun a => u a * proj A v a).
Proof.
  pose proof (proj_orthogonal u (proj A v) (proj_zero_sum A v H)) as P.
  pose proof (proj_orthogonal v (proj A u) (proj_zero_sum A u H)) as Q.
  rewrite (sum_ext l _ (fun a => u a * proj A v a - proj A u a * proj A v a)) in P
    by (intros; ring).
  rewrite (sum_ext l _ (fun a => proj A u a * v a - proj A u a * proj A v a)) in Q
    by (intros; ring).
  rewrite sum_minus in P, Q. lra.
Qed.

(* Pythagoras: towards any vector that sums to zero. *)
Lemma proj_pythagoras u v :
  zero_sum A v ->
  sum l (fun a => (u a - v a) * (u a - v a))
  = sum l (fun a => (u a - proj A u a) * (u a - proj A u a))
    + sum l (fun a => (proj A u a - v a) * (proj A u a - v a)).
Proof.
  intros Z.
  assert (Z' : zero_sum A (fun a => proj A u a - v a)).
  { unfold zero_sum. rewrite sum_minus, Z, (proj_zero_sum A u H). ring. }
  pose proof (proj_orthogonal u _ Z') as P. simpl in P.
  rewrite (sum_ext l (fun a => (u a - v a) * (u a - v a))
    (fun a => (u a - proj A u a) * (u a - proj A u a)
              + (proj A u a - v a) * (proj A u a - v a)
              + 2 * ((u a - proj A u a) * (proj A u a - v a)))) by (intros; ring).
  rewrite !sum_plus, sum_scal, P. ring.
Qed.

End Vectors.

(* Matrices: column by column. *)

Lemma inner_columns N D V W :
  inner N D V W = sum (seq 0 D) (fun k => sum (seq 0 N) (fun a => V a k * W a k)).
Proof. apply sum_swap. Qed.

Lemma inner_ext N D V W V' W' :
  (forall a k, (a < N)%nat -> (k < D)%nat -> V a k = V' a k) ->
  (forall a k, (a < N)%nat -> (k < D)%nat -> W a k = W' a k) ->
  inner N D V W = inner N D V' W'.
Proof.
  intros HV HW. apply sum_ext. intros a Ha. apply sum_ext. intros k Hk.
  apply seq_in_0 in Ha, Hk. rewrite HV, HW; auto.
Qed.

Lemma frob2_nonneg N D W : 0 <= frob2 N D W.
Proof. apply sum_nonneg. intros. apply sum_sq_nonneg. Qed.

Lemma frob2_zero N D W :
  frob2 N D W = 0 -> forall a k, (a < N)%nat -> (k < D)%nat -> W a k = 0.
Proof.
  intros E a k Ha Hk. apply seq_in_0 in Ha, Hk.
  assert (S : sum (seq 0 D) (fun k => W a k * W a k) = 0).
  { revert a Ha. apply sum_nonneg_zero; auto. intros. apply sum_sq_nonneg. }
  assert (P : W a k * W a k = 0).
  { revert k Hk. apply sum_nonneg_zero; auto. intros. nra. }
  nra.
Qed.

Section Matrices.
Context (N D : nat) (A : list nat).
Context (NA : NoDup A) (I : incl A (seq 0 N)) (H : A <> nil).

Lemma projM_in_KA W : in_KA A D (projM A W).
Proof. intros k _. apply (proj_zero_sum A (fun b => W b k) H). Qed.

Lemma projM_orthogonal W V :
  in_KA A D V -> inner N D (minusM W (projM A W)) V = 0.
Proof.
  intros Z. rewrite inner_columns. apply sum_zero. intros k Hk. apply seq_in_0 in Hk.
  apply (proj_orthogonal (seq 0 N) A (seq_NoDup _ _) NA I (fun b => W b k) (fun a => V a k)).
  apply Z; auto.
Qed.

Lemma projM_pythagoras W V :
  in_KA A D V ->
  frob2 N D (minusM W V)
  = frob2 N D (minusM W (projM A W)) + frob2 N D (minusM (projM A W) V).
Proof.
  intros Z. unfold frob2. rewrite !inner_columns, <- sum_plus. apply sum_ext.
  intros k Hk. apply seq_in_0 in Hk.
  apply (proj_pythagoras (seq 0 N) A (seq_NoDup _ _) NA I H (fun b => W b k) (fun a => V a k)).
  apply Z; auto.
Qed.

Lemma projM_self_adjoint V W : inner N D (projM A V) W = inner N D V (projM A W).
Proof.
  rewrite !inner_columns. apply sum_ext. intros k _.
  apply (proj_self_adjoint (seq 0 N) A (seq_NoDup _ _) NA I H (fun b => V b k) (fun a => W a k)).
Qed.

End Matrices.

(* claim: prop-6.1-formula *)
Theorem centring_is_the_nearest_point :
  forall N D A W,
  NoDup A -> incl A (seq 0 N) -> A <> nil ->
  (forall a k, projM A W a k
               = if mem a A then W a k - sum A (fun b => W b k) / INR (length A) else W a k)
  /\ in_KA A D (projM A W)
  /\ (forall V, in_KA A D V -> inner N D (minusM W (projM A W)) V = 0)
  /\ (forall V, in_KA A D V ->
        frob2 N D (minusM W (projM A W)) <= frob2 N D (minusM W V))
  /\ (forall V, in_KA A D V ->
        frob2 N D (minusM W V) <= frob2 N D (minusM W (projM A W)) ->
        forall a k, (a < N)%nat -> (k < D)%nat -> V a k = projM A W a k).
Proof.
  intros N D A W NA I H. repeat split.
  - apply projM_in_KA; auto.
  - intros V Z. apply projM_orthogonal; auto.
  - intros V Z. rewrite (projM_pythagoras N D A NA I H W V Z).
    pose proof (frob2_nonneg N D (minusM (projM A W) V)). lra.
  - intros V Z L a k Ha Hk. rewrite (projM_pythagoras N D A NA I H W V Z) in L.
    pose proof (frob2_nonneg N D (minusM (projM A W) V)).
    assert (E : frob2 N D (minusM (projM A W) V) = 0) by lra.
    pose proof (frob2_zero N D _ E a k Ha Hk) as P. unfold minusM in P. lra.
Qed.

(* claim: prop-6.1-idempotent *)
Theorem centring_twice_is_centring_once_and_self_adjoint :
  forall N D A V W,
  NoDup A -> incl A (seq 0 N) -> A <> nil ->
  (forall a k, projM A (projM A W) a k = projM A W a k)
  /\ inner N D (projM A V) W = inner N D V (projM A W).
Proof.
  intros N D A V W NA I H. split.
  - intros a k. apply (proj_fixes A (fun b => projM A W b k)).
    apply (proj_zero_sum A (fun b => W b k) H).
  - apply projM_self_adjoint; auto.
Qed.

Lemma projM_minus A V W a k :
  projM A (minusM V W) a k = projM A V a k - projM A W a k.
Proof.
  unfold projM, minusM. rewrite !proj_eq, sum_minus. unfold Rdiv. destruct (mem a A); ring.
Qed.

(* claim: prop-6.1-nonexpansive *)
Theorem centring_never_lengthens :
  forall N D A V W B,
  NoDup A -> incl A (seq 0 N) -> A <> nil ->
  frob2 N D (minusM (projM A V) (projM A W)) <= frob2 N D (minusM V W)
  /\ frob2 N D (projM A W) <= frob2 N D W
  /\ (frob2 N D W <= B ^ 2 -> frob2 N D (projM A W) <= B ^ 2).
Proof.
  intros N D A V W B NA I H.
  assert (P : forall U, frob2 N D (projM A U) <= frob2 N D U).
  { intros U.
    assert (Z : in_KA A D (fun _ _ => 0)).
    { intros k _. apply sum_zero. auto. }
    pose proof (projM_pythagoras N D A NA I H U _ Z) as E.
    pose proof (frob2_nonneg N D (minusM U (projM A U))).
    assert (E1 : frob2 N D (minusM U (fun _ _ => 0)) = frob2 N D U)
      by (apply inner_ext; intros; unfold minusM; ring).
    assert (E2 : frob2 N D (minusM (projM A U) (fun _ _ => 0)) = frob2 N D (projM A U))
      by (apply inner_ext; intros; unfold minusM; ring).
    lra. }
  repeat split.
  - eapply Rle_trans; [|apply (P (minusM V W))]. right.
    apply inner_ext; intros; rewrite projM_minus; reflexivity.
  - apply P.
  - intros L. specialize (P W). lra.
Qed.

(* Scores of a centred matrix are centred scores. *)
Lemma scores_projM D A W x a : scores D (projM A W) x a = proj A (scores D W x) a.
Proof.
  unfold scores, projM. rewrite proj_eq.
  rewrite (sum_ext (seq 0 D) _
    (fun k => W a k * x k - (if mem a A then / INR (length A) * sum A (fun b => W b k * x k) else 0))).
  - rewrite sum_minus. destruct (mem a A).
    + rewrite sum_scal, sum_swap. unfold Rdiv. ring.
    + rewrite (sum_zero (seq 0 D) (fun _ => 0)) by auto. ring.
  - intros k _. rewrite proj_eq. destruct (mem a A); [|ring].
    rewrite sum_scal_r. unfold Rdiv. ring.
Qed.

Lemma argmax_from_shift A u v (m : R) best :
  (forall a, In a (best :: A) -> v a = u a - m) ->
  Generic.argmax_from RA A v best = Generic.argmax_from RA A u best.
Proof.
  revert best. induction A as [|a A IH]; intros best E; simpl; auto.
  assert (B : Rleb (v a) (v best) = Rleb (u a) (u best)).
  { unfold Rleb. rewrite (E a), (E best) by (simpl; auto).
    destruct (Rle_dec (u a) (u best)), (Rle_dec (u a - m) (u best - m)); auto; lra. }
  rewrite B. apply IH. intros b Hb. apply E.
  destruct (Rleb (u a) (u best)); simpl in *; tauto.
Qed.

(* claim: prop-6.1-maxima *)
Theorem centring_keeps_differences_and_the_predicted_action :
  forall n E c D W x,
  let A := active n E in
  (forall a b, In a A -> In b A ->
     scores D (projM A W) x a - scores D (projM A W) x b = scores D W x a - scores D W x b)
  /\ (forall r, is_argmax A (scores D (projM A W) x) r <-> is_argmax A (scores D W x) r)
  /\ argmax A (scores D (projM A W) x) = argmax A (scores D W x)
  /\ (forall y, true_loss n c (argmax A (scores D (projM A W) x)) y
                = true_loss n c (argmax A (scores D W x)) y).
Proof.
  intros n E c D W x A.
  assert (S : forall a, In a A -> scores D (projM A W) x a = scores D W x a - mean A (scores D W x)).
  { intros a Ha. rewrite scores_projM. apply proj_in; auto. }
  assert (M : argmax A (scores D (projM A W) x) = argmax A (scores D W x)).
  { clearbody A. destruct A as [|a A]; [reflexivity|].
    apply argmax_from_shift with (m := mean (a :: A) (scores D W x)). exact S. }
  repeat split.
  - intros a b Ha Hb. rewrite !S by auto. ring.
  - apply H.
  - intros b Hb. destruct H as [Hr M']. specialize (M' b Hb). rewrite !S in M' by auto. lra.
  - apply H.
  - intros b Hb. destruct H as [Hr M']. specialize (M' b Hb). rewrite !S by auto. lra.
  - exact M.
  - intros y. rewrite M. reflexivity.
Qed.
