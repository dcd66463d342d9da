/** The beginning of a new rules file. @param name anything, such as a folder's name */
export function newRulesText(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return `# What counts here, and how much. docs/scoring.md explains every field; "fathom rules add" adds more rules.
fathom: 1
name: ${plain || 'community'}
version: 1
rules:
`;
}
