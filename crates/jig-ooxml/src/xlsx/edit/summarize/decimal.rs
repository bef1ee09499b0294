//! Exact sums of decimal numbers: 0.1 + 0.2 is 0.3.

/// A sum of numbers: exact as long as the digits fit, then as floating point.
#[derive(Debug, Clone, Default)]
pub(super) struct Sum {
    /// The sum in units of 10 to the minus `scale`.
    units: i128,
    scale: u32,
    /// What could not be held exactly.
    rest: f64,
}

impl Sum {
    /// A number from its digits, when they are known, else from the number itself.
    pub(super) fn of(number: f64, digits: Option<&str>) -> Self {
        let read = |text: &str| decimal(text).filter(|(units, scale)| near(*units, *scale, number));
        let exact = digits.and_then(read).or_else(|| decimal(&number.to_string()));
        match exact {
            Some((units, scale)) => Self { units, scale, rest: 0.0 },
            None => Self { units: 0, scale: 0, rest: number },
        }
    }

    /// Adds another sum.
    pub(super) fn add(&mut self, other: &Self) {
        self.rest += other.rest;
        let scale = self.scale.max(other.scale);
        let lift = |sum: &Self| sum.units.checked_mul(10_i128.checked_pow(scale - sum.scale)?);
        let total = lift(self).zip(lift(other)).and_then(|(a, b)| a.checked_add(b));
        match total {
            Some(units) => {
                self.units = units;
                self.scale = scale;
            }
            None => self.rest += value(other.units, other.scale),
        }
    }

    /// The sum as a cell holds it.
    pub(super) fn number(&self) -> f64 {
        value(self.units, self.scale) + self.rest
    }
}

/// The nearest floating point number, found through the digits: dividing would round twice.
fn value(units: i128, scale: u32) -> f64 {
    format!("{units}e-{scale}").parse().unwrap_or(0.0)
}

fn near(units: i128, scale: u32, number: f64) -> bool {
    value(units, scale) == number
}

/// The digits of a number as a whole number and the places behind the point.
fn decimal(text: &str) -> Option<(i128, u32)> {
    let (digits, exponent) = match text.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + fraction.len() > 34 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let units: i128 = format!("{whole}{fraction}").parse().ok()?;
    let scale = i32::try_from(fraction.len()).ok()? - exponent;
    match u32::try_from(scale) {
        Ok(scale) if scale <= 30 => Some((units, scale)),
        Ok(_) => None,
        Err(_) => Some((units.checked_mul(10_i128.checked_pow(scale.unsigned_abs())?)?, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact() {
        let cases: [(&[&str], f64); 5] = [
            (&["0.1", "0.2"], 0.3),
            (&["1.1", "2.2", "3.3"], 6.6),
            (&["1E2", "0.01"], 100.01),
            (&["1e300", "1"], 1e300),
            (&["-5.55", "5.55"], 0.0),
        ];
        for (numbers, wanted) in cases {
            let mut sum = Sum::default();
            for text in numbers {
                sum.add(&Sum::of(text.parse().unwrap(), Some(text)));
            }
            assert_eq!(sum.number(), wanted, "{numbers:?}");
        }
    }
}
