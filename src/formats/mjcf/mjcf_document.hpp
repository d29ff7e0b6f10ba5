#pragma once
// The XML of a MuJoCo model made plain: included files and attached models put in their place,
// <replicate> written out, and every element given the attributes of its default class. What is
// left to read is a tree of bodies in which each element says all of itself.
//
// Elements are copied on the way, so each carries the place it came from in two attributes that no
// XML file can have (their names begin with '@').

#include <pugixml.hpp>
#include <string>

namespace ulna {

inline constexpr const char* line_attribute = "@line";
inline constexpr const char* file_attribute = "@file";

/// The <mujoco> element of a document that holds it. InputError with every problem of the XML, of
/// files that cannot be included and of unknown default classes.
class MjcfDocument {
 public:
  /// `depth`: of a model that another attaches.
  MjcfDocument(const std::string& text, const std::string& file_name, int depth = 0);
  pugi::xml_node root() const { return document_.document_element(); }

 private:
  pugi::xml_document document_;
};

}  // namespace ulna
