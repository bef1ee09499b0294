//! Checks that asset references match the documents, and that expiry matches the references.

use std::collections::{BTreeMap, BTreeSet};

use super::{Asset, AssetUse, Permanence};

/// The errors in the references and rows of a workbench's assets. `named` has all references in documents, including
/// those to missing assets.
pub(crate) fn wrong(named: Vec<AssetUse>, assets: &[Asset], stored: &[AssetUse]) -> Vec<String> {
    let live: BTreeMap<&str, &Asset> =
        assets.iter().filter(|asset| asset.removed_at.is_none()).map(|asset| (asset.id.as_str(), asset)).collect();
    let expected: BTreeSet<AssetUse> =
        named.into_iter().filter(|one| live.contains_key(one.asset_id.as_str())).collect();
    let stored: BTreeSet<AssetUse> = stored.iter().cloned().collect();
    let mut wrong = Vec::new();
    for one in expected.difference(&stored) {
        wrong.push(format!("the index lacks the reference from `{}` to the asset {}", one.document_path, one.asset_id));
    }
    for one in stored.difference(&expected) {
        wrong.push(format!(
            "the index has a reference from `{}` to the asset {} that does not exist",
            one.document_path, one.asset_id
        ));
    }
    let mut first: BTreeMap<&str, &AssetUse> = BTreeMap::new();
    for one in &expected {
        // The first in order of path and field within an asset.
        first.entry(&one.asset_id).or_insert(one);
    }
    for (id, asset) in live {
        let link = first.get(id).map(|one| (one.entry_id.as_str(), one.field_key.as_str()));
        let row = asset.entry_id.as_deref().map(|entry| (entry, asset.field_key.as_deref().unwrap_or_default()));
        if row != link || (asset.permanence == Permanence::Permanent) != link.is_some() {
            wrong.push(format!("the asset {id} is {}, which does not match the documents", asset.permanence.word()));
        }
    }
    wrong
}
