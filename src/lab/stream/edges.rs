//! What stands for an image where no network is run: how strong edges of every direction are in every part
//! of it, with its colours, and what a linear classifier makes of that. All in 64 bits and in a fixed
//! order, so that it comes out the same on any machine.

use super::cifar10h::HumanImages;
use crate::data::{CHANNELS, ImageSet};
use rand::RngExt;
use seed::Draws;
use serde::{Deserialize, Serialize};

/// What stands for an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ImageFeatures {
    /// Strength of the edges of nine directions, and mean colours, in sixteen parts of the image.
    Edges,
    /// Probabilities of the classes by soft-max regression on these, trained on the training images.
    ClassProbabilities,
}

/// Parts in each direction of the image.
const PARTS: usize = 4;

/// Directions of an edge.
const DIRECTIONS: usize = 9;

/// Passes over the training images, and the rate of the first step; it falls to zero.
const PASSES: usize = 5;
const RATE: f64 = 0.5;

/// Edges and colours of an image of `side` x `side`, pixels in `[0, 1]` with their colours together. Edges
/// are differences of pixels two apart after the mean of every two by two, which takes most of the noise
/// away; roots of their shares have norm one.
fn edges(pixels: &[f64], side: usize) -> Vec<f64> {
    let half = side / 2;
    let mut grey = vec![0.0; half * half];
    let mut found = vec![0.0; PARTS * PARTS * (DIRECTIONS + CHANNELS)];
    let (strengths, colours) = found.split_at_mut(PARTS * PARTS * DIRECTIONS);
    let part = |row: usize, column: usize| row * PARTS / half * PARTS + column * PARTS / half;
    let each = (PARTS * PARTS) as f64 / (4 * half * half) as f64;
    for row in 0..2 * half {
        for column in 0..2 * half {
            let at = (row * side + column) * CHANNELS;
            for (channel, &value) in pixels[at..at + CHANNELS].iter().enumerate() {
                grey[row / 2 * half + column / 2] += value / (4 * CHANNELS) as f64;
                colours[part(row / 2, column / 2) * CHANNELS + channel] += each * (value - 0.5);
            }
        }
    }
    let directions: Vec<(f64, f64)> = (0..DIRECTIONS)
        .map(|k| std::f64::consts::PI * k as f64 / DIRECTIONS as f64)
        .map(|angle| (libm::cos(angle), libm::sin(angle)))
        .collect();
    let mut all = 1e-3;
    for row in 0..half {
        for column in 0..half {
            let at = |r: usize, c: usize| grey[r.min(half - 1) * half + c.min(half - 1)];
            let down = at(row + 1, column) - at(row.saturating_sub(1), column);
            let right = at(row, column + 1) - at(row, column.saturating_sub(1));
            let along = |(x, y): &(f64, f64)| (x * right + y * down).abs();
            let nearest = (0..DIRECTIONS)
                .max_by(|&a, &b| along(&directions[a]).total_cmp(&along(&directions[b])));
            let strength = (down * down + right * right).sqrt();
            strengths[part(row, column) * DIRECTIONS + nearest.unwrap_or(0)] += strength;
            all += strength;
        }
    }
    strengths.iter_mut().for_each(|strength| *strength = (*strength / all).sqrt());
    found
}

/// Soft-max regression.
struct Classifier {
    /// For every class a weight for each feature, then one for the constant.
    weights: Vec<Vec<f64>>,
}

