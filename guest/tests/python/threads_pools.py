# Worker pools, bounded queues and the other queues of the library.
import queue
import threading

results = queue.Queue()
jobs = queue.Queue()


def worker():
    while True:
        n = jobs.get()
        if n is None:
            jobs.task_done()
            return
        try:
            results.put((n, n * n))
        finally:
            jobs.task_done()


threads = [threading.Thread(target=worker, daemon=i % 2 == 0) for i in range(4)]
for t in threads:
    t.start()
for n in range(50):
    jobs.put(n)
jobs.join()
for _ in threads:
    jobs.put(None)
for t in threads:
    t.join()
found = sorted(results.get() for _ in range(results.qsize()))
print(len(found), found[:3], found[-1], sum(s for _, s in found))
print(threading.active_count(), [t.is_alive() for t in threads])

# A bounded queue.
bounded = queue.Queue(maxsize=3)
seen = []
largest = 0


def produce():
    for i in range(20):
        bounded.put(i)
    bounded.put(None)


def consume():
    global largest
    while True:
        largest = max(largest, bounded.qsize())
        item = bounded.get()
        if item is None:
            return
        seen.append(item)


for first, second in ((produce, consume), (consume, produce)):
    seen.clear()
    pair = [threading.Thread(target=first), threading.Thread(target=second)]
    for t in pair:
        t.start()
    for t in pair:
        t.join()
    print(seen == list(range(20)), largest <= 3)

# Many producers, many consumers, one sentinel that is handed on.
channel = queue.Queue(2)
sums = []


def send(start):
    for i in range(start, start + 25):
        channel.put(i)


def receive():
    total = 0
    for item in iter(channel.get, None):
        total += item
    channel.put(None)
    sums.append(total)


def receive_plainly():
    total = 0
    while (item := channel.get()) is not None:
        total += item
    channel.put(None)
    sums.append(total)


receivers = [threading.Thread(target=receive_plainly) for _ in range(3)]
senders = [threading.Thread(target=send, args=(k * 100,)) for k in range(4)]
for t in receivers + senders:
    t.start()
for t in senders:
    t.join()
channel.put(None)
for t in receivers:
    t.join()
print(sum(sums), len(sums), channel.get())

# The same with `iter(get, sentinel)`.
sums.clear()
receivers = [threading.Thread(target=receive) for _ in range(3)]
senders = [threading.Thread(target=send, args=(k * 100,)) for k in range(4)]
for t in receivers + senders:
    t.start()
for t in senders:
    t.join()
channel.put(None)
for t in receivers:
    t.join()
print(sum(sums), len(sums), channel.get())

# The other queues.
for kind in (queue.LifoQueue, queue.PriorityQueue, queue.SimpleQueue, queue.Queue):
    q = kind()
    got = []

    def take_five():
        for _ in range(5):
            got.append(q.get(timeout=5))

    t = threading.Thread(target=take_five)
    t.start()
    for i in (3, 1, 4, 1, 5):
        q.put(i)
    t.join()
    print(kind.__name__.removeprefix('_Py'), sorted(got), q.empty())

q = queue.Queue(1)
for blocked in (lambda: q.get(timeout=0.01), lambda: (q.put(1), q.put(2, timeout=0.01)), lambda: q.put_nowait(3), lambda: (q.get(), q.get_nowait())):
    try:
        blocked()
    except (queue.Empty, queue.Full) as e:
        print(type(e).__name__)

# Shutting a queue down wakes those that wait.
q = queue.Queue()
ended = []


def until_shut_down():
    try:
        while True:
            q.get()
    except queue.ShutDown:
        ended.append('shut down')


t = threading.Thread(target=until_shut_down)
t.start()
q.put(1)
q.shutdown()
t.join()
print(ended)

# A pipeline of three stages.
a, b, c = queue.Queue(2), queue.Queue(2), queue.Queue()


def stage(source, target, f):
    while True:
        item = source.get()
        if item is None:
            target.put(None)
            return
        target.put(f(item))


stages = [threading.Thread(target=stage, args=s) for s in ((a, b, lambda x: x + 1), (b, c, lambda x: x * 2))]
for t in stages:
    t.start()
for i in range(10):
    a.put(i)
a.put(None)
for t in stages:
    t.join()
print([c.get() for _ in range(11)])
