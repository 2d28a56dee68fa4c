// The names of the files in which other projects' forms of a dataset are kept.
#pragma once

#include <string_view>

namespace shardmill::manifest {

/// Kaldi's data directory.
inline constexpr std::string_view kKaldiFolder = "kaldi";
inline constexpr std::string_view kKaldiDurations = "kaldi/utt2dur";
/// The audio as commands, which every reader takes, and as places in the shards, for kaldiio. Both hold
/// absolute paths, so they are not in SHA256SUMS.
inline constexpr std::string_view kKaldiAudio = "kaldi/wav.scp";
inline constexpr std::string_view kKaldiPlaces = "kaldi/kaldiio.scp";

/// Lhotse Shar.
inline constexpr std::string_view kSharFolder = "shar";

/// NeMo: the dataset as an input_cfg, and buckets for its Lhotse reader. The first holds absolute paths, so
/// it is not in SHA256SUMS.
inline constexpr std::string_view kNemoFolder = "nemo";
inline constexpr std::string_view kNemoInput = "nemo/input_cfg.yaml";
inline constexpr std::string_view kNemoBuckets = "nemo/buckets.yaml";

/// Mosaic's streaming datasets.
inline constexpr std::string_view kMdsFolder = "mds";
inline constexpr std::string_view kMdsIndex = "index.json";

/// Hugging Face's tables.
inline constexpr std::string_view kParquetFolder = "parquet";

/// FunASR: for its classic models, and for Fun-ASR-Nano.
inline constexpr std::string_view kFunasrList = "funasr/train.jsonl";
inline constexpr std::string_view kFunasrNanoList = "funasr/nano.jsonl";

/// Hugging Face: the card of the dataset, and its description as Croissant.
inline constexpr std::string_view kCard = "README.md";
inline constexpr std::string_view kCardStart = "---\n# Written by shardmill\n";
inline constexpr std::string_view kCroissant = "croissant.json";

}  // namespace shardmill::manifest
