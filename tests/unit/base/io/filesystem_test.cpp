#include "base/io/filesystem.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.hpp"
#include "support/command_output.hpp"
#include "support/temporary_folder.hpp"

namespace shardmill::base {
namespace {

using shardmill::testing::command_output;
using shardmill::testing::TemporaryFolder;

constexpr auto kMounts =
    "29 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=continue\n"
    "290 29 0:50 / /my\\040disk rw master:2 propagate_from:3 - nfs4 server:/export rw,vers=4.2,nolock\n"
    "31 29 0:51 / /proc rw - proc proc\n";

std::string said_of(const std::string& kind, const std::string& options = "rw") {
  return peculiarity({.kind = kind, .point = "/x", .options = options}).value_or("");
}

TEST(Filesystem, IsFoundByTheNumberOfItsMount) {
  const auto root = find_mount(kMounts, "29");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->kind, "ext4");
  EXPECT_EQ(root->point, "/");
  EXPECT_EQ(root->options, "rw,relatime,rw,errors=continue");
  const auto disk = find_mount(kMounts, "290");
  ASSERT_TRUE(disk);
  EXPECT_EQ(disk->kind, "nfs4");
  EXPECT_EQ(disk->point, "/my disk");
  EXPECT_EQ(find_mount(kMounts, "31")->kind, "proc");
  EXPECT_FALSE(find_mount(kMounts, "2"));
  EXPECT_FALSE(find_mount("", ""));
  EXPECT_FALSE(find_mount("29 cut", "29"));
}

TEST(Filesystem, AgreesWithFindmnt) {
  if (std::system("findmnt -n / >/dev/null") != 0)
    GTEST_SKIP() << "the root is no mount point here, as after chroot: findmnt knows no more than we do";
  const TemporaryFolder folder;
  for (const std::string& path : {folder.path().string(), std::string("/proc"), std::string("/")}) {
    const Filesystem found = filesystem_of(path);
    EXPECT_EQ(found.mount.kind + "\n", command_output("findmnt -n -o FSTYPE -T " + path)) << path;
    EXPECT_EQ(found.mount.point + "\n", command_output("findmnt -n -o TARGET -T " + path)) << path;
    EXPECT_LE(found.free_bytes, found.total_bytes);
  }
}

TEST(Filesystem, OnlyFoldersHaveOne) {
  const TemporaryFolder folder;
  EXPECT_THROW(filesystem_of(folder.file("missing")), Error);
  EXPECT_THROW(filesystem_of(folder.write("file", "x")), Error);
}

TEST(Filesystem, WhatBreaksIsSaid) {
  for (const char* ordinary : {"ext4", "xfs", "btrfs", "zfs", "ceph", "lustre"})
    EXPECT_EQ(said_of(ordinary), "");
  EXPECT_NE(said_of("nfs4").find("lock service"), std::string::npos);
  EXPECT_NE(said_of("nfs", "rw,nolock").find("on this machine only"), std::string::npos);
  EXPECT_NE(said_of("cifs").find("cannot be replaced"), std::string::npos);
  EXPECT_NE(said_of("fuse.sshfs").find("fuse.sshfs"), std::string::npos);
  EXPECT_NE(said_of("vfat").find("4 GiB"), std::string::npos);
  EXPECT_NE(said_of("overlay").find("container"), std::string::npos);
  EXPECT_NE(said_of("9p").find("locks"), std::string::npos);
  EXPECT_NE(said_of("lustre", "rw,localflock").find("flock"), std::string::npos);
}

}  // namespace
}  // namespace shardmill::base
