"""A server of files on loopback, as web servers and buckets answer, with the faults that networks have."""
import base64
import collections
import functools
import hashlib
import html
import hmac
import random
import re
import struct
import threading
import time
import urllib.parse
import uuid

import loopback

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


@functools.lru_cache(maxsize=None)
def crc64_table():
    """Of CRC-64/NVME, whose polynomial is 0xAD93D23594C93659, its bits in reverse."""
    polynomial = int(f"{0xAD93D23594C93659:064b}"[::-1], 2)
    table = []
    for crc in range(256):
        for _ in range(8):
            crc = (crc >> 1) ^ (polynomial if crc & 1 else 0)
        table.append(crc)
    return table


def crc64(data):
    """As a header has it."""
    table, crc = crc64_table(), 2**64 - 1
    for byte in data:
        crc = (crc >> 8) ^ table[(crc ^ byte) & 255]
    return base64.b64encode(struct.pack(">Q", crc ^ (2**64 - 1))).decode()


def quoted_md5(data):
    return f'"{hashlib.md5(data).hexdigest()}"'


class Upload:
    """One in parts that is not completed."""

    def __init__(self, path, sums):
        self.path, self.sums, self.parts = path, sums, {}

    def etag(self, numbers):
        digests = b"".join(hashlib.md5(self.parts[number]).digest() for number in numbers)
        return f'"{hashlib.md5(digests).hexdigest()}-{len(numbers)}"'


class ObjectServer(loopback.Server):
    """`files`: bytes by path ("/a/b.tar"). With `bucket`, requests must be signed, and a list can be asked for."""

    def __init__(self, files, *, bucket=None, ranges=True, etags=True, page=1000, port=0,
                 conditions=True, sums="taken"):
        super().__init__(Handler, port)
        self.conditions = conditions  # If-None-Match is honoured
        self.sums = sums  # CRC-64/NVME is "taken", "ignored" or "refused"
        self.uploads = {}  # by their ids
        self.etags_of_parts, self.crcs = {}, {}  # of objects by their paths
        self.received = collections.Counter()  # parts that were stored, by path and number
        self.lock = threading.Lock()
        self.files, self.bucket, self.ranges, self.etags, self.page = dict(files), bucket, ranges, etags, page
        self.requests = []  # (method, path, headers)
        self.sent = collections.Counter()  # bytes by path
        self.faults = {}  # share of answers that go wrong, by kind
        self.random = random.Random(1)
        self.takes_parts = True  # else it forbids them
        self.locked = 0  # requests to complete an upload that it refuses, as if one were at work
        self.denied = None  # it forbids objects that end so
        self.keeps = False  # objects that were written: it forbids to remove them
        self.code_of_hidden = "AccessDenied"
        self.hidden_gets = None  # it says that objects which end so are there, and gives no bytes of them
        self.hidden = None  # it does not show objects that end so
        self.circling_lists = False  # each of them names another one as the next
        self.repeats_lists = False  # all are the first one, and say that there are more
        self.lists_uploads = True  # else it forbids that
        self.lists_sums = True  # the list of the parts of an upload says that these need sums
        self.lies_about = None  # it says of an object that ends so that it was stored, but does not store it
        self.weak_etags = False
        self.versions = True  # else it gives neither tags nor times
        self.cuts_lists = False  # as a proxy does that forwards half of an answer as a whole one
        self.moved = {}  # path: Location
        self.mixes_parts = False  # when it joins them: the second is the first again, and all its sums say so
        self.lost_begins = 0  # uploads that are begun without an answer that says so
        self.on_write = {}  # what else happens when a path that ends so is written, once
        self.on_read = None  # called before each answer with bytes
        self.expired = False  # what the credentials may do; an answer to HEAD cannot say so
        self.echoes = False  # it refuses all, and repeats the request in its message
        self.says_length = True
        self.busy_seconds = []  # of the next answers: it asks to be asked again so much later
        self.says_range = None  # of bytes from the first to the last: another value of Content-Range; "": none
        self.knows_no_range = False  # it refuses them without saying why

    @property
    def environment(self):
        """Leads a program here."""
        return {"AWS_ENDPOINT_URL": self.address, "AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
                "AWS_REGION": "eu-test-1"}

PAGE = b"<html><body>Please log in to the network.</body></html>"


