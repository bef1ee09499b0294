//! Repeatedly kills a server during writes and checks that acknowledged writes are present.
//!
//! The server that shows the result of the last kill is the one that is killed next, so a kill costs one start. Several
//! homes are used in parallel. Totals accumulate in `totals.json`, so that many short runs add up. A home is used for
//! some hundred kills, verified completely, and replaced; an interrupted run continues with its homes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Options;
use crate::client::Client;
use crate::server::{self, Server};

/// The number of homes used in parallel.
const LANES: u64 = 2;
/// The number of kills per home. Its history grows with each kill, and so does the time of a complete check.
const KILLS_PER_HOME: u64 = 250;
/// A server is killed after at most this many acknowledged writes …
const MOST_ACKNOWLEDGED: u64 = 24;
/// … and at most this long after the last of them, to hit any moment of those in progress.
const LONGEST_WAIT: Duration = Duration::from_millis(4);
/// One in this many servers is killed before it listens, within this time.
const KILLED_AT_START: u64 = 8;
const LONGEST_START: Duration = Duration::from_millis(40);
/// A write that takes longer is an error.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of entries written concurrently, each by its own writer.
const ENTRY_WRITERS: u64 = 5;

pub(crate) fn run(options: &Options) -> bool {
    let folder = options.folder.join("kills");
    fs::create_dir_all(&folder).expect("the folder");
    let count = Count { folder: &folder, totals: Mutex::new((Totals::load(&folder), Totals::default())) };
    let start = Instant::now();
    let is_over = |totals: &Totals| {
        start.elapsed() >= options.time || options.until.is_some_and(|kills| totals.kills >= kills) || totals.lost > 0
    };
    std::thread::scope(|scope| {
        for lane in 0..LANES {
            let (count, is_over) = (&count, &is_over);
            scope.spawn(move || drive(&options.program, lane, count, is_over));
        }
    });
    let (totals, run) = count.totals.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("{}\n{}", run.text("this run"), totals.text("accumulated"));
    totals.lost == 0
}

/// Kills the servers of one home after another.
fn drive(program: &Path, lane: u64, count: &Count<'_>, is_over: &impl Fn(&Totals) -> bool) {
    let mut home = Home::open(program, count.folder, lane);
    let mut kills = 0;
    while !count.look(is_over) {
        let round = home.round(random(count.look(|totals| totals.kills) * LANES + lane));
        count.add(&round);
        kills += 1;
        if kills % KILLS_PER_HOME == 0 {
            home.verify_completely();
            home.remove();
            home = Home::open(program, count.folder, lane);
            count.add(&Totals { homes: 1, ..Totals::default() });
        }
    }
    home.verify_completely();
}

/// The totals of all runs and of this one.
struct Count<'a> {
    folder: &'a Path,
    totals: Mutex<(Totals, Totals)>,
}

impl Count<'_> {
    fn look<T>(&self, at: impl FnOnce(&Totals) -> T) -> T {
        at(&self.totals.lock().unwrap_or_else(PoisonError::into_inner).0)
    }

    fn add(&self, round: &Totals) {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.0.add(round);
        totals.1.add(round);
        totals.0.save(self.folder);
        if round.kills > 0 && totals.0.kills.is_multiple_of(250) {
            println!("{}", totals.0.text("so far"));
        }
    }
}

/// The results of some rounds.
#[derive(Default)]
struct Totals {
    kills: u64,
    /// Writes that the server acknowledged before it was killed.
    acknowledged: u64,
    /// Unacknowledged writes that turned out to be stored. Both outcomes are correct.
    unanswered_but_done: u64,
    lost: u64,
    homes: u64,
}

impl Totals {
    fn load(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join("totals.json")).unwrap_or_default();
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let count = |name: &str| value[name].as_u64().unwrap_or(0);
        Self {
            kills: count("kills"),
            acknowledged: count("acknowledged"),
            unanswered_but_done: count("unanswered_but_done"),
            lost: count("lost"),
            homes: count("homes"),
        }
    }

    fn save(&self, folder: &Path) {
        let value = json!({
            "kills": self.kills, "acknowledged": self.acknowledged,
            "unanswered_but_done": self.unanswered_but_done, "lost": self.lost, "homes": self.homes,
        });
        let new = folder.join("totals.json.new");
        fs::write(&new, value.to_string()).expect("the totals");
        fs::rename(new, folder.join("totals.json")).expect("the totals");
    }

    fn add(&mut self, other: &Self) {
        self.kills += other.kills;
        self.acknowledged += other.acknowledged;
        self.unanswered_but_done += other.unanswered_but_done;
        self.lost += other.lost;
        self.homes += other.homes;
    }

    fn text(&self, of: &str) -> String {
        format!(
            "{of}: {} kills, {} acknowledged writes, {} lost ({} writes were done but not yet answered)",
            self.kills, self.acknowledged, self.lost, self.unanswered_but_done
        )
    }
}

