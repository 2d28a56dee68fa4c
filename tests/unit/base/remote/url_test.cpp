#include "base/remote/url.hpp"

#include <gtest/gtest.h>

#include "shardmill/error.hpp"

namespace shardmill::base {
namespace {

TEST(Url, IsTakenApartAndPutTogether) {
  const Url url = parse_url("https://me:pass@Data.Example.org:8443/a b/c.tar?x=1#end");
  EXPECT_EQ(url.host, "data.example.org");
  EXPECT_EQ(url.host_header(), "data.example.org:8443");
  EXPECT_EQ(url.path, "/a%20b/c.tar");
  EXPECT_EQ(url.query, "x=1");
  EXPECT_EQ(url.user, "me:pass");
  EXPECT_EQ(url.text(), "https://data.example.org:8443/a%20b/c.tar?x=1");
  EXPECT_EQ(parse_url("http://[::1]:80").host_header(), "[::1]:80");
  EXPECT_EQ(parse_url("http://host").path, "/");
}

TEST(Url, OfAnotherKindIsRefused) {
  for (const char* text : {"ftp://host/a", "https://", "http://:80/a", "http://a b/c", "http://host:port/"})
    EXPECT_THROW(parse_url(text), UsageError) << text;
  EXPECT_THROW(parse_bucket_key("s3://"), UsageError);
  EXPECT_THROW(parse_bucket_key("s3:///key"), UsageError);
}

TEST(Url, IsShownWithoutWhatIsSecret) {
  EXPECT_EQ(shown_address("https://me:pass@host/a/b?X-Amz-Signature=12#f"), "https://host/a/b");
  EXPECT_EQ(shown_address("https://host?key=1"), "https://host");
  EXPECT_EQ(shown_address("s3://bucket/what?is"), "s3://bucket/what?is");
  EXPECT_EQ(shown_address("plain/path?x"), "plain/path?x");
}

TEST(Url, OfARedirectionMayBeRelative) {
  const Url base = parse_url("https://host:1/a/b?c=d");
  EXPECT_EQ(resolved_url(base, "/x?y=z").text(), "https://host:1/x?y=z");
  EXPECT_EQ(resolved_url(base, "x").text(), "https://host:1/a/x");
  EXPECT_EQ(resolved_url(base, "//other/x").text(), "https://other/x");
  EXPECT_EQ(resolved_url(base, "http://other/x").text(), "http://other/x");
}

TEST(Url, OfABucketHasAnyKey) {
  const BucketKey found = parse_bucket_key("s3://my.bucket/a/b c?d#e");
  EXPECT_EQ(found.bucket, "my.bucket");
  EXPECT_EQ(found.key, "a/b c?d#e");
  EXPECT_EQ(percent_encoded("a/b c?ü", true), "a/b%20c%3F%C3%BC");
  EXPECT_EQ(percent_encoded("a/b", false), "a%2Fb");
}

}  // namespace
}  // namespace shardmill::base
