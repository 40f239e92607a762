(* Inverse-gap weighting over any active set: the lemma behind the sqrt(T) guarantee that does not
   depend on who is available.
   Stands for: igw-distribution, igw-lemma. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Definitions.
Import ListNotations.
Open Scope R_scope.

Section InverseGap.
Variables (A : list nat) (g : nat -> R) (gamma : R) (b : nat).
Hypothesis nodup : NoDup A.
Hypothesis best : is_argmax A g b.
Hypothesis greed : 0 < gamma.

Let K := INR (length A).
Let q := igw A g gamma b.
Let D (a : nat) := g b - g a.

Lemma igw_size : 1 <= K.
Proof.
  destruct best as [Hb _]. unfold K. destruct A as [|x l]; [simpl in Hb; tauto|].
  change (length (x :: l)) with (S (length l)). rewrite S_INR. pose proof (pos_INR (length l)). lra.
Qed.

Lemma igw_gap a : In a A -> 0 <= D a.
Proof. intros H. destruct best as [_ M]. specialize (M a H). unfold D. lra. Qed.

Lemma igw_denominator a : In a A -> 0 < K + gamma * D a.
Proof. intros H. pose proof igw_size. pose proof (igw_gap a H). nra. Qed.

Lemma igw_other a : a <> b -> q a = 1 / (K + gamma * D a).
Proof.
  intros H. unfold q. rewrite igw_eq. destruct (Nat.eqb_spec a b); [tauto|]. reflexivity.
Qed.

Lemma igw_best : 1 / K <= q b.
Proof.
  destruct best as [Hb _]. unfold q. rewrite igw_eq, Nat.eqb_refl.
  assert (L : sum (others A b) (fun a' => 1 / (INR (length A) + gamma * (g b - g a')))
              <= INR (length (others A b)) * (1 / K)).
  { apply sum_le_const. intros a Ha. apply others_in in Ha. destruct Ha as [Ha _].
    unfold Rdiv. rewrite !Rmult_1_l. pose proof igw_size. pose proof (igw_gap a Ha).
    apply Rinv_le_contravar; [lra|]. fold K. fold (D a). nra. }
  rewrite others_length_INR in L by auto. fold K in L |- *. pose proof igw_size.
  replace ((K - 1) * (1 / K)) with (1 - 1 / K) in L by (field; lra). lra.
Qed.

Lemma igw_positive a : In a A -> 0 < q a.
Proof.
  intros H. destruct (Nat.eq_dec a b) as [->|N].
  - pose proof igw_best. pose proof igw_size.
    assert (0 < 1 / K) by (apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra]). lra.
  - rewrite igw_other by auto. pose proof (igw_denominator a H).
    apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat; auto.
Qed.

Lemma igw_sum : sum A q = 1.
Proof.
  destruct best as [Hb _]. rewrite (sum_others A b q nodup Hb).
  unfold q at 1. rewrite igw_eq, Nat.eqb_refl.
  rewrite (sum_ext (others A b) q (fun a => 1 / (INR (length A) + gamma * (g b - g a)))); [ring|].
  intros a Ha. apply others_in in Ha. apply igw_other. tauto.
Qed.

(* An action is played at least as often as its estimated gap allows. *)
Lemma igw_floor a : In a A -> 1 / q a <= K + gamma * D a.
Proof.
  intros H. pose proof (igw_positive a H) as P. pose proof (igw_denominator a H) as Q.
  destruct (Nat.eq_dec a b) as [->|N].
  - pose proof igw_best. pose proof igw_size.
    replace (K + gamma * D b) with K by (unfold D; ring).
    apply Rmult_le_reg_l with (q b); auto.
    replace (q b * (1 / q b)) with (1 / K * K) by (field; lra). nra.
  - rewrite igw_other by auto. right. field. lra.
Qed.

Lemma igw_gap_term a : In a A -> q a * D a <= (if Nat.eqb a b then 0 else 1) / gamma.
Proof.
  intros H. destruct (Nat.eqb_spec a b) as [->|N].
  - right. unfold D. field. lra.
  - rewrite igw_other by auto. pose proof (igw_denominator a H). pose proof igw_size.
    apply Rmult_le_reg_l with (gamma * (K + gamma * D a)); [nra|].
    replace (gamma * (K + gamma * D a) * (1 / (K + gamma * D a) * D a)) with (gamma * D a)
      by (field; lra).
    replace (gamma * (K + gamma * D a) * (1 / gamma)) with (K + gamma * D a) by (field; lra). lra.
Qed.

Lemma igw_gap_sum : sum A (fun a => q a * D a) <= (K - 1) / gamma.
Proof.
  destruct best as [Hb _].
  eapply Rle_trans; [apply sum_le; intros a Ha; apply igw_gap_term; auto|].
  rewrite sum_div, (sum_others A b _ nodup Hb), Nat.eqb_refl.
  rewrite (sum_ext (others A b) _ (fun _ => 1)).
  - rewrite sum_const, others_length_INR by auto. fold K. right. field. lra.
  - intros a Ha. apply others_in in Ha. destruct (Nat.eqb_spec a b); tauto.
Qed.

