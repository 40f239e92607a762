(* One input, actions that come and go: can one score vector serve every active set?

   A mixture lists active sets with weights. A learner with one score vector v per input pays the
   weighted sum of the conditional risks of the sets, v restricted to each. A loss is
   availability-consistent if every near-minimiser of every mixture has a best active action on top
   in every set, under any rule for ties; it has zero gap if for every eps one vector is within eps of
   the infimum in every set at once. This file: the definitions, two general lemmas, and the two
   losses that are sums of exponentials over pairs. Claims: availability-comp-exp,
   availability-sum-exp. The others are in AvailabilityRamps, AvailabilityComp and
   AvailabilityFails. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Classical.
From Deferlab Require Import Sums Definitions.
Import ListNotations.
Open Scope R_scope.

(* Active sets with their weights. *)
Definition mixture := list (R * list nat).
Definition proper (M : mixture) : Prop := forall w A, In (w, A) M -> 0 < w /\ NoDup A.
Definition scored (M : mixture) (s : nat -> R) : Prop :=
  forall w A a, In (w, A) M -> In a A -> 0 <= s a.
Definition mixture_risk (L : Loss) (M : mixture) (s v : nat -> R) : R :=
  sum M (fun i => fst i * risk L (snd i) s v).

(* Every near-minimiser of the mixture is right in every one of its sets: whatever is on top there
   has the largest score. (Near-minimisers exist: the losses are bounded below.) *)
Definition availability_consistent (L : Loss) : Prop :=
  forall (M : mixture) (s : nat -> R), proper M -> scored M s ->
  exists delta, 0 < delta /\
  forall v, (forall u, mixture_risk L M s v <= mixture_risk L M s u + delta) ->
  forall w A a, In (w, A) M -> is_argmax A v a -> is_argmax A s a.

(* One vector (nearly) reaches the infimum of every set of the mixture. *)
Definition zero_gap (L : Loss) : Prop :=
  forall (M : mixture) (s : nat -> R) (eps : R), proper M -> scored M s -> 0 < eps ->
  exists v, forall w A, In (w, A) M -> forall u, risk L A s v <= risk L A s u + eps.

(* One positive number that is small enough for every element of a list. *)
Lemma small_for_all {X} (P : X -> R -> Prop) (l : list X) :
  (forall x d d', In x l -> P x d -> 0 < d' <= d -> P x d') ->
  (forall x, In x l -> exists d, 0 < d /\ P x d) ->
  exists d, 0 < d /\ forall x, In x l -> P x d.
Proof.
  intros Mn. induction l as [|x l IH]; intros H.
  - exists 1. split; [lra|]. intros ? [].
  - destruct (H x) as [d1 [P1 Q1]]; [left; auto|].
    destruct IH as [d2 [P2 Q2]].
    { intros y d d' Hy. apply Mn. right; auto. }
    { intros y Hy. apply H. right; auto. }
    assert (0 < Rmin d1 d2) by (apply Rmin_glb_lt; auto).
    exists (Rmin d1 d2). split; auto. intros y [<-|Hy].
    + apply Mn with d1; [left; auto|auto|]. split; auto. apply Rmin_l.
    + apply Mn with d2; [right; auto|auto|]. split; auto. apply Rmin_r.
Qed.

(* A function bounded below has near-minimisers. *)
Lemma near_minimiser {X} (f : X -> R) (x0 : X) (m eps : R) :
  (forall x, m <= f x) -> 0 < eps -> exists x, forall y, f x <= f y + eps.
Proof.
  intros B E. apply NNPP. intros N.
  assert (S : forall x, exists y, f y + eps < f x).
  { intros x. apply NNPP. intros Q. apply N. exists x. intros y.
    destruct (Rle_dec (f x) (f y + eps)); auto. exfalso. apply Q. exists y. lra. }
  assert (D : forall k : nat, exists x, f x <= f x0 - INR k * eps).
  { induction k as [|k [x Hx]].
    - exists x0. simpl. lra.
    - destruct (S x) as [y Hy]. exists y. rewrite S_INR. lra. }
  destruct (archimed ((f x0 - m) / eps)) as [Hk _].
  assert (Pk : (0 <= up ((f x0 - m) / eps))%Z).
  { apply le_IZR. apply Rlt_le, Rle_lt_trans with ((f x0 - m) / eps); [|lra].
    apply Rmult_le_pos; [specialize (B x0); lra|]. left. apply Rinv_0_lt_compat. auto. }
  destruct (IZN _ Pk) as [k Ek]. rewrite Ek, <- INR_IZR_INZ in Hk.
  destruct (D k) as [x Hx]. specialize (B x).
  assert ((f x0 - m) / eps * eps = f x0 - m) by (field; lra). nra.
Qed.

(* With a worse action on top, the risk exceeds some other one by a fixed amount. *)
Definition improvable (L : Loss) : Prop :=
  forall A s a b, NoDup A -> (forall c, In c A -> 0 <= s c) -> In a A -> In b A -> s a < s b ->
  exists d, 0 < d /\ forall v, is_argmax A v a -> exists u, risk L A s u + d <= risk L A s v.

Definition nonneg_loss (L : Loss) : Prop := forall A a u, NoDup A -> In a A -> 0 <= L A a u.

Lemma consistent_if (L : Loss) : zero_gap L -> improvable L -> availability_consistent L.
Proof.
  intros Z I M s PM SM.
  assert (D : exists d, 0 < d /\ forall i, In i M -> forall a, In a (snd i) -> forall b, In b (snd i) ->
    s a < s b -> forall v, is_argmax (snd i) v a ->
    exists u, risk L (snd i) s u + d / fst i <= risk L (snd i) s v).
  { apply small_for_all.
    - intros [w A] d d' Hi H Hd a Ha b Hb Hab v Hv.
      destruct (H a Ha b Hb Hab v Hv) as [u Hu]. exists u. simpl in *.
      destruct (PM w A Hi) as [Pw _].
      assert (d' / w <= d / w); [|lra].
      apply Rmult_le_compat_r; [|lra]. left. apply Rinv_0_lt_compat. auto.
    - intros [w A] Hi. simpl. destruct (PM w A Hi) as [Pw NA].
      apply (small_for_all (fun a d => forall b, In b A -> s a < s b -> forall v, is_argmax A v a ->
        exists u, risk L A s u + d / w <= risk L A s v)).
      + intros a d d' Ha H Hd b Hb Hab v Hv.
        destruct (H b Hb Hab v Hv) as [u Hu]. exists u.
        assert (d' / w <= d / w); [|lra].
        apply Rmult_le_compat_r; [|lra]. left. apply Rinv_0_lt_compat. auto.
      + intros a Ha.
        apply (small_for_all (fun b d => s a < s b -> forall v, is_argmax A v a ->
          exists u, risk L A s u + d / w <= risk L A s v)).
        * intros b d d' Hb H Hd Hab v Hv.
          destruct (H Hab v Hv) as [u Hu]. exists u.
          assert (d' / w <= d / w); [|lra].
          apply Rmult_le_compat_r; [|lra]. left. apply Rinv_0_lt_compat. auto.
        * intros b Hb. destruct (Rlt_dec (s a) (s b)) as [Hab|]; [|exists 1; split; [lra|tauto]].
          destruct (I A s a b NA) as [d [Pd Hd]]; auto.
          { intros c Hc. apply (SM w A c Hi Hc). }
          exists (d * w). split; [apply Rmult_lt_0_compat; auto|].
          intros _ v Hv. replace (d * w / w) with d by (field; lra). auto. }
  destruct D as [d [Pd Hd]].
  exists (d / 4). split; [lra|].
  intros v Hv w A a Hi Ha. split; [apply Ha|]. intros b Hb.
  destruct (Rle_dec (s b) (s a)) as [|Hab]; auto. exfalso.
  destruct (Hd (w, A) Hi a (proj1 Ha) b Hb ltac:(lra) v Ha) as [u Hu]. simpl in Hu.
  destruct (PM w A Hi) as [Pw _].
  set (W := sum M fst).
  assert (PW : 0 < W).
  { apply sum_pos; [|exists (w, A); auto]. intros [w' A'] Hi'. simpl.
    destruct (PM w' A' Hi'). lra. }
  destruct (Z M s (d / (4 * W)) PM SM) as [v0 Hv0].
  { apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. lra. }
  set (e := d / (4 * W)) in *.
  assert (EW : e * W = d / 4) by (unfold e; field; lra).
  assert (G : forall i, In i M -> 0 <= fst i * (risk L (snd i) s v + e - risk L (snd i) s v0)).
  { intros [w' A'] Hi'. simpl. destruct (PM w' A' Hi'). specialize (Hv0 w' A' Hi' v). nra. }
  pose proof (sum_term_le M _ (w, A) G Hi) as T. simpl in T.
  assert (E : sum M (fun i => fst i * (risk L (snd i) s v + e - risk L (snd i) s v0))
              = mixture_risk L M s v + e * W - mixture_risk L M s v0).
  { unfold mixture_risk, W. rewrite <- sum_scal, <- sum_plus, <- sum_minus.
    apply sum_ext. intros. ring. }
  rewrite E, EW in T. specialize (Hv v0).
  pose proof (Hv0 w A Hi u) as Q.
  assert (w * (risk L A s v + e - risk L A s v0) >= w * (d / w)) by nra.
  assert (w * (d / w) = d) by (field; lra). lra.
Qed.

(* Exact common minimisers for positive scores give near-minimisers for all. *)
Lemma zero_gap_if (L : Loss) :
  nonneg_loss L ->
  (forall (s : nat -> R), (forall a, 0 < s a) ->
     exists v, forall A, NoDup A -> forall u, risk L A s v <= risk L A s u) ->
  zero_gap L.
Proof.
  intros N H M s eps PM SM Pe.
  assert (D : exists d, 0 < d /\ forall i, In i M -> exists u0,
    forall u, risk L (snd i) s u0 + d * sum (snd i) (fun a => L (snd i) a u0) <= risk L (snd i) s u + eps).
  { apply small_for_all.
    - intros [w A] d d' Hi [u0 Hu] Hd. exists u0. intros u. specialize (Hu u). simpl in *.
      destruct (PM w A Hi) as [_ NA].
      assert (0 <= sum A (fun a => L A a u0)) by (apply sum_nonneg; intros; apply N; auto). nra.
    - intros [w A] Hi. simpl. destruct (PM w A Hi) as [_ NA].
      destruct (near_minimiser (risk L A s) (fun _ => 0) 0 (eps / 2)) as [u0 Hu]; [|lra|].
      { intros u. rewrite risk_eq. apply sum_nonneg. intros a Ha.
        apply Rmult_le_pos; [apply (SM w A)|apply N]; auto. }
      set (P := sum A (fun a => L A a u0)).
      assert (0 <= P) by (apply sum_nonneg; intros; apply N; auto).
      exists (eps / (2 * (P + 1))). split.
      + apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. lra.
      + exists u0. intros u. specialize (Hu u). fold P.
        assert (eps / (2 * (P + 1)) * P <= eps / 2); [|lra].
        assert (eps / (2 * (P + 1)) * (P + 1) = eps / 2) by (field; lra).
        assert (0 < eps / (2 * (P + 1))); [|nra].
        apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. lra. }
  destruct D as [d [Pd Hd]].
  (* Scores of absent actions do not matter. *)
  destruct (H (fun a => Rmax 0 (s a) + d)) as [v Hv].
  { intros a. pose proof (Rmax_l 0 (s a)). lra. }
  exists v. intros w A Hi u.
  destruct (PM w A Hi) as [_ NA].
  destruct (Hd (w, A) Hi) as [u0 Hu]. simpl in Hu. specialize (Hu u).
  specialize (Hv A NA u0).
  assert (E : risk L A (fun a => Rmax 0 (s a) + d) u0 = risk L A s u0 + d * sum A (fun a => L A a u0)).
  { rewrite !risk_eq, <- sum_scal, <- sum_plus. apply sum_ext. intros a Ha.
    rewrite Rmax_right by (apply (SM w A); auto). ring. }
  assert (risk L A s v <= risk L A (fun a => Rmax 0 (s a) + d) v).
  { rewrite !risk_eq. apply sum_le. intros a Ha. apply Rmult_le_compat_r; [apply N; auto|].
    rewrite Rmax_right by (apply (SM w A); auto). lra. }
  lra.
Qed.

(* Losses that are sums over pairs of active actions. *)

Lemma risk_pairs (L : Loss) (h : (nat -> R) -> nat -> nat -> R) A s u :
  NoDup A -> (forall a, In a A -> L A a u = sum (others A a) (fun b => h u a b)) ->
  2 * risk L A s u
  = sum A (fun a => sum (others A a) (fun b => s a * h u a b + s b * h u b a)).
Proof.
  intros N H. rewrite risk_eq.
  rewrite (sum_ext A (fun a => sum (others A a) (fun b => s a * h u a b + s b * h u b a))
    (fun a => s a * sum (others A a) (fun b => h u a b)
              + sum (others A a) (fun b => s b * h u b a))).
  - rewrite sum_plus, <- (sum_cross2 A s (h u) N).
    rewrite (sum_ext A (fun a => s a * L A a u) (fun a => s a * sum (others A a) (fun b => h u a b))).
    + ring.
    + intros a Ha. rewrite H; auto.
  - intros a Ha. rewrite sum_plus, (sum_scal (others A a) (s a) (fun b => h u a b)). reflexivity.
Qed.

(* Pairs bounded below by m; one pair counts. *)
Lemma pairs_above A (g m : nat -> nat -> R) a b :
  (forall c d, In c A -> In d A -> c <> d -> m c d <= g c d) ->
  In a A -> In b A -> a <> b ->
  sum A (fun c => sum (others A c) (m c)) + (g a b - m a b)
  <= sum A (fun c => sum (others A c) (g c)).
Proof.
  intros H Ha Hb N.
  assert (G : forall c, In c A -> 0 <= sum (others A c) (fun d => g c d - m c d)).
  { intros c Hc. apply sum_nonneg. intros d Hd. apply others_in in Hd; destruct Hd as [Hd Ncd].
    assert (m c d <= g c d) by (apply H; auto). lra. }
  pose proof (sum_term_le A _ a G Ha) as T1.
  assert (T2 : g a b - m a b <= sum (others A a) (fun d => g a d - m a d)).
  { apply (sum_term_le (others A a) (fun d => g a d - m a d) b).
    - intros d Hd. apply others_in in Hd; destruct Hd as [Hd Ncd]. assert (m a d <= g a d) by (apply H; auto). lra.
    - apply others_in. auto. }
  rewrite (sum_ext A (fun c => sum (others A c) (fun d => g c d - m c d))
    (fun c => sum (others A c) (g c) - sum (others A c) (m c))) in T1
    by (intros; rewrite sum_minus; auto).
  cbv beta in T1. set (x := sum (others A a) (fun d => g a d - m a d)) in *.
  rewrite sum_minus in T1. lra.
Qed.

Lemma pairs_below A (g m : nat -> nat -> R) e :
  (forall c d, In c A -> In d A -> c <> d -> g c d <= m c d + e) -> 0 <= e ->
  sum A (fun c => sum (others A c) (g c))
  <= sum A (fun c => sum (others A c) (m c)) + INR (length A) * (INR (length A) * e).
Proof.
  intros H E. rewrite <- sum_const, <- sum_plus. apply sum_le. intros c Hc.
  apply Rle_trans with (sum (others A c) (fun d => m c d + e)).
  - apply sum_le. intros d Hd. apply others_in in Hd; destruct Hd as [Hd Ncd]. apply H; auto.
  - rewrite sum_plus, sum_const. apply Rplus_le_compat_l. apply Rmult_le_compat_r; auto.
    apply le_INR. unfold others. clear. induction A as [|x A IH]; simpl; auto.
    destruct (negb (Nat.eqb x c)); simpl; lia.
Qed.

(* Sum of exponentials. *)

Definition pair_exp (u : nat -> R) (a b : nat) : R := exp (u b - u a).

Lemma sum_exp_pairs A a u : sum_exp A a u = sum (others A a) (fun b => pair_exp u a b).
Proof. apply sum_ext. intros b _. unfold pair_exp. f_equal. ring. Qed.

Lemma comp_exp_is_sum_exp A a u : comp_exp A a u = sum_exp A a u.
Proof. rewrite sum_exp_pairs. reflexivity. Qed.

Lemma exp_pair_identity (s : nat -> R) u a b :
  0 <= s a -> 0 <= s b ->
  s a * pair_exp u a b + s b * pair_exp u b a - 2 * (sqrt (s a) * sqrt (s b))
  = (sqrt (s b) * exp ((u a - u b) / 2) - sqrt (s a) * exp ((u b - u a) / 2)) ^ 2.
Proof.
  intros Ha Hb. unfold pair_exp.
  assert (E : forall t, exp t = exp (t / 2) * exp (t / 2)).
  { intros t. rewrite <- exp_plus. f_equal. field. }
  rewrite (E (u b - u a)), (E (u a - u b)).
  assert (P : exp ((u a - u b) / 2) * exp ((u b - u a) / 2) = 1).
  { rewrite <- exp_plus. replace ((u a - u b) / 2 + (u b - u a) / 2) with 0 by field.
    apply exp_0. }
  rewrite <- (sqrt_sqrt (s a)) at 1 by auto. rewrite <- (sqrt_sqrt (s b)) at 1 by auto.
  set (x := exp ((u a - u b) / 2)) in *. set (y := exp ((u b - u a) / 2)) in *.
  set (p := sqrt (s a)). set (q := sqrt (s b)).
  replace (2 * (p * q)) with (2 * (p * q) * (x * y)) by (rewrite P; ring). ring.
Qed.

Lemma exp_pair_lower s u a b :
  0 <= s a -> 0 <= s b ->
  2 * (sqrt (s a) * sqrt (s b)) <= s a * pair_exp u a b + s b * pair_exp u b a.
Proof.
  intros Ha Hb. pose proof (exp_pair_identity s u a b Ha Hb).
  pose proof (pow2_ge_0 (sqrt (s b) * exp ((u a - u b) / 2) - sqrt (s a) * exp ((u b - u a) / 2))).
  lra.
Qed.

Lemma exp_pair_wrong s u a b :
  0 <= s a -> s a < s b -> u b <= u a ->
  2 * (sqrt (s a) * sqrt (s b)) + (sqrt (s b) - sqrt (s a)) ^ 2
  <= s a * pair_exp u a b + s b * pair_exp u b a.
Proof.
  intros Ha Hab Hu. assert (Hb : 0 <= s b) by lra.
  pose proof (exp_pair_identity s u a b Ha Hb) as I.
  assert (Q : sqrt (s a) < sqrt (s b)) by (apply sqrt_lt_1; lra).
  assert (0 <= sqrt (s a)) by apply sqrt_pos.
  assert (X : 1 <= exp ((u a - u b) / 2)).
  { rewrite <- exp_0. destruct (Req_dec (u a) (u b)) as [->|].
    - right. f_equal. field.
    - left. apply exp_increasing. lra. }
  assert (Y : exp ((u b - u a) / 2) <= 1).
  { rewrite <- exp_0. destruct (Req_dec (u a) (u b)) as [->|].
    - right. f_equal. field.
    - left. apply exp_increasing. lra. }
  pose proof (exp_pos ((u b - u a) / 2)).
  set (x := exp ((u a - u b) / 2)) in *. set (y := exp ((u b - u a) / 2)) in *.
  assert (sqrt (s b) - sqrt (s a) <= sqrt (s b) * x - sqrt (s a) * y) by nra.
  nra.
Qed.

(* The vector log(s)/2, for scores raised by d. *)
Lemma exp_pair_vector (s : nat -> R) d a b :
  0 <= s a -> 0 <= s b -> 0 < d ->
  let v := fun c => / 2 * ln (s c + d) in
  s a * pair_exp v a b + s b * pair_exp v b a
  <= 2 * (sqrt (s a + d) * sqrt (s b + d)).
Proof.
  intros Ha Hb Pd v. unfold pair_exp.
  assert (V : forall c, 0 <= s c -> exp (v c) = sqrt (s c + d)).
  { intros c Hc. unfold v. change (Rpower (s c + d) (/ 2) = sqrt (s c + d)).
    apply Rpower_sqrt. lra. }
  unfold Rminus. rewrite !exp_plus, !exp_Ropp, !V by auto.
  assert (Qa : 0 < sqrt (s a + d)) by (apply sqrt_lt_R0; lra).
  assert (Qb : 0 < sqrt (s b + d)) by (apply sqrt_lt_R0; lra).
  assert (Ea : sqrt (s a + d) * sqrt (s a + d) = s a + d) by (apply sqrt_sqrt; lra).
  assert (Eb : sqrt (s b + d) * sqrt (s b + d) = s b + d) by (apply sqrt_sqrt; lra).
  set (x := sqrt (s a + d)) in *. set (y := sqrt (s b + d)) in *.
  assert (s a * (y * / x) <= x * y).
  { apply Rle_trans with (x * x * (y * / x)).
    - apply Rmult_le_compat_r; [|lra]. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. auto.
    - right. field. lra. }
  assert (s b * (x * / y) <= x * y).
  { apply Rle_trans with (y * y * (x * / y)).
    - apply Rmult_le_compat_r; [|lra]. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. auto.
    - right. field. lra. }
  lra.
Qed.

Lemma sqrt_raised x y d :
  0 <= x -> 0 <= y -> 0 < d ->
  sqrt (x + d) * sqrt (y + d) <= sqrt x * sqrt y + sqrt (d * (x + y + d)).
Proof.
  intros Hx Hy Hd. rewrite <- !sqrt_mult by lra.
  apply Rsqr_incr_0; [|apply sqrt_pos|].
  2: { pose proof (sqrt_pos (x * y)). pose proof (sqrt_pos (d * (x + y + d))). lra. }
  rewrite Rsqr_sqrt by nra.
  pose proof (sqrt_pos (x * y)). pose proof (sqrt_pos (d * (x + y + d))).
  assert (E1 : sqrt (x * y) * sqrt (x * y) = x * y) by (apply sqrt_sqrt; nra).
  assert (E2 : sqrt (d * (x + y + d)) * sqrt (d * (x + y + d)) = d * (x + y + d))
    by (apply sqrt_sqrt; nra).
  unfold Rsqr. nra.
Qed.

Lemma exp_near A s eps :
  NoDup A -> (forall a, In a A -> 0 <= s a) -> 0 < eps ->
  exists v, 2 * risk sum_exp A s v
            <= sum A (fun a => sum (others A a) (fun b => 2 * (sqrt (s a) * sqrt (s b)))) + eps.
Proof.
  intros N P E.
  set (S := sum A s). assert (PS : 0 <= S) by (apply sum_nonneg; auto).
  set (K := INR (length A)). assert (PK : 0 <= K) by apply pos_INR.
  set (e := eps / (K * K + 1)).
  assert (Pe : 0 < e). { apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. nra. }
  set (d := Rmin 1 ((e / 2) * (e / 2) / (2 * S + 1))).
  assert (Pd : 0 < d).
  { apply Rmin_glb_lt; [lra|]. apply Rmult_lt_0_compat; [nra|]. apply Rinv_0_lt_compat. lra. }
  exists (fun c => / 2 * ln (s c + d)).
  rewrite (risk_pairs sum_exp pair_exp) by (auto; intros; apply sum_exp_pairs).
  apply Rle_trans with
    (sum A (fun a => sum (others A a) (fun b => 2 * (sqrt (s a) * sqrt (s b)))) + K * (K * e)).
  - apply pairs_below; [|lra]. intros a b Ha Hb Nab.
    eapply Rle_trans; [apply exp_pair_vector; auto|].
    pose proof (sqrt_raised (s a) (s b) d (P a Ha) (P b Hb) Pd).
    assert (Sa : s a <= S) by (apply (sum_term_le A s a); auto).
    assert (Sb : s b <= S) by (apply (sum_term_le A s b); auto).
    assert (D1 : d <= 1) by apply Rmin_l.
    assert (D2 : d * (2 * S + 1) <= (e / 2) * (e / 2)).
    { apply Rle_trans with ((e / 2) * (e / 2) / (2 * S + 1) * (2 * S + 1)).
      - apply Rmult_le_compat_r; [lra|apply Rmin_r].
      - right. field. lra. }
    assert (sqrt (d * (s a + s b + d)) <= e / 2).
    { rewrite <- (sqrt_square (e / 2)) by lra. apply sqrt_le_1_alt. nra. }
    lra.
  - assert (e * (K * K + 1) = eps) by (unfold e; field; nra). nra.
Qed.

Lemma sum_exp_nonneg : nonneg_loss sum_exp.
Proof. intros A a u _ _. apply sum_nonneg. intros. left. apply exp_pos. Qed.

Lemma sum_exp_lower A s u :
  NoDup A -> (forall a, In a A -> 0 <= s a) ->
  sum A (fun a => sum (others A a) (fun b => 2 * (sqrt (s a) * sqrt (s b))))
  <= 2 * risk sum_exp A s u.
Proof.
  intros N P. rewrite (risk_pairs sum_exp pair_exp) by (auto; intros; apply sum_exp_pairs).
  apply sum_le. intros a Ha. apply sum_le. intros b Hb. apply others_in in Hb; destruct Hb as [Hb Nab].
  apply exp_pair_lower; auto.
Qed.

(* log(s)/2 is optimal on every active set at once. *)
Lemma sum_exp_common (s : nat -> R) :
  (forall a, 0 < s a) ->
  forall A, NoDup A -> forall u,
  risk sum_exp A s (fun a => / 2 * ln (s a)) <= risk sum_exp A s u.
Proof.
  intros P A N u.
  pose proof (sum_exp_lower A s u N ltac:(intros; left; apply P)) as Lo.
  cut (2 * risk sum_exp A s (fun a => / 2 * ln (s a))
       <= sum A (fun a => sum (others A a) (fun b => 2 * (sqrt (s a) * sqrt (s b))))); [lra|].
  rewrite (risk_pairs sum_exp pair_exp) by (auto; intros; apply sum_exp_pairs).
  apply sum_le. intros a Ha. apply sum_le. intros b Hb.
  set (v := fun a => / 2 * ln (s a)).
  pose proof (exp_pair_identity s v a b ltac:(left; apply P) ltac:(left; apply P)) as I.
  assert (Z : sqrt (s b) * exp ((v a - v b) / 2) - sqrt (s a) * exp ((v b - v a) / 2) = 0).
  { rewrite <- !Rpower_sqrt by apply P. unfold Rpower, v. rewrite <- !exp_plus.
    match goal with |- exp ?x - exp ?y = 0 => replace y with x by field end. ring. }
  rewrite Z in I. lra.
Qed.

Lemma sum_exp_zero_gap : zero_gap sum_exp.
Proof.
  apply zero_gap_if; [apply sum_exp_nonneg|]. intros s P. eexists. exact (sum_exp_common s P).
Qed.

Lemma sum_exp_improvable : improvable sum_exp.
Proof.
  intros A s a b N P Ha Hb Hab.
  assert (Q : sqrt (s a) < sqrt (s b)) by (apply sqrt_lt_1; auto).
  set (g := (sqrt (s b) - sqrt (s a)) ^ 2). assert (Pg : 0 < g) by (unfold g; nra).
  exists (g / 4). split; [lra|]. intros v [_ Hv].
  destruct (exp_near A s (g / 2) N P ltac:(lra)) as [u Hu]. exists u.
  assert (Nab : a <> b) by (intros ->; lra).
  pose proof (pairs_above A (fun c d => s c * pair_exp v c d + s d * pair_exp v d c)
    (fun c d => 2 * (sqrt (s c) * sqrt (s d))) a b) as T.
  cbv beta in T. rewrite <- (risk_pairs sum_exp pair_exp A s v N) in T
    by (intros; apply sum_exp_pairs).
  assert (W := exp_pair_wrong s v a b (P a Ha) Hab (Hv b Hb)). fold g in W.
  specialize (T ltac:(intros; apply exp_pair_lower; auto) Ha Hb Nab). lra.
Qed.

(* claim: availability-sum-exp *)
Theorem sum_exp_serves_every_active_set :
  (forall s, (forall a, 0 < s a) -> forall A, NoDup A -> forall u,
     risk sum_exp A s (fun a => / 2 * ln (s a)) <= risk sum_exp A s u) /\
  zero_gap sum_exp /\ availability_consistent sum_exp.
Proof.
  split; [exact sum_exp_common|]. split; [exact sum_exp_zero_gap|].
  apply consistent_if; [exact sum_exp_zero_gap|exact sum_exp_improvable].
Qed.

(* Equal losses have equal risks. *)
Lemma risk_same (L L' : Loss) A s u :
  (forall a, In a A -> L A a u = L' A a u) -> risk L A s u = risk L' A s u.
Proof. intros H. rewrite !risk_eq. apply sum_ext. intros a Ha. rewrite H; auto. Qed.

Lemma zero_gap_same (L L' : Loss) :
  (forall A a u, L A a u = L' A a u) -> zero_gap L -> zero_gap L'.
Proof.
  intros E Z M s eps PM SM Pe. destruct (Z M s eps PM SM Pe) as [v Hv].
  exists v. intros w A Hi u. rewrite <- !(risk_same L L') by auto. eapply Hv; eauto.
Qed.

Lemma improvable_same (L L' : Loss) :
  (forall A a u, L A a u = L' A a u) -> improvable L -> improvable L'.
Proof.
  intros E I A s a b N P Ha Hb Hab. destruct (I A s a b N P Ha Hb Hab) as [d [Pd H]].
  exists d. split; auto. intros v Hv. destruct (H v Hv) as [u Hu]. exists u.
  rewrite <- !(risk_same L L') by auto. auto.
Qed.

(* claim: availability-comp-exp *)
Theorem comp_exp_serves_every_active_set :
  (forall s, (forall a, 0 < s a) -> forall A, NoDup A -> forall u,
     risk comp_exp A s (fun a => / 2 * ln (s a)) <= risk comp_exp A s u) /\
  zero_gap comp_exp /\ availability_consistent comp_exp.
Proof.
  assert (E : forall A a u, sum_exp A a u = comp_exp A a u)
    by (intros; symmetry; apply comp_exp_is_sum_exp).
  assert (Z : zero_gap comp_exp) by (eapply zero_gap_same; [exact E|apply sum_exp_zero_gap]).
  split; [|split; auto].
  - intros s P A N u. rewrite <- !(risk_same sum_exp comp_exp) by auto.
    apply sum_exp_common; auto.
  - apply consistent_if; auto. eapply improvable_same; [exact E|apply sum_exp_improvable].
Qed.
