#include "shardmill/source/source_set.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "shardmill/base/file.hpp"
#include "shardmill/base/folder.hpp"
#include "shardmill/base/line_reader.hpp"
#include "shardmill/source/path_list.hpp"
#include "shardmill/source/shard_search.hpp"
#include "shardmill/source/source_spec.hpp"

namespace shardmill::source {

namespace {

namespace fs = std::filesystem;

std::string normal(const std::string& path) {
  std::string text = fs::absolute(path).lexically_normal().string();
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

/// Adds up arguments to a SourceSet.
class Finder {
 public:
  void add(const std::string& argument) {
    const SourceSpec spec = parse_source(argument);
    std::error_code failure;
    const bool expand = is_pattern(spec.path) && !fs::exists(spec.path, failure);
    begin_source(spec, expand ? folder_place(normal(fixed_part(spec.path))) : place_of(spec.path));
    if (expand) {
      for (const std::string& match : matches_of(spec.path)) add_path(match);
    } else {
      add_path(spec.path);
    }
  }

  SourceSet take(OnUnusable on_unusable) {
    if (on_unusable == OnUnusable::stop && !set_.unusable.empty()) stop_at_unusable();
    for (const SourceDataset& dataset : set_.datasets) {
      if (dataset.files.empty()) {
        throw Error(fmt::format("dataset '{}' has no usable file", dataset.name),
                    set_.unusable.front().where());
      }
    }
    return std::move(set_);
  }

 private:
  using Identity = std::pair<dev_t, ino_t>;

  /// What a source without a name is called after.
  struct Place {
    std::string path;
    std::string name;
  };

  static Place folder_place(const std::string& folder) {
    return {folder, dataset_name_from(fs::path(folder).filename().string())};
  }

  static Place place_of(const std::string& path) {
    const std::string whole = normal(path);
    switch (kind_of(path)) {
      case PathKind::folder:
        return folder_place(whole);
      case PathKind::list:
        return {whole, dataset_name_from(fs::path(whole).stem().string())};
      case PathKind::shard:
        break;
    }
    return folder_place(fs::path(whole).parent_path().string());
  }

  void begin_source(const SourceSpec& spec, const Place& place) {
    const std::string name = spec.dataset.value_or(place.name);
    const std::string origin = spec.dataset ? std::string() : place.path;
    const auto [known, is_new] = origins_.try_emplace(name, origin);
    if (!is_new && known->second != origin) {
      throw UsageError(fmt::format("two different sources would both be called '{}'", name), at(spec.path),
                       "give them names: NAME=SOURCE");
    }
    if (is_new) set_.datasets.push_back({.name = name, .files = {}});
    const auto same_name = [&](const SourceDataset& dataset) { return dataset.name == name; };
    dataset_ = static_cast<std::size_t>(std::find_if(set_.datasets.begin(), set_.datasets.end(), same_name) -
                                        set_.datasets.begin());
    set_.given.push_back({.dataset = name, .path = spec.path});
  }

  void add_path(const std::string& path) {
    switch (kind_of(path)) {
      case PathKind::shard:
        return add_file(path, {});
      case PathKind::folder:
        set_.folders.push_back(path);
        for (const std::string& shard : shards_in_folder(path)) add_file(shard, {});
        return;
      case PathKind::list:
        return add_list(path);
    }
  }

  void add_list(const std::string& list) {
    base::LineReader lines(list);
    const auto paths = read_path_list(lines);
    if (paths.empty()) throw Error("lists no paths", at(list));
    for (const ListedPath& listed : paths) {
      add_file(resolve_listed(list, listed.path), fmt::format("{}: line {}", list, listed.line));
    }
  }

  /// `listed_at`: the list and line that named the file, if any.
  void add_file(const std::string& path, const std::string& listed_at) {
    struct stat status {};
    if (const char* problem = problem_with(path, status); problem != nullptr) {
      set_.unusable.push_back(
          Error(listed_at.empty() ? problem : fmt::format("{} (listed in {})", problem, printable(listed_at)),
                at(path)));
      return;
    }
    const auto [known, is_new] = seen_[dataset_].try_emplace(Identity{status.st_dev, status.st_ino}, path);
    if (!is_new) {
      throw Error(fmt::format("comes twice in dataset '{}', the other time as {}",
                              set_.datasets[dataset_].name, printable(known->second)),
                  at(path));
    }
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    set_.datasets[dataset_].files.push_back(
        {.path = path,
         .bytes = bytes,
         .mtime_ns = status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec});
    ++set_.given.back().files;
    set_.given.back().bytes += bytes;
  }

  static const char* problem_with(const std::string& path, struct stat& status) {
    if (::stat(path.c_str(), &status) != 0) return std::strerror(errno);
    if (S_ISDIR(status.st_mode)) return "is a folder, not a shard";
    if (!S_ISREG(status.st_mode)) return "is not a regular file";
    if (status.st_size == 0) return "is empty (0 bytes)";
    if (::access(path.c_str(), R_OK) != 0) return std::strerror(errno);
    return nullptr;
  }

  [[noreturn]] void stop_at_unusable() const {
    const Error& first = set_.unusable.front();
    const std::size_t others = set_.unusable.size() - 1;
    if (others == 0) throw Error(first);
    throw Error(fmt::format("{}, and {} more files cannot be read", first.problem(), others), first.where());
  }

  SourceSet set_;
  std::map<std::string, std::string>
      origins_;  // of each dataset: where its name is from, empty: from the user
  std::map<std::size_t, std::map<Identity, std::string>> seen_;  // by dataset
  std::size_t dataset_ = 0;                                      // that files are added to
};

bool is_same_or_inside(const fs::path& inner, const fs::path& outer) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

base::Xxh128 SourceSet::digest() const {
  std::string text;
  for (const SourceDataset& dataset : datasets) {
    for (const SourceFile& file : dataset.files) {
      // No name or path holds a zero byte: different inputs cannot run together into the same text.
      fmt::format_to(std::back_inserter(text), "{}{}{}{}{}\n", dataset.name, '\0', file.path, '\0',
                     file.bytes);
    }
  }
  return base::xxh3_128(base::as_bytes(text));
}

SourceSet find_sources(const std::vector<std::string>& arguments, OnUnusable on_unusable) {
  Finder finder;
  for (const std::string& argument : arguments) finder.add(argument);
  return finder.take(on_unusable);
}

void check_not_searched(const std::string& output, const SourceSet& sources) {
  const fs::path out = base::canonical(normal(output));
  for (const std::string& folder : sources.folders) {
    if (is_same_or_inside(out, base::canonical(folder))) {
      throw UsageError(fmt::format("the output folder lies in the source folder {}", printable(folder)),
                       at(output), "what is written would be read again: choose another folder");
    }
  }
}

void check_output_folder(const std::string& output, const SourceSet& sources) {
  check_not_searched(output, sources);
  const fs::path out = base::canonical(normal(output));
  std::set<fs::path> checked;
  for (const SourceDataset& dataset : sources.datasets) {
    for (const SourceFile& file : dataset.files) {
      const fs::path folder = fs::path(normal(file.path)).parent_path();
      if (!checked.insert(folder).second || !is_same_or_inside(base::canonical(folder), out)) continue;
      throw UsageError(fmt::format("the output folder holds the source {}", printable(file.path)), at(output),
                       "choose another folder");
    }
  }
}

}  // namespace shardmill::source
