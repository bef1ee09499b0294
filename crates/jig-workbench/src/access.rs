//! Permissions of callers, from one rule over the list of operations.
//!
//! The rule is applied where every interface passes ([`Workbench::run`](crate::Workbench::run)), so that no interface
//! or operation can bypass it. The caller of an interface that runs as a local process of its user (command line,
//! JSON-RPC, MCP) is the owner.

use jig_contract::ops::TokenRole;
use jig_contract::{Code, Effect, OpError, OpSpec, WorkbenchId};

/// The permissions of a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The role.
    pub role: TokenRole,
    /// The only accessible workbench; `None` for all.
    pub workbench: Option<WorkbenchId>,
}

impl Access {
    /// Full access to all workbenches.
    pub const fn owner() -> Self {
        Self { role: TokenRole::Owner, workbench: None }
    }

    /// No access, for requests that are served without a token and show no user data.
    pub fn nobody() -> Self {
        // An id that no workbench has, combined with the least role.
        Self { role: TokenRole::Reader, workbench: WorkbenchId::new("anonymous-requests-reach-no-workbench").ok() }
    }

    /// Whether this caller may see a workbench.
    pub fn sees(&self, id: &WorkbenchId) -> bool {
        self.workbench.as_ref().is_none_or(|own| own == id)
    }

    /// Removes the names of workbenches that this caller may not see from an error.
    pub(crate) fn veil(&self, mut error: OpError) -> OpError {
        if self.workbench.is_some() && error.code() == Code::WorkbenchNotFound {
            error.info.suggestions.clear();
        }
        error
    }

    /// Refuses an operation that this caller may not call on the workbench in its parameters.
    pub(crate) fn check(&self, op: &OpSpec, named: Option<&str>) -> Result<(), OpError> {
        if let Some(own) = &self.workbench {
            check_workbench(own, op, named)?;
        }
        let needed = needed_role(op);
        if self.role >= needed {
            return Ok(());
        }
        let (has, needs) = (word(self.role), word(needed));
        Err(OpError::new(Code::NotPermitted, format!("a {has} may not call {}: that needs the role {needs}", op.name))
            .hint("ask an owner for a token with that role"))
    }
}

/// The least role that may call an operation.
pub fn needed_role(op: &OpSpec) -> TokenRole {
    match (op.effect, op.name) {
        // These decide what leaves the machine and who gets access.
        (_, "ConsentGrant" | "ConsentRevoke" | "TokenCreate" | "TokenList" | "TokenRevoke") => TokenRole::Owner,
        (_, "WorkbenchDelete" | "StoreCollect") | (Effect::Destructive, _) => TokenRole::Owner,
        (Effect::Draft | Effect::Write, _) => TokenRole::Writer,
        (Effect::Read, _) => TokenRole::Reader,
    }
}

/// For access to one workbench: other workbenches do not exist, and operations on all workbenches are refused.
fn check_workbench(own: &WorkbenchId, op: &OpSpec, named: Option<&str>) -> Result<(), OpError> {
    match (op.name, named) {
        // A clone would be a second workbench.
        ("WorkbenchClone", _) => Err(elsewhere(op)),
        ("WorkbenchList" | "ModelList" | "EditDescribe", None) => Ok(()),
        (_, Some(id)) if id == own.as_str() => Ok(()),
        // Invalid ids are rejected by the operation, as for every caller.
        (_, Some(id)) => WorkbenchId::new(id).map_or(Ok(()), |id| Err(not_there(&id))),
        (_, None) => Err(elsewhere(op)),
    }
}

/// The same message whether or not the workbench exists, so that its existence is not revealed.
fn not_there(id: &WorkbenchId) -> OpError {
    OpError::new(Code::WorkbenchNotFound, format!("there is no workbench `{id}`")).workbench(id)
}

fn elsewhere(op: &OpSpec) -> OpError {
    OpError::new(Code::NotPermitted, format!("{} reaches beyond the one workbench that this token is for", op.name))
        .hint("ask an owner for a token that is not for one workbench only")
}

const fn word(role: TokenRole) -> &'static str {
    match role {
        TokenRole::Reader => "reader",
        TokenRole::Writer => "writer",
        TokenRole::Owner => "owner",
    }
}

#[cfg(test)]
mod tests {
    use jig_contract::{OPERATIONS, find};

    use super::*;

    fn code(access: &Access, op: &OpSpec, named: Option<&str>) -> Option<Code> {
        access.check(op, named).err().map(|error| error.code())
    }

    #[test]
    fn each_role_may_what_its_effect_says() {
        let roles = |name: &str| needed_role(find(name).unwrap());
        for (name, role) in [
            ("FileList", TokenRole::Reader),
            ("EgressList", TokenRole::Reader),
            ("DraftWriteText", TokenRole::Writer),
            ("DraftPublish", TokenRole::Writer),
            ("FileRemove", TokenRole::Owner),
            ("ConsentGrant", TokenRole::Owner),
            ("ConsentRevoke", TokenRole::Owner),
            ("TokenList", TokenRole::Owner),
            ("WorkbenchDelete", TokenRole::Owner),
            ("StoreCollect", TokenRole::Owner),
        ] {
            assert_eq!(roles(name), role, "{name}");
        }
        for op in OPERATIONS {
            let reader = Access { role: TokenRole::Reader, workbench: None };
            assert_eq!(code(&Access::owner(), op, None), None, "{}", op.name);
            assert!(op.effect == Effect::Read || code(&reader, op, None) == Some(Code::NotPermitted), "{}", op.name);
            assert!(!op.name.starts_with("Token") || needed_role(op) == TokenRole::Owner, "{}", op.name);
        }
    }

    #[test]
    fn a_token_for_one_workbench_sees_no_other() {
        let access = Access { role: TokenRole::Owner, workbench: Some(WorkbenchId::new("deck").unwrap()) };
        let get = find("WorkbenchGet").unwrap();
        assert_eq!(code(&access, get, Some("deck")), None);
        assert_eq!(code(&access, get, Some("other")), Some(Code::WorkbenchNotFound));
        assert_eq!(code(&access, get, Some("../deck")), None, "the operation itself refuses an invalid id");
        for (name, refused) in
            [("WorkbenchList", false), ("ModelList", false), ("WorkbenchCreate", true), ("TokenList", true)]
        {
            assert_eq!(code(&access, find(name).unwrap(), None).is_some(), refused, "{name}");
        }
        let copy = find("WorkbenchClone").unwrap();
        assert_eq!(code(&access, copy, Some("deck")), Some(Code::NotPermitted));
    }
}
