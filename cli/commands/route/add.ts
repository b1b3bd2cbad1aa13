import { METHODS } from '../../../authorizer/routes/rule.ts';
import {
  inPlainWords,
  isScopeName,
  pathProblem,
  permissionTemplate,
  requirementText,
  ruleOf,
  scopeTemplate,
  unknownNames,
  type WrittenRoute,
} from '../../../provisioning/index.ts';
import { defined } from '../../../table/defined.ts';
import { choiceOf, hint } from '../../../table/similar-words.ts';
import { UsageError } from '../../context.ts';
import { argument, required, text, WRITING } from '../../options.ts';
import { openSender, RefusedError } from '../../provisioning.ts';
import { readConditions } from '../../routes/conditions.ts';
import { missingScopeNotes } from '../../routes/missing-scopes.ts';
import { assertInKey, CACHE, cacheNotes, cachingOf } from '../../routes/result-cache.ts';
import { apiOf } from '../../routes/routes.ts';
import { routeScope } from '../../routes/scope-names.ts';
import { API, unregistered } from '../../routes/subcommands.ts';
import { subcommand } from '../../subcommand.ts';

const OPTIONS = {
  permission: required(text('<template>', 'such as task:list:project, dashboard or {page}')),
  scope: required(
    text('<template>', 'such as project:{project} or tenant:{claim:tenant_id}, or the name of one scope'),
  ),
  description: text('<text>', 'what the route is for'),
  ...CACHE,
  ...API,
  ...WRITING,
};

/** `gatehouse route add`. */
export const addAdd = subcommand({
  name: 'add',
  summary: 'add a route',
  description: 'Adds a route: the permission and the scope that a request with this method and path needs.',
  arguments: [
    argument('<method>', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS or ANY'),
    argument('<path>', 'such as /projects/{project}, without a stage'),
  ],
  options: OPTIONS,
  examples: `  gatehouse route add GET /projects/{project}/tasks --permission task:list:project --scope project:{project}
  gatehouse route add ANY /admin/{rest+} --permission admin --scope tenant:{claim:tenant_id}
  gatehouse route add GET /status --permission status --scope 'North School'`,
  run: async ([verb, path], options, context) => {
    const method = choiceOf(verb, [...METHODS]) ?? verb;
    const { permission, description } = options;
    assertRoute({ method, path, permission, scope: options.scope });
    const caching = await cachingOf(options, context.env);
    const api = apiOf(options);
    const sender = await openSender(options, context);
    const scope = await routeScope(sender.names, '--scope', options.scope);
    const ruled = [{ rule: ruleOf('', { method, path, permission, scope }) }];
    const conditionsOf = await readConditions(sender, ruled);
    assertInKey(caching, ruled, conditionsOf);
    const input = defined({ api, method, path, permission, scope, description });
    const { id } = await sender.send('route.create', input).catch((error: unknown) => {
      if (error instanceof RefusedError && error.field === 'path' && error.isOfInput)
        throw new Error(
          `${method} ${path} is covered in this API already, by a route of the same shape: ${error.message}`,
        );
      throw error;
    });
    const notes = [
      ...cacheNotes(caching, ruled, conditionsOf),
      ...(await unregistered(sender, [permission])),
      ...(await missingScopeNotes(sender, [{ scope }])),
    ];
    return {
      data: { id, ...input, notes },
      text: [
        `added ${method} ${path} (${id}): ${requirementText({ permission, scope })}`,
        ...notes.map((note) => `note: ${note}`),
        '',
      ].join('\n'),
    };
  },
});

function assertRoute({ method, path, permission, scope }: WrittenRoute): void {
  if (!METHODS.has(method))
    throw new UsageError(`METHOD ${method} is not a method: ${hint(method, METHODS)}`);
  const problem = pathProblem(path);
  if (problem !== undefined) throw new UsageError(`PATH ${path} ${problem}`);
  for (const [option, schema, text] of [
    ['--permission', permissionTemplate, permission],
    ...(isScopeName(scope) ? [] : [['--scope', scopeTemplate, scope] as const]),
  ] as const) {
    const parsed = schema.safeParse(text, { error: inPlainWords });
    if (!parsed.success) throw new UsageError(`${option} ${text}: ${parsed.error.issues[0]?.message}`);
    const [name] = unknownNames(path, text);
    if (name !== undefined)
      throw new UsageError(`${option} ${text} names {${name}}, which ${path} does not have`);
  }
}
