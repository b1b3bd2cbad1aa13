/** Entry of provisioning: the policy administration point. */
export {
  type AccessDifference,
  type AccessRow,
  type AccessSide,
  accessDifferenceBy,
  type Change,
  changesOf,
  peopleText,
} from './access-difference/index.ts';
export { COMMANDS } from './all-commands.ts';
export type { Answer, Failure, Success } from './answer.ts';
export type { PlanAnswer, PlannedChange } from './apply/commands.ts';
export { assertNoneErased } from './apply/erased.ts';
export { overriddenDeny } from './apply/overridden-deny.ts';
export { type Path, type Problem, pathOf, problemsOf } from './apply/problem.ts';
export { type Queries, queriesBy, queriesOn } from './apply/queries.ts';
export { changesBeyond, idsOf, readSavedPlan, type SavedPlan, savedPlan } from './apply/saved-plan.ts';
export { byText } from './canonical.ts';
export { type Command, mayTakeAway, takesAway } from './command.ts';
export { endsOfMembership } from './commands/memberships.ts';
export {
  type CommandDescription,
  describeCommand,
  describeCommands,
  type Field,
  fieldsOf,
  formerText,
  type Property,
  typeOf,
} from './documents/commands.ts';
export { asField, descriptionOf, namedBy } from './documents/named-fields.ts';
export { type Against, type AgainstRow, type AgainstSide, againstLog } from './evidence/against.ts';
export { gapLines, said, unknownLines } from './evidence/against-lines.ts';
export { type AskThen, askThen, type Question, type Then } from './evidence/instant.ts';
export { createCoverage, type LogCoverage } from './evidence/log-coverage.ts';
export { gapsIn } from './evidence/log-gaps.ts';
export { type DecisionRecord, type LogRecord, readLogLine } from './evidence/log-lines.ts';
export { type Counted, createLoggedQuestions, type LoggedQuestions } from './evidence/logged-questions.ts';
export { compareLogged, type LoggedThen, RESTS_ON } from './evidence/logged-then.ts';
export { allowedBy, type RoleFinding, widerIn } from './evidence/role-changes.ts';
export type { Removal } from './evidence/usage/removals.ts';
export { reportUsage, type UsageReport } from './evidence/usage/report.ts';
export { createUses } from './evidence/usage/uses.ts';
export { type Exported, type ExportOptions, exportManifest } from './export/export.ts';
export { partsOf } from './export/parts.ts';
export { fieldMeant } from './field-meant.ts';
export { formerOf, inCurrentNames } from './former-names.ts';
export { createIds } from './ids.ts';
export { inTurns } from './in-turns.ts';
export { readInvariants, readRootsWithInvariants, rootsOfInvariants } from './invariants/invariants-of.ts';
export { brokenLines } from './invariants/new-violations.ts';
export { type Proof, proveInvariants } from './invariants/prove.ts';
export type { Violation } from './invariants/violation.ts';
export { inPlainWords, toInvalid } from './issues.ts';
export { isOpen } from './kinds/entries.ts';
export {
  createMandates,
  type MandateReceipt,
  type Mandates,
  type MandatesOptions,
  type MandateUse,
} from './mandates.ts';
export { cellsByPlace, EFFECT_SIGNS, signsOf } from './matrix/cells.ts';
export { type Matrix, readMatrix } from './matrix/matrix.ts';
export { type Migrated, migrate } from './migrate/migrate.ts';
export { commandsOn } from './names/commands-on.ts';
export { type Candidate, type Found, findName, MAX_KEYS, oneMeant, type WantedName } from './names/find.ts';
export { descriptionsOf, nameIn, namesOf, namesOfSubjects } from './names/labels.ts';
export { closestPath, suggestName } from './names/suggest.ts';
export { allRoots } from './nodes/all-roots.ts';
export { readScimCredential, type ShownCredential } from './nodes/scim-credential.ts';
export type { Progress } from './plan.ts';
export {
  createProvisioning,
  type Hooks,
  type Provisioning,
  type ProvisioningOptions,
} from './provisioning.ts';
export {
  createCollection,
  type Gap,
  gapsOf,
  type Line,
  MAX_RECORDS,
  type Replayed,
  readLine,
  replay,
} from './replay/index.ts';
export {
  REVOCATION_DEFAULTS,
  type RevocationBound,
  type RevocationTimes,
  revocationBound,
} from './revocation-bound.ts';
export { type Changes, changesFor, type WantedRoute } from './routes/changes.ts';
export {
  isScopeName,
  pathProblem,
  permissionTemplate,
  scopeTemplate,
  unknownNames,
} from './routes/fields.ts';
export {
  DEFAULT_API,
  type Route,
  requirementText,
  ruleOf,
  type WrittenRoute,
  writtenOf,
} from './routes/route.ts';
export { type Leaves, writtenScope } from './routes/written-scopes.ts';
export {
  changedFields,
  planSections,
  type SentencePart,
  sentenceOf,
  stepText,
  subjectOf,
} from './sentences.ts';
export { type Checkpoint, type Finding, type Verified, type VerifyOptions, verify } from './verify/index.ts';
export { createPace } from './verify/walk.ts';
