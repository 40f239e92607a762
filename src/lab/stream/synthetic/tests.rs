use super::*;
use crate::stream::crew::Moving;
use problem::Action;

fn setting(number: u8) -> SyntheticConfig {
    let availability = (number >= 2).then_some(Availability { start: 0.7, sigma: 2e-3 });
    let drift = (number == 3).then(|| Drift {
        to: vec![vec![2, 3], vec![0, 1], vec![]],
        rounds: 100_000,
        sigma: 2e-3,
        moving: Moving::ExpertsWithRegions,
    });
    SyntheticConfig { availability, drift, ..SyntheticConfig::default() }
}

fn dense(x: Features<'_>) -> Vec<f64> {
    let mut out = vec![0.0; x.dim()];
    x.for_each(|i, v| out[i] = v);
    out
}

/// `argmax_i <v_i, x> - |v_i|^2/2`: weights `v_i`, bias `-|v_i|^2/2`.
fn separated(inputs: &SynSep, x: &[f64], clusters: usize) -> (usize, f64) {
    let mut scores: Vec<(f64, usize)> = (0..clusters)
        .map(|i| {
            let (v, norm2) = inputs.prototype(i);
            (v.iter().map(|&j| x[j as usize]).sum::<f64>() - norm2 / 2.0, i)
        })
        .collect();
    scores.sort_by(|a, b| b.0.total_cmp(&a.0));
    (scores[0].1, scores[0].0 - scores[1].0)
}

#[test]
fn inputs_are_those_of_the_recipe_and_separable() {
    for (recipe, keywords, on, common_on) in
        [(Recipe::VanDerHoeven, 30, 3..=15, 15), (Recipe::Kakade, 36, 4..=10, 6)]
    {
        // Without noise the label is the cluster.
        let config = SyntheticConfig {
            recipe,
            noise: vec![0.0; 6],
            noise_sigma: 0.0,
            ..SyntheticConfig::default()
        };
        for seed in 0..20 {
            let mut stream = Synthetic::new(&config, seed).unwrap();
            let inputs = stream.inputs.clone();
            assert_eq!(stream.dim(), 120);
            for _ in 0..200 {
                let round = stream.next_round().unwrap();
                let x = dense(round.x);
                assert!(x.iter().all(|&v| v == 0.0 || v == 1.0));
                let key = x[..keywords].iter().sum::<f64>() as usize;
                assert!(on.contains(&key), "{key}");
                assert_eq!(x[keywords..].iter().sum::<f64>() as usize, common_on);
                let (cluster, margin) = separated(&inputs, &x, 6);
                assert!(Some(cluster) == round.label && margin > 0.0, "{recipe:?} {margin}");
            }
        }
    }
}

