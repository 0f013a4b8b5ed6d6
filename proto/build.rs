//! Build script: compiles the `.proto` files without `protoc`, and generates a table with the access rule and the retry rule of
//! every rpc.
use prost::Message;
use prost_reflect::{DescriptorPool, MethodDescriptor};
use std::{env, error::Error, fmt::Write, fs, path::PathBuf};

const AREAS: [&str; 7] = ["access", "common", "auth", "campaign", "vehicle", "imports", "audit"];

#[expect(clippy::disallowed_methods, reason = "cargo passes the output folder of a build script in OUT_DIR")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=patio");
    let files = AREAS.map(|area| format!("patio/{area}/v1/{area}.proto"));
    let mut compiler = protox::Compiler::new(["."])?;
    compiler.include_source_info(true).include_imports(true).open_files(&files)?;
    let descriptors = compiler.encode_file_descriptor_set();
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("descriptors.bin"), &descriptors)?;
    // Boxes the only large variant of each enum.
    let [event, outcome] = [".patio.vehicle.v1.WatchEvent.event.conflict", ".patio.imports.v1.ImportCampaignResponse.outcome.imported"];
    tonic_prost_build::configure().boxed(event).boxed(outcome).compile_fds(prost_types_set(&compiler)?)?;
    fs::write(out.join("methods.rs"), methods(&DescriptorPool::decode(descriptors.as_slice())?)?)?;
    Ok(())
}

/// Converts the descriptors of the compiled `.proto` files to the `FileDescriptorSet` type of tonic's code generator.
fn prost_types_set(compiler: &protox::Compiler) -> Result<tonic_prost_build::FileDescriptorSet, Box<dyn Error>> {
    Ok(tonic_prost_build::FileDescriptorSet::decode(compiler.file_descriptor_set().encode_to_vec().as_slice())?)
}

/// Returns the Rust source of the table of all rpcs. The authorization layer and the retries of gRPC clients read this table.
fn methods(pool: &DescriptorPool) -> Result<String, Box<dyn Error>> {
    let option = |name| pool.get_extension_by_name(name).ok_or("an option of access.proto is missing");
    let (rule, behalf) = (option("patio.access.v1.at_least")?, option("patio.access.v1.on_behalf_of")?);
    let before_password_change = option("patio.access.v1.before_password_change")?;
    let mut table =
        String::from("/// All rpcs of the contract with their access and retry rules.\npub static METHODS: &[RpcMethod] = &[\n");
    for method in pool.services().flat_map(|s| s.methods().collect::<Vec<_>>()) {
        let role = method.options().get_extension(&rule).as_enum_number().unwrap_or(0);
        let on_behalf_of = method.options().get_extension(&behalf).as_enum_number().unwrap_or(0);
        let is_before = method.options().get_extension(&before_password_change).as_bool().unwrap_or(false);
        writeln!(
            table,
            "RpcMethod {{ path: \"/{}/{}\", role: {role}, on_behalf_of: {on_behalf_of}, before_password_change: {is_before}, is_idempotent: {}, read_only: {}, client_streaming: {}, server_streaming: {} }},",
            method.parent_service().full_name(),
            method.name(),
            idempotency(&method) > 0,
            idempotency(&method) == 1,
            method.is_client_streaming(),
            method.is_server_streaming()
        )?;
    }
    table.push_str("];\n");
    Ok(table)
}

/// Returns the idempotency level of an rpc: 0 when unset, 1 for `NO_SIDE_EFFECTS`, 2 for `IDEMPOTENT`.
fn idempotency(method: &MethodDescriptor) -> i32 {
    method.options().get_field_by_name("idempotency_level").and_then(|v| v.as_enum_number()).unwrap_or(0)
}
