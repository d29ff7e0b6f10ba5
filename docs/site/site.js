// Typesets the equations that arithmatex has marked.
document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll(".arithmatex")) {
    const text = place.textContent.trim();
    const display = text.startsWith("\\[");
    katex.render(text.replace(/^\\[[(]|\\[\])]$/g, ""), place, { displayMode: display, throwOnError: true });
  }
});
