(* The importance-weighted estimate and exploration (Sec. 4.1, Sec. 6.1, Alg. 1).
   Claims: estimate-unbiased, estimate-unbiased-gradient, estimate-convex, two-actions-exact,
   exploration-needed, exploration-floor. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Projection Cost.
Import ListNotations.
Open Scope R_scope.

(* What an action earns when the label is y; the deferral loss weighs targets by it. *)
Definition reward (n : nat) (c : nat -> nat -> R) (a y : nat) : R :=
  if Nat.ltb a n then (if Nat.eqb a y then 1 else 0) else 1 - c (a - n)%nat y.

Lemma reward_class n c a y : (a < n)%nat -> reward n c a y = if Nat.eqb a y then 1 else 0.
Proof. intros H. unfold reward. apply Nat.ltb_lt in H. rewrite H. reflexivity. Qed.

Lemma reward_expert n c j y : reward n c (n + j)%nat y = 1 - c j y.
Proof.
  unfold reward. assert (H : Nat.ltb (n + j) n = false) by (apply Nat.ltb_ge; lia).
  rewrite H. replace (n + j - n)%nat with j by lia. reflexivity.
Qed.

Lemma deferral_reward n E c y f :
  (y < n)%nat -> deferral n E c y f = sum (active n E) (fun a => reward n c a y * f a).
Proof.
  intros Hy. rewrite deferral_eq, sum_active. f_equal.
  - rewrite (sum_ext _ _ (fun a => if Nat.eqb a y then f a else 0)).
    + symmetry. apply (sum_single _ y f (seq_NoDup _ _)). apply seq_in_0. auto.
    + intros a Ha. apply seq_in_0 in Ha. rewrite reward_class by auto.
      destruct (Nat.eqb a y); ring.
  - apply sum_ext. intros j _. rewrite reward_expert. reflexivity.
Qed.

(* The estimate weighs the action played and no other. *)
Lemma estimate_single n E c q a y f :
  NoDup E -> In a (active n E) -> estimate n E c q a y f = reward n c a y / q a * f a.
Proof.
  intros NE Ha. rewrite estimate_eq. apply active_in in Ha. destruct Ha as [Ha|[j [Hj ->]]].
  - rewrite v0_eq, (sum_zero E).
    + rewrite reward_class by auto. apply Nat.ltb_lt in Ha. rewrite Ha. simpl.
      destruct (Nat.eqb a y); unfold Rdiv; ring.
    + intros j _. rewrite vj_eq. destruct (Nat.eqb_spec a (n + j)); [lia|ring].
  - rewrite v0_eq. assert (L : Nat.ltb (n + j) n = false) by (apply Nat.ltb_ge; lia).
    rewrite L. simpl.
    rewrite (sum_ext E _ (fun i => if Nat.eqb i j
       then (1 - c i y) / q (n + i)%nat * f (n + i)%nat else 0)).
    + rewrite (sum_single E j (fun i => (1 - c i y) / q (n + i)%nat * f (n + i)%nat) NE Hj).
      rewrite reward_expert. ring.
    + intros i _. rewrite vj_eq.
      destruct (Nat.eqb_spec (n + j) (n + i)), (Nat.eqb_spec i j); try lia;
        unfold Rdiv; ring.
Qed.

Lemma estimate_mean n E c q y f :
  NoDup E -> (y < n)%nat -> (forall a, In a (active n E) -> 0 < q a) ->
  sum (active n E) (fun a => q a * estimate n E c q a y f) = deferral n E c y f.
Proof.
  intros NE Hy Q. rewrite deferral_reward by auto. apply sum_ext. intros a Ha.
  rewrite estimate_single by auto. specialize (Q a Ha). field. lra.
Qed.

Lemma score_reward n E p c a :
  is_law n p -> In a (active n E) ->
  sum (seq 0 n) (fun y => p y * reward n c a y) = score n p c a.
Proof.
  intros [P S] Ha. apply active_in in Ha. destruct Ha as [Ha|[j [Hj ->]]].
  - rewrite score_class by auto.
    rewrite (sum_ext _ _ (fun y => if Nat.eqb y a then p y else 0)).
    + apply (sum_single _ a p (seq_NoDup _ _)). apply seq_in_0. auto.
    + intros y _. rewrite reward_class by auto.
      destruct (Nat.eqb_spec a y), (Nat.eqb_spec y a); try congruence; ring.
  - rewrite score_expert, <- S, <- sum_minus. apply sum_ext. intros y _.
    rewrite reward_expert. ring.
Qed.

(* Lem D.2 for any quantity of the target action. *)
Lemma deferral_expectation n E p c f :
  is_law n p ->
  sum (seq 0 n) (fun y => p y * deferral n E c y f)
  = sum (active n E) (fun a => score n p c a * f a).
Proof.
  intros Lw.
  rewrite (sum_ext _ _ (fun y => sum (active n E) (fun a => p y * reward n c a y * f a))).
  - rewrite sum_swap. apply sum_ext. intros a Ha. rewrite sum_scal_r.
    rewrite (score_reward n E) by auto. reflexivity.
  - intros y Hy. apply seq_in_0 in Hy. rewrite deferral_reward, <- sum_scal by auto.
    apply sum_ext. intros. ring.
Qed.

(* For any surrogate, any costs, any sampling law that gives every active action a chance. *)
(* claim: estimate-unbiased *)
Theorem the_estimate_is_unbiased :
  forall phi n E c q y u,
  NoDup E -> (y < n)%nat -> (forall a, In a (active n E) -> 0 < q a) ->
  sum (active n E)
      (fun a => q a * estimate n E c q a y (fun b => varying phi (active n E) b u))
  = phi_def phi n E c u y.
Proof. intros. rewrite estimate_mean by auto. reflexivity. Qed.

(* Subgradients: coefficients of the hinge in the scores, any selection at the kinks. *)
Definition hinge_selection (A : list nat) (u alpha : nat -> R) : Prop :=
  forall b, In b A ->
  0 <= alpha b <= 1 /\ (0 < 1 + u b -> alpha b = 1) /\ (1 + u b < 0 -> alpha b = 0).
Definition target_coeff (alpha : nat -> R) (t b : nat) : R := if Nat.eqb b t then 0 else alpha b.

Lemma hinge_point (u v alpha : R) :
  0 <= alpha <= 1 -> (0 < 1 + u -> alpha = 1) -> (1 + u < 0 -> alpha = 0) ->
  Rmax 0 (1 + u) + alpha * (v - u) <= Rmax 0 (1 + v).
Proof.
  intros B P M.
  destruct (Rtotal_order 0 (1 + u)) as [L|[L|L]].
  - rewrite (P L), (Rmax_right 0 (1 + u)) by lra. pose proof (Rmax_r 0 (1 + v)). lra.
  - rewrite (Rmax_right 0 (1 + u)) by lra.
    pose proof (Rmax_r 0 (1 + v)). pose proof (Rmax_l 0 (1 + v)).
    destruct (Rle_dec 0 (v - u)); nra.
  - rewrite (M L), (Rmax_left 0 (1 + u)) by lra. pose proof (Rmax_l 0 (1 + v)). lra.
Qed.

Lemma hinge_target_subgradient A u v alpha t :
  hinge_selection A u alpha -> NoDup A -> In t A ->
  cstnd_hinge A t u + sum A (fun b => target_coeff alpha t b * (v b - u b)) <= cstnd_hinge A t v.
Proof.
  intros S N Ht. rewrite !cstnd_hinge_eq.
  rewrite (sum_others A t _ N Ht). unfold target_coeff at 1. rewrite Nat.eqb_refl.
  rewrite Rmult_0_l, Rplus_0_l, <- sum_plus. apply sum_le. intros b Hb.
  apply others_in in Hb. destruct Hb as [Hb Hne]. unfold target_coeff.
  destruct (Nat.eqb_spec b t); [congruence|]. destruct (S b Hb) as [B [P M]].
  apply hinge_point; auto.
Qed.

Lemma projM_scal_sum {X} (l : list X) A (w : X -> R) (G : X -> Matrix) i k :
  sum l (fun a => w a * projM A (G a) i k)
  = projM A (fun b k' => sum l (fun a => w a * G a b k')) i k.
