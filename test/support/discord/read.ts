import type { Shown } from '../../../bench/servers/discord/interaction.ts';

interface Part {
  readonly type: number;
  readonly label?: string;
  readonly custom_id?: string;
  readonly options?: readonly { readonly label: string; readonly value: string }[];
}

interface Embed {
  readonly title?: string;
  readonly description?: string;
  readonly fields?: readonly { readonly name: string; readonly value: string }[];
}

/** All texts of a message's embeds, as sent. */
export function textOf(shown: Shown | undefined): string {
  const embeds = (shown?.body.embeds ?? []) as readonly Embed[];
  return embeds
    .flatMap(({ title, description, fields = [] }) => [
      title,
      description,
      ...fields.flatMap(({ name, value }) => [name, value]),
    ])
    .filter((text) => text !== undefined)
    .join('\n');
}

function partsOf(shown: Shown | undefined): Part[] {
  const rows = (shown?.body.components ?? []) as readonly {
    readonly components: readonly Part[];
  }[];
  return rows.flatMap((row) => row.components);
}

/** The data of the button with this label. */
export function buttonOf(shown: Shown | undefined, label: string): string {
  const button = partsOf(shown).find((part) => part.label === label);
  if (button?.custom_id === undefined) throw new Error(`no button ${label}`);
  return button.custom_id;
}

/** A message's only menu. */
export function menuOf(shown: Shown | undefined) {
  const menu = partsOf(shown).find(({ type }) => type === 3);
  return { customId: menu?.custom_id ?? '', options: menu?.options ?? [] };
}
