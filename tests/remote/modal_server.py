# A stand-in for Modal's server, for tests: its messages are the classes of Modal's own package, so that what is sent here is read by them. Prints what it does
# as lines of JSON: the port, each call with its metadata and its message, what it makes and what it removes. A sandbox is the entry point that it was asked
# for, run on this machine. Answers each byte of its standard input with a line, and ends with it. The argument is JSON: how it is to behave.
import asyncio
import base64
import json
import os
import socket
import ssl
import sys
import time

from google.protobuf import message_factory
from google.protobuf.json_format import MessageToDict
from grpclib.const import Cardinality, Handler, Status
from grpclib.encoding.base import StatusDetailsCodecBase
from grpclib.exceptions import GRPCError
from grpclib.server import Server
from modal_proto import api_pb2

SERVICE = api_pb2.DESCRIPTOR.services_by_name["ModalClient"]
behaviour = json.loads(sys.argv[1])
# For each method, how its next calls fail: the name of a status, a message, and how long to wait before the next attempt, if that is said.
failures = behaviour.get("failures", {})
sandboxes = {}
created = {}
# As long as this process lives.
ports = []


def say(**what):
    print(json.dumps(what), flush=True)


class DetailsCodec(StatusDetailsCodecBase):
    def encode(self, status, message, details):
        made = api_pb2.RPCStatus(code=status.value, message=message or "")
        for detail in details or ():
            made.details.add().Pack(detail, type_url_prefix="type.modal.com/")
        return made.SerializeToString()

    def decode(self, status, message, data):
        return None


def jwt():
    payload = json.dumps({"exp": time.time() + behaviour.get("auth_life", 1200)}).encode()
    return "x.%s.planted-jwt" % base64.urlsafe_b64encode(payload).decode().rstrip("=")


def reserved():
    """A socket that is bound to a port of its own and does not listen: nobody else gets that port, and who says SO_REUSEADDR, as servers do, can listen on it."""
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", 0))
    ports.append(bound)
    return bound


def check_auth(metadata, sandbox=False):
    if not metadata.get("x-modal-auth-token", "").endswith(".planted-jwt"):
        raise GRPCError(Status.UNAUTHENTICATED, "no session token")
    if sandbox and metadata.get("x-modal-sandbox-token") != "planted-sandbox-token":
        raise GRPCError(Status.UNAUTHENTICATED, "no sandbox token")


def tunnels_of(port):
    found = api_pb2.TunnelData(host=behaviour.get("host", "127.0.0.1"), port=behaviour.get("port", 443), container_port=8888)
    if port:
        found.unencrypted_host = "127.0.0.1"
        found.unencrypted_port = port
    return [] if behaviour.get("no_tunnel") else [found]


def tunnel_to(port):
    """What takes the bytes of each connection to that port and back."""

    async def pass_on(reader, writer):
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    async def take(reader, writer):
        try:
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            # The gateway is not there yet, or no more.
            writer.close()
            return
        await asyncio.gather(pass_on(reader, inner_writer), pass_on(inner_reader, writer))

    return take


async def AppGetOrCreate(request, metadata):
    return api_pb2.AppGetOrCreateResponse(app_id="ap-1")


async def EnvironmentGetOrCreate(request, metadata):
    answer = api_pb2.EnvironmentGetOrCreateResponse(environment_id="en-1")
    answer.metadata.settings.image_builder_version = behaviour.get("builder", "2025.06")
    return answer


async def ImageGetOrCreate(request, metadata):
    name = "im-%d" % (len(request.image.base_images) + 1)
    answer = api_pb2.ImageGetOrCreateResponse(image_id=name)
    # The first one is there already.
    if name == "im-1" or not behaviour.get("join"):
        answer.result.status = api_pb2.GenericResult.GENERIC_STATUS_SUCCESS
    return answer


async def AuthTokenGet(request, metadata):
    return api_pb2.AuthTokenGetResponse(token=jwt())


async def SandboxCreateV2(request, metadata):
    check_auth(metadata)
    # One key is one sandbox, however often it is asked for.
    key = metadata["x-idempotency-key"]
    if key not in created:
        created[key] = asyncio.create_task(create(request))
    return await created[key]


