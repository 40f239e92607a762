(* The minimisers at the tie on the classes alone: calibration to first order leaves no direction in
   which their losses are constant, and two of them are farthest apart in their losses; in the
   direction of such a diameter, the losses of the best and of the worst minimiser are unique. Used by the
   impossibility theorems. No claim of its own. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Classical.
From Deferlab Require Import Sums Impossibility ImpossibilityAlgebra ImpossibilityLimits.
Import ListNotations.
Open Scope R_scope.

Section Diameter.
Variable n : nat.
Hypothesis n2 : (2 <= n)%nat.
Let A0 : list nat := seq 0 n.
Variable D : (nat -> R) -> Prop.
Variable f : nat -> (nat -> R) -> R.
Variables t lo C : R.
Hypothesis Pt : 0 < t.
Hypothesis inhabited : exists u, D u.
Hypothesis flo : forall a u, In a A0 -> D u -> lo <= f a u.
Let tie : nat -> R := fun _ => t.
Let O0 := minimises A0 f D tie.
Hypothesis first_order : forall d, sum A0 d = 0 -> exists P, O0 P /\
  forall v r b, O0 v -> is_argmax A0 v r -> In b A0 ->
  d b - d r <= C * (total A0 f d v - total A0 f d P).
Hypothesis compact0 : forall (S : nat -> (nat -> R) -> (nat -> R) -> Prop) (M : R),
  (forall k, exists u v, S k u v) ->
  (forall k u v, S k u v -> D u /\ D v /\ forall a, In a A0 -> f a u <= M /\ f a v <= M) ->
  exists X Y, D X /\ D Y /\ forall eta K, 0 < eta -> exists k u v, (K <= k)%nat /\ S k u v /\
  forall a, In a A0 -> Rabs (f a u - f a X) < eta /\ Rabs (f a v - f a Y) < eta.

Lemma nodup_classes : NoDup A0.
Proof. apply seq_NoDup. Qed.

(* No direction is flat on the minimisers without the expert. *)
Lemma not_flat c : (exists a, In a A0 /\ c a <> 0) -> sum A0 c = 0 ->
  exists u v, O0 u /\ O0 v /\ sum A0 (fun a => c a * (f a u - f a v)) <> 0.
Proof.
  intros [a0 [Ha0 Na0]] Sc. apply NNPP. intros N.
  assert (Flat : forall u v, O0 u -> O0 v -> total A0 f c u = total A0 f c v).
  { intros u v Ou Ov. apply NNPP. intros Ne. apply N. exists u, v. split; auto. split; auto.
    rewrite (sum_ext A0 _ (fun a => c a * f a u - c a * f a v)) by (intros; ring).
    rewrite sum_minus. unfold total in Ne. lra. }
  destruct (first_order c Sc) as [P [OP KP]].
  assert (Sc' : sum A0 (fun a => - c a) = 0) by (rewrite sum_opp, Sc; ring).
  destruct (first_order (fun a => - c a) Sc') as [P' [OP' KP']].
  assert (Ne : A0 <> nil) by (intros E; rewrite E in Ha0; destruct Ha0).
  destruct (argmax_exists A0 P Ne) as [r Hr].
  assert (Neg : forall u, total A0 f (fun a => - c a) u = - total A0 f c u).
  { intros u. unfold total. rewrite <- sum_opp. apply sum_ext. intros. ring. }
  assert (Const : forall b, In b A0 -> c b = c r).
  { intros b Hb. pose proof (KP P r b OP Hr Hb) as Q1. pose proof (KP' P r b OP Hr Hb) as Q2.
    rewrite !Neg, (Flat P P' OP OP') in Q2. nra. }
  rewrite (sum_ext A0 c (fun _ => c r)) in Sc by auto. rewrite sum_const in Sc.
  assert (0 < INR (length A0)) by (apply lt_0_INR; unfold A0; rewrite seq_length; lia).
  assert (c r = 0) by nra. apply Na0. rewrite (Const a0 Ha0). auto.
Qed.

Definition dist2 (x y : nat -> R) : R := sum A0 (fun a => (f a x - f a y) ^ 2).

Lemma values_bounded : exists M, forall x a, O0 x -> In a A0 -> f a x <= M.
Proof.
  destruct inhabited as [x0 D0].
  exists (lo + sum A0 (fun a => f a x0 - lo)). intros x a [Dx Mx] Ha.
  specialize (Mx x0 D0).
  assert (E : forall v, total A0 f tie v = t * (sum A0 (fun b => f b v - lo) + sum A0 (fun _ => lo))).
  { intros v. unfold total, tie. rewrite <- sum_plus, <- sum_scal. apply sum_ext. intros. ring. }
  rewrite !E in Mx. assert (sum A0 (fun b => f b x - lo) <= sum A0 (fun b => f b x0 - lo)) by nra.
  assert (f a x - lo <= sum A0 (fun b => f b x - lo)); [|lra].
  apply (sum_term_le A0 (fun b => f b x - lo) a); auto.
  intros b Hb. pose proof (flo b x Hb Dx). lra.
Qed.

(* Two points of O0 whose losses are farthest apart. *)
Lemma diameter : exists X Y, O0 X /\ O0 Y /\ 0 < dist2 X Y /\
  forall x y, O0 x -> O0 y -> dist2 x y <= dist2 X Y.
Proof.
  destruct values_bounded as [M HM].
  assert (Some2 : exists u v, O0 u /\ O0 v /\ 0 < dist2 u v).
  { set (c := fun a => if Nat.eqb a 0 then 1 else if Nat.eqb a 1 then -1 else 0).
    assert (H0 : In 0%nat A0) by (apply in_seq; lia).
    assert (H1 : In 1%nat A0) by (apply in_seq; lia).
    destruct (not_flat c) as [u [v [Ou [Ov Nz]]]].
    - exists 0%nat. split; auto. unfold c. simpl. lra.
    - rewrite (sum_ext A0 c (fun a => (if Nat.eqb a 0 then 1 else 0) + (if Nat.eqb a 1 then -1 else 0))).
      + rewrite sum_plus, (sum_single A0 0 (fun _ => 1) nodup_classes H0),
          (sum_single A0 1 (fun _ => -1) nodup_classes H1). ring.
      + intros a _. unfold c. destruct (Nat.eqb_spec a 0); destruct (Nat.eqb_spec a 1); try lra. lia.
    - exists u, v. split; auto. split; auto.
      apply nonneg_sum_pos; [intros; apply pow2_ge_0|]. intros Z. apply Nz. apply sum_zero.
      intros a Ha.
      pose proof (sum_nonneg_zero A0 (fun a => (f a u - f a v) ^ 2)
        ltac:(intros; apply pow2_ge_0) Z a Ha) as Q. cbv beta in Q.
      assert (f a u - f a v = 0) by nra. rewrite H. ring. }
  destruct Some2 as [u0 [v0 [Ou0 [Ov0 P0]]]].
  set (E := fun z => exists x y, O0 x /\ O0 y /\ z = dist2 x y).
  destruct (completeness E) as [sg [Up Least]].
  { exists (sum A0 (fun _ => (M - lo) ^ 2)). intros z [x [y [Ox [Oy ->]]]]. apply sum_le.
    intros a Ha. pose proof (HM x a Ox Ha). pose proof (HM y a Oy Ha).
    pose proof (flo a x Ha (proj1 Ox)). pose proof (flo a y Ha (proj1 Oy)). nra. }
  { exists (dist2 u0 v0). exists u0, v0. auto. }
  assert (Psg : 0 < sg).
  { apply Rlt_le_trans with (dist2 u0 v0); auto. apply Up. exists u0, v0. auto. }
  set (S := fun (k : nat) x y => O0 x /\ O0 y /\ sg - / (INR k + 1) <= dist2 x y).
  destruct (compact0 S M) as [X [Y [DX [DY Cl]]]].
  { intros k. apply NNPP. intros N.
    assert (Pk : 0 < / (INR k + 1)) by (apply Rinv_0_lt_compat; pose proof (pos_INR k); lra).
    enough (sg <= sg - / (INR k + 1)) by lra. apply Least. intros z [x [y [Ox [Oy ->]]]].
    destruct (Rle_dec (dist2 x y) (sg - / (INR k + 1))) as [|Q]; auto. exfalso. apply N.
    exists x, y. repeat split; try apply Ox; try apply Oy. lra. }
  { intros k x y [Ox [Oy _]]. split; [apply Ox|]. split; [apply Oy|].
    intros a Ha. split; apply HM; auto. }
  (* The limits are minimisers. *)
  assert (Min : forall Z, D Z -> (forall eta, 0 < eta -> exists z, O0 z /\
    forall a, In a A0 -> Rabs (f a z - f a Z) < eta) -> O0 Z).
  { intros Z DZ Cz. split; auto. intros v Dv.
    apply (le_eps _ _ (sum A0 (fun a => Rabs (tie a)))); [apply sum_nonneg; intros; apply Rabs_pos|].
    intros eta He. destruct (Cz eta ltac:(lra)) as [z [[Dz Mz] Cz']].
    pose proof (total_close A0 f tie z Z eta Cz') as Q.
    pose proof (Rle_abs (- (total A0 f tie z - total A0 f tie Z))) as Q2. rewrite Rabs_Ropp in Q2.
    specialize (Mz v Dv). lra. }
  assert (OX : O0 X).
  { apply Min; auto. intros eta He. destruct (Cl eta 0%nat He) as [k [x [y [_ [[Ox [Oy _]] Ca]]]]].
    exists x. split; auto. intros a Ha. apply (Ca a Ha). }
  assert (OY : O0 Y).
  { apply Min; auto. intros eta He. destruct (Cl eta 0%nat He) as [k [x [y [_ [[Ox [Oy _]] Ca]]]]].
    exists y. split; auto. intros a Ha. apply (Ca a Ha). }
  assert (Max : sg <= dist2 X Y).
  { set (c := sum A0 (fun a => 4 * Rabs (f a X - f a Y) + 4)).
    assert (Pc : 0 <= c).
    { apply sum_nonneg. intros a _. pose proof (Rabs_pos (f a X - f a Y)). lra. }
    apply (le_eps _ _ (c + 1)); [lra|]. intros eta He.
    destruct (archimed (/ eta)) as [Hu _].
    assert (Pz : (0 <= up (/ eta))%Z).
    { apply le_IZR. apply Rlt_le, Rle_lt_trans with (/ eta); [|lra].
      left. apply Rinv_0_lt_compat. lra. }
    destruct (IZN _ Pz) as [K EK]. rewrite EK, <- INR_IZR_INZ in Hu.
    destruct (Cl eta K ltac:(lra)) as [k [x [y [Hk [[Ox [Oy Dk]] Ca]]]]].
    assert (Ek : / (INR k + 1) <= eta).
    { apply le_INR in Hk. assert (Pi : 0 < / eta) by (apply Rinv_0_lt_compat; lra).
      rewrite <- (Rinv_inv eta). apply Rinv_le_contravar; lra. }
    assert (Dx : dist2 x y <= dist2 X Y + c * eta); [|lra].
    unfold dist2, c. rewrite <- sum_scal_r, <- sum_plus. apply sum_le. intros a Ha.
    destruct (Ca a Ha) as [C1 C2].
    set (p := f a x - f a y). set (q := f a X - f a Y).
    assert (Pq : Rabs (p - q) <= 2 * eta).
    { replace (p - q) with ((f a x - f a X) + - (f a y - f a Y)) by (unfold p, q; ring).
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
    set (h := p - q) in *. replace (p ^ 2) with (q ^ 2 + (2 * q * h + h * h)) by (unfold h; ring).
    assert (H1 : 2 * q * h <= 2 * (Rabs q * Rabs h)).
    { rewrite <- Rabs_mult. pose proof (Rle_abs (q * h)). lra. }
    assert (H2 : h * h = Rabs h * Rabs h) by (rewrite <- Rabs_mult, Rabs_right; [auto|nra]).
    pose proof (Rabs_pos q). pose proof (Rabs_pos h).
    assert (Rabs q * Rabs h <= Rabs q * (2 * eta)) by (apply Rmult_le_compat_l; auto).
    assert (Rabs h * Rabs h <= 4 * eta) by nra. lra. }
  exists X, Y. split; auto. split; auto. split; [lra|].
  intros x y Ox Oy. apply Rle_trans with sg; auto. apply Up. exists x, y. auto.
Qed.

Lemma positive_entry c :
  sum A0 c = 0 -> (exists a, In a A0 /\ c a <> 0) -> exists b, In b A0 /\ 0 < c b.
Proof.
  intros Sc [a [Ha Na]]. apply NNPP. intros N.
  assert (Neg : forall b, In b A0 -> 0 <= - c b).
  { intros b Hb. destruct (Rle_dec (c b) 0); [lra|]. exfalso. apply N. exists b. split; auto. lra. }
  assert (S0 : sum A0 (fun b => - c b) = 0) by (rewrite sum_opp, Sc; ring).
  pose proof (sum_nonneg_zero A0 (fun b => - c b) Neg S0 a Ha) as Q. cbv beta in Q. lra.
Qed.

(* A direction c with sum zero in which the worst losses (of Y) and the best (of X) are unique. *)
Lemma direction : exists c X Y, sum A0 c = 0 /\ (exists b, In b A0 /\ 0 < c b) /\
  (exists b, In b A0 /\ 0 < - c b) /\ O0 X /\ O0 Y /\
  (forall z, O0 z -> total A0 f c z <= total A0 f c Y -> forall a, In a A0 -> f a z = f a Y) /\
  (forall z, O0 z -> total A0 f (fun a => - c a) z <= total A0 f (fun a => - c a) X ->
     forall a, In a A0 -> f a z = f a X).
Proof.
  destruct diameter as [X [Y [OX [OY [Pd Far]]]]].
  set (c := fun a => f a X - f a Y).
  assert (Sc : sum A0 c = 0).
  { unfold c. rewrite sum_minus.
    assert (E : total A0 f tie X = total A0 f tie Y).
    { destruct OX as [DX MX]. destruct OY as [DY MY]. apply Rle_antisym; auto. }
    assert (ET : forall v, total A0 f tie v = t * sum A0 (fun a => f a v))
      by (intros v; unfold total, tie; apply sum_scal).
    rewrite !ET in E. apply Rmult_eq_reg_l in E; lra. }
  assert (Nc : exists a, In a A0 /\ c a <> 0).
  { apply NNPP. intros N. unfold dist2 in Pd. rewrite sum_zero in Pd; [lra|].
    intros a Ha. assert (Z : c a = 0) by (apply NNPP; intros Q; apply N; eauto).
    unfold c in Z. rewrite Z. ring. }
  assert (Sc' : sum A0 (fun a => - c a) = 0) by (rewrite sum_opp, Sc; ring).
  assert (Nc' : exists a, In a A0 /\ - c a <> 0).
  { destruct Nc as [a [Ha Na]]. exists a. split; auto. lra. }
  (* The ends of a diameter are the only extreme points in its direction. *)
  assert (Ends : forall X Y z, O0 X -> O0 Y -> O0 z ->
    (forall x y, O0 x -> O0 y -> dist2 x y <= dist2 X Y) ->
    sum A0 (fun a => (f a X - f a Y) * f a X) <= sum A0 (fun a => (f a X - f a Y) * f a z) ->
    forall a, In a A0 -> f a z = f a X).
  { intros U V z OU OV Oz FarUV Le.
    assert (Z : sum A0 (fun a => (f a z - f a U) ^ 2) = 0).
    { apply Rle_antisym; [|apply sum_nonneg; intros; apply pow2_ge_0].
      specialize (FarUV z V Oz OV). unfold dist2 in FarUV.
      assert (E : sum A0 (fun a => (f a z - f a U) ^ 2)
        = sum A0 (fun a => (f a z - f a V) ^ 2) - sum A0 (fun a => (f a U - f a V) ^ 2)
          - 2 * (sum A0 (fun a => (f a U - f a V) * f a z) - sum A0 (fun a => (f a U - f a V) * f a U))).
      { rewrite <- !sum_minus, <- sum_scal, <- sum_minus. apply sum_ext. intros. ring. }
      rewrite E. lra. }
    intros a Ha.
    pose proof (sum_nonneg_zero A0 (fun a => (f a z - f a U) ^ 2)
      ltac:(intros; apply pow2_ge_0) Z a Ha) as Q. cbv beta in Q. nra. }
  assert (Sym : forall x y, dist2 x y = dist2 y x)
    by (intros; unfold dist2; apply sum_ext; intros; ring).
  exists c, X, Y. split; auto. split; [apply positive_entry; auto|].
  split; [apply (positive_entry (fun a => - c a)); auto|]. split; auto. split; auto. split.
  - intros z Oz Le. apply (Ends Y X z OY OX Oz).
    + intros x y Ox Oy. rewrite (Sym Y X). auto.
    + unfold total, c in Le.
      rewrite (sum_ext A0 (fun a => (f a Y - f a X) * f a Y) (fun a => - ((f a X - f a Y) * f a Y)))
        by (intros; ring).
      rewrite (sum_ext A0 (fun a => (f a Y - f a X) * f a z) (fun a => - ((f a X - f a Y) * f a z)))
        by (intros; ring).
      rewrite !sum_opp. lra.
  - intros z Oz Le. apply (Ends X Y z OX OY Oz Far).
    unfold total, c in Le.
    rewrite (sum_ext A0 (fun a => - (f a X - f a Y) * f a z) (fun a => - ((f a X - f a Y) * f a z)))
      in Le by (intros; ring).
    rewrite (sum_ext A0 (fun a => - (f a X - f a Y) * f a X) (fun a => - ((f a X - f a Y) * f a X)))
      in Le by (intros; ring).
    rewrite !sum_opp in Le. lra.
Qed.
End Diameter.
