//! The totals of a pivot table.

use std::collections::BTreeMap;

use super::{Field, Item, Measure};

/// What is calculated of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Sum,
    Count,
    Average,
    Min,
    Max,
}

impl Function {
    pub(super) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "sum" => Self::Sum,
            "count" => Self::Count,
            "average" => Self::Average,
            "min" => Self::Min,
            "max" => Self::Max,
            _ => return None,
        })
    }

    /// As the header of a value names it.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::Count => "Count",
            Self::Average => "Average",
            Self::Min => "Min",
            Self::Max => "Max",
        }
    }

    /// As files write it; none for the sum, which is what a value is without it.
    pub(super) fn token(self) -> Option<&'static str> {
        match self {
            Self::Sum => None,
            Self::Count => Some("count"),
            Self::Average => Some("average"),
            Self::Min => Some("min"),
            Self::Max => Some("max"),
        }
    }
}

/// The numbers of a group of records.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    /// Values that are not blank.
    filled: u64,
    numbers: u64,
    sum: f64,
    min: f64,
    max: f64,
}

impl Group {
    fn add(&mut self, value: &Item) {
        let number = match value {
            Item::Blank => return,
            Item::Number(number) | Item::Date(number, _) => Some(*number),
            _ => None,
        };
        self.filled += 1;
        let Some(number) = number else { return };
        self.min = if self.numbers == 0 { number } else { self.min.min(number) };
        self.max = if self.numbers == 0 { number } else { self.max.max(number) };
        self.numbers += 1;
        self.sum += number;
    }

    /// None where a pivot table shows nothing.
    fn value(&self, function: Function) -> Option<f64> {
        match function {
            Function::Count => (self.filled > 0).then_some(self.filled as f64),
            Function::Sum => (self.filled > 0).then_some(self.sum),
            Function::Average => (self.numbers > 0).then(|| self.sum / self.numbers as f64),
            Function::Min => (self.numbers > 0).then_some(self.min),
            Function::Max => (self.numbers > 0).then_some(self.max),
        }
    }
}

/// Groups by the items of the rows (a path without its end is a subtotal) and of the column, if any.
#[derive(Debug, Default)]
pub(super) struct Totals {
    groups: BTreeMap<(Vec<usize>, Option<usize>), Vec<Group>>,
    functions: Vec<Function>,
}

impl Totals {
    /// Groups all records.
    pub(super) fn of(fields: &[Field], rows: &[usize], column: Option<usize>, measures: &[Measure]) -> Self {
        let mut totals =
            Self { functions: measures.iter().map(|measure| measure.function).collect(), ..Self::default() };
        let count = fields.first().map_or(0, |field| field.values.len());
        let index = |field: usize, record: usize| fields.get(field)?.indexes.get(record).copied();
        for record in 0..count {
            let path: Vec<usize> = rows.iter().filter_map(|field| index(*field, record)).collect();
            let item = column.and_then(|field| index(field, record));
            for length in 0..=path.len() {
                let path = path.get(..length).unwrap_or_default();
                for column in [None, item].into_iter().take(1 + usize::from(item.is_some())) {
                    let groups = totals.groups.entry((path.to_vec(), column)).or_default();
                    groups.resize(measures.len(), Group::default());
                    for (group, measure) in groups.iter_mut().zip(measures) {
                        if let Some(value) = fields.get(measure.field).and_then(|field| field.values.get(record)) {
                            group.add(value);
                        }
                    }
                }
            }
        }
        totals
    }

    /// The paths of all lines, each after those it is part of; without the grand total.
    pub(super) fn lines(&self) -> Vec<Vec<usize>> {
        let paths = self.groups.keys().filter(|(path, column)| !path.is_empty() && column.is_none());
        paths.map(|(path, _)| path.clone()).collect()
    }

    /// A total; none for a combination that no record has.
    pub(super) fn value(&self, path: &[usize], column: Option<usize>, measure: usize) -> Option<f64> {
        let groups = self.groups.get(&(path.to_vec(), column))?;
        groups.get(measure)?.value(*self.functions.get(measure)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_skip_what_they_do_not_count() {
        let mut group = Group::default();
        for item in [Item::Number(4.0), Item::Blank, Item::Text("x".to_owned()), Item::Number(-2.0)] {
            group.add(&item);
        }
        let value = |function| group.value(function);
        assert_eq!(value(Function::Sum), Some(2.0));
        assert_eq!(value(Function::Count), Some(3.0));
        assert_eq!(value(Function::Average), Some(1.0));
        assert_eq!(value(Function::Min), Some(-2.0));
        assert_eq!(value(Function::Max), Some(4.0));
        assert_eq!(Group::default().value(Function::Min), None);
    }
}
