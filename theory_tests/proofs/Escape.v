(* What escapes the impossibility when losses need not depend on score differences only: two
   classes (actions 0 and 1), one expert (action 2) who comes and goes, convex losses built on four
   points, with minimisers common to both active sets for all scores and linear calibration with
   constant 4, which is attained. Claim: escape-without-shift-invariance. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Impossibility.
Import ListNotations.
Open Scope R_scope.

Definition alone : list nat := [0; 1]%nat.
Definition asked : list nat := [0; 1; 2]%nat.

(* Class 0 best, class 1 best, and the same with the expert best. *)
Definition point (x y z : R) : nat -> R := fun a => nth a [x; y; z] 0.
Definition P10 : nat -> R := point 1 0 0.
Definition P20 : nat -> R := point 0 1 0.
Definition P11 : nat -> R := point 1 0 2.
Definition P21 : nat -> R := point (1/2) (3/2) 2.

(* The points of their convex hull. *)
Definition in_hull (p : nat -> R) : Prop :=
  exists a b c d, 0 <= a /\ 0 <= b /\ 0 <= c /\ 0 <= d /\ a + b + c + d = 1 /\
  forall k, (k < 3)%nat -> p k = a * P10 k + b * P20 k + c * P11 k + d * P21 k.

Definition l1 (u p : nat -> R) : R := sum asked (fun a => Rabs (u a - p a)).

(* The l1 distance to the hull, an infimum. *)
Definition minus_dist (u : nat -> R) (x : R) : Prop := exists p, in_hull p /\ x = - l1 u p.

Lemma l1_nonneg u p : 0 <= l1 u p.
Proof. apply sum_nonneg. intros. apply Rabs_pos. Qed.

Lemma minus_dist_bound u : bound (minus_dist u).
Proof. exists 0. intros x [p [_ ->]]. pose proof (l1_nonneg u p). lra. Qed.

Lemma P10_in : in_hull P10.
Proof. exists 1, 0, 0, 0. repeat split; try lra. intros. ring. Qed.

Lemma minus_dist_some u : exists x, minus_dist u x.
Proof. exists (- l1 u P10). exists P10. split; auto. apply P10_in. Qed.

Definition dist (u : nat -> R) : R :=
  - proj1_sig (completeness (minus_dist u) (minus_dist_bound u) (minus_dist_some u)).

Lemma dist_is_inf u : is_inf_over in_hull (l1 u) (dist u).
Proof.
  unfold dist. destruct (completeness _ _ _) as [m [Up Least]]. simpl. split.
  - intros p Hp. specialize (Up (- l1 u p) ltac:(exists p; auto)). lra.
  - intros m' H. assert (m <= - m'); [|lra]. apply Least.
    intros x [p [Hp ->]]. specialize (H p Hp). lra.
Qed.

(* The losses. *)
Definition escape : Loss := fun A a u =>
  if mem 2 A then
    match a with
    | 0%nat => 2 - 2 * u 0%nat + u 2%nat / 2 + 2 * dist u
    | 1%nat => 2 * u 0%nat + 2 * dist u
    | _ => 1 - u 2%nat / 2 + 2 * dist u
    end
  else
    match a with
    | 0%nat => Rmax 0 (1 - (u 0%nat - u 1%nat))
    | _ => Rmax 0 (1 + (u 0%nat - u 1%nat))
    end.

Lemma risk_asked s u :
  risk escape asked s u
  = s 0%nat * (2 - 2 * u 0%nat + u 2%nat / 2 + 2 * dist u) + s 1%nat * (2 * u 0%nat + 2 * dist u)
  + s 2%nat * (1 - u 2%nat / 2 + 2 * dist u).
Proof. rewrite risk_eq. unfold escape, asked, mem. simpl. ring. Qed.

Lemma risk_alone s u :
  risk escape alone s u
  = s 0%nat * Rmax 0 (1 - (u 0%nat - u 1%nat)) + s 1%nat * Rmax 0 (1 + (u 0%nat - u 1%nat)).
