// SourceSpec: one [NAME=]SOURCE argument taken apart, with nothing looked up yet. number_range: numbers in a
// name, written {000..099} as in shells, WebDataset and NeMo, made the single names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/corpora.hpp"

namespace shardmill::source {

struct SourceSpec {
  std::optional<std::string> dataset;  // as named by the user
  const Corpus* corpus = nullptr;      // by its prefix
  bool is_dataset = false;             // a finished dataset, by its prefix
  bool is_parquet = false;             // Parquet files, by its prefix
  std::string path;                    // file, folder, list or pattern
};

/// The text before the first '=' is a name when it is made of letters, digits and . _ - only; "./x=y" is
/// therefore a path. "kaldi:x" is a raw corpus, "dataset:x" a finished dataset, "parquet:x" a
/// Parquet file or a folder of them, "./kaldi:x" a path. What is secret in an address is left out of the
/// path. Throws UsageError for an empty argument.
SourceSpec parse_source(std::string_view argument);

/// True for a text that can be the NAME of NAME=SOURCE.
bool is_dataset_name(std::string_view text);

/// True for text with * ? or [ in it, and for a range of numbers: {0..9} or _OP_0..9_CL_.
bool is_pattern(std::string_view path);

/// The folders at the start of a pattern that hold no wildcard: "data/a" of "data/a/*/x?.tar", "." of
/// "*.tar".
std::string fixed_part(std::string_view pattern);

/// A dataset name made of a file or folder name; other characters become _.
std::string dataset_name_from(std::string_view file_name);

/// Where "{0..9}" or NeMo's "_OP_0..9_CL_" begins in `path`; nullopt when it has neither.
std::optional<std::size_t> find_number_range(std::string_view path);

/// "a_{08..10}.tar" becomes a_08.tar, a_09.tar, a_10.tar; several ranges are all combined, the last one runs
/// fastest. A path without a range stays alone. Throws UsageError for a range of too many numbers.
std::vector<std::string> expand_number_ranges(const std::string& path);

}  // namespace shardmill::source
