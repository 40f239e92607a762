//! The faults. To add one: a line here, and the place where it bites, in the saboteur or in its
//! round.

macro_rules! faults {
    ($($variant:ident $name:literal $what:literal;)*) => {
        /// One deliberate fault.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Fault {
            $(#[doc = $what] $variant,)*
        }

        impl Fault {
            /// All of them.
            pub(crate) const ALL: &[Fault] = &[$(Fault::$variant),*];

            /// Short name.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Fault::$variant => $name,)* }
            }

            /// What is wrong, in a few words.
            pub(crate) fn what(self) -> &'static str {
                match self { $(Fault::$variant => $what,)* }
            }
        }
    };
}

faults! {
    // Decisions
    UnavailableLeaks "unavailable-leaks" "the first absent expert is active all the same";
    ScoresNotProjected "scores-not-projected" "scores are not centred";
    ScoreMeanOverAll "score-mean-over-all" "scores are centred by the mean over all rows";
    StaleScores "stale-scores" "q is made from the scores of the round before";
    GreedyWorst "greedy-worst" "the action with the lowest score is greedy";
    GreedyClass "greedy-class" "only classes can be greedy";
    TiesToHighest "ties-to-highest" "ties go to the highest index";
    ShareOfAll "share-of-all" "each action is explored with gamma/N, the greedy one takes the rest";
    ExploresAll "explores-all" "exploration is spread over all N actions, absent ones too";
    GammaConstant "gamma-constant" "gamma stays at 1/2";
    GammaRoot "gamma-root" "gamma falls as t^-1/2 where it should fall as t^-1/3";
    GammaUncapped "gamma-uncapped" "gamma is capped at 1, not at 1/2";
    // Estimate
    NoImportanceWeight "no-importance-weight" "1/q is left out";
    ExplorationWeight "exploration-weight" "the greedy action, too, is weighted by K/gamma";
    ClippedWeight "clipped-weight" "1/q is clipped at 5";
    CostAsReward "cost-as-reward" "an expert counts c instead of 1 - c";
    CostUnnormalised "cost-unnormalised" "the cost is scaled back by 1.1 before it is used";
    ExpertNeedsBit "expert-needs-bit" "an expert counts only when its answer was right";
    CorrectnessIgnored "correctness-ignored" "a class counts when it was wrong, too";
    CorrectnessInverted "correctness-inverted" "a class counts only when it was wrong";
    SkipsExperts "skips-experts" "no step on rounds that asked an expert";
    WrongExpertRow "wrong-expert-row" "the outcome of an expert goes to the next active action";
    NoTwoActionRule "no-two-action-rule" "two actions are importance-weighted like any other number";
    TwoActionRuleAlways "two-action-rule-always" "two classes use the exact rule with experts, too";
    FullExplores "full-explores" "full feedback explores";
    FullAbsentExperts "full-absent-experts" "full feedback counts the costs of absent experts";
    FullForgetsExperts "full-forgets-experts" "full feedback uses the label only";
    // Gradient
    NotProjected "not-projected" "the gradient is not centred";
    GradientMeanOverAll "gradient-mean-over-all" "the gradient is centred by its mean over all N rows";
    AbsentRowsCentred "absent-rows-centred" "the mean is taken away from absent rows, too";
    AbsentRowsDecay "absent-rows-decay" "rows of absent experts shrink by 0.1 %";
    TargetCounted "target-counted" "the hinge of the target itself is in the sum";
    KinkOne "kink-one" "the coefficient at the kink is 1";
    HingeSign "hinge-sign" "the hinge is 1 - u instead of 1 + u";
    BiasMissing "bias-missing" "the bias is not learned";
    LateInput "late-input" "the step is taken along the next input";
    // Step
    StepSign "step-sign" "the step goes up";
    ScheduleBehind "schedule-behind" "rates of round t - 1";
    ScheduleAhead "schedule-ahead" "rates of round t + 1";
    EtaConstant "eta-constant" "the learning rate stays as in round 1";
    EtaOfActive "eta-of-active" "the learning rate counts the active actions instead of all N";
    EtaWithoutRho "eta-without-rho" "rho is left out of the learning rate";
    RoundWraps "round-wraps" "the round counter has eight bits";
    AdagradNoRoot "adagrad-no-root" "AdaGrad divides by the sum of squares, not by its root";
    AdagradUnprojected "adagrad-unprojected" "AdaGrad adds up squares of the uncentred gradient";
    AdagradPerRow "adagrad-per-row" "AdaGrad keeps one sum for a whole row";
    AdagradOwnGamma "adagrad-own-gamma" "AdaGrad explores as the schedule says, not as the experiments do";
    AdagradNoBall "adagrad-no-ball" "AdaGrad leaves out the ball";
    AdagradLate "adagrad-late" "AdaGrad divides before it adds the new square";
    SinglePrecision "single-precision" "weights are kept in single precision";
    // Ball
    NoBall "no-ball" "the ball is left out";
    BallWithoutBias "ball-without-bias" "the norm leaves out the bias";
    BallByRow "ball-by-row" "each row is projected on a ball of radius B/sqrt N";
    BallActiveRows "ball-active-rows" "the projection on the ball scales active rows only";
    BallSquared "ball-squared" "the projection divides by the square of the norm";
    StaleNorm "stale-norm" "the norm is updated as if the step were orthogonal to W";
    // Far from the usual
    WideTail "wide-tail" "features beyond the 64th are left out of the scores";
    WideBias "wide-bias" "the bias is not learned with more than 200 features";
    HugeClipped "huge-clipped" "features above 1000 in size are clipped";
    TinyDropped "tiny-dropped" "features below 1e-6 in size do not enter the step";
    NegativeInput "negative-input" "an input without a positive feature is taken as zero";
    SparseStep "sparse-step" "no step when nine of ten features are zero";
    ZeroInput "zero-input" "no step when all features are zero";
    CostCapped "cost-capped" "a cost above 0.96 counts as 0.96";
    CostFloored "cost-floored" "a cost below 0.04 counts as nothing";
    FreeExpert "free-expert" "an expert without cost is taken for one without answer";
    NinthExpert "ninth-expert" "experts beyond the eighth never learn";
    MaskBits "mask-bits" "experts are kept in 64 bits";
    ManyClasses "many-classes" "classes beyond the 32nd are never greedy";
    BigPoolMean "big-pool-mean" "with more than 20 active actions the mean is that of the first 20";
    TinyBall "tiny-ball" "a radius below 1e-4 is left out";
    LargeRho "large-rho" "rho above 50 counts as 50";
    GammaFloor "gamma-floor" "gamma never falls below 0.03";
    EtaFrozen "eta-frozen" "the learning rate stays as it is after round 20,000";
    RoundSixteen "round-sixteen" "the round counter has sixteen bits";
    HugeDim "huge-dim" "features beyond the 4096th are left out of the scores";
    FullHouse "full-house" "actions beyond the 120th never learn";
    VeryHuge "very-huge" "features above 1e7 in size are clipped";
    VeryTiny "very-tiny" "features below 1e-10 in size do not enter the step";
    RepeatedInput "repeated-input" "an input that comes twice in a row keeps the scores of the first time";
    CostHair "cost-hair" "a cost above 1 - 1e-6 counts as 1";
    LargeBall "large-ball" "a radius above 1e5 counts as 1e5";
    LongAbsence "long-absence" "an expert who is away for 200 rounds starts anew";
    LateAlone "late-alone" "after round 5,000 no step when nobody is available";
    AdagradForgets "adagrad-forgets" "AdaGrad's sums start anew every 2,000 rounds";
    FullFrozen "full-frozen" "with full feedback the learning rate stays as it is after round 1,000";
    CrowdedWide "crowded-wide" "with more than 10 experts and more than 150 features experts do not learn";
    RareBias "rare-bias" "with AdaGrad, full feedback and more than 30 features the bias is not learned";
    ConcentratedLate "concentrated-late" "after round 1,500 the concentrated schedule stays as it is";
    ExperimentLate "experiment-late" "after round 1,500 gradient steps explore as in that round";
    WideAdagrad "wide-adagrad" "AdaGrad leaves out features beyond the 700th";
    CrowdFull "crowd-full" "with full feedback and more than 80 actions experts do not learn";
    AdagradFullLate "adagrad-full-late" "with AdaGrad and full feedback sums stay after round 1,500";
    // Life
    WeightsSurvive "weights-survive" "a start with the same shape keeps W";
    RoundSurvives "round-survives" "a start keeps the round counter";
    SquaresSurvive "squares-survive" "a start with the same shape keeps AdaGrad's sums";
    LookingAdvances "looking-advances" "asking for the weights counts as a round";
    Dither "dither" "scores are dithered by 1e-7, differently every time";
    AcceptsAnything "accepts-anything" "an outcome without a decision is ignored instead of refused";
}

impl Fault {
    /// The fault called `name`.
    #[must_use]
    pub(crate) fn named(name: &str) -> Option<Fault> {
        Fault::ALL.iter().copied().find(|fault| fault.name() == name)
    }
}
