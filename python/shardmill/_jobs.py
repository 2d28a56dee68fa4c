"""Jobs: repack, verify and ranks, as the commands do them."""
import os

from shardmill import _native


def _paths(sources):
    if isinstance(sources, (str, os.PathLike)):
        sources = [sources]
    return [os.fspath(source) for source in sources]


def _sources(sources):
    """A dict names datasets: {"mandarin": "shards/zh", "english": ["a.tar", "b.tar"]}."""
    if not isinstance(sources, dict):
        return _paths(sources)
    return [f"{name}={path}" for name, paths in sources.items() for path in _paths(paths)]


def _fill(options, values):
    for name, value in values.items():
        if not hasattr(options, name):
            raise TypeError(f"{name!r} is no option; there are: "
                            + ", ".join(known for known in dir(options) if not known.startswith("_")))
        setattr(options, name, value)
    return options


def repack(sources, out, *, progress=None, threads=0, memory=1 << 30, codec="none", **options):
    """Reads `sources` and writes balanced shards with manifests into the folder `out`; returns a dict of totals.

    sources: one or several, each a path or "NAME=PATH"; or a dict from names to paths.
    options: shards, samples_per_shard, multiple_of, level, prefix, interleave, seed, weights, skip_bad_samples,
        max_rejects, allow_missing_text, force: as the options of the command.
    progress: called a few times a second with a dict of counts.
    A call that was stopped, by Ctrl-C or by an exception from `progress`, is continued by the same call.
    """
    if codec not in _native.Codec.__members__:
        raise ValueError(f"codec is one of {', '.join(_native.Codec.__members__)}, and not {codec!r}")
    settings = {"sources": _sources(sources), "out_folder": os.fspath(out),
                "codec": _native.Codec.__members__[codec], "limits": _native.Limits(threads, memory), **options}
    return _native.repack(_fill(_native.RepackOptions(), settings), progress)


def verify(targets, *, decode=False, against=(), progress=None, threads=0, memory=1 << 30):
    """Checks a dataset, or shards; returns {"good": bool, "shards", "samples", "findings": [...]}."""
    settings = {"targets": _paths(targets), "decode": decode, "against": _sources(against),
                "limits": _native.Limits(threads, memory)}
    return _native.verify(_fill(_native.VerifyOptions(), settings), progress)


def ranks(targets, *, world_size, workers=1, loader="wenet", progress=None, threads=0, memory=1 << 30):
    """What each rank of a training job gets: "by_loader" as the loader splits the shards, "by_plan" and "plan" (the
    paths of the shards for each rank and worker) so that all get the same. Writes nothing."""
    settings = {"targets": _paths(targets), "world_size": world_size, "workers": workers, "loader": loader,
                "limits": _native.Limits(threads, memory)}
    return _native.ranks(_fill(_native.RanksOptions(), settings), progress)
