// Columns of unknown names that look as if they said times.
#pragma once

#include <vector>

#include "source/labels/time_columns.hpp"
#include "source/tables/table_shape.hpp"

namespace shardmill::source {

/// What a column of an unknown name seems to be.
TimeRole likeness_of(const TableField& field);
/// True for an object with a begin and an end, or a begin and a length.
bool holds_times(const TableField& field);
/// The fields whose names are a begin and an end only together, such as "cue_in" and "cue_out", where both
/// are there.
std::vector<const TableField*> halves_of_pairs(const std::vector<TableField>& fields);

}  // namespace shardmill::source
