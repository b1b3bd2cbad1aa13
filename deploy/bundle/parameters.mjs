import { tsImport } from 'tsx/esm/api';

/** A plugin of Serverless: stops packaging and deployment when a parameter is misspelt, missing or wrong. */
export default class Parameters {
  constructor(serverless) {
    const check = async () => {
      const { checkParameters } = await tsImport('./parameters.ts', import.meta.url);
      const { configurationInput, processedInput, service } = serverless;
      const stack = Object.entries(service.resources.Parameters).map(([name, { Default }]) => [
        name,
        Default,
      ]);
      try {
        checkParameters(
          processedInput.options.param ?? [],
          Object.keys(configurationInput.params.default),
          service.functions.authorizer.environment,
          Object.fromEntries(stack),
        );
      } catch (error) {
        throw new serverless.classes.Error(error.message, 'PARAMETERS');
      }
    };
    // A deployment begins with packaging, unless it is of one function.
    this.hooks = { 'before:package:cleanup': check, 'before:deploy:function:initialize': check };
  }
}
