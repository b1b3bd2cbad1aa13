import { isObject, type JsonObject } from '../../table/json.ts';

/**
 * A package.json with more scripts. Those that are there stay as they are, and so does the formatting of the file.
 *
 * @param text undefined where there is no file
 * @returns undefined where nothing is to be added
 * @throws Error that says why the file is none that can be changed
 */
export function withScripts(
  text: string | undefined,
  scripts: Readonly<Record<string, string>>,
): string | undefined {
  if (text === undefined) return `${JSON.stringify({ private: true, scripts }, null, 2)}\n`;
  const content = parse(text);
  const there = content.scripts ?? {};
  if (!isObject(there)) throw new Error('its scripts are not an object');
  const added = Object.entries(scripts).filter(([name]) => !Object.hasOwn(there, name));
  if (added.length === 0) return undefined;
  const wanted = { ...content, scripts: { ...there, ...Object.fromEntries(added) } };
  const indent = /^[\t ]+(?=")/m.exec(text)?.[0] ?? '  ';
  return inserted(text, added, wanted, indent) ?? `${JSON.stringify(wanted, null, indent)}\n`;
}

function parse(text: string): JsonObject {
  let content: unknown;
  try {
    // Some editors begin a file with a byte order mark.
    content = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new Error('it is not JSON');
  }
  if (isObject(content)) return content;
  throw new Error('it is not a JSON object');
}

/** Puts entries before the closing brace of `scripts`; undefined where that brace is not found. */
function inserted(
  text: string,
  added: readonly (readonly [string, string])[],
  wanted: JsonObject,
  indent: string,
): string | undefined {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = added.map(
    ([name, line]) => `${indent}${indent}${JSON.stringify(name)}: ${JSON.stringify(line)}`,
  );
  // A brace may be in a string: the text that comes out has to mean what is wanted.
  for (const { index } of text.matchAll(/\}/g)) {
    const before = text.slice(0, index).trimEnd();
    const comma = before.endsWith('{') ? '' : ',';
    const made = `${before}${comma}${newline}${lines.join(`,${newline}`)}${newline}${indent}${text.slice(index)}`;
    if (means(made, wanted)) return made;
  }
  return undefined;
}

function means(text: string, wanted: JsonObject): boolean {
  try {
    return JSON.stringify(parse(text)) === JSON.stringify(wanted);
  } catch {
    return false;
  }
}
