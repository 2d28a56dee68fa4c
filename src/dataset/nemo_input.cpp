#include "dataset/nemo_input.hpp"

#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/index_files.hpp"
#include "dataset/indexes/listed_root.hpp"
#include "dataset/indexes/nemo_files.hpp"
#include "manifest/form_names.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::dataset {

namespace {

bool holds(const std::string& path, const std::string& text) {
  const base::File file = base::File::open_read(path);
  if (file.size() != text.size()) return false;
  std::string found(text.size(), '\0');
  found.resize(file.read_at(std::as_writable_bytes(std::span(found)), 0));
  return found == text;
}

}  // namespace

bool has_nemo_files(const DatasetRecords& records) {
  return records.checksums && records.checksums->contains(std::string(manifest::kNemoBuckets));
}

void check_nemo_input(const DatasetRecords& records, FindingList& findings) {
  if (!has_nemo_files(records) || !records.shards || records.shards->empty()) return;
  const std::string path = records.path(manifest::kNemoInput);
  if (!base::exists(path)) {
    findings.add_cause(at(path), "is missing");
    return;
  }
  try {
    const auto root = root_in_list(records);
    if (root && !holds(path, nemo_input(shards_below(records, *root))))
      findings.add_cause(at(path), "is not what shards.jsonl and data.list say");
  } catch (const Error& error) {
    if (error.where().path == path) findings.add_cause(error);  // the others are those of other files
  }
}

void write_nemo_input(const DatasetRecords& records, const std::string& root) {
  base::AtomicFile file(records.path(manifest::kNemoInput));
  file.write(std::string_view(nemo_input(shards_below(records, root))));
  file.commit();
}

}  // namespace shardmill::dataset
