import { beforeEach, describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { cardText } from '../support/card-text.ts';
import { NAMES, openSetup } from '../support/gate-setup.ts';
import { MODERATOR } from '../support/gated-community.ts';
import { Life } from '../support/mortal.ts';
import { EFFORT, killSteps } from '../support/random.ts';

/* `/gate setup` and its undo after somebody has deleted, renamed or moved the roles. */

const EN = textsFor('en');
/** More calls than a setup makes. */
const MOST_CALLS = 200;

let { guild, adapter, setup, names, rules, carryOut, say } = openSetup();

beforeEach(() => {
  ({ guild, adapter, setup, names, rules, carryOut, say } = openSetup());
});

describe('a rule whose role somebody has deleted', () => {
  const ids = async () => (await guild.gated.gating.rulesOf(guild.community)).map(({ id }) => id);

  it('gets a new role when an earlier setup made it, and the undo leaves nothing', async () => {
    await carryOut();
    const shark = adapter.made[2]?.id ?? '';
    const edited = (await guild.gated.gating.rulesOf(guild.community)).find(
      ({ grant }) => grant === shark,
    );
    await guild.gated.gating.edit(
      ...([guild.community, edited?.id ?? '', { graceSeconds: 7_200 }, MODERATOR] as const),
    );
    await adapter.deleteRole('', shark);
    await guild.pass();
    const asked = await say({});
    expect(cardText(asked)).toContain(EN.gate.setupDeleted);
    expect(cardText(asked)).not.toContain(EN.gate.setupNothing);
    expect(cardText(await say({ answer: 'go' }))).toContain(EN.gate.setupDone);
    const rules = await guild.gated.gating.rulesOf(guild.community);
    expect(rules).toHaveLength(5);
    expect(rules.every(({ paused }) => paused === undefined)).toBe(true);
    const remade = adapter.made.find(({ name }) => name === 'Shark');
    expect(rules.find(({ grant }) => grant === remade?.id)?.graceSeconds).toBe(7_200);
    expect(cardText(await say({}))).toContain(EN.gate.setupNothing);
    await say({ answer: 'sure' });
    expect(names()).toEqual([]);
    expect(await ids()).toEqual([]);
  });

  it('gets a new role, which whoever is barred from the old one isn’t given', async () => {
    await carryOut();
    const shark = adapter.made[2]?.id ?? '';
    await guild.gated.gating.barring.bar(guild.community, '1', shark, MODERATOR);
    await adapter.deleteRole('', shark);
    await guild.pass();
    await say({ answer: 'go' });
    const anew = adapter.made.find(({ name }) => name === 'Shark')?.id ?? '';
    const bars = await guild.store.gating.barsOf(guild.community, ['1']);
    expect(bars.filter(({ grant }) => grant === anew)).toMatchObject([{ by: MODERATOR }]);
  });

  it('gets a new role, also without the rule, and the moderator reads who is barred from it', async () => {
    adapter.others.push({ id: '501', name: '🐋 Whale' });
    await guild.gated.gating.barring.bar(guild.community, '1', '501', MODERATOR);
    adapter.others.pop();
    expect(cardText(await say({ answer: 'go' }))).toContain(EN.gate.stillBarred);
    const anew = adapter.made.find(({ name }) => name === 'Whale')?.id;
    const bars = await guild.store.gating.barsOf(guild.community, ['1']);
    expect(bars).toMatchObject([{ grant: anew, by: MODERATOR }]);
  });

  it('gets a new role beside one of its name, and the moderator reads that members are barred from that', async () => {
    const { cautions } = EN.gate;
    adapter.others.push({ id: '501', name: 'Whale' });
    await guild.gated.gating.barring.bar(guild.community, '1', '501', MODERATOR);
    expect(cardText(await say({ answer: 'new' }))).toContain(cautions['barred-namesake']);
    await setup().undo(guild.community, MODERATOR);
    expect(cardText(await say({ answer: 'go' }))).not.toContain(cautions['barred-namesake']);
  });

  it('gets a new role by another language’s name, which whoever is barred from the old one isn’t given', async () => {
    await carryOut();
    const whale = adapter.made.find(({ name }) => name === EN.tiers.Whale)?.id ?? '';
    await guild.gated.gating.barring.bar(guild.community, '1', whale, MODERATOR);
    await setup().undo(guild.community, MODERATOR);
    expect(names()).toEqual([]);
    await guild.gated.gating.choices.setLanguage(guild.community, 'es', MODERATOR);
    expect(cardText(await say({ answer: 'go' }))).toContain(EN.gate.stillBarred);
    const { tiers } = textsFor('es');
    const anew = adapter.made.find(({ name }) => name === tiers.Whale)?.id;
    const bars = await guild.store.gating.barsOf(guild.community, ['1']);
    expect(bars).toMatchObject([{ grant: anew, by: MODERATOR }]);
  });

  it('gets a new role when a moderator made it, and the undo puts the rule back as it was', async () => {
    adapter.others.push({ id: '501', name: 'Big fish' });
    const mine = await guild.rule({
      ...{ grant: '501', requirements: [{ kind: 'tier', tier: 'Whale' }] },
      ...{ exclusive: true, graceSeconds: 3_600 },
    });
    adapter.others.pop();
    await guild.pass();
    const before = await guild.gated.gating.rulesOf(guild.community);
    expect(before[0]?.paused).toBe('no-role');
    await carryOut();
    expect(names()).toEqual(NAMES);
    expect(await ids()).not.toContain(mine.id);
    // The role that came in its place goes, too.
    await adapter.deleteRole('', adapter.made[1]?.id ?? '');
    await carryOut();
    expect(await rules()).toHaveLength(5);
    const made = await guild.gated.gating.rulesOf(guild.community);
    expect(made.filter(({ exclusive }) => exclusive)).toHaveLength(1);
    await setup().undo(guild.community, MODERATOR);
    expect(names()).toEqual([]);
    expect(await guild.gated.gating.rulesOf(guild.community)).toEqual(before);
  });

  it('is replaced where there is no room for another rule', async () => {
    await carryOut();
    for (let least = 1; least <= 20; least++) {
      await guild.rule({ grant: '500', requirements: [{ kind: 'score', least }] });
    }
    await adapter.deleteRole('', adapter.made[0]?.id ?? '');
    expect(cardText(await say({ answer: 'go' }))).toContain(EN.gate.setupDone);
    expect(await rules()).toHaveLength(25);
  });
});

it.each([
  ['goes on', 'go'],
  ['is undone', 'sure'],
] as const)('A replaced rule %s exactly, wherever the process was killed', async (_, answer) => {
  for (const killedAt of killSteps(MOST_CALLS, EFFORT)) {
    ({ guild, adapter, setup, names, rules, carryOut, say } = openSetup());
    adapter.others.push({ id: '501', name: 'Big fish' });
    const requirements = [{ kind: 'tier', tier: 'Whale' }] as const;
    await guild.rule({ grant: '501', requirements, exclusive: true, graceSeconds: 3_600 });
    await carryOut();
    adapter.others.pop();
    await adapter.deleteRole('', adapter.made.find(({ name }) => name === 'Shark')?.id ?? '');
    await guild.pass();
    const found = await guild.gated.gating.rulesOf(guild.community);
    const before = found.find(({ grant }) => grant === '501');
    expect(before?.paused).toBe('no-role');
    const life = new Life(killedAt - 1, killedAt % 2 === 0);
    const { gating } = guild.open({
      store: life.of(guild.store.gating),
      adapterOf: () => life.of(adapter),
    });
    let isOver = false;
    const done = () => {
      isOver = true;
    };
    void gating.setup.carryOut(guild.community, MODERATOR, {}, false).then(done, done);
    await expect.poll(() => isOver || life.isOver, { interval: 1 }).toBe(true);
    const wasKilled = life.isOver;
    await say({ answer });
    const about = `killed in call ${killedAt}`;
    const left = await guild.gated.gating.rulesOf(guild.community);
    if (answer === 'go') {
      expect([names().length, left.length], about).toEqual([5, 5]);
      expect(new Set(names()), about).toEqual(new Set(NAMES));
      const chosen = new Map(left.map(({ grantName, exclusive }) => [grantName, exclusive]));
      expect(chosen, about).toEqual(new Map(NAMES.map((name) => [name, name === 'Whale'])));
      expect(
        left.filter(({ paused }) => paused !== undefined),
        about,
      ).toEqual([]);
      await say({ answer: 'sure' });
    }
    expect(names(), about).toEqual([]);
    expect(await guild.gated.gating.rulesOf(guild.community), about).toEqual([before]);
    await guild.store.close();
    if (wasKilled) continue;
    expect(killedAt).toBeGreaterThan(20);
    return;
  }
});

it('The undo of a setup names roles as they are called now, and those alone that are still there', async () => {
  await carryOut();
  const whale = adapter.made.find(({ name }) => name === 'Whale');
  if (whale !== undefined) whale.name = 'Orcas';
  await adapter.deleteRole('', adapter.made[0]?.id ?? '');
  adapter.join('9', whale?.id ?? '');
  const asked = cardText(await say({ answer: 'undo' }));
  expect(asked).toContain('*Orcas*');
  expect(asked).not.toContain('*Whale*');
  expect(asked).not.toContain('*Titan*');
  expect(cardText(await say({ answer: 'sure' }))).toContain('*@Orcas*');
});

it('The undo of a setup removes all but the roles that it may not delete, and names those as they are called now', async () => {
  await carryOut();
  const whale = adapter.made.find(({ name }) => name === 'Whale');
  if (whale !== undefined) whale.name = 'Orcas';
  adapter.before = (call) => (call === 'delete role Orcas' ? 'not-allowed' : undefined);
  const card = await say({ answer: 'sure' });
  expect(card.title).toBe(EN.gate.setupUndoStoppedTitle);
  const stopped = cardText(card);
  expect(stopped).toContain(EN.gate.setupStuck);
  expect(stopped).toContain('@Orcas');
  expect(names()).toEqual(['Orcas']);
  adapter.before = () => undefined;
  expect(cardText(await say({ answer: 'sure' }))).toContain(EN.gate.setupUndone);
  expect(names()).toEqual([]);
});
