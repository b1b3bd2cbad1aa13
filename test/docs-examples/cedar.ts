import { text } from 'node:stream/consumers';
import { type EntityJson, isAuthorized } from '@cedar-policy/cedar-wasm/nodejs';

/** A process with Cedar: policies, entities and questions in JSON on the standard input, its answers out. */
interface Input {
  readonly policies: string;
  readonly entities: EntityJson[];
  readonly questions: readonly (readonly [principal: string, action: string, page: string])[];
}

const { policies, entities, questions }: Input = JSON.parse(await text(process.stdin));
const answers = questions.map(([principal, action, page]) => {
  const answer = isAuthorized({
    principal: { type: 'User', id: principal },
    action: { type: 'Action', id: action },
    resource: { type: 'Page', id: page },
    context: {},
    policies: { staticPolicies: policies },
    entities,
  });
  if (answer.type === 'failure') throw new Error(JSON.stringify(answer.errors));
  if (answer.response.diagnostics.errors.length > 0)
    throw new Error(JSON.stringify(answer.response.diagnostics.errors));
  return answer.response.decision === 'allow';
});
process.stdout.write(JSON.stringify(answers));
