import {
  type APIModalInteractionResponseCallbackData,
  ComponentType,
  TextInputStyle,
  // Not from discord.js, which takes 40 MB: the page at / renders messages even if no chat is
  // configured.
} from 'discord-api-types/v10';
import {
  type Call,
  type Caller,
  decodeCall,
  encodeCall,
  type Form,
  type OptionSpec,
} from '#command';
import { optionName, type Texts } from '#command/texts';
import type { Command } from '#commands/answering';
import { FORM } from './limits.ts';
import { label } from './markdown/blocks.ts';

type TextOption = Extract<OptionSpec, { kind: 'text' }>;

/** A form, decoded from its code. */
export interface DecodedForm {
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
export function formCode(
  { option, call }: Form,
  command: Command,
  owner: Caller | undefined,
): string {
  const place = command.options.findIndex((each) => each.name === option);
  if (command.options[place]?.kind !== 'text') {
    throw new Error(`a form of ${command.name} is for ${option}, which isn't a text option`);
  }
  return `~form${place}~${encodeCall(call, command, owner)}`;
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