Proof. rewrite risk_eq. unfold escape, alone, mem. simpl. ring. Qed.

Lemma l1_eq u p :
  l1 u p = Rabs (u 0%nat - p 0%nat) + Rabs (u 1%nat - p 1%nat) + Rabs (u 2%nat - p 2%nat).
Proof. unfold l1, asked. simpl. ring. Qed.

(* Lower bounds on the risk need only points of the hull. *)
Lemma dist_lower u c x :
  0 <= c -> (forall p, in_hull p -> x <= c * l1 u p) -> x <= c * dist u.
Proof.
  intros Pc H. destruct (dist_is_inf u) as [_ G].
  destruct Pc as [Pc|<-].
  - assert (x / c <= dist u).
    { apply G. intros p Hp. specialize (H p Hp). apply Rmult_le_reg_l with c; auto.
      replace (c * (x / c)) with x by (field; lra). auto. }
    replace x with (c * (x / c)) by (field; lra). apply Rmult_le_compat_l; lra.
  - specialize (H P10 P10_in). lra.
Qed.

Lemma dist_nonneg u : 0 <= dist u.
Proof. destruct (dist_is_inf u) as [_ G]. apply G. intros. apply l1_nonneg. Qed.

Lemma dist_zero p : in_hull p -> dist p = 0.
Proof.
  intros H. apply Rle_antisym; [|apply dist_nonneg].
  destruct (dist_is_inf p) as [L _]. specialize (L p H).
  rewrite l1_eq, !Rminus_eq_0, Rabs_R0 in L. lra.
Qed.

(* Calibration for scores that are 1 on some actions and 0 on the others; least is the least risk
   there. All other scores are combinations of three of these. *)
Definition ray (x0 x1 x2 least : R) : Prop :=
  forall u r, is_argmax asked u r ->
  let s := point x0 x1 x2 in
  (forall b, In b asked -> s b - s r <= 4 * (risk escape asked s u - least)) /\
  least <= risk escape asked s u.

Ltac abs_bounds x :=
  let H := fresh in let K := fresh in
  pose proof (Rle_abs x) as H; pose proof (Rle_abs (- x)) as K; rewrite Rabs_Ropp in K.

Lemma ray_if x0 x1 x2 least :
  0 <= x0 + x1 + x2 ->
  (forall u0 u1 u2 a b c d e0 e1 e2, 0 <= a -> 0 <= b -> 0 <= c -> 0 <= d -> a + b + c + d = 1 ->
     e0 >= u0 - (a + c + d / 2) -> e0 >= a + c + d / 2 - u0 ->
     e1 >= u1 - (b + 3 * d / 2) -> e1 >= b + 3 * d / 2 - u1 ->
     e2 >= u2 - (2 * c + 2 * d) -> e2 >= 2 * c + 2 * d - u2 ->
     let value := x0 * (2 - 2 * u0 + u2 / 2) + x1 * (2 * u0) + x2 * (1 - u2 / 2)
                  + 2 * (x0 + x1 + x2) * (e0 + e1 + e2) in
     least <= value /\
     (u1 <= u0 -> u2 <= u0 -> x1 - x0 <= 4 * (value - least) /\ x2 - x0 <= 4 * (value - least)) /\
     (u0 <= u1 -> u2 <= u1 -> x0 - x1 <= 4 * (value - least) /\ x2 - x1 <= 4 * (value - least)) /\
     (u0 <= u2 -> u1 <= u2 -> x0 - x2 <= 4 * (value - least) /\ x1 - x2 <= 4 * (value - least))) ->
  ray x0 x1 x2 least.
