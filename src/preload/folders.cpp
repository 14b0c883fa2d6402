// Listing folders.
#include <dirent.h>
#include <glob.h>
#include <sys/stat.h>

#include "preload/next.hpp"
#include "preload/view.hpp"

namespace nvmlkit::preload {
namespace {

constinit Next<DIR*(const char*)> next_opendir("opendir");
constinit Next<dirent*(DIR*)> next_readdir("readdir");
constinit Next<dirent64*(DIR*)> next_readdir64("readdir64");
constinit Next<int(const char*, int, int (*)(const char*, int), glob_t*)> next_glob("glob");
constinit Next<int(const char*, dirent***, int (*)(const dirent*), int (*)(const dirent**, const dirent**))>
    next_scandir("scandir");
constinit Next<int(const char*, dirent64***, int (*)(const dirent64*), int (*)(const dirent64**, const dirent64**))>
    next_scandir64("scandir64");

// A program asks for the type of a file of the host itself.
template <class Entry>
Entry* hide_stand_in(DIR* folder, Entry* entry) {
  if (entry != nullptr && entry->d_type == DT_LNK && is_stand_in(dirfd(folder), entry->d_name))
    entry->d_type = DT_UNKNOWN;
  return entry;
}

}  // namespace

NVMLKIT_REPLACED DIR* opendir(const char* path) { return next_opendir(Shown(path).path()); }
NVMLKIT_REPLACED dirent* readdir(DIR* folder) { return hide_stand_in(folder, next_readdir(folder)); }
NVMLKIT_REPLACED dirent64* readdir64(DIR* folder) { return hide_stand_in(folder, next_readdir64(folder)); }

NVMLKIT_REPLACED int scandir(const char* path, dirent*** list, int (*wants)(const dirent*),
                             int (*compare)(const dirent**, const dirent**)) {
  return next_scandir(Shown(path).path(), list, wants, compare);
}
NVMLKIT_REPLACED int scandir64(const char* path, dirent64*** list, int (*wants)(const dirent64*),
                               int (*compare)(const dirent64**, const dirent64**)) {
  return next_scandir64(Shown(path).path(), list, wants, compare);
}

// The C library lists folders for this by functions that cannot be replaced, unless the caller names others.
NVMLKIT_REPLACED int glob(const char* pattern, int flags, int (*report)(const char*, int), glob_t* found) noexcept {
  if ((flags & GLOB_ALTDIRFUNC) == 0) {
    found->gl_opendir = [](const char* path) { return static_cast<void*>(opendir(path)); };
    found->gl_readdir = [](void* folder) { return readdir(static_cast<DIR*>(folder)); };
    found->gl_closedir = [](void* folder) { closedir(static_cast<DIR*>(folder)); };
    found->gl_stat = [](const char* path, struct stat* about) { return ::stat(path, about); };
    found->gl_lstat = [](const char* path, struct stat* about) { return ::lstat(path, about); };
    flags |= GLOB_ALTDIRFUNC;
  }
  return next_glob(pattern, flags, report, found);
}
NVMLKIT_REPLACED int glob64(const char* pattern, int flags, int (*report)(const char*, int), glob64_t* found) noexcept {
  static_assert(sizeof(glob_t) == sizeof(glob64_t) && sizeof(dirent) == sizeof(dirent64));
  return glob(pattern, flags, report, reinterpret_cast<glob_t*>(found));
}

}  // namespace nvmlkit::preload
