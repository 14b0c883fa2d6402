#include "sim/config/load.hpp"

int main() {
  const auto machine = nvmlkit::sim::load_machine({{"NVMLKIT_MACHINE", "t4"}});
  return machine && (*machine)->gpus().size() == 4 ? 0 : 1;
}
