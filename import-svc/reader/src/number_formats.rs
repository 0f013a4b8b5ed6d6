//! Formats numbers as a spreadsheet program displays them. Supports only the formats that are used for VINs and parking spaces.
use crate::{
    cell::Cell,
    format_code::{self, Comparison, FormatSection, FormatToken, NumberFormat},
};
use chrono::{Days, NaiveDate, TimeDelta, Timelike};
use std::collections::HashMap;

/// Smallest number with more than 15 digits. A spreadsheet program stores only 15 digits exactly, so such a number may have lost
/// digits.
const FIRST_INEXACT_NUMBER: f64 = 1e15;
/// Hint for the user on how to correct a cell that a spreadsheet program converted.
pub(crate) const FORMAT_AS_TEXT_HINT: &str = "Format the column as text and type it again.";

/// Number formats of a workbook, indexed by cell style.
#[derive(Default)]
pub(crate) struct NumberFormats(Vec<NumberFormat>);

impl NumberFormats {
    /// Creates the number formats from the format id of each cell style. `codes` contains the format codes that the workbook
    /// defines, by id.
    pub(crate) fn new(styles: &[u32], codes: &HashMap<u32, String>) -> Self {
        let format_of =
            |id: &u32| codes.get(id).map_or_else(|| format_code::built_in_format(*id), |code| format_code::parse_format_code(code));
        Self(styles.iter().map(format_of).collect())
    }

    /// Converts a number with a cell style to a [`Cell`] with the displayed text. `from_1904` means that dates count from 1904,
    /// not 1900.
    pub(crate) fn format_number(&self, number: f64, style: usize, from_1904: bool) -> Cell {
        if !number.is_finite() {
            return Cell::Invalid(number.to_string(), "is not a number that can be shown.".to_owned());
        }
        match self.0.get(style).unwrap_or(&NumberFormat::Plain) {
            NumberFormat::DateTime => moment(number, from_1904),
            NumberFormat::Duration => duration(number),
            _ if number.abs() >= FIRST_INEXACT_NUMBER => {
                let why = "has more than 15 digits and may have lost some. Format the cell as text and type it again.";
                Cell::Invalid(number.to_string(), why.to_owned())
            }
            NumberFormat::Plain => Cell::from_text(&plain(number)),
            NumberFormat::Pattern(sections) => Cell::from_text(&shown(sections, number)),
            NumberFormat::Unsupported(what) => {
                Cell::Unsupported(plain(number), format!("Excel shows this as {what}. {FORMAT_AS_TEXT_HINT}"))
            }
        }
    }
}

/// Formats a number as a spreadsheet program does without a format pattern: up to 15 significant digits, and no decimal point for
/// whole numbers.
fn plain(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    format!("{number:.14e}").parse::<f64>().unwrap_or(number).to_string()
}

fn unsupported_date(text: String) -> Cell {
    Cell::Unsupported(text, format!("Excel turned this into a date. {FORMAT_AS_TEXT_HINT}"))
}

/// Converts a date serial number (days since 1900 or 1904) to a cell with the date as text, such as `2027-01-31`. The cell is a
/// [`Cell::Unsupported`], which only free-text columns accept. A date that does not exist gives a [`Cell::Invalid`].
fn moment(number: f64, from_1904: bool) -> Cell {
    let no_date = || Cell::Invalid(number.to_string(), "contains a date that does not exist.".to_owned());
    if !(0.0..3_000_000.0).contains(&number) {
        return no_date();
    }
    // Fractions of a day are inexact, so the time is rounded to the nearest second.
    let milliseconds = TimeDelta::milliseconds(whole(number.fract() * 86_400_000.0) + 500);
    let days = whole(number.trunc()).unsigned_abs();
    // Spreadsheet programs count a nonexistent 29 February 1900, which shifts the dates before it by one day.
    let epoch = if from_1904 {
        (1904, 1, 1)
    } else if days < 60 {
        (1899, 12, 31)
    } else {
        (1899, 12, 30)
    };
    let day = NaiveDate::from_ymd_opt(epoch.0, epoch.1, epoch.2).and_then(|epoch| epoch.checked_add_days(Days::new(days)));
    let Some(at) = day.and_then(|day| day.and_hms_opt(0, 0, 0)).and_then(|at| at.checked_add_signed(milliseconds)) else {
        return no_date();
    };
    let pattern = match (number < 1.0, at.num_seconds_from_midnight()) {
        (true, _) => "%H:%M:%S",
        (false, 0) => "%Y-%m-%d",
        (false, _) => "%Y-%m-%d %H:%M:%S",
    };
    unsupported_date(at.format(pattern).to_string())
}

