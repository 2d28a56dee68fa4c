#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/remote/url.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/units.hpp"
#include "cli/command.hpp"
#include "cli/commands/shared_options.hpp"
#include "cli/output/reports.hpp"
#include "cli/terminal/console.hpp"
#include "doctor/doctor.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr std::uint64_t kMostRanksHere = 1024;
constexpr std::uint64_t kMostWorkersHere = 1024;
constexpr std::uint64_t kMostPrefetched = 1024;
constexpr std::uint64_t kLargestBatchBytes = std::uint64_t{1} << 40;
constexpr double kLongestTimeout = 3600;
constexpr std::array kOnlyForTraining{"ranks", "measure", "workers", "prefetch", "batch-bytes",
                                      "need",  "supply",  "cpu",     "python",   "timeout"};

doctor::Job job_of(const CommandLine& line) {
  doctor::Job job;
  if (line.has("ranks")) job.ranks = number_of(line, "ranks", 1, kMostRanksHere);
  job.workers = number_of(line, "workers", 0, kMostWorkersHere);
  job.prefetch = number_of(line, "prefetch", 1, kMostPrefetched);
  job.batch_bytes = base::parse_size(line.text("batch-bytes"));
  if (job.batch_bytes == 0 || job.batch_bytes > kLargestBatchBytes)
    throw UsageError(fmt::format("--batch-bytes {} is out of range", printable(line.text("batch-bytes"))), {},
                     "give the size of one batch in memory, such as 40MB");
  job.on_cpu = line.has("cpu");
  if (line.has("need")) job.needed = times_real_time(line, "need");
  if (line.has("supply")) {
    if (!job.needed) throw UsageError("--supply has no effect without --need RATE");
    job.worker_speed = times_real_time(line, "supply");
  }
  if (job.needed && !job.worker_speed && line.operands().empty())
    throw UsageError("--need has no effect without shards", {},
                     "give a DIR with shards, or the speed of one loader worker with --supply RATE");
  return job;
}

std::chrono::milliseconds timeout_of(const CommandLine& line) {
  const double seconds = base::parse_duration_seconds(line.text("timeout"));
  if (!(seconds > 0) || seconds > kLongestTimeout)
    throw UsageError(fmt::format("--timeout {} is out of range", printable(line.text("timeout"))), {},
                     "give more than 0 and at most 1h");
  return std::chrono::milliseconds(std::max(1LL, std::llround(seconds * 1000)));
}

void add_machine_options(CommandLine& line) {
  line.group("Training")  //
      ("training",
       "check the machine for distributed training: GPUs, torch, shared memory, limits, cores, the shards in "
       "DIR")("ranks", po::value<std::string>()->value_name("N"),
              "ranks on this machine (default: one for each GPU)")  //
      ("workers,k", po::value<std::string>()->value_name("K")->default_value("4"),
       "loader workers of each rank (DataLoader's num_workers)")  //
      ("prefetch", po::value<std::string>()->value_name("P")->default_value("2"),
       "batches that each worker prepares in advance (DataLoader's prefetch_factor)")  //
      ("batch-bytes", po::value<std::string>()->value_name("SIZE")->default_value("40MB"),
       "size of a batch in memory: 10 minutes of 16 kHz audio as 32-bit floats are 40 MB, their 80 mel bands "
       "19 MB")("need", po::value<std::string>()->value_name("RATE"),
                "audio that the trainer of one rank consumes, in times real time: 400x is 400 s of audio a "
                "second")  //
      ("supply", po::value<std::string>()->value_name("RATE"),
       "audio that one loader worker delivers (default: the speed of decoding alone, measured on DIR)")(
          "cpu", "train on the CPU: a missing GPU is not a finding")  //
      ("measure",
       "run a loader on the shards in DIR for some seconds, in the Python that trains; ranks --supply takes "
       "the --json of it")("python", po::value<std::string>()->value_name("PROGRAM"),
                           "the Python that trains (default: python3 or python on the PATH)")  //
      ("timeout", po::value<std::string>()->value_name("TIME")->default_value("60s"),
       "how long to wait for an answer of nvidia-smi and of Python");
  line.group("Machines")  //
      ("compare", "compare the machines of a job: FILEs that --training --json wrote, one on each machine");
}

