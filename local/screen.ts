import { RESULT_TTL_SECONDS } from './apis.ts';
import type { Stack } from './stack.ts';

/** The one screen that the stack shows: what runs where, who there is, and lines to paste. */
export function describeStack(stack: Stack, cacheTtlSeconds: number, endedBy: string): string {
  const { url, lambdaUrl, dynamodb, table, school, tenants } = stack;
  const token = (email: string) =>
    `$(curl -s ${url}/_dev/token -d '{"user":"${email}"}' | sed 's/.*access_token":"\\([^"]*\\).*/\\1/')`;
  const page = (code: string, name: string) => `${url}/locations/${code}/pages/${name}`;
  return `
Gatehouse on this machine

  gateway            ${url}                HTTP API 2.0, simple answers
                     ${url}/http-policy    HTTP API 2.0, IAM policies
                     ${url}/rest           REST API, REQUEST authorizer, results cached ${RESULT_TTL_SECONDS} s
                     ${url}/rest-token     REST API, TOKEN authorizer
  identity provider  ${url}/_dev/token     POST {"user": "<email>"}
  Lambda Invoke API  ${lambdaUrl}                functions: provisioning, authorizer, authorizer-policy
  DynamoDB           ${dynamodb}                table ${table}

Who there is                                      pages: dashboard, schedule, grades
  tina@school.example     teacher, North School   victor@school.example   volunteer, North School
  sam@school.example      teacher North, volunteer South
  ada@school.example      administrator           dora@school.example     disabled
  alice@acme.example      manager of Acme         bob@acme.example        agent of Acme, nothing at Globex
  clara@acme.example      cleaner of Acme         olga@audit.example      auditor everywhere

Where: North School ${school.north}   South School ${school.south}
       Acme         ${tenants.acme}   Globex       ${tenants.globex}

Allowed (200): a teacher opens the grades of her school
  curl -i ${page(school.north, 'grades')} -H "Authorization: Bearer ${token('tina@school.example')}"

Refused (403): a volunteer tries the same
  curl -i ${page(school.north, 'grades')} -H "Authorization: Bearer ${token('victor@school.example')}"

Unknown (401): nobody in particular tries it
  curl -i ${page(school.north, 'grades')}

A change counts everywhere after at most ${cacheTtlSeconds} s (engine) and, under /rest, ${RESULT_TTL_SECONDS} s more (gateway).
${endedBy}
`;
}
