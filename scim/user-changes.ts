import { badRequest } from './errors.ts';
import { holds, placesIn } from './filter.ts';
import { isChange, type Operation } from './patch.ts';
import { IDENTITY_SCHEMA, USERS } from './schema.ts';
import { booleanOf, listOf, membersOf, requiredText, textOf } from './values.ts';

/** What a command is told of a user: null takes a value away. */
export interface UserChanges {
  readonly userName?: string;
  readonly active?: boolean;
  readonly externalId?: string | null;
  readonly email?: string | null;
  readonly sub?: string | null;
  readonly displayName?: string | null;
  readonly givenName?: string | null;
  readonly familyName?: string | null;
}

/** What operations on a user come to, one after the other. `id` and `email` are those of before. */
export function userChanges(
  operations: readonly Operation[],
  before: { readonly id?: string; readonly email?: string | undefined } = {},
): UserChanges {
  const changes: UserChanges = {};
  for (const operation of operations) {
    const email = changes.email === undefined ? before.email : changes.email;
    Object.assign(changes, changeOf(operation, email, before.id));
  }
  return changes;
}

/** Texts that may be taken away, by the paths of their attributes. */
const TEXTS: ReadonlyMap<string, keyof UserChanges> = new Map([
  ['externalId', 'externalId'],
  ['displayName', 'displayName'],
  ['name.givenName', 'givenName'],
  ['name.familyName', 'familyName'],
  [`${IDENTITY_SCHEMA}.sub`, 'sub'],
]);

function changeOf(
  operation: Operation,
  email: string | null | undefined,
  id: string | undefined,
): UserChanges {
  const { op, place, value } = operation;
  const path = place.at.filter((each) => each !== undefined).join('.');
  if (!isChange(operation, path, id)) return {};
  if (path === 'userName') return { userName: requiredText(value, path) };
  if (path === 'active') return { active: booleanOf(value, path) };
  if (place.at[0] === 'emails') return emailChange(operation, email);
  const field = TEXTS.get(path);
  return field === undefined ? {} : { [field]: op === 'remove' ? null : textOf(value, path) };
}

/** There is one email: it is that at work, and the primary one. */
function emailChange({ op, place, filter, value }: Operation, email: string | null | undefined): UserChanges {
  const own = { value: email, type: 'work', primary: true };
  if (filter && !holds(filter, ofEmails, (name) => [memberOf(own, name)])) {
    if (op === 'remove') return {};
    throw badRequest('noTarget', 'there is one email, that at work');
  }
  const [, sub] = place.at;
  if (sub === undefined) {
    if (op !== 'remove') {
      const one = chosen(value);
      // Another address beside that at work: it is left out, as those of a whole user are.
      return op === 'add' && email && one?.isOther ? {} : { email: one?.value ?? null };
    }
    // Entra ID names in the value which ones it means.
    const meant = listOf(value).map((each) =>
      textOf(membersOf(each, 'emails').get('value')?.value, 'emails.value'),
    );
    return meant.length === 0 || meant.some((each) => isSame(each, email)) ? { email: null } : {};
  }
  if (sub !== 'value') return {};
  return { email: op === 'remove' ? null : textOf(value, 'emails.value') };
}

const isSame = (a: string | null, b: string | null | undefined): boolean =>
  a?.toLowerCase() === b?.toLowerCase();

const memberOf = (own: Readonly<Record<string, unknown>>, name: string): unknown => own[name.toLowerCase()];

const ofEmails = (path: string) => placesIn(USERS)(`emails.${path}`);

/** The primary one of several emails, else that at work, else the first. */
function chosen(value: unknown) {
  const emails = listOf(value).map((each) => {
    const members = membersOf(each, 'emails');
    const type = members.get('type')?.value ?? 'work';
    const isPrimary = booleanOf(members.get('primary')?.value ?? false, 'emails.primary');
    return {
      value: textOf(members.get('value')?.value, 'emails.value'),
      isPrimary,
      isOther: !isPrimary && type !== 'work',
    };
  });
  return emails.find(({ isPrimary }) => isPrimary) ?? emails.find(({ isOther }) => !isOther) ?? emails[0];
}
