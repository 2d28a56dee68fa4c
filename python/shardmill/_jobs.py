"""Jobs: repack, verify and ranks, as the commands do them."""
import collections.abc
import difflib

from shardmill import _native
from shardmill._arguments import (PATH_TYPES, counts, flags, is_flag, need_callback, need_text, number_text, path_text,
                                  path_texts)
from shardmill._errors import UsageError

# What some options are called here, beside the names that the command has for them.
_OTHER_NAMES = {"samples_per_shard": "shard_samples", "weights": "weight", "takes": "take", "tables": "metadata"}


def _sources(name, sources):
    """A dict names datasets: {"mandarin": "shards/zh", "english": ["a.tar", "b.tar"]}."""
    if not isinstance(sources, collections.abc.Mapping):
        return path_texts(name, sources)
    for dataset in sources:
        if not isinstance(dataset, str) or not dataset or "=" in dataset:
            raise UsageError(f"{name}: the name of a dataset is a text without '=', and not {dataset!r}")
    return [f"{dataset}={path}" for dataset, paths in sources.items() for path in path_texts(f"{name}[{dataset!r}]", paths)]


def _text(name, value):
    if is_flag(value):
        return "yes" if value else "no"
    if isinstance(value, PATH_TYPES):
        return path_text(name, value)
    text = number_text(value)
    if text is None:
        raise TypeError(f"{name} is a text, a path, a number, True or False, or several of them, and not {value!r}")
    return text


def _texts(name, option, value):
    """What stands behind the option on a command line, once or several times."""
    if isinstance(value, collections.abc.Mapping):
        return [f"{key}={_text(f'{name}[{key!r}]', each)}" for key, each in value.items()]
    if isinstance(value, collections.abc.Iterable) and not isinstance(value, PATH_TYPES) and number_text(value) is None:
        texts = [_text(f"each of {name}", each) for each in value]
        return [",".join(texts)] if option in ("index", "subset") else texts
    return [_text(name, value)]


def _named(options):
    """The options as pairs of the command's names and texts. None means that an option is not given."""
    known = {name.replace("-", "_"): name for name in _native.repack_options()}
    known.update({other: known[name] for other, name in _OTHER_NAMES.items()})
    pairs = []
    for given, value in options.items():
        if value is None and given in (*known, "skip_bad_samples"):
            continue
        if given == "skip_bad_samples":
            skip, = flags(skip_bad_samples=value)
            given, value = "on_error", "skip" if skip else "stop"
        if given not in known:
            near = difflib.get_close_matches(given, [*known, "skip_bad_samples"], 3, 0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(sorted(known))}"
            raise TypeError(f"repack() has no option {given!r}; {hint}")
        pairs += [(known[given], text) for text in _texts(given, known[given], value)]
    return pairs


def repack(sources, out, *, progress=None, threads=0, memory=1 << 30, **options):
    """Reads `sources` and writes balanced shards with manifests into the folder `out`; returns a dict of totals.

    sources: one or several, each a path or "NAME=PATH"; or a dict from names to paths.
    options: those of the command `shardmill repack` that shape the dataset, with _ for -: shards=64,
        shard_duration="1h", codec="zstd", audio="flac", sample_rate=16000, index=["wids", "dali"],
        even="leave-out", weight={"english": 2}. Where the command takes no value, True. What is None is not given.
    progress: called a few times a second with a dict of counts.
    A call that was stopped, by Ctrl-C or by an exception from `progress`, is continued by the same call.
    """
    threads, memory = counts(threads=threads, memory=memory)
    need_callback(progress)
    return _native.repack(_sources("sources", sources), path_text("out", out), _named(options), threads, memory, progress)


def verify(targets, *, decode=False, against=(), allow_commands=False, progress=None, threads=0, memory=1 << 30):
    """Checks a dataset, or shards; returns {"good": bool, "shards", "samples", "findings": [...]}.

    decode: decode all audio in full.
    against: sources, as those of repack: each of their samples must be there exactly once.
    allow_commands: run the commands that such a source names in place of audio files.
    """
    threads, memory = counts(threads=threads, memory=memory)
    decode, allow_commands = flags(decode=decode, allow_commands=allow_commands)
    need_callback(progress)
    return _native.verify(path_texts("targets", targets), decode, _sources("against", against), allow_commands, threads, memory, progress)


def ranks(targets, *, world_size, workers=1, loader="wenet", epochs=20, seed=42, out=None, progress=None, threads=0,
          memory=1 << 30):
    """What each rank of a training job gets: "by_loader" as the loader splits the shards, in the worst of so many
    shuffled epochs, "by_plan" and "plan" (the paths of the shards for each rank and worker) so that all get the same.
    Writes the plan as lists into the folder `out` where one is given, and nothing otherwise."""
    world_size, workers, epochs, seed, threads, memory = counts(
        world_size=world_size, workers=workers, epochs=epochs, seed=seed, threads=threads, memory=memory)
    need_text("loader", loader, "the name of a loader")
    need_callback(progress)
    return _native.ranks(path_texts("targets", targets), world_size, workers, loader, epochs, seed,
                         "" if out is None else path_text("out", out),
                         threads, memory, progress)
