//! Outcome of an import, as reported to the uploader.
use patio_proto::{campaign::Campaign, imports::Rejection};

/// Result of a successful import.
#[derive(Debug)]
pub struct ImportedCampaign {
    /// The published campaign as campaign-svc returned it.
    pub campaign: Campaign,
    /// Number of imported vehicles.
    pub vehicles: i64,
    /// Notes for the user about the workbook, one sentence each, such as values that were changed while reading. Empty when an
    /// earlier request already imported the file.
    pub notes: Vec<String>,
}

impl ImportOutcome {
    /// Builds the outcome of an import whose campaign is published.
    #[must_use]
    pub fn from_campaign(campaign: Campaign, vehicles: i64, notes: Vec<String>) -> Self {
        Self::Imported(Box::new(ImportedCampaign { campaign, vehicles, notes }))
    }
}

/// Outcome of an import, as reported to the uploader.
#[derive(Debug)]
pub enum ImportOutcome {
    /// The file was imported and its campaign is published.
    Imported(Box<ImportedCampaign>),
    /// The file was rejected and nothing was imported.
    Rejected(Rejection),
}
