//! What the executables need from the system: shared libraries and the symbol versions they use from them.
//!
//! Debian's `Depends` and the wheel's `manylinux` tag both follow from these versions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::{paths, shell};

/// The needs of all executables of a release together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// Shared libraries by file name, such as `libc.so.6`.
    pub(super) libraries: BTreeSet<String>,
    /// The newest symbol version by family, such as `GLIBC` → 2.34.
    pub(super) versions: BTreeMap<String, Version>,
    /// Folders that the executables search for libraries.
    pub(super) run_paths: BTreeSet<String>,
}

/// A symbol version: 2.34 is `[2, 34]`.
pub(super) type Version = Vec<u32>;

impl Needs {
    /// Adds what one executable or library needs. Scripts need nothing.
    pub(super) fn add(&mut self, file: &Path, bytes: &[u8]) -> Result<(), String> {
        if !bytes.starts_with(b"\x7fELF") {
            return Ok(());
        }
        if paths::on_path("readelf").is_none() {
            return Err("readelf is not installed; Debian: `apt-get install binutils` as root".to_owned());
        }
        let mut readelf = shell::command("readelf");
        readelf.args(["--wide", "--dynamic", "--version-info"]).arg(file).env("LC_ALL", "C");
        self.parse(&shell::output(readelf)?);
        Ok(())
    }

    /// Reads the output of `readelf --dynamic --version-info`.
    fn parse(&mut self, text: &str) {
        let mut in_needs = false;
        for line in text.lines() {
            let in_brackets = || line.split_once('[')?.1.split_once(']').map(|(inside, _)| inside.to_owned());
            if line.contains("(NEEDED)") {
                self.libraries.extend(in_brackets());
            } else if line.contains("(RUNPATH)") || line.contains("(RPATH)") {
                self.run_paths.extend(in_brackets());
            } else if line.starts_with("Version ") {
                // A library also lists the versions that it defines itself.
                in_needs = line.starts_with("Version needs");
            } else if in_needs && let Some((_, rest)) = line.split_once("Name: ") {
                let symbol = rest.split_whitespace().next().unwrap_or_default();
                self.add_version(symbol);
            }
        }
    }

    fn add_version(&mut self, symbol: &str) {
        // A marker without a number: the executable uses relative relocations, which glibc reads since 2.36.
        let symbol = if symbol == "GLIBC_ABI_DT_RELR" { "GLIBC_2.36" } else { symbol };
        let Some((family, number)) = symbol.split_once('_') else { return };
        let Some(version) = number.split('.').map(|part| part.parse().ok()).collect::<Option<Version>>() else {
            return;
        };
        let newest = self.versions.entry(family.to_owned()).or_default();
        *newest = version.max(std::mem::take(newest));
    }

    /// The platform tag of a wheel: the oldest glibc that has every symbol, at least 2.17 (manylinux2014).
    pub(super) fn manylinux(&self, arch: &str) -> Result<String, String> {
        let glibc = match self.versions.get("GLIBC").map(Vec::as_slice) {
            Some([2, minor, ..]) => *minor,
            None => 0,
            Some(other) => return Err(format!("unsupported glibc version {other:?}")),
        };
        let stdcxx = self.libstdcxx()?.map_or(0, |row| row.manylinux);
        Ok(format!("manylinux_2_{}_{arch}", glibc.max(stdcxx).max(17)))
    }

    /// Debian's `Depends` field.
    pub(super) fn debian_depends(&self) -> Result<String, String> {
        let mut depends = BTreeSet::new();
        for library in &self.libraries {
            let package = match library.as_str() {
                name if is_glibc(name) => {
                    let glibc = self.versions.get("GLIBC").map_or_else(|| "2.17".to_owned(), |version| dotted(version));
                    format!("libc6 (>= {glibc})")
                }
                // Since 4.2 it has every symbol that unwinding needs; older releases are long gone.
                "libgcc_s.so.1" => "libgcc-s1 (>= 4.2)".to_owned(),
                "libstdc++.so.6" => match self.libstdcxx()? {
                    Some(row) => format!("libstdc++6 (>= {})", row.gcc),
                    None => "libstdc++6".to_owned(),
                },
                // It is in the package itself, next to the SQL engine.
                "libduckdb.so" => continue,
                other => return Err(format!("no Debian package known for the shared library {other}")),
            };
            depends.insert(package);
        }
        Ok(depends.into_iter().collect::<Vec<_>>().join(", "))
    }

    fn libstdcxx(&self) -> Result<Option<&'static StdCxx>, String> {
        let Some(version) = self.versions.get("GLIBCXX") else { return Ok(None) };
        let minor = match version.as_slice() {
            [3, 4] => 0,
            [3, 4, minor] => *minor,
            other => return Err(format!("unsupported libstdc++ version {other:?}")),
        };
        let row = LIBSTDCXX.iter().find(|row| minor <= row.minor);
        row.map(Some).ok_or_else(|| format!("unknown libstdc++ version GLIBCXX_3.4.{minor}; add it to LIBSTDCXX"))
    }
}

