//! campaign-svc through its own calls, on each database, with a double of vehicle-svc beside it.
mod access;
mod closing;
mod deleting;
mod drafts;
mod listing;
mod progress;
mod saving;
mod statements;
mod steps;
mod support;
mod turns;
