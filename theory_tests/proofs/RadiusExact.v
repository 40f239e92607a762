(* The exact radius that linear calibration of the constrained hinge takes.

   hinge-needs-richness: over the zero-sum vectors of norm at most R, linear calibration with
   constant 1 holds if and only if R^2 >= (K^2 - 2 K + 4) / 2, for every K >= 3. (That it is needed is
   in Radius.v.)

   Why it is enough. Let u choose r while m is better. Taking one unit from r and giving it to m
   lowers the risk by at least s_m - s_r, because 1 + u_r >= 1; scores below -1 can be raised at no
   cost, so as much of the unit as fits is given to them instead, which shortens the vector. What is
   reached either is not longer than u, or has nearly equal scores on top and then its squared norm is
   at most (K^2 - 2 K + 4) / 2. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration GammaHinge MinimizabilityGap GammaExp Radius.
Import ListNotations.
Open Scope R_scope.

(* Sums with given values at m and r. *)
Definition with_two (m r : nat) (x y : R) (f : nat -> R) : nat -> R :=
  fun a => if Nat.eqb a m then x else if Nat.eqb a r then y else f a.

Lemma with_two_m m r x y f : with_two m r x y f m = x.
Proof. unfold with_two. rewrite Nat.eqb_refl. auto. Qed.
Lemma with_two_r m r x y f : m <> r -> with_two m r x y f r = y.
Proof.
  intros NE. unfold with_two. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec r m); congruence.
Qed.
Lemma with_two_else m r x y f a : a <> m -> a <> r -> with_two m r x y f a = f a.
Proof.
  intros H1 H2. unfold with_two. destruct (Nat.eqb_spec a m), (Nat.eqb_spec a r); congruence.
Qed.

Section Move.
Variables (A : list nat) (s u : nat -> R) (m r : nat) (rho2 : R).
Hypotheses (N : NoDup A) (P : forall a, In a A -> 0 <= s a)
  (Mr : is_argmax A u r) (Mm : is_argmax A s m) (NE : m <> r) (Bu : ball A rho2 u).
Let k := INR (length A).
Hypothesis Big : (k * k - 2 * k + 4) / 2 <= rho2.
Let Hm : In m A := proj1 Mm.
Let Hr : In r A := proj1 Mr.
Let rest := others (others A m) r.
Let w a := Rmax 0 (1 + u a).
Let low a := w a - (1 + u a).
Let L := sum A low.
Let S := sum A s.

Let Zu : sum A u = 0 := proj1 Bu.
Let w0 a : 0 <= w a.
Proof. apply Rmax_l. Qed.
Let low0 a : 0 <= low a.
Proof. unfold low, w. pose proof (Rmax_r 0 (1 + u a)). lra. Qed.
Let wr : w r = 1 + u r /\ 1 <= w r.
Proof.
  pose proof (argmax_zero_sum_nonneg A u r (proj1 Bu) Mr).
  unfold w. rewrite pos_part_nonneg by lra. lra.
Qed.
Let lowr : low r = 0.
Proof. unfold low. lra. Qed.
Let w_le a : In a A -> w a <= w r.
Proof.
  intros Ha. pose proof (proj2 Mr a Ha). unfold w at 1. apply Rmax_lub; lra.
Qed.
Let w_low a : w a * low a = 0.
Proof. unfold low, w, Rmax. destruct (Rle_dec 0 (1 + u a)); ring. Qed.
Let k2 : 2 <= k.
Proof.
  apply INR_length_2. rewrite (others_length A m N Hm).
  assert (In r (others A m)) by (apply others_in; auto).
  destruct (others A m); [tauto|simpl; lia].
Qed.
Let sum_w : sum A w = k + L.
Proof.
  unfold L, low. rewrite sum_minus, sum_plus, sum_const, Zu. fold k. ring.
