//! What the actions of a stream are called.

use super::spec::StreamSettings;
use crate::data::Classes;
use problem::{Action, ActionSpace};

/// Names of all actions, for people and for programs that play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// Of the classes.
    pub classes: Vec<String>,
    /// Of the experts.
    pub experts: Vec<String>,
}

impl Names {
    /// As the stream calls them; `0`, `1`, .. and `g1`, `g2`, .. where it does not.
    #[must_use]
    pub(crate) fn of(kind: &StreamSettings, space: ActionSpace) -> Self {
        let (classes, experts) = match kind {
            StreamSettings::Table(table) => (Some(&table.classes), table.experts.as_deref()),
            StreamSettings::Recorded(recorded) => {
                (Some(&recorded.classes), recorded.experts.as_deref())
            }
            _ => (None, None),
        };
        let class = |y: usize| match classes {
            Some(Classes::Names(names)) => names.get(y).cloned(),
            _ => None,
        };
        let expert = |j: usize| experts.and_then(|names| names.get(j).cloned());
        Names {
            classes: (0..space.classes())
                .map(|y| class(y).unwrap_or_else(|| y.to_string()))
                .collect(),
            experts: (0..space.experts())
                .map(|j| expert(j).unwrap_or_else(|| format!("g{}", j + 1)))
                .collect(),
        }
    }

    /// What `action` is called.
    #[must_use]
    pub(crate) fn action(&self, action: Action) -> &str {
        let index = action.index();
        let expert = index.checked_sub(self.classes.len()).map(|j| self.experts.get(j));
        expert.unwrap_or_else(|| self.classes.get(index)).map_or("", String::as_str)
    }
}
