// SplitHome: the folder that holds the datasets of a split. Whatever happens, either all of them are as
// before, or the next command completes all of them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/reporter.hpp"
#include "manifest/run_record.hpp"
#include "repack/home.hpp"
#include "repack/options.hpp"

namespace shardmill::repack {

std::string split_record_path(const std::string& out_folder);
/// The folder of one of the datasets.
std::string split_folder(const std::string& out_folder, const std::string& split);

/// Throws Error when the folder holds anything that is not shardmill's, or a dataset of another name than
/// `splits`. Changes nothing.
void check_split_folder(const std::string& out_folder, const std::vector<std::string>& splits);

/// True for the folder of a split, also when its datasets were changing as the machine stopped.
bool is_split(const std::string& folder);

/// For a command on one dataset of the split in `out_folder` (empty: it is not of a split, nothing is done):
/// locks the split, completes it if its datasets were getting their names, and drops a new one that was
/// interrupted before that.
std::optional<base::WriterLock> lock_split(const std::string& out_folder, const RunOptions& options,
                                           base::Reporter& reporter);

class SplitHome final : public Home {
 public:
  /// `names`: of the datasets that a run makes; empty: those that are there, which are known under the lock.
  SplitHome(std::string folder, std::vector<std::string> names)
      : Home(std::move(folder)), names_(std::move(names)) {}

  const std::vector<std::string>& names() const { return names_; }
  std::string folder_of(const std::string& name) const { return split_folder(folder(), name); }
  std::string work_of(const std::string& name) const { return work_folder_of(folder_of(name)); }

  /// The request of the unfinished run, as begin() wrote it; nullopt without such a run.
  std::optional<std::string> begun() const;
  /// Writes down the request of the run. Durable on return.
  void begin(const std::string& what) const;
  /// What split.json will say after publish().
  void set_record(manifest::SplitRecord&& record) { record_ = std::move(record); }

  bool is_untouched() const override;
  bool is_finished() const override;
  void lock(const RunOptions& options, base::Reporter& reporter) override;
  void complete() override;
  bool is_promised() const override;
  void publish(const std::vector<NewFiles>& files) override;
  void remove_work() override;

 private:
  std::vector<std::string> names_;
  manifest::SplitRecord record_;
};

}  // namespace shardmill::repack
