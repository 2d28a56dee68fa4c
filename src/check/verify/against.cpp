#include "check/verify/against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "deal/dataset_deal.hpp"
#include "manifest/layout.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/reject.hpp"
#include "pipeline/read_through.hpp"
#include "shard/keys.hpp"
#include "shard/sample_text.hpp"

namespace shardmill::check {

namespace {

using manifest::Reject;

class MemberCollector final : public archive::TarSink {
 public:
  void on_member(archive::TarMember&& member) override { members.push_back(std::move(member)); }
  void on_finding(ShardFinding&&) override {}  // always: a packed sample has no end blocks

  std::vector<archive::TarMember> members;
};

/// Hashes of the members after the audio.
std::vector<base::Xxh128> extras_of(const pipeline::Utterance& utterance) {
  const std::uint64_t audio_bytes = utterance.record.audio_bytes;
  const std::uint64_t begin =
      utterance.packed.audio_offset + audio_bytes + archive::padding_bytes(audio_bytes);
  const auto packed =
      std::span<const std::byte>(utterance.packed.bytes).subspan(static_cast<std::size_t>(begin));
  MemberCollector collector;
  archive::TarParser parser(collector, pipeline::kMemberLimitBytes);
  parser.feed(packed);
  std::vector<base::Xxh128> hashes;
  for (const archive::TarMember& member : collector.members)
    hashes.push_back(extra_hash(member.name, member.bytes));
  return hashes;
}

std::uint64_t content_of(const pipeline::Utterance& utterance) {
  const manifest::SampleRecord& record = utterance.record;
  return content_hash(record.source_xxh3.value_or(record.xxh3), record.text.value_or(""),
                      extras_of(utterance));
}

/// Of a shard of a finished dataset: its dataset.json. Updates move samples from shard to shard.
std::string record_beside(const source::SourceFile& file) {
  if (!file.listing) return {};
  const std::filesystem::path manifest(file.listing->manifest);
  return (manifest.parent_path().parent_path() / manifest::kDataset).string();
}

/// What is in the file, tables elsewhere say: reading it again with another table gives other samples.
bool is_told_elsewhere(const source::SourceFile& file) {
  return file.corpus != nullptr || file.late != nullptr || (file.tree != nullptr && file.tree->is_late);
}

RejectKind kind_of(const Reject& reject) {
  if (reject.reason == manifest::RejectReason::removed) return RejectKind::removed;
  if (reject.reason == manifest::RejectReason::duplicate_key ||
      reject.reason == manifest::RejectReason::changed)
    return RejectKind::duplicate;
  return RejectKind::left_out;
}

/// 0 where the audio was encoded again: then its form is not that of the source.
std::uint32_t length_of(const manifest::SampleRecord& record) {
  return record.source_xxh3 ? 0 : length_hash(record.audio);
}

/// What a run does about errors and where it puts the texts does not change what its sources hold; but shards
/// without texts hold no other members, either.
dataset::Recipe compared(dataset::Recipe recipe) {
  if (recipe.intake.text == pipeline::TextPlace::members) recipe.intake.text = pipeline::TextPlace::both;
  recipe.intake.on_error = pipeline::OnError::stop;
  recipe.intake.on_duplicate = pipeline::OnDuplicate::stop;
  recipe.intake.on_duplicate_audio = pipeline::OnDuplicateAudio::off;
  recipe.intake.filters.quality = {};  // the rejects list the samples that they leave out
  recipe.intake.missing_text = source::MissingText::allowed;
  recipe.intake.require_uniform = false;
  pipeline::read_tables(recipe.intake);
  return recipe;
}

}  // namespace

Against::Against(const VerifyOptions& options, dataset::Recipe recipe, FindingList& findings)
    : recipe_(compared(std::move(recipe))),
      findings_(findings),
      sources_(source::find_sources(options.against, {.on_unusable = source::OnUnusable::collect,
                                                      .allow_commands = options.allow_commands,
                                                      .tree = recipe_.intake.tree,
                                                      .labels = pipeline::read_labels(recipe_.intake)})) {
  unchanging_ = recipe_.intake;
  unchanging_.form = {};
  collect_files();
}

void Against::add_records(const std::string& rejects_path,
                          const std::map<std::string, std::vector<std::string>>& repeated_keys,
                          const std::string& record_path) {
  rejects_paths_.push_back(rejects_path);
  record_path_ = record_path;
  for (const auto& [dataset, keys] : repeated_keys) {
    for (const std::string& key : keys) account_.add_repeat(key);
  }
  read_bad_audio(rejects_path);
}

void Against::read_bad_audio(const std::string& rejects_path) {
  if (!recipe_.intake.form.decodes()) return;
  for_each_reject(rejects_path, [this](const Reject& reject) {
    if (reject.reason == manifest::RejectReason::bad_audio) bad_audio_.insert(reject.key.value_or(""));
  });
}

void Against::collect_files() {
  const auto& weights = recipe_.weights;
  const bool weighted =
      std::any_of(weights.begin(), weights.end(), [](const auto& part) { return part.second != 1; });
  for (const source::SourceDataset& dataset : sources_.datasets) {
    for (const std::string& name : dataset.dataset_names()) {
      if (weights.contains(name)) continue;
      compares_datasets_ = false;
      if (!weighted) continue;
      throw UsageError(fmt::format("the dataset has no part '{}', and its parts have weights", name), {},
                       "name the sources as repack did: NAME=SOURCE");
    }
    for (const source::SourceFile& file : dataset.files) files_.push_back({dataset.name, &file});
  }
}

/// By weight.
std::uint64_t Against::copies_of(const std::string& dataset, std::string_view key) const {
  const auto weight = recipe_.weights.find(dataset);
  return weight == recipe_.weights.end() ? 1 : deal::copies(weight->second, recipe_.seed, key);
}

/// How many samples were left out with this line: the copies of a sample go with it.
std::uint64_t Against::copies_in(const Reject& reject) const {
  using enum manifest::RejectReason;
  switch (reject.reason) {
    case duplicate_key:
    case duplicate_audio:
    case changed:
    case removed:
      return reject.samples.value_or(1);
    // Here these are samples, and their copies are counted with them: compared() leaves such limits out.
    case no_speaker:
    case clipped:
    case dc_offset:
    case silent:
    case narrow_band:
      return copies_of(reject.dataset, reject.key.value_or(""));
    default:
      return 1;
  }
}

/// Whether the sample, a channel of it, or another one that got its key is in the dataset.
bool Against::is_any_key_there(std::uint32_t file, std::string_view source_key) const {
  if (file >= files_.size()) return true;
  const auto keys = pipeline::possible_keys(source_key, recipe_.intake);
  return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return output_keys_.contains(pipeline::written_key(files_[file].dataset, key, recipe_.intake));
  });
}

