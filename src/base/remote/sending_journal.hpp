// SendingJournal: which steps of sending files to a bucket were taken, so that a killed run goes on.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/io/file.hpp"
#include "base/remote/bucket_folder.hpp"

namespace shardmill::base {

/// A line for each step. The last one may be cut: then the step counts as not taken. Thread-safe.
class SendingJournal {
 public:
  using Upload = BucketFolder::Upload;

  /// A part that is there.
  struct Part {
    std::string etag{};
    std::uint64_t crc = 0;
  };
  /// What is known of a file that is there.
  struct Done {
    std::uint64_t bytes = 0;
    std::uint64_t crc = 0;
    std::string tag{};  // without quotes
  };
  /// What is known of a file that is sent in parts.
  struct Begun {
    std::string id{};  // empty: it is to begin, or its name was lost
    std::uint64_t part_bytes = 0;
    std::map<unsigned, Part> parts{};
    bool was_lost = false;  // an answer, so that there may be an upload of an unknown name
  };

  /// Continues the journal at `path` if it is one for `address`, and replaces it otherwise.
  SendingJournal(const std::string& path, const std::string& address);

  /// Uploads of others were looked for.
  bool has_begun() const noexcept { return has_begun_; }
  bool is_of_others(const Upload& upload) const { return others_.contains(upload); }
  std::map<std::string, Done> done() const;
  std::map<std::string, Begun> begun() const;
  Begun begun(const std::string& name) const;
  /// A run was killed between the question for an upload and its answer.
  bool waits_for_answer(const std::string& name) const;
  bool is_done(const std::string& name) const;

  void add(const std::vector<std::string>& fields, bool durable = true);

 private:
  void take(const std::vector<std::string>& fields);

  File file_;
  bool has_begun_ = false;
  std::set<Upload> others_;
  std::map<std::string, Done> done_;
  std::map<std::string, Begun> begun_;
  mutable std::mutex mutex_;
};

}  // namespace shardmill::base
