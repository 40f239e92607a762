(* The hypotheses of the impossibility theorem can be met: the constrained hinge, for every n, with
   constant 1, on all score vectors and on a box of them. No claim of its own. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions Impossibility ImpossibilityLimits ImpossibilityFull ZeroGap.
Import ListNotations.
Open Scope R_scope.

Lemma max_convex t x y :
  0 <= t <= 1 -> Rmax 0 (1 + (t * x + (1 - t) * y)) <= t * Rmax 0 (1 + x) + (1 - t) * Rmax 0 (1 + y).
Proof.
  intros H. pose proof (Rmax_l 0 (1 + x)). pose proof (Rmax_r 0 (1 + x)).
  pose proof (Rmax_l 0 (1 + y)). pose proof (Rmax_r 0 (1 + y)). apply Rmax_lub; nra.
Qed.

Lemma hinge_convex A a : NoDup A -> In a A -> convex_on everything (centred cstnd_hinge A a).
Proof.
  intros NA Ha t u v w Ht _ _ Cw. unfold centred. rewrite !cstnd_hinge_eq, <- !sum_scal, <- sum_plus.
  apply sum_le. intros b Hb. apply others_in in Hb. destruct Hb as [Hb _].
  eapply Rle_trans; [|apply max_convex; auto]. right. f_equal. f_equal.
  rewrite !proj_in, !mean_eq by auto.
  rewrite (sum_ext A w (fun c => t * u c + (1 - t) * v c)) by (intros; apply Cw).
  rewrite (Cw b), sum_plus, !sum_scal. pose proof (size_pos A a Ha). field. lra.
Qed.

Lemma hinge_differences A : sees_differences (centred cstnd_hinge) A /\ bounded_below (centred cstnd_hinge) A.
Proof.
  split.
  - intros a u v k Ha H. unfold centred. rewrite !cstnd_hinge_eq. apply sum_ext. intros b Hb.
    apply others_in in Hb. destruct Hb as [Hb _]. f_equal. f_equal. rewrite !proj_in, !mean_eq by auto.
    rewrite (sum_ext A v (fun c => u c + k)) by auto. rewrite (H b Hb), sum_plus, sum_const.
    pose proof (size_pos A a Ha). field. lra.
  - exists 0. intros a u Ha. unfold centred. rewrite cstnd_hinge_eq. apply sum_nonneg.
    intros. apply Rmax_l.
Qed.

Lemma hinge_linear A (D : (nat -> R) -> Prop) s :
  NoDup A -> (forall k, In k A -> D (spike k (INR (length A)))) -> (forall c, In c A -> 0 <= s c) ->
  linearly_calibrated (centred cstnd_hinge) A D 1 s.
Proof.
  intros NA HD Ps u r m _ Hr Im b Hb.
  destruct (argmax_exists A s) as [k Hk]; [intros E; rewrite E in Hb; destruct Hb|].
  assert (Lm : m <= INR (length A) * (sum A s - s k)).
  { destruct Im as [Lo _]. specialize (Lo (spike k (INR (length A))) (HD k (proj1 Hk))).
    change (risk (centred cstnd_hinge) A s) with (hinge_risk A s) in Lo.
    rewrite spike_risk in Lo by (auto; apply Hk). auto. }
  assert (Sk : s k <= sum A s) by (apply (sum_term_le A s k); auto; apply Hk).
  pose proof (hinge_excess A s u k NA (proj1 Hk)) as E.
  assert (Pr : 1 <= 1 + proj A u r).
  { destruct Hr as [Ir Mr]. rewrite proj_in, mean_eq by auto. pose proof (size_pos A r Ir) as K.
    assert (S : sum A u <= INR (length A) * u r) by (apply sum_le_const; auto).
    assert (Q : sum A u / INR (length A) * INR (length A) = sum A u) by (field; lra). nra. }
  assert (T : s k - s r <= sum A (fun b => (sum A s - s k) * (Rmax 0 (1 + proj A u b) - (1 + proj A u b))
                  + (s k - s b) * Rmax 0 (1 + proj A u b))).
  { eapply Rle_trans; [|apply (sum_term_le A _ r); [|apply Hr]].
    - cbv beta. pose proof (Rmax_r 0 (1 + proj A u r)). destruct Hk as [_ M].
      specialize (M r (proj1 Hr)). nra.
    - intros c Hc. pose proof (Rmax_l 0 (1 + proj A u c)). pose proof (Rmax_r 0 (1 + proj A u c)).
      destruct Hk as [_ M]. specialize (M c Hc). nra. }
  unfold hinge_risk in E. destruct Hk as [_ M]. specialize (M b Hb). lra.
Qed.

(* Scores of absolute value at most B. *)
Definition box (n : nat) (B : R) (u : nat -> R) : Prop := forall c, (c < n)%nat -> Rabs (u c) <= B.

Lemma box_convex n B : convex_set (box n B).
Proof.
  intros t u v w Ht Du Dv Cw c Hc. rewrite (Cw c). specialize (Du c Hc). specialize (Dv c Hc).
  eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_right t), (Rabs_right (1 - t)) by lra.
  nra.
