//! Compiles the contract without protoc, and writes the rule of every rpc into one static table.
use prost::Message;
use prost_reflect::{DescriptorPool, MethodDescriptor};
use std::{env, error::Error, fmt::Write, fs, path::PathBuf};

const AREAS: [&str; 7] = ["access", "common", "auth", "campaign", "vehicle", "imports", "audit"];

#[expect(clippy::disallowed_methods, reason = "cargo tells a build script where to write")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=patio");
    let files = AREAS.map(|area| format!("patio/{area}/v1/{area}.proto"));
    let mut compiler = protox::Compiler::new(["."])?;
    compiler.include_source_info(true).include_imports(true).open_files(&files)?;
    let descriptors = compiler.encode_file_descriptor_set();
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("descriptors.bin"), &descriptors)?;
    // The others are small.
    let large = ".patio.vehicle.v1.WatchEvent.event.conflict";
    tonic_prost_build::configure().boxed(large).compile_fds(prost_types_set(&compiler)?)?;
    fs::write(out.join("methods.rs"), methods(&DescriptorPool::decode(descriptors.as_slice())?)?)?;
    Ok(())
}

/// The descriptors as the code generator takes them.
fn prost_types_set(compiler: &protox::Compiler) -> Result<tonic_prost_build::FileDescriptorSet, Box<dyn Error>> {
    Ok(tonic_prost_build::FileDescriptorSet::decode(compiler.file_descriptor_set().encode_to_vec().as_slice())?)
}

/// The text of the static table that the access and retry layers read.
fn methods(pool: &DescriptorPool) -> Result<String, Box<dyn Error>> {
    let option = |name| pool.get_extension_by_name(name).ok_or("an option of access.proto is missing");
    let (rule, behalf) = (option("patio.access.v1.at_least")?, option("patio.access.v1.on_behalf_of")?);
    let mut table = String::from("/// Every rpc of the contract with its rule.\npub static METHODS: &[Method] = &[\n");
    for method in pool.services().flat_map(|s| s.methods().collect::<Vec<_>>()) {
        let role = method.options().get_extension(&rule).as_enum_number().unwrap_or(0);
        let on_behalf_of = method.options().get_extension(&behalf).as_enum_number().unwrap_or(0);
        writeln!(
            table,
            "Method {{ path: \"/{}/{}\", role: {role}, on_behalf_of: {on_behalf_of}, repeatable: {}, read_only: {}, client_streaming: {}, server_streaming: {} }},",
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

/// 0 when nothing is said, 1 for `NO_SIDE_EFFECTS`, 2 for IDEMPOTENT.
fn idempotency(method: &MethodDescriptor) -> i32 {
    method.options().get_field_by_name("idempotency_level").and_then(|v| v.as_enum_number()).unwrap_or(0)
}
