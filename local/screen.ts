import { isLoopback } from '../table/loopback.ts';
import type { Addresses } from './stack.ts';
import { memoryNotice } from './table.ts';

/** Text for a shell: one word, whatever it holds. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A shell's expression for the token of a user or a program of this stack. */
export function tokenFor(url: string, name: string): string {
  const body = quoted(JSON.stringify({ user: name }));
  return `$(curl -s ${url}/_dev/token -d ${body} | sed 's/.*access_token":"\\([^"]*\\).*/\\1/')`;
}

/**
 * What to type in a second terminal: `export` lines for the command line and for a service of one's own, and a command.
 * Where the table is in memory, commands go to the provisioning function instead.
 *
 * @param onTable a subcommand that reads the table, with its arguments
 * @param throughFunction one that a function can answer
 */
export function secondTerminal(
  { dynamodb, table, lambdaUrl, issuer, audience }: Addresses,
  onTable: string,
  throughFunction: string,
): string {
  const tokens = `export TOKEN_ISSUER=${issuer} TOKEN_AUDIENCE=${audience}`;
  const lines =
    dynamodb === undefined
      ? [
          tokens,
          `npx gatehouse-authz ${throughFunction} --function provisioning --lambda-endpoint ${lambdaUrl}`,
        ]
      : [
          `export TABLE_NAME=${quoted(table)} DYNAMODB_ENDPOINT=${dynamodb}`,
          ...(isLoopback(new URL(dynamodb).hostname) ? [] : [CREDENTIALS]),
          tokens,
          `npx gatehouse-authz ${onTable}`,
        ];
  return [
    ...(dynamodb === undefined ? [memoryNotice(), ''] : []),
    'In a second terminal',
    ...lines.map((line) => `  ${line}`),
  ].join('\n');
}

/** DynamoDB Local takes any; to this machine itself the SDK is given these without being asked. */
const CREDENTIALS = 'export AWS_REGION=eu-central-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local';

/** The line of the table among the addresses. */
export const tableLine = ({ dynamodb, table }: Addresses): string =>
  dynamodb === undefined
    ? `(in memory)                          table ${table}`
    : `${dynamodb}                table ${table}`;
