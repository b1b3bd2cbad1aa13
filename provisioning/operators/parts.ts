import type { Entity } from '../../table/entities/entity.ts';
import { ENTITIES, entityOf } from '../../table/entities/registry.ts';
import { isObject } from '../../table/json.ts';
import { LISTS } from '../command.ts';
import type { Sent } from '../plan.ts';
import { permissionOf } from './operator.ts';

type Input = Sent['input'];

/** A command, or a part of one, by which permission it is asked for, and how errors name its fields. */
export interface Part extends Sent {
  readonly permission: string;
  readonly at: string;
}

const IN_TENANTS = Object.values<Entity>(ENTITIES).flatMap(({ type, inTenant }) => (inTenant ? [type] : []));

/** Whose lists show what a list of everything in a tenant shows of a type; of each one without it. */
function listedBy(type: unknown): readonly string[] {
  if (typeof type !== 'string') return IN_TENANTS;
  return entityOf(type) ? [type] : ['scope', 'subject'];
}

/**
 * The parts of a command: a transaction needs what its parts need, a comparison looks at what they name, and a list of
 * everything needs what the list of each type does.
 */
export function partsOf(command: string, input: Input): readonly Part[] {
  const whole = { command, permission: permissionOf(command), input, at: '' };
  if (command === 'tenant.list-all') {
    const lists = listedBy(input.type).map((type) => permissionOf(`${type}.list`));
    return [whole, ...lists.map((permission) => ({ ...whole, permission }))];
  }
  const { commands } = input;
  if (!LISTS.has(command) || !Array.isArray(commands)) return [whole];
  return commands.flatMap((each: unknown, position): readonly Part[] => {
    if (!isObject(each) || typeof each.command !== 'string' || !isObject(each.input)) return [];
    const permission = command === 'access.compare' ? whole.permission : permissionOf(each.command);
    return [{ command: each.command, permission, input: each.input, at: `commands.${position}.` }];
  });
}

/** An input with `hidden` for what its entity marks as secret. All else is shown as it was sent. */
export function withoutSecrets(command: string, input: Input): Input {
  if (LISTS.has(command))
    return {
      ...input,
      commands: partsOf(command, input).map((part) => ({
        command: part.command,
        input: withoutSecrets(part.command, part.input),
      })),
    };
  const [type = ''] = command.split('.');
  const { secret = [] } = entityOf(type) ?? {};
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, secret.includes(name) ? 'hidden' : value]),
  );
}
