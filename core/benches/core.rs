//! What the core costs: hashing, manifests, frontmatter, replies.
//!
//! Run with `cargo bench -p skillglass`. Nothing here is asserted; `cargo xtask bench` puts the
//! same work beside other readers.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use skillglass::contents;
use skillglass::digest::Digest;
use skillglass::entry::{self, SkillEntry};
use skillglass::frontmatter::{Frontmatter, compare};
use skillglass::json;
use skillglass::value::json_string;
use skillglass::verify::verify_file;

const SKILL_MD: &str = include_str!("../../tests/skills/good/atelier/billing/refunds/SKILL.md");

/// A skill of `count` files of `size` bytes each, and the bytes.
fn skill(count: usize, size: usize) -> (String, Vec<u8>) {
    let bytes = vec![b'x'; size];
    let digest = Digest::of(&bytes);
    let mut lines = vec![line("SKILL.md", Digest::of(SKILL_MD.as_bytes()), SKILL_MD.len())];
    lines.extend((1..count).map(|index| line(&format!("f/{index}.txt"), digest, size)));
    let frontmatter = Frontmatter::read(SKILL_MD.as_bytes()).expect("a sound skill").root.to_json();
    let entry = format!(
        r#"{{"uri":"skill://atelier/billing/refunds/SKILL.md","frontmatter":{frontmatter},"resources":[{}]}}"#,
        lines.join(",")
    );
    (entry, bytes)
}

fn line(path: &str, digest: Digest, size: usize) -> String {
    format!(
        r#"{{"uri":"skill://atelier/billing/refunds/{path}","digest":"{digest}","size":{size}}}"#
    )
}

fn held(entry: &str) -> SkillEntry {
    entry::read(entry).entry.expect("a sound entry")
}

fn hashing(criterion: &mut Criterion) {
    let bytes = vec![7; 16 * 1024 * 1024];
    let mut group = criterion.benchmark_group("hash");
    group.throughput(Throughput::Bytes(bytes.len() as u64)).sample_size(10);
    group.bench_function("16 MiB", |bencher| bencher.iter(|| Digest::of(&bytes)));
    group.finish();
}

fn manifests(criterion: &mut Criterion) {
    let (entry, bytes) = skill(512, 32 * 1024);
    criterion.bench_function("read an entry of 512 files", |bencher| {
        bencher.iter(|| entry::read(&entry));
    });
    let held = held(&entry);
    let mut group = criterion.benchmark_group("verify");
    group.throughput(Throughput::Bytes(511 * bytes.len() as u64)).sample_size(10);
    group.bench_function("512 files, 16 MiB", |bencher| {
        bencher.iter(|| {
            let files = &held.manifest().expect("a manifest").files;
            files
                .iter()
                .skip(1)
                .filter(|file| verify_file(&held, &file.uri, &bytes).is_usable())
                .count()
        });
    });
    group.finish();
}

fn frontmatter(criterion: &mut Criterion) {
    let (entry, _) = skill(1, 0);
    let held = held(&entry);
    criterion.bench_function("frontmatter: every field with both places", |bencher| {
        bencher.iter(|| {
            let frontmatter = Frontmatter::read(SKILL_MD.as_bytes()).expect("a sound skill");
            compare(&frontmatter, SKILL_MD, &held.frontmatter, &held.source).is_equal()
        });
    });
}

fn replies(criterion: &mut Criterion) {
    let text = SKILL_MD.repeat(500);
    let reply =
        format!(r#"{{"contents":[{{"uri":"skill://a/f","text":{}}}]}}"#, json_string(&text));
    let blob = contents::encode_base64(text.as_bytes());
    let blob = format!(r#"{{"contents":[{{"uri":"skill://a/f","blob":"{blob}"}}]}}"#);
    let mut group = criterion.benchmark_group("contents");
    for (name, reply) in [("text", &reply), ("blob", &blob)] {
        group.throughput(Throughput::Bytes(reply.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let document = json::read(reply).expect("JSON");
                contents::read(&document, &document.root, "skill://a/f").expect("bytes").bytes.len()
            });
        });
        group.bench_function(format!("{name}, serde_json alone"), |bencher| {
            bencher.iter_batched(
                || (),
                |()| serde_json::from_str::<serde_json::Value>(reply).expect("JSON"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, hashing, manifests, frontmatter, replies);
criterion_main!(benches);
