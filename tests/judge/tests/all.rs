//! Every case of `tests/cases` and `tests/cases-own`, natively and in WebAssembly.

use include_dir::{Dir, include_dir};

static CASES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../cases");
static OWN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../cases-own");

fn all_pass(folder: &'static Dir<'static>, count: usize) {
    let file = |name: &str| Some(folder.get_file(name)?.contents().to_vec());
    let index = String::from_utf8(file("index.json").unwrap()).unwrap();
    let outcomes = skillglass_judge::run(&index, &file).unwrap();
    assert_eq!(outcomes.len(), count);
    let failed: Vec<_> = outcomes.iter().filter(|outcome| !outcome.passed).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn every_case_is_judged_as_expected() {
    all_pass(&CASES, 170);
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn every_case_of_our_own_is_judged_as_expected() {
    all_pass(&OWN, 780);
}
