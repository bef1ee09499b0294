//! The open workbench: the store, the folders on disk and the events, and how an operation enters and leaves.

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

/// How long an operation that only reads waits for the folder of plain files.
const READ_WAIT: Duration = Duration::from_secs(2);

/// All workbenches of one home or one database. Cheap to clone; all clones are the same.
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
    /// Made when a model is first needed.
    models: OnceLock<Models>,
    prompts: PromptShelf,
    tokens: TokenShelf,
    entries: EntryShelf,
    artifacts: ArtifactShelf,
    jobs: JobDesk,
    sessions: SessionDesk,
    mcp: McpDesk,
}

/// A plan in the making.
pub(crate) type Planned<'p, T> = Pin<Box<dyn Future<Output = Result<Plan<T>, OpError>> + Send + 'p>>;

/// An operation at work in one workbench. While one that writes lives, no other one of this machine writes there. One that
/// only reads keeps nobody out: states never change, and it reads the state that was current when it started.
pub(crate) struct Session {
    pub(crate) id: WorkbenchId,
    pub(crate) head: Head,
    pub(crate) left_alone: Vec<LeftAlone>,
    folder: Option<(Folder, WorkbenchLock)>,
}

impl Workbench {
    /// Opens the store, making or migrating it where needed.
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

    /// What a person should know about how the store was opened.
    pub fn notices(&self) -> &[String] {
        &self.0.notices
    }

    /// Events of this process from now on. Replay older ones with `EventList`.
    pub fn events(&self) -> broadcast::Receiver<EventRecord> {
        self.0.events.listen()
    }

    /// The folder for temporary files of this process: in the home, or in the system's if the home is read-only.
    pub fn temporary_files(&self) -> &TemporaryFolder {
        &self.0.temporary
    }

    /// Where a door keeps what is sent to it until an operation has taken it in.
    pub fn uploads_folder(&self) -> std::path::PathBuf {
        self.0.config.home.join("uploads")
    }

    /// Refuses a file that `FileAdd` would refuse whatever it holds, so that nobody sends it first.
    pub async fn check_file_add(&self, context: &CallContext, id: &WorkbenchId) -> Result<(), OpError> {
        let refused = async {
            find("FileAdd").map_or(Ok(()), |op| context.check_permitted(op, Some(id.as_str())))?;
            let session = self.enter_lightly(id).await?;
            self.refuse_draft(&session, "add files").await
        };
        refused.await.map_err(|error| context.access.veil(error).phase("FileAdd"))
    }

    /// Rejects a call that would fail whatever its content is: by the role of its caller, or for an unknown workbench.
    pub async fn check_permitted(&self, context: &CallContext, op: &OpSpec, id: &WorkbenchId) -> Result<(), OpError> {
        let refused = async {
            context.check_permitted(op, Some(id.as_str()))?;
            self.enter_lightly(id).await.map(drop)
        };
        refused.await.map_err(|error| context.access.veil(error).phase(op.name))
    }

    /// Refuses a file that is larger than files of its name may be.
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

    /// The largest file that is read as a text.
    pub(crate) fn text_bytes(&self) -> u64 {
        self.0.config.text_bytes
    }

    pub(crate) fn sender(&self) -> &Events {
        &self.0.events
    }

    pub(crate) fn allows_outside_formulas(&self) -> bool {
        self.0.config.allow_outside_formulas
    }

    /// Where work on files is done.
    pub(crate) fn file_work(&self) -> &FileWork {
        &self.0.work
    }

    /// Office files as pages.
    pub(crate) fn previews(&self) -> &Previews {
        &self.0.previews
    }

    /// How many conversions of Office files this process has begun.
    pub fn preview_conversions(&self) -> u64 {
        self.0.previews.conversions()
    }

    /// How many maps of files this process has made for prompts. Maps of unchanged files are made once.
    pub fn map_computations(&self) -> u64 {
        self.0.prompts.map_computations()
    }

    /// What is remembered of tokens.
    pub(crate) fn token_shelf(&self) -> &TokenShelf {
        &self.0.tokens
    }

    /// What is kept of entries, kinds and recipes.
    pub(crate) fn entry_shelf(&self) -> &EntryShelf {
        &self.0.entries
    }

