# Threads, hostile tables, and the real libraries where there are any.
add_executable(nvml_robustness_test lifetime_test.cpp protocol_property_test.cpp real_libraries_test.cpp threads_test.cpp)
target_link_libraries(nvml_robustness_test PRIVATE nvmlkit::nvml GTest::gtest_main ${CMAKE_DL_LIBS})
if(TARGET nvidia-ml)
  target_compile_definitions(nvml_robustness_test PRIVATE "NVMLKIT_TEST_LIBRARY=\"$<TARGET_FILE:nvidia-ml>\"")
  add_dependencies(nvml_robustness_test nvidia-ml)
endif()
nvmlkit_warnings(nvml_robustness_test)
gtest_discover_tests(nvml_robustness_test TEST_PREFIX nvml. PROPERTIES TIMEOUT 900)
