//! Stages, templates and derived counts.

use serde_json::json;

use super::super::*;
use super::fixtures::*;

#[test]
fn five_stages_come_with_templates_of_our_own() {
    let names: Vec<&str> = shipped_stages().iter().map(|stage| stage.stage.as_str()).collect();
    assert_eq!(names, ["discovery", "design", "environment", "workflow", "implementation"]);
    let counts = |stage: &str| -> Vec<(String, usize)> {
        let templates = &shipped_stage(stage).unwrap().artifacts;
        templates.iter().map(|one| (one.slug.clone(), outline(&one.content).sections.len())).collect()
    };
    let expected = [("concept", 6), ("research", 4), ("validation", 3), ("scope", 4)];
    assert_eq!(counts("discovery"), expected.map(|(name, count)| (name.to_owned(), count)));
    for stage in shipped_stages() {
        for one in &stage.artifacts {
            let artifact = made(&one.content);
            assert!(artifact.counts().1 >= 2, "{}", one.slug);
            let shown = info(&artifact, &[], Wish::Outline).unwrap();
            assert!(
                shown.sections.iter().all(|section| section.preview.is_none()),
                "{}: guidance is not content",
                one.slug
            );
            assert_eq!(artifact.markdown(), one.content);
        }
    }
}

#[test]
fn progress_is_counted_as_in_the_seed() {
    let done = |text: &str, count: usize| {
        let mut artifact = made(text);
        for slug in slugs(&made(text)).into_iter().take(count) {
            artifact = applied(
                &artifact,
                json!([{ "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": slug }]),
            );
        }
        artifact
    };
    let texts: Vec<&str> =
        shipped_stage("discovery").unwrap().artifacts.iter().map(|one| one.content.as_str()).collect();
    let mut artifacts = vec![done(texts[0], 6), done(texts[1], 3), done(texts[2], 0), done(texts[3], 0)];
    artifacts[0] = finalize(&artifacts[0], None, &person(), None).unwrap();
    artifacts[2] = finalize(&artifacts[2], None, &person(), None).unwrap();
    let counted = json!(progress(&artifacts));
    assert_eq!(
        counted,
        json!({ "artifacts_total": 4, "artifacts_finalized": 2, "sections_complete": 9, "sections_total": 17, "progress_pct": 52.9 })
    );
    assert_eq!(progress([]).progress_pct, 0.0);
    assert_eq!((share(1, 3), share(2, 3), share(3, 3)), (33.3, 66.7, 100.0));
}

#[test]
fn own_stages_are_read_and_everything_wrong_is_told_at_once() {
    let given = json!(
        "stage: Launch\ntitle: Launch\norder: 2\nartifacts:\n  - slug: press\n    title: Press\n    content: |\n      # Press\n\n      ## Quotes\n"
    );
    let stage = read_stage(&given).unwrap();
    assert_eq!((stage.stage.as_str(), stage.order, stage.artifacts[0].slug.as_str()), ("launch", Some(2), "press"));
    let all = all_stages(vec![stage]);
    assert_eq!(
        all.iter().map(|stage| stage.stage.as_str()).collect::<Vec<_>>()[..3],
        ["discovery", "design", "launch"]
    );
    assert_eq!(template(&all, "press", "discovery").unwrap().0.stage, "launch");
    assert_eq!(find_stage(&all, "Design").unwrap().stage, "design");
    assert_eq!(find_stage(&all, "desing").unwrap_err().info.suggestions, ["design"]);
    let wrong = json!({ "stage": "a b", "order": -1, "artifacts": [{ "slug": "x", "titel": "X" }, { "slug": "x", "title": "Y" }, 3] });
    let places: Vec<String> = read_stage(&wrong).unwrap_err().into_iter().map(|problem| problem.place).collect();
    for place in ["stage", "title", "order", "artifacts[0].title", "artifacts[0].titel", "artifacts[2]"] {
        assert!(places.iter().any(|found| found == place), "{place}: {places:?}");
    }
}
