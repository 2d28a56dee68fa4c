"""What the fuzz targets begin with: small inputs of every kind they read. `seeds.py FOLDER` fills FOLDER/TARGET."""
import bz2
import gzip
import io
import itertools
import json
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import numpy
import soundfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))

import evil_bz2
import harness
import parquet_writer as pq

MAX_BYTES = 20_000
AUDIO_FORMS = [("WAV", "PCM_16"), ("WAV", "PCM_U8"), ("WAV", "PCM_24"), ("WAV", "FLOAT"), ("WAV", "ULAW"),
               ("WAV", "MS_ADPCM"), ("WAV", "IMA_ADPCM"), ("WAV", "GSM610"), ("WAVEX", "PCM_16"), ("RF64", "PCM_16"),
               ("W64", "PCM_16"), ("FLAC", "PCM_16"), ("FLAC", "PCM_24"), ("OGG", "VORBIS"), ("OGG", "OPUS"),
               ("MP3", "MPEG_LAYER_III"), ("NIST", "PCM_16"), ("AIFF", "PCM_16"), ("AIFF", "FLOAT"), ("AU", "PCM_16"),
               ("AU", "ALAW"), ("CAF", "PCM_16"), ("CAF", "ALAC_16")]
TEXT = b"the shard holds as much audio as every other one\n"
# As the files of a Kaldi folder stand in an input of corpus_fuzz: wav.scp, segments, text, utt2spk, utt2dur, utt2lang,
# spk2gender.
KALDI = ["rec1 a.wav\nrec2 sox b.sph -t wav - |\n", "utt1 rec1 0.0 1.25\nutt2 rec1 1.25 -1\nutt3 rec2 0 2\n",
         "utt1 one two\nutt2 three\nutt3 \u4e00\u4e8c\n", "utt1 spk1\nutt2 spk1\nutt3 spk2\n",
         "utt1 1.25\nutt2 2.5\n", "utt1 en\nutt3 zh\n", "spk1 f\nspk2 m\n"]
SAMPLE_RECORD = {
    "audio_filepath": "utt1.wav", "duration": 1.25, "text": "one \u4e00 \"two\"", "shard_id": 3, "key": "utt1",
    "dataset": "a", "sample_rate": 16000, "channels": 1, "frames": 20000, "format": "wav/pcm16", "audio_bytes": 40044,
    "tar_offset": 1536, "xxh3": "0123456789abcdef0123456789abcdef", "source": "in/a.tar.bz2", "source_key": "d/utt1",
    "source_xxh3": "fedcba9876543210fedcba9876543210", "source_begin": 0.5, "source_end": 1.75, "speaker": "spk1"}
SHARD_RECORD = {
    "shard_id": 0, "path": "shards/audio_000000000.tar", "samples": 2, "seconds": 3.5, "min_seconds": 1,
    "max_seconds": 2.5,
    "bytes": 10240, "tar_bytes": 10240, "codec": "none", "sha256": "0123456789abcdef" * 4,
    "datasets": {"a": {"samples": 1, "seconds": 1}, "b": {"samples": 1, "seconds": 2.5}}}
REJECT = {
    "dataset": "a", "source": "in/a.tar.bz2", "key": "utt1", "member": "utt1.wav", "file_bytes": [0, 900000],
    "tar_bytes": [512, 1024], "reason": "truncated_audio", "problem": "it ends in the middle"}


def tone(frames=400, rate=16000, channels=1):
    times = numpy.arange(frames) / rate
    return numpy.stack([numpy.sin(times * 880 * numpy.pi * (1 + channel)) * 0.5 for channel in range(channels)], axis=1)


def audio(form="WAV", subtype="PCM_16", **more):
    out = io.BytesIO()
    soundfile.write(out, tone(**more), 16000, format=form, subtype=subtype)
    return out.getvalue()


