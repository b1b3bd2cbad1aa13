import { isMap } from '../../table/value.ts';
import type { Row } from '../apply/entry.ts';
import { isSet } from '../apply/sections.ts';
import { byText } from '../canonical.ts';

const sortedList = (list: readonly unknown[]): readonly unknown[] =>
  list
    .map((value) => ({ value, text: JSON.stringify(value) }))
    .sort((a, b) => byText(a.text, b.text))
    .map(({ value }) => value);

const sortedKeys = (map: Row, of: (value: unknown, key: string) => unknown): Row =>
  Object.fromEntries(
    Object.keys(map)
      .sort(byText)
      .map((key) => [key, of(map[key], key)]),
  );

const listsSorted = (value: unknown): unknown => (Array.isArray(value) ? sortedList(value) : value);

function entry(section: string, value: unknown): unknown {
  if (!isMap(value)) return value;
  const fields = Object.entries(value).map(([name, each]) => {
    if (name === 'grants' && isMap(each)) return [name, sortedKeys(each, listsSorted)];
    return [name, isSet(section, name) ? listsSorted(each) : each];
  });
  return Object.fromEntries(fields);
}

/**
 * The same manifest in one order: names, and lists that are sets, by their text. Two tables with the same content give
 * the same file, whatever was written first, so that files can be compared and kept under version control.
 */
export const canonicalManifest = (manifest: Row): Row =>
  Object.fromEntries(
    Object.entries(manifest).map(([section, of]) => {
      if (Array.isArray(of)) return [section, sortedList(of.map((each) => entry(section, each)))];
      return [section, isMap(of) ? sortedKeys(of, (each) => entry(section, each)) : of];
    }),
  );
