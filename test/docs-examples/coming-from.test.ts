import { subject as objectOf } from '@casl/ability';
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import { expect, test } from 'vitest';
import { abilityOf, type User } from '../../docs/examples/coming-from/casl.ts';
import { type Claims, may } from '../../docs/examples/coming-from/cognito-groups.ts';
import { answersOf, exampleText, textOf } from './coming-from.ts';

/** What docs/coming-from says: a peer's model and ours give the same answers. Each is asked in its own engine. */
const ACTION = /^\w+:(\w+):(\w+)$/;

test('CASL', async () => {
  const users: readonly User[] = [
    { id: 'ann', roles: ['reader', 'editor'] },
    { id: 'ben', roles: ['reader', 'writer'] },
    { id: 'cleo', roles: ['reader'] },
  ];
  for (const [question, allowed] of await answersOf('casl')) {
    const [, action = ''] = ACTION.exec(question.permission) ?? [];
    const user = users.find(({ id }) => id === question.subject) as User;
    const article = objectOf('Article', { ...question.given.resource?.properties });
    expect(abilityOf(user).can(action, article), textOf(question)).toBe(allowed);
  }
});

test('casbin', async () => {
  const model = newModelFromString(exampleText('casbin.conf'));
  const enforcer = await newEnforcer(model, new StringAdapter(exampleText('casbin.csv')));
  for (const [question, allowed] of await answersOf('casbin')) {
    const [, action, object] = ACTION.exec(question.permission) ?? [];
    const answer = await enforcer.enforce(question.subject, question.scope, object, action);
    expect(answer, textOf(question)).toBe(allowed);
  }
});

test("Cognito's groups", async () => {
  const groupsOf: Readonly<Record<string, readonly string[]>> = { ann: ['admins'], ben: ['editors'] };
  const actions: Readonly<Record<string, (claims: Claims) => boolean>> = may;
  const compare = async (name: string, claimsOf: (question: Asked) => Claims) => {
    for (const [question, allowed] of await answersOf(name)) {
      const [, action = ''] = ACTION.exec(question.permission) ?? [];
      expect(actions[action]?.(claimsOf(question)), textOf(question)).toBe(allowed);
    }
  };
  await compare('cognito-groups', ({ subject }) => ({
    sub: subject,
    'cognito:groups': groupsOf[subject] ?? [],
  }));
  await compare('cognito-groups.claims', ({ subject, given }) => ({
    sub: subject,
    ...(given.context?.claims as object),
  }));
});

type Asked = Awaited<ReturnType<typeof answersOf>>[number][0];
