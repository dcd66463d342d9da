import type { Shown } from '../../../bench/servers/discord/interaction.ts';
import { componentsOf } from '../../../bench/servers/discord/layout-rules.ts';

interface Part {
  readonly type: number;
  readonly content?: string;
  readonly label?: string;
  readonly custom_id?: string;
  readonly items?: readonly {
    readonly media: { readonly url: string };
    readonly description?: string;
  }[];
  readonly options?: readonly { readonly label: string; readonly value: string }[];
}

interface Embed {
  readonly title?: string;
  readonly description?: string;
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
}

const TEXT = 10;
const MENU = 3;

/** All texts of a message as sent: of its components, or of its embeds. */
export function textOf(shown: Pick<Shown, 'body'> | undefined): string {
  return textsOf(shown?.body ?? {}).join('\n');
}

/** The same, each by itself. */
export function textsOf(body: object): string[] {
  const { embeds } = body as { readonly embeds?: readonly Embed[] | null };
  const ofEmbeds = (embeds ?? []).flatMap(({ title, description, fields = [] }) => [
    title,
    description,
    ...fields.flatMap(({ name, value }) => [name, value]),
  ]);
  const ofComponents = partsOf(body)
    .filter(({ type }) => type === TEXT)
    .map(({ content }) => content);
  return [...ofEmbeds, ...ofComponents].filter((text) => text !== undefined);
}

/** All components of a message, nested ones included. */
export function partsOf(body: object): Part[] {
  return componentsOf({ ...body }) as unknown as Part[];
}

/** The data of the button with this label. */
export function buttonOf(shown: Shown | undefined, label: string): string {
  const button = partsOf(shown?.body ?? {}).find((part) => part.label === label);
  if (button?.custom_id === undefined) throw new Error(`no button ${label}`);
  return button.custom_id;
}

/** A message's only menu. */
export function menuOf(shown: Shown | undefined) {
  const menu = partsOf(shown?.body ?? {}).find(({ type }) => type === MENU);
  return { customId: menu?.custom_id ?? '', options: menu?.options ?? [] };
}
