import type { Random } from '../proof/oracle/random.ts';
import { GROUP, IDENTITY, patchOf, USER } from './support.ts';

/** What a tenant has, as another one may come to know it. */
export interface Owned {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  /** Ids of other kinds. */
  readonly others: readonly string[];
  readonly userNames: readonly string[];
  readonly externalIds: readonly string[];
  readonly displayNames: readonly string[];
  readonly emails: readonly string[];
  readonly subs: readonly string[];
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

const QUERIES = [
  ...['', '?attributes=userName,groups', '?excludedAttributes=members', '?attributes=members', '?count=0'],
];

/** A request with something of another tenant: alone, or on what is the connection's own. `nth` makes a name its own. */
export function requestOf(
  { below, pick: of }: Random,
  theirs: Owned,
  own: { readonly users: readonly string[]; readonly groups: readonly string[] },
  nth: number,
): Request {
  const anyId = () => of([...theirs.users, ...theirs.users, ...theirs.groups, ...theirs.others]);
  const ownUser = own.users.length > 0 ? of(own.users) : of(theirs.users);
  const ownGroup = own.groups.length > 0 ? of(own.groups) : of(theirs.groups);
  const member = () => ({ value: below(5) === 0 && own.users.length > 0 ? of(own.users) : anyId() });
  const members = () => Array.from({ length: 1 + below(3) }, member);
  const kind = of(['/Users', '/Groups']);
  const email = () => [{ value: of(theirs.emails), type: 'work', primary: true }];
  /** Attributes of a user, some of them the other's. */
  const said = () => ({
    ...(below(2) ? { externalId: of(theirs.externalIds) } : {}),
    ...(below(3) ? {} : { emails: email() }),
    ...(below(4) ? {} : { [IDENTITY]: { sub: of(theirs.subs) } }),
    ...(below(3) ? {} : { active: of<unknown>([true, false, 'False']) }),
    ...(below(4) ? {} : { id: anyId() }),
    ...(below(4) ? {} : { groups: [{ value: of(theirs.groups) }] }),
  });
  const name = () => (below(3) ? of(theirs.userNames) : `own-${nth}`);
  const user = () => ({ schemas: [USER], userName: name(), ...said() });
  const group = () => ({
    schemas: [GROUP],
    displayName: below(2) ? of(theirs.displayNames) : `own ${nth}`,
    ...(below(3) ? {} : { externalId: of(theirs.externalIds) }),
    ...(below(2) ? { members: members() } : {}),
  });
  const filter = (): string =>
    of([
      () => `/Users?filter=userName eq "${of(theirs.userNames)}"`,
      () => `/Users?filter=externalId eq "${of(theirs.externalIds)}"`,
      () => `/Users?filter=emails.value eq "${of(theirs.emails)}"`,
      () => `/Users?filter=emails[type eq "work" and value eq "${of(theirs.emails)}"]`,
      () => `/Users?filter=id eq "${anyId()}"`,
      () => `/Users?filter=id eq "${anyId()}" or userName sw "own-"&count=3`,
      () => `/Users?filter=not (userName eq "${of(theirs.userNames)}")&startIndex=2`,
      () => `/Groups?filter=displayName eq "${of(theirs.displayNames)}"`,
      () => `/Groups?filter=externalId eq "${of(theirs.externalIds)}"`,
      () => `/Groups?filter=id eq "${anyId()}"`,
      () => `/Groups?filter=members.value eq "${anyId()}"`,
      () => `/Groups?filter=members[value eq "${anyId()}"] or displayName co "own"&count=2`,
      () => `${kind}?startIndex=${1 + below(4)}&count=${below(6)}`,
    ])();
  const userPatch = () =>
    patchOf(
      of<() => unknown>([
        () => ({ op: 'Replace', path: 'userName', value: of(theirs.userNames) }),
        () => ({ op: 'replace', path: 'externalId', value: of(theirs.externalIds) }),
        () => ({ op: 'Replace', path: 'emails[type eq "work"].value', value: of(theirs.emails) }),
        () => ({ op: 'add', path: `${IDENTITY}:sub`, value: of(theirs.subs) }),
        () => ({ op: 'Replace', path: 'active', value: of(['True', 'False']) }),
        () => ({ op: 'replace', value: said() }),
        () => ({ op: 'remove', path: 'externalId' }),
      ])(),
    );
  const groupPatch = () =>
    patchOf(
      of<() => unknown>([
        () => ({ op: 'Add', path: 'members', value: members() }),
        () => ({ op: 'replace', path: 'members', value: members() }),
        () => ({ op: 'remove', path: `members[value eq "${anyId()}"]` }),
        () => ({ op: 'Remove', path: 'members', value: members() }),
        () => ({ op: 'replace', value: { displayName: of(theirs.displayNames), members: members() } }),
        () => ({ op: 'replace', path: 'externalId', value: of(theirs.externalIds) }),
      ])(),
    );
  return of<() => Request>([
    () => ({ method: 'GET', path: `${kind}/${anyId()}${of(QUERIES)}` }),
    () => ({ method: 'GET', path: filter() }),
    () => ({ method: 'GET', path: filter() }),
    () => ({ method: 'PUT', path: `/Users/${anyId()}`, body: user() }),
    () => ({ method: 'PUT', path: `/Groups/${anyId()}`, body: group() }),
    () => ({ method: 'PATCH', path: `/Users/${anyId()}`, body: userPatch() }),
    () => ({ method: 'PATCH', path: `/Groups/${anyId()}${of(QUERIES)}`, body: groupPatch() }),
    () => ({ method: 'DELETE', path: `${kind}/${anyId()}` }),
    () => ({ method: 'POST', path: '/Users', body: user() }),
    () => ({ method: 'POST', path: '/Groups', body: group() }),
    () => ({ method: 'PUT', path: `/Users/${ownUser}`, body: user() }),
    () => ({ method: 'PUT', path: `/Groups/${ownGroup}`, body: group() }),
    () => ({ method: 'PATCH', path: `/Users/${ownUser}`, body: userPatch() }),
    () => ({ method: 'PATCH', path: `/Groups/${ownGroup}?attributes=members`, body: groupPatch() }),
    () =>
      below(4)
        ? { method: 'GET', path: `/Users/${ownUser}` }
        : { method: 'DELETE', path: `/Users/${ownUser}` },
    () =>
      below(4)
        ? { method: 'GET', path: `/Groups/${ownGroup}` }
        : { method: 'DELETE', path: `/Groups/${ownGroup}` },
  ])();
}
