#include "source/set/given_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/volumes.hpp"
#include "base/remote/url.hpp"
#include "base/text/units.hpp"
#include "shard/tar_input.hpp"
#include "source/archive_entries.hpp"
#include "source/detection.hpp"
#include "source/file_name.hpp"
#include "source/folders/downloads.hpp"
#include "source/folders/file_search.hpp"
#include "source/source_file.hpp"
#include "source/source_spec.hpp"
#include "source/split.hpp"

namespace shardmill::source {

void GivenFiles::add_together(const std::vector<std::string>& paths, const std::string& given) {
  std::vector<Download> downloads;
  for (const std::string& path : paths)
    downloads.push_back({.path = path, .corpus = is_needed(path) ? corpus_in(path) : nullptr});
  const auto first = std::find_if(downloads.begin(), downloads.end(),
                                  [](const Download& each) { return each.corpus != nullptr; });
  if (first == downloads.end()) {
    folder_ = base::is_folder(given) ? given : "";
    for (const std::string& path : paths) add_file(path, {}, nullptr);
    folder_.clear();
    return;
  }
  for (Download& each : downloads) {
    if (!is_needed(each.path)) each.corpus = corpus_in(each.path);
  }
  check_downloads(given, downloads);
  std::vector<std::string> others;
  std::vector<std::string> archives;
  for (const Download& each : downloads)
    (each.corpus != nullptr && !is_silent(each.path) ? archives : others).push_back(each.path);
  if (archives.empty()) {
    others.clear();
    for (const Download& each : downloads) (each.corpus != nullptr ? archives : others).push_back(each.path);
  }
  add_archives(*first->corpus, archives, others);
}

void GivenFiles::add_archives(const Corpus& corpus, const std::vector<std::string>& archives,
                              const std::vector<std::string>& others) {
  const auto before = shared_texts_.find(set_.dataset_name());
  if (before == shared_texts_.end() || !others.empty())
    shared_texts_.insert_or_assign(set_.dataset_name(), texts_in(corpus, others));
  for (const std::string& path : archives) add_file(path, {}, &corpus);
}

/// The texts in archives without audio.
SharedTexts GivenFiles::texts_in(const Corpus& corpus, const std::vector<std::string>& archives) {
  SharedTexts texts(corpus, options_.tree);
  for (const std::string& path : archives) {
    auto [file, problem] = look_up(path);
    if (problem) {
      set_.add_unusable(*problem);
      continue;
    }
    try {
      if (texts.add(path)) {
        set_.add_description(std::move(file));
      } else {
        set_.add_warning(Error("is left out: it holds neither audio nor texts of the corpus", at(path)));
      }
    } catch (const Error& error) {
      set_.add_unusable(error.within(at(path)));
    }
  }
  set_.add_promise(texts.promised());
  return texts;
}

void GivenFiles::add_archive(const Corpus& corpus, const std::string& path, SourceFile&& file) {
  if (!options_.corpora) {
    throw UsageError("is a corpus in an archive, and this command reads only shards", at(path),
                     "shardmill repack makes shards of it");
  }
  ArchivedTree tree = *archived_tree(corpus, options_.tree);
  set_md5(path, tree);
  const auto texts = shared_texts_.find(set_.dataset_name());
  if (texts != shared_texts_.end() && &texts->second.corpus() == &corpus) texts->second.give_to(tree);
  file.tree = std::make_shared<ArchivedTree>(std::move(tree));
  set_.add_file(std::move(file));
}

void GivenFiles::add_audio_archive(const std::string& path, ArchivedTree tree) {
  if (!is_needed(path)) return;
  auto [file, problem] = look_up(path);
  if (problem) return set_.add_unusable(*problem);
  set_md5(path, tree);
  tree.folder = folder_of(path, path.substr(path.rfind('/') + 1), tree.archives_as_folders.get());
  file.tree = std::make_shared<ArchivedTree>(std::move(tree));
  set_.add_file(std::move(file));
}

void GivenFiles::set_md5(const std::string& path, ArchivedTree& tree) {
  tree.md5 = options_.md5s.empty() ? md5_beside(path) : fmt::format("{}", fmt::join(options_.md5s, " "));
  tree.volume_md5s = volume_md5s_beside(path);
  if (options_.md5s.empty()) warn_of_md5_lists(path, tree.md5.empty() && tree.volume_md5s.empty());
}

/// Of lists that compare nothing.
void GivenFiles::warn_of_md5_lists(const std::string& archive, bool has_no_md5) {
  const std::string own = archive + ".md5";
  for (const std::string& list : lists_without_md5(archive)) {
    if (list != own && lists_warned_of_.insert(list).second)
      set_.add_warning(Error("is not a list of MD5s, so nothing is compared with it", at(list)));
  }
  if (has_no_md5 && base::exists(own))
    set_.add_warning(Error("holds no MD5 of its archive, which is not compared", at(own)));
}

/// Shards are read piece by piece, on all cores, and not hashed.
void GivenFiles::note_unchecked_md5s(const std::string& shard) {
  if (base::is_remote(shard)) return;
  for (const std::string& list : md5_lists_beside(shard)) {
    if (lists_seen_.insert(list).second && holds_md5(list)) unchecked_lists_.push_back(list);
  }
}

void GivenFiles::warn_of_unchecked_md5s() {
  const auto lists = std::exchange(unchecked_lists_, {});
  if (lists.empty()) return;
  const std::filesystem::path first(lists.front());
  const std::string others =
      lists.size() == 1
          ? ""
          : fmt::format(", and neither is {}", base::format_count(lists.size() - 1, "other list"));
  set_.add_warning(
      Error(fmt::format("is not compared: of shards, MD5s are not computed{}", others), at(lists.front()),
            fmt::format("md5sum -c {}, in its folder, compares them", printable(first.filename().string()))));
}

/// What the archive holds, where it is no shard. In a folder of many shards the others are like the first.
const Corpus* GivenFiles::corpus_in(const std::string& path) {
  constexpr std::size_t kShardsEnough = 16;
  if (!options_.corpora || (plain_shards_ >= kShardsEnough && !has_archives_)) return nullptr;
  try {
    const Corpus* found = corpus_in_archive(path);
    has_archives_ = has_archives_ || found != nullptr;
    if (found == nullptr) ++plain_shards_;
    return found;
  } catch (const Error&) {
    return nullptr;  // Reported when its turn comes.
  }
}

void GivenFiles::add_file(const std::string& path, const std::string& named_at) {
  if (is_needed(path)) add_file(path, named_at, corpus_in(path));
}

bool GivenFiles::is_wanted_subset(const std::string& subset) const {
  return has_wanted_subset(subset.empty() ? std::vector<std::string>() : std::vector{subset},
                           options_.tree.subsets);
}

/// A Parquet file.
void GivenFiles::add_rows(SourceFile&& file) {
  try {
    file.parquet = look_into_parquet(file.path, options_.tree);
  } catch (const Error& error) {
    return set_.add_unusable(error);
  }
  file.subset = subset_of_parquet(file.path);
  if (is_wanted_subset(file.subset)) return add_wanted(std::move(file));
  other_subsets_.insert(file.subset);
}

/// A shard. Below a folder train, dev, val or test it belongs to that subset.
void GivenFiles::add_shard(SourceFile&& file) {
  note_unchecked_md5s(file.path);
  const std::string below =
      folder_.empty() ? "" : std::filesystem::path(file.path).lexically_relative(folder_).begin()->string();
  if (options_.corpora && subset_of_table(below) == below) file.subset = below;
  if (file.subset.empty() || is_wanted_subset(file.subset)) return add_wanted(std::move(file));
  other_subsets_.insert(file.subset);
}

void GivenFiles::add_wanted(SourceFile&& file) {
  has_wanted_ = true;
  set_.add_file(std::move(file));
}

void GivenFiles::add_parquet(const std::string& path) {
  if (!base::is_folder(path)) {
    if (is_needed(path) && base::exists(path) && !is_parquet_file(path))
      throw UsageError("is no Parquet file: its first bytes are not PAR1", at(path));
    return add_file(path, {}, nullptr);
  }
  const auto files = files_below(path, [](std::string_view name) { return name.ends_with(".parquet"); });
  if (files.empty()) throw Error("holds no Parquet files: their names end with .parquet", at(path));
  set_.add_searched_folder(path);
  for (const std::string& file : files) add_file(file, {}, nullptr);
}

/// Files that are named one by one are what the user wants, but a list may lack a file that was not there.
void GivenFiles::check_parts(const std::string& given) {
  const NumberedParts parts = std::exchange(parts_, {});
  const bool are_listed = std::exchange(are_listed_, false);
  if (base::is_folder(given) || (is_pattern(given) && !base::exists(given))) {
    for (const Error& gap : parts.gaps()) set_.add_warning(gap);
  }
  for (const Error& error : parts.missing()) {
    if (base::is_folder(given)) {
      set_.add_unusable(error);
    } else if (is_pattern(given) && !base::exists(given)) {
      set_.add_warning(Error(error.problem(), error.where(), "download it if it belongs to the data"));
    } else if (are_listed) {
      set_.add_warning(Error("is not in the list, but others of its parts are", error.where(),
                             fmt::format("add it to {} if it belongs to the data", given)));
    }
  }
}

void GivenFiles::check_subsets(const std::string& given) {
  warn_of_unchecked_md5s();
  check_parts(given);
  const auto others = std::exchange(other_subsets_, {});
  if (std::exchange(has_wanted_, false) || others.empty()) return;
  std::set<std::string> named = others;
  named.erase("");
  throw Error(fmt::format("holds no file of the subset {}", fmt::join(options_.tree.subsets, " or ")),
              at(given),
              named.empty() ? "the names of its files name no subset"
                            : fmt::format("it has {}", fmt::join(named, ", ")));
}

namespace {

/// What is wrong with a file that is called like an archive. Throws Error for a zip that must be joined.
std::optional<Error> problem_with_content(const std::string& path) {
  if (base::is_remote(path)) return std::nullopt;  // One more request for each shard would cost too much.
  constexpr std::size_t kEnough = 512;
  std::array<std::byte, kEnough> buffer{};
  const base::File file = base::File::open_read(path);
  const auto first = std::span<const std::byte>(buffer).first(file.read_at(buffer, 0));
  if (const std::string_view other = base::saved_instead(first); !other.empty())
    return Error(std::string(other), at(path), Remedy::skip_bad_samples);
  // The last part of a zip that was written in parts does not begin like one.
  if (has_extension(path, "zip") && !is_container(file)) kind_of(path);
  return std::nullopt;
}

enum class Content { rows, container, other };

Content content_of(const std::string& path) {
  const base::File file = base::File::open_read(path);
  if (shard::is_parquet(file)) return Content::rows;
  return is_container(file) ? Content::container : Content::other;
}

}  // namespace

/// `corpus`: what the archive holds; null: it is a shard.
void GivenFiles::add_file(const std::string& path, const std::string& named_at, const Corpus* corpus) {
  if (!path.ends_with(".parquet") || is_wanted_subset(subset_of_parquet(path))) parts_.add(path);
  are_listed_ = are_listed_ || !named_at.empty();
  if (!is_needed(path)) return;
  auto [file, problem] = look_up(path, named_at);
  if (!problem) problem = problem_with_content(path);
  if (problem) return set_.add_unusable(*problem);
  if (file.has_no_version && !std::exchange(has_warned_of_versions_, true))
    set_.add_warning(
        Error("has no version: its server gives neither an ETag nor a time, so that a change "
              "while it is read, or after that, cannot be noticed",
              at(path), "make sure that no program changes it"));
  if (corpus != nullptr) return add_archive(*corpus, path, std::move(file));
  Content content = Content::other;
  try {
    content = content_of(path);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    if (!base::is_remote(path)) throw;
    return set_.add_unusable(error);  // a server may have an object, and give no bytes of it
  }
  if (content == Content::rows) return add_rows(std::move(file));
  if (path.ends_with(".parquet"))
    return set_.add_unusable(Error("is no Parquet file: its first bytes are not PAR1", at(path)));
  if (content == Content::container) {
    check_end(path);
    throw Error(
        "is not a tar, and its files are not a corpus that shardmill knows", at(path),
        "docs/corpora.md lists those that it knows, and PREFIX:FILE names one of them; or unpack it and "
        "give its folder",
        Remedy::give_labels);
  }
  add_shard(std::move(file));
}

void GivenFiles::add_texts(const Corpus& corpus, const std::vector<std::string>& archives) {
  if (!shared_texts_.contains(set_.dataset_name()))
    shared_texts_.emplace(set_.dataset_name(), texts_in(corpus, archives));
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigits = "0123456789";

/// Cuts "-00000-of-00012", and a hash after it, from the end of `name`; nullopt if it has no such end.
std::optional<PartNumber> cut_number(std::string& name) {
  constexpr std::size_t kMostDigits = 6;
  const std::size_t of = name.rfind("-of-");
  if (of == std::string::npos || of == 0) return std::nullopt;
  const std::string_view end = std::string_view(name).substr(of + 4);
  const std::size_t digits = std::min(end.find_first_not_of(kDigits), end.size());
  if (digits == 0 || digits > kMostDigits || (digits < end.size() && end[digits] != '-')) return std::nullopt;
  const std::size_t before = name.find_last_not_of(kDigits, of - 1);
  if (before == std::string::npos || before == of - 1 || name[before] != '-' || before == 0 ||
      of - 1 - before > kMostDigits)
    return std::nullopt;
  const auto number = [](std::string_view text) {
    return static_cast<std::uint32_t>(std::stoul(std::string(text)));
  };
  const PartNumber part{.number = number(std::string_view(name).substr(before + 1, of - 1 - before)),
                        .parts = number(end.substr(0, digits)),
                        .digits = of - 1 - before};
  name.resize(before);
  return part;
}

/// Cuts "000012" from the end of `name`; nullopt if it ends otherwise.
std::optional<PartNumber> cut_last_number(std::string& name) {
  constexpr std::size_t kMostDigits = 9;
  const std::size_t begin = name.find_last_not_of(kDigits) + 1;  // npos + 1 is 0
  const std::size_t digits = name.size() - begin;
  if (digits == 0 || digits > kMostDigits) return std::nullopt;
  const PartNumber last{.number = static_cast<std::uint32_t>(std::stoul(name.substr(begin))),
                        .digits = digits};
  name.resize(begin);
  return last;
}

}  // namespace

bool is_parquet_file(const std::string& path) {
  return shard::is_parquet(base::File::open_read(path));
}

std::string subset_of_parquet(const std::string& path) {
  fs::path rest(path);
  std::string name = rest.stem().string();
  if (cut_number(name).has_value() || split_of(name) != Split::other) return name;
  constexpr int kLevels = 2;
  for (int level = 0; level < kLevels; ++level) {
    rest = rest.parent_path();
    const std::string folder = rest.filename().string();
    constexpr std::string_view kPartial =
        "partial-";  // the Hub's conversion of the first gigabytes of a split
    if (folder.starts_with(kPartial) && split_of(folder.substr(kPartial.size())) != Split::other)
      return folder;
    if (split_of(folder) != Split::other) return folder;
  }
  return {};
}

void NumberedParts::add(const std::string& path) {
  const fs::path whole(path);
  std::string name = whole.filename().string();
  // "x.tar.zst" ends with ".tar.zst".
  const std::size_t dot = name.ends_with(".parquet") ? name.rfind('.') : name.rfind(".tar");
  if (dot == std::string::npos) return;
  std::string end = name.substr(dot);
  name.resize(dot);
  const auto part = cut_number(name);
  if (!part) {
    if (const auto last = cut_last_number(name))
      series_[{(whole.parent_path() / name).string(), std::move(end)}].add(*last);
    return;
  }
  Set& set = sets_[{(whole.parent_path() / name).string(), std::move(end), part->parts}];
  set.add(*part);
}

namespace {

std::string and_more(std::size_t others) {
  if (others == 0) return {};
  return others == 1 ? ", and neither is 1 more" : fmt::format(", and neither are {} more", others);
}

}  // namespace

std::vector<Error> NumberedParts::missing() const {
  std::vector<Error> errors;
  for (const auto& [of, set] : sets_) {
    const auto& [name, end, parts] = of;
    // Some count from 1.
    const std::uint32_t begin = set.numbers.contains(parts) && !set.numbers.contains(0) ? 1 : 0;
    std::optional<std::uint32_t> first;
    std::uint32_t others = 0;
    for (std::uint32_t number = begin; number < parts + begin; ++number) {
      if (set.numbers.contains(number)) continue;
      others += first ? 1 : 0;
      if (!first) first = number;
    }
    if (!first) continue;
    errors.emplace_back(
        fmt::format("is not there{}, but others of these {} parts are", and_more(others), parts),
        at(fmt::format("{}-{:0{}}-of-{:0{}}{}", name, *first, set.digits, parts, set.digits, end)),
        "download it; a pattern takes the files that are there");
  }
  return errors;
}

/// A series with many gaps is a choice.
std::vector<Error> NumberedParts::gaps() const {
  constexpr std::size_t kLongEnough = 2;
  std::vector<Error> warnings;
  for (const auto& [of, series] : series_) {
    const std::size_t count = series.numbers.size();
    if (count < kLongEnough) continue;
    const std::size_t missing = *series.numbers.rbegin() - *series.numbers.begin() + 1 - count;
    if (missing == 0 || missing > std::max<std::size_t>(1, count / 10)) continue;
    std::uint32_t first = *series.numbers.begin();
    while (series.numbers.contains(first)) ++first;
    warnings.emplace_back(fmt::format("is not there{}, but others of its series are", and_more(missing - 1)),
                          at(fmt::format("{}{:0{}}{}", of.first, first, series.digits, of.second)),
                          "if it belongs to the data, download it");
  }
  return warnings;
}

ParquetRows look_into_parquet(const std::string& path, const TreeOptions& options) {
  const shard::ParquetFacts facts = shard::parquet_facts(base::File::open_read(path));
  std::vector<std::string> columns;
  for (const std::string& column : facts.columns) columns.push_back(printable(column));
  const std::string list = fmt::format("{}", fmt::join(columns, ", "));
  const std::string& wanted = options.text_field;
  const bool has_wanted =
      std::find(facts.columns.begin(), facts.columns.end(), wanted) != facts.columns.end();
  if (!wanted.empty() && !has_wanted && !options.text_field_is_elsewhere)
    throw Error(fmt::format("has no column '{}': its columns are {}", printable(wanted), list), at(path));
  return {.columns = list};
}

}  // namespace shardmill::source
