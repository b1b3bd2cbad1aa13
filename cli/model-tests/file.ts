import * as z from 'zod';
import { DENIED, type Reason } from '../../engine/decision.ts';
import { isRef } from '../../table/identifiers.ts';
import { assertNone, type Path, type Problem, problemsOf, type Source } from '../document.ts';
import { isSubjectRef } from '../question.ts';
import { hint } from '../suggestions.ts';
import { instant, list, name, names, object, permissionName } from '../world/fields.ts';
import { referenceProblems } from '../world/references.ts';
import { type World, worldSchema } from '../world/schema.ts';

/** `deny` is the refusal of something that is there: what is unknown has to be expected by its reason. */
export type Expectation = 'allow' | 'deny' | Reason;

const REASONS: readonly string[] = [
  'role',
  'admin',
  ...Object.keys(DENIED).filter((each) => each !== 'credential_refused'),
];
const EXPECTATIONS: readonly string[] = ['allow', 'deny', ...REASONS];

const expectation = z.string('must be allow, deny or a reason').superRefine((value, context) => {
  if (!EXPECTATIONS.includes(value))
    context.addIssue(`${value} is neither allow, deny nor a reason: ${hint(value, EXPECTATIONS)}`);
});

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
  scope: name,
  at: instant.optional(),
  permission: z.string('must be a permission').pipe(permissionName).optional(),
  expect: expectation.optional(),
  allow: names(permissionName),
  deny: names(permissionName),
}).superRefine(({ permission, expect, allow, deny }, context) => {
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
        message: `${each} stands in allow as well`,
      });
});

const fileSchema = object({
  /** For all tests that do not say otherwise. */
  at: instant.optional(),
  world: worldSchema.optional(),
  tests: list(modelTest),
});

/** One question with the answer that is expected. */
export interface Question {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  /** ISO 8601; the time of the run when left out. */
  readonly at: string | undefined;
  readonly expect: Expectation;
}

export interface ModelTest {
  readonly name: string | undefined;
  readonly questions: readonly Question[];
}

export interface TestFile {
  readonly source: Source;
  /** Undefined when a table that is there already is asked. */
  readonly world: World | undefined;
  readonly tests: readonly ModelTest[];
}

/** Reads a file of model tests. Throws ProblemsError with everything that can be seen without a table. */
export function readTestFile(source: Source): TestFile {
  const parsed = fileSchema.safeParse(source.data);
  if (!parsed.success) {
    assertNone(source, problemsOf(parsed.error));
    throw parsed.error;
  }
  const { at, world, tests } = parsed.data;
  const read = tests.map((test): ModelTest => {
    const { subject, scope, permission, expect } = test;
    const ask = (each: string, expected: string): Question => ({
      ...{ subject, scope, permission: each, at: test.at ?? at },
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
  assertNone(source, [
    ...(world ? referenceProblems(world).map((each) => ({ ...each, path: ['world', ...each.path] })) : []),
    ...tests.flatMap((test, position) =>
      questionProblems(read[position]?.questions ?? [], test, ['tests', position], world),
    ),
    ...(tests.length === 0 ? [{ path: [], message: 'there are no tests in it: give a list, tests' }] : []),
  ]);
  return { source, world, tests: read };
}

type Written = z.infer<typeof modelTest>;

/** Names in a test that lead nowhere, unless that is what it expects. */
function questionProblems(
  questions: readonly Question[],
  test: Written,
  path: Path,
  world: World | undefined,
): readonly Problem[] {
  const problems: Problem[] = [];
  const { subject, scope, expect } = test;
  const look = (at: Path, what: string, word: string, known: readonly string[], reason: Reason) => {
    if (expect !== reason && !known.includes(word))
      problems.push({ path: [...path, ...at], message: `there is no ${what} ${word}: ${hint(word, known)}` });
  };
  if (!world) {
    if (!isSubjectRef(subject))
      problems.push({
        path: [...path, 'subject'],
        message: 'without a world, it is user:ID or technical-user:ID',
      });
    if (!isRef(scope))
      problems.push({ path: [...path, 'scope'], message: 'without a world, it is type:ID, as location:ID' });
    return problems;
  }
  const subjects = [...Object.keys(world.users), ...Object.keys(world.technicalUsers)];
  look(['subject'], 'subject', subject, subjects, 'subject_unknown');
  look(['scope'], 'scope', scope, Object.keys(world.scopes), 'scope_unknown');
  const permissions = [...Object.keys(world.pages), ...Object.keys(world.permissions)];
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
