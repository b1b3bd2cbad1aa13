import { UNUSABLE } from '../routes/rule.ts';

/**
 * Patterns of IAM (`*`: any run of characters, `/` included; `?`: any one) and the paths that a route stands for, and
 * whether there is a text that fits both. What an Allow covers beyond what it is meant for is found out with it.
 */

/** What one segment of a path may hold: a text, or anything but `/`; the last may be several segments. */
export type PathPart = { readonly text: string } | { readonly any: 'segment' | 'rest' };

/** What one step through a path takes: a character, or any but some. */
type Label = { readonly char: string } | { readonly not: string };

/** The paths of these parts as an automaton: the steps from each state, and the state in which a path may end. */
interface Paths {
  readonly steps: readonly (readonly { readonly label: Label; readonly to: number }[])[];
  readonly end: number;
}

const FIRST: Label = { not: `${UNUSABLE}/.` };
const LATER: Label = { not: `${UNUSABLE}/` };
const SLASH: Label = { char: '/' };

/** A segment is not empty and does not begin with a dot; what is left of a path is one segment or more. */
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

/** Whether some text fits the pattern and is a path of these parts under this verb. */
export function intersects(pattern: string, verb: string, parts: readonly PathPart[]): boolean {
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

/** Whether one character of the pattern can stand for one of the path. */
const agree = (wanted: string, label: Label): boolean =>
  wanted === '*' || wanted === '?' || ('char' in label ? label.char === wanted : !label.not.includes(wanted));

/** The pattern for a path: literal where it has texts; any other segment is one character at least. */
export const patternOf = (verb: string, parts: readonly PathPart[]): string =>
  `${verb}/${parts.map((part) => ('text' in part ? part.text : '?*')).join('/')}`;
