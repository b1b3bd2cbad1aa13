import { isScopeType } from '../../table/entities/registry.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { globalKey, identityOf, type Key, nodeKey } from '../../table/keys.ts';
import type { Declarations } from '../../table/properties.ts';
import { canonical } from '../canonical.ts';
import { declarationsIn, hasProperties, misfits, problemOfLoaded } from '../nodes/properties.ts';
import { attempt, type Found, fault, type Relation } from './relation.ts';

/**
 * Conditions and stored properties that today's declarations refuse: these have changed since both were written. Only
 * people know which side is right, so nothing is repaired.
 */
let last: { readonly text: string; readonly declarations: Declarations } | undefined;

/** The declarations, decoded once for all relations that look at the same ones. */
function declarationsOf(global: Found): Declarations {
  const text = canonical(Object.entries(global ?? {}).filter(([name]) => name.startsWith('property')));
  if (last?.text !== text) last = { text, declarations: declarationsIn(global) };
  return last.declarations;
}

/** The condition of an effect; its decision item has the same one. */
export const conditionRelation = (at: Key): Relation => ({
  name: `condition ${identityOf(at)}`,
  keys: [at, globalKey()],
  judge: ([edge, global]) => {
    const when = edge?.when;
    const declarations = attempt(() => declarationsOf(global));
    if (typeof when !== 'string' || !declarations) return [];
    const problem = problemOfLoaded(when, declarations);
    if (problem === undefined) return [];
    return [fault('condition_invalid', at, problem, { attribute: 'when', effect: 'closes' })];
  },
});

const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));

/** The stored properties of a subject or a scope. */
export function propertiesRelation(ref: Ref, item: Item): readonly Relation[] {
  if (!hasProperties(item.properties)) return [];
  const key = nodeKey(ref);
  // The type of a registered subject is in its id: `device:d1`.
  const of = isScopeType(ref.type) ? `resource:${ref.type}` : `subject:${typeOf(formatRef(ref))}`;
  return [
    {
      name: `properties ${formatRef(ref)}`,
      keys: [key, globalKey()],
      judge: ([node, global]) => {
        const declarations = attempt(() => declarationsOf(global));
        const properties = node?.properties;
        if (!declarations || !hasProperties(properties)) return [];
        return misfits(of, properties, declarations).map(([name, type]) =>
          fault('property_misfit', key, `${type}, as declared of ${of}`, {
            attribute: `properties.${name}`,
            effect: 'closes',
          }),
        );
      },
    },
  ];
}