impl Classifier {
    fn train(images: &ImageSet, classes: usize, seed: u64) -> Self {
        let rows: Vec<Vec<f64>> = (0..images.len())
            .map(|i| {
                let pixels: Vec<f64> =
                    images.image(i).iter().map(|&byte| f64::from(byte) / 255.0).collect();
                edges(&pixels, images.side)
            })
            .collect();
        let dim = rows.first().map_or(0, Vec::len);
        let mut found = Classifier { weights: vec![vec![0.0; dim + 1]; classes] };
        let mut rng = Draws::Training.generator(seed);
        let steps = (PASSES * rows.len()) as f64;
        for step in 0..PASSES * rows.len() {
            let i = rng.random_range(0..rows.len() as u32) as usize;
            let rate = RATE * (1.0 - step as f64 / steps);
            let probabilities = found.probabilities(&rows[i]);
            for (class, (weights, p)) in found.weights.iter_mut().zip(probabilities).enumerate() {
                let slope = p - f64::from(u8::from(class == images.labels[i]));
                let ones = rows[i].iter().chain(&[1.0]);
                weights.iter_mut().zip(ones).for_each(|(w, x)| *w -= rate * slope * x);
            }
        }
        found
    }

    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let score = |weights: &Vec<f64>| -> f64 {
            weights.iter().zip(row.iter().chain(&[1.0])).map(|(w, x)| w * x).sum()
        };
        let scores: Vec<f64> = self.weights.iter().map(score).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let odds: Vec<f64> = scores.iter().map(|s| libm::exp(s - most)).collect();
        let all: f64 = odds.iter().sum();
        odds.iter().map(|odd| odd / all).collect()
    }
}

/// One row for every image of a stream, with its noise. `training`: images and labels without noise.
pub(super) fn rows(
    kind: ImageFeatures,
    images: &HumanImages,
    (side, classes, seed): (usize, usize, u64),
    training: Option<&ImageSet>,
) -> Vec<Vec<f64>> {
    let classifier = training
        .filter(|_| kind == ImageFeatures::ClassProbabilities)
        .map(|training| Classifier::train(training, classes, seed));
    let mut pixels = Vec::new();
    let row = |i: usize| {
        images.corrupted(i, &mut pixels);
        let found = edges(&pixels, side);
        classifier.as_ref().map(|c| c.probabilities(&found)).unwrap_or(found)
    };
    (0..images.len()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dark above, bright below: every edge goes across, in the two middle rows of parts.
    #[test]
    fn an_edge_is_found_where_it_is_and_as_it_lies() {
        let side = 16;
        let step = |i: usize| if i / CHANNELS / side < side / 2 { 0.0 } else { 1.0 };
        let image: Vec<f64> = (0..side * side * CHANNELS).map(step).collect();
        let found = edges(&image, side);
        let (strengths, colours) = found.split_at(PARTS * PARTS * DIRECTIONS);
        let norm: f64 = strengths.iter().map(|s| s * s).sum();
        assert!((norm - 1.0).abs() < 1e-3, "{norm}");
        for (at, &strength) in strengths.iter().enumerate() {
            let (row, direction) = (at / DIRECTIONS / PARTS, at % DIRECTIONS);
            // Down is a right angle: between the directions of 80 and 100 degrees, the later one on a tie.
            let there = (1..=2).contains(&row) && (4..=5).contains(&direction);
            assert!(there || strength == 0.0, "{at}: {strength}");
        }
        assert!(colours[..24].iter().all(|c| (c + 0.5).abs() < 1e-12));
        assert!(colours[24..].iter().all(|c| (c - 0.5).abs() < 1e-12));
    }

    /// Two kinds of images that differ in the direction of their edges are told apart.
    #[test]
    fn the_classifier_learns() {
        let side = 8;
        let stripes = |i: usize, k: usize| {
            let (row, column) = (k / CHANNELS / side, k / CHANNELS % side);
            let along = if i.is_multiple_of(2) { row } else { column };
            if (along / 2 + i / 2).is_multiple_of(2) { 40 } else { 200 }
        };
        let size = side * side * CHANNELS;
        let pixels = (0..40).flat_map(|i| (0..size).map(move |k| stripes(i, k))).collect();
        let labels = (0..40).map(|i| i % 2).collect();
        let images = ImageSet { side, pixels, labels };
        let classifier = Classifier::train(&images, 2, 1);
        for i in 0..40 {
            let pixels: Vec<f64> = images.image(i).iter().map(|&b| f64::from(b) / 255.0).collect();
            let p = classifier.probabilities(&edges(&pixels, side));
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(p[i % 2] > 0.8, "{i}: {p:?}");
        }
    }
}
