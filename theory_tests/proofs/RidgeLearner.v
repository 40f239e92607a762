(* One ridge forecaster per action with inverse-gap weighting, on a finite decision tree: the learner,
   and the regret of its forecasters along every path. The theorems are in RidgeCb.v; none stands
   here for a claim. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions Projection Trees Ogd InverseGap Rounds Protocol
  Algorithm Schedules Ridge.
Import ListNotations.
Open Scope R_scope.

Definition clip (v : R) : R := Rmax 0 (Rmin 1 v).

Section Learner.
Variables (n D : nat) (lambda mid : R) (gamma : nat -> R).
Variable rule : list nat -> (nat -> R) -> nat.
Variable env : History -> Round.

(* Reward of an action: correctness of a class, 1 - cost of an expert. *)
Definition reward (h : History) (o : nat * nat) : R := 1 - true_loss n (r_cost (env h)) (fst o) (snd o).
Definition scores_of (h : History) : nat -> R := score n (r_law (env h)) (r_cost (env h)).

(* What the forecaster of action a has seen: the rounds that played a, rewards minus mid. *)
Fixpoint data (a : nat) (h : History) : Data :=
  match h with
  | nil => nil
  | o :: h' => if Nat.eqb (fst o) a then (r_input (env h'), reward h' o - mid) :: data a h'
               else data a h'
  end.

(* Clipped forecasts of all scores, inverse-gap weights over the active set, the tree. *)
Definition estimates (h : History) (a : nat) : R :=
  clip (mid + forecast lambda D (data a h) (r_input (env h))).
Definition play (h : History) : nat -> R :=
  igw (acts n env h) (estimates h) (gamma (S (length h))) (rule (acts n env h) (estimates h)).
Definition cb_prob (h : History) (o : nat * nat) : R := play h (fst o) * r_law (env h) (snd o).
Definition E_cb (T : nat) (F : History -> R) : R := expect (outcomes n env) cb_prob T nil F.

(* Regret of a round: the best active score minus the score of the action played. *)
Definition cb_regret (h : History) (o : nat * nat) : R :=
  largest (acts n env h) (scores_of h) - scores_of h (fst o).

End Learner.

(* The regret of N forecasters together over T rounds, for targets with y^2 <= Y. *)
Definition Reg (N D : nat) (lambda W rho Y : R) (T : nat) : R :=
  INR N * (lambda * (W * W) + Y * (INR D * ln (1 + rho * rho * INR T / (INR N * INR D * lambda)))).

Section Proof.
Variables (n ne D : nat) (lambda mid : R) (gamma : nat -> R).
Variable rule : list nat -> (nat -> R) -> nat.
Variable env : History -> Round.
Variables (rho W Y : R) (K : nat) (w : nat -> Vec).
Hypothesis lambda_pos : 0 < lambda.
Hypothesis D_pos : (1 <= D)%nat.
Hypothesis rule_ok : greedy_rule rule.
Hypothesis rounds_ok : forall h, valid_round n ne D rho (env h).
Hypothesis sizes : forall h, (length (acts n env h) <= K)%nat.
Hypothesis gamma_pos : forall t, (1 <= t)%nat -> 0 < gamma t.
Hypothesis linear : forall h a, In a (acts n env h) ->
  scores_of n env h a - mid = dotd D (w a) (r_input (env h)).
Hypothesis w_norm : forall a, dotd D (w a) (w a) <= W * W.
Hypothesis targets : forall v, 0 <= v <= 1 -> (v - mid) * (v - mid) <= Y.

Let N := (n + ne)%nat.
Let dat a h := data n mid env a h.
Let est h := estimates n D lambda mid env h.
Let q h := play n D lambda mid gamma rule env h.
Let pr h := cb_prob n D lambda mid gamma rule env h.
Let A h := acts n env h.
Let s h := scores_of n env h.

Lemma cb_nodup h : NoDup (A h).
Proof. apply active_nodup, rounds_ok. Qed.

Lemma cb_nonempty h : A h <> nil.
Proof. destruct (rounds_ok h) as (_ & _ & L & C & _). apply (round_nonempty _ _ _ _ L C). Qed.

