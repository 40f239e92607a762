(* Linear algebra for the impossibility theorem, without matrices: systems with fewer equations than
   unknowns, independent families, and losses that are affine on the minimisers at the tie and
   determine the class part of a minimiser up to a shift (up to a line, if they are not shift
   invariant). No claim of its own. *)

From Coq Require Import Reals List Lra Psatz Arith Lia Classical.
From Deferlab Require Import Sums Impossibility.
Import ListNotations.
Open Scope R_scope.

Lemma nonneg_sum_pos {Y} (l : list Y) (f : Y -> R) :
  (forall y, In y l -> 0 <= f y) -> ~ sum l f = 0 -> 0 < sum l f.
Proof. intros H N. pose proof (sum_nonneg l f H). lra. Qed.

(* Fewer equations than vectors: coefficients that are not all zero. *)
Lemma dependent {Y : Type} : forall (rows : list (Y -> R)) (vs : list Y),
  (length rows < length vs)%nat ->
  exists ws : list (R * Y), map snd ws = vs /\ (exists w, In w ws /\ fst w <> 0) /\
  forall row, In row rows -> sum ws (fun w => fst w * row (snd w)) = 0.
Proof.
  intros rows. remember (length rows) as m eqn:Em. revert rows Em.
  induction m as [|m IH]; intros rows Em vs H.
  - destruct rows; [|discriminate]. exists (map (fun v => (1, v)) vs). split; [|split].
    + rewrite map_map. simpl. apply map_id.
    + destruct vs as [|v vs]; simpl in H; [lia|]. exists (1, v). simpl. split; [auto|lra].
    + intros row [].
  - destruct rows as [|row rest]; [discriminate|]. simpl in Em. injection Em as Em.
    destruct (classic (exists p, In p vs /\ row p <> 0)) as [[p [Hp Np]]|Z].
    + apply in_split in Hp. destruct Hp as [l1 [l2 ->]].
      destruct (IH (map (fun r v => r v - r p / row p * row v) rest)
                  ltac:(rewrite map_length; auto) (l1 ++ l2)) as [ws [Ew [[w [Hw Nw]] Hr]]].
      { rewrite app_length in *. simpl in H. lia. }
      apply map_eq_app in Ew. destruct Ew as [w1 [w2 [-> [E1 E2]]]].
      set (x := - (sum (w1 ++ w2) (fun w => fst w * row (snd w))) / row p).
      exists (w1 ++ (x, p) :: w2). split; [|split].
      * rewrite map_app. simpl. rewrite E1, E2. reflexivity.
      * exists w. split; auto. apply in_app_or in Hw. apply in_or_app. simpl. tauto.
      * assert (Sx : forall r : Y -> R, sum (w1 ++ (x, p) :: w2) (fun w => fst w * r (snd w))
                     = sum (w1 ++ w2) (fun w => fst w * r (snd w)) + x * r p).
        { intros r. rewrite !sum_app. simpl. ring. }
        intros r [<-|Hr'].
        -- rewrite Sx. unfold x. field. auto.
        -- rewrite Sx.
           specialize (Hr (fun v => r v - r p / row p * row v)
             ltac:(apply in_map_iff; exists r; auto)).
           cbv beta in Hr.
           rewrite (sum_ext (w1 ++ w2) _ (fun w => fst w * r (snd w)
             - r p / row p * (fst w * row (snd w)))) in Hr by (intros; ring).
           rewrite sum_minus, sum_scal in Hr.
           assert (Q : x * r p = - (r p / row p * sum (w1 ++ w2) (fun w => fst w * row (snd w)))).
           { unfold x. field. auto. }
           lra.
    + destruct (IH rest Em vs ltac:(lia)) as [ws [Ew [Nz Hr]]]. exists ws.
      split; auto. split; auto. intros r [<-|Hr']; auto.
      apply sum_zero. intros w Hw.
      assert (E : row (snd w) = 0).
      { apply NNPP. intros N. apply Z. exists (snd w). split; auto. rewrite <- Ew.
        apply in_map. auto. }
      rewrite E. ring.
Qed.

(* Coefficients on distinct coordinates as a function. *)
Lemma as_function (ws : list (R * nat)) :
  NoDup (map snd ws) -> exists c : nat -> R, forall w, In w ws -> c (snd w) = fst w.
Proof.
  induction ws as [|[x a] ws IH]; simpl; intros N.
  - exists (fun _ => 0). intros w [].
  - inversion N as [|? ? Na Nw]; subst. destruct (IH Nw) as [c Hc].
    exists (fun b => if Nat.eqb b a then x else c b). intros w [<-|Hw]; simpl.
    + rewrite Nat.eqb_refl. auto.
    + destruct (Nat.eqb_spec (snd w) a) as [E|]; auto. exfalso. apply Na. rewrite <- E.
      apply in_map. auto.
Qed.

(* A family in triangular position: for every member a functional that kills all later ones but not
   itself. *)
Section Family.
Context {Y : Type}.
Variable J : list nat.
Hypothesis NJ : NoDup J.
Variable zf : Y -> nat -> R.

Definition pairing (c : nat -> R) (y : Y) : R := sum J (fun a => c a * zf y a).

Fixpoint triangular (zs : list Y) : Prop :=
  match zs with
  | [] => True
  | z :: rest => triangular rest /\
      exists c, (forall z', In z' rest -> pairing c z' = 0) /\ pairing c z <> 0
  end.

Lemma triangular_exists (Z : Y -> Prop) :
  (forall c, (exists a, In a J /\ c a <> 0) -> sum J c = 0 -> exists z, Z z /\ pairing c z <> 0) ->
  forall k, (k < length J)%nat ->
  exists zs, length zs = k /\ (forall z, In z zs -> Z z) /\ triangular zs.
Proof.
  intros H. induction k as [|k IH]; intros Hk.
  - exists []. simpl. split; auto. split; [intros z []|auto].
  - destruct IH as [zs [Lz [Hz Tz]]]; [lia|].
    destruct (dependent ((fun _ => 1) :: map zf zs) J) as [ws [Ew [[w [Hw Nw]] Hr]]].
    { simpl. rewrite map_length, Lz. auto. }
    destruct (as_function ws) as [c Hc]; [rewrite Ew; auto|].
    assert (Sc : forall r : nat -> R, sum J (fun a => c a * r a) = sum ws (fun w => fst w * r (snd w))).
    { intros r. rewrite <- Ew, sum_map. apply sum_ext. intros v Hv. rewrite (Hc v Hv). auto. }
    destruct (H c) as [z [Zz Nz]].
    + exists (snd w). split; [rewrite <- Ew; apply in_map; auto|]. rewrite (Hc w Hw). auto.
    + rewrite (sum_ext J c (fun a => c a * 1)) by (intros; ring).
      rewrite (Sc (fun _ => 1)). apply (Hr (fun _ => 1)). left. auto.
    + exists (z :: zs). simpl. split; [auto|]. split; [intros z' [<-|Hz']; auto|].
      split; auto. exists c. split; auto. intros z' Hz'. unfold pairing. rewrite (Sc (zf z')).
      apply Hr. right. apply in_map. auto.
Qed.

Lemma triangular_independent (ws : list (R * Y)) :
  triangular (map snd ws) -> (forall a, In a J -> sum ws (fun w => fst w * zf (snd w) a) = 0) ->
  forall w, In w ws -> fst w = 0.
Proof.
  induction ws as [|[x z] ws IH]; simpl; intros T E; [tauto|].
  destruct T as [T [c [Kill Nz]]].
  assert (X : x = 0).
  { assert (S0 : sum J (fun a => c a * (x * zf z a + sum ws (fun w => fst w * zf (snd w) a))) = 0).
    { apply sum_zero. intros a Ha. rewrite (E a Ha). ring. }
    rewrite (sum_ext J _ (fun a => x * (c a * zf z a) + sum ws (fun w => fst w * (c a * zf (snd w) a)))) in S0.
    - rewrite sum_plus, sum_scal, sum_swap in S0. fold (pairing c z) in S0.
      rewrite (sum_zero ws) in S0.
      + assert (x * pairing c z = 0) by lra. apply Rmult_integral in H. tauto.
      + intros w Hw. rewrite sum_scal.
        specialize (Kill (snd w) ltac:(apply in_map; auto)). unfold pairing in Kill.
        rewrite Kill. ring.
    - intros a _. rewrite Rmult_plus_distr_l, <- sum_scal. f_equal; [ring|].
      apply sum_ext. intros. ring. }
  intros w [<-|Hw]; [auto|]. apply IH; auto. intros a Ha. specialize (E a Ha). rewrite X in E. lra.
Qed.
End Family.

(* Minimisers at given scores: means of them are minimisers, losses are affine on them. *)
Section Means.
Variables (D : (nat -> R) -> Prop) (acts : list nat) (phi : nat -> (nat -> R) -> R) (s : nat -> R).
Hypothesis CD : convex_set D.
Hypothesis Cf : forall a, In a acts -> convex_on D (phi a).
Hypothesis Ps : forall a, In a acts -> 0 < s a.
(* The losses see the scores of acts only; in places, only up to a shift. *)
Hypothesis local : forall a u v, In a acts -> (forall c, In c acts -> v c = u c) -> phi a v = phi a u.
Definition shift_invariant : Prop :=
  forall a u v k, In a acts -> (forall c, In c acts -> v c = u c + k) -> phi a v = phi a u.

Let O := minimises acts phi D s.

Lemma combination_minimises t u v w :
  0 <= t <= 1 -> O u -> O v -> combination t u v w -> O w.
Proof.
  intros Ht Ou Ov Cw. split.
  - apply (CD t u v w); auto; [apply Ou|apply Ov].
  - intros z Dz. destruct Ou as [Du Mu]. destruct Ov as [Dv Mv].
    assert (E : total acts phi s w = t * total acts phi s u + (1 - t) * total acts phi s v).
    { unfold total. rewrite <- !sum_scal, <- sum_plus. apply sum_ext. intros a Ha.
      rewrite (affine_on_minimisers acts phi D s t u v w CD Cf Ps Ht (conj Du Mu) (conj Dv Mv) Cw a Ha).
      ring. }
    rewrite E. specialize (Mu z Dz). specialize (Mv z Dz). nra.
Qed.

Lemma mean_minimises (ws : list (R * (nat -> R))) :
  (forall w, In w ws -> 0 <= fst w /\ O (snd w)) -> 0 < sum ws fst ->
  forall X, (forall c, X c = sum ws (fun w => fst w * snd w c) / sum ws fst) ->
  O X /\ forall b, In b acts -> phi b X = sum ws (fun w => fst w * phi b (snd w)) / sum ws fst.
Proof.
  induction ws as [|[t u] ws IH]; simpl; intros H P X EX; [lra|].
  destruct (H (t, u) (or_introl eq_refl)) as [Pt Ou]. simpl in Pt, Ou.
  assert (H' : forall w, In w ws -> 0 <= fst w /\ O (snd w)) by auto.
  assert (Pw : 0 <= sum ws fst) by (apply sum_nonneg; intros w Hw; apply H'; auto).
  destruct (Req_dec (sum ws fst) 0) as [Z|N].
  - assert (Z' : forall w, In w ws -> fst w = 0).
    { apply sum_nonneg_zero; auto. intros w Hw. apply H'; auto. }
    assert (Zs : forall g : (nat -> R) -> R, sum ws (fun w => fst w * g (snd w)) = 0).
    { intros g. apply sum_zero. intros w Hw. rewrite (Z' w Hw). ring. }
    assert (Cx : combination 1 u u X).
    { intros c. rewrite EX, (Zs (fun v => v c)), Z. field. lra. }
    split; [apply (combination_minimises 1 u u X); auto; lra|].
    intros b Hb. rewrite (Zs (phi b)), Z.
    rewrite (affine_on_minimisers acts phi D s 1 u u X CD Cf Ps ltac:(lra) Ou Ou Cx b Hb). field. lra.
  - assert (Pw' : 0 < sum ws fst) by lra.
    set (W := sum ws fst) in *.
    destruct (IH H' Pw' (fun c => sum ws (fun w => fst w * snd w c) / W)) as [OY EY]; [auto|].
    set (Y := fun c => sum ws (fun w => fst w * snd w c) / W) in *.
    assert (Ht : 0 <= t / (t + W) <= 1).
    { assert (t / (t + W) * (t + W) = t) by (field; lra).
      assert (0 <= t / (t + W)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]).
      split; [auto|]. nra. }
    assert (Cx : combination (t / (t + W)) u Y X).
    { intros c. rewrite EX. unfold Y. field. lra. }
    split; [apply (combination_minimises (t / (t + W)) u Y X); auto|].
    intros b Hb.
    rewrite (affine_on_minimisers acts phi D s _ u Y X CD Cf Ps Ht Ou OY Cx b Hb), (EY b Hb). field. lra.
Qed.

(* A relation between differences of minimisers, up to a shift, passes to their losses. *)
Lemma relation_passes (ws : list (R * ((nat -> R) * (nat -> R)))) k :
  k = 0 \/ shift_invariant ->
  (forall w, In w ws -> O (fst (snd w)) /\ O (snd (snd w))) ->
  (forall a, In a acts -> sum ws (fun w => fst w * (fst (snd w) a - snd (snd w) a)) = k) ->
  forall b, In b acts -> sum ws (fun w => fst w * (phi b (fst (snd w)) - phi b (snd (snd w)))) = 0.
Proof.
  (* Make the coefficients nonnegative. *)
  set (flip := fun w : R * ((nat -> R) * (nat -> R)) =>
    if Rle_dec 0 (fst w) then w else (- fst w, (snd (snd w), fst (snd w)))).
  intros Sh HO HE b Hb.
  assert (F : forall g : (nat -> R) -> R,
    sum (map flip ws) (fun w => fst w * (g (fst (snd w)) - g (snd (snd w))))
    = sum ws (fun w => fst w * (g (fst (snd w)) - g (snd (snd w))))).
  { intros g. rewrite sum_map. apply sum_ext. intros w _. unfold flip.
    destruct (Rle_dec 0 (fst w)); simpl; ring. }
  assert (P : forall w, In w (map flip ws) -> 0 <= fst w /\ O (fst (snd w)) /\ O (snd (snd w))).
  { intros w Hw. apply in_map_iff in Hw. destruct Hw as [w' [<- Hw']]. destruct (HO w' Hw').
    unfold flip. destruct (Rle_dec 0 (fst w')); simpl; split; auto; lra. }
  rewrite <- (F (phi b)).
  assert (HE' : forall a, In a acts ->
    sum (map flip ws) (fun w => fst w * (fst (snd w) a - snd (snd w) a)) = k).
  { intros a Ha. rewrite (F (fun u => u a)). auto. }
  clear F HE HO. set (vs := map flip ws) in *. clearbody vs. clear ws flip.
  destruct (Req_dec (sum vs fst) 0) as [Z|N].
  - apply sum_zero. intros w Hw.
    assert (E : fst w = 0) by (apply (sum_nonneg_zero vs fst); auto; intros v Hv; apply P; auto).
    rewrite E. ring.
  - assert (W : 0 < sum vs fst) by (apply nonneg_sum_pos; auto; intros w Hw; apply P; auto).
    set (X := fun c => sum vs (fun w => fst w * fst (snd w) c) / sum vs fst).
    set (Y := fun c => sum vs (fun w => fst w * snd (snd w) c) / sum vs fst).
    assert (EX : phi b X = sum vs (fun w => fst w * phi b (fst (snd w))) / sum vs fst).
    { pose proof (mean_minimises (map (fun w => (fst w, fst (snd w))) vs)) as M.
      rewrite sum_map in M. simpl in M.
      destruct (M) with (X := X) as [_ E]; auto.
      - intros w Hw. apply in_map_iff in Hw. destruct Hw as [v [<- Hv]]. simpl.
        destruct (P v Hv) as [? [? ?]]. auto.
      - intros c. rewrite sum_map. reflexivity.
      - rewrite (E b Hb), sum_map. reflexivity. }
    assert (EY : phi b Y = sum vs (fun w => fst w * phi b (snd (snd w))) / sum vs fst).
    { pose proof (mean_minimises (map (fun w => (fst w, snd (snd w))) vs)) as M.
      rewrite sum_map in M. simpl in M.
      destruct (M) with (X := Y) as [_ E]; auto.
      - intros w Hw. apply in_map_iff in Hw. destruct Hw as [v [<- Hv]]. simpl.
        destruct (P v Hv) as [? [? ?]]. auto.
      - intros c. rewrite sum_map. reflexivity.
      - rewrite (E b Hb), sum_map. reflexivity. }
    assert (S : phi b X = phi b Y).
    { assert (XY : forall a, In a acts -> X a = Y a + k / sum vs fst);
        [|destruct Sh as [->|Sh]; [|apply (Sh b Y X (k / sum vs fst) Hb XY)];
          apply (local b Y X Hb); intros a Ha; rewrite (XY a Ha); field; lra].
      intros a Ha. unfold X, Y. rewrite <- (HE' a Ha).
      rewrite (sum_ext vs (fun w => fst w * (fst (snd w) a - snd (snd w) a))
        (fun w => fst w * fst (snd w) a - fst w * snd (snd w) a)) by (intros; ring).
      rewrite sum_minus. field. lra. }
    rewrite EX, EY in S.
    rewrite (sum_ext vs (fun w => fst w * (phi b (fst (snd w)) - phi b (snd (snd w))))
      (fun w => fst w * phi b (fst (snd w)) - fst w * phi b (snd (snd w)))) by (intros; ring).
    rewrite sum_minus. apply Rmult_eq_compat_r with (r := sum vs fst) in S.
    unfold Rdiv in S. rewrite !Rmult_assoc, Rinv_l, !Rmult_1_r in S by lra. lra.
Qed.

(* If no direction c with sum zero has <c, phi> constant on the minimisers, the losses determine a
   minimiser up to a shift. *)
Lemma losses_determine :
  shift_invariant -> NoDup acts -> (2 <= length acts)%nat ->
  (forall c, (exists a, In a acts /\ c a <> 0) -> sum acts c = 0 ->
     exists u v, O u /\ O v /\ sum acts (fun a => c a * (phi a u - phi a v)) <> 0) ->
  forall x y, O x -> O y -> (forall b, In b acts -> phi b x = phi b y) ->
  exists k, forall a, In a acts -> x a = y a + k.
Proof.
  intros Sh N L2 NC x y Ox Oy E.
  set (zf := fun (w : (nat -> R) * (nat -> R)) a => phi a (fst w) - phi a (snd w)).
  destruct (triangular_exists acts N zf (fun w => O (fst w) /\ O (snd w))) with (k := (length acts - 1)%nat)
    as [zs [Lz [Hz Tz]]].
  { intros c Nc Sc. destruct (NC c Nc Sc) as [u [v [Ou [Ov Nz]]]]. exists (u, v). auto. }
  { lia. }
  destruct (dependent (map (fun a (w : (nat -> R) * (nat -> R)) => fst w a - snd w a) acts)
    ((fun _ => 1, fun _ => 0) :: (x, y) :: zs)) as [ws [Ew [[w0 [Hw0 Nw0]] Hr]]].
  { simpl. rewrite map_length, Lz. lia. }
  destruct ws as [|[m0 p0] [|[m1 p1] wt]]; try discriminate. simpl in Ew.
  injection Ew as E0 E1 Et. subst p0 p1.
  assert (R : forall a, In a acts ->
    m0 + m1 * (x a - y a) + sum wt (fun w => fst w * (fst (snd w) a - snd (snd w) a)) = 0).
  { intros a Ha.
    specialize (Hr (fun w => fst w a - snd w a) ltac:(apply in_map_iff; exists a; auto)).
    simpl in Hr. lra. }
  assert (Z : forall w, In w wt -> fst w = 0).
  { apply (triangular_independent acts zf wt); [rewrite Et; auto|].
    intros b Hb.
    pose proof (relation_passes ((m1, (x, y)) :: wt) (- m0)) as RP. simpl in RP.
    specialize (RP (or_intror Sh)).
    specialize (RP ltac:(intros w [<-|Hw]; simpl; auto; apply Hz; rewrite <- Et; apply in_map; auto)).
    specialize (RP ltac:(intros a Ha; specialize (R a Ha); lra) b Hb).
    rewrite (E b Hb) in RP. unfold zf. lra. }
  assert (R' : forall a, In a acts -> m0 + m1 * (x a - y a) = 0).
  { intros a Ha. specialize (R a Ha). rewrite (sum_zero wt) in R; [lra|].
    intros w Hw. rewrite (Z w Hw). ring. }
  destruct acts as [|a0 acts']; [simpl in L2; lia|].
  destruct (Req_dec m1 0) as [M1|M1].
  - exfalso. specialize (R' a0 (or_introl eq_refl)). subst m1.
    assert (M0 : m0 = 0) by lra. destruct Hw0 as [<-|[<-|Hw0]]; simpl in Nw0; auto.
  - exists (- m0 / m1). intros a Ha. specialize (R' a Ha).
    assert (Q : x a - y a = - m0 / m1); [|lra].
    apply Rmult_eq_reg_l with m1; auto. field_simplify; lra.
Qed.

(* Without shift invariance one dimension is left: minimisers with the same losses lie on a line. *)
Lemma losses_leave_a_line :
  NoDup acts -> (2 <= length acts)%nat ->
  (forall c, (exists a, In a acts /\ c a <> 0) -> sum acts c = 0 ->
     exists u v, O u /\ O v /\ sum acts (fun a => c a * (phi a u - phi a v)) <> 0) ->
  forall x y x' y', O x -> O y -> O x' -> O y' -> (forall b, In b acts -> phi b x = phi b y) ->
  (forall b, In b acts -> phi b x' = phi b y') ->
  exists p q, (p <> 0 \/ q <> 0) /\ forall a, In a acts -> p * (x a - y a) + q * (x' a - y' a) = 0.
Proof.
  intros N L2 NC x y x' y' Ox Oy Ox' Oy' E E'.
  set (zf := fun (w : (nat -> R) * (nat -> R)) a => phi a (fst w) - phi a (snd w)).
  destruct (triangular_exists acts N zf (fun w => O (fst w) /\ O (snd w))) with (k := (length acts - 1)%nat)
    as [zs [Lz [Hz Tz]]].
  { intros c Nc Sc. destruct (NC c Nc Sc) as [u [v [Ou [Ov Nz]]]]. exists (u, v). auto. }
  { lia. }
  destruct (dependent (map (fun a (w : (nat -> R) * (nat -> R)) => fst w a - snd w a) acts)
    ((x, y) :: (x', y') :: zs)) as [ws [Ew [[w0 [Hw0 Nw0]] Hr]]].
  { simpl. rewrite map_length, Lz. lia. }
  destruct ws as [|[m0 p0] [|[m1 p1] wt]]; try discriminate. simpl in Ew.
  injection Ew as E0 E1 Et. subst p0 p1.
  assert (R : forall a, In a acts ->
    m0 * (x a - y a) + m1 * (x' a - y' a) + sum wt (fun w => fst w * (fst (snd w) a - snd (snd w) a)) = 0).
  { intros a Ha.
    specialize (Hr (fun w => fst w a - snd w a) ltac:(apply in_map_iff; exists a; auto)).
    simpl in Hr. lra. }
  assert (Z : forall w, In w wt -> fst w = 0).
  { apply (triangular_independent acts zf wt); [rewrite Et; auto|].
    intros b Hb.
    pose proof (relation_passes ((m0, (x, y)) :: (m1, (x', y')) :: wt) 0 (or_introl eq_refl)) as RP.
    simpl in RP.
    specialize (RP ltac:(intros w [<-|[<-|Hw]]; simpl; auto; apply Hz; rewrite <- Et; apply in_map; auto)).
    specialize (RP ltac:(intros a Ha; specialize (R a Ha); lra) b Hb).
    rewrite (E b Hb), (E' b Hb) in RP. unfold zf. lra. }
  exists m0, m1. split.
  - destruct Hw0 as [<-|[<-|Hw0]]; simpl in Nw0; auto.
  - intros a Ha. specialize (R a Ha). rewrite (sum_zero wt) in R; [lra|].
    intros w Hw. rewrite (Z w Hw). ring.
Qed.
End Means.
