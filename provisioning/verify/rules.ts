import { changeApiRevision } from '../../table/decision/writes.ts';
import type { Ref } from '../../table/identifiers.ts';
import { apiRevisionKey, identityOf, nodeKey } from '../../table/keys.ts';
import { ruleKey, ruleOf } from '../commands/routes.ts';
import { isSound } from './node-damage.ts';
import { type Found, faultsOf, type Relation } from './relation.ts';

/** The rule that the authorizer reads of a route. Its repair changes the revision of the API too. */
export function ruleRelation(ref: Ref, api: string): Relation {
  const key = ruleKey(api, ref);
  return {
    name: `rule ${identityOf(key)}`,
    keys: [nodeKey(ref), key, apiRevisionKey(api)],
    judge: ([node, rule]) => {
      const isThere = node?.api === api;
      const wanted: Found = isThere ? { ...key, Type: 'RouteRule', id: ref.id, ...ruleOf(node) } : undefined;
      return faultsOf('rule', key, [wanted, rule], {
        missing: 'the rule of its route',
        leftOver: 'no rule: there is no such route',
        isSure: node !== undefined && (!isThere || isSound(node)),
        also: [changeApiRevision(api)],
        effects: ['either', 'opens'],
      });
    },
  };
}
