//! Part of the OpenAPI document that is not generated from a route: title, description, server and security scheme.
use utoipa::openapi::{
    Components, Contact, Info, License, OpenApi, OpenApiBuilder, Server, Tag,
    security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
};

/// Tags that group the operations of the OpenAPI document, each with a description.
const TAGS: [(&str, &str); 11] = [
    ("sessions", "Signing in and out, the caller's own account and sessions."),
    ("users", "User administration by supervisors."),
    ("campaigns", "Campaigns, their progress and their reports."),
    ("vehicles", "Vehicles, inspections and changes of many vehicles."),
    ("conflicts", "Fields that two users changed at the same time."),
    ("yards", "Yards with their vehicle counts."),
    ("live", "Change events, work pace and saves that are pending on devices."),
    ("documents", "Workbooks: imports, templates and rejected sheets."),
    ("jobs", "History of imports and bulk changes, and undoing them."),
    ("logs", "Page views, sign-ins and the audit log."),
    ("operations", "Health of the gateway."),
];

/// Returns the OpenAPI document without paths: title, description, server and security scheme.
#[must_use]
pub fn base_openapi_document() -> OpenApi {
    let mut info = Info::new("Patio", env!("CARGO_PKG_VERSION"));
    info.description = Some("Inspection campaigns over vehicle yards. `x-at-least` is the minimum role for a call.".to_owned());
    info.contact = Some(Contact::builder().name(Some("Operator of this server")).build());
    let mut license = License::new(env!("CARGO_PKG_LICENSE"));
    license.identifier = Some(env!("CARGO_PKG_LICENSE").to_owned());
    info.license = Some(license);
    let tags = TAGS.map(|(name, description)| {
        let mut tag = Tag::new(name);
        tag.description = Some(description.to_owned());
        tag
    });
    let mut components = Components::new();
    components.add_security_scheme(
        "bearer",
        SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build()),
    );
    OpenApiBuilder::new().info(info).servers(Some([Server::new("/api")])).tags(Some(tags)).components(Some(components)).build()
}
