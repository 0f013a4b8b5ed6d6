import { featureText } from '@/lib/text/feature'

const mix = {
  'account.title': 'My account',
  'account.change': 'Change my password',
  'account.old': 'Current password',
  'account.new': 'New password',
  'account.confirmation': 'Confirm new password',
  'account.hint': 'De 8 a 128 caracteres.',
  'account.otherDevices': 'Nos outros aparelhos você precisará entrar de novo.',
  'account.missing': 'Por favor, preencha todos os campos.',
  'account.mismatch': 'As senhas não coincidem.',
  'account.changed': 'Senha alterada com sucesso!',
  'account.notChanged': 'A senha não foi alterada. {why}',
  'account.wrong': 'A senha atual está errada.',
  'account.data': 'My data',
  'account.dataText': 'Tudo o que o sistema guarda sobre você, em um arquivo JSON (LGPD, art. 18).',
  'account.download': 'Download my data',
  'account.notDownloaded': 'O arquivo não pôde ser baixado. {why}',
}

export type AccountKey = keyof typeof mix

export const { catalogues, useFeatureText: useAccountText } = featureText(
  mix,
  {
    'account.hint': '8 to 128 characters.',
    'account.otherDevices': 'On your other devices you will have to sign in again.',
    'account.missing': 'Please fill in all fields.',
    'account.mismatch': 'The passwords do not match.',
    'account.changed': 'Password changed!',
    'account.notChanged': 'The password was not changed. {why}',
    'account.wrong': 'The current password is wrong.',
    'account.dataText': 'All that the system holds about you, in a JSON file (LGPD, art. 18).',
    'account.notDownloaded': 'The file could not be downloaded. {why}',
  },
  {
    'account.title': 'Minha conta',
    'account.change': 'Alterar minha senha',
    'account.old': 'Senha atual',
    'account.new': 'Nova senha',
    'account.confirmation': 'Confirmar nova senha',
    'account.data': 'Meus dados',
    'account.download': 'Baixar meus dados',
  },
)
