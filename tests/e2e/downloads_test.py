"""Corpora as their publishers describe them, in small: read as a folder and straight from the archive, with the texts,
speakers, genders, languages and subsets that an independent reading gives."""
import ctypes
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tarfile
import unittest
import zipfile

import numpy
import soundfile

import harness
import texts_test

noise = texts_test.noise


class Corpus:
    """The files of a corpus, in the order in which they stand in its archive, and what must be read of it."""

    def __init__(self, top):
        self.top, self.files, self.expected = top, {}, {}
        self.seed = 0

    def audio(self, path, form="WAV", **more):
        self.seed += 1
        self.files[path] = noise(self.seed, form, **more)

    def lines(self, path, *lines):
        self.files[path] = "".join(line + "\n" for line in lines).encode()

    def says(self, key, text, **facts):
        self.expected[key] = {"text": text, **facts}


def librispeech():
    corpus = Corpus("LibriSpeech")
    corpus.lines("LibriSpeech/SPEAKERS.TXT", ";ID  |SEX| SUBSET           |MINUTES| NAME",
                 "84   | F | dev-clean        |  8.02 | Christie Nowak",
                 "174  | M | dev-clean        |  8.04 | Peter Eastman")
    for speaker, chapter, gender in (("84", "121123", "F"), ("174", "50561", "M")):
        rows = []
        for n in range(4):
            key = f"{speaker}-{chapter}-{n:04}"
            corpus.audio(f"LibriSpeech/dev-clean/{speaker}/{chapter}/{key}.flac", "FLAC")
            rows.append(f"{key} SAID BY {speaker} {n}")
            corpus.says(key, f"SAID BY {speaker} {n}", speaker=speaker, gender=gender, subset="dev-clean",
                        chapter=chapter)
        corpus.lines(f"LibriSpeech/dev-clean/{speaker}/{chapter}/{speaker}-{chapter}.trans.txt", *rows)
    return corpus


def libritts():
    corpus = Corpus("LibriTTS")
    corpus.lines("LibriTTS/speakers.tsv", "READER\tGENDER\tSUBSET\tNAME", "84\tF\tdev-clean\tChristie Nowak")
    for n in range(4):
        key = f"84_121123_00000{n}_00000{n}"
        base = f"LibriTTS/dev-clean/84/121123/{key}"
        corpus.lines(base + ".normalized.txt", f"Mister {n}.")
        corpus.lines(base + ".original.txt", f"Mr. {n}.")
        corpus.audio(base + ".wav")
        corpus.says(key, f"Mister {n}.", speaker="84", gender="F", subset="dev-clean", language="en")
    corpus.lines("LibriTTS/dev-clean/84/121123/84_121123.trans.tsv", "84_121123_000000_000000\tMr. 0.\tMister 0.")
    return corpus


def mls():
    corpus = Corpus("mls_polish")
    for split in ("train", "dev"):
        rows = []
        for n in range(3):
            key = f"6892_{10049 if split == 'train' else 10050}_00000{n}"
            corpus.audio(f"mls_polish/{split}/audio/6892/{key.split('_')[1]}/{key}.flac", "FLAC")
            rows.append(f"{key}\ttekst {n}")
            corpus.says(key, f"tekst {n}", speaker="6892", subset=split, language="polish", gender="M")
        corpus.lines(f"mls_polish/{split}/transcripts.txt", *rows)
        corpus.lines(f"mls_polish/{split}/segments.txt", *(row + "\t1.0\t2.0" for row in rows))
    corpus.lines("mls_polish/metainfo.txt", "SPEAKER | GENDER | PARTITION | MINUTES | BOOK ID | TITLE | CHAPTER",
                 "6892 | M | train | 1.0 | 10049 | x | y")
    return corpus


def aishell():
    """In the archive every speaker has an archive of its own: see TestAishell."""
    corpus = Corpus("data_aishell")
    rows = []
    for split, speaker in (("train", "S0002"), ("dev", "S0724"), ("test", "S0764")):
        for n in range(3):
            key = f"BAC009{speaker}W012{n}"
            rows.append(f"{key} 而 对 {n}")
            corpus.says(key, f"而 对 {n}", speaker=speaker, subset=split)
    corpus.lines("data_aishell/transcript/aishell_transcript_v0.8.txt", *rows)
    for key, facts in corpus.expected.items():
        corpus.audio(f"data_aishell/wav/{facts['subset']}/{facts['speaker']}/{key}.wav")
    return corpus


def aishell2():
    corpus = Corpus("AISHELL-2")
    for part, subset, prefix in (("iOS/data", "train", "IC"), ("AISHELL-DEV-TEST-SET/iOS/dev", "dev", "ID"),
                                 ("AISHELL-DEV-TEST-SET/iOS/test", "test", "IT")):
        rows = []
        for n in range(3):
            key = f"{prefix}0001W000{n}"
            corpus.audio(f"AISHELL-2/{part}/wav/{prefix[1]}0001/{key}.wav")
            rows.append((key, f"厨房用品{n}"))
            corpus.says(key, f"厨房用品{n}", speaker=f"{prefix[1]}0001")
        corpus.lines(f"AISHELL-2/{part}/wav.scp", *(f"{key}\twav/{key[1]}0001/{key}.wav" for key, _ in rows))
        corpus.lines(f"AISHELL-2/{part}/trans.txt", *(f"{key}\t{text}" for key, text in rows))
    return corpus


def aishell3():
    corpus = Corpus("data_aishell3")
    for split, speaker in (("train", "SSB0005"), ("test", "SSB0009")):
        rows = []
        for n in range(3):
            key = f"{speaker}000{n}"
            corpus.audio(f"data_aishell3/{split}/wav/{speaker}/{key}.wav")
            rows.append(f"{key}.wav\t你 ni3 好 hao3")
            corpus.says(key, "你好", speaker=speaker, gender="female" if split == "train" else "male", subset=split)
        corpus.lines(f"data_aishell3/{split}/content.txt", *rows)
    corpus.files = {"data_aishell3/spk-info.txt": "# Speaker\nSSB0005\tB\tfemale\tnorth\n"
                                                   "SSB0009\tC\tmale\tsouth\n".encode(),
                    **corpus.files}
    return corpus


def aidatatang():
    corpus = Corpus("aidatatang_200zh")
    rows = []
    for split, speaker in (("train", "G0002"), ("dev", "G0012")):
        for n in range(3):
            key = f"T0055{speaker}S000{n}"
            rows.append(f"{key} 你好 {n}")
            corpus.says(key, f"你好 {n}", speaker=speaker, subset=split)
    corpus.lines("aidatatang_200zh/transcript/aidatatang_200_zh_transcript.txt", *rows)
    for key, facts in corpus.expected.items():
        base = f"aidatatang_200zh/corpus/{facts['subset']}/{facts['speaker']}/{key}"
        corpus.audio(base + ".wav")
        corpus.lines(base + ".txt", facts["text"])
        corpus.lines(base + ".metadata", "SEX\tFemale")
    return corpus


def magicdata():
    corpus = Corpus("train")
    rows = ["UtteranceID\tSpeakerID\tTranscription"]
    for n in range(4):
        key = f"38_5837_2017091414323{n}"
        corpus.audio(f"train/38_5837/{key}.wav")
        rows.append(f"{key}.wav\t38_5837\t你好 {n}")
        corpus.says(key, f"你好 {n}", speaker="38_5837", subset="train", gender="female")
    corpus.lines("train/TRANS.txt", *rows)
    corpus.lines("train/SPKINFO.txt", "SPKID\tAge\tGender\tDialect", "38_5837\t20\tfemale\tHubei")
    return corpus


def primewords():
    corpus = Corpus("primewords_md_2018_set1")
    rows = []
    for n in range(4):
        key = f"{n:08x}-0a1b-4c2d-8e3f-000000000000"
        corpus.audio(f"primewords_md_2018_set1/audio_files/{key[0]}/{key[:2]}/{key}.wav")
        rows.append({"id": str(n), "file": key + ".wav", "length": "0.1", "text": f"你 好 {n}", "user_id": "7"})
        corpus.says(key, f"你 好 {n}", speaker="7")
    corpus.files["primewords_md_2018_set1/set1_transcript.json"] = json.dumps(rows, ensure_ascii=False).encode()
    return corpus


def stcmds():
    corpus = Corpus("ST-CMDS-20170001_1-OS")
    for n in range(4):
        key = f"20170001P00001A000{n}"
        corpus.audio(f"ST-CMDS-20170001_1-OS/{key}.wav")
        corpus.files[f"ST-CMDS-20170001_1-OS/{key}.txt"] = f"今天 {n}".encode()
        corpus.lines(f"ST-CMDS-20170001_1-OS/{key}.metadata", "SPK 00001")
        corpus.says(key, f"今天 {n}", speaker="P00001A")
    return corpus


def thchs30():
    corpus = Corpus("data_thchs30")
    for n in range(4):
        key = f"A11_{n}"
        corpus.audio(f"data_thchs30/data/{key}.wav")
        corpus.lines(f"data_thchs30/data/{key}.wav.trn", f"绿 是 阳春 {n}", "lv4 shi4 yang2 chun1", "l v4 sh ix4")
        corpus.says(key, f"绿 是 阳春 {n}", speaker="A11")
    corpus.lines("data_thchs30/lm_word/lexicon.txt", "SIL sil")
    return corpus


def commonvoice():
    corpus = Corpus("cv-corpus-17.0-2024-03-15")
    header = ("client_id\tpath\tsentence_id\tsentence\tup_votes\tdown_votes\tage\tgender\taccents\tvariant\t"
              "locale\tsegment")
    base = "cv-corpus-17.0-2024-03-15/ab"
    rows = {}
    for n, table in enumerate(("train", "train", "dev", "test", "other", "invalidated")):
        name = f"common_voice_ab_{n}.mp3"
        of_table = rows.setdefault(table, [])
        of_table.append(f"client{n}\t{name}\ts{n}\tSentence {n}.\t2\t0\ttwenties\tfemale_feminine\t\t\tab\t")
        if table in ("train", "dev", "test"):
            corpus.says(f"common_voice_ab_{n}", f"Sentence {n}.", speaker=f"client{n}", gender="female_feminine",
                        language="ab", subset=table)
    rows["validated"] = rows["train"] + rows["dev"] + rows["test"]
    for table, lines in rows.items():
        corpus.lines(f"{base}/{table}.tsv", header, *lines)
    corpus.lines(f"{base}/reported.tsv", "sentence\tsentence_id", "x\ty")
    for n in range(6):
        corpus.audio(f"{base}/clips/common_voice_ab_{n}.mp3", "MP3")
    return corpus


