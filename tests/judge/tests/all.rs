//! Every case of `tests/cases`, natively and in WebAssembly.

use include_dir::{Dir, include_dir};

static CASES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../cases");

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
fn every_case_is_judged_as_expected() {
    let file = |name: &str| Some(CASES.get_file(name)?.contents().to_vec());
    let index = String::from_utf8(file("index.json").unwrap()).unwrap();
    let outcomes = skillglass_judge::run(&index, &file).unwrap();
    assert_eq!(outcomes.len(), 170);
    let failed: Vec<_> = outcomes.iter().filter(|outcome| !outcome.passed).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
