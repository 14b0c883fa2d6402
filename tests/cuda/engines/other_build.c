// A library with the name of the compiler's, and another version.
#include <stdint.h>

__attribute__((visibility("default"))) const struct { uint32_t version; } nvmlkit_ptx_compiler = {0};
