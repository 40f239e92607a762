(* How large the class has to be for the constrained hinge (App. C), two radii.

   app-c-radius: a matrix of norm sqrt(K (K - 1)) / |x~| whose scores minimise the conditional hinge
     risk exists (so B = N is enough when |x~| >= 1), and no shorter one does where the best action
     is unique and others have mass: sqrt(N (N - 1)) is what containing every minimiser takes.
   hinge-needs-richness: over a ball of zero-sum vectors, linear calibration with constant 1 is false
     for every radius below sqrt((K^2 - 2 K + 4) / 2), K >= 3. That it is true from this radius on is
     in RadiusExact.v. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration GammaHinge MinimizabilityGap GammaExp.
Import ListNotations.
Open Scope R_scope.

Definition norm2 (D : nat) (x : nat -> R) : R := sum (seq 0 D) (fun k => x k * x k).
Definition sq_sum (A : list nat) (u : nat -> R) : R := sum A (fun a => u a * u a).

Lemma canonical_sq_sum A m :
  NoDup A -> In m A -> sq_sum A (canonical A m) = INR (length A) * (INR (length A) - 1).
Proof.
  intros N H. unfold sq_sum.
  rewrite (sum_others A m (fun a => canonical A m a * canonical A m a) N H).
  unfold canonical at 1 2. rewrite Nat.eqb_refl, (sum_ext (others A m) _ (fun _ => 1)).
  - rewrite sum_const, others_length_INR by auto. ring.
  - intros a Ha. apply others_in in Ha. unfold canonical. destruct (Nat.eqb_spec a m); [tauto|ring].
Qed.

(* Rank one: the scores v at the input x, nothing for the inactive actions. *)
Definition rank_one (A : list nat) (D : nat) (v x : nat -> R) : Matrix :=
  fun a k => if mem a A then v a * x k / norm2 D x else 0.

Lemma rank_one_scores A D v x a :
  In a A -> 0 < norm2 D x -> scores D (rank_one A D v x) x a = v a.
Proof.
  intros H P. unfold scores, rank_one. apply mem_in in H. rewrite H.
  rewrite (sum_ext _ _ (fun k => v a / norm2 D x * (x k * x k))) by (intros; field; lra).
  rewrite sum_scal. fold (norm2 D x). field. lra.
Qed.

Lemma rank_one_frob A N D v x :
  NoDup A -> incl A (seq 0 N) -> 0 < norm2 D x ->
  frob2 N D (rank_one A D v x) = sq_sum A v / norm2 D x.
Proof.
  intros NA I P. unfold frob2, inner, rank_one.
  rewrite (sum_ext (seq 0 N) _ (fun a => if mem a A then v a * v a / norm2 D x else 0)).
  - rewrite sum_mem; auto; [|apply seq_NoDup]. apply sum_div.
  - intros a _. destruct (mem a A).
    + rewrite (sum_ext _ _ (fun k => v a * v a / (norm2 D x * norm2 D x) * (x k * x k)))
        by (intros; field; lra).
      rewrite sum_scal. fold (norm2 D x). field. lra.
    + apply sum_zero. intros. ring.
Qed.

Lemma rank_one_in_KA A D v x :
  zero_sum A v -> in_KA A D (rank_one A D v x).
Proof.
  intros Z k _. unfold zero_sum, rank_one.
  rewrite (sum_ext A _ (fun a => v a * (x k / norm2 D x))).
  - rewrite sum_scal_r. unfold zero_sum in Z. rewrite Z. ring.
  - intros a Ha. apply mem_in in Ha. rewrite Ha. unfold Rdiv. ring.
Qed.

(* claim: app-c-radius *)
Theorem pointwise_hinge_minimisers_fit_into_the_ball_of_radius_N :
  forall N D A s m x,
  NoDup A -> incl A (seq 0 N) -> (forall a, In a A -> 0 <= s a) -> is_argmax A s m ->
  1 <= norm2 D x ->
  exists W,
    in_KA A D W /\
    frob2 N D W = INR (length A) * (INR (length A) - 1) / norm2 D x /\
    frob2 N D W <= INR N * (INR N - 1) /\ frob2 N D W <= INR N * INR N /\
    is_min_over (zero_sum A) (risk cstnd_hinge A s) (risk cstnd_hinge A s (scores D W x)).
Proof.
  intros N D A s m x NA I P M X. pose proof (proj1 M) as Hm.
  exists (rank_one A D (canonical A m) x).
  pose proof (canonical_zero_sum A m NA Hm) as Z.
  assert (F := rank_one_frob A N D (canonical A m) x NA I ltac:(lra)).
  rewrite canonical_sq_sum in F by auto.
  set (k := INR (length A)) in *.
  assert (K1 : 1 <= k).
  { unfold k. destruct A; [destruct Hm|]. cbn [length]. rewrite S_INR.
    pose proof (pos_INR (length A)). lra. }
  assert (KN : k <= INR N).
  { unfold k. apply le_INR. rewrite <- (seq_length N 0). apply NoDup_incl_length; auto. }
  assert (B : k * (k - 1) / norm2 D x <= INR N * (INR N - 1)).
  { apply Rle_trans with (k * (k - 1)).
    - apply Rmult_le_reg_r with (norm2 D x); [lra|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. apply Rmult_le_compat_l; [|lra].
      apply Rmult_le_pos; lra.
    - apply Rmult_le_compat; lra. }
  split; [apply rank_one_in_KA; auto|]. split; [auto|]. rewrite F.
  split; [auto|]. split; [nra|].
  rewrite (hinge_risk_ext A s _ (canonical A m)) by
    (auto; intros; apply rank_one_scores; auto; lra).
  rewrite canonical_risk by auto. apply hinge_least_risk; auto.
Qed.

(* Centring does not lengthen, and scores are at most the norm of W times that of x. *)
Lemma proj_sq_sum A u : NoDup A -> A <> nil -> sq_sum A (proj A u) <= sq_sum A u.
Proof.
  intros N NE. unfold sq_sum.
  rewrite (sum_ext A (fun a => proj A u a * proj A u a)
    (fun a => u a * u a - mean A u * (2 * u a - mean A u)))
    by (intros a Ha; rewrite proj_in by auto; ring).
  rewrite sum_minus, (sum_scal A (mean A u)), sum_minus, sum_scal, sum_const.
  assert (K : 0 < INR (length A)) by (apply lt_0_INR; destruct A; simpl; [congruence|lia]).
  replace (sum A u) with (INR (length A) * mean A u) by (rewrite mean_eq; field; lra).
  pose proof (Rle_0_sqr (mean A u)) as Q. unfold Rsqr in Q. nra.
Qed.

Lemma scores_sq_sum A N D W x :
  NoDup A -> incl A (seq 0 N) -> sq_sum A (scores D W x) <= frob2 N D W * norm2 D x.
Proof.
  intros NA I. apply Rle_trans with (sum (seq 0 N) (fun a => scores D W x a * scores D W x a)).
  - unfold sq_sum. rewrite <- (sum_mem A (seq 0 N)) by (auto; apply seq_NoDup).
    apply sum_le. intros a _. destruct (mem a A); [lra|]. apply Rle_0_sqr.
  - unfold frob2, inner. rewrite <- sum_scal_r. apply sum_le. intros a _. apply sum_cs.
Qed.

(* Scores shorter than the canonical vector have an excess that grows with what is missing. *)
Lemma short_scores_excess A s m kap v :
  NoDup A -> In m A -> zero_sum A v -> 0 < kap ->
  (forall b, In b A -> b <> m -> kap <= s m - s b) -> kap <= sum A s - s m ->
  kap * (INR (length A) * (INR (length A) - 1) - sq_sum A v)
  <= 2 * (INR (length A) * (INR (length A) - 1))
     * (risk cstnd_hinge A s v - INR (length A) * (sum A s - s m)).
Proof.
  intros N Hm Z K G S. set (k := INR (length A)).
  set (E := risk cstnd_hinge A s v - k * (sum A s - s m)).
  assert (K1 : 1 <= k).
  { unfold k. destruct A; [destruct Hm|]. cbn [length]. rewrite S_INR.
    pose proof (pos_INR (length A)). lra. }
  assert (C : forall a, In a A -> a <> m -> Rabs (1 + v a) <= E / kap).
  { intros a Ha NA. pose proof (hinge_stability A s v m kap a N Hm Z K G S Ha NA) as Q.
    fold k in Q. fold E in Q. apply Rmult_le_reg_l with kap; auto.
    replace (kap * (E / kap)) with E by (field; lra). auto. }
  pose proof (zero_sum_top A v m _ N Hm Z C) as T. fold k in T.
  assert (Q : k * (k - 1) - sq_sum A v
              <= 2 * sum A (fun a => canonical A m a * (canonical A m a - v a))).
  { unfold k. rewrite <- (canonical_sq_sum A m N Hm). unfold sq_sum. rewrite <- sum_minus, <- sum_scal.
    apply sum_le. intros a _. pose proof (Rle_0_sqr (canonical A m a - v a)) as U. unfold Rsqr in U. lra. }
  assert (B : sum A (fun a => canonical A m a * (canonical A m a - v a))
              <= (k - 1) * ((k - 1) * (E / kap)) + (k - 1) * (E / kap)).
  { rewrite (sum_others A m (fun a => canonical A m a * (canonical A m a - v a)) N Hm).
    apply Rplus_le_compat.
    - unfold canonical. rewrite Nat.eqb_refl. fold k. apply Rmult_le_compat_l; [lra|].
      pose proof (Rle_abs (- (v m - (k - 1)))) as U. rewrite Rabs_Ropp in U. lra.
    - unfold k. rewrite <- (others_length_INR A m N Hm). apply sum_le_const. intros a Ha.
      apply others_in in Ha. unfold canonical. destruct (Nat.eqb_spec a m); [tauto|].
      pose proof (C a (proj1 Ha) (proj2 Ha)). pose proof (Rle_abs (1 + v a)). lra. }
  apply Rle_trans with (kap * (2 * (k * (k - 1) * (E / kap)))).
  - apply Rmult_le_compat_l; lra.
  - right. field. lra.
Qed.

(* Where the best action is unique and others have mass, the infimum over matrices of a smaller norm
   is strictly above the infimum. *)
(* claim: app-c-radius *)
Theorem a_smaller_radius_misses_the_least_hinge_risk :
  forall N D A s m x B2,
  NoDup A -> incl A (seq 0 N) -> (forall a, In a A -> 0 <= s a) -> only_argmax A s m ->
  s m < mass A s -> (2 <= length A)%nat ->
  B2 * norm2 D x < INR (length A) * (INR (length A) - 1) ->
  exists delta, 0 < delta /\
  forall W, frob2 N D W <= B2 ->
    risk (centred cstnd_hinge) A s (scores D W x) >= INR (length A) * (mass A s - s m) + delta.
Proof.
  intros N D A s m x B2 NA I P M S L2 F. rewrite mass_eq in *.
  destruct (best_floor A s m M S) as (kap & K & KS & G). pose proof (proj1 M) as Hm.
  pose proof (INR_length_2 A L2) as K2. set (k := INR (length A)) in *.
  assert (KK : 0 < 2 * (k * (k - 1))) by nra.
  exists (kap * (k * (k - 1) - B2 * norm2 D x) / (2 * (k * (k - 1)))). split.
  { apply Rdiv_lt_0_compat; auto. apply Rmult_lt_0_compat; lra. }
  intros W FW. set (u := scores D W x).
  change (risk (centred cstnd_hinge) A s u) with (risk cstnd_hinge A s (proj A u)).
  pose proof (in_not_nil A m Hm) as NE.
  pose proof (short_scores_excess A s m kap (proj A u) NA Hm (proj_zero_sum A u NE) K G KS) as Q.
  fold k in Q. set (E := risk cstnd_hinge A s (proj A u) - k * (sum A s - s m)) in *.
  pose proof (proj_sq_sum A u NA NE) as Q1. pose proof (scores_sq_sum A N D W x NA I) as Q2. fold u in Q2.
  assert (X0 : 0 <= norm2 D x) by apply sum_sq_nonneg.
  assert (frob2 N D W * norm2 D x <= B2 * norm2 D x) by (apply Rmult_le_compat_r; auto).
  assert (kap * (k * (k - 1) - B2 * norm2 D x) <= 2 * (k * (k - 1)) * E).
  { eapply Rle_trans; [|exact Q]. apply Rmult_le_compat_l; lra. }
  apply Rle_ge. apply Rmult_le_compat_r with (r := / (2 * (k * (k - 1)))) in H0;
    [|left; apply Rinv_0_lt_compat; auto].
  replace (2 * (k * (k - 1)) * E * / (2 * (k * (k - 1)))) with E in H0 by (field; lra).
  unfold E, Rdiv in *. lra.
Qed.

(* The premises can be met with everybody available and an input of norm one (x = 0, bias 1). *)
Example premises_of_the_smaller_radius :
  exists s x, is_dist (seq 0 3) s /\ only_argmax (seq 0 3) s 0%nat /\ s 0%nat < mass (seq 0 3) s /\
    norm2 2 x = 1.
Proof.
  exists (vector [1 / 2; 1 / 4; 1 / 4]), (vector [0; 1]). unfold mass, norm2, vector.
  repeat split; cbn; try lra; auto.
  - entries.
  - intros b Hb NB. repeat destruct Hb as [<-|Hb]; cbn; try lra; try tauto; lia.
Qed.

(* Zero-sum vectors of squared norm at most rho2. *)
Definition ball (A : list nat) (rho2 : R) (u : nat -> R) : Prop :=
  zero_sum A u /\ sq_sum A u <= rho2.

(* Two actions tied at t * (K/2 - 1), the others at - t. *)
Definition tie (A : list nat) (m r : nat) (t : R) : nat -> R :=
  fun a => if Nat.eqb a m then t * (INR (length A) / 2 - 1)
           else if Nat.eqb a r then t * (INR (length A) / 2 - 1) else - t.

Section Tie.
Variables (A : list nat) (m r : nat).
Hypotheses (N : NoDup A) (Hm : In m A) (Hr : In r A) (NE : m <> r) (L : (3 <= length A)%nat).
Let k := INR (length A).
Let rest := others (others A m) r.

Let K3 : 3 <= k.
Proof. apply INR_length_3. auto. Qed.

Let rest_length : INR (length rest) = k - 2.
Proof. apply others_two_length; auto. Qed.

Let tie_m t : tie A m r t m = t * (k / 2 - 1).
Proof. unfold tie. rewrite Nat.eqb_refl. auto. Qed.
Let tie_r t : tie A m r t r = t * (k / 2 - 1).
Proof. unfold tie. rewrite Nat.eqb_refl. destruct (Nat.eqb r m); auto. Qed.
Let tie_else t a : In a rest -> tie A m r t a = - t.
Proof.
  intros H. apply others_two in H. unfold tie.
  destruct (Nat.eqb_spec a m), (Nat.eqb_spec a r); tauto.
Qed.

Lemma tie_ball t rho2 : t * t * (k * (k - 2) / 2) <= rho2 -> ball A rho2 (tie A m r t).
Proof.
  intros H. split.
  - unfold zero_sum. rewrite (sum_two A m r) by auto. fold rest.
    rewrite tie_m, tie_r, (sum_ext rest _ (fun _ => - t)) by (intros; apply tie_else; auto).
    rewrite sum_const, rest_length. field.
  - unfold sq_sum. rewrite (sum_two A m r) by auto. fold rest.
    rewrite tie_m, tie_r, (sum_ext rest _ (fun _ => t * t))
      by (intros; rewrite tie_else by auto; ring).
    rewrite sum_const, rest_length. eapply Rle_trans; [|exact H]. right. field.
Qed.

Lemma tie_argmax t : 0 <= t -> is_argmax A (tie A m r t) r.
Proof.
  intros T. split; auto. intros b _. rewrite tie_r. unfold tie. fold k.
  assert (- t <= t * (k / 2 - 1)) by nra.
  destruct (Nat.eqb b m), (Nat.eqb b r); lra.
Qed.

(* The risk under masses (1 + b)/2 and (1 - b)/2 of m and r. *)
Variable b : R.
Hypothesis B : 0 < b <= 1.
Let s := pair_dist m r b.

Let s_dist : is_dist A s.
Proof. apply pair_is_dist; auto; lra. Qed.

Let risk_is v :
  risk cstnd_hinge A s v
  = (1 - b) / 2 * Rmax 0 (1 + v m) + (1 + b) / 2 * Rmax 0 (1 + v r)
    + sum rest (fun a => Rmax 0 (1 + v a)).
Proof.
  rewrite risk_cstnd_hinge, (proj2 s_dist) by auto.
  rewrite (sum_two A m r) by auto. fold rest. unfold s.
  rewrite pair_m, pair_r by auto.
  rewrite (sum_ext rest _ (fun a => Rmax 0 (1 + v a))); [field|].
  intros a Ha. apply others_two in Ha. rewrite pair_else by tauto. ring.
Qed.

Let risk_tie t : 0 <= t <= 1 ->
  risk cstnd_hinge A s (tie A m r t) = k - 1 - t * (k / 2 - 1).
Proof.
  intros T. rewrite risk_is, tie_m, tie_r.
  rewrite (sum_ext rest _ (fun _ => 1 - t))
    by (intros; rewrite tie_else by auto; rewrite pos_part_nonneg by lra; ring).
  rewrite sum_const, rest_length. rewrite pos_part_nonneg by nra. field.
Qed.

Let split_sum v : zero_sum A v -> v m + v r + sum rest v = 0.
Proof. intros Z. unfold zero_sum in Z. rewrite (sum_two A m r) in Z by auto. exact Z. Qed.

Let split_sq v rho2 : ball A rho2 v ->
  v m * v m + v r * v r + sum rest (fun a => v a * v a) <= rho2.
Proof.
  intros [_ H]. unfold sq_sum in H. rewrite (sum_two A m r) in H by auto. exact H.
Qed.

(* A ball that holds the tie, but not the tie moved by one towards m. *)
Lemma near_tie_least d v :
  0 < d -> b * (k + 2 * d) <= 2 * d -> ball A (k * (k - 2) / 2 + 2 * (d * d)) v ->
  risk cstnd_hinge A s (tie A m r 1) - d * b <= risk cstnd_hinge A s v.
Proof.
  intros D Bd Bv. pose proof (split_sum v (proj1 Bv)) as Z. pose proof (split_sq v _ Bv) as Q.
  rewrite (risk_tie 1) by lra. rewrite risk_is.
  set (X := sum rest (fun a => Rmax 0 (1 + v a))).
  assert (XO : sum rest v + (k - 2) <= X).
  { rewrite <- rest_length. unfold X. replace (INR (length rest)) with (sum rest (fun _ => 1))
      by (rewrite sum_const; ring).
    rewrite <- sum_plus. apply sum_le. intros a _. pose proof (Rmax_r 0 (1 + v a)). lra. }
  assert (X0 : 0 <= X) by (apply sum_nonneg; intros; apply Rmax_l).
  assert (SO : - 2 * sum rest v <= sum rest (fun a => v a * v a) + (k - 2)).
  { rewrite <- rest_length. replace (INR (length rest)) with (sum rest (fun _ => 1))
      by (rewrite sum_const; ring).
    rewrite <- sum_scal, <- sum_plus. apply sum_le. intros a _.
    pose proof (Rle_0_sqr (v a + 1)) as T. unfold Rsqr in T. lra. }
  set (O := sum rest v) in *. set (SQ := sum rest (fun a => v a * v a)) in *.
  (* the half space through the vector moved by d *)
  assert (H : (k / 2 - 1 + d) * v m + (k / 2 - 1 - d) * v r - O <= k * (k - 2) / 2 + 2 * (d * d)).
  { pose proof (Rle_0_sqr (v m - (k / 2 - 1 + d))) as T1.
    pose proof (Rle_0_sqr (v r - (k / 2 - 1 - d))) as T2. unfold Rsqr in T1, T2. lra. }
  replace (v m) with (- v r - O) in H by lra.
  assert (W : 2 * d * (1 + v r) >= 2 * d * (k / 2 - d) - (k / 2 + d) * (O + (k - 2))) by lra.
  assert (W' : 2 * d * (k / 2 - d) - (k / 2 + d) * X <= 2 * d * Rmax 0 (1 + v r)).
  { pose proof (Rmax_r 0 (1 + v r)).
    assert (2 * d * (1 + v r) <= 2 * d * Rmax 0 (1 + v r)) by (apply Rmult_le_compat_l; lra).
    assert ((k / 2 + d) * (O + (k - 2)) <= (k / 2 + d) * X) by (apply Rmult_le_compat_l; lra).
    lra. }
  assert (Vm := Rmax_r 0 (1 + v m)). assert (Vr := Rmax_r 0 (1 + v r)).
  set (wr := Rmax 0 (1 + v r)) in *. set (wm := Rmax 0 (1 + v m)) in *.
  assert (Tot : k <= wm + wr + X) by lra.
  (* b w_r + X / 2 is at least b (k/2 - d) *)
  assert (Main : b * (k / 2 - d) <= b * wr + X / 2).
  { apply Rmult_le_reg_l with (2 * d); [lra|].
    assert (b * (2 * d * (k / 2 - d) - (k / 2 + d) * X) <= b * (2 * d * wr))
      by (apply Rmult_le_compat_l; lra).
    assert (b * (k / 2 + d) * X <= d * X) by (apply Rmult_le_compat_r; lra). lra. }
  assert ((1 - b) / 2 * k <= (1 - b) / 2 * (wm + wr + X)) by (apply Rmult_le_compat_l; lra).
  assert (0 <= b * X) by (apply Rmult_le_pos; lra). lra.
Qed.

(* A ball that does not even hold the tie. *)
Lemma small_ball_least t v :
  0 <= t <= 1 -> ball A (t * t * (k * (k - 2) / 2)) v -> b * k <= 1 ->
  risk cstnd_hinge A s (tie A m r t) - b / 2 <= risk cstnd_hinge A s v.
Proof.
  intros T Bv Bk. pose proof (split_sum v (proj1 Bv)) as Z. pose proof (split_sq v _ Bv) as Q.
  rewrite (risk_tie t) by lra. rewrite risk_is.
  assert (XO : sum rest v + (k - 2) <= sum rest (fun a => Rmax 0 (1 + v a))).
  { rewrite <- rest_length. replace (INR (length rest)) with (sum rest (fun _ => 1))
      by (rewrite sum_const; ring).
    rewrite <- sum_plus. apply sum_le. intros a _. pose proof (Rmax_r 0 (1 + v a)). lra. }
  assert (Wm : (1 - b) / 2 * (1 + v m) <= (1 - b) / 2 * Rmax 0 (1 + v m))
    by (apply Rmult_le_compat_l; [lra|apply Rmax_r]).
  assert (Wr : (1 + b) / 2 * (1 + v r) <= (1 + b) / 2 * Rmax 0 (1 + v r))
    by (apply Rmult_le_compat_l; [lra|apply Rmax_r]).
  (* the mean score cannot exceed that of the tie by more than b / 2 *)
  assert (Mean : forall y, 0 < y ->
    2 * y * ((1 + b) / 2 * v m + (1 - b) / 2 * v r)
    <= t * t * (k * (k - 2) / 2) + y * y * ((1 + b * b) / 2 - 1 / k)).
  { intros y Y.
    assert (SO : - 2 * (y / k) * sum rest v
                 <= sum rest (fun a => v a * v a) + (k - 2) * (y / k * (y / k))).
    { rewrite <- rest_length, <- sum_const, <- sum_scal, <- sum_plus. apply sum_le. intros a _.
      pose proof (Rle_0_sqr (v a + y / k)) as U. unfold Rsqr in U. lra. }
    pose proof (Rle_0_sqr (v m - y * ((1 + b) / 2 - 1 / k))) as U1.
    pose proof (Rle_0_sqr (v r - y * ((1 - b) / 2 - 1 / k))) as U2. unfold Rsqr in U1, U2.
    assert (Y1 : y / k = y * (1 / k)) by (field; lra). rewrite Y1 in SO.
    assert (IK : 1 / k * k = 1) by (field; lra). set (q := 1 / k) in *.
    assert (E : y * y * ((1 + b) / 2 - q) * ((1 + b) / 2 - q)
      + y * y * ((1 - b) / 2 - q) * ((1 - b) / 2 - q) + (k - 2) * (y * q * (y * q))
      = y * y * ((1 + b * b) / 2 - q)).
    { replace ((k - 2) * (y * q * (y * q))) with (y * y * (q * k * q) - 2 * (y * y * (q * q))) by ring.
      rewrite IK. field. }
    replace (sum rest v) with (- v m - v r) in SO by lra. lra. }
  assert (IK : 0 < 1 / k) by (apply Rdiv_lt_0_compat; lra).
  assert (Goal : (1 + b) / 2 * v m + (1 - b) / 2 * v r <= t * (k / 2 - 1) + b / 2).
  { destruct (Req_dec t 0) as [T0|NT].
    - pose proof (Mean b ltac:(lra)) as U. rewrite T0 in *.
      assert (b * b <= 1) by nra.
      apply Rmult_le_reg_l with (2 * b); [lra|].
      assert (b * b * ((1 + b * b) / 2 - 1 / k) <= b * b * 1) by (apply Rmult_le_compat_l; nra). lra.
    - pose proof (Mean (t * k) ltac:(nra)) as U.
      apply Rmult_le_reg_l with (2 * (t * k)); [nra|].
      eapply Rle_trans; [exact U|].
      assert (E : t * k * (t * k) * ((1 + b * b) / 2 - 1 / k)
                  = t * t * (k * (k - 2) / 2) + t * t * (k * b * (k * b) / 2)) by (field; lra).
      rewrite E.
      assert (t * t * (k * b * (k * b) / 2) <= t * k * b).
      { replace (t * t * (k * b * (k * b) / 2)) with (t * k * b * (t * (k * b) / 2)) by field.
        rewrite <- (Rmult_1_r (t * k * b)) at 2. apply Rmult_le_compat_l; [|nra].
        apply Rmult_le_pos; nra. }
      lra. }
  lra.
Qed.
End Tie.

(* claim: hinge-needs-richness *)
Theorem hinge_calibration_with_constant_one_fails_over_smaller_balls :
  forall A rho2, NoDup A -> (3 <= length A)%nat -> 0 <= rho2 ->
  rho2 < (INR (length A) * INR (length A) - 2 * INR (length A) + 4) / 2 ->
  ~ calibrated cstnd_hinge (ball A rho2) A (fun t => t).
Proof.
  intros A rho2 N L R0 R1 H. destruct (two_elements A N ltac:(lia)) as (r & m & Hr & Hm & NE).
  assert (NE' : m <> r) by auto. pose proof (INR_length_3 A L) as K3.
  set (k := INR (length A)) in *.
  assert (Go : forall b t e, 0 < b <= 1 -> 0 <= t <= 1 -> e < b ->
    ball A rho2 (tie A m r t) ->
    (forall v, ball A rho2 v ->
       risk cstnd_hinge A (pair_dist m r b) (tie A m r t) - e
       <= risk cstnd_hinge A (pair_dist m r b) v) -> False).
  { intros b t e Hb Ht He Bt Low.
    assert (D := pair_is_dist A m r b N Hm Hr NE' ltac:(lra)).
    destruct (risk_inf_exists cstnd_hinge A (pair_dist m r b) (ball A rho2)) as [i I]; auto.
    { exists (tie A m r t). auto. }
    { intros a u _ _. rewrite cstnd_hinge_eq. apply sum_nonneg. intros. apply Rmax_l. }
    specialize (H _ _ r i D Bt (tie_argmax A m r Hr L t ltac:(lra)) I). cbv beta in H.
    rewrite pair_largest in H by (auto; lra).
    pose proof (proj2 I _ Low). lra. }
  destruct (Rle_dec rho2 (k * (k - 2) / 2)) as [Small|Large].
  - (* the tie scaled down to the ball *)
    set (h := k * (k - 2) / 2) in *. assert (Hh : 0 < h) by (unfold h; nra).
    set (t := sqrt (rho2 / h)).
    assert (Q : 0 <= rho2 / h) by (apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat; auto).
    assert (T2 : t * t * h = rho2) by (unfold t; rewrite sqrt_sqrt by auto; field; lra).
    assert (T0 : 0 <= t) by apply sqrt_pos.
    assert (T1 : t <= 1).
    { apply Rnot_lt_le. intros C. assert (1 < t * t) by nra. nra. }
    apply (Go (1 / k) t (1 / k / 2)).
    + split; [apply Rdiv_lt_0_compat; lra|].
      apply Rmult_le_reg_r with k; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
    + lra.
    + assert (0 < 1 / k) by (apply Rdiv_lt_0_compat; lra). lra.
    + apply tie_ball; auto. fold k h. lra.
    + intros v Bv. apply small_ball_least; auto.
      * split; [apply Rdiv_lt_0_compat; lra|].
        apply Rmult_le_reg_r with k; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
      * fold k h. rewrite T2. auto.
      * fold k. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - (* the tie, with too little room to move it by one *)
    set (d := sqrt ((rho2 - k * (k - 2) / 2) / 2)).
    assert (D2 : d * d = (rho2 - k * (k - 2) / 2) / 2) by (apply sqrt_sqrt; lra).
    assert (D0 : 0 < d) by (apply sqrt_lt_R0; lra).
    assert (D1 : d < 1) by nra.
    set (b := d / (k + 2 * d)).
    assert (Eb : b * (k + 2 * d) = d) by (unfold b; field; lra).
    assert (B0 : 0 < b) by (apply Rdiv_lt_0_compat; lra).
    assert (B1 : b <= 1) by nra.
    apply (Go b 1 (d * b)); try lra; try nra.
    + apply tie_ball; auto. fold k. lra.
    + intros v Bv. apply near_tie_least; auto; try (fold k; lra).
      fold k. replace (k * (k - 2) / 2 + 2 * (d * d)) with rho2 by (rewrite D2; field). auto.
Qed.
