import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/embedded-engine.ts';
import type { Target } from '../load/connection.ts';
import { chainOf, type Question, type World } from '../model/world.ts';
import type { PeerServer } from './peer.ts';
import { startServer } from './server-process.ts';

/** The version that figures are of, and how to get it; the path of another binary in `CERBOS`. */
const CERBOS = 'npm pack @cerbos/cerbos-linux-x64@0.55.0 && tar xzf cerbos-*.tgz';

/**
 * Cerbos' server with the roles of the same world as policies. It keeps no data: the caller sends the groups of the
 * user and the places above the resource with each question, and has to have them.
 */
export async function startCerbos(world: World): Promise<PeerServer> {
  const [http, grpc] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${http}`;
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-cerbos-'));
  // JSON is YAML.
  for (const [name, policy] of Object.entries(policiesOf(world)))
    writeFileSync(join(folder, `${name}.yaml`), JSON.stringify(policy));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const server = await startServer({
      command: process.env.CERBOS ?? 'cerbos',
      words: [
        'server',
        ...[
          `server.httpListenAddr=127.0.0.1:${http}`,
          `server.grpcListenAddr=127.0.0.1:${grpc}`,
          'storage.driver=disk',
          `storage.disk.directory=${folder}`,
          'storage.disk.watchForChanges=false',
          'telemetry.disabled=true',
        ].map((setting) => `--set=${setting}`),
      ],
      hint: `get it with: ${CERBOS}`,
      isServing: async () => (await fetch(new URL('/_cerbos/health', url))).ok,
    });
    const target: Target = {
      url: `${url}/api/check/resources`,
      token: 'none',
      field: ['results', '0', 'actions', '*'],
      allowed: 'EFFECT_ALLOW',
    };
    const stop = async (): Promise<void> => {
      await server.stop();
      remove();
    };
    return { ...server, target, bodyOf: bodyIn(world), loadedInMs: undefined, stop };
  } catch (error) {
    remove();
    throw error;
  }
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
function policiesOf({ roles, groups, pages }: World) {
  const apiVersion = 'api.cerbos.dev/v1';
  const placesOf = (role: string) =>
    Object.fromEntries(
      groups.filter((group) => group.roles.includes(role)).map(({ id, place }) => [id, place]),
    );
  const rules = pages.flatMap((page) => {
    const derivedRoles = roles.filter((role) => role.pages.includes(page)).map(({ id }) => roleOf(id));
    return derivedRoles.length > 0
      ? [{ actions: [actionOf(page)], effect: 'EFFECT_ALLOW', derivedRoles }]
      : [];
  });
  return {
    roles: {
      apiVersion,
      derivedRoles: {
        name: 'roles',
        constants: { local: Object.fromEntries(roles.map(({ id }) => [`places_${id}`, placesOf(id)])) },
        definitions: roles.map(({ id }) => ({
          name: roleOf(id),
          parentRoles: ['user'],
          condition: {
            match: {
              expr: `P.attr.groups.exists(g, g in C.places_${id} && C.places_${id}[g] in R.attr.path)`,
            },
          },
        })),
      },
    },
    building: {
      apiVersion,
      resourcePolicy: { resource: 'building', version: 'default', importDerivedRoles: ['roles'], rules },
    },
  };
}