/// A store that is written to and killed.
struct Home {
    program: PathBuf,
    folder: PathBuf,
    token: String,
    /// The number in each entry, then in the published files, as found after the last kill.
    found: Vec<u64>,
    /// The server that showed them, which is killed next.
    server: Option<Server>,
}

/// What a writer knows when its server is killed.
struct Written {
    acknowledged: u64,
    /// The number of the last write sent.
    sent: u64,
}

impl Home {
    /// The home that the last run left, or a new one.
    fn open(program: &Path, folder: &Path, lane: u64) -> Self {
        let lane = folder.join(format!("lane-{lane}"));
        fs::create_dir_all(&lane).expect("the folder");
        let folder = lane.join("home");
        let token_file = folder.with_file_name("token");
        let mut home =
            Self { program: program.to_owned(), folder, token: String::new(), found: Vec::new(), server: None };
        let known = fs::read_to_string(&token_file).ok().filter(|_| home.folder.exists());
        home.token = known.unwrap_or_else(|| {
            let _ = fs::remove_dir_all(&home.folder);
            let token = server::owner_token(&home.program, &home.folder);
            fs::write(&token_file, &token).expect("the token");
            token
        });
        let server = home.start();
        home.fill(&mut server.client());
        home.found = home.read(&mut server.client());
        home.server = Some(server);
        home
    }

    fn start(&self) -> Server {
        Server::start(&self.program, &self.folder, &self.token)
    }

    /// Creates what the writers change, if missing.
    fn fill(&self, client: &mut Client) {
        let exists =
            client.call("WorkbenchGet", &json!({ "workbench_id": "soak" })).is_ok_and(|answer| answer.status == 200);
        if exists {
            return;
        }
        done(client, "WorkbenchCreate", &json!({ "name": "Soak", "id": "soak" }));
        let fields = json!([{ "key": "name", "type": "text", "label": "Name" }]);
        let definition = json!({
            "anchor_role": "counter", "display_name": "Counter", "category": "market", "is_singleton": false,
            "field_schema": { "fields": fields },
        });
        done(client, "KindPut", &json!({ "workbench_id": "soak", "definition": definition }));
        for writer in 0..ENTRY_WRITERS {
            done(client, "EntryPut", &entry(writer, 0));
        }
        publish(client, 0).expect("the files");
    }

    /// Writes until the kill, then checks the result.
    fn round(&mut self, random: u64) -> Totals {
        let server = self.server.take().unwrap_or_else(|| self.start());
        let (acknowledges, acknowledged) = mpsc::channel();
        let writers: Vec<_> = (0..=ENTRY_WRITERS)
            .map(|writer| {
                let (mut client, first) = (server.client(), self.found[index(writer)]);
                let acknowledges = acknowledges.clone();
                std::thread::spawn(move || write(&mut client, writer, first, &acknowledges))
            })
            .collect();
        await_moment(&acknowledged, random);
        server.kill();
        let written: Vec<Written> = writers.into_iter().map(|writer| writer.join().expect("a writer")).collect();
        let mut kills = 1;
        if random.is_multiple_of(KILLED_AT_START) {
            Server::kill_at_start(&self.program, &self.folder, part_of(LONGEST_START, random / KILLED_AT_START));
            kills += 1;
        }
        let server = self.start();
        let found = self.read(&mut server.client());
        self.server = Some(server);
        Totals { kills, ..self.compare(&written, found) }
    }

    fn compare(&mut self, written: &[Written], found: Vec<u64>) -> Totals {
        let mut round = Totals::default();
        for (writer, ((written, before), now)) in written.iter().zip(&self.found).zip(&found).enumerate() {
            let acknowledged = before + written.acknowledged;
            round.acknowledged += written.acknowledged;
            if *now < acknowledged || *now > written.sent {
                round.lost += acknowledged.saturating_sub(*now).max(1);
                println!(
                    "LOST: writer {writer} had {acknowledged} acknowledged and {} sent, found {now}",
                    written.sent
                );
            } else {
                round.unanswered_but_done += now - acknowledged;
            }
        }
        self.found = found;
        round
    }

