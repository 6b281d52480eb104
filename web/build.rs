//! Keeps the linker's relocations in the program, by which `finish.mjs` finds what may be cut off.

#[expect(clippy::disallowed_methods, reason = "how cargo is talked to")]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The tests of the crate are linked for the machine they run on.
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|target| target == "wasm32") {
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
