import { invalid } from '../../table/errors.ts';
import { type Call, callOf } from './call.ts';
import type { Listed } from './call-decision.ts';
import { frozen } from './frozen.ts';
import { type Refusal, RefusedError, refusedResult } from './refusal.ts';
import type { Arguments, Rule } from './rules.ts';
import type { Callback, McpServerLike, Registered, TemplateLike } from './sdk.ts';

type Kind = 'tools' | 'resources' | 'prompts';
type Rules = Readonly<Record<Kind, ReadonlyMap<string, Rule>>>;

/** Decides a call of what is registered. It answers nothing: the call says why it is refused. */
type Decide = (call: Call, extra: object, rule: Rule, args: Arguments) => Promise<void>;

/**
 * Takes part in what a server registers: each callback runs only for a call that the guard admitted and decided, on
 * the arguments that it gets.
 *
 * @throws GatehouseError `invalid` if something was registered before
 */
export function createRegistration(server: McpServerLike, rules: Rules, decide: Decide) {
  const names = { tools: new Set<string>(), prompts: new Set<string>() };
  const uris = new Map<string, string>();
  const templates = new Map<string, TemplateLike>();
  refuseRegistered(server);

  const { registerTool, registerResource, registerPrompt, experimental } = server as McpServerLike & {
    readonly experimental?: { readonly tasks?: { registerToolTask?: McpServerLike['registerTool'] } };
  };

  const isCalled = ({ method, params }: Call, kind: Kind, name: string): boolean =>
    kind === 'resources' ? method === 'resources/read' : method === CALLED_BY[kind] && params.name === name;

  /** A callback behind the guard. The SDK calls it with the arguments, if it takes any, and at last the request's. */
  const guarded =
    (kind: Kind, name: string, callback: Callback): Callback =>
    async (...all) => {
      const extra = all.at(-1);
      const call = callOf(extra);
      const rule = rules[kind].get(name);
      if (!call || !rule || !isCalled(call, kind, name)) return refuse(kind, call, 'unmapped');
      const args = kind === 'resources' ? (all.length > 2 ? all[1] : {}) : all.length > 1 ? all[0] : {};
      await decide(call, extra, rule, frozen(args ?? {}));
      return call.allowed ? callback(...all) : refuse(kind, call, call.refusal ?? 'unavailable');
    };

  const guardedHandler = (name: string, handler: Callback | { createTask: Callback }) =>
    typeof handler === 'function'
      ? guarded('tools', name, handler)
      : Object.create(handler, {
          createTask: { value: guarded('tools', name, handler.createTask.bind(handler)) },
        });

  /** What is registered, whose updates bring callbacks behind the guard, too. */
  function kept<R extends Registered>(registered: R, wrap: (callback: Callback) => Callback): R {
    const update = registered.update.bind(registered);
    registered.update = ({ callback, ...changes }) =>
      update({ ...changes, ...(callback && { callback: wrap(callback) }) });
    return registered;
  }

  const tool =
    (register: McpServerLike['registerTool']): McpServerLike['registerTool'] =>
    (name, config, handler) => {
      names.tools.add(name);
      const wrap = (callback: Callback) => guardedHandler(name, callback);
      return kept(register(name, config, wrap(handler)), wrap);
    };
  server.registerTool = tool(registerTool.bind(server));
  const tasks = experimental?.tasks;
  if (tasks?.registerToolTask) tasks.registerToolTask = tool(tasks.registerToolTask.bind(tasks));
  server.registerPrompt = (name, config, callback) => {
    names.prompts.add(name);
    const wrap = (each: Callback) => guarded('prompts', name, each);
    return kept(registerPrompt.call(server, name, config, wrap(callback)), wrap);
  };
  server.registerResource = (name, uriOrTemplate, config, callback) => {
    if (typeof uriOrTemplate === 'string') uris.set(uriOrTemplate, name);
    else templates.set(name, uriOrTemplate);
    const wrap = (each: Callback) => guarded('resources', name, each);
    return kept(registerResource.call(server, name, uriOrTemplate, config, wrap(callback)), wrap);
  };

  // The first version's older names for the same, whose callbacks would not be behind the guard.
  for (const name of ['tool', 'resource', 'prompt'].filter((each) => each in server))
    Object.assign(server, {
      [name]: () => {
        throw invalid('server', `${name} is not guarded: use its newer name, register…`);
      },
    });

  const ruleOf = (kind: 'tools' | 'prompts', name: unknown): Rule | undefined =>
    typeof name === 'string' && names[kind].has(name) ? rules[kind].get(name) : undefined;

  return {
    ruleOf,
    /** As the SDK finds it: by the URI as `URL` spells it, then by the templates, whose variables it gives. */
    resourceOf: (uri: unknown): Listed => {
      if (typeof uri !== 'string' || !URL.canParse(uri)) return { rule: undefined };
      const spelt = new URL(uri).toString();
      const name = uris.get(spelt);
      if (name !== undefined) return { rule: rules.resources.get(name), given: {} };
      for (const [of, { uriTemplate }] of templates) {
        const given = uriTemplate.match(spelt);
        if (given) return { rule: rules.resources.get(of), given };
      }
      return { rule: undefined };
    },
    templateRuleOf: (name: unknown): Rule | undefined =>
      typeof name === 'string' && templates.has(name) ? rules.resources.get(name) : undefined,
    /** The name of the template of a reference in a completion. */
    templateOf: (uri: unknown): string | undefined =>
      [...templates].find(([, { uriTemplate }]) => String(uriTemplate) === uri)?.[0],
  };
}

export type Registration = ReturnType<typeof createRegistration>;

/** A tool's refusal is a result, but for one that would have to be a task. */
function refuse(kind: Kind, call: Call | undefined, reason: Refusal) {
  if (call) call.refusal = reason;
  if (kind === 'tools' && call?.params.task === undefined) return refusedResult(reason);
  throw new RefusedError(reason);
}

const CALLED_BY = { tools: 'tools/call', prompts: 'prompts/get' } as const;

/** What was registered before has its callback without the guard; it would be refused, whatever is declared for it. */
function refuseRegistered(server: object): void {
  const has = (name: string) =>
    Object.keys((server as Record<string, object | undefined>)[name] ?? {}).length > 0;
  if (
    ['_registeredTools', '_registeredResources', '_registeredResourceTemplates', '_registeredPrompts'].some(
      has,
    )
  )
    throw invalid('server', 'guard the server before it registers tools, resources and prompts');
}
