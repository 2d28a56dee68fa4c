#include "shardmill/commands/depfile.hpp"

#include <filesystem>
#include <set>
#include <sstream>

#include "shardmill/base/entry.hpp"
#include "shardmill/base/file.hpp"
#include "shardmill/commands/output_folder.hpp"
#include "shardmill/source/source_spec.hpp"

namespace shardmill::commands {

namespace {

namespace fs = std::filesystem;

/// The folders from that of `file` up to `top`, where it lies in `top`.
void add_folders(const fs::path& file, const fs::path& top, std::set<std::string>& folders) {
  const fs::path inner = file.lexically_relative(top);
  if (inner.empty() || *inner.begin() == "..") return;
  for (fs::path folder = file.parent_path(); folder != top && folder.has_relative_path();
       folder = folder.parent_path()) {
    folders.insert(folder.string());
  }
  folders.insert(top.string());
}

std::set<std::string> searched_folders(const source::SourceSet& sources) {
  std::set<std::string> tops(sources.folders.begin(), sources.folders.end());
  for (const source::GivenSource& given : sources.given) {
    if (source::is_pattern(given.path)) tops.insert(source::fixed_part(given.path));
  }
  std::set<std::string> folders;
  for (const std::string& top : tops) {
    for (const source::SourceDataset& dataset : sources.datasets) {
      for (const source::SourceFile& file : dataset.files) add_folders(file.path, top, folders);
    }
  }
  return folders;
}

/// Rules as base::make_rules() writes them: lines of "target:", of prerequisites, and empty ones.
bool looks_like_rules(const std::string& path) {
  const std::string text = base::read_text(path);
  if (text.find('\0') != std::string::npos) return false;
  std::istringstream lines(text);
  bool goes_on = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_rule = line.ends_with(':') || line.find(": ") != std::string::npos;
    if (!goes_on && !line.empty() && !is_rule) return false;
    goes_on = line.ends_with('\\');
  }
  return !goes_on;
}

}  // namespace

std::vector<std::string> files_behind(const source::SourceSet& sources) {
  std::set<std::string> files = searched_folders(sources);
  for (const source::SourceDataset& dataset : sources.datasets) {
    for (const source::SourceFile& file : dataset.files) {
      if (file.kind != source::SourceKind::command) files.insert(file.path);
    }
    for (const source::SourceFile& file : dataset.descriptions) files.insert(file.path);
  }
  for (const source::GivenSource& given : sources.given) {
    std::error_code unknown;  // a pattern, or a source with a prefix: its files are known by now
    if (fs::is_regular_file(given.path, unknown)) files.insert(given.path);
  }
  return {files.begin(), files.end()};
}

void check_depfile(const std::string& path, const std::vector<std::string>& prerequisites) {
  if (path.empty()) return;
  const auto mine = base::identity_of(path);
  for (const std::string& file : prerequisites) {
    if (mine && mine == base::identity_of(file))
      throw Error("is a source, and is not replaced", at(path), "give --depfile another name");
  }
  if (!check_file_may_be_written(path) || looks_like_rules(path)) return;
  throw Error("is there already, and holds something else than rules of make: it is not replaced", at(path),
              "give --depfile another name");
}

void write_depfile(const std::string& path, const std::string& rules) {
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) base::make_folders(folder);
  base::AtomicFile file(path);
  file.write(rules);
  file.commit();
}

}  // namespace shardmill::commands
