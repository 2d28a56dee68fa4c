#include "check/repair_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/hash/hash.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "codec/codec.hpp"
#include "dataset/forms.hpp"
#include "dataset/parity.hpp"
#include "manifest/dataset_record.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"

namespace shardmill::check {

namespace {

using manifest::ParityGroup;

/// Calls `read`, which may fail: a record that cannot be read tells nothing.
template <typename Read>
void try_to(Read read) {
  try {
    read();
  } catch (const manifest::NewerFormat&) {
    throw;
  } catch (const Error&) {
  }
}

class FactFinder {
 public:
  FactFinder(const std::string& folder, const std::set<std::string>& bad,
             const std::map<std::string, std::string>& known)
      : folder_(folder), bad_(bad), known_(known) {}

  RepairFacts run() {
    try_to([&] { read_groups(); });
    try_to([&] { read_shards(); });
    if (facts_.shards.empty()) try_to([&] { name_shards(); });
    try_to([&] { read_checksums(); });
    for (const auto& [name, sha256] : known_) facts_.checksums[name] = sha256;
    try_to([&] { form_groups(); });
    return std::move(facts_);
  }

 private:
  bool is_whole(std::string_view name) const { return !bad_.contains(std::string(name)); }

  void read_groups() {
    const std::string parity = base::inside(folder_, manifest::kParityFolder);
    if (!base::exists(parity)) return;
    for (const auto& entry : base::entries(parity)) {
      const std::string name = base::inside(std::string(manifest::kParityFolder), entry.filename().string());
      if (!manifest::is_parity_file_name(name) || bad_.contains(name)) continue;
      try_to([&] {
        const auto found = manifest::read_parity_header(entry.string());
        if (manifest::parity_file_name(found.group.name, found.parity) == name)
          facts_.groups.emplace(found.group.name, found.group);
      });
    }
  }

  void read_shards() {
    if (is_whole(manifest::kShardRecords)) {
      manifest::RecordReader reader(base::inside(folder_, manifest::kShardRecords));
      std::vector<std::string> shards;
      for (manifest::ShardRecord shard; reader.next(shard);) shards.push_back(shard.path);
      facts_.shards = std::move(shards);
      return;
    }
    for (const auto& [name, group] : facts_.groups) {
      if (!name.starts_with(manifest::kShardFolder)) continue;
      for (const ParityGroup::File& file : group.files) facts_.shards.push_back(file.path);
    }
  }

  /// The names of the shards by dataset.json, when shards.jsonl is gone.
  void name_shards() {
    if (!is_whole(manifest::kDataset)) return;
    const auto dataset = manifest::read_dataset_record(base::inside(folder_, manifest::kDataset));
    const auto option = [&](std::string_view name) {
      const auto found = std::find_if(dataset.options.begin(), dataset.options.end(),
                                      [&](const auto& each) { return each.first == name; });
      return found == dataset.options.end() ? std::string() : found->second;
    };
    const auto codec = codec::codec_by_name(option("codec"));
    if (!codec) return;
    for (std::uint64_t i = 0; i < dataset.shards; ++i) {
      facts_.shards.push_back(manifest::shard_path(option("prefix"), i, codec::suffix(*codec)));
    }
  }

  void read_checksums() {
    for (const auto& [name, group] : facts_.groups) {
      for (const ParityGroup::File& file : group.files) facts_.checksums[file.path] = file.sha256;
    }
    if (!is_whole(manifest::kChecksums)) return;
    for (manifest::Checksum& each : manifest::read_checksums(base::inside(folder_, manifest::kChecksums)))
      facts_.checksums[each.path] = each.sha256;
  }

  /// Groups that have lost all their parity files and nothing else: their parity can be computed again.
  void form_groups() {
    if (!is_whole(manifest::kDataset)) return;
    const std::uint32_t parity =
        manifest::read_dataset_record(base::inside(folder_, manifest::kDataset)).parity;
    if (parity == 0) return;
    const auto file = [&](const std::string& name) {
      return ParityGroup::File{.path = name, .bytes = size_of(name), .sha256 = facts_.checksums[name]};
    };
    dataset::ProtectedFiles files;
    for (std::size_t i = 0; i < facts_.shards.size(); ++i) {
      files.shards.push_back(file(facts_.shards[i]));
      files.manifests.push_back(file(manifest::manifest_path(i)));
    }
    for (const std::string_view name : dataset::kProtectedRecords)
      files.records.push_back(file(std::string(name)));
    const std::string of_pending = dataset::pending_parity_name(0);
    if (facts_.checksums.contains(of_pending) || !is_whole(of_pending)) {
      for (const std::string_view name : {manifest::kPendingTar, manifest::kPendingManifest})
        files.pending.push_back(file(std::string(name)));
    }
    for (ParityGroup& group : dataset::parity_groups(files, parity)) {
      const bool is_known = std::all_of(group.files.begin(), group.files.end(), [&](const auto& each) {
        return is_whole(each.path) && !each.sha256.empty();
      });
      if (is_known) facts_.groups.try_emplace(group.name, group);
    }
  }

