(* Without shift invariance one expert who comes and goes leaves room (Escape); three do not. n >= 2
   classes; active sets: the classes alone, and the classes with one of three experts. Losses that are
   convex, see the scores of the active actions only and are bounded below; score vectors from a
   convex set that is bounded and closed. If the loss is linearly calibrated near the tie on the four
   sets, then arbitrarily close to the tie there are scores whose minimizability gap over the four is
   positive. Claim: no-convex-repair-three-experts. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Classical.
From Deferlab Require Import Sums Definitions Impossibility ImpossibilityLimits ImpossibilityRecession
  ImpossibilityFull ThreeExpertsMain ZeroGap ImpossibilityHinge.
Import ListNotations.
Open Scope R_scope.

(* The loss on A sees the scores of A only. *)
Definition sees_active (L : Loss) (A : list nat) : Prop :=
  forall a u v, In a A -> (forall c, In c A -> v c = u c) -> L A a v = L A a u.

(* The classes alone, or with one of three experts. *)
Definition four_sets (n : nat) : list (list nat) :=
  [active n []; active n [0%nat]; active n [1%nat]; active n [2%nat]].

Definition close_to_tie3 (n : nat) (rad : R) (s : nat -> R) : Prop :=
  (forall a, (a < n + 3)%nat -> Rabs (s a - 1 / INR n) <= rad) /\ sum (seq 0 n) s = 1.

(* One vector for the four sets is worse by delta than a vector for each. *)
Definition positive_gap3 (L : Loss) (n : nat) (D : (nat -> R) -> Prop) (s : nat -> R) : Prop :=
  exists delta u (w : nat -> nat -> R), 0 < delta /\ D u /\ (forall j, D (w j)) /\
  forall v, D v ->
  risk L (active n []) s u + sum [0; 1; 2]%nat (fun j => risk L (active n [j]) s (w j)) + delta
  <= risk L (active n []) s v + sum [0; 1; 2]%nat (fun j => risk L (active n [j]) s v).

Definition compact_scores3 (n : nat) (D : (nat -> R) -> Prop) : Prop :=
  (exists u, D u) /\ (exists M, forall u c, D u -> (c < n + 3)%nat -> Rabs (u c) <= M) /\
  forall P, (forall eta, 0 < eta -> exists u, D u /\
               forall c, (c < n + 3)%nat -> Rabs (u c - P c) < eta) -> D P.

Lemma four_alone n : In (active n []) (four_sets n).
Proof. simpl. auto. Qed.

Lemma four_joined n j : (j < 3)%nat -> In (active n [j]) (four_sets n).
Proof. intros H. destruct j as [|[|[|j]]]; simpl; auto. lia. Qed.

Lemma joined_sum1 n j F : sum (active n [j]) F = sum ((n + j)%nat :: seq 0 n) F.
Proof. rewrite sum_active. simpl. ring. Qed.

Lemma joined_in1 n j a : In a (active n [j]) <-> In a ((n + j)%nat :: seq 0 n).
Proof.
  rewrite active_in. simpl. rewrite in_seq. split.
  - intros [H|[i [[<-|[]] ->]]]; [right; lia|left; lia].
  - intros [<-|H]; [right; exists j; split; auto|left; lia].
Qed.

Lemma calibrated_same (L : Loss) (A A' : list nat) D C s u r :
  (forall F, sum A F = sum A' F) -> (forall a, In a A <-> In a A') ->
  linearly_calibrated L A D C s -> D u -> is_argmax A' u r -> calibrated A' (L A) D C s u r.
Proof.
  intros Es Ei Cal Du [Hr M] m Im b Hb.
  assert (E : forall x, risk L A s x = total A' (L A) s x) by (intros; rewrite risk_eq; apply Es).
  rewrite <- E. apply (Cal u r m); auto.
  - split; [apply Ei; auto|]. intros c Hc. apply M. apply Ei. auto.
  - eapply is_inf_ext; [|exact Im]. intros x. symmetry. apply E.
  - apply Ei. auto.
Qed.

(* claim: no-convex-repair-three-experts *)
Theorem three_experts_need_a_gap_even_without_shift_invariance :
  forall (n : nat) (L : Loss) (D : (nat -> R) -> Prop) (rad C : R),
  (2 <= n)%nat -> 0 < rad -> convex_set D -> compact_scores3 n D ->
  (forall A a, In A (four_sets n) -> In a A -> convex_on everything (L A a)) ->
  (forall A, In A (four_sets n) -> sees_active L A /\ bounded_below L A) ->
  (forall A s, In A (four_sets n) -> close_to_tie3 n rad s -> linearly_calibrated L A D C s) ->
  exists s, close_to_tie3 n rad s /\ (forall a, (a < n + 3)%nat -> 0 < s a < 1) /\
            positive_gap3 L n D s.
Proof.
  intros n L D rad C n2 Pr CD [Din [[M HM] Closed]] Cv Sb Cal. apply NNPP. intros None.
  assert (Pn : 2 <= INR n) by (change 2 with (INR 2); apply le_INR; auto).
  set (t := 1 / INR n). assert (Et : INR n * t = 1) by (unfold t; field; lra).
  assert (Pt : 0 < t) by (unfold t; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  assert (Lt : t <= 1 / 2) by nra.
  set (rd := Rmin rad (t / 2)).
  assert (Prd : 0 < rd < t).
  { split; [apply Rmin_glb_lt; lra|]. apply Rle_lt_trans with (t / 2); [apply Rmin_r|lra]. }
  set (f := L (active n [])). set (g := fun j => L (active n [j])).
  set (B := fun j => (n + j)%nat :: seq 0 n).
  assert (Alone : forall F, sum (active n []) F = sum (seq 0 n) F)
    by (intros; rewrite sum_active; simpl; ring).
  assert (AloneIn : forall a, In a (active n []) <-> In a (seq 0 n)).
  { intros a. rewrite active_in, seq_in_0. split; [intros [H|[j [[] _]]]; auto|auto]. }
  assert (Bin : forall j a, (j < 3)%nat -> In a (B j) -> (a < n + 3)%nat).
  { intros j a Hj [<-|Ha]; [lia|]. apply in_seq in Ha. lia. }
  (* One lower bound. *)
  assert (Lo : exists lo, (forall a u, In a (seq 0 n) -> lo <= f a u) /\
    forall j a u, (j < 3)%nat -> In a (B j) -> lo <= g j a u).
  { destruct (proj2 (Sb _ (four_alone n))) as [l H]. destruct (proj2 (Sb _ (four_joined n 0 ltac:(lia)))) as [l0 H0].
    destruct (proj2 (Sb _ (four_joined n 1 ltac:(lia)))) as [l1 H1].
    destruct (proj2 (Sb _ (four_joined n 2 ltac:(lia)))) as [l2 H2].
    exists (Rmin (Rmin l l0) (Rmin l1 l2)).
    pose proof (Rmin_l (Rmin l l0) (Rmin l1 l2)). pose proof (Rmin_r (Rmin l l0) (Rmin l1 l2)).
    pose proof (Rmin_l l l0). pose proof (Rmin_r l l0). pose proof (Rmin_l l1 l2).
    pose proof (Rmin_r l1 l2). split.
    - intros a u Ha. apply Rle_trans with l; [lra|]. apply H. apply AloneIn. auto.
    - intros j a u Hj Ha. apply joined_in1 in Ha. unfold g.
      destruct j as [|[|[|j]]]; [| | |lia];
      [specialize (H0 a u Ha)|specialize (H1 a u Ha)|specialize (H2 a u Ha)]; lra. }
  destruct Lo as [lo [flo glo]].
  assert (flocal : forall a u v, In a (seq 0 n) -> (forall c, In c (seq 0 n) -> v c = u c) -> f a v = f a u).
  { intros a u v Ha H. apply (proj1 (Sb _ (four_alone n)) a u v); [apply AloneIn; auto|].
    intros c Hc. apply H. apply AloneIn. auto. }
  assert (glocal : forall j a u v, (j < 3)%nat -> In a (B j) ->
    (forall c, In c (B j) -> v c = u c) -> g j a v = g j a u).
  { intros j a u v Hj Ha H. apply (proj1 (Sb _ (four_joined n j Hj)) a u v); [apply joined_in1; auto|].
    intros c Hc. apply H. apply joined_in1. auto. }
  assert (Cf : forall a, In a (seq 0 n) -> convex_on everything (f a)).
  { intros a Ha. apply Cv; [apply four_alone|apply AloneIn; auto]. }
  assert (Cg : forall j a, (j < 3)%nat -> In a (B j) -> convex_on everything (g j a)).
  { intros j a Hj Ha. apply Cv; [apply four_joined; auto|apply joined_in1; auto]. }
  assert (Kf : forall a, In a (seq 0 n) -> continuous_on (seq 0 n) (f a)).
  { intros a Ha. apply convex_continuous; auto. apply seq_NoDup. }
  assert (Kg : forall j, (j < 3)%nat -> forall a, In a (B j) -> continuous_on (B j) (g j a)).
  { intros j Hj a Ha. apply convex_continuous; auto.
    constructor; [rewrite in_seq; lia|apply seq_NoDup]. }
  (* Near the limit all losses are near theirs. *)
  assert (Near : forall P eta, 0 < eta -> exists d, 0 < d /\ forall u,
    (forall c, (c < n + 3)%nat -> Rabs (u c - P c) < d) ->
    (forall a, In a (seq 0 n) -> Rabs (f a u - f a P) < eta) /\
    (forall j a, (j < 3)%nat -> In a (B j) -> Rabs (g j a u - g j a P) < eta)).
  { intros P eta Pe.
    destruct (continuous_all (seq 0 n) (seq 0 n) f Kf P eta Pe) as [d [Pd Hd]].
    destruct (continuous_all (B 0%nat) (B 0%nat) (g 0%nat) (Kg 0%nat ltac:(lia)) P eta Pe) as [d0 [Pd0 Hd0]].
    destruct (continuous_all (B 1%nat) (B 1%nat) (g 1%nat) (Kg 1%nat ltac:(lia)) P eta Pe) as [d1 [Pd1 Hd1]].
    destruct (continuous_all (B 2%nat) (B 2%nat) (g 2%nat) (Kg 2%nat ltac:(lia)) P eta Pe) as [d2 [Pd2 Hd2]].
    exists (Rmin (Rmin d d0) (Rmin d1 d2)). split; [repeat apply Rmin_glb_lt; auto|]. intros u Hu.
    pose proof (Rmin_l (Rmin d d0) (Rmin d1 d2)). pose proof (Rmin_r (Rmin d d0) (Rmin d1 d2)).
    pose proof (Rmin_l d d0). pose proof (Rmin_r d d0). pose proof (Rmin_l d1 d2).
    pose proof (Rmin_r d1 d2). split.
    - apply Hd. intros c Hc. apply in_seq in Hc. specialize (Hu c ltac:(lia)). lra.
    - intros j a Hj Ha. revert a Ha.
      destruct j as [|[|[|j]]]; [apply Hd0|apply Hd1|apply Hd2|lia];
      intros c Hc; (specialize (Hu c); apply Bin in Hc; [|lia]; specialize (Hu Hc); lra). }
  assert (Close : forall s, admissible3 n t rd s -> close_to_tie3 n rad s).
  { intros s [H1 H2]. split; [|rewrite H2; auto]. intros a Ha. specialize (H1 a Ha). fold t.
    eapply Rle_trans; [exact H1|apply Rmin_l]. }
  assert (Pos : forall s a, admissible3 n t rd s -> (a < n + 3)%nat -> t / 2 <= s a <= t + t / 2).
  { intros s a [H1 _] Ha. specialize (H1 a Ha).
    pose proof (Rle_abs (s a - t)). pose proof (Rle_abs (- (s a - t))) as Q. rewrite Rabs_Ropp in Q.
    assert (rd <= t / 2) by apply Rmin_r. lra. }
  assert (Rf : forall s u, risk L (active n []) s u = total (seq 0 n) f s u)
    by (intros; rewrite risk_eq; apply Alone).
  assert (Rg : forall j s u, risk L (active n [j]) s u = total (B j) (g j) s u)
    by (intros; rewrite risk_eq; apply joined_sum1).
  apply (three_experts_leave_no_room n n2 D CD f g) with (lo := lo) (t := t) (rad := rd) (C := Rmax 0 C); auto.
  - intros a Ha t' u v w Ht Du Dv. apply (Cf a Ha t' u v w Ht I I).
  - intros j a Hj Ha t' u v w Ht Du Dv. apply (Cg j a Hj Ha t' u v w Ht I I).
  - apply Rmax_l.
  - intros s u r As Du Hr. apply calibrated_same; auto. apply calibrated_nonneg. apply Cal; auto.
    apply four_alone.
  - intros j s u r Hj As Du Hr. apply calibrated_same; auto using joined_sum1, joined_in1.
    apply calibrated_nonneg. apply Cal; auto. apply four_joined. auto.
  - (* no positive gap: near-minimisers in common *)
    intros s eta As Pe.
    destruct (inf_exists D (total (seq 0 n) f s) (sum (seq 0 n) (fun a => s a * lo)) Din) as [m I0].
    { intros x _. apply sum_le. intros a Ha. apply Rmult_le_compat_l; auto.
      apply in_seq in Ha. pose proof (Pos s a As ltac:(lia)). lra. }
    assert (Ij : forall j, (j < 3)%nat -> exists mj, is_inf_over D (total (B j) (g j) s) mj).
    { intros j Hj. apply (inf_exists D _ (sum (B j) (fun a => s a * lo)) Din).
      intros x _. apply sum_le. intros a Ha. apply Rmult_le_compat_l; auto.
      pose proof (Pos s a As (Bin j a Hj Ha)). lra. }
    destruct (Ij 0%nat ltac:(lia)) as [m0 J0]. destruct (Ij 1%nat ltac:(lia)) as [m1 J1].
    destruct (Ij 2%nat ltac:(lia)) as [m2 J2].
    destruct (inf_approached D _ m (eta / 8) I0 ltac:(lra)) as [u [Du Hu]].
    destruct (inf_approached D _ m0 (eta / 8) J0 ltac:(lra)) as [u0 [Du0 Hu0]].
    destruct (inf_approached D _ m1 (eta / 8) J1 ltac:(lra)) as [u1 [Du1 Hu1]].
    destruct (inf_approached D _ m2 (eta / 8) J2 ltac:(lra)) as [u2 [Du2 Hu2]].
    assert (V : exists v, D v /\ total (seq 0 n) f s v + (total (B 0%nat) (g 0%nat) s v
      + (total (B 1%nat) (g 1%nat) s v + (total (B 2%nat) (g 2%nat) s v + 0)))
      < total (seq 0 n) f s u + (total (B 0%nat) (g 0%nat) s u0
      + (total (B 1%nat) (g 1%nat) s u1 + (total (B 2%nat) (g 2%nat) s u2 + 0))) + eta / 8).
    { apply NNPP. intros NV. apply None. exists s. split; [apply Close; auto|].
      split; [intros a Ha; pose proof (Pos s a As Ha); lra|].
      exists (eta / 8), u, (fun j => match j with 0%nat => u0 | 1%nat => u1 | _ => u2 end).
      split; [lra|]. split; auto. split; [intros [|[|j]]; auto|]. intros v Dv.
      cbn [sum]. rewrite !Rf, !Rg.
      match goal with |- ?x <= ?y => destruct (Rle_dec x y) as [|Q]; auto end.
      exfalso. apply NV. exists v. split; auto. lra. }
    destruct V as [v [Dv Hv]]. exists v. split; auto. intros x Dx.
    destruct I0 as [Li _]. destruct J0 as [L0 _]. destruct J1 as [L1 _]. destruct J2 as [L2 _].
    pose proof (Li v Dv). pose proof (L0 v Dv). pose proof (L1 v Dv). pose proof (L2 v Dv).
    pose proof (Li x Dx). pose proof (L0 x Dx). pose proof (L1 x Dx). pose proof (L2 x Dx).
    split; [lra|]. intros j Hj. destruct j as [|[|[|j]]]; [| | |lia]; fold (B 0%nat) (B 1%nat) (B 2%nat); lra.
  - intros S Ne Sub.
    destruct (cluster Nat.eq_dec (seq 0 (n + 3)) S M Ne) as [P HP].
    { intros k u j Hu Hj. apply in_seq in Hj. apply HM; [eapply Sub; eauto|lia]. }
    exists P. split.
    + apply Closed. intros eta Pe. destruct (HP eta 0%nat Pe) as [k [u [_ [Hu Cu]]]].
      exists u. split; [eapply Sub; eauto|]. intros c Hc. apply Cu. apply in_seq. lia.
    + intros eta K Pe. destruct (Near P eta Pe) as [d [Pd Hd]].
      destruct (HP d K Pd) as [k [u [Hk [Hu Cu]]]]. exists k, u. split; auto. split; auto.
      apply Hd. intros c Hc. apply Cu. apply in_seq. lia.
  - intros S M' Ne Sub.
    destruct (pair_cluster (seq 0 (n + 3)) S M Ne) as [X [Y HXY]].
    { intros k u v c Huv Hc. apply in_seq in Hc. destruct (Sub k u v Huv) as [Du [Dv _]].
      split; apply HM; auto; lia. }
    exists X, Y. split; [|split].
    + apply Closed. intros eta Pe. destruct (HXY eta 0%nat Pe) as [k [u [v [_ [Huv Cuv]]]]].
      exists u. split; [apply (Sub k u v Huv)|]. intros c Hc. apply Cuv. apply in_seq. lia.
    + apply Closed. intros eta Pe. destruct (HXY eta 0%nat Pe) as [k [u [v [_ [Huv Cuv]]]]].
      exists v. split; [apply (Sub k u v Huv)|]. intros c Hc. apply Cuv. apply in_seq. lia.
    + intros eta K Pe. destruct (Near X eta Pe) as [d [Pd Hd]]. destruct (Near Y eta Pe) as [d' [Pd' Hd']].
      destruct (HXY (Rmin d d') K ltac:(apply Rmin_glb_lt; auto)) as [k [u [v [Hk [Huv Cuv]]]]].
      exists k, u, v. split; auto. split; auto. intros a Ha. split.
      * apply Hd; auto. intros c Hc. eapply Rlt_le_trans; [apply Cuv; apply in_seq; lia|apply Rmin_l].
      * apply Hd'; auto. intros c Hc. eapply Rlt_le_trans; [apply Cuv; apply in_seq; lia|apply Rmin_r].
Qed.

(* The hypotheses can be met: the constrained hinge on a box. *)
Example the_constrained_hinge_meets_these_hypotheses :
  forall n, (2 <= n)%nat ->
  convex_set (box (n + 3) (INR (n + 1))) /\ compact_scores3 n (box (n + 3) (INR (n + 1))) /\
  forall A, In A (four_sets n) ->
  (forall a, In a A -> convex_on everything (centred cstnd_hinge A a)) /\
  (sees_active (centred cstnd_hinge) A /\ bounded_below (centred cstnd_hinge) A) /\
  forall s, close_to_tie3 n (1 / INR n) s ->
  linearly_calibrated (centred cstnd_hinge) A (box (n + 3) (INR (n + 1))) 1 s.
Proof.
  intros n n2. split; [apply box_convex|]. split; [split; [|split]|].
  - exists (spike 0 (INR (n + 1))). apply box_spike. lra.
  - exists (INR (n + 1)). intros u c Du Hc. apply Du. auto.
  - apply box_closed.
  - intros A HA.
    assert (Facts : NoDup A /\ (length A <= n + 1)%nat /\ forall c, In c A -> (c < n + 3)%nat).
    { unfold four_sets in HA.
      destruct HA as [<-|[<-|[<-|[<-|[]]]]]; (split; [apply active_nodup; repeat constructor; simpl; tauto|]);
      (split; [rewrite active_length; simpl; lia|]); intros c Hc; apply active_in in Hc; simpl in Hc;
      destruct Hc as [Hc|[j [Hj ->]]]; [lia|tauto|lia|destruct Hj as [<-|[]]; lia|lia
        |destruct Hj as [<-|[]]; lia|lia|destruct Hj as [<-|[]]; lia]. }
    destruct Facts as [NA [LA Lt]].
    split; [intros a; apply hinge_convex; auto|]. split; [split; [|apply hinge_differences]|].
    + intros a u v Ha H. destruct (hinge_differences A) as [Df _]. apply (Df a u v 0 Ha).
      intros c Hc. rewrite (H c Hc). ring.
    + intros s [Nr _]. apply hinge_linear; auto.
      * intros k _. apply box_spike. apply le_INR. auto.
      * intros c Hc. specialize (Nr c (Lt c Hc)). pose proof (Rle_abs (- (s c - 1 / INR n))) as Q.
        rewrite Rabs_Ropp in Q. lra.
Qed.
