import { isMap, isPair, isScalar, isSeq, type Node, parseDocument, stringify, visit } from 'yaml';

/** As much of a JSON schema as manifests and model tests use. */
export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly description?: string;
}

/** The names that a manifest defines, by section: `scopes`, `roles`, … */
export type DefinedNames = ReadonlyMap<string, ReadonlySet<string>>;

export interface Suggestion {
  readonly label: string;
  /** What it is inserted as: a name may need quotes, and a key its colon. */
  readonly insert: string;
  /** What it is, in a word: `key`, `value`, or the section of a name. */
  readonly kind: string;
  readonly description?: string | undefined;
}

/** What can stand between two offsets of a text. */
export interface Completion {
  readonly from: number;
  readonly to: number;
  readonly suggestions: readonly Suggestion[];
}

/** Stands for the word that is being typed while the text is parsed. */
const MARK = 'completedHere';

/** A text that is being typed is read as far as it goes. */
const UNFINISHED = { version: '1.2', uniqueKeys: false, logLevel: 'silent' } as const;

type Step = string | number;

interface Position {
  readonly path: readonly Step[];
  readonly isKey: boolean;
  /** Keys of the same mapping. */
  readonly taken: ReadonlySet<string>;
}

/**
 * What may be written at an offset: keys of the section, values of an enumeration, and names that the manifest defines.
 *
 * @param names those of the manifest; the text itself if left out
 */
