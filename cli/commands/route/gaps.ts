import { wantsColours } from '../../context.ts';
import { OK, REFUSED } from '../../exit-codes.ts';
import { basePathOf, readApiDocument } from '../../openapi/api-document.ts';
import { findGaps, formatGaps, gapsData, hasFailed, readPublic } from '../../openapi/gaps.ts';
import { asJson } from '../../print.ts';
import { collect, type RouteOptions, readApi, withRouteOptions } from '../../routes/subcommands.ts';
import type { Subcommand } from '../../subcommand.ts';

interface GapsOptions extends RouteOptions {
  readonly basePath?: string;
  readonly public: readonly string[];
  readonly strict?: boolean;
}

const EXAMPLES = `  gatehouse route gaps openapi.yaml
  gatehouse route gaps export.yaml --public 'GET /health' --strict`;

const NOTES = `API Gateway exports its own document:
  aws apigateway get-export --rest-api-id ID --stage-name STAGE --export-type oas30 \\
    --parameters extensions=apigateway --accepts application/yaml export.yaml
  aws apigatewayv2 export-api --api-id ID --specification OAS30 --output-type YAML export.yaml`;

/** `gatehouse route gaps`: operations that no rule covers, rules that no operation uses. */
export const addGaps: Subcommand = (route, context, finish) => {
  const command = route
    .command('gaps')
    .summary('find operations of an API that no route covers')
    .description('Compares an OpenAPI document, or an export of API Gateway, with the routes of an API.')
    .argument('<file>', 'the document, in YAML or JSON')
    .option(
      '--public <operation>',
      "an operation that is public on purpose, such as 'GET /health'; may be repeated",
      collect,
      [],
    )
    .option('--strict', 'exit code 1 also for operations that only wider routes cover, and for unused routes')
    .option('--base-path <path>', 'a prefix for every path of the document, such as /v1');
  withRouteOptions(command, EXAMPLES, NOTES).action(async (file: string, options: GapsOptions) => {
    const document = await readApiDocument(file, basePathOf(options.basePath));
    const intended = readPublic(options.public, document);
    const { api, routes } = await readApi(options, context);
    const gaps = findGaps(api, document, routes, intended);
    context.out(options.json ? asJson(gapsData(gaps)) : formatGaps(gaps, wantsColours(context)));
    finish(hasFailed(gaps, options.strict === true) ? REFUSED : OK);
  });
};
