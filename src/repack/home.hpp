// Home: where a run makes or changes datasets: who may work there, whether they are finished, and how their
// new files get their names. DatasetHome is the folder of a dataset by itself; see also SplitHome.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/io/writer_lock.hpp"
#include "base/reporter.hpp"
#include "dataset/publish.hpp"
#include "repack/options.hpp"

namespace shardmill::repack {

struct RepackPlan;

std::string work_folder_of(const std::string& out_folder);
/// The path of dataset.json. When this file exists, the dataset is complete.
std::string dataset_path(const std::string& out_folder);

std::string lock_path(const std::string& work_folder);
/// Makes this process the only writer in a work folder. Waits for another writer to end if the options say
/// so.
base::WriterLock lock_folder(const std::string& work_folder, const RunOptions& options,
                             base::Reporter& reporter);

/// Removes everything in the work folder except the lock.
void remove_work(const std::string& work_folder);

/// For a command that changes the finished dataset in `folder` and holds its lock: completes what got only
/// some of its final names, and drops a new dataset that stopped before that, because --force would make it
/// again. Returns whether there was anything.
bool settle_folder(const std::string& folder, base::Reporter& reporter);
/// Says that the work of an interrupted repack --force is removed.
void warn_of_dropped_work(const std::string& folder, base::Reporter& reporter);

/// The new files of a dataset, whole and durable.
struct NewFiles {
  std::string split;  // its name among the datasets of a split; empty: it is by itself
  dataset::Renames renames;
  std::set<std::string> kept{};  // files of the old dataset that stay as they are
};

/// One thread at a time.
class Home {
 public:
  explicit Home(std::string folder) : folder_(std::move(folder)) {}
  /// Releases the locks in reverse, so that folders that were made for nothing can be removed.
  virtual ~Home() {
    while (!locks_.empty()) locks_.pop_back();
  }
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;

  /// Where the run works.
  const std::string& folder() const { return folder_; }
  /// Where finished datasets are.
  virtual std::string place() const { return folder_; }
  std::string work() const { return work_folder_of(folder_); }

  /// True when no run is at work there, and nothing needs to be put right. Then a finished dataset can be
  /// found without a lock, so also on a filesystem that cannot be written to.
  virtual bool is_untouched() const = 0;
  /// True when the record is there that is written last.
  virtual bool is_finished() const = 0;

  /// Makes this process the only writer. Throws Error when another run is at work, or waits for it.
  virtual void lock(const RunOptions& options, base::Reporter& reporter) = 0;
  /// Throws Error when a lock was lost.
  void check_held() const {
    for (const base::WriterLock& lock : locks_) lock.check_held();
  }
  /// Does what an earlier run has promised by publish(), and removes its work.
  virtual void complete() = 0;
  /// True when complete() has finished what the same command began, so that nothing is left to replace.
  virtual bool has_completed() const { return false; }
  /// Throws Error when files of others are in the way of the datasets of a plan.
  virtual void check_place(const RepackPlan&) const {}
  /// Called before the datasets of a plan are made. Checks the place. `threads` shards are compressed at a
  /// time.
  virtual void prepare(const RepackPlan&, unsigned /*threads*/) {}
  /// True between the promise and its end.
  virtual bool is_promised() const = 0;
  /// Gives all files their names: from now on the new datasets replace the old ones, whatever happens.
  virtual void publish(const std::vector<NewFiles>& files) = 0;
  /// The result was there: puts right what else is.
  virtual void settle(base::Reporter&) {}
  /// The work is over: no later run continues it.
  virtual void remove_work() = 0;

 protected:
  void add_lock(base::WriterLock&& lock) { locks_.push_back(std::move(lock)); }

 private:
  std::string folder_;
  std::vector<base::WriterLock> locks_;
};

class DatasetHome final : public Home {
 public:
  using Home::Home;

  bool is_untouched() const override;
  bool is_finished() const override;
  void lock(const RunOptions& options, base::Reporter& reporter) override;
  void complete() override;
  bool is_promised() const override;
  void publish(const std::vector<NewFiles>& files) override;
  void settle(base::Reporter& reporter) override { settle_folder(folder(), reporter); }
  void remove_work() override { repack::remove_work(work()); }
};

}  // namespace shardmill::repack
