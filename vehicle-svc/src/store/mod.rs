//! All the SQL of vehicle-svc.

pub mod bulk;
pub mod campaigns;
pub mod changes;
pub mod conflicts;
pub mod counters;
pub mod dialect;
pub mod edit;
pub mod had;
pub mod held;
pub mod jobs;
pub mod kept;
pub mod keys;
pub mod named;
pub mod pace;
mod rows;
pub mod saves;
pub mod turns;
pub mod vehicles;
pub mod yards;
