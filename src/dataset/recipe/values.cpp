#include "dataset/recipe/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "deal/steps.hpp"
#include "source/source_spec.hpp"

namespace shardmill::dataset {

namespace {

constexpr std::string_view kUnknownHash = "unread";

}  // namespace

std::uint64_t number_of(std::string_view text) {
  const auto value = base::count_in(text);
  if (!value) throw Error("is not a number");
  return *value;
}

std::uint64_t positive_of(std::string_view text) {
  const std::uint64_t value = number_of(text);
  if (value == 0) throw Error("must be at least 1");
  return value;
}

double seconds_of(std::string_view text) {
  const auto seconds = base::number_in<double>(text);
  if (seconds && std::isfinite(*seconds) && *seconds >= 0) return *seconds;
  try {
    return base::parse_duration_seconds(text);
  } catch (const Error& error) {
    throw Error("is not a duration that makes sense here", {}, error.advice());
  }
}

double decimal_of(std::string_view text, std::string_view problem) {
  const auto value = base::number_in<double>(text);
  if (!value || !std::isfinite(*value)) throw Error(std::string(problem));
  return *value;
}

std::string percent_text(const std::optional<double>& percent) {
  return percent ? fmt::format("{}%", *percent) : std::string(kNone);
}

std::optional<double> percent_of(std::string_view text) {
  constexpr std::string_view kProblem = "is not a share from 0% to 100%, such as 1%";
  if (text == kNone) return std::nullopt;
  if (!text.ends_with('%')) throw Error(std::string(kProblem));
  const double percent = decimal_of(text.substr(0, text.size() - 1), kProblem);
  if (!(percent >= 0 && percent <= 100)) throw Error(std::string(kProblem));
  return percent + 0.0;
}

std::string limit_text(std::uint64_t limit) {
  return limit == 0 ? std::string(kNone) : fmt::format("{}", limit);
}

std::string numbers_text(const std::map<std::string, double>& numbers) {
  std::string text;
  for (const auto& [name, number] : numbers) {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ",", name, name.empty() ? "" : "=", number);
  }
  return text.empty() ? std::string(kNone) : text;
}

void for_each_value(std::string_view text, const std::function<void(std::string, std::string_view)>& take) {
  if (text == kNone) return;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view one = text.substr(begin, comma - begin);
    const std::size_t equals = one.find('=');
    const bool is_named = equals != std::string_view::npos;
    take(std::string(is_named ? one.substr(0, equals) : ""), is_named ? one.substr(equals + 1) : one);
    begin = comma + 1;
  }
}

void read_weights(std::map<std::string, double>& weights, std::string_view text) {
  constexpr std::string_view kProblem = "is not NAME=W with W above 0 and at most 1000";
  for_each_value(text, [&](std::string name, std::string_view value) {
    const double weight = decimal_of(value, kProblem);
    if (!(weight > 0) || weight > 1000 || text.find('=') == std::string_view::npos)
      throw Error(std::string(kProblem));
    weights[std::move(name)] = weight;
  });
}

std::string tables_text(const std::vector<pipeline::TableFile>& tables) {
  if (tables.empty()) return std::string(kNoFile);
  std::string hashes;
  std::string paths;
  for (const pipeline::TableFile& table : tables) {
    const std::string hash = table.hash ? table.hash->hex() : std::string(kUnknownHash);
    hashes += fmt::format("{}{}:{}", hashes.empty() ? "" : ",", hash, table.dataset);
    paths += fmt::format("{}{}", paths.empty() ? "" : "\n", table.path);
  }
  return hashes + " " + paths;
}

namespace {

/// True for a text of tables_text(): the path of a user would have to begin like a hash.
bool is_recorded(std::string_view text) {
  constexpr std::size_t kHexDigits = 32;
  if (text.find(' ') == std::string_view::npos) return false;
  if (text.starts_with(fmt::format("{}:", kUnknownHash))) return true;
  return text.size() > kHexDigits && text[kHexDigits] == ':' &&
         base::Xxh128::from_hex(text.substr(0, kHexDigits)).has_value();
}

void read_recorded(std::vector<pipeline::TableFile>& tables, std::string_view text) {
  std::string_view hashes = text.substr(0, text.find(' '));
  std::string_view paths = text.substr(hashes.size() + 1);
  for (bool more = true; more;) {
    const std::size_t comma = std::min(hashes.find(','), hashes.size());
    const std::size_t line = std::min(paths.find('\n'), paths.size());
    const std::string_view head = hashes.substr(0, comma);
    const std::size_t colon = head.find(':');
    if (colon == std::string_view::npos || line == 0) throw Error("is damaged");
    tables.push_back({.dataset = std::string(head.substr(colon + 1)),
                      .path = std::string(paths.substr(0, line)),
                      .hash = base::Xxh128::from_hex(head.substr(0, colon))});
    more = comma < hashes.size();
    hashes.remove_prefix(std::min(comma + 1, hashes.size()));
    paths.remove_prefix(std::min(line + 1, paths.size()));
  }
}

}  // namespace