Qed.
Let gain : s m - s r <= S - s r.
Proof. unfold S. pose proof (sum_term_le A s m P Hm). lra. Qed.
Let restIn a : In a rest -> In a A /\ a <> m /\ a <> r.
Proof. apply others_two. Qed.
Let risk_u : risk cstnd_hinge A s u = sum A (fun a => (S - s a) * w a).
Proof. apply risk_cstnd_hinge. auto. Qed.

(* (1 + u)^2 = w^2 + low^2, so the norm of u is at least that of w. *)
Let norm_u : sum A (fun a => w a * w a) - k <= rho2.
Proof.
  pose proof (proj2 Bu) as Q. unfold sq_sum in Q.
  assert (sum A (fun a => w a * w a) <= sum A (fun a => u a * u a + (2 * u a + 1))).
  { apply sum_le. intros a _. pose proof (w_low a) as Z. pose proof (low0 a). pose proof (w0 a).
    assert (E : 1 + u a = w a - low a) by (unfold low; ring).
    replace (u a * u a + (2 * u a + 1)) with ((1 + u a) * (1 + u a)) by ring. rewrite E. nra. }
  rewrite sum_plus, sum_plus, sum_scal, sum_const, Zu in H. fold k in H. lra.
Qed.

(* Much is below -1: give the whole unit to it. *)
Lemma move_down : 1 <= L ->
  exists v, ball A rho2 v /\ risk cstnd_hinge A s v <= risk cstnd_hinge A s u - (s m - s r).
Proof.
  intros L1.
  set (th := / L). assert (T0 : 0 < th) by (apply Rinv_0_lt_compat; lra).
  assert (TL : th * L = 1) by (unfold th; field; lra).
  assert (T1 : th <= 1) by nra.
  set (v := fun a => if Nat.eqb a r then u r - 1 else u a + th * low a).
  assert (Vr : v r = u r - 1) by (unfold v; rewrite Nat.eqb_refl; auto).
  assert (Ve : forall a, a <> r -> v a = u a + th * low a).
  { intros a H. unfold v. destruct (Nat.eqb_spec a r); congruence. }
  assert (Lo : sum (others A r) low = L).
  { unfold L. rewrite (sum_others A r low N Hr), lowr. ring. }
  exists v. split; [split|].
  - unfold zero_sum. rewrite (sum_others A r v N Hr), Vr.
    rewrite (sum_ext (others A r) v (fun a => u a + th * low a))
      by (intros a Ha; apply others_in in Ha; apply Ve; tauto).
    rewrite sum_plus, sum_scal, Lo, TL. pose proof (sum_others A r u N Hr). lra.
  - pose proof (proj2 Bu) as Q. eapply Rle_trans; [|exact Q]. unfold sq_sum.
    rewrite (sum_others A r (fun a => v a * v a) N Hr), Vr.
    rewrite (sum_others A r (fun a => u a * u a) N Hr).
    assert (sum (others A r) (fun a => v a * v a)
            <= sum (others A r) (fun a => u a * u a + (-2 * th) * low a)).
    { apply sum_le. intros a Ha. apply others_in in Ha. rewrite Ve by tauto.
      pose proof (low0 a) as Q0. unfold low, w, Rmax in *. destruct (Rle_dec 0 (1 + u a)).
      - right. ring.
      - set (y := - (1 + u a)). assert (0 < y) by (unfold y; lra).
        replace (0 - (1 + u a)) with y by (unfold y; ring).
        replace (u a) with (- 1 - y) by (unfold y; ring).
        assert (0 <= th * y * ((2 - th) * y)) by (apply Rmult_le_pos; nra). nra. }
    rewrite sum_plus, sum_scal, Lo in H. replace (-2 * th * L) with (-2) in H by lra.
    pose proof wr. lra.
  - rewrite risk_u, risk_cstnd_hinge by auto. fold S.
    rewrite (sum_others A r (fun a => (S - s a) * Rmax 0 (1 + v a)) N Hr), Vr.
    rewrite (sum_others A r (fun a => (S - s a) * w a) N Hr).
    rewrite (sum_ext (others A r) (fun a => (S - s a) * Rmax 0 (1 + v a)) (fun a => (S - s a) * w a)).
    + rewrite pos_part_nonneg by lra. destruct wr as [E _]. rewrite E. lra.
    + intros a Ha. apply others_in in Ha. rewrite Ve by tauto. f_equal.
      pose proof (low0 a) as Q0. unfold low, w, Rmax in *.
      destruct (Rle_dec 0 (1 + u a)).
      * replace (1 + (u a + th * (1 + u a - (1 + u a)))) with (1 + u a) by ring.
        destruct (Rle_dec 0 (1 + u a)); lra.
      * destruct (Rle_dec 0 (1 + (u a + th * (0 - (1 + u a))))); auto. nra.
