#include "base/remote/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/hash/crc.hpp"
#include "base/hash/hash.hpp"
#include "base/hash/md5.hpp"
#include "base/text/letters.hpp"

namespace shardmill::base {

namespace {

std::string md5_of(std::span<const std::byte> bytes) {
  Md5 md5;
  md5.update(bytes);
  return md5.finish();
}

/// Reads the whole file or object.
std::uint64_t crc64_of(const std::string& path) {
  constexpr std::size_t kStepBytes = 1U << 20;
  const File file = File::open_read(path);
  std::vector<std::byte> step(kStepBytes);
  std::uint64_t crc = 0;
  std::uint64_t offset = 0;
  for (std::size_t got = step.size(); got == step.size(); offset += got) {
    got = file.read_at(step, offset);
    const auto bytes = std::span<const std::byte>(step).first(got);
    crc = crc64_joined(crc, crc64(bytes), got);
  }
  return crc;
}

/// What the server says of a file that it joined from parts. A tag of another kind than the one of most
/// servers proves nothing.
bool holds_what_was_sent(const BucketFolder& folder, const Transfer& transfer,
                         const BucketFolder::Object& there) {
  if (!there.crc64.empty()) return there.crc64 == crc64_text(transfer.whole_crc());
  const std::string joined = transfer.joined_etag();
  const std::string_view tag = without_quotes(there.etag);
  const bool is_of_this_kind = tag.size() == joined.size() && tag.find('-') == joined.find('-');
  if (transfer.upload.id.empty() || joined.empty() || tag == joined || !is_of_this_kind) return true;
  return crc64_of(folder.address_of(transfer.file.name)) == transfer.whole_crc();
}

}  // namespace

std::uint64_t Transfer::bytes_of(unsigned number) const {
  return std::min(part_bytes, file.bytes - (number - 1) * part_bytes);
}

void Transfer::read_part(unsigned number, std::string& bytes) const {
  bytes.resize(bytes_of(number));
  const std::size_t read = input.read_at(std::as_writable_bytes(std::span(bytes)), (number - 1) * part_bytes);
  if (read != bytes.size()) throw FatalError(Error("became shorter while it was sent", at(file.path)));
}

std::string Transfer::read_part(unsigned number) const {
  std::string bytes;
  read_part(number, bytes);
  return bytes;
}

std::uint64_t Transfer::whole_crc() const {
  std::uint64_t crc = 0;
  for (const auto& [number, part] : crcs) crc = crc64_joined(crc, part, bytes_of(number));
  return crc;
}

std::string Transfer::joined_etag() const {
  std::vector<std::byte> digests;
  for (const auto& [number, part] : parts) {
    std::array<std::byte, 16> digest{};
    if (!from_hex(without_quotes(part.etag), digest)) return {};
    digests.insert(digests.end(), digest.begin(), digest.end());
  }
  return fmt::format("{}-{}", md5_of(digests), parts.size());
}

Transfer transfer_of(const FileToSend& file) {
  Transfer transfer{.file = file, .input = File::open_read(file.path)};
  if (transfer.input.size() != file.bytes)
    throw FatalError(Error("changed while it was sent", at(file.path)));
  return transfer;
}

std::string_view without_quotes(std::string_view etag) {
  return trimmed(etag, "\"");
}

std::string usual_tag(std::string_view bytes) {
  return md5_of(as_bytes(bytes));
}

bool is_same_part(const BucketFolder::Part& part, std::string_view bytes, std::uint64_t crc) {
  return part.crc64.empty() ? without_quotes(part.etag) == usual_tag(bytes) : part.crc64 == crc64_text(crc);
}

void check_arrived(const BucketFolder& folder, const Transfer& transfer) {
  const FileToSend& file = transfer.file;
  const auto there = folder.find(file.name);
  const bool is_same =
      there && there->bytes == file.bytes &&
      (transfer.tag.empty() || without_quotes(there->etag) == without_quotes(transfer.tag)) &&
      holds_what_was_sent(folder, transfer, *there);
  if (!is_same)
    throw Error(there ? "is another file than the one that was sent" : "is not there, though it was sent",
                at(folder.address_of(file.name)),
                "another program may be writing there, or a proxy be in between; run the same command again");
}

}  // namespace shardmill::base