def ljspeech():
    corpus = Corpus("LJSpeech-1.1")
    rows = []
    for n in range(4):
        corpus.audio(f"LJSpeech-1.1/wavs/LJ001-{n:04}.wav")
        rows.append(f"LJ001-{n:04}|In 18{n}|In eighteen {n}")
        corpus.says(f"LJ001-{n:04}", f"In eighteen {n}", speaker="LJ", language="en")
    corpus.lines("LJSpeech-1.1/README", "The LJ Speech Dataset")
    corpus.lines("LJSpeech-1.1/metadata.csv", *rows)
    return corpus


def vctk():
    corpus = Corpus("VCTK-Corpus-0.92")
    for speaker, gender in (("p225", "F"), ("p226", "M")):
        for n in range(1, 3):
            corpus.lines(f"VCTK-Corpus-0.92/txt/{speaker}/{speaker}_{n:03}.txt", f"Please call {speaker} {n}.")
            for mic in (1, 2):
                key = f"{speaker}_{n:03}_mic{mic}"
                corpus.audio(f"VCTK-Corpus-0.92/wav48_silence_trimmed/{speaker}/{key}.flac", "FLAC")
                corpus.says(key, f"Please call {speaker} {n}.", speaker=speaker, gender=gender, language="en")
    corpus.files = {"VCTK-Corpus-0.92/speaker-info.txt":
                    b"ID  AGE  GENDER  ACCENTS  REGION COMMENTS\np225  23  F    English    Southern  England\n"
                    b"p226  22  M    English    Surrey\n", **corpus.files}
    return corpus


def kespeech():
    corpus = Corpus("KeSpeech")
    for split, first in (("train_phase1", 0), ("dev_phase1", 3)):
        keys = [f"1000001_00f8ef1{n}" for n in range(first, first + 3)]
        for key in keys:
            corpus.audio(f"KeSpeech/Audio/1000001/phase1/{key}.wav")
            corpus.says(key, f"你好 {key[-1]}", speaker="1000001", subset=split, dialect="Mandarin")
        base = f"KeSpeech/Tasks/ASR/{split}"
        corpus.lines(f"{base}/text", *(f"{key} 你好 {key[-1]}" for key in keys))
        corpus.lines(f"{base}/wav.scp", *(f"{key} Audio/1000001/phase1/{key}.wav" for key in keys))
        corpus.lines(f"{base}/utt2spk", *(f"{key} 1000001" for key in keys))
        corpus.lines(f"{base}/utt2subdialect", *(f"{key} Mandarin" for key in keys))
    # The dialect stands behind the texts: what is to be read of an archive is there in another order.
    corpus.files = {**{path: data for path, data in corpus.files.items() if path.endswith("utt2subdialect")},
                    **corpus.files}
    return corpus


def voxpopuli():
    corpus = Corpus("voxpopuli")
    header = "id\traw_text\tnormalized_text\tspeaker_id\tsplit\tgender\tis_gold_transcript\taccent"
    for split, first in (("train", 0), ("dev", 3)):
        rows = []
        for n in range(first, first + 3):
            key = f"2009011{n}-0900-PLENARY-3-en_2009011{n}-09:00:1{n}_0"
            corpus.audio(f"voxpopuli/transcribed_data/en/2009/{key}.ogg", "OGG")
            rows.append(f"{key}\tHello, {n}.\thello {n}\t77\t{split}\tmale\tFalse\tNone")
            corpus.says(key, f"hello {n}", speaker="77", gender="male", language="en", subset=split)
        corpus.lines(f"voxpopuli/transcribed_data/en/asr_{split}.tsv", header, *rows)
    return corpus


def peoples_speech():
    corpus = Corpus("peoples_speech")
    names = [f"some_talk_DOT_mp3_0000{n}" for n in range(4)]
    for name in names:
        corpus.audio(f"peoples_speech/train/clean/{name}.flac", "FLAC")
        corpus.says(name, f"hello {name[-1]}", subset="train/clean", language="en")
    corpus.lines("peoples_speech/train/clean.json", json.dumps({"identifier": "some_talk", "training_data": {
        "duration_ms": [100] * 4, "label": [f"hello {name[-1]}" for name in names],
        "name": [f"some_talk/{name}.flac" for name in names]}}))
    return corpus


def wenetspeech():
    corpus = Corpus("WenetSpeech")
    audios = []
    for n in range(3):
        aid = f"X000000000{n}_588405{n}"
        path = f"audio/train/podcast/B0000{n}/{aid}.opus"
        corpus.audio(f"WenetSpeech/{path}", "OGG", seconds=2)
        segments = []
        for part, (begin, subsets) in enumerate(((0.25, ["L"]), (1.0, ["M", "L"]))):
            sid = f"{aid}_S0000{part}"
            segments.append({"sid": sid, "begin_time": begin, "end_time": begin + 0.5, "text": f"你好 {n} {part}",
                             "confidence": 1.0, "subsets": subsets})
            corpus.says(sid, f"你好 {n} {part}", language="zh", subset=" ".join(subsets), seconds=0.5)
        audios.append({"aid": aid, "path": path, "duration": 2.0, "md5": "x", "segments": segments})
    corpus.files["WenetSpeech/WenetSpeech.json"] = json.dumps({"audios": audios}, ensure_ascii=False, indent=1).encode()
    return corpus


def gigaspeech():
    corpus = Corpus("GigaSpeech")
    audios = []
    for n in range(3):
        aid = f"POD000000000{n}"
        path = f"audio/podcast/P0000/{aid}.opus"
        corpus.audio(f"GigaSpeech/{path}", "OGG", seconds=2)
        audios.append({"aid": aid, "path": path, "subsets": ["{XL}"], "segments": [
            {"sid": f"{aid}_S0000001", "speaker": "N/A", "begin_time": 0.5, "end_time": 1.5, "subsets": ["{XL}", "{L}"],
             "text_tn": f"HELLO <COMMA> WORLD {n} <PERIOD>"},
            {"sid": f"{aid}_S0000002", "speaker": "N/A", "begin_time": 1.5, "end_time": 1.8, "subsets": ["{XL}"],
             "text_tn": "<MUSIC>"}]})
        corpus.says(f"{aid}_S0000001", f"HELLO WORLD {n}", language="en", subset="XL L", seconds=1)
    corpus.files["GigaSpeech/GigaSpeech.json"] = json.dumps({"dataset": "GigaSpeech", "audios": audios}).encode()
    return corpus


