//! The kinds of a workbench: built-in ones, and custom ones that replace them.

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_context::document::nearest;
use jig_context::entry::{order_of, shipped_kinds};
use jig_contract::ops::KindDefinition;
use jig_contract::{BlobHash, Code, OpError};

use crate::Workbench;

/// The folder of custom kinds.
pub(crate) const KINDS_FOLDER: &str = "meta/kinds";

/// All kinds of a state, in order.
pub(crate) struct Kinds {
    all: Vec<Known>,
}

/// A kind, and whether it is the unmodified built-in one.
pub(crate) struct Known {
    pub(crate) definition: KindDefinition,
    pub(crate) shipped: bool,
}

impl Kinds {
    fn new(own: Vec<KindDefinition>) -> Self {
        let mut all: BTreeMap<String, Known> = BTreeMap::new();
        for definition in shipped_kinds() {
            all.insert(definition.anchor_role.clone(), Known { definition: definition.clone(), shipped: true });
        }
        for definition in own {
            all.insert(definition.anchor_role.clone(), Known { definition, shipped: false });
        }
        let mut all: Vec<Known> = all.into_values().collect();
        all.sort_by(|a, b| order_of(&a.definition).cmp(&order_of(&b.definition)));
        Self { all }
    }

    /// All kinds, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Known> {
        self.all.iter()
    }

    /// The definitions, in order.
    pub(crate) fn definitions(&self) -> Vec<KindDefinition> {
        self.all.iter().map(|known| known.definition.clone()).collect()
    }

    /// The names, in order.
    pub(crate) fn order(&self) -> Vec<String> {
        self.all.iter().map(|known| known.definition.anchor_role.clone()).collect()
    }

    /// The kind with this name.
    pub(crate) fn get(&self, role: &str) -> Option<&Known> {
        self.all.iter().find(|known| known.definition.anchor_role == role)
    }

    /// Finds a kind by name, ignoring case.
    pub(crate) fn find(&self, role: &str) -> Result<&Known, OpError> {
        let found = self.get(role).or_else(|| self.get(&role.to_lowercase()));
        found.ok_or_else(|| {
            let shown: String = role.chars().filter(|c| !c.is_control()).take(80).collect();
            let names = self.all.iter().map(|known| known.definition.anchor_role.as_str());
            OpError::new(Code::KindNotFound, format!("there is no kind of entries `{shown}`"))
                .suggest(nearest(&shown, names))
                .hint("`jig kind list` shows the kinds; `jig kind put FILE` adds one")
        })
    }
}

impl Workbench {
    /// The kinds of a state.
    pub(crate) async fn kinds_at(&self, state: BlobHash) -> Result<Arc<Kinds>, OpError> {
        let folder = self.hash_at(state, KINDS_FOLDER).await?;
        if let Some(kinds) = self.entry_shelf().kinds.get(&folder) {
            return Ok(kinds);
        }
        let mut own = Vec::new();
        let mut weight = 4_096;
        for (name, node) in self.store().files(state, KINDS_FOLDER).await? {
            let bytes = self.store().blobs().get(&node.hash).await?;
            weight += bytes.len();
            own.push(serde_json::from_slice(&bytes).map_err(|e| {
                OpError::new(Code::BlobCorrupt, format!("the kind in {KINDS_FOLDER}/{name} cannot be read"))
                    .hint("`jig undo` goes back to before it was changed")
                    .because(e)
            })?);
        }
        Ok(self.entry_shelf().kinds.keep(folder, Kinds::new(own), weight))
    }
}