void check_training_options(const CommandLine& line) {
  if (line.has("training") && line.has("compare"))
    throw UsageError("--training checks this machine, --compare compares files", {}, "give one of them");
  if (line.has("training")) return;
  for (const char* const option : kOnlyForTraining) {
    if (line.was_given(option))
      throw UsageError(fmt::format("--{} has no effect without --training", option));
  }
}

int run_training_doctor(const CommandLine& line) {
  CommonOptions common = line.common();
  if (common.progress == ProgressMode::automatic) common.progress = ProgressMode::none;  // seconds only
  doctor::TrainingDoctorOptions options{.folder = {}, .python = {}, .job = job_of(line), .patience = {}};
  options.patience.answer = timeout_of(line);
  options.measures_loaders = line.has("measure");
  if (options.measures_loaders && line.operands().empty())
    throw UsageError("--measure has no effect without shards", {}, "give a DIR with shards");
  options.python = line.optional_text("python").value_or("");
  if (line.has("python") && options.python.empty()) throw UsageError("--python is empty");
  if (!line.operands().empty()) options.folder = line.operands().front();
  if (!line.operands().empty() && options.folder.empty()) throw UsageError("DIR is empty");
  Console console("doctor", common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const auto summary = doctor::run_training_doctor(options, workers, console);
  console.end_progress();
  if (common.json) {
    fmt::print("{}\n", doctor::to_json(summary.node, summary.remarks));
  } else if (!common.quiet || !summary.is_good()) {
    fmt::print("{}", training_as_text(summary));
  }
  return summary.is_good() ? kExitDone : kExitFailed;
}

int run_doctor_comparison(const CommandLine& line) {
  const CommonOptions common = line.common();
  std::vector<std::string> files = line.operands();
  if (files.size() < 2)
    throw UsageError("--compare needs the files of two machines or more", {},
                     "write each with shardmill doctor --training --json > FILE");
  std::sort(files.begin(), files.end());
  if (const auto twice = std::adjacent_find(files.begin(), files.end()); twice != files.end())
    throw UsageError("is given twice", at(*twice));
  const doctor::Comparison comparison = doctor::run_doctor_comparison(line.operands());
  const bool is_good = !differs(comparison);
  if (common.json) {
    fmt::print("{}\n", comparison_as_json(comparison));
  } else if (!common.quiet || !is_good) {
    fmt::print("{}", comparison_as_text(comparison));
  }
  return is_good ? kExitDone : kExitFailed;
}

constexpr CommandText kDoctorText{
    .name = "doctor",
    .summary = "check the machine, a folder and the libraries for problems",
    .operands = "[DIR | ADDRESS] | --training [DIR] | --compare FILE FILE...",
    .about =
        R"(Checks this machine for a run that writes to DIR (default: the working folder): the CPU and the cores
that may be used, memory, the filesystem and its speed, the speed of each decoder, and versions. In DIR
it writes a scratch file of at most 256 MiB. Anything that makes a run fail or unsafe is a problem, and
then the exit code is 1.
At s3://BUCKET/PREFIX it tries whether objects can be listed, read, written and removed, by objects of its
own that it removes again, and how fast; at http:// and https:// how a file is read.
With --training it checks the machine for distributed training instead: GPUs (with nvidia-smi), torch,
CUDA and NCCL, /dev/shm, limits, cores, and the speed of the disk with the shards in DIR. Each finding
says what will happen in training and what to do; with any finding the exit code is 1.
--compare shows which machine of a job differs from the others.)",
    .example =
        "  shardmill doctor /data/mixed\n"
        "  shardmill doctor s3://bucket/mixed\n"
        "  shardmill doctor --training mixed --ranks 8 --workers 4 --need 400x\n"
        "  shardmill doctor --training mixed --json > node1.json\n"
        "  shardmill doctor --compare node1.json node2.json node3.json",
    .first = "training ranks workers need compare"};