    /// What is kept of artifacts, stages and suggestions.
    pub(crate) fn artifact_shelf(&self) -> &ArtifactShelf {
        &self.0.artifacts
    }

    /// What this process knows of jobs.
    pub(crate) fn job_desk(&self) -> &JobDesk {
        &self.0.jobs
    }

    /// Whether an agent workspace without an index is looked through for tools.
    pub(crate) fn legacy_tools(&self) -> bool {
        self.0.config.legacy_tools
    }

    /// Outside MCP servers, by name.
    pub(crate) fn mcp_servers(&self) -> &std::collections::BTreeMap<String, McpServer> {
        &self.0.config.mcp_servers
    }

    /// The connections to them.
    pub(crate) fn mcp_desk(&self) -> &McpDesk {
        &self.0.mcp
    }

    /// How many jobs are at work at the same time.
    pub(crate) fn jobs_at_once(&self) -> usize {
        self.0.config.jobs_at_once.max(1)
    }

    /// For how long the session of a recipe's run is kept that no output names; none for ever.
    pub(crate) fn recipe_session_ms(&self) -> Option<i64> {
        self.0.config.recipe_session_ms
    }

    /// For how long a job is its worker's without a sign of life.
    pub(crate) fn job_lease_ms(&self) -> u32 {
        self.0.config.job_lease_ms.max(1)
    }

    /// The sessions that were at work lately.
    pub(crate) fn session_desk(&self) -> &SessionDesk {
        &self.0.sessions
    }

    /// What is kept from one prompt to the next.
    pub(crate) fn prompts(&self) -> &PromptShelf {
        &self.0.prompts
    }

    /// The models that can be called. Wrong settings are an error of the calls that need a model, and of no others.
    pub(crate) fn models(&self) -> Result<&Models, OpError> {
        if let Some(models) = self.0.models.get() {
            return Ok(models);
        }
        let models = Models::new(&self.0.config.models, self.store())?;
        Ok(self.0.models.get_or_init(|| models))
    }

    /// Where work on tables is done.
    pub(crate) fn table_work(&self) -> &TableWork {
        &self.0.tables
    }

    /// The folder of plain files of a workbench, where such folders are kept.
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

    /// Begins an operation: waits for the folder, and takes in what was changed by hand.
    ///
    /// An operation that only reads gives the folder back before it starts its own work, and waits for it only a short
    /// time: while a long write holds the folder, it reads the last committed state, and what was changed by hand
    /// meanwhile is taken in by the next operation that gets the folder.
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
            Err(error) if error.code() == Code::Busy => self.enter_lightly(id).await,
            Err(error) => Err(error),
        }
    }

    /// Begins an operation that has the folder to itself until its end, whatever its effect.
    pub(crate) async fn enter_alone(&self, id: &WorkbenchId) -> Result<Session, OpError> {
        self.enter_within(id, self.0.config.lock_wait).await
    }

    async fn enter_within(&self, id: &WorkbenchId, wait: Duration) -> Result<Session, OpError> {
        let mut session = self.enter_lightly(id).await?;
        if let Some(folder) = self.folder(id) {
            let lock = self.0.locks.acquire(id, &folder, wait).await?;
            // Another process may have been at work, or have deleted it, while this one waited.
            session.head = self.head(id).await?;
            session.folder = Some((folder, lock));
            self.take_in(&mut session).await?;
        }
        Ok(session)
    }

    /// Begins an operation that has nothing to do with the folder: entries, recipes and proposals are not in it. Nobody
    /// waits, and nothing on disk is looked at.
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

    /// Makes a change through the store's one way, tells the events, and brings the folder up to date.
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

    /// After a commit: the commit is the truth, so a folder that cannot follow is a notice and not an error.
    pub(crate) async fn moved(&self, session: &mut Session, head: Head, entry: &JournalEntry) {
        session.head = head;
        self.tell(&session.id, entry).await;
        self.show(session).await;
    }

    /// Brings the folder on disk to the head.
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
    /// The folder on disk, while this operation has it to itself.
    pub(crate) fn folder(&self) -> Option<&Folder> {
        self.folder.as_ref().map(|(folder, _)| folder)
    }
}
