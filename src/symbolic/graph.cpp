#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <ulna/scalar/internal/interruption.hpp>
#include <ulna/symbolic/graph.hpp>

namespace ulna {
namespace {

thread_local Graph* current_graph = nullptr;

std::uint64_t mix(std::uint64_t h) {  // the finaliser of MurmurHash3
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

std::uint32_t hash_of(const Node& node) {
  std::uint64_t h = (std::uint64_t{node.link} << 8) | static_cast<std::uint64_t>(node.kind);
  for (const Expression& e : node.operands) {
    h = mix(h ^ std::bit_cast<std::uint64_t>(e.factor())) + 0x9e3779b97f4a7c15ULL * e.id();
  }
  return static_cast<std::uint32_t>(mix(h));
}

bool same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.link == b.link && identical(a.a(), b.a()) && identical(a.b(), b.b());
}

constexpr std::size_t initial_slots = 1024;

}  // namespace

Graph::Scope::Scope(Graph& graph) : previous_(current_graph) { current_graph = &graph; }
Graph::Scope::~Scope() { current_graph = previous_; }

Graph::Graph() : nodes_(1), slots_(initial_slots) {}

Graph& Graph::current() {
  if (current_graph == nullptr) {
    throw std::logic_error("symbolic arithmetic outside a Graph::Scope of this thread");
  }
  return *current_graph;
}

Expression Graph::input(std::string_view name) {
  const auto [entry, is_new] = ids_by_name_.try_emplace(std::string(name), 0);
  if (is_new) {
    Node node;
    node.kind = Kind::input;
    node.affine = true;
    node.link = static_cast<std::uint32_t>(names_.size());
    names_.emplace_back(name);
    entry->second = intern(node);
  }
  return Expression::of_node(1.0, entry->second);
}

std::uint32_t Graph::intern(const Node& node) {
  if (std::max({node.a().id(), node.b().id(), node.link}) >= nodes_.size()) throw_foreign();
  const std::uint32_t hash = hash_of(node);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].id != 0; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && same(nodes_[slots_[at].id], node)) return slots_[at].id;
  }
  if (nodes_.size() == std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error(fmt::format("symbolic graph: more than {} nodes", nodes_.size()));
  }
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(node);
  slots_[at] = {hash, id};
  if (nodes_.size() * 2 > slots_.size()) grow();
  if (id % 1024 == 0) interruption_point();
  return id;
}

std::span<const Node> Graph::nodes_up_to(std::span<const Expression> outputs) const {
  std::size_t count = 1;
  for (const Expression& e : outputs) count = std::max(count, std::size_t{e.id()} + 1);
  if (count > nodes_.size()) throw_foreign();
  return nodes().first(count);
}

void Graph::throw_foreign() { throw std::logic_error("symbolic expression of another graph"); }

void Graph::grow() {
  std::vector<Slot> wider(slots_.size() * 2);
  const std::size_t mask = wider.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.id == 0) continue;
    std::size_t at = slot.hash & mask;
    while (wider[at].id != 0) at = (at + 1) & mask;
    wider[at] = slot;
  }
  slots_ = std::move(wider);
}

}  // namespace ulna
