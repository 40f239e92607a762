(* Finite sums of reals over lists, and what the proofs need about them: linearity, order,
   exchange of two sums, extraction of one element, Cauchy-Schwarz, Jensen, largest elements.
   Plain standard library. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum {X : Type} (l : list X) (f : X -> R) : R :=
  match l with
  | nil => 0
  | x :: r => f x + sum r f
  end.

Section Sums.
Context {X : Type}.
Implicit Types (l : list X) (f g : X -> R).

Lemma sum_nil f : sum nil f = 0.
Proof. reflexivity. Qed.

Lemma sum_cons x l f : sum (x :: l) f = f x + sum l f.
Proof. reflexivity. Qed.

Lemma sum_ext l f g : (forall x, In x l -> f x = g x) -> sum l f = sum l g.
Proof.
  induction l as [|x l IH]; simpl; intros H; auto.
  rewrite (H x) by auto. rewrite IH; auto.
Qed.

Lemma sum_le l f g : (forall x, In x l -> f x <= g x) -> sum l f <= sum l g.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lra|].
  assert (f x <= g x) by auto. assert (sum l f <= sum l g) by auto. lra.
Qed.

Lemma sum_lt l f g :
  (forall x, In x l -> f x <= g x) -> (exists x, In x l /\ f x < g x) -> sum l f < sum l g.
Proof.
  induction l as [|x l IH]; simpl; intros H [y [Hy Hlt]]; [tauto|].
  destruct Hy as [->|Hy].
  - assert (sum l f <= sum l g) by (apply sum_le; auto). lra.
  - assert (f x <= g x) by auto.
    assert (sum l f < sum l g) by (apply IH; eauto). lra.
Qed.

Lemma sum_plus l f g : sum l (fun x => f x + g x) = sum l f + sum l g.
Proof. induction l; simpl; lra. Qed.

Lemma sum_minus l f g : sum l (fun x => f x - g x) = sum l f - sum l g.
Proof. induction l; simpl; lra. Qed.

Lemma sum_opp l f : sum l (fun x => - f x) = - sum l f.
Proof. induction l; simpl; lra. Qed.

Lemma sum_scal l (c : R) f : sum l (fun x => c * f x) = c * sum l f.
Proof. induction l; simpl; [ring|]. rewrite IHl. ring. Qed.

Lemma sum_scal_r l (c : R) f : sum l (fun x => f x * c) = sum l f * c.
Proof. induction l; simpl; [ring|]. rewrite IHl. ring. Qed.

Lemma sum_div l (c : R) f : sum l (fun x => f x / c) = sum l f / c.
Proof. unfold Rdiv. apply sum_scal_r. Qed.

Lemma sum_const l (c : R) : sum l (fun _ => c) = INR (length l) * c.
Proof.
  induction l as [|x l IH]; [simpl; ring|].
  change (length (x :: l)) with (S (length l)). rewrite S_INR. simpl. rewrite IH. ring.
Qed.

Lemma sum_nonneg l f : (forall x, In x l -> 0 <= f x) -> 0 <= sum l f.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lra|].
  assert (0 <= f x) by auto. assert (0 <= sum l f) by auto. lra.
Qed.

Lemma sum_pos l f :
  (forall x, In x l -> 0 <= f x) -> (exists x, In x l /\ 0 < f x) -> 0 < sum l f.
Proof.
  intros H E. assert (L : sum l (fun _ => 0) < sum l f) by (apply sum_lt; auto).
  rewrite sum_const in L. lra.
Qed.

Lemma sum_zero l f : (forall x, In x l -> f x = 0) -> sum l f = 0.
Proof.
  intros H. rewrite (sum_ext l f (fun _ => 0)) by auto. rewrite sum_const. ring.
Qed.

Lemma sum_nonneg_zero l f :
  (forall x, In x l -> 0 <= f x) -> sum l f = 0 -> forall x, In x l -> f x = 0.
Proof.
  induction l as [|y l IH]; simpl; intros H E x Hx; [tauto|].
  assert (0 <= f y) by auto. assert (0 <= sum l f) by (apply sum_nonneg; auto).
  destruct Hx as [<-|Hx]; [lra|]. apply IH; auto. lra.
