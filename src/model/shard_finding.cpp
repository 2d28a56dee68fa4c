#include "model/shard_finding.hpp"

namespace shardmill {

std::string_view name(ShardProblem problem) {
  switch (problem) {
    case ShardProblem::directory:
      return "directory";
    case ShardProblem::link:
      return "link";
    case ShardProblem::special_file:
      return "special_file";
    case ShardProblem::sparse_file:
      return "sparse_file";
    case ShardProblem::oversized_member:
      return "oversized_member";
    case ShardProblem::odd_name:
      return "odd_name";
    case ShardProblem::no_key:
      return "no_key";
    case ShardProblem::duplicate_member:
      return "duplicate_member";
    case ShardProblem::not_a_tar:
      return "not_a_tar";
    case ShardProblem::bad_header:
      return "bad_header";
    case ShardProblem::bad_extension:
      return "bad_extension";
    case ShardProblem::gap:
      return "gap";
    case ShardProblem::resumed:
      return "resumed";
    case ShardProblem::truncated:
      return "truncated";
    case ShardProblem::no_end:
      return "no_end";
    case ShardProblem::lone_zero_block:
      return "lone_zero_block";
    case ShardProblem::data_after_end:
      return "data_after_end";
    case ShardProblem::zeros_after_end:
      return "zeros_after_end";
  }
  return "unknown";
}

bool is_damage(ShardProblem problem) {
  return problem >= ShardProblem::not_a_tar;
}

}  // namespace shardmill
