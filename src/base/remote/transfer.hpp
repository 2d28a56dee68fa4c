// Transfer: a file on its way to a bucket, its parts and sums, and whether the server holds the same bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/io/file.hpp"
#include "base/remote/bucket_folder.hpp"
#include "base/remote/sending.hpp"

namespace shardmill::base {

struct Transfer {
  const FileToSend& file;
  File input;
  BucketFolder::Upload upload{};  // without an id: it is sent whole
  std::uint64_t part_bytes = 0;
  unsigned count = 1;    // of parts
  std::size_t left = 0;  // parts that are not there yet
  BucketFolder::Parts parts{};
  std::map<unsigned, std::uint64_t> crcs{};
  std::string tag{};  // of the object, once it is there

  std::uint64_t bytes_of(unsigned number) const;
  /// Throws FatalError if the file has become shorter.
  void read_part(unsigned number, std::string& bytes) const;
  std::string read_part(unsigned number) const;
  /// CRC-64/NVME of the file: all parts must have theirs.
  std::uint64_t whole_crc() const;
  /// The tag that most servers give to an object of such parts; empty if theirs are no MD5s.
  std::string joined_etag() const;
};

/// Throws FatalError if the file does not have its size any more.
Transfer transfer_of(const FileToSend& file);

std::string_view without_quotes(std::string_view etag);

/// The tag that most servers give to a part of these bytes.
std::string usual_tag(std::string_view bytes);

/// True if these are the bytes of a part that the server has, by its sum or by the tag that most servers
/// give.
bool is_same_part(const BucketFolder::Part& part, std::string_view bytes, std::uint64_t crc);

/// Throws Error if the server does not have the file, although the answer was that it is stored: a proxy may
/// have given that answer.
void check_arrived(const BucketFolder& folder, const Transfer& transfer);

}  // namespace shardmill::base
