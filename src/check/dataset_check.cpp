#include "check/dataset_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "check/verify/against.hpp"
#include "check/verify/dataset_files.hpp"
#include "check/verify/kept_check.hpp"
#include "check/verify/shard_check.hpp"
#include "dataset/form_files.hpp"
#include "dataset/rank_lists.hpp"
#include "dataset/records.hpp"
#include "manifest/layout.hpp"
#include "shard/keys.hpp"

namespace shardmill::check {

namespace {

using manifest::DatasetRecord;
using RepeatedKeys = std::map<std::string, std::vector<std::string>>;

void check_unique_keys(const DatasetFiles& files, const std::vector<ShardContents>& contents,
                       const dataset::DatasetRecords& records, FindingList& findings) {
  shard::KeySet keys;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    for (std::size_t line = 0; line < contents[i].keys.size(); ++line) {
      if (keys.insert(contents[i].keys[line])) continue;
      const std::string manifest =
          i < files.shards.size() ? files.shards[i].manifest : std::string(manifest::kPendingManifest);
      findings.add(at(records.path(manifest)),
                   fmt::format("sample {} has the same key as an earlier sample", line + 1));
    }
  }
}

/// Compares dataset.json with the sums over all manifests.
class TotalsCheck {
 public:
  TotalsCheck(const dataset::DatasetRecords& records, FindingList& findings)
      : path_(records.path(manifest::kDataset)), dataset_(*records.dataset), findings_(findings) {
    for (const auto& shard : records.shards.value_or(std::vector<manifest::ShardRecord>{})) {
      bytes_ += shard.bytes;
      tar_bytes_ += shard.tar_bytes;
    }
  }

  void run(const std::vector<ShardContents>& contents) {
    ShardContents all;
    std::vector<shard::ShardTally> tallies;
    for (const ShardContents& shard : contents) {
      tallies.push_back(shard.tally());
      for (const auto& [name, share] : shard.datasets) {
        all.datasets[name].samples += share.samples;
        all.datasets[name].duration += share.duration;
      }
      for (const auto& [form, amount] : shard.forms) {
        all.forms[form].samples += amount.samples;
        all.forms[form].duration += amount.duration;
      }
      for (const auto& [name, count] : shard.with_text) all.with_text[name] += count;
      all.knows_texts = all.knows_texts && shard.knows_texts;
      all.audio_bytes += shard.audio_bytes;
    }
    const shard::ShardTally total = all.tally();
    expect("samples", dataset_.samples, total.samples());
    expect("seconds", dataset_.seconds, shard::seconds(total.duration()));
    expect("bytes", dataset_.bytes, bytes_);
    expect("tar_bytes", dataset_.tar_bytes, tar_bytes_);
    expect("audio_bytes", dataset_.audio_bytes, all.audio_bytes);
    if (all.knows_texts) expect("with_text", dataset_.with_text, total.with_text);
    check_parts(all);
    check_forms(all);
    check_history();
    if (!tallies.empty()) check_balance(shard::balance_of(tallies));
  }

 private:
  template <typename Value>
  void expect(std::string_view what, const Value& recorded, const Value& found) {
    if (recorded != found)
      findings_.add(at(path_), fmt::format("says {} {}, but it is {}", what, recorded, found));
  }

  void check_parts(const ShardContents& all) {
    std::set<std::string> named;
    for (const DatasetRecord::Part& part : dataset_.datasets) {
      named.insert(part.dataset);
      const auto found = all.datasets.find(part.dataset);
      const auto counted = found == all.datasets.end() ? shard::ShardTally::Share{} : found->second;
      expect("samples of " + part.dataset, part.samples, counted.samples);
      expect("seconds of " + part.dataset, part.seconds, shard::seconds(counted.duration));
      if (!all.knows_texts) continue;
      const auto texts = all.with_text.find(part.dataset);
      expect("with_text of " + part.dataset, part.with_text,
             texts == all.with_text.end() ? 0 : texts->second);
    }
    for (const auto& [name, share] : all.datasets) {
      if (!named.contains(name)) findings_.add(at(path_), fmt::format("does not name the dataset {}", name));
    }
  }

