#include "repack/bucket/lock.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/io/file.hpp"
#include "base/io/folder.hpp"
#include "base/remote/http.hpp"
#include "base/system/machine.hpp"
#include "base/text/letters.hpp"
#include "manifest/layout.hpp"

namespace shardmill::repack {

namespace {

std::string random_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

BucketLock::BucketLock(const base::BucketFolder& folder, const std::vector<std::string>& folders,
                       const std::string& name_path)
    : folder_(folder) {
  for (const std::string& each : folders)
    objects_.push_back(each.empty() ? std::string(manifest::kLockFile)
                                    : base::inside(each, manifest::kLockFile));
  if (!base::exists(name_path)) {
    base::AtomicFile file(name_path);
    file.write(std::string_view(random_name()));
    file.commit();
  }
  own_name_ = base::read_text(name_path);
}

void BucketLock::take(const RunOptions& options, base::Reporter& reporter) {
  bool told = false;
  while (!try_all(reporter)) {
    if (!options.wait) refuse();
    if (!std::exchange(told, true)) reporter.phase("waiting for another run");
    reporter.check_stop();
    base::wait_for(std::chrono::seconds(1), {});
  }
}

bool BucketLock::try_all(base::Reporter& reporter) {
  for (const std::string& object : objects_) {
    if (try_one(object, reporter)) continue;
    release();
    return false;
  }
  return true;
}

bool BucketLock::try_one(const std::string& object, base::Reporter& reporter) {
  if (folder_.find(object)) return is_ours(object);
  const std::string text = fmt::format("{}\nhost {}, since {:%Y-%m-%dT%H:%M:%SZ}\n", own_name_,
                                       base::machine().host, fmt::gmtime(std::time(nullptr)));
  if (!folder_.write_new(object, text)) return is_ours(object);
  const bool is_honoured = !folder_.write_new(object, text);
  if (!is_honoured && !std::exchange(has_warned_, true)) {
    reporter.warn(Error("the server cannot keep two runs from writing to this prefix at the same time",
                        at(folder_.address()), "start no other run that writes there until this one ends"));
  }
  return is_ours(object);
}

bool BucketLock::is_ours(const std::string& object) {
  if (!folder_.find(object)) return false;
  const std::string text = folder_.read(object);
  const auto end = std::min(text.find('\n'), text.size());
  if (text.substr(0, end) == own_name_) return true;
  holder_ = printable(base::trimmed(std::string_view(text).substr(end), "\n"));
  held_object_ = object;
  return false;
}

void BucketLock::check_held() {
  for (const std::string& object : objects_) {
    if (is_ours(object)) continue;
    throw Error("was removed or taken by another run, while this one was at work",
                at(folder_.address_of(object)),
                "make sure that no other run writes there, and run this one again");
  }
}

void BucketLock::release() {
  for (auto object = objects_.rbegin(); object != objects_.rend(); ++object) {
    if (is_ours(*object)) folder_.remove(*object);
  }
}

void BucketLock::refuse() const {
  if (held_object_.empty())
    throw Error("a lock cannot be kept there: the server takes it, and does not have it afterwards",
                at(folder_.address()), "a proxy may be in between; check AWS_ENDPOINT_URL");
  throw Error(fmt::format("another run writes there: {}", holder_), at(folder_.address()),
              fmt::format("wait for it; if it was given up, remove {}", folder_.address_of(held_object_)));
}

}  // namespace shardmill::repack
