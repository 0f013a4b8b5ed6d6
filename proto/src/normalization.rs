//! Normalization of texts that are compared: VINs, parking spaces, login names (HMC) and other names.
//!
//! Word processors, label printers and messengers replace characters by other characters that look alike. The normal form undoes
//! these replacements. Every dash and minus sign becomes `-`, every run of blanks becomes one space, invisible and control
//! characters are removed, and the text is trimmed. `web/src/lib/normal.ts` implements the same rules; both implementations are
//! tested with `normal-cases.json`.
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Normalizes a VIN, a parking space or a login name (HMC): unifies dashes and blanks, and removes invisible characters.
///
/// Compatibility characters (full width, superscripts, ligatures) are replaced by their plain equivalents (Unicode NFKC).
#[must_use]
pub fn normalize_identifier(written: &str) -> Cow<'_, str> {
    normal(written, |text| text.nfkc().collect())
}

/// Normalizes a single-line name: unifies dashes and blanks, and removes invisible characters. Compatibility characters such as `º`
/// and `²` stay as they are (Unicode NFC).
#[must_use]
pub fn normalize_name(written: &str) -> Cow<'_, str> {
    normal(written, |text| text.nfc().collect())
}

/// Returns the key by which names are compared: the result of [`normalize_identifier`] in lower case.
#[must_use]
pub fn name_comparison_key(written: &str) -> String {
    normalize_identifier(&normalize_identifier(written).to_lowercase()).into_owned()
}

/// Normalizes a multi-line text. Line breaks become `\n`, [`normalize_name`] normalizes each line, and empty lines at the start and the
/// end of the text are removed.
#[must_use]
pub fn normalize_multiline_text(written: &str) -> String {
    let written = written.replace("\r\n", "\n").replace(['\r', '\u{b}', '\u{85}', '\u{2028}', '\u{2029}'], "\n");
    written.split('\n').map(normalize_name).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

fn normal(written: &str, compose: impl Fn(&str) -> String) -> Cow<'_, str> {
    if is_normal(written) {
        return Cow::Borrowed(written);
    }
    // Unicode composition can produce blanks and dashes, and removing characters can produce pairs that compose, so two
    // rounds are needed.
    Cow::Owned(replace_lookalikes(&compose(&replace_lookalikes(&compose(&replace_lookalikes(written))))))
}

/// Returns `true` for printable ASCII without leading, trailing or double blanks. Such a text, the most common case, needs no
/// normalization.
fn is_normal(text: &str) -> bool {
    let outer = text.starts_with(' ') || text.ends_with(' ');
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && !outer && !text.contains("  ")
}

/// Replaces dashes and blanks, removes invisible characters, and trims the text.
fn replace_lookalikes(text: &str) -> String {
    let mut settled = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        if is_blank(c) {
            blank = true;
        } else if !is_invisible(c) {
            if std::mem::take(&mut blank) && !settled.is_empty() {
                settled.push(' ');
            }
            settled.push(if is_dash_lookalike(c) { '-' } else { c });
        }
    }
    settled
}

/// Returns `true` for blanks of any width, including the Braille blank, which looks like a space.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{2800}'
}

/// Returns `true` for dashes other than `-`, and for other characters that look like a dash, such as minus signs. Normalization replaces
/// such characters by `-`.
#[must_use]
pub fn is_dash_lookalike(c: char) -> bool {
    !c.is_ascii()
        && (c.general_category() == GeneralCategory::DashPunctuation || matches!(c, '\u{2d7}' | '\u{2043}' | '\u{2212}' | '\u{2796}'))
}

