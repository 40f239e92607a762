(* The least hinge risk of a round and the minimizability gap.

   thm-f.4:                the characterisation of Thm F.4, with attainment.
   zero-gap-best-changes, zero-gap-size-changes: with unique best actions and some mass elsewhere,
     one vector serves two active sets that share the best action of one of them exactly when best
     actions and sizes coincide; otherwise the gap is positive. The two conditions cannot be
     dropped (last examples).
   zero-gap-constant-size: sets of the same size with the same best action have gap zero. *)

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
(* claim: zero-gap-size-changes *)
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

Lemma excess_top A s u m kap b :
  NoDup A -> In m A -> 0 < kap ->
  (forall b, In b A -> b <> m -> kap <= s m - s b) -> kap <= sum A s - s m ->
  In b A -> b <> m ->
  kap * Rabs (u m - u b - INR (length A)) <= INR (length A) * excess A s m u.
Proof.
  intros N Hm K G S Hb NE. rewrite excess_proj.
  pose proof (proj_zero_sum A u (in_not_nil A m Hm)) as Z.
  set (v := proj A u) in *. set (E := risk cstnd_hinge A s v - INR (length A) * (sum A s - s m)).
  assert (C : forall a, In a A -> a <> m -> Rabs (1 + v a) <= E / kap).
  { intros a Ha NA. pose proof (hinge_stability A s v m kap a N Hm Z K G S Ha NA) as Q.
    fold E in Q. apply Rmult_le_reg_l with kap; auto.
    replace (kap * (E / kap)) with E by (field; lra). auto. }
  pose proof (zero_sum_top A v m _ N Hm Z C) as T. specialize (C b Hb NE).
  replace (u m - u b - INR (length A)) with ((v m - (INR (length A) - 1)) + - (1 + v b)).
  - pose proof (Rabs_triang (v m - (INR (length A) - 1)) (- (1 + v b))) as Tr.
    rewrite Rabs_Ropp in Tr. apply Rle_trans with (kap * (INR (length A) * (E / kap))).
    + apply Rmult_le_compat_l; lra.
    + right. field. lra.
  - unfold v. rewrite !proj_in by auto. ring.
Qed.

Lemma excess_others A s u m kap b c :
  NoDup A -> In m A -> 0 < kap ->
  (forall b, In b A -> b <> m -> kap <= s m - s b) -> kap <= sum A s - s m ->
  In b A -> b <> m -> In c A -> c <> m ->
  kap * Rabs (u b - u c) <= 2 * excess A s m u.
Proof.
  intros N Hm K G S Hb NB Hc NC. rewrite excess_proj.
  pose proof (proj_zero_sum A u (in_not_nil A m Hm)) as Z.
  pose proof (hinge_stability A s (proj A u) m kap b N Hm Z K G S Hb NB) as Qb.
  pose proof (hinge_stability A s (proj A u) m kap c N Hm Z K G S Hc NC) as Qc.
  replace (u b - u c) with ((1 + proj A u b) + - (1 + proj A u c)).
  - pose proof (Rabs_triang (1 + proj A u b) (- (1 + proj A u c))) as Tr.
    rewrite Rabs_Ropp in Tr. nra.
  - rewrite !proj_in by auto. ring.
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

(* Two rounds at one input. Their best actions are unique and do not hold all the mass, the best
   action of the first is active in the second, and some other action is active in both (in the
   paper all classes are). Then the minimizability gap over all score vectors is zero exactly when
   best actions and sizes coincide. *)
(* claim: zero-gap-best-changes, zero-gap-size-changes *)
Theorem zero_gap_of_two_active_sets_iff_same_best_action_and_size :
  forall A0 A1 s0 s1 m0 m1 b,
  NoDup A0 -> NoDup A1 ->
  (forall a, In a A0 -> 0 <= s0 a) -> (forall a, In a A1 -> 0 <= s1 a) ->
  only_argmax A0 s0 m0 -> only_argmax A1 s1 m1 -> s0 m0 < mass A0 s0 -> s1 m1 < mass A1 s1 ->
  In m0 A1 -> In b A0 -> In b A1 -> b <> m0 ->
  is_inf_over all_scores (fun u => excess A0 s0 m0 u + excess A1 s1 m1 u) 0
  <-> (m0 = m1 /\ length A0 = length A1).
