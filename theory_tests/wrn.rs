//! Networks: the whole path on a made-up image set, a linear scorer against Algorithm 1, and the
//! gradient of the estimate through a network against differences.
// A test binary has no outside: `pub` only says that other modules of it use an item.
#![allow(unreachable_pub)]

mod tiny_images;

use assert_cmd::Command;
use deferlab::lab::experiment::{NetworkConfig, Trained};
use deferlab::lab::stream::{Synthetic, SyntheticConfig};
use deferlab::lab::{Event, Observer, play};
use deferlab::learner::{Algorithm1, Config, Policy, Schedule};
use deferlab::learner::{ConfidentScorer, OnScorer, Scorer};
use deferlab::network::burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use deferlab::network::burn::nn::{Initializer, LinearConfig};
use deferlab::network::burn::tensor::{Device, Tensor};
use deferlab::network::{Learned, Network, WideResNet};
use deferlab::problem::{ActionSpace, ExpertCost, Features, Feedback};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::path::Path;

/// Networks calculate in 32 bits: scores of order one of a linear layer, after some hundred steps,
/// against the same in 64 bits. A step that is one part in a thousand off is a hundred times this.
const NETWORK_TWIN: f64 = 2e-5;

/// A gradient through a network of 32-bit numbers against central differences, relative, over
/// several directions: differences of 2e-3 have an error of a few parts in a thousand.
const NETWORK_SLOPE: f64 = 0.02;

const SCHEDULE: Schedule = Schedule::Experiment { eta0: 5e-3, gamma0: 10.0 };

const EXPERIMENT: &str = r#"
name = "tiny"
seed = 1
runs = 2
rounds = 60
checkpoints = { linear = 5 }

[[stream]]
name = "blobs"

[stream.cifar10h]
folder = "tiny"
answers = "tiny/counts.npy"
side = 8
classes = 3
noise_sigma = 0.06
noise_seed = 1
knows = [[0], [1, 2]]
cost = { alpha = 1.0, beta = 0.05 }

[network]
shape = { depth = 10, width = 1, stem_stride = 2 }
pretrain = { seed = 1, images = 128, epochs = 4, batch = 16, rate = 0.05, momentum = 0.9, decay = 1e-4, shift = 1 }

[[policy]]
name = "all"
network = { schedule = { name = "experiment", eta0 = 5e-3, gamma0 = 10.0 } }

[[policy]]
name = "head"
network = { train = "head", schedule = { name = "experiment", eta0 = 5e-3, gamma0 = 10.0 } }

[[policy]]
name = "random-start"
network = { pretrained = false, schedule = { name = "experiment", eta0 = 5e-3, gamma0 = 10.0 } }

[[policy]]
name = "confidence"
network_confidence = { threshold = 0.5 }

[[policy]]
name = "classifier"
network_confidence = { threshold = 0.0 }
"#;

fn deferlab(work: &Path, arguments: &[&str]) -> (String, String) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("deferlab"));
    command.current_dir(work).env("DEFERLAB_DATA", work.join("data")).args(arguments);
    let output = command.assert().success().get_output().clone();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

/// A signal ends training after the step it is at: exit code 75, and no weights that are half trained.
#[test]
#[cfg(unix)]
fn training_can_be_stopped() {
    use std::io::{BufRead, BufReader};
    let work = tempfile::tempdir().unwrap();
    let at = |name: &str| work.path().join(name);
    tiny_images::write(&at("data"), 128, 60);
    // Many minutes of it, if nobody stops it.
    std::fs::write(at("tiny.toml"), EXPERIMENT.replace("epochs = 4", "epochs = 1000")).unwrap();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("deferlab"))
        .current_dir(work.path())
        .env("DEFERLAB_DATA", at("data"))
        .args(["run", "tiny.toml"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(said.any(|line| line.contains("pre-training")), "training did not begin");
    std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap();
    let rest: Vec<String> = said.collect();
    assert_eq!(child.wait().unwrap().code(), Some(75), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("jobs are left, 0 of them saved")), "{rest:?}");
    let weights = std::fs::read_dir(at("runs/weights"));
    assert!(weights.map_or(true, |mut folder| folder.next().is_none()), "weights were kept");
}