Lemma cb_incl h : incl (A h) (seq 0 N).
Proof. apply (acts_incl n ne D env rho rounds_ok). Qed.

Lemma cb_best h : is_argmax (A h) (est h) (rule (A h) (est h)).
Proof. apply rule_ok, cb_nonempty. Qed.

Lemma cb_dist h : is_dist (A h) (q h).
Proof.
  apply (inverse_gap_weights_are_a_distribution (A h) (est h) (gamma (S (length h))));
  [apply cb_nodup|apply cb_best|apply gamma_pos; lia].
Qed.

Lemma cb_law h : node_law (outcomes n env) pr h.
Proof.
  destruct (rounds_ok h) as (_ & _ & [P S] & _ & _). destruct (cb_dist h) as [Q E]. split.
  - intros [a y] H. apply outcomes_in in H. destruct H as [Ha Hy].
    apply Rmult_le_pos; simpl; [apply Q; auto|apply P; auto].
  - unfold outcomes. rewrite sum_list_prod. unfold pr, cb_prob. simpl.
    rewrite (sum_ext _ _ (q h)); auto. intros a _. rewrite sum_scal, S. apply Rmult_1_r.
Qed.

Lemma reward_01 h o : In o (outcomes n env h) -> 0 <= reward n env h o <= 1.
Proof.
  destruct o as [a y]. intros H. apply outcomes_in in H. destruct H as [Ha Hy].
  destruct (rounds_ok h) as (_ & _ & _ & C & _).
  apply (reward_unit n (r_experts (env h))); auto.
Qed.

(* Expectations over the label of a round. *)
Lemma expect_round h (f : nat -> R -> R) :
  sum (outcomes n env h) (fun o => pr h o * f (fst o) (reward n env h o))
  = sum (A h) (fun a => q h a * sum (seq 0 n) (fun y => r_law (env h) y * f a (reward n env h (a, y)))).
Proof.
  unfold outcomes. rewrite sum_list_prod. apply sum_ext. intros a _. rewrite <- sum_scal.
  apply sum_ext. intros y _. unfold pr, cb_prob, q. simpl. ring.
Qed.

(* Playing a and seeing its reward: squared errors exceed those of the true score by the squared
   error of the estimate, in expectation. *)
Definition excess (h : History) (o : nat * nat) : R :=
  square (est h (fst o) - reward n env h o) - square (s h (fst o) - reward n env h o).

Lemma excess_mean h :
  sum (outcomes n env h) (fun o => pr h o * excess h o)
  = sum (A h) (fun a => q h a * ((est h a - s h a) * (est h a - s h a))).
Proof.
  destruct (rounds_ok h) as (_ & _ & L & C & _).
  pose proof (expect_round h (fun a v => square (est h a - v) - square (s h a - v))) as E.
  unfold excess. cbv beta in E. rewrite E. apply sum_ext. intros a Ha. f_equal.
  pose proof (expected_reward n (r_experts (env h)) (r_law (env h)) (r_cost (env h)) L a Ha) as M.
  change (sum (seq 0 n) (fun y => r_law (env h) y * reward n env h (a, y)) = s h a) in M.
  rewrite (sum_ext _ _ (fun y =>
    r_law (env h) y * (est h a * est h a - s h a * s h a)
    - 2 * (est h a - s h a) * (r_law (env h) y * reward n env h (a, y))))
    by (intros; unfold square; ring).
  rewrite sum_minus, sum_scal_r, sum_scal, M. destruct L as [_ ->]. ring.
Qed.

(* The regret of a round against its exploration and its estimation error. *)
Lemma cb_round h :
  sum (outcomes n env h) (fun o => pr h o * cb_regret n env h o)
  <= 2 * (INR K - 1) / gamma (S (length h))
     + gamma (S (length h)) / 4 * sum (outcomes n env h) (fun o => pr h o * excess h o).
