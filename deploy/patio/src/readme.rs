//! Tests that the README's tables of settings and the list of known environment variables match the settings that the programs declare.
//! Also tests that the runbook contains every section to which `patio doctor` can link.
use crate::Cli;
use clap::{Arg, Command, CommandFactory};
use patio_kit::{
    cli::doctor::RunbookSection,
    config::{OPERATION_HELP_HEADING, TUNING_HELP_HEADING, environment::SETTING_NAMES},
};
use std::collections::BTreeSet;

/// Returns all arguments that can be set with an environment variable, from the command and from its subcommands.
fn settings(command: &Command) -> Vec<&Arg> {
    let own = command.get_arguments().filter(|arg| arg.get_env().is_some());
    own.chain(command.get_subcommands().flat_map(settings)).collect()
}

fn name(arg: &Arg) -> &str {
    arg.get_env().and_then(|name| name.to_str()).unwrap()
}

fn row(arg: &Arg) -> String {
    let default = arg.get_default_values().first().and_then(|value| value.to_str()).filter(|value| !value.is_empty());
    let default = default.map_or("none".to_owned(), |value| format!("`{value}`"));
    format!("| `{}` | {default} | {} |\n", name(arg), arg.get_help().unwrap())
}

#[test]
fn readme_lists_every_setting_with_the_default_and_help_that_the_programs_declare() {
    let (command, readme) = (Cli::command(), include_str!("../../../README.md"));
    let mut listed = BTreeSet::new();
    let all: Vec<_> = settings(&command).into_iter().filter(|arg| listed.insert(name(arg))).collect();
    for heading in [None, Some(OPERATION_HELP_HEADING), Some(TUNING_HELP_HEADING)] {
        let rows: String = all.iter().filter(|arg| arg.get_help_heading() == heading).map(|arg| row(arg)).collect();
        let title = heading.map_or(String::new(), |heading| format!("{heading}:\n\n"));
        let table = format!("\n{title}| variable | default | what it is |\n|---|---|---|\n{rows}\n");
        assert!(readme.contains(&table), "README needs this table:\n{table}");
    }
}

#[test]
fn the_settings_that_are_known_are_those_that_the_programs_declare() {
    let command = Cli::command();
    let declared: BTreeSet<_> = settings(&command).into_iter().map(name).collect();
    assert_eq!(declared, BTreeSet::from(SETTING_NAMES));
}

#[test]
fn every_finding_of_the_doctor_links_to_a_section_of_the_runbook() {
    let headings = include_str!("../../runbook.md").lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        words.chars().filter(|one| one.is_alphanumeric() || "- ".contains(*one)).collect::<String>().replace(' ', "-")
    };
    let anchors: BTreeSet<_> = headings.map(anchor).collect();
    for section in RunbookSection::ALL {
        assert!(anchors.contains(section.anchor()), "the runbook has no section #{}", section.anchor());
    }
}
