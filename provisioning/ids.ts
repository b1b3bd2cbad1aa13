import { ulid } from 'ulid';

/** In browsers and in Node, of whose types it is not yet a part. */
declare const crypto: { readonly getRandomValues: (bytes: Uint8Array) => Uint8Array };

/** Random bytes that are drawn at a time. */
const DRAWN = 4_096;

/** Fresh ULIDs. Random bytes are drawn many at a time: to draw each by itself takes longer than the rest of an id. */
export function createIds(): () => string {
  const bytes = new Uint8Array(DRAWN);
  let next = DRAWN;
  const random = (): number => {
    if (next === DRAWN) {
      crypto.getRandomValues(bytes);
      next = 0;
    }
    return (bytes[next++] as number) / 256;
  };
  return () => ulid(undefined, random);
}