/// Rounds a number to the nearest integer. The caller ensures that the number fits into `i64`.
fn whole(number: f64) -> i64 {
    format!("{number:.0}").parse().unwrap_or_default()
}

fn duration(number: f64) -> Cell {
    if !(0.0..3_000_000.0).contains(&number) {
        return Cell::Invalid(number.to_string(), "contains a duration that does not exist.".to_owned());
    }
    let seconds = whole(number * 86_400.0);
    let text = format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    Cell::Unsupported(text, format!("Excel turned this into a time. {FORMAT_AS_TEXT_HINT}"))
}

/// Rounds a non-negative number half up, and returns its digits before and after the decimal point.
///
/// The function rounds the decimal digits that [`plain`] returns, as a spreadsheet program does, instead of the binary value. For
/// example, 2.675 becomes 2.68, although the stored binary value is slightly below 2.675.
fn rounded(number: f64, decimals: usize) -> (String, String) {
    let text = plain(number);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let kept = fraction.get(..decimals).unwrap_or(fraction);
    let mut digits = format!("{whole}{kept}{}", "0".repeat(decimals - kept.len()));
    if fraction.as_bytes().get(decimals).is_some_and(|next| *next >= b'5') {
        // A number below 1e15 with further decimals has at most 15 significant digits here, which fit into `u64`.
        let up = digits.parse::<u64>().unwrap_or_default() + 1;
        digits = format!("{up:0width$}", width = digits.len());
    }
    let decimals = digits.split_off(digits.len() - decimals);
    (digits, decimals)
}

/// Formats a number with the section of the number format that applies to this number, such as the section for negative numbers.
fn shown(sections: &[FormatSection], number: f64) -> String {
    let by_sign = match sections.len() {
        0 | 1 => 0,
        2 => usize::from(number < 0.0),
        _ => {
            if number > 0.0 {
                0
            } else if number < 0.0 {
                1
            } else {
                2
            }
        }
    };
    let by_condition = || {
        sections
            .iter()
            .position(|section| section.takes(number))
            .or_else(|| sections.iter().rposition(|section| section.condition.is_none()))
    };
    let conditional = sections.iter().any(|section| section.condition.is_some());
    let index = if conditional { by_condition().unwrap_or(0) } else { by_sign };
    let Some(section) = sections.get(index) else { return plain(number) };
    // A separate section for negative numbers contains its own sign; otherwise the sign is put in front.
    let sign = if number < 0.0 && (index == 0 || conditional) { "-" } else { "" };
    format!("{sign}{}", section.apply(number.abs()))
}

impl FormatSection {
    fn takes(&self, number: f64) -> bool {
        let Some((comparison, bits)) = self.condition else { return false };
        let operand = f64::from_bits(bits);
        match comparison {
            Comparison::Less => number < operand,
            Comparison::LessOrEqual => number <= operand,
            Comparison::Equal => number == operand,
            Comparison::NotEqual => number != operand,
            Comparison::Greater => number > operand,
            Comparison::GreaterOrEqual => number >= operand,
        }
    }