Proof.
  rewrite excess_mean. pose proof (gamma_pos (S (length h)) ltac:(lia)) as G.
  destruct (rounds_ok h) as (_ & _ & [_ S1] & _ & _).
  pose proof (expect_round h (fun a _ => largest (A h) (s h) - s h a)) as E. cbv beta in E.
  change (fun o => pr h o * cb_regret n env h o)
    with (fun o => pr h o * (largest (A h) (s h) - s h (fst o))). rewrite E.
  rewrite (sum_ext (A h) _ (fun a => q h a * (largest (A h) (s h) - s h a)))
    by (intros; rewrite sum_scal_r, S1; ring).
  pose proof (inverse_gap_regret (A h) (est h) (s h) _ _ (cb_nodup h) (cb_best h) G) as I.
  change (igw (A h) (est h) (gamma (S (length h))) (rule (A h) (est h))) with (q h) in I.
  eapply Rle_trans; [exact I|]. apply Rplus_le_compat_r. unfold Rdiv.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|].
  specialize (sizes h). apply le_INR in sizes. unfold A. lra.
Qed.

Lemma clip_closer v r : 0 <= r <= 1 -> square (clip v - r) <= square (v - r).
Proof.
  intros H. unfold clip, square, Rmin, Rmax.
  destruct (Rle_dec 1 v); [destruct (Rle_dec 0 1); nra|]. destruct (Rle_dec 0 v); nra.
Qed.

(* Adding one round to the data of the action that was played. *)
Lemma sum_data (F : nat -> Data -> R) h o :
  In (fst o) (seq 0 N) ->
  sum (seq 0 N) (fun a => F a (dat a (o :: h)))
  = sum (seq 0 N) (fun a => F a (dat a h))
    + (F (fst o) ((r_input (env h), reward n env h o - mid) :: dat (fst o) h) - F (fst o) (dat (fst o) h)).
Proof.
  intros H. rewrite <- (sum_single (seq 0 N) (fst o) (fun a =>
    F a ((r_input (env h), reward n env h o - mid) :: dat a h) - F a (dat a h)) (seq_NoDup N 0) H).
  rewrite <- sum_plus. apply sum_ext. intros a _. unfold dat at 1. simpl.
  rewrite (Nat.eqb_sym a). destruct (Nat.eqb (fst o) a); fold (dat a h); ring.
Qed.

Lemma possible_action h o : In o (outcomes n env h) -> In (fst o) (seq 0 N).
Proof.
  destruct o as [a y]. intros H. apply outcomes_in in H. apply (cb_incl h). tauto.
Qed.

Lemma forecast_path : forall h, possible (outcomes n env) h ->
  along (fun h o => square (est h (fst o) - reward n env h o)) h
  <= sum (seq 0 N) (fun a => forecast_loss lambda D (dat a h)).
Proof.
  induction h as [|o h IH]; simpl along; intros P.
  - apply sum_nonneg. intros. simpl. lra.
  - destruct P as [Ho P]. specialize (IH P).
    rewrite (sum_data (fun _ L => forecast_loss lambda D L)) by (apply (possible_action h); auto).
    pose proof (clip_closer (mid + forecast lambda D (dat (fst o) h) (r_input (env h))) _
      (reward_01 h o Ho)) as C.
    change (clip (mid + forecast lambda D (dat (fst o) h) (r_input (env h)))) with (est h (fst o)) in C.
    simpl forecast_loss.
    replace (mid + forecast lambda D (dat (fst o) h) (r_input (env h)) - reward n env h o)
      with (forecast lambda D (dat (fst o) h) (r_input (env h)) - (reward n env h o - mid)) in C by ring.
    lra.
Qed.

Lemma linear_path : forall h, possible (outcomes n env) h ->
  along (fun h o => square (s h (fst o) - reward n env h o)) h
  = sum (seq 0 N) (fun a => linear_loss D (w a) (dat a h)).
