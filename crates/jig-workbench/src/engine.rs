//! An open workbench: store, folders on disk and events, and how operations enter and leave.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jig_contract::ops::{JournalEntry, LeftAlone};
use jig_contract::{Code, Env, EventRecord, OpError, OpSpec, WorkbenchId, WorkbenchPath, find};
use jig_store::{
    Blobs, Database, Head, Plan, Store, StoreConfig, StoreError, TemporaryFolder, View as Folder, ViewLimits,
};
use tokio::sync::broadcast;

use crate::artifacts::ArtifactShelf;
use crate::config::{Config, Limits, McpServer};
use crate::entries::EntryShelf;
use crate::events::Events;
use crate::folders::{Folders, WorkbenchLock, WorkbenchLocks};
use crate::jobs::JobDesk;
use crate::mcp::McpDesk;
use crate::models::Models;
use crate::preview::Previews;
use crate::prompt::PromptShelf;
use crate::sessions::SessionDesk;
use crate::state::nearest;
use crate::tokens::TokenShelf;
use crate::{CallContext, call_scope, home};
use jig_worker::{FileWork, TableWork};

/// How long a read-only operation waits for the folder of plain files.
const READ_WAIT: Duration = Duration::from_secs(2);

/// All workbenches of a home or database. Cheap to clone; clones share the same state.
#[derive(Clone)]
pub struct Workbench(Arc<Inner>);

struct Inner {
    store: Store,
    config: Config,
    events: Events,
    temporary: TemporaryFolder,
    work: FileWork,
    previews: Previews,
    tables: TableWork,
    folders: Folders,
    locks: WorkbenchLocks,
    notices: Vec<String>,
    /// Initialised when a model is first needed.
    models: OnceLock<Models>,
    prompts: PromptShelf,
    tokens: TokenShelf,
    entries: EntryShelf,
    artifacts: ArtifactShelf,
    jobs: JobDesk,
    sessions: SessionDesk,
    mcp: McpDesk,
}

/// The future of a plan.
pub(crate) type Planned<'p, T> = Pin<Box<dyn Future<Output = Result<Plan<T>, OpError>> + Send + 'p>>;

/// A running operation in one workbench. While a writing session exists, no other operation on this machine writes to
/// the workbench. A read-only session blocks no one: states are immutable, and it reads the state that was current at
/// its start.
pub(crate) struct Session {
    pub(crate) id: WorkbenchId,
    pub(crate) head: Head,
    pub(crate) left_alone: Vec<LeftAlone>,
    folder: Option<(Folder, WorkbenchLock)>,
}

impl Workbench {
    /// Opens the store; creates or migrates it if necessary.
    pub async fn open(config: Config, env: Env) -> Result<Self, OpError> {
        let mut notices = home::prepare(&config.home)?;
        let blobs = match &config.blobs {
            Some(url) => Blobs::bucket(url, &config.blob_options)?,
            None => Blobs::folder(config.home.join("blobs"))?,
        };
        let database = match &config.database {
            Some(url) => Database::Postgres(url.clone()),
            None => Database::Sqlite(config.home.join("jig.db")),
        };
        let (gc_grace_ms, asset_ttl_ms) = (config.gc_grace_ms, config.asset_ttl_ms);
        let store = Store::open(StoreConfig { database, blobs, gc_grace_ms, asset_ttl_ms }, env).await?;
        if store.is_read_only() {
            notices.push("the home folder is read-only: it can be read, but nothing can be changed".to_owned());
        }
        let temporary = TemporaryFolder::below(config.home.join("scratch"));
        let work = match &config.isolation {
            Some(isolation) => FileWork::isolated(isolation.clone(), temporary.clone()),
            None => FileWork::here(),
        };
        let cache = config.home.join("cache");
        let previews = Previews::new(config.renderer.clone(), cache.join("previews"), temporary.clone());
        let (engine, isolation) = (&config.sql_engine, config.isolation.as_ref());
        let tables = TableWork::new(cache.join("tables"), temporary.clone(), engine, config.tables, isolation);
        let (events, folders) = (Events::new(), Folders::default());
        let (models, prompts) = (OnceLock::new(), PromptShelf::new(&config.home));
        let (tokens, entries, jobs) = (TokenShelf::default(), EntryShelf::new(), JobDesk::default());
        Ok(Self(Arc::new(Inner {
            store,
            config,
            events,
            folders,
            locks: WorkbenchLocks::default(),
            notices,
            temporary,
            work,
            tables,
            previews,
            models,
            prompts,
            tokens,
            entries,
            artifacts: ArtifactShelf::new(),
            jobs,
            sessions: SessionDesk::new(),
            mcp: McpDesk::default(),
        })))
    }

    /// Warnings about opening the store, for people.
    pub fn notices(&self) -> &[String] {
        &self.0.notices
    }

