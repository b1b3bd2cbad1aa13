import * as z from 'zod';
import { REASONS, type Reason } from '../../engine/decision.ts';
import type { Actor, Given } from '../../engine/index.ts';
import { instant, list, name, names, object, permissionName } from '../../provisioning/apply/fields.ts';
import { parseManifest } from '../../provisioning/apply/parse.ts';
import { type Path, type Problem, problemsOf } from '../../provisioning/apply/problem.ts';
import { type Manifest, PEOPLE } from '../../provisioning/apply/schema.ts';
import { inPlainWords } from '../../provisioning/issues.ts';
import { choiceOf, hint } from '../../table/similar-words.ts';
import { assertNone, ProblemsError, type Source } from '../document.ts';
import type { Expectation } from '../expectation.ts';
import { properties } from '../given.ts';
import { type PreparedManifest, prepareManifest } from '../manifest.ts';

/** A test shows no credential. */
export const EXPECTATIONS: readonly string[] = [
  'allow',
  'deny',
  ...REASONS.filter((each) => each !== 'credential_refused'),
];

const expectation = z.preprocess(
  (value) => (typeof value === 'string' ? (choiceOf(value, EXPECTATIONS) ?? value) : value),
  z.string('must be allow, deny or a reason').superRefine((value, context) => {
    if (!EXPECTATIONS.includes(value))
      context.addIssue(`${value} is neither allow, deny nor a reason: ${hint(value, EXPECTATIONS)}`);
  }),
);

const text = 'must be a text';
const ONE_FORM = 'give permission and expect, or else lists: allow, deny';

const modelTest = object({
  name: z
    .string(text)
    .min(1)
    .max(256)
    .regex(/^\P{Cc}*$/u, 'holds control characters')
    .optional(),
  subject: name,
  /** Who acts for it. */
  actor: name.optional(),
  /** By which mandate: a table has them, no manifest does. */
  mandate: z
    .string(text)
    .regex(/^(?:mandate:)?[^:]+$/, 'must be the id of a mandate')
    .max(140)
    .optional(),
  scope: name,
  at: instant.optional(),
  /** What conditions look at beside the manifest. */
  properties: object({
    subject: properties.optional(),
    resource: properties.optional(),
    action: properties.optional(),
  }).optional(),
  context: properties.optional(),
  /** An object of the application at the scope, where it is not the scope itself. */
  resource: z
    .string(text)
    .max(300)
    .regex(/^[a-z][a-z0-9-]*:./, 'must be type:id')
    .optional(),
  permission: z.string('must be a permission').pipe(permissionName).optional(),
  expect: expectation.optional(),
  allow: names(permissionName),
  deny: names(permissionName),
}).superRefine(({ actor, mandate, permission, expect, allow, deny }, context) => {
  if (mandate !== undefined && actor === undefined)
    context.addIssue({ code: 'custom', path: ['mandate'], message: 'is of an actor: give actor too' });
  const lists = allow.length + deny.length > 0;
  if (
    lists
      ? permission !== undefined || expect !== undefined
      : permission === undefined || expect === undefined
  )
    context.addIssue(ONE_FORM);
  for (const [position, each] of deny.entries())
    if (allow.includes(each))
      context.addIssue({
        code: 'custom',
        path: ['deny', position],
        message: `${each} is in allow as well`,
      });
});

/** A file of model tests. */
export const modelTestSchema = object({
  /** For all tests that do not say otherwise. */
  at: instant.optional(),
  /** For editors. */
  $schema: z.string().optional(),
  /** Read by its own parser, as any manifest; a text is the path of its file, from the folder of this one. */
  manifest: z.unknown().optional(),
  tests: list(modelTest),
});

/** One question with the answer that is expected. */
export interface Question {
  readonly subject: string;
  /** Who acts for it, and by which mandate: a name, and `mandate:…`. */
  readonly actor: Actor | undefined;
  readonly permission: string;
  readonly scope: string;
  /** ISO 8601; the time of the run when left out. */
  readonly at: string | undefined;
  readonly given: Given;
  readonly expect: Expectation;
}

export interface ModelTest {
  readonly name: string | undefined;
  readonly questions: readonly Question[];
}

/** Model tests, before it is known whether the names in them lead anywhere. */
export interface ReadTests {
  readonly source: Source;
  /** The manifest in the file, or the path of another file; undefined where it says none. */
  readonly manifest: unknown;
  readonly tests: readonly ModelTest[];
  /** Names that lead nowhere, unless a test expects that. Without a manifest, they are looked up in the table. */
  readonly problemsWith: (manifest: Manifest | undefined) => readonly Problem[];
}

