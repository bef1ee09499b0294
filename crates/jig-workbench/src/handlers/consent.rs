//! Consents, and the egress log.

use jig_contract::ops::*;
use jig_contract::{Code, OpError};

use crate::egress::{MCP_RECEIVER, name_of, whole};
use crate::{CallContext, Handle, Workbench};

/// The default number of listed calls.
const LISTED: u32 = 50;
/// The maximum number of listed calls.
const LISTED_MAX: u32 = 1_000;

impl Handle<ConsentGrant> for Workbench {
    async fn handle(&self, context: &CallContext, params: ConsentGrantParams) -> Result<ConsentGrantOutput, OpError> {
        let id = params.workbench_id.check()?;
        let session = self.enter(&id).await?;
        let (receiver, host) = self.receiver(&params.model)?;
        let given = params.scope_hash.map(|hash| check_hash(&hash).map(|()| hash)).transpose()?;
        let held = self.inventory(&session.head, session.head.state).await?;
        let held = if receiver.starts_with(MCP_RECEIVER) { EgressScope::default() } else { held };
        // The hash only proves that the scope was shown; its content is in the refusal that contained it.
        let scope = match &given {
            Some(hash) => EgressScope {
                model_id: receiver.clone(),
                host: host.clone(),
                hash: hash.clone(),
                ..EgressScope::default()
            },
            None => whole(held, &receiver, &host),
        };
        let scope_hash = match (params.reach, given) {
            (ConsentReach::All, _) => None,
            (_, Some(hash)) => Some(hash),
            (ConsentReach::Kept, None) => Some(scope.hash.clone()),
            (ConsentReach::Once | ConsentReach::Secret, None) => return Err(hash_needed(params.reach)),
        };
        // Granting an existing consent again changes nothing.
        let same = |given: &Consent| {
            let stands = matches!(given.reach, ConsentReach::Kept | ConsentReach::All) && given.reach == params.reach;
            stands && given.model_id == receiver && given.host == host && given.scope_hash == scope_hash
        };
        if let Some(consent) = self.store().consents(&id).await?.into_iter().find(same) {
            return Ok(ConsentGrantOutput { consent, scope });
        }
        let consent = Consent {
            id: self.env().fresh_id().to_string(),
            model_id: receiver,
            host,
            reach: params.reach,
            scope_hash,
            granted_by: name_of(&context.actor),
            granted_at: self.env().now(),
        };
        self.store().grant_consent(&id, &consent).await?;
        Ok(ConsentGrantOutput { consent, scope })
    }
}

impl Workbench {
    /// The receiver: a model or a configured MCP server, with its address.
    fn receiver(&self, name: &str) -> Result<(String, String), OpError> {
        if let Some(server) = name.strip_prefix(MCP_RECEIVER) {
            return Ok((name.to_owned(), self.mcp_address(server)?));
        }
        let model = self.models()?.find(name)?;
        let host = self.models()?.host(&model)?.ok_or_else(|| {
            OpError::new(Code::ValidationFailed, format!("{} sends nothing, so it needs no consent", model.id))
        })?;
        Ok((model.id.to_string(), host))
    }
}

/// A one-time consent requires the hash, which proves that the person has seen the scope.
fn hash_needed(reach: ConsentReach) -> OpError {
    let what = if reach == ConsentReach::Once { "`once`" } else { "`secret`" };
    OpError::new(Code::ValidationFailed, format!("{what} requires `scope_hash`: it covers exactly what was shown"))
        .hint("make the call first; its error names the hash")
        .hint("`--reach kept` agrees beforehand to what the workbench holds now")
}

fn check_hash(hash: &str) -> Result<(), OpError> {
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase());
    if is_hash {
        return Ok(());
    }
    Err(OpError::new(Code::ValidationFailed, "invalid `scope_hash`: expected 64 characters from 0-9 and a-f")
        .hint("the error that asks for consent names it"))
}

impl Handle<ConsentList> for Workbench {
    async fn handle(&self, _context: &CallContext, params: ConsentListParams) -> Result<ConsentListOutput, OpError> {
        let id = params.workbench_id.check()?;
        self.store().head(&id).await?;
        Ok(ConsentListOutput { consents: self.store().consents(&id).await? })
    }
}

impl Handle<ConsentRevoke> for Workbench {
    async fn handle(
        &self,
        _context: &CallContext,
        params: ConsentRevokeParams,
    ) -> Result<ConsentRevokeOutput, OpError> {
        let id = params.workbench_id.check()?;
        self.store().head(&id).await?;
        let all = self.store().consents(&id).await?;
        let meant = |consent: &Consent| consent.id == params.consent || consent.model_id == params.consent;
        let mut revoked = Vec::new();
        for consent in all.iter().filter(|consent| meant(consent)) {
            if self.store().drop_consent(&id, &consent.id).await? {
                revoked.push(consent.clone());
            }
        }
        if revoked.is_empty() {
            let names = all.iter().flat_map(|consent| [consent.id.clone(), consent.model_id.clone()]);
            let near = crate::state::nearest(&params.consent, names);
            return Err(OpError::new(Code::ValidationFailed, format!("no consent is called `{}`", params.consent))
                .suggest(near)
                .hint("`jig consent list` shows them"));
        }
        Ok(ConsentRevokeOutput { revoked })
    }
}

impl Handle<EgressList> for Workbench {
    async fn handle(&self, _context: &CallContext, params: EgressListParams) -> Result<EgressListOutput, OpError> {
        let id = params.workbench_id.check()?;
        self.store().head(&id).await?;
        let limit = params.limit.unwrap_or(LISTED);
        if limit == 0 || limit > LISTED_MAX {
            return Err(OpError::new(Code::ValidationFailed, format!("`limit` is from 1 to {LISTED_MAX}")));
        }
        let (events, total) = self.store().egress(&id, limit).await?;
        Ok(EgressListOutput { events, total })
    }
}

impl Handle<StatsGet> for Workbench {
    async fn handle(&self, _context: &CallContext, params: StatsGetParams) -> Result<StatsGetOutput, OpError> {
        let id = params.workbench_id.map(|id| id.check()).transpose()?;
        if let Some(id) = &id {
            self.store().head(id).await?;
        }
        Ok(StatsGetOutput { counts: self.store().counts(id.as_ref()).await? })
    }
}
