/**
 * What looks like a credential, so that none is written where everybody sees it.
 *
 * Pure. Guesses by names and by forms: what is found is refused, and what is not found may be a secret all the same.
 */

/** Whether a header, a variable or a parameter of this name holds a credential. */
export const isSecretName = (name: string): boolean =>
  /(?:^|[-_.])(?:api[-_]?key|key|token|secret|password|passwd|pwd|auth|authorization|credentials?|cookie|sig|signature)$/i.test(
    name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-"),
  ) || /apikey|access[-_]?key|token$/i.test(name);

/** Schemes of authorization, and the beginnings that issuers give to keys so that they are found where they do not belong. */
export const hasSecretForm = (value: string): boolean =>
  /^\s*(?:bearer|basic|digest)\s+\S/i.test(value) ||
  /^\s*(?:sk-|sk_live_|ghp_|gho_|github_pat_|glpat-|xox[abp]-|AKIA[A-Z\d]{12}|AIza|ya29\.|eyJ[\w-]+\.)/.test(value);

/**
 * The places of the arguments of a command that look like a credential: by their form, as the value of an option such as `--token`,
 * in an address, or in a header. One that only names a variable, such as `${MY_TOKEN}`, is none.
 */
export const secretArguments = (words: ReadonlyArray<string>): ReadonlyArray<number> =>
  words.flatMap((word, index) => (isSecret(word, words[index - 1] ?? "") ? [index] : []));

const isSecret = (word: string, before: string): boolean => {
  const stated = word.replaceAll(/\$\{\w+\}|\$[A-Z_]+\b/g, "");
  const [, name = "", assigned = ""] = /^([^=\s]+)=(.*)$/s.exec(stated) ?? [];
  const [, header = "", sent = ""] = /^([\w-]+)\s*:\s*(?:(?:bearer|basic|digest)\s*$)?(.*)$/is.exec(stated) ?? [];
  return (
    [stated, assigned, sent].some((one) => hasSecretForm(one)) ||
    (assigned.trim() !== "" && isSecretOption(name)) ||
    (sent.trim() !== "" && isSecretHeader(header)) ||
    (before.startsWith("-") && isSecretOption(before) && stated.trim() !== "" && !stated.startsWith("-")) ||
    [stated, assigned].some((one) => isSecretAddress(one))
  );
};

/** Names that a file or a scheme may have as well, such as `--key server.pem`, are not among these. */
const isSecretOption = (name: string): boolean =>
  /(?:^|[-_.])(?:api[-_]?key|access[-_]?key|secret[-_]?key|token|secret|password|passwd|passphrase|credentials?|authorization)$/i.test(
    name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "-"),
  ) || /(?:apikey|token)$/i.test(name);

const isSecretHeader = (name: string): boolean => /^(?:authorization|cookie)$|^x-.*(?:key|token|secret)$/i.test(name);

const isSecretAddress = (value: string): boolean => {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? URL.parse(value) : null;
  return (
    url !== null &&
    (url.password !== "" || [...url.searchParams].some(([name, given]) => given !== "" && isSecretName(name)))
  );
};
