# import_test: the importing half of nvmlgen. Included from tests/CMakeLists.txt.
find_package(GTest REQUIRED)
include(GoogleTest)

add_executable(import_test
  "${CMAKE_CURRENT_LIST_DIR}/import_test.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/import_history_test.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/import_cuda_test.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/import_drill_test.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/import_driver_test.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/import_registry_test.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/older_facts.cpp")
cmake_path(SET _import_facts NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../registry/facts")
target_compile_definitions(import_test PRIVATE NVMLKIT_REGISTRY_FACTS="${_import_facts}")
target_link_libraries(import_test PRIVATE nvmlgen_import GTest::gtest_main)
if(COMMAND nvmlkit_warnings)
  nvmlkit_warnings(import_test)
endif()
gtest_discover_tests(import_test)
