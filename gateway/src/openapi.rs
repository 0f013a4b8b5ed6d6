//! The API's document: what the routes say of themselves, completed by the contract's rules.
use crate::routes;
use axum::{Json, Router, routing::get};
use patio_proto::access::Role;
use serde_json::{Map, Value, json};
use utoipa::openapi::{
    Components, Info, OpenApi, OpenApiBuilder, Server,
    security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
};
use utoipa_swagger_ui::{Config, SwaggerUi};

/// What stands before the paths.
#[must_use]
pub fn head() -> OpenApi {
    let mut info = Info::new("Patio", env!("CARGO_PKG_VERSION"));
    info.description = Some("Inspection campaigns over vehicle yards. `x-at-least` tells the role a call needs.".to_owned());
    let mut components = Components::new();
    components.add_security_scheme(
        "bearer",
        SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build()),
    );
    OpenApiBuilder::new().info(info).servers(Some([Server::new("/api")])).components(Some(components)).build()
}

/// The whole document.
///
/// # Errors
/// When an operation names an rpc that the contract does not have.
pub fn document() -> anyhow::Result<Value> {
    let mut document = serde_json::to_value(routes::described())?;
    let paths = document.get_mut("paths").and_then(Value::as_object_mut).ok_or_else(|| anyhow::anyhow!("no paths"))?;
    for (path, item) in paths.iter_mut() {
        for (_, operation) in item.as_object_mut().into_iter().flatten().filter(|(_, value)| value.get("responses").is_some()) {
            complete(path, operation)?;
        }
    }
    Ok(document)
}

/// The document as it is committed.
///
/// # Errors
/// As [`document`].
pub fn text() -> anyhow::Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(&document()?)?))
}

/// Who may make a call at least, as the API spells it.
fn at_least(rpc: &str) -> anyhow::Result<&'static str> {
    let method = patio_proto::method(rpc).ok_or_else(|| anyhow::anyhow!("the contract has no `{rpc}`"))?;
    Ok(match Role::try_from(method.role).unwrap_or_default() {
        Role::Anyone => "anyone",
        Role::Operator => "op",
        Role::Manager => "tm",
        Role::Admin => "admin",
        Role::Developer => "developer",
        Role::Service | Role::Unspecified => anyhow::bail!("`{rpc}` is not for people"),
    })
}

/// Adds what follows from an operation's rpc and shape.
fn complete(path: &str, operation: &mut Value) -> anyhow::Result<()> {
    let rpc = operation.get("x-rpc").and_then(Value::as_str).map(str::to_owned);
    if let (Some(rpc), None) = (&rpc, operation.get("x-at-least")) {
        operation["x-at-least"] = at_least(rpc)?.into();
    }
    let in_words = operation.get("x-refusals").is_some();
    let is_open = operation["x-at-least"] == "anyone";
    if !is_open {
        operation["security"] = json!([{ "bearer": [] }]);
    }
    let refusals = refusals(path, operation, is_open, rpc.is_some());
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return Ok(()) };
    for (status, description) in refusals {
        responses.entry(status).or_insert_with(|| refusal(description));
    }
    if in_words {
        say_in_words(responses);
    }
    Ok(())
}

/// The refusals every operation of that shape may answer.
fn refusals(path: &str, operation: &Value, is_open: bool, has_rpc: bool) -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    let body = operation.get("requestBody").is_some();
    if body || operation.get("parameters").is_some() {
        all.push(("400", "It cannot be understood."));
    }
    if has_rpc {
        all.push((
            "401",
            if is_open { "Hmc and password do not belong together." } else { "No token, or one that is forged, expired or revoked." },
        ));
        all.extend([("500", "A fault of ours."), ("503", "A part of the product is away; try again."), ("504", "It took too long.")]);
    }
    if !is_open {
        all.push(("403", "The role does not allow it."));
    }
    if path.contains("{id}") {
        all.push(("404", "There is no such thing."));
    }
    if body {
        all.extend([("408", "The body came too slowly."), ("413", "The body is too large."), ("415", "The body is of the wrong type.")]);
    }
    all
}

fn refusal(description: &str) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Problem" } } } })
}

/// Turns all refusals of an operation into plain text.
fn say_in_words(responses: &mut Map<String, Value>) {
    for (_, response) in responses.iter_mut().filter(|(status, _)| status.as_str() >= "400") {
        response["content"] = json!({ "text/plain": { "schema": { "type": "string" } } });
    }
}

/// Serves the document and a page to browse it, without anything from elsewhere.
///
/// # Errors
/// As [`document`].
pub fn router<S: Clone + Send + Sync + 'static>() -> anyhow::Result<Router<S>> {
    let document = document()?;
    let page = SwaggerUi::new("/api/docs").config(Config::from("/api/openapi.json"));
    Ok(Router::from(page).route(
        "/api/openapi.json",
        get(move || {
            let document = document.clone();
            async move { Json(document) }
        }),
    ))
}
