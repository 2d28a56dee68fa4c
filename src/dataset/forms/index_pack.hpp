// The index packs of Lhotse and NeMo (IDXPACK2): the indexes of many files as one file that readers map. A
// pack holds the absolute paths of the files, so it depends on the place of the dataset.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/records.hpp"
#include "manifest/path_lists.hpp"
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

}  // namespace shardmill::dataset
