//! Counts the cell values that normalization changed, and describes the changes in notes for the uploader.
use crate::columns::Column;
use patio_proto::normalization;

/// Counts of cells whose stored value differs from the worksheet.
#[derive(Default)]
pub(crate) struct NormalizationCounts {
    /// Two counts for each column. The first counts cells in which dashes were replaced with hyphens, the second counts all other changed
    /// cells.
    counts: [[u64; 2]; Column::ALL.len()],
}

impl NormalizationCounts {
    /// Counts a cell if its stored text differs from its text in the worksheet. Differences in letter case, line breaks or surrounding
    /// whitespace are not counted.
    pub(crate) fn count_if_changed(&mut self, column: Column, written: &str, stored: &str) {
        let count = &mut self.counts[column as usize];
        if written.chars().any(normalization::is_dash_lookalike) {
            count[0] += 1;
        } else if !written.is_ascii() || written.len() != stored.len() {
            let kept = written.trim().replace("\r\n", "\n");
            if kept != stored && kept.to_uppercase() != stored {
                count[1] += 1;
            }
        }
    }

    /// Returns the notes for the user: one sentence per column and kind of change.
    pub(crate) fn to_notes(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for column in Column::ALL {
            let [dashes, others] = self.counts[column as usize];
            for (count, what) in [(dashes, "dashes replaced with hyphens"), (others, "unusual spaces or characters replaced")] {
                if count > 0 {
                    sentences.push(format!("{}: {what} ({count}).", column.name()));
                }
            }
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unexpected_changes_are_noted() {
        let mut notes = NormalizationCounts::default();
        for (column, written, stored) in [
            (Column::ParkingSpace, "A\u{2013}1", "A-1"),
            (Column::ParkingSpace, "A\u{2212}2", "A-2"),
            (Column::ParkingSpace, " A-3 ", "A-3"),
            (Column::ModelCode, "hb20", "HB20"),
            (Column::SerialNumber, "00\u{200b}1", "001"),
            (Column::Campaign, "A\u{a0}b", "A b"),
            (Column::Description, "a\r\nb", "a\nb"),
            (Column::Part, "Peça", "Peça"),
        ] {
            notes.count_if_changed(column, written, stored);
        }
        assert_eq!(
            notes.to_notes(),
            [
                "Campaign: unusual spaces or characters replaced (1).",
                "Serial Number: unusual spaces or characters replaced (1).",
                "Parking Space: dashes replaced with hyphens (2)."
            ]
        );
    }
}
