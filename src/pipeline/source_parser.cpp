#include "shardmill/pipeline/source_parser.hpp"

namespace shardmill::pipeline {

SourceParser::SourceParser(shard::KeyRule rule)
    : grouper_(*this, rule), parser_(grouper_, kMemberLimitBytes) {}

std::vector<SourceItem> SourceParser::parse(const Unit& unit) {
  items_.clear();
  if (unit.piece) read(*unit.piece);
  parser_.feed(unit.plain);
  if (unit.damage) lose(*unit.damage);
  if (unit.last) {
    parser_.finish();
    grouper_.finish(parser_.offset());
  }
  return std::move(items_);
}

void SourceParser::read(codec::Piece& piece) {
  try {
    for (auto bytes = piece.read(); !bytes.empty(); bytes = piece.read()) parser_.feed(bytes);
  } catch (const Error& damage) {
    lose(damage);
  }
}

void SourceParser::lose(const Error& damage) {
  items_.emplace_back(damage);
  parser_.gap();
}

}  // namespace shardmill::pipeline
