// What there is at an address: a file, a folder, or nothing.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/remote/access.hpp"
#include "base/remote/bucket_folder.hpp"
#include "base/remote/object.hpp"
#include "base/remote/object_facts.hpp"
#include "base/remote/url.hpp"
#include "base/text/units.hpp"

namespace shardmill::base {

namespace {

using Objects = std::map<std::string, BucketFolder::Object>;

bool is_in_bucket(std::string_view address) {
  return address.starts_with("s3://");
}

/// The lists that are held, by their folders.
class HeldLists {
 public:
  struct Found {
    std::shared_ptr<const Objects> objects;
    std::string name;  // in the folder; empty: the folder itself
  };

  static HeldLists& of_process() {
    static HeldLists lists;
    return lists;
  }

  void hold(const std::string& folder) {
    if (hold_again(folder)) return;
    auto objects = std::make_shared<const Objects>(BucketFolder(folder).list());
    const std::lock_guard lock(mutex_);
    Held& held = held_[folder];
    held.objects = std::move(objects);
    ++held.holders;
  }

  void release(const std::string& folder) noexcept {
    const std::lock_guard lock(mutex_);
    const auto held = held_.find(folder);
    if (held != held_.end() && --held->second.holders == 0) held_.erase(held);
  }

  /// Without objects: no list has this address.
  Found find(const std::string& address) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [folder, held] : held_) {
      if (address == folder) return {held.objects, {}};
      if (address.starts_with(folder + "/")) return {held.objects, address.substr(folder.size() + 1)};
    }
    return {};
  }

 private:
  struct Held {
    std::shared_ptr<const Objects> objects{};
    int holders = 0;
  };

  bool hold_again(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    const auto held = held_.find(folder);
    if (held == held_.end()) return false;
    ++held->second.holders;
    return true;
  }

  mutable std::mutex mutex_;
  std::map<std::string, Held> held_;
};

bool holds_below(const Objects& objects, const std::string& folder) {
  const std::string prefix = folder.empty() ? "" : folder + "/";
  const auto next = objects.lower_bound(prefix);
  return next != objects.end() && next->first.starts_with(prefix);
}

RemoteEntry entry_in(const HeldLists::Found& list) {
  const auto object = list.objects->find(list.name);
  if (!list.name.empty() && object != list.objects->end())
    return {.kind = RemoteEntry::Kind::file, .bytes = object->second.bytes, .version = object->second.etag};
  if (holds_below(*list.objects, list.name)) return {.kind = RemoteEntry::Kind::folder};
  return {};
}

/// False where the server does not give lists.
bool asks_for_any_below(const std::string& folder) {
  const BucketKey place = parse_bucket_key(folder);
  const std::string prefix = place.key.empty() ? "" : place.key + "/";
  const HttpAnswer answer = RemoteAccess::of_process().ask(
      {.object = {.bucket = place.bucket, .key = {}},
       .query = "encoding-type=url&list-type=2&max-keys=1&prefix=" + percent_encoded(prefix, false)});
  if (!answer.problem.empty() || answer.status >= 500) refuse_answer(answer, folder);
  return answer.is_good() && answer.body_text().find("<Key>") != std::string::npos;
}

RemoteEntry entry_by_head(const std::string& address) {
  if (const auto kept = kept_facts(address))
    return {.kind = RemoteEntry::Kind::file, .bytes = kept->bytes, .version = kept->etag};
  const HttpAnswer answer = RemoteAccess::of_process().ask(address, "HEAD", {}, 0);
  if (!answer.problem.empty() || answer.status >= 500) refuse_answer(answer, shown_address(address));
  if (!answer.is_good()) return {};
  return {.kind = RemoteEntry::Kind::file,
          .bytes = count_in(answer.header("content-length")).value_or(0),
          .version = answer.header("etag")};
}

}  // namespace

RemoteEntry remote_entry(const std::string& given) {
  if (!is_in_bucket(given)) return entry_by_head(given);
  const std::string address = without_end_slashes(given);
  if (const auto list = HeldLists::of_process().find(address); list.objects) return entry_in(list);
  const bool may_be_file = address == given && !parse_bucket_key(address).key.empty();
  if (may_be_file) {
    if (RemoteEntry entry = entry_by_head(address); entry.kind == RemoteEntry::Kind::file) return entry;
  }
  return {.kind = asks_for_any_below(address) ? RemoteEntry::Kind::folder : RemoteEntry::Kind::nothing};
}

bool is_remote_folder(const std::string& address) {
  return is_in_bucket(address) && remote_entry(address).kind == RemoteEntry::Kind::folder;
}

std::optional<RemoteEntry> listed_remote_entry(const std::string& address) {
  if (!is_in_bucket(address)) return std::nullopt;
  const auto list = HeldLists::of_process().find(without_end_slashes(address));
  return list.objects ? std::optional(entry_in(list)) : std::nullopt;
}

std::vector<std::string> remote_entries(const std::string& given) {
  if (!is_in_bucket(given)) throw Error("is on a web server, which gives no lists", at(shown_address(given)));
  const std::string folder = without_end_slashes(given);
  auto list = HeldLists::of_process().find(folder);
  if (!list.objects) list = {std::make_shared<const Objects>(BucketFolder(folder).list()), {}};
  const std::string prefix = list.name.empty() ? "" : list.name + "/";
  std::vector<std::string> found;
  for (auto object = list.objects->lower_bound(prefix);
       object != list.objects->end() && object->first.starts_with(prefix); ++object) {
    const std::string_view inner = std::string_view(object->first).substr(prefix.size());
    std::string entry = fmt::format("{}/{}", folder, inner.substr(0, inner.find('/')));
    if (!inner.empty() && (found.empty() || found.back() != entry)) found.push_back(std::move(entry));
  }
  return found;
}

std::optional<KeptSums> remote_sums(const std::string& address) {
  if (!is_in_bucket(address)) return std::nullopt;
  const auto slash = address.rfind('/');
  const auto object = BucketFolder(address.substr(0, slash)).find(address.substr(slash + 1));
  if (!object) throw Error("is missing", at(address));
  return KeptSums{
      .bytes = object->bytes, .tag = object->etag, .crc64 = object->crc64, .sha256 = object->sha256};
}

void hold_remote_list(const std::string& folder) {
  HeldLists::of_process().hold(without_end_slashes(folder));
}

void release_remote_list(const std::string& folder) noexcept {
  HeldLists::of_process().release(without_end_slashes(folder));
}

}  // namespace shardmill::base
