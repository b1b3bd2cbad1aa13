import type { Caller } from '../caller.ts';
import { ownValue } from '../http.ts';
import { type Call, keepCall } from './call.ts';
import type { CallDecisions, Listed } from './call-decision.ts';
import type { Ownership } from './ownership.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import type { Registration } from './registration.ts';
import type { Arguments, Rule } from './rules.ts';
import { type Id, type Message, type MessageExtra, withoutToken } from './sdk.ts';

export interface GateParts {
  readonly registration: Registration;
  readonly decisions: CallDecisions;
  readonly decide: (call: Call, extra: object, rule: Rule, args: Arguments) => Promise<void>;
  /** Who made which task. */
  readonly tasks: Ownership;
  readonly identified: (extra: MessageExtra) => Promise<Caller>;
  readonly refusalFor: (error: unknown) => Refusal;
}

/** These say nothing that a caller may not know, and change nothing but the connection. */
const OPEN = new Set(['initialize', 'ping', 'server/discover', 'logging/setLevel']);
/** These are answered with what the caller may use. */
const LISTS = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'tasks/list',
]);
/** These are decided by the callback that is registered, on what the SDK parsed for it. */
const DECIDED = new Set(['tools/call', 'resources/read', 'prompts/get']);
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/**
 * What of a client's messages reaches the server of one connection, and what of its answers leaves. Nothing but
 * what is named here passes. An answer leaves if its request was admitted: the result of a call only if that was
 * allowed.
 */