Proof.
  unfold projM. rewrite proj_eq. destruct (mem i A) eqn:M.
  - rewrite (sum_ext l _ (fun a => w a * G a i k
               - / INR (length A) * sum A (fun b => w a * G a b k))).
    + rewrite sum_minus, sum_scal, sum_swap. unfold Rdiv. ring.
    + intros a _. rewrite proj_eq, M, sum_scal. unfold Rdiv. ring.
  - apply sum_ext. intros a _. rewrite proj_eq, M. reflexivity.
Qed.

(* The mean of the projected estimated gradients is the projected gradient of the deferral loss,
   which is a subgradient of it: every target keeps its selection at kinks. x is the input with its
   bias entry; the estimated gradient of a played action a is the matrix in the first line. *)
(* claim: estimate-unbiased-gradient *)
Theorem the_projected_gradient_is_unbiased :
  forall n E c q y u alpha D x,
  let A := active n E in
  let G a := fun b k => estimate n E c q a y (fun t => target_coeff alpha t b * x k) in
  let g b := deferral n E c y (fun t => target_coeff alpha t b) in
  NoDup E -> (y < n)%nat -> (forall a, In a A -> 0 < q a) -> unit_costs n E c ->
  hinge_selection A u alpha ->
  (forall i k, (k < D)%nat ->
     sum A (fun a => q a * projM A (G a) i k) = projM A (fun b k => g b * x k) i k)
  /\ (forall v, phi_def cstnd_hinge n E c u y + sum A (fun b => g b * (v b - u b))
                <= phi_def cstnd_hinge n E c v y).
