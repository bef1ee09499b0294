//! The type of a column, derived from its values. If the values have two possible meanings, the column stays text, with a
//! warning that states the reason.
//!
//! [`ColumnProfile`] counts, value by value, what each can be; its `column_format` derives the type.

use super::records::{Cell, Quoting};
use crate::value::{
    BooleanStyle, DateOrder, DateParts, MAX_DIGITS, MAX_SIGNED_DIGITS, Number, NumberSeparators, is_null_word,
    parse_digits, parse_scientific, parse_time, split_date, split_date_time, split_number,
};

/// The type of a column, with all that is needed to parse its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnType {
    /// Text.
    Text,
    /// Whole numbers that fit 64 bits.
    Integer,
    /// Exact numbers with so many digits, `scale` of them after the decimal separator.
    Decimal {
        /// The maximum number of digits: 18 or 38.
        precision: u8,
        /// The digits after the decimal separator.
        scale: u8,
    },
    /// Numbers with exponents.
    Double,
    /// One of two words.
    Boolean(BooleanStyle),
    /// Dates.
    Date(DateOrder),
    /// Times of day.
    Time,
    /// Dates with times.
    DateTime {
        /// The order of the date's parts.
        order: DateOrder,
        /// Whether values have a time zone and are converted to UTC.
        utc: bool,
    },
}

/// Quoting the numbers of a column are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberStyle {
    /// The separators.
    pub separators: NumberSeparators,
    /// Whether currencies, percent signs or parentheses occur.
    pub decorated: bool,
    /// The currency.
    pub currency: Option<String>,
    /// Whether each number has a percent sign.
    pub percent: bool,
}

impl NumberStyle {
    /// Digits with at most a minus sign and a decimal point.
    pub const PLAIN: Self =
        Self { separators: NumberSeparators::Point, decorated: false, currency: None, percent: false };
}

impl NumberStyle {
    /// Parses a number in this notation. `None` for all other text, including numbers in another notation.
    #[must_use]
    pub fn parse(&self, text: &str) -> Option<Number> {
        let parts = split_number(text)?;
        let digits = || parts.body.bytes().filter(u8::is_ascii_digit).count();
        let is_other = parts.percent != self.percent
            || (parts.parentheses && !self.decorated)
            || parts.currency.is_some_and(|currency| self.currency.as_deref() != Some(currency))
            || (parts.plus && digits() > MAX_SIGNED_DIGITS);
        if is_other {
            return None;
        }
        let number = parse_digits(parts.body, self.separators)?;
        Some(Number { mantissa: if parts.negative { -number.mantissa } else { number.mantissa }, ..number })
    }
}

/// The type of a column and how its values are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnFormat {
    /// The type.
    pub column_type: ColumnType,
    /// Quoting numbers are written.
    pub number_style: NumberStyle,
    /// The notation of the values in words, unless it is the plain one of the type.
    pub notation: Option<String>,
    /// Why the column is text although most of its values look like another type, or which assumption was made.
    pub warning: Option<String>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name, unique in the table.
    pub name: String,
    /// Its type.
    pub format: ColumnFormat,
    /// Its first values, as they are in the file.
    pub examples: Vec<String>,
}

impl ColumnFormat {
    /// The format of a text column.
    #[must_use]
    pub fn text() -> Self {
        Self { column_type: ColumnType::Text, number_style: NumberStyle::PLAIN, notation: None, warning: None }
    }

    fn of(column_type: ColumnType, notation: Option<String>) -> Self {
        Self { column_type, notation, ..Self::text() }
    }

    /// Text, because the values have several possible meanings.
    fn ambiguous(notation: &str, warning: String) -> Self {
        Self { notation: Some(notation.to_owned()), warning: Some(warning), ..Self::text() }
    }
}

impl ColumnProfile {
    /// Derives the type from the values added so far.
    #[must_use]
    pub fn column_format(&self) -> ColumnFormat {
        column_format(self)
    }
}

