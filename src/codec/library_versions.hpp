// The versions of the codecs' libraries.
#pragma once

#include "base/system/library_versions.hpp"

namespace shardmill::codec {

base::LibraryVersions library_versions();

}  // namespace shardmill::codec