Proof.
  induction h as [|o h IH]; simpl along; intros P.
  - symmetry. apply sum_zero. intros. reflexivity.
  - destruct P as [Ho P]. rewrite (IH P).
    rewrite (sum_data (fun a L => linear_loss D (w a) L)) by (apply (possible_action h); auto).
    unfold linear_loss at 3. simpl sum. fold (linear_loss D (w (fst o)) (dat (fst o) h)).
    destruct o as [a y]. apply outcomes_in in Ho. destruct Ho as [Ha _]. simpl fst.
    pose proof (linear h a Ha) as Li. change (scores_of n env h a) with (s h a) in Li.
    rewrite <- Li. simpl snd. unfold square. ring.
Qed.

Lemma input_path : forall h, possible (outcomes n env) h ->
  sum (seq 0 N) (fun a => sum (inputs (dat a h)) (fun x => dotd D x x)) <= rho * rho * INR (length h).
Proof.
  induction h as [|o h IH]; intros P.
  - simpl. rewrite sum_zero by reflexivity. lra.
  - destruct P as [Ho P]. specialize (IH P).
    rewrite (sum_data (fun _ L => sum (inputs L) (fun x => dotd D x x)))
      by (apply (possible_action h); auto).
    simpl length. rewrite S_INR. simpl sum.
    destruct (rounds_ok h) as (_ & _ & _ & _ & X).
    change (dotd D (r_input (env h)) (r_input (env h)) <= rho * rho) in X. lra.
Qed.

Lemma targets_path a : forall h, possible (outcomes n env) h ->
  forall e, In e (dat a h) -> snd e * snd e <= Y.
Proof.
  induction h as [|o h IH]; simpl; intros P e He; [tauto|]. destruct P as [Ho P].
  unfold dat in He. simpl in He. destruct (Nat.eqb (fst o) a); [|apply IH; auto].
  destruct He as [<-|He]; [|apply IH; auto]. simpl. apply targets, reward_01; auto.
Qed.

Lemma path_regret h :
  possible (outcomes n env) h -> along excess h <= Reg N D lambda W rho Y (length h).
Proof.
  intros P. unfold excess.
  rewrite (along_minus (fun h o => square (est h (fst o) - reward n env h o))
                       (fun h o => square (s h (fst o) - reward n env h o))).
  pose proof (forecast_path h P) as F. rewrite (linear_path h P).
  assert (Y0 : 0 <= Y) by (specialize (targets 0 ltac:(lra)); nra).
  assert (n1 : (1 <= n)%nat).
  { destruct (rounds_ok nil) as (_ & _ & [_ S1] & _). destruct n; [simpl in S1; lra|lia]. }
  assert (N0 : 0 < INR N) by (apply lt_0_INR; unfold N; lia).
  assert (D0 : 0 < INR D) by (apply lt_0_INR; lia).
  set (c := fun i : nat * nat => sum (inputs (dat (fst i) h)) (fun x => x (snd i) * x (snd i))).
  assert (C0 : forall i, 0 <= c i)
    by (intros i; apply (sum_sq_nonneg (inputs (dat (fst i) h)) (fun x => x (snd i)))).
  assert (R0 : sum (seq 0 N) (fun a => forecast_loss lambda D (dat a h))
    <= sum (seq 0 N) (fun a => linear_loss D (w a) (dat a h))
       + INR N * (lambda * (W * W))
       + Y * sum (list_prod (seq 0 N) (seq 0 D)) (fun i => ln (1 + c i / lambda))).
  { rewrite sum_list_prod. rewrite <- (seq_length N 0) at 3.
    rewrite <- sum_const, <- sum_scal, <- !sum_plus. apply sum_le. intros a _.
    pose proof (ridge_regret lambda lambda_pos D (dat a h) (w a) Y (targets_path a h P)) as R1.
    pose proof (leverages_le lambda lambda_pos D (inputs (dat a h))) as R2.
    apply Rmult_le_compat_l with (r := Y) in R2; auto.
    specialize (w_norm a). unfold c. simpl. nra. }
  set (ix := list_prod (seq 0 N) (seq 0 D)) in *.
  assert (Lx : INR (length ix) = INR N * INR D).
  { unfold ix. rewrite prod_length, !seq_length, mult_INR. reflexivity. }
  assert (J : sum ix (fun i => ln (1 + c i / lambda))
    <= INR N * INR D * ln (1 + rho * rho * INR (length h) / (INR N * INR D * lambda))).
  { pose proof (weighted_jensen (fun v => ln (1 + v / lambda)) ix (fun _ => 1) c
      (ln_concave lambda lambda_pos) ltac:(intros; lra) ltac:(intros; apply C0)) as J.
    rewrite sum_const, Lx, Rmult_1_r in J. specialize (J ltac:(nra)).
    rewrite (sum_ext ix (fun i => 1 * ln (1 + c i / lambda)) (fun i => ln (1 + c i / lambda)))
      in J by (intros; ring).
    rewrite (sum_ext ix (fun i => 1 * c i) c) in J by (intros; ring).
    eapply Rle_trans; [exact J|]. apply Rmult_le_compat_l; [nra|].
    assert (Tot : sum ix c <= rho * rho * INR (length h)).
    { eapply Rle_trans; [|apply (input_path h P)]. right. unfold ix. rewrite sum_list_prod.
      apply sum_ext. intros a _. unfold c. simpl. rewrite sum_swap. reflexivity. }
    assert (T0 : 0 <= sum ix c) by (apply sum_nonneg; intros; apply C0).
    assert (ND : 0 < INR N * INR D) by nra.
    assert (NDl : 0 < INR N * INR D * lambda) by (apply Rmult_lt_0_compat; auto).
    assert (Di : 0 < / (INR N * INR D * lambda)) by (apply Rinv_0_lt_compat; auto).
    replace (sum ix c / (INR N * INR D) / lambda) with (sum ix c * / (INR N * INR D * lambda))
      by (field; lra).
    assert (Le : 1 + sum ix c * / (INR N * INR D * lambda)
                 <= 1 + rho * rho * INR (length h) / (INR N * INR D * lambda)).
    { apply Rplus_le_compat_l. apply Rmult_le_compat_r; lra. }
    assert (0 < 1 + sum ix c * / (INR N * INR D * lambda)) by nra.
    destruct Le as [Le|Le]; [left; apply ln_increasing; auto|rewrite Le; lra]. }
  apply Rmult_le_compat_l with (r := Y) in J; auto. unfold Reg. lra.
