// Who asks a bucket, and where it is, taken from where every program for S3 takes it; and how requests are
// signed (AWS Signature Version 4).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/remote/url.hpp"

namespace shardmill::base {

/// Who asks. Never shown, logged or recorded.
struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token{};  // of those that end after a time
};

/// Reads a variable of the environment; nullopt if it is missing or empty.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

Environment environment_of_process();

/// Where objects are asked for.
struct BucketPlace {
  std::string endpoint{};  // "https://host:port"; empty: Amazon's own
  std::string region = "us-east-1";
  bool is_own_host = false;  // at an endpoint: https://BUCKET.HOST/KEY, instead of https://HOST/BUCKET/KEY
};

/// From AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION and AWS_DEFAULT_REGION, and the profile in the
/// shared files, whose `addressing_style = virtual` says where buckets have hosts of their own.
BucketPlace bucket_place(const Environment& environment);

/// The address of an object: below the bucket's own host at Amazon, with the bucket in the path elsewhere,
/// unless `place` wants otherwise.
Url object_url(const BucketPlace& place, const BucketKey& object);

/// From the environment, the profile in the shared files, and the service that gives a container or a virtual
/// machine its role, in this order; none: requests are not signed, as public buckets allow. Throws Error for
/// a profile that is not there, or says how to get credentials in a way that is not supported.
std::optional<Credentials> find_credentials(const Environment& environment);

/// The profiles of a shared file, as name=value by section: "[profile dev]" is "dev". A setting below another
/// one, "addressing_style" below "s3 =", is "s3.addressing_style".
std::map<std::string, std::map<std::string, std::string>> profiles_in(const std::string& text);

struct SignedRequest {
  std::string method;  // "GET"
  Url url;
  std::map<std::string, std::string> headers{};  // more of them to sign, by their names in lower case
  std::string payload_sha256 = "UNSIGNED-PAYLOAD";
};

/// The headers to send with it: host, x-amz-date, x-amz-content-sha256, authorization, those of `request`,
/// and the session token where there is one.
std::map<std::string, std::string> signed_headers(const SignedRequest& request,
                                                  const Credentials& credentials, const std::string& region,
                                                  std::chrono::sys_seconds now,
                                                  const std::string& service = "s3");

}  // namespace shardmill::base
