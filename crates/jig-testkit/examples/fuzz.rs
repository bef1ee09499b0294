//! Runs the fuzz targets on the stable toolchain for any number of rounds.
//!
//! `fuzz run [TARGET…] [--rounds N] [--seconds N] [--start N] [--seeds FOLDER] [--out FOLDER]` mutates seeds, including
//! those of the folder, and stores in `out` every input that makes a target fail; the exit status is 1 if there was
//! one. `fuzz seeds FOLDER` writes the seeds of each target as a corpus for `cargo fuzz`. `fuzz try TARGET FILE…` runs
//! files unchanged.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::expect_used,
    clippy::panic,
    reason = "a tool for developers"
)]

use std::collections::BTreeMap;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jig_testkit::fuzz::{self, Rng, Shape, TARGETS, Target};

/// The seconds after which a round counts as hanging and its input is stored.
const SLOW: u64 = 20;

struct Args {
    targets: Vec<&'static Target>,
    rounds: u64,
    /// Overrides the number of rounds.
    time: Option<Duration>,
    start: u64,
    seeds: Option<PathBuf>,
    out: PathBuf,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["seeds", folder] => write_seeds(Path::new(folder)),
        ["try", name, files @ ..] => files.iter().for_each(|file| try_one(name, file)),
        ["run", rest @ ..] => return if run(&parse(rest)) { ExitCode::SUCCESS } else { ExitCode::FAILURE },
        _ => eprintln!(
            "fuzz run [TARGET…] [--rounds N] [--seconds N] [--start N] [--seeds FOLDER] [--out FOLDER] \
             | seeds FOLDER | try TARGET FILE…"
        ),
    }
    ExitCode::SUCCESS
}

fn parse(args: &[&str]) -> Args {
    let mut parsed = Args {
        targets: Vec::new(),
        rounds: 1000,
        time: None,
        start: 0,
        seeds: None,
        out: std::env::temp_dir().join("jig-fuzz"),
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || *args.next().expect("a value behind the option");
        match *arg {
            "--rounds" => parsed.rounds = value().parse().expect("a number"),
            "--seconds" => parsed.time = Some(Duration::from_secs(value().parse().expect("a number"))),
            "--start" => parsed.start = value().parse().expect("a number"),
            "--seeds" => parsed.seeds = Some(value().into()),
            "--out" => parsed.out = value().into(),
            name => parsed.targets.push(fuzz::find(name).expect("the name of a target")),
        }
    }
    if parsed.targets.is_empty() {
        parsed.targets = TARGETS.iter().collect();
    }
    parsed
}

fn write_seeds(folder: &Path) {
    for target in TARGETS {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder).expect("a folder for the seeds");
        for (number, seed) in fuzz::seeds(target).iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:03}")), seed).expect("a seed can be written");
        }
    }
}

fn try_one(name: &str, file: &str) {
    println!("{file}");
    fuzz::run(name, &fs::read(file).expect("the file"));
}

/// Returns whether all targets passed.
fn run(args: &Args) -> bool {
    let mut is_clean = true;
    fs::create_dir_all(&args.out).expect("a folder for what fails");
    let watch = Watch::start(&args.out);
    let last = Arc::new(Mutex::new(String::new()));
    let told = last.clone();
    std::panic::set_hook(Box::new(move |info| {
        *told.lock().expect("one thread at a time") =
            format!("{}: {info}", info.location().map(ToString::to_string).unwrap_or_default());
    }));
    for target in &args.targets {
        let mut seeds = fuzz::seeds(target);
        seeds.extend(args.seeds.iter().flat_map(|folder| more(target, folder)));
        let mut faults: BTreeMap<String, u64> = BTreeMap::new();
        let (begin, mut round) = (Instant::now(), args.start);
        while args.time.map_or(round < args.start + args.rounds, |time| begin.elapsed() < time) {
            let input = make(target, &seeds, round);
            watch.begin(target.name, &input);
            if catch_unwind(|| (target.run)(&input)).is_err() {
                let why = last.lock().expect("one thread at a time").clone();
                let place: String = why.chars().take_while(|c| *c != ' ').collect();
                let seen = faults.entry(place).or_default();
                *seen += 1;
                if *seen <= 3 {
                    let path = args.out.join(format!("{}-{round}", target.name));
                    fs::write(&path, &input).expect("the input can be kept");
                    println!("{}: {}", path.display(), why.chars().take(600).collect::<String>());
                }
            }
            round += 1;
        }
        watch.end();
        is_clean &= faults.is_empty();
        println!("{}: {} rounds from {} seeds; faults {faults:?}", target.name, round - args.start, seeds.len());
    }
    is_clean
}

/// The input of a round: first every seed unchanged, then mutations.
fn make(target: &Target, seeds: &[Vec<u8>], round: u64) -> Vec<u8> {
    if let Some(seed) = usize::try_from(round).ok().and_then(|round| seeds.get(round)) {
        return seed.clone();
    }
    let mut rng = Rng::new(round);
    let empty = Vec::new();
    let seed = rng.pick(seeds).unwrap_or(&empty);
    let donor = rng.pick(seeds).unwrap_or(&empty);
    fuzz::mutate(target.shape, seed, donor, &mut rng)
}

/// Files of a folder that are seeds of a target.
fn more(target: &Target, folder: &Path) -> Vec<Vec<u8>> {
    let format = target.name.split('_').next().unwrap_or_default();
    let lines: Vec<Vec<u8>> =
        fuzz::seeds(target).iter().filter_map(|seed| Some(seed.split(|b| *b == b'\n').next()?.to_vec())).collect();
    let mut paths: Vec<PathBuf> =
        walk(folder).into_iter().filter(|path| path.to_string_lossy().contains(&format!(".{format}"))).collect();
    if target.name == "package" {
        paths = walk(folder);
    }
    paths.sort();
    let files = paths.iter().filter_map(|path| fs::read(path).ok()).filter(|bytes| bytes.len() < 100_000);
    match target.shape {
        Shape::Package => files.collect(),
        Shape::Call => {
            lines.iter().cycle().zip(files).map(|(line, bytes)| [line.as_slice(), &bytes].join(&b'\n')).collect()
        }
        _ => Vec::new(),
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// Stores the input of a round that takes too long or crashes the process.
struct Watch {
    file: PathBuf,
    round: Arc<AtomicU64>,
}

impl Watch {
    fn start(out: &Path) -> Self {
        let file = out.join(format!("running-{}", std::process::id()));
        let round = Arc::new(AtomicU64::new(0));
        let (seen, from) = (round.clone(), file.clone());
        std::thread::spawn(move || {
            let (mut last, mut seconds) = (0, 0);
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let now = seen.load(Ordering::Relaxed);
                seconds = if now == last { seconds + 1 } else { 0 };
                last = now;
                if seconds == SLOW && now != 0 {
                    let to = from.with_extension(format!("slow-{now}"));
                    println!("a round takes over {SLOW} s: {}", to.display());
                    let _ = fs::copy(&from, to);
                }
            }
        });
        Self { file, round }
    }

    fn begin(&self, target: &str, input: &[u8]) {
        let _ = fs::write(self.file.with_extension("target"), target);
        let _ = fs::write(&self.file, input);
        self.round.fetch_add(1, Ordering::Relaxed);
    }

    fn end(&self) {
        self.round.store(0, Ordering::Relaxed);
    }
}
