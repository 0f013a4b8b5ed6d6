//! Entry point of the campaign-svc binary.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    patio_kit::cli::main::<campaign_svc::CampaignBinary>()
}
