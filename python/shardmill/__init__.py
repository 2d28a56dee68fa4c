"""shardmill: reads shards of speech datasets of any codec, and makes balanced ones.

    import shardmill
    for sample in shardmill.open("mixed"):      # a dataset, a shard, or a list of shards
        print(sample.key, sample.text, len(sample.audio))
"""
from shardmill._errors import DamageWarning, Error, UsageError
from shardmill._native import version as __version__
from shardmill._jobs import ranks, repack, verify
from shardmill._reading import Dataset, Sample, Shard, Shards
from shardmill._reading import open_samples as open

__all__ = ["DamageWarning", "Dataset", "Error", "Sample", "Shard", "Shards", "UsageError", "open", "ranks", "repack",
           "verify"]
