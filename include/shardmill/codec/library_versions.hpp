// The versions of the codecs' libraries.
#pragma once

#include "shardmill/base/library_versions.hpp"

namespace shardmill::codec {

base::LibraryVersions library_versions();

}  // namespace shardmill::codec
