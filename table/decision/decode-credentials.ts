import { isRef } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { isPermissionPattern, readPermissionName } from '../permission-name.ts';
import { Attribute } from './attributes.ts';
import { compoundsOf, damaged, instant, isActive, oneOf, plain } from './decode.ts';
import type { CredentialItem, MandateItem } from './items.ts';

/** The records that are judged each time that they are shown. */

const CREDENTIAL_ATTRIBUTES = plain(
  Attribute.status,
  Attribute.endsAt,
  Attribute.subject,
  Attribute.hash,
  Attribute.timeToLive,
);

export function decodeCredential(item: Item): CredentialItem {
  const [unknown] = compoundsOf(item, CREDENTIAL_ATTRIBUTES);
  if (unknown) throw damaged(item, unknown.name);
  const { [Attribute.subject]: subject, [Attribute.hash]: hash } = item;
  if (typeof subject !== 'string' || !isRef(subject)) throw damaged(item, Attribute.subject);
  if (hash !== undefined && (typeof hash !== 'string' || hash === '')) throw damaged(item, Attribute.hash);
  return {
    subject,
    hash,
    active: isActive(item),
    endsAt: instant(item, Attribute.endsAt, item[Attribute.endsAt]),
  };
}

const MANDATE_ATTRIBUTES = plain(
  Attribute.subject,
  Attribute.actor,
  Attribute.status,
  Attribute.endsAt,
  Attribute.permissions,
  Attribute.scopes,
  Attribute.when,
  Attribute.budget,
  Attribute.hash,
  Attribute.timeToLive,
);

/** At most so many permissions and scopes of one mandate. */
const MAX_MANDATE_PERMISSIONS = 50;
const MAX_MANDATE_SCOPES = 20;

const isPermission = (text: string): boolean =>
  readPermissionName(text) !== undefined || isPermissionPattern(text);

/** What a mandate allows, to whom, for whom and until when. */
export function decodeMandate(item: Item): MandateItem {
  const [unknown] = compoundsOf(item, MANDATE_ATTRIBUTES);
  if (unknown) throw damaged(item, unknown.name);
  const { [Attribute.when]: when, [Attribute.budget]: isCounted = false, [Attribute.hash]: hash } = item;
  if (when !== undefined && (typeof when !== 'string' || when === '')) throw damaged(item, Attribute.when);
  if (typeof isCounted !== 'boolean') throw damaged(item, Attribute.budget);
  if (hash !== undefined && (typeof hash !== 'string' || hash === '')) throw damaged(item, Attribute.hash);
  return {
    subject: refIn(item, Attribute.subject),
    actor: refIn(item, Attribute.actor),
    active: isActive(item),
    endsAt: instant(item, Attribute.endsAt, item[Attribute.endsAt]),
    permissions: setIn(item, Attribute.permissions, MAX_MANDATE_PERMISSIONS, isPermission),
    scopes: setIn(item, Attribute.scopes, MAX_MANDATE_SCOPES, isRef),
    condition: when === undefined ? undefined : { effect: 'ALLOW', when },
    isCounted,
    hash,
  };
}

function refIn(item: Item, attribute: string): string {
  const value = item[attribute];
  if (typeof value !== 'string' || !isRef(value)) throw damaged(item, attribute);
  return oneOf(value);
}

/** 1 to `most` texts. */
function setIn(
  item: Item,
  attribute: string,
  most: number,
  isGood: (text: string) => boolean,
): ReadonlySet<string> {
  const value = item[attribute];
  const isList = Array.isArray(value) && value.length >= 1 && value.length <= most;
  if (!isList || !value.every((each) => typeof each === 'string' && isGood(each)))
    throw damaged(item, attribute);
  return new Set(value.map(oneOf));
}
