# Debian 12's cross compiler for arm64, with the headers and libraries of a sysroot. scripts/cross makes the sysroot; another
# one comes with -DNVMLKIT_SYSROOT=DIR. Programs of the build run under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# Trial compilations read this file again, with these variables only.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NVMLKIT_SYSROOT)
if(NOT NVMLKIT_SYSROOT)
  get_filename_component(NVMLKIT_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../../build/third-party/arm64/sysroot" ABSOLUTE)
endif()
if(NOT EXISTS "${NVMLKIT_SYSROOT}/usr/include/aarch64-linux-gnu")
  message(FATAL_ERROR "${NVMLKIT_SYSROOT} has no headers for arm64: run scripts/cross, or name a sysroot with -DNVMLKIT_SYSROOT=DIR")
endif()
set(CMAKE_SYSROOT "${NVMLKIT_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(NVMLKIT_QEMU_AARCH64 NAMES qemu-aarch64-static qemu-aarch64)
if(NVMLKIT_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${NVMLKIT_QEMU_AARCH64};-L;${NVMLKIT_SYSROOT}")
endif()
# The tests that are written in Python, and what they start with this interpreter.
if(EXISTS "${NVMLKIT_SYSROOT}/usr/bin/python3")
  set(NVMLKIT_PYTHON "${NVMLKIT_SYSROOT}/usr/bin/python3" CACHE FILEPATH "Python of the tests")
endif()
