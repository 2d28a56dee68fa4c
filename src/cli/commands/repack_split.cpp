#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "cli/commands/repack.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/output/reports.hpp"
#include "cli/output/shared_lines.hpp"
#include "cli/terminal/console.hpp"
#include "repack/split.hpp"
#include "repack/split_home.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr const char* kForm = "give names with amounts, such as dev=2h,test=2h or dev=DATASET:2h";

void check_name(const std::string& name, const std::set<std::string>& others) {
  constexpr std::size_t kLongest = 64;
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  };
  if (name.empty() || name.size() > kLongest || name.front() == '-' ||
      !std::all_of(name.begin(), name.end(), is_plain))
    throw UsageError(fmt::format("--split: '{}' cannot be the name of a folder in DIR", printable(name)), {},
                     "use letters, digits, _ and -");
  if (base::lower(name) == deal::kTrain)
    throw UsageError("--split: train gets what the other splits leave", {}, "leave it out");
  if (others.contains(base::lower(name)))
    throw UsageError(fmt::format("--split names '{}' twice", printable(name)));
}

deal::SplitBy by_of(const CommandLine& line) {
  const std::string by = line.optional_text("split-by").value_or("speaker");
  for (const deal::SplitBy each : {deal::SplitBy::speaker, deal::SplitBy::key}) {
    if (by == repack::name(each)) return each;
  }
  throw UsageError(fmt::format("--split-by {} is unknown", printable(by)), {}, "give speaker or key");
}

deal::Duration amount_of(const std::string& name, const std::string& text) {
  double seconds = 0;
  try {
    seconds = base::parse_duration_seconds(text);
  } catch (const Error& error) {
    throw UsageError(fmt::format("--split {}={}: {}", name, printable(text), error.problem()), {}, kForm);
  }
  constexpr double kMostSeconds = 1e9;
  if (!(seconds > 0)) throw UsageError(fmt::format("--split {}: give more than 0", name));
  if (seconds > kMostSeconds) throw UsageError(fmt::format("--split {}: is too much", name));
  return std::chrono::duration_cast<deal::Duration>(std::chrono::duration<double>(seconds));
}

deal::SplitWish wish_of(const CommandLine& line) {
  if (!line.has("split"))
    throw UsageError("--split-by says how to split, but there is no --split", {}, kForm);
  std::string text = line.text("split");
  if (text == "subset") {
    if (line.has("split-by"))
      throw UsageError("--split subset keeps the split of the corpora, so --split-by has no effect", {},
                       "leave out --split-by");
    return {.by = deal::SplitBy::subset, .amounts = {}};
  }
  deal::SplitWish wish{.by = by_of(line), .amounts = {}};
  std::set<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t sign = part.find('=');
    if (sign == part.npos)
      throw UsageError(fmt::format("--split {}: '{}' is not NAME=TIME", printable(text), printable(part)), {},
                       std::string(kForm) + ", or subset");
    const std::string name = part.substr(0, sign);
    check_name(name, names);
    names.insert(base::lower(name));
    const std::size_t colon = part.rfind(':');
    const bool is_of_one = colon != part.npos && colon > sign;
    if (is_of_one) wish.datasets[name] = part.substr(sign + 1, colon - sign - 1);
    wish.amounts[name] = amount_of(name, part.substr((is_of_one ? colon : sign) + 1));
  }
  return wish;
}

/// The options as they are for one of the datasets.
repack::RepackOptions options_of(const repack::SplitOptions& options, const std::string& split) {
  repack::RepackOptions of_one = options.whole;
  of_one.out_folder = repack::split_folder(options.whole.out_folder, split);
  of_one.is_of_split = true;
  return of_one;
}

void indent_into(std::string& text, const std::string& json) {
  for (const char c : json) {
    text += c;
    if (c == '\n') text += "    ";
  }
}

