import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { shortAddress } from '#wallet/wallet';
import { user } from '../../../../bench/servers/discord/world.ts';
import { eventually } from '../../../support/eventually.ts';
import {
  type FixedSource,
  fixedWallets,
  NOW,
  TITAN,
  WHALE,
} from '../../../support/fixed-source.ts';
import { type RolesWorld, rolesWorld } from '../../../support/linked-roles.ts';

const VERA = user('vera');

/** A world in which someone with a wallet is connected and was updated. */
async function connected(): Promise<RolesWorld> {
  const world = await rolesWorld();
  await world.link(VERA, WHALE, NOW - 86_400);
  await world.connect(VERA);
  world.roles.begin();
  await eventually(() => world.discord.metadata.length > 0);
  world.discord.asked.length = 0;
  return world;
}

describe('nothing lower is pushed', () => {
  /** Ways in which a reading tells nothing. */
  const DOUBTS: [string, (world: RolesWorld) => void][] = [
    [
      'that fails',
      (world) => {
        world.source.upset = () => {
          throw new RetryableError('down');
        };
      },
    ],
    [
      'that fails half way',
      (world) => {
        world.source.upset = (reading) => failFor(reading, TITAN.address);
      },
    ],
    [
      'that is stale',
      (world) => {
        world.source.upset = (reading) => {
          reading.isStale = true;
        };
      },
    ],
    [
      'whose points may be missing',
      (world) => {
        world.source.wallets = fixedWallets().map((each) => ({ ...each, score: each.score / 2 }));
        world.source.upset = (reading) => {
          reading.isPartial = true;
        };
      },
    ],
    [
      'that is old',
      (world) => {
        world.source.upset = (reading) => {
          reading.ageSeconds = 301;
        };
      },
    ],
    [
      'of a source that has lost everything',
      (world) => {
        world.source.wallets = [];
      },
    ],
    [
      'of a source that has lost most of it',
      (world) => {
        world.source.wallets = fixedWallets().slice(-20);
      },
    ],
    [
      'of a source that says zero for everybody',
      (world) => {
        world.source.wallets = fixedWallets().map((each) => ({ ...each, score: 0 }));
      },
    ],
  ];

  it.each(DOUBTS)('on a read %s, however often', async (_, upset) => {
    const world = await connected();
    await world.link(VERA, TITAN);
    await eventually(() => world.value('tier', VERA) === '5');
    world.discord.asked.length = 0;
    upset(world);
    for (let i = 0; i < 12; i += 1) await world.pass(1_201);
    expect(world.value('tier', VERA)).toBe('5');
    expect(world.discord.count('put') + world.discord.count('delete')).toBe(0);
  });

  it('when most of a source is gone, until that has lasted a day', async () => {
    const world = await connected();
    world.source.wallets = fixedWallets().slice(-20);
    world.source.set(WHALE, { score: 1_000 });
    for (let i = 0; i < 6; i += 1) await world.pass(1_201);
    expect(world.value('score', VERA)).toBe('7420');
    expect(world.said().filter((line) => line.includes('half of the wallets'))).toHaveLength(1);
    await world.pass(86_400);
    for (let i = 0; i < 4; i += 1) await world.pass(1_201);
    expect(world.value('score', VERA)).toBe('1000');
  });

  it('on two reads, nor on many within an hour, but on three over an hour', async () => {
    const world = await connected();
    world.source.set(WHALE, { score: 1_000 });
    const expected = ['7420', '7420', '7420', '7420', '7420', '7420', '1000'];
    for (const score of expected) {
      // The last of these readings comes an hour after the first.
      await world.pass(601);
      expect(world.value('score', VERA)).toBe(score);
    }
    expect(world.discord.known(VERA)).toMatchObject({
      platform_username: shortAddress(WHALE.address),
      metadata: { tier: '2' },
    });
  });

  it('when a read in between contradicts it', async () => {
    const world = await connected();
    for (const score of [1_000, 1_000, 1_000, 7_420, 1_000, 1_000, 1_000]) {
      world.source.set(WHALE, { score });
      await world.pass(1_201);
      expect(world.value('score', VERA)).toBe('7420');
    }
  });

  it('than the best of three readings, also if the last one is lower', async () => {
    const world = await connected();
    for (const score of [3_000, 1_000, 2_500, 0]) {
      world.source.set(WHALE, { score });
      await world.pass(1_201);
    }
    expect(world.value('score', VERA)).toBe('3000');
  });

  it('for one figure while another improves at once', async () => {
    const world = await connected();
    world.source.set(WHALE, { score: 8_000, badges: [] });
    await world.pass(601);
    await eventually(() => world.value('score', VERA) === '8000');
    expect(world.value('badges', VERA)).toBe('8');
    for (let i = 0; i < 4; i += 1) await world.pass(1_201);
    expect(world.value('badges', VERA)).toBe('0');
  });

  it('after a restart: earlier reads still count', async () => {
    const world = await connected();
    world.source.set(WHALE, { score: 1_000 });
    await world.pass(601);
    await world.pass(1_201);
    await world.roles.stop();
    world.another().begin();
    await world.pass(1_201);
    expect(world.value('score', VERA)).toBe('7420');
    await world.pass(1_201);
    expect(world.value('score', VERA)).toBe('1000');
  });

  it('for a member who reconnects while the source briefly shows less', async () => {
    const world = await connected();
    world.source.set(WHALE, { score: 0 });
    await world.connect(VERA);
    expect(world.value('score', VERA)).toBe('7420');
  });
});

function failFor(reading: FixedSource, address: string): void {
  const reputation = reading.reputation.bind(reading);
  reading.reputation = (wallet) => {
    if (wallet.address === address) throw new RetryableError('down');
    return reputation(wallet);
  };
}
