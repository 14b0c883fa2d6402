# `cpack -G DEB` in a build folder: nvmlkit (the command, the driver library, the machines), nvmlkit-cuda-libraries,
# libnvmlkit-dev, and nvmlkit-cuda-compiler where LLVM was there at build.
set(CPACK_PACKAGE_VENDOR "the nvmlkit authors")
set(CPACK_PACKAGE_CONTACT "the nvmlkit authors <nvmlkit@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB TGZ)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  # DEBIAN/ in the sysroot has the packages of these libraries (scripts/lib/arm64.sh).
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
      "${CMAKE_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE}" "${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
endif()
# The command finds the driver library by its place; no package may find it as a library of the system.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME nvmlkit)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "nvmlkit-cuda-compiler, nvmlkit-cuda-libraries")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "NVIDIA GPUs for programs, on machines without a GPU
 The command nvmlkit runs a program with a simulated NVML driver library.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libnvmlkit-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libyaml-dev")
if(NOT NVMLKIT_STD_EXPECTED)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libexpected-dev")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS nvmlkit)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "NVML for C++, without linking to a driver
 Headers and libraries of the nvmlkit bindings, and the simulated machine.")

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME nvmlkit-cuda-libraries)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_ENHANCES nvmlkit)
set(CPACK_DEBIAN_LIBRARIES_DESCRIPTION "CUDA libraries for nvmlkit's simulated GPUs
 cuBLAS, cuFFT, cuSPARSE and others, over libraries of the CPU. nvmlkit run shows them to programs.")

set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME nvmlkit-cuda-compiler)
set(CPACK_DEBIAN_COMPILER_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_COMPILER_PACKAGE_ENHANCES nvmlkit)
set(CPACK_DEBIAN_COMPILER_DESCRIPTION "Compiled CUDA kernels on nvmlkit's simulated GPUs
 With this library, the simulated CUDA driver compiles kernels that run often. Without it, kernels are interpreted.")

# What the package nvmlkit needs of the build: the container image has this package alone. Libraries of which there are several add
# their names to the property where they are made.
if(NVMLKIT_BUILD_DRIVER)
  get_property(runtime_targets GLOBAL PROPERTY NVMLKIT_RUNTIME_TARGETS)
  list(APPEND runtime_targets nvmlkit_cli compute-sanitizer nvidia-ml nvmlkit_cuda_driver nvmlkit_nscq ptxas nvmlkit-cdi-hook
       nvidia-cuda-mps-control nvidia-cuda-mps-server nvidia-imex nvidia-imex-ctl nvmlkit-node nvmlkit-audit nvmlkit_trace_driver nvmlkit-clock
       nvmlkit_manual)
  add_custom_target(nvmlkit_runtime)
  foreach(part ${runtime_targets})
    if(TARGET ${part})
      add_dependencies(nvmlkit_runtime ${part})
    endif()
  endforeach()
endif()

include(CPack)
cpack_add_component_group(runtime)
cpack_add_component_group(libraries)
cpack_add_component_group(development)
foreach(component command driver data doc)
  cpack_add_component(${component} GROUP runtime)
endforeach()
cpack_add_component(libraries GROUP libraries)
foreach(component bindings sim)
  cpack_add_component(${component} GROUP development)
endforeach()
if(TARGET nvmlkit_ptx_compiler)
  cpack_add_component_group(compiler)
  cpack_add_component(compiler GROUP compiler)
endif()