std::string as_json(const repack::SplitSummary& summary, const repack::SplitOptions& options) {
  using Outcome = repack::RepackSummary::Outcome;
  if (summary.outcome == Outcome::planned) return summary_as_json(summary.plan, options.whole);
  std::string text = fmt::format("{{\n  \"outcome\": \"{}\",\n  \"splits\": {{",
                                 summary.outcome == Outcome::written ? "written" : "already_there");
  bool is_first = true;
  for (const auto& [name, of_one] : summary.splits) {
    text += fmt::format("{}\n    \"{}\": ", is_first ? "" : ",", name);
    indent_into(text, summary_as_json(of_one, options_of(options, name)));
    is_first = false;
  }
  text += "\n  }";
  if (!summary.tables.empty()) {
    std::string tables;
    base::JsonWriter json(tables, base::JsonWriter::Layout::indented);
    json.begin_object();
    write_tables(json, summary.tables);
    json.end_object();
    text += "," + tables.substr(1, tables.size() - 3);
  }
  return text + "\n}";
}

std::string as_text(const repack::SplitSummary& summary, const repack::SplitOptions& options) {
  if (summary.outcome == repack::RepackSummary::Outcome::planned) {
    std::string text = summary_as_text(summary.plan, options.whole);
    for (const auto& [name, amount] : options.wish.amounts)
      text += fmt::format("  {:<14} {}{} of it, by {}\n", name, repack::dataset_of(options.wish, name),
                          base::format_audio(std::chrono::duration<double>(amount).count()),
                          repack::name(options.wish.by));
    return text + fmt::format("  {:<14} {}\n", deal::kTrain,
                              options.wish.amounts.empty() ? "and dev, test: as the corpora say"
                                                           : "everything else; the shards above are its own");
  }
  std::string text;
  for (const auto& [name, of_one] : summary.splits) {
    text += summary_as_text(of_one, options_of(options, name));
    const auto asked = options.wish.amounts.find(name);
    if (asked == options.wish.amounts.end() || summary.outcome != repack::RepackSummary::Outcome::written)
      continue;
    text += fmt::format("  {:<14} {} of audio\n", "asked for",
                        base::format_audio(std::chrono::duration<double>(asked->second).count()));
  }
  if (!summary.tables.empty()) text += "all together\n" + tables_as_text(summary.tables);
  return text;
}

}  // namespace

void add_split_options(CommandLine& line) {
  const auto text = [](const char* value) { return po::value<std::string>()->value_name(value); };
  line.group("Splits")  //
      ("split", text("NAME=TIME[,...]|subset"),
       "DIR/NAME with about TIME of audio and DIR/train with the rest, such as dev=2h,test=2h; DATASET:TIME: "
       "of one dataset; subset: as published")(
          "split-by", text("speaker|key"),
          "keep all samples of a speaker in one split (default), or treat each sample by itself");
}

bool has_split_options(const CommandLine& line) {
  return line.has("split") || line.has("split-by");
}

int run_split(const CommandLine& line) {
  const CommonOptions common = line.common();
  const deal::SplitWish wish = wish_of(line);
  if (has_parts_options(line))
    throw UsageError("--split cannot be combined with --parts", {},
                     "make one dataset in parts, and split that: shardmill repack dataset:DIR --split ...");
  const repack::SplitOptions options{.whole = repack_options_of(line), .wish = wish};
  Console console("repack", common);
  pipeline::Workers workers(common.threads, common.memory_bytes, memory_bound(common));
  const repack::SplitSummary summary = repack::run_split(options, workers, console);
  console.end_progress();
  if (summary.outcome == repack::RepackSummary::Outcome::planned) {
    warn_of_shards(summary.plan, options.whole, console);
  } else if (!summary.splits.empty()) {
    warn_of_shards(summary.splits.front().second, options.whole, console);  // train is the first
  }
  if (common.json) {
    fmt::print("{}\n", as_json(summary, options));
  } else if (!common.quiet) {
    fmt::print("{}", as_text(summary, options));
  }
  int code = kExitDone;
  for (const auto& [name, of_one] : summary.splits)
    code = std::max(code, verdict(of_one, options_of(options, name), console));
  return code;
}

}  // namespace shardmill::cli