  /// What updates added and removed must add up.
  void check_history() {
    std::uint64_t after = dataset_.samples + (dataset_.pending ? dataset_.pending->samples : 0);
    for (std::size_t i = dataset_.updates.size(); i-- > 0;) {
      const DatasetRecord::Update& update = dataset_.updates[i];
      if (update.before + update.added != after + update.removed) {
        findings_.add(at(path_), fmt::format("update {} found {}, added {} and removed {}, and left {}",
                                             i + 1, base::format_count(update.before, "sample"), update.added,
                                             update.removed, after));
      }
      after = update.before;
    }
  }

  void check_forms(const ShardContents& all) {
    expect("kinds of audio", dataset_.audio.size(), all.forms.size());
    for (const DatasetRecord::AudioKind& kind : dataset_.audio) {
      const auto found = all.forms.find({kind.format, kind.sample_rate, kind.channels});
      const auto counted = found == all.forms.end() ? pipeline::AudioAmount{} : found->second;
      const std::string name = fmt::format("{} at {} Hz with {}", kind.format, kind.sample_rate,
                                           base::format_count(kind.channels, "channel"));
      expect("samples of " + name, kind.samples, counted.samples);
      expect("seconds of " + name, kind.seconds, shard::seconds(counted.duration));
    }
  }

  void check_balance(const DatasetRecord::Balance& found) {
    const DatasetRecord::Balance& recorded = dataset_.balance;
    expect("min_samples", recorded.min_samples, found.min_samples);
    expect("max_samples", recorded.max_samples, found.max_samples);
    expect("min_seconds", recorded.min_seconds, found.min_seconds);
    expect("mean_seconds", recorded.mean_seconds, found.mean_seconds);
    expect("max_seconds", recorded.max_seconds, found.max_seconds);
  }