    /// Future events of this process. `EventList` replays older ones.
    pub fn events(&self) -> broadcast::Receiver<EventRecord> {
        self.0.events.listen()
    }

    /// The folder for temporary files: in the home, or in the system's temporary folder if the home is read-only.
    pub fn temporary_files(&self) -> &TemporaryFolder {
        &self.0.temporary
    }

    /// The folder where an interface stores uploads until an operation imports them.
    pub fn uploads_folder(&self) -> std::path::PathBuf {
        self.0.config.home.join("uploads")
    }

    /// Refuses a file that `FileAdd` would refuse whatever its content, so that it is not uploaded in vain.
    pub async fn check_file_add(&self, context: &CallContext, id: &WorkbenchId) -> Result<(), OpError> {
        let refused = async {
            find("FileAdd").map_or(Ok(()), |op| context.check_permitted(op, Some(id.as_str())))?;
            let session = self.enter_lightly(id).await?;
            self.refuse_draft(&session, "add files").await
        };
        refused.await.map_err(|error| context.access.veil(error).phase("FileAdd"))
    }

    /// Refuses a call that would fail whatever its content: because of the caller's role, or an unknown workbench.
    pub async fn check_permitted(&self, context: &CallContext, op: &OpSpec, id: &WorkbenchId) -> Result<(), OpError> {
        let refused = async {
            context.check_permitted(op, Some(id.as_str()))?;
            self.enter_lightly(id).await.map(drop)
        };
        refused.await.map_err(|error| context.access.veil(error).phase(op.name))
    }

