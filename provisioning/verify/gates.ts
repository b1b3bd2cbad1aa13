import { isRef, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { identityOf, nodeKey } from '../../table/keys.ts';
import { GATE, notedOf } from '../nodes/gates.ts';
import { fault, type Relation } from './relation.ts';

/** What every gate has, beside what it says. */
const OWN = ['PK', 'SK', 'Type', 'rev'];

/**
 * A gate says what is so. One that says more lets somebody come to what is on its way out, so it goes: the next creation
 * makes it anew.
 */
export function gateRelation(item: Item): Relation {
  const key = { PK: item.PK, SK: item.SK };
  const said = Object.keys(item).filter((name) => !OWN.includes(name));
  const named = said.filter((name) => isRef(name));
  return {
    name: `gate ${identityOf(key)}`,
    keys: [key, ...named.map((name) => nodeKey(parseRef(name, 'gate')))],
    judge: ([gate, ...nodes]) => {
      if (!gate) return [];
      const isSo = (name: string): boolean => {
        const node = nodes[named.indexOf(name)];
        const isThere = node !== undefined && node.deletingSince === undefined;
        return name in gate ? isThere && gate[name] === notedOf(node) : true;
      };
      const wrong = [
        ...(gate.Type === GATE ? [] : ['Type']),
        ...(Number.isSafeInteger(gate.rev) ? [] : ['rev']),
        ...said.filter((name) => !isSo(name)),
      ];
      return wrong.map((attribute) =>
        fault('copy_left_over', key, 'no gate that says so', {
          attribute,
          repair: [{ kind: 'delete', key }],
        }),
      );
    },
  };
}
