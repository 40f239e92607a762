(* Projected online gradient descent in any finite dimension: coordinates are indexed by the elements
   of a list (for the matrices of Alg. 1: pairs of an action and a feature).
   Stands for: ogd-inequality (first display of the proof of Thm 6.3). *)

From Coq Require Import Reals List Lra Psatz Arith Lia.
From Deferlab Require Import Sums.
Import ListNotations.
Open Scope R_scope.

Section Euclid.
Context {I : Type}.
Variable ix : list I.

Definition dot (u v : I -> R) : R := sum ix (fun i => u i * v i).
Definition norm2 (u : I -> R) : R := dot u u.
Definition vsub (u v : I -> R) : I -> R := fun i => u i - v i.
Definition vscal (c : R) (u : I -> R) : I -> R := fun i => c * u i.

(* The ball of radius B around the origin, and the map that rescales a vector outside of it. *)
Definition in_ball (B : R) (u : I -> R) : Prop := norm2 u <= B * B.
Definition ball_proj (B : R) (u : I -> R) : I -> R :=
  if Rle_dec (norm2 u) (B * B) then u else vscal (B / sqrt (norm2 u)) u.

Lemma dot_sym u v : dot u v = dot v u.
Proof. apply sum_ext. intros. ring. Qed.

Lemma norm2_nonneg u : 0 <= norm2 u.
Proof. apply sum_sq_nonneg. Qed.

Lemma dot_sub_l u v w : dot (vsub u v) w = dot u w - dot v w.
Proof. unfold dot. rewrite <- sum_minus. apply sum_ext. intros. unfold vsub. ring. Qed.

Lemma dot_sub_r u v w : dot w (vsub u v) = dot w u - dot w v.
Proof. rewrite dot_sym, dot_sub_l, (dot_sym u), (dot_sym v). reflexivity. Qed.

Lemma dot_scal_l c u w : dot (vscal c u) w = c * dot u w.
Proof. unfold dot. rewrite <- sum_scal. apply sum_ext. intros. unfold vscal. ring. Qed.

Lemma dot_scal_r c u w : dot w (vscal c u) = c * dot w u.
Proof. rewrite dot_sym, dot_scal_l, dot_sym. reflexivity. Qed.

Lemma norm2_sub u v : norm2 (vsub u v) = norm2 u - 2 * dot u v + norm2 v.
Proof.
  unfold norm2. rewrite dot_sub_l, !dot_sub_r, (dot_sym v u). ring.
Qed.

Lemma cauchy_schwarz u v : dot u v * dot u v <= norm2 u * norm2 v.
Proof. apply sum_cs. Qed.

Lemma dot_ext u v u' v' :
  (forall i, In i ix -> u i = u' i) -> (forall i, In i ix -> v i = v' i) -> dot u v = dot u' v'.
Proof. intros E F. apply sum_ext. intros i Hi. rewrite E, F; auto. Qed.

Lemma ball_proj_in B u : 0 <= B -> in_ball B (ball_proj B u).
Proof.
  intros HB. unfold in_ball, ball_proj. destruct (Rle_dec (norm2 u) (B * B)) as [H|H]; auto.
  assert (P : 0 < norm2 u) by nra.
  unfold norm2 at 1. rewrite dot_scal_l, dot_scal_r. fold (norm2 u).
  set (r := sqrt (norm2 u)).
  assert (R : 0 < r) by (apply sqrt_lt_R0; auto).
  replace (norm2 u) with (r * r) by (apply sqrt_sqrt; lra).
  right. field. lra.
Qed.

(* The defining property of a projection on a convex set. *)
Lemma ball_proj_obtuse B u v :
  0 <= B -> in_ball B v -> dot (vsub u (ball_proj B u)) (vsub v (ball_proj B u)) <= 0.
Proof.
  intros HB Hv. unfold ball_proj. destruct (Rle_dec (norm2 u) (B * B)) as [H|H].
  - right. unfold dot. apply sum_zero. intros. unfold vsub. ring.
  - assert (P : 0 < norm2 u) by nra.
    set (r := sqrt (norm2 u)).
    assert (R : 0 < r) by (apply sqrt_lt_R0; auto).
    assert (E : r * r = norm2 u) by (apply sqrt_sqrt; lra).
    set (c := B / r).
    assert (Ec : c * r = B) by (unfold c; field; lra).
    rewrite dot_sub_l, !dot_sub_r, !dot_scal_l, !dot_scal_r. fold (norm2 u). rewrite <- E.
    pose proof (cauchy_schwarz u v) as C. unfold in_ball in Hv.
    assert (N : 0 <= norm2 v) by apply norm2_nonneg.
    assert (D : dot u v <= r * B).
    { apply Rnot_lt_le. intros L.
      assert (r * B * (r * B) < dot u v * dot u v).
      { assert (0 <= r * B) by nra. nra. }
      assert (norm2 u * norm2 v <= r * r * (B * B)) by (rewrite <- E; nra). nra. }
    assert (B < r) by nra.
    assert (c <= 1) by nra.
    replace (dot u v - c * (r * r) - (c * dot u v - c * (c * (r * r))))
      with ((1 - c) * (dot u v - r * (c * r))) by ring.
    rewrite Ec. nra.
