"""Corpora of which a piece got lost on the way: nothing is mixed, left out or taken whole without a word."""
import hashlib
import itertools
import json
import shutil
import unittest

import downloads_test
import harness
from downloads_test import (Downloads, aishell, aishell3, alimeeting, commonvoice, fleurs, gigaspeech, is_audio,
                            libritts, librispeech, ljspeech, magicdata, mls,
                            peoples_speech, stcmds, tedlium, thchs30, vctk, voxpopuli, wenetspeech)


class TestLostShards(Downloads):
    def test_a_tar_that_the_numbers_of_others_promise(self):
        for number in (0, 1, 3):
            self.write(f"s/train-{number:05}-of-00004.tar",
                       harness.tar([(f"k{number}.txt", b"words"), (f"k{number}.wav", downloads_test.noise(number))]))
        self.fails("repack", "s", "--out", "no", "--shards", 1,
                   says=["s/train-00002-of-00004.tar: is not there", "others of these 4 parts are"])
        self.shardmill("repack", "s", "--out", "some", "--shards", 1, "-q", "--on-error", "skip", "--max-rejects",
                       "all")
        self.assertEqual(sorted(self.records("some")), ["k0", "k1", "k3"])
        said = self.shardmill("repack", "s/train-*.tar", "--out", "out", "--shards", 1).err
        self.assertIn("s/train-00002-of-00004.tar: is not there", said)
        self.write("list.txt", b"".join(b"s/train-%05d-of-00004.tar\n" % number for number in (0, 1, 3)))
        said = self.shardmill("repack", "list.txt", "--out", "listed", "--shards", 1).err
        self.assertIn("s/train-00002-of-00004.tar: is not in the list, but others of its parts are", said)


class TestLostSplits(Downloads):
    """Splits that are told by links, or by tables, which are gone."""

    def both(self, files):
        """The same as a folder and as archives."""
        shutil.rmtree(self.folder / "x", ignore_errors=True)
        self.unpack("x", files)
        self.tar("x.tar.gz", files)
        self.tar("last.tar.gz", downloads_test.texts_last(files))
        return "x", "x.tar.gz", "last.tar.gz"

    def test_thchs30_without_its_links(self):
        corpus = thchs30()
        for source in self.both(corpus.files):
            self.fails("repack", source, "--out", "no",
                       says=["training or for tests", "train, dev and test", "--subset all"])
            self.assertFalse((self.folder / "no").exists())
            self.check(corpus, source)
        # Of one folder they are there: the rest may be of any other.
        files = dict(corpus.files)
        files["data_thchs30/train/A11_0.wav.trn"] = b"../data/A11_0.wav.trn\n"
        for source in self.both(files):
            self.fails("repack", source, "--out", "no", says=["A11_1.wav", "training or for tests"])
            self.shardmill("repack", source, "--subset", "train", "--out", "out", "--shards", 1, "--force")
            self.assertEqual(list(self.records()), ["A11_0"])

    def test_thchs30_whose_links_became_files(self):
        corpus = thchs30()
        for key in corpus.expected:
            corpus.files[f"data_thchs30/train/{key}.wav"] = corpus.files[f"data_thchs30/data/{key}.wav"]
            corpus.files[f"data_thchs30/train/{key}.wav.trn"] = f"../data/{key}.wav.trn\n".encode()
            corpus.expected[key]["subset"] = "train"
        for source in self.both(corpus.files):
            self.check(corpus, source, "--subset", "train")

    def test_tedlium_three_without_its_links(self):
        corpus = tedlium()
        files = {}
        for path, data in corpus.files.items():
            _, _, kind, name = path.split("/")
            files[f"TEDLIUM_release-3/data/{kind}/{name}"] = data
        expected = {key: {name: value for name, value in facts.items() if name != "subset"} for key,
                    facts in corpus.expected.items()}
        for source in self.both(files):
            self.fails("repack", source, "--out", "no", says=["training or for tests", "legacy/train", "--subset all"])
            self.check(corpus, source, expected=expected)
        # The lists of the splits are files, and only the audio in them was links.
        for path, data in corpus.files.items():
            _, split, kind, name = path.split("/")
            if kind == "stm":
                files[f"TEDLIUM_release-3/legacy/{split}/stm/{name}"] = data
        for source in self.both(files):
            self.fails("repack", source, "--out", "no", says="several splits")
            train = {key: facts for key, facts in corpus.expected.items() if facts["subset"] == "train"}
            self.check(corpus, source, "--subset", "train", expected=train)
            self.shardmill("verify", "out", "--against", source)

    def test_inspect_looks_at_what_has_no_splits(self):
        for source in self.both(thchs30().files):
            self.assertRegex(self.says("inspect", source, code=None), r"corpus +thchs30\n")

    def test_common_voice_without_a_table(self):
        corpus = commonvoice()
        base = "cv-corpus-17.0-2024-03-15/ab"
        for gone, left in ((("train",), "dev, invalidated, other, test, validated"),
                           (("dev", "test"), "invalidated, other, train, validated"),
                           (("train", "dev", "test"), "invalidated, other, validated")):
            files = {path: data for path,
                     data in corpus.files.items() if path.removeprefix(base + "/").removesuffix(".tsv") not in gone}
            for source in self.both(files):
                for options in ((), ("--subset", "all")):
                    self.fails("repack", source, "--out", "no", *options,
                               says=[f"{'dev' if 'train' not in gone else 'train'}.tsv is missing", left])
        # Releases of new clips alone have no splits.
        for source in self.both(files):
            validated = {key: {**facts, "subset": "validated"} for key, facts in corpus.expected.items()}
            self.check(corpus, source, "--subset", "validated", expected=validated)