/// A version of libstdc++ (`GLIBCXX_3.4.<minor>`), the GCC release that introduced it, and the oldest manylinux policy
/// that allows it.
struct StdCxx {
    minor: u32,
    gcc: &'static str,
    manylinux: u32,
}

/// From the libstdc++ ABI history and the policies of auditwheel.
const LIBSTDCXX: [StdCxx; 12] = [
    StdCxx { minor: 19, gcc: "4.8.1", manylinux: 17 },
    StdCxx { minor: 20, gcc: "4.9", manylinux: 24 },
    StdCxx { minor: 21, gcc: "5", manylinux: 24 },
    StdCxx { minor: 22, gcc: "6", manylinux: 24 },
    StdCxx { minor: 24, gcc: "7", manylinux: 27 },
    StdCxx { minor: 25, gcc: "8", manylinux: 31 },
    StdCxx { minor: 28, gcc: "9", manylinux: 31 },
    StdCxx { minor: 29, gcc: "11", manylinux: 34 },
    StdCxx { minor: 30, gcc: "12", manylinux: 35 },
    StdCxx { minor: 31, gcc: "13", manylinux: 39 },
    StdCxx { minor: 32, gcc: "13.1", manylinux: 39 },
    StdCxx { minor: 33, gcc: "14", manylinux: 39 },
];

fn is_glibc(library: &str) -> bool {
    let names = ["libc.so.", "libm.so.", "libdl.so.", "libpthread.so.", "librt.so.", "libresolv.so.", "ld-linux"];
    names.iter().any(|name| library.starts_with(name))
}

fn dotted(version: &[u32]) -> String {
    version.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    const READELF: &str = "
Dynamic section at offset 0x7a10 contains 30 entries:
  Tag        Type                         Name/Value
 0x0000000000000001 (NEEDED)             Shared library: [libstdc++.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [libgcc_s.so.1]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [ld-linux-x86-64.so.2]
 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN]
 0x000000000000000c (INIT)               0x1000

Version symbols section '.gnu.version' contains 94 entries:
  000:   0 (*local*)       2 (GLIBC_2.99)    3 (GLIBC_2.17)

Version definition section '.gnu.version_d' contains 1 entry:
  000000: Rev: 1  Flags: BASE  Index: 1  Cnt: 1  Name: OWN_9.9

Version needs section '.gnu.version_r' contains 3 entries:
  000000: Version: 1  File: libc.so.6  Cnt: 3
  0x0010:   Name: GLIBC_2.34  Flags: none  Version: 5
  0x0020:   Name: GLIBC_2.4  Flags: none  Version: 4
  0x0030:   Name: GLIBC_PRIVATE  Flags: none  Version: 2
  0x0040: Version: 1  File: libstdc++.so.6  Cnt: 2
  0x0050:   Name: GLIBCXX_3.4.9  Flags: none  Version: 7
  0x0060:   Name: GLIBCXX_3.4.30  Flags: none  Version: 6
";

    fn needs(text: &str) -> Needs {
        let mut needs = Needs::default();
        needs.parse(text);
        needs
    }

    #[test]
    fn the_newest_needed_version_counts() {
        let needs = needs(READELF);
        assert_eq!(needs.versions["GLIBC"], [2, 34]);
        assert_eq!(needs.versions["GLIBCXX"], [3, 4, 30]);
        assert_eq!(needs.versions.len(), 2, "versions that the file defines do not count");
        assert_eq!(needs.libraries.len(), 4);
        assert_eq!(needs.run_paths.iter().collect::<Vec<_>>(), ["$ORIGIN"]);
    }

    #[test]
    fn the_manylinux_tag_covers_glibc_and_libstdcxx() {
        assert_eq!(needs(READELF).manylinux("x86_64").unwrap(), "manylinux_2_35_x86_64");
        let c_only = READELF.replace("GLIBCXX", "OTHER");
        assert_eq!(needs(&c_only).manylinux("x86_64").unwrap(), "manylinux_2_34_x86_64");
        assert_eq!(Needs::default().manylinux("aarch64").unwrap(), "manylinux_2_17_aarch64");
        let relr = c_only.replace("GLIBC_2.4", "GLIBC_ABI_DT_RELR");
        assert_eq!(needs(&relr).manylinux("x86_64").unwrap(), "manylinux_2_36_x86_64");
        let newer = READELF.replace("3.4.30", "3.4.99");
        assert!(needs(&newer).manylinux("x86_64").unwrap_err().contains("GLIBCXX_3.4.99"));
    }

    #[test]
    fn debian_depends_name_packages_and_versions() {
        let depends = needs(READELF).debian_depends().unwrap();
        assert_eq!(depends, "libc6 (>= 2.34), libgcc-s1 (>= 4.2), libstdc++6 (>= 12)");
        let strange = READELF.replace("libgcc_s.so.1", "libfoo.so.3");
        assert!(needs(&strange).debian_depends().unwrap_err().contains("libfoo.so.3"));
    }

    #[test]
    fn a_script_needs_nothing() {
        let mut needs = Needs::default();
        needs.add(Path::new("no-such-file"), b"#!/bin/sh\n").unwrap();
        assert_eq!(needs, Needs::default());
    }
}
