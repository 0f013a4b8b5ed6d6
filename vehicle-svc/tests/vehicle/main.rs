//! What vehicle-svc promises, on both databases.
mod campaigns;
mod inspection;
mod yard;
