//! The steps of a campaign from Ready to Closed: who may take which, and what vehicle-svc's reports do.
use crate::error::Error;
use CampaignStatus::{Closed, Ongoing, PendingReview, Ready};
use patio_proto::{
    access::Role,
    campaign::{CampaignStatus, Turn},
};

/// Whether a caller of this role may move a campaign from one status to another.
///
/// Staying is always allowed. Anybody starts a Ready campaign; team leaders and supervisors move it
/// on and close it; only supervisors reopen. A service has no say beyond an operator's.
///
/// # Errors
/// [`Error::StepNotAllowed`] for a step that a higher role may take, [`Error::BadStep`] for one that nobody may.
pub fn step(role: Role, from: CampaignStatus, to: CampaignStatus) -> Result<(), Error> {
    let needed = match (from, to) {
        (from, to) if from == to => Role::Operator,
        (Ready, Ongoing) => Role::Operator,
        (Ongoing, PendingReview | Closed) | (PendingReview, Ongoing | Closed) => Role::Manager,
        (Closed, Ongoing) => Role::Admin,
        _ => return Err(Error::BadStep { from, to }),
    };
    if rank(role) >= needed as i32 { Ok(()) } else { Err(Error::StepNotAllowed { from, to }) }
}

/// Whether a role may edit what a campaign says.
pub fn edits(role: Role) -> bool {
    rank(role) >= Role::Manager as i32
}

fn rank(role: Role) -> i32 {
    match role {
        Role::Operator | Role::Manager | Role::Admin => role as i32,
        Role::Service => Role::Operator as i32,
        Role::Unspecified | Role::Anyone | Role::Developer => 0,
    }
}

/// Where a turning point in the vehicles leads a campaign; none when it stays.
pub fn turned(from: CampaignStatus, turn: Turn) -> Option<CampaignStatus> {
    match (turn, from) {
        (Turn::Begun, Ready) | (Turn::Incomplete, PendingReview) => Some(Ongoing),
        (Turn::Complete, Ready | Ongoing) => Some(PendingReview),
        _ => None,
    }
}