Proof.
  intros PS H u r [Hr M] s.
  assert (M0 : u 0%nat <= u r) by (apply M; simpl; auto).
  assert (M1 : u 1%nat <= u r) by (apply M; simpl; auto).
  assert (M2 : u 2%nat <= u r) by (apply M; simpl; auto).
  assert (G : forall y, (forall p, in_hull p ->
      y <= x0 * (2 - 2 * u 0%nat + u 2%nat / 2) + x1 * (2 * u 0%nat) + x2 * (1 - u 2%nat / 2)
                  + 2 * (x0 + x1 + x2) * l1 u p) -> y <= risk escape asked s u).
  { intros y Hy. rewrite risk_asked. unfold s, point. simpl.
    pose proof (dist_lower u (2 * (x0 + x1 + x2))
      (y - (x0 * (2 - 2 * u 0%nat + u 2%nat / 2) + x1 * (2 * u 0%nat) + x2 * (1 - u 2%nat / 2)))) as Dl.
    assert (y - (x0 * (2 - 2 * u 0%nat + u 2%nat / 2) + x1 * (2 * u 0%nat) + x2 * (1 - u 2%nat / 2))
            <= 2 * (x0 + x1 + x2) * dist u).
    { apply Dl; [lra|]. intros p Hp. specialize (Hy p Hp). lra. }
    lra. }
  assert (V : forall p, in_hull p ->
     let value := x0 * (2 - 2 * u 0%nat + u 2%nat / 2) + x1 * (2 * u 0%nat) + x2 * (1 - u 2%nat / 2)
                  + 2 * (x0 + x1 + x2) * l1 u p in
     least <= value /\
     (u 1%nat <= u 0%nat -> u 2%nat <= u 0%nat ->
        x1 - x0 <= 4 * (value - least) /\ x2 - x0 <= 4 * (value - least)) /\
     (u 0%nat <= u 1%nat -> u 2%nat <= u 1%nat ->
        x0 - x1 <= 4 * (value - least) /\ x2 - x1 <= 4 * (value - least)) /\
     (u 0%nat <= u 2%nat -> u 1%nat <= u 2%nat ->
        x0 - x2 <= 4 * (value - least) /\ x1 - x2 <= 4 * (value - least))).
  { intros p [a [b [c [d [Pa [Pb [Pc [Pd [E Ep]]]]]]]]]. rewrite l1_eq.
    pose proof (Ep 0%nat ltac:(lia)) as E0. pose proof (Ep 1%nat ltac:(lia)) as E1.
    pose proof (Ep 2%nat ltac:(lia)) as E2. unfold P10, P20, P11, P21, point in E0, E1, E2.
    simpl in E0, E1, E2.
    abs_bounds (u 0%nat - p 0%nat). abs_bounds (u 1%nat - p 1%nat). abs_bounds (u 2%nat - p 2%nat).
    apply (H (u 0%nat) (u 1%nat) (u 2%nat) a b c d); auto; lra. }
  split.
  - intros b Hb.
    assert (Q : (s b - s r) / 4 + least <= risk escape asked s u); [|lra].
    apply G. intros p Hp. destruct (V p Hp) as [V0 [Va [Vb Vc]]].
    unfold s, point.
    simpl in Hr. destruct Hr as [<-|[<-|[<-|[]]]]; simpl in Hb;
      destruct Hb as [<-|[<-|[<-|[]]]]; simpl;
      try (specialize (Va ltac:(lra) ltac:(lra))); try (specialize (Vb ltac:(lra) ltac:(lra)));
      try (specialize (Vc ltac:(lra) ltac:(lra))); lra.
  - apply G. intros p Hp. apply (V p Hp).
Qed.

Ltac one_ray :=
  apply ray_if; [lra|]; intros u0 u1 u2 a b c d e0 e1 e2 Pa Pb Pc Pd E A1 A2 B1 B2 C1 C2 value;
  unfold value; clear value; repeat split; intros; try split; lra.

Lemma ray_0 : ray 1 0 0 0. Proof. one_ray. Qed.
Lemma ray_1 : ray 0 1 0 0. Proof. one_ray. Qed.
Lemma ray_2 : ray 0 0 1 0. Proof. one_ray. Qed.
Lemma ray_01 : ray 1 1 0 2. Proof. one_ray. Qed.
Lemma ray_02 : ray 1 0 1 1. Proof. one_ray. Qed.
Lemma ray_12 : ray 0 1 1 1. Proof. one_ray. Qed.
Lemma ray_012 : ray 1 1 1 3. Proof. one_ray. Qed.

