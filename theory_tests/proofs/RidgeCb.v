(* What can be promised whoever is available (no gap, no concentration): if scores are linear in the
   input, one ridge forecaster per action with inverse-gap weighting has regret of order sqrt T up to
   a logarithm. Statements about finite decision trees; inputs, laws, costs and active sets may be
   chosen from the past. The forecaster's regret is proved (Ridge.v), not assumed.
   Stands for: ridge-cb-regret, ridge-cb-known-horizon, ridge-cb-centred. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions Projection Trees Ogd InverseGap Rounds Protocol
  Algorithm Schedules Ridge RidgeLearner.
Import ListNotations.
Open Scope R_scope.

(* Theorem B, anytime form. K bounds the sizes of the active sets, N = n + ne the number of actions;
   |w_a| <= W for every action. Scores are linear in the input whoever is available; nothing else is
   assumed about laws, costs, inputs or active sets, and all of them may depend on the past. *)
(* claim: ridge-cb-regret *)
Theorem ridge_inverse_gap_regret
    (n ne D : nat) (lambda c rho W : R) (K : nat) (w : nat -> Vec)
    (rule : list nat -> (nat -> R) -> nat) (env : History -> Round) (T : nat) :
  0 < lambda -> 0 < c -> (1 <= D)%nat -> (1 <= T)%nat -> greedy_rule rule ->
  (forall h, valid_round n ne D rho (env h)) -> (forall h, (length (acts n env h) <= K)%nat) ->
  (forall h a, In a (acts n env h) -> scores_of n env h a = dotd D (w a) (r_input (env h))) ->
  (forall a, dotd D (w a) (w a) <= W * W) ->
  E_cb n D lambda 0 (fun t => c * sqrt (INR t)) rule env T (along (cb_regret n env))
  <= 4 * (INR K - 1) * sqrt (INR T) / c
     + c * sqrt (INR T) / 4 * Reg (n + ne) D lambda W rho 1 T.
Proof.
  intros Hl Hc HD HT RO VR SZ Li Wn.
  apply (cb_anytime_bound n ne D lambda 0 (fun t => c * sqrt (INR t)) rule env rho W 1 K w); auto.
  - intros t Ht. apply Rmult_lt_0_compat; auto. apply sqrt_lt_R0, lt_0_INR. lia.
  - intros h a Ha. rewrite Rminus_0_r. auto.
  - intros v Hv. rewrite Rminus_0_r. nra.
Qed.

(* Theorem B with a known horizon and one greed for all rounds. *)
(* claim: ridge-cb-known-horizon *)
Theorem ridge_inverse_gap_regret_known_horizon
    (n ne D : nat) (lambda rho W : R) (K : nat) (w : nat -> Vec)
    (rule : list nat -> (nat -> R) -> nat) (env : History -> Round) (T : nat) :
  0 < lambda -> 0 < rho -> (1 <= D)%nat -> (1 <= T)%nat -> (2 <= K)%nat -> greedy_rule rule ->
  (forall h, valid_round n ne D rho (env h)) -> (forall h, (length (acts n env h) <= K)%nat) ->
  (forall h a, In a (acts n env h) -> scores_of n env h a = dotd D (w a) (r_input (env h))) ->
  (forall a, dotd D (w a) (w a) <= W * W) ->
  E_cb n D lambda 0
    (fun _ => sqrt (8 * (INR K - 1) * INR T / Reg (n + ne) D lambda W rho 1 T)) rule env T
    (along (cb_regret n env))
  <= sqrt (2 * (INR K - 1) * INR T * Reg (n + ne) D lambda W rho 1 T).
Proof.
  intros Hl Hr HD HT HK RO VR SZ Li Wn.
  set (Rg := Reg (n + ne) D lambda W rho 1 T).
  assert (N0 : 0 < INR (n + ne)).
  { destruct (VR nil) as (_ & _ & [_ S1] & _). apply lt_0_INR. destruct n; [simpl in S1; lra|lia]. }
  assert (D0 : 0 < INR D) by (apply lt_0_INR; lia).
  assert (T0 : 0 < INR T) by (apply lt_0_INR; lia).
  assert (K1 : 1 <= INR K - 1) by (apply le_INR in HK; simpl in HK; lra).
  assert (R0 : 0 < Rg).
  { unfold Rg, Reg. apply Rmult_lt_0_compat; auto.
    assert (Den : 0 < INR (n + ne) * INR D * lambda).
    { apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; auto. }
    assert (Q : 0 < rho * rho * INR T / (INR (n + ne) * INR D * lambda)).
    { apply Rmult_lt_0_compat; [|apply Rinv_0_lt_compat; auto].
      apply Rmult_lt_0_compat; auto. apply Rmult_lt_0_compat; auto. }
    assert (0 < ln (1 + rho * rho * INR T / (INR (n + ne) * INR D * lambda))).
    { rewrite <- ln_1. apply ln_increasing; lra. }
    assert (0 <= lambda * (W * W)) by nra.
    assert (0 < INR D * ln (1 + rho * rho * INR T / (INR (n + ne) * INR D * lambda)))
      by (apply Rmult_lt_0_compat; auto).
    lra. }
  set (a := 8 * (INR K - 1) * INR T / Rg).
  assert (A0 : 0 < a).
  { unfold a. apply Rmult_lt_0_compat; [|apply Rinv_0_lt_compat; auto].
    apply Rmult_lt_0_compat; lra. }
  pose proof (sqrt_lt_R0 a A0) as G0.
  pose proof (cb_regret_bound n ne D lambda 0 (fun _ => sqrt a) rule env rho W 1 K w) as X.
  eapply Rle_trans; [apply X; auto|].
  - intros h b Hb. rewrite Rminus_0_r. auto.
  - intros v Hv. rewrite Rminus_0_r. nra.
  - intros; lra.
  - fold Rg. rewrite sum_const, seq_length.
    set (g := sqrt a) in *. assert (E : g * g = a) by (apply sqrt_sqrt; lra).
    assert (E2 : 2 * (INR K - 1) * INR T = a * Rg / 4) by (unfold a; field; lra).
    replace (2 * (INR K - 1) * INR T * Rg) with (g * Rg / 2 * (g * Rg / 2)).
    + rewrite sqrt_square by (assert (0 < g * Rg) by nra; lra). right.
      replace (INR T * (2 * (INR K - 1) / g)) with (2 * (INR K - 1) * INR T / g) by (field; lra).
      rewrite E2, <- E. field. lra.
    + rewrite E2, <- E. field.
Qed.

(* Forecasting rewards minus one half: a quarter of the logarithmic part. With a bias entry 1 in the
   inputs, linear scores with |w_a| <= W satisfy the premise with W + 1/2. *)
(* claim: ridge-cb-centred *)
Theorem ridge_inverse_gap_regret_centred
    (n ne D : nat) (lambda c rho W : R) (K : nat) (w : nat -> Vec)
    (rule : list nat -> (nat -> R) -> nat) (env : History -> Round) (T : nat) :
  0 < lambda -> 0 < c -> (1 <= D)%nat -> (1 <= T)%nat -> greedy_rule rule ->
  (forall h, valid_round n ne D rho (env h)) -> (forall h, (length (acts n env h) <= K)%nat) ->
  (forall h a, In a (acts n env h) -> scores_of n env h a - 1 / 2 = dotd D (w a) (r_input (env h))) ->
  (forall a, dotd D (w a) (w a) <= W * W) ->
  E_cb n D lambda (1 / 2) (fun t => c * sqrt (INR t)) rule env T (along (cb_regret n env))
  <= 4 * (INR K - 1) * sqrt (INR T) / c
     + c * sqrt (INR T) / 4 * Reg (n + ne) D lambda W rho (1 / 4) T.
Proof.
  intros Hl Hc HD HT RO VR SZ Li Wn.
  apply (cb_anytime_bound n ne D lambda (1 / 2) (fun t => c * sqrt (INR t)) rule env rho W (1 / 4) K w);
    auto.
  - intros t Ht. apply Rmult_lt_0_compat; auto. apply sqrt_lt_R0, lt_0_INR. lia.
  - intros v Hv. nra.
Qed.

(* The premises can be met: one input, two classes, a sure label. *)
Example linear_scores_exist :
  let r := {| r_experts := nil; r_law := fun y => if Nat.eqb y 0 then 1 else 0;
              r_cost := fun _ _ => 0; r_input := fun _ => 1 |} in
  let w := fun a (_ : nat) => if Nat.eqb a 0 then 1 else 0 in
  valid_round 2 0 1 1 r /\
  (forall h a, In a (acts 2 (fun _ => r) h) -> scores_of 2 (fun _ => r) h a = dotd 1 (w a) (r_input r)) /\
  (forall a, dotd 1 (w a) (w a) <= 1 * 1).
Proof.
  intros r w. split; [|split].
  - split; [constructor|]. split; [intros j []|]. split; [split|split].
    + intros y _. simpl. destruct (Nat.eqb y 0); lra.
    + simpl. lra.
    + intros j y [].
    + simpl. lra.
  - intros h a Ha. unfold acts, round_acts, active in Ha. simpl in Ha.
    destruct Ha as [<-|[<-|[]]]; unfold scores_of, dotd, dot; simpl; cbn; lra.
  - intros a. unfold dotd, dot, w. simpl. destruct (Nat.eqb a 0); lra.
Qed.
