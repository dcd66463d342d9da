import {
  type APIActionRowComponent,
  type APIButtonComponent,
  type APIComponentInMessageActionRow,
  type APIModalInteractionResponseCallbackData,
  ButtonStyle,
  ComponentType,
  TextInputStyle,
  // Not from discord.js, which takes 40 MB: the page at / renders messages even if no chat is
  // configured.
} from 'discord-api-types/v10';
import { safeWebUrl } from '#base';
import {
  type Action,
  type Call,
  type Caller,
  type Card,
  decodeCall,
  encodeCall,
  type Form,
  type Menu,
  type OptionSpec,
} from '#command';
import { optionName, type Texts } from '#command/texts';
import type { Command } from '#commands/answering';
import { COMPONENTS, FORM } from '#platforms/discord/limits';
import { label } from './blocks.ts';

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
/** Prefixes the code of a button that answers its presser, apart from its message. */
export const FOR_PRESSER = '~mine~';
/** Prefixes a code that the message already has: Discord wants unique ids. */
const AGAIN = /^\d+~/;
/** What's before a code: one of `AGAIN`, and one of a form's or `FOR_PRESSER`. */
const PREFIXES = '10~'.length + '~form99~'.length;
const CODE_MAX = Math.min(COMPONENTS.customId, COMPONENTS.menuValue) - PREFIXES;

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
  const isForPresser = 'forPresser' in action && action.forPresser === true;
  return {
    ...base,
    style: ButtonStyle.Secondary,
    custom_id: isForPresser ? FOR_PRESSER + code : code,
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
    return 'call' in target ? formCode(target, command, owner) : codeOfCall(target, command, owner);
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

type TextOption = Extract<OptionSpec, { kind: 'text' }>;

/** A form, decoded from its code. */
interface DecodedForm {
  /** The option that receives the text. */
  readonly option: TextOption;
  /** The call without that option. */
  readonly call: Call;
  readonly isOwner: (caller: Caller) => boolean;
}

/** Neither a call's code nor a menu's data starts like this. */
const CODE = /^~form(\d{1,2})~(.*)$/s;
const INPUT_ID = 'text';

/** Whether a button with this data opens a form. */
export function isFormCode(code: string): boolean {
  return CODE.test(code);
}

/**
 * The custom id of a button that opens a form, and of the form: the option's index in its command,
 * then the call's own code. That's enough after a restart.
 * @throws Error if there can't be such a form, which is a bug of the command
 */
function formCode({ option, call }: Form, command: Command, owner: Caller | undefined): string {
  const place = command.options.findIndex((each) => each.name === option);
  if (command.options[place]?.kind !== 'text') {
    throw new Error(`a form of ${command.name} is for ${option}, which isn't a text option`);
  }
  return `~form${place}~${codeOfCall(call, command, owner)}`;
}

function codeOfCall(call: Call, command: Command, owner: Caller | undefined): string {
  return encodeCall(call, command, owner, CODE_MAX);
}

/** @returns undefined for data that no version of ours created */
export function decodeForm(code: string, commands: readonly Command[]): DecodedForm | undefined {
  const [, place, called = ''] = CODE.exec(code) ?? [];
  const decoded = decodeCall(called, commands);
  const command = commands.find((each) => each.name === decoded?.call.command);
  const option = command?.options[Number(place)];
  return decoded === undefined || option?.kind !== 'text' ? undefined : { ...decoded, option };
}

/**
 * The form that a button opens. Its input is in a label, as Discord deprecated inputs in action
 * rows: https://discord.com/developers/docs/components/reference#action-row
 * @param title the pressed button's label
 */
export function renderForm(
  code: string,
  title: string,
  option: TextOption,
  texts: Texts,
): APIModalInteractionResponseCallbackData {
  return {
    custom_id: code,
    title: label(title, FORM.title),
    components: [
      {
        type: ComponentType.Label,
        label: label(optionName(texts, option.name), FORM.label),
        description: label(option.about(texts), FORM.about),
        component: {
          type: ComponentType.TextInput,
          custom_id: INPUT_ID,
          style: TextInputStyle.Paragraph,
          required: true,
          max_length: Math.max(1, Math.min(option.longest, FORM.text)),
        },
      },
    ],
  };
}
