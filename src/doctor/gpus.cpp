#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/system/command.hpp"
#include "doctor/node.hpp"

namespace shardmill::doctor {

namespace {

constexpr std::uint64_t kMostOutputBytes = std::uint64_t{4} << 20;
constexpr std::size_t kLongestLine = 200;
constexpr double kMiB = 1024.0 * 1024.0;
// Fields that drivers before 510 and before 450 do not know.
constexpr std::size_t kMostOptionalFields = 2;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string shown(std::string_view line) {
  return printable(line.substr(0, kLongestLine));
}

/// The first `count` parts between commas; the last one takes the rest. Empty if there are fewer.
std::vector<std::string_view> csv_values(std::string_view line, std::size_t count) {
  std::vector<std::string_view> values;
  while (values.size() + 1 < count) {
    const auto comma = line.find(',');
    if (comma == std::string_view::npos) return {};
    values.push_back(trimmed(line.substr(0, comma)));
    line.remove_prefix(comma + 1);
  }
  values.push_back(trimmed(line));
  return values;
}

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> mebibytes(std::string_view text) {
  const auto number = number_in<double>(text);
  if (!number || !(*number >= 0) || *number > 1e9) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*number * kMiB));
}

/// "9.0"; empty for "[N/A]" and other texts.
std::string version_in(std::string_view text) {
  const bool is_version = !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_version ? std::string(text) : "";
}

std::optional<Gpu> read_gpu(std::string_view line, const std::vector<std::string>& fields) {
  const auto values = csv_values(line, fields.size());
  if (values.empty()) return std::nullopt;
  Gpu gpu;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& field = fields[i];
    const std::string_view value = values[i];
    if (field == "index") {
      const auto index = number_in<std::uint64_t>(value);
      if (!index) return std::nullopt;
      gpu.index = *index;
    } else if (field == "uuid") {
      if (value.empty()) return std::nullopt;
      gpu.uuid = printable(value);
    } else if (field == "compute_cap") {
      gpu.compute_capability = version_in(value);
    } else if (field == "memory.total") {
      gpu.memory_bytes = mebibytes(value);
    } else if (field == "memory.used") {
      gpu.taken_bytes = mebibytes(value);
    } else if (field == "driver_version") {
      gpu.driver = version_in(value);
    } else if (field == "mig.mode.current") {
      gpu.is_split = value == "Enabled";
    } else {
      gpu.name = shown(value);
    }
  }
  if (gpu.name.empty()) return std::nullopt;
  return gpu;
}

/// The first line that is not empty.
std::string first_words(const base::CommandResult& result) {
  for (const std::string_view text : {std::string_view(result.err), std::string_view(result.out)}) {
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = std::min(text.find('\n', begin), text.size());
      const auto line = trimmed(text.substr(begin, end - begin));
      if (!line.empty()) return shown(line);
      begin = end + 1;
    }
  }
  return {};
}

/// The field that this version of nvidia-smi does not know, from its error message.
std::vector<std::string>::iterator unknown_field(std::vector<std::string>& fields,
                                                 const base::CommandResult& result) {
  return std::find_if(fields.begin(), fields.end(), [&](const std::string& field) {
    const std::string words = fmt::format("\"{}\" is not a valid field", field);
    return result.out.find(words) != std::string::npos || result.err.find(words) != std::string::npos;
  });
}

constexpr std::string_view kSlice = "MIG-";

/// True if a word of CUDA_VISIBLE_DEVICES names this card or a slice of it: "3", "GPU-5ea1",
/// "MIG-GPU-5ea1.../1/0". A word of the form "MIG-c0ffee" does not name the card.
bool is_meant(std::string_view word, const Gpu& gpu) {
  if (const auto number = number_in<std::uint64_t>(word)) return gpu.index == *number;
  if (!word.starts_with(kSlice)) return word.starts_with("GPU-") && gpu.uuid.starts_with(word);
  const std::string_view card = word.substr(kSlice.size(), word.find('/') - kSlice.size());
  return gpu.is_split && (!card.starts_with("GPU-") || gpu.uuid == card);
}

base::CommandResult ask(const std::vector<std::string>& fields, std::chrono::milliseconds limit) {
  return base::run_bounded(
      {"nvidia-smi", fmt::format("--query-gpu={}", fmt::join(fields, ",")), "--format=csv,noheader,nounits"},
      limit, kMostOutputBytes);
}

}  // namespace

GpuSurvey read_gpus(std::string_view lines, const std::vector<std::string>& fields) {
  GpuSurvey survey;
  survey.is_installed = true;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = trimmed(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.empty() || line == "No devices were found") continue;
    if (auto gpu = read_gpu(line, fields)) {
      survey.gpus.push_back(std::move(*gpu));
    } else {
      survey.strange_lines.push_back(shown(line));
    }
  }
  return survey;
}

GpuSurvey survey_gpus(std::chrono::milliseconds limit) {
  std::vector<std::string> fields{"index",       "uuid",           "compute_cap",      "memory.total",
                                  "memory.used", "driver_version", "mig.mode.current", "name"};
  base::CommandResult result = ask(fields, limit);
  for (std::size_t i = 0; i < kMostOptionalFields && !result.is_good(); ++i) {
    const auto unknown = unknown_field(fields, result);
    if (unknown == fields.end()) break;
    fields.erase(unknown);
    result = ask(fields, limit);
  }
  if (result.end == base::CommandResult::End::missing) return {};
  GpuSurvey survey = read_gpus(result.out, fields);
  if (result.is_good()) return survey;
  // "No devices were found" is an answer, even if the exit status is a failure.
  const std::string words = first_words(result);
  if (words == "No devices were found" && survey.strange_lines.empty()) return survey;
  survey.problem = ending(result, limit);
  if (!words.empty() && survey.strange_lines.empty()) survey.problem += ": " + words;
  return survey;
}

std::vector<Gpu> visible_gpus(const std::vector<Gpu>& gpus, const char* visible_devices) {
  if (visible_devices == nullptr) return gpus;
  std::vector<Gpu> visible;
  std::string_view rest = visible_devices;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    const std::string_view word = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const auto found =
        std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return is_meant(word, gpu); });
    if (found == gpus.end()) break;
    visible.push_back(*found);
    if (word.starts_with(kSlice)) break;  // a process sees one slice only
  }
  return visible;
}

std::string numbers_of(const std::vector<Gpu>& gpus) {
  std::string text;
  for (std::size_t i = 0; i < gpus.size();) {
    std::size_t last = i;
    while (last + 1 < gpus.size() && gpus[last + 1].index == gpus[last].index + 1) ++last;
    text += text.empty() ? "" : ", ";
    text += last > i + 1 ? fmt::format("{} to {}", gpus[i].index, gpus[last].index)
                         : fmt::format("{}", gpus[i].index);
    if (last == i + 1) text += fmt::format(", {}", gpus[last].index);
    i = last + 1;
  }
  return text;
}

}  // namespace shardmill::doctor