def grid(tiers):
    """A TextGrid as Praat writes it. `tiers`: name -> [(begin, end, text)]."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0 ", "xmax = 2 ", "tiers? <exists> ",
             f"size = {len(tiers)} ", "item []: "]
    for number, (name, intervals) in enumerate(tiers.items(), 1):
        lines += [f"    item [{number}]:", '        class = "IntervalTier" ', f'        name = "{name}" ',
                  "        xmin = 0 ", "        xmax = 2 ", f"        intervals: size = {len(intervals)} "]
        for place, (begin, end, text) in enumerate(intervals, 1):
            lines += [f"        intervals [{place}]:", f"            xmin = {begin} ", f"            xmax = {end} ",
                      f'            text = "{text}" ']
    return lines


def aishell4():
    corpus = Corpus("train_L")
    for n in range(2):
        name = f"20200706_L_R001S0{n}C01"
        corpus.audio(f"train_L/wav/{name}.flac", "FLAC", seconds=2, channels=8)
        corpus.lines(f"train_L/TextGrid/{name}.TextGrid", *grid(
            {"001": [(0, 0.5, ""), (0.5, 1, f"你好 {n}"), (1, 2, "")], "002": [(0, 1.25, ""), (1.25, 1.75, '他说""好""')]}))
        corpus.says(f"{name}-001-0001", f"你好 {n}", speaker=f"{name}-001", subset="train_L", seconds=0.5)
        corpus.says(f"{name}-002-0001", '他说"好"', speaker=f"{name}-002", subset="train_L", seconds=0.5)
    return corpus


def alimeeting():
    corpus = Corpus("Train_Ali_far")
    for n in range(2):
        name = f"R0003_M004{n}"
        corpus.audio(f"Train_Ali_far/audio_dir/{name}_MS00{n}.wav", seconds=2, channels=8)
        corpus.lines(f"Train_Ali_far/textgrid_dir/{name}.TextGrid",
                     *grid({f"{name}_F_SPK009{n}": [(0, 0.5, ""), (0.5, 1, f"你好 {n}")]}))
        corpus.says(f"{name}_MS00{n}-SPK009{n}-0001", f"你好 {n}", speaker=f"SPK009{n}", gender="F", subset="train",
                    seconds=0.5)
    return corpus


def tedlium():
    corpus = Corpus("TEDLIUM_release2")
    for split in ("train", "dev"):
        for n in range(2):
            talk = f"Talk{split}{n}_2010"
            corpus.audio(f"TEDLIUM_release2/{split}/sph/{talk}.sph", "NIST", seconds=2)
            corpus.lines(f"TEDLIUM_release2/{split}/stm/{talk}.stm",
                         f"{talk} 1 {talk} 0.10 0.50 <o,f0,male> so i was {n}",
                         f"{talk} 1 {talk} 0.50 0.90 <o,f0,male> ignore_time_segment_in_scoring")
            corpus.says(f"{talk}-0000010-0000050", f"so i was {n}", speaker=talk, gender="male", language="en",
                        subset=split,
                        seconds=0.4)
    return corpus


def jsut():
    corpus = Corpus("jsut_ver1.1")
    for part in ("basic5000", "travel1000"):
        rows = []
        for n in range(1, 4):
            key = f"{part.upper()}_{n:04}"
            corpus.audio(f"jsut_ver1.1/{part}/wav/{key}.wav")
            rows.append(f"{key}:水を買わ:なくては{n}。")
            corpus.says(key, f"水を買わ:なくては{n}。", speaker="JSUT", gender="female", language="ja")
        corpus.lines(f"jsut_ver1.1/{part}/transcript_utf8.txt", *rows)
    return corpus


def timit():
    corpus = Corpus("TIMIT")
    for split, speaker in (("TRAIN", "FCJF0"), ("TEST", "MDAB0")):
        for name in ("SA1", "SI1027", "SX37"):
            base = f"TIMIT/{split}/DR1/{speaker}/{name}"
            corpus.audio(base + ".WAV", "NIST")
            corpus.lines(base + ".TXT", f"0 46797 She had your {name}.")
            corpus.lines(base + ".PHN", "0 3050 h#")
            corpus.says(f"{speaker}_{name}", f"She had your {name}.", speaker=speaker, gender=speaker[0], dialect="DR1",
                        language="en", subset=split.lower())
    return corpus


def fleurs():
    corpus = Corpus("af_za")
    for split, first in (("train", 0), ("dev", 3)):
        rows = []
        for n in range(first, first + 3):
            key = f"1000408853635479974{n}"
            corpus.audio(f"af_za/audio/{split}/{key}.wav")
            rows.append(f"{n // 2}\t{key}.wav\tDie \"kat\", {n}.\tdie kat {n}\td i e |\t1600\tFEMALE")
            corpus.says(key, f"die kat {n}", gender="FEMALE", language="af_za", subset=split)
        corpus.lines(f"af_za/{split}.tsv", *rows)
    return corpus


def spgispeech():
    corpus = Corpus("spgispeech")
    for split, first in (("train", 0), ("val", 3)):
        rows = ["wav_filename|wav_filesize|transcript"]
        for n in range(first, first + 3):
            call = f"0018ad922e541b415ae60e175160b97{n}"
            corpus.audio(f"spgispeech/{split}/{call}/16.wav")
            rows.append(f"{call}/16.wav|3244|We said {n}, then \"no\".")
            corpus.says(f"{call}_16", f"We said {n}, then \"no\".", recording=call, language="en", subset=split)
        corpus.lines(f"spgispeech/{split}.csv", *rows)
    return corpus


def arctic():
    corpus = Corpus("cmu_arctic")
    for speaker in ("bdl", "slt"):
        rows = []
        for n in range(1, 4):
            corpus.audio(f"cmu_arctic/cmu_us_{speaker}_arctic/wav/arctic_a000{n}.wav")
            corpus.audio(f"cmu_arctic/cmu_us_{speaker}_arctic/orig/arctic_a000{n}.wav", channels=2)
            rows.append(f'( arctic_a000{n} "Author of the {n} trail, Philip Steels, etc." )')
            corpus.says(f"{speaker}_arctic_a000{n}", f"Author of the {n} trail, Philip Steels, etc.", speaker=speaker,
                        language="en")
        corpus.lines(f"cmu_arctic/cmu_us_{speaker}_arctic/etc/txt.done.data", *rows)
    return corpus


def an4():
    corpus = Corpus("an4")
    for split, folder, speaker in (("train", "an4_clstk", "fash"), ("test", "an4test_clstk", "mmxg")):
        rows = []
        for n in range(3):
            key = f"an25{n}-{speaker}-b"
            corpus.audio(f"an4/wav/{folder}/{speaker}/{key}.sph", "NIST")
            rows.append(f"<s> RUBOUT G {n} </s> ({key})" if split == "train" else f"RUBOUT G {n} ({key})")
            corpus.says(key, f"RUBOUT G {n}", speaker=speaker, gender=speaker[0], language="en", subset=split)
        corpus.lines(f"an4/etc/an4_{split}.transcription", *rows)
        corpus.lines(f"an4/etc/an4_{split}.fileids", "an4_clstk/fash/an251-fash-b")
    return corpus


def zeroth():
    corpus = Corpus("zeroth_korean")
    corpus.lines("zeroth_korean/AUDIO_INFO", "SPEAKERID|NAME|SEX|SCRIPTID|DATASET", "103|A|m|003|train_data_01",
                 "104|B|f|003|test_data_01")
    for part, speaker, gender in (("train_data_01", "103", "m"), ("test_data_01", "104", "f")):
        rows = []
        for n in range(3):
            key = f"{speaker}_003_000{n}"
            corpus.audio(f"zeroth_korean/{part}/003/{speaker}/{key}.flac", "FLAC")
            rows.append(f"{key} 인사를 결정하는 {n}")
            corpus.says(key, f"인사를 결정하는 {n}", speaker=speaker, gender=gender, language="ko", subset=part)
        corpus.lines(f"zeroth_korean/{part}/003/{speaker}/{speaker}_003.trans.txt", *rows)
    return corpus


def gigaspeech2():
    """As Hugging Face has it: "id0-id1-id2" lies in id0/id1; what is in train_refined.tsv is in train_raw.tsv, too."""
    corpus = Corpus("data")
    tables = {"train_raw": [], "train_refined": [], "dev": [], "test": []}
    for n in range(4):
        corpus.audio(f"data/th/train/{n % 2}/7/{n % 2}-7-{n}.wav")
        tables["train_raw"].append(f"{n % 2}-7-{n}\tข้อความ ดิบ {n}")
        if n < 3:
            tables["train_refined"].append(f"{n % 2}-7-{n}\tข้อความ {n}")
        corpus.says(f"{n % 2}-7-{n}", f"ข้อความ {n}" if n < 3 else f"ข้อความ ดิบ {n}", language="th",
                    subset="train_raw train_refined" if n < 3 else "train_raw")
    for split in ("dev", "test"):
        for n in range(2):
            key = f"{3 if split == 'dev' else 4}-0-{n}"
            corpus.audio(f"data/th/{split}/{key[0]}/0/{key}.wav")
            tables[split].append(f"{key}\t{split} {n}")
            corpus.says(key, f"{split} {n}", language="th", subset=split)
    for name, rows in tables.items():
        corpus.lines(f"data/th/{name}.tsv", *rows)
    return corpus


def yodas():
    """Captions by hand in en000, by machine in fr100; an id is VIDEO-INDEX-BEGIN-END, and VIDEO may hold a "-"."""
    corpus = Corpus("data")
    for folder, language, captions, video in (("en000", "en", "manual", "-a_B-c1d2e3f"),
                                              ("fr100", "fr", "automatic", "AbCdEfGhIjK")):
        for part in range(2):
            rows = []
            for n in range(2):
                key = f"{video}-{part * 2 + n:05}-{n * 250:08}-{n * 250 + 10:08}"
                corpus.audio(f"data/{folder}/audio/{part:08}/{key}.wav")
                rows.append(f"{key} said {folder} {part} {n}")
                corpus.says(key, f"said {folder} {part} {n}", language=language, subset=folder, captions=captions,
                            recording=video)
            corpus.lines(f"data/{folder}/text/{part:08}.txt", *rows)
            corpus.lines(f"data/{folder}/duration/{part:08}.txt", *(row.split()[0] + " 0.1" for row in rows))
    return corpus


def yodas2():
    corpus = Corpus("data")
    for folder, language, captions in (("en000", "en", "manual"), ("zh100", "zh", "automatic")):
        videos = []
        for n in range(2):
            video = f"-{folder}_xy{n}z"
            corpus.audio(f"data/{folder}/audio/00000000/{video}.wav", seconds=2, rate=24000)
            said = {f"{video}-{part:05}-{begin:08}-{end:08}": f" {folder} says {n} {part}"
                    for part, (begin, end) in enumerate(((12, 61), (75, 175)))}
            videos.append({"audio_id": video, "text": said})
            for (key, text), seconds in zip(said.items(), (0.49, 1)):
                corpus.says(key, text.strip(), language=language, subset=folder, captions=captions, recording=video,
                            seconds=seconds)
        corpus.files[f"data/{folder}/text/00000000.json"] = json.dumps(videos).encode()
        corpus.lines(f"data/{folder}/duration/00000000.txt", *(f"{video['audio_id']} 2.0" for video in videos))
    return corpus


def emilia():
    corpus = Corpus("raw")
    for language in ("DE", "EN"):
        rows = []
        for n in range(3):
            speaker = f"{language}_B00000_S0000{n // 2}"
            key = f"{speaker}_W00000{n}"
            corpus.audio(f"raw/{language}/{language}_B00000/{speaker}/mp3/{key}.mp3", "MP3", rate=24000)
            rows.append(json.dumps({"id": key, "wav": f"{language}_B00000/{speaker}/mp3/{key}.mp3",
                                    "text": f" Er sagt {n}.",
                                    "duration": 0.1, "speaker": speaker, "language": language.lower(),
                                    "dnsmos": 3.3697}))
            corpus.says(key, f"Er sagt {n}.", speaker=speaker, language=language.lower(), lang=language.lower(),
                        dnsmos=3.3697,
                        source_duration=0.1)
        corpus.lines(f"raw/{language}/{language}_B00000.jsonl", *rows)
    return corpus


def wenetspeech4tts():
    corpus = Corpus("WenetSpeech4TTS")
    lists = {"Premium": [], "Standard": [], "Basic": []}
    for part, holds in (("Premium", ("Basic", "Standard", "Premium")), ("Standard", ("Basic", "Standard")),
                        ("Basic", ("Basic",))):
        base = f"WenetSpeech4TTS/{part}/WenetSpeech4TTS_{part}_0"
        for n in range(2):
            key = f"{'YX'[n]}000001530{len(part)}_83500032_S0011{n}-S0011{n + 2}"
            corpus.audio(f"{base}/wavs/{key}.wav")
            corpus.lines(f"{base}/txts/{key}.txt", f"{key}\t你好，{part}。", f"[[0.0, 0.1, 'n{n}']]")
            corpus.says(key, f"你好，{part}。", subset=" ".join(holds), language="zh", dnsmos=3.5 + n,
                        timestamp=f"[[0.0, 0.1, 'n{n}']]")
            for each in holds:
                lists[each].append((key, f"../{part}/WenetSpeech4TTS_{part}_0/wavs/{key}.wav", 3.5 + n))
    for part, rows in lists.items():
        corpus.lines(f"WenetSpeech4TTS/filelists/{part}_filelist.lst", *(f"{key}\t{path}" for key, path, _ in rows))
        corpus.lines(f"WenetSpeech4TTS/DNSMOS_P808Scores/{part}_DNSMOS.lst",
                     *(f"{key}\t{score}" for key, _, score in rows))
    return corpus


def dialect(name, language, rows):
    """`rows`: the object of each piece of audio, by its path."""
    corpus = Corpus(name)
    for path, row in rows.items():
        corpus.audio(f"{name}/{path}")
        key = row.get("utt_id") or row["utt"]
        corpus.says(key, row.get("text") or row["rover_result"], language=language, confidence=row["confidence"],
                    **{"speaker": str(row["speaker_id"])} if "speaker_id" in row else {})
    return corpus


def wenetspeechyue():
    """One object a line: what three recognisers agree on is the text."""
    rows = {f"wav/part{n // 2}/yue_{n}.wav": {
        "utt_id": f"yue_{n}", "path": f"wav/part{n // 2}/yue_{n}.wav", "rover_result": f"你好嘅 {n}", "confidence": 0.9,
        "duration": 0.1,
        "speaker_id": n, "gender": "Male", "DNSMOS": 3.1, "SNR": 20.5, "timestamp": {"start": 1.0, "end": 1.1},
        "meta_info": {"program": "x", "domain": "News"}} for n in range(4)}
    corpus = dialect("WenetSpeech-Yue", "yue", rows)
    corpus.lines("WenetSpeech-Yue/metadata.jsonl", *(json.dumps(row, ensure_ascii=False) for row in rows.values()))
    return corpus


def wenetspeechchuan():
    rows = {f"wav/0131654823_{n}.wav": {"utt": f"0131654823_{n}", "filename": f"0131654823_{n}.wav", "text": f"要得 {n}",
                                        "text_punc": f"要得，{n}。", "wvmos": 3.2, "confidence": "0.95"} for n in range(3)}
    corpus = dialect("WenetSpeech-Chuan", "zh", rows)
    corpus.lines("WenetSpeech-Chuan/metadata.jsonl", *(json.dumps(row) for row in rows.values()))
    return corpus


def wenetspeechwu():
    """As one array, and with ids that are not the names of the files."""
    rows = {f"clips/{n}.wav": {"utt_id": f"wu_{n}", "path": f"clips/{n}.wav", "text": f"侬好 {n}", "confidence": 0.8}
            for n in range(3)}
    corpus = dialect("WenetSpeech-Wu", "wuu", rows)
    corpus.files["WenetSpeech-Wu/WenetSpeech-Wu.json"] = json.dumps(list(rows.values()), ensure_ascii=False,
                                                                    indent=1).encode()
    return corpus


def mdcc():
    """The table of each split names the file of each text."""
    corpus = Corpus("dataset")
    for split in ("train", "valid", "test"):
        rows = ["audio_path,text_path,gender,duration"]
        for n in range(3):
            key = f"447_17111711{n}_{split}_0.0_1.46"
            corpus.audio(f"dataset/audio/{key}.wav")
            corpus.lines(f"dataset/transcription/{key}.txt", f"佢話 {split} {n}")
            rows.append(f"./audio/{key}.wav,./transcription/{key}.txt,male,0.1")
            corpus.says(key, f"佢話 {split} {n}", gender="male", language="yue", subset=split)
        corpus.lines(f"dataset/cnt_asr_{split}_metadata.csv", *rows)
    return corpus


def mtedx():
    """Segments may touch; es-es has one language, es-en also translations."""
    corpus = Corpus("es-es")
    for split, talk in (("train", "-1wkFEIqb0w"), ("valid", "aB_9")):
        folder = f"es-es/data/{split}"
        rows, words, segments, captions = [], [], [], ["WEBVTT", ""]
        for n, (begin, end) in enumerate(((0.05, 0.3), (0.3, 0.55), (0.6, 0.9))):
            rows.append(f"- {{duration: {end - begin:.2f}, offset: {begin}, rW: 1, speaker_id: {talk}, uW: 0, "
                        f"wav: {talk}.wav}}")
            segments.append(f"{talk}_{n:04} {talk} {begin} {end}")
            words.append(f"Hola, {split} {n}.")
            captions += [f"00:00:{begin:06.3f} --> 00:00:{end:06.3f}", f"Hola, {split}", f"{n}.", ""]
            corpus.says(f"{talk}_{round(begin * 100):08}", f"Hola, {split} {n}.", speaker=talk, language="es",
                        subset=split,
                        seconds=end - begin)
        corpus.lines(f"{folder}/txt/segments", *segments)
        corpus.lines(f"{folder}/txt/{split}.es", *words)
        corpus.lines(f"{folder}/txt/{split}.yaml", *rows)
        corpus.lines(f"{folder}/vtt/{talk}.es.vtt", *captions)
        corpus.audio(f"{folder}/wav/{talk}.flac", "FLAC", seconds=1)
    return corpus


def reazonspeech():
    corpus = Corpus("reazonspeech")
    rows = []
    for part in ("000", "001"):
        for n in range(2):
            key = f"{part}77a9b{n}"
            corpus.audio(f"reazonspeech/data/{part}/{key}.flac", "FLAC")
            rows.append(f"{part}/{key}.flac\tこんにちは {part} {n}。")
            corpus.says(key, f"こんにちは {part} {n}。", language="ja", subset="small tiny" if part == "000" else "small")
    corpus.lines("reazonspeech/tsv/tiny.tsv", *rows[:2])
    corpus.lines("reazonspeech/tsv/small.tsv", *rows)
    return corpus


def talasr():
    corpus = Corpus("aisolution_data")
    rows = []
    for split, speaker in (("train", "SP0001"), ("dev", "SP0002"), ("test", "SP0003")):
        for n in range(2):
            key = f"{speaker}_{n:04}"
            corpus.audio(f"aisolution_data/wav/{split}/{speaker}/{key}.wav")
            rows.append(f"{key} 好的，{split} {n}。")
            corpus.says(key, f"好的，{split} {n}。", speaker=speaker, language="zh", subset=split)
    corpus.lines("aisolution_data/transcript/transcript.txt", *rows)
    return corpus


def voxceleb():
    """VoxCeleb 1: dev, which all train on, and test; tabs between the columns of its list."""
    corpus = Corpus("voxceleb1")
    rows = ["VoxCeleb1 ID\tVGGFace1 ID\tGender\tNationality\tSet"]
    for speaker, gender, nationality, part in (("id10001", "m", "Ireland", "dev"), ("id10270", "f", "UK", "test")):
        rows.append(f"{speaker}\tA.J._Buckley\t{gender}\t{nationality}\t{part}")
        for video in ("1zcIwhmdeo4", "7gWzIy6yIIk"):
            for n in range(1, 3):
                corpus.audio(f"voxceleb1/wav/{speaker}/{video}/{n:05}.wav")
                corpus.says(f"{speaker}-{video}-{n:05}", "", speaker=speaker, gender=gender, nationality=nationality,
                            recording=video,
                            subset={"dev": "train"}.get(part, part))
    corpus.lines("voxceleb1/vox1_meta.csv", *rows)
    return corpus


def cnceleb():
    """The speakers from id00800 on are those of eval, whose recordings stand in data as well."""
    corpus = Corpus("CN-Celeb_flac")
    for speaker in ("id00012", "id00800"):
        for n in range(1, 3):
            corpus.audio(f"CN-Celeb_flac/data/{speaker}/singing-01-{n:03}.flac", "FLAC")
            first = "data-" if speaker == "id00800" else ""
            corpus.says(f"{first}{speaker}-singing-01-{n:03}", "", speaker=speaker, genre="singing", language="zh",
                        subset="eval/data" if first else "train")
    corpus.lines("CN-Celeb_flac/dev/dev.lst", "id00012")
    corpus.audio("CN-Celeb_flac/eval/enroll/id00800-enroll.flac", "FLAC")
    corpus.says("id00800-enroll", "", speaker="id00800", subset="eval/enroll")
    corpus.audio("CN-Celeb_flac/eval/test/id00800-singing-01-001.flac", "FLAC")
    corpus.says("id00800-singing-01-001", "", speaker="id00800", genre="singing", subset="eval/test")
    corpus.lines("CN-Celeb_flac/eval/lists/trials.lst", "id00800-enroll test/id00800-singing-01-001.wav 1")
    return corpus


def threedspeaker():
    corpus = Corpus("3dspeaker")
    for split, speaker in (("train", "3D_SPK_00001"), ("test", "3D_SPK_06349")):
        for n in range(1, 3):
            key = f"{speaker}_00{n}_Device0{n}_Distance06_Dialect00"
            corpus.audio(f"3dspeaker/{split}/{speaker}/{key}.wav")
            corpus.says(key, "", speaker=speaker, device=f"0{n}", distance="06", dialect="00", language="zh",
                        subset=split)
    return corpus


def ksponspeech():
    corpus = Corpus("KsponSpeech")
    rows = {}
    for part, folder, key, said, text in (
            ("train", "KsponSpeech_01/KsponSpeech_0001", "KsponSpeech_000001", "아/ 몬 소리야, 그건 또. b/", "아 몬 소리야, 그건 또."),
            ("train", "KsponSpeech_01/KsponSpeech_0001", "KsponSpeech_000002", "나는 (70%)/(칠 십 퍼센트) 확률이라니 n/",
             "나는 70% 확률이라니"),
            ("train", "KsponSpeech_01/KsponSpeech_0002", "KsponSpeech_001003", "그+ 그래서 (2)/(두) 개* o/ 샀어",
             "그 그래서 2 개 샀어"),
            ("dev", "KsponSpeech_05/KsponSpeech_0623", "KsponSpeech_622001", "u/ 어, 일단은", "어, 일단은"),
            ("eval_clean", "KsponSpeech_eval/eval_clean", "KsponSpeech_E00001", "그래서 지호랑 계단 올라와서", "그래서 지호랑 계단 올라와서"),
            ("eval_other", "KsponSpeech_eval/eval_other", "KsponSpeech_E03001", "가구 집 만들 때", "가구 집 만들 때")):
        values = numpy.frombuffer(noise(len(rows) + len(key))[44:], dtype="<i2")
        # Some files of the publisher end with half a value.
        corpus.files[f"KsponSpeech/{folder}/{key}.pcm"] = values.tobytes() + (b"\1" if part == "eval_other" else b"")
        corpus.files[f"KsponSpeech/{folder}/{key}.txt"] = said.encode("cp949")
        rows.setdefault(part, []).append(f"{folder}/{key}.pcm :: {said}")
        corpus.says(key, text, language="ko", subset=part, seconds=len(values) / 16000, format="wav/pcm16",
                    sample_rate=16000, channels=1)
    for part, lines in rows.items():
        corpus.lines(f"KsponSpeech/scripts/{part}.trn", *lines)
    return corpus


CORPORA = [librispeech, libritts, mls, aishell, aishell2, aishell3, aidatatang, magicdata, primewords, stcmds, thchs30,
           commonvoice, ljspeech, vctk, kespeech, voxpopuli, peoples_speech, wenetspeech, gigaspeech, aishell4,
           alimeeting, tedlium, jsut, timit, fleurs, spgispeech, arctic, an4, zeroth,
           gigaspeech2, yodas, yodas2, emilia, wenetspeech4tts, wenetspeechyue,
           wenetspeechchuan, wenetspeechwu, mtedx, reazonspeech, talasr, mdcc, voxceleb, cnceleb, threedspeaker,
           ksponspeech]


def is_audio(path):
    return path.rsplit(".")[-1].lower() in ("wav", "flac", "mp3", "ogg", "opus", "sph", "pcm")


def texts_first(files):
    return {**{path: data for path, data in files.items() if not is_audio(path)}, **files}


def texts_last(files):
    return {**{path: data for path, data in files.items() if is_audio(path)}, **files}


class Watch:
    """The names that come up in some folders, also those that are gone again: inotify of Linux."""

    def __init__(self, folders):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = self.libc.inotify_init1(os.O_NONBLOCK)
        for folder in folders:
            create, moved_to = 0x100, 0x80
            if self.libc.inotify_add_watch(self.descriptor, os.fsencode(folder), create | moved_to) < 0:
                raise OSError(ctypes.get_errno(), "inotify_add_watch")

    def created(self):
        names = []
        try:
            while data := os.read(self.descriptor, 1 << 16):
                while data:
                    length = int.from_bytes(data[12:16], "little")
                    names.append(data[16:16 + length].rstrip(b"\0").decode())
                    data = data[16 + length:]
        except BlockingIOError:
            return names

    def close(self):
        os.close(self.descriptor)


class Downloads(texts_test.Texts):
    def tar(self, name, files):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for folder in sorted({str(pathlib.PurePath(path).parent) for path in files}):
                entry = tarfile.TarInfo(folder)
                entry.type = tarfile.DIRTYPE
                archive.addfile(entry)
            for path, data in files.items():
                entry = tarfile.TarInfo(path)
                entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data))
        data = out.getvalue()
        if name.endswith(("gz", "tgz")):
            data = gzip.compress(data, 1)
        if name.endswith("bz2"):
            data = subprocess.run(["bzip2", "-c"], input=data, capture_output=True, check=True).stdout
        return self.write(name, data)

    def zip(self, name, files):
        with zipfile.ZipFile(self.folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, data in files.items():
                archive.writestr(path, data)

    def seven_zip(self, name, files):
        self.tar("for7z.tar", files)
        subprocess.run(["bsdtar", "-cf", name, "--format", "7zip", "@for7z.tar"], cwd=self.folder, check=True)
        (self.folder / "for7z.tar").unlink()

    def unpack(self, folder, files):
        for path, data in files.items():
            self.write(f"{folder}/{path}", data)

    def records(self, folder="out"):
        return {record["source_key"].split("/")[-1]: record
                for manifest in sorted((self.folder / folder / "manifests").iterdir())
                for record in map(json.loads, manifest.read_text().splitlines())}

    def lines_of(self, source):
        """The manifest lines, without what says where a sample came from and where it lies."""
        shutil.rmtree(self.folder / "lines", ignore_errors=True)
        self.shardmill("repack", source, "--out", "lines", "--shards", 1, "--subset", "all")
        lines = [json.loads(line)
                 for line in (self.folder / "lines/manifests/manifest_000000000.json").read_text().splitlines()]
        for line in lines:
            del line["source"], line["tar_offset"]
        return sorted(lines, key=lambda line: line["key"])

    def check(self, corpus, source, *options, expected=None, out="out"):
        """Repacks `source` and compares what came out with what the corpus is to say."""
        shutil.rmtree(self.folder / out, ignore_errors=True)
        if "--subset" not in options:
            options += ("--subset", "all")
        self.shardmill("repack", *([source] if isinstance(source, str) else source), "--out", out, "--shards", 2,
                       *options)
        records = self.records(out)
        expected = corpus.expected if expected is None else expected
        self.assertEqual(sorted(records), sorted(expected))
        for key, facts in expected.items():
            for name, value in facts.items():
                if name == "seconds":
                    self.assertAlmostEqual(records[key]["duration"], value, places=3)
                else:
                    self.assertEqual(records[key].get(name), value, f"{key}: {name} of {records[key]}")
        self.texts(out)  # the members say the same
        return records


class TestTrees(Downloads):
    def lay_out(self, make):
        shutil.rmtree(self.folder / "x", ignore_errors=True)
        corpus = make()
        self.unpack("x", corpus.files)
        return corpus

    def test_part_of_a_corpus_takes_its_texts_from_above(self):
        for make, part in ((ljspeech, "LJSpeech-1.1/wavs"), (commonvoice, "cv-corpus-17.0-2024-03-15/ab/clips"),
                           (magicdata, "train/38_5837"), (voxpopuli, "voxpopuli/transcribed_data/en/2009")):
            corpus = self.lay_out(make)
            self.check(corpus, f"x/{part}")

    def test_a_missing_piece_is_named(self):
        for make, gone, says in (
                (ljspeech, "metadata.csv", "LJSpeech, but metadata.csv is missing"),
                (commonvoice, "*.tsv", "Common Voice, but validated.tsv is missing"),
                (thchs30, "*.trn", "THCHS-30, but *.wav.trn is missing"),
                (wenetspeech, "*.json", "WenetSpeech, but WenetSpeech.json is missing"),
                (gigaspeech, "*.json", "GigaSpeech, but GigaSpeech.json is missing"),
                (vctk, "*.txt", "VCTK, but txt/ is missing"),
                (aishell3, "content.txt", "AISHELL-3, but content.txt is missing"),
                (aishell4, "*.TextGrid", "AISHELL-4, but TextGrid/*.TextGrid is missing"),
                (alimeeting, "*.TextGrid", "AliMeeting, but textgrid_dir/*.TextGrid is missing"),
                (magicdata, "TRANS.txt", "MagicData, but TRANS.txt is missing"),
                (voxpopuli, "*.tsv", "VoxPopuli, but transcribed_data/*/asr_*.tsv is missing"),
                (tedlium, "*.stm", "TED-LIUM, but stm/*.stm is missing")):
            with self.subTest(make.__name__):
                self.lay_out(make)
                for path in (self.folder / "x").rglob(gone):
                    path.unlink()
                self.refuses("x", "looks like " + says)

    def test_speakers_that_are_still_packed(self):
        corpus = aidatatang()
        packed = {}
        for path, data in corpus.files.items():
            if is_audio(path):
                speaker = path.rsplit("/", 1)[0]
                packed.setdefault(speaker, {})[path.split("/", 3)[3]] = data
        self.unpack("x", {path: data for path, data in corpus.files.items() if "corpus" not in path})
        for speaker, files in packed.items():
            (self.folder / "x" / speaker).parent.mkdir(parents=True, exist_ok=True)
            self.tar(f"x/{speaker}.tar.gz", files)
        self.check(corpus, "x/aidatatang_200zh")

    def test_subset(self):
        corpus = self.lay_out(mls)
        for wanted, split in (("dev", "dev"), ("train", "train")):
            expected = {key: facts for key, facts in corpus.expected.items() if facts["subset"] == split}
            self.check(corpus, "x/mls_polish", "--subset", wanted, expected=expected)
        self.check(corpus, "x/mls_polish", "--subset", "train,dev")
        self.fails("repack", "x/mls_polish", "--out", "no", "--subset", "nonsense", says=["holds no audio", "subset"])
        self.fails("repack", "x/mls_polish", "--out", "no", "--subset", "a,,b", code=2, says="--subset")

    def test_splits_are_mixed_only_on_request(self):
        for make in (mls, aishell, aishell2, aishell3, aidatatang, commonvoice, kespeech, voxpopuli, timit, fleurs,
                     spgispeech, an4, zeroth, ksponspeech):
            with self.subTest(make.__name__):
                corpus = self.lay_out(make)
                self.fails("repack", "x", "--out", "no",
                           says=["several splits", "in train", "--subset train", "--subset all"])
                self.assertFalse((self.folder / "no").exists())
                expected = {key: facts for key,
                            facts in corpus.expected.items() if "train" in facts.get("subset", "train")}
                if make is aishell2:
                    expected = {key: facts for key, facts in corpus.expected.items() if key.startswith("IC")}
                self.check(corpus, "x", "--subset", "train", expected=expected)
        # Training data alone needs no option, and neither does a corpus without splits.
        for make in (librispeech, libritts, ljspeech, vctk, primewords, wenetspeech, jsut, arctic):
            self.lay_out(make)
            self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--force")
        # Two sources are mixed no more than one.
        self.lay_out(mls)
        self.fails("repack", "a=x/mls_polish/train", "b=x/mls_polish/dev", "--out", "no",
                   says=["several splits", "of a in train", "of b in dev"])
        corpus = self.lay_out(ljspeech)
        self.check(corpus, "x", "--subset", "train")
        self.fails("repack", "x", "--out", "no", "--subset", "dev", says=["holds no audio of the subset dev"])

    def test_the_summary_names_the_subsets(self):
        corpus = self.lay_out(mls)
        said = self.says("repack", "x", "--out", "out", "--shards", 1, "--subset", "all")
        self.assertRegex(said, r"    train +3 samples, 0\.\d+ s\n")
        self.assertRegex(said, r"    dev +3 samples, 0\.\d+ s\n")
        part = json.loads((self.folder / "out/dataset.json").read_text())["datasets"][0]
        self.assertEqual({name: subset["samples"] for name, subset in part["subsets"].items()}, {"train": 3, "dev": 3})
        summary = json.loads(self.says("repack", "x", "--out", "other", "--shards", 1, "--subset", "dev", "--json"))
        self.assertEqual({name: subset["samples"] for name, subset in summary["datasets"][0]["subsets"].items()},
                         {"dev": 3})
        # What was mixed on request stays so.
        self.shardmill("repack", "out", "--out", "again", "--shards", 2)
        part = json.loads((self.folder / "again/dataset.json").read_text())["datasets"][0]
        self.assertEqual({name: subset["samples"] for name, subset in part["subsets"].items()}, {"train": 3, "dev": 3})
        result = self.shardmill("repack", "x", "--out", "third", "--shards", 1, "--subset", "train,dve")
        self.assertIn("no sample belongs to the subset 'dve'", result.err)

    def test_text_field(self):
        for make, field, key, text in ((aishell3, "pinyin", "SSB00050000", "ni3 hao3"),
                                       (thchs30, "pinyin", "A11_0", "lv4 shi4 yang2 chun1"),
                                       (ljspeech, "raw", "LJ001-0000", "In 180"),
                                       (libritts, "original", "84_121123_000000_000000", "Mr. 0."),
                                       (voxpopuli, "raw_text", None, "Hello, 0.")):
            corpus = self.lay_out(make)
            self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--force", "--text-field", field, "--subset",
                           "all")
            records = self.records()
            self.assertEqual(records[key or sorted(records)[0]]["text"], text)
        self.fails("repack", "x", "--out", "no", "--text-field", "phones", code=2,
                   says=["phones", "normalized_text, raw_text"])

    def test_thchs30_knows_its_splits_and_follows_no_links_twice(self):
        corpus = self.lay_out(thchs30)
        (self.folder / "x/data_thchs30/train").mkdir()
        for key in corpus.expected:
            (self.folder / f"x/data_thchs30/train/{key}.wav").symlink_to(f"../data/{key}.wav")
            self.lines(f"x/data_thchs30/train/{key}.wav.trn", f"../data/{key}.wav.trn")
        for facts in corpus.expected.values():
            facts["subset"] = "train"
        self.check(corpus, "x")
        self.check(corpus, "x", "--subset", "train")

    def test_text_that_is_not_utf8(self):
        corpus = self.lay_out(aishell3)
        path = self.folder / "x/data_aishell3/train/content.txt"
        path.write_bytes(path.read_text().encode("gb18030"))
        self.fails("repack", "x", "--out", "no",
                   says=["content.txt: line 1: column 17: is not UTF-8", "GB18030", "iconv"])


class TestArchives(Downloads):
    def aishell_archive(self, corpus, damage=None, order=lambda names: names):
        """data_aishell.tgz, with an archive for every speaker in it."""
        speakers = {}
        for path, data in corpus.files.items():
            if is_audio(path):
                speakers.setdefault(path.split("/")[3], {})[path.split("/", 2)[2]] = data
        files = {path: data for path, data in corpus.files.items() if not is_audio(path)}
        for speaker, inner in speakers.items():
            data = self.tar("inner.tar.gz", inner).read_bytes()
            (self.folder / "inner.tar.gz").unlink()
            files[f"data_aishell/wav/{speaker}.tar.gz"] = damage(data) if damage and speaker == "S0724" else data
        return self.tar("data_aishell.tgz", {name: files[name] for name in order(list(files))})

    def test_archives_in_the_archive(self):
        corpus = aishell()
        self.aishell_archive(corpus)
        self.check(corpus, "data_aishell.tgz")
        self.shardmill("verify", "out", "--against", "data_aishell.tgz")
        train = {key: facts for key, facts in corpus.expected.items() if facts["subset"] == "train"}
        self.check(corpus, "aishell:data_aishell.tgz", "--subset", "train", expected=train)
        self.shardmill("verify", "out", "--against", "aishell:data_aishell.tgz")
        self.aishell_archive(corpus, order=lambda names: names[1:] + names[:1])
        self.check(corpus, "data_aishell.tgz")

    def test_archives_in_a_zip(self):
        corpus = librispeech()
        for inner in ("in.tar.gz", "in.tar", "in.zip"):
            with self.subTest(inner):
                self.zip(inner, corpus.files) if inner.endswith("zip") else self.tar(inner, corpus.files)
                self.zip("o.zip", {f"o/{inner}": (self.folder / inner).read_bytes()})
                self.check(corpus, "librispeech:o.zip")

    def test_archives_in_a_shard(self):
        """They are not read, and hold an unknown number of samples."""
        inner = harness.shard(0, 3)
        for name in ("in.tar", "in.tar.gz", "in.zip"):
            self.write("o.tar", harness.tar([(f"o/{name}", inner), ("a/k.wav", noise(1)), ("a/k.txt", b"words")]))
            self.fails("repack", "c=o.tar", "--out", "no", "--shards", 1, says=[f"o/{name} is an archive"])
            self.shardmill("repack", "c=o.tar", "--out", "out", "--shards", 1, "--force", "--on-error", "skip",
                           "--max-rejects", 3, code=3)
            self.shardmill("repack", "c=o.tar", "--out", "out", "--shards", 1, "--force", "--on-error", "skip",
                           "--max-rejects", "all")

    def test_damage_in_an_archive_in_the_archive(self):
        corpus = aishell()
        self.aishell_archive(corpus, damage=lambda data: data[:len(data) // 2])
        self.fails("repack", "data_aishell.tgz", "--out", "no", "--subset", "all",
                   says="data_aishell.tgz!data_aishell/wav/S0724.tar.gz")
        self.assertFalse((self.folder / "no/dataset.json").exists())
        result = self.shardmill("repack", "data_aishell.tgz", "--out", "out", "--shards", 1, "--on-error", "skip",
                                "--subset", "all", code=3)
        kept = self.records()
        self.assertTrue({key for key, facts in corpus.expected.items() if facts["subset"] != "dev"} <= set(kept),
                        result.err)
        for key, record in kept.items():
            self.assertEqual(record["text"], corpus.expected[key]["text"])

    def test_splits_in_an_archive_are_mixed_only_on_request(self):
        corpus = aishell()
        self.aishell_archive(corpus)
        self.fails("repack", "data_aishell.tgz", "--out", "no",
                   says=["several splits", "in dev", "in train", "--subset train"])
        # Also with errors skipped, and when the archive is taken up again.
        self.fails("repack", "data_aishell.tgz", "--out", "no", "--on-error", "skip", says="several splits")
        train = {key: facts for key, facts in corpus.expected.items() if facts["subset"] == "train"}
        self.check(corpus, "data_aishell.tgz", "--subset", "train", expected=train)
        part = json.loads((self.folder / "out/dataset.json").read_text())["datasets"][0]
        self.assertEqual({name: subset["samples"] for name, subset in part["subsets"].items()}, {"train": 3})
        # The publisher's own archive is large, and known to hold all of them.
        with open(self.folder / "data_aishell.tgz", "ab") as file:
            file.write(bytes(65 << 20))
        self.fails("repack", "data_aishell.tgz", "--out", "no",
                   says=["packs training and test data together", "--subset train"])

    def test_audio_without_transcripts_is_told(self):
        corpus = ljspeech()
        for n in range(4, 60):
            corpus.audio(f"LJSpeech-1.1/wavs/LJ001-{n:04}.wav")
            corpus.files["LJSpeech-1.1/metadata.csv"] += f"LJ001-{n:04}|x|more {n}\n".encode()
        for gone, others in (((5,), ""), ((5, 9), ", and neither has 1 other"),
                             ((5, 9, 30), ", and neither have 2 others")):
            files = dict(corpus.files)
            for n in gone:
                files["LJSpeech-1.1/metadata.csv"] = files["LJSpeech-1.1/metadata.csv"].replace(f"LJ001-{n:04}|x|more "
                                                                                                f"{n}\n".encode(), b"")
            shutil.rmtree(self.folder / "x", ignore_errors=True)
            self.unpack("x", files)
            self.tar("x.tar.gz", files)
            self.tar("last.tar.gz", texts_last(files))
            self.zip("x.zip", files)
            for source in ("x", "x.tar.gz", "last.tar.gz", "x.zip"):
                with self.subTest(source, gone=gone):
                    result = self.shardmill("repack", source, "--out", "out", "--shards", 1, "--force")
                    self.assertIn(f"'LJ001-0005' has no transcript{others}", result.err)
                    self.assertIn(f"{60 - len(gone)} of 60 samples", result.out.decode())
        result = self.shardmill("repack", "x.tar.gz", "--out", "out", "--shards", 1, "--force", "--require-text")
        self.assertNotIn("has no transcript", result.err)
        self.assertEqual(len((self.folder / "out/rejects.jsonl").read_text().splitlines()), 3)

    def test_several_archives_are_one_corpus(self):
        corpus = librispeech()
        first = {path: data for path, data in corpus.files.items() if "/174/" not in path}
        second = {path: data for path, data in corpus.files.items() if "/84/" not in path}
        self.tar("down/dev-a.tar.gz", first)
        self.tar("down/dev-b.tar.gz", second)
        for source in (["librispeech:down/dev-a.tar.gz", "down/dev-b.tar.gz"], ["down"], ["libri=down/*.tar.gz"]):
            records = self.check(corpus, source)
            self.assertEqual(len({record["dataset"] for record in records.values()}), 1)

    def test_zip_and_7z(self):
        for make in (vctk, ljspeech, librispeech):
            corpus = make()
            files = {path.removeprefix("VCTK-Corpus-0.92/"): data for path, data in corpus.files.items()}
            self.zip("x.zip", texts_last(files))
            self.check(corpus, "x.zip")
            self.seven_zip("x.7z", texts_last(files))
            self.check(corpus, "x.7z")
            self.shardmill("verify", "out", "--against", "x.7z")

    def test_ksponspeech_in_its_zips(self):
        """As AI Hub gives it: an archive for each part of the audio, cut into pieces, and one for the texts."""
        corpus = ksponspeech()
        inner = {path.removeprefix("KsponSpeech/"): data for path, data in corpus.files.items()}
        for top in sorted({path.split("/")[0] for path in inner}):
            files = {path: data for path, data in inner.items() if path.startswith(top + "/")}
            self.zip("x.zip", files)
            data = (self.folder / "x.zip").read_bytes()
            if top.endswith("01"):
                self.write(f"down/{top}.zip.part0", data[:1000])
                self.write(f"down/{top}.zip.part1000", data[1000:])
            else:
                self.write(f"down/{top}.zip", data)
        (self.folder / "x.zip").unlink()
        self.check(corpus, "down")
        self.shardmill("verify", "out", "--against", "down")
        # The texts alone may be unpacked.
        shutil.copytree(self.folder / "down", self.folder / "loose")
        (self.folder / "loose/scripts.zip").unlink()
        self.unpack("loose", {path: data for path, data in inner.items() if path.endswith(".trn")})
        self.check(corpus, "loose")
        said = self.check(corpus, "down", "--text-field", "pronunciation",
                          expected={key: {} for key in corpus.expected})
        self.assertEqual(said["KsponSpeech_000002"]["text"], "나는 칠 십 퍼센트 확률이라니")
        member = "KsponSpeech_E03001"
        pcm = inner["KsponSpeech_eval/eval_other/KsponSpeech_E03001.pcm"]
        for shard in self.names("out/shards"):
            with tarfile.open(self.folder / "out/shards" / shard) as archive:
                for name in archive.getnames():
                    if name == member + ".wav":
                        self.assertEqual(archive.extractfile(name).read()[44:], pcm[:-1])

    def test_plain_and_bzip2(self):
        corpus = ljspeech()
        self.tar("x.tar", corpus.files)
        self.check(corpus, "x.tar")
        self.tar("x.tar.bz2", corpus.files)
        self.check(corpus, "x.tar.bz2")

    def test_shards_stay_shards(self):
        files = {}
        for n in range(3):
            files[f"84-121123-000{n}.flac"] = noise(n, "FLAC")
            files[f"84-121123-000{n}.txt"] = f"text {n}".encode()
        self.tar("shard.tar", files)
        self.shardmill("repack", "shard.tar", "--out", "out", "--shards", 1)
        self.assertEqual(self.texts(), {f"84-121123-000{n}": f"text {n}" for n in range(3)})
        # Also with folders like those of a corpus.
        files = {f"wav/C0001/IC0001W000{n}.{form}": noise(n) if form == "wav" else f"text {n}".encode()
                 for n in range(3) for form in ("wav", "txt")}
        self.tar("folders.tar.gz", files)
        self.shardmill("repack", "folders.tar.gz", "--out", "other", "--shards", 1)
        self.assertEqual(self.texts("other"), {f"wav/C0001/IC0001W000{n}": f"text {n}" for n in range(3)})

    def test_a_cut_archive(self):
        corpus = librispeech()
        path = self.tar("x.tar.gz", corpus.files)
        path.write_bytes(path.read_bytes()[:-2000])
        self.fails("repack", "x.tar.gz", "--out", "no", says="x.tar.gz")
        self.shardmill("repack", "x.tar.gz", "--out", "out", "--shards", 1, "--on-error", "skip", "--require-text",
                       code=3)
        for key, record in self.records().items():
            self.assertEqual(record["text"], corpus.expected[key]["text"])

    def test_audio_and_transcripts_without_each_other(self):
        corpus = librispeech()
        gone = "LibriSpeech/dev-clean/84/121123/84-121123-0002.flac"
        self.tar("x.tar.gz", {path: data for path, data in corpus.files.items() if path != gone})
        self.fails("repack", "x.tar.gz", "--out", "no",
                   says=["84-121123-0002", "84-121123.trans.txt: line 3", "no such audio"])
        self.tar("x.tar.gz", {path: data for path, data in corpus.files.items() if not path.endswith(".trans.txt")})
        self.fails("repack", "x.tar.gz", "--out", "no", says=["transcript"])
        self.assertFalse((self.folder / "no/dataset.json").exists())

    def linked(self, name, files, links):
        """An archive with links behind the files. `links`: path -> target."""
        with tarfile.open(self.folder / name, "w:gz", compresslevel=1) as archive:
            for path, data in {**files, **{path: None for path in links}}.items():
                entry = tarfile.TarInfo(path)
                if data is None:
                    entry.type, entry.linkname = tarfile.SYMTYPE, links[path]
                else:
                    entry.size = len(data)
                archive.addfile(entry, io.BytesIO(data or b""))

    def link(self, folder, links):
        for path, target in links.items():
            (self.folder / folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / folder / path).symlink_to(target)

    def test_splits_that_are_links(self):
        """THCHS-30, and TED-LIUM 3: a folder of everything, and links to it for each split."""
        corpus = thchs30()
        split = {key: "train" if key < "A11_2" else "test" for key in corpus.expected}
        links = {f"data_thchs30/{split[key]}/{key}.wav": f"../data/{key}.wav" for key in corpus.expected}
        talks = tedlium()
        everything, sets = {}, {}
        for path, data in talks.files.items():
            _, name, kind, file = path.split("/")
            everything[f"TEDLIUM_release-3/data/{kind}/{file}"] = data
            sets[f"TEDLIUM_release-3/legacy/{name}/{kind}/{file}"] = f"../../../data/{kind}/{file}"
        only_audio = {path: target for path, target in sets.items() if path.endswith("sph")}
        for key in corpus.expected:
            corpus.expected[key]["subset"] = split[key]
        for made, files, targets in ((corpus, corpus.files, links), (talks, everything, sets),
                                     (talks, everything, only_audio)):
            shutil.rmtree(self.folder / "x", ignore_errors=True)
            self.unpack("x", files)
            self.link("x", targets)
            self.linked("x.tar.gz", files, targets)
            self.linked("last.tar.gz", texts_last(files), targets)
            train = {key: facts for key, facts in made.expected.items() if facts["subset"] == "train"}
            for source in ("x", "x.tar.gz", "last.tar.gz"):
                self.check(made, source)
                self.check(made, source, "--subset", "train", expected=train)

    def test_a_link_to_audio_is_not_lost_without_a_word(self):
        corpus = librispeech()
        base = "LibriSpeech/dev-clean/84/121123/84-121123"
        corpus.files[f"{base}.trans.txt"] += b"84-121123-0009 LINKED\n"
        self.linked("x.tar.gz", corpus.files, {f"{base}-0009.flac": "84-121123-0000.flac"})
        self.fails("repack", "x.tar.gz", "--out", "no", says=["84-121123-0009.flac: is a link"])

    def test_members_that_take_all_of_the_disk(self):
        """Bombs: of more audio than an archive of that size can hold, and of more than there is room for."""
        (self.folder / "scratch").mkdir()
        os.environ["TMPDIR"] = str(self.folder / "scratch")
        self.addCleanup(os.environ.pop, "TMPDIR")
        corpus = ljspeech()
        name = "LJSpeech-1.1/wavs/LJ001-9999.wav"
        header = tarfile.TarInfo(name)
        header.size = 3 << 30
        zeros = gzip.compress(bytes(16 << 20), 1)
        with open(self.folder / "x.tar.gz", "wb") as out:
            for path, data in corpus.files.items():
                entry = tarfile.TarInfo(path)
                entry.size = len(data)
                out.write(gzip.compress(entry.tobuf() + data + bytes(-len(data) % 512)))
            out.write(gzip.compress(header.tobuf()) + zeros * 192 + gzip.compress(bytes(1024)))
        self.fails("repack", "x.tar.gz", "--out", "no", "--progress", "none",
                   says=[f"x.tar.gz!{name}", "more than 100 times the size of the archive"])
        self.assertEqual(self.names("scratch"), [])
        with zipfile.ZipFile(self.folder / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for path, data in corpus.files.items():
                archive.writestr(path, data)
            with archive.open(name, "w", force_zip64=True) as bomb:
                for _ in range(400):
                    bomb.write(bytes(1 << 20))
        self.fails("repack", "x.zip", "--out", "no", "--progress", "none",
                   says=[f"x.zip!{name}", "more than 100 times the size of the archive"])
        injector = os.environ.get("SHARDMILL_FAULT_INJECTOR")
        if injector:
            result = self.shardmill("repack", "x.zip", "--out", "no", "--ignore-free-space", "--on-error", "skip",
                                    code=1,
                                    env={"LD_PRELOAD": injector, "FAULT_FREE_BYTES": str(100 << 20)})
            self.assertIn("TMPDIR", result.err)

    def test_a_recording_of_a_zip_larger_than_a_sample_may_be(self):
        corpus = alimeeting()
        name = "Train_Ali_far/audio_dir/R0003_M0040_MS000.wav"
        body = corpus.files[name][44:] + bytes(270 << 20)
        header = bytearray(corpus.files[name][:44])
        header[4:8], header[40:44] = (len(body) + 36).to_bytes(4, "little"), len(body).to_bytes(4, "little")
        corpus.files[name] = bytes(header) + body
        with zipfile.ZipFile(self.folder / "x.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for path, data in texts_last(corpus.files).items():
                archive.writestr(path, data)
        self.check(corpus, "x.zip")

    def test_text_that_is_not_utf8(self):
        corpus = ljspeech()
        corpus.files["LJSpeech-1.1/metadata.csv"] = "LJ001-0000|你好世界|你好世界\n".encode("gb18030")
        self.tar("x.tar.gz", corpus.files)
        self.fails("repack", "x.tar.gz", "--out", "no", says=["x.tar.gz!LJSpeech-1.1/metadata.csv: line 1", "GB18030"])

    def test_md5(self):
        corpus = ljspeech()
        path = self.tar("x.tar.gz", corpus.files)
        digest = hashlib.md5(path.read_bytes()).hexdigest()
        self.check(corpus, "x.tar.gz", "--md5", digest.upper())
        self.lines("md5sum.txt", f"{'0' * 32}  other.tar.gz", f"{digest} *x.tar.gz")
        self.check(corpus, "x.tar.gz")
        self.lines("md5sum.txt", f"{'0' * 32}  x.tar.gz")
        self.fails("repack", "x.tar.gz", "--out", "no", says=["its MD5 is " + digest, "download it again"])
        self.fails("repack", "x.tar.gz", "--out", "no", "--md5", "abc", code=2, says="--md5")

    def test_md5s_beside_shards(self):
        """They are not computed, and that is said."""
        shards = self.folder / "shards"
        for number in range(3):
            self.write(f"shards/{number}.tar", harness.shard(3 * number, 3))
        for source in ("c=shards", "c=shards/0.tar"):
            self.assertNotIn("is not compared", self.shardmill("repack", source, "--out", "out", "--shards", 1,
                                                               "--force").err)
        self.lines("shards/md5sum.txt", f"{'0' * 32}  0.tar", f"{'0' * 32}  1.tar")
        said = self.shardmill("repack", "c=shards", "--out", "out", "--shards", 1, "--force").err
        self.assertEqual(said.count("is not compared"), 1)
        self.assertIn("shards/md5sum.txt", said)
        self.assertIn("md5sum -c md5sum.txt", said)
        (shards / "md5sum.txt").unlink()
        self.lines("shards/0.tar.md5", "0" * 32)
        self.lines("shards/2.tar.md5", f"{'0' * 32}  2.tar")
        said = self.shardmill("repack", "c=shards", "--out", "out", "--shards", 1, "--force").err
        self.assertIn("shards/0.tar.md5", said)
        self.assertIn("and neither is 1 other list", said)

    def test_hostile_archives(self):
        corpus = ljspeech()
        files = dict(corpus.files)
        files["../../outside.wav"] = noise(99)
        self.tar("x.tar.gz", files)
        self.fails("repack", "ljspeech:x.tar.gz", "--out", "no", says=["outside.wav", "leads out"])
        self.assertFalse((self.folder.parent / "outside.wav").exists())
        with zipfile.ZipFile(self.folder / "x.zip", "w") as archive:
            for path, data in files.items():
                archive.writestr(path, data)
        self.fails("repack", "ljspeech:x.zip", "--out", "no", says=["outside.wav", "leads out"])
        # Two entries that share their bytes, as the bombs of D. Fifield do.
        data = (self.folder / "x.zip").read_bytes()
        directory = data.rindex(b"PK\x05\x06")
        at = int.from_bytes(data[directory + 16:directory + 20], "little")
        second = data.index(b"PK\x01\x02", at + 4)
        data = data[:second + 42] + data[at + 42:at + 46] + data[second + 46:]
        self.write("overlap.zip", data)
        self.fails("repack", "ljspeech:overlap.zip", "--out", "no", says="overlap")

    def test_bombs_do_not_fill_memory(self):
        corpus = ljspeech()
        with zipfile.ZipFile(self.folder / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for path, data in corpus.files.items():
                archive.writestr(path, data)
            with archive.open("LJSpeech-1.1/wavs/LJ001-9999.wav", "w", force_zip64=True) as bomb:
                for _ in range(600):
                    bomb.write(bytes(1 << 20))
        limit = "ulimit -v 3000000; exec \"$@\""
        result = subprocess.run(["bash", "-c", limit, "-", harness.PROGRAM, "repack", "x.zip", "--out", "no", "-j2"],
                                cwd=self.folder, capture_output=True, timeout=120)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(b"unpacks to more than", result.stderr)

    def test_one_damaged_entry_of_a_zip(self):
        """It is one bad sample, and the rest of the archive is whole."""
        corpus = ljspeech()
        with zipfile.ZipFile(self.folder / "x.zip", "w", zipfile.ZIP_STORED) as archive:
            for path, data in corpus.files.items():
                archive.writestr(path, data)
        gone = next(path for path in corpus.files if is_audio(path))
        data = bytearray((self.folder / "x.zip").read_bytes())
        data[data.find(corpus.files[gone]) + 60] ^= 1
        (self.folder / "x.zip").write_bytes(data)
        self.fails("repack", "x.zip", "--out", "no", says=[gone, "cannot be unpacked"])
        self.shardmill("repack", "x.zip", "--out", "out", "--shards", 1, "--on-error", "skip", "--max-rejects", 1)
        rejects = list(map(json.loads, (self.folder / "out/rejects.jsonl").read_text().splitlines()))
        self.assertEqual([reject["key"] for reject in rejects], [pathlib.PurePath(gone).stem])
        self.assertEqual(sorted(self.records()), sorted(set(corpus.expected) - {rejects[0]["key"]}))

    def test_what_was_saved_in_place_of_a_file(self):
        pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
        page = b"\n<!DOCTYPE html>\n<html>" + bytes(600) + b"</html>"
        for data, says in ((pointer, "pointer of Git LFS"), (page, "HTML page")):
            for name in ("a.tar", "a.tar.gz", "a.zip", "a.parquet", "folder/a.tar", "rows/a.parquet"):
                self.write(name, data)
                self.fails("repack", name.split("/")[0], "--out", "no", says=[pathlib.PurePath(name).name, says])
            self.write("audio/a.wav", data)
            self.write("audio/a.txt", b"t")
            self.fails("repack", "audio", "--out", "no", says=["a.wav", says])

    def test_an_encrypted_zip(self):
        corpus = ljspeech()
        self.zip("x.zip", corpus.files)
        data = bytearray((self.folder / "x.zip").read_bytes())
        for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            place = data.find(magic)
            while place >= 0:
                data[place + at] |= 1
                place = data.find(magic, place + 4)
        (self.folder / "x.zip").write_bytes(data)
        self.fails("repack", "ljspeech:x.zip", "--out", "no", says=["x.zip!LJSpeech-1.1/", "encrypted", "password"])

    def test_a_killed_run_goes_on(self):
        corpus = librispeech()
        for n in range(4, 300):
            key = f"84-121123-{n:04}"
            corpus.audio(f"LibriSpeech/dev-clean/84/121123/{key}.flac", "FLAC", seconds=0.5)
            corpus.says(key, f"MORE {n}")
        name = "LibriSpeech/dev-clean/84/121123/84-121123.trans.txt"
        corpus.files[name] += "".join(f"84-121123-{n:04} MORE {n}\n" for n in range(4, 300)).encode()
        self.tar("first.tar.gz", corpus.files)
        self.tar("last.tar.gz", texts_last(corpus.files))  # Its texts are read in a pass of their own.
        self.zip("x.zip", texts_last(corpus.files))
        for source in ("first.tar.gz", "last.tar.gz", "x.zip"):
            with self.subTest(source):
                self.kill_and_compare(source)

    def kill_and_compare(self, source):
        for folder in ("out", "whole"):
            shutil.rmtree(self.folder / folder, ignore_errors=True)
        self.shardmill("repack", source, "--out", "whole", "--shards", 2)
        command = [harness.PROGRAM, "repack", source, "--out", "out", "--shards", "2", "-q"]
        environment = {**os.environ, "SHARDMILL_CHECKPOINT_BYTES": "20000"}
        for _ in range(3):
            process = subprocess.Popen(command, cwd=self.folder, env=environment, stderr=subprocess.DEVNULL)
            try:
                process.wait(0.08)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.shardmill(*command[1:])
        for path in self.names("whole/shards"):
            self.assertEqual((self.folder / "out/shards" / path).read_bytes(),
                             (self.folder / "whole/shards" / path).read_bytes())

    def test_audio_waits_on_disk_without_a_name(self):
        """Texts at the end, behind more audio than may wait in memory."""
        corpus = ljspeech()
        for n in range(4, 44):
            corpus.audio(f"LJSpeech-1.1/wavs/LJ001-{n:04}.wav", seconds=60)
            corpus.says(f"LJ001-{n:04}", f"long {n}")
        corpus.files["LJSpeech-1.1/metadata.csv"] += "".join(f"LJ001-{n:04}|x|long {n}\n"
                                                             for n in range(4, 44)).encode()
        self.tar("x.tar.gz", texts_last(corpus.files))
        (self.folder / "scratch").mkdir()
        os.environ["TMPDIR"] = str(self.folder / "scratch")
        self.addCleanup(os.environ.pop, "TMPDIR")
        self.check(corpus, "x.tar.gz")
        self.assertEqual(self.names("scratch"), [])

    def test_recordings_larger_than_a_sample_may_be(self):
        """AliMeeting's eight channels of half an hour: through a scratch file, and not through memory."""
        corpus = alimeeting()
        name = "Train_Ali_far/audio_dir/R0003_M0040_MS000.wav"
        frames = (270 << 20) // 16
        body = corpus.files[name][44:] + bytes(16 * frames)
        header = bytearray(corpus.files[name][:44])
        header[4:8], header[40:44] = (len(body) + 36).to_bytes(4, "little"), len(body).to_bytes(4, "little")
        corpus.files[name] = bytes(header) + body
        (self.folder / "scratch").mkdir()
        os.environ["TMPDIR"] = str(self.folder / "scratch")
        self.addCleanup(os.environ.pop, "TMPDIR")
        self.tar("x.tar", texts_last(corpus.files))
        subprocess.run(["gzip", "-1", "x.tar"], cwd=self.folder, check=True)
        limit = "ulimit -v 1000000; exec \"$@\""
        result = subprocess.run(["bash", "-c", limit, "-", harness.PROGRAM, "repack", "x.tar.gz", "--out", "out",
                                 "--shards", "1",
                                 "--memory", "128MiB", "-j2"], cwd=self.folder, capture_output=True, timeout=200)
        self.assertEqual(result.returncode, 0, result.stderr)
        records = self.records()
        self.assertEqual({key: record["text"] for key, record in records.items()},
                         {key: facts["text"] for key, facts in corpus.expected.items()})
        self.assertEqual(self.names("scratch"), [])

    def test_segments_that_cannot_be_cut(self):
        corpus = tedlium()
        for at in ("0.90 0.10", "-0.50 0.10", "0.50 0.50", "5.00 6.00"):
            files = {path: data.replace(b"0.10 0.50", at.encode()) if "Talktrain0" in path and path.endswith("stm")
                     else data
                     for path, data in corpus.files.items()}
            self.tar("x.tar.gz", files)
            self.fails("repack", "tedlium:x.tar.gz", "--out", "no", "--subset", "train",
                       says=["x.tar.gz", "Talktrain0_2010-"])
            self.shardmill("repack", "tedlium:x.tar.gz", "--out", "out", "--subset", "train", "--shards", 1, "--force",
                           "--on-error", "skip", code=3)
            self.assertEqual(list(self.records()), ["Talktrain1_2010-0000010-0000050"])

    def test_nothing_is_written_but_the_output(self):
        """Audio that waits for its text, in an archive in an archive, leaves no file with a name anywhere else."""
        corpus = aishell()
        for n in range(30):
            corpus.audio(f"data_aishell/wav/train/S0002/BAC009S0002W1{n:03}.wav", seconds=100)
            transcripts = "data_aishell/transcript/aishell_transcript_v0.8.txt"
            corpus.files[transcripts] += f"BAC009S0002W1{n:03} 长 {n}\n".encode()
        self.aishell_archive(corpus, order=lambda names: names[1:] + names[:1])
        for folder in ("scratch", "down", "here"):
            (self.folder / folder).mkdir()
        (self.folder / "data_aishell.tgz").rename(self.folder / "down/data_aishell.tgz")
        before = (self.folder / "down/data_aishell.tgz").stat().st_mtime_ns
        watched = Watch(self.folder / name for name in ("scratch", "down", "here", "."))
        self.addCleanup(watched.close)
        result = subprocess.run([harness.PROGRAM, "repack", "../down", "--out", "../out", "--shards", "2", "--subset",
                                 "all"],
                                cwd=self.folder / "here", env={**os.environ, "TMPDIR": str(self.folder / "scratch")},
                                capture_output=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(watched.created(), ["out"])
        self.assertEqual((self.folder / "down/data_aishell.tgz").stat().st_mtime_ns, before)
        # Where it works, there are only its own folder and names that it gives in the end.
        self.assertEqual([name for name in self.names("out") if name.startswith(".")], [])

    def test_inspect_says_what_it_is(self):
        corpus = librispeech()
        self.tar("x.tar.gz", corpus.files)
        said = self.says("inspect", "x.tar.gz", code=None)
        self.assertIn(": 1 archive, ", said)
        self.assertRegex(said, r"corpus +librispeech\n")
        self.assertRegex(said, r"subsets +dev-clean: 8 samples\n")
        self.assertRegex(said, r"transcripts +all samples\n")
        self.aishell_archive(aishell())
        said = self.says("inspect", "data_aishell.tgz", code=None)
        self.assertRegex(said, r"corpus +aishell\n +subsets +dev: 3 samples\n +test: 3 samples\n +train: 3 samples\n")
        self.assertIn("repack needs --subset", said)
        for options in ([], ["--fast"]):
            report = json.loads(self.says("inspect", "data_aishell.tgz", "--json", *options, code=None))["datasets"][0]
            self.assertEqual((report["corpora"], report["archives"], report["recordings"]), (["aishell"], 1, 0))
            self.assertEqual(report.get("subsets"), None if options else {"dev": 3, "test": 3, "train": 3})
        self.assertRegex(self.says("inspect", "data_aishell.tgz", "--fast", code=None), r"corpus +aishell\n")
        # As a folder.
        self.unpack("x", aishell().files)
        said = self.says("inspect", "x", code=None)
        self.assertRegex(said, r"9 audio files, .*\n +corpus +aishell\n +subsets +dev: 3 samples\n")


class TestList(Downloads):
    """The list of all corpora, as the help prints it: what each must have apart from its own source."""

    def setUp(self):
        super().setUp()
        about = self.says("repack", "--help", code=None).split("with one of the prefixes")[1].split("a dataset")[0]
        self.prefixes = re.findall(r"(\w+):", about)

    def test_each_has_a_miniature(self):
        self.assertEqual(self.prefixes, sorted(make.__name__.replace("_", "") for make in CORPORA))

    def test_each_has_a_line_for_users(self):
        docs = pathlib.Path(__file__).parents[2] / "docs/corpora.md"
        table = re.findall(r"^\| (`\w+:`(?:, `\w+:`)*) \|", docs.read_text(), re.MULTILINE)
        self.assertEqual(self.prefixes, sorted(re.findall(r"`(\w+):`", "".join(table))))


def add_tests(make):
    name = make.__name__

    def as_tree(self):
        corpus = make()
        self.unpack("x", corpus.files)
        self.check(corpus, f"x/{corpus.top}")
        self.check(corpus, "x")  # one folder up

    def as_archive(self):
        corpus = make()
        self.tar("x.tar.gz", corpus.files)
        with_texts = self.check(corpus, f"{name}=x.tar.gz")
        self.assertEqual({record["dataset"] for record in with_texts.values()}, {name})
        self.tar("last.tgz", texts_last(corpus.files))
        self.check(corpus, "last.tgz")
        self.shardmill("verify", "out", "--against", "last.tgz")

    def alike(self):
        """Whatever the order in the archive, it says what the folder says."""
        corpus = make()
        self.unpack("x", corpus.files)
        tree = self.lines_of(f"c=x")
        orders = {"given": corpus.files, "first": texts_first(corpus.files), "last": texts_last(corpus.files),
                  "reversed": dict(reversed(corpus.files.items()))}
        for order, files in orders.items():
            self.tar("x.tgz", files)
            self.assertEqual(self.lines_of("c=x.tgz"), tree, order)
        self.tar("x.tar", orders["last"])
        self.assertEqual(self.lines_of("c=x.tar"), tree)
        self.zip("x.zip", orders["last"])
        self.assertEqual(self.lines_of("c=x.zip"), tree)

    setattr(TestTrees, f"test_{name}", as_tree)
    setattr(TestArchives, f"test_{name}_is_as_the_folder", alike)
    setattr(TestArchives, f"test_{name}", as_archive)


for each in CORPORA:
    add_tests(each)


if __name__ == "__main__":
    unittest.main()
