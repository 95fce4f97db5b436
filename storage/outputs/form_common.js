"use strict";
// Parts that the forms for people share: their data, what the browser keeps of them, and the CSV.
const form = JSON.parse(document.getElementById("form").textContent);

function kept(key) {
  try { return JSON.parse(localStorage.getItem(key)) || {}; } catch { return {}; }
}

function keepAs(key, state) {
  try { localStorage.setItem(key, JSON.stringify(state)); } catch { /* a private window */ }
}

function element(kind, text, parent) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

function saveCsv(lines, name) {
  const cell = (text) => `"${String(text).replaceAll('"', '""')}"`;
  const text = lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = `${name.replace(/[^\w-]+/g, "-") || "form"}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
