//! Numbers as a spreadsheet program shows them, as far as identifiers go.
use calamine::Style;

/// How many digits of a number a spreadsheet keeps.
const DIGITS: f64 = 1e15;

/// A number format made of zeros and fixed characters, such as `000000` or `00-000`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    whole: Vec<Mark>,
    decimals: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Digit,
    Fixed(char),
}

/// The number formats of a workbook, by style.
pub(super) struct Formats(Vec<Option<Pattern>>);

impl Formats {
    pub(super) fn of(styles: &[Style]) -> Self {
        let code = |style: &Style| style.number_format.as_ref().and_then(|format| Pattern::parse(&format.format_code));
        Self(styles.iter().map(code).collect())
    }

    /// The number as text, or what is wrong with it.
    pub(super) fn shown(&self, number: f64, style: usize) -> Result<String, &'static str> {
        if !number.is_finite() {
            return Err("is no number that can be shown");
        }
        if number.abs() >= DIGITS {
            return Err("is a number with more than 15 digits, of which a spreadsheet loses some; enter it as text");
        }
        match self.0.get(style).and_then(Option::as_ref) {
            Some(pattern) if number >= 0.0 => Ok(pattern.apply(number)),
            _ => Ok(plain(number)),
        }
    }
}

/// The number without format: whole ones without a point, others with the 15 digits that count.
fn plain(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    format!("{number:.14e}").parse::<f64>().unwrap_or(number).to_string()
}

impl Pattern {
    /// Understands zeros, a point with zeros behind it, and fixed characters; nothing for any other format.
    fn parse(code: &str) -> Option<Self> {
        let mut pattern = Self { whole: Vec::new(), decimals: 0 };
        let mut behind_point = false;
        let mut chars = code.chars();
        while let Some(c) = chars.next() {
            match c {
                ';' => break,
                '0' if behind_point => pattern.decimals += 1,
                '0' => pattern.whole.push(Mark::Digit),
                '.' if !behind_point => behind_point = true,
                _ if behind_point => return None,
                '"' => pattern.whole.extend(chars.by_ref().take_while(|c| *c != '"').map(Mark::Fixed)),
                '\\' => pattern.whole.push(Mark::Fixed(chars.next()?)),
                '-' | '/' | ' ' | '(' | ')' | ':' => pattern.whole.push(Mark::Fixed(c)),
                _ => return None,
            }
        }
        pattern.whole.contains(&Mark::Digit).then_some(pattern)
    }

    fn apply(&self, number: f64) -> String {
        let text = format!("{number:.*}", self.decimals);
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let mut digits = whole.chars().rev();
        let first = self.whole.iter().position(|mark| *mark == Mark::Digit);
        let mut reversed = String::new();
        for (index, mark) in self.whole.iter().enumerate().rev() {
            match mark {
                Mark::Fixed(c) => reversed.push(*c),
                Mark::Digit => reversed.push(digits.next().unwrap_or('0')),
            }
            if Some(index) == first {
                reversed.extend(digits.by_ref());
            }
        }
        let mut shown: String = reversed.chars().rev().collect();
        if !decimals.is_empty() {
            shown.push('.');
            shown.push_str(decimals);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(code: &str, number: f64) -> Result<String, &'static str> {
        Formats(vec![Pattern::parse(code)]).shown(number, 0)
    }

    #[test]
    fn zeros_of_a_format_are_part_of_what_is_shown() {
        for (code, number, text) in [
            ("000000", 123.0, "000123"),
            ("000000", 1_234_567.0, "1234567"),
            ("00-000", 123.0, "00-123"),
            ("00-000", 1_234_567.0, "1234-567"),
            ("\"SN\"0000", 7.0, "SN0007"),
            ("\\A000;[Red]-0", 7.0, "A007"),
            ("0.00", 1.5, "1.50"),
            ("0", 12.7, "13"),
            ("General", 123.0, "123"),
            ("#,##0", 1234.0, "1234"),
            ("@", 42.0, "42"),
            ("General", 0.1 + 0.2, "0.3"),
            ("General", -0.0, "0"),
            ("000", 0.0, "000"),
            ("000", -5.0, "-5"),
            ("General", 123_456_789_012_345.0, "123456789012345"),
        ] {
            assert_eq!(shown(code, number).as_deref(), Ok(text), "{code} {number}");
        }
    }

    #[test]
    fn a_number_that_lost_digits_is_not_passed_off_as_an_identifier() {
        assert!(shown("General", 1e15).unwrap_err().contains("more than 15 digits"));
        assert!(shown("General", f64::NAN).is_err());
    }
}
