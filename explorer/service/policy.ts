import type * as z from 'zod';
import {
  callerPolicy,
  createApiRoutes,
  evaluate,
  INVOKE_ACTION,
  isConnection,
  isOfOneSpelling,
  isVerb,
  type NoPolicy,
  type RouteRule,
  resolve,
  rulesOf,
  tryRequest,
  valuesByName,
} from '../../authorizer/policies/index.ts';
import type { Decision, Engine, Given } from '../../engine/index.ts';
import { formatPathTemplate, formatTemplate, type Reader } from '../../table/index.ts';
import type { INPUTS } from './method-inputs.ts';

/** The IAM policy that the authorizer gives a caller for an API, and requests tried against it and against the routes. */

/** The ARN of an API that is nowhere, up to and including the slash after its stage: the shape is that of any. */
const BASE = 'arn:aws:execute-api:eu-west-1:111122223333:abcdef123/live/';

/** Who calls which API; the claims are those of the caller's token, and count as verified. */
type Call = z.output<typeof INPUTS.policy>;
/** A request of a caller. Its path is without a stage, with or without a query string. */
type TriedCall = z.output<typeof INPUTS.tryRoute>;
type Claims = NonNullable<Call['claims']>;

type Policies = ReturnType<typeof createPolicies>;
export type PolicyShown = Awaited<ReturnType<Policies['policyShown']>>;
export type CoveredRoute = PolicyShown['routes'][number];
export type RouteTrial = Awaited<ReturnType<Policies['tryRoute']>>;

interface PoliciesParts {
  readonly reader: Reader;
  readonly engine: Pick<Engine, 'check' | 'checkMany' | 'checkAsked'>;
  readonly clock: { readonly now: () => number };
}

const NO_VALUES = (): readonly string[] => [];

export function createPolicies({ reader, engine, clock }: PoliciesParts) {
  const policyOf = ({ subject, actor, api, claims = {} }: Call) =>
    callerPolicy({ subject, actor, claims }, { reader, clock, api, base: BASE });

  /** What the authorizer gives to conditions, as far as it is known here. */
  const contextOf = (
    claims: Claims,
    request: { readonly method?: string; readonly path?: string },
  ): Given => ({
    context: { time: new Date(clock.now()), claims, ...request },
  });

  /** Decisions for the routes that take no value from the request but claims. */
  async function decisionsFor(
    { subject, actor, claims = {} }: Call,
    rules: readonly RouteRule[],
  ): Promise<ReadonlyMap<RouteRule, Decision>> {
    const asked = rules.flatMap((rule) => {
      if (actor && isConnection(rule.method)) return [];
      const question = resolve({ rule, given: [] }, { claims, header: NO_VALUES, query: NO_VALUES });
      const { method, segments } = rule;
      const isOne = isVerb(method) && segments.every(({ kind }) => kind === 'literal');
      const request = isOne ? { method, path: formatPathTemplate(segments) } : {};
      if (!question) return [];
      return [{ rule, request: { subject, actor, ...question, given: contextOf(claims, request) } }];
    });
    if (asked.length === 0) return new Map();
    const { decisions } = await engine.checkMany(asked.map(({ request }) => request));
    return new Map(asked.flatMap(({ rule }, at) => (decisions[at] ? [[rule, decisions[at]]] : [])));
  }

  async function policyShown(call: Call) {
    const { rules, answer, allowed, without } = await policyOf(call);
    const decisions = await decisionsFor(call, rules);
    const sorted = [...rules].sort(byPath);
    return {
      /** What the ARNs of the policy begin with. */
      base: BASE,
      /** The claims and headers that routes take, by name. */
      takes: { claims: namesOf(sorted, 'claim'), headers: namesOf(sorted, 'header') },
      /** All routes of the API, in the order of their paths. */
      routes: sorted.map((rule) => {
        const own = allowed.filter((each) => each.rule === rule);
        return {
          ...shown(rule),
          /** What the policy allows of it, by values of its parameters. Empty: nothing. */
          allowed: own.map(({ rule: _, ...rest }) => ({ ...rest, scope: scopeOf(rule, rest.values) })),
          /** A request that it takes; one that the policy allows, if it allows some. */
          example: exampleOf(rule, own[0]?.values ?? {}),
          /** Whether a policy may cover it: not the `$connect` of a WebSocket API, nor AppSync. */
          isCoverable: rule.method === 'ANY' || isVerb(rule.method),
          /** Of a route that takes no value from the request but claims: the answer for it alone. */
          decision: decisions.get(rule),
        };
      }),
      /** The answer of the authorizer, with its policy document; undefined where none covers the whole API. */
      answer,
      /** Why there is none: every answer is for its route alone then. */
      without: without && { reason: without.reason, message: messageOf(without) },
    };
  }

  async function tryRoute({ method, path: given, headers = {}, ...call }: TriedCall) {
    const { claims = {}, subject, actor } = call;
    const [path = '', ...query] = given.split('?');
    const arn = `${BASE}${method}${path}`;
    const rules = await rulesOf(engine, createApiRoutes(reader), call.api);
    const { trial, others } = tryRequest(
      rules.map((rule) => ({ rule })),
      {
        method,
        path,
        claims,
        headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]])),
        query: valuesByName(new URLSearchParams(query.join('?'))),
      },
    );
    const question = trial?.question;
    const cannotConnect = actor !== undefined && isConnection(method);
    const decision =
      trial && question && !cannotConnect
        ? await engine.check(subject, question.permission, question.scope, {
            ...contextOf(claims, isVerb(method) ? { method, path: trial.path } : {}),
            actor,
            prefetch: trial.prefetched,
          })
        : undefined;
    const allowed = decision?.allowed === true;
    const policy = isVerb(method) ? await evaluated(call, arn) : undefined;
    return {
      arn,
      /** What route and engine say together. */
      allowed,
      /** Other routes that match, in the order of precedence. */
      others: others.map(({ rule }) => shown(rule)),
      reason: cannotConnect
        ? 'actor_cannot_connect'
        : (decision?.reason ?? (trial ? 'route_unresolved' : 'route_unmapped')),
      /** Each value that is missing or not valid. */
      missing: trial?.missing.map(({ message }) => message) ?? [],
      /** The route that the request matches; undefined where there is none. */
      route: trial && { ...shown(trial.route.rule), parameters: trial.parameters },
      /** What the request needs; nothing where a value is missing. */
      ...question,
      /** The engine's. */
      decision,
      policy,
      /** Whether both say the same; undefined where there is no policy. */
      agrees: policy && (policy.decision === 'allow') === allowed,
      /** Whether the policy leaves such a path out, for it can be spelt in several ways; the route alone answers it. */
      isLeftOut: policy && !isOfOneSpelling(path),
    };
  }

  /** What the policy for the whole API says, and the resource of it that matched; undefined where there is none. */
  async function evaluated(call: Call, arn: string) {
    const { answer } = await policyOf(call);
    if (!answer) return undefined;
    const statements = answer.policyDocument.Statement.map(({ Effect, Resource }) => ({
      effect: Effect,
      actions: [INVOKE_ACTION],
      resources: typeof Resource === 'string' ? [Resource] : Resource,
    }));
    const { decision, statement, resource } = evaluate(statements, INVOKE_ACTION, arn);
    return { decision, effect: statement?.effect, resource };
  }

  return { policyShown, tryRoute };
}

