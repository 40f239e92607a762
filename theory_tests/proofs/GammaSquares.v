(* The two squared losses of App. E: what is true instead of Gamma(t) = sqrt(t).

   gamma-cstnd-sq: Gamma(t) = sqrt(2 t) for every K, and sqrt(t), as stated, for two actions; no
     constant below 2 serves every K.
   gamma-sum-sq:   Gamma(t) = sqrt((K + 2) t) / 2 for every K, which is sqrt(t) for two actions; that
     it is sharp is in SumSquaresSharp.v.
   That the stated functions are false for every K >= 3 is in Witnesses.v. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration GammaHinge GammaExp Witnesses.
Import ListNotations.
Open Scope R_scope.

(* The square of the positive part moves by at most its tangent plus a square. *)
Lemma pos_part_sq_step x y :
  Rmax 0 (x + y) * Rmax 0 (x + y) <= Rmax 0 x * Rmax 0 x + 2 * Rmax 0 x * y + y * y.
Proof.
  unfold Rmax. destruct (Rle_dec 0 (x + y)), (Rle_dec 0 x); nra.
Qed.

(* Scores moved by t from r to m. *)
Definition moved (m r : nat) (t : R) (u : nat -> R) : nat -> R :=
  fun a => if Nat.eqb a m then u a + t else if Nat.eqb a r then u a - t else u a.

Section Moved.
Variables (m r : nat) (t : R) (u : nat -> R).
Hypothesis NE : m <> r.

Lemma moved_m : moved m r t u m = u m + t.
Proof. unfold moved. rewrite Nat.eqb_refl. auto. Qed.
Lemma moved_r : moved m r t u r = u r - t.
Proof. unfold moved. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec r m); congruence. Qed.
Lemma moved_else a : a <> m -> a <> r -> moved m r t u a = u a.
Proof.
  intros H1 H2. unfold moved. destruct (Nat.eqb_spec a m), (Nat.eqb_spec a r); congruence.
Qed.
End Moved.

Lemma moved_zero_sum A m r t u :
  NoDup A -> In m A -> In r A -> m <> r -> zero_sum A u -> zero_sum A (moved m r t u).
Proof.
  intros N Hm Hr NE Z. unfold zero_sum in *. rewrite (sum_two A m r) in * by auto.
  rewrite moved_m, moved_r by auto.
  rewrite (sum_ext (others (others A m) r) (moved m r t u) u); [lra|].
  intros a Ha. apply others_two in Ha. apply moved_else; tauto.
Qed.

(* What moving beta x / D gains, D = 2 - s_m - s_r, x = 1 + u_r. *)
Lemma cstnd_sq_gain A s u r m :
  NoDup A -> is_dist A s -> zero_sum A u -> is_argmax A u r -> is_argmax A s m -> m <> r ->
  exists v, zero_sum A v /\
    (s m - s r) * (s m - s r) <= (2 - s m - s r) * (risk cstnd_sq A s u - risk cstnd_sq A s v).
