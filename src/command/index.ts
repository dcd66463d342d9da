/** What a command is made of: neutral cards, arguments, accounts, callers. */

export {
  type Account,
  accountIdIn,
  accountKey,
  type Caller,
  type Profile,
  WEB,
} from './account.ts';
export { readFields, readNamed } from './arguments.ts';
export { CALL_CODE_MAX, decodeCall, encodeCall, fitsButton } from './call-code.ts';
export {
  type Action,
  type Bar,
  type Block,
  type Call,
  type Card,
  type CardEntry,
  type CardFile,
  type CardPicture,
  type DrawPicture,
  type Fact,
  FILE_MAX,
  type Form,
  type Menu,
  noteCard,
  pictureOn,
  type Span,
  secretCard,
} from './cards/card.ts';
export {
  COLOURS,
  colourOf,
  contrastOf,
  EMBLEMS,
  hasContrast,
  hexColourOf,
  luminanceOf,
  nearestWithContrast,
  type Rgb,
  rgbOf,
  tierLabel,
} from './cards/colours.ts';
export {
  rankText,
  renderBars,
  renderTable,
  shareOf,
  steps,
  type TierProgress,
  tierProgress,
  topText,
} from './cards/figures.ts';
export {
  type ArgumentsOf,
  type CommandSpec,
  choicesOfUse,
  listedFor,
  type OptionSpec,
  optionsOfUse,
  type Subcommands,
  type ValueSuggestion,
} from './command-spec.ts';
export { commandCalled, otherNamesOf } from './typed/command-name.ts';
export { isNone, NONE } from './typed/none-words.ts';
export { ownWords } from './typed/own-words.ts';
export { shownWord } from './typed/refusals.ts';
export { withoutEnd } from './typed/sentence-end.ts';
export { sortWords } from './typed/sort-words.ts';
export {
  choiceNamed,
  folded,
  type Mention,
  meansSelf,
  optionNamed,
  optionsFor,
} from './typed/words.ts';
