// How much slower kernels are than plain C on one core, by processor time:
//   build/release/bin/nvmlkit run -m h100 -- build/release/bin/nvmlkit_speed_bench [basic|usual] [NAME...]
// Without an argument, both tables; of a table, the rows whose names contain one of NAME.
#include <cstring>

#include "basic/rows.hpp"
#include "usual/rows.hpp"

int main(int argc, char** argv) {
  const bool basic_only = argc > 1 && std::strcmp(argv[1], "basic") == 0;
  const bool usual_only = argc > 1 && std::strcmp(argv[1], "usual") == 0;
  const std::vector<std::string> names(argv + 1 + (basic_only || usual_only), argv + argc);
  bool right = true;
  const auto print = [&](void (*rows)(Table&)) {
    Table table(names);
    rows(table);
    table.mean();
    right &= table.right();
  };
  if (!usual_only) print(basic::all);
  if (!basic_only) print(usual::all);
  return right ? 0 : 1;
}
