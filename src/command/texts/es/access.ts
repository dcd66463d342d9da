import type { AccessTexts } from '#command/texts/en/access';

/** What members can get in a community, in Spanish. */
export const esAccess: AccessTexts = {
  accessCommand: {
    about: 'Qué puedes conseguir aquí y qué te falta; solo lo ves tú',
    example: '/access',
    options: { check: 'Revisar ahora lo que cumples, sin esperar a la próxima ronda' },
  },

  access: {
    title: 'Lo que puedes conseguir aquí',
    none: 'Ahora no hay reglas que mostrar aquí.',
    noneNext: 'Cuando los moderadores muestren alguna, aquí verás qué necesitas.',
    paused: 'Las reglas que se muestran aquí están en pausa: ahora no dan nada nuevo.',
    pausedNext: 'Cuando se reanuden, aquí verás qué necesitas.',
    noWallet: 'Aún no has vinculado ninguna cartera. Solo cuentan las vinculadas.',
    oneWallet: 'Una de tus carteras debe cumplir todo lo que pide una regla: no se suman.',
    sumOfWallets:
      'Aquí tus carteras se suman (en una regla sobre una cadena, las de esa cadena); cuenta una insignia de cualquiera.',
    checkNow: 'ahora',
    checkButton: 'Revisar ahora',
    checked: 'Revisado ahora mismo: no ha cambiado nada.',
    checkedAndGiven: 'Revisado ahora mismo: tienes algo nuevo.',
    checkedAndLost: 'Revisado ahora mismo: has perdido algo.',
    notAllChecked: 'Todavía no se ha podido comprobar o dar todo.',
    entryTo: (group) => `Acceso a ${group}`,
    have: 'Lo tienes',
    haveBut: 'Lo tienes, pero ya no cumples.',
    next: 'Cumples: será tuyo en la próxima ronda',
    nextEntry: 'Cumples: pide unirte y entrarás',
    asked: 'Cumples y ya has pedido unirte: entrarás en la próxima comprobación',
    passed: 'Cumples para un rol superior, que ocupa su lugar',
    later: 'Cumples, y lo recibes antes de perder el rol superior',
    pending:
      'Cumples: lo recibirás cuando aceptes las normas de este servidor y no seas un invitado',
    refused: (why) => `Cumples, pero no se te pudo dar: ${why}`,
    missing: (missing) => `Te falta: ${missing}`,
    over: (bounds) => `Te pasas: ${bounds}`,
    unknown: {
      unavailable: 'No se sabe: ahora mismo no hay datos',
      stale: 'No se sabe: los datos no están al día',
      partial: 'No se sabe: aún se están leyendo las cadenas y pueden faltar puntos',
      implausible: 'No se sabe: los datos no pueden ser correctos; de momento nada cambia',
    },
    losing: 'Lo perderás después del',
    losingNow:
      'El plazo ha pasado: lo perderás en una ejecución, o cuando los moderadores lo aprueben',
    losingUnless: ', salvo que vuelvas a cumplir.',
    barred: 'Los moderadores han decidido que no lo recibas; solo ellos pueden cambiarlo',

    points: (points, shown) => `${shown} ${points === 1 ? 'punto' : 'puntos'} más`,
    badge: (name) => `la insignia ${name}`,
    rank: (rank, most) => `el puesto ${most} o mejor (tienes el ${rank})`,
    noRank: (most) => `el puesto ${most} o mejor`,
    toTop: (points, shown, most) =>
      `${shown} ${points === 1 ? 'punto' : 'puntos'} para el puesto ${most} o mejor`,
    chainTop: (points, shown, most, chain) =>
      `${shown} ${points === 1 ? 'punto' : 'puntos'} para el puesto ${most} o mejor en ${chain}`,
    below: (tier) => `es solo para quienes están por debajo de ${tier}`,
    tooMany: (points, shown) => `${shown} ${points === 1 ? 'punto' : 'puntos'} de más`,
    wallet: 'una cartera vinculada',
    walletOn: (chain) => `una cartera vinculada en ${chain}`,
  },
};
