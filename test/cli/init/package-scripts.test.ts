import { describe, expect, test } from 'vitest';
import { withScripts } from '../../../cli/init/package-scripts.ts';

const SCRIPTS = { 'authz:dev': 'gatehouse dev a.yaml', 'authz:test': 'gatehouse test b.yaml' };
const LINES = (indent: string) =>
  Object.entries(SCRIPTS)
    .map(([name, line]) => `${indent}"${name}": "${line}"`)
    .join(',\n');

describe('scripts are added to package.json', () => {
  test('which is made where there is none', () => {
    expect(JSON.parse(withScripts(undefined, SCRIPTS) ?? '')).toEqual({ private: true, scripts: SCRIPTS });
  });

  test.each<[string, string, string]>([
    [
      'after those that are there, with nothing else changed',
      '{\n  "name": "x",   "files": ["a", "b"],\n  "scripts": {\n    "test": "vitest"\n  },\n  "type": "module"\n}\n',
      `{\n  "name": "x",   "files": ["a", "b"],\n  "scripts": {\n    "test": "vitest",\n${LINES('    ')}\n  },\n  "type": "module"\n}\n`,
    ],
    [
      'into an empty object, indented by tabs',
      '{\n\t"scripts": {},\n\t"x": {}\n}',
      `{\n\t"scripts": {\n${LINES('\t\t')}\n\t},\n\t"x": {}\n}`,
    ],
    [
      'past braces in strings, and objects of the same content',
      '{\n  "a": {"scripts": {"test": "}"}},\n  "scripts": {\n    "test": "echo }"\n  }\n}\n',
      `{\n  "a": {"scripts": {"test": "}"}},\n  "scripts": {\n    "test": "echo }",\n${LINES('    ')}\n  }\n}\n`,
    ],
  ])('%s', (_, before, after) => {
    expect(withScripts(before, SCRIPTS)).toBe(after);
  });

  test('with the line ends of the file', () => {
    const made = withScripts('{\r\n  "scripts": {\r\n    "test": "x"\r\n  }\r\n}\r\n', SCRIPTS) ?? '';
    expect(made.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test('where there were none at all', () => {
    const made = withScripts('{\n    "name": "x"\n}\n', SCRIPTS) ?? '';
    expect(made).toContain('\n    "scripts": {');
    expect(JSON.parse(made)).toEqual({ name: 'x', scripts: SCRIPTS });
  });

  test('each unless a script of its name is there, which stays', () => {
    const made = withScripts('{ "scripts": { "authz:dev": "mine" } }', SCRIPTS) ?? '';
    expect(JSON.parse(made).scripts).toEqual({ 'authz:dev': 'mine', 'authz:test': SCRIPTS['authz:test'] });
    expect(withScripts(JSON.stringify({ scripts: SCRIPTS }), SCRIPTS)).toBeUndefined();
  });

  test.each([
    ['{ "scripts": ', 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['{ "scripts": "x" }', 'its scripts are not an object'],
  ])('or it is an error: %s', (text, problem) => {
    expect(() => withScripts(text, SCRIPTS)).toThrow(problem);
  });
});
