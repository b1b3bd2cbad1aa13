import { ownValue } from '../http.ts';
import type { AskedCall } from './allowed-calls.ts';
import type { Call } from './call.ts';
import type { CallDecisions, Listed } from './call-decision.ts';
import type { Ownership } from './ownership.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import type { Registration } from './registration.ts';
import type { Arguments, Rule } from './rules.ts';
import type { Message } from './sdk.ts';

export interface AdmissionParts {
  readonly registration: Registration;
  readonly decisions: CallDecisions;
  readonly decide: (call: Call, extra: object, rule: Rule, args: Arguments) => Promise<void>;
  /** Who made which task, by which call. */
  readonly tasks: Ownership<AskedCall>;
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
/** What they answer is decided again: also when it leaves, since they may wait for the end of a task. */
const OF_TASK = new Set(['tasks/get', 'tasks/result']);
const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/**
 * Which requests reach a server, and which answers leave it. Nothing but what is named here passes. The result of a call
 * leaves only if that was allowed, and that of a task only while the call still is that made it.
 */
export function createAdmission({ registration, decisions, decide, tasks, refusalFor }: AdmissionParts) {
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
    return call.allowed ? undefined : (call.refusal ?? 'unavailable');
  }

  async function ofTask(call: Call, id: unknown): Promise<Refusal | undefined> {
    const made = tasks.find(id, await creatorOf(call));
    if (made === undefined) return 'task_unknown';
    // Whoever made it may end it, come what may.
    return call.method === 'tasks/cancel' ? undefined : decisions.refusedNow(await call.caller(), made);
  }

  /** What of a list a caller may use. */
  async function listed(call: Call, result: Arguments): Promise<Arguments> {
    const [field, listedOf] = LISTED[call.method] ?? NO_LIST;
    const all = Array.isArray(result[field]) ? (result[field] as unknown[]) : [];
    const cached = 'ttlMs' in result ? { ttlMs: 0, cacheScope: 'private' } : {};
    if (call.method === 'tasks/list') {
      const refused = await Promise.all(all.map((each) => ofTask(call, ownValue(each, 'taskId'))));
      return { ...result, tasks: all.filter((_, at) => refused[at] === undefined) };
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
      if (OF_TASK.has(call.method)) {
        const refused = await ofTask(call, call.params.taskId);
        return refused === undefined ? message : refusalOf(id, refused);
      }
      const made = taskIn(call, result);
      if (made !== undefined && call.allowed) tasks.keep(made, await creatorOf(call), call.allowed);
      return message;
    } catch (error) {
      return refusalOf(id, refusalFor(error));
    }
  }

  return { refusalBefore, answerOf };
}

/** Whether a result may leave: a tool's error that its callback did not make may. */
export const mayLeave = ({ method, allowed }: Call, { result }: Message): boolean =>
  !DECIDED.has(method) || allowed !== undefined || (method === 'tools/call' && result?.isError === true);

/** Whether an answer leaves as it is, without being looked at. */
export const isAsIs = (call: Call, { result = {} }: Message): boolean =>
  !LISTS.has(call.method) && !OF_TASK.has(call.method) && taskIn(call, result) === undefined;

const NO_LIST: ListedBy = ['tasks', () => ({ rule: undefined })];

/** The id of a task that a call has made. */
function taskIn({ method }: Call, result: Arguments): string | undefined {
  const id = ownValue(result.task, 'taskId') ?? result.taskId;
  return method === 'tools/call' && typeof id === 'string' ? id : undefined;
}

/** The field of a list, and what each of its items needs. */
type ListedBy = readonly [field: string, listedOf: (item: unknown) => Listed];
