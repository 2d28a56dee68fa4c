"""nginx and a Ceph RADOS Gateway on loopback, each in a folder of its own; nothing of the system's is touched."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid

PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
CEPH_PROGRAMS = ("ceph", "ceph-authtool", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin")
PATIENCE_SECONDS = 60
ACCESS_KEY, SECRET_KEY = "REALKEY", "realsecret/0123456789+abcdefghijklmnopq="
BUCKET = "store"
CEPH_CONFIGURATION = """
[global]
fsid = {fsid}
mon host = [v2:127.0.0.1:{monitor_port}]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
keyring = {folder}/keyring
osd pool default size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
mon max pg per osd = 1000
mon allow pool size one = true
paxos propose interval = 0.05
paxos min wait = 0.01
run dir = {folder}
crash dir = {folder}
admin socket =
log file = {folder}/$name.log
[mon]
mon data = {folder}/mon
mon initial members = a
[osd]
osd data = {folder}/osd
osd objectstore = memstore
memstore device bytes = {bytes}
[client]
rgw data = {folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:{gateway_port} tcp_nodelay=1
rgw dns name = localhost
rgw mp lock max time = 30
rgw gc obj min wait = 1
rgw gc processor period = 5
{more}
"""
NGINX_CONFIGURATION = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 256; }}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  root {files};
  server {{
    listen 127.0.0.1:{plain};
    location / {{ }}
    location /whole/ {{ alias {files}/; max_ranges 0; }}
    location /weak/ {{ alias {files}/; etag off; }}
    location /slow/ {{ alias {files}/; limit_rate 2m; }}
    location /none/ {{ return 444; }}
    location /busy/ {{ return 503; }}
    location /moved/ {{ rewrite ^/moved/(.*) /$1 redirect; }}
    location /there/ {{ rewrite ^/there/(.*) http://localhost:{plain}/secret/$1 redirect; }}
    location /unsafe/ {{ rewrite ^/unsafe/(.*) http://127.0.0.1:{plain}/$1 redirect; }}
    location /secret/ {{ alias {files}/; auth_basic "shards"; auth_basic_user_file {folder}/passwords; }}
    location /away/ {{ auth_basic "shards"; auth_basic_user_file {folder}/passwords;
                       rewrite ^/away/(.*) http://localhost:{plain}/secret/$1 redirect; }}
  }}
  server {{
    listen 127.0.0.1:{tls} ssl;
    ssl_certificate {folder}/server.pem;
    ssl_certificate_key {folder}/server.key;
    location / {{ }}
    location /unsafe/ {{ rewrite ^/unsafe/(.*) http://127.0.0.1:{plain}/$1 redirect; }}
  }}
}}
"""
# Programs that somebody else wrote and that a test runs must not inherit a certificate or a proxy of the machine's.
UNWANTED = ("AWS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY",
            "all_proxy", "AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION")


def missing(*programs):
    return [name for name in programs if not shutil.which(name, path=PATH)]


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def clean_environment(**more):
    return {**{name: value for name, value in os.environ.items() if name not in UNWANTED}, "PATH": PATH, **more}


def end_with_parent():
    """Runs in a daemon before it starts: it ends when the thread that starts it does, even if the test is killed."""
    import ctypes
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Servers:
    """Daemons in a folder; `stop()` ends them and removes it."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="shardmill-servers-"))
        self.folder.chmod(0o755)
        self.environment = clean_environment()
        self.daemons = {}

    def launch(self, program, *arguments):
        with open(self.folder / f"{program}.out", "ab") as log:
            self.daemons[program] = subprocess.Popen(
                [program, *map(str, arguments)], env=self.environment, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, cwd=self.folder, preexec_fn=end_with_parent)

    def run(self, *command):
        done = subprocess.run(list(map(str, command)), env=self.environment, capture_output=True, text=True, timeout=60,
                              cwd=self.folder)
        if done.returncode:
            raise AssertionError(f"{command}: {done.stderr}\n{self.logs()}")
        return done.stdout

    def wait(self, condition, what):
        end = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            dead = [name for name, daemon in self.daemons.items() if daemon.poll() is not None]
            if dead or time.monotonic() > end:
                raise AssertionError(f"waited in vain until {what}; ended: {dead}\n{self.logs()}")
            time.sleep(0.05)

    @staticmethod
    def answers(port):
        try:
            socket.create_connection(("127.0.0.1", port), 5).close()
            return True
        except OSError:
            return False

    def end(self, program):
        daemon = self.daemons.pop(program)
        daemon.kill()
        daemon.wait()

    def stop(self):
        for program in list(self.daemons):
            self.end(program)
        shutil.rmtree(self.folder, ignore_errors=True)

    def logs(self):
        return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')[-2000:]}"
                         for path in sorted([*self.folder.glob("*.out"), *self.folder.glob("*.log")]))


class Nginx(Servers):
    """Serves the files of a folder: as they are, without ranges (/whole), without tags (/weak), slowly (/slow), for
    those who give a password (/secret), elsewhere (/moved, /there, /away, /unsafe), and by TLS."""

    user = "me:hid%3Aden"
    password = "hid:den"

    def __init__(self, files):
        super().__init__()
        self.files = files
        self.plain_port, self.tls_port = free_ports(2)

    def start(self):
        hashed = self.run("openssl", "passwd", "-apr1", self.password).strip()
        (self.folder / "passwords").write_text(f"me:{hashed}\n")
        self.make_certificates()
        (self.folder / "nginx.conf").write_text(NGINX_CONFIGURATION.format(
            folder=self.folder, files=self.files, plain=self.plain_port, tls=self.tls_port))
        self.launch("nginx", "-p", self.folder, "-e", self.folder / "nginx.log", "-c", self.folder / "nginx.conf")
        self.wait(lambda: self.answers(self.plain_port) and self.answers(self.tls_port), "nginx answers")

    def make_certificates(self):
        """Of an authority that is only trusted by those who are given authority.pem."""
        make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2"]
        self.run(*make, "-subj", "/CN=authority of the tests", "-keyout", "authority.key", "-out", "authority.pem")
        self.run(*make, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                 "-addext", "basicConstraints=critical,CA:FALSE", "-CA", "authority.pem", "-CAkey", "authority.key",
                 "-keyout", "server.key", "-out", "server.pem")

    @property
    def address(self):
        return f"http://127.0.0.1:{self.plain_port}"

    @property
    def tls_address(self):
        return f"https://127.0.0.1:{self.tls_port}"

    def restart(self):
        """Ends it with all its connections, as a crash does, and starts it again."""
        master = self.daemons["nginx"].pid
        workers = pathlib.Path(f"/proc/{master}/task/{master}/children").read_text().split()
        self.end("nginx")
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(worker), signal.SIGKILL)
        self.launch("nginx", "-p", self.folder, "-e", self.folder / "nginx.log", "-c", self.folder / "nginx.conf")
        self.wait(lambda: self.answers(self.plain_port), "nginx answers")

    def stop(self):
        if "nginx" in self.daemons:  # which ends its workers
            self.daemons["nginx"].terminate()
            self.daemons["nginx"].wait()
        super().stop()


class Ceph(Servers):
    """A cluster of one monitor and one store in memory, with a gateway that speaks S3; its bucket is "store"."""

    def __init__(self, store_bytes=2 << 30, more=""):
        super().__init__()
        self.monitor_port, self.port = free_ports(2)
        self.store_bytes, self.more = store_bytes, more
        self.environment["CEPH_CONF"] = str(self.folder / "ceph.conf")

    def start(self):
        fsid = str(uuid.uuid4())
        (self.folder / "ceph.conf").write_text(CEPH_CONFIGURATION.format(
            folder=self.folder, fsid=fsid, monitor_port=self.monitor_port, gateway_port=self.port,
            bytes=self.store_bytes, more=self.more))
        self.start_monitor(fsid)
        self.start_store()
        (self.folder / "rgw").mkdir()
        gateway = self.run("ceph", "auth", "get-or-create", "client.rgw.a", "mon", "allow rw", "osd", "allow rwx")
        (self.folder / "rgw.keyring").write_text(gateway)
        self.start_gateway()
        self.run("radosgw-admin", "user", "create", "--uid", "tests", "--display-name", "tests",
                 "--access-key", ACCESS_KEY, "--secret", SECRET_KEY)
        (self.folder / "s3cfg").write_text(
            f"[default]\naccess_key = {ACCESS_KEY}\nsecret_key = {SECRET_KEY}\nuse_https = False\n"
            f"host_base = 127.0.0.1:{self.port}\nhost_bucket = 127.0.0.1:{self.port}/%(bucket)\n")
        self.s3cmd("mb", f"s3://{BUCKET}")

    def start_monitor(self, fsid):
        every = ["--cap", "mon", "allow *"]
        self.run("ceph-authtool", "--create-keyring", "mon.keyring", "--gen-key", "-n", "mon.", *every)
        self.run("ceph-authtool", "--create-keyring", "keyring", "--gen-key", "-n", "client.admin", *every,
                 "--cap", "osd", "allow *")
        self.run("ceph-authtool", "mon.keyring", "--import-keyring", "keyring")
        address = f"[v2:127.0.0.1:{self.monitor_port}]"
        self.run("monmaptool", "--create", "--addv", "a", address, "--fsid", fsid, "monmap")
        self.run("ceph-mon", "--mkfs", "-i", "a", "--monmap", "monmap", "--keyring", "mon.keyring")
        self.launch("ceph-mon", "-i", "a", "-f")
        self.wait(lambda: self.answers(self.monitor_port), "the monitor answers")

    def start_store(self):
        store = str(uuid.uuid4())
        number = self.run("ceph", "osd", "new", store).strip()
        (self.folder / "osd").mkdir()
        keyring = self.folder / "osd/keyring"
        keyring.write_text(self.run("ceph", "auth", "get-or-create", f"osd.{number}", "mon", "allow profile osd",
                                    "osd", "allow *"))
        self.run("ceph-osd", "-i", number, "--mkfs", "--osd-uuid", store, "--keyring", keyring)
        self.launch("ceph-osd", "-i", number, "-f", "--keyring", keyring)
        self.wait(lambda: '"num_up_osds":1' in self.run("ceph", "osd", "stat", "-f", "json"), "the store is up")

    def start_gateway(self):
        self.launch("radosgw", "-n", "client.rgw.a", "-f", "-k", self.folder / "rgw.keyring")
        self.wait(lambda: self.answers(self.port), "the gateway answers")

    def restart_gateway(self):
        self.end("radosgw")
        self.start_gateway()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def variables(self, endpoint=None):
        """The environment that leads to it, for shardmill."""
        return {"AWS_ENDPOINT_URL": endpoint or self.address, "AWS_ACCESS_KEY_ID": ACCESS_KEY,
                "AWS_SECRET_ACCESS_KEY": SECRET_KEY, "AWS_EC2_METADATA_DISABLED": "true"}

    def s3cmd(self, *arguments):
        return self.run("s3cmd", "-q", "-c", self.folder / "s3cfg", *arguments)

    def rclone(self, *arguments):
        """With "rgw:" for this gateway."""
        settings = {"TYPE": "s3", "PROVIDER": "Ceph", "ACCESS_KEY_ID": ACCESS_KEY, "SECRET_ACCESS_KEY": SECRET_KEY,
                    "ENDPOINT": self.address}
        self.environment.update({f"RCLONE_CONFIG_RGW_{name}": value for name, value in settings.items()})
        return self.run("rclone", "--config", self.folder / "rclone.conf", "-q", *arguments)

    def put(self, key, content):
        """By rclone, in one request."""
        path = self.folder / "put"
        path.write_bytes(content)
        self.rclone("copyto", path, f"rgw:{BUCKET}/{key}")


def started(case, server):
    """Starts a server, which ends with the test; `case`: a test, or the class of a test."""
    add = case.addClassCleanup if isinstance(case, type) else case.addCleanup
    add(server.stop)
    server.start()
    return server
