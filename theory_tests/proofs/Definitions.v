(* The definitions of the paper, once.

   Everything rational is defined over an arithmetic (record Arith) in the module Generic. The
   proofs use its instance RA, the real numbers; the comparison with the program evaluates the very
   same terms at the instance QA, the rationals (Agreement.v). For every definition over the reals
   a lemma <name>_eq says, by computation, what it is without the record.

   Conventions: actions are natural numbers, classes 0..n-1, expert j is action n + j; an active
   set is a list of actions without repetitions, K is its length; a score vector is a function of
   the action, of which only the active entries matter. The losses called cstnd_* are meant for
   score vectors that sum to zero over the active set (zero_sum), as in the paper. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool QArith Qminmax FinFun.
From Deferlab Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(* An arithmetic: what the rational definitions need. *)
Record Arith := {
  T : Type;
  nat_of : nat -> T;
  add : T -> T -> T;
  sub : T -> T -> T;
  opp : T -> T;
  mul : T -> T -> T;
  div : T -> T -> T;
  mx : T -> T -> T;
  mn : T -> T -> T;
  leb : T -> T -> bool
}.

Definition Rleb (x y : R) : bool := if Rle_dec x y then true else false.

Definition RA : Arith := {|
  T := R; nat_of := INR; add := Rplus; sub := Rminus; opp := Ropp; mul := Rmult; div := Rdiv;
  mx := Rmax; mn := Rmin; leb := Rleb |}.

Definition QA : Arith := {|
  T := Q;
  nat_of := fun k => inject_Z (Z.of_nat k);
  add := fun x y => Qred (x + y);
  sub := fun x y => Qred (x - y);
  opp := Qopp;
  mul := fun x y => Qred (x * y);
  div := fun x y => Qred (x / y);
  mx := Qmax; mn := Qmin; leb := Qle_bool |}.

(* The actions of a round with n classes and the experts of the list E available. *)
Definition active (n : nat) (E : list nat) : list nat :=
  seq 0 n ++ map (fun j => (n + j)%nat) E.

Module Generic.
Section Generic.
Context (F : Arith).
Let T := T F.
Let zero := nat_of F 0.
Let one := nat_of F 1.
Let add := add F.
Let sub := sub F.
Let opp := opp F.
Let mul := mul F.
Let div := div F.
Let mx := mx F.
Let mn := mn F.
Let leb := leb F.

Fixpoint sum {X : Type} (l : list X) (f : X -> T) : T :=
  match l with
  | nil => zero
  | x :: r => add (f x) (sum r f)
  end.

Definition size (A : list nat) : T := nat_of F (length A).

(* Largest entry and its first position; d is what an empty set gives. *)
Fixpoint argmax_from (A : list nat) (u : nat -> T) (best : nat) : nat :=
  match A with
  | nil => best
  | a :: r => argmax_from r u (if leb (u a) (u best) then best else a)
  end.
Definition argmax (A : list nat) (u : nat -> T) : nat :=
  match A with nil => 0%nat | a :: r => argmax_from r u a end.
Definition largest (A : list nat) (u : nat -> T) : T := u (argmax A u).

(* Prop 6.1: mean over the active set, projection on the vectors whose active entries sum to
   zero; the other entries stay. *)
Definition mean (A : list nat) (u : nat -> T) : T := div (sum A u) (size A).
Definition proj (A : list nat) (u : nat -> T) : nat -> T :=
  fun a => if mem a A then sub (u a) (mean A u) else u a.

(* Sec. 3: cost of an expert, raw and normalised. *)
Definition raw_cost (alpha beta : T) (wrong : bool) : T :=
  if wrong then add alpha beta else beta.
Definition normalizer (alpha beta : T) : T := mx one (add alpha beta).
Definition norm_cost (alpha beta : T) (wrong : bool) : T :=
  div (raw_cost alpha beta wrong) (normalizer alpha beta).

(* Sec. 5: scores from the label's law p and the costs c (expert, label); mass; normalised. *)
Definition score (n : nat) (p : nat -> T) (c : nat -> nat -> T) : nat -> T :=
  fun a => if Nat.ltb a n then p a
           else sub one (sum (seq 0 n) (fun y => mul (p y) (c (a - n)%nat y))).
Definition mass (A : list nat) (s : nat -> T) : T := sum A s.
Definition score_bar (A : list nat) (s : nat -> T) : nat -> T := fun a => div (s a) (mass A s).

(* Def 4.1: true deferral loss of an action, of a mixture; conditional risk. *)
Definition true_loss (n : nat) (c : nat -> nat -> T) (a y : nat) : T :=
  if Nat.ltb a n then (if Nat.eqb a y then zero else one) else c (a - n)%nat y.
Definition true_loss_mix (n : nat) (A : list nat) (c : nat -> nat -> T) (q : nat -> T) (y : nat) : T :=
  sum A (fun a => mul (q a) (true_loss n c a y)).
Definition true_risk (n : nat) (p : nat -> T) (c : nat -> nat -> T) (a : nat) : T :=
  sum (seq 0 n) (fun y => mul (p y) (true_loss n c a y)).
Definition true_risk_mix (n : nat) (A : list nat) (p : nat -> T) (c : nat -> nat -> T) (q : nat -> T) : T :=
  sum (seq 0 n) (fun y => mul (p y) (true_loss_mix n A c q y)).

(* App. E: scalar losses of a margin. *)
Definition sq (x : T) : T := mul x x.
Definition hinge (t : T) : T := mx zero (sub one t).
Definition ramp (tau t : T) : T := mn (hinge (div t tau)) one.

(* App. E: the piecewise polynomial surrogates, value at target a over the active set A. *)
Definition Loss := list nat -> nat -> (nat -> T) -> T.
Definition sum_sq : Loss := fun A a u => sum (others A a) (fun b => sq (hinge (sub (u a) (u b)))).
Definition sum_tau (tau : T) : Loss :=
  fun A a u => sum (others A a) (fun b => ramp tau (sub (u a) (u b))).
Definition cstnd_hinge : Loss := fun A a u => sum (others A a) (fun b => hinge (opp (u b))).
Definition cstnd_sq : Loss := fun A a u => sum (others A a) (fun b => sq (hinge (opp (u b)))).
Definition cstnd_tau (tau : T) : Loss :=
  fun A a u => sum (others A a) (fun b => ramp tau (opp (u b))).

(* Lem D.2: conditional surrogate risk. *)
Definition risk (phi : Loss) (A : list nat) (s u : nat -> T) : T :=
  sum A (fun a => mul (s a) (phi A a u)).

(* Def 4.2: the surrogate of an action that is not there is zero. *)
Definition varying (phi : Loss) : Loss := fun A a u => if mem a A then phi A a u else zero.

(* Def 4.3, for any quantity f of the target action: f at the label plus (1 - c_j) f at the
   experts of the list E. The deferral surrogate is the case f = phi. *)
Definition deferral (n : nat) (E : list nat) (c : nat -> nat -> T) (y : nat) (f : nat -> T) : T :=
  add (f y) (sum E (fun j => mul (sub one (c j y)) (f (n + j)%nat))).
Definition phi_def (phi : Loss) (n : nat) (E : list nat) (c : nat -> nat -> T) (u : nat -> T) (y : nat) : T :=
  deferral n E c y (fun a => varying phi (active n E) a u).

(* Sec. 4.1: greedy action r mixed with uniform exploration. *)
Definition mix (A : list nat) (gamma : T) (r : nat) : nat -> T :=
  fun a => add (if Nat.eqb a r then sub one gamma else zero) (div gamma (size A)).

(* Sec. 6.1: importance weights when a was played and the label is y, and the estimate of the
   deferral loss, again for any quantity f of the target action. *)
Definition v0 (n : nat) (q : nat -> T) (a y : nat) : T :=
  if andb (Nat.ltb a n) (Nat.eqb a y) then div one (q a) else zero.
Definition vj (n : nat) (q : nat -> T) (a j : nat) : T :=
  if Nat.eqb a (n + j) then div one (q (n + j)%nat) else zero.
Definition estimate (n : nat) (E : list nat) (c : nat -> nat -> T) (q : nat -> T)
    (a y : nat) (f : nat -> T) : T :=
  add (mul (v0 n q a y) (f a))
      (sum E (fun j => mul (mul (vj n q a j) (sub one (c j y))) (f (n + j)%nat))).
(* Two classes and nobody to ask: the correctness bit names the label. *)
Definition identified (n : nat) (E : list nat) : bool := andb (Nat.eqb n 2) (Nat.eqb (length E) 0).
Definition named_label (a y : nat) : nat := if Nat.eqb a y then a else (1 - a)%nat.
Definition round_estimate (n : nat) (E : list nat) (c : nat -> nat -> T) (q : nat -> T)
    (a y : nat) (f : nat -> T) : T :=
  if identified n E then f (named_label a y) else estimate n E c q a y f.

(* Coefficients of the hinge subgradient at target a: 1 where 1 + u_b > 0, 0 at the kink. *)
Definition hinge_coeff (a : nat) (u : nat -> T) : nat -> T :=
  fun b => if Nat.eqb b a then zero
           else if leb (add one (u b)) zero then zero else one.

(* Inverse-gap weighting with estimates g, a best action b and greed gamma. *)
Definition igw (A : list nat) (g : nat -> T) (gamma : T) (b : nat) : nat -> T :=
  let weight a := div one (add (size A) (mul gamma (sub (g b) (g a)))) in
  fun a => if Nat.eqb a b then sub one (sum (others A b) weight) else weight a.

End Generic.
End Generic.

(* The instances over the reals, and what they are. *)

Definition size : list nat -> R := Generic.size RA.
Definition argmax : list nat -> (nat -> R) -> nat := Generic.argmax RA.
Definition largest : list nat -> (nat -> R) -> R := Generic.largest RA.
Definition mean : list nat -> (nat -> R) -> R := Generic.mean RA.
Definition proj : list nat -> (nat -> R) -> nat -> R := Generic.proj RA.
Definition raw_cost : R -> R -> bool -> R := Generic.raw_cost RA.
Definition normalizer : R -> R -> R := Generic.normalizer RA.
Definition norm_cost : R -> R -> bool -> R := Generic.norm_cost RA.
Definition score : nat -> (nat -> R) -> (nat -> nat -> R) -> nat -> R := Generic.score RA.
Definition mass : list nat -> (nat -> R) -> R := Generic.mass RA.
Definition score_bar : list nat -> (nat -> R) -> nat -> R := Generic.score_bar RA.
Definition true_loss : nat -> (nat -> nat -> R) -> nat -> nat -> R := Generic.true_loss RA.
Definition true_loss_mix : nat -> list nat -> (nat -> nat -> R) -> (nat -> R) -> nat -> R :=
  Generic.true_loss_mix RA.
Definition true_risk : nat -> (nat -> R) -> (nat -> nat -> R) -> nat -> R := Generic.true_risk RA.
Definition true_risk_mix : nat -> list nat -> (nat -> R) -> (nat -> nat -> R) -> (nat -> R) -> R :=
  Generic.true_risk_mix RA.
Definition hinge : R -> R := Generic.hinge RA.
Definition ramp : R -> R -> R := Generic.ramp RA.
Definition Loss := list nat -> nat -> (nat -> R) -> R.
Definition sum_sq : Loss := Generic.sum_sq RA.
Definition sum_tau : R -> Loss := Generic.sum_tau RA.
Definition cstnd_hinge : Loss := Generic.cstnd_hinge RA.
Definition cstnd_sq : Loss := Generic.cstnd_sq RA.
Definition cstnd_tau : R -> Loss := Generic.cstnd_tau RA.
Definition risk : Loss -> list nat -> (nat -> R) -> (nat -> R) -> R := Generic.risk RA.
Definition varying : Loss -> Loss := Generic.varying RA.
Definition deferral : nat -> list nat -> (nat -> nat -> R) -> nat -> (nat -> R) -> R :=
  Generic.deferral RA.
Definition phi_def : Loss -> nat -> list nat -> (nat -> nat -> R) -> (nat -> R) -> nat -> R :=
  Generic.phi_def RA.
Definition mix : list nat -> R -> nat -> nat -> R := Generic.mix RA.
Definition v0 : nat -> (nat -> R) -> nat -> nat -> R := Generic.v0 RA.
Definition vj : nat -> (nat -> R) -> nat -> nat -> R := Generic.vj RA.
Definition estimate : nat -> list nat -> (nat -> nat -> R) -> (nat -> R) -> nat -> nat -> (nat -> R) -> R :=
  Generic.estimate RA.
Definition round_estimate : nat -> list nat -> (nat -> nat -> R) -> (nat -> R) -> nat -> nat -> (nat -> R) -> R :=
  Generic.round_estimate RA.
Definition hinge_coeff : nat -> (nat -> R) -> nat -> R := Generic.hinge_coeff RA.
Definition igw : list nat -> (nat -> R) -> R -> nat -> nat -> R := Generic.igw RA.

(* Vectors whose active entries sum to zero. *)
Definition zero_sum (A : list nat) (u : nat -> R) : Prop := sum A u = 0.

Lemma size_eq A : size A = INR (length A).
Proof. reflexivity. Qed.

Lemma mean_eq A u : mean A u = sum A u / INR (length A).
Proof. reflexivity. Qed.

Lemma proj_eq A u a : proj A u a = if mem a A then u a - sum A u / INR (length A) else u a.
Proof. reflexivity. Qed.

Lemma proj_in A u a : In a A -> proj A u a = u a - mean A u.
Proof. intros H. rewrite proj_eq. apply mem_in in H. rewrite H. reflexivity. Qed.

Lemma proj_out A u a : ~ In a A -> proj A u a = u a.
Proof. intros H. rewrite proj_eq. apply mem_not_in in H. rewrite H. reflexivity. Qed.

Lemma raw_cost_eq alpha beta w : raw_cost alpha beta w = if w then alpha + beta else beta.
Proof. reflexivity. Qed.

Lemma norm_cost_eq alpha beta w :
  norm_cost alpha beta w = (if w then alpha + beta else beta) / Rmax 1 (alpha + beta).
Proof. reflexivity. Qed.

Lemma score_eq n p c a :
  score n p c a
  = if Nat.ltb a n then p a else 1 - sum (seq 0 n) (fun y => p y * c (a - n)%nat y).
Proof. reflexivity. Qed.

Lemma mass_eq A s : mass A s = sum A s.
Proof. reflexivity. Qed.

Lemma score_bar_eq A s a : score_bar A s a = s a / sum A s.
Proof. reflexivity. Qed.

Lemma true_loss_eq n c a y :
  true_loss n c a y = if Nat.ltb a n then (if Nat.eqb a y then 0 else 1) else c (a - n)%nat y.
Proof. reflexivity. Qed.

Lemma true_loss_mix_eq n A c q y :
  true_loss_mix n A c q y = sum A (fun a => q a * true_loss n c a y).
Proof. reflexivity. Qed.

Lemma true_risk_eq n p c a :
  true_risk n p c a = sum (seq 0 n) (fun y => p y * true_loss n c a y).
Proof. reflexivity. Qed.

Lemma true_risk_mix_eq n A p c q :
  true_risk_mix n A p c q = sum (seq 0 n) (fun y => p y * true_loss_mix n A c q y).
Proof. reflexivity. Qed.

Lemma hinge_eq t : hinge t = Rmax 0 (1 - t).
Proof. reflexivity. Qed.

Lemma ramp_eq tau t : ramp tau t = Rmin (Rmax 0 (1 - t / tau)) 1.
Proof. reflexivity. Qed.

Lemma sum_sq_eq A a u :
  sum_sq A a u = sum (others A a) (fun b => hinge (u a - u b) * hinge (u a - u b)).
Proof. reflexivity. Qed.

Lemma sum_tau_eq tau A a u :
  sum_tau tau A a u = sum (others A a) (fun b => ramp tau (u a - u b)).
Proof. reflexivity. Qed.

Lemma cstnd_hinge_eq A a u : cstnd_hinge A a u = sum (others A a) (fun b => Rmax 0 (1 + u b)).
Proof.
  unfold cstnd_hinge. apply sum_ext. intros b _. cbn. f_equal. ring.
Qed.

Lemma cstnd_sq_eq A a u :
  cstnd_sq A a u = sum (others A a) (fun b => Rmax 0 (1 + u b) * Rmax 0 (1 + u b)).
Proof.
  unfold cstnd_sq. apply sum_ext. intros b _. cbn. unfold Generic.hinge. cbn.
  replace (1 - - u b) with (1 + u b) by ring. reflexivity.
Qed.

Lemma cstnd_tau_eq tau A a u :
  cstnd_tau tau A a u = sum (others A a) (fun b => ramp tau (- u b)).
Proof. reflexivity. Qed.

Lemma risk_eq phi A s u : risk phi A s u = sum A (fun a => s a * phi A a u).
Proof. reflexivity. Qed.

Lemma varying_eq phi A a u : varying phi A a u = if mem a A then phi A a u else 0.
Proof. reflexivity. Qed.

Lemma deferral_eq n E c y f :
  deferral n E c y f = f y + sum E (fun j => (1 - c j y) * f (n + j)%nat).
Proof. reflexivity. Qed.

Lemma phi_def_eq phi n E c u y :
  phi_def phi n E c u y = deferral n E c y (fun a => varying phi (active n E) a u).
Proof. reflexivity. Qed.

Lemma mix_eq A gamma r a :
  mix A gamma r a = (if Nat.eqb a r then 1 - gamma else 0) + gamma / INR (length A).
Proof. reflexivity. Qed.

Lemma v0_eq n q a y :
  v0 n q a y = if andb (Nat.ltb a n) (Nat.eqb a y) then 1 / q a else 0.
Proof. reflexivity. Qed.

Lemma vj_eq n q a j : vj n q a j = if Nat.eqb a (n + j) then 1 / q (n + j)%nat else 0.
Proof. reflexivity. Qed.

Lemma estimate_eq n E c q a y f :
  estimate n E c q a y f
  = v0 n q a y * f a + sum E (fun j => vj n q a j * (1 - c j y) * f (n + j)%nat).
Proof. reflexivity. Qed.

Lemma hinge_coeff_eq a u b :
  hinge_coeff a u b = if Nat.eqb b a then 0 else if Rle_dec (1 + u b) 0 then 0 else 1.
Proof. unfold hinge_coeff, Generic.hinge_coeff. cbn. unfold Rleb.
  destruct (Nat.eqb b a); auto. destruct (Rle_dec (1 + u b) 0); reflexivity. Qed.

Lemma igw_eq A g gamma b a :
  igw A g gamma b a
  = if Nat.eqb a b
    then 1 - sum (others A b) (fun a' => 1 / (INR (length A) + gamma * (g b - g a')))
    else 1 / (INR (length A) + gamma * (g b - g a)).
