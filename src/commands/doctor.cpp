#include "commands/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/system/vector_path.hpp"
#include "base/text/units.hpp"
#include "dataset/environment.hpp"

namespace shardmill::commands {

namespace {

constexpr std::array kMeasured{codec::Codec::bzip2, codec::Codec::gzip, codec::Codec::xz, codec::Codec::zstd,
                               codec::Codec::lz4};
constexpr double kDecodeSeconds = 0.25;  // for each codec
constexpr double kWriteSeconds = 1;
constexpr std::uint64_t kMostScratchBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kLittleRoomBytes = std::uint64_t{1} << 30;
// What a run takes in addition to --memory.
constexpr std::uint64_t kBesideInFlightBytes = std::uint64_t{512} << 20;
constexpr std::uint64_t kFewOpenFiles = 4096;

void judge_folder(DoctorSummary& summary) {
  const check::FolderCheck& check = summary.check;
  if (!check.problem.empty()) {
    summary.problems.push_back(fmt::format("nothing can be written there: {}", check.problem));
    return;
  }
  if (!check.locks)
    summary.problems.push_back("locks do nothing there: two runs could write into one dataset at once");
  if (!check.replaces)
    summary.problems.push_back("a rename does not replace a file there: no dataset can be published safely");
  if (summary.filesystem.free_bytes < kLittleRoomBytes) {
    summary.notes.push_back(
        fmt::format("only {} are free there", base::format_size(summary.filesystem.free_bytes)));
  }
  if (const auto peculiar = base::peculiarity(summary.filesystem.mount)) summary.notes.push_back(*peculiar);
}

void judge_machine(std::uint64_t memory_in_flight, DoctorSummary& summary) {
  const base::Machine& machine = summary.machine;
  const std::uint64_t memory = std::min(machine.memory_bytes, machine.memory_limit_bytes.value_or(~0ULL));
  if (memory < memory_in_flight + kBesideInFlightBytes) {
    summary.notes.push_back(fmt::format("{} of memory may be too little for --memory {}: give less",
                                        base::format_size(memory), base::format_size(memory_in_flight)));
  }
  if (machine.open_files < kFewOpenFiles) {
    summary.notes.push_back(
        fmt::format("only {} files may be open: a run with more shards than that is slower (ulimit -n)",
                    base::format_count(machine.open_files)));
  }
  if (summary.vector_path != summary.vector_paths.front()) {
    summary.notes.push_back(fmt::format("SHARDMILL_VECTOR_PATH asks for {}, {} would be faster",
                                        summary.vector_path, summary.vector_paths.front()));
  }
}

codec::DecodeSpeed decode_on_all(codec::Codec codec, pipeline::Workers& workers) {
  std::vector<codec::DecodeSpeed> speeds(workers.threads());
  workers.for_each(speeds.size(),
                   [&](std::size_t i) { speeds[i] = codec::decode_speed(codec, kDecodeSeconds); });
  codec::DecodeSpeed mean{.codec = codec};
  for (const codec::DecodeSpeed& speed : speeds) {
    mean.bytes_per_second += speed.bytes_per_second / static_cast<double>(speeds.size());
    mean.library_bytes_per_second += speed.library_bytes_per_second / static_cast<double>(speeds.size());
  }
  return mean;
}

}  // namespace

DoctorSummary run_doctor(const DoctorOptions& options, pipeline::Workers& workers, base::Reporter& reporter) {
  DoctorSummary summary;
  summary.machine = base::machine();
  summary.folder = options.folder;
  summary.filesystem = base::filesystem_of(options.folder);
  summary.vector_path = base::name(base::chosen_vector_path());
  for (const base::VectorPath path : base::available_vector_paths())
    summary.vector_paths.emplace_back(base::name(path));
  summary.versions = dataset::all_versions(options.libraries);
  summary.not_built_in = dataset::not_built_in();
  reporter.phase("measuring the disk");
  summary.check =
      check::check_folder(options.folder, std::min(kMostScratchBytes, summary.filesystem.free_bytes / 4),
                          kWriteSeconds, reporter);
  reporter.phase("measuring the codecs");
  summary.threads = workers.threads();
  for (const codec::Codec codec : kMeasured) {
    reporter.check_stop();
    summary.decoding.push_back(decode_on_all(codec, workers));
  }
  judge_folder(summary);
  judge_machine(workers.memory_bytes(), summary);
  return summary;
}

}  // namespace shardmill::commands
