import { START } from './generate.ts';
import type { Story } from './histories.ts';
import * as does from './operations.ts';

/**
 * The "new enemy" of SPEC section 2. In each story Eve is not allowed at any instant; what was cached before
 * one of the changes, put together with what was read after another, would allow her.
 */
const id = (kind: string): string => `01J8Z0E2Z8D2A3J7A7Y2H9${kind}000`;
const [PLACE, ELSEWHERE] = [`location:${id('P')}`, `location:${id('Q')}`];
const [EVE, ZOE] = [`user:${id('E')}`, `user:${id('Z')}`];
const [KEEPERS, KEEPER, LOCK] = [id('G'), id('R'), id('S')];
const VAULT = 'vault';

const furnished = [
  does.register(VAULT),
  does.createScope(PLACE, { combination: 'deny-overrides' }),
  does.createScope(ELSEWHERE, {}),
  does.createRole(KEEPER, 'tenant'),
  does.createRole(LOCK, PLACE),
  does.addEffect(KEEPER, VAULT, 'ALLOW'),
  does.createGroup(KEEPERS, PLACE),
  does.createUser(EVE, 'active', null),
  does.createUser(ZOE, 'active', null),
];

const question = (subject: string, scope: string) => ({ subject, scope, permission: VAULT, at: START });
/** Whoever asks about Eve elsewhere, or about Zoe here, leaves half of what Eve here needs to the cache. */
const half = [question(EVE, ELSEWHERE), question(ZOE, PLACE)];
const questions = [question(EVE, PLACE), ...half, ...half];

const leaves = does.leave(EVE, KEEPERS);
const joins = does.join(EVE, KEEPERS);
const roleComes = does.giveGroupRole(KEEPERS, KEEPER);
const roleGoes = does.takeGroupRole(KEEPERS, KEEPER);

export const STORIES: Readonly<Record<string, Story>> = {
  'a user leaves a group, then the group gets a role': {
    operations: [...furnished, joins],
    changes: [leaves, roleComes],
    questions,
  },
  'a group loses a role, then a user joins the group': {
    operations: [...furnished, roleComes],
    changes: [roleGoes, joins],
    questions,
  },
  'one after the other, again and again': {
    operations: [...furnished, joins],
    changes: [1, 2, 3, 4].flatMap(() => [leaves, roleComes, roleGoes, joins]),
    questions,
  },
  'a user loses a role, then the DENY that kept it from counting is lifted': {
    operations: [...furnished, does.addEffect(LOCK, VAULT, 'DENY'), does.grant(EVE, PLACE, [KEEPER, LOCK])],
    changes: [does.regrant(EVE, PLACE, [LOCK]), does.removeEffect(LOCK, VAULT)],
    questions,
  },
};
