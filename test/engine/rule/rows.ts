import { parse } from 'yaml';
import type { CheckRequest, Given } from '../../../engine/index.ts';
import { type Asked, ISSUER } from './world.ts';

/** The rule of SPEC section 2 in the world of `world.ts`: what is asked, the reason, and what an explanation says. */
export interface Row {
  /** The case, in words. */
  readonly what: string;
  /** As it stands in the table. */
  readonly question: string;
  readonly asked: Asked;
  /** What is asked beside, of a check and of an explanation. */
  readonly more: Pick<CheckRequest, 'groups' | 'actor'> & Given;
  readonly reason: string;
  /** Of an allow the derivations, of a refusal the step that refuses and some of its words. */
  readonly says: string;
}

/**
 * `case | subject permission scope [at INSTANT] [token GROUPS] [by ACTOR] [given JSON] | reason | what an explanation says`
 *
 * Tokens live until 2027.
 */
const TABLE = `
1: the subject
  an unknown one         | user:nemo doors:open:door Harbour             | subject_unknown | 1
  a malformed one        | gina@example.org doors:open:door Harbour      | subject_unknown | 1 not a reference
  a scope                | record:open lobby Library                     | subject_unknown | 1
  a disabled one         | dora doors:open:door Harbour                  | subject_inactive | 1 its status is disabled
  before its end         | erna doors:open:door Harbour at 2025-12-31T23:59:59.999Z | role | porters at Harbour > caretaker > doors:open:door
  at its end             | erna doors:open:door Harbour at 2026-01-01T00:00:00.000Z | subject_ended | 1 it ended at 2026-01-01T00:00:00.000Z
  before all else        | dora doors:paint:door building:nowhere        | subject_inactive | 1
2: the scope
  an unknown one         | gina doors:open:door building:nowhere         | scope_unknown | 2
  one under a closed one | gina doors:open:door Mill                     | scope_inactive | 2 on-hold, and closes all below it
  for an administrator   | ada doors:open:door Mill                      | scope_inactive | 2
  before the permission  | gina doors:paint:door Mill                    | scope_inactive | 2
3: the permission
  an unregistered one    | gina doors:paint:door Harbour                 | permission_unknown | 3
  for an administrator   | ada doors:paint:door Harbour                  | permission_unknown | 3
  a pattern              | paul doors:*:* Harbour                        | permission_unknown | 3 pattern
4: an administrator
  with a role            | ada doors:open:door Lighthouse                | admin | administrator; porters at Harbour > caretaker > doors:open:door
  without a role         | ada lamps:dim:lamp Library                    | admin | administrator
  without a subscription | ada hvac:set:climate Lighthouse               | admin | administrator
  without a licence      | ada reports Timetables                        | admin | administrator
5: subscriptions and licences
  before it begins       | hans hvac:set:climate Lighthouse at 2023-12-31T23:59:59.999Z | not_subscribed | 5
  from its start         | hans hvac:set:climate Lighthouse at 2024-01-01T00:00:00.000Z | role | heads at Lighthouse > head caretaker > hvac:set:climate
  to its end             | hans hvac:set:climate Lighthouse at 2025-12-30T23:59:59.999Z | role | heads at Lighthouse > head caretaker > hvac:set:climate
  at its end             | hans hvac:set:climate Lighthouse at 2025-12-31T00:00:00.000Z | not_subscribed | 5 no subscription to hvac
  a subscription above   | hugo hvac:set:climate Quay                    | role | assignment at Quay > climate > hvac:set:climate
  to another module      | hugo lifts:call:lift Quay                     | not_subscribed | 5 no subscription to lifts
  before the roles       | gina hvac:set:climate Harbour                 | not_subscribed | 5
  a licence              | petra reports Routes                          | role | assignment at Bluefin > analyst > reports
  below                  | petra reports Board                           | role | assignment at Bluefin > analyst > reports
  two levels below       | petra reports Card                            | role | assignment at Bluefin > analyst > reports
  before the licence     | petra reports Timetables at 2023-12-31T23:59:59.999Z | not_licensed | 5
  from its start         | petra reports Timetables at 2024-01-01T00:00:00.000Z | role | assignment at Bluefin > analyst > reports
  to its end             | petra reports Timetables at 2024-12-31T23:59:59.999Z | role | assignment at Bluefin > analyst > reports
  at its end             | petra reports Timetables at 2025-01-01T00:00:00.000Z | not_licensed | 5 no licence for Borealis
  below                  | petra reports Late                            | not_licensed | 5 no licence for Borealis
  two levels below       | petra reports Later                           | not_licensed | 5 no licence for Borealis
  of another status      | petra reports Sun                             | not_licensed | 5 for Corona
6: roles in force
  a group above          | gina doors:open:door Lighthouse               | role | porters at Harbour > caretaker > doors:open:door
  a group at the scope   | boris doors:open:door Boathouse               | role | boatmen at Boathouse > caretaker > doors:open:door
  a group elsewhere      | boris doors:open:door Lighthouse              | no_grant | 9
  an assignment above    | asta doors:open:door Lighthouse               | role | assignment at Northwind > caretaker > doors:open:door
  an assignment below    | deep doors:open:door Harbour                  | no_grant | 9
  before its end         | carl doors:open:door Lighthouse at 2025-06-29T23:59:59.999Z | role | assignment at Lighthouse > caretaker > doors:open:door
  at its end             | carl doors:open:door Lighthouse at 2025-06-30T00:00:00.000Z | no_grant | 9
  before its start       | carl doors:open:door Lighthouse at 2026-12-31T23:59:59.999Z | no_grant | 9
  from its start         | carl doors:open:door Lighthouse at 2027-01-01T00:00:00.000Z | role | assignment at Harbour > caretaker > doors:open:door
  a grant                | tess doors:open:door Lighthouse               | role | grant at Northwind > caretaker > doors:open:door
  a grant elsewhere      | tess doors:open:door Strict                   | no_grant | 9
  a global role          | glen unused Lighthouse                        | role | global_role > everything > *:*:*
  a role of the tenant   | olaf doors:open:door Lighthouse               | role | assignment at Harbour > own porter > doors:open:door
  nothing                | nobody doors:open:door Lighthouse             | no_grant | 9
  everyone               | nobody lobby Library                          | role | All at Library > visitor > lobby
  below                  | nobody lobby Open                             | role | All at Library > visitor > lobby
  in another tenant      | nobody lobby Vault                            | no_grant | 9
  a device               | device:room lobby Library                     | role | All at Library > visitor > lobby
  a technical user       | technical-user:robot lobby Library            | role | All at Library > visitor > lobby
  an unknown device      | device:nobody lobby Library                   | subject_unknown | 1
  one that is disabled   | dora lobby Library                            | subject_inactive | 1
6: inheritance
  one level              | hans doors:open:door Lighthouse               | role | heads at Lighthouse > head caretaker > caretaker > doors:open:door
  two, across owners     | apa lamps:dim:lamp Library                    | role | grant at Library > apprentice > journeyman > master > lamps:dim:lamp
  by a pattern           | apa lamps:read:lamp Library                   | role | grant at Library > apprentice > journeyman > lamps:read:*
  not from below         | max lamps:read:lamp Library                   | no_grant | 9
7: patterns
  each that covers it   | lou lamps:dim:lamp Library                    | role | grant at Library > by all > *:*:*; grant at Library > by module > lamps:*:*; grant at Library > by resource > lamps:*:lamp; grant at Library > by action > lamps:dim:*
  others                 | lou lamps:read:lamp Library                   | role | grant at Library > by all > *:*:*; grant at Library > by module > lamps:*:*; grant at Library > by resource > lamps:*:lamp
  of a page              | lou home Library                              | role | grant at Library > by all > *:*:*
  of a shared role       | paul doors:open:door Lighthouse               | role | assignment at Harbour > doorman > doors:*:*
  that do not cover it   | noel lamps:dim:lamp Library                   | no_grant | 9
8: combination
  one ALLOW is enough    | mix doors:open:door Lighthouse                | role | porters at Harbour > caretaker > doors:open:door; DENY barred ones at Harbour > barred > doors:open:door
  a DENY alone           | bart doors:open:door Lighthouse               | denied_by_role | 8
  one DENY refuses       | sid doors:open:door Strict                    | denied_by_role | 8
  below                  | sid doors:open:door Hall                      | denied_by_role | 8
  two levels below       | sid doors:open:door Nook                      | denied_by_role | 8
  an inherited DENY      | den lamps:dim:lamp Vault                      | denied_by_role | 8
  beside an ALLOW        | den lamps:dim:lamp Library                    | role | grant at Library > master > lamps:dim:lamp; DENY grant at Library > strict heir > forbidding > lamps:*:*
  a pattern denies       | mia lamps:dim:lamp Vault                      | denied_by_role | 8
  what its role allows   | mia lamps:dim:lamp Library                    | role | grant at Library > mixed > lamps:dim:lamp; DENY grant at Library > mixed > lamps:dim:*
  global roles           | bea books:lend:book Vault                     | denied_by_role | 8
  global roles           | bea books:lend:book Library                   | role | global_role > lender > books:lend:book; DENY global_role > banned > books:lend:book
conditions of an ALLOW
  that holds             | edi books:lend:book Open                      | role | global_role > editor > books:lend:book
  that does not          | edi books:lend:book Old                       | no_grant | 9
  nobody can evaluate    | edi books:lend:book Blank                     | condition_failed | 7
  what is stored is not passed | edi books:lend:book Blank given { resource: { properties: { status: active } } } | condition_failed | 7
  another ALLOW          | rita books:lend:book Blank                    | role | global_role > lender > books:lend:book
  an administrator       | ada books:lend:book Blank                     | admin | administrator
  a role that is not held | nobody books:lend:book Open                  | no_grant | 9
  that overrides a DENY  | eban books:lend:book Open                     | role | global_role > editor > books:lend:book; DENY global_role > banned > books:lend:book
  a DENY beside          | eban books:lend:book Blank                    | condition_failed | 7
  a DENY that refuses    | eban books:lend:book VaultBlank               | denied_by_role | 8
  inherited, by a pattern | wida books:lend:book Open                    | role | global_role > wide heir > wide > books:*:*
  and does not hold      | wida books:lend:book Old                      | no_grant | 9
  and is not evaluated   | wida books:lend:book Blank                    | condition_failed | 7
conditions of a DENY
  that holds             | cleo books:lend:book VaultOld                 | denied_by_role | 8
  that does not          | cleo books:lend:book VaultOpen                | role | global_role > lender > books:lend:book
  nobody can evaluate    | cleo books:lend:book VaultBlank               | condition_failed | 7
  that is overridden     | cleo books:lend:book Old                      | role | global_role > lender > books:lend:book; DENY global_role > closer > books:lend:book
  where nothing allows   | clod books:lend:book VaultBlank               | denied_by_role | 8
  another DENY refuses   | trio books:lend:book VaultBlank               | denied_by_role | 8
what conditions look at
  type and id of the subject | lois is-user Library                      | role |
  and of the resource    | lois is-record Open                           | role |
  another resource       | lois is-record Old                            | no_grant | 9
  the permission's action | lois books:shelve:book Library               | role |
  an action given        | lois books:burn:book Library given { action: { name: edit } } | role |
  none given             | lois books:burn:book Library                  | no_grant | 9
  its properties         | lois soft Library given { action: { properties: { soft: true } } } | role |
  without them           | lois soft Library                             | condition_failed | 7
  an object of the application | lois owned Open given { resource: { type: record, id: row-7, properties: { owner: lois } } } | role |
  its id                 | lois row Open given { resource: { type: record, id: row-7 } } | role |
  the scope's own        | lois row Open                                 | no_grant | 9
  what the scope stores  | lois active Open                              | role |
  and no other object    | lois active Open given { resource: { type: record, id: row-7 } } | condition_failed | 7
  passed beside stored   | lois both Open given { resource: { properties: { owner: lois } } } | role |
  the context            | lois from-ip Open given { context: { ip: 10.0.0.1 } } | role |
  without it             | lois from-ip Open                             | condition_failed | 7
groups of a token
  at its scope           | nobody safe Room token keys                   | role | token_group at Room > keeper > safe
  above                  | nobody safe Vault token keys                  | no_grant | 9
  beside                 | nobody safe Annex token keys                  | no_grant | 9
  in another tenant      | nobody safe Library token keys                | no_grant | 9
  below                  | nobody till Room token doors                  | role | token_group at Vault > teller > till
  of several             | nobody till Room token keys,doors             | role | token_group at Vault > teller > till
  one that denies        | nobody till Vault token doors,stop            | denied_by_role | 8
  of no group of ours    | nobody safe Room token Keys                   | no_grant | 9
  of a disabled user     | dora safe Room token keys                     | subject_inactive | 1
  of an unknown one      | user:nemo safe Room token keys                | subject_unknown | 1
  before its end         | nobody safe Room at 2026-12-31T23:59:59.999Z token keys | role | token_group at Room > keeper > safe
  at its end             | nobody safe Room at 2027-01-01T00:00:00.000Z token keys | no_grant | 9
who acts
  one who may            | gina doors:open:door Lighthouse by user:hans  | role |
  one who may not        | gina doors:open:door Lighthouse by user:nobody | actor_no_grant |
  an unknown one         | gina doors:open:door Lighthouse by user:nemo  | actor_unknown |
  a malformed one        | gina doors:open:door Lighthouse by gina@example.org | actor_unknown |
  a disabled one         | gina doors:open:door Lighthouse by user:dora  | actor_inactive |
  one that ended         | gina doors:open:door Lighthouse by user:erna  | actor_ended |
  one who is denied      | stan doors:open:door Strict by user:sid       | actor_denied_by_role |
  an agent without a mandate | gina doors:open:door Lighthouse by agent:bot | mandate_required |
  one who may not anyway | gina doors:open:door Lighthouse by agent:poor | actor_no_grant |
  one that needs none    | gina doors:open:door Lighthouse by agent:free | role |
  what the subject may not | nobody doors:open:door Lighthouse by user:gina | no_grant |
  the subject's reason comes first | dora doors:open:door Harbour by user:erna | subject_inactive |
  of the question too    | gina doors:paint:door Harbour by user:dora    | permission_unknown |
`;

const QUESTION = /^(\S+) (\S+) (\S+)(?: at (\S+))?(?: token (\S+))?(?: by (\S+))?(?: given (.+))?$/;
const UNTIL = Date.parse('2027-01-01T00:00:00.000Z');

function rowOf(line: string): Row {
  const [what = '', question = '', reason = '', says = ''] = line.split('|').map((cell) => cell.trim());
  const [, subject = '', permission = '', scope = '', at, token, actor, given] =
    QUESTION.exec(question) ?? [];
  return {
    what,
    question,
    asked: { subject, permission, scope, ...(at !== undefined && { at }) },
    more: {
      ...(token !== undefined && { groups: { issuer: ISSUER, ids: token.split(','), until: UNTIL } }),
      ...(actor !== undefined && { actor: { subject: actor } }),
      ...(given !== undefined && (parse(given) as Given)),
    },
    reason,
    says,
  };
}

/** By section. */
export const SECTIONS: readonly (readonly [section: string, rows: readonly Row[]])[] = TABLE.trim()
  .split(/\n(?! )/)
  .map((part) => {
    const [section = '', ...lines] = part.split('\n');
    return [section, lines.map(rowOf)];
  });
