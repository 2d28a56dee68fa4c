#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/io/writer_lock.hpp"
#include "doctor/doctor.hpp"

namespace shardmill::doctor {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A folder inside the one that is tried. The destructor removes it with everything in it.
class Scratch {
 public:
  explicit Scratch(const std::string& folder)
      : path_(fmt::format("{}/.shardmill-doctor-{}", folder, ::getpid())) {
    base::make_folders(path_);
  }
  ~Scratch() {
    try {
      base::remove_tree(path_);
    } catch (const std::exception&) {
      // Nothing can be done about this here. The folder could be written to a moment ago.
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

bool lock_keeps_others_out(const Scratch& scratch) {
  const std::string path = scratch.file("lock");
  const auto first = base::WriterLock::attempt(path, "shardmill doctor");
  const auto second = base::WriterLock::attempt(path, "shardmill doctor");
  return first.lock && !second.lock;
}

void write_file(const std::string& path, std::string_view text) {
  base::File file = base::File::create(path);
  file.write(base::as_bytes(text));
  file.sync();
  file.close();
}

bool rename_replaces(const Scratch& scratch) {
  write_file(scratch.file("old"), "old");
  write_file(scratch.file("new"), "new");
  base::rename_file(scratch.file("new"), scratch.file("old"));
  return base::read_text(scratch.file("old")) == "new" && !base::exists(scratch.file("new"));
}

/// Bytes that no filesystem can compress.
std::vector<std::byte> noise() {
  std::mt19937_64 random(1);
  std::vector<std::byte> bytes(kChunkBytes);
  std::generate(bytes.begin(), bytes.end(), [&random] { return static_cast<std::byte>(random() & 0xff); });
  return bytes;
}

void measure_speed(const Scratch& scratch, std::uint64_t most_bytes, double seconds, base::Reporter& reporter,
                   FolderCheck& check) {
  std::vector<std::byte> chunk = noise();
  base::File file = base::File::create(scratch.file("speed"));
  const auto writing = Clock::now();
  while (check.tried_bytes + kChunkBytes <= most_bytes && seconds_since(writing) < seconds) {
    reporter.check_stop();
    file.write(chunk);
    file.start_writeback(check.tried_bytes, kChunkBytes);
    check.tried_bytes += kChunkBytes;
  }
  file.sync();
  check.write_bytes_per_second = static_cast<double>(check.tried_bytes) / seconds_since(writing);
  file.close();

  const base::File again = base::File::open_read(scratch.file("speed"));
  ::posix_fadvise(again.descriptor(), 0, 0, POSIX_FADV_DONTNEED);  // only advice: a failure does not matter
  const auto reading = Clock::now();
  for (std::uint64_t done = 0; done < check.tried_bytes; done += kChunkBytes) {
    reporter.check_stop();
    again.read_at(chunk, done);
  }
  check.read_bytes_per_second = static_cast<double>(check.tried_bytes) / seconds_since(reading);
}

}  // namespace

FolderCheck check_folder(const std::string& folder, std::uint64_t most_bytes, double seconds,
                         base::Reporter& reporter) {
  FolderCheck check;
  try {
    const Scratch scratch(folder);
    check.replaces = rename_replaces(scratch);
    check.locks = lock_keeps_others_out(scratch);
    if (most_bytes >= kChunkBytes) measure_speed(scratch, most_bytes, seconds, reporter, check);
  } catch (const base::Interrupted&) {
    throw;
  } catch (const Error& error) {
    check.problem = error.what();
  } catch (const FatalError& error) {  // doctor reports what the machine cannot do
    check.problem = error.what();
  }
  return check;
}

}  // namespace shardmill::doctor
