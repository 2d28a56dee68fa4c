// Lhotse Shar with indexes, which Lhotse reads from any place, and a pack of these indexes.
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/system/command.hpp"
#include "dataset/form_files.hpp"
#include "dataset/forms/all.hpp"
#include "dataset/forms/index_pack.hpp"
#include "dataset/forms/shar_copy.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

namespace {

constexpr SharCuts kIndexedShar = SharCuts::indexed;
constexpr std::string_view kSharSign = "shar/cuts.000000.jsonl.idx";
constexpr std::string_view kSharPack = "idxpack/shar.idxpack";

std::vector<std::string> indexed_shar_names(const std::vector<std::string>& shards,
                                            const std::vector<std::string>&) {
  std::vector<std::string> names;
  for (std::size_t shard = 0; shard < shards.size(); ++shard) {
    for (std::string& name : shar_names(kIndexedShar, shard)) names.push_back(std::move(name));
  }
  names.emplace_back(kSharPack);
  return names;
}

/// `folder` has the indexes.
IndexPack shar_pack(const std::vector<ShardToIndex>& shards, const std::string& folder) {
  const std::string spec(shar_folder(kIndexedShar));
  IndexPack pack{{.role = "cuts", .kind = "jsonl", .source_spec = spec, .files = {}},
                 {.role = "recording", .kind = "shar_tar", .source_spec = spec, .files = {}}};
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const std::vector<std::string> names = shar_names(kIndexedShar, i);
    for (std::size_t file = 0; file < pack.size(); ++file)
      pack[file].files.push_back({.path = listed_beside(shards[i], names[file]),
                                  .places = places_in(base::inside(folder, names[pack.size() + file]))});
  }
  return pack;
}

std::vector<IndexedFile> shar_indexes(const DatasetRecords& records) {
  std::vector<IndexedFile> files;
  for (std::size_t shard = 0; shard < records.shards->size(); ++shard) {
    const std::vector<std::string> names = shar_names(kIndexedShar, shard);
    files.push_back({.index = names[2], .data = names[0]});
    files.push_back({.index = names[3], .data = names[1]});
  }
  return files;
}

void write_indexed_shar(const FormWork& work, WrittenIndexes& written) {
  write_shar_copies(kIndexedShar, work, written);
  written.files.push_back(write_pack_file(work.folder, kSharPack, shar_pack(work.shards, work.folder)));
}

/// False if an index does not fit its file; the checksums only prove that both have not changed since they
/// were written.
bool check_places(const DatasetRecords& records, base::Reporter& reporter, FindingList& findings) {
  bool are_right = true;
  const auto check = [&](const std::string& index, const std::string& data, const auto& places) {
    try {
      if (base::read_text(records.path(index)) == idx_text(places(records.path(data)))) return;
      are_right = false;
      findings.add(at(records.path(index)),
                   fmt::format("does not fit {}; 'shardmill index {} --index shar' writes it again", data,
                               base::shell_quoted(records.folder)));
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error&) {
      // Other checks report a file that cannot be read.
    }
  };
  for (std::size_t shard = 0; shard < records.shards->size(); ++shard) {
    const std::vector<std::string> names = shar_names(kIndexedShar, shard);
    check(names[2], names[0], [&](const std::string& cuts) { return line_places(cuts, reporter); });
    check(names[3], names[1], sample_places_in);
  }
  return are_right;
}

void check_shar(const DatasetRecords& records, base::Reporter& reporter, FindingList& findings) {
  if (!check_places(records, reporter, findings)) return;
  try {
    if (const auto root = root_in_list(records))
      check_pack_file(records, kSharPack, shar_pack(shards_below(records, *root), records.folder), findings);
  } catch (const Error&) {
    // data.list or an index cannot be read, which others report.
  }
  note_older_indexes(records, shar_indexes(records), "shar", findings);
}

}  // namespace

LoaderForm shar_form() {
  return {
      .name = "shar",
      .help =
          "shar/: Lhotse Shar, a copy of the audio as it is, with its cuts; each file has its .idx,\n"
          "and idxpack/shar.idxpack has them all",
      .lists_texts = true,
      .copies_audio = true,
      .folder = shar_folder(kIndexedShar),
      .sign = kSharSign,
      .owns =
          [](std::string_view file) {
            return manifest::is_below(file, shar_folder(kIndexedShar)) || file == kSharPack;
          },
      .files = indexed_shar_names,
      .write = write_indexed_shar,
      .is_placed = [](std::string_view file) { return file == kSharPack; },
      .find_placed =
          [](const std::string&, const std::vector<std::string>& names) {
            return beside(names, kSharSign, kSharPack);
          },
      .check_placed = check_shar,
      .write_placed = [](const DatasetRecords& records, const std::string& root) -> std::vector<std::string> {
        return {
            write_pack_file(records.folder, kSharPack, shar_pack(shards_below(records, root), records.folder))
                .path};
      },
      .refresh =
          [](const DatasetRecords& records) { refresh_older_indexes(records, shar_indexes(records)); }};
}

}  // namespace shardmill::dataset