Proof.
  intros N D Z M [Hm Mm] NE. pose proof D as [P S].
  pose proof (argmax_zero_sum_nonneg A u r Z M) as U0. destruct M as [Hr Mr].
  pose proof (dist_pair A s m r N D Hm Hr NE) as Two.
  pose proof (P m Hm) as Pm. pose proof (P r Hr) as Pr. pose proof (Mm r Hr) as Lr.
  set (x := 1 + u r). set (d2 := 2 - s m - s r). set (b := s m - s r).
  assert (D2 : 1 <= d2 <= 2) by (unfold d2; lra).
  set (t := b * x / d2). exists (moved m r t u).
  split; [apply moved_zero_sum; auto|].
  assert (X : 1 <= x) by (unfold x; lra).
  assert (B : 0 <= b <= 1) by (unfold b; lra).
  assert (T0 : 0 <= t) by (apply Rmult_le_pos; [nra|left; apply Rinv_0_lt_compat; lra]).
  assert (Td : t * d2 = b * x) by (unfold t; field; lra).
  assert (T1 : t <= x) by nra.
  rewrite !risk_cstnd_sq, S by auto.
  rewrite (sum_two A m r (fun a => (1 - s a) * (Rmax 0 (1 + u a) * Rmax 0 (1 + u a)))) by auto.
  rewrite (sum_two A m r (fun a => (1 - s a)
    * (Rmax 0 (1 + moved m r t u a) * Rmax 0 (1 + moved m r t u a)))) by auto.
  rewrite (sum_ext (others (others A m) r)
    (fun a => (1 - s a) * (Rmax 0 (1 + moved m r t u a) * Rmax 0 (1 + moved m r t u a)))
    (fun a => (1 - s a) * (Rmax 0 (1 + u a) * Rmax 0 (1 + u a))))
    by (intros a Ha; apply others_two in Ha; rewrite moved_else by tauto; auto).
  rewrite moved_m, moved_r by auto. fold x.
  replace (1 + (u r - t)) with (x - t) by (unfold x; ring).
  rewrite (pos_part_nonneg x), (pos_part_nonneg (x - t)) by lra.
  replace (1 + (u m + t)) with (1 + u m + t) by ring.
  pose proof (pos_part_sq_step (1 + u m) t) as Step.
  assert (W : 0 <= Rmax 0 (1 + u m) <= x).
  { split; [apply Rmax_l|]. apply Rmax_lub; [lra|]. specialize (Mr m Hm). unfold x. lra. }
  set (w := Rmax 0 (1 + u m)) in *. set (w' := Rmax 0 (1 + u m + t)) in *.
  assert (W2 : w' * w' <= w * w + 2 * x * t + t * t).
  { assert (2 * w * t <= 2 * x * t) by (apply Rmult_le_compat_r; lra). lra. }
  assert (G1 : (1 - s m) * (w' * w') <= (1 - s m) * (w * w + 2 * x * t + t * t))
    by (apply Rmult_le_compat_l; lra).
  set (rest := sum (others (others A m) r) (fun a => (1 - s a) * (Rmax 0 (1 + u a) * Rmax 0 (1 + u a)))).
  assert (Gain : 2 * t * b * x - t * t * d2
    <= (1 - s m) * (w * w) + (1 - s r) * (x * x) + rest
       - ((1 - s m) * (w' * w') + (1 - s r) * ((x - t) * (x - t)) + rest)).
  { unfold b, d2 in *. lra. }
  assert (E : d2 * (2 * t * b * x - t * t * d2) = b * x * (b * x)).
  { replace (d2 * (2 * t * b * x - t * t * d2)) with (2 * (t * d2) * (b * x) - t * d2 * (t * d2)) by ring.
    rewrite Td. ring. }
  apply Rle_trans with (b * x * (b * x)).
  - replace (b * x * (b * x)) with (b * b * (x * x)) by ring.
    assert (0 <= b * b) by nra. assert (1 <= x * x) by nra.
    rewrite <- (Rmult_1_r (b * b)) at 1. apply Rmult_le_compat_l; auto.
  - rewrite <- E. apply Rmult_le_compat_l; lra.
Qed.

(* about: gamma-cstnd-sq *)
Theorem cstnd_sq_has_gamma_sqrt_2t :
  forall A, NoDup A -> calibrated cstnd_sq (zero_sum A) A (fun t => sqrt (2 * t)).
Proof.
  intros A N s u r i D Z M I.
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm).
  destruct (Nat.eq_dec m r) as [->|NE].
  { replace (s r - s r) with 0 by ring. apply sqrt_pos. }
  destruct (cstnd_sq_gain A s u r m N D Z M Hm NE) as (v & Zv & G).
  pose proof (proj2 Hm r (proj1 M)). pose proof (proj1 I v Zv). pose proof (proj1 I u Z).
  pose proof (dist_pair A s m r N D (proj1 Hm) (proj1 M) NE).
  pose proof (proj1 D m (proj1 Hm)). pose proof (proj1 D r (proj1 M)).
  apply below_sqrt; [lra|]. eapply Rle_trans; [exact G|].
  apply Rle_trans with ((2 - s m - s r) * (risk cstnd_sq A s u - i)).
  - apply Rmult_le_compat_l; lra.
  - apply Rmult_le_compat_r; lra.
Qed.

(* about: gamma-cstnd-sq *)
Theorem cstnd_sq_has_gamma_sqrt_t_for_two_actions :
  forall A, NoDup A -> length A = 2%nat -> calibrated cstnd_sq (zero_sum A) A (fun t => sqrt t).
Proof.
  intros A N L s u r i D Z M I.
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm).
  destruct (Nat.eq_dec m r) as [->|NE].
  { replace (s r - s r) with 0 by ring. apply sqrt_pos. }
  destruct (cstnd_sq_gain A s u r m N D Z M Hm NE) as (v & Zv & G).
  pose proof (proj2 Hm r (proj1 M)). pose proof (proj1 I v Zv).
  assert (One : s m + s r = 1).
  { pose proof (proj2 D) as S. rewrite (sum_two A m r) in S by (auto; first [apply Hm | apply M]).
    assert (Len := others_two_length A m r N (proj1 Hm) (proj1 M) NE). rewrite L in Len.
    destruct (others (others A m) r) as [|a l].
    - simpl in S. lra.
    - cbn [length] in Len. rewrite S_INR in Len. pose proof (pos_INR (length l)). simpl in Len. lra. }
  apply below_sqrt; [lra|]. eapply Rle_trans; [exact G|].
  replace (2 - s m - s r) with 1 by lra. lra.
