(* App. B (no restriction on the comparator) and the calibration gaps of App. D.
   Claims: app-b-unrestricted, lem-d.1, lem-d.2, lem-d.3, lem-d.4, exploration-price. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Projection Cost Estimator.
Import ListNotations.
Open Scope R_scope.

(* App. B. Labels uniform over n classes, every expert costs 1. An algorithm maps everything that
   happened so far (actions and labels, the latest first) to a mixture over the active actions; the
   available experts may depend on it too. Its expected loss over T more rounds: *)
Definition History := list (nat * nat).

Fixpoint expected_loss (n : nat) (E : History -> list nat) (alg : History -> nat -> R)
    (T : nat) (past : History) : R :=
  match T with
  | O => 0
  | S t =>
      sum (seq 0 n) (fun y => 1 / INR n *
        sum (active n (E past)) (fun a => alg past a *
          (true_loss n (fun _ _ => 1) a y + expected_loss n E alg t ((a, y) :: past))))
  end.

Lemma true_risk_score n E p c a :
  is_law n p -> In a (active n E) -> true_risk n p c a = 1 - score n p c a.
Proof.
  intros Lw Ha. rewrite <- (score_reward n E p c a Lw Ha). destruct Lw as [P S].
  rewrite true_risk_eq, <- S, <- sum_minus. apply sum_ext. intros y _.
  rewrite true_loss_eq. unfold reward. destruct (Nat.ltb a n); [destruct (Nat.eqb a y)|]; ring.
Qed.

Lemma uniform_law n : (0 < n)%nat -> is_law n (fun _ => 1 / INR n).
Proof.
  intros H. assert (0 < INR n) by (apply lt_0_INR; auto). split.
  - intros. left. apply Rdiv_lt_0_compat; lra.
  - rewrite sum_const, seq_length. field. lra.
Qed.

Lemma uniform_loss n E a :
  (0 < n)%nat -> In a (active n E) ->
  sum (seq 0 n) (fun y => 1 / INR n * true_loss n (fun _ _ => 1) a y)
  = if Nat.ltb a n then (INR n - 1) / INR n else 1.
Proof.
  intros H Ha. assert (P : 0 < INR n) by (apply lt_0_INR; auto).
  pose proof (uniform_law n H) as Lw.
  pose proof (true_risk_score n E _ (fun _ _ => 1) a Lw Ha) as R.
  rewrite true_risk_eq in R. rewrite R, score_eq. destruct (Nat.ltb a n).
  - field. lra.
  - rewrite (sum_ext _ _ (fun _ => 1 / INR n)) by (intros; ring).
    destruct Lw as [_ ->]. ring.
Qed.

Section Unrestricted.
Context (n : nat) (E : History -> list nat) (alg : History -> nat -> R).
Context (Hn : (0 < n)%nat) (Dist : forall past, is_dist (active n (E past)) (alg past)).

Lemma expected_loss_round t past :
  expected_loss n E alg (S t) past
  = sum (active n (E past)) (fun a => alg past a *
      (sum (seq 0 n) (fun y => 1 / INR n * true_loss n (fun _ _ => 1) a y)
       + sum (seq 0 n) (fun y => 1 / INR n * expected_loss n E alg t ((a, y) :: past)))).
Proof.
  cbn [expected_loss].
  rewrite (sum_ext (seq 0 n) _ (fun y => sum (active n (E past)) (fun a =>
    alg past a * (1 / INR n * true_loss n (fun _ _ => 1) a y
                  + 1 / INR n * expected_loss n E alg t ((a, y) :: past))))).
  - rewrite sum_swap. apply sum_ext. intros a _. rewrite sum_scal, sum_plus. reflexivity.
  - intros y _. rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.

Lemma expected_loss_lower T : forall past, INR T * ((INR n - 1) / INR n) <= expected_loss n E alg T past.
Proof.
  assert (P : 0 < INR n) by (apply lt_0_INR; auto).
  induction T as [|t IH]; intros past; [simpl; lra|].
  rewrite expected_loss_round, S_INR. destruct (Dist past) as [Q S].
  set (v := (INR n - 1) / INR n) in *.
  assert (F : forall x, sum (active n (E past)) (fun a => alg past a * x) = x)
    by (intros x; rewrite sum_scal_r, S; ring).
  assert (F' : forall x, sum (seq 0 n) (fun y => 1 / INR n * x) = x)
    by (intros x; rewrite sum_scal_r, (proj2 (uniform_law n Hn)); ring).
  rewrite <- (F ((INR t + 1) * v)). apply sum_le. intros a Ha.
  apply Rmult_le_compat_l; auto.
  replace ((INR t + 1) * v) with (v + INR t * v) by ring. apply Rplus_le_compat.
  - rewrite (uniform_loss n (E past) a Hn Ha). unfold v.
    destruct (Nat.ltb a n); [lra|]. apply div_le_1; lra.
  - rewrite <- (F' (INR t * v)). apply sum_le. intros y _. apply Rmult_le_compat_l; [|apply IH].
    left. apply Rdiv_lt_0_compat; lra.
Qed.

(* Equality when only classes are played. *)
Lemma expected_loss_classes T :
  (forall past a, In a (active n (E past)) -> (n <= a)%nat -> alg past a = 0) ->
  forall past, expected_loss n E alg T past = INR T * ((INR n - 1) / INR n).
Proof.
  intros C. assert (P : 0 < INR n) by (apply lt_0_INR; auto).
  induction T as [|t IH]; intros past; [simpl; lra|].
  rewrite expected_loss_round, S_INR. destruct (Dist past) as [Q S].
  set (v := (INR n - 1) / INR n) in *.
  assert (F : forall x, sum (active n (E past)) (fun a => alg past a * x) = x)
    by (intros x; rewrite sum_scal_r, S; ring).
  rewrite <- (F ((INR t + 1) * v)). apply sum_ext. intros a Ha.
  rewrite (uniform_loss n (E past) a Hn Ha).
  rewrite (sum_ext (seq 0 n) _ (fun y => INR t * v * (1 / INR n)))
    by (intros; rewrite IH; ring).
  rewrite sum_scal, (proj2 (uniform_law n Hn)).
  destruct (Nat.ltb_spec a n) as [L|L]; [fold v; ring|]. rewrite C by auto. ring.
Qed.
End Unrestricted.

(* For every number of classes, every pool and every algorithm, whatever feedback it gets; the
   comparator that names the label of each round loses nothing. *)
(* claim: app-b-unrestricted *)
Theorem against_a_comparator_that_may_change_regret_is_linear :
  forall n E alg T,
  (0 < n)%nat ->
  (forall past, is_dist (active n (E past)) (alg past)) ->
  INR T * ((INR n - 1) / INR n) <= expected_loss n E alg T nil
  /\ (forall past y, (y < n)%nat ->
        In y (active n (E past)) /\ true_loss n (fun _ _ => 1) y y = 0)
  /\ ((forall past a, In a (active n (E past)) -> (n <= a)%nat -> alg past a = 0) ->
      expected_loss n E alg T nil = INR T * ((INR n - 1) / INR n)).
Proof.
  intros n E alg T Hn Dist. split; [|split].
  - apply expected_loss_lower; auto.
  - intros past y Hy. split.
    + apply active_in. auto.
    + rewrite true_loss_eq. apply Nat.ltb_lt in Hy. rewrite Hy, Nat.eqb_refl. reflexivity.
  - intros C. apply expected_loss_classes; auto.
Qed.

(* App. D. H is the set of actions that the class can choose at this input. *)

(* claim: lem-d.1 *)
Theorem true_risk_of_an_action_is_one_minus_its_score :
  forall n E p c H,
  is_law n p -> incl H (active n E) -> H <> nil ->
  (forall a, In a H -> true_risk n p c a = 1 - score n p c a)
  /\ is_min_over (fun a => In a H) (true_risk n p c) (1 - largest H (score n p c))
  /\ (forall a, In a H ->
        true_risk n p c a - (1 - largest H (score n p c))
        = largest H (score n p c) - score n p c a).
Proof.
  intros n E p c H Lw I Ne.
  assert (R : forall a, In a H -> true_risk n p c a = 1 - score n p c a).
  { intros a Ha. apply (true_risk_score n E); auto. }
  repeat split; auto.
  - intros a Ha. rewrite R by auto. pose proof (largest_ge H (score n p c) a Ha). lra.
  - destruct (argmax_is H (score n p c) Ne) as [Ha _].
    exists (argmax H (score n p c)). split; auto. rewrite R by auto. reflexivity.
  - intros a Ha. rewrite R by auto. ring.
Qed.

Lemma surrogate_expectation phi n E p c u :
  is_law n p ->
  sum (seq 0 n) (fun y => p y * phi_def phi n E c u y) = risk phi (active n E) (score n p c) u.
Proof.
  intros Lw.
  pose proof (deferral_expectation n E p c (fun a => varying phi (active n E) a u) Lw) as D.
  change (sum (seq 0 n) (fun y => p y * phi_def phi n E c u y)
          = sum (active n E) (fun a => score n p c a * varying phi (active n E) a u)) in D.
  rewrite D, risk_eq. apply sum_ext. intros a Ha. rewrite varying_eq.
  apply mem_in in Ha. rewrite Ha. reflexivity.
Qed.

(* U is the set of score vectors that the class has at this input. *)
(* claim: lem-d.2 *)
Theorem surrogate_risk_weighs_actions_by_their_scores :
  forall phi n E p c,
  is_law n p ->
  (forall u, sum (seq 0 n) (fun y => p y * phi_def phi n E c u y)
             = sum (active n E) (fun a => score n p c a * phi (active n E) a u))
  /\ forall (U : (nat -> R) -> Prop) m,
     is_inf_over U (fun u => sum (seq 0 n) (fun y => p y * phi_def phi n E c u y)) m
     <-> is_inf_over U (fun u => sum (active n E) (fun a => score n p c a * phi (active n E) a u)) m.
Proof.
  intros phi n E p c Lw.
  assert (R := fun u => surrogate_expectation phi n E p c u Lw).
  split; [exact R|].
  intros U m. unfold is_inf_over. split; intros [L G]; split; intros.
  - specialize (R x). rewrite risk_eq in R. rewrite <- R. auto.
  - apply G. intros x Hx. rewrite R. apply H. auto.
  - rewrite R. apply L. auto.
  - apply G. intros x Hx. specialize (R x). rewrite risk_eq in R. rewrite <- R. auto.
Qed.

(* Zero-one risk of an action r under weights w. *)
Definition zero_one_risk (A : list nat) (w : nat -> R) (r : nat) : R :=
  sum A (fun a => w a * (if Nat.eqb r a then 0 else 1)).

Lemma zero_one_score A w r : NoDup A -> In r A -> zero_one_risk A w r = sum A w - w r.
Proof.
  intros N Hr. unfold zero_one_risk. rewrite (sum_others A r) by auto. rewrite Nat.eqb_refl.
  rewrite (sum_ext (others A r) _ w).
  - rewrite sum_others_eq by auto. ring.
  - intros a Ha. apply others_in in Ha. destruct (Nat.eqb_spec r a); [|ring].
    exfalso. apply (proj2 Ha). auto.
Qed.

Lemma score_bar_sum A s : 0 < sum A s -> sum A (score_bar A s) = 1.
Proof.
  intros P. rewrite (sum_ext A _ (fun a => s a / sum A s)) by (intros; apply score_bar_eq).
  rewrite sum_div. field. lra.
Qed.

Lemma largest_bar H A s :
  H <> nil -> 0 < sum A s -> largest H (score_bar A s) = largest H s / sum A s.
Proof.
  intros Ne P. destruct (argmax_exists H s Ne) as [r [Hr M]].
  rewrite (largest_is H s r (conj Hr M)). rewrite <- score_bar_eq.
  apply largest_is. split; auto.
  intros b Hb. rewrite !score_bar_eq. apply Rmult_le_compat_r; auto.
  left. apply Rinv_0_lt_compat. auto.
Qed.

(* claim: lem-d.3 *)
Theorem zero_one_risk_under_normalised_scores :
  forall A s H,
  NoDup A -> 0 < mass A s -> incl H A -> H <> nil ->
  is_min_over (fun r => In r H) (zero_one_risk A (score_bar A s))
              (1 - largest H (score_bar A s))
  /\ (forall r, In r H ->
        zero_one_risk A (score_bar A s) r - (1 - largest H (score_bar A s))
        = largest H (score_bar A s) - score_bar A s r)
  /\ (forall r, In r H ->
        largest H (score_bar A s) - score_bar A s r = (largest H s - s r) / mass A s).
Proof.
  intros A s H N P I Ne. rewrite mass_eq in *.
  assert (R : forall r, In r H ->
            zero_one_risk A (score_bar A s) r = 1 - score_bar A s r).
  { intros r Hr. rewrite zero_one_score, score_bar_sum by auto. ring. }
  repeat split.
  - intros r Hr. rewrite R by auto. pose proof (largest_ge H (score_bar A s) r Hr). lra.
  - destruct (argmax_is H (score_bar A s) Ne) as [Hr _].
    exists (argmax H (score_bar A s)). split; auto. rewrite R by auto. reflexivity.
  - intros r Hr. rewrite R by auto. ring.
  - intros r Hr. rewrite largest_bar, score_bar_eq by auto. field. lra.
Qed.

(* An affine change of a function changes its infimum in the same way. *)
Lemma inf_affine {X} (U : X -> Prop) (f g : X -> R) (a b m m' : R) :
  0 < a -> (forall x, U x -> g x = a * f x + b) ->
  is_inf_over U f m -> is_inf_over U g m' -> m' = a * m + b.
Proof.
  intros Ha E [L G] [L' G']. apply Rle_antisym.
  - assert ((m' - b) / a <= m).
    { apply G. intros x Hx. apply Rmult_le_reg_r with a; auto.
      replace ((m' - b) / a * a) with (m' - b) by (field; lra).
      specialize (L' x Hx). rewrite E in L' by auto. lra. }
    apply Rmult_le_compat_l with (r := a) in H; [|lra].
    replace (a * ((m' - b) / a)) with (m' - b) in H by (field; lra). lra.
  - apply G'. intros x Hx. rewrite E by auto. specialize (L x Hx).
    apply Rmult_le_compat_l with (r := a) in L; lra.
Qed.

Lemma true_mix_swap n A p c q :
  true_risk_mix n A p c q = sum A (fun a => q a * true_risk n p c a).
Proof.
  rewrite true_risk_mix_eq.
  rewrite (sum_ext _ _ (fun y => sum A (fun a => q a * (p y * true_loss n c a y)))).
  - rewrite sum_swap. apply sum_ext. intros a _. rewrite sum_scal, true_risk_eq. reflexivity.
  - intros y _. rewrite true_loss_mix_eq, <- sum_scal. apply sum_ext. intros. ring.
Qed.

Lemma true_risk_unit n E p c a :
  is_law n p -> unit_costs n E c -> In a (active n E) -> 0 <= true_risk n p c a <= 1.
Proof.
  intros Lw U Ha. rewrite (true_risk_score n E) by auto.
  pose proof (score_unit n E p c a Lw U Ha). lra.
Qed.

Lemma risk_of_mixture n E p c gamma r :
  NoDup E -> In r (active n E) ->
  true_risk_mix n (active n E) p c (mix (active n E) gamma r) - true_risk n p c r
  = gamma / INR (length (active n E))
    * sum (others (active n E) r) (fun a => true_risk n p c a - true_risk n p c r).
Proof.
  intros NE Hr. set (A := active n E) in *.
  assert (NA : NoDup A) by (apply active_nodup; auto).
  assert (K : 0 < INR (length A)) by (apply length_pos; intros Z; rewrite Z in Hr; auto).
  rewrite true_mix_swap.
  rewrite (sum_ext A _ (fun a => (if Nat.eqb a r then (1 - gamma) * true_risk n p c a else 0)
                                 + gamma / INR (length A) * true_risk n p c a)).
  - rewrite sum_plus, sum_scal.
    rewrite (sum_single A r (fun a => (1 - gamma) * true_risk n p c a) NA Hr).
    rewrite sum_minus, sum_const, (others_length_INR A r NA Hr), sum_others_eq by auto.
    field. lra.
  - intros a _. rewrite mix_eq. destruct (Nat.eqb a r); ring.
Qed.

(* Exploring raises the risk by at most gamma (K - 1)/K, hence by at most gamma; attained for every
   class r by a sure label r and experts that cost 1. *)
(* claim: exploration-price *)
Theorem exploring_costs_at_most_gamma :
  forall n E gamma r,
  NoDup E -> In r (active n E) -> 0 <= gamma <= 1 ->
  let A := active n E in
  let rise p c := true_risk_mix n A p c (mix A gamma r) - true_risk n p c r in
  (forall p c, is_law n p -> unit_costs n E c ->
     rise p c <= gamma * ((INR (length A) - 1) / INR (length A)))
  /\ gamma * ((INR (length A) - 1) / INR (length A)) <= gamma
  /\ ((r < n)%nat ->
      is_law n (point r)
      /\ rise (point r) (fun _ _ => 1) = gamma * ((INR (length A) - 1) / INR (length A))).
Proof.
  intros n E gamma r NE Hr Hg A rise.
  assert (NA : NoDup A) by (apply active_nodup; auto).
  assert (K : 0 < INR (length A)) by (apply length_pos; intros Z; unfold A in Z; rewrite Z in Hr; auto).
  assert (GK : 0 <= gamma / INR (length A)) by (apply div_nonneg; lra).
  assert (Form : forall x, gamma / INR (length A) * x = gamma * (x / INR (length A)))
    by (intros; field; lra).
  split; [|split].
  - intros p c Lw U. unfold rise. unfold A at 1 2. rewrite risk_of_mixture by auto. fold A.
    rewrite <- Form. apply Rmult_le_compat_l; auto.
    rewrite <- (Rmult_1_r (INR (length A) - 1)), <- (others_length_INR A r NA Hr).
    apply sum_le_const. intros a Ha. apply others_in in Ha.
    pose proof (true_risk_unit n E p c a Lw U (proj1 Ha)).
    pose proof (true_risk_unit n E p c r Lw U Hr). lra.
  - apply Rle_trans with (gamma * 1); [|lra]. apply Rmult_le_compat_l; [lra|].
    apply div_le_1; lra.
  - intros Hrn.
    assert (Lw : is_law n (point r)).
    { split.
      - intros y _. unfold point. destruct (Nat.eqb y r); lra.
      - apply (sum_single (seq 0 n) r (fun _ => 1) (seq_NoDup _ _)). apply seq_in_0; auto. }
    split; auto. unfold rise. unfold A at 1 2. rewrite risk_of_mixture by auto. fold A.
    rewrite <- Form. f_equal.
    rewrite <- (Rmult_1_r (INR (length A) - 1)), <- (others_length_INR A r NA Hr), <- sum_const.
    apply sum_ext. intros a Ha. apply others_in in Ha. destruct Ha as [Ha Ne].
    rewrite !(true_risk_score n E) by auto. rewrite (score_class n _ _ r Hrn).
    assert (S0 : score n (point r) (fun _ _ => 1) a = 0).
    { rewrite score_eq. destruct (Nat.ltb a n).
      - unfold point. destruct (Nat.eqb_spec a r); [congruence|auto].
      - rewrite (sum_ext _ _ (point r)) by (intros; ring). rewrite (proj2 Lw). ring. }
    rewrite S0. unfold point. rewrite Nat.eqb_refl. ring.
Qed.

Lemma exploration_costs_gamma n E p c gamma r :
  NoDup E -> is_law n p -> unit_costs n E c -> In r (active n E) -> 0 <= gamma <= 1 ->
  true_risk_mix n (active n E) p c (mix (active n E) gamma r) <= true_risk n p c r + gamma.
Proof.
  intros NE Lw U Hr Hg.
  destruct (exploring_costs_at_most_gamma n E gamma r NE Hr Hg) as [L [L' _]].
  specialize (L p c Lw U). cbv zeta in *. lra.
Qed.

(* U: the score vectors of the class at this input; the four m's are the infima over it of the true
   risk, the zero-one risk, the multiclass surrogate risk under the normalised scores, and the
   surrogate deferral risk. Nothing is asked of Gam but the inequality at this input. *)
(* claim: lem-d.4 *)
Theorem calibration_passes_to_the_exploring_learner :
  forall phi n E p c (U : (nat -> R) -> Prop) (Gam : R -> R) eps gamma m_def m_01 m_phi m_phi_def,
  let A := active n E in
  let s := score n p c in
  let Sm := mass A s in
  let phi_risk u := risk phi A (score_bar A s) u in
  let phi_def_risk u := sum (seq 0 n) (fun y => p y * phi_def phi n E c u y) in
  (2 <= n)%nat -> NoDup E -> is_law n p -> unit_costs n E c -> 0 <= gamma <= 1 ->
  is_inf_over U (fun u => true_risk n p c (argmax A u)) m_def ->
  is_inf_over U (fun u => zero_one_risk A (score_bar A s) (argmax A u)) m_01 ->
  is_inf_over U phi_risk m_phi ->
  is_inf_over U phi_def_risk m_phi_def ->
  (forall u, U u ->
     zero_one_risk A (score_bar A s) (argmax A u) - m_01 <= Gam (phi_risk u - m_phi) + eps) ->
  forall u, U u ->
  true_risk_mix n A p c (mix A gamma (argmax A u)) - m_def
  <= Sm * Gam ((phi_def_risk u - m_phi_def) / Sm) + Sm * eps + gamma.
Proof.
  intros phi n E p c U Gam eps gamma m_def m_01 m_phi m_phi_def A s Sm phi_risk phi_def_risk
    Hn NE Lw Uc Hg Idef I01 Iphi Iphidef Cal u Hu.
  assert (NA : NoDup A) by (apply active_nodup; auto).
  assert (HA : A <> nil).
  { unfold A. destruct n; [lia|]. discriminate. }
  assert (S1 : 1 <= Sm) by (apply (score_mass_is_between_one_and_K n E p c); auto).
  assert (Arg : forall v, In (argmax A v) A) by (intros; apply argmax_is; auto).
  assert (E1 : forall v, true_risk n p c (argmax A v)
             = Sm * zero_one_risk A (score_bar A s) (argmax A v) + (1 - Sm)).
  { intros v. rewrite (true_risk_score n E) by auto.
    rewrite zero_one_score, score_bar_sum, score_bar_eq by (auto; change (sum A s) with Sm; lra).
    fold s. change (sum A s) with Sm. field. lra. }
  assert (E2 : forall v, phi_def_risk v = Sm * phi_risk v + 0).
  { intros v. unfold phi_def_risk, phi_risk. rewrite surrogate_expectation by auto. fold A s.
    rewrite !risk_eq, <- sum_scal, Rplus_0_r. apply sum_ext. intros a _.
    rewrite score_bar_eq. change (sum A s) with Sm. field. lra. }
  assert (M1 : m_def = Sm * m_01 + (1 - Sm)).
  { apply (inf_affine U (fun u => zero_one_risk A (score_bar A s) (argmax A u))
                        (fun u => true_risk n p c (argmax A u))); auto. lra. }
  assert (M2 : m_phi_def = Sm * m_phi + 0).
  { apply (inf_affine U phi_risk phi_def_risk); auto. lra. }
  pose proof (exploration_costs_gamma n E p c gamma (argmax A u) NE Lw Uc (Arg u) Hg) as X.
  fold A in X. specialize (Cal u Hu).
  replace ((phi_def_risk u - m_phi_def) / Sm) with (phi_risk u - m_phi)
    by (rewrite E2, M2; field; lra).
  rewrite E1 in X. apply Rmult_le_compat_l with (r := Sm) in Cal; [|lra]. lra.
Qed.
