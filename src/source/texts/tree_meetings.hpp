// TreeMeetings: what corpora of meetings have in common, a TextGrid for each recording, with who said what
// and when.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "source/texts/tree_recordings.hpp"
#include "source/tree_corpus.hpp"

namespace shardmill::source {

/// An interval that holds text.
struct GridInterval {
  std::string tier;
  std::string text;
  double begin_seconds = 0;
  double end_seconds = 0;
  std::uint64_t line = 0;
  std::size_t number = 0;  // in its tier, those without text counted, from 0
};

/// Throws Error, with file and line, for a text that is not a TextGrid and for one that is cut.
std::vector<GridInterval> read_text_grid(const TreeText& text);

/// A number of seconds, as texts have it. Throws Error, without a place, for anything else.
double seconds_from(std::string_view text);

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
