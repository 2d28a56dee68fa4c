#!/usr/bin/env python3
"""Runs Lhotse's own recipes on miniatures of their corpora; compares what `repack lhotse:` makes of their manifests.

    recipes.py FOLDER [NAME...]     only the recipes of these names

FOLDER has Lhotse's repository, lhotse. The miniatures are made here, as each publisher packs its corpus: folders,
transcripts, tables, and audio of noise, which differs in each file. The recipes run unmodified and write manifests.
What the manifests hold by Lhotse's own classes is the truth: the samples, their texts, speakers, genders, languages,
times to 1 ms, and the stretch of the audio, decoded by libsndfile.

A recipe whose manifests have to be refused counts as refused if the message says why. Needs Debian's PyTorch
(scripts/setup loaders), ffmpeg, and python3-bs4, -click, -cytoolz, -intervaltree, -lxml, -num2words, -packaging,
-pandas, -regex, -tabulate and -tqdm. Packages that Debian does not have are replaced by what the recipe needs of them:
readers of TextGrid, of GigaSpeech's list and of Parquet, sph2pipe, and what splits and compares words. So are
downloads. Left out are heroico, which does not run at this revision, and mgb2, which counts 375103 segments.
"""
import collections
import contextlib
import gzip
import importlib
import importlib.machinery
import inspect
import io
import json
import logging
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import types
import typing
import warnings
import zipfile

import numpy
import soundfile

from sources import PROGRAM

RATE = 16000
RUNS = []
SAMPLES = collections.Counter()  # that have been compared, by the names of the runs


class Run(typing.NamedTuple):
    module: str
    name: str
    make: typing.Callable  # writes the miniature; what it returns are more arguments of the recipe
    arguments: dict
    refused: str = ""  # what the message holds if the manifests have to be refused
    options: tuple = ()
    files: tuple = ()  # what is read instead of the folder: recordings, each file for itself


def recipe(module, refused="", options=(), files=(), called="", **arguments):
    """For a function that makes the miniature: `arguments` are those of the recipe."""
    def take(make):
        words = [module, *(str(value) for value in arguments.values() if isinstance(value, str))]
        RUNS.append(Run(module, called or " ".join(words), make, arguments, refused, tuple(options), tuple(files)))
        return make
    return take


class Corpus:
    """Writes the files of a miniature."""

    def __init__(self, root):
        self.root, self.sounds = root, 0

    def path(self, name):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def lines(self, name, *lines, encoding="utf-8"):
        self.path(name).write_bytes("".join(f"{line}\n" for line in lines).encode(encoding))

    def json(self, name, value):
        self.lines(name, json.dumps(value, ensure_ascii=False))

    def jsonl(self, name, *values):
        self.lines(name, *(json.dumps(value, ensure_ascii=False) for value in values))

    def sound(self, name, seconds=0.0, channels=1, rate=RATE):
        """Noise that no other file has, as the end of the name says; returns its seconds."""
        self.sounds += 1
        frames = round((seconds or 0.5 + 0.01 * (self.sounds % 50)) * rate)
        values = numpy.random.default_rng(self.sounds).integers(-9000, 9000, (frames, channels), dtype=numpy.int16)
        form = name.rpartition(".")[2].lower()
        kinds = {"sph": ("NIST", "PCM_16"), "ogg": ("OGG", "VORBIS"), "opus": ("OGG", "OPUS"),
                 "mp3": ("MP3", "MPEG_LAYER_III")}
        form, subtype = kinds.get(form, (form.upper(), "PCM_16"))
        soundfile.write(self.path(name), values, rate, format=form, subtype=subtype)
        return frames / rate

    def grid(self, name, tiers, seconds):
        """A TextGrid of Praat: for each tier its name and (begin, end, text)."""
        out = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0", f"xmax = {seconds}",
               "tiers? <exists>", f"size = {len(tiers)}", "item []:"]
        for number, (tier, intervals) in enumerate(tiers, 1):
            out += [f"    item [{number}]:", '        class = "IntervalTier"', f'        name = "{tier}"',
                    "        xmin = 0", f"        xmax = {seconds}", f"        intervals: size = {len(intervals)}"]
            for place, (begin, end, text) in enumerate(intervals, 1):
                out += [f"        intervals [{place}]:", f"            xmin = {begin}", f"            xmax = {end}",
                        f'            text = "{text}"']
        self.lines(name, *out)


def tiers_of(path):
    """What a TextGrid holds, as Corpus.grid()."""
    for item in re.split(r"\n\s*item \[\d+\]:", pathlib.Path(path).read_text())[1:]:
        intervals = re.findall(r'intervals \[\d+\]:\s*xmin = (\S+)\s*xmax = (\S+)\s*text = "(.*)"', item)
        yield re.search(r'name = "(.*)"', item)[1], [(float(begin), float(end), text) for begin, end, text in intervals]


# Corpora of one utterance per file.

@recipe("adept")
def adept(c):
    for speaker in ("ad00", "ad01"):
        c.sound(f"wav_44khz/propositional_attitude/surprise/{speaker}_0204.wav", rate=44100)
        c.path(f"txt/propositional_attitude/surprise/{speaker}_0204.txt").parent.mkdir(parents=True, exist_ok=True)
        c.path(f"txt/propositional_attitude/surprise/{speaker}_0204.txt").write_text(f"He is {speaker}?")
    c.json("adept_prompts.json", {"propositional_attitude": {f"{speaker}_0204": {"surprise": f"He is WHO, {speaker}?"}
                                                             for speaker in ("ad00", "ad01")}})


@recipe("aidatatang_200zh")
def aidatatang(c):
    root = "aidatatang_200zh"
    for number, part in enumerate(("dev", "test", "train")):
        c.sound(f"{root}/corpus/{part}/G000{number}/T0055G000{number}S0001.wav")
    c.lines(f"{root}/transcript/aidatatang_200_zh_transcript.txt",
            *(f"T0055G000{number}S0001 以后 你 是 Ａ {number}" for number in range(3)))


@recipe("aishell")
def aishell(c):
    for number, part in enumerate(("train", "dev", "test")):
        c.sound(f"data_aishell/wav/{part}/S000{number}/BAC009S000{number}W0122.wav")
    c.lines("data_aishell/transcript/aishell_transcript_v0.8.txt",
            *(f"BAC009S000{number}W0122 而 对 楼市 ｋ {number}" for number in range(3)))


@recipe("aishell2")
def aishell2(c):
    for number, part in enumerate(("data", "dev", "test")):
        key = f"I{'CDT'[number]}0001W000{number}"
        c.sound(f"AISHELL-2/iOS/{part}/wav/{key[1:6]}/{key}.wav")
        c.lines(f"AISHELL-2/iOS/{part}/trans.txt", f"{key}\t听beat it，we're {number}")


@recipe("aishell3")
def aishell3(c):
    c.lines("spk-info.txt", "# about speakers", "SSB0005\tB\tfemale\tnorth", "SSB0009\tB\tmale\tsouth")
    c.lines("train/label_train-set.txt", "# labels", "SSB00050001|guang3 zhou1|广州%。$")
    for part, key in (("train", "SSB00050001"), ("test", "SSB00090001")):
        c.sound(f"{part}/wav/{key[:7]}/{key}.wav", rate=44100)
        c.lines(f"{part}/content.txt", f"{key}.wav\t广 guang3 州 zhou1")


@recipe("atcosim")
def atcosim(c):
    rows = []
    for number, text in enumerate(("contact rhein =radar", "[EMPTY]", "oh <FL> </FL> @BAW hallo")):
        name = f"gf1_01_00{number}"
        seconds = c.sound(f"WAVdata/gf1/gf1_01/{name}.wav", rate=32000)
        rows.append(f"gf1,gf1_01,{name},atcosim_{name},{seconds},gf1,F,{text},0")
    c.lines("TXTdata/fulldata.csv", "directory,subdirectory,filename,recording_id,length_sec,speaker_id,"
            "speaker_gender,transcription,recording_corrupt", *rows)


@recipe("audio_mnist")
def audio_mnist(c):
    c.json("data/audioMNIST_meta.txt", {f"{number:02}": {"accent": "german", "age": str(number), "gender": "male",
                                                         "native speaker": "no"} for number in range(1, 61)})
    for key in ("7_01_0", "9_60_3"):
        c.sound(f"data/{key[2:4]}/{key}.wav", rate=48000)


@recipe("baker_zh")
def baker_zh(c):
    c.lines("ProsodyLabeling/000001-010000.txt", "000001\t卡尔普#2陪外孙#1玩滑梯#4。", "\tka2 er2 pu3",
            "000002\t假语村言#2别再#1拥抱我#4。", "\tjia2 yu3")
    for number in (1, 2):
        c.sound(f"Wave/00000{number}.wav", rate=48000)


@recipe("bengaliai_speech")
def bengaliai_speech(c):
    for key, folder in (("0001", "train"), ("0002", "train"), ("0003", "test")):
        c.sound(f"{folder}_mp3s/{key}.mp3", rate=32000)
    c.lines("train.csv", "id,sentence,split", "0001,ও বলেছে, আপনার,train", "0002,কোন,valid")


@recipe("cdsd")
def cdsd(c):
    for part, key in (("1h", "S01_a"), ("10h", "S02_b")):
        c.sound(f"after_catting/{part}/Audio/01/{key}.wav")
        c.lines(f"after_catting/{part}/Text/01.txt", f"{key} 今天 天气 ａ")


@recipe("cmu_arctic")
def cmu_arctic(c):
    for speaker in ("bdl", "aew"):
        root = f"cmu_us_{speaker}_arctic"
        for key in ("arctic_a0001", "arctic_a0002"):
            c.sound(f"{root}/wav/{key}.wav")
        c.lines(f"{root}/etc/txt.done.data", '( arctic_a0001 "Author of the danger trail, etc." )',
                f'( arctic_a0002 "Not at this {speaker}." )')


@recipe("cmu_indic")
def cmu_indic(c):
    for speaker in ("ben_rm", "guj_dp"):
        root = f"cmu_indic_{speaker}"
        c.lines(f"{root}/etc/voice.feats", f"variant {speaker[:3]}", "age 28", "gender male")
        c.sound(f"{root}/wav/arctic_a0001.wav")
        c.sound(f"{root}/wav/native_0002.wav")
        c.lines(f"{root}/etc/txt.done.data", '( arctic_a0001 "Author of it." )', '( native_0002 "আমি নই" )')


