import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { PLAIN_ENTITIES } from '../../table/entities/registry.ts';

type Texts = Readonly<Record<string, string>>;

const { keys, within } = parse(readFileSync(new URL('descriptions.yaml', import.meta.url), 'utf8'), {
  merge: true,
}) as { readonly keys: Texts; readonly within: Readonly<Record<string, Texts>> };

export const DESCRIPTIONS: Texts = {
  ...keys,
  ...Object.fromEntries(
    PLAIN_ENTITIES.flatMap(({ section, summary }) => (section === undefined ? [] : [[section, summary]])),
  ),
};

/** The description of a key; undefined where it has none. */
export function describe(path: readonly string[]): string | undefined {
  const [key = '', above] = path.slice(-2).reverse();
  return (
    within[above ?? '']?.[key] ?? (above === undefined || SHARED.has(key) ? DESCRIPTIONS[key] : undefined)
  );
}

/** Keys that mean the same everywhere. */
const SHARED: ReadonlySet<string> = new Set(['id', 'name', 'description', 'existing', 'at']);
