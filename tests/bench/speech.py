"""The speech that the benchmark reads: made when first asked for, the same every time, kept in a folder."""
import io
import pathlib
import shutil
import subprocess
import sys
import tarfile

import numpy
import soundfile

SAMPLE_RATE = 16000
SHARDS = 12
PROMPTS_PACKAGE = "asterisk-core-sounds-en-wav"
NOISE = 0.0022  # of full scale
SUBTYPES = {"ogg": "OPUS", "mp3": "MPEG_LAYER_III"}


def prompts(cache):
    """Spoken phrases as arrays at SAMPLE_RATE, always in the same order."""
    folder = cache / "prompts"
    if not folder.exists():
        fetch_prompts(folder)
    phrases = []
    for path in sorted(folder.rglob("*.wav")):
        samples, rate = soundfile.read(path)
        times = numpy.arange(int(len(samples) * SAMPLE_RATE / rate)) * rate / SAMPLE_RATE
        phrases.append((path.stem, numpy.interp(times, numpy.arange(len(samples)), samples)))
    return phrases


def fetch_prompts(folder):
    making = folder.with_suffix(".new")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    fetched = subprocess.run(["apt-get", "download", PROMPTS_PACKAGE], cwd=making, stdin=subprocess.DEVNULL,
                             capture_output=True).returncode == 0
    if fetched:
        subprocess.run(["dpkg-deb", "-x", next(making.glob("*.deb")), making], check=True)
    else:
        print(f"{PROMPTS_PACKAGE} cannot be had, espeak-ng speaks instead", file=sys.stderr)
        words = "shard rank sample frame audio block balance training loader epoch worker stream speech".split()
        for number in range(300):
            text = " ".join(words[(number * step + step) % len(words)] for step in range(1, 3 + number % 9))
            subprocess.run(["espeak-ng", "-s", str(130 + number % 70), "-p", str(number % 90), "-w",
                            making / f"{number:03}.wav", text], check=True)
    making.rename(folder)


def utterances(phrases, seed, mean_phrases):
    """Endless (text, samples), samples as 16 bit, with noise that is never the same twice."""
    random = numpy.random.default_rng(seed)
    noise = random.normal(0, NOISE, SAMPLE_RATE * 120)
    while True:
        chosen = [phrases[index] for index in random.integers(0, len(phrases), random.integers(1, 2 * mean_phrases))]
        samples = numpy.concatenate([phrase for _, phrase in chosen])[:SAMPLE_RATE * 35]
        start = random.integers(0, len(noise) - len(samples))
        loudness = random.uniform(0.3, 0.9)
        yield " ".join(name for name, _ in chosen), ((samples * loudness + noise[start:start + len(samples)])
                                                     * 32000).astype(numpy.int16)


def write_tar(path, spoken, form, prefix, plain_bytes):
    """KEY.txt and KEY.wav or .flac until `plain_bytes` are full."""
    with open(path, "wb") as out, tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        number = 0
        while out.tell() < plain_bytes:
            text, samples = next(spoken)
            encoded = io.BytesIO()
            soundfile.write(encoded, samples, SAMPLE_RATE, format=form.upper(), subtype=SUBTYPES.get(form, "PCM_16"))
            for extension, data in [("txt", text.encode()), (form, encoded.getvalue())]:
                entry = tarfile.TarInfo(f"{prefix}W{number:05}.{extension}")
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
            number += 1


SINGLE_STREAM = {"gz": ["gzip", "-6"], "xz": ["xz", "-3", "-T1"], "zst": ["zstd", "-q", "-3", "--single-thread"]}


def compress(plain, packed, command):
    making = packed.with_name(packed.name + ".new")
    with open(making, "wb") as out:
        subprocess.run([*command, "-c", plain], stdout=out, check=True)
    making.rename(packed)


class Data:
    """The shards, made when first asked for and kept in the cache folder."""

    def __init__(self, cache, size_bytes):
        self.cache = cache
        self.folder = cache / f"{size_bytes // 1_000_000}MB"
        self.shard_bytes = size_bytes // SHARDS
        self.phrases = None

    def shard(self, name, form, seed, plain_bytes, mean_phrases):
        """A plain tar `name`.tar and its `name`.tar.bz2; returns the plain path."""
        plain = self.folder / f"{name}.tar"
        packed = self.folder / f"{name}.tar.bz2"
        if packed.exists():
            return plain
        plain.parent.mkdir(parents=True, exist_ok=True)
        if self.phrases is None:
            print("making speech in", self.folder, file=sys.stderr)
            self.phrases = prompts(self.cache)
        write_tar(plain, utterances(self.phrases, seed, mean_phrases), form, f"S{seed:04}", plain_bytes)
        compress(plain, packed, ["lbzip2", "-9"])
        return plain

    def wav(self):
        """Twelve shards of wav, like AISHELL-2."""
        return [self.shard(f"wav/audio_{index:02}", "wav", index, self.shard_bytes, 2) for index in range(SHARDS)]

    def big(self):
        """One shard as large as the twelve together."""
        return self.shard("big", "wav", 100, self.shard_bytes * SHARDS, 2)

    def compressed(self, plain_paths, suffix):
        """The same shards as single streams that cannot be cut without decoding them."""
        paths = [pathlib.Path(f"{plain}.{suffix}") for plain in plain_paths]
        for plain, path in zip(plain_paths, paths):
            if not path.exists():
                compress(plain, path, SINGLE_STREAM[suffix])
        return paths

    def flac(self):
        """Four shards of flac, like LibriSpeech."""
        return [self.shard(f"flac/chapters_{index:02}", "flac", 200 + index, self.shard_bytes, 6) for index in range(4)]

    def form_shard(self, form, number):
        """A shard with as much speech as one of wav(), as wav, flac, ogg (Opus) or mp3."""
        shares = {"wav": 1, "flac": 0.6, "ogg": 0.08, "mp3": 0.08}
        return self.shard(f"forms/{form}_{number:02}", form, 400 + number, self.shard_bytes * shares[form], 2)

    def tree(self, name, count, form, rate, seed):
        """A Kaldi folder `name` with `count` utterances, each a file, in one folder a speaker."""
        folder = self.folder / name
        if (folder / "text").exists():
            return folder
        if self.phrases is None:
            print("making speech in", self.folder, file=sys.stderr)
            self.phrases = prompts(self.cache)
        spoken = utterances(self.phrases, seed, 3)
        scp, texts = [], []
        for number in range(count):
            text, samples = next(spoken)
            if rate != SAMPLE_RATE:
                times = numpy.arange(int(len(samples) * rate / SAMPLE_RATE)) * SAMPLE_RATE / rate
                samples = numpy.interp(times, numpy.arange(len(samples)), samples).astype(numpy.int16)
            path = folder / f"audio/S{number // 50:04}/S{number // 50:04}W{number:05}.{form}"
            path.parent.mkdir(parents=True, exist_ok=True)
            soundfile.write(path, samples, rate, format=form.upper(), subtype="PCM_16")
            scp.append(f"{path.stem} {path}\n")
            texts.append(f"{path.stem} {text}\n")
        (folder / "wav.scp").write_text("".join(scp))
        (folder / "text").write_text("".join(texts))
        return folder


def packed(paths):
    return [pathlib.Path(f"{path}.bz2") for path in paths]
