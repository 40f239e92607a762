(* What it means that a surrogate has the calibration function Gamma (the pointwise bound that
   Thm 5.1 assumes and App. E states surrogate by surrogate), and what the files about single
   surrogates share.

   No theorem of this file stands for a claim. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions.
Import ListNotations.
Open Scope R_scope.

(* Any score vector. *)
Definition all_scores (u : nat -> R) : Prop := True.

(* For every distribution s on the active actions and all scores u of the domain whose largest
   entry is r (whatever the rule for ties): the zero-one gap of r is at most Gamma of the surrogate
   gap. The infimum is over the domain; it exists (risk_inf_exists below). *)
Definition calibrated (phi : Loss) (domain : (nat -> R) -> Prop) (A : list nat) (Gamma : R -> R)
  : Prop :=
  forall (s u : nat -> R) (r : nat) (i : R),
    is_dist A s -> domain u -> is_argmax A u r -> is_inf_over domain (risk phi A s) i ->
    largest A s - s r <= Gamma (risk phi A s u - i).

(* r is the only largest entry: no rule for ties can matter. *)
Definition only_argmax (A : list nat) (u : nat -> R) (r : nat) : Prop :=
  In r A /\ forall b, In b A -> b <> r -> u b < u r.

Lemma only_argmax_is A u r : only_argmax A u r -> is_argmax A u r.
Proof.
  intros [H M]. split; auto. intros b Hb. destruct (Nat.eq_dec b r) as [->|N]; [lra|].
  left. auto.
Qed.

(* Infima exist for whatever is bounded below. *)
Lemma inf_exists {X} (P : X -> Prop) (f : X -> R) (lo : R) :
  (exists x, P x) -> (forall x, P x -> lo <= f x) -> exists m, is_inf_over P f m.
Proof.
  intros [x0 P0] L.
  destruct (completeness (fun y => exists x, P x /\ y = - f x)) as [m [U LU]].
  - exists (- lo). intros y [x [Px ->]]. specialize (L x Px). lra.
  - exists (- f x0). eauto.
  - exists (- m). split.
    + intros x Px. assert (- f x <= m) by (apply U; eauto). lra.
    + intros m' H. assert (m <= - m'); [|lra]. apply LU. intros y [x [Px ->]].
      specialize (H x Px). lra.
Qed.

(* The infimum is at most what can be reached up to any positive number. *)
Lemma inf_below {X} (P : X -> Prop) (f : X -> R) i y :
  is_inf_over P f i -> (forall eps, 0 < eps -> exists x, P x /\ f x <= y + eps) -> i <= y.
Proof.
  intros [L _] H. apply Rnot_lt_le. intros C.
  destruct (H ((i - y) / 2) ltac:(lra)) as [x [Px Hx]]. specialize (L x Px). lra.
Qed.

Lemma is_inf_by_sequence {X} (P : X -> Prop) (f : X -> R) i :
  (forall x, P x -> i <= f x) -> (forall eps, 0 < eps -> exists x, P x /\ f x <= i + eps) ->
  is_inf_over P f i.
