#include "commands/doctor_training.hpp"

#include <algorithm>

#include "ranks/shards.hpp"
#include "ranks/supply.hpp"
#include "source/source_set.hpp"

namespace shardmill::commands {

namespace {

/// What a loader worker delivers of these shards, decoding alone. Of shards that have no records, one is
/// tried; none: there is nothing to try.
std::optional<double> measured_speed(const std::string& folder, double needed, pipeline::Workers& workers,
                                     base::Reporter& reporter) {
  std::string target = folder;
  if (!ranks::is_dataset(folder)) {
    const auto found = source::find_sources({folder}, {.corpora = false});
    const auto& files = found.datasets.front().files;
    target = files[files.size() / 2].path;
  }
  const ranks::RankShards shards = ranks::find_rank_shards({target}, {}, workers, reporter);
  const ranks::LoaderSupply supply = ranks::measured_supply(shards, needed, workers, reporter);
  const auto used =
      std::find_if(supply.ways.begin(), supply.ways.end(), [](const auto& way) { return way.is_used; });
  if (used == supply.ways.end() || used->worker_speed <= 0) return std::nullopt;
  return used->worker_speed;
}

}  // namespace

bool TrainingDoctorSummary::is_good() const {
  return std::none_of(remarks.begin(), remarks.end(), [](const auto& remark) { return remark.is_finding; });
}

TrainingDoctorSummary run_training_doctor(const TrainingDoctorOptions& options, pipeline::Workers& workers,
                                          base::Reporter& reporter) {
  TrainingDoctorSummary summary;
  training::Node& node = summary.node;
  node = training::survey_node(options.job, options.python, options.folder, options.patience, reporter);
  if (node.job.needed && !node.job.worker_speed && node.shards && node.shards->problem.empty()) {
    node.job.worker_speed = measured_speed(options.folder, *node.job.needed, workers, reporter);
    node.job.is_speed_measured = node.job.worker_speed.has_value();
  }
  summary.remarks = training::judge(node);
  return summary;
}

training::Comparison run_doctor_comparison(const std::vector<std::string>& files) {
  std::vector<training::NodeRecord> records;
  for (const std::string& file : files) records.push_back(training::read_node_record(file));
  return training::compare(records);
}

}  // namespace shardmill::commands
