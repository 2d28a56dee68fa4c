#include "repack/depfile.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/volumes.hpp"
#include "base/remote/url.hpp"
#include "dataset/forms.hpp"
#include "dataset/output_folder.hpp"
#include "manifest/layout.hpp"
#include "source/source_spec.hpp"

namespace shardmill::repack {

namespace {

namespace fs = std::filesystem;

/// Folders that belong to an output folder; only shardmill puts files there.
constexpr std::string_view kOwnFolders[] = {manifest::kWorkFolder, manifest::kShardFolder,
                                            manifest::kManifestFolder, manifest::kParityFolder,
                                            manifest::kRankFolder};

/// The folders from that of `file` up to `top`; none when the file is not in `top`.
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

constexpr std::string_view kFirstLine = "# Written by shardmill\n";  // a comment for make

bool was_written_by_shardmill(const std::string& path) {
  return base::read_text(path).starts_with(kFirstLine);
}

fs::path whole_path(const std::string& path) {
  return base::canonical(fs::absolute(path));
}

bool is_at_or_below(const fs::path& inner) {
  return !inner.empty() && *inner.begin() != "..";
}

void check_is_no_result(const std::string& path, const RunResults& results) {
  const fs::path file = whole_path(path);
  const fs::path folder = whole_path(results.folder);
  if (is_at_or_below(folder.lexically_relative(file)))
    throw Error("is the folder that the results will be in", at(path), Remedy::other_depfile);
  const fs::path inner = file.lexically_relative(folder);
  if (!is_at_or_below(inner)) return;
  const std::string top = inner.begin()->string();
  const auto is_of = [&](const dataset::LoaderForm& form) { return top == form.folder; };
  const bool is_in_own_folder =
      std::find(std::begin(kOwnFolders), std::end(kOwnFolders), top) != std::end(kOwnFolders) ||
      std::any_of(dataset::all_forms().begin(), dataset::all_forms().end(), is_of);
  const bool is_written =
      std::find(results.names.begin(), results.names.end(), inner.string()) != results.names.end();
  if (is_in_own_folder || is_written)
    throw Error("is a file that this run writes itself", at(path), Remedy::other_depfile);
}

}  // namespace

std::vector<std::string> files_of_sources(const source::SourceSet& sources) {
  std::set<std::string> files = searched_folders(sources);
  for (const source::SourceDataset& dataset : sources.datasets) {
    for (const source::SourceFile& file : dataset.files) {
      if (file.kind == source::SourceKind::command) continue;
      files.insert(file.path);
      for (std::string& volume : base::volumes_of(file.path)) files.insert(std::move(volume));
    }
    for (const source::SourceFile& file : dataset.descriptions) files.insert(file.path);
  }
  for (const source::GivenSource& given : sources.given) {
    std::error_code unknown;  // ignored: a pattern or a source with a prefix; its files are known by now
    if (fs::is_regular_file(given.path, unknown)) files.insert(given.path);
  }
  std::erase_if(files, base::is_remote);  // make knows no time of theirs
  return {files.begin(), files.end()};
}

void check_depfile(const std::string& path, const std::vector<MakeRule>& rules, const RunResults& results) {
  if (path.empty()) return;
  if (path.ends_with('/')) throw Error("is the name of a folder", at(path), Remedy::other_depfile);
  if (const auto mine = base::identity_of(path)) {
    for (const MakeRule& rule : rules) {
      for (const std::string& file : rule.prerequisites) {
        if (mine == base::identity_of(file))
          throw Error("is a source, and is not replaced", at(path), Remedy::other_depfile);
      }
    }
  }
  const bool is_there = dataset::check_file_may_be_written(path);
  check_is_no_result(path, results);
  if (!is_there || was_written_by_shardmill(path)) return;
  throw Error("is there already, and was not written as a list of dependencies: it is not replaced", at(path),
              "remove it", Remedy::other_depfile);
}

void write_depfile(const std::string& path, const std::string& rules) {
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) base::make_folders(folder);
  base::AtomicFile file(path);
  file.write(kFirstLine);
  file.write(rules);
  file.commit();
}

namespace {

[[noreturn]] void refuse(std::string_view name) {
  throw Error("has a name that no Makefile can hold", at(std::string(name)), "rename it", Remedy::no_depfile);
}

std::string escaped(std::string_view name) {
  if (name.empty() || name.ends_with('\\')) refuse(name);
  std::string out = name.starts_with('~') ? "./" : "";  // otherwise make takes it for a home directory
  std::size_t backslashes = 0;                          // directly before this character
  for (const char c : name) {
    switch (c) {
      case '\n':
      case '\r':
      case ';':
      case '|':
        refuse(name);
      case '$':
        out += "$$";
        break;
      case '=':
        out += "$(if 1,=)";  // a plain '=' would make the line set a variable
        break;
      case ' ':
      case '\t':
      case '#':
      case ':':
      case '*':
      case '?':
      case '[':
        out.append(backslashes, '\\');  // make needs this before an escaped character, and only there
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return out;
}

/// A target with % would be a pattern rule.
bool can_be_target(std::string_view name) {
  return name.find('%') == std::string_view::npos;
}

}  // namespace

std::string make_rules(const std::vector<MakeRule>& rules) {
  std::string text;
  std::set<std::string> targets;
  std::set<std::string> alone;
  for (const MakeRule& rule : rules) {
    if (!can_be_target(rule.target)) refuse(rule.target);
    text += escaped(rule.target) + ':';
    for (const std::string& name : rule.prerequisites) {
      text += " \\\n  " + escaped(name);
      alone.insert(name);
    }
    text += '\n';
    targets.insert(rule.target);
  }
  for (const std::string& name : alone) {
    if (can_be_target(name) && !targets.contains(name)) text += '\n' + escaped(name) + ":\n";
  }
  return text;
}

}  // namespace shardmill::repack
