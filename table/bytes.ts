/** Text as bytes, with nothing but what every JavaScript runtime has. */
const encoder = new TextEncoder();

/** WebCrypto: global in browsers and in Node, of whose types it is not yet a part. */
declare const crypto: {
  readonly subtle: {
    readonly digest: (algorithm: 'SHA-256', data: Uint8Array) => Promise<ArrayBuffer>;
    readonly importKey: (
      format: 'raw',
      key: Uint8Array,
      algorithm: 'AES-GCM' | { name: 'HMAC'; hash: 'SHA-256' },
      extractable: false,
      usages: readonly string[],
    ) => Promise<object>;
    readonly sign: (algorithm: 'HMAC', key: object, data: Uint8Array) => Promise<ArrayBuffer>;
    readonly encrypt: (algorithm: AesGcm, key: object, data: Uint8Array) => Promise<ArrayBuffer>;
    readonly decrypt: (algorithm: AesGcm, key: object, data: Uint8Array) => Promise<ArrayBuffer>;
  };
};
interface AesGcm {
  readonly name: 'AES-GCM';
  readonly iv: Uint8Array;
  readonly additionalData: Uint8Array;
}

/** Bytes of a text in UTF-8, counted: items are measured at every read, and to encode them takes far longer. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let position = 0; position < text.length; position++) {
    const unit = text.charCodeAt(position);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else {
      bytes += 2;
      // A pair of surrogates is two units and four bytes; a surrogate alone is written as U+FFFD, in three.
      if (isHigh(unit) && isLow(text.charCodeAt(position + 1))) position += 1;
    }
  }
  return bytes;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** Whether a text takes more than `max` bytes in UTF-8. */
export const isLongerThan = (text: string, max: number): boolean =>
  // A unit of UTF-16 takes one to three bytes: most texts need no counting.
  text.length > max || (text.length * 3 > max && byteLength(text) > max);

/**
 * Compares two texts by their UTF-8 bytes, as DynamoDB sorts keys. JavaScript compares units of UTF-16 and
 * puts what lies beyond U+FFFF before U+E000 to U+FFFF.
 *
 * @returns below zero, zero or above, as for `sort`
 */
export function compareBytes(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let position = 0; position < shorter; position++) {
    const [x, y] = [a.charCodeAt(position), b.charCodeAt(position)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates, of which all beyond U+FFFF is made, come last. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

/** Bytes as base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  let units = '';
  for (const byte of bytes) units += String.fromCharCode(byte);
  return btoa(units).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The bytes of a base64url text. Throws for a text that is none. */
export const fromBase64Url = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

/** A text as base64url of its UTF-8. */
export const textToBase64Url = (text: string): string => toBase64Url(encoder.encode(text));

/** The text that was made base64url of. Throws where the bytes are no UTF-8. */
export const textFromBase64Url = (encoded: string): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fromBase64Url(encoded));

/** SHA-256 of a text, base64url (WebCrypto). */
export const sha256 = async (text: string): Promise<string> =>
  toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text))));

/** HMAC-SHA-256 of a text under a key that is a text (RFC 2104). */
const hmacKey = (key: string): Promise<object> =>
  crypto.subtle.importKey('raw', encoder.encode(key), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);

const signed = async (key: object, text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));

/** Of the initialisation vector, before what it encrypts. */
export const IV_BYTES = 12;

/** AES-256-GCM (NIST SP 800-38D) under a key that is derived from the secret. */
const cipherKey = async (secret: string): Promise<object> => {
  const bytes = await signed(await hmacKey(secret), 'encrypt');
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
};

const aesGcm = (iv: Uint8Array, context: string): AesGcm => ({
  name: 'AES-GCM',
  iv,
  additionalData: encoder.encode(context),
});

/** Encrypts texts under one secret. */
export interface Cipher {
  /**
   * The text, encrypted, as base64url. The same text gives the same result: its initialisation vector is made of the
   * text and its context, so that no two share one. A secret is used with contexts, or without.
   *
   * @param context what it belongs to: it is authenticated, and not part of the result. Default: nothing
   */
  readonly encrypt: (text: string, context?: string) => Promise<string>;
  /** The text that `encrypt` made it of, in the same context; undefined for anything else. */
  readonly decrypt: (encrypted: string, context?: string) => Promise<string | undefined>;
}

/** @param secret 256 random bits as text */
export async function createCipher(secret: string): Promise<Cipher> {
  const [vectors, key] = await Promise.all([sha256(`${secret} vector`).then(hmacKey), cipherKey(secret)]);
  return {
    encrypt: async (text, context = '') => {
      const whole = context === '' ? text : JSON.stringify([context, text]);
      const iv = (await signed(vectors, whole)).slice(0, IV_BYTES);
      const sealed = await crypto.subtle.encrypt(aesGcm(iv, context), key, encoder.encode(text));
      return toBase64Url(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
    },
    decrypt: async (encrypted, context = '') => {
      try {
        const bytes = fromBase64Url(encrypted);
        const iv = bytes.slice(0, IV_BYTES);
        const text = await crypto.subtle.decrypt(aesGcm(iv, context), key, bytes.slice(IV_BYTES));
        return new TextDecoder().decode(text);
      } catch {
        return undefined;
      }
    },
  };
}

/** FNV-1a of a text's units, from a start value: 32 bits. It authenticates nothing. */
export function fnv1a(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let position = 0; position < text.length; position++)
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  return hash >>> 0;
}

/** Two of them as 16 hexadecimal digits. */
export const hash64 = (text: string): string => hex(fnv1a(text)) + hex(fnv1a(text, 0x01000193));

const hex = (hash: number): string => hash.toString(16).padStart(8, '0');

/** Compares in a time that does not depend on where the texts differ. */
export function isSameSecret(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