/// `is_listed`: a finished dataset lists the sample, and then all its fields are kept.
SampleFields Against::fields_of(const pipeline::Utterance& utterance, bool is_listed) const {
  const manifest::SampleRecord& record = utterance.record;
  return {.facts = facts_hash(record.facts),
          .dataset = compares_datasets_ ? field_hash(record.dataset) : 0,
          .source = is_listed ? field_hash(record.source) : 0,
          .audio = is_listed && !recipe_.intake.form.given() ? field_hash(record.xxh3.hex()) : 0,
          .length = length_of(record)};
}

std::uint64_t Against::bytes() const {
  std::uint64_t sum = 0;
  for (const source::GivenSource& given : sources_.given) sum += given.bytes;
  return sum;
}

void Against::add_output(std::uint32_t shard, const ListedSample& sample) {
  const manifest::SampleRecord& record = sample.record;
  if (history_.has_repeats()) {
    const std::lock_guard lock(mutex_);
    output_keys_.insert(record.key);
  }
  account_.add_output(shard, record.source_key,
                      // Cleaned in the same way as measure() cleans transcripts of the sources: datasets of
                      // older versions have them uncleaned.
                      content_hash(record.source_xxh3.value_or(record.xxh3),
                                   shard::clean_transcript(sample.transcript), sample.extras),
                      {.facts = facts_hash(record.facts),
                       .dataset = field_hash(record.dataset),
                       .source = field_hash(record.source),
                       .audio = field_hash(record.xxh3.hex()),
                       .length = length_of(record)});
}

void Against::add_output(std::uint32_t shard, const pipeline::Utterance& utterance) {
  account_.add_output(shard, recorded_key(utterance.record.source_key), content_of(utterance));
}