    /// The number stored by each writer's last write.
    fn read(&self, client: &mut Client) -> Vec<u64> {
        let mut found = Vec::new();
        for writer in 0..ENTRY_WRITERS {
            let entry = json!({ "workbench_id": "soak", "role": "counter", "entry_key": format!("w{writer}") });
            let answer = done(client, "EntryGet", &entry);
            let name = answer["data"]["name"].as_str().or_else(|| answer["entry"]["data"]["name"].as_str());
            found.push(number(name.unwrap_or_else(|| panic!("no name in {answer}"))));
        }
        let text = |client: &mut Client, path: &str| {
            let file = json!({ "workbench_id": "soak", "path": path, "root": "published" });
            let answer = done(client, "FileRead", &file);
            let text = answer["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"));
            number(text.lines().last().unwrap_or_default())
        };
        let (left, right) = (text(client, "left.txt"), text(client, "folder/right.txt"));
        assert_eq!(left, right, "half of a publish was found");
        found.push(left);
        found
    }

    /// Verifies every blob, every projection and the folders.
    fn verify_completely(&mut self) {
        if let Some(server) = self.server.take() {
            server.kill();
        }
        let output = server::jig(&self.program, &self.folder).args(["doctor", "--json"]).output().expect("the doctor");
        let text = String::from_utf8_lossy(&output.stdout);
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(value["ok"], true, "the doctor found: {text}");
    }

    fn remove(self) {
        fs::remove_dir_all(&self.folder).expect("the old home to be removed");
        for name in ["serve.log", "token"] {
            let _ = fs::remove_file(self.folder.with_file_name(name));
        }
    }
}

/// Waits for some acknowledged writes, and then for a moment during the next.
fn await_moment(acknowledged: &Receiver<()>, random: u64) {
    for _ in 0..random % MOST_ACKNOWLEDGED {
        acknowledged.recv_timeout(PATIENCE).expect("a write that is acknowledged in time");
    }
    std::thread::sleep(part_of(LONGEST_WAIT, random / MOST_ACKNOWLEDGED));
}

fn part_of(longest: Duration, random: u64) -> Duration {
    Duration::from_micros(random % u64::try_from(longest.as_micros()).unwrap_or(u64::MAX))
}

/// Increments a number in an entry or in two published files until there is no response.
fn write(client: &mut Client, writer: u64, first: u64, acknowledges: &Sender<()>) -> Written {
    let mut written = Written { acknowledged: 0, sent: first };
    loop {
        written.sent += 1;
        let answer = if writer == ENTRY_WRITERS {
            publish(client, written.sent)
        } else {
            client.call("EntryPut", &entry(writer, written.sent)).ok().map(|answer| answer.status)
        };
        match answer {
            Some(200) => {
                written.acknowledged += 1;
                // The receiver is gone once the kill has started.
                let _ = acknowledges.send(());
            }
            // A refusal changes nothing, so the same number is tried again.
            Some(409 | 429 | 503) => written.sent -= 1,
            Some(other) => panic!("writer {writer} was answered {other}"),
            None => return written,
        }
    }
}

/// Writes two files and publishes both in one step. Returns the status of the first refusal, else of the publish.
fn publish(client: &mut Client, number: u64) -> Option<u16> {
    for path in ["left.txt", "folder/right.txt"] {
        let file = json!({ "workbench_id": "soak", "path": path, "text": format!("{number}\n") });
        let status = client.call("DraftWriteText", &file).ok()?.status;
        if status != 200 {
            return Some(status);
        }
    }
    Some(client.call("DraftPublish", &json!({ "workbench_id": "soak" })).ok()?.status)
}

fn entry(writer: u64, number: u64) -> Value {
    let data = json!({ "name": number.to_string() });
    json!({ "workbench_id": "soak", "role": "counter", "entry_key": format!("w{writer}"), "data": data })
}

fn done(client: &mut Client, operation: &str, params: &Value) -> Value {
    let answer = client.call(operation, params).unwrap_or_else(|error| panic!("{operation}: {error}"));
    assert_eq!(answer.status, 200, "{operation}: {}", answer.json());
    answer.json()
}

fn number(text: &str) -> u64 {
    text.trim()
        .rsplit([' ', '|', '\t'])
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or_else(|| panic!("no number in `{text}`"))
}

fn index(writer: u64) -> usize {
    usize::try_from(writer).unwrap_or(usize::MAX)
}

/// A pseudorandom number that only depends on the number of kills, so that a run can be repeated.
fn random(seed: u64) -> u64 {
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 11
}
