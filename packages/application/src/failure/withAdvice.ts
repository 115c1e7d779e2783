import { type Fatal, fatal } from "@cahier/domain/failure/Failure";

/** A failure that says in the end what to do. */
export const withAdvice = (failure: Fatal, advice: string): Fatal => {
  const { code, details, message } = failure.reason;
  return fatal(code, `${message} ${advice}`, { cause: failure, ...(details === undefined ? {} : { details }) });
};
