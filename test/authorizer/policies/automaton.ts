import type { PathPart } from '../../../authorizer/policies/glob.ts';

// The naive reading of IAM patterns, character by character, against which `intersects` is tested: a finite
// automaton for the paths of a route, walked together with the pattern.

/** Characters that no parameter may hold. */
const UNUSABLE = '%\\;';

/** The label of a transition: one character, or any character except some. */
type Label = { readonly char: string } | { readonly not: string };

/** A finite automaton for the paths of these parts: the transitions from each state, and the final state. */
interface Paths {
  readonly steps: readonly (readonly { readonly label: Label; readonly to: number }[])[];
  readonly end: number;
}

const FIRST: Label = { not: `${UNUSABLE}/.` };
const LATER: Label = { not: `${UNUSABLE}/` };
const SLASH: Label = { char: '/' };

/** Segments are not empty and do not begin with a dot; the rest of a path is one or more segments. */
function pathsOf(verb: string, parts: readonly PathPart[]): Paths {
  const steps: { label: Label; to: number }[][] = [[]];
  const newState = (): number => steps.push([]) - 1;
  const step = (from: number, label: Label, to: number): number => {
    steps[from]?.push({ label, to });
    return to;
  };
  const spell = (from: number, text: string): number =>
    [...text].reduce((state, char) => step(state, { char }, newState()), from);
  let state = spell(0, verb);
  if (parts.length === 0) state = spell(state, '/');
  for (const part of parts) {
    const start = spell(state, '/');
    if ('text' in part) state = spell(start, part.text);
    else {
      state = step(start, FIRST, newState());
      step(state, LATER, state);
      if (part.any === 'rest') step(state, SLASH, start);
    }
  }
  return { steps, end: state };
}

/** Whether some text matches the pattern and is a path of these parts under this verb. */
export function naivelyIntersects(pattern: string, verb: string, parts: readonly PathPart[]): boolean {
  const { steps, end } = pathsOf(verb, parts);
  const seen = new Set<number>();
  const open: number[] = [];
  const enter = (inPattern: number, state: number): void => {
    const both = inPattern * steps.length + state;
    if (seen.has(both)) return;
    seen.add(both);
    open.push(both);
  };
  enter(0, 0);
  for (let both = open.pop(); both !== undefined; both = open.pop()) {
    const [inPattern, state] = [Math.floor(both / steps.length), both % steps.length];
    const wanted = pattern[inPattern];
    if (wanted === undefined) {
      if (state === end) return true;
      continue;
    }
    if (wanted === '*') enter(inPattern + 1, state);
    for (const { label, to } of steps[state] ?? []) {
      if (agree(wanted, label)) enter(wanted === '*' ? inPattern : inPattern + 1, to);
    }
  }
  return false;
}

/** Whether a pattern character and a label have a character in common. */
const agree = (wanted: string, label: Label): boolean =>
  wanted === '*' || wanted === '?' || ('char' in label ? label.char === wanted : !label.not.includes(wanted));
