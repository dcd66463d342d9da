import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInMessageActionRow,
  ButtonStyle,
  ComponentType,
  // Not from discord.js, which takes 40 MB: the page at / renders messages even if no chat is
  // configured.
} from 'discord-api-types/v10';
import { safeWebUrl } from '#base';
import {
  type Action,
  type Call,
  type Caller,
  type Card,
  encodeCall,
  type Form,
  type Menu,
} from '#command';
import type { Command } from '#commands/answering';
import { formCode } from './forms.ts';
import { COMPONENTS } from './limits.ts';
import { label } from './markdown/blocks.ts';

export type ComponentRow = APIActionRowComponent<APIComponentInMessageActionRow>;

/** Who may use the components, and who is told about those that can't be encoded. */
export interface ComponentContext {
  readonly commands: readonly Command[];
  /** The only user who may press; undefined if everyone may. */
  readonly owner: Caller | undefined;
  /**
   * Called for a call that doesn't fit into a button, a bug of its command; the button is left out.
   */
  readonly onBug: (error: unknown) => void;
}

/** No call code starts like this. */
const MENU_ID = '~menu';
/** Prefixes a code that the message already has: Discord wants unique ids. */
const AGAIN = /^\d+~/;

/** The code of a pressed button or selected entry, as made by `encodeCall` or `formCode`. */
export function codeOf(data: string): string {
  return data.replace(AGAIN, '');
}

/** A card's buttons and menu as action rows; whatever exceeds Discord's limits is left out. */
export function renderComponents(card: Card, context: ComponentContext): ComponentRow[] {
  const menu = card.menu === undefined ? undefined : renderMenu(card.menu, context);
  const most = COMPONENTS.rows - (menu === undefined ? 0 : 1);
  const taken = new Set<string>();
  const rows = card.actions
    .flatMap((row) => chunks(row, COMPONENTS.buttonsARow))
    .map((row) => row.flatMap((action) => renderButton(action, context, taken) ?? []))
    .filter((components) => components.length > 0)
    .slice(0, most)
    .map((components): ComponentRow => ({ type: ComponentType.ActionRow, components }));
  return menu === undefined ? rows : [...rows, menu];
}

function renderButton(
  action: Action,
  context: ComponentContext,
  taken: Set<string>,
): APIButtonComponent | undefined {
  const base = {
    type: ComponentType.Button,
    label: label(action.label, COMPONENTS.buttonLabel),
  } as const;
  if ('url' in action) {
    const url = safeWebUrl(action.url);
    if (url === undefined || url.length > COMPONENTS.url) return undefined;
    return { ...base, style: ButtonStyle.Link, url };
  }
  const code = uniqueCode('form' in action ? action.form : action.call, context, taken);
  if (code === undefined) return undefined;
  return {
    ...base,
    style: ButtonStyle.Secondary,
    custom_id: code,
    ...('disabled' in action && action.disabled && { disabled: true }),
  };
}

function renderMenu(menu: Menu, context: ComponentContext): ComponentRow | undefined {
  const taken = new Set<string>();
  const options = menu.choices.slice(0, COMPONENTS.menuChoices).flatMap((choice) => {
    const value = uniqueCode(choice.call, context, taken);
    if (value === undefined) return [];
    const detail = choice.detail === '' ? '' : label(choice.detail, COMPONENTS.menuDetail);
    return {
      label: label(choice.label, COMPONENTS.menuLabel),
      value,
      ...(detail !== '' && { description: detail }),
    };
  });
  if (options.length === 0) return undefined;
  const placeholder = label(menu.placeholder, COMPONENTS.menuPlaceholder);
  return {
    type: ComponentType.ActionRow,
    components: [{ type: ComponentType.StringSelect, custom_id: MENU_ID, placeholder, options }],
  };
}

function uniqueCode(
  target: Call | Form,
  context: ComponentContext,
  taken: Set<string>,
): string | undefined {
  const code = codeFor(target, context);
  if (code === undefined) return undefined;
  let unique = code;
  for (let again = 1; taken.has(unique); again++) unique = `${again}~${code}`;
  taken.add(unique);
  return unique;
}

function codeFor(
  target: Call | Form,
  { commands, owner, onBug }: ComponentContext,
): string | undefined {
  const call = 'call' in target ? target.call : target;
  try {
    const command = commands.find((each) => each.name === call.command);
    if (command === undefined)
      throw new Error(`a button calls ${call.command}, which isn't a command`);
    return 'call' in target ? formCode(target, command, owner) : encodeCall(target, command, owner);
  } catch (error) {
    onBug(error);
    return undefined;
  }
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size));
  return parts;
}