Proof. reflexivity. Qed.

(* The rule for ties finds a largest entry. *)
Lemma argmax_from_is A u best :
  is_argmax (best :: A) u (Generic.argmax_from RA A u best).
Proof.
  revert best. induction A as [|a A IH]; intros best; simpl.
  - split; simpl; auto. intros b [<-|[]]. lra.
  - unfold Rleb. destruct (Rle_dec (u a) (u best)) as [L|L].
    + destruct (IH best) as [[I|I] M]; (split; [simpl; auto|]);
      intros b [<-|[<-|Hb]]; try (apply M; simpl; auto; fail);
      (eapply Rle_trans; [exact L|]; apply M; simpl; auto).
    + destruct (IH a) as [[I|I] M]; (split; [simpl; auto|]);
      intros b [<-|[<-|Hb]]; try (apply M; simpl; auto; fail);
      (apply Rle_trans with (u a); [lra|]; apply M; simpl; auto).
Qed.

Lemma argmax_is A u : A <> nil -> is_argmax A u (argmax A u).
Proof.
  destruct A as [|a A]; intros H; [congruence|]. apply (argmax_from_is A u a).
Qed.

Lemma largest_ge A u a : In a A -> u a <= largest A u.
Proof.
  intros H. apply (argmax_is A u); auto. destruct A; simpl in *; [tauto|congruence].
