#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/folder.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/command.hpp"
#include "cli/commands/repack.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/output/reports.hpp"
#include "cli/output/shared_lines.hpp"
#include "cli/terminal/console.hpp"
#include "repack/bucket_home.hpp"
#include "repack/parts.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr const char* kCommand = "repack";

/// The options that a planned run still takes: they say how to work, not what to make.
const std::vector<std::string> kOwnOptions{"out",     "work",     "part",  "deal", "finish", "wait",
                                           "threads", "progress", "quiet", "json", "memory"};

void check_own_options(const CommandLine& line) {
  for (const std::string& option : line.given()) {
    if (std::find(kOwnOptions.begin(), kOwnOptions.end(), option) == kOwnOptions.end()) {
      throw UsageError(fmt::format("--{} was settled when the run was planned", option), {},
                       "leave it out here; to change it, plan again");
    }
  }
  const auto steps = static_cast<int>(line.has("part")) + static_cast<int>(line.has("deal")) +
                     static_cast<int>(line.has("finish"));
  if (steps > 1) throw UsageError("give one of --part, --deal and --finish");
  if (!line.has("out")) throw UsageError("--out DIR is missing", {}, "see shardmill repack --help");
}

std::uint32_t number_of(const std::string& text, std::string_view option) {
  const bool digits =
      !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) throw UsageError(fmt::format("{} {} is not a number", option, printable(text)));
  return static_cast<std::uint32_t>(std::stoul(text));
}

/// The part to do, and how its number is known.
struct ChosenPart {
  std::uint32_t number = 0;
  std::string origin{};  // "SGE_TASK_ID=3"; empty: it was given

  std::string name() const {
    return fmt::format("part {}{}", number, origin.empty() ? "" : fmt::format(" ({})", origin));
  }
};

/// The variable in which a scheduler gives each task of an array its number.
struct TaskVariable {
  const char* name;
  std::uint32_t first;         // the number of the first task
  const char* outside_arrays;  // its value in a job that is no array
};

constexpr std::array kTaskVariables{
    TaskVariable{"SLURM_ARRAY_TASK_ID", 0, ""},  // Slurm and PBS count from where the user wants
    TaskVariable{"PBS_ARRAY_INDEX", 0, ""},
    TaskVariable{"JOB_COMPLETION_INDEX", 0, ""},  // Kubernetes
    TaskVariable{"AWS_BATCH_JOB_ARRAY_INDEX", 0, ""},
    TaskVariable{"SGE_TASK_ID", 1, "undefined"},  // Grid Engine
    TaskVariable{"LSB_JOBINDEX", 1, "0"},         // LSF
};

