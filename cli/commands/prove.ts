import {
  allowedBy,
  allRoots,
  COMMANDS,
  type Matrix,
  proveInvariants,
  queriesOn,
  type RoleFinding,
  readInvariants,
  readMatrix,
  readRootsWithInvariants,
  rootsOfInvariants,
  widerIn,
} from '../../provisioning/index.ts';
import { formatRef, parseRef } from '../../table/identifiers.ts';
import { nodeKey } from '../../table/keys.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import { isPermissionPattern, readPermissionName } from '../../table/permission-name.ts';
import { appliedManifest } from '../../testing/applied-manifest.ts';
import { readFileAsDocument } from '../../testing/text-file.ts';
import { connect } from '../connection.ts';
import { type Context, UsageError } from '../context.ts';
import { formatProofs, formatRoleFindings, type TenantProof, verdictOf } from '../evidence/proof-text.ts';
import { argument, flag, type GlobalOptions, instant, off, text } from '../options.ts';
import { lookUp, namesIn } from '../references.ts';
import { type Outcome, subcommand } from '../subcommand.ts';

/** `gatehouse prove`: whether the invariants of tenants hold, and what roles of manifests may never do. */
export const addProve = subcommand({
  name: 'prove',
  summary: 'prove that invariants hold, or show who breaks them',
  description:
    'Proves the invariants in a table, for everybody. Of a violation it shows who, what, where and since when.',
  arguments: [
    argument(
      '[names...]',
      'with --no-wider: two manifests; with --never: a role, a permission and a manifest',
    ),
  ],
  options: {
    tenant: text('<tenant>', 'only the invariants of this tenant'),
    at: instant('the instant to begin with (default: now)'),
    wider: off('whether no role of the second manifest may do more than in the first'),
    never: flag('whether the role never allows the permission, or one that the pattern covers'),
  },
  examples: `  gatehouse prove
  gatehouse prove --tenant Northwind --json
  gatehouse prove --no-wider before.manifest.yaml after.manifest.yaml
  gatehouse prove --never Clerk payments:approve:payment school.manifest.yaml`,
  notes: `It decides for everybody, at every scope, and at every instant from now on at
which something begins or ends. What is suspended, inactive or not sold counts
as open, and a condition may hold. --no-wider and --never look at the roles of
manifests alone: conditions are compared as texts.`,
  run: async ([names], options, context) => {
    const { wider, never = false, tenant, at } = options;
    if (!wider && never) throw new UsageError('--no-wider and --never exclude each other');
    if (wider && !never) {
      if (names.length > 0)
        throw new UsageError(`${names[0]} is not used: names are for --no-wider and --never`);
      return proveTable(options, context);
    }
    if (tenant !== undefined || at !== undefined)
      throw new UsageError('--tenant and --at are for a table, not for manifests');
    return wider ? proveNever(names, context) : proveNoWider(names, context);
  },
});

interface TableOptions extends GlobalOptions {
  readonly tenant?: string | undefined;
  readonly at?: number | undefined;
}

const NOT_KEPT = 'commands do not keep all of these invariants, since an item is damaged: gatehouse verify';

async function proveTable(options: TableOptions, context: Context): Promise<Outcome> {
  const reader = await connect(options, context);
  const named =
    options.tenant === undefined
      ? undefined
      : (await lookUp(namesIn(reader), { label: '--tenant', kind: 'scope' }, options.tenant)).ref;
  const listed = await readRootsWithInvariants(reader);
  // Also those that the item does not list, should it be damaged.
  const roots =
    named === undefined ? [...new Set([...listed, ...(await rootsOfInvariants(reader))])].sort() : [named];
  const proofs: TenantProof[] = [];
  for (const root of roots) {
    const node = await reader.get(nodeKey(parseRef(root, 'tenant')));
    if (named !== undefined && node?.parent !== undefined)
      throw new UsageError(`--tenant ${options.tenant} is no tenant: it is below ${node.parent}`);
    const { invariants, areKept } = await readInvariants(reader, parseRef(root, 'tenant'));
    if (invariants.length === 0) continue;
    const at = options.at ?? context.now();
    const proof = await proveInvariants({ reader, root, invariants, at });
    proofs.push({
      tenant: { ref: root, name: String(node?.name ?? root) },
      invariants,
      proof: areKept && listed.has(root) ? proof : { ...proof, unproved: NOT_KEPT },
    });
  }
  const verdicts = proofs.flatMap(({ invariants, proof }) =>
    invariants.map((invariant) => verdictOf(invariant, proof)),
  );
  return {
    data: proofs.map(({ tenant, invariants, proof }) => ({
      tenant,
      invariants: invariants.map((invariant) => ({ ...invariant, verdict: verdictOf(invariant, proof) })),
      ...proof,
    })),
    text: (paint) => formatProofs(proofs, paint),
    refused: verdicts.some((verdict) => verdict !== 'holds'),
  };
}

async function proveNoWider(names: readonly string[], context: Context): Promise<Outcome> {
  const [before, after, ...more] = names;
  if (before === undefined || after === undefined || more.length > 0)
    throw new UsageError('--no-wider takes two manifests: OLD NEW');
  const [was, is] = [await matricesOf(before, context), await matricesOf(after, context)];
  const findings = [...new Set([...was.keys(), ...is.keys()])].flatMap((root) =>
    widerIn(was.get(root), is.get(root)),
  );
  return outcomeOf(findings, 'no role may do more');
}

async function proveNever(names: readonly string[], context: Context): Promise<Outcome> {
  const [role, permission, file, ...more] = names;
  if (role === undefined || permission === undefined || file === undefined || more.length > 0)
    throw new UsageError('--never takes a role, a permission and a manifest: ROLE PERMISSION FILE');
  if (!readPermissionName(permission) && !isPermissionPattern(permission))
    throw new UsageError(`${permission} is neither a page, a permission nor a pattern`);
  const found = [...(await matricesOf(file, context)).values()].map((matrix) =>
    allowedBy(matrix, role, permission),
  );
  const known = found.filter((each) => each !== undefined);
  if (known.length === 0) throw new UsageError(`there is no role ${role} in ${file}`);
  return outcomeOf(known.flat(), `${role} never allows ${permission}`);
}

const outcomeOf = (findings: readonly RoleFinding[], none: string): Outcome => ({
  data: findings,
  text: (paint) => formatRoleFindings(findings, none, paint),
  refused: findings.length > 0,
});

/** The matrices of a manifest: of each tenant, and of the roles that no tenant owns. Throws ProblemsError. */
async function matricesOf(file: string, { now }: Context): Promise<ReadonlyMap<string | undefined, Matrix>> {
  const { items } = await appliedManifest(await readFileAsDocument(file), now());
  const { reader } = createMemoryTable({ items });
  const { read } = queriesOn(reader, COMMANDS);
  const matrices = new Map<string | undefined, Matrix>();
  for (const scope of [undefined, ...(await allRoots(reader)).map(formatRef)])
    matrices.set(scope, await readMatrix(read, { scope }));
  return matrices;
}
