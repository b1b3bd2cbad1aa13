import { changeApiRevision } from '../../table/decision/writes.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { invalid } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import { apiRef, edgeKey } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import { parsePathTemplate, parseScopeTemplate, parseValueTemplate } from '../../table/route-template.ts';
import { create } from '../../table/write/action.ts';
import { by, listCommand } from '../kinds/lists.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { textOf, toUpdate } from '../nodes/nodes.ts';
import { scopeTypeOf } from '../nodes/scope-types.ts';
import type { Planning } from '../plan.ts';
import { unknownNames } from '../routes/fields.ts';
import { DEFAULT_API } from '../routes/route.ts';
import type { Attributes } from '../visible.ts';

/**
 * Routes: which permission and scope a request needs. The item in the API's partition is what the authorizer
 * reads, all of an API in one Query; it holds the whole rule. The item beside them says which write changed a
 * route last.
 */
/** The key of a route's rule, in the partition of its API. */
export const ruleKey = (api: string, ref: Ref) => edgeKey(apiRef(api), ref);

async function refuseUnknownNames(
  planning: Planning,
  { path, permission, scope }: Attributes,
): Promise<void> {
  // What is stored may be damaged: a change is refused with its field.
  parsePathTemplate(String(path), 'path');
  parseValueTemplate(String(permission), 'permission');
  parseScopeTemplate(String(scope), 'scope');
  for (const [where, template] of Object.entries({ permission, scope })) {
    const [name] = unknownNames(String(path), String(template));
    if (name !== undefined) throw invalid(where, `${where} names {${name}}, which the path does not have`);
  }
  const type = String(scope).slice(0, String(scope).indexOf(':'));
  if (!(await scopeTypeOf(planning.reader, type)))
    throw invalid('scope', `scope has an unknown scope type: ${type}`);
}

/** Where a request has no verb it has no path either: one rule, under one name. */
const ONLY_PATHS: Readonly<Record<string, string>> = { CONNECT: '/$connect', GRAPHQL: '/' };

function refuseOtherPath({ method, path }: Attributes): void {
  const only = ONLY_PATHS[String(method)];
  if (only !== undefined && path !== only) throw invalid('path', `path is ${only} where method is ${method}`);
}

/** What the rule repeats of its route. */
export const ruleOf = ({ method, path, permission, scope }: Attributes) => ({
  method,
  path,
  permission,
  scope,
});

const routeBehaviour: Behaviour = {
  onCreate: async (planning, ref, attributes) => {
    refuseOtherPath(attributes);
    await refuseUnknownNames(planning, attributes);
    const item = {
      ...ruleKey(String(attributes.api), ref),
      Type: 'RouteRule',
      id: ref.id,
      ...ruleOf(attributes),
    };
    return {
      actions: [
        create(item, () => invalid('id', 'this route exists already')),
        changeApiRevision(String(attributes.api)),
      ],
    };
  },
  onUpdate: async (planning, node, after, changes) => {
    await refuseUnknownNames(planning, after);
    // What did not change is not written: another update may be changing it.
    const given = ['permission', 'scope'].filter((attribute) => changes[attribute] !== undefined);
    const changed = Object.fromEntries(given.map((attribute) => [attribute, changes[attribute]]));
    const api = textOf(node.item, 'api');
    const revision = changeApiRevision(api);
    if (given.length === 0) return [revision];
    return [{ kind: 'update', key: ruleKey(api, node.ref), ...toUpdate(changed) }, revision];
  },
  onDelete: (node) => {
    const api = textOf(node.item, 'api');
    return [{ kind: 'delete', key: ruleKey(api, node.ref) }, changeApiRevision(api)];
  },
};

const rulesOf = (api: string) => edgesFrom(apiRef(api), 'route');

const listRoutes = listCommand({
  name: 'route.list',
  summary: 'Lists the routes of an API, page by page.',
  by: [by({ api: field.pageName }, ({ api }) => rulesOf(api))],
  all: rulesOf(DEFAULT_API),
});

export const ROUTE: NodeKind = { entity: ENTITIES.route, behaviour: routeBehaviour, commands: [listRoutes] };