class TestLostCuts(Downloads):
    """Long recordings, and nothing that says how to cut them."""

    def add_more(self, corpus):
        """So many recordings that one is less than a tenth of them: more would be an error of another kind."""
        path, data = next((path, data) for path, data in corpus.files.items() if is_audio(path) and "dev" not in path)
        text = next(path for path in corpus.files if not is_audio(path) and "dev" not in path)
        key, facts = next((key, facts) for key, facts in corpus.expected.items() if facts["subset"] == "train")
        for n in range(2, 14):
            def name(old):
                return old.replace("Talktrain0", f"Talktrain{n}").replace("M0040", f"M00{40 + n}")
            corpus.files[name(path)] = data
            corpus.files[name(text)] = name(corpus.files[text].decode()).encode()
            corpus.expected[name(key)] = facts

    def test_one_of_many(self):
        for make, gone, key, says in (
                (tedlium, "TEDLIUM_release2/train/stm/Talktrain0_2010.stm", "Talktrain0_2010", "Talktrain0_2010.stm"),
                (alimeeting, "Train_Ali_far/textgrid_dir/R0003_M0040.TextGrid", "R0003_M0040_MS000",
                 "R0003_M0040.TextGrid")):
            corpus = make()
            self.add_more(corpus)
            files = {path: data for path, data in corpus.files.items() if path != gone}
            shutil.rmtree(self.folder / "x", ignore_errors=True)
            self.unpack("x", files)
            self.tar("x.tar.gz", files)
            self.zip("x.zip", files)
            expected = {name: facts for name, facts in corpus.expected.items()
                        if facts["subset"] == "train" and not name.startswith(key)}
            for source in ("x", "x.tar.gz", "x.zip"):
                with self.subTest(source=source, corpus=make.__name__):
                    options = ("--subset", "train", "--out", "out", "--shards", 1)
                    shutil.rmtree(self.folder / "out", ignore_errors=True)
                    self.fails("repack", source, "--subset", "train", "--out", "no",
                               says=[f"there is no {says} with its words"])
                    self.shardmill("repack", source, *options, "--on-error", "skip", code=3)
                    self.assertEqual(sorted(self.records()), sorted(expected))
                    reject = json.loads((self.folder / "out/rejects.jsonl").read_text())
                    self.assertEqual((reject["key"], reject["reason"]), (key, "no_segments"))
                    self.shardmill("verify", "out", "--against", source)
                    # Nobody knows how many samples it would have been cut into.
                    self.assertIs(reject["samples_unknown"], True)
                    self.shardmill("repack", source, *options, "--force", "--on-error", "skip", "--max-rejects", 1,
                                   code=3)
                    self.shardmill("repack", source, *options, "--force", "--on-error", "skip", "--max-rejects", "all")
                    # Who wants audio without texts gets it.
                    self.shardmill("repack", source, "--subset", "train", "--out", "out", "--shards", 1, "--force",
                                   "--allow-missing-text")
                    self.assertEqual(sorted(self.records()), sorted([*expected, key]))

    def test_recordings_that_the_list_does_not_name(self):
        for make, name in ((wenetspeech, "X0000000009_5884059.opus"), (gigaspeech, "POD0000000009.opus")):
            corpus = make()
            for path, data in list(corpus.files.items()):
                if is_audio(path):
                    corpus.files[path.rsplit("/", 1)[0] + "/" + name] = data
            self.tar("x.tar.gz", corpus.files)
            self.fails("repack", "x.tar.gz", "--out", "no", says=[name, "there is no entry in"])

    def test_tags_of_gigaspeech_are_no_text_in_any_form(self):
        corpus = gigaspeech()
        self.unpack("x", corpus.files)
        self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--text-field", "text_tn")
        self.assertEqual(sorted(record["text"] for record in self.records().values()),
                         [f"HELLO <COMMA> WORLD {n} <PERIOD>" for n in range(3)])


class TestDownloadedFolders(Downloads):
    """Folders of downloads as people have them, with whatever else lies there."""

    def test_archives_of_several_corpora(self):
        self.tar("down/a.tar.gz", librispeech().files)
        self.tar("down/b.tar.gz", ljspeech().files)
        fix = ["librispeech in a.tar.gz", "ljspeech in b.tar.gz", "librispeech=librispeech:", "ljspeech=ljspeech:"]
        for source in ("down", "down/*.tar.gz", "x=down"):
            self.fails("repack", source, "--out", "no", says=["more than one corpus", *fix])
        self.shardmill("repack", "libri=librispeech:down/a.tar.gz", "lj=ljspeech:down/b.tar.gz", "--out", "out",
                       "--shards", 1)
        self.assertEqual({record["dataset"] for record in self.records().values()}, {"libri", "lj"})
        self.tar("down/b.tar.gz", {"odd/1.wav": downloads_test.noise(1), "odd/1.txt": b"x"})
        self.fails("repack", "down", "--out", "no", says=["shards or audio of another kind in b.tar.gz"])

    def test_speakers_in_an_archive_of_their_own(self):
        """MagicData: metadata.tar.gz beside train_set.tar.gz."""
        corpus = magicdata()
        speakers = {"metadata/SPKINFO.txt": corpus.files.pop("train/SPKINFO.txt"), "metadata/README.txt": b"MAGICDATA"}
        self.tar("down/train_set.tar.gz", corpus.files)
        self.tar("down/metadata.tar.gz", speakers)
        for source in ("down", "magicdata:down", "down/*.tar.gz"):
            self.check(corpus, source)
            self.shardmill("verify", "out", "--against", source)
        # What it says is part of the dataset.
        self.tar("down/metadata.tar.gz",
                 {"metadata/SPKINFO.txt": speakers["metadata/SPKINFO.txt"].replace(b"female", b"male  ")})
        self.fails("repack", "down", "--out", "out", "--subset", "all", "--shards", 2,
                   says="the source files are others")

    def test_an_archive_that_tells_nothing(self):
        corpus = aishell()
        self.tar("down/data_aishell.tgz", corpus.files)
        self.tar("down/resource_aishell.tgz", {"resource_aishell/lexicon.txt": b"SIL sil\n"})
        self.check(corpus, "down")
        result = self.shardmill("repack", "down", "--out", "out", "--shards", 1, "--force", "--subset", "all")
        self.assertIn("resource_aishell.tgz: is left out: it holds neither audio nor texts of the corpus", result.err)

    def test_an_archive_among_others_that_is_none(self):
        corpus = librispeech()
        self.tar("down/a.tar.gz", corpus.files)
        whole = (self.folder / "down/a.tar.gz").read_bytes()
        for name, data in (("b.tar.gz", b""), ("c.tar.gz", b"<html>404</html>" * 100), ("d.tar.gz", whole[:300])):
            self.write(f"down/{name}", data)
            self.fails("repack", "down", "--out", "no", says=f"down/{name}")
            self.shardmill("repack", "down", "--out", "out", "--shards", 1, "--force", "--on-error", "skip", code=3)
            self.assertEqual(sorted(self.records()), sorted(corpus.expected))
            (self.folder / "down" / name).unlink()

    def test_downloads_that_are_not_finished(self):
        corpus = librispeech()
        self.tar("down/dev.tar.gz", corpus.files)
        for name in ("train.tar.gz.part", "train.tgz.crdownload", "dev.tar.gz.aria2", "x.flac.part"):
            self.write(f"down/{name}", b"half of it")
            self.fails("repack", "down", "--out", "no", says=[f"down/{name}: is a download that is not finished"])
            self.shardmill("repack", "down", "--out", "out", "--shards", 1, "--force", "--on-error", "skip", code=3)
            (self.folder / "down" / name).unlink()
        self.write("down/Unconfirmed 1234.crdownload", b"half of it")
        result = self.shardmill("repack", "down", "--out", "out", "--shards", 1, "--force")
        self.assertIn("Unconfirmed 1234.crdownload: is a download that is not finished", result.err)
        (self.folder / "down/dev.tar.gz").unlink()
        self.fails("repack", "down", "--out", "no", says="holds only downloads that are not finished")
        self.unpack("x", corpus.files)
        self.write("x/LibriSpeech/dev-clean/84/121123/84-121123-0009.flac.part", b"half of it")
        self.fails("repack", "x", "--out", "no", says="84-121123-0009.flac.part: is a download that is not finished")

    def test_an_md5_is_for_archives(self):
        corpus = ljspeech()
        self.unpack("x", corpus.files)
        self.fails("repack", "x", "--out", "no", "--md5", "0" * 32, code=2,
                   says=["is not an archive of a corpus", "MD5"])
        self.tar("shard.tar", {"1.wav": downloads_test.noise(1), "1.txt": b"x"})
        self.fails("repack", "shard.tar", "--out", "no", "--md5", "0" * 32, code=2,
                   says="is not an archive of a corpus")
        path = self.tar("x.tar.gz", corpus.files)
        digest = hashlib.md5(path.read_bytes()).hexdigest()
        for name in ("md5sum.txt", "MD5SUMS", "x.tar.gz.md5"):
            self.lines(name, f"MD5 (other.tar.gz) = {'1' * 32}", f"MD5 (x.tar.gz) = {digest.upper()}")
            self.check(corpus, "x.tar.gz")
            self.lines(name, f"MD5 (x.tar.gz) = {'0' * 32}")
            self.fails("repack", "x.tar.gz", "--out", "no", says="its MD5 is " + digest)
            (self.folder / name).unlink()

    def test_voxpopuli_as_on_hugging_face(self):
        corpus = voxpopuli()
        tables = {path: data for path, data in corpus.files.items() if not is_audio(path)}
        for path, data in tables.items():
            self.write("data/en/" + path.rsplit("/", 1)[1], data)
        for split in ("train", "dev"):
            keys = [key for key, facts in corpus.expected.items() if facts["subset"] == split]
            for part, some in enumerate((keys[:2], keys[2:])):
                # Its audio is WAV there.
                self.tar(f"data/en/{split}/{split}_part_{part}.tar.gz",
                         {f"{split}_part_{part}/{key}.wav": downloads_test.noise(int(key[:8]) % 1000 + int(key[7]))
                          for key in some})
        for source in ("data", "data/en", "voxpopuli:data"):
            self.fails("repack", source, "--out", "no", says="several splits")
            self.check(corpus, source)
            self.shardmill("verify", "out", "--against", source)
        train = {key: facts for key, facts in corpus.expected.items() if facts["subset"] == "train"}
        self.check(corpus, "data", "--subset", "train", expected=train)

    def test_fleurs_as_on_hugging_face(self):
        corpus = fleurs()
        for split in ("train", "dev"):
            self.write(f"data/af_za/{split}.tsv", corpus.files[f"af_za/{split}.tsv"])
            audio = {path.split("/", 2)[2]: data for path, data in corpus.files.items() if f"audio/{split}/" in path}
            self.tar(f"data/af_za/audio/{split}.tar.gz", audio)
        for source in ("data", "data/af_za", "fleurs:data"):
            self.check(corpus, source)
        self.shardmill("repack", "data", "--out", "out", "--shards", 1, "--force", "--subset", "dev",
                       "--text-field", "raw_transcription")
        self.assertEqual(sorted(record["text"] for record in self.records().values()),
                         [f'Die "kat", {n}.' for n in (3, 4, 5)])

    def test_a_table_of_another_speaker_in_the_form_of_ljspeech(self):
        self.lines("x/metadata.csv", *(f"mine_{n}|In 18{n}|In eighteen {n}" for n in range(3)))
        for n in range(3):
            self.audio(f"x/wavs/mine_{n}.wav", n)
        self.shardmill("repack", "x", "--out", "out", "--shards", 1)
        for record in self.records().values():
            self.assertTrue(record["text"].startswith("In eighteen"))
            self.assertNotIn("speaker", record)

    def test_peoples_speech_as_on_hugging_face(self):
        corpus = peoples_speech()
        self.write("x/train/clean.json", corpus.files["peoples_speech/train/clean.json"])
        audio = [(path.rsplit("/", 1)[1], data) for path, data in corpus.files.items() if is_audio(path)]
        self.tar("x/train/clean/clean_000000.tar", {f"some_talk/{name}": data for name, data in audio[:2]})
        self.tar("x/train/clean/clean_000001.tar", {f"some_talk/{name}": data for name, data in audio[2:]})
        self.check(corpus, "x")
        self.shardmill("verify", "out", "--against", "x")

    def test_emilia(self):
        """As on Hugging Face, in tars, and unpacked; and in tar.gz."""
        files, expected = {}, {}
        for n in range(4):
            key = f"EN_B00000_S00000_W00000{n}"
            files[f"{key}.mp3"] = downloads_test.noise(n, "MP3")
            files[f"{key}.json"] = json.dumps({"id": key, "wav": f"x/{key}.mp3", "text": f" Hello {n}.",
                                               "duration": 0.1, "speaker": f"EN_B00000_S0000{n}",
                                               "language": "en", "dnsmos": 3.25}).encode()
            expected[key] = {"text": f"Hello {n}.", "speaker": f"EN_B00000_S0000{n}", "language": "en", "dnsmos": 3.25,
                             "source_duration": 0.1}
        corpus = downloads_test.Corpus("EN")
        corpus.expected = expected
        self.tar("Emilia/EN/EN-B000000.tar", dict(list(files.items())[:4]))
        self.tar("Emilia/EN/EN-B000001.tar", dict(list(files.items())[4:]))
        self.tar("gz/EN-B000000.tar.gz", files)
        self.unpack("x/EN-B000000", files)
        for source in ("Emilia", "Emilia/EN/EN-B00000*.tar", "gz", "x", "x/EN-B000000"):
            with self.subTest(source):
                self.check(corpus, source)
                self.shardmill("verify", "out", "--against", source)
        self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--force", "--text-field", "id")
        self.assertEqual({record["text"] for record in self.records().values()}, set(expected))

    def test_help_names_every_corpus(self):
        said = self.says("repack", "--help")
        for make in downloads_test.CORPORA:
            self.assertIn({"peoples_speech": "peoplesspeech"}.get(make.__name__, make.__name__) + ":", said)

    def test_subsets_that_there_are(self):
        corpus = mls()
        self.unpack("x", corpus.files)
        self.fails("repack", "x", "--out", "no", "--subset", "nosuch",
                   says=["holds no audio of the subset nosuch", "it has dev, train"])
        self.tar("x.tar.gz", corpus.files)
        self.fails("repack", "x.tar.gz", "--out", "no", "--subset", "nosuch",
                   says=["the sources hold no samples of the subset 'nosuch'", "inspect"])