/// Frequencies against the scores of the round: over 100,000 rounds of each setting the sums of
/// `1{label = a} - s_a` and of `loss - risk` stay within 5 standard deviations (one false alarm in
/// 10^5 over all 27 sums).
#[test]
fn scores_are_the_conditional_means_of_what_happens() {
    for number in 1..=3 {
        let mut stream = Synthetic::new(&setting(number), 7).unwrap();
        let space = stream.space();
        let (mut excess, mut variance) = ([0.0; 9], [0.0; 9]);
        let rounds = 100_000;
        for _ in 0..rounds {
            let round = stream.next_round().unwrap();
            let s = round.scores.unwrap();
            assert!((s[..6].iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for a in 0..9 {
                let action: Action = space.action(a).unwrap();
                excess[a] += (1.0 - round.loss(action)) - s[a];
                // Bernoulli, scaled by what a right expert is worth.
                variance[a] += s[a] * (1.0 - s[a]);
                assert_eq!(round.is_right(action), Some(round.loss(action) < 1.0));
            }
        }
        for a in 0..9 {
            let z = excess[a] / variance[a].sqrt();
            assert!(z.abs() < 5.0, "setting {number}, action {a}: {z}");
        }
    }
}

#[test]
fn experts_know_what_they_should() {
    let mut stream = Synthetic::new(&setting(1), 3).unwrap();
    let guess = 1.0 / 6.0;
    let expected = vec![
        vec![1.0, 1.0, guess, guess, guess, guess],
        vec![guess, guess, 1.0, 1.0, guess, guess],
        vec![guess; 6],
    ];
    assert_eq!(stream.regional_accuracy().unwrap(), expected);
    let mut right = [0.0; 3];
    let rounds = 60_000;
    for _ in 0..rounds {
        let round = stream.next_round().unwrap();
        assert_eq!(round.active, stream_space().all_active());
        (0..3).for_each(|j| right[j] += f64::from(round.right.expert(j).unwrap()));
    }
    // 2/6 + 4/6 * 1/6 = 0.444; five standard errors.
    for (j, mean) in [4.0 / 9.0, 4.0 / 9.0, guess].into_iter().enumerate() {
        let z = (right[j] / rounds as f64 - mean) / (mean * (1.0 - mean) / rounds as f64).sqrt();
        assert!(z.abs() < 5.0, "{j}: {z}");
    }
}

fn stream_space() -> ActionSpace {
    ActionSpace::new(6, 3).unwrap()
}

#[test]
fn expertise_moves_from_one_end_to_the_other() {
    let mut config = setting(3);
    let drift = config.drift.as_mut().unwrap();
    drift.rounds = 2000;
    let guess = 1.0 / 6.0;
    let mut stream = Synthetic::new(&config, 5).unwrap();
    let mut moved = false;
    for _ in 0..2000 {
        stream.next_round();
        let table = stream.regional_accuracy().unwrap();
        assert!(table.iter().flatten().all(|a| (0.0..=1.0).contains(a)));
        assert_eq!(table[2], vec![guess; 6]);
        moved |= table[0][4] != guess;
    }
    assert!(moved);
    let table = stream.regional_accuracy().unwrap();
    assert_eq!(table[0], [guess, guess, 1.0, 1.0, guess, guess]);
    assert_eq!(table[1], [1.0, 1.0, guess, guess, guess, guess]);
    config.drift.as_mut().unwrap().moving = Moving::EndsThatDiffer;
    let mut stream = Synthetic::new(&config, 5).unwrap();
    stream.next_round();
    assert_eq!(stream.regional_accuracy().unwrap()[0][4], guess);
}

#[test]
fn availability_follows_its_walk() {
    let mut stream = Synthetic::new(&setting(2), 11).unwrap();
    let (mut excess, mut variance, mut nobody) = (0.0, 0.0, 0);
    for _ in 0..100_000 {
        let round = stream.next_round().unwrap();
        let there: Vec<usize> = round.active.experts().collect();
        nobody += usize::from(there.is_empty());
        for (j, p) in stream.availability().into_iter().enumerate() {
            excess += f64::from(u8::from(there.contains(&j))) - p;
            variance += p * (1.0 - p);
        }
    }
    assert!((excess / f64::sqrt(variance)).abs() < 5.0);
    assert!(nobody > 0, "rounds without anybody must be possible");
    // The walk moved by something of the order of sigma sqrt(t) = 0.63.
    assert!(stream.availability().iter().any(|p| (p - 0.7).abs() > 0.05));
}

#[test]
fn seeds_and_settings() {
    let inputs = |config: &SyntheticConfig, seed| -> Vec<(Vec<f64>, usize)> {
        let mut stream = Synthetic::new(config, seed).unwrap();
        (0..50)
            .map(|_| {
                let round = stream.next_round().unwrap();
                (dense(round.x), round.label.unwrap())
            })
            .collect()
    };
    let first = inputs(&setting(1), 1);
    assert_eq!(first, inputs(&setting(1), 1));
    assert_ne!(first, inputs(&setting(1), 2));
    // The same seed meets the same inputs and labels in every setting.
    assert_eq!(first, inputs(&setting(2), 1));
    assert_eq!(first, inputs(&setting(3), 1));
}

#[test]
fn impossible_settings_are_named() {
    let message = |change: fn(&mut SyntheticConfig)| {
        let mut config = setting(3);
        change(&mut config);
        Synthetic::new(&config, 0).unwrap_err().to_string()
    };
    assert!(message(|c| c.noise[2] = 1.5).contains("noise = 1.5"));
    assert!(message(|c| c.noise = vec![0.1]).contains("n = 1"));
    assert!(message(|c| c.noise_sigma = f64::NAN).contains("noise_sigma"));
    assert!(message(|c| c.knows[1] = vec![6]).contains("knows[1] names region 6"));
    assert!(message(|c| c.drift.as_mut().unwrap().to.truncate(1)).contains("drift.to lists 1"));
    assert!(message(|c| c.n_prime = 0).contains("n_prime = 0"));
    assert!(message(|c| c.availability.as_mut().unwrap().start = -1.0).contains("start = -1"));
    let unknown = serde_json::from_str::<SyntheticConfig>(r#"{"nose":[0.1]}"#).unwrap_err();
    assert!(unknown.to_string().contains("unknown field `nose`"));
}
