//! Rounds as text: one JSON object a line.
//!
//! ```text
//! {"x": [0.1, 2.0], "label": 1, "answers": [1, null]}                    null: not available
//! {"x": [0.1, 2.0], "label": 1, "costs": [0.2, 1.0], "available": [0]}   without: everybody
//! ```

use super::{Entry, RecordedError, Recording, RoundFault};
use problem::{ActionSpace, ActiveBuffer, DenseRows, ExpertCost, Inputs};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    x: Vec<f64>,
    label: Option<usize>,
    answers: Option<Vec<Option<usize>>>,
    costs: Option<Vec<f64>>,
    available: Option<Vec<usize>>,
}

pub(super) fn read(
    text: &str,
    classes: usize,
    cost: ExpertCost,
) -> Result<Recording, RecordedError> {
    let mut parts: Option<(ActionSpace, DenseRows, Vec<Entry>)> = None;
    for (i, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let bad = |source| RecordedError::Line { line: i + 1, source };
        let line: Line =
            serde_json::from_str(text).map_err(|e| bad(RoundFault::Json(e.to_string())))?;
        let experts = match (&line.answers, &line.costs) {
            (Some(answers), None) => answers.len(),
            (None, Some(costs)) => costs.len(),
            _ => return Err(bad(RoundFault::AnswersOrCosts)),
        };
        if parts.is_none() {
            let space = ActionSpace::new(classes, experts).map_err(|e| bad(e.into()))?;
            parts = Some((space, DenseRows::new(line.x.len()), Vec::new()));
        }
        let (space, inputs, entries) = parts.as_mut().expect("just made");
        let length = |field, got: usize, expected: usize| match got == expected {
            true => Ok(()),
            false => Err(bad(RoundFault::Length { field, got, expected })),
        };
        length("x", line.x.len(), inputs.dim())?;
        length("answers or costs", experts, space.experts())?;
        inputs.push(&line.x).map_err(|e| bad(e.into()))?;
        entries.push(entry(line, *space, cost).map_err(bad)?);
    }
    let (space, inputs, entries) = parts.ok_or(RecordedError::Empty)?;
    Ok(Recording { space, inputs: Inputs::Dense(inputs), entries })
}

fn entry(line: Line, space: ActionSpace, cost: ExpertCost) -> Result<Entry, RoundFault> {
    if line.label.is_some() != (space.classes() > 0) {
        return Err(RoundFault::Label { classes: space.classes() });
    }
    if let Some(answers) = line.answers {
        if line.available.is_some() {
            return Err(RoundFault::AvailableWithAnswers);
        }
        let label = line.label.ok_or(RoundFault::Label { classes: space.classes() })?;
        return Entry::answered(space, label, &answers, cost);
    }
    if let Some(label) = line.label {
        space.class(label).map_err(RoundFault::field("label"))?;
    }
    let costs = line.costs.unwrap_or_default();
    for (expert, &cost) in costs.iter().enumerate() {
        if !(0.0..=1.0).contains(&cost) {
            return Err(RoundFault::Cost { expert, cost });
        }
    }
    // Without a label what experts earn is graded: nobody is right or wrong.
    let right = line.label.map(|_| costs.iter().map(|&cost| cost < 1.0).collect());
    let mut active = ActiveBuffer::new(space);
    match line.available {
        Some(available) => {
            active.fill(available).map_err(RoundFault::field("available"))?;
        }
        None => active.copy(space.all_active()),
    }
    Ok(Entry { active, label: line.label, costs, right, answers: None })
}

#[cfg(test)]
mod tests {
    use super::super::{Recorded, Right};
    use super::*;
    use crate::stream::Stream;
    use std::sync::Arc;

    fn paper() -> ExpertCost {
        ExpertCost::new(1.0, 0.1).unwrap()
    }

    #[test]
    fn both_forms_and_their_faults() {
        let text = r#"{"x":[1,2],"label":1,"answers":[1,null]}

{"x":[0,1],"label":0,"costs":[0.5,1.0],"available":[1]}"#;
        let recording = Arc::new(Recording::read(text, 2, paper()).unwrap());
        let mut stream = Recorded::once(recording.clone());
        let first = stream.next_round().unwrap();
        assert_eq!(
            (first.right, first.costs),
            (Right::Each(&[true, false]), &[0.1 / 1.1, 1.0][..])
        );
        assert_eq!(first.active.experts().collect::<Vec<_>>(), [0]);
        let second = stream.next_round().unwrap();
        assert_eq!((second.right, second.costs), (Right::Each(&[true, false]), &[0.5, 1.0][..]));
        assert!(stream.next_round().is_none());
        assert_eq!(recording.rho(), 6f64.sqrt());
        let message = |line: &str| {
            let text = format!("{}\n{line}", r#"{"x":[1],"label":0,"answers":[0]}"#);
            Recording::read(&text, 2, paper()).unwrap_err().to_string()
        };
        assert!(message("{").starts_with("line 2: "));
        assert!(message(r#"{"x":[1],"label":2,"answers":[0]}"#).contains("label: class 2"));
        assert!(message(r#"{"x":[1],"label":0,"answers":[5]}"#).contains("answers[0]: class 5"));
        assert!(message(r#"{"x":[1,2],"label":0,"answers":[0]}"#).contains("x has 2 entries"));
        assert!(message(r#"{"x":[1],"label":0,"costs":[1.5]}"#).contains("costs[0] = 1.5"));
        assert!(message(r#"{"x":[1],"label":0}"#).contains("either `answers` or `costs`"));
        assert!(message(r#"{"x":[1],"label":0,"anwsers":[0]}"#).contains("unknown field"));
        assert_eq!(Recording::read("", 2, paper()).unwrap_err(), RecordedError::Empty);
    }
}
