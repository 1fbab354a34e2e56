# The server in a sandbox of E2B's, as far as its stream goes: runs code in a real kernel and answers with JSON lines. For tests; says on its first line which
# port it took, and ends with its standard input.
import asyncio
import json
import sys

import tornado.httpserver
import tornado.iostream
import tornado.netutil
import tornado.web
from jupyter_client.manager import AsyncKernelManager

KEEPALIVE = 0.2
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


def error_of(name, value, traceback):
    return {"type": "error", "name": name, "value": value, "traceback": "".join(traceback)}


class Context:
    id = "0f0e-context"

    async def start(self):
        self.waiting = {}
        self.ready = asyncio.Event()
        self.accepted = set()
        self.manager = AsyncKernelManager(kernel_name="python3")
        await self.manager.start_kernel()
        await self.connect()
        self.watching = asyncio.create_task(self.watch())

    async def stop(self):
        self.watching.cancel()
        await self.manager.shutdown_kernel(now=True)

    async def connect(self):
        self.client = self.manager.client()
        self.client.start_channels()
        await self.client.wait_for_ready(timeout=60)
        self.listening = asyncio.create_task(self.listen())
        self.ready.set()

    async def restart(self):
        self.ready.clear()
        self.listening.cancel()
        self.client.stop_channels()
        for queue in self.waiting.values():
            queue.put_nowait(error_of("ContextRestarting", "Context was restarted", []))
            queue.put_nowait(None)
        self.waiting.clear()
        await self.manager.restart_kernel(now=True)
        await self.connect()

    async def watch(self):
        while True:
            await asyncio.sleep(0.1)
            if self.ready.is_set() and not await self.manager.is_alive():
                await self.restart()

    async def execute(self, code):
        await self.ready.wait()
        queue = asyncio.Queue()
        request = self.client.execute(code, store_history=True, allow_stdin=False, stop_on_error=True)
        self.waiting[request] = queue
        return queue

    async def listen(self):
        while True:
            message = await self.client.get_iopub_msg()
            parent = message["parent_header"].get("msg_id")
            queue = self.waiting.get(parent)
            if queue is None:
                continue
            kind, content = message["msg_type"], message["content"]
            if kind == "execute_input":
                self.accepted.add(parent)
                queue.put_nowait({"type": "number_of_executions", "execution_count": content["execution_count"]})
            elif kind == "stream":
                moment = message["header"]["date"].isoformat()
                queue.put_nowait({"type": content["name"], "text": content["text"], "timestamp": moment})
            elif kind in ("display_data", "execute_result"):
                queue.put_nowait(result_of(content["data"], kind == "execute_result"))
            elif kind == "error":
                queue.put_nowait(error_of(content["ename"], content["evalue"], content["traceback"]))
            elif kind == "status" and content["execution_state"] == "idle" and parent in self.accepted:
                del self.waiting[parent]
                queue.put_nowait(None)


context = Context()


class Execute(tornado.web.RequestHandler):
    is_over = False

    async def post(self):
        body = json.loads(self.request.body)
        if set(body) != {"code", "context_id", "language", "env_vars"}:
            raise tornado.web.HTTPError(422)
        queue = await context.execute(body["code"])
        item = {"type": "keepalive"}
        try:
            while item is not None:
                self.write(json.dumps(item) + "\n")
                await self.flush()
                try:
                    item = await asyncio.wait_for(queue.get(), KEEPALIVE)
                except asyncio.TimeoutError:
                    item = {"type": "keepalive"}
            self.write('{"type": "end_of_execution"}\n')
            self.is_over = True
        except tornado.iostream.StreamClosedError:
            pass

    def on_connection_close(self):
        if not self.is_over:
            asyncio.create_task(context.manager.interrupt_kernel())


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
