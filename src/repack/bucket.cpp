#include "repack/bucket.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "base/remote/bucket_folder.hpp"
#include "base/remote/http.hpp"
#include "base/remote/sending.hpp"
#include "base/remote/url.hpp"
#include "base/system/machine.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "manifest/layout.hpp"
#include "repack/finished.hpp"
#include "repack/home.hpp"
#include "repack/plan_size.hpp"

namespace shardmill::repack {

namespace {

namespace fs = std::filesystem;

using Objects = std::map<std::string, base::BucketFolder::Object>;

constexpr unsigned kSenders = 4;  // more of them make no upload faster on the machines we know

/// The names in the work folder.
constexpr std::string_view kTarget = "target";  // where to: shows that the folder is ours; goes last
constexpr std::string_view kMade = "dataset";   // the dataset until it is sent
constexpr std::string_view kFound = "found";    // what the bucket holds: records, and the sizes of all else
constexpr std::string_view kSent = "sent";      // the journal of send_files()
constexpr std::string_view kOwnName = "name";   // the name of this run in the lock
constexpr std::string_view kStale = "stale";    // files of the old dataset that the new one does not have

/// Records that are needed to compare a finished dataset with a plan, and to sum it up.
constexpr std::array kComparedRecords{manifest::kDataset, manifest::kRun, manifest::kRejects,
                                      manifest::kShardRecords, manifest::kChecksums};

std::string chosen_work_folder(const RepackOptions& options) {
  if (!options.work_folder.empty()) return base::without_end_slashes(options.work_folder);
  const base::BucketKey place = base::parse_bucket_key(base::without_end_slashes(options.out_folder));
  // One name, so that no other target's folder lies in it.
  return base::inside("shardmill-work", base::percent_encoded(place.bucket + "/" + place.key, false));
}

constexpr std::string_view kTargetHead = "shardmill makes ";

std::string target_text(const std::string& address) {
  return fmt::format("{}{}\n", kTargetHead, address);
}

std::string random_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

/// Text of a small file, which is durable on return.
void write_durably(const std::string& path, std::string_view text) {
  base::AtomicFile file(path);
  file.write(text);
  file.commit();
}

/// Runs `step`. An error about `folder` names `address` instead.
template <typename Step>
auto about(const std::string& address, const std::string& folder, const Step& step) {
  try {
    return step();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    if (!error.where().path.starts_with(folder)) throw;
    Where where = error.where();
    where.path.replace(0, folder.size(), address);
    throw Error(error.problem(), std::move(where), error.advice(), error.remedy());
  }
}

/// The lock of a run: an object that it makes only if no other run has made it.
class BucketLock {
 public:
  BucketLock(const base::BucketFolder& folder, const std::string& work) : folder_(folder) {
    const std::string path = base::inside(work, kOwnName);
    if (!base::exists(path)) write_durably(path, random_name());
    own_name_ = base::read_text(path);
  }

  /// Returns false when another run holds it.
  bool take(base::Reporter& reporter) {
    const std::string name(manifest::kLockFile);
    if (folder_.find(name)) return is_ours();
    const std::string text = fmt::format("{}\nhost {}, since {:%Y-%m-%dT%H:%M:%SZ}\n", own_name_,
                                         base::machine().host, fmt::gmtime(std::time(nullptr)));
    if (!folder_.write_new(name, text)) return is_ours();
    const bool is_honoured = !folder_.write_new(name, text);
    if (!is_honoured) {
      reporter.warn(Error("the server cannot keep two runs from writing to this prefix at the same time",
                          at(folder_.address()), "start no other run that writes there until this one ends"));
    }
    return is_ours();
  }

  bool is_ours() {
    const std::string name(manifest::kLockFile);
    if (!folder_.find(name)) return false;
    const std::string text = folder_.read(name);
    const auto end = std::min(text.find('\n'), text.size());
    holder_ = printable(base::trimmed(std::string_view(text).substr(end), "\n"));
    return text.substr(0, end) == own_name_;
  }

  void release() const { folder_.remove(std::string(manifest::kLockFile)); }

  [[noreturn]] void refuse() const {
    throw Error(
        fmt::format("another run writes there: {}", holder_), at(folder_.address()),
        fmt::format("wait for it; if it was given up, remove {}", folder_.address_of(manifest::kLockFile)));
  }

