(* The comp-sum losses of the soft-max serve every active set with one score vector: log s for the
   logistic loss, log(s)/(1 - alpha) for the generalised cross-entropy, and lambda s with lambda
   large for the mean absolute error, whose infimum is not attained.
   Claims: availability-comp-log, availability-comp-gce, availability-comp-mae. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Availability AvailabilityRamps.
Import ListNotations.
Open Scope R_scope.

(* The soft-max. *)
Lemma partition_pos A (u : nat -> R) a : In a A -> 0 < sum A (fun b => exp (u b)).
Proof.
  intros H. apply sum_pos.
  - intros. left. apply exp_pos.
  - exists a. split; auto. apply exp_pos.
Qed.

Lemma softmax_pos A u a : In a A -> 0 < softmax A u a.
Proof.
  intros H. apply Rmult_lt_0_compat; [apply exp_pos|].
  apply Rinv_0_lt_compat. eapply partition_pos; eauto.
Qed.

Lemma softmax_total A u a : In a A -> sum A (softmax A u) = 1.
Proof.
  intros H. pose proof (partition_pos A u a H). unfold softmax. rewrite sum_div. field. lra.
Qed.

Lemma softmax_le_1 A u a : In a A -> softmax A u a <= 1.
Proof.
  intros H. rewrite <- (softmax_total A u a H). apply (sum_term_le A (softmax A u) a); auto.
  intros b Hb. left. apply softmax_pos. auto.
Qed.

Lemma softmax_le A u a b : In a A -> u a <= u b -> softmax A u a <= softmax A u b.
Proof.
  intros H L. apply Rmult_le_compat_r.
  - left. apply Rinv_0_lt_compat. eapply partition_pos; eauto.
  - destruct L as [L|E]; [left; apply exp_increasing; auto|rewrite E; lra].
Qed.

Lemma softmax_top A u a : is_argmax A u a -> / INR (length A) <= softmax A u a.
Proof.
  intros [H M].
  assert (K : 0 < INR (length A)) by (apply lt_0_INR; destruct A; [destruct H|simpl; lia]).
  assert (S : sum A (softmax A u) <= INR (length A) * softmax A u a).
  { apply sum_le_const. intros b Hb. apply softmax_le; auto. }
  rewrite (softmax_total A u a H) in S.
  apply Rmult_le_reg_l with (INR (length A)); auto. rewrite Rinv_r by lra. auto.
Qed.

(* Mean absolute error. *)
Lemma comp_mae_risk A s u :
  risk comp_mae A s u = sum A s - sum A (fun a => softmax A u a * s a).
Proof. rewrite risk_eq, <- sum_minus. apply sum_ext. intros. unfold comp_mae. ring. Qed.

Lemma comp_mae_lower A s u r :
  is_argmax A s r -> sum A s - s r <= risk comp_mae A s u.
Proof.
  intros [H M]. rewrite comp_mae_risk.
  assert (sum A (fun a => softmax A u a * s a) <= s r); [|lra].
  apply sum_weights_le; auto.
  - intros a Ha. left. apply softmax_pos. auto.
  - eapply softmax_total; eauto.
Qed.

Lemma comp_mae_wrong A s u r a :
  is_argmax A s r -> is_argmax A u a ->
  sum A s - s r + (s r - s a) * / INR (length A) <= risk comp_mae A s u.
Proof.
  intros [H M] T. pose proof (softmax_top A u a T) as P. destruct T as [Ha _].
  rewrite comp_mae_risk.
  assert (E : s r - sum A (fun a => softmax A u a * s a) = sum A (fun c => softmax A u c * (s r - s c))).
  { rewrite (sum_ext A (fun c => softmax A u c * (s r - s c))
      (fun c => s r * softmax A u c - softmax A u c * s c)) by (intros; ring).
    rewrite sum_minus, sum_scal, (softmax_total A u a Ha). ring. }
  assert (G : forall c, In c A -> 0 <= softmax A u c * (s r - s c)).
  { intros c Hc. pose proof (softmax_pos A u c Hc). specialize (M c Hc). nra. }
  pose proof (sum_term_le A _ a G Ha) as S. cbv beta in S. rewrite <- E in S.
  specialize (M a Ha). nra.
Qed.

Lemma decay lam x : 0 < lam -> 0 <= x -> x * exp (- (lam * x)) <= / lam.
Proof.
  intros P H. rewrite exp_Ropp.
  assert (E : lam * x < exp (lam * x)).
  { destruct (Req_dec (lam * x) 0) as [->|N]; [rewrite exp_0; lra|].
    pose proof (exp_ineq1 (lam * x) ltac:(nra)). lra. }
  pose proof (exp_pos (lam * x)).
  apply Rmult_le_reg_l with (lam * exp (lam * x)); [nra|].
  replace (lam * exp (lam * x) * (x * / exp (lam * x))) with (lam * x) by (field; lra).
  replace (lam * exp (lam * x) * / lam) with (exp (lam * x)) by (field; lra). lra.
Qed.

Lemma comp_mae_upper A s r lam :
  is_argmax A s r -> 0 < lam ->
  risk comp_mae A s (fun a => lam * s a) <= sum A s - s r + INR (length A) * / lam.
Proof.
  intros [H M] P. rewrite comp_mae_risk. set (u := fun a => lam * s a).
  assert (E : s r - sum A (fun a => softmax A u a * s a) = sum A (fun c => softmax A u c * (s r - s c))).
  { rewrite (sum_ext A (fun c => softmax A u c * (s r - s c))
      (fun c => s r * softmax A u c - softmax A u c * s c)) by (intros; ring).
    rewrite sum_minus, sum_scal, (softmax_total A u r H). ring. }
  assert (sum A (fun c => softmax A u c * (s r - s c)) <= INR (length A) * / lam); [|lra].
  apply sum_le_const. intros c Hc. specialize (M c Hc).
  apply Rle_trans with ((s r - s c) * exp (- (lam * (s r - s c)))); [|apply decay; lra].
  rewrite Rmult_comm. apply Rmult_le_compat_l; [lra|]. unfold softmax.
  replace (exp (- (lam * (s r - s c)))) with (exp (u c) / exp (u r)).
  2: { unfold Rdiv. rewrite <- exp_Ropp, <- exp_plus. f_equal. unfold u. ring. }
  apply Rmult_le_compat_l; [left; apply exp_pos|]. apply Rinv_le_contravar; [apply exp_pos|].
  apply (sum_term_le A (fun b => exp (u b)) r); auto. intros. left. apply exp_pos.
Qed.

Lemma comp_mae_zero_gap : zero_gap comp_mae.
Proof.
  intros M s eps PM SM Pe.
  set (K := INR (length (actions M)) + 1).
  assert (PK : 0 < K) by (unfold K; pose proof (pos_INR (length (actions M))); lra).
  exists (fun a => K / eps * s a). intros w A Hi u. destruct (PM w A Hi) as [_ N].
  destruct A as [|a0 A0]; [rewrite !risk_eq; simpl; lra|]. set (A := a0 :: A0) in *.
  destruct (argmax_exists A s) as [r Hr]; [unfold A; congruence|].
  assert (PL : 0 < K / eps) by (apply Rmult_lt_0_compat; auto; apply Rinv_0_lt_compat; auto).
  pose proof (comp_mae_upper A s r (K / eps) Hr PL). pose proof (comp_mae_lower A s u r Hr).
  assert (INR (length A) <= K).
  { unfold K. assert (INR (length A) <= INR (length (actions M))); [|lra].
    apply le_INR. apply NoDup_incl_length; auto. eapply actions_incl; eauto. }
  assert (INR (length A) * / (K / eps) <= eps); [|lra].
  apply Rle_trans with (K * / (K / eps)).
  - apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat. auto.
  - right. field. lra.
Qed.

Lemma comp_mae_improvable : improvable comp_mae.
Proof.
  intros A s a b N Ps Ha Hb Hab.
  assert (K : 0 < INR (length A)) by (apply lt_0_INR; destruct A; [destruct Ha|simpl; lia]).
  set (d := (s b - s a) * / INR (length A)).
  assert (Pd : 0 < d) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; auto]).
  exists (d / 2). split; [lra|]. intros v Hv.
  destruct (argmax_exists A s) as [r Hr]; [intros ->; destruct Ha|].
  set (lam := 2 * INR (length A) / d).
  assert (PL : 0 < lam).
  { unfold lam. apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; auto]. }
  exists (fun c => lam * s c).
  pose proof (comp_mae_upper A s r lam Hr PL) as Up.
  pose proof (comp_mae_wrong A s v r a Hr Hv) as Wr.
  assert (INR (length A) * / lam = d / 2) by (unfold lam; field; lra).
  assert (d <= (s r - s a) * / INR (length A)); [|lra].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|].
  destruct Hr as [_ M]. specialize (M b Hb). lra.
