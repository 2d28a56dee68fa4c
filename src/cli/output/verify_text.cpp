#include <fmt/format.h>

#include <map>
#include <set>

#include "base/text/units.hpp"
#include "cli/output/reports.hpp"

namespace shardmill::cli {

namespace {

constexpr std::uint64_t kMostOfFile = 5;  // lines of one severity for one file
constexpr std::uint64_t kMostLines = 100;
constexpr std::string_view kShowAll = "--all shows them";

/// Whether the file can be made again. Empty if the file itself is not the problem.
std::string repair_of(const check::VerifySummary& summary, const Finding& finding) {
  const auto repair = summary.repairs.find(finding.where.path);
  if (repair == summary.repairs.end()) return "";
  if (repair->second.from.empty()) return "; not repairable: " + printable(repair->second.why);
  return "; repairable from " + repair->second.from;
}

/// Puts the lines about one file together, and shows only some of them.
class Lines {
 public:
  Lines(const check::VerifySummary& summary, bool all) : summary_(summary), all_(all) {}

  void add(const Finding& finding) {
    const std::string& path = finding.where.path;
    if (path != path_) end_file();
    path_ = path;
    if (!all_ && (of_file_ == kMostOfFile || shown_ >= kMostLines)) {
      ++hidden_of_file_;
      return;
    }
    text_ += fmt::format("{}: {}{}\n", finding.severity == Finding::Severity::note ? "note" : "finding",
                         to_string(finding),
                         finding.severity == Finding::Severity::note ? "" : repair_of(summary_, finding));
    ++of_file_;
    ++shown_;
  }

  std::string take() {
    end_file();
    if (hidden_files_ > 0) {
      text_ += fmt::format("and {} about {} more ({})\n", base::format_count(hidden_elsewhere_, "line"),
                           base::format_count(hidden_files_, "file"), kShowAll);
    }
    return std::move(text_);
  }

 private:
  void end_file() {
    if (hidden_of_file_ > 0 && of_file_ > 0) {
      text_ += fmt::format("  and {} more in {} ({})\n", base::format_count(hidden_of_file_),
                           printable(path_), kShowAll);
    } else if (hidden_of_file_ > 0) {
      ++hidden_files_;
      hidden_elsewhere_ += hidden_of_file_;
    }
    of_file_ = 0;
    hidden_of_file_ = 0;
  }

  const check::VerifySummary& summary_;
  bool all_;
  std::string text_;
  std::string path_;
  std::uint64_t shown_ = 0;
  std::uint64_t of_file_ = 0;
  std::uint64_t hidden_of_file_ = 0;
  std::uint64_t hidden_files_ = 0;  // files without any shown line
  std::uint64_t hidden_elsewhere_ = 0;
};

/// For each damaged or missing file, the first finding about it.
std::map<std::string, const Finding*> causes_of(const check::VerifySummary& summary) {
  std::map<std::string, const Finding*> causes;
  for (const Finding& finding : summary.findings) {
    if (finding.is_cause) causes.try_emplace(finding.where.path, &finding);
  }
  return causes;
}

std::string kept_text(const check::KeptCounts& kept) {
  std::string text;
  const auto add = [&](std::uint64_t files, std::string_view how) {
    if (files == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "; " : ", ", base::format_count(files), how);
  };
  add(kept.by_sum, "by checksums that the server keeps");
  add(kept.by_tag, "by the tags that it gave when they were sent");
  add(kept.by_size, "by their sizes alone");
  add(kept.read, "read");
  return text;
}

std::string lines_of(const check::VerifySummary& summary, Finding::Severity severity,
                     const std::set<const Finding*>& told, bool all) {
  Lines lines(summary, all);
  for (const Finding& finding : summary.findings) {
    if (finding.severity == severity && !told.contains(&finding)) lines.add(finding);
  }
  return lines.take();
}

}  // namespace

std::string verify_text(const check::VerifySummary& summary, bool all) {
  std::string text;
  const auto causes = causes_of(summary);
  std::set<const Finding*> told;
  if (!causes.empty()) {
    text += fmt::format("damaged or missing: {}\n", base::format_count(causes.size(), "file"));
    std::uint64_t left = causes.size();
    for (const auto& [path, finding] : causes) {
      if (!all && causes.size() - left == kMostLines) break;
      text += fmt::format("finding: {}{}\n", to_string(*finding), repair_of(summary, *finding));
      --left;
    }
    if (left > 0) text += fmt::format("and {} more files ({})\n", base::format_count(left), kShowAll);
    for (const auto& [path, finding] : causes) told.insert(finding);
  }
  const std::string others = lines_of(summary, Finding::Severity::finding, told, all);
  if (!causes.empty() && !others.empty()) text += "other findings, which may follow from the damage:\n";
  text += others;
  return text + lines_of(summary, Finding::Severity::note, {}, all);
}

std::string verify_verdict(const check::VerifySummary& summary, const std::vector<std::string>& targets) {
  const std::uint64_t findings = summary.count(Finding::Severity::finding);
  const std::uint64_t notes = summary.count(Finding::Severity::note);
  std::string verdict = findings == 0 ? "all good" : base::format_count(findings, "finding");
  if (summary.doubtful_samples != 0) {
    const std::string doubtful = base::format_count(summary.doubtful_samples, "sample") + " in doubt";
    verdict = findings == 0 ? "nothing is damaged, but " + doubtful : verdict + ", " + doubtful;
  }
  if (notes != 0) verdict += ", " + base::format_count(notes, "note");
  if (summary.source_samples != 0)
    verdict += fmt::format("; compared with {} of the sources",
                           base::format_count(summary.source_samples, "sample"));
  if (summary.kept) verdict += kept_text(*summary.kept);
  const std::string others =
      targets.size() == 1 ? "" : fmt::format(" and {} more", base::format_count(targets.size() - 1));
  const std::string with_text = summary.with_text == summary.samples ? "all with transcripts"
                                : summary.with_text == 0
                                    ? "none with transcripts"
                                    : base::format_count(summary.with_text) + " with transcripts";
  return fmt::format("{}{}: checked {}, {} ({}), {} of audio, {} in {}: {}", printable(targets.front()),
                     others, base::format_count(summary.shards, "shard"),
                     base::format_count(summary.samples, "sample"), with_text,
                     base::format_audio(summary.audio_seconds), base::format_size(summary.bytes),
                     base::format_elapsed(summary.seconds), verdict);
}

}  // namespace shardmill::cli
