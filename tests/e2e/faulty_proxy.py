"""A proxy between a program and a web server, which does to answers what networks, and proxies of others, do."""
import http.client
import random
import socket
import struct
import threading
import time

import loopback

# What happens to one answer; the first eight may pass when one asks again.
PASSING = ("reset", "cut head", "cut body", "stalled", "lost", "500", "503", "429")
LASTING = ("flipped bit", "twice", "short", "other range", "page", "other version")
KINDS = PASSING + LASTING
HOPS = {"connection", "keep-alive", "transfer-encoding", "te", "upgrade", "proxy-connection"}


class FaultyProxy(loopback.Server):
    """Passes requests on to `upstream` ("127.0.0.1:PORT"). `plan`: kinds of faults by the number of the request, from
    0; `always`: the kind of all requests that have none."""

    def __init__(self, upstream, seed=1):
        super().__init__(Handler)
        self.upstream = upstream
        self.random = random.Random(seed)
        self.plan, self.always, self.stall_seconds = {}, None, 0.3
        self.before = {}  # what is called before a request is passed on, by its number
        self.lock = threading.Lock()
        self.count, self.done, self.requests = 0, [], []

    def begin(self, plan=(), always=None):
        """Counts requests from 0 again."""
        with self.lock:
            self.plan, self.always = dict(plan), always
            self.count, self.done, self.requests = 0, [], []

    def next_fault(self, method, path):
        with self.lock:
            kind = self.plan.get(self.count, self.always)
            self.before.pop(self.count, lambda: None)()
            self.count += 1
            self.requests.append((method, path))
            if kind:
                self.done.append((kind, method, path))
            return kind


class Handler(loopback.Handler):
    def do_GET(self):
        fault = self.server.next_fault(self.command, self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if fault == "reset":
            return self.reset()
        if fault in ("500", "503", "429"):
            return self.refuse(int(fault))
        status, headers, content = self.ask(body)
        if fault == "lost":  # the server did it, and the answer goes astray
            return self.reset()
        self.spoil(fault, status, headers, content)

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

    def ask(self, body):
        connection = http.client.HTTPConnection(self.server.upstream, timeout=60)
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in HOPS | {"expect"}:
                connection.putheader(name, value)
        connection.endheaders(body or None)
        answer = connection.getresponse()
        content = answer.read()
        headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in HOPS]
        connection.close()
        return answer.status, headers, content

    def reset(self):
        """An end without the words of a polite one."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.wfile = self.rfile = open("/dev/null", "r+b")

    def refuse(self, status):
        body = b"<Error><Code>SlowDown</Code><Message>as the test wishes</Message></Error>" + b" " * 400
        more = [("Retry-After", "0")] if status == 503 else []
        self.give(status, [*more, ("Content-Length", str(len(body)))], body)

    def head_of(self, status, headers):
        lines = [f"HTTP/1.1 {status} {http.client.responses.get(status, '')}",
                 *(f"{name}: {value}" for name, value in headers), "", ""]
        return "\r\n".join(lines).encode("latin-1")

    def give(self, status, headers, content):
        self.wfile.write(self.head_of(status, headers))
        if self.command != "HEAD":
            self.wfile.write(content)
        self.wfile.flush()

    def spoil(self, fault, status, headers, content):
        draw = self.server.random
        at = draw.randrange(len(content)) if content else 0
        if not any(name.lower() == "content-length" for name, _ in headers):
            headers.append(("Content-Length", str(len(content))))
        if fault == "cut head":
            head = self.head_of(status, headers)
            self.wfile.write(head[:draw.randrange(1, len(head) - 1)])
            return self.reset_politely()
        if fault == "cut body" and content:
            self.wfile.write(self.head_of(status, headers) + content[:at])
            return self.reset_politely()
        if fault == "stalled":
            self.wfile.write(self.head_of(status, headers) + (b"" if self.command == "HEAD" else content[:at]))
            self.wfile.flush()
            time.sleep(self.server.stall_seconds)
            return self.wfile.write(b"" if self.command == "HEAD" else content[at:])
        self.give(*self.lied(fault, status, headers, content, at))

    def reset_politely(self):
        self.wfile.flush()
        self.close_connection = True

    def lied(self, fault, status, headers, content, at):
        """An answer that is well formed, and wrong."""
        if fault == "flipped bit" and content:
            content = bytearray(content)
            content[at] ^= 1 << self.server.random.randrange(8)
        elif fault == "twice" and content:
            content = content[:at] + content[max(0, at - 1000):at] + content[at:]
        elif fault == "short" and content:
            content = content[:at]
            headers = self.replaced(headers, "content-length", str(at))
        elif fault == "other range":
            headers = [(name, value.replace("bytes ", "bytes 1", 1) if name.lower() == "content-range" else value)
                       for name, value in headers]
        elif fault == "page":
            content = b"<html><body>Please log in to the network.</body></html>"
            status, headers = 200, [("Content-Type", "text/html"), ("Content-Length", str(len(content)))]
        elif fault == "other version":
            headers = self.replaced(headers, "etag", '"0123456789abcdef0123456789abcdef"')
        return status, headers, bytes(content)

    @staticmethod
    def replaced(headers, name, value):
        return [(each, value if each.lower() == name else old) for each, old in headers]
