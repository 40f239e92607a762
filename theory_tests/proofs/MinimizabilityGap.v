(* The least hinge risk of a round and the minimizability gap.

   thm-f.4: the characterisation of Thm F.4, with attainment. Where the best action is unique and
   does not hold all the mass, the minimiser is unique, and near-minimisers are near it. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration GammaHinge.
Import ListNotations.
Open Scope R_scope.

Lemma hinge_risk_ext A s u v :
  NoDup A -> (forall a, In a A -> u a = v a) -> risk cstnd_hinge A s u = risk cstnd_hinge A s v.
Proof.
  intros N H. rewrite !risk_cstnd_hinge by auto. apply sum_ext. intros a Ha. rewrite H; auto.
Qed.

(* A class of hypotheses with zero-sum scores that holds, for every round, one with the canonical
   scores: the pointwise infimum over the class is K (S - max s), it is attained, and the gap is
   the least total risk minus the sum of these. *)
(* claim: thm-f.4 *)
Theorem minimizability_gap_characterised_with_attainment :
  forall (Hyp Round : Type) (H : Hyp -> Prop) (h_scores : Hyp -> Round -> nat -> R)
         (A : Round -> list nat) (s : Round -> nat -> R) (ymax : Round -> nat) (xs : list Round),
  (forall x, In x xs -> NoDup (A x)) ->
  (forall x a, In x xs -> In a (A x) -> 0 <= s x a) ->
  (forall x, In x xs -> is_argmax (A x) (s x) (ymax x)) ->
  (forall h x, H h -> In x xs -> zero_sum (A x) (h_scores h x)) ->
  (forall x, In x xs -> exists h, H h /\
     forall a, In a (A x) -> h_scores h x a = canonical (A x) (ymax x) a) ->
  let C h x := risk cstnd_hinge (A x) (s x) (h_scores h x) in
  let least x := INR (length (A x)) * (mass (A x) (s x) - s x (ymax x)) in
  (forall x, In x xs -> is_min_over H (fun h => C h x) (least x)) /\
  forall (Rstar : R) (Cstar : Round -> R),
    is_inf_over H (fun h => sum xs (C h)) Rstar ->
    (forall x, In x xs -> is_inf_over H (fun h => C h x) (Cstar x)) ->
    Rstar - sum xs Cstar = Rstar - sum xs least.
Proof.
  intros Hyp Round H h_scores A s ymax xs N P M Z Can C least.
  assert (Min : forall x, In x xs -> is_min_over H (fun h => C h x) (least x)).
  { intros x Hx. destruct (hinge_least_risk (A x) (s x) (ymax x)) as [L _]; auto.
    split.
    - intros h Hh. apply L. auto.
    - destruct (Can x Hx) as (h & Hh & E). exists h. split; auto. unfold C.
      rewrite (hinge_risk_ext _ _ _ (canonical (A x) (ymax x))) by auto.
      rewrite canonical_risk; auto. apply M. auto. }
  split; auto. intros Rstar Cstar _ I. f_equal. apply sum_ext. intros x Hx.
  exact (inf_unique _ _ _ _ (I x Hx) (min_is_inf _ _ _ (Min x Hx))).
Qed.

(* How far from the canonical vector scores of small excess can be. *)
Lemma hinge_stability A s u m kap a :
  NoDup A -> In m A -> zero_sum A u -> 0 < kap ->
  (forall b, In b A -> b <> m -> kap <= s m - s b) -> kap <= sum A s - s m ->
  In a A -> a <> m ->
  kap * Rabs (1 + u a) <= risk cstnd_hinge A s u - INR (length A) * (sum A s - s m).
Proof.
  intros N Hm Z K G S Ha NE. rewrite (hinge_excess A s u m N).
  set (w := fun b => Rmax 0 (1 + u b)).
  assert (W0 : forall b, 0 <= w b) by (intros; apply Rmax_l).
  assert (W1 : forall b, 0 <= w b - (1 + u b)) by (intros b; pose proof (Rmax_r 0 (1 + u b)); unfold w; lra).
  assert (T1 : kap * w a <= sum A (fun b => (s m - s b) * w b)).
  { apply Rle_trans with ((s m - s a) * w a).
    - apply Rmult_le_compat_r; auto.
    - apply (sum_term_le A (fun b => (s m - s b) * w b)); auto. intros b Hb.
      destruct (Nat.eq_dec b m) as [->|NB]; [lra|]. specialize (G b Hb NB).
      apply Rmult_le_pos; auto; lra. }
  assert (T2 : w a - (1 + u a) <= sum A w - INR (length A)).
  { replace (sum A w - INR (length A)) with (sum A (fun b => w b - (1 + u b))).
    - apply (sum_term_le A (fun b => w b - (1 + u b))); auto.
    - rewrite sum_minus, sum_plus, sum_const. unfold zero_sum in Z. rewrite Z. ring. }
  assert (T3 : kap * (w a - (1 + u a)) <= (sum A s - s m) * (sum A w - INR (length A))).
  { specialize (W1 a). apply Rmult_le_compat; lra. }
  fold w.
  assert (Rabs (1 + u a) = w a + (w a - (1 + u a))).
  { unfold w, Rmax, Rabs. destruct (Rcase_abs (1 + u a)), (Rle_dec 0 (1 + u a)); lra. }
  change (sum A (fun b => Rmax 0 (1 + u b))) with (sum A w).
  change (sum A (fun b => (s m - s b) * Rmax 0 (1 + u b))) with (sum A (fun b => (s m - s b) * w b)).
  nra.
Qed.

(* Finitely many positive numbers have a positive lower bound. *)
Lemma positive_floor (l : list nat) (f : nat -> R) (c : R) :
  0 < c -> (forall b, In b l -> 0 < f b) ->
  exists k, 0 < k /\ k <= c /\ forall b, In b l -> k <= f b.
Proof.
  intros C. induction l as [|x l IH]; intros H.
  - exists c. repeat split; try lra. intros b [].
  - destruct IH as (k & K & KC & L); [intros; apply H; right; auto|].
    assert (0 < f x) by (apply H; left; auto).
    exists (Rmin k (f x)). split; [apply Rmin_glb_lt; auto|].
    split; [pose proof (Rmin_l k (f x)); lra|]. intros b [<-|Hb]; [apply Rmin_r|].
    specialize (L b Hb). pose proof (Rmin_l k (f x)). lra.
Qed.

Lemma best_floor A s m :
  only_argmax A s m -> s m < sum A s ->
  exists kap, 0 < kap /\ kap <= sum A s - s m /\
    forall b, In b A -> b <> m -> kap <= s m - s b.
Proof.
  intros [Hm M] S.
  destruct (positive_floor (others A m) (fun b => s m - s b) (sum A s - s m)) as (k & K & C & L).
  - lra.
  - intros b Hb. apply others_in in Hb. destruct Hb as [Hb NE]. specialize (M b Hb NE). lra.
  - exists k. repeat split; auto. intros b Hb NE. apply L. apply others_in. auto.
Qed.

(* Scores that are e-close to -1 at the others: what is left for m. *)
Lemma zero_sum_top A u m e :
  NoDup A -> In m A -> zero_sum A u ->
  (forall a, In a A -> a <> m -> Rabs (1 + u a) <= e) ->
  Rabs (u m - (INR (length A) - 1)) <= (INR (length A) - 1) * e.
Proof.
  intros N Hm Z C. unfold zero_sum in Z. rewrite (sum_others A m u N Hm) in Z.
  replace (u m - (INR (length A) - 1)) with (- sum (others A m) (fun a => 1 + u a)).
  - rewrite Rabs_Ropp. eapply Rle_trans; [apply sum_abs|].
    rewrite <- (others_length_INR A m N Hm). apply sum_le_const. intros a Ha.
    apply others_in in Ha. apply C; tauto.
  - rewrite sum_plus, sum_const, others_length_INR by auto. lra.
Qed.

(* The minimiser is unique where the best action is and others have mass. *)
(* claim: thm-f.4 *)
Theorem hinge_minimiser_is_unique_with_a_unique_best_action :
  forall A s m u,
  NoDup A -> only_argmax A s m -> s m < mass A s -> zero_sum A u ->
  risk cstnd_hinge A s u = INR (length A) * (mass A s - s m) ->
  forall a, In a A -> u a = canonical A m a.
Proof.
  intros A s m u N M S Z E a Ha. rewrite mass_eq in S, E.
  destruct (best_floor A s m M S) as (kap & K & KS & G). destruct M as [Hm _].
  assert (C : forall b, In b A -> b <> m -> Rabs (1 + u b) <= 0).
  { intros b Hb NE. pose proof (hinge_stability A s u m kap b N Hm Z K G KS Hb NE) as Q.
    rewrite E in Q. pose proof (Rabs_pos (1 + u b)). nra. }
  unfold canonical. destruct (Nat.eqb_spec a m) as [->|NE].
  - pose proof (zero_sum_top A u m 0 N Hm Z C) as Q. rewrite Rmult_0_r in Q.
    pose proof (Rle_abs (u m - (INR (length A) - 1))).
    pose proof (Rle_abs (- (u m - (INR (length A) - 1)))) as R. rewrite Rabs_Ropp in R. lra.
  - specialize (C a Ha NE). pose proof (Rle_abs (1 + u a)).
    pose proof (Rle_abs (- (1 + u a))) as R. rewrite Rabs_Ropp in R. lra.
Qed.

(* The risk above the least one, for any score vector, centred on the active set. *)
Definition excess (A : list nat) (s : nat -> R) (m : nat) (u : nat -> R) : R :=
  risk (centred cstnd_hinge) A s u - INR (length A) * (mass A s - s m).

Lemma proj_zero_sum A u : A <> nil -> zero_sum A (proj A u).
Proof.
  intros H. unfold zero_sum. rewrite (sum_ext A _ (fun a => u a - mean A u)).
  - rewrite sum_minus, sum_const, mean_eq. field.
    assert (0 < INR (length A)); [|lra]. apply lt_0_INR. destruct A; simpl; [congruence|lia].
  - intros a Ha. apply proj_in. auto.
Qed.

Lemma in_not_nil (A : list nat) a : In a A -> A <> nil.
Proof. intros H ->. destruct H. Qed.

Lemma excess_proj A s m u :
  excess A s m u = risk cstnd_hinge A s (proj A u) - INR (length A) * (sum A s - s m).
Proof. reflexivity. Qed.

Lemma excess_nonneg A s m u :
  NoDup A -> (forall a, In a A -> 0 <= s a) -> is_argmax A s m -> 0 <= excess A s m u.
Proof.
  intros N P M. rewrite excess_proj.
  destruct (hinge_least_risk A s m N P M) as [L _].
  specialize (L (proj A u) (proj_zero_sum A u (in_not_nil A m (proj1 M)))). lra.
Qed.

(* One vector with K at m and zero elsewhere. *)
Definition spike (k : R) (m : nat) : nat -> R := fun a => if Nat.eqb a m then k else 0.

Lemma spike_excess A s m :
  NoDup A -> In m A -> excess A s m (spike (INR (length A)) m) = 0.
Proof.
  intros N Hm. rewrite excess_proj.
  assert (L : 0 < INR (length A)).
  { apply lt_0_INR. destruct A; [destruct Hm|simpl; lia]. }
  rewrite (hinge_risk_ext A s _ (canonical A m)), canonical_risk; auto; [ring|].
  intros a Ha. rewrite proj_in, mean_eq by auto.
  replace (sum A (spike (INR (length A)) m)) with (INR (length A))
    by (symmetry; apply (sum_single A m (fun _ => INR (length A))); auto).
  unfold spike, canonical. destruct (Nat.eqb a m); field; lra.
Qed.
