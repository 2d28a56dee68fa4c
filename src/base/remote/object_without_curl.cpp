#include "base/error.hpp"
#include "base/remote/object.hpp"
#include "base/remote/url.hpp"

namespace shardmill::base {

namespace {

[[noreturn]] void refuse(const std::string& address) {
  throw Error("is on a web server or in a bucket, and this shardmill was built without libcurl",
              at(shown_address(address)), "download it, or build with -DSHARDMILL_REMOTE=ON");
}

}  // namespace

std::shared_ptr<const RemoteObject> RemoteObject::open(const std::string& address) {
  refuse(address);
}

bool remote_exists(const std::string& address) {
  refuse(address);
}

std::vector<std::string> remote_objects(const std::string& prefix) {
  refuse(prefix);
}

std::string known_address(const std::string& address) {
  return shown_address(address);
}

std::string libcurl_version() {
  return {};
}

}  // namespace shardmill::base
