//! Keeps the linker's relocations in the program, by which `finish.mjs` finds what may be cut off.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=--emit-relocs");
}
