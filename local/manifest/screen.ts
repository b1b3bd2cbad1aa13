import { explorerLine } from '../explorer/stack.ts';
import { quoted, secondTerminal, tableLine, tokenFor } from '../screen.ts';
import { isOfHttpApi } from './apis.ts';
import type { ExampleRequest } from './examples.ts';
import type { ManifestStack } from './stack.ts';

/** The most people and places that are shown. */
const MAX_SHOWN = 20;

/** Names with their references, as lines. */
function lines(names: readonly (readonly [name: string, ref: string])[]): readonly string[] {
  const shown = names.slice(0, MAX_SHOWN);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  const rest = names.length - shown.length;
  return [
    ...shown.map(([name, ref]) => `  ${name.padEnd(width)}  ${ref}`),
    ...(rest > 0 ? [`  … and ${rest} more`] : []),
  ];
}

/** The screen of a manifest's stack: addresses, what a second terminal takes, people, places, requests to paste. */
export function describeManifest(stack: ManifestStack, cacheTtlSeconds: number): string {
  const { file, url, lambdaUrl, explorer, applied, backend, examples } = stack;
  const { names, manifest } = applied;
  const people = [...names.of('subject')].filter(([, ref]) => /^(?:technical-)?user:/.test(ref));
  const routes = manifest.routes.filter(isOfHttpApi);
  const others = manifest.routes.length - routes.length;
  const service = backend
    ? `in front of ${backend.origin}`
    : 'and an echo of each allowed request (or --backend URL)';
  const request = ({ caller, method, path, headers }: ExampleRequest): string =>
    [
      `curl -i${method === 'GET' ? '' : ` -X ${method}`} ${quoted(`${url}${path}`)}`,
      `-H "Authorization: Bearer ${tokenFor(url, caller)}"`,
      ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ].join(' ');
  const { allowed, refused } = examples;
  const [first] = [allowed, refused].filter((each) => each !== undefined);
  const lasting = cacheTtlSeconds === 0 ? 'at once' : `after at most ${cacheTtlSeconds} s`;
  return [
    '',
    `Gatehouse on this machine, with ${file}`,
    '',
    `  gateway            ${url}                ${count(routes.length, 'route')} ${service}`,
    `  identity provider  ${url}/_dev/token     POST {"user": "<name or email>"}`,
    `  permissions        ${url}/_dev/permissions?scope=…   what the caller of a token may do there`,
    explorerLine(explorer),
    `  AuthZEN API        ${url}/access/v1      for callers who may gatehouse:evaluate:decision`,
    `  Lambda Invoke API  ${lambdaUrl}                functions: provisioning, authorizer, authorizer-policy`,
    `  DynamoDB           ${tableLine(stack)}`,
    '',
    secondTerminal(
      stack,
      first
        ? `check ${quoted(first.caller.includes('@') ? first.caller : first.subjectRef)} ${first.permission} ${quoted(first.scopeRef)}`
        : `plan ${quoted(file)}`,
      `plan ${quoted(file)}`,
    ),
    '',
    people.length > 0 ? 'Who may log in' : 'Nobody may log in: the manifest has no users',
    ...lines(people),
    '',
    'Where',
    ...lines([...names.of('scope')]),
    '',
    ...(allowed
      ? [
          `Allowed (200): ${allowed.caller}, ${allowed.permission} at ${allowed.scope}`,
          `  ${request(allowed)}`,
          '',
        ]
      : []),
    ...(refused
      ? [
          `Refused (403, ${refused.reason}): ${refused.caller}, ${refused.permission} at ${refused.scope}`,
          `  ${request(refused)}`,
          '',
        ]
      : []),
    ...missing(routes.length, stack),
    ...(others > 0 ? [`Not served here: ${count(others, 'route')} for CONNECT or GRAPHQL.`] : []),
    `When you save ${file}, it is applied, and takes effect ${lasting}. Ctrl-C ends everything.`,
    '',
  ].join('\n');
}

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;

/** What no request was found for. */
function missing(routes: number, { examples: { allowed, refused } }: ManifestStack): readonly string[] {
  if (routes === 0)
    return ['No request to paste: the manifest has no routes. Without one, all are refused (403).', ''];
  if (allowed && refused) return [];
  const what = allowed ? 'refused' : refused ? 'allowed' : 'allowed, and none refused,';
  return [`No request was found that is ${what} for the people, places and routes of the manifest.`, ''];
}
