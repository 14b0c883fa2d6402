// The start of the control daemon: its directory, socket and lock.
#pragma once

namespace nvmlkit::mps {

enum class Place { background, foreground };
enum class Division;

// The exit status of the program. In the background, the daemon answers from the return on.
int start_daemon(Place place, Division division);

// Prints the driver's CUDA; the exit status of the program.
int print_version();

}  // namespace nvmlkit::mps
