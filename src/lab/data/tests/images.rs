//! Images and human experts: the loader on good and damaged files, and the stream of App. G.4.

use super::tiny_images::{self, CLASSES, SIDE};
use crate::data::{DataError, ImageSet, read_counts, read_images};
use crate::stream::{Cifar10h, Cifar10hConfig, HumanImages, ImageFeatures, Stream};
use problem::ExpertCost;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::path::Path;
use std::sync::Arc;

fn config() -> Cifar10hConfig {
    Cifar10hConfig {
        folder: "tiny".into(),
        answers: "tiny/counts.npy".into(),
        side: SIDE,
        classes: CLASSES,
        noise_sigma: 0.06,
        noise_seed: 3,
        knows: vec![vec![0], vec![1, 2]],
        cost: ExpertCost::new(1.0, 0.05).unwrap(),
        features: None,
    }
}

fn load(folder: &Path) -> Result<ImageSet, DataError> {
    let (png, labels) = (folder.join("test_batch.png"), folder.join("test_lables.json"));
    Ok(read_images(&[png], &labels, SIDE, CLASSES)?.0)
}

#[test]
fn images_come_back_as_they_were_written() {
    let data = tempfile::tempdir().unwrap();
    tiny_images::write(data.path(), 4, 5);
    let folder = data.path().join("tiny");
    let set = load(&folder).unwrap();
    assert_eq!((set.len(), set.labels.as_slice()), (5, [0, 1, 2, 0, 1].as_slice()));
    let mut rng = Pcg64::seed_from_u64(2);
    for i in 0..5 {
        assert_eq!(set.image(i), tiny_images::image(set.labels[i], &mut rng), "image {i}");
    }
    // Two files, one after the other.
    let labels = folder.join("both.json");
    std::fs::write(&labels, "[0,1,2,0, 0,1,2,0,1]").unwrap();
    let files = ["data_batch_1.png", "test_batch.png"].map(|name| folder.join(name));
    let both = read_images(&files, &labels, SIDE, CLASSES).unwrap().0;
    assert_eq!(&both.pixels[4 * both.bytes_each()..], set.pixels);
}

#[test]
fn what_is_wrong_with_images_is_said() {
    let data = tempfile::tempdir().unwrap();
    tiny_images::write(data.path(), 3, 4);
    let folder = data.path().join("tiny");
    let message = |labels: &str, side: usize| {
        let path = folder.join("labels.json");
        std::fs::write(&path, labels).unwrap();
        let files = [folder.join("test_batch.png")];
        read_images(&files, &path, side, CLASSES).unwrap_err().to_string()
    };
    assert!(message("[0,1,3,0]", SIDE).contains("labels.json: row 3, field 1: 3 is not a label"));
    assert!(message("[0,1,-1,0]", SIDE).contains("row 3, field 1: -1"));
    assert!(message("{}", SIDE).contains("not a list of labels"));
    assert!(message("[]", SIDE).contains("no labels"));
    assert!(message("[0,1,2]", SIDE).contains("labels are left for 3 only"));
    assert!(message("[0,1,2,0,1]", SIDE).contains("4 images up to here, but 5 labels"));
    assert!(message("[0,1,2,0]", 9).contains("64 pixels a row, expected 81"));
    let counts = folder.join("counts.npy");
    let counted = |shape, least| read_counts(&counts, shape, least).unwrap_err().to_string();
    assert!(counted((5, 3), 1).contains("shape (4, 3), expected (5, 3)"));
    assert!(counted((4, 3), 21).contains("row 1, field 1: 20 answers, expected at least 21"));
    std::fs::write(&counts, tiny_images::npy(&[vec![1, 2], vec![3, -4]])).unwrap();
    assert!(counted((2, 2), 1).contains("row 2, field 2: -4 is not a number of people"));
}

/// Whatever happens to a file, the loader answers, and with no more images than there are labels.
/// A damaged picture must not be taken for a whole one: its checksums are there to tell.
#[test]
fn damaged_pictures_are_refused() {
    let data = tempfile::tempdir().unwrap();
    tiny_images::write(data.path(), 3, 6);
    let folder = data.path().join("tiny");
    let (path, good) = (folder.join("test_batch.png"), load(&folder).unwrap());
    let bytes = std::fs::read(&path).unwrap();
    let mut rng = Pcg64::seed_from_u64(5);
    let mut other_pixels = 0;
    let mut attempt = |damaged: &[u8]| {
        std::fs::write(&path, damaged).unwrap();
        if let Ok(set) = load(&folder) {
            assert_eq!(set.len(), good.len());
            other_pixels += usize::from(set != good);
        }
    };
    for _ in 0..600 {
        let mut damaged = bytes.clone();
        match rng.random_range(0..4u32) {
            0 => damaged.truncate(rng.random_range(0..bytes.len() as u32) as usize),
            1 => {
                let at = rng.random_range(0..bytes.len() as u32) as usize;
                damaged.insert(at, rng.random());
            }
            _ => {
                for _ in 0..rng.random_range(1..4u32) {
                    let at = rng.random_range(0..bytes.len() as u32) as usize;
                    damaged[at] ^= 1 << rng.random_range(0..8u32);
                }
            }
        }
        attempt(&damaged);
    }
    assert_eq!(other_pixels, 0);
    // A header, with its checksum, that promises two thousand million rows.
    let mut promise = bytes.clone();
    promise[20..24].copy_from_slice(&0x7fff_ffffu32.to_be_bytes());
    let sum = crc(&promise[12..29]);
    promise[29..33].copy_from_slice(&sum.to_be_bytes());
    std::fs::write(&path, &promise).unwrap();
    let message = load(&folder).unwrap_err().to_string();
    assert!(message.contains("2147483647 images, but labels are left for 6 only"), "{message}");
}

