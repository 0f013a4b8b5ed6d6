//! Builds again when a migration changes, since they are part of the program.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
