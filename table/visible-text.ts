/**
 * Characters that are not seen: format characters (bidirectional overrides, zero-width ones, tags, the soft hyphen) and
 * others that fonts leave empty. Two texts that look alike are two names by them, and a line of a plan reads otherwise
 * (Unicode TR 36, UTS 39).
 */
const INVISIBLE =
  '[\\p{Cf}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2065\\u2800\\u3164\\uffa0\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]';

/** Scripts in which U+200C and U+200D within a word change how it is written: there they are seen. */
const SCRIPTS = [
  'Arabic',
  'Syriac',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Myanmar',
  'Khmer',
  'Tibetan',
];
const LETTER = `[${SCRIPTS.map((script) => `\\p{Script_Extensions=${script}}`).join('')}]`;

const JOINER = `(?<=${LETTER})[\\u200c\\u200d](?=${LETTER})`;

const HAS_INVISIBLE = new RegExp(INVISIBLE, 'u');
const CONTROL = /\p{Cc}/gu;

/** What is not seen, and as its first group what is: a joiner, or one in an emoji that Unicode recommends (UTS 51). */
const createPattern = () => new RegExp(`(\\p{RGI_Emoji}|${JOINER})|${INVISIBLE}`, 'gv');
/** Created for the first text that takes it: to read the list of emoji takes 50 ms. */
let pattern: RegExp | undefined;

const escapeOf = (each: string): string => {
  const code = each.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  const digits = code.toString(16).toUpperCase().padStart(4, '0');
  return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits}`;
};

/** A text with what is not seen in it written out, `Ac\u200Bme`, for people who decide upon it. Line breaks stay. */
export function withInvisible(text: string): string {
  if (!HAS_INVISIBLE.test(text)) return text;
  pattern ??= createPattern();
  return text.replace(pattern, (each: string, seen: string | undefined) => seen ?? escapeOf(each));
}

/** The same on one line: without what would steer a terminal, too. */
export const plain = (text: string): string => withInvisible(text).replace(CONTROL, escapeOf);

/** Whether everything in a text can be seen. */
export const isVisibleText = (text: string): boolean => withInvisible(text) === text;
