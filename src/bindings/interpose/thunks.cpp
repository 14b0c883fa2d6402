// One small function per symbol and place. It packs its arguments and calls the hook of its place. The sanitizers leave
// this file out: they would make thousands of functions many times larger and have nothing to find in them.
#include "interpose/thunks.hpp"

#include <type_traits>
#include <utility>

#include "generated/visit_members.hpp"

namespace nvmlkit::nvml::interpose {
namespace {

template <std::size_t Index, std::size_t Place, class R, class... A>
R thunk(A... arguments) {
  const Word words[sizeof...(A) + 1] = {to_word(arguments)..., 0};
  return from_word<R>(dispatch(Place, Index, words));
}

// Puts the thunks of one place wherever the inner table has a function.
template <std::size_t Place>
struct Filler {
  template <std::size_t Index, class R, class... A>
  void operator()(R (*&member)(A...)) const {
    if constexpr (!std::is_void_v<R>) {
      if (member) member = &thunk<Index, Place, R, A...>;
    }
  }
};

template <std::size_t... Places>
void fill(Table& table, std::size_t place, std::index_sequence<Places...>) {
  (static_cast<void>(place == Places ? visit_members(table, Filler<Places>{}) : void()), ...);
}

}  // namespace

void fill_thunks(Table& table, std::size_t place) { fill(table, place, std::make_index_sequence<kWrapLimit>()); }

}  // namespace nvmlkit::nvml::interpose
