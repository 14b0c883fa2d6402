# Every method of the bindings under one contract: what is missing, who answers, who lies.
add_executable(nvml_contract_test contract/by_hand_calls.cpp contract/chains_test.cpp contract/drivers_test.cpp
               contract/hostile_test.cpp contract/missing_test.cpp contract/pointer_structs.cpp contract/scripted_driver.cpp generated/methods.cpp)
target_link_libraries(nvml_contract_test PRIVATE nvmlkit::nvml GTest::gtest_main)
if(TARGET nvidia-ml)
  target_compile_definitions(nvml_contract_test PRIVATE
    "NVMLKIT_TEST_IMPERSONATE=\"${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/impersonate\"")
  add_dependencies(nvml_contract_test nvidia-ml-535 nvidia-ml-550 nvidia-ml-555)
endif()
nvmlkit_warnings(nvml_contract_test)
gtest_discover_tests(nvml_contract_test TEST_PREFIX nvml. PROPERTIES TIMEOUT 900)
