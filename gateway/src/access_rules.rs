//! Access rules of the API routes: which role may call which route. The rules are read from the OpenAPI document.
use anyhow::Context;
use patio_proto::{access::Role, role};
use serde_json::Value;
use std::collections::HashMap;

/// Access rule of an API route: who may call the route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessRule {
    /// Minimum role required to call the route.
    pub min_role: Role,
    /// Whether a user may call the route before making a required password change.
    pub before_password_change: bool,
}

/// Access rules of all routes that require a sign-in, by method and path.
#[derive(Debug)]
pub struct AccessRules(HashMap<(String, String), AccessRule>);

impl AccessRules {
    /// Reads the access rules of all operations in an OpenAPI document.
    ///
    /// # Errors
    /// Returns an error when an operation names no role or an unknown role. Also returns an error when the document contains no
    /// access rule, since every role could then call every route.
    pub fn from_openapi_document(document: &Value) -> anyhow::Result<Self> {
        let paths = document["paths"].as_object().context("the OpenAPI document has no paths")?;
        let mut rules = HashMap::new();
        for (path, item) in paths {
            let operations = item.as_object().into_iter().flatten().filter(|(_, value)| value.get("responses").is_some());
            for (method, operation) in operations {
                let method = method.to_uppercase();
                if let Some(rule) = read_rule(operation).with_context(|| format!("{method} {path}"))? {
                    rules.insert((method, format!("/api{path}")), rule);
                }
            }
        }
        anyhow::ensure!(!rules.is_empty(), "the OpenAPI document yields no access rule");
        Ok(Self(rules))
    }

    /// Returns the access rule of a route; `None` when the route needs no sign-in or is not in the OpenAPI document.
    #[must_use]
    pub fn find_rule(&self, method: &str, matched_path: &str) -> Option<AccessRule> {
        self.0.get(&(method.to_owned(), matched_path.to_owned())).copied()
    }
}

/// Reads the access rule of an operation; `None` when the operation needs no sign-in.
fn read_rule(operation: &Value) -> anyhow::Result<Option<AccessRule>> {
    let min_role = match operation["x-at-least"].as_str().context("x-at-least is missing")? {
        "anyone" => return Ok(None),
        "developer" => Role::Developer,
        text => role::parse(text).with_context(|| format!("`{text}` is not a role"))?,
    };
    let rpc = operation["x-rpc"].as_str().and_then(patio_proto::find_rpc_method);
    Ok(Some(AccessRule { min_role, before_password_change: rpc.is_some_and(|rpc| rpc.before_password_change) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi;
    use serde_json::json;

    #[test]
    fn every_rule_of_the_document_is_read() {
        let rules = AccessRules::from_openapi_document(&openapi::build_document().unwrap()).unwrap();
        let min_role = |method, path| rules.find_rule(method, path).map(|rule| rule.min_role);
        assert_eq!(min_role("DELETE", "/api/users/{id}"), Some(Role::Admin));
        assert_eq!(min_role("GET", "/api/logs/audit"), Some(Role::Developer));
        assert_eq!(min_role("POST", "/api/documents/upload"), Some(Role::Manager));
        assert_eq!(min_role("POST", "/api/sessions"), None);
        let before = |method, path| rules.find_rule(method, path).is_some_and(|rule| rule.before_password_change);
        assert!(before("PUT", "/api/me/password") && before("DELETE", "/api/sessions") && !before("GET", "/api/campaigns"));
    }

    #[test]
    fn no_rules_is_an_error() {
        let open = json!({ "paths": { "/health": { "get": { "responses": {}, "x-at-least": "anyone" } } } });
        for document in [json!({}), json!({ "paths": {} }), open] {
            assert!(AccessRules::from_openapi_document(&document).is_err(), "{document}");
        }
    }

    #[test]
    fn an_operation_without_a_known_role_is_an_error() {
        let with = |second: Value| {
            let first = json!({ "responses": {}, "x-at-least": "op" });
            AccessRules::from_openapi_document(&json!({ "paths": { "/a": { "get": first, "put": second } } }))
        };
        assert!(with(json!({ "responses": {}, "x-at-least": "admin" })).is_ok());
        assert!(with(json!({ "responses": {} })).is_err());
        assert!(with(json!({ "responses": {}, "x-at-least": "boss" })).is_err());
    }
}