  std::string path_;
  const DatasetRecord& dataset_;
  FindingList& findings_;
  std::uint64_t bytes_ = 0;
  std::uint64_t tar_bytes_ = 0;
};

/// Runs a check. If it cannot open or read something, that is a finding.
template <typename Check>
void guarded(FindingList& findings, Check check) {
  try {
    check();
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    findings.add_cause(error);
  }
}

void check_same_files(const dataset::DatasetRecords& records, const Against& against, FindingList& findings) {
  // Of an updated dataset, the digest is not that of all its sources.
  if (against.digest() == records.dataset->inputs_xxh3 || !records.dataset->updates.empty()) return;
  findings.note(at(records.path(manifest::kDataset)),
                "was made of files with other paths, names of datasets or sizes than those given now");
}

/// `kept`: null where files are read. `proof`: of shards that are read; may be null.
std::vector<ShardContents> check_files(const DatasetFiles& files, const dataset::DatasetRecords& records,
                                       const VerifyOptions& options, Against* against, KeptCheck* kept,
                                       const KeptCheck* proof, std::size_t first, pipeline::Workers& workers,
                                       base::Reporter& reporter, FindingList& findings) {
  std::vector<ShardContents> contents(files.shards.size());
  // The file of all samples comes first, because it takes long and nothing should have to wait at the end for
  // it.
  const std::size_t others = files.others.size();
  workers.for_each(others + files.shards.size(), [&](std::size_t index) {
    guarded(findings, [&] {
      const std::size_t shard = index - others;
      if (kept != nullptr && index < others) return kept->check_file(files.others[index]);
      if (index < others) return check_file(records, files.others[index], reporter, findings);
      if (kept != nullptr) {
        contents[shard] = kept->check_shard(files.shards[shard]);
        return;
      }
      ShardCheckOptions how{.decode = options.decode};
      how.is_proven = proof != nullptr && proof->proves(files.shards[shard].shard);
      if (against != nullptr) {
        how.on_sample = [against, number = first + shard](const ListedSample& sample) {
          against->add_output(static_cast<std::uint32_t>(number), sample);
        };
      }
      contents[shard] = check_shard(files.shards[shard], records, how, workers, reporter, findings);
    });
  });
  return contents;
}

/// Checks the samples that wait for the next update: they are a part of the dataset, but in no shard.
std::optional<ShardContents> check_pending(const dataset::DatasetRecords& records,
                                           const VerifyOptions& options, std::uint32_t number,
                                           Against* against, KeptCheck* kept, pipeline::Workers& workers,
                                           base::Reporter& reporter, FindingList& findings) {
  const std::string tar(manifest::kPendingTar);
  const std::string manifest(manifest::kPendingManifest);
  if (!records.dataset || !records.dataset->pending) return std::nullopt;
  // A file that is missing was reported.
  if (!base::may_exist(records.path(tar)) || !base::may_exist(records.path(manifest))) return std::nullopt;
  ShardCheckOptions how{.decode = options.decode};
  if (against != nullptr)
    how.on_sample = [&](const ListedSample& sample) { against->add_output(number, sample); };
  std::optional<ShardContents> contents;
  guarded(findings, [&] {
    const ShardCase shard{.shard = tar, .manifest = manifest};
    contents = kept != nullptr ? kept->check_shard(shard)
                               : check_shard(shard, records, how, workers, reporter, findings);
    const shard::ShardTally tally = contents->tally();
    const auto& recorded = *records.dataset->pending;
    if (recorded.samples != tally.samples() || recorded.seconds != shard::seconds(tally.duration()))
      findings.add(at(records.path(manifest)), "does not have the samples that dataset.json counts in it");
  });
  return contents;
}

void add(const KeptCounts& counts, VerifySummary& summary) {
  KeptCounts& all = summary.kept ? *summary.kept : summary.kept.emplace();
  all.by_sum += counts.by_sum;
  all.by_tag += counts.by_tag;
  all.by_size += counts.by_size;
  all.read += counts.read;
}

void summarise(const DatasetFiles& files, const std::vector<ShardContents>& contents,
               VerifySummary& summary) {
  summary.shards += files.shards.size();
  summary.bytes += files.bytes;
  for (const ShardContents& shard : contents) {
    const shard::ShardTally tally = shard.tally();
    summary.samples += tally.samples();
    summary.with_text += tally.with_text;
    summary.audio_seconds += shard::seconds(tally.duration());
  }
}

/// Doubts that were told: source and place.
using ToldDoubts = std::set<std::pair<std::string, std::uint64_t>>;

/// The bytes may be as they were written, and wrong all the same. The datasets of a split all name all
/// doubts.
void tell_doubts(const dataset::DatasetRecords& records, ToldDoubts& told, FindingList& findings,
                 VerifySummary& summary) {
  if (!records.dataset) return;
  for (const DatasetRecord::Doubt& doubt : records.dataset->doubtful) {
    if (!told.emplace(doubt.source, doubt.end).second) continue;
    summary.doubtful_samples += doubt.samples;
    findings.note(
        at(records.path(manifest::kDataset)),
        fmt::format("{} of {} may be wrong: the compressed stream that held them (bytes {} to {} of the "
                    "uncompressed tar) was damaged after them",
                    base::format_count(doubt.samples, "sample"), printable(doubt.source), doubt.begin,
                    doubt.end));
  }
}

/// One of the datasets that are checked together.
struct CheckedDataset {
  dataset::DatasetRecords records;
  DatasetFiles files{};
  std::vector<ShardContents> contents{};
};

/// Reads the records and compares them with each other; nullopt when the dataset is not finished.
std::optional<CheckedDataset> begin_check(const std::string& folder, base::Reporter& reporter,
                                          FindingList& findings) {
  check_finished(folder, findings);
  if (!base::may_exist(base::inside(folder, manifest::kDataset))) return std::nullopt;
  CheckedDataset checked{.records = dataset::read_records(folder, findings)};
  const dataset::DatasetRecords& records = checked.records;
  dataset::check_records(records, findings);
  dataset::check_rank_lists(records, findings);
  check_report(records, findings);
  dataset::check_placed_files(records, reporter, findings);
  check_parity(records, findings);
  checked.files = find_files(records, findings);
  if (records.dataset && records.dataset->pending) {
    std::erase_if(checked.files.others, [](const std::string& name) {
      return name == manifest::kPendingTar || name == manifest::kPendingManifest;
    });
  }
  return checked;
}

/// The comparison with the sources. `datasets` were made of them together.
std::unique_ptr<Against> make_against(const VerifyOptions& options, std::vector<CheckedDataset>& datasets,
                                      FindingList& findings) {
  if (options.against.empty() || datasets.empty()) return nullptr;
  auto against = std::make_unique<Against>(options, datasets.front().records.recipe(), findings);
  for (const CheckedDataset& each : datasets) {
    const auto& dataset = each.records.dataset;
    against->add_records(each.records.path(manifest::kRejects),
                         dataset && dataset->evened ? dataset->evened->repeated_keys : RepeatedKeys{},
                         each.records.path(manifest::kDataset));
    if (each.records.run) against->add_inputs(each.records.run->inputs);
    if (dataset) check_same_files(each.records, *against, findings);
  }
  return against;
}

/// `first`: the number of its first shard among those of all datasets.
void check_one(CheckedDataset& checked, const VerifyOptions& options, Against* against, std::size_t first,
               pipeline::Workers& workers, base::Reporter& reporter, FindingList& findings,
               VerifySummary& summary) {
  const dataset::DatasetRecords& records = checked.records;
  const DatasetFiles& files = checked.files;
  std::optional<KeptCheck> by_kept;
  if (has_kept_sums(records)) by_kept.emplace(records, workers, reporter, findings);
  const bool reads_all = options.decode || against != nullptr;
  KeptCheck* const kept = by_kept && !reads_all ? &*by_kept : nullptr;
  const KeptCheck* const proof = by_kept && reads_all ? &*by_kept : nullptr;
  checked.contents =
      check_files(files, records, options, against, kept, proof, first, workers, reporter, findings);
  auto& contents = checked.contents;
  if (records.dataset) TotalsCheck(records, findings).run(contents);
  // They are made of the shards, which are not read here.
  if (kept == nullptr)
    guarded(findings, [&] { check_indexes(records, options.decode, workers, reporter, findings); });
  summarise(files, contents, summary);
  const auto pending_number = static_cast<std::uint32_t>(first + files.shards.size());
  if (auto pending =
          check_pending(records, options, pending_number, against, kept, workers, reporter, findings)) {
    findings.note(at(records.path(manifest::kPendingFolder)),
                  fmt::format("{} ({}) wait here for the next update: no list names them",
                              base::format_count(pending->tally().samples(), "sample"),
                              base::format_audio(records.dataset->pending->seconds)));
    contents.push_back(std::move(*pending));
  }
  check_unique_keys(files, contents, records, findings);
  if (kept != nullptr) add(kept->counts(), summary);
}

}  // namespace