Lemma cone x0 x1 x2 lx y0 y1 y2 ly z0 z1 z2 lz al be ga s u r :
  ray x0 x1 x2 lx -> ray y0 y1 y2 ly -> ray z0 z1 z2 lz -> 0 <= al -> 0 <= be -> 0 <= ga ->
  s 0%nat = al * x0 + be * y0 + ga * z0 -> s 1%nat = al * x1 + be * y1 + ga * z1 ->
  s 2%nat = al * x2 + be * y2 + ga * z2 -> is_argmax asked u r ->
  (forall b, In b asked ->
     s b - s r <= 4 * (risk escape asked s u - (al * lx + be * ly + ga * lz))) /\
  al * lx + be * ly + ga * lz <= risk escape asked s u.
Proof.
  intros X Y Z Pa Pb Pg E0 E1 E2 Hr.
  destruct (X u r Hr) as [X1 X2]. destruct (Y u r Hr) as [Y1 Y2]. destruct (Z u r Hr) as [Z1 Z2].
  set (vx := risk escape asked (point x0 x1 x2) u) in *.
  set (vy := risk escape asked (point y0 y1 y2) u) in *.
  set (vz := risk escape asked (point z0 z1 z2) u) in *.
  assert (V : risk escape asked s u = al * vx + be * vy + ga * vz).
  { unfold vx, vy, vz. rewrite !risk_asked, E0, E1, E2. unfold point. simpl. field. }
  assert (Pt : forall b, In b asked ->
    s b = al * point x0 x1 x2 b + be * point y0 y1 y2 b + ga * point z0 z1 z2 b).
  { intros b Hb. simpl in Hb. destruct Hb as [<-|[<-|[<-|[]]]]; unfold point; simpl; auto. }
  rewrite V. split.
  - intros b Hb. rewrite (Pt b Hb), (Pt r (proj1 Hr)).
    specialize (X1 b Hb). specialize (Y1 b Hb). specialize (Z1 b Hb). nra.
  - nra.
Qed.

(* Right in an active set: whatever is on top has the largest score. *)
Definition right (A : list nat) (s v : nat -> R) : Prop :=
  forall a, is_argmax A v a -> is_argmax A s a.

Ltac tops :=
  let a := fresh "a" in let Ha := fresh "Ha" in let M := fresh "M" in
  intros a [Ha M];
  pose proof (M 0%nat ltac:(simpl; auto)); pose proof (M 1%nat ltac:(simpl; auto));
  try pose proof (M 2%nat ltac:(simpl; auto));
  unfold P10, P20, P11, P21, point in *; simpl in Ha;
  repeat (destruct Ha as [<-|Ha]);
  try (destruct Ha); simpl in *; try (exfalso; lra);
  (split; [simpl; auto|]; let b := fresh "b" in let Hb := fresh "Hb" in
   intros b Hb; simpl in Hb; repeat (destruct Hb as [<-|Hb]); try (destruct Hb); lra).

Lemma hull_points : in_hull P10 /\ in_hull P20 /\ in_hull P11 /\ in_hull P21.
Proof.
  split; [apply P10_in|]. split; [|split].
  - exists 0, 1, 0, 0. repeat split; try lra. intros. ring.
  - exists 0, 0, 1, 0. repeat split; try lra. intros. ring.
  - exists 0, 0, 0, 1. repeat split; try lra. intros. ring.
Qed.

Lemma values s :
  risk escape asked s P10 = 2 * s 1%nat + s 2%nat /\
  risk escape asked s P20 = 2 * s 0%nat + s 2%nat /\
  risk escape asked s P11 = s 0%nat + 2 * s 1%nat /\
  risk escape asked s P21 = 2 * s 0%nat + s 1%nat.
Proof.
  destruct hull_points as [H1 [H2 [H3 H4]]].
  rewrite !risk_asked, (dist_zero _ H1), (dist_zero _ H2), (dist_zero _ H3), (dist_zero _ H4).
  unfold P10, P20, P11, P21, point. simpl. repeat split; field.
