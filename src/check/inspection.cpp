#include "check/inspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/text/units.hpp"
#include "codec/file_facts.hpp"
#include "dataset/loader_limits.hpp"
#include "pipeline/intake_options.hpp"
#include "pipeline/read_through.hpp"
#include "shard/keys.hpp"
#include "shard/tar_input.hpp"
#include "source/archive_entries.hpp"
#include "source/corpora.hpp"
#include "source/detection.hpp"
#include "source/missing_text.hpp"
#include "source/source_file.hpp"
#include "source/source_set.hpp"

namespace shardmill::check {

namespace {

bool is_shard(const source::SourceFile& file) {
  return file.kind == source::SourceKind::shard && !file.tree;
}

/// Datasets with their paths and sizes, and nothing else yet.
std::vector<DatasetReport> begin(const source::SourceSet& sources, base::Reporter& reporter) {
  std::vector<DatasetReport> datasets;
  for (const source::SourceDataset& dataset : sources.datasets) {
    DatasetReport& report = datasets.emplace_back();
    report.name = dataset.name;
    for (const source::SourceFile& file : dataset.files) {
      ShardReport& found = (is_shard(file) ? report.shards : report.recordings).emplace_back();
      found.path = file.path;
      found.contents.bytes = file.bytes;
      found.is_archive = file.tree != nullptr;
      found.is_parquet = file.parquet.has_value();
      if (file.tree) {
        found.corpus = file.tree->corpus;
      } else if (file.corpus) {
        found.corpus = file.corpus->name;
      }
      reporter.progress().input_bytes_total += file.bytes;
    }
  }
  return datasets;
}

/// Where many samples have no transcript: says which corpus that looks like, and what to do.
void guess_corpus(const source::SourceSet& sources, const DatasetReport& dataset, base::Reporter& reporter) {
  const TextCount texts{.samples = dataset.contents.samples, .with_text = dataset.contents.with_text};
  const auto given =
      std::find_if(sources.given.begin(), sources.given.end(),
                   [&](const source::GivenSource& source) { return source.dataset == dataset.name; });
  if (!texts.misses_too_many() || given == sources.given.end()) return;
  for (const std::string& prefix : dataset.corpora()) {
    const source::Corpus* corpus = source::corpus_with_prefix(prefix);
    if (corpus != nullptr && corpus->is_textless) return;
  }
  try {
    const source::FolderGuess guess =
        base::is_folder(given->path) ? source::guess_folder(given->path) : source::guess_archive(given->path);
    if (guess.corpus.empty()) return;
  } catch (const Error&) {
    return;  // What is wrong with it is in the report.
  }
  reporter.warn(source::missing_text_error(dataset.name, texts, source::missing_text(texts), given->path));
}

/// True for the codecs that Python's tarfile knows.
bool reads_as_stream(codec::Codec codec) {
  return codec == codec::Codec::bzip2 || codec == codec::Codec::gzip || codec == codec::Codec::xz;
}

/// Reads one shard or recording and returns its keys. Problems become part of the report.
std::string read(const source::SourceFile& file, ShardReport& shard, shard::KeyRule rule,
                 source::Promises& promises, pipeline::Workers& workers, base::Reporter& reporter) {
  ShardInspector inspector(shard, reporter.progress(), is_shard(file));
  try {
    if (is_shard(file)) shard.codec = codec::codec_of(base::File::open_read(shard.path));
    check_codec(shard);
    if (is_shard(file) && !shard.is_parquet) check_shard_name(shard);
    const pipeline::ScanResult scanned =
        pipeline::scan_source(file, rule, workers, reporter, [&](pipeline::SourceItem&& item) {
          if (const auto* sample = std::get_if<shard::GroupedSample>(&item))
            promises.meet(sample->sample.key);
          if (const auto* reject = std::get_if<manifest::Reject>(&item))
            promises.meet(reject->key.value_or(""));
          inspector.take(std::move(item));
        });
    shard.contents.tar_bytes = scanned.tar_bytes;
    if (scanned.streams > 1 && reads_as_stream(shard.codec)) {
      shard.issues.add(issue::kSeveralStreams,
                       {.where = {.path = shard.path}, .what = fmt::format("{} streams", scanned.streams)});
    }
    if (is_shard(file) && !shard.is_parquet) check_text_members(shard);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    shard.issues.add(issue::kUnreadableFile, {.where = {.path = shard.path, .offset = error.where().offset},
                                              .what = error.problem()});
  }
  return inspector.take_keys();
}

void read_all(const source::SourceSet& sources, std::vector<DatasetReport>& datasets, shard::KeyRule rule,
              pipeline::Workers& workers, base::Reporter& reporter) {
  std::vector<const source::SourceFile*> files;
  std::vector<ShardReport*> shards;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    auto shard = datasets[i].shards.begin();
    auto recording = datasets[i].recordings.begin();
    for (const source::SourceFile& file : sources.datasets[i].files) {
      files.push_back(&file);
      shards.push_back(is_shard(file) ? &*shard++ : &*recording++);
    }
  }
  KeyLedger ledger(shards.size(), [&](std::size_t shard, std::string_view key) {
    shards[shard]->issues.add(issue::kDuplicateKey,
                              {.where = {.path = shards[shard]->path, .member = std::string(key)},
                               .what = "an earlier file has it too"});
  });
  reporter.phase("reading");
  source::Promises promises(sources.promises);
  workers.for_each(shards.size(), [&](std::size_t index) {
    ledger.hand_in(index, read(*files[index], *shards[index], rule, promises, workers, reporter));
  });
  promises.for_each_broken([&](const source::Unusable& broken) {
    const auto dataset = std::find_if(datasets.begin(), datasets.end(), [&](const DatasetReport& report) {
      return report.name == broken.dataset;
    });
    dataset->issues.add(
        issue::kLostUtterance,
        {.where = {.path = broken.error.where().path, .member = broken.key}, .what = broken.error.problem()});
  });
}

IssueList other_forms(const ShardReport& report, std::pair<std::uint32_t, std::uint32_t> usual) {
  IssueList issues;
  for (const auto& [form, amount] : report.contents.forms) {
    if (std::pair(form.sample_rate, form.channels) == usual) continue;
    issues.add(
        issue::kMixedAudio,
        {.where = {.path = report.path},
         .what = fmt::format("{} Hz, {}", form.sample_rate, base::format_count(form.channels, "channel"))},
        amount.samples);
  }
  return issues;
}

/// Reports audio that differs from what most samples have, because a trainer is set up for one kind.
void check_mix(DatasetReport& dataset) {
  const auto& forms = dataset.contents.forms;
  if (forms.empty()) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> samples;
  for (const auto& [form, amount] : forms) samples[{form.sample_rate, form.channels}] += amount.samples;
  const auto most = std::max_element(samples.begin(), samples.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const auto* reports : {&dataset.shards, &dataset.recordings}) {
    for (const ShardReport& report : *reports) dataset.issues.merge(other_forms(report, most->first));
  }
}

void add_up(DatasetReport& dataset) {
  const std::uint64_t estimated_tar_bytes = dataset.contents.tar_bytes;
  for (const auto* reports : {&dataset.shards, &dataset.recordings}) {
    for (const ShardReport& report : *reports) {
      dataset.contents.add(report.contents);
      dataset.issues.merge(report.issues);
    }
  }
  dataset.contents.tar_bytes = std::max(dataset.contents.tar_bytes, estimated_tar_bytes);
  check_mix(dataset);
  check_containers(dataset);
}

/// Measures on the largest undamaged shard of each codec, while nothing else is running.
void measure_speeds(DatasetReport& dataset) {
  std::map<codec::Codec, const ShardReport*> largest;
  for (const ShardReport& shard : dataset.shards) {
    if (shard.issues.has(Severity::damage)) continue;
    const ShardReport*& chosen = largest[shard.codec];
    if (chosen == nullptr || chosen->contents.bytes < shard.contents.bytes) chosen = &shard;
  }
  for (const auto& [codec, shard] : largest) {
    dataset.speeds[codec] = codec::reference_speed(base::File::open_read(shard->path));
  }
}

}  // namespace

