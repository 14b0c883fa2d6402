# An overlay port that builds the tree it lies in. vcpkg's binary cache looks at the files of the port alone: after a change
# elsewhere in the tree, `vcpkg remove nvmlkit` and install with --no-binarycaching.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES driver NVMLKIT_BUILD_DRIVER)

# The command goes to vcpkg's place for programs at once, because it finds the driver library by its own place. Among the
# options of a configuration, which come after vcpkg's own choice.
set(place_of_the_command "-DCMAKE_INSTALL_BINDIR:STRING=tools/${PORT}")
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${features}
    -DNVMLKIT_BUILD_GENERATOR=OFF
    -DNVMLKIT_BUILD_TESTS=OFF
    -DNVMLKIT_BUILD_BENCH=OFF
    -DNVMLKIT_BUILD_EXAMPLES=OFF
  OPTIONS_RELEASE "${place_of_the_command}"
  OPTIONS_DEBUG "${place_of_the_command}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/nvmlkit)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE
  "${CURRENT_PACKAGES_DIR}/debug/include"
  "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/debug/tools"
  "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
