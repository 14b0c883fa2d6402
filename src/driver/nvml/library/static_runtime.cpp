// The library contains its own C++ runtime. This file frees the memory of that runtime when the library is unloaded.
namespace __gnu_cxx {
void __freeres();
}

namespace {

// The runtime's reserve for exceptions: 72 KiB that every dlopen would leave behind.
[[gnu::destructor]] void free_the_reserve() { __gnu_cxx::__freeres(); }

}  // namespace
