//! Rebuilds the crate when a migration changes, since migrations are compiled into the binary.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
