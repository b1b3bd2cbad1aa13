/** The paths of the API (section 10.1), below the base URL. */
export const PATHS = {
  evaluation: '/access/v1/evaluation',
  evaluations: '/access/v1/evaluations',
  subjects: '/access/v1/search/subject',
  resources: '/access/v1/search/resource',
  actions: '/access/v1/search/action',
} as const;

const WELL_KNOWN = '/.well-known/authzen-configuration';

export type Metadata = ReturnType<typeof metadataOf>;

/**
 * What a policy decision point says of itself (section 9), and where.
 *
 * @param publicUrl the base URL, without query and fragment, as enforcement points know it
 */
export function metadataOf(publicUrl: string) {
  const { origin, pathname } = new URL(publicUrl);
  const base = pathname.replace(/\/+$/, '');
  const url = (path: string): string => `${origin}${base}${path}`;
  return {
    /** The path of the base URL, as `/tenant1`; empty for none. All paths of the API begin with it. */
    base,
    /** The path of the metadata: the well-known part comes before the path of the base URL. */
    path: `${WELL_KNOWN}${base}`,
    document: {
      policy_decision_point: url(''),
      access_evaluation_endpoint: url(PATHS.evaluation),
      access_evaluations_endpoint: url(PATHS.evaluations),
      search_subject_endpoint: url(PATHS.subjects),
      search_resource_endpoint: url(PATHS.resources),
      search_action_endpoint: url(PATHS.actions),
    },
  };
}
