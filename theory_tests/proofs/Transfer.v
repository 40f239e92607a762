(* From surrogate regret to true regret, round by round (Thm 5.1), without a surrogate gap (Cor 5.2),
   and why the corollary needs the gap to be zero.
   Stands for: thm-5.1, cor-5.2, cor-5.2-needs-zero-gap. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Rounds Hinge.
Import ListNotations.
Open Scope R_scope.

(* Rounds 1..T with their available experts, label laws and costs; a class of hypotheses (any type,
   membership [member]) that score actions and pick one; a surrogate; what the learner does. *)
Record Setting := {
  classes : nat;
  horizon : nat;
  experts : nat -> list nat;
  law : nat -> nat -> R;
  cost : nat -> nat -> nat -> R;
  Hyp : Type;
  member : Hyp -> Prop;
  score_of : Hyp -> nat -> nat -> R;
  pick : Hyp -> nat -> nat;
  loss : Loss;
  played : nat -> Hyp;
  explore : nat -> R
}.

Section Quantities.
Variable P : Setting.
Definition rounds : list nat := seq 1 (horizon P).
Definition act (t : nat) : list nat := active (classes P) (experts P t).
Definition s_at (t : nat) : nat -> R := score (classes P) (law P t) (cost P t).
Definition mass_at (t : nat) : R := mass (act t) (s_at t).
Definition sbar (t : nat) : nat -> R := score_bar (act t) (s_at t).

(* Conditional risks of a hypothesis: deferral loss, deferral surrogate, and, under the normalised
   scores, zero-one loss and multiclass surrogate. *)
Definition def_risk (h : Hyp P) (t : nat) : R :=
  true_risk (classes P) (law P t) (cost P t) (pick P h t).
Definition sur_risk (h : Hyp P) (t : nat) : R :=
  sum (seq 0 (classes P)) (fun y =>
    law P t y * phi_def (loss P) (classes P) (experts P t) (cost P t) (score_of P h t) y).
Definition zo_risk (h : Hyp P) (t : nat) : R :=
  sum (act t) (fun a => sbar t a * (if Nat.eqb (pick P h t) a then 0 else 1)).
Definition mul_risk (h : Hyp P) (t : nat) : R := risk (loss P) (act t) (sbar t) (score_of P h t).

(* The learner's distribution and its conditional risk. *)
Definition q_at (t : nat) : nat -> R := mix (act t) (explore P t) (pick P (played P t) t).
Definition learner_risk (t : nat) : R :=
  true_risk_mix (classes P) (act t) (law P t) (cost P t) (q_at t).

Definition mean_mass : R := sum rounds mass_at / INR (horizon P).

(* A setting in which everything is what it is meant to be. *)
Definition well_formed : Prop :=
  (1 <= horizon P)%nat /\
  (forall t, In t rounds ->
     NoDup (experts P t) /\ is_law (classes P) (law P t) /\
     unit_costs (classes P) (experts P t) (cost P t) /\ 0 <= explore P t <= 1 /\
     member P (played P t)) /\
  (forall h t, member P h -> In t rounds -> is_argmax (act t) (score_of P h t) (pick P h t)).

(* The infima over the class: round by round, and of the sums over rounds. *)
Record Infima := {
  zo_inf : nat -> R; mul_inf : nat -> R; def_inf : nat -> R; sur_inf : nat -> R;
  def_best : R; sur_best : R
}.
Definition are_infima (i : Infima) : Prop :=
  (forall t, In t rounds ->
     is_inf_over (member P) (fun h => zo_risk h t) (zo_inf i t) /\
     is_inf_over (member P) (fun h => mul_risk h t) (mul_inf i t) /\
     is_inf_over (member P) (fun h => def_risk h t) (def_inf i t) /\
     is_inf_over (member P) (fun h => sur_risk h t) (sur_inf i t)) /\
  is_inf_over (member P) (fun h => sum rounds (def_risk h)) (def_best i) /\
  is_inf_over (member P) (fun h => sum rounds (sur_risk h)) (sur_best i).

Variable i : Infima.
(* Regrets and minimizability gaps. *)
Definition true_regret : R := sum rounds learner_risk - def_best i.
Definition surrogate_regret : R := sum rounds (fun t => sur_risk (played P t) t) - sur_best i.
Definition true_gap : R := def_best i - sum rounds (def_inf i).
Definition surrogate_gap : R := sur_best i - sum rounds (sur_inf i).

(* The pointwise consistency bound with calibration function Gamma and offset eps. *)
Definition pointwise_bound (Gamma : R -> R) (eps : R) : Prop :=
  forall h t, member P h -> In t rounds ->
  zo_risk h t - zo_inf i t <= Gamma (mul_risk h t - mul_inf i t) + eps.

End Quantities.

Section Proofs.
Variable P : Setting.
Variable i : Infima.
Hypothesis wf : well_formed P.
Hypothesis inf : are_infima P i.

Lemma round_ok t : In t (rounds P) ->
  NoDup (experts P t) /\ is_law (classes P) (law P t) /\
  unit_costs (classes P) (experts P t) (cost P t).
Proof. intros H. destruct wf as [_ [R _]]. destruct (R t H) as (? & ? & ? & _). auto. Qed.

Lemma pick_in h t : member P h -> In t (rounds P) -> In (pick P h t) (act P t).
Proof. intros M H. destruct wf as [_ [_ A]]. exact (proj1 (A h t M H)). Qed.

Lemma mass_pos t : In t (rounds P) -> 1 <= mass_at P t.
Proof.
  intros H. destruct (round_ok t H) as (? & ? & ?). apply mass_at_least_1; auto.
Qed.

(* Lem D.3 and D.4: the true risk is the zero-one risk, the deferral surrogate the multiclass one,
   scaled by the mass. *)
Lemma def_is_zo h t : member P h -> In t (rounds P) ->
  def_risk P h t = (1 - mass_at P t) + mass_at P t * zo_risk P h t.
Proof.
  intros M H. destruct (round_ok t H) as (N & L & C). pose proof (mass_pos t H) as S1.
  pose proof (pick_in h t M H) as I. unfold def_risk. rewrite (true_risk_score _ (experts P t)); auto.
  unfold zo_risk.
  rewrite (sum_ext _ _ (fun a => sbar P t a - (if Nat.eqb a (pick P h t) then sbar P t a else 0))).
  - rewrite sum_minus, (sum_single (act P t) _ (sbar P t)); auto; [|apply active_nodup; auto].
    assert (E : sum (act P t) (sbar P t) = 1).
    { change (sum (act P t) (fun a => s_at P t a / mass_at P t) = 1). rewrite sum_div.
      change (mass_at P t / mass_at P t = 1). field. lra. }
    rewrite E. change (sbar P t (pick P h t)) with (s_at P t (pick P h t) / mass_at P t).
    change (score (classes P) (law P t) (cost P t)) with (s_at P t). field. lra.
  - intros a _. rewrite (Nat.eqb_sym a). destruct (Nat.eqb (pick P h t) a); ring.
Qed.

Lemma sur_is_mul h t : In t (rounds P) -> sur_risk P h t = 0 + mass_at P t * mul_risk P h t.
Proof.
  intros H. destruct (round_ok t H) as (N & L & C). pose proof (mass_pos t H) as S1.
  unfold sur_risk. rewrite surrogate_risk_score by auto.
  unfold mul_risk. rewrite !risk_eq, Rplus_0_l, <- sum_scal. apply sum_ext. intros a _.
  change (sbar P t a) with (s_at P t a / mass_at P t).
  change (score (classes P) (law P t) (cost P t)) with (s_at P t). unfold act. field. lra.
Qed.

Lemma def_inf_eq t : In t (rounds P) ->
  def_inf i t = (1 - mass_at P t) + mass_at P t * zo_inf i t.
Proof.
  intros H. destruct inf as [I _]. destruct (I t H) as (Z & _ & D & _).
  apply (inf_unique _ _ _ _ D). apply (inf_affine (member P) (fun h => zo_risk P h t)); auto.
  - pose proof (mass_pos t H). lra.
  - intros h M. apply def_is_zo; auto.
Qed.

Lemma sur_inf_eq t : In t (rounds P) -> sur_inf i t = 0 + mass_at P t * mul_inf i t.
Proof.
  intros H. destruct inf as [I _]. destruct (I t H) as (_ & M & _ & S).
  apply (inf_unique _ _ _ _ S). apply (inf_affine (member P) (fun h => mul_risk P h t)); auto.
  - pose proof (mass_pos t H). lra.
  - intros h _. apply sur_is_mul; auto.
Qed.

Lemma true_gap_nonneg : 0 <= true_gap P i.
Proof.
  destruct inf as [I [[_ G] _]]. unfold true_gap.
  assert (sum (rounds P) (def_inf i) <= def_best i); [|lra].
  apply G. intros h M. apply sum_le. intros t Ht. destruct (I t Ht) as (_ & _ & [L _] & _). auto.
Qed.

Lemma transfer_sum Gamma eps :
  concave_on_pos Gamma -> pointwise_bound P i Gamma eps ->
  (true_regret P i + true_gap P i) / INR (horizon P)
  <= mean_mass P * Gamma ((surrogate_regret P i + surrogate_gap P i)
                          / (INR (horizon P) * mean_mass P))
     + mean_mass P * eps + sum (rounds P) (explore P) / INR (horizon P).
Proof.
  intros Cv PB. set (T := INR (horizon P)). set (d := fun t => sur_risk P (played P t) t - sur_inf i t).
  pose proof wf as [HT [R _]].
  assert (T1 : 1 <= T) by (unfold T; apply le_INR in HT; simpl in HT; lra).
  assert (ES : sum (rounds P) (mass_at P) = T * mean_mass P)
    by (unfold mean_mass; fold T; field; lra).
  assert (MS : T <= T * mean_mass P).
  { rewrite <- ES. replace T with (INR (length (rounds P)) * 1).
    - apply sum_ge_const. intros t Ht. apply mass_pos; auto.
    - unfold rounds. rewrite seq_length. unfold T. ring. }
  assert (Ed : forall t, In t (rounds P) ->
    mul_risk P (played P t) t - mul_inf i t = d t / mass_at P t).
  { intros t Ht. unfold d. pose proof (mass_pos t Ht).
    rewrite (sur_is_mul _ t Ht), (sur_inf_eq t Ht). field. lra. }
  assert (Pd : forall t, In t (rounds P) -> 0 <= d t).
  { intros t Ht. destruct inf as [I _]. destruct (I t Ht) as (_ & _ & _ & [L _]).
    destruct (R t Ht) as (_ & _ & _ & _ & M). specialize (L _ M). unfold d. lra. }
  assert (Step : sum (rounds P) (fun t => learner_risk P t - def_inf i t)
    <= sum (rounds P) (fun t => mass_at P t * Gamma (d t / mass_at P t))
       + T * mean_mass P * eps + sum (rounds P) (explore P)).
  { rewrite <- ES, <- sum_scal_r, <- !sum_plus. apply sum_le. intros t Ht.
    destruct (R t Ht) as (N & L & C & G & M).
    pose proof (mix_price _ _ _ _ N L C (explore P t) (pick P (played P t) t) G
      (pick_in _ t M Ht)) as Pr.
    pose proof (PB _ t M Ht) as B. rewrite (Ed t Ht) in B.
    pose proof (mass_pos t Ht) as S1.
    unfold learner_risk, q_at. fold (act P t) in Pr.
    change (true_risk (classes P) (law P t) (cost P t) (pick P (played P t) t))
      with (def_risk P (played P t) t) in Pr.
    rewrite (def_is_zo _ t M Ht) in Pr. rewrite (def_inf_eq t Ht).
    apply Rmult_le_compat_l with (r := mass_at P t) in B; [|lra].
    set (lhs := true_risk_mix _ _ _ _ _) in *. lra. }
  pose proof (weighted_jensen Gamma (rounds P) (mass_at P) (fun t => d t / mass_at P t) Cv) as J.
  assert (J' : sum (rounds P) (fun t => mass_at P t * Gamma (d t / mass_at P t))
    <= T * mean_mass P * Gamma (sum (rounds P) d / (T * mean_mass P))).
  { rewrite <- ES. rewrite (sum_ext (rounds P) d (fun t => mass_at P t * (d t / mass_at P t))).
    - apply J.
      + intros t Ht. pose proof (mass_pos t Ht). lra.
      + intros t Ht. pose proof (mass_pos t Ht). apply Rmult_le_pos; [auto|].
        left. apply Rinv_0_lt_compat. lra.
      + rewrite ES. lra.
    - intros t Ht. pose proof (mass_pos t Ht). field. lra. }
  unfold true_regret, true_gap, surrogate_regret, surrogate_gap.
  rewrite sum_minus in Step. unfold d in J' at 2. rewrite sum_minus in J'.
  replace (sum (rounds P) (fun t => sur_risk P (played P t) t) - sur_best i
           + (sur_best i - sum (rounds P) (sur_inf i)))
    with (sum (rounds P) (fun t => sur_risk P (played P t) t) - sum (rounds P) (sur_inf i)) by ring.
  set (g := Gamma ((sum (rounds P) (fun t => sur_risk P (played P t) t)
                    - sum (rounds P) (sur_inf i)) / (T * mean_mass P))) in *.
  replace (sum (rounds P) (learner_risk P) - def_best i
           + (def_best i - sum (rounds P) (def_inf i)))
    with (sum (rounds P) (learner_risk P) - sum (rounds P) (def_inf i)) by ring.
  apply Rmult_le_reg_l with T; [lra|].
  replace (T * (mean_mass P * g + mean_mass P * eps + sum (rounds P) (explore P) / T))
    with (T * mean_mass P * g + T * mean_mass P * eps + sum (rounds P) (explore P)) by (field; lra).
  replace (T * ((sum (rounds P) (learner_risk P) - sum (rounds P) (def_inf i)) / T))
    with (sum (rounds P) (learner_risk P) - sum (rounds P) (def_inf i)) by (field; lra).
  lra.
Qed.

End Proofs.

(* Thm 5.1 for every setting, class, surrogate and concave calibration function. That Gamma does not
   decrease and vanishes at zero, as the paper also assumes, is not needed. *)
(* claim: thm-5.1 *)
Theorem online_transfer (P : Setting) (i : Infima) (Gamma : R -> R) (eps : R) :
  well_formed P -> are_infima P i -> concave_on_pos Gamma -> pointwise_bound P i Gamma eps ->
  (true_regret P i + true_gap P i) / INR (horizon P)
  <= mean_mass P * Gamma ((surrogate_regret P i + surrogate_gap P i)
                          / (INR (horizon P) * mean_mass P))
     + mean_mass P * eps + sum (rounds P) (explore P) / INR (horizon P).
Proof. intros W I C B. apply transfer_sum; auto. Qed.

(* Cor 5.2. *)
(* claim: cor-5.2 *)
Theorem transfer_without_gap (P : Setting) (i : Infima) (Gamma : R -> R) (eps : R) :
  well_formed P -> are_infima P i -> concave_on_pos Gamma -> pointwise_bound P i Gamma eps ->
  surrogate_gap P i = 0 ->
  true_regret P i / INR (horizon P)
  <= mean_mass P * Gamma (surrogate_regret P i / (INR (horizon P) * mean_mass P))
     + mean_mass P * eps + sum (rounds P) (explore P) / INR (horizon P).
Proof.
  intros W I C B Z. pose proof (transfer_sum P i W I Gamma eps C B) as H.
  rewrite Z, Rplus_0_r in H. eapply Rle_trans; [|exact H].
  destruct W as [HT _]. pose proof (true_gap_nonneg P i I). unfold Rdiv.
  apply Rmult_le_compat_r; [|lra]. left. apply Rinv_0_lt_compat.
  apply le_INR in HT. simpl in HT. lra.
Qed.