  std::uint64_t size_of(const std::string& name) const {
    const std::string path = base::inside(folder_, name);
    return base::exists(path) ? base::File::open_read(path).size() : 0;
  }

  std::string folder_;
  const std::set<std::string>& bad_;
  const std::map<std::string, std::string>& known_;
  RepairFacts facts_;
};

/// Plans one step after the other, and keeps account of the files that are still lost.
class Planner {
 public:
  Planner(const RepairFacts& facts, std::set<std::string> bad, const std::set<RepairStep>& failed)
      : facts_(facts), bad_(std::move(bad)), failed_(failed) {}

  RepairPlan run() {
    while (add_parity() || add_derived() || add_sources() || add_checksums()) {
    }
    for (const std::string& file : bad_) plan_.beyond.emplace(file, why_not(file));
    return std::move(plan_);
  }

 private:
  bool is_bad(std::string_view file) const { return bad_.contains(std::string(file)); }

  bool add(RepairStep step) {
    if (step.files.empty() || failed_.contains(step)) return false;
    for (const std::string& file : step.files) bad_.erase(file);
    plan_.steps.push_back(std::move(step));
    return true;
  }

  struct Loss {
    std::vector<std::string> files;
    std::vector<std::string> parity;
  };

  Loss loss_of(const ParityGroup& group) const {
    Loss loss;
    for (const ParityGroup::File& file : group.files) {
      if (bad_.contains(file.path)) loss.files.push_back(file.path);
    }
    for (std::uint32_t i = 0; i < group.parity_files; ++i) {
      const std::string name = manifest::parity_file_name(group.name, i);
      if (bad_.contains(name)) loss.parity.push_back(name);
    }
    return loss;
  }

  bool add_parity() {
    bool added = false;
    for (const auto& [name, group] : facts_.groups) {
      Loss loss = loss_of(group);
      if (loss.files.size() + loss.parity.size() > group.parity_files) {
        // Parity files that are lost as well are made when all other files are there.
        continue;
      }
      RepairStep step{.from = RepairFrom::parity, .files = loss.files, .group = name};
      step.files.insert(step.files.end(), loss.parity.begin(), loss.parity.end());
      added = add(std::move(step)) || added;
    }
    return added;
  }

  bool manifests_are_whole() const {
    for (std::size_t i = 0; i < facts_.shards.size(); ++i) {
      if (bad_.contains(manifest::manifest_path(i))) return false;
    }
    return !facts_.shards.empty();
  }

  bool shards_are_whole() const {
    return std::none_of(facts_.shards.begin(), facts_.shards.end(),
                        [&](const std::string& shard) { return bad_.contains(shard); });
  }

  bool is_derivable(const std::string& file) const {
    if (file == manifest::kAllSamples) return manifests_are_whole();
    if (dataset::form_of(file) != nullptr) return shards_are_whole() && manifests_are_whole();
    if (file.starts_with(std::string(manifest::kManifestFolder) + "/"))
      return !is_bad(manifest::kAllSamples) && !facts_.shards.empty();
    if (file == manifest::kShardList) return !is_bad(manifest::kShardRecords) && !is_bad(manifest::kDataset);
    if (file == manifest::kRejects) {
      const auto sum = facts_.checksums.find(file);
      return sum != facts_.checksums.end() && sum->second == base::sha256_hex({});
    }
    return file == manifest::kChecksums && facts_.knows_all_checksums && only_checksums_are_bad();
  }

  /// A damaged record may be the only one that names a lost file.
  bool only_checksums_are_bad() const {
    return std::all_of(bad_.begin(), bad_.end(), [](const std::string& file) {
      return file == manifest::kChecksums || file == manifest::kShardList || file == manifest::kRun ||
             dataset::depends_on_place(file) || file == manifest::kReport ||
             file.starts_with(std::string(manifest::kRankFolder) + "/");
    });
  }

  bool add_derived() {
    bool added = false;
    for (const std::string& file : std::set<std::string>(bad_)) {
      // The checksums come last, because they cover everything that is made before.
      if (file != manifest::kChecksums && is_derivable(file))
        added = add({.from = RepairFrom::files, .files = {file}, .group = {}}) || added;
    }
    return added;
  }

