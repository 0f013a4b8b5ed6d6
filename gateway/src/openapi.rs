//! OpenAPI document of the REST API: generated from the routes, and completed with the required roles and common errors.
use crate::{extract::auth::AuthenticatedCaller, routes, state::AppState};
use axum::{Json, Router, routing::get};
use patio_proto::access::Role;
use serde_json::{Map, Value, json};
use utoipa_swagger_ui::{Config, SwaggerUi};

/// URL path of the OpenAPI document.
const DOCUMENT_PATH: &str = "/api/openapi.json";

/// Returns the complete OpenAPI document.
///
/// # Errors
/// Returns an error when an operation names an rpc that does not exist in the proto files.
pub fn build_document() -> anyhow::Result<Value> {
    let mut document = serde_json::to_value(routes::build_openapi_document_from_routes())?;
    let paths = document.get_mut("paths").and_then(Value::as_object_mut).ok_or_else(|| anyhow::anyhow!("no paths"))?;
    for (path, item) in paths.iter_mut() {
        for (_, operation) in item.as_object_mut().into_iter().flatten().filter(|(_, value)| value.get("responses").is_some()) {
            complete(path, operation)?;
        }
    }
    // An event has the fields of one type, and some types share fields: `oneOf` would demand that no other type matches.
    let event = document.pointer_mut("/components/schemas/LiveEvent").and_then(Value::as_object_mut);
    if let Some((event, types)) = event.and_then(|event| event.remove("oneOf").map(|types| (event, types))) {
        event.insert("anyOf".to_owned(), types);
    }
    Ok(document)
}

/// Returns the OpenAPI document as formatted JSON text, as committed in `openapi.json`.
///
/// # Errors
/// Returns an error when an operation names an rpc that does not exist in the proto files.
pub fn render_document_json() -> anyhow::Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(&build_document()?)?))
}

/// Returns the API name (such as `op`) of the minimum role that may call a gRPC method.
fn at_least(rpc: &str) -> anyhow::Result<&'static str> {
    let method = patio_proto::find_rpc_method(rpc).ok_or_else(|| anyhow::anyhow!("the contract has no `{rpc}`"))?;
    let role = |number| Role::try_from(number).unwrap_or_default();
    // For an rpc that only services may call, the role of the user they act on behalf of counts.
    let least = if role(method.role) == Role::Service { role(method.on_behalf_of) } else { role(method.role) };
    Ok(match least {
        Role::Anyone => "anyone",
        Role::Operator => "op",
        Role::Manager => "tm",
        Role::Admin => "admin",
        Role::Developer => "developer",
        Role::Service | Role::Unspecified => anyhow::bail!("`{rpc}` is not for people"),
    })
}

/// Completes an operation with its required role, security scheme and common error responses.
fn complete(path: &str, operation: &mut Value) -> anyhow::Result<()> {
    let rpc = operation.get("x-rpc").and_then(Value::as_str).map(str::to_owned);
    if let (Some(rpc), None) = (&rpc, operation.get("x-at-least")) {
        operation["x-at-least"] = at_least(rpc)?.into();
    }
    let in_words = operation.get("x-refusals").is_some();
    let is_open = operation["x-at-least"] == "anyone";
    operation["security"] = if is_open { json!([]) } else { json!([{ "bearer": [] }]) };
    describe(operation);
    let refusals = refusals(path, operation, is_open, rpc.is_some());
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return Ok(()) };
    for (status, description) in refusals {
        responses.entry(status).or_insert_with(|| refusal(description));
    }
    if in_words {
        as_plain_text(responses);
    }
    Ok(())
}

/// Sets summary and description of an operation from the route's documentation. The first sentence becomes the summary; the
/// rest, followed by the required role, becomes the description.
fn describe(operation: &mut Value) {
    let summary = operation["summary"].as_str().unwrap_or_default().replace('\n', " ");
    let more = operation["description"].as_str().map(|text| text.replace('\n', " ")).unwrap_or_default();
    let (first, rest) = summary.split_once(". ").map_or((summary.as_str(), ""), |(first, rest)| (first, rest));
    let role = match operation["x-at-least"].as_str() {
        Some("op") => "Requires the access level operator or higher.",
        Some("tm") => "Requires the access level team leader or supervisor.",
        Some("admin") => "Requires the access level supervisor.",
        Some("developer") => "Requires the developer account.",
        _ => "Requires no sign-in.",
    };
    let description: Vec<_> = [rest, &more, role].into_iter().filter(|part| !part.is_empty()).collect();
    let description = description.join(" ");
    operation["summary"] = first.trim_end_matches('.').into();
    operation["description"] = description.into();
}

/// Returns the HTTP error statuses that an operation may return, each with a description.
fn refusals(path: &str, operation: &Value, is_open: bool, has_rpc: bool) -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    let body = operation.get("requestBody").is_some();
    if body || operation.get("parameters").is_some() {
        all.push(("400", "The request is malformed."));
    }
    if has_rpc {
        all.push(("401", if is_open { "The hmc or the password is wrong." } else { "The token is missing, invalid, expired or revoked." }));
        all.extend([("500", "Internal error."), ("503", "A service is unavailable; try again."), ("504", "The call timed out.")]);
    }
    if !is_open {
        all.push(("403", "The caller's role does not allow this call."));
    }
    if path.contains("{id}") || path.contains("{session}") {
        all.push(("404", "The requested item does not exist."));
    }
    if body {
        all.extend([("408", "The body arrived too slowly."), ("413", "The body is too large."), ("415", "The content type is wrong.")]);
    }
    all
}

fn refusal(description: &str) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Problem" } } } })
}

/// Declares all error responses of an operation as plain text. Called for routes with the extension `x-refusals`, whose errors are
/// not JSON.
fn as_plain_text(responses: &mut Map<String, Value>) {
    for (_, response) in responses.iter_mut().filter(|(status, _)| status.as_str() >= "400") {
        response["content"] = json!({ "text/plain": { "schema": { "type": "string" } } });
    }
}

/// Returns the router that serves the OpenAPI document. With `is_open`, the document needs no sign-in, and Swagger UI is served as
/// well.
pub fn build_document_router(is_open: bool, document: Value) -> Router<AppState> {
    if !is_open {
        let route = get(move |_: AuthenticatedCaller| async move { Json(document) });
        return Router::new().route(DOCUMENT_PATH, route);
    }
    let page = SwaggerUi::new("/api/docs").config(Config::from(DOCUMENT_PATH));
    Router::from(page).route(DOCUMENT_PATH, get(move || async move { Json(document) }))
}
