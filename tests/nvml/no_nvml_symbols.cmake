# Fails when a binary has an undefined symbol of NVML: cmake -DNM=... -DBINARY=... -P no_nvml_symbols.cmake
execute_process(COMMAND "${NM}" -u "${BINARY}" OUTPUT_VARIABLE symbols RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "nm failed for ${BINARY}")
endif()
if(symbols MATCHES "[ \t]nvml[A-Za-z0-9_]*")
  message(FATAL_ERROR "${BINARY} needs${CMAKE_MATCH_0}")
endif()