  bool add_checksums() {
    const std::string file(manifest::kChecksums);
    return is_bad(file) && is_derivable(file) &&
           add({.from = RepairFrom::files, .files = {file}, .group = {}});
  }

  bool add_sources() {
    if (is_bad(manifest::kShardRecords) || is_bad(manifest::kDataset)) return false;
    RepairStep step{.from = RepairFrom::sources, .files = {}, .group = {}};
    for (std::size_t i = 0; i < facts_.shards.size(); ++i) {
      if (bad_.contains(facts_.shards[i]) && !bad_.contains(manifest::manifest_path(i)))
        step.files.push_back(facts_.shards[i]);
    }
    return add(std::move(step));
  }

  std::string why_not(const std::string& file) const {
    for (const auto& [name, group] : facts_.groups) {
      const Loss loss = loss_of(group);
      const auto is_lost = [&](const std::vector<std::string>& lost) {
        return std::find(lost.begin(), lost.end(), file) != lost.end();
      };
      if (is_lost(loss.files) || is_lost(loss.parity)) {
        return fmt::format("{} of the {} files of its parity group are lost, and parity makes good {}",
                           loss.files.size() + loss.parity.size(), group.files.size() + group.parity_files,
                           group.parity_files);
      }
    }
    if (facts_.is_shard(file)) return "its manifest or the records of the dataset are lost as well";
    if (file.starts_with(std::string(manifest::kRankFolder) + "/")) return "shardmill ranks writes it again";
    if (file == manifest::kReport) return "shardmill report writes it again";
    if (file == manifest::kRun) return "no other file knows when and where the dataset was made";
    if (file == manifest::kChecksums) return "other files are lost, and it alone has their checksums";
    return "no parity protects it, and no other file has the same facts";
  }

  const RepairFacts& facts_;
  std::set<std::string> bad_;
  const std::set<RepairStep>& failed_;
  RepairPlan plan_;
};

}  // namespace

std::string_view name(RepairFrom from) {
  switch (from) {
    case RepairFrom::parity:
      return "parity";
    case RepairFrom::files:
      return "files";
    case RepairFrom::sources:
      break;
  }
  return "sources";
}

bool RepairFacts::is_shard(const std::string& file) const {
  return std::find(shards.begin(), shards.end(), file) != shards.end();
}

RepairFacts repair_facts(const std::string& folder, const std::set<std::string>& bad,
                         const std::map<std::string, std::string>& known) {
  return FactFinder(folder, bad, known).run();
}

const RepairStep* RepairPlan::step_for(const std::string& file) const {
  for (const RepairStep& step : steps) {
    if (std::find(step.files.begin(), step.files.end(), file) != step.files.end()) return &step;
  }
  return nullptr;
}

RepairPlan plan_repair(const RepairFacts& facts, std::set<std::string> bad,
                       const std::set<RepairStep>& failed) {
  return Planner(facts, std::move(bad), failed).run();
}

std::map<std::string, Repairability> repairability(const std::string& folder,
                                                   const std::vector<Finding>& findings) {
  std::map<std::string, std::string> paths;  // by name
  const std::filesystem::path root(folder + "/");
  for (const Finding& finding : findings) {
    if (finding.severity == Finding::Severity::note) continue;
    const std::string name =
        std::filesystem::path(finding.where.path).lexically_relative(root.parent_path()).string();
    // No record has a checksum of these.
    const bool is_wrong = name == manifest::kShardList || name == manifest::kReport ||
                          dataset::depends_on_place(name) ||
                          name.starts_with(std::string(manifest::kRankFolder) + "/");
    const bool is_inside = !name.empty() && name != "." && !name.starts_with("..");
    if (is_inside && (finding.is_cause || is_wrong)) paths.emplace(name, finding.where.path);
  }
  std::set<std::string> bad;
  for (const auto& [name, path] : paths) bad.insert(name);
  std::map<std::string, Repairability> repairs;
  if (bad.empty()) return repairs;
  const RepairPlan plan = plan_repair(repair_facts(folder, bad), bad);
  for (const auto& [file, path] : paths) {
    const RepairStep* step = plan.step_for(file);
    const auto beyond = plan.beyond.find(file);
    repairs[path] = {.from = step != nullptr ? std::string(name(step->from)) : "",
                     .why = beyond != plan.beyond.end() ? beyond->second : ""};
  }
  return repairs;
}

}  // namespace shardmill::check