Evenness::Evenness(const std::vector<double>& values) {
  if (values.empty()) return;
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  min = *lowest;
  max = *highest;
  mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::set<std::string> DatasetReport::corpora() const {
  std::set<std::string> names;
  for (const ShardReport& report : recordings) {
    if (!report.corpus.empty()) names.insert(report.corpus);
  }
  return names;
}

std::vector<double> DatasetReport::shard_seconds() const {
  std::vector<double> seconds;
  for (const ShardReport& shard : shards) {
    seconds.push_back(std::chrono::duration<double>(shard.contents.duration).count());
  }
  return seconds;
}

std::vector<double> DatasetReport::shard_bytes() const {
  std::vector<double> bytes;
  for (const ShardReport& shard : shards) bytes.push_back(static_cast<double>(shard.contents.bytes));
  return bytes;
}

bool InspectSummary::damaged() const {
  return !unusable.empty() || std::any_of(datasets.begin(), datasets.end(), [](const DatasetReport& dataset) {
    return dataset.issues.has(Severity::damage);
  });
}

InspectSummary inspect_sources(const InspectOptions& options, pipeline::Workers& workers,
                               base::Reporter& reporter) {
  InspectSummary summary;
  summary.fast = options.fast;
  pipeline::IntakeOptions intake{.tree = options.tree, .labels = options.labels};
  pipeline::settle_labels(options.sources, intake.labels);
  const source::SourceSet sources =
      source::find_sources(options.sources, {.on_unusable = source::OnUnusable::collect,
                                             .corpora = options.corpora,
                                             .allow_commands = options.allow_commands,
                                             .tree = options.tree,
                                             .labels = pipeline::read_labels(intake)});
  for (const Error& warning : sources.warnings) reporter.warn(warning);
  summary.datasets = begin(sources, reporter);
  for (const source::Unusable& unusable : sources.unusable) {
    summary.unusable.push_back(unusable.error);
    if (unusable.what != source::Unusable::What::audio) continue;
    for (DatasetReport& dataset : summary.datasets) {
      if (dataset.name == unusable.dataset) dataset.without_audio += unusable.samples.value_or(1);
    }
  }
  if (options.fast) {
    for (DatasetReport& dataset : summary.datasets) look_at(dataset, workers, reporter);
  } else {
    read_all(sources, summary.datasets, options.key_rule, workers, reporter);
    reporter.phase("timing the codecs");
    for (DatasetReport& dataset : summary.datasets) measure_speeds(dataset);
  }
  for (DatasetReport& dataset : summary.datasets) {
    add_up(dataset);
    if (!options.fast) guess_corpus(sources, dataset, reporter);
  }
  return summary;
}

namespace {

using Extensions = std::map<std::string, Contents::Extension>;

/// The extension that most audio members have; the end of the map when there is no audio.
Extensions::const_iterator usual_audio(const Extensions& extensions) {
  auto usual = extensions.end();
  for (auto each = extensions.begin(); each != extensions.end(); ++each) {
    if (!shard::is_audio_extension(each->first)) continue;
    if (usual == extensions.end() || each->second.members > usual->second.members) usual = each;
  }
  return usual;
}

}  // namespace

void check_shard_name(ShardReport& shard) {
  if (!dataset::has_nemo_name(shard.path))
    shard.issues.add(issue::kShardName, {.where = {.path = shard.path}});
}

void check_text_members(ShardReport& shard) {
  if (!shard.contents.has_audio()) return;
  std::uint64_t members = 0;
  for (const auto& [extension, amount] : shard.contents.extensions)
    members += shard::is_audio_extension(extension) ? 0 : amount.members;
  if (members != 0) shard.issues.add(issue::kTextMembers, {.where = {.path = shard.path}}, members);
}

void check_containers(DatasetReport& dataset) {
  Extensions all;
  for (const ShardReport& shard : dataset.shards) {
    for (const auto& [extension, amount] : shard.contents.extensions)
      all[extension].members += amount.members;
  }
  const auto usual = usual_audio(all);
  if (usual == all.end()) return;
  for (const ShardReport& shard : dataset.shards) {
    IssueList issues;
    for (const auto& [extension, amount] : shard.contents.extensions) {
      if (extension == usual->first || !shard::is_audio_extension(extension)) continue;
      issues.add(issue::kMixedContainers, {.where = {.path = shard.path}, .what = extension}, amount.members);
    }
    dataset.issues.merge(issues);
  }
}

namespace {

void look_at(ShardReport& shard) {
  if (shard.is_archive) return source::check_end(shard.path);
  base::File file = base::File::open_read(shard.path);
  if (shard.is_parquet) return void(shard::parquet_facts(file));
  shard.codec = codec::codec_of(file);
  check_codec(shard);
  check_shard_name(shard);
  if (!codec::looks_cut(file, shard.codec)) return;
  shard.issues.add(shard.codec == codec::Codec::none ? *issue::of(ShardProblem::no_end) : issue::kCutShort,
                   {.where = {.path = shard.path}});
}

}  // namespace

void check_codec(ShardReport& shard) {
  if (shard.codec == codec::Codec::zstd) shard.issues.add(issue::kZstd, {.where = {.path = shard.path}});
  if (shard.codec == codec::Codec::lz4) shard.issues.add(issue::kLz4, {.where = {.path = shard.path}});
}

void look_at(DatasetReport& dataset, pipeline::Workers& workers, base::Reporter& reporter) {
  std::vector<ShardReport*> looked_at;
  for (ShardReport& shard : dataset.shards) looked_at.push_back(&shard);
  for (ShardReport& each : dataset.recordings) {
    if (each.is_archive) looked_at.push_back(&each);
  }
  workers.for_each(looked_at.size(), [&](std::size_t index) {
    reporter.check_stop();
    ShardReport& shard = *looked_at[index];
    try {
      look_at(shard);
    } catch (const Error& error) {
      shard.issues.add(issue::kUnreadableFile, {.where = {.path = shard.path}, .what = error.problem()});
    }
    reporter.progress().input_bytes += shard.contents.bytes;
  });
  std::vector<source::SourceFile> files;
  for (const ShardReport& shard : dataset.shards) {
    if (shard.issues.all().contains(issue::kUnreadableFile)) continue;
    files.push_back({.path = shard.path, .bytes = shard.contents.bytes});
  }
  dataset.contents.tar_bytes = source::estimate_tar_bytes(files);
}

}  // namespace shardmill::check