Qed.

(* Little is below -1: fill it up, and give the rest of the unit to m. *)
Lemma move_up : L < 1 ->
  exists v, ball A rho2 v /\ risk cstnd_hinge A s v <= risk cstnd_hinge A s u - (s m - s r).
Proof.
  intros L1. assert (L0 : 0 <= L) by (apply sum_nonneg; auto).
  set (tau := 1 - L).
  set (y := with_two m r (w m + tau) (w r - 1) w). set (v := fun a => y a - 1).
  assert (Ym : y m = w m + tau) by apply with_two_m.
  assert (Yr : y r = w r - 1) by (apply with_two_r; auto).
  assert (Ye : forall a, In a rest -> y a = w a).
  { intros a Ha. apply restIn in Ha. apply with_two_else; tauto. }
  assert (Sy : sum A y = k).
  { rewrite (sum_two A m r y) by auto. fold rest. rewrite Ym, Yr, (sum_ext rest y w) by auto.
    pose proof (sum_two A m r w N Hm Hr NE) as Q. fold rest in Q. unfold tau. lra. }
  assert (Y0 : forall a, In a A -> 0 <= y a).
  { intros a Ha. destruct (Nat.eq_dec a m) as [->|NM]; [rewrite Ym; pose proof (w0 m); unfold tau; lra|].
    destruct (Nat.eq_dec a r) as [->|NR]; [rewrite Yr; lra|].
    rewrite Ye by (apply others_two; auto). auto. }
  set (Q2 := sum rest (fun a => w a * w a)).
  assert (Sq : sq_sum A v = (w m + tau) * (w m + tau) + (w r - 1) * (w r - 1) + Q2 - k).
  { unfold sq_sum, v. rewrite (sum_ext A _ (fun a => y a * y a - (2 * y a - 1))) by (intros; ring).
    rewrite sum_minus, sum_minus, sum_scal, sum_const, Sy. fold k.
    rewrite (sum_two A m r (fun a => y a * y a)) by auto. fold rest.
    rewrite Ym, Yr, (sum_ext rest (fun a => y a * y a) (fun a => w a * w a))
      by (intros a Ha; rewrite Ye by auto; auto). fold Q2. ring. }
  exists v. split; [split|].
  - unfold zero_sum, v. rewrite sum_minus, sum_const, Sy. fold k. ring.
  - rewrite Sq. destruct (Rle_dec (w m) (w r - 1)) as [Far|Near].
    + (* not longer than u *)
      pose proof norm_u as Q. rewrite (sum_two A m r (fun a => w a * w a)) in Q by auto.
      fold rest in Q. fold Q2 in Q.
      assert (0 <= tau <= 1) by (unfold tau; lra). pose proof (w0 m).
      assert (tau * w m <= tau * (w r - 1)) by (apply Rmult_le_compat_l; lra). nra.
    + (* nearly tied on top *)
      set (rho := w r - 1). set (eta := w m + tau - rho).
      set (q := sum rest w).
      assert (Eq : k = 2 * rho + eta + q).
      { rewrite <- Sy, (sum_two A m r y) by auto. fold rest.
        rewrite Ym, Yr, (sum_ext rest y w) by auto. unfold eta, rho, q. lra. }
      assert (Q0 : 0 <= q) by (apply sum_nonneg; auto).
      assert (Eta : 0 <= eta <= 2).
      { pose proof (w_le m Hm). unfold eta, rho, tau in *. lra. }
      assert (Rho : 0 <= rho) by (unfold rho; lra).
      assert (Q2le : Q2 <= (rho + 1) * q).
      { unfold Q2, q. rewrite <- sum_scal. apply sum_le. intros a Ha. apply restIn in Ha.
        apply Rmult_le_compat_r; auto. pose proof (w_le a (proj1 Ha)). unfold rho. lra. }
      replace (w m + tau) with (rho + eta) by (unfold eta; ring).
      apply Rle_trans with (2 := Big). fold rho.
      assert (Alg : (rho + eta) * (rho + eta) + rho * rho + (rho + 1) * q
        = k * k / 2 + eta * eta / 2 + q * (1 - k / 2 - eta / 2)) by (rewrite Eq; field).
      assert (0 <= q * (k / 2 + eta / 2 - 1)) by (apply Rmult_le_pos; lra).
      assert (eta * eta <= 4) by nra. lra.
  - rewrite risk_u, risk_cstnd_hinge by auto. fold S.
    rewrite (sum_ext A (fun a => (S - s a) * Rmax 0 (1 + v a)) (fun a => (S - s a) * y a)).
    + rewrite (sum_two A m r (fun a => (S - s a) * y a)) by auto.
      rewrite (sum_two A m r (fun a => (S - s a) * w a)) by auto. fold rest.
      rewrite (sum_ext rest (fun a => (S - s a) * y a) (fun a => (S - s a) * w a))
        by (intros a Ha; rewrite Ye by auto; auto).
      rewrite Ym, Yr.
      assert (0 <= (S - s m) * L).
      { apply Rmult_le_pos; auto. unfold S. pose proof (sum_term_le A s m P Hm). lra. }
      unfold tau. lra.
    + intros a Ha. f_equal. unfold v. replace (1 + (y a - 1)) with (y a) by ring.
      apply pos_part_nonneg. auto.
