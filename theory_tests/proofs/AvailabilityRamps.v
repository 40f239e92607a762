(* The two ramp losses serve every active set with one score vector: rungs tau apart for the sum
   of ramps, a tower in which every rung outweighs all those below it for the constrained ramp.
   Both losses fail to be convex (Nonconvex.v), so nothing here says that descent finds the vector.
   Claims: availability-sum-tau, availability-cstnd-tau. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Availability.
Import ListNotations.
Open Scope R_scope.

(* Order of the actions by score, equal scores by index, and the rank in it. *)
Definition before (s : nat -> R) (c a : nat) : bool :=
  if Rlt_dec (s c) (s a) then true
  else if Req_EM_T (s c) (s a) then Nat.ltb c a else false.

Definition rank (U : list nat) (s : nat -> R) (a : nat) : nat :=
  length (filter (fun c => before s c a) U).

Lemma before_le s c a : before s c a = true -> s c <= s a.
Proof.
  unfold before. destruct (Rlt_dec (s c) (s a)); [lra|].
  destruct (Req_EM_T (s c) (s a)); [lra|discriminate].
Qed.

Lemma before_total s a b : a <> b -> before s a b = true \/ before s b a = true.
Proof.
  intros N. unfold before.
  destruct (Rlt_dec (s a) (s b)); [auto|]. destruct (Rlt_dec (s b) (s a)); [auto|].
  destruct (Req_EM_T (s a) (s b)); [|lra]. destruct (Req_EM_T (s b) (s a)); [|lra].
  rewrite !Nat.ltb_lt. lia.
Qed.

Lemma before_irrefl s a : before s a a = false.
Proof.
  unfold before. destruct (Rlt_dec (s a) (s a)); [lra|].
  destruct (Req_EM_T (s a) (s a)); auto. apply Nat.ltb_irrefl.
Qed.

Lemma before_trans s a b c : before s a b = true -> before s b c = true -> before s a c = true.
Proof.
  unfold before.
  destruct (Rlt_dec (s a) (s b)); destruct (Rlt_dec (s b) (s c)); destruct (Rlt_dec (s a) (s c));
  destruct (Req_EM_T (s a) (s b)); destruct (Req_EM_T (s b) (s c)); destruct (Req_EM_T (s a) (s c));
  try lra; intros H1 H2; auto; try discriminate.
  apply Nat.ltb_lt in H1. apply Nat.ltb_lt in H2. apply Nat.ltb_lt. lia.
Qed.

Lemma filter_shorter {X} (f g : X -> bool) l x :
  (forall y, f y = true -> g y = true) -> In x l -> f x = false -> g x = true ->
  (length (filter f l) < length (filter g l))%nat.
Proof.
  intros H. assert (W : forall l, (length (filter f l) <= length (filter g l))%nat).
  { induction l0 as [|y l0 IH]; simpl; auto.
    destruct (f y) eqn:F; [rewrite (H y F); simpl; lia|]. destruct (g y); simpl; lia. }
  induction l as [|y l IH]; simpl; [tauto|]. intros [->|I] F G.
  - rewrite F, G. simpl. specialize (W l). lia.
  - specialize (IH I F G). destruct (f y) eqn:Fy; [rewrite (H y Fy); simpl; lia|].
    destruct (g y); simpl; lia.
Qed.

Lemma rank_lt U s a b : In a U -> before s a b = true -> (rank U s a < rank U s b)%nat.
Proof.
  intros I B. apply filter_shorter with a; auto.
  - intros c H. eapply before_trans; eauto.
  - apply before_irrefl.
Qed.

(* The ramp. *)
Lemma ramp_bounds tau t : 0 <= ramp tau t <= 1.
Proof.
  rewrite ramp_eq. split; [|apply Rmin_r].
  apply Rmin_glb; [apply Rmax_l|lra].
Qed.

Lemma ramp_one tau t : 0 < tau -> t <= 0 -> ramp tau t = 1.
Proof.
  intros P H. rewrite ramp_eq. apply Rmin_right.
  apply Rle_trans with (1 - t / tau); [|apply Rmax_r].
  assert (0 < / tau) by (apply Rinv_0_lt_compat; auto). unfold Rdiv. nra.
Qed.

Lemma ramp_zero tau t : 0 < tau -> tau <= t -> ramp tau t = 0.
Proof.
  intros P H. rewrite ramp_eq. rewrite Rmax_left; [apply Rmin_left; lra|].
  assert (0 < / tau) by (apply Rinv_0_lt_compat; auto).
  assert (1 = tau * / tau) by (field; lra). unfold Rdiv. nra.
Qed.

(* Sum of ramps. *)
Definition pair_ramp (tau : R) (u : nat -> R) (a b : nat) : R := ramp tau (u a - u b).

Lemma ramp_pair_lower tau s u a b :
  0 < tau -> 0 <= s a -> 0 <= s b ->
  Rmin (s a) (s b) <= s a * pair_ramp tau u a b + s b * pair_ramp tau u b a.
Proof.
  intros P Ha Hb. unfold pair_ramp.
  pose proof (ramp_bounds tau (u a - u b)). pose proof (ramp_bounds tau (u b - u a)).
  pose proof (Rmin_l (s a) (s b)). pose proof (Rmin_r (s a) (s b)).
  destruct (Rle_dec (u a) (u b)).
  - rewrite (ramp_one tau (u a - u b)) by lra. nra.
  - rewrite (ramp_one tau (u b - u a)) by lra. nra.
Qed.

Lemma ramp_pair_wrong tau s u a b :
  0 < tau -> 0 <= s a -> s a < s b -> u b <= u a ->
  Rmin (s a) (s b) + (s b - s a) <= s a * pair_ramp tau u a b + s b * pair_ramp tau u b a.
Proof.
  intros P Ha Hb H. unfold pair_ramp. pose proof (ramp_bounds tau (u a - u b)).
  rewrite (ramp_one tau (u b - u a)) by lra. rewrite Rmin_left by lra. nra.
Qed.

Definition ladder (tau : R) (U : list nat) (s : nat -> R) : nat -> R :=
  fun a => tau * INR (rank U s a).

Lemma ladder_step tau U s a b :
  0 < tau -> In a U -> before s a b = true -> ladder tau U s a + tau <= ladder tau U s b.
Proof.
  intros P I B. unfold ladder. pose proof (rank_lt U s a b I B) as L.
  apply le_INR in L. rewrite S_INR in L. nra.
Qed.

Lemma ramp_pair_ladder tau U s a b :
  0 < tau -> In a U -> In b U -> a <> b ->
  s a * pair_ramp tau (ladder tau U s) a b + s b * pair_ramp tau (ladder tau U s) b a
  = Rmin (s a) (s b).
Proof.
  intros P Ha Hb N. unfold pair_ramp.
  destruct (before_total s a b N) as [B|B].
  - pose proof (ladder_step tau U s a b P Ha B). pose proof (before_le s a b B).
    rewrite (ramp_one tau (ladder tau U s a - _)) by lra.
    rewrite ramp_zero by lra. rewrite Rmin_left by lra. ring.
  - pose proof (ladder_step tau U s b a P Hb B). pose proof (before_le s b a B).
    rewrite (ramp_one tau (ladder tau U s b - _)) by lra.
    rewrite ramp_zero by lra. rewrite Rmin_right by lra. ring.
Qed.

Lemma sum_tau_pairs tau A s u :
  NoDup A -> 2 * risk (sum_tau tau) A s u
  = sum A (fun a => sum (others A a)
      (fun b => s a * pair_ramp tau u a b + s b * pair_ramp tau u b a)).
Proof. intros N. apply (risk_pairs (sum_tau tau) (pair_ramp tau)); auto. Qed.

Lemma sum_tau_ladder tau U s A :
  0 < tau -> NoDup A -> incl A U ->
  2 * risk (sum_tau tau) A s (ladder tau U s)
  = sum A (fun a => sum (others A a) (fun b => Rmin (s a) (s b))).
Proof.
  intros P N I. rewrite sum_tau_pairs by auto. apply sum_ext. intros a Ha. apply sum_ext.
  intros b Hb. apply others_in in Hb. destruct Hb as [Hb Nab]. apply ramp_pair_ladder; auto.
Qed.

Lemma sum_tau_common tau U s :
  0 < tau -> (forall a, In a U -> 0 <= s a) ->
  forall A, NoDup A -> incl A U -> forall u,
  risk (sum_tau tau) A s (ladder tau U s) <= risk (sum_tau tau) A s u.
Proof.
  intros P Ps A N I u. cut (2 * risk (sum_tau tau) A s (ladder tau U s) <= 2 * risk (sum_tau tau) A s u);
    [lra|].
  rewrite sum_tau_ladder, sum_tau_pairs by auto. apply sum_le. intros a Ha. apply sum_le.
  intros b Hb. apply others_in in Hb. destruct Hb as [Hb Nab]. apply ramp_pair_lower; auto.
Qed.

(* All the actions of a mixture. *)
Definition actions (M : mixture) : list nat := flat_map snd M.

Lemma actions_incl M w A : In (w, A) M -> incl A (actions M).
Proof. intros H a Ha. apply in_flat_map. exists (w, A). auto. Qed.

Lemma actions_scored M s : scored M s -> forall a, In a (actions M) -> 0 <= s a.
Proof. intros H a Ha. apply in_flat_map in Ha. destruct Ha as [[w A] [I Ha]]. eapply H; eauto. Qed.

(* One vector that is exactly optimal on every subset of any finite set of actions. *)
Lemma zero_gap_exact (L : Loss) :
  (forall U s, (forall a, In a U -> 0 <= s a) -> exists v, forall A, NoDup A -> incl A U -> forall u,
     risk L A s v <= risk L A s u) -> zero_gap L.
Proof.
  intros H M s eps PM SM Pe. destruct (H (actions M) s (actions_scored M s SM)) as [v Hv].
  exists v. intros w A Hi u. destruct (PM w A Hi) as [_ N].
  specialize (Hv A N (actions_incl M w A Hi) u). lra.
Qed.

Lemma sum_tau_improvable tau : 0 < tau -> improvable (sum_tau tau).
Proof.
  intros P A s a b N Ps Ha Hb Hab. exists ((s b - s a) / 2). split; [lra|].
  intros v [_ Hv]. exists (ladder tau A s).
  assert (Nab : a <> b) by (intros ->; lra).
  pose proof (pairs_above A (fun c d => s c * pair_ramp tau v c d + s d * pair_ramp tau v d c)
    (fun c d => Rmin (s c) (s d)) a b) as T.
  cbv beta in T. rewrite <- sum_tau_pairs in T by auto.
  specialize (T ltac:(intros; apply ramp_pair_lower; auto) Ha Hb Nab).
  pose proof (ramp_pair_wrong tau s v a b P (Ps a Ha) Hab (Hv b Hb)).
  pose proof (sum_tau_ladder tau A s A P N (incl_refl A)) as E.
  lra.
Qed.

(* claim: availability-sum-tau *)
Theorem sum_tau_serves_every_active_set :
  forall tau, 0 < tau ->
  (forall U s, (forall a, In a U -> 0 <= s a) -> exists v, forall A, NoDup A -> incl A U ->
     forall u, risk (sum_tau tau) A s v <= risk (sum_tau tau) A s u) /\
  zero_gap (sum_tau tau) /\ availability_consistent (sum_tau tau).
Proof.
  intros tau P.
  assert (C : forall U s, (forall a, In a U -> 0 <= s a) -> exists v, forall A, NoDup A ->
    incl A U -> forall u, risk (sum_tau tau) A s v <= risk (sum_tau tau) A s u)
    by (intros U s Ps; eexists; apply sum_tau_common; auto).
  split; [exact C|]. assert (Z := zero_gap_exact _ C). split; auto.
  apply consistent_if; auto. apply sum_tau_improvable; auto.
Qed.

(* The constrained ramp. *)
Lemma cstnd_tau_risk tau A s v :
  NoDup A -> risk (centred (cstnd_tau tau)) A s v
  = sum A (fun b => (sum A s - s b) * ramp tau (- proj A v b)).
Proof.
  intros N. rewrite risk_eq.
  exact (sum_cross A s (fun b => ramp tau (- proj A v b)) N).
Qed.

Lemma top_at_least_mean A v a : NoDup A -> is_argmax A v a -> 0 <= proj A v a.
Proof.
  intros N [Ha M]. rewrite proj_in by auto. rewrite mean_eq.
  assert (K : 0 < INR (length A)) by (apply lt_0_INR; destruct A; simpl in Ha; [tauto|simpl; lia]).
  assert (S : sum A v <= INR (length A) * v a) by (apply sum_le_const; auto).
  assert (E : sum A v / INR (length A) * INR (length A) = sum A v) by (field; lra). nra.
Qed.

Lemma score_le_mass (A : list nat) (s : nat -> R) a : (forall c, In c A -> 0 <= s c) -> In a A -> s a <= sum A s.
Proof. intros. apply (sum_term_le A s a); auto. Qed.

Lemma cstnd_tau_wrong tau A s v a :
  0 < tau -> NoDup A -> (forall c, In c A -> 0 <= s c) -> is_argmax A v a ->
  sum A s - s a <= risk (centred (cstnd_tau tau)) A s v.
Proof.
  intros P N Ps M. rewrite cstnd_tau_risk by auto.
  pose proof (top_at_least_mean A v a N M) as T. destruct M as [Ha _].
  assert (G : forall b, In b A -> 0 <= (sum A s - s b) * ramp tau (- proj A v b)).
  { intros b Hb. pose proof (score_le_mass A s b Ps Hb).
    pose proof (ramp_bounds tau (- proj A v b)). apply Rmult_le_pos; lra. }
  pose proof (sum_term_le A _ a G Ha) as S. cbv beta in S.
  rewrite (ramp_one tau (- proj A v a)) in S by lra. lra.
Qed.

(* The tower over m actions: 0, then m (previous + tau). *)
Fixpoint tower (tau m : R) (r : nat) : R :=
  match r with O => 0 | S q => m * (tower tau m q + tau) end.

Lemma tower_nonneg tau m r : 0 < tau -> 1 <= m -> 0 <= tower tau m r.
Proof. intros. induction r; simpl; [lra|]. apply Rmult_le_pos; lra. Qed.

Lemma tower_mono tau m q r :
  0 < tau -> 1 <= m -> (q <= r)%nat -> tower tau m q <= tower tau m r.
Proof.
  intros P M H. induction H as [|r H IH]; [lra|]. simpl.
  pose proof (tower_nonneg tau m r P M). nra.
Qed.

Lemma tower_step tau m q r :
  0 < tau -> 1 <= m -> (q < r)%nat -> m * (tower tau m q + tau) <= tower tau m r.
Proof. intros P M H. apply (tower_mono tau m (S q) r P M). lia. Qed.

Definition towers (tau : R) (U : list nat) (s : nat -> R) : nat -> R :=
  fun a => tower tau (INR (length U)) (rank U s a).

(* In every active subset the last action in the order is on top, the others at least tau below
   the mean. *)
Lemma last_exists A s : A <> nil -> exists r, In r A /\ forall b, In b A -> b <> r -> before s b r = true.
Proof.
  induction A as [|a A IH]; intros H; [congruence|]. destruct A as [|c A].
  - exists a. split; [left; auto|]. intros b [<-|[]]; congruence.
  - destruct IH as [r [I M]]; [congruence|]. destruct (Nat.eq_dec r a) as [->|Nra].
    + exists a. split; [left; auto|]. intros b [<-|Hb] N; [congruence|auto].
    + destruct (before_total s r a Nra) as [B|B].
      * exists a. split; [left; auto|]. intros b [<-|Hb] N; [congruence|].
        destruct (Nat.eq_dec b r) as [->|]; auto. eapply before_trans; [apply M; auto|auto].
      * exists r. split; [right; auto|]. intros b [<-|Hb] N; auto.
Qed.

Lemma cstnd_tau_towers tau U s A :
  0 < tau -> (forall c, In c A -> 0 <= s c) -> NoDup A -> incl A U -> A <> nil ->
  exists r, is_argmax A s r /\
  risk (centred (cstnd_tau tau)) A s (towers tau U s) = sum A s - s r.
Proof.
  intros P Ps N I Ne. destruct (last_exists A s Ne) as [r [Hr M]]. exists r.
  split.
  { split; auto. intros b Hb. destruct (Nat.eq_dec b r) as [->|]; [lra|].
    apply before_le. auto. }
  set (v := towers tau U s). set (m := INR (length U)).
  assert (KA : 0 < INR (length A)) by (apply lt_0_INR; destruct A; [congruence|simpl; lia]).
  assert (KU : INR (length A) <= m) by (apply le_INR; apply NoDup_incl_length; auto).
  assert (M1 : 1 <= m).
  { apply Rle_trans with (INR (length A)); auto. change 1 with (INR 1). apply le_INR.
    destruct A; [congruence|simpl; lia]. }
  assert (Vn : forall b, 0 <= v b) by (intros; apply tower_nonneg; auto).
  assert (Lo : forall b, In b A -> b <> r -> v b + tau <= mean A v).
  { intros b Hb Nb. rewrite mean_eq.
    assert (T : m * (v b + tau) <= v r).
    { apply tower_step; auto. apply rank_lt; auto. }
    assert (S : v r <= sum A v) by (apply (sum_term_le A v r); auto).
    assert (E : sum A v / INR (length A) * INR (length A) = sum A v) by (field; lra).
    specialize (Vn b).
    assert (INR (length A) * (v b + tau) <= sum A v) by nra. nra. }
  assert (Top : is_argmax A v r).
  { split; auto. intros b Hb. destruct (Nat.eq_dec b r) as [->|Nb]; [lra|].
    apply tower_mono; auto. apply Nat.lt_le_incl. apply rank_lt; auto. }
  rewrite cstnd_tau_risk by auto.
  rewrite (sum_others A r (fun b => (sum A s - s b) * ramp tau (- proj A v b))) by auto.
  rewrite (ramp_one tau (- proj A v r)).
  - rewrite (sum_zero (others A r)); [ring|]. intros b Hb. apply others_in in Hb. destruct Hb as [Hb Nb].
    rewrite ramp_zero; [ring|auto|]. rewrite proj_in by auto. specialize (Lo b Hb Nb). lra.
  - auto.
  - pose proof (top_at_least_mean A v r N Top). lra.
Qed.

Lemma cstnd_tau_common tau U s :
  0 < tau -> (forall a, In a U -> 0 <= s a) ->
  forall A, NoDup A -> incl A U -> forall u,
  risk (centred (cstnd_tau tau)) A s (towers tau U s) <= risk (centred (cstnd_tau tau)) A s u.
Proof.
  intros P Ps A N I u. destruct A as [|a0 A0]; [rewrite !risk_eq; simpl; lra|]. set (A := a0 :: A0) in *.
  assert (Ne : A <> nil) by (unfold A; congruence).
  destruct (cstnd_tau_towers tau U s A) as [r [[Hr M] ->]]; auto.
  destruct (argmax_exists A u Ne) as [a Ha].
  pose proof (cstnd_tau_wrong tau A s u a P N ltac:(auto) Ha) as W.
  destruct Ha as [Ha _]. specialize (M a Ha). lra.
Qed.

Lemma cstnd_tau_improvable tau : 0 < tau -> improvable (centred (cstnd_tau tau)).
Proof.
  intros P A s a b N Ps Ha Hb Hab. exists (s b - s a). split; [lra|].
  intros v Hv. exists (towers tau A s).
  destruct (cstnd_tau_towers tau A s A) as [r [[Hr M] ->]]; auto using incl_refl.
  { intros ->. destruct Ha. }
  pose proof (cstnd_tau_wrong tau A s v a P N Ps Hv). specialize (M b Hb). lra.
Qed.

(* claim: availability-cstnd-tau *)
Theorem cstnd_tau_serves_every_active_set :
  forall tau, 0 < tau ->
  (forall U s, (forall a, In a U -> 0 <= s a) -> exists v, forall A, NoDup A -> incl A U ->
     forall u, risk (centred (cstnd_tau tau)) A s v <= risk (centred (cstnd_tau tau)) A s u) /\
  zero_gap (centred (cstnd_tau tau)) /\ availability_consistent (centred (cstnd_tau tau)).
Proof.
  intros tau P.
  assert (C : forall U s, (forall a, In a U -> 0 <= s a) -> exists v, forall A, NoDup A ->
    incl A U -> forall u,
    risk (centred (cstnd_tau tau)) A s v <= risk (centred (cstnd_tau tau)) A s u)
    by (intros U s Ps; eexists; apply cstnd_tau_common; auto).
  split; [exact C|]. assert (Z := zero_gap_exact _ C). split; auto.
  apply consistent_if; auto. apply cstnd_tau_improvable; auto.
Qed.
