// The names of audio files and of shards, paths as users write them, and lists of paths.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/line_reader.hpp"

namespace shardmill::source {

struct AudioName {
  std::string_view stem;       // without folders and extension
  std::string_view extension;  // as it is written; may be empty
};

/// Cuts the last part of a path at its last dot.
AudioName audio_name(std::string_view path);

/// "a" for "x/a.csv" and "x/a.csv.gz".
std::string stem_of_table(std::string_view path);

/// "a.wav" without ".wav", "x/a.b.flac" without ".flac".
std::string_view without_extension(std::string_view path);

/// True for extensions of audio, in capitals too.
bool is_audio_name(std::string_view path);

/// True for .pcm, in capitals too: audio without a header, whose form only its corpus knows.
bool is_headerless_name(std::string_view path);

/// True for `extension`, which is in small letters, in capitals too.
bool has_extension(std::string_view path, std::string_view extension);

/// True for names like x.tar, x.tar.bz2, x.tgz, x.TAR.GZ and x.parquet. Compressions that cannot be read
/// count as well, so that such a file is an error and not overlooked.
bool has_shard_name(std::string_view file_name);

/// True for the names of tars, compressed or not, and for names like x.zip and x.7z, but not for parts of
/// them.
bool is_archive_name(std::string_view file_name);

/// "x" for "x.tar.gz" and "x.tgz"; the whole name when it is not that of a shard.
std::string_view without_shard_suffix(std::string_view file_name);

/// "a/x" for "a/x.tar.gz", "a/x.zip" and "a/x.zip.001".
std::string_view without_archive_suffix(std::string_view path);

/// Absolute, without ".", ".." and a slash at the end.
std::string normal_path(const std::string& path);

struct ListedPath {
  std::string path;
  std::uint64_t line = 0;
};

/// Skips blank lines, comments with # and blanks around a path; lines may end in CR LF. Throws Error, with
/// file and line, for a line that cannot be a path.
std::vector<ListedPath> read_path_list(base::LineReader& lines);

/// Where a path of a list leads: a relative one from the folder of the list, and where nothing is found
/// there, from the working folder.
std::string resolve_listed(const std::string& list, const std::string& path);

}  // namespace shardmill::source