Qed.
End Move.

Lemma hinge_calibrated_over_ball A rho2 :
  NoDup A -> (INR (length A) * INR (length A) - 2 * INR (length A) + 4) / 2 <= rho2 ->
  calibrated cstnd_hinge (ball A rho2) A (fun t => t).
Proof.
  intros N Big s u r i [P S] Bu M I.
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm). pose proof (proj1 I u Bu) as Iu.
  destruct (Nat.eq_dec m r) as [->|NE]; [lra|].
  assert (G : exists v, ball A rho2 v /\
    risk cstnd_hinge A s v <= risk cstnd_hinge A s u - (s m - s r)).
  { destruct (Rle_dec 1 (sum A (fun a => Rmax 0 (1 + u a) - (1 + u a)))) as [L|L].
    - apply (move_down A s u m r rho2); auto.
    - apply (move_up A s u m r rho2); auto. lra. }
  destruct G as (v & Bv & G). pose proof (proj1 I v Bv). lra.
Qed.

(* claim: hinge-needs-richness *)
Theorem hinge_calibration_over_a_ball_holds_exactly_from_the_radius_on :
  forall A rho2, NoDup A -> (3 <= length A)%nat -> 0 <= rho2 ->
  (calibrated cstnd_hinge (ball A rho2) A (fun t => t)
   <-> (INR (length A) * INR (length A) - 2 * INR (length A) + 4) / 2 <= rho2).
Proof.
  intros A rho2 N L R0. split.
  - intros C. apply Rnot_lt_le. intros Lt.
    exact (hinge_calibration_with_constant_one_fails_over_smaller_balls A rho2 N L R0 Lt C).
  - apply hinge_calibrated_over_ball. auto.
Qed.