Qed.

Lemma alone_lower s u :
  0 <= s 0%nat -> 0 <= s 1%nat ->
  2 * Rmin (s 0%nat) (s 1%nat) <= risk escape alone s u /\
  (forall r, is_argmax alone u r -> forall b, In b alone ->
     s b - s r <= risk escape alone s u - 2 * Rmin (s 0%nat) (s 1%nat)).
Proof.
  intros Q0 Q1. rewrite risk_alone. set (d := u 0%nat - u 1%nat).
  pose proof (Rmax_l 0 (1 - d)). pose proof (Rmax_r 0 (1 - d)).
  pose proof (Rmax_l 0 (1 + d)). pose proof (Rmax_r 0 (1 + d)).
  pose proof (Rmin_l (s 0%nat) (s 1%nat)). pose proof (Rmin_r (s 0%nat) (s 1%nat)).
  set (p := Rmax 0 (1 - d)) in *. set (q := Rmax 0 (1 + d)) in *. set (m := Rmin _ _) in *.
  assert (m = s 0%nat \/ m = s 1%nat) by (unfold m, Rmin; destruct (Rle_dec _ _); auto).
  split; [nra|]. intros r [Hr M] b Hb.
  pose proof (M 0%nat ltac:(simpl; auto)). pose proof (M 1%nat ltac:(simpl; auto)).
  simpl in Hr, Hb.
  destruct Hr as [<-|[<-|[]]]; destruct Hb as [<-|[<-|[]]]; unfold d in *; nra.
Qed.

Lemma alone_values s :
  risk escape alone s P10 = 2 * s 1%nat /\ risk escape alone s P20 = 2 * s 0%nat /\
  risk escape alone s P11 = 2 * s 1%nat /\ risk escape alone s P21 = 2 * s 0%nat.
Proof.
  rewrite !risk_alone. unfold P10, P20, P11, P21, point. simpl.
  repeat split;
  match goal with |- context [Rmax 0 ?x] => idtac end;
  repeat (first [rewrite Rmax_left by lra | rewrite Rmax_right by lra]); lra.
Qed.

(* One of the four points is optimal with and without the expert, right in both, and no vector is
   much better calibrated than it has to be. *)
Lemma common_minimiser s :
  (forall a, In a asked -> 0 <= s a) ->
  exists v, In v [P10; P20; P11; P21] /\
  (forall u, risk escape alone s v <= risk escape alone s u) /\
  (forall u, risk escape asked s v <= risk escape asked s u) /\
  right alone s v /\ right asked s v /\
  (forall u r, is_argmax alone u r -> forall b, In b alone ->
     s b - s r <= risk escape alone s u - risk escape alone s v) /\
  (forall u r, is_argmax asked u r -> forall b, In b asked ->
     s b - s r <= 4 * (risk escape asked s u - risk escape asked s v)).
