import { parseConfiguration } from '../../authorizer/configuration.ts';
import { hint } from '../../table/similar-words.ts';

/** Parameters of the stack that no function's environment has. */
export interface StackParameters {
  readonly DecisionLogTo: string;
  readonly DecisionLogStreamArn: string;
  readonly TableName: string;
  readonly TableStreamArn: string;
  readonly AuditStorage: string;
  readonly LiveRevocation: string;
}

/**
 * Checks the stack's parameters before it is packaged: Serverless ignores those that serverless.yml does not have,
 * and an authorizer whose configuration is wrong does not start, so the stack would refuse everybody.
 *
 * @param given `name=value`, as the option `--param` has them
 * @param declared the names in serverless.yml
 * @param environment the authorizer's, with all parameters filled in
 * @param stack the stack's own, filled in
 * @throws Error with one line for each mistake
 */
export function checkParameters(
  given: readonly string[],
  declared: readonly string[],
  environment: Readonly<Record<string, unknown>>,
  stack: StackParameters,
): void {
  const unknown = given
    .map((each) => each.split('=', 1)[0] ?? '')
    .filter((name) => !declared.includes(name))
    .map((name) => `--param ${name}: there is no such parameter; ${hint(name, declared)}`);
  if (unknown.length > 0) throw new Error(unknown.join('\n'));
  if (stack.DecisionLogTo === 'firehose' && stack.DecisionLogStreamArn === '')
    throw new Error('--param decisionLogTo=firehose needs the ARN of your stream: decisionLogStreamArn');
  // Without it the stack would delete what reads the stream of the table before, without a word.
  const readsStream = String(stack.AuditStorage) === 'true' || String(stack.LiveRevocation) === 'true';
  if (readsStream && stack.TableName !== '' && stack.TableStreamArn === '')
    throw new Error('--param tableName with auditStorage or liveRevocation needs tableStreamArn');
  const texts = Object.entries(environment).map(([name, value]) => [name, String(value)]);
  try {
    // The name of the table is known when the stack is deployed.
    parseConfiguration({ ...Object.fromEntries(texts), TABLE_NAME: 'gatehouse' });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(
      `the authorizer would not start: ${message}. Its variables are set by --param: docs/deployment.md`,
    );
  }
}