Proof.
  intros n E c q y u alpha D x A G g NE Hy Q U S. split.
  - intros i k Hk. rewrite projM_scal_sum. unfold projM. apply proj_ext.
    intros b _. unfold G, A. rewrite estimate_mean by auto. unfold g.
    rewrite !deferral_eq, Rmult_plus_distr_r, <- sum_scal_r. f_equal.
    apply sum_ext. intros. ring.
  - intros v. rewrite !phi_def_eq, !deferral_reward by auto. fold A.
    rewrite (sum_ext A (fun b => g b * (v b - u b))
      (fun b => sum A (fun t => reward n c t y * (target_coeff alpha t b * (v b - u b))))).
    + rewrite sum_swap, <- sum_plus. apply sum_le. intros t Ht. rewrite sum_scal.
      rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l.
      * unfold A in Ht. apply active_in in Ht. destruct Ht as [Ht|[j [Hj ->]]].
        -- rewrite reward_class by auto. destruct (Nat.eqb t y); lra.
        -- rewrite reward_expert. pose proof (U j y Hj Hy). lra.
      * rewrite !varying_eq. pose proof Ht as Mt. apply mem_in in Mt. fold A. rewrite Mt.
        apply hinge_target_subgradient; auto. apply active_nodup; auto.
    + intros b Hb. unfold g. rewrite deferral_reward by auto. fold A.
      rewrite <- sum_scal_r. apply sum_ext. intros. ring.
Qed.

(* Convexity. *)
Definition convex_in_scores (f : (nat -> R) -> R) : Prop :=
  forall u v t, 0 <= t <= 1 ->
  f (fun b => t * u b + (1 - t) * v b) <= t * f u + (1 - t) * f v.

Lemma cstnd_hinge_convex A a : convex_in_scores (cstnd_hinge A a).
Proof.
  intros u v t Ht. rewrite !cstnd_hinge_eq, <- !sum_scal, <- sum_plus. apply sum_le.
  intros b _.
  pose proof (Rmax_l 0 (1 + u b)). pose proof (Rmax_r 0 (1 + u b)).
  pose proof (Rmax_l 0 (1 + v b)). pose proof (Rmax_r 0 (1 + v b)).
  apply Rmax_lub; nra.
