#include <algorithm>
#include <chrono>
#include <map>

#include "base/text/json_writer.hpp"
#include "cli/output/reports.hpp"
#include "cli/output/shared_lines.hpp"

namespace shardmill::cli {

using base::JsonWriter;
using check::Contents;
using check::DatasetReport;
using check::Evenness;
using check::InspectSummary;
using check::IssueList;
using check::Severity;
using check::ShardReport;

namespace {

void write_finding(JsonWriter& json, const Finding& finding) {
  json.begin_object().member("path", std::string_view(finding.where.path));
  if (!finding.where.member.empty()) json.member("member", std::string_view(finding.where.member));
  if (finding.where.block) json.member("block", *finding.where.block);
  if (finding.where.offset) json.member("file_offset", *finding.where.offset);
  if (finding.tar_offset) json.member("tar_offset", *finding.tar_offset);
  if (!finding.what.empty()) json.member("text", std::string_view(finding.what));
  json.end_object();
}

void write_issues(JsonWriter& json, const IssueList& issues) {
  json.key("issues").begin_array();
  for (const auto& [kind, issue] : issues.all()) {
    json.begin_object().member("severity", name(kind.severity)).member("id", kind.id);
    if (!kind.loader.empty()) json.member("loader", kind.loader);
    json.member("text", kind.text);
    if (!kind.effect.empty()) json.member("effect", kind.effect);
    json.member("count", issue.count).member("shards", issue.shards);
    json.member("lost_samples", issue.lost_samples).key("first").begin_array();
    for (const Finding& finding : issue.first) write_finding(json, finding);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_amounts(JsonWriter& json, const Contents& contents) {
  json.member("samples", contents.samples)
      .member("with_text", contents.with_text)
      .member("audio_seconds", seconds_of(contents.duration));
  if (!contents.has_audio()) return;
  json.member("min_sample_seconds", seconds_of(contents.shortest));
  json.member("max_sample_seconds", seconds_of(contents.longest));
}

void write_codecs(JsonWriter& json, const DatasetReport& dataset) {
  struct Files {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  std::map<codec::Codec, Files> codecs;
  for (const ShardReport& shard : dataset.shards) {
    ++codecs[shard.codec].count;
    codecs[shard.codec].bytes += shard.contents.bytes;
  }
  json.key("codecs").begin_array();
  for (const auto& [codec, files] : codecs) {
    json.begin_object()
        .member("codec", name(codec))
        .member("shards", files.count)
        .member("bytes", files.bytes);
    if (const auto speed = dataset.speeds.find(codec); speed != dataset.speeds.end()) {
      const double decoded = speed->second.decoded_bytes_per_second;
      const double copied = speed->second.copied_bytes_per_second;
      json.member("decoded_bytes_per_second", decoded);
      json.member("audio_hours_per_second", audio_hours_per_second(decoded, dataset.contents));
      json.member("plain_bytes_per_second", copied);
      json.member("plain_audio_hours_per_second", audio_hours_per_second(copied, dataset.contents));
    }
    json.end_object();
  }
  json.end_array();
}

void write_kinds(JsonWriter& json, const Contents& contents) {
  json.key("audio").begin_array();
  for (const auto& [form, amount] : contents.forms) {
    json.begin_object()
        .member("format", std::string_view(form.format))
        .member("sample_rate", form.sample_rate);
    json.member("channels", form.channels).member("samples", amount.samples);
    json.member("seconds", seconds_of(amount.duration)).end_object();
  }
  json.end_array().key("extensions").begin_array();
  for (const auto& [extension, amount] : contents.extensions) {
    json.begin_object().member("extension", std::string_view(extension)).member("members", amount.members);
    json.member("bytes", amount.bytes).end_object();
  }
  json.end_array();
}

void write_evenness(JsonWriter& json, std::string_view title, const std::vector<double>& values) {
  const Evenness even(values);
  json.key(title).begin_object().member("min", even.min).member("mean", even.mean).member("max", even.max);
  json.member("spread", even.spread()).member("spread_of_mean", even.spread_of_mean()).end_object();
}

void write_shards(JsonWriter& json, const DatasetReport& dataset, bool fast) {
  json.key("shards").begin_array();
  for (const ShardReport& shard : dataset.shards) {
    json.begin_object().member("path", std::string_view(shard.path)).member("codec", name(shard.codec));
    json.member("bytes", shard.contents.bytes).member("damaged", shard.issues.has(Severity::damage));
    if (!fast) {
      json.member("tar_bytes", shard.contents.tar_bytes);
      write_amounts(json, shard.contents);
    }
    json.end_object();
  }
  json.end_array();
}

void write_dataset(JsonWriter& json, const DatasetReport& dataset, bool fast) {
  json.begin_object().member("name", std::string_view(dataset.name)).member("bytes", dataset.contents.bytes);
  json.member(fast ? "estimated_tar_bytes" : "tar_bytes", dataset.contents.tar_bytes);
  if (!fast) write_amounts(json, dataset.contents);
  write_codecs(json, dataset);
  if (!fast) write_kinds(json, dataset.contents);
  write_evenness(json, "shard_bytes", dataset.shard_bytes());
  if (!fast) write_evenness(json, "shard_seconds", dataset.shard_seconds());
  write_issues(json, dataset.issues);
  write_shards(json, dataset, fast);
  const auto archives = std::count_if(dataset.recordings.begin(), dataset.recordings.end(),
                                      [](const ShardReport& report) { return report.is_archive; });
  json.member("recordings", dataset.recordings.size() - static_cast<std::size_t>(archives));
  json.member("archives", static_cast<std::uint64_t>(archives)).key("corpora").begin_array();
  for (const std::string& corpus : dataset.corpora()) json.value(corpus);
  json.end_array();
  if (!fast) {
    json.key("subsets").begin_object();
    for (const auto& [subset, samples] : dataset.contents.subsets) json.member(subset, samples);
    json.end_object();
  }
  json.end_object();
}

}  // namespace

std::string report_as_json(const InspectSummary& summary, const std::optional<Proposal>& proposal) {
  std::string text;
  JsonWriter json(text, JsonWriter::Layout::indented);
  json.begin_object().member("fast", summary.fast).member("damaged", summary.damaged());
  json.member("seconds", summary.seconds).key("unusable").begin_array();
  for (const Error& error : summary.unusable) {
    json.begin_object().member("path", std::string_view(error.where().path));
    json.member("problem", std::string_view(error.problem())).end_object();
  }
  json.end_array().key("datasets").begin_array();
  for (const DatasetReport& dataset : summary.datasets) write_dataset(json, dataset, summary.fast);
  json.end_array();
  if (proposal) {
    json.key("proposal").begin_object().member("command", std::string_view(proposal->command));
    json.key("decisions").begin_array();
    for (const std::string& decision : proposal->decisions) json.value(decision);
    json.end_array().end_object();
  }
  json.end_object();
  return text;
}

}  // namespace shardmill::cli
