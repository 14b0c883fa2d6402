// Draws: the same for the same words, on every machine and in every version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlkit::scenario {

// FNV-1a over the words and their ends, mixed.
std::uint64_t hash_of(std::initializer_list<std::string_view> words);

// From 0 to 1, 1 left out.
double draw(std::initializer_list<std::string_view> words);

// `count` of the items, in their order.
std::vector<std::size_t> draw_items(const std::vector<std::size_t>& items, std::size_t count, std::string_view words);

// How many of `size` items are such a part of them. Where that is no whole number, the draw decides between the two
// next to it, so that the part is exact over many nodes.
std::size_t count_of_fraction(std::size_t size, double fraction, std::string_view words);

}  // namespace nvmlkit::scenario