Qed.

(* The constant 2 of all K cannot be improved. *)
(* about: gamma-cstnd-sq *)
Theorem cstnd_sq_constant_two_is_sharp_over_all_K :
  forall c, c < 2 -> exists K0, forall A, NoDup A -> (K0 <= length A)%nat ->
  ~ calibrated cstnd_sq (zero_sum A) A (fun t => sqrt (c * t)).
Proof.
  assert (Main : forall c, 1 <= c < 2 -> exists K0, forall A, NoDup A -> (K0 <= length A)%nat ->
    ~ calibrated cstnd_sq (zero_sum A) A (fun t => sqrt (c * t))).
  { intros c C. destruct (archimed (3 / (2 - c))) as [Up _].
    exists (3 + Z.to_nat (up (3 / (2 - c))))%nat. intros A N L H.
    assert (L3 : (3 <= length A)%nat) by lia. pose proof (INR_length_3 A L3) as K3.
    assert (Big : 3 < (2 - c) * INR (length A)).
    { assert (Q : 0 < 3 / (2 - c)) by (apply Rdiv_lt_0_compat; lra).
      assert (INR (Z.to_nat (up (3 / (2 - c)))) <= INR (length A)) by (apply le_INR; lia).
      rewrite INR_IZR_INZ, Z2Nat.id in H0.
      - assert (E : 3 / (2 - c) * (2 - c) = 3) by (field; lra). nra.
      - apply le_IZR. lra. }
    destruct A as [|r [|m rest]]; simpl in L3; try lia.
    destruct (cstnd_sq_gap_at_zero r m rest N L3) as (s & i & D & I & G & V).
    set (A := r :: m :: rest) in *. set (k := INR (length A)) in *.
    specialize (H s (fun _ => 0) r i D (zero_is_zero_sum A)
                  (argmax_of_constant A 0 r ltac:(left; auto)) (min_is_inf _ _ _ I)).
    cbv beta in H. rewrite G, V in H. apply Rle_not_lt in H. apply H.
    set (d := k * k * k - 2 * (k * k) + 2). assert (D0 : 0 < d) by (unfold d; nra).
    apply sqrt_below; [apply Rdiv_lt_0_compat; lra|].
    apply Rmult_lt_reg_r with (d * (k * k)); [apply Rmult_lt_0_compat; nra|].
    replace (c * (2 * (k - 1) / d) * (d * (k * k))) with (2 * (c * (k - 1) * (k * k)))
      by (field; lra).
    replace (2 / k * (2 / k) * (d * (k * k))) with (2 * (2 * d)) by (field; lra).
    unfold d.
    assert (3 * (k * k) < (2 - c) * k * (k * k)) by (apply Rmult_lt_compat_r; nra).
    assert (c * (k * k) <= 2 * (k * k)) by nra. nra. }
  intros c C. destruct (Main (Rmax 1 c)) as [K0 HK].
  { split; [apply Rmax_l|]. apply Rmax_lub_lt; lra. }
  exists K0. intros A N L H. apply (HK A N L).
  apply (calibrated_mono _ _ _ (fun t => sqrt (c * t))); auto. intros t T.
  apply sqrt_le_1_alt. apply Rmult_le_compat_r; auto. apply Rmax_r.
Qed.

(* Sum of squares: what moving by t changes, term by term. *)
Lemma others_comm A a b : others (others A a) b = others (others A b) a.
Proof.
  unfold others. induction A as [|c A IH]; simpl; auto.
  destruct (Nat.eqb c a) eqn:Ea, (Nat.eqb c b) eqn:Eb; simpl; rewrite ?Ea, ?Eb; simpl; auto.
  f_equal. auto.
Qed.

Lemma sum_sq_gain A s u r m t :
  NoDup A -> is_dist A s -> is_argmax A u r -> is_argmax A s m -> m <> r -> 0 <= t ->
  4 * t * (s m - s r) - t * t * (INR (length A) + 2)
  <= risk sum_sq A s u - risk sum_sq A s (moved m r t u).
