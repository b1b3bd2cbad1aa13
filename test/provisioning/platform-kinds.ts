import type { Kind } from './kind.ts';
import type { Input } from './support.ts';

/** What hangs on scopes beside grants, and the records that are kept of people, with examples of each input. */
export function platformKinds(
  id: (command: string, input: Input) => Promise<string>,
  fresh: (word: string) => string,
): readonly Kind[] {
  const account = async () => `account:${await id('account.create', { name: fresh('Account') })}`;
  const enterprise = async () => `enterprise:${await id('enterprise.create', { name: fresh('Enterprise') })}`;
  const workstream = async () =>
    `workstream:${await id('workstream.create', { parent: await account(), enterprise: await enterprise(), name: 'Payroll' })}`;
  const location = async () => `location:${await id('location.create', { name: 'Place' })}`;
  const user = () => id('user.create', {});
  const module = async () => {
    const name = fresh('module');
    await id('module.create', { name });
    return name;
  };
  const page = async () => {
    const name = fresh('page');
    await id('page.create', { name });
    return name;
  };
  const [early, late] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
  const item = (type: string): Kind => ({
    type,
    create: async () => ({ name: fresh(type), description: 'used', status: 'active' }),
    named: [['id']],
    changes: async () => ({ name: fresh(type), description: null, status: 'inactive' }),
    lists: [[]],
  });
  const use = (type: 'product' | 'service'): Kind => ({
    type: `enterprise-${type}`,
    create: async () => ({
      enterprise: await enterprise(),
      [type]: await id(`${type}.create`, { name: fresh(type) }),
      assignedAt: early,
    }),
    named: [['enterprise', type]],
    changes: async () => ({ assignedAt: late }),
    lists: [['enterprise'], [type]],
  });
  return [
    {
      type: 'technical-user',
      create: async () => ({
        account: await account(),
        name: 'robot',
        description: 'counts',
        status: 'active',
        endsAt: late,
      }),
      named: [['id']],
      changes: async () => ({ name: 'robots', description: null, status: 'inactive', endsAt: null }),
      lists: [[], ['account']],
    },
    {
      type: 'subject-type',
      create: async () => ({ name: fresh('robot'), description: 'machines' }),
      named: [['name']],
      changes: async () => ({ description: null }),
      lists: [[]],
    },
    {
      type: 'subject',
      create: async () => ({
        type: 'agent',
        name: 'arm',
        description: 'lifts',
        tenant: await account(),
        status: 'active',
        endsAt: late,
        mandateOptional: true,
      }),
      reference: 'user',
      named: [['type', 'id']],
      changes: async () => ({
        name: null,
        description: null,
        tenant: null,
        status: 'disabled',
        endsAt: null,
        mandateOptional: null,
      }),
      lists: [[], ['type'], ['tenant'], ['status']],
    },
    {
      type: 'subscription',
      create: async () => ({
        scope: await location(),
        module: await module(),
        status: 'trial',
        tier: 'standard',
        startDate: early,
        endDate: late,
        autoRenew: true,
        usageQuota: { seats: 5 },
        createdBy: await user(),
      }),
      named: [['id']],
      changes: async () => ({ status: 'active', tier: 'premium', endDate: null, usageQuota: null }),
      lists: [[], ['scope'], ['module'], ['status']],
    },
    {
      type: 'license',
      create: async () => ({
        account: await account(),
        enterprise: await enterprise(),
        name: 'Payroll for all',
        status: 'active',
        startDate: early,
        endDate: late,
      }),
      named: [['id']],
      changes: async () => ({ status: 'expired', startDate: null }),
      lists: [[], ['account'], ['enterprise'], ['status']],
    },
    {
      type: 'address',
      create: async () => ({
        account: await account(),
        label: 'Head office',
        street: 'Street 1',
        city: 'Berlin',
        state: 'Berlin',
        country: 'Germany',
        postalCode: '10115',
        isPrimary: true,
      }),
      named: [['id']],
      changes: async () => ({ label: null, city: 'Bonn', isPrimary: false }),
      lists: [[], ['account']],
    },
    {
      type: 'tool',
      create: async () => ({
        workstream: await workstream(),
        name: 'Board',
        description: 'shows',
        url: 'https://tool.example/board',
      }),
      named: [['id']],
      changes: async () => ({ name: 'Boards', url: null }),
      lists: [[], ['workstream']],
    },
    item('product'),
    item('service'),
    {
      type: 'workstream-member',
      create: async () => ({ user: await user(), workstream: await workstream(), assignedAt: early }),
      named: [['user', 'workstream']],
      changes: async () => ({ assignedAt: late }),
      lists: [['user'], ['workstream']],
    },
    use('product'),
    use('service'),
    {
      type: 'setting',
      create: async () => ({
        scope: await location(),
        key: 'theme',
        value: '7',
        valueType: 'number',
        isOverridable: false,
        description: 'a number',
        updatedBy: await user(),
      }),
      named: [['scope', 'key']],
      changes: async () => ({ value: 'dark', valueType: 'string', isOverridable: true, description: null }),
      lists: [['scope']],
    },
    {
      type: 'token',
      create: async () => ({
        user: await user(),
        tenant: await account(),
        tokenType: 'refresh',
        issuedAt: early,
        expiresAt: '2026-02-20T00:00:00.000Z',
        payload: { device: 'phone' },
        deviceId: 'phone-1',
        ipAddress: '192.0.2.1',
      }),
      named: [['id']],
      changes: async () => ({ payload: null, deviceId: 'phone-2' }),
      lists: [[], ['user'], ['tenant']],
    },
    {
      type: 'session',
      create: async () => ({
        user: await user(),
        tenant: await account(),
        ssoProvider: 'google',
        sessionStart: early,
        sessionEnd: late,
        ipAddress: '2001:db8::1',
        userAgent: 'browser/1',
        deviceInfo: { os: 'linux' },
        mfaVerified: true,
        location: 'Berlin',
        status: 'active',
      }),
      named: [['id']],
      changes: async () => ({ status: 'revoked', sessionEnd: null }),
      lists: [[], ['user'], ['tenant'], ['status']],
    },
    {
      type: 'notification',
      create: async () => ({
        notificationType: 'welcome',
        account: await account(),
        accountName: 'Account',
        userId: await user(),
        recipientEmail: 'ann@example.com',
        recipientFirstName: 'Ann',
        recipientLastName: 'Arbor',
        deliveryStatus: 'failed',
        sesMessageId: 'm-1',
        errorMessage: 'mailbox full',
        skipReason: 'none',
        senderEmail: 'desk@example.com',
        subject: 'Welcome',
        sentAt: early,
        metadata: { try: 1 },
      }),
      named: [['id']],
      changes: async () => ({ deliveryStatus: 'sent', errorMessage: null, sentAt: late }),
      lists: [[], ['account'], ['deliveryStatus']],
    },
    {
      type: 'scope-type',
      create: async () => ({
        name: fresh('campus'),
        root: true,
        parents: ['project'],
        children: ['building'],
        description: 'several buildings',
      }),
      named: [['name']],
      changes: async () => ({ parents: ['client'], children: [], root: false, description: null }),
      lists: [[]],
    },
    {
      type: 'role-template',
      create: async () => ({
        name: fresh('template'),
        description: 'for clerks',
        permissions: [
          { permission: await page(), effect: 'ALLOW' },
          { permission: 'reports:*:*', effect: 'DENY' },
        ],
      }),
      named: [['id'], ['name']],
      changes: async () => ({
        name: fresh('template'),
        description: null,
        permissions: [{ permission: 'reports:*:*', effect: 'ALLOW' }],
      }),
      lists: [[]],
    },
    {
      type: 'module',
      create: async () => ({ name: fresh('module'), description: 'a part', soldBySubscription: false }),
      named: [['name']],
      changes: async () => ({ description: 'another part' }),
      lists: [[]],
    },
    {
      type: 'policy',
      create: async () => ({ policyId: fresh('p'), name: fresh('ticket'), description: 'enforces' }),
      named: [['policyId'], ['name']],
      changes: async () => ({ name: fresh('tenant'), description: null }),
      lists: [[]],
    },
  ];
}