/// The checksum of PNG, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 }
        })
    })
}

fn human_images(data: &Path, config: &Cifar10hConfig) -> Arc<HumanImages> {
    let files = config.locate(&[data.to_owned()]).unwrap();
    Arc::new(HumanImages::read(config, &files).unwrap().0)
}

/// Noise of CIFAR-10-C by its formula: bytes, at most those of the clean image plus the noise, and
/// the same for an image whichever run meets it.
#[test]
fn noise_belongs_to_the_image() {
    let data = tempfile::tempdir().unwrap();
    tiny_images::write(data.path(), 3, 60);
    let (noisy, clean) = (config(), Cifar10hConfig { noise_sigma: 0.0, ..config() });
    let (noisy, clean) = (human_images(data.path(), &noisy), human_images(data.path(), &clean));
    let (mut x, mut x0, mut sum, mut squares, mut count) = (vec![], vec![], 0.0, 0.0, 0.0);
    for i in 0..60 {
        noisy.corrupted(i, &mut x);
        clean.corrupted(i, &mut x0);
        for (&v, &v0) in x.iter().zip(&x0) {
            let byte = v * 255.0;
            assert!((byte - byte.round()).abs() < 1e-9 && (0.0..=255.0).contains(&byte));
            // Away from the ends nothing is cut off, and rounding down takes half a step.
            if (0.3..0.7).contains(&v0) {
                let noise = v + 0.5 / 255.0 - v0;
                sum += noise;
                squares += noise * noise;
                count += 1.0;
            }
        }
    }
    // About 4,000 draws: five standard errors, a false alarm in a million.
    let (mean, sd) = (sum / count, (squares / count).sqrt());
    assert!(count > 1000.0 && mean.abs() < 5.0 * 0.06 / f64::sqrt(count), "{mean} of {count}");
    assert!((sd / 0.06 - 1.0).abs() < 5.0 / f64::sqrt(2.0 * count), "{sd}");
    let first_of = |seed| {
        let mut stream = Cifar10h::new(noisy.clone(), seed);
        let mut images: Vec<Vec<u64>> = (0..60)
            .map(|_| stream.next_round().unwrap().x.values().iter().map(|v| v.to_bits()).collect())
            .collect();
        let order = images.clone();
        images.sort();
        (order, images)
    };
    let ((order, images), (other_order, same_images)) = (first_of(1), first_of(2));
    assert!(order != other_order && images == same_images);
}

/// What stands for an image changes the input and nothing else of a round; the probabilities of the classes
/// tell the made-up images apart.
#[test]
fn features_stand_for_images() {
    let data = tempfile::tempdir().unwrap();
    tiny_images::write(data.path(), 90, 6);
    let stream = |features| {
        Cifar10h::new(human_images(data.path(), &Cifar10hConfig { features, ..config() }), 5)
    };
    let mut pixels = stream(None);
    let mut edges = stream(Some(ImageFeatures::Edges));
    let mut classes = stream(Some(ImageFeatures::ClassProbabilities));
    assert_eq!((pixels.dim(), edges.dim(), classes.dim()), (SIDE * SIDE * 3, 16 * 12, CLASSES));
    let mut told = 0;
    for _ in 0..60 {
        let (a, b) = (pixels.next_round().unwrap(), edges.next_round().unwrap());
        let c = classes.next_round().unwrap();
        assert_eq!((a.label, a.costs), (b.label, b.costs));
        assert_eq!((a.label, a.costs), (c.label, c.costs));
        let p = c.x.values();
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        told += usize::from(p.iter().all(|&other| other <= p[c.label.unwrap()]));
    }
    assert!(told > 30, "{told}");
}

/// On the labels it knows an expert is right as often as its people (16 of 20), elsewhere as often
/// as a guess among three, and both are what the round says of its own law.
#[test]
fn experts_are_as_good_as_the_people_behind_them() {
    let data = tempfile::tempdir().unwrap();
    tiny_images::write(data.path(), 3, 300);
    let mut stream = Cifar10h::new(human_images(data.path(), &config()), 7);
    let rounds = 6000;
    let (mut known, mut guessed, mut exact) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    for _ in 0..rounds {
        let round = stream.next_round().unwrap();
        let scores = round.scores.unwrap();
        assert_eq!(scores[round.label.unwrap()], 1.0);
        for j in 0..2 {
            let right = round.right.expert(j).unwrap();
            let cost = if right { 0.05 / 1.05 } else { 1.0 };
            assert!((round.costs[j] - cost).abs() < 1e-12);
            let knows = [vec![0], vec![1, 2]][j].contains(&round.label.unwrap());
            let cell = if knows { &mut known } else { &mut guessed };
            cell[0] += f64::from(u8::from(right));
            cell[1] += 1.0;
            exact[0] += scores[CLASSES + j] - (1.0 - round.costs[j]);
            exact[1] += 1.0;
        }
    }
    // Five standard errors each: a false alarm in a million.
    let near = |[right, all]: [f64; 2], p: f64| {
        (right / all - p).abs() < 5.0 * (p * (1.0 - p) / all).sqrt()
    };
    assert!(near(known, 0.8), "{known:?}");
    assert!(near(guessed, 1.0 / 3.0), "{guessed:?}");
    assert!((exact[0] / exact[1]).abs() < 5.0 * 0.5 / f64::sqrt(exact[1]), "{exact:?}");
}
