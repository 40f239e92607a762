//! Made-up data in the shape of a data set that is not there.
//!
//! A stand-in lets every experiment run and shows that the path works. It says nothing about the
//! data it stands for, and whatever is made with it carries `standin` in its name.

use super::Answered;
use crate::data::{CsrRows, DenseRows, Inputs};
use crate::stream::{LabelledInputs, Normal};
use rand::RngExt;
use rand_pcg::Pcg64;
use sha2::{Digest, Sha256};

/// Documents of the four classes, as many as the real file has of each.
const DOCUMENTS: [usize; 4] = [9616, 1915, 5244, 6653];

/// Features of Reuters4.
pub(super) const WORDS: usize = 47_236;

/// Non-zeros of a document; the mean of the real ones.
const WORDS_IN_DOCUMENT: usize = 75;

/// Words that belong to one class.
const TOPIC_WORDS: f64 = 2000.0;

/// Share of words drawn from the topic of the document.
const TOPIC_SHARE: f64 = 0.5;

/// Documents with 75 words of 47,236: three in four from a common vocabulary whose `r`-th word has
/// probability proportional to `1/r`, the others likewise from the words of the class. Values are
/// uniform before the row is scaled to unit norm.
#[must_use]
pub(crate) fn reuters4() -> LabelledInputs {
    let mut rng = Pcg64::new(4, 1);
    let mut labels: Vec<usize> =
        (0..4).flat_map(|class| std::iter::repeat_n(class, DOCUMENTS[class])).collect();
    for i in (1..labels.len()).rev() {
        labels.swap(i, rng.random_range(0..=i as u32) as usize);
    }
    let mut rows = CsrRows::new(WORDS);
    let (mut words, mut values) = (Vec::new(), Vec::new());
    for &label in &labels {
        words.clear();
        while words.len() < WORDS_IN_DOCUMENT {
            for _ in words.len()..WORDS_IN_DOCUMENT {
                let topical = rng.random::<f64>() < TOPIC_SHARE;
                let count = if topical { TOPIC_WORDS } else { WORDS as f64 };
                let rank = (libm::exp(rng.random::<f64>() * libm::log(count)) as u32).max(1) - 1;
                // The words of the four topics take turns.
                words.push(if topical { 4 * rank + label as u32 } else { rank });
            }
            words.sort_unstable();
            words.dedup();
        }
        values.clear();
        values.extend(words.iter().map(|_| 0.1 + 0.9 * rng.random::<f64>()));
        rows.push(&words, &values).expect("increasing words of the vocabulary");
    }
    let mut inputs = Inputs::Sparse(rows);
    inputs.scale_to_unit_norm();
    LabelledInputs { inputs, labels, classes: 4 }
}

/// Images, features, classes and annotators of LabelMe.
pub(super) const LABELME: (usize, usize, usize, usize) = (1000, 512, 8, 59);

/// Images with one, two and three answers.
const ANSWERS: [usize; 3] = [42, 369, 589];

/// Features that are positive parts of a class mean plus noise; annotators of whom the busiest is
/// asked sixty times as often as the laziest, right with probability 0.5 to 0.95.
#[must_use]
pub(crate) fn labelme() -> Answered {
    let (images, features, classes, annotators) = LABELME;
    let mut rng = Pcg64::new(4, 2);
    let mut normal = Normal::default();
    let mut draw = |rng: &mut Pcg64| normal.draw(rng);
    let means: Vec<Vec<f64>> =
        (0..classes).map(|_| (0..features).map(|_| draw(&mut rng)).collect()).collect();
    let accuracy: Vec<f64> = (0..annotators).map(|_| 0.5 + 0.45 * rng.random::<f64>()).collect();
    // Sixty-fold from end to end.
    let busy: Vec<f64> = (0..annotators)
        .map(|j| libm::exp(-libm::log(60.0) * j as f64 / (annotators - 1) as f64))
        .collect();
    let mut counts: Vec<usize> =
        (0..3).flat_map(|i| std::iter::repeat_n(i + 1, ANSWERS[i])).collect();
    for i in (1..counts.len()).rev() {
        counts.swap(i, rng.random_range(0..=i as u32) as usize);
    }
    let (mut inputs, mut labels, mut answers) = (DenseRows::new(features), vec![], vec![]);
    for count in counts.into_iter().take(images) {
        let label = rng.random_range(0..classes as u32) as usize;
        let x: Vec<f64> =
            means[label].iter().map(|m| (10.0 * (m + 2.0 * draw(&mut rng))).max(0.0)).collect();
        inputs.push(&x).expect("finite values");
        let mut row = vec![None; annotators];
        while row.iter().flatten().count() < count {
            let j = weighted(&busy, &mut rng);
            let right = rng.random::<f64>() < accuracy[j];
            let other = rng.random_range(0..classes as u32 - 1) as usize;
            row[j] = Some(if right { label } else { other + usize::from(other >= label) });
        }
        labels.push(label);
        answers.push(row);
    }
    Answered { inputs: Inputs::Dense(inputs), labels, answers, experts: Vec::new() }
}

fn weighted(weights: &[f64], rng: &mut Pcg64) -> usize {
    let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
    for (j, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return j;
        }
    }
    weights.len() - 1
}

/// A hash of inputs and labels, for the provenance of what is made with them.
pub(super) fn sha256(inputs: &Inputs, labels: &[usize]) -> String {
    let mut hash = Sha256::new();
    for (i, label) in labels.iter().enumerate() {
        hash.update((*label as u64).to_le_bytes());
        inputs.row(i).for_each(|j, v| {
            hash.update((j as u64).to_le_bytes());
            hash.update(v.to_bits().to_le_bytes());
        });
    }
    hex::encode(hash.finalize())
}
