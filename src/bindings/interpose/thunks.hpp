// The functions of a wrapped table.
#pragma once

#include <cstddef>
#include <nvmlkit/interpose/hook.hpp>

#include "interpose/word.hpp"

namespace nvmlkit::nvml::interpose {

// Puts a thunk of the place wherever the table has a function. A thunk calls dispatch() with its place.
void fill_thunks(Table& table, std::size_t place);

// Calls the hook of the place, or answers that the table is gone.
Word dispatch(std::size_t place, std::size_t symbol, const Word* arguments) noexcept;

}  // namespace nvmlkit::nvml::interpose
