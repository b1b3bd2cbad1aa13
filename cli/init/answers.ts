import { isBuiltIn, mayBeScopeType, SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { normaliseEmail } from '../../table/normalise.ts';
import { readPermissionName } from '../../table/permission-name.ts';

/** What a first manifest is made from. */
export interface Answers {
  /** The type of the roots: what a customer is called. */
  readonly root: string;
  /** A page, or a permission as module:action:resource. */
  readonly protect: string;
  readonly email: string;
}

export interface Question {
  readonly text: string;
  /** The answer of those who press Enter. */
  readonly usual: string;
  /** The answer as it is used. */
  readonly tidy: (answer: string) => string;
  /** What is wrong with an answer; undefined for a right one. */
  readonly problem: (answer: string) => string | undefined;
}

/** By the rule of the table. */
function emailProblem(answer: string): string | undefined {
  try {
    normaliseEmail(answer, answer);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The three questions, by the field of their answer. */
export const QUESTIONS: Readonly<Record<keyof Answers, Question>> = {
  root: {
    text: 'What do you call a customer of your product, whose data others never see? (tenant, company, school, …)',
    usual: 'tenant',
    tidy: (answer) => answer.toLowerCase().replaceAll(' ', '-'),
    problem: (answer) => {
      if (!mayBeScopeType(answer)) return `${answer} cannot be a type of places: give one lower-case word`;
      if (!isBuiltIn(answer) || SCOPE_TYPES[answer]?.root) return undefined;
      return `a ${answer} is always below ${SCOPE_TYPES[answer]?.parents.join(' or ')}: give another word`;
    },
  },
  protect: {
    text: 'What is to be protected first? A page (reports), or module:action:resource (orders:read:order)',
    usual: 'reports',
    tidy: (answer) => answer,
    problem: (answer) =>
      readPermissionName(answer) ? undefined : `${answer} is neither a page nor module:action:resource`,
  },
  email: {
    text: 'Who may use it? The email of a first user',
    usual: 'ann@example.com',
    tidy: (answer) => answer.toLowerCase(),
    problem: emailProblem,
  },
};

export const FIELDS = ['root', 'protect', 'email'] as const;
