(* Regret under concentrated scores (Thm 6.5), as a statement about finite decision trees, with the
   constants of its proof. Lem F.2 enters with mass at least 1 (as printed it fails).
   Stands for: thm-6.5. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions Projection Trees Ogd Rounds Hinge Protocol Algorithm
  Schedules Regret LargeBall.
Import ListNotations.
Open Scope R_scope.

(* Algorithm 1 with the schedules of Thm 6.5. *)
Definition conc_true (n ne D : nat) (B rho : R) rule kink env : History -> R :=
  learner_cond n ne D B (eta_concentrated B (n + ne) rho) (gamma_concentrated B (n + ne) rho)
    rule kink env.
Definition conc_E (n ne D : nat) (B rho : R) rule kink env : nat -> (History -> R) -> R :=
  E_run n ne D B (eta_concentrated B (n + ne) rho) (gamma_concentrated B (n + ne) rho)
    rule kink env.

Section Concentrated.
Variables (n ne D : nat) (B rho : R).
Variable rule : list nat -> (nat -> R) -> nat.
Variable kink : History -> nat -> R.
Variable r : nat -> Round.
Variables (T : nat) (def_best sur_best : R).
Hypothesis classes2 : (2 <= n)%nat.
Hypothesis large : INR (n + ne) <= B.
Hypothesis HT : (16 <= T)%nat.
Hypothesis rule_ok : greedy_rule rule.
Hypothesis kink_ok : forall h b, 0 <= kink h b <= 1.
Hypothesis rho_pos : 0 < rho.
Hypothesis rounds_ok : forall t, valid_round n ne D rho (r t) /\ has_bias D (r t).

Let N := (n + ne)%nat.
Let nu := 1 / sqrt (INR T).
Let A t := round_acts n (r t).
Let s t := round_score n (r t).
Let m t := argmax (A t) (s t).
Let least t := INR (length (A t)) * (sum (A t) (s t) - s t (m t)).
Hypothesis concentrated : forall t, In t (seq 1 T) -> (1 - nu) * sum (A t) (s t) <= s t (m t).
Hypothesis def_is :
  is_inf_over (in_B N D B) (fun W => sum (seq 1 T) (fun t => def_of n D rule (r t) W)) def_best.
Hypothesis sur_is :
  is_inf_over (in_B N D B) (fun W => sum (seq 1 T) (fun t => sur_of n D (r t) W)) sur_best.
Hypothesis gap : sur_best = sum (seq 1 T) least.

Let eta := eta_concentrated B N rho.
Let gamma := gamma_concentrated B N rho.
Let env := fixed r.
Let W := weights n ne D B eta gamma rule kink env.
Let lambda := 1 / (4 * INR N ^ 3 * rho ^ 2).

Lemma size_N : 1 <= INR N.
Proof.
  pose proof (ball_size n ne D rho (r 1%nat) (proj1 (rounds_ok 1%nat))). fold N in H. lra.
Qed.

Lemma N_nat : (1 <= N)%nat.
Proof. unfold N. lia. Qed.

Lemma B_pos : 0 < B.
Proof. pose proof size_N. unfold N in H. lra. Qed.

Lemma nu_small : 0 <= nu <= 1 / 4.
Proof.
  apply le_INR in HT. simpl in HT. assert (16 <= INR T) by lra.
  assert (4 <= sqrt (INR T)).
  { replace 4 with (sqrt 16); [apply sqrt_le_1_alt; lra|].
    replace 16 with (4 * 4) by ring. apply sqrt_square. lra. }
  unfold nu. split.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
  - unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.

Lemma conc_gamma_ok t : (1 <= t)%nat -> 0 < gamma t <= 1.
Proof.
  intros H. pose proof (gamma_concentrated_unit B N rho B_pos rho_pos t H). unfold gamma. lra.
Qed.

Lemma env_ok h : valid_round n ne D rho (env h).
Proof. apply rounds_ok. Qed.

Lemma conc_laws h : possible (outcomes n env) h ->
  node_law (outcomes n env) (prob n ne D B eta gamma rule kink env) h.
Proof.
  intros _. apply (tree_law n ne D B eta gamma rule kink env rho env_ok rule_ok conc_gamma_ok h).
Qed.

(* What a round has over: surrogate excess minus true excess. *)
Let slack (h : History) : R :=
  (sur_of n D (env h) (W h) - least (S (length h)))
  - (def_of n D rule (env h) (W h) - (1 - s (S (length h)) (m (S (length h))))).

Let bound_at (k : nat) : R :=
  lambda * gamma (S k) * (INR N ^ 2 * rho ^ 2) + lambda * nu * (INR N ^ 3 * rho ^ 2) / 2
  + lambda * gamma (S k) * rho ^ 2.

Lemma bound_at_terms k :
  0 <= lambda * gamma (S k) * (INR N ^ 2 * rho ^ 2) /\
  0 <= lambda * nu * (INR N ^ 3 * rho ^ 2) / 2 /\ 0 <= lambda * gamma (S k) * rho ^ 2.
Proof.
  pose proof (lambda_pos N rho rho_pos N_nat) as L. fold lambda in L.
  pose proof (conc_gamma_ok (S k) ltac:(lia)) as G. pose proof nu_small as Nu.
  pose proof size_N as N1.
  assert (0 <= INR N ^ 2 * rho ^ 2) by (apply Rmult_le_pos; apply pow_le; lra).
  assert (0 <= INR N ^ 3 * rho ^ 2) by (apply Rmult_le_pos; apply pow_le; lra).
  assert (0 <= rho ^ 2) by (apply pow_le; lra).
  assert (0 <= lambda * gamma (S k)) by nra. assert (0 <= lambda * nu) by nra.
  repeat split; try (apply Rmult_le_pos; auto; fail).
  apply Rmult_le_pos; [apply Rmult_le_pos; auto|lra].
Qed.

Lemma conc_tree_law h : node_law (outcomes n env) (prob n ne D B eta gamma rule kink env) h.
Proof. apply (tree_law n ne D B eta gamma rule kink env rho env_ok rule_ok conc_gamma_ok h). Qed.

(* Lem F.3, second part: when the greedy action is the best one. *)
Lemma second_moment_right h :
  Generic.identified n (r_experts (env h)) = false -> (length h < T)%nat ->
  greedy n D rule env (W h) h = m (S (length h)) ->
  sum (outcomes n env h) (fun o => prob n ne D B eta gamma rule kink env h o
    * frob2 N D (proj_grad n D gamma rule kink env (W h) h o))
  <= 2 * (INR N ^ 2 * rho ^ 2) + nu * (INR N ^ 3 * rho ^ 2) / gamma (S (length h)).
Proof.
  intros Id Lt Gr. set (t := S (length h)) in *.
  assert (It : In t (seq 1 T)) by (apply in_seq; unfold t; lia).
  destruct (rounds_ok t) as [Vt _]. pose proof Vt as (Nd & Ie & Lw & Co & Xn).
  eapply Rle_trans.
  { apply (second_moment_weighted n ne D B eta gamma rule kink env rho env_ok rule_ok kink_ok
      conc_gamma_ok h Id). }
  change (acts n env h) with (A t).
  change (score n (r_law (env h)) (r_cost (env h))) with (s t).
  change (mixture n D gamma rule env (weights n ne D B eta gamma rule kink env h) h)
    with (mix (A t) (gamma t) (greedy n D rule env (W h) h)). rewrite Gr.
  pose proof (gamma_concentrated_unit B N rho B_pos rho_pos t ltac:(unfold t; lia)) as G.
  fold gamma in G. pose proof (ball_size n ne D rho (r t) Vt) as [K1 KN].
  change (round_acts n (r t)) with (A t) in K1, KN. fold N in KN.
  set (K := INR (length (A t))) in *. set (g := gamma t) in *.
  pose proof (best_is n ne D rho (r t) Vt) as Bm. change (is_argmax (A t) (s t) (m t)) in Bm.
  destruct Bm as [Hm Mm].
  pose proof (ball_nodup n ne D rho (r t) Vt) as NA. change (NoDup (A t)) in NA.
  pose proof nu_small as Nu.
  assert (Su : forall a, In a (A t) -> 0 <= s t a <= 1) by (apply (score_unit _ _ _ _ Lw Co)).
  pose proof (mass_at_most_size _ _ _ _ Lw Co) as SK. change (sum (A t) (s t) <= K) in SK.
  assert (S0 : 0 <= sum (A t) (s t)) by (apply sum_nonneg; intros; apply Su; auto).
  pose proof (concentrated t It) as Cn.
  assert (Rest : sum (others (A t) (m t)) (s t) <= nu * K).
  { rewrite sum_others_eq by auto. nra. }
  assert (Sm : sum (A t) (fun a => s t a / mix (A t) g (m t) a) <= 2 + nu * (K * K) / g).
  { rewrite (sum_others (A t) (m t) _ NA Hm).
    assert (gK : 0 < g / K) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]).
    apply Rplus_le_compat.
    - rewrite mix_eq, Nat.eqb_refl. change (INR (length (A t))) with K.
      specialize (Su (m t) Hm).
      apply Rle_trans with (1 * / (1 / 2)); [|lra].
      apply Rmult_le_compat; try lra; [left; apply Rinv_0_lt_compat; lra|].
      apply Rinv_le_contravar; lra.
    - apply Rle_trans with (sum (others (A t) (m t)) (s t) * (K / g)).
      + rewrite <- sum_scal_r. apply sum_le. intros a Ha. apply others_in in Ha.
        destruct Ha as [Ha _]. specialize (Su a Ha).
        apply Rmult_le_compat_l; [lra|].
        replace (K / g) with (/ (g / K)) by (field; lra). apply Rinv_le_contravar; auto.
        apply (mix_floor n (r_experts (r t))). lra.
      + assert (0 <= K / g) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
        replace (nu * (K * K) / g) with (nu * K * (K / g)) by (field; lra).
        apply Rmult_le_compat_r; auto. }
  assert (R0 : 0 <= rho * rho) by nra.
  apply Rmult_le_compat_l with (r := K * (rho * rho)) in Sm; [|nra].
  eapply Rle_trans; [exact Sm|].
  replace (K * (rho * rho) * (2 + nu * (K * K) / g))
    with (2 * (K * rho ^ 2) + nu * (K ^ 3 * rho ^ 2) / g) by (field; lra).
  assert (P2 : 0 <= rho ^ 2) by (apply pow_le; lra).
  apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; auto. nra.
  - unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; auto. apply pow_incr. lra.
