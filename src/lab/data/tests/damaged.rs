//! Whatever a file holds, a loader answers: no panic, no long wait, and no more memory than the
//! file is worth. Arbitrary bytes rarely get far into a parser, so valid files are also broken.

use super::broken_bytes::{broken, edits};
use crate::data::{
    Classes, Columns, read_answers, read_labels, read_npy, read_svmlight, read_table,
};
use crate::stream::{LineFormat, Recording};
use problem::ExpertCost;
use proptest::prelude::*;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Svmlight,
    SvmlightGz,
    Npy,
    Labels,
    Answers,
    AnswersGz,
    Table,
    Lines,
}

const KINDS: [Kind; 8] = [
    Kind::Svmlight,
    Kind::SvmlightGz,
    Kind::Npy,
    Kind::Labels,
    Kind::Answers,
    Kind::AnswersGz,
    Kind::Table,
    Kind::Lines,
];

/// Bytes a loader may hold for each byte of its file: a row of two bytes (`0\n`) becomes a label, an
/// offset and bookkeeping of eight bytes each, in buffers that double.
const PER_BYTE: u64 = 100;

/// What it may hold for any file: read buffers and the tables of the unpacker.
const FREE: u64 = 1 << 20;

/// On a busy machine, for files of a few kilobytes.
const PATIENCE: Duration = Duration::from_secs(20);

impl Kind {
    /// A file as it should be.
    fn valid(self) -> Vec<u8> {
        match self {
            Kind::Svmlight => b"0 1:0.5 3:-2e-3 # words\n2 2:1\n\n1 1:1 2:2 5:3\n".repeat(3),
            Kind::SvmlightGz => gzip(&Kind::Svmlight.valid()),
            Kind::Npy => npy("3, 2", "<f8", &[0x3f; 48]),
            Kind::Labels => b"0\n1\n2\n\n1\n".to_vec(),
            Kind::Answers => b"-1 0 2\n1 -1 -1\n2 2 2\n".to_vec(),
            Kind::AnswersGz => gzip(&Kind::Answers.valid()),
            Kind::Table => b"a,truth,ann,b,bob\n1,0,,2,1\n-3, 1 ,2,\"4\",-1\n5e-1,2,1,6,0\n".to_vec(),
            Kind::Lines => b"{\"x\":[1,2],\"label\":1,\"answers\":[1,null]}\n\n{\"x\":[0,1],\"label\":0,\"costs\":[0.5,1.0],\"available\":[1]}\n".to_vec(),
        }
    }

    /// Loads the file and checks what came of it, if anything did.
    fn load(self, path: &Path) -> bool {
        let cost = ExpertCost::new(1.0, 0.1).unwrap();
        match self {
            Kind::Svmlight | Kind::SvmlightGz => {
                let Ok(data) = read_svmlight(path, 5, 3) else { return false };
                assert_eq!(data.rows.len(), data.labels.len());
                assert!(data.labels.iter().all(|&label| label < 3));
                let rows = (0..data.rows.len()).map(|i| data.rows.row(i));
                assert!(rows.flat_map(|r| r.values).all(|v| v.is_finite()));
            }
            Kind::Npy => {
                let Ok((array, _)) = read_npy(path) else { return false };
                assert_eq!(array.values.len(), array.rows * array.columns);
                assert!(array.values.iter().all(|v| v.is_finite()));
            }
            Kind::Labels => {
                let Ok((labels, _)) = read_labels(path, 3) else { return false };
                assert!(labels.iter().all(|&label| label < 3));
            }
            Kind::Answers | Kind::AnswersGz => {
                let Ok((answers, _)) = read_answers(path, 3) else { return false };
                assert!(answers.iter().flatten().flatten().all(|&answer| answer < 3));
                assert!(answers.iter().all(|row| row.len() == answers[0].len()));
            }
            Kind::Table => {
                let experts = ["ann".to_string(), "bob".to_string()];
                let columns =
                    Columns { label: "truth", experts: &experts, features: None, text: None };
                let Ok((table, _)) = read_table(path, columns, &Classes::Count(3)) else {
                    return false;
                };
                assert_eq!(table.inputs.len(), table.labels.len());
                assert!(table.answers.iter().all(|row| row.len() == 2));
            }
            Kind::Lines => {
                let Ok(text) = std::fs::read_to_string(path) else { return false };
                let Ok(recording) = Recording::read(&text, &LineFormat::new(3, cost)) else {
                    return false;
                };
                assert!(recording.rounds() > 0 && recording.rho().is_finite());
            }
        }
        true
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gz.write_all(bytes).unwrap();
    gz.finish().unwrap()
}

fn npy(shape: &str, kind: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

/// Whether `work` keeps within what a file of `size` bytes is worth.
fn modest(size: usize, work: impl FnOnce()) -> Result<(), String> {
    let start = Instant::now();
    let held = allocation_counter::measure(work).bytes_max;
    let allowed = PER_BYTE * size as u64 + FREE;
    match (held > allowed, start.elapsed() > PATIENCE) {
        (true, _) => Err(format!("{held} bytes held for a file of {size}, allowed {allowed}")),
        (_, true) => Err(format!("{:?} for a file of {size} bytes", start.elapsed())),
        _ => Ok(()),
    }
}

fn check(kind: Kind, bytes: &[u8]) -> Result<bool, String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let mut loaded = false;
    modest(bytes.len(), || loaded = kind.load(file.path()))
        .map_err(|e| format!("{kind:?}: {e}"))?;
    Ok(loaded)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for kind in KINDS {
            let answer = check(kind, &bytes);
            prop_assert!(answer.is_ok(), "{answer:?}");
        }
    }

