//! Parses spreadsheet number format codes, such as `0000` or `d/mmm`. The module `number_formats` applies the parsed formats to
//! numbers.

const UNKNOWN_FORMAT: &str = "a number in an unknown format";

/// Number format of a cell: how a spreadsheet program displays the number in the cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NumberFormat {
    /// Format that displays all digits of the number without changes, such as `General`.
    Plain,
    /// Format that consists of digit placeholders and fixed characters, such as `00-000`. Contains one or more sections. Each
    /// section applies to positive, negative or zero numbers, or to the numbers that meet the condition of the section.
    Pattern(Vec<FormatSection>),
    /// Format of a date, a time of day, or both.
    DateTime,
    /// Format of a duration, such as `36:00:00`.
    Duration,
    /// Format that the workbook reader does not support, such as a percentage or a fraction. Contains the name of the format for the
    /// error message.
    Unsupported(&'static str),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FormatSection {
    /// Condition that a number must meet for the section to apply, such as `[<100]`; `None` if the section has no condition. The operand
    /// is stored as the bits of an `f64`, because `f64` does not implement `Eq`.
    pub(crate) condition: Option<(Comparison, u64)>,
    pub(crate) whole: Vec<FormatToken>,
    /// Fixed characters after the decimals, or after the number of a `General` section.
    pub(crate) suffix: String,
    /// Number of digit placeholders after the decimal point: the number is rounded to this many decimals.
    pub(crate) decimals: usize,
    /// Number of decimals that are always displayed, even if they are zero. Trailing zeros after these decimals are dropped.
    pub(crate) min_decimals: usize,
    pub(crate) is_general: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormatToken {
    /// Digit placeholder `0`. Where the number has no digit, `0` is written.
    Zero,
    /// Digit placeholder `#` or `?`. Where the number has no digit, nothing is written. For `?`, a spreadsheet program would display a
    /// blank instead.
    Digit,
    Fixed(char),
}

/// Operator in the condition of a format section, such as `<` in `[<100]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
}

/// Returns the number format for a built-in format id of Excel (`numFmtId`).
pub(crate) fn built_in_format(id: u32) -> NumberFormat {
    match id {
        0 | 49 => NumberFormat::Plain,
        1 => parse_format_code("0"),
        2 | 4 | 39 | 40 => parse_format_code("0.00"),
        3 => parse_format_code("#,##0"),
        37 | 38 => parse_format_code("#,##0_);(#,##0)"),
        9 | 10 => NumberFormat::Unsupported("a percentage"),
        11 | 48 => NumberFormat::Unsupported("a number with an exponent"),
        12 | 13 => NumberFormat::Unsupported("a fraction"),
        14..=22 | 27..=36 | 45 | 47 | 50..=58 => NumberFormat::DateTime,
        46 => NumberFormat::Duration,
        _ => NumberFormat::Unsupported(UNKNOWN_FORMAT),
    }
}

/// Parses a format code: sections for positive, negative and zero numbers and for text, separated by `;`.
pub(crate) fn parse_format_code(code: &str) -> NumberFormat {
    let mut sections = Vec::new();
    for section in split(code) {
        match tokens(&section) {
            // A section for text only displays numbers unchanged.
            Ok(None) => {}
            Ok(Some(parsed)) => sections.push(parsed),
            Err(other) => return other,
        }
    }
    match sections.as_slice() {
        [] => NumberFormat::Plain,
        [section] if section.is_general && section.whole.is_empty() && section.suffix.is_empty() => NumberFormat::Plain,
        _ => NumberFormat::Pattern(sections),
    }
}

/// Splits a format code at each `;` that is not quoted, bracketed or escaped by a backslash.
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

