#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/system/command.hpp"
#include "check/verify/dataset_files.hpp"
#include "manifest/layout.hpp"

namespace shardmill::check {

namespace {

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
    throw Error(base::ending(result, kLimit), at(kProgram),
                "install OpenSSH's client, 8.1 or later, to check signatures");
  return result;
}

/// The last line that ssh-keygen printed about a signature that it rejects.
std::string reason_of(const base::CommandResult& result) {
  const auto lines = lines_of(result.err + result.out);
  return lines.empty() ? "ssh-keygen does not say why" : printable(lines.front());
}

}  // namespace

void check_signature(const dataset::DatasetRecords& records, const std::string& allowed_signers,
                     FindingList& findings) {
  const std::string sums = records.path(manifest::kChecksums);
  const std::string signature = records.path(kSignature);
  base::File::open_read(allowed_signers).close();  // throws if it cannot be read
  if (!base::exists(sums)) return;                 // which is a finding of its own
  if (!base::exists(signature)) return findings.add(at(signature), "is missing: the dataset is not signed");

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
      return findings.note(at(sums), fmt::format("signed by {}{}", printable(signer), printable(key)));
    }
    problem = reason_of(checked);
  }
  findings.add(at(signature), fmt::format("is not a valid signature of SHA256SUMS: {}", problem));
}

}  // namespace shardmill::check
