#include "source/entries/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "archive/container.hpp"
#include "archive/zip_directory.hpp"
#include "base/io/memory_file.hpp"
#include "base/io/volumes.hpp"
#include "source/archive_entries.hpp"
#include "source/folders/file_search.hpp"

namespace shardmill::source {

namespace {

constexpr int kDeepest = 3;  // an archive in an archive in an archive

Nest nested(const Nest& nest, const std::string& path, std::string_view name) {
  return {
      .folder = path.substr(0, path.rfind('/') + 1), .place = inside(nest, name), .depth = nest.depth + 1};
}

}  // namespace

LargeFile::LargeFile(std::shared_ptr<ScratchSpace> space, std::uint64_t promised_bytes)
    : space_(std::move(space)), file_(space_->file()) {
  space_->take(promised_bytes);
  taken_ = promised_bytes;
}

LargeFile::LargeFile(LargeFile&& other) noexcept
    : space_(std::move(other.space_)),
      file_(std::move(other.file_)),
      bytes_(std::exchange(other.bytes_, 0)),
      taken_(std::exchange(other.taken_, 0)) {}

LargeFile::~LargeFile() {
  if (space_) space_->give_back(taken_);
}

void LargeFile::add(std::span<const std::byte> bytes) {
  // Asking costs a system call.
  constexpr std::uint64_t kStepBytes = std::uint64_t{64} << 20;
  if (bytes_ + bytes.size() > taken_) {
    const std::uint64_t more = std::max<std::uint64_t>(kStepBytes, bytes.size());
    space_->take(more);
    taken_ += more;
  }
  file_.write_at(bytes, bytes_);
  bytes_ += bytes.size();
}

std::pair<base::File, std::uint64_t> LargeFile::end() && {
  return {std::move(file_), std::exchange(taken_, 0)};
}

std::string plain_path(std::string_view name) {
  std::string path;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
    if (part.empty() || part == ".") continue;
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

bool leads_out(std::string_view name) {
  return name.starts_with('/') || name == ".." || name.starts_with("../") || name.ends_with("/..") ||
         name.find("/../") != std::string_view::npos;
}

Error leads_out_error(const std::string& place) {
  return Error("its name leads out of the folder in which it would be unpacked", at(place),
               "do not unpack this archive", Remedy::skip_bad_samples);
}

bool is_hidden(std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.starts_with('.') && part != "." && part != "..") return true;
  }
  return false;
}

Error encrypted_error(const std::string& place) {
  return Error("is encrypted: unpack the archive with its password, and give the folder", at(place));
}

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

namespace {

class ContainerPart final : public Part {
 public:
  ContainerPart(base::File&& file, Nest nest, Collector& collector)
      : Part(std::move(nest), collector), file_(std::move(file)), bytes_(file_.size()), container_(file_) {}

  bool read() override {
    if (!is_checked_ && !check()) return false;
    try {
      const auto entry = container_.next();
      if (!entry) return false;
      const std::string path = nest_.folder + plain_path(entry->path);
      if (entry->is_link) take_link(entry->path);
      if (!entry->is_file || is_hidden(plain_path(entry->path))) return true;
      if (!has_archive_name(path) && !collector_.wants(path)) return true;
      const std::string place = inside(nest_, entry->path);
      if (entry->is_encrypted) {
        collector_.found.emplace_back(encrypted_error(place));
        return false;
      }
      read_entry(entry->path, place);
      return true;
    } catch (const Error& error) {
      const std::string of_volumes =
          nest_.depth == 0 ? base::words_on_last_volume(file_.path()) : std::string();
      collector_.found.emplace_back(
          Error(error.problem() + of_volumes, at(nest_.place), "download it again"));
      return false;
    }
  }
  std::uint64_t consumed_bytes() const override { return std::min(container_.consumed_bytes(), bytes_); }
  std::uint64_t plain_bytes() const override { return plain_; }
  /// A file whose checksum is wrong is not given out.
  std::uint64_t confirmed_bytes() const override { return plain_; }

 private:
  /// Of a zip that was cut, or that something follows, libarchive would read the entries up to there.
  bool check() {
    is_checked_ = true;
    std::array<std::byte, archive::kContainerMagicBytes> first{};
    const std::size_t got = file_.read_at(first, 0);
    if (archive::container_format(std::span(first).first(got)) != "zip") return true;
    try {
      archive::read_zip_directory(file_);
      return true;
    } catch (const Error& error) {
      collector_.found.emplace_back(Error(error.problem(), at(nest_.place), error.advice()));
      return false;
    }
  }

  void read_entry(const std::string& name, const std::string& place) {
    const std::uint64_t limit = collector_.options().limit_bytes;
    const auto& scratch = collector_.options().scratch;
    Bytes bytes;
    std::optional<LargeFile> large;
    try {
      container_.read([&](std::span<const std::byte> part) {
        plain_ += part.size();
        if (!large && bytes.size() + part.size() <= limit) {
          bytes.insert(bytes.end(), part.begin(), part.end());
          return;
        }
        if (!scratch || leads_out(name) || !is_needed(name))
          throw Error(fmt::format("unpacks to more than {} bytes", limit));
        if (!large) {
          large.emplace(scratch);
          large->add(bytes);
          bytes = {};
        }
        large->add(part);
      });
    } catch (const Error& error) {
      collector_.found.emplace_back(Error(error.problem(), at(place), error.advice(), error.remedy()));
      return;
    }
    if (large) return take(name, std::move(*large));
    take(name, std::move(bytes));
  }

  base::File file_;
  std::uint64_t bytes_;
  std::uint64_t plain_ = 0;
  archive::Container container_;
  bool is_checked_ = false;
};

}  // namespace

std::unique_ptr<Part> open_container_part(base::File&& file, Nest nest, Collector& collector) {
  return std::make_unique<ContainerPart>(std::move(file), std::move(nest), collector);
}

}  // namespace shardmill::source
