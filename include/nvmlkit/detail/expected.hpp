// std::expected where the project was built with it, tl::expected else; for the bindings and for the simulated machine.
// A program and its library must agree, so an installed or CMake-built library says in build_config.hpp which one it
// has; sources on their own take what is there.
#pragma once

#include <version>
#if __has_include(<nvmlkit/detail/build_config.hpp>)
#include <nvmlkit/detail/build_config.hpp>
#elif defined(__cpp_lib_expected)
#define NVMLKIT_STD_EXPECTED 1
#else
#define NVMLKIT_STD_EXPECTED 0
#endif

#if NVMLKIT_STD_EXPECTED
#ifndef __cpp_lib_expected
#error "this nvmlkit was built with std::expected: compile with -std=c++23 or later, or build nvmlkit as C++20"
#endif
#include <expected>
#else
#include <tl/expected.hpp>
#endif

namespace nvmlkit::detail {

#if NVMLKIT_STD_EXPECTED
using std::expected;
using std::unexpect;
using std::unexpected;
#else
using tl::expected;
using tl::unexpect;
using tl::unexpected;
#endif

}  // namespace nvmlkit::detail

namespace nvmlkit::nvml::detail {

using nvmlkit::detail::expected;
using nvmlkit::detail::unexpect;

}  // namespace nvmlkit::nvml::detail