void Against::count_reads() {
  std::map<std::string, std::size_t> times;
  for (const File& file : files_) ++times[file.file->path];
  for (File& file : files_) {
    const bool is_for_several = times[file.file->path] > 1;
    file.reads = history_.of({.path = file.file->path,
                              .bytes = file.file->bytes,
                              .mtime_ns = file.file->mtime_ns,
                              .dataset = is_for_several ? file.dataset : "",
                              .is_told_elsewhere = is_told_elsewhere(*file.file),
                              .read_with = record_beside(*file.file)});
  }
}

void Against::read_sources(pipeline::Workers& workers, base::Reporter& reporter) {
  count_reads();
  workers.for_each(files_.size(), [&](std::size_t index) {
    const auto number = static_cast<std::uint32_t>(index);
    try {
      pipeline::scan_source(*files_[index].file, recipe_.intake.key_rule, workers, reporter,
                            [&](pipeline::SourceItem&& item) { add_source(number, std::move(item)); });
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error& error) {
      findings_.note(error.where(), error.problem());
      account_.add_source(number, "", kNoContent, files_[index].reads.sure);
    }
  });
}

void Against::add_source(std::uint32_t number, pipeline::SourceItem&& item) {
  const File& file = files_[number];
  const pipeline::Origin origin{.dataset_name = file.dataset, .source = file.file->path};
  const auto* sample = std::get_if<shard::GroupedSample>(&item);
  const bool is_listed = sample != nullptr && sample->listed != nullptr;
  if (sample != nullptr) promises_.meet(sample->sample.key);
  const bool failed = sample != nullptr && bad_audio_.contains(recorded_key(sample->sample.key));
  for (const pipeline::Measured& measured :
       pipeline::measure(std::move(item), origin, failed ? recipe_.intake : unchanging_))
    add_measured(number, measured, is_listed);
}

void Against::add_measured(std::uint32_t number, const pipeline::Measured& measured, bool is_listed) {
  const File& file = files_[number];
  if (const auto* utterance = std::get_if<pipeline::Utterance>(&measured.outcome)) {
    const std::string& key = utterance->record.source_key;
    account_.add_source(number, recorded_key(key), content_of(*utterance),
                        file.reads.sure * copies_of(utterance->record.dataset, key),
                        fields_of(*utterance, is_listed));
  } else {
    const auto& reject = std::get<Reject>(measured.outcome);
    if (reject.key) promises_.meet(*reject.key);
    if (reject.reason == manifest::RejectReason::unlisted && has_several_labels()) return;
    account_.add_source(number, recorded_key(reject.key.value_or("")), kNoContent, file.reads.sure);
  }
}

template <typename Take>
void Against::for_each_reject(const std::string& rejects_path, Take take) {
  try {
    manifest::RecordReader reader(rejects_path);
    for (Reject reject; reader.next(reject);) take(reject);
  } catch (const Error&) {
    // This is a finding already. Whatever the file may have named is reported as missing as well.
  }
}

void Against::settle(std::vector<std::string> shards) {
  for (const std::string& path : rejects_paths_)
    for_each_reject(path, [this](const Reject& reject) {
      if (reject.reason == manifest::RejectReason::unlisted && has_several_labels()) return;
      account_.add_reject(reject.key.value_or(""), kind_of(reject), copies_in(reject));
    });
  SampleAccount::Names names{.shards = std::move(shards),
                             .rejects = rejects_paths_.empty() ? "" : rejects_paths_.front(),
                             .record = record_path_};
  for (const File& file : files_) {
    names.source_files.push_back(file.file->path);
    names.reads.push_back(file.reads);
  }
  const auto add_unusable = [&](const source::Unusable& unusable) {
    if (unusable.what == source::Unusable::What::unlisted && has_several_labels()) return;
    account_.add_source(static_cast<std::uint32_t>(names.source_files.size()), recorded_key(unusable.key),
                        kNoContent, 1);
    names.source_files.push_back(unusable.error.where().path);
  };
  for (const source::Unusable& unusable : sources_.unusable) add_unusable(unusable);
  promises_.for_each_broken(add_unusable);
  // Samples of a finished dataset may have keys of their own.
  const bool has_datasets = std::any_of(files_.begin(), files_.end(),
                                        [](const File& file) { return file.file->listing != nullptr; });
  if (history_.has_repeats() && !has_datasets) {
    names.is_key_there = [this](std::uint32_t file, std::string_view source_key) {
      return is_any_key_there(file, source_key);
    };
  }
  account_.settle(names, recipe_.intake.limit != 0, findings_);
}

}  // namespace shardmill::check
