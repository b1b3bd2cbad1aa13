import type { Names } from '../../proof/oracle/generate.ts';
import type { Model } from '../../proof/oracle/model.ts';
import * as does from '../../proof/oracle/operations.ts';
import type { Random } from '../../proof/oracle/random.ts';
import type { OpenTable } from '../../proof/oracle/stage.ts';

/**
 * A role whose effects carry conditions, beside the oracle, which knows none: for one subject and one scope, a
 * condition that is evaluated here says which effects the oracle is to see.
 */
type Level = string | undefined;

/** A condition, and what it is for the levels of a subject and a scope, and an address; undefined if unknown. */
interface Condition {
  readonly when: string;
  readonly holds: (subject: Level, scope: Level, ip: string | undefined) => boolean | undefined;
}

const known = <T>(value: T | undefined, holds: (value: T) => boolean): boolean | undefined =>
  value === undefined ? undefined : holds(value);

const STORED: readonly Condition[] = [
  { when: `subject.properties.level == 'high'`, holds: (of) => known(of, (level) => level === 'high') },
  { when: `resource.properties.level == 'high'`, holds: (_, of) => known(of, (level) => level === 'high') },
  {
    when: 'subject.properties.level == resource.properties.level',
    holds: (one, other) => (one === undefined || other === undefined ? undefined : one === other),
  },
  {
    when: `!has(resource.properties.level) || resource.properties.level != 'low'`,
    holds: (_, of) => of !== 'low',
  },
  { when: `subject.type == 'user'`, holds: () => true },
  { when: 'subject.id == resource.id', holds: () => false },
];

const IP = '10.0.0.1';
const GIVEN: Condition = {
  when: `context.ip == '${IP}'`,
  holds: (_subject, _scope, ip) => known(ip, (address) => address === IP),
};

const ROLE = '01J8Z0E2Z8D2A3J7A7Y2H9W0C0';
const ON = ['dashboard', 'menu', 'alarms:read:door', 'reports:*:door'];
const LEVELS = ['high', 'low', undefined];

interface Effect extends Condition {
  readonly on: string;
  readonly effect: 'ALLOW' | 'DENY';
}

export interface Conditional {
  /** Draws the effects, and the properties of subjects and some scopes, anew. */
  readonly change: () => Promise<void>;
  /** What the oracle is to see for a subject and a scope, for each address that a request may come from. */
  readonly modelsFor: (model: Model, subject: string, scope: string) => readonly Model[];
}

export async function createConditional(
  random: Random,
  open: OpenTable,
  { places }: Names,
  readers: readonly string[],
): Promise<{ readonly conditional: Conditional; readonly operations: readonly does.Operation[] }> {
  const levels = new Map<string, Level>();
  let effects: readonly Effect[] = [];
  const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));
  const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);

  async function setLevel(ref: string): Promise<void> {
    const level = random.pick(LEVELS);
    const properties = level === undefined ? null : { level };
    const { ok } = await open.carryOut(`${typeOf(ref)}.update`, { id: idOf(ref), properties });
    // One that is not there has no level, should it come back.
    levels.set(ref, ok ? level : undefined);
  }

  async function drawEffect(on: string): Promise<readonly Effect[]> {
    await open.carryOut('role-permission.delete', { role: ROLE, permission: on });
    if (random.oneIn(3)) return [];
    const condition = random.oneIn(20) ? GIVEN : random.pick(STORED);
    const effect = random.oneIn(4) ? 'DENY' : 'ALLOW';
    const { when } = condition;
    const outcome = await open.carryOut('role-permission.create', {
      role: ROLE,
      permission: on,
      effect,
      when,
    });
    return outcome.ok ? [{ ...condition, on, effect }] : [];
  }

  for (const of of new Set(['subject:user', ...places.map(({ ref }) => `resource:${typeOf(ref)}`)]))
    await open.carryOut('property.create', { of, name: 'level', type: 'string', source: 'stored' });

  return {
    operations: [
      does.createRole(ROLE, 'tenant'),
      ...readers.flatMap((reader) =>
        random.some(places, 3).map(({ ref }) => does.assign(reader, ref, ROLE, does.ALWAYS)),
      ),
    ],
    conditional: {
      change: async () => {
        for (const ref of [...readers, ...places.map(({ ref }) => ref)])
          if (levels.get(ref) === undefined || random.oneIn(2)) await setLevel(ref);
        effects = (await Promise.all(ON.map(drawEffect))).flat();
      },
      modelsFor: (model, subject, scope) =>
        [IP, '10.0.0.2', undefined].map((ip) => ({
          ...model,
          effects: [
            ...model.effects,
            ...effects
              .filter(({ effect, holds }) => {
                const outcome = holds(levels.get(subject), levels.get(scope), ip);
                return effect === 'ALLOW' ? outcome === true : outcome !== false;
              })
              .map(({ on, effect }) => ({ role: ROLE, on, effect })),
          ],
        })),
    },
  };
}