    /// Refuses a file that exceeds the limit for its extension.
    pub fn check_file_size(&self, path: &WorkbenchPath, bytes: u64) -> Result<(), OpError> {
        self.check_size(path, bytes)
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn env(&self) -> &Env {
        self.0.store.env()
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.config.limits
    }

    /// The maximum size of a file that is read as text.
    pub(crate) fn text_bytes(&self) -> u64 {
        self.0.config.text_bytes
    }

    pub(crate) fn sender(&self) -> &Events {
        &self.0.events
    }

    pub(crate) fn allows_outside_formulas(&self) -> bool {
        self.0.config.allow_outside_formulas
    }

    pub(crate) fn file_work(&self) -> &FileWork {
        &self.0.work
    }

    pub(crate) fn previews(&self) -> &Previews {
        &self.0.previews
    }

    /// How many Office conversions this process has started.
    pub fn preview_conversions(&self) -> u64 {
        self.0.previews.conversions()
    }

    /// How many file maps this process has computed for prompts. Maps of unchanged files are cached.
    pub fn map_computations(&self) -> u64 {
        self.0.prompts.map_computations()
    }

    pub(crate) fn token_shelf(&self) -> &TokenShelf {
        &self.0.tokens
    }

    pub(crate) fn entry_shelf(&self) -> &EntryShelf {
        &self.0.entries
    }

    pub(crate) fn artifact_shelf(&self) -> &ArtifactShelf {
        &self.0.artifacts
    }

    pub(crate) fn job_desk(&self) -> &JobDesk {
        &self.0.jobs
    }

    /// Whether an agent workspace without an index is scanned for tools.
    pub(crate) fn legacy_tools(&self) -> bool {
        self.0.config.legacy_tools
    }

    /// The configured external MCP servers.
    pub(crate) fn mcp_servers(&self) -> &std::collections::BTreeMap<String, McpServer> {
        &self.0.config.mcp_servers
    }

    /// The connections to external MCP servers.
    pub(crate) fn mcp_desk(&self) -> &McpDesk {
        &self.0.mcp
    }

    pub(crate) fn jobs_at_once(&self) -> usize {
        self.0.config.jobs_at_once.max(1)
    }

    /// How long the session of a recipe run is retained if no output refers to it; `None` for ever.
    pub(crate) fn recipe_session_ms(&self) -> Option<i64> {
        self.0.config.recipe_session_ms
    }

    /// The lease of a job.
    pub(crate) fn job_lease_ms(&self) -> u32 {
        self.0.config.job_lease_ms.max(1)
    }

    pub(crate) fn session_desk(&self) -> &SessionDesk {
        &self.0.sessions
    }

    pub(crate) fn prompts(&self) -> &PromptShelf {
        &self.0.prompts
    }

    /// The available models. Invalid settings only fail calls that need a model.
    pub(crate) fn models(&self) -> Result<&Models, OpError> {
        if let Some(models) = self.0.models.get() {
            return Ok(models);
        }
        let models = Models::new(&self.0.config.models, self.store())?;
        Ok(self.0.models.get_or_init(|| models))
    }

    pub(crate) fn table_work(&self) -> &TableWork {
        &self.0.tables
    }

    /// The folder of plain files of a workbench, if views are enabled.
    pub(crate) fn folder(&self, id: &WorkbenchId) -> Option<Folder> {
        let Config { view, watch, .. } = self.0.config;
        let path = || self.folder_path(id);
        view.then(|| if watch { self.0.folders.get(id, path) } else { Folder::new(path()) })
    }

    pub(crate) fn folder_path(&self, id: &WorkbenchId) -> std::path::PathBuf {
        self.0.config.home.join("workbenches").join(id.as_str())
    }

    pub(crate) fn view_limits(&self) -> ViewLimits {
        let Limits { file_bytes, table_bytes, files, .. } = self.0.config.limits;
        ViewLimits { file_bytes, table_bytes, files }
    }

    /// Starts an operation: waits for the folder and imports manual changes.
    ///
    /// A read-only operation releases the folder before its own work, and waits for it only briefly: while a long write
    /// holds the folder, it reads the last committed state, and manual changes are imported by the next operation that
    /// gets the folder. The same holds while the disk is too full for the folder to follow.
    pub(crate) async fn enter(&self, id: &WorkbenchId) -> Result<Session, OpError> {
        if !call_scope::only_reads() {
            return self.enter_alone(id).await;
        }
        if self.store().is_read_only() {
            return self.enter_lightly(id).await;
        }
        let wait = READ_WAIT.min(self.0.config.lock_wait);
        match self.enter_within(id, wait).await {
            Ok(session) => Ok(Session { folder: None, ..session }),
            Err(error) if matches!(error.code(), Code::Busy | Code::DiskFull) => self.enter_lightly(id).await,
            Err(error) => Err(error),
        }
    }

    /// Starts an operation that holds the folder until its end, whatever its effect.
    pub(crate) async fn enter_alone(&self, id: &WorkbenchId) -> Result<Session, OpError> {
        self.enter_within(id, self.0.config.lock_wait).await
    }

    async fn enter_within(&self, id: &WorkbenchId, wait: Duration) -> Result<Session, OpError> {
        let mut session = self.enter_lightly(id).await?;
        if let Some(folder) = self.folder(id) {
            let lock = self.0.locks.acquire(id, &folder, wait).await?;
            // Another process may have changed or deleted the workbench while this one waited.
            session.head = self.head(id).await?;
            session.folder = Some((folder, lock));
            self.take_in(&mut session).await?;
        }
        Ok(session)
    }

    /// Starts an operation on entries, recipes or proposals, which are not in the folder. It neither waits for the
    /// folder nor scans it.
    pub(crate) async fn enter_lightly(&self, id: &WorkbenchId) -> Result<Session, OpError> {
        let head = self.head(id).await?;
        Ok(Session { id: id.clone(), head, left_alone: Vec::new(), folder: None })
    }

    async fn head(&self, id: &WorkbenchId) -> Result<Head, OpError> {
        match self.store().head(id).await {
            Ok(head) => Ok(head),
            Err(error @ StoreError::WorkbenchNotFound { .. }) => {
                let known = self.store().heads().await.unwrap_or_default();
                let names = known.into_iter().map(|head| head.id.to_string());
                Err(OpError::from(error).suggest(nearest(id.as_str(), names)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Commits a change to the store, sends its events, and updates the folder.
    pub(crate) async fn change<'p, T: Send>(
        &self,
        session: &mut Session,
        plan: impl Fn(Head) -> Planned<'p, T> + Send + Sync,
    ) -> Result<T, OpError> {
        let id = session.id.clone();
        let (output, done) = self.store().change(&id, plan).await?;
        if let Some((head, entry)) = done {
            self.moved(session, head, &entry).await;
        }
        Ok(output)
    }

    /// Called after a commit. The commit is authoritative, so a failure to update the folder is a notice rather than an
    /// error.
    pub(crate) async fn moved(&self, session: &mut Session, head: Head, entry: &JournalEntry) {
        session.head = head;
        self.tell(&session.id, entry).await;
        self.show(session).await;
    }

    /// Updates the folder on disk to the head.
    pub(crate) async fn show(&self, session: &mut Session) {
        let Some((folder, _)) = &session.folder else { return };
        let message = match folder.write(self.store(), session.head.state).await {
            Ok(report) => {
                session.left_alone.extend(report.left_alone);
                return;
            }
            Err(error) => format!("the folder on disk could not follow and will be mended at the next call: {error}"),
        };
        tracing::warn!(workbench = %session.id, "{message}");
        self.sender().notice(&session.id, session.head.seq, self.env().now(), message);
    }
}

impl Session {
    /// The folder on disk, if this operation holds it.
    pub(crate) fn folder(&self) -> Option<&Folder> {
        self.folder.as_ref().map(|(folder, _)| folder)
    }
}