    fn apply(&self, number: f64) -> String {
        if self.is_general {
            let fixed = |marks: &[FormatToken]| {
                marks.iter().filter_map(|mark| if let FormatToken::Fixed(c) = mark { Some(*c) } else { None }).collect::<String>()
            };
            return format!("{}{}{}", fixed(&self.whole), plain(number), self.suffix);
        }
        let (whole, mut decimals) = rounded(number, self.decimals);
        while decimals.len() > self.min_decimals && decimals.ends_with('0') {
            decimals.pop();
        }
        let mut digits = whole.trim_start_matches('0').chars().rev();
        let first = self.whole.iter().position(|mark| !matches!(mark, FormatToken::Fixed(_)));
        let mut reversed = String::new();
        for (index, mark) in self.whole.iter().enumerate().rev() {
            match mark {
                FormatToken::Fixed(c) => reversed.push(*c),
                FormatToken::Zero => reversed.push(digits.next().unwrap_or('0')),
                FormatToken::Digit => reversed.extend(digits.next()),
            }
            if Some(index) == first {
                reversed.extend(digits.by_ref());
            }
        }
        let mut shown: String = reversed.chars().rev().collect();
        if !decimals.is_empty() {
            shown.push('.');
            shown.push_str(&decimals);
        }
        shown.push_str(&self.suffix);
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(code: &str, number: f64) -> Cell {
        NumberFormats(vec![format_code::parse_format_code(code)]).format_number(number, 0, false)
    }

    /// Asserts the displayed texts of numbers, given as format code, number and text.
    #[track_caller]
    fn expect_texts(cases: &[(&str, f64, &str)]) {
        for (code, number, text) in cases {
            assert_eq!(read(code, *number), Cell::from_text(text), "{code} {number}");
        }
    }

    #[test]
    fn each_sign_has_its_own_section() {
        expect_texts(&[
            ("0000;\"N\"0000;\"Z\"0000", 7.0, "0007"),
            ("0000;\"N\"0000;\"Z\"0000", -7.0, "N0007"),
            ("0000;\"N\"0000;\"Z\"0000", 0.0, "Z0000"),
            ("0000;\"N\"0000", 0.0, "0000"),
        ]);
    }

    #[test]
    fn a_section_with_a_condition_shows_exactly_the_numbers_that_meet_it() {
        expect_texts(&[
            ("[<=99999]00000;00000-0000", 99_999.0, "99999"),
            ("[<=99999]00000;00000-0000", 100_000.0, "00010-0000"),
            ("[<100]00;0000", 99.0, "99"),
            ("[<100]00;0000", 100.0, "0100"),
            ("[>0]00;0000", 0.0, "0000"),
            ("[>=100]0000;00", 100.0, "0100"),
            ("[=5]000;0", 5.0, "005"),
            ("[<>5]000;0", 5.0, "5"),
        ]);
    }

    #[test]
    fn fixed_text_after_the_number_stays_there() {
        expect_texts(&[
            ("0.0\"kg\"", 1.5, "1.5kg"),
            ("0.00\\-\\A", 7.0, "7.00-A"),
            ("0.00_);(0.00)", -1.5, "(1.50)"),
            ("General\"X\"", 123.0, "123X"),
            ("\"SN\"General\"X\"", 123.0, "SN123X"),
            ("000\"X\"", 7.0, "007X"),
        ]);
        assert!(matches!(read("0.0\"-\"0", 1.5), Cell::Unsupported(..) | Cell::Invalid(..)));
    }

    #[test]
    fn zeros_of_a_format_are_part_of_what_is_shown() {
        expect_texts(&[
            ("000000", 123.0, "000123"),
            ("000000", 1_234_567.0, "1234567"),
            ("00-000", 123.0, "00-123"),
            ("00-000", 1_234_567.0, "1234-567"),
            ("\"SN\"0000", 7.0, "SN0007"),
            ("\\A000;[Red]-0", 7.0, "A007"),
            ("0.00", 1.5, "1.50"),
            ("0", 12.7, "13"),
            ("0", 12.5, "13"),
            ("0", 0.5, "1"),
            ("0", -12.5, "-13"),
            ("0.00", 2.675, "2.68"),
            ("0.00", 1.005, "1.01"),
            ("0.00", 9.995, "10.00"),
            ("0.00", 0.004, "0.00"),
            ("0.000", 0.0005, "0.001"),
            ("0.00", 123_456_789_012_345.0, "123456789012345.00"),
            ("0.##", 1.5, "1.5"),
            ("0.##", 1.0, "1"),
            ("0.0#", 1.0, "1.0"),
            ("0.0?", 1.25, "1.25"),
            ("???", 5.0, "5"),
            ("?00", 5.0, "05"),
            ("???", 1234.0, "1234"),
            ("General", 123.0, "123"),
            ("#,##0", 1234.0, "1234"),
            ("#,##0", 0.0, "0"),
            ("@", 42.0, "42"),
            ("General", 0.1 + 0.2, "0.3"),
            ("General", -0.0, "0"),
            ("000", 0.0, "000"),
            ("000", -5.0, "-005"),
            ("General", 123_456_789_012_345.0, "123456789012345"),
            ("0;[Red]0", 123.0, "123"),
            ("0;[Red]0", -123.0, "123"),
            ("[$-416]000000", 124.0, "000124"),
            ("[Blue]000000;[Red]-000000", 125.0, "000125"),
            ("\"SN\"000000", 126.0, "SN000126"),
            ("General;[Red]-General", 127.0, "127"),
            ("000\\-000", 128.0, "000-128"),
            ("[>0]000000;0", 129.0, "000129"),
            ("[<100]00;[>=1000]00000;0000", 500.0, "0500"),
            ("000000_-", 130.0, "000130"),
            ("_(000000_)", 131.0, "000131"),
            ("_-* 000000_-", 132.0, "000132"),
            ("000000;-000000;000000;@", 133.0, "000133"),
            ("[Color10]0000", 7.0, "0007"),
            ("00#", 7.0, "007"),
            ("\"a;b\"00", 7.0, "a;b07"),
        ]);
    }

    #[test]
    fn built_in_formats_show_what_the_same_format_code_shows() {
        for (id, number, text) in [
            (0, 12.7, "12.7"),
            (49, 12.7, "12.7"),
            (1, 12.7, "13"),
            (3, 12.7, "13"),
            (3, 1_234_567.0, "1234567"),
            (37, 12.7, "13"),
            (37, -12.5, "(13)"),
            (38, 1234.0, "1234"),
            (38, -1234.0, "(1234)"),
            (2, 2.675, "2.68"),
        ] {
            let formats = NumberFormats::new(&[id], &HashMap::new());
            assert_eq!(formats.format_number(number, 0, false), Cell::from_text(text), "{id} {number}");
        }
    }

    #[test]
    fn formats_that_hide_what_was_typed_are_unfit_for_identifiers() {
        for (code, why) in [
            ("d/mmm", "into a date"),
            ("[$-416]d-mmm;@", "into a date"),
            ("mm:ss", "into a date"),
            ("[h]:mm:ss", "into a time"),
            ("0.00E+00", "exponent"),
            ("##0.0E+0", "exponent"),
            ("0%", "percentage"),
            ("# ?/?", "fraction"),
            ("000/000", "fraction"),
            ("[$R$-416] #,##0", "money"),
            ("0,", "unknown format"),
            ("\"hidden\"", "unknown format"),
        ] {
            assert!(
                matches!(read(code, 5.0), Cell::Unsupported(_, reason) if reason.contains(why) && reason.contains(FORMAT_AS_TEXT_HINT)),
                "{code}: {:?}",
                read(code, 5.0)
            );
        }
        for id in [9, 11, 12, 14, 22, 46, 48, 59] {
            assert!(matches!(NumberFormats::new(&[id], &HashMap::new()).format_number(5.0, 0, false), Cell::Unsupported(..)), "{id}");
        }
    }

    #[test]
    fn dates_are_converted_in_both_date_systems() {
        for (number, from_1904, text) in
            [(45658.0, false, "2025-01-01"), (44196.0, true, "2025-01-01"), (59.0, false, "1900-02-28"), (61.0, false, "1900-03-01")]
        {
            assert!(
                matches!(moment(number, from_1904), Cell::Unsupported(shown, _) if shown == text),
                "{number}: {:?}",
                moment(number, from_1904)
            );
        }
    }

    #[test]
    fn a_number_that_lost_digits_is_rejected_as_an_identifier() {
        assert!(matches!(read("General", 1e15), Cell::Invalid(_, why) if why.contains("more than 15 digits")));
        assert!(matches!(read("General", f64::NAN), Cell::Invalid(..)));
    }
}
