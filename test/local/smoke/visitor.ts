/** A token of a user of the stack at this origin. */
export async function tokenFrom(url: string, user: string): Promise<string> {
  const answer = await fetch(`${url}/_dev/token`, { method: 'POST', body: JSON.stringify({ user }) });
  return ((await answer.json()) as { access_token: string }).access_token;
}

export const gradesOf = (location: string): string => `/locations/${location}/pages/grades`;
