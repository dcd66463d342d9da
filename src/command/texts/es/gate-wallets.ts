import type { GateWalletsTexts } from '#command/texts/en/gate-wallets';

/** How several wallets of a member count, in Spanish. */
export const esGateWallets: GateWalletsTexts = {
  walletsTitle: 'Varias carteras de un miembro',
  walletsBest:
    'Cada cartera cuenta por sí sola: una cartera debe cumplir todo lo que pide una regla.',
  walletsSum:
    'Las carteras se suman: el nivel, la puntuación y el puesto son los de todas las carteras vinculadas de un miembro juntas (en una regla sobre una cadena, las de esa cadena), y cuenta una insignia de cualquiera de ellas.',
  walletsNext:
    'Aún no ha cambiado nada. La próxima ejecución concede según la suma; /gate preview muestra a quién.',
  walletsEnded:
    'Aún no ha cambiado nada. Quien solo cumplía por la suma lo pierde según las reglas de siempre: tres lecturas, un plazo y, si son muchos, una pregunta. /gate preview los cuenta.',
  walletsLinkedRoles:
    'Los roles vinculados no son de ningún servidor: siempre se rigen por la mejor cartera.',
  walletsSumButton: 'Sumar las carteras',
  walletsBestButton: 'Contar cada una por sí sola',
  walletModes: { best: 'cada una por sí sola', sum: 'sumadas' },
};
