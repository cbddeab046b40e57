//! The plugin's own extension, by which a host reads how well an instance renders.

use crate::host::*;
use clack_host::extensions::prelude::*;
use clack_host::stream::OutputStream;
use myriad_plugin::clap::status::{ID, StatusExtension};
use std::ffi::CStr;
use std::io::Write;

#[derive(Clone, Copy)]
struct PluginStatus(RawExtension<PluginExtensionSide, StatusExtension>);

// SAFETY: the extension of this name has this type.
unsafe impl Extension for PluginStatus {
    const IDENTIFIERS: &[&CStr] = &[ID];
    type ExtensionSide = PluginExtensionSide;

    unsafe fn from_raw(raw: RawExtension<PluginExtensionSide>) -> Self {
        // SAFETY: the caller promises that the pointer is that of the name.
        Self(unsafe { raw.cast() })
    }
}

/// Whether the status was written to `writer`.
fn write(host: &mut Host, writer: &mut impl Write) -> bool {
    let extension: PluginStatus = host.extension();
    let mut stream = OutputStream::from_writer(writer);
    let plugin = host.instance.plugin_handle();
    let write = plugin.use_extension(&extension.0).write;
    // SAFETY: the instance and the stream live for the call, and this is the main thread.
    unsafe { write(plugin.as_raw_ptr(), stream.as_raw_mut()) }
}

fn status(host: &mut Host) -> serde_json::Value {
    let mut json = Vec::new();
    assert!(write(host, &mut json));
    serde_json::from_slice(&json).unwrap()
}

#[test]
fn an_instance_tells_what_renders_and_how_much() {
    let mut hosts = [Host::new(), Host::new()];
    assert_eq!(status(&mut hosts[0])["renderer"], "", "it is not activated");
    hosts[0].play(&blocks(512, 9_600), &[(0, on(60)), (0, on(64))]);
    hosts[1].play(&blocks(512, 9_600), &[(0, on(60))]);
    for (host, voices) in hosts.iter_mut().zip([2, 1]) {
        let status = status(host);
        assert_eq!(status["renderer"], "CPU");
        assert_eq!(status["stands_in"], false);
        assert_eq!(status["voices"], voices, "instances are told apart");
        assert!(status["render_thread"].is_null(), "the callback renders");
    }
}

#[test]
fn a_stream_may_take_little_or_nothing() {
    /// Takes so many bytes at a time.
    struct Narrow(usize, Vec<u8>);

    impl Write for Narrow {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.1.extend(&bytes[..taken]);
            Ok(taken)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let mut host = Host::new();
    let expected = status(&mut host);
    let mut narrow = Narrow(7, Vec::new());
    assert!(write(&mut host, &mut narrow));
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&narrow.1).unwrap(), expected);
    assert!(!write(&mut host, &mut Narrow(0, Vec::new())));
}
