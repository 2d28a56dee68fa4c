#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "archive/container.hpp"
#include "base/io/volumes.hpp"
#include "source/archive_entries.hpp"
#include "source/entries/part.hpp"
#include "source/folders/file_search.hpp"

namespace shardmill::source {

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
