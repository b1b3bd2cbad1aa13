import { isId } from '../../../table/identifiers.ts';
import { UsageError } from '../../context.ts';
import { agree } from '../../destruction.ts';
import { argument, WRITING, YES } from '../../options.ts';
import { plain } from '../../print.ts';
import { openSender } from '../../provisioning.ts';
import { API } from '../../routes/subcommands.ts';
import { subcommand } from '../../subcommand.ts';

/** `gatehouse route remove`. An id names one route of all APIs. */
export const addRemove = subcommand({
  name: 'remove',
  summary: 'remove a route',
  description: 'Removes a route. gatehouse route list shows the ids of routes.',
  arguments: [argument('<id>', 'the id of a route')],
  options: { yes: YES, ...API, ...WRITING },
  examples: '  gatehouse route remove 01M7YAMYCAWSND2TZ7F47P6DYF --yes --actor pipeline',
  run: async ([id], options, context) => {
    if (!isId(id))
      throw new UsageError(`ID ${id} is not an id: gatehouse route list shows the ids of routes`);
    const sender = await openSender(options, context);
    const { send } = sender;
    // Read first: to say what it was. Of another API than the one that is named it is not removed.
    const { api, method, path } = await send('route.read', { id });
    if (options.api !== undefined && options.api !== api)
      throw new Error(`this route is one of the API ${api}, not of ${options.api}`);
    const label = `${method} ${path} of the API ${api} (route:${id})`;
    const said = `this removes ${label}: every request to it is refused then`;
    await agree(sender, [{ command: 'route.delete', input: { id } }], said, options, context);
    await send('route.delete', { id });
    return { data: { id, api, method, path, removed: true }, text: `removed ${plain(label)}\n` };
  },
});
