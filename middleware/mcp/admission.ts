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
/** These are answered with what the caller may use, in this field. */
const LISTS = new Map([
  ['tools/list', 'tools'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
  ['prompts/list', 'prompts'],
  ['tasks/list', 'tasks'],
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
    const { rule, given = {} } = named(method, params);
    if (rule === undefined) return 'unmapped';
    return DECIDED.has(method) ? undefined : ofRule(call, rule, given);
  }

  /** What a request names, with the arguments that it gives. */
  function named(method: string, params: Arguments): Listed {
    if (method === 'tools/call') return { rule: registration.ruleOf('tools', params.name) };
    if (method === 'prompts/get') return { rule: registration.ruleOf('prompts', params.name) };
    const isOfResource = /^resources\/(?:read|subscribe|unsubscribe)$/.test(method);
    return isOfResource ? registration.resourceOf(params.uri) : { rule: undefined };
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
    const field = LISTS.get(call.method) as string;
    const all = Array.isArray(result[field]) ? (result[field] as unknown[]) : [];
    const cached = 'ttlMs' in result ? { ttlMs: 0, cacheScope: 'private' } : {};
    if (call.method === 'tasks/list') {
      const refused = await Promise.all(all.map((each) => ofTask(call, ownValue(each, 'taskId'))));
      return { ...result, [field]: all.filter((_, at) => refused[at] === undefined) };
    }
    const may = await decisions.mayUse(
      await call.caller(),
      all.map((each) => neededFor(call, each)),
    );
    return { ...result, [field]: all.filter((_, at) => may[at]), ...cached };
  }

  /** What an item of a list needs. */
  function neededFor({ method }: Call, item: unknown): Listed {
    const name = ownValue(item, 'name');
    if (method === 'tools/list') return { rule: registration.ruleOf('tools', name) };
    if (method === 'prompts/list') return { rule: registration.ruleOf('prompts', name) };
    if (method === 'resources/templates/list') return { rule: registration.templateRuleOf(name) };
    return registration.resourceOf(ownValue(item, 'uri'));
  }

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

/** The id of a task that a call has made. */
function taskIn({ method }: Call, result: Arguments): string | undefined {
  const id = ownValue(result.task, 'taskId') ?? result.taskId;
  return method === 'tools/call' && typeof id === 'string' ? id : undefined;
}
