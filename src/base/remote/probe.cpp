#include "base/remote/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <optional>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "base/hash/crc.hpp"
#include "base/io/file.hpp"
#include "base/remote/access.hpp"
#include "base/remote/bucket_folder.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"

namespace shardmill::base {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPartBytes = std::size_t{8} << 20;
constexpr std::uint64_t kMostBytes = std::uint64_t{128} << 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Bytes that no server can compress.
std::string noise(std::size_t bytes) {
  std::mt19937_64 random(1);
  std::string text(bytes, '\0');
  std::generate(text.begin(), text.end(), [&random] { return static_cast<char>(random() & 0xff); });
  return text;
}

std::string new_name() {
  std::random_device random;
  return fmt::format(".shardmill-doctor-{:08x}{:08x}{:08x}", random(), random(), random());
}

template <typename Try>
Trial tried(Try attempt) {
  try {
    attempt();
    return {.works = true};
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    return {.works = false, .problem = error.what()};
  } catch (const FatalError& error) {
    return {.works = false, .problem = error.what()};
  }
}

/// Never throws.
template <typename Step>
bool is_done(Step step) noexcept try {
  step();
  return true;
} catch (const std::exception&) {
  return false;
}

/// How the server answers for ranges of the object, and how fast.
void try_reading(const std::string& address, double seconds, RemoteProbe& probe) {
  const File file = File::open_read(address);
  probe.file_bytes = file.size();
  probe.has_version = !file.remote()->version().empty();
  if (probe.file_bytes == 0) return;
  RemoteAccess& access = RemoteAccess::of_process();
  constexpr std::uint64_t kSmall = 64 * 1024;
  const auto start = Clock::now();
  const HttpAnswer first = access.ask(address, "GET", {{"range", "bytes=0-0"}}, kSmall);
  probe.request_seconds = seconds_since(start);
  probe.has_ranges = first.status == 206;
  const HttpAnswer other =
      access.ask(address, "GET", {{"range", "bytes=0-0"}, {"if-match", "\"another version\""}}, kSmall);
  probe.keeps_versions = other.problem.empty() && other.status == 412;
  std::vector<std::byte> chunk(1 << 20);
  const auto reading = Clock::now();
  while (probe.read_bytes < std::min(kMostBytes, probe.file_bytes) && seconds_since(reading) < seconds) {
    const std::size_t got = file.read_at(chunk, probe.read_bytes);
    if (got == 0) break;
    probe.read_bytes += got;
  }
  probe.read_bytes_per_second = static_cast<double>(probe.read_bytes) / seconds_since(reading);
}

/// The objects that are written for the trial. The destructor removes those that are still there.
class TrialObjects {
 public:
  explicit TrialObjects(const BucketFolder& folder, RemoteProbe& probe) : folder_(folder), probe_(probe) {}
  ~TrialObjects() {
    if (upload_ && !is_done([&] { folder_.abort(*upload_); }))
      probe_.left.push_back(fmt::format("an upload of {}", folder_.address_of(upload_->name)));
    for (const std::string& name : names_) {
      const bool is_removed = is_done([&] { folder_.remove(name); });
      if (!is_removed && probe_.writes.works) probe_.left.push_back(folder_.address_of(name));
    }
  }
  TrialObjects(const TrialObjects&) = delete;
  TrialObjects& operator=(const TrialObjects&) = delete;

  void write_small();
  void write_parts(double seconds);
  void remove();
  const std::string& last() const { return names_.back(); }

 private:
  std::string add_name() {
    std::string name = new_name();
    if (folder_.find(name)) throw Error("is there already", at(folder_.address_of(name)), "try again");
    names_.push_back(name);
    return name;
  }

  const BucketFolder& folder_;
  RemoteProbe& probe_;
  std::vector<std::string> names_;
  std::optional<BucketFolder::Upload> upload_;
};

void TrialObjects::write_small() {
  const std::string name = add_name();
  const std::string text = "shardmill doctor tried whether it can write here, and should have removed this\n";
  if (!folder_.write_new(name, text))
    throw Error("is there already", at(folder_.address_of(name)), "try again");
  probe_.honours_conditions = !folder_.write_new(name, "another text");
  if (folder_.read(name) != (probe_.honours_conditions ? text : "another text"))
    throw Error("the server does not give back what was written", at(folder_.address_of(name)));
}

void TrialObjects::write_parts(double seconds) {
  const std::string name = add_name();
  const std::string part = noise(kPartBytes);
  const std::uint64_t crc = crc64(as_bytes(part));
  const auto id = folder_.begin_upload(name);
  if (!id) throw Error("cannot be written: the server begins no upload", at(folder_.address_of(name)));
  upload_ = BucketFolder::Upload{.name = name, .id = *id};
  folder_.uploads(name);  // throws where they may not be listed
  BucketFolder::Parts parts;
  std::uint64_t whole = 0;
  const auto writing = Clock::now();
  do {
    const auto number = static_cast<unsigned>(parts.size()) + 1;
    parts[number] = folder_.write_part(*upload_, number, part, crc);
    whole = crc64_joined(whole, crc, part.size());
    probe_.written_bytes += part.size();
  } while (probe_.written_bytes < kMostBytes && seconds_since(writing) < seconds);
  probe_.write_bytes_per_second = static_cast<double>(probe_.written_bytes) / seconds_since(writing);
  const auto listed = folder_.parts(*upload_);
  if (!listed || listed->size() != parts.size())
    throw Error("the server does not list the parts that it has", at(folder_.address_of(name)));
  if (!folder_.complete(*upload_, parts, whole))
    throw Error("the server does not know the upload that it began", at(folder_.address_of(name)));
  upload_.reset();
  const auto object = folder_.find(name);
  if (!object || object->bytes != probe_.written_bytes)
    throw Error("the server does not have all that was written", at(folder_.address_of(name)));
  probe_.keeps_crc64 = object->crc64 == crc64_text(whole);
}

void TrialObjects::remove() {
  while (!names_.empty()) {
    folder_.remove(names_.back());
    if (folder_.find(names_.back())) throw Error("is still there", at(folder_.address_of(names_.back())));
    names_.pop_back();
  }
}

void try_bucket(const std::string& address, double seconds, RemoteProbe& probe) {
  const BucketFolder folder(address);
  probe.is_bucket = true;
  std::string some_object;
  probe.lists = tried([&] { some_object = folder.any_object(); });
  TrialObjects objects(folder, probe);
  probe.writes = tried([&] { objects.write_small(); });
  if (probe.writes.works) {
    some_object = objects.last();
    probe.writes_parts = tried([&] { objects.write_parts(seconds); });
    if (probe.writes_parts.works) some_object = objects.last();
  }
  if (!some_object.empty())
    probe.reads = tried([&] { try_reading(folder.address_of(some_object), seconds, probe); });
  if (probe.writes.works) probe.removes = tried([&] { objects.remove(); });
}

}  // namespace

RemoteProbe probe_remote(const std::string& address, double seconds) {
  RemoteProbe probe{.address = shown_address(address)};
  if (address.starts_with("s3://")) {
    try_bucket(address, seconds, probe);
  } else {
    probe.reads = tried([&] { try_reading(address, seconds, probe); });
  }
  return probe;
}

}  // namespace shardmill::base
