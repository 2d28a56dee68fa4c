#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/system/command.hpp"
#include "check/verify/dataset_files.hpp"
#include "dataset/forms.hpp"
#include "dataset/owned_files.hpp"
#include "manifest/layout.hpp"

namespace shardmill::check {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSignature = "SHA256SUMS.sig";
constexpr const char* kProgram = "ssh-keygen";
constexpr const char* kNamespace = "file";  // what ssh-keygen's manual names for files
constexpr std::chrono::seconds kLimit{60};  // SHA256SUMS is hashed in milliseconds
constexpr std::uint64_t kLimitBytes = 1 << 20;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();  // its messages to a terminal end so
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

/// Runs ssh-keygen with `input` as its standard input. Throws Error unless it came to a verdict.
base::CommandResult run_ssh_keygen(const std::string& input, const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"sh", "-c", R"(exec ssh-keygen "$@" <"$0")", input};
  command.insert(command.end(), arguments.begin(), arguments.end());
  base::CommandResult result = base::run_bounded(command, kLimit, kLimitBytes);
  constexpr int kNotFound = 127;  // the exit status of a shell for a program that it did not find
  using End = base::CommandResult::End;
  if (result.end == End::exited && result.code == kNotFound) result.end = End::missing;
  if (result.end != End::exited)
    throw Error(
        base::ending(result, kLimit), at(kProgram),
        result.end == End::missing ? "install OpenSSH's client, 8.1 or later, to check signatures" : "");
  return result;
}

/// The last line that ssh-keygen printed about a signature that it rejects.
std::string reason_of(const base::CommandResult& result) {
  const auto lines = lines_of(result.err + result.out);
  return lines.empty() ? "ssh-keygen does not say why" : printable(lines.front());
}

/// True for files of shardmill that no checksum can name, because they differ from place to place or from run
/// to run.
bool is_never_signed(const std::string& name, const dataset::FileNames& owned) {
  return name == manifest::kChecksums || name == kSignature || owned.contains(name);
}

/// A file that loaders would take for a part of the dataset is a finding, and all others share a note.
void tell_unsigned(const dataset::DatasetRecords& records, FindingList& findings) {
  constexpr std::size_t kMostNamed = 3;
  const dataset::FileNames owned = dataset::dataset_file_names(records.folder);
  std::vector<std::string> others;
  fs::path last = records.folder;
  std::error_code failure;
  auto entry = fs::recursive_directory_iterator(records.folder, failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    last = entry->path();
    const std::string name = entry->path().lexically_relative(records.folder).string();
    if (entry.depth() == 0 && name == manifest::kWorkFolder) entry.disable_recursion_pending();
    const bool is_folder = entry->is_directory() && !entry->is_symlink();
    if (is_folder || (records.checksums && records.checksums->contains(name)) || is_never_signed(name, owned))
      continue;
    if (dataset::form_of(name) != nullptr && !dataset::may_be_users(name)) {
      findings.add(at(records.path(name)), "is named as an index, and no record of the dataset names it");
    } else {
      others.push_back(name);
    }
  }
  if (failure)
    findings.add(at(last),
                 fmt::format("cannot be read, so the files in it are unchecked: {}", failure.message()));
  if (others.empty()) return;
  std::sort(others.begin(), others.end());
  std::string names = others.front();
  for (std::size_t i = 1; i < std::min(others.size(), kMostNamed); ++i) names += ", " + others[i];
  if (others.size() > kMostNamed) names += fmt::format(" and {} more", others.size() - kMostNamed);
  findings.note(at(records.folder), "the signature says nothing about " + printable(names));
}

}  // namespace

void check_signature(const dataset::DatasetRecords& records, const std::string& allowed_signers,
                     FindingList& findings) {
  const std::string sums = records.path(manifest::kChecksums);
  const std::string signature = records.path(kSignature);
  base::File::open_read(allowed_signers).close();  // throws if it cannot be read
  if (!base::size_of_file(sums)) return;           // which is a finding of its own
  if (!base::exists(signature)) return findings.add(at(signature), "is missing: the dataset is not signed");
  const auto bytes = base::size_of_file(signature);
  if (!bytes || *bytes > kLimitBytes) {
    return findings.add(at(signature),
                        bytes ? "is no signature: it is larger than 1 MB" : "is not a regular file");
  }

  const auto found = run_ssh_keygen(sums, {"-Y", "find-principals", "-s", signature, "-f", allowed_signers});
  if (!found.is_good()) {
    findings.add(at(signature), fmt::format("is no signature by a key in {}: {}", printable(allowed_signers),
                                            reason_of(found)));
    return;
  }
  std::string problem = "ssh-keygen names no signer";
  for (const std::string& signer : lines_of(found.out)) {
    const auto checked = run_ssh_keygen(
        sums, {"-Y", "verify", "-f", allowed_signers, "-I", signer, "-n", kNamespace, "-s", signature});
    if (checked.is_good()) {
      const auto said =
          lines_of(checked.out);  // Good "file" signature for SIGNER with ED25519 key SHA256:...
      const std::size_t with = said.empty() ? std::string::npos : said.front().find(" with ");
      const std::string key = with == std::string::npos ? "" : said.front().substr(with);
      findings.note(at(sums), fmt::format("signed by {}{}", printable(signer), printable(key)));
      return tell_unsigned(records, findings);
    }
    problem = reason_of(checked);
  }
  findings.add(at(signature), fmt::format("is not a valid signature of SHA256SUMS: {}", problem));
}

}  // namespace shardmill::check
