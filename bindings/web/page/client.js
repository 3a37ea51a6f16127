// Calls the worker.
import { $, base64, gunzip } from "./dom.js";

const pending = new Map();
let worker;
let calls = 0;

/** Starts the worker; returns the supported formats. */
export async function start() {
  const [script, wasm] = await Promise.all([gunzip(base64($("worker").textContent)), gunzip(base64($("wasm").textContent))]);
  worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
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
  return ask("start", { wasm }, [wasm.buffer]);
}

/** Calls a method of the worker. */
export function ask(method, args = {}, moved = []) {
  return new Promise((resolve, reject) => {
    calls += 1;
    pending.set(calls, { resolve, reject });
    worker.postMessage({ call: calls, method, args }, moved);
  });
}
