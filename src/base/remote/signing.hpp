// Signs requests to S3, and to servers that speak its protocol (AWS Signature Version 4).
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "base/remote/url.hpp"

namespace shardmill::base {

/// Who asks. Never shown, logged or recorded.
struct Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token{};  // of those that end after a time
};

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
