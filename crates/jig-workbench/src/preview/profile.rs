//! The profile of a conversion: macros disabled, links not followed, nothing remembered.

use std::path::Path;

/// Settings in LibreOffice's own registry format.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Common/Security/Scripting", "DisableActiveContent", "true"),
    ("Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Common/Misc", "FirstRun", "false"),
    ("Common/Save/Document", "AutoSave", "false"),
    // 2 means "never".
    ("Writer/Content/Update", "Link", "2"),
    ("Calc/Content/Update", "Link", "2"),
];

pub(super) fn write(folder: &Path) -> std::io::Result<()> {
    let user = folder.join("user");
    std::fs::create_dir_all(&user)?;
    std::fs::write(user.join("registrymodifications.xcu"), text())
}

fn text() -> String {
    let items: String = SETTINGS
        .iter()
        .map(|(path, name, value)| {
            format!(
                "<item oor:path=\"/org.openoffice.Office.{path}\"><prop oor:name=\"{name}\" oor:op=\"fuse\">\
                 <value>{value}</value></prop></item>\n"
            )
        })
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<oor:items xmlns:oor=\"http://openoffice.org/2001/registry\" \
         xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n\
         {items}</oor:items>\n"
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn macros_and_links_are_off() {
        let text = super::text();
        for name in ["DisableMacrosExecution", "MacroSecurityLevel", "Calc/Content/Update", "Writer/Content/Update"] {
            assert!(text.contains(name), "{name}");
        }
    }
}