def audio_probe():
    known = [(form, subtype) for form, subtype in AUDIO_FORMS
             if soundfile.check_format(form, subtype) and form in soundfile.available_formats()]
    for form, subtype in known:
        yield audio(form, subtype)
    yield audio(channels=2)
    yield audio(frames=0)
    yield audio("FLAC", frames=9000)[:-10]
    yield b"ID3\x03\x00\x00\x00\x00\x00\x05" + b"\0" * 5 + audio("FLAC")


def bzip2_files():
    yield bz2.compress(TEXT)
    yield bz2.compress(TEXT * 300, 1)
    yield bz2.compress(TEXT) + bz2.compress(b"") + bz2.compress(TEXT, 1)
    for content in evil_bz2.cases().values():
        yield content


def bzip2_block():
    return (content[10:] for content in bzip2_files())


def bzip2_reader():
    for content in bzip2_files():
        yield content + b"\0\0"  # no stream made, no bit flipped: as it is
    for choices in (b"\x00\x01\x08\x01\x00", b"\x01\x09\x01\x00\x08\x02\x00", b"\x01\x09\x03\x07\x09\x01\x01"):
        yield TEXT + choices


def gzip_reader():
    for level in (1, 6, 9):
        yield gzip.compress(TEXT * 400, level, mtime=0) + gzip.compress(TEXT, mtime=0) + bytes(2)
    # Behind the data, read from its end: no flips; members; of each the level, strategy, memory, window, flushes,
    # header, repeats and zeros behind it; then the sizes and the order.
    words = b" ".join(b"%d" % (number * number % 997) for number in range(2500))
    for choices in (bytes([9, 9, 9, 9, 0, 0, 0, 3, 1, 0, 6, 8, 0, 6, 1, 0]),
                    bytes([7, 40, 0, 0, 1, 7, 1, 0, 6, 1, 5, 1, 1, 0]),
                    bytes([3, 3, 3, 1, 0, 1, 2, 6, 0, 2, 9, 2, 0])):
        yield words + choices


def codec_open():
    shard = harness.tar([("a.txt", TEXT), ("a.wav", audio())])
    yield shard
    for codec in harness.COMPRESSORS:
        packed = harness.compress(codec, shard)
        yield packed
        yield packed[:-5]
        yield packed + harness.compress(codec, TEXT)
    # A frame that is skipped, sizes and checksums that frames need not have.
    yield b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd" + harness.compress("zstd", TEXT)
    yield harness.output_of("zstd", "-qc", "--no-check", "--no-content-size", data=TEXT)
    yield harness.output_of("lz4", "-qc", "-BD", "--content-size", data=TEXT * 9)
    yield harness.output_of("xz", "-c", "--check=sha256", "--block-size=400", data=TEXT * 20)


def corpus():
    yield "\x1e".join(KALDI).encode()
    yield KALDI[0].encode()
    wenet = [{"key": "utt1", "wav": "a.wav", "txt": "one"},
             {"key": "utt2", "wav": "a.wav", "txt": "two", "start": 0.5, "end": 1.5, "speaker": "spk1",
              "more": [1, {}]}]
    nemo = [{"audio_filepath": "a.wav", "duration": 1.5, "text": "one", "offset": 0.5, "lang": "en"},
            {"audio_filepath": "a.wav", "duration": 2, "text": "two", "shard_id": 0}]
    for lines in (wenet, nemo, nemo[:1]):
        yield "".join(json.dumps(line) + "\n" for line in lines).encode()