std::string names_of_task_variables() {
  std::vector<std::string> names;
  for (const TaskVariable& variable : kTaskVariables) names.emplace_back(variable.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<ChosenPart> part_in(const TaskVariable& variable) {
  const char* found = std::getenv(variable.name);
  if (found == nullptr || *found == '\0' || std::string_view(found) == variable.outside_arrays) return {};
  const std::uint32_t number = number_of(found, variable.name);
  if (number < variable.first)
    throw UsageError(fmt::format("{}={} is not a task: tasks are numbered from {}", variable.name, number,
                                 variable.first));
  return ChosenPart{number - variable.first, fmt::format("{}={}", variable.name, number)};
}

ChosenPart part_of_this_task() {
  std::optional<ChosenPart> chosen;
  for (const TaskVariable& variable : kTaskVariables) {
    const std::optional<ChosenPart> found = part_in(variable);
    if (chosen && found && chosen->number != found->number) {
      throw UsageError(fmt::format("{} and {} ask for different parts", chosen->origin, found->origin), {},
                       "give --part I");
    }
    if (!chosen) chosen = found;
  }
  if (chosen) return *chosen;
  throw UsageError(fmt::format("--part says no number, and none of {} is set", names_of_task_variables()), {},
                   "give --part I");
}

/// "--part 3" reaches us as an option without a value and an operand.
ChosenPart chosen_part(const CommandLine& line) {
  std::string text = line.text("part");
  if (text.empty() && line.operands().size() == 1) {
    text = line.operands().front();
  } else if (!line.operands().empty()) {
    throw UsageError("the sources were settled when the run was planned", {}, "leave them out here");
  }
  if (text.empty()) return part_of_this_task();
  return {.number = number_of(text, "--part")};
}

int plan(const CommandLine& line) {
  const CommonOptions common = line.common();
  const repack::RepackOptions options = repack_options_of(line);
  if (options.dry_run) throw UsageError("--dry-run cannot be combined with --parts", {}, "leave out --parts");
  if (options.readers.are_given)
    throw UsageError("--ranks and --workers ask for advice, which --parts does not give", {},
                     "ask for it with --dry-run first, without --parts");
  const std::uint32_t parts = number_of(line.text("parts"), "--parts");
  if (parts == 0) throw UsageError("--parts must be at least 1");
  Console console(kCommand, common);
  const auto planned = repack::plan_parts(options, parts, console);
  console.end_progress();
  if (common.json) {
    std::string text;
    base::JsonWriter json(text, base::JsonWriter::Layout::indented);
    json.begin_object().member("outcome", planned.finished ? "already_there" : "planned");
    json.member("parts", planned.parts).member("shards", planned.shards).member("files", planned.files);
    json.member("input_bytes", planned.input_bytes).member("seconds", planned.seconds);
    write_limits(json, {}, options);
    json.end_object();
    fmt::print("{}\n", text);
  } else if (!common.quiet && planned.finished) {
    fmt::print("{} is complete already\n", options.out_folder);
  } else if (!common.quiet) {
    fmt::print("{}planned: {}, {}, in {}, for {}\n", planned.was_planned ? "already " : "",
               base::format_count(planned.files, "file"), base::format_size(planned.input_bytes),
               base::format_count(planned.parts, "part"), base::format_count(planned.shards, "shard"));
    fmt::print("next, for each I from 0 to {}: {}\n", planned.parts - 1,
               repack::command_of_part(options, "I"));
    fmt::print("then: {}\n", repack::command_of_finish(options));
    fmt::print("{}", limits_as_text({}, options));
  }
  return planned.finished ? verdict(*planned.finished, options, console) : kExitDone;
}

/// A planned run, with the options that were given when it was planned.
struct Planned {
  repack::PartPlan plan;
  repack::RepackOptions options;
};

std::string as_text(const repack::PartDone& done, const ChosenPart& part) {
  using What = repack::PartDone::What;
  switch (done.what) {
    case What::read:
      return fmt::format("{}: {} read from {} in {}{}\n", part.name(),
                         base::format_count(done.samples, "sample"), base::format_size(done.input_bytes),
                         base::format_elapsed(done.seconds),
                         done.resumed ? ", going on where it was stopped" : "");
    case What::completed:
      return fmt::format("{}: {} completed in {}\n", part.name(), base::format_count(done.shards, "shard"),
                         base::format_elapsed(done.seconds));
    case What::nothing:
      break;
  }
  return fmt::format("{} has nothing to do\n", part.name());
}

std::string as_json(const repack::PartDone& done, const ChosenPart& part) {
  using What = repack::PartDone::What;
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object().member("part", part.number);
  if (!part.origin.empty()) json.member("task", part.origin);
  json.member("outcome", done.what == What::read        ? "read"
                         : done.what == What::completed ? "completed"
                                                        : "nothing");
  json.member("samples", done.samples).member("input_bytes", done.input_bytes);
  json.member("shards", done.shards).member("resumed", done.resumed).member("seconds", done.seconds);
  json.end_object();
  return text;
}

void say(const CommonOptions& common, const std::string& text, const std::string& json) {
  if (common.json) {
    fmt::print("{}\n", json);
  } else if (!common.quiet) {
    fmt::print("{}", text);
  }
}

int say_complete(const CommonOptions& common, const repack::RepackSummary& summary,
                 const repack::RepackOptions& options, Console& console) {
  repack::RepackOptions shown = options;
  shown.out_folder = options.place();
  say(common, summary_as_text(summary, shown), summary_as_json(summary, shown));
  return verdict(summary, shown, console);
}

int go_on(const CommandLine& line, const CommonOptions& common, const Planned& run, Console& console) {
  pipeline::Workers workers(common.threads, common.memory_bytes, memory_bound(common));
  if (line.has("part")) {
    const ChosenPart part = chosen_part(line);
    const auto done = repack::run_part(run.options, run.plan, part.number, workers, console);
    console.end_progress();
    say(common, as_text(done, part), as_json(done, part));
    return kExitDone;
  }
  if (!line.operands().empty()) {
    throw UsageError("the sources were settled when the run was planned", {}, "leave them out here");
  }
  if (line.has("deal")) {
    repack::deal_parts(run.options, run.plan, console);
    console.end_progress();
    say(common, "dealt; each part can now complete its shards, before --finish\n",
        "{\n  \"outcome\": \"dealt\"\n}");
    return kExitDone;
  }
  const auto summary = repack::finish_parts(run.options, run.plan, workers, console);
  console.end_progress();
  return say_complete(common, summary, run.options, console);
}

}  // namespace

void add_parts_options(CommandLine& line) {
  line.group("Parts")  //
      ("parts", po::value<std::string>()->value_name("P"),
       "plan a run in P parts on several machines, with all other options, and do nothing yet")  //
      ("part", po::value<std::string>()->value_name("I")->implicit_value(""),
       "with --out (and --work): do part I, or continue it (default: the task of an array of Slurm, PBS, "
       "Kubernetes, AWS Batch, Grid Engine or LSF)")  //
      ("deal",
       "with --out (and --work), after all parts: deal the samples they kept, so that parts can complete "
       "their shards")  //
      ("finish", "with --out (and --work), after all parts: do everything that is left");
}

bool has_parts_options(const CommandLine& line) {
  return line.has("parts") || line.has("part") || line.has("deal") || line.has("finish");
}

int run_parts(const CommandLine& line) {
  if (line.has("parts")) return plan(line);
  check_own_options(line);
  const CommonOptions common = line.common();
  Console console(kCommand, common);
  repack::RepackOptions asked;
  asked.out_folder = base::absolute(line.text("out"));
  asked.work_folder = line.optional_text("work").value_or("");
  repack::RepackOptions options = repack::options_on_this_machine(asked);
  options.wait = line.has("wait");
  options.command = line.as_typed();
  if (const auto summary = repack::finished_already(options, console)) {
    console.end_progress();
    return say_complete(common, *summary, options, console);
  }
  if (const auto plan = repack::read_part_plan(options.place())) {
    Planned run{.plan = *plan, .options = repack::options_of(*plan, options)};
    set_ways_of_working(line, run.options);
    return go_on(line, common, run, console);
  }
  throw Error("holds no run that was planned in parts", at(options.place()),
              "plan one with shardmill repack SOURCE... --out DIR --parts P");
}

}  // namespace shardmill::cli