Qed.

(* claim: availability-comp-mae *)
Theorem comp_mae_serves_every_active_set :
  (forall s A r lam, is_argmax A s r -> 0 < lam -> forall u,
     risk comp_mae A s (fun a => lam * s a) <= risk comp_mae A s u + INR (length A) * / lam) /\
  zero_gap comp_mae /\ availability_consistent comp_mae.
Proof.
  split; [|split].
  - intros s A r lam Hr P u. pose proof (comp_mae_upper A s r lam Hr P).
    pose proof (comp_mae_lower A s u r Hr). lra.
  - exact comp_mae_zero_gap.
  - apply consistent_if; [exact comp_mae_zero_gap|exact comp_mae_improvable].
Qed.

(* Losses c0 - g(soft-max) with g concave of slope k, where x k(x) does not decrease. *)
Section Concave.
Variables (L : Loss) (c0 : R) (g k : R -> R).
Hypothesis form : forall A a u, In a A -> L A a u = c0 - g (softmax A u a).
Hypothesis tangent : forall x y, 0 < x <= 1 -> 0 < y <= 1 -> g x <= g y + k y * (x - y).
Hypothesis slope_big : forall x, 0 < x <= 1 -> 1 <= k x.
Hypothesis slope_grows : forall x y, 0 < x -> x <= y -> y <= 1 -> x * k x <= y * k y.

