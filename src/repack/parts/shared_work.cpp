#include "repack/parts/shared_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/line_reader.hpp"
#include "codec/codec.hpp"
#include "manifest/layout.hpp"
#include "pipeline/journal.hpp"
#include "pipeline/mill.hpp"
#include "repack/home.hpp"
#include "repack/part_plan.hpp"

namespace shardmill::repack {

namespace {

namespace fs = std::filesystem;

using Turn = base::FileToSend::Turn;

constexpr unsigned kSendersOfPart = 4;

/// The names in the folder of a part.
constexpr std::string_view kFetched = "fetched";  // marks a folder whose files come from the bucket
constexpr std::string_view kWhole = "whole";      // in that file: all of it
constexpr std::string_view kSendingOf = "sent_";  // begins the names of the journals of send_files()
constexpr std::string_view kSums = "sums";        // of the files that have their final names
/// In the bucket's folder of a part: its journal and logs when it was complete.
constexpr std::string_view kDone = "done";
/// In the bucket's work folder: uploads that were there before the run, a line each.
constexpr std::string_view kOthers = "others";

void write_all(const std::string& path, std::string_view text) {
  base::AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string work_name(std::string_view name) {
  return base::inside(std::string(manifest::kWorkFolder), name);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// In the list of uploads that were there before the run.
std::string line_of(const base::BucketFolder::Upload& upload) {
  return fmt::format("{}\t{}", upload.name, upload.id);
}

/// In the bucket: the shards that the run makes, and their manifests.
std::set<std::string> names_of_shards(const PartPlan& plan) {
  const dataset::Recipe recipe = dataset::recipe_of(plan.recipe);
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < plan.shards; ++i) {
    names.insert(manifest::shard_path(recipe.prefix, i, codec::suffix(recipe.codec)));
    names.insert(manifest::manifest_path(i));
  }
  return names;
}

/// Unfinished uploads of files of the run that were not there when it was planned: a machine that was lost
/// has begun them. Uploads of other names are those of others.
std::vector<base::BucketFolder::Upload> lost_uploads(const base::BucketFolder& bucket, const PartPlan& plan,
                                                     const std::set<std::string>& there_before) {
  std::set<std::string> ours = names_of_shards(plan);
  ours.insert(std::string(manifest::kAllSamples));
  for (const auto& [name, object] : bucket.list()) ours.insert(name);
  std::vector<base::BucketFolder::Upload> lost;
  for (auto& upload : bucket.uploads()) {
    const bool is_ours = ours.contains(upload.name) || manifest::is_below(upload.name, manifest::kWorkFolder);
    if (is_ours && !there_before.contains(line_of(upload))) lost.push_back(std::move(upload));
  }
  return lost;
}

void copy_here(const std::string& address, const std::string& path, base::Reporter& reporter) {
  constexpr std::size_t kStepBytes = 4U << 20;
  base::File from = base::File::open_read(address);
  base::File to = base::File::create(path);
  std::vector<std::byte> step(kStepBytes);
  for (std::size_t got = step.size(); got == step.size();) {
    reporter.check_stop();
    got = from.read(step);
    to.write(std::span<const std::byte>(step).first(got));
  }
  to.sync();
  to.close();
}

}  // namespace

SharedWork::SharedWork(const RepackOptions& options, base::Reporter& reporter)
    : options_(options), reporter_(reporter) {
  if (options.is_for_bucket()) bucket_.emplace(options.place());
}

std::string SharedWork::local(std::uint32_t part) const {
  return part_folder(options_.out_folder, part);
}

/// The same in the bucket as on this machine.
std::string SharedWork::name_of(const std::string& path) const {
  return fs::path(path).lexically_relative(options_.out_folder).string();
}

/// All that others may need, without what describes this machine. The journal says that the rest is there.
std::vector<base::FileToSend> SharedWork::files_of(const std::string& folder) const {
  std::vector<base::FileToSend> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file() || path == lock_path(folder) || path == base::inside(folder, kFetched) ||
        entry.path().filename().string().starts_with(kSendingOf) ||
        base::is_part_of_atomic_file(entry.path()))
      continue;
    const bool is_journal = path == pipeline::journal_path(folder);
    files.push_back({.path = path,
                     .name = name_of(path),
                     .bytes = entry.file_size(),
                     .turn = is_journal ? Turn::last : Turn::any});
  }
  std::sort(files.begin(), files.end(), [](const auto& one, const auto& two) { return one.name < two.name; });
  return files;
}

