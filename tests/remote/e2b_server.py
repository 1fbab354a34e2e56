# The server in a sandbox of E2B's, as far as its stream goes: runs code in a real kernel and answers with JSON lines. For tests; says on its first line which
# port it took, and ends with its standard input.
import asyncio
import json
import os
import queue
import subprocess
import sys
import tempfile
import traceback

import tornado.httpserver
import tornado.iostream
import tornado.netutil
import tornado.web
from jupyter_client.manager import AsyncKernelManager

KEEPALIVE = 0.2
# How long a kernel may take to start: machines are busy.
PATIENCE = 120
MEDIA = {
    "text/plain": "text",
    "text/html": "html",
    "text/markdown": "markdown",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpeg",
    "application/pdf": "pdf",
    "text/latex": "latex",
    "application/json": "json",
    "application/javascript": "javascript",
    "e2b/data": "data",
    "e2b/chart": "chart",
}


def result_of(bundle, is_main):
    item = {"type": "result"}
    extra = {}
    for media, data in bundle.items():
        if media in MEDIA:
            item[MEDIA[media]] = data
        else:
            extra[media] = data
    text = item.get("text")
    if text and text.startswith("'") and text.endswith("'"):
        item["text"] = text[1:-1]
    item["extra"] = extra
    item["is_main_result"] = is_main
    return item


def error_of(name, value, lines):
    return {"type": "error", "name": name, "value": value, "traceback": "".join(lines)}


def doomed(coroutine):
    """A task without which nothing here works: the server ends with it, loudly, so that nobody waits for what will not come."""

    def look(task):
        if not task.cancelled() and task.exception() is not None:
            traceback.print_exception(task.exception())
            sys.stderr.flush()
            os._exit(70)

    task = asyncio.create_task(coroutine)
    task.add_done_callback(look)
    return task


class Kernel:
    """One process of a kernel: it is never started anew, another one takes its place."""

    def __init__(self):
        self.waiting = {}
        self.accepted = set()
        # Sockets in a folder of its own: ports could be taken by somebody else between their choice and their use.
        self.folder = tempfile.TemporaryDirectory(prefix="kernel", dir="/tmp")
        connection = os.path.join(self.folder.name, "c.json")
        self.manager = AsyncKernelManager(kernel_name="python3", transport="ipc", connection_file=connection)

    async def start(self):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        await self.manager.start_kernel(**quiet)
        self.client = self.manager.client()
        self.client.start_channels()
        await self.client.wait_for_ready(timeout=PATIENCE)
        await asyncio.wait_for(self.subscribe(), PATIENCE)
        self.listening = doomed(self.listen())

    async def subscribe(self):
        """Waits until what the kernel publishes comes here: a subscription takes its time, and what was said before is lost."""
        while True:
            request = self.client.execute("", store_history=False, allow_stdin=False)
            accepted = False
            try:
                while True:
                    message = await self.client.get_iopub_msg(timeout=1)
                    if message["parent_header"].get("msg_id") != request:
                        continue
                    accepted = accepted or message["msg_type"] == "execute_input"
                    if accepted and message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                        return
            except queue.Empty:
                assert await self.manager.is_alive(), "the kernel ended while it started"

    async def is_alive(self):
        return await self.manager.is_alive()

    async def stop(self):
        if hasattr(self, "listening"):
            self.listening.cancel()
        for items in self.waiting.values():
            items.put_nowait(error_of("ContextRestarting", "Context was restarted", []))
            items.put_nowait(None)
        self.waiting.clear()
        if hasattr(self, "client"):
            self.client.stop_channels()
        if self.manager.has_kernel:
            await self.manager.shutdown_kernel(now=True)
        self.folder.cleanup()

    def execute(self, code):
        items = asyncio.Queue()
        request = self.client.execute(code, store_history=True, allow_stdin=False, stop_on_error=True)
        self.waiting[request] = items
        return items

    async def interrupt(self, items):
        """Stops the execution with that queue, if it is still there."""
        if items in self.waiting.values() and await self.is_alive():
            await self.manager.interrupt_kernel()

    async def listen(self):
        while True:
            message = await self.client.get_iopub_msg()
            parent = message["parent_header"].get("msg_id")
            items = self.waiting.get(parent)
            if items is None:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "execute_input":
                self.accepted.add(parent)
                items.put_nowait({"type": "number_of_executions", "execution_count": content["execution_count"]})
            elif kind == "stream":
                moment = message["header"]["date"].isoformat()
                items.put_nowait({"type": content["name"], "text": content["text"], "timestamp": moment})
            elif kind in ("display_data", "execute_result"):
                items.put_nowait(result_of(content["data"], kind == "execute_result"))
            elif kind == "error":
                items.put_nowait(error_of(content["ename"], content["evalue"], content["traceback"]))
            elif kind == "status" and content["execution_state"] == "idle" and parent in self.accepted:
                del self.waiting[parent]
                items.put_nowait(None)