def tree():
    """Which corpus, the path of a text, its lines and the path of an audio file, as tree_fuzz.cpp takes them."""
    texts = [
        ("librispeech", "LibriSpeech/dev/84/1/84-1.trans.txt", "84-1-0000 HELLO\n",
         "LibriSpeech/dev/84/1/84-1-0000.flac"),
        ("aishell3", "a/train/content.txt", "SSB00050001.wav\t\u4f60 ni3\n", "a/train/wav/SSB0005/SSB00050001.wav"),
        ("aishell4", "train_L/TextGrid/x.TextGrid",
         'File type = "ooTextFile"\nitem [1]:\nname = "1"\nintervals [1]:\nxmin = 0\n'
         'xmax = 1\ntext = "a ""b"""\n', "train_L/wav/x.flac"),
        ("primewords", "p/set1_transcript.json", '[{"file": "a.wav", "text": "b", "user_id": 3}]',
         "p/audio_files/a.wav"),
        ("commonvoice", "cv/ab/train.tsv", "client_id\tpath\tsentence\nc\ta.mp3\tb\n", "cv/ab/clips/a.mp3"),
        ("ljspeech", "lj/metadata.csv", "LJ001-0001|a|b\n", "lj/wavs/LJ001-0001.wav"),
        ("wenetspeech", "w/WenetSpeech.json",
         '{"audios": [{"aid": "a", "segments": [{"sid": "s", "begin_time": 0, "end_time": 1, '
         '"text": "t", "subsets": ["L"]}]}]}', "w/audio/a.opus"),
        ("tedlium", "t/train/stm/a.stm", "a 1 a 0.1 0.5 <o,f0,male> so\n", "t/train/sph/a.sph"),
        ("jsut", "jsut/basic5000/transcript_utf8.txt", "B_0001:\u6c34\n", "jsut/basic5000/wav/B_0001.wav"),
        ("fleurs", "af_za/dev.tsv", "1\ta.wav\tA b.\ta b\ta | b\t1600\tMALE\n", "af_za/audio/dev/a.wav"),
        ("arctic", "cmu_us_bdl_arctic/etc/txt.done.data", '( arctic_a0001 "Author." )\n',
         "cmu_us_bdl_arctic/wav/arctic_a0001.wav"),
        ("an4", "an4/etc/an4_test.transcription", "<s> A B </s> (an1-x-b)\n", "an4/wav/an4_clstk/x/an1-x-b.sph"),
        ("gigaspeech2", "data/th/train_raw.tsv", "0-1-23\tA b\n", "data/th/train/0/1/0-1-23.wav"),
        ("yodas", "data/en000/text/00000000.txt", "v-00000-00000123-00000456 a b\n",
         "data/en000/audio/00000000/v-00000-00000123-00000456.wav"),
        ("yodas2", "data/en000/text/00000000.json", '[{"audio_id": "v", "text": {"v-00000-00000123-00000456": "a"}}, '
         '{"audio_id": "w", "utterances": [{"utt_id": "u", "text": "b", "start": 0.5, "end": 1}]}]',
         "data/en000/audio/v.wav"),
        ("emilia", "EN/EN_B00000.jsonl", '{"id": "EN_B00000_S00000_W000000", "wav": "EN_B00000/EN_B00000_S00000/mp3/'
         'EN_B00000_S00000_W000000.mp3", "text": " A.", "duration": 3.2, '
         '"speaker": "s", "language": "en", "dnsmos": 3.3}\n',
         "EN/EN_B00000/EN_B00000_S00000/mp3/EN_B00000_S00000_W000000.mp3"),
        ("wenetspeech4tts", "Basic/WenetSpeech4TTS_Basic_0/txts/X1_2_S0.txt", "X1_2_S0\t\u4f60\n[]\n",
         "Basic/WenetSpeech4TTS_Basic_0/wavs/X1_2_S0.wav"),
        ("wenetspeechyue", "WenetSpeech-Yue/m.jsonl",
         '{"utt_id": "a", "path": "wav/b.wav", "rover_result": "t", "speaker_id": 3, '
         '"timestamp": {"start": 0}}\n', "WenetSpeech-Yue/wav/b.wav"),
        ("wenetspeechwu", "WenetSpeech-Wu/m.json", '[{"utt": "a", "filename": "a.wav", "text": " t"}]',
         "WenetSpeech-Wu/a.wav"),
        ("mdcc", "d/cnt_asr_train_metadata.csv",
         "audio_path,text_path,gender,duration\n./audio/a.wav,./transcription/a.txt,male,1\n",
         "d/audio/a.wav"),
        ("voxceleb", "v/vox2_meta.csv", "VoxCeleb2 ID ,VGGFace2 ID ,Gender ,Set \nid00012 ,n000012 ,m ,dev \n",
         "v/aac/id00012/21Uxsk56VDQ/00001.m4a"),
        ("cnceleb", "c/dev/dev.lst", "", "c/eval/test/id00800-singing-01-001.flac"),
        ("threedspeaker", "t/x.csv", "", "t/train/3D_SPK_1/3D_SPK_1_001_Device01_Distance00_Dialect00.wav")]
    for parts in texts:
        yield "\x1e".join(parts).encode()


