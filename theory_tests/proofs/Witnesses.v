(* Two calibration functions of App. E that are false.

   gamma-cstnd-sq: the constrained squared hinge does not have Gamma(t) = sqrt(t), for any K >= 3.
   gamma-sum-sq:   the sum of squared hinges does not have Gamma(t) = sqrt(t), for any K >= 3.

   The infimum is certified (it is a minimum, and exhibited), the wrong action is
   the only largest entry of the scores, so that no rule for ties helps, and the active set is any
   list of at least three actions. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration.
Import ListNotations.
Open Scope R_scope.

(* x at r, y at m, z elsewhere. *)
Definition three (r m : nat) (x y z : R) : nat -> R :=
  fun a => if Nat.eqb a r then x else if Nat.eqb a m then y else z.

Lemma three_r r m x y z : three r m x y z r = x.
Proof. unfold three. rewrite Nat.eqb_refl. auto. Qed.

Lemma three_m r m x y z : r <> m -> three r m x y z m = y.
Proof.
  intros H. unfold three. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec m r); congruence.
Qed.

Lemma three_else (r m : nat) x y z (a : nat) : a <> r -> a <> m -> three r m x y z a = z.
Proof.
  intros H1 H2. unfold three. destruct (Nat.eqb_spec a r), (Nat.eqb_spec a m); congruence.
Qed.

Lemma sum_three (r m : nat) (rest : list nat) (f : nat -> R) (x y z : R) :
  NoDup (r :: m :: rest) -> f r = x -> f m = y ->
  (forall a, In a rest -> a <> r -> a <> m -> f a = z) ->
  sum (r :: m :: rest) f = x + y + (INR (length (r :: m :: rest)) - 2) * z.
Proof.
  intros N Hr Hm Hz. inversion N as [|? ? N1 N2]; subst. inversion N2 as [|? ? N3 N4]; subst.
  cbn [sum]. rewrite (sum_ext rest f (fun _ => z)).
  - rewrite sum_const. cbn [length]. rewrite !S_INR. ring.
  - intros a Ha. apply Hz; auto; intros ->; simpl in N1; tauto.
Qed.

Section ConstrainedSquare.
Variables (r m : nat) (rest : list nat).
Let A := r :: m :: rest.
Hypothesis N : NoDup A.
Hypothesis L : (3 <= length A)%nat.
Let k := INR (length A).

Let s := three r m 0 (2 / k) (1 / k).
Let e := 1 / (10 * k).
Let u := three r m e (- e) 0.
Let h := 1 + k / (k - 2) + k * (k - 2) / (k - 1).
Let l := k / h.
Let v := three r m (l - 1) (l / (1 - 2 / k) - 1) (l / (1 - 1 / k) - 1).

Let K3 : 3 <= k.
Proof. apply INR_length_3. auto. Qed.

Let NE : r <> m.
Proof. inversion N as [|? ? H _]; subst. intros E. apply H. left. auto. Qed.

Let H0 : 0 < h.
Proof.
  unfold h. assert (0 < k / (k - 2)) by (apply Rdiv_lt_0_compat; lra).
  assert (0 < k * (k - 2) / (k - 1)) by (apply Rdiv_lt_0_compat; nra). lra.
Qed.

Let L0 : 0 < l.
Proof. unfold l. apply Rdiv_lt_0_compat; lra. Qed.

Let inv2 : 0 < 1 - 2 / k.
Proof. assert (2 / k * k = 2) by (field; lra). nra. Qed.

Let inv1 : 0 < 1 - 1 / k.
Proof. assert (1 / k * k = 1) by (field; lra). nra. Qed.

Let mass1 : sum A s = 1.
Proof.
  unfold A. rewrite (sum_three r m rest s 0 (2 / k) (1 / k)); auto.
  - fold A k. field. lra.
  - apply three_r.
  - apply three_m; auto.
  - intros. apply three_else; auto.
Qed.

Let dist : is_dist A s.
Proof.
  split; auto. intros a _. unfold s, three.
  assert (0 < 2 / k) by (apply Rdiv_lt_0_compat; lra).
  assert (0 < 1 / k) by (apply Rdiv_lt_0_compat; lra).
  destruct (Nat.eqb a r), (Nat.eqb a m); lra.
Qed.

Let u_zero : zero_sum A u.
Proof.
  unfold zero_sum, A. rewrite (sum_three r m rest u e (- e) 0); auto; [ring|..].
  - apply three_r.
  - apply three_m; auto.
  - intros. apply three_else; auto.
Qed.