Qed.

(* It brings every vector closer to every vector of the ball, ... *)
Lemma ball_proj_closer B u v :
  0 <= B -> in_ball B v -> norm2 (vsub (ball_proj B u) v) <= norm2 (vsub u v).
Proof.
  intros HB Hv. pose proof (ball_proj_obtuse B u v HB Hv) as O.
  set (p := ball_proj B u) in *.
  pose proof (norm2_nonneg (vsub u p)) as N.
  rewrite norm2_sub in *. rewrite dot_sub_l, !dot_sub_r in O. fold (norm2 p) in O.
  rewrite norm2_sub in *. lra.
Qed.

(* ... and never moves two vectors apart. *)
Lemma ball_proj_nonexpansive B u v :
  0 <= B -> norm2 (vsub (ball_proj B u) (ball_proj B v)) <= norm2 (vsub u v).
Proof.
  intros HB.
  pose proof (ball_proj_obtuse B u (ball_proj B v) HB (ball_proj_in B v HB)) as O1.
  pose proof (ball_proj_obtuse B v (ball_proj B u) HB (ball_proj_in B u HB)) as O2.
  set (p := ball_proj B u) in *. set (q := ball_proj B v) in *.
  pose proof (norm2_nonneg (vsub (vsub u v) (vsub p q))) as N.
  rewrite norm2_sub, dot_sub_l, !dot_sub_r in N.
  rewrite dot_sub_l, !dot_sub_r in O1, O2. rewrite !norm2_sub in *.
  fold (norm2 p) (norm2 q) in *.
  rewrite (dot_sym q p) in *. lra.
Qed.

(* One step of size eta: what the linearised loss of the round can be. *)
Lemma ogd_one_step B eta w g v :
  0 <= B -> 0 < eta -> in_ball B v ->
  dot g (vsub w v)
  <= (norm2 (vsub w v) - norm2 (vsub (ball_proj B (vsub w (vscal eta g))) v)) / (2 * eta)
     + eta / 2 * norm2 g.
