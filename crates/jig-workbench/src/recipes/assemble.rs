//! Builds the context of a recipe with a single database query for the requested fields and the metadata of their
//! entries.

use std::collections::BTreeMap;

use jig_context::document::{Key, KindName};
use jig_context::item::Category;
use jig_context::recipe::{
    Assembled, Assembly, Attachment, Row, all_fields, assemble, compared, flat_text, of_artifact, wanted_fields,
};
use jig_contract::ops::{
    ArtifactRequirement, ContextTokens, EgressScope, ItemsChoice, KindDefinition, LeftOut, RecipeDefinition,
    ResolvedAsset,
};
use jig_contract::{BlobHash, OpError, WorkbenchId};
use jig_prompt::{Counter as _, Tokenizer};
use jig_store::{DocumentQuery, DocumentRow, Fields, KindFields, States};

use crate::Workbench;
use crate::artifacts::{SeenArtifact, plain_slug};
use crate::entries::{ENTRIES_FOLDER, KINDS_FOLDER};

/// How many entries are read at a time when all are counted.
const PAGE: u32 = 1_000;

/// The parameters of a context.
pub(crate) struct Ask<'a> {
    pub(crate) recipe: &'a RecipeDefinition,
    pub(crate) input: &'a str,
    pub(crate) tokenizer: &'a Tokenizer,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) resolve_assets: bool,
}

/// A context and its inputs.
pub(crate) struct Made {
    pub(crate) assembled: Assembled,
    pub(crate) rows: Vec<Row>,
    /// The items and artifacts in it, complete.
    whole: Vec<Attachment>,
    pub(crate) assets: Vec<ResolvedAsset>,
    /// The state it was built from.
    pub(crate) state: BlobHash,
}

impl Made {
    /// The content of the context by name: entries, items and artifacts.
    pub(crate) fn contents(&self) -> EgressScope {
        let plain = |address: &str| address.trim_start_matches('@').split('#').next().unwrap_or_default().to_owned();
        let left_out = |address: &str| self.assembled.left_out.iter().any(|left| left.source == address);
        let is_item = |one: &&Attachment| one.element == "item";
        let items = self.whole.iter().filter(is_item).filter(|one| !left_out(&one.address));
        let artifacts: Vec<String> =
            self.whole.iter().filter(|one| !is_item(one)).map(|one| plain(&one.address)).collect();
        let used = self.assembled.used.iter().map(|used| plain(&used.address));
        let (artifacts, entries) = used.partition(|name| artifacts.contains(name));
        EgressScope { items: items.map(|one| one.name.clone()).collect(), entries, artifacts, ..EgressScope::default() }
    }
}

/// The context items of a recipe.
#[derive(Default)]
struct Attached {
    attachments: Vec<Attachment>,
    damaged: Vec<LeftOut>,
}

impl Workbench {
    /// Builds the context of a recipe from the newest state.
    pub(crate) async fn made_context(
        &self,
        id: &WorkbenchId,
        kinds: &[KindDefinition],
        ask: &Ask<'_>,
    ) -> Result<Made, OpError> {
        let wanted: Vec<KindFields> = wanted_fields(ask.recipe, kinds)
            .into_iter()
            .map(|(kind, fields)| KindFields { kind, fields: Fields::Only(fields) })
            .collect();
        let projection = self.store().entries_projected(id, &wanted, States::Active).await?;
        let mut rows = Vec::with_capacity(projection.rows.len());
        for row in &projection.rows {
            rows.extend(self.row(projection.state, kinds, row).await?);
        }
        let Attached { mut attachments, damaged } = self.items_asked(projection.state, ask.recipe).await?;
        let mut whole = attachments.clone();
        for (asked, seen) in self.artifacts_asked(projection.state, ask.recipe).await? {
            attachments.extend(of_artifact(asked, &seen.artifact));
            let all = ArtifactRequirement { sections: Vec::new(), ..asked.clone() };
            whole.extend(of_artifact(&all, &seen.artifact));
        }
        let mut assets = Vec::new();
        if ask.resolve_assets {
            for row in &rows {
                assets.extend(self.resolved(id, &row.data).await?);
            }
        }
        let by_id: BTreeMap<String, ResolvedAsset> =
            assets.iter().map(|asset| (asset.asset_id.clone(), asset.clone())).collect();
        let today = self.env().now().to_string();
        let assembly = Assembly {
            recipe: ask.recipe,
            kinds,
            rows: &rows,
            attachments: &attachments,
            assets: &by_id,
            input: ask.input,
            today: today.get(..10).unwrap_or_default(),
            max_tokens: ask.max_tokens,
            count: &|text| ask.tokenizer.of(self.prompts().counter().count(text)),
        };
        let mut assembled = assemble(&assembly).map_err(|error| OpError::from(error).workbench(id))?;
        assembled.left_out.extend(damaged);
        Ok(Made { assembled, rows, whole, assets, state: projection.state })
    }

