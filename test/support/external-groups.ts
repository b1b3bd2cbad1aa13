import { externalAttribute, formatExternalGroup } from '../../table/decision/attributes.ts';
import { changeAt } from '../../table/decision/entries.ts';
import { stamped } from '../../table/decision/writes.ts';
import { parseRef } from '../../table/identifiers.ts';
import { externalGroupsKey } from '../../table/keys.ts';
import type { World } from './world.ts';

/** A group of ours, at its scope. */
export type Meant = readonly [group: string, scope: string];

/** The attributes that say it, each under the id `x-NAME`. */
export const meaning = (groups: Readonly<Record<string, Meant>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(groups).map(([name, [group, scope]]) => [
      externalAttribute(name, `x-${name}`),
      formatExternalGroup({ group, scope }),
    ]),
  );

/** Says what the groups in an issuer's tokens are at a root; of those in `gone`, nothing any more. */
export async function mean(
  { writer, clock }: Pick<World, 'writer' | 'clock'>,
  root: string,
  issuer: string,
  groups: Readonly<Record<string, Meant>>,
  gone: readonly string[] = [],
): Promise<void> {
  const key = externalGroupsKey(parseRef(root, 'scope'), issuer);
  const remove = gone.map((name) => externalAttribute(name, `x-${name}`));
  const change = changeAt(key, { set: meaning(groups), remove });
  await writer.send(stamped([change], { writtenAt: clock.now(), writeId: `mean-${clock.now()}` }));
}
