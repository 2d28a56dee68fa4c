#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "check/dataset_check.hpp"
#include "dataset/form_files.hpp"
#include "dataset/rank_lists.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "manifest/parity_header.hpp"
#include "repair/inventory.hpp"

namespace shardmill::repair {

// The last `kParitySealBytes` are hashed apart: in a parity file they seal all bytes before them.
HashedFile hash_file(const std::string& path, base::Reporter& reporter) {
  base::File file = base::File::open_read(path);
  HashedFile hashed;
  hashed.bytes = file.size();
  const std::uint64_t sealed =
      hashed.bytes - std::min<std::uint64_t>(hashed.bytes, manifest::kParitySealBytes);
  std::vector<std::byte> step(kHashStepBytes);
  base::Sha256 hash;
  for (std::uint64_t offset = 0; offset < sealed;) {
    reporter.check_stop();
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(step.size(), sealed - offset));
    const std::size_t got = file.read(std::span(step).first(wanted));
    if (got == 0) throw Error("became shorter while it was read", at(path));
    hash.update(std::span(step).first(got));
    offset += got;
  }
  const std::string seal = base::to_hex(hash.digest()) + "\n";
  const std::size_t got = file.read(std::span(step).first(manifest::kParitySealBytes));
  const auto rest = std::span<const std::byte>(step).first(got);
  hashed.is_sealed = std::ranges::equal(rest, base::as_bytes(seal));
  hash.update(rest);
  hashed.sha256 = base::to_hex(hash.digest());
  return hashed;
}

namespace {

/// A checksum in which a few digits were damaged still differs clearly from the checksum of another file.
bool is_nearly(const std::string& one, const std::string& other) {
  constexpr int kMostDigits = 16;
  if (one.size() != other.size()) return false;
  int differing = 0;
  for (std::size_t i = 0; i < one.size(); ++i) differing += one[i] != other[i] ? 1 : 0;
  return differing <= kMostDigits;
}

}  // namespace

std::optional<std::string> wanted_checksum(const std::vector<std::string>& recorded,
                                           const std::string& found) {
  if (recorded.empty()) return std::nullopt;
  const auto agrees = [&](const std::string& each) { return is_nearly(each, found); };
  if (std::any_of(recorded.begin(), recorded.end(), agrees)) return found;
  const auto nearly_first = std::find_if(recorded.begin() + 1, recorded.end(),
                                         [&](const auto& each) { return is_nearly(each, recorded.front()); });
  return nearly_first == recorded.end() ? recorded.front() : *nearly_first;
}

namespace fs = std::filesystem;

std::set<std::string> bad_unsummed_files(const std::string& folder, base::Reporter& reporter) {
  FindingList findings;
  const auto records = dataset::read_records(folder, findings);
  dataset::check_records(records, findings);
  dataset::check_rank_lists(records, findings);
  check::check_report(records, findings);
  dataset::check_placed_files(records, reporter, findings);
  std::set<std::string> bad;
  for (const std::string_view name : {manifest::kShardList, manifest::kRun}) {
    if (!base::exists(base::inside(folder, name))) bad.emplace(name);
  }
  for (const Finding& finding : findings.take()) {
    const std::string name = fs::path(finding.where.path).lexically_relative(folder).string();
    const bool is_of_these = name == manifest::kShardList || name == manifest::kRun ||
                             name == manifest::kReport || dataset::depends_on_place(name) ||
                             name.starts_with(std::string(manifest::kRankFolder) + "/");
    if (finding.severity == Finding::Severity::finding && is_of_these) bad.insert(name);
  }
  return bad;
}

}  // namespace shardmill::repair
