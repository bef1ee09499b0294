//! Reading workbooks: the answers to the read methods of the protocol.
//!
//! The first touch of a sheet reads its part as it inflates and keeps a compact index of its cells, within
//! a budget; later answers come from there. A sheet that does not fit keeps coarse places to begin from instead.
//! Nothing else grows with a sheet.

mod call;
mod cell;
mod checkpoints;
mod color;
mod comments;
mod cover;
mod decode;
mod extent;
mod facts;
mod find;
mod grid;
mod index;
mod islands;
mod look;
mod map;
mod overlay;
mod params;
mod related;
mod scan;
mod sheet;
mod show;
mod store;
mod strings;
mod styles;
mod text;

#[cfg(test)]
mod tests;

use serde_json::Value;

use self::call::Call;
use self::params::Params;
use crate::error::Error;

pub use color::Palette;
pub use store::Workbook;

impl Workbook {
    /// Answers a read method of the protocol by its name; none when there is no such method.
    ///
    /// `params` is the call's object. Where the file lies (`path`, `root`, `workbench_id`) is dealt with
    /// before, and fields that are not known here are left alone.
    pub fn read(&self, method: &str, params: &Value) -> Option<Result<Value, Error>> {
        let answer = match method {
            "XlsxGetMap" => |call: &Call<'_>, _: Params<'_>| map::map(call),
            "XlsxGetInfo" => |call: &Call<'_>, _: Params<'_>| map::info(call),
            "XlsxReadRange" => text::read_range,
            "XlsxExtractText" => text::extract,
            "XlsxGetExtent" => extent::extent,
            "XlsxRenderGrid" => grid::grid,
            "XlsxGetStyles" => look::styles,
            "XlsxFind" => find::find,
            _ => return None,
        };
        Some(Call::new(self).and_then(|call| answer(&call, Params(params))))
    }
}