void SharedWork::send(const std::vector<base::FileToSend>& files, const std::string& journal,
                      std::function<void(const std::vector<base::SentFile>&)> before_records) {
  base::send_files(*bucket_, files,
                   {.journal = journal,
                    .threads = kSendersOfPart,
                    .part_bytes = options_.part_bytes,
                    .progress = [this](std::uint64_t) { reporter_.check_stop(); },
                    .before_records = std::move(before_records)});
  base::remove_file(journal);
}

void SharedWork::send_plan() {
  if (!bucket_) return;
  std::string others;
  for (const auto& upload : bucket_->uploads()) others += line_of(upload) + '\n';
  bucket_->write(work_name(kOthers), others);
  const std::string plan = work_folder_of(options_.out_folder) + "/plan";
  bucket_->write(work_name("plan"), base::read_text(plan));
  base::remove_file(plan);
}

/// What stays below shards and manifests is the run's own: nothing was there when it was planned.
void SharedWork::give_up() {
  if (!bucket_) return;
  const auto plan = read_part_plan(folder());
  if (!plan) return;
  const auto objects = bucket_->list();
  for (const std::string& name : names_of_shards(*plan)) {
    if (objects.contains(name)) bucket_->remove(name);
  }
  remove_shared_work(*bucket_);
}

void SharedWork::send(const std::string& path) {
  if (!bucket_) return;
  const std::vector<base::FileToSend> files{
      {.path = path, .name = name_of(path), .bytes = base::size_of_file(path).value_or(0)}};
  base::remove_file(journal_of(path));  // one that was left may be that of another file
  send(files, journal_of(path));
  base::remove_file(path);
}

void SharedWork::leave(const std::string& path) {
  if (!bucket_) return;
  base::remove_file(path);
  base::remove_file(journal_of(path));
}

/// Of sending a file alone.
std::string SharedWork::journal_of(const std::string& path) {
  const fs::path whole(path);
  return fmt::format("{}/{}{}", whole.parent_path().string(), kSendingOf, whole.filename().string());
}

void SharedWork::fetch(std::uint32_t part) {
  const std::string folder = local(part);
  const std::string journal = pipeline::journal_path(folder);
  const std::string mark = base::inside(folder, kFetched);
  if (!bucket_ || (base::exists(mark) && base::read_text(mark) == kWhole && base::exists(journal))) return;
  reporter_.phase(fmt::format("fetching the work of part {}", part));
  drop(part);
  base::make_folders(folder);
  write_all(mark, "");
  const std::string there = part_folder(this->folder(), part);
  for (const auto& [name, object] : base::BucketFolder(there).list()) {
    if (manifest::is_below(name, kDone)) continue;
    const std::string path = base::inside(folder, name);
    base::make_folders(fs::path(path).parent_path());
    copy_here(base::inside(there, name), path, reporter_);
  }
  base::make_folders(folder + "/spool");
  if (!base::exists(journal))
    throw Error("the bucket does not list it", at(base::inside(there, "journal")),
                "run the same command again");
  write_all(mark, kWhole);
}

/// First what says that all is there.
void SharedWork::drop(std::uint32_t part) {
  base::remove_file(pipeline::journal_path(local(part)));
  remove_work(local(part));
}

void SharedWork::drop_fetched(std::uint32_t part) {
  if (bucket_ && base::exists(base::inside(local(part), kFetched))) drop(part);
}

void SharedWork::send_read(std::uint32_t part) {
  if (!bucket_) return;
  reporter_.phase("sending the samples");
  send(files_of(local(part)), journal_of(local(part) + "/read"));
  drop(part);
}

void SharedWork::leave(std::uint32_t part) {
  if (bucket_) drop(part);
}

void SharedWork::send_given_back(std::uint32_t part) {
  if (!bucket_) return;
  std::vector<base::FileToSend> files;
  const std::string held = pipeline::held_path(local(part));
  for (const std::string& path : {held, pipeline::journal_path(local(part))}) {
    files.push_back({.path = path,
                     .name = name_of(path),
                     .bytes = base::size_of_file(path).value_or(0),
                     .turn = path == held ? Turn::any : Turn::last});
  }
  send(files, journal_of(local(part) + "/given_back"));
  drop(part);
}

