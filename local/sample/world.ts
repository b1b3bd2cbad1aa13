import { createFacilities, type Facilities } from './facilities.ts';
import { createPlatform, type Platform } from './platform.ts';
import type { Provision } from './provision.ts';
import { createSchool, type School } from './school.ts';
import { createTenants, type Tenants } from './tenants.ts';

/** The sample world of `gatehouse dev`, in four parts. */
export interface SampleWorld {
  readonly school: School;
  readonly tenants: Tenants;
  readonly facilities: Facilities;
  readonly platform: Platform;
}

export async function createSampleWorld(provision: Provision): Promise<SampleWorld> {
  const school = await createSchool(provision);
  const tenants = await createTenants(provision);
  const facilities = await createFacilities(provision);
  const platform = await createPlatform(provision);
  return { school, tenants, facilities, platform };
}
