(* Three losses cannot serve experts who come and go with one score vector per input: a mixture of
   active sets whose every optimum has a worse action strictly on top in one of them, so that no
   rule for ties helps. The minimum over all vectors is certified. Claims:
   availability-cstnd-hinge, availability-cstnd-sq, availability-sum-sq. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Availability.
Import ListNotations.
Open Scope R_scope.

(* The vector with the entries of a list. *)
Definition vec (l : list R) : nat -> R := fun a => nth a l 0.

(* Two classes, and sometimes everybody in E as well. *)
Definition two_classes : list nat := [0; 1]%nat.
Definition with_expert : list nat := [0; 1; 2]%nat.
Definition with_two : list nat := [0; 1; 2; 3]%nat.

(* Scores: a class that is right four times in five and a certain expert; a class, an expert who is
   a little better, and a poor one. *)
Definition certain_expert : nat -> R := vec [4/5; 1/5; 1].
Definition good_and_poor : nat -> R := vec [7/10; 3/10; 71/100; 1/10].

(* A mixture on which every minimiser v has action a strictly on top of b in the active set A,
   although b is better there; m is the least risk. *)
Definition misleads (L : Loss) (M : mixture) (s : nat -> R) (m : R) (A : list nat) (a b : nat) : Prop :=
  proper M /\ scored M s /\ is_min_over (fun _ => True) (mixture_risk L M s) m /\
  (exists w, In (w, A) M) /\ In a A /\ In b A /\ s a < s b /\
  forall v, mixture_risk L M s v = m -> v b < v a /\ argmax A v = a.

Lemma misleads_inconsistent L M s m A a b :
  misleads L M s m A a b -> ~ availability_consistent L.
Proof.
  intros [PM [SM [[Lo [v [_ Ev]]] [[w Hw] [Ha [Hb [Hs U]]]]]]] C.
  destruct (C M s PM SM) as [d [Pd H]].
  assert (Near : forall u, mixture_risk L M s v <= mixture_risk L M s u + d).
  { intros u. specialize (Lo u I). lra. }
  destruct (U v Ev) as [_ T].
  assert (Ne : A <> nil) by (intros ->; destruct Ha).
  pose proof (argmax_is A v Ne) as Top. rewrite T in Top.
  destruct (H v Near w A a Hw Top) as [_ M']. specialize (M' b Hb). lra.
Qed.

Ltac explicit :=
  unfold mixture_risk, two_classes, with_expert, with_two; cbn [sum fst snd];
  rewrite !risk_eq; unfold centred; cbn [sum]; rewrite ?cstnd_hinge_eq, ?cstnd_sq_eq, ?sum_sq_eq;
  unfold others; cbn [filter Nat.eqb negb sum]; rewrite ?proj_eq, ?hinge_eq;
  cbn [mem existsb Nat.eqb orb length sum]; change (INR 2) with 2; change (INR 3) with (2 + 1).

Lemma two_sets_proper w1 w2 A1 A2 :
  0 < w1 -> 0 < w2 -> NoDup A1 -> NoDup A2 -> proper [(w1, A1); (w2, A2)].
Proof. intros P1 P2 N1 N2 w A [E|[E|[]]]; injection E; intros; subst; auto. Qed.

Lemma two_sets_scored w1 w2 A1 A2 s :
  (forall a, In a (A1 ++ A2) -> 0 <= s a) -> scored [(w1, A1); (w2, A2)] s.
Proof.
  intros H w A a [E|[E|[]]] Ha; injection E; intros; subst; apply H; apply in_or_app; auto.
Qed.

Ltac no_dup := repeat constructor; simpl; intuition discriminate.
Ltac every_score := intros a Ha; simpl in Ha;
  repeat (destruct Ha as [<-|Ha]; [unfold certain_expert, good_and_poor, vec; simpl; lra|]); destruct Ha.

(* The arguments of the hinges, from the score differences. *)
Definition h (x : R) : R := Rmax 0 x.

Lemma h_nonneg x : 0 <= h x.
Proof. apply Rmax_l. Qed.

Lemma h_ge x : x <= h x.
Proof. apply Rmax_r. Qed.

Lemma h_pos x : 0 <= x -> h x = x.
Proof. apply Rmax_right. Qed.

Lemma h_neg x : x <= 0 -> h x = 0.
Proof. apply Rmax_left. Qed.

(* A positive value of the hinge is its argument. *)
Lemma h_value x k : 0 < k -> h x = k -> x = k.
Proof. unfold h, Rmax. destruct (Rle_dec 0 x); lra. Qed.

Ltac arguments v :=
  replace (1 + (v 0%nat - (v 0%nat + (v 1%nat + 0)) / 2)) with (1 + (v 0%nat - v 1%nat) / 2) by field;
  replace (1 + (v 1%nat - (v 0%nat + (v 1%nat + 0)) / 2)) with (1 - (v 0%nat - v 1%nat) / 2) by field;
  replace (1 + (v 0%nat - (v 0%nat + (v 1%nat + (v 2%nat + 0))) / (2 + 1)))
    with (1 + (2 * v 0%nat - v 1%nat - v 2%nat) / 3) by field;
  replace (1 + (v 1%nat - (v 0%nat + (v 1%nat + (v 2%nat + 0))) / (2 + 1)))
    with (1 + (2 * v 1%nat - v 0%nat - v 2%nat) / 3) by field;
  replace (1 + (v 2%nat - (v 0%nat + (v 1%nat + (v 2%nat + 0))) / (2 + 1)))
    with (1 + (2 * v 2%nat - v 0%nat - v 1%nat) / 3) by field;
  fold (h (1 + (v 0%nat - v 1%nat) / 2)); fold (h (1 - (v 0%nat - v 1%nat) / 2));
  fold (h (1 + (2 * v 0%nat - v 1%nat - v 2%nat) / 3));
  fold (h (1 + (2 * v 1%nat - v 0%nat - v 2%nat) / 3));
  fold (h (1 + (2 * v 2%nat - v 0%nat - v 1%nat) / 3)).

Definition half_there : mixture := [(1/2, two_classes); (1/2, with_expert)].

Lemma hinge_mixture v :
  mixture_risk (centred cstnd_hinge) half_there certain_expert v
  = 1/10 * h (1 + (v 0%nat - v 1%nat) / 2) + 4/10 * h (1 - (v 0%nat - v 1%nat) / 2)
  + 6/10 * h (1 + (2 * v 0%nat - v 1%nat - v 2%nat) / 3)
  + 9/10 * h (1 + (2 * v 1%nat - v 0%nat - v 2%nat) / 3)
  + 1/2 * h (1 + (2 * v 2%nat - v 0%nat - v 1%nat) / 3).
Proof.
  unfold half_there, certain_expert, vec. explicit. cbn [nth]. arguments v. field.
Qed.

(* Argmax over three or four actions when one is strictly on top. *)
Lemma argmax_strict A (v : nat -> R) a :
  In a A -> (forall c, In c A -> c <> a -> v c < v a) -> argmax A v = a.
Proof.
  intros Ha H. assert (Ne : A <> nil) by (intros ->; destruct Ha).
  destruct (argmax_is A v Ne) as [I M]. destruct (Nat.eq_dec (argmax A v) a); auto.
  specialize (H _ I n). specialize (M a Ha). lra.
Qed.

Ltac all_of Hc := simpl in Hc; repeat (destruct Hc as [<-|Hc]; [try congruence; try lra|]); destruct Hc.

(* refutes: availability-cstnd-hinge *)
Theorem cstnd_hinge_never_asks_the_certain_expert :
  misleads (centred cstnd_hinge) half_there certain_expert (19/10) with_expert 0 2
  /\ ~ availability_consistent (centred cstnd_hinge).
Proof.
  assert (Lo : forall v, 19/10 <= mixture_risk (centred cstnd_hinge) half_there certain_expert v
    /\ (mixture_risk (centred cstnd_hinge) half_there certain_expert v = 19/10 ->
        v 1%nat < v 0%nat /\ v 2%nat < v 0%nat)).
  { intros v. rewrite hinge_mixture.
    set (x1 := 1 + (v 0%nat - v 1%nat) / 2). set (x2 := 1 - (v 0%nat - v 1%nat) / 2).
    set (y0 := 1 + (2 * v 0%nat - v 1%nat - v 2%nat) / 3).
    set (y1 := 1 + (2 * v 1%nat - v 0%nat - v 2%nat) / 3).
    set (y2 := 1 + (2 * v 2%nat - v 0%nat - v 1%nat) / 3).
    pose proof (h_nonneg x1). pose proof (h_nonneg x2). pose proof (h_nonneg y0).
    pose proof (h_nonneg y1). pose proof (h_nonneg y2). pose proof (h_ge x1).
    pose proof (h_ge x2). pose proof (h_ge y0). pose proof (h_ge y1). pose proof (h_ge y2).
    unfold x1, x2, y0, y1, y2 in *. repeat split; lra. }
  assert (Mi : misleads (centred cstnd_hinge) half_there certain_expert (19/10) with_expert 0 2).
  { split; [apply two_sets_proper; [lra|lra|no_dup|no_dup]|].
    split; [apply two_sets_scored; every_score|].
    split; [split; [intros v _; apply Lo|]|].
    { exists (vec [1; -1; 0]). split; auto. rewrite hinge_mixture. unfold vec. cbn [nth].
      rewrite (h_pos (1 + (1 - -1) / 2)), (h_neg (1 - (1 - -1) / 2)), (h_pos (1 + (2 * 1 - -1 - 0) / 3)),
        (h_neg (1 + (2 * -1 - 1 - 0) / 3)), (h_pos (1 + (2 * 0 - 1 - -1) / 3)) by lra. field. }
    split; [exists (1/2); simpl; auto|].
    split; [simpl; auto|]. split; [simpl; auto|].
    split; [unfold certain_expert, vec; simpl; lra|].
    intros v E. destruct (Lo v) as [_ U]. destruct (U E) as [U1 U2].
    split; [lra|]. apply argmax_strict; [simpl; auto|]. intros c Hc Nc. all_of Hc. }
  split; auto. eapply misleads_inconsistent; eauto.
Qed.

(* The same expert, there in three rounds of ten. *)
Definition seldom_there : mixture := [(7/10, two_classes); (3/10, with_expert)].

Lemma cstnd_sq_mixture v :
  mixture_risk (centred cstnd_sq) seldom_there certain_expert v
  = 7/50 * h (1 + (v 0%nat - v 1%nat) / 2) ^ 2 + 28/50 * h (1 - (v 0%nat - v 1%nat) / 2) ^ 2
  + 18/50 * h (1 + (2 * v 0%nat - v 1%nat - v 2%nat) / 3) ^ 2
  + 27/50 * h (1 + (2 * v 1%nat - v 0%nat - v 2%nat) / 3) ^ 2
  + 3/10 * h (1 + (2 * v 2%nat - v 0%nat - v 1%nat) / 3) ^ 2.
Proof.
  unfold seldom_there, certain_expert, vec. explicit. cbn [nth]. arguments v. field.
Qed.

Lemma square_zero x : x ^ 2 <= 0 -> x = 0.
Proof. intros. nra. Qed.

(* refutes: availability-cstnd-sq *)
Theorem cstnd_sq_never_asks_the_certain_expert :
  misleads (centred cstnd_sq) seldom_there certain_expert (45727/27730) with_expert 0 2
  /\ ~ availability_consistent (centred cstnd_sq).
Proof.
  assert (Lo : forall v, 45727/27730 <= mixture_risk (centred cstnd_sq) seldom_there certain_expert v
    /\ (mixture_risk (centred cstnd_sq) seldom_there certain_expert v = 45727/27730 ->
        v 1%nat < v 0%nat /\ v 2%nat < v 0%nat)).
  { intros v. rewrite cstnd_sq_mixture.
    set (x1 := 1 + (v 0%nat - v 1%nat) / 2). set (x2 := 1 - (v 0%nat - v 1%nat) / 2).
    set (y0 := 1 + (2 * v 0%nat - v 1%nat - v 2%nat) / 3).
    set (y1 := 1 + (2 * v 1%nat - v 0%nat - v 2%nat) / 3).
    set (y2 := 1 + (2 * v 2%nat - v 0%nat - v 1%nat) / 3).
    pose proof (h_ge x1) as G1. pose proof (h_ge x2) as G2. pose proof (h_ge y0) as G3.
    pose proof (h_ge y1) as G4. pose proof (h_ge y2) as G5.
    pose proof (pow2_ge_0 (h x1 - 3778/2773)) as S1.
    pose proof (pow2_ge_0 (h x2 - 1768/2773)) as S2.
    pose proof (pow2_ge_0 (h y0 - 3468/2773)) as S3.
    pose proof (pow2_ge_0 (h y1 - 1458/2773)) as S4.
    pose proof (pow2_ge_0 (h y2 - 3393/2773)) as S5.
    assert (X : x2 = 2 - x1) by (unfold x1, x2; lra).
    assert (Y1 : y1 = y0 - 2 * (x1 - 1)) by (unfold x1, y0, y1; lra).
    assert (Y2 : y2 = 3 - y0 - y1) by (unfold y0, y1, y2; lra).
    split; [lra|]. intros E.
    assert (Q1 : (h x1 - 3778/2773) ^ 2 <= 0) by lra.
    assert (Q3 : (h y0 - 3468/2773) ^ 2 <= 0) by lra.
    apply square_zero in Q1. apply square_zero in Q3.
    assert (V1 : x1 = 3778/2773) by (apply h_value; lra).
    assert (V3 : y0 = 3468/2773) by (apply h_value; lra).
    unfold x1, y0 in *. lra. }
  assert (Mi : misleads (centred cstnd_sq) seldom_there certain_expert (45727/27730) with_expert 0 2).
  { split; [apply two_sets_proper; [lra|lra|no_dup|no_dup]|].
    split; [apply two_sets_scored; every_score|].
    split; [split; [intros v _; apply Lo|]|].
    { exists (vec [75/2773; -1935/2773; 0]). split; auto. rewrite cstnd_sq_mixture.
      unfold vec. cbn [nth]. rewrite !h_pos by lra. field. }
    split; [exists (3/10); simpl; auto|].
    split; [simpl; auto|]. split; [simpl; auto|].
    split; [unfold certain_expert, vec; simpl; lra|].
    intros v E. destruct (Lo v) as [_ U]. destruct (U E) as [U1 U2].
    split; [lra|]. apply argmax_strict; [simpl; auto|]. intros c Hc Nc. all_of Hc. }
  split; auto. eapply misleads_inconsistent; eauto.
Qed.

(* The two experts are only there together. *)
Definition together : mixture := [(9/10, two_classes); (1/10, with_two)].

Lemma sum_sq_mixture v :
  let d a b := h (1 - (v a - v b)) ^ 2 in
  mixture_risk sum_sq together good_and_poor v
  = 7/10 * d 0%nat 1%nat + 3/10 * d 1%nat 0%nat
  + 7/100 * (d 0%nat 2%nat + d 0%nat 3%nat) + 3/100 * (d 1%nat 2%nat + d 1%nat 3%nat)
  + 71/1000 * (d 2%nat 0%nat + d 2%nat 1%nat + d 2%nat 3%nat)
  + 1/100 * (d 3%nat 0%nat + d 3%nat 1%nat + d 3%nat 2%nat).
Proof.
  intros d. unfold together, good_and_poor, vec. explicit. cbn [nth]. unfold d, h. field.
Qed.

(* refutes: availability-sum-sq *)
Theorem sum_sq_never_asks_the_better_expert :
  misleads sum_sq together good_and_poor (167945039/144021275) with_two 0 2
  /\ ~ availability_consistent sum_sq.
Proof.
  assert (Lo : forall v, 167945039/144021275 <= mixture_risk sum_sq together good_and_poor v
    /\ (mixture_risk sum_sq together good_and_poor v = 167945039/144021275 ->
        v 1%nat < v 0%nat /\ v 2%nat < v 0%nat /\ v 3%nat < v 0%nat)).
  { intros v. rewrite sum_sq_mixture. cbv zeta.
    set (u0 := 4497660/5760851). set (u1 := 2213940/5760851). set (u2 := 4492711/5760851).
    assert (T : forall a b k, 0 < k ->
      h (1 - (v a - v b)) ^ 2 = 2 * k * (h (1 - (v a - v b)) - (1 - (v a - v b)))
        + 2 * k * (1 - (v a - v b)) - k ^ 2 + (h (1 - (v a - v b)) - k) ^ 2) by (intros; ring).
    assert (B : forall a b k, 0 < k ->
      2 * k * (1 - (v a - v b)) - k ^ 2 + (h (1 - (v a - v b)) - k) ^ 2 <= h (1 - (v a - v b)) ^ 2).
    { intros a b k Pk. rewrite (T a b k Pk). pose proof (h_ge (1 - (v a - v b))). nra. }
    pose proof (B 0%nat 1%nat (1 - (u0 - u1)) ltac:(unfold u0, u1; lra)) as B01.
    pose proof (B 1%nat 0%nat (1 - (u1 - u0)) ltac:(unfold u0, u1; lra)) as B10.
    pose proof (B 0%nat 2%nat (1 - (u0 - u2)) ltac:(unfold u0, u2; lra)) as B02.
    pose proof (B 2%nat 0%nat (1 - (u2 - u0)) ltac:(unfold u0, u2; lra)) as B20.
    pose proof (B 0%nat 3%nat (1 - u0) ltac:(unfold u0; lra)) as B03.
    pose proof (B 3%nat 0%nat (1 + u0) ltac:(unfold u0; lra)) as B30.
    pose proof (B 1%nat 2%nat (1 - (u1 - u2)) ltac:(unfold u1, u2; lra)) as B12.
    pose proof (B 2%nat 1%nat (1 - (u2 - u1)) ltac:(unfold u1, u2; lra)) as B21.
    pose proof (B 1%nat 3%nat (1 - u1) ltac:(unfold u1; lra)) as B13.
    pose proof (B 3%nat 1%nat (1 + u1) ltac:(unfold u1; lra)) as B31.
    pose proof (B 2%nat 3%nat (1 - u2) ltac:(unfold u2; lra)) as B23.
    pose proof (B 3%nat 2%nat (1 + u2) ltac:(unfold u2; lra)) as B32.
    clear B T. pose proof pow2_ge_0 as P.
    assert (N01 := P (h (1 - (v 0%nat - v 1%nat)) - (1 - (u0 - u1)))).
    assert (N10 := P (h (1 - (v 1%nat - v 0%nat)) - (1 - (u1 - u0)))).
    assert (N02 := P (h (1 - (v 0%nat - v 2%nat)) - (1 - (u0 - u2)))).
    assert (N20 := P (h (1 - (v 2%nat - v 0%nat)) - (1 - (u2 - u0)))).
    assert (N03 := P (h (1 - (v 0%nat - v 3%nat)) - (1 - u0))).
    assert (N30 := P (h (1 - (v 3%nat - v 0%nat)) - (1 + u0))).
    assert (N12 := P (h (1 - (v 1%nat - v 2%nat)) - (1 - (u1 - u2)))).
    assert (N21 := P (h (1 - (v 2%nat - v 1%nat)) - (1 - (u2 - u1)))).
    assert (N13 := P (h (1 - (v 1%nat - v 3%nat)) - (1 - u1))).
    assert (N31 := P (h (1 - (v 3%nat - v 1%nat)) - (1 + u1))).
    assert (N23 := P (h (1 - (v 2%nat - v 3%nat)) - (1 - u2))).
    assert (N32 := P (h (1 - (v 3%nat - v 2%nat)) - (1 + u2))). clear P.
    set (q01 := (h (1 - (v 0%nat - v 1%nat)) - _) ^ 2) in *.
    set (q10 := (h (1 - (v 1%nat - v 0%nat)) - _) ^ 2) in *.
    set (q02 := (h (1 - (v 0%nat - v 2%nat)) - _) ^ 2) in *.
    set (q20 := (h (1 - (v 2%nat - v 0%nat)) - _) ^ 2) in *.
    set (q03 := (h (1 - (v 0%nat - v 3%nat)) - _) ^ 2) in *.
    set (q30 := (h (1 - (v 3%nat - v 0%nat)) - _) ^ 2) in *.
    set (q12 := (h (1 - (v 1%nat - v 2%nat)) - _) ^ 2) in *.
    set (q21 := (h (1 - (v 2%nat - v 1%nat)) - _) ^ 2) in *.
    set (q13 := (h (1 - (v 1%nat - v 3%nat)) - _) ^ 2) in *.
    set (q31 := (h (1 - (v 3%nat - v 1%nat)) - _) ^ 2) in *.
    set (q23 := (h (1 - (v 2%nat - v 3%nat)) - _) ^ 2) in *.
    set (q32 := (h (1 - (v 3%nat - v 2%nat)) - _) ^ 2) in *.
    assert (Main : 167945039/144021275 + 7/10 * q01 + 7/100 * q02 + 7/100 * q03
      <= 7 / 10 * h (1 - (v 0%nat - v 1%nat)) ^ 2 + 3 / 10 * h (1 - (v 1%nat - v 0%nat)) ^ 2 +
         7 / 100 * (h (1 - (v 0%nat - v 2%nat)) ^ 2 + h (1 - (v 0%nat - v 3%nat)) ^ 2) +
         3 / 100 * (h (1 - (v 1%nat - v 2%nat)) ^ 2 + h (1 - (v 1%nat - v 3%nat)) ^ 2) +
         71 / 1000 * (h (1 - (v 2%nat - v 0%nat)) ^ 2 + h (1 - (v 2%nat - v 1%nat)) ^ 2
                      + h (1 - (v 2%nat - v 3%nat)) ^ 2) +
         1 / 100 * (h (1 - (v 3%nat - v 0%nat)) ^ 2 + h (1 - (v 3%nat - v 1%nat)) ^ 2
                    + h (1 - (v 3%nat - v 2%nat)) ^ 2)).
    { unfold u0, u1, u2 in *. lra. }
    split; [lra|]. intros E.
    assert (Q1 : q01 <= 0) by lra. assert (Q2 : q02 <= 0) by lra. assert (Q3 : q03 <= 0) by lra.
    unfold q01, q02, q03 in Q1, Q2, Q3.
    apply square_zero in Q1. apply square_zero in Q2. apply square_zero in Q3.
    clear - Q1 Q2 Q3.
    assert (V1 : 1 - (v 0%nat - v 1%nat) = 1 - (u0 - u1)) by (apply h_value; unfold u0, u1 in *; lra).
    assert (V2 : 1 - (v 0%nat - v 2%nat) = 1 - (u0 - u2)) by (apply h_value; unfold u0, u2 in *; lra).
    assert (V3 : 1 - (v 0%nat - v 3%nat) = 1 - u0) by (apply h_value; unfold u0 in *; lra).
    unfold u0, u1, u2 in *. repeat split; lra. }
  assert (Mi : misleads sum_sq together good_and_poor (167945039/144021275) with_two 0 2).
  { split; [apply two_sets_proper; [lra|lra|no_dup|no_dup]|].
    split; [apply two_sets_scored; every_score|].
    split; [split; [intros v _; apply Lo|]|].
    { exists (vec [4497660/5760851; 2213940/5760851; 4492711/5760851; 0]). split; auto.
      rewrite sum_sq_mixture. unfold vec. cbn [nth]. rewrite !h_pos by lra. field. }
    split; [exists (1/10); simpl; auto|].
    split; [simpl; auto|]. split; [simpl; auto|].
    split; [unfold good_and_poor, vec; simpl; lra|].
    intros v E. destruct (Lo v) as [_ U]. destruct (U E) as [U1 [U2 U3]].
    split; [lra|]. apply argmax_strict; [simpl; auto|]. intros c Hc Nc. all_of Hc. }
  split; auto. eapply misleads_inconsistent; eauto.
Qed.
