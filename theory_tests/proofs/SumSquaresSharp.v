(* The constant (K + 2) / 4 of the sum of squared hinges (GammaSquares.v) cannot be improved, for
   any K >= 2.

   gamma-sum-sq: no Gamma(t) = sqrt(c t) with c < (K + 2) / 4. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration GammaExp.
Import ListNotations.
Open Scope R_scope.

(* Where no hinge is cut off and the gradient vanishes. *)
Definition stationary (A : list nat) (s v : nat -> R) : Prop :=
  (forall a b, In a A -> In b A -> 0 <= 1 - (v a - v b)) /\
  forall a, In a A ->
    sum (others A a) (fun b => s a * (1 - (v a - v b)) - s b * (1 - (v b - v a))) = 0.

Lemma sum_zero_gradient A s v z :
  NoDup A -> stationary A s v ->
  sum A (fun a => s a * sum (others A a) (fun b => (1 - (v a - v b)) * (z a - z b))) = 0.
Proof.
  intros N [_ G].
  rewrite (sum_ext A _ (fun a => s a * sum (others A a) (fun b => (1 - (v a - v b)) * z a)
                                 - s a * sum (others A a) (fun b => (1 - (v a - v b)) * z b))).
  - rewrite sum_minus.
    rewrite (sum_cross2 A s (fun a b => (1 - (v a - v b)) * z b) N), <- sum_minus.
    apply sum_zero. intros a Ha.
    rewrite <- (sum_scal (others A a) (s a)), <- sum_minus.
    rewrite (sum_ext (others A a) _
      (fun b => (s a * (1 - (v a - v b)) - s b * (1 - (v b - v a))) * z a)) by (intros; ring).
    rewrite sum_scal_r, G by auto. ring.
  - intros a _. rewrite <- Rmult_minus_distr_l, <- sum_minus. f_equal. apply sum_ext.
    intros. ring.
Qed.

Lemma stationary_is_minimal A s v x :
  NoDup A -> (forall a, In a A -> 0 <= s a) -> stationary A s v ->
  risk sum_sq A s v <= risk sum_sq A s x.
Proof.
  intros N P St. pose proof (sum_zero_gradient A s v (fun a => v a - x a) N St) as Z.
  destruct St as [C _].
  assert (risk sum_sq A s v + 2 * 0 <= risk sum_sq A s x); [|lra]. rewrite <- Z.
  rewrite !risk_eq, <- sum_scal, <- sum_plus. apply sum_le. intros a Ha.
  rewrite !sum_sq_eq.
  replace (s a * sum (others A a) (fun b => hinge (v a - v b) * hinge (v a - v b))
    + 2 * (s a * sum (others A a) (fun b => (1 - (v a - v b)) * (v a - x a - (v b - x b)))))
  with (s a * sum (others A a) (fun b => hinge (v a - v b) * hinge (v a - v b)
    + 2 * ((1 - (v a - v b)) * (v a - x a - (v b - x b)))))
    by (rewrite sum_plus, sum_scal; ring).
  apply Rmult_le_compat_l; [apply P; auto|]. apply sum_le. intros b Hb.
  apply others_in in Hb. rewrite !hinge_eq.
  pose proof (C a b Ha (proj1 Hb)) as Cab. rewrite (pos_part_nonneg (1 - (v a - v b))) by auto.
  pose proof (pos_part_sq _ (1 - (x a - x b)) Cab). lra.
Qed.

(* Where no hinge is cut off the excess is the sum of squares of the differences. *)
Lemma excess_is_square A s v u :
  NoDup A -> stationary A s v -> (forall a b, In a A -> In b A -> 0 <= 1 - (u a - u b)) ->
  risk sum_sq A s u - risk sum_sq A s v
  = sum A (fun a => s a * sum (others A a)
      (fun b => (u a - v a - (u b - v b)) * (u a - v a - (u b - v b)))).
Proof.
  intros N St Cu. pose proof (sum_zero_gradient A s v (fun a => u a - v a) N St) as Z.
  destruct St as [C _].
  replace (risk sum_sq A s u - risk sum_sq A s v)
    with (risk sum_sq A s u - risk sum_sq A s v + 2 * 0) by ring.
  rewrite <- Z, !risk_eq, <- sum_scal, <- sum_minus, <- sum_plus. apply sum_ext. intros a Ha.
  rewrite !sum_sq_eq.
  rewrite (sum_ext (others A a) (fun b => hinge (u a - u b) * hinge (u a - u b))
    (fun b => hinge (v a - v b) * hinge (v a - v b)
       - 2 * ((1 - (v a - v b)) * (u a - v a - (u b - v b)))
       + (u a - v a - (u b - v b)) * (u a - v a - (u b - v b)))).
  - rewrite sum_plus, sum_minus, sum_scal. ring.
  - intros b Hb. apply others_in in Hb. rewrite !hinge_eq, !pos_part_nonneg by (apply C || apply Cu; tauto).
    ring.
Qed.

Section Family.
Variables (A : list nat) (m r : nat) (w : R).
Hypotheses (N : NoDup A) (Hm : In m A) (Hr : In r A) (NE : m <> r) (L : (3 <= length A)%nat).
Let k := INR (length A).
Hypotheses (W : 0 < w) (Wk : w * k <= 1).
Let rest := others (others A m) r.

Let K3 : 3 <= k.
Proof. apply INR_length_3. auto. Qed.
Let W3 : w <= 1 / 3.
Proof. nra. Qed.

(* Masses e of the others, the two best share the rest with difference b; the optimum has m and r at
   t and - t and the others at w - 1. *)
Let e := (w - w * w * w) / (4 + (k - 4) * w).
Let sg := 1 - (k - 2) * e.
Let q := (k + 2) * sg + 2 * (k - 2) * e.
Let p := 2 + (k - 2) * w.
Let b := sqrt (w * w * w * q / p).
Let t := b * p / q.

Let den : 3 <= 4 + (k - 4) * w.
Proof. nra. Qed.
Let e_eq : e * (4 + (k - 4) * w) = w - w * w * w.
Proof. unfold e. field. lra. Qed.
Let e0 : 0 < e.
Proof. unfold e. apply Rdiv_lt_0_compat; [|lra]. assert (w * w < 1) by nra. nra. Qed.
Let e_small : 3 * e <= w.
Proof.
  assert (0 < w * w * w) by (apply Rmult_lt_0_compat; nra).
  assert (e * 3 <= e * (4 + (k - 4) * w)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Let ke : (k - 2) * e <= 1 / 3.
Proof. nra. Qed.
Let sg0 : 2 / 3 <= sg <= 1.
Proof. unfold sg. split; [lra|]. assert (0 <= (k - 2) * e) by (apply Rmult_le_pos; lra). lra. Qed.
Let q0 : 2 <= q.
Proof.
  unfold q. assert (0 <= (k - 2) * e) by (apply Rmult_le_pos; lra).
  assert (5 * (2 / 3) <= (k + 2) * sg) by (apply Rmult_le_compat; lra). lra.
Qed.
Let q1 : q <= k + 2.
Proof. unfold q. assert (0 <= (k - 2) * e) by (apply Rmult_le_pos; lra). unfold sg. nra. Qed.
Let p0 : 2 <= p <= 3.
Proof. unfold p. split; nra. Qed.
Let w3 : 0 < w * w * w.
Proof. apply Rmult_lt_0_compat; nra. Qed.
Let b2 : b * b = w * w * w * q / p.
Proof.
  apply sqrt_sqrt. left. apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; lra.
Qed.
Let b0 : 0 < b.
Proof. apply sqrt_lt_R0. apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; lra. Qed.
Let tq : t * q = b * p.
Proof. unfold t. field. lra. Qed.
Let bt : b * t = w * w * w.
Proof.
  replace (b * t) with (b * b * p / q) by (unfold t; field; lra). rewrite b2. field. lra.
Qed.
Let t0 : 0 < t.
Proof. unfold t. apply Rdiv_lt_0_compat; nra. Qed.
Let t1 : t <= w.
Proof.
  assert (T2 : t * t * q = w * w * w * p).
  { replace (t * t * q) with (t * (t * q)) by ring. rewrite tq.
    replace (t * (b * p)) with (b * t * p) by ring. rewrite bt. auto. }
  apply Rnot_lt_le. intros C. assert (w * w < t * t) by nra.
  assert (w * w * 2 <= w * w * q) by (apply Rmult_le_compat_l; nra).
  assert (w * w * q < t * t * q) by (apply Rmult_lt_compat_r; lra).
  assert (w * w * w * p <= w * w * 1).
  { replace (w * w * w * p) with (w * w * (w * p)) by ring. apply Rmult_le_compat_l; nra. }
  nra.
Qed.
Let b1 : b <= 1 / 2.
Proof.
  apply Rnot_lt_le. intros C. assert (1 / 4 < b * b) by nra.
  assert (b * b * p = w * w * w * q) by (rewrite b2; field; lra).
  assert (w * w * w * q <= w * w * (w * (k + 2))).
  { replace (w * w * w * q) with (w * w * (w * q)) by ring. apply Rmult_le_compat_l; nra. }
  assert (w * (k + 2) <= 5 / 3) by nra. assert (w * w <= 1 / 9) by nra.
  assert (0 <= w * (k + 2)) by nra.
  assert (w * w * (w * (k + 2)) <= 1 / 9 * (5 / 3)) by (apply Rmult_le_compat; nra).
  nra.
Qed.

Let s a := if Nat.eqb a m then (sg + b) / 2 else if Nat.eqb a r then (sg - b) / 2 else e.
Let v a := if Nat.eqb a m then t else if Nat.eqb a r then - t else w - 1.
Let u a := if Nat.eqb a m then 0 else if Nat.eqb a r then 0 else w - 1.

Let at_m x y z : (if Nat.eqb m m then x else if Nat.eqb m r then y else z) = x :> R.
Proof. rewrite Nat.eqb_refl. auto. Qed.
Let at_r x y z : (if Nat.eqb r m then x else if Nat.eqb r r then y else z) = y :> R.
Proof. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec r m); congruence. Qed.
Let at_else x y z a : In a rest -> (if Nat.eqb a m then x else if Nat.eqb a r then y else z) = z :> R.
Proof.
  intros H. apply others_two in H. destruct (Nat.eqb_spec a m), (Nat.eqb_spec a r); tauto.
Qed.
Let sm : s m = (sg + b) / 2. Proof. apply at_m. Qed.
Let sr : s r = (sg - b) / 2. Proof. apply at_r. Qed.
Let se a : In a rest -> s a = e. Proof. apply at_else. Qed.
Let vm : v m = t. Proof. apply at_m. Qed.
Let vr : v r = - t. Proof. apply at_r. Qed.
Let ve a : In a rest -> v a = w - 1. Proof. apply at_else. Qed.
Let um : u m = 0. Proof. apply at_m. Qed.
Let ur : u r = 0. Proof. apply at_r. Qed.
Let ue a : In a rest -> u a = w - 1. Proof. apply at_else. Qed.
Let rest_length : INR (length rest) = k - 2. Proof. apply others_two_length; auto. Qed.
Let comm : others (others A r) m = rest.
Proof.
  unfold rest, others. clear. induction A as [|c l IH]; simpl; auto.
  destruct (Nat.eqb c r) eqn:Er, (Nat.eqb c m) eqn:Em; simpl; rewrite ?Er, ?Em; simpl; auto.
  f_equal. auto.
Qed.

(* Rows of a double sum. *)
Let row_m (f : nat -> R) : sum (others A m) f = f r + sum rest f.
Proof. apply sum_others; [apply others_nodup; auto|apply others_in; auto]. Qed.
Let row_r (f : nat -> R) : sum (others A r) f = f m + sum rest f.
Proof.
  rewrite <- comm. apply sum_others; [apply others_nodup; auto|apply others_in; auto].
Qed.
Let row_a a (f : nat -> R) : In a rest ->
  (forall c, In c rest -> f c = 0) -> sum (others A a) f = f m + f r.
Proof.
  intros Ha H. apply others_two in Ha.
  rewrite (sum_two (others A a) m r);
    [|apply others_nodup; auto|apply others_in; intuition|apply others_in; intuition|auto].
  rewrite sum_zero; [ring|]. intros c Hc. apply others_two in Hc. apply H. apply others_two.
  destruct Hc as (Hc & H1 & H2). apply others_in in Hc. tauto.
Qed.

Let cases a : In a A -> a = m \/ a = r \/ In a rest.
Proof.
  intros Ha. destruct (Nat.eq_dec a m); auto. destruct (Nat.eq_dec a r); auto.
  right. right. apply others_two. auto.
Qed.

Let dist : is_dist A s.
Proof.
  split.
  - intros a Ha. destruct (cases a Ha) as [->|[->|H]]; [rewrite sm|rewrite sr|rewrite se by auto]; lra.
  - rewrite (sum_two A m r s) by auto. fold rest. rewrite sm, sr, (sum_ext rest s (fun _ => e)) by auto.
    rewrite sum_const, rest_length. unfold sg. lra.
Qed.

Let st : stationary A s v.
Proof.
  split.
  - intros a c Ha Hc.
    destruct (cases a Ha) as [->|[->|H1]], (cases c Hc) as [->|[->|H2]];
      rewrite ?vm, ?vr, ?(ve a) by auto; rewrite ?(ve c) by auto; lra.
  - (* two equations: level of the others, tilt of the pair *)
    assert (E1 : sg * w - b * t = 2 * e * (2 - w)).
    { rewrite bt. unfold sg. lra. }
    assert (E2 : 2 * b + (k - 2) * b * w = t * (4 * sg + (k - 2) * (sg + 2 * e))).
    { replace (t * (4 * sg + (k - 2) * (sg + 2 * e))) with (t * q) by (unfold q; ring).
      rewrite tq. unfold p. ring. }
    intros a Ha. destruct (cases a Ha) as [->|[->|H1]].
    + rewrite row_m, sm, sr, vm, vr.
      rewrite (sum_ext rest _ (fun _ => (sg + b) / 2 * (1 - (t - (w - 1))) - e * (1 - (w - 1 - t))))
        by (intros c Hc; rewrite (se c Hc), (ve c Hc); auto).
      rewrite sum_const, rest_length.
      assert (X : (k - 2) * (sg * w - b * t) = (k - 2) * (2 * e * (2 - w))) by (rewrite E1; auto). lra.
    + rewrite row_r, sm, sr, vm, vr.
      rewrite (sum_ext rest _ (fun _ => (sg - b) / 2 * (1 - (- t - (w - 1))) - e * (1 - (w - 1 - - t))))
        by (intros c Hc; rewrite (se c Hc), (ve c Hc); auto).
      rewrite sum_const, rest_length.
      assert (X : (k - 2) * (sg * w - b * t) = (k - 2) * (2 * e * (2 - w))) by (rewrite E1; auto). lra.
    + rewrite (row_a a); auto.
      * rewrite sm, sr, vm, vr, (se a H1), (ve a H1). lra.
      * intros c Hc. rewrite (se a H1), (se c Hc), (ve a H1), (ve c Hc). ring.
Qed.

Let cu a c : In a A -> In c A -> 0 <= 1 - (u a - u c).
Proof.
  intros Ha Hc. destruct (cases a Ha) as [->|[->|H1]], (cases c Hc) as [->|[->|H2]];
    rewrite ?um, ?ur, ?(ue a) by auto; rewrite ?(ue c) by auto; lra.
Qed.

Let gap : risk sum_sq A s u - risk sum_sq A s v = b * b * (p * p) / q.
Proof.
  rewrite excess_is_square by auto. rewrite (sum_two A m r) by auto. fold rest.
  rewrite row_m, row_r, um, ur, vm, vr, sm, sr.
  rewrite (sum_ext rest (fun c => (0 - t - (u c - v c)) * (0 - t - (u c - v c))) (fun _ => t * t))
    by (intros c Hc; rewrite (ue c Hc), (ve c Hc); ring).
  rewrite (sum_ext rest (fun c => (0 - - t - (u c - v c)) * (0 - - t - (u c - v c))) (fun _ => t * t))
    by (intros c Hc; rewrite (ue c Hc), (ve c Hc); ring).
  rewrite (sum_ext rest (fun a => s a * _) (fun _ => e * (2 * (t * t)))).
  - rewrite !sum_const, rest_length.
    replace (b * b * (p * p) / q) with (t * t * q) by (unfold t; field; lra).
    unfold q. field.
  - intros a Ha. rewrite (row_a a); auto.
    + rewrite um, ur, vm, vr, (ue a Ha), (ve a Ha), (se a Ha). ring.
    + intros c Hc. rewrite (ue a Ha), (ve a Ha), (ue c Hc), (ve c Hc). ring.
Qed.

Lemma sum_sq_family : exists s u i,
  is_dist A s /\ is_argmax A u r /\ is_min_over all_scores (risk sum_sq A s) i /\
  exists b q, 0 < b /\ largest A s - s r = b /\ k + 2 - k * (k * w) <= q /\ 2 <= q /\
    risk sum_sq A s u - i = b * b * ((2 + (k - 2) * w) * (2 + (k - 2) * w)) / q.
Proof.
  exists s, u, (risk sum_sq A s v). split; [auto|]. split.
  { split; auto. intros c Hc. rewrite ur.
    destruct (cases c Hc) as [->|[->|H]]; [rewrite um|rewrite ur|rewrite ue by auto]; lra. }
  split.
  { split; [intros x _; apply stationary_is_minimal; auto; apply dist|].
    exists v. split; [exact I|auto]. }
  exists b, q. split; [auto|]. split.
  { rewrite (largest_at A s m); auto.
    - rewrite sm, sr. field.
    - intros c Hc. rewrite sm. destruct (cases c Hc) as [->|[->|H]];
        [rewrite sm|rewrite sr|rewrite se by auto]; lra. }
  split; [|split; [auto|exact gap]].
  unfold q, sg. assert (0 <= k * (w - 3 * e)) by (apply Rmult_le_pos; lra).
  assert (0 <= k * e) by (apply Rmult_le_pos; lra). assert (0 <= k * (k * (w - 3 * e))) by (apply Rmult_le_pos; lra).
  assert (0 <= k * (k * e)) by (apply Rmult_le_pos; lra). lra.
Qed.
End Family.

(* Two actions: the constant one, attained. *)
Lemma sum_sq_two_actions A m r :
  NoDup A -> In m A -> In r A -> m <> r -> length A = 2%nat -> exists s u i,
  is_dist A s /\ is_argmax A u r /\ is_min_over all_scores (risk sum_sq A s) i /\
  largest A s - s r = 1 / 2 /\ risk sum_sq A s u - i = 1 / 4.
Proof.
  intros N Hm Hr NE L.
  assert (Rest : others (others A m) r = nil).
  { assert (Q := others_two_length A m r N Hm Hr NE). rewrite L in Q.
    destruct (others (others A m) r) as [|c l]; auto. exfalso.
    cbn [length] in Q. rewrite S_INR in Q. pose proof (pos_INR (length l)). simpl in Q. lra. }
  assert (Rest' : others (others A r) m = nil).
  { assert (Q := others_two_length A r m N Hr Hm ltac:(auto)). rewrite L in Q.
    destruct (others (others A r) m) as [|c l]; auto. exfalso.
    cbn [length] in Q. rewrite S_INR in Q. pose proof (pos_INR (length l)). simpl in Q. lra. }
  assert (Row_m : forall f, sum (others A m) f = f r).
  { intros f. rewrite (sum_others (others A m) r f), Rest;
      [simpl; ring|apply others_nodup; auto|apply others_in; auto]. }
  assert (Row_r : forall f, sum (others A r) f = f m).
  { intros f. rewrite (sum_others (others A r) m f), Rest';
      [simpl; ring|apply others_nodup; auto|apply others_in; auto]. }
  assert (Two : forall f, sum A f = f m + f r).
  { intros f. rewrite (sum_two A m r f), Rest by auto. simpl. ring. }
  assert (Cases : forall a, In a A -> a = m \/ a = r).
  { intros a Ha. destruct (Nat.eq_dec a m); auto. destruct (Nat.eq_dec a r); auto. exfalso.
    assert (In a (others (others A m) r)) by (apply others_two; auto). rewrite Rest in *. auto. }
  set (s := pair_dist m r (1 / 2)).
  set (v := fun a => if Nat.eqb a m then 1 / 4 else - 1 / 4).
  assert (sm : s m = 3 / 4) by (unfold s; rewrite pair_m; field).
  assert (sr : s r = 1 / 4) by (unfold s; rewrite pair_r by auto; field).
  assert (vm : v m = 1 / 4) by (unfold v; rewrite Nat.eqb_refl; auto).
  assert (vr : v r = - 1 / 4) by (unfold v; destruct (Nat.eqb_spec r m); congruence).
  assert (D : is_dist A s) by (apply pair_is_dist; auto; lra).
  assert (St : stationary A s v).
  { split.
    - intros a c Ha Hc. destruct (Cases a Ha) as [->| ->], (Cases c Hc) as [->| ->];
        rewrite ?vm, ?vr; lra.
    - intros a Ha. destruct (Cases a Ha) as [->| ->];
        rewrite ?Row_m, ?Row_r, sm, sr, vm, vr; lra. }
  exists s, (fun _ => 0), (risk sum_sq A s v).
  split; [auto|]. split; [apply argmax_of_constant; auto|]. split.
  { split; [intros x _; apply stationary_is_minimal; auto; apply D|]. exists v. split; [exact I|auto]. }
  split; [unfold s; apply pair_largest; auto; lra|].
  rewrite excess_is_square by (auto; intros; lra). rewrite Two, Row_m, Row_r, sm, sr, vm, vr. lra.
Qed.

(* about: gamma-sum-sq *)
Theorem sum_sq_constant_is_sharp_for_every_K :
  forall A c, NoDup A -> (2 <= length A)%nat -> c < (INR (length A) + 2) / 4 ->
  ~ calibrated sum_sq all_scores A (fun t => sqrt (c * t)).
Proof.
  assert (Main : forall A c, NoDup A -> (2 <= length A)%nat ->
    1 / 2 <= c < (INR (length A) + 2) / 4 ->
    ~ calibrated sum_sq all_scores A (fun t => sqrt (c * t))).
  { intros A c N L C H. destruct (two_elements A N L) as (r & m & Hr & Hm & NE).
    destruct (Nat.eq_dec (length A) 2) as [L2|L2].
    - destruct (sum_sq_two_actions A m r N Hm Hr ltac:(auto) L2) as (s & u & i & D & M & I & G & V).
      specialize (H s u r i D Logic.I M (min_is_inf _ _ _ I)). cbv beta in H. rewrite G, V in H.
      rewrite L2 in C. replace (INR 2) with 2 in C by (simpl; ring).
      apply Rle_not_lt in H. apply H. apply sqrt_below; lra.
    - assert (L3 : (3 <= length A)%nat) by lia. pose proof (INR_length_3 A L3) as K3.
      set (k := INR (length A)) in *. set (g := k + 2 - 4 * c). assert (G0 : 0 < g) by (unfold g; lra).
      set (w := Rmin (1 / k) (g / (12 * (k * k)))).
      assert (KK : 0 < 12 * (k * k)) by nra.
      assert (W : 0 < w) by (apply Rmin_glb_lt; apply Rdiv_lt_0_compat; lra).
      assert (Wk : w * k <= 1).
      { replace 1 with (1 / k * k) by (field; lra). apply Rmult_le_compat_r; [lra|apply Rmin_l]. }
      assert (Wg : w * (12 * (k * k)) <= g).
      { replace g with (g / (12 * (k * k)) * (12 * (k * k))) by (field; lra).
        apply Rmult_le_compat_r; [lra|apply Rmin_r]. }
      destruct (sum_sq_family A m r w N Hm Hr ltac:(auto) L3 W Wk)
        as (s & u & i & D & M & I & b & q & B & G & Q & Q2 & V).
      fold k in Q, V.
      specialize (H s u r i D Logic.I M (min_is_inf _ _ _ I)). cbv beta in H. rewrite G, V in H.
      apply Rle_not_lt in H. apply H. apply sqrt_below; auto.
      set (p := 2 + (k - 2) * w) in *.
      assert (P2 : p * p <= 4 + 5 * (k * w)).
      { set (y := (k - 2) * w). assert (0 <= y) by (unfold y; apply Rmult_le_pos; lra).
        assert (y <= k * w) by (unfold y; nra). unfold p. fold y. nra. }
      assert (Key : c * (p * p) < q).
      { apply Rle_lt_trans with (c * (4 + 5 * (k * w))); [apply Rmult_le_compat_l; lra|].
        assert (c * (k * w) <= k * (k * w)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra]).
        unfold g in *. lra. }
      apply Rmult_lt_reg_r with q; [lra|].
      replace (c * (b * b * (p * p) / q) * q) with (b * b * (c * (p * p))) by (field; lra).
      apply Rmult_lt_compat_l; auto. nra. }
  intros A c N L C H.
  assert (K2 := INR_length_2 A L).
  apply (Main A (Rmax (1 / 2) c) N L).
  - split; [apply Rmax_l|]. apply Rmax_lub_lt; lra.
  - apply (calibrated_mono _ _ _ (fun t => sqrt (c * t))); auto. intros t T.
    apply sqrt_le_1_alt. apply Rmult_le_compat_r; auto. apply Rmax_r.
Qed.
