// Member and Sample are part of the public API: they are declared there.
#pragma once

#include "shardmill/sample.hpp"