Qed.

Lemma sum_app l1 l2 f : sum (l1 ++ l2) f = sum l1 f + sum l2 f.
Proof. induction l1; simpl; lra. Qed.

Lemma sum_abs l f : Rabs (sum l f) <= sum l (fun x => Rabs (f x)).
Proof.
  induction l as [|x l IH]; simpl; [rewrite Rabs_R0; lra|].
  pose proof (Rabs_triang (f x) (sum l f)). lra.
Qed.

Lemma sum_le_const l f (c : R) : (forall x, In x l -> f x <= c) -> sum l f <= INR (length l) * c.
Proof. intros H. rewrite <- sum_const. apply sum_le; auto. Qed.

Lemma sum_ge_const l f (c : R) : (forall x, In x l -> c <= f x) -> INR (length l) * c <= sum l f.
Proof. intros H. rewrite <- sum_const. apply sum_le; auto. Qed.

Lemma sum_term_le l f x : (forall y, In y l -> 0 <= f y) -> In x l -> f x <= sum l f.
Proof.
  induction l as [|z l IH]; simpl; intros H Hx; [tauto|].
  assert (0 <= f z) by auto. assert (0 <= sum l f) by (apply sum_nonneg; auto).
  destruct Hx as [->|Hx]; [lra|]. assert (f x <= sum l f) by auto. lra.
Qed.

Lemma sum_filter l f (b : X -> bool) :
  sum (filter b l) f = sum l (fun x => if b x then f x else 0).
Proof. induction l as [|x l IH]; simpl; auto. destruct (b x); simpl; lra. Qed.

Lemma sum_split l f (b : X -> bool) :
  sum l f = sum (filter b l) f + sum (filter (fun x => negb (b x)) l) f.
Proof. induction l as [|x l IH]; simpl; [lra|]. destruct (b x); simpl; lra. Qed.

(* Squares. *)
Lemma sum_sq_nonneg l f : 0 <= sum l (fun x => f x * f x).
Proof. apply sum_nonneg; intros; nra. Qed.

Lemma sum_cs l f g :
  sum l (fun x => f x * g x) * sum l (fun x => f x * g x)
  <= sum l (fun x => f x * f x) * sum l (fun x => g x * g x).
Proof.
  set (A := sum l (fun x => f x * f x)). set (B := sum l (fun x => g x * g x)).
  set (C := sum l (fun x => f x * g x)).
  assert (P : forall a b, 0 <= a * a * A + 2 * (a * b) * C + b * b * B).
  { intros a b.
    assert (E : sum l (fun x => (a * f x + b * g x) * (a * f x + b * g x))
                = a * a * A + 2 * (a * b) * C + b * b * B).
    { unfold A, B, C. clear. induction l as [|x l IH]; simpl; [ring|]. rewrite IH. ring. }
    rewrite <- E. apply sum_sq_nonneg. }
  assert (HA : 0 <= A) by apply sum_sq_nonneg.
  destruct (Req_dec A 0) as [Z|NZ].
  - rewrite Z. destruct (Req_dec C 0) as [->|NC]; [lra|].
    pose proof (P (- (B + 1) / (2 * C)) 1) as Q. rewrite Z in Q.
    assert (2 * (- (B + 1) / (2 * C) * 1) * C = - (B + 1)) by (field; auto). nra.
  - pose proof (P (- C) A) as Q.
    assert (0 < A) by lra.
    assert (A * (A * B - C * C) >= 0) by nra. nra.
Qed.

(* (sum f)^2 <= K sum f^2. *)
Lemma sum_mean_square l f :
  sum l f * sum l f <= INR (length l) * sum l (fun x => f x * f x).
Proof.
  pose proof (sum_cs l (fun _ => 1) f) as C. simpl in C.
  rewrite (sum_ext l (fun x => 1 * f x) f) in C by (intros; ring).
  rewrite (sum_const l (1 * 1)) in C. lra.
Qed.

End Sums.

Lemma sum_map {X Y} (h : X -> Y) (l : list X) (f : Y -> R) :
  sum (map h l) f = sum l (fun x => f (h x)).
Proof. induction l; simpl; [auto|]. rewrite IHl. auto. Qed.

