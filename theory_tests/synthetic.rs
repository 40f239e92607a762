//! The project's experiments are what they say they are.

use deferlab::lab::experiment::{Checkpoints, Loaded, Plan, Radius, STAND_IN, Source, StreamKind};
use deferlab::lab::stream::{Boundary, LawItem, Moving, Recipe, Stream, Synthetic};
use deferlab::learner::Schedule;
use deferlab::theory::SurrogateId;
use deferlab::theory::gap::{GapStatus, solve};
use deferlab::theory::stream::{FiniteStream, StreamItem};
use std::path::Path;

fn read(name: &str) -> Plan {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    Plan::read(&folder.join(format!("{name}.toml"))).unwrap()
}

#[test]
fn every_experiment_file_is_valid_and_named_after_itself() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("experiments");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let plan = Plan::read(&path).unwrap();
            // Without its data set an experiment runs under another name.
            let name = plan.spec.name.strip_suffix(STAND_IN).unwrap_or(&plan.spec.name);
            assert_eq!(Some(name), path.file_stem().unwrap().to_str());
            seen += 1;
        }
    }
    assert!(seen >= 7, "{seen}");
}

/// Appendix G and the readings of it, number by number.
#[test]
fn the_synthetic_settings_are_the_papers() {
    for number in 1..=3 {
        let spec = read(&format!("synthetic-{number}")).spec;
        assert_eq!((spec.runs, spec.rounds), (5, 100_000));
        assert_eq!(spec.checkpoints, Checkpoints::Linear(50));
        let StreamKind::Synthetic(config) = &spec.stream[0].kind else { panic!("synthetic") };
        assert_eq!((config.recipe, config.n_prime), (Recipe::VanDerHoeven, 3));
        assert_eq!(config.noise, [0.3, 0.3, 0.3, 0.3, 0.0, 0.0]);
        assert_eq!((config.noise_sigma, config.boundary), (2e-3, Boundary::Reflect));
        assert_eq!(config.knows, [vec![0, 1], vec![2, 3], vec![]]);
        assert_eq!(config.cost.normalized(false), 1.0);
        assert_eq!(config.cost.normalized(true), 0.1 / 1.1);
        let availability = config.availability.map(|a| (a.start, a.sigma));
        assert_eq!(availability, (number >= 2).then_some((0.7, 2e-3)));
        let drift = config.drift.as_ref().map(|d| (d.rounds, d.sigma, d.moving, d.to.clone()));
        let to = vec![vec![2, 3], vec![0, 1], vec![]];
        let expected = (100_000, 2e-3, Moving::ExpertsWithRegions, to);
        assert_eq!(drift, (number == 3).then_some(expected));
        let radii: Vec<Radius> = spec
            .policy
            .iter()
            .filter_map(|p| p.algorithm1())
            .map(|learner| {
                assert_eq!(learner.schedule, Schedule::EXPERIMENT);
                learner.radius
            })
            .collect();
        assert_eq!(radii, [Radius::Actions, Radius::Of(100.0), Radius::None]);
        let stream = Synthetic::new(config, 1).unwrap();
        assert_eq!((stream.space().len(), stream.dim()), (9, 120));
    }
}

fn finite(items: &[LawItem]) -> FiniteStream {
    let item = |item: &LawItem| {
        let p = item.law.p();
        let expert = |j| 1.0 - p.iter().zip(item.law.cost(j)).map(|(p, c)| p * c).sum::<f64>();
        let s = p.iter().copied().chain(item.active.experts().map(expert)).collect();
        StreamItem { weight: item.weight, x: item.x.clone(), active: item.active, s }
    };
    FiniteStream::new(items[0].law.space(), items.iter().map(item).collect()).unwrap()
}

/// The streams on which rates are measured have a zero gap in their ball, and those with a
/// hypothesis dropped do not: the check can tell.
#[test]
fn hypotheses_hold_where_they_should_and_only_there() {
    let mut gaps = Vec::new();
    for name in ["rates", "rates-dropped"] {
        let plan = read(name);
        for stream in &plan.spec.stream {
            let source = Source::new(stream, &plan.folder, &mut Loaded::default()).unwrap();
            let Source::Law(items) = &source else { panic!("a law") };
            for policy in plan.spec.policy.iter().filter(|p| p.runs_on(&stream.name)) {
                let radius = policy.algorithm1().unwrap().radius.value(3);
                let gap = solve(&finite(items), SurrogateId::CstndHinge, radius).unwrap();
                assert_eq!(gap.status, GapStatus::Certified, "{name} {}", stream.name);
                gaps.push((format!("{}/{}", stream.name, policy.name), gap.gap_per_round));
            }
        }
    }
    let zero: Vec<&str> =
        gaps.iter().filter(|(_, gap)| gap.abs() < 1e-7).map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        zero,
        [
            "zero-gap/general",
            "concentrated/concentrated",
            "noisy/concentrated",
            "close-noisy/general-12"
        ]
    );
    assert!(gaps.iter().filter(|(_, gap)| *gap > 0.05).count() == 3, "{gaps:?}");
}
