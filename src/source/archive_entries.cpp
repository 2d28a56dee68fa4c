#include "source/archive_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "archive/container.hpp"
#include "archive/tar_parser.hpp"
#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/filesystem.hpp"
#include "base/text/units.hpp"
#include "codec/codec.hpp"
#include "codec/file_facts.hpp"
#include "source/entries/part.hpp"
#include "source/folders/file_search.hpp"

namespace shardmill::source {

namespace {

class Entries final : public EntryStream {
 public:
  Entries(base::File& file, const EntryOptions& options) : options_(options), collector_(options_) {
    parts_.push_back(open_part(file.duplicate(), {.folder = {}, .place = file.path()}, collector_));
    if (is_container(file)) bytes_ = file.size();
  }

  bool read(std::vector<ArchiveItem>& items) override {
    if (parts_.empty()) return false;
    // What comes by this call, and the archives in it, are not confirmed before the next.
    if (parts_.size() == 1) confirmed_ = std::max(confirmed_, parts_.front()->confirmed_bytes());
    const bool more = parts_.back()->read();
    if (auto nested = parts_.back()->take_nested()) {
      ended_.push_back(!more);
      parts_.push_back(std::move(nested));
    } else if (!more) {
      end_part();
    }
    for (ArchiveItem& item : collector_.found) items.push_back(std::move(item));
    collector_.found.clear();
    return !parts_.empty();
  }

  std::uint64_t consumed_bytes() const override {
    return parts_.empty() ? last_consumed_ : parts_.front()->consumed_bytes();
  }
  std::uint64_t plain_bytes() const override {
    return parts_.empty() ? last_plain_ : parts_.front()->plain_bytes();
  }
  std::uint64_t confirmed_bytes() const override { return confirmed_; }
  std::uint64_t doubts() const override { return collector_.doubts; }

 private:
  /// The innermost archive ends; those around it go on, with further archives that were found in them first.
  void end_part() {
    while (!parts_.empty()) {
      if (parts_.size() == 1) {
        last_consumed_ = std::max(parts_.front()->consumed_bytes(), bytes_);
        last_plain_ = parts_.front()->plain_bytes();
      }
      parts_.pop_back();
      if (parts_.empty()) return;
      const bool has_ended = ended_.back();
      if (auto next = parts_.back()->take_nested()) {
        parts_.push_back(std::move(next));
        return;
      }
      ended_.pop_back();
      if (!has_ended) return;
    }
  }

  EntryOptions options_;
  Collector collector_;
  std::vector<std::unique_ptr<Part>> parts_;  // the outermost first
  std::vector<bool> ended_;                   // of all but the innermost: whether it was read to its end
  std::uint64_t bytes_ = 0;                   // of a container
  std::uint64_t confirmed_ = 0;
  std::uint64_t last_consumed_ = 0;
  std::uint64_t last_plain_ = 0;
};

}  // namespace

std::unique_ptr<EntryStream> open_entries(base::File& file, const EntryOptions& options) {
  return std::make_unique<Entries>(file, options);
}

namespace {

/// Takes the names of a tar and none of its bytes: whatever has any is larger than its bound of 0.
class NameSink final : public archive::TarSink {
 public:
  explicit NameSink(std::vector<std::string>& names) : names_(names) {}
  void on_member(archive::TarMember&& member) override { take(member.name); }
  void on_finding(ShardFinding&& finding) override {
    if (finding.problem == ShardProblem::oversized_member) take(finding.name);
    is_tar_ = is_tar_ && finding.problem != ShardProblem::not_a_tar;
  }
  bool is_tar() const noexcept { return is_tar_; }

 private:
  void take(const std::string& name) {
    if (std::string path = plain_path(name); !is_hidden(path)) names_.push_back(std::move(path));
  }

