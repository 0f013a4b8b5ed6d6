//! A page costs a fixed number of statements. Alone in its process, since it listens to every statement in it.
#[cfg(test)]
mod cost;
#[cfg(test)]
#[path = "../campaigns/support/mod.rs"]
#[expect(dead_code, reason = "this test needs a part of what the others need")]
mod support;
