//! The project's experiments are what they say they are.

use deferlab::lab::experiment::{Game, Plan, STAND_IN, StreamKind};
use deferlab::lab::stream::LawItem;
use deferlab::learner::Schedule;
use deferlab::problem::ExpertCost;
use deferlab::theory::minimizability_gap;
use deferlab::theory::{FiniteStream, StreamItem, SurrogateId};
use serde_json::json;
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
        let plan = read(&format!("synthetic-{number}"));
        let spec = &plan.spec;
        assert_eq!((spec.runs, spec.rounds), (5, 100_000));
        let said = serde_json::to_value(spec).unwrap();
        assert_eq!(said["checkpoints"], json!({ "linear": 50 }));
        let config = &said["stream"][0]["synthetic"];
        assert_eq!((&config["recipe"], &config["n_prime"]), (&json!("van_der_hoeven"), &json!(3)));
        assert_eq!(config["noise"], json!([0.3, 0.3, 0.3, 0.3, 0.0, 0.0]));
        assert_eq!(config["noise_sigma"], json!(2e-3));
        assert_eq!(config["boundary"], json!("reflect"));
        assert_eq!(config["knows"], json!([[0, 1], [2, 3], []]));
        let cost: ExpertCost = serde_json::from_value(config["cost"].clone()).unwrap();
        assert_eq!((cost.normalized(false), cost.normalized(true)), (1.0, 0.1 / 1.1));
        let availability = json!({ "start": 0.7, "sigma": 2e-3 });
        assert_eq!(config["availability"], if number >= 2 { availability } else { json!(null) });
        let drift = json!({
            "rounds": 100_000, "sigma": 2e-3, "moving": "experts_with_regions",
            "to": [[2, 3], [0, 1], []],
        });
        assert_eq!(config["drift"], if number == 3 { drift } else { json!(null) });
        let game = Game::new(&plan, 0, 0, 0).unwrap();
        let learners = spec.policy.iter().filter_map(|p| p.algorithm1(game.shape));
        let radii: Vec<Option<f64>> = learners
            .map(|learner| {
                assert_eq!(learner.schedule, Schedule::EXPERIMENT);
                learner.radius
            })
            .collect();
        assert_eq!(radii, [Some(9.0), Some(100.0), None]);
        let stream = game.stream().unwrap();
        assert_eq!((stream.space().len(), stream.dim()), (9, 120));
    }
}

fn finite(items: &[&LawItem]) -> FiniteStream {
    let item = |item: &&LawItem| {
        let p = &item.law.p;
        let expert = |j| 1.0 - p.iter().zip(item.law.cost(j)).map(|(p, c)| p * c).sum::<f64>();
        let s = p.iter().copied().chain(item.active.experts().map(expert)).collect();
        StreamItem { weight: item.weight, x: item.x.clone(), active: item.active, s }
    };
    FiniteStream::new(items[0].law.space, items.iter().map(item).collect()).unwrap()
}

/// The streams on which rates are measured have a zero gap in their ball, and those with a
/// hypothesis dropped do not: the check can tell.
#[test]
fn hypotheses_hold_where_they_should_and_only_there() {
    let mut gaps = Vec::new();
    for name in ["rates", "rates-dropped"] {
        let plan = read(name);
        for (s, stream) in plan.spec.stream.iter().enumerate() {
            assert_eq!(stream.kind(), StreamKind::Law);
            let game = Game::new(&plan, 0, s, 0).unwrap();
            let items: Vec<&LawItem> = game.law_items().collect();
            for policy in plan.spec.policy.iter().filter(|p| p.runs_on(&stream.name)) {
                let radius = policy.algorithm1(game.shape).unwrap().radius;
                let gap =
                    minimizability_gap(&finite(&items), SurrogateId::CstndHinge, radius).unwrap();
                assert!(gap.certified, "{name} {}", stream.name);
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
