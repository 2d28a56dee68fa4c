"""A server of files on loopback, as web servers and buckets answer, with the faults that networks have."""
import collections
import contextlib
import hashlib
import hmac
import http.server
import random
import re
import threading
import time
import urllib.parse

ACCESS_KEY, SECRET_KEY = "TESTKEY", "a secret/that+nobody=sees"


def signature_of(method, path, query, headers, signed, scope):
    """As Amazon describes it, written down once more."""
    pairs = sorted((urllib.parse.quote(name, safe="-_.~"), urllib.parse.quote(value, safe="-_.~"))
                   for name, value in urllib.parse.parse_qsl(query, keep_blank_values=True))
    canonical = "\n".join([
        method, path, "&".join(f"{name}={value}" for name, value in pairs),
        *(f"{name}:{headers[name].strip()}" for name in signed), "", ";".join(signed),
        headers["x-amz-content-sha256"]])
    hashed = hashlib.sha256(canonical.encode()).hexdigest()
    to_sign = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hashed])
    key = ("AWS4" + SECRET_KEY).encode()
    for step in scope.split("/"):
        key = hmac.new(key, step.encode(), hashlib.sha256).digest()
    return hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()


class ObjectServer(http.server.ThreadingHTTPServer):
    """`files`: bytes by path ("/a/b.tar"). With `bucket`, requests must be signed, and a list can be asked for."""

    daemon_threads = True

    def __init__(self, files, *, bucket=None, ranges=True, etags=True, page=1000):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.bucket, self.ranges, self.etags, self.page = dict(files), bucket, ranges, etags, page
        self.requests = []  # (method, path, headers)
        self.sent = collections.Counter()  # bytes by path
        self.faults = {}  # share of answers that go wrong, by kind
        self.random = random.Random(1)
        self.moved = {}  # path: Location

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        """A client that goes away is no news."""

    @contextlib.contextmanager
    def running(self):
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.shutdown()
            self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Nothing."""

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.answer()

    def plain(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code, message):
        body = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{message}</Message></Error>"
        self.plain(status, body.encode())

    def is_signed(self, path, query):
        match = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)",
                             self.headers.get("Authorization", ""))
        if not match or match[1] != ACCESS_KEY:
            return False
        headers = {name.lower(): value for name, value in self.headers.items()}
        return match[4] == signature_of(self.command, path, query, headers, match[3].split(";"), match[2])

    def list(self, query):
        asked = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        keys = sorted(path.removeprefix(f"/{self.server.bucket}/") for path in self.server.files)
        prefix, after = asked.get("prefix", ""), asked.get("continuation-token", "")
        keys = [key for key in keys if key.startswith(prefix) and key > after]
        page = keys[:self.server.page]
        entries = "".join(f"<Contents><Key>{urllib.parse.quote(key)}</Key><Size>1</Size></Contents>" for key in page)
        more = (f"<IsTruncated>true</IsTruncated><NextContinuationToken>{page[-1]}</NextContinuationToken>"
                if len(keys) > len(page) else "<IsTruncated>false</IsTruncated>")
        self.plain(200, f"<ListBucketResult>{more}{entries}</ListBucketResult>".encode())

    def fault(self):
        """The kind of fault that this answer has, if any."""
        for kind, share in self.server.faults.items():
            if self.server.random.random() < share:
                return kind
        return None

    def answer(self):
        server = self.server
        path, _, query = self.path.partition("?")
        server.requests.append((self.command, self.path, dict(self.headers)))
        if server.bucket and not self.is_signed(path, query):
            return self.refuse(403, "SignatureDoesNotMatch", "the signature is another")
        if path in server.moved:
            return self.plain(302, Location=server.moved[path])
        if server.bucket and path.rstrip("/") == f"/{server.bucket}":
            return self.list(query)
        content = server.files.get(urllib.parse.unquote(path))
        if content is None:
            return self.refuse(404, "NoSuchKey", "there is none")
        return self.give(urllib.parse.unquote(path), content)

    def give(self, path, content):
        server, fault = self.server, self.fault()
        if fault in ("500", "503", "429"):
            return self.refuse(int(fault), "SlowDown", "later")
        if fault == "reset":
            self.close_connection = True
            return self.connection.close()
        etag = f'"{hashlib.md5(content).hexdigest()}"'
        if self.headers.get("If-Match", etag) != etag:
            return self.refuse(412, "PreconditionFailed", "another version")
        headers = {"ETag": etag} if server.etags else {"Last-Modified": f"version {etag}"}
        status, body = 200, content
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if match and server.ranges:
            first, last = int(match[1]), min(int(match[2]), len(content) - 1)
            if first >= len(content):
                return self.plain(416, Content_Range=f"bytes */{len(content)}")
            status, body = 206, content[first:last + 1]
            headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault == "cut":
            body, self.close_connection = body[:len(body) // 2], True
        if fault == "slow":
            time.sleep(0.2)
        server.sent[path] += len(body)
        self.wfile.write(body)
        if fault == "cut":
            self.connection.close()
