#pragma once
// The earlier names of beam_structure.hpp: a frame is a pose on a body, and this is a structure.

#include "ulna/elastic/beam_structure.hpp"

namespace ulna::elastic {

using Frame = BeamStructure;
using FrameNode = StructureNode;
using FrameElement = StructureElement;
using FrameBody = StructureBody;
using FrameSpring = StructureSpring;
using FrameTie = StructureTie;

}  // namespace ulna::elastic