Lemma sum_swap {X Y} (l : list X) (m : list Y) (f : X -> Y -> R) :
  sum l (fun x => sum m (fun y => f x y)) = sum m (fun y => sum l (fun x => f x y)).
Proof.
  induction l as [|x l IH]; simpl.
  - rewrite sum_zero; auto.
  - rewrite IH, <- sum_plus. reflexivity.
Qed.

Lemma sum_prod {X Y} (l : list X) (m : list Y) (f : X -> R) (g : Y -> R) :
  sum l f * sum m g = sum l (fun x => sum m (fun y => f x * g y)).
Proof.
  rewrite <- sum_scal_r. apply sum_ext. intros. rewrite sum_scal. reflexivity.
Qed.

(* Lists of natural numbers: one element, all but one. *)

Definition mem (a : nat) (A : list nat) : bool := existsb (Nat.eqb a) A.

Lemma mem_in a A : mem a A = true <-> In a A.
Proof.
  unfold mem. rewrite existsb_exists. split.
  - intros [b [H E]]. apply Nat.eqb_eq in E. subst. auto.
  - intros H. exists a. rewrite Nat.eqb_refl. auto.
Qed.

Lemma mem_not_in a A : mem a A = false <-> ~ In a A.
Proof.
  rewrite <- mem_in. destruct (mem a A); split; intros; congruence.
Qed.

(* All of A but a. *)
Definition others (A : list nat) (a : nat) : list nat :=
  filter (fun b => negb (Nat.eqb b a)) A.

Lemma others_in A a b : In b (others A a) <-> In b A /\ b <> a.
Proof.
  unfold others. rewrite filter_In, negb_true_iff, Nat.eqb_neq. tauto.
Qed.

Lemma others_absent A a : ~ In a A -> others A a = A.
Proof.
  induction A as [|b A IH]; simpl; intros H; auto.
  destruct (Nat.eqb_spec b a); simpl; [subst; tauto|]. f_equal. tauto.
Qed.

Lemma sum_others A a f : NoDup A -> In a A -> sum A f = f a + sum (others A a) f.
Proof.
  induction A as [|b A IH]; simpl; intros N H; [tauto|].
  inversion N as [|? ? Nb NA]; subst.
  destruct (Nat.eqb_spec b a); simpl.
  - subst. rewrite others_absent; auto.
  - destruct H as [|H]; [congruence|]. fold (others A a). rewrite (IH NA H). ring.
Qed.

Lemma sum_others_eq A a f : NoDup A -> In a A -> sum (others A a) f = sum A f - f a.
Proof. intros N H. rewrite (sum_others A a f N H). ring. Qed.

Lemma others_length A a : NoDup A -> In a A -> length A = S (length (others A a)).
Proof.
  induction A as [|b A IH]; simpl; intros N H; [tauto|].
  inversion N as [|? ? Nb NA]; subst.
  destruct (Nat.eqb_spec b a); simpl.
  - subst. fold (others A a). rewrite others_absent; auto.
  - destruct H as [|H]; [congruence|]. fold (others A a). rewrite (IH NA H). auto.
Qed.

Lemma others_length_INR A a :
  NoDup A -> In a A -> INR (length (others A a)) = INR (length A) - 1.
Proof. intros N H. rewrite (others_length A a N H), S_INR. ring. Qed.

Lemma others_nodup A a : NoDup A -> NoDup (others A a).
Proof. intros. apply NoDup_filter. auto. Qed.

(* An indicator picks one term. *)
Lemma sum_single A a f :
  NoDup A -> In a A -> sum A (fun b => if Nat.eqb b a then f b else 0) = f a.
Proof.
  intros N H. rewrite (sum_others A a _ N H), Nat.eqb_refl, sum_zero; [ring|].
  intros b Hb. apply others_in in Hb. destruct (Nat.eqb_spec b a); tauto.
Qed.

Lemma sum_single_absent A a f :
  ~ In a A -> sum A (fun b => if Nat.eqb b a then f b else 0) = 0.
Proof.
  intros H. apply sum_zero. intros b Hb. destruct (Nat.eqb_spec b a); subst; tauto.
Qed.