/// Weights beside the experiment file spare the training and give the same results, in a store of their
/// own; damaged ones are refused.
fn kept_weights_are_taken_and_checked(work: &Path) {
    let trained =
        std::fs::read_dir(work.join("runs/weights")).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&trained).unwrap();
    let hash = deferlab::lab::sha256_hex(&bytes);
    let stem = trained.file_stem().unwrap().to_str().unwrap();
    let kept = work.join("weights").join(format!("{stem}-{}.safetensors", &hash[..16]));
    std::fs::create_dir(work.join("weights")).unwrap();
    std::fs::write(&kept, &bytes).unwrap();
    let arguments = ["run", "tiny.toml", "--store", "other", "--out", "kept", "--threads", "2"];
    let said = deferlab(work, &arguments).1;
    assert!(!said.contains("pre-training"), "{said}");
    let [trained, from_kept] = ["first", "kept"].map(|out| {
        let report = std::fs::read(work.join(out).join("report.json")).unwrap();
        let mut report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        (report["provenance"].take(), report)
    });
    assert!(trained.1 == from_kept.1, "other results from kept weights");
    let name = kept.file_name().unwrap().to_str().unwrap();
    assert_eq!(from_kept.0["data_sha256"][name], hash);
    let refused = |store: &str, why: &str| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("deferlab"));
        command.current_dir(work).env("DEFERLAB_DATA", work.join("data"));
        command.args(["run", "tiny.toml", "--store", store, "--out", "third"]);
        let output = command.assert().failure().get_output().clone();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(why), "{said}");
    };
    refused("runs", "another configuration");
    let mut damaged = bytes;
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(&kept, damaged).unwrap();
    refused("third", "not as its name says; remove it");
    std::fs::remove_dir_all(work.join("weights")).unwrap();
}