void read_tables(std::vector<pipeline::TableFile>& tables, std::string_view text) {
  if (text == kNoFile) return;
  if (is_recorded(text)) return read_recorded(tables, text);
  pipeline::TableFile table;
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, std::min(equals, text.size()));
  if (equals != std::string_view::npos && source::is_dataset_name(name)) {
    table.dataset = name;
    text.remove_prefix(equals + 1);
  }
  if (text.empty()) throw Error("names no file");
  table.path = text;
  tables.push_back(std::move(table));
}

std::string named_texts_text(const std::map<std::string, std::string>& texts, std::string_view none) {
  std::string text;
  for (const auto& [name, value] : texts)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : "\n", name, name.empty() ? "" : "=", value);
  return text.empty() ? std::string(none) : text;
}

void for_each_named_text(std::string_view text, const std::function<void(std::string, std::string)>& take) {
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view one = text.substr(0, end);
    std::string name;
    const std::size_t equals = std::min(one.find('='), one.size());
    if (equals != one.size() && source::is_dataset_name(one.substr(0, equals))) {
      name = one.substr(0, equals);
      one.remove_prefix(equals + 1);
    }
    if (one.empty()) throw Error("names nothing");
    take(std::move(name), std::string(one));
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

std::string key_file_text(const pipeline::KeyFile& file) {
  if (file.path.empty()) return std::string(kNoFile);
  return file.hash ? file.hash->hex() + " " + file.path : file.path;
}

void read_key_file(pipeline::KeyFile& file, std::string_view text) {
  file = {};
  if (text == kNoFile) return;
  const std::size_t blank = text.find(' ');
  if (blank != std::string_view::npos) file.hash = base::Xxh128::from_hex(text.substr(0, blank));
  file.path = file.hash ? text.substr(blank + 1) : text;
}

namespace {

constexpr std::uint64_t kMostRanks = 1'000'000;
constexpr std::uint64_t kMostWorkersOfRank = 1024;
constexpr std::uint64_t kLargestStaticBatch = 1'000'000'000;

std::uint64_t in_range(const std::string& name, std::string_view text, std::uint64_t most) {
  const std::uint64_t number = number_of(text);
  if (number == 0 || number > most)
    throw Error(fmt::format("has {}={}, which is out of range", name, number), {},
                fmt::format("give 1 to {}", most));
  return number;
}

void read_plan_word(deal::PlanFor& plan, const std::string& name, std::string_view value) {
  if (name == "static") {
    plan.batch_samples = in_range(name, value, kLargestStaticBatch);
  } else if (name == "ranks") {
    plan.ranks = in_range(name, value, kMostRanks);
  } else if (name == "workers") {
    plan.workers = in_range(name, value, kMostWorkersOfRank);
  } else if (name == "dynamic" || name == "duration" || name == "buckets") {
    throw Error("asks for batches of variable size, with which no shards make ranks take the same steps", {},
                "plan for static=N, or let all ranks stop together (docs/loaders/README.md)");
  } else {
    throw Error("is not LOADER,static=N,ranks=R[,workers=K]", {}, "such as wenet,static=16,ranks=8");
  }
}

}  // namespace

std::string plan_for_text(const std::optional<deal::PlanFor>& plan) {
  if (!plan) return std::string(kNone);
  return fmt::format("{},static={},ranks={},workers={}", name(plan->loader), plan->batch_samples, plan->ranks,
                     plan->workers);
}

std::optional<deal::PlanFor> plan_for_of(std::string_view text) {
  if (text == kNone) return std::nullopt;
  const std::string_view first = text.substr(0, text.find(','));
  const auto loader = deal::loader_by_name(first);
  if (!loader)
    throw Error(fmt::format("names the unknown loader {}", printable(first)), {},
                "name wenet, wenet-old, webdataset or nemo first: wenet,static=16,ranks=8");
  if (!deal::can_batch(*loader, deal::Batching::By::samples))
    throw Error(fmt::format("cannot be planned: {} makes no batches of a fixed number of samples", first), {},
                "plan for wenet, wenet-old, webdataset or nemo");
  deal::PlanFor plan{.loader = *loader};
  std::set<std::string> names;
  for_each_value(text.substr(std::min(text.size(), first.size() + 1)),
                 [&](const std::string& name, std::string_view value) {
                   read_plan_word(plan, name, value);
                   if (!names.insert(name).second)
                     throw Error(fmt::format("says {}= twice", name), {}, "give each once");
                 });
  if (!names.contains("static") || !names.contains("ranks"))
    throw Error("lacks static=N or ranks=R", {}, "such as wenet,static=16,ranks=8");
  return plan;
}

}  // namespace shardmill::dataset
