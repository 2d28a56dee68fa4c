#include "base/error.hpp"
#include "base/remote/bucket_folder.hpp"
#include "base/remote/http.hpp"
#include "base/remote/object.hpp"
#include "base/remote/probe.hpp"
#include "base/remote/sending.hpp"
#include "base/remote/spot_reader.hpp"
#include "base/remote/url.hpp"

namespace shardmill::base {

namespace {

[[noreturn]] void refuse_address(const std::string& address) {
  throw Error("is on a web server or in a bucket, and this shardmill was built without libcurl",
              at(shown_address(address)), "download it, or build with -DSHARDMILL_REMOTE=ON");
}

}  // namespace

std::shared_ptr<const RemoteObject> RemoteObject::open(const std::string& address) {
  refuse_address(address);
}

RemoteEntry remote_entry(const std::string& address) {
  refuse_address(address);
}

bool is_remote_folder(const std::string&) {
  return false;
}

std::optional<RemoteEntry> listed_remote_entry(const std::string&) {
  return std::nullopt;
}

std::vector<std::string> remote_entries(const std::string& folder) {
  refuse_address(folder);
}

void hold_remote_list(const std::string& folder) {
  refuse_address(folder);
}

void release_remote_list(const std::string&) noexcept {}

void keep_remote_facts() {}

void look_at_remote_objects(const std::vector<std::string>&) {}

std::optional<KeptSums> remote_sums(const std::string& address) {
  if (is_remote(address)) refuse_address(address);
  return std::nullopt;
}

std::vector<std::string> remote_objects(const std::string& prefix) {
  refuse_address(prefix);
}

std::string known_address(const std::string& address) {
  return shown_address(address);
}

void share_secrets(const std::string&, const std::string&) {}

bool has_secrets(const std::string&) {
  return false;
}

void keep_secrets_out_of_cores() {}

void tell_of_long_waits(std::function<void(const std::string&)>) {}

void keep_connections_from_children() {}

SpotReader::SpotReader(std::string address) {
  refuse_address(address);
}

std::optional<RemoteEntry> remote_file_entry(const std::string& address) {
  refuse_address(address);
}

std::string latest_known_address(const std::string& address) {
  return shown_address(address);
}

std::size_t SpotReader::read_at(std::span<std::byte>, std::uint64_t) const {
  refuse_address(address_);
}

std::string libcurl_version() {
  return {};
}

// There is no BucketFolder, so that no function of one is ever called.
BucketFolder::BucketFolder(std::string address) {
  refuse_address(address);
}

std::string BucketFolder::address_of(std::string_view) const {
  refuse_address(address_);
}

std::map<std::string, BucketFolder::Object> BucketFolder::list() const {
  refuse_address(address_);
}

std::optional<BucketFolder::Object> BucketFolder::find(const std::string&) const {
  refuse_address(address_);
}

std::string BucketFolder::read(const std::string&) const {
  refuse_address(address_);
}

std::string BucketFolder::write(const std::string&, std::string_view) const {
  refuse_address(address_);
}

bool BucketFolder::write_new(const std::string&, std::string_view) const {
  refuse_address(address_);
}

void BucketFolder::remove(const std::string&) const {
  refuse_address(address_);
}

std::vector<BucketFolder::Upload> BucketFolder::uploads(const std::string&) const {
  refuse_address(address_);
}

void BucketFolder::abort(const Upload&) const {
  refuse_address(address_);
}

void send_files(const BucketFolder& folder, const std::vector<FileToSend>&, const SendingOptions&) {
  refuse_address(folder.address());
}

void give_up_sending(const BucketFolder& folder, const std::string&) {
  refuse_address(folder.address());
}

RemoteProbe probe_remote(const std::string& address, double) {
  refuse_address(address);
}

void wait_for(std::chrono::milliseconds, const std::stop_token&) {}

}  // namespace shardmill::base
