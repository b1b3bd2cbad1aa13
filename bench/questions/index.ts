const rate = (server: string, kind: string): string =>
  `{servers.rate-gatehouse-${kind}-16/rate-${server}-${kind}-16}`;
const rates = (kind: string): string =>
  `${rate('openfga', kind)}, ${rate('spicedb', kind)} and ${rate('cerbos', kind)}`;

/**
 * The short answers of docs/performance.md by the names of their places, in its order; that of `asked` is in asked.ts.
 * Places of figures are those of answer.ts.
 */
export const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  request: [
    "**{check.warm} where everything is cached, and DynamoDB's latency where it is not**: once in a flat scope ({cold.flat.gatehouse} at the median, {cold.flat.gatehouse@p99} at p99), at most twice in a nested one ({cold.nested.gatehouse} and {cold.nested.gatehouse@p99}).",
    'The authorizer takes {handler.known} for a token that it knows, and {handler.new-rs256} for a new one, of which {handler.jose-rs256} are its signature.',
  ],
  start: [
    "**{startup.init} of INIT, and then a first decision like any other that reads as much**: it takes {startup.cold/second} another one's time, and {startup.cold-limited/second-limited} with 0.3 of a processor.",
    'From the start of its process to its first answer the function takes {startup.processor/processor-empty} the processor time of an empty Node process.',
  ],
  capacity: [
    '**To 10,000 requests per second and 5 million users, where the authorizer takes {fleet.steady.p50} at the median and {fleet.steady.p99} at p99, and {fleet.steady.failed-event} of the requests get no answer**: beyond that, quotas of AWS come first ([which](#which-limit-comes-first), all simulated).',
    'The size of the table does not matter: a decision with nothing cached makes {scale.calls} at every size, and with a million users it takes {scale.cold-1000000/cold-1000} the time that it takes with a thousand.',
    'What one item, list or policy may hold is in [Limits](limits.md).',
  ],
  bill: [
    '**{cost.flat.0} for a million decisions with nothing cached in a flat scope, {cost.nested.0} in a nested one**; with Verified Permissions, {cost.avp.0}.',
    'Where the cache answers 99 of 100, it is {cost.flat.99} beside {cost.avp.99}: then nearly all of it is Lambda and its logs.',
    'A fleet that answers 10,000 requests per second pays {fleet.steady.dollars} for a million, without logs.',
  ],
  others: [
    "**In one process, a cached check takes {check.warm/casl} CASL's time and {check.warm/casbin-cached} that of casbin's cache, {check.warm/casbin} the time of casbin's own matcher and {check.warm/cedar} that of Cedar's WebAssembly.**",
    `Over HTTP, \`gatehouse serve\` answers questions that repeat at ${rates('hot')} the rate of OpenFGA, SpiceDB and Cerbos.`,
    `It answers questions that were not asked before at ${rates('distinct')} their rate, and questions with all caches off at ${rates('uncached')}.`,
  ],
  administration: [
    '**A command alone writes at {provisioning.create/create-bare} the rate of the bare transaction that it sends: {provisioning.create#} users or {provisioning.membership#} memberships per second here, one after the other.**',
    '`gatehouse load` writes {administration.users.load#} users per second, {administration.users.load/alone} the rate of a command for each, and {administration.memberships.load#} memberships.',
    '`gatehouse verify` makes {administration.verify.reads#} reads per second.',
    'To AWS a call takes longer than to the engine on this machine: there the number of calls decides, and calls run at once.',
  ],
};