def archive():
    files = {"x/a.wav": audio(frames=10), "x/a.txt": TEXT}
    inner = harness.tar(list(files.items()))
    yield inner
    yield gzip.compress(inner)
    yield harness.tar([("y/inner.tar.gz", gzip.compress(inner)), ("y/b.wav", b"b")])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    yield out.getvalue()
    yield subprocess.run(["bsdtar", "-cf", "-", "--format", "7zip", "@-"], input=inner, capture_output=True,
                         check=True).stdout


def path_list():
    yield b"# shards\nshards/audio_000000000.tar\n\n/data/audio_000000001.tar.zst \r\n{\"key\": \"a\"}\n"
    for spec in (b"aishell2=kaldi:data/train", b"name=shards/audio_{000000000..000000063}.tar", b"a=b=c", b"-",
                 b"in/*/[ab]?.tar.bz2", b"nemo:manifest.json", b"librispeech=/data/LibriSpeech"):
        yield spec


def manifest():
    for record in (SAMPLE_RECORD, SHARD_RECORD, REJECT):
        yield json.dumps(record).encode()
        yield json.dumps(record, ensure_ascii=False).encode()


def parity_header():
    files = [{"path": f"shards/audio_{i:09}.tar", "bytes": 10240 * i, "sha256": f"{i:064x}"} for i in range(3)]
    for group in ({"group": "shards_000000", "parity": 1, "parity_files": 2, "files": files},
                  {"group": "records", "parity": 0, "parity_files": 16, "files": files[:1]}):
        yield b"shardmill parity 1\n" + json.dumps(group, separators=(",", ":")).encode() + b"\nparity"


def parquet():
    """Tables of audio in all encodings, compressions and versions of pages."""
    sounds = [audio(frames=20 + number) for number in range(6)]

    def columns(encoding=pq.PLAIN, text=pq.PLAIN, number=pq.PLAIN, nulls=False):
        texts = [None if nulls and number % 2 else f"text {number // 2} \u4e00" for number in range(6)]
        return [pq.struct("audio", [pq.Column("bytes", sounds, encoding=encoding, optional=True),
                                    pq.Column("path", [f"a/u{number}.wav" for number in range(6)])]),
                pq.Column("text", texts, encoding=text),
                pq.Column("speaker_id", [3, 3, 3, 1, 2, -5], encoding=number),
                pq.Column("good", [True, False, True, True, True, True]),
                pq.Column("x", [0.5, 1.5, None, 2.0, -1.0, 3.0], type=pq.FLOAT)]

    for codec, version in itertools.product(pq.PACKERS, (1, 2)):
        yield pq.table(columns(), codec=codec, version=version, page_rows=2, group_rows=4, crc=codec == pq.SNAPPY)
        yield pq.table(columns(pq.RLE_DICTIONARY, pq.RLE_DICTIONARY, nulls=True), codec=codec, version=version)
    yield pq.table(columns(pq.DELTA_LENGTH, pq.DELTA_BYTES, pq.DELTA), version=2)
    yield pq.table(columns(pq.DELTA_BYTES, pq.DELTA_LENGTH, pq.SPLIT, nulls=True))
    yield pq.table([pq.Column("audio", sounds), pq.Column("id", [1, 2, 3, 4, 5, 6]),
                    pq.Column("b", [True, True, False, None, True, None], encoding=pq.RLE)])


