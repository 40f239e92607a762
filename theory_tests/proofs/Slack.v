(* Lem F.2, the calibration slack of a wrong greedy action. As printed (no condition on the mass S)
   it fails: the slack is homogeneous in the scores and its infimum is 0. With S >= 1, which scores
   of a round have, the least value is (1 - 2 nu)(K - 2)/2, at least 1/4, and 1/4 itself at K = 3,
   nu = 1/4. Claims: lem-f.2, lem-f.2-with-mass. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Projection.
Import ListNotations.
Open Scope R_scope.

Definition slack (A : list nat) (s u : nat -> R) (best r : nat) : R :=
  sum A (fun a => (sum A s - s a) * Rmax 0 (1 + u a))
  - INR (length A) * (sum A s - s best) - (s best - s r).

(* The slack is the surrogate gap minus the true one: its first sum is the conditional risk of the
   constrained hinge. *)
Lemma slack_is_gap A s u best r :
  NoDup A ->
  slack A s u best r
  = risk cstnd_hinge A s u - INR (length A) * (sum A s - s best) - (s best - s r).
Proof.
  intros N. unfold slack. do 2 f_equal. rewrite risk_eq, <- (sum_cross A s) by auto.
  apply sum_ext. intros a _. rewrite cstnd_hinge_eq. reflexivity.
Qed.

(* What the lemma assumes: non-negative scores with positive mass of which best holds at least
   1 - nu, a vector that sums to zero, and a greedy action r that is not best. *)
Definition wrong_greedy (A : list nat) (nu : R) (s u : nat -> R) (best r : nat) : Prop :=
  (forall a, In a A -> 0 <= s a) /\ 0 < mass A s /\ In best A
  /\ 1 - nu <= score_bar A s best /\ zero_sum A u /\ is_argmax A u r /\ r <> best.

Lemma slack_lower A nu s u best r :
  NoDup A -> 0 <= nu <= 1 / 4 -> (3 <= length A)%nat -> wrong_greedy A nu s u best r ->
  mass A s * ((1 - 2 * nu) * (INR (length A) - 2) / 2) <= slack A s u best r.
Proof.
  intros N Hnu HK [P [M [Hb [C [Z [[Hr Mr] Ne]]]]]]. rewrite mass_eq in *.
  rewrite score_bar_eq in C. set (S := sum A s) in *. set (K := INR (length A)).
  set (v a := Rmax 0 (1 + u a)).
  assert (Cs : (1 - nu) * S <= s best).
  { apply Rmult_le_compat_r with (r := S) in C; [|lra]. unfold Rdiv in C.
    rewrite Rmult_assoc, Rinv_l in C by lra. lra. }
  assert (Rest : sum (others A best) s = S - s best) by (apply sum_others_eq; auto).
  assert (Gap : forall a, In a A -> a <> best -> (1 - 2 * nu) * S <= s best - s a).
  { intros a Ha Na.
    assert (s a <= sum (others A best) s); [|lra].
    apply sum_term_le; [|apply others_in; auto].
    intros b Ib. apply others_in in Ib. apply P. tauto. }
  assert (V0 : forall a, 0 <= v a) by (intros; apply Rmax_l).
  assert (V1 : forall a, 1 + u a <= v a) by (intros; apply Rmax_r).
  assert (HU : K <= sum A v).
  { apply Rle_trans with (sum A (fun a => 1 + u a)).
    - rewrite sum_plus, sum_const, Z. unfold K. lra.
    - apply sum_le; auto. }
  assert (Kp : 3 <= K) by (apply le_INR in HK; simpl in HK; unfold K; lra).
  assert (Ur : 0 <= u r).
  { destruct (Rle_dec 0 (u r)); auto. exfalso.
    assert (sum A u <= K * u r) by (apply sum_le_const; auto).
    rewrite Z in H. nra. }
  assert (Vr : v r = 1 + u r) by (apply Rmax_right; lra).
  assert (Vb : v best <= v r).
  { unfold v. specialize (Mr best Hb). apply Rmax_lub; [apply Rmax_l|].
    apply Rle_trans with (1 + u r); [lra|apply Rmax_r]. }
  set (L := sum (others A best) v).
  assert (EL : sum A v = v best + L) by (apply sum_others; auto).
  assert (Ir : In r (others A best)) by (apply others_in; auto).
  assert (LVr : v r <= L) by (apply sum_term_le; auto).
  assert (HL : K / 2 <= L) by lra.
  assert (Key : slack A s u best r
     = (S - s best) * (sum A v - K)
       + (sum (others A best) (fun a => (s best - s a) * v a) - (s best - s r))).
  { unfold slack. fold S. fold K. fold v.
    change (fun a => (S - s a) * Rmax 0 (1 + u a)) with (fun a => (S - s a) * v a).
    rewrite (sum_others A best _ N Hb), EL. unfold L.
    rewrite (sum_ext (others A best) (fun a => (S - s a) * v a)
      (fun a => (S - s best) * v a + (s best - s a) * v a)) by (intros; ring).
    rewrite sum_plus, sum_scal. ring. }
  assert (Low : (1 - 2 * nu) * S * (L - 1)
    <= sum (others A best) (fun a => (s best - s a) * v a) - (s best - s r)).
  { pose proof (others_nodup A best N) as No.
    rewrite (sum_others (others A best) r _ No Ir).
    unfold L. rewrite (sum_others (others A best) r v No Ir).
    assert (sum (others (others A best) r) (fun a => (1 - 2 * nu) * S * v a)
            <= sum (others (others A best) r) (fun a => (s best - s a) * v a)).
    { apply sum_le. intros a Ha. apply others_in in Ha. destruct Ha as [Ha _].
      apply others_in in Ha. apply Rmult_le_compat_r; auto. apply Gap; tauto. }
    rewrite sum_scal in H. pose proof (Gap r Hr Ne).
    assert (0 <= (s best - s r - (1 - 2 * nu) * S) * (v r - 1))
      by (apply Rmult_le_pos; lra). lra. }
  assert (Pos : 0 <= (S - s best) * (sum A v - K)).
  { apply Rmult_le_pos; [|lra].
    assert (s best <= S); [|lra]. apply sum_term_le; auto. }
  assert (Fin : (1 - 2 * nu) * S * (K / 2 - 1) <= (1 - 2 * nu) * S * (L - 1)).
  { apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos; lra. }
  lra.
Qed.

(* The worst case: mass (1 - nu, nu) on two actions that tie at K/2 - 1, the rest at -1. *)
Definition two_s (e nu : R) (best r a : nat) : R :=
  if Nat.eqb a best then e * (1 - nu) else if Nat.eqb a r then e * nu else 0.
Definition two_u (K : R) (best r a : nat) : R :=
  if Nat.eqb a best then K / 2 - 1 else if Nat.eqb a r then K / 2 - 1 else -1.

Lemma sum_two (A : list nat) best r (x y z : R) :
  NoDup A -> In best A -> In r A -> r <> best ->
  sum A (fun a => if Nat.eqb a best then x else if Nat.eqb a r then y else z)
  = x + y + (INR (length A) - 2) * z.
Proof.
  intros N Hb Hr Ne.
  assert (Ir : In r (others A best)) by (apply others_in; auto).
  rewrite (sum_others A best _ N Hb), Nat.eqb_refl.
  rewrite (sum_others (others A best) r _ (others_nodup A best N) Ir), Nat.eqb_refl.
  destruct (Nat.eqb_spec r best); [congruence|].
  rewrite (sum_ext _ _ (fun _ => z)).
  - rewrite sum_const, (others_length_INR _ r (others_nodup A best N) Ir),
      (others_length_INR A best N Hb). ring.
  - intros a Ha. apply others_in in Ha. destruct Ha as [Ha Na]. apply others_in in Ha.
    destruct (Nat.eqb_spec a best); [tauto|]. destruct (Nat.eqb_spec a r); tauto.
Qed.

Section Worst.
Context (A : list nat) (nu e : R) (best r : nat).
Context (N : NoDup A) (HK : (3 <= length A)%nat) (Hnu : 0 <= nu <= 1 / 4) (He : 0 < e).
Context (Hb : In best A) (Hr : In r A) (Ne : r <> best).
Let K := INR (length A).
Let s := two_s e nu best r.
Let u := two_u K best r.

Lemma worst_K : 3 <= K.
Proof. unfold K. apply le_INR in HK. simpl in HK. lra. Qed.

Lemma worst_mass : sum A s = e.
Proof. unfold s, two_s. rewrite sum_two by auto. ring. Qed.

Lemma worst_admissible : wrong_greedy A nu s u best r.
Proof.
  pose proof worst_K as K3. unfold wrong_greedy. rewrite mass_eq, score_bar_eq, worst_mass.
  repeat split; auto.
  - intros a _. unfold s, two_s. destruct (Nat.eqb a best), (Nat.eqb a r); nra.
  - unfold s, two_s. rewrite Nat.eqb_refl. right. field. lra.
  - unfold zero_sum, u, two_u. rewrite sum_two by auto. fold K. lra.
  - intros b _. unfold u, two_u. rewrite Nat.eqb_refl.
    destruct (Nat.eqb b best), (Nat.eqb b r), (Nat.eqb r best); lra.
Qed.

Lemma worst_slack : slack A s u best r = e * ((1 - 2 * nu) * (K - 2) / 2).
Proof.
  pose proof worst_K as K3. unfold slack. fold K. rewrite worst_mass.
  assert (Sb : s best = e * (1 - nu)) by (unfold s, two_s; rewrite Nat.eqb_refl; auto).
  assert (Sr : s r = e * nu).
  { unfold s, two_s. rewrite Nat.eqb_refl. destruct (Nat.eqb_spec r best); [congruence|auto]. }
  rewrite (sum_ext A _ (fun a => if Nat.eqb a best then (e - e * (1 - nu)) * (K / 2)
                                 else if Nat.eqb a r then (e - e * nu) * (K / 2) else 0)).
  - rewrite (sum_two A best r) by auto. rewrite Sb, Sr. unfold K. field.
  - intros a _. unfold s, two_s, u, two_u.
    destruct (Nat.eqb a best); [|destruct (Nat.eqb a r)].
    + rewrite Rmax_right by lra. f_equal. ring.
    + rewrite Rmax_right by lra. f_equal. ring.
    + rewrite Rmax_left by lra. ring.
Qed.

End Worst.

Lemma two_members (A : list nat) :
  NoDup A -> (3 <= length A)%nat -> exists best r, In best A /\ In r A /\ r <> best.
Proof.
  intros N H. destruct A as [|a [|b A]]; simpl in H; try lia.
  exists a, b. repeat split; simpl; auto. intros E. inversion N; subst. apply H2. left. auto.
Qed.

(* As printed: for every K >= 3 and nu <= 1/4 the infimum of the slack is 0, so no positive constant
   holds; the witness of the ledger has slack 1/40. *)
(* refutes: lem-f.2 *)
Theorem slack_as_printed_has_infimum_zero :
  (forall A nu, NoDup A -> (3 <= length A)%nat -> 0 <= nu <= 1 / 4 ->
   is_inf_over (fun z : (nat -> R) * (nat -> R) * nat * nat =>
                  let '(s, u, best, r) := z in wrong_greedy A nu s u best r)
               (fun z => let '(s, u, best, r) := z in slack A s u best r)
               0)
  /\ exists s u,
     s 0%nat = 1 / 40 /\ s 1%nat = 3 / 40 /\ s 2%nat = 0
     /\ u 0%nat = 1 / 2 /\ u 1%nat = 1 / 2 /\ u 2%nat = -1
     /\ wrong_greedy [0%nat; 1%nat; 2%nat] (1 / 4) s u 1 0
     /\ slack [0%nat; 1%nat; 2%nat] s u 1 0 = 1 / 40.
Proof.
  split.
  - intros A nu N HK Hnu. split.
    + intros [[[s u] best] r] W.
      pose proof (slack_lower A nu s u best r N Hnu HK W) as L.
      destruct W as [_ [M _]]. apply le_INR in HK. simpl in HK.
      assert (0 <= mass A s * ((1 - 2 * nu) * (INR (length A) - 2) / 2)); [|lra].
      apply Rmult_le_pos; [lra|]. assert (0 <= (1 - 2 * nu) * (INR (length A) - 2)); [|lra].
      apply Rmult_le_pos; lra.
    + intros m H. destruct (two_members A N HK) as [best [r [Hb [Hr Ne]]]].
      set (k := (1 - 2 * nu) * (INR (length A) - 2) / 2).
      assert (Kp : 0 < k).
      { unfold k. pose proof HK as HK'. apply le_INR in HK'. simpl in HK'.
        assert (0 < (1 - 2 * nu) * (INR (length A) - 2)); [|lra].
        apply Rmult_lt_0_compat; lra. }
      destruct (Rle_dec m 0) as [|Pm]; auto. exfalso.
      assert (He : 0 < m / (2 * k)) by (apply Rdiv_lt_0_compat; lra).
      pose proof (H (two_s (m / (2 * k)) nu best r, two_u (INR (length A)) best r, best, r)
        (worst_admissible A nu (m / (2 * k)) best r N HK Hnu He Hb Hr Ne)) as L.
      cbv beta iota in L. rewrite worst_slack in L by auto. fold k in L.
      replace (m / (2 * k) * k) with (m / 2) in L by (field; lra). lra.
  - assert (N : NoDup [0%nat; 1%nat; 2%nat]).
    { repeat constructor; simpl; intuition discriminate. }
    pose proof (worst_admissible [0%nat; 1%nat; 2%nat] (1 / 4) (1 / 10) 1 0 N) as W.
    pose proof (worst_slack [0%nat; 1%nat; 2%nat] (1 / 4) (1 / 10) 1 0 N) as S.
    simpl length in W, S. replace (INR 3) with 3 in W, S by (simpl; lra).
    exists (two_s (1 / 10) (1 / 4) 1 0), (two_u 3 1 0).
    unfold two_s at 1 2 3, two_u at 1 2 3. simpl Nat.eqb. cbv iota.
    repeat split; try lra; try (apply W; simpl; auto; try lia; try lra; fail).
    rewrite S; simpl; auto; try lia; try lra.
Qed.

(* With S >= 1 the least slack is (1 - 2 nu)(K - 2)/2 and it is attained. *)
(* claim: lem-f.2-with-mass *)
Theorem slack_with_unit_mass_has_a_positive_minimum :
  (forall A nu, NoDup A -> (3 <= length A)%nat -> 0 <= nu <= 1 / 4 ->
   is_min_over (fun z : (nat -> R) * (nat -> R) * nat * nat =>
                  let '(s, u, best, r) := z in
                  wrong_greedy A nu s u best r /\ 1 <= mass A s)
               (fun z => let '(s, u, best, r) := z in slack A s u best r)
               ((1 - 2 * nu) * (INR (length A) - 2) / 2)
   /\ 1 / 4 <= (1 - 2 * nu) * (INR (length A) - 2) / 2)
  /\ (1 - 2 * (1 / 4)) * (INR 3 - 2) / 2 = 1 / 4.
Proof.
  split; [|simpl; field].
  intros A nu N HK Hnu.
  pose proof HK as HK'. apply le_INR in HK'. simpl in HK'.
  assert (Q : 1 / 2 * 1 <= (1 - 2 * nu) * (INR (length A) - 2)).
  { apply Rmult_le_compat; lra. }
  split; [|lra]. split.
  - intros [[[s u] best] r] [W M].
    pose proof (slack_lower A nu s u best r N Hnu HK W) as L.
    eapply Rle_trans; [|exact L].
    apply Rle_trans with (1 * ((1 - 2 * nu) * (INR (length A) - 2) / 2)); [lra|].
    apply Rmult_le_compat_r; lra.
  - destruct (two_members A N HK) as [best [r [Hb [Hr Ne]]]].
    exists (two_s 1 nu best r, two_u (INR (length A)) best r, best, r).
    assert (P1 : 0 < 1) by lra. split; [split|].
    + apply (worst_admissible A nu 1 best r N HK Hnu P1 Hb Hr Ne).
    + rewrite mass_eq, worst_mass by auto. lra.
    + rewrite worst_slack by auto. ring.
Qed.
