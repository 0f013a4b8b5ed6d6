//! Test double of an OpenTelemetry trace collector.
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{KeyValue, any_value::Value},
    trace::v1::status::StatusCode,
};
use std::{
    collections::BTreeMap,
    fs,
    net::SocketAddr,
    path::Path,
    sync::{Arc, Mutex},
};
use tonic::{
    Request, Response, Status,
    transport::{Identity, Server, ServerTlsConfig},
};

/// Value of the header `authorization` that a collector with TLS requires.
pub const TOKEN: &str = "Bearer of traces";

/// Kind of a span, by its number in OTLP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Server,
    Client,
    Other,
}

/// Received span with the attributes of its resource.
#[derive(Debug, Clone)]
pub struct Span {
    pub service: String,
    pub resource: BTreeMap<String, String>,
    pub name: String,
    pub kind: Kind,
    pub trace: Vec<u8>,
    pub id: Vec<u8>,
    pub parent: Vec<u8>,
    pub is_error: bool,
    pub attributes: BTreeMap<String, String>,
}

impl Span {
    /// Returns `true` for the first span of a trace.
    pub fn is_root(&self) -> bool {
        self.parent.is_empty()
    }

    /// Returns an attribute as text; empty when the span has no such attribute.
    pub fn text(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    /// Returns an attribute as a number; 0 when the span has no such attribute.
    pub fn number(&self, name: &str) -> i64 {
        self.text(name).parse().unwrap_or_default()
    }
}

#[derive(Clone, Default)]
pub struct Collector {
    spans: Arc<Mutex<Vec<Span>>>,
    /// Whether the collector rejects calls without the header of [`TOKEN`].
    is_private: bool,
}

impl Collector {
    pub fn start(port: u16) -> Self {
        Self::default().serve(port, Server::builder())
    }

    /// Starts a collector with the certificate in a folder, which requires the header of [`TOKEN`].
    pub fn start_tls(port: u16, folder: &Path) -> Self {
        let read = |name: &str| fs::read(folder.join(name)).unwrap();
        let tls = ServerTlsConfig::new().identity(Identity::from_pem(read("tls.crt"), read("tls.key")));
        Self { is_private: true, ..Self::default() }.serve(port, Server::builder().tls_config(tls).unwrap())
    }

    fn serve(self, port: u16, mut server: Server) -> Self {
        let (collector, address) = (self.clone(), SocketAddr::from(([127, 0, 0, 1], port)));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let served = server.add_service(TraceServiceServer::new(collector)).serve(address);
            runtime.block_on(served).unwrap();
        });
        self
    }

    /// Returns all spans received so far.
    pub fn spans(&self) -> Vec<Span> {
        self.spans.lock().unwrap().clone()
    }

    /// Returns the spans of one request, in all services.
    pub fn of(&self, request_id: &str) -> Vec<Span> {
        let spans = self.spans();
        let traces: Vec<_> = spans.iter().filter(|span| span.text("request_id") == request_id).map(|span| span.trace.clone()).collect();
        spans.into_iter().filter(|span| traces.contains(&span.trace)).collect()
    }
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(&self, request: Request<ExportTraceServiceRequest>) -> Result<Response<ExportTraceServiceResponse>, Status> {
        if self.is_private && request.metadata().get("authorization").is_none_or(|token| token != TOKEN) {
            return Err(Status::unauthenticated("no token"));
        }
        for resource in request.into_inner().resource_spans {
            let about = attributes(&resource.resource.unwrap_or_default().attributes);
            let spans = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
            self.spans.lock().unwrap().extend(spans.map(|span| Span {
                service: about.get("service.name").cloned().unwrap_or_default(),
                resource: about.clone(),
                name: span.name,
                kind: [Kind::Server, Kind::Client].get(usize::try_from(span.kind - 2).unwrap_or(9)).copied().unwrap_or(Kind::Other),
                trace: span.trace_id,
                id: span.span_id,
                parent: span.parent_span_id,
                is_error: span.status.is_some_and(|status| status.code() == StatusCode::Error),
                attributes: attributes(&span.attributes),
            }));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// Returns attributes as text. An attribute of another type than text or number is left out.
fn attributes(all: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |attribute: &KeyValue| match attribute.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text.clone()),
        Value::IntValue(number) => Some(number.to_string()),
        _ => None,
    };
    all.iter().filter_map(|attribute| Some((attribute.key.clone(), text(attribute)?))).collect()
}
