import { writtenIn } from '../../table/decision/folded-roles.ts';
import { identityOf } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { nameOf, originOf } from './derive.ts';
import { othersOf } from './edge-items.ts';
import { ANY_GROUP, entriesOfEdge } from './entries.ts';
import { type Finding, type FindingCode, findingId } from './finding.ts';
import { attempt } from './relation.ts';

const OF_EDGES: ReadonlySet<FindingCode> = new Set(['edge_missing', 'edge_damaged', 'edge_differs']);

/**
 * Entries that seem to be too many because the copy of an edge is lost or damaged from which they were derived: another
 * copy says them, and the finding is that of the edge.
 *
 * @returns the ids of these findings
 */
export async function explained(reader: Reader, findings: readonly Finding[]): Promise<ReadonlySet<string>> {
  const keys = findings.flatMap(({ code, key }) => (OF_EDGES.has(code) ? [key, ...othersOf(key)] : []));
  const items = keys.length === 0 ? [] : await reader.getMany(keys);
  const entries = items.flatMap((item) => (item && attempt(() => entriesOfEdge(item, ANY_GROUP))) ?? []);
  const places = entries.flatMap((entry) => {
    const { at, attribute, member, apart, apartAs = attribute, byScope = attribute } = entry;
    const folded = writtenIn(true, entry) ?? entry;
    return [
      originOf(identityOf(at), nameOf(attribute, member)),
      originOf(identityOf(at), nameOf(byScope, member)),
      originOf(identityOf(at), nameOf(folded.attribute, folded.member)),
      ...(apart ? [originOf(identityOf(apart), nameOf(apartAs, member))] : []),
    ];
  });
  const said = new Set(places);
  return new Set(
    findings
      .filter(
        ({ code, key, attribute = '' }) =>
          code === 'decision_more' && said.has(originOf(identityOf(key), attribute)),
      )
      .map(findingId),
  );
}
