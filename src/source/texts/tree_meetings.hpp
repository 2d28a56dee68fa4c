// TreeMeetings: what corpora of meetings have in common, a TextGrid of who said what and when for each
// recording.
#pragma once

#include <string>
#include <string_view>

#include "source/texts/tree_recordings.hpp"

namespace shardmill::source {

class TreeMeetings : public TreeRecordings {
 public:
  using TreeRecordings::TreeRecordings;

  Role role(std::string_view path) const override;
  std::string_view awaited(std::string_view path) const override;
  void read(const TreeText& text) override;

 protected:
  struct Speaker {
    std::string name;
    std::string gender;
  };
  /// By the name of a tier and that of its recording.
  virtual Speaker speaker_of(const std::string& id, const std::string& tier) const = 0;
  /// The id of the recording that a TextGrid belongs to.
  virtual std::string grid_id(std::string_view path) const;

 private:
  std::string cut_by(std::string_view audio) const override;
  std::string key_of(std::string_view audio, const Segment& segment) const override;
};

}  // namespace shardmill::source
