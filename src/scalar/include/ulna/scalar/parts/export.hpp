// ULNA_API marks what the shared library shows; everything else is compiled hidden.
#pragma once

#define ULNA_API __attribute__((visibility("default")))
