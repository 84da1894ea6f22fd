//! How the functions are linked: the build script of each of them.

fn main() {
    println!("cargo::rerun-if-changed=../link.rs");
    // At a fixed address the loader has no addresses to write into 75 pages of the binary, which is
    // 0.2 ms of each cold start. Libraries, heap and stack stay where chance puts them.
    let variable = |name| std::env::var(name).unwrap_or_default();
    if variable("PROFILE") == "release" && variable("CARGO_CFG_TARGET_OS") == "linux" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
