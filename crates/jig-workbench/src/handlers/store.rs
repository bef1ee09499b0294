//! Checking and cleaning up the store.

use std::collections::HashSet;

use jig_contract::ops::*;
use jig_contract::{Code, OpError, WorkbenchId};
use jig_store::{Collect, Head, Repair, View, ViewProblem};

use crate::state::place;
use crate::{CallContext, Handle, Workbench};

impl Handle<StoreDoctor> for Workbench {
    async fn handle(&self, context: &CallContext, params: StoreDoctorParams) -> Result<StoreDoctorOutput, OpError> {
        if params.repair && context.access.role < TokenRole::Owner {
            return Err(OpError::new(Code::NotPermitted, "repair needs the role owner")
                .hint("check without `repair`, or ask an owner to repair"));
        }
        let only = params.only.map(|id| id.check()).transpose()?;
        let repair = if params.repair { Repair::Yes } else { Repair::No };
        if let Some(id) = &only {
            self.store().head(id).await?;
        }
        let mut problems = Vec::new();
        let ids = match &only {
            Some(id) => vec![id.clone()],
            None => self.store().heads().await?.into_iter().map(|head| head.id).collect(),
        };
        // Folders first: a file in one can replace a damaged blob.
        for id in &ids {
            context.check_cancelled()?;
            self.check_folder(id, repair, &mut problems).await?;
        }
        let report = self.store().check(only.as_ref(), repair).await?;
        problems.extend(report.problems);
        for id in &ids {
            context.check_cancelled()?;
            self.check_logs(id, &mut problems).await?;
        }
        let ok = problems.iter().all(|p| p.repaired || p.kind == ProblemKind::LeftAlone);
        Ok(StoreDoctorOutput {
            ok,
            workbenches: ids.len() as u64,
            states: report.states,
            blobs: report.blobs,
            problems,
        })
    }
}

impl Workbench {
    /// Checks that every log can be read and that its records follow from each other. Only `SessionReplay` rebuilds
    /// requests.
    async fn check_logs(&self, id: &WorkbenchId, problems: &mut Vec<Problem>) -> Result<(), OpError> {
        let mut problem = |message: String| {
            let kind = ProblemKind::Session;
            problems.push(Problem { workbench_id: Some(id.clone()), kind, message, repaired: false });
        };
        for row in self.store().sessions(id, None, u32::MAX).await? {
            match self.follows(&row.id).await {
                Ok(None) => {}
                Ok(Some(difference)) => {
                    let (seq, what) = (difference.seq, difference.what);
                    problem(format!("record {seq} of the session {} does not follow: {what} is other", row.id));
                }
                Err(error) => problem(format!("the log of the session {} cannot be read: {error}", row.id)),
            }
        }
        Ok(())
    }

    /// A damaged workbench must not prevent the check of the others, so failures are reported as problems.
    async fn check_folder(&self, id: &WorkbenchId, repair: Repair, problems: &mut Vec<Problem>) -> Result<(), OpError> {
        let mut problem = |kind, message: String, repaired| {
            problems.push(Problem { workbench_id: Some(id.clone()), kind, message, repaired });
        };
        let Some(folder) = self.folder(id) else { return Ok(()) };
        let session = match self.enter_alone(id).await {
            Ok(session) => session,
            Err(error) => {
                problem(ProblemKind::View, format!("the folder cannot be compared with the store: {error}"), false);
                return Ok(());
            }
        };
        if repair == Repair::Yes {
            for path in self.mend_blobs(&session.head, &folder).await? {
                problem(ProblemKind::BlobCorrupt, format!("`{path}` was put back from the folder on disk"), true);
            }
        }
        for found in folder.check(self.store(), session.head.state).await? {
            match found {
                ViewProblem::LeftAlone(one) => {
                    problem(ProblemKind::LeftAlone, format!("`{}` is not taken in: {}", one.path, one.reason), false);
                }
                other => problem(ProblemKind::View, other.to_string(), false),
            }
        }
        Ok(())
    }
}

impl Workbench {
    /// Restores damaged blobs from the folder on disk if a file there still has the right content.
    async fn mend_blobs(&self, head: &Head, folder: &View) -> Result<Vec<String>, OpError> {
        let blobs = self.store().blobs();
        let mut mended = Vec::new();
        for root in [Root::Published, Root::Draft] {
            for (path, file) in self.files_of(head, root).await? {
                if blobs.verify(&file.hash).await.is_ok() {
                    continue;
                }
                let place = place(root, &path);
                // Only stored if the hash matches, so that a wrong copy never replaces the damaged blob.
                if folder.put_back(self.store(), &place, &file.hash).await? {
                    mended.push(place);
                }
            }
        }
        Ok(mended)
    }
}

impl Workbench {
    /// Drops converted tables and maps of files that no longer exist. They are caches and are recreated on demand.
    async fn drop_made(&self) -> Result<(), OpError> {
        let (tables, maps) = (self.table_work(), self.prompts().maps());
        let mut used = HashSet::new();
        for hash in tables.contents().into_iter().chain(maps.contents()) {
            if !used.contains(&hash) && self.store().blobs().info(&hash).await?.is_some() {
                used.insert(hash);
            }
        }
        tables.drop_unused(|hash| used.contains(hash));
        maps.drop_unused(|hash| used.contains(hash));
        Ok(())
    }
}

impl Handle<StoreCollect> for Workbench {
    async fn handle(&self, _: &CallContext, params: StoreCollectParams) -> Result<StoreCollectOutput, OpError> {
        let mode = if params.yes { Collect::Remove } else { Collect::Report };
        // First, so that blobs used only by them can be collected.
        let recipe_sessions = self.forget_recipe_sessions(mode).await?;
        let mut output = StoreCollectOutput { recipe_sessions, ..self.store().collect(mode).await? };
        for head in self.store().heads().await? {
            let Some(folder) = self.folder(&head.id).filter(View::has_spare) else { continue };
            output.spare_folders += 1;
            if mode == Collect::Remove {
                // Entering takes the lock of the folder.
                let _session = self.enter_alone(&head.id).await?;
                folder.drop_spare()?;
            }
        }
        if mode == Collect::Remove {
            self.drop_made().await?;
        }
        Ok(output)
    }
}
