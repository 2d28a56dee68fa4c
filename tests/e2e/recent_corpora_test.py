"""The corpora of 2024 to 2026 as they are downloaded: archives beside their texts, as Hugging Face and OpenSLR have
them; and what stands next to that: other line ends, lost rows and audio, double rows, archives beside trees."""
import json
import re
import shutil
import unittest

from downloads_test import (Downloads, cnceleb, emilia, gigaspeech2, is_audio, ksponspeech, mdcc, mtedx, noise,
                            peoples_speech, reazonspeech, spgispeech, threedspeaker, voxceleb, wenetspeech4tts,
                            wenetspeechchuan, wenetspeechwu, wenetspeechyue, yodas, yodas2)

# Of each corpus: a pattern for the audio (and what else is packed), its archive, and its name in there.
PACKED = {
    gigaspeech2: [(r"(data/th/train)/(\d)/(.*)", r"\1/\2.tar.gz", r"\2/\3"),
                  (r"(data/th)/(dev|test)/(.*)", r"\1/\2.tar.gz", r"\2/\3")],
    yodas: [(r"(data/\w+/audio)/(\d+)/(.*)", r"\1/\2.tar.gz", r"./\3")],
    yodas2: [(r"(data/\w+/audio)/(\d+)/(.*)", r"\1/\2.tar.gz", r"./\3")],
    emilia: [(r"(raw/\w+)/(\w+)/(.*)", r"\1/\2.tar.gz", r"\2/\3")],
    wenetspeech4tts: [(r"(WenetSpeech4TTS/\w+)/(WenetSpeech4TTS\w+)/(.*)", r"\1/\2.tar.gz", r"\2/\3")],
    wenetspeechyue: [(r"(WenetSpeech-Yue/wav)/(part\d)/(.*)", r"\1/\2.tar.gz", r"\2/\3")],
    wenetspeechchuan: [(r"(WenetSpeech-Chuan)/(wav)/(.*)", r"\1/\2.tar.gz", r"\2/\3")],
    wenetspeechwu: [(r"(WenetSpeech-Wu)/(clips)/(.*)", r"\1/\2.tar", r"\2/\3")],
    reazonspeech: [(r"(reazonspeech/data)/(\d+)/(.*)", r"\1/\2.tar", r"\2/\3")],
    voxceleb: [(r"(voxceleb1)/wav/(id10001)/(.*)", r"\1/vox1_dev_wav.zip", r"wav/\2/\3"),
               (r"(voxceleb1)/wav/(id10270)/(.*)", r"\1/vox1_test_wav.zip", r"wav/\2/\3")],
    cnceleb: [(r"(CN-Celeb_flac)/(.*)", r"down/cn-celeb_v2.tar.gz", r"\1/\2")],
    threedspeaker: [(r"(3dspeaker)/(train|test)/(.*)", r"\1/\2.tar.gz", r"\2/\3")]}
WITH_TEXT = [make for make in PACKED if make not in (voxceleb, cnceleb, threedspeaker)]
ONE_ROW_A_LINE = (gigaspeech2, yodas, emilia, wenetspeechyue, wenetspeechchuan)


def packed(make, files):
    """The files as they are downloaded: those that stay, and those of each archive."""
    loose, archives = {}, {}
    for path, data in files.items():
        for pattern, archive, name in PACKED[make]:
            if re.fullmatch(pattern, path):
                archives.setdefault(re.sub(pattern, archive, path), {})[re.sub(pattern, name, path)] = data
                break
        else:
            loose[path] = data
    return loose, archives