  std::vector<std::string>& names_;
  bool is_tar_ = true;
};

std::vector<std::string> first_tar_names(base::File& file,
                                         const std::function<bool(const std::string&)>& enough) {
  constexpr std::uint64_t kPlainBytesEnough = std::uint64_t{256} << 20;
  constexpr std::size_t kNamesEnough = 4096;
  std::vector<std::string> names;
  NameSink sink(names);
  archive::TarParser parser(sink, 0);
  std::size_t asked = 0;
  const auto has_enough = [&] {
    while (asked < names.size()) {
      if (enough(names[asked++])) return true;
    }
    return names.size() >= kNamesEnough || parser.offset() >= kPlainBytesEnough || !sink.is_tar();
  };
  try {
    const auto reader = codec::open(file);
    while (const auto piece = reader->next()) {
      piece->prepare();
      for (auto bytes = piece->read(); !bytes.empty(); bytes = piece->read()) {
        parser.feed(bytes);
        if (has_enough()) return names;
      }
    }
  } catch (const Error&) {
    // Damage is reported when it is read in earnest.
  }
  return names;
}

std::vector<std::string> names_in_container(base::File& file,
                                            const std::function<bool(const std::string&)>& enough) {
  constexpr std::size_t kNamesEnough = 4096;
  std::vector<std::string> names;
  try {
    archive::Container container(file);
    while (const auto entry = container.next()) {
      std::string path = plain_path(entry->path);
      if (!entry->is_file || is_hidden(path)) continue;
      names.push_back(std::move(path));
      if (enough(names.back()) || names.size() >= kNamesEnough) break;
    }
  } catch (const Error&) {
    // Reported when it is read in earnest.
  }
  return names;
}

}  // namespace

bool is_container(const base::File& file) {
  std::array<std::byte, archive::kContainerMagicBytes> first{};
  return !archive::container_format(std::span(first).first(file.read_at(first, 0))).empty();
}

bool is_container(const std::string& path) {
  return is_container(base::File::open_read(path));
}

void check_end(const std::string& path) {
  base::File file = base::File::open_read(path);
  std::array<std::byte, archive::kContainerMagicBytes> first{};
  const auto format = archive::container_format(std::span(first).first(file.read_at(first, 0)));
  if (format == "zip") return void(archive::read_zip_directory(file));
  if (!format.empty()) return void(archive::Container(file).next());
  const codec::Codec codec = codec::codec_of(file);
  if (!codec::looks_cut(file, codec)) return;
  if (codec == codec::Codec::none) return void(archive::walk_tar(file));  // A tar may lack its end blocks.
  throw Error("is cut short: its end is missing", at(path), "download or copy it again",
              Remedy::skip_bad_samples);
}

std::vector<std::string> first_names(const std::string& path,
                                     const std::function<bool(const std::string& name)>& enough) {
  base::File file = base::File::open_read(path);
  return is_container(file) ? names_in_container(file, enough) : first_tar_names(file, enough);
}

namespace {

/// What an archive in an archive holds is known later only.
bool is_nested(const std::string& name) {
  return has_archive_name(name) && !is_hidden(plain_path(name));
}

bool read_zip_ahead(base::File& file, const EntryOptions& options,
                    const std::function<void(ArchiveEntry&& entry)>& use) {
  bool has_archives = false;
  for (const archive::ZipEntry& entry : archive::read_zip_directory(file)) {
    has_archives = has_archives || is_nested(entry.path);
    if (!entry.is_encrypted) continue;
    const Error error = encrypted_error(fmt::format("{}!{}", file.path(), printable(entry.path)));
    throw Error(fmt::format("{}: {}", error.where().path, error.problem()), at(file.path()), error.advice(),
                error.remedy());
  }
  if (has_archives) return false;
  archive::Container container(file);
  while (const auto entry = container.next()) {
    const std::string path = plain_path(entry->path);
    if (entry->is_link && options.has_links && !is_hidden(path))
      use({.path = path,
           .place = fmt::format("{}!{}", file.path(), printable(entry->path)),
           .is_link = true});
    if (!entry->is_file || leads_out(entry->path) || is_hidden(path) || !options.wanted(path)) continue;
    use({.path = path,
         .place = fmt::format("{}!{}", file.path(), printable(entry->path)),
         .bytes = container.read(options.limit_bytes)});
  }
  return true;
}

bool read_tar_ahead(base::File& file, const EntryOptions& options,
                    const std::function<void(ArchiveEntry&& entry)>& use) {
  archive::TarWalk walk;
  try {
    walk = archive::walk_tar(file);
  } catch (const Error&) {
    return false;  // Damage is reported when it is read in earnest.
  }
  if (std::any_of(walk.files.begin(), walk.files.end(),
                  [](const auto& each) { return is_nested(each.name); }))
    return false;
  for (const auto& each : walk.files) {
    const std::string path = plain_path(each.name);
    if (leads_out(each.name) || is_hidden(path) || !options.wanted(path) || each.bytes > options.limit_bytes)
      continue;
    Bytes bytes(each.bytes);
    if (file.read_at(bytes, each.offset) != bytes.size()) return false;
    use({.path = path,
         .place = fmt::format("{}!{}", file.path(), printable(each.name)),
         .bytes = std::move(bytes)});
  }
  for (const std::string& link : walk.links) {
    if (!options.has_links || leads_out(link) || is_hidden(plain_path(link))) continue;
    use({.path = plain_path(link),
         .place = fmt::format("{}!{}", file.path(), printable(link)),
         .is_link = true});
  }
  return true;
}

}  // namespace

bool read_ahead(base::File& file, const EntryOptions& options,
                const std::function<void(ArchiveEntry&& entry)>& use) {
  std::array<std::byte, archive::kContainerMagicBytes> first{};
  const auto format = archive::container_format(std::span(first).first(file.read_at(first, 0)));
  if (format == "zip") return read_zip_ahead(file, options, use);
  if (!format.empty() || codec::codec_of(file) != codec::Codec::none) return false;
  return read_tar_ahead(file, options, use);
}

ScratchSpace::ScratchSpace(std::uint64_t archive_bytes)
    : folder_(base::scratch_folder()),
      most_bytes_(archive_bytes > (UINT64_MAX - kAlwaysBytes) / kMostTimes
                      ? UINT64_MAX
                      : archive_bytes * kMostTimes + kAlwaysBytes) {}

base::File ScratchSpace::file() const {
  return base::scratch_file(folder_);
}

void ScratchSpace::take(std::uint64_t bytes) {
  const std::uint64_t before = taken_bytes_.fetch_add(bytes);
  try {
    if (before > most_bytes_ || bytes > most_bytes_ - before) {
      throw Error(fmt::format("unpacks to more than {}, which is more than {} times the size of the archive",
                              base::format_size(most_bytes_), kMostTimes),
                  {}, "no audio does that: it may be made to fill the disk");
    }
    check_free_space(bytes);
  } catch (...) {
    give_back(bytes);
    throw;
  }
}

/// Leaves the others on this machine a gigabyte, or a tenth of a small filesystem.
void ScratchSpace::check_free_space(std::uint64_t bytes) const {
  constexpr std::uint64_t kLeftBytes = std::uint64_t{1} << 30;
  const base::Filesystem filesystem = base::filesystem_of(folder_);
  const std::uint64_t left = std::min(kLeftBytes, filesystem.total_bytes / 10);
  if (filesystem.free_bytes >= left && filesystem.free_bytes - left >= bytes) return;
  throw FatalError(Error(
      fmt::format("has {} free, and large files need {} more to wait in, with {} left to others",
                  base::format_size(filesystem.free_bytes), base::format_size(bytes),
                  base::format_size(left)),
      at(folder_),
      "set TMPDIR to a folder with more room; an archive may be unpacked instead, and its folder given"));
}

std::shared_ptr<base::File> ScratchSpace::share(base::File&& file, std::uint64_t bytes) {
  auto space = shared_from_this();
  return {new base::File(std::move(file)), [space, bytes](base::File* shared) {
            delete shared;
            space->give_back(bytes);
          }};
}

}  // namespace shardmill::source