    /// The row of an entry for assembly, with the values from the database.
    async fn row(
        &self,
        state: BlobHash,
        kinds: &[KindDefinition],
        given: &DocumentRow,
    ) -> Result<Option<Row>, OpError> {
        let kind = kinds.iter().find(|kind| kind.anchor_role == given.kind);
        let (Some(kind), Ok(name), Ok(key)) = (kind, KindName::new(&given.kind), Key::new(&given.key)) else {
            return Ok(None);
        };
        let Some(seen) = self.entry_at(state, &name, &key).await? else { return Ok(None) };
        let sources = self.sources_of(state, &seen.entry.document).await?;
        let row = Row::of(kind, &seen.entry, &sources, self.env().now());
        Ok(row.map(|row| Row { data: given.data.clone(), ..row }))
    }

    /// The requested artifacts that exist.
    async fn artifacts_asked<'a>(
        &self,
        state: BlobHash,
        recipe: &'a RecipeDefinition,
    ) -> Result<Vec<(&'a ArtifactRequirement, SeenArtifact)>, OpError> {
        let mut found = Vec::new();
        for asked in &recipe.context_requirements.artifacts {
            if let Some(seen) = self.artifact_at(state, plain_slug(&asked.artifact)).await? {
                found.push((asked, seen));
            }
        }
        Ok(found)
    }

    /// The requested context items, and those that cannot be read.
    async fn items_asked(&self, state: BlobHash, recipe: &RecipeDefinition) -> Result<Attached, OpError> {
        let mut found = Attached::default();
        if recipe.context_requirements.items == ItemsChoice::None {
            return Ok(found);
        }
        for category in Category::ALL {
            let Some((_, item)) = self.load_item(state, category).await? else { continue };
            let address = format!("@{category}");
            match item.texts() {
                Some(texts) => found.attachments.push(Attachment {
                    element: "item".to_owned(),
                    name: category.to_string(),
                    address,
                    used: Vec::new(),
                    parts: texts.iter().map(|(path, text)| (path.clone(), text.clone())).collect(),
                    required: false,
                }),
                None => found.damaged.push(LeftOut {
                    source: address,
                    tokens: 0,
                    why: "it is damaged".to_owned(),
                    how: format!("`jig context get {category}` shows what is left of it"),
                }),
            }
        }
        Ok(found)
    }

    /// The token count of a context compared with the unprojected ones.
    pub(crate) async fn context_tokens(
        &self,
        id: &WorkbenchId,
        kinds: &[KindDefinition],
        ask: &Ask<'_>,
        made: &Made,
    ) -> Result<ContextTokens, OpError> {
        let mut whole = Vec::with_capacity(made.rows.len());
        for row in &made.rows {
            let names = (KindName::new(&row.role), Key::new(&row.entry_key));
            let (Ok(kind), Ok(key)) = names else { continue };
            if let Some(seen) = self.entry_at(made.state, &kind, &key).await? {
                whole.push(Row { data: seen.entry.data(), ..row.clone() });
            }
        }
        let count = |text: &str| self.prompts().counter().count(text);
        let all = ask.tokenizer.of(count(&all_fields(ask.recipe, kinds, &whole, &made.whole)));
        let beside: u64 = made.whole.iter().flat_map(|one| &one.parts).map(|(_, text)| count(text)).sum();
        let flat = ask.tokenizer.of(self.flat_tokens(id, made.state, kinds).await? + beside);
        Ok(compared(made.assembled.tokens, all, flat, ask.tokenizer.estimated()))
    }

    /// The token count of all entries as flat text, cached until an entry changes.
    async fn flat_tokens(&self, id: &WorkbenchId, state: BlobHash, kinds: &[KindDefinition]) -> Result<u64, OpError> {
        let key = (self.hash_at(state, ENTRIES_FOLDER).await?, self.hash_at(state, KINDS_FOLDER).await?);
        if let Some(known) = self.entry_shelf().flat.get(&key) {
            return Ok(*known);
        }
        let mut query = DocumentQuery {
            family: jig_context::entry::FAMILY.to_owned(),
            kinds: Vec::new(),
            states: States::Active,
            order: kinds.iter().map(|kind| kind.anchor_role.clone()).collect(),
            fields: Fields::All,
            after: None,
            limit: PAGE,
        };
        let mut tokens = 0;
        loop {
            let page = self.store().documents(id, &query).await?;
            let rows: Vec<Row> = page.rows.into_iter().map(bare_row).collect();
            tokens += self.prompts().counter().count(&flat_text(kinds, &rows));
            if page.next.is_none() {
                break;
            }
            query.after = page.next;
        }
        // The index reflects the newest state, so the count is only cached if that is still this one.
        if self.store().head(id).await?.state == state {
            self.entry_shelf().flat.keep(key, tokens, 128);
        }
        Ok(tokens)
    }
}

/// A row with only the fields that the text needs.
fn bare_row(row: DocumentRow) -> Row {
    Row {
        role: row.kind,
        entry_key: row.key,
        revision: row.revision,
        data: row.data,
        completeness: row.completeness,
        missing: Vec::new(),
        staleness: jig_contract::ops::EntryStaleness::default(),
    }
}