Proof.
  intros L H. split; auto. intros m' M. apply Rnot_lt_le. intros C.
  destruct (H ((m' - i) / 2) ltac:(lra)) as [x [Px Hx]]. specialize (M x Px). lra.
Qed.

Lemma risk_nonneg phi A s u :
  (forall a, In a A -> 0 <= s a) -> (forall a, In a A -> 0 <= phi A a u) -> 0 <= risk phi A s u.
Proof.
  intros S P. rewrite risk_eq. apply sum_nonneg. intros a Ha. apply Rmult_le_pos; auto.
Qed.

Lemma zero_is_zero_sum A : zero_sum A (fun _ => 0).
Proof. apply sum_zero. auto. Qed.

(* Premise of [calibrated]: a loss that is never negative has an infimum, over all scores and over
   the zero-sum ones. *)
Lemma risk_inf_exists phi A s domain :
  is_dist A s -> (exists u, domain u) -> (forall a u, In a A -> domain u -> 0 <= phi A a u) ->
  exists i, is_inf_over domain (risk phi A s) i.
Proof.
  intros [S _] E P. apply (inf_exists _ _ 0); auto. intros u Du. apply risk_nonneg; auto.
Qed.

(* A distribution with all its mass on one action, or all but r alike. *)
Definition point (m : nat) : nat -> R := fun a => if Nat.eqb a m then 1 else 0.

Lemma point_dist A m : NoDup A -> In m A -> is_dist A (point m).
Proof.
  intros N H. split.
  - intros a _. unfold point. destruct (Nat.eqb a m); lra.
  - unfold point. apply (sum_single A m (fun _ => 1)); auto.
Qed.

Definition all_but (A : list nat) (r : nat) : nat -> R :=
  fun a => if Nat.eqb a r then 0 else / (INR (length A) - 1).

Lemma INR_length_2 {X} (A : list X) : (2 <= length A)%nat -> 2 <= INR (length A).
Proof. intros H. apply le_INR in H. simpl in H. lra. Qed.

Lemma INR_length_3 {X} (A : list X) : (3 <= length A)%nat -> 3 <= INR (length A).
Proof. intros H. apply le_INR in H. simpl in H. lra. Qed.

Lemma sum_all_but A r :
  NoDup A -> In r A -> (2 <= length A)%nat -> sum A (all_but A r) = 1.
Proof.
  intros N H L. pose proof (INR_length_2 A L).
  rewrite (sum_others A r _ N H). unfold all_but at 1. rewrite Nat.eqb_refl.
  rewrite (sum_ext _ _ (fun _ => / (INR (length A) - 1))).
  - rewrite sum_const, others_length_INR by auto. field. lra.
  - intros a Ha. apply others_in in Ha. unfold all_but. destruct (Nat.eqb_spec a r); tauto.
Qed.

Lemma all_but_dist A r : NoDup A -> In r A -> (2 <= length A)%nat -> is_dist A (all_but A r).
Proof.
  intros N H L. split; [|apply sum_all_but; auto].
  intros a _. unfold all_but. pose proof (INR_length_2 A L).
  destruct (Nat.eqb a r); [lra|]. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma two_elements (A : list nat) :
  NoDup A -> (2 <= length A)%nat -> exists r m, In r A /\ In m A /\ r <> m.
Proof.
  intros N L. destruct A as [|r [|m A]]; simpl in L; try lia. exists r, m.
  inversion N as [|? ? H _]; subst. simpl in H. simpl. intuition.
Qed.

(* Losses of the form "sum over the other actions of h": their risk. *)
Lemma risk_of_others phi A s u (h : nat -> R) :
  NoDup A -> (forall a, In a A -> phi A a u = sum (others A a) h) ->
  risk phi A s u = sum A (fun b => (sum A s - s b) * h b).
Proof.
  intros N H. rewrite risk_eq, <- (sum_cross A s h N). apply sum_ext.
  intros a Ha. rewrite H; auto.
Qed.

(* Losses of the form "sum over the other actions of h a b": twice the risk, by pairs. *)
Lemma risk_by_pairs phi A s u (h : nat -> nat -> R) :
  NoDup A -> (forall a, In a A -> phi A a u = sum (others A a) (fun b => h a b)) ->
  2 * risk phi A s u
  = sum A (fun a => sum (others A a) (fun b => s a * h a b + s b * h b a)).
Proof.
  intros N H. replace (2 * risk phi A s u) with (risk phi A s u + risk phi A s u) by ring.
  assert (E : risk phi A s u = sum A (fun a => s a * sum (others A a) (fun b => h a b))).
  { rewrite risk_eq. apply sum_ext. intros a Ha. rewrite H; auto. }
  rewrite E. rewrite (sum_cross2 A s h N) at 2. rewrite <- sum_plus.
  apply sum_ext. intros a Ha. rewrite sum_plus, sum_scal. reflexivity.
Qed.

(* If every pair costs at least as much in P as in Q, and the pair m, r costs d more, the double
   sums differ by 2 d. *)
Lemma pairs_gap A (P Q : nat -> nat -> R) m r d :
  NoDup A -> In m A -> In r A -> m <> r ->
  (forall a b, In a A -> In b A -> a <> b -> Q a b <= P a b) ->
  Q m r + d <= P m r -> Q r m + d <= P r m ->
  sum A (fun a => sum (others A a) (fun b => Q a b)) + 2 * d
  <= sum A (fun a => sum (others A a) (fun b => P a b)).
Proof.
  intros N Hm Hr NE LE D1 D2.
  assert (Row : forall a, In a A ->
    sum (others A a) (fun b => Q a b) <= sum (others A a) (fun b => P a b)).
  { intros a Ha. apply sum_le. intros b Hb. apply others_in in Hb. apply LE; intuition. }
  assert (One : forall a b, In a A -> In b A -> a <> b -> Q a b + d <= P a b ->
    sum (others A a) (fun b => Q a b) + d <= sum (others A a) (fun b => P a b)).
  { intros a b Ha Hb NEab Dab.
    assert (Ib : In b (others A a)) by (apply others_in; auto).
    assert (No : NoDup (others A a)) by (apply others_nodup; auto).
    rewrite (sum_others _ b (fun b => Q a b) No Ib), (sum_others _ b (fun b => P a b) No Ib).
    assert (sum (others (others A a) b) (fun b => Q a b)
            <= sum (others (others A a) b) (fun b => P a b)); [|lra].
    apply sum_le. intros c Hc. apply others_in in Hc. destruct Hc as [Hc _].
    apply others_in in Hc. apply LE; intuition. }
  assert (Im : In m (others A r)) by (apply others_in; auto).
  pose proof (One m r Hm Hr NE D1). pose proof (One r m Hr Hm ltac:(auto) D2).
  rewrite (sum_others A r (fun a => sum (others A a) (fun b => Q a b)) N Hr).
  rewrite (sum_others A r (fun a => sum (others A a) (fun b => P a b)) N Hr).
  rewrite (sum_others _ m (fun a => sum (others A a) (fun b => Q a b)) (others_nodup A r N) Im).
  rewrite (sum_others _ m (fun a => sum (others A a) (fun b => P a b)) (others_nodup A r N) Im).
  assert (sum (others (others A r) m) (fun a => sum (others A a) (fun b => Q a b))
          <= sum (others (others A r) m) (fun a => sum (others A a) (fun b => P a b))); [|lra].
  apply sum_le. intros a Ha. apply others_in in Ha. destruct Ha as [Ha _].
  apply others_in in Ha. apply Row. tauto.
Qed.

(* The largest of scores that sum to zero is not negative. *)
Lemma argmax_zero_sum_nonneg A u r : zero_sum A u -> is_argmax A u r -> 0 <= u r.
Proof.
  intros Z [H M]. apply Rnot_lt_le. intros C.
  assert (sum A u <= INR (length A) * u r) by (apply sum_le_const; auto).
  assert (0 < INR (length A)).
  { apply lt_0_INR. destruct A; simpl in *; [tauto|lia]. }
  unfold zero_sum in Z. nra.
Qed.

Lemma argmax_of_constant A (c : R) r : In r A -> is_argmax A (fun _ => c) r.
Proof. intros H. split; auto. intros. lra. Qed.

(* The constrained losses, action by action. *)
Lemma risk_cstnd_hinge A s u :
  NoDup A -> risk cstnd_hinge A s u = sum A (fun b => (sum A s - s b) * Rmax 0 (1 + u b)).
Proof.
  intros N. apply (risk_of_others _ A s u (fun b => Rmax 0 (1 + u b))); auto.
  intros a _. apply cstnd_hinge_eq.
Qed.

Lemma risk_cstnd_sq A s u :
  NoDup A ->
  risk cstnd_sq A s u = sum A (fun b => (sum A s - s b) * (Rmax 0 (1 + u b) * Rmax 0 (1 + u b))).
Proof.
  intros N. apply (risk_of_others _ A s u (fun b => Rmax 0 (1 + u b) * Rmax 0 (1 + u b))); auto.
  intros a _. apply cstnd_sq_eq.
Qed.

Lemma risk_cstnd_tau tau A s u :
  NoDup A ->
  risk (cstnd_tau tau) A s u = sum A (fun b => (sum A s - s b) * ramp tau (- u b)).
Proof.
  intros N. apply (risk_of_others _ A s u (fun b => ramp tau (- u b))); auto.
Qed.

(* Rmax 0 x and its square from below: the line through zero of any slope in [0, 1], and the
   tangent of the square at any c >= 0. *)
Lemma pos_part x : 0 <= Rmax 0 x /\ x <= Rmax 0 x.
Proof. split; [apply Rmax_l|apply Rmax_r]. Qed.

Lemma pos_part_sq c x : 0 <= c -> 2 * c * x - c * c <= Rmax 0 x * Rmax 0 x.
Proof.
  intros H. unfold Rmax. destruct (Rle_dec 0 x); [|nra].
  pose proof (Rle_0_sqr (x - c)) as Q. unfold Rsqr in Q. lra.
Qed.

Lemma pos_part_nonneg x : 0 <= x -> Rmax 0 x = x.
Proof. apply Rmax_right. Qed.

Lemma pos_part_nonpos x : x <= 0 -> Rmax 0 x = 0.
Proof. apply Rmax_left. Qed.

Lemma sqrt_below x y : 0 < y -> x < y * y -> sqrt x < y.
Proof.
  intros Y L. destruct (Rle_dec 0 x).
  - rewrite <- (sqrt_square y) by lra. apply sqrt_lt_1_alt. lra.
  - unfold sqrt. destruct (Rcase_abs x) as [|G]; [lra|exfalso; lra].
Qed.

Lemma largest_at A s m : In m A -> (forall b, In b A -> s b <= s m) -> largest A s = s m.
Proof. intros H M. apply largest_is. split; auto. Qed.

(* Small active sets: vectors as lists, and the centred hinge written out. *)
Definition vector (l : list R) : nat -> R := fun a => nth a l 0.

Ltac nodup := repeat constructor; simpl; lia.
Ltac entries := intros b Hb; unfold vector; repeat destruct Hb as [<-|Hb]; cbn; try lra; tauto.

Ltac parts := repeat match goal with
  | |- context [Rmax 0 ?x] =>
      let H := fresh in pose proof (pos_part x) as H; destruct H;
      let m := fresh in set (m := Rmax 0 x) in *; clearbody m
  end.

Lemma centred_hinge_3 s u :
  risk (centred cstnd_hinge) [0; 1; 2]%nat s u
  = (s 1%nat + s 2%nat) * Rmax 0 (1 + (2 * u 0%nat - u 1%nat - u 2%nat) / 3)
    + (s 0%nat + s 2%nat) * Rmax 0 (1 + (2 * u 1%nat - u 0%nat - u 2%nat) / 3)
    + (s 0%nat + s 1%nat) * Rmax 0 (1 + (2 * u 2%nat - u 0%nat - u 1%nat) / 3).
Proof.
  change (risk (centred cstnd_hinge) [0; 1; 2]%nat s u)
    with (risk cstnd_hinge [0; 1; 2]%nat s (proj [0; 1; 2]%nat u)).
  rewrite risk_cstnd_hinge by nodup. cbn [sum]. rewrite !proj_in, !mean_eq by (simpl; auto).
  cbn [sum length]. replace (INR 3) with 3 by (simpl; ring).
  replace (u 0%nat - (u 0%nat + (u 1%nat + (u 2%nat + 0))) / 3) with ((2 * u 0%nat - u 1%nat - u 2%nat) / 3) by field.
  replace (u 1%nat - (u 0%nat + (u 1%nat + (u 2%nat + 0))) / 3) with ((2 * u 1%nat - u 0%nat - u 2%nat) / 3) by field.
  replace (u 2%nat - (u 0%nat + (u 1%nat + (u 2%nat + 0))) / 3) with ((2 * u 2%nat - u 0%nat - u 1%nat) / 3) by field.
  ring.
Qed.

Lemma centred_hinge_2 s u :
  risk (centred cstnd_hinge) [0; 1]%nat s u
  = s 1%nat * Rmax 0 (1 + (u 0%nat - u 1%nat) / 2) + s 0%nat * Rmax 0 (1 + (u 1%nat - u 0%nat) / 2).
Proof.
  change (risk (centred cstnd_hinge) [0; 1]%nat s u)
    with (risk cstnd_hinge [0; 1]%nat s (proj [0; 1]%nat u)).
  rewrite risk_cstnd_hinge by nodup. cbn [sum]. rewrite !proj_in, !mean_eq by (simpl; auto).
  cbn [sum length]. replace (INR 2) with 2 by (simpl; ring).
  replace (u 0%nat - (u 0%nat + (u 1%nat + 0)) / 2) with ((u 0%nat - u 1%nat) / 2) by field.
  replace (u 1%nat - (u 0%nat + (u 1%nat + 0)) / 2) with ((u 1%nat - u 0%nat) / 2) by field.
  ring.
Qed.
