//! The codes of number formats: what a spreadsheet program shows of a number.
use super::format::{Comparison, Format, Mark, Section};

const UNKNOWN: &str = "a number in a format that is not understood";

/// The formats that every spreadsheet program knows by number.
pub(super) fn built_in(id: u32) -> Format {
    match id {
        0 | 1 | 3 | 37 | 38 | 49 => Format::Plain,
        2 | 4 | 39 | 40 => parse("0.00"),
        9 | 10 => Format::Unfit("a percentage"),
        11 | 48 => Format::Unfit("a number with an exponent"),
        12 | 13 => Format::Unfit("a fraction"),
        14..=22 | 27..=36 | 45 | 47 | 50..=58 => Format::Moment,
        46 => Format::Duration,
        _ => Format::Unfit(UNKNOWN),
    }
}

/// Reads a format code: sections for positive, negative and zero numbers and for text, separated by `;`.
pub(super) fn parse(code: &str) -> Format {
    let mut sections = Vec::new();
    for section in split(code) {
        match tokens(&section) {
            // A format for text alone shows numbers as they are.
            Ok(None) => {}
            Ok(Some(parsed)) => sections.push(parsed),
            Err(other) => return other,
        }
    }
    match sections.as_slice() {
        [] => Format::Plain,
        [one] if one.is_general && one.whole.is_empty() => Format::Plain,
        _ => Format::Pattern(sections),
    }
}

/// Splits a format code at `;`, but inside quotes, brackets and behind a backslash.
fn split(code: &str) -> Vec<Vec<char>> {
    let (mut sections, mut section, mut closing) = (Vec::new(), Vec::new(), None);
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match (c, closing) {
            (';', None) => sections.push(std::mem::take(&mut section)),
            ('\\' | '_' | '*', None) => section.extend([Some(c), chars.next()].into_iter().flatten()),
            ('"', None) => (closing, section) = (Some('"'), pushed(section, c)),
            ('[', None) => (closing, section) = (Some(']'), pushed(section, c)),
            (c, Some(end)) if c == end => (closing, section) = (None, pushed(section, c)),
            _ => section.push(c),
        }
    }
    sections.push(section);
    sections
}

fn pushed(mut section: Vec<char>, c: char) -> Vec<char> {
    section.push(c);
    section
}

/// Reads one section; none for one that shows text. The error is the format of a code that is none of zeros and fixed characters.
fn tokens(code: &[char]) -> Result<Option<Section>, Format> {
    let mut section = Section::default();
    let (mut behind_point, mut shows_text) = (false, false);
    let general: Vec<char> = "General".chars().collect();
    let mut rest = code;
    while let Some((c, after)) = rest.split_first() {
        rest = after;
        match c {
            '"' => {
                let end = rest.iter().position(|c| *c == '"').unwrap_or(rest.len());
                section.whole.extend(rest[..end].iter().map(|c| Mark::Fixed(*c)));
                rest = rest.get(end + 1..).unwrap_or_default();
            }
            '[' => {
                let end = rest.iter().position(|c| *c == ']').unwrap_or(rest.len());
                bracket(&rest[..end].iter().collect::<String>(), &mut section)?;
                rest = rest.get(end + 1..).unwrap_or_default();
            }
            '\\' => section.whole.extend(take_one(&mut rest).map(Mark::Fixed)),
            // The width of a character as a gap, and a character that fills the cell: neither is part of the value.
            '_' | '*' => drop(take_one(&mut rest)),
            'G' | 'g' if code_starts(c, rest, &general) => {
                rest = &rest[general.len() - 1..];
                section.is_general = true;
            }
            '0' | '#' | '?' if behind_point => section.decimals += 1,
            '0' => section.whole.push(Mark::Zero),
            '#' => section.whole.push(Mark::Digit),
            '?' => section.whole.push(Mark::Zero),
            '.' if !behind_point => behind_point = true,
            '@' => shows_text = true,
            '%' => return Err(Format::Unfit("a percentage")),
            'E' | 'e' if rest.first().is_some_and(|next| matches!(next, '+' | '-')) => {
                return Err(Format::Unfit("a number with an exponent"));
            }
            '/' if code.iter().any(|c| matches!(c, 'd' | 'D' | 'm' | 'M' | 'y' | 'Y')) => return Err(Format::Moment),
            '/' => return Err(Format::Unfit("a fraction")),
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' | 'e' | 'E' | 'g' | 'G' | 'b' | 'B' | 'a' | 'A' => {
                return Err(Format::Moment);
            }
            // Between digits it groups thousands, which is no part of an identifier; behind them it divides by a thousand.
            ',' if rest.first().is_some_and(|next| matches!(next, '0' | '#' | '?')) => {}
            '-' | '+' | ' ' | '(' | ')' | ':' | '$' if !behind_point => section.whole.push(Mark::Fixed(*c)),
            _ => return Err(Format::Unfit(UNKNOWN)),
        }
    }
    let has_digits = section.whole.iter().any(|mark| !matches!(mark, Mark::Fixed(_)));
    match (has_digits || section.is_general, shows_text) {
        (true, _) => Ok(Some(section)),
        (false, true) => Ok(None),
        (false, false) if code.is_empty() => Ok(None),
        // A section that shows no digit hides the number.
        (false, false) => Err(Format::Unfit(UNKNOWN)),
    }
}

fn take_one(rest: &mut &[char]) -> Option<char> {
    let (first, after) = rest.split_first()?;
    *rest = after;
    Some(*first)
}

fn code_starts(first: &char, rest: &[char], word: &[char]) -> bool {
    rest.len() + 1 >= word.len() && std::iter::once(first).chain(rest).zip(word).all(|(c, letter)| c.eq_ignore_ascii_case(letter))
}

/// Reads what stands in brackets: a colour, a country, a condition, or hours that go beyond a day.
fn bracket(inside: &str, section: &mut Section) -> Result<(), Format> {
    let lower = inside.to_lowercase();
    let is_elapsed = !lower.is_empty() && ["h", "m", "s"].iter().any(|unit| lower.chars().all(|c| unit.starts_with(c)));
    if is_elapsed {
        return Err(Format::Duration);
    }
    if let Some(symbol) = inside.strip_prefix('$') {
        let symbol = symbol.split('-').next().unwrap_or_default();
        return if symbol.is_empty() { Ok(()) } else { Err(Format::Unfit("an amount of money")) };
    }
    if inside.starts_with(['<', '>', '=']) {
        section.condition = Some(condition(inside).ok_or(Format::Unfit(UNKNOWN))?);
    }
    Ok(())
}

fn condition(text: &str) -> Option<(Comparison, u64)> {
    let operators = [
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<>", Comparison::NotEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
        ("=", Comparison::Equal),
    ];
    let (comparison, operand) = operators.iter().find_map(|(operator, comparison)| Some((*comparison, text.strip_prefix(operator)?)))?;
    operand.trim().parse::<f64>().ok().map(|operand| (comparison, operand.to_bits()))
}
