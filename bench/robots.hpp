// The robots that are timed: two real arms and random chains of general links.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "contestant.hpp"

namespace ulna::bench {

// The arm in `directory`/`name`.urdf or the shipped robot of that name, fixed joints merged and all
// but revolute ones (the fingers of a gripper) held at zero; nothing when there is neither.
std::optional<ChainSpec> arm(const std::string& name, const std::filesystem::path& directory);

// A chain of `links` bodies in general position, the same in every run: the first axis stands along
// the base's z, every further hinge frame is turned and shifted at random.
ChainSpec random_chain(int links);

}  // namespace ulna::bench
