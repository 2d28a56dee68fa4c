"""Reading: samples of shards and of finished datasets."""
import contextlib
import io
import json
import os

from shardmill import _native
from shardmill._arguments import PATH_TYPES, counts, flags, need_text
from shardmill._errors import Error
from shardmill._files import (KnownPath, PlacesOf, exists, is_address, need_unchanged, problem, stamp_of, stamps_in,
                               tell_change)
from shardmill._losses import Losses
from shardmill._sources import paths_of, shards_in

# As in src/shard/keys.cpp. A video is the audio of a sample that has no other.
AUDIO = frozenset(("wav", "flac", "mp3", "ogg", "opus", "m4a", "wma", "sph", "aiff", "aif", "au", "oga", "aac", "amr", "awb", "caf",
                   "w64", "aifc", "m4b", "mka", "3gp"))
VIDEO = frozenset(("mp4", "webm", "mkv", "mov", "avi", "flv", "wmv"))


class Sample:
    """One sample: its key, its members by extension, and what the manifest says of it."""

    __slots__ = ("key", "members", "_line", "_fields", "_shard")

    def __init__(self, key, members, line=None, shard=None):
        self.key = key
        self.members = members
        self._line = line
        self._shard = shard
        self._fields = None

    @property
    def fields(self):
        """The manifest line as a dict: duration, text, speaker and all others. Empty for shards without a manifest."""
        if self._fields is None:
            self._fields = {} if self._line is None else json.loads(self._line)
        return self._fields

    @property
    def extension(self):
        """What kind of file the audio is, such as "wav"; None without audio."""
        audio = [name for name in self.members if name in AUDIO] or [name for name in self.members if name in VIDEO]
        if len(audio) == 1:
            return audio[0]
        named = self.fields.get("audio_filepath", "").rpartition(".")[2]
        if named in self.members:
            return named
        return audio[0] if audio else None

    @property
    def audio(self):
        """The bytes of the audio file; None without audio."""
        return self.members.get(self.extension)

    @property
    def text(self):
        """The transcript: the manifest's, KEY.txt, or "text" in KEY.json; None if it has none."""
        if "text" in self.fields:
            return self.fields["text"]
        text = self.members.get("txt")
        if text is None:
            return self._text_in_json()
        try:
            return text.decode().rstrip("\r\n")
        except UnicodeDecodeError as failure:
            raise ValueError(f"{self._place('txt')}: the transcript is no UTF-8 text: {failure}") from failure

    def _text_in_json(self):
        """What repack takes where there is no KEY.txt, as Emilia and others have it."""
        try:
            facts = json.loads(self.members.get("json", b"null"))
        except ValueError as failure:
            raise ValueError(f"{self._place('json')}: may hold the transcript, and is no JSON: {failure}") from failure
        text = facts.get("text") if isinstance(facts, dict) else None
        return text if text is None or isinstance(text, str) else json.dumps(text, ensure_ascii=False)

    def _place(self, extension):
        where = f"{self._shard}: " if self._shard else ""
        return f"{where}member '{self.key}.{extension}'"

    def __getitem__(self, name):
        """A field of the manifest line."""
        return self.fields[name]

    def get(self, name, default=None):
        return self.fields.get(name, default)

    def __repr__(self):
        return f"Sample({self.key!r}: {', '.join(self.members)})"


def _differs(path, what):
    return problem(path, what, "shardmill verify says what else is wrong")


def _need_key(key):
    need_text("the key of a sample", key, "a text")


def _lines(manifest):
    try:
        with _text_of(manifest) as lines:
            yield from lines
    except (OSError, UnicodeDecodeError) as failure:
        raise _differs(manifest, f"cannot be read: {failure}") from failure


def _text_of(path):
    """A file of text, to be read line by line."""
    if not is_address(path):
        return open(path, encoding="utf-8")
    return io.TextIOWrapper(io.BytesIO(PlacesOf(path).read_all()), encoding="utf-8")


def _line_at(path, offset):
    """The line of a file that begins at `offset`."""
    step, line = 1 << 14, b""
    with contextlib.closing(PlacesOf(path)) as file:
        while b"\n" not in line:
            more = file.read_up_to(step, offset + len(line))
            if not more:
                break
            line += more
    return line.partition(b"\n")[0].decode() + "\n"


def _is_line_of(key, line, manifest):
    """Whether a line of a manifest is about this key."""
    # To read all of each line would take most of the time. No text can hold this: its quotes would be escaped.
    if '"' not in key and "\\" not in key and f',"key":"{key}",' in line:
        return True
    return _fields_of(Sample("", {}, line), manifest).get("key") == key


def _fields_of(sample, manifest):
    try:
        return sample.fields
    except ValueError as failure:
        raise _differs(manifest, f"has a line that is no JSON: {failure}") from failure


