(* What Cor 5.2 does and does not give in the limit (end of Sec. 5, start of Sec. 6).
   - Bayes consistency: vanishing average surrogate regret and exploration give vanishing average
     true regret if Gamma tends to zero at zero and eps = 0.
   - Concave, non-decreasing and Gamma(0) = 0 do not suffice: they allow a jump at zero, and a loss
     that is calibrated with it has bounded surrogate regret and true regret T.
   - The exploration term cannot be dropped: a stream with zero surrogate regret on which the true
     regret is half the sum of the exploration rates, with the schedule of Thm 6.3.
   Claims: bayes-consistency-limit, bayes-consistency-needs-continuity,
   regret-without-exploration-term. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Rounds Transfer.
Import ListNotations.
Open Scope R_scope.

(* Eventually at most every positive number. *)
Definition eventually_small (x : nat -> R) : Prop :=
  forall eps, 0 < eps -> exists k0, forall k, (k0 <= k)%nat -> x k <= eps.

Definition vanishes_at_zero (Gamma : R -> R) : Prop :=
  forall eps, 0 < eps -> exists d, 0 < d /\ forall x, 0 <= x <= d -> Gamma x <= eps.

(* claim: bayes-consistency-limit *)
Theorem vanishing_surrogate_regret_gives_vanishing_true_regret :
  forall (P : nat -> Setting) (i : nat -> Infima) (Gamma : R -> R) (N : nat),
  (forall k, well_formed (P k)) -> (forall k, are_infima (P k) (i k)) ->
  (forall k t, In t (rounds (P k)) -> (length (act (P k) t) <= N)%nat) ->
  concave_on_pos Gamma -> vanishes_at_zero Gamma ->
  (forall k, pointwise_bound (P k) (i k) Gamma 0) -> (forall k, surrogate_gap (P k) (i k) = 0) ->
  eventually_small (fun k => surrogate_regret (P k) (i k) / INR (horizon (P k))) ->
  eventually_small (fun k => sum (rounds (P k)) (explore (P k)) / INR (horizon (P k))) ->
  eventually_small (fun k => true_regret (P k) (i k) / INR (horizon (P k))).
Proof.
  intros P i Gamma N W I Sz Cv Van PB Z Rs Ex eps Pe.
  set (M := INR N + 1). assert (PM : 0 < M) by (unfold M; pose proof (pos_INR N); lra).
  destruct (Van (eps / (2 * M))) as [d [Pd Hd]].
  { apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. lra. }
  destruct (Rs d Pd) as [k1 H1]. destruct (Ex (eps / 2) ltac:(lra)) as [k2 H2].
  exists (max k1 k2). intros k Hk.
  specialize (H1 k ltac:(lia)). specialize (H2 k ltac:(lia)). cbv beta in H1, H2.
  pose proof (transfer_without_gap (P k) (i k) Gamma 0 (W k) (I k) Cv (PB k) (Z k)) as T.
  assert (HT : 0 < INR (horizon (P k))) by (apply lt_0_INR; destruct (W k) as [? _]; lia).
  set (Th := INR (horizon (P k))) in *.
  assert (Len : sum (rounds (P k)) (fun _ => 1) = Th).
  { rewrite sum_const. unfold rounds. rewrite seq_length. unfold Th. ring. }
  assert (M1 : 1 <= mean_mass (P k)).
  { unfold mean_mass. fold Th. apply Rmult_le_reg_r with Th; auto.
    replace (sum (rounds (P k)) (mass_at (P k)) / Th * Th) with (sum (rounds (P k)) (mass_at (P k)))
      by (field; lra).
    rewrite <- Len, <- sum_scal. apply sum_le. intros t Ht.
    pose proof (mass_pos (P k) (W k) t Ht). lra. }
  assert (M2 : mean_mass (P k) <= M).
  { unfold mean_mass. fold Th. apply Rmult_le_reg_r with Th; auto.
    replace (sum (rounds (P k)) (mass_at (P k)) / Th * Th) with (sum (rounds (P k)) (mass_at (P k)))
      by (field; lra).
    rewrite <- Len, <- sum_scal. apply sum_le. intros t Ht.
    destruct (round_ok (P k) (W k) t Ht) as [NE [LW UC]].
    pose proof (mass_at_most_size (classes (P k)) (experts (P k) t) (law (P k) t) (cost (P k) t)) as Q.
    unfold mass_at. rewrite mass_eq. unfold act, s_at.
    assert (sum (active (classes (P k)) (experts (P k) t))
              (score (classes (P k)) (law (P k) t) (cost (P k) t)) <= INR (length (act (P k) t)))
      by (apply Q; auto).
    pose proof (le_INR _ _ (Sz k t Ht)). unfold M. lra. }
  (* The surrogate regret is not negative, because the gap is zero. *)
  assert (RP : 0 <= surrogate_regret (P k) (i k)).
  { specialize (Z k). unfold surrogate_gap in Z. unfold surrogate_regret.
    assert (sum (rounds (P k)) (sur_inf (i k)) <= sum (rounds (P k)) (fun t => sur_risk (P k) (played (P k) t) t)).
    { apply sum_le. intros t Ht. destruct (I k) as [Pt _]. destruct (Pt t Ht) as [_ [_ [_ [Lo _]]]].
      apply Lo. destruct (W k) as [_ [Rd _]]. destruct (Rd t Ht) as [_ [_ [_ [_ Mb]]]]. auto. }
    lra. }
  set (x := surrogate_regret (P k) (i k) / (Th * mean_mass (P k))) in *.
  assert (X : 0 <= x <= d).
  { assert (E : x * mean_mass (P k) = surrogate_regret (P k) (i k) / Th) by (unfold x; field; lra).
    assert (0 <= x).
    { unfold x. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. nra. }
    split; auto. nra. }
  specialize (Hd x X).
  assert (mean_mass (P k) * Gamma x <= eps / 2); [|lra].
  destruct (Rle_dec (Gamma x) 0) as [Ng|Pg]; [nra|].
  apply Rle_trans with (M * Gamma x); [nra|].
  assert (M * (eps / (2 * M)) = eps / 2) by (field; lra). nra.
Qed.

(* Two classes, nobody to ask, label 0 for sure; score vectors (d, -d). *)
Definition sure_setting (T : nat) (phi : Loss) (inside : R -> Prop) (play : nat -> R)
    (gamma : nat -> R) : Setting := {|
  classes := 2; horizon := T;
  experts := fun _ => [];
  law := fun _ y => if Nat.eqb y 0 then 1 else 0;
  cost := fun _ _ _ => 0;
  Hyp := R;
  member := inside;
  score_of := fun d _ a => if Nat.eqb a 0 then d else - d;
  pick := fun d _ => if Rle_dec 0 d then 0%nat else 1%nat;
  loss := phi;
  played := play;
  explore := gamma |}.

Section Sure.
Variables (T : nat) (phi : Loss) (inside : R -> Prop) (play gamma : nat -> R).
Let P := sure_setting T phi inside play gamma.
Let vec (d : R) : nat -> R := fun a => if Nat.eqb a 0 then d else - d.

Lemma sure_well_formed :
  (1 <= T)%nat -> (forall t, 0 <= gamma t <= 1) -> (forall t, inside (play t)) -> well_formed P.
Proof.
  intros HT Hg Hp. split; [exact HT|]. split.
  - intros t _. split; [constructor|]. split.
    { split; [intros y _; simpl; destruct (Nat.eqb y 0); lra|]. simpl. lra. }
    split; [intros j y []|]. split; [apply Hg|apply Hp].
  - intros d t _ _. simpl. split.
    + destruct (Rle_dec 0 d); simpl; auto.
    + intros b [<-|[<-|[]]]; destruct (Rle_dec 0 d); simpl; lra.
Qed.

Lemma sure_def (d : R) (t : nat) : def_risk P d t = if Rle_dec 0 d then 0 else 1.
Proof.
  unfold def_risk. rewrite true_risk_eq. simpl. rewrite !true_loss_eq.
  destruct (Rle_dec 0 d); simpl; lra.
Qed.

Lemma sure_sbar t a : sbar P t a = (if Nat.eqb a 0 then 1 else if Nat.eqb a 1 then 0 else sbar P t a).
Proof.
  destruct a as [|[|a]]; auto; unfold sbar; rewrite score_bar_eq; unfold act, s_at; simpl;
  rewrite !score_eq; simpl; field.
Qed.

Lemma sure_zo (d : R) (t : nat) : zo_risk P d t = if Rle_dec 0 d then 0 else 1.
Proof.
  unfold zo_risk. change (act P t) with [0; 1]%nat. cbn [sum].
  rewrite (sure_sbar t 0), (sure_sbar t 1). simpl. destruct (Rle_dec 0 d); simpl; lra.
Qed.

Lemma sure_mul (d : R) (t : nat) : mul_risk P d t = phi [0; 1]%nat 0%nat (vec d).
Proof.
  unfold mul_risk. rewrite risk_eq. change (act P t) with [0; 1]%nat. cbn [sum].
  rewrite (sure_sbar t 0), (sure_sbar t 1). simpl. unfold vec. ring.
Qed.

Lemma sure_sur (d : R) (t : nat) : sur_risk P d t = phi [0; 1]%nat 0%nat (vec d).
Proof.
  unfold sur_risk. change (classes P) with 2%nat. simpl.
  rewrite !phi_def_eq, !deferral_eq, !varying_eq. simpl. unfold vec.
  change (active 2 []) with [0; 1]%nat. ring.
Qed.

Lemma sure_learner t :
  learner_risk P t = (if Rle_dec 0 (play t) then 0 else 1 - gamma t) + gamma t / 2.
Proof.
  unfold learner_risk. rewrite true_risk_mix_eq. simpl. rewrite !true_loss_mix_eq.
  change (act P t) with [0; 1]%nat. cbn [sum]. rewrite !true_loss_eq. unfold q_at.
  change (act P t) with [0; 1]%nat. rewrite !mix_eq.
  change (pick P (played P t) t) with (if Rle_dec 0 (play t) then 0%nat else 1%nat).
  destruct (Rle_dec 0 (play t)); simpl; field.
Qed.

(* The infima are zero, if some vector with d >= 0 is there and the loss approaches zero. *)
Definition sure_infima : Infima := {|
  zo_inf := fun _ => 0; mul_inf := fun _ => 0; def_inf := fun _ => 0; sur_inf := fun _ => 0;
  def_best := 0; sur_best := 0 |}.

Lemma sure_are_infima :
  (exists d, inside d /\ 0 <= d) ->
  (forall d, inside d -> 0 <= phi [0; 1]%nat 0%nat (vec d)) ->
  (exists d, inside d /\ phi [0; 1]%nat 0%nat (vec d) = 0) ->
  are_infima P sure_infima.
Proof.
  intros [d0 [I0 P0]] Nn [d1 [I1 E1]].
  assert (R01 : forall f : R -> R, (forall d, inside d -> 0 <= f d) ->
    (exists d, inside d /\ f d = 0) -> is_inf_over inside f 0).
  { intros f Hf [d [Id Ed]]. apply min_is_inf. split; eauto. }
  assert (D0 : forall d t, 0 <= def_risk P d t)
    by (intros d t; rewrite sure_def; destruct (Rle_dec 0 d); lra).
  assert (D1 : forall t, def_risk P d0 t = 0)
    by (intros t; rewrite sure_def; destruct (Rle_dec 0 d0); lra).
  split; [|split].
  - intros t _. simpl. split; [|split; [|split]].
    + apply R01; [intros d _; rewrite sure_zo; destruct (Rle_dec 0 d); lra|].
      exists d0. split; auto. rewrite sure_zo. destruct (Rle_dec 0 d0); lra.
    + apply R01; [intros d Hd; rewrite sure_mul; auto|]. exists d1. rewrite sure_mul. auto.
    + apply R01; [auto|]. exists d0. auto.
    + apply R01; [intros d Hd; rewrite sure_sur; auto|]. exists d1. rewrite sure_sur. auto.
  - apply R01; [intros d _; apply sum_nonneg; auto|]. exists d0. split; auto. apply sum_zero. auto.
  - apply R01.
    + intros d Hd. apply sum_nonneg. intros t _. rewrite sure_sur. auto.
    + exists d1. split; auto. apply sum_zero. intros t _. rewrite sure_sur. auto.
Qed.
End Sure.

Lemma gamma_general_range t : (1 <= t)%nat -> 0 < gamma_general t <= 1.
Proof.
  intros H. unfold gamma_general. split.
  - apply Rmin_glb_lt; [lra|apply exp_pos].
  - apply Rle_trans with (1 / 2); [apply Rmin_l|lra].
Qed.

(* claim: regret-without-exploration-term *)
Theorem true_regret_is_not_of_the_order_of_the_calibrated_surrogate_regret :
  forall T, (1 <= T)%nat ->
  exists (P : Setting) (i : Infima),
  horizon P = T /\ loss P = cstnd_hinge /\ (forall t, explore P t = gamma_general t) /\
  well_formed P /\ are_infima P i /\ pointwise_bound P i (fun x => x) 0 /\
  surrogate_gap P i = 0 /\ surrogate_regret P i = 0 /\
  true_regret P i = sum (seq 1 T) gamma_general / 2 /\
  forall (Gamma : R -> R) (C : R), Gamma 0 = 0 ->
  C * (INR T * Gamma (surrogate_regret P i / INR T)) < true_regret P i.
Proof.
  intros T HT.
  set (inside := fun d : R => -1 <= d <= 1).
  set (P := sure_setting T cstnd_hinge inside (fun _ => 1) gamma_general).
  assert (V : forall d, cstnd_hinge [0; 1]%nat 0%nat (fun a => if Nat.eqb a 0 then d else - d) = Rmax 0 (1 - d)).
  { intros d. rewrite cstnd_hinge_eq. unfold others. simpl.
    replace (1 + - d) with (1 - d) by ring. ring. }
  assert (G : forall t, 0 <= gamma_general t <= 1).
  { intros t. unfold gamma_general. split.
    - apply Rmin_glb; [lra|left; apply exp_pos].
    - apply Rle_trans with (1 / 2); [apply Rmin_l|lra]. }
  exists P, sure_infima.
  assert (SR : surrogate_regret P sure_infima = 0).
  { unfold surrogate_regret. rewrite sum_zero; [simpl; ring|]. intros t _.
    unfold P. rewrite sure_sur. simpl. rewrite V. apply Rmax_left. lra. }
  assert (TR : true_regret P sure_infima = sum (seq 1 T) gamma_general / 2).
  { unfold true_regret. change (rounds P) with (seq 1 T).
    rewrite (sum_ext (seq 1 T) (learner_risk P) (fun t => gamma_general t / 2)).
    - rewrite sum_div. simpl. ring.
    - intros t _. unfold P. rewrite sure_learner. destruct (Rle_dec 0 1); lra. }
  assert (Pos : 0 < sum (seq 1 T) gamma_general).
  { apply sum_pos; [intros; apply G|]. exists 1%nat. split; [apply in_seq; lia|].
    apply gamma_general_range. lia. }
  split; [reflexivity|]. split; [reflexivity|]. split; [reflexivity|].
  split; [apply sure_well_formed; auto; intros; unfold inside; lra|].
  split; [|split; [|split; [|split; [auto|split; [auto|]]]]].
  - apply sure_are_infima.
    + exists 1. unfold inside. split; lra.
    + intros d _. rewrite V. apply Rmax_l.
    + exists 1. split; [unfold inside; lra|]. rewrite V. apply Rmax_left. lra.
  - intros d t Hd Ht. unfold P. rewrite sure_zo, sure_mul. simpl. rewrite V.
    pose proof (Rmax_l 0 (1 - d)). pose proof (Rmax_r 0 (1 - d)).
    destruct (Rle_dec 0 d); lra.
  - unfold surrogate_gap. rewrite sum_zero; [simpl; ring|]. auto.
  - intros Gamma C G0. rewrite SR, TR. unfold Rdiv at 1. rewrite Rmult_0_l, G0. lra.
Qed.

(* A calibration function with a jump at zero is concave, does not decrease and is zero at zero. *)
Definition jump (x : R) : R := if Rle_dec x 0 then 0 else 1.

Lemma jump_concave : concave_on_pos jump.
Proof.
  intros x y t Hx Hy Ht. unfold jump.
  destruct (Rle_dec x 0); destruct (Rle_dec y 0); destruct (Rle_dec (t * x + (1 - t) * y) 0); try lra.
  - assert (t = 1) by nra. lra.
  - assert (t = 0) by nra. lra.
  - exfalso. nra.
Qed.

Lemma jump_monotone x y : x <= y -> jump x <= jump y.
Proof. intros H. unfold jump. destruct (Rle_dec x 0); destruct (Rle_dec y 0); lra. Qed.

(* A loss that forgets how wrong it is: zero where the target is strictly on top, otherwise the
   exponential of minus the distance to the largest score. Its own calibration function has a jump. *)
Definition forgetful : Loss := fun A a u =>
  if Rlt_dec (largest (others A a) u) (u a) then 0 else exp (- (largest (others A a) u - u a)).

(* On two actions it is calibrated with the jump, for all scores: wherever a worse action is on top
   the excess risk over any lower bound is positive. *)
Lemma forgetful_pair u :
  forgetful [0; 1]%nat 0%nat u
  = (if Rlt_dec (u 1%nat) (u 0%nat) then 0 else exp (- (u 1%nat - u 0%nat))) /\
  forgetful [0; 1]%nat 1%nat u
  = (if Rlt_dec (u 0%nat) (u 1%nat) then 0 else exp (- (u 0%nat - u 1%nat))).
Proof. split; reflexivity. Qed.

Lemma forgetful_calibrated s u r b m :
  0 <= s 0%nat -> 0 <= s 1%nat -> s 0%nat + s 1%nat = 1 ->
  is_inf_over (fun _ => True) (risk forgetful [0; 1]%nat s) m ->
  is_argmax [0; 1]%nat u r -> In b [0; 1]%nat ->
  s b - s r <= jump (risk forgetful [0; 1]%nat s u - m).
Proof.
  intros P0 P1 S Im [Hr M] Hb.
  assert (E : forall v, risk forgetful [0; 1]%nat s v
    = s 0%nat * forgetful [0; 1]%nat 0%nat v + s 1%nat * forgetful [0; 1]%nat 1%nat v)
    by (intros; rewrite risk_eq; simpl; ring).
  (* The infimum is at most zero. *)
  assert (Small : forall x, 0 < x -> exists v, risk forgetful [0; 1]%nat s v <= exp (- x)).
  { intros x Px. exists (fun a => if Nat.eqb a 0 then x else 0). rewrite E.
    destruct (forgetful_pair (fun a => if Nat.eqb a 0 then x else 0)) as [-> ->]. simpl.
    destruct (Rlt_dec 0 x); [|lra]. destruct (Rlt_dec x 0); [lra|].
    replace (- (x - 0)) with (- x) by ring. pose proof (exp_pos (- x)). nra. }
  assert (M0 : m <= 0).
  { destruct (Rle_dec m 0) as [|Pm]; auto. exfalso. apply Rnot_le_lt in Pm.
    destruct Im as [Lo _].
    set (x := Rmax 1 (1 - ln m)).
    assert (X1 : 1 <= x) by apply Rmax_l. assert (X2 : 1 - ln m <= x) by apply Rmax_r.
    destruct (Small x ltac:(lra)) as [v Hv]. specialize (Lo v I).
    assert (exp (- x) < m); [|lra].
    rewrite <- (exp_ln m) by auto. apply exp_increasing. lra. }
  unfold jump. destruct (Rle_dec (risk forgetful [0; 1]%nat s u - m) 0) as [L|L].
  2: { assert (B : forall c, In c [0; 1]%nat -> 0 <= s c <= 1).
       { intros c [<-|[<-|[]]]; lra. }
       pose proof (B b Hb). pose proof (B r Hr). lra. }
  (* No excess: nothing worse is on top. *)
  assert (Z : risk forgetful [0; 1]%nat s u <= 0) by lra. rewrite E in Z.
  destruct (forgetful_pair u) as [F0 F1]. rewrite F0, F1 in Z.
  pose proof (M 0%nat ltac:(simpl; auto)) as M00. pose proof (M 1%nat ltac:(simpl; auto)) as M11.
  pose proof (exp_pos (- (u 1%nat - u 0%nat))). pose proof (exp_pos (- (u 0%nat - u 1%nat))).
  destruct (Rlt_dec (u 1%nat) (u 0%nat)); destruct (Rlt_dec (u 0%nat) (u 1%nat)); try lra;
  simpl in Hr; destruct Hr as [<-|[<-|[]]]; simpl in Hb; destruct Hb as [<-|[<-|[]]]; try lra; nra.
Qed.

(* claim: bayes-consistency-needs-continuity *)
Theorem a_jump_of_gamma_at_zero_allows_linear_regret :
  concave_on_pos jump /\ (forall x y, x <= y -> jump x <= jump y) /\ jump 0 = 0 /\
  (forall s u r b m, 0 <= s 0%nat -> 0 <= s 1%nat -> s 0%nat + s 1%nat = 1 ->
     is_inf_over (fun _ => True) (risk forgetful [0; 1]%nat s) m ->
     is_argmax [0; 1]%nat u r -> In b [0; 1]%nat ->
     s b - s r <= jump (risk forgetful [0; 1]%nat s u - m)) /\
  forall T, (1 <= T)%nat ->
  exists (P : Setting) (i : Infima),
  horizon P = T /\ loss P = forgetful /\ (forall t, explore P t = 0) /\
  well_formed P /\ are_infima P i /\ pointwise_bound P i jump 0 /\ surrogate_gap P i = 0 /\
  surrogate_regret P i <= 1 /\ true_regret P i = INR T.
Proof.
  split; [exact jump_concave|]. split; [exact jump_monotone|].
  split; [unfold jump; destruct (Rle_dec 0 0); lra|]. split; [exact forgetful_calibrated|].
  intros T HT.
  set (P := sure_setting T forgetful (fun _ => True) (fun t => - INR t) (fun _ => 0)).
  assert (V : forall d, forgetful [0; 1]%nat 0%nat (fun a => if Nat.eqb a 0 then d else - d)
    = if Rlt_dec (- d) d then 0 else exp (- (- d - d))).
  { intros d. apply (forgetful_pair (fun a => if Nat.eqb a 0 then d else - d)). }
  assert (VN : forall d, 0 <= forgetful [0; 1]%nat 0%nat (fun a => if Nat.eqb a 0 then d else - d)).
  { intros d. rewrite V. destruct (Rlt_dec (- d) d); [lra|]. left. apply exp_pos. }
  exists P, sure_infima.
  split; [reflexivity|]. split; [reflexivity|]. split; [reflexivity|].
  split; [apply sure_well_formed; auto; intros; lra|].
  split; [|split; [|split; [|split]]].
  - apply sure_are_infima; auto.
    + exists 1. split; [auto|lra].
    + exists 1. split; auto. rewrite V. destruct (Rlt_dec (- (1)) 1); lra.
  - intros d t _ Ht. unfold P. rewrite sure_zo, sure_mul. simpl. rewrite V. unfold jump.
    destruct (Rle_dec 0 d) as [|L].
    + destruct (Rle_dec _ 0); lra.
    + destruct (Rlt_dec (- d) d); [lra|].
      destruct (Rle_dec (exp (- (- d - d)) - 0) 0) as [Q|]; [|lra].
      pose proof (exp_pos (- (- d - d))). lra.
  - unfold surrogate_gap. rewrite sum_zero; [simpl; ring|]. auto.
  - unfold surrogate_regret. change (rounds P) with (seq 1 T). simpl (sur_best _).
    (* exp(-2t) <= 2^-t *)
    assert (B : forall k, sum (seq 1 k) (fun t => sur_risk P (played P t) t) <= 1 - (1 / 2) ^ k).
    { induction k as [|k IH]; [simpl; lra|].
      rewrite seq_S, sum_app. cbn [sum plus]. change (1 + k)%nat with (S k).
      assert (E : sur_risk P (played P (S k)) (S k) <= (1 / 2) ^ S k).
      { unfold P. rewrite sure_sur. cbn [played sure_setting]. rewrite V.
        destruct (Rlt_dec (- - INR (S k)) (- INR (S k))) as [Q|_].
        - left. apply pow_lt. lra.
        - replace (- (- - INR (S k) - - INR (S k))) with (INR (S k) * - 2) by ring.
          clear IH. induction (S k) as [|n IHn]; [simpl; rewrite Rmult_0_l, exp_0; lra|].
          rewrite S_INR. replace ((INR n + 1) * - 2) with (- 2 + INR n * - 2) by ring.
          rewrite exp_plus. simpl pow. apply Rmult_le_compat; auto; try (left; apply exp_pos).
          replace (exp (- 2)) with (/ exp 2) by (rewrite <- exp_Ropp; auto).
          pose proof (exp_ineq1 2 ltac:(lra)).
          apply Rle_trans with (/ 2); [apply Rinv_le_contravar; lra|lra]. }
      simpl pow in *. lra. }
    specialize (B T). pose proof (pow_lt (1 / 2) T ltac:(lra)). lra.
  - unfold true_regret. change (rounds P) with (seq 1 T). simpl (def_best _).
    rewrite (sum_ext (seq 1 T) (learner_risk P) (fun _ => 1)).
    + rewrite sum_const, seq_length. ring.
    + intros t Ht. apply in_seq in Ht. unfold P. rewrite sure_learner.
      destruct (Rle_dec 0 (- INR t)) as [Q|]; [|lra].
      assert (0 < INR t) by (apply lt_0_INR; lia). lra.
Qed.
