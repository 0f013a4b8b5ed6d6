//! Test double of an OpenTelemetry trace collector.
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{KeyValue, any_value::Value},
};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tonic::{Request, Response, Status};

/// Fields of a received span that the tests check.
#[derive(Debug, Clone)]
pub struct Span {
    pub service: String,
    pub trace: Vec<u8>,
    pub root: bool,
    pub request_id: String,
    pub statements: i64,
    pub statement_micros: i64,
}

#[derive(Clone, Default)]
pub struct Collector(Arc<Mutex<Vec<Span>>>);

impl Collector {
    pub fn start(port: u16) -> Self {
        let collector = Self::default();
        let server = TraceServiceServer::new(collector.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let served = tonic::transport::Server::builder().add_service(server).serve(SocketAddr::from(([127, 0, 0, 1], port)));
            runtime.block_on(served).unwrap();
        });
        collector
    }

    /// Returns the spans of one request.
    pub fn of(&self, request_id: &str) -> Vec<Span> {
        self.0.lock().unwrap().iter().filter(|span| span.request_id == request_id).cloned().collect()
    }
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(&self, request: Request<ExportTraceServiceRequest>) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for resource in request.into_inner().resource_spans {
            let service = text(&resource.resource.unwrap_or_default().attributes, "service.name");
            let spans = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
            self.0.lock().unwrap().extend(spans.map(|span| Span {
                service: service.clone(),
                root: span.parent_span_id.is_empty(),
                request_id: text(&span.attributes, "request_id"),
                statements: number(&span.attributes, "statements"),
                statement_micros: number(&span.attributes, "statement_micros"),
                trace: span.trace_id,
            }));
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

fn value<'a>(attributes: &'a [KeyValue], name: &str) -> Option<&'a Value> {
    attributes.iter().find(|attribute| attribute.key == name)?.value.as_ref()?.value.as_ref()
}

fn text(attributes: &[KeyValue], name: &str) -> String {
    match value(attributes, name) {
        Some(Value::StringValue(text)) => text.clone(),
        _ => String::new(),
    }
}

fn number(attributes: &[KeyValue], name: &str) -> i64 {
    match value(attributes, name) {
        Some(Value::IntValue(number)) => *number,
        _ => 0,
    }
}
