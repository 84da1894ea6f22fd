//! The build script of every function. It sets linker options.

fn main() {
    println!("cargo::rerun-if-changed=../link.rs");
    // A binary that is linked at a fixed address needs no relocations. They would change 75 of its pages when
    // it is loaded, which takes 0.2 ms of each cold start. Libraries, heap and stack keep random addresses.
    let variable = |name| std::env::var(name).unwrap_or_default();
    if variable("PROFILE") == "release" && variable("CARGO_CFG_TARGET_OS") == "linux" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
