#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/output/reports.hpp"

namespace shardmill::cli {

using check::DuplicateGroup;
using check::DuplicateSummary;

namespace {

constexpr std::size_t kMostGroups = 20;
constexpr std::size_t kMostSamples = 5;

std::string samples_as_text(const DuplicateGroup& group) {
  std::string text;
  for (std::size_t i = 0; i < std::min(group.samples.size(), kMostSamples); ++i) {
    const DuplicateGroup::Sample& sample = group.samples[i];
    text += fmt::format("    {} of {}: {}{}\n", printable(sample.key), printable(sample.dataset),
                        printable(sample.source), sample.is_against ? " (--against)" : "");
  }
  if (group.samples.size() > kMostSamples)
    text += fmt::format("    and {} more\n", group.samples.size() - kMostSamples);
  return text;
}

std::string groups_as_text(const std::vector<DuplicateGroup>& groups, std::string_view what) {
  std::string text = fmt::format("{}: {}\n", what, base::format_count(groups.size(), "group"));
  for (std::size_t i = 0; i < std::min(groups.size(), kMostGroups); ++i) {
    const DuplicateGroup& group = groups[i];
    if (group.text.empty()) {
      text += group.same_bytes ? "  the same bytes\n" : "  the same when decoded\n";
    } else {
      text += fmt::format("  {}: {}\n", printable(group.speaker), printable(group.text));
    }
    text += samples_as_text(group);
  }
  if (groups.size() > kMostGroups)
    text += fmt::format("  and {} more; --json lists all\n", groups.size() - kMostGroups);
  return text;
}

void write_groups(base::JsonWriter& json, std::string_view name, const std::vector<DuplicateGroup>& groups) {
  json.key(name).begin_array();
  for (const DuplicateGroup& group : groups) {
    json.begin_object();
    if (group.text.empty()) {
      json.member("same_bytes", group.same_bytes);
    } else {
      json.member("speaker", group.speaker).member("text", group.text);
    }
    json.key("samples").begin_array();
    for (const DuplicateGroup::Sample& sample : group.samples) {
      json.begin_object().member("dataset", sample.dataset).member("source", sample.source);
      json.member("key", sample.key).member("against", sample.is_against).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string duplicates_as_text(const DuplicateSummary& summary) {
  std::string text = fmt::format("{} compared", base::format_count(summary.samples, "sample"));
  if (summary.against_samples != 0)
    text += fmt::format(" with {} of --against", base::format_count(summary.against_samples, "sample"));
  text += fmt::format(" in {}\n", base::format_elapsed(summary.seconds));
  text += groups_as_text(summary.audio, "the same audio");
  text += groups_as_text(summary.texts, "the same words by the same speaker, with other audio");
  if (summary.without_speaker != 0)
    text += fmt::format("{} without a known speaker or transcript\n",
                        base::format_count(summary.without_speaker, "sample"));
  if (summary.undecodable != 0)
    text += fmt::format("{} could not be decoded and were compared byte for byte\n",
                        base::format_count(summary.undecodable, "sample"));
  for (std::size_t i = 0; i < std::min(summary.unusable.size(), kMostGroups); ++i)
    text += fmt::format("could not be compared: {}\n", summary.unusable[i].what());
  if (summary.unusable.size() > kMostGroups)
    text += fmt::format("and {} more; --json lists all\n", summary.unusable.size() - kMostGroups);
  return text;
}

std::string duplicates_as_json(const DuplicateSummary& summary) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("samples", summary.samples).member("against_samples", summary.against_samples);
  json.member("undecodable", summary.undecodable).member("without_speaker", summary.without_speaker);
  write_groups(json, "same_audio", summary.audio);
  write_groups(json, "same_words", summary.texts);
  json.key("unusable").begin_array();
  for (const Error& error : summary.unusable) json.value(error.what());
  json.end_array().member("seconds", summary.seconds).end_object();
  return text;
}

}  // namespace shardmill::cli
