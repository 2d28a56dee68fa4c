#include "repair/derived_files.hpp"

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "base/text/json_reader.hpp"
#include "dataset/form_files.hpp"
#include "dataset/owned_files.hpp"
#include "dataset/records.hpp"
#include "dataset/summed_file.hpp"
#include "manifest/layout.hpp"
#include "manifest/path_lists.hpp"

namespace shardmill::repair {

namespace {

using Files = std::vector<manifest::Checksum>;

Files join_manifests(const check::RepairFacts& facts, const std::string& folder, const std::string& stage,
                     pipeline::Workers& workers, base::Reporter& reporter) {
  std::vector<std::string> manifests;
  for (std::size_t i = 0; i < facts.shards.size(); ++i)
    manifests.push_back(base::inside(folder, manifest::manifest_path(i)));
  base::AtomicFile all(base::inside(stage, manifest::kAllSamples));
  auto joined = dataset::join_files(manifests, all, workers, reporter);
  all.commit();
  return {{.sha256 = joined.sha256_of_all, .path = std::string(manifest::kAllSamples)}};
}

/// The lines of one shard.
Files cut_manifest(const std::string& file, const check::RepairFacts& facts, const std::string& folder,
                   const std::string& stage, base::Reporter& reporter) {
  dataset::SummedFile out(stage, file);
  base::LineReader lines(base::inside(folder, manifest::kAllSamples));
  base::JsonParser parser;
  for (std::string_view line; lines.next(line);) {
    if (lines.line_number() % 1000 == 0) reporter.check_stop();
    const std::uint64_t shard = parser.parse(line)["shard_id"].unsigned_integer();
    if (shard >= facts.shards.size() || manifest::manifest_path(shard) != file) continue;
    out.write(line);
    out.write("\n");
  }
  return {out.commit()};
}

Files list_shards(const std::string& folder, const std::string& stage) {
  FindingList findings;
  const dataset::DatasetRecords records = dataset::read_records(folder, findings);
  if (!records.shards) dataset::throw_first(findings);
  const std::string root = records.list_root();
  std::string text;
  for (const manifest::ShardRecord& shard : *records.shards)
    manifest::append_list_line(text, root, shard.path);
  dataset::SummedFile out(stage, std::string(manifest::kShardList));
  out.write(text);
  return {out.commit()};
}

Files write_index(const std::string& file, const check::RepairFacts& facts, const std::string& folder,
                  const std::string& stage, pipeline::Workers& workers, base::Reporter& reporter) {
  FindingList findings;  // found by others
  const dataset::DatasetRecords records = dataset::read_records(folder, findings);
  const std::string root = records.list_root();
  const auto sha256_of = [&](const std::string& shard) {
    const auto found = facts.checksums.find(shard);
    return found == facts.checksums.end() ? std::string() : found->second;
  };
  std::vector<dataset::ShardToIndex> shards;
  for (std::size_t i = 0; i < facts.shards.size(); ++i) {
    shards.push_back({.path = base::inside(folder, facts.shards[i]),
                      .name = facts.shards[i],
                      .manifest = base::inside(folder, manifest::manifest_path(i)),
                      .listed = manifest::listed_path(root, facts.shards[i]),
                      .sha256 = sha256_of(facts.shards[i])});
  }
  const dataset::Forms present = dataset::forms_of(records);
  const dataset::Forms forms = dataset::with_companions({dataset::form_of(file, present)}, present);
  return dataset::write_form_files(forms, shards, stage, workers, reporter).files;
}

}  // namespace

std::vector<manifest::Checksum> make_derived(const std::string& file, const check::RepairFacts& facts,
                                             const std::string& folder, const std::string& stage,
                                             pipeline::Workers& workers, base::Reporter& reporter) {
  if (file == manifest::kAllSamples) return join_manifests(facts, folder, stage, workers, reporter);
  if (file == manifest::kShardList) return list_shards(folder, stage);
  if (file == manifest::kRejects) return {dataset::SummedFile(stage, file).commit()};
  if (dataset::form_of(file) != nullptr) return write_index(file, facts, folder, stage, workers, reporter);
  if (file.starts_with(std::string(manifest::kManifestFolder) + "/"))
    return cut_manifest(file, facts, folder, stage, reporter);
  throw Error("does not follow from other files of the dataset", at(base::inside(folder, file)));
}

}  // namespace shardmill::repair
