#include "pipeline/join_files.hpp"

#include <tbb/parallel_pipeline.h>

#include <optional>
#include <utility>

#include "base/hash/hash.hpp"
#include "base/hash/running_hash.hpp"
#include "base/io/folder.hpp"
#include "model/sample.hpp"
#include "pipeline/in_flight.hpp"

namespace shardmill::pipeline {

namespace {

constexpr std::size_t kStepBytes = 1 << 20;

struct Step {
  Bytes bytes;
  bool ends_file = false;
};

/// Gives the files step by step, at least one step a file.
class StepReader {
 public:
  explicit StepReader(const std::vector<std::string>& paths) : paths_(paths) {}

  std::shared_ptr<Step> next() {
    if (file_ == paths_.size()) return nullptr;
    auto step = std::make_shared<Step>();
    if (!open_ && base::exists(paths_[file_])) open_ = base::File::open_read(paths_[file_]);
    if (open_) {
      step->bytes.resize(kStepBytes);
      step->bytes.resize(open_->read(step->bytes));
    }
    step->ends_file = step->bytes.size() < kStepBytes;
    if (step->ends_file) {
      open_.reset();
      ++file_;
    }
    return step;
  }

 private:
  const std::vector<std::string>& paths_;
  std::size_t file_ = 0;
  std::optional<base::File> open_;
};

}  // namespace

JoinedFiles join_files(const std::vector<std::string>& paths, base::AtomicFile& all, Workers& workers,
                       base::Reporter& reporter) {
  JoinedFiles joined;
  StepReader reader(paths);
  InFlight<Step> in_flight;
  base::Sha256 hash;
  base::RunningHash quick;
  base::Sha256 hash_of_all;
  const auto read = [&](tbb::flow_control& flow) -> Step* {
    reporter.check_stop();
    if (auto step = reader.next()) return in_flight.add(std::move(step));
    flow.stop();
    return nullptr;
  };
  const auto hash_each = [&](Step* step) {
    hash.update(step->bytes);
    quick.update(step->bytes);
    if (step->ends_file) {
      joined.quick.push_back(std::exchange(quick, {}).digest());
      joined.sha256.push_back(base::to_hex(hash.digest()));
      hash = {};
    }
    return step;
  };
  const auto hash_all = [&](Step* step) {
    hash_of_all.update(step->bytes);
    return step;
  };
  const auto write = [&](Step* step) {
    all.write(step->bytes);
    in_flight.remove(step);
  };
  // Each keeps the order, and so has one thread at a time; together they have as many as there are stages.
  constexpr auto in_order = tbb::filter_mode::serial_in_order;
  workers.run([&] {
    tbb::parallel_pipeline(workers.items_in_flight(kStepBytes),
                           tbb::make_filter<void, Step*>(in_order, read) &
                               tbb::make_filter<Step*, Step*>(in_order, hash_each) &
                               tbb::make_filter<Step*, Step*>(in_order, hash_all) &
                               tbb::make_filter<Step*, void>(in_order, write));
  });
  joined.sha256_of_all = base::to_hex(hash_of_all.digest());
  return joined;
}

}  // namespace shardmill::pipeline
