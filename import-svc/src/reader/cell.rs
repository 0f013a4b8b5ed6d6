//! What a cell holds, as text.
use std::rc::Rc;

/// What a cell holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Cell {
    /// Nothing, or nothing but blanks.
    #[default]
    Blank,
    /// Text, without blanks around it.
    Text(Rc<str>),
    /// Text that no identifier and no parking space can be, because a spreadsheet program made it of what was typed:
    /// as shown, and what to do about it.
    Unfit(String, String),
    /// Something that is no value in any column: as shown, and what is wrong, to follow a column's name.
    Bad(String, String),
}

impl Cell {
    /// Takes the blanks off both ends; those inside, as in the space `- 3`, mean something.
    pub(super) fn text(written: &str) -> Self {
        let text = trimmed(written);
        if text.is_empty() { Self::Blank } else { Self::Text(text.into()) }
    }

    /// The same of a text that many cells share, which is copied only when it has blanks around it.
    pub(super) fn shared(written: &Rc<str>) -> Self {
        if trimmed(written).len() == written.len() && !written.is_empty() { Self::Text(written.clone()) } else { Self::text(written) }
    }

    /// What people see in it, good or not.
    pub(super) fn shown(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Unfit(text, _) | Self::Bad(text, _) => text,
            Self::Blank => "",
        }
    }

    /// The text of a column that takes any text; empty unless there is a good one.
    pub(super) fn as_text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Unfit(text, _) => text,
            Self::Blank | Self::Bad(..) => "",
        }
    }
}

fn trimmed(written: &str) -> &str {
    written.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}'))
}
