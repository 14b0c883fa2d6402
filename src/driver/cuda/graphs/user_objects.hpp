// Objects of the program that graphs retain. A function of the program destroys them with the last reference.
#pragma once

#include <map>

#include "driver/cuda/generated/api.hpp"

namespace nvmlkit::cuda {

namespace user_objects {

CUuserObject make(void* object, CUhostFn destroy, unsigned holds);
// False: there is no such object, or it is not held so often.
bool retain(CUuserObject object, unsigned long long holds);
bool release(CUuserObject object, unsigned long long holds);

}  // namespace user_objects

// The objects that a graph holds, and how often. A copy holds them once more.
class UserObjects {
 public:
  UserObjects() = default;
  UserObjects(const UserObjects& other);
  UserObjects& operator=(const UserObjects& other);
  ~UserObjects();

  bool retain(CUuserObject object, unsigned holds);
  bool adopt(CUuserObject object, unsigned holds);  // takes over holds of the caller
  bool release(CUuserObject object, unsigned holds);

 private:
  std::map<CUuserObject, unsigned long long> holds_;
};

}  // namespace nvmlkit::cuda
