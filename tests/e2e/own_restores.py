#!/usr/bin/env python3
"""Reads datasets of ours with Lhotse's and NeMo's own code, and stops its samplers and goes on with them.

    own_restores.py FOLDER [PLACES]     at PLACES random batches (20) for each sampler of Lhotse

FOLDER has their repositories, lhotse and nemo. Not run by ctest, because it needs these. Needs Debian's PyTorch
(scripts/setup loaders), python3-braceexpand, -click, -cytoolz, -intervaltree, -omegaconf (with -antlr4), -packaging,
-tabulate and -tqdm. Datasets are made here; the truth is what they were made of. Of NeMo only what is outside the
folder of its Lhotse readers is replaced: its logger, and the packages' own imports.
"""
import ast
import hashlib
import io
import itertools
import json
import logging
import pathlib
import pickle
import random
import subprocess
import sys
import tempfile
import typing

import numpy
import soundfile

import harness

RATE = 8000
BINS = 6


def sound(number):
    """0.2 to 3 s of noise, which nothing else sounds like."""
    frames = random.Random(number).randrange(RATE // 5, 3 * RATE)
    return numpy.random.default_rng(number).integers(-9000, 9000, frames, dtype=numpy.int16)


def members(numbers, form):
    for number in numbers:
        out = io.BytesIO()
        soundfile.write(out, sound(number), RATE, format=form.upper(), subtype="PCM_16")
        yield f"utt{number:05}.txt", f"text {number} ä".encode()
        yield f"utt{number:05}.{form}", out.getvalue()


def known(number):
    """What a sample must be, whatever reads it."""
    return f"text {number} ä", hashlib.sha256(sound(number).tobytes()).hexdigest()


def heard(cut):
    values = numpy.rint(cut.load_audio() * 32768).astype(numpy.int16)
    return cut.supervisions[0].text, hashlib.sha256(values.tobytes()).hexdigest()


def check(is_true, what):
    if not is_true:
        raise SystemExit(f"own_restores: {what}")


def check_samples(cuts, numbers, what):
    found = [(cut.id.rsplit(".", 1)[0], heard(cut)) for cut in cuts]  # NeMo's have the name of the file
    check(len(found) == len(numbers), f"{what}: {len(found)} of {len(numbers)} samples")
    check(dict(found) == {f"utt{number:05}": known(number) for number in numbers}, f"{what}: other samples")
    print(f"ok  {what}: {len(found)} samples")


class Shar:
    """The folder `shar` of a dataset, whose indexes Lhotse finds by itself."""
    def __init__(self, root):
        from lhotse import CutSet
        self.cuts = CutSet.from_shar(in_dir=root / "shar")
        check(self.cuts.is_indexed, "from_shar(indexed=None) did not take the indexes")


class Packed:
    """The same by the pack."""
    def __init__(self, root):
        from lhotse import CutSet
        from lhotse.index_pack import index_pack_collection_key, open_index_pack
        from lhotse.packed_lazy import LazyPackedManifestIterator
        pack = open_index_pack(root / "idxpack/shar.idxpack")
        self.cuts = CutSet(LazyPackedManifestIterator(pack, index_pack_collection_key("cuts", "jsonl", "shar")))
        self.audio = pack.collection(index_pack_collection_key("recording", "shar_tar", "shar"))

    def filled(self):
        from lhotse.shar.utils import fill_shar_placeholder_lazy
        for number, cut in enumerate(self.cuts):
            where = self.audio.locate(number)
            fill_shar_placeholder_lazy(cut, field="recording", tar_path=where.path, offset=where.start,
                                       end_offset=where.end)
            yield cut


def samplers():
    from lhotse.dataset import DynamicBucketingSampler, DynamicCutSampler
    return {
        "DynamicBucketingSampler": lambda cuts: DynamicBucketingSampler(
            cuts, max_duration=12, num_buckets=BINS, shuffle=True, buffer_size=120, seed=3, world_size=1, rank=0),
        "DynamicBucketingSampler, rank 1 of 3": lambda cuts: DynamicBucketingSampler(
            cuts, max_duration=12, num_buckets=BINS, shuffle=True, buffer_size=120, seed=3, world_size=3, rank=1),
        "DynamicCutSampler": lambda cuts: DynamicCutSampler(cuts, max_duration=12, shuffle=True, seed=3,
                                                            shuffle_buffer_size=120, world_size=1, rank=0),
    }


def check_restores(source, root, make, places, what):
    """After any batch, a sampler with the state of another one gives the rest of its batches."""
    ids = lambda batches: [[cut.id for cut in batch] for batch in batches]
    whole = ids(make(source(root).cuts))
    check(len({each for batch in whole for each in batch}) == sum(map(len, whole)), f"{what}: a sample came twice")
    for place in sorted(random.Random(7).sample(range(len(whole)), min(places, len(whole)))):
        old = make(source(root).cuts)
        batches = iter(old)
        begin = ids(itertools.islice(batches, place))
        state = pickle.loads(pickle.dumps(old.state_dict()))
        new = make(source(root).cuts)
        new.load_state_dict(state)
        check(begin + ids(new) == whole, f"{what}: other batches after {place} of {len(whole)}")
    print(f"ok  {what}: {len(whole)} batches, goes on after each of {min(places, len(whole))}")


def check_lhotse(root, numbers, places, when):
    from lhotse import CutSet
    check_samples(Shar(root).cuts, numbers, f"{when}, shar")
    check_samples(Packed(root).filled(), numbers, f"{when}, idxpack")
    check_samples(CutSet.from_shar(in_dir=root / "shar-gz"), numbers, f"{when}, shar-gz")
    for source in (Shar, Packed):
        for name, make in samplers().items():
            check_restores(source, root, make, places, f"{when}, {source.__name__}, {name}")


def damage(root):
    """One of each kind of file, in another shard each."""
    for number, name in enumerate(("recording.{}.tar", "cuts.{}.jsonl", "cuts.{}.jsonl.idx", "recording.{}.tar.idx")):
        path = root / "shar" / name.format(f"{number:06}")
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 0x55
        path.write_bytes(data)
    for name in ("idxpack/shar.idxpack", "idxpack/nemo.idxpack", "shards/audio_000000005.tar.idx",
                 "nemo/input_cfg.yaml"):
        (root / name).unlink()


def read_nemo(projects):
    """NeMo's packages without what they import; the file of expand_sharded_filepaths() needs much, it little."""
    import braceexpand
    from own_code import Module, replace
    for path in ("", "collections", "collections/common", "collections/common/data", "collections/common/data/lhotse",
                 "collections/common/parts", "collections/common/parts/preprocessing"):
        replace("nemo" + "".join(f".{each}" for each in path.split("/") if each),
                folders=[str(projects / "nemo/nemo" / path)])
    replace("scripts", "scripts.dataloading", folders=[str(projects / "nemo/scripts/dataloading")])
    replace("nemo.utils", logging=logging.getLogger("nemo"))
    replace("nemo.utils.nemo_logging", LogMode=Module("LogMode"))
    replace("nemo.utils.data_utils", is_datastore_path=lambda path: path.startswith("ais://"))
    replace("nemo.collections.asr", "nemo.collections.asr.data")
    tree = ast.parse((projects / "nemo/nemo/collections/asr/data/audio_to_text.py").read_text())
    tree.body = [each for each in tree.body if getattr(each, "name", "") == "expand_sharded_filepaths"]
    names = {"braceexpand": braceexpand, "DictConfig": dict, "ListConfig": list,
             "is_datastore_path": lambda path: False, **vars(typing)}
    exec(compile(tree, "audio_to_text.py", "exec"), names)
    replace("nemo.collections.asr.data.audio_to_text", expand_sharded_filepaths=names["expand_sharded_filepaths"])


def check_nemo(root, numbers, places, when):
    from nemo.collections.common.data.lhotse.nemo_adapters import LazyNeMoTarredIterator
    rows = [json.loads(line) for path in sorted((root / "manifests").glob("*.json")) for line in path.open()]
    last = len(list((root / "shards").glob("*.tar"))) - 1
    paths = [f"{root}/manifests/manifest__OP_000000000..{last:09}_CL_.json",
             f"{root}/shards/audio__OP_000000000..{last:09}_CL_.tar"]
    make = lambda **more: LazyNeMoTarredIterator(*paths, indexed=True, **more)
    for how, more in ("idx", {}), ("idxpack", {"index_pack": root / "idxpack/nemo.idxpack"}):
        cuts = list(make(**more))
        check([cut.id for cut in cuts] == [row["audio_filepath"] for row in rows], f"{when}, NeMo, {how}: other names")
        check_samples(cuts, numbers, f"{when}, NeMo, {how}")
        for place in sorted(random.Random(9).sample(range(len(rows)), places)):
            old = make(**more)
            batches = iter(old)
            for _ in range(place):
                next(batches)
            new = make(**more)
            new.load_state_dict(pickle.loads(pickle.dumps(old.state_dict())))
            check([cut.id for cut in new] == [cut.id for cut in cuts[place:]],
                  f"{when}, NeMo, {how}: goes on elsewhere")
        print(f"ok  {when}, NeMo, {how}: goes on after each of {places} places")
    made = root.parent / "nemo.idxpack"
    from scripts.dataloading.convert_indexes_to_idxpack import main as convert
    convert([str(root / "nemo/input_cfg.yaml"), "--output", str(made), "--overwrite"], standalone_mode=False)
    check(made.read_bytes() == (root / "idxpack/nemo.idxpack").read_bytes(),
          f"{when}: its converter makes another pack")
    print(f"ok  {when}, convert_indexes_to_idxpack.py makes the same bytes")


def read_with(loader, projects, root, count, places, when):
    """In a process of its own: Lhotse keeps an open pack for its path."""
    import torch
    torch.utils.data.Sampler.__init__ = lambda self, data_source=None: None  # as in PyTorch 2
    sys.path.insert(0, str(projects / "lhotse"))
    if loader == "nemo":
        read_nemo(projects)
    CHECKS[loader](root, range(count), places, when)


CHECKS = {"lhotse": check_lhotse, "nemo": check_nemo}


def main(projects, places=20):
    with tempfile.TemporaryDirectory(prefix="shardmill-own-") as name:
        folder = pathlib.Path(name)

        def shardmill(*words):
            subprocess.run([harness.PROGRAM, *words, "-q"], cwd=folder, check=True)

        def check_all(when, count):
            for loader in CHECKS:
                if (projects / loader).exists():
                    subprocess.run([sys.executable, "-B", "-W", "ignore", __file__, "--one", loader, projects,
                                    folder / "mixed",
                                    str(count), str(places), when], check=True)

        for name, numbers, form in (("a", range(240), "wav"), ("b", range(240, 480), "flac"),
                                    ("c", range(480, 560), "wav")):
            (folder / name).mkdir()
            (folder / name / "s.tar").write_bytes(harness.tar(members(numbers, form)))
        shardmill("repack", "a", "b", "--out", "mixed", "--shards", "12", "--text", "manifest", "--index",
                  "shar,shar-gz,nemo,idxpack,lhotse")
        check_all("repack", 480)
        shardmill("update", "mixed", "--add", "c")
        check_all("update", 560)
        damage(folder / "mixed")
        shardmill("repair", "mixed")
        check_all("repair", 560)


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        loader, projects, root, count, places, when = sys.argv[2:]
        read_with(loader, pathlib.Path(projects), pathlib.Path(root), int(count), int(places), when)
    else:
        main(pathlib.Path(sys.argv[1]).absolute(), *map(int, sys.argv[2:]))
