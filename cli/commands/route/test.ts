import { isConnection, isVerb } from '../../../authorizer/routes/rule.ts';
import {
  type MissingValue,
  type Trial,
  type TriedRequest,
  tryRequest,
  valuesByName,
} from '../../../authorizer/routes/try.ts';
import { type Actor, createEngine, type Decision, type Given } from '../../../engine/index.ts';
import { type Route, requirementText } from '../../../provisioning/index.ts';
import { defined } from '../../../table/defined.ts';
import { ACTING, actorOf } from '../../acting.ts';
import { type Paint, UsageError, verdict } from '../../context.ts';
import { ASKED } from '../../given.ts';
import { argument, repeated, SUBJECT, text, type ValuesOf } from '../../options.ts';
import { columns, section } from '../../print.ts';
import { openSender } from '../../provisioning.ts';
import { assertAsked, namesIn, referenceOf } from '../../references.ts';
import { apiOf, routeData, routesOf } from '../../routes/routes.ts';
import { API } from '../../routes/subcommands.ts';
import { type Suggestion, suggestRoutes } from '../../routes/suggestions.ts';
import { subcommand } from '../../subcommand.ts';

const OPTIONS = {
  header: repeated('<name=value>', 'a header; may be repeated'),
  claim: repeated('<name=value>', 'a claim of the token; may be repeated'),
  query: repeated('<name=value>', 'a parameter of the query string; may be repeated'),
  subject: text('<subject>', SUBJECT),
  ...ACTING,
  ...ASKED,
  ...API,
};
type TestOptions = ValuesOf<typeof OPTIONS>;

/** `gatehouse route test`: what a request means, by the code of the authorizer. */
export const addTry = subcommand({
  name: 'test',
  summary: 'show which route, permission and scope a request matches',
  description: 'Shows which route a request matches and what it needs and, with --subject, the decision.',
  arguments: [
    argument('<method>', 'the method of the request, such as GET'),
    argument('<path>', 'the path of the request without a stage, with or without a query string'),
  ],
  options: OPTIONS,
  examples: `  gatehouse route test GET /projects/01M7YAMY51QT61RYW2RQE37W98/tasks
  gatehouse route test GET /reports --claim tenant_id=01M7… --subject tina@school.example`,
  run: async ([method, path], options, context) => {
    const { now } = context;
    const { at = now() } = options;
    if (options.at !== undefined && at < now())
      throw new UsageError(
        '--at is before now, and routes are those of now: gatehouse check takes the table as it was',
      );
    if (options.subject === undefined && (options.actor ?? options.mandate) !== undefined)
      throw new UsageError('who acts, acts for --subject: give --subject too');
    const request = readRequest(method, path, options);
    const api = apiOf(options);
    const sender = await openSender(options, context);
    const reader = options.subject === undefined ? undefined : sender.reader();
    const typed = { label: '--subject', kind: 'subject' } as const;
    const subject = reader && (await referenceOf(namesIn(reader), typed, options.subject));
    const actor = reader && (await actorOf(reader, options));
    const routes = await routesOf(sender, api);
    const { trial, others } = tryRequest(routes, request);
    const suggestions = trial ? [] : suggestRoutes(routes, request.method, request.path);
    const question = trial?.question;
    const isAsked = subject !== undefined && reader !== undefined && question !== undefined;
    const decision = !isAsked
      ? undefined
      : actor && isConnection(method)
        ? CANNOT_CONNECT
        : await createEngine({ reader, clock: { now } }).check(subject, question.permission, question.scope, {
            ...givenFor(request, trial?.path, options.given),
            at,
            actor,
            prefetch: trial?.prefetched,
          });
    // The permission and the scope come from the route and the request.
    if (reader && decision && decision.reason !== 'actor_cannot_connect')
      await assertAsked(reader, decision.reason, { subject, actor });
    const known = routes.length;
    const result = { api, request, subject, actor, trial, others, suggestions, decision, known };
    return {
      data: dataOf(result),
      text: (paint) => textOf(result, paint),
      refused: question === undefined || decision?.allowed === false,
    };
  },
});

/** What the authorizer answers, whatever the engine would decide. */
const CANNOT_CONNECT = { allowed: false, reason: 'actor_cannot_connect' } as const;

interface Result {
  readonly api: string;
  readonly request: TriedRequest;
  readonly subject: string | undefined;
  readonly actor: Actor | undefined;
  readonly trial: Trial<Route> | undefined;
  readonly others: readonly Route[];
  readonly suggestions: readonly Suggestion[];
  readonly decision: Decision | typeof CANNOT_CONNECT | undefined;
  /** How many routes the API has. */
  readonly known: number;
}

