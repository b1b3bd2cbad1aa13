import { inTurns, type Row } from '../look.ts';
import type { Surveying } from './surveying.ts';

const plain = (of: Row): Row => of;

/** The sections of what belongs to no tenant and goes by its name, with the values as commands call them. */
const CATALOGUE = [
  { kind: 'scope-type', section: 'scopeTypes', valuesOf: plain },
  {
    kind: 'module',
    section: 'modules',
    valuesOf: ({ sold, ...rest }: Row): Row => ({ ...rest, soldBySubscription: sold }),
  },
  { kind: 'page', section: 'pages', valuesOf: plain },
  {
    kind: 'permission',
    section: 'permissions',
    valuesOf: ({ dangerous, ...rest }: Row): Row => ({ ...rest, isDangerous: dangerous }),
  },
] as const;

/** Scope types, modules, pages and permissions. */
export async function surveyCatalogue({ manifest, declared, look, want, have }: Surveying): Promise<void> {
  const entries = CATALOGUE.flatMap(({ kind, section, valuesOf }) =>
    Object.entries<Row>(manifest[section]).map(([name, of]) => ({
      fact: { kind, identity: { name }, label: name, section, shared: true },
      values: valuesOf(of),
    })),
  );
  await inTurns(entries, async ({ fact, values }) => {
    want({ ...fact, values, path: [fact.section, fact.label] });
    const row = await look.read(`${fact.kind}.read`, fact.identity);
    if (row) have({ ...fact, values: row });
  });
  for (const { kind, section } of CATALOGUE) {
    if (!declared.has(section)) continue;
    for (const row of await look.list(`${kind}.list`, {})) {
      const name = String(row.name);
      if (Object.hasOwn(manifest[section], name)) continue;
      have({ kind, section, identity: { name }, label: name, values: row, shared: true });
    }
  }
}