Let v_zero : zero_sum A v.
Proof.
  unfold zero_sum, A.
  rewrite (sum_three r m rest v (l - 1) (l / (1 - 2 / k) - 1) (l / (1 - 1 / k) - 1)); auto.
  - fold A k. assert (E : l * h = k) by (unfold l; field; lra). unfold h in E.
    transitivity (l * (1 + k / (k - 2) + k * (k - 2) / (k - 1)) - k); [field; lra|lra].
  - apply three_r.
  - apply three_m; auto.
  - intros. apply three_else; auto.
Qed.

Let E0 : 0 < e < 1.
Proof.
  unfold e. split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_lt_reg_r with (10 * k); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Let u_only : only_argmax A u r.
Proof.
  split; [left; auto|]. intros b Hb Nb. unfold u at 2. rewrite three_r.
  unfold u, three. destruct (Nat.eqb_spec b r); [congruence|].
  destruct (Nat.eqb b m); lra.
Qed.

Let risk_u : risk cstnd_sq A s u
  = (1 + e) * (1 + e) + (1 - 2 / k) * ((1 - e) * (1 - e)) + (k - 2) * (1 - 1 / k).
Proof.
  rewrite risk_cstnd_sq, mass1 by auto. unfold A.
  rewrite (sum_three r m rest _ ((1 + e) * (1 + e)) ((1 - 2 / k) * ((1 - e) * (1 - e)))
             (1 - 1 / k)); auto.
  - unfold s, u. rewrite !three_r, pos_part_nonneg by lra. ring.
  - unfold s, u. rewrite !three_m, pos_part_nonneg by (auto; lra). ring.
  - intros a _ H1 H2. unfold s, u. rewrite !three_else, pos_part_nonneg by (auto; lra). ring.
Qed.

Let inf_is : is_min_over (zero_sum A) (risk cstnd_sq A s) (k * k / h).
Proof.
  split.
  - intros x Z. rewrite risk_cstnd_sq, mass1 by auto.
    apply Rle_trans with (sum A (fun b => 2 * l * (1 + x b) - l * l / (1 - s b))).
    + rewrite sum_minus, sum_scal, sum_plus, sum_const. unfold zero_sum in Z. rewrite Z.
      fold k. replace (sum A (fun b => l * l / (1 - s b))) with (l * l * h).
      * unfold l. right. field. lra.
      * unfold A. symmetry.
        rewrite (sum_three r m rest _ (l * l / (1 - 0)) (l * l / (1 - 2 / k))
                   (l * l / (1 - 1 / k))); auto.
        -- fold A k. unfold h. field. lra.
        -- unfold s. rewrite three_r. auto.
        -- unfold s. rewrite three_m; auto.
        -- intros. unfold s. rewrite three_else; auto.
    + apply sum_le. intros b _.
      assert (P : 0 < 1 - s b).
      { unfold s, three. destruct (Nat.eqb b r), (Nat.eqb b m); lra. }
      assert (C : 0 <= l / (1 - s b)) by (left; apply Rdiv_lt_0_compat; auto).
      pose proof (pos_part_sq _ (1 + x b) C) as T.
      apply Rmult_le_compat_l with (r := 1 - s b) in T; [|lra].
      eapply Rle_trans; [|exact T]. right. field. lra.
  - exists v. split; auto. rewrite risk_cstnd_sq, mass1 by auto. unfold A.
    assert (0 < l / (1 - 2 / k)) by (apply Rdiv_lt_0_compat; auto).
    assert (0 < l / (1 - 1 / k)) by (apply Rdiv_lt_0_compat; auto).
    rewrite (sum_three r m rest _ (l * l) (l * l / (1 - 2 / k)) (l * l / (1 - 1 / k))); auto.
    + fold A k. unfold l, h. field. repeat split; try nra.
    + unfold s, v. rewrite !three_r, pos_part_nonneg by lra. ring.
    + unfold s, v. rewrite !three_m, pos_part_nonneg by (auto; lra). field. lra.
    + intros a _ Ha1 Ha2. unfold s, v. rewrite !three_else, pos_part_nonneg by (auto; lra).
      field. lra.
Qed.

Let largest_s : largest A s = 2 / k.
Proof.
  rewrite (largest_at A s m); [apply three_m; auto|right; left; auto|].
  intros b _. unfold s. rewrite three_m by auto. unfold three.
  assert (0 < 1 / k) by (apply Rdiv_lt_0_compat; lra).
  assert (2 / k = 2 * (1 / k)) by (field; lra).
  destruct (Nat.eqb b r), (Nat.eqb b m); lra.