class _Opened:
    """Can stand in a with statement, like what the built-in open() gives. Files are open only while an iteration
    goes on, and it closes them when it ends or is left."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def __bool__(self):
        return True  # also if the number of samples is unknown

    def __contains__(self, key):
        """Whether there is a sample with this key; reads as result[key] does."""
        try:
            self[key]
        except KeyError:
            return False
        return True


class Shard(_Opened):
    """One shard, plain or compressed. Each iteration reads it from its beginning. It can be pickled."""

    def __init__(self, path, threads=0, memory=1 << 30, key_rule="wenet", skip_damage=False, manifest=None, samples=None):
        self._known = KnownPath(path)
        self._limits = (threads, memory)
        self._key_rule = key_rule
        self._skip_damage = skip_damage
        self._manifest = manifest
        self._samples = samples
        self._stamps = ()  # of a dataset's shard: see need_unchanged()

    @property
    def shards(self):
        """The shard itself, as if it were one of several."""
        return [self]

    @property
    def path(self):
        """The path. An address is shown without its password and cut at its '?'."""
        return self._known.shown

    def _pairs(self, tell=None):
        return _native.Samples(self.path, self._key_rule, self._skip_damage, *self._limits, tell)

    def __iter__(self):
        if self._skip_damage:
            return self._unless_changed(self._what_is_left())
        if self._manifest is None:
            return (Sample(key, members, None, self.path) for key, members in self._pairs())
        return self._unless_changed(self._in_step())

    def _unless_changed(self, samples):
        need_unchanged(self._stamps)
        try:
            yield from samples
        except Error:
            tell_change(self._stamps)
            raise

    def _what_is_left(self):
        losses = Losses(self.path)
        if self._manifest is None:
            for key, members in self._pairs(losses.tell):
                yield Sample(key, members, None, self.path)
            losses.end()
        else:
            yield from self._what_is_sound(losses)

    def _in_step(self):
        """The samples of a shard are in the order of its manifest; one that differs is an error."""
        lines = _lines(self._manifest)
        for key, members in self._pairs():
            line = next(lines, None)
            if line is None or not _is_line_of(key, line, self._manifest):
                raise _differs(self.path, f"holds {key!r} where {self._manifest} has another sample")
            yield Sample(key, members, line, self.path)
        if next(lines, None) is not None:
            raise _differs(self.path, f"ends before {self._manifest} does")

    def _what_is_sound(self, losses):
        """Samples that are in the manifest with the size of their audio. Warns of all others."""
        known = {}
        for line in _lines(self._manifest):
            known[_fields_of(Sample("", {}, line), self._manifest)["key"]] = line
        for key, members in self._pairs(losses.tell):
            sample = Sample(key, members, known.get(key), self.path)
            if len(sample.audio or b"") == sample.get("audio_bytes"):
                del known[key]
                yield sample
            elif key not in known:
                losses.tell(f"{self.path}: {key!r} is left out: {self._manifest} does not have it")
        last = None
        if known:
            some = ", ".join(map(repr, list(known)[:3])) + (", ..." if len(known) > 3 else "")
            last = f"{self.path}: {len(known)} of the samples in {self._manifest} are lost: {some}"
        losses.end(last)

    def __getitem__(self, key):
        """The sample with this key. Reads from the beginning of the shard up to it."""
        _need_key(key)
        for sample in self:
            if sample.key == key:
                return sample
        raise KeyError(key)

    def __len__(self):
        if self._samples is None:
            raise TypeError(f"{self.path} has no manifest that says how many samples it holds")
        return self._samples

    def __repr__(self):
        return f"Shard({self.path!r})"


class Shards(_Opened):
    """Several shards, one after the other."""

    def __init__(self, shards):
        self.shards = shards

    def __iter__(self):
        for shard in self.shards:
            yield from shard

    def __len__(self):
        return sum(map(len, self.shards))

    def __getitem__(self, key):
        _need_key(key)
        for shard in self.shards:
            try:
                return shard[key]
            except KeyError:
                pass
        raise KeyError(key)

    def __repr__(self):
        names = [repr(shard.path) for shard in self.shards[:3]] + (["..."] if len(self.shards) > 3 else [])
        return f"Shards({len(self.shards)}: {', '.join(names)})"


class Dataset(Shards):
    """A finished dataset of shardmill's. It can be pickled."""

    def __init__(self, folder, **how):
        self.folder = os.fsdecode(folder)
        if is_address(self.folder):
            if not self.folder.startswith("s3://"):
                raise problem(_native.shown_address(self.folder), "is on a web server",
                              "datasets are read from s3:// and from disks; of web servers, give the shards")
            self.folder = self.folder.rstrip("/")
        record = os.path.join(self.folder, "dataset.json")
        self._stamps = ((record, stamp_of(record)),)
        records = _native.open_dataset(self.folder)
        self.seconds = records["seconds"]
        self._samples = records["samples"]
        self._codecs = [shard["codec"] for shard in records["shards"]]
        self._shard_seconds = [shard["seconds"] for shard in records["shards"]]
        self._index = None
        super().__init__([Shard(os.path.join(self.folder, shard["path"]), samples=shard["samples"],
                                manifest=os.path.join(self.folder, shard["manifest"]), **how)
                          for shard in records["shards"]])
        stamps = stamps_in(self.folder, [shard["path"] for shard in records["shards"]])
        for shard, stamp in zip(self.shards, stamps):
            if stamp is None:
                raise _differs(shard.path, "the dataset has this shard, and it is not there")
            shard._stamps = (*self._stamps, (shard.path, stamp))

    def _need_unchanged(self):
        need_unchanged(self._stamps)

    def __iter__(self):
        self._need_unchanged()
        yield from super().__iter__()

    def __len__(self):
        return self._samples

    def __contains__(self, key):
        _need_key(key)
        return self._place(key) is not None

    def __getitem__(self, key):
        """The sample with this key; of a plain shard only its own bytes are read. The first call reads all manifests,
        and remembers where each key stands."""
        _need_key(key)
        place = self._place(key)
        if place is None:
            raise KeyError(key)
        number, offset = place
        shard = self.shards[number]
        need_unchanged(shard._stamps)
        if self._codecs[number] != "none":
            return shard[key]
        try:
            line = _line_at(shard._manifest, offset)
            fields = json.loads(line)
            place, size = fields["tar_offset"] - 512, fields["audio_bytes"]
        except ValueError as failure:
            raise _differs(shard._manifest, f"has changed: {failure}") from failure
        with contextlib.closing(PlacesOf(shard.path)) as tar:
            bytes_there = tar.read_up_to(512 + size, place)
        header, audio = bytes_there[:512], bytes_there[512:]
        # Longer names stand elsewhere in a tar.
        name = fields["audio_filepath"].encode()
        is_other = len(name) < 100 and header[:100].rstrip(b"\0") != name
        if fields["key"] != key or len(audio) != fields["audio_bytes"] or is_other:
            raise _differs(shard.path, f"does not hold {key!r} where its manifest says")
        return Sample(key, {fields["audio_filepath"].rpartition(".")[2]: audio}, line)

    def batches(self, size=None, *, frames=None, buckets=None, seed=0, epoch=0, step=0, shuffle=True, shuffle_buffer=1000,
                rank=0, world_size=1, equal=True):
        """The batches of one rank in an epoch, from number `step` on: lists of samples. shardmill.torch.ShardDataset
        says what the arguments mean, and gives the same batches to a DataLoader."""
        from shardmill._batches import Plan, batching_of
        seed, epoch, step = counts(seed=seed, epoch=epoch, step=step)
        plan = Plan(self, seed=seed, shuffle=shuffle, shuffle_buffer=shuffle_buffer, rank=rank, world_size=world_size,
                    batching=batching_of(size, frames, buckets), equal=equal)
        return plan.read(epoch, step)

    def _place(self, key):
        if self._index is None:
            index = _native.KeyIndex(self.folder)
            self._need_unchanged()
            self._index = index
        return self._index.find(key)

    def __getstate__(self):
        return {**self.__dict__, "_index": None}  # made again when it is needed

    def __repr__(self):
        return f"Dataset({self.folder!r}: {self._samples} samples in {len(self.shards)} shards)"


