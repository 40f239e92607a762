//! What asking costs in the user's own unit, and what one unit of it is worth in reward.

use super::{Entry, Outcome, RecordedError, Recording};
use crate::stream::Grades;
use std::collections::BTreeMap;

/// The price of every expert in every round, in the order of `names`.
///
/// # Errors
/// An expert without a price, a price of nobody, one that is negative or not finite.
pub(super) fn by_expert(
    names: &[String],
    prices: &BTreeMap<String, f64>,
) -> Result<Vec<f64>, RecordedError> {
    let fault =
        |expert: &str, problem: String| RecordedError::Price { expert: expert.into(), problem };
    for (name, price) in prices {
        if !names.contains(name) {
            let near = crate::nearest(name, names.iter().map(String::as_str));
            let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
            return Err(fault(name, format!("there is no such expert{hint}")));
        }
        if !(price.is_finite() && *price >= 0.0) {
            return Err(fault(name, format!("{price} is not a finite number of at least 0")));
        }
    }
    let price = |name: &String| {
        let missing = || fault(name, "it has none: say 0 if asking it costs nothing".into());
        prices.get(name).copied().ok_or_else(missing)
    };
    names.iter().map(price).collect()
}

impl Entry {
    /// What an answer earns is 1 or 0; `prices` are those of whoever answered.
    pub(super) fn take_prices(&mut self, prices: Vec<f64>) {
        if let Outcome::Answers { answers, right, grades } = &mut self.outcome {
            let reward = |j: usize| answers[j].map_or(f64::NAN, |_| f64::from(right[j]));
            let rewards = (0..answers.len()).map(reward).collect();
            *grades = Some(Grades { reward: rewards, price: prices });
        }
    }

    fn grades(&self) -> Option<&Grades> {
        match &self.outcome {
            Outcome::Answers { grades, .. } => grades.as_ref(),
            Outcome::Grades(grades) => Some(grades),
        }
    }
}

impl Recording {
    /// Every answer of an expert has the price of that expert.
    ///
    /// # Errors
    /// As [`by_expert`]; no exchange rate, or one that is none.
    pub(crate) fn with_prices(
        mut self,
        prices: &BTreeMap<String, f64>,
        exchange: Option<f64>,
    ) -> Result<Self, RecordedError> {
        if prices.is_empty() {
            return Ok(self);
        }
        let prices = by_expert(&self.called(), prices)?;
        let exchange = exchange.ok_or(RecordedError::NoExchange)?;
        self.entries.iter_mut().for_each(|entry| entry.take_prices(prices.clone()));
        let scale = price_scale(exchange, largest_price(&self.entries))?;
        put_prices_into_costs(&mut self.entries, exchange, scale);
        Ok(self)
    }
}

/// The largest price of all.
pub(super) fn largest_price(entries: &[Entry]) -> f64 {
    let prices = entries.iter().filter_map(Entry::grades).flat_map(|grades| &grades.price);
    prices.fold(0.0, |most: f64, &price| if price > most { price } else { most })
}

/// What costs with prices in them are divided by.
///
/// # Errors
/// The exchange rate is none, or makes it too large for a number.
pub(super) fn price_scale(exchange: f64, largest_price: f64) -> Result<f64, RecordedError> {
    let scale = 1.0 + exchange * largest_price;
    match scale.is_finite() && exchange >= 0.0 {
        true => Ok(scale),
        false => Err(RecordedError::Exchange(exchange)),
    }
}

/// `(1 - reward + exchange * price) / scale`, which lies in `[0, 1]` and ranks the experts of a round as
/// `reward - exchange * price` does.
pub(super) fn put_prices_into_costs(entries: &mut [Entry], exchange: f64, scale: f64) {
    for entry in entries {
        let mut costs = std::mem::take(&mut entry.costs);
        if let Some(grades) = entry.grades() {
            let each = costs.iter_mut().zip(grades.reward.iter().zip(&grades.price));
            for (cost, (&reward, &price)) in each.filter(|(_, (reward, _))| reward.is_finite()) {
                *cost = ((1.0 - reward) + exchange * price) / scale;
            }
        }
        entry.costs = costs;
    }
}
