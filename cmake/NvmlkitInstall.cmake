# What `cmake --install` lays down, as CMake components: bindings, sim, driver, command, data, doc.
# Everything finds its parts relative to itself, so that the prefix can be moved.
include(CMakePackageConfigHelpers)
set(NVMLKIT_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/nvmlkit")

function(nvmlkit_export component export_set)
  install(EXPORT ${export_set} NAMESPACE nvmlkit:: FILE ${export_set}-targets.cmake DESTINATION "${NVMLKIT_PACKAGE_DIR}"
          COMPONENT ${component})
endfunction()

# The bindings.
install(TARGETS nvmlkit_nvml EXPORT nvmlkit-nvml
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT bindings
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT bindings)
nvmlkit_export(bindings nvmlkit-nvml)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/nvmlkit" "${NVMLKIT_BUILD_CONFIG_DIR}/nvmlkit"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT bindings
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cppm" PATTERN "*.inc")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/nvmlkitConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/nvmlkitConfig.cmake" INSTALL_DESTINATION "${NVMLKIT_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/nvmlkitConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/nvmlkitConfig.cmake" "${PROJECT_BINARY_DIR}/nvmlkitConfigVersion.cmake"
        DESTINATION "${NVMLKIT_PACKAGE_DIR}" COMPONENT bindings)

# Linking statically, a program needs our libraries' libraries in any case.
get_target_property(type nvmlkit_nvml TYPE)
list(TRANSFORM CMAKE_DL_LIBS PREPEND " -l" OUTPUT_VARIABLE libraries)
string(JOIN "" libraries ${libraries})
if(type STREQUAL "SHARED_LIBRARY")
  set(NVMLKIT_PC_LIBS "")
  set(NVMLKIT_PC_LIBS_PRIVATE "${libraries}")
else()
  set(NVMLKIT_PC_LIBS "${libraries}")
  set(NVMLKIT_PC_LIBS_PRIVATE "")
endif()
file(RELATIVE_PATH NVMLKIT_PC_TO_PREFIX "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/p")
string(REGEX REPLACE "/$" "" NVMLKIT_PC_TO_PREFIX "${NVMLKIT_PC_TO_PREFIX}")
configure_file("${PROJECT_SOURCE_DIR}/cmake/nvmlkit.pc.in" "${PROJECT_BINARY_DIR}/nvmlkit.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/nvmlkit.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT bindings)

if(NVMLKIT_BUILD_DRIVER)
  install(TARGETS nvmlkit_sim EXPORT nvmlkit-sim ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT sim)
  nvmlkit_export(sim nvmlkit-sim)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/sim" "${PROJECT_SOURCE_DIR}/src/storage" "${PROJECT_SOURCE_DIR}/src/base" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nvmlkit-sim" COMPONENT sim
          FILES_MATCHING PATTERN "*.hpp")

  # The driver as a table inside a program; its header is with the bindings'.
  install(TARGETS nvmlkit_sim_table EXPORT nvmlkit-sim_table
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT sim)
  nvmlkit_export(sim nvmlkit-sim_table)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/nvmlkit-sim-table.pc.in" "${PROJECT_BINARY_DIR}/nvmlkit-sim-table.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/nvmlkit-sim-table.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT sim)

  # In a folder of its own: the system's library folder may hold NVIDIA's.
  install(TARGETS nvmlkit_cuda_driver nvmlkit_nscq LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nvmlkit" COMPONENT driver)
  if(TARGET nvmlkit-node)
    install(TARGETS nvmlkit-node nvmlkit-audit LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nvmlkit" COMPONENT driver)
  endif()
  if(TARGET nvmlkit_ptx_compiler)  # 45 MB: a package of its own
    install(TARGETS nvmlkit_ptx_compiler LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nvmlkit" COMPONENT compiler)
  endif()
  if(TARGET nvmlkit_trace_driver)
    install(TARGETS nvmlkit_trace_driver nvmlkit-clock LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nvmlkit/trace" COMPONENT driver)
  endif()
  install(TARGETS nvidia-cuda-mps-control nvidia-cuda-mps-server nvidia-imex nvidia-imex-ctl ptxas RUNTIME DESTINATION "${CMAKE_INSTALL_LIBDIR}/nvmlkit" COMPONENT driver)
  install(TARGETS nvmlkit-cdi-hook RUNTIME DESTINATION "${CMAKE_INSTALL_LIBDIR}/nvmlkit" COMPONENT driver)
  install(TARGETS nvidia-ml EXPORT nvmlkit-driver LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/nvmlkit" COMPONENT driver)
  nvmlkit_export(driver nvmlkit-driver)
  install(TARGETS compute-sanitizer RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)
  install(TARGETS nvmlkit_cli EXPORT nvmlkit-command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)
  nvmlkit_export(command nvmlkit-command)
  # The command writes its man pages, so it must be one that runs here.
  if(TARGET nvmlkit_manual)
    install(DIRECTORY "${NVMLKIT_MANUAL_DIR}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT command
            FILES_MATCHING PATTERN "*.1")
  endif()
  set(completion "${PROJECT_SOURCE_DIR}/src/cli/completion")
  install(FILES "${completion}/nvmlkit.bash" RENAME nvmlkit COMPONENT command
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${completion}/nvmlkit.zsh" RENAME _nvmlkit COMPONENT command
          DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${completion}/nvmlkit.fish" COMPONENT command
          DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

  install(DIRECTORY "${PROJECT_SOURCE_DIR}/profiles" DESTINATION "${CMAKE_INSTALL_DATADIR}/nvmlkit" COMPONENT data
          FILES_MATCHING PATTERN "*.yaml" PATTERN "machine.schema.json")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenarios" DESTINATION "${CMAKE_INSTALL_DATADIR}/nvmlkit" COMPONENT data
          FILES_MATCHING PATTERN "*.yaml")
endif()

set(documents README.md CHANGELOG.md LICENSE)
list(TRANSFORM documents PREPEND "${PROJECT_SOURCE_DIR}/")
if(NVMLKIT_UPLOT_LICENSE)  # uPlot is in the command
  list(APPEND documents "${NVMLKIT_UPLOT_LICENSE}")
endif()
install(FILES ${documents} DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT doc)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT doc)
