/**
 * How the five designs that the table comes from map onto it: their pattern and ours, side by side, for
 * docs/table.md. Where ours is the same, it says so.
 */
export interface SeedMapping {
  readonly seed: string;
  readonly rows: readonly (readonly [theirs: string, ours: string])[];
}

const SAME = 'the same';

export const SEEDS: readonly SeedMapping[] = [
  {
    seed: '000 and 001, account management',
    rows: [
      ['`CLIENT#id / METADATA`', '`CLIENT#id / META`'],
      ['`CLIENT#id / PROJECT#id`', 'node `PROJECT#id / META`, repeated whole at `CLIENT#id / PROJECT#id`'],
      ['`PROJECT#id / BUILDING#id`', 'node `BUILDING#id / META`, repeated at `PROJECT#id / BUILDING#id`'],
      [
        '`BUILDING#id / ZONE#id`, `BUILDING#id / DEVICE#id`',
        'nodes, repeated in their building (those within zones too) and in their zone',
      ],
      ['`USER#id / METADATA`, `client_id`', '`USER#id / META`, attribute `tenant`'],
      ['`CLIENT#id / ROLE#id`', 'node `ROLE#id / META`, repeated at `CLIENT#id / ROLE#id`'],
      [
        '`permissions` embedded in the role, or `ROLE#id / PERMISSION#id`',
        'edges `ROLE#id / PERMISSION#name`',
      ],
      ['`SYSTEM / PERMISSION#id`', '`PERMISSION#module:action:resource / META`, listed by GSI1'],
      [
        '`USER#id / ROLE#scope_type#scope_id#role_id`',
        '`USER#id / ASSIGNMENT#SCOPE#id#ROLE#id`, and from the scope and the role',
      ],
      [
        '`SCOPE#type#id / SUBSCRIPTION#module`',
        'node `SUBSCRIPTION#id / META`, repeated at `BUILDING#id / SUBSCRIPTION#id` and `MODULE#name / SUBSCRIPTION#id`',
      ],
      ['`SCOPE#type#id / SETTING#key`', '`BUILDING#id / SETTING#key`, `USER#id / SETTING#key`'],
      ['`CLIENT#id / AUDIT#time#id`', '`AUDIT#CLIENT#id#shard / time#id`: four partitions, read as one list'],
      ['`USER#id / TOKEN#id`', 'node `TOKEN#id / META`, repeated at `USER#id / TOKEN#id`'],
      ['`USER#id / SESSION#start#id`', 'node `SESSION#id / META`, repeated at `USER#id / SESSION#id`'],
      ['GSI1, a client and its entities by type', 'GSI2: `CLIENT#id`, `TYPE#time#id`'],
      ["GSI2, a user's access", "the base table: the user's partition"],
      ['GSI3, `EMAIL#email`', 'an item, guard and look-up in one: `EMAIL#email / META`'],
      ['GSI4, a client and its entities by time', 'GSI2, one type at a time'],
      ['GSI5, `MODULE#id`', "the base table: the module's partition"],
    ],
  },
  {
    seed: '002, platform',
    rows: [
      ['`ACCOUNT#id / METADATA`', '`ACCOUNT#id / META`'],
      [
        '`ACCOUNT#id / ADDRESS#`, `TECH_USER#`, `LICENSE#`, `WORKSTREAM#`',
        'nodes, repeated whole at `ACCOUNT#id / ADDRESS#id`, `TECHNICAL_USER#id`, `LICENSE#id`, `WORKSTREAM#id`',
      ],
      ['`ENTERPRISE#id / PRODUCT#`, `SERVICE#`', `${SAME}, and from the product or service back`],
      ['`WORKSTREAM#id / TOOL#id`', 'node `TOOL#id / META`, repeated at `WORKSTREAM#id / TOOL#id`'],
      ['`USER#id / WORKSTREAM#id`', `${SAME}, and from the workstream back`],
      ['`ROLE#id / PERMISSION#menu_key`', '`ROLE#id / PAGE#menu_key`'],
      ['`NOTIFICATION_AUDIT#id / METADATA`', '`NOTIFICATION#id / META`'],
      ['GSI1, `ENTITY#TYPE`', 'GSI1: `LIST#TYPE#shard`'],
      ['GSI2, `ACCOUNT#id#USERS`, `#ROLES`, `#NOTIFICATIONS`', 'GSI2: `ACCOUNT#id`, `TYPE#time#id`'],
      ['GSI2, `ENTERPRISE#id`: licences, workstreams', "the base table: the enterprise's partition"],
      ['GSI3, `TYPE#STATUS#status`, date', 'GSI3: `STATUS#TYPE#status#shard`, `date#id`'],
    ],
  },
  {
    seed: '003, ReBAC',
    rows: [
      ['`EMAIL#email / META` with `provider`', SAME],
      ['`USER#id / META`', `${SAME}; \`isAdmin\` is an edge to \`GLOBAL#GATEHOUSE\`, repeated in the user`],
      ['`LOCATION#id / META`, `LOCATION_CODE#code / META`', SAME],
      ['`GROUP#id / META`', `${SAME}, at any scope`],
      ['`ROLE#name / META`', '`ROLE#id / META`, and `ROLE_NAME#scope#name / META` as guard and look-up'],
      ['`PAGE#name / META`', SAME],
      ['`USER#id / LOCATION#id` and back', `${SAME}: a tenant grant, with roles or without`],
      ['`USER#id / GROUP#id` and back', SAME],
      ['`GROUP#id / ROLE#name`', '`GROUP#id / ROLE#id`, and back'],
      ['`ROLE#name / PAGE#name`', '`ROLE#id / PAGE#name`, and back'],
      ['three rounds of Query and GetItem for a decision', 'decision items: one BatchGetItem'],
    ],
  },
  {
    seed: '004, authorization schema',
    rows: [
      ['`TENANT#id / TENANT#id`', '`TENANT#id / META`'],
      ['GSI1, `TENANT_NAME#name`', 'an item: `TENANT_NAME#name / META`'],
      ['`USER#id / USER#id`', '`USER#id / META`; its `roles` are edges, repeated in the user'],
      [
        '`USER_EMAIL#`, `USER_PHONE#`, `USER_PREFERREDUSERNAME#`',
        '`EMAIL#`, `PHONE#`, `USERNAME#`, which are look-ups too',
      ],
      ['`ROLE_SCOPE#scope / ROLE_NAME#name`', '`ROLE_NAME#scope#name / META`'],
      ['GSI1, `ROLE#id`', 'the base table: `ROLE#id / META`'],
      ['`TENANT#id / USER#id`', SAME],
      ['GSI1, `USER#id / TENANT#id`', 'the base table: `USER#id / TENANT#id`'],
      ['GSI2, `TENANT_GRANT#id`', 'the base table: `GRANT#id / META`'],
      ['`GLOBAL / POLICY_NAME#name`', '`POLICY_NAME#name / META`; by prefix GSI2: `NAMES#POLICY#shard`'],
      ['GSI1, `POLICY#id`', 'the base table: `POLICY#id / META`'],
    ],
  },
];