void verify_datasets(const std::vector<std::string>& folders, const VerifyOptions& options,
                     pipeline::Workers& workers, base::Reporter& reporter, FindingList& findings,
                     VerifySummary& summary) {
  summary.is_dataset = true;
  std::vector<CheckedDataset> datasets;
  for (const std::string& folder : folders) {
    if (auto checked = begin_check(folder, reporter, findings)) datasets.push_back(std::move(*checked));
    if (!options.allowed_signers.empty() && !datasets.empty() && datasets.back().records.folder == folder)
      check_signature(datasets.back().records, options.allowed_signers, findings);
  }
  // Without one of them, whatever it holds would seem to be lost.
  const bool is_whole = datasets.size() == folders.size();
  const std::unique_ptr<Against> against = is_whole ? make_against(options, datasets, findings) : nullptr;
  for (const CheckedDataset& each : datasets) reporter.progress().input_bytes_total += each.files.bytes;
  if (against) reporter.progress().input_bytes_total += against->bytes();
  reporter.phase("checking");
  std::vector<std::string> shards;
  ToldDoubts told;
  for (CheckedDataset& each : datasets) {
    check_one(each, options, against.get(), shards.size(), workers, reporter, findings, summary);
    tell_doubts(each.records, told, findings, summary);
    for (const ShardCase& shard : each.files.shards) shards.push_back(each.records.path(shard.shard));
    shards.push_back(each.records.path(manifest::kPendingTar));
  }
  if (!against) return;
  reporter.phase("reading the sources");
  against->read_sources(workers, reporter);
  against->settle(std::move(shards));
  summary.source_samples = against->source_samples();
}

void verify_dataset(const std::string& folder, const VerifyOptions& options, pipeline::Workers& workers,
                    base::Reporter& reporter, FindingList& findings, VerifySummary& summary) {
  verify_datasets({folder}, options, workers, reporter, findings, summary);
}

}  // namespace shardmill::check
