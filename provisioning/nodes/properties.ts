import { BUILT_IN, convert } from '../../engine/conditions/declarations.ts';
import { cel, loadCel } from '../../engine/conditions/load.ts';
import { decodeGlobal } from '../../table/decision/decode.ts';
import { GatehouseError, invalid } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { globalKey } from '../../table/keys.ts';
import {
  categoryOf,
  type Declaration,
  type Declarations,
  isStorable,
  NO_PROPERTIES,
  type Properties,
  type Source,
} from '../../table/properties.ts';
import type { Reader } from '../../table/reader.ts';

/** What is written is compared with the declarations as they are then; verify finds what they refuse later. */

const NONE: Declarations = new Map();

/** The declarations in the item of what holds everywhere; none where there is no such item. */
export const declarationsIn = (global: Item | undefined): Declarations =>
  global ? decodeGlobal(global).declarations : NONE;

export const readDeclarations = async (reader: Reader): Promise<Declarations> =>
  declarationsIn(await reader.get(globalKey()));

/** Why a condition cannot be evaluated under these declarations, with its place; undefined if it can. */
export async function problemOfCondition(
  when: string,
  declarations: Declarations,
): Promise<string | undefined> {
  await loadCel();
  return problemOfLoaded(when, declarations);
}

/** Loads what checks conditions: then {@link problemOfLoaded} may be called. */
export const loadConditions = loadCel;

/** The same without loading anything. */
export function problemOfLoaded(when: string, declarations: Declarations): string | undefined {
  const problem = cel().check(when, declarations);
  return problem && `${problem.message} (at character ${problem.position + 1})`;
}

/** Throws `invalid` on `field` for a condition that cannot be evaluated under today's declarations. */
export async function refuseCondition(reader: Reader, when: unknown, field = 'when'): Promise<void> {
  if (typeof when !== 'string') return;
  const problem = await problemOfCondition(when, await readDeclarations(reader));
  if (problem !== undefined) throw invalid(field, `${field}: ${problem}`);
}

/** Throws `invalid` on `when` for a condition, which can be evaluated, that looks at more than the action. */
export async function refuseBeyondAction(when: string): Promise<void> {
  await loadCel();
  const other = cel()
    .parse(when)
    .uses.find((name) => name !== 'action' && !name.startsWith('action.'));
  if (other !== undefined) throw invalid('when', `when: ${other} is not of the action`);
}

/** The stored properties of an entity, from the attribute of its node. */
export const storedProperties = (value: unknown): Properties => (value ?? NO_PROPERTIES) as Properties;

export const hasProperties = (value: unknown): value is Properties =>
  Object.keys(storedProperties(value)).length > 0;

/** The names of stored properties whose values do not fit their declarations, each with its type. */
export const misfits = (
  of: string,
  properties: Properties,
  declarations: Declarations,
): readonly (readonly [name: string, type: Declaration['type']])[] =>
  [...(declarations.get(of) ?? [])].flatMap(([name, { type, source }]) =>
    source === 'stored' && Object.hasOwn(properties, name) && convert(properties[name], type) === undefined
      ? [[name, type] as const]
      : [],
  );

/**
 * Throws `invalid` on the first stored property whose value does not fit its declaration.
 *
 * @param of what the properties are of: `subject:user`, `resource:location`
 */
export async function refuseMisfits(reader: Reader, of: string, given: unknown): Promise<void> {
  if (!hasProperties(given)) return;
  const [misfit] = misfits(of, given, await readDeclarations(reader));
  if (!misfit) return;
  const [name, type] = misfit;
  throw invalid(`properties.${name}`, `properties.${name}: is declared as ${type} of ${of}`);
}

/** The source of a new declaration. Throws `invalid` for one that cannot be. */
export function sourceOf(of: string, given: unknown): Source {
  if (isStorable(of) && given === undefined)
    throw invalid('source', `source: is required for ${of}: stored or passed`);
  if (!isStorable(of) && given === 'stored') throw invalid('source', `source: must be passed for ${of}`);
  return (given ?? 'passed') as Source;
}

/** Throws `invalid` where a new declaration contradicts those that there are. */
export function refuseDeclaration(
  of: string,
  name: string,
  type: Declaration['type'],
  declarations: Declarations,
): void {
  if (of === 'context' && BUILT_IN.has(name))
    throw invalid('name', `name: ${name} of the context is built in: it is declared already`);
  for (const [other, properties] of declarations) {
    const known = properties.get(name);
    if (known && categoryOf(other) === categoryOf(of) && known.type !== type)
      throw invalid(
        'type',
        `type: ${name} of ${other} is declared as ${known.type}; one name has one type within ${categoryOf(of)}`,
      );
  }
}

export const changedDeclarations = () =>
  new GatehouseError('stale', 'the declarations were changed by someone else meanwhile', { field: 'name' });
