#include "dataset/converted_record.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "manifest/layout.hpp"

namespace shardmill::dataset {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kFirstLine = "shardmill converted 1\n";
constexpr std::uint64_t kMostRecordBytes = 1 << 20;

std::string records_folder_of(const std::string& folder) {
  return folder + "/" + std::string(manifest::kWorkFolder) + "/" + std::string(kConvertedFolderName);
}

std::optional<std::string> read(const fs::path& path) {
  if (base::entry_at(path) != base::Entry::file) return std::nullopt;
  try {
    const std::string text = base::read_text(path.string(), kMostRecordBytes);
    if (text.starts_with(kFirstLine)) return text.substr(kFirstLine.size());
  } catch (const Error&) {
    // The record is not ours, or cannot be read. Then the result is treated as somebody else's.
  }
  return std::nullopt;
}

std::vector<fs::path> records_in(const std::string& records_folder) {
  if (base::entry_at(records_folder) != base::Entry::folder) return {};
  return base::entries(records_folder);
}

bool is_record(const fs::path& path) {
  return read(path).has_value() || base::is_part_of_atomic_file(path);
}

}  // namespace

bool holds_converted_records(const std::string& folder) {
  if (base::entry_at(folder + "/" + std::string(manifest::kWorkFolder)) != base::Entry::folder) return false;
  const auto records = records_in(records_folder_of(folder));
  return std::any_of(records.begin(), records.end(),
                     [](const fs::path& path) { return read(path).has_value(); });
}

bool holds_only_converted_records(const std::string& records_folder) {
  if (base::entry_at(records_folder) != base::Entry::folder) return false;
  const auto records = records_in(records_folder);
  return std::all_of(records.begin(), records.end(), is_record);
}

std::optional<std::string> read_converted_record(const std::string& folder, const std::string& result_name) {
  return read(fs::path(records_folder_of(folder)) / result_name);
}

void write_converted_record(const std::string& folder, const std::string& result_name,
                            std::string_view details) {
  const std::string records_folder = records_folder_of(folder);
  base::make_folders(records_folder);
  base::AtomicFile file(records_folder + "/" + result_name);
  file.write(kFirstLine);
  file.write(details);
  file.commit();
}

}  // namespace shardmill::dataset
