import { isId } from '../../../table/identifiers.ts';
import { UsageError } from '../../context.ts';
import { agree, YES } from '../../destruction.ts';
import { OK } from '../../exit-codes.ts';
import { asJson, plain } from '../../print.ts';
import { addActorOption, connectForWriting, type WriteOptions } from '../../provisioning.ts';
import { type RouteOptions, withRouteOptions } from '../../routes/subcommands.ts';
import type { Subcommand } from '../../subcommand.ts';

/** `gatehouse route remove`. An id names one route of all APIs. */
export const addRemove: Subcommand = (route, context, finish) => {
  const command = route
    .command('remove')
    .summary('remove a route')
    .description('Removes a route. gatehouse route list shows the ids of routes.')
    .argument('<id>', 'the id of a route');
  addActorOption(
    withRouteOptions(
      command.option(...YES),
      '  gatehouse route remove 01M7YAMYCAWSND2TZ7F47P6DYF --yes --actor pipeline',
    ),
  ).action(async (id: string, options: RouteOptions & WriteOptions & { readonly yes?: boolean }) => {
    if (!isId(id))
      throw new UsageError(`ID ${id} is not an id: gatehouse route list shows the ids of routes`);
    const editing = await connectForWriting(options, context);
    const { send } = editing;
    // Read first: to say what it was. Of another API than the one that is named it is not removed.
    const { api, method, path } = await send('route.read', { id });
    if (options.api !== undefined && options.api !== api)
      throw new Error(`this route is one of the API ${api}, not of ${options.api}`);
    const label = `${method} ${path} of the API ${api} (route:${id})`;
    const said = `this removes ${label}: every request to it is refused then`;
    await agree(editing, [{ command: 'route.delete', input: { id } }], said, options, context);
    await send('route.delete', { id });
    context.out(
      options.json ? asJson({ id, api, method, path, removed: true }) : `removed ${plain(label)}\n`,
    );
    finish(OK);
  });
};
