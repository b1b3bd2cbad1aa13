import { formatRef } from '../../table/identifiers.ts';
import type { Reader } from '../../table/reader.ts';
import { isOfOperators } from '../operator-permissions.ts';
import type { AuditEntry } from '../plan.ts';
import { createHandsOn } from './handing-on.ts';

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
  command === 'admin.create' || (command === 'token.create' && after?.tokenType === 'api');

/** Answers for one request whether a change has an effect. */
export function createEffects(reader: Reader) {
  const handsOnAny = createHandsOn(reader, (permission) => typeof permission === 'string');
  const handsOnOperators = createHandsOn(reader, isOfOperators);
  type Test = (command: string, entry: AuditEntry) => boolean | Promise<boolean>;
  const tests: Readonly<Record<Effect, Test>> = {
    'effect:rights': (command, entry) => isBeyondRoles(command, entry) || handsOnAny(command, entry),
    'effect:operator-rights': (command, entry) =>
      isBeyondRoles(command, entry) || handsOnOperators(command, entry),
    'effect:tenant-end': (command, { entity, tenant }) =>
      /\.delete(?:-tree)?$/.test(command) && tenant !== undefined && formatRef(entity) === formatRef(tenant),
    'effect:erasure': (command) => command.endsWith('.erase'),
  };
  return async (effect: Effect, command: string, entry: AuditEntry): Promise<boolean> =>
    tests[effect](command, entry);
}
