/**
 * Times as SillyTavern writes them, in English.
 *
 * Owns the format letters and the words for lengths of time.
 */

/** A time in a zone; `time` in milliseconds since 1970. */
export interface Moment {
  readonly time: number;
  readonly zoneMinutes: number;
}

/** The moment by a pattern of format letters; text in square brackets stays. */
export const format = (moment: Moment, pattern: string): string => {
  const local = new Date(moment.time + moment.zoneMinutes * 60_000);
  return pattern.replace(letters, (found) => {
    if (found.startsWith("[")) return found.slice(1, -1);
    return long[found] === undefined ? letter(found, local, moment) : format(moment, long[found]);
  });
};

/** A length of time in words, such as `4 hours`. */
export const inWords = (milliseconds: number): string => {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  const minutes = Math.round(Math.abs(milliseconds) / 60_000);
  const hours = Math.round(Math.abs(milliseconds) / 3_600_000);
  const days = Math.round(Math.abs(milliseconds) / 86_400_000);
  if (seconds < 45) return "a few seconds";
  if (minutes < 45) return minutes <= 1 ? "a minute" : `${minutes} minutes`;
  if (hours < 22) return hours <= 1 ? "an hour" : `${hours} hours`;
  if (days < 26) return days <= 1 ? "a day" : `${days} days`;
  const months = Math.round(days / daysInMonth);
  if (months < 11) return months <= 1 ? "a month" : `${months} months`;
  const years = Math.round(days / daysInYear);
  return years <= 1 ? "a year" : `${years} years`;
};

/** The same with its direction: `in 4 hours` or `4 hours ago`. */
export const distance = (milliseconds: number): string =>
  milliseconds > 0 ? `in ${inWords(milliseconds)}` : `${inWords(milliseconds)} ago`;

const daysInMonth = 30.436875;
const daysInYear = 365.2425;

const letters =
  /\[[^\]]*\]|LLLL|LLL|LL|LTS|LT|L|YYYY|YY|MMMM|MMM|MM|M|DDDD|DDD|DD|Do|D|dddd|ddd|dd|d|HH|H|hh|h|mm|m|ss|s|SSS|A|a|ZZ|Z|X|x/g;

const long: Readonly<Record<string, string>> = {
  LT: "h:mm A",
  LTS: "h:mm:ss A",
  L: "MM/DD/YYYY",
  LL: "MMMM D, YYYY",
  LLL: "MMMM D, YYYY h:mm A",
  LLLL: "dddd, MMMM D, YYYY h:mm A",
};

const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const two = (value: number): string => `${value}`.padStart(2, "0");

const letter = (name: string, local: Date, moment: Moment): string => {
  const hour = local.getUTCHours();
  const month = months[local.getUTCMonth()] ?? "";
  const weekday = weekdays[local.getUTCDay()] ?? "";
  const dayOfYear = Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
  const values: Readonly<Record<string, string>> = {
    YYYY: `${local.getUTCFullYear()}`,
    YY: `${local.getUTCFullYear()}`.slice(-2),
    MMMM: month,
    MMM: month.slice(0, 3),
    MM: two(local.getUTCMonth() + 1),
    M: `${local.getUTCMonth() + 1}`,
    DDDD: `${dayOfYear}`.padStart(3, "0"),
    DDD: `${dayOfYear}`,
    DD: two(local.getUTCDate()),
    Do: ordinal(local.getUTCDate()),
    D: `${local.getUTCDate()}`,
    dddd: weekday,
    ddd: weekday.slice(0, 3),
    dd: weekday.slice(0, 2),
    d: `${local.getUTCDay()}`,
    HH: two(hour),
    H: `${hour}`,
    hh: two(hour % 12 || 12),
    h: `${hour % 12 || 12}`,
    mm: two(local.getUTCMinutes()),
    m: `${local.getUTCMinutes()}`,
    ss: two(local.getUTCSeconds()),
    s: `${local.getUTCSeconds()}`,
    SSS: `${local.getUTCMilliseconds()}`.padStart(3, "0"),
    A: hour < 12 ? "AM" : "PM",
    a: hour < 12 ? "am" : "pm",
    Z: zone(moment.zoneMinutes, ":"),
    ZZ: zone(moment.zoneMinutes, ""),
    X: `${Math.floor(moment.time / 1000)}`,
    x: `${moment.time}`,
  };
  return values[name] ?? name;
};

const ordinal = (day: number): string => {
  const tens = Math.floor((day % 100) / 10);
  const ending = tens === 1 ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[day % 10] ?? "th");
  return `${day}${ending}`;
};

const zone = (minutes: number, separator: string): string => {
  const distanceFromUtc = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(distanceFromUtc / 60))}${separator}${two(distanceFromUtc % 60)}`;
};
