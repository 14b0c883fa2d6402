// Functions of the headers that have no name in other languages, over tables of edges and random numbers.
#include "integer_intrinsics.cuh"
#include "rounding_intrinsics.cuh"

int main() {
  integers::check();
  roundings::check();
  std::puts("all is well");
}
