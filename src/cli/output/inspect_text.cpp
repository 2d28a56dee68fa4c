#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "cli/output/reports.hpp"
#include "cli/output/shared_lines.hpp"
#include "source/split.hpp"

namespace shardmill::cli {

using check::Contents;
using check::DatasetReport;
using check::Evenness;
using check::InspectSummary;
using check::Issue;
using check::IssueKind;
using check::IssueList;
using check::Severity;
using check::ShardReport;

namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kUnevenSpread = 0.01;  // of the mean: from here on, a repack is worth it
constexpr std::string_view kChartIndent = "                 ";

std::string codecs_text(const DatasetReport& dataset) {
  std::map<std::pair<codec::Codec, bool>, std::uint64_t> files;
  for (const auto& shard : dataset.shards) ++files[{shard.codec, shard.is_parquet}];
  std::string text;
  for (const auto& [form, count] : files) {
    const auto& [codec, is_parquet] = form;
    const std::string_view word = is_parquet                    ? "Parquet"
                                  : codec == codec::Codec::none ? "plain tar"
                                                                : name(codec);
    text += text.empty() ? std::string(word) : fmt::format(", {}", word);
    if (files.size() > 1) text += fmt::format(" ({})", base::format_count(count));
  }
  return text;
}

std::string head_text(const DatasetReport& dataset, bool fast) {
  const Contents& contents = dataset.contents;
  std::string text = printable(dataset.name);
  std::string_view before = ": ";
  if (!dataset.shards.empty()) {
    text += fmt::format("{}{}, {}", before, base::format_count(dataset.shards.size(), "shard"),
                        codecs_text(dataset));
    before = ", ";
  }
  const auto archives =
      static_cast<std::size_t>(std::count_if(dataset.recordings.begin(), dataset.recordings.end(),
                                             [](const ShardReport& report) { return report.is_archive; }));
  if (archives != 0) {
    text += fmt::format("{}{}", before, base::format_count(archives, "archive"));
    before = ", ";
  }
  if (dataset.recordings.size() != archives) {
    text +=
        fmt::format("{}{}", before, base::format_count(dataset.recordings.size() - archives, "audio file"));
  }
  text += fmt::format(", {}", base::format_size(contents.bytes));
  const bool compressed = std::any_of(dataset.shards.begin(), dataset.shards.end(),
                                      [](const auto& shard) { return shard.codec != codec::Codec::none; });
  if (compressed && contents.bytes > 0) {
    text += fmt::format(", {}{} as plain tar ({:.2f} times)", fast ? "about " : "",
                        base::format_size(contents.tar_bytes),
                        static_cast<double>(contents.tar_bytes) / static_cast<double>(contents.bytes));
  }
  return text + "\n";
}

std::string contents_text(const Contents& contents) {
  std::string samples = base::format_count(contents.samples);
  if (contents.has_audio()) {
    samples += fmt::format(", {} of audio, {} to {} each", base::format_audio(seconds_of(contents.duration)),
                           base::format_audio(seconds_of(contents.shortest)),
                           base::format_audio(seconds_of(contents.longest)));
  }
  std::string text = row("samples", samples);
  if (contents.samples > 0) {
    text += row("transcripts", contents.with_text == contents.samples ? "all samples"
                               : contents.with_text == 0
                                   ? "no sample"
                                   : fmt::format("{} of {}", base::format_count(contents.with_text),
                                                 base::format_count(contents.samples, "sample")));
  }
  std::string_view title = "audio";
  for (const auto& [form, amount] : contents.forms) {
    text += row(std::exchange(title, ""), fmt::format("{}, {} Hz, {}: {}, {}", form.format, form.sample_rate,
                                                      base::format_count(form.channels, "channel"),
                                                      base::format_count(amount.samples, "sample"),
                                                      base::format_audio(seconds_of(amount.duration))));
  }
  title = "members";
  for (const auto& [extension, amount] : contents.extensions) {
    text += row(std::exchange(title, ""),
                fmt::format("{}: {}, {}", printable(extension), base::format_count(amount.members),
                            base::format_size(amount.bytes)));
  }
  return text;
}

template <typename Format>
std::string evenness_text(const std::vector<double>& values, const Format& format) {
  const Evenness even(values);
  return fmt::format("{} to {}, mean {}, spread {} = {:.1f}% of the mean", format(even.min), format(even.max),
                     format(even.mean), format(even.spread()), 100 * even.spread_of_mean());
}

std::string balance_text(const DatasetReport& dataset, bool fast, Glyphs glyphs) {
  if (dataset.shards.size() < 2) return {};
  const auto size = [](double bytes) { return base::format_size(static_cast<std::uint64_t>(bytes)); };
  if (fast) {
    const auto bytes = dataset.shard_bytes();
    return row("shard size", evenness_text(bytes, size)) +
           bar_chart(bytes, Quantity::bytes, kChartIndent, glyphs) +
           row("", "the audio of the shards will be about as uneven as their sizes");
  }
  if (!dataset.contents.has_audio()) return {};
  const auto seconds = dataset.shard_seconds();
  return row("shard audio", evenness_text(seconds, base::format_audio)) +
         bar_chart(seconds, Quantity::seconds, kChartIndent, glyphs);
}

std::string hours(double hours_per_second) {
  if (hours_per_second == 0) return {};
  return fmt::format(", at most {:.{}f} h of audio a second", hours_per_second,
                     hours_per_second < 10 ? 2 : 0);
}

std::string cost_text(const DatasetReport& dataset) {
  std::string text;
  std::string_view title = "loader cost";
  double plain = 0;
  for (const auto& [codec, speed] : dataset.speeds) {
    plain = std::max(plain, speed.copied_bytes_per_second);
    if (codec == codec::Codec::none) continue;
    text += row(std::exchange(title, ""),
                fmt::format("{}: one loader worker decodes {} of tar{}", name(codec),
                            base::format_rate(speed.decoded_bytes_per_second),
                            hours(audio_hours_per_second(speed.decoded_bytes_per_second, dataset.contents))));
  }
  const bool is_of_tars = !std::ranges::all_of(dataset.shards, &ShardReport::is_parquet);
  if (dataset.speeds.empty() || !is_of_tars) return text;
  return text +
         row(title, fmt::format("plain tar: nothing to decode, {} from memory{}", base::format_rate(plain),
                                hours(audio_hours_per_second(plain, dataset.contents)))) +
         row("", "that is decompression alone; audio decoding, Python and features take more time");
}

std::string finding_text(const Finding& finding) {
  std::string text = printable(finding.where.path);
  if (!finding.where.member.empty()) text += fmt::format(": '{}'", printable(finding.where.member));
  if (finding.where.block) text += fmt::format(": block {}", *finding.where.block);
  if (finding.where.offset) text += fmt::format(" at byte {}", *finding.where.offset);
  if (finding.tar_offset) text += fmt::format(" at byte {} of the tar", *finding.tar_offset);
  if (!finding.what.empty()) text += ": " + printable(finding.what);
  return text;
}

std::string issue_text(const IssueKind& kind, const Issue& issue) {
  std::string text =
      fmt::format("    {}{}{}: {} in {}", kind.loader, kind.loader.empty() ? "" : " ", kind.text,
                  base::format_count(issue.count), base::format_count(issue.shards, "file"));
  if (issue.lost_samples != 0)
    text += fmt::format(", {} lost to loaders", base::format_count(issue.lost_samples, "sample"));
  text += "\n";
  if (!kind.effect.empty()) text += fmt::format("      {}\n", kind.effect);
  for (const Finding& finding : issue.first) text += fmt::format("      - {}\n", finding_text(finding));
  const std::uint64_t shown = issue.first.size();
  if (issue.count > shown && shown > 0) text += "      - ...\n";
  return text;
}

std::string issues_text(const IssueList& issues, Severity severity, std::string_view title) {
  if (!issues.has(severity)) return {};
  std::string text = fmt::format("  {}\n", title);
  for (const auto& [kind, issue] : issues.all()) {
    if (kind.severity == severity) text += issue_text(kind, issue);
  }
  return text;
}

std::string subsets_text(const Contents& contents) {
  std::string text;
  std::string_view title = "subsets";
  std::set<source::Split> splits;
  for (const auto& [subset, samples] : contents.subsets) {
    splits.insert(source::split_of(subset));
    text += row(std::exchange(title, ""),
                fmt::format("{}: {}", printable(subset), base::format_count(samples, "sample")));
  }
  if (splits.size() > 1) text += row("", "repack needs --subset to choose from them");
  return text;
}

std::string dataset_text(const DatasetReport& dataset, bool fast, Glyphs glyphs) {
  std::string text = head_text(dataset, fast);
  if (const auto corpora = dataset.corpora(); !corpora.empty())
    text += row("corpus", fmt::format("{}", fmt::join(corpora, ", ")));
  text += subsets_text(dataset.contents);
  if (!fast) text += contents_text(dataset.contents);
  text += balance_text(dataset, fast, glyphs);
  text += cost_text(dataset);
  text += issues_text(dataset.issues, Severity::damage, "damage");
  text += issues_text(dataset.issues, Severity::hazard, "will go wrong in training");
  text += issues_text(dataset.issues, Severity::note, "worth knowing");
  return text;
}

std::string unusable_text(const InspectSummary& summary) {
  if (summary.unusable.empty()) return {};
  std::string text = fmt::format("{} cannot be read\n", base::format_count(summary.unusable.size(), "file"));
  for (const Error& error : summary.unusable) text += fmt::format("    {}\n", error.what());
  return text;
}

bool is_uneven(const DatasetReport& dataset, bool fast) {
  return Evenness(fast ? dataset.shard_bytes() : dataset.shard_seconds()).spread_of_mean() > kUnevenSpread;
}

std::string advice_text(const InspectSummary& summary) {
  bool hazards = false;
  bool uneven = false;
  for (const DatasetReport& dataset : summary.datasets) {
    hazards |= dataset.issues.has(Severity::hazard);
    uneven |= is_uneven(dataset, summary.fast);
  }
  std::string text;
  if (summary.damaged()) {
    text +=
        "Data is damaged or missing: get those files again, or use shardmill repack --on-error skip, which "
        "keeps\n"
        "all readable samples and lists the others in rejects.jsonl.\n";
  }
  if (uneven) {
    text +=
        "The shards are uneven: ranks with the same number of shards get different amounts of audio, and "
        "wait\nfor each other. shardmill repack makes equal shards.\n";
  }
  if (hazards) {
    text +=
        "shardmill repack writes names, order and tars that all loaders read in the same way; its options\n"
        "--codec, --audio, --text and --prefix solve the other problems. It lists samples that it cannot\n"
        "read in rejects.jsonl.\n";
  }
  return text.empty() ? "No problems found.\n" : text;
}

/// Ready to be pasted into a shell.
std::string proposal_text(const Proposal& proposal) {
  std::string text = "\n# This makes one training set of it";
  text += proposal.decisions.empty() ? ".\n" : "; decide first:\n";
  for (const std::string& decision : proposal.decisions) text += fmt::format("# - {}\n", decision);
  return text + proposal.command + "\n";
}

}  // namespace

double audio_hours_per_second(double bytes_per_second, const Contents& contents) {
  if (contents.tar_bytes == 0) return 0;
  const double seconds_per_byte = seconds_of(contents.duration) / static_cast<double>(contents.tar_bytes);
  return bytes_per_second * seconds_per_byte / kSecondsPerHour;
}

std::string report_as_text(const InspectSummary& summary, const std::optional<Proposal>& proposal,
                           Glyphs glyphs) {
  std::string text = unusable_text(summary);
  for (const DatasetReport& dataset : summary.datasets) {
    if (!text.empty()) text += "\n";
    text += dataset_text(dataset, summary.fast, glyphs);
  }
  return text + "\n" + advice_text(summary) + (proposal ? proposal_text(*proposal) : "");
}

}  // namespace shardmill::cli
