//! Loaders on real files, where there are any, and what stands in for them where there are none.

use crate::data::{find, read_answers, read_labels, read_npy, read_svmlight, standin};

/// The file, or `None` with a word about it: a check that did not run is never silent.
fn found(name: &str) -> Option<std::path::PathBuf> {
    let found = find(name);
    if let Err(error) = &found {
        eprintln!("not checked: {error}");
    }
    found.ok()
}

#[test]
fn reuters4_is_as_described() {
    let Some(path) = found("reuters4/reuters4.svm.gz") else { return };
    let data = read_svmlight(&path, 47_236, 4).unwrap();
    assert_eq!(data.labels.len(), 23_428);
    let mut counts = [0; 4];
    data.labels.iter().for_each(|&label| counts[label] += 1);
    assert_eq!(counts, [9616, 1915, 5244, 6653]);
    let mut stored = 0;
    for i in 0..data.rows.len() {
        let row = data.rows.row(i);
        stored += row.values.len();
        let norm2: f64 = row.values.iter().map(|v| v * v).sum();
        assert!((norm2 - 1.0).abs() < 1e-4, "{norm2}");
    }
    assert_eq!(stored, 1_778_451 - 23_428);
}

#[test]
fn human_answers_are_as_described() {
    let Some(path) = found("cifar10h/cifar10h-counts.npy") else { return };
    let counts = read_npy(&path).unwrap().0;
    assert_eq!((counts.rows, counts.columns), (10_000, 10));
    assert!((0..counts.rows).all(|i| counts.row(i).iter().sum::<f64>() >= 40.0));
}

#[test]
fn annotators_are_as_described() {
    let Some(answers) = found("labelme/answers.txt") else { return };
    let answers = read_answers(&answers, 8).unwrap().0;
    assert!(answers.iter().all(|row| row.len() == 59));
    let labels = find("labelme/LabelMe_Z_train.txt").unwrap();
    let (labels, _) = read_labels(&labels, 8).unwrap();
    let features = read_npy(&find("labelme/LabelMe_VGG_avg_train.npy").unwrap()).unwrap().0;
    assert_eq!((features.rows, features.columns), (1000, 512));
    assert_eq!((labels.len(), answers.len()), (1000, 1000));
    let given = answers.iter().flatten().flatten().count();
    assert!(given > 2000, "{given} answers");
}

#[test]
fn a_broken_array_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let header = |shape: &str, kind: &str| {
        let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(((text.len() + 1) as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.push(b'\n');
        bytes
    };
    let read = |bytes: Vec<u8>| {
        std::fs::write(&path, bytes).unwrap();
        read_npy(&path).map(|(array, _)| array)
    };
    let mut good = header("1, 2", "<f8");
    good.extend(1.5f64.to_le_bytes());
    good.extend((-2f64).to_le_bytes());
    assert_eq!(read(good.clone()).unwrap().row(0), [1.5, -2.0]);
    let mut nan = header("1, 2", "<f8");
    nan.extend(1.5f64.to_le_bytes());
    nan.extend(f64::NAN.to_le_bytes());
    assert!(read(nan).unwrap_err().to_string().contains("row 1, field 2: NaN is not finite"));
    // Whatever the header says, there is an answer and no panic.
    for cut in 0..good.len() {
        assert!(read(good[..cut].to_vec()).is_err());
        let mut changed = good.clone();
        changed[cut] ^= 0x15;
        let _ = read(changed);
    }
    for (bytes, part) in [
        (b"not an array".to_vec(), "x.npy"),
        (good[..good.len() - 3].to_vec(), "x.npy"),
        (header("100000000000, 100000000000", "<f8"), "does not fit"),
        (header("3", "<f8"), "two dimensions"),
        (header("1, 1", "<c16"), "x.npy"),
    ] {
        let message = read(bytes).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn stand_ins_have_the_shape_of_what_they_stand_for() {
    let data = standin::reuters4();
    assert_eq!((data.inputs.len(), data.inputs.dim(), data.classes), (23_428, 47_236, 4));
    let mut counts = [0; 4];
    data.labels.iter().for_each(|&label| counts[label] += 1);
    assert_eq!(counts, [9616, 1915, 5244, 6653]);
    for i in (0..data.inputs.len()).step_by(97) {
        let values = data.inputs.row(i).values();
        assert_eq!(values.len(), 75);
        assert!((values.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-12);
    }
    let data = standin::labelme();
    assert_eq!((data.inputs.len(), data.inputs.dim()), (1000, 512));
    let given = |row: &Vec<Option<usize>>| row.iter().flatten().count();
    let with = |n| data.answers.iter().filter(|row| given(row) == n).count();
    assert_eq!([with(1), with(2), with(3)], [42, 369, 589]);
    assert!(data.answers.iter().all(|row| row.len() == 59));
    let right = data.answers.iter().zip(&data.labels);
    let right =
        right.map(|(row, y)| row.iter().flatten().filter(|a| *a == y).count()).sum::<usize>();
    let share = right as f64 / (42.0 + 2.0 * 369.0 + 3.0 * 589.0);
    assert!((0.6..0.85).contains(&share), "{share}");
}