fn column_format(seen: &ColumnProfile) -> ColumnFormat {
    let all = |kind: ValueKind| seen.count(kind) == seen.values;
    if seen.values == 0 || seen.texts > 0 {
        return if seen.texts > 0 { mostly(seen) } else { ColumnFormat::text() };
    }
    if all(ValueKind::Number) {
        return numbers(seen);
    }
    if seen.count(ValueKind::Number) + seen.count(ValueKind::Scientific) == seen.values {
        let plain = seen.excluded_separators & NumberSeparators::Point.bit() == 0
            && seen.percents + seen.parentheses + seen.with_currency == 0;
        if plain && seen.long_numbers == 0 {
            return ColumnFormat::of(ColumnType::Double, Some("scientific".to_owned()));
        }
    }
    if all(ValueKind::Boolean) {
        return booleans(seen);
    }
    if all(ValueKind::Date) {
        return dates(seen, ColumnType::Date);
    }
    if seen.count(ValueKind::DateTime) > 0
        && seen.count(ValueKind::Date) + seen.count(ValueKind::DateTime) == seen.values
    {
        return date_times(seen);
    }
    if all(ValueKind::Time) {
        return ColumnFormat::of(ColumnType::Time, None);
    }
    mostly(seen)
}

fn numbers(seen: &ColumnProfile) -> ColumnFormat {
    if seen.other_currency {
        return ColumnFormat::ambiguous("several currencies", "amounts in several currencies; kept as text".to_owned());
    }
    if seen.percents > 0 && seen.percents < seen.values {
        return ColumnFormat::ambiguous(
            "percent signs in part",
            format!("{} of {} values have a percent sign; kept as text", seen.percents, seen.values),
        );
    }
    let possible: Vec<NumberSeparators> = NumberSeparators::ALL
        .into_iter()
        .filter(|separators| seen.excluded_separators & separators.bit() == 0)
        .collect();
    let separators = match possible.first() {
        Some(NumberSeparators::Comma) if possible.contains(&NumberSeparators::PointComma) => {
            let example = seen.examples.first().map_or("1,234", String::as_str);
            return ColumnFormat::ambiguous(
                "thousands or decimals, ambiguous",
                format!(
                    "the comma in `{example}` may part thousands or decimals and no value decides it; kept as text"
                ),
            );
        }
        Some(separators) => *separators,
        None => {
            return ColumnFormat::ambiguous(
                "numbers written in several ways",
                "numbers are written in several ways; kept as text".to_owned(),
            );
        }
    };
    let extent = seen.extents.get(separators as usize).copied().unwrap_or_default();
    let column_type = if extent.scale == 0 && i64::try_from(extent.max).is_ok() {
        ColumnType::Integer
    } else if usize::from(extent.whole) + usize::from(extent.scale) <= MAX_DIGITS {
        let digits = usize::from(extent.whole) + usize::from(extent.scale);
        let precision = if digits <= 18 { 18 } else { MAX_DIGITS as u8 };
        ColumnType::Decimal { precision, scale: extent.scale }
    } else {
        let words = format!("numbers of more than {MAX_DIGITS} digits; kept as text");
        return ColumnFormat::ambiguous("very long numbers", words);
    };
    let number_style = NumberStyle {
        separators,
        decorated: seen.percents + seen.parentheses + seen.with_currency > 0,
        currency: seen.currency.clone(),
        percent: seen.percents > 0,
    };
    let mut notes: Vec<String> = separators.description().map(str::to_owned).into_iter().collect();
    if let Some(currency) = &seen.currency {
        notes.push(format!("currency {currency}"));
    }
    if seen.percents > 0 {
        notes.push("percent: 5% is read as 5".to_owned());
    }
    if seen.parentheses > 0 {
        notes.push("parentheses are negative".to_owned());
    }
    let notation = joined(&notes);
    // Three digits after a point are decimals far more often than thousands, but this is an assumption to report.
    let doubtful =
        separators == NumberSeparators::Point && extent.scale > 0 && possible.contains(&NumberSeparators::CommaPoint);
    let warning = doubtful.then(|| {
        let example = seen.examples.iter().find(|text| text.contains('.')).map_or("1.234", String::as_str);
        format!("the point in `{example}` is read as decimal; it may part thousands and no value decides it")
    });
    ColumnFormat { column_type, number_style, notation, warning }
}

fn booleans(seen: &ColumnProfile) -> ColumnFormat {
    let pair = BooleanStyle::ALL.into_iter().enumerate().find(|(index, _)| seen.excluded_booleans & (1 << index) == 0);
    match pair {
        Some((_, style)) if style.is_unambiguous() || seen.booleans_seen == [true, true] => {
            ColumnFormat::of(ColumnType::Boolean(style), Some(style.description()))
        }
        _ => ColumnFormat::text(),
    }
}