Qed.

(* The conditional second moment against the slack, round by round. *)
Lemma conc_round h :
  (length h < T)%nat ->
  eta (S (length h)) / 2 *
    sum (outcomes n env h) (fun o => prob n ne D B eta gamma rule kink env h o
      * frob2 N D (proj_grad n D gamma rule kink env (W h) h o)) - slack h
  <= bound_at (length h).
Proof.
  intros Lt. set (t := S (length h)).
  assert (It : In t (seq 1 T)) by (apply in_seq; unfold t; lia).
  destruct (rounds_ok t) as [Vt Bt].
  pose proof (gamma_concentrated_unit B N rho B_pos rho_pos t ltac:(unfold t; lia)) as G.
  fold gamma in G.
  pose proof (lambda_pos N rho rho_pos N_nat) as Lp. fold lambda in Lp.
  assert (Ee : eta t = lambda * gamma t) by apply eta_concentrated_eq.
  destruct (bound_at_terms (length h)) as (B1 & B2 & B3).
  assert (Sl : 0 <= slack h).
  { pose proof (ball_calibrated n ne D rho rule rule_ok (r t) Vt (W h)) as C.
    unfold slack, least. change (S (length h)) with t.
    change (env h) with (r t). unfold m, s, A. lra. }
  unfold bound_at. fold t. fold t in B1, B3.
  set (M := sum (outcomes n env h) _).
  pose proof size_N as N1.
  assert (P2 : 0 < rho ^ 2) by (apply pow_lt; lra).
  assert (P3 : 0 < INR N ^ 3) by (apply pow_lt; lra).
  destruct (Generic.identified n (r_experts (env h))) eqn:Id.
  - assert (ML : M <= 2 * rho ^ 2).
    { unfold M. eapply Rle_trans.
      { apply (second_moment_exact n ne D B eta gamma rule kink env rho env_ok rule_ok kink_ok
          conc_gamma_ok h Id). }
      apply andb_prop in Id. destruct Id as [n2 E0]. apply Nat.eqb_eq in n2, E0.
      unfold acts, round_acts. rewrite active_length, E0, n2. simpl. right. ring. }
    apply Rmult_le_compat_l with (r := eta t / 2) in ML; [|rewrite Ee; nra].
    rewrite Ee in *. lra.
  - destruct (Nat.eq_dec (greedy n D rule env (W h) h) (m t)) as [Gr|Gr].
    + pose proof (second_moment_right h Id Lt Gr) as ML. fold M in ML. fold t in ML.
      apply Rmult_le_compat_l with (r := eta t / 2) in ML; [|rewrite Ee; nra].
      rewrite Ee in ML |- *.
      replace (lambda * gamma t / 2 * (2 * (INR N ^ 2 * rho ^ 2)
                                       + nu * (INR N ^ 3 * rho ^ 2) / gamma t))
        with (lambda * gamma t * (INR N ^ 2 * rho ^ 2) + lambda * nu * (INR N ^ 3 * rho ^ 2) / 2)
        in ML by (field; lra).
      lra.
    + pose proof (second_moment n ne D B eta gamma rule kink env rho env_ok rule_ok kink_ok
        conc_gamma_ok h) as ML. fold N in ML.
      change (sum (outcomes n env h) (fun o => prob n ne D B eta gamma rule kink env h o *
        frob2 N D (proj_grad n D gamma rule kink env (weights n ne D B eta gamma rule kink env h) h o)))
        with M in ML. fold t in ML.
      assert (K3 : (3 <= length (A t))%nat).
      { unfold A, round_acts. rewrite active_length. unfold Generic.identified in Id.
        change (env h) with (r t) in Id.
        destruct (Nat.eqb_spec n 2) as [E2|E2]; [|lia].
        destruct (Nat.eqb_spec (length (r_experts (r t))) 0); [discriminate|lia]. }
      pose proof (ball_slack n ne D rho rule rule_ok (r t) Vt (W h) nu nu_small
        (concentrated t It) K3 Gr) as SL.
      assert (SL' : 1 / 4 <= slack h).
      { unfold slack, least. change (S (length h)) with t. change (env h) with (r t).
        unfold m, s, A. lra. }
      apply Rmult_le_compat_l with (r := eta t / 2) in ML; [|rewrite Ee; nra].
      rewrite Ee in ML |- *.
      replace (lambda * gamma t / 2 * (INR N ^ 3 * (rho * rho) / gamma t)) with (1 / 8) in ML.
      * lra.
      * unfold lambda. field. repeat split; lra.
Qed.

(* The master inequality of the proof, summed. *)
Lemma conc_sum :
  E_run n ne D B eta gamma rule kink env T
    (along (fun h o => eta (S (length h)) / 2
        * frob2 N D (proj_grad n D gamma rule kink env (W h) h o) - slack h))
  <= sum (seq 0 T) bound_at.
Proof.
  unfold E_run.
  eapply Rle_trans; [apply (expect_along_le_upto _ _ conc_laws T _ bound_at)|].
  - simpl. auto.
  - intros h _ Lh. simpl in Lh. rewrite Nat.add_0_r in Lh.
    destruct (conc_tree_law h) as [_ Qs].
    rewrite (sum_ext _ _ (fun o =>
      eta (S (length h)) / 2 * (prob n ne D B eta gamma rule kink env h o
        * frob2 N D (proj_grad n D gamma rule kink env (W h) h o))
      - prob n ne D B eta gamma rule kink env h o * slack h)) by (intros; ring).
    rewrite sum_minus, sum_scal, sum_scal_r, Qs.
    pose proof (conc_round h Lh). lra.
  - simpl. lra.
Qed.

Lemma conc_total : sum (seq 0 T) bound_at + sum (seq 1 T) gamma
  <= 2 * lambda * INR N ^ 2 * rho ^ 2 * kappa B N rho * sqrt (INR T)
     + lambda * INR N ^ 3 * rho ^ 2 / 2 * sqrt (INR T)
     + 2 * lambda * rho ^ 2 * kappa B N rho * sqrt (INR T) + 2 * kappa B N rho * sqrt (INR T).
Proof.
  pose proof (concentrated_exploration B N rho B_pos rho_pos T) as X. fold gamma in X.
  pose proof (lambda_pos N rho rho_pos N_nat) as Lp. fold lambda in Lp.
  pose proof size_N as N1.
  assert (E : sum (seq 0 T) bound_at
    = lambda * (INR N ^ 2 * rho ^ 2 + rho ^ 2) * sum (seq 1 T) gamma
      + INR T * (lambda * nu * (INR N ^ 3 * rho ^ 2) / 2)).
  { rewrite (sum_seq_shift 1). change (fun i => gamma (1 + i)%nat) with (fun k => gamma (S k)).
    replace (INR T * (lambda * nu * (INR N ^ 3 * rho ^ 2) / 2))
      with (sum (seq 0 T) (fun _ => lambda * nu * (INR N ^ 3 * rho ^ 2) / 2))
      by (rewrite sum_const, seq_length; reflexivity).
    rewrite <- (sum_scal (seq 0 T)), <- sum_plus.
    apply sum_ext. intros k _. unfold bound_at. ring. }
  assert (En : INR T * nu = sqrt (INR T)).
  { assert (P : 0 < INR T) by (apply lt_0_INR; lia). unfold nu.
    pose proof (sqrt_lt_R0 _ P) as Sp. rewrite <- (sqrt_sqrt (INR T)) at 1 by lra. field. lra. }
  rewrite E.
  replace (INR T * (lambda * nu * (INR N ^ 3 * rho ^ 2) / 2))
    with (lambda * INR N ^ 3 * rho ^ 2 / 2 * (INR T * nu)) by field. rewrite En.
  assert (P : 0 <= lambda * (INR N ^ 2 * rho ^ 2 + rho ^ 2)).
  { apply Rmult_le_pos; [lra|]. apply Rplus_le_le_0_compat; [apply Rmult_le_pos|]; apply pow_le; lra. }
  apply Rmult_le_compat_l with (r := lambda * (INR N ^ 2 * rho ^ 2 + rho ^ 2)) in X as X'; auto.
  lra.
Qed.

Lemma conc_regret :
  conc_E n ne D B rho rule kink env T (along (fun h _ => conc_true n ne D B rho rule kink env h))
  - def_best <= concentrated_bound B N rho T.
Proof.
  assert (T1 : (1 <= T)%nat) by lia. pose proof B_pos as HB.
  unfold conc_E. fold N. fold eta. fold gamma.
  (* descent, against the best matrix *)
  set (F := E_run n ne D B eta gamma rule kink env T
    (along (fun h o => eta (S (length h)) / 2
              * frob2 N D (proj_grad n D gamma rule kink env (W h) h o)))).
  set (L := E_run n ne D B eta gamma rule kink env T
    (along (fun h _ => sur_of n D (env h) (W h)))).
  assert (SR : L - sur_best <= 2 * (B * B) / eta T + F).
  { assert (H : L - (2 * (B * B) / eta T + F) <= sur_best); [|lra].
    apply sur_is. intros V HV.
    pose proof (expected_excess n ne D B eta gamma rule kink env rho ltac:(lra) env_ok rule_ok
      kink_ok conc_gamma_ok (eta_concentrated_pos B N rho HB rho_pos N_nat)
      (eta_concentrated_dec B N rho HB rho_pos N_nat) T V T1 HV) as X.
    fold N in X. change (weights n ne D B eta gamma rule kink env) with W in X.
    unfold E_run in X at 1.
    rewrite (expect_ext _ _ conc_laws T nil _
      (fun h => along (fun h _ => sur_of n D (env h) (W h)) h
                - sum (seq 1 T) (fun t => sur_of n D (r t) V))) in X.
    - rewrite expect_minus, (expect_const _ _ conc_laws) in X by (simpl; auto).
      change (L - sum (seq 1 T) (fun t => sur_of n D (r t) V) <= 2 * (B * B) / eta T + F) in X. lra.
    - simpl. auto.
    - intros h _ Lh. simpl in Lh. rewrite Nat.add_0_r in Lh.
      rewrite (along_minus (fun h _ => sur_of n D (env h) (W h))
                           (fun h _ => sur_of n D (env h) V)).
      unfold env at 2. rewrite (along_fixed r (fun rd => sur_of n D rd V) T h Lh). reflexivity. }
  (* true risk = surrogate risk - slack + exploration, along every path *)
  set (C := sum (seq 1 T) (fun t => 1 - s t (m t)) - sum (seq 1 T) least + sum (seq 1 T) gamma).
  assert (P : E_run n ne D B eta gamma rule kink env T
      (along (fun h _ => conc_true n ne D B rho rule kink env h))
    <= E_run n ne D B eta gamma rule kink env T (fun h =>
         along (fun h _ => sur_of n D (env h) (W h)) h - along (fun h _ => slack h) h + C)).
  { apply (expect_le _ _ conc_laws); [simpl; auto|]. intros h Ph Lh. simpl in Lh.
    rewrite Nat.add_0_r in Lh. unfold C. rewrite <- Lh.
    rewrite !(sum_seq_shift 1), <- !along_rounds with (h := h).
    rewrite <- !along_minus, <- !along_plus.
    apply (along_le (outcomes n env)); auto. intros h' o _ _. unfold slack.
    change (1 + length h')%nat with (S (length h')).
    destruct (env_ok h') as (Nd & _ & Lw & Co & _).
    pose proof (conc_gamma_ok (S (length h')) ltac:(lia)) as Gm.
    assert (InG : In (rule (round_acts n (env h')) (round_scores n D (env h') (W h')))
                     (round_acts n (env h'))).
    { apply rule_ok. apply (round_nonempty _ _ _ _ Lw Co). }
    pose proof (mix_price n _ _ _ Nd Lw Co (gamma (S (length h'))) _ ltac:(lra) InG) as M.
    change (conc_true n ne D B rho rule kink env h'
            <= def_of n D rule (env h') (W h') + gamma (S (length h'))) in M.
    lra. }
  assert (DB : sum (seq 1 T) (fun t => 1 - s t (m t)) <= def_best).
  { apply def_is. intros V HV. apply sum_le. intros t Ht. destruct (rounds_ok t) as [Vt Bt].
    apply (def_least n ne D B rho rule rule_ok large (r t) Vt Bt). auto. }
  unfold E_run, History in P |- *.
  rewrite expect_plus, expect_minus, (expect_const _ _ conc_laws) in P by (simpl; auto).
  pose proof conc_sum as CS. unfold E_run in CS.
  rewrite (expect_ext _ _ conc_laws T nil _ (fun h =>
    along (fun h o => eta (S (length h)) / 2
              * frob2 N D (proj_grad n D gamma rule kink env (W h) h o)) h
    - along (fun h _ => slack h) h)) in CS;
    [|simpl; auto|intros; apply along_minus].
  rewrite expect_minus in CS.
  unfold F, L, E_run in SR.
  pose proof (concentrated_diameter B N rho HB rho_pos N_nat T T1) as Dm. fold eta in Dm.
  pose proof conc_total as Ct. unfold C in P. unfold concentrated_bound.
  change (1 / (4 * INR N ^ 3 * rho ^ 2)) with lambda.
  set (X1 := expect _ _ _ _ (fun h => along (fun h0 _ => slack h0) h)) in *.
  lra.
Qed.

End Concentrated.

(* Thm 6.5: at least two classes, T >= 16, B >= N, inputs with their bias entry, the best action holds
   1 - 1/sqrt T of the normalised score in every round, zero surrogate gap. The bound is the sum of
   the terms of the proof; the O( ) holds with the constants 12 and 16. Calibration is proved. *)
(* claim: thm-6.5 *)
Theorem concentrated_regret
    (n ne D : nat) (B rho : R) (rule : list nat -> (nat -> R) -> nat) (kink : History -> nat -> R)
    (r : nat -> Round) (T : nat) (sur_inf : nat -> R) (def_best sur_best : R) :
  (2 <= n)%nat -> (16 <= T)%nat -> INR (n + ne) <= B -> 0 < rho -> greedy_rule rule ->
  (forall h b, 0 <= kink h b <= 1) ->
  (forall t, valid_round n ne D rho (r t) /\ has_bias D (r t)) ->
  (forall t, In t (seq 1 T) ->
     1 - 1 / sqrt (INR T) <= largest (round_acts n (r t))
                               (score_bar (round_acts n (r t)) (round_score n (r t)))) ->
  (forall t, In t (seq 1 T) -> is_inf_over (in_B (n + ne) D B) (sur_of n D (r t)) (sur_inf t)) ->
  is_inf_over (in_B (n + ne) D B) (fun W => sum (seq 1 T) (fun t => def_of n D rule (r t) W)) def_best ->
  is_inf_over (in_B (n + ne) D B) (fun W => sum (seq 1 T) (fun t => sur_of n D (r t) W)) sur_best ->
  sur_best - sum (seq 1 T) sur_inf = 0 ->
  conc_E n ne D B rho rule kink (fixed r) T
    (along (fun h _ => conc_true n ne D B rho rule kink (fixed r) h)) - def_best
  <= concentrated_bound B (n + ne) rho T
  /\ concentrated_bound B (n + ne) rho T
     <= 12 * (B * Rpower (INR (n + ne)) (3 / 2) * rho) * sqrt (INR T)
        + 16 * (B ^ 2 * INR (n + ne) ^ 3 * rho ^ 2).
Proof.
  intros C2 HT LB Hr RO KO VR Con HS HD HB Gap. split.
  - apply (conc_regret n ne D B rho rule kink r T def_best sur_best); auto.
    + intros t Ht. specialize (Con t Ht). destruct (VR t) as [V _].
      pose proof V as (_ & _ & Lw & Co & _).
      pose proof (mass_at_least_1 _ _ _ _ Lw Co) as S1.
      pose proof (best_is n ne D rho (r t) V) as [Hm Mm].
      change (1 <= sum (round_acts n (r t)) (round_score n (r t))) in S1.
      set (A := round_acts n (r t)) in *. set (s := round_score n (r t)) in *.
      rewrite (largest_is A _ (argmax A s)) in Con.
      * rewrite score_bar_eq in Con. set (S := sum A s) in *.
        apply Rmult_le_compat_r with (r := S) in Con; [|lra].
        replace (s (argmax A s) / S * S) with (s (argmax A s)) in Con by (field; lra). exact Con.
      * split; auto. intros b Hb. rewrite !score_bar_eq. apply Rmult_le_compat_r; auto.
        left. apply Rinv_0_lt_compat. lra.
    + replace sur_best with (sum (seq 1 T) sur_inf) by lra. apply sum_ext. intros t Ht.
      destruct (VR t) as [V Bi]. apply (inf_unique _ _ _ _ (HS t Ht)).
      apply (sur_least n ne D B rho LB (r t) V Bi).
  - unfold concentrated_bound. change (B * Rpower (INR (n + ne)) (3 / 2) * rho) with (kappa B (n + ne) rho).
    pose proof (ball_size n ne D rho (r 1%nat) (proj1 (VR 1%nat))) as [_ N1].
    pose proof (ball_size n ne D rho (r 1%nat) (proj1 (VR 1%nat))) as [N0 _].
    destruct (VR 1%nat) as [(_ & _ & _ & _ & X1) X0]. unfold has_bias in X0.
    set (N := (n + ne)%nat) in *. assert (HN : (1 <= N)%nat) by (unfold N; lia).
    assert (N2 : 1 <= INR N) by lra. assert (B1 : 1 <= B) by lra.
    assert (R1 : 1 <= rho) by nra.
    pose proof (sqrt_pos (INR T)) as Sp.
    assert (E : B ^ 2 * INR N ^ 3 * rho ^ 2 = kappa B N rho * kappa B N rho).
    { rewrite <- n32_square by auto. unfold kappa. fold (n32 N). ring. }
    assert (M1 : 1 <= n32 N).
    { pose proof (n32_square N HN) as Q. pose proof (n32_pos N).
      assert (1 <= INR N ^ 3) by (rewrite <- (pow1 3); apply pow_incr; lra).
      apply Rnot_lt_le. intros Lt. nra. }
    assert (K1 : 1 <= kappa B N rho).
    { unfold kappa. fold (n32 N). assert (1 <= B * n32 N) by nra. nra. }
    set (k := kappa B N rho) in *. set (q := sqrt (INR T)) in *.
    replace (8 * B ^ 2 * INR N ^ 3 * rho ^ 2 / k * q) with (8 * k * q).
    2:{ replace (8 * B ^ 2 * INR N ^ 3 * rho ^ 2) with (8 * (k * k)) by lra. field. lra. }
    replace (2 * (1 / (4 * INR N ^ 3 * rho ^ 2)) * INR N ^ 2 * rho ^ 2 * k * q)
      with (k * q * (/ (2 * INR N))) by (field; repeat split; lra).
    replace (1 / (4 * INR N ^ 3 * rho ^ 2) * INR N ^ 3 * rho ^ 2 / 2 * q)
      with (q * / 8) by (field; repeat split; lra).
    replace (2 * (1 / (4 * INR N ^ 3 * rho ^ 2)) * rho ^ 2 * k * q)
      with (k * q * (/ (2 * INR N ^ 3))) by (field; repeat split; lra).
    assert (I1 : / (2 * INR N) <= / 2) by (apply Rinv_le_contravar; lra).
    assert (I3 : / (2 * INR N ^ 3) <= / 2).
    { apply Rinv_le_contravar; [lra|].
      assert (1 <= INR N ^ 3) by (rewrite <- (pow1 3); apply pow_incr; lra). lra. }
    assert (kq : 0 <= k * q) by nra.
    assert (q <= k * q) by nra.
    apply Rmult_le_compat_l with (r := k * q) in I1; auto.
    apply Rmult_le_compat_l with (r := k * q) in I3; auto.
    lra.
Qed.

(* The premises can be met: one input, two classes, a sure label, nothing changes from round to round
   (then the gap is zero: gap_zero_if_constant). *)
Example concentrated_rounds_exist :
  let r := {| r_experts := nil; r_law := fun y => if Nat.eqb y 0 then 1 else 0;
              r_cost := fun _ _ => 0; r_input := fun _ => 1 |} in
  valid_round 2 0 1 1 r /\ has_bias 1 r /\
  (forall T, (1 <= T)%nat -> 1 - 1 / sqrt (INR T)
     <= largest (round_acts 2 r) (score_bar (round_acts 2 r) (round_score 2 r))).
Proof.
  intros r. split; [|split].
  - split; [constructor|]. split; [intros j []|]. split; [split|split].
    + intros y _. simpl. destruct (Nat.eqb y 0); lra.
    + simpl. lra.
    + intros j y [].
    + simpl. lra.
  - unfold has_bias. simpl. lra.
  - intros T HT. assert (0 < 1 / sqrt (INR T)).
    { apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat, sqrt_lt_R0, lt_0_INR. lia. }
    apply Rle_trans with (score_bar (round_acts 2 r) (round_score 2 r) 0).
    + rewrite score_bar_eq. unfold round_score. cbn. lra.
    + apply largest_ge. simpl. auto.
Qed.
