//! Sessions: create, list, read, sync, replay.

use std::collections::BTreeMap;

use jig_contract::ops::*;
use jig_contract::{BlobHash, Code, OpError, SessionId, Timestamp};
use jig_session::{
    ApplyMode, Budget, Command, Decision, Defaults, DefaultsPatch, EffectId, Event, Mode, PermissionAnswer, Policy,
    Reach, Rule, Setting, SyncProblem,
};

use super::agent::whole;
use crate::config::McpServer;
use crate::entries::{bad_cursor, page_limit};
use crate::sessions::{AGENT_FOLDER, Live, info, permissions, recipe_of};
use crate::{CallContext, Handle, Workbench};
use jig_store::Head;

impl Handle<SessionCreate> for Workbench {
    async fn handle(&self, _: &CallContext, params: SessionCreateParams) -> Result<SessionOutput, OpError> {
        let id = params.workbench_id.check()?;
        let head = self.enter_lightly(&id).await?.head;
        let workspace = self.workspace_for(&head, params.workspace.as_deref()).await?;
        if let Some(model) = &params.model {
            self.models()?.find(model)?;
        }
        let defaults = Defaults {
            title: params.title,
            model: params.model,
            mode: params.mode.map(mode).unwrap_or_default(),
            policy: policy(&params.policy, self.mcp_servers())?,
            budget: caps(params.max_tokens, params.max_cost_micros, params.max_seconds)?,
            ..Defaults::new(workspace)
        };
        let mut live = self.new_session(&id)?;
        // A session whose workspace is unusable could do nothing, so it is not stored.
        live.hold_back();
        self.open_session(&mut live, defaults).await?;
        self.check_synced(&live)?;
        self.write_down(&mut live).await?;
        Ok(live.output())
    }
}

impl Handle<SessionList> for Workbench {
    async fn handle(&self, _: &CallContext, params: SessionListParams) -> Result<SessionListOutput, OpError> {
        let id = params.workbench_id.check()?;
        self.enter_lightly(&id).await?;
        let limit = page_limit(params.limit)?;
        let mut before = params.cursor.as_deref().map(cursor).transpose()?;
        let mut rows = Vec::new();
        // Sessions of recipe runs are numerous, so they are only listed on request.
        loop {
            let from = before.as_ref().map(|(at, id)| (*at, id));
            let page = self.store().sessions(&id, from, limit + 1).await?;
            before = page.last().filter(|_| page.len() > limit as usize).map(|row| (row.created_at, row.id.clone()));
            rows.extend(page.into_iter().filter(|row| params.recipes || recipe_of(row).is_none()));
            if rows.len() > limit as usize || before.is_none() {
                break;
            }
        }
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let last = rows.last().filter(|_| more);
        let cursor = last.map(|row| format!("{}:{}", row.created_at.as_millis(), row.id));
        Ok(SessionListOutput { sessions: rows.iter().map(info).collect(), cursor })
    }
}

impl Handle<SessionGet> for Workbench {
    async fn handle(&self, _: &CallContext, params: SessionGetParams) -> Result<SessionOutput, OpError> {
        Ok(self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?.output())
    }
}

impl Handle<SessionShow> for Workbench {
    async fn handle(&self, _: &CallContext, params: SessionShowParams) -> Result<SessionShowOutput, OpError> {
        let live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        self.shown_step(&live, params.step).await
    }
}

impl Handle<SessionSync> for Workbench {
    async fn handle(&self, _: &CallContext, params: SessionSyncParams) -> Result<SessionOutput, OpError> {
        let mut live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        let reference = params.reference.as_deref().map(whole).transpose()?.map(|reference| reference.to_string());
        let known = params.known.as_ref().map(jig_contract::Given::check).transpose()?;
        self.sync(&mut live, reference, known).await?;
        sync_failure(&live)?;
        Ok(live.output())
    }
}