/// Files in, report out; weights are trained once and kept; the same runs give the same bytes.
#[test]
fn from_image_files_to_a_report() {
    let work = tempfile::tempdir().unwrap();
    let at = |name: &str| work.path().join(name);
    tiny_images::write(&at("data"), 128, 60);
    std::fs::write(at("tiny.toml"), EXPERIMENT).unwrap();
    let run = |out: &str, threads: &str| {
        let arguments = ["run", "tiny.toml", "--fresh", "--out", out, "--threads", threads];
        deferlab(work.path(), &arguments).1
    };
    let first = run("first", "2");
    assert!(first.contains("tiny, pre-training: 32 jobs to run"), "{first}");
    let weights: Vec<_> = std::fs::read_dir(at("runs/weights")).unwrap().collect();
    assert_eq!(weights.len(), 1);
    let second = run("second", "1");
    assert!(!second.contains("pre-training"), "{second}");
    for name in ["README.md", "report.json", "tables.tex", "figure-loss.svg"] {
        let [a, b] = ["first", "second"].map(|out| std::fs::read(at(out).join(name)).unwrap());
        assert!(a == b && !a.is_empty(), "{name}");
    }
    kept_weights_are_taken_and_checked(work.path());
    let report = std::fs::read_to_string(at("first/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let rows = report["tables"][0]["rows"].as_array().unwrap();
    let column = |name: &str, column: usize| {
        let row = rows.iter().find(|r| r[0].as_str().unwrap().ends_with(name)).unwrap();
        row[column]["mean"].as_f64().unwrap()
    };
    let (risk, accuracy) = (|name: &str| column(name, 2), |name: &str| column(name, 4));
    // Three classes: a guess is right in a third of the rounds.
    assert!(accuracy("classifier") > 0.8, "{rows:?}");
    assert!(accuracy("confidence") > 0.6, "{rows:?}");
    // Half of all rounds explore at first, and two thirds of those go astray.
    assert!(accuracy("head") > 0.45, "{rows:?}");
    // What is learned depends on where it starts and on what may learn.
    assert!(risk("all") != risk("head") && risk("all") != risk("random-start"), "{rows:?}");
}

/// Scores and distributions, round by round.
#[derive(Default)]
struct Trajectory(Vec<f64>);

impl Observer for Trajectory {
    fn see(&mut self, event: &Event<'_>) {
        self.0.extend(event.decision.scores);
        self.0.extend(event.decision.q);
    }
}

fn trajectory(policy: &mut dyn Policy, rounds: u64) -> Vec<f64> {
    let config: SyntheticConfig = toml::from_str(
        "recipe = 'van_der_hoeven'\nn_prime = 1\nnoise = [0.1, 0.1, 0.1]\nnoise_sigma = 2e-3\n\
         knows = [[0], []]\navailability = { start = 0.7, sigma = 2e-3 }\n\
         cost = { alpha = 1.0, beta = 0.05 }",
    )
    .unwrap();
    let mut stream = Synthetic::new(&config, 4).unwrap();
    let mut rng = Pcg64::seed_from_u64(9);
    let mut seen = Trajectory::default();
    play(policy, &mut stream, &mut rng, rounds, &mut [&mut seen]).unwrap();
    seen.0
}

/// A scorer with one fault.
struct Faulty<S>(S, fn(&mut [f64]));

impl<S: Scorer> Scorer for Faulty<S> {
    fn dim(&self) -> usize {
        self.0.dim()
    }
    fn outputs(&mut self, x: &[f64], keep: bool, outputs: &mut [f64]) {
        self.0.outputs(x, keep, outputs);
    }
    fn step(&mut self, g: &[f64], eta: f64) {
        let mut g = g.to_vec();
        self.1(&mut g);
        self.0.step(&g, eta);
    }
}

/// With a single linear layer in place of the network, what comes out is Algorithm 1 without a
/// ball; with a fault in the step it is not.
#[test]
fn a_linear_layer_gives_algorithm_1() {
    let (space, dim, rounds) = (ActionSpace::new(3, 2).unwrap(), 40, 800);
    let config = Config { radius: None, schedule: SCHEDULE, ..Config::new(space, dim) };
    let expected = trajectory(&mut Algorithm1::new(config).unwrap(), rounds);
    let distance = |fault: fn(&mut [f64])| {
        let device = Device::flex().autodiff();
        let layer = LinearConfig::new(dim, 5).with_initializer(Initializer::Zeros).init(&device);
        let scorer = Faulty(Learned::new(layer, device), fault);
        let found = trajectory(&mut OnScorer::new(scorer, space, SCHEDULE).unwrap(), rounds);
        if found.len() != expected.len() {
            return f64::INFINITY;
        }
        found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let largest = distance(|_| {});
    assert!(largest < NETWORK_TWIN, "{largest}");
    let wrong = [
        distance(|g| g.iter_mut().for_each(|g| *g *= 1.001)),
        distance(|g| g[0] += 0.01),
        distance(|g| g.reverse()),
        distance(|g| g.iter_mut().for_each(|g| *g = -*g)),
    ];
    assert!(wrong.iter().all(|&d| d > 10.0 * NETWORK_TWIN), "{wrong:?}");
}

/// Adds `scale * direction` to every weight, the direction drawn from a seed.
struct Move {
    rng: Pcg64,
    scale: f64,
}

impl Move {
    fn along<M: Module>(network: M, seed: u64, scale: f64) -> M {
        network.map(&mut Move { rng: Pcg64::seed_from_u64(seed), scale })
    }
}

impl ModuleMapper for Move {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let value = param.val();
        // Statistics of batch norms are no weights.
        if !value.is_require_grad() {
            return param;
        }
        let (shape, device) = (value.shape(), value.device());
        let count = shape.num_elements();
        let step: Vec<f32> = (0..count)
            .map(|_| (self.scale * (2.0 * self.rng.random::<f64>() - 1.0)) as f32)
            .collect();
        let step = Tensor::<D>::from_data(
            deferlab::network::burn::tensor::TensorData::new(step, shape),
            &device,
        );
        Param::from_tensor((value + step).detach())
    }
}

/// All weights, one after the other.
#[derive(Default)]
struct Weights(Vec<f64>);

impl Weights {
    fn of<M: Module>(network: &M) -> Vec<f64> {
        let mut weights = Weights::default();
        network.visit(&mut weights);
        weights.0
    }
}

impl ModuleVisitor for Weights {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.extend(param.val().into_data().iter::<f64>());
    }
}

/// The step that [`OnScorer`] makes through every layer is the gradient of the importance-weighted
/// estimate: along random directions it is the slope of the loss.
#[test]
fn the_gradient_through_the_network_is_the_slope_of_the_estimate() {
    let device = Device::flex().autodiff();
    let shape = NetworkConfig { depth: 10, width: 1, stem_stride: 2 };
    let space = ActionSpace::new(3, 2).unwrap();
    let network = WideResNet::new(&shape, 8, 3, 5, &device).online(2, Trained::All, &device);
    // Away from the zeros that the last layer starts with.
    let network = Move::along(network, 1, 0.05);
    let mut rng = Pcg64::seed_from_u64(3);
    let x: Vec<f64> = (0..192).map(|_| rng.random::<f64>()).collect();
    let active = space.active([1]).unwrap();
    let action = space.expert(1).unwrap();
    let (cost, eta) = (0.25, 1e-3);

    let schedule = Schedule::PowerLaw {
        eta0: eta,
        eta_power: 0.0,
        gamma0: 0.4,
        gamma_power: 0.0,
        gamma_max: 0.5,
    };
    let scorer = Learned::new(network.clone(), device.clone());
    let mut learner = OnScorer::new(scorer, space, schedule).unwrap();
    let q = learner.decide(Features::Dense(&x), active).unwrap().probability(action);
    let feedback = Feedback::Bandit { action, correct: true, cost: Some(cost) };
    learner.observe(feedback).unwrap();
    let (before, after) = (Weights::of(&network), Weights::of(&learner.as_ref().network));
    let gradient: Vec<f64> = before.iter().zip(&after).map(|(b, a)| (b - a) / eta).collect();

    // The estimate by its definition, with nothing of the code above.
    let loss = |network: &WideResNet| {
        let all: Vec<f64> = network.run(&x, &device).into_data().iter::<f64>().collect();
        let scores = [all[0], all[1], all[2], all[4]];
        let mean = scores.iter().sum::<f64>() / 4.0;
        let u = scores.map(|score| score - mean);
        (1.0 - cost) / q * u[..3].iter().map(|u| (1.0 + u).max(0.0)).sum::<f64>()
    };
    assert!(loss(&network) > 0.5, "{}", loss(&network));
    let h = 2e-3;
    let (mut slopes, mut errors) = (0.0, 0.0);
    for seed in 10..26 {
        let ahead = loss(&Move::along(network.clone(), seed, h));
        let behind = loss(&Move::along(network.clone(), seed, -h));
        let slope = (ahead - behind) / (2.0 * h);
        let direction = Weights::of(&Move::along(network.clone(), seed, 1.0));
        let along: f64 =
            direction.iter().zip(&before).zip(&gradient).map(|((d, b), g)| (d - b) * g).sum();
        slopes += slope * slope;
        errors += (slope - along) * (slope - along);
    }
    let relative = f64::sqrt(errors / slopes);
    assert!(relative < NETWORK_SLOPE, "{relative}");
    // The first layer, 3 x 16 kernels of 3 x 3, learns too.
    assert!(gradient[..432].iter().filter(|g| **g != 0.0).count() > 216);
    assert!((q - 1.0).abs() > 0.1, "{q}");
}

/// The classifier answers when it is sure, and otherwise asks whoever is there.
#[test]
fn confidence_decides_who_answers() {
    struct Fixed;
    impl Scorer for Fixed {
        fn dim(&self) -> usize {
            1
        }
        fn outputs(&mut self, x: &[f64], _: bool, outputs: &mut [f64]) {
            outputs.copy_from_slice(&[0.0, x[0], 0.0, 50.0, 50.0]);
        }
        fn step(&mut self, _: &[f64], _: f64) {
            panic!("the baseline does not learn")
        }
    }
    let space = ActionSpace::new(3, 2).unwrap();
    let mut policy = ConfidentScorer::new(Fixed, space, 0.5).unwrap();
    let mut q = |x: f64, available: &[usize]| {
        let active = space.active(available.iter().copied()).unwrap();
        let decision = policy.decide(Features::Dense(&[x]), active).unwrap();
        let (q, action) = (decision.q.to_vec(), decision.greedy);
        let cost = ExpertCost::new(1.0, 0.05).unwrap().normalized(true);
        let cost = space.expert_of(action).map(|_| cost);
        policy.observe(Feedback::Bandit { action, correct: true, cost }).unwrap();
        q
    };
    // e^x / (e^x + 2) is one half at x = ln 2.
    assert_eq!(q(0.7, &[0, 1]), [0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(q(0.69, &[0, 1]), [0.0, 0.0, 0.0, 0.5, 0.5]);
    assert_eq!(q(0.69, &[1]), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(q(0.69, &[]), [0.0, 1.0, 0.0]);
    assert!(ConfidentScorer::new(Fixed, space, 1.5).is_err());
}