Proof.
  intros Ps.
  assert (Q0 : 0 <= s 0%nat) by (apply Ps; simpl; auto).
  assert (Q1 : 0 <= s 1%nat) by (apply Ps; simpl; auto).
  assert (Q2 : 0 <= s 2%nat) by (apply Ps; simpl; auto).
  destruct (values s) as [V1 [V2 [V3 V4]]]. destruct (alone_values s) as [A1 [A2 [A3 A4]]].
  assert (G : forall v x0 x1 x2 lx y0 y1 y2 ly al be,
    ray x0 x1 x2 lx -> ray y0 y1 y2 ly -> 0 <= al -> 0 <= be ->
    let ga := Rmin (Rmin (s 0%nat) (s 1%nat)) (s 2%nat) in
    s 0%nat = al * x0 + be * y0 + ga -> s 1%nat = al * x1 + be * y1 + ga ->
    s 2%nat = al * x2 + be * y2 + ga ->
    In v [P10; P20; P11; P21] ->
    risk escape asked s v = al * lx + be * ly + 3 * ga ->
    risk escape alone s v = 2 * Rmin (s 0%nat) (s 1%nat) ->
    right alone s v -> right asked s v ->
    exists v, In v [P10; P20; P11; P21] /\
    (forall u, risk escape alone s v <= risk escape alone s u) /\
    (forall u, risk escape asked s v <= risk escape asked s u) /\
    right alone s v /\ right asked s v /\
    (forall u r, is_argmax alone u r -> forall b, In b alone ->
       s b - s r <= risk escape alone s u - risk escape alone s v) /\
    (forall u r, is_argmax asked u r -> forall b, In b asked ->
       s b - s r <= 4 * (risk escape asked s u - risk escape asked s v))).
  { intros v x0 x1 x2 lx y0 y1 y2 ly al be RX RY Pa Pb ga E0 E1 E2 Hv Ra Rl T1 T2. exists v.
    assert (Pg : 0 <= ga) by (unfold ga; repeat apply Rmin_glb; auto).
    split; auto.
    assert (C : forall u r, is_argmax asked u r ->
      (forall b, In b asked -> s b - s r <= 4 * (risk escape asked s u - risk escape asked s v)) /\
      risk escape asked s v <= risk escape asked s u).
    { intros u r Hr. rewrite Ra.
      destruct (cone x0 x1 x2 lx y0 y1 y2 ly 1 1 1 3 al be ga s u r) as [C1 C2]; auto using ray_012;
        try lra.
      split; [|lra]. intros b Hb. specialize (C1 b Hb). lra. }
    rewrite Rl. split; [|split; [|split; [|split; [|split]]]]; auto.
    - intros u. apply alone_lower; auto.
    - intros u. destruct (argmax_exists asked u) as [r Hr]; [unfold asked; congruence|].
      apply (C u r Hr).
    - intros u r Hr b Hb. apply (alone_lower s u Q0 Q1); auto.
    - intros u r Hr b Hb. apply (C u r Hr); auto. }
  destruct (Rle_dec (s 1%nat) (s 0%nat)) as [L01|L01]; [|apply Rnot_le_lt in L01].
  - destruct (Rle_dec (s 2%nat) (s 0%nat)) as [L20|L20]; [|apply Rnot_le_lt in L20].
    + destruct (Rle_dec (s 2%nat) (s 1%nat)) as [L21|L21]; [|apply Rnot_le_lt in L21].
      * apply (G P10 1 0 0 0 1 1 0 2 (s 0%nat - s 1%nat) (s 1%nat - s 2%nat)); auto using ray_0, ray_01;
          try lra; try (rewrite ?(Rmin_right (s 0%nat)), ?Rmin_right by lra; lra); simpl; auto; tops.
      * apply (G P10 1 0 0 0 1 0 1 1 (s 0%nat - s 2%nat) (s 2%nat - s 1%nat)); auto using ray_0, ray_02;
          try lra; try (rewrite ?(Rmin_right (s 0%nat)), ?Rmin_left by lra; lra); simpl; auto; tops.
    + apply (G P11 0 0 1 0 1 0 1 1 (s 2%nat - s 0%nat) (s 0%nat - s 1%nat)); auto using ray_2, ray_02;
        try lra; try (rewrite ?(Rmin_right (s 0%nat)), ?Rmin_left by lra; lra); simpl; auto; tops.
  - destruct (Rle_dec (s 2%nat) (s 1%nat)) as [L21|L21]; [|apply Rnot_le_lt in L21].
    + destruct (Rle_dec (s 2%nat) (s 0%nat)) as [L20|L20]; [|apply Rnot_le_lt in L20].
      * apply (G P20 0 1 0 0 1 1 0 2 (s 1%nat - s 0%nat) (s 0%nat - s 2%nat)); auto using ray_1, ray_01;
          try lra; try (rewrite ?(Rmin_left (s 0%nat)), ?Rmin_right by lra; lra); simpl; auto; tops.
      * apply (G P20 0 1 0 0 0 1 1 1 (s 1%nat - s 2%nat) (s 2%nat - s 0%nat)); auto using ray_1, ray_12;
          try lra; try (rewrite ?(Rmin_left (s 0%nat)), ?Rmin_left by lra; lra); simpl; auto; tops.
    + apply (G P21 0 0 1 0 0 1 1 1 (s 2%nat - s 1%nat) (s 1%nat - s 0%nat)); auto using ray_2, ray_12;
        try lra; try (rewrite ?(Rmin_left (s 0%nat)), ?Rmin_left by lra; lra); simpl; auto; tops.
