//! Escaping of log lines, so that user input in a log line cannot forge another line or reverse the text direction.
use std::{
    borrow::Cow,
    io::{Result, Stderr, Write},
};

/// Writer that escapes control characters (except tab and ESC) and characters that change the text direction. Each `write` must
/// contain one complete log line.
pub struct EscapingWriter<W>(W);

/// Returns a writer to standard error that escapes log lines. Each `write` must contain one complete line.
#[must_use]
pub fn create_escaping_stderr() -> EscapingWriter<Stderr> {
    EscapingWriter(std::io::stderr())
}

impl<W: Write> Write for EscapingWriter<W> {
    fn write(&mut self, event: &[u8]) -> Result<usize> {
        self.0.write_all(&clean(event))?;
        Ok(event.len())
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }
}

/// Returns `true` for a character that has to be escaped in a log line. Tabs are not escaped. ESC is not escaped either, because it begins
/// the codes of terminal colours.
fn is_odd(c: char) -> bool {
    (c.is_control() && !matches!(c, '\u{1b}' | '\t'))
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn clean(event: &[u8]) -> Cow<'_, [u8]> {
    let (line, end) = event.strip_suffix(b"\n").map_or((event, ""), |line| (line, "\n"));
    let text = String::from_utf8_lossy(line);
    if matches!(text, Cow::Borrowed(_)) && !text.contains(is_odd) {
        return Cow::Borrowed(event);
    }
    let mut cleaned = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_odd(c) { cleaned.extend(c.escape_default()) } else { cleaned.push(c) }
    }
    Cow::Owned((cleaned + end).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line_and_keeps_its_direction() {
        let written = |text: &str| {
            let mut lines = EscapingWriter(Vec::new());
            lines.write_all(text.as_bytes()).unwrap();
            String::from_utf8(lines.0).unwrap()
        };
        assert_eq!(written("\u{1b}[2mInfo\u{1b}[0m a pátio\t1\n"), "\u{1b}[2mInfo\u{1b}[0m a pátio\t1\n");
        assert_eq!(written("a\r\nInfo forged\n"), "a\\r\\nInfo forged\n");
        assert_eq!(written("a\u{202e}b\u{2028}c\u{0}\u{9b}\n"), "a\\u{202e}b\\u{2028}c\\u{0}\\u{9b}\n");
        let mut lines = EscapingWriter(Vec::new());
        lines.write_all(b"a\xff\n").unwrap();
        assert_eq!(lines.0, "a\u{fffd}\n".as_bytes());
    }
}
