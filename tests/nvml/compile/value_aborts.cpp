// value() of a failure, in a program and a library without exceptions: ends with the message.
#include <nvmlkit/nvml.hpp>

int main() { static_cast<void>(nvmlkit::nvml::Library::from_table({}).value()); }
