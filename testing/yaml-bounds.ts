/** What a text in YAML must not be, seen before any of it is parsed: parsing takes time and room in proportion to it. */

/** The deepest nesting. What is read here has 20 levels at most. */
const MAX_DEPTH = 100;

/** Something that is wrong, and where it begins. */
interface Excess {
  readonly offset: number;
  readonly message: string;
}

const TOO_DEEP = 'is nested too deeply';

/** A list, a key or a value that begins before anything else of its line: `- - ? a`. */
const INDICATOR = /[-?:](?=[ \t]|$)/y;

/**
 * The first excess of a text; one pass, whatever the text is. Brackets and indicators within quotes count as well: no text
 * that is meant has so many that are not closed.
 */
export function excessIn(text: string): Excess | undefined {
  for (const [directive] of text.slice(0, headLength(text)).matchAll(/^%[^\n]*/gm))
    if (!/^%YAML[ \t]+1\.2[ \t\r]*(?:#.*)?$/.test(directive))
      return {
        offset: text.indexOf(directive),
        message: 'only the directive %YAML 1.2 is read: leave the line out',
      };
  let brackets = 0;
  const indents: number[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start) < 0 ? text.length : text.indexOf('\n', start);
    let at = start;
    while (text[at] === ' ' || text[at] === '\t') at += 1;
    if (at < end && text[at] !== '#') {
      while ((indents.at(-1) ?? -1) >= at - start) indents.pop();
      indents.push(at - start);
      for (INDICATOR.lastIndex = at; INDICATOR.test(text); INDICATOR.lastIndex = at) {
        at += 1;
        while (text[at] === ' ' || text[at] === '\t') at += 1;
        indents.push(at - start);
        if (indents.length > MAX_DEPTH) return { offset: at, message: TOO_DEEP };
      }
      if (indents.length > MAX_DEPTH) return { offset: at, message: TOO_DEEP };
    }
    for (; at < end; at++) {
      const each = text[at];
      if (each === '[' || each === '{') brackets += 1;
      else if (each === ']' || each === '}') brackets = Math.max(0, brackets - 1);
      if (brackets > MAX_DEPTH) return { offset: at, message: TOO_DEEP };
    }
    start = end + 1;
  }
  return undefined;
}

/** Where directives end: at the first line that is neither one, nor empty, nor a comment. */
const headLength = (text: string): number =>
  /^(?:\uFEFF?[ \t]*(?:#[^\n]*)?\r?\n|%[^\n]*(?:\n|$))*/.exec(text)?.[0].length ?? 0;