class TestArchivesBesideFolders(Downloads):
    """Archives and unpacked files in one folder: neither is passed over."""

    def refuses(self, source, *says):
        self.fails("repack", source, "--out", "no", "--subset", "all", says=list(says))
        self.assertFalse((self.folder / "no").exists())

    def test_an_archive_beside_an_unpacked_corpus(self):
        for make in (librispeech, libritts, magicdata, stcmds, vctk, thchs30):
            with self.subTest(make.__name__):
                shutil.rmtree(self.folder / "F", ignore_errors=True)
                corpus = make()
                self.unpack("F", corpus.files)
                self.tar("F/more.tar.gz", corpus.files)
                self.refuses(f"{make.__name__}:F",
                             "F: holds archives of audio, such as F/more.tar.gz, and an unpacked corpus",
                             f"NAME=F/more.tar.gz NAME={make.__name__}:F/{corpus.top}")
                self.refuses("F", "F: holds")

    def test_what_was_made_of_a_corpus_is_no_part_of_it(self):
        corpus = librispeech()
        self.unpack("F", corpus.files)
        self.shardmill("repack", "librispeech:F", "--out", "made", "--shards", 1)
        (self.folder / "made").rename(self.folder / "F/made")
        self.check(corpus, "librispeech:F")

    def test_an_archive_beside_aishell(self):
        corpus = aishell()
        self.unpack("F", corpus.files)
        self.tar("F/data_aishell.tgz", corpus.files)
        for source in ("F", "aishell:F"):
            self.refuses(source, "F: holds")

    def test_lists_of_md5s(self):
        corpus = librispeech()
        path = self.tar("x.tar.gz", corpus.files)
        self.lines("md5sum.txt", f"{'0' * 32}  /somewhere/else/x.tar.gz")
        self.fails("repack", "x.tar.gz", "--out", "no", says="its MD5 is " + hashlib.md5(path.read_bytes()).hexdigest())
        (self.folder / "md5sum.txt").unlink()
        self.fails("repack", "x.tar.gz", "--out", "no", "--md5", "1" * 32, "--on-error", "skip", "--max-rejects", "all",
                   says="its MD5 is ")
        self.assertFalse((self.folder / "no/dataset.json").exists())
        self.write("x.tar.gz.md5", b"")
        result = self.shardmill("repack", "x.tar.gz", "--out", "out", "--shards", 1)
        self.assertIn("x.tar.gz.md5: holds no MD5 of its archive, which is not compared", result.err)

    def test_what_the_advice_says(self):
        corpus = librispeech()
        self.unpack("F", {path: data for path, data in corpus.files.items() if "/174/" not in path})
        self.tar("F/more.tar.gz", {path: data for path, data in corpus.files.items() if "/84/" not in path})
        self.refuses("librispeech:F", "NAME=F/more.tar.gz NAME=librispeech:F/LibriSpeech")
        self.shardmill("repack", "x=F/more.tar.gz", "x=librispeech:F/LibriSpeech", "--out", "out", "--shards", 1)
        self.assertEqual(sorted(self.records()), sorted(corpus.expected))

    def test_an_archive_of_another_part(self):
        corpus = libritts()
        self.unpack("F", corpus.files)
        train = {path.replace("dev-clean", "train-clean-100"): data for path, data in corpus.files.items()}
        self.tar("F/train-clean-100.tar.gz", train)
        for source in ("F", "libritts:F"):
            self.refuses(source, "F/train-clean-100.tar.gz", "LibriTTS/dev-clean/84/121123/84_121123_000000_000000.wav")

    def test_an_archive_without_audio_beside_an_unpacked_corpus(self):
        corpus = magicdata()
        self.unpack("F", corpus.files)
        self.tar("F/metadata.tar.gz", {"metadata/README.txt": b"MAGICDATA"})
        for source in ("F", "magicdata:F"):
            self.check(corpus, source)
            result = self.shardmill("repack", source, "--out", "out", "--shards", 1, "--force")
            self.assertIn("F/metadata.tar.gz: is left out: it holds no audio", result.err)

    def test_a_folder_of_archives_with_a_prefix(self):
        corpus = librispeech()
        self.tar("F/dev-clean.tar.gz", corpus.files)
        self.check(corpus, "librispeech:F")

    def test_downloads_that_are_not_finished(self):
        corpus = librispeech()
        self.unpack("F", corpus.files)
        for name in ("x.tar.gz.part", "x.tgz.tmp", "x.tar.filepart", "x.tar.gz.wget", "x.tar.gz.incomplete",
                     ".cache/huggingface/download/data/Zm9v.0123abcd.incomplete"):
            self.write(f"F/{name}", b"half of it")
            for source in ("F", "librispeech:F"):
                self.refuses(source, f"F/{name}: is a download that is not finished")
            (self.folder / "F" / name).unlink()
        self.check(corpus, "librispeech:F")

    def test_voxpopuli_half_unpacked(self):
        corpus = voxpopuli()
        for path, data in corpus.files.items():
            if not is_audio(path):
                self.write("data/en/" + path.rsplit("/", 1)[1], data)
        keys = [key for key, facts in corpus.expected.items() if facts["subset"] == "train"]
        files = {f"train_part_0/{key}.wav": downloads_test.noise(n) for n, key in enumerate(keys)}
        self.tar("data/en/train/train_part_0.tar.gz", files)
        self.unpack("data/en/train", dict(list(files.items())[:1]))
        for source in ("data", "voxpopuli:data"):
            self.fails("repack", source, "--out", "no", "--subset", "train",
                       says="train_part_0.tar.gz: lies beside a folder of its name with audio, which may be only a "
                            "part of it")

    def fleurs_archives(self, gone):
        """As on Hugging Face, without the audio of `gone`."""
        corpus = fleurs()
        for split in ("train", "dev"):
            self.write(f"data/af_za/{split}.tsv", corpus.files[f"af_za/{split}.tsv"])
            audio = {path.split("/", 2)[2]: data for path, data in corpus.files.items()
                     if f"audio/{split}/" in path and not path.endswith(gone)}
            self.tar(f"data/af_za/audio/{split}.tar.gz", audio)

    def test_fleurs_without_some_of_its_audio(self):
        corpus = fleurs()
        train = sorted(key for key, facts in corpus.expected.items() if facts["subset"] == "train")
        self.fleurs_archives(f"/{train[0]}.wav")
        lost = f"'{train[0]}' has a transcript, but there is no such audio"
        for source in ("data", "data/af_za", "fleurs:data"):
            self.fails("repack", source, "--out", "no", "--subset", "train", says=lost)
            self.shardmill("repack", source, "--out", "out", "--shards", 1, "--force", "--subset", "train",
                           "--on-error", "skip", code=3)
            self.assertEqual(sorted(self.records()), train[1:])
            reject = json.loads((self.folder / "out/rejects.jsonl").read_text())
            self.assertEqual((reject["key"], reject["reason"]), (train[0], "missing_audio"))
            self.shardmill("repack", source, "--out", "dev", "--shards", 1, "--force", "--subset", "dev")
        # A whole archive, or half of a folder.
        archive = self.folder / "data/af_za/audio/train.tar.gz"
        self.unpack("data/af_za/audio",
                    {path.split("/", 2)[2]: data for path,
                     data in corpus.files.items() if path.endswith(f"train/{train[1]}.wav")})
        self.fails("repack", "data", "--out", "no", "--subset", "train",
                   says="has a transcript, but there is no such audio")
        shutil.rmtree(self.folder / "data/af_za/audio/train")
        archive.unlink()
        self.fails("repack", "data", "--out", "no", "--subset", "train",
                   says="has a transcript, but there is no such audio")
        self.shardmill("repack", "data", "--out", "dev", "--shards", 1, "--force", "--subset", "dev")


