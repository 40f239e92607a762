(* Finite decision trees: what an expectation is in the theorems about regret.

   A history is the list of what happened, the latest first. After a history h the outcomes of the
   next round are the elements of the finite list [outs h], with probabilities [pr h]. The expectation
   of a function of the history after T rounds is the finite sum over all ways the T rounds can go.
   Nothing here is about deferral. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums.
Import ListNotations.
Open Scope R_scope.

Section Tree.
Context {Out : Type}.
Variable outs : list Out -> list Out.
Variable pr : list Out -> Out -> R.

(* Expectation of F over T more rounds after the history h. *)
Fixpoint expect (T : nat) (h : list Out) (F : list Out -> R) : R :=
  match T with
  | O => F h
  | S T' => sum (outs h) (fun o => pr h o * expect T' (o :: h) F)
  end.

(* Histories that the tree contains. *)
Fixpoint possible (h : list Out) : Prop :=
  match h with
  | nil => True
  | o :: h' => In o (outs h') /\ possible h'
  end.

(* The probabilities of a round are probabilities. *)
Definition node_law (h : list Out) : Prop :=
  (forall o, In o (outs h) -> 0 <= pr h o) /\ sum (outs h) (pr h) = 1.

(* Sum over the rounds of a history of what each round contributes, given its past. *)
Fixpoint along (inc : list Out -> Out -> R) (h : list Out) : R :=
  match h with
  | nil => 0
  | o :: h' => along inc h' + inc h' o
  end.

Hypothesis laws : forall h, possible h -> node_law h.

