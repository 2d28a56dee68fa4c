// Indexes as Lhotse and NeMo read them: the places of the samples or lines of a file and then its size, as
// 64-bit little-endian numbers. Both refuse an index that is older than its file. Index packs (IDXPACK2) are
// the indexes of many files as one file that readers map; a pack holds the absolute paths of the files, so
// it depends on the place of the dataset.
// nemo_paths: how an input_cfg of NeMo names the files of a dataset. NeMo finds the parts of a pack by these
// texts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/reporter.hpp"
#include "dataset/forms.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "model/finding.hpp"

namespace shardmill::dataset {

inline constexpr std::string_view kPackFolder = "idxpack";

struct PackedFile {
  std::string path;                   // as readers open it
  std::vector<std::uint64_t> places;  // of its samples or lines, and then its size
};

/// The files of one kind, in the order of the shards. Readers find a collection by the first three fields.
struct PackedCollection {
  std::string role;
  std::string kind;
  std::string source_spec;
  std::vector<PackedFile> files;
};

using IndexPack = std::vector<PackedCollection>;

/// The key of a collection: 32 bytes.
std::string collection_key(const PackedCollection& collection);

/// Calls `use` with the next bytes of the pack.
void write_pack(const IndexPack& pack, const std::function<void(std::string_view)>& use);

/// Writes the pack as a whole file.
manifest::Checksum write_pack_file(const std::string& folder, std::string_view name, const IndexPack& pack);
/// Compares a file of a dataset with the pack that it should hold.
void check_pack_file(const DatasetRecords& records, std::string_view name, const IndexPack& pack,
                     FindingList& findings);

/// Appends 64 bits, little-endian.
void append_place(std::string& out, std::uint64_t place);
/// The text of an index.
std::string idx_text(const std::vector<std::uint64_t>& places);
/// Reads such a text. Throws Error for a file that has no numbers, or not only numbers.
std::vector<std::uint64_t> places_in(const std::string& path);
/// "X.idx" for the file X.
std::string idx_name(std::string_view file_name);
/// Where the lines of a file begin, and where the file ends.
std::vector<std::uint64_t> line_places(const std::string& path, base::Reporter& reporter);
/// Where the first headers of the samples of a plain tar are, and where the file ends.
std::vector<std::uint64_t> sample_places_in(const std::string& path);

/// `pack` if the names of a dataset's files include `sign`.
std::vector<std::string> beside(const std::vector<std::string>& names, std::string_view sign,
                                std::string_view pack);

/// An index of a dataset and the file that it is for, as names in the folder.
struct IndexedFile {
  std::string index;
  std::string data;
};

/// Notes the indexes that are older than their data. `form` is the name of the form that they belong to.
void note_older_indexes(const DatasetRecords& records, const std::vector<IndexedFile>& files,
                        std::string_view form, FindingList& findings);
/// Gives these indexes the current time.
void refresh_older_indexes(const DatasetRecords& records, const std::vector<IndexedFile>& files);

/// In NeMo's notation for a range: braces mean something else in its configurations.
struct NemoPaths {
  std::string manifests;
  std::string tars;
};

/// There must be shards, of a dataset.
NemoPaths nemo_paths(const std::vector<ShardToIndex>& shards);

/// How lists with absolute paths name another file of the dataset that `shard` is in.
std::string listed_beside(const ShardToIndex& shard, std::string_view inner);

}  // namespace shardmill::dataset
