import { derivedId } from '../fact.ts';
import { inTurns, type Row } from '../look.ts';
import type { Places } from './scopes.ts';
import type { Surveying, Thing } from './surveying.ts';

/** What is sold: of which place it is, and what of. */
interface Entitlement {
  readonly kind: 'subscription' | 'license';
  readonly section: 'subscriptions' | 'licenses';
  /** The field that names the place. */
  readonly by: string;
  /** The field that names what is sold. */
  readonly other: string;
  readonly valuesOf: (of: Row) => Row;
}

const SUBSCRIPTION: Entitlement = {
  ...{ kind: 'subscription', section: 'subscriptions', by: 'scope', other: 'module' },
  valuesOf: ({ tier, autoRenew, usageQuota }) => ({ tier, autoRenew, usageQuota }),
};
const LICENSE: Entitlement = {
  ...{ kind: 'license', section: 'licenses', by: 'account', other: 'enterprise' },
  valuesOf: ({ name }) => ({ name }),
};

/** Subscriptions and licences. They have no names: those of one place for one thing are told apart by their number. */
export async function surveyEntitlements(surveying: Surveying, places: Places): Promise<void> {
  const { existing } = places;
  await surveyAll(surveying, places, existing, SUBSCRIPTION);
  const accounts = existing.filter(({ ref }) => ref.startsWith('account:'));
  await surveyAll(surveying, places, accounts, LICENSE);
}

async function surveyAll(
  { manifest, declared, look, want, have, nameOf }: Surveying,
  { refOf }: Places,
  sold: readonly Thing[],
  { kind, section, by, other, valuesOf }: Entitlement,
): Promise<void> {
  if (!declared.has(section)) return;
  const rows = (await inTurns(sold, ({ ref }) => look.list(`${kind}.list`, { [by]: ref }))).flat();
  const left = new Map(rows.map((row) => [String(row.id), row]));
  const listed = manifest[section].map((of) => of as typeof of & Row);
  for (const { id } of listed) if (id !== undefined) left.delete(id);
  const counts = new Map<string, number>();
  for (const [position, of] of listed.entries()) {
    const place = String(refOf(of[by] as string));
    const what = kind === 'license' ? String(refOf(of[other] as string)) : String(of[other]);
    const number = (counts.get(`${place} ${what}`) ?? 0) + (of.id === undefined ? 1 : 0);
    counts.set(`${place} ${what}`, number);
    const made = derivedId(kind, place, what, String(number));
    const row =
      of.id === undefined
        ? (left.get(made) ?? [...left.values()].find((each) => each[by] === place && each[other] === what))
        : (rows.find((each) => each.id === of.id) ?? (await look.read(`${kind}.read`, { id: of.id })));
    const id = of.id ?? String(row?.id ?? made);
    left.delete(id);
    const fact = { kind, identity: { id }, label: `${nameOf(what)} at ${nameOf(place)}`, section };
    want({
      ...{ ...fact, path: [section, position] },
      values: {
        ...{ status: of.status, startDate: of.from ?? null, endDate: of.until ?? null },
        ...valuesOf(of),
      },
      fixed: { [by]: place, [other]: what },
    });
    if (row) have({ ...fact, values: row });
  }
  for (const row of left.values())
    have({
      ...{ kind, identity: { id: row.id }, values: row, section },
      label: `${nameOf(row[other])} at ${nameOf(row[by])}`,
    });
}
