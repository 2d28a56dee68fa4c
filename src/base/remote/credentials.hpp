// Who asks a bucket, and where it is: taken from where every program for S3 takes it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/remote/signing.hpp"

namespace shardmill::base {

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

}  // namespace shardmill::base