impl Handle<SessionConfigure> for Workbench {
    async fn handle(&self, _: &CallContext, params: SessionConfigureParams) -> Result<SessionOutput, OpError> {
        let mut live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        let patch = self.checked_patch(params)?;
        let bound = live.state.core.about.as_ref().map(|about| about.defaults.workspace.clone());
        let workspace = patch.workspace.clone().filter(|workspace| Some(workspace) != bound.as_ref());
        let active = live.state.core.workspace.active;
        // A binding to an unusable workspace would only fail later.
        let names = match workspace {
            Some(workspace) => {
                self.sync(&mut live, Some(workspace), None).await?;
                sync_failure(&live)?;
                live.state.core.workspace.pending.or(active)
            }
            None => active,
        };
        check_names(&live, names, patch.pack.as_deref(), patch.catalog.as_deref())?;
        self.command(&mut live, &Command::Configure(patch)).await?;
        Ok(live.output())
    }
}

impl Handle<SessionPermissions> for Workbench {
    async fn handle(
        &self,
        _: &CallContext,
        params: SessionPermissionsParams,
    ) -> Result<SessionPermissionsOutput, OpError> {
        let live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        Ok(permitted(&live))
    }
}

impl Handle<SessionRevoke> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: SessionRevokeParams,
    ) -> Result<SessionPermissionsOutput, OpError> {
        let mut live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        let reach = params.reach.map(reach);
        let (actor, capability) = (context.actor.clone(), params.capability);
        let names: Vec<String> = live.state.core.standing().iter().map(|(name, ..)| (*name).to_owned()).collect();
        let near = crate::state::nearest(&capability, names.into_iter());
        let revoked = self.command(&mut live, &Command::Revoke { actor, capability, reach }).await;
        revoked.map_err(|error| error.suggest(near))?;
        Ok(permitted(&live))
    }
}

impl Handle<SessionApply> for Workbench {
    async fn handle(&self, _: &CallContext, params: SessionApplyParams) -> Result<SessionOutput, OpError> {
        let mut live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        let mode = match params.mode {
            None | Some(ApplyWhen::NextRun) => ApplyMode::NextRun,
            Some(ApplyWhen::NextStepBoundary) => ApplyMode::NextStepBoundary,
            Some(ApplyWhen::ImmediateIfIdle) => ApplyMode::ImmediateIfIdle,
        };
        let snapshot = params.snapshot.check()?;
        let records = self.command(&mut live, &Command::Apply { snapshot, mode }).await?;
        // The refusal is recorded in the log, and also returned to the caller.
        let refused = records.iter().find_map(|record| match &record.event {
            Event::WorkspaceApplyRefused { snapshot: named, why } if *named == snapshot => Some(why.clone()),
            _ => None,
        });
        if let Some(why) = refused {
            let detail = serde_json::to_value(&why).unwrap_or_default();
            let words = format!(
                "the snapshot is not adopted: {}",
                detail["reason"].as_str().unwrap_or("refused").replace('_', " ")
            );
            return Err(OpError::new(Code::Conflict, words)
                .detail(detail)
                .hint("`jig session sync` shows what can be adopted"));
        }
        Ok(live.output())
    }
}

impl Handle<SessionPermit> for Workbench {
    async fn handle(&self, context: &CallContext, params: SessionPermitParams) -> Result<SessionOutput, OpError> {
        let mut live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        let answer = match params.answer {
            PermitAnswer::Allow => PermissionAnswer::Allow,
            PermitAnswer::Deny => PermissionAnswer::Deny,
        };
        let reach = params.reach.map(reach).unwrap_or_default();
        let (effect, actor) = (EffectId(params.question), context.actor.clone());
        self.command(&mut live, &Command::Permit { effect, actor, answer, reach }).await?;
        self.drive(context, &mut live).await?;
        Ok(live.output())
    }
}

impl Handle<SessionReplay> for Workbench {
    async fn handle(&self, context: &CallContext, params: SessionReplayParams) -> Result<SessionReplayOutput, OpError> {
        let live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        self.replay(context, &live).await
    }
}

impl Handle<SessionEvents> for Workbench {
    async fn handle(&self, _: &CallContext, params: SessionEventsParams) -> Result<EventListOutput, OpError> {
        let live = self.session(&params.workbench_id.check()?, &params.session_id.check()?).await?;
        let limit = page_limit(params.limit)?;
        self.session_events(&live, params.after, limit).await
    }
}

