//! Result table: each operation with its baseline and whether the goal is met.
use serde::Serialize;
use std::{fmt::Write, time::Duration};

/// One line of the result table.
#[derive(Debug, Clone, Serialize)]
pub struct Line {
    /// Deployment form of Patio: `five` or `one`.
    pub stack: String,
    /// Name of the operation.
    pub operation: String,
    /// Measured value of Patio, with unit.
    pub patio: String,
    /// Value of the baseline or the limit, with unit.
    pub floor: String,
    /// Measured value divided by that of the baseline.
    pub ratio: Option<f64>,
    /// Maximum ratio; `None` for a value without a goal.
    pub goal: Option<f64>,
    /// Whether the goal is met; `None` for a value without a goal.
    pub holds: Option<bool>,
    /// Details: time by process, throughput, latency.
    pub more: String,
}

/// All results, in the order of measurement.
#[derive(Debug, Default)]
pub struct Table {
    lines: Vec<Line>,
}

impl Table {
    /// Adds a line and prints it.
    pub fn add(&mut self, line: Line) {
        println!("{}", shown(&line));
        self.lines.push(line);
    }

    /// Adds a measured value with its baseline and the maximum ratio.
    pub fn ratio(&mut self, (stack, operation): (&str, &str), (patio, floor, unit): (f64, f64, &str), goal: f64, more: String) {
        let ratio = patio / floor;
        self.add(Line {
            stack: stack.to_owned(),
            operation: operation.to_owned(),
            patio: format!("{patio:.1} {unit}"),
            floor: format!("{floor:.1} {unit}"),
            ratio: Some(ratio),
            goal: Some(goal),
            holds: Some(ratio <= goal),
            more,
        });
    }

    /// Adds a measured value with its maximum.
    pub fn most(&mut self, (stack, operation): (&str, &str), (figure, most): (f64, f64), unit: &str, more: String) {
        self.add(Line {
            stack: stack.to_owned(),
            operation: operation.to_owned(),
            patio: format!("{figure:.2} {unit}"),
            floor: format!("at most {most} {unit}"),
            ratio: None,
            goal: None,
            holds: Some(figure <= most),
            more,
        });
    }

    /// Adds a value without a goal.
    pub fn value(&mut self, stack: &str, operation: &str, figure: String, more: String) {
        let (stack, operation) = (stack.to_owned(), operation.to_owned());
        self.add(Line { stack, operation, patio: figure, floor: String::new(), ratio: None, goal: None, holds: None, more });
    }

    /// Returns the table as text, with the number of goals that are met.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{:5} {:46} {:>14} {:>20} {:>12}\n", "", "operation", "Patio", "floor or limit", "ratio (goal)");
        for line in &self.lines {
            let _ = writeln!(text, "{}", shown(line));
        }
        let judged: Vec<bool> = self.lines.iter().filter_map(|line| line.holds).collect();
        let _ = writeln!(text, "{} of {} goals hold", judged.iter().filter(|holds| **holds).count(), judged.len());
        text
    }

    /// Returns all lines as JSON.
    ///
    /// # Errors
    /// Returns an error when a value is not a valid number.
    pub fn json(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(&self.lines)?)
    }
}

fn shown(line: &Line) -> String {
    let ratio = match (line.ratio, line.goal) {
        (Some(ratio), Some(goal)) => format!("{ratio:.2} ({goal})"),
        _ => String::new(),
    };
    let mark = line.holds.map_or("    ", |holds| if holds { "pass" } else { "MISS" });
    format!("{:5} {:46} {:>14} {:>20} {:>12} {mark} {}", line.stack, line.operation, line.patio, line.floor, ratio, line.more)
}

/// Converts a duration to microseconds.
#[must_use]
pub fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_that_hold_and_those_that_do_not_are_counted() {
        let mut table = Table::default();
        table.ratio(("five", "a"), (14.0, 10.0, "us"), 1.5, String::new());
        table.ratio(("five", "b"), (16.0, 10.0, "us"), 1.5, String::new());
        table.most(("five", "c"), (20.0, 20.0), "ms", String::new());
        table.value("five", "d", "7".into(), String::new());
        let text = table.text();
        assert!(text.contains("2 of 3 goals hold") && text.contains("MISS") && text.contains("1.60 (1.5)"), "{text}");
    }
}