/// Returns `true` for control and format characters, and for characters that Unicode does not display
/// (`Default_Ignorable_Code_Point`).
fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    matches!(c.general_category(), GeneralCategory::Control | GeneralCategory::Format)
        || matches!(c, '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2065}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// Pseudo-random generator with a fixed seed, which yields the same texts in every run.
    struct Seed(u64);

    impl Seed {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % most
        }

        fn text(&mut self) -> String {
            const ODD_CHARACTERS: &str = "-\u{ad}\u{2010}\u{2011}\u{2013}\u{2014}\u{2212}\u{fe63}\u{ff0d}\u{207b} \t\u{a0}\u{2003}\u{3000}\u{200b}\u{feff}\u{200d}\u{301}\u{308}\u{338}ＡＢ１ﬁ²ºéA0\u{7}\u{1d}\n";
            let odd: Vec<char> = ODD_CHARACTERS.chars().collect();
            let length = self.below(12);
            (0..length)
                .map(|_| match self.below(4) {
                    0 => char::from(u8::try_from(32 + self.below(95)).unwrap()),
                    1 => char::from_u32(u32::try_from(0xa0 + self.below(0x3350)).unwrap()).unwrap(),
                    2 => char::from_u32(u32::try_from(0xfe00 + self.below(0x1f0)).unwrap()).unwrap(),
                    _ => odd[self.below(odd.len())],
                })
                .collect()
        }
    }

    #[test]
    fn blanks_at_one_end_are_removed() {
        assert_eq!((normalize_identifier(" A-1").as_ref(), normalize_identifier("A-1 ").as_ref()), ("A-1", "A-1"));
    }

    #[test]
    fn what_looks_the_same_has_one_normal_form() {
        for (written, normal) in [
            ("A\u{2013}01", "A-01"),
            ("A\u{2011}02", "A-02"),
            ("A\u{2212}03", "A-03"),
            ("Ａ－０４", "A-04"),
            (" -  3\u{a0}", "- 3"),
            ("\u{feff}A\u{200b}-5\u{ad}", "A-5"),
            ("A-\u{7}2\u{1d}", "A-2"),
            ("a\u{3000}b\r\nc", "a b c"),
            ("e\u{200d}\u{301}", "é"),
        ] {
            assert_eq!(normalize_identifier(written), normal, "{written:?}");
        }
        assert_eq!((normalize_name("Nº 5  ½ m²"), normalize_identifier("Nº 5")), ("Nº 5 ½ m²".into(), "No 5".into()));
        assert_eq!(normalize_multiline_text(" one\u{a0} two \r\n\u{200b}three\u{2028}four\n\n"), "one two\nthree\nfour");
        assert_eq!(name_comparison_key(" ＡＢＣ\u{a0} Ünits "), name_comparison_key("abc ünits"));
    }

    #[test]
    fn the_normal_form_of_a_normal_form_is_itself() {
        let mut seed = Seed(1);
        for _ in 0..100_000 {
            let text = seed.text();
            let (as_code, as_name) = (normalize_identifier(&text).into_owned(), normalize_name(&text).into_owned());
            assert_eq!(
                (normalize_identifier(&as_code), normalize_name(&as_name)),
                (as_code.as_str().into(), as_name.as_str().into()),
                "{text:?}"
            );
        }
    }

    fn cases() -> String {
        let mut seed = Seed(2);
        let mut lines = String::new();
        for n in 0..2_000 {
            let text = seed.text();
            let case = [text.as_str(), &normalize_identifier(&text), &normalize_name(&text)].map(escaped).join(",");
            let _ = write!(lines, "{}[{case}]", if n == 0 { "[\n" } else { ",\n" });
        }
        lines + "\n]\n"
    }

    /// Returns a text as a JSON string in ASCII.
    fn escaped(text: &str) -> String {
        let mut json = String::from("\"");
        for unit in text.encode_utf16() {
            match u8::try_from(unit).map(char::from) {
                Ok(c) if (' '..='~').contains(&c) && c != '"' && c != '\\' => json.push(c),
                _ => {
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
        }
        json + "\""
    }

    #[test]
    fn the_test_cases_of_the_web_are_up_to_date() {
        assert!(cases() == include_str!("normal-cases.json"), "regenerate: cargo test -p patio-proto -- --ignored cases_are_written");
    }

    #[test]
    #[ignore = "writes normal-cases.json"]
    fn cases_are_written() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/normal-cases.json"), cases()).unwrap();
    }

    #[test]
    fn every_listed_blank_dash_invisible_character_and_line_break_is_normalized() {
        assert_eq!(normalize_name("A\u{2800}1"), "A 1");
        for dash in ['\u{2d7}', '\u{2043}', '\u{2212}', '\u{2796}'] {
            assert_eq!(normalize_name(&format!("A{dash}1")), "A-1", "{dash:?}");
        }
        for invisible in [
            '\u{80}',
            '\u{34f}',
            '\u{115f}',
            '\u{1160}',
            '\u{17b4}',
            '\u{17b5}',
            '\u{180b}',
            '\u{180f}',
            '\u{2065}',
            '\u{3164}',
            '\u{fe00}',
            '\u{fe0f}',
            '\u{ffa0}',
            '\u{fff0}',
            '\u{fff8}',
            '\u{e0000}',
            '\u{e0100}',
            '\u{e0fff}',
        ] {
            let written = format!("A{invisible}1");
            assert_eq!((normalize_identifier(&written), normalize_name(&written)), ("A1".into(), "A1".into()), "{invisible:?}");
        }
        assert_eq!(normalize_multiline_text("1\r2\u{b}3\u{85}4\u{2028}5\u{2029}6"), "1\n2\n3\n4\n5\n6");
    }
}
