//! Tells the kit which compiler builds it, for the record of a run.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string());
    println!("cargo:rustc-env=KIT_RUSTC={}", version.unwrap_or_else(|_| "unknown".into()));
    println!("cargo:rerun-if-changed=build.rs");
}
