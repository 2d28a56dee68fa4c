// A dataset of ten samples in two shards that is to be updated, and four samples that may be added.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "archive/tar_building.hpp"
#include "manifest/record_reader.hpp"
#include "manifest/sample_record.hpp"
#include "support/made_dataset.hpp"
#include "support/temporary_folder.hpp"
#include "update/decision.hpp"
#include "update/request.hpp"
#include "update/stock.hpp"

namespace shardmill::update {

class UpdateCase : public ::testing::Test {
 protected:
  explicit UpdateCase(const testing::MadeDataset::Change& change = {}) : made_(change) {
    options_.folder = made_.folder();
    options_.command = "shardmill update for a test";
  }

  /// Keys new0, new1, ... of the dataset "set".
  std::string more(unsigned samples = 4) const {
    std::vector<std::pair<std::string, std::string>> files;
    for (unsigned i = 0; i < samples; ++i) {
      const std::string key = "new" + std::to_string(i);
      files.emplace_back(key + ".txt", "text of " + key);
      files.emplace_back(key + ".wav", testing::made_wav(2000 + 160 * i, 50 + i));
    }
    return "set=" + scratch_.write("more.tar", archive::make_tar(files));
  }
  void remove(const std::string& keys) { options_.remove_keys = scratch_.write("keys", keys); }

  /// Looks up the request and reads the manifests.
  void look_up() {
    removal_ = options_.removes() ? std::make_shared<Removal>(options_) : nullptr;
    request_.emplace(update::look_up(options_, removal_, made_.reporter()));
    facts_ = read_facts(request_->records, removal_.get(), made_.workers(), made_.reporter());
  }
  /// The keys in a manifest.
  static std::set<std::string> keys_in(const std::string& manifest) {
    std::set<std::string> keys;
    manifest::SampleRecord record;
    for (manifest::RecordReader reader(manifest); reader.next(record);) keys.insert(record.key);
    return keys;
  }
  std::set<std::string> all_keys() const { return keys_in(made_.path("tarred_audio_manifest.json")); }

  testing::MadeDataset made_;
  testing::TemporaryFolder scratch_;
  UpdateOptions options_;
  std::shared_ptr<Removal> removal_;
  std::optional<Request> request_;
  Facts facts_;
};

}  // namespace shardmill::update
