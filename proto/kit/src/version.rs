//! Version of the programs and the commit that they were built from.

/// Version of the program, from its Cargo package.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Commit that the program was built from, as given by the build's environment variable `GIT_COMMIT`; `unknown` when the variable
/// was not set.
pub const GIT_COMMIT: &str = match option_env!("GIT_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};
