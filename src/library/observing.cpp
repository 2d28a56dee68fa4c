#include "library/observing.hpp"

#include <chrono>
#include <csignal>
#include <utility>

#include "base/system/machine.hpp"

namespace shardmill::library {

namespace {

constexpr std::chrono::milliseconds kTimeBetweenReports{200};

}  // namespace

ObservingReporter::ObservingReporter(Observer& observer)
    : observer_(observer), teller_([this] { tell_until_the_end(); }) {}

ObservingReporter::~ObservingReporter() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ends_.notify_one();
  teller_.join();
  tell_progress();
}

void ObservingReporter::tell_progress() {
  const base::Progress& now = base::Reporter::progress();
  observer_.progress({.input_bytes = now.input_bytes,
                      .input_bytes_total = now.input_bytes_total,
                      .output_bytes = now.output_bytes,
                      .samples = now.samples,
                      .seconds = static_cast<double>(now.audio_milliseconds) / 1e3});
}

void ObservingReporter::tell_until_the_end() {
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, kTimeBetweenReports, [this] { return has_ended_; })) tell_progress();
}

int ObservingReporter::stop_signal() const noexcept {
  return observer_.stop_requested() ? SIGTERM : 0;
}

unsigned threads_of(const Limits& limits) {
  return limits.threads != 0 ? limits.threads : base::usable_cores();
}

Refusals::Refusals(std::string path, const ReadOptions& options, Observer& observer, Offsets offsets)
    : path_(std::move(path)),
      key_rule_(internal(options.key_rule)),
      skip_damage_(options.skip_damage),
      observer_(observer),
      offsets_(offsets) {}

bool Refusals::accept(const shard::GroupedSample& sample) {
  if (sample.damage.empty()) return true;
  if (!sample.is_refusal_told && sample.damage != told_)
    refuse(Error(sample.damage, {.path = path_, .member = sample.sample.key}));
  return false;
}

void Refusals::take(const ShardFinding& finding) {
  Error error(finding.text, {.path = path_, .member = finding.name});
  if (!is_loss(finding)) {
    observer_.warn(error);
  } else if (!is_told(finding)) {
    if (offsets_ == Offsets::of_file && finding.name.empty())
      error = Error(finding.text, {.path = path_, .offset = finding.offset});
    told_ = shard::lost_member_text(finding);
    refuse(error);
  }
}

bool Refusals::is_told(const ShardFinding& finding) const {
  if (!has_refused_) return false;
  switch (finding.problem) {
    case ShardProblem::resumed:
      return true;           // it ends a loss
    case ShardProblem::gap:  // follows the error of the decoder
      return !shard::split_name(finding.name, key_rule_);
    case ShardProblem::truncated:
      return finding.name.empty() && finding.bytes == 0;  // nothing follows a loss
    default:
      return false;
  }
}

bool Refusals::is_loss(const ShardFinding& finding) const {
  return is_damage(finding.problem) ||
         (shard::is_refusal(finding.problem) && shard::split_name(finding.name, key_rule_));
}

void Refusals::refuse(const Error& error) {
  has_refused_ = true;
  if (!skip_damage_) throw error.within(at(path_));
  observer_.fail(error.within(at(path_)));
}

}  // namespace shardmill::library
