import { isLongerThan } from './bytes.ts';
import { invalid } from './errors.ts';
import { isSafeText, MAX_VALUE_BYTES } from './identifiers.ts';

/**
 * Canonical forms of the values that must be unique. Each function is idempotent (a property test
 * holds it) because a canonicalisation that is not has led to account take-over elsewhere.
 * NORMALISATION is stored with every guard: a change of these rules is a migration, not an edit.
 */
export const NORMALISATION = 1;

const EMAIL =
  /^[a-z0-9!$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!$%&'*+/=?^_`{|}~-]+)*@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;
const PHONE = /^\+[1-9][0-9]{6,14}$/;
const USERNAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;
const CODE = /^[A-Z0-9](?:[A-Z0-9._-]{0,62}[A-Z0-9])?$/;
const ASCII = /^[ -~]*$/;
/**
 * The text if it is ASCII, else nothing. Asked before the case is folded: folding turns the Kelvin sign
 * into `k`, `ı` into `I` and `ß` into `SS`, and so one person's value into another's.
 */
const ascii = (text: string): string => (ASCII.test(text) ? text : '');

/**
 * Lower-cases an address. ASCII only: two addresses that look alike must not be two users.
 * Length limits of RFC 5321 section 4.5.3.1: 64 octets before the `@`, 254 in all.
 */
export function normaliseEmail(value: string, field: string): string {
  const email = ascii(value.trim()).toLowerCase();
  if (email.length > 254 || email.indexOf('@') > 64 || !EMAIL.test(email)) {
    throw invalid(field, `${field} is not an e-mail address (ASCII, at most 254 characters)`);
  }
  return email;
}

/** E.164: `+` and 7 to 15 digits; spaces, dots, dashes and brackets are dropped. */
export function normalisePhone(value: string, field: string): string {
  const phone = value.replace(/[\s().-]/g, '');
  if (!PHONE.test(phone))
    throw invalid(field, `${field} is not an international phone number such as +4930123456`);
  return phone;
}

/** Country calling codes (ITU-T E.164) of one and two digits, and of three, with a zero after them. */
const ZERO_AFTER_CODE =
  /^\+(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|2[1-689]\d|3[578]\d|42\d|5[09]\d|6[7-9]\d|85\d|96\d|97[0-8]|99\d)0/;
/** Codes whose national numbers begin with a zero that is dialled from abroad as well: Italy, San Marino, Vatican, and others. */
const KEEPS_ZERO = /^\+(?:39|378|379|225|226|229|241|242)/;

/**
 * Whether a number has the zero of national calls behind its country code, as `+49 (0)30 123456` has once its brackets are
 * dropped: nobody can call it, and it is another text than the number that is meant. Asked where a number is written;
 * one that stands in a table is still found by it.
 */
export const hasTrunkZero = (phone: string): boolean =>
  ZERO_AFTER_CODE.test(phone) && !KEEPS_ZERO.test(phone);

/** Lower-cases a user name; ASCII letters, digits, dot, dash and underscore only. */
export function normaliseUsername(value: string, field: string): string {
  const username = ascii(value.trim()).toLowerCase();
  if (!USERNAME.test(username)) {
    throw invalid(
      field,
      `${field} is not a user name (1 to 64 of a-z 0-9 . _ -, first and last a letter or digit)`,
    );
  }
  return username;
}

/** Upper-cases a location code such as NYC001. */
export function normaliseCode(value: string, field: string): string {
  const code = ascii(value.trim()).toUpperCase();
  if (!CODE.test(code)) throw invalid(field, `${field} is not a code (1 to 64 of A-Z 0-9 . _ -)`);
  return code;
}

/** The text as it is, if a key can hold it. */
function exact(value: string, field: string, maxBytes: number): string {
  if (value.trim() === '' || !isSafeText(value))
    throw invalid(field, `${field} is empty or holds # or control characters`);
  if (isLongerThan(value, maxBytes)) throw invalid(field, `${field} is longer than ${maxBytes} bytes`);
  return value;
}

/** An issuer of tokens, as it is: `iss` is compared as it is (OpenID Connect Core section 2). */
export const normaliseIssuer = (value: string, field: string): string => exact(value, field, MAX_VALUE_BYTES);

/** "It MUST NOT exceed 255 ASCII characters in length" (OpenID Connect Core section 2). */
const MAX_SUB_BYTES = 255;

/** A subject at its issuer, as it is: `sub` is "a case-sensitive string". A WebID and a guest of Entra hold a `#`. */
export function normaliseSub(value: string, field: string): string {
  if (!isSafeText(value.replaceAll('#', ''))) throw invalid(field, `${field} holds control characters`);
  exact(value.replaceAll('#', '.'), field, MAX_SUB_BYTES);
  return value;
}

const MAX_EXTERNAL_BYTES = 256;

/** A group of an identity provider, as it stands in tokens. */
export const normaliseExternalId = (value: string, field: string): string =>
  exact(value, field, MAX_EXTERNAL_BYTES);

/** A domain of e-mail addresses: what stands behind the `@` of one. */
export function normaliseDomain(value: string, field: string): string {
  const domain = ascii(value.trim()).toLowerCase();
  if (!EMAIL.test(`a@${domain}`) || domain.length > 252)
    throw invalid(field, `${field} is not a domain (ASCII, such as example.com)`);
  return domain;
}

const MAX_FOLDS = 4;
const fold = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/**
 * Folds a display name for comparison: NFKC, lower case, single spaces. Folding can open new folds, so it runs to
 * its fixed point, or ends after a few rounds.
 */
export function foldName(value: string): string {
  let folded = fold(value);
  for (let round = 1; round < MAX_FOLDS && fold(folded) !== folded; round++) folded = fold(folded);
  return folded;
}

/** Folds a name that must be unique (tenant, role). */
export function normaliseName(value: string, field: string): string {
  const folded = foldName(value);
  if (fold(folded) !== folded) throw invalid(field, `${field} has no canonical form`);
  if (folded === '' || !isSafeText(folded))
    throw invalid(field, `${field} is empty or holds # or control characters`);
  if (isLongerThan(folded, MAX_VALUE_BYTES))
    throw invalid(field, `${field} is longer than ${MAX_VALUE_BYTES} bytes`);
  return folded;
}

/** Entra sends a guest's name and id with a `#`, which no key may hold. Folding leaves no other sign of this form. */
const withoutHash = (text: string): string => text.replaceAll('#', '\uff03');

/** A `userName` of SCIM: compared without case (RFC 7643 section 4.1.1). */
export function normaliseScimName(value: string, field: string): string {
  const folded = foldName(value);
  if (fold(folded) !== folded) throw invalid(field, `${field} has no canonical form`);
  return exact(withoutHash(folded), field, MAX_VALUE_BYTES);
}

/** An `externalId` of SCIM, as it is (RFC 7643 section 3.1). */
export const normaliseScimId = (value: string, field: string): string =>
  exact(withoutHash(value), field, MAX_VALUE_BYTES);
