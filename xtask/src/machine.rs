//! The machine in words, so that measured numbers can be judged later.

use std::fs;
use std::thread;

use crate::shell;

const UNKNOWN: &str = "unknown";

/// A Markdown list: processor, cores, memory, kernel, compilers.
pub(crate) fn describe(engine: &str) -> String {
    let cpu = field(&read("/proc/cpuinfo"), "model name");
    let memory = mebibytes(&field(&read("/proc/meminfo"), "MemTotal"));
    let cores = thread::available_parallelism().map_or(UNKNOWN.to_owned(), |n| n.to_string());
    let kernel = or_unknown(read("/proc/sys/kernel/osrelease").trim());
    let rustc = rustc();
    format!(
        "- CPU: {cpu}\n- Cores: {cores}\n- Memory: {memory}\n- Kernel: {kernel}\n- Compiler: {rustc}\n- Of DuckDB: {engine}\n"
    )
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The value of the first `name : value` line.
fn field(text: &str, name: &str) -> String {
    let value = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == name)
        .map_or("", |(_, value)| value.trim());
    or_unknown(value)
}

fn mebibytes(kibibytes: &str) -> String {
    let number = kibibytes.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    number.map_or(UNKNOWN.to_owned(), |number| format!("{} MiB", number / 1024))
}

fn rustc() -> String {
    let mut command = shell::command("rustc");
    command.arg("--version");
    shell::output(command).unwrap_or(UNKNOWN.to_owned())
}

fn or_unknown(value: &str) -> String {
    if value.is_empty() { UNKNOWN.to_owned() } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let cpuinfo = "model\t\t: 85\nmodel name\t: Abacus 3000: fast\nmodel name\t: other\n";
        assert_eq!(field(cpuinfo, "model name"), "Abacus 3000: fast");
        assert_eq!(field(cpuinfo, "flags"), UNKNOWN);
    }

    #[test]
    fn memory_is_shown_in_mebibytes() {
        assert_eq!(mebibytes("8131072 kB"), "7940 MiB");
        assert_eq!(mebibytes(UNKNOWN), UNKNOWN);
    }
}
