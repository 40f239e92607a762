(* The protocol on a finite decision tree: rounds, histories, what a matrix does in a round, the
   projection on the Frobenius ball. Definitions only. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Bool.
From Deferlab Require Import Sums Definitions.
Import ListNotations.
Open Scope R_scope.

(* What the adversary chooses for a round: who is available, the label's law given the input, the
   experts' costs (expert, label), the input with its bias entry. *)
Record Round := {
  r_experts : list nat;
  r_law : nat -> R;
  r_cost : nat -> nat -> R;
  r_input : nat -> R
}.

(* A history: the actions played and the labels drawn, the latest first. *)
Definition History := list (nat * nat).

(* n classes, experts 0..ne-1, D features, inputs of norm at most rho. *)
Definition valid_round (n ne D : nat) (rho : R) (r : Round) : Prop :=
  NoDup (r_experts r) /\ (forall j, In j (r_experts r) -> (j < ne)%nat) /\
  is_law n (r_law r) /\ unit_costs n (r_experts r) (r_cost r) /\
  sum (seq 0 D) (fun k => r_input r k * r_input r k) <= rho * rho.

(* A rule that picks a largest entry, whatever it does with ties. *)
Definition greedy_rule (rule : list nat -> (nat -> R) -> nat) : Prop :=
  forall A u, A <> nil -> is_argmax A u (rule A u).

(* A subgradient of v -> max(0, 1 + v): k at the kink. *)
Definition slope (k v : R) : R :=
  if Rlt_dec 0 (1 + v) then 1 else if Rlt_dec (1 + v) 0 then 0 else k.

(* A matrix in a round: projected scores, conditional surrogate risk, conditional true risk of the
   action it picks. *)
Definition round_acts (n : nat) (r : Round) : list nat := active n (r_experts r).
Definition round_scores (n D : nat) (r : Round) (W : Matrix) : nat -> R :=
  scores D (projM (round_acts n r) W) (r_input r).
Definition sur_of (n D : nat) (r : Round) (W : Matrix) : R :=
  sum (seq 0 n) (fun y => r_law r y *
    phi_def cstnd_hinge n (r_experts r) (r_cost r) (round_scores n D r W) y).
Definition def_of (n D : nat) (rule : list nat -> (nat -> R) -> nat) (r : Round) (W : Matrix) : R :=
  true_risk n (r_law r) (r_cost r) (rule (round_acts n r) (round_scores n D r W)).

(* Projection on the Frobenius ball of radius B. *)
Definition ballM (N D : nat) (B : R) (W : Matrix) : Matrix :=
  if Rle_dec (frob2 N D W) (B * B) then W else fun a j => B / sqrt (frob2 N D W) * W a j.