void write_machine(base::JsonWriter& json, const base::Machine& machine) {
  json.key("machine").begin_object().member("host", machine.host).member("system", machine.system);
  json.member("cpu", machine.cpu).member("cores", machine.cores);
  json.member("affinity_cores", machine.affinity_cores).key("cgroup_quota_cores");
  if (machine.cpu_quota) {
    json.value(*machine.cpu_quota);
  } else {
    json.null();
  }
  json.member("usable_cores", machine.usable_cores).member("memory_bytes", machine.memory_bytes);
  json.member("available_bytes", machine.available_bytes).key("cgroup_memory_limit_bytes");
  if (machine.memory_limit_bytes) {
    json.value(*machine.memory_limit_bytes);
  } else {
    json.null();
  }
  json.member("open_files", machine.open_files).end_object();
}

void write_folder(base::JsonWriter& json, const doctor::DoctorSummary& summary) {
  const base::Filesystem& filesystem = summary.filesystem;
  json.key("folder").begin_object().member("path", summary.folder);
  json.member("filesystem", filesystem.mount.kind).member("mount_point", filesystem.mount.point);
  json.member("mount_options", filesystem.mount.options).member("total_bytes", filesystem.total_bytes);
  json.member("free_bytes", filesystem.free_bytes).member("writable", summary.check.problem.empty());
  json.member("locks", summary.check.locks).member("rename_replaces", summary.check.replaces);
  json.member("tried_bytes", summary.check.tried_bytes);
  json.member("write_bytes_per_second", summary.check.write_bytes_per_second);
  json.member("read_bytes_per_second", summary.check.read_bytes_per_second).end_object();
}

void write_lines(base::JsonWriter& json, std::string_view name, const std::vector<std::string>& lines) {
  json.key(name).begin_array();
  for (const std::string& line : lines) json.value(line);
  json.end_array();
}

std::string as_json(const doctor::DoctorSummary& summary) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::indented);
  json.begin_object();
  write_machine(json, summary.machine);
  write_folder(json, summary);
  json.key("vector_path").begin_object().member("chosen", summary.vector_path);
  write_lines(json, "available", summary.vector_paths);
  json.end_object().member("threads", summary.threads).key("decoding").begin_object();
  for (const codec::DecodeSpeed& speed : summary.decoding) {
    json.key(codec::name(speed.codec)).begin_object();
    json.member("bytes_per_second_a_core", speed.bytes_per_second);
    json.member("library_bytes_per_second_a_core", speed.library_bytes_per_second).end_object();
  }
  json.end_object().key("versions").begin_object();
  for (const auto& [name, version] : summary.versions) json.member(name, version);
  json.end_object().key("not_built_in").begin_array();
  for (const auto& [name, cost] : summary.not_built_in) json.value(name);
  json.end_array();
  write_lines(json, "problems", summary.problems);
  write_lines(json, "notes", summary.notes);
  json.end_object();
  return text;
}

std::string machine_text(const base::Machine& machine) {
  std::string text = fmt::format("machine\n  system       {} on {}\n  CPU          {}\n", machine.system,
                                 machine.host, machine.cpu.empty() ? "unknown" : machine.cpu);
  text += fmt::format("  cores        {}, usable: {}", machine.cores, machine.usable_cores);
  if (machine.affinity_cores < machine.cores)
    text += fmt::format("; the affinity mask allows {}", machine.affinity_cores);
  if (machine.cpu_quota) text += fmt::format("; the control group's quota is {:.4g}", *machine.cpu_quota);
  text += fmt::format("\n  memory       {}, {} available", base::format_size(machine.memory_bytes),
                      base::format_size(machine.available_bytes));
  if (machine.memory_limit_bytes)
    text += fmt::format("; the control group's limit is {}", base::format_size(*machine.memory_limit_bytes));
  return text + fmt::format("\n  open files   {} at most\n", base::format_count(machine.open_files));
}

