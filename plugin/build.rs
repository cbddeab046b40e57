//! Keeps the plugin in memory once it is loaded: threads of a driver or of a stream that ends may
//! outlive the last instance, and a host that unloads the library would pull their code away.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