    #[test]
    fn broken_files(edits in edits()) {
        for kind in KINDS {
            let answer = check(kind, &broken(kind.valid(), &edits));
            prop_assert!(answer.is_ok(), "{answer:?}");
        }
    }

    /// What is gzipped is broken before it is packed as well: checksums stop most other damage.
    #[test]
    fn broken_content_well_packed(edits in edits()) {
        for (kind, inside) in [(Kind::SvmlightGz, Kind::Svmlight), (Kind::AnswersGz, Kind::Answers)] {
            let answer = check(kind, &gzip(&broken(inside.valid(), &edits)));
            prop_assert!(answer.is_ok(), "{answer:?}");
        }
    }
}

#[test]
fn files_that_are_right_are_read() {
    for kind in KINDS {
        assert_eq!(check(kind, &kind.valid()), Ok(true), "{kind:?}");
    }
}

/// The check itself: a loader that believes what a header promises, and one that never comes back.
#[test]
fn a_credulous_loader_is_caught() {
    let promised = modest(100, || drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 26))));
    assert!(promised.unwrap_err().contains("bytes held"));
    assert_eq!(modest(100, || drop(std::hint::black_box(vec![0u8; 1 << 12]))), Ok(()));
}

#[test]
fn headers_may_promise_anything() {
    let huge =
        ["4294967296, 4294967296", "18446744073709551615, 2", "0, 99999999999", "1000000, 64"];
    for shape in huge {
        for kind in ["<f8", "<f4", "<i8", "|u1"] {
            let loaded = check(Kind::Npy, &npy(shape, kind, &[0; 16])).unwrap();
            assert!(!loaded || shape.starts_with('0'), "{shape} {kind}");
        }
    }
    // No room for the header it announces.
    assert_eq!(check(Kind::Npy, b"\x93NUMPY\x02\x00\xff\xff\xff\xff{"), Ok(false));
}

/// A few kilobytes that unpack to 16 MiB: refused, whatever is inside, at a bounded cost.
#[test]
fn bombs_do_not_go_off() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    let pool = pool.unwrap();
    for text in [&b"0\n"[..], b"0 1:1\n", b"\n", b"1 "] {
        let bomb = gzip(&text.repeat((16 << 20) / text.len()));
        for kind in [Kind::SvmlightGz, Kind::AnswersGz] {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&bomb).unwrap();
            let mut loaded = false;
            let held = allocation_counter::measure(|| {
                pool.install(|| loaded = kind.load(file.path()));
            });
            assert!(!loaded, "{kind:?} {text:?}");
            let most = 128 << 20;
            assert!(held.bytes_max < most, "{kind:?} {text:?}: {} bytes", held.bytes_max);
        }
    }
}
