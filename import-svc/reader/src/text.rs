//! Decodes escapes such as `_x000D_` in texts of `.xlsx` files.
use std::borrow::Cow;

/// Length in bytes of an escape such as `_x000D_`.
const ESCAPE_LEN: usize = 7;

/// Replaces the escapes `_xHHHH_`, each of which encodes one UTF-16 code unit. `_x005F_` encodes an underscore.
pub(crate) fn decode_xlsx_escapes(text: &str) -> Cow<'_, str> {
    if next(text, 0).is_none() {
        return Cow::Borrowed(text);
    }
    let (mut units, mut done) = (Vec::with_capacity(text.len()), 0);
    while let Some((at, unit)) = next(text, done) {
        units.extend(text[done..at].encode_utf16());
        units.push(unit);
        done = at + ESCAPE_LEN;
    }
    units.extend(text[done..].encode_utf16());
    Cow::Owned(String::from_utf16_lossy(&units))
}

/// Finds the first escape at or after an offset. Returns the offset and the UTF-16 code unit of the escape; `None` if no escape
/// follows.
fn next(text: &str, from: usize) -> Option<(usize, u16)> {
    text[from..].match_indices("_x").find_map(|(at, _)| {
        let at = from + at;
        let digits = text.get(at + 2..at + ESCAPE_LEN)?.strip_suffix('_')?;
        let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hexadecimal.then(|| u16::from_str_radix(digits, 16).ok().map(|unit| (at, unit))).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_utf_16_units() {
        for (written, text) in [
            ("a_x000D__x000a_b", "a\r\nb"),
            ("_x005F_x000D_", "_x000D_"),
            ("_xD83D__xDCF7_", "📷"),
            ("_xD83D_", "\u{fffd}"),
            ("A_x00_ _x_", "A_x00_ _x_"),
            ("_x00é_", "_x00é_"),
        ] {
            assert_eq!(decode_xlsx_escapes(written), text, "{written}");
        }
    }
}
