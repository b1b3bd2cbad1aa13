import { isScopeName } from '../../provisioning/index.ts';
import { lookUp, type Names } from '../references.ts';

/** The template or reference of what was written. Throws NameError. */
export const routeScope = async (names: Names, label: string, text: string): Promise<string> =>
  isScopeName(text) ? (await lookUp(names, { label, kind: 'scope' }, text)).ref : text;