impl Workbench {
    /// Validates a configuration change: everything in it exists, and nothing is both set and cleared.
    fn checked_patch(&self, params: SessionConfigureParams) -> Result<DefaultsPatch, OpError> {
        if let Some(model) = &params.model {
            self.models()?.find(model)?;
        }
        let budget = caps(params.max_tokens, params.max_cost_micros, params.max_seconds)?;
        let workspace = params.workspace.as_deref().map(whole).transpose()?.map(|reference| reference.to_string());
        let given = [
            (SessionSetting::Title, "title", params.title.is_some()),
            (SessionSetting::Pack, "pack", params.pack.is_some()),
            (SessionSetting::Catalog, "catalog", params.catalog.is_some()),
            (SessionSetting::Model, "model", params.model.is_some()),
            (SessionSetting::Policy, "policy", !params.policy.is_empty()),
            (SessionSetting::MaxTokens, "max_tokens", params.max_tokens.is_some()),
            (SessionSetting::MaxCostMicros, "max_cost_micros", params.max_cost_micros.is_some()),
            (SessionSetting::MaxSeconds, "max_seconds", params.max_seconds.is_some()),
        ];
        let both = given.iter().find(|(setting, _, given)| *given && params.clear.contains(setting));
        if let Some((_, name, _)) = both {
            return Err(OpError::new(Code::ValidationFailed, format!("`{name}` is both set and cleared"))
                .hint("set it, or clear it"));
        }
        let policy = policy(&params.policy, self.mcp_servers())?;
        Ok(DefaultsPatch {
            title: params.title,
            workspace,
            pack: params.pack,
            catalog: params.catalog,
            model: params.model,
            mode: params.mode.map(mode),
            policy: Some(policy).filter(|policy| !policy.rules.is_empty()),
            budget: Some(budget).filter(|budget| *budget != Budget::default()),
            clear: params.clear.into_iter().map(setting).collect(),
        })
    }

    /// The workspace of a new session: the named one, else the workbench's own, else the built-in one.
    pub(super) async fn workspace_for(&self, head: &Head, named: Option<&str>) -> Result<String, OpError> {
        Ok(match named {
            Some(workspace) => whole(workspace)?.to_string(),
            None if self.hash_at(head.state, AGENT_FOLDER).await?.is_some() => "own".to_owned(),
            None => "jig".to_owned(),
        })
    }

    /// Creates a session. Naming a workspace implies a sync and an apply, because a session without a workspace could
    /// do nothing.
    pub(super) async fn open_session(&self, live: &mut Live, defaults: Defaults) -> Result<(), OpError> {
        let (session, workbench) = (live.row.id.clone(), live.row.workbench_id.clone());
        self.command(live, &Command::Create { session, workbench, defaults }).await?;
        self.sync(live, None, None).await?;
        if let Some(snapshot) = live.state.core.workspace.pending {
            let mode = ApplyMode::ImmediateIfIdle;
            self.command(live, &Command::Apply { snapshot, mode }).await?;
        }
        Ok(())
    }

    /// Requests and executes a sync. One that a crash interrupted is completed first.
    pub(crate) async fn sync(
        &self,
        live: &mut Live,
        reference: Option<String>,
        known: Option<BlobHash>,
    ) -> Result<(), OpError> {
        if let Some(effect) = live.state.core.workspace.syncing {
            self.finish_sync(live, effect).await?;
        }
        self.command(live, &Command::Sync { reference, known }).await?;
        match live.state.core.workspace.syncing {
            Some(effect) => self.finish_sync(live, effect).await,
            None => Ok(()),
        }
    }

    /// Reads a version of the workspace for one run; the pending snapshot stays pending.
    pub(super) async fn sync_aside(&self, live: &mut Live, reference: String) -> Result<(), OpError> {
        if let Some(effect) = live.state.core.workspace.syncing {
            self.finish_sync(live, effect).await?;
        }
        self.command(live, &Command::SyncAside { reference }).await?;
        match live.state.core.workspace.syncing {
            Some(effect) => self.finish_sync(live, effect).await,
            None => Ok(()),
        }
    }

