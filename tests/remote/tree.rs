//! What a build contains.

use std::process::Command;

fn tree(features: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "-p",
            "coldframe",
            "-e",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .args(["--features", features])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo tree runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines()
        .filter_map(|line| Some(line.split(' ').next()?.to_owned()))
        .collect()
}

const NETWORK: [&str; 10] = [
    "reqwest",
    "hyper",
    "h2",
    "http",
    "rustls",
    "ring",
    "tokio-tungstenite",
    "tungstenite",
    "tonic",
    "prost",
];

#[test]
fn a_build_without_remote_features_has_no_http_client() {
    let default = tree("");
    assert!(default.iter().any(|name| name == "wasmtime"));
    for name in NETWORK {
        assert!(
            !default.iter().any(|found| found == name),
            "{name} is in the tree"
        );
    }
}

#[test]
fn features_bring_what_they_need_and_no_more() {
    let has = |tree: &[String], name: &str| tree.iter().any(|found| found == name);
    let jupyter = tree("jupyter");
    assert!(has(&jupyter, "reqwest") && has(&jupyter, "tokio-tungstenite"));
    // Kernels in a container or at a service need nothing else.
    for feature in ["docker", "blaxel", "e2b"] {
        assert_eq!(tree(feature), jupyter);
    }
    let modal = tree("modal");
    for name in ["tonic", "prost", "h2"] {
        assert!(!has(&jupyter, name) && has(&modal, name), "{name}");
    }
    // Of tonic only what a client needs that has a connection already.
    for name in ["axum", "hyper-timeout"] {
        assert!(!has(&modal, name), "{name} is in the tree");
    }
    for tree in [&jupyter, &tree("remote")] {
        // One TLS, with one provider.
        assert!(has(tree, "ring") && !has(tree, "aws-lc-rs") && !has(tree, "native-tls"));
    }
}
