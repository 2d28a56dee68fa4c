// What all calls of the library share: reports go to an observer, failures are Errors; and how damage in a
// shard is treated that a caller reads.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/reporter.hpp"
#include "model/finding.hpp"
#include "shard/keys.hpp"
#include "shard/sample_grouper.hpp"
#include "shardmill/observer.hpp"
#include "shardmill/shard.hpp"

namespace shardmill::library {

/// Passes reports on to an observer, and reports the progress regularly until it is destroyed.
class ObservingReporter final : public base::Reporter {
 public:
  explicit ObservingReporter(Observer& observer);
  ~ObservingReporter() override;
  ObservingReporter(const ObservingReporter&) = delete;
  ObservingReporter& operator=(const ObservingReporter&) = delete;

  void warn(const Error& warning) override { observer_.warn(warning); }
  void fail(const Error& error) override { observer_.fail(error); }
  void phase(std::string_view name) override { observer_.phase(name); }
  int stop_signal() const noexcept override;

 private:
  void tell_progress();
  void tell_until_the_end();

  Observer& observer_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool has_ended_ = false;
  std::thread teller_;
};

/// Does the work of a public function, whose callers know only Error.
template <typename Work>
auto with_errors(Work work) {
  try {
    return work();
  } catch (const FatalError& failure) {
    throw failure.error();
  }
}

/// The number of threads that `limits` allows.
unsigned threads_of(const Limits& limits);

inline shard::KeyRule internal(KeyRule rule) {
  return rule == KeyRule::wenet ? shard::KeyRule::wenet : shard::KeyRule::webdataset;
}

/// Throws damage and unreadable members as errors, or reports them to the observer if the caller skips
/// damage.
class Refusals {
 public:
  /// Findings have offsets in the plain tar; for a plain file these are offsets in the file.
  enum class Offsets { of_plain_bytes, of_file };

  Refusals(std::string path, const ReadOptions& options, Observer& observer,
           Offsets offsets = Offsets::of_plain_bytes);

  /// False for a sample that is damaged.
  bool accept(const shard::GroupedSample& sample);
  void take(const ShardFinding& finding);
  void refuse(const Error& error);

 private:
  /// True if a sample has lost the member of the finding.
  bool is_loss(const ShardFinding& finding) const;
  /// True if it belongs to a loss that was reported.
  bool is_told(const ShardFinding& finding) const;

  std::string path_;
  shard::KeyRule key_rule_;
  bool skip_damage_;
  Observer& observer_;
  Offsets offsets_;
  bool has_refused_ = false;
  std::string told_;  // the damage of a sample that has lost the member of the last finding
};

}  // namespace shardmill::library