Lemma expect_le T : forall h F G,
  possible h ->
  (forall h', possible h' -> length h' = (T + length h)%nat -> F h' <= G h') ->
  expect T h F <= expect T h G.
Proof.
  induction T as [|T IH]; simpl; intros h F G P H; [auto|].
  destruct (laws h P) as [Q _].
  apply sum_le. intros o Ho. apply Rmult_le_compat_l; auto.
  apply IH; [simpl; auto|]. intros h' P' L. apply H; auto. simpl in L. lia.
Qed.

Lemma expect_ext T h F G :
  possible h ->
  (forall h', possible h' -> length h' = (T + length h)%nat -> F h' = G h') ->
  expect T h F = expect T h G.
Proof.
  intros P H. apply Rle_antisym; apply expect_le; auto; intros h' P' L; rewrite (H h' P' L); lra.
Qed.

Lemma expect_plus T : forall h F G,
  expect T h (fun h => F h + G h) = expect T h F + expect T h G.
Proof.
  induction T as [|T IH]; simpl; intros h F G; [auto|].
  rewrite <- sum_plus. apply sum_ext. intros o _. rewrite IH. ring.
Qed.

Lemma expect_scal T c : forall h F, expect T h (fun h => c * F h) = c * expect T h F.
Proof.
  induction T as [|T IH]; simpl; intros h F; [auto|].
  rewrite <- sum_scal. apply sum_ext. intros o _. rewrite IH. ring.
Qed.

Lemma expect_minus T h F G :
  expect T h (fun h => F h - G h) = expect T h F - expect T h G.
Proof.
  replace (expect T h F - expect T h G) with (expect T h F + (-1) * expect T h G) by ring.
  rewrite <- expect_scal, <- expect_plus.
  assert (E : forall T h F G, (forall h', F h' = G h') -> expect T h F = expect T h G).
  { clear. induction T as [|T IH]; simpl; intros h F G H; [auto|].
    apply sum_ext. intros o _. rewrite (IH _ F G H). auto. }
  apply E. intros. ring.
Qed.

Lemma expect_const T c : forall h, possible h -> expect T h (fun _ => c) = c.
Proof.
  induction T as [|T IH]; simpl; intros h P; [auto|].
  destruct (laws h P) as [_ E].
  rewrite (sum_ext (outs h) _ (fun o => pr h o * c)).
  - rewrite sum_scal_r, E. ring.
  - intros o Ho. rewrite IH; simpl; auto.
Qed.

(* If every round contributes at most b t in conditional expectation (t rounds have passed), then
   T rounds contribute at most the sum of b. Only rounds that are played matter. *)
Lemma expect_along_le_upto T (inc : list Out -> Out -> R) (b : nat -> R) : forall h,
  possible h ->
  (forall h', possible h' -> (length h' < T + length h)%nat ->
     sum (outs h') (fun o => pr h' o * inc h' o) <= b (length h')) ->
  expect T h (along inc) <= along inc h + sum (seq (length h) T) b.
Proof.
  induction T as [|T IH]; intros h P H; [simpl; lra|].
  destruct (laws h P) as [Q E].
  change (expect (S T) h (along inc))
    with (sum (outs h) (fun o => pr h o * expect T (o :: h) (along inc))).
  change (seq (length h) (S T)) with (length h :: seq (S (length h)) T).
  rewrite sum_cons.
  apply Rle_trans with (sum (outs h) (fun o =>
     pr h o * inc h o + pr h o * (along inc h + sum (seq (S (length h)) T) b))).
  - apply sum_le. intros o Ho.
    assert (I : expect T (o :: h) (along inc)
                <= along inc (o :: h) + sum (seq (S (length h)) T) b).
    { apply (IH (o :: h)); [simpl; auto|]. intros h' P' L. apply H; auto. simpl in L. lia. }
    simpl in I. specialize (Q o Ho). nra.
  - rewrite sum_plus, sum_scal_r, E. specialize (H h P ltac:(lia)). lra.
Qed.

Lemma expect_along_le T (inc : list Out -> Out -> R) (b : nat -> R) h :
  possible h ->
  (forall h', possible h' -> sum (outs h') (fun o => pr h' o * inc h' o) <= b (length h')) ->
  expect T h (along inc) <= along inc h + sum (seq (length h) T) b.
Proof. intros P H. apply expect_along_le_upto; auto. Qed.

Lemma expect_along_eq T (inc inc' : list Out -> Out -> R) :
  (forall h', possible h' ->
     sum (outs h') (fun o => pr h' o * inc h' o) = sum (outs h') (fun o => pr h' o * inc' h' o)) ->
  expect T nil (along inc) = expect T nil (along inc').
Proof.
  intros H.
  assert (D : forall i i', (forall h', possible h' ->
     sum (outs h') (fun o => pr h' o * i h' o) <= sum (outs h') (fun o => pr h' o * i' h' o)) ->
     expect T nil (along i) <= expect T nil (along i')).
  { intros i i' L.
    assert (B : expect T nil (along (fun h o => i h o - i' h o)) <= 0).
    { eapply Rle_trans; [apply (expect_along_le T _ (fun _ => 0)); simpl; auto|].
      - intros h' P'. rewrite (sum_ext _ _ (fun o => pr h' o * i h' o - pr h' o * i' h' o))
          by (intros; ring).
        rewrite sum_minus. specialize (L h' P'). lra.
      - simpl. rewrite sum_zero by auto. lra. }
    rewrite (expect_ext T nil (along (fun h o => i h o - i' h o))
               (fun h => along i h - along i' h)) in B; simpl; auto.
    - rewrite expect_minus in B. lra.
    - intros h' _ _. induction h' as [|o h' IH]; simpl; [ring|]. rewrite IH. ring. }
  apply Rle_antisym; apply D; intros h' P'; rewrite (H h' P'); lra.
Qed.

(* What a round contributes may be replaced by something no smaller. *)
Lemma along_le (inc inc' : list Out -> Out -> R) : forall h,
  possible h ->
  (forall h' o, possible h' -> In o (outs h') -> inc h' o <= inc' h' o) ->
  along inc h <= along inc' h.
Proof.
  induction h as [|o h IH]; simpl; intros P H; [lra|].
  destruct P as [Ho P]. specialize (IH P H). specialize (H h o P Ho). lra.
Qed.

Lemma along_plus inc inc' h :
  along (fun h o => inc h o + inc' h o) h = along inc h + along inc' h.
Proof. induction h as [|o h IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma along_minus inc inc' h :
  along (fun h o => inc h o - inc' h o) h = along inc h - along inc' h.
Proof. induction h as [|o h IH]; simpl; [ring|]. rewrite IH. ring. Qed.

(* What depends on the number of the round only is a sum over rounds. *)
Lemma along_rounds (b : nat -> R) h :
  along (fun h _ => b (length h)) h = sum (seq 0 (length h)) b.
Proof.
  induction h as [|o h IH]; simpl length; [reflexivity|].
  simpl along. rewrite IH, sum_seq_S. reflexivity.
Qed.

End Tree.

Lemma sum_list_prod {X Y} (l : list X) (m : list Y) (f : X * Y -> R) :
  sum (list_prod l m) f = sum l (fun a => sum m (fun y => f (a, y))).
Proof.
  induction l as [|x l IH]; simpl; [auto|].
  rewrite sum_app, IH, sum_map. reflexivity.
Qed.
