//! Lines and what is wrong with them.

use super::*;
use crate::stream::Stream;
use problem::{TEXT_DIM, hash_text};

fn paper() -> ExpertCost {
    ExpertCost::new(1.0, 0.1).unwrap()
}

fn two_classes() -> LineFormat<'static> {
    LineFormat::new(2, paper())
}

fn message(text: &str, format: &LineFormat<'_>) -> String {
    Recording::read(text, format).unwrap_err().to_string()
}

#[test]
fn both_forms_and_their_faults() {
    let text = r#"{"x":[1,2],"label":1,"answers":[1,null]}

{"x":[0,1],"label":0,"costs":[0.5,1.0],"available":[1]}
{"x":[0,1],"label":0,"costs":[0.25,null]}"#;
    let recording = Arc::new(Recording::read(text, &two_classes()).unwrap());
    let mut stream = Recorded::once(recording.clone());
    let first = stream.next_round().unwrap();
    assert_eq!(first.costs, [0.1 / 1.1, 1.0]);
    assert_eq!(first.active.experts().collect::<Vec<_>>(), [0]);
    let expert = first.active.space().expert(0).unwrap();
    assert_eq!(first.is_right(expert), Some(true));
    let second = stream.next_round().unwrap();
    assert_eq!(second.costs, [0.5, 1.0]);
    assert_eq!(second.active.experts().collect::<Vec<_>>(), [1]);
    // A cost does not say who was right, and nobody pretends that it does.
    assert_eq!(second.is_right(expert), None);
    assert_eq!(second.is_right(second.active.space().class(0).unwrap()), Some(true));
    let third = stream.next_round().unwrap();
    assert_eq!(third.active.experts().collect::<Vec<_>>(), [0]);
    assert!(stream.next_round().is_none());
    assert_eq!(recording.rho(), 6f64.sqrt());
    let message = |line: &str| {
        let text = format!("{}\n{line}", r#"{"x":[1],"label":0,"answers":[0]}"#);
        message(&text, &two_classes())
    };
    assert!(message("{").starts_with("line 2: "));
    assert!(message(r#"{"x":[1],"label":2,"answers":[0]}"#).contains("label: class 2"));
    assert!(message(r#"{"x":[1],"label":0,"answers":[5]}"#).contains("answers[0]: class 5"));
    assert!(message(r#"{"x":[1,2],"label":0,"answers":[0]}"#).contains("x has 2 entries"));
    assert!(message(r#"{"x":[1],"label":0,"costs":[1.5]}"#).contains("costs[0] = 1.5"));
    assert!(message(r#"{"x":[1],"label":0}"#).contains("one of `answers`, `costs`"));
    assert!(message(r#"{"x":[1],"label":0,"anwsers":[0]}"#).contains("unknown field"));
    let word = message(r#"{"x":[1],"label":0,"answers":["cat"]}"#);
    assert!(word.contains("answers[0]: \"cat\" is not a class, expected 0..2"), "{word}");
    assert!(message(r#"{"x":[1],"label":0.5,"answers":[0]}"#).contains("label: invalid value"));
    assert!(message(r#"{"x":[1],"label":-1,"answers":[0]}"#).contains("no `label`"));
    let nan = message(r#"{"x":[1],"label":0,"costs":[NaN]}"#);
    assert!(nan.contains("costs[0]: expected value (NaN and Infinity are not JSON"), "{nan}");
    assert!(message(r#"{"x":[1],"x":[2],"label":0,"answers":[0]}"#).contains("`x` is there twice"));
    assert!(message(r#"{"x":[1],"answers":[0]}"#).contains("no `label`"));
    assert!(message(r#"{"label":0,"answers":[0]}"#).contains("either `x` or `text`"));
    assert!(message(r#"{"x":[1],"text":"a","label":0,"answers":[0]}"#).contains("either `x`"));
    assert!(message(r#"{"text":"a","label":0,"answers":[0]}"#).contains("the input is text"));
    assert!(message(r#"{"x":{"0":1},"label":0,"answers":[0]}"#).contains("input is sparse"));
    assert!(message(r#"{"x":[1],"label":0,"answers":{"ann":0}}"#).contains("in `experts`"));
    let list = r#"{"x":[1],"label":0,"costs":[null],"available":[0]}"#;
    assert!(message(list).contains("0 is `available`, but its value is null"));
    assert!(message(&list.replace("[0]}", "[7]}")).contains("available: expert 7"));
    assert_eq!(Recording::read("", &two_classes()).unwrap_err(), RecordedError::Empty);
}

#[test]
fn sparse_and_dense_inputs_agree() {
    let sparse = r#"{"x":{"2":-4,"0":3},"label":1,"answers":[1]}
{"x":{},"label":0,"answers":[null]}"#;
    let dense = r#"{"x":[3,0,-4],"label":1,"answers":[1]}
{"x":[0,0,0],"label":0,"answers":[null]}"#;
    let format = LineFormat { dim: Some(3), ..two_classes() };
    let of = |text: &str| Recording::read(text, &format).unwrap();
    let (mut sparse, mut dense) = (of(sparse), of(dense));
    assert_eq!(format!("{:?}", sparse.entries), format!("{:?}", dense.entries));
    for recording in [&mut sparse, &mut dense] {
        recording.scale_to_unit_norm();
        let mut values = [0.0; 3];
        recording.inputs.row(0).for_each(|j, v| values[j] = v);
        assert!((values[0] - 0.6).abs() < 1e-15 && (values[2] + 0.8).abs() < 1e-15);
        assert_eq!((values[1], recording.rho()), (0.0, 2f64.sqrt()));
    }
    let line = r#"{"x":{"5":1},"label":1,"answers":[1]}"#;
    assert!(message(line, &format).contains("feature index 5 at position 0 is out of range"));
    let twice = line.replace("{\"5\":1}", r#"{"1":1,"1":2}"#);
    assert!(message(&twice, &format).contains("indices must increase"));
    assert!(message(&line.replace("\"5\"", "\"a\""), &format).contains("line 1: x"));
    assert!(message(line, &two_classes()).contains("how many features there are (`dim`)"));
    let list = r#"{"x":[1],"label":1,"answers":[1]}"#;
    assert!(message(list, &format).contains("list of 1 numbers, but `dim` is 3"));
}

#[test]
fn text_is_hashed() {
    let line = r#"{"text":"Hello, World","label":1,"answers":[1]}"#;
    let recording = Recording::read(line, &two_classes()).unwrap();
    let (indices, values) = hash_text("hello world", TEXT_DIM).unwrap();
    assert_eq!(recording.dim(), TEXT_DIM);
    let mut seen = (Vec::new(), Vec::new());
    recording.inputs.row(0).for_each(|j, v| {
        seen.0.push(j as u32);
        seen.1.push(v);
    });
    assert_eq!(seen, (indices, values));
    let format = LineFormat { dim: Some(1000), ..two_classes() };
    assert!(message(line, &format).contains("dim = 1000: expected a power of two"));
}

/// Names in place of positions, and prices that rank as `reward - exchange * price`.
#[test]
fn rewards_and_prices_by_hand() {
    let names = ["small".to_string(), "large".into()];
    let format =
        LineFormat { experts: Some(&names), exchange: Some(2.0), ..LineFormat::new(2, paper()) };
    let text = r#"{"x":[1],"label":0,"rewards":{"large":1.0,"small":0.5},"prices":{"small":0.25,"large":0.75}}
{"x":[1],"label":0,"rewards":{"small":0.5},"prices":{"small":0.5}}
{"x":[1],"label":0,"rewards":[0.5,1.0],"prices":[0,0],"available":["large"]}"#;
    let recording = Recording::read(text, &format).unwrap();
    // The scale is 1 + 2 * 0.75.
    assert_eq!(recording.entries[0].costs, [(0.5 + 0.5) / 2.5, 1.5 / 2.5]);
    assert_eq!(recording.entries[1].costs, [1.5 / 2.5, 1.0]);
    assert_eq!(recording.entries[1].active.get().experts().collect::<Vec<_>>(), [0]);
    assert_eq!(recording.entries[2].active.get().experts().collect::<Vec<_>>(), [1]);
    let Outcome::Grades(grades) = &recording.entries[0].outcome else { panic!("no grades") };
    assert_eq!((&grades.reward[..], &grades.price[..]), (&[0.5, 1.0][..], &[0.25, 0.75][..]));
    let wrong = |from: &str, to: &str| {
        let line = text.lines().next().unwrap();
        assert!(line.contains(from), "{from}");
        message(&line.replace(from, to), &format)
    };
    assert_eq!(
        wrong("\"large\":1.0", "\"larg\":1.0"),
        "line 1: rewards: there is no expert \"larg\"; did you mean \"large\"?"
    );
    assert!(wrong("\"small\":0.5}", "\"small\":1.5}").contains("rewards[small] = 1.5"));
    assert!(wrong("0.75", "-0.75").contains("prices[large] = -0.75: expected a finite"));
    assert!(wrong(",\"large\":0.75", "").contains("large earns something and has no price"));
    assert!(wrong("\"small\":0.5}", "\"large\":0.5}").contains("\"large\" is there twice"));
    let no_rate = LineFormat { exchange: None, ..format };
    assert!(message(text, &no_rate).contains("(`exchange`)"));
    let rate = LineFormat { exchange: Some(-1.0), ..format };
    assert!(message(text, &rate).starts_with("exchange = -1"));
    let huge = LineFormat { exchange: Some(f64::MAX), ..format };
    assert!(Recording::read(&text.replace("0.75", "1e300"), &huge).is_err());
    assert!(wrong("\"rewards\"", "\"costs\"").contains("`prices` belong to `rewards`"));
}

/// Classes that only judge, rounds without labels, and experts who come and go.
#[test]
fn only_experts() {
    let names = ["ann".to_string(), "bob".into()];
    let format = LineFormat { experts_only: true, experts: Some(&names), ..two_classes() };
    let text = r#"{"x":[1],"label":1,"answers":{"ann":1,"bob":0}}
{"x":[1],"label":0,"answers":{"bob":0}}"#;
    let recording = Recording::read(text, &format).unwrap();
    assert_eq!((recording.space().classes(), recording.space().experts()), (0, 2));
    let mut stream = Recorded::once(Arc::new(recording.clone()));
    let first = stream.next_round().unwrap();
    assert_eq!(first.is_right(recording.space().expert(0).unwrap()), Some(true));
    let nobody = text.replace("\"bob\":0}}", "\"bob\":null}}");
    assert!(message(&nobody, &format).contains("nobody is available, and there are no classes"));
    let graded = LineFormat { classes: 0, experts_only: false, ..format };
    let line = r#"{"x":[1],"rewards":{"ann":0.5}}"#;
    assert!(Recording::read(line, &graded).unwrap().entries[0].label.is_none());
    assert!(message(text, &graded).contains("`classes` is 0"));
    let seasons = |comes: &[(&str, u64)]| {
        let comes = comes.iter().map(|(name, t)| (name.to_string(), *t)).collect();
        Seasons::new(&names, &comes, &Default::default()).unwrap()
    };
    let late = recording.clone().with_seasons(seasons(&[("ann", 2)])).unwrap();
    let mut stream = Recorded::once(Arc::new(late));
    let first: Vec<usize> = stream.next_round().unwrap().active.experts().collect();
    assert_eq!(first, [1]);
    let fault = recording.with_seasons(seasons(&[("bob", 2)])).unwrap_err().to_string();
    assert!(fault.starts_with("round 2: nobody is available"), "{fault}");
}

/// Classes by name, experts as the file names them, keys of other programs.
#[test]
fn names_and_keys_of_the_file() {
    let classes = ["cat".to_string(), "dog".into()];
    let ignore = ["id".to_string()];
    let format = LineFormat {
        class_names: Some(&classes),
        x: Some("embedding"),
        ignore: &ignore,
        ..two_classes()
    };
    let text = r#"{"id":["a"],"embedding":[1],"label":"dog","answers":{"ann":"dog"}}
{"id":{},"embedding":[2],"label":"cat","answers":{"bob":"dog","ann":null}}
{"embedding":[2],"label":"cat","answers":{"cleo":"cat","bob":""}}"#;
    let recording = Recording::read(text, &format).unwrap();
    assert_eq!(recording.names().unwrap(), ["ann", "bob", "cleo"]);
    let active = |i: usize| recording.entries[i].active.get().experts().collect::<Vec<_>>();
    assert_eq!((active(0), active(1), active(2)), (vec![0], vec![1], vec![2]));
    assert_eq!(recording.entries[0].label, Some(1));
    assert_eq!(recording.entries[1].costs, [1.0, 1.0, 1.0]);
    let fox = message(&text.replace("\"cleo\":\"cat\"", "\"cleo\":\"fox\""), &format);
    assert!(
        fox.contains("line 3: answers[cleo]: \"fox\" is not a class, expected cat, dog"),
        "{fox}"
    );
    let unknown = message(text, &LineFormat { ignore: &[], ..format });
    assert!(unknown.contains("unknown field `id`, expected one of `embedding`"), "{unknown}");
    assert!(unknown.contains("`ignore = [\"id\"]`"), "{unknown}");
    let mixed = text.replace(r#"{"bob":"dog","ann":null}"#, r#"["dog"]"#);
    assert!(message(&mixed, &format).contains("list them in `experts`"));
}

/// Answers with prices, said in the lines or once for all: what is right is known as before, and costs
/// are those of rewards 1 and 0.
#[test]
fn answers_have_prices() {
    let line = r#"{"x":[1],"label":0,"answers":{"ann":0,"bob":1},"prices":{"ann":0.5,"bob":0.25}}"#;
    let plain = line.replace(r#","prices":{"ann":0.5,"bob":0.25}"#, "");
    let format = LineFormat { exchange: Some(2.0), ..two_classes() };
    let prices = |pairs: &[(&str, f64)]| -> BTreeMap<String, f64> {
        pairs.iter().map(|(name, price)| (name.to_string(), *price)).collect()
    };
    let both = prices(&[("ann", 0.5), ("bob", 0.25)]);
    let once = LineFormat { prices: Some(&both), ..format };
    for (text, format) in [(line, format), (&plain[..], once)] {
        let recording = Arc::new(Recording::read(text, &format).unwrap());
        assert!(recording.judges() && recording.has_labels());
        let mut stream = Recorded::once(recording.clone());
        let round = stream.next_round().unwrap();
        // The scale is 1 + 2 * 0.5.
        assert_eq!(round.costs, [1.0 / 2.0, 1.5 / 2.0]);
        let expert = |j| recording.space().expert(j).unwrap();
        let right = [0, 1].map(|j| round.is_right(expert(j)));
        assert_eq!(right, [Some(true), Some(false)]);
        assert_eq!(round.earned(expert(1)), Some((0.0, 0.25)));
        assert_eq!(round.earned(recording.space().class(0).unwrap()), Some((1.0, 0.0)));
    }
    let some = message(&format!("{line}\n{plain}"), &format);
    assert!(some.contains("line 2: answers have `prices` in every round or in none"), "{some}");
    let refused = |pairs: &[(&str, f64)]| {
        message(&plain, &LineFormat { prices: Some(&prices(pairs)), ..format })
    };
    assert!(refused(&[("ann", 1.0)]).starts_with("prices.bob: it has none"));
    assert!(refused(&[("an", 1.0)]).contains("there is no such expert; did you mean ann?"));
    assert!(refused(&[("ann", -1.0), ("bob", 0.0)]).contains("prices.ann: -1 is not a finite"));
    assert!(message(line, &two_classes()).contains("(`exchange`)"));
}
