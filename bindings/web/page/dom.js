/** Returns the element with an id. */
export const $ = (id) => document.getElementById(id);

/**
 * Creates an element. Names in files are hostile: text is always set as text, never as markup.
 * @param {string} tag the name, with classes: "div.row.warn"
 * @param {object} props properties; `data` and `aria` are objects
 * @param {...(Node|string)} children
 */
export function el(tag, props = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  element.classList.add(...classes);
  const { data, aria, role, style, ...rest } = props;
  Object.assign(element, rest);
  // What a control shows at first can be compared with what is typed later.
  if (rest.value !== undefined && name === "input") element.defaultValue = rest.value;
  if (rest.checked !== undefined) element.defaultChecked = rest.checked;
  if (role) element.setAttribute("role", role);
  for (const [key, value] of Object.entries(aria ?? {})) element.setAttribute(`aria-${key}`, value);
  Object.assign(element.dataset, data);
  for (const [key, value] of Object.entries(style ?? {})) element.style.setProperty(key, value);
  element.append(...children);
  return element;
}

/** Formats an offset as `0x000002e4`. */
export const hex = (offset, digits = 8) => `0x${offset.toString(16).padStart(digits, "0")}`;

/** Formats a size in bytes. */
export function size(bytes) {
  if (bytes === 1) return "1 byte";
  if (bytes < 10_000) return `${bytes} bytes`;
  const units = ["KiB", "MiB", "GiB"];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1000 && unit < 2) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** Formats a count with its noun. */
export const counted = (count, noun, plural = `${noun}s`) => `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;

/** Lists names, each once, at most `most`, then the number of the others. */
export function several(names, most = 4) {
  const shown = [...new Set(names)].slice(0, most);
  const left = names.length - shown.length;
  return `${shown.join(", ")}${left ? ` and ${left.toLocaleString("en")} more` : ""}`;
}

/** Decodes base64. */
export function base64(text) {
  const trimmed = text.trim();
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(trimmed);
  const binary = atob(trimmed);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Returns a name with the bytes `\xNN` in it decoded; unchanged if they are not text in the encoding. */
export function readable(name, encoding) {
  if (!encoding || !/\\x[0-9a-f]{2}/.test(name)) return name;
  const parts = [...name.matchAll(/\\x([0-9a-f]{2})|\\(\\)|[^\\]+/g)];
  const bytes = parts.flatMap(([plain, digits, slash]) => (digits ? [parseInt(digits, 16)] : [...new TextEncoder().encode(slash ?? plain)]));
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return name;
  }
}

/** Decodes what `sevenBits` of the build writes. */
export function sevenBits(text) {
  const bytes = new Uint8Array(Math.ceil((text.length * 14) / 8));
  let [word, width, to] = [0, 0, 0];
  const push = (code) => {
    word = ((word << 7) | code) & 0x3fff;
    width += 7;
    if (width < 8) return;
    width -= 8;
    bytes[to++] = word >> width;
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = code >> 7;
    if (kind) push([0, 13, 60][kind < 4 ? kind - 1 : code & 127]);
    if (kind < 4) push(code & 127);
  }
  return bytes.subarray(0, to);
}

/** Decompresses gzip, or DEFLATE without a header. */
export async function gunzip(bytes, format = "gzip") {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Returns a setting that was kept; null if there is none, or the browser keeps none for files. */
export function kept(name) {
  try {
    return localStorage.getItem(`bindpose.${name}`);
  } catch {
    return null;
  }
}

/** Keeps a setting. */
export function keep(name, value) {
  try {
    localStorage.setItem(`bindpose.${name}`, value);
  } catch {
    // The setting lasts until the page is closed.
  }
}

/** Copies a text to the clipboard. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages from disk may have no clipboard.
    const area = el("textarea", { value: text, className: "sr" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** Offers bytes as a download. */
export function save(name, bytes) {
  const link = el("a", { href: URL.createObjectURL(new Blob([bytes])), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Connects tabs: the arrow keys move between those that are shown. */
export function arrows(list) {
  list.addEventListener("keydown", (event) => {
    const items = [...list.querySelectorAll("[role=tab]:not([hidden])")];
    const next = items[items.indexOf(document.activeElement) + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? NaN)];
    next?.click();
    next?.focus();
  });
}
