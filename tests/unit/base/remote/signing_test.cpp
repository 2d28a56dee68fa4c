#include <gmock/gmock.h>

#include <chrono>

#include "base/remote/credentials.hpp"

namespace shardmill::base {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

/// The credentials and the time of the examples in Amazon's description of the signatures of S3.
const Credentials kExample{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
constexpr const char* kNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::chrono::sys_seconds example_time() {
  return std::chrono::sys_days(std::chrono::year(2013) / 5 / 24);
}

std::string signed_get(const std::string& address, std::map<std::string, std::string> headers = {}) {
  const SignedRequest request{
      .method = "GET", .url = parse_url(address), .headers = std::move(headers), .payload_sha256 = kNothing};
  return signed_headers(request, kExample, "us-east-1", example_time()).at("authorization");
}

TEST(Signing, OfARangeOfAnObjectIsThePublishedOne) {
  const std::string header =
      signed_get("https://examplebucket.s3.amazonaws.com/test.txt", {{"range", "bytes=0-9"}});
  EXPECT_THAT(header, HasSubstr("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "));
  EXPECT_THAT(header, HasSubstr("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "));
  EXPECT_THAT(header, EndsWith("Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"));
}

TEST(Signing, OfANameWithoutValueIsThePublishedOne) {
  EXPECT_THAT(signed_get("https://examplebucket.s3.amazonaws.com/?lifecycle"),
              EndsWith("Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST(Signing, OfAListIsThePublishedOneInAnyOrder) {
  constexpr const char* kPublished =
      "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7";
  EXPECT_THAT(signed_get("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J"),
              EndsWith(kPublished));
  EXPECT_THAT(signed_get("https://examplebucket.s3.amazonaws.com/?prefix=J&max-keys=2"),
              EndsWith(kPublished));
}

TEST(Signing, SendsTheTokenOfASession) {
  Credentials credentials = kExample;
  credentials.session_token = "token";
  const auto headers = signed_headers({.method = "GET", .url = parse_url("https://b.s3.amazonaws.com/k")},
                                      credentials, "eu-west-1", example_time());
  EXPECT_EQ(headers.at("x-amz-security-token"), "token");
  EXPECT_THAT(headers.at("authorization"), HasSubstr("x-amz-date;x-amz-security-token"));
}

}  // namespace
}  // namespace shardmill::base
