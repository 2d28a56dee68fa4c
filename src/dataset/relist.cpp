
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "dataset/form_files.hpp"
#include "dataset/parity.hpp"
#include "dataset/rank_lists.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "manifest/rank_plan_record.hpp"

namespace shardmill::dataset {

namespace fs = std::filesystem;

namespace {

DatasetRecords readable_records(const std::string& folder) {
  FindingList findings;
  DatasetRecords records = read_records(folder, findings);
  if (!records.dataset || !records.run || !records.shards || !records.checksums) throw_first(findings);
  return records;
}

class Relisting {
 public:
  Relisting(const std::string& folder, const std::string& root)
      : records_(readable_records(folder)), root_(root), shards_(*records_.shards) {}

  /// Writes nothing until all texts are known to be good.
  std::vector<std::string> run(pipeline::Workers& workers, base::Reporter& reporter) {
    std::string list;
    for (const manifest::ShardRecord& shard : *records_.shards)
      manifest::append_list_line(list, root_, shard.path);
    write(manifest::kShardList, list);
    if (base::exists(records_.path(in_ranks(std::string(manifest::kRankPlan))))) write_rank_lists();
    records_.run->list_root = root_;
    write(manifest::kRun, to_json(*records_.run));
    if (must_be_said()) write_option();
    const std::string dataset = records_.path(manifest::kDataset);
    const auto time = fs::last_write_time(dataset);  // make compares this
    std::vector<std::string> written;
    for (const auto& [name, text] : texts_) {
      base::AtomicFile file(records_.path(name));
      file.write(std::string_view(text));
      file.commit();
      if (name == manifest::kDataset) fs::last_write_time(dataset, time);
      written.push_back(name);
    }
    for (std::string& name : write_placed_files(records_, root_, reporter))
      written.push_back(std::move(name));
    if (records_.dataset->parity != 0) protect_records(workers, reporter);
    return written;
  }

 private:
  void write(std::string_view name, const std::string& text) { texts_.emplace_back(name, text); }

  /// Computes the parity of the records again, because dataset.json may have changed.
  void protect_records(pipeline::Workers& workers, base::Reporter& reporter) {
    ProtectedFiles files;
    std::map<std::string, std::string> places;
    std::map<std::string, std::string>& sums = *records_.checksums;
    for (const std::string_view each : kProtectedRecords) {
      const std::string name(each);
      places[name] = records_.path(name);
      files.records.push_back(
          {.path = name, .bytes = base::File::open_read(places[name]).size(), .sha256 = sums[name]});
    }
    for (const manifest::ParityGroup& group : parity_groups(files, records_.dataset->parity)) {
      for (const manifest::Checksum& file : write_parity(group, places, records_.folder, workers, reporter))
        sums[file.path] = file.sha256;
    }
    base::AtomicFile file(records_.path(manifest::kChecksums));
    file.write(std::string_view(checksum_lines()));
    file.commit();
  }

  std::string checksum_lines() const {
    std::string text;
    for (const auto& [name, sha256] : *records_.checksums)
      append_line(text, manifest::Checksum{.sha256 = sha256, .path = name});
    return text;
  }

  void write_rank_lists() {
    const std::string plan_name(manifest::kRankPlan);
    manifest::RankPlanRecord plan = manifest::read_rank_plan(records_.path(in_ranks(plan_name)));
    for (const manifest::RankPlanRecord::World& world : plan.worlds) {
      for (const auto& rank : world.ranks) write_rank_list(rank.list);
      if (!world.strided_list.empty()) write_rank_list(world.strided_list);
    }
    for (const manifest::Checksum& checksum : rank_checksums()) {
      // Lists of earlier plans, for other world sizes.
      const bool is_left =
          manifest::is_rank_list_name(checksum.path) && !rank_checksums_.contains(checksum.path);
      if (is_left && base::exists(records_.path(in_ranks(checksum.path)))) write_rank_list(checksum.path);
    }
    plan.list_root = root_;
    write_rank_file(plan_name, to_json(plan));
    write_rank_checksums();
  }

  /// `name` is relative to ranks/.
  void write_rank_file(const std::string& name, const std::string& text) {
    write(in_ranks(name), text);
    rank_checksums_[name] = base::sha256_hex(base::as_bytes(text));
  }

  /// Empty if the file was lost, which verify notes.
  std::vector<manifest::Checksum> rank_checksums() const {
    const std::string path = records_.path(in_ranks(std::string(manifest::kChecksums)));
    return base::exists(path) ? manifest::read_checksums(path) : std::vector<manifest::Checksum>{};
  }

  void write_rank_checksums() {
    std::vector<manifest::Checksum> checksums = rank_checksums();
    if (checksums.empty()) return;
    std::string text;
    for (manifest::Checksum& checksum : checksums) {
      const auto written = rank_checksums_.find(checksum.path);
      if (written != rank_checksums_.end()) checksum.sha256 = written->second;
      append_line(text, checksum);
    }
    write(in_ranks(std::string(manifest::kChecksums)), text);
  }

  static std::string in_ranks(const std::string& name) {
    return std::string(manifest::kRankFolder) + "/" + name;
  }

  /// Replaces everything before shards/ in each line, because lists of earlier plans may name an earlier
  /// place.
  void write_rank_list(const std::string& list) {
    const std::string name = in_ranks(list);
    std::string text;
    for (const std::string& line : manifest::read_list(records_.path(name))) {
      const auto shard = shards_.named_by(line);
      if (!shard) {
        throw Error(fmt::format("names {}, which is not a shard of the dataset", printable(line)),
                    at(records_.path(name)), "shardmill ranks makes these lists again");
      }
      manifest::append_list_line(text, root_, *shard);
    }
    write_rank_file(list, text);
  }

  /// True when the shards will be read from another place than this one. Then dataset.json names that place.
  bool must_be_said() const {
    return records_.given_list_root() ? records_.given_list_root() != root_
                                      : base::canonical(records_.folder) != root_;
  }

  void write_option() {
    manifest::DatasetRecord& dataset = *records_.dataset;
    const auto option = std::find_if(dataset.options.begin(), dataset.options.end(),
                                     [](const auto& one) { return one.first == "list-root"; });
    if (option == dataset.options.end()) return;
    option->second = root_;
    const std::string text = to_json(dataset);
    (*records_.checksums)[std::string(manifest::kDataset)] = base::sha256_hex(base::as_bytes(text));
    write(manifest::kChecksums, checksum_lines());
    write(manifest::kDataset, text);
  }

  DatasetRecords records_;
  std::string root_;
  ShardPaths shards_;
  std::vector<std::pair<std::string, std::string>> texts_;  // by name, in the order in which they are written
  std::map<std::string, std::string> rank_checksums_;       // of the files written in ranks/
};

}  // namespace

std::vector<std::string> relist(const std::string& folder, const std::string& root,
                                pipeline::Workers& workers, base::Reporter& reporter) {
  manifest::check_list_root(root);
  return Relisting(folder, root).run(workers, reporter);
}

}  // namespace shardmill::dataset
