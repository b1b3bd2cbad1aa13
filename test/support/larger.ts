/**
 * Unit and integration tests that the soak tier runs again: with larger sizes (tier.ts), or on the DynamoDB engine instead
 * of a light world.
 */
export const LARGER: readonly string[] = `
authorizer/policies/compile.property.integration authorizer/policies/equivalence.integration
cli/bulk/faults.integration cli/network-faults.integration cli/route-changes.property.integration
engine/conditions/hostile engine/explain/agreement
engine/search/agreement.integration isolation/isolation.property proof/oracle/oracle.integration
provisioning/apply/gap provisioning/apply/order.property.integration
provisioning/copies.integration provisioning/corners.integration provisioning/dry-run
provisioning/evidence/against.property.integration provisioning/evidence/instant-histories.integration
provisioning/invariants/prove.property.integration provisioning/invariants/enforce.property.integration provisioning/evidence/usage/random-histories.integration
engine/rows/exact-pages.integration
provisioning/interleaving provisioning/limits.integration
provisioning/long-deletions.integration provisioning/mandate-use.integration provisioning/moves.integration provisioning/newer-forms
provisioning/operations provisioning/role-templates.integration
provisioning/split-reused-ids.integration provisioning/split-scope.integration provisioning/stamps
provisioning/transaction
provisioning/verify-product.integration runbooks/rehearsals.integration scim/isolation.property
scim/repeated-sync.integration scim/scale.integration table/sequence.property authorizer/policies/bounds authorizer/policies/glob middleware/request-lines.integration
cli/command.integration cli/exit-codes.integration cli/verify.integration
provisioning/names/paths.property proof/oracle/cel/cel-go.integration
`
  .trim()
  .split(/\s+/)
  .map((name) => `test/${name}.test.ts`);
