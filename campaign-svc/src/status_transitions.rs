//! Status transitions of a campaign: which role may make a transition, and which milestones of the inspection work cause a
//! transition.
use crate::error::Error;
use CampaignStatus::{Closed, Ongoing, PendingReview, Ready};
use patio_proto::{
    access::Role,
    campaign::{CampaignStatus, Milestone},
};

/// Checks that a caller of this role may move a campaign from one status to another.
///
/// Operators, team leaders (`Role::Manager`) and supervisors (`Role::Admin`) may keep any status and start a Ready campaign. Team
/// leaders and supervisors may move a campaign between Ongoing and Pending Review, and close it from either status. Only supervisors
/// may reopen a Closed campaign. A service has the permissions of an operator; other roles may make no transition.
///
/// # Errors
/// Returns `TransitionNotAllowed` for a transition that needs a higher role, and `InvalidTransition` for a transition that no role may
/// make.
pub fn check_status_transition(role: Role, from: CampaignStatus, to: CampaignStatus) -> Result<(), Error> {
    let needed = match (from, to) {
        (from, to) if from == to => Role::Operator,
        (Ready, Ongoing) => Role::Operator,
        (Ongoing, PendingReview | Closed) | (PendingReview, Ongoing | Closed) => Role::Manager,
        (Closed, Ongoing) => Role::Admin,
        _ => return Err(Error::InvalidTransition { from, to }),
    };
    if rank(role) >= needed as i32 { Ok(()) } else { Err(Error::TransitionNotAllowed { from, to }) }
}

/// Returns `true` if a role may edit the text fields and the due date of a campaign.
pub fn may_edit_fields(role: Role) -> bool {
    rank(role) >= Role::Manager as i32
}

fn rank(role: Role) -> i32 {
    match role {
        Role::Operator | Role::Manager | Role::Admin => role as i32,
        Role::Service => Role::Operator as i32,
        Role::Unspecified | Role::Anyone | Role::Developer => 0,
    }
}

/// Returns the new status of a campaign after a milestone, or `None` when the status stays the same. A milestone means that the
/// work on the vehicles began, is complete, or is incomplete again.
pub fn status_after_milestone(from: CampaignStatus, milestone: Milestone) -> Option<CampaignStatus> {
    match (milestone, from) {
        (Milestone::Begun, Ready) | (Milestone::Incomplete, PendingReview) => Some(Ongoing),
        (Milestone::Complete, Ready | Ongoing) => Some(PendingReview),
        _ => None,
    }
}