Qed.

(* Whatever was played and observed, also under the rule for two actions. *)
(* claim: estimate-convex *)
Theorem the_estimate_is_convex :
  forall n E c q a y,
  NoDup E -> (y < n)%nat -> In a (active n E) -> unit_costs n E c -> 0 < q a ->
  convex_in_scores
    (fun u => round_estimate n E c q a y (fun b => cstnd_hinge (active n E) b u)).
Proof.
  intros n E c q a y NE Hy Ha U Q u v t Ht.
  unfold round_estimate, Generic.round_estimate. destruct (Generic.identified n E).
  - apply cstnd_hinge_convex; auto.
  - change (Generic.estimate RA) with estimate. rewrite !estimate_single by auto.
    pose proof (cstnd_hinge_convex (active n E) a u v t Ht) as C. cbv beta in C.
    assert (W : 0 <= reward n c a y / q a).
    { apply div_nonneg; auto. apply active_in in Ha. destruct Ha as [Ha|[j [Hj ->]]].
      - rewrite reward_class by auto. destruct (Nat.eqb a y); lra.
      - rewrite reward_expert. pose proof (U j y Hj Hy). lra. }
    apply Rmult_le_compat_l with (r := reward n c a y / q a) in C; auto. lra.
Qed.

(* Two active actions: two classes and nobody to ask; then the bit names the label, and the loss
   itself is used. With two classes and more the rule does not apply. *)
(* claim: two-actions-exact *)
Theorem with_two_actions_the_label_is_known :
  forall n E,
  (2 <= n)%nat ->
  (length (active n E) = 2%nat <-> (n = 2%nat /\ E = nil))
  /\ (Generic.identified n E = true <-> length (active n E) = 2%nat)
  /\ (length (active n E) = 2%nat ->
      forall a y y', (a < 2)%nat -> (y < 2)%nat -> (y' < 2)%nat ->
      (Nat.eqb a y = Nat.eqb a y' -> y = y')
      /\ Generic.named_label a y = y
      /\ forall c q f, round_estimate n E c q a y f = deferral n E c y f).
