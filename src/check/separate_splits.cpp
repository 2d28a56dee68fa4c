#include "check/separate_splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/hash/hash.hpp"
#include "base/io/folder.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "manifest/split_record.hpp"
#include "pipeline/key_set.hpp"
#include "pipeline/speaker.hpp"

namespace shardmill::check {

namespace {

namespace fs = std::filesystem;

/// The folder that was split, of which this is a dataset; empty when there is none.
std::string root_of(const std::string& folder) {
  const fs::path path = base::canonical(folder);
  const auto names = manifest::split_names(path.parent_path().string());
  const bool is_one = std::find(names.begin(), names.end(), path.filename().string()) != names.end();
  return is_one ? path.parent_path().string() : std::string();
}

}  // namespace

std::vector<std::string> datasets_of(const std::vector<std::string>& targets) {
  std::vector<std::string> folders;
  for (const std::string& target : targets) {
    const auto names = manifest::split_names(target);
    if (names.empty()) folders.push_back(target);
    for (const std::string& name : names) folders.push_back(fs::path(target) / name);
  }
  return folders;
}

void check_belong_together(const std::vector<std::string>& folders, bool compares) {
  const std::string root = root_of(folders.front());
  std::set<std::string> given;
  for (const std::string& folder : folders) {
    const bool is_together = !root.empty() && root_of(folder) == root;
    if (folders.size() > 1 && !is_together)
      throw UsageError(
          "takes one dataset at a time, or all that one split has made, or any number of shards");
    given.insert(base::canonical(folder));
  }
  if (root.empty() || !compares) return;
  if (given.size() == manifest::split_names(root).size()) return;
  throw UsageError("a split has only a part of the samples of its sources", at(folders.front()),
                   "compare all of them together, as " + root);
}

void check_separate(const std::vector<std::string>& folders, base::Reporter& reporter,
                    FindingList& findings) {
  const std::string root = root_of(folders.front());
  const bool by_speaker =
      !root.empty() &&
      manifest::read_split_record(root + "/" + std::string(manifest::kSplit)).by == "speaker";
  pipeline::KeySet keys;
  std::map<base::Xxh128, std::size_t> speakers;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    pipeline::KeySet own;
    const std::string path = folders[i] + "/" + std::string(manifest::kAllSamples);
    try {
      manifest::RecordReader reader(path);
      for (manifest::WholeSampleRecord record; reader.next(record);) {
        reporter.check_stop();
        if (own.insert(record.key) && !keys.insert(record.key))
          findings.add({.path = path, .member = record.key}, "another split has a sample of this key, too");
        if (!by_speaker) continue;
        const std::string speaker = pipeline::speaker_in(record.facts);
        const auto [known, is_new] =
            speakers.try_emplace(base::xxh3_128(base::as_bytes(record.dataset + '\n' + speaker)), i);
        if (is_new || known->second == i) continue;
        findings.add({.path = path, .member = record.key},
                     fmt::format("its speaker {} of {} is in {}, too", printable(speaker),
                                 printable(record.dataset), folders[known->second]));
      }
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error&) {
      // A file that is missing or damaged was reported already.
    }
  }
}

}  // namespace shardmill::check
