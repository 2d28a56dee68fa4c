#include "doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "audio/ffmpeg.hpp"
#include "base/system/vector_path.hpp"
#include "base/text/units.hpp"
#include "dataset/environment.hpp"
#include "ranks/shards.hpp"
#include "ranks/supply.hpp"
#include "source/source_set.hpp"

namespace shardmill::doctor {

namespace {

constexpr std::array kMeasured{codec::Codec::bzip2, codec::Codec::gzip, codec::Codec::xz, codec::Codec::zstd,
                               codec::Codec::lz4};
constexpr double kDecodeSeconds = 0.25;  // for each codec
constexpr double kWriteSeconds = 1;
constexpr std::uint64_t kMostScratchBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kLittleRoomBytes = std::uint64_t{1} << 30;
// The memory of a run in addition to --memory.
constexpr std::uint64_t kBesideInFlightBytes = std::uint64_t{512} << 20;
constexpr std::uint64_t kFewOpenFiles = 4096;
constexpr double kLoaderSeconds = 3;  // for each reader and codec

void judge_folder(DoctorSummary& summary) {
  const FolderCheck& check = summary.check;
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
    summary.notes.push_back(fmt::format(
        "{} of memory may be too little for runs with {} in flight: shardmill repack --memory takes less",
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
  if (const std::string& ffmpeg = audio::ffmpeg_version(); !ffmpeg.empty()) {
    summary.versions.emplace_back("ffmpeg", ffmpeg);
  } else {
    summary.notes.push_back("the program ffmpeg: " + audio::why_no_ffmpeg() +
                            "; m4a, AAC, webm, wma, amr and videos cannot be read");
  }
  summary.not_built_in = dataset::not_built_in();
  reporter.phase("measuring the disk");
  summary.check = check_folder(options.folder, std::min(kMostScratchBytes, summary.filesystem.free_bytes / 4),
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

namespace {

void judge_bucket(RemoteDoctorSummary& summary) {
  const base::RemoteProbe& probe = summary.probe;
  if (!probe.writes.problem.empty())
    summary.problems.push_back(probe.writes.problem + "; a bucket that is only read need not be written to");
  for (const base::Trial* const trial : {&probe.lists, &probe.writes_parts, &probe.removes}) {
    if (!trial->problem.empty()) summary.problems.push_back(trial->problem);
  }
  for (const std::string& left : probe.left)
    summary.problems.push_back(fmt::format("{} was left there: remove it", left));
  if (!probe.writes_parts.works) return;
  if (!probe.honours_conditions) {
    summary.notes.emplace_back(
        "the server does not honour If-None-Match: see to it that no two runs write to the same place");
  }
  if (!probe.keeps_crc64) {
    summary.notes.emplace_back(
        "the server keeps no CRC-64/NVME: shardmill verify compares the tags of the files there");
  }
}

}  // namespace

RemoteDoctorSummary run_remote_doctor(const std::string& address, base::Reporter& reporter) {
  constexpr double kSeconds = 2;  // for each direction
  reporter.phase("asking the server");
  RemoteDoctorSummary summary{.probe = base::probe_remote(address, kSeconds), .problems = {}, .notes = {}};
  const base::RemoteProbe& probe = summary.probe;
  if (probe.is_bucket) judge_bucket(summary);
  if (!probe.reads.problem.empty()) summary.problems.push_back(probe.reads.problem);
  if (!probe.reads.works || probe.file_bytes == 0) return summary;
  if (!probe.has_ranges)
    summary.notes.emplace_back("the server knows no ranges: files of more than 64 MiB cannot be read there");
  if (!probe.has_version) {
    summary.notes.emplace_back(
        "the server names no version of a file: one that changes is noticed by its size only");
  } else if (!probe.keeps_versions) {
    summary.notes.emplace_back(
        "the server does not honour If-Match: a file that changes is noticed by its new tag or time");
  }
  return summary;
}

namespace {

/// The shards that are tried: of a folder without records, one.
ranks::RankShards tried_shards(const std::string& folder, pipeline::Workers& workers,
                               base::Reporter& reporter) {
  std::string target = folder;
  if (!ranks::is_dataset(folder)) {
    const auto found = source::find_sources({folder}, {.corpora = false});
    const auto& files = found.datasets.front().files;
    target = files[files.size() / 2].path;
  }
  return ranks::find_rank_shards({target}, {}, workers, reporter);
}

/// The speed of a loader worker on these shards, decoding alone. Nullopt if there is no audio to try.
std::optional<double> decoding_speed(const ranks::RankShards& shards, double needed,
                                     pipeline::Workers& workers, base::Reporter& reporter) {
  const ranks::LoaderSupply supply = ranks::measured_supply(shards, needed, workers, reporter);
  const auto used =
      std::find_if(supply.ways.begin(), supply.ways.end(), [](const auto& way) { return way.is_used; });
  if (used == supply.ways.end() || used->worker_speed <= 0) return std::nullopt;
  return used->worker_speed;
}

void measure_loaders(const TrainingDoctorOptions& options, const ranks::RankShards& shards, Node& node,
                     base::Reporter& reporter) {
  if (!node.python.is_found) throw Error("no Python was found that could read shards");
  reporter.phase("running loaders");
  const std::string& python = node.python.asked_for;
  node.loaders = survey_loaders(python, shards.shards, shards.is_dataset ? options.folder : std::string(),
                                kLoaderSeconds, options.patience.answer);
  if (!node.loaders->problem.empty())
    throw Error(fmt::format("loaders cannot be measured with {}: {}", python, node.loaders->problem));
}

/// Takes the speed that workers are judged by, unless the user gave one.
void settle_speed(const ranks::RankShards& shards, Node& node, pipeline::Workers& workers,
                  base::Reporter& reporter) {
  Job& job = node.job;
  if (!job.needed || job.worker_speed) return;
  const std::string codec(codec::name(shards.shards.front().codec));
  for (const LoaderTrial& trial : node.loaders ? node.loaders->trials : std::vector<LoaderTrial>{}) {
    if (job.worker_speed || !trial.is_good() || trial.codec != codec) continue;
    job.worker_speed = trial.speed();
    job.speed_basis = trial.reader;
  }
  if (!job.worker_speed) {
    job.worker_speed = decoding_speed(shards, *job.needed, workers, reporter);
    job.speed_basis = "decoding alone";
  }
  job.is_speed_measured = job.worker_speed.has_value();
}

}  // namespace

bool TrainingDoctorSummary::is_good() const {
  return std::none_of(remarks.begin(), remarks.end(), [](const auto& remark) { return remark.is_finding; });
}

TrainingDoctorSummary run_training_doctor(const TrainingDoctorOptions& options, pipeline::Workers& workers,
                                          base::Reporter& reporter) {
  TrainingDoctorSummary summary;
  Node& node = summary.node;
  node = survey_node(options.job, options.python, options.folder, options.patience, reporter);
  const bool needs_speed = node.job.needed && !node.job.worker_speed;
  if (node.shards && node.shards->problem.empty() && (needs_speed || options.measures_loaders)) {
    const ranks::RankShards shards = tried_shards(options.folder, workers, reporter);
    if (options.measures_loaders) measure_loaders(options, shards, node, reporter);
    settle_speed(shards, node, workers, reporter);
  }
  summary.remarks = judge(node);
  return summary;
}

Comparison run_doctor_comparison(const std::vector<std::string>& files) {
  std::vector<NodeRecord> records;
  for (const std::string& file : files) records.push_back(read_node_record(file));
  return compare(records);
}

}  // namespace shardmill::doctor
