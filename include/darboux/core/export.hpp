#pragma once

// Marks what the shared library exports: what is declared in these headers, and no more.

#define DARBOUX_API __attribute__((visibility("default")))
