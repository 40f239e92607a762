(* Cor 5.2 needs its hypothesis: two rounds, one input, two classes, an expert that is always right
   and present in the first round only. All score vectors are allowed, the surrogate is the
   constrained hinge with Gamma(u) = u. The best surrogate vector has surrogate regret zero, yet its
   true regret is 1/10 per round: it never asks the expert.
   Stands for: cor-5.2-needs-zero-gap. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Rounds Hinge Transfer.
Import ListNotations.
Open Scope R_scope.

Definition wit_experts (t : nat) : list nat := if Nat.eqb t 1 then [0%nat] else [].
Definition wit_law (y : nat) : R := if Nat.eqb y 0 then 4 / 5 else 1 / 5.
(* The minimiser of the summed surrogate risk. *)
Definition wit_best (a : nat) : R := match a with 0%nat => 1 | 1%nat => -1 | _ => 0 end.
(* A vector that is right in both rounds. *)
Definition wit_right (a : nat) : R := match a with 0%nat => 1 | 1%nat => -1 | _ => 2 end.

Definition witness : Setting := {|
  classes := 2; horizon := 2;
  experts := wit_experts;
  law := fun _ => wit_law;
  cost := fun _ _ _ => 0;
  Hyp := nat -> R;
  member := fun _ => True;
  score_of := fun h t => proj (active 2 (wit_experts t)) h;
  pick := fun h t => argmax (active 2 (wit_experts t)) (proj (active 2 (wit_experts t)) h);
  loss := cstnd_hinge;
  played := fun _ => wit_best;
  explore := fun _ => 0 |}.

Definition wit_act (t : nat) : list nat := if Nat.eqb t 1 then [0; 1; 2]%nat else [0; 1]%nat.
Definition wit_m (t : nat) : nat := if Nat.eqb t 1 then 2%nat else 0%nat.
Definition wit_s (a : nat) : R := match a with 0%nat => 4 / 5 | 1%nat => 1 / 5 | _ => 1 end.

Lemma wit_rounds t : In t (rounds witness) <-> t = 1%nat \/ t = 2%nat.
Proof. unfold rounds. simpl. intuition. Qed.

Lemma wit_act_eq t : In t (rounds witness) -> act witness t = wit_act t.
Proof. rewrite wit_rounds. intros [->| ->]; reflexivity. Qed.

Lemma wit_s_eq t a : In t (rounds witness) -> In a (act witness t) -> s_at witness t a = wit_s a.
Proof.
  rewrite wit_rounds. intros [->| ->]; cbn; intros H;
  repeat (destruct H as [<-|H]; [cbn; unfold wit_law; cbn; lra|]); tauto.
Qed.

Lemma wit_well_formed : well_formed witness.
Proof.
  split; [simpl; lia|split].
  - intros t Ht. apply wit_rounds in Ht. repeat split; cbn; try lra.
    + destruct Ht as [->| ->]; cbn; repeat constructor; simpl; tauto.
    + intros y _. unfold wit_law. destruct (Nat.eqb y 0); lra.
  - intros h t _ Ht. apply argmax_is. apply wit_rounds in Ht.
    destruct Ht as [->| ->]; cbn; discriminate.
Qed.

Lemma wit_nodup t : In t (rounds witness) -> NoDup (act witness t).
Proof.
  intros Ht. apply active_nodup. apply (round_ok witness wit_well_formed t Ht).
Qed.

Lemma wit_m_best t : In t (rounds witness) -> is_argmax (act witness t) (s_at witness t) (wit_m t).
Proof.
  intros Ht. split.
  - rewrite wit_act_eq by auto. apply wit_rounds in Ht. destruct Ht as [->| ->]; simpl; auto.
  - intros b Hb. rewrite !wit_s_eq; auto.
    + rewrite wit_act_eq in Hb by auto. apply wit_rounds in Ht.
      destruct Ht as [->| ->]; simpl in Hb;
      repeat (destruct Hb as [<-|Hb]; [simpl; lra|]); tauto.
    + rewrite wit_act_eq by auto. apply wit_rounds in Ht. destruct Ht as [->| ->]; simpl; auto.
Qed.

Lemma wit_s_nonneg t a :
  In t (rounds witness) -> In a (act witness t) -> 0 <= s_at witness t a.
Proof.
  intros Ht Ha. rewrite wit_s_eq by auto. destruct a as [|[|a]]; simpl; lra.
Qed.

Lemma proj_sums_to_zero A h : A <> nil -> zero_sum A (proj A h).
Proof.
  intros N. unfold zero_sum. rewrite (sum_ext A _ (fun a => h a - sum A h / INR (length A))).
  - rewrite sum_minus, sum_const. destruct A as [|a A]; [congruence|].
    change (length (a :: A)) with (S (length A)). rewrite S_INR. field.
    pose proof (pos_INR (length A)). lra.
  - intros a Ha. rewrite proj_in by auto. reflexivity.
Qed.

Lemma wit_nonempty t : In t (rounds witness) -> act witness t <> nil.
Proof. intros Ht. rewrite wit_act_eq by auto. unfold wit_act. destruct (Nat.eqb t 1); discriminate. Qed.

Lemma pick_strict A h m :
  In m A -> (forall a, In a A -> a <> m -> h a < h m) -> argmax A (proj A h) = m.
Proof.
  intros Hm H. assert (N : A <> nil) by (destruct A; simpl in *; [tauto|congruence]).
  destruct (argmax_is A (proj A h) N) as [I M].
  destruct (Nat.eq_dec (argmax A (proj A h)) m) as [E|E]; auto.
  specialize (H _ I E). specialize (M m Hm). rewrite !proj_in in M by auto. lra.
Qed.

Lemma wit_def h t : In t (rounds witness) ->
  def_risk witness h t = 1 - s_at witness t (pick witness h t).
Proof.
  intros Ht. destruct (round_ok witness wit_well_formed t Ht) as (N & L & C).
  unfold def_risk. rewrite (true_risk_score _ (experts witness t)); auto.
  apply (pick_in witness wit_well_formed h t); auto. simpl. auto.
Qed.

Lemma wit_sur h t : In t (rounds witness) ->
  sur_risk witness h t = risk cstnd_hinge (act witness t) (s_at witness t) (proj (act witness t) h).
Proof.
  intros Ht. destruct (round_ok witness wit_well_formed t Ht) as (N & L & C).
  unfold sur_risk. rewrite surrogate_risk_score by auto. reflexivity.
Qed.

(* Round by round: 1 - max s, and K (S - max s). *)
Definition wit_def_inf (t : nat) : R := 1 - s_at witness t (wit_m t).
Definition wit_sur_inf (t : nat) : R :=
  INR (length (act witness t)) * (mass_at witness t - s_at witness t (wit_m t)).

Lemma wit_def_min t : In t (rounds witness) ->
  is_inf_over (member witness) (fun h => def_risk witness h t) (wit_def_inf t).
Proof.
  intros Ht. apply min_is_inf. destruct (wit_m_best t Ht) as [Im Mm]. split.
  - intros h _. rewrite wit_def by auto. unfold wit_def_inf.
    assert (In (pick witness h t) (act witness t)).
    { apply (pick_in witness wit_well_formed); simpl; auto. }
    specialize (Mm _ H). lra.
  - exists (canonical (act witness t) (wit_m t)). split; [simpl; auto|]. rewrite wit_def by auto.
    unfold wit_def_inf. do 2 f_equal. apply (pick_strict (act witness t)); auto.
    intros a Ha Na. unfold canonical. rewrite Nat.eqb_refl.
    destruct (Nat.eqb_spec a (wit_m t)); [tauto|].
    pose proof (wit_nonempty t Ht). destruct (act witness t) as [|x l]; [congruence|].
    change (length (x :: l)) with (S (length l)). rewrite S_INR. pose proof (pos_INR (length l)). lra.
Qed.

Lemma wit_sur_min t : In t (rounds witness) ->
  is_inf_over (member witness) (fun h => sur_risk witness h t) (wit_sur_inf t).
Proof.
  intros Ht. pose proof (wit_nodup t Ht) as N. pose proof (wit_m_best t Ht) as M.
  apply min_is_inf. split.
  - intros h _. rewrite wit_sur by auto. apply (hinge_lower _ _ N); auto.
    + intros a Ha. apply wit_s_nonneg; auto.
    + apply proj_sums_to_zero, wit_nonempty; auto.
  - exists (canonical (act witness t) (wit_m t)). split; [simpl; auto|]. rewrite wit_sur by auto.
    rewrite (hinge_risk_ext _ _ N _ (canonical (act witness t) (wit_m t))).
    + apply (canonical_risk _ _ N). apply M.
    + intros a Ha. rewrite proj_in by auto. rewrite mean_eq.
      rewrite (canonical_zero_sum _ N _ (proj1 M)). unfold Rdiv. ring.
Qed.

(* The summed surrogate risk is least at wit_best, where it is 19/5. *)
Lemma wit_sur_sum h : 19 / 5 <= sum (rounds witness) (sur_risk witness h).
Proof.
  change (rounds witness) with [1; 2]%nat. cbn [sum].
  rewrite !wit_sur by (apply wit_rounds; auto).
  rewrite !hinge_risk by (apply wit_nodup, wit_rounds; auto).
  change (act witness 1) with [0; 1; 2]%nat. change (act witness 2) with [0; 1]%nat.
  cbn [sum]. rewrite !wit_s_eq by (try apply wit_rounds; simpl; auto). cbn [wit_s].
  rewrite !proj_in by (simpl; auto). rewrite !mean_eq. cbn [sum length INR].
  set (x := h 0%nat). set (y := h 1%nat). set (z := h 2%nat).
  set (m := (x + (y + (z + 0))) / (1 + 1 + 1)). set (k := (x + (y + 0)) / (1 + 1)).
  assert (Em : x + y + z = 3 * m) by (unfold m; field).
  assert (Ek : x + y = 2 * k) by (unfold k; field).
  pose proof (plus_part_ge (x - m)). pose proof (plus_part_nonneg (y - m)).
  pose proof (plus_part_ge (y - m)). pose proof (plus_part_ge (z - m)).
  pose proof (plus_part_ge (x - k)). pose proof (plus_part_ge (y - k)).
  pose proof (plus_part_nonneg (y - k)). lra.
Qed.

Lemma wit_sur_best : sum (rounds witness) (sur_risk witness wit_best) = 19 / 5.
Proof.
  change (rounds witness) with [1; 2]%nat. cbn [sum].
  rewrite !wit_sur by (apply wit_rounds; auto).
  rewrite !hinge_risk by (apply wit_nodup, wit_rounds; auto).
  change (act witness 1) with [0; 1; 2]%nat. change (act witness 2) with [0; 1]%nat.
  cbn [sum]. rewrite !wit_s_eq by (try apply wit_rounds; simpl; auto). cbn [wit_s].
  rewrite !proj_in by (simpl; auto). rewrite !mean_eq. cbn [sum length INR wit_best].
  unfold plus_part.
  replace (1 + (1 - (1 + (-1 + (0 + 0))) / (1 + 1 + 1))) with 2 by field.
  replace (1 + (-1 - (1 + (-1 + (0 + 0))) / (1 + 1 + 1))) with 0 by field.
  replace (1 + (0 - (1 + (-1 + (0 + 0))) / (1 + 1 + 1))) with 1 by field.
  replace (1 + (1 - (1 + (-1 + 0)) / (1 + 1))) with 2 by field.
  replace (1 + (-1 - (1 + (-1 + 0)) / (1 + 1))) with 0 by field.
  rewrite !Rmax_right by lra. lra.
Qed.

Lemma wit_mass t : In t (rounds witness) -> mass_at witness t = if Nat.eqb t 1 then 2 else 1.
Proof.
  intros Ht. change (mass_at witness t) with (sum (act witness t) (s_at witness t)).
  rewrite (sum_ext _ _ wit_s) by (intros a Ha; apply wit_s_eq; auto).
  rewrite wit_act_eq by auto. apply wit_rounds in Ht. destruct Ht as [->| ->]; simpl; lra.
Qed.

Definition wit_infima : Infima := {|
  zo_inf := fun t => - (1 - mass_at witness t) / mass_at witness t
                     + 1 / mass_at witness t * wit_def_inf t;
  mul_inf := fun t => 0 + 1 / mass_at witness t * wit_sur_inf t;
  def_inf := wit_def_inf; sur_inf := wit_sur_inf;
  def_best := 1 / 5; sur_best := 19 / 5 |}.

Lemma wit_pick t : In t (rounds witness) -> pick witness wit_right t = wit_m t.
Proof.
  intros Ht. apply (pick_strict (act witness t)); [apply wit_m_best; auto|].
  rewrite wit_act_eq by auto. apply wit_rounds in Ht. intros a Ha Na.
  destruct Ht as [->| ->]; simpl in Ha; cbn in Na |- *;
  repeat (destruct Ha as [<-|Ha]; [simpl in *; (lra || tauto)|]); tauto.
Qed.

Lemma wit_are_infima : are_infima witness wit_infima.
Proof.
  split; [|split].
  - intros t Ht. pose proof (mass_pos witness wit_well_formed t Ht) as S1.
    assert (S0 : 0 < 1 / mass_at witness t).
    { apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat. lra. }
    split; [|split; [|split]].
    + apply (inf_affine (member witness) (fun h => def_risk witness h t)); auto.
      * intros h M. rewrite (def_is_zo witness wit_well_formed h t M Ht). field. lra.
      * apply wit_def_min; auto.
    + apply (inf_affine (member witness) (fun h => sur_risk witness h t)); auto.
      * intros h M. rewrite (sur_is_mul witness wit_well_formed h t Ht). field. lra.
      * apply wit_sur_min; auto.
    + apply wit_def_min; auto.
    + apply wit_sur_min; auto.
  - apply min_is_inf. split.
    + intros h _. change (rounds witness) with [1; 2]%nat. cbn [sum].
      assert (H1 : In 1%nat (rounds witness)) by (apply wit_rounds; auto).
      assert (H2 : In 2%nat (rounds witness)) by (apply wit_rounds; auto).
      destruct (wit_def_min 1 H1) as [L1 _]. destruct (wit_def_min 2 H2) as [L2 _].
      specialize (L1 h ltac:(simpl; auto)). specialize (L2 h ltac:(simpl; auto)).
      unfold wit_def_inf in *. rewrite wit_s_eq in L1, L2 by (try apply wit_rounds; simpl; auto).
      cbn in L1, L2 |- *. lra.
    + exists wit_right. split; [simpl; auto|]. change (rounds witness) with [1; 2]%nat. cbn [sum].
      rewrite !wit_def, !wit_pick by (apply wit_rounds; auto).
      rewrite !wit_s_eq by (try apply wit_rounds; simpl; auto). cbn. lra.
  - apply min_is_inf. split.
    + intros h _. apply wit_sur_sum.
    + exists wit_best. split; [simpl; auto|]. apply wit_sur_best.
Qed.

(* Everything Cor 5.2 assumes holds but the zero gap (it is 2/5, 1/5 a round), with Gamma(u) = u and
   no exploration; the surrogate regret is zero, the right side is zero, the true regret is 1/5. *)
(* claim: cor-5.2-needs-zero-gap *)
Theorem transfer_needs_a_zero_gap :
  well_formed witness /\ are_infima witness wit_infima /\ concave_on_pos (fun v => v) /\
  pointwise_bound witness wit_infima (fun v => v) 0 /\
  surrogate_gap witness wit_infima = 2 / 5 /\
  surrogate_regret witness wit_infima = 0 /\
  true_regret witness wit_infima / INR (horizon witness) = 1 / 10 /\
  ~ (true_regret witness wit_infima / INR (horizon witness)
     <= mean_mass witness
        * (surrogate_regret witness wit_infima / (INR (horizon witness) * mean_mass witness))
        + mean_mass witness * 0 + sum (rounds witness) (explore witness) / INR (horizon witness)).
Proof.
  assert (G : surrogate_regret witness wit_infima = 0).
  { unfold surrogate_regret.
    change (fun t => sur_risk witness (played witness t) t) with (sur_risk witness wit_best).
    rewrite wit_sur_best. simpl. ring. }
  assert (H1 : In 1%nat (rounds witness)) by (apply wit_rounds; auto).
  assert (H2 : In 2%nat (rounds witness)) by (apply wit_rounds; auto).
  assert (Tr : true_regret witness wit_infima = 1 / 5).
  { unfold true_regret. change (rounds witness) with [1; 2]%nat. cbn [sum].
    assert (E : forall t, In t (rounds witness) ->
      learner_risk witness t = def_risk witness wit_best t).
    { intros t Ht. destruct (round_ok witness wit_well_formed t Ht) as (N & L & C).
      unfold learner_risk, q_at, act. rewrite true_risk_mix_score by auto.
      rewrite mix_sum.
      - rewrite wit_def by auto. change (explore witness t) with 0.
        unfold Rdiv. rewrite Rmult_0_l, Rmult_0_l, Rplus_0_r, Rminus_0_r, Rmult_1_l. reflexivity.
      - apply active_nodup; auto.
      - apply (pick_in witness wit_well_formed); simpl; auto. }
    rewrite !E, !wit_def by auto.
    assert (Pk : forall t, In t (rounds witness) -> pick witness wit_best t = 0%nat).
    { intros t Ht. apply (pick_strict (act witness t)); rewrite wit_act_eq by auto;
      apply wit_rounds in Ht.
      - destruct Ht as [->| ->]; simpl; auto.
      - intros a Ha Na. destruct Ht as [->| ->]; simpl in Ha;
        repeat (destruct Ha as [<-|Ha]; [simpl; (lra || tauto)|]); tauto. }
    rewrite !Pk by auto. rewrite !wit_s_eq by (auto; simpl; auto). simpl. lra. }
  split; [apply wit_well_formed|]. split; [apply wit_are_infima|].
  split; [intros x y t _ _ _; lra|]. split; [|split; [|split; [auto|split]]].
  - intros h t M Ht. rewrite Rplus_0_r. simpl zo_inf. simpl mul_inf.
    pose proof (mass_pos witness wit_well_formed t Ht) as S1.
    assert (S0 : 0 < / mass_at witness t) by (apply Rinv_0_lt_compat; lra).
    pose proof (def_is_zo witness wit_well_formed h t M Ht) as D.
    pose proof (sur_is_mul witness wit_well_formed h t Ht) as S.
    assert (C : def_risk witness h t - wit_def_inf t <= sur_risk witness h t - wit_sur_inf t).
    { rewrite wit_def, wit_sur by auto. unfold wit_def_inf, wit_sur_inf.
      pose proof (hinge_calibrated _ _ (wit_nodup t Ht) (proj (act witness t) h) (wit_m t)
        (pick witness h t) (fun a => wit_s_nonneg t a Ht) (wit_m_best t Ht)
        (proj_sums_to_zero _ h (wit_nonempty t Ht))) as Q.
      assert (A : is_argmax (act witness t) (proj (act witness t) h) (pick witness h t))
        by (apply argmax_is, wit_nonempty; auto).
      specialize (Q A).
      change (sum (act witness t) (s_at witness t)) with (mass_at witness t) in Q. lra. }
    apply Rmult_le_compat_l with (r := / mass_at witness t) in C; [|lra].
    rewrite D, S in C.
    replace (zo_risk witness h t
      - (- (1 - mass_at witness t) / mass_at witness t + 1 / mass_at witness t * wit_def_inf t))
      with (/ mass_at witness t *
            (1 - mass_at witness t + mass_at witness t * zo_risk witness h t - wit_def_inf t))
      by (field; lra).
    replace (mul_risk witness h t - (0 + 1 / mass_at witness t * wit_sur_inf t))
      with (/ mass_at witness t * (0 + mass_at witness t * mul_risk witness h t - wit_sur_inf t))
      by (field; lra).
    exact C.
  - unfold surrogate_gap. change (rounds witness) with [1; 2]%nat. cbn [sum].
    simpl sur_inf. simpl sur_best. unfold wit_sur_inf.
    rewrite !wit_mass, !wit_s_eq by (auto; simpl; auto). rewrite !wit_act_eq by auto. simpl. lra.
  - rewrite Tr. simpl. lra.
  - rewrite Tr, G. change (explore witness) with (fun _ : nat => 0).
    rewrite sum_zero by auto. simpl horizon. simpl INR. unfold Rdiv. lra.
Qed.