@recipe("cmu_kids")
def cmu_kids(c):
    c.lines("tables/sentence.tbl", "ap2\t3\tA bat")
    c.lines("tables/speaker.tbl", "speakers", "id", "facs\tsim95\t2/8\tx\ty", "mabs\tfort\t1/7\tx\ty")
    c.lines("tables/transcrp.tbl", "facsap21 A /B/ bat", "mabsap22 A bat [noise]")
    for key in ("facsap21", "mabsap22"):
        c.sound(f"kids/{key[:4]}/signal/{key}.sph")


@recipe("commonvoice")
def commonvoice(c):
    columns = "client_id path sentence up_votes down_votes age gender accents variant locale segment".split()
    for number, part in enumerate(("train", "dev", "test")):
        name = f"common_voice_de_{number}.mp3"
        c.sound(f"de/clips/{name}", rate=32000)
        c.lines(f"de/{part}.tsv", "\t".join(columns),
                "\t".join((f"f00d{number}", name, f'Er sagt "ja". {number}', "2", "0", "twenties", "male", "", "",
                           "de", "")))
    return {"languages": "de"}


@recipe("cslu_kids", refused="has no manifest of supervisions beside it")
def cslu_kids(c):
    c.sound("speech/scripted/00/1/ks001/ks001000.wav")
    c.sound("speech/spontaneous/00/1/ks001/ks001xx0.wav")
    c.lines("docs/all.map", '00 "five"', "")
    c.lines("docs/1-verified.txt", "../speech/scripted/00/1/ks001/ks001000.wav 1")
    c.lines("trans/spontaneous/00/1/ks001/ks001xx0.txt", "a b <bn> c", "d")


@recipe("daily_talk")
def daily_talk(c):
    for name in ("0_1_d0", "1_0_d0"):
        c.sound(f"data/0/{name}.wav", rate=44100)
    c.json("metadata.json", {"0": {name[0]: {"index": f"{name}", "speaker": int(name[2]), "text": f"what {name}?",
                                            "turn": int(name[0]), "topic": 3, "emotion": "no emotion",
                                            "act": "question"} for name in ("0_1_d0", "1_0_d0")}})


@recipe("ears")
def ears(c):
    speakers = [f"p{number:03}" for number in range(1, 108)]
    c.json("speaker_statistics.json", {each: {"age": "26-35", "gender": "female", "height": "5'"} for each in speakers})
    c.json("transcripts.json", {"emo": "I am happy", "rainbow": "The rainbow"})
    for each in speakers:
        c.path(f"{each}/x").touch()
    for name in ("p001/emo", "p002/rainbow", "p107/freeform"):
        c.sound(f"{name}.wav", rate=48000)


@recipe("emilia", lang="zh", num_jobs=1)
def emilia(c):
    rows = []
    for number in range(2):
        key = f"ZH_B0000{number}_S00000_W000000"
        c.sound(f"raw/ZH/ZH_B0000{number}/mp3/{key}.mp3", rate=32000)
        rows.append({"id": key, "wav": f"ZH_B0000{number}/mp3/{key}.mp3", "text": f"你好 {number}", "duration": 1.0,
                     "speaker": f"ZH_B0000{number}_S00000", "language": "zh", "dnsmos": 3.2927})
    c.jsonl("raw/ZH/ZH_B00000.jsonl", *rows)


@recipe("fleurs")
def fleurs(c):
    for number, part in enumerate(("train", "dev", "test")):
        seconds = c.sound(f"en_us/{part}/1000{number}.wav")
        c.lines(f"metadata/en_us/{part}.tsv", "\t".join(
            (f"90{number}", f"1000{number}.wav", "A tornado.", f"a tornado {number}", "a |", str(round(seconds * RATE)),
             "FEMALE")))
    return {"languages": "en_us"}


@recipe("gigaspeech2")
def gigaspeech2(c):
    for number, part in enumerate(("train_raw", "train_refined", "dev", "test")):
        key = f"{number}-1-2"
        c.sound(f"data/th/{part.split('_')[0]}/{number}/1/{key}.wav")
        c.lines(f"data/th/{part}.tsv", f"{key}\tสวัสดี {number}")


@recipe("grid", refused="is not audio that shardmill knows", num_jobs=1)
def grid(c, num_jobs):
    for name in ("s1/bbaf2n", "s2/lbij1s"):
        c.sound(f"tmp/{name}.wav", 2.0, rate=44100)
        c.path(f"video/{name}.mpg")
        subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=2",
                        "-i", c.root / f"tmp/{name}.wav", c.root / f"video/{name}.mpg"], check=True)
        c.lines(f"alignments/{name}.align", "0 500 sil", "500 1000 bin", "1000 1500 blue", "1500 2000 sil")
    c.path("audio_25k/x").touch()


@recipe("hifitts")
def hifitts(c):
    for speaker, part in (("92", "train"), ("6097", "dev")):
        name = f"audio/{speaker}_clean/1/ring_{speaker}.flac"
        c.sound(name, rate=44100)
        c.jsonl(f"{speaker}_manifest_clean_{part}.json",
                {"audio_filepath": name, "text": "the ring.", "duration": 1.0, "text_no_preprocessing": "The Ring.",
                 "text_normalized": "The ring."})


@recipe("himia", dataset_parts="himia")
def himia(c):
    for part, folder, table in (("train", "train/SPEECHDATA", "train"), ("dev", "dev/SPEECHDATA", "dev"),
                                ("test", "test/wav", "wav")):
        name = f"SV0001/SV0001_2_00_{part}.wav"
        c.sound(f"{folder}/{name}")
        c.lines(f"{folder.replace('/wav', '')}/{table}.scp", name)


@recipe("kespeech")
def kespeech(c):
    for number, part in enumerate(("train_phase1", "train_phase2", "dev_phase1", "dev_phase2", "test")):
        key, root = f"100000{number}_1234", f"Tasks/ASR/{part}"
        c.sound(f"Audio/100000{number}/phase1/{key}.wav")
        c.lines(f"{root}/wav.scp", f"{key} Audio/100000{number}/phase1/{key}.wav")
        c.lines(f"{root}/text", f"{key} 打开<SPOKEN_NOISE>空调 {number}")
        c.lines(f"{root}/utt2subdialect", f"{key} Ji-Lu")
        c.lines(f"{root}/utt2spk", f"{key} 100000{number}")


@recipe("ksponspeech")
def ksponspeech(c):
    for number, part in enumerate(("train", "dev", "eval_clean", "eval_other")):
        name = f"KsponSpeech_0{number}/KsponSpeech_00000{number}.pcm"
        values = numpy.random.default_rng(number).integers(-9000, 9000, 9000 + number, dtype=numpy.int16)
        c.path(name).write_bytes(values.tobytes())
        above = f"{part}/" if "eval" in part else ""
        c.lines(f"{part}.trn", f"{above}{name} :: b/ (70%)/(칠십 퍼센트) 아/ 몬+ 소리야* {number}")


@recipe("l2_arctic")
def l2_arctic(c):
    for speaker in ("ABA", "SKA"):
        c.sound(f"{speaker}/wav/arctic_a0001.wav", rate=44100)
        c.lines(f"{speaker}/transcript/arctic_a0001.txt", f"Author of the danger {speaker}")
    c.sound("suitcase_corpus/wav/aba.wav", rate=44100)
    c.lines("suitcase_corpus/transcript/aba.txt", "A suitcase")


@recipe("librispeech")
def librispeech(c):
    for number, part in enumerate(("train-clean-100", "dev-clean", "test-other")):
        root = f"{part}/10{number}/1240"
        for place in range(2):
            c.sound(f"{root}/10{number}-1240-000{place}.flac")
        c.lines(f"{root}/10{number}-1240.trans.txt",
                *(f"10{number}-1240-000{place} CHAPTER {place}" for place in range(2)))


@recipe("libritts")
def libritts(c):
    parts = "dev-clean dev-other test-clean test-other train-clean-100 train-clean-360 train-other-500".split()
    c.lines("SPEAKERS.txt", "; ID |SEX", *(f"8{number} | F | x | 1 | n" for number in range(len(parts))))
    for number, part in enumerate(parts):
        key = f"8{number}_121123_000007_000001"
        root = f"{part}/8{number}/121123"
        c.sound(f"{root}/{key}.wav", rate=24000)
        c.lines(f"{root}/8{number}_121123.trans.tsv", f"{key}\tMr. No {number}\tMister No {number}")
        c.lines(f"{root}/8{number}_121123.book.tsv", f"{key}\tMr. No\t{number}\t20.5")


@recipe("ljspeech")
def ljspeech(c):
    for number in (1, 2):
        c.sound(f"wavs/LJ001-000{number}.wav", rate=22050)
    c.lines("metadata.csv", *(f"LJ001-000{number}|Printing, in 145{number}|Printing, in fourteen" for number in (1, 2)))


@recipe("magicdata")
def magicdata(c):
    for number, part in enumerate(("train", "dev", "test")):
        name = f"38_583{number}_20170614170829.wav"
        c.sound(f"{part}/38_583{number}/{name}")
        c.lines(f"{part}/TRANS.txt", "UtteranceID\tSpeakerID\tTranscription",
                f"{name}\t38_583{number}\t放一首，ok {number}")


@recipe("mdcc")
def mdcc(c):
    for number, part in enumerate(("train", "valid", "test")):
        key = f"447_1709011347_{number}_000"
        c.sound(f"audio/{key}.wav")
        c.lines(f"transcription/{key}.txt", f"你好 {number}")
        c.lines(f"cnt_asr_{part}_metadata.csv", "audio_path,text_path,gender,duration",
                f"./audio/{key}.wav,./transcription/{key}.txt,female,1.0")


@recipe("mls", opus=True, called="mls opus")
@recipe("mls", opus=False, called="mls flac")
def mls(c, opus=False):
    root = "mls_polish"
    c.lines(f"{root}/metainfo.txt", " SPEAKER | GENDER | PARTITION", " 480 | M | train", " 481 | F | dev")
    for number, part in enumerate(("train", "dev", "test")):
        keys = [f"48{number % 2}_1000{number}_00000{place}" for place in range(2)]
        for key in keys:
            folder = "/".join(key.split("_")[:2])
            c.sound(f"{root}/{part}/audio/{folder}/{key}.{'opus' if opus else 'flac'}")
        c.lines(f"{root}/{part}/transcripts.txt", *(f"{key}\to mój {key}" for key in keys))


