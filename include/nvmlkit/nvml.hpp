// Everything of the bindings.
#pragma once

#include <nvmlkit/device.hpp>
#include <nvmlkit/error.hpp>
#include <nvmlkit/events.hpp>
#include <nvmlkit/generated/abi.hpp>
#include <nvmlkit/library.hpp>
#include <nvmlkit/loader.hpp>
#include <nvmlkit/objects.hpp>
#include <nvmlkit/result.hpp>
#include <nvmlkit/table.hpp>
#include <nvmlkit/text.hpp>
#include <nvmlkit/units.hpp>
