(* Near-minimisers of a linearly calibrated loss near the tie are bounded up to shifts, because the
   loss cannot have a direction along which it never grows: following it would make a near-minimiser
   wrong at no cost. Used by the impossibility theorem. No claim of its own. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Classical.
From Deferlab Require Import Sums Impossibility ImpossibilityLimits.
Import ListNotations.
Open Scope R_scope.

Section Recession.
Variables (A : list nat) (phi : nat -> (nat -> R) -> R) (a0 : nat).
Hypothesis NA : NoDup A.
Hypothesis Ha0 : In a0 A.
Hypothesis Cphi : forall a, In a A -> convex_on everything (phi a).
Hypothesis diff : forall a u v k, In a A -> (forall c, In c A -> v c = u c + k) -> phi a v = phi a u.
Variable lo : R.
Hypothesis philo : forall a u, In a A -> lo <= phi a u.
Variable C : R.
Hypothesis PC : 0 <= C.
(* For every action there are scores at which it is the only best one and the loss is calibrated. *)
Hypothesis tilts : forall b, In b A -> exists s delta, 0 < delta /\
  (forall a, In a A -> 0 <= s a) /\ (forall r, In r A -> r <> b -> delta <= s b - s r) /\
  forall u r, is_argmax A u r -> calibrated A phi everything C s u r.

Lemma local_of_diff a u v : In a A -> (forall c, In c A -> v c = u c) -> phi a v = phi a u.
Proof. intros Ha H. apply (diff a u v 0 Ha). intros c Hc. rewrite (H c Hc). ring. Qed.

Lemma phi_continuous a : In a A -> continuous_on A (phi a).
Proof.
  intros Ha. apply convex_continuous; auto. intros u v H. apply local_of_diff; auto.
Qed.

Lemma no_recession w : (forall a x lam, In a A -> 0 <= lam ->
    phi a (fun c => x c + lam * w c) <= phi a x) ->
  forall b c, In b A -> In c A -> w b < w c -> False.
Proof.
  intros Rec b c Hb Hc Lw. destruct (tilts b Hb) as [s [delta [Pd [Ps [Best Cal]]]]].
  destruct (inf_exists everything (total A phi s) (sum A (fun a => s a * lo))) as [m Im].
  { exists (fun _ => 0). exact I. }
  { intros x _. apply sum_le. intros a Ha. apply Rmult_le_compat_l; auto. }
  destruct (inf_approached everything (total A phi s) m (delta / (2 * (C + 1))) Im) as [x [_ Hx]].
  { apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. lra. }
  set (lam := (Rabs (x b - x c) + 1) / (w c - w b)).
  assert (El : lam * (w c - w b) = Rabs (x b - x c) + 1) by (unfold lam; field; lra).
  assert (Pl : 0 <= lam).
  { unfold lam. apply Rmult_le_pos; [pose proof (Rabs_pos (x b - x c)); lra|].
    left. apply Rinv_0_lt_compat. lra. }
  set (z := fun c => x c + lam * w c).
  assert (Lz : z b < z c) by (unfold z; pose proof (Rle_abs (x b - x c)); lra).
  destruct (argmax_exists A z) as [r Hr]; [intros E; rewrite E in Hb; destruct Hb|].
  assert (Nr : r <> b).
  { intros ->. destruct Hr as [_ M]. specialize (M c Hc). lra. }
  pose proof (Best r (proj1 Hr) Nr) as B1. pose proof (Cal z r Hr m Im b Hb) as B2.
  assert (T : total A phi s z <= total A phi s x).
  { apply sum_le. intros a Ha. apply Rmult_le_compat_l; auto. apply Rec; auto. }
  assert (C * (total A phi s z - m) <= C * (delta / (2 * (C + 1)))) by (apply Rmult_le_compat_l; lra).
  assert (delta / (2 * (C + 1)) * (C + 1) = delta / 2) by (field; lra).
  assert (0 < delta / (2 * (C + 1))) by (apply Rmult_lt_0_compat; [auto|apply Rinv_0_lt_compat; lra]).
  nra.
Qed.

Lemma bounded_up_to_shift M :
  exists B, forall u, (forall a, In a A -> phi a u <= M) -> forall c, In c A -> Rabs (u c - u a0) <= B.
Proof.
  apply NNPP. intros N.
  set (S := fun (k : nat) w => exists u rho, (forall a, In a A -> phi a u <= M) /\ INR k + 1 <= rho /\
    (forall c, In c A -> Rabs (u c - u a0) <= rho) /\
    (exists c, In c A /\ Rabs (u c - u a0) = rho) /\ forall c, w c = (u c - u a0) / rho).
  assert (Ne : forall k, exists w, S k w).
  { intros k.
    assert (Q : exists u, (forall a, In a A -> phi a u <= M) /\
      exists c, In c A /\ INR k + 1 < Rabs (u c - u a0)).
    { apply NNPP. intros Q. apply N. exists (INR k + 1). intros u Hu c Hc.
      destruct (Rle_dec (Rabs (u c - u a0)) (INR k + 1)) as [|Q']; auto. exfalso. apply Q.
      exists u. split; auto. exists c. split; auto. lra. }
    destruct Q as [u [Hu [c [Hc Lc]]]].
    destruct (argmax_exists A (fun c => Rabs (u c - u a0))) as [r [Hr Mr]].
    { intros E. rewrite E in Hc. destruct Hc. }
    exists (fun c => (u c - u a0) / Rabs (u r - u a0)), u, (Rabs (u r - u a0)).
    split; auto. split; [specialize (Mr c Hc); simpl in Mr; lra|]. split; [exact Mr|].
    split; [exists r; auto|]. auto. }
  assert (Sp : forall k w, S k w -> exists u rho, 0 < rho /\ (forall a, In a A -> phi a u <= M) /\
    INR k + 1 <= rho /\ (forall c, In c A -> Rabs (w c) <= 1) /\
    (exists c, In c A /\ Rabs (w c) = 1) /\ w a0 = 0 /\ forall c, u c - u a0 = rho * w c).
  { intros k w [u [rho [Hu [Lr [Br [[c [Hc Ec]] Ew]]]]]]. exists u, rho.
    assert (Pr : 0 < rho) by (pose proof (pos_INR k); lra).
    assert (Ab : forall x, Rabs (x / rho) = Rabs x / rho).
    { intros x. unfold Rdiv. rewrite Rabs_mult, (Rabs_right (/ rho)); auto.
      left. apply Rinv_0_lt_compat. auto. }
    split; auto. split; auto. split; auto. split; [|split; [|split]].
    - intros b Hb. rewrite Ew, Ab. specialize (Br b Hb). apply Rmult_le_reg_r with rho; auto.
      replace (Rabs (u b - u a0) / rho * rho) with (Rabs (u b - u a0)) by (field; lra). lra.
    - exists c. split; auto. rewrite Ew, Ab, Ec. field. lra.
    - rewrite Ew. unfold Rdiv. ring.
    - intros b. rewrite Ew. field. lra. }
  destruct (cluster Nat.eq_dec A S 1 Ne) as [w Cl].
  { intros k w' j Hw Hj. destruct (Sp k w' Hw) as [u [rho [_ [_ [_ [B1 _]]]]]]. auto. }
  assert (W0 : w a0 = 0).
  { apply NNPP. intros Nz. assert (Pz : 0 < Rabs (w a0)) by (apply Rabs_pos_lt; auto).
    destruct (Cl (Rabs (w a0)) 0%nat Pz) as [k [w' [_ [Hw Cw]]]].
    destruct (Sp k w' Hw) as [u [rho [_ [_ [_ [_ [_ [Z _]]]]]]]].
    specialize (Cw a0 Ha0). rewrite Z in Cw. replace (0 - w a0) with (- w a0) in Cw by ring.
    rewrite Rabs_Ropp in Cw. lra. }
  assert (W1 : exists c, In c A /\ w c <> 0).
  { apply NNPP. intros Nz. destruct (Cl (1/2) 0%nat ltac:(lra)) as [k [w' [_ [Hw Cw]]]].
    destruct (Sp k w' Hw) as [u [rho [_ [_ [_ [_ [[c [Hc Ec]] _]]]]]]]. specialize (Cw c Hc).
    assert (Z : w c = 0) by (apply NNPP; intros Q; apply Nz; exists c; auto).
    rewrite Z, Rminus_0_r, Ec in Cw. lra. }
  assert (Rec : forall a x lam, In a A -> 0 <= lam -> phi a (fun c => x c + lam * w c) <= phi a x).
  { intros a x lam Ha Pl. set (z := fun c => x c + lam * w c).
    apply (le_eps _ _ 2); [lra|]. intros eta He.
    destruct (phi_continuous a Ha z eta ltac:(lra)) as [d [Pd Hd]].
    set (X := sum A (fun c => Rabs (x c))). set (V := Rabs (M - phi a x)).
    assert (PX : 0 <= X) by (apply sum_nonneg; intros; apply Rabs_pos).
    assert (PV : 0 <= V) by apply Rabs_pos.
    assert (Qd : 0 <= 2 * lam * X / d).
    { apply Rmult_le_pos; [nra|]. left. apply Rinv_0_lt_compat. auto. }
    assert (Qe : 0 <= lam * V / eta).
    { apply Rmult_le_pos; [nra|]. left. apply Rinv_0_lt_compat. lra. }
    destruct (large_index (2 * lam * X / d + lam * V / eta + lam)) as [K HK].
    assert (Pd' : 0 < d / (2 * (lam + 1))) by (apply Rmult_lt_0_compat; [auto|apply Rinv_0_lt_compat; lra]).
    destruct (Cl (d / (2 * (lam + 1))) K Pd') as [k [w' [Hk [Hw Cw]]]].
    destruct (Sp k w' Hw) as [u [rho [Pr [Hu [Lr [_ [_ [_ Eu]]]]]]]].
    apply le_INR in Hk.
    set (h := lam / rho). assert (Eh : h * rho = lam) by (unfold h; field; lra).
    assert (Ph : 0 <= h) by (unfold h; apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; auto]).
    assert (Rho : 2 * lam * X / d + lam * V / eta + lam < rho) by lra.
    assert (H1 : h <= 1) by nra.
    assert (E1 : 2 * lam * X / d * d = 2 * lam * X) by (field; lra).
    assert (E2 : lam * V / eta * eta = lam * V) by (field; lra).
    assert (HX : 2 * (h * X) <= d).
    { assert (2 * lam * X <= rho * d) by nra.
      apply Rmult_le_reg_r with rho; auto. replace (2 * (h * X) * rho) with (2 * (h * rho) * X) by ring.
      rewrite Eh. lra. }
    assert (HV : h * V <= eta).
    { assert (lam * V <= rho * eta) by nra.
      apply Rmult_le_reg_r with rho; auto. replace (h * V * rho) with (h * rho * V) by ring.
      rewrite Eh. lra. }
    (* The point on the segment from x towards the far one. *)
    set (far := fun c => u c - u a0). set (y := fun c => (1 - h) * x c + (1 - (1 - h)) * far c).
    assert (Fy : phi a y <= (1 - h) * phi a x + (1 - (1 - h)) * phi a far).
    { apply (Cphi a Ha (1 - h) x far y); try exact I; [lra|]. intros c. reflexivity. }
    assert (Ff : phi a far = phi a u).
    { apply (diff a u far (- u a0) Ha). intros c _. unfold far. ring. }
    assert (Yz : Rabs (phi a y - phi a z) < eta).
    { apply Hd. intros c Hc. unfold y, z, far. rewrite Eu.
      replace ((1 - h) * x c + (1 - (1 - h)) * (rho * w' c) - (x c + lam * w c))
        with ((h * rho) * w' c - lam * w c + - (h * x c)) by ring.
      rewrite Eh. replace (lam * w' c - lam * w c) with (lam * (w' c - w c)) by ring.
      eapply Rle_lt_trans; [apply Rabs_triang|].
      rewrite Rabs_Ropp, !Rabs_mult, (Rabs_right lam), (Rabs_right h) by lra.
      specialize (Cw c Hc).
      assert (Xc : Rabs (x c) <= X).
      { apply (sum_term_le A (fun c => Rabs (x c)) c); auto. intros. apply Rabs_pos. }
      assert (Q1 : lam * Rabs (w' c - w c) < d / 2).
      { assert (Ed : d / (2 * (lam + 1)) * (lam + 1) = d / 2) by (field; lra).
        pose proof (Rabs_pos (w' c - w c)). nra. }
      assert (h * Rabs (x c) <= h * X) by (apply Rmult_le_compat_l; auto). lra. }
    specialize (Hu a Ha). rewrite Ff in Fy.
    pose proof (Rle_abs (- (phi a y - phi a z))) as Q. rewrite Rabs_Ropp in Q.
    assert (h * (phi a u - phi a x) <= eta).
    { apply Rle_trans with (h * V); auto. apply Rmult_le_compat_l; auto.
      unfold V. pose proof (Rle_abs (M - phi a x)). lra. }
    fold z. lra. }
  destruct W1 as [c [Hc Nc]].
  destruct (Rlt_dec (w a0) (w c)) as [L|L].
  - exact (no_recession w Rec a0 c Ha0 Hc L).
  - apply (no_recession w Rec c a0 Hc Ha0). rewrite W0 in *. lra.
Qed.
End Recession.