def _parts(source, how):
    """The Shards and Datasets of a path, a pattern, or an object that open() returned before."""
    if isinstance(source, _Opened):
        return [source] if isinstance(source, Dataset) else source.shards
    parts = []
    if not isinstance(source, PATH_TYPES):
        raise TypeError(f"each source is a path or a pattern, and not {source!r}")
    for path in paths_of(source):
        if not (_native.is_folder(path) if is_address(path) else os.path.isdir(path)):
            parts.append(Shard(path, **how))
        elif exists(os.path.join(path, "dataset.json")):
            parts.append(Dataset(path, **how))
        else:
            parts += [Shard(shard, **how) for shard in shards_in(path)]
    return parts


def open_samples(source, *, threads=0, memory=1 << 30, key_rule="wenet", skip_damage=False):
    """Opens the folder of a finished dataset, a folder of shards, a shard of any codec, a pattern such as
    "shards/*.tar" or "a_{000..063}.tar", or a list of such things. What is not there is an Error. Shards may also be at
    http://, https:// and s3://; datasets and folders of shards at s3://.

    Iterate over the result to get each Sample, in order; result[key] gets one. `threads` decode each shard (0: all
    cores that the process may use; 1 suits a DataLoader worker), and at most about `memory` bytes wait.
    Damage is an Error, unless `skip_damage` is set: then what is damaged is left out.
    """
    if key_rule not in ("wenet", "webdataset"):
        raise ValueError(f"key_rule is 'wenet' or 'webdataset', and not {key_rule!r}")
    threads, memory = counts(threads=threads, memory=memory)
    skip_damage, = flags(skip_damage=skip_damage)
    how = {"threads": threads, "memory": memory, "key_rule": key_rule, "skip_damage": skip_damage}
    sources = [source] if isinstance(source, (*PATH_TYPES, _Opened)) else source
    try:
        if isinstance(sources, dict):
            raise TypeError
        sources = list(sources)
    except TypeError:
        raise TypeError(f"source is a path, a pattern, or a list of such things, and not {source!r}") from None
    parts = [part for each in sources for part in _parts(each, how)]
    if not parts:
        raise ValueError("no shards are given")
    return parts[0] if len(parts) == 1 else Shards([shard for part in parts for shard in part.shards])
