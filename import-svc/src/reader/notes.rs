//! What the normal form changed in a sheet, for the import's answer.
use super::columns::Column;
use patio_proto::normal;

/// Counts of cells that are stored in another spelling than the sheet has.
#[derive(Default)]
pub(super) struct Notes {
    /// By column: cells with dashes made hyphens, and cells with blanks or characters replaced or left out.
    counts: [[u64; 2]; Column::ALL.len()],
}

impl Notes {
    /// Counts a cell whose normal form differs from what the sheet holds in more than case and outer blanks.
    pub(super) fn compare(&mut self, column: Column, written: &str, stored: &str) {
        let count = &mut self.counts[column as usize];
        if written.chars().any(normal::is_odd_dash) {
            count[0] += 1;
        } else if !written.is_ascii() || written.len() != stored.len() {
            let kept = written.trim().replace("\r\n", "\n");
            if kept != stored && kept.to_uppercase() != stored {
                count[1] += 1;
            }
        }
    }

    /// One sentence for each kind of change.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for column in Column::ALL {
            let [dashes, others] = self.counts[column as usize];
            for (count, what) in [(dashes, "long dashes made hyphens"), (others, "unusual blanks or characters replaced")] {
                if count > 0 {
                    let (one, many) = nouns(column);
                    sentences.push(format!("{count} {}: {what}.", if count == 1 { one } else { many }));
                }
            }
        }
        sentences
    }
}

fn nouns(column: Column) -> (&'static str, &'static str) {
    match column {
        Column::Campaign => ("campaign name", "campaign names"),
        Column::Part => ("part", "parts"),
        Column::Description => ("description", "descriptions"),
        Column::ModelType => ("model type", "model types"),
        Column::ModelCode => ("model code", "model codes"),
        Column::SerialNumber => ("serial number", "serial numbers"),
        Column::ParkingSpace => ("space", "spaces"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_people_would_not_expect_is_noted() {
        let mut notes = Notes::default();
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
            notes.compare(column, written, stored);
        }
        assert_eq!(
            notes.sentences(),
            [
                "1 campaign name: unusual blanks or characters replaced.",
                "1 serial number: unusual blanks or characters replaced.",
                "2 spaces: long dashes made hyphens."
            ]
        );
    }
}
