/**
 * A plugin of Serverless: lets each alias of deploy/stack/deployment.yml name the version of its function that is deployed. A
 * template cannot say it, because the logical id of a version ends in a hash of its code and configuration.
 */
export default class Versions {
  constructor(serverless) {
    const nameVersions = () => {
      const resources = Object.entries(serverless.service.provider.compiledCloudFormationTemplate.Resources);
      for (const [name, { Type, Properties }] of resources) {
        if (Type !== 'AWS::Lambda::Alias') continue;
        const own = resources.find(
          ([, each]) =>
            each.Type === 'AWS::Lambda::Version' &&
            each.Properties.FunctionName.Ref === Properties.FunctionName.Ref,
        );
        if (own === undefined)
          throw new serverless.classes.Error(
            `the alias ${name} is of a function without a version`,
            'VERSIONS',
          );
        Properties.FunctionVersion = { 'Fn::GetAtt': [own[0], 'Version'] };
      }
    };
    this.hooks = { 'after:aws:package:finalize:mergeCustomProviderResources': nameVersions };
  }
}
