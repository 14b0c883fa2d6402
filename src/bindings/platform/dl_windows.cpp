#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <cstdlib>
#include <cstring>

#include "platform/platform.hpp"

namespace nvmlkit::nvml::platform {
namespace {

std::wstring wide(const std::string& utf8) {
  const int size = ::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), static_cast<int>(utf8.size()), nullptr, 0);
  std::wstring text(static_cast<std::size_t>(size), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, utf8.data(), static_cast<int>(utf8.size()), text.data(), size);
  return text;
}

std::string narrow(const wchar_t* text) {
  const int size = ::WideCharToMultiByte(CP_UTF8, 0, text, -1, nullptr, 0, nullptr, nullptr);
  if (size <= 1) return {};
  std::string utf8(static_cast<std::size_t>(size), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text, -1, utf8.data(), size, nullptr, nullptr);
  utf8.pop_back();  // the terminator
  return utf8;
}

std::string variable(const wchar_t* name) {
  const wchar_t* value = ::_wgetenv(name);
  return value ? narrow(value) : std::string();
}

std::string system_folder() {
  wchar_t folder[MAX_PATH] = {};
  const UINT size = ::GetSystemDirectoryW(folder, MAX_PATH);
  return size > 0 && size < MAX_PATH ? narrow(folder) : "C:\\Windows\\System32";
}

// The same path from the root: what LoadLibraryEx wants to hear.
std::wstring absolute(const std::wstring& path) {
  std::wstring whole(32768, L'\0');  // the longest path of Windows
  const DWORD size = ::GetFullPathNameW(path.c_str(), static_cast<DWORD>(whole.size()), whole.data(), nullptr);
  if (size == 0 || size >= whole.size()) return path;
  whole.resize(size);
  return whole;
}

std::string reason_of(DWORD code) {
  wchar_t text[256] = {};
  const DWORD size = ::FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, code, 0,
                                      text, 256, nullptr);
  std::string reason = size > 0 ? narrow(text) : "error " + std::to_string(code);
  while (!reason.empty() && (reason.back() == '\n' || reason.back() == '\r')) reason.pop_back();
  return reason;
}

}  // namespace

// What the library itself needs is looked for beside it and in System32, never in the current folder or in PATH, where
// anybody could lay a file. A name without a folder is looked for where Windows looks by default.
void* dl_open(const std::string& path, std::string& reason) {
  const bool bare = path.find_first_of("\\/") == std::string::npos;
  const HMODULE handle = bare ? ::LoadLibraryExW(wide(path).c_str(), nullptr, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS)
                              : ::LoadLibraryExW(absolute(wide(path)).c_str(), nullptr,
                                                 LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (!handle) reason = reason_of(::GetLastError());
  return handle;
}

void* dl_symbol(void* handle, const char* name) {
  const FARPROC function = ::GetProcAddress(static_cast<HMODULE>(handle), name);
  void* symbol = nullptr;
  std::memcpy(&symbol, &function, sizeof symbol);
  return symbol;
}

void dl_close(void* handle) noexcept { ::FreeLibrary(static_cast<HMODULE>(handle)); }

std::vector<std::string> default_library_names() {
  // Drivers in the form of today install into System32, older ones beside their nvidia-smi.
  std::vector<std::string> names{system_folder() + "\\nvml.dll"};
  if (const std::string programs = variable(L"ProgramW6432"); !programs.empty())
    names.push_back(programs + "\\NVIDIA Corporation\\NVSMI\\nvml.dll");
  return names;
}

std::string environment(const char* name) { return variable(wide(name).c_str()); }

// Windows does not fork.
void on_fork(void (*)(), void (*)(), void (*)()) {}

}  // namespace nvmlkit::nvml::platform
