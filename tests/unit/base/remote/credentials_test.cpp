#include "base/remote/credentials.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "shardmill/error.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment(Variables variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Credentials, OfTheEnvironmentComeFirst) {
  const auto found = find_credentials(
      environment({{"AWS_ACCESS_KEY_ID", "A"}, {"AWS_SECRET_ACCESS_KEY", "S"}, {"AWS_SESSION_TOKEN", "T"}}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->access_key + found->secret_key + found->session_token, "AST");
}

TEST(Credentials, WithLettersThatNoKeyHasAreRefused) {
  for (const char* bad : {"A\r\nX-Other: 1", "A\n", "A B", "A\xc3\xa4", "\x7f"}) {
    for (const char* name : {"AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN"}) {
      Variables variables{
          {"AWS_ACCESS_KEY_ID", "A"}, {"AWS_SECRET_ACCESS_KEY", "S"}, {"AWS_SESSION_TOKEN", "T"}};
      variables[name] = bad;
      EXPECT_THROW(find_credentials(environment(variables)), Error) << name << ": " << bad;
    }
  }
}

TEST(Credentials, AreReadFromTheChosenProfile) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.file("credentials")) << "# keys\n[default]\naws_access_key_id = D\n"
                                               "aws_secret_access_key=DS\n\n[other]\n"
                                               "aws_access_key_id=O\naws_secret_access_key= O=S \n";
  std::ofstream(folder.file("config")) << "[profile other]\nregion = eu-north-1\n"
                                          "endpoint_url = http://127.0.0.1:7480\n"
                                          "s3 =\n  addressing_style = path\n";
  Variables variables{{"AWS_SHARED_CREDENTIALS_FILE", folder.file("credentials")},
                      {"AWS_CONFIG_FILE", folder.file("config")},
                      {"AWS_EC2_METADATA_DISABLED", "true"}};
  EXPECT_EQ(find_credentials(environment(variables))->access_key, "D");
  variables["AWS_PROFILE"] = "other";
  EXPECT_EQ(find_credentials(environment(variables))->secret_key, "O=S");
  const BucketPlace place = bucket_place(environment(variables));
  EXPECT_EQ(place.region, "eu-north-1");
  EXPECT_EQ(object_url(place, {"b", "k y"}).text(), "http://127.0.0.1:7480/b/k%20y");
  variables["AWS_ENDPOINT_URL"] = "https://store/";
  EXPECT_EQ(object_url(bucket_place(environment(variables)), {"b", "k"}).text(), "https://store/b/k");
  std::ofstream(folder.file("config"))
      << "[profile other]\ns3 =\n  max_queue_size = 9\n  addressing_style = virtual\n";
  EXPECT_EQ(object_url(bucket_place(environment(variables)), {"b", "k"}).text(), "https://b.store/k");
  variables["AWS_PROFILE"] = "missing";
  EXPECT_THROW(find_credentials(environment(variables)), Error);
}

TEST(Credentials, AreNoneWhereNobodyGivesAny) {
  EXPECT_FALSE(find_credentials(environment({{"AWS_EC2_METADATA_DISABLED", "true"}})));
}

TEST(Credentials, ThatAProfileGetsInAnotherWayAreRefusedByName) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.file("config")) << "[default]\nrole_arn = arn:aws:iam::1:role/r\n";
  EXPECT_THROW(find_credentials(environment({{"AWS_CONFIG_FILE", folder.file("config")},
                                             {"AWS_SHARED_CREDENTIALS_FILE", folder.file("none")}})),
               Error);
}

TEST(Credentials, SettingsBelowOthersHaveBothNames) {
  const auto found =
      profiles_in("[a]\nregion=r\ns3 =\n  region = x\n\taddressing_style=virtual\r\n[b]\n k = v\n");
  EXPECT_EQ(found.at("a").at("region"), "r");
  EXPECT_EQ(found.at("a").at("s3.region"), "x");
  EXPECT_EQ(found.at("a").at("s3.addressing_style"), "virtual");
  EXPECT_FALSE(found.at("b").contains("k"));
}

TEST(BucketPlace, AtAmazonIsTheBucketsOwnHost) {
  BucketPlace place;
  place.region = "eu-west-1";
  EXPECT_EQ(object_url(place, {"b", "k/x"}).text(), "https://b.s3.eu-west-1.amazonaws.com/k/x");
  EXPECT_EQ(object_url(place, {"b.c", "k"}).text(), "https://s3.eu-west-1.amazonaws.com/b.c/k");
}

}  // namespace
}  // namespace shardmill::base
