// Runs the script of the page, which is compressed.
import { $, base64, gunzip } from "./dom.js";

const script = document.createElement("script");
gunzip(base64($("script").textContent)).then((text) => {
  script.src = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  document.body.append(script);
}, (error) => { $("empty-error").textContent = `The viewer cannot start: ${error.message}`; });