@recipe("mobvoihotwords")
def mobvoihotwords(c):
    for number, part in enumerate(("p_train", "n_train", "p_dev", "n_dev", "p_test", "n_test")):
        key = f"aa{number}"
        c.sound(f"mobvoi_hotword_dataset/{key}.wav")
        c.json(f"mobvoi_hotword_dataset_resources/{part}.json",
               [{"utt_id": key, "speaker_id": None if number == 1 else f"s{number}",
                 "keyword_id": -1 if part[0] == "n" else number // 2 % 2}])


@recipe("nsc", dataset_part="PART1_CHANNEL0")
def nsc(c, dataset_part):
    root = "IMDA - National Speech Corpus/PART1/DATA/CHANNEL0"
    c.lines(f"{root}/SCRIPT/000010.TXT", "000010001\tThe lah.", "\tthe lah", "000010002\tOkay can.", "\tokay can")
    with zipfile.ZipFile(c.path(f"{root}/WAVE/SPEAKER0001.zip"), "w") as archive:
        for number in (1, 2):
            name = f"SPEAKER0001/SESSION0/00001000{number}.WAV"
            c.sound(f"tmp/{name}")
            archive.write(c.root / "tmp" / name, name)


@recipe("peoples_speech")
def peoples_speech(c):
    for number, part in enumerate(("train/dirty_sa", "train/dirty", "train/clean_sa", "train/clean",
                                   "validation/validation", "test/test")):
        folder, name = part.split("/")
        c.sound(f"{part}/x/p_{number}.flac")
        c.jsonl(f"{folder}/{name}.json",
                {"identifier": f"s{number}", "training_data": {"duration_ms": [1000], "label": [f"it is {number}"],
                                                               "name": [f"x/p_{number}.flac"]}})


@recipe("primewords")
def primewords(c):
    root = "primewords_md_2018_set1"
    keys = ["00a0b8b7-5cbd", "10a0b8b7-5cbd"]
    for key in keys:
        c.sound(f"{root}/audio_files/{key[0]}/{key[:2]}/{key}.wav")
    c.json(f"{root}/set1_transcript.json", [
        {"id": "1", "file": f"{key}.wav", "user_id": f"P{key[0]}", "text": f"的 {key}", "length": "1"} for key in keys])


@recipe("reazonspeech")
def reazonspeech(c):
    """The first 1000 are for development, and 100 for tests."""
    rows = []
    for number in range(3):
        seconds = c.sound(f"data/00{number}/0000.flac", rate=16000)
        rows.append({"id": f"00{number}/0000.flac", "audio_filepath": str(c.root / f"data/00{number}/0000.flac"),
                     "duration": seconds, "text": f"はい {number}"})
    first, second, third = rows
    full = [{**first, "id": f"d{number}"} for number in range(1000)] + [second]
    full += [{**second, "id": f"t{number}"} for number in range(99)] + [third]
    c.json("dataset.json", full)


@recipe("slu", files=[f"slu_recordings_{part}.jsonl.gz" for part in ("train", "valid", "test")])
def slu(c):
    for part in ("train", "valid", "test"):
        names = [f"wavs/speakers/s{number}/{part}{number}.wav" for number in range(2)]
        for name in names:
            c.sound(name)
        c.lines(f"data/{part}_data.csv", ",path,speakerId,transcription,action,object,location",
                *(f"{number},{name},s{number},Turn on {part} {number},activate,lights,none"
                  for number, name in enumerate(names)))


@recipe("spatial_librispeech")
def spatial_librispeech(c):
    rows = []
    for number, part in enumerate(("train", "test")):
        c.sound(f"audio_files/{part}/00000{number}.flac", channels=4)
        rows.append(f"{number},{part},WE ARE {number},10{number},F")
    meta = "speech/librispeech_metadata/"
    c.lines("metadata.parquet", f"sample_id,split,{meta}transcription,{meta}reader_id,{meta}reader_sex", *rows)


@recipe("speechcommands", speechcommands_version="1")
@recipe("speechcommands", speechcommands_version="2")
def speechcommands(c, speechcommands_version):
    root, test = (f"speech_commands_{name}v0.0{speechcommands_version}" for name in ("", "test_set_"))
    for name in ("bed/0a7c2a8d_nohash_0", "bed/0b7c2a8d_nohash_1", "yes/0c7c2a8d_nohash_0",
                 "_background_noise_/running_tap", "_background_noise_/white_noise"):
        c.sound(f"{root}/{name}.wav")
    c.lines(f"{root}/testing_list.txt", "yes/0c7c2a8d_nohash_0.wav")
    c.lines(f"{root}/validation_list.txt", "bed/0b7c2a8d_nohash_1.wav")
    for name in ("yes/0d7c2a8d_nohash_0", "_silence_/0", "_unknown_/bed_0e7c2a8d_nohash_0"):
        c.sound(f"{test}/{name}.wav")


@recipe("speechio")
def speechio(c):
    for number in range(27):
        root, key = f"SPEECHIO_ASR_ZH000{number:02}", f"ZH{number:02}_001"
        c.sound(f"{root}/wav/{key}.wav")
        c.lines(f"{root}/metadata.tsv", "ID\tAUDIO\tDURATION\tTEXT", f"{key}\twav/{key}.wav\t1\t今天 {number}")


@recipe("spgispeech")
def spgispeech(c):
    for number, part in enumerate(("train", "val")):
        c.sound(f"{part}/0018ad{number}/1.wav")
        c.lines(f"{part}.csv", "wav_filename|wav_filesize|transcript",
                f"0018ad{number}/1.wav|100|Good morning, {number}.")


@recipe("stcmds")
def stcmds(c):
    for number in (1, 2):
        name = f"ST-CMDS-20170001_1-OS/20170001P0000{number}A0001"
        c.sound(f"{name}.wav")
        c.lines(f"{name}.txt", f"导航，去 ok {number}")


@recipe("tal_asr")
def tal_asr(c):
    for number, part in enumerate(("train", "dev", "test")):
        c.sound(f"aisolution_data/wav/{part}/s{number}/000{number}.wav")
    c.lines("aisolution_data/transcript/transcript.txt", *(f"000{number} 那么，x Ａ# {number}" for number in range(3)))


@recipe("tal_csasr")
def tal_csasr(c):
    for number, part in enumerate(("train_set", "dev_set", "test_set")):
        c.sound(f"TALCS_corpus/{part}/wav/{number}-1.wav")
        c.lines(f"TALCS_corpus/{part}/label.txt", f"{number}-1 我们 say, hello {number}")


@recipe("thchs_30")
def thchs_30(c):
    for number, part in enumerate(("train", "dev", "test")):
        c.sound(f"data_thchs30/{part}/A1{number}_0.wav")
        c.lines(f"data_thchs30/data/A1{number}_0.wav.trn", f"绿 是 l = 阳春 {number}", "lv4 shi4", "l v4")


@recipe("timit")
def timit(c):
    for name in ("TRAIN/DR1/FCJF0/SA1", "TEST/DR1/MAJC0/SA2", "TEST/DR2/FPAS0/SX1"):
        c.sound(f"data/{name}.WAV")
        c.lines(f"data/{name}.TXT", f"0 8000 She had {name.split('/')[2]}.")
        c.lines(f"data/{name}.WRD", "0 4000 she", "4000 8000 had")
        c.lines(f"data/{name}.PHN", "0 4000 h#", "4000 8000 sh")


@recipe("vctk", called="vctk crest")
@recipe("vctk", called="vctk edinburgh", use_edinburgh_vctk_url=True)
def vctk(c, use_edinburgh_vctk_url=False):
    new = use_edinburgh_vctk_url
    c.lines("speaker-info.txt", "ID AGE GENDER ACCENTS REGION", f"{'p' * new}225 23 F English Southern England")
    for number in (1, 2):
        c.lines(f"txt/p225/p225_00{number}.txt", f"Please call {number}.")
        if new:
            c.sound(f"wav48_silence_trimmed/p225/p225_00{number}_mic2.flac", rate=48000)
        else:
            c.sound(f"wav48/p225/p225_00{number}.wav", rate=48000)


@recipe("voxceleb", called="voxceleb 1", num_jobs=1)
def voxceleb1(c):
    c.lines("vox1_meta.csv", "VoxCeleb1 ID\tVGGFace1 ID\tGender\tNationality\tSet", "id1\tA.J.\tm\tIreland\tdev",
            "id2\tEartha\tf\tUSA\ttest")
    for name in ("id1/1zcIwhmdeo4/00001", "id2/5r0dWxy17C8/00001", "id2/5r0dWxy17C8/00002"):
        c.sound(f"wav/{name}.wav")
    return {"voxceleb1_root": c.root}


@recipe("voxceleb", called="voxceleb 2", num_jobs=1)
def voxceleb2(c):
    c.lines("vox2_meta.csv", "VoxCeleb2 ID ,VGGFace2 ID ,Gender ,Set ", "id3 ,n000012 ,f ,dev ")
    for name in ("21Uxsk56VDQ/00001", "21Uxsk56VDQ/00002"):
        c.sound(f"tmp/{name}.wav", 1.2)
        subprocess.run(["ffmpeg", "-loglevel", "error", "-i", c.root / f"tmp/{name}.wav",
                        c.path(f"dev/aac/id3/{name}.m4a")], check=True)
    return {"voxceleb2_root": c.root}


@recipe("wenetspeech4tts", dataset_parts="Basic")
@recipe("wenetspeech4tts", dataset_parts="Premium")
def wenetspeech4tts(c, dataset_parts):
    keys = {"Premium": "X0000001735_1_S00170", "Standard": "X0000001735_2_S00171", "Basic": "X0000001735_3_S00172"}
    for part, key in keys.items():
        c.sound(f"{part}/WenetSpeech4TTS_{part}_0/wavs/{key}.wav")
        c.lines(f"{part}/WenetSpeech4TTS_{part}_0/txts/{key}.txt", f"{key}\t我 {part}", "[[0.0, 1.2]]")
        c.lines(f"DNSMOS_P808Scores/{part}_DNSMOS.lst", *(f"{each} 4.{len(each)}" for each in keys.values()))
    c.lines("filelists/Basic_filelist.lst", *(f"{key} ../{part}/WenetSpeech4TTS_{part}_0/wavs/{key}.wav"
                                              for part, key in keys.items()))


@recipe("xbmu_amdo31")
def xbmu_amdo31(c):
    for number, part in enumerate(("train", "dev", "test")):
        c.sound(f"data/wav/{part}/s{number}/s{number}-00{number}.wav")
    c.lines("data/transcript/transcript_clean.txt", *(f"00{number} བོད་ སྐད {number}" for number in range(3)))


@recipe("yesno")
def yesno(c):
    for number in range(60):
        c.sound("_".join(f"{number:08b}") + ".wav", rate=8000)


# Corpora of recordings with segments.

@recipe("aishell4")
def aishell4(c):
    for part in ("train_L", "train_M", "train_S", "test"):
        name = f"20200616_{part}"
        seconds = c.sound(f"{part}/wav/{name}.flac", 3.0, channels=8)
        c.grid(f"{part}/TextGrid/{name}.TextGrid",
               [("001-M", [(0, 0.5, ""), (0.5, 1.25, "你好<sil>")]), ("002-F", [(1.0, 2.123, "一，二")])], seconds)


@recipe("ali_meeting", mic="far")
@recipe("ali_meeting", mic="near")
@recipe("ali_meeting", mic="sdm")
def ali_meeting(c, mic):
    for part in ("Train", "Eval", "Test"):
        near, far = f"R8001_M8004_F_SPK80{part[:2]}", f"R8001_M80{part[:2]}"
        name, kind = (near, "near") if mic == "near" else (far, "far")
        root = f"{part}_Ali/{part}_Ali_{kind}" if part != "Train" else f"{part}_Ali_{kind}"
        seconds = c.sound(f"{root}/audio_dir/{name}{'_MS810' if kind == 'far' else ''}.wav", 3.0,
                          channels=8 if kind == "far" else 1)
        c.grid(f"{root}/textgrid_dir/{name}.TextGrid", [
            (near, [(0, 0.5, ""), (0.25, 1.5, "嗯，好"), (1.75, 2.5, "对")])], seconds)


MEETINGS = {"train": "ES2002a", "dev": "ES2003a", "test": "ES2004a"}


@recipe("ami", mic="ihm")
@recipe("ami", mic="ihm-mix")
@recipe("ami", mic="sdm")
@recipe("ami", mic="mdm8-bf")
@recipe("ami", mic="mdm", refused="which no file of its recording has")
def ami(c, mic):
    root = "ami_public_manual_1.6.2"
    speakers = [("A", "MEE00{}", 0), ("B", "FEE00{}", 1)]
    meetings = ""
    for number, meeting in enumerate(MEETINGS.values()):
        meetings += f'<meeting observation="{meeting}">'
        for letter, name, channel in speakers:
            meetings += f'<speaker nxt_agent="{letter}" global_name="{name.format(number)}" channel="{channel}"/>'
            begin = 0.25 + channel
            c.lines(f"{root}/segments/{meeting}.{letter}.segments.xml",
                    f'<r><segment transcriber_start="{begin}" transcriber_end="{begin + 1}"/></r>')
            c.lines(f"{root}/words/{meeting}.{letter}.words.xml", f'<r><w starttime="{begin}" endtime="{begin + 0.4}">'
                    f'Okay</w><w starttime="{begin + 0.5}" endtime="{begin + 0.875}">it\'s</w></r>')
        meetings += "</meeting>"
        names = {"ihm": ["Headset-0", "Headset-1"], "ihm-mix": ["Mix-Headset"], "sdm": ["Array1-01"],
                 "mdm": ["Array1-01", "Array1-02"]}.get(mic, [])
        for name in names:
            c.sound(f"{meeting}/audio/{meeting}.{name}.wav", 3.0)
        if mic == "mdm8-bf":
            c.sound(f"{meeting}/{meeting}_MDM8.wav", 3.0)
    c.lines(f"{root}/corpusResources/meetings.xml", f"<r>{meetings}</r>")
    return {"data_dir": c.root}


@recipe("aspire", mic="single")
@recipe("aspire", mic="multi", refused="which no file of its recording has")
def aspire(c, mic):
    root = "IARPA-ASpIRE-Dev-Sets-v2.0/data"
    for part in ("dev", "dev_test"):
        name = f"DEV_{part[-1]}01"
        for number in (1, 2) if mic == "multi" else (1,):
            end = f"_{number:02}" if mic == "multi" else ""
            c.sound(f"{root}/dev_and_dev_test_audio/ASpIRE_{mic}_{part}/{name}{end}.wav", 3.0, rate=8000)
        c.lines(f"{root}/dev_and_dev_test_STM_files/{'multi_' if mic == 'multi' else ''}{part}.stm",
                f"{name} 1 spk1 0.5 1.25 hello there", f"{name} 1 spk2 1.5 2.75 yes {part}")


@recipe("babel", called="babel")
def babel(c):
    for number, split in enumerate(("dev", "eval", "training")):
        name = f"BABEL_BP_101_1000{number}_20111024_205740_inLine"
        c.sound(f"conversational/{split}/audio/{name}.{'wav' if number else 'sph'}", 4.0, rate=8000)
        c.lines(f"conversational/{split}/transcription/{name}.txt", "[0.0]", "<no-speech>", "[0.645]", "喂 <breath>",
                "[2.115]", "唔係 (())", "[3.5]")


@recipe("broadcast_news", called="broadcast_news folder", refused="has supervisions, but its name does not say so",
        absolute_paths=True)
@recipe("broadcast_news", called="broadcast_news segments", refused="has no manifest of recordings beside it",
        files=["broadcast-news_segments_all.jsonl.gz"], absolute_paths=True)
def broadcast_news(c):
    c.sound("audio/a/b/ea960520.sph", 3.0)
    c.lines("text/ea960520.sgml", '<episode filename="ea" program="ABC" language="English">',
            '<section type="report" starttime=0 endtime=3>',
            '<turn speaker="A" spkrtype="male" starttime=0.5 endtime=1.5>', "<time sec=0.5>", "good evening", "</turn>",
            '<turn speaker="B" spkrtype="female" starttime=1.5 endtime=2.5>', "<time sec=1.5>", "the news", "</turn>",
            "</section>", "</episode>")
    return {"audio_dir": c.root / "audio", "transcripts_dir": c.root / "text"}


@recipe("callhome_egyptian", absolute_paths=True)
def callhome_egyptian(c):
    for split in ("train", "devtest", "evaltest"):
        name = f"ar_{len(split)}"
        c.sound(f"callhome/arabic/{split.replace('evaltest', 'evltest')}/{name}.sph", 4.0, channels=2, rate=8000)
        c.lines(f"callhome_arabic_trans_970711/transcrp/{split}/roman/{name}.txt", "0.50 1.75 A: alO", "",
                "1.80 2.25 B: aywa keda", "3.00 2.00 A: wrong")
    return {"audio_dir": c.root, "transcript_dir": c.root}


@recipe("callhome_english", called="callhome_english asr", absolute_paths=True)
@recipe("callhome_english", called="callhome_english sre", absolute_paths=True, refused="JSON array")
def callhome_english(c):
    sre = c.root.name.endswith("sre")
    for split in ("train", "devtest", "evaltest"):
        name = f"en_{len(split)}"
        c.sound(f"data/{split.replace('evaltest', 'evltest')}/{name}.sph", 4.0, channels=2, rate=8000)
        c.lines(f"transcrpt/{split}/{name}.txt", "# A comment", "0.50 1.75 A: hello there", "so long", "",
                "1.80 2.25 B1: yes")
    c.lines("fullref.rttm", *(f"SPEAKER en_{number} 1 0.5 1.25 <NA> <NA> A <NA> <NA>" for number in (5, 7, 8)))
    return {"audio_dir": c.root, "rttm_dir": c.root, "transcript_dir": None if sre else c.root}


@recipe("chime6", mic="ihm", dataset_parts="dev")
@recipe("chime6", mic="mdm", dataset_parts="dev", refused="which no file of its recording has")
def chime6(c, mic, dataset_parts):
    for session in ("S02", "S09"):
        for number in range(2):
            if mic == "ihm":
                c.sound(f"audio/dev/{session}_P0{number}.wav", 3.0, channels=2)
            else:
                c.sound(f"audio/dev/{session}_U01.CH{number + 1}.wav", 3.0)
        c.json(f"transcriptions/dev/{session}.json",
               [{"speaker": f"P0{number}", "start_time": f"0:00:0{number}.50", "end_time": f"0:00:0{number + 1}.25",
                 "words": f"Mm- hello, {number}", "ref": "U01", "location": "kitchen"} for number in range(2)])


@recipe("csj", dataset_parts="core", nj=1)
def csj(c, dataset_parts, nj):
    def line(key, number, begin, end, word, channel="L"):
        fields = [key, "0", key, f"{number:04} {begin:09.3f}-{end:09.3f} {channel}:001", "0", word, "", "", "", word,
                  word, "名詞", "", "", "", "", ""]
        return "\t".join(fields)
    key = "A01F0001"
    c.sound(f"WAV/core/{key}.wav", 4.0)
    c.lines(f"MORPH/SDB/core/{key}.sdb", line(key, 1, 0.5, 1.25, "音声"), line(key, 1, 1.25, 1.5, "(F えー)"),
            line(key, 2, 1.75, 3.0, "研究"), encoding="shift_jis")


@recipe("dihard3", num_jobs=1)
def dihard3(c):
    for part in ("dev", "eval"):
        name = f"DH_{part}_0001"
        c.sound(f"{part}/data/flac/{name}.flac", 4.0)
        c.lines(f"{part}/data/rttm/{name}.rttm", f"SPEAKER {name} 1 0.5 1.25 <NA> <NA> s1 <NA> <NA>",
                f"SPEAKER {name} 1 1.5 2.0 <NA> <NA> s2 <NA> <NA>")
        c.lines(f"{part}/data/uem/{name}.uem", f"{name} 1 0 4")
        c.lines(f"{part}/docs/recordings.tbl", "a b c d e f g h i", f"{name} True eng audiobooks libri 1 2 3 4")
    return {"dev_audio_dir": c.root / "dev", "eval_audio_dir": c.root / "eval"}


@recipe("dipco", mic="ihm")
@recipe("dipco", mic="mdm", refused="which no file of its recording has")
def dipco(c, mic):
    for part, sessions in (("dev", "S02 S04 S05 S09 S10"), ("eval", "S01 S03 S06 S07 S08")):
        for session in sessions.split():
            names = [f"P0{number}" for number in (1, 2)]
            if mic == "mdm":
                names = [f"U0{array}.CH{channel}" for array in range(1, 6) for channel in range(1, 8)]
            for name in names:
                c.sound(f"audio/{part}/{session}_{name}.wav", 2.0)
            c.json(f"transcriptions/{part}/{session}.json",
                   [{"speaker_id": f"P0{number}", "start_time": {"close-talk": f"00:00:0{number - 1}.25"},
                     "end_time": {"close-talk": f"00:00:0{number - 1}.875"}, "words": f"Hi, {number}", "ref": "U01",
                     "gender": "female", "nativeness": "native", "mother_tongue": "English", "session_id": session}
                    for number in (1, 2)])


def earnings(c, count, metadata):
    """As of both: whole calls."""
    for number in range(count):
        c.sound(f"media/44{number:05}.mp3")
        c.lines(f"transcripts/nlp_references/44{number:05}.nlp", "token|speaker|ts|endTs|punctuation|case|tags",
                "Good|1|||.|UC|[]", f"morning{number}|1|||,|LC|[]")
    if metadata:
        c.lines("metadata.csv", "File ID,Ticker,File Length,Sampling Rate,Country,Region,x",
                *(f"44{number:05},T,1,16000,Italy,Latin,x" for number in range(count)))


@recipe("earnings21")
def earnings21(c):
    earnings(c, 44, False)


@recipe("earnings22")
def earnings22(c):
    earnings(c, 125, True)


@recipe("edacc")
def edacc(c):
    root = "edacc_v1.0"
    columns = ["PARTICIPANT_ID", "What is your gender?", "What’s your ethnic background? ",
               "What is your higher level of education?",
               "How would you describe your accent in English? (e.g. Italian, Glaswegian)",
               "Do you speak any second languages? separate them with commas  (e.g., Mandarin,Catalan,French )",
               "What’s your year of birth? (e.g., 1992)", "What year did you start learning English? (e.g., 1999)"]
    c.lines(f"{root}/linguistic_background.csv", ",".join(f'"{each}"' for each in columns),
            'EDACC-C01-A,Female,White,PhD,Scottish,"French, Dutch",1990,1990',
            "EDACC-C02-A,Male,Asian,BSc,Indian,,1992,")
    for number, split in enumerate(("dev", "test"), 1):
        name = f"EDACC-C0{number}"
        c.sound(f"{root}/data/{name}.wav", 3.0, rate=32000)
        keys = [f"{name}-00000000{place}" for place in range(2)]
        c.lines(f"{root}/{split}/segments", *(f"{key} {name} {place + 0.25} {place + 1.125}"
                                              for place, key in enumerate(keys)))
        c.lines(f"{root}/{split}/text", *(f"{key} HELLO {key[-1]}" for key in keys))
        c.lines(f"{root}/{split}/utt2spk", *(f"{key} {name}-A" for key in keys))
        c.lines(f"{root}/{split}/conv.list", name)


@recipe("eval2000", absolute_paths=True)
def eval2000(c):
    c.sound("LDC2002S09/hub5e_00/english/en_4156.sph", 4.0, channels=2, rate=8000)
    c.lines("LDC2002T43/reference/english/en_4156.txt", "#Language: eng", "", "0.5 1.75 A: oh yes", "1.5 2.25 B: i see")


def fisher_names(part, number):
    return f"LDC200{part}S13/fisher_eng_tr_sp_d1/audio/000/fe_03_0000{number}.sph"


@recipe("fisher_english", called="fisher_english folder", absolute_paths=True, refused="is twice")
@recipe("fisher_english", called="fisher_english absolute", absolute_paths=True,
        files=["fisher-english_recordings_all.jsonl.gz"])
@recipe("fisher_english", called="fisher_english relative", options=["--audio-root", "{root}"],
        files=["fisher-english_recordings_all.jsonl.gz"])
def fisher_english(c):
    for part, number in ((4, 1), (5, 2)):
        name, folder = f"fe_03_0000{number}", f"LDC200{part}T19"
        c.sound(fisher_names(part, number), 4.0, channels=2, rate=8000)
        c.lines(f"{folder}/data/trans/000/{name}.txt", f"# {name}.sph", "# Transcribed by BBN", "",
                "0.50 1.76 B: and i generally", "", f"1.50 2.54 A: prefer {number}")
        c.lines(f"{folder}/doc/fe_03_p{number}_calldata.tbl", "CALL,DATE,TOPIC,SIG,CLN,APIN,ASX,ADG,APH,B,BPIN",
                f"0000{number},x,x,x,x,26{number},m,x,x,x,78{number}")


@recipe("fisher_spanish", absolute_paths=True)
def fisher_spanish(c):
    name = "20051009_182032_217_fsp"
    c.sound(f"audio/data/speech/{name}.sph", 4.0, channels=2, rate=8000)
    row = "{}.sph\t{}\t{}\t{}\ts\tf\tn\t{}\t0\t0\t0"
    c.lines(f"text/data/transcripts/{name}.tdf", "file;unicode", ";;MM", ";;MM",
            row.format(name, 0, 0.5, 1.75, "Aló sí"), row.format(name, 1, 1.8, 2.5, "buenas noches"),
            row.format(name, 1, 3, 3, "nada"))
    c.lines("text/doc/fsp_call.tbl", "call,a,b", "217,x,1234,x,x,x,x,x,5678,x")
    return {"audio_dir_path": c.root / "audio", "transcript_dir_path": c.root / "text"}


def gale(c, names):
    for name in names:
        c.sound(f"audio/{name}.flac", 4.0)
        row = f"{name}.sph\t0\t{{}}\t{{}}\t{{}}\tmale\tx\t{{}}\t1\t1\t{{}}\treport\tstatement"
        c.lines(f"text/{name}.tdf", "file;unicode", ";;MM", ";;MM", row.format(0.5, 1.75, "speaker1*", " السلام ", 1),
                row.format(2.0, 3.25, "speaker#2", "عليكم", 2))
    return {"audio_dirs": [c.root / "audio"], "transcript_dirs": [c.root / "text"]}


@recipe("gale_arabic")
def gale_arabic(c):
    return gale(c, ("ALAM_WITHEVENT_ARB_20070116_205800", "ALAM_NEWSRPT_ARB_1"))


@recipe("gale_mandarin")
def gale_mandarin(c):
    return gale(c, ("CCTV_NEWS_CMN_1", "IN_THE_TEST"))


@recipe("gigaspeech", num_jobs=1)
def gigaspeech(c):
    audios = []
    for number, part in enumerate(("XL", "DEV", "TEST")):
        name = f"POD000{number}"
        seconds = c.sound(f"audio/podcast/P0000/{name}.opus", 4.0)
        audios.append({"aid": name, "path": f"audio/podcast/P0000/{name}.opus", "sample_rate": RATE, "channels": 1,
                       "duration": seconds, "subsets": ["{" + part + "}"], "segments": [
                           {"sid": f"{name}_S000000{place}", "begin_time": place + 0.5, "end_time": place + 1.25,
                            "speaker": "N/A", "text_tn": f"AS THEY <COMMA> {place}", "subsets": ["{" + part + "}"]}
                           for place in range(2)]})
    c.json("GigaSpeech.json", {"audios": audios})


@recipe("gigast", refused="has no manifest of recordings beside it", languages="de", dataset_parts="XL")
def gigast(c, languages, dataset_parts):
    for kind, line in (("recordings", {"id": "POD0001", "sources": [], "sampling_rate": RATE, "num_samples": 32000,
                                       "duration": 2.0}),
                       ("supervisions", {"id": "POD0001_S0000001", "recording_id": "POD0001", "start": 0.5,
                                         "duration": 1.0, "channel": 0, "text": "AS THEY"})):
        c.path(f"g/gigaspeech_{kind}_XL.jsonl.gz").write_bytes(gzip.compress(json.dumps(line).encode() + b"\n"))
    c.json("GigaST.de.json", {"audios": [{"segments": [{"sid": "POD0001_S0000001", "text_raw": "Als sie",
                                                        "extra": {}}]}]})
    return {"manifests_dir": c.root / "g"}


@recipe("icmcasr", mic="ihm")
@recipe("icmcasr", mic="sdm")
@recipe("icmcasr", mic="mdm", refused="which no file of its recording has")
def icmcasr(c, mic):
    for part in ("train", "dev", "eval_track1"):
        root = f"{part}/001"
        for name in ("DA01", "DA02", "DX01C01", "DX02C01", "DX03C01", "DX04C01"):
            c.sound(f"{root}/{name}.wav", 3.0)
        for number, name in enumerate(("DA01", "DA02")):
            c.grid(f"{root}/{name}.TextGrid", [(f"s{number}", [(0.25, 1.5, f"打开 {number}"), (1.5, 2, "")])], 3)


@recipe("icsi", mic="ihm")
@recipe("icsi", mic="sdm")
@recipe("icsi", mic="ihm-mix")
@recipe("icsi", mic="mdm", refused="which no file of its recording has")
def icsi(c, mic):
    names = {"ihm": ["chan0", "chan1"], "sdm": ["chan6"], "mdm": ["chanE", "chanF", "chan6", "chan7"],
             "ihm-mix": ["mix"]}[mic]
    meetings = ""
    for meeting in ("Bdb001", "Bmr021", "Bmr013"):
        speakers = [("A", f"me{meeting[-3:]}", "chan0"), ("B", f"fe{meeting[-3:]}", "chan1")]
        meetings += f'<Meeting Session="{meeting}"><Preamble><Channels>'
        meetings += "".join(f'<Channel Name="{name}"/>' for name in ("chan0", "chan1", "chan6"))
        meetings += "</Channels><Participants>"
        meetings += "".join(f'<Participant Name="{name}" Channel="{channel}"/>' for _, name, channel in speakers)
        meetings += "</Participants></Preamble></Meeting>"
        for place, (letter, name, _) in enumerate(speakers):
            begin = place + 0.25
            c.lines(f"transcripts/Segments/{meeting}.{letter}.segs.xml",
                    f'<r><segment participant="{name}" starttime="{begin}" endtime="{begin + 1}"/></r>')
            c.lines(f"transcripts/Words/{meeting}.{letter}.words.xml",
                    f'<r><w starttime="{begin}" endtime="{begin + 0.25}">Yeah</w>'
                    f'<w starttime="{begin + 0.5}" endtime="{begin + 0.75}">{letter}.</w></r>')
        for name in names:
            c.sound(f"{meeting}/{name}.{'wav' if name == 'mix' else 'sph'}", 3.0)
    c.lines("transcripts/preambles.mrt", f"<Meetings>{meetings}</Meetings>")
    return {"audio_dir": c.root}


@recipe("iwslt22_ta")
def iwslt22_ta(c):
    """Its argument hides its function, which it calls, and so has to be this function."""
    keys = [f"20170606_10325{number}_13188_{'AB'[number % 2]}" for number in range(3)]
    for number, (key, split) in enumerate(zip(keys, ("train", "dev", "test1"), strict=True)):
        c.sound(f"data/audio/ta/{key}.sph", 3.0, rate=8000)
        c.lines(f"data/transcripts/ta/{key}.ta.tsv", f"0.5\t1.25\tA\tأهلا {number}؟", "1.5\t2.5\tB\tلا")
        c.lines(f"data/translations/ta/{key}.eng.tsv", f"0.5\t1.25\tA\tHello {number}?", "1.5\t2.5\tB\tNo.")
        c.lines(f"splits/{split}.file_id.txt", key)
    c.lines("splits/exclude-utterance.txt", "20170606_102356_0 0.5 1.0")
    return {"splits": c.root / "splits",
            "normalize_text": importlib.import_module("lhotse.recipes.iwslt22_ta").normalize_text}


@recipe("libricss", type="ihm")
@recipe("libricss", type="ihm-mix")
@recipe("libricss", type="sdm")
@recipe("libricss", type="mdm")
def libricss(c, type):
    for ratio, start in (("0L", "0.0_sil2.9_3.0_session0"), ("0S", "0.0_sil0.1_0.5_session0"),
                         *((f"OV{number}", f"{number}.0_sil0.1_1.0_session0") for number in (10, 20, 30, 40))):
        from lhotse.recipes.libricss import SPK_TO_CHANNEL_MAP
        name = next(each for each in sorted(SPK_TO_CHANNEL_MAP) if start in each)
        speakers = list(SPK_TO_CHANNEL_MAP[name])[:2]
        root = f"for_release/{ratio}/{name}"
        c.sound(f"{root}/clean/mix.wav", 3.0)
        c.sound(f"{root}/clean/each_spk.wav", 3.0, channels=8)
        c.sound(f"{root}/record/raw_recording.wav", 3.0, channels=7)
        c.lines(f"{root}/transcription/meeting_info.txt", "start\tend\tspeaker\tutterance_id\ttranscription",
                *(f"{place + 0.25}\t{place + 1.125}\t{speaker}\t{speaker}-1-0\tA B {place}"
                  for place, speaker in enumerate(speakers)))


@recipe("librilight", num_jobs=1)
def librilight(c):
    for number, part in enumerate(("small", "medium", "large")):
        name = f"{part}/10{number}/emma_librivox/emma_0{number}_64kb"
        c.sound(f"{name}.flac", 4.0)
        c.json(f"{name}.json", {"speaker": f"10{number}", "voice_activity": [[0.5, 1.48], [2.0, 3.25]]})


def libri_cuts(c, part, name):
    """Cuts of LibriSpeech, as a recipe of mixtures wants them: made by Lhotse."""
    from lhotse import CutSet, Recording, SupervisionSegment
    cuts = []
    for number in range(2):
        key = f"10{number}-1240-0000"
        c.sound(f"libri/{key}.flac", 1.0 + number)
        recording = Recording.from_file(c.root / f"libri/{key}.flac")
        cut = recording.to_cut()
        cut.id = f"{key}-{number}"
        cut.supervisions = [SupervisionSegment(key, key, 0, recording.duration, text=f"CHAPTER {number}")]
        cuts.append(cut)
    CutSet.from_cuts(cuts).to_file(c.path(f"libri/librispeech_{name}_{part}.jsonl.gz"))
    return [cut.recording_id for cut in cuts]


@recipe("librimix", refused="MixedCut", n_src=2)
def librimix(c, n_src):
    from lhotse import RecordingSet
    keys = libri_cuts(c, "dev-clean", "cutset")
    for split in ("tr", "cv", "tt"):
        c.sound(f"wham/{split}/noise.wav", 3.0)
        noise = RecordingSet.from_dir(c.root / f"wham/{split}", "*.wav")
        noise.to_file(c.root / f"wham/wham_recordings_{split}.jsonl.gz")
    c.lines("meta/Libri2Mix/libri2mix_dev-clean.csv",
            "mixture_ID,source_1_path,source_1_gain,source_2_path,source_2_gain,noise_path,noise_gain",
            f"{'_'.join(keys)},a/{keys[0]}.flac,0.5,a/{keys[1]}.flac,0.75,cv/noise.wav,0.25")
    return {"librispeech_root_path": c.root / "libri", "wham_recset_root_path": c.root / "wham",
            "librimix_metadata_path": c.root / "meta", "workdir": c.root / "work"}


@recipe("librimix_mini", called="librimix_mini", with_precomputed_mixtures=True,
        files=[f"librimix_recordings_{part}.jsonl.gz" for part in ("sources", "mix")])
@recipe("librimix_mini", called="librimix_mini noise", refused="has no manifest of recordings beside it")
def librimix_mini(c):
    rows = []
    for number in range(2):
        paths = [f"{c.root}/{name}/{number}.wav" for name in ("mix", "s1", "s2", "noise")]
        for name in ("mix", "s1", "s2", "noise"):
            c.sound(f"{name}/{number}.wav", 4.0)
        rows.append(f"m{number},{','.join(paths)},64000")
    c.lines("mix.csv", "mixture_ID,mixture_path,source_1_path,source_2_path,noise_path,length", *rows)
    return {"librimix_csv": c.root / "mix.csv"}


@recipe("librispeechmix", refused="MixedCut")
def librispeechmix(c):
    keys = libri_cuts(c, "dev-clean", "cutset")
    c.jsonl("meta/dev-clean-2mix.jsonl", {"id": "dev-clean-2mix/dev-clean-2mix-0000", "delays": [0.0, 0.5],
                                          "wavs": [f"dev-clean/{key}.wav" for key in keys]})
    return {"librispeech_root_path": c.root / "libri", "librispeechmix_metadata_path": c.root / "meta"}


@recipe("medical", num_jobs=1)
def medical(c):
    for part in ("test", "dev", "train"):
        c.sound(f"audio/{part}/a_{part}.mp3", 4.0)
        c.lines(f"medical_{part}.info", f"audio/{part}/a_{part}.mp3[0.5,1.75],take two",
                f"audio/{part}/a_{part}.mp3[2.0,3.25],a day")


@recipe("mtedx", languages="es")
def mtedx(c, languages):
    for number, split in enumerate(("train", "valid", "test")):
        name = f"{number}Nd2NgHbDk"
        c.sound(f"es-es/data/{split}/wav/{name}.flac", 4.0)
        c.lines(f"es-es/data/{split}/vtt/{name}.es.vtt", "WEBVTT", "Kind: captions", "",
                "00:00:00.000 --> 00:00:00.400", "x", "", "00:00:00.500 --> 00:00:01.750", "¡Gracias, a todos!", "",
                "00:00:02.000 --> 00:00:03.125",
                "Soy Ana.", "")


@recipe("must_c", tgt_lang="de", num_jobs=1)
def must_c(c, tgt_lang, num_jobs):
    for number, part in enumerate(("dev", "tst-COMMON", "tst-HE", "train")):
        root = f"en-de/data/{part}"
        c.sound(f"{root}/wav/ted_{number}.wav", 4.0)
        c.lines(f"{root}/txt/{part}.de", "Danke schön.", "Gut.")
        c.lines(f"{root}/txt/{part}.yaml", *(f"- {{duration: 1.25, offset: {offset}, rW: 2, speaker_id: spk.{number}, "
                                             f"wav: ted_{number}.wav}}" for offset in (0.5, 2.125)))


@recipe("notsofar1", called="notsofar1 sdm")
@recipe("notsofar1", called="notsofar1 ihm")
@recipe("notsofar1", called="notsofar1 mdm", refused="which no file of its recording has")
def notsofar1(c):
    root = "benchmark-datasets/dev_set/240208/MTG/MTG_30830"
    kind = c.root.name.split("_")[-1]
    c.json(f"{root}/gt_meeting_metadata.json", {"ParticipantAliasToCtDevice": {"Jim": "CT_21", "Ann": "CT_22"}})
    c.json(f"{root}/gt_transcription.json",
           [{"speaker_id": name, "start_time": str(place + 0.25), "end_time": str(place + 1.5), "text": f"So {name}",
             "word_timing": [["So", str(place + 0.25), str(place + 0.5)]]}
            for place, name in enumerate(("Jim", "Ann"))])
    for name in {"sdm": ("sc_plaza_0/ch0",), "mdm": ("mc_plaza_0/ch0", "mc_plaza_0/ch1"),
                 "ihm": ("close_talk/CT_21", "close_talk/CT_22")}[kind]:
        c.sound(f"{root}/{name}.wav", 3.0)


@recipe("nsc", dataset_part="PART3_SameCloseMic")
@recipe("nsc", dataset_part="PART3_SeparateIVR")
@recipe("nsc", dataset_part="PART6_CallCentreDesign1")
def nsc_talks(c, dataset_part):
    root = "IMDA - National Speech Corpus"
    more = f"{root} - Additional/{root} (Additional)"
    audio, script = {
        "PART3_SameCloseMic": (f"{root}/PART3/Audio Same CloseMic/3000-1", f"{root}/PART3/Scripts Same/3000-1"),
        "PART3_SeparateIVR": (f"{root}/PART3/Audio Separate IVR/conf_1/conf_1_30",
                              f"{root}/PART3/Scripts Separate/conf_1_conf_1_30"),
        "PART6_CallCentreDesign1": (f"{more}/PART6/Call Centre Design 1/Audio/app_1",
                                    f"{more}/PART6/Call Centre Design 1/Scripts/app_1")}[dataset_part]
    c.sound(f"{audio}.wav", 3.0)
    c.grid(f"{script}.TextGrid", [(script.rpartition("/")[2], [(0, 0.5, "<S>"), (0.5, 1.75, "okay (uh) lah"),
                                                              (1.75, 3.5, "can or not")])], 3.5)


@recipe("oto_speech", refused="transformed")
def oto_speech(c):
    c.sound("tmp/otoSpeech_1.flac", 3.0, rate=48000)
    with tarfile.open(c.path("data/train/a.tar"), "w") as archive:
        archive.add(c.root / "tmp/otoSpeech_1.flac", "x/otoSpeech_1.flac")
    c.json("seglst.json", [{"session_id": "otoSpeech_1", "start_time": 0.5, "end_time": 1.75, "words": "hi there",
                            "speaker": "s1", "word_alignment": [["hi", 0.5, 0.75]]}])


@recipe("radio", num_jobs=1)
def radio(c):
    name = "2019_01_02_3h_4m_5s_dur30_KXYZ-FM_lat42.1_long-71.5_x"
    c.sound(f"recos/recos.1/{name}.flac", 4.0)
    c.json(f"segs/segs.1/{name}.json", [["male", 0.5, 1.75], ["music", 1.75, 2.0], ["female", 2.0, 3.25]])


@recipe("sbcsae", called="sbcsae", omit_realignments=True)
@recipe("sbcsae", called="sbcsae folder of all", refused="is twice")
@recipe("sbcsae", called="sbcsae realigned", files=[f"sbcsae_{name}.jsonl.gz" for name in (
    "recordings", "supervisions_asr_aligned", "supervisions_diar_aligned")])
def sbcsae(c):
    for kind in ("asr", "diar"):
        c.lines(f"aligned_for_{kind}.stm", f"SBC001 1 0001_ANN 0.{len(kind)} 1.6 So you know.",
                "SBC001 1 9999_X 0 4 another", "SBC003 1 9999_X 0 4 another")
    for part in range(1, 5):
        number = f"00{part}"
        c.lines(f"docs/Part_{part}/segment.tbl", f"sbc{number} speaker: 000{part}" if part != 3 else
                f"sbc{number} speaker: 0003 Ann")
        c.lines(f"docs/Part_{part}/speaker.tbl", f"000{part},Ann,f,30,x,y")
    for number, channels in (("001", 2), ("003", 1)):
        c.sound(f"WAV/SBC{number}.wav", 4.0, channels=channels, rate=22050)
        c.lines(f"TRN/SBC{number}.trn", "0.50 1.75\tANN:    \t... So [you] know=.", "1.75 2.50\t        \t(H) yes",
                "2.50 3.75\tBOB:    \t@@ Mhm .", encoding="latin1")


@recipe("switchboard", absolute_paths=True)
def switchboard(c):
    for number in (1, 2):
        c.sound(f"audio/sw0200{number}.sph", 4.0, channels=2, rate=8000)
        for channel in "AB":
            key = f"sw200{number}{channel}-ms98-a-000"
            c.lines(f"text/{number}/sw200{number}{channel}-ms98-a-trans.text", f"{key}1 0.000000 0.500000 [silence]",
                    f"{key}2 0.500000 1.750000 hi um {channel}", f"{key}3 2.000000 3.123375 okay")
    return {"audio_dir": c.root / "audio", "transcripts_dir": c.root / "text"}


def ted(c, above):
    for number, split in enumerate(("train", "dev", "test")):
        name = f"AaronHuey_201{number}X"
        c.sound(f"{above}{split}/sph/{name}.sph", 4.0)
        c.lines(f"{above}{split}/stm/{name}.stm", f"{name} 1 {name} 0.50 1.75 <o,f0,male> i 'm here {{NOISE}}",
                f"{name} 1 inter_segment_gap 1.75 2.0 <o,,unknown> ignore_time_segment_in_scoring",
                f"{name} 1 {name} 2.0 3.125 <o,f0,male> thanks (2)")
    return {"tedlium_root": c.root}


@recipe("tedlium")
def tedlium(c):
    return ted(c, "legacy/")


@recipe("tedlium2")
def tedlium2(c):
    return ted(c, "")


@recipe("this_american_life")
def this_american_life(c):
    for number, part in enumerate(("train", "valid", "test")):
        c.sound(f"audio/ep-{number}.mp3", 4.0)
        c.json(f"{part}-transcripts-aligned.json",
               {f"ep-{number}": [{"utterance": f"From {place} Chicago", "utterance_start": begin, "n_words": 3,
                                  "utterance_end": begin + 1.25, "speaker": "ira glass",
                                  "alignments": [[begin, begin + 0.5, 0]]} for place, begin in enumerate((0.5, 2.0))]})


@recipe("uwb_atcc")
def uwb_atcc(c):
    """The recipe counts the transcripts; all but two are of audio that is not there."""
    for number in range(2657):
        c.lines(f"ACCU-{number:06}.trs",
                f'<Trans audio_filename="e2_ACCU-{number:06}.wav"><Episode><Section type="report">'
                '<Turn startTime="0" endTime="3.0"><Sync time="0"/>[ground] OK 120 KLM<Sync time="1.25"/>'
                '[air] praha (CSA(C S A)) . 5<Sync time="2.75"/> </Turn></Section></Episode></Trans>')
    for number in range(2):
        c.sound(f"ACCU-{number:06}.wav", 3.0, rate=8000)


@recipe("voxconverse")
def voxconverse(c):
    for part in ("dev", "test"):
        for number in range(2):
            name = f"{part}/{part}a{number}"
            c.sound(f"{name}.wav", 3.0)
            c.lines(f"{name}.rttm", "SPEAKER x 1 0.5 1.25 <NA> <NA> spk00 <NA> <NA>",
                    f"SPEAKER x 1 1.5 {0.75 + number} <NA> <NA> spk01 <NA> <NA>")


@recipe("voxpopuli", lang="en")
def voxpopuli(c, lang):
    rows = ["session_id|id_|original_text|normed_text|speaker_id|split|gender|is_gold_transcript|accent|start_time|"
            "end_time"]
    for number, split in enumerate(("train", "dev", "test")):
        name = f"2018013{number}-0900-PLENARY-15-en"
        c.sound(f"raw_audios/en/2018/{name[:-3]}_en.ogg", 4.0)
        for begin in (0.5, 2.0):
            rows.append(f"{name[:-3]}|1|Thank you.|thank you {begin}|12470{number}|{split}|male|True|None|{begin}|"
                        f"{begin + 1.25}")
    c.path("asr_en.tsv.gz").write_bytes(gzip.compress("\n".join(rows).encode()))


@recipe("wenet_speech", dataset_parts="L", num_jobs=1)
def wenet_speech(c, dataset_parts, num_jobs):
    audios = []
    for number in range(2):
        name = f"Y000000000{number}_--5llN02F84"
        path = f"audio/train/youtube/B0000{number}/{name}.opus"
        seconds = c.sound(path, 4.0)
        audios.append({"aid": name, "path": path, "duration": seconds, "segments": [
            {"sid": f"{name}_S0000{place}", "begin_time": begin, "end_time": begin + 1.31, "text": f"怎么样 {place} ",
             "subsets": ["L", "M"]} for place, begin in enumerate((0.5, 2.08))]})
    c.json("WenetSpeech.json", {"audios": audios})


# Audio without texts.

@recipe("but_reverb_db", called="but_reverb_db folder", options=["--allow-missing-text"], refused="is twice")
@recipe("but_reverb_db", files=[f"but-reverb-db_{part}_recordings.jsonl.gz" for part in ("silence", "rir")])
def but_reverb_db(c):
    for part in ("silence", "RIR"):
        for version in range(2):
            c.sound(f"VUT_FIT_D105/MicID01/SpkID01_2018/01/{part}/IR_x.v0{version}.wav")


@recipe("bvcc", num_jobs=1)
def bvcc(c):
    for name, wavs in (("main", ("sys1-utt1", "sys1-utt2", "sys1-utt3")), ("ood", ("sys2-utt1", "sys2-utt2",
                                                                                   "sys2-utt3", "sys2-utt4"))):
        root = f"phase1-{name}/DATA"
        for wav in wavs:
            c.sound(f"{root}/wav/{wav}.wav")
        about = ["x_20-29_L{}_Male_x_x_No" if name == "main" else "x_x_L{}_x_x_x_EE"] * 2
        for part, wav in (("DEVSET", wavs[0]), ("TRAINSET", wavs[1])):
            c.lines(f"{root}/sets/{part}", *(f"sys1,{wav}.wav,{3 + number},x,{each.format(number)}"
                                             for number, each in enumerate(about)))
        c.lines(f"{root}/sets/test.scp", f"{wavs[2]}.wav")
    c.lines("phase1-ood/DATA/sets/unlabeled_mos_list.txt", "sys2-utt4.wav")


@recipe("musan")
def musan(c):
    for name in ("music/fma/music-fma-0000", "music/fma/music-fma-0001", "speech/librivox/speech-librivox-0000",
                 "noise/free-sound/noise-free-sound-0000"):
        c.sound(f"{name}.wav")
    c.lines("music/fma/ANNOTATIONS", "music-fma-0000 ambient,chill Y quiet_music x", "music-fma-0001 rock N cdk x")


@recipe("rir_noise")
def rir_noise(c):
    for name in ("pointsource_noises/noise-free-sound-0000", "real_rirs_isotropic_noises/RVB2014_type1_rir_large",
                 "real_rirs_isotropic_noises/RVB2014_type1_noise_large",
                 "simulated_rirs/smallroom/Room001/Room001-00001",
                 "simulated_rirs/mediumroom/Room001/Room001-00001", "simulated_rirs/largeroom/Room001/Room001-00001"):
        c.sound(f"{name}.wav", channels=8 if "isotropic" in name else 1)


@recipe("wham")
def wham(c):
    for split in ("tr", "cv", "tt"):
        c.sound(f"{split}/{split}_01.wav", channels=2)


# What Lhotse says.

class Sample(typing.NamedTuple):
    recording: object
    channels: object  # None: all
    start: float
    duration: float
    supervision: object


def manifests_in(made):
    """What a recipe returns, by its kinds: (recordings, supervisions or None) and cuts."""
    from lhotse import CutSet, RecordingSet, SupervisionSet
    if isinstance(made, CutSet):
        yield made
        return
    values = list(made.values()) if isinstance(made, dict) else list(made)
    cuts = [each for each in values if isinstance(each, CutSet)]
    recordings = [each for each in values if isinstance(each, RecordingSet)]
    supervisions = [each for each in values if isinstance(each, SupervisionSet)]
    if cuts:
        yield from cuts
    elif recordings:
        yield recordings[0], supervisions[0] if supervisions else None
    else:
        for each in values:
            if isinstance(each, (dict, tuple)):
                yield from manifests_in(each)


def manifests_of(path):
    """The same by the name of a file of recordings or supervisions."""
    from lhotse import load_manifest
    recordings, supervisions = (path.with_name(re.sub("recordings|supervisions", kind, path.name))
                                for kind in ("recordings", "supervisions"))
    if not recordings.exists():
        recordings, = path.parent.glob("*_recordings*")
    return load_manifest(recordings), load_manifest(supervisions) if supervisions.exists() else None


def samples_of(manifests):
    """By their keys. Recordings without supervisions are whole."""
    found = []
    for each in manifests:
        if not isinstance(each, tuple):
            for cut in each:
                if len(cut.supervisions) == 1:
                    found.append((cut.id, Sample(cut.recording, cut.channel, cut.start, cut.duration,
                                                 cut.supervisions[0])))
                for one in cut.supervisions if len(cut.supervisions) > 1 else ():
                    found.append((one.id, Sample(cut.recording, one.channel, cut.start + one.start, one.duration, one)))
            continue
        recordings = {recording.id: recording for recording in each[0]}
        said = list(each[1] or ())
        for one in said:
            found.append((one.id, Sample(recordings[one.recording_id], one.channel, one.start, one.duration, one)))
        for name in recordings.keys() - {one.recording_id for one in said}:
            found.append((name, Sample(recordings[name], None, 0.0, recordings[name].duration, None)))
    samples = {str(key): sample for key, sample in found}
    if len(samples) != len(found):
        raise ValueError("the recipe gives an id twice")
    return samples


DECODED = {}


def read(data):
    """All frames and the rate; what libsndfile cannot read is decoded by ffmpeg."""
    try:
        return soundfile.read(io.BytesIO(data), dtype="float32", always_2d=True)
    except soundfile.LibsndfileError:
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            raw = subprocess.run(["ffmpeg", "-loglevel", "error", "-i", file.name, "-vn", "-f", "wav", "-"], check=True,
                                 stdout=subprocess.PIPE).stdout
        return soundfile.read(io.BytesIO(raw), dtype="float32", always_2d=True)


def decoded(path):
    if path not in DECODED:
        DECODED[path] = read(path.read_bytes())
    return DECODED[path]


def stretch(sample, root):
    """The frames of a sample in its source, and the rate."""
    channels, rate = [], 0
    wanted = sample.channels if sample.channels is not None else sample.recording.channel_ids
    for channel in wanted if isinstance(wanted, list) else [wanted]:
        source = next(each for each in sample.recording.sources if channel in each.channels)
        values, rate = decoded(root / source.source)
        channels.append(values[:, source.channels.index(channel)])
    begin = round(sample.start * rate)
    return numpy.stack(channels, axis=1)[begin:begin + round(sample.duration * rate)], rate


# What shardmill makes of it.

def same_sound(found, wanted, rates):
    """Why not, or nothing. One frame more or less at the end is rounding; the values of what is cut from a lossy file
    are rounded to 16 bits."""
    if rates[0] != rates[1]:
        return f"{rates[0]} Hz instead of {rates[1]}"
    if found.shape[1] != wanted.shape[1]:
        return f"{found.shape[1]} channels instead of {wanted.shape[1]}"
    count = min(len(found), len(wanted))
    if count == 0 or max(len(found), len(wanted)) > count + 1:
        return f"{len(found)} frames instead of {len(wanted)}"
    return "" if numpy.abs(found[:count] - wanted[:count]).max() < 2e-5 else "another sound"


def differences(records, tar, samples, root):
    if records.keys() != samples.keys():
        missing, more = sorted(samples.keys() - records.keys()), sorted(records.keys() - samples.keys())
        yield f"{len(records)} samples instead of {len(samples)}; missing {missing[:3]}, more {more[:3]}"
    for key in sorted(samples.keys() & records.keys()):
        record, sample = records[key], samples[key]
        one = sample.supervision
        fields = json.loads(json.dumps(getattr(one, "custom", None) or {}))
        for name in ("text", "speaker", "gender", "language"):
            wanted = getattr(one, name, None)
            wanted = "" if wanted is None or wanted != wanted else str(wanted).strip()
            if record.get(name, "") != (wanted or fields.get(name, "")):
                yield f"{key}: {name} {record.get(name)!r} instead of {wanted!r}"
        for name, wanted in fields.items():
            value = record.get(f"source_{name}", record.get(name))
            if value != wanted:
                yield f"{key}: custom {name} {value!r} instead of {wanted!r}"
        for name, value, wanted in (("start", record.get("source_begin", 0.0), sample.start),
                                    ("duration", record["duration"], sample.duration)):
            if abs(value - wanted) > 0.001:
                yield f"{key}: {name} {value} instead of {wanted}"
        found, rate = read(tar[record["audio_filepath"]])
        wanted, wanted_rate = stretch(sample, root)
        if problem := same_sound(found, wanted, (rate, wanted_rate)):
            yield f"{key}: {problem}"


def repacked(folder, out, options):
    """The records by their keys and the members of the shard, or the message."""
    done = subprocess.run([PROGRAM, "repack", f"lhotse:{folder}", "--out", out, "--shards", "1", "-q", *options],
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        return None, done.stderr.decode().strip()
    records = [json.loads(line) for line in (out / "tarred_audio_manifest.json").read_text().splitlines()]
    with tarfile.open(next((out / "shards").glob("*.tar"))) as tar:
        members = {each.name: tar.extractfile(each).read() for each in tar}
    return {record["source_key"]: record for record in records}, members


def prepared(run, root, manifests):
    """Runs the recipe; returns what it returns."""
    corpus = Corpus(root)
    takes = inspect.signature(run.make).parameters
    more = run.make(corpus, **{name: value for name, value in run.arguments.items() if name in takes}) or {}
    module = importlib.import_module(f"lhotse.recipes.{run.module}")
    replace_downloads(module, root)
    prepare = getattr(module, f"prepare_{run.module}", None) or module.prepare_single_babel_language
    arguments = {"corpus_dir": root, "output_dir": manifests, "manifest_dir": manifests, **run.arguments, **more}
    takes = inspect.signature(prepare).parameters
    with contextlib.redirect_stdout(io.StringIO()):
        return prepare(**{name: value for name, value in arguments.items() if name in takes})


def compare(run, folder):
    """Yields for each source the message, or None if it is not refused, and the differences."""
    root, manifests = folder / run.name.replace(" ", "_"), folder / "manifests"
    root.mkdir()
    manifests.mkdir()
    made = prepared(run, root, manifests)
    if not any(manifests.glob("*.gz")) and not any(manifests.glob("*.json*")):
        manifests = next(manifests.iterdir())  # of a language
    for number, name in enumerate(run.files or [""]):
        if run.refused:
            pairs = []
        elif name:
            pairs = [manifests_of(manifests / name)]
        else:
            pairs = manifests_in(made) if made else map(manifests_of, manifests.glob("*_recordings*"))
        samples = samples_of(pairs)
        options = [option.format(root=root) for option in (*run.options, "--subset", "all")]
        if any(not (sample.supervision and sample.supervision.text) for sample in samples.values()):
            options.append("--allow-missing-text")
        records, members = repacked(manifests / name, folder / f"out{number}", options)
        if records is None:
            yield members, []
        else:
            found = list(differences(records, members, samples, root))
            yield None, found if samples else ["no samples"]
            SAMPLES[run.name] += len(samples)


# What replaces packages and downloads.

def replace_module(name, **members):
    sys.modules[name] = module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__dict__.update(members)


def replace_downloads(module, root):
    """GALE's list of tests, VoxCeleb's trials, SBCSAE's alignments, VoxPopuli's annotations."""
    if hasattr(module, "urlopen"):
        module.urlopen = lambda url: [b"IN_THE_TEST\n"]
    if hasattr(module, "resumable_download"):
        module.resumable_download = lambda url, filename, **_: pathlib.Path(filename).write_text("")
    if hasattr(module, "retrieve_stm_file"):
        module.retrieve_stm_file = lambda url: module.parse_stm_file((root / url.rpartition("/")[2]).read_text())
    if hasattr(module, "download_url_to_file"):
        module.download_url_to_file = lambda url, path: path.write_bytes((root / path.name).read_bytes())


SPH2PIPE = """#!/bin/sh
# sph2pipe -f wav -p -t BEGIN:END FILE
exec {python} -c '
import io, sys, soundfile
begin, _, end = sys.argv[5].partition(":")
values, rate = soundfile.read(sys.argv[6], dtype="int16")
out = io.BytesIO()
soundfile.write(out, values[round(float(begin) * rate):round(float(end) * rate) if end else None], rate, format="WAV")
sys.stdout.buffer.write(out.getvalue())' "$@"
"""


def replace_packages(folder):
    class Interval(typing.NamedTuple):
        minTime: float
        maxTime: float
        mark: str
        xmin = property(lambda self: self.minTime)
        xmax = property(lambda self: self.maxTime)
        text = property(lambda self: self.mark)

    def grid(path):
        tiers = [types.SimpleNamespace(name=name, intervals=[Interval(*each) for each in intervals])
                 for name, intervals in tiers_of(path)]
        return types.SimpleNamespace(tiers=tiers)

    class GigaSpeech:
        def __init__(self, root):
            self.gigaspeech_dataset_dir = pathlib.Path(root)

        def audios(self, subset):
            listed = json.loads((self.gigaspeech_dataset_dir / "GigaSpeech.json").read_text())["audios"]
            return [each for each in listed if subset in each["subsets"]]

    import pandas
    pandas.read_parquet = pandas.read_csv
    replace_module("textgrid", TextGrid=types.SimpleNamespace(fromFile=grid))
    replace_module("textgrids", TextGrid=lambda path, coding=None: {tier.name: tier.intervals
                                                                   for tier in grid(path).tiers})
    replace_module("nltk", word_tokenize=str.split)
    replace_module("jiwer", cer=lambda a, b, return_dict: {"cer": float(a != b), "substitutions": 0, "deletions": 0})
    for name in ("speechcolab", "speechcolab.datasets"):
        replace_module(name)
    replace_module("speechcolab.datasets.gigaspeech", GigaSpeech=GigaSpeech)
    (folder / "sph2pipe").write_text(SPH2PIPE.format(python=sys.executable))
    (folder / "sph2pipe").chmod(0o755)
    os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"


def main(projects, *names):
    sys.path.insert(0, str(projects / "lhotse"))
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    equal, refused, different, modules = 0, 0, 0, set()
    with tempfile.TemporaryDirectory(prefix="shardmill-recipes-") as name:
        tools = pathlib.Path(name)
        replace_packages(tools)
        os.chdir(tools)
        for number, run in enumerate(RUNS):
            if names and run.module not in names:
                continue
            folder = tools / f"{number:03}"
            folder.mkdir()
            DECODED.clear()
            try:
                with contextlib.redirect_stderr(io.StringIO()):
                    results = list(compare(run, folder))
            except Exception as error:
                results = [(None, [f"the recipe did not run: {type(error).__name__}: {error}"])]
            messages = [message for message, _ in results if message is not None]
            found = [each for _, more in results for each in more]
            if bool(messages) != bool(run.refused) or any(run.refused not in message for message in messages):
                found.append(f"refused: {messages}" if messages else "is not refused")
            if found:
                different += 1
                print(f"DIFFERENT  {run.name}", *found[:5], sep="\n    ", flush=True)
            elif messages:
                refused += 1
                said = next(line for line in messages[0].splitlines() if run.refused in line)
                print(f"refused    {run.name}: {said.replace(f'{folder}/', '').partition(' (')[0]}", flush=True)
            else:
                equal += 1
                modules.add(run.module)
                print(f"equal      {run.name}: {SAMPLES[run.name]} samples", flush=True)
    print(f"{equal} runs of {len(modules)} recipes equal, {refused} refused, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).absolute(), *sys.argv[2:]))
