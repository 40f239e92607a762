(* Why no convex loss on score differences saves linear calibration and a zero gap together when an
   expert comes and goes: the core of the argument, for any finite set of actions and any real
   vector space (written as real functions on any set X; only a convex part D of it is used).

   Four points, each optimal on its closed cell of score vectors near the tie: P0 where class i is
   best of all, P1 where the expert is best and i is the best class, Q0 and Q1 likewise with class
   j. If they share the class part, that is, P1 and P0 differ by a positive multiple of the same
   direction as Q1 and Q0 (raise the expert's score), then no constant C calibrates: the excess
   risk of having the expert on top cannot be bounded below both at P1 and at Q1. Claim:
   no-convex-repair-core. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums.
Import ListNotations.
Open Scope R_scope.

Section Convexity.
Context {X : Type}.
Implicit Types (u v w : X -> R) (D : (X -> R) -> Prop) (f : (X -> R) -> R).

(* w = t u + (1 - t) v. *)
Definition combination (t : R) u v w : Prop := forall x, w x = t * u x + (1 - t) * v x.

Definition convex_set D : Prop :=
  forall t u v w, 0 <= t <= 1 -> D u -> D v -> combination t u v w -> D w.

Definition convex_on D f : Prop :=
  forall t u v w, 0 <= t <= 1 -> D u -> D v -> combination t u v w ->
  f w <= t * f u + (1 - t) * f v.

(* Conditional risk of a point under scores s. *)
Definition total (acts : list nat) (phi : nat -> (X -> R) -> R) (s : nat -> R) u : R :=
  sum acts (fun a => s a * phi a u).

Definition minimises (acts : list nat) (phi : nat -> (X -> R) -> R) D (s : nat -> R) u : Prop :=
  D u /\ forall v, D v -> total acts phi s u <= total acts phi s v.

(* Between minimisers every loss with a positive score is affine. *)
Lemma affine_on_minimisers acts phi D s t u v w :
  convex_set D -> (forall a, In a acts -> convex_on D (phi a)) ->
  (forall a, In a acts -> 0 < s a) -> 0 <= t <= 1 ->
  minimises acts phi D s u -> minimises acts phi D s v -> combination t u v w ->
  forall a, In a acts -> phi a w = t * phi a u + (1 - t) * phi a v.
Proof.
  intros CD Cf Ps Ht [Du Mu] [Dv Mv] Cw.
  assert (Dw : D w) by (apply (CD t u v w); auto).
  set (g := fun a => s a * (t * phi a u + (1 - t) * phi a v - phi a w)).
  assert (G : forall a, In a acts -> 0 <= g a).
  { intros a Ha. unfold g. specialize (Cf a Ha t u v w Ht Du Dv Cw). specialize (Ps a Ha). nra. }
  assert (Z : sum acts g = 0).
  { assert (E : sum acts g = t * total acts phi s u + (1 - t) * total acts phi s v - total acts phi s w).
    { unfold total. rewrite <- !sum_scal, <- sum_plus, <- sum_minus.
      apply sum_ext. intros. unfold g. ring. }
    assert (0 <= sum acts g) by (apply sum_nonneg; auto).
    specialize (Mu v Dv). pose proof (Mv u Du). pose proof (Mv w Dw). nra. }
  intros a Ha. pose proof (sum_nonneg_zero acts g G Z a Ha) as Ga. unfold g in Ga.
  specialize (Ps a Ha). nra.
Qed.

(* One slope on parallel segments between minimisers. *)
Lemma parallel_slopes acts phi D s P0 P1 Q0 Q1 w al be :
  convex_set D -> (forall a, In a acts -> convex_on D (phi a)) ->
  (forall a, In a acts -> 0 < s a) -> 0 < al -> 0 < be ->
  (forall x, P1 x = P0 x + al * w x) -> (forall x, Q1 x = Q0 x + be * w x) ->
  minimises acts phi D s P0 -> minimises acts phi D s P1 ->
  minimises acts phi D s Q0 -> minimises acts phi D s Q1 ->
  forall a, In a acts -> be * (phi a P1 - phi a P0) = al * (phi a Q1 - phi a Q0).
Proof.
  intros CD Cf Ps Pal Pbe EP EQ MP0 MP1 MQ0 MQ1 a Ha.
  (* The same point on the two diagonals. *)
  set (t := be / (al + be)).
  assert (Et : t * (al + be) = be) by (unfold t; field; lra).
  assert (Ht : 0 <= t <= 1) by (split; nra).
  set (m := fun x => t * P1 x + (1 - t) * Q0 x).
  assert (A1 : phi a m = t * phi a P1 + (1 - t) * phi a Q0).
  { apply (affine_on_minimisers acts phi D s t P1 Q0 m); auto. intros x. reflexivity. }
  assert (A2 : phi a m = t * phi a P0 + (1 - t) * phi a Q1).
  { apply (affine_on_minimisers acts phi D s t P0 Q1 m); auto. intros x. unfold m. rewrite EP, EQ.
    replace (t * (P0 x + al * w x)) with (t * P0 x + (t * al) * w x) by ring.
    replace ((1 - t) * (Q0 x + be * w x)) with ((1 - t) * Q0 x + ((1 - t) * be) * w x) by ring.
    replace ((1 - t) * be) with (t * al) by nra. ring. }
  assert (E : t * (phi a P1 - phi a P0) = (1 - t) * (phi a Q1 - phi a Q0)) by lra.
  assert (H1 : (al + be) * t = be) by lra. assert (H2 : (al + be) * (1 - t) = al) by lra.
  transitivity ((al + be) * (t * (phi a P1 - phi a P0))).
  { rewrite <- Rmult_assoc, H1. reflexivity. }
  rewrite E, <- Rmult_assoc, H2. reflexivity.
Qed.
End Convexity.

(* A point u of D, where action r is on top, is calibrated with constant C for the scores s: what r
   loses against the best action is at most C times the excess risk of u. *)
Definition calibrated {X} (acts : list nat) (phi : nat -> (X -> R) -> R) (D : (X -> R) -> Prop)
    (C : R) (s : nat -> R) (u : X -> R) (r : nat) : Prop :=
  forall m, is_inf_over D (total acts phi s) m ->
  forall b, In b acts -> s b - s r <= C * (total acts phi s u - m).

(* Scores within rad of the tie at which every action is worth t. *)
Definition near_tie (acts : list nat) (t rad : R) (s : nat -> R) : Prop :=
  forall a, In a acts -> Rabs (s a - t) <= rad.

(* The closed cells: k is best of all; e is best of all and k of the others. *)
Definition class_best (acts : list nat) (k : nat) (s : nat -> R) : Prop := is_argmax acts s k.
Definition expert_best (acts : list nat) (e k : nat) (s : nat -> R) : Prop :=
  is_argmax acts s e /\ is_argmax (others acts e) s k.

Lemma minimum_is_inf {X} acts (phi : nat -> (X -> R) -> R) D s u :
  minimises acts phi D s u -> is_inf_over D (total acts phi s) (total acts phi s u).
Proof. intros [Du M]. split; auto. Qed.

(* The tie tilted towards i and away from j. *)
Definition tilt (t : R) (i j : nat) (d : R) : nat -> R :=
  fun a => if Nat.eqb a i then t + d else if Nat.eqb a j then t - d else t.

Lemma tilt_total {X} acts (phi : nat -> (X -> R) -> R) t i j d u :
  NoDup acts -> In i acts -> In j acts -> i <> j ->
  total acts phi (tilt t i j d) u
  = total acts phi (fun _ => t) u + d * (phi i u - phi j u).
Proof.
  intros N Hi Hj Nij. unfold total.
  rewrite (sum_ext acts _ (fun a => t * phi a u
    + ((if Nat.eqb a i then d * phi a u else 0) + (if Nat.eqb a j then - d * phi a u else 0)))).
  - rewrite sum_plus, sum_plus, (sum_single acts i (fun a => d * phi a u) N Hi),
      (sum_single acts j (fun a => - d * phi a u) N Hj). ring.
  - intros a _. unfold tilt. destruct (Nat.eqb_spec a i); destruct (Nat.eqb_spec a j); subst; try ring.
    congruence.
Qed.

(* claim: no-convex-repair-core *)
Theorem four_shared_minimisers_are_not_calibrated :
  forall (X : Type) (D : (X -> R) -> Prop) (acts : list nat) (phi : nat -> (X -> R) -> R)
         (t rad : R) (e i j : nat) (P0 P1 Q0 Q1 up : X -> R) (al be : R),
  NoDup acts -> In e acts -> In i acts -> In j acts -> i <> j -> i <> e -> j <> e ->
  convex_set D -> (forall a, In a acts -> convex_on D (phi a)) ->
  0 < t -> 0 < rad ->
  (forall s, near_tie acts t rad s -> class_best acts i s -> minimises acts phi D s P0) ->
  (forall s, near_tie acts t rad s -> expert_best acts e i s -> minimises acts phi D s P1) ->
  (forall s, near_tie acts t rad s -> class_best acts j s -> minimises acts phi D s Q0) ->
  (forall s, near_tie acts t rad s -> expert_best acts e j s -> minimises acts phi D s Q1) ->
  0 < al -> (forall x, P1 x = P0 x + al * up x) ->
  0 < be -> (forall x, Q1 x = Q0 x + be * up x) ->
  forall C,
  ~ (forall s, near_tie acts t rad s ->
       calibrated acts phi D C s P1 e /\ calibrated acts phi D C s Q1 e).
Proof.
  intros X D acts phi t rad e i j P0 P1 Q0 Q1 up al be N He Hi Hj Nij Nie Nje CD Cf Pt Pr
    MP0 MP1 MQ0 MQ1 Pal EP Pbe EQ C Cal.
  set (tie := fun _ : nat => t).
  assert (NT : near_tie acts t rad tie).
  { intros a _. unfold tie. rewrite Rminus_eq_0, Rabs_R0. lra. }
  assert (Best : forall k, In k acts -> class_best acts k tie).
  { intros k Hk. split; auto. intros. unfold tie. lra. }
  assert (EBest : forall k, In k acts -> k <> e -> expert_best acts e k tie).
  { intros k Hk Nk. split; [apply Best; auto|]. split; [apply others_in; auto|].
    intros. unfold tie. lra. }
  assert (Tilted : forall a b, In a acts -> In b acts -> a <> b ->
    near_tie acts t rad (tilt t a b rad) /\ class_best acts a (tilt t a b rad)).
  { intros a b Ha Hb Nab. split.
    - intros c _. unfold tilt. destruct (Nat.eqb c a); [|destruct (Nat.eqb c b)].
      + replace (t + rad - t) with rad by ring. rewrite Rabs_right; lra.
      + replace (t - rad - t) with (- rad) by ring. rewrite Rabs_Ropp, Rabs_right; lra.
      + rewrite Rminus_eq_0, Rabs_R0. lra.
    - split; auto. intros c _. unfold tilt. rewrite Nat.eqb_refl.
      destruct (Nat.eqb c a); [lra|]. destruct (Nat.eqb c b); lra. }
  (* What calibration asks of the two segments. *)
  assert (Ask : forall a b S0 S1, In a acts -> In b acts -> a <> b -> a <> e -> b <> e ->
    (forall s, near_tie acts t rad s -> class_best acts a s -> minimises acts phi D s S0) ->
    minimises acts phi D tie S1 ->
    (forall s, near_tie acts t rad s -> calibrated acts phi D C s S1 e) ->
    1 <= C * ((phi a S1 - phi a S0) - (phi b S1 - phi b S0))).
  { intros a b S0 S1 Ha Hb Nab Nae Nbe M0 M1 Cs.
    destruct (Tilted a b Ha Hb Nab) as [Nt Ct].
    pose proof (Cs _ Nt _ (minimum_is_inf acts phi D _ S0 (M0 _ Nt Ct)) a Ha) as Q.
    rewrite !tilt_total in Q by auto.
    assert (E : total acts phi tie S1 = total acts phi tie S0).
    { destruct (M0 tie NT (Best a Ha)) as [D0 L0]. destruct M1 as [D1 L1].
      apply Rle_antisym; auto. }
    fold tie in Q. rewrite E in Q.
    unfold tilt in Q. rewrite Nat.eqb_refl in Q.
    destruct (Nat.eqb_spec e a); [congruence|]. destruct (Nat.eqb_spec e b); [congruence|].
    apply Rmult_le_reg_l with rad; auto. nra. }
  assert (AP : 1 <= C * ((phi i P1 - phi i P0) - (phi j P1 - phi j P0))).
  { apply Ask; auto. intros s Ns. apply (Cal s Ns). }
  assert (AQ : 1 <= C * ((phi j Q1 - phi j Q0) - (phi i Q1 - phi i Q0))).
  { apply Ask; auto. intros s Ns. apply (Cal s Ns). }
  assert (Slope : forall a, In a acts ->
    be * (phi a P1 - phi a P0) = al * (phi a Q1 - phi a Q0)).
  { apply (parallel_slopes acts phi D tie P0 P1 Q0 Q1 up al be); auto. }
  pose proof (Slope i Hi) as Si. pose proof (Slope j Hj) as Sj.
  set (a1 := phi i P1 - phi i P0) in *. set (a2 := phi j P1 - phi j P0) in *.
  set (b1 := phi i Q1 - phi i Q0) in *. set (b2 := phi j Q1 - phi j Q0) in *.
  assert (B1 : be <= C * (be * a1 - be * a2)) by nra.
  assert (B2 : al <= C * (al * b2 - al * b1)) by nra.
  rewrite Si, Sj in B1. lra.
Qed.