Qed.

Let square : risk cstnd_sq A s u - k * k / h < 2 / k * (2 / k).
Proof.
  rewrite risk_u. set (d := k * k * k - 2 * (k * k) + 2).
  assert (D : 0 < d) by (unfold d; nra).
  assert (E1 : k * k / h = k - 1 - 2 * (k - 1) / d).
  { assert (Eh : h = d / ((k - 1) * (k - 2))) by (unfold h, d; field; lra).
    assert (Ed : k * k = (d - 2) / (k - 2)) by (unfold d; field; lra).
    rewrite Eh, Ed. field. repeat split; lra. }
  rewrite E1.
  assert (E2 : (1 + e) * (1 + e) + (1 - 2 / k) * ((1 - e) * (1 - e)) + (k - 2) * (1 - 1 / k)
               = k - 1 + (2 / 5 + 1 / 50 - 1 / 50 * (1 / k)) / (k * k)).
  { unfold e. field. lra. }
  rewrite E2.
  assert (P : 0 < 1 / k) by (apply Rdiv_lt_0_compat; lra).
  assert (Q : 2 * (k - 1) / d < (358 / 100) / (k * k)).
  { apply Rmult_lt_reg_r with (d * (k * k)); [apply Rmult_lt_0_compat; nra|].
    replace (2 * (k - 1) / d * (d * (k * k))) with (2 * (k - 1) * (k * k)) by (field; lra).
    replace (358 / 100 / (k * k) * (d * (k * k))) with (358 / 100 * d) by (field; lra).
    unfold d. set (t := k - 3). assert (T0 : 0 <= t) by (unfold t; lra).
    replace k with (3 + t) by (unfold t; ring).
    assert (0 <= t * t) by nra. assert (0 <= t * t * t) by nra. nra. }
  assert (W : 0 < 1 / (k * k)) by (apply Rdiv_lt_0_compat; nra).
  replace (2 / k * (2 / k)) with (4 * (1 / (k * k))) by (field; lra).
  replace ((2 / 5 + 1 / 50 - 1 / 50 * (1 / k)) / (k * k))
    with ((2 / 5 + 1 / 50 - 1 / 50 * (1 / k)) * (1 / (k * k))) by (field; lra).
  replace (358 / 100 / (k * k)) with (358 / 100 * (1 / (k * k))) in Q by (field; lra).
  nra.
Qed.

Lemma cstnd_sq_witness : exists s u i,
  is_dist A s /\ zero_sum A u /\ only_argmax A u r /\
  is_min_over (zero_sum A) (risk cstnd_sq A s) i /\
  largest A s - s r = 2 / INR (length A) /\
  risk cstnd_sq A s u - i < (largest A s - s r) * (largest A s - s r).
Proof.
  exists s, u, (k * k / h).
  assert (G : largest A s - s r = 2 / k) by (rewrite largest_s; unfold s; rewrite three_r; ring).
  rewrite G. auto 10.
Qed.

(* The same distribution at scores zero, r chosen: the gap exactly. *)
Lemma cstnd_sq_gap_at_zero : exists s i,
  is_dist A s /\ is_min_over (zero_sum A) (risk cstnd_sq A s) i /\
  largest A s - s r = 2 / k /\
  risk cstnd_sq A s (fun _ => 0) - i = 2 * (k - 1) / (k * k * k - 2 * (k * k) + 2).
Proof.
  exists s, (k * k / h). split; [auto|]. split; [auto|].
  split; [rewrite largest_s; unfold s; rewrite three_r; ring|].
  rewrite risk_cstnd_sq, mass1 by auto.
  rewrite (sum_ext A _ (fun a => 1 - s a)) by (intros; rewrite pos_part_nonneg by lra; ring).
  rewrite sum_minus, sum_const, mass1. fold k.
  set (d := k * k * k - 2 * (k * k) + 2). assert (D : 0 < d) by (unfold d; nra).
  assert (Eh : h = d / ((k - 1) * (k - 2))) by (unfold h, d; field; lra).
  assert (Ed : k * k = (d - 2) / (k - 2)) by (unfold d; field; lra).
  rewrite Eh, Ed. field. repeat split; lra.
Qed.
End ConstrainedSquare.

(* refutes: gamma-cstnd-sq *)
Theorem cstnd_sq_gamma_sqrt_fails_for_every_K_from_3 :
  forall A, NoDup A -> (3 <= length A)%nat ->
  exists s u r i,
    is_dist A s /\ zero_sum A u /\ only_argmax A u r /\
    is_min_over (zero_sum A) (risk cstnd_sq A s) i /\
    largest A s - s r = 2 / INR (length A) /\
    largest A s - s r > sqrt (risk cstnd_sq A s u - i).
