# Programs built by other compilers than nvcc 13, and such with NVIDIA's static runtime. `scripts/setup --with-cuda` unpacks
# the compilers of CUDA 11.8 and 12.4; a compiler that is not there is no error, its test says so.
foreach(version 11.8 12.4)
  string(REGEX REPLACE "\\..*" "" major "${version}")
  file(GLOB places "/usr/local/cuda-${major}*/bin")
  find_program(NVMLKIT_NVCC_${major} nvcc HINTS "${PROJECT_SOURCE_DIR}/build/third-party/cuda-${version}/bin" ${places}
               NO_DEFAULT_PATH)
  mark_as_advanced(NVMLKIT_NVCC_${major})
endforeach()
# Clang takes headers and assembler from a toolkit that it knows. In CUDA programs it fuses even products and sums that
# __dmul_rn and __dadd_rn ask for, unless contraction is limited to expressions.
find_program(NVMLKIT_CUDA_CLANG NAMES clang++-19 clang++-16 clang++-14)
mark_as_advanced(NVMLKIT_CUDA_CLANG)

set(old_nvcc -std=c++17 -arch=sm_80 -allow-unsupported-compiler)
set(commands_of_nvcc11 "${NVMLKIT_NVCC_11}" ${old_nvcc})
set(commands_of_nvcc12 "${NVMLKIT_NVCC_12}" ${old_nvcc})
set(commands_of_nvcc13 "${NVMLKIT_NVCC}" -std=c++17 -arch=sm_90)
cmake_path(GET NVMLKIT_NVCC_11 PARENT_PATH toolkit)
cmake_path(GET toolkit PARENT_PATH toolkit)
set(commands_of_clang "${NVMLKIT_CUDA_CLANG}" -x cuda -std=c++17 -O2 -ffp-contract=on "--cuda-path=${toolkit}" --cuda-gpu-arch=sm_80
    -Wno-unknown-cuda-version "-L${toolkit}/lib64")

set(have_nvcc11 ${NVMLKIT_NVCC_11})
set(have_nvcc12 ${NVMLKIT_NVCC_12})
set(have_nvcc13 OFF)
if(NVMLKIT_NVCC AND NVMLKIT_NVCC_MAJOR GREATER_EQUAL 13)
  set(have_nvcc13 ON)
endif()
set(have_clang OFF)
if(CMAKE_CROSSCOMPILING)  # their runtime is of this machine's processor
  set(have_nvcc11 OFF)
  set(have_nvcc12 OFF)
  set(have_nvcc13 OFF)
elseif(NVMLKIT_NVCC_11 AND NVMLKIT_CUDA_CLANG)
  set(have_clang ON)
endif()

set(built_elsewhere)
# A program SOURCE.cu, built by COMPILER as PROGRAM; `expected` is what its output has.
function(nvmlkit_add_cuda_program compiler program source expected)
  set(name cuda.${compiler}_${program})
  if(have_${compiler} AND NOT NVMLKIT_SANITIZE)
    set(binary "${CMAKE_CURRENT_BINARY_DIR}/${compiler}_${program}")
    set(last -cudart shared)
    if(program STREQUAL "static_runtime")
      set(last -cudart static)
    elseif(compiler STREQUAL "clang")
      set(last -lcudart)
    endif()
    set(more ${ARGN})
    list(FILTER more INCLUDE REGEX "\\.cu$")
    add_custom_command(OUTPUT "${binary}" DEPENDS ${source}.cu ${more} check.hpp ${parts_of_${source}}
      COMMAND ${commands_of_${compiler}} ${ARGN} "${CMAKE_CURRENT_SOURCE_DIR}/${source}.cu" -o "${binary}" ${last}
      COMMENT "${compiler} ${source}.cu" VERBATIM)
    set(built_elsewhere ${built_elsewhere} "${binary}" PARENT_SCOPE)
    add_test(NAME ${name} COMMAND nvmlkit_cli run -m h100 -- "${binary}")
    set_tests_properties(${name} PROPERTIES TIMEOUT 300)
  else()
    add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo "no ${compiler} here (scripts/setup --with-cuda): not tested")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS clients PASS_REGULAR_EXPRESSION "${expected}"
    SKIP_REGULAR_EXPRESSION "not tested")
endfunction()

foreach(program arithmetic functions layouts)
  nvmlkit_add_cuda_program(nvcc11 ${program} ${program} "all is well")
endforeach()
nvmlkit_add_cuda_program(nvcc11 per_thread vectors "all is well" -default-stream per-thread)
foreach(program blocks layouts)
  nvmlkit_add_cuda_program(nvcc12 ${program} ${program} "all is well")
endforeach()
foreach(program arithmetic blocks functions layouts)
  nvmlkit_add_cuda_program(clang ${program} ${program} "all is well")
endforeach()
foreach(compiler nvcc11 nvcc13)
  nvmlkit_add_cuda_program(${compiler} textures textures "all is well" -Wno-deprecated-declarations)
endforeach()
nvmlkit_add_cuda_program(nvcc13 layouts layouts "all is well")
nvmlkit_add_cuda_program(nvcc13 per_thread vectors "all is well" -default-stream per-thread)
# Two files, linked on the device.
foreach(compiler nvcc11 nvcc12 nvcc13)
  nvmlkit_add_cuda_program(${compiler} linked linked "all is well" -rdc=true -w
    -D__CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING "${CMAKE_CURRENT_SOURCE_DIR}/linked_part.cu")
endforeach()
foreach(compiler nvcc11 nvcc12 nvcc13)
  nvmlkit_add_cuda_program(${compiler} static_runtime static_runtime
    "carries NVIDIA's own CUDA runtime library.*-cudart shared.*ended, and 0 calls worked")
endforeach()

if(built_elsewhere)
  add_custom_target(cuda_programs_of_others ALL DEPENDS ${built_elsewhere})
  add_dependencies(cuda_programs_of_others nvmlkit_cudart_11.0 nvmlkit_cudart_12 nvmlkit_cudart_13 nvmlkit_cli nvidia-ml)
endif()
