#include "shardmill/commands/verify_against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "shardmill/deal/weight.hpp"
#include "shardmill/manifest/layout.hpp"
#include "shardmill/manifest/record_reader.hpp"
#include "shardmill/manifest/reject.hpp"
#include "shardmill/pipeline/measure.hpp"
#include "shardmill/pipeline/source_scan.hpp"

namespace shardmill::commands {

namespace {

using manifest::Reject;

template <typename Number>
Number number_option(const DatasetRecords& records, std::string_view name, Number when_none) {
  const std::string text = records.option(name).value_or("");
  if (text == "none") return when_none;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw Error(fmt::format("its option '{}' is '{}', which is no number", name, printable(text)),
                at(records.path(manifest::kDataset)));
  }
  return value;
}

audio::WantedForm form_option(const DatasetRecords& records) {
  using Container = audio::WantedForm::Container;
  const auto is = [&](std::string_view name, std::string_view value) {
    return records.option(name) == value;
  };
  audio::WantedForm form{.container = is("audio", "wav")    ? Container::wav
                                      : is("audio", "flac") ? Container::flac
                                                            : Container::keep,
                         .mono = is("channels", "mono")};
  if (!is("sample-rate", "keep") && records.option("sample-rate"))
    form.sample_rate = number_option<std::uint32_t>(records, "sample-rate", 0);
  return form;
}

class MemberCollector final : public archive::TarSink {
 public:
  void on_member(archive::TarMember&& member) override { members.push_back(std::move(member)); }
  void on_finding(ShardFinding&&) override {}  // a packed sample has no end blocks

  std::vector<archive::TarMember> members;
};

/// Hashes of the members behind the audio.
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
  for (const archive::TarMember& member : collector.members) hashes.push_back(base::xxh3_128(member.bytes));
  return hashes;
}

}  // namespace

Against::Against(const VerifyOptions& options, const DatasetRecords& records, FindingList& findings)
    : records_(records),
      findings_(findings),
      sources_(source::find_sources(options.against, {.on_unusable = source::OnUnusable::collect,
                                                      .allow_commands = options.allow_commands})) {
  if (!records.dataset) {
    throw Error("cannot be read, so it is not known how the dataset was made of its sources",
                at(records.path(manifest::kDataset)), "verify without --against");
  }
  read_options();
  read_bad_audio();
  collect_files();
  if (sources_.digest() != records.dataset->inputs_xxh3) {
    findings_.note(at(records.path(manifest::kDataset)),
                   "was made of files with other paths, names of datasets or sizes than those given now");
  }
}

void Against::read_options() {
  const auto rule = shard::key_rule_by_name(records_.option("key-rule").value_or(""));
  if (!rule) throw Error("has no key-rule among its options", at(records_.path(manifest::kDataset)));
  intake_.key_rule = *rule;
  intake_.text = pipeline::TextPlace::both;  // so that the transcript is there to be compared
  intake_.min_seconds = number_option<double>(records_, "min-duration", 0);
  intake_.max_seconds = number_option<double>(records_, "max-duration", intake_.max_seconds);
  intake_.require_text = records_.option("require-text") == "yes";
  intake_.limit = number_option<std::uint64_t>(records_, "limit", 0);
  intake_.keys.include = pipeline::patterns_of(records_.option("include").value_or(""));
  intake_.keys.exclude = pipeline::patterns_of(records_.option("exclude").value_or(""));
  seed_ = number_option<std::uint64_t>(records_, "seed", 0);
  changing_ = intake_;
  changing_.form = form_option(records_);
}

void Against::read_bad_audio() {
  if (!changing_.form.given()) return;
  for_each_reject([this](const Reject& reject) {
    if (reject.reason == manifest::RejectReason::bad_audio) bad_audio_.insert(reject.key.value_or(""));
  });
}

void Against::collect_files() {
  const auto& parts = records_.dataset->datasets;
  const bool weighted =
      std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.weight != 1; });
  for (const source::SourceDataset& dataset : sources_.datasets) {
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const auto& known) { return known.dataset == dataset.name; });
    if (part == parts.end() && weighted) {
      throw UsageError(fmt::format("the dataset has no part '{}', and its parts have weights", dataset.name),
                       {}, "name the sources as repack did: NAME=SOURCE");
    }
    for (const source::SourceFile& file : dataset.files)
      files_.push_back({dataset.name, &file, part == parts.end() ? 1 : part->weight});
  }
}

std::uint64_t Against::bytes() const {
  std::uint64_t sum = 0;
  for (const source::GivenSource& given : sources_.given) sum += given.bytes;
  return sum;
}

void Against::add_output(std::uint32_t shard, const FoundSample& sample) {
  const manifest::SampleRecord& record = sample.record;
  account_.add_output(
      shard, record.source_key,
      content_hash(record.source_xxh3.value_or(record.xxh3), sample.transcript, sample.extras));
}

void Against::read_sources(pipeline::Workers& workers, base::Reporter& reporter) {
  workers.for_each(files_.size(), [&](std::size_t index) {
    const auto number = static_cast<std::uint32_t>(index);
    try {
      pipeline::scan_source(*files_[index].file, intake_.key_rule, workers, reporter,
                            [&](pipeline::SourceItem&& item) { add_source(number, std::move(item)); });
    } catch (const base::Interrupted&) {
      throw;
    } catch (const Error& error) {
      findings_.note(error.where(), error.problem());
      account_.add_source(number, "", kNoContent, 1);
    }
  });
}

void Against::add_source(std::uint32_t number, pipeline::SourceItem&& item) {
  const File& file = files_[number];
  const pipeline::Origin origin{.dataset_name = file.dataset, .source = file.file->path};
  const auto* sample = std::get_if<shard::GroupedSample>(&item);
  const bool failed = sample != nullptr && bad_audio_.contains(recorded_key(sample->sample.key));
  const auto measured = pipeline::measure(std::move(item), origin, failed ? changing_ : intake_);
  if (!measured) return;
  if (const auto* utterance = std::get_if<pipeline::Utterance>(&measured->outcome)) {
    const manifest::SampleRecord& record = utterance->record;
    account_.add_source(number, recorded_key(record.source_key),
                        content_hash(record.source_xxh3.value_or(record.xxh3), record.text.value_or(""),
                                     extras_of(*utterance)),
                        deal::copies(file.weight, seed_, record.source_key));
  } else {
    const auto& reject = std::get<Reject>(measured->outcome);
    account_.add_source(number, recorded_key(reject.key.value_or("")), kNoContent, 1);
  }
}

template <typename Take>
void Against::for_each_reject(Take take) const {
  try {
    manifest::RecordReader reader(records_.path(manifest::kRejects));
    for (Reject reject; reader.next(reject);) take(reject);
  } catch (const Error&) {
    // That it cannot be read is a finding already; what it may have named is now missing as well.
  }
}

void Against::settle(const DatasetFiles& files) {
  for_each_reject([this](const Reject& reject) { account_.add_reject(reject.key.value_or("")); });
  SampleAccount::Names names{.rejects = records_.path(manifest::kRejects)};
  for (const File& file : files_) names.source_files.push_back(file.file->path);
  for (const source::Unusable& unusable : sources_.unusable) {
    account_.add_source(static_cast<std::uint32_t>(names.source_files.size()), recorded_key(unusable.key),
                        kNoContent, 1);
    names.source_files.push_back(unusable.error.where().path);
  }
  for (const ShardCase& shard : files.shards) names.shards.push_back(records_.path(shard.shard));
  account_.settle(names, intake_.limit != 0, findings_);
}

}  // namespace shardmill::commands
