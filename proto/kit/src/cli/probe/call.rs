//! The `probe call` command: calls a read-only rpc by name, with message types from the service's gRPC reflection.
use crate::config::{OPERATING, secret::Secret};
use anyhow::Context;
use clap::Args;
use http::uri::PathAndQuery;
use prost_reflect::{
    DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor, prost::Message, prost_types::FileDescriptorProto,
};
use std::{collections::BTreeSet, time::Duration};
use tokio_stream::StreamExt;
use tonic::{
    Code, Request, Status,
    client::Grpc,
    codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::Channel,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient, server_reflection_request::MessageRequest,
    server_reflection_response::MessageResponse,
};

/// Arguments of the `probe call` command.
#[derive(Debug, Args)]
pub struct CallOptions {
    /// Name of the rpc, such as GetVehicle, VehicleService/GetVehicle or patio.vehicle.v1.VehicleService/GetVehicle.
    rpc: String,
    /// Request message as JSON, such as '{"id": 5}'.
    #[arg(default_value = "{}")]
    message: String,
    /// Token of a session, from a sign-in response.
    #[arg(long, env = "PATIO_TOKEN", help_heading = OPERATING, hide_env_values = true)]
    token: Option<Secret>,
}

/// Reason why a probe call failed.
#[derive(Debug, thiserror::Error)]
pub enum CallFailure {
    /// The service refused the call.
    #[error("{:?}: {}", .0.code(), .0.message())]
    Refused(Status),
    /// The service cannot be reached.
    #[error("the service cannot be reached: {0:#}")]
    Unreachable(anyhow::Error),
    /// The call is invalid: an unknown rpc, an rpc that is not read-only, or an invalid message.
    #[error("{0:#}")]
    Wrong(#[from] anyhow::Error),
}

/// Calls the rpc and prints every response message as one line of JSON.
pub async fn call(
    channel: impl Future<Output = anyhow::Result<Channel>>,
    options: &CallOptions,
    patience: Duration,
) -> Result<(), CallFailure> {
    let channel = channel.await.map_err(CallFailure::Unreachable)?;
    let method = find(&channel, &options.rpc).await?;
    let message = parsed(method.input(), &options.message)?;
    let mut request = Request::new(message);
    request.set_timeout(patience);
    if let Some(token) = &options.token {
        let value = format!("Bearer {}", token.expose()).parse().context("the token contains invalid characters")?;
        request.metadata_mut().insert("authorization", value);
    }
    let path: PathAndQuery = format!("/{}/{}", method.parent_service().full_name(), method.name()).parse().context("invalid rpc path")?;
    let mut grpc = Grpc::new(channel).max_decoding_message_size(crate::server::MAX_MESSAGE_BYTES);
    grpc.ready().await.map_err(|cause| CallFailure::Unreachable(cause.into()))?;
    let codec = Reflected(method.output());
    let mut answers = grpc.server_streaming(request, path, codec).await.map_err(refused)?.into_inner();
    while let Some(answer) = answers.next().await {
        let answer = answer.map_err(refused)?;
        let line = serde_json::to_string(&answer).context("the response cannot be printed as JSON")?;
        crate::cli::output::print(&format!("{line}\n"))?;
    }
    Ok(())
}

fn refused(status: Status) -> CallFailure {
    // tonic reports an expired deadline as `Cancelled`.
    let unanswered = [Code::Unavailable, Code::DeadlineExceeded, Code::Cancelled].contains(&status.code());
    if unanswered { CallFailure::Unreachable(status.into()) } else { CallFailure::Refused(status) }
}

fn parsed(kind: MessageDescriptor, text: &str) -> anyhow::Result<DynamicMessage> {
    let name = kind.full_name().to_owned();
    let mut json = serde_json::Deserializer::from_str(text);
    let message = DynamicMessage::deserialize(kind, &mut json).with_context(|| format!("the message is not a valid {name}"))?;
    json.end().context("unexpected text after the JSON message")?;
    Ok(message)
}

/// Finds an rpc by its full name, or by an unambiguous suffix of the name. Rejects an rpc that is not read-only.
async fn find(channel: &Channel, named: &str) -> Result<MethodDescriptor, CallFailure> {
    let mut asked = Asked { client: ServerReflectionClient::new(channel.clone()), pool: DescriptorPool::new(), known: BTreeSet::new() };
    for service in asked.services().await? {
        asked.learn(MessageRequest::FileContainingSymbol(service)).await?;
    }
    let wanted = format!("/{}", named.trim_start_matches('/').replace('.', "/"));
    let whole = |method: &MethodDescriptor| format!("/{}/{}", method.parent_service().full_name(), method.name()).replace('.', "/");
    let methods = asked.pool.services().flat_map(|service| service.methods().collect::<Vec<_>>());
    let found: Vec<_> = methods.filter(|method| whole(method).ends_with(&wanted)).collect();
    let method = match found.as_slice() {
        [one] => one.clone(),
        [] => return Err(anyhow::anyhow!("the service has no rpc `{named}`").into()),
        many => {
            let names: Vec<_> = many.iter().map(|method| method.full_name().to_owned()).collect();
            return Err(anyhow::anyhow!("`{named}` is ambiguous: {}", names.join(", ")).into());
        }
    };
    let level = method.options().get_field_by_name("idempotency_level").and_then(|level| level.as_enum_number());
    if level != Some(1) || method.is_client_streaming() {
        return Err(anyhow::anyhow!("{} may change data; a probe calls read-only rpcs only", method.full_name()).into());
    }
    Ok(method)
}

/// gRPC reflection client, with the type descriptors received from the service so far.
struct Asked {
    client: ServerReflectionClient<Channel>,
    pool: DescriptorPool,
    known: BTreeSet<String>,
}

impl Asked {
    async fn ask(&mut self, what: MessageRequest) -> Result<MessageResponse, CallFailure> {
        let request = ServerReflectionRequest { host: String::new(), message_request: Some(what) };
        let mut answers = match self.client.server_reflection_info(tokio_stream::once(request)).await {
            Ok(answers) => answers.into_inner(),
            Err(status) if status.code() == Code::Unimplemented => {
                return Err(anyhow::anyhow!("reflection is off; set PATIO_REFLECTION=true for the service").into());
            }
            Err(status) => return Err(refused(status)),
        };
        let answer = answers.message().await.map_err(refused)?.and_then(|answer| answer.message_response);
        Ok(answer.context("reflection returned an empty response")?)
    }