 private:
  const base::BucketFolder& folder_;
  std::string own_name_;
  std::string holder_;
};

/// The error that led here is the one to report.
void release_quietly(const BucketLock& lock) noexcept {
  try {
    lock.release();
  } catch (const std::exception&) {
    // The next run of this command finds its own lock.
  }
}

class BucketRun {
 public:
  BucketRun(const RepackOptions& options, pipeline::Workers& workers, base::Reporter& reporter)
      : options_(options),
        workers_(workers),
        reporter_(reporter),
        folder_(options.out_folder),
        work_(chosen_work_folder(options)) {
    local_ = options;
    local_.out_folder = base::inside(work_, kMade);
    local_.recipe.final_place = folder_.address();
  }

  RepackSummary run(const MakeDataset& make);

 private:
  std::string in_work(std::string_view name) const { return base::inside(work_, name); }

  void check_apart(const RepackPlan& plan) const;
  void check_work() const;
  std::optional<RepackSummary> finished(const RepackPlan& plan);
  void mirror(const Objects& objects) const;
  RepackSummary make_and_send(const RepackPlan& plan, const MakeDataset& make);
  bool is_being_sent(const RepackPlan& plan);
  void check_is_ours(const RepackPlan& plan);
  void withdraw_old();
  std::vector<base::FileToSend> files() const;
  void send();
  void remove_all_work();

