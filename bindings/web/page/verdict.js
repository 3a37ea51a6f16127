// What is known of a file at a glance: its verdict, and its findings by their severity.
import { counted, el } from "./dom.js";

/** The verdicts: each with its name, what it means, and its look; that of a file that could be read is the one of its worst finding. */
const VERDICTS = {
  lossless: ["Lossless", "Every byte has a path, and the file re-encodes identically."],
  damaged: ["Damaged", "Re-encodes identically, but decoding stopped before the end.", "damaged"],
  undecodable: ["Undecodable", "The file cannot be decoded.", "undecodable"],
  foreign: ["Shown and converted", "glTF is read as a scene. Its bytes are neither checked nor edited here."],
  limit: ["Too large", "The file exceeds a limit.", "undecodable"],
  "not-lossless": ["Not lossless", "This is a bug in bindpose; please report the file.", "undecodable"],
};

/** The looks of dots, the worst first. */
const LOOKS = ["undecodable", "damaged", "error", "warning", "fine", "busy"];

/** The numbers of findings of a file by severity, the worst first; undefined while they are not known, and for files that are not checked. */
function counts({ kind, report, about, error }) {
  if (kind === "gltf") return undefined;
  return error?.counts ?? report?.counts ?? about?.counts;
}

/** The number of findings of a file; undefined if it is not known. */
export function count(file) {
  const own = counts(file);
  return own && Object.values(own).reduce((sum, number) => sum + number, 0);
}

/** The numbers of findings of a file by their severity, the worst first. */
export const severities = (file) => Object.entries(counts(file) ?? {}).filter(([, own]) => own);

/** A text by which files are in the order of their findings: of the worst severity, then of the next one. */
export const byFindings = (file) => Object.values(counts(file) ?? {}).join(" ");

/** Returns what is shown of a file: the look of its dot, the place of that look among all, its verdict with the worst findings, and what that means. */
export function condition(file) {
  const { info, about, error } = file;
  const known = error || about?.error ? "undecodable" : about && (info ?? about.info)?.verdict;
  if (!known) return ranked("busy", "Reading…", "");
  const [name, meaning, own] = VERDICTS[known];
  const [severity, number] = severities(file).find(([worst]) => LOOKS.includes(worst)) ?? ["fine"];
  const words = number && own !== "undecodable" ? `${name}, ${counted(number, severity)}` : name;
  return ranked(own ?? severity, words, meaning);
}

const ranked = (look, words, meaning) => ({ look, rank: LOOKS.indexOf(look), words, meaning });

/** The dot of a file; its words are beside it. */
export const dot = (file) => el(`span.dot.${condition(file).look}`, { aria: { hidden: true } });