Qed.

Lemma box_closed n B P :
  (forall eta, 0 < eta -> exists u, box n B u /\ forall c, (c < n)%nat -> Rabs (u c - P c) < eta) ->
  box n B P.
Proof.
  intros H c Hc. apply (le_eps _ _ 1); [lra|]. intros eta He. destruct (H eta ltac:(lra)) as [u [Bu Cu]].
  specialize (Bu c Hc). specialize (Cu c Hc).
  replace (P c) with (u c + - (u c - P c)) by ring. eapply Rle_trans; [apply Rabs_triang|].
  rewrite Rabs_Ropp. lra.
Qed.

Lemma box_spike n N k B : INR N <= B -> box n B (spike k (INR N)).
Proof.
  intros H c _. pose proof (pos_INR N). unfold spike. destruct (Nat.eqb c k).
  - rewrite Rabs_right; lra.
  - rewrite Rabs_R0. lra.
Qed.

Example the_constrained_hinge_meets_the_hypotheses :
  forall (n : nat) (A : list nat), (2 <= n)%nat -> In A [active n []; active n [0%nat]] ->
  (forall a, In a A -> convex_on everything (centred cstnd_hinge A a)) /\
  (sees_differences (centred cstnd_hinge) A /\ bounded_below (centred cstnd_hinge) A) /\
  (forall s, close_to_tie n (1 / INR n) s ->
     linearly_calibrated (centred cstnd_hinge) A everything 1 s) /\
  convex_set (box (n + 1) (INR (n + 1))) /\ compact_scores n (box (n + 1) (INR (n + 1))) /\
  (forall s, close_to_tie n (1 / INR n) s ->
     linearly_calibrated (centred cstnd_hinge) A (box (n + 1) (INR (n + 1))) 1 s).
Proof.
  intros n A n2 HA.
  assert (NA : NoDup A).
  { destruct HA as [<-|[<-|[]]]; apply active_nodup; repeat constructor; simpl; tauto. }
  assert (LA : (length A <= n + 1)%nat).
  { destruct HA as [<-|[<-|[]]]; rewrite active_length; simpl; lia. }
  assert (Ps : forall s, close_to_tie n (1 / INR n) s -> forall c, In c A -> 0 <= s c).
  { intros s [Near _] c Hc. assert (Hc' : In c (active n [0%nat])).
    { destruct HA as [<-|[<-|[]]]; auto. apply active_in in Hc. apply active_in.
      destruct Hc as [Hc|[j [[] _]]]. auto. }
    specialize (Near c Hc'). pose proof (Rle_abs (- (s c - 1 / INR n))) as Q.
    rewrite Rabs_Ropp in Q. lra. }
  assert (In1 : forall c, In c (active n [0%nat]) <-> (c < n + 1)%nat).
  { intros c. rewrite (asked_in n n2). simpl. rewrite in_seq. lia. }
  split; [intros a; apply hinge_convex; auto|]. split; [apply hinge_differences|].
  split; [intros s Hs; apply hinge_linear; auto; intros; exact I|].
  split; [apply box_convex|]. split; [split; [|split]|].
  - exists (spike 0 (INR (n + 1))). apply box_spike. lra.
  - exists (INR (n + 1)). intros u c Du Hc. apply Du. apply In1. auto.
  - intros P H. apply box_closed. intros eta Pe. destruct (H eta Pe) as [u [Du Cu]]. exists u.
    split; auto. intros c Hc. apply Cu. apply In1. auto.
  - intros s Hs. apply hinge_linear; auto. intros k _. apply box_spike. apply le_INR. auto.
Qed.
