(* The definitions, evaluated: the terms of Definitions.v (module Generic) at the instance QA, the
   rationals. A test writes a file of points, runs coqc on it and compares what is printed with exact
   fractions computed by the program.

   Input. A generated file looks like this:

     From Coq Require Import List QArith.
     From Deferlab Require Import Agreement.
     Import ListNotations.
     Open Scope Q_scope.
     Definition points : list point := [
       Loss_at cstnd_hinge 1 [1 # 2; -3 # 2; 1] 0;
       Projection [0; 2]%nat [1 # 2; 3; -1 # 3];
       ... ].
     Open Scope Z_scope.
     Compute (answers points).

   Numbers are Q (written p # q or p), actions and labels are nat. Vectors are lists indexed by the
   action number; costs are lists of lists, one row per expert (all experts 0..n_e-1, available or
   not), one entry per label. E is the list of available experts, in increasing order.

   Output. One list of answers, in the order of the points; an answer is a list of pairs (p, q): the
   reduced fractions p/q with q > 0. What each kind of point answers stands beside it below.

   That a value over Q is the value of the definition over the reals is proved in Rational.v. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool QArith Qminmax Qreals ZArith.
From Deferlab Require Import Sums Definitions.
Import ListNotations.

Inductive loss_name := sum_sq | sum_tau | cstnd_hinge | cstnd_sq | cstnd_tau.

Inductive point :=
(* Value of a surrogate at a target, all K = length u actions active; tau counts for ramps only.
   Answers 1 number. *)
| Loss_at (phi : loss_name) (tau : Q) (u : list Q) (target : nat)
(* Conditional risk, the sum of s_a phi_a(u). Answers 1 number. *)
| Risk_at (phi : loss_name) (tau : Q) (s u : list Q)
(* Projection of u for the active set A (any list of positions of u without repetitions). Answers
   length u numbers. *)
| Projection (A : list nat) (u : list Q)
(* Cost of an expert that is right and of one that is wrong. Answers 2 numbers. *)
| Cost_of (alpha beta : Q)
(* Scores of the active actions (classes, then the experts of E), their mass, the normalised scores,
   the conditional true risks. Answers K + 1 + K + K numbers. *)
| Scores_of (n : nat) (E : list nat) (p : list Q) (c : list (list Q))
(* Exploration mixture with greedy action r. Answers K numbers. *)
| Mixture (n : nat) (E : list nat) (gamma : Q) (r : nat)
(* A round: a was played from the mixture of gamma and r, the label was y, f is a quantity per action
   number (length n + n_e). Answers the weight that the estimate puts on each active action (K
   numbers), the estimate of f, and the deferral loss that it estimates. *)
| Estimate_of (n : nat) (E : list nat) (c : list (list Q)) (gamma : Q) (r a y : nat) (f : list Q)
(* The same for the gradient of the constrained hinge at scores u (per action number), kinks count 0:
   the projected coefficients of the active actions. Answers K numbers. *)
| Gradient_of (n : nat) (E : list nat) (c : list (list Q)) (gamma : Q) (r a y : nat) (u : list Q)
(* Inverse-gap weights for estimates g, greed gamma, best action b, all active. Answers K numbers. *)
| Inverse_gap (g : list Q) (gamma : Q) (b : nat)
(* First position of the largest entry, as a number. Answers 1 number. *)
| Argmax_of (u : list Q).

Definition vec (l : list Q) : nat -> Q := fun a => nth a l 0%Q.
Definition costs (c : list (list Q)) : nat -> nat -> Q := fun j y => nth y (nth j c nil) 0%Q.
Definition all_of {X} (l : list X) : list nat := seq 0 (length l).

Definition loss (phi : loss_name) (tau : Q) : Generic.Loss QA :=
  match phi with
  | sum_sq => Generic.sum_sq QA
  | sum_tau => Generic.sum_tau QA tau
  | cstnd_hinge => Generic.cstnd_hinge QA
  | cstnd_sq => Generic.cstnd_sq QA
  | cstnd_tau => Generic.cstnd_tau QA tau
  end.

Definition unit_at (b : nat) : nat -> Q := fun a => if Nat.eqb a b then 1%Q else 0%Q.

Definition evaluate (z : point) : list Q :=
  match z with
  | Loss_at phi tau u target => [loss phi tau (all_of u) target (vec u)]
  | Risk_at phi tau s u => [Generic.risk QA (loss phi tau) (all_of u) (vec s) (vec u)]
  | Projection A u => map (Generic.proj QA A (vec u)) (all_of u)
  | Cost_of alpha beta => [Generic.norm_cost QA alpha beta false; Generic.norm_cost QA alpha beta true]
  | Scores_of n E p c =>
      let A := active n E in
      let s := Generic.score QA n (vec p) (costs c) in
      map s A ++ [Generic.mass QA A s] ++ map (Generic.score_bar QA A s) A
        ++ map (Generic.true_risk QA n (vec p) (costs c)) A
  | Mixture n E gamma r => map (Generic.mix QA (active n E) gamma r) (active n E)
  | Estimate_of n E c gamma r a y f =>
      let A := active n E in
      let q := Generic.mix QA A gamma r in
      map (fun b => Generic.round_estimate QA n E (costs c) q a y (unit_at b)) A
        ++ [Generic.round_estimate QA n E (costs c) q a y (vec f);
            Generic.deferral QA n E (costs c) y (vec f)]
  | Gradient_of n E c gamma r a y u =>
      let A := active n E in
      let q := Generic.mix QA A gamma r in
      map (Generic.proj QA A (fun b => Generic.round_estimate QA n E (costs c) q a y
             (fun target => Generic.hinge_coeff QA target (vec u) b))) A
  | Inverse_gap g gamma b => map (Generic.igw QA (all_of g) (vec g) gamma b) (all_of g)
  | Argmax_of u => [inject_Z (Z.of_nat (Generic.argmax QA (all_of u) (vec u)))]
  end.

Definition pair_of (x : Q) : Z * Z := let y := Qred x in (Qnum y, Zpos (Qden y)).

Definition answers (l : list point) : list (list (Z * Z)) :=
  map (fun z => map pair_of (evaluate z)) l.