class Handler(loopback.Handler):
    def do_PUT(self):
        self.write()

    def do_POST(self):
        self.write()

    def do_DELETE(self):
        self.write()

    def do_HEAD(self):
        self.answer()

    def do_GET(self):
        self.answer()

    def content_range(self, first, last, size):
        says = self.server.says_range
        text = f"bytes {first}-{last}/{size}" if says is None else says.format(first=first, last=last, size=size)
        return {"Content-Range": text} if text else {}

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

    def facts_of(self, key):
        """As a list has them."""
        path = f"/{self.server.bucket}/{key}"
        content = self.server.files[path]
        etag = html.escape(self.server.etags_of_parts.get(path, quoted_md5(content)))
        return f"<Size>{len(content)}</Size>" + (f"<ETag>{etag}</ETag>" if self.server.etags else "")

    def list(self, query):
        asked = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        keys = sorted(path.removeprefix(f"/{self.server.bucket}/") for path in self.server.files)
        prefix, after = asked.get("prefix", ""), asked.get("continuation-token", "")
        if self.server.repeats_lists:
            after = ""
        keys = [key for key in keys if key.startswith(prefix) and key > after]
        page = keys[:self.server.page]
        entries = "".join(f"<Contents><Key>{urllib.parse.quote(key)}</Key>{self.facts_of(key)}</Contents>"
                          for key in page)
        more = (f"<IsTruncated>true</IsTruncated><NextContinuationToken>{page[-1]}</NextContinuationToken>"
                if len(keys) > len(page) else "<IsTruncated>false</IsTruncated>")
        if self.server.repeats_lists:
            more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{uuid.uuid4()}</NextContinuationToken>"
        if self.server.circling_lists:
            token = "/1" if after == "/0" else "/0"
            more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>"
        answer = f"<ListBucketResult><EncodingType>url</EncodingType>{more}{entries}</ListBucketResult>"
        self.plain(200, (answer[:len(answer) // 2] if self.server.cuts_lists else answer).encode())

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
        if server.echoes:
            return self.refuse(403, "AccessDenied", f"{self.path} {self.headers.get('Authorization')}")
        if server.bucket and not self.is_signed(path, query):
            return self.refuse(403, "SignatureDoesNotMatch", "the signature is another")
        if server.expired:
            return self.refuse(400, "ExpiredToken", "the token has expired")
        if server.hidden and path.endswith(server.hidden):
            return self.refuse(403, "AccessDenied", "not for you")
        if server.hidden_gets and path.endswith(server.hidden_gets) and self.command == "GET":
            return self.refuse(403, server.code_of_hidden, "not for you")
        if path in server.moved:
            return self.plain(302, Location=server.moved[path])
        is_list = path.rstrip("/") == f"/{server.bucket}" or "uploadId=" in query
        fault = self.fault() if server.bucket and is_list else None
        if fault in ("408", "429", "500", "503"):
            return self.refuse(int(fault), "SlowDown", "later")
        if fault in ("reset", "lost", "cut-in"):
            self.close_connection = True
            return self.connection.close()
        if "uploads" in query.split("&") and not server.lists_uploads:
            return self.refuse(403, "AccessDenied", "uploads may not be listed")
        if server.bucket and path.rstrip("/") == f"/{server.bucket}":
            return self.list_uploads(query) if "uploads" in query.split("&") else self.list(query)
        if "uploadId=" in query:
            return self.list_parts(query)
        content = server.files.get(urllib.parse.unquote(path))
        if content is None:
            return self.refuse(404, "NoSuchKey", "there is none")
        return self.give(urllib.parse.unquote(path), content)

    def give(self, path, content):
        server, fault = self.server, self.fault()
        if server.on_read:
            server.on_read()
        if not server.says_length:
            self.close_connection = True
            self.send_response(200)
            self.end_headers()
            return self.command == "HEAD" or self.wfile.write(content)
        if server.busy_seconds:
            return self.plain(503, Retry_After=str(server.busy_seconds.pop()))
        if fault in ("500", "503", "429"):
            return self.refuse(int(fault), "SlowDown", "later")
        if fault == "reset":
            self.close_connection = True
            return self.connection.close()
        etag = server.etags_of_parts.get(path, quoted_md5(content))
        if self.headers.get("If-Match", etag) != etag:
            return self.refuse(412, "PreconditionFailed", "another version")
        headers = {"ETag": etag} if server.etags else {"Last-Modified": f"version {etag}"}
        if server.weak_etags:
            headers = {"ETag": f"W/{etag}"}
        if not server.versions:
            headers = {}
        status, body = 200, content
        if self.headers.get("x-amz-checksum-mode") and path in server.crcs:
            headers["x-amz-checksum-crc64nvme"] = server.crcs[path]
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if match and server.ranges:
            first, last = int(match[1]), min(int(match[2]), len(content) - 1)
            if server.knows_no_range:
                return self.plain(416)
            if first >= len(content):
                return self.plain(416, Content_Range=f"bytes */{len(content)}")
            status, body = 206, content[first:last + 1]
            headers |= self.content_range(first, last, len(content))
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

    def list_uploads(self, query):
        asked = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        bucket = f"/{self.server.bucket}/"
        marker = (asked.get("key-marker", ""), asked.get("upload-id-marker", ""))
        with self.server.lock:
            found = sorted((upload.path.removeprefix(bucket), name) for name, upload in self.server.uploads.items())
        found = [each for each in found if each[0].startswith(asked.get("prefix", "")) and each > marker]
        page = found[:self.server.page]
        entries = "".join(f"<Upload><Key>{urllib.parse.quote(key)}</Key><UploadId>{name}</UploadId></Upload>"
                          for key, name in page)
        more = "<IsTruncated>false</IsTruncated>"
        if len(found) > len(page):
            more = (f"<IsTruncated>true</IsTruncated><NextKeyMarker>{urllib.parse.quote(page[-1][0])}</NextKeyMarker>"
                    f"<NextUploadIdMarker>{page[-1][1]}</NextUploadIdMarker>")
        answer = f"<EncodingType>url</EncodingType>{more}{entries}"
        self.plain(200, f"<ListMultipartUploadsResult>{answer}</ListMultipartUploadsResult>".encode())

    def list_parts(self, query):
        asked = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        upload = self.server.uploads.get(asked["uploadId"])
        if upload is None:
            return self.refuse(404, "NoSuchUpload", "there is none")
        numbers = [number for number in sorted(upload.parts) if number > int(asked.get("part-number-marker", 0))]
        page = numbers[:self.server.page]
        tags = {number: html.escape(quoted_md5(upload.parts[number])) for number in page}
        entries = "".join(f"<Part><PartNumber>{number}</PartNumber><ETag>{tags[number]}</ETag>"
                          f"<Size>{len(upload.parts[number])}</Size></Part>" for number in page)
        more = (f"<IsTruncated>true</IsTruncated><NextPartNumberMarker>{page[-1]}</NextPartNumberMarker>"
                if len(numbers) > len(page) else "<IsTruncated>false</IsTruncated>")
        sums = "<ChecksumAlgorithm>CRC64NVME</ChecksumAlgorithm>" if upload.sums and self.server.lists_sums else ""
        self.plain(200, f"<ListPartsResult>{sums}{more}{entries}</ListPartsResult>".encode())

    def write(self):
        """A request that changes something. A fault may come before the change, or after it."""
        server, fault = self.server, self.fault()
        self.close_connection = True  # unless all goes well
        length = int(self.headers.get("Content-Length", 0))
        if fault == "cut-in":
            self.rfile.read(length // 2)
            return self.connection.close()
        body = self.rfile.read(length)
        if len(body) != length:
            return None
        path, _, query = self.path.partition("?")
        server.requests.append((self.command, self.path, dict(self.headers)))
        if fault == "reset":
            return self.connection.close()
        if fault in ("408", "429", "500", "503"):
            return self.refuse(int(fault), "SlowDown", "later")
        if fault == "page-in":
            return self.plain(200, PAGE)
        if not self.is_signed(path, query):
            return self.refuse(403, "SignatureDoesNotMatch", "the signature is another")
        if self.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            return self.refuse(400, "XAmzContentSHA256Mismatch", "other bytes have arrived")
        sum_of_body = self.headers.get("x-amz-checksum-crc64nvme")
        asked = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        if server.sums == "refused" and any(name.lower().startswith("x-amz-checksum") for name in self.headers):
            return self.refuse(501, "NotImplemented", "checksums are not known")
        if self.command == "PUT" and server.sums == "taken" and sum_of_body and sum_of_body != crc64(body):
            return self.refuse(400, "BadDigest", "other bytes have arrived")
        if server.keeps and self.command == "DELETE":
            return self.refuse(403, "AccessDenied", "this may not be removed")
        if server.denied and path.endswith(server.denied):
            return self.refuse(403, "AccessDenied", "this object may not be written")
        if server.locked and self.command == "POST" and "uploadId" in asked:
            server.locked -= 1
            return self.refuse(500, "InternalError", "This multipart completion is already in progress")
        if not server.takes_parts and "partNumber" in asked:
            return self.refuse(403, "AccessDenied", "parts may not be written")
        for end in [end for end in server.on_write if path.endswith(end)]:
            server.on_write.pop(end)()
        with server.lock:
            answer = self.change(urllib.parse.unquote(path), asked, body)
        if server.lost_begins and "uploads" in asked:
            server.lost_begins -= 1
            fault = "lost"
        if fault == "lost":
            return self.connection.close()
        if fault == "page-out":
            return self.plain(200, PAGE)
        if fault in ("lost-500", "lost-503"):
            return self.refuse(int(fault[5:]), "InternalError", "it was done nevertheless")
        if fault == "slow":
            time.sleep(0.1)
        self.close_connection = False
        status, content, headers = answer
        if status >= 400:
            return self.refuse(status, content, "it cannot be done")
        if fault == "cut-out":
            self.close_connection = True
            self.wfile.write(f"HTTP/1.1 {status} x\r\nContent-Length: {len(content) + 9}\r\n\r\n".encode() + content)
            return self.connection.close()
        if fault == "error-200" and self.command == "POST" and "uploadId" in asked:
            return self.plain(200, b"<Error><Code>InternalError</Code></Error>")
        return self.plain(status, content, **headers)

    def change(self, path, asked, body):
        """Status, content and headers of the answer."""
        server = self.server
        if self.command == "POST" and "uploads" in asked:
            name = uuid.uuid4().hex
            wants_sums = self.headers.get("x-amz-checksum-algorithm") == "CRC64NVME"
            server.uploads[name] = Upload(path, wants_sums and server.sums == "taken")
            headers = {"x-amz-checksum-algorithm": "CRC64NVME"} if server.uploads[name].sums else {}
            return 200, f"<InitiateMultipartUploadResult><UploadId>{name}</UploadId>" \
                        f"</InitiateMultipartUploadResult>".encode(), headers
        if "uploadId" in asked:
            return self.change_upload(path, asked, body)
        if self.command == "DELETE":
            server.files.pop(path, None)
            return 204, b"", {}
        if server.conditions and self.headers.get("If-None-Match") == "*" and path in server.files:
            return 412, "PreconditionFailed", {}
        if server.lies_about and path.endswith(server.lies_about):
            return 200, PAGE, {"ETag": '"of-a-page"'}
        server.files[path] = body
        server.etags_of_parts.pop(path, None)
        if server.sums == "taken":
            server.crcs[path] = crc64(body)
        return 200, b"", {"ETag": quoted_md5(body)}

    def change_upload(self, path, asked, body):
        server = self.server
        upload = server.uploads.get(asked["uploadId"])
        if upload is None or upload.path != path:
            return 404, "NoSuchUpload", {}
        if self.command == "DELETE":
            del server.uploads[asked["uploadId"]]
            return 204, b"", {}
        if self.command == "PUT":
            number = int(asked["partNumber"])
            if upload.sums and "x-amz-checksum-crc64nvme" not in self.headers:
                return 400, "InvalidRequest", {}
            upload.parts[number] = body
            server.received[path, number] += 1
            return 200, b"", {"ETag": quoted_md5(body)}
        listed = re.findall(r"<PartNumber>(\d+)</PartNumber><ETag>([^<]+)</ETag>", body.decode())
        numbers = [int(number) for number, _ in listed]
        if numbers != sorted(set(numbers)) or any(
                number not in upload.parts or quoted_md5(upload.parts[number]) != etag
                for number, etag in zip(numbers, [etag for _, etag in listed])):
            return 400, "InvalidPart", {}
        content = b"".join(upload.parts[number] for number in numbers)
        if upload.sums and self.headers.get("x-amz-checksum-crc64nvme") != crc64(content):
            return 400, "BadDigest", {}
        if server.mixes_parts and len(numbers) > 1 and len(upload.parts[1]) == len(upload.parts[2]):
            upload.parts[2] = upload.parts[1]
            content = b"".join(upload.parts[number] for number in numbers)
        server.files[path], server.etags_of_parts[path] = content, upload.etag(numbers)
        if upload.sums:
            server.crcs[path] = crc64(content)
        del server.uploads[asked["uploadId"]]
        return 200, b"<CompleteMultipartUploadResult/>", {}