  const RepackOptions& options_;
  pipeline::Workers& workers_;
  base::Reporter& reporter_;
  base::BucketFolder folder_;
  std::string work_;
  RepackOptions local_;
};

/// The work folder must be new or empty, or that of an unfinished run into the same place.
void BucketRun::check_work() const {
  constexpr std::uint64_t kMostBytes = 1U << 16;
  const base::Entry entry = base::entry_at(work_);
  if (entry == base::Entry::nothing || (entry == base::Entry::folder && dataset::is_bare_work_folder(work_)))
    return;
  const std::string path = in_work(kTarget);
  const bool is_ours = entry == base::Entry::folder && base::entry_at(path) == base::Entry::file;
  const std::string target = is_ours ? base::read_text(path, kMostBytes) : "";
  if (target == target_text(folder_.address())) return;
  if (target.starts_with(kTargetHead)) {
    const std::string other =
        printable(base::trimmed(std::string_view(target).substr(kTargetHead.size()), "\n"));
    throw Error(fmt::format("holds an unfinished run into {}", other), at(work_), "run that command again",
                Remedy::other_work_folder);
  }
  throw Error(entry == base::Entry::folder ? "holds files, and is no work folder of a run into a bucket"
                                           : fmt::format("is {}, and no folder", base::name(entry)),
              at(work_), Remedy::other_work_folder);
}

void BucketRun::check_apart(const RepackPlan& plan) const {
  const std::string inside = folder_.address() + "/";
  for (const source::SourceDataset& dataset : plan.sources.datasets) {
    for (const source::SourceFile& file : dataset.files) {
      if (file.path.starts_with(inside))
        throw UsageError("is a source, and lies where the dataset would be written", at(file.path),
                         "write to another prefix");
    }
  }
  for (const std::string& source : options_.sources) {
    const auto scheme = source.find("s3://");
    if (scheme == std::string::npos || !source.ends_with('/')) continue;
    if (inside.starts_with(source.substr(scheme)))
      throw UsageError("lies inside a source", at(folder_.address()), "write to another prefix");
  }
}

/// Makes a folder that looks like the bucket's: the records as they are, of all else only the size.
void BucketRun::mirror(const Objects& objects) const {
  const std::string found = in_work(kFound);
  base::remove_tree(found);
  for (const auto& [name, object] : objects) {
    const bool is_path = printable(name) == name && !name.ends_with('/') && !name.starts_with('/') &&
                         fs::path(name).lexically_normal() == name && !name.starts_with("..");
    if (!is_path || manifest::is_below(name, manifest::kWorkFolder)) continue;
    const std::string path = base::inside(found, name);
    const fs::path folder = fs::path(path).parent_path();
    // A stranger's object may have the name of a folder of ours.
    if (base::is_folder(path) || (base::exists(folder) && !base::is_folder(folder))) continue;
    base::make_folders(folder);
    const bool is_record =
        std::find(kComparedRecords.begin(), kComparedRecords.end(), name) != kComparedRecords.end();
    base::File file = base::File::create(path);
    if (is_record) {
      file.write(base::as_bytes(folder_.read(name)));
    } else {
      file.truncate(object.bytes);
    }
    file.close();
  }
}

/// The dataset in the bucket that the plan would make again.
std::optional<RepackSummary> BucketRun::finished(const RepackPlan& plan) {
  const Objects objects = folder_.list();
  if (!objects.contains(std::string(manifest::kDataset))) return std::nullopt;
  mirror(objects);
  RepackOptions mirrored = options_;
  mirrored.out_folder = in_work(kFound);
  const auto summary =
      about(folder_.address(), mirrored.out_folder, [&] { return already_there(mirrored, plan); });
  if (summary) base::remove_tree(in_work(kFound));
  return summary;
}

/// Only an empty place, a dataset, or what this very run left there may be written to.
void BucketRun::check_is_ours(const RepackPlan& plan) {
  Objects objects = folder_.list();
  std::erase_if(objects,
                [](const auto& each) { return manifest::is_below(each.first, manifest::kWorkFolder); });
  if (objects.empty()) return;
  if (!objects.contains(std::string(manifest::kDataset))) {
    throw Error("holds files, and is no dataset", at(folder_.address()), Remedy::other_folder);
  }
  mirror(objects);
  const std::string found = in_work(kFound);
  about(folder_.address(), found, [&] {
    dataset::check_output_is_ours(found, dataset::OutputKind::dataset);
    dataset::check_not_taken(found, names_to_be_written(plan), dataset::dataset_file_names(found));
  });
}

/// Throws Error when the dataset that is being sent is another one.
bool BucketRun::is_being_sent(const RepackPlan& plan) {
  if (!base::exists(in_work(kSent)) || !base::exists(dataset_path(local_.out_folder))) return false;
  const auto what = difference_to_finished(plan, local_.out_folder);
  if (!what) return true;
  if (!options_.force) {
    throw Error(fmt::format("holds a dataset on its way to {} that differs: {}", folder_.address(), *what),
                at(work_), "finish that one", Remedy::start_over);
  }
  base::give_up_sending(folder_, in_work(kSent));
  base::remove_tree(local_.out_folder);
  return false;
}

/// Removes dataset.json first: from then on the old dataset is not finished. What is removed is written down
/// before, and stays so until all is sent.
void BucketRun::withdraw_old() {
  const std::string dataset(manifest::kDataset);
  const std::string list = in_work(kStale);
  if (!base::exists(list)) {
    const Objects objects = folder_.list();
    if (!objects.contains(dataset)) return;
    mirror(objects);
    std::set<std::string> fresh;
    for (const base::FileToSend& file : files()) fresh.insert(file.name);
    std::string names;
    for (const std::string& name : dataset::dataset_file_names(in_work(kFound))) {
      if (objects.contains(name) && !fresh.contains(name)) names += name + "\n";
    }
    write_durably(list, names);
  }
  folder_.remove(dataset);
  const std::string names = base::read_text(list);
  for (std::size_t begin = 0; begin < names.size();) {
    const auto end = names.find('\n', begin);
    folder_.remove(names.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// In the order in which they are sent: shards first, dataset.json last.
std::vector<base::FileToSend> BucketRun::files() const {
  std::vector<base::FileToSend> found;
  const fs::path root(local_.out_folder);
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().lexically_relative(root).string();
    if (manifest::is_below(name, manifest::kWorkFolder)) continue;
    found.push_back({.path = entry.path().string(),
                     .name = name,
                     .bytes = entry.file_size(),
                     .may_go = manifest::is_below(name, manifest::kShardFolder) ||
                               manifest::is_below(name, manifest::kParityFolder)});
  }
  const auto rank = [](const base::FileToSend& file) {
    return std::pair(file.name == manifest::kDataset ? 2 : file.may_go ? 0 : 1, file.name);
  };
  std::sort(found.begin(), found.end(),
            [&](const auto& one, const auto& two) { return rank(one) < rank(two); });
  return found;
}

void BucketRun::send() {
  const std::vector<base::FileToSend> all = files();
  reporter_.phase(fmt::format("sending to {}", folder_.address()));
  std::uint64_t bytes = 0;
  for (const base::FileToSend& file : all) bytes += file.bytes;
  reporter_.progress().input_bytes = 0;
  reporter_.progress().input_bytes_total = bytes;
  base::send_files(folder_, all,
                   {.journal = in_work(kSent),
                    .threads = std::min(kSenders, workers_.threads()),
                    .part_bytes = options_.part_bytes,
                    .progress = [this](std::uint64_t sent) {
                      reporter_.check_stop();
                      reporter_.progress().input_bytes += sent;
                    }});
}

RepackSummary BucketRun::make_and_send(const RepackPlan& plan, const MakeDataset& make) {
  RepackSummary summary;
  const bool goes_on = is_being_sent(plan);
  if (!goes_on) {
    reporter_.phase(fmt::format("making the shards in {}, which takes about {} there", work_,
                                base::format_size(planned_bytes(plan, workers_.threads()))));
    summary = make(local_, plan);
    withdraw_old();
  }
  send();
  if (goes_on || summary.outcome == RepackSummary::Outcome::already_there) {
    summary = summary_of_records(local_.out_folder, options_.max_rejects);
    summary.resumed = true;
  }
  summary.outcome = RepackSummary::Outcome::written;
  return summary;
}

/// The lock stays where a later run of the same command has something to go on with.
RepackSummary BucketRun::run(const MakeDataset& make) {
  const RepackPlan plan = make_plan(local_, reporter_);
  check_shard_count(plan, reporter_);
  check_apart(plan);
  check_work();
  if (options_.dry_run) {
    if (auto summary = finished(plan)) return *summary;
    check_room(local_, plan, workers_.threads());
    return summary_of_plan(plan, workers_.threads());
  }
  const base::WriterLock held = lock_folder(work_, local_, reporter_);
  check_work();  // another run may have begun there
  if (!base::exists(in_work(kTarget))) write_durably(in_work(kTarget), target_text(folder_.address()));
  const bool was_here = base::exists(in_work(kOwnName));
  if (auto summary = finished(plan)) {
    if (was_here) {  // killed when all was sent
      BucketLock left(folder_, work_);
      if (left.is_ours()) left.release();
    }
    remove_all_work();
    return *summary;
  }
  BucketLock lock(folder_, work_);
  bool told = false;
  while (!lock.take(reporter_)) {
    if (!options_.wait) lock.refuse();
    if (!std::exchange(told, true)) reporter_.phase("waiting for another run");
    base::wait_for(std::chrono::seconds(1), {});
  }
  // It may have been made while the lock was taken.
  if (auto summary = finished(plan)) {
    lock.release();
    remove_all_work();
    return *summary;
  }
  try {
    if (!base::exists(in_work(kSent)) && !base::exists(in_work(kStale))) check_is_ours(plan);
    RepackSummary summary = make_and_send(plan, make);
    lock.release();
    remove_all_work();
    return summary;
  } catch (...) {
    if (!base::exists(in_work(kSent)) && !base::exists(in_work(kStale))) release_quietly(lock);
    throw;
  }
}

void BucketRun::remove_all_work() {
  for (const std::string_view name : {kMade, kFound, kStale, kOwnName, kSent, kTarget})
    base::remove_tree(in_work(name));
}

}  // namespace

RepackSummary run_in_bucket(const RepackOptions& options, const MakeDataset& make, pipeline::Workers& workers,
                            base::Reporter& reporter) {
  if (!options.out_folder.starts_with("s3://")) {
    throw UsageError("cannot be written to: on other machines, only buckets (s3://) can",
                     at(base::shown_address(options.out_folder)),
                     "write to a bucket, or to a disk of this machine");
  }
  if (!options.depfile.empty()) {
    throw UsageError("is in a bucket, and make cannot compare the times of its files", at(options.out_folder),
                     Remedy::no_depfile);
  }
  return BucketRun(options, workers, reporter).run(make);
}

}  // namespace shardmill::repack
