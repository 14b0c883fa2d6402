#include "ptx/compile/packed.hpp"

#include "ptx/compile/mark.hpp"

namespace nvmlkit::ptx {
namespace {

template <class T>
void fill(std::byte* at, const Mark& mark, const std::byte* of_lane_0) {
  const auto rows = mark.rows();
  T values[kLanes];
  T first = 0;
  std::memcpy(&first, of_lane_0, sizeof first);
  for (std::int32_t lane = 0; lane < static_cast<std::int32_t>(kLanes); ++lane)
    values[lane] = first + static_cast<T>(std::int64_t{rows.more(lane)});
  std::memcpy(at, values, sizeof values);
}

}  // namespace

void unpack_register(std::byte* at, std::uint32_t* word, const std::byte* first) {
  const Mark mark(*word);
  *word = 0;
  if (mark.size() == 8)
    fill<std::uint64_t>(at, mark, first);
  else
    fill<std::uint32_t>(at, mark, first);
}

void unpack_marked(std::byte* registers, std::uint32_t register_bytes) {
  constexpr std::uint32_t kNone = 0;
  std::memcpy(registers + Marks::flag(register_bytes), &kNone, sizeof kNone);
  auto* const marks = reinterpret_cast<std::uint32_t*>(registers + Marks::start(register_bytes));
  const auto* const firsts = registers + Marks::firsts(register_bytes);
  for (std::size_t k = 0; k < Marks::count(register_bytes); ++k)
    if (marks[k] != 0)
      unpack_register(registers + k * Marks::kBytesOfPlace + Mark(marks[k]).begin(), &marks[k],
                      firsts + k * Marks::kSizeOfFirst);
}

}  // namespace nvmlkit::ptx
