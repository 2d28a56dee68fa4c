// Run: the one skeleton of all commands that make or change datasets. Whole runs, splits, runs in parts and
// updates are variants of it.
#pragma once

#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "base/reporter.hpp"
#include "repack/home.hpp"
#include "repack/options.hpp"

namespace shardmill::repack {

/// The result of a run, before its files get their names.
template <class Summary>
struct Made {
  Summary summary;
  std::vector<NewFiles> files{};  // none: nothing changes
  bool keeps_work = false;        // for the commands that follow
};

/// Whatever ends it, either the old datasets are there, or the next command completes the new ones.
template <class Summary>
class Run {
 public:
  /// All arguments must outlive it.
  Run(Home& home, const RunOptions& options, base::Reporter& reporter)
      : home_(home), options_(options), reporter_(reporter) {}
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Finds the result, or makes it. The home stays locked afterwards, if it was locked. Throws Error for
  /// another result that is there, and for all else that stops the run; the next run continues the work.
  Summary run() {
    if (options_.dry_run) return foretell();
    if (may_find_unlocked()) {
      if (auto found = find()) return std::move(*found);
    }
    check();
    lock();
    home_.complete();
    if (auto found = find()) {
      leave(*found);
      return std::move(*found);
    }
    prepare();
    try {
      return make_and_publish();
    } catch (...) {
      clean_up();
      throw;
    }
  }

 protected:
  /// What a run would do. Changes nothing.
  virtual Summary foretell() = 0;
  /// Sums up the result, if it is there already; nullopt when it is not, or is to be replaced. Throws Error
  /// for a result that differs.
  virtual std::optional<Summary> find() = 0;
  virtual bool may_find_unlocked() const { return home_.is_untouched(); }
  /// What is wrong with the request, as far as that can be known without a lock.
  virtual void check() {}
  virtual void lock() { home_.lock(options_, reporter_); }
  /// The result was there: puts right what else is.
  virtual void leave(const Summary&) { home_.settle(reporter_); }
  /// Makes the work folder ready: keeps unfinished work of the same run, removes other work or refuses it.
  virtual void prepare() {}
  /// Reads, deals, packs and records. Everything is durable on return.
  virtual Made<Summary> make() = 0;
  /// After a failure: whether the next run can go on with the work.
  virtual bool is_work_worth_keeping() const = 0;

  Home& home() const { return home_; }
  base::Reporter& reporter() const { return reporter_; }

 private:
  Summary make_and_publish() {
    Made<Summary> made = make();
    home_.check_held();
    if (!made.files.empty()) home_.publish(made.files);
    if (!made.keeps_work) home_.remove_work();
    return std::move(made.summary);
  }

  void clean_up() noexcept {
    try {
      home_.check_held();  // otherwise the work belongs to another run
      if (!home_.is_promised() && !is_work_worth_keeping()) home_.remove_work();
    } catch (const std::exception&) {
      // The error that led here is the one to report. The next run will find the rest.
    }
  }

  Home& home_;
  const RunOptions& options_;
  base::Reporter& reporter_;
};

}  // namespace shardmill::repack