Qed.

Lemma largest_is A u r : is_argmax A u r -> largest A u = u r.
Proof.
  intros M. apply (argmax_value A u); auto. apply argmax_is.
  destruct M as [I _]. destruct A; simpl in *; [tauto|congruence].
Qed.

(* Active sets. *)
Lemma active_length n E : length (active n E) = (n + length E)%nat.
Proof. unfold active. rewrite app_length, seq_length, map_length. auto. Qed.

Lemma active_in n E a :
  In a (active n E) <-> (a < n)%nat \/ exists j, In j E /\ a = (n + j)%nat.
Proof.
  unfold active. rewrite in_app_iff, seq_in_0, in_map_iff. split.
  - intros [H|[j [H I]]]; eauto.
  - intros [H|[j [I H]]]; eauto.
Qed.

Lemma active_nodup n E : NoDup E -> NoDup (active n E).
Proof.
  intros H. unfold active. induction n as [|n IH]; simpl.
  - rewrite map_id. auto.
  - clear IH. apply (NoDup_cons 0%nat).
    + rewrite in_app_iff, in_seq, in_map_iff. intros [[L _]|[j [L _]]]; lia.
    + assert (G : forall k m, NoDup (seq k m ++ map (fun j => (k + m + j)%nat) E)).
      { intros k m. revert k. induction m as [|m IHm]; intros k; simpl.
        - apply Injective_map_NoDup; auto. intros i j. lia.
        - constructor.
          + rewrite in_app_iff, in_seq, in_map_iff. intros [[L _]|[j [L _]]]; lia.
          + replace (map (fun j => (k + S m + j)%nat) E) with (map (fun j => (S k + m + j)%nat) E)
              by (apply map_ext; intros; lia). apply IHm. }
      specialize (G 1%nat n).
      replace (map (fun j => S (n + j)) E) with (map (fun j => (1 + n + j)%nat) E)
        by (apply map_ext; intros; lia). exact G.
