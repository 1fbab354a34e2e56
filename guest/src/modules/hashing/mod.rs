//! Digests: one type for all algorithms of `hashlib`. The arithmetic is in crates; what Python sees of it is in [`objects`], [`blake2`] and [`keyed`].

pub mod blake2;
pub mod keyed;
pub mod objects;

use sha2::Digest;
use shake::{ExtendableOutput, Update, XofReader};

macro_rules! algorithms {
    ($($variant:ident $name:literal $class:literal $type:ty, $size:literal, $block:literal;)*) => {
        /// The state of a digest.
        #[derive(Clone)]
        pub enum Hasher {
            $(
                #[doc = $name]
                $variant($type),
            )*
            /// SHAKE128
            Shake128(shake::Shake128),
            /// SHAKE256
            Shake256(shake::Shake256),
            /// BLAKE2b
            Blake2b(blake2b_simd::State, usize),
            /// BLAKE2s
            Blake2s(blake2s_simd::State, usize),
        }

        /// The algorithms with one digest size and no parameters: name, and name of the class in the module of the algorithm.
        pub const PLAIN: &[(&str, &str)] = &[$(($name, $class)),*];

        impl Hasher {
            /// The start of an algorithm.
            pub fn new(name: &str) -> Option<Hasher> {
                Some(match name {
                    $($name => Hasher::$variant(<$type>::new()),)*
                    "shake_128" => Hasher::Shake128(shake::Shake128::default()),
                    "shake_256" => Hasher::Shake256(shake::Shake256::default()),
                    "blake2b" => Hasher::Blake2b(blake2b_simd::State::new(), 64),
                    "blake2s" => Hasher::Blake2s(blake2s_simd::State::new(), 32),
                    _ => return None,
                })
            }

            /// The name of the algorithm.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Hasher::$variant(_) => $name,)*
                    Hasher::Shake128(_) => "shake_128",
                    Hasher::Shake256(_) => "shake_256",
                    Hasher::Blake2b(..) => "blake2b",
                    Hasher::Blake2s(..) => "blake2s",
                }
            }

            /// Bytes of the digest; 0 when the caller chooses.
            pub fn digest_size(&self) -> usize {
                match self {
                    $(Hasher::$variant(_) => $size,)*
                    Hasher::Shake128(_) | Hasher::Shake256(_) => 0,
                    Hasher::Blake2b(_, size) | Hasher::Blake2s(_, size) => *size,
                }
            }

            /// Bytes that are worked on at once.
            pub fn block_size(&self) -> usize {
                match self {
                    $(Hasher::$variant(_) => $block,)*
                    Hasher::Shake128(_) => 168,
                    Hasher::Shake256(_) => 136,
                    Hasher::Blake2b(..) => 128,
                    Hasher::Blake2s(..) => 64,
                }
            }

            /// Takes more data.
            pub fn update(&mut self, data: &[u8]) {
                crate::heap::charge(data.len() >> 6);
                match self {
                    $(Hasher::$variant(h) => Digest::update(h, data),)*
                    Hasher::Shake128(h) => Update::update(h, data),
                    Hasher::Shake256(h) => Update::update(h, data),
                    Hasher::Blake2b(h, _) => { h.update(data); }
                    Hasher::Blake2s(h, _) => { h.update(data); }
                }
            }

            /// The digest of what has been taken so far; nothing for those with a length to choose.
            pub fn digest(&self) -> Vec<u8> {
                match self {
                    $(Hasher::$variant(h) => h.clone().finalize().to_vec(),)*
                    Hasher::Shake128(_) | Hasher::Shake256(_) => Vec::new(),
                    Hasher::Blake2b(h, _) => h.finalize().as_bytes().to_vec(),
                    Hasher::Blake2s(h, _) => h.finalize().as_bytes().to_vec(),
                }
            }
        }
    };
}

algorithms! {
    Md5 "md5" "md5" md5::Md5, 16, 64;
    Sha1 "sha1" "sha1" sha1::Sha1, 20, 64;
    Sha224 "sha224" "SHA224Type" sha2::Sha224, 28, 64;
    Sha256 "sha256" "SHA256Type" sha2::Sha256, 32, 64;
    Sha384 "sha384" "SHA384Type" sha2::Sha384, 48, 128;
    Sha512 "sha512" "SHA512Type" sha2::Sha512, 64, 128;
    Sha512T224 "sha512_224" "" sha2::Sha512_224, 28, 128;
    Sha512T256 "sha512_256" "" sha2::Sha512_256, 32, 128;
    Sha3T224 "sha3_224" "sha3_224" sha3::Sha3_224, 28, 144;
    Sha3T256 "sha3_256" "sha3_256" sha3::Sha3_256, 32, 136;
    Sha3T384 "sha3_384" "sha3_384" sha3::Sha3_384, 48, 104;
    Sha3T512 "sha3_512" "sha3_512" sha3::Sha3_512, 64, 72;
}

impl Hasher {
    /// Whether the caller chooses the length of the digest.
    pub fn is_extendable(&self) -> bool {
        matches!(self, Hasher::Shake128(_) | Hasher::Shake256(_))
    }

    /// A digest of the length of `out`.
    pub fn extend(&self, out: &mut [u8]) {
        match self {
            Hasher::Shake128(h) => h.clone().finalize_xof().read(out),
            Hasher::Shake256(h) => h.clone().finalize_xof().read(out),
            _ => {}
        }
    }
}

/// The start of an algorithm by any of the names that programs use for it.
pub fn by_name(name: &str) -> Option<Hasher> {
    let mut plain = name.to_ascii_lowercase().replace('-', "_");
    for (other, usual) in [
        ("sha_1", "sha1"),
        ("sha_2", "sha2"),
        ("sha_3", "sha3"),
        ("sha_5", "sha5"),
        ("sha2_", "sha"),
        ("sha512/", "sha512_"),
        ("blake2b512", "blake2b"),
        ("blake2s256", "blake2s"),
        ("shake128", "shake_128"),
        ("shake256", "shake_256"),
    ] {
        if plain.starts_with(other) {
            plain = plain.replacen(other, usual, 1);
        }
    }
    Hasher::new(&plain)
}

/// All names.
pub fn all_names() -> impl Iterator<Item = &'static str> {
    PLAIN
        .iter()
        .map(|(name, _)| *name)
        .chain(["shake_128", "shake_256", "blake2b", "blake2s"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_of_nothing() {
        let hex = |name: &str| {
            let digest = Hasher::new(name).map(|h| h.digest()).unwrap_or_default();
            digest
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect::<String>()
        };
        assert_eq!(hex("md5"), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex("sha1"), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        for name in all_names() {
            let h = Hasher::new(name).expect(name);
            assert_eq!(h.name(), name);
            assert_eq!(h.digest().len(), h.digest_size());
        }
        assert!(by_name("SHA-256").is_some_and(|h| h.name() == "sha256"));
    }
}
