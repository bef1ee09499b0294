//! Kills a server in the middle of writes, again and again, and checks that what it acknowledged is there.
//!
//! Totals accumulate in `totals.json`, so that many short runs add up. A home is used for some hundred kills, verified
//! completely, and replaced; a run that was stopped continues with the home it left.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Options;
use crate::client::Client;
use crate::server::{self, Server};

/// Kills on one home. Its history grows with each, and so does the time of a complete check.
const KILLS_PER_HOME: u64 = 250;
/// A server lives for at most this long before it is killed.
const LONGEST_LIFE: Duration = Duration::from_millis(400);
/// Entries that are written at the same time, each by a writer of its own.
const ENTRY_WRITERS: u64 = 3;

pub(crate) fn run(options: &Options) -> bool {
    let folder = options.folder.join("kills");
    fs::create_dir_all(&folder).expect("the folder");
    let mut totals = Totals::load(&folder);
    let mut run = Totals::default();
    let start = Instant::now();
    let is_over = |totals: &Totals| {
        start.elapsed() >= options.time || options.until.is_some_and(|kills| totals.kills >= kills) || totals.lost > 0
    };
    let mut home = Home::open(&options.program, &folder, &mut totals);
    while !is_over(&totals) {
        let round = home.round(random(totals.kills));
        totals.add(&round);
        run.add(&round);
        totals.save(&folder);
        if totals.kills.is_multiple_of(100) {
            println!("{}", totals.text("so far"));
        }
        if totals.kills.is_multiple_of(KILLS_PER_HOME) {
            home.verify_completely();
            home.remove();
            home = Home::open(&options.program, &folder, &mut totals);
            totals.save(&folder);
        }
    }
    home.verify_completely();
    println!("{}\n{}", run.text("this run"), totals.text("accumulated"));
    totals.lost == 0
}

/// What happened in some rounds.
#[derive(Default)]
struct Totals {
    kills: u64,
    /// Writes that the server said were done before it was killed.
    acknowledged: u64,
    /// Writes without an answer that turned out to be done. Both outcomes are right.
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
    /// The revision of each entry, then of the published file, as found after the last kill.
    found: Vec<u64>,
}

/// What one writer knows when its server is killed.
struct Written {
    acknowledged: u64,
    /// The number of the last write that was sent.
    sent: u64,
}

impl Home {
    /// The home that the last run left, or a new one.
    fn open(program: &Path, folder: &Path, totals: &mut Totals) -> Self {
        let folder = folder.join("home");
        let token_file = folder.with_file_name("token");
        let mut home = Self { program: program.to_owned(), folder, token: String::new(), found: Vec::new() };
        let known = fs::read_to_string(&token_file).ok().filter(|_| home.folder.exists());
        home.token = known.unwrap_or_else(|| {
            let _ = fs::remove_dir_all(&home.folder);
            totals.homes += 1;
            let token = server::owner_token(&home.program, &home.folder);
            fs::write(&token_file, &token).expect("the token");
            token
        });
        let server = home.start();
        home.fill(&mut server.client());
        home.found = home.read(&mut server.client());
        server.kill();
        home
    }

    fn start(&self) -> Server {
        Server::start(&self.program, &self.folder, &self.token)
    }

    /// Creates what the writers change, where it is missing.
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

    /// Writes until the kill, then looks at what is there.
    fn round(&mut self, random: u64) -> Totals {
        let server = self.start();
        let writers: Vec<_> = (0..=ENTRY_WRITERS)
            .map(|writer| {
                let (mut client, first) = (server.client(), self.found[index(writer)]);
                std::thread::spawn(move || write(&mut client, writer, first))
            })
            .collect();
        let longest = u64::try_from(LONGEST_LIFE.as_micros()).unwrap_or(u64::MAX);
        std::thread::sleep(Duration::from_micros(random % longest));
        server.kill();
        let written: Vec<Written> = writers.into_iter().map(|writer| writer.join().expect("a writer")).collect();
        let server = self.start();
        let found = self.read(&mut server.client());
        server.kill();
        self.compare(&written, found)
    }

    fn compare(&mut self, written: &[Written], found: Vec<u64>) -> Totals {
        let mut round = Totals { kills: 1, ..Totals::default() };
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

    /// The number that each writer's last write left.
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

    /// Every blob, every projection and the working folders.
    fn verify_completely(&self) {
        let output = server::jig(&self.program, &self.folder).args(["doctor", "--json"]).output().expect("the doctor");
        let text = String::from_utf8_lossy(&output.stdout);
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(value["ok"], true, "the doctor found: {text}");
    }

    fn remove(self) {
        fs::remove_dir_all(&self.folder).expect("the old home to be removed");
        let _ = fs::remove_file(self.folder.with_file_name("serve.log"));
    }
}

/// Counts up in an entry or in two published files until no answer comes.
fn write(client: &mut Client, writer: u64, first: u64) -> Written {
    let mut written = Written { acknowledged: 0, sent: first };
    loop {
        written.sent += 1;
        let answer = if writer == ENTRY_WRITERS {
            publish(client, written.sent)
        } else {
            client.call("EntryPut", &entry(writer, written.sent)).ok().map(|answer| answer.status)
        };
        match answer {
            Some(200) => written.acknowledged += 1,
            // A refusal changes nothing, so the same number is tried again.
            Some(409 | 429 | 503) => written.sent -= 1,
            Some(other) => panic!("writer {writer} was answered {other}"),
            None => return written,
        }
    }
}

/// Writes two files and publishes both in one step. The status of the first refusal, else of the publish.
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

/// A number that looks random and depends only on how many kills there were, so that a run can be repeated.
fn random(seed: u64) -> u64 {
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 11
}
