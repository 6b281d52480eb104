//! Puts a built page into the program: the folder that the environment names as SKILLGLASS_PAGE.
//!
//! The page takes wasm tools to build, and the program takes Rust alone; so without that name it is
//! built without the page, and says so where the page is asked for.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SKILLGLASS_PAGE");
    let mut files = Vec::new();
    if let Some(folder) = env::var_os("SKILLGLASS_PAGE") {
        let folder = Path::new(&folder);
        if !folder.join("index.html").is_file() {
            let folder = folder.display();
            return Err(format!("SKILLGLASS_PAGE: {folder} holds no index.html").into());
        }
        println!("cargo::rerun-if-changed={}", folder.display());
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_file() {
                files.push(path.canonicalize()?);
            }
        }
    }
    files.sort();
    let mut table = String::from("&[\n");
    for path in files {
        let name =
            path.file_name().and_then(|name| name.to_str()).ok_or("a name that is no text")?;
        table.push_str(&format!("    ({name:?}, include_bytes!({path:?})),\n"));
    }
    table.push_str("]\n");
    let output = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo names OUT_DIR")?);
    fs::write(output.join("page.rs"), table)?;
    Ok(())
}