Qed.

(* Convexity. *)
Lemma dist_convex : convex_on (fun _ : nat -> R => True) dist.
Proof.
  intros t u v w Ht _ _ Cw.
  assert (H : forall p q, in_hull p -> in_hull q -> dist w <= t * l1 u p + (1 - t) * l1 v q).
  { intros p q [a [b [c [d [Pa [Pb [Pc [Pd [E Ep]]]]]]]]] [a' [b' [c' [d' [Pa' [Pb' [Pc' [Pd' [E' Ep']]]]]]]]].
    set (m := fun k => t * p k + (1 - t) * q k).
    assert (Hm : in_hull m).
    { exists (t * a + (1 - t) * a'), (t * b + (1 - t) * b'), (t * c + (1 - t) * c'), (t * d + (1 - t) * d').
      repeat split; try nra. intros k Hk. unfold m. rewrite (Ep k Hk), (Ep' k Hk). ring. }
    destruct (dist_is_inf w) as [L _]. specialize (L m Hm).
    eapply Rle_trans; [exact L|]. unfold l1. rewrite <- !sum_scal, <- sum_plus. apply sum_le.
    intros k _. unfold m. rewrite (Cw k).
    replace (t * u k + (1 - t) * v k - (t * p k + (1 - t) * q k))
      with (t * (u k - p k) + (1 - t) * (v k - q k)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_right t), (Rabs_right (1 - t)) by lra.
    lra. }
  assert (H1 : forall q, in_hull q -> dist w - t * dist u <= (1 - t) * l1 v q).
  { intros q Hq. pose proof (dist_lower u t (dist w - (1 - t) * l1 v q)) as Q.
    assert (dist w - (1 - t) * l1 v q <= t * dist u); [|lra].
    apply Q; [lra|]. intros p Hp. specialize (H p q Hp Hq). lra. }
  pose proof (dist_lower v (1 - t) (dist w - t * dist u) ltac:(lra) H1). lra.
Qed.

Lemma max_convex t x y : 0 <= t <= 1 -> Rmax 0 (t * x + (1 - t) * y) <= t * Rmax 0 x + (1 - t) * Rmax 0 y.
Proof.
  intros H. pose proof (Rmax_l 0 x). pose proof (Rmax_r 0 x). pose proof (Rmax_l 0 y).
  pose proof (Rmax_r 0 y). apply Rmax_lub; nra.
Qed.

Lemma escape_convex A a : convex_on (fun _ => True) (escape A a).
Proof.
  intros t u v w Ht _ _ Cw. pose proof (dist_convex t u v w Ht I I Cw) as Dc. unfold escape.
  destruct (mem 2 A).
  - destruct a as [|[|a]]; rewrite ?(Cw 0%nat), ?(Cw 2%nat); lra.
  - destruct a as [|a]; rewrite (Cw 0%nat), (Cw 1%nat).
    + eapply Rle_trans; [|apply max_convex; auto]. right. f_equal. ring.
    + eapply Rle_trans; [|apply max_convex; auto]. right. f_equal. ring.
Qed.

(* The losses are not negative: the scores 1, 0, 0 and so on. *)
Lemma escape_nonneg A a u : In A [alone; asked] -> In a A -> 0 <= escape A a u.
Proof.
  intros [<-|[<-|[]]] Ha.
  - unfold escape. simpl in Ha. destruct Ha as [<-|[<-|[]]]; simpl; apply Rmax_l.
  - destruct (argmax_exists asked u) as [r Hr]; [unfold asked; congruence|].
    destruct (ray_0 u r Hr) as [_ R0]. destruct (ray_1 u r Hr) as [_ R1].
    destruct (ray_2 u r Hr) as [_ R2]. rewrite risk_asked in R0, R1, R2.
    unfold point in R0, R1, R2. simpl in R0, R1, R2. unfold escape.
    simpl in Ha. destruct Ha as [<-|[<-|[<-|[]]]]; simpl; lra.
Qed.

(* claim: escape-without-shift-invariance *)
Theorem convex_losses_with_common_minimisers_and_calibration_four :
  (forall A a, In A [alone; asked] -> In a A ->
     convex_on (fun _ => True) (escape A a) /\ forall u, 0 <= escape A a u) /\
  (forall s, (forall a, In a asked -> 0 <= s a) ->
     exists v, In v [P10; P20; P11; P21] /\
     forall A, In A [alone; asked] ->
       right A s v /\ forall u, risk escape A s v <= risk escape A s u) /\
  (forall s, (forall a, In a asked -> 0 <= s a) ->
     forall A, In A [alone; asked] -> forall u r, is_argmax A u r ->
     forall m, is_inf_over (fun _ => True) (risk escape A s) m ->
     forall b, In b A -> s b - s r <= 4 * (risk escape A s u - m)) /\
  (let s := point (1/2) (1/2) 0 in let u := point (1/2) (1/2) (1/2) in
   is_min_over (fun _ => True) (risk escape asked s) 1 /\ is_argmax asked u 2 /\
   s 0%nat - s 2%nat = 1/2 /\ 1/2 = 4 * (risk escape asked s u - 1)).
Proof.
  split; [|split; [|split]].
  - intros A a HA Ha. split; [apply escape_convex|]. intros u. apply escape_nonneg; auto.
  - intros s Ps. destruct (common_minimiser s Ps) as [v [Hv [L1 [L2 [T1 [T2 _]]]]]].
    exists v. split; auto. intros A [<-|[<-|[]]]; auto.
  - intros s Ps A HA u r Hr m [Lm _] b Hb.
    destruct (common_minimiser s Ps) as [v [_ [L1 [L2 [_ [_ [C1 C2]]]]]]].
    destruct HA as [<-|[<-|[]]].
    + specialize (C1 u r Hr b Hb). specialize (Lm v I). specialize (L1 u).
      assert (s b - s r <= risk escape alone s u - m) by lra.
      assert (0 <= risk escape alone s u - m) by lra. lra.
    + specialize (C2 u r Hr b Hb). specialize (Lm v I). lra.
  - intros s u. destruct (values s) as [V1 _].
    destruct (common_minimiser s) as [v [Hv [_ [L2 _]]]].
    { intros a Ha. simpl in Ha. unfold s, point.
      destruct Ha as [<-|[<-|[<-|[]]]]; simpl; lra. }
    assert (Hu : in_hull u).
    { exists (1/4), (1/2), (1/4), 0. repeat split; try lra. intros k Hk.
      unfold u, P10, P20, P11, P21, point.
      destruct k as [|[|[|k]]]; simpl; try lra; lia. }
    assert (V : risk escape asked s u = 9/8).
    { rewrite risk_asked, (dist_zero u Hu). unfold s, u, point. simpl. field. }
    split; [split|split; [|split]].
    + intros w _. apply Rle_trans with (risk escape asked s v); [|apply L2].
      destruct (values s) as [W1 [W2 [W3 W4]]]. simpl in Hv.
      destruct Hv as [<-|[<-|[<-|[<-|[]]]]]; rewrite ?W1, ?W2, ?W3, ?W4;
        unfold s, point; simpl; lra.
    + exists P10. split; auto. rewrite V1. unfold s, point. simpl. lra.
    + split; [simpl; auto|]. intros b Hb. simpl in Hb. unfold u, point.
      destruct Hb as [<-|[<-|[<-|[]]]]; simpl; lra.
    + unfold s, point. simpl. lra.
    + rewrite V. lra.
Qed.
