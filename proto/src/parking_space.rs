//! Validation of parking spaces: texts such as `A-10`, painted on the ground, each of which names a place in a yard.
use crate::normalization;

/// Maximum length of a parking space, in characters.
pub const MAX_PARKING_SPACE_LEN: usize = 40;

/// Normalizes a parking space (dashes, blanks, invisible characters). Rejects dates and times, because spreadsheet programs turn
/// parking spaces such as `MAR-1` into dates.
///
/// # Errors
/// Returns a message when the text is too long, or is a date or a time. The caller puts the words "Parking Space" before the
/// message.
pub fn parse(written: &str) -> Result<String, String> {
    // Skips the normalization of a text that is far too long for any valid spelling.
    let space =
        if written.trim().len() > 16 * MAX_PARKING_SPACE_LEN { written.into() } else { normalization::normalize_identifier(written) };
    if space.chars().count() > MAX_PARKING_SPACE_LEN {
        return Err(format!("can have at most {MAX_PARKING_SPACE_LEN} characters."));
    }
    if is_date_or_time(&space) {
        return Err(format!("is a date or a time: {space}. Format the column as text and type the space again."));
    }
    Ok(space.into_owned())
}

/// Month names in English, Portuguese and Spanish, short and long. A blank before and after each name allows a search for whole
/// names.
const MONTHS: &str = " jan ene feb fev mar apr abr may mai jun jul aug ago sep sept set oct out nov dec dez dic \
    january february march april june july august september october november december \
    janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro \
    enero febrero marzo mayo junio julio septiembre octubre noviembre diciembre ";

/// Returns `true` for a text that is a date, a time or both: `01/mar`, `10-fev`, `2026-03-01 00:00:00`, `1/3/26`, `10:30`.
#[must_use]
pub fn is_date_or_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let both = |(date, time): (&str, &str)| is_date(date) && is_time(time);
    is_date(&lower) || is_time(&lower) || lower.split_once([' ', 't']).is_some_and(both)
}

fn is_time(text: &str) -> bool {
    let text = text.trim_end_matches("am").trim_end_matches("pm").trim_end_matches('z').trim();
    let parts: Vec<&str> = text.split(':').collect();
    let seconds = |part: &str| part.split('.').all(|digits| number(digits).is_some());
    (2..=3).contains(&parts.len())
        && number(parts[0]).is_some()
        && number(parts[1]).is_some_and(|minutes| minutes < 60 && parts[1].len() == 2)
        && parts.get(2).is_none_or(|part| seconds(part))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> =
        text.split(['-', '/', '.', ' ', ',']).filter(|part| !part.is_empty() && *part != "de" && *part != "of").collect();
    let slashes = text.contains('/') || text.matches('.').count() == 2;
    match parts.as_slice() {
        [day, month] if is_month(month) => number(day).is_some_and(is_day),
        // `MAR-1` is a parking space; `mar/26` is a date that a spreadsheet program made of one.
        [month, year] if is_month(month) => slashes && number(year).is_some(),
        [first, second] => slashes && text.contains('/') && is_day_and_month(first, second),
        [day, month, year] if is_month(month) => number(day).is_some() && number(year).is_some(),
        [month, day, year] if is_month(month) => number(day).is_some_and(is_day) && (year.len() == 4 || slashes) && number(year).is_some(),
        [year, month, day] if year.len() == 4 => number(year).is_some() && is_day_and_month(month, day),
        [first, second, year] => (year.len() == 4 || slashes) && number(year).is_some() && is_day_and_month(first, second),
        _ => false,
    }
}

fn is_month(text: &str) -> bool {
    MONTHS.contains(&format!(" {text} "))
}

fn is_day_and_month(first: &str, second: &str) -> bool {
    let (Some(first), Some(second)) = (number(first), number(second)) else { return false };
    is_day(first) && is_day(second) && (first <= 12 || second <= 12)
}

fn is_day(number: u32) -> bool {
    (1..=31).contains(&number)
}

fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_that_a_spreadsheet_made_dates_of_are_refused() {
        for text in [
            "01/mar",
            "10-fev",
            "1-Mar",
            "10/fev",
            "2026-03-01",
            "2026-03-01 00:00:00",
            "1/3/2026",
            "01.03.2026",
            "01/03/26",
            "mar/26",
            "1-mar-26",
            "Mar 1, 2026",
            "1 de março de 2026",
            "10:30",
            "10:30:00",
            "2026-03-01T10:30:00Z",
            "1/3",
            "31/12",
            "15-dez",
            "3-Dec-2026",
            "7:05 PM",
            "10:30:00.5",
            "12/13",
            "13/12",
        ] {
            assert!(parse(text).unwrap_err().contains("Format the column as text"), "{text}");
        }
    }

    #[test]
    fn spaces_are_no_dates() {
        for text in [
            "A-1",
            "MAR-1",
            "mar-26",
            "SET-10",
            "0-7",
            "- 3",
            "--",
            "A-1-2",
            "1-2",
            "01-02-03",
            "12-5",
            "X12",
            "Ç-1",
            "D/12",
            "A/1/2",
            "40/50",
            "7-1",
            "",
            "T-1",
            "A1:2",
            "DEC 4",
            "OUT",
            "MAI-12-3",
            "12",
            "2026",
            "A.1.2",
            "1-A",
            "99-mar",
            "10:60",
            "10:5",
            "10:30:0.X",
            "+1/mar",
            "mar/12345",
            "40/5",
            "5/40",
            "13/14",
            "2026-40-50",
            "A123-1-2",
            "A-mar-26",
            "1-mar-X",
            "2026-03-01 A-1",
        ] {
            assert_eq!(parse(text).as_deref(), Ok(text), "{text}");
        }
    }

    #[test]
    fn spaces_have_one_spelling_and_a_longest_length() {
        assert_eq!(parse(" A\u{2013}01\u{a0}").as_deref(), Ok("A-01"));
        assert_eq!(parse(&format!("{}A-1 ", " ".repeat(700))).as_deref(), Ok("A-1"));
        assert!(parse(&"A".repeat(40)).is_ok());
        assert!(parse(&"A".repeat(41)).unwrap_err().contains("at most 40"));
    }

    #[test]
    fn a_spelling_of_up_to_640_bytes_is_normalized_and_a_longer_one_is_too_long() {
        assert_eq!(parse(&"\u{ff21}".repeat(40)).as_deref(), Ok("A".repeat(40).as_str()));
        let with_invisible = |count: usize| format!("{}A", "\u{200b}".repeat(count));
        assert_eq!(parse(&with_invisible(213)).as_deref(), Ok("A"), "640 bytes");
        assert!(parse(&with_invisible(214)).unwrap_err().contains("at most 40"), "643 bytes");
    }

    #[test]
    fn every_month_name_and_every_way_to_write_a_date_is_recognized() {
        let months = "jan ene feb fev mar apr abr may mai jun jul aug ago sep sept set oct out nov dec dez dic \
            january february march april june july august september october november december \
            janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro \
            enero febrero marzo mayo junio julio septiembre octubre noviembre diciembre";
        for month in months.split_whitespace() {
            assert!(is_date_or_time(&format!("1/{month}")), "{month}");
        }
        for text in ["7:05 AM", "01.03.26", "1 of March 2026", "31/12"] {
            assert!(is_date_or_time(text), "{text}");
        }
        for space in ["0/7", "32/12", "0-mar", "32-mar"] {
            assert!(!is_date_or_time(space), "{space}");
        }
    }
}
