(* The sharp form of the first bound of Lem F.3: with n classes, K active actions and h = floor(K/2),
   the largest second moment is h (K - h)(1 + K - n) |x|^2 / gamma. It is attained for every size, every
   greedy class and every input, so the stated K^3 rho^2 / gamma is loose.
   Claim: lem-f.3-general (its tightness). *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Projection Cost Estimator Moments SecondMoment
  SharpGradient.
Import ListNotations.
Open Scope R_scope.

Lemma sharp_nonneg K : (1 <= K)%nat -> 0 <= sharp K.
Proof. intros H. apply div_nonneg; [apply pos_INR|apply lt_0_INR; lia]. Qed.

(* One action and one label, upper bound. *)
Lemma weighted_gradient_sharp N n D E c q x W G a y :
  let A := active n E in
  (2 <= n)%nat -> NoDup E -> incl A (seq 0 N) -> unit_costs n E c ->
  Generic.identified n E = false -> In a A -> (y < n)%nat -> 0 < q a -> 0 < norm2 D x ->
  subgradient N D (estimated_loss n E D c q x a y) (projM A W) G ->
  q a * frob2 N D (projM A G) <= sharp (length A) * norm2 D x * (reward n c a y / q a).
Proof.
  intros A Hn NE I U Id Ha Hy Q X S.
  assert (NA : NoDup A) by (apply active_nodup; auto).
  assert (K2 : (2 <= length A)%nat) by (unfold A; rewrite active_length; lia).
  assert (HA : A <> nil) by (intros Z; rewrite Z in Ha; auto).
  pose proof (reward_unit n E c a y U Hy Ha) as B.
  pose proof (sharp_nonneg (length A) ltac:(lia)) as Sn.
  set (w := reward n c a y / q a).
  assert (S' : subgradient N D (fun V => w * hinge_at A D x a V) (projM A W) G).
  { apply (subgradient_ext N D (estimated_loss n E D c q x a y)); auto. intros V.
    unfold estimated_loss, round_estimate, Generic.round_estimate. rewrite Id.
    change (Generic.estimate RA) with estimate. apply estimate_single; auto. }
  assert (SX : 0 <= sharp (length A) * norm2 D x) by (apply Rmult_le_pos; lra).
  destruct (Rle_lt_or_eq_dec 0 w) as [P|Z].
  { apply div_nonneg; lra. }
  - pose proof (subgradient_scale N D _ _ _ w P S') as T.
    pose proof (proj1 (the_sharp_length_of_projected_hinge_subgradients N D A x a NA I Ha K2 X)
                  _ _ T) as L.
    rewrite frob2_scale in L.
    assert (F : frob2 N D (projM A G) <= w * w * (sharp (length A) * norm2 D x)).
    { apply Rmult_le_compat_l with (r := w * w) in L; [|nra].
      replace (w * w * (/ w * / w * frob2 N D (projM A G)))
        with (frob2 N D (projM A G)) in L by (field; lra). exact L. }
    apply Rmult_le_compat_l with (r := q a) in F; [|lra].
    assert (Wq : q a * (w * w) <= w).
    { unfold w. replace (q a * (reward n c a y / q a * (reward n c a y / q a)))
        with (reward n c a y * reward n c a y / q a) by (field; lra).
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|nra]. }
    apply Rle_trans with (q a * (w * w) * (sharp (length A) * norm2 D x)); [lra|].
    apply Rle_trans with (w * (sharp (length A) * norm2 D x)); [|fold w; lra].
    apply Rmult_le_compat_r; auto.
  - assert (C : subgradient N D (fun _ => 0) (projM A W) G).
    { apply (subgradient_ext N D (fun V => w * hinge_at A D x a V)); auto.
      intros V. rewrite <- Z. ring. }
    rewrite (projM_zero_length N D A _ NA I HA (subgradient_of_constant _ _ _ _ _ C)), <- Z. lra.
Qed.

(* Indicators of h actions have the sharp length. *)
Lemma indicator_length N D A B x :
  NoDup A -> incl A (seq 0 N) -> A <> nil -> NoDup B -> incl B A ->
  length B = (length A / 2)%nat ->
  frob2 N D (projM A (outer A (fun b => if mem b B then 1 else 0) x)) = sharp (length A) * norm2 D x.
Proof.
  intros NA I H NB IB LB. set (beta b := if mem b B then 1 else 0).
  pose proof (length_pos A H) as K.
  assert (Z : forall a, ~ In a A -> beta a = 0).
  { intros a Na. unfold beta. assert (M : mem a B = false) by (apply mem_not_in; auto).
    rewrite M. reflexivity. }
  assert (O : forall a k, outer A beta x a k = beta a * x k).
  { intros a k. unfold outer. destruct (mem a A) eqn:M; auto.
    apply mem_not_in in M. rewrite Z by auto. ring. }
  rewrite (frob2_ext N D _ (fun a k => proj A beta a * x k)).
  - rewrite frob2_outer. f_equal.
    rewrite (sum_ext (seq 0 N) _ (fun a => if mem a A then proj A beta a * proj A beta a else 0)).
    + rewrite (sum_mem A (seq 0 N) (fun a => proj A beta a * proj A beta a))
        by auto using seq_NoDup.
      rewrite centred_length by auto.
      assert (S1 : sum A beta = INR (length A / 2)).
      { unfold beta. rewrite (sum_mem B A (fun _ => 1)) by auto. rewrite sum_const, LB. ring. }
      rewrite (sum_ext A (fun a => beta a * beta a) beta).
      * rewrite S1. unfold sharp. rewrite mult_INR, minus_INR.
        -- field. lra.
        -- apply Nat.div_le_upper_bound; lia.
      * intros a _. unfold beta. destruct (mem a B); ring.
    + intros a _. destruct (mem a A) eqn:M; auto. apply mem_not_in in M.
      rewrite proj_out, Z by auto. ring.
  - intros a k _ _. rewrite <- projM_outer. apply proj_ext. intros; apply O.
Qed.

Section Attained.
Context (N n D : nat) (E : list nat) (x : nat -> R) (gamma : R) (r y0 : nat).
Let A := active n E.
Context (NE : NoDup E) (I : incl A (seq 0 N)) (K3 : (3 <= length A)%nat).
Context (Hr : (r < n)%nat) (Hy : (y0 < n)%nat) (Ne : y0 <> r) (X : 0 < norm2 D x).
Context (Hg : 0 < gamma <= 1).
Let K := INR (length A).
Let q := mix A gamma r.
Let c := fun _ _ : nat => 0.

(* Scores at the canonical margins of r: every other action sits on its kink. *)
Definition margins (b : nat) : R := if Nat.eqb b r then K - 1 else -1.
Definition margin_matrix : Matrix := fun b k => margins b * (/ norm2 D x * x k).
(* For target t: h ones, r among them, t not. *)
Definition ones (t : nat) : list nat :=
  r :: firstn (length A / 2 - 1) (others (others A r) t).
Definition worst_gradient (a y : nat) : Matrix :=
  fun b k => reward n c a y / q a
             * outer A (target_coeff (fun b => if Nat.eqb b a then 1
                                               else if mem b (ones a) then 1 else 0) a) x b k.

Lemma At_nodup : NoDup A.
Proof. apply active_nodup; auto. Qed.

Lemma At_in_class y : (y < n)%nat -> In y A.
Proof. intros H. apply active_in. auto. Qed.

Lemma margins_zero_sum : zero_sum A margins.
Proof.
  unfold zero_sum. pose proof At_nodup as NA. pose proof (At_in_class r Hr) as Ir.
  rewrite (sum_others A r _ NA Ir). unfold margins at 1. rewrite Nat.eqb_refl.
  rewrite (sum_ext (others A r) _ (fun _ => -1)).
  - rewrite sum_const, (others_length_INR A r NA Ir). unfold K. ring.
  - intros b Hb. apply others_in in Hb. unfold margins. destruct (Nat.eqb_spec b r); tauto.
Qed.

Lemma margin_scores b : scores D (projM A margin_matrix) x b = margins b.
Proof.
  rewrite scores_projM.
  assert (S : forall b, scores D margin_matrix x b = margins b).
  { intros b'. unfold scores, margin_matrix.
    rewrite (sum_ext _ _ (fun k => margins b' * / norm2 D x * (x k * x k))) by (intros; ring).
    rewrite sum_scal. fold (norm2 D x). field. lra. }
  rewrite (proj_ext A _ margins) by (intros; apply S). apply proj_fixes. apply margins_zero_sum.
Qed.

Lemma worst_is_subgradient a y :
  In a A -> (y < n)%nat ->
  subgradient N D (estimated_loss n E D c q x a y) (projM A margin_matrix) (worst_gradient a y).
Proof.
  intros Ha Hy'. pose proof At_nodup as NA.
  assert (K' : 3 <= K) by (unfold K; apply le_INR in K3; simpl in K3; lra).
  assert (HA : A <> nil) by (intros Z; rewrite Z in Ha; auto).
  assert (Id : Generic.identified n E = false).
  { destruct (Generic.identified n E) eqn:Id; auto.
    unfold Generic.identified in Id. apply andb_true_iff in Id. destruct Id as [I1 I2].
    apply Nat.eqb_eq in I1, I2. unfold A in K3. rewrite active_length in K3. lia. }
  apply (subgradient_ext N D (fun V => reward n c a y / q a * hinge_at A D x a V)).
  - intros V. unfold estimated_loss, round_estimate, Generic.round_estimate. rewrite Id.
    symmetry. change (Generic.estimate RA) with estimate. apply estimate_single; auto.
  - intros V. unfold worst_gradient. rewrite inner_scale, <- Rmult_plus_distr_l.
    apply Rmult_le_compat_l.
    + apply div_nonneg; [|apply mix_pos; auto].
      apply (reward_unit n E c a y); auto. intros j z _ _. unfold c. lra.
    + apply selection_is_subgradient; auto. intros b Hb. rewrite margin_scores. unfold margins.
      destruct (Nat.eqb_spec b r) as [->|Nb].
      * assert (M : mem r (ones a) = true) by (apply mem_in; left; auto). rewrite M.
        destruct (Nat.eqb r a); repeat split; lra.
      * destruct (Nat.eqb b a), (mem b (ones a)); repeat split; lra.
Qed.

Lemma worst_length a y :
  In a A -> a <> r ->
  q a * frob2 N D (projM A (worst_gradient a y))
  = reward n c a y * reward n c a y * (K / gamma) * (sharp (length A) * norm2 D x).
Proof.
  intros Ha Na. pose proof At_nodup as NA. pose proof (At_in_class r Hr) as Ir.
  assert (HA : A <> nil) by (intros Z; rewrite Z in Ha; auto).
  assert (Kp : 0 < K) by (apply length_pos; auto).
  set (L := firstn (length A / 2 - 1) (others (others A r) a)).
  assert (H1 : (1 <= length A / 2)%nat) by (apply Nat.div_le_lower_bound; lia).
  assert (Ia : In a (others A r)) by (apply others_in; auto).
  assert (Hl : length L = (length A / 2 - 1)%nat).
  { apply firstn_length_le. pose proof (others_length A r NA Ir).
    pose proof (others_length (others A r) a (others_nodup A r NA) Ia).
    assert (length A / 2 < length A)%nat by (apply Nat.div_lt; lia). lia. }
  assert (IL : forall b, In b L -> In b A /\ b <> r /\ b <> a).
  { intros b Hb. assert (Ib : In b (others (others A r) a)).
    { rewrite <- (firstn_skipn (length A / 2 - 1)). apply in_or_app. left. exact Hb. }
    apply others_in in Ib. destruct Ib as [Ib Nb]. apply others_in in Ib. tauto. }
  assert (NL : NoDup L).
  { apply (nodup_prefix L (skipn (length A / 2 - 1) (others (others A r) a))). unfold L.
    rewrite firstn_skipn. apply others_nodup, others_nodup; auto. }
  unfold worst_gradient. rewrite frob2_scale.
  rewrite (frob2_ext N D _ (projM A (outer A (fun b => if mem b (ones a) then 1 else 0) x))).
  - rewrite (indicator_length N D A (ones a) x); auto.
    + unfold q. rewrite mix_eq. destruct (Nat.eqb_spec a r); [congruence|]. fold K.
      field. lra.
    + unfold ones. fold L. constructor; auto. intros Q. apply IL in Q. tauto.
    + intros b [<-|Hb]; auto. apply IL in Hb. tauto.
    + unfold ones. fold L. cbn [length]. rewrite Hl. lia.
  - intros b k _ _. unfold projM. apply proj_ext. intros b' _. unfold outer, target_coeff.
    destruct (mem b' A); auto. destruct (Nat.eqb_spec b' a) as [->|]; auto.
    assert (M : mem a (ones a) = false).
    { apply mem_not_in. unfold ones. fold L. intros [Q|Q]; [congruence|]. apply IL in Q. tauto. }
    rewrite M. ring.
Qed.

Lemma worst_moment :
  sum (seq 0 n) (fun y => point y0 y * sum A (fun a => q a * frob2 N D (projM A (worst_gradient a y))))
  = sharp (length A) * (1 + K - INR n) * K * norm2 D x / gamma.
Proof.
  pose proof At_nodup as NA.
  rewrite (sum_ext (seq 0 n) _ (fun y => if Nat.eqb y y0
    then sum A (fun a => q a * frob2 N D (projM A (worst_gradient a y))) else 0)).
  2: { intros y _. unfold point. destruct (Nat.eqb y y0); ring. }
  rewrite (sum_single (seq 0 n) y0
    (fun y => sum A (fun a => q a * frob2 N D (projM A (worst_gradient a y)))) (seq_NoDup _ _))
    by (apply seq_in_0; auto).
  set (v := K / gamma * (sharp (length A) * norm2 D x)).
  unfold A at 1. rewrite sum_active.
  rewrite (sum_ext (seq 0 n) _ (fun a => if Nat.eqb a y0 then v else 0)).
  - rewrite (sum_single (seq 0 n) y0 (fun _ => v) (seq_NoDup _ _)) by (apply seq_in_0; auto).
    rewrite (sum_ext E _ (fun _ => v)).
    + rewrite sum_const. unfold v, K, A. rewrite active_length, plus_INR. field. lra.
    + intros j Hj. rewrite worst_length.
      * rewrite reward_expert. unfold c, v. ring.
      * apply active_in. eauto.
      * lia.
  - intros a Ha. apply seq_in_0 in Ha. destruct (Nat.eqb_spec a y0) as [->|Na].
    + rewrite worst_length by (auto using At_in_class). rewrite reward_class by auto.
      rewrite Nat.eqb_refl. unfold v. ring.
    + unfold worst_gradient. rewrite frob2_scale, reward_class by auto.
      destruct (Nat.eqb_spec a y0); [congruence|]. unfold Rdiv. ring.
Qed.
End Attained.

(* claim: lem-f.3-general *)
Theorem the_sharp_second_moment :
  forall N n D E x gamma r,
  let A := active n E in
  let q := mix A gamma r in
  let K := INR (length A) in
  let moment p G :=
    sum (seq 0 n) (fun y => p y * sum A (fun a => q a * frob2 N D (projM A (G a y)))) in
  let largest_moment := sharp (length A) * (1 + K - INR n) * K * norm2 D x / gamma in
  (2 <= n)%nat -> (3 <= length A)%nat -> NoDup E -> incl A (seq 0 N) ->
  0 < gamma <= 1 -> 0 < norm2 D x -> In r A ->
  (forall c p W G, is_law n p -> unit_costs n E c ->
     (forall a y, In a A -> (y < n)%nat ->
        subgradient N D (estimated_loss n E D c q x a y) (projM A W) (G a y)) ->
     moment p G <= largest_moment)
  /\ ((r < n)%nat ->
      exists c p W G, is_law n p /\ unit_costs n E c
        /\ (forall a y, In a A -> (y < n)%nat ->
              subgradient N D (estimated_loss n E D c q x a y) (projM A W) (G a y))
        /\ moment p G = largest_moment).
Proof.
  intros N n D E x gamma r A q K moment largest_moment Hn K3 NE I Hg X Ir.
  assert (NA : NoDup A) by (apply active_nodup; auto).
  assert (HA : A <> nil) by (intros Z; rewrite Z in Ir; auto).
  assert (Kp : 0 < K) by (apply length_pos; auto).
  assert (Q : forall a, In a A -> 0 < q a) by (intros; apply mix_pos; auto).
  assert (Id : Generic.identified n E = false).
  { destruct (Generic.identified n E) eqn:Id; auto.
    apply (with_two_actions_the_label_is_known n E Hn) in Id. fold A in Id. lia. }
  split.
  - intros c p W G Lw U SG. unfold moment, largest_moment.
    assert (SX : 0 <= sharp (length A) * norm2 D x).
    { apply Rmult_le_pos; [apply sharp_nonneg; lia|lra]. }
    apply Rle_trans with (sum (seq 0 n) (fun y => p y *
      sum A (fun a => sharp (length A) * norm2 D x * (reward n c a y / q a)))).
    + apply sum_le. intros y Hy. apply seq_in_0 in Hy. apply Rmult_le_compat_l; [apply Lw; auto|].
      apply sum_le. intros a Ha.
      apply (weighted_gradient_sharp N n D E c q x W (G a y) a y); auto.
    + rewrite (sum_ext (seq 0 n) _ (fun y => sum A (fun a =>
        sharp (length A) * norm2 D x / q a * (p y * reward n c a y)))).
      * rewrite sum_swap.
        rewrite (sum_ext A _ (fun a => sharp (length A) * norm2 D x * (score n p c a / q a))).
        -- rewrite sum_scal.
           assert (S : sum A (fun a => score n p c a / q a) <= (1 + K - INR n) * (K / gamma)).
           { apply Rle_trans with (sum A (score n p c) * (K / gamma)).
             - rewrite <- sum_scal_r. apply sum_le. intros a Ha.
               apply Rmult_le_compat_l; [apply (score_unit n E); auto|].
               assert (F : gamma / K <= q a)
                 by (apply (the_mixture_explores_every_action A gamma r); auto; lra).
               replace (K / gamma) with (/ (gamma / K)) by (field; lra).
               apply Rinv_le_contravar; auto. apply Rdiv_lt_0_compat; lra.
             - apply Rmult_le_compat_r; [apply div_nonneg; lra|].
               destruct (score_mass_is_between_one_and_K n E p c Hn Lw U) as [_ [L _]].
               fold A in L. fold K in L. rewrite mass_eq in L. lra. }
           apply Rmult_le_compat_l with (r := sharp (length A) * norm2 D x) in S; auto.
           eapply Rle_trans; [exact S|]. right. field. lra.
        -- intros a Ha. rewrite sum_scal, (score_reward n E) by auto. unfold Rdiv. ring.
      * intros y _. rewrite <- sum_scal. apply sum_ext. intros. unfold Rdiv. ring.
  - intros Hr. set (y0 := if Nat.eqb r 0 then 1%nat else 0%nat).
    assert (Hy : (y0 < n)%nat) by (unfold y0; destruct (Nat.eqb r 0); lia).
    assert (Ne : y0 <> r) by (unfold y0; destruct (Nat.eqb_spec r 0); lia).
    exists (fun _ _ => 0), (point y0), (margin_matrix n D E x r), (worst_gradient n E x gamma r).
    repeat split.
    + intros y _. unfold point. destruct (Nat.eqb y y0); lra.
    + apply (sum_single (seq 0 n) y0 (fun _ => 1) (seq_NoDup _ _)). apply seq_in_0; auto.
    + lra.
    + lra.
    + intros a y Ha Hy'. apply worst_is_subgradient with (y0 := y0); auto.
    + apply worst_moment; auto.
Qed.
