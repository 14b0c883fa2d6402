#include <string>

#include "sim/config/load.hpp"

int main() {
  std::string error;
  const auto machine = nvmlkit::sim::load_machine({{"NVMLKIT_MACHINE", "t4"}}, error);
  return machine && machine->gpus().size() == 4 ? 0 : 1;
}
