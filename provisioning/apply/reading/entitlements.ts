import { inTurns } from '../../in-turns.ts';
import { pick, type Row } from '../entry.ts';
import { SUBSCRIPTION_ATTRIBUTES } from '../schema.ts';
import type { Resource } from '../state.ts';
import type { Reading } from './reading.ts';
import type { Places } from './scopes.ts';

/** A kind of entitlement: what it is of, and for what. */
interface Entitlement {
  readonly kind: 'subscription' | 'license';
  readonly section: 'subscriptions' | 'licenses';
  /** The field that names the scope. */
  readonly by: string;
  /** The field that names what it is for. */
  readonly other: string;
  /** Attributes that are called alike in manifests and commands. */
  readonly attributes: readonly string[];
}

const SUBSCRIPTION: Entitlement = {
  kind: 'subscription',
  section: 'subscriptions',
  by: 'scope',
  other: 'module',
  attributes: ['status', ...Object.keys(SUBSCRIPTION_ATTRIBUTES)],
};
const LICENSE: Entitlement = {
  kind: 'license',
  section: 'licenses',
  by: 'account',
  other: 'enterprise',
  attributes: ['status', 'name'],
};

/** Subscriptions and licences. They have no names: those of one scope for one purpose are numbered. */
export async function readEntitlements(reading: Reading, places: Places): Promise<void> {
  const { existing } = places;
  await readAll(reading, places, existing, SUBSCRIPTION);
  const accounts = existing.filter(({ ref }) => ref.startsWith('account:'));
  await readAll(reading, places, accounts, LICENSE);
}

async function readAll(
  { manifest, declared, queries, idFor, addDesired, addCurrent, nameOf }: Reading,
  { refOf }: Places,
  scopes: readonly Resource[],
  { kind, section, by, other, attributes }: Entitlement,
): Promise<void> {
  if (!declared.has(section)) return;
  const rows = (await inTurns(scopes, ({ ref }) => queries.list(`${kind}.list`, { [by]: ref }))).flat();
  const left = new Map(rows.map((row) => [String(row.id), row]));
  const listed = manifest[section].map((of) => of as typeof of & Row);
  for (const { id } of listed) if (id !== undefined) left.delete(id);
  const counts = new Map<string, number>();
  for (const [position, of] of listed.entries()) {
    const scope = String(refOf(of[by] as string));
    const what = kind === 'license' ? String(refOf(of[other] as string)) : String(of[other]);
    const number = (counts.get(`${scope} ${what}`) ?? 0) + (of.id === undefined ? 1 : 0);
    counts.set(`${scope} ${what}`, number);
    const made = await idFor(kind, scope, what, String(number));
    const row =
      of.id === undefined
        ? (left.get(made) ?? [...left.values()].find((each) => each[by] === scope && each[other] === what))
        : (rows.find((each) => each.id === of.id) ?? (await queries.read(`${kind}.read`, { id: of.id })));
    const id = of.id ?? String(row?.id ?? made);
    left.delete(id);
    const entry = { kind, identity: { id }, label: `${nameOf(what)} at ${nameOf(scope)}`, section };
    addDesired({
      ...entry,
      path: [section, position],
      values: { ...pick(of, attributes), startDate: of.from ?? null, endDate: of.until ?? null },
      fixed: { [by]: scope, [other]: what },
    });
    if (row) addCurrent({ ...entry, values: row });
  }
  for (const row of left.values()) {
    const label = `${nameOf(row[other])} at ${nameOf(row[by])}`;
    addCurrent({ kind, identity: { id: row.id }, values: row, section, label });
  }
}
