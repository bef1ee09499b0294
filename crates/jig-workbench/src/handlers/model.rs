//! Models: listing them, and choosing one for a workbench.

use bytes::Bytes;
use jig_contract::OpError;
use jig_contract::ops::*;
use jig_store::{Change, Head, Plan, TreeEdit};

use crate::engine::Planned;
use crate::state::{SETTINGS, View, WorkbenchSettings};
use crate::{CallContext, Handle, Workbench};

impl Handle<ModelList> for Workbench {
    async fn handle(&self, _: &CallContext, params: ModelListParams) -> Result<ModelListOutput, OpError> {
        let models = self.models()?;
        let own = match params.workbench_id {
            Some(id) => {
                let session = self.enter(&id.check()?).await?;
                View::of(self.store(), &session.head).settings().await?.default_model
            }
            None => None,
        };
        let default = own.or_else(|| models.default_name().map(str::to_owned));
        Ok(ModelListOutput { models: models.list(), default })
    }
}

impl Handle<ModelSetDefault> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: ModelSetDefaultParams,
    ) -> Result<ModelSetDefaultOutput, OpError> {
        let models = self.models()?;
        let model = params.model.as_deref().map(|name| models.find(name)).transpose()?;
        let wanted = model.map(|model| model.id.to_string());
        let mut session = self.enter(&params.workbench_id.check()?).await?;
        let wanted = &wanted;
        let plan = |head: Head| {
            Box::pin(async move { self.plan_default(context, &head, wanted.clone()).await }) as Planned<'_, ()>
        };
        self.change(&mut session, plan).await?;
        Ok(ModelSetDefaultOutput { default: wanted.clone().or_else(|| models.default_name().map(str::to_owned)) })
    }
}

impl Workbench {
    async fn plan_default(
        &self,
        context: &CallContext,
        head: &Head,
        wanted: Option<String>,
    ) -> Result<Plan<()>, OpError> {
        let before = View::of(self.store(), head).settings().await?;
        let after = WorkbenchSettings { default_model: wanted, ..before.clone() };
        if after == before {
            return Ok(Plan::nothing(()));
        }
        context.check_cancelled()?;
        let edit = self.settings_edit(&after).await?;
        let state = self.store().edit(head.state, &[edit]).await?;
        let summary = match &after.default_model {
            Some(model) => format!("chose the model {model}"),
            None => "went back to the model of the settings".to_owned(),
        };
        let change = Change::new(context.actor.clone(), "ModelSetDefault", summary, state);
        Ok(Plan::change(change, vec![SETTINGS.to_owned()], ()))
    }

    /// Settings without values are stored as no file.
    pub(super) async fn settings_edit(&self, settings: &WorkbenchSettings) -> Result<TreeEdit, OpError> {
        let path = SETTINGS.to_owned();
        if *settings == WorkbenchSettings::default() {
            return Ok(TreeEdit::Remove { path });
        }
        let text = serde_json::to_string_pretty(settings).map_err(|e| {
            OpError::new(jig_contract::Code::Internal, "the workbench's settings cannot be written").because(e)
        })?;
        let bytes = Bytes::from(text + "\n");
        let length = bytes.len() as u64;
        let hash = self.store().blobs().put(bytes).await?;
        Ok(TreeEdit::File { path, hash, bytes: length })
    }
}
