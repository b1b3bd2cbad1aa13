import { explorerLine } from '../explorer/stack.ts';
import { secondTerminal, tableLine, tokenFor } from '../screen.ts';
import { RESULT_TTL_SECONDS } from './apis.ts';
import type { SampleStack } from './stack.ts';

/** The stack's screen: addresses, people, places, and commands to paste. */
export function describeSample(stack: SampleStack, cacheTtlSeconds: number): string {
  const { url, lambdaUrl, explorer, school, tenants, facilities, platform } = stack;
  const token = (email: string) => tokenFor(url, email);
  const page = (code: string, name: string) => `${url}/locations/${code}/pages/${name}`;
  const doors = (building: string) => `${url}/buildings/${building}/doors`;
  const climate = (building: string) => `-X POST ${url}/buildings/${building}/climate`;
  const theo = token('theo@northwind.example');
  const issue = `{"command":"token.create","input":{"user":"technical-user:${platform.robot}","tokenType":"api"}}`;
  const invocations = `${lambdaUrl}/2015-03-31/functions/provisioning/invocations`;
  const robotToken = `$(curl -s ${invocations} -d '${issue}' | sed 's/.*"token":"\\(gh1_[^"]*\\).*/\\1/')`;
  return `
Gatehouse on this machine

  gateway            ${url}                HTTP API 2.0, simple answers
                     ${url}/http-policy    HTTP API 2.0, IAM policies
                     ${url}/http-1.0       HTTP API 1.0
                     ${url}/rest           REST API, REQUEST authorizer, results cached ${RESULT_TTL_SECONDS} s
                     ${url}/rest-token     REST API, TOKEN authorizer
                     ${url}/rest-whole     REST API, cached by the token alone: policies for the whole API
                     ${url.replace('http', 'ws')}/ws?location=… WebSocket API, authorized at $connect
  identity provider  ${url}/_dev/token     POST {"user": "<email>"}
  permissions        ${url}/_dev/permissions?scope=…   what the caller of a token may do there
${explorerLine(explorer)}
  Lambda Invoke API  ${lambdaUrl}                functions: provisioning, authorizer, authorizer-policy
  DynamoDB           ${tableLine(stack)}

${secondTerminal(
  stack,
  `check tina@school.example grades 'North School'`,
  'command user.read email=tina@school.example',
)}

Who there is                                      pages: dashboard, schedule, grades
  tina@school.example     teacher, North School   victor@school.example   volunteer, North School
  sam@school.example      teacher North, volunteer South
  ada@school.example      administrator           dora@school.example     disabled
  alice@acme.example      manager of Acme         bob@acme.example        agent of Acme, nothing at Globex
  clara@acme.example      cleaner of Acme         olga@audit.example      auditor everywhere
  nora@northwind.example  estate manager, Northwind Estates: everywhere below
  theo@northwind.example  technician, Harbour: Lighthouse and Boathouse, zones and devices
  rita@northwind.example  receptionist, Lighthouse alone
  carl@northwind.example  caretaker: Lighthouse until 2024, Boathouse until 2099
  gwen@northwind.example  caretaker, Gardens: Orangery
  petra@bluefin.example   analyst, Routes (licensed) and Timetables (licence expired)
  milo@bluefin.example    member of the same workstreams, without a role
  Report robot            analyst of all Bluefin: a program, with an API token instead of an email

Where: North School ${school.north}   South School ${school.south}
       Acme         ${tenants.acme}   Globex       ${tenants.globex}
       Northwind    ${facilities.client}   Bluefin      ${platform.account}
       Harbour      ${facilities.harbour}   Gardens      ${facilities.gardens}
       Lighthouse   ${facilities.lighthouse}   Orangery     ${facilities.orangery}
       Boathouse    ${facilities.boathouse}
       Routes       ${platform.routes}   Timetables   ${platform.timetables}

Allowed (200): a teacher opens the grades of her school
  curl -i ${page(school.north, 'grades')} -H "Authorization: Bearer ${token('tina@school.example')}"

Refused (403): a volunteer does the same
  curl -i ${page(school.north, 'grades')} -H "Authorization: Bearer ${token('victor@school.example')}"

Unknown (401): a request without a token
  curl -i ${page(school.north, 'grades')}

Allowed (200): a technician reads the doors of a building; his role is at the project above it
  curl -i ${doors(facilities.lighthouse)} -H "Authorization: Bearer ${theo}"

Refused (403): the same in a building of another project
  curl -i ${doors(facilities.orangery)} -H "Authorization: Bearer ${theo}"

Refused (403): he sets the climate of a building without a subscription; the Lighthouse has one (200)
  curl -i ${climate(facilities.boathouse)} -H "Authorization: Bearer ${theo}"

Allowed (200): a program with an API token, which this command issues
  curl -i ${url}/workstreams/${platform.routes}/reports -H "Authorization: Bearer ${robotToken}"

A change takes effect everywhere after at most ${cacheTtlSeconds} s (engine) and, under /rest, ${RESULT_TTL_SECONDS} s more (gateway).
Ctrl-C ends everything.
`;
}
