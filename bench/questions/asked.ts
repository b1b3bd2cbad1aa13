import type { Asked } from './answer.ts';

/** What was asked before the code was measured. */
export const ASKED: readonly Asked[] = [
  { what: 'a cached check, beside a bare reference', figure: 'check.warm/reference', max: 4 },
  { what: '… beside CASL by user and place', figure: 'check.warm/casl-by-place', max: 0.4 },
  { what: '… beside CASL by user', figure: 'check.warm/casl', max: 0.4 },
  { what: "… beside casbin's cache", figure: 'check.warm/casbin-cached', max: 0.4 },
  { what: "… beside casbin's matcher", figure: 'check.warm/casbin', max: 0.4 },
  { what: '… beside naive lists', figure: 'check.warm/naive', max: 0.4 },
  { what: "… beside Cedar's WebAssembly", figure: 'check.warm/cedar', max: 0.4 },
  { what: '`session.can`', figure: 'check.session', max: 60 },
  { what: 'a condition over a stored property adds', figure: 'check.condition-stored-adds', max: 3_000 },
  { what: 'a condition over the context adds', figure: 'check.condition-context-adds', max: 3_000 },
  // 0.4 of what an earlier design took that read in steps. It is not measured any more, so these are milliseconds.
  { what: 'nothing cached: p99 (0.4 of an earlier design)', figure: 'cold.flat.gatehouse.p99', max: 13 },
  { what: '… nested', figure: 'cold.nested.gatehouse.p99', max: 13.5 },
  { what: '… nested, scopes above named', figure: 'cold.nested.named.p99', max: 13.5 },
  { what: '… nested, after the time-to-live', figure: 'cold.nested.expired.p99', max: 13.5 },
  { what: 'the authorizer, a known token', figure: 'handler.known', max: 2_500 },
  { what: '… as text, beside JSON alone', figure: 'handler.text/json', max: 1.3 },
  { what: '… a new token, beside jose alone: RS256', figure: 'handler.new-rs256/jose-rs256', max: 1.15 },
  { what: '… ES256', figure: 'handler.new-es256/jose-es256', max: 1.15 },
  { what: 'a policy for the whole API, 500 routes', figure: 'policy.worst-6144', max: 20 },
  { what: '… of the largest size', figure: 'policy.worst-65536', max: 20 },
  { what: "start: loaded, beside the bundler's defaults", figure: 'startup.loaded/defaults', max: 0.7 },
  { what: '… the first decision, beside another with the same reads', figure: 'startup.cold/second', max: 3 },
  { what: '… the same with 0.3 of a processor', figure: 'startup.cold-limited/second-limited', max: 3 },
  { what: '… the first answer, beside an empty Node', figure: 'startup.first/empty', max: 4 },
  { what: '… the same in processor time', figure: 'startup.processor/processor-empty', max: 4 },
  { what: 'a million users beside a thousand', figure: 'scale.growth', max: 1.3 },
  { what: 'a cached user in five groups', figure: 'memory.user', max: 320 },
  { what: 'a load of users, beside it sent bare', figure: 'administration.users.load/bare', min: 0.85 },
  { what: '… beside a command for each', figure: 'administration.users.load/alone', min: 8 },
  { what: '… of memberships', figure: 'administration.memberships.load/alone', min: 8 },
  { what: '`gatehouse verify`, beside node by node', figure: 'administration.verify.reads/by-node', min: 5 },
  ...Object.entries({ OpenFGA: 'openfga', SpiceDB: 'spicedb', Cerbos: 'cerbos' }).flatMap(([name, id]) =>
    Object.entries({ hot: 3, distinct: 20 }).map(([kind, min]) => ({
      what: `${kind === 'hot' ? 'questions that repeat' : 'new questions'} over HTTP, beside ${name}`,
      figure: `servers.rate-gatehouse-${kind}-16/rate-${id}-${kind}-16`,
      min,
    })),
  ),
];
