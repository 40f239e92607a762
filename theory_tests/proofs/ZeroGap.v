(* When can the minimizability gap of the constrained hinge be zero at an input where experts come
   and go? (Hypothesis of Thm 6.4 and 6.5.) Any weights of the two active sets, score vectors
   without a norm bound, so that the same holds for every class that contains the pointwise
   minimisers of Thm F.4 (radius large enough).

   - With one best class, an uncertain label and an expert who comes and goes, the gap is zero exactly
     when the expert's score ties with the best class; the tie has to be excluded by hypothesis.
   - In general: if the sets share the best action of one of them and one more action, the gap is
     zero only if best actions and sizes coincide. Without that it may be zero.
   - Experts who replace one another, the best action being always the same: the gap is zero.
   Claims: zero-gap-best-changes, zero-gap-size-changes, zero-gap-constant-size. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions Availability AvailabilityRamps.
Import ListNotations.
Open Scope R_scope.

Definition hinge_risk : list nat -> (nat -> R) -> (nat -> R) -> R := risk (centred cstnd_hinge).

(* The best action of A, strictly; mass elsewhere. *)
Definition unique_best (A : list nat) (s : nat -> R) (k : nat) : Prop :=
  In k A /\ forall b, In b A -> b <> k -> s b < s k.

(* Two active sets with scores and weights: the best single vector is worse by delta than vectors
   chosen for each set. *)
Definition gap_positive (w : R) (A : list nat) (s : nat -> R) (w' : R) (A' : list nat) (s' : nat -> R) : Prop :=
  exists delta, 0 < delta /\ exists u u', forall v,
  w * hinge_risk A s u + w' * hinge_risk A' s' u' + delta
  <= w * hinge_risk A s v + w' * hinge_risk A' s' v.

(* One vector is optimal in both. *)
Definition gap_zero (A : list nat) (s : nat -> R) (A' : list nat) (s' : nat -> R) : Prop :=
  exists v, forall u, hinge_risk A s v <= hinge_risk A s u /\ hinge_risk A' s' v <= hinge_risk A' s' u.

Lemma hinge_risk_eq A s v :
  NoDup A -> hinge_risk A s v = sum A (fun b => (sum A s - s b) * Rmax 0 (1 + proj A v b)).
Proof.
  intros N. unfold hinge_risk. rewrite risk_eq. unfold centred.
  rewrite (sum_ext A _ (fun a => s a * sum (others A a) (fun b => Rmax 0 (1 + proj A v b))))
    by (intros; rewrite cstnd_hinge_eq; reflexivity).
  exact (sum_cross A s (fun b => Rmax 0 (1 + proj A v b)) N).
Qed.

Lemma size_pos (A : list nat) a : In a A -> 0 < INR (length A).
Proof. intros H. apply lt_0_INR. destruct A; [destruct H|simpl; lia]. Qed.

Lemma proj_zero_sum A v a : In a A -> sum A (fun b => 1 + proj A v b) = INR (length A).
Proof.
  intros H. pose proof (size_pos A a H).
  rewrite sum_plus, sum_const.
  rewrite (sum_ext A (proj A v) (fun b => v b - mean A v)) by (intros; apply proj_in; auto).
  rewrite sum_minus, sum_const, mean_eq. field. lra.
Qed.

(* Thm F.4's value as a reference: what is above it, action by action. *)
Lemma hinge_excess A s v k :
  NoDup A -> In k A ->
  hinge_risk A s v - INR (length A) * (sum A s - s k)
  = sum A (fun b => (sum A s - s k) * (Rmax 0 (1 + proj A v b) - (1 + proj A v b))
                    + (s k - s b) * Rmax 0 (1 + proj A v b)).
Proof.
  intros N H. rewrite hinge_risk_eq by auto. rewrite <- (proj_zero_sum A v k H).
  rewrite (Rmult_comm (sum A (fun b => 1 + proj A v b))), <- sum_scal, <- sum_minus.
  apply sum_ext. intros. ring.
Qed.

Lemma hinge_excess_nonneg A s v k :
  NoDup A -> is_argmax A s k -> s k <= sum A s ->
  INR (length A) * (sum A s - s k) <= hinge_risk A s v.
Proof.
  intros N [H M] P. pose proof (hinge_excess A s v k N H) as E.
  assert (0 <= sum A (fun b => (sum A s - s k) * (Rmax 0 (1 + proj A v b) - (1 + proj A v b))
                    + (s k - s b) * Rmax 0 (1 + proj A v b))); [|lra].
  apply sum_nonneg. intros b Hb. specialize (M b Hb).
  pose proof (Rmax_l 0 (1 + proj A v b)). pose proof (Rmax_r 0 (1 + proj A v b)). nra.
Qed.

(* The margin c of uniqueness: excess risk is at least c times the l1 distance from the canonical
   vector off its top. *)
Lemma hinge_excess_far A s v k c :
  NoDup A -> In k A -> 0 <= c -> c <= sum A s - s k ->
  (forall b, In b A -> b <> k -> c <= s k - s b) ->
  INR (length A) * (sum A s - s k) + c * sum (others A k) (fun b => Rabs (1 + proj A v b))
  <= hinge_risk A s v.
Proof.
  intros N H P0 P1 P2. pose proof (hinge_excess A s v k N H) as E.
  rewrite (sum_others A k (fun b => (sum A s - s k) * (Rmax 0 (1 + proj A v b) - (1 + proj A v b))
                    + (s k - s b) * Rmax 0 (1 + proj A v b))) in E by auto.
  assert (T : c * sum (others A k) (fun b => Rabs (1 + proj A v b))
    <= sum (others A k) (fun b => (sum A s - s k) * (Rmax 0 (1 + proj A v b) - (1 + proj A v b))
                    + (s k - s b) * Rmax 0 (1 + proj A v b))).
  { rewrite <- sum_scal. apply sum_le. intros b Hb. apply others_in in Hb. destruct Hb as [Hb Nb].
    specialize (P2 b Hb Nb). set (x := 1 + proj A v b).
    destruct (Rle_dec 0 x) as [L|L].
    - rewrite Rabs_right, Rmax_right by lra. nra.
    - rewrite Rabs_left, Rmax_left by lra. nra. }
  pose proof (Rmax_r 0 (1 + proj A v k)).
  assert (0 <= (sum A s - s k) * (Rmax 0 (1 + proj A v k) - (1 + proj A v k)))
    by (apply Rmult_le_pos; lra).
  replace ((s k - s k) * Rmax 0 (1 + proj A v k)) with 0 in E by ring. lra.
Qed.

(* The canonical vector on top of k: its risk is the value of Thm F.4. *)
Definition spike (k : nat) (h : R) : nat -> R := fun a => if Nat.eqb a k then h else 0.

Lemma spike_proj A k b :
  NoDup A -> In k A -> In b A ->
  proj A (spike k (INR (length A))) b = if Nat.eqb b k then INR (length A) - 1 else - 1.
Proof.
  intros N H Hb. pose proof (size_pos A k H). rewrite proj_in, mean_eq by auto.
  unfold spike at 2. rewrite (sum_single A k (fun _ => INR (length A)) N H).
  unfold spike. destruct (Nat.eqb b k); field; lra.
Qed.

Lemma spike_risk A s k :
  NoDup A -> In k A ->
  hinge_risk A s (spike k (INR (length A))) = INR (length A) * (sum A s - s k).
Proof.
  intros N H. rewrite hinge_risk_eq by auto.
  rewrite (sum_others A k (fun b => (sum A s - s b) * Rmax 0 (1 + proj A _ b))) by auto.
  rewrite (sum_zero (others A k)).
  - rewrite spike_proj, Nat.eqb_refl, Rmax_right by (auto; pose proof (size_pos A k H); lra). ring.
  - intros b Hb. apply others_in in Hb. destruct Hb as [Hb Nb].
    rewrite spike_proj by auto. destruct (Nat.eqb_spec b k); [congruence|].
    rewrite Rmax_left by lra. ring.
Qed.

(* Differences of scores near the optimum. *)
Lemma differences A v k b :
  NoDup A -> In k A -> In b A -> b <> k ->
  Rabs (v k - v b - INR (length A)) <= 2 * sum (others A k) (fun c => Rabs (1 + proj A v c)).
Proof.
  intros N H Hb Nb. pose proof (proj_zero_sum A v k H) as Z.
  rewrite (sum_others A k (fun b => 1 + proj A v b)) in Z by auto.
  assert (E : v k - v b = proj A v k - proj A v b) by (rewrite !proj_in by auto; ring).
  rewrite E.
  replace (proj A v k - proj A v b - INR (length A))
    with (- (sum (others A k) (fun b => 1 + proj A v b) + (1 + proj A v b))) by lra.
  rewrite Rabs_Ropp. eapply Rle_trans; [apply Rabs_triang|].
  pose proof (sum_abs (others A k) (fun b => 1 + proj A v b)).
  assert (Rabs (1 + proj A v b) <= sum (others A k) (fun c => Rabs (1 + proj A v c))); [|lra].
  apply (sum_term_le (others A k) (fun c => Rabs (1 + proj A v c)) b).
  - intros. apply Rabs_pos.
  - apply others_in. auto.
Qed.

Lemma ties A v k b c :
  In b A -> In c A -> b <> k -> c <> k ->
  Rabs (v b - v c) <= 2 * sum (others A k) (fun c => Rabs (1 + proj A v c)).
Proof.
  intros Hb Hc Nb Nc.
  replace (v b - v c) with ((1 + proj A v b) + - (1 + proj A v c)) by (rewrite !proj_in by auto; ring).
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
  assert (T : forall b, In b A -> b <> k ->
    Rabs (1 + proj A v b) <= sum (others A k) (fun c => Rabs (1 + proj A v c))).
  { intros d Hd Nd. apply (sum_term_le (others A k) (fun c => Rabs (1 + proj A v c)) d).
    - intros. apply Rabs_pos.
    - apply others_in. auto. }
  pose proof (T b Hb Nb). pose proof (T c Hc Nc). lra.
Qed.

Lemma margin_exists A s k :
  unique_best A s k -> s k < sum A s ->
  exists c, 0 < c /\ c <= sum A s - s k /\ forall b, In b A -> b <> k -> c <= s k - s b.
Proof.
  intros [H U] P.
  destruct (small_for_all (fun b c => b <> k -> c <= s k - s b) A) as [c [Pc Hc]].
  - intros b d d' _ Q L Nb. specialize (Q Nb). lra.
  - intros b Hb. destruct (Nat.eq_dec b k) as [->|Nb].
    + exists 1. split; [lra|]. tauto.
    + exists (s k - s b). specialize (U b Hb Nb). split; [lra|]. intros; lra.
  - exists (Rmin c (sum A s - s k)). split; [apply Rmin_glb_lt; lra|].
    split; [apply Rmin_r|]. intros b Hb Nb. specialize (Hc b Hb Nb).
    pose proof (Rmin_l c (sum A s - s k)). lra.
Qed.

(* claim: zero-gap-best-changes, zero-gap-size-changes *)
Theorem zero_gap_needs_same_best_action_and_same_size :
  forall w A s k w' A' s' k' c,
  0 < w -> 0 < w' -> NoDup A -> NoDup A' ->
  unique_best A s k -> unique_best A' s' k' -> s k < sum A s -> s' k' < sum A' s' ->
  In k A' -> In c A -> In c A' -> c <> k ->
  k <> k' \/ length A <> length A' ->
  gap_positive w A s w' A' s'.
Proof.
  intros w A s k w' A' s' k' c Pw Pw' N N' U U' P P' Hk' Hc Hc' Nck Diff.
  destruct (margin_exists A s k U P) as [m [Pm [Q1 Q2]]].
  destruct (margin_exists A' s' k' U' P') as [m' [Pm' [Q1' Q2']]].
  destruct U as [Hk U]. destruct U' as [Hk2 U'].
  set (e := Rmin (w * m) (w' * m')).
  assert (Pe : 0 < e) by (apply Rmin_glb_lt; apply Rmult_lt_0_compat; auto).
  assert (E1 : e <= w * m) by apply Rmin_l. assert (E2 : e <= w' * m') by apply Rmin_r.
  exists (e / 4). split; [lra|].
  exists (spike k (INR (length A))), (spike k' (INR (length A'))). intros v.
  rewrite !spike_risk by auto.
  set (X := sum (others A k) (fun b => Rabs (1 + proj A v b))).
  set (X' := sum (others A' k') (fun b => Rabs (1 + proj A' v b))).
  assert (PX : 0 <= X) by (apply sum_nonneg; intros; apply Rabs_pos).
  assert (PX' : 0 <= X') by (apply sum_nonneg; intros; apply Rabs_pos).
  pose proof (hinge_excess_far A s v k m N Hk ltac:(lra) Q1 Q2) as F. fold X in F.
  pose proof (hinge_excess_far A' s' v k' m' N' Hk2 ltac:(lra) Q1' Q2') as F'. fold X' in F'.
  assert (KA : 1 <= INR (length A)).
  { change 1 with (INR 1). apply le_INR. destruct A; [destruct Hk|simpl; lia]. }
  assert (KA' : 1 <= INR (length A')).
  { change 1 with (INR 1). apply le_INR. destruct A'; [destruct Hk'|simpl; lia]. }
  assert (Far : 1 <= 2 * X + 2 * X').
  { pose proof (differences A v k c N Hk Hc Nck) as D1. fold X in D1.
    destruct (Nat.eq_dec k k') as [<-|Nkk].
    - (* same best action, other size *)
      pose proof (differences A' v k c N' Hk2 Hc' Nck) as D2. fold X' in D2.
      assert (S : 1 <= Rabs (INR (length A) - INR (length A'))).
      { destruct Diff as [|Diff]; [congruence|].
        destruct (Nat.lt_ge_cases (length A) (length A')) as [L|L].
        - apply le_INR in L. rewrite S_INR in L. rewrite Rabs_left; lra.
        - assert (L' : (S (length A') <= length A)%nat) by lia. apply le_INR in L'.
          rewrite S_INR in L'. rewrite Rabs_right; lra. }
      replace (INR (length A) - INR (length A'))
        with (- (v k - v c - INR (length A)) + (v k - v c - INR (length A'))) in S by ring.
      pose proof (Rabs_triang (- (v k - v c - INR (length A))) (v k - v c - INR (length A'))) as T.
      rewrite Rabs_Ropp in T. lra.
    - destruct (Nat.eq_dec c k') as [->|Nck'].
      + (* each is best in its own set *)
        pose proof (differences A' v k' k N' Hk2 Hk' ltac:(congruence)) as D2. fold X' in D2.
        pose proof (Rabs_triang (- (v k - v k' - INR (length A))) (- (v k' - v k - INR (length A')))) as T.
        rewrite !Rabs_Ropp in T.
        replace (- (v k - v k' - INR (length A)) + - (v k' - v k - INR (length A')))
          with (INR (length A) + INR (length A')) in T by ring.
        rewrite Rabs_right in T by lra. lra.
      + (* k and c tie in the other set *)
        pose proof (ties A' v k' k c Hk' Hc' Nkk Nck') as D2. fold X' in D2.
        pose proof (Rabs_triang (- (v k - v c - INR (length A))) (v k - v c)) as T.
        rewrite Rabs_Ropp in T.
        replace (- (v k - v c - INR (length A)) + (v k - v c)) with (INR (length A)) in T by ring.
        rewrite Rabs_right in T by lra. lra. }
  assert (G1 : w * (INR (length A) * (sum A s - s k)) + e * X <= w * hinge_risk A s v) by nra.
  assert (G2 : w' * (INR (length A') * (sum A' s' - s' k')) + e * X' <= w' * hinge_risk A' s' v) by nra.
  nra.
Qed.

(* An expert j joins the active set of n classes and the experts E. *)
Lemma joined_in n E j a : In a (active n (j :: E)) <-> In a (active n E) \/ a = (n + j)%nat.
Proof.
  rewrite !active_in. split.
  - intros [H|[i [[<-|Hi] ->]]]; eauto.
  - intros [[H|[i [Hi ->]]]| ->]; [auto|right; exists i; simpl; auto|right; exists j; simpl; auto].
Qed.

Lemma joined_sum n E j s : sum (active n (j :: E)) s = sum (active n E) s + s (n + j)%nat.
Proof. rewrite !sum_active. simpl. ring. Qed.

Lemma joined_nodup n E j : NoDup E -> ~ In j E -> NoDup (active n (j :: E)).
Proof. intros. apply active_nodup. constructor; auto. Qed.

Lemma joined_new n E j : ~ In j E -> ~ In (n + j)%nat (active n E).
Proof.
  intros H Q. apply active_in in Q. destruct Q as [Q|[i [Hi Q]]]; [lia|].
  assert (i = j) by lia. subst. auto.
Qed.

Lemma another_class n k : (2 <= n)%nat -> exists c, (c < n)%nat /\ c <> k.
Proof.
  intros H. destruct (Nat.eq_dec k 0) as [->|].
  - exists 1%nat. split; lia.
  - exists 0%nat. split; lia.
Qed.

(* claim: zero-gap-best-changes *)
Theorem gap_positive_when_the_best_expert_comes_and_goes :
  forall n E j s k w w',
  (2 <= n)%nat -> NoDup E -> ~ In j E -> (forall a, 0 <= s a) -> 0 < w -> 0 < w' ->
  unique_best (active n E) s k -> s k < sum (active n E) s ->
  s k < s (n + j)%nat ->
  gap_positive w (active n E) s w' (active n (j :: E)) s.
Proof.
  intros n E j s k w w' Hn NE NI Ps Pw Pw' U P L.
  destruct (another_class n k Hn) as [c [Hc Nc]].
  pose proof (joined_new n E j NI) as New. destruct U as [Hk U].
  apply (zero_gap_needs_same_best_action_and_same_size w _ s k w' _ s (n + j)%nat c); auto.
  - apply active_nodup; auto.
  - apply joined_nodup; auto.
  - split; auto.
  - split; [apply joined_in; auto|]. intros b Hb Nb. apply joined_in in Hb.
    destruct Hb as [Hb| ->]; [|congruence].
    destruct (Nat.eq_dec b k) as [->|Nbk]; [auto|]. specialize (U b Hb Nbk). lra.
  - rewrite joined_sum. specialize (Ps k). lra.
  - apply joined_in. auto.
  - apply active_in. auto.
  - apply joined_in. left. apply active_in. auto.
  - left. intros ->. auto.
Qed.

(* claim: zero-gap-size-changes *)
Theorem gap_zero_exactly_at_a_tie_when_an_expert_comes_and_goes :
  forall n E j s k w w',
  (2 <= n)%nat -> NoDup E -> ~ In j E -> (forall a, 0 <= s a) -> 0 < w -> 0 < w' ->
  unique_best (active n E) s k -> s k < sum (active n E) s ->
  (s (n + j)%nat <> s k -> gap_positive w (active n E) s w' (active n (j :: E)) s) /\
  (s (n + j)%nat = s k -> gap_zero (active n E) s (active n (j :: E)) s).
Proof.
  intros n E j s k w w' Hn NE NI Ps Pw Pw' U P. split.
  - intros Ne. destruct (Rlt_dec (s k) (s (n + j)%nat)) as [L|L].
    + apply gap_positive_when_the_best_expert_comes_and_goes with k; auto.
    + destruct (another_class n k Hn) as [c [Hc Nc]]. destruct U as [Hk U].
      apply (zero_gap_needs_same_best_action_and_same_size w _ s k w' _ s k c); auto.
      * apply active_nodup; auto.
      * apply joined_nodup; auto.
      * split; auto.
      * split; [apply joined_in; auto|]. intros b Hb Nb. apply joined_in in Hb.
        destruct Hb as [Hb| ->]; [auto|lra].
      * rewrite joined_sum. specialize (Ps (n + j)%nat). lra.
      * apply joined_in. auto.
      * apply active_in. auto.
      * apply joined_in. left. apply active_in. auto.
      * right. rewrite !active_length. simpl. lia.
  - intros T. destruct U as [Hk U]. set (A := active n E) in *.
    assert (NA : NoDup A) by (apply active_nodup; auto).
    set (A' := active n (j :: E)). assert (NA' : NoDup A') by (apply joined_nodup; auto).
    pose proof (joined_new n E j NI) as New. fold A in New.
    set (K := INR (length A)). pose proof (size_pos A k Hk) as PK. fold K in PK.
    assert (EK : INR (length A') = K + 1).
    { unfold K, A', A. rewrite !active_length, <- S_INR. f_equal. simpl. lia. }
    (* K - 1 on the best class, -1 on what else is there always, 0 on the expert *)
    set (v := fun a => if Nat.eqb a (n + j)%nat then 0 else if Nat.eqb a k then K - 1 else -1).
    assert (Nk : k <> (n + j)%nat) by (intros ->; auto).
    assert (VA : forall b, In b A -> v b = if Nat.eqb b k then K - 1 else - 1).
    { intros b Hb. unfold v. destruct (Nat.eqb_spec b (n + j)); [subst; tauto|auto]. }
    assert (SA : sum A v = 0).
    { rewrite (sum_others A k v NA Hk), (VA k Hk), Nat.eqb_refl.
      rewrite (sum_ext (others A k) v (fun _ => - 1)).
      - rewrite sum_const, others_length_INR by auto. fold K. ring.
      - intros b Hb. apply others_in in Hb. destruct Hb as [Hb Nb]. rewrite VA by auto.
        destruct (Nat.eqb_spec b k); [congruence|auto]. }
    assert (SA' : sum A' v = 0).
    { unfold A'. rewrite joined_sum. fold A. rewrite SA. unfold v. rewrite Nat.eqb_refl. ring. }
    assert (PA : forall b, In b A -> proj A v b = v b).
    { intros b Hb. rewrite proj_in, mean_eq, SA by auto. unfold Rdiv. ring. }
    assert (PA' : forall b, In b A' -> proj A' v b = v b).
    { intros b Hb. rewrite proj_in, mean_eq, SA' by auto. unfold Rdiv. ring. }
    assert (K1 : 1 <= K).
    { unfold K. change 1 with (INR 1). apply le_INR. destruct A; [destruct Hk|simpl; lia]. }
    exists v. intros u. split.
    + assert (R : hinge_risk A s v = K * (sum A s - s k)).
      { rewrite hinge_risk_eq by auto.
        rewrite (sum_others A k (fun b => (sum A s - s b) * Rmax 0 (1 + proj A v b))) by auto.
        rewrite PA, VA, Nat.eqb_refl, Rmax_right by (auto; lra).
        rewrite (sum_zero (others A k)); [ring|]. intros b Hb. apply others_in in Hb.
        destruct Hb as [Hb Nb]. rewrite PA, VA by auto.
        destruct (Nat.eqb_spec b k); [congruence|]. rewrite Rmax_left by lra. ring. }
      rewrite R. apply hinge_excess_nonneg; auto; [|lra]. split; auto.
      intros b Hb. destruct (Nat.eq_dec b k) as [->|Nb]; [lra|]. left. auto.
    + assert (Hk' : In k A') by (apply joined_in; auto).
      assert (R : hinge_risk A' s v = INR (length A') * (sum A' s - s k)).
      { rewrite hinge_risk_eq by auto. rewrite EK.
        rewrite (sum_ext A' (fun b => (sum A' s - s b) * Rmax 0 (1 + proj A' v b))
          (fun b => (sum A' s - s b) * Rmax 0 (1 + v b))) by (intros; rewrite PA'; auto).
        unfold A'. rewrite (joined_sum n E j (fun b => (sum (active n (j :: E)) s - s b) * Rmax 0 (1 + v b))).
        fold A. fold A'.
        rewrite (sum_others A k (fun b => (sum A' s - s b) * Rmax 0 (1 + v b))) by auto.
        rewrite VA, Nat.eqb_refl, Rmax_right by (auto; lra).
        rewrite (sum_zero (others A k)).
        - unfold v. rewrite Nat.eqb_refl, T, Rmax_right by lra. ring.
        - intros b Hb. apply others_in in Hb. destruct Hb as [Hb Nb]. rewrite VA by auto.
          destruct (Nat.eqb_spec b k); [congruence|]. rewrite Rmax_left by lra. ring. }
      rewrite R. apply hinge_excess_nonneg; auto.
      * split; auto. intros b Hb. apply joined_in in Hb. destruct Hb as [Hb| ->]; [|lra].
        destruct (Nat.eq_dec b k) as [->|Nb]; [lra|]. left. auto.
      * apply (sum_term_le A' s k); auto.
Qed.

(* Hypotheses of the theorem above can be met: two classes, a poor expert. *)
Example an_uncertain_label :
  let s := fun a => nth a [9/10; 1/10; 1/2] 0 in
  unique_best (active 2 []) s 0 /\ s 0%nat < sum (active 2 []) s /\ s (2 + 0)%nat <> s 0%nat.
Proof.
  intros s. unfold unique_best, active, s. simpl. split; [split; [auto|]|split; lra].
  intros b [<-|[<-|[]]] H; [congruence|simpl; lra].
Qed.

(* Sets that do not share a best action may share a minimiser: two classes and one expert, the same
   classes and two others. *)
(* about: zero-gap-size-changes *)
Theorem sets_without_a_shared_best_action_may_have_zero_gap :
  let A := [0; 1; 2]%nat in let A' := [0; 1; 3; 4]%nat in
  let s := fun a => nth a [2/5; 3/5; 9/10; 4/5; 3/10] 0 in
  unique_best A s 2 /\ unique_best A' s 3 /\ s 2%nat < sum A s /\ s 3%nat < sum A' s /\
  length A <> length A' /\ gap_zero A s A' s.
Proof.
  intros A A' s.
  assert (UA : unique_best A s 2).
  { split; [simpl; auto|]. intros b Hb Nb. simpl in Hb. unfold s.
    destruct Hb as [<-|[<-|[<-|[]]]]; simpl; try lra. congruence. }
  assert (UA' : unique_best A' s 3).
  { split; [simpl; auto|]. intros b Hb Nb. simpl in Hb. unfold s.
    destruct Hb as [<-|[<-|[<-|[<-|[]]]]]; simpl; try lra. congruence. }
  assert (NA : NoDup A) by (repeat constructor; simpl; intuition discriminate).
  assert (NA' : NoDup A') by (repeat constructor; simpl; intuition discriminate).
  assert (Best : forall B k, unique_best B s k -> is_argmax B s k).
  { intros B k [H U]. split; auto. intros b Hb. destruct (Nat.eq_dec b k) as [->|N]; [lra|].
    left. auto. }
  split; [auto|]. split; [auto|].
  split; [unfold s, A; simpl; lra|]. split; [unfold s, A'; simpl; lra|].
  split; [simpl; lia|].
  exists (fun a => nth a [0; 0; 3; 4; 0] 0). intros u. split.
  - apply Rle_trans with (INR (length A) * (sum A s - s 2%nat)).
    + rewrite hinge_risk_eq by auto. unfold A, s. cbn [sum length]. rewrite !proj_eq. simpl.
      rewrite !Rmax_left, Rmax_right by lra. lra.
    + apply hinge_excess_nonneg; auto. unfold s, A. simpl. lra.
  - apply Rle_trans with (INR (length A') * (sum A' s - s 3%nat)).
    + rewrite hinge_risk_eq by auto. unfold A', s. cbn [sum length]. rewrite !proj_eq. simpl.
      rewrite !Rmax_left, Rmax_right by lra. lra.
    + apply hinge_excess_nonneg; auto. unfold s, A'. simpl. lra.
Qed.

(* claim: zero-gap-constant-size *)
Theorem gap_zero_when_experts_replace_one_another :
  forall (K k : nat) (stream : list (list nat * (nat -> R))),
  (forall A s, In (A, s) stream ->
     NoDup A /\ length A = K /\ is_argmax A s k /\ forall a, In a A -> 0 <= s a) ->
  exists v, forall A s, In (A, s) stream -> forall u, hinge_risk A s v <= hinge_risk A s u.
Proof.
  intros K k stream H. exists (spike k (INR K)). intros A s HA u.
  destruct (H A s HA) as [N [L [M P]]]. subst K. rewrite spike_risk by (auto; apply M).
  apply hinge_excess_nonneg; auto. apply (sum_term_le A s k); auto. apply M.
Qed.
