#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/system/command.hpp"
#include "base/text/json_reader.hpp"
#include "doctor/node.hpp"

namespace shardmill::doctor {

namespace {

constexpr std::uint64_t kMostPythonBytes = std::uint64_t{4} << 20;
constexpr std::string_view kAnswer = "shardmill asked: ";
constexpr std::size_t kLongestProblem = 300;

// Does not import from the working folder, where a file json.py would replace Python's own.
constexpr const char* kScript = R"(
import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]
import json, multiprocessing, warnings
facts = {"executable": sys.executable or "", "version": sys.version.split()[0],
         "start_method": multiprocessing.get_start_method()}
def ask(name, question):
    try:
        facts[name] = question()
    except BaseException:
        pass
def nccl():
    version = torch.cuda.nccl.version()
    if isinstance(version, int):
        unit = 1000 if version < 10000 else 10000
        version = (version // unit, version % unit // 100, version % 100)
    return ".".join(map(str, version))
try:
    import torch
    facts["torch"] = str(torch.__version__)
except ModuleNotFoundError as error:
    if error.name != "torch":
        facts["problem"] = f"{type(error).__name__}: {error}"
except BaseException as error:
    facts["problem"] = f"{type(error).__name__}: {error}"
else:
    ask("cuda", lambda: torch.version.cuda)
    ask("hip", lambda: torch.version.hip)
    ask("nccl", nccl)
    ask("sharing", lambda: torch.multiprocessing.get_sharing_strategy())
    ask("nccl_backend", lambda: torch.distributed.is_available() and torch.distributed.is_nccl_available())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask("sees_cuda", lambda: torch.cuda.is_available())
        ask("devices", lambda: torch.cuda.device_count())
        ask("kernels", lambda: torch.cuda.get_arch_list())
    if caught:
        facts["cuda_warning"] = str(caught[0].message)
print("\nshardmill asked: " + json.dumps(facts), flush=True)
)";

std::string text_of(const base::JsonValue& facts, std::string_view name) {
  const auto value = facts.find(name);
  return value && !value->is_null() ? std::string(value->text()) : std::string();
}

bool truth_of(const base::JsonValue& facts, std::string_view name) {
  const auto value = facts.find(name);
  return value && value->line() == "true";
}

std::string shortened(std::string text) {
  if (text.size() > kLongestProblem) text.resize(kLongestProblem);
  return printable(text);
}

PythonSurvey read_facts(std::string_view json) {
  base::JsonParser parser;
  const base::JsonValue facts = parser.parse(json);
  PythonSurvey survey;
  survey.is_found = true;
  survey.executable = text_of(facts, "executable");
  survey.version = text_of(facts, "version");
  survey.start_method = text_of(facts, "start_method");
  survey.torch = text_of(facts, "torch");
  survey.cuda = text_of(facts, "cuda");
  survey.hip = text_of(facts, "hip");
  survey.nccl = text_of(facts, "nccl");
  survey.sharing = text_of(facts, "sharing");
  survey.problem = shortened(text_of(facts, "problem"));
  survey.cuda_warning = shortened(text_of(facts, "cuda_warning"));
  survey.has_nccl_backend = truth_of(facts, "nccl_backend");
  survey.sees_cuda = truth_of(facts, "sees_cuda");
  if (const auto devices = facts.find("devices")) survey.devices = devices->unsigned_integer(1 << 20);
  if (const auto kernels = facts.find("kernels")) {
    for (const base::JsonValue& kernel : kernels->elements()) survey.kernels.emplace_back(kernel.text());
  }
  return survey;
}

/// The last line that Python wrote to its standard error: of a traceback, it names the error.
std::string last_words(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  const auto begin = text.rfind('\n');
  return shortened(std::string(begin == std::string_view::npos ? text : text.substr(begin + 1)));
}

PythonSurvey ask_python(const std::string& command, std::chrono::milliseconds limit) {
  const base::CommandResult result = base::run_bounded({command, "-c", kScript}, limit, kMostPythonBytes);
  PythonSurvey survey;
  if (result.is_good()) {
    survey = read_python(result.out);
  } else {
    survey.problem = ending(result, limit);
    survey.is_out_of_time = result.end == base::CommandResult::End::out_of_time;
    survey.is_found = result.end != base::CommandResult::End::missing;
    if (const std::string words = last_words(result.err); !words.empty()) survey.problem += ": " + words;
  }
  survey.asked_for = command;
  return survey;
}

/// "sm_90" -> {"sm", 9, 0}; the last digit is the minor version.
struct Kernel {
  std::string_view kind;
  unsigned major = 0;
  unsigned minor = 0;
};

std::optional<Kernel> kernel_of(std::string_view text) {
  const auto bar = text.find('_');
  if (bar == std::string_view::npos) return std::nullopt;
  unsigned number = 0;
  // A suffix, as in sm_90a, binds the kernel to that one capability; it still runs there.
  const auto [end, failure] = std::from_chars(text.data() + bar + 1, text.data() + text.size(), number);
  if (failure != std::errc{} || number < 10) return std::nullopt;
  return Kernel{.kind = text.substr(0, bar), .major = number / 10, .minor = number % 10};
}

}  // namespace

PythonSurvey read_python(std::string_view output) {
  const auto found = output.rfind(kAnswer);
  PythonSurvey nonsense;
  nonsense.is_found = true;
  nonsense.problem = "gave an answer that is not valid";
  if (found == std::string_view::npos) return nonsense;
  std::string_view line = output.substr(found + kAnswer.size());
  line = line.substr(0, line.find('\n'));
  try {
    return read_facts(line);
  } catch (const Error&) {
    return nonsense;
  }
}

PythonSurvey survey_python(const std::string& python, std::chrono::milliseconds limit) {
  if (!python.empty()) return ask_python(python, limit);
  PythonSurvey first = ask_python("python3", limit);
  if (!first.torch.empty() || !first.problem.empty()) {
    if (first.is_found) return first;
  }
  const PythonSurvey second = ask_python("python", limit);
  return !second.torch.empty() || !first.is_found ? second : first;
}

bool runs_on(const std::vector<std::string>& kernels, std::string_view compute_capability) {
  const auto point = compute_capability.find('.');
  if (point == std::string_view::npos) return true;
  const auto gpu = kernel_of(
      fmt::format("sm_{}{}", compute_capability.substr(0, point), compute_capability.substr(point + 1)));
  if (!gpu) return true;
  return std::any_of(kernels.begin(), kernels.end(), [&](const std::string& text) {
    const auto kernel = kernel_of(text);
    if (!kernel) return false;
    // Machine code runs on later minor versions; PTX is compiled for any later GPU.
    if (kernel->kind == "sm") return kernel->major == gpu->major && kernel->minor <= gpu->minor;
    return kernel->major < gpu->major || (kernel->major == gpu->major && kernel->minor <= gpu->minor);
  });
}

}  // namespace shardmill::doctor
