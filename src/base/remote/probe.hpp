// Probe: what a bucket or a web server can do, found by trying it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shardmill::base {

/// What one kind of request came to.
struct Trial {
  bool works = false;
  std::string problem{};  // why it does not; empty: it was not tried
};

struct RemoteProbe {
  std::string address;  // as it may be shown
  bool is_bucket = false;
  Trial reads{};
  bool has_ranges = false;       // else files are read from their beginning
  bool keeps_versions = false;   // a range of another version than the wanted one is refused
  std::uint64_t file_bytes = 0;  // of the file on a web server
  bool has_version = false;      // the server names the version of a file: ETag or time

  // Of buckets.
  Trial lists{};
  Trial writes{};
  Trial writes_parts{};
  Trial removes{};
  bool keeps_crc64 = false;         // CRC-64/NVME, of objects that were sent in parts, too
  bool honours_conditions = false;  // If-None-Match: two runs keep out of each other's way
  std::vector<std::string> left{};  // objects and uploads that could not be removed again

  double request_seconds = 0;  // for the smallest question
  std::uint64_t written_bytes = 0;
  double write_bytes_per_second = 0;  // by one connection
  std::uint64_t read_bytes = 0;
  double read_bytes_per_second = 0;  // as a run reads one file
};

/// Tries a bucket, or a file on a web server, for about `seconds`. In a bucket it writes objects with new
/// names,
/// ".shardmill-doctor-…", and removes them again; it never writes or removes others. Throws UsageError for
/// any other address, and Interrupted.
RemoteProbe probe_remote(const std::string& address, double seconds);

}  // namespace shardmill::base
