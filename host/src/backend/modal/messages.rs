//! The messages of Modal's interface that are sent and read here, with the numbers of their fields.
//!
//! Modal publishes no `.proto` file; what is here follows the descriptor in its Python package (1.6.4), service `modal.client.ModalClient`, with only the
//! fields that are needed. Where a field of the original is part of a `oneof`, it stands alone: that is the same on the wire. The tests let the
//! package's own classes read what is sent.

use std::collections::BTreeMap;

use prost::Message;

/// `object_creation_type`: make it if it is missing.
pub(super) const CREATE_IF_MISSING: i32 = 1;
/// `namespace`: of the workspace.
pub(super) const WORKSPACE: i32 = 1;
/// `namespace`: Modal's own images, that everybody uses.
pub(super) const GLOBAL: i32 = 3;
/// `GenericResult.status`.
pub(super) const SUCCESS: i32 = 1;
/// `NetworkAccess.network_access_type`.
pub(super) const OPEN: i32 = 1;

#[derive(Clone, PartialEq, Message)]
pub(super) struct AppGetOrCreateRequest {
    #[prost(string, tag = "1")]
    pub(super) app_name: String,
    #[prost(string, tag = "2")]
    pub(super) environment_name: String,
    #[prost(int32, tag = "3")]
    pub(super) object_creation_type: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct AppGetOrCreateResponse {
    #[prost(string, tag = "1")]
    pub(super) app_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EnvironmentGetOrCreateRequest {
    /// The environment's name; the workspace's own choice if empty.
    #[prost(string, tag = "1")]
    pub(super) deployment_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EnvironmentGetOrCreateResponse {
    #[prost(message, optional, tag = "2")]
    pub(super) metadata: Option<EnvironmentMetadata>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EnvironmentMetadata {
    #[prost(message, optional, tag = "2")]
    pub(super) settings: Option<EnvironmentSettings>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct EnvironmentSettings {
    #[prost(string, tag = "1")]
    pub(super) image_builder_version: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ImageGetOrCreateRequest {
    #[prost(message, optional, tag = "2")]
    pub(super) image: Option<Image>,
    #[prost(string, tag = "4")]
    pub(super) app_id: String,
    #[prost(int32, tag = "8")]
    pub(super) namespace: i32,
    #[prost(string, tag = "9")]
    pub(super) builder_version: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Image {
    #[prost(message, repeated, tag = "5")]
    pub(super) base_images: Vec<BaseImage>,
    #[prost(string, repeated, tag = "6")]
    pub(super) dockerfile_commands: Vec<String>,
    /// There, and empty: none.
    #[prost(message, optional, tag = "16")]
    pub(super) gpu_config: Option<Nothing>,
    /// There, and empty: no registry that wants credentials.
    #[prost(message, optional, tag = "17")]
    pub(super) image_registry_config: Option<Nothing>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct BaseImage {
    #[prost(string, tag = "1")]
    pub(super) image_id: String,
    #[prost(string, tag = "2")]
    pub(super) docker_tag: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ImageGetOrCreateResponse {
    #[prost(string, tag = "1")]
    pub(super) image_id: String,
    /// Set if the image is built already.
    #[prost(message, optional, tag = "2")]
    pub(super) result: Option<GenericResult>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct GenericResult {
    #[prost(int32, tag = "1")]
    pub(super) status: i32,
    #[prost(string, tag = "2")]
    pub(super) exception: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ImageJoinStreamingRequest {
    #[prost(string, tag = "1")]
    pub(super) image_id: String,
    #[prost(float, tag = "2")]
    pub(super) timeout: f32,
    #[prost(string, tag = "3")]
    pub(super) last_entry_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ImageJoinStreamingResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) result: Option<GenericResult>,
    #[prost(string, tag = "3")]
    pub(super) entry_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct AuthTokenGetRequest {}

#[derive(Clone, PartialEq, Message)]
pub(super) struct AuthTokenGetResponse {
    #[prost(string, tag = "1")]
    pub(super) token: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SandboxCreateV2Request {
    #[prost(string, tag = "1")]
    pub(super) app_id: String,
    #[prost(message, optional, tag = "2")]
    pub(super) definition: Option<Sandbox>,
    #[prost(message, repeated, tag = "6")]
    pub(super) secret_sources: Vec<SecretSource>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Sandbox {
    #[prost(string, repeated, tag = "1")]
    pub(super) entrypoint_args: Vec<String>,
    #[prost(string, tag = "3")]
    pub(super) image_id: String,
    #[prost(message, optional, tag = "5")]
    pub(super) resources: Option<Resources>,
    #[prost(uint32, tag = "7")]
    pub(super) timeout_secs: u32,
    #[prost(message, optional, tag = "20")]
    pub(super) open_ports: Option<PortSpecs>,
    #[prost(message, optional, tag = "22")]
    pub(super) network_access: Option<NetworkAccess>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Resources {
    #[prost(uint32, tag = "2")]
    pub(super) memory_mb: u32,
    #[prost(uint32, tag = "3")]
    pub(super) milli_cpu: u32,
    /// There, and empty: none.
    #[prost(message, optional, tag = "4")]
    pub(super) gpu_config: Option<Nothing>,
}

/// A message of which no field is set.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Nothing {}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PortSpecs {
    #[prost(message, repeated, tag = "1")]
    pub(super) ports: Vec<PortSpec>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct PortSpec {
    #[prost(uint32, tag = "1")]
    pub(super) port: u32,
    #[prost(bool, tag = "2")]
    pub(super) unencrypted: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct NetworkAccess {
    #[prost(int32, tag = "1")]
    pub(super) network_access_type: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SecretSource {
    #[prost(message, optional, tag = "2")]
    pub(super) env: Option<StringMap>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct StringMap {
    #[prost(btree_map = "string, string", tag = "1")]
    pub(super) contents: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SandboxCreateV2Response {
    #[prost(string, tag = "1")]
    pub(super) sandbox_id: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) tunnels: Vec<TunnelData>,
    #[prost(string, tag = "6")]
    pub(super) sandbox_token: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TunnelData {
    #[prost(string, tag = "1")]
    pub(super) host: String,
    #[prost(uint32, tag = "2")]
    pub(super) port: u32,
    #[prost(string, tag = "3")]
    pub(super) unencrypted_host: String,
    #[prost(uint32, tag = "4")]
    pub(super) unencrypted_port: u32,
    #[prost(uint32, tag = "5")]
    pub(super) container_port: u32,
}

/// Of `SandboxGetTunnelsV2`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SandboxGetTunnelsRequest {
    #[prost(string, tag = "1")]
    pub(super) sandbox_id: String,
    #[prost(float, tag = "2")]
    pub(super) timeout: f32,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SandboxGetTunnelsResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) result: Option<GenericResult>,
    #[prost(message, repeated, tag = "2")]
    pub(super) tunnels: Vec<TunnelData>,
}

/// Of `SandboxTerminateV2`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct SandboxTerminateRequest {
    #[prost(string, tag = "1")]
    pub(super) sandbox_id: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct SandboxTerminateResponse {}

/// What comes with an error, in `grpc-status-details-bin`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct RpcStatus {
    #[prost(message, repeated, tag = "3")]
    pub(super) details: Vec<Detail>,
}

/// `google.protobuf.Any`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Detail {
    #[prost(string, tag = "1")]
    pub(super) type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) value: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct RpcRetryPolicy {
    #[prost(float, tag = "1")]
    pub(super) retry_after_secs: f32,
}