/** A route as it is written. */
const shown = ({ id, method, segments, permission, scope }: RouteRule) => ({
  id,
  method,
  path: formatPathTemplate(segments),
  permission: formatTemplate(permission),
  scope: formatTemplate(scope),
});

type Values = Readonly<Record<string, string>>;

const valueIn = (values: Values, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** The scope of a route with values of its parameters; undefined where it takes more than these. */
function scopeOf({ scope }: RouteRule, values: Values): string | undefined {
  const filled = scope.map((part) => {
    const text = part.kind === 'path' ? valueIn(values, part.name) : undefined;
    return text === undefined ? part : { kind: 'literal' as const, text };
  });
  return filled.every(({ kind }) => kind === 'literal') ? formatTemplate(filled) : undefined;
}

/** What stands for a value that may be anything. */
const ANY = 'example';

function exampleOf({ method, segments }: RouteRule, values: Values) {
  const filled = segments.map((segment) => {
    if (segment.kind === 'literal') return segment;
    const isRest = segment.kind === 'rest';
    const first = encodeURIComponent(valueIn(values, segment.name) ?? (isRest ? `${ANY}-1` : ANY));
    return { kind: 'literal' as const, text: isRest ? `${first}/${ANY}-2` : first };
  });
  return { method: method === 'ANY' ? 'GET' : method, path: formatPathTemplate(filled) };
}

const namesOf = (rules: readonly RouteRule[], kind: 'claim' | 'header'): readonly string[] => [
  ...new Set(
    rules.flatMap(({ permission, scope }) =>
      [...permission, ...scope].flatMap((part) => (part.kind === kind ? part.name : [])),
    ),
  ),
];

const byPath = (a: RouteRule, b: RouteRule): number => {
  const [x, y] = [a, b].map(({ segments, method }) => `${formatPathTemplate(segments)} ${method}`);
  return (x as string) < (y as string) ? -1 : 1;
};

const routeName = ({ method, segments }: RouteRule): string => `${method} ${formatPathTemplate(segments)}`;

/** Why there is no policy, for people. */
function messageOf(without: NoPolicy): string {
  switch (without.reason) {
    case 'actor_refused':
      return `Who acts for this caller is refused, whatever it asks: ${without.refusal}.`;
    case 'unbounded':
      return `What this caller may be allowed cannot be listed: it is an administrator, has a global role or a wildcard, or more than ${without.most} scopes or permissions come into question.`;
    case 'too_many_questions':
      return `Routes and scopes of this caller come to more than ${without.most} questions.`;
    case 'conditions':
      return `What is allowed depends on the request: a condition looks at ${without.uses.join(', ')}.`;
    case 'unlistable':
      return `These routes take values that a policy cannot name, such as headers: ${without.routes.map(routeName).join(', ')}.`;
    case 'inseparable':
      return 'Patterns that allow one route would also allow paths of another.';
    case 'too_large':
      return `The policy would be larger than ${without.maxBytes} bytes.`;
    case 'changed':
      return 'What this caller may use changed while the policy was made: try again.';
  }
}