Lemma concave_risk A s u :
  risk L A s u = c0 * sum A s - sum A (fun a => s a * g (softmax A u a)).
Proof.
  rewrite risk_eq, <- sum_scal, <- sum_minus. apply sum_ext. intros a Ha. rewrite form by auto. ring.
Qed.

Lemma concave_common A s v C :
  (forall a, In a A -> 0 <= s a) ->
  (forall a, In a A -> s a * k (softmax A v a) = C) ->
  forall u, risk L A s v <= risk L A s u.
Proof.
  intros Ps HC u. rewrite !concave_risk.
  destruct A as [|a0 A0]; [simpl; lra|]. set (A := a0 :: A0) in *.
  assert (H0 : In a0 A) by (left; auto).
  assert (T : sum A (fun a => s a * g (softmax A u a))
    <= sum A (fun a => s a * g (softmax A v a) + (C * softmax A u a - C * softmax A v a))).
  { apply sum_le. intros a Ha. specialize (HC a Ha). specialize (Ps a Ha).
    pose proof (tangent (softmax A u a) (softmax A v a)
      (conj (softmax_pos A u a Ha) (softmax_le_1 A u a Ha))
      (conj (softmax_pos A v a Ha) (softmax_le_1 A v a Ha))) as G.
    rewrite <- HC. nra. }
  rewrite sum_plus, sum_minus, !sum_scal, !(softmax_total A _ a0 H0) in T. lra.
Qed.