void SharedWork::send_complete(std::uint32_t part, const pipeline::CompletePart& complete,
                               std::uint32_t first) {
  if (!bucket_) return;
  reporter_.phase(fmt::format("sending shards to {}", folder()));
  const std::string here = local(part);
  std::vector<base::FileToSend> files;
  const auto add = [&](const std::string& path, const std::string& name, Turn turn, bool may_go) {
    const auto bytes = base::size_of_file(path);
    if (bytes) files.push_back({.path = path, .name = name, .bytes = *bytes, .may_go = may_go, .turn = turn});
  };
  const std::string_view suffix = codec::suffix(options_.recipe.codec);
  for (std::uint32_t i = 0; i < complete.shards.size(); ++i) {
    const std::string manifest = pipeline::spooled_manifest_path(here + "/spool", i);
    if (!base::exists(manifest)) base::File::create(manifest).close();  // a shard without samples
    add(complete.shards[i].path, manifest::shard_path(options_.recipe.prefix, first + i, suffix), Turn::any,
        true);
    add(manifest, manifest::manifest_path(first + i), Turn::any, false);
  }
  const std::string sums = base::inside(here, kSums);
  if (!base::exists(sums)) write_all(sums, "");
  const std::string done = base::inside(name_of(here), kDone);
  add(sums, base::inside(done, kSums), Turn::record, false);
  for (const std::string& path :
       {pipeline::journal_path(here), pipeline::key_log_path(here), pipeline::reject_log_path(here)})
    add(path, base::inside(done, fs::path(path).filename().string()), Turn::any, false);
  add(here + "/complete", base::inside(done, "complete"), Turn::last, false);
  send(files, journal_of(here + "/complete"), [&](const std::vector<base::SentFile>& sent) {
    std::string text;
    for (const base::SentFile& file : sent) {
      if (!manifest::is_below(file.name, manifest::kWorkFolder))
        text += fmt::format("{}\t{:x}\t{}\n", file.name, file.crc64, file.tag);
    }
    write_all(sums, text);
  });
  drop(part);
}

std::string SharedWork::done_folder(std::uint32_t part) const {
  const std::string there = part_folder(folder(), part);
  return bucket_ ? base::inside(there, kDone) : there;
}

std::optional<SharedWork::Place> SharedWork::place_of(std::uint32_t number) const {
  if (!bucket_) return std::nullopt;
  const std::string_view suffix = codec::suffix(options_.recipe.codec);
  return Place{.tar = base::inside(folder(), manifest::shard_path(options_.recipe.prefix, number, suffix)),
               .manifest = base::inside(folder(), manifest::manifest_path(number))};
}

std::vector<base::SentFile> sent_by_parts(const base::BucketFolder& bucket) {
  std::vector<base::SentFile> sent;
  const base::BucketFolder work(base::inside(bucket.address(), manifest::kWorkFolder));
  for (const auto& [name, object] : work.list()) {
    if (fs::path(name).filename() != kSums) continue;
    for (const std::string& line : lines_of(work.read(name))) {
      const auto tab = line.find('\t');
      const auto last = line.rfind('\t');
      if (tab == std::string::npos || tab == last) continue;
      base::SentFile file{.name = line.substr(0, tab), .crc64 = 0, .tag = line.substr(last + 1)};
      std::from_chars(line.data() + tab + 1, line.data() + last, file.crc64, 16);
      sent.push_back(std::move(file));
    }
  }
  return sent;
}

void remove_shared_work(const base::BucketFolder& bucket) {
  const base::BucketFolder work(base::inside(bucket.address(), manifest::kWorkFolder));
  const auto objects = work.list();
  const auto plan = read_part_plan(bucket.address());
  if (!plan) return;
  std::set<std::string> others;
  if (objects.contains(std::string(kOthers))) {
    for (std::string& line : lines_of(work.read(std::string(kOthers)))) others.insert(std::move(line));
  }
  for (const auto& upload : lost_uploads(bucket, *plan, others)) bucket.abort(upload);
  for (const auto& [name, object] : objects) {
    if (name != "lock" && name != "plan" && name != kOthers) work.remove(name);
  }
  work.remove(std::string(kOthers));
  work.remove("plan");
}

}  // namespace shardmill::repack