Qed.

(* For any greed that does not decrease. *)
Lemma cb_regret_bound T :
  (1 <= T)%nat -> (forall t, (1 <= t < T)%nat -> gamma t <= gamma (S t)) ->
  E_cb n D lambda mid gamma rule env T (along (cb_regret n env))
  <= sum (seq 1 T) (fun t => 2 * (INR K - 1) / gamma t)
     + gamma T / 4 * Reg N D lambda W rho Y T.
Proof.
  intros HT Mono.
  assert (laws : forall h, possible (outcomes n env) h -> node_law (outcomes n env) pr h)
    by (intros; apply cb_law).
  assert (Up : forall t, (1 <= t <= T)%nat -> gamma t <= gamma T).
  { intros t Ht. assert (G : forall k, (t + k <= T)%nat -> gamma t <= gamma (t + k)%nat).
    { induction k as [|k IH]; intros Hk; [rewrite Nat.add_0_r; lra|].
      specialize (IH ltac:(lia)). specialize (Mono (t + k)%nat ltac:(lia)).
      replace (t + S k)%nat with (S (t + k)) by lia. lra. }
    specialize (G (T - t)%nat ltac:(lia)). replace (t + (T - t))%nat with T in G by lia. exact G. }
  unfold E_cb. change (cb_prob n D lambda mid gamma rule env) with pr.
  assert (S1 : expect (outcomes n env) pr T nil
      (along (fun h o => cb_regret n env h o - gamma T / 4 * excess h o))
    <= sum (seq 0 T) (fun k => 2 * (INR K - 1) / gamma (S k))).
  { eapply Rle_trans.
    { apply (expect_along_le_upto _ _ laws T _ (fun k => 2 * (INR K - 1) / gamma (S k)));
      [simpl; auto|]. intros h _ Lh. simpl in Lh. rewrite Nat.add_0_r in Lh.
      rewrite (sum_ext _ _ (fun o => pr h o * cb_regret n env h o
                                     - gamma T / 4 * (pr h o * excess h o))) by (intros; ring).
      rewrite sum_minus, sum_scal. pose proof (cb_round h) as R1.
      assert (E0 : 0 <= sum (outcomes n env h) (fun o => pr h o * excess h o)).
      { rewrite excess_mean. apply sum_nonneg. intros a Ha. destruct (cb_dist h) as [Q _].
        specialize (Q a Ha). apply Rmult_le_pos; auto. apply Rle_0_sqr. }
      set (x := sum (outcomes n env h) (fun o => pr h o * excess h o)) in *.
      assert (gamma (S (length h)) / 4 * x <= gamma T / 4 * x).
      { apply Rmult_le_compat_r; auto. pose proof (Up (S (length h)) ltac:(lia)). lra. }
      lra. }
    simpl. lra. }
  rewrite (expect_ext _ _ laws T nil _
    (fun h => along (cb_regret n env) h - gamma T / 4 * along excess h)) in S1;
    [|simpl; auto|].
  2:{ intros h _ _. induction h as [|o h IH]; simpl; [ring|]. rewrite IH. ring. }
  rewrite expect_minus, expect_scal in S1.
  assert (S2 : expect (outcomes n env) pr T nil (along excess) <= Reg N D lambda W rho Y T).
  { rewrite <- (expect_const _ _ laws T (Reg N D lambda W rho Y T) nil) by (simpl; auto).
    apply (expect_le _ _ laws); [simpl; auto|]. intros h P Lh. simpl in Lh.
    rewrite Nat.add_0_r in Lh. rewrite <- Lh. apply path_regret; auto. }
  pose proof (gamma_pos T HT).
  apply Rmult_le_compat_l with (r := gamma T / 4) in S2; [|lra].
  rewrite (sum_seq_shift 1 T). 
  change (fun i => 2 * (INR K - 1) / gamma (1 + i)%nat) with (fun k => 2 * (INR K - 1) / gamma (S k)).
  change (expect (outcomes n env) pr T nil (fun h => along excess h))
    with (expect (outcomes n env) pr T nil (along excess)) in S1.
  change (expect (outcomes n env) pr T nil (fun h => along (cb_regret n env) h))
    with (expect (outcomes n env) pr T nil (along (cb_regret n env))) in S1.
  lra.
