#include "film/headless_browser.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "page/binary.hpp"

namespace ulna {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t into = 0, out_of = 1;       // the browser's descriptors 3 and 4
constexpr milliseconds patience{120'000};         // a first frame without a GPU takes seconds
constexpr std::size_t longest_message = 1 << 30;  // of a browser gone mad

std::unique_ptr<ChildProcess> started(const TemporaryFolder& profile, int width, int height) {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome", "chrome"}) {
    std::vector<std::string> words = {name,
                                      "--headless",
                                      "--remote-debugging-pipe",
                                      "--user-data-dir=" + profile.file("profile"),
                                      fmt::format("--window-size={},{}", width, height),
                                      "--no-first-run",
                                      "--disable-extensions",
                                      "--disable-background-networking",
                                      "--hide-scrollbars",
                                      "--force-color-profile=srgb",
                                      "--use-gl=angle",
                                      "--use-angle=swiftshader",
                                      "--enable-unsafe-swiftshader"};
    // Its sandbox refuses to run for the superuser, as in containers; the page is our own.
    if (geteuid() == 0) words.push_back("--no-sandbox");
    words.push_back("about:blank");
    if (auto process = ChildProcess::start(std::move(words), {3, 4})) return process;
  }
  throw ComputationError(
      "pictures of a report need Chromium, which is not installed (Debian: chromium); write the "
      "report as .html instead");
}

/// file:///... with everything unusual escaped.
std::string url_of(const std::string& file) {
  std::string url = "file://";
  for (const char c : std::filesystem::absolute(file).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::strchr("/-_.", c) != nullptr;
    url += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return url;
}

}  // namespace

HeadlessBrowser::HeadlessBrowser(const std::string& html_file, int width, int height)
    : process_(started(profile_, width, height)) {
  const json target = call("Target.createTarget", {{"url", "about:blank"}});
  session_ = call("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}})
                 .at("sessionId");
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  call("Emulation.setEmulatedMedia",
       {{"features", {{{"name", "prefers-color-scheme"}, {"value", "light"}}}}});
  call("Page.enable", json::object());
  call("Page.navigate", {{"url", url_of(html_file)}});
  while (true) {
    const json message = next_message();
    if (message.value("method", "") == "Page.loadEventFired") break;
  }
}

HeadlessBrowser::~HeadlessBrowser() {
  try {  // politely first, so that it leaves nothing behind
    session_.clear();
    call("Browser.close", json::object());
    process_->wait(milliseconds(2000));
  } catch (...) {
  }
}

json HeadlessBrowser::next_message() {
  std::size_t end = 0;
  while ((end = received_.find('\0')) == std::string::npos) {
    if (!process_->receive(out_of, received_, patience) || received_.size() > longest_message)
      throw ComputationError("Chromium ended, or does not answer");
  }
  json message = json::parse(received_.begin(), received_.begin() + static_cast<long>(end), nullptr,
                             /*allow_exceptions=*/false);
  received_.erase(0, end + 1);
  if (!message.is_object()) throw ComputationError("Chromium sent a reply that is not JSON");
  return message;
}

json HeadlessBrowser::call(const char* method, json parameters) {
  json question = {{"id", ++last_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) question["sessionId"] = session_;
  if (!process_->send(into, question.dump() + '\0'))
    throw ComputationError("Chromium ended before it could draw");
  while (true) {
    json answer = next_message();
    if (answer.value("id", 0) != last_) continue;  // an event
    if (answer.contains("error"))
      throw ComputationError(fmt::format("Chromium refuses {}: {}", method,
                                         answer["error"].value("message", std::string("?"))));
    return answer.value("result", json::object());
  }
}

void HeadlessBrowser::evaluate(const std::string& expression) {
  const json answer =
      call("Runtime.evaluate",
           {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails"))
    throw ComputationError("the page of the report failed in Chromium: " +
                           answer["exceptionDetails"].dump().substr(0, 300));
}

std::string HeadlessBrowser::screenshot() {
  const json answer =
      call("Page.captureScreenshot", {{"format", "png"}, {"optimizeForSpeed", true}});
  return from_base64(answer.at("data").get_ref<const std::string&>());
}

}  // namespace ulna
