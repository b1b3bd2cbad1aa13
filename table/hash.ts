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