    async fn finish_sync(&self, live: &mut Live, effect: EffectId) -> Result<(), OpError> {
        let Some((effect, _)) = live.open.get(&effect).cloned() else { return Ok(()) };
        self.perform_sync(live, &effect).await
    }
}

/// Returns the errors of the last sync of this call, if it failed.
pub(super) fn sync_failure(live: &Live) -> Result<(), OpError> {
    let last = live.added.iter().rev().find_map(|record| match &record.event {
        Event::WorkspaceSyncFailed { problems, .. } => Some(Some(problems)),
        Event::WorkspaceSnapshotReady { .. } | Event::WorkspaceSyncUnchanged { .. } => Some(None),
        _ => None,
    });
    let Some(problems) = last.flatten() else { return Ok(()) };
    let place = |problem: &SyncProblem| {
        let place = format!("{} {}", problem.file, problem.pointer);
        format!("{} {}", place.trim(), problem.message).trim().to_owned()
    };
    let why = problems.first().map(place).unwrap_or_default();
    let more = match problems.len() {
        0 | 1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    Err(OpError::new(Code::AgentWorkspaceInvalid, format!("the agent workspace cannot be used: {why}{more}"))
        .detail(serde_json::json!({ "problems": problems }))
        .hint("`jig agent workspace-resolve own` says what is wrong with it"))
}

/// Checks that a snapshot contains a pack and a catalog.
fn check_names(
    live: &Live,
    snapshot: Option<BlobHash>,
    pack: Option<&str>,
    catalog: Option<&str>,
) -> Result<(), OpError> {
    let known = snapshot.and_then(|snapshot| live.state.core.workspace.summary(&snapshot));
    let Some(known) = known else { return Ok(()) };
    let check = |what: &str, name: Option<&str>, names: Vec<String>| match name {
        Some(name) if !names.iter().any(|known| known == name) => {
            let words = format!("the workspace has no {what} `{}`", super::shown(name));
            Err(OpError::new(Code::ValidationFailed, words)
                .suggest(crate::state::nearest(name, names.iter().cloned()))
                .hint(format!("use {}", names.join(", "))))
        }
        _ => Ok(()),
    };
    check("prompt pack", pack, known.packs.iter().cloned().collect())?;
    check("tool catalog", catalog, known.catalogs.keys().cloned().collect())
}

fn permitted(live: &Live) -> SessionPermissionsOutput {
    let core = &live.state.core;
    let rules = core.about.iter().flat_map(|about| &about.defaults.policy.rules).map(|rule| PolicyRule {
        capability: rule.capability.clone(),
        decision: match rule.decision {
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        }
        .to_owned(),
    });
    SessionPermissionsOutput { permissions: permissions(core), rules: rules.collect() }
}

const fn reach(reach: PermitReach) -> Reach {
    match reach {
        PermitReach::Once => Reach::Once,
        PermitReach::Run => Reach::Run,
        PermitReach::Session => Reach::Session,
    }
}

const fn setting(setting: SessionSetting) -> Setting {
    match setting {
        SessionSetting::Title => Setting::Title,
        SessionSetting::Pack => Setting::Pack,
        SessionSetting::Catalog => Setting::Catalog,
        SessionSetting::Model => Setting::Model,
        SessionSetting::Policy => Setting::Policy,
        SessionSetting::MaxTokens => Setting::MaxTokens,
        SessionSetting::MaxCostMicros => Setting::MaxCostMicros,
        SessionSetting::MaxSeconds => Setting::MaxSeconds,
    }
}

pub(super) const fn mode(mode: RunMode) -> Mode {
    match mode {
        RunMode::Ask => Mode::Ask,
        RunMode::Auto => Mode::Auto,
        RunMode::Direct => Mode::Direct,
    }
}

pub(crate) fn budget(tokens: Option<u64>, micros: Option<u64>, seconds: Option<u64>) -> Budget {
    Budget { tokens, micros, millis: seconds.map(|seconds| seconds.saturating_mul(1_000)) }
}

/// The caps of an agent's run. A cap of zero is refused, because the run could do nothing.
pub(super) fn caps(tokens: Option<u64>, micros: Option<u64>, seconds: Option<u64>) -> Result<Budget, OpError> {
    let all = [("max_tokens", tokens), ("max_cost_micros", micros), ("max_seconds", seconds)];
    if let Some((name, _)) = all.into_iter().find(|(_, cap)| *cap == Some(0)) {
        return Err(OpError::new(Code::ValidationFailed, format!("`{name}` is 0, so nothing could be done"))
            .hint("give a higher cap, or leave it out to have none"));
    }
    Ok(budget(tokens, micros, seconds))
}

/// The capabilities of Jig's own tools.
const CAPABILITIES: [&str; 7] =
    ["files.read", "files.write", "tables.query", "context.read", "context.write", "artifacts.write", "agent.read"];

fn policy(rules: &[PolicyRule], servers: &BTreeMap<String, McpServer>) -> Result<Policy, OpError> {
    let rule = |rule: &PolicyRule| {
        let decision = match rule.decision.as_str() {
            "allow" => Decision::Allow,
            "deny" => Decision::Deny,
            "ask" => Decision::Ask,
            other => {
                let words = format!("invalid decision `{}`", super::shown(other));
                return Err(OpError::new(Code::ValidationFailed, words).hint("use allow, deny or ask"));
            }
        };
        check_capability(&rule.capability, servers)?;
        Ok(Rule { capability: rule.capability.clone(), decision })
    };
    Ok(Policy { rules: rules.iter().map(rule).collect::<Result<_, _>>()? })
}

/// Refuses a rule that can never apply: a misspelt one would silently permit or forbid nothing.
fn check_capability(capability: &str, servers: &BTreeMap<String, McpServer>) -> Result<(), OpError> {
    let plain = capability.strip_suffix(".*").unwrap_or(capability);
    if let Some(rest) = plain.strip_prefix("mcp.") {
        return check_mcp(rest, servers);
    }
    let group = |name: &str| CAPABILITIES.iter().any(|known| known.split('.').next() == Some(name));
    let wildcard = plain != capability && (group(plain) || plain == "mcp");
    if capability == "*" || CAPABILITIES.contains(&capability) || wildcard {
        return Ok(());
    }
    let names = CAPABILITIES.iter().map(|name| (*name).to_owned());
    Err(OpError::new(Code::ValidationFailed, format!("unknown capability `{}`", super::shown(capability)))
        .suggest(crate::state::nearest(capability, names))
        .hint(format!("use {}, mcp.<server>, mcp.<server>.read, mcp.<server>.write or *", CAPABILITIES.join(", "))))
}

/// Checks `<server>[.read|.write[.<tool>]]` against the settings.
fn check_mcp(rest: &str, servers: &BTreeMap<String, McpServer>) -> Result<(), OpError> {
    let mut parts = rest.splitn(3, '.');
    let (server, access, tool) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let wrong = |what: &str, name: &str, known: Vec<String>| {
        let hint = if known.is_empty() {
            "there are none in the settings".to_owned()
        } else {
            format!("use {}", known.join(", "))
        };
        OpError::new(Code::ValidationFailed, format!("unknown {what} `{}`", super::shown(name)))
            .suggest(crate::state::nearest(name, known.into_iter()))
            .hint(hint)
    };
    let Some(settings) = servers.get(server) else {
        return Err(wrong("MCP server", server, servers.keys().cloned().collect()));
    };
    let reads = match access {
        None => return Ok(()),
        Some("read") => true,
        Some("write") => false,
        Some(other) => return Err(wrong("access", other, vec!["read".to_owned(), "write".to_owned()])),
    };
    let of_access =
        settings.tools.iter().filter(|(_, behind)| behind.reads_only == reads).map(|(name, _)| name.clone());
    match tool {
        Some(tool) if !of_access.clone().any(|name| name == tool) => {
            Err(wrong(if reads { "reading tool" } else { "writing tool" }, tool, of_access.collect()))
        }
        _ => Ok(()),
    }
}

fn cursor(text: &str) -> Result<(Timestamp, SessionId), OpError> {
    let (at, id) = text.split_once(':').ok_or_else(bad_cursor)?;
    let at = at.parse().map_err(|_| bad_cursor())?;
    Ok((Timestamp::from_millis(at), SessionId::new(id).map_err(|_| bad_cursor())?))
}
