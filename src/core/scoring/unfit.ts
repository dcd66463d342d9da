/**
 * Characters that a text for people must not hold, wherever it came from: control characters, those
 * that turn the reading direction, and halves of pairs.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is found
export const UNFIT = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|\p{Bidi_Control}|\p{Cs}/gu;