Qed.

Lemma sum_active n E f :
  sum (active n E) f = sum (seq 0 n) f + sum E (fun j => f (n + j)%nat).
Proof. unfold active. rewrite sum_app, sum_map. reflexivity. Qed.

(* A label's law; costs in the unit interval; a round. *)
Definition is_law (n : nat) (p : nat -> R) : Prop :=
  (forall y, (y < n)%nat -> 0 <= p y) /\ sum (seq 0 n) p = 1.
Definition unit_costs (n : nat) (E : list nat) (c : nat -> nat -> R) : Prop :=
  forall j y, In j E -> (y < n)%nat -> 0 <= c j y <= 1.

(* A distribution over the active actions. *)
Definition is_dist (A : list nat) (q : nat -> R) : Prop :=
  (forall a, In a A -> 0 <= q a) /\ sum A q = 1.

(* Surrogates with exponentials and logarithms, reals only (App. E). *)
Definition softmax (A : list nat) (u : nat -> R) (a : nat) : R :=
  exp (u a) / sum A (fun b => exp (u b)).
Definition comp_exp : Loss := fun A a u => sum (others A a) (fun b => exp (u b - u a)).
Definition comp_log : Loss := fun A a u => - ln (softmax A u a).
Definition comp_gce (alpha : R) : Loss :=
  fun A a u => (1 - Rpower (softmax A u a) alpha) / alpha.
Definition comp_mae : Loss := fun A a u => 1 - softmax A u a.
Definition sum_exp : Loss := fun A a u => sum (others A a) (fun b => exp (- (u a - u b))).

(* A constrained loss on any score vector: centre first. On vectors that sum to zero this changes
   nothing. *)
Definition centred (phi : Loss) : Loss := fun A a u => phi A a (proj A u).

(* Weight matrices: rows are actions 0..N-1, columns 0..D-1 with D = d + 1 (the bias last). *)
Definition Matrix := nat -> nat -> R.
Definition inner (N D : nat) (V W : Matrix) : R :=
  sum (seq 0 N) (fun a => sum (seq 0 D) (fun k => V a k * W a k)).
Definition frob2 (N D : nat) (W : Matrix) : R := inner N D W W.
Definition projM (A : list nat) (W : Matrix) : Matrix := fun a k => proj A (fun b => W b k) a.
Definition in_KA (A : list nat) (D : nat) (W : Matrix) : Prop :=
  forall k, (k < D)%nat -> zero_sum A (fun a => W a k).
Definition scores (D : nat) (W : Matrix) (x : nat -> R) : nat -> R :=
  fun a => sum (seq 0 D) (fun k => W a k * x k).

(* Schedules (Thm 6.3, Thm 6.5), rounds from t = 1. *)
Definition gamma_general (t : nat) : R := Rmin (1 / 2) (Rpower (INR t) (- (1 / 3))).
Definition eta_general (B : R) (N : nat) (rho : R) (t : nat) : R :=
  B / (Rpower (INR N) (3 / 2) * rho * Rpower (INR t) (2 / 3)).
Definition kappa (B : R) (N : nat) (rho : R) : R := B * Rpower (INR N) (3 / 2) * rho.
Definition gamma_concentrated (B : R) (N : nat) (rho : R) (t : nat) : R :=
  Rmin (1 / 2) (kappa B N rho / sqrt (INR t)).
Definition eta_concentrated (B : R) (N : nat) (rho : R) (t : nat) : R :=
  gamma_concentrated B N rho t / (4 * (INR N) ^ 3 * rho ^ 2).
