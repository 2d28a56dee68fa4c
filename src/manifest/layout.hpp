// The names of everything in a dataset's folder; and data.list and SHA256SUMS, the two records that consist
// of such names, line by line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardmill::manifest {

inline constexpr std::string_view kShardFolder = "shards";
inline constexpr std::string_view kManifestFolder = "manifests";
inline constexpr std::string_view kParityFolder = "parity";
inline constexpr std::string_view kPendingFolder = "pending";  // samples that wait for the next update
inline constexpr std::string_view kPendingTar = "pending/samples.tar";
inline constexpr std::string_view kPendingManifest = "pending/manifest.json";
inline constexpr std::string_view kShardRecords = "shards.jsonl";
inline constexpr std::string_view kShardList = "data.list";
inline constexpr std::string_view kAllSamples = "tarred_audio_manifest.json";
inline constexpr std::string_view kRejects = "rejects.jsonl";
inline constexpr std::string_view kChecksums = "SHA256SUMS";
inline constexpr std::string_view kDataset = "dataset.json";
inline constexpr std::string_view kRun = "run.json";
inline constexpr std::string_view kRankFolder = "ranks";
inline constexpr std::string_view kRankPlan = "plan.json";  // in the folder of rank lists
inline constexpr std::string_view kReport = "report.html";
inline constexpr std::string_view kWorkFolder = ".shardmill";
inline constexpr std::string_view kLockFile = ".shardmill/lock";
/// In .shardmill: which files get their final names, while they get them.
inline constexpr std::string_view kPublishList = "publish";
inline constexpr std::string_view kStagedIndexes = "staged_indexes";  // in .shardmill, while `index` works

/// Throws UsageError for a prefix that some loader, shell or list would misread.
void check_prefix(std::string_view prefix);

/// "audio_000000012.tar.zst"; `codec_suffix` is ".zst", or empty for plain tar.
std::string shard_file_name(std::string_view prefix, std::uint64_t shard_id, std::string_view codec_suffix);
/// "manifest_000000012.json".
std::string manifest_file_name(std::uint64_t shard_id);
/// All shards in brace notation: "audio_{000000000..000000063}.tar". `shards` must not be 0.
std::string shard_file_pattern(std::string_view prefix, std::uint64_t shards, std::string_view codec_suffix);

// The same with their folders, as records name them: "manifests/manifest_000000012.json".
std::string shard_path(std::string_view prefix, std::uint64_t shard_id, std::string_view codec_suffix);
std::string manifest_path(std::uint64_t shard_id);
std::string shard_path_pattern(std::string_view prefix, std::uint64_t shards, std::string_view codec_suffix);

/// True for the path of a file in `folder` or below it.
bool is_below(std::string_view path, std::string_view folder);

/// Throws Error for a path in a record that leads out of the dataset's folder or could fake a line of a list.
void check_inner_path(std::string_view path);

/// `root`/`inner_path`: the name of a file of the dataset in lists.
std::string listed_path(std::string_view root, std::string_view inner_path);

/// Throws UsageError for a root with control characters, because the format cannot escape them.
void check_list_root(std::string_view root);

/// Appends a line of data.list: listed_path(). Throws Error when the path holds control characters.
void append_list_line(std::string& out, std::string_view root, std::string_view inner_path);
/// The lines of data.list. Strict: throws Error, with file and line, for an empty line or one that was cut.
std::vector<std::string> read_list(const std::string& path);

struct Checksum {
  std::string sha256;
  std::string path;  // relative to the dataset's folder
};

/// Appends a line that `sha256sum -c` accepts.
void append_line(std::string& out, const Checksum& checksum);
/// The lines of SHA256SUMS. Strict: throws Error, with file and line, for a line that append_line() would not
/// write.
std::vector<Checksum> read_checksums(const std::string& path);

}  // namespace shardmill::manifest