(* One term of the sum, for a = the comparator or not. *)
Lemma igw_term (x : nat -> R) (c a : nat) :
  In a A ->
  q a * x a - (if Nat.eqb a c then x a else 0)
  <= gamma / 4 * (q a * (x a * x a)) + q a / gamma
     + (if Nat.eqb a c then ((1 - q a) * (1 - q a) - q a * q a) / (gamma * q a) else 0).
Proof.
  intros H. pose proof (igw_positive a H) as P. destruct (Nat.eqb a c).
  - apply Rmult_le_reg_l with (4 * (gamma * q a)); [nra|].
    replace (4 * (gamma * q a) *
      (gamma / 4 * (q a * (x a * x a)) + q a / gamma
       + ((1 - q a) * (1 - q a) - q a * q a) / (gamma * q a)))
      with (gamma * q a * x a * (gamma * q a * x a) + 4 * ((1 - q a) * (1 - q a)))
      by (field; lra).
    pose proof (Rle_0_sqr (gamma * q a * x a + 2 * (1 - q a))) as S. unfold Rsqr in S. lra.
  - apply Rmult_le_reg_l with (4 * gamma); [lra|].
    replace (4 * gamma * (gamma / 4 * (q a * (x a * x a)) + q a / gamma + 0))
      with (q a * (gamma * x a * (gamma * x a) + 4)) by (field; lra).
    pose proof (Rle_0_sqr (gamma * x a - 2)) as S. unfold Rsqr in S. nra.
Qed.

Lemma igw_regret (s : nat -> R) (c : nat) :
  In c A ->
  sum A (fun a => q a * (s c - s a))
  <= 2 * (K - 1) / gamma + gamma / 4 * sum A (fun a => q a * ((g a - s a) * (g a - s a))).
Proof.
  intros Hc. set (x := fun a => g a - s a).
  assert (E : sum A (fun a => q a * (s c - s a))
              = sum A (fun a => q a * D a) - D c
                + sum A (fun a => q a * x a - (if Nat.eqb a c then x a else 0))).
  { rewrite sum_minus, (sum_single A c x nodup Hc).
    rewrite (sum_ext A (fun a => q a * (s c - s a))
      (fun a => q a * D a + q a * x a + q a * (- D c - x c))).
    - rewrite !sum_plus, sum_scal_r, igw_sum. ring.
    - intros a _. unfold D, x. ring. }
  rewrite E. pose proof igw_gap_sum as G.
  pose proof (sum_le A _ _ (igw_term x c)) as L.
  rewrite !sum_plus, sum_scal, sum_div, igw_sum in L.
  rewrite (sum_single A c (fun a => ((1 - q a) * (1 - q a) - q a * q a) / (gamma * q a)) nodup Hc)
    in L.
  pose proof (igw_floor c Hc) as F. pose proof (igw_positive c Hc) as P.
  replace (((1 - q c) * (1 - q c) - q c * q c) / (gamma * q c))
    with ((1 / q c - 2) * / gamma) in L by (field; lra).
  assert (F' : (1 / q c - 2) * / gamma <= (K + gamma * D c - 2) * / gamma).
  { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|lra]. }
  replace ((K + gamma * D c - 2) * / gamma) with ((K - 1) / gamma - 1 / gamma + D c) in F'
    by (field; lra).
  replace (2 * (K - 1) / gamma) with ((K - 1) / gamma + (K - 1) / gamma) by (field; lra).
  fold (x c) in *. unfold x in L at 3 4. unfold x in L |- *. lra.
Qed.

End InverseGap.

(* The weights are a distribution that plays every active action. *)
(* claim: igw-distribution *)
Theorem inverse_gap_weights_are_a_distribution (A : list nat) (g : nat -> R) (gamma : R) (b : nat) :
  NoDup A -> is_argmax A g b -> 0 < gamma ->
  is_dist A (igw A g gamma b) /\
  (forall a, In a A -> 0 < igw A g gamma b a) /\
  1 / INR (length A) <= igw A g gamma b b.
Proof.
  intros N M G. split; [split|split].
  - intros a Ha. left. apply igw_positive; auto.
  - apply igw_sum; auto.
  - intros a Ha. apply igw_positive; auto.
  - apply igw_best; auto.
Qed.

(* What playing them costs, against any scores s: for every active set, every estimates g and every
   gamma > 0, whatever the largest estimate b is chosen to be. *)
(* claim: igw-lemma *)
Theorem inverse_gap_regret (A : list nat) (g s : nat -> R) (gamma : R) (b : nat) :
  NoDup A -> is_argmax A g b -> 0 < gamma ->
  sum A (fun a => igw A g gamma b a * (largest A s - s a))
  <= 2 * (INR (length A) - 1) / gamma
     + gamma / 4 * sum A (fun a => igw A g gamma b a * ((g a - s a) * (g a - s a))).
Proof.
  intros N M G. apply igw_regret; auto.
  destruct M as [H _]. apply (argmax_is A s). destruct A; simpl in *; [tauto|congruence].
Qed.

(* The hypotheses can be met: three actions, the first looks best. *)
Example inverse_gap_instance :
  NoDup [0; 1; 2]%nat /\ is_argmax [0; 1; 2]%nat (fun a => if Nat.eqb a 0 then 1 else 0) 0%nat.
Proof.
  split.
  - repeat constructor; simpl; intuition discriminate.
  - split; [simpl; auto|]. intros c [<-|[<-|[<-|[]]]]; simpl; lra.
Qed.
