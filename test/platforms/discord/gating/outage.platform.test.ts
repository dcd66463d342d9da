import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { withOneWhale } from '../../../support/discord/gated-server.ts';

const { errors } = textsFor('en');

it('/gate run says that Discord is away, not the data', async () => {
  const { server } = await withOneWhale();
  const { rest } = server.discord;
  for (const route of ['guild', 'members', 'member', 'audit'] as const) {
    rest.upset(route, { status: 500, body: {} }, 99);
  }
  const said = await server.type('gate run');
  expect(said).toContain(errors.platformSilent('Discord', 5));
  expect(said).not.toContain(errors.unavailable(5));
});
