// Sets the theme, and runs the script of the page, which is compressed.
import { $, kept, sevenBits } from "./dom.js";
import { unlzma } from "./lzma.js";

document.documentElement.dataset.theme = kept("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
const script = document.createElement("script");
try {
  const text = unlzma(sevenBits($("script").textContent));
  script.src = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  document.body.append(script);
} catch (error) {
  $("message-text").textContent = `The viewer cannot start: ${error.message}`;
  $("message").hidden = false;
  document.body.style.visibility = "visible";
}