class TestTablesBesideArchives(Downloads):
    """VoxPopuli and People's Speech as on Hugging Face: what the tables name and no archive holds is missed."""

    def voxpopuli(self, gone=()):
        corpus = voxpopuli()
        for path, data in corpus.files.items():
            if not is_audio(path):
                self.write("data/en/" + path.rsplit("/", 1)[1], data)
        for split in ("train", "dev"):
            keys = sorted(key for key, facts in corpus.expected.items() if facts["subset"] == split)
            for part, some in enumerate((keys[:2], keys[2:])):
                name = f"{split}_part_{part}"
                if name not in gone:
                    self.tar(f"data/en/{split}/{name}.tar.gz",
                             {f"{name}/{key}.wav": downloads_test.noise(int(key[7]))
                              for key in some if key not in gone})
        return corpus, sorted(corpus.expected)

    def peoples_speech(self, gone=()):
        corpus = peoples_speech()
        self.write("data/train/clean.json", corpus.files["peoples_speech/train/clean.json"])
        audio = [(path.rsplit("/", 1)[1], data) for path, data in corpus.files.items() if is_audio(path)]
        for part, some in enumerate((audio[:2], audio[2:])):
            if f"clean_{part}" not in gone:
                self.tar(f"data/train/clean/clean_{part}.tar",
                         {f"some_talk/{name}": data for name, data in some if name[:-5] not in gone})
        return corpus, sorted(corpus.expected)

    def check_lost(self, lay_out, gone, numbers):
        shutil.rmtree(self.folder / "data", ignore_errors=True)
        _, keys = lay_out()
        lost = [keys[number] for number in numbers]
        shutil.rmtree(self.folder / "data")
        lay_out(gone or lost)
        options = ("--subset", "all", "--out", "out", "--shards", 1)
        self.fails("repack", "data", "--subset", "all", "--out", "no",
                   says=["has a transcript, but there is no such audio", "--on-error skip"])
        self.assertFalse((self.folder / "no/dataset.json").exists())
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        self.shardmill("repack", "data", *options, "--on-error", "skip", code=3)
        self.assertEqual(sorted(self.records()), [key for key in keys if key not in lost])
        rejects = [json.loads(line) for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
        self.assertEqual(sorted((reject["key"], reject["reason"]) for reject in rejects),
                         [(key, "missing_audio") for key in lost])
        self.shardmill("verify", "out", "--against", "data")
        # As many as the user allows, and those that were not wanted anyway.
        self.shardmill("repack", "data", *options, "--force", "--on-error", "skip", "--max-rejects", len(lost))
        more = [option for key in lost for option in ("--exclude", key)]
        self.shardmill("repack", "data", *options, "--force", *more)
        inspected = json.loads(self.says("inspect", "data", "--json", code=1))["datasets"][0]["issues"]
        self.assertEqual([issue["count"] for issue in inspected if issue["id"] == "lost_utterance"], [len(lost)])

    def test_a_missing_archive(self):
        self.check_lost(self.voxpopuli, ["train_part_1"], [2])
        self.check_lost(self.voxpopuli, ["dev_part_0"], [3, 4])
        self.check_lost(self.peoples_speech, ["clean_1"], [2, 3])

    def test_a_missing_file_in_an_archive(self):
        self.check_lost(self.voxpopuli, None, [1, 5])
        self.check_lost(self.peoples_speech, None, [0])

    def test_other_splits_are_not_missed(self):
        corpus, keys = self.voxpopuli(["dev_part_0", "dev_part_1"])
        train = {key: facts for key, facts in corpus.expected.items() if facts["subset"] == "train"}
        self.check(corpus, "data", "--subset", "train", expected=train)

    def test_what_else_is_left_out_is_not_missed(self):
        self.voxpopuli()
        for option in (("--weight", "data=0.5"), ("--limit", "2"), ("--min-duration", "0.2"), ("--exclude", "*_0")):
            self.shardmill("repack", "data", "--subset", "all", "--out", "out", "--shards", 1, "--force", *option,
                           code=None)
            rejects = (self.folder / "out/rejects.jsonl")
            if rejects.exists():
                self.assertNotIn("missing_audio", rejects.read_text(), option)

    def test_runs_in_parts(self):
        self.voxpopuli(["train_part_1"])
        self.shardmill("repack", "data", "--subset", "all", "--out", "no", "--shards", 2, "--parts", 2)
        for part in (0, 1):
            self.shardmill("repack", "--out", "no", "--part", part)
        self.fails("repack", "--out", "no", "--finish", says=["has a transcript, but there is no such audio"])
        self.shardmill("repack", "data", "--subset", "all", "--out", "out", "--shards", 2, "--parts", 2,
                       "--on-error", "skip")
        for part in (0, 1):
            self.shardmill("repack", "--out", "out", "--part", part)
        self.shardmill("repack", "--out", "out", "--finish", code=3)
        reject = json.loads((self.folder / "out/rejects.jsonl").read_text())
        self.assertEqual(reject["reason"], "missing_audio")
        self.shardmill("verify", "out", "--against", "data")

    def test_splits_and_updates(self):
        self.voxpopuli(["dev_part_1"])
        self.fails("repack", "data", "--split", "dev=0.1s", "--out", "no", "--subset", "all",
                   says="has a transcript, but there is no such audio")
        self.tar("first.tar", {"1.wav": downloads_test.noise(77), "1.txt": b"x"})
        self.shardmill("repack", "first.tar", "--out", "out", "--shards", 1)
        shutil.rmtree(self.folder / "data")
        self.voxpopuli(["train_part_1", "dev_part_0", "dev_part_1"])
        (self.folder / "data/en/asr_dev.tsv").unlink()
        self.fails("update", "out", "--add", "data", says="has a transcript, but there is no such audio")


class TestTablesThatSpeakOfMore(Downloads):
    def test_common_voice_of_two_languages(self):
        corpus = commonvoice()
        for path, data in list(corpus.files.items()):
            corpus.files[path.replace("/ab/", "/eo/").replace("_ab_", "_eo_")] = data.replace(b"_ab_", b"_eo_")
        for gone in ("ab/train.tsv", "eo/train.tsv"):
            shutil.rmtree(self.folder / "x", ignore_errors=True)
            files = {path: data for path, data in corpus.files.items() if not path.endswith(gone)}
            self.unpack("x", files)
            self.tar("x.tar.gz", files)
            for source in ("x", "x.tar.gz"):
                for subsets in ("train", "train,dev"):
                    self.fails("repack", source, "--out", "no", "--subset", subsets,
                               says=["train.tsv is missing beside dev.tsv", f"/{gone[:2]}/"])
                self.shardmill("repack", source, "--out", "out", "--shards", 1, "--force", "--subset", "dev")
                self.assertEqual(len(self.records()), 2)

    def test_a_clip_of_common_voice_in_two_splits(self):
        corpus = commonvoice()
        base = "cv-corpus-17.0-2024-03-15/ab"
        row = corpus.files[f"{base}/dev.tsv"].splitlines(keepends=True)[1]
        for split in ("train", "test"):
            files = dict(corpus.files)
            files[f"{base}/{split}.tsv"] += row
            shutil.rmtree(self.folder / "x", ignore_errors=True)
            self.unpack("x", files)
            self.tar("x.tar.gz", files)
            for source in ("x", "x.tar.gz"):
                # Also where only one of the two is taken.
                for subsets in ("all", "train", "dev", "test"):
                    self.fails("repack", source, "--out", "no", "--subset", subsets,
                               says=["'common_voice_ab_2' is in", "in another split in line", "dev.tsv", f"{split}.tsv",
                                     "take out one"])
        # The same line twice tells nothing new; another sentence does.
        for row, is_wrong in ((row, False), (row.replace(b"Sentence 2", b"Another"), True)):
            files = dict(corpus.files)
            files[f"{base}/dev.tsv"] += row
            self.tar("x.tar.gz", files)
            if is_wrong:
                self.fails("repack", "x.tar.gz", "--out", "no", "--subset", "dev",
                           says=["dev.tsv: line 3", "with another sentence in line 2"])
            else:
                self.check(corpus, "x.tar.gz")

    def test_validated_clips_are_in_splits_too(self):
        corpus = commonvoice()
        self.unpack("x", corpus.files)
        self.tar("x.tar.gz", corpus.files)
        self.tar("last.tar.gz", dict(reversed(corpus.files.items())))
        expected = {key: {**facts, "subset": facts["subset"] if facts["subset"] == "train" else "validated"} for key,
                    facts in corpus.expected.items()}
        for source in ("x", "x.tar.gz", "last.tar.gz"):
            self.check(corpus, source, "--subset", "train,validated", expected=expected)

    def test_audio_that_is_gone_beside_its_json(self):
        files = {}
        for n in range(12):
            files[f"EN/{n}.mp3"] = downloads_test.noise(n, "MP3")
            files[f"EN/{n}.json"] = json.dumps({"id": str(n), "text": f"Hello {n}.", "duration": 0.1}).encode()
        files["EN/dataset_info.json"] = b'{"name": "x"}'
        files["meta.json"] = b'[1, 2]'
        self.unpack("x", files)
        self.shardmill("repack", "x", "--out", "out", "--shards", 1)
        (self.folder / "x/EN/2.mp3").unlink()
        self.fails("repack", "x", "--out", "no",
                   says=["x/EN/2.json: holds a transcript, but no audio has that name", "--on-error skip"])
        self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--force", "--on-error", "skip", code=3)
        reject = json.loads((self.folder / "out/rejects.jsonl").read_text())
        self.assertEqual((reject["key"], reject["reason"]), ("EN/2", "missing_audio"))
        self.shardmill("verify", "out", "--against", "x")
        self.assertIn("EN/2", self.says("inspect", "x", code=1))

    def test_an_archive_with_two_sums(self):
        corpus = ljspeech()
        path = self.tar("x.tar.gz", corpus.files)
        digest = hashlib.md5(path.read_bytes()).hexdigest()
        self.lines("md5sum.txt", f"{digest}  x.tar.gz", f"{'1' * 32}  y.tar.gz", f"{'2' * 32}  x.tar.gz")
        self.fails("repack", "x.tar.gz", "--out", "no",
                   says=["md5sum.txt: line 3", "line 1 gives it", digest, "2" * 32])
        self.lines("md5sum.txt", f"{digest}  x.tar.gz", f"{digest}  x.tar.gz")
        self.check(corpus, "x.tar.gz")

    def test_genders_that_are_lost(self):
        for make, teller, count in ((librispeech, "SPEAKERS.TXT", 8), (magicdata, "SPKINFO.txt", 4),
                                    (libritts, "speakers.tsv", 4),
                                    (mls, "metainfo.txt", 6), (vctk, "speaker-info.txt", 8),
                                    (aishell, "speaker.info", 9)):
            corpus = make()
            files = {path: data for path, data in corpus.files.items() if not path.endswith(teller)}
            shutil.rmtree(self.folder / "x", ignore_errors=True)
            self.unpack("x", files)
            self.tar("x.tar.gz", files)
            for source in ("x", "x.tar.gz"):
                with self.subTest(source=source, corpus=make.__name__):
                    result = self.shardmill("repack", source, "--out", "out", "--shards", 1, "--force",
                                            "--subset", "all")
                    self.assertEqual(result.err.count("has no gender"), 1, result.err)
                    self.assertIn(f"has no gender, and neither have {count - 1} others: {teller}, which should "
                                  f"name it, is missing", result.err)
        corpus = downloads_test.kespeech()
        self.tar("x.tar.gz",
                 {path: data for path, data in corpus.files.items() if not path.endswith("dev_phase1/utt2subdialect")})
        result = self.shardmill("repack", "x.tar.gz", "--out", "out", "--shards", 1, "--force", "--subset", "all")
        self.assertIn("has no dialect, and neither have 2 others: utt2subdialect, which should name it", result.err)
        for make in downloads_test.CORPORA:
            if make is not aishell:  # which has it in another archive
                self.tar("x.tar.gz", make().files)
                result = self.shardmill("repack", "x.tar.gz", "--out", "out", "--shards", 1, "--force",
                                        "--subset", "all")
                self.assertNotIn("which should name it", result.err, make.__name__)

    def test_genders_of_aishell(self):
        """In resource_aishell.tgz, beside data_aishell.tgz, or unpacked."""
        corpus = aishell()
        speakers = {"resource_aishell/speaker.info": b"1 x\n0002 F\n0724 M\n0764 F\n",
                    "resource_aishell/lexicon.txt": b"SIL sil\n"}
        for facts in corpus.expected.values():
            facts["gender"] = "M" if facts["speaker"] == "S0724" else "F"
        self.tar("down/data_aishell.tgz", corpus.files)
        self.tar("down/resource_aishell.tgz", speakers)
        self.check(corpus, "down")
        self.tar("down/train-clean-100.tar.gz", librispeech().files)
        for names in itertools.permutations(("data_aishell.tgz", "resource_aishell.tgz", "train-clean-100.tar.gz")):
            self.fails("repack", *(f"down/{name}" for name in names), "--out", "no", "--shards", 1, "--subset", "all",
                       says=["resource_aishell.tgz", "holds no audio", "aishell in", "librispeech in", "NAME="])
        self.unpack("x", {**corpus.files, **speakers})
        for source in ("x", "x/data_aishell"):
            self.check(corpus, source)
        result = self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--force", code=1)
        self.assertIn("several splits", result.err)


class TestHuggingFace(Downloads):
    """Layouts of the loading scripts there, in archives and unpacked."""

    def common_voice(self, gone=()):
        """audio/LANG/SPLIT/LANG_SPLIT_N.tar and transcript/LANG/SPLIT.tsv."""
        corpus = commonvoice()
        files = {}
        for path, data in corpus.files.items():
            name = path.rsplit("/", 1)[1]
            if name.endswith(".tsv") and name not in ("validated.tsv", "reported.tsv"):
                files[f"transcript/ab/{name}"] = data
        archives = {}
        for n, split in enumerate(("train", "train", "dev", "test", "other", "invalidated")):
            part = f"ab_{split}_{n if n < 2 else 0}"
            key = f"common_voice_ab_{n}"
            if not {part, key}.intersection(gone):
                archives[f"audio/ab/{split}/{part}"] = {f"{part}/{key}.mp3": downloads_test.noise(n + 1, "MP3")}
        return corpus, files, archives

    def gigaspeech(self, gone=()):
        """data/audio/xs_files/xs_chunks_0000.tar.gz and data/metadata/xs_metadata/xs_chunks_0000_metadata.csv."""
        corpus = downloads_test.Corpus("data")
        files, archives = {}, {}
        for number, (part, more,
                     subsets) in enumerate((("xs", "", "XL L M S XS"), ("s", "_additional", "XL L M S"),
                                            ("dev", "", "DEV"))):
            rows = ["sid,speaker,begin_time,end_time,text_tn,aid,title,category,path"]
            clips = {}
            for n in range(3):
                aid = f"YOU000000000{number}"
                sid = f"{aid}_S000000{n}"
                text = "<MUSIC>" if n == 2 else f"HELLO <COMMA> WORLD {n} <PERIOD>"
                rows.append(f'{sid},N/A,{n}.5,{n}.9,{text},{aid},"He said ""x"", '
                            f'and\nleft",,audio/youtube/P0001/{aid}.opus')
                if sid not in gone:
                    clips[f"{part}_chunks_0000/{sid}.wav"] = downloads_test.noise(10 * number + n + 1)
                if n < 2:
                    corpus.says(sid, f"HELLO WORLD {n}", recording=aid, language="en", subset=subsets)
            table = "".join(row + "\r\n" for row in rows)
            files[f"data/metadata/{part}_metadata{more}/{part}_chunks_0000_metadata.csv"] = table.encode()
            if part not in gone:
                archives[f"data/audio/{part}_files{more}/{part}_chunks_0000"] = clips
        return corpus, files, archives

    def lay_out(self, make, suffix, gone=()):
        shutil.rmtree(self.folder / "x", ignore_errors=True)
        corpus, files, archives = make(gone)
        self.unpack("x", files)
        for path, inner in archives.items():
            if suffix:
                self.tar(f"x/{path}{suffix}", inner)
            else:
                self.unpack("x/" + path.rsplit("/", 1)[0], inner)
        return corpus

    def test_as_archives_and_unpacked(self):
        for make, suffix, name in ((self.common_voice, ".tar", "commonvoice"),
                                   (self.gigaspeech, ".tar.gz", "gigaspeech")):
            for kind in (suffix, ""):
                with self.subTest(name, kind=kind):
                    corpus = self.lay_out(make, kind)
                    for source in ("x", f"{name}:x"):
                        self.fails("repack", source, "--out", "no", says="several splits")
                        self.check(corpus, source)
                        self.shardmill("verify", "out", "--against", source)
                    train = {key: facts for key,
                             facts in corpus.expected.items() if facts["subset"] not in ("dev", "test", "DEV")}
                    self.check(corpus, "x", "--subset", "train", expected=train)
        corpus = self.lay_out(self.gigaspeech, ".tar.gz")
        self.check(corpus, "x", "--subset", "XS",
                   expected={key: facts for key, facts in corpus.expected.items() if "XS" in facts["subset"]})

    def mls(self, gone=()):
        """mls_polish/train/audio/SPEAKER_BOOK_000.tar.gz and mls_polish/train/transcripts.txt."""
        corpus = mls()
        files = {path: data for path, data in corpus.files.items() if not is_audio(path)}
        archives = {}
        for path, data in corpus.files.items():
            folder, _, book, name = path.rsplit("/", 3) if is_audio(path) else (None, None, None, None)
            part = f"6892_{book}_000"
            if folder and not {part, name[:-5]}.intersection(gone):
                archives.setdefault(f"{folder}/{part}", {})[f"{part}/{name}"] = data
        return corpus, files, archives

    def tedlium(self):
        """legacy/dev.tar.gz and legacy/train_1.tar.gz, with the talks and their texts side by side."""
        corpus = tedlium()
        archives = {}
        for path, data in corpus.files.items():
            _, split, _, name = path.split("/")
            archive = split if split == "dev" else "train_1" if "train0" in name else "train_2"
            archives.setdefault(archive, {})[f"{split}/{name}"] = data
        return corpus, archives

    def test_tedlium(self):
        corpus, archives = self.tedlium()
        for archive, files in archives.items():
            self.tar(f"x/TEDLIUM_release3/legacy/{archive}.tar.gz", files)
        self.fails("repack", "x", "--out", "no", says="several splits")
        self.check(corpus, "x")
        train = {key: facts for key, facts in corpus.expected.items() if facts["subset"] == "train"}
        self.check(corpus, "x", "--subset", "train", expected=train)

    def test_mls(self):
        for suffix in (".tar.gz", ""):
            corpus = self.lay_out(self.mls, suffix)
            for source in ("x", "x/mls_polish", "mls:x"):
                self.check(corpus, source)
                self.shardmill("verify", "out", "--against", source)
            train = {key: facts for key, facts in corpus.expected.items() if facts["subset"] == "train"}
            self.check(corpus, "x/mls_polish/train", expected=train)
            for gone, lost in (("6892_10049_000", "6892_10049_000000"), ("6892_10049_000001", "6892_10049_000001")):
                self.lay_out(self.mls, suffix, [gone])
                self.fails("repack", "x", "--out", "no", "--subset", "train",
                           says=f"'{lost}' has a transcript, but there is no such audio")

    def test_what_is_lost(self):
        for make, suffix, gone, lost in ((self.common_voice, ".tar", "ab_train_1", ["common_voice_ab_1"]),
                                         (self.common_voice, ".tar", "ab_dev_0", ["common_voice_ab_2"]),
                                         (self.common_voice, ".tar", "common_voice_ab_3", ["common_voice_ab_3"]),
                                         (self.gigaspeech, ".tar.gz", "s",
                                          ["YOU0000000001_S0000000", "YOU0000000001_S0000001"]),
                                         (self.gigaspeech, ".tar.gz", "YOU0000000000_S0000001",
                                          ["YOU0000000000_S0000001"])):
            for kind in (suffix, ""):
                with self.subTest(gone, kind=kind):
                    corpus = self.lay_out(make, kind, [gone])
                    self.fails("repack", "x", "--out", "no", "--subset", "all",
                               says=f"'{lost[0]}' has a transcript, but there is no such audio")
                    self.shardmill("repack", "x", "--out", "out", "--shards", 1, "--force", "--subset", "all",
                                   "--on-error", "skip", "--allow-missing-text", code=3)
                    self.assertEqual(sorted(self.records()), sorted(set(corpus.expected) - set(lost)))
                    rejects = [json.loads(line)["key"]
                               for line in (self.folder / "out/rejects.jsonl").read_text().splitlines()]
                    self.assertEqual(rejects, lost)

    def test_an_archive_alone(self):
        for make, suffix, says in ((self.common_voice, ".tar", "Common Voice"),
                                   (self.gigaspeech, ".tar.gz", "GigaSpeech")):
            self.lay_out(make, suffix)
            for path in sorted(path for path in self.names("x") if path.endswith(suffix)):
                self.fails("repack", f"x/{path}", "--out", "no", says=["transcript", says])

    def test_the_publishers_own_archive_is_none_of_them(self):
        """Beside the unpacked corpus it is what it was."""
        corpus = commonvoice()
        self.unpack("F", corpus.files)
        self.tar("F/cv-corpus-17.0-2024-03-15-ab.tar.gz", corpus.files)
        self.fails("repack", "F", "--out", "no", "--subset", "all", says="F: holds archives of audio")

    def test_a_table_with_a_quote_that_is_not_closed(self):
        self.lay_out(self.gigaspeech, ".tar.gz")
        path = next((self.folder / "x").rglob("dev*.csv"))
        path.write_bytes(path.read_bytes().replace(b'""x"",', b'""x"'))
        self.fails("repack", "x", "--out", "no", "--subset", "all",
                   says=["dev_chunks_0000_metadata.csv: line ", "quote"])

    def test_folders_of_gigaspeech_that_are_still_packed(self):
        corpus = gigaspeech()
        for n in range(3):
            path = f"GigaSpeech/audio/podcast/P0000/POD000000000{n}.opus"
            data = corpus.files.pop(path)
            self.tar(f"x/GigaSpeech/audio/podcast/P000{n}.tgz", {f"podcast/P000{n}/POD000000000{n}.opus": data})
            corpus.files["GigaSpeech/GigaSpeech.json"] = corpus.files["GigaSpeech/GigaSpeech.json"].replace(
                f"P0000/POD000000000{n}".encode(), f"P000{n}/POD000000000{n}".encode())
        self.unpack("x", corpus.files)
        self.check(corpus, "x")
        (self.folder / "x/GigaSpeech/audio/podcast/P0001.tgz").unlink()
        self.fails("repack", "x", "--out", "no",
                   says="'POD0000000001' has 1 transcribed segment, but there is no such audio")


class TestMoreLostPieces(Downloads):
    def test_an_empty_text_of_a_talk(self):
        corpus = tedlium()
        gone = "TEDLIUM_release2/train/stm/Talktrain0_2010.stm"
        for content in (b"", b" \n\n"):
            corpus.files[gone] = content
            shutil.rmtree(self.folder / "x", ignore_errors=True)
            self.unpack("x", corpus.files)
            self.tar("x.tar.gz", corpus.files)
            for source, says in (("x", "1 of 2 samples has no transcript"),
                                 ("x.tar.gz", "there is no Talktrain0_2010.stm with its words")):
                self.fails("repack", source, "--out", "no", "--subset", "train", says=says)

    def test_aidatatang_without_its_table(self):
        """Each text stands beside its audio, too; the splits do not."""
        corpus = downloads_test.aidatatang()
        files = {path: data for path, data in corpus.files.items() if "/transcript/" not in path}
        self.unpack("x", files)
        self.tar("x.tar.gz", files)
        for source in ("x", "x.tar.gz"):
            self.fails("repack", source, "--out", "no", "--subset", "all",
                       says=["none of",
                             "aidatatang_200zh, but transcript/aidatatang_200_zh_transcript.txt is missing"])

    def test_fleurs_under_other_names(self):
        corpus = fleurs()
        for layout in ("af_za/audio/af_za_{}.tar.gz", "af_za/audio/{}_audio.tgz", "af_za/{}.tar.gz"):
            for gone in (None, "train", "/10004088536354799740.wav"):
                with self.subTest(layout, gone=gone):
                    shutil.rmtree(self.folder / "data", ignore_errors=True)
                    for split in ("train", "dev"):
                        self.write(f"data/af_za/{split}.tsv", corpus.files[f"af_za/{split}.tsv"])
                        audio = {path.split("/", 2)[2]: data for path, data in corpus.files.items()
                                 if f"audio/{split}/" in path and not (gone and path.endswith(gone))}
                        if split != gone:
                            self.tar("data/" + layout.format(split), audio)
                    if gone:
                        self.fails("repack", "data", "--out", "no", "--subset", "all",
                                   says="has a transcript, but there is no such audio")
                    else:
                        self.check(corpus, "data")
                        self.shardmill("verify", "out", "--against", "data")


class TestAdvice(Downloads):
    """What a message says to do, where the transcripts are not in what was given."""

    def test_they_lie_above(self):
        for make, part, texts in ((fleurs, "af_za/audio/train", ".tsv"),
                                  (aishell, "data_aishell/wav", "aishell_transcript_v0.8.txt"),
                                  (tedlium, "TEDLIUM_release2/train/sph", ".stm")):
            corpus = make()
            shutil.rmtree(self.folder / "x", ignore_errors=True)
            self.unpack("x", corpus.files)
            self.fails("repack", f"x/{part}", "--out", "no",
                       says=["its transcripts are not in the given source, but here: ", texts,
                             f"give the folder that holds both, as {make.__name__}:FOLDER"])

    def test_an_archive_of_audio_alone(self):
        corpus = librispeech()
        self.tar("audio.tar.gz", {path: data for path, data in corpus.files.items() if is_audio(path)})
        self.unpack("x", commonvoice().files)  # What lies beside it is another matter.
        for prefix in ("", "librispeech:", "aishell:"):
            self.fails("repack", f"{prefix}audio.tar.gz", "--out", "no",
                       says=["of its archive has a transcript",
                             "looks like LibriSpeech, but *.trans.txt is missing", "give the archive with"])

    def test_another_prefix(self):
        self.unpack("x", aishell().files)
        self.fails("repack", "librispeech:x", "--out", "no",
                   says=["this looks like AISHELL-1", "give it without a prefix, or as aishell:FOLDER"])

    def test_a_corpus_without_subsets_is_for_training(self):
        self.tar("x.tar.gz", ljspeech().files)
        result = self.shardmill("repack", "x.tar.gz", "--out", "out", "--shards", 1, "--subset", "train")
        self.assertNotIn("no sample belongs to the subset", result.err)

    def test_no_published_split(self):
        corpus = ljspeech()
        self.unpack("x", corpus.files)
        self.tar("x.tar.gz", corpus.files)
        for source in ("x", "x.tar.gz"):
            self.fails("repack", source, "--out", "no", "--split", "subset",
                       says=["there is no published split to keep", "give amounts, such as --split dev=2h,test=2h"])
        self.tar("y.tar.gz", librispeech().files)
        self.tar("z.tar.gz",
                 {path.replace("dev-clean", "train-clean-100"): data for path, data in librispeech().files.items()})
        self.fails("repack", "z.tar.gz", "--out", "no", "--split", "subset",
                   says=["there is no published split to keep", "give amounts"])


class TestTextsInAnotherArchive(Downloads):
    def test_given_beside_the_audio(self):
        corpus = magicdata()
        speakers = {"metadata/SPKINFO.txt": corpus.files.pop("train/SPKINFO.txt"), "metadata/README.txt": b"MAGICDATA"}
        self.tar("down/train_set.tar.gz", corpus.files)
        self.tar("down/metadata.tar.gz", speakers)
        self.tar("else/metadata.tar.gz", speakers)
        for sources in (["m=down/train_set.tar.gz", "m=down/metadata.tar.gz"],
                        ["m=else/metadata.tar.gz", "m=down/train_set.tar.gz"],
                        ["down/train_set.tar.gz", "down/metadata.tar.gz"],
                        ["m=magicdata:down/train_set.tar.gz", "m=magicdata:else/metadata.tar.gz"]):
            with self.subTest(sources):
                self.check(corpus, sources)
                self.shardmill("verify", "out", "--against", *sources)

    def test_transcripts_in_one_archive_and_audio_in_others(self):
        for make in (magicdata, librispeech, ljspeech, aishell, aishell3, stcmds, voxpopuli, commonvoice):
            corpus = make()
            texts = {path: data for path, data in corpus.files.items() if not is_audio(path)}
            audio = [(path, data) for path, data in corpus.files.items() if is_audio(path)]
            shutil.rmtree(self.folder / "down", ignore_errors=True)
            self.tar("down/texts.tar.gz", texts)
            self.tar("down/audio1.tar.gz", dict(audio[:2]))
            self.tar("down/audio2.tgz", dict(audio[2:]))
            name = make.__name__
            for sources in ([f"m={name}:down/audio1.tar.gz", f"m={name}:down/audio2.tgz",
                             f"m={name}:down/texts.tar.gz"],
                            ["m=down/texts.tar.gz", "m=down/audio1.tar.gz", "m=down/audio2.tgz"], ["down"]):
                with self.subTest(name, sources=sources):
                    self.check(corpus, sources)
            self.shardmill("verify", "out", "--against", "down")
            # A file that is in none of them.
            lost = audio[0][0].rsplit("/", 1)[1].rsplit(".", 1)[0]
            self.tar("down/audio1.tar.gz", dict(audio[1:2]))
            self.fails("repack", "down", "--out", "no", "--subset", "all",
                       says="has a transcript, but there is no such audio")
            self.shardmill("repack", "down", "--out", "out", "--shards", 1, "--force", "--subset", "all",
                           "--on-error", "skip", code=3)
            self.assertEqual(sorted(self.records()), sorted(set(corpus.expected) - {lost}))

    def test_shards_beside_each_other_stay_shards(self):
        for n in range(2):
            self.tar(f"s/{n}.tar", {f"{n}.wav": downloads_test.noise(n), f"{n}.txt": b"x"})
        self.tar("s/2.tar", {"2.txt": b"x"})
        self.fails("repack", "m=s/0.tar", "m=s/1.tar", "m=s/2.tar", "--out", "no", says="s/2.tar")


class TestDamagedFlac(Downloads):
    """Bytes that a disk or a copy has zeroed, in the middle of a file, are found without decoding."""

    def zeroed(self):
        data = bytearray(downloads_test.noise(5, "FLAC", seconds=3))
        data[len(data) // 2:len(data) // 2 + 2048] = bytes(2048)
        return bytes(data)

    def test_inspect_repack_and_verify(self):
        corpus = librispeech()
        name = "84-121123-0002"
        corpus.files[f"LibriSpeech/dev-clean/84/121123/{name}.flac"] = self.zeroed()
        self.unpack("x", corpus.files)
        self.tar("x.tar.gz", corpus.files)
        for source in ("x", "x.tar.gz"):
            said = self.says("inspect", source, code=1)
            self.assertIn("the FLAC frame at byte", said)
            self.fails("repack", source, "--out", "no", says=[name, "the FLAC frame at byte"])
            self.shardmill("repack", source, "--out", "out", "--shards", 1, "--force", "--on-error", "skip", code=3)
            self.assertEqual(len(self.records()), 7)


if __name__ == "__main__":
    unittest.main()
