// Conversions and arithmetic of the headers, over tables of edges and random numbers.
#include "rounding_intrinsics.cuh"

int main() {
  roundings::check();
  std::puts("all is well");
}
