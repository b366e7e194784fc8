// What has changed against another setting, in words.

/** What another setting is called. */
export const WHOSE = { before: "setting before", pinned: "pinned setting", other: "other design" };

/** "Against the setting before: time 12 ms → 10 ms (−16.7 %)". numbers: {name: [value, in words]}; differs: what was
 *  changed. "" where there is nothing to compare. */
export function changes(name, numbers, others, differs = "") {
  const parts = Object.entries(numbers).filter(([key]) => key in others).map(([key, [value, said]]) => {
    const [before, saidBefore] = others[key];
    if (value === before) return `${key} the same`;
    const share = before ? (100 * (value - before)) / before : null;
    const percent = share === null ? "" : ` (${share < 0 ? "−" : "+"}${Math.abs(share).toFixed(1)} %)`;
    return `${key} ${saidBefore} → ${said}${percent}`;
  });
  return parts.length ? `Against the ${WHOSE[name]}${differs && ` (${differs})`}: ${parts.join("; ")}.` : "";
}