Proof.
  intros n E Hn.
  assert (L : length (active n E) = 2%nat <-> n = 2%nat /\ E = nil).
  { rewrite active_length. split.
    - intros H. split; [lia|]. destruct E; auto. simpl in H. lia.
    - intros [-> ->]. reflexivity. }
  assert (Id : Generic.identified n E = true <-> length (active n E) = 2%nat).
  { rewrite L. unfold Generic.identified. rewrite andb_true_iff, !Nat.eqb_eq.
    split; intros [-> H]; split; auto.
    - destruct E; auto. discriminate.
    - rewrite H. reflexivity. }
  split; [exact L|]. split; [exact Id|].
  intros H a y y' Ha Hy Hy'.
  assert (Nm : Generic.named_label a y = y).
  { unfold Generic.named_label. destruct (Nat.eqb_spec a y); lia. }
  repeat split; auto.
  - destruct (Nat.eqb_spec a y), (Nat.eqb_spec a y'); intros; try discriminate; lia.
  - intros c q f. unfold round_estimate, Generic.round_estimate.
    rewrite (proj2 Id H), Nm. apply L in H. destruct H as [-> ->].
    rewrite deferral_eq. simpl. ring.
Qed.

(* Exploration. *)

Lemma mix_dist A gamma r :
  NoDup A -> In r A -> 0 <= gamma <= 1 -> is_dist A (mix A gamma r).
Proof.
  intros N Hr G.
  assert (K : 0 < INR (length A)) by (apply length_pos; intros ->; auto).
  split.
  - intros a _. rewrite mix_eq. assert (0 <= gamma / INR (length A)) by (apply div_nonneg; lra).
    destruct (Nat.eqb a r); lra.
  - rewrite (sum_ext A _ (fun a => (if Nat.eqb a r then 1 - gamma else 0)
                                   + gamma / INR (length A))) by (intros; apply mix_eq).
    rewrite sum_plus, sum_const.
    rewrite (sum_single A r (fun _ => 1 - gamma) N Hr). field. lra.
Qed.

(* For every number of actions; the floor is the exact probability of the other actions. *)
(* claim: exploration-floor *)
Theorem the_mixture_explores_every_action :
  forall A gamma r,
  NoDup A -> In r A -> 0 <= gamma <= 1 ->
  is_dist A (mix A gamma r)
  /\ (forall a, In a A -> gamma / INR (length A) <= mix A gamma r a)
  /\ (forall a, In a A -> a <> r -> mix A gamma r a = gamma / INR (length A))
  /\ (gamma <= 1 / 2 -> 1 / 2 <= mix A gamma r r).
Proof.
  intros A gamma r N Hr G. split; [apply mix_dist; auto|].
  assert (K : 0 < INR (length A)) by (apply length_pos; intros ->; auto).
  assert (P : 0 <= gamma / INR (length A)) by (apply div_nonneg; lra).
  repeat split.
  - intros a _. rewrite mix_eq. destruct (Nat.eqb a r); lra.
  - intros a _ Ne. rewrite mix_eq. destruct (Nat.eqb_spec a r); [congruence|lra].
  - intros Hg. rewrite mix_eq, Nat.eqb_refl. lra.
Qed.

(* A learner that never explores: weights W, the greedy action of each round (lowest index at
   ties), the estimated hinge gradient for label 1, a step of any size, and any rescaling s (such
   as the projection on a ball). *)
Fixpoint greedy_run (n D : nat) (E : nat -> list nat) (c : nat -> nat -> nat -> R)
    (x : nat -> nat -> R) (eta s : nat -> R) (T : nat) : Matrix :=
  match T with
  | O => fun _ _ => 0
  | S t =>
      let W := greedy_run n D E c x eta s t in
      let A := active n (E t) in
      let u := proj A (scores D W (x t)) in
      let a := argmax A u in
      let G := fun b k => round_estimate n (E t) (c t) (mix A 0 a) a 1
                            (fun target => hinge_coeff target u b * x t k) in
      fun b k => s t * (W b k - eta t * projM A G b k)
  end.

Lemma argmax_from_flat A u best :
  (forall b, u b = 0) -> Generic.argmax_from RA A u best = best.
Proof.
  intros H. induction A as [|a A IH]; simpl; auto.
  unfold Rleb. rewrite !H. destruct (Rle_dec 0 0); [auto|lra].
Qed.

Lemma argmax_flat n E u : (0 < n)%nat -> (forall b, u b = 0) -> argmax (active n E) u = 0%nat.
Proof.
  intros Hn H. destruct n; [lia|]. unfold active. simpl. apply argmax_from_flat. auto.
Qed.

Lemma proj_flat A u : (forall b, u b = 0) -> forall b, proj A u b = 0.
Proof.
  intros H b. rewrite proj_fixes; auto. apply sum_zero. auto.
Qed.

Lemma greedy_run_stuck n D E c x eta s :
  (2 <= n)%nat -> (forall t, (3 <= length (active n (E t)))%nat) ->
  forall T b k, greedy_run n D E c x eta s T b k = 0.
Proof.
  intros Hn K T. induction T as [|t IH]; intros b k; [reflexivity|].
  cbn [greedy_run]. cbv zeta. rewrite IH.
  set (A := active n (E t)). set (u := proj A (scores D (greedy_run n D E c x eta s t) (x t))).
  assert (U : forall b, u b = 0).
  { apply proj_flat. intros a. apply sum_zero. intros i _. rewrite IH. ring. }
  assert (Ar : argmax A u = 0%nat) by (apply argmax_flat; [lia|auto]). rewrite Ar.
  assert (P : forall b' k', round_estimate n (E t) (c t) (mix A 0 0) 0 1
                (fun target => hinge_coeff target u b' * x t k') = 0).
  { intros b' k'. unfold round_estimate, Generic.round_estimate.
    destruct (Generic.identified n (E t)) eqn:I.
    - apply (with_two_actions_the_label_is_known n (E t) Hn) in I. specialize (K t). lia.
    - change (Generic.estimate RA) with estimate. rewrite estimate_eq, v0_eq.
      rewrite Bool.andb_false_r. rewrite sum_zero; [ring|].
      intros j _. rewrite vj_eq. destruct (Nat.eqb_spec 0 (n + j)); [lia|ring]. }
  unfold projM. rewrite (proj_flat A) by (intros; apply P). ring.
Qed.

(* Without exploration (i) the mean estimate is the greedy action's own share of the loss and no
   more, and (ii) the learner above, with labels that are always class 1, plays class 0 for ever,
   keeps W = 0 and loses 1 a round where class 1 loses nothing. *)
(* claim: exploration-needed *)
Theorem without_exploration_the_estimate_misses_the_rest :
  (forall n E c y r f,
     NoDup E -> (y < n)%nat -> In r (active n E) ->
     sum (active n E)
         (fun a => mix (active n E) 0 r a * estimate n E c (mix (active n E) 0 r) a y f)
     = reward n c r y * f r
     /\ deferral n E c y f
        = reward n c r y * f r
          + sum (others (active n E) r) (fun a => reward n c a y * f a))
  /\ (forall n D E c x eta s T,
     (2 <= n)%nat -> (forall t, (3 <= length (active n (E t)))%nat) ->
     let played t := argmax (active n (E t)) (scores D (greedy_run n D E c x eta s t) (x t)) in
     let label_1 y := if Nat.eqb y 1 then 1 else 0 in
     (forall b k, greedy_run n D E c x eta s T b k = 0)
     /\ is_law n label_1
     /\ sum (seq 0 T) (fun t => true_risk n label_1 (c t) (played t)
                                - true_risk n label_1 (c t) 1%nat) = INR T).
Proof.
  split.
  - intros n E c y r f NE Hy Hr. pose proof (active_nodup n E NE) as NA. split.
    + rewrite (sum_others _ r) by auto. rewrite sum_zero.
      * rewrite estimate_single by auto.
        rewrite !mix_eq, Nat.eqb_refl. unfold Rdiv. rewrite Rmult_0_l.
        replace (1 - 0 + 0) with 1 by ring. rewrite Rinv_1. ring.
      * intros a Ha. apply others_in in Ha. rewrite mix_eq.
        destruct (Nat.eqb_spec a r); [tauto|]. unfold Rdiv. ring.
    + rewrite deferral_reward by auto.
      apply (sum_others _ r (fun a => reward n c a y * f a)); auto.
  - intros n D E c x eta s T Hn K played label_1.
    assert (P : forall t, played t = 0%nat).
    { intros t. apply argmax_flat; [lia|]. intros b. apply sum_zero. intros i _.
      rewrite greedy_run_stuck by auto. ring. }
    assert (R : forall t a, (a < n)%nat ->
              true_risk n label_1 (c t) a = if Nat.eqb a 1 then 0 else 1).
    { intros t a Ha. rewrite true_risk_eq.
      rewrite (sum_ext _ _ (fun y => if Nat.eqb y 1
                 then (if Nat.eqb a y then 0 else 1) else 0)).
      - rewrite (sum_single _ 1 (fun y => if Nat.eqb a y then 0 else 1) (seq_NoDup _ _)); auto.
        apply seq_in_0. lia.
      - intros y _. rewrite true_loss_eq. apply Nat.ltb_lt in Ha. rewrite Ha. unfold label_1.
        destruct (Nat.eqb y 1); ring. }
    split; [intros; apply greedy_run_stuck; auto|]. split.
    + split.
      * intros y _. unfold label_1. destruct (Nat.eqb y 1); lra.
      * apply (sum_single _ 1 (fun _ => 1) (seq_NoDup _ _)). apply seq_in_0. lia.
    + rewrite (sum_ext _ _ (fun _ => 1)).
      * rewrite sum_const, seq_length. ring.
      * intros t _. rewrite P, !R by lia. simpl. ring.
Qed.
