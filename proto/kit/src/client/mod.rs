//! gRPC clients: deadlines, call context, load balancing, retries and health checks over the replicas of a service.

mod abortable_body;
pub mod balancer;
pub mod call_context;
mod client_span;
pub mod deadline;
mod directory;
pub mod replica;
mod retry_budget;
pub mod service_channel;
mod subset;
pub mod user_names;