class Context:
    """A kernel, and another one when it ends."""

    id = "0f0e-context"

    async def start(self):
        self.lock = asyncio.Lock()
        self.kernel = await self.another()
        self.watching = doomed(self.watch())

    async def stop(self):
        async with self.lock:
            self.watching.cancel()
            await self.kernel.stop()

    async def another(self):
        for attempt in range(3):
            kernel = Kernel()
            try:
                await kernel.start()
                return kernel
            except Exception:
                traceback.print_exc()
                await kernel.stop()
        raise RuntimeError("no kernel starts")

    async def restart(self):
        async with self.lock:
            await self.replace()

    async def replace(self):
        await self.kernel.stop()
        self.kernel = await self.another()

    async def watch(self):
        while True:
            await asyncio.sleep(0.1)
            async with self.lock:
                if not await self.kernel.is_alive():
                    await self.replace()

    async def execute(self, code):
        """The kernel that runs it, and what it says."""
        async with self.lock:
            return self.kernel, self.kernel.execute(code)


context = Context()


class Execute(tornado.web.RequestHandler):
    running = None

    async def post(self):
        body = json.loads(self.request.body)
        if set(body) != {"code", "context_id", "language", "env_vars"}:
            raise tornado.web.HTTPError(422)
        started = asyncio.create_task(context.execute(body["code"]))
        try:
            while not started.done():
                await self.say({"type": "keepalive"})
                await asyncio.wait([started], timeout=KEEPALIVE)
            self.running = kernel, items = await started
            while True:
                try:
                    item = await asyncio.wait_for(items.get(), KEEPALIVE)
                except asyncio.TimeoutError:
                    item = {"type": "keepalive"}
                if item is None:
                    break
                await self.say(item)
            await self.say({"type": "end_of_execution"})
        except tornado.iostream.StreamClosedError:
            if self.running is None:
                # It went away before there was anything to interrupt.
                kernel, items = await started
                await kernel.interrupt(items)

    async def say(self, item):
        self.write(json.dumps(item) + "\n")
        await self.flush()

    def on_connection_close(self):
        if self.running is not None:
            kernel, items = self.running
            doomed(kernel.interrupt(items))


class Health(tornado.web.RequestHandler):
    def get(self):
        self.write('"OK"')


class Contexts(tornado.web.RequestHandler):
    def get(self):
        self.write(json.dumps([{"id": context.id, "language": "python", "cwd": "/home/user"}]))


class Restart(tornado.web.RequestHandler):
    async def post(self, name):
        if name != context.id:
            raise tornado.web.HTTPError(404)
        await context.restart()


async def main():
    await context.start()
    routes = [
        ("/execute", Execute),
        ("/health", Health),
        ("/contexts", Contexts),
        ("/contexts/([^/]+)/restart", Restart),
    ]
    server = tornado.httpserver.HTTPServer(tornado.web.Application(routes), max_body_size=1 << 27)
    sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")
    server.add_sockets(sockets)
    print(sockets[0].getsockname()[1], flush=True)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, ended.set)
    await ended.wait()
    await context.stop()


asyncio.run(main())
