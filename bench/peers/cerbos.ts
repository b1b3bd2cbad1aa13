import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../harness/folder.ts';
import { chainOf, type Question, type World } from '../model/world.ts';
import { type PeerServer, startPeer } from './peer.ts';
import { rolesByPermission } from './relations.ts';

/**
 * Cerbos' server with the roles of the same world as policies. It keeps no data: the caller sends the groups of the
 * user and the places above the resource with each question, and has to have them.
 */
export async function startCerbos(world: World): Promise<PeerServer> {
  const folder = temporaryFolder('cerbos');
  // JSON is YAML.
  for (const [name, policy] of Object.entries(policiesOf(world)))
    writeFileSync(join(folder, `${name}.yaml`), JSON.stringify(policy));
  return startPeer({
    binary: 'cerbos',
    hint: 'npm pack @cerbos/cerbos-linux-x64@0.55.0 && tar xzf cerbos-*.tgz',
    words: (http, grpc) => {
      const settings = [
        `server.httpListenAddr=127.0.0.1:${http}`,
        `server.grpcListenAddr=127.0.0.1:${grpc}`,
        'storage.driver=disk',
        `storage.disk.directory=${folder}`,
        'storage.disk.watchForChanges=false',
        'telemetry.disabled=true',
      ];
      return ['server', ...settings.map((setting) => `--set=${setting}`)];
    },
    health: '/_cerbos/health',
    fill: async (url) => {
      const target = { url: `${url}/api/check/resources`, token: 'none', allowed: /"EFFECT_ALLOW"/ };
      return { target, bodyOf: bodyIn(world) };
    },
  });
}

function bodyIn(world: World): (question: Question) => string {
  const groupsOf = new Map(world.users.map(({ ref, groups }) => [ref, groups]));
  const pathOf = new Map(world.places.map(({ ref }) => [ref, chainOf(world.places, ref)]));
  return ({ subject, permission, scope }) =>
    JSON.stringify({
      principal: { id: subject, roles: ['user'], attr: { groups: groupsOf.get(subject) ?? [] } },
      resources: [
        {
          actions: [actionOf(permission)],
          resource: { kind: 'building', id: scope, attr: { path: pathOf.get(scope) ?? [] } },
        },
      ],
    });
}

const actionOf = (permission: string): string => permission.split(':')[1] as string;
const roleOf = (id: string): string => `role_${id}`;

/** A role is derived for whom is in a group that has it at the place or above. */
function policiesOf(world: World) {
  const { roles, groups } = world;
  const apiVersion = 'api.cerbos.dev/v1';
  const placesOf = (role: string) =>
    Object.fromEntries(
      groups.filter((group) => group.roles.includes(role)).map(({ id, place }) => [id, place]),
    );
  const rules = rolesByPermission(world)
    .filter(([, having]) => having.length > 0)
    .map(([page, having]) => ({
      actions: [actionOf(page)],
      effect: 'EFFECT_ALLOW',
      derivedRoles: having.map(roleOf),
    }));
  const inRole = (id: string): string =>
    `P.attr.groups.exists(g, g in C.places_${id} && C.places_${id}[g] in R.attr.path)`;
  return {
    roles: {
      apiVersion,
      derivedRoles: {
        name: 'roles',
        constants: { local: Object.fromEntries(roles.map(({ id }) => [`places_${id}`, placesOf(id)])) },
        definitions: roles.map(({ id }) => ({
          name: roleOf(id),
          parentRoles: ['user'],
          condition: { match: { expr: inRole(id) } },
        })),
      },
    },
    building: {
      apiVersion,
      resourcePolicy: { resource: 'building', version: 'default', importDerivedRoles: ['roles'], rules },
    },
  };
}
