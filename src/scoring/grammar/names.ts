import { text } from '#scoring/shape/scalar';

/** Ids of rules, badges and discounts. */
export const id = text({
  accepts: 'an id of up to 64 characters a-z, 0-9 and -, beginning with a letter',
  form: /^[a-z][a-z0-9-]{0,63}$/,
  example: 'gov-vote',
});

export const sourceId = text({
  accepts: 'the name of a source: up to 16 characters a-z and 0-9, beginning with a letter',
  form: /^[a-z][a-z0-9]{0,15}$/,
  example: 'eth',
});

export const eventName = text({
  accepts: 'the name of an event: up to 64 characters a-z, 0-9 and _, beginning with a letter',
  form: /^[a-z][a-z0-9_]{0,63}$/,
  example: 'workshop_attended',
});

/** Like an import's `type`. */
export const activityType = text({
  accepts: 'a lower_snake_case type of at most 64 characters',
  form: /^(?=.{1,64}$)[a-z][a-z0-9]*(_[a-z0-9]+)*$/,
  example: 'governance_vote',
});

export const argument = text({
  accepts: 'the name of an argument, or its place from 0',
  form: /^([A-Za-z_$][A-Za-z0-9_$]{0,63}|0|[1-9]\d?)$/,
  example: 'voter',
});

export const language = text({
  accepts: 'a language such as en or es',
  form: /^[a-z]{2,3}$/,
  example: 'en',
});

/** Nodes' URLs and keys stay in the environment; one that's typed here is never repeated. */
export const variable = text({
  accepts: 'the name of an environment variable; put the address of the node there',
  form: /^[A-Z][A-Z0-9_]{0,63}$/,
  example: 'ETHEREUM_RPC_URL',
  isSecret: true,
});

/** Where an address stands decides its chain, so its form is checked later. */
export const address = text({
  accepts: 'an address',
  form: /^[0-9A-Za-z]{1,128}$/,
});

export const days = text({
  accepts: 'a number of days such as 30d, at most 36500d',
  form: /^(?!36[5-9]\d[1-9]d|36[6-9]\d\dd|3[7-9]\d{3}d|[4-9]\d{4}d)[1-9]\d{0,4}d$/,
  example: '30d',
});

export const date = text({
  accepts: 'a date such as 2024-01-01',
  form: /^\d{4}-\d\d-\d\d$/,
  example: '2024-01-01',
});

export const start = text({
  accepts: 'a block, slot or round, or a date such as 2024-01-01',
  form: /^(\d{1,18}|\d{4}-\d\d-\d\d)$/,
  example: '18500000',
});
