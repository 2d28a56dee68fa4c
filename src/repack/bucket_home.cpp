#include "repack/bucket_home.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/hash/crc.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/remote/http.hpp"
#include "base/remote/url.hpp"
#include "base/text/letters.hpp"
#include "base/text/units.hpp"
#include "dataset/output_folder.hpp"
#include "dataset/owned_files.hpp"
#include "manifest/layout.hpp"
#include "manifest/run_record.hpp"
#include "repack/part_plan.hpp"
#include "repack/parts/shared_work.hpp"
#include "repack/plan.hpp"
#include "repack/plan_size.hpp"
#include "repack/split_home.hpp"

namespace shardmill::repack {

namespace {

namespace fs = std::filesystem;

using Turn = base::FileToSend::Turn;

constexpr unsigned kSenders = 4;  // more of them make no upload faster on the machines we know

/// The names in the work folder.
constexpr std::string_view kTarget = "target";  // where to: shows that the folder is ours; goes last
constexpr std::string_view kMade = "dataset";   // the datasets until they are sent
constexpr std::string_view kGone = "gone";      // the same, while they are removed
constexpr std::string_view kSent = "sent";      // the journal of send_files()
constexpr std::string_view kOwnName = "name";   // the name of this run in the lock
constexpr std::string_view kStale = "stale";    // files of old datasets that the new ones do not have

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

void write_durably(const std::string& path, std::string_view text) {
  base::AtomicFile file(path);
  file.write(text);
  file.commit();
}

/// True if nothing but a target is in the work folder, as where parts of a run were done.
bool is_done_with(const std::string& work) {
  for (const auto& entry : fs::recursive_directory_iterator(work)) {
    if (!entry.is_directory() && entry.path() != base::inside(work, kTarget) &&
        entry.path() != lock_path(work))
      return false;
  }
  return true;
}

/// True if a run was killed while it wrote its target.
bool has_begun_to_claim(const std::string& work) {
  const auto entries = base::entries(work);
  return std::all_of(entries.begin(), entries.end(), [&](const fs::path& entry) {
    return entry == lock_path(work) || base::is_part_of_atomic_file(entry);
  });
}

/// The work folder must be new or empty, or that of an unfinished run into the same place.
void check_work(const std::string& work, const std::string& address) {
  constexpr std::uint64_t kMostBytes = 1U << 16;
  const base::Entry entry = base::entry_at(work);
  if (entry == base::Entry::nothing) return;
  if (entry == base::Entry::folder && (dataset::is_bare_work_folder(work) || has_begun_to_claim(work)))
    return;
  const std::string path = base::inside(work, kTarget);
  const bool is_ours = entry == base::Entry::folder && base::entry_at(path) == base::Entry::file;
  const std::string target = is_ours ? base::read_text(path, kMostBytes) : "";
  if (target == target_text(address)) return;
  if (target.starts_with(kTargetHead)) {
    if (is_done_with(work)) return;
    const std::string other =
        printable(base::trimmed(std::string_view(target).substr(kTargetHead.size()), "\n"));
    throw Error(fmt::format("holds an unfinished run into {}", other), at(work), "run that command again",
                Remedy::other_work_folder);
  }
  throw Error(entry == base::Entry::folder ? "holds files, and is no work folder of a run into a bucket"
                                           : fmt::format("is {}, and no folder", base::name(entry)),
              at(work), Remedy::other_work_folder);
}

/// True for an empty folder, too.
bool is_unused(const std::string& folder) {
  const auto entries = base::entries(folder);
  return std::all_of(entries.begin(), entries.end(),
                     [](const fs::path& entry) { return entry.filename() == manifest::kWorkFolder; });
}

/// True for a dataset, also for one whose dataset.json is lost.
bool holds_records(const std::string& folder) {
  return base::exists(dataset_path(folder)) || (base::exists(base::inside(folder, manifest::kChecksums)) &&
                                                base::exists(base::inside(folder, manifest::kShardRecords)));
}

/// The path of a file inside its dataset: "dev/run.json" of a split is "run.json".
std::string_view name_in_dataset(std::string_view name, bool is_of_split) {
  return is_of_split ? name.substr(name.find('/') + 1) : name;  // npos + 1 is 0
}

/// Shards come first, then what describes them, the records of the runs, and those that say that all is
/// there.
Turn turn_of(std::string_view name) {
  if (name == manifest::kSplit || name == manifest::kDataset) return Turn::last;
  return name == manifest::kRun ? Turn::record : Turn::any;
}

}  // namespace

RepackOptions options_on_this_machine(const RepackOptions& options) {
  RepackOptions here = options;
  if (!base::is_remote(options.out_folder)) {
    if (!options.work_folder.empty())
      throw UsageError("is a work folder, and only a dataset in a bucket needs one", at(options.work_folder),
                       "leave it out, or write into s3://BUCKET/PREFIX");
    return here;
  }
  if (!options.out_folder.starts_with("s3://")) {
    throw UsageError("cannot be written to: on other machines, only buckets (s3://) can",
                     at(base::shown_address(options.out_folder)),
                     "write to a bucket, or to a disk of this machine");
  }
  if (!options.depfile.empty()) {
    throw UsageError("is in a bucket, and make cannot compare the times of its files", at(options.out_folder),
                     Remedy::no_depfile);
  }
  if (base::is_remote(options.work_folder)) {
    throw UsageError("is an address, and the work folder is on this machine",
                     at(base::shown_address(options.work_folder)), "name a folder of a disk with room");
  }
  here.recipe.final_place = base::without_end_slashes(options.out_folder);
  here.work_folder = base::absolute(chosen_work_folder(options));
  here.out_folder = base::inside(here.work_folder, kMade);
  check_work(here.work_folder, here.recipe.final_place);
  return here;
}

void claim_work_folder(const RepackOptions& options) {
  if (!options.is_for_bucket()) return;
  const std::string path = base::inside(options.work_folder, kTarget);
  const std::string text = target_text(options.place());
  const auto is_claimed = [&] { return base::exists(path) && base::read_text(path) == text; };
  base::make_folders(options.work_folder);
  // Parts of a run that begin together may share the folder, and each claims it for the same place.
  constexpr int kAttempts = 100;
  for (int attempt = 1; !is_claimed(); ++attempt) {
    try {
      write_durably(path, text);
    } catch (const Error&) {
      if (attempt == kAttempts) throw;
      base::wait_for(std::chrono::milliseconds(50), {});
    }
  }
}

void check_apart(const RepackOptions& options, const source::SourceSet& sources) {
  const std::string& place = options.recipe.final_place;
  if (place.empty()) return;
  const std::string inside = place + "/";
  for (const source::SourceDataset& dataset : sources.datasets) {
    for (const source::SourceFile& file : dataset.files) {
      if (file.path.starts_with(inside))
        throw UsageError("is a source, and lies where the dataset would be written", at(file.path),
                         "write to another prefix");
    }
  }
  for (const std::string& folder : sources.folders) {
    if (inside.starts_with(folder + "/"))
      throw UsageError("lies in a source that is read", at(place), "write to another prefix");
  }
  for (const std::string& source : options.sources) {
    const auto scheme = source.find("s3://");
    if (scheme == std::string::npos || !source.ends_with('/')) continue;
    if (inside.starts_with(source.substr(scheme)))
      throw UsageError("lies inside a source", at(place), "write to another prefix");
  }
}

BucketHome::BucketHome(const RepackOptions& options, Home& made, HomeContent content, unsigned threads,
                       base::Reporter& reporter)
    : Home(made.folder()),
      options_(options),
      made_(made),
      content_(std::move(content)),
      threads_(threads),
      reporter_(reporter),
      bucket_(options.recipe.final_place) {}

BucketHome::~BucketHome() {
  if (!lock_) return;
  try {
    if (is_in_parts() && !is_promised()) base::remove_tree(in_work(kOwnName));  // the plan has it
    if (is_left_for_later()) return;
    lock_->release();
    if (base::exists(folder())) return;
    for (const std::string_view name : {kOwnName, kTarget}) base::remove_tree(in_work(name));
  } catch (const std::exception&) {
    // Whatever led here is the error to report. The next run of this command finds its own lock.
  }
}

/// True if the lock must keep others out until a later run has done the rest.
bool BucketHome::is_left_for_later() const {
  try {
    return is_promised() || base::exists(in_work(kStale)) || (is_in_parts() && read_part_plan(place()));
  } catch (const std::exception&) {
    return true;
  }
}

std::string BucketHome::in_work(std::string_view name) const {
  return base::inside(options_.work_folder, name);
}

/// Of the datasets, in the bucket.
std::vector<std::string> BucketHome::folders() const {
  std::vector<std::string> folders;
  for (const std::string& split : content_.splits) folders.push_back(split_folder(place(), split));
  if (folders.empty()) folders.push_back(place());
  return folders;
}

bool BucketHome::is_untouched() const {
  const bool has_work = base::exists(options_.work_folder) && !base::entries(options_.work_folder).empty();
  return !has_work && is_finished();
}

bool BucketHome::is_finished() const {
  return base::exists(content_.splits.empty() ? dataset_path(place()) : split_record_path(place()));
}

void BucketHome::lock(const RunOptions& options, base::Reporter& reporter) {
  add_lock(lock_folder(options_.work_folder, options, reporter));
  check_work(options_.work_folder, place());  // another run may have begun there
  claim_work_folder(options_);
  if (is_in_parts()) write_durably(in_work(kOwnName), content_.plan_id);
  std::vector<std::string> locked{""};
  locked.insert(locked.end(), content_.splits.begin(), content_.splits.end());
  lock_.emplace(bucket_, locked, in_work(kOwnName));
  lock_->take(options, reporter);
}

void BucketHome::complete() {
  made_.complete();
  if (!made_.is_finished()) {
    base::remove_tree(in_work(kSent));  // of a dataset that was sent, by a run that was killed in the end
    return;
  }
  const auto what = content_.difference ? content_.difference(made_.folder()) : std::nullopt;
  if (what) {
    if (!options_.force) {
      throw Error(fmt::format("holds a dataset on its way to {} that differs: {}", place(), *what),
                  at(options_.work_folder), "finish that one with its own options and sources",
                  Remedy::start_over);
    }
    give_up_made();
    return;
  }
  try {
    send_made();
  } catch (const base::LostFile& lost) {
    if (is_in_parts()) throw;
    // Nothing of another program, or of a run that has finished there since, may be removed.
    const bool may_be_of_others = !lost.is_gone() || is_finished();
    if (may_be_of_others && !options_.force)
      throw Error(lost.problem(), lost.where(), lost.advice(), Remedy::start_over);
    reporter_.warn(Error(lost.problem() + ": the dataset is made again", lost.where()));
    give_up_made();
    return;
  }
  has_completed_ = true;
}

/// What has begun to arrive there is known to be this run's: the place was empty, or its dataset withdrawn.
void BucketHome::give_up_made() {
  if (base::exists(in_work(kSent))) {
    const auto there = bucket_.list();
    for (const base::FileToSend& file : files()) {
      if (there.contains(file.name)) bucket_.remove(file.name);
    }
  }
  base::give_up_sending(bucket_, in_work(kSent));
  drop_made();
}

void BucketHome::check_place(const RepackPlan& plan) const {
  if (is_in_parts() && is_finished())
    throw Error("holds a dataset, and a run in parts replaces none in a bucket", at(place()), "remove it",
                Remedy::other_folder);
  const bool is_begun = base::exists(in_work(kStale)) || base::exists(in_work(kSent)) ||
                        (is_in_parts() && read_part_plan(place()));
  if (is_begun) return;  // some files of this run are there, or some old ones are gone
  check_is_ours(plan);
  bucket_.uploads();  // must be known when the first file is sent: this finds out whether they may be listed
}

void BucketHome::prepare(const RepackPlan& plan, unsigned threads) {
  check_place(plan);
  if (is_in_parts()) return;
  reporter_.phase(fmt::format("making the shards in {}, which takes about {} there", options_.work_folder,
                              base::format_size(planned_bytes(plan, threads))));
}

/// Only an empty place and datasets may be written to.
void BucketHome::check_is_ours(const RepackPlan& plan) const {
  const base::ListedFolder listed(place());
  if (!content_.splits.empty()) check_split_folder(place(), content_.splits);
  for (const std::string& folder : folders()) {
    if (is_unused(folder)) continue;
    if (!base::exists(dataset_path(folder)) && !(options_.force && holds_records(folder)))
      throw Error("holds files, and is no dataset", at(folder),
                  "if they are left from a run whose work folder is lost, remove everything below it, and "
                  "the uploads "
                  "that were not finished",
                  Remedy::other_folder);
    dataset::check_output_is_ours(folder, dataset::OutputKind::dataset);
    dataset::check_not_taken(folder, names_to_be_written(plan), dataset::dataset_file_names(folder));
  }
}

/// From the moment when the datasets are made, they will be in the bucket, whatever happens.
bool BucketHome::is_promised() const {
  return made_.is_promised() || made_.is_finished();
}

void BucketHome::publish(const std::vector<NewFiles>& files) {
  made_.publish(files);
  made_.remove_work();
  send_made();
}

void BucketHome::settle(base::Reporter&) {
  remove_work();
}

void BucketHome::remove_work() {
  if (is_in_parts()) remove_shared_work(bucket_);
  if (lock_) lock_->release();
  lock_.reset();
  drop_made();
  for (const std::string_view name : {kStale, kOwnName, kSent, kTarget}) base::remove_tree(in_work(name));
}

/// In one step, so that a later run never finds half of the datasets.
void BucketHome::drop_made() {
  base::remove_tree(in_work(kGone));
  if (base::exists(folder())) base::rename_file(folder(), in_work(kGone));
  base::remove_tree(in_work(kGone));
}

void BucketHome::send_made() {
  if (!base::exists(in_work(kSent))) withdraw_old();
  send();
}

/// Removes the records first that say that all is there: from then on the old datasets are not finished. All
/// names are written down before, and stay so until all is sent.
void BucketHome::withdraw_old() {
  const std::string list = in_work(kStale);
  if (!base::exists(list)) {
    const std::string names = names_to_withdraw();
    if (names.empty()) return;
    write_durably(list, names);
  }
  const std::string names = base::read_text(list);
  for (std::size_t begin = 0; begin < names.size();) {
    const auto end = names.find('\n', begin);
    bucket_.remove(names.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// A line each; none if there are no old datasets.
std::string BucketHome::names_to_withdraw() const {
  const base::ListedFolder listed(place());
  std::set<std::string> fresh;
  for (const base::FileToSend& file : files()) fresh.insert(file.name);
  std::string heads = base::exists(split_record_path(place())) && !content_.splits.empty()
                          ? std::string(manifest::kSplit) + "\n"
                          : "";
  std::string others;
  for (const std::string& folder : folders()) {
    const std::string before = folder == place() ? "" : folder.substr(place().size() + 1) + "/";
    if (!holds_records(folder)) continue;
    heads += before + std::string(manifest::kDataset) + "\n";
    for (const std::string& name : dataset::dataset_file_names(folder)) {
      if (!fresh.contains(before + name) && base::exists(base::inside(folder, name)))
        others += before + name + "\n";
    }
  }
  return heads + others;
}

std::vector<base::FileToSend> BucketHome::files() const {
  std::vector<base::FileToSend> found;
  const fs::path root(folder());
  const bool is_split = !content_.splits.empty();
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    // A run may have been killed while it wrote run.json.
    if (!entry.is_regular_file() || base::is_part_of_atomic_file(entry.path())) continue;
    const std::string name = entry.path().lexically_relative(root).string();
    const std::string_view inner = name_in_dataset(name, is_split);
    if (manifest::is_below(name, manifest::kWorkFolder) || manifest::is_below(inner, manifest::kWorkFolder))
      continue;
    found.push_back({.path = entry.path().string(),
                     .name = name,
                     .bytes = entry.file_size(),
                     .may_go = manifest::is_below(inner, manifest::kShardFolder) ||
                               manifest::is_below(inner, manifest::kParityFolder),
                     .turn = turn_of(inner)});
  }
  const auto rank = [](const base::FileToSend& file) {
    return std::tuple(file.turn, !file.may_go, file.name == manifest::kSplit, file.name);
  };
  std::sort(found.begin(), found.end(),
            [&](const auto& one, const auto& two) { return rank(one) < rank(two); });
  return found;
}

void BucketHome::send() {
  const std::vector<base::FileToSend> all = files();
  reporter_.phase(fmt::format("sending to {}", place()));
  std::uint64_t bytes = 0;
  for (const base::FileToSend& file : all) bytes += file.bytes;
  reporter_.progress().input_bytes = 0;
  reporter_.progress().input_bytes_total = bytes;
  base::send_files(bucket_, all,
                   {.journal = in_work(kSent),
                    .threads = kSenders,
                    .part_bytes = options_.part_bytes,
                    .progress =
                        [this](std::uint64_t sent) {
                          reporter_.check_stop();
                          reporter_.progress().input_bytes += sent;
                        },
                    .before_records = [this](const auto& sent) { record_sent(sent); },
                    .before_last =
                        [this](const base::BucketFolder::Objects& there) {
                          if (lock_) lock_->check_held();
                          warn_of_others(there);
                        }});
}

/// A warning for each dataset in which another program put files between the shards meanwhile.
void BucketHome::warn_of_others(const base::BucketFolder::Objects& there) const {
  for (const std::string& dataset : datasets()) {
    const std::string inner = dataset.empty() ? "" : dataset + "/";
    const std::string shards = inner + std::string(manifest::kShardFolder) + "/";
    const auto ours = dataset::dataset_file_names(base::inside(folder(), dataset));
    std::vector<std::string> others;
    for (auto each = there.lower_bound(shards); each != there.end() && each->first.starts_with(shards);
         ++each) {
      if (!ours.contains(each->first.substr(inner.size()))) others.push_back(each->first);
    }
    if (others.empty()) continue;
    const std::string more =
        others.size() == 1 ? ""
                           : fmt::format("; so do {}", base::format_count(others.size() - 1, "more file"));
    reporter_.warn(Error("is no shard of this dataset, and lies where loaders look for its shards" + more,
                         at(bucket_.address_of(others.front())),
                         others.size() == 1 ? "remove it" : "remove them"));
  }
}

/// Their folders in this one.
std::vector<std::string> BucketHome::datasets() const {
  return content_.splits.empty() ? std::vector<std::string>{""} : content_.splits;
}

/// From the records `verify` knows what the server should have, without reading it.
void BucketHome::record_sent(std::vector<base::SentFile> sent) const {
  if (is_in_parts()) {
    for (base::SentFile& file : sent_by_parts(bucket_)) sent.push_back(std::move(file));
    std::sort(sent.begin(), sent.end(), [](const auto& one, const auto& two) { return one.name < two.name; });
  }
  for (const std::string& dataset : datasets()) {
    const std::string inner = dataset.empty() ? "" : dataset + "/";
    const std::string path = base::inside(folder(), inner + std::string(manifest::kRun));
    if (!base::exists(path)) continue;  // a split may have no samples for it
    manifest::RunRecord record = manifest::read_run_record(path);
    record.sent_crc64.clear();
    record.sent_tags.clear();
    for (const base::SentFile& file : sent) {
      if (!file.name.starts_with(inner)) continue;
      const std::string name = file.name.substr(inner.size());
      if (name == manifest::kRun) continue;
      record.sent_crc64.emplace_back(name, base::crc64_text(file.crc64));
      if (!file.tag.empty()) record.sent_tags.emplace_back(name, file.tag);
    }
    write_durably(path, to_json(record));
  }
}

ChosenHome::ChosenHome(const RepackOptions& options, Home& made, HomeContent content, unsigned threads,
                       base::Reporter& reporter)
    : home_(&made) {
  if (!options.recipe.final_place.empty())
    home_ = &bucket_.emplace(options, made, std::move(content), threads, reporter);
}

}  // namespace shardmill::repack
