#include "shardmill/remote.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/io/folder.hpp"
#include "base/remote/object.hpp"
#include "base/remote/spot_reader.hpp"
#include "base/remote/url.hpp"
#include "library/observing.hpp"

namespace shardmill {

namespace {

std::optional<RemoteFacts> facts_in_entry(base::RemoteEntry entry) {
  if (entry.kind != base::RemoteEntry::Kind::file) return std::nullopt;
  return RemoteFacts{.bytes = entry.bytes, .version = std::move(entry.version)};
}

}  // namespace

bool is_address(std::string_view path) noexcept {
  return base::is_remote(path);
}

std::string shown_address(const std::string& address) {
  return base::shown_address(address);
}

std::string known_address(const std::string& address) {
  return base::latest_known_address(address);
}

std::optional<RemoteFacts> facts_of(const std::string& address) {
  return library::with_errors([&]() -> std::optional<RemoteFacts> {
    auto entry = base::remote_file_entry(address);
    return entry ? facts_in_entry(std::move(*entry)) : std::nullopt;
  });
}

std::vector<std::optional<RemoteFacts>> facts_in(const std::string& folder,
                                                 const std::vector<std::string>& names) {
  return library::with_errors([&] {
    std::vector<std::optional<RemoteFacts>> facts;
    facts.reserve(names.size());
    {
      const base::ListedFolder list(folder);
      for (const std::string& name : names)
        facts.push_back(facts_in_entry(base::remote_entry(base::inside(folder, name))));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {  // not all lists have versions
      if (facts[i] && facts[i]->version.empty()) facts[i] = facts_of(base::inside(folder, names[i]));
    }
    return facts;
  });
}

RemoteKind kind_of(const std::string& address) {
  return library::with_errors([&] {
    if (base::is_remote_folder(address)) return RemoteKind::folder;
    static_cast<void>(base::RemoteObject::open(address));
    return RemoteKind::file;
  });
}

std::vector<std::string> files_below(const std::string& prefix) {
  return library::with_errors([&] { return base::remote_objects(prefix); });
}

class RemoteFile::Object : public base::SpotReader {
 public:
  using SpotReader::SpotReader;
};

RemoteFile::RemoteFile(const std::string& address)
    : object_(library::with_errors([&] { return std::make_unique<Object>(address); })) {}

RemoteFile::~RemoteFile() = default;

std::uint64_t RemoteFile::bytes() const noexcept {
  return object_->size();
}

std::size_t RemoteFile::read_at(std::span<std::byte> out, std::uint64_t offset) const {
  return library::with_errors([&] { return object_->read_at(out, offset); });
}

void keep_connections_from_children() {
  library::with_errors([] { base::keep_connections_from_children(); });
}

}  // namespace shardmill
