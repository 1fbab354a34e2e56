# Classic problems of concurrent programs.
import collections
import random
import threading
import time


def together(*targets):
    threads = [threading.Thread(target=t) for t in targets]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


# A token goes round a ring.
N, ROUNDS = 7, 5
gates = [threading.Semaphore(0) for _ in range(N)]
passed = []


def member(i):
    for _ in range(ROUNDS):
        gates[i].acquire()
        passed.append(i)
        gates[(i + 1) % N].release()


gates[0].release()
together(*[lambda i=i: member(i) for i in range(N)])
print(passed == list(range(N)) * ROUNDS)

# The same with locks, which are released by another thread than the one that took them.
locks = [threading.Lock() for _ in range(3)]
for lock in locks[1:]:
    lock.acquire()
spoken = []


def speak(i, word):
    for _ in range(3):
        locks[i].acquire()
        spoken.append(word)
        locks[(i + 1) % 3].release()


together(lambda: speak(2, 'baz'), lambda: speak(0, 'foo'), lambda: speak(1, 'bar'))
print(' '.join(spoken))

# Dining philosophers.
forks = [threading.Lock() for _ in range(5)]
meals = collections.Counter()


def philosopher(i):
    first, second = sorted((i, (i + 1) % 5))
    for _ in range(4):
        with forks[first]:
            time.sleep(0.0005)
            with forks[second]:
                meals[i] += 1
                time.sleep(0.0005)


together(*[lambda i=i: philosopher(i) for i in range(5)])
print(sorted(meals.items()))


# Readers and writers.
class ReadWrite:
    def __init__(self):
        self.condition = threading.Condition()
        self.readers = 0
        self.writing = False
        self.most = 0
        self.wrong = False

    def read(self):
        with self.condition:
            self.condition.wait_for(lambda: not self.writing)
            self.readers += 1
            self.most = max(self.most, self.readers)
        time.sleep(0.001)
        with self.condition:
            self.wrong |= self.writing
            self.readers -= 1
            self.condition.notify_all()

    def write(self):
        with self.condition:
            while self.writing or self.readers:
                self.condition.wait()
            self.writing = True
        time.sleep(0.001)
        with self.condition:
            self.wrong |= self.readers > 0
            self.writing = False
            self.condition.notify_all()


shared = ReadWrite()
together(*[lambda: [shared.read() for _ in range(4)]] * 4, *[lambda: [shared.write() for _ in range(3)]] * 2)
print(shared.most > 1, shared.wrong, shared.readers, shared.writing)


# A limit to how many in so much time.
class Limiter:
    def __init__(self, rate):
        self.interval = 1 / rate
        self.lock = threading.Lock()
        self.next = time.monotonic()

    def __enter__(self):
        with self.lock:
            wait = self.next - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            self.next = max(self.next, time.monotonic()) + self.interval
        return self

    def __exit__(self, *exc):
        return False


limiter = Limiter(500)
stamps = []


def limited():
    for _ in range(3):
        with limiter:
            stamps.append(time.monotonic())


together(limited, limited, limited)
stamps.sort()
print(len(stamps), all(b - a > 0.0015 for a, b in zip(stamps, stamps[1:])))

# Money goes round between accounts, under locks in order.
accounts = [1000] * 6
guards = [threading.RLock() for _ in accounts]


def transfers(seed):
    rng = random.Random(seed)
    for _ in range(60):
        a, b = rng.sample(range(6), 2)
        with guards[min(a, b)], guards[max(a, b)]:
            amount = rng.randint(1, 50)
            before = accounts[a]
            if amount % 7 == 0:
                time.sleep(0)
            accounts[a] = before - amount
            accounts[b] += amount


together(*[lambda s=s: transfers(s) for s in range(5)])
print(sum(accounts))


# A cache that makes each value once, and a future by hand.
class Once:
    def __init__(self, make):
        self.make = make
        self.lock = threading.Lock()
        self.waiting = {}

    def __call__(self, key):
        with self.lock:
            event = self.waiting.get(key)
            if first := event is None:
                event = self.waiting[key] = threading.Event()
        if first:
            event.value = self.make(key)
            event.set()
        event.wait()
        return event.value


made = []


@Once
def cached(key):
    time.sleep(0.001)
    made.append(key)
    return key * 2


results = []
together(*[lambda: results.append([cached(k) for k in (1, 2, 3)])] * 4)
print(results, sorted(made))

# Counting without a lock, in long loops.
counts = [0] * 3


def count(i):
    for _ in range(150_000):
        counts[i] += 1


together(*[lambda i=i: count(i) for i in range(3)])
print(counts)

# Two that watch each other.
turn = 0
pings = []


def player(me):
    global turn
    for _ in range(3):
        while turn != me:
            pass
        pings.append(me)
        turn = 1 - me


together(lambda: player(0), lambda: player(1))
print(pings)

# Everybody waits for everybody.
stages = threading.Barrier(4)
history = []


def worker(i):
    for stage in range(3):
        time.sleep(0.0005 * i)
        history.append(stage)
        stages.wait()


together(*[lambda i=i: worker(i) for i in range(4)])
print(history)
