#include <nvmlkit/nvml.hpp>

int main() { return nvmlkit::nvml::Library::from_table({}) ? 1 : 0; }
