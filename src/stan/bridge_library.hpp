#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

struct bs_model;
struct bs_rng;

namespace darboux {

/// A shared library with BridgeStan's C interface, version 2, by function: `model` is what construct made, vectors are of the
/// model's sizes, and functions that return int say 0, or something else with a message for free_message.
struct BridgeLibrary {
  /// What our own libraries say where the program is at fault and not the point; BridgeStan's do not tell these apart.
  static constexpr int unrecoverable = -2;

  bs_model* (*construct)(const char* data, unsigned int seed, char** error) = nullptr;
  void (*destruct)(bs_model* model) = nullptr;
  void (*free_message)(char* message) = nullptr;
  const char* (*name)(const bs_model* model) = nullptr;
  const char* (*info)(const bs_model* model) = nullptr;
  const char* (*names)(const bs_model* model, bool transformed, bool generated) = nullptr;
  int (*size)(const bs_model* model, bool transformed, bool generated) = nullptr;
  int (*dim)(const bs_model* model) = nullptr;
  int (*constrain)(const bs_model* model, bool transformed, bool generated, const double* q, double* natural,
                   bs_rng* rng, char** error) = nullptr;
  int (*unconstrain)(const bs_model* model, const double* natural, double* q, char** error) = nullptr;
  int (*log_density)(const bs_model* model, bool propto, bool jacobian, const double* q, double* value,
                     char** error) = nullptr;
  int (*gradient)(const bs_model* model, bool propto, bool jacobian, const double* q, double* value, double* gradient,
                  char** error) = nullptr;
  bs_rng* (*construct_rng)(unsigned int seed, char** error) = nullptr;
  void (*destruct_rng)(bs_rng* rng) = nullptr;
  int (*print_to)(void (*callback)(const char* text, std::size_t length), char** error) = nullptr;

  /// Takes over a message of the library, without the name of the function that every one begins with.
  [[nodiscard]] std::string message(char* error) const;
};

/// Loads a library, for good: Stan's threads and what they own live as long as the program. Throws InputError naming the file
/// where it cannot be loaded, has another version, or lacks functions, all of which are named.
[[nodiscard]] BridgeLibrary load_bridge_library(const std::filesystem::path& file);

}  // namespace darboux
