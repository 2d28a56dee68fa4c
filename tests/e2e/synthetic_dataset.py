"""The records of a dataset as repack leaves them, without shards: for tests of what reads records alone."""
import hashlib
import json
import random
import subprocess


def nanoseconds(sample):
    """As the program counts: whole nanoseconds, what is left of one is dropped."""
    return sample["frames"] * 10**9 // sample["sample_rate"]


def seconds_sum(samples):
    return sum(map(nanoseconds, samples)) / 1e9


def sealed(run):
    """The text of run.json, or of a rank plan; its last member is the hash of the text with zeros in its place."""
    text = json.dumps({**run, "self_xxh3": "0" * 32}, indent=2, ensure_ascii=False) + "\n"
    digest = subprocess.run(["xxhsum", "-H128"], input=text.encode(), capture_output=True, check=True).stdout.split()[0]
    return text.replace("0" * 32, digest.decode()).encode()


def shard_name(number):
    return f"shards/audio_{number:09}.tar"


def manifest_name(number):
    return f"manifests/manifest_{number:09}.json"


def lines(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def shard_record(number, samples):
    shares = {}
    for sample in samples:
        shares.setdefault(sample["dataset"], []).append(sample)
    durations = [seconds_sum([sample]) for sample in samples]
    audio_bytes = sum(sample["audio_bytes"] for sample in samples)
    return {"shard_id": number, "path": shard_name(number), "samples": len(samples),
            "with_text": with_text(samples), "seconds": seconds_sum(samples), "min_seconds": min(durations),
            "max_seconds": max(durations), "bytes": audio_bytes, "tar_bytes": audio_bytes,
            "codec": "none", "sha256": f"{number:064x}",
            "datasets": {name: {"samples": len(own), "seconds": seconds_sum(own)} for name, own in shares.items()}}


def sample(key, dataset, source, frames, shard, rate=16000):
    return {"audio_filepath": key + ".wav", "duration": frames / rate, "shard_id": shard, "key": key,
            "dataset": dataset,
            "sample_rate": rate, "channels": 1, "frames": frames, "format": "wav/pcm16", "audio_bytes": 44 + 2 * frames,
            "tar_offset": 512, "xxh3": "0" * 32, "source": source, "source_key": key}


def with_text(samples):
    return sum("text" in sample for sample in samples)


def dataset_record(samples, shards, rejects, sources):
    names = list(dict.fromkeys(sample["dataset"] for sample in samples))
    totals = {name: [sample for sample in samples if sample["dataset"] == name] for name in names}
    amount = {"samples": len(samples), "seconds": seconds_sum(samples)}
    seconds = [shard["seconds"] for shard in shards]
    size = sum(shard["bytes"] for shard in shards)
    return {"format_version": 1, "shards": len(shards),
            "shard_files": f"shards/audio_{{{0:09}..{len(shards) - 1:09}}}.tar" if len(shards) > 1 else shard_name(0),
            **amount, "bytes": size, "tar_bytes": size, "audio_bytes": size, "rejects": len(rejects),
            "left_out": {}, "with_text": with_text(samples), "texts_cleaned": 0,
            "balance": {"min_samples": min(shard["samples"] for shard in shards),
                        "max_samples": max(shard["samples"] for shard in shards), "min_seconds": min(seconds),
                        "mean_seconds": sum(seconds) / len(seconds), "max_seconds": max(seconds)},
            "audio": [{"format": "wav/pcm16", "sample_rate": 16000, "channels": 1, **amount}],
            "reencoded": {"samples": 0, "clipped_samples": 0, "clipped_values": 0},
            "datasets": [{"dataset": name, "weight": 1.0, "samples": len(own), "seconds": seconds_sum(own),
                          "with_text": with_text(own)} for name, own in totals.items()],
            "options": {"shards": str(len(shards)), "codec": "none", "prefix": "audio",
                        "list-root": "the output folder"},
            "sources": sources, "inputs_xxh3": "0" * 32}


def write(folder, shards, rejects=(), sources=(), command="shardmill repack"):
    """Writes the records of `shards`, a list of lists of samples."""
    (folder / "shards").mkdir(parents=True)
    (folder / "manifests").mkdir()
    records = [shard_record(number, samples) for number, samples in enumerate(shards)]
    dataset = dataset_record([sample for shard in shards for sample in shard], records, rejects, list(sources))
    texts = {manifest_name(number): lines(samples) for number, samples in enumerate(shards)}
    texts["tarred_audio_manifest.json"] = b"".join(texts.values())
    texts |= {"shards.jsonl": lines(records), "rejects.jsonl": lines(rejects),
              "dataset.json": json.dumps(dataset, indent=2, ensure_ascii=False).encode() + b"\n"}
    sums = [(record["sha256"], record["path"]) for record in records]
    sums += [(hashlib.sha256(data).hexdigest(), name) for name, data in texts.items()]
    texts["SHA256SUMS"] = "".join(f"{digest}  {name}\n" for digest, name in sums).encode()
    texts["data.list"] = "".join(f"{folder.resolve()}/{record['path']}\n" for record in records).encode()
    texts["run.json"] = sealed({
        "command": command, "started": "2026-01-31T12:00:00Z", "seconds": 1843.5, "resumed": 1, "host": "node17",
        "system": "Linux 6.1.0 x86_64", "cpu": "AMD EPYC 9654", "vector_path": "avx512", "filesystem": "xfs",
                                "cores": 128,
        "threads": 64, "memory_bytes": 1 << 34, "list_root": str(folder.resolve()),
        "max_rejects": 0, "versions": {"shardmill": "0.1.0", "tbb": "2021.8"}, "inputs": []})
    for name, data in texts.items():
        (folder / name).write_bytes(data)
    return dataset


def dealt(count, each, datasets, seed=0):
    """`count` shards of `each` samples of (name, shards it came from, median seconds) datasets, evenly dealt."""
    choose = random.Random(seed)
    pool = []
    for name, sources, median in datasets:
        weights = [choose.lognormvariate(0, 0.5) for _ in range(sources)]
        for number in range(count * each // len(datasets)):
            source = choose.choices(range(sources), weights)[0]
            frames = int(min(choose.lognormvariate(0, 0.45) * median, 35) * 16000)
            pool.append((name, f"/data/{name}/train_{source:05}.tar.bz2", frames))
    pool.sort(key=lambda item: (item[0], -item[2]))
    shards = [[] for _ in range(count)]
    totals = [0] * count
    for begin in range(0, len(pool), count):  # the longest of each group to the shard that has least
        order = sorted(range(count), key=totals.__getitem__)
        for number, (name, source, frames) in zip(order, pool[begin:begin + count]):
            totals[number] += frames
            shards[number].append(sample(f"{name}-{len(shards[number]):06}-{number:05}", name, source, frames, number))
    return shards
