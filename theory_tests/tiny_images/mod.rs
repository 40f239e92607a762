//! A made-up image set in the files of the real one: 8 x 8 pixels, three classes, one a colour.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::path::Path;

pub const SIDE: usize = 8;
pub const CLASSES: usize = 3;

/// Pixels of an image of that class: a bright patch of its colour somewhere on dim noise.
pub fn image(label: usize, rng: &mut Pcg64) -> Vec<u8> {
    let mut pixels: Vec<u8> =
        (0..SIDE * SIDE * 3).map(|_| rng.random_range(0..120u32) as u8).collect();
    let (top, left) = (rng.random_range(0..5u32) as usize, rng.random_range(0..5u32) as usize);
    for row in top..top + 4 {
        for column in left..left + 4 {
            pixels[(row * SIDE + column) * 3 + label] = 230;
        }
    }
    pixels
}

pub fn png(images: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, (SIDE * SIDE) as u32, images.len() as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&images.concat()).unwrap();
    writer.finish().unwrap();
    bytes
}

/// A NumPy array of counts.
pub fn npy(rows: &[Vec<i64>]) -> Vec<u8> {
    let shape = format!("{}, {}", rows.len(), rows.first().map_or(0, Vec::len));
    let text = format!("{{'descr': '<i8', 'fortran_order': False, 'shape': ({shape}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    rows.iter().flatten().for_each(|v| bytes.extend(v.to_le_bytes()));
    bytes
}

/// Writes `images` with their labels.
pub fn write_images(
    folder: &Path,
    png_name: &str,
    labels_name: &str,
    count: usize,
    seed: u64,
) -> Vec<usize> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let labels: Vec<usize> = (0..count).map(|i| i % CLASSES).collect();
    let images: Vec<Vec<u8>> = labels.iter().map(|&label| image(label, &mut rng)).collect();
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join(png_name), png(&images)).unwrap();
    std::fs::write(folder.join(labels_name), serde_json::to_string(&labels).unwrap()).unwrap();
    labels
}

/// The whole set under the data folder `data`: of twenty people sixteen agree with the label.
pub fn write(data: &Path, train: usize, test: usize) {
    let folder = data.join("tiny");
    write_images(&folder, "data_batch_1.png", "train_lables.json", train, 1);
    let labels = write_images(&folder, "test_batch.png", "test_lables.json", test, 2);
    let counts: Vec<Vec<i64>> = labels
        .iter()
        .map(|&label| (0..CLASSES).map(|c| if c == label { 16 } else { 2 }).collect())
        .collect();
    std::fs::write(folder.join("counts.npy"), npy(&counts)).unwrap();
}
