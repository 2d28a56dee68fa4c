#include "shardmill/pipeline/survey.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "shardmill/pipeline/measure.hpp"

namespace shardmill::pipeline {

namespace {

constexpr std::size_t kSamplesEnough = 64;  // a file
constexpr std::uint64_t kPlainBytesEnough = 12 << 20;

/// What was seen of a dataset.
struct Glance {
  double compressed_bytes = 0;  // of the units read
  double plain_bytes = 0;
  double sample_tar_bytes = 0;  // of the whole samples among them
  double samples = 0;
  double seconds = 0;
};

std::uint64_t end_of(const shard::GroupedSample& sample) {
  const Member& last = sample.sample.members.back();
  return last.tar_offset + last.bytes.size();
}

/// A damaged or strange file only makes the glance shorter.
void glance_at(const DatasetInput& dataset, std::size_t file, const IntakeOptions& options,
               base::Reporter& reporter, Glance& glance) {
  SourceReader reader(dataset.files[file].path, reporter);
  SourceParser parser(options.key_rule);
  double samples = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t sample_end = 0;
  for (bool more = true; more && (samples < kSamplesEnough && plain_bytes < kPlainBytesEnough);) {
    reporter.check_stop();
    Unit unit = reader.next();
    if (unit.piece) unit.piece->prepare();
    for (SourceItem& item : parser.parse(unit)) {
      auto* sample = std::get_if<shard::GroupedSample>(&item);
      if (sample == nullptr) continue;
      sample_end = end_of(*sample);
      const Measured measured = measure(std::move(*sample), Origin{}, options);
      if (const auto* utterance = std::get_if<Utterance>(&measured.outcome)) {
        samples += 1;
        glance.seconds += utterance->record.duration_seconds;
      }
    }
    plain_bytes = parser.offset();
    glance.compressed_bytes += static_cast<double>(unit.compressed_bytes);
    more = !unit.last && !unit.damage;
  }
  glance.samples += samples;
  glance.plain_bytes += static_cast<double>(plain_bytes);
  glance.sample_tar_bytes += static_cast<double>(sample_end);
}

std::uint64_t scaled(double value, double factor) {
  return static_cast<std::uint64_t>(std::llround(value * factor));
}

deal::InputEstimate estimate(const DatasetInput& dataset, const Glance& glance) {
  deal::InputEstimate estimate;
  if (glance.compressed_bytes <= 0 || glance.sample_tar_bytes <= 0) return estimate;
  const double plain = static_cast<double>(dataset.bytes()) * glance.plain_bytes / glance.compressed_bytes;
  const double factor = plain / glance.sample_tar_bytes * dataset.weight;
  estimate.samples = scaled(glance.samples, factor);
  estimate.seconds = scaled(glance.seconds, factor);
  estimate.bytes = scaled(plain, dataset.weight);
  return estimate;
}

}  // namespace

std::vector<deal::InputEstimate> survey(const std::vector<DatasetInput>& datasets,
                                        const IntakeOptions& options, base::Reporter& reporter) {
  std::vector<deal::InputEstimate> estimates;
  for (const DatasetInput& dataset : datasets) {
    Glance glance;
    const std::size_t last = dataset.files.size() - 1;
    std::array<std::size_t, 3> files{0, last / 2, last};
    const auto end = std::unique(files.begin(), files.end());
    for (auto file = files.begin(); file != end; ++file) {
      try {
        glance_at(dataset, *file, options, reporter, glance);
      } catch (const base::Interrupted&) {
        throw;
      } catch (const Error&) {
        // Reported when the file's turn comes.
      }
    }
    estimates.push_back(estimate(dataset, glance));
  }
  return estimates;
}

deal::InputEstimate sum(const std::vector<deal::InputEstimate>& estimates) {
  deal::InputEstimate total;
  for (const deal::InputEstimate& each : estimates) {
    total.samples += each.samples;
    total.seconds += each.seconds;
    total.bytes += each.bytes;
  }
  return total;
}

}  // namespace shardmill::pipeline
