import { CredentialsError } from '../../authorizer/errors.ts';
import { defined } from '../../table/defined.ts';
import { keepAuthorization } from '../authorization.ts';
import { type Caller, createCallers, invalidOption, type MaybePromise } from '../caller.ts';
import type { AskedCall } from './allowed-calls.ts';
import { type Call, verifiedCaller } from './call.ts';
import { createCallDecisions, type DecisionOptions } from './call-decision.ts';
import { createMessageGate } from './message-gate.ts';
import { createOwnership } from './ownership.ts';
import type { Refusal } from './refusal.ts';
import { createRegistration } from './registration.ts';
import { type Arguments, type McpRules, type Rule, rulesOf } from './rules.ts';
import { interpose, type McpServerLike, type MessageExtra, NO_HTTP, type TransportLike } from './sdk.ts';

export interface McpGuardOptions<Permission extends string = string> extends DecisionOptions {
  /**
   * Who calls: where the process serves one caller (stdio), or as an application has verified it. Default: the
   * caller that `mcpEndpoint` has verified.
   */
  readonly caller?:
    | Caller
    | string
    | ((extra: MessageExtra) => MaybePromise<Caller | string | undefined>)
    | undefined;
  /** By the names that they are registered with. What is not named is refused. */
  readonly tools?: McpRules<Permission> | undefined;
  readonly resources?: McpRules<Permission> | undefined;
  readonly prompts?: McpRules<Permission> | undefined;
  /** Called with what was thrown where no decision could be made. Default: writes one line of JSON to standard error. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/**
 * Makes a guard for MCP servers of the official SDK, both major versions: `guard(new McpServer(…))`, before tools are
 * registered. Lists hold what the caller may use. A call is decided on the arguments that its handler gets, parsed
 * by the tool's schema and frozen; `authorizationOf(extra)` gives the handler the decision. Everything else that a
 * client may send is refused, but `initialize`, `ping`, the lists and notifications.
 *
 * @throws GatehouseError `invalid` for an option that is missing or of a wrong type
 */
export function mcpGuard<Permission extends string = string>(options: McpGuardOptions<Permission>) {
  const { engine, caller = verifiedCaller, use, onFault } = options;
  if (typeof engine?.checkAsked !== 'function') throw invalidOption('engine', 'an engine');
  if (use !== undefined && typeof use !== 'function') throw invalidOption('use', 'a function');
  const rules = {
    tools: rulesOf('tools', options.tools),
    resources: rulesOf('resources', options.resources),
    prompts: rulesOf('prompts', options.prompts),
  };
  const who = typeof caller === 'function' ? caller : () => caller;
  const { identify, answerTo } = createCallers<MessageExtra>(defined({ who, onFault }));
  const decisions = createCallDecisions(options);
  const tasks = createOwnership<AskedCall>();

  /** Why a call is refused that something was thrown for. */
  const refusalFor = (error: unknown): Refusal => {
    if (error instanceof CredentialsError) return 'credential_refused';
    answerTo(error);
    return 'unavailable';
  };

  async function decide(call: Call, extra: object, rule: Rule, args: Arguments): Promise<void> {
    try {
      const decided = await decisions.decide(await call.caller(), rule, args);
      call.allowed = typeof decided === 'object' ? decided.asked : undefined;
      if (typeof decided === 'object') {
        call.onAllowed(decided.asked);
        keepAuthorization(extra, decided.authorization);
      } else call.refusal = decided;
    } catch (error) {
      call.allowed = undefined;
      call.refusal = refusalFor(error);
    }
  }

  return <S extends McpServerLike>(server: S): S => {
    if (typeof server?.registerTool !== 'function') throw invalidOption('server', 'an McpServer of the SDK');
    const registration = createRegistration(server, rules, decide);
    const identified = (extra: MessageExtra) => identify(extra, NO_HTTP);
    const { connect } = server.server;
    server.server.connect = (transport: TransportLike) => {
      const gate = createMessageGate({ registration, decisions, decide, tasks, identified, refusalFor });
      interpose(transport, gate.receive, gate.send);
      return connect.call(server.server, transport);
    };
    return server;
  };
}
