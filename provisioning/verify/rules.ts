import { changeApiRevision } from '../../table/decision/writes.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { apiRevisionKey, type Key, nodeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { ruleKey, ruleOf } from '../commands/routes.ts';
import { isSound } from './node-damage.ts';
import { canonical, differences, type Fault, identity, type Relation } from './relation.ts';

/** The rule that the authorizer reads, of a route; where it is put right, the revision of its API goes on as well. */
export function ruleRelation(ref: Ref, api: string): Relation {
  const key = ruleKey(api, ref);
  return {
    name: `rule ${identity(key)}`,
    keys: [nodeKey(ref), key, apiRevisionKey(api)],
    judge: ([node, rule]) => {
      if (!node || node.api !== api) {
        const repair: readonly Action[] = [{ kind: 'delete', key }, changeApiRevision(api)];
        return rule
          ? [
              {
                code: 'rule_left_over',
                key,
                expected: 'no rule: there is no such route',
                effect: 'opens',
                repair: node ? repair : undefined,
              },
            ]
          : [];
      }
      const wanted: Item = { ...key, Type: 'RouteRule', id: ref.id, ...ruleOf(node) };
      const repair: readonly Action[] | undefined = isSound(node)
        ? [{ kind: 'put', item: wanted }, changeApiRevision(api)]
        : undefined;
      if (!rule)
        return [{ code: 'rule_missing', key, expected: 'the rule of its route', effect: 'either', repair }];
      return differences(rule, wanted).map(
        (attribute): Fault => ({
          code: 'rule_differs',
          key,
          attribute,
          expected: canonical(wanted[attribute]) || 'none',
          effect: 'either',
          repair,
        }),
      );
    },
  };
}

/** Beside any rule stands the revision of its API: without it nobody can tell whether the rules that they have still hold. */
export function revisionRelation(rule: Key, api: string): Relation {
  const key = apiRevisionKey(api);
  return {
    name: `revision ${key.PK}`,
    keys: [key, rule],
    judge: ([revision, found]) =>
      revision || !found
        ? []
        : [
            {
              code: 'decision_missing',
              key,
              expected: 'the revision of the routes',
              effect: 'closes',
              repair: 'rebuild',
            },
          ],
  };
}
