// Calls the worker.
import { $, sevenBits } from "./dom.js";
import { unlzma } from "./lzma.js";

const pending = new Map();
let worker;
let calls = 0;
let script;
let module;

/** Starts the worker; returns the supported formats. */
export async function start() {
  const [text, wasm] = ["worker", "wasm"].map((id) => unlzma(sevenBits($(id).textContent)));
  script = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  module = await WebAssembly.compile(wasm);
  for (const id of ["worker", "wasm"]) $(id).remove();
  return run();
}

/** Starts the worker anew: the memory of a module never shrinks, so this is how it is returned. Open questions stay unanswered. */
export function restart() {
  worker.terminate();
  pending.clear();
  return run();
}

function run() {
  worker = new Worker(script);
  worker.onmessage = ({ data: { call, result, error } }) => {
    const { resolve, reject } = pending.get(call);
    pending.delete(call);
    if (error) reject(Object.assign(new Error(error.message), error));
    else resolve(result);
  };
  worker.onerror = (event) => {
    for (const { reject } of pending.values()) reject(new Error(event.message));
    pending.clear();
  };
  return ask("start", { module });
}

/** Calls a method of the worker. */
export function ask(method, args = {}, moved = []) {
  return new Promise((resolve, reject) => {
    calls += 1;
    pending.set(calls, { resolve, reject });
    worker.postMessage({ call: calls, method, args }, moved);
  });
}
