//! Finds and lists rpcs in the compiled-in proto files. Does not use gRPC reflection, because reflection is off in production.
use anyhow::{Context, bail, ensure};
use patio_proto::{FILE_DESCRIPTOR_SET, METHODS, access::Role, find_rpc_method};
use prost_reflect::{DescriptorPool, MethodDescriptor};
use std::fmt::Write;

/// Returns the read-only rpc with a given name: the full name, or an unambiguous suffix such as `GetVehicle`.
///
/// # Errors
/// Returns an error for an unknown or ambiguous name, and for an rpc that is not read-only.
pub fn find_read_only_rpc(named: &str) -> anyhow::Result<MethodDescriptor> {
    let pool = DescriptorPool::decode(FILE_DESCRIPTOR_SET).context("the compiled-in contract is invalid")?;
    let wanted = format!("/{}", named.trim_start_matches('/').replace('.', "/"));
    let methods = pool.services().flat_map(|service| service.methods().collect::<Vec<_>>());
    let found: Vec<_> = methods.filter(|method| rpc_path(method).replace('.', "/").ends_with(&wanted)).collect();
    let method = match found.as_slice() {
        [one] => one.clone(),
        [] => bail!("the contract has no rpc `{named}`; `probe list` lists all"),
        many => {
            let names: Vec<_> = many.iter().map(|method| method.full_name().to_owned()).collect();
            bail!("`{named}` is ambiguous: {}", names.join(", "));
        }
    };
    let is_read_only = find_rpc_method(&rpc_path(&method)).is_some_and(|rule| rule.read_only && !rule.client_streaming);
    ensure!(is_read_only, "{} may change data; a probe calls read-only rpcs only", method.full_name());
    Ok(method)
}

/// Returns the HTTP path of an rpc: `/package.Service/Method`.
pub fn rpc_path(method: &MethodDescriptor) -> String {
    format!("/{}/{}", method.parent_service().full_name(), method.name())
}

/// Returns the name of the program that serves an rpc or gRPC service, such as `vehicle-svc`. Returns `None` for an unknown
/// package, and for a gRPC service that all programs offer, such as the audit log.
pub fn find_serving_program(name: &str) -> Option<&'static str> {
    match name.strip_prefix("patio.")?.split('.').next()? {
        "auth" => Some("auth-svc"),
        "campaign" => Some("campaign-svc"),
        "vehicle" => Some("vehicle-svc"),
        "imports" => Some("import-svc"),
        _ => None,
    }
}

/// Returns a list of all rpcs, one per line: name, minimum role of the caller, and whether the rpc only reads.
pub fn format_rpc_list() -> String {
    METHODS.iter().fold(String::new(), |mut lines, method| {
        let role = Role::try_from(method.role).map_or("", |role| role.as_str_name()).trim_start_matches("ROLE_").to_lowercase();
        let effect = if method.read_only { "read-only" } else { "changes data" };
        let _ = writeln!(lines, "{}\t{role}\t{effect}", method.path.trim_start_matches('/'));
        lines
    })
}
