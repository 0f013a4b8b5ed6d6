//! Collects all output of Patio and searches it for secrets.
use base64::{Engine, prelude::BASE64_STANDARD_NO_PAD};
use patio_harness::{Client, program_path};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Program, arguments, and changed environment variables.
pub type Run<'a> = (&'a str, &'a [&'a str], &'a [(&'a str, String)]);

/// Collected outputs by source, and paths of files that are too large to load.
#[derive(Default)]
pub struct Shown(Vec<(String, String)>, Vec<PathBuf>);

impl Shown {
    pub fn add(&mut self, place: &str, text: &str) {
        self.0.push((place.to_owned(), text.to_owned()));
    }

    pub fn add_file(&mut self, path: &Path) {
        self.1.push(path.to_owned());
    }

    /// Sends a request such as `GET /api/me`, stores the full response and returns the status.
    pub fn ask(&mut self, what: &str, client: &Client, body: &str) -> u16 {
        let (method, path) = what.split_once(' ').unwrap();
        let answer = client.send(client.build_request(method, path).header("content-type", "application/json"), body);
        self.add(&format!("answer to {what}"), &format!("{:?}\n{}", answer.headers, answer.text()));
        answer.status
    }

    /// Runs programs concurrently with a changed environment. Each exits by itself or is stopped after two seconds.
    pub fn run<'a>(&mut self, runs: impl IntoIterator<Item = Run<'a>>, environment: &BTreeMap<String, String>) {
        let started = runs.into_iter().map(|(name, arguments, changed)| {
            let mut command = Command::new("timeout");
            command.args(["-s", "INT", "2"]).arg(program_path(name)).args(arguments).current_dir("/").env_clear().envs(environment);
            let changed = changed.iter().map(|(name, value)| (name, value));
            let child = command
                .env("PATH", "/usr/bin:/bin")
                .envs(changed)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn();
            (format!("{name} {}", arguments.join(" ")), child.unwrap())
        });
        for (place, child) in started.collect::<Vec<_>>() {
            let output = child.wait_with_output().unwrap();
            self.add(&place, &String::from_utf8_lossy(&output.stdout));
            self.add(&place, &String::from_utf8_lossy(&output.stderr));
        }
    }

    /// Returns the names of the settings that the `config` command masked.
    pub fn masked(&self) -> Vec<String> {
        let lines = self.0.iter().filter(|(place, _)| place.ends_with(" config")).flat_map(|(_, text)| text.lines());
        lines.filter(|line| line.contains("********")).filter_map(|line| Some(line.split_once('=')?.0.to_owned())).collect()
    }

    /// Returns every occurrence of a secret, with its source and the surrounding text.
    pub fn finds(&self, secrets: &[(String, Vec<String>)]) -> Vec<String> {
        let mut finds = Vec::new();
        for (place, text) in &self.0 {
            for (name, forms) in secrets {
                for at in forms.iter().filter_map(|form| text.find(form)).take(1) {
                    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
                    finds.push(format!("{name} in {place}: {}", text[line..].chars().take(300).collect::<String>()));
                }
            }
        }
        finds.extend(secrets.iter().flat_map(|(name, forms)| self.found(forms).map(move |line| format!("{name} in {line}"))));
        finds
    }

    /// Returns the lines of the files that contain one of the words, each prefixed with the file name.
    pub fn found(&self, words: &[String]) -> impl Iterator<Item = String> {
        let mut grep = Command::new("grep");
        grep.args(["-aFH"]).args(words.iter().flat_map(|word| ["-e", word])).args(&self.1).env("LC_ALL", "C");
        let output = String::from_utf8_lossy(&grep.output().unwrap().stdout).into_owned();
        output.lines().map(|line| line.chars().take(400).collect()).collect::<Vec<_>>().into_iter()
    }

    pub fn size(&self) -> String {
        let bytes = self.1.iter().map(|path| std::fs::metadata(path).unwrap().len()).sum::<u64>();
        format!("{} answers and outputs and {:.1} MB of logs", self.0.len(), bytes as f64 / 1e6)
    }
}

/// Returns encodings of some bytes: raw, hexadecimal, base64, and a list of numbers.
pub fn written(secret: &[u8]) -> Vec<String> {
    let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    let list: Vec<String> = secret.iter().map(u8::to_string).collect();
    let mut forms = vec![hex, BASE64_STANDARD_NO_PAD.encode(secret), list.join(", ")];
    forms.extend(std::str::from_utf8(secret).ok().map(str::to_owned));
    forms
}
