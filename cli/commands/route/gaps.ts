import { BASE_PATH, basePathOf, DOCUMENT, readApiDocument } from '../../openapi/api-document.ts';
import { findGaps, formatGaps, gapsData, hasFailed, readPublic } from '../../openapi/gaps.ts';
import { flag, repeated } from '../../options.ts';
import { API, readApi } from '../../routes/subcommands.ts';
import { subcommand } from '../../subcommand.ts';

/** `gatehouse route gaps`: operations that no rule covers, rules that no operation uses. */
export const addGaps = subcommand({
  name: 'gaps',
  summary: 'find operations of an API that no route covers',
  description: 'Compares an OpenAPI document, or an export of API Gateway, with the routes of an API.',
  arguments: [DOCUMENT],
  options: {
    public: repeated(
      '<operation>',
      "an operation that is public on purpose, such as 'GET /health'; may be repeated",
    ),
    strict: flag('exit code 1 also for operations that only wider routes cover, and for unused routes'),
    basePath: BASE_PATH,
    ...API,
  },
  examples: `  gatehouse route gaps openapi.yaml
  gatehouse route gaps export.yaml --public 'GET /health' --strict`,
  notes: `API Gateway exports its own document:
  aws apigateway get-export --rest-api-id ID --stage-name STAGE --export-type oas30 \\
    --parameters extensions=apigateway --accepts application/yaml export.yaml
  aws apigatewayv2 export-api --api-id ID --specification OAS30 --output-type YAML export.yaml`,
  run: async ([file], options, context) => {
    const document = await readApiDocument(file, basePathOf(options.basePath));
    const intended = readPublic(options.public, document);
    const { api, routes } = await readApi(options, context);
    const gaps = findGaps(api, document, routes, intended);
    return {
      data: gapsData(gaps),
      text: (paint) => formatGaps(gaps, paint),
      refused: hasFailed(gaps, options.strict === true),
    };
  },
});
