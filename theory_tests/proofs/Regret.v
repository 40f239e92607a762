(* The regret of Algorithm 1: surrogate regret (Thm 6.3) and true regret (Thm 6.4), as statements
   about finite decision trees. The expectation E_run is the finite sum over the actions the learner
   draws and the labels nature draws, round after round.
   Stands for: thm-6.3, thm-6.4, thm-6.4-rate.

   The learner: Algorithm 1 with the constrained hinge, the projection of every round, the ball of
   radius B, any rule for ties, any choice of subgradient at kinks, the K = 2 rule, and the schedules
   of Thm 6.3. The constants are those of the proofs. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions Projection Trees Ogd Rounds Hinge Protocol Algorithm
  Schedules.
Import ListNotations.
Open Scope R_scope.

(* A sequence of rounds 1, 2, .. fixed in advance. *)
Definition fixed (r : nat -> Round) : History -> Round := fun h => r (S (length h)).

(* The matrices of the ball. *)
Definition in_B (N D : nat) (B : R) (W : Matrix) : Prop := frob2 N D W <= B * B.

(* Algorithm 1 with the schedules of Thm 6.3: its weights, the mixture's true risk, expectations. *)
Definition alg_weights (n ne D : nat) (B rho : R) rule kink env : History -> Matrix :=
  weights n ne D B (eta_general B (n + ne) rho) gamma_general rule kink env.
Definition alg_true (n ne D : nat) (B rho : R) rule kink env : History -> R :=
  learner_cond n ne D B (eta_general B (n + ne) rho) gamma_general rule kink env.
Definition alg_E (n ne D : nat) (B rho : R) rule kink env : nat -> (History -> R) -> R :=
  E_run n ne D B (eta_general B (n + ne) rho) gamma_general rule kink env.

Section Setting.
Variables (n ne D : nat) (B rho : R).
Variable rule : list nat -> (nat -> R) -> nat.
Variable kink : History -> nat -> R.
Hypothesis HB : 0 < B.
Hypothesis Hr : 0 < rho.
Hypothesis rule_ok : greedy_rule rule.
Hypothesis kink_ok : forall h b, 0 <= kink h b <= 1.

Lemma general_gamma_ok t : (1 <= t)%nat -> 0 < gamma_general t <= 1.
Proof. intros H. pose proof (gamma_general_unit t H). lra. Qed.

Lemma actions_exist (env : History -> Round) : (forall h, valid_round n ne D rho (env h)) -> (1 <= n + ne)%nat.
Proof.
  intros V. destruct (V nil) as (_ & _ & [_ S] & _). destruct n; [simpl in S; lra|lia].
Qed.

Lemma surrogate_excess env T V :
  (forall h, valid_round n ne D rho (env h)) -> (1 <= T)%nat -> in_B (n + ne) D B V ->
  alg_E n ne D B rho rule kink env T
    (along (fun h _ => sur_of n D (env h) (alg_weights n ne D B rho rule kink env h)
                       - sur_of n D (env h) V))
  <= general_bound B (n + ne) rho T.
Proof.
  intros VR HT HV. pose proof (actions_exist env VR) as HN. unfold alg_E, alg_weights.
  eapply Rle_trans.
  { apply (expected_excess n ne D B (eta_general B (n + ne) rho) gamma_general rule kink env rho);
    auto; try lra.
    - exact general_gamma_ok.
    - intros t _. apply eta_general_pos; auto.
    - intros t Ht. apply eta_general_dec; auto. }
  unfold general_bound. rewrite general_diameter by auto. apply Rplus_le_compat_l.
  unfold E_run.
  set (W := weights n ne D B (eta_general B (n + ne) rho) gamma_general rule kink env).
  eapply Rle_trans.
  { apply (expect_along_le _ _ (fun h _ =>
      tree_law n ne D B (eta_general B (n + ne) rho) gamma_general rule kink env rho VR rule_ok
        general_gamma_ok h) T _
      (fun k => B * Rpower (INR (n + ne)) (3 / 2) * rho / 2
         * Rmax (2 * Rpower (INR (S k)) (- (2 / 3))) (Rpower (INR (S k)) (- (1 / 3))))).
    - simpl. auto.
    - intros h _.
      rewrite (sum_ext _ _ (fun o =>
        eta_general B (n + ne) rho (S (length h)) / 2 *
        (prob n ne D B (eta_general B (n + ne) rho) gamma_general rule kink env h o
         * frob2 (n + ne) D (proj_grad n D gamma_general rule kink env (W h) h o))))
        by (intros; unfold W; ring).
      rewrite sum_scal.
      eapply Rle_trans; [|apply general_variance; auto; lia].
      apply Rmult_le_compat_l.
      + pose proof (eta_general_pos B (n + ne) rho (S (length h)) HB Hr). lra.
      + apply second_moment; auto. exact general_gamma_ok. }
  simpl along. rewrite Rplus_0_l, sum_scal. simpl length.
  rewrite (sum_seq_shift 1 T). right. reflexivity.
Qed.

(* A sequence fixed in advance: sums over rounds along a path are sums over rounds. *)
Lemma along_fixed r (f : Round -> R) T h :
  length h = T -> along (fun h (_ : nat * nat) => f (fixed r h)) h = sum (seq 1 T) (fun t => f (r t)).
Proof.
  intros <-. rewrite (sum_seq_shift 1). unfold fixed.
  apply (along_rounds (fun k => f (r (S k)))).
Qed.

End Setting.

(* Thm 6.3 against an adversary that chooses every round from the past: for every fixed matrix V of
   the ball the expected surrogate excess of the learner is at most the bound of the proof. *)
(* claim: thm-6.3 *)
Theorem surrogate_regret_adaptive
    (n ne D : nat) (B rho : R) (rule : list nat -> (nat -> R) -> nat) (kink : History -> nat -> R)
    (env : History -> Round) (T : nat) (V : Matrix) :
  0 < B -> 0 < rho -> (1 <= T)%nat -> greedy_rule rule -> (forall h b, 0 <= kink h b <= 1) ->
  (forall h, valid_round n ne D rho (env h)) -> in_B (n + ne) D B V ->
  alg_E n ne D B rho rule kink env T
    (along (fun h _ => sur_of n D (env h) (alg_weights n ne D B rho rule kink env h)
                       - sur_of n D (env h) V))
  <= 2 * B * Rpower (INR (n + ne)) (3 / 2) * rho * Rpower (INR T) (2 / 3)
     + B * Rpower (INR (n + ne)) (3 / 2) * rho / 2
       * sum (seq 1 T)
           (fun t => Rmax (2 * Rpower (INR t) (- (2 / 3))) (Rpower (INR t) (- (1 / 3)))).
Proof. intros. apply surrogate_excess; auto. Qed.

(* Thm 6.3 as the paper states it, for a sequence fixed in advance and the best matrix in hindsight;
   the O( ) holds with the constant 7/2. *)
(* claim: thm-6.3 *)
Theorem surrogate_regret
    (n ne D : nat) (B rho : R) (rule : list nat -> (nat -> R) -> nat) (kink : History -> nat -> R)
    (r : nat -> Round) (T : nat) (best : R) :
  0 < B -> 0 < rho -> (1 <= T)%nat -> greedy_rule rule -> (forall h b, 0 <= kink h b <= 1) ->
  (forall t, valid_round n ne D rho (r t)) ->
  is_inf_over (in_B (n + ne) D B) (fun W => sum (seq 1 T) (fun t => sur_of n D (r t) W)) best ->
  alg_E n ne D B rho rule kink (fixed r) T
    (along (fun h _ => sur_of n D (fixed r h) (alg_weights n ne D B rho rule kink (fixed r) h)))
  - best <= general_bound B (n + ne) rho T
  /\ general_bound B (n + ne) rho T
     <= 7 / 2 * (B * Rpower (INR (n + ne)) (3 / 2) * rho) * Rpower (INR T) (2 / 3).
Proof.
  intros HB Hr HT RO KO VR [_ G]. split; [|apply general_bound_rate; auto].
  set (L := alg_E n ne D B rho rule kink (fixed r) T
    (along (fun h _ => sur_of n D (fixed r h) (alg_weights n ne D B rho rule kink (fixed r) h)))).
  assert (H : L - general_bound B (n + ne) rho T <= best); [|lra].
  apply G. intros V HV.
  assert (VR' : forall h, valid_round n ne D rho (fixed r h)) by (intros; apply VR).
  pose proof (surrogate_excess n ne D B rho rule kink HB Hr RO KO (fixed r) T V VR' HT HV) as X.
  unfold alg_E, E_run in X.
  rewrite (expect_ext _ _ (fun h _ => tree_law n ne D B (eta_general B (n + ne) rho) gamma_general
      rule kink (fixed r) rho VR' RO general_gamma_ok h) T nil _
    (fun h => along (fun h _ => sur_of n D (fixed r h)
                       (alg_weights n ne D B rho rule kink (fixed r) h)) h
              - sum (seq 1 T) (fun t => sur_of n D (r t) V))) in X.
  - rewrite expect_minus, expect_const in X.
    + change (L - sum (seq 1 T) (fun t => sur_of n D (r t) V) <= general_bound B (n + ne) rho T) in X.
      lra.
    + intros h _. apply (tree_law n ne D B (eta_general B (n + ne) rho) gamma_general rule kink
        (fixed r) rho VR' RO general_gamma_ok h).
    + simpl. auto.
  - simpl. auto.
  - intros h _ Lh. simpl in Lh. rewrite Nat.add_0_r in Lh.
    rewrite (along_minus (fun h _ => sur_of n D (fixed r h)
      (alg_weights n ne D B rho rule kink (fixed r) h)) (fun h _ => sur_of n D (fixed r h) V)).
    rewrite (along_fixed r (fun rd => sur_of n D rd V) T h Lh). reflexivity.
Qed.

(* Thm 6.4. The pointwise calibration of Cor 5.2 with Gamma(u) = u and eps = 0 over the projected ball
   class is a premise, as in the paper (both sides multiplied by the mass), and so is the zero
   surrogate gap. LargeBall.v shows that B >= N implies the first. *)
(* claim: thm-6.4, thm-6.4-rate *)
Theorem true_regret_bound
    (n ne D : nat) (B rho : R) (rule : list nat -> (nat -> R) -> nat) (kink : History -> nat -> R)
    (r : nat -> Round) (T : nat) (def_inf sur_inf : nat -> R) (def_best sur_best : R) :
  0 < B -> 0 < rho -> (1 <= T)%nat -> greedy_rule rule -> (forall h b, 0 <= kink h b <= 1) ->
  (forall t, valid_round n ne D rho (r t)) ->
  (forall t, In t (seq 1 T) ->
     is_inf_over (in_B (n + ne) D B) (def_of n D rule (r t)) (def_inf t) /\
     is_inf_over (in_B (n + ne) D B) (sur_of n D (r t)) (sur_inf t)) ->
  is_inf_over (in_B (n + ne) D B) (fun W => sum (seq 1 T) (fun t => def_of n D rule (r t) W)) def_best ->
  is_inf_over (in_B (n + ne) D B) (fun W => sum (seq 1 T) (fun t => sur_of n D (r t) W)) sur_best ->
  (forall t W, In t (seq 1 T) -> in_B (n + ne) D B W ->
     def_of n D rule (r t) W - def_inf t <= sur_of n D (r t) W - sur_inf t) ->
  sur_best - sum (seq 1 T) sur_inf = 0 ->
  alg_E n ne D B rho rule kink (fixed r) T
    (along (fun h _ => alg_true n ne D B rho rule kink (fixed r) h)) - def_best
  <= general_bound B (n + ne) rho T + sum (seq 1 T) gamma_general
  /\ general_bound B (n + ne) rho T + sum (seq 1 T) gamma_general
     <= (7 / 2 * (B * Rpower (INR (n + ne)) (3 / 2) * rho) + 3 / 2) * Rpower (INR T) (2 / 3).
Proof.
  intros HB Hr HT RO KO VR HI HD HS Cal Gap. split.
  2:{ pose proof (general_bound_rate B (n + ne) rho T HB Hr HT) as X.
      pose proof (general_exploration T HT). unfold kappa in X. lra. }
  pose proof (surrogate_regret n ne D B rho rule kink r T sur_best HB Hr HT RO KO VR HS) as [SR _].
  assert (VR' : forall h, valid_round n ne D rho (fixed r h)) by (intros; apply VR).
  assert (laws : forall h, possible (outcomes n (fixed r)) h -> node_law (outcomes n (fixed r))
    (prob n ne D B (eta_general B (n + ne) rho) gamma_general rule kink (fixed r)) h).
  { intros h _. apply (tree_law n ne D B (eta_general B (n + ne) rho) gamma_general rule kink
      (fixed r) rho VR' RO general_gamma_ok h). }
  assert (DB : sum (seq 1 T) def_inf <= def_best).
  { apply HD. intros W HW. apply sum_le. intros t Ht. destruct (HI t Ht) as [[L _] _]. auto. }
  unfold alg_E, E_run in *.
  set (q := prob n ne D B (eta_general B (n + ne) rho) gamma_general rule kink (fixed r)) in *.
  set (W := alg_weights n ne D B rho rule kink (fixed r)) in *.
  set (C := sum (seq 1 T) def_inf - sum (seq 1 T) sur_inf + sum (seq 1 T) gamma_general).
  assert (P : expect (outcomes n (fixed r)) q T nil
                (along (fun h _ => alg_true n ne D B rho rule kink (fixed r) h))
              <= expect (outcomes n (fixed r)) q T nil
                   (fun h => along (fun h _ => sur_of n D (fixed r h) (W h)) h + C)).
  { apply (expect_le _ _ laws); [simpl; auto|]. intros h Ph Lh. simpl in Lh.
    rewrite Nat.add_0_r in Lh. unfold C. rewrite <- Lh.
    rewrite !(sum_seq_shift 1), <- !along_rounds with (h := h).
    rewrite <- along_minus, <- !along_plus.
    assert (B1 : forall h' o, possible (outcomes n (fixed r)) h' -> In o (outcomes n (fixed r) h') ->
      (length h' < T)%nat ->
      alg_true n ne D B rho rule kink (fixed r) h'
      <= sur_of n D (fixed r h') (W h')
         + (def_inf (1 + length h')%nat - sur_inf (1 + length h')%nat
            + gamma_general (1 + length h')%nat)).
    { intros h' o _ _ Lt. destruct (VR' h') as (Nd & _ & Lw & Co & _).
      pose proof (gamma_general_unit (S (length h')) ltac:(lia)) as Gm.
      assert (InG : In (rule (round_acts n (fixed r h')) (round_scores n D (fixed r h') (W h')))
                       (round_acts n (fixed r h'))).
      { apply RO. apply (round_nonempty _ _ _ _ Lw Co). }
      pose proof (mix_price n _ _ _ Nd Lw Co (gamma_general (S (length h'))) _ ltac:(lra) InG) as M.
      assert (It : In (S (length h')) (seq 1 T)) by (apply in_seq; lia).
      assert (IB : in_B (n + ne) D B (W h')).
      { apply (weights_in_ball n ne D B (eta_general B (n + ne) rho) gamma_general rule kink
          (fixed r)). lra. }
      pose proof (Cal (S (length h')) (W h') It IB) as Cl.
      change (alg_true n ne D B rho rule kink (fixed r) h'
              <= def_of n D rule (fixed r h') (W h') + gamma_general (S (length h'))) in M.
      change (r (S (length h'))) with (fixed r h') in Cl.
      change (1 + length h')%nat with (S (length h')). lra. }
    revert B1 Ph Lh. clear. intros B1 Ph Lh.
    assert (Lt : (length h <= T)%nat) by lia. clear Lh. revert Ph Lt.
    induction h as [|o h IH]; intros Ph Lt; [simpl; lra|].
    simpl in *. destruct Ph as [Io Ph]. specialize (IH Ph ltac:(lia)).
    specialize (B1 h o Ph Io ltac:(lia)). simpl in B1. lra. }
  rewrite expect_plus, (expect_const _ _ laws) in P by (simpl; auto).
  unfold C in P. lra.
Qed.

(* The premise about the gap can be met: where nothing changes from round to round the gap is zero. *)
Lemma gap_zero_if_constant (n ne D T : nat) (B : R) (r : Round) (m : R) :
  is_inf_over (in_B (n + ne) D B) (sur_of n D r) m ->
  is_inf_over (in_B (n + ne) D B) (fun W => sum (seq 1 T) (fun _ => sur_of n D r W))
    (sum (seq 1 T) (fun _ => m)).
Proof.
  intros [L G]. destruct T as [|T].
  - simpl. split; [intros; lra|]. intros m' H.
    specialize (H (fun _ _ => 0)). apply H. unfold in_B, frob2, inner.
    rewrite sum_zero; [nra|]. intros. apply sum_zero. intros. ring.
  - assert (P : 0 < INR (S T)) by (apply lt_0_INR; lia). split.
    + intros W HW. rewrite !sum_const, seq_length. specialize (L W HW). nra.
    + intros m' H. rewrite sum_const, seq_length.
      assert (K : m' / INR (S T) <= m).
      { apply G. intros W HW. specialize (H W HW). rewrite sum_const, seq_length in H.
        apply Rmult_le_reg_l with (INR (S T)); auto.
        replace (INR (S T) * (m' / INR (S T))) with m' by (field; lra). lra. }
      apply Rmult_le_compat_l with (r := INR (S T)) in K; [|lra].
      replace (INR (S T) * (m' / INR (S T))) with m' in K by (field; lra). lra.
Qed.
