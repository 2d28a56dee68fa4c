#include "cli/commands/training_doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/units.hpp"
#include "cli/command.hpp"
#include "cli/commands/number_options.hpp"
#include "cli/output/training_text.hpp"
#include "cli/terminal/console.hpp"

namespace shardmill::cli {

namespace po = boost::program_options;

namespace {

constexpr std::uint64_t kMostRanksHere = 1024;
constexpr std::uint64_t kMostWorkersHere = 1024;
constexpr std::uint64_t kMostPrefetched = 1024;
constexpr std::uint64_t kLargestBatchBytes = std::uint64_t{1} << 40;
constexpr double kLongestTimeout = 3600;
constexpr std::array kOnlyForTraining{"ranks",  "workers", "prefetch", "batch-bytes", "need",
                                      "supply", "cpu",     "python",   "timeout"};

training::Job job_of(const CommandLine& line) {
  training::Job job;
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

}  // namespace

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
      ("python", po::value<std::string>()->value_name("PROGRAM"),
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
  commands::TrainingDoctorOptions options{.folder = {}, .python = {}, .job = job_of(line), .patience = {}};
  options.patience.answer = timeout_of(line);
  options.python = line.optional_text("python").value_or("");
  if (line.has("python") && options.python.empty()) throw UsageError("--python is empty");
  if (!line.operands().empty()) options.folder = line.operands().front();
  if (!line.operands().empty() && options.folder.empty()) throw UsageError("DIR is empty");
  Console console("doctor", common);
  pipeline::Workers workers(common.threads, common.memory_bytes);
  const auto summary = commands::run_training_doctor(options, workers, console);
  console.end_progress();
  if (common.json) {
    fmt::print("{}\n", training::to_json(summary.node, summary.remarks));
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
  const training::Comparison comparison = commands::run_doctor_comparison(line.operands());
  const bool is_good = !differs(comparison);
  if (common.json) {
    fmt::print("{}\n", comparison_as_json(comparison));
  } else if (!common.quiet || !is_good) {
    fmt::print("{}", comparison_as_text(comparison));
  }
  return is_good ? kExitDone : kExitFailed;
}

}  // namespace shardmill::cli
