//! The settings of a learner in words, for captions.

use super::super::network_spec::Trained;
use super::RidgeCbSpec;
use super::kinds::PolicySettings;
use super::peers::GammaSpec;
use super::policies::{LearnerSpec, NetworkPolicySpec, Radius};
use super::questions::PolicySpec;
use learner::{Optimizer, Schedule};

impl PolicySpec {
    /// Its settings in words, where it is the paper's learner, one with its settings, or the ridge
    /// learner.
    pub(super) fn in_words(&self) -> Option<String> {
        let settings = match &self.settings {
            PolicySettings::Network(network) => of_network(network),
            PolicySettings::RidgeCb(ridge) => of_ridge(ridge),
            PolicySettings::Algorithm1(learner) | PolicySettings::ClassifierOnly(learner) => {
                of_learner(learner)
            }
            PolicySettings::Confidence(confidence) => of_learner(&confidence.learner),
            _ => return None,
        };
        Some(format!("{}: {settings}", self.label))
    }
}

fn rates(schedule: Schedule) -> String {
    match schedule {
        Schedule::General => "rates of Thm 6.3".into(),
        Schedule::Concentrated => "rates of Thm 6.5".into(),
        Schedule::Experiment { eta0, gamma0 } => {
            format!("eta_t = {eta0}/sqrt(t), gamma_t = min(1/2, {gamma0}/sqrt(t))")
        }
        Schedule::PowerLaw { eta0, eta_power, gamma0, gamma_power, gamma_max } => format!(
            "eta_t = {eta0} t^-{eta_power}, gamma_t = min({gamma_max}, {gamma0} t^-{gamma_power})"
        ),
    }
}

fn of_network(network: &NetworkPolicySpec) -> String {
    let start = if network.pretrained { "pre-trained" } else { "random initial" };
    let trained = match network.train {
        Trained::All => "every layer learns, batch norms keep their statistics",
        Trained::Head => "the last layer learns",
    };
    let rates = rates(network.schedule);
    format!("{start} weights, {trained}, no ball, {rates}, gradient steps, cstnd_hinge")
}

fn of_ridge(ridge: &RidgeCbSpec) -> String {
    let lambda = ridge.lambda.unwrap_or(1.0);
    let centred = if ridge.centred.unwrap_or(true) { "centred" } else { "plain" };
    let gamma = match ridge.gamma {
        None => "gamma_t = sqrt(t)".into(),
        Some(GammaSpec::Growing { c }) => format!("gamma_t = {c} sqrt(t)"),
        Some(GammaSpec::Horizon { .. }) => "one gamma for the horizon".into(),
    };
    format!("lambda = {lambda}, {centred} rewards, {gamma}")
}

fn of_learner(learner: &LearnerSpec) -> String {
    let radius = match learner.radius {
        Radius::Actions => "B = N".into(),
        Radius::None => "no ball".into(),
        Radius::Of(radius) => format!("B = {radius}"),
    };
    let rates = rates(learner.schedule);
    let step = match learner.optimizer {
        Optimizer::Ogd => "gradient steps".into(),
        Optimizer::Adagrad { rate, .. } => format!("AdaGrad {rate}"),
    };
    format!("{radius}, {rates}, {step}, {}", learner.surrogate)
}