Proof.
  intros N D [Hr Mr] [Hm Mm] NE T. pose proof D as [P S].
  set (v := moved m r t u). set (k := INR (length A)).
  set (w := fun a b => Rmax 0 (1 - (u a - u b))).
  set (dl := fun a b => (v a - v b) - (u a - u b)).
  set (rest := others (others A m) r).
  assert (Vm : v m = u m + t) by apply moved_m.
  assert (Vr : v r = u r - t) by (apply moved_r; auto).
  assert (Ve : forall a, In a rest -> v a = u a).
  { intros a Ha. apply others_two in Ha. apply moved_else; tauto. }
  assert (W0 : forall a b, 0 <= w a b) by (intros; apply Rmax_l).
  assert (Rin : forall a, In a rest -> In a A /\ a <> m /\ a <> r)
    by (intros a Ha; apply others_two in Ha; auto).
  (* every term *)
  assert (Term : forall a b,
    Rmax 0 (1 - (u a - u b)) * Rmax 0 (1 - (u a - u b))
    - Rmax 0 (1 - (v a - v b)) * Rmax 0 (1 - (v a - v b)) >= 2 * w a b * dl a b - dl a b * dl a b).
  { intros a b. pose proof (pos_part_sq_step (1 - (u a - u b)) (- dl a b)) as Q.
    replace (1 - (u a - u b) + - dl a b) with (1 - (v a - v b)) in Q by (unfold dl; ring).
    unfold w. lra. }
  assert (Diff : sum A (fun a => s a * sum (others A a) (fun b => 2 * w a b * dl a b - dl a b * dl a b))
    <= risk sum_sq A s u - risk sum_sq A s v).
  { rewrite !risk_eq, <- sum_minus. apply sum_le. intros a Ha. rewrite !sum_sq_eq.
    rewrite <- Rmult_minus_distr_l. apply Rmult_le_compat_l; [apply P; auto|].
    rewrite <- sum_minus. apply sum_le. intros b _. rewrite !hinge_eq.
    specialize (Term a b). lra. }
  eapply Rle_trans; [|exact Diff].
  (* the three kinds of rows *)
  assert (Nm : NoDup (others A m)) by (apply others_nodup; auto).
  assert (Nr : NoDup (others A r)) by (apply others_nodup; auto).
  assert (Row_m : sum (others A m) (fun b => 2 * w m b * dl m b - dl m b * dl m b)
    = (4 * t * w m r - 4 * (t * t)) + sum rest (fun b => 2 * t * w m b - t * t)).
  { rewrite (sum_others (others A m) r) by (auto; apply others_in; auto). fold rest. f_equal.
    - unfold dl. rewrite Vm, Vr. ring.
    - apply sum_ext. intros b Hb. unfold dl. rewrite Vm, (Ve b Hb). ring. }
  assert (Row_r : sum (others A r) (fun b => 2 * w r b * dl r b - dl r b * dl r b)
    = (- 4 * t * w r m - 4 * (t * t)) + sum rest (fun b => - 2 * t * w r b - t * t)).
  { rewrite (sum_others (others A r) m) by (auto; apply others_in; auto).
    rewrite (others_comm A r m). fold rest. f_equal.
    - unfold dl. rewrite Vm, Vr. ring.
    - apply sum_ext. intros b Hb. unfold dl. rewrite Vr, (Ve b Hb). ring. }
  assert (Row_a : forall a, In a rest ->
    sum (others A a) (fun b => 2 * w a b * dl a b - dl a b * dl a b)
    = 2 * t * (w a r - w a m) - 2 * (t * t)).
  { intros a Ha. destruct (Rin a Ha) as (IA & Nam & Nar).
    rewrite (sum_two (others A a) m r);
      [|apply others_nodup; auto|apply others_in; auto|apply others_in; auto|auto].
    rewrite sum_zero.
    - unfold dl. rewrite Vm, Vr, (Ve a Ha). ring.
    - intros b Hb. apply others_two in Hb. destruct Hb as (Hb & Nbm & Nbr). apply others_in in Hb.
      unfold dl. rewrite (Ve a Ha), (Ve b); [ring|]. apply others_two. tauto. }
  rewrite (sum_two A m r) by auto. fold rest. rewrite Row_m, Row_r.
  rewrite (sum_ext rest (fun a => s a * sum (others A a) (fun b => 2 * w a b * dl a b - dl a b * dl a b))
    (fun a => s a * (2 * t * (w a r - w a m) - 2 * (t * t))))
    by (intros a Ha; rewrite Row_a by auto; auto).
  (* signs *)
  specialize (Mr m Hm) as Um. specialize (Mm r Hr) as Lr.
  pose proof (P m Hm) as Pm. pose proof (P r Hr) as Pr.
  assert (W1 : 1 <= w m r) by (unfold w; eapply Rle_trans; [|apply Rmax_r]; lra).
  assert (W2 : w r m <= 1) by (unfold w; apply Rmax_lub; lra).
  assert (Mon : forall b c d, c <= d -> Rmax 0 (b + c) <= Rmax 0 (b + d)).
  { intros b c d H. apply Rmax_lub; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r]. lra. }
  assert (W3 : forall b, w r b <= w m b).
  { intros b. unfold w. apply Rmax_lub; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r]. lra. }
  assert (W4 : forall a, w a m <= w a r).
  { intros a. unfold w. apply Rmax_lub; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r]. lra. }
  assert (Len : INR (length rest) = k - 2) by (apply others_two_length; auto).
  assert (Mass : s m + s r + sum rest s = 1)
    by (rewrite <- S; symmetry; apply (sum_two A m r); auto).
  assert (SR : 0 <= sum rest s) by (apply sum_nonneg; intros a Ha; apply P; apply Rin; auto).
  assert (Rest1 : s m * sum rest (fun b => 2 * t * w m b - t * t)
    + s r * sum rest (fun b => - 2 * t * w r b - t * t) >= - (s m + s r) * ((k - 2) * (t * t))).
  { rewrite <- !sum_scal, <- sum_plus. apply Rle_ge.
    replace (- (s m + s r) * ((k - 2) * (t * t))) with (INR (length rest) * (- (s m + s r) * (t * t)))
      by (rewrite Len; ring).
    apply sum_ge_const. intros b _.
    assert (s r * (t * w r b) <= s m * (t * w m b)).
    { apply Rmult_le_compat; auto; try (apply Rmult_le_pos; auto). apply Rmult_le_compat_l; auto. }
    lra. }
  assert (Rest2 : - 2 * (t * t) * sum rest s
    <= sum rest (fun a => s a * (2 * t * (w a r - w a m) - 2 * (t * t)))).
  { rewrite <- sum_scal. apply sum_le. intros a Ha. destruct (Rin a Ha) as (IA & _ & _).
    pose proof (P a IA). specialize (W4 a).
    assert (0 <= s a * (2 * t * (w a r - w a m))).
    { apply Rmult_le_pos; auto. apply Rmult_le_pos; lra. } lra. }
  assert (Head : 4 * t * (s m - s r) <= s m * (4 * t * w m r) + s r * (- 4 * t * w r m)).
  { assert (s m * (t * 1) <= s m * (t * w m r))
      by (apply Rmult_le_compat_l; auto; apply Rmult_le_compat_l; auto).
    assert (s r * (t * w r m) <= s r * (t * 1))
      by (apply Rmult_le_compat_l; auto; apply Rmult_le_compat_l; auto). lra. }
  assert (K2 : 2 <= k).
  { apply INR_length_2. rewrite (others_length A m N Hm).
    assert (In r (others A m)) by (apply others_in; auto).
    destruct (others A m); [tauto|simpl; lia]. }
  set (sg := s m + s r) in *.
  assert (TT : 0 <= t * t) by nra.
  assert (Quad : (4 * sg + sg * (k - 2) + 2 * sum rest s) * (t * t) <= (k + 2) * (t * t)).
  { apply Rmult_le_compat_r; auto. replace (sum rest s) with (1 - sg) by lra. nra. }
  unfold sg in *. lra.
Qed.

(* about: gamma-sum-sq *)
Theorem sum_sq_has_gamma_sqrt_of_K_plus_2_t_over_2 :
  forall A, NoDup A ->
  calibrated sum_sq all_scores A (fun t => sqrt ((INR (length A) + 2) / 4 * t)).
Proof.
  intros A N s u r i D _ M I.
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm).
  destruct (Nat.eq_dec m r) as [->|NE].
  { replace (s r - s r) with 0 by ring. apply sqrt_pos. }
  pose proof (proj2 Hm r (proj1 M)) as Lr.
  set (k := INR (length A)). assert (K : 0 <= k) by apply pos_INR.
  set (b := s m - s r). set (t := 2 * b / (k + 2)).
  assert (B : 0 <= b) by (unfold b; lra).
  assert (T : 0 <= t) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
  pose proof (sum_sq_gain A s u r m t N D M Hm NE T) as G. fold k b in G.
  pose proof (proj1 I (moved m r t u) Logic.I).
  apply below_sqrt; auto.
  assert (E : (k + 2) / 4 * (4 * t * b - t * t * (k + 2)) = b * b) by (unfold t; field; lra).
  rewrite <- E. apply Rmult_le_compat_l; lra.
Qed.
