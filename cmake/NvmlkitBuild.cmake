# What every target of the project shares: language level, output places, ccache, warnings, sanitizers.
include(GNUInstallDirs)

if(NOT CMAKE_CXX_STANDARD OR CMAKE_CXX_STANDARD LESS 20 OR CMAKE_CXX_STANDARD EQUAL 98)
  set(CMAKE_CXX_STANDARD 20)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# Fixed places: libraries in <build>/lib, programs in <build>/bin.
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

find_program(NVMLKIT_CCACHE ccache)
if(NVMLKIT_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER "${NVMLKIT_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${NVMLKIT_CCACHE}")
endif()

if(NVMLKIT_SANITIZE)
  add_compile_options(-fsanitize=${NVMLKIT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${NVMLKIT_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Programs look functions up by name and call them with the types of another header: clang alone objects. And clang alone
    # defines no macro for its sanitizers.
    add_compile_options(-fno-sanitize=function)
    foreach(sanitizer address thread)
      if(NVMLKIT_SANITIZE MATCHES ${sanitizer})
        string(TOUPPER ${sanitizer} name)
        add_compile_definitions(__SANITIZE_${name}__=1)
      endif()
    endforeach()
  endif()
endif()

# A library takes of our archives, and of those of others, the functions that it calls and no more.
add_compile_options($<$<NOT:$<CXX_COMPILER_ID:MSVC>>:-ffunction-sections> $<$<NOT:$<CXX_COMPILER_ID:MSVC>>:-fdata-sections>)

# What the headers are told about this build; see nvmlkit/detail/expected.hpp.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#include <version>
#ifndef __cpp_lib_expected
#error no std::expected
#endif
int main() {}" NVMLKIT_HAVE_STD_EXPECTED)
set(NVMLKIT_STD_EXPECTED 0)
if(NVMLKIT_HAVE_STD_EXPECTED)
  set(NVMLKIT_STD_EXPECTED 1)
endif()
set(NVMLKIT_BUILD_CONFIG_DIR "${PROJECT_BINARY_DIR}/include")
configure_file("${PROJECT_SOURCE_DIR}/cmake/build_config.hpp.in"
  "${NVMLKIT_BUILD_CONFIG_DIR}/nvmlkit/detail/build_config.hpp" @ONLY)

# Warnings for our own code; a target opts in, so that headers of others stay out of it.
function(nvmlkit_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
endfunction()

# For what runs for milliseconds and has headers that take long to optimize.
function(nvmlkit_optimize_little target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# Sources with names of their own files' scope that others of their target have too: in a unity build each stays a
# compilation of its own.
function(nvmlkit_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# A library that loads into foreign programs: it exports what its version script lists and nothing else, and needs the C
# library alone. A release carries no names of what it does not export: they would be a third of its size.
function(nvmlkit_guest_library target script)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
  target_link_options(${target} PRIVATE "-Wl,--version-script=${script}" -Wl,-z,relro -Wl,--gc-sections
                      $<$<CONFIG:Release>:-Wl,--strip-all>)
  if(NOT NVMLKIT_SANITIZE)  # a sanitizer's runtime is in the program
    target_link_options(${target} PRIVATE -Wl,--no-undefined -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL)
  endif()
endfunction()
