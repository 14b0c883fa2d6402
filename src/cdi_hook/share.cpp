#include "cdi_hook/share.hpp"

#include <optional>

#include "sim/problem/names.hpp"
#include "sim/text/amounts.hpp"

namespace nvmlkit::cdi_hook {
namespace {

struct Wish {
  std::string from, value;
};

Wish wish_of(const Container& container, const char* annotation, const char* variable, const std::string& otherwise) {
  if (const auto found = container.annotations.find(annotation); found != container.annotations.end())
    return {"annotation " + found->first, found->second};
  if (const auto found = container.variables.find(variable); found != container.variables.end())
    return {"variable " + found->first, found->second};
  return {"option of the hook", otherwise};
}

sim::Problem wrong(const Wish& wish, const char* expected) {
  auto problem = sim::wrong_value(expected, sim::quote(wish.value));
  problem.place.file = wish.from;
  return problem;
}

}  // namespace

sim::Expected<Share> share_of(const Container& container, const std::string& memory, const std::string& load) {
  Share out;
  if (const auto wish = wish_of(container, "nvmlkit.io/memory", "NVMLKIT_MEMORY", memory); !wish.value.empty()) {
    const auto bytes = sim::text::bytes_of(wish.value);
    if (!bytes) return sim::fail(wrong(wish, "bytes, or a number with Ki, Mi or Gi"));
    out.memory_bytes = *bytes;
  }
  if (const auto wish = wish_of(container, "nvmlkit.io/load", "NVMLKIT_LOAD", load); !wish.value.empty()) {
    const auto percent = sim::text::percent_of(wish.value);
    if (!percent) return sim::fail(wrong(wish, "a whole percentage from 0% to 100%"));
    out.load_percent = *percent;
  }
  return out;
}

}  // namespace nvmlkit::cdi_hook