/** Reads model tests. Throws ProblemsError with everything that can be seen without their manifest. */
export function readTests(source: Source): ReadTests {
  const parsed = modelTestSchema.safeParse(source.data, { error: inPlainWords });
  if (!parsed.success) {
    if (parseManifest(source.data).parsed)
      assertNone(source, [
        { path: [], message: 'is a manifest and holds no model tests: see gatehouse plan' },
      ]);
    assertNone(source, problemsOf(parsed.error));
    throw parsed.error;
  }
  const { at, manifest, tests: written } = parsed.data;
  const tests = written.map((test): ModelTest => {
    const { subject, scope, permission, expect } = test;
    const actor = actingIn(test);
    const ask = (each: string, expected: string): Question => ({
      subject,
      actor,
      scope,
      permission: each,
      at: test.at ?? at,
      given: givenIn(test),
      expect: expected as Expectation,
    });
    return {
      name: test.name,
      questions: [
        ...(permission !== undefined && expect !== undefined ? [ask(permission, expect)] : []),
        ...test.allow.map((each) => ask(each, 'allow')),
        ...test.deny.map((each) => ask(each, 'deny')),
      ],
    };
  });
  return {
    source,
    manifest,
    tests,
    problemsWith: (manifest) => [
      ...written.flatMap((test, position) =>
        questionProblems(tests[position]?.questions ?? [], test, ['tests', position], manifest),
      ),
      ...(tests.length === 0 ? [{ path: [], message: 'there are no tests in it: give a list, tests' }] : []),
    ],
  };
}

export interface TestFile {
  readonly source: Source;
  /** What the tests ask about; undefined when they ask a table that exists. */
  readonly manifest: PreparedManifest | undefined;
  /** Throws ProblemsError with problems of the manifest, where they are: in this file, or in one that it names. */
  readonly assertManifest: (problems: readonly Problem[]) => void;
  readonly tests: readonly ModelTest[];
}

/**
 * Reads a file of model tests. Throws ProblemsError with everything that can be seen without a table.
 *
 * @param open reads another file, by the path that this one says from its own folder
 */
export async function readTestFile(
  source: Source,
  open: (path: string) => Promise<Source> = noOtherFile,
): Promise<TestFile> {
  const { manifest: given, tests, problemsWith } = readTests(source);
  const named = typeof given === 'string' ? await open(given) : undefined;
  const data = named ? named.data : given;
  const manifest = data === undefined ? undefined : await prepareManifest(data);
  const assertManifest = (problems: readonly Problem[]): void =>
    named ? assertNone(named, problems) : assertNone(source, inManifest(problems));
  // Without it, names in tests lead nowhere.
  if (manifest && (named || !manifest.manifest)) assertManifest(manifest.problems);
  assertNone(source, [...inManifest(manifest?.problems ?? []), ...problemsWith(manifest?.manifest)]);
  return { source, manifest, assertManifest, tests };
}

const noOtherFile = (file: string): Promise<never> =>
  Promise.reject(new ProblemsError([{ file, message: 'no other file can be read here' }]));

/** Problems of the manifest, with their paths in the file. */
const inManifest = (problems: readonly Problem[]): readonly Problem[] =>
  problems.map((problem) => ({ ...problem, path: ['manifest', ...problem.path] }));

type Written = z.infer<typeof modelTest>;

function actingIn({ actor, mandate }: Written): Question['actor'] {
  if (actor === undefined) return undefined;
  return { subject: actor, mandate: mandate && `mandate:${mandate.replace(/^mandate:/, '')}` };
}

function givenIn({ properties: of, context, resource }: Written): Given {
  const colon = resource?.indexOf(':') ?? 0;
  const object = resource && { type: resource.slice(0, colon), id: resource.slice(colon + 1) };
  return {
    subject: of?.subject && { properties: of.subject },
    resource: object || of?.resource ? { ...(object || {}), properties: of?.resource } : undefined,
    action: of?.action && { properties: of.action },
    context,
  };
}

/** Names in a test that lead nowhere, unless that is what it expects. */
function questionProblems(
  questions: readonly Question[],
  test: Written,
  path: Path,
  manifest: Manifest | undefined,
): readonly Problem[] {
  const problems: Problem[] = [];
  const { subject, actor, mandate, scope, expect } = test;
  const look = (at: Path, what: string, word: string, known: readonly string[], reason: Reason) => {
    if (expect !== reason && !known.includes(word))
      problems.push({ path: [...path, ...at], message: `there is no ${what} ${word}: ${hint(word, known)}` });
  };
  // Without a manifest, names are looked up in the table.
  if (!manifest) return problems;
  const { scopes, pages, permissions: named } = manifest;
  const subjects = PEOPLE.flatMap((section) => Object.keys(manifest[section]));
  look(['subject'], 'subject', subject, subjects, 'subject_unknown');
  if (actor !== undefined) look(['actor'], 'subject', actor, subjects, 'actor_unknown');
  if (mandate !== undefined)
    problems.push({
      path: [...path, 'mandate'],
      message: 'no manifest holds a mandate: ask a table, in a file without manifest',
    });
  look(['scope'], 'scope', scope, Object.keys(scopes), 'scope_unknown');
  const permissions = [...Object.keys(pages), ...Object.keys(named)];
  for (const { permission } of questions) {
    const place: Path =
      test.permission !== undefined
        ? ['permission']
        : test.allow.includes(permission)
          ? ['allow', test.allow.indexOf(permission)]
          : ['deny', test.deny.indexOf(permission)];
    look(place, 'page or permission', permission, permissions, 'permission_unknown');
  }
  return problems;
}
