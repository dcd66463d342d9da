import { describe, expect, it } from 'vitest';
import { card } from '#commands/card';
import { type CardStyle, type CardStyles, NO_STYLE } from '#pictures/style/index';
import { commandData } from '#platforms/discord/command-data';
import { answererWith } from '../../support/ask.ts';
import { testBot } from '../../support/discord/bot.ts';
import { textOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';

const MANAGE_GUILD = 1n << 5n;

/** Keeps one style for all. */
function keptStyle() {
  let style: CardStyle = NO_STYLE;
  const urls: string[] = [];
  const styles: CardStyles = {
    styleOf: async () => style,
    bannerOf: async () => undefined,
    async setAccent(_, accent) {
      style = { ...style, accent };
    },
    async setBanner(_, url) {
      urls.push(url);
      style = { ...style, banner: 'b'.repeat(22) };
    },
    async reset() {
      style = NO_STYLE;
    },
  };
  return { styles, urls };
}

async function bot() {
  const { discord, up } = await testBot();
  const { styles, urls } = keptStyle();
  await up({ answerer: answererWith({ cardStyles: styles }) });
  const say = async (name: string, args: Parameters<typeof discord.command>[1] = {}) => {
    const asked = discord.command(name, args, { may: MANAGE_GUILD });
    await eventually(() => asked.seen.length > 0);
    return asked.seen[0];
  };
  return { discord, say, urls };
}

describe('/card in Discord', () => {
  it('has a subcommand for each action, colours to choose from, and an upload', () => {
    const [data] = commandData([card]);
    const options = (data?.options ?? []) as { name: string; options: object[] }[];
    expect(options.map(({ name }) => name)).toEqual(['show', 'colour', 'banner', 'reset']);
    expect(options[1]?.options).toMatchObject([{ name: 'colour', type: 3, autocomplete: true }]);
    expect(options[2]?.options).toMatchObject([
      { name: 'picture', type: 11, required: false },
      { name: 'url', type: 3, required: false },
    ]);
  });

  it('offers colours while one is typed, in the language of the member', async () => {
    const { discord } = await bot();
    const typed = discord.typing('card colour', 'colour', 'naran', { locale: 'es-ES' });
    await eventually(() => typed.choices !== undefined);
    expect(typed.choices).toEqual([{ name: 'naranja · #cb7803', value: '#cb7803' }]);
  });

  it('colours the cards that follow', async () => {
    const { say } = await bot();
    expect(textOf(await say('card colour', { colour: 'teal' }))).toContain('#009688');
    expect(JSON.stringify((await say('stats'))?.body)).toContain(String(0x009688));
  });

  it('takes a banner that is uploaded, or from an address', async () => {
    const { say, urls } = await bot();
    const upload = 'https://cdn.discordapp.com/ephemeral-attachments/1/2/sea.png?ex=1&hm=2';
    expect(textOf(await say('card banner', { picture: { upload } }))).toContain('Banner');
    await say('card banner', { url: 'https://example.org/sea.jpg' });
    expect(urls).toEqual([upload, 'https://example.org/sea.jpg']);
  });
});