Proof.
  intros A0 A1 s0 s1 m0 m1 b N0 N1 P0 P1 M0 M1 S0 S1 I01 Hb0 Hb1 NB.
  assert (NN : forall u, 0 <= excess A0 s0 m0 u /\ 0 <= excess A1 s1 m1 u).
  { intros u. split; apply excess_nonneg; auto using only_argmax_is. }
  split.
  - intros [_ Gr].
    rewrite mass_eq in S0, S1.
    destruct (best_floor A0 s0 m0 M0 S0) as (k0 & K0 & KS0 & G0).
    destruct (best_floor A1 s1 m1 M1 S1) as (k1 & K1 & KS1 & G1).
    destruct M0 as [H0 _]. destruct M1 as [H1 _].
    set (n0 := INR (length A0)) in *. set (n1 := INR (length A1)) in *.
    assert (L0 : 2 <= n0).
    { apply INR_length_2. rewrite (others_length A0 m0 N0 H0).
      assert (In b (others A0 m0)) by (apply others_in; auto).
      destruct (others A0 m0); [tauto|simpl; lia]. }
    assert (L1 : 2 <= n1).
    { apply INR_length_2. rewrite (others_length A1 m0 N1 I01).
      assert (In b (others A1 m0)) by (apply others_in; auto).
      destruct (others A1 m0); [tauto|simpl; lia]. }
    (* If the conclusion fails, the excess is bounded below. *)
    assert (Low : forall d, 0 < d ->
      (forall u, d <= excess A0 s0 m0 u + excess A1 s1 m1 u) -> False).
    { intros d D H. assert (d <= 0) by (apply Gr; intros u _; apply H). lra. }
    destruct (Nat.eq_dec m0 m1) as [E|NE].
    + split; auto. destruct (Nat.eq_dec (length A0) (length A1)) as [|NL]; auto. exfalso.
      subst m1.
      assert (D1 : 1 <= Rabs (n1 - n0)).
      { unfold n0, n1. destruct (Nat.lt_ge_cases (length A0) (length A1)) as [Lt|Ge].
        - assert (S (length A0) <= length A1)%nat as Q by lia. apply le_INR in Q. rewrite S_INR in Q.
          rewrite Rabs_right; lra.
        - assert (S (length A1) <= length A0)%nat as Q by lia. apply le_INR in Q. rewrite S_INR in Q.
          rewrite Rabs_left1; lra. }
      set (kap := Rmin k0 k1). assert (KP : 0 < kap) by (apply Rmin_glb_lt; auto).
      apply (Low (kap / (n0 + n1))); [apply Rdiv_lt_0_compat; lra|]. intros u.
      destruct (NN u) as [Q0 Q1].
      pose proof (excess_top A0 s0 u m0 k0 b N0 H0 K0 G0 KS0 Hb0 NB) as T0.
      pose proof (excess_top A1 s1 u m0 k1 b N1 H1 K1 G1 KS1 Hb1 NB) as T1.
      fold n0 in T0. fold n1 in T1.
      pose proof (Rabs_triang (u m0 - u b - n0) (- (u m0 - u b - n1))) as Tr.
      rewrite Rabs_Ropp in Tr.
      replace (u m0 - u b - n0 + - (u m0 - u b - n1)) with (n1 - n0) in Tr by ring.
      assert (kap <= k0) by apply Rmin_l. assert (kap <= k1) by apply Rmin_r.
      pose proof (Rabs_pos (u m0 - u b - n0)). pose proof (Rabs_pos (u m0 - u b - n1)).
      apply Rmult_le_reg_r with (n0 + n1); [lra|].
      replace (kap / (n0 + n1) * (n0 + n1)) with kap by (field; lra). nra.
    + exfalso.
      set (kap := Rmin k0 k1). assert (KP : 0 < kap) by (apply Rmin_glb_lt; auto).
      apply (Low (kap / (n0 + n1))); [apply Rdiv_lt_0_compat; lra|]. intros u.
      destruct (NN u) as [Q0 Q1].
      pose proof (excess_top A0 s0 u m0 k0 b N0 H0 K0 G0 KS0 Hb0 NB) as T0. fold n0 in T0.
      assert (kap <= k0) by apply Rmin_l. assert (kap <= k1) by apply Rmin_r.
      assert (T1 : k1 * (u m0 - u b) <= n1 * excess A1 s1 m1 u).
      { destruct (Nat.eq_dec b m1) as [->|NB1].
        - pose proof (excess_top A1 s1 u m1 k1 m0 N1 H1 K1 G1 KS1 I01 NE) as T. fold n1 in T.
          pose proof (Rle_abs (- (u m1 - u m0 - n1))) as A'. rewrite Rabs_Ropp in A'.
          assert (0 <= n1 * k1) by nra. nra.
        - pose proof (excess_others A1 s1 u m1 k1 m0 b N1 H1 K1 G1 KS1 I01 NE Hb1 NB1) as T.
          pose proof (Rle_abs (u m0 - u b)). assert (2 * excess A1 s1 m1 u <= n1 * excess A1 s1 m1 u) by nra.
          nra. }
      pose proof (Rle_abs (- (u m0 - u b - n0))) as A'. rewrite Rabs_Ropp in A'.
      apply Rmult_le_reg_r with (n0 + n1); [lra|].
      replace (kap / (n0 + n1) * (n0 + n1)) with kap by (field; lra).
      destruct (Rle_dec (u m0 - u b) 1) as [Le|Gt].
      * assert (k0 * (n0 - 1) <= n0 * excess A0 s0 m0 u) by nra.
        assert (kap <= k0 * (n0 - 1)) by nra.
        assert (0 <= n1 * excess A0 s0 m0 u) by nra.
        assert (0 <= (n0 + n1) * excess A1 s1 m1 u) by nra. lra.
      * assert (k1 <= n1 * excess A1 s1 m1 u) by nra.
        assert (0 <= n0 * excess A1 s1 m1 u) by nra.
        assert (0 <= (n0 + n1) * excess A0 s0 m0 u) by nra. lra.
  - intros [E EL]. subst m1. apply min_is_inf. split.
    + intros u _. destruct (NN u). lra.
    + exists (spike (INR (length A0)) m0). split; [exact I|].
      rewrite (spike_excess A0) by (auto; apply M0). rewrite EL.
      rewrite (spike_excess A1) by (auto; apply M1). ring.
Qed.