/// Parses one section of a format code. Returns `None` if the section is empty or applies only to text.
///
/// Returns `Err` if the section is not a digit pattern, for example if the section formats a date. The error value is then the
/// number format of the whole format code.
fn tokens(code: &[char]) -> Result<Option<FormatSection>, NumberFormat> {
    let mut section = FormatSection::default();
    let (mut behind_point, mut shows_text) = (false, false);
    let general: Vec<char> = "General".chars().collect();
    let mut rest = code;
    while let Some((c, after)) = rest.split_first() {
        rest = after;
        match c {
            '"' => {
                let end = rest.iter().position(|c| *c == '"').unwrap_or(rest.len());
                rest[..end].iter().for_each(|c| section.push_fixed(*c, behind_point));
                rest = rest.get(end + 1..).unwrap_or_default();
            }
            '[' => {
                let end = rest.iter().position(|c| *c == ']').unwrap_or(rest.len());
                bracket(&rest[..end].iter().collect::<String>(), &mut section)?;
                rest = rest.get(end + 1..).unwrap_or_default();
            }
            '\\' => {
                if let Some(c) = take_one(&mut rest) {
                    section.push_fixed(c, behind_point);
                }
            }
            // `_` adds a gap as wide as the next character and `*` fills the cell with it; neither is part of the value.
            '_' | '*' => drop(take_one(&mut rest)),
            'G' | 'g' if code_starts(c, rest, &general) => {
                rest = &rest[general.len() - 1..];
                section.is_general = true;
            }
            // Digits after fixed text behind the decimal point, as in `0.0"-"0`.
            '0' | '#' | '?' if !section.suffix.is_empty() => return Err(NumberFormat::Unsupported(UNKNOWN_FORMAT)),
            '0' if behind_point => (section.decimals, section.min_decimals) = (section.decimals + 1, section.decimals + 1),
            '#' | '?' if behind_point => section.decimals += 1,
            '0' => section.whole.push(FormatToken::Zero),
            '#' | '?' => section.whole.push(FormatToken::Digit),
            '.' if !behind_point => behind_point = true,
            '@' => shows_text = true,
            '%' => return Err(NumberFormat::Unsupported("a percentage")),
            'E' | 'e' if rest.first().is_some_and(|next| matches!(next, '+' | '-')) => {
                return Err(NumberFormat::Unsupported("a number with an exponent"));
            }
            '/' if code.iter().any(|c| matches!(c, 'd' | 'D' | 'm' | 'M' | 'y' | 'Y')) => return Err(NumberFormat::DateTime),
            '/' => return Err(NumberFormat::Unsupported("a fraction")),
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' | 'e' | 'E' | 'g' | 'G' | 'b' | 'B' | 'a' | 'A' => {
                return Err(NumberFormat::DateTime);
            }
            // A comma between digits groups thousands, which VINs ignore; one after them divides by a thousand.
            ',' if rest.first().is_some_and(|next| matches!(next, '0' | '#' | '?')) => {}
            '-' | '+' | ' ' | '(' | ')' | ':' | '$' => section.push_fixed(*c, behind_point),
            _ => return Err(NumberFormat::Unsupported(UNKNOWN_FORMAT)),
        }
    }
    let has_digits = section.whole.iter().any(|mark| !matches!(mark, FormatToken::Fixed(_)));
    match (has_digits || section.is_general, shows_text) {
        (true, _) => Ok(Some(section)),
        (false, true) => Ok(None),
        (false, false) if code.is_empty() => Ok(None),
        // A section without digits hides the number.
        (false, false) => Err(NumberFormat::Unsupported(UNKNOWN_FORMAT)),
    }
}

impl FormatSection {
    fn push_fixed(&mut self, c: char, is_behind_point: bool) {
        if is_behind_point || self.is_general {
            self.suffix.push(c);
        } else {
            self.whole.push(FormatToken::Fixed(c));
        }
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

/// Parses the content of square brackets in a format code. The content is a colour, a locale, a currency, a condition, or a unit of
/// elapsed time, as in `[h]`. Stores a condition in `section`.
///
/// Returns `Err` for elapsed time, a currency or an invalid condition, because none of these can be part of a digit pattern. The
/// error value is then the number format of the whole format code.
fn bracket(inside: &str, section: &mut FormatSection) -> Result<(), NumberFormat> {
    let lower = inside.to_lowercase();
    let is_elapsed = !lower.is_empty() && ["h", "m", "s"].iter().any(|unit| lower.chars().all(|c| unit.starts_with(c)));
    if is_elapsed {
        return Err(NumberFormat::Duration);
    }
    if let Some(symbol) = inside.strip_prefix('$') {
        let symbol = symbol.split('-').next().unwrap_or_default();
        return if symbol.is_empty() { Ok(()) } else { Err(NumberFormat::Unsupported("an amount of money")) };
    }
    if inside.starts_with(['<', '>', '=']) {
        section.condition = Some(condition(inside).ok_or(NumberFormat::Unsupported(UNKNOWN_FORMAT))?);
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
