//! Calling any read-only rpc of a running service by name, with nothing but what the service says of itself.
use crate::secret::Secret;
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
    transport::{Channel, Endpoint},
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient, server_reflection_request::MessageRequest,
    server_reflection_response::MessageResponse,
};

/// What is called, and as whom.
#[derive(Debug, Args)]
pub struct Options {
    /// The rpc, such as GetVehicle, VehicleService/GetVehicle or patio.vehicle.v1.VehicleService/GetVehicle.
    rpc: String,
    /// The message as JSON, such as '{"id": 5}'.
    #[arg(default_value = "{}")]
    message: String,
    /// A session's token, as a sign-in gives it.
    #[arg(long, env = "PATIO_TOKEN", hide_env_values = true)]
    token: Option<Secret>,
}

/// Why a call came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The service refused it.
    #[error("{:?}: {}", .0.code(), .0.message())]
    Refused(Status),
    /// Nobody answers there.
    #[error("cannot be reached: {0:#}")]
    Unreachable(anyhow::Error),
    /// It cannot be asked so.
    #[error("{0:#}")]
    Wrong(#[from] anyhow::Error),
}

/// Calls and prints every answer as one line of JSON.
pub async fn call(address: &str, options: &Options, patience: Duration) -> Result<(), Failure> {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).context("not an address")?;
    let channel = endpoint.connect_timeout(patience).connect().await.map_err(|cause| Failure::Unreachable(cause.into()))?;
    let method = find(&channel, &options.rpc).await?;
    let message = parsed(method.input(), &options.message)?;
    let mut request = Request::new(message);
    request.set_timeout(patience);
    if let Some(token) = &options.token {
        let value = format!("Bearer {}", token.expose()).parse().context("the token holds characters that no token has")?;
        request.metadata_mut().insert("authorization", value);
    }
    let path: PathAndQuery = format!("/{}/{}", method.parent_service().full_name(), method.name()).parse().context("no path")?;
    let mut grpc = Grpc::new(channel).max_decoding_message_size(crate::server::LARGEST_MESSAGE);
    grpc.ready().await.map_err(|cause| Failure::Unreachable(cause.into()))?;
    let codec = Reflected(method.output());
    let mut answers = grpc.server_streaming(request, path, codec).await.map_err(refused)?.into_inner();
    while let Some(answer) = answers.next().await {
        let answer = answer.map_err(refused)?;
        let line = serde_json::to_string(&answer).context("the answer cannot be written as JSON")?;
        crate::command::print(&format!("{line}\n"))?;
    }
    Ok(())
}

fn refused(status: Status) -> Failure {
    // A call that its own deadline ended is told as cancelled.
    let unanswered = [Code::Unavailable, Code::DeadlineExceeded, Code::Cancelled].contains(&status.code());
    if unanswered { Failure::Unreachable(status.into()) } else { Failure::Refused(status) }
}

fn parsed(kind: MessageDescriptor, text: &str) -> anyhow::Result<DynamicMessage> {
    let name = kind.full_name().to_owned();
    let mut json = serde_json::Deserializer::from_str(text);
    let message = DynamicMessage::deserialize(kind, &mut json).with_context(|| format!("the message is no {name}"))?;
    json.end().context("the message goes on after its end")?;
    Ok(message)
}

/// Finds the rpc by its whole name or a part that no other has, and refuses those that change something.
async fn find(channel: &Channel, named: &str) -> Result<MethodDescriptor, Failure> {
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
        [] => return Err(anyhow::anyhow!("there is no rpc `{named}` here").into()),
        many => {
            let names: Vec<_> = many.iter().map(|method| method.full_name().to_owned()).collect();
            return Err(anyhow::anyhow!("`{named}` may be any of {}", names.join(", ")).into());
        }
    };
    let level = method.options().get_field_by_name("idempotency_level").and_then(|level| level.as_enum_number());
    if level != Some(1) || method.is_client_streaming() {
        return Err(anyhow::anyhow!("{} may change something: a probe calls read-only rpcs alone", method.full_name()).into());
    }
    Ok(method)
}

/// What a service has told of itself so far.
struct Asked {
    client: ServerReflectionClient<Channel>,
    pool: DescriptorPool,
    known: BTreeSet<String>,
}

impl Asked {
    async fn ask(&mut self, what: MessageRequest) -> Result<MessageResponse, Failure> {
        let request = ServerReflectionRequest { host: String::new(), message_request: Some(what) };
        let mut answers = match self.client.server_reflection_info(tokio_stream::once(request)).await {
            Ok(answers) => answers.into_inner(),
            Err(status) if status.code() == Code::Unimplemented => {
                return Err(anyhow::anyhow!("reflection is off there: PATIO_REFLECTION=true switches it on").into());
            }
            Err(status) => return Err(refused(status)),
        };
        let answer = answers.message().await.map_err(refused)?.and_then(|answer| answer.message_response);
        Ok(answer.context("reflection answers nothing")?)
    }

    async fn services(&mut self) -> Result<Vec<String>, Failure> {
        let MessageResponse::ListServicesResponse(listed) = self.ask(MessageRequest::ListServices(String::new())).await? else {
            return Err(anyhow::anyhow!("reflection lists no services").into());
        };
        Ok(listed.service.into_iter().map(|service| service.name).filter(|name| name.starts_with("patio.")).collect())
    }

    /// Takes in the file asked for, those it needs first.
    async fn learn(&mut self, what: MessageRequest) -> Result<(), Failure> {
        let MessageResponse::FileDescriptorResponse(told) = self.ask(what).await? else {
            return Err(anyhow::anyhow!("reflection does not know what it lists").into());
        };
        for file in told.file_descriptor_proto {
            let file = FileDescriptorProto::decode(file.as_slice()).context("reflection tells no descriptor")?;
            if !self.known.insert(file.name().to_owned()) {
                continue;
            }
            for needed in &file.dependency {
                if !self.known.contains(needed) {
                    Box::pin(self.learn(MessageRequest::FileByFilename(needed.clone()))).await?;
                }
            }
            self.pool.add_file_descriptor_proto(file).context("reflection contradicts itself")?;
        }
        Ok(())
    }
}

/// Messages whose shape is known at run time only.
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
