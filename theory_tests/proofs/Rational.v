(* What is evaluated over the rationals is the value of the definitions over the reals: every generic
   definition commutes with every map of arithmetics, and Q2R is such a map from QA to RA. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool QArith Qminmax Qreals.
From Deferlab Require Import Sums Definitions.
Import ListNotations.
Open Scope R_scope.

Record hom (F G : Arith) (h : T F -> T G) : Prop := {
  h_nat : forall k, h (nat_of F k) = nat_of G k;
  h_add : forall x y, h (add F x y) = add G (h x) (h y);
  h_sub : forall x y, h (sub F x y) = sub G (h x) (h y);
  h_opp : forall x, h (opp F x) = opp G (h x);
  h_mul : forall x y, h (mul F x y) = mul G (h x) (h y);
  h_div : forall x y, h (div F x y) = div G (h x) (h y);
  h_mx : forall x y, h (mx F x y) = mx G (h x) (h y);
  h_mn : forall x y, h (mn F x y) = mn G (h x) (h y);
  h_leb : forall x y, leb F x y = leb G (h x) (h y)
}.

Section Hom.
Context (F G : Arith) (h : T F -> T G) (H : hom F G h).

Lemma g_sum_ext {X} (l : list X) f g :
  (forall x, f x = g x) -> Generic.sum G l f = Generic.sum G l g.
Proof. intros E. induction l as [|x l IH]; simpl; auto. rewrite E, IH. reflexivity. Qed.

Lemma hom_sum {X} (l : list X) f :
  h (Generic.sum F l f) = Generic.sum G l (fun x => h (f x)).
Proof.
  induction l as [|x l IH]; simpl; [apply (h_nat _ _ _ H)|].
  rewrite (h_add _ _ _ H), IH. reflexivity.
Qed.

Lemma hom_if (b : bool) x y : h (if b then x else y) = if b then h x else h y.
Proof. destruct b; reflexivity. Qed.

Ltac push :=
  repeat first
    [ rewrite hom_sum | rewrite (h_add _ _ _ H) | rewrite (h_sub _ _ _ H) | rewrite (h_opp _ _ _ H)
    | rewrite (h_mul _ _ _ H) | rewrite (h_div _ _ _ H) | rewrite (h_mx _ _ _ H)
    | rewrite (h_mn _ _ _ H) | rewrite (h_nat _ _ _ H) | rewrite hom_if ].

Lemma hom_argmax A u : Generic.argmax F A u = Generic.argmax G A (fun a => h (u a)).
Proof.
  destruct A as [|a A]; auto. simpl. generalize a as best.
  induction A as [|b A IH]; intros best; simpl; auto.
  rewrite <- (h_leb _ _ _ H). apply IH.
Qed.

Lemma hom_proj A u a : h (Generic.proj F A u a) = Generic.proj G A (fun b => h (u b)) a.
Proof. unfold Generic.proj, Generic.mean, Generic.size. push. reflexivity. Qed.

Lemma hom_norm_cost alpha beta w :
  h (Generic.norm_cost F alpha beta w) = Generic.norm_cost G (h alpha) (h beta) w.
Proof. unfold Generic.norm_cost, Generic.raw_cost, Generic.normalizer. push. reflexivity. Qed.

Lemma hom_score n p c a :
  h (Generic.score F n p c a)
  = Generic.score G n (fun y => h (p y)) (fun j y => h (c j y)) a.
Proof.
  unfold Generic.score. push. destruct (Nat.ltb a n); auto. f_equal.
  apply g_sum_ext. intros. push. reflexivity.
Qed.

Lemma hom_mass A s : h (Generic.mass F A s) = Generic.mass G A (fun a => h (s a)).
Proof. unfold Generic.mass. push. reflexivity. Qed.

Lemma hom_score_bar A s a :
  h (Generic.score_bar F A s a) = Generic.score_bar G A (fun a => h (s a)) a.
Proof. unfold Generic.score_bar. push. rewrite hom_mass. reflexivity. Qed.

Lemma hom_true_risk n p c a :
  h (Generic.true_risk F n p c a)
  = Generic.true_risk G n (fun y => h (p y)) (fun j y => h (c j y)) a.
Proof.
  unfold Generic.true_risk. push. apply g_sum_ext. intros y. push. f_equal.
  unfold Generic.true_loss. push. reflexivity.
Qed.

(* Losses. *)
Definition loss_hom (phi : Generic.Loss F) (phi' : Generic.Loss G) : Prop :=
  forall A a u, h (phi A a u) = phi' A a (fun b => h (u b)).

Lemma hom_sum_sq : loss_hom (Generic.sum_sq F) (Generic.sum_sq G).
Proof.
  intros A a u. unfold Generic.sum_sq. push. apply g_sum_ext. intros b.
  unfold Generic.sq, Generic.hinge. push. reflexivity.
Qed.

Lemma hom_sum_tau tau : loss_hom (Generic.sum_tau F tau) (Generic.sum_tau G (h tau)).
Proof.
  intros A a u. unfold Generic.sum_tau. push. apply g_sum_ext. intros b.
  unfold Generic.ramp, Generic.hinge. push. reflexivity.
Qed.

Lemma hom_cstnd_hinge : loss_hom (Generic.cstnd_hinge F) (Generic.cstnd_hinge G).
Proof.
  intros A a u. unfold Generic.cstnd_hinge. push. apply g_sum_ext. intros b.
  unfold Generic.hinge. push. reflexivity.
Qed.

Lemma hom_cstnd_sq : loss_hom (Generic.cstnd_sq F) (Generic.cstnd_sq G).
Proof.
  intros A a u. unfold Generic.cstnd_sq. push. apply g_sum_ext. intros b.
  unfold Generic.sq, Generic.hinge. push. reflexivity.
Qed.

Lemma hom_cstnd_tau tau : loss_hom (Generic.cstnd_tau F tau) (Generic.cstnd_tau G (h tau)).
Proof.
  intros A a u. unfold Generic.cstnd_tau. push. apply g_sum_ext. intros b.
  unfold Generic.ramp, Generic.hinge. push. reflexivity.
Qed.

Lemma hom_risk phi phi' A s u :
  loss_hom phi phi' ->
  h (Generic.risk F phi A s u) = Generic.risk G phi' A (fun a => h (s a)) (fun a => h (u a)).
Proof.
  intros L. unfold Generic.risk. push. apply g_sum_ext. intros a. push. rewrite L. reflexivity.
Qed.

Lemma hom_mix A gamma r a : h (Generic.mix F A gamma r a) = Generic.mix G A (h gamma) r a.
Proof. unfold Generic.mix, Generic.size. push. reflexivity. Qed.

Lemma hom_deferral n E c y f :
  h (Generic.deferral F n E c y f)
  = Generic.deferral G n E (fun j y => h (c j y)) y (fun a => h (f a)).
Proof.
  unfold Generic.deferral. push. f_equal. apply g_sum_ext. intros. push. reflexivity.
Qed.

Lemma hom_round_estimate n E c q a y f :
  h (Generic.round_estimate F n E c q a y f)
  = Generic.round_estimate G n E (fun j y => h (c j y)) (fun a => h (q a)) a y (fun a => h (f a)).
Proof.
  unfold Generic.round_estimate, Generic.estimate, Generic.v0. push.
  destruct (Generic.identified n E); auto. f_equal.
  apply g_sum_ext. intros j. unfold Generic.vj. push. reflexivity.
Qed.

Lemma hom_hinge_coeff a u b :
  h (Generic.hinge_coeff F a u b) = Generic.hinge_coeff G a (fun b => h (u b)) b.
Proof.
  unfold Generic.hinge_coeff. push. rewrite (h_leb _ _ _ H). push. reflexivity.
Qed.

Lemma hom_igw A g gamma b a :
  h (Generic.igw F A g gamma b a) = Generic.igw G A (fun a => h (g a)) (h gamma) b a.
Proof.
  unfold Generic.igw, Generic.size. push. destruct (Nat.eqb a b); auto. f_equal.
  apply g_sum_ext. intros. push. reflexivity.
Qed.

End Hom.

Lemma Q2R_red x : Q2R (Qred x) = Q2R x.
Proof. apply Qeq_eqR. apply Qred_correct. Qed.

Lemma Q2R_inv_total x : Q2R (/ x) = / Q2R x.
Proof.
  destruct (Qeq_dec x 0) as [Z|N]; [|apply Q2R_inv; auto].
  assert (E : Q2R x = 0) by (rewrite (Qeq_eqR _ _ Z); apply RMicromega.Q2R_0).
  assert (E' : (/ x == 0)%Q) by (rewrite Z; reflexivity).
  rewrite (Qeq_eqR _ _ E'), E, RMicromega.Q2R_0. symmetry. apply Rinv_0.
Qed.

Lemma Q2R_nat k : Q2R (inject_Z (Z.of_nat k)) = INR k.
Proof. unfold Q2R. simpl. rewrite <- INR_IZR_INZ. lra. Qed.

Lemma Q2R_hom : hom QA RA Q2R.
Proof.
  constructor; cbn [T nat_of add sub opp mul div mx mn leb QA RA].
  - apply Q2R_nat.
  - intros x y. rewrite Q2R_red. apply Q2R_plus.
  - intros x y. rewrite Q2R_red. apply Q2R_minus.
  - intros x. apply Q2R_opp.
  - intros x y. rewrite Q2R_red. apply Q2R_mult.
  - intros x y. rewrite Q2R_red. unfold Qdiv, Rdiv. rewrite Q2R_mult, Q2R_inv_total. reflexivity.
  - intros x y. destruct (Q.max_spec x y) as [[L E]|[L E]]; rewrite (Qeq_eqR _ _ E).
    + symmetry. apply Rmax_right. left. apply Qlt_Rlt. auto.
    + symmetry. apply Rmax_left. apply Qle_Rle. auto.
  - intros x y. destruct (Q.min_spec x y) as [[L E]|[L E]]; rewrite (Qeq_eqR _ _ E).
    + symmetry. apply Rmin_left. left. apply Qlt_Rlt. auto.
    + symmetry. apply Rmin_right. apply Qle_Rle. auto.
  - intros x y. unfold Rleb. destruct (Rle_dec (Q2R x) (Q2R y)) as [L|L].
    + apply Qle_bool_iff. apply Rle_Qle. auto.
    + destruct (Qle_bool x y) eqn:B; auto. exfalso. apply L. apply Qle_Rle.
      apply Qle_bool_iff. auto.
Qed.

(* The definitions that Agreement.v evaluates. *)
Lemma rational_values_are_real_values :
  (forall A a u, Q2R (Generic.cstnd_hinge QA A a u) = cstnd_hinge A a (fun b => Q2R (u b)))
  /\ (forall A a u, Q2R (Generic.cstnd_sq QA A a u) = cstnd_sq A a (fun b => Q2R (u b)))
  /\ (forall A a u, Q2R (Generic.sum_sq QA A a u) = sum_sq A a (fun b => Q2R (u b)))
  /\ (forall t A a u, Q2R (Generic.cstnd_tau QA t A a u) = cstnd_tau (Q2R t) A a (fun b => Q2R (u b)))
  /\ (forall t A a u, Q2R (Generic.sum_tau QA t A a u) = sum_tau (Q2R t) A a (fun b => Q2R (u b)))
  /\ (forall A u a, Q2R (Generic.proj QA A u a) = proj A (fun b => Q2R (u b)) a)
  /\ (forall alpha beta w, Q2R (Generic.norm_cost QA alpha beta w) = norm_cost (Q2R alpha) (Q2R beta) w)
  /\ (forall n p c a, Q2R (Generic.score QA n p c a)
                      = score n (fun y => Q2R (p y)) (fun j y => Q2R (c j y)) a)
  /\ (forall A s, Q2R (Generic.mass QA A s) = mass A (fun a => Q2R (s a)))
  /\ (forall A s a, Q2R (Generic.score_bar QA A s a) = score_bar A (fun a => Q2R (s a)) a)
  /\ (forall n p c a, Q2R (Generic.true_risk QA n p c a)
                      = true_risk n (fun y => Q2R (p y)) (fun j y => Q2R (c j y)) a)
  /\ (forall A g r a, Q2R (Generic.mix QA A g r a) = mix A (Q2R g) r a)
  /\ (forall n E c y f, Q2R (Generic.deferral QA n E c y f)
                        = deferral n E (fun j y => Q2R (c j y)) y (fun a => Q2R (f a)))
  /\ (forall n E c q a y f,
        Q2R (Generic.round_estimate QA n E c q a y f)
        = round_estimate n E (fun j y => Q2R (c j y)) (fun a => Q2R (q a)) a y (fun a => Q2R (f a)))
  /\ (forall a u b, Q2R (Generic.hinge_coeff QA a u b) = hinge_coeff a (fun b => Q2R (u b)) b)
  /\ (forall A g gamma b a,
        Q2R (Generic.igw QA A g gamma b a) = igw A (fun a => Q2R (g a)) (Q2R gamma) b a)
  /\ (forall A u, Generic.argmax QA A u = argmax A (fun a => Q2R (u a))).
Proof.
  pose proof Q2R_hom as H. repeat split; intros.
  - apply (hom_cstnd_hinge QA RA Q2R H).
  - apply (hom_cstnd_sq QA RA Q2R H).
  - apply (hom_sum_sq QA RA Q2R H).
  - apply (hom_cstnd_tau QA RA Q2R H).
  - apply (hom_sum_tau QA RA Q2R H).
  - apply (hom_proj QA RA Q2R H).
  - apply (hom_norm_cost QA RA Q2R H).
  - apply (hom_score QA RA Q2R H).
  - apply (hom_mass QA RA Q2R H).
  - apply (hom_score_bar QA RA Q2R H).
  - apply (hom_true_risk QA RA Q2R H).
  - apply (hom_mix QA RA Q2R H).
  - apply (hom_deferral QA RA Q2R H).
  - apply (hom_round_estimate QA RA Q2R H).
  - apply (hom_hinge_coeff QA RA Q2R H).
  - apply (hom_igw QA RA Q2R H).
  - apply (hom_argmax QA RA Q2R H).
Qed.
