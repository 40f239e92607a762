(* The impossibility theorem in full: n >= 2 classes, one expert who comes and goes, losses that are
   convex, bounded below and see score differences only. If the loss is linearly calibrated near the
   tie (with any constant, on both active sets, under any rule for ties), then arbitrarily close to
   the tie there are scores whose minimizability gap over the two active sets is positive. First for
   score vectors without a norm bound, then for any closed, bounded, convex set of them, infima over
   that set. Continuity is not assumed: convexity gives it. That the hypotheses can be met is shown in
   ImpossibilityHinge. Claim: no-convex-repair. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Classical.
From Deferlab Require Import Sums Definitions Impossibility ImpossibilityLimits
  ImpossibilityMain ImpossibilityRecession.
Import ListNotations.
Open Scope R_scope.

(* The loss on A sees differences of the scores of A only. *)
Definition sees_differences (L : Loss) (A : list nat) : Prop :=
  forall a u v k, In a A -> (forall c, In c A -> v c = u c + k) -> L A a v = L A a u.

(* Linear calibration with constant C at scores s: what the action on top of u loses is at most C
   times the excess risk of u over the infimum on D. *)
Definition linearly_calibrated (L : Loss) (A : list nat) (D : (nat -> R) -> Prop) (C : R) (s : nat -> R) : Prop :=
  forall u r m, D u -> is_argmax A u r -> is_inf_over D (risk L A s) m ->
  forall b, In b A -> s b - s r <= C * (risk L A s u - m).

(* Scores within rad of the tie: the classes are a law, the expert's score varies on its own. *)
Definition close_to_tie (n : nat) (rad : R) (s : nat -> R) : Prop :=
  (forall a, In a (active n [0%nat]) -> Rabs (s a - 1 / INR n) <= rad) /\ sum (seq 0 n) s = 1.

(* The sum of the two risks stays away from the sum of two separate ones. *)
Definition positive_gap (L : Loss) (A A' : list nat) (D : (nat -> R) -> Prop) (s : nat -> R) : Prop :=
  exists delta u u', 0 < delta /\ D u /\ D u' /\
  forall v, D v -> risk L A s u + risk L A' s u' + delta <= risk L A s v + risk L A' s v.

Definition bounded_below (L : Loss) (A : list nat) : Prop :=
  exists lo, forall a u, In a A -> lo <= L A a u.

Lemma continuous_all (A B : list nat) (phi : nat -> (nat -> R) -> R) :
  (forall a, In a B -> continuous_on A (phi a)) ->
  forall u eta, 0 < eta -> exists d, 0 < d /\
  forall v, (forall c, In c A -> Rabs (v c - u c) < d) ->
  forall a, In a B -> Rabs (phi a v - phi a u) < eta.
Proof.
  induction B as [|b B IH]; intros H u eta Pe.
  - exists 1. split; [lra|]. intros v _ a [].
  - destruct (H b (or_introl eq_refl) u eta Pe) as [d1 [P1 H1]].
    destruct (IH (fun a Ha => H a (or_intror Ha)) u eta Pe) as [d2 [P2 H2]].
    exists (Rmin d1 d2). split; [apply Rmin_glb_lt; auto|]. intros v Hv a [<-|Ha].
    + apply H1. intros c Hc. eapply Rlt_le_trans; [apply Hv; auto|apply Rmin_l].
    + apply H2; auto. intros c Hc. eapply Rlt_le_trans; [apply Hv; auto|apply Rmin_r].
Qed.

Lemma is_inf_ext {X} (D : X -> Prop) (F G : X -> R) m :
  (forall x, F x = G x) -> is_inf_over D F m -> is_inf_over D G m.
Proof.
  intros E [Lo Gr]. split.
  - intros x Dx. rewrite <- E. auto.
  - intros m' H. apply Gr. intros x Dx. rewrite E. auto.
Qed.

Section Statement.
Variables (n : nat) (L : Loss).
Hypothesis n2 : (2 <= n)%nat.
Let alone := active n [].
Let asked := active n [0%nat].
Let A0 := seq 0 n.
Let A1 := n :: seq 0 n.
Hypothesis convex : forall A a, In A [alone; asked] -> In a A -> convex_on everything (L A a).
Hypothesis differences : forall A, In A [alone; asked] -> sees_differences L A.
Hypothesis below : forall A, In A [alone; asked] -> bounded_below L A.

Lemma alone_sum F : sum alone F = sum A0 F.
Proof. unfold alone. rewrite sum_active. simpl. unfold A0. ring. Qed.

Lemma asked_sum F : sum asked F = sum A1 F.
Proof. unfold asked. rewrite sum_active. simpl. rewrite Nat.add_0_r. unfold A1. simpl. ring. Qed.

Lemma alone_in a : In a alone <-> In a A0.
Proof. unfold alone, A0. rewrite active_in, seq_in_0. split; [intros [H|[j [[] _]]]; auto|auto]. Qed.

Lemma asked_in a : In a asked <-> In a A1.
Proof.
  unfold asked, A1. rewrite active_in. simpl. rewrite in_seq. split.
  - intros [H|[j [[<-|[]] ->]]]; [right; lia|left; lia].
  - intros [<-|H]; [right; exists 0%nat; split; [auto|lia]|left; lia].
Qed.

Let f := L alone.
Let g := L asked.

Lemma alone_risk s u : risk L alone s u = total A0 f s u.
Proof. rewrite risk_eq. apply alone_sum. Qed.

Lemma asked_risk s u : risk L asked s u = total A1 g s u.
Proof. rewrite risk_eq. apply asked_sum. Qed.

Lemma Cf : forall a, In a A0 -> convex_on everything (f a).
Proof. intros a Ha. apply convex; [simpl; auto|apply alone_in; auto]. Qed.

Lemma Cg : forall a, In a A1 -> convex_on everything (g a).
Proof. intros a Ha. apply convex; [simpl; auto|apply asked_in; auto]. Qed.

Lemma fdiff : forall a u v k, In a A0 -> (forall c, In c A0 -> v c = u c + k) -> f a v = f a u.
Proof.
  intros a u v k Ha H. apply (differences alone ltac:(simpl; auto) a u v k); [apply alone_in; auto|].
  intros c Hc. apply H. apply alone_in. auto.
Qed.

Lemma gdiff : forall a u v k, In a A1 -> (forall c, In c A1 -> v c = u c + k) -> g a v = g a u.
Proof.
  intros a u v k Ha H. apply (differences asked ltac:(simpl; auto) a u v k); [apply asked_in; auto|].
  intros c Hc. apply H. apply asked_in. auto.
Qed.

Lemma common_bound : exists lo, (forall a u, In a A0 -> lo <= f a u) /\ (forall a u, In a A1 -> lo <= g a u).
Proof.
  destruct (below alone ltac:(simpl; auto)) as [l0 H0]. destruct (below asked ltac:(simpl; auto)) as [l1 H1].
  exists (Rmin l0 l1). split; intros a u Ha.
  - eapply Rle_trans; [apply Rmin_l|]. apply H0. apply alone_in. auto.
  - eapply Rle_trans; [apply Rmin_r|]. apply H1. apply asked_in. auto.
Qed.

Lemma nodup_0 : NoDup A0.
Proof. apply seq_NoDup. Qed.

Lemma nodup_1 : NoDup A1.
Proof. constructor; [rewrite in_seq; lia|apply seq_NoDup]. Qed.

Lemma f_continuous a : In a A0 -> continuous_on A0 (f a).
Proof. intros Ha. apply (phi_continuous A0 f nodup_0 Cf fdiff a Ha). Qed.

Lemma g_continuous a : In a A1 -> continuous_on A1 (g a).
Proof. intros Ha. apply (phi_continuous A1 g nodup_1 Cg gdiff a Ha). Qed.

Lemma calibrated_alone D C s u r :
  linearly_calibrated L alone D C s -> D u -> is_argmax A0 u r -> calibrated A0 f D C s u r.
Proof.
  intros Cal Du [Hr M] m Im b Hb. rewrite <- alone_risk. apply (Cal u r m); auto.
  - split; [apply alone_in; auto|]. intros c Hc. apply M. apply alone_in. auto.
  - eapply is_inf_ext; [|exact Im]. intros x. symmetry. apply alone_risk.
  - apply alone_in. auto.
Qed.

Lemma calibrated_asked D C s u r :
  linearly_calibrated L asked D C s -> D u -> is_argmax A1 u r -> calibrated A1 g D C s u r.
Proof.
  intros Cal Du [Hr M] m Im b Hb. rewrite <- asked_risk. apply (Cal u r m); auto.
  - split; [apply asked_in; auto|]. intros c Hc. apply M. apply asked_in. auto.
  - eapply is_inf_ext; [|exact Im]. intros x. symmetry. apply asked_risk.
  - apply asked_in. auto.
Qed.

Lemma calibrated_nonneg A D C s :
  linearly_calibrated L A D C s -> linearly_calibrated L A D (Rmax 0 C) s.
Proof.
  intros Cal u r m Du Hr Im b Hb. eapply Rle_trans; [apply (Cal u r m Du Hr Im b Hb)|].
  apply Rmult_le_compat_r; [|apply Rmax_r]. destruct Im as [Lo _]. specialize (Lo u Du). lra.
Qed.

(* A set of score vectors in which bounded losses leave a limit, up to shifts. *)
Variable D : (nat -> R) -> Prop.
Hypothesis CD : convex_set D.
Hypothesis Din : exists u, D u.
Hypothesis limit1 : forall (S : nat -> (nat -> R) -> Prop) (M : R),
  (forall k, exists u, S k u) ->
  (forall k u, S k u -> D u /\ forall a, In a A1 -> g a u <= M) ->
  exists P, D P /\ forall eta K, 0 < eta -> exists k u h, (K <= k)%nat /\ S k u /\
  forall c, In c A1 -> Rabs (u c + h - P c) < eta.
Hypothesis limit0 : forall (S : nat -> (nat -> R) -> (nat -> R) -> Prop) (M : R),
  (forall k, exists u v, S k u v) ->
  (forall k u v, S k u v -> D u /\ D v /\ forall a, In a A0 -> f a u <= M /\ f a v <= M) ->
  exists X Y, D X /\ D Y /\ forall eta K, 0 < eta -> exists k u v h h', (K <= k)%nat /\ S k u v /\
  forall c, In c A0 -> Rabs (u c + h - X c) < eta /\ Rabs (v c + h' - Y c) < eta.

Lemma gap_near_tie rad C :
  0 < rad ->
  (forall A s, In A [alone; asked] -> close_to_tie n rad s -> linearly_calibrated L A D C s) ->
  exists s, close_to_tie n rad s /\ (forall a, In a asked -> 0 < s a < 1) /\
            positive_gap L alone asked D s.
Proof.
  intros Pr Cal. apply NNPP. intros None.
  assert (Pn : 2 <= INR n) by (change 2 with (INR 2); apply le_INR; auto).
  set (t := 1 / INR n). assert (Et : INR n * t = 1) by (unfold t; field; lra).
  assert (Pt : 0 < t) by (unfold t; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  assert (Lt : t <= 1 / 2) by nra.
  set (rd := Rmin rad (t / 2)).
  assert (Prd : 0 < rd < t).
  { split; [apply Rmin_glb_lt; lra|]. apply Rle_lt_trans with (t / 2); [apply Rmin_r|lra]. }
  destruct common_bound as [lo [flo glo]].
  assert (Close : forall s, admissible n t rd s -> close_to_tie n rad s).
  { intros s [H1 H2]. split; [|rewrite H2; auto]. intros a Ha. apply asked_in in Ha.
    specialize (H1 a Ha). fold t. eapply Rle_trans; [exact H1|apply Rmin_l]. }
  assert (Pos : forall s a, admissible n t rd s -> In a A1 -> t / 2 <= s a <= t + t / 2).
  { intros s a [H1 _] Ha. specialize (H1 a Ha).
    pose proof (Rle_abs (s a - t)). pose proof (Rle_abs (- (s a - t))) as Q. rewrite Rabs_Ropp in Q.
    assert (rd <= t / 2) by apply Rmin_r. lra. }
  apply (calibration_and_zero_gap_exclude_each_other n n2 D CD f g) with (lo := lo) (t := t) (rad := rd)
    (C := Rmax 0 C); auto.
  - intros a Ha t' u v w Ht Du Dv. apply (Cf a Ha t' u v w Ht I I).
  - intros a Ha t' u v w Ht Du Dv. apply (Cg a Ha t' u v w Ht I I).
  - apply fdiff.
  - apply gdiff.
  - apply Rmax_l.
  - intros s u r As Du Hr. apply calibrated_alone; auto. apply calibrated_nonneg. apply Cal; auto.
    simpl. auto.
  - intros s u r As Du Hr. apply calibrated_asked; auto. apply calibrated_nonneg. apply Cal; auto.
    simpl. auto.
  - (* no positive gap: near-minimisers in common *)
    intros s eta As Pe. change (n :: seq 0 n) with A1. change (seq 0 n) with A0.
    destruct (inf_exists D (total A0 f s) (sum A0 (fun a => s a * lo)) Din) as [m0 I0].
    { intros x _. apply sum_le. intros a Ha. apply Rmult_le_compat_l; auto.
      pose proof (Pos s a As (or_intror Ha)). lra. }
    destruct (inf_exists D (total A1 g s) (sum A1 (fun a => s a * lo)) Din) as [m1 I1].
    { intros x _. apply sum_le. intros a Ha. apply Rmult_le_compat_l; auto.
      pose proof (Pos s a As Ha). lra. }
    destruct (inf_approached D (total A0 f s) m0 (eta / 4) I0 ltac:(lra)) as [u0 [D0 H0]].
    destruct (inf_approached D (total A1 g s) m1 (eta / 4) I1 ltac:(lra)) as [u1 [D1 H1]].
    assert (V : exists v, D v /\ total A0 f s v + total A1 g s v
      < total A0 f s u0 + total A1 g s u1 + eta / 4).
    { apply NNPP. intros NV. apply None. exists s. split; [apply Close; auto|].
      split; [intros a Ha; pose proof (Pos s a As (proj1 (asked_in a) Ha)); lra|].
      exists (eta / 4), u0, u1. split; [lra|]. split; auto. split; auto. intros v Dv.
      rewrite !alone_risk, !asked_risk.
      destruct (Rle_dec (total A0 f s u0 + total A1 g s u1 + eta / 4)
        (total A0 f s v + total A1 g s v)) as [|Q]; auto. exfalso. apply NV. exists v.
      split; auto. lra. }
    destruct V as [v [Dv Hv]]. exists v. split; auto. intros x Dx.
    destruct I0 as [L0 _]. destruct I1 as [L1 _].
    pose proof (L0 v Dv). pose proof (L1 v Dv). pose proof (L0 x Dx). pose proof (L1 x Dx).
    split; lra.
  - (* limits of losses from limits of scores *)
    intros S M Ne Bd. change (n :: seq 0 n) with A1 in Bd |- *. change (seq 0 n) with A0 in Bd |- *.
    destruct (limit1 S M Ne Bd) as [P [DP Cl]]. exists P. split; auto.
    intros eta K Pe.
    destruct (continuous_all A0 A0 f f_continuous P eta Pe) as [d0 [P0 H0]].
    destruct (continuous_all A1 A1 g g_continuous P eta Pe) as [d1 [P1 H1]].
    destruct (Cl (Rmin d0 d1) K ltac:(apply Rmin_glb_lt; auto)) as [k [u [h [Hk [Hu Cu]]]]].
    exists k, u. split; auto. split; auto. split.
    + intros a Ha. rewrite <- (fdiff a u (fun c => u c + h) h Ha) by auto.
      apply (H0 (fun c => u c + h)); auto.
      intros c Hc. eapply Rlt_le_trans; [apply Cu; right; auto|apply Rmin_l].
    + intros a Ha. rewrite <- (gdiff a u (fun c => u c + h) h Ha) by auto.
      apply (H1 (fun c => u c + h)); auto.
      intros c Hc. eapply Rlt_le_trans; [apply Cu; auto|apply Rmin_r].
  - intros S M Ne Bd. change (seq 0 n) with A0 in Bd |- *. destruct (limit0 S M Ne Bd) as [X [Y [DX [DY Cl]]]].
    exists X, Y. split; auto. split; auto. intros eta K Pe.
    destruct (continuous_all A0 A0 f f_continuous X eta Pe) as [d0 [P0 H0]].
    destruct (continuous_all A0 A0 f f_continuous Y eta Pe) as [d1 [P1 H1]].
    destruct (Cl (Rmin d0 d1) K ltac:(apply Rmin_glb_lt; auto)) as [k [u [v [h [h' [Hk [Hu Cu]]]]]]].
    exists k, u, v. split; auto. split; auto. intros a Ha.
    rewrite <- (fdiff a u (fun c => u c + h) h Ha) by auto.
    rewrite <- (fdiff a v (fun c => v c + h') h' Ha) by auto. split.
    + apply (H0 (fun c => u c + h)); auto.
      intros c Hc. eapply Rlt_le_trans; [apply Cu; auto|apply Rmin_l].
    + apply (H1 (fun c => v c + h')); auto.
      intros c Hc. eapply Rlt_le_trans; [apply Cu; auto|apply Rmin_r].
Qed.
End Statement.

(* Pairs of vectors as vectors, for the cluster point. *)
Definition pair_index := (bool * nat)%type.
Lemma pair_eq_dec : forall x y : pair_index, {x = y} + {x <> y}.
Proof. repeat decide equality. Qed.

Lemma pair_cluster (A : list nat) (S : nat -> (nat -> R) -> (nat -> R) -> Prop) (B : R) :
  (forall k, exists u v, S k u v) ->
  (forall k u v c, S k u v -> In c A -> Rabs (u c) <= B /\ Rabs (v c) <= B) ->
  exists X Y, forall eta K, 0 < eta -> exists k u v, (K <= k)%nat /\ S k u v /\
  forall c, In c A -> Rabs (u c - X c) < eta /\ Rabs (v c - Y c) < eta.
Proof.
  intros Ne Bd.
  destruct (cluster pair_eq_dec (map (pair true) A ++ map (pair false) A)
    (fun k (z : pair_index -> R) => S k (fun c => z (true, c)) (fun c => z (false, c))) B) as [P HP].
  - intros k. destruct (Ne k) as [u [v Huv]].
    exists (fun p : pair_index => if fst p then u (snd p) else v (snd p)). exact Huv.
  - intros k z j Hz Hj. apply in_app_or in Hj.
    destruct Hj as [Hj|Hj]; apply in_map_iff in Hj; destruct Hj as [c [<- Hc]];
    destruct (Bd k _ _ c Hz Hc); auto.
  - exists (fun c => P (true, c)), (fun c => P (false, c)). intros eta K Pe.
    destruct (HP eta K Pe) as [k [z [Hk [Hz Cz]]]].
    exists k, (fun c => z (true, c)), (fun c => z (false, c)). split; auto. split; auto.
    intros c Hc. split; apply Cz; apply in_or_app; [left|right]; apply in_map; auto.
Qed.

(* Scores at which one action is the only best one. *)
Lemma only_best n rad b :
  (2 <= n)%nat -> 0 < rad -> In b (n :: seq 0 n) ->
  exists s, close_to_tie n rad s /\ (forall r, In r (n :: seq 0 n) -> r <> b -> rad <= s b - s r) /\
  forall a, Rabs (s a - 1 / INR n) <= rad.
Proof.
  intros n2 Pr Hb. set (t := 1 / INR n).
  assert (Pn : 2 <= INR n) by (change 2 with (INR 2); apply le_INR; auto).
  assert (Et : INR n * t = 1) by (unfold t; field; lra).
  assert (Bd : forall x, x = t \/ x = t + rad \/ x = t - rad -> Rabs (x - t) <= rad).
  { intros x [->|[->| ->]].
    - rewrite Rminus_eq_0, Rabs_R0. lra.
    - replace (t + rad - t) with rad by ring. rewrite Rabs_right; lra.
    - replace (t - rad - t) with (- rad) by ring. rewrite Rabs_Ropp, Rabs_right; lra. }
  destruct Hb as [<-|Hb].
  - set (s := fun a => if Nat.eqb a n then t + rad else t).
    assert (Bs : forall a, Rabs (s a - t) <= rad).
    { intros a. unfold s. destruct (Nat.eqb a n); apply Bd; auto. }
    exists s. split; [split|split; auto].
    + intros a _. apply Bs.
    + rewrite (sum_ext (seq 0 n) s (fun _ => t)).
      * rewrite sum_const, seq_length. auto.
      * intros a Ha. apply in_seq in Ha. unfold s. destruct (Nat.eqb_spec a n); [lia|auto].
    + intros r _ Nr. unfold s. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec r n); [congruence|lra].
  - assert (Q : exists c, In c (seq 0 n) /\ b <> c).
    { destruct (Nat.eq_dec b 0) as [->|Nb]; [exists 1%nat|exists 0%nat]; rewrite in_seq; split; lia. }
    destruct Q as [c [Hc Nbc]].
    assert (Bs : forall a, Rabs (tilt t b c rad a - t) <= rad).
    { intros a. unfold tilt. destruct (Nat.eqb a b); [apply Bd; auto|].
      destruct (Nat.eqb a c); apply Bd; auto. }
    exists (tilt t b c rad). split; [split|split; auto].
    + intros a _. apply Bs.
    + pose proof (tilt_total (seq 0 n) (fun _ (_ : nat -> R) => 1) t b c rad (fun _ => 0)
        (seq_NoDup n 0) Hb Hc Nbc) as T. unfold total in T.
      rewrite (sum_ext (seq 0 n) (fun a => tilt t b c rad a * 1) (tilt t b c rad)) in T by (intros; ring).
      rewrite T, sum_const, seq_length. transitivity (INR n * t); [ring|auto].
    + intros r _ Nr. unfold tilt. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec r b); [congruence|].
      destruct (Nat.eqb r c); lra.
Qed.

(* claim: no-convex-repair *)
Theorem no_convex_loss_on_differences_is_calibrated_without_gap :
  forall (n : nat) (L : Loss) (rad C : R),
  (2 <= n)%nat -> 0 < rad ->
  (forall A a, In A [active n []; active n [0%nat]] -> In a A -> convex_on everything (L A a)) ->
  (forall A, In A [active n []; active n [0%nat]] -> sees_differences L A /\ bounded_below L A) ->
  (forall A s, In A [active n []; active n [0%nat]] -> close_to_tie n rad s ->
     linearly_calibrated L A everything C s) ->
  exists s, close_to_tie n rad s /\ (forall a, In a (active n [0%nat]) -> 0 < s a < 1) /\
            positive_gap L (active n []) (active n [0%nat]) everything s.
Proof.
  intros n L rad C n2 Pr Cv Db Cal.
  assert (Df : forall A, In A [active n []; active n [0%nat]] -> sees_differences L A)
    by (intros A HA; apply (Db A HA)).
  assert (Bb : forall A, In A [active n []; active n [0%nat]] -> bounded_below L A)
    by (intros A HA; apply (Db A HA)).
  assert (Pn : 2 <= INR n) by (change 2 with (INR 2); apply le_INR; auto).
  set (t := 1 / INR n).
  assert (Pt : 0 < t) by (unfold t; apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
  set (rd := Rmin rad t). assert (Prd : 0 < rd) by (apply Rmin_glb_lt; auto).
  assert (Rd1 : rd <= rad) by apply Rmin_l. assert (Rd2 : rd <= t) by apply Rmin_r.
  assert (Closer : forall s, close_to_tie n rd s -> close_to_tie n rad s).
  { intros s [H1 H2]. split; auto. intros a Ha. eapply Rle_trans; [apply H1; auto|auto]. }
  destruct (common_bound n L n2 Bb) as [lo [flo glo]].
  assert (Pos : forall (s : nat -> R), (forall a, Rabs (s a - 1 / INR n) <= rd) -> forall a, 0 <= s a).
  { intros s H a. specialize (H a). fold t in H. pose proof (Rle_abs (- (s a - t))) as Q.
    rewrite Rabs_Ropp in Q. lra. }
  apply gap_near_tie with C; auto.
  - intros t' u v w _ _ _ _. exact I.
  - exists (fun _ => 0). exact I.
  - intros S M Ne Bd.
    destruct (bounded_up_to_shift (n :: seq 0 n) (L (active n [0%nat])) n (nodup_1 n n2)
      (or_introl eq_refl) (Cg n L n2 Cv) (gdiff n L n2 Df) lo glo (Rmax 0 C) (Rmax_l 0 C)) with (M := M) as [B HB].
    { intros b Hb. destruct (only_best n rd b n2 Prd Hb) as [s [Cs [Bs Ns]]].
      exists s, rd. split; auto. split; [intros; apply Pos; auto|]. split; auto.
      intros u r Hr. apply calibrated_asked; [auto| |exact I|auto].
      apply calibrated_nonneg. apply Cal; [simpl; auto|auto]. }
    destruct (cluster Nat.eq_dec (n :: seq 0 n)
      (fun k w => exists u, S k u /\ forall c, w c = u c + - u n) B) as [P HP].
    { intros k. destruct (Ne k) as [u Hu]. exists (fun c => u c + - u n), u. auto. }
    { intros k w j [u [Hu Ew]] Hj. rewrite Ew. apply HB; auto. intros a Ha. apply (Bd k u Hu). auto. }
    exists P. split; [exact I|]. intros eta K Pe.
    destruct (HP eta K Pe) as [k [w [Hk [[u [Hu Ew]] Cw]]]]. exists k, u, (- u n).
    split; auto. split; auto. intros c Hc. rewrite <- Ew. auto.
  - intros S M Ne Bd.
    assert (H0 : In 0%nat (seq 0 n)) by (apply in_seq; lia).
    destruct (bounded_up_to_shift (seq 0 n) (L (active n [])) 0%nat (nodup_0 n)
      H0 (Cf n L Cv) (fdiff n L Df) lo flo (Rmax 0 C) (Rmax_l 0 C)) with (M := M) as [B HB].
    { intros b Hb. destruct (only_best n rd b n2 Prd (or_intror Hb)) as [s [Cs [Bs Ns]]].
      exists s, rd. split; auto. split; [intros; apply Pos; auto|].
      split; [intros r Hr; apply Bs; right; auto|].
      intros u r Hr. apply calibrated_alone; [|exact I|auto].
      apply calibrated_nonneg. apply Cal; [simpl; auto|auto]. }
    destruct (pair_cluster (seq 0 n)
      (fun k w z => exists u v, S k u v /\ (forall c, w c = u c + - u 0%nat) /\
                                forall c, z c = v c + - v 0%nat) B) as [X [Y HXY]].
    { intros k. destruct (Ne k) as [u [v Huv]].
      exists (fun c => u c + - u 0%nat), (fun c => v c + - v 0%nat), u, v. auto. }
    { intros k w z c [u [v [Huv [Ew Ez]]]] Hc. destruct (Bd k u v Huv) as [_ [_ Bf]].
      rewrite Ew, Ez. split; apply HB; auto; intros a Ha; apply (Bf a Ha). }
    exists X, Y. split; [exact I|]. split; [exact I|]. intros eta K Pe.
    destruct (HXY eta K Pe) as [k [w [z [Hk [[u [v [Huv [Ew Ez]]]] Cwz]]]]].
    exists k, u, v, (- u 0%nat), (- v 0%nat). split; auto. split; auto.
    intros c Hc. rewrite <- Ew, <- Ez. auto.
Qed.

(* Scores in a set that is convex, bounded on the actions and closed under limits of their scores,
   such as a ball. *)
Definition compact_scores (n : nat) (D : (nat -> R) -> Prop) : Prop :=
  (exists u, D u) /\ (exists B, forall u c, D u -> In c (active n [0%nat]) -> Rabs (u c) <= B) /\
  forall P, (forall eta, 0 < eta -> exists u, D u /\
               forall c, In c (active n [0%nat]) -> Rabs (u c - P c) < eta) -> D P.

(* claim: no-convex-repair *)
Theorem no_convex_loss_on_differences_is_calibrated_without_gap_on_a_compact_set :
  forall (n : nat) (L : Loss) (D : (nat -> R) -> Prop) (rad C : R),
  (2 <= n)%nat -> 0 < rad -> convex_set D -> compact_scores n D ->
  (forall A a, In A [active n []; active n [0%nat]] -> In a A -> convex_on everything (L A a)) ->
  (forall A, In A [active n []; active n [0%nat]] -> sees_differences L A /\ bounded_below L A) ->
  (forall A s, In A [active n []; active n [0%nat]] -> close_to_tie n rad s ->
     linearly_calibrated L A D C s) ->
  exists s, close_to_tie n rad s /\ (forall a, In a (active n [0%nat]) -> 0 < s a < 1) /\
            positive_gap L (active n []) (active n [0%nat]) D s.
Proof.
  intros n L D rad C n2 Pr CD [Din [[B HB] Closed]] Cv Db Cal.
  assert (Df : forall A, In A [active n []; active n [0%nat]] -> sees_differences L A)
    by (intros A HA; apply (Db A HA)).
  assert (Bb : forall A, In A [active n []; active n [0%nat]] -> bounded_below L A)
    by (intros A HA; apply (Db A HA)).
  apply gap_near_tie with C; auto.
  - intros S M Ne Bd.
    destruct (cluster Nat.eq_dec (n :: seq 0 n) S B) as [P HP]; auto.
    { intros k u j Hu Hj. apply HB; [apply (Bd k u Hu)|apply asked_in; auto]. }
    exists P. split.
    + apply Closed. intros eta Pe. destruct (HP eta 0%nat Pe) as [k [u [_ [Hu Cu]]]].
      exists u. split; [apply (Bd k u Hu)|]. intros c Hc. apply Cu. apply asked_in; auto.
    + intros eta K Pe. destruct (HP eta K Pe) as [k [u [Hk [Hu Cu]]]]. exists k, u, 0.
      split; auto. split; auto. intros c Hc. rewrite Rplus_0_r. auto.
  - intros S M Ne Bd.
    (* Cluster on all actions, so that the limits stay in D. *)
    destruct (pair_cluster (n :: seq 0 n) S B) as [X [Y HXY]]; auto.
    { intros k u v c Huv Hc. destruct (Bd k u v Huv) as [Du [Dv _]].
      split; apply HB; auto; apply asked_in; auto. }
    exists X, Y. split; [|split].
    + apply Closed. intros eta Pe. destruct (HXY eta 0%nat Pe) as [k [u [v [_ [Huv Cuv]]]]].
      exists u. split; [apply (Bd k u v Huv)|]. intros c Hc. apply Cuv. apply asked_in; auto.
    + apply Closed. intros eta Pe. destruct (HXY eta 0%nat Pe) as [k [u [v [_ [Huv Cuv]]]]].
      exists v. split; [apply (Bd k u v Huv)|]. intros c Hc. apply Cuv. apply asked_in; auto.
    + intros eta K Pe. destruct (HXY eta K Pe) as [k [u [v [Hk [Huv Cuv]]]]].
      exists k, u, v, 0, 0. split; auto. split; auto. intros c Hc. rewrite !Rplus_0_r.
      apply Cuv. right. auto.
Qed.
