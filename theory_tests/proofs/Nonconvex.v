(* Four of the ten surrogates are not convex (Sec. 3 and 4 speak of convex surrogates): on every
   active set of at least two actions and for every target there are two score vectors whose
   midpoint has a larger loss than the mean of their losses. Claims: nonconvex-comp-mae,
   nonconvex-comp-gce, nonconvex-sum-tau, nonconvex-cstnd-tau. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions AvailabilityRamps.
Import ListNotations.
Open Scope R_scope.

Definition midpoint (u v : nat -> R) : nat -> R := fun c => (u c + v c) / 2.

(* Only the score of the target moves, the others stay at zero. *)
Definition lone (a : nat) (x : R) : nat -> R := fun c => if Nat.eqb c a then x else 0.

Lemma lone_softmax A a b x :
  NoDup A -> In a A -> In b A -> a <> b -> 0 < x ->
  softmax A (lone a (ln (x * (INR (length A) - 1)))) a = x / (1 + x).
Proof.
  intros N Ha Hb Nab Px.
  assert (K : 0 < INR (length A) - 1).
  { rewrite <- (others_length_INR A a N Ha). apply lt_0_INR.
    assert (H : In b (others A a)) by (apply others_in; auto).
    destruct (others A a); [destruct H|simpl; lia]. }
  unfold softmax. rewrite (sum_others A a (fun c => exp (lone a _ c)) N Ha).
  rewrite (sum_ext (others A a) _ (fun _ => 1)).
  - rewrite sum_const, others_length_INR by auto. unfold lone. rewrite Nat.eqb_refl, exp_ln by nra.
    field. split; nra.
  - intros c Hc. apply others_in in Hc. destruct Hc as [_ Nc]. unfold lone.
    destruct (Nat.eqb_spec c a); [congruence|apply exp_0].
Qed.

Lemma lone_midpoint (A : list nat) a x y :
  0 < x -> 0 < y -> 1 < INR (length A) ->
  forall c, midpoint (lone a (ln (x * (INR (length A) - 1)))) (lone a (ln (x * (y * y) * (INR (length A) - 1)))) c
  = lone a (ln (x * y * (INR (length A) - 1))) c.
Proof.
  intros Px Py K c. unfold midpoint, lone. destruct (Nat.eqb c a); [|field].
  rewrite !ln_mult by (try lra; repeat apply Rmult_lt_0_compat; lra). field.
Qed.

Lemma softmax_ext A u v a : (forall c, u c = v c) -> softmax A u a = softmax A v a.
Proof.
  intros H. unfold softmax. rewrite H. f_equal. apply sum_ext. intros. rewrite H. auto.
Qed.

Lemma at_least_two (A : list nat) a b : NoDup A -> In a A -> In b A -> a <> b -> 1 < INR (length A).
Proof.
  intros N Ha Hb Nab. rewrite (others_length A a N Ha), S_INR.
  assert (H : In b (others A a)) by (apply others_in; auto).
  assert (0 < INR (length (others A a))); [|lra].
  apply lt_0_INR. destruct (others A a); [destruct H|simpl; lia].
Qed.

(* claim: nonconvex-comp-mae *)
Theorem comp_mae_is_not_convex :
  forall A a b, NoDup A -> In a A -> In b A -> a <> b ->
  exists u v, comp_mae A a u = 1/2 /\ comp_mae A a v = 4/5 /\ comp_mae A a (midpoint u v) = 2/3 /\
  (comp_mae A a u + comp_mae A a v) / 2 < comp_mae A a (midpoint u v).
Proof.
  intros A a b N Ha Hb Nab. pose proof (at_least_two A a b N Ha Hb Nab) as K.
  exists (lone a (ln (1 * (INR (length A) - 1)))), (lone a (ln (1 * (1/2 * (1/2)) * (INR (length A) - 1)))).
  unfold comp_mae.
  rewrite (softmax_ext A _ _ a (lone_midpoint A a 1 (1/2) ltac:(lra) ltac:(lra) K)).
  rewrite !(lone_softmax A a b) by (auto; lra). repeat split; lra.
Qed.

(* claim: nonconvex-comp-gce *)
Theorem comp_gce_is_not_convex :
  forall alpha A a b, 0 < alpha < 1 -> NoDup A -> In a A -> In b A -> a <> b ->
  exists u v, (comp_gce alpha A a u + comp_gce alpha A a v) / 2 < comp_gce alpha A a (midpoint u v).
Proof.
  intros alpha A a b Hal N Ha Hb Nab. pose proof (at_least_two A a b N Ha Hb Nab) as K.
  (* r^alpha = 1/2 *)
  set (r := exp (- (ln 2 / alpha))).
  assert (Pr : 0 < r) by apply exp_pos.
  assert (L2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Pq : 0 < ln 2 / alpha) by (apply Rmult_lt_0_compat; [auto|apply Rinv_0_lt_compat; lra]).
  assert (R1 : r <= 1).
  { unfold r. rewrite <- exp_0. left. apply exp_increasing. lra. }
  exists (lone a (ln (1/8 * (INR (length A) - 1)))), (lone a (ln (1/8 * (r * r) * (INR (length A) - 1)))).
  unfold comp_gce.
  rewrite (softmax_ext A _ _ a (lone_midpoint A a (1/8) r ltac:(lra) Pr K)).
  rewrite !(lone_softmax A a b) by (auto; nra).
  set (p0 := 1/8 / (1 + 1/8)). set (pm := 1/8 * r / (1 + 1/8 * r)).
  set (p1 := 1/8 * (r * r) / (1 + 1/8 * (r * r))).
  assert (Er : Rpower r alpha = 1/2).
  { unfold Rpower, r. rewrite ln_exp. replace (alpha * - (ln 2 / alpha)) with (- ln 2) by (field; lra).
    rewrite exp_Ropp, exp_ln; lra. }
  assert (Pw : forall x, 0 < x -> 0 < Rpower x alpha) by (intros; apply exp_pos).
  assert (Mono : forall x y, 0 < x -> x <= y -> Rpower x alpha <= Rpower y alpha)
    by (intros; apply Rle_Rpower_l; lra).
  assert (Mult : forall x y, 0 < x -> 0 < y -> Rpower (x * y) alpha = Rpower x alpha * Rpower y alpha).
  { intros x y Hx Hy. unfold Rpower. rewrite ln_mult, <- exp_plus by auto. f_equal. ring. }
  (* Everything against p0. *)
  assert (B0 : 0 < p0) by (unfold p0; lra).
  assert (Bm : pm <= (9/8) * (p0 * r)).
  { unfold pm, p0, Rdiv. assert (0 < / (1 + 1 * / 8 * r)) by (apply Rinv_0_lt_compat; lra).
    assert (/ (1 + 1 * / 8 * r) <= 1).
    { rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    nra. }
  assert (Bm0 : 0 < pm).
  { unfold pm. apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat. lra. }
  assert (B1 : p0 * (r * r) <= p1).
  { unfold p1, p0, Rdiv. assert (/ (1 + 1 * / 8) <= / (1 + 1 * / 8 * (r * r))).
    { apply Rinv_le_contravar; nra. }
    assert (0 < r * r) by nra. nra. }
  assert (E9 : Rpower (9/8) alpha <= 9/8).
  { rewrite <- (Rpower_1 (9/8)) at 2 by lra. apply Rle_Rpower; lra. }
  assert (Qm : Rpower pm alpha <= 9/8 * (Rpower p0 alpha * (1/2))).
  { eapply Rle_trans; [apply Mono; [auto|exact Bm]|].
    rewrite Mult, Mult by (auto; try lra; nra). rewrite Er.
    apply Rmult_le_compat_r; auto. specialize (Pw p0 B0). lra. }
  assert (Q1 : Rpower p0 alpha * (1/2 * (1/2)) <= Rpower p1 alpha).
  { eapply Rle_trans; [|apply Mono; [|exact B1]; nra].
    rewrite Mult, Mult, Er by (auto; nra). lra. }
  specialize (Pw p0 B0).
  assert (Rpower pm alpha < (Rpower p0 alpha + Rpower p1 alpha) / 2) by lra.
  apply Rmult_lt_reg_r with alpha; [lra|].
  replace ((1 - Rpower pm alpha) / alpha * alpha) with (1 - Rpower pm alpha) by (field; lra).
  replace (((1 - Rpower p0 alpha) / alpha + (1 - Rpower p1 alpha) / alpha) / 2 * alpha)
    with (1 - (Rpower p0 alpha + Rpower p1 alpha) / 2) by (field; lra). lra.
Qed.

(* claim: nonconvex-sum-tau *)
Theorem sum_tau_is_not_convex :
  forall tau A a b, 0 < tau -> NoDup A -> In a A -> In b A -> a <> b ->
  exists u v, sum_tau tau A a u = 0 /\ sum_tau tau A a v = 1 /\ sum_tau tau A a (midpoint u v) = 1 /\
  (sum_tau tau A a u + sum_tau tau A a v) / 2 < sum_tau tau A a (midpoint u v).
Proof.
  intros tau A a b P N Ha Hb Nab.
  (* The others are out of the way. *)
  set (w := fun x y c => if Nat.eqb c a then x else if Nat.eqb c b then y else - tau).
  assert (V : forall u x y, (forall c, u c = w x y c) -> 0 <= x -> sum_tau tau A a u = ramp tau (x - y)).
  { intros u x y E H. rewrite sum_tau_eq.
    assert (Hb' : In b (others A a)) by (apply others_in; auto).
    rewrite (sum_others (others A a) b) by (auto using others_nodup).
    rewrite sum_zero.
    - rewrite !E. unfold w. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec b a); [congruence|].
      rewrite Nat.eqb_refl. ring.
    - intros c Hc. apply others_in in Hc. destruct Hc as [Hc Ncb]. apply others_in in Hc.
      destruct Hc as [Hc Nca]. rewrite !E. unfold w. rewrite Nat.eqb_refl.
      destruct (Nat.eqb_spec c a); [congruence|]. destruct (Nat.eqb_spec c b); [congruence|].
      apply ramp_zero; lra. }
  exists (w tau 0), (w 0 tau).
  assert (M : forall c, midpoint (w tau 0) (w 0 tau) c = w (tau / 2) (tau / 2) c).
  { intros c. unfold midpoint, w. destruct (Nat.eqb c a); [field|]. destruct (Nat.eqb c b); field. }
  rewrite (V (w tau 0) tau 0), (V (w 0 tau) 0 tau), (V _ (tau / 2) (tau / 2) M) by (auto; lra).
  rewrite (ramp_zero tau (tau - 0)), (ramp_one tau (0 - tau)), (ramp_one tau (tau / 2 - tau / 2)) by lra.
  repeat split; lra.
Qed.

(* claim: nonconvex-cstnd-tau *)
Theorem cstnd_tau_is_not_convex :
  forall tau A a b, 0 < tau -> NoDup A -> In a A -> In b A -> a <> b ->
  exists u v, zero_sum A u /\ zero_sum A v /\
  (cstnd_tau tau A a u + cstnd_tau tau A a v) / 2 < cstnd_tau tau A a (midpoint u v).
Proof.
  intros tau A a b P N Ha Hb Nab.
  set (w := fun x c => if Nat.eqb c a then x else if Nat.eqb c b then - x else 0).
  assert (Hb' : In b (others A a)) by (apply others_in; auto).
  assert (V : forall u x, (forall c, u c = w x c) ->
    cstnd_tau tau A a u = ramp tau x + sum (others (others A a) b) (fun _ => 1)).
  { intros u x E. rewrite cstnd_tau_eq.
    rewrite (sum_others (others A a) b) by (auto using others_nodup). f_equal.
    - rewrite E. unfold w. destruct (Nat.eqb_spec b a); [congruence|].
      rewrite Nat.eqb_refl. f_equal. ring.
    - apply sum_ext. intros c Hc. apply others_in in Hc. destruct Hc as [Hc Ncb].
      apply others_in in Hc. destruct Hc as [Hc Nca]. rewrite E. unfold w.
      destruct (Nat.eqb_spec c a); [congruence|]. destruct (Nat.eqb_spec c b); [congruence|].
      apply ramp_one; lra. }
  assert (Z : forall x, zero_sum A (w x)).
  { intros x. unfold zero_sum. rewrite (sum_others A a (w x)) by auto.
    rewrite (sum_others (others A a) b) by (auto using others_nodup). rewrite sum_zero.
    - unfold w. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec b a); [congruence|].
      rewrite Nat.eqb_refl. ring.
    - intros c Hc. apply others_in in Hc. destruct Hc as [Hc Ncb].
      apply others_in in Hc. destruct Hc as [Hc Nca]. unfold w.
      destruct (Nat.eqb_spec c a); [congruence|]. destruct (Nat.eqb_spec c b); [congruence|auto]. }
  exists (w tau), (w (- tau)). split; [apply Z|]. split; [apply Z|].
  assert (M : forall c, midpoint (w tau) (w (- tau)) c = w 0 c).
  { intros c. unfold midpoint, w. destruct (Nat.eqb c a); [field|]. destruct (Nat.eqb c b); field. }
  rewrite (V (w tau) tau), (V (w (- tau)) (- tau)), (V _ 0 M) by auto.
  rewrite (ramp_zero tau tau), (ramp_one tau (- tau)), (ramp_one tau 0) by lra. lra.
Qed.
