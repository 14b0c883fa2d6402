#include "driver/search/mark.hpp"

namespace nvmlkit::driver::search {
namespace {

// volatile: the file may have another value than the compiler saw.
const volatile Mark library_mark;

}  // namespace

bool is_marked() { return library_mark.value == Mark::kSet; }

}  // namespace nvmlkit::driver::search