Proof.
  intros A N L. destruct A as [|r [|m rest]]; simpl in L; try lia.
  destruct (cstnd_sq_witness r m rest N L) as (s & u & i & D & Z & M & I & G & Q).
  exists s, u, r, i. repeat (split; auto). apply sqrt_below; auto.
  rewrite G. apply Rdiv_lt_0_compat; [lra|].
  pose proof (INR_length_3 (r :: m :: rest) L). lra.
Qed.

(* Four values: at a, b, c and elsewhere. *)
Definition four (a b c : nat) (x y z w : R) : nat -> R :=
  fun d => if Nat.eqb d a then x else if Nat.eqb d b then y else if Nat.eqb d c then z else w.

Section SumOfSquares.
Variables (a b c : nat) (rest : list nat).
Let A := a :: b :: c :: rest.
Hypothesis N : NoDup A.

Let Nab : a <> b.
Proof. inversion N as [|? ? H _]; subst. intros E. apply H. left. auto. Qed.
Let Nac : a <> c.
Proof. inversion N as [|? ? H _]; subst. intros E. apply H. right. left. auto. Qed.
Let Nbc : b <> c.
Proof.
  inversion N as [|? ? _ M]; subst. inversion M as [|? ? H _]; subst.
  intros E. apply H. left. auto.
Qed.
Let rest_else : forall d, In d rest -> d <> a /\ d <> b /\ d <> c.
Proof.
  intros d Hd. inversion N as [|? ? H1 M1]; subst. inversion M1 as [|? ? H2 M2]; subst.
  inversion M2 as [|? ? H3 M3]; subst. simpl in *.
  repeat split; intros ->; tauto.
Qed.

Let four_a x y z w : four a b c x y z w a = x.
Proof. unfold four. rewrite Nat.eqb_refl. auto. Qed.
Let four_b x y z w : four a b c x y z w b = y.
Proof. unfold four. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec b a); congruence. Qed.
Let four_c x y z w : four a b c x y z w c = z.
Proof.
  unfold four. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec c a); [congruence|].
  destruct (Nat.eqb_spec c b); congruence.
Qed.
Let four_else x y z w d : In d rest -> four a b c x y z w d = w.
Proof.
  intros Hd. destruct (rest_else d Hd) as (H1 & H2 & H3). unfold four.
  destruct (Nat.eqb_spec d a); [congruence|]. destruct (Nat.eqb_spec d b); [congruence|].
  destruct (Nat.eqb_spec d c); congruence.
Qed.

Let s := four a b c (9 / 20) (1 / 2) (1 / 20) 0.

(* The terms of the first three actions against one another, plus those against the rest. *)
Let H x y := Rmax 0 (1 - (x - y)) * Rmax 0 (1 - (x - y)).
Let risk_is u :
  risk sum_sq A s u
  = 9 / 20 * (H (u a) (u b) + H (u a) (u c) + sum rest (fun d => H (u a) (u d)))
    + 1 / 2 * (H (u b) (u a) + H (u b) (u c) + sum rest (fun d => H (u b) (u d)))
    + 1 / 20 * (H (u c) (u a) + H (u c) (u b) + sum rest (fun d => H (u c) (u d))).
Proof.
  assert (E : forall x, In x A ->
    sum_sq A x u = sum A (fun d => H (u x) (u d)) - H (u x) (u x)).
  { intros x Hx. rewrite sum_sq_eq, sum_others_eq by auto. reflexivity. }
  rewrite risk_eq. unfold A at 1. cbn [sum].
  rewrite (sum_zero rest) by (intros d Hd; unfold s; rewrite four_else by auto; ring).
  rewrite !E by (unfold A; simpl; auto).
  unfold s. rewrite four_a, four_b, four_c. unfold A. cbn [sum]. ring.
Qed.

Let far x (u : nat -> R) : (forall d, In d rest -> u d <= x - 1) ->
  sum rest (fun d => H x (u d)) = 0.
Proof.
  intros F. apply sum_zero. intros d Hd. specialize (F d Hd). unfold H.
  rewrite pos_part_nonpos by lra. ring.
Qed.

Let at_four x y z : -1 <= x -> -1 <= y -> -1 <= z ->
  risk sum_sq A s (four a b c x y z (-2))
  = 9 / 20 * (H x y + H x z) + 1 / 2 * (H y x + H y z) + 1 / 20 * (H z x + H z y).