    async fn services(&mut self) -> Result<Vec<String>, CallFailure> {
        let MessageResponse::ListServicesResponse(listed) = self.ask(MessageRequest::ListServices(String::new())).await? else {
            return Err(anyhow::anyhow!("reflection returned no list of services").into());
        };
        Ok(listed.service.into_iter().map(|service| service.name).filter(|name| name.starts_with("patio.")).collect())
    }

    /// Loads a proto file descriptor by gRPC reflection, after the descriptors of the files it imports.
    async fn learn(&mut self, what: MessageRequest) -> Result<(), CallFailure> {
        let MessageResponse::FileDescriptorResponse(told) = self.ask(what).await? else {
            return Err(anyhow::anyhow!("reflection has no descriptor for a listed service").into());
        };
        for file in told.file_descriptor_proto {
            let file = FileDescriptorProto::decode(file.as_slice()).context("reflection returned an invalid descriptor")?;
            if !self.known.insert(file.name().to_owned()) {
                continue;
            }
            for needed in &file.dependency {
                if !self.known.contains(needed) {
                    Box::pin(self.learn(MessageRequest::FileByFilename(needed.clone()))).await?;
                }
            }
            self.pool.add_file_descriptor_proto(file).context("reflection returned inconsistent descriptors")?;
        }
        Ok(())
    }
}

/// Codec for messages whose type is known only at run time.
struct Reflected(MessageDescriptor);

impl Codec for Reflected {
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
