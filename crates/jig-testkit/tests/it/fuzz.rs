//! Runs every fuzz target on its seeds and a fixed number of deterministic mutations.

use jig_testkit::fuzz::{self, Archive, Entry, Rng, Shape, TARGETS, Target, kept, mutate, seeds};

/// The mutation rounds of a target: some take a thousand times as long as others.
fn rounds(target: &Target) -> u64 {
    match target.shape {
        Shape::Text | Shape::Bytes => 400,
        Shape::Xml => 20,
        Shape::Package | Shape::Call => 20,
        Shape::Lines => 20,
    }
}

/// Runs every target of a shape. A failure names the round to reproduce it.
fn run(shape: Shape) {
    for target in TARGETS.iter().filter(|target| target.shape == shape) {
        let seeds = seeds(target);
        assert!(seeds.len() >= if shape == Shape::Lines { 1 } else { 2 }, "{}: {} seeds", target.name, seeds.len());
        for input in kept(target) {
            (target.run)(&input);
        }
        for round in 0..rounds(target) {
            let mut rng = Rng::new(round);
            let (seed, donor) = (rng.pick(&seeds).unwrap(), rng.pick(&seeds).unwrap());
            let input = mutate(target.shape, seed, donor, &mut rng);
            let outcome = std::panic::catch_unwind(|| (target.run)(&input));
            assert!(outcome.is_ok(), "{} fails in round {round}", target.name);
        }
    }
}

#[test]
fn texts() {
    run(Shape::Text);
}

#[test]
fn bytes() {
    run(Shape::Bytes);
}

#[test]
fn markup() {
    run(Shape::Xml);
}

#[test]
fn packages() {
    run(Shape::Package);
}

#[test]
fn calls() {
    run(Shape::Call);
}

#[test]
fn lines() {
    run(Shape::Lines);
}

/// A target of a disabled feature is not in the list; its shim names the feature.
#[test]
fn every_target_has_its_shim_and_none_is_left_over() {
    let folder = jig_testkit::repository::root().join("fuzz");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    let is_on = |binary: &str| {
        let needs = |feature: &str| binary.contains(&format!("required-features = [\"{feature}\"]"));
        (!needs("workbench") || cfg!(feature = "workbench"))
            && (!needs("surfaces") || cfg!(feature = "surfaces"))
            && (!needs("tables") || cfg!(feature = "tables"))
    };
    let mut binaries: Vec<&str> = Vec::new();
    for binary in manifest.split("[[bin]]").skip(1) {
        let name = binary.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).unwrap();
        assert!(binary.contains(&format!("path = \"targets/{name}.rs\"")), "{binary}");
        let shim = std::fs::read_to_string(folder.join(format!("targets/{name}.rs"))).unwrap();
        assert!(shim.contains(&format!("target!(\"{name}\")")), "{name}: {shim}");
        if is_on(binary) {
            binaries.push(name);
        }
    }
    let mut names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let (_, table) = readme.split_once("\n## Targets\n").unwrap();
    let listed = table.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let listed: Vec<&str> = listed.flat_map(|names| names.split(", ")).map(|name| name.trim_matches('`')).collect();
    let missing: Vec<&&str> = names.iter().filter(|name| !listed.contains(name)).collect();
    assert_eq!(missing, Vec::<&&str>::new(), "not described in fuzz/README.md");
    binaries.sort_unstable();
    names.sort_unstable();
    assert_eq!(binaries, names);
}

#[test]
fn mutation_gives_the_same_again_and_mostly_something_new() {
    for target in TARGETS {
        let seeds = seeds(target);
        let (seed, donor) = (seeds.first().unwrap(), seeds.last().unwrap());
        let make = |round| mutate(target.shape, seed, donor, &mut Rng::new(round));
        let changed = (0..20).filter(|round| make(*round) != *seed).count();
        assert!(changed > 10, "{}: {changed} of 20", target.name);
        assert_eq!(make(7), make(7), "{}", target.name);
    }
}

#[test]
fn a_mutated_package_stays_one_that_can_be_read() {
    let target = fuzz::find("xlsx_read").unwrap();
    let seeds = seeds(target);
    let inputs = (0..200).map(|round| {
        let mut rng = Rng::new(round);
        mutate(Shape::Package, rng.pick(&seeds).unwrap(), &[], &mut rng)
    });
    let whole = inputs.filter(|input| Archive::read(input).is_some_and(|all| all.0.len() > 3)).count();
    assert!(whole > 120, "{whole} of 200 get past the zip");
}

#[test]
fn the_judge_of_archives_reads_what_it_writes() {
    let archive = Archive(vec![Entry::new(b"a.xml", b"<a/>"), Entry::new(b"b/c", &[7; 5000])]);
    assert_eq!(Archive::read(&archive.write()), Some(archive.clone()));
    assert_eq!(archive.get("b/c").unwrap().content(), [7; 5000]);
    assert_eq!(Archive::read(b"PK\x05\x06"), None);
}