(* sum over a of s_a sum over b <> a of h_b = sum over b of (S - s_b) h_b. *)
Lemma sum_cross A s h :
  NoDup A ->
  sum A (fun a => s a * sum (others A a) h) = sum A (fun b => (sum A s - s b) * h b).
Proof.
  intros N.
  rewrite (sum_ext A _ (fun a => s a * sum A h - s a * h a)).
  - rewrite sum_minus, sum_scal_r.
    rewrite (sum_ext A (fun b => (sum A s - s b) * h b)
                       (fun b => sum A s * h b - s b * h b)) by (intros; ring).
    rewrite sum_minus, sum_scal. ring.
  - intros a Ha. rewrite sum_others_eq by auto. ring.
Qed.

Lemma sum_cross2 A (s : nat -> R) (h : nat -> nat -> R) :
  NoDup A ->
  sum A (fun a => s a * sum (others A a) (fun b => h a b))
  = sum A (fun b => sum (others A b) (fun a => s a * h a b)).
Proof.
  intros N.
  rewrite (sum_ext A _ (fun a => sum A (fun b => s a * h a b) - s a * h a a)).
  - rewrite sum_minus, sum_swap, <- sum_minus. apply sum_ext. intros b Hb.
    rewrite sum_others_eq by auto. ring.
  - intros a Ha. rewrite sum_others_eq by auto.
    rewrite (sum_scal A (s a) (fun b => h a b)). cbv beta. ring.
Qed.

(* 0, 1, .., n - 1. *)
Lemma sum_seq_S n f : sum (seq 0 (S n)) f = sum (seq 0 n) f + f n.
Proof. rewrite seq_S, sum_app. simpl. ring. Qed.

Lemma sum_seq_shift k n f : sum (seq k n) f = sum (seq 0 n) (fun i => f (k + i)%nat).
Proof.
  revert k f. induction n as [|n IH]; intros k f; auto.
  rewrite seq_S, sum_app, sum_seq_S, IH. simpl. ring.
Qed.

Lemma seq_in_0 n a : In a (seq 0 n) <-> (a < n)%nat.
Proof. rewrite in_seq. lia. Qed.

(* A sum over a subset of 0..N-1 as a sum over all with an indicator. *)
Lemma sum_mem A l f :
  NoDup A -> NoDup l -> incl A l -> sum l (fun a => if mem a A then f a else 0) = sum A f.