/** What conditions look at, as the authorizer gives it, where `--given` does not say otherwise. */
const givenFor = (
  { method, claims }: TriedRequest,
  path: string | undefined,
  given: Given | undefined,
): Given => ({
  ...given,
  context: { ...(isVerb(method) ? { method, path } : {}), claims, ...given?.context },
});

function readRequest(method: string, path: string, options: TestOptions): TriedRequest {
  if (method === 'ANY')
    throw new UsageError('METHOD ANY is for routes: a request has one method, such as GET');
  if (!path.startsWith('/')) throw new UsageError(`PATH ${path} does not begin with /`);
  const [before = '', ...after] = path.split('?');
  const pairs = (option: string, texts: readonly string[]): readonly (readonly [string, string])[] =>
    texts.map((text) => {
      const equals = text.indexOf('=');
      if (equals < 1) throw new UsageError(`${option} ${text} is not of the form name=value`);
      return [text.slice(0, equals), text.slice(equals + 1)];
    });
  const claims = pairs('--claim', options.claim);
  const twice = claims.find(([name], position) => claims.findIndex(([other]) => other === name) !== position);
  if (twice) throw new UsageError(`--claim ${twice[0]} is given twice: a token holds a claim once`);
  return {
    method,
    path: before,
    claims: Object.fromEntries(claims),
    headers: valuesByName(
      pairs('--header', options.header).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    query: valuesByName([...new URLSearchParams(after.join('?')), ...pairs('--query', options.query)]),
  };
}

/** Which value is missing or not valid, and how to give one. */
const missingText = ({ kind, name, message, isAbsent }: MissingValue): string =>
  isAbsent ? `${message}: give one with --${kind} ${name}=VALUE` : message;

const routeText = (route: Route): readonly string[] => [
  `${route.method} ${route.path}`,
  requirementText(route),
  `(${route.id})`,
];

function textOf(result: Result, paint: Paint): string {
  const { request, trial, others, suggestions, subject, actor, decision, known, api } = result;
  const head = [`request     ${request.method} ${request.path}`];
  if (!trial) {
    const none =
      known === 0
        ? [`the API ${api} has no routes: see gatehouse route add, and --api`]
        : suggestions.map(({ why, route }) => `${routeText(route).join('  ')}: ${why}`);
    return `${[paint('red', 'NO ROUTE (route_unmapped)'), ...head, ...section('suggestions', none.length > 0 ? none : [`none of ${known} routes is similar: see gatehouse route list`])].join('\n')}\n`;
  }
  const { route, parameters, question, prefetched, missing } = trial;
  const given = Object.entries(parameters).map(([name, value]) => `${name} = ${value}`);
  const state = question ? paint('green', 'MATCHED') : paint('red', 'NO VALUE (route_unresolved)');
  const decided = decision
    ? [
        `subject     ${subject}`,
        ...(actor ? [`actor       ${actor.subject}${actor.mandate ? ` (${actor.mandate})` : ''}`] : []),
        `decision    ${verdict(paint, decision.allowed)} (${decision.reason})`,
      ]
    : [];
  return `${[
    state,
    ...head,
    `route       ${route.method} ${route.path} (${route.id})`,
    ...(given.length > 0 ? [`parameters  ${given.join(', ')}`] : []),
    `permission  ${question?.permission ?? route.permission}`,
    `scope       ${question?.scope ?? route.scope}`,
    ...(prefetched.length > 0 ? [`prefetched  ${prefetched.join(', ')}`] : []),
    ...decided,
    ...section('missing values', missing.map(missingText)),
    ...section('other routes that match, in the order of precedence', columns(others.map(routeText))),
  ].join('\n')}\n`;
}

const dataOf = ({ api, request, subject, actor, trial, others, suggestions, decision }: Result) => ({
  matched: trial !== undefined,
  ...(trial ? (trial.question ? {} : { reason: 'route_unresolved' }) : { reason: 'route_unmapped' }),
  api,
  method: request.method,
  path: request.path,
  ...(trial
    ? {
        route: routeData(trial.route),
        parameters: trial.parameters,
        ...trial.question,
        ...(trial.prefetched.length > 0 ? { prefetched: trial.prefetched } : {}),
        ...(trial.missing.length > 0 ? { missing: trial.missing.map(missingText) } : {}),
        others: others.map(routeData),
      }
    : { suggestions: suggestions.map(({ why, route }) => ({ why, route: routeData(route) })) }),
  ...(decision ? { subject, ...defined({ actor }), allowed: decision.allowed, reason: decision.reason } : {}),
});
