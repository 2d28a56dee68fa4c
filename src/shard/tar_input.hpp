// The bytes of a tar, whatever they come from: a plain or compressed tar, or the rows of a Parquet file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.hpp"
#include "codec/codec.hpp"

namespace shardmill::shard {

/// True if the file begins like a Parquet file, and not like a tar. Leaves its position alone.
bool is_parquet(const base::File& file);

/// Like codec::open(). The rows of a Parquet file, which must be a regular one, are a tar with KEY.txt,
/// KEY.json and the audio of each; it is the same in every run.
std::unique_ptr<codec::PieceReader> open_tar(base::File& file, codec::TrailingSink on_trailing = {},
                                             const codec::RestartPoint& from = {});

/// Like codec::estimate_plain_bytes(), also for Parquet files.
std::uint64_t estimate_tar_bytes(const base::File& file);

/// What the footer of a Parquet file says.
struct ParquetFacts {
  std::vector<std::string> columns;   // those that become fields of its samples
  std::string text{};                 // the one that is the transcript; empty if none is
  std::vector<std::string> left_out;  // columns of images and of other audio
};

/// Throws Error, with the place, if the footer is damaged or no column holds audio.
ParquetFacts parquet_facts(const base::File& file);

/// The name of a column as the lists of usual names have it: "Speaker ID" and "speaker-id" as "speaker_id".
std::string column_word(std::string_view name);

/// The first of the usual names of transcripts among `columns`, in any case of letters; empty if none is
/// there.
std::string_view usual_text_name(const std::vector<std::string_view>& columns);

/// The usual names of columns that hold the speaker, in small letters, the most usual first.
std::span<const std::string_view> usual_speaker_names();

}  // namespace shardmill::shard
