import { createHandleFrom } from '../../../scim/compose.ts';
import { openStore, tableOf } from '../../connection.ts';
import { LISTENING, serveOverHttp } from '../../serve/over-http.ts';
import { subcommand } from '../../subcommand.ts';

/** `gatehouse scim serve`: the SCIM server. */
export const addScimServe = subcommand({
  name: 'serve',
  summary: 'serve SCIM over HTTP',
  description: 'Serves /scim/v2 for identity providers, each with a credential of its connection.',
  options: LISTENING,
  examples: '  gatehouse scim serve --table gatehouse --public-url https://scim.example.com',
  notes: `Requests are carried out on the table in this process: it needs the rights of
provisioning. SIGTERM or Ctrl-C stops the server after it has answered the
requests in flight.`,
  run: (_, options, context) =>
    serveOverHttp(options, context, 'scim', async () => {
      const { env, now } = context;
      const store = await openStore(options, context);
      return {
        reader: store.reader,
        serve: (publicUrl, log) => ({
          handle: createHandleFrom(
            { ...env, TABLE_NAME: tableOf(options, env), PUBLIC_URL: publicUrl },
            { ...store, clock: { now }, log },
          ),
        }),
        close: async () => {},
      };
    }),
});
