(* Algorithm 1 has linear regret on a sequence fixed in advance whose expert comes and goes.

   regret-sublinear: one input, two classes with probabilities 4/5 and 1/5, one expert that is always
   right and costs nothing. There is a sequence of availabilities, fixed in advance, such that the
   expected true regret of Algorithm 1 with the schedules of Thm 6.3 after T rounds is at least
   T / 10 minus four times the bound of Thm 6.3, for every T: linear, although the regret is taken
   against one fixed matrix of the ball that is always right. Any radius with B^2 >= 2, any rule for
   ties, any choice of subgradient at kinks.

   How the sequence is found. After t rounds, of the two possible next rounds one has a conditional
   expectation of true regret plus four times surrogate excess of at least 1/10, because their average
   has (RegretSublinear.v). What this expectation is depends only on the sequence so far. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Projection Trees Ogd Rounds Hinge Protocol Algorithm
  Schedules Regret.
From Deferlab Require Calibration RegretSublinear.
Import ListNotations.
Open Scope R_scope.

(* The tree up to depth T only depends on what happens before. *)
Lemma expect_change {Out} (outs outs' : list Out -> list Out) (pr pr' : list Out -> Out -> R) T :
  forall h F F',
  (forall h', (length h' < T + length h)%nat -> outs h' = outs' h') ->
  (forall h' o, (length h' < T + length h)%nat -> pr h' o = pr' h' o) ->
  (forall h', length h' = (T + length h)%nat -> F h' = F' h') ->
  expect outs pr T h F = expect outs' pr' T h F'.
Proof.
  induction T as [|T IH]; simpl; intros h F F' HO HP HF; [auto|].
  rewrite (HO h) by lia. apply sum_ext. intros o _. rewrite (HP h o) by lia. f_equal.
  apply IH; simpl.
  - intros h' L. apply HO. lia.
  - intros h' o' L. apply HP. lia.
  - intros h' L. apply HF. lia.
Qed.

(* The expected sum over the rounds is the sum of the expectations. *)
Lemma expect_along_sum {Out} (outs : list Out -> list Out) (pr : list Out -> Out -> R)
    (f : list Out -> R) T :
  (forall h, possible outs h -> node_law outs pr h) ->
  expect outs pr T nil (along (fun h _ => f h)) = sum (seq 0 T) (fun k => expect outs pr k nil f).
Proof.
  intros laws.
  assert (G : forall T h, possible outs h ->
    expect outs pr T h (along (fun h _ => f h))
    = along (fun h _ => f h) h + sum (seq 0 T) (fun k => expect outs pr k h f)).
  { clear T. induction T as [|T IH]; intros h P; [simpl; ring|].
    destruct (laws h P) as [_ E].
    change (expect outs pr (S T) h (along (fun h _ => f h)))
      with (sum (outs h) (fun o => pr h o * expect outs pr T (o :: h) (along (fun h _ => f h)))).
    rewrite (sum_ext (outs h) _ (fun o => pr h o * (along (fun h _ => f h) h + f h)
      + sum (seq 0 T) (fun k => pr h o * expect outs pr k (o :: h) f))).
    - rewrite sum_plus, sum_scal_r, E, sum_swap.
      change (seq 0 (S T)) with (0%nat :: seq 1 T). rewrite sum_cons, (sum_seq_shift 1 T).
      change (expect outs pr 0 h f) with (f h).
      rewrite (sum_ext (seq 0 T) (fun i => expect outs pr (1 + i) h f)
        (fun k => sum (outs h) (fun o => pr h o * expect outs pr k (o :: h) f))) by auto.
      ring.
    - intros o Ho. rewrite IH by (simpl; auto). rewrite sum_scal. simpl along. ring. }
  rewrite (G T nil) by (simpl; auto). simpl. ring.
Qed.

(* The weights after a history depend on the rounds before only. *)
Lemma weights_change n ne D B eta gamma rule kink env env' h :
  (forall h', (length h' < length h)%nat -> env h' = env' h') ->
  weights n ne D B eta gamma rule kink env h = weights n ne D B eta gamma rule kink env' h.
Proof.
  induction h as [|o h IH]; intros H; [reflexivity|].
  simpl. rewrite IH by (intros; apply H; simpl; lia).
  unfold step, proj_grad, est_grad, hinge_grad, proj_scores, mixture, greedy, proj_scores, acts.
  rewrite (H h) by (simpl; lia). reflexivity.
Qed.

(* The two rounds. *)
Definition law2 : nat -> R := Calibration.vector [4 / 5; 1 / 5].
Definition bias : nat -> R := Calibration.vector [0; 1].
Definition with_expert : Round :=
  {| r_experts := [0%nat]; r_law := law2; r_cost := fun _ _ => 0; r_input := bias |}.
Definition without_expert : Round :=
  {| r_experts := []; r_law := law2; r_cost := fun _ _ => 0; r_input := bias |}.

(* Matrices that only use the bias. *)
Definition biases (l : list R) : Matrix := fun a j => if Nat.eqb j 1 then Calibration.vector l a else 0.
(* The optimum of the surrogate, and a matrix that is always right. *)
Definition sur_opt : Matrix := biases [1; -1; 0].
Definition right_one : Matrix := biases [1 / 2; 0; 1].

Lemma law2_is_law : is_law 2 law2.
Proof.
  split.
  - intros y _. unfold law2, Calibration.vector. destruct y as [|[|[|y]]]; simpl; lra.
  - unfold law2, Calibration.vector. simpl. lra.
Qed.

Lemma rounds_valid rho r : 1 <= rho -> r = with_expert \/ r = without_expert ->
  valid_round 2 1 2 rho r.
Proof.
  intros R H.
  assert (X : sum (seq 0 2) (fun k => bias k * bias k) <= rho * rho).
  { unfold bias, Calibration.vector. simpl. nra. }
  destruct H as [-> | ->]; (split; [|split; [|split; [apply law2_is_law|split; [|exact X]]]]); simpl.
  - repeat constructor; simpl; tauto.
  - intros j [<-|[]]. lia.
  - intros j y _ _. simpl. lra.
  - constructor.
  - intros j [].
  - intros j y [].
Qed.

Lemma score_is_half_s a : In a [0; 1; 2]%nat -> score 2 law2 (fun _ _ => 0) a = RegretSublinear.half_s a.
Proof.
  intros H. rewrite score_eq. unfold law2, RegretSublinear.half_s, Calibration.vector.
  repeat destruct H as [<-|H]; simpl; try ring; tauto.
Qed.

Lemma risk_change A s s' u u' :
  (forall a, In a A -> s a = s' a) -> (forall a, In a A -> u a = u' a) ->
  risk cstnd_hinge A s u = risk cstnd_hinge A s' u'.
Proof.
  intros Hs Hu. rewrite !risk_eq. apply sum_ext. intros a Ha. rewrite (Hs a Ha). f_equal.
  rewrite !cstnd_hinge_eq. apply sum_ext. intros b Hb. apply others_in in Hb.
  rewrite (Hu b) by tauto. auto.
Qed.

Lemma sur_with W :
  sur_of 2 2 with_expert W
  = risk (centred cstnd_hinge) [0; 1; 2]%nat RegretSublinear.half_s (scores 2 W bias).
Proof.
  unfold sur_of.
  rewrite (surrogate_risk_score 2 [0%nat] law2 (fun _ _ => 0) law2_is_law).
  change (risk (centred cstnd_hinge) [0; 1; 2]%nat RegretSublinear.half_s (scores 2 W bias))
    with (risk cstnd_hinge [0; 1; 2]%nat RegretSublinear.half_s (proj [0; 1; 2]%nat (scores 2 W bias))).
  apply risk_change; [exact score_is_half_s|]. intros a _. apply (scores_projM 2 [0; 1; 2]%nat).
Qed.

Lemma sur_without W :
  sur_of 2 2 without_expert W
  = risk (centred cstnd_hinge) [0; 1]%nat RegretSublinear.half_s (scores 2 W bias).
Proof.
  unfold sur_of.
  rewrite (surrogate_risk_score 2 [] law2 (fun _ _ => 0) law2_is_law).
  change (risk (centred cstnd_hinge) [0; 1]%nat RegretSublinear.half_s (scores 2 W bias))
    with (risk cstnd_hinge [0; 1]%nat RegretSublinear.half_s (proj [0; 1]%nat (scores 2 W bias))).
  apply risk_change.
  - intros a Ha. apply score_is_half_s. simpl in *. tauto.
  - intros a _. apply (scores_projM 2 [0; 1]%nat).
Qed.

Lemma biases_scores l a : scores 2 (biases l) bias a = Calibration.vector l a.
Proof. unfold scores, biases, bias, Calibration.vector. simpl. ring. Qed.

(* The same risk as in RegretSublinear.v, at the scores of the matrix. *)
Lemma half_sum W :
  sur_of 2 2 with_expert W + sur_of 2 2 without_expert W
  = 2 * RegretSublinear.mixture_risk (centred cstnd_hinge) RegretSublinear.half_mix
          RegretSublinear.half_s (scores 2 W bias).
Proof.
  rewrite sur_with, sur_without. unfold RegretSublinear.mixture_risk, RegretSublinear.half_mix.
  cbn [sum fst snd]. field.
Qed.

Lemma sur_opt_value : sur_of 2 2 with_expert sur_opt + sur_of 2 2 without_expert sur_opt = 19 / 5.
Proof.
  rewrite half_sum, RegretSublinear.half_risk. unfold sur_opt. rewrite !biases_scores.
  unfold Calibration.vector. cbn [nth].
  rewrite (Rmax_right 0 (1 + (2 * 1 - -1 - 0) / 3)) by lra.
  rewrite (Rmax_left 0 (1 + (2 * -1 - 1 - 0) / 3)) by lra.
  rewrite (Rmax_right 0 (1 + (2 * 0 - 1 - -1) / 3)) by lra.
  rewrite (Rmax_right 0 (1 + (1 - -1) / 2)) by lra.
  rewrite (Rmax_left 0 (1 + (-1 - 1) / 2)) by lra. lra.
Qed.

Section Construction.
Variables (B rho : R) (rule : list nat -> (nat -> R) -> nat) (kink : History -> nat -> R).
Hypotheses (HB : 0 < B) (B2 : 2 <= B * B) (Hrho : 1 <= rho) (rule_ok : greedy_rule rule)
  (kink_ok : forall h b, 0 <= kink h b <= 1).

Let N := (2 + 1)%nat.
Let alg_W env := alg_weights 2 1 2 B rho rule kink env.
Let E env := alg_E 2 1 2 B rho rule kink env.

Definition round_of (b : bool) : Round := if b then with_expert else without_expert.

(* What the learner loses at least where it does not ask the expert. *)
Definition bonus (b : bool) (W : Matrix) : R :=
  if b then (if Nat.eqb (rule [0; 1; 2]%nat (round_scores 2 2 with_expert W)) 2 then 0 else 1 / 5)
  else 0.
Definition worth (b : bool) (W : Matrix) : R :=
  bonus b W + 4 * (sur_of 2 2 (round_of b) W - sur_of 2 2 (round_of b) sur_opt).

Lemma worth_average W : 1 / 10 <= (worth true W + worth false W) / 2.
Proof.
  unfold worth, round_of. pose proof (half_sum W) as F. pose proof sur_opt_value as V.
  set (u := scores 2 W bias) in *.
  pose proof (proj1 RegretSublinear.half_min u I) as L.
  unfold bonus. destruct (Nat.eqb_spec (rule [0; 1; 2]%nat (round_scores 2 2 with_expert W)) 2) as [G|G].
  - assert (M : is_argmax [0; 1; 2]%nat u 2%nat).
    { pose proof (rule_ok [0; 1; 2]%nat (round_scores 2 2 with_expert W) ltac:(discriminate)) as Q.
      rewrite G in Q. destruct Q as [I1 Q]. split; auto. intros b Hb. specialize (Q b Hb).
      unfold round_scores in Q. change (round_acts 2 with_expert) with [0; 1; 2]%nat in Q.
      rewrite !scores_projM, !proj_in in Q by auto.
      change (r_input with_expert) with bias in Q. fold u in Q. lra. }
    pose proof (RegretSublinear.half_expert_on_top u M). lra.
  - lra.
Qed.

Definition seq_of (f : nat -> bool) : nat -> Round := fun t => round_of (f t).

Lemma seq_valid f t : valid_round 2 1 2 rho (seq_of f t).
Proof.
  apply rounds_valid; auto. unfold seq_of, round_of. destruct (f t); auto.
Qed.

Lemma seq_laws f h :
  node_law (outcomes 2 (fixed (seq_of f)))
    (prob 2 1 2 B (eta_general B (2 + 1) rho) gamma_general rule kink (fixed (seq_of f))) h.
Proof.
  apply (tree_law 2 1 2 B (eta_general B (2 + 1) rho) gamma_general rule kink (fixed (seq_of f)) rho);
    auto.
  - intros. apply seq_valid.
  - intros t Ht. pose proof (gamma_general_unit t Ht). lra.
Qed.

(* The choice for round t + 1, from the rounds before. *)
Definition pick (f : nat -> bool) (t : nat) : bool :=
  if Rle_dec (1 / 10) (E (fixed (seq_of f)) t (fun h => worth true (alg_W (fixed (seq_of f)) h)))
  then true else false.
Fixpoint prefix (t : nat) : nat -> bool :=
  match t with
  | O => fun _ => false
  | S t' => fun i => if Nat.eqb i (S t') then pick (prefix t') t' else prefix t' i
  end.
Definition choice (i : nat) : bool := prefix i i.

Lemma prefix_is_choice t i : (i <= t)%nat -> prefix t i = choice i.
Proof.
  induction t as [|t IH]; intros H.
  - replace i with 0%nat by lia. reflexivity.
  - destruct (Nat.eq_dec i (S t)) as [->|NE]; [reflexivity|].
    simpl. destruct (Nat.eqb_spec i (S t)); [lia|]. apply IH. lia.
Qed.

Lemma pick_works f t :
  1 / 10 <= E (fixed (seq_of f)) t (fun h => worth (pick f t) (alg_W (fixed (seq_of f)) h)).
Proof.
  unfold pick at 1. destruct Rle_dec as [G|G]; [auto|].
  set (env := fixed (seq_of f)) in *.
  assert (Q : 1 / 10 <= E env t (fun h => (worth true (alg_W env h) + worth false (alg_W env h)) * (1 / 2))).
  { unfold E, alg_E, E_run.
    rewrite <- (expect_const (outcomes 2 env) _ (fun h _ => seq_laws f h) t (1 / 10) nil) by (simpl; auto).
    apply expect_le; [intros; apply seq_laws|simpl; auto|].
    intros h _ _. pose proof (worth_average (alg_W env h)). lra. }
  unfold E, alg_E, E_run in *.
  rewrite (expect_ext _ _ (fun h _ => seq_laws f h) t nil _
    (fun h => 1 / 2 * (worth true (alg_W env h) + worth false (alg_W env h)))) in Q
    by (simpl; auto; intros; ring).
  rewrite expect_scal, expect_plus in Q. fold env in Q. unfold History in *. lra.
Qed.

Lemma expectation_change f f' t (F : Matrix -> R) :
  (forall i, (1 <= i <= t)%nat -> f i = f' i) ->
  E (fixed (seq_of f)) t (fun h => F (alg_W (fixed (seq_of f)) h))
  = E (fixed (seq_of f')) t (fun h => F (alg_W (fixed (seq_of f')) h)).
Proof.
  intros H.
  assert (Env : forall h, (length h < t)%nat -> fixed (seq_of f) h = fixed (seq_of f') h).
  { intros h L. unfold fixed, seq_of. rewrite H by lia. auto. }
  assert (Wt : forall h, (length h <= t)%nat ->
    alg_W (fixed (seq_of f)) h = alg_W (fixed (seq_of f')) h).
  { intros h L. apply weights_change. intros h' L'. apply Env. lia. }
  apply expect_change; simpl; rewrite ?Nat.add_0_r.
  - intros h L. unfold outcomes, acts. rewrite (Env h) by auto. auto.
  - intros h o L. unfold prob, mixture, greedy, proj_scores, acts.
    pose proof (Wt h ltac:(lia)) as X. unfold alg_W, alg_weights in X.
    change (2 + 1)%nat with 3%nat in X. rewrite X, (Env h) by auto. auto.
  - intros h L. rewrite Wt by lia. auto.
Qed.

Lemma choice_works t :
  1 / 10 <= E (fixed (seq_of choice)) t
              (fun h => worth (choice (S t)) (alg_W (fixed (seq_of choice)) h)).
Proof.
  rewrite <- (expectation_change (prefix t) choice t) by (intros; apply prefix_is_choice; lia).
  replace (choice (S t)) with (pick (prefix t) t).
  - apply pick_works.
  - unfold choice. simpl. rewrite Nat.eqb_refl. auto.
Qed.

(* The matrix that is always right. *)
Lemma right_with : def_of 2 2 rule with_expert right_one = 0.
Proof.
  unfold def_of. change (round_acts 2 with_expert) with [0; 1; 2]%nat.
  assert (G : rule [0; 1; 2]%nat (round_scores 2 2 with_expert right_one) = 2%nat).
  { destruct (rule_ok [0; 1; 2]%nat (round_scores 2 2 with_expert right_one) ltac:(discriminate)) as [I1 Q].
    specialize (Q 2%nat ltac:(simpl; auto)). unfold round_scores in *.
    change (round_acts 2 with_expert) with [0; 1; 2]%nat in *.
    rewrite !scores_projM, !proj_in in Q by (auto; simpl; auto).
    change (r_input with_expert) with bias in *. unfold right_one in Q at 1 3.
    rewrite biases_scores in Q.
    set (r := rule [0; 1; 2]%nat (scores 2 (projM [0; 1; 2]%nat right_one) bias)) in *.
    unfold right_one in Q at 1. rewrite biases_scores in Q. unfold Calibration.vector in Q.
    repeat destruct I1 as [<-|I1]; cbn in Q; try lra; auto; tauto. }
  rewrite G, true_risk_eq. unfold with_expert. simpl. rewrite !true_loss_eq. simpl. ring.
Qed.

Lemma right_without : def_of 2 2 rule without_expert right_one = 1 / 5.
Proof.
  unfold def_of. change (round_acts 2 without_expert) with [0; 1]%nat.
  assert (G : rule [0; 1]%nat (round_scores 2 2 without_expert right_one) = 0%nat).
  { destruct (rule_ok [0; 1]%nat (round_scores 2 2 without_expert right_one) ltac:(discriminate)) as [I1 Q].
    specialize (Q 0%nat ltac:(simpl; auto)). unfold round_scores in *.
    change (round_acts 2 without_expert) with [0; 1]%nat in *.
    rewrite !scores_projM, !proj_in in Q by (auto; simpl; auto).
    change (r_input without_expert) with bias in *. unfold right_one in Q at 1 3.
    rewrite biases_scores in Q.
    set (r := rule [0; 1]%nat (scores 2 (projM [0; 1]%nat right_one) bias)) in *.
    unfold right_one in Q at 1. rewrite biases_scores in Q. unfold Calibration.vector in Q.
    repeat destruct I1 as [<-|I1]; cbn in Q; try lra; auto; tauto. }
  rewrite G, true_risk_eq. unfold without_expert, law2, Calibration.vector. simpl.
  rewrite !true_loss_eq. simpl. field.
Qed.

(* The learner's true risk in a round, against that of the right matrix. *)
Lemma loses_at_least f h :
  bonus (f (S (length h))) (alg_W (fixed (seq_of f)) h)
  <= alg_true 2 1 2 B rho rule kink (fixed (seq_of f)) h
     - def_of 2 2 rule (fixed (seq_of f) h) right_one.
Proof.
  set (env := fixed (seq_of f)). unfold alg_true, learner_cond.
  change (weights 2 1 2 B (eta_general B (2 + 1) rho) gamma_general rule kink env h) with (alg_W env h).
  set (W := alg_W env h). unfold mixture, greedy, proj_scores, acts.
  pose proof (gamma_general_unit (S (length h)) ltac:(lia)) as Gm.
  set (g := gamma_general (S (length h))) in *.
  assert (Er : env h = round_of (f (S (length h)))) by reflexivity. rewrite Er.
  destruct (f (S (length h))); unfold round_of, bonus.
  - rewrite right_with. change (round_acts 2 with_expert) with [0; 1; 2]%nat.
    change (r_law with_expert) with law2. change (r_cost with_expert) with (fun _ _ : nat => 0).
    rewrite (true_risk_mix_score 2 [0%nat] law2 (fun _ _ => 0) law2_is_law).
    change (active 2 [0%nat]) with [0; 1; 2]%nat. cbn [sum].
    rewrite !score_is_half_s by (simpl; auto). unfold RegretSublinear.half_s, Calibration.vector.
    cbn [nth]. rewrite !mix_eq. replace (INR (length [0; 1; 2]%nat)) with 3 by (simpl; ring).
    destruct (rule_ok [0; 1; 2]%nat (round_scores 2 2 with_expert W) ltac:(discriminate)) as [I1 _].
    destruct I1 as [<-|[<-|[<-|[]]]]; cbn [Nat.eqb]; lra.
  - rewrite right_without. change (round_acts 2 without_expert) with [0; 1]%nat.
    change (r_law without_expert) with law2. change (r_cost without_expert) with (fun _ _ : nat => 0).
    rewrite (true_risk_mix_score 2 [] law2 (fun _ _ => 0) law2_is_law).
    change (active 2 []) with [0; 1]%nat. cbn [sum].
    rewrite !score_is_half_s by (simpl; auto). unfold RegretSublinear.half_s, Calibration.vector.
    cbn [nth]. rewrite !mix_eq. replace (INR (length [0; 1]%nat)) with 2 by (simpl; ring).
    destruct (rule_ok [0; 1]%nat (round_scores 2 2 without_expert W) ltac:(discriminate)) as [I1 _].
    destruct I1 as [<-|[<-|[]]]; cbn [Nat.eqb]; lra.
Qed.

Lemma sur_opt_in_ball : in_B N 2 B sur_opt.
Proof.
  unfold in_B, frob2, inner, sur_opt, biases, N, Calibration.vector. simpl. lra.
Qed.

Lemma right_one_in_ball : in_B N 2 B right_one.
Proof.
  unfold in_B, frob2, inner, right_one, biases, N, Calibration.vector. simpl. lra.
Qed.

Lemma linear_regret T :
  (1 <= T)%nat ->
  INR T / 10 - 4 * general_bound B N rho T
  <= E (fixed (seq_of choice)) T
       (along (fun h _ => alg_true 2 1 2 B rho rule kink (fixed (seq_of choice)) h))
     - sum (seq 1 T) (fun t => def_of 2 2 rule (seq_of choice t) right_one).
Proof.
  intros HT. set (r := seq_of choice). set (env := fixed r).
  set (q := prob 2 1 2 B (eta_general B (2 + 1) rho) gamma_general rule kink env).
  assert (laws : forall h, possible (outcomes 2 env) h -> node_law (outcomes 2 env) q h)
    by (intros; apply seq_laws).
  set (lose := fun h => alg_true 2 1 2 B rho rule kink env h).
  set (best := fun h => def_of 2 2 rule (env h) right_one).
  set (exc := fun h => sur_of 2 2 (env h) (alg_W env h) - sur_of 2 2 (env h) sur_opt).
  (* round by round *)
  assert (Low : INR T / 10 <= expect (outcomes 2 env) q T nil
                  (along (fun h _ => lose h - best h + 4 * exc h))).
  { rewrite (expect_along_sum _ _ (fun h => lose h - best h + 4 * exc h) T laws).
    replace (INR T / 10) with (sum (seq 0 T) (fun _ => 1 / 10))
      by (rewrite sum_const, seq_length; field).
    apply sum_le. intros k _. eapply Rle_trans; [apply (choice_works k)|].
    unfold E, alg_E, E_run. fold r env. apply (expect_le _ _ laws); [simpl; auto|].
    intros h _ Lh. simpl in Lh. rewrite Nat.add_0_r in Lh.
    pose proof (loses_at_least choice h) as Q. fold r env in Q. rewrite Lh in Q.
    assert (Eh : env h = round_of (choice (S k)))
      by (unfold env, fixed, r, seq_of; rewrite Lh; reflexivity).
    unfold worth, lose, best, exc. rewrite <- Eh. lra. }
  (* the three parts *)
  assert (Split : expect (outcomes 2 env) q T nil (along (fun h _ => lose h - best h + 4 * exc h))
    = expect (outcomes 2 env) q T nil (along (fun h _ => lose h))
      - sum (seq 1 T) (fun t => def_of 2 2 rule (r t) right_one)
      + 4 * expect (outcomes 2 env) q T nil (along (fun h _ => exc h))).
  { rewrite <- (expect_const _ _ laws T (sum (seq 1 T) (fun t => def_of 2 2 rule (r t) right_one)) nil)
      by (simpl; auto).
    rewrite <- expect_minus, <- expect_scal, <- expect_plus.
    apply (expect_ext _ _ laws); [simpl; auto|]. intros h _ Lh. simpl in Lh. rewrite Nat.add_0_r in Lh.
    rewrite <- (along_fixed r (fun rd => def_of 2 2 rule rd right_one) T h Lh).
    clear. induction h as [|o h IH]; simpl; [ring|]. rewrite IH. unfold best, env. ring. }
  assert (Up : expect (outcomes 2 env) q T nil (along (fun h _ => exc h)) <= general_bound B N rho T).
  { apply (surrogate_excess 2 1 2 B rho rule kink HB ltac:(lra) rule_ok kink_ok env T sur_opt); auto.
    - intros h. exact (seq_valid choice (S (length h))).
    - exact sur_opt_in_ball. }
  unfold E, alg_E, E_run. fold q. fold lose. lra.
Qed.
End Construction.

(* refutes: regret-sublinear *)
Theorem algorithm_1_has_linear_regret_when_a_perfect_expert_comes_and_goes :
  forall (B rho : R) (rule : list nat -> (nat -> R) -> nat) (kink : History -> nat -> R),
  0 < B -> 2 <= B * B -> 1 <= rho -> greedy_rule rule -> (forall h b, 0 <= kink h b <= 1) ->
  exists (r : nat -> Round) (V : Matrix),
    (forall t, r t = with_expert \/ r t = without_expert) /\
    (forall t, valid_round 2 1 2 rho (r t)) /\
    in_B 3 2 B V /\
    forall T, (1 <= T)%nat ->
      alg_E 2 1 2 B rho rule kink (fixed r) T
        (along (fun h _ => alg_true 2 1 2 B rho rule kink (fixed r) h))
      - sum (seq 1 T) (fun t => def_of 2 2 rule (r t) V)
      >= INR T / 10 - 14 * (B * Rpower (INR 3) (3 / 2) * rho) * Rpower (INR T) (2 / 3).
Proof.
  intros B rho rule kink HB B2 Hrho RO KO.
  exists (seq_of (choice B rho rule kink)), right_one.
  assert (Two : forall t, seq_of (choice B rho rule kink) t = with_expert
                          \/ seq_of (choice B rho rule kink) t = without_expert).
  { intros t. unfold seq_of, round_of. destruct (choice B rho rule kink t); auto. }
  split; [exact Two|]. split; [intros t; apply rounds_valid; auto|].
  split; [apply right_one_in_ball; auto|].
  intros T HT. pose proof (linear_regret B rho rule kink HB B2 Hrho RO KO T HT) as L.
  pose proof (general_bound_rate B 3 rho T HB ltac:(lra) HT) as G. unfold kappa in G.
  apply Rle_ge. eapply Rle_trans; [|exact L]. change (2 + 1)%nat with 3%nat. lra.
Qed.