Proof.
  intros X Y Z. rewrite risk_is, four_a, four_b, four_c.
  rewrite !far by (intros d Hd; rewrite four_else by auto; lra). ring.
Qed.

Let best := 9 / 20 * (H 0 (23 / 509) + H 0 (- 400 / 509))
  + 1 / 2 * (H (23 / 509) 0 + H (23 / 509) (- 400 / 509))
  + 1 / 20 * (H (- 400 / 509) 0 + H (- 400 / 509) (23 / 509)).

Let inf_is : is_min_over all_scores (risk sum_sq A s) best.
Proof.
  split.
  - intros u _. rewrite risk_is.
    assert (Q : forall x, 0 <= sum rest (fun d => H x (u d)))
      by (intros; apply sum_nonneg; intros; unfold H; apply Rle_0_sqr).
    pose proof (Q (u a)). pose proof (Q (u b)). pose proof (Q (u c)).
    pose proof (pos_part_sq (532 / 509) (1 - (u a - u b)) ltac:(lra)) as T1.
    pose proof (pos_part_sq (109 / 509) (1 - (u a - u c)) ltac:(lra)) as T2.
    pose proof (pos_part_sq (486 / 509) (1 - (u b - u a)) ltac:(lra)) as T3.
    pose proof (pos_part_sq (86 / 509) (1 - (u b - u c)) ltac:(lra)) as T4.
    pose proof (pos_part_sq (909 / 509) (1 - (u c - u a)) ltac:(lra)) as T5.
    pose proof (pos_part_sq (932 / 509) (1 - (u c - u b)) ltac:(lra)) as T6.
    unfold best, H in *. rewrite !pos_part_nonneg by lra. lra.
  - exists (four a b c 0 (23 / 509) (- 400 / 509) (-2)). split; [exact I|].
    rewrite at_four by lra. reflexivity.
Qed.

Let u := four a b c (1 / 100000) (- 1 / 100000) (- 13 / 16) (-2).

Let u_only : only_argmax A u a.
Proof.
  split; [left; auto|]. intros d _ Hd. unfold u at 2. rewrite four_a. unfold u, four.
  destruct (Nat.eqb_spec d a); [congruence|].
  destruct (Nat.eqb d b), (Nat.eqb d c); lra.
Qed.

Let dist : is_dist A s.
Proof.
  split.
  - intros d _. unfold s, four. destruct (Nat.eqb d a), (Nat.eqb d b), (Nat.eqb d c); lra.
  - unfold A. cbn [sum]. rewrite (sum_zero rest) by (intros; apply four_else; auto).
    unfold s. rewrite four_a, four_b, four_c. lra.
Qed.

Let largest_s : largest A s = 1 / 2.
Proof.
  rewrite (largest_at A s b); [apply four_b|right; left; auto|].
  intros d _. unfold s. rewrite four_b. unfold four.
  destruct (Nat.eqb d a), (Nat.eqb d b), (Nat.eqb d c); lra.
Qed.

Lemma sum_sq_witness : exists s u i,
  is_dist A s /\ only_argmax A u a /\
  is_min_over all_scores (risk sum_sq A s) i /\
  largest A s - s a = 1 / 20 /\
  risk sum_sq A s u - i = 253074299373 / 101800000000000.
Proof.
  exists s, u, best. repeat (split; auto).
  - rewrite largest_s. unfold s. rewrite four_a. lra.
  - unfold u. rewrite at_four by lra. unfold best, H.
    rewrite !pos_part_nonneg by lra. lra.
Qed.
End SumOfSquares.

(* refutes: gamma-sum-sq *)
Theorem sum_sq_gamma_sqrt_fails_for_every_K_from_3 :
  forall A, NoDup A -> (3 <= length A)%nat ->
  exists s u r i,
    is_dist A s /\ only_argmax A u r /\
    is_min_over all_scores (risk sum_sq A s) i /\
    largest A s - s r = 1 / 20 /\
    risk sum_sq A s u - i = 253074299373 / 101800000000000 /\
    largest A s - s r > sqrt (risk sum_sq A s u - i).
Proof.
  intros A N L. destruct A as [|a [|b [|c rest]]]; simpl in L; try lia.
  destruct (sum_sq_witness a b c rest N) as (s & u & i & D & M & I & G & Q).
  exists s, u, a, i. repeat (split; auto). rewrite G, Q. apply sqrt_below; lra.
Qed.
