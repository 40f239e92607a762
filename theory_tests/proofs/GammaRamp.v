(* Calibration of the sum of ramps (App. E), for every K >= 2, and that its constant cannot be
   improved.

   gamma-sum-tau: Gamma(t) = t, and no Gamma(t) = c t with c < 1. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Calibration GammaHinge.
Import ListNotations.
Open Scope R_scope.

(* 1 if b comes before a in the order by score, ties by index. *)
Definition before (s : nat -> R) (b a : nat) : R :=
  if Rlt_dec (s b) (s a) then 1
  else if Req_EM_T (s b) (s a) then (if Nat.ltb b a then 1 else 0) else 0.

Definition ranks (tau : R) (A : list nat) (s : nat -> R) : nat -> R :=
  fun a => tau * sum A (fun b => before s b a).

Lemma before_step A s tau a b :
  0 < tau -> In b A -> before s b a = 1 -> tau <= ranks tau A s a - ranks tau A s b.
Proof.
  intros T Hb H. unfold ranks.
  assert (L : before s b a - before s b b <= sum A (fun c => before s c a - before s c b)).
  { apply (sum_term_le A (fun c => before s c a - before s c b)); auto. intros c _.
    unfold before in *.
    destruct (Rlt_dec (s b) (s a)), (Rlt_dec (s c) (s b)), (Rlt_dec (s c) (s a)),
      (Req_EM_T (s b) (s a)), (Req_EM_T (s c) (s b)), (Req_EM_T (s c) (s a)),
      (Nat.ltb_spec b a), (Nat.ltb_spec c b), (Nat.ltb_spec c a); try lra; try lia. }
  assert (B : before s b b = 0).
  { unfold before. destruct (Rlt_dec (s b) (s b)); [lra|]. destruct (Req_EM_T (s b) (s b)); [|lra].
    rewrite Nat.ltb_irrefl. auto. }
  rewrite sum_minus in L. rewrite H, B in L. nra.
Qed.

Lemma before_total s a b : a <> b -> before s a b = 1 \/ before s b a = 1.
Proof.
  intros H. unfold before.
  destruct (Rlt_dec (s a) (s b)), (Rlt_dec (s b) (s a)), (Req_EM_T (s a) (s b)),
    (Req_EM_T (s b) (s a)), (Nat.ltb_spec a b), (Nat.ltb_spec b a); auto; try lra; lia.
Qed.

Lemma before_le s a b : before s a b = 1 -> s a <= s b.
Proof.
  unfold before. destruct (Rlt_dec (s a) (s b)); [lra|].
  destruct (Req_EM_T (s a) (s b)); lra.
Qed.

(* What a pair costs: at least the smaller score, exactly that when ranked. *)
Definition ramp_pair (tau : R) (s u : nat -> R) (a b : nat) : R :=
  s a * ramp tau (u a - u b) + s b * ramp tau (u b - u a).

Lemma ramp_pair_least tau s u a b :
  0 < tau -> 0 <= s a -> 0 <= s b -> Rmin (s a) (s b) <= ramp_pair tau s u a b.
Proof.
  intros T Pa Pb. unfold ramp_pair.
  pose proof (ramp_range tau (u a - u b)). pose proof (ramp_range tau (u b - u a)).
  destruct (Rle_dec (u a) (u b)).
  - rewrite (ramp_one tau (u a - u b)) by lra. pose proof (Rmin_l (s a) (s b)). nra.
  - rewrite (ramp_one tau (u b - u a)) by lra. pose proof (Rmin_r (s a) (s b)). nra.
Qed.

Lemma ramp_pair_ranked tau A s a b :
  0 < tau -> In a A -> In b A -> a <> b ->
  ramp_pair tau s (ranks tau A s) a b = Rmin (s a) (s b).
Proof.
  intros T Ha Hb NE. unfold ramp_pair. destruct (before_total s a b NE) as [B|B].
  - pose proof (before_step A s tau b a T Ha B). pose proof (before_le s a b B).
    rewrite (ramp_one tau (ranks tau A s a - ranks tau A s b)) by lra.
    rewrite (ramp_zero tau (ranks tau A s b - ranks tau A s a)) by lra.
    rewrite Rmin_left; lra.
  - pose proof (before_step A s tau a b T Hb B). pose proof (before_le s b a B).
    rewrite (ramp_one tau (ranks tau A s b - ranks tau A s a)) by lra.
    rewrite (ramp_zero tau (ranks tau A s a - ranks tau A s b)) by lra.
    rewrite Rmin_right; lra.
Qed.

Lemma risk_sum_tau tau A s u :
  NoDup A ->
  2 * risk (sum_tau tau) A s u = sum A (fun a => sum (others A a) (fun b => ramp_pair tau s u a b)).
Proof.
  intros N. apply (risk_by_pairs _ A s u (fun a b => ramp tau (u a - u b))); auto.
Qed.

(* claim: gamma-sum-tau *)
Theorem sum_tau_has_gamma_t :
  forall tau A, 0 < tau -> NoDup A -> calibrated (sum_tau tau) all_scores A (fun t => t).
Proof.
  intros tau A T N s u r i [P S] _ M I.
  destruct (argmax_exists A s) as [m Hm].
  { destruct M as [H _]. destruct A; [destruct H|congruence]. }
  rewrite (largest_is A s m Hm). destruct M as [Hr Mr]. destruct Hm as [Hm Mm].
  destruct (Nat.eq_dec m r) as [->|NE].
  { pose proof (proj1 I u Logic.I). lra. }
  assert (G : 2 * risk (sum_tau tau) A s (ranks tau A s) + 2 * (s m - s r)
              <= 2 * risk (sum_tau tau) A s u).
  { rewrite !risk_sum_tau by auto. apply (pairs_gap A _ _ m r); auto.
    - intros a b Ha Hb NEab. rewrite ramp_pair_ranked by auto. apply ramp_pair_least; auto.
    - rewrite ramp_pair_ranked by auto. rewrite Rmin_right by auto. unfold ramp_pair.
      rewrite (ramp_one tau (u m - u r)) by (auto; specialize (Mr m Hm); lra).
      pose proof (ramp_range tau (u r - u m)). specialize (P r Hr). nra.
    - rewrite ramp_pair_ranked by auto. rewrite Rmin_left by auto. unfold ramp_pair.
      rewrite (ramp_one tau (u m - u r)) by (auto; specialize (Mr m Hm); lra).
      pose proof (ramp_range tau (u r - u m)). specialize (P r Hr). nra. }
  pose proof (proj1 I (ranks tau A s) Logic.I). lra.
Qed.

(* All mass on m: only the loss at m counts. *)
Lemma risk_point phi A m u :
  NoDup A -> In m A -> risk phi A (point m) u = phi A m u.
Proof.
  intros N H. rewrite risk_eq. unfold point.
  rewrite (sum_ext A _ (fun a => if Nat.eqb a m then phi A a u else 0))
    by (intros; destruct (Nat.eqb x m); ring).
  apply (sum_single A m (fun a => phi A a u)); auto.
Qed.

(* claim: gamma-sum-tau *)
Theorem sum_tau_gamma_is_sharp_for_every_K :
  forall tau A c, 0 < tau -> NoDup A -> (2 <= length A)%nat -> c < 1 ->
  ~ calibrated (sum_tau tau) all_scores A (fun t => c * t).
Proof.
  intros tau A c T N L C H. destruct (two_elements A N L) as (r & m & Hr & Hm & NE).
  pose proof (point_dist A m N Hm) as D.
  set (u := fun a => if Nat.eqb a r then tau else if Nat.eqb a m then 0 else - tau).
  assert (Ur : u r = tau) by (unfold u; rewrite Nat.eqb_refl; auto).
  assert (Um : u m = 0).
  { unfold u. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec m r); congruence. }
  assert (Ue : forall a, a <> r -> a <> m -> u a = - tau).
  { intros a H1 H2. unfold u. destruct (Nat.eqb_spec a r), (Nat.eqb_spec a m); congruence. }
  assert (M : is_argmax A u r).
  { split; auto. intros b _. rewrite Ur. unfold u. destruct (Nat.eqb b r), (Nat.eqb b m); lra. }
  assert (I : is_min_over all_scores (risk (sum_tau tau) A (point m)) 0).
  { split.
    - intros v _. apply risk_nonneg; [apply D|]. intros a _. rewrite sum_tau_eq.
      apply sum_nonneg. intros b _. apply ramp_range.
    - exists (fun a => if Nat.eqb a m then tau else 0). split; [exact Logic.I|].
      rewrite risk_point, sum_tau_eq by auto. apply sum_zero. intros b Hb.
      apply others_in in Hb. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec b m); [tauto|].
      apply ramp_zero; lra. }
  assert (V : risk (sum_tau tau) A (point m) u = 1).
  { rewrite risk_point, sum_tau_eq by auto.
    rewrite (sum_others (others A m) r) by (try apply others_nodup; try apply others_in; auto).
    rewrite sum_zero.
    - rewrite Um, Ur, ramp_one by lra. ring.
    - intros b Hb. apply others_in in Hb. destruct Hb as [Hb Nr]. apply others_in in Hb.
      rewrite Um, Ue by tauto. apply ramp_zero; lra. }
  specialize (H _ u r 0 D Logic.I M (min_is_inf _ _ _ I)). cbv beta in H. rewrite V in H.
  rewrite (largest_at A (point m) m) in H; auto.
  - unfold point in H. rewrite Nat.eqb_refl in H. destruct (Nat.eqb_spec r m); [congruence|lra].
  - intros b _. unfold point. rewrite Nat.eqb_refl. destruct (Nat.eqb b m); lra.
Qed.
