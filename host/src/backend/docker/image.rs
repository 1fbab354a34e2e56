//! The image that containers are made of, when no other one is given: its Dockerfile, and what the engine takes to build it.

use serde_json::Value as Json;

use super::owner::hash;

/// The packages that a kernel needs.
const KERNEL: [&str; 3] = ["jupyter_kernel_gateway", "jupyter_client", "ipykernel"];

/// The Dockerfile of an image with these packages besides. The user that runs programs may install more of them, and write nowhere else.
pub(super) fn dockerfile(packages: &[String]) -> String {
    let mut install = vec!["python", "-m", "pip", "install", "--no-cache-dir", "--"];
    install.extend(KERNEL);
    install.extend(packages.iter().map(String::as_str));
    let install = Json::from(install);
    format!(
        r#"FROM python:3.14-slim
RUN useradd --uid 10001 --create-home coldframe
USER coldframe
WORKDIR /home/coldframe
ENV PATH=/home/coldframe/python/bin:$PATH
RUN ["python", "-m", "venv", "python"]
RUN {install}
EXPOSE 8888
CMD ["jupyter", "kernelgateway", "--KernelGatewayApp.ip=0.0.0.0", "--KernelGatewayApp.port=8888"]
"#
    )
}

/// The name of the image: another Dockerfile makes another image.
pub(super) fn name(dockerfile: &str) -> String {
    format!("coldframe-kernel:{}", hash(dockerfile))
}

/// An archive in the format of POSIX.1-1988 (ustar) with one file in it.
pub(super) fn archive(name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = [0u8; 512];
    let mut put =
        |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{:011o}\0", content.len()));
    put(136, "00000000000\0");
    // The checksum is that of a header with blanks in its place.
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\0");
    put(263, "00");
    let sum: u32 = header.iter().copied().map(u32::from).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());

    let mut out = header.to_vec();
    out.extend_from_slice(content);
    // A file is filled up to whole blocks, the end is two empty ones, and all is a multiple of twenty.
    out.resize(out.len().next_multiple_of(512) + 1024, 0);
    out.resize(out.len().next_multiple_of(10_240), 0);
    out
}

/// How a build ended, from the lines of JSON that the engine sent: an error is one of them.
pub(super) fn built(lines: &[u8]) -> Result<(), String> {
    let mut last = String::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Json>(line) else {
            continue;
        };
        let error = line["errorDetail"]["message"].as_str();
        if let Some(error) = error.or(line["error"].as_str()) {
            return Err(format!("{error}\n{}", last.trim()).trim().to_owned());
        }
        if let Some(text) = line["stream"]
            .as_str()
            .filter(|text| !text.trim().is_empty())
        {
            text.clone_into(&mut last);
        }
    }
    Ok(())
}

/// Whether a user of an image has no more rights than any other.
pub(super) fn is_unprivileged(user: &str) -> bool {
    let name = user.split(':').next().unwrap_or_default();
    !name.is_empty() && name != "root" && name.parse::<u64>() != Ok(0)
}

/// The text in what a container wrote: frames of a kind, three zeros and a length of four bytes, as the engine sends them for containers without a terminal.
pub(super) fn logged(mut bytes: &[u8]) -> String {
    let mut text = Vec::new();
    while let [0..=2, 0, 0, 0, a, b, c, d, rest @ ..] = bytes {
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let (piece, next) = rest.split_at(length.min(rest.len()));
        text.extend_from_slice(piece);
        bytes = next;
    }
    String::from_utf8_lossy(&text).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_its_checksum() {
        let archive = archive("Dockerfile", b"FROM x\n");
        assert_eq!(archive.len(), 10_240);
        assert_eq!(&archive[..11], b"Dockerfile\0");
        assert_eq!(&archive[512..520], b"FROM x\n\0");
        // As `tar` computes it, with blanks for itself.
        let sum: u32 = archive[..512]
            .iter()
            .enumerate()
            .map(|(at, byte)| match at {
                148..156 => 32,
                _ => u32::from(*byte),
            })
            .sum();
        assert_eq!(archive[148..156], *format!("{sum:06o}\0 ").as_bytes());
    }

    #[test]
    fn a_dockerfile_quotes_its_packages() {
        let text = dockerfile(&["numpy>=2".to_owned()]);
        assert!(text.contains(r#""ipykernel","numpy>=2"]"#), "{text}");
        assert_ne!(name(&text), name(&dockerfile(&[])));
    }

    #[test]
    fn builds_end_as_they_say() {
        let good = b"{\"stream\":\"Step 1\"}\n{\"stream\":\"Successfully built 1\\n\"}\n";
        assert_eq!(built(good), Ok(()));
        let bad = b"{\"stream\":\"no such package\\n\"}\nrubbish\n{\"errorDetail\":{\"message\":\"code: 1\"},\"error\":\"code: 1\"}";
        assert_eq!(built(bad), Err("code: 1\nno such package".to_owned()));
    }

    #[test]
    fn users_with_rights_are_known() {
        for user in ["", "0", "root", "0:0", "root:users", "00", ":1"] {
            assert!(!is_unprivileged(user), "{user}");
        }
        for user in ["nobody", "1000", "65534:65534", "jovyan:users"] {
            assert!(is_unprivileged(user), "{user}");
        }
    }

    #[test]
    fn logs_are_read_from_their_frames() {
        assert_eq!(
            logged(b"\x01\0\0\0\0\0\0\x02hi\x02\0\0\0\0\0\0\x01!"),
            "hi!"
        );
        assert_eq!(logged(b"\x01\0\0\0\xff\xff\xff\xffcut"), "cut");
        assert_eq!(logged(b""), "");
    }
}
