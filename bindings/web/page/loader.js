// Sets the theme, and runs the script of the page, which is compressed.
import { $, sevenBits, gunzip, kept } from "./dom.js";

document.documentElement.dataset.theme = kept("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
const script = document.createElement("script");
gunzip(sevenBits($("script").textContent)).then((text) => {
  script.src = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  document.body.append(script);
}, (error) => {
  $("message-text").textContent = `The viewer cannot start: ${error.message}`;
  $("message").hidden = false;
  document.body.style.visibility = "visible";
});