std::string folder_text(const doctor::DoctorSummary& summary) {
  const base::Filesystem& filesystem = summary.filesystem;
  const doctor::FolderCheck& check = summary.check;
  std::string text =
      fmt::format("\nfolder {}\n  filesystem   {}{}{}\n", printable(summary.folder), filesystem.mount.kind,
                  filesystem.mount.point.empty() ? "" : ", mounted on ", printable(filesystem.mount.point));
  text += fmt::format("  space        {} free of {}\n", base::format_size(filesystem.free_bytes),
                      base::format_size(filesystem.total_bytes));
  if (!check.problem.empty()) return text;
  text += fmt::format("  locks        {}\n  renames      {}\n", check.locks ? "work" : "have no effect",
                      check.replaces ? "replace files" : "do not replace files");
  if (check.tried_bytes == 0) return text;
  return text + fmt::format("  speed        writes {}, reads {} ({} tried)\n",
                            base::format_rate(check.write_bytes_per_second),
                            base::format_rate(check.read_bytes_per_second),
                            base::format_size(check.tried_bytes));
}

std::string decoding_text(const doctor::DoctorSummary& summary) {
  std::string text = fmt::format(
      "\ndecoding speed of one core, with {} busy\n                   shardmill          library\n",
      summary.threads);
  for (const codec::DecodeSpeed& speed : summary.decoding) {
    text += fmt::format("  {:<12} {:>16} {:>16}\n", codec::name(speed.codec),
                        base::format_rate(speed.bytes_per_second),
                        base::format_rate(speed.library_bytes_per_second));
  }
  std::string others;
  for (const std::string& path : summary.vector_paths) {
    if (path != summary.vector_path) others += fmt::format("{}{}", others.empty() ? "" : ", ", path);
  }
  text += fmt::format("  bzip2 uses   {}", summary.vector_path);
  return text + (others.empty() ? "\n" : fmt::format("; this CPU also runs {}\n", others));
}

std::string as_text(const doctor::DoctorSummary& summary) {
  std::string text = machine_text(summary.machine) + folder_text(summary) + decoding_text(summary);
  text += "\nversions\n";
  for (const auto& [name, version] : summary.versions) text += fmt::format("  {:<22} {}\n", name, version);
  for (const auto& [name, cost] : summary.not_built_in)
    text += fmt::format("  {:<22} not built in: {}\n", name, cost);
  text += '\n';
  for (const std::string& problem : summary.problems) text += fmt::format("problem: {}\n", problem);
  for (const std::string& note : summary.notes) text += fmt::format("note: {}\n", note);
  if (summary.problems.empty()) text += "no problems found\n";
  return text;
}

/// Prints the summary; returns the exit code.
template <typename Summary>
int tell(const Summary& summary, const CommonOptions& common, std::string (*as_json)(const Summary&),
         std::string (*as_text)(const Summary&)) {
  const bool good = summary.problems.empty();
  if (common.json) {
    fmt::print("{}\n", as_json(summary));
  } else if (!common.quiet || !good) {
    fmt::print("{}", as_text(summary));
  }
  return good ? kExitDone : kExitFailed;
}

int run_doctor(const CommandLine& line) {
  check_training_options(line);
  if (line.has("compare")) return run_doctor_comparison(line);
  if (line.operands().size() > 1) throw UsageError("doctor takes one DIR", {}, "see shardmill doctor --help");
  if (line.has("training")) return run_training_doctor(line);
  CommonOptions common = line.common();
  if (common.progress == ProgressMode::automatic) common.progress = ProgressMode::none;  // seconds only
  if (!line.operands().empty() && base::is_remote(line.operands().front())) {
    Console console(kDoctorText.name, common);
    const auto summary = doctor::run_remote_doctor(line.operands().front(), console);
    console.end_progress();
    return tell(summary, common, remote_doctor_json, remote_doctor_text);
  }
  doctor::DoctorOptions options{.libraries = library_versions()};
  if (!line.operands().empty()) options.folder = line.operands().front();
  Console console(kDoctorText.name, common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const auto summary = doctor::run_doctor(options, workers, console);
  console.end_progress();
  return tell(summary, common, as_json, as_text);
}

}  // namespace

Command doctor_command() {
  return {.text = kDoctorText, .add_options = add_machine_options, .run = run_doctor};
}

}  // namespace shardmill::cli
