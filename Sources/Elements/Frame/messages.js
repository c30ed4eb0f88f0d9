// What fields say, by language. The page can give others, and those of its own codes, as `messages`.

const KEYS = [
  'REQUIRED', 'CARD_NUMBER', 'EXPIRATION_DATE', 'DATE', 'CVC', 'EMAIL', 'PHONE', 'MAX_INPUT_LENGTH', 'DROPPED_INPUT', 'INCOMPLETE',
  'INVALID', 'REFUSED', 'CARD', 'NUMBER', 'EXPIRY',
]

/**
 * In the order of the keys, and at the end the label of a security code.
 * @type {Record<string, string>}
 */
const TEXTS = {
  en: 'Please fill in this field|Please check the card number|Please check the expiry date|Please check the date|' +
    'Please check the security code|Please check the email address|Please check the phone number|This is too long|' +
    'Some characters do not belong here|This is incomplete|Please check this|That does not fit here|Card|Card number|Expiry date|' +
    'Security code',
  de: 'Bitte ausfüllen|Bitte die Kartennummer prüfen|Bitte das Ablaufdatum prüfen|Bitte das Datum prüfen|Bitte die Prüfziffer prüfen|' +
    'Bitte die E-Mail-Adresse prüfen|Bitte die Telefonnummer prüfen|Das ist zu lang|Einige Zeichen gehören nicht hierher|' +
    'Das ist unvollständig|Bitte prüfen|Das passt hier nicht|Karte|Kartennummer|Gültig bis|Prüfziffer',
  fr: 'Veuillez remplir ce champ|Vérifiez le numéro de carte|Vérifiez la date d’expiration|Vérifiez la date|' +
    'Vérifiez le code de sécurité|Vérifiez l’adresse e-mail|Vérifiez le numéro de téléphone|C’est trop long|' +
    'Certains caractères ne conviennent pas|C’est incomplet|Veuillez vérifier|Cela ne convient pas ici|Carte|Numéro de carte|' +
    'Date d’expiration|Code de sécurité',
  es: 'Rellene este campo|Compruebe el número de tarjeta|Compruebe la fecha de caducidad|Compruebe la fecha|' +
    'Compruebe el código de seguridad|Compruebe el correo electrónico|Compruebe el número de teléfono|Es demasiado largo|' +
    'Algunos caracteres no corresponden|Está incompleto|Compruebe este dato|Eso no cabe aquí|Tarjeta|Número de tarjeta|' +
    'Fecha de caducidad|Código de seguridad',
  pt: 'Preencha este campo|Verifique o número do cartão|Verifique a data de validade|Verifique a data|' +
    'Verifique o código de segurança|Verifique o e-mail|Verifique o número de telefone|É longo demais|' +
    'Alguns caracteres não pertencem aqui|Está incompleto|Verifique este dado|Isso não cabe aqui|Cartão|Número do cartão|' +
    'Data de validade|Código de segurança',
  it: 'Compilare questo campo|Controllare il numero della carta|Controllare la scadenza|Controllare la data|' +
    'Controllare il codice di sicurezza|Controllare l’indirizzo e-mail|Controllare il numero di telefono|È troppo lungo|' +
    'Alcuni caratteri non sono ammessi|È incompleto|Controllare questo dato|Qui non è ammesso|Carta|Numero della carta|Scadenza|' +
    'Codice di sicurezza',
  nl: 'Vul dit veld in|Controleer het kaartnummer|Controleer de vervaldatum|Controleer de datum|Controleer de beveiligingscode|' +
    'Controleer het e-mailadres|Controleer het telefoonnummer|Dit is te lang|Sommige tekens horen hier niet|Dit is niet volledig|' +
    'Controleer dit|Dat past hier niet|Kaart|Kaartnummer|Vervaldatum|Beveiligingscode',
  pl: 'Wypełnij to pole|Sprawdź numer karty|Sprawdź datę ważności|Sprawdź datę|Sprawdź kod zabezpieczający|Sprawdź adres e-mail|' +
    'Sprawdź numer telefonu|Tekst jest za długi|Niektóre znaki tu nie pasują|Dane są niepełne|Sprawdź te dane|To tutaj nie pasuje|' +
    'Karta|Numer karty|Data ważności|Kod zabezpieczający',
  ja: '入力してください|カード番号を確認してください|有効期限を確認してください|日付を確認してください|セキュリティコードを確認してください|メールアドレスを確認してください|電話番号を確認してください|長すぎます|使えない文字が含まれています|' +
    '入力が足りません|内容を確認してください|ここには入力できません|カード|カード番号|有効期限|セキュリティコード',
  zh: '请填写此项|请检查卡号|请检查有效期|请检查日期|请检查安全码|请检查电子邮件地址|请检查电话号码|内容过长|包含不允许的字符|内容不完整|请检查此项|此处不能输入该字符|银行卡|卡号|有效期|安全码',
}

/**
 * What stands for a digit of a year.
 * @param {string} locale
 */
export const yearLetter = (locale) => ({ de: 'J', nl: 'J', fr: 'A', es: 'A', pt: 'A', it: 'A', pl: 'R' })[languageOf(locale)] ?? 'Y'

/** @param {string} locale */
const languageOf = (locale) => locale.toLowerCase().split(/[-_]/)[0]

/**
 * The language that fields speak: English, if neither this table nor the page has another.
 * @param {{ messages: Record<string, string>, locale: string }} from
 */
export const languageShown = ({ messages, locale }) => (TEXTS[languageOf(locale)] || Object.keys(messages).length ? locale : 'en')

/**
 * The text for a code of `validationErrors`, or for a key of this table.
 * @param {string} code
 * @param {{ messages: Record<string, string>, locale: string }} from
 * @param {string} [type] Of the field.
 * @returns {string}
 */
export function textOf(code, from, type) {
  const { messages, locale } = from
  if (Object.hasOwn(messages, code)) return messages[code]
  const texts = (TEXTS[languageOf(locale)] ?? TEXTS.en).split('|')
  const key = code.replace(/_VALIDATION_ERROR$/, '')
  if (key === 'CVC' && type === undefined) return texts[KEYS.length]
  const byType = { cardNumber: 'CARD_NUMBER', expDate: 'EXPIRATION_DATE', date: 'DATE', cvc: 'CVC' }[type ?? '']
  const index = KEYS.indexOf(key)
  // A text of the page's for the kind of the field, or for all kinds, is better than one in English.
  if (index < 0 || (key === 'INCOMPLETE' && byType)) return textOf(byType ? byType + '_VALIDATION_ERROR' : 'INVALID', from, type)
  return texts[index]
}
