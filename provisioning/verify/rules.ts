import { changeApiRevision } from '../../table/decision/writes.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { apiRevisionKey, identityOf, nodeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { ruleKey, ruleOf } from '../commands/routes.ts';
import { isSound } from './node-damage.ts';
import { fault, faultsOf, type Relation } from './relation.ts';

/** The rule that the authorizer reads of a route. Its repair changes the revision of the API too. */
export function ruleRelation(ref: Ref, api: string): Relation {
  const key = ruleKey(api, ref);
  return {
    name: `rule ${identityOf(key)}`,
    keys: [nodeKey(ref), key, apiRevisionKey(api)],
    judge: ([node, rule]) => {
      if (!node || node.api !== api) {
        if (!rule) return [];
        const repair: readonly Action[] = [{ kind: 'delete', key }, changeApiRevision(api)];
        const expected = 'no rule: there is no such route';
        return [
          fault('rule_left_over', key, expected, { effect: 'opens', repair: node ? repair : undefined }),
        ];
      }
      const wanted: Item = { ...key, Type: 'RouteRule', id: ref.id, ...ruleOf(node) };
      const repair: readonly Action[] | undefined = isSound(node)
        ? [{ kind: 'put', item: wanted }, changeApiRevision(api)]
        : undefined;
      return faultsOf('rule', wanted, rule, 'the rule of its route', { effect: 'either', repair });
    },
  };
}
