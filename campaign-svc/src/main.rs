//! campaign-svc as a program of its own.

fn main() -> std::process::ExitCode {
    patio_kit::command::main::<campaign_svc::Campaigns>()
}
