/** A TypeScript module with a union of all permission names: the same text for the same names, in any order. */
export function permissionType(names: Iterable<string>): string {
  const sorted = [...new Set(names)].sort();
  const union = sorted.length === 0 ? ' never' : sorted.map((name) => `\n  | ${literal(name)}`).join('');
  return `// Made by gatehouse types. Do not edit it by hand.\n\n/** A page or a permission. */\nexport type Permission =${union};\n`;
}

/** JSON's escapes are JavaScript's, but for the quotes; some tools take U+2028 and U+2029 for the end of a line. */
const literal = (text: string): string =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replace(/[\u2028\u2029]/g, (each) => `\\u${each.charCodeAt(0).toString(16)}`)}'`;