class Recent(Downloads):
    def setUp(self):
        super().setUp()
        shutil.rmtree(self.folder / "x", ignore_errors=True)

    def lay_out(self, files, archives=()):
        shutil.rmtree(self.folder / "x", ignore_errors=True)
        self.unpack("x", files)
        for name, inner in dict(archives).items():
            (self.folder / "x" / name).parent.mkdir(parents=True, exist_ok=True)
            self.zip(f"x/{name}", inner) if name.endswith("zip") else self.tar(f"x/{name}", inner)

    def test_as_downloaded(self):
        for make in PACKED:
            with self.subTest(make.__name__):
                corpus = make()
                loose, archives = packed(make, corpus.files)
                self.lay_out(loose, archives)
                self.check(corpus, "x")
                tree = self.lines_of("c=x")
                self.shardmill("verify", "out", "--against", "x")
                self.lay_out(corpus.files)
                self.assertEqual(self.lines_of("c=x"), tree)

    def test_archives_of_which_some_are_unpacked(self):
        for make in (gigaspeech2, yodas, yodas2, wenetspeech4tts):
            with self.subTest(make.__name__):
                corpus = make()
                loose, archives = packed(make, corpus.files)
                first = sorted(archives)[0]
                here = {path: data for path, data in corpus.files.items()
                        if path in loose or packed(make, {path: data})[1].get(first) is not None}
                self.lay_out(here, {name: inner for name, inner in archives.items() if name != first})
                self.check(corpus, "x")

    def test_an_archive_beside_what_it_unpacks_to(self):
        """Nothing is read twice."""
        for make in PACKED:
            with self.subTest(make.__name__):
                corpus = make()
                self.lay_out(corpus.files, packed(make, corpus.files)[1])
                if make is wenetspeech4tts:
                    self.check(corpus, "x")
                else:
                    self.fails("repack", "x", "--out", "no", "--subset", "all",
                               says="only one of the two" if make in (cnceleb, threedspeaker) else "lies beside")

    def test_line_ends_of_windows(self):
        for make in WITH_TEXT:
            with self.subTest(make.__name__):
                corpus = make()
                files = {path: data if is_audio(path) else data.replace(b"\n", b"\r\n") for path,
                         data in corpus.files.items()}
                self.lay_out(files)
                self.check(corpus, "x")

    def test_audio_that_is_not_there(self):
        for make in WITH_TEXT:
            with self.subTest(make.__name__):
                corpus = make()
                gone = next(path for path in corpus.files if is_audio(path))
                files = {path: data for path, data in corpus.files.items() if path != gone}
                loose, archives = packed(make, files)
                for layout in ((files,), (loose, archives)):
                    self.lay_out(*layout)
                    said = self.fails("repack", "x", "--out", "no", "--subset", "all", says="no such audio")
                    self.assertFalse((self.folder / "no/dataset.json").exists(), said)

    def test_a_row_that_is_not_there(self):
        for make in ONE_ROW_A_LINE:
            with self.subTest(make.__name__):
                corpus = make()
                table = next(path for path in corpus.files if re.search(r"train_raw|text/|jsonl$", path))
                row, rest = corpus.files[table].split(b"\n", 1)
                if make is gigaspeech2:
                    name = "data/th/train_refined.tsv"
                    corpus.files[name] = corpus.files[name].split(b"\n", 1)[1]
                files = {**corpus.files, table: rest}
                loose, archives = packed(make, files)
                for layout in ((files,), (loose, archives)):
                    self.lay_out(*layout)
                    # Of so few samples one is more than a tenth.
                    self.fails("repack", "x", "--out", "no", "--subset", "all",
                               says="transcript" if len(layout) == 1 else "no table lists it")
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
                    self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--subset", "all", "--on-error",
                                   "skip", "--require-text")
                    records = self.records()
                    self.assertEqual(len(records), len(corpus.expected) - 1)
                    for key, record in records.items():
                        self.assertEqual(record["text"], corpus.expected[key]["text"])

    def test_a_row_that_comes_twice(self):
        for make in ONE_ROW_A_LINE:
            with self.subTest(make.__name__):
                corpus = make()
                table = next(path for path in corpus.files if re.search(r"train_raw|text/|jsonl$", path))
                row = corpus.files[table].split(b"\n", 1)[0]
                self.lay_out({**corpus.files, table: corpus.files[table] + row + b"\n"})
                self.fails("repack", "x", "--out", "no", "--subset", "all", says=["already", table.split("/")[-1]])

    def test_a_row_without_words(self):
        for make in ONE_ROW_A_LINE:
            with self.subTest(make.__name__):
                corpus = make()
                key, facts = next(iter(corpus.expected.items()))
                files = {path: data if is_audio(path)
                         else data.replace(json.dumps(facts["text"])[1:-1].encode(), b"", 1)
                         .replace(facts["text"].encode(), b"", 1) for path, data in corpus.files.items()}
                if make is gigaspeech2:
                    files["data/th/train_raw.tsv"] = files["data/th/train_raw.tsv"].replace("ข้อความ ดิบ 0".encode(),
                                                                                            b"")
                self.lay_out(files)
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                result = self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--subset", "all",
                                        "--allow-missing-text")
                self.assertIn(key, result.err)
                self.assertEqual(self.texts()[next(k for k in self.texts() if k.split("/")[-1] == key)], "")

    def test_a_row_that_ends_where_its_text_would_begin(self):
        for make, table, row, empty, says in (
                (reazonspeech, "reazonspeech/tsv/small.tsv", "\tこんにちは 001 1。", "\t", "is not a file name, a tab"),
                (ksponspeech, "KsponSpeech/scripts/dev.trn", ":: u/ 어, 일단은", ":: ", "has no"),
                (ksponspeech, "KsponSpeech/scripts/dev.trn", ":: u/ 어, 일단은", "::", "has no")):
            with self.subTest(make.__name__):
                corpus = make()
                content = corpus.files[table].decode()
                self.assertIn(row, content)
                self.lay_out({**corpus.files, table: content.replace(row, empty).encode()})
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                result = self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--subset", "all",
                                        "--allow-missing-text")
                self.assertIn("has no transcript", result.err)
                self.assertEqual(len(self.texts()), len(corpus.expected))
                self.assertEqual(list(self.texts().values()).count(""), 1)
                self.lay_out({**corpus.files, table: content.replace(row, "").encode()})
                self.fails("repack", "x", "--out", "no", "--subset", "all", says=[says, "line "])

    def test_the_names_of_their_folders_on_the_hub(self):
        for make, name in ((wenetspeechyue, "WSYue-Train"), (wenetspeechchuan, "WSC-Train"),
                           (wenetspeechwu, "WSWu-Train")):
            corpus = make()
            self.lay_out({path.replace(corpus.top, name): data for path, data in corpus.files.items()})
            self.check(corpus, f"x/{name}")
            audio = {path.removeprefix(f"{corpus.top}/"): data for path, data in corpus.files.items() if is_audio(path)}
            self.lay_out({path.replace(corpus.top, name): data for path, data in corpus.files.items()
                          if not is_audio(path)}, {f"{name}/wavs/part_000.tar": audio})
            self.check(corpus, f"x/{name}")

    def test_a_folder_with_another_name(self):
        """What its rows hold says which prefix helps."""
        corpus = wenetspeechyue()
        audio = {path.removeprefix("WenetSpeech-Yue/"): data for path, data in corpus.files.items() if is_audio(path)}
        rows = re.sub(rb'"path": "[^"]*", ', b"", corpus.files["WenetSpeech-Yue/metadata.jsonl"])
        self.lay_out({"mine/metadata.jsonl": rows},
                     {"mine/part_000.tar": audio})
        self.fails("repack", "x/mine", "--out", "no",
                   says=["looks like WenetSpeech-Yue", "x/mine/metadata.jsonl", "wenetspeechyue:FOLDER"])
        self.check(corpus, "wenetspeechyue:x/mine")

    def test_subsets(self):
        for make, wanted, says in ((gigaspeech2, "train_refined", "dev, test, train_raw, train_refined"),
                                   (yodas, "fr100", "en000, fr100"),
                                   (yodas2, "en000", "en000, zh100"),
                                   (wenetspeech4tts, "Premium", "Basic, Premium, Standard"),
                                   (voxceleb, "train", "test, train"), (cnceleb, "eval", "train"),
                                   (threedspeaker, "test", "test, train")):
            with self.subTest(make.__name__):
                corpus = make()
                loose, archives = packed(make, corpus.files)
                expected = {key: facts for key, facts in corpus.expected.items()
                            if any(subset.split("/")[0] == wanted for subset in facts["subset"].split())}
                self.assertTrue(expected)
                for layout in ((corpus.files,), (loose, archives)):
                    self.lay_out(*layout)
                    self.check(corpus, "x", "--subset", wanted, expected=expected)
                self.lay_out(corpus.files)
                self.fails("repack", "x", "--out", "no", "--subset", "nonsense",
                           says=["no audio of the subset nonsense", says])

    def test_raw_and_refined(self):
        corpus = gigaspeech2()
        self.lay_out(corpus.files)
        raw = {f"{n % 2}-7-{n}": {"text": f"ข้อความ ดิบ {n}"} for n in range(4)}
        self.check(corpus, "x", "--subset", "train_raw", expected=raw)
        self.check(corpus, "x", "--subset", "train", "--text-field", "raw", expected=raw)
        refined = {key: facts for key, facts in corpus.expected.items() if "train" in facts["subset"]}
        self.check(corpus, "x", "--subset", "train", expected=refined)
        self.fails("repack", "x", "--out", "no", says=["several splits", "--subset train"])
        # Who has only the refined table takes only what it lists.
        del corpus.files["data/th/train_raw.tsv"]
        self.lay_out(corpus.files)
        for facts in refined.values():
            facts["subset"] = "train_refined"
        self.check(corpus, "x", "--subset", "train_refined",
                   expected={key: facts for key, facts in refined.items() if key != "1-7-3"})
        self.fails("repack", "x", "--out", "no", "--subset", "train", says="1 of 4 samples has no transcript")

    def test_no_text_by_nature(self):
        """It is said, and is no error; without the list of speakers there is one, as its splits would mix."""
        for make in (voxceleb, cnceleb, threedspeaker):
            with self.subTest(make.__name__):
                corpus = make()
                loose, archives = packed(make, corpus.files)
                for layout in ((corpus.files,), (loose, archives)):
                    self.lay_out(*layout)
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
                    result = self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--subset", "train")
                    self.assertIn("is published without transcripts", result.err)
                    self.assertNotIn("has no transcript", result.err)
                    self.assertNotIn("without a transcript", self.says("inspect", "x", code=None))
                self.fails("repack", "x", "--out", "no", says="--subset train")
        corpus = voxceleb()
        del corpus.files["voxceleb1/vox1_meta.csv"]
        self.lay_out(corpus.files)
        for options in ((), ("--subset", "train")):
            self.fails("repack", "x", "--out", "no", *options, says="vox1_meta.csv or vox2_meta.csv")

    def test_the_table_of_another_subset_is_no_help(self):
        for make, gone in ((spgispeech, "train.csv"), (mdcc, "cnt_asr_train_metadata.csv")):
            corpus = make()
            self.lay_out({path: data for path, data in corpus.files.items() if not path.endswith(gone)})
            result = self.shardmill("repack", "x", "--out", "no", "--subset", "train", code=None)
            self.assertNotEqual(result.code, 0)
            self.assertNotIn("--metadata", result.err)

    def test_voxceleb_2_has_commas_in_its_list(self):
        self.lines("x/vox2_meta.csv", "VoxCeleb2 ID ,VGGFace2 ID ,Gender ,Set ", "id00012 ,n000012 ,m ,dev ",
                   "id00017 ,n000017 ,f ,test ")
        for speaker in ("id00012", "id00017"):
            self.write(f"x/aac/{speaker}/21Uxsk56VDQ/00001.wav", noise(int(speaker[2:])))
        self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--subset", "train")
        record = self.records()["id00012-21Uxsk56VDQ-00001"]
        self.assertEqual((record["gender"], record["subset"], record["speaker"]), ("m", "train", "id00012"))

    def test_voxceleb_in_the_parts_of_its_download(self):
        corpus = voxceleb()
        loose, archives = packed(voxceleb, corpus.files)
        self.lay_out(loose, archives)
        zipped = self.folder / "x/voxceleb1/vox1_dev_wav.zip"
        data = zipped.read_bytes()
        zipped.unlink()
        step = -(-len(data) // 4)
        for i, letter in enumerate("abcd"):
            self.write(f"x/voxceleb1/vox1_dev_wav_parta{letter}", data[i * step:(i + 1) * step])
        self.check(corpus, "x")
        # A part or an archive given alone: the list of speakers beside it is not read, and the advice leads there.
        for file in ("vox1_dev_wav_partaa", "vox1_test_wav.zip"):
            self.fails("repack", f"x/voxceleb1/{file}", "--out", "no", says=["vox1_meta.csv", "give their folder"])

    def test_text_of_another_file(self):
        corpus = wenetspeech4tts()
        paths = sorted(path for path in corpus.files if "/txts/" in path)
        corpus.files[paths[0]], corpus.files[paths[1]] = corpus.files[paths[1]], corpus.files[paths[0]]
        self.lay_out(corpus.files)
        self.fails("repack", "x", "--out", "no", says="is about")
        corpus = emilia()
        corpus.files["raw/DE/DE_B00000.jsonl"] = corpus.files["raw/DE/DE_B00000.jsonl"].replace(b"W000000.mp3",
                                                                                                b"W000009.mp3")
        self.lay_out(corpus.files)
        self.fails("repack", "x", "--out", "no", says="id of another file")

    def test_audio_of_another_length_than_is_published(self):
        for make in (emilia, mdcc, yodas, wenetspeechyue, peoples_speech):
            with self.subTest(make.__name__):
                corpus = make()
                path = next(path for path in corpus.files if is_audio(path))
                form = {"mp3": "MP3", "flac": "FLAC"}.get(path[-4:].strip("."), "WAV")
                for seconds, odd in ((0.1, 0), (0.5, 1)):
                    self.lay_out({**corpus.files, path: noise(99, seconds=seconds, form=form)})
                    result = self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--subset", "all", "--force",
                                            "--json")
                    self.assertEqual(json.loads(result.out)["warnings"].get("odd_recording_length", 0), odd)

    def test_videos_of_one_name_in_two_languages(self):
        for folder in ("en000", "fr000"):
            self.lines(f"x/data/{folder}/text/00000000.txt",
                       f"v-00000-00000000-0000000{folder[0] == 'e':d} in {folder}")
            self.write(f"x/data/{folder}/audio/00000000/v-00000-00000000-0000000{folder[0] == 'e':d}.wav", noise(7))
            videos = [{"audio_id": "w",
                       "utterances": [{"utt_id": f"w-{folder}", "text": f"of {folder}", "start": 0.5, "end": 1.5}]}]
            self.write(f"y/data/{folder}/text/00000000.json", json.dumps(videos).encode())
            self.write(f"y/data/{folder}/audio/w.wav", noise(8, seconds=2))
        self.shardmill("repack", "x", "--out", "out", "--shards", 1)
        self.assertEqual(sorted(record["text"] for record in self.records().values()), ["in en000", "in fr000"])
        self.shardmill("repack", "y", "--out", "two", "--shards", 1)
        self.assertEqual(sorted(record["text"] for record in self.records("two").values()), ["of en000", "of fr000"])

    def test_recordings_that_come_twice_and_times_that_are_none(self):
        corpus = yodas2()
        name = "data/en000/text/00000000.json"
        videos = json.loads(corpus.files[name])
        self.lay_out({**corpus.files, name: json.dumps(videos + videos[:1]).encode()})
        self.fails("repack", "x", "--out", "no", says="already")
        videos[0]["text"]["no-times-here"] = "x"
        self.lay_out({**corpus.files, name: json.dumps(videos).encode()})
        self.fails("repack", "x", "--out", "no", says="does not end with two times")

    def test_a_part_is_named(self):
        """inspect says what it is, and what is missing."""
        for make, name, gone in ((gigaspeech2, "GigaSpeech 2", "tsv"), (yodas, "YODAS", "txt"),
                                 (yodas2, "YODAS2", "json"),
                                 (emilia, "Emilia", "jsonl"), (wenetspeech4tts, "WenetSpeech4TTS", "txt"),
                                 (wenetspeechyue, "WenetSpeech-Yue", "jsonl")):
            with self.subTest(name):
                corpus = make()
                for part in (corpus.top, ""):
                    self.lay_out({path: data for path, data in corpus.files.items() if not path.endswith(gone)})
                    self.fails("repack", f"x/{part}", "--out", "no", "--subset", "all", says=f"looks like {name}")
                    self.assertIn(f"looks like {name}", self.shardmill("inspect", f"x/{part}", code=None).err)
        for make in PACKED:
            with self.subTest(make.__name__):
                corpus = make()
                loose, archives = packed(make, corpus.files)
                self.lay_out(loose, archives)
                said = self.says("inspect", "x", "--fast", code=None)
                self.assertRegex(said, rf"corpus +{make.__name__}\n")

    def test_emilia_as_webdataset(self):
        corpus = emilia()
        rows = [json.loads(line) for path,
                data in corpus.files.items() if path.endswith("jsonl") for line in data.splitlines()]
        members = {}
        for row in rows:
            language = row["language"].upper()
            members[f"{row['id']}.mp3"] = corpus.files[f"raw/{language}/{row['wav']}"]
            members[f"{row['id']}.json"] = json.dumps(row).encode()
        self.tar("Emilia/DE/DE-B000000.tar",
                 members) if (self.folder / "Emilia/DE").mkdir(parents=True) is None else None
        self.check(corpus, "Emilia")

    def test_libriheavy(self):
        """Cuts beside an archive of LibriLight: texts with capitals and punctuation, or all in capitals."""
        audio = {f"medium/100/sea_fairies_0812_librivox_64kb_mp3/01_baum_{n}.flac": noise(n, "FLAC", seconds=3)
                 for n in range(2)}
        self.tar("librilight/medium.tar", audio) if (self.folder / "librilight").mkdir() is None else None
        cuts = []
        for path in audio:
            name = path.removesuffix(".flac")
            for n, start in enumerate((0.5, 1.25)):
                cuts.append({"id": f"{name}_{n}", "start": start, "duration": 1.0, "channel": 0, "type": "MonoCut",
                             "supervisions": [
                    {"id": f"{name}_{n}", "recording_id": name, "start": 0.0, "duration": 1.0, "channel": 0,
                     "language": "English",
                     "speaker": "100",
                     "custom": {"texts": [f"The oceans, {n}.", f"THE OCEANS {n}"], "pre_texts": ["a", "b"]}}],
                    "recording": {"id": name, "sources": [{"type": "file", "channels": [0],
                                                           "source": f"download/librilight/{path}"}],
                                  "sampling_rate": 16000, "num_samples": 48000, "duration": 3.0, "channel_ids": [0]},
                    "custom": {"text_path": "download/librilight_text/output_text_large_cleaned/Sea Fairies/text.txt"}})
        self.lines("cuts.jsonl", *(json.dumps(cut) for cut in cuts))
        for field, texts in (((), [f"The oceans, {n}." for n in (0, 0, 1, 1)]),
                             (("--text-field", "upper"), [f"THE OCEANS {n}" for n in (0, 0, 1, 1)])):
            self.shardmill("repack", "l=librilight", "--labels", "l=cuts.jsonl", "--out", "out", "--shards", 1,
                           "--force", *field)
            records = self.records()
            self.assertEqual(sorted(record["text"] for record in records.values()), texts)
            for record in records.values():
                self.assertEqual((record["duration"], record["speaker"]), (1.0, "100"))

    def lost(self, *options, wanted):
        """What was left out, by key and reason, of a run that goes on; it counts as an error."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--on-error", "skip", *options, code=3)
        rejects = [json.loads(line) for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
        self.assertEqual(sorted((reject["key"], reject["reason"]) for reject in rejects), sorted(wanted))

    def test_eval_is_for_tests(self):
        for make in (ksponspeech, cnceleb):
            with self.subTest(make.__name__):
                corpus = make()
                self.lay_out(corpus.files)
                self.check(corpus, "x", "--subset", "test",
                           expected={key: facts for key, facts in corpus.expected.items()
                                     if facts["subset"].startswith("eval")})
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--split", "subset")
                self.assertTrue((self.folder / "out/test/dataset.json").exists())

    def test_a_part_that_the_list_names(self):
        """Of WenetSpeech4TTS: an archive, or a pair of audio and text, is gone."""
        corpus = wenetspeech4tts()
        loose, archives = packed(wenetspeech4tts, corpus.files)
        premium = next(name for name in archives if "Premium" in name)
        keys = sorted(path.split("/")[-1][:-4] for path in archives[premium] if path.endswith("wav"))
        self.lay_out(loose, {name: inner for name, inner in archives.items() if name != premium})
        for options in ((), ("--subset", "Standard")):
            self.fails("repack", "x", "--out", "no", *options,
                       says=["_filelist.lst", "should be in WenetSpeech4TTS_Premium_0, but there is no such audio"])
            self.lost(*options, wanted=[(key, "missing_audio") for key in keys])
        self.lay_out(loose, {name: inner for name, inner in archives.items() if "/Basic/" not in name})
        self.check(corpus, "x", "--subset", "Standard", expected={
            key: facts for key, facts in corpus.expected.items() if "Standard" in facts["subset"]})
        gone = {path: data for path, data in corpus.files.items() if keys[0] not in path}
        for layout in ((gone,), packed(wenetspeech4tts, gone)):
            self.lay_out(*layout)
            self.fails("repack", "x", "--out", "no", says=[keys[0], "but there is no such audio"])
            self.lost("--allow-missing-text", wanted=[(keys[0], "missing_audio")])

    def test_a_file_of_segments_that_the_list_names(self):
        """WenetSpeech-Chuan as it is on Hugging Face."""
        top = "x/WenetSpeech-Chuan"
        names = [f"wav{n}" for n in range(2)]
        self.lines(f"{top}/metadata.jsonl", *(json.dumps(
            {"utt_id": f"o{name}", "wav_utt_id": name, "audio_labels": f"audio_labels/{name}.jsonl"})
            for name in names))
        for name in names:
            self.write(f"{top}/audio/{name}/{name}_0_100.wav", noise(ord(name[-1])))
            self.lines(f"{top}/audio_labels/{name}.jsonl", json.dumps(
                {"wav_utt_id_timestamp": f"{name}_0_100", "text": "川话",
                 "wav_utt_id_timestamp_path": f"audio/{name}/{name}_0_100.wav"}))
        self.shardmill("repack", "x", "--out", "whole", "--shards", 1)
        self.assertEqual(sorted(self.records("whole")), ["wav0_0_100", "wav1_0_100"])
        (self.folder / top / "audio_labels/wav1.jsonl").unlink()
        shutil.rmtree(self.folder / top / "audio/wav1")
        self.fails("repack", "x", "--out", "no", says=["metadata.jsonl", "line 2", "audio_labels/wav1.jsonl"])
        self.lost("--allow-missing-text", wanted=[("wav1", "missing_audio")])

    def test_damaged_times_of_captions(self):
        """MTedX without its txt: a lost sign in the times of a cue does not make it text of the one before."""
        corpus = mtedx()
        files = {path: data for path, data in corpus.files.items() if "/txt/" not in path}
        name = "es-es/data/train/vtt/-1wkFEIqb0w.es.vtt"
        comment = b"WEBVTT\n\nNOTE\nnot 00:00:00.000 --> 00:00:01.000\n"
        files[name] = files[name].replace(b"WEBVTT\n", comment, 1)
        for damage in ((b"00.300 --> ", b"00.300 -> "), (b"00:00:00.300 --> ", b"--> ")):
            hurt = {**files, name: files[name].replace(*damage)}
            for layout in ((hurt, {}), ({}, {"es-es.tgz": hurt})):
                self.lay_out(*layout)
                self.fails("repack", "x", "--out", "no", "--subset", "all",
                           says=["-1wkFEIqb0w.es.vtt", "line 10: has no good times"])
        for layout in ((files, {}), ({}, {"es-es.tgz": files})):
            self.lay_out(*layout)
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            self.check(corpus, "x")
        # Where they do not count, their damage does not either.
        self.lay_out({**corpus.files, name: hurt[name]})
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.check(corpus, "x")

    def test_a_speaker_that_the_list_names(self):
        """3D-Speaker: its list does not say which split a speaker is of."""
        corpus = threedspeaker()
        speakers = {key: facts["speaker"] for key, facts in corpus.expected.items()}
        more = "3D_SPK_00002_001_Device01_Distance06_Dialect00"
        names = {key: ("test" if any("/test/" in path and key in path for path in corpus.files) else "train")
                 for key in speakers}
        published = {path: data for path, data in corpus.files.items() if "utt2info" not in path}
        gone = next(key for key, split in names.items() if split == "train")
        self.lay_out({path: data for path, data in published.items() if gone not in path})
        for split in ("train", "test"):
            self.write(f"x/3dspeaker/files/{split}_utt2info.csv", "".join(
                line + "\n" for line in ["Utt-id,Spk-id,Seg-id,Device,Distance,Dialect", *(
                    f"{key},{speaker},001,Device01,Distance06,Dialect00" for key, speaker in speakers.items()
                    if names[key] == split)]).encode())
        self.fails("repack", "x", "--out", "no", "--subset", "train", says=["train_utt2info.csv", gone])
        self.shardmill("repack", "x", "--out", "tests", "--subset", "test", "--shards", 1)
        corpus.lines("3dspeaker/files/utt2info.csv", "utt,spk,device,distance,dialect",
                     *(f"{key},{speaker},Device01,Distance06,Dialect00"
                       for key, speaker in {**speakers, more: "3D_SPK_00002"}.items()))
        self.lay_out(corpus.files)
        for split in ("train", "test"):
            self.fails("repack", "x", "--out", "no", "--subset", split, says=["utt2info.csv", "line 6", more])
        self.lost("--subset", "train", wanted=[(more, "missing_audio")])
        archives = {"train.tar.gz": "/train/", "test.tar.gz": "/test/", "files.tar.gz": "/files/"}
        self.lay_out({}, {name: {path: data for path, data in corpus.files.items() if part in path}
                          for name, part in archives.items()})
        self.lost("--subset", "all", wanted=[(more, "missing_audio")])
        # With one split alone, all other speakers may be of the other one; but its own are known.
        gone, *_ = speakers
        files = {path: data for path, data in corpus.files.items() if "/test/" not in path and gone not in path}
        self.lay_out(files)
        self.lost(wanted=[(gone, "missing_audio")])

    def test_lists_beside_archives_of_a_named_corpus(self):
        """3D-Speaker: the prefix reads what is read without it."""
        corpus = threedspeaker()
        loose, archives = packed(threedspeaker, corpus.files)
        list_of_all = ("Utt-id,Seg-id,Spk-id,Device,Distance,Dialect\n" + "".join(
            f"{key},001,{facts['speaker']},Device01,Distance06,Dialect00\n"
            for key, facts in corpus.expected.items())).encode()
        for name in ("utt2info.csv", "files/train_utt2info.csv"):
            self.lay_out({**loose, f"3dspeaker/{name}": list_of_all}, archives)
            for source in ("x", "threedspeaker:x"):
                with self.subTest(name=name, source=source):
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
                    self.check(corpus, source)

    def test_a_video_without_captions(self):
        corpus = yodas2()
        name = "data/en000/text/00000000.json"
        videos = json.loads(corpus.files[name])
        gone = videos[0]["audio_id"]
        # Of ten samples one may have no text.
        videos[1]["text"] = {f"{videos[1]['audio_id']}-{n:05}-{n * 20:08}-{n * 20 + 15:08}": f"a {n}" for n in range(6)}
        for empty in ({"audio_id": gone, "utterances": []}, {"audio_id": gone, "text": {}}):
            files = {**corpus.files, name: json.dumps([empty, *videos[1:]]).encode()}
            for layout in ((files,), packed(yodas2, files)):
                self.lay_out(*layout)
                self.fails("repack", "x", "--out", "no", "--subset", "all", says=[gone, "no entry with captions in"])
                self.lost("--subset", "all", wanted=[(gone, "no_segments")])
        shutil.rmtree(self.folder / "out")
        self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--subset", "all", "--allow-missing-text")
        self.assertEqual(self.records()[gone]["duration"], 2)

    def test_a_text_that_the_table_names(self):
        """MDCC: it is not there, or is not UTF-8; the message names it, also in a zip."""
        corpus = mdcc()
        name = next(path for path in corpus.files if "/transcription/" in path)
        key = name.split("/")[-1][:-4]
        # Of ten samples one may have no text.
        corpus.audio("dataset/audio/447_1.wav")
        corpus.lines("dataset/transcription/447_1.txt", "多一句")
        corpus.files["dataset/cnt_asr_test_metadata.csv"] += b"./audio/447_1.wav,./transcription/447_1.txt,male,0.1\n"
        gone = {path: data for path, data in corpus.files.items() if path != name}
        for layout in ((gone,), ((), {"dataset.zip": gone})):
            self.lay_out({path: data for path, data in dict(layout[0]).items()}, *layout[1:])
            self.fails("repack", "x", "--out", "no", "--subset", "all",
                       says=[f"its text {key}.txt, which line 2 of", "cnt_asr_train_metadata.csv names, is not there"])
            self.lost("--subset", "all", wanted=[(key, "bad_text")])
        self.lay_out({**corpus.files, name: b""})
        self.fails("repack", "x", "--out", "no", "--subset", "all", says="cnt_asr_train_metadata.csv names, is empty")
        self.lay_out({}, {"dataset.zip": gone})
        shutil.rmtree(self.folder / "out")
        self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--subset", "all", "--allow-missing-text")
        self.assertEqual(self.records()[key]["text"], "")
        self.lay_out({}, {"dataset.zip": {**corpus.files, name: "佢話".encode("big5")}})
        self.fails("repack", "x", "--out", "no", "--subset", "all", says=f"dataset.zip!{name}: line 1")

    def test_a_list_of_transcripts_that_is_not_there(self):
        """KsponSpeech: the audio that only this list is about has no texts, and there is not so much of it."""
        corpus = ksponspeech()
        extra = corpus.files["KsponSpeech/KsponSpeech_01/KsponSpeech_0001/KsponSpeech_000001.pcm"]
        lines = []
        for n in range(100, 120):
            corpus.files[f"KsponSpeech/KsponSpeech_01/KsponSpeech_0001/KsponSpeech_{n:06}.pcm"] = extra
            lines.append(f"KsponSpeech_01/KsponSpeech_0001/KsponSpeech_{n:06}.pcm :: 어")
        corpus.files["KsponSpeech/scripts/train.trn"] += "".join(f"{line}\n" for line in lines).encode()
        for list_, key in (("dev.trn", "KsponSpeech_622001"), ("eval_clean.trn", "KsponSpeech_E00001")):
            self.lay_out({path: data for path, data in corpus.files.items() if not path.endswith(list_)})
            said = ["no table lists it", list_]
            self.fails("repack", "x", "--out", "no", "--subset", "all", says=said)
            self.lost("--subset", "all", wanted=[(key, "unlisted")])

    def test_a_wav_among_headerless_files(self):
        corpus = ksponspeech()
        name = next(path for path in corpus.files if path.endswith(".pcm"))
        key = name.split("/")[-1][:-4]
        wav = noise(77, seconds=0.5)
        files = {**corpus.files, name: wav}
        for layout in ((files,), ((), {"KsponSpeech.zip": files})):
            self.lay_out(dict(layout[0]), *layout[1:])
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--subset", "all")
            record = self.records()[key]
            self.assertEqual((record["duration"], record["format"]), (0.5, "wav/pcm16"))
            self.assertEqual(self.shardmill("cat", "out/shards/audio_000000000.tar", record["audio_filepath"]).out, wav)


if __name__ == "__main__":
    unittest.main()
