/** A package of npm. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
}

/** The address of a package, as `pkg:npm/%40scope/name@1.0.0` (https://github.com/package-url/purl-spec). */
const purlOf = ({ name, version }: Package): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

const componentOf = (each: Package) => ({
  'bom-ref': purlOf(each),
  type: 'library',
  name: each.name,
  version: each.version,
  purl: purlOf(each),
  licenses: [{ expression: each.license }],
});

/**
 * A bill of materials in the form of CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/): what a package holds of others,
 * without a serial number and a time, so that the same build makes the same text.
 *
 * @param of the package that holds them
 */
export const billOf = (of: Package, packages: readonly Package[]): unknown => ({
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: componentOf(of) },
  components: packages.map(componentOf),
});
