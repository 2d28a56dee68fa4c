#include "base/error.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"

namespace shardmill::base {

std::shared_ptr<const RemoteObject> RemoteObject::open(const std::string& address) {
  throw Error("is on a web server or in a bucket, and this shardmill was built without libcurl",
              at(shown_address(address)), "download it, or build with -DSHARDMILL_REMOTE=ON");
}

}  // namespace shardmill::base
