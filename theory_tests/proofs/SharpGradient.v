(* The sharp constant of Lem F.1: with h = floor(K / 2), the longest projected hinge subgradient has
   squared length h (K - h) / K times |x|^2, for every K, every target and every input. Also: the
   subgradients that Moments.v and SecondMoment.v quantify over exist.
   Claim: lem-f.1 (its tightness). *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions Projection Cost Estimator Moments SecondMoment.
Import ListNotations.
Open Scope R_scope.

(* A selection of coefficients gives a subgradient of the matrix. *)
Definition outer (A : list nat) (g x : nat -> R) : Matrix :=
  fun a k => if mem a A then g a * x k else 0.

Lemma inner_outer N D A g x V W :
  NoDup A -> incl A (seq 0 N) ->
  inner N D (outer A g x) (minusM V W) = sum A (fun b => g b * (scores D V x b - scores D W x b)).
Proof.
  intros NA I. unfold inner, outer.
  rewrite <- (sum_mem A (seq 0 N)) by auto using seq_NoDup. apply sum_ext. intros a _.
  destruct (mem a A).
  - unfold scores. rewrite <- sum_minus, <- sum_scal. apply sum_ext. intros. unfold minusM. ring.
  - apply sum_zero. intros. ring.
Qed.

Lemma selection_is_subgradient N D A x target W alpha :
  NoDup A -> incl A (seq 0 N) -> In target A -> hinge_selection A (scores D W x) alpha ->
  subgradient N D (hinge_at A D x target) W (outer A (target_coeff alpha target) x).
Proof.
  intros NA I Ht S V. rewrite inner_outer by auto. apply hinge_target_subgradient; auto.
Qed.

Lemma selection_exists A u :
  hinge_selection A u (fun b => if Rle_dec (1 + u b) 0 then 0 else 1).
Proof. intros b _. destruct (Rle_dec (1 + u b) 0); repeat split; lra. Qed.

(* The estimated loss of every round has a subgradient everywhere. *)
Lemma estimated_loss_has_subgradients N n D E c q x a y W :
  NoDup E -> incl (active n E) (seq 0 N) -> In a (active n E) -> (y < n)%nat ->
  unit_costs n E c -> 0 < q a ->
  exists G, subgradient N D (estimated_loss n E D c q x a y) W G.
Proof.
  intros NE I Ha Hy U Q. set (A := active n E) in *.
  assert (NA : NoDup A) by (apply active_nodup; auto).
  pose proof (selection_exists A (scores D W x)) as S.
  set (alpha := fun b => if Rle_dec (1 + scores D W x b) 0 then 0 else 1) in S.
  destruct (Generic.identified n E) eqn:Id.
  - assert (Ht : In (Generic.named_label a y) A).
    { unfold Generic.identified in Id. apply andb_true_iff in Id. destruct Id as [Id _].
      apply Nat.eqb_eq in Id. unfold A. apply active_in. left. unfold Generic.named_label.
      destruct (Nat.eqb_spec a y); lia. }
    exists (outer A (target_coeff alpha (Generic.named_label a y)) x).
    apply (subgradient_ext N D (hinge_at A D x (Generic.named_label a y))).
    + intros V. unfold estimated_loss, round_estimate, Generic.round_estimate. rewrite Id.
      reflexivity.
    + apply selection_is_subgradient; auto.
  - set (w := reward n c a y / q a).
    exists (fun b k => w * outer A (target_coeff alpha a) x b k).
    apply (subgradient_ext N D (fun V => w * hinge_at A D x a V)).
    + intros V. unfold estimated_loss, round_estimate, Generic.round_estimate. rewrite Id.
      symmetry. change (Generic.estimate RA) with estimate. apply estimate_single; auto.
    + intros V. rewrite inner_scale, <- Rmult_plus_distr_l. apply Rmult_le_compat_l.
      * apply div_nonneg; auto. apply (reward_unit n E c a y U Hy Ha).
      * apply selection_is_subgradient; auto.
Qed.

(* A convex function of numbers in [0, 1] is largest at zeros and ones. *)
Lemma vertices (k : R) (l : list nat) (alpha : nat -> R) :
  1 <= k -> (forall a, In a l -> 0 <= alpha a <= 1) ->
  forall P Q, exists m, (m <= length l)%nat /\
  k * (sum l (fun a => alpha a * alpha a) + P) - (sum l alpha + Q) * (sum l alpha + Q)
  <= k * (INR m + P) - (INR m + Q) * (INR m + Q).
Proof.
  intros Hk. induction l as [|a l IH]; intros B P Q.
  - exists 0%nat. simpl. split; [lia|lra].
  - destruct (IH (fun b Hb => B b (or_intror Hb)) (P + alpha a * alpha a) (Q + alpha a))
      as [m [Hm L]].
    pose proof (B a (or_introl eq_refl)) as Ba. cbn [sum length].
    set (t := alpha a) in *. set (s2 := sum l (fun a => alpha a * alpha a)) in *.
    set (s1 := sum l alpha) in *. set (z := INR m) in *.
    replace (t * t + s2 + P) with (s2 + (P + t * t)) by ring.
    replace (t + s1 + Q) with (s1 + (Q + t)) by ring.
    assert (T : t * t <= t) by nra.
    assert (C : (k - 1) * (t * t) <= (k - 1) * t) by (apply Rmult_le_compat_l; lra).
    destruct (Rle_dec (k - 1) (2 * (z + Q))) as [D|D].
    + exists m. split; [lia|]. fold z.
      assert (t * (k - 1) <= t * (2 * (z + Q))) by (apply Rmult_le_compat_l; lra). lra.
    + exists (S m). split; [lia|]. rewrite S_INR. fold z.
      assert (t * (k - 1 - 2 * (z + Q)) <= 1 * (k - 1 - 2 * (z + Q)))
        by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma half_is_best (K m : nat) : (m <= K -> m * (K - m) <= K / 2 * (K - K / 2))%nat.
Proof.
  intros H. pose proof (Nat.div_mod K 2 ltac:(lia)) as E.
  pose proof (Nat.mod_upper_bound K 2 ltac:(lia)) as B.
  set (h := (K / 2)%nat) in *. destruct (K mod 2)%nat as [|[|]]; [| |lia].
  - assert (K - h = h)%nat as -> by lia.
    destruct (le_lt_dec m h) as [L|L].
    + assert (exists e, h = m + e)%nat as [e ->] by (exists (h - m)%nat; lia).
      replace (K - m)%nat with (m + 2 * e)%nat by lia. nia.
    + assert (exists e, m = h + e)%nat as [e ->] by (exists (m - h)%nat; lia).
      assert (exists i, h = i + e)%nat as [i ->] by (exists (h - e)%nat; lia).
      replace (K - (i + e + e))%nat with i by lia. nia.
  - assert (K - h = h + 1)%nat as -> by lia.
    destruct (le_lt_dec m h) as [L|L].
    + assert (exists e, h = m + e)%nat as [e ->] by (exists (h - m)%nat; lia).
      replace (K - m)%nat with (m + 2 * e + 1)%nat by lia. nia.
    + assert (exists e, m = h + 1 + e)%nat as [e ->] by (exists (m - h - 1)%nat; lia).
      assert (exists i, h = i + e)%nat as [i ->] by (exists (h - e)%nat; lia).
      replace (K - (i + e + 1 + e))%nat with i by lia. nia.
Qed.

Lemma nodup_prefix {X} (l1 l2 : list X) : NoDup (l1 ++ l2) -> NoDup l1.
Proof.
  induction l1 as [|a l1 IH]; intros H; [constructor|]. inversion H; subst. constructor; auto.
  intros Q. apply H2. apply in_or_app. auto.
Qed.

Definition sharp (K : nat) : R := INR (K / 2 * (K - K / 2)) / INR K.

Lemma centred_length_sharp A alpha :
  A <> nil -> (forall a, In a A -> 0 <= alpha a <= 1) ->
  sum A (fun a => proj A alpha a * proj A alpha a) <= sharp (length A).
Proof.
  intros H B. rewrite centred_length by auto. pose proof (length_pos A H) as K.
  assert (K1 : 1 <= INR (length A)).
  { destruct A; [congruence|]. change 1 with (INR 1). apply le_INR. simpl. lia. }
  destruct (vertices (INR (length A)) A alpha K1 B 0 0) as [m [Hm L]].
  apply Rmult_le_reg_r with (INR (length A)); auto. unfold sharp.
  replace (INR (length A / 2 * (length A - length A / 2)) / INR (length A) * INR (length A))
    with (INR (length A / 2 * (length A - length A / 2))) by (field; lra).
  apply Rle_trans with (INR (m * (length A - m))).
  - rewrite mult_INR, minus_INR by auto. rewrite Rmult_minus_distr_r.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply le_INR. apply half_is_best; auto.
Qed.

(* The bound with the sharp constant, for every subgradient; attained at the matrix whose scores are
   the canonical margins (K - 1 at the target, -1 elsewhere); never above the stated K / 4. *)
(* claim: lem-f.1 *)
Theorem the_sharp_length_of_projected_hinge_subgradients :
  forall N D A x target,
  NoDup A -> incl A (seq 0 N) -> In target A -> (2 <= length A)%nat -> 0 < norm2 D x ->
  (forall W G, subgradient N D (hinge_at A D x target) W G ->
     frob2 N D (projM A G) <= sharp (length A) * norm2 D x)
  /\ (exists W G, subgradient N D (hinge_at A D x target) W G
                  /\ frob2 N D (projM A G) = sharp (length A) * norm2 D x)
  /\ sharp (length A) <= INR (length A) / 4.
Proof.
  intros N D A x target NA I Ht K2 X.
  assert (H : A <> nil) by (intros ->; auto).
  pose proof (length_pos A H) as K.
  assert (IN : forall a, In a A -> (a < N)%nat) by (intros a Ha; apply seq_in_0; auto).
  assert (Len : forall G alpha,
      (forall a k, (a < N)%nat -> (k < D)%nat -> G a k = alpha a * x k) ->
      (forall a, (a < N)%nat -> ~ In a A -> alpha a = 0) ->
      frob2 N D (projM A G) = sum A (fun a => proj A alpha a * proj A alpha a) * norm2 D x).
  { intros G alpha F Z.
    rewrite (frob2_ext N D (projM A G) (fun a k => proj A alpha a * x k)).
    - rewrite frob2_outer. f_equal.
      rewrite (sum_ext (seq 0 N) _ (fun a => if mem a A
                then proj A alpha a * proj A alpha a else 0)).
      + apply (sum_mem A (seq 0 N) (fun a => proj A alpha a * proj A alpha a)); auto using seq_NoDup.
      + intros a Ha. apply seq_in_0 in Ha. destruct (mem a A) eqn:M; auto.
        apply mem_not_in in M. rewrite proj_out, Z by auto. ring.
    - intros a k Ha Hk. rewrite <- projM_outer. apply proj_ext.
      intros b [<-|Hb]; apply F; auto. }
  split; [|split].
  - intros W G S.
    destruct (hinge_subgradient_form N D A x target W G NA X S) as [alpha [B [Z F]]].
    rewrite (Len G alpha F) by (intros; apply Z; tauto).
    apply Rmult_le_compat_r; [lra|]. apply centred_length_sharp; auto.
  - set (h := (length A / 2)%nat).
    assert (Hh : (h <= length (others A target))%nat).
    { pose proof (others_length A target NA Ht) as E. unfold h.
      assert (length A / 2 < length A)%nat by (apply Nat.div_lt; lia). lia. }
    set (B := firstn h (others A target)).
    assert (LB : length B = h) by (apply firstn_length_le; auto).
    assert (IB : forall b, In b B -> In b (others A target)).
    { intros b Hb. unfold B in Hb. rewrite <- (firstn_skipn h (others A target)).
      apply in_or_app. left. exact Hb. }
    assert (NB : NoDup B).
    { apply (nodup_prefix B (skipn h (others A target))). unfold B. rewrite firstn_skipn.
      apply others_nodup; auto. }
    assert (TB : ~ In target B) by (intros Q; apply IB, others_in in Q; tauto).
    set (beta b := if mem b B then 1 else 0).
    set (alpha b := if Nat.eqb b target then 1 else beta b).
    set (v b := if Nat.eqb b target then INR (length A) - 1 else -1).
    set (W := fun b k => v b * (/ norm2 D x * x k)).
    assert (Sc : forall b, scores D W x b = v b).
    { intros b. unfold scores, W.
      rewrite (sum_ext _ _ (fun k => v b * / norm2 D x * (x k * x k))) by (intros; ring).
      rewrite sum_scal. fold (norm2 D x). field. lra. }
    exists W, (outer A (target_coeff alpha target) x). split.
    + apply selection_is_subgradient; auto. intros b Hb. rewrite Sc. unfold v, alpha, beta.
      assert (2 <= INR (length A)) by (apply le_INR in K2; simpl in K2; lra).
      destruct (Nat.eqb b target); [repeat split; lra|]. destruct (mem b B); repeat split; lra.
    + assert (TBm : mem target B = false) by (apply mem_not_in; auto).
      assert (AB : forall b, In b B -> In b A).
      { intros b Hb. apply IB, others_in in Hb. tauto. }
      rewrite (Len _ beta).
      * f_equal. rewrite centred_length by auto.
        assert (S1 : sum A beta = INR h).
        { unfold beta. rewrite (sum_mem B A (fun _ => 1)) by auto.
          rewrite sum_const, LB. ring. }
        rewrite (sum_ext A (fun a => beta a * beta a) beta).
        -- rewrite S1. unfold sharp. fold h. rewrite mult_INR, minus_INR.
           ++ field. lra.
           ++ pose proof (others_length A target NA Ht). lia.
        -- intros a _. unfold beta. destruct (mem a B); ring.
      * intros a k Ha Hk. unfold outer, target_coeff, alpha.
        destruct (mem a A) eqn:M.
        -- destruct (Nat.eqb_spec a target) as [->|]; auto. unfold beta. rewrite TBm. ring.
        -- unfold beta. assert (Z : mem a B = false).
           { apply mem_not_in. intros Q. apply AB, mem_in in Q. congruence. }
           rewrite Z. ring.
      * intros a _ Na. unfold beta. assert (Z : mem a B = false).
        { apply mem_not_in. intros Q. apply Na. auto. }
        rewrite Z. reflexivity.
  - unfold sharp. apply Rmult_le_reg_r with (INR (length A)); auto.
    replace (INR (length A / 2 * (length A - length A / 2)) / INR (length A) * INR (length A))
      with (INR (length A / 2 * (length A - length A / 2))) by (field; lra).
    rewrite mult_INR, minus_INR by (apply Nat.div_le_upper_bound; lia).
    pose proof (pow2_ge_0 (INR (length A) - 2 * INR (length A / 2))). lra.
Qed.