export function completionAt(
  text: string,
  offset: number,
  schema: Schema,
  names?: DefinedNames,
): Completion | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(start, offset);
  if (/(?:^|\s)#/.test(line)) return undefined;
  const quoteOpen = /(?:^|[\s[{,])(["'])([^"']*)$/.exec(line);
  const word = quoteOpen ? quoteOpen[2] : wordAtEnd(line);
  const from = offset - (word?.length ?? 0) - (quoteOpen ? 1 : 0);
  const rest = /^[^\n]*/.exec(text.slice(offset))?.[0] ?? '';
  const tail = /^[\w@.-]*/.exec(rest)?.[0].length ?? 0;
  const to = offset + tail + (quoteOpen && rest[tail] === quoteOpen[1] ? 1 : 0);
  const after = text.slice(to, start + line.length + rest.length);
  // A line of a block with nothing but a word is a key, or else an element of a list.
  const isWholeLine = /^\s*(?:- +)*$/.test(text.slice(start, from)) && after.trim() === '';
  const marked = `${text.slice(0, from)}${MARK}${isWholeLine ? ':' : ''}${text.slice(to)}`;
  const position = positionOf(marked);
  if (!position) return undefined;
  const { path, taken } = position;
  const hasColon = after.trimStart().startsWith(':');
  const found = [
    ...(position.isKey ? keysAt(schema, path, taken, hasColon) : []),
    ...(position.isKey && !isWholeLine ? [] : valuesAt(schema, path)),
    ...namesAt(path, position.isKey, names ?? namesIn(marked), taken, hasColon),
  ];
  const suggestions = [...new Map(found.map((each) => [each.label, each])).values()];
  const written = text.slice(from, to);
  const isWritten = suggestions.some(({ insert }) => insert === written);
  return suggestions.length === 0 || isWritten ? undefined : { from, to, suggestions };
}

/** What stands after the last separator of a line. */
const wordAtEnd = (line: string): string => {
  const [, before = ''] = /^(.*(?:[[{,]\s*|:\s+)|\s*(?:- +)*)/.exec(line) ?? [];
  return line.slice(before.length);
};

function positionOf(marked: string): Position | undefined {
  const document = parseDocument(marked, UNFINISHED);
  let found: Position | undefined;
  visit(document, {
    Scalar: (key, node, ancestors) => {
      if (node.value !== MARK) return undefined;
      const path = ancestors.flatMap((ancestor, depth): Step[] => {
        const child = ancestors[depth + 1] ?? node;
        if (isSeq(ancestor)) return [ancestor.items.indexOf(child as Node)];
        return isPair(ancestor) && child !== ancestor.key ? [String(ancestor.key)] : [];
      });
      const map = ancestors.at(-2);
      const isKey = key === 'key';
      const keys = isKey && isMap(map) ? map.items.map((pair) => String(pair.key)) : [];
      found = { path, isKey, taken: new Set(keys.filter((each) => each !== MARK)) };
      return visit.BREAK;
    },
  });
  return found;
}

/** The schemas that describe what a path leads to. */
const schemasAt = (schema: Schema, path: readonly Step[]): readonly Schema[] =>
  path.reduce<readonly Schema[]>(
    (schemas, step) => schemas.flatMap((each) => alternatives(childOf(each, step))),
    alternatives(schema),
  );

function childOf({ properties, additionalProperties, items }: Schema, step: Step): Schema | undefined {
  if (typeof step === 'number') return items;
  if (properties && Object.hasOwn(properties, step)) return properties[step];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

const alternatives = (schema: Schema | undefined): readonly Schema[] =>
  schema === undefined ? [] : [schema, ...(schema.anyOf ?? []).flatMap(alternatives)];

const keysAt = (
  schema: Schema,
  path: readonly Step[],
  taken: ReadonlySet<string>,
  hasColon: boolean,
): readonly Suggestion[] =>
  schemasAt(schema, path).flatMap(({ properties = {} }) =>
    Object.entries(properties)
      .filter(([label]) => !taken.has(label))
      .map(([label, child]) => ({
        label,
        insert: hasColon ? label : `${label}: `,
        kind: 'key',
        description: descriptionOf(child),
      })),
  );

const descriptionOf = (schema: Schema): string | undefined =>
  alternatives(schema).find(({ description }) => description !== undefined)?.description;

const valuesAt = (schema: Schema, path: readonly Step[]): readonly Suggestion[] =>
  schemasAt(schema, path).flatMap((each) => {
    const values = each.enum ?? (each.type === 'boolean' ? [true, false] : []);
    return values.filter((value) => value !== null).map((value) => literal(String(value), 'value'));
  });

const literal = (label: string, kind: string): Suggestion => ({ label, insert: label, kind });

const PERMISSIONS = ['pages', 'permissions'];
const SUBJECTS = ['users', 'technicalUsers', 'subjects'];

/** Sections of the manifest whose names are expected as the value of a key, or as an element of its list. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  scope: ['scopes'],
  owner: ['scopes'],
  account: ['scopes'],
  enterprise: ['scopes'],
  tenant: ['scopes'],
  role: ['roles'],
  roles: ['roles'],
  globalRoles: ['roles'],
  groups: ['groups'],
  module: ['modules'],
  permission: PERMISSIONS,
  allow: PERMISSIONS,
  deny: PERMISSIONS,
  subject: SUBJECTS,
  user: ['users'],
};

/** The sections whose names are expected at a path. */
function expectedAt(path: readonly Step[]): readonly string[] {
  const [section, , key, ...rest] = path;
  const last = path.findLast((step) => typeof step === 'string');
  if (key === 'grants') return rest.length === 0 ? ['scopes'] : ['roles'];
  if (key === 'parent') return [String(section)];
  if (section === 'scopes' && key === 'type') return ['scopeTypes'];
  if (section === 'subjects' && key === 'type') return ['subjectTypes'];
  if (section === 'scopeTypes') return ['scopeTypes'];
  // A route names its scope by parts of the request.
  if (path.length < 2 || (section === 'routes' && key === 'scope')) return [];
  return Object.hasOwn(EXPECTED, String(last)) ? (EXPECTED[String(last)] ?? []) : [];
}

function namesAt(
  path: readonly Step[],
  isKey: boolean,
  names: DefinedNames,
  taken: ReadonlySet<string>,
  hasColon: boolean,
): readonly Suggestion[] {
  // Of mappings, only the keys of `grants` are names; a lone word may be an element of a list as well.
  const isGrants = path.at(-1) === 'grants';
  if (isKey !== isGrants && !(isKey && typeof path.at(-1) === 'number')) return [];
  const after = isGrants && !hasColon ? ': ' : '';
  return expectedAt(path).flatMap((section) =>
    [...(names.get(section) ?? [])]
      .filter((label) => label !== MARK && !taken.has(label))
      .map((label) => ({ label, insert: `${quoted(label)}${after}`, kind: section.replace(/s$/, '') })),
  );
}

/** A name as YAML has it, in lists and mappings of one line too. */
const quoted = (name: string): string =>
  /[[\]{},]|: |:$/.test(name) ? JSON.stringify(name) : stringify(name, { lineWidth: 0 }).trim();

/** The names that a manifest defines, as far as it can be read. */
export function namesIn(manifest: string): DefinedNames {
  const { contents } = parseDocument(manifest, UNFINISHED);
  if (!isMap(contents)) return new Map();
  return new Map(
    contents.items.map(({ key, value }) => {
      const entries = isMap(value) ? value.items.map((pair) => pair.key) : isSeq(value) ? value.items : [];
      const labels = entries.flatMap((entry) => (isScalar(entry) ? [String(entry.value)] : []));
      return [String(key), new Set(labels)] as const;
    }),
  );
}
