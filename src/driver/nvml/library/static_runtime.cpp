// The library carries a C++ runtime of its own, which must go when the library goes.
namespace __gnu_cxx {
void __freeres();
}

namespace {

// The runtime's reserve for exceptions: 72 KiB that every dlopen would leave behind.
[[gnu::destructor]] void free_the_reserve() { __gnu_cxx::__freeres(); }

}  // namespace
