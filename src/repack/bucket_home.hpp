// BucketHome: a prefix in a bucket as the home of datasets. They are made in a work folder of this machine,
// and then moved there file by file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/remote/bucket_folder.hpp"
#include "base/remote/sending.hpp"
#include "base/reporter.hpp"
#include "repack/bucket/lock.hpp"
#include "repack/home.hpp"
#include "repack/options.hpp"
#include "source/source_set.hpp"

namespace shardmill::repack {

/// The options with which a run works on this machine. If out_folder is an address, that becomes
/// recipe.final_place, and out_folder a folder in work_folder, where the datasets are made. Throws UsageError
/// for an address that cannot be written to and for options that do not work with a bucket, Error if the work
/// folder is in use for something else.
RepackOptions options_on_this_machine(const RepackOptions& options);

/// The datasets that a run makes.
struct HomeContent {
  std::vector<std::string> splits{};  // their names; empty: one dataset by itself
  /// In what the finished datasets in a folder differ from those of this run; nullopt: they are its own.
  /// Without it, all are.
  std::function<std::optional<std::string>(const std::string& folder)> difference{};
  std::string plan_id{};  // of a run in parts, by which its steps on all machines know their lock
};

class BucketHome final : public Home {
 public:
  /// `made`: where the datasets are made. `threads` send files. All arguments must outlive it.
  BucketHome(const RepackOptions& options, Home& made, HomeContent content, unsigned threads,
             base::Reporter& reporter);
  /// Releases its lock, unless a later run must go on.
  ~BucketHome() override;

  std::string place() const override { return bucket_.address(); }
  bool is_untouched() const override;
  bool is_finished() const override;
  void lock(const RunOptions& options, base::Reporter& reporter) override;
  /// Sends the datasets that an earlier run has finished.
  void complete() override;
  bool has_completed() const override { return has_completed_; }
  void check_place(const RepackPlan& plan) const override;
  void prepare(const RepackPlan& plan, unsigned threads) override;
  bool is_promised() const override;
  void publish(const std::vector<NewFiles>& files) override;
  void settle(base::Reporter& reporter) override;
  void remove_work() override;

 private:
  std::string in_work(std::string_view name) const;
  std::vector<std::string> folders() const;
  void check_is_ours(const RepackPlan& plan) const;
  bool is_in_parts() const { return !content_.plan_id.empty(); }
  bool is_left_for_later() const;
  void send_made();
  void give_up_made();
  void drop_made();
  void withdraw_old();
  std::string names_to_withdraw() const;
  std::vector<base::FileToSend> files() const;
  void send();
  std::vector<std::string> datasets() const;
  void warn_of_others(const base::BucketFolder::Objects& there) const;
  void record_sent(std::vector<base::SentFile> sent) const;

  const RepackOptions& options_;
  Home& made_;
  HomeContent content_;
  unsigned threads_;
  base::Reporter& reporter_;
  base::BucketFolder bucket_;
  std::optional<BucketLock> lock_;
  bool has_completed_ = false;
};

/// Marks the work folder of a run into a bucket, so that no other run works there.
void claim_work_folder(const RepackOptions& options);

/// Throws UsageError if the sources are where the datasets would be written.
void check_apart(const RepackOptions& options, const source::SourceSet& sources);

/// The home of the datasets that are made in `made`: the bucket that the options name, or `made` itself.
class ChosenHome {
 public:
  /// `options`: from options_on_this_machine(). `threads` send files. All arguments must outlive it.
  ChosenHome(const RepackOptions& options, Home& made, HomeContent content, unsigned threads,
             base::Reporter& reporter);
  Home& home() { return *home_; }

 private:
  std::optional<BucketHome> bucket_;
  Home* home_;
};

}  // namespace shardmill::repack
