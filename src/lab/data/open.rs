//! Files that are unpacked and hashed while they are read.

use super::DataError;
use crate::limits;
use flate2::bufread::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A gzipped file may unpack to this many times its size and [`FREE`] bytes more; text compresses
/// ten-fold at most, and gzip can pack zeros a thousand-fold.
const EXPANSION: u64 = 50;

/// What any gzipped file may unpack to.
const FREE: u64 = 1 << 22;

const BUFFER: usize = 1 << 18;

/// The content of a file, unpacked if it is gzipped.
pub(crate) struct Opened {
    path: PathBuf,
    content: Content,
}

enum Content {
    Plain(Hashed),
    Gzip { text: Box<MultiGzDecoder<Hashed>>, left: u64 },
}

impl Opened {
    pub(crate) fn new(path: &Path) -> Result<Self, DataError> {
        let io = || DataError::io(path);
        let file = File::open(path).map_err(io())?;
        let size = file.metadata().map_err(io())?.len();
        let file = BufReader::with_capacity(BUFFER, file);
        let mut file = Hashed { file, hash: Sha256::new() };
        let content = if file.fill_buf().map_err(io())?.starts_with(&[0x1f, 0x8b]) {
            let left = size.saturating_mul(EXPANSION).saturating_add(FREE);
            Content::Gzip { text: Box::new(MultiGzDecoder::new(file)), left }
        } else {
            Content::Plain(file)
        };
        Ok(Opened { path: path.to_owned(), content })
    }

    /// All bytes of a file, unpacked, and the `SHA-256` of the file.
    pub(super) fn bytes(path: &Path) -> Result<(Vec<u8>, String), DataError> {
        let mut file = Opened::new(path)?;
        let mut bytes = Vec::new();
        file.append_to(&mut bytes, limits::FILE_BYTES.most)?;
        Ok((bytes, file.sha256()?))
    }

    /// All text of a file, and the `SHA-256` of the file.
    pub(crate) fn text(path: &Path) -> Result<(String, String), DataError> {
        let mut file = Opened::new(path)?;
        let mut bytes = Vec::new();
        let mut line = 0;
        loop {
            let before = bytes.len();
            if file.append_to(&mut bytes, BUFFER as u64)? == 0 {
                break;
            }
            // A file without line breaks must not be read for ever.
            let end = bytes[before..].iter().rposition(|&b| b == b'\n');
            line = end.map_or(line, |end| before + end + 1);
            limits::LINE_BYTES
                .check((bytes.len() - line) as u64)
                .map_err(DataError::limit(path))?;
        }
        // A byte order mark, which some editors write, is no part of the text.
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            let row = e.as_bytes()[..e.utf8_error().valid_up_to()].split(|&b| b == b'\n').count();
            DataError::shape(path, format!("row {row} is not UTF-8 text"))
        })?;
        Ok((text, file.sha256()?))
    }

    /// Appends at most `most` bytes and says how many.
    fn append_to(&mut self, bytes: &mut Vec<u8>, most: u64) -> Result<usize, DataError> {
        let path = self.path.clone();
        let read = self.by_ref().take(most.saturating_add(1)).read_to_end(bytes);
        let read = read.map_err(DataError::io(&path))?;
        limits::FILE_BYTES.check(bytes.len() as u64).map_err(DataError::limit(&path))?;
        Ok(read)
    }

    /// `SHA-256` of the file as it is on the disk, to its end.
    pub(crate) fn sha256(self) -> Result<String, DataError> {
        let mut file = match self.content {
            Content::Plain(file) => file,
            Content::Gzip { text, .. } => text.into_inner(),
        };
        io::copy(&mut file, &mut io::sink()).map_err(DataError::io(&self.path))?;
        Ok(hex::encode(file.hash.finalize()))
    }
}

/// `SHA-256` of a file.
///
/// # Errors
/// It cannot be read.
pub(crate) fn sha256_of(path: &Path) -> Result<String, DataError> {
    Opened::new(path)?.sha256()
}

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.content {
            Content::Plain(file) => file.read(buffer),
            Content::Gzip { text, left } => {
                let read = text.read(buffer)?;
                *left = left.checked_sub(read as u64).ok_or_else(|| {
                    let what = format!("unpacks to more than {EXPANSION} times its size: if it is meant to, unpack it first");
                    io::Error::new(io::ErrorKind::InvalidData, what)
                })?;
                Ok(read)
            }
        }
    }
}

/// A file that hashes what is taken from it.
struct Hashed {
    file: BufReader<File>,
    hash: Sha256,
}

impl BufRead for Hashed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.file.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.hash.update(&self.file.buffer()[..amount]);
        self.file.consume(amount);
    }
}

impl Read for Hashed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bom.txt");
        std::fs::write(&path, b"\xef\xbb\xbfab\n").unwrap();
        assert_eq!(Opened::text(&path).unwrap().0, "ab\n");
    }

    /// A sparse file of zeros stands in for one that never ends.
    #[test]
    fn a_line_without_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zeros.txt");
        File::create(&path).unwrap().set_len(1 << 24).unwrap();
        let message = Opened::text(&path).unwrap_err().to_string();
        assert!(message.contains("bytes in one line: at most 4194304"), "{message}");
        std::fs::write(&path, "ab\n".repeat(3_000_000)).unwrap();
        assert_eq!(Opened::text(&path).unwrap().0.len(), 9_000_000);
        #[cfg(unix)]
        assert!(Opened::text(Path::new("/dev/zero")).is_err());
    }
}
