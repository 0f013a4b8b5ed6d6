//! Who may call which route, as the document says, so that a role is refused before its body is read.
use crate::openapi;
use patio_proto::{access::Role, role};
use serde_json::Value;
use std::{collections::HashMap, sync::LazyLock};

/// The least role of each route, by method and path.
static RULES: LazyLock<HashMap<(String, String), Role>> =
    LazyLock::new(|| openapi::document().map(|document| read(&document)).unwrap_or_default());

fn read(document: &Value) -> HashMap<(String, String), Role> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths
        .flat_map(|(path, item)| item.as_object().into_iter().flatten().map(move |(method, operation)| (method, path, operation)))
        .filter_map(|(method, path, operation)| {
            let least = operation["x-at-least"].as_str()?;
            let least = if least == "developer" { Role::Developer } else { role::parse(least)? };
            Some(((method.to_uppercase(), format!("/api{path}")), least))
        })
        .collect()
}

/// The least role a route asks for; none for a route that is open to anyone or not in the document.
#[must_use]
pub fn least(method: &str, matched_path: &str) -> Option<Role> {
    RULES.get(&(method.to_owned(), matched_path.to_owned())).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_the_document_is_read() {
        assert_eq!(least("DELETE", "/api/users/{id}"), Some(Role::Admin));
        assert_eq!(least("GET", "/api/logs/audit"), Some(Role::Developer));
        assert_eq!(least("POST", "/api/documents/upload"), Some(Role::Manager));
        assert_eq!(least("POST", "/api/sessions"), None);
    }
}
