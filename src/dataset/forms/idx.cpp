#include "dataset/forms/idx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/error.hpp"
#include "base/io/file.hpp"

namespace shardmill::dataset {

namespace {

/// False where one of the files is missing.
bool is_older(const std::string& index, const std::string& data) {
  std::error_code failure;
  const auto index_time = std::filesystem::last_write_time(index, failure);
  if (failure) return false;
  const auto data_time = std::filesystem::last_write_time(data, failure);
  return !failure && index_time < data_time;
}

}  // namespace

void append_place(std::string& out, std::uint64_t place) {
  for (unsigned shift = 0; shift < 64; shift += 8) out += static_cast<char>(place >> shift & 0xff);
}

std::string idx_text(const std::vector<std::uint64_t>& places) {
  std::string out;
  out.reserve(8 * places.size());
  for (const std::uint64_t place : places) append_place(out, place);
  return out;
}

std::vector<std::uint64_t> places_in(const std::string& path) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
  const std::string text = base::read_text(path, kMostBytes);
  if (text.empty() || text.size() % sizeof(std::uint64_t) != 0)
    throw Error("is not an index: its size is not that of a list of numbers", at(path));
  std::vector<std::uint64_t> places;
  places.reserve(text.size() / sizeof(std::uint64_t));
  for (std::size_t begin = 0; begin < text.size(); begin += sizeof(std::uint64_t)) {
    std::uint64_t place = 0;
    for (std::size_t byte = sizeof place; byte-- > 0;)
      place = place << 8 | static_cast<unsigned char>(text[begin + byte]);
    places.push_back(place);
  }
  return places;
}

std::string idx_name(std::string_view file_name) {
  return std::string(file_name) + ".idx";
}

std::vector<std::uint64_t> line_places(const std::string& path, base::Reporter& reporter) {
  constexpr std::size_t kReadBytes = std::size_t{1} << 20;
  std::string text(kReadBytes, '\0');
  std::vector<std::uint64_t> places{0};
  base::File file = base::File::open_read(path);
  std::uint64_t begin = 0;
  for (;;) {
    reporter.check_stop();
    const std::size_t got = file.read(std::as_writable_bytes(std::span(text)));
    if (got == 0) break;
    const std::string_view part(text.data(), got);
    for (std::size_t at = part.find('\n'); at != std::string_view::npos; at = part.find('\n', at + 1))
      places.push_back(begin + at + 1);
    begin += got;
  }
  if (places.back() != begin) places.push_back(begin);
  return places;
}

std::vector<std::string> beside(const std::vector<std::string>& names, std::string_view sign,
                                std::string_view pack) {
  if (std::find(names.begin(), names.end(), sign) == names.end()) return {};
  return {std::string(pack)};
}

void note_older_indexes(const DatasetRecords& records, const std::vector<IndexedFile>& files,
                        std::string_view form, FindingList& findings) {
  for (const IndexedFile& file : files) {
    if (!is_older(records.path(file.index), records.path(file.data))) continue;
    findings.note(at(records.path(file.index)),
                  fmt::format("is older than {}, and Lhotse's index packs refuse that: 'shardmill index {} "
                              "--index {}' or touch gives it the time of now",
                              file.data, records.folder, form));
  }
}

void refresh_older_indexes(const DatasetRecords& records, const std::vector<IndexedFile>& files) {
  for (const IndexedFile& file : files) {
    if (!is_older(records.path(file.index), records.path(file.data))) continue;
    std::error_code failure;  // ignored: verify notes an index that stays older
    std::filesystem::last_write_time(records.path(file.index), std::filesystem::file_time_type::clock::now(),
                                     failure);
  }
}

}  // namespace shardmill::dataset