def table():
    """Tables for --metadata."""
    yield b'{"key": "a", "text": "x", "n": 1.5, "l": [1, null], "language": "de"}\n\n{"key": 7, "text": null}\n'
    yield b"\xef\xbb\xbfid\ttext\tn\r\na/u.wav\tsaid\t1\r\nb/u.wav\t\t-2.5\r\n"
    yield b'key,text,x\n"u,1","a ""b""\nc",1\nv,,\n'
    yield "path\ttext\nu.wav\t你好\n".encode("gb18030")


def label():
    """Tables for --labels."""
    yield (b'{"audio_filepath": "/d/a.wav", "offset": 1.5, "duration": 2, "text": "x", "speaker": "s"}\n'
           b'{"audio_filepath": "b/a.flac"}\n')
    yield b'path,start,end,sentence\n"a,b.wav",0,1.25,"said ""so"""\nc/a.wav,3,2,\na.wav,0,1,t\n'
    yield b"path,text\nc//a.wav,t\na.wav,u\n/a.wav,v\n"
    yield (b'{"id": "c", "start": 0, "duration": 2, "channel": 0, "type": "MonoCut", "custom": {"n": 1}, '
           b'"supervisions": [{"id": "s", "recording_id": "r", "start": 0, "duration": 1, "channel": 0, "text": "t", '
           b'"custom": {"texts": ["a", "A"]}}, {"id": "s2", "recording_id": "r", "start": 1, "duration": 1}], '
           b'"recording": {"id": "r", "sources": [{"type": "file", "channels": [0, 1], "source": "x/r.wav"}], '
           b'"sampling_rate": 16000, "num_samples": 32000, "duration": 2, "channel_ids": [0, 1]}}\n')
    yield b'{"id": "s", "recording_id": "a/r", "start": 0.5, "duration": 1, "channel": [0], "text": null}\n'


def tar():
    """Behind two bytes that say how it is cut, and where it has a gap."""
    long = "d" * 120 + "/" + "k" * 130 + ".wav"
    members = [("a.txt", TEXT), ("a.wav", audio()), ("b/c.txt", b""), ("b/c.flac", b"fLaC" + bytes(600)), (long, b"x")]
    for form, kinds in itertools.product((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT), (
            (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE), ())):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=form, pax_headers={"comment": "made"}) as archive:
            for name, data in members[:4 if form == tarfile.USTAR_FORMAT else 5]:
                entry = tarfile.TarInfo(name)
                entry.size = len(data)
                if form == tarfile.PAX_FORMAT:
                    entry.pax_headers = {"SHARDMILL.note": "\u4e00"}
                archive.addfile(entry, io.BytesIO(data))
            for kind in kinds:
                entry = tarfile.TarInfo("a.special")
                entry.type, entry.linkname = kind, "a.wav"
                archive.addfile(entry)
        content = out.getvalue()
        content = content[:len(content.rstrip(b"\0")) // 512 * 512 + 512 * 3]
        yield b"\xff\x00" + content
        yield b"\x07\x20" + content
        yield b"\xff\x00" + content[:3000]


def main(folder):
    for name, seeds in (("audio_probe", audio_probe), ("bzip2_block", bzip2_block), ("bzip2_reader", bzip2_reader),
                        ("codec_open", codec_open), ("corpus", corpus), ("gzip_reader", gzip_reader), ("label", label),
                        ("list", path_list),
                        ("manifest", manifest), ("parity_header", parity_header), ("parquet", parquet),
                        ("table", table), ("tar", tar), ("tree", tree),
                        ("archive", archive)):
        target = pathlib.Path(folder) / f"{name}_fuzz"
        target.mkdir(parents=True, exist_ok=True)
        small = [content for content in seeds() if len(content) <= MAX_BYTES]
        for number, content in enumerate(small):
            (target / f"seed_{number:03}").write_bytes(content)


if __name__ == "__main__":
    main(sys.argv[1])
