// The one place that knows which Catch2 is installed: Debian 12 ships v2, Ubuntu 24.04 and Debian 13 ship v3.
#pragma once
#ifdef XQACHECK_CATCH2_V3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