/// The order of the dates of a column with a note, or the notation and the reason why it is unknown.
fn order(seen: &ColumnProfile) -> Result<(DateOrder, String), (String, String)> {
    if seen.short_years > 0 {
        let why = format!("{} of {} dates have a year of two digits; kept as text", seen.short_years, seen.values);
        return Err(("years of two digits".to_owned(), why));
    }
    if let (Some(day), Some(month)) = (&seen.only_day_first, &seen.only_month_first) {
        let why = format!(
            "dates with the day first (`{}`, line {}) and with the month first (`{}`, line {}); kept as text",
            day.text, day.line, month.text, month.line
        );
        return Err(("day and month first, mixed".to_owned(), why));
    }
    let mut orders = DateOrder::ALL.into_iter().filter(|order| seen.excluded_orders & order.bit() == 0);
    let Some(first) = orders.next() else {
        return Err((
            "dates written in several ways".to_owned(),
            "dates are written in several ways; kept as text".to_owned(),
        ));
    };
    if seen.either_order == 0 || first == DateOrder::YearFirst || first == DateOrder::Named {
        return Ok((first, first.description().to_owned()));
    }
    let both = format!("{} of {} values fit both", seen.either_order, seen.values);
    let decided = |order: DateOrder, place: &ValuePosition| {
        (order, format!("{}: {both}, line {} decides", order.description(), place.line))
    };
    match (&seen.only_day_first, &seen.only_month_first) {
        (Some(place), None) => Ok(decided(DateOrder::DayFirst, place)),
        (None, Some(place)) => Ok(decided(DateOrder::MonthFirst, place)),
        _ if seen.date_separator == Some(b'.') && !seen.other_date_separator => {
            Ok((DateOrder::DayFirst, format!("day first, as always with points: {both}")))
        }
        _ => {
            let why =
                "every date fits the day first and the month first; kept as text; strptime(…, '%d/%m/%Y') reads it";
            Err((format!("day or month first, ambiguous: {both}"), why.to_owned()))
        }
    }
}

fn dates(seen: &ColumnProfile, column_type: impl Fn(DateOrder) -> ColumnType) -> ColumnFormat {
    match order(seen) {
        Ok((DateOrder::YearFirst, _)) => ColumnFormat::of(column_type(DateOrder::YearFirst), None),
        Ok((order, note)) => ColumnFormat::of(column_type(order), Some(note)),
        Err((notation, why)) => ColumnFormat { notation: Some(notation), warning: Some(why), ..ColumnFormat::text() },
    }
}

fn date_times(seen: &ColumnProfile) -> ColumnFormat {
    let (date_times, dates_only) = (seen.count(ValueKind::DateTime), seen.count(ValueKind::Date));
    if seen.zones > 0 && seen.zones < seen.values {
        let why = format!("{} of {} times have a zone; kept as text", seen.zones, seen.values);
        return ColumnFormat::ambiguous("time zones in part", why);
    }
    let mut format = dates(seen, |order| ColumnType::DateTime { order, utc: seen.zones > 0 });
    if format.column_type == ColumnType::Text {
        return format;
    }
    let mut notes: Vec<String> = format.notation.take().into_iter().collect();
    if seen.zones > 0 {
        notes.push("with zones, read as UTC".to_owned());
    }
    if dates_only > 0 {
        notes.push(format!("{dates_only} of {} without a time, read as midnight", date_times + dates_only));
    }
    format.notation = joined(&notes);
    format
}

fn joined(notes: &[String]) -> Option<String> {
    if notes.is_empty() { None } else { Some(notes.join(", ")) }
}

/// A text column. If nearly all of its values are of another type, a warning names the first one that is not.
fn mostly(seen: &ColumnProfile) -> ColumnFormat {
    let mut format = ColumnFormat::text();
    if seen.leading_zeros > 0 && seen.leading_zeros + seen.count(ValueKind::Number) == seen.values {
        format.notation = Some("digits with leading zeros".to_owned());
        return format;
    }
    let most = ValueKind::ALL.into_iter().max_by_key(|kind| seen.count(*kind));
    let Some(kind) = most.filter(|kind| seen.count(*kind) * 10 >= seen.values * 8 && seen.count(*kind) > 0) else {
        return format;
    };
    let other = seen.first_other.get(kind as usize).and_then(Option::as_ref);
    if let Some(other) = other {
        format.warning = Some(format!(
            "{} of {} values are {}; the first other one is `{}` in row {} (line {}); kept as text",
            seen.count(kind),
            seen.values,
            kind.description(),
            other.text,
            other.row,
            other.line
        ));
    }
    format
}

