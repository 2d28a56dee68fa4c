#include "source/entries/part.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/io/memory_file.hpp"
#include "source/archive_index.hpp"
#include "source/entries/container_part.hpp"
#include "source/entries/tar_part.hpp"
#include "source/folders/shard_search.hpp"
#include "source/names/archive_path.hpp"

namespace shardmill::source {

namespace {

constexpr int kDeepest = 3;  // an archive in an archive in an archive

Nest nested(const Nest& nest, const std::string& path, std::string_view name) {
  return {
      .folder = path.substr(0, path.rfind('/') + 1), .place = inside(nest, name), .depth = nest.depth + 1};
}

}  // namespace

std::string inside(const Nest& nest, std::string_view name) {
  return fmt::format("{}!{}", nest.place, printable(name));
}

std::string Part::path_of(const std::string& name) const {
  return nest_.folder + plain_path(name);
}

std::unique_ptr<Part> Part::take_nested() {
  if (nested_.empty()) return nullptr;
  std::unique_ptr<Part> first = std::move(nested_.front());
  nested_.pop_front();
  return first;
}

void Part::take(const std::string& name, Bytes&& bytes) {
  if (leads_out(name)) return void(collector_.found.emplace_back(leads_out_error(inside(nest_, name))));
  if (is_hidden(plain_path(name))) return;
  const std::string path = path_of(name);
  if (has_archive_name(path) && !collector_.wants(path))
    return open_nested(path, name, base::memory_file(bytes, inside(nest_, name)));
  if (!collector_.wants(path)) return;
  collector_.found.emplace_back(
      ArchiveEntry{.path = path, .place = inside(nest_, name), .bytes = std::move(bytes)});
}

void Part::take(const std::string& name, LargeFile&& large) {
  const std::string path = path_of(name);
  auto [file, bytes] = std::move(large).end();
  auto shared = collector_.options().scratch->share(std::move(file), bytes);
  if (!has_archive_name(path) || collector_.wants(path)) {
    collector_.found.emplace_back(
        ArchiveEntry{.path = path, .place = inside(nest_, name), .file = std::move(shared)});
    return;
  }
  shared->seek(0);
  base::File again = shared->duplicate();
  held_.push_back(std::move(shared));
  open_nested(path, name, std::move(again));
}

void Part::take_link(const std::string& name) {
  const std::string path = path_of(name);
  if (!collector_.options().has_links || leads_out(name) || is_hidden(plain_path(name))) return;
  collector_.found.emplace_back(ArchiveEntry{.path = path, .place = inside(nest_, name), .is_link = true});
}

bool Part::is_needed(const std::string& name) const {
  const std::string path = path_of(name);
  return !is_hidden(plain_path(name)) && (has_archive_name(path) || collector_.wants(path));
}

void Part::open_nested(const std::string& path, const std::string& name, base::File&& file) {
  const std::string place = inside(nest_, name);
  if (nest_.depth + 1 >= kDeepest) {
    collector_.found.emplace_back(
        Error(fmt::format("is an archive in an archive, {} deep, and not read", nest_.depth + 1), at(place)));
    return;
  }
  try {
    nested_.push_back(open_part(std::move(file), nested(nest_, path, name), collector_));
  } catch (const Error& error) {
    collector_.found.emplace_back(error.within(at(place)));
  }
}

std::unique_ptr<Part> open_part(base::File&& file, Nest nest, Collector& collector) {
  return is_container(file) ? open_container_part(std::move(file), std::move(nest), collector)
                            : open_tar_part(std::move(file), std::move(nest), collector);
}

}  // namespace shardmill::source
