import type * as z from 'zod';
import { closest, hint } from '../../table/similar-words.ts';

/** Where in a manifest: keys and positions, from the top. */
export type Path = readonly (string | number)[];

/** Something that is wrong with a manifest. */
export interface Problem {
  /** Empty for the manifest as a whole. */
  readonly path: Path;
  readonly message: string;
}

/** A path as a JSON Pointer (RFC 6901): how an error names a place in a manifest. */
export const pointerOf = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** The path that a JSON Pointer names. A number may be a key or a position. */
export const pathOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The most problems of a schema: each suggestion takes work, and nobody reads more. */
const MAX_PROBLEMS = 200;

/**
 * What a schema found wrong, of many the first. The message of an unknown key lists the keys that are known (`object` in fields.ts); here
 * it becomes one problem for each such key, with a suggestion.
 */
export function problemsOf(error: z.ZodError): readonly Problem[] {
  const pathTo = ({ path }: z.core.$ZodIssue): Path =>
    path.map((step) => (typeof step === 'number' ? step : String(step)));
  let left = MAX_PROBLEMS;
  const issues = error.issues.flatMap((issue): readonly z.core.$ZodIssue[] => {
    if (left <= 0) return [];
    const first = issue.code === 'unrecognized_keys' ? { ...issue, keys: issue.keys.slice(0, left) } : issue;
    left -= first.code === 'unrecognized_keys' ? first.keys.length : 1;
    return [first];
  });
  // A mapping with a misspelt key is not judged as a whole, nor is the key that was probably meant.
  const misspelt = new Set<string>();
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    misspelt.add(pointerOf(pathTo(issue)));
    for (const key of issue.keys) {
      const meant = closest(key, issue.message.split(' '));
      if (meant !== undefined) misspelt.add(pointerOf([...pathTo(issue), meant]));
    }
  }
  return issues.flatMap((issue): readonly Problem[] => {
    const path = pathTo(issue);
    if (issue.code === 'unrecognized_keys') {
      const known = issue.message.split(' ');
      return issue.keys.map((key) => ({ path: [...path, key], message: `unknown key: ${hint(key, known)}` }));
    }
    return misspelt.has(pointerOf(path)) ? [] : [{ path, message: issue.message }];
  });
}
