// LLVM's objects are never destroyed: a thread may still compile when the process ends.

// In place of the C library's, for the code of this library alone.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