Lemma concave_improvable : improvable L.
Proof.
  intros A s a b N Ps Ha Hb Hab.
  assert (K : 0 < INR (length A)) by (apply lt_0_INR; destruct A; [destruct Ha|simpl; lia]).
  assert (Pa : 0 <= s a) by auto.
  set (t := (s b - s a) / (2 * (s a + s b))).
  assert (Et : t * (2 * (s a + s b)) = s b - s a) by (unfold t; field; lra).
  assert (Pt : 0 < t) by (unfold t; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  assert (T1 : t <= 1 / 2) by nra.
  set (e := s b * / (1 + t) - s a * / (1 - t)).
  assert (Pe : 0 < e).
  { unfold e. replace (s b * / (1 + t) - s a * / (1 - t))
      with ((s b * (1 - t) - s a * (1 + t)) * / ((1 + t) * (1 - t))) by (field; lra).
    apply Rmult_lt_0_compat; [nra|]. apply Rinv_0_lt_compat. nra. }
  exists (/ INR (length A) * t / 2 * e). split.
  { apply Rmult_lt_0_compat; auto. apply Rmult_lt_0_compat; [|lra].
    apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat; auto. }
  intros v Hv.
  assert (Nab : a <> b) by (intros ->; lra).
  set (E := exp (v a) + exp (v b)).
  assert (PE : 0 < E) by (unfold E; pose proof (exp_pos (v a)); pose proof (exp_pos (v b)); lra).
  set (u := fun c => if Nat.eqb c a then ln (E * ((1 - t) / 2))
                     else if Nat.eqb c b then ln (E * ((1 + t) / 2)) else v c).
  exists u.
  assert (Ua : exp (u a) = E * ((1 - t) / 2)).
  { unfold u. rewrite Nat.eqb_refl. apply exp_ln. nra. }
  assert (Ub : exp (u b) = E * ((1 + t) / 2)).
  { unfold u. destruct (Nat.eqb_spec b a); [congruence|]. rewrite Nat.eqb_refl. apply exp_ln. nra. }
  assert (Uc : forall c, c <> a -> c <> b -> u c = v c).
  { intros c H1 H2. unfold u. destruct (Nat.eqb_spec c a); [congruence|].
    destruct (Nat.eqb_spec c b); [congruence|auto]. }
  assert (Two : forall f, sum A f = f a + (f b + sum (others (others A a) b) f)).
  { intros f. rewrite (sum_others A a) by auto. f_equal.
    apply sum_others; [apply others_nodup; auto|apply others_in; auto]. }
  assert (Rest : forall c, In c (others (others A a) b) -> c <> a /\ c <> b).
  { intros c Hc. apply others_in in Hc. destruct Hc as [Hc N1]. apply others_in in Hc. tauto. }
  set (Z := sum A (fun c => exp (v c))).
  assert (PZ : 0 < Z) by (eapply partition_pos; eauto).
  assert (EZ : sum A (fun c => exp (u c)) = Z).
  { unfold Z. rewrite !Two, Ua, Ub.
    rewrite (sum_ext (others (others A a) b) (fun c => exp (u c)) (fun c => exp (v c))).
    - fold E. unfold E. lra.
    - intros c Hc. destruct (Rest c Hc). rewrite Uc; auto. }
  set (m := softmax A v a + softmax A v b).
  assert (Em : m = E / Z) by (unfold m, softmax, E; fold Z; field; lra).
  assert (Sa : softmax A u a = m * ((1 - t) / 2)).
  { unfold softmax. rewrite EZ, Ua, Em. field. lra. }
  assert (Sb : softmax A u b = m * ((1 + t) / 2)).
  { unfold softmax. rewrite EZ, Ub, Em. field. lra. }
  pose proof (softmax_top A v a Hv) as Top.
  assert (Pab : softmax A v b <= softmax A v a) by (apply softmax_le; [auto|apply Hv; auto]).
  pose proof (softmax_pos A v b Hb). pose proof (softmax_pos A v a Ha).
  assert (M1 : m <= 1).
  { pose proof (softmax_le_1 A u b Hb) as B1. pose proof (softmax_total A u a Ha) as TT.
    rewrite Two, Sa, Sb in TT.
    assert (0 <= sum (others (others A a) b) (softmax A u)).
    { apply sum_nonneg. intros c Hc. left. apply softmax_pos.
      apply others_in in Hc. destruct Hc as [Hc _]. apply others_in in Hc. tauto. }
    lra. }
  assert (Pm : / INR (length A) <= m) by (unfold m; lra).
  assert (PK : 0 < / INR (length A)) by (apply Rinv_0_lt_compat; auto).
  rewrite !concave_risk, !(Two (fun c => s c * g _)).
  rewrite (sum_ext (others (others A a) b) (fun c => s c * g (softmax A u c))
             (fun c => s c * g (softmax A v c))).
  2: { intros c Hc. destruct (Rest c Hc). f_equal. f_equal. unfold softmax.
       rewrite EZ, Uc by auto. reflexivity. }
  assert (Ga := tangent (softmax A v a) (softmax A u a)
    (conj (softmax_pos A v a Ha) (softmax_le_1 A v a Ha))
    (conj (softmax_pos A u a Ha) (softmax_le_1 A u a Ha))).
  assert (Gb := tangent (softmax A v b) (softmax A u b)
    (conj (softmax_pos A v b Hb) (softmax_le_1 A v b Hb))
    (conj (softmax_pos A u b Hb) (softmax_le_1 A u b Hb))).
  set (D := softmax A v a - softmax A u a).
  assert (ED : softmax A v b - softmax A u b = - D) by (unfold D; rewrite Sa, Sb; unfold m; field).
  assert (LD : m * t / 2 <= D) by (unfold D; rewrite Sa; unfold m; nra).
  fold D in Ga. rewrite ED in Gb.
  (* slopes *)
  assert (Pm0 : 0 < m) by lra.
  assert (Mt : 0 < m * t) by (apply Rmult_lt_0_compat; auto).
  assert (Mt2 : m * t <= m * (1 / 2)) by (apply Rmult_le_compat_l; lra).
  assert (Kb : k (m / 2) * / (1 + t) <= k (softmax A u b)).
  { pose proof (slope_grows (m / 2) (softmax A u b)) as G. rewrite Sb in *.
    specialize (G ltac:(lra) ltac:(lra)).
    specialize (G ltac:(pose proof (softmax_le_1 A u b Hb); rewrite Sb in *; lra)).
    apply Rmult_le_reg_l with (m * ((1 + t) / 2)); [lra|].
    replace (m * ((1 + t) / 2) * (k (m / 2) * / (1 + t))) with (m / 2 * k (m / 2)) by (field; lra).
    auto. }
  assert (Ka : k (softmax A u a) <= k (m / 2) * / (1 - t)).
  { pose proof (slope_grows (softmax A u a) (m / 2)) as G. rewrite Sa in *.
    specialize (G ltac:(lra) ltac:(lra) ltac:(lra)).
    apply Rmult_le_reg_l with (m * ((1 - t) / 2)); [lra|].
    replace (m * ((1 - t) / 2) * (k (m / 2) * / (1 - t))) with (m / 2 * k (m / 2)) by (field; lra).
    auto. }
  assert (K1 : 1 <= k (m / 2)) by (apply slope_big; lra).
  assert (Pd : 0 < D) by lra.
  assert (Q : e <= s b * k (softmax A u b) - s a * k (softmax A u a)).
  { apply Rle_trans with (k (m / 2) * e).
    { rewrite <- (Rmult_1_l e) at 1. apply Rmult_le_compat_r; lra. }
    unfold e.
    assert (s b * (k (m / 2) * / (1 + t)) <= s b * k (softmax A u b)) by (apply Rmult_le_compat_l; lra).
    assert (s a * k (softmax A u a) <= s a * (k (m / 2) * / (1 - t))) by (apply Rmult_le_compat_l; lra).
    lra. }
  assert (F1 : D * e <= D * (s b * k (softmax A u b) - s a * k (softmax A u a)))
    by (apply Rmult_le_compat_l; lra).
  assert (F2 : / INR (length A) * t / 2 * e <= D * e).
  { apply Rmult_le_compat_r; [lra|].
    assert (/ INR (length A) * t <= m * t) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Ga' : s a * g (softmax A v a) <= s a * (g (softmax A u a) + k (softmax A u a) * D))
    by (apply Rmult_le_compat_l; auto).
  assert (Gb' : s b * g (softmax A v b) <= s b * (g (softmax A u b) + k (softmax A u b) * - D))
    by (apply Rmult_le_compat_l; lra).
  lra.
Qed.
End Concave.

(* Logistic loss. *)
Lemma ln_le x : 0 < x -> ln x <= x - 1.
Proof.
  intros P. destruct (Req_dec (ln x) 0) as [Z|N].
  - rewrite Z. apply (f_equal exp) in Z. rewrite exp_ln, exp_0 in Z by auto. lra.
  - pose proof (exp_ineq1 (ln x) N) as H. rewrite exp_ln in H by auto. lra.
Qed.

Lemma ln_tangent x y : 0 < x <= 1 -> 0 < y <= 1 -> ln x <= ln y + / y * (x - y).
Proof.
  intros Hx Hy. pose proof (ln_le (x / y)) as H.
  assert (0 < x / y) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  specialize (H ltac:(auto)). unfold Rdiv in H.
  rewrite ln_mult, ln_Rinv in H; [|lra|lra|apply Rinv_0_lt_compat; lra].
  replace (/ y * (x - y)) with (x * / y - 1) by (field; lra). lra.
Qed.

Lemma comp_log_form A a u : In a A -> comp_log A a u = 0 - ln (softmax A u a).
Proof. intros. unfold comp_log. ring. Qed.

Lemma comp_log_common s :
  (forall a, 0 < s a) -> forall A, NoDup A -> forall u,
  risk comp_log A s (fun a => ln (s a)) <= risk comp_log A s u.
Proof.
  intros P A N.
  apply (concave_common comp_log 0 ln Rinv comp_log_form ln_tangent A s _ (sum A s)).
  - intros. left. apply P.
  - intros a Ha. unfold softmax. rewrite exp_ln by apply P.
    rewrite (sum_ext A (fun b => exp (ln (s b))) s) by (intros; apply exp_ln; apply P).
    assert (0 < sum A s) by (apply sum_pos; [intros; left; apply P|exists a; auto]).
    specialize (P a). field. lra.
Qed.

Lemma comp_log_nonneg : nonneg_loss comp_log.
Proof.
  intros A a u _ Ha. unfold comp_log. pose proof (softmax_pos A u a Ha).
  pose proof (softmax_le_1 A u a Ha). pose proof (ln_le (softmax A u a)). lra.
Qed.

Lemma comp_log_zero_gap : zero_gap comp_log.
Proof.
  apply zero_gap_if; [exact comp_log_nonneg|]. intros s P. eexists. exact (comp_log_common s P).
Qed.

(* claim: availability-comp-log *)
Theorem comp_log_serves_every_active_set :
  (forall s, (forall a, 0 < s a) -> forall A, NoDup A -> forall u,
     risk comp_log A s (fun a => ln (s a)) <= risk comp_log A s u) /\
  zero_gap comp_log /\ availability_consistent comp_log.
Proof.
  split; [exact comp_log_common|]. split; [exact comp_log_zero_gap|].
  apply consistent_if; [exact comp_log_zero_gap|].
  apply (concave_improvable comp_log 0 ln Rinv comp_log_form ln_tangent).
  - intros x [P H]. rewrite <- Rinv_1. apply Rinv_le_contravar; auto.
  - intros x y P H _. rewrite !Rinv_r; lra.
Qed.

(* Generalised cross-entropy. *)
Lemma bernoulli alpha y : 0 < alpha < 1 -> exp (alpha * y) <= 1 + alpha * (exp y - 1).
Proof.
  intros H.
  assert (I : forall z, 1 + z <= exp z).
  { intros z. destruct (Req_dec z 0) as [->|N]; [rewrite exp_0; lra|].
    left. apply exp_ineq1. auto. }
  set (w := exp (alpha * y)). assert (P : 0 < w) by apply exp_pos.
  assert (E1 : exp y = w * exp ((1 - alpha) * y)) by (unfold w; rewrite <- exp_plus; f_equal; ring).
  assert (E2 : 1 = w * exp (- (alpha * y))).
  { unfold w. rewrite <- exp_plus, <- exp_0. f_equal. ring. }
  pose proof (I ((1 - alpha) * y)) as I1. pose proof (I (- (alpha * y))) as I2.
  assert (w * (1 + (1 - alpha) * y) <= exp y) by (rewrite E1; apply Rmult_le_compat_l; lra).
  assert (w * (1 - alpha * y) <= 1) by (rewrite E2; apply Rmult_le_compat_l; lra).
  assert (alpha * (w * (1 + (1 - alpha) * y)) <= alpha * exp y) by (apply Rmult_le_compat_l; lra).
  assert ((1 - alpha) * (w * (1 - alpha * y)) <= 1 - alpha) by nra.
  nra.
Qed.

Section Gce.
Variable alpha : R.
Hypothesis Ha : 0 < alpha < 1.

Let g (x : R) := Rpower x alpha / alpha.
Let k (x : R) := Rpower x alpha * / x.

Lemma gce_form A a u : In a A -> comp_gce alpha A a u = / alpha - g (softmax A u a).
Proof. intros. unfold comp_gce, g. field. lra. Qed.

Lemma gce_tangent x y : 0 < x <= 1 -> 0 < y <= 1 -> g x <= g y + k y * (x - y).
Proof.
  intros Hx Hy. unfold g, k.
  pose proof (bernoulli alpha (ln x - ln y) Ha) as B.
  replace (exp (ln x - ln y)) with (x * / y) in B.
  2: { unfold Rminus. rewrite exp_plus, exp_Ropp, !exp_ln; lra. }
  assert (E : Rpower x alpha = Rpower y alpha * exp (alpha * (ln x - ln y))).
  { unfold Rpower. rewrite <- exp_plus. f_equal. ring. }
  assert (P : 0 < Rpower y alpha) by apply exp_pos.
  apply Rmult_le_reg_l with alpha; [lra|]. rewrite E.
  replace (alpha * (Rpower y alpha * exp (alpha * (ln x - ln y)) / alpha))
    with (Rpower y alpha * exp (alpha * (ln x - ln y))) by (field; lra).
  replace (alpha * (Rpower y alpha / alpha + Rpower y alpha * / y * (x - y)))
    with (Rpower y alpha * (1 + alpha * (x * / y - 1))) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

Lemma gce_slope_grows x y : 0 < x -> x <= y -> y <= 1 -> x * k x <= y * k y.
Proof.
  intros P H _. unfold k.
  replace (x * (Rpower x alpha * / x)) with (Rpower x alpha) by (field; lra).
  replace (y * (Rpower y alpha * / y)) with (Rpower y alpha) by (field; lra).
  apply Rle_Rpower_l; lra.
Qed.

Lemma gce_power_ge x : 0 < x <= 1 -> x <= Rpower x alpha.
Proof.
  intros H. rewrite <- (exp_ln x) at 1 by lra. unfold Rpower.
  pose proof (ln_le x ltac:(lra)) as L.
  destruct (Req_dec (ln x) 0) as [->|N]; [right; f_equal; ring|].
  left. apply exp_increasing. nra.
Qed.

Lemma gce_slope_big x : 0 < x <= 1 -> 1 <= k x.
Proof.
  intros H. unfold k. pose proof (gce_power_ge x H).
  apply Rmult_le_reg_l with x; [lra|].
  replace (x * (Rpower x alpha * / x)) with (Rpower x alpha) by (field; lra). lra.
Qed.

Lemma gce_nonneg : nonneg_loss (comp_gce alpha).
Proof.
  intros A a u _ I. unfold comp_gce. pose proof (softmax_pos A u a I) as P.
  pose proof (softmax_le_1 A u a I) as Q.
  apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra].
  assert (Rpower (softmax A u a) alpha <= Rpower 1 alpha) by (apply Rle_Rpower_l; lra).
  assert (Rpower 1 alpha = 1) by (unfold Rpower; rewrite ln_1, Rmult_0_r; apply exp_0). lra.
Qed.

Lemma gce_common s :
  (forall a, 0 < s a) -> forall A, NoDup A -> forall u,
  risk (comp_gce alpha) A s (fun a => / (1 - alpha) * ln (s a)) <= risk (comp_gce alpha) A s u.
Proof.
  intros P A N. set (v := fun a => / (1 - alpha) * ln (s a)).
  set (Z := sum A (fun b => exp (v b))).
  apply (concave_common (comp_gce alpha) (/ alpha) g k gce_form gce_tangent A s v
    (exp ((1 - alpha) * ln Z))).
  - intros. left. apply P.
  - intros a I. assert (PZ : 0 < Z) by (eapply partition_pos; eauto).
    unfold k, softmax. fold Z.
    assert (E : exp (v a) / Z = exp (v a - ln Z)).
    { unfold Rdiv, Rminus. rewrite exp_plus, exp_Ropp, exp_ln; auto. }
    rewrite E. unfold Rpower. rewrite ln_exp, <- exp_Ropp.
    rewrite <- (exp_ln (s a)) by apply P. rewrite <- !exp_plus. f_equal.
    unfold v. field. lra.
Qed.

Lemma gce_zero_gap : zero_gap (comp_gce alpha).
Proof.
  apply zero_gap_if; [exact gce_nonneg|]. intros s P. eexists. exact (gce_common s P).
Qed.

Lemma gce_consistent : availability_consistent (comp_gce alpha).
Proof.
  apply consistent_if; [exact gce_zero_gap|].
  apply (concave_improvable (comp_gce alpha) (/ alpha) g k gce_form gce_tangent
           gce_slope_big gce_slope_grows).
Qed.
End Gce.

(* claim: availability-comp-gce *)
Theorem comp_gce_serves_every_active_set :
  forall alpha, 0 < alpha < 1 ->
  (forall s, (forall a, 0 < s a) -> forall A, NoDup A -> forall u,
     risk (comp_gce alpha) A s (fun a => / (1 - alpha) * ln (s a)) <= risk (comp_gce alpha) A s u) /\
  zero_gap (comp_gce alpha) /\ availability_consistent (comp_gce alpha).
Proof.
  intros alpha Ha. split; [exact (gce_common alpha Ha)|].
  split; [exact (gce_zero_gap alpha Ha)|exact (gce_consistent alpha Ha)].
Qed.
