import { parse } from 'dotenv';
import { describe, expect, it } from 'vitest';
import { askBots, BOTS, envText } from '#cli/init/bots';
import { initCommand } from '#cli/init/command';
import { converse, type InitGiven } from '#cli/init/conversation';
import { readNodesOption, readRulesOption } from '#cli/init/read-options';
import { PromptsCancelled } from '#cli/prompts/prompts';
import { answering, contextOf, NOTHING } from '../support/init-answers.ts';

const GOVERNOR = '0x323A76393544d5ecca80cd6ef2A560C6a395b7E3';

describe('fathom init', () => {
  it('takes the token of every platform that has one by an option, which the help explains', () => {
    for (const { option, variable } of BOTS) {
      expect(initCommand.options).toHaveProperty(option, { type: 'string' });
      expect(initCommand.help).toMatch(new RegExp(`^  --${option} TOKEN .*\\b${variable}\\b`, 'm'));
    }
  });

  it('asks for what it needs, and again after an answer that is no use', async () => {
    const { prompts, said, say, left } = answering([
      ['Where should data be kept?', 'sqlite'],
      ['Which bots should run?', ['DISCORD_TOKEN']],
      ['Discord: the bot', 'a-token-of-discord'],
      ['What should count?', ['governor', 'snapshot']],
      ['What is your community called?', 'Reef DAO'],
      ['On which chain?', 'eip155:1'],
      ['URL of a node of Ethereum', 'ftp://no'],
      ['URL of a node of Ethereum', 'https://one.example.org/KEY'],
      ['URL of a second node', ''],
      ['Address of the Governor', 'reef.eth'],
      ['Address of the Governor', GOVERNOR],
      ['to read from', '18500000'],
      ['Points for a vote', ''],
      ['Points for a proposal', '250'],
      ['Id of the space', 'reef.eth'],
      ['Points for a vote', '20'],
    ]);
    const { settings, rules = '' } = await converse(contextOf({ prompts, say }));
    expect(left).toEqual([]);
    expect(said).toContain('"reef.eth" isn\'t an address of 0x and 40 hex digits.');
    expect(said).toContain('Enter a URL such as https://eth.example.org/KEY.');
    expect(said.join('\n')).not.toContain('a-token-of-discord');
    expect(Object.fromEntries(settings.map(({ name, value }) => [name, value]))).toEqual({
      DATABASE_URL: 'sqlite:./data/fathom.db',
      DISCORD_TOKEN: 'a-token-of-discord',
      ETHEREUM_RPC_URL: 'https://one.example.org/KEY',
      SNAPSHOT_HUB_URL: 'https://hub.snapshot.org',
      RULES: './rules.yaml',
    });
    expect(rules).toContain('name: reef-dao\n');
    expect(rules).toContain('eth: {chain: "eip155:1", rpc: [ETHEREUM_RPC_URL]}');
    expect(rules).toContain('points: 250');
    expect(rules).toContain('space: reef.eth');
    expect(rules).not.toContain('one.example.org');
  });

  it('ends at once when it is told to', async () => {
    const { prompts } = answering([
      ['Where should data be kept?', 'postgres'],
      ['Its URL', undefined],
    ]);
    await expect(converse(contextOf({ prompts }))).rejects.toThrow(PromptsCancelled);
  });

  it('takes defaults where nobody is asked', async () => {
    const { settings, rules } = await converse(contextOf({}));
    expect({ settings, rules }).toEqual({
      settings: [
        expect.objectContaining({ name: 'DATABASE_URL', value: 'sqlite:./data/fathom.db' }),
      ],
      rules: undefined,
    });
  });

  it('takes the chain whose nodes are given, unless another is named', async () => {
    const sourcesOf = async (nodes: string, rules: string) => {
      const given = { ...NOTHING, nodes: readNodesOption(nodes), rules: readRulesOption(rules) };
      return (await converse(contextOf({ given }))).rules;
    };
    const rules = `governor contract=${GOVERNOR} since=1`;
    const one = 'eip155:31337=http://127.0.0.1:8545';
    expect(await sourcesOf(one, rules)).toContain('chain: "eip155:31337"');
    expect(await sourcesOf(one, `${rules} chain=eip155:10`)).toContain('chain: "eip155:10"');
    const two = `${one} eip155:10=https://op.example.org/KEY`;
    expect(await sourcesOf(two, rules)).toContain('chain: "eip155:1"');
  });

  it('asks for another token until the platform accepts one', async () => {
    const { prompts, said, say } = answering([
      ['Which bots', ['TELEGRAM_TOKEN']],
      ['Telegram: the bot', 'wrong'],
      ['Telegram: the bot', 'right'],
    ]);
    const tokens = await askBots({
      ...{ given: new Map(), prompts, env: {}, isOffline: false, say },
      check: async (subject, token) =>
        token === 'right'
          ? [{ level: 'ok', subject, text: 'Telegram accepts the token: @reef' }]
          : [{ level: 'fail', subject, text: 'Telegram rejects the token.' }],
    });
    expect(tokens).toMatchObject([{ name: 'TELEGRAM_TOKEN', value: 'right' }]);
    expect(said).toEqual(['Telegram rejects the token.', 'Telegram accepts the token: @reef']);
  });

  it('refuses what was given wrongly, without repeating secrets', async () => {
    const refusal = async (given: Partial<InitGiven>) =>
      await converse(contextOf({ given: { ...NOTHING, ...given } })).then(String, String);
    expect(await refusal({ database: 'mysql://root:secret@db' })).not.toContain('secret');
    const missing = await refusal({ rules: readRulesOption('governor') });
    expect(missing).toContain('--contract  Address of the Governor');
    expect(missing).toContain('--since  ');
    expect(await refusal({ rules: readRulesOption('governer') })).toContain(
      'Did you mean governor?',
    );
    expect(await refusal({ rules: readRulesOption('snapshot token=0x') })).toContain(
      'snapshot has no "token"',
    );
    expect(() => readNodesOption('eip155:1=file:///etc/secret')).toThrow(
      '--nodes must be CHAIN=URL',
    );
    expect(() => readNodesOption('eip155:1=file:///etc/secret')).not.toThrow('secret');
  });

  it('refuses a slip in the last template before it looks at the first one', async () => {
    const said: string[] = [];
    const rules = readRulesOption(`governor contract=${GOVERNOR} since=1; nft-holder contract=0x`);
    const say = (text: string) => void said.push(text);
    const done = converse(contextOf({ given: { ...NOTHING, rules }, say }));
    await expect(done).rejects.toThrow('nft-holder has no "contract", but collection');
    expect(said).toEqual([]);
  });

  it('reads lists of templates and of nodes', () => {
    const [governor, holder] = readRulesOption(
      ' governor contract=0xA cap=500 per 30d ; erc20-holder min=10',
    );
    expect([...(governor?.values ?? [])]).toEqual([
      ['--contract', '0xA'],
      ['--cap', '500 per 30d'],
    ]);
    expect(holder).toEqual({ name: 'erc20-holder', values: new Map([['--min', '10']]) });
    expect(readRulesOption('none')).toEqual([]);
    expect(() => readRulesOption('event-guests:event=x')).toThrow(
      '--rules: write a template, a space, and its options as name=value, such as "event-guests event=x", not "event-guests:event=x".',
    );
    expect(readNodesOption('eip155:1=https://a.example/1 eip155:1=https://b.example')).toEqual(
      new Map([['eip155:1', ['https://a.example/1', 'https://b.example']]]),
    );
  });

  it('writes settings so that they are read as they were given', () => {
    const values = [
      'sqlite:./d.db',
      'postgres://u:p#w d@h/db',
      "it's",
      'a"b',
      `both ' and "`,
      '$HOME',
    ];
    const settings = values.map((value, place) => ({ name: `A${place}`, value, comment: 'One.' }));
    expect(Object.values(parse(envText(settings)))).toEqual(values);
    expect(() => envText([{ name: 'A', value: '\'"`', comment: '' }])).toThrow('quotes');
  });
});
