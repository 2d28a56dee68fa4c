#include "check/verify/parity_check.hpp"

#include <fmt/format.h>

#include "base/io/folder.hpp"
#include "dataset/parity.hpp"
#include "manifest/dataset_record.hpp"

namespace shardmill::check {

namespace {

void check_header(const dataset::DatasetRecords& records, const std::string& name, FindingList& findings) {
  const auto found = manifest::read_parity_header(records.path(name));
  if (manifest::parity_file_name(found.group.name, found.parity) != name ||
      found.group.parity_files != records.dataset->parity) {
    findings.add_cause(at(records.path(name)), "its header speaks of another parity file");
    return;
  }
  for (const manifest::ParityGroup::File& file : found.group.files) {
    const auto recorded = records.checksums->find(file.path);
    if (recorded != records.checksums->end() && recorded->second == file.sha256) continue;
    findings.add(at(records.path(name)),
                 fmt::format("does not fit: it protects another {} than SHA256SUMS names", file.path));
  }
}

}  // namespace

void check_parity(const dataset::DatasetRecords& records, FindingList& findings) {
  if (!records.dataset || !records.checksums) return;
  std::vector<std::string> names =
      dataset::parity_file_names(records.dataset->shards, records.dataset->parity);
  for (std::uint32_t file = 0; file < records.dataset->parity; ++file)
    names.push_back(dataset::pending_parity_name(file));
  for (const std::string& name : names) {
    if (!base::exists(records.path(name))) continue;  // the check of its checksum reports it
    try {
      check_header(records, name, findings);
    } catch (const manifest::NewerFormat&) {
      throw;
    } catch (const Error& error) {
      findings.add_cause(error);
    }
  }
}

}  // namespace shardmill::check
