// Lists that a bucket answers with, page by page. One that is cut, as by a proxy, is an Error: what is
// missing in it would count as gone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/remote/access.hpp"
#include "base/remote/url.hpp"

namespace shardmill::base {

struct ListedObject {
  std::string key;
  std::uint64_t bytes = 0;
  std::string etag{};
};

/// All objects of the bucket whose keys start with that of `prefix`.
std::vector<ListedObject> list_objects(const BucketKey& prefix);

/// A whole page: the text of an element called `kind`. Nullopt: there is nothing of the name that is asked
/// for.
std::optional<std::string> ask_for_list(const BucketKey& place, const std::string& query,
                                        std::string_view kind);

/// Whether another page follows `page`. Throws Error if one does, and the server does not name it.
bool list_goes_on(std::string_view page, const BucketKey& place, bool names_another);

/// The texts of all elements of a name that do not contain others of it: those of <Key> in a list.
std::vector<std::string_view> elements(std::string_view xml, std::string_view name);

/// A key in a list, which says whether its keys are encoded; '+' is a space then, as some servers write it.
std::string key_in_list(std::string_view page, std::string key);

}  // namespace shardmill::base
