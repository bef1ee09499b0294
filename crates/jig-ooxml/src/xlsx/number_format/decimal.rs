//! Decimal digits of a number as Excel has them: fifteen significant digits, halves rounded away from zero.

/// A number without its sign: 0.d₁d₂d₃… × 10^`point`. No digits for zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: Vec<u8>,
    pub(super) point: i32,
}

impl Decimal {
    /// The digits of a number's amount.
    pub(super) fn of(value: f64) -> Self {
        let amount = value.abs();
        if amount < 1e15 && amount.fract() == 0.0 {
            return Self::of_whole(amount as u64);
        }
        let text = format!("{:.14e}", value.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
        let mut decimal = Self { digits, point: exponent.parse::<i32>().unwrap_or(0) + 1 };
        decimal.trim();
        decimal
    }

    /// Most numbers are whole, and these need no rounding.
    fn of_whole(mut amount: u64) -> Self {
        let mut digits = Vec::with_capacity(16);
        while amount > 0 {
            digits.push((amount % 10) as u8);
            amount /= 10;
        }
        digits.reverse();
        let mut decimal = Self { point: digits.len() as i32, digits };
        decimal.trim();
        decimal
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Rounds to a number of places behind the point; negative ones are before it.
    pub(super) fn round(&mut self, places: i32) {
        let keep = self.point.saturating_add(places);
        if keep < 0 {
            self.digits.clear();
            self.point = 0;
            return;
        }
        let keep = keep as usize;
        if keep >= self.digits.len() {
            return;
        }
        let up = self.digits.get(keep).is_some_and(|digit| *digit >= 5);
        self.digits.truncate(keep);
        if up {
            self.increment();
        }
        self.trim();
    }

    fn increment(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
        self.point += 1;
    }

    fn trim(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        let zeros = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..zeros);
        self.point -= zeros as i32;
        if self.digits.is_empty() {
            self.point = 0;
        }
    }

    /// Moves the point.
    pub(super) fn shift(&mut self, by: i32) {
        if !self.is_zero() {
            self.point = self.point.saturating_add(by);
        }
    }

    /// The digits before the point, the first of them not zero. Empty when the whole part is zero.
    pub(super) fn whole(&self) -> String {
        (0..self.point.max(0)).map(|at| self.digit(at)).collect()
    }

    /// A number of digits behind the point.
    pub(super) fn behind(&self, places: usize) -> String {
        let places = i32::try_from(places).unwrap_or(i32::MAX);
        (0..places).map(|place| self.digit(self.point.saturating_add(place))).collect()
    }

    fn digit(&self, at: i32) -> char {
        let digit = usize::try_from(at).ok().and_then(|at| self.digits.get(at)).copied().unwrap_or(0);
        char::from(b'0' + digit)
    }
}