async def create(request):
    name = "sb-%d" % (len(sandboxes) + 1)
    say(made=name)
    spec = request.definition.open_ports.ports[0]
    environment = dict(os.environ)
    for source in request.secret_sources:
        environment.update(source.env.contents)
    port = 0
    sandboxes[name] = None
    if spec.unencrypted or "tls" in behaviour:
        port = reserved().getsockname()[1]
        where = {"0.0.0.0": "127.0.0.1", str(spec.port): str(port)}
        command = []
        for argument in request.definition.entrypoint_args:
            head, equals, tail = argument.partition("=")
            command.append(head + equals + where.get(tail, tail) if equals else argument)
        command[0] = os.path.join(os.path.dirname(sys.executable), command[0])
        quiet = asyncio.subprocess.DEVNULL
        sandboxes[name] = await asyncio.create_subprocess_exec(
            *command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet
        )
    if "tls" in behaviour:
        listening = await asyncio.start_server(tunnel_to(port), "127.0.0.1", 0, ssl=certificate)
        behaviour["port"] = listening.sockets[0].getsockname()[1]
    answer = api_pb2.SandboxCreateV2Response(sandbox_id=name, task_id="ta-1", sandbox_token="planted-sandbox-token")
    if behaviour.get("tunnels_at_once"):
        answer.tunnels.extend(tunnels_of(port))
    behaviour["gateway"] = port
    return answer


async def SandboxGetTunnelsV2(request, metadata):
    check_auth(metadata, sandbox=True)
    return api_pb2.SandboxGetTunnelsResponse(tunnels=tunnels_of(behaviour["gateway"]))


async def SandboxTerminateV2(request, metadata):
    check_auth(metadata, sandbox=True)
    if request.sandbox_id not in sandboxes:
        raise GRPCError(Status.NOT_FOUND, "no such sandbox")
    process = sandboxes[request.sandbox_id]
    if process is not None and process.returncode is None:
        process.terminate()
        await process.wait()
    say(removed=request.sandbox_id)
    return api_pb2.SandboxTerminateResponse()


async def ImageJoinStreaming(stream, request):
    join = behaviour.get("join") or [{"status": 1}]
    for step in join.pop(0) if isinstance(join[0], list) else join:
        answer = api_pb2.ImageJoinStreamingResponse(entry_id=step.get("entry", ""))
        if "status" in step:
            answer.result.status = step["status"]
            answer.result.exception = step.get("exception", "")
        else:
            answer.task_logs.add().data = "a line of the build's"
        await stream.send_message(answer)
        await asyncio.sleep(step.get("sleep", 0))


HANDLED = {
    function.__name__: function
    for function in (
        AppGetOrCreate,
        EnvironmentGetOrCreate,
        ImageGetOrCreate,
        AuthTokenGet,
        SandboxCreateV2,
        SandboxGetTunnelsV2,
        SandboxTerminateV2,
    )
}


def handler_of(method):
    async def handle(stream):
        request = await stream.recv_message()
        metadata = {key: value for key, value in stream.metadata.items() if isinstance(value, str)}
        metadata["user-agent"] = stream.user_agent
        say(call=method.name, metadata=metadata, message=MessageToDict(request, preserving_proto_field_name=True))
        waiting = failures.get(method.name)
        if waiting:
            failure = waiting.pop(0)
            if failure == "silence":
                await asyncio.sleep(3600)
            status, message, *after = failure
            if message == "lost":
                # It is done, and nobody is told.
                await HANDLED[method.name](request, metadata)
            details = [api_pb2.RPCRetryPolicy(retry_after_secs=seconds) for seconds in after]
            raise GRPCError(Status[status], message, details or None)
        if metadata.get("x-modal-token-secret") != behaviour["secret"]:
            raise GRPCError(Status.UNAUTHENTICATED, "the secret %s is none" % metadata.get("x-modal-token-secret"))
        if method.name == "ImageJoinStreaming":
            await ImageJoinStreaming(stream, request)
        else:
            await stream.send_message(await HANDLED[method.name](request, metadata))

    return handle


class Service:
    def __mapping__(self):
        mapping = {}
        for method in SERVICE.methods:
            if method.name not in HANDLED and method.name != "ImageJoinStreaming":
                continue
            is_stream = method.name == "ImageJoinStreaming"
            mapping["/modal.client.ModalClient/" + method.name] = Handler(
                handler_of(method),
                Cardinality.UNARY_STREAM if is_stream else Cardinality.UNARY_UNARY,
                message_factory.GetMessageClass(method.input_type),
                message_factory.GetMessageClass(method.output_type),
            )
        return mapping


def made_certificate():
    """That of the tunnels; the authority behind it is written where it is asked for."""
    import trustme

    authority = trustme.CA()
    authority.cert_pem.write_to_path(behaviour["tls"])
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


certificate = made_certificate() if "tls" in behaviour else None


async def main():
    from grpclib.encoding.proto import ProtoCodec

    server = Server([Service()], codec=ProtoCodec(), status_details_codec=DetailsCodec())
    listening = reserved()
    listening.listen()
    await server.start(sock=listening)
    say(port=listening.getsockname()[1])
    ended = asyncio.Event()

    def hear():
        if os.read(0, 1):
            say(heard=True)
        else:
            ended.set()

    asyncio.get_running_loop().add_reader(0, hear)
    await ended.wait()
    for process in sandboxes.values():
        if process is not None and process.returncode is None:
            process.kill()


asyncio.run(main())
