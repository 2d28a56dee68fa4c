// Sending: moves files of this machine into a bucket, large ones in parts, and goes on after a crash where it
// was.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/remote/bucket_folder.hpp"

namespace shardmill::base {

struct FileToSend {
  enum class Turn {
    any,     // several at a time
    record,  // when those are there
    last,    // one by one, when the folder holds all others
  };

  std::string path;
  std::string name;         // in the bucket's folder
  std::uint64_t bytes = 0;  // that it has
  bool may_go = false;      // it is removed as soon as it is in the bucket
  Turn turn = Turn::any;
};

/// A file that is in the bucket.
struct SentFile {
  std::string name;
  std::uint64_t crc64 = 0;  // CRC-64/NVME of its bytes, as they were sent
  std::string tag;          // that the server gave it, without quotes
};

struct SendingOptions {
  std::string journal;                  // of the steps that were taken
  unsigned threads = 4;                 // each holds one part in memory
  std::uint64_t part_bytes = 8U << 20;  // of files with no more than 10,000 of them
  /// Called from any thread with the bytes that were sent or found there. May throw to stop.
  std::function<void(std::uint64_t)> progress{};
  /// Called when all files of Turn::any are there. It may write those of Turn::record again, as records of
  /// the others; for the same files it must write the same bytes.
  std::function<void(const std::vector<SentFile>&)> before_records{};
  /// Called with all that is there, when this is all but the files of Turn::last. May throw to stop.
  std::function<void(const BucketFolder::Objects& there)> before_last{};
};

/// A file that was sent, by this call or an earlier one, is gone or another by now.
class LostFile : public Error {
 public:
  LostFile(const Error& error, bool is_gone) : Error(error), is_gone_(is_gone) {}
  bool is_gone() const noexcept { return is_gone_; }

 private:
  bool is_gone_;
};

/// Sends the files by their turns, and otherwise in their order.
/// Only parts that the server does not have yet are sent. When it returns, no upload is left that it began;
/// uploads of others are not touched. What a killed call has done is found by its journal and the server's
/// lists. The files must have the same bytes as then.
void send_files(const BucketFolder& folder, const std::vector<FileToSend>& files,
                const SendingOptions& options);

/// Removes what calls with this journal have sent, and the journal; ends the uploads that they have left.
void give_up_sending(const BucketFolder& folder, const std::string& journal);

}  // namespace shardmill::base
