import type { Words } from './words.ts';

export const en: Words = {
  language: 'en',
  name: 'English',
  page: {
    title: 'Fathom: wallet reputation for communities',
    headline: 'Wallet reputation for communities on Ethereum, Solana and Algorand',
    lead: 'Type a command as you would in a chat and see the answer as Discord and Telegram show it. No account, no token.',
    skip: 'Skip to the command',
    docs: 'API docs',
    openApi: 'OpenAPI',
    languages: 'Language',
    theme: 'Colours',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    command: 'Command',
    ask: 'Ask',
    hint: 'Enter asks. Up brings back what you asked before.',
    suggestions: 'Suggestions',
    examples: 'Try one of these',
    views: 'Show the answer as in',
    noScript: 'To draw answers this page needs JavaScript, which is off. The same figures are in',
  },
  browser: {
    used: 'You used {}',
    thinking: 'Fathom is thinking',
    onlyYou: 'Only you can see this',
    answered: 'Answer: {}',
    found: 'Suggestions: {}',
    opensPage: 'opens a page',
    unreachable: 'Fathom cannot be reached. Your connection may be down, or the service.',
    wait: 'That was a lot of questions. Please wait for {} seconds.',
    refused: 'Fathom did not take this question.',
    again: 'Try again',
  },
  answers: {
    privateTitle: 'Not in the playground',
    private: (command) =>
      `${command} answers one person alone, and the playground knows nobody: no keys are given here. Ask the bot in Discord or Telegram.`,
  },
};
