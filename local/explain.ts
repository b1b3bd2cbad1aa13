import {
  createExplainer,
  type ExplainerOptions,
  type Explanation,
  formatExplanation,
} from '../engine/index.ts';
import { createClient } from '../table/client.ts';
import { createReader } from '../table/read/reader.ts';

/**
 * `npm run explain -- SUBJECT PERMISSION SCOPE [--json]`: why this subject may do this there, or why not. Reads the
 * table TABLE_NAME at DYNAMODB_ENDPOINT, or at AWS when that is not set.
 */
export const USAGE = `usage: npm run explain -- SUBJECT PERMISSION SCOPE [--json]
  SUBJECT     user:ID or technical-user:ID
  PERMISSION  a page (dashboard) or module:action:resource
  SCOPE       type:ID, as location:ID
environment: TABLE_NAME (needed), DYNAMODB_ENDPOINT (AWS when left out)
exit code: 0 allowed, 1 refused, 2 wrong use or fault`;

export const ALLOWED = 0;
export const REFUSED = 1;
export const FAILED = 2;

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Whether the output is a terminal that shows colours. */
  readonly colours?: boolean;
}

/** @returns the exit code */
export async function runExplain(args: readonly string[], around: Surroundings): Promise<number> {
  const { env, out, error, colours = false } = around;
  const refuse = (message: string): number => {
    error(`explain: ${message}\n${USAGE}\n`);
    return FAILED;
  };
  const options = args.filter((arg) => arg.startsWith('--'));
  const unknown = options.find((option) => option !== '--json');
  if (unknown !== undefined) return refuse(`unknown option ${unknown}`);
  const [subject, permission, scope, ...more] = args.filter((arg) => !arg.startsWith('--'));
  if (!subject || !permission || !scope || more.length > 0)
    return refuse('SUBJECT, PERMISSION and SCOPE are needed, and nothing else');
  const { TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint } = env;
  if (!table) return refuse('environment variable TABLE_NAME is not set');
  if (endpoint && !URL.canParse(endpoint))
    return refuse('environment variable DYNAMODB_ENDPOINT is not a URL');
  try {
    const reader = createReader({ client: createClient(endpoint ? { endpoint } : {}), table });
    const clock: ExplainerOptions['clock'] = { now: Date.now };
    const explanation: Explanation = await createExplainer({ reader, clock }).explain(
      subject,
      permission,
      scope,
    );
    out(
      options.length > 0
        ? `${JSON.stringify(explanation, null, 2)}\n`
        : formatExplanation(explanation, { colours }),
    );
    return explanation.allowed ? ALLOWED : REFUSED;
  } catch (fault) {
    error(`explain: ${fault instanceof Error ? fault.message : String(fault)}\n`);
    return FAILED;
  }
}