export function createMessageGate({
  registration,
  decisions,
  decide,
  tasks,
  identified,
  refusalFor,
}: GateParts) {
  const calls = new Map<Id, Call>();

  const creatorOf = async (call: Call) => (await decisions.known(await call.caller())).creator;

  /** Why a request is refused before its handler; a promise where that must be looked up. */
  function refusalBefore(call: Call): Refusal | undefined | Promise<Refusal | undefined> {
    const task = ownValue(call.params._meta, RELATED_TASK);
    if (task !== undefined)
      return ofTask(call, ownValue(task, 'taskId')).then((why) => why ?? ofMethod(call));
    return ofMethod(call);
  }

  function ofMethod(call: Call): Refusal | undefined | Promise<Refusal | undefined> {
    const { method, params } = call;
    if (OPEN.has(method) || LISTS.has(method)) return undefined;
    if (method.startsWith('tasks/')) return ofTask(call, params.taskId);
    if (method === 'completion/complete') return ofRule(call, completed(params.ref), {});
    const { rule, variables } = named(method, params);
    if (rule === undefined) return 'unmapped';
    return DECIDED.has(method) ? undefined : ofRule(call, rule, variables);
  }

  /** What a request names. */
  function named(
    method: string,
    params: Arguments,
  ): { readonly rule?: Rule | undefined; readonly variables: Arguments } {
    if (method === 'tools/call') return { rule: registration.ruleOf('tools', params.name), variables: {} };
    if (method === 'prompts/get') return { rule: registration.ruleOf('prompts', params.name), variables: {} };
    if (/^resources\/(?:read|subscribe|unsubscribe)$/.test(method))
      return registration.resourceOf(params.uri) ?? { variables: {} };
    return { variables: {} };
  }

  const completed = (ref: unknown): Rule | undefined =>
    ownValue(ref, 'type') === 'ref/prompt'
      ? registration.ruleOf('prompts', ownValue(ref, 'name'))
      : registration.templateRuleOf(registration.templateOf(ownValue(ref, 'uri')));

  async function ofRule(call: Call, rule: Rule | undefined, args: Arguments): Promise<Refusal | undefined> {
    if (rule === undefined) return 'unmapped';
    await decide(call, {}, rule, args);
    return call.isAllowed ? undefined : (call.refusal ?? 'unavailable');
  }

  async function ofTask(call: Call, id: unknown): Promise<Refusal | undefined> {
    return tasks.isOf(id, await creatorOf(call)) ? undefined : 'task_unknown';
  }

  /** What of a list a caller may use. */
  async function listed(call: Call, result: Arguments): Promise<Arguments> {
    const [field, listedOf] = LISTED[call.method] ?? NO_LIST;
    const all = Array.isArray(result[field]) ? (result[field] as unknown[]) : [];
    const cached = 'ttlMs' in result ? { ttlMs: 0, cacheScope: 'private' } : {};
    if (call.method === 'tasks/list') {
      const creator = await creatorOf(call);
      return { ...result, tasks: all.filter((each) => tasks.isOf(ownValue(each, 'taskId'), creator)) };
    }
    const may = await decisions.mayUse(await call.caller(), all.map(listedOf));
    return { ...result, [field]: all.filter((_, at) => may[at]), ...cached };
  }

  const LISTED: Readonly<Record<string, ListedBy>> = {
    'tools/list': ['tools', (item) => ({ rule: registration.ruleOf('tools', ownValue(item, 'name')) })],
    'prompts/list': ['prompts', (item) => ({ rule: registration.ruleOf('prompts', ownValue(item, 'name')) })],
    'resources/list': [
      'resources',
      (item) => {
        const { rule, variables } = named('resources/read', { uri: ownValue(item, 'uri') });
        return { rule, given: variables };
      },
    ],
    'resources/templates/list': [
      'resourceTemplates',
      (item) => ({ rule: registration.templateRuleOf(ownValue(item, 'name')) }),
    ],
  };

  /** The answer to a request, as it leaves. */
  async function answerOf(call: Call, message: Message): Promise<Message> {
    const { id, result = {} } = message;
    try {
      if (LISTS.has(call.method)) return { ...message, result: await listed(call, result) };
      const made = taskIn(call, result);
      if (made !== undefined) tasks.keep(made, await creatorOf(call));
      return message;
    } catch (error) {
      return refusalOf(id, refusalFor(error));
    }
  }

  /** Whether a result may leave: a tool's error that its callback did not make may. */
  const mayLeave = ({ method, isAllowed }: Call, { result }: Message): boolean =>
    !DECIDED.has(method) || isAllowed || (method === 'tools/call' && result?.isError === true);

  return {
    receive: (message: Message, extra: MessageExtra, next: Receive, reply: Send): void => {
      const { id, method, params = {} } = message;
      const handed = withoutToken(extra);
      if (method === undefined || id === undefined) {
        next(message, handed);
        return;
      }
      // Two answers with one id could not be told apart.
      if (calls.has(id)) {
        void reply(refusalOf(id, 'id_in_use'));
        return;
      }
      let found: Promise<Caller> | undefined;
      const caller = () => {
        found ??= identified(extra);
        return found;
      };
      const call: Call = { method, params, caller, isAllowed: false, refusal: undefined };
      calls.set(id, call);
      keepCall(handed.authInfo, call);
      const go = (reason: Refusal | undefined): void => {
        if (reason !== undefined) {
          calls.delete(id);
          void reply(refusalOf(id, reason));
        } else next(message, handed);
      };
      const refused = refusalBefore(call);
      if (refused instanceof Promise) void refused.catch(refusalFor).then(go);
      else go(refused);
    },
    send: (message: Message, next: Send): Promise<void> => {
      const { id, method, error, result = {} } = message;
      if (method !== undefined) return next(message);
      const call = id === undefined ? undefined : calls.get(id);
      if (id === undefined || call === undefined) return Promise.resolve();
      calls.delete(id);
      if (error) return next(call.refusal ? refusalOf(id, call.refusal) : message);
      if (!mayLeave(call, message)) return next(refusalOf(id, call.refusal ?? 'unmapped'));
      const isAsIs = !LISTS.has(call.method) && taskIn(call, result) === undefined;
      return isAsIs ? next(message) : answerOf(call, message).then(next);
    },
  };
}

const NO_LIST: ListedBy = ['tasks', () => ({ rule: undefined })];

/** The id of a task that a call has made. */
function taskIn({ method }: Call, result: Arguments): string | undefined {
  const id = ownValue(result.task, 'taskId') ?? result.taskId;
  return method === 'tools/call' && typeof id === 'string' ? id : undefined;
}

/** The field of a list, and what each of its items needs. */
type ListedBy = readonly [field: string, listedOf: (item: unknown) => Listed];
type Receive = (message: Message, extra?: MessageExtra) => void;
type Send = (message: Message) => Promise<void>;
