//! The `probe call` command: calls a read-only rpc by name, with the message types of the compiled-in proto files.
use crate::{
    cli::{
        probe::contract,
        session_file::{self, StoredSession},
    },
    config::{OPERATION_HELP_HEADING, secret::Secret},
};
use anyhow::Context;
use clap::Args;
use http::uri::PathAndQuery;
use prost_reflect::{DynamicMessage, MessageDescriptor, MethodDescriptor, prost::Message};
use std::{path::PathBuf, time::Duration};
use tokio_stream::StreamExt;
use tonic::{
    Code, Request, Status,
    client::Grpc,
    codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::Channel,
};

/// Arguments of the `probe call` command.
#[derive(Debug, Args)]
pub struct ProbeCallOptions {
    /// Name of the rpc, such as GetVehicle, VehicleService/GetVehicle or patio.vehicle.v1.VehicleService/GetVehicle.
    rpc: String,
    /// Request message as JSON, such as '{"id": 5}'.
    #[arg(default_value = "{}")]
    message: String,
    /// Token of a session. Without it, the session that `patio login` stored is used.
    #[arg(long, env = "PATIO_TOKEN", help_heading = OPERATION_HELP_HEADING, hide_env_values = true)]
    token: Option<Secret>,
    /// File in which `patio login` stores the session. Default: `.config/patio/session.json` in the home directory.
    #[arg(long, env = "PATIO_SESSION_FILE", help_heading = OPERATION_HELP_HEADING)]
    session: Option<PathBuf>,
}

impl ProbeCallOptions {
    /// Finds the rpc in the compiled-in proto files.
    ///
    /// # Errors
    /// Returns an error for an unknown or ambiguous name, and for an rpc that is not read-only.
    pub fn resolve_rpc(&self) -> anyhow::Result<MethodDescriptor> {
        contract::find_read_only_rpc(&self.rpc)
    }

    /// Returns the token given as an option, or else the token of the stored session; `None` if there is neither.
    fn token(&self) -> anyhow::Result<Option<Secret>> {
        if self.token.is_some() {
            return Ok(self.token.clone());
        }
        let Ok(path) = session_file::session_file_path(self.session.as_deref()) else { return Ok(None) };
        Ok(StoredSession::read(&path)?.map(|session| Secret::from(session.token)))
    }
}

/// Reason why a call made by the `probe call` command failed.
#[derive(Debug, thiserror::Error)]
pub enum ProbeCallFailure {
    /// The service refused the call.
    #[error("{:?}: {}{}", .0.code(), .0.message(), advice(.0))]
    Refused(Status),
    /// The service cannot be reached.
    #[error("the service cannot be reached: {0:#}")]
    Unreachable(anyhow::Error),
    /// The call is invalid: an unknown rpc, an rpc that is not read-only, or an invalid message.
    #[error("{0:#}")]
    InvalidCall(#[from] anyhow::Error),
}

/// Calls the rpc and prints every response message as one line of JSON.
pub async fn call_rpc(
    channel: impl Future<Output = anyhow::Result<Channel>>,
    options: &ProbeCallOptions,
    method: &MethodDescriptor,
    timeout: Duration,
) -> Result<(), ProbeCallFailure> {
    let message = parsed(method.input(), &options.message)?;
    let token = options.token()?;
    let channel = channel.await.map_err(ProbeCallFailure::Unreachable)?;
    let mut request = Request::new(message);
    request.set_timeout(timeout);
    if let Some(token) = &token {
        let value = format!("Bearer {}", token.expose()).parse().context("the token contains invalid characters")?;
        request.metadata_mut().insert("authorization", value);
    }
    let path: PathAndQuery = contract::rpc_path(method).parse().context("invalid rpc path")?;
    let mut grpc = Grpc::new(channel).max_decoding_message_size(crate::server::MAX_MESSAGE_BYTES);
    grpc.ready().await.map_err(|cause| ProbeCallFailure::Unreachable(cause.into()))?;
    let codec = Dynamic(method.output());
    let mut answers = grpc.server_streaming(request, path, codec).await.map_err(refused)?.into_inner();
    while let Some(answer) = answers.next().await {
        let answer = answer.map_err(refused)?;
        let line = serde_json::to_string(&answer).context("the response cannot be printed as JSON")?;
        crate::cli::output::print_to_stdout(&format!("{line}\n"))?;
    }
    Ok(())
}

/// Returns a hint on how to fix a refused call; empty when there is none.
fn advice(status: &Status) -> &'static str {
    if status.code() == Code::Unauthenticated { "; `patio login URL HMC` obtains a session" } else { "" }
}

fn refused(status: Status) -> ProbeCallFailure {
    // tonic reports an expired deadline as `Cancelled`.
    let unanswered = [Code::Unavailable, Code::DeadlineExceeded, Code::Cancelled].contains(&status.code());
    if unanswered { ProbeCallFailure::Unreachable(status.into()) } else { ProbeCallFailure::Refused(status) }
}

fn parsed(kind: MessageDescriptor, text: &str) -> anyhow::Result<DynamicMessage> {
    let name = kind.full_name().to_owned();
    let mut json = serde_json::Deserializer::from_str(text);
    let message = DynamicMessage::deserialize(kind, &mut json).with_context(|| format!("the message is not a valid {name}"))?;
    json.end().context("unexpected text after the JSON message")?;
    Ok(message)
}

/// Codec for protobuf messages whose type is known only at run time.
struct Dynamic(MessageDescriptor);

impl Codec for Dynamic {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = Writer;
    type Decoder = Reader;

    fn encoder(&mut self) -> Writer {
        Writer
    }

    fn decoder(&mut self) -> Reader {
        Reader(self.0.clone())
    }
}

struct Writer;

impl Encoder for Writer {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, message: DynamicMessage, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        message.encode(buffer).map_err(|cause| Status::internal(cause.to_string()))
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::default()
    }
}

struct Reader(MessageDescriptor);

impl Decoder for Reader {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        DynamicMessage::decode(self.0.clone(), buffer).map(Some).map_err(|cause| Status::internal(cause.to_string()))
    }
}