Proof.
  intros HB He Hv.
  pose proof (ball_proj_closer B (vsub w (vscal eta g)) v HB Hv) as C.
  set (w' := ball_proj B _) in *.
  assert (E : norm2 (vsub (vsub w (vscal eta g)) v)
              = norm2 (vsub w v) - 2 * eta * dot g (vsub w v) + eta * eta * norm2 g).
  { unfold norm2. rewrite ?dot_sub_l, ?dot_sub_r, ?dot_scal_l, ?dot_scal_r.
    rewrite (dot_sym v w), (dot_sym w g), (dot_sym v g). ring. }
  rewrite E in C.
  apply Rmult_le_reg_l with (2 * eta); [lra|].
  replace (2 * eta * ((norm2 (vsub w v) - norm2 (vsub w' v)) / (2 * eta) + eta / 2 * norm2 g))
    with (norm2 (vsub w v) - norm2 (vsub w' v) + eta * eta * norm2 g) by (field; lra).
  lra.
Qed.

(* Two vectors of the ball are at most 2B apart. *)
Lemma ball_diameter B u v :
  in_ball B u -> in_ball B v -> norm2 (vsub u v) <= 4 * (B * B).
Proof.
  unfold in_ball. intros Hu Hv.
  assert (N : 0 <= norm2 (vsub u (vscal (-1) v))) by apply norm2_nonneg.
  rewrite norm2_sub in *. unfold norm2 in N at 2. rewrite !dot_scal_r, dot_scal_l in N.
  fold (norm2 v) in N. lra.
Qed.

(* The step sizes may fall: the potential pays for it. *)
Lemma ogd_potential B eta eta' w g v acc :
  0 <= B -> 0 < eta' -> eta' <= eta -> in_ball B w -> in_ball B v ->
  acc <= 2 * (B * B) / eta - norm2 (vsub w v) / (2 * eta) ->
  acc + dot g (vsub w v)
  <= 2 * (B * B) / eta'
     - norm2 (vsub (ball_proj B (vsub w (vscal eta' g))) v) / (2 * eta')
     + eta' / 2 * norm2 g.
Proof.
  intros HB He L Hw Hv A.
  pose proof (ogd_one_step B eta' w g v HB He Hv) as S.
  pose proof (ball_diameter B w v Hw Hv) as D.
  set (w' := ball_proj B _) in *.
  assert (K : (4 * (B * B) - norm2 (vsub w v)) / (2 * eta)
              <= (4 * (B * B) - norm2 (vsub w v)) / (2 * eta')).
  { apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  replace ((4 * (B * B) - norm2 (vsub w v)) / (2 * eta))
    with (2 * (B * B) / eta - norm2 (vsub w v) / (2 * eta)) in K by (field; lra).
  replace ((4 * (B * B) - norm2 (vsub w v)) / (2 * eta'))
    with (2 * (B * B) / eta' - norm2 (vsub w v) / (2 * eta')) in K by (field; lra).
  replace ((norm2 (vsub w v) - norm2 (vsub w' v)) / (2 * eta'))
    with (norm2 (vsub w v) / (2 * eta') - norm2 (vsub w' v) / (2 * eta')) in S by (field; lra).
  lra.
Qed.

(* claim: ogd-inequality *)
Theorem projected_ogd (B : R) (T : nat) (eta : nat -> R) (w g : nat -> I -> R)
    (f : nat -> (I -> R) -> R) (v : I -> R) :
  0 <= B -> (1 <= T)%nat ->
  (forall t, (1 <= t <= T)%nat -> 0 < eta t) ->
  (forall t, (1 <= t < T)%nat -> eta (S t) <= eta t) ->
  in_ball B (w 1%nat) -> in_ball B v ->
  (forall t, (1 <= t <= T)%nat -> w (S t) = ball_proj B (vsub (w t) (vscal (eta t) (g t)))) ->
  (forall t u, (1 <= t <= T)%nat -> f t (w t) + dot (g t) (vsub u (w t)) <= f t u) ->
  sum (seq 1 T) (fun t => f t (w t) - f t v)
  <= 2 * (B * B) / eta T + 1 / 2 * sum (seq 1 T) (fun t => eta t * norm2 (g t)).
Proof.
  intros HB HT Hpos Hdec Hw1 Hv Hstep Hsub.
  assert (Hball : forall t, (1 <= t <= T)%nat -> in_ball B (w t)).
  { intros t Ht. destruct t as [|t]; [lia|]. destruct t as [|t]; auto.
    rewrite Hstep by lia. apply ball_proj_in; auto. }
  assert (P : forall k, (S k <= T)%nat ->
    sum (seq 1 (S k)) (fun t => f t (w t) - f t v)
    <= 2 * (B * B) / eta (S k) - norm2 (vsub (w (S (S k))) v) / (2 * eta (S k))
       + 1 / 2 * sum (seq 1 (S k)) (fun t => eta t * norm2 (g t))).
  { assert (X : forall t, (1 <= t <= T)%nat -> f t (w t) - f t v <= dot (g t) (vsub (w t) v)).
    { intros t Ht. specialize (Hsub t v Ht). rewrite dot_sub_r in *. lra. }
    induction k as [|k IH]; intros Hk.
    - simpl. specialize (X 1%nat ltac:(lia)). rewrite (Hstep 1%nat) by lia.
      assert (A : 0 <= 2 * (B * B) / eta 1%nat - norm2 (vsub (w 1%nat) v) / (2 * eta 1%nat)).
      { pose proof (ball_diameter B (w 1%nat) v Hw1 Hv). specialize (Hpos 1%nat ltac:(lia)).
        replace (2 * (B * B) / eta 1%nat - norm2 (vsub (w 1%nat) v) / (2 * eta 1%nat))
          with ((4 * (B * B) - norm2 (vsub (w 1%nat) v)) * / (2 * eta 1%nat)) by (field; lra).
        apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra. }
      pose proof (ogd_potential B (eta 1%nat) (eta 1%nat) (w 1%nat) (g 1%nat) v 0 HB
        (Hpos 1%nat ltac:(lia)) ltac:(lra) Hw1 Hv A). lra.
    - specialize (IH ltac:(lia)).
      rewrite seq_S, !sum_app, !sum_cons, !sum_nil. replace (1 + S k)%nat with (S (S k)) by lia.
      set (s := sum (seq 1 (S k)) (fun t => f t (w t) - f t v)) in *.
      set (n := sum (seq 1 (S k)) (fun t => eta t * norm2 (g t))) in *.
      specialize (X (S (S k)) ltac:(lia)). rewrite (Hstep (S (S k))) by lia.
      assert (A : s - 1 / 2 * n <= 2 * (B * B) / eta (S k)
                  - norm2 (vsub (w (S (S k))) v) / (2 * eta (S k))) by lra.
      pose proof (ogd_potential B (eta (S k)) (eta (S (S k))) (w (S (S k))) (g (S (S k))) v
        (s - 1 / 2 * n) HB (Hpos (S (S k)) ltac:(lia)) (Hdec (S k) ltac:(lia))
        (Hball (S (S k)) ltac:(lia)) Hv A). lra. }
  destruct T as [|k]; [lia|]. specialize (P k ltac:(lia)).
  assert (Q : 0 <= norm2 (vsub (w (S (S k))) v) / (2 * eta (S k))).
  { apply Rmult_le_pos; [apply norm2_nonneg|]. left. apply Rinv_0_lt_compat.
    specialize (Hpos (S k) ltac:(lia)). lra. }
  lra.
Qed.

End Euclid.