Qed.

(* Greed c sqrt t. *)
Lemma cb_anytime_bound T c :
  0 < c -> (1 <= T)%nat -> (forall t, gamma t = c * sqrt (INR t)) ->
  E_cb n D lambda mid gamma rule env T (along (cb_regret n env))
  <= 4 * (INR K - 1) * sqrt (INR T) / c + c * sqrt (INR T) / 4 * Reg N D lambda W rho Y T.
Proof.
  intros Hc HT Hg.
  assert (K1 : 1 <= INR K).
  { pose proof (sizes nil) as Z. apply le_INR in Z. destruct (rounds_ok nil) as (_ & _ & L & C & _).
    pose proof (round_size_pos _ _ _ _ L C). unfold acts, round_acts in Z. lra. }
  eapply Rle_trans; [apply cb_regret_bound; auto|].
  - intros t Ht. rewrite !Hg. apply Rmult_le_compat_l; [lra|]. apply sqrt_le_1_alt.
    rewrite S_INR. lra.
  - rewrite Hg. apply Rplus_le_compat_r.
    rewrite (sum_ext _ _ (fun t => 2 * (INR K - 1) / c * / sqrt (INR t))).
    + rewrite sum_scal. pose proof (sum_inv_sqrt T) as S.
      assert (P : 0 <= 2 * (INR K - 1) / c).
      { apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. auto. }
      apply Rmult_le_compat_l with (r := 2 * (INR K - 1) / c) in S; auto.
      eapply Rle_trans; [exact S|]. right. field. lra.
    + intros t Ht. apply in_seq in Ht. rewrite Hg.
      assert (0 < sqrt (INR t)) by (apply sqrt_lt_R0, lt_0_INR; lia). field. lra.
Qed.

End Proof.