Proof.
  induction A as [|b A IH]; intros NA NL I.
  - apply sum_zero. auto.
  - inversion NA as [|? ? Nb NA']; subst.
    simpl. rewrite <- (IH NA' NL) by (intros x Hx; apply I; right; auto).
    rewrite <- (sum_single l b f NL) by (apply I; left; auto).
    rewrite <- sum_plus. apply sum_ext. intros a _.
    unfold mem. simpl. fold (mem a A).
    destruct (Nat.eqb_spec a b); simpl; [|lra].
    subst. apply mem_not_in in Nb. rewrite Nb. lra.
Qed.

(* Largest elements. *)
Definition is_argmax (A : list nat) (u : nat -> R) (r : nat) : Prop :=
  In r A /\ forall b, In b A -> u b <= u r.

Lemma argmax_exists (A : list nat) (u : nat -> R) :
  A <> nil -> exists r, is_argmax A u r.
Proof.
  induction A as [|a A IH]; intros H; [congruence|].
  destruct A as [|b A].
  - exists a. split; simpl; auto. intros c [<-|[]]. lra.
  - destruct IH as [r [Hr M]]; [congruence|].
    destruct (Rle_dec (u r) (u a)).
    + exists a. split; [left; auto|]. intros c [<-|Hc]; [lra|]. specialize (M c Hc). lra.
    + exists r. split; [right; auto|]. intros c [<-|Hc]; [lra|auto].
Qed.

Lemma argmax_value A u r r' : is_argmax A u r -> is_argmax A u r' -> u r = u r'.
Proof. intros [H M] [H' M']. apply Rle_antisym; auto. Qed.

(* A convex combination is at most the largest value. *)
Lemma sum_weights_le {X} (A : list X) (q s : X -> R) (m : R) :
  (forall a, In a A -> 0 <= q a) -> sum A q = 1 -> (forall a, In a A -> s a <= m) ->
  sum A (fun a => q a * s a) <= m.
Proof.
  intros Q E M. replace m with (m * 1) by ring. rewrite <- E, <- sum_scal.
  apply sum_le. intros a Ha. specialize (Q a Ha). specialize (M a Ha). nra.
Qed.

(* Jensen's inequality for a concave function on [0, infinity), weights of any total. *)
Definition concave_on_pos (G : R -> R) : Prop :=
  forall x y t, 0 <= x -> 0 <= y -> 0 <= t <= 1 ->
  t * G x + (1 - t) * G y <= G (t * x + (1 - t) * y).

Lemma weighted_jensen {X} (G : R -> R) (l : list X) (w x : X -> R) :
  concave_on_pos G ->
  (forall i, In i l -> 0 <= w i) -> (forall i, In i l -> 0 <= x i) -> 0 < sum l w ->
  sum l (fun i => w i * G (x i)) <= sum l w * G (sum l (fun i => w i * x i) / sum l w).
Proof.
  intros C. induction l as [|i l IH]; intros W Xn P; [simpl in P; lra|].
  simpl in *. assert (Wi : 0 <= w i) by auto. assert (Xi : 0 <= x i) by auto.
  assert (Wl : 0 <= sum l w) by (apply sum_nonneg; auto).
  assert (Xl : 0 <= sum l (fun i => w i * x i)).
  { apply sum_nonneg. intros j Hj. apply Rmult_le_pos; auto. }
  destruct (Req_dec (sum l w) 0) as [Z|NZ].
  - assert (Z' : forall j, In j l -> w j = 0) by (apply sum_nonneg_zero; auto).
    rewrite (sum_zero l (fun i => w i * G (x i))) by (intros j Hj; rewrite Z' by auto; ring).
    rewrite (sum_zero l (fun i => w i * x i)) by (intros j Hj; rewrite Z' by auto; ring).
    rewrite Z in *. replace ((w i * x i + 0) / (w i + 0)) with (x i) by (field; lra). lra.
  - assert (Pl : 0 < sum l w) by lra.
    specialize (IH ltac:(auto) ltac:(auto) Pl).
    set (S := sum l w) in *. set (M := sum l (fun i => w i * x i)) in *.
    assert (T : 0 <= w i / (w i + S) <= 1).
    { split.
      - apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. lra.
      - apply Rmult_le_reg_r with (w i + S); [lra|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (Y : 0 <= M / S).
    { apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. lra. }
    pose proof (C (x i) (M / S) _ Xi Y T) as J.
    replace (w i / (w i + S) * x i + (1 - w i / (w i + S)) * (M / S))
      with ((w i * x i + M) / (w i + S)) in J by (field; lra).
    apply Rmult_le_compat_l with (r := w i + S) in J; [|lra].
    replace ((w i + S) * (w i / (w i + S) * G (x i) + (1 - w i / (w i + S)) * G (M / S)))
      with (w i * G (x i) + S * G (M / S)) in J by (field; lra).
    lra.
Qed.

(* Infima of a function over a set of arguments, without choosing a completion: m is the greatest
   lower bound, or even the least value. *)
Definition is_inf_over {X} (P : X -> Prop) (f : X -> R) (m : R) : Prop :=
  (forall x, P x -> m <= f x) /\
  (forall m', (forall x, P x -> m' <= f x) -> m' <= m).

Definition is_min_over {X} (P : X -> Prop) (f : X -> R) (m : R) : Prop :=
  (forall x, P x -> m <= f x) /\ exists x, P x /\ f x = m.

Lemma min_is_inf {X} (P : X -> Prop) (f : X -> R) m :
  is_min_over P f m -> is_inf_over P f m.
Proof.
  intros [L [x [Px E]]]. split; auto. intros m' H. rewrite <- E. auto.
Qed.

Lemma inf_unique {X} (P : X -> Prop) (f : X -> R) m m' :
  is_inf_over P f m -> is_inf_over P f m' -> m = m'.
Proof. intros [L G] [L' G']. apply Rle_antisym; auto. Qed.
