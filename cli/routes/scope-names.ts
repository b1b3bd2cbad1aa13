import { lookUp, type Names } from '../references.ts';

/** The scope of a route: a template of one, a reference, or a name of the one that it is always at. */
export const isScopeName = (text: string): boolean =>
  text.trim() !== '' && !/[{}]/.test(text) && !/^[a-z][a-z0-9-]*:/.test(text);

/** The template or reference of what was written. Throws NameError. */
export const routeScope = async (names: Names, label: string, text: string): Promise<string> =>
  isScopeName(text) ? (await lookUp(names, { label, kind: 'scope' }, text)).ref : text;