/// How many examples are stored of a column.
const EXAMPLES: usize = 3;
/// Longer values are text.
const MAX_VALUE_BYTES: usize = 64;

/// A value and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ValuePosition {
    text: String,
    row: u64,
    line: u64,
}

/// What a value can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Number,
    Scientific,
    Date,
    DateTime,
    Time,
    Boolean,
}

impl ValueKind {
    const ALL: [Self; 6] = [Self::Number, Self::Scientific, Self::Date, Self::DateTime, Self::Time, Self::Boolean];

    /// The kind in words.
    const fn description(self) -> &'static str {
        match self {
            Self::Number | Self::Scientific => "numbers",
            Self::Date => "dates",
            Self::DateTime => "dates with times",
            Self::Time => "times",
            Self::Boolean => "yes or no",
        }
    }
}

/// The size of the numbers of a column, if read with some separators.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Extent {
    /// The most digits before the decimal separator.
    whole: u8,
    /// The most digits after it.
    scale: u8,
    /// The largest mantissa.
    max: i128,
}

/// Statistics of the values of a column.
#[derive(Debug, Clone, Default)]
pub struct ColumnProfile {
    /// Values that are neither empty nor a word for a missing value.
    values: u64,
    /// Values that are text by their source.
    texts: u64,
    /// How many values are of each kind.
    counts: [u64; ValueKind::ALL.len()],
    /// The first value that is not of a kind.
    first_other: [Option<ValuePosition>; ValueKind::ALL.len()],
    /// The set of separators with which some number cannot be read.
    excluded_separators: u8,
    /// The size of the numbers for each choice of separators.
    extents: [Extent; NumberSeparators::ALL.len()],
    /// The first currency.
    currency: Option<String>,
    /// Whether a second currency occurs.
    other_currency: bool,
    /// Numbers with a currency.
    with_currency: u64,
    /// Numbers with a percent sign.
    percents: u64,
    /// Numbers in parentheses.
    parentheses: u64,
    /// Numbers with more digits than a double holds.
    long_numbers: u64,
    /// Digits with leading zeros.
    leading_zeros: u64,
    /// The set of orders in which some date does not exist.
    excluded_orders: u8,
    /// The separator of the first date.
    date_separator: Option<u8>,
    /// Whether there are dates with another separator.
    other_date_separator: bool,
    /// Dates with a year of two digits.
    short_years: u64,
    /// Dates that exist with the day first and with the month first.
    either_order: u64,
    /// The first date that exists only with the day first.
    only_day_first: Option<ValuePosition>,
    /// The first date that exists only with the month first.
    only_month_first: Option<ValuePosition>,
    /// Dates with a time zone.
    zones: u64,
    /// The set of pairs of words to which some boolean does not belong.
    excluded_booleans: u8,
    /// Whether false and true occur.
    booleans_seen: [bool; 2],
    /// The first values, each once.
    pub(super) examples: Vec<String>,
}

impl ColumnProfile {
    /// Adds a value. `row` and `line` are reported if it is of another type than the rest of its column.
    pub fn add(&mut self, cell: &Cell<'_>, row: u64, line: u64) {
        if cell.is_missing() {
            return;
        }
        let text = cell.text.trim();
        if text.is_empty() {
            return;
        }
        self.example(&cell.text);
        if is_null_word(text) {
            return;
        }
        self.values += 1;
        if cell.quoting == Quoting::Text {
            self.texts += 1;
        }
        let place = || ValuePosition { text: clip(text), row, line };
        let kinds =
            if cell.quoting == Quoting::Text { [false; ValueKind::ALL.len()] } else { self.kinds(text, &place) };
        for (index, is) in kinds.into_iter().enumerate() {
            if let (true, Some(count)) = (is, self.counts.get_mut(index)) {
                *count += 1;
            }
            if let (false, Some(other @ None)) = (is, self.first_other.get_mut(index)) {
                *other = Some(place());
            }
        }
    }

    fn example(&mut self, text: &str) {
        if self.examples.len() < EXAMPLES {
            let text = clip(text);
            if !self.examples.contains(&text) {
                self.examples.push(text);
            }
        }
    }

