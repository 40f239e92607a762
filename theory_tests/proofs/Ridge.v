(* The ridge forecaster of Vovk, Azoury and Warmuth, in any dimension, without matrices: the inverse
   of lambda I + sum x x^T is built by rank-one updates and only ever applied to vectors.
   Its regret is at most lambda |w|^2 + Y^2 sum over coordinates of ln(1 + sum of x_j^2 / lambda).
   The logarithms come without determinants: one coordinate after another is regressed on those
   before it, and its residuals telescope.
   Stands for: ridge-regret. *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums Ogd.
Import ListNotations.
Open Scope R_scope.

Definition Vec := nat -> R.
Definition dotd (d : nat) (u v : Vec) : R := dot (seq 0 d) u v.

Section Ridge.
Variable lambda : R.
Hypothesis lambda_pos : 0 < lambda.

Section Dimension.
Variable d : nat.
Notation "u ** v" := (dotd d u v) (at level 40).

(* z^T (lambda I + sum over L of x x^T) w. *)
Definition bil (L : list Vec) (z w : Vec) : R :=
  lambda * (z ** w) + sum L (fun x => (z ** x) * (w ** x)).

(* (lambda I + sum over L of x x^T)^(-1) x. *)
Fixpoint inv (L : list Vec) (x : Vec) : Vec :=
  match L with
  | nil => vscal (/ lambda) x
  | v :: L' => vsub (inv L' x) (vscal ((inv L' x ** v) / (1 + (inv L' v ** v))) (inv L' v))
  end.

Lemma dotd_sym u v : u ** v = v ** u.
Proof. apply dot_sym. Qed.

Lemma bil_sym L z w : bil L z w = bil L w z.
Proof.
  unfold bil. rewrite (dotd_sym z w). f_equal. apply sum_ext. intros. ring.
Qed.

Lemma bil_nonneg L z : 0 <= bil L z z.
Proof.
  unfold bil. assert (0 <= z ** z) by apply sum_sq_nonneg.
  assert (0 <= sum L (fun x => z ** x * (z ** x))) by (apply (sum_sq_nonneg L (fun x => z ** x))).
  nra.
Qed.

Lemma bil_sub L u v w : bil L (vsub u v) w = bil L u w - bil L v w.
Proof.
  unfold bil, dotd. rewrite dot_sub_l.
  rewrite (sum_ext L _ (fun x => dot (seq 0 d) u x * dot (seq 0 d) w x
                                 - dot (seq 0 d) v x * dot (seq 0 d) w x)).
  - rewrite sum_minus. ring.
  - intros x _. rewrite dot_sub_l. ring.
Qed.

Lemma bil_scal L c u w : bil L (vscal c u) w = c * bil L u w.
Proof.
  unfold bil, dotd. rewrite dot_scal_l.
  rewrite (sum_ext L _ (fun x => c * (dot (seq 0 d) u x * dot (seq 0 d) w x))).
  - rewrite sum_scal. ring.
  - intros x _. rewrite dot_scal_l. ring.
Qed.

Lemma inv_spec L : forall x w, bil L (inv L x) w = x ** w.
Proof.
  induction L as [|v L IH]; intros x w.
  - unfold bil. simpl. unfold dotd. rewrite dot_scal_l. field. lra.
  - assert (K : 0 <= inv L v ** v).
    { rewrite dotd_sym, <- (IH v (inv L v)). apply bil_nonneg. }
    assert (E : forall z, bil (v :: L) z w = bil L z w + (z ** v) * (w ** v)).
    { intros z. unfold bil. simpl. ring. }
    simpl inv. rewrite E, bil_sub, bil_scal, !IH.
    unfold dotd at 5. rewrite dot_sub_l, dot_scal_l. fold (dotd d (inv L x) v) (dotd d (inv L v) v).
    rewrite (dotd_sym v w). field. lra.
Qed.

Lemma inv_sym L x w : inv L x ** w = inv L w ** x.
Proof.
  rewrite (dotd_sym (inv L x) w), <- (inv_spec L w (inv L x)), bil_sym, inv_spec. apply dotd_sym.
Qed.

(* Leverage of x before and after it is taken in. *)
Lemma leverage_nonneg L x : 0 <= inv L x ** x.
Proof. rewrite dotd_sym, <- (inv_spec L x (inv L x)). apply bil_nonneg. Qed.

Lemma inv_cons_self L x w : inv (x :: L) x ** w = (inv L x ** w) / (1 + (inv L x ** x)).
Proof.
  pose proof (leverage_nonneg L x). simpl. unfold dotd at 1. rewrite dot_sub_l, dot_scal_l.
  fold (dotd d (inv L x) w). field. lra.
Qed.

(* 2 z.x - z^T A z is largest at A^(-1) x. *)
Lemma variational L x z : 2 * (z ** x) - bil L z z <= inv L x ** x.
Proof.
  pose proof (bil_nonneg L (vsub z (inv L x))) as P. set (X := inv L x) in *.
  rewrite bil_sub, (bil_sym L z (vsub z X)), (bil_sym L X (vsub z X)), !bil_sub in P.
  rewrite (bil_sym L z X) in P. unfold X in P. rewrite !inv_spec in P. fold X in P.
  rewrite (dotd_sym z x), (dotd_sym X x). lra.
Qed.

(* Data: inputs with targets, the latest first. *)
Definition Data := list (Vec * R).
Definition inputs (L : Data) : list Vec := map fst L.
Fixpoint moment (L : Data) : Vec :=
  match L with
  | nil => fun _ => 0
  | (x, y) :: L' => fun k => moment L' k + y * x k
  end.

(* The forecast at x takes x in, with its target still to come. *)
Definition forecast (L : Data) (x : Vec) : R := moment L ** inv (x :: inputs L) x.

Definition square (v : R) : R := v * v.

Fixpoint forecast_loss (L : Data) : R :=
  match L with
  | nil => 0
  | (x, y) :: L' => forecast_loss L' + square (forecast L' x - y)
  end.
Definition linear_loss (w : Vec) (L : Data) : R := sum L (fun e => square (w ** fst e - snd e)).
Fixpoint leverages (L : list Vec) : R :=
  match L with
  | nil => 0
  | x :: L' => leverages L' + (inv (x :: L') x ** x)
  end.

Lemma moment_dot L w : moment L ** w = sum L (fun e => snd e * (fst e ** w)).
Proof.
  induction L as [|[x y] L IH]; simpl.
  - unfold dotd, dot. apply sum_zero. intros. ring.
  - rewrite <- IH. unfold dotd, dot. rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros. ring.
Qed.

(* The least value of lambda |w|^2 + sum (w.x - y)^2. *)
Definition ridge_value (L : Data) : R :=
  sum L (fun e => snd e * snd e) - (inv (inputs L) (moment L) ** moment L).

Lemma ridge_value_least L w : ridge_value L <= lambda * (w ** w) + linear_loss w L.
Proof.
  pose proof (variational (inputs L) (moment L) w) as V.
  rewrite (dotd_sym w), moment_dot in V. unfold bil, inputs in V. rewrite sum_map in V.
  unfold ridge_value, linear_loss, square, inputs.
  rewrite (sum_ext L (fun e => (w ** fst e - snd e) * (w ** fst e - snd e))
    (fun e => (w ** fst e) * (w ** fst e) - 2 * (snd e * (fst e ** w)) + snd e * snd e)).
  - rewrite sum_plus, sum_minus, sum_scal. lra.
  - intros e _. rewrite (dotd_sym (fst e) w). ring.
Qed.

(* One more observation. *)
Lemma ridge_step L x y :
  square (forecast L x - y)
  <= ridge_value ((x, y) :: L) - ridge_value L + y * y * (inv (x :: inputs L) x ** x).
Proof.
  set (P := inputs L). set (b := moment L).
  set (k := inv P x ** x). pose proof (leverage_nonneg P x) as K. fold k in K.
  set (mu := inv P b ** x).
  assert (F : forecast L x = mu / (1 + k)).
  { unfold forecast. rewrite dotd_sym, inv_cons_self. fold P. fold b. fold k.
    unfold mu. rewrite (inv_sym P b x). reflexivity. }
  assert (Lk : inv (x :: P) x ** x = k / (1 + k)) by apply inv_cons_self.
  set (b' := moment ((x, y) :: L)).
  assert (Db : forall w, b' ** w = b ** w + y * (x ** w)).
  { intros w. unfold b'. rewrite moment_dot. simpl. rewrite <- moment_dot. fold b. ring. }
  assert (Zx : inv P b' ** x = mu + y * k).
  { rewrite inv_sym, dotd_sym, Db, (dotd_sym b), (dotd_sym x).
    rewrite <- (inv_sym P b x). reflexivity. }
  assert (Zb : inv P b' ** b = inv P b ** b + y * mu).
  { rewrite inv_sym, dotd_sym, Db, (dotd_sym b), (dotd_sym x). reflexivity. }
  assert (Zz : inv P b' ** b' = inv P b ** b + 2 * y * mu + y * y * k).
  { rewrite dotd_sym, Db, (dotd_sym b), Zb, (dotd_sym x), Zx. ring. }
  assert (V : inv (x :: P) b' ** b' = inv P b' ** b' - (mu + y * k) * (mu + y * k) / (1 + k)).
  { simpl. unfold dotd at 1. rewrite dot_sub_l, dot_scal_l. fold (dotd d (inv P b') b').
    fold (dotd d (inv P x) b'). fold (dotd d (inv P b') x). fold (dotd d (inv P x) x). fold k.
    rewrite (inv_sym P x b'), Zx. field. lra. }
  unfold ridge_value. simpl inputs. fold P. fold b. fold b'. rewrite V, Zz, F, Lk. simpl sum.
  unfold square.
  assert (E : y * y + sum L (fun e => snd e * snd e)
     - (inv P b ** b + 2 * y * mu + y * y * k - (mu + y * k) * (mu + y * k) / (1 + k))
     - (sum L (fun e => snd e * snd e) - inv P b ** b) + y * y * (k / (1 + k))
     = (mu / (1 + k) - y) * (mu / (1 + k) - y) + k * ((mu / (1 + k)) * (mu / (1 + k))))
    by (field; lra).
  rewrite E. assert (0 <= mu / (1 + k) * (mu / (1 + k))) by nra. nra.
Qed.

Lemma ridge_regret L w Y :
  (forall e, In e L -> snd e * snd e <= Y) ->
  forecast_loss L <= lambda * (w ** w) + linear_loss w L + Y * leverages (inputs L).
Proof.
  intros HY.
  assert (P : forecast_loss L <= ridge_value L + Y * leverages (inputs L)).
  { induction L as [|[x y] L IH].
    - unfold ridge_value. simpl. unfold dotd, dot. rewrite sum_zero; [lra|]. intros. ring.
    - specialize (IH (fun e He => HY e (or_intror He))).
      pose proof (ridge_step L x y) as S. pose proof (HY (x, y) (or_introl eq_refl)) as Y1.
      simpl in Y1. simpl forecast_loss. simpl leverages.
      pose proof (leverage_nonneg (inputs L) x) as K.
      assert (K' : 0 <= inv (x :: inputs L) x ** x).
      { rewrite inv_cons_self. apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. lra. }
      fold (inputs L). simpl inv in S, K'.
      set (l := vsub _ _ ** x) in *. nra. }
  pose proof (ridge_value_least L w). lra.
Qed.

End Dimension.

(* Regressing coordinate d on the coordinates before it. *)
Section Coordinate.
Variable d : nat.

Definition column (L : list Vec) : Data := map (fun x => (x, x d)) L.
Definition coeffs (L : list Vec) : Vec := inv d L (moment (column L)).
Definition cost_of (L : list Vec) (v : Vec) : R :=
  lambda * (1 + dotd d v v) + sum L (fun x => square (x d - dotd d v x)).
Definition residual_cost (L : list Vec) : R := cost_of L (coeffs L).

Lemma moment_column L w : dotd d (moment (column L)) w = sum L (fun x => x d * dotd d x w).
Proof. rewrite moment_dot. unfold column. rewrite sum_map. reflexivity. Qed.

Lemma cost_expand L v :
  cost_of L v = lambda + sum L (fun x => x d * x d) - 2 * dotd d v (moment (column L)) + bil d L v v.
Proof.
  unfold cost_of, bil, square. rewrite (dotd_sym d v (moment _)), moment_column.
  rewrite (sum_ext L (fun x => (x d - dotd d v x) * (x d - dotd d v x))
    (fun x => x d * x d - 2 * (x d * dotd d x v) + dotd d v x * dotd d v x)).
  - rewrite sum_plus, sum_minus, sum_scal. ring.
  - intros x _. rewrite (dotd_sym d x v). ring.
Qed.

Lemma residual_least L v : residual_cost L <= cost_of L v.
Proof.
  unfold residual_cost. rewrite !cost_expand. unfold coeffs.
  rewrite inv_spec. pose proof (variational d L (moment (column L)) v) as V.
  rewrite (dotd_sym d (moment (column L))). lra.
Qed.

Lemma residual_nil : residual_cost nil = lambda.
Proof.
  unfold residual_cost, cost_of, coeffs. simpl. unfold dotd, dot. rewrite sum_zero; [ring|].
  intros. unfold vscal. ring.
Qed.

Lemma residual_upper L : residual_cost L <= lambda + sum L (fun x => x d * x d).
Proof.
  eapply Rle_trans; [apply (residual_least L (fun _ => 0))|]. right. unfold cost_of.
  assert (Z : forall w, dotd d (fun _ => 0) w = 0).
  { intros w. unfold dotd, dot. apply sum_zero. intros. ring. }
  rewrite Z. rewrite (sum_ext L _ (fun x => x d * x d)); [ring|].
  intros x _. rewrite Z. unfold square. ring.
Qed.

(* The residual of the latest vector. *)
Definition residual (L : list Vec) (x : Vec) : R := x d - dotd d (coeffs (x :: L)) x.

Lemma residual_grows L x :
  residual_cost L + square (residual L x) <= residual_cost (x :: L).
Proof.
  unfold residual_cost at 2. unfold cost_of. rewrite sum_cons. fold (residual L x).
  pose proof (residual_least L (coeffs (x :: L))) as R0. unfold cost_of in R0. lra.
Qed.

Lemma residual_pos L : 0 < residual_cost L.
Proof.
  induction L as [|x L IH]; [rewrite residual_nil; auto|].
  pose proof (residual_grows L x). assert (0 <= square (residual L x)) by (unfold square; nra). lra.
Qed.

Lemma dotd_S u v : dotd (S d) u v = dotd d u v + u d * v d.
Proof. unfold dotd, dot. apply sum_seq_S. Qed.

(* One coordinate more raises the leverage by at most residual^2 / residual_cost. *)
Lemma leverage_step L x :
  dotd (S d) (inv (S d) (x :: L) x) x
  <= dotd d (inv d (x :: L) x) x + square (residual L x) / residual_cost (x :: L).
Proof.
  set (L' := x :: L). set (z := inv (S d) L' x). set (v := coeffs L').
  set (z' := fun k => z k + z d * v k). set (M := residual_cost L').
  assert (PM : 0 < M) by apply residual_pos.
  assert (Dz : forall w, dotd d z' w = dotd d z w + z d * dotd d v w).
  { intros w. unfold z', dotd, dot. rewrite <- sum_scal, <- sum_plus. apply sum_ext. intros. ring. }
  assert (E0 : dotd (S d) z x = bil (S d) L' z z).
  { unfold z at 2. rewrite inv_spec. apply dotd_sym. }
  assert (Ex : dotd (S d) z x = dotd d z' x + z d * residual L x).
  { rewrite dotd_S, Dz. unfold residual. fold L'. fold v. ring. }
  assert (Cr : dotd d z' (moment (column L')) = bil d L' v z').
  { unfold v, coeffs. rewrite inv_spec. apply dotd_sym. }
  assert (Eb : bil (S d) L' z z = bil d L' z' z' + z d * z d * M).
  { assert (T1 : bil (S d) L' z z
      = bil d L' (fun k => z' k - z d * v k) (fun k => z' k - z d * v k)
        + lambda * (z d * z d)
        + sum L' (fun x => 2 * (z d * x d) * (dotd d z' x - z d * dotd d v x) + z d * x d * (z d * x d))).
    { unfold bil.
      assert (Q : forall w, dotd d (fun k => z' k - z d * v k) w = dotd d z w).
      { intros w. unfold z', dotd, dot. apply sum_ext. intros. ring. }
      rewrite !Q, (dotd_sym d z (fun k => z' k - z d * v k)), Q, dotd_S.
      rewrite Rmult_plus_distr_l.
      rewrite (sum_ext L' (fun x => dotd (S d) z x * dotd (S d) z x)
        (fun x => dotd d (fun k => z' k - z d * v k) x * dotd d (fun k => z' k - z d * v k) x
           + (2 * (z d * x d) * (dotd d z' x - z d * dotd d v x) + z d * x d * (z d * x d)))).
      - rewrite sum_plus. ring.
      - intros y _. rewrite Q, dotd_S, Dz. ring. }
    rewrite T1. unfold M, residual_cost. fold v. rewrite cost_expand.
    change (fun k => z' k - z d * v k) with (vsub z' (vscal (z d) v)).
    rewrite bil_sub, bil_scal, (bil_sym d L' z'), (bil_sym d L' v (vsub _ _)), !bil_sub, !bil_scal.
    rewrite (bil_sym d L' z' v), <- Cr.
    rewrite (sum_ext L' _ (fun y => 2 * z d * (y d * dotd d y z') - 2 * (z d * z d) * (y d * dotd d y v)
      + z d * z d * (y d * y d))).
    - rewrite sum_plus, sum_minus, !sum_scal, <- !moment_column.
      rewrite (dotd_sym d (moment (column L')) z'), (dotd_sym d (moment (column L')) v).
      assert (Cv : dotd d v (moment (column L')) = bil d L' v v).
      { unfold v at 2. unfold coeffs. rewrite inv_spec. apply dotd_sym. }
      rewrite Cv. ring.
    - intros y _. rewrite (dotd_sym d y z'), (dotd_sym d y v). ring. }
  pose proof (variational d L' x z') as V.
  assert (Sq : 2 * (z d * residual L x) - z d * z d * M <= square (residual L x) / M).
  { unfold square. apply Rmult_le_reg_l with M; auto.
    replace (M * (residual L x * residual L x / M)) with (residual L x * residual L x)
      by (field; lra).
    pose proof (Rle_0_sqr (residual L x - z d * M)) as X. unfold Rsqr in X. lra. }
  fold z. lra.
Qed.

Lemma ln_le_minus_1 y : 0 < y -> ln y <= y - 1.
Proof. intros H. pose proof (exp_ineq1_le (ln y)) as X. rewrite exp_ln in X by auto. lra. Qed.

Fixpoint residual_sum (L : list Vec) : R :=
  match L with
  | nil => 0
  | x :: L' => residual_sum L' + square (residual L' x) / residual_cost (x :: L')
  end.

Lemma residuals_telescope L : residual_sum L <= ln (residual_cost L / lambda).
Proof.
  induction L as [|x L IH].
  - rewrite residual_nil. simpl. unfold Rdiv. rewrite Rinv_r, ln_1 by lra. lra.
  - pose proof (residual_grows L x) as G. pose proof (residual_pos L) as P.
    pose proof (residual_pos (x :: L)) as P'.
    set (M := residual_cost L) in *. set (M' := residual_cost (x :: L)) in *.
    assert (Q : square (residual L x) / M' <= ln M' - ln M).
    { pose proof (ln_le_minus_1 (M / M') ltac:(apply Rmult_lt_0_compat; auto using Rinv_0_lt_compat)) as X.
      unfold Rdiv in X at 1. rewrite ln_mult, ln_Rinv in X by (auto using Rinv_0_lt_compat).
      apply Rle_trans with ((M' - M) / M').
      - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|lra].
      - replace ((M' - M) / M') with (1 - M / M') by (field; lra). lra. }
    assert (E : forall u, 0 < u -> ln (u / lambda) = ln u - ln lambda).
    { intros u Hu. unfold Rdiv. rewrite ln_mult, ln_Rinv by (auto using Rinv_0_lt_compat). ring. }
    rewrite E in IH |- * by auto.
    change (residual_sum (x :: L)) with (residual_sum L + square (residual L x) / M'). lra.
Qed.

Lemma leverages_step L :
  leverages (S d) L <= leverages d L + ln (1 + sum L (fun x => x d * x d) / lambda).
Proof.
  apply Rle_trans with (leverages d L + ln (residual_cost L / lambda)).
  - eapply Rle_trans; [|apply Rplus_le_compat_l, residuals_telescope].
    induction L as [|x L IH]; [simpl; lra|].
    pose proof (leverage_step L x) as St.
    change (leverages (S d) (x :: L)) with (leverages (S d) L + dotd (S d) (inv (S d) (x :: L) x) x).
    change (leverages d (x :: L)) with (leverages d L + dotd d (inv d (x :: L) x) x).
    change (residual_sum (x :: L))
      with (residual_sum L + square (residual L x) / residual_cost (x :: L)). lra.
  - apply Rplus_le_compat_l. pose proof (residual_pos L) as P. pose proof (residual_upper L) as U.
    assert (Li : 0 < / lambda) by (apply Rinv_0_lt_compat; auto).
    assert (E : residual_cost L / lambda <= 1 + sum L (fun x => x d * x d) / lambda).
    { replace (1 + sum L (fun x => x d * x d) / lambda)
        with ((lambda + sum L (fun x => x d * x d)) / lambda) by (field; lra).
      apply Rmult_le_compat_r; lra. }
    assert (0 < residual_cost L / lambda) by (apply Rmult_lt_0_compat; auto).
    destruct E as [E|E]; [left; apply ln_increasing; auto|rewrite E; lra].
Qed.

End Coordinate.

(* The elliptical potential, coordinate by coordinate. *)
Lemma leverages_le d L :
  leverages d L <= sum (seq 0 d) (fun j => ln (1 + sum L (fun x => x j * x j) / lambda)).
Proof.
  induction d as [|d IH].
  - simpl. induction L as [|x L IH]; [simpl; lra|]. simpl. unfold dotd at 1. simpl.
    unfold dot. simpl. lra.
  - rewrite sum_seq_S. pose proof (leverages_step d L). lra.
Qed.

End Ridge.

(* Concavity of the logarithm, in the form Jensen's inequality takes. *)
Lemma ln_concave lambda : 0 < lambda -> concave_on_pos (fun v => ln (1 + v / lambda)).
Proof.
  intros Hl x y t Hx Hy Ht.
  assert (Li : 0 < / lambda) by (apply Rinv_0_lt_compat; auto).
  assert (P : forall v, 0 <= v -> 0 < 1 + v / lambda).
  { intros v Hv. assert (0 <= v / lambda) by (apply Rmult_le_pos; lra). lra. }
  set (a := 1 + x / lambda). set (b := 1 + y / lambda).
  assert (E : 1 + (t * x + (1 - t) * y) / lambda = t * a + (1 - t) * b)
    by (unfold a, b; field; lra).
  rewrite E. assert (Pa : 0 < a) by (apply P; auto). assert (Pb : 0 < b) by (apply P; auto).
  set (c := t * a + (1 - t) * b). assert (Pc : 0 < c).
  { unfold c. destruct (Req_dec t 0) as [->|]; [lra|]. assert (0 < t) by lra. nra. }
  assert (T : forall u, 0 < u -> ln u <= ln c + (u / c - 1)).
  { intros u Hu.
    pose proof (ln_le_minus_1 (u / c) ltac:(apply Rmult_lt_0_compat; auto using Rinv_0_lt_compat)) as X.
    unfold Rdiv in X at 1. rewrite ln_mult, ln_Rinv in X by (auto using Rinv_0_lt_compat). lra. }
  pose proof (T a Pa) as Ta. pose proof (T b Pb) as Tb.
  assert (S : t * (a / c - 1) + (1 - t) * (b / c - 1) = 0).
  { replace (t * (a / c - 1) + (1 - t) * (b / c - 1)) with ((t * a + (1 - t) * b) / c - 1)
      by (field; lra). fold c. field. lra. }
  apply Rle_trans with (t * (ln c + (a / c - 1)) + (1 - t) * (ln c + (b / c - 1))).
  - apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
  - lra.
Qed.

(* Targets with y^2 <= Y, inputs with |x|^2 <= rho^2: the forecaster's square loss is at most that of
   any linear function w plus lambda |w|^2 + Y d ln(1 + rho^2 T / (d lambda)). *)
(* claim: ridge-regret *)
Theorem ridge_forecaster_regret (lambda : R) (d : nat) (L : Data) (w : Vec) (Y rho : R) :
  0 < lambda -> (1 <= d)%nat ->
  (forall e, In e L -> snd e * snd e <= Y) -> (forall e, In e L -> dotd d (fst e) (fst e) <= rho * rho) ->
  forecast_loss lambda d L
  <= linear_loss d w L + lambda * dotd d w w
     + Y * (INR d * ln (1 + rho * rho * INR (length L) / (INR d * lambda))).
Proof.
  intros Hl Hd HY HX.
  pose proof (ridge_regret lambda Hl d L w Y HY) as R0.
  pose proof (leverages_le lambda Hl d (inputs L)) as E.
  assert (D0 : 0 < INR d) by (apply lt_0_INR; lia).
  set (c := fun j => sum (inputs L) (fun x => x j * x j)).
  assert (C0 : forall j, 0 <= c j) by (intros; apply (sum_sq_nonneg (inputs L) (fun x => x j))).
  assert (J : sum (seq 0 d) (fun j => ln (1 + c j / lambda))
              <= INR d * ln (1 + rho * rho * INR (length L) / (INR d * lambda))).
  { pose proof (weighted_jensen (fun v => ln (1 + v / lambda)) (seq 0 d) (fun _ => 1) c
      (ln_concave lambda Hl) ltac:(intros; lra) ltac:(intros; apply C0)) as W.
    rewrite sum_const, seq_length, Rmult_1_r in W. specialize (W D0).
    rewrite (sum_ext (seq 0 d) (fun i => 1 * ln (1 + c i / lambda)) (fun i => ln (1 + c i / lambda)))
      in W by (intros; ring).
    rewrite (sum_ext (seq 0 d) (fun i => 1 * c i) c) in W by (intros; ring).
    eapply Rle_trans; [exact W|]. apply Rmult_le_compat_l; [lra|].
    assert (Tot : sum (seq 0 d) c <= rho * rho * INR (length L)).
    { unfold c. rewrite sum_swap. unfold inputs. rewrite sum_map.
      rewrite Rmult_comm. apply sum_le_const. intros e He. apply (HX e He). }
    assert (T0 : 0 <= sum (seq 0 d) c) by (apply sum_nonneg; intros; apply C0).
    assert (Di : 0 < / (INR d * lambda)) by (apply Rinv_0_lt_compat; nra).
    replace (sum (seq 0 d) c / INR d / lambda) with (sum (seq 0 d) c * / (INR d * lambda))
      by (field; lra).
    assert (Le : 1 + sum (seq 0 d) c * / (INR d * lambda)
                 <= 1 + rho * rho * INR (length L) / (INR d * lambda)).
    { apply Rplus_le_compat_l. apply Rmult_le_compat_r; lra. }
    assert (0 < 1 + sum (seq 0 d) c * / (INR d * lambda)) by nra.
    destruct Le as [Le|Le]; [left; apply ln_increasing; auto|rewrite Le; lra]. }
  destruct L as [|e L].
  - simpl in *. unfold linear_loss in *. simpl in *. 
    replace (rho * rho * 0 / (INR d * lambda)) with 0 by (field; split; lra).
    rewrite Rplus_0_r, ln_1. lra.
  - assert (Y0 : 0 <= Y) by (specialize (HY e (or_introl eq_refl)); nra).
    apply Rmult_le_compat_l with (r := Y) in E; auto.
    apply Rmult_le_compat_l with (r := Y) in J; auto.
    change (fun j => ln (1 + sum (inputs (e :: L)) (fun x => x j * x j) / lambda))
      with (fun j => ln (1 + c j / lambda)) in E.
    lra.
Qed.
