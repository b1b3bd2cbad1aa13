import { batchesOf } from '../../table/reader.ts';
import { testEngine } from '../../testing/test-engine.ts';

/** What another product's files come to. An import never widens: what is left out refuses. */
export interface Imported {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly left: readonly Left[];
  /** What can be asked of both, in the names of the manifest. */
  readonly questions: Questions;
  /** Asks the product itself; undefined where it does not run here. */
  readonly ask?: ((question: Question) => Promise<boolean>) | undefined;
  /** Ends what answers. */
  readonly close?: (() => Promise<unknown>) | undefined;
}

/** What an import is told beside the files. */
export interface ImportOptions {
  /** The tenant, where the other product has none. */
  readonly tenant: string;
  /** The module of the permissions, of Casbin and Cognito. */
  readonly module: string;
  /** A server of OpenFGA, which is asked as well. */
  readonly server: string | undefined;
}

/** What could not be said. */
interface Left {
  /** The line, tuple or object as it is in the file. */
  readonly what: string;
  readonly reason: string;
}
export type Leave = (what: string, reason: string) => void;

/** What could not be said so far, and what adds to it. */
export function createLeft(): { readonly left: readonly Left[]; readonly leave: Leave } {
  const left: Left[] = [];
  return { left, leave: (what, reason) => void left.push({ what, reason }) };
}

export interface Question {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
}

/** So many that they are made when they are asked. */
export interface Questions {
  readonly count: number;
  readonly at: (position: number) => Question;
}

/** Each subject, with each permission, at each scope. */
export const questionsOf = (
  subjects: readonly string[],
  permissions: readonly string[],
  scopes: readonly string[],
): Questions => ({
  count: subjects.length * permissions.length * scopes.length,
  at: (position) => {
    const row = Math.floor(position / permissions.length);
    return {
      subject: subjects[Math.floor(row / scopes.length)] as string,
      scope: scopes[row % scopes.length] as string,
      permission: permissions[position % permissions.length] as string,
    };
  },
});

/** The answers of both, where they are known. */
export interface Compared {
  readonly tests: readonly Readonly<Record<string, unknown>>[];
  readonly asked: number;
  /** Allowed there and refused here. */
  readonly narrower: readonly Question[];
  /** Refused there and allowed here: the import is wrong. */
  readonly wider: readonly Question[];
}

/** Questions that are asked of both; of more than that, evenly drawn ones. */
const MOST_QUESTIONS = 2_000;
/** Questions that the product is asked side by side. */
const AT_ONCE = 20;

/** Asks both, and writes the product's own answers down as model tests. */
export async function compared({ manifest, questions, ask }: Imported): Promise<Compared | undefined> {
  if (ask === undefined) return undefined;
  const { check } = await testEngine(manifest);
  const step = Math.max(1, questions.count / MOST_QUESTIONS);
  const drawn = Array.from({ length: Math.min(questions.count, MOST_QUESTIONS) }, (_, n) =>
    questions.at(Math.floor(n * step)),
  );
  const narrower: Question[] = [];
  const wider: Question[] = [];
  const tests = new Map<string, { subject: string; scope: string; allow: string[]; deny: string[] }>();
  for (const some of batchesOf(drawn, AT_ONCE)) {
    const theirs = await Promise.all(some.map(ask));
    for (const [position, question] of some.entries()) {
      const { subject, permission, scope } = question;
      const { allowed } = await check(subject, permission, scope);
      const isAllowed = theirs[position] === true;
      if (allowed && !isAllowed) wider.push(question);
      if (!allowed && isAllowed) narrower.push(question);
      const key = JSON.stringify([subject, scope]);
      const test = tests.get(key) ?? { subject, scope, allow: [], deny: [] };
      tests.set(key, test);
      test[isAllowed ? 'allow' : 'deny'].push(permission);
    }
  }
  return { tests: [...tests.values()], asked: drawn.length, narrower, wider };
}