    fn kinds(&mut self, text: &str, place: &dyn Fn() -> ValuePosition) -> [bool; ValueKind::ALL.len()] {
        if text.len() > MAX_VALUE_BYTES {
            return [false; ValueKind::ALL.len()];
        }
        let number = self.number(text);
        let scientific = !number && parse_scientific(text).is_some();
        // No number is a date: a date has two separators that are the same.
        let rest = !number && !scientific;
        let date = rest && self.date(text, place);
        let date_time = rest && !date && self.date_time(text, place);
        let time = rest && !date && !date_time && parse_time(text).is_some();
        let boolean = rest && self.boolean(text);
        [number, scientific, date, date_time, time, boolean]
    }

    fn number(&mut self, text: &str) -> bool {
        let Some(parts) = split_number(text) else { return false };
        let mut fits = 0u8;
        let mut long = false;
        for (index, separators) in NumberSeparators::ALL.into_iter().enumerate() {
            if let Some(number) = parse_digits(parts.body, separators) {
                fits |= separators.bit();
                long |= usize::from(number.whole) + usize::from(number.scale) > 17;
                if let Some(extent) = self.extents.get_mut(index) {
                    extent.whole = extent.whole.max(number.whole);
                    extent.scale = extent.scale.max(number.scale);
                    extent.max = extent.max.max(number.mantissa);
                }
            }
        }
        let digits = parts.body.bytes().filter(u8::is_ascii_digit).count();
        if fits == 0 {
            let only_digits = parts.body.bytes().all(|byte| byte.is_ascii_digit());
            self.leading_zeros += u64::from(only_digits && parts.body.starts_with('0') && digits <= MAX_DIGITS);
            return false;
        }
        if parts.plus && digits > MAX_SIGNED_DIGITS {
            return false;
        }
        self.excluded_separators |= !fits;
        self.long_numbers += u64::from(long);
        self.percents += u64::from(parts.percent);
        self.parentheses += u64::from(parts.parentheses);
        if let Some(currency) = parts.currency {
            self.with_currency += 1;
            match &self.currency {
                None => self.currency = Some(currency.to_owned()),
                Some(known) => self.other_currency |= known != currency,
            }
        }
        true
    }

    fn date(&mut self, text: &str, place: &dyn Fn() -> ValuePosition) -> bool {
        let Some(parts) = split_date(text) else { return false };
        self.date_parts(&parts, place);
        true
    }

    fn date_parts(&mut self, parts: &DateParts, place: &dyn Fn() -> ValuePosition) {
        let orders = parts.orders();
        self.short_years += u64::from(parts.has_short_year());
        self.excluded_orders |= !orders;
        match self.date_separator {
            None => self.date_separator = Some(parts.separator),
            Some(separator) => self.other_date_separator |= separator != parts.separator,
        }
        let has = |order: DateOrder| orders & order.bit() != 0;
        match (has(DateOrder::DayFirst), has(DateOrder::MonthFirst)) {
            (true, true) => self.either_order += 1,
            (true, false) if self.only_day_first.is_none() => self.only_day_first = Some(place()),
            (false, true) if self.only_month_first.is_none() => self.only_month_first = Some(place()),
            _ => {}
        }
    }

    fn date_time(&mut self, text: &str, place: &dyn Fn() -> ValuePosition) -> bool {
        let Some(parsed) = split_date_time(text) else { return false };
        self.date_parts(&parsed.date, place);
        self.zones += u64::from(parsed.offset.is_some());
        true
    }

    fn boolean(&mut self, text: &str) -> bool {
        let mut fits = 0u8;
        for (index, style) in BooleanStyle::ALL.into_iter().enumerate() {
            if let Some(value) = style.parse(text) {
                fits |= 1 << index;
                if let Some(seen) = self.booleans_seen.get_mut(usize::from(value)) {
                    *seen = true;
                }
            }
        }
        if fits != 0 {
            self.excluded_booleans |= !fits;
        }
        fits != 0
    }

    /// Whether nearly all values are of the same kind.
    pub(super) fn is_mostly_typed(&self) -> bool {
        self.values > 0 && self.counts.iter().any(|count| count * 10 >= self.values * 8)
    }

    /// Whether the largest number of the column may be a year.
    pub(super) fn holds_years(&self) -> bool {
        self.extents.first().is_some_and(|extent| extent.scale == 0 && (1900..=2100).contains(&extent.max))
    }

    /// How many values are of a kind.
    fn count(&self, kind: ValueKind) -> u64 {
        self.counts.get(kind as usize).copied().unwrap_or(0)
    }
}

/// A value shortened to 60 characters, for messages.
#[must_use]
pub fn clip(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
