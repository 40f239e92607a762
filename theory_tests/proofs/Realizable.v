(* Minimizability gaps in general (Sec. 3, 4.3 and 5): they are not negative; a single hypothesis
   that is optimal on every round makes the surrogate gap zero, and so does, up to any eps, exactly
   what a zero gap means; a best-in-class risk equal to that of all functions does too; for the class
   of all functions of the (augmented) input the gap is zero, because the conditional law depends on
   the input alone, and not otherwise.
   Claims: gap-nonnegative, realizable-zero-gap, gap-vanishes-h-all, gap-h-all-drifting-law. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Classical.
From Deferlab Require Import Sums Definitions Transfer.
Import ListNotations.
Open Scope R_scope.

(* Any class H of hypotheses of any kind, rounds of any kind, risks C. *)
Section Gaps.
Context {Hypo Round : Type}.
Variable H : Hypo -> Prop.
Variable rs : list Round.
Variable C : Hypo -> Round -> R.
Variable c : Round -> R.
Variable best : R.
Hypothesis pointwise : forall t, In t rs -> is_inf_over H (fun h => C h t) (c t).
Hypothesis together : is_inf_over H (fun h => sum rs (C h)) best.

Lemma gap_nonneg : sum rs c <= best.
Proof.
  destruct together as [_ G]. apply G. intros h Hh. apply sum_le. intros t Ht.
  apply (pointwise t Ht). auto.
Qed.

Lemma class_inhabited : exists h, H h.
Proof.
  destruct together as [_ G]. apply NNPP. intros N.
  specialize (G (best + 1)). enough (best + 1 <= best) by lra.
  apply G. intros h Hh. exfalso. eauto.
Qed.

Lemma gap_zero_if_near :
  (forall eps, 0 < eps -> exists h, H h /\ forall t, In t rs -> C h t <= c t + eps) ->
  best = sum rs c.
Proof.
  intros Near. apply Rle_antisym; [|apply gap_nonneg].
  destruct together as [L _].
  assert (Q : forall eps, 0 < eps -> best <= sum rs c + eps).
  { intros eps Pe. set (K := INR (length rs)). assert (PK : 0 <= K) by apply pos_INR.
    destruct (Near (eps / (K + 1))) as [h [Hh E]].
    { apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. lra. }
    specialize (L h Hh).
    assert (S : sum rs (C h) <= sum rs c + K * (eps / (K + 1))).
    { unfold K. rewrite <- sum_const, <- sum_plus. apply sum_le. auto. }
    assert (K * (eps / (K + 1)) <= eps); [|lra].
    assert (eps / (K + 1) * (K + 1) = eps) by (field; lra).
    assert (0 < eps / (K + 1)) by (apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; lra). nra. }
  destruct (Rle_dec best (sum rs c)); auto. specialize (Q ((best - sum rs c) / 2)). lra.
Qed.

Lemma near_if_gap_zero :
  best = sum rs c ->
  forall eps, 0 < eps -> exists h, H h /\ forall t, In t rs -> C h t <= c t + eps.
Proof.
  intros E eps Pe. destruct together as [_ G].
  apply NNPP. intros N.
  enough (best + eps <= best) by lra.
  apply G. intros h Hh. rewrite E.
  destruct (Rle_dec (sum rs c + eps) (sum rs (C h))) as [|L]; auto. exfalso. apply N.
  exists h. split; auto. intros t Ht.
  assert (T : C h t - c t <= sum rs (fun t => C h t - c t)).
  { apply (sum_term_le rs (fun t => C h t - c t) t); auto.
    intros t' Ht'. destruct (pointwise t' Ht') as [Lo _]. specialize (Lo h Hh). lra. }
  rewrite sum_minus in T. change (fun x : Round => C h x) with (C h) in T. lra.
Qed.
End Gaps.

(* claim: gap-nonnegative *)
Theorem gaps_are_not_negative :
  forall (P : Setting) (i : Infima), are_infima P i -> 0 <= true_gap P i /\ 0 <= surrogate_gap P i.
Proof.
  intros P i [Pt [Bd Bs]]. unfold true_gap, surrogate_gap. split.
  - pose proof (gap_nonneg (member P) (rounds P) (def_risk P) (def_inf i) (def_best i)) as G.
    assert (sum (rounds P) (def_inf i) <= def_best i); [|lra]. apply G; auto.
    intros t Ht. apply (Pt t Ht).
  - pose proof (gap_nonneg (member P) (rounds P) (sur_risk P) (sur_inf i) (sur_best i)) as G.
    assert (sum (rounds P) (sur_inf i) <= sur_best i); [|lra]. apply G; auto.
    intros t Ht. apply (Pt t Ht).
Qed.

(* claim: realizable-zero-gap *)
Theorem realizable_implies_zero_gap :
  forall (P : Setting) (i : Infima), are_infima P i ->
  ((exists h, member P h /\ forall t, In t (rounds P) -> sur_risk P h t = sur_inf i t) ->
   surrogate_gap P i = 0) /\
  (surrogate_gap P i = 0 <->
   forall eps, 0 < eps ->
   exists h, member P h /\ forall t, In t (rounds P) -> sur_risk P h t <= sur_inf i t + eps).
Proof.
  intros P i [Pt [Bd Bs]]. unfold surrogate_gap.
  assert (Pw : forall t, In t (rounds P) -> is_inf_over (member P) (fun h => sur_risk P h t) (sur_inf i t))
    by (intros t Ht; apply (Pt t Ht)).
  assert (If : (forall eps, 0 < eps ->
     exists h, member P h /\ forall t, In t (rounds P) -> sur_risk P h t <= sur_inf i t + eps) ->
     sur_best i - sum (rounds P) (sur_inf i) = 0).
  { intros N.
    rewrite (gap_zero_if_near (member P) (rounds P) (sur_risk P) (sur_inf i) (sur_best i)); auto. ring. }
  split; [|split; auto].
  - intros [h [Mh E]]. apply If. intros eps Pe. exists h. split; auto. intros t Ht.
    rewrite (E t Ht). lra.
  - intros Z. apply (near_if_gap_zero (member P) (rounds P) (sur_risk P) (sur_inf i) (sur_best i)); auto.
    lra.
Qed.

(* Sec. 6: a class within a richer one whose gap is zero, with the same best risk: zero gap. *)
(* claim: realizable-zero-gap *)
Theorem best_in_class_equal_to_best_of_all_implies_zero_gap :
  forall (Hypo Round : Type) (H all : Hypo -> Prop) (rs : list Round) (C : Hypo -> Round -> R)
         (c call : Round -> R) (best bestall : R),
  (forall h, H h -> all h) ->
  (forall t, In t rs -> is_inf_over H (fun h => C h t) (c t)) ->
  (forall t, In t rs -> is_inf_over all (fun h => C h t) (call t)) ->
  is_inf_over H (fun h => sum rs (C h)) best -> is_inf_over all (fun h => sum rs (C h)) bestall ->
  bestall = sum rs call -> best = bestall -> best = sum rs c.
Proof.
  intros Hypo Round H all rs C c call best bestall Sub Pw Pall B Ball Z E.
  apply Rle_antisym; [|apply (gap_nonneg H rs C c best Pw B)].
  rewrite E, Z. apply sum_le. intros t Ht. destruct (Pw t Ht) as [_ G]. apply G.
  intros h Hh. apply (Pall t Ht). auto.
Qed.

(* All functions from inputs to score vectors; the conditional risk F x of a score vector depends on
   the input only. Weights: one per round, or the probabilities of finitely many inputs. *)
(* claim: gap-vanishes-h-all *)
Theorem gap_of_all_functions_vanishes :
  forall (X Y : Type) (eq_dec : forall x y : X, {x = y} + {x <> y})
         (F : X -> Y -> R) (c : X -> R) (stream : list (R * X)) (best : R),
  (forall w x, In (w, x) stream -> 0 <= w) ->
  (forall x, In x (map snd stream) -> is_inf_over (fun _ => True) (F x) (c x)) ->
  is_inf_over (fun _ : X -> Y => True) (fun h => sum stream (fun i => fst i * F (snd i) (h (snd i)))) best ->
  best = sum stream (fun i => fst i * c (snd i)).
Proof.
  intros X Y eq_dec F c stream best W Pw B.
  destruct (class_inhabited (fun _ : X -> Y => True) stream
    (fun h i => fst i * F (snd i) (h (snd i))) best B) as [h0 _].
  (* A function that is nearly optimal at every input of a list. *)
  assert (Near : forall eps, 0 < eps -> exists h : X -> Y,
    forall x, In x (map snd stream) -> F x (h x) <= c x + eps).
  { intros eps Pe. induction (map snd stream) as [|x l IH].
    - exists h0. intros x [].
    - destruct IH as [h Hh]; [intros y Hy; apply Pw; right; auto|].
      destruct (near_if_gap_zero (fun _ : Y => True) [x] (fun y x => F x y) c (c x)) with (eps := eps)
        as [y [_ Hy]]; auto.
      + intros t [<-|[]]. apply Pw. left. auto.
      + destruct (Pw x) as [Lo G]; [left; auto|]. split.
        * intros y _. simpl. specialize (Lo y I). lra.
        * intros m Hm. apply G. intros y _. specialize (Hm y I). simpl in Hm. lra.
      + simpl. ring.
      + exists (fun z => if eq_dec z x then y else h z). intros z Hz.
        destruct (eq_dec z x) as [->|Nz]; [apply Hy; left; auto|].
        destruct Hz as [<-|Hz]; [congruence|]. apply Hh. auto. }
  assert (PwC : forall i, In i stream ->
    is_inf_over (fun _ : X -> Y => True) (fun h => fst i * F (snd i) (h (snd i))) (fst i * c (snd i))).
  { intros [w x] Hi. simpl. specialize (W w x Hi).
    destruct (Pw x) as [Lo G]; [apply in_map_iff; exists (w, x); auto|].
    split.
    - intros h _. specialize (Lo (h x) I). nra.
    - intros m Hm. destruct W as [W|<-].
      + assert (m / w <= c x).
        { apply G. intros y _. specialize (Hm (fun _ => y) I). simpl in Hm.
          apply Rmult_le_reg_l with w; auto. replace (w * (m / w)) with m by (field; lra). auto. }
        replace m with (w * (m / w)) by (field; lra). apply Rmult_le_compat_l; lra.
      + specialize (Hm h0 I). simpl in Hm. lra. }
  apply (gap_zero_if_near (fun _ : X -> Y => True) stream (fun h i => fst i * F (snd i) (h (snd i)))
           (fun i => fst i * c (snd i)) best PwC B).
  intros eps Pe.
  set (S := sum stream fst).
  assert (PS : 0 <= S) by (apply sum_nonneg; intros [w x] Hi; eapply W; eauto).
  destruct (Near (eps / (S + 1))) as [h Hh].
  { apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. lra. }
  exists h. split; auto. intros [w x] Hi. simpl.
  specialize (Hh x ltac:(apply in_map_iff; exists (w, x); auto)).
  assert (Pw' : 0 <= w) by (eapply W; eauto).
  assert (Lw : w <= S) by (apply (sum_term_le stream fst (w, x)); auto; intros [w' x'] Hi'; eapply W; eauto).
  assert (Pq : 0 < eps / (S + 1)) by (apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; lra).
  assert (eps / (S + 1) * (S + 1) = eps) by (field; lra). nra.
Qed.

(* The law of the label at one input changes from round to round: even all functions have a gap. *)
(* claim: gap-h-all-drifting-law *)
Theorem gap_of_all_functions_with_a_drifting_law :
  let A := [0; 1]%nat in
  let s1 := fun a : nat => if Nat.eqb a 0 then 1 else 0 in
  let s2 := fun a : nat => if Nat.eqb a 0 then 0 else 1 in
  is_min_over (fun _ => True) (risk (centred cstnd_hinge) A s1) 0 /\
  is_min_over (fun _ => True) (risk (centred cstnd_hinge) A s2) 0 /\
  is_min_over (fun _ => True)
    (fun v => risk (centred cstnd_hinge) A s1 v + risk (centred cstnd_hinge) A s2 v) 2.
Proof.
  intros A s1 s2.
  assert (R1 : forall v, risk (centred cstnd_hinge) A s1 v = Rmax 0 (1 - (v 0%nat - v 1%nat) / 2)).
  { intros v. rewrite risk_eq. unfold centred, A. cbn [sum]. rewrite !cstnd_hinge_eq.
    unfold others, s1. simpl. rewrite !proj_eq. simpl.
    replace (1 + (v 1%nat - (v 0%nat + (v 1%nat + 0)) / (1 + 1)))
      with (1 - (v 0%nat - v 1%nat) / 2) by field. ring. }
  assert (R2 : forall v, risk (centred cstnd_hinge) A s2 v = Rmax 0 (1 + (v 0%nat - v 1%nat) / 2)).
  { intros v. rewrite risk_eq. unfold centred, A. cbn [sum]. rewrite !cstnd_hinge_eq.
    unfold others, s2. simpl. rewrite !proj_eq. simpl.
    replace (1 + (v 0%nat - (v 0%nat + (v 1%nat + 0)) / (1 + 1)))
      with (1 + (v 0%nat - v 1%nat) / 2) by field. ring. }
  split; [|split].
  - split; [intros v _; rewrite R1; apply Rmax_l|].
    exists (fun a => if Nat.eqb a 0 then 1 else -1). split; auto. rewrite R1. simpl.
    apply Rmax_left. lra.
  - split; [intros v _; rewrite R2; apply Rmax_l|].
    exists (fun a => if Nat.eqb a 0 then -1 else 1). split; auto. rewrite R2. simpl.
    apply Rmax_left. lra.
  - split.
    + intros v _. rewrite R1, R2. pose proof (Rmax_r 0 (1 - (v 0%nat - v 1%nat) / 2)).
      pose proof (Rmax_r 0 (1 + (v 0%nat - v 1%nat) / 2)). lra.
    + exists (fun _ => 0). split; auto. rewrite R1, R2. rewrite !Rmax_right by lra. lra.
Qed.
