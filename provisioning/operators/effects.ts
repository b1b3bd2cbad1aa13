import { formatRef } from '../../table/identifiers.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { isOfOperators } from '../operator-permissions.ts';
import type { AuditEntry } from '../plan.ts';
import { holdsAny, LOGIN } from './administers.ts';
import { createHandsOn } from './handing-on.ts';
import { createRevives } from './reviving.ts';

/**
 * What changes do, for APPROVAL_FOR: whichever command does it, alone or in another one. Documented in
 * docs/operators.md.
 */
export const EFFECTS = [
  'effect:rights',
  'effect:operator-rights',
  'effect:tenant-end',
  'effect:erasure',
] as const;
export type Effect = (typeof EFFECTS)[number];

export const isEffect = (text: string): text is Effect => EFFECTS.some((effect) => effect === text);

/** A subject gets rights that no role says: all there are, or those of whoever has the secret that is made. */
const isBeyondRoles = (command: string, { after }: AuditEntry): boolean =>
  command === 'admin.create' ||
  // Whoever has it changes by what users of its connection log in.
  command === 'scim-credential.create' ||
  (command === 'token.create' && after?.tokenType === 'api');

/** A role with a pattern that covers a permission holds it as soon as it is registered. */
const registersForOperators = (command: string, { entity }: AuditEntry): boolean =>
  command === 'permission.create' && isOfOperators(entity.id);

/** Answers for one request whether a change has an effect. */
export function createEffects(reader: Reader) {
  type HandsOn = ReturnType<typeof createHandsOn>;
  type Change = readonly [command: string, entry: AuditEntry];
  /** Whether a change lets somebody else log in as a user who holds what counts. */
  const givesLogin = async (
    handsOn: HandsOn,
    [command, { entity, after = {} }]: Change,
  ): Promise<boolean> => {
    if (command !== 'user.update') return false;
    const item = await reader.get(nodeKey(entity));
    const isNew = LOGIN.some((name) => typeof after[name] === 'string' && after[name] !== item?.[name]);
    return item !== undefined && isNew && holdsAny(reader, { ref: entity, item }, handsOn);
  };
  const giving = (counts: (permission: unknown) => boolean) => {
    const handsOn = createHandsOn(reader, counts);
    const revives = createRevives(reader, counts, handsOn);
    return async (...change: Change): Promise<boolean> =>
      isBeyondRoles(...change) ||
      (await handsOn(...change)) ||
      (await givesLogin(handsOn, change)) ||
      revives(...change);
  };
  const givesToOperators = giving(isOfOperators);
  type Test = (...change: Change) => boolean | Promise<boolean>;
  const tests: Readonly<Record<Effect, Test>> = {
    'effect:rights': giving((permission) => typeof permission === 'string'),
    'effect:operator-rights': async (...change) =>
      registersForOperators(...change) || givesToOperators(...change),
    'effect:tenant-end': (command, { entity, tenant }) =>
      /\.delete(?:-tree)?$/.test(command) && tenant !== undefined && formatRef(entity) === formatRef(tenant),
    'effect:erasure': (command) => command.endsWith('.erase'),
  };
  return async (effect: Effect, command: string, entry: AuditEntry): Promise<boolean> =>
    tests[effect](command, entry);
}
