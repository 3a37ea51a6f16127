// The state of the page in its address.

const NUMBERS = ["t", "view", "unit"];

/** Reads the state from an address or from the element that `preview` writes. */
export function read(text) {
  const state = Object.fromEntries(new URLSearchParams(text.replace(/^#/, "")));
  for (const name of NUMBERS) {
    if (!(name in state)) continue;
    const numbers = state[name].split(",").map(Number);
    if (numbers.every(Number.isFinite)) state[name] = name === "view" ? numbers : numbers[0];
    else delete state[name];
  }
  return state;
}

/** Writes a state as the fragment of an address. */
export function write(state) {
  const present = Object.entries(state).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return `#${new URLSearchParams(present.map(([name, value]) => [name, String(value)]))}`;
}
