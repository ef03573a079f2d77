// Keys, light and dark, and going to where two episodes part. Every page can be read without it.
"use strict";

// Light or dark: what was chosen before, else what the system asks for. Runs before the body is drawn.
const root = document.documentElement;
root.classList.add("js");
const chosen = localStorage.getItem("theme");
if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function nameTheme() {
  document.querySelector("[data-theme-toggle]").textContent = isDark() ? "Light" : "Dark";
}

function toggleTheme() {
  root.dataset.theme = isDark() ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
  nameTheme();
}

// Steps are what j and k go through: links of a list, turns of an episode.
const steps = () => [...document.querySelectorAll("[data-step]")];

function currentStep(all) {
  return all.findIndex((one) => one === document.activeElement || one.contains(document.activeElement));
}

function goTo(step) {
  if (!step) return;
  step.focus({ preventScroll: true });
  step.scrollIntoView({ block: step.tagName === "A" ? "nearest" : "start" });
  if (step.id) history.replaceState(history.state, "", "#" + step.id);
}

function move(by, matching = () => true) {
  const all = steps();
  let at = currentStep(all);
  if (at < 0 && by < 0) return;
  do at += by; while (all[at] && !matching(all[at]));
  goTo(all[at]);
}

function unfold(within) {
  const folds = [...within.querySelectorAll("details")];
  const open = folds.some((fold) => !fold.open);
  for (const fold of folds) fold.open = open;
}

function unfoldStep() {
  const step = document.activeElement;
  if (step && step.matches("[data-step]:not(a, details)")) unfold(step);
}

const follow = (selector) => document.querySelector(selector)?.click();

function search() {
  const field = document.querySelector("[data-search]");
  if (field) field.select();
  else location.href = "/episodes#q";
}

function showHelp() {
  const help = document.getElementById("help");
  if (help.open) help.close();
  else help.showModal();
}

// Esc leaves a field as it is: by itself a search field would be emptied.
function leave(event) {
  event.preventDefault();
  event.target.blur();
  event.target.closest("[data-step]")?.focus();
}

// Enter in the filters goes to the first row that they leave.
document.addEventListener("htmx:afterSettle", (event) => {
  const request = event.detail.requestConfig;
  if (request?.elt.id === "filters" && request.triggeringEvent?.type === "submit") goTo(steps()[0]);
});

// Labels are of the turn that is looked at, or of the episode.
function reviewed() {
  const step = document.activeElement?.closest("[data-step], .review");
  return (step?.matches(".review") ? step : step?.querySelector(".review")) || document.querySelector("#labels .review");
}

const say = (value) => reviewed()?.querySelector(`[data-say=${value}]`)?.click();

// The answer to a label brings another form: what is done to the one of before waits for it, or it would be lost.
const isAnswered = (element) => !element.closest(".review").matches(".htmx-settling, :has(.htmx-request)");
const waiting = [];
for (const name of ["htmx:afterSettle", "htmx:afterRequest"])
  document.addEventListener(name, () => waiting.splice(0).forEach((act) => act()));

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-say]");
  if (!button || isAnswered(button)) return;
  event.preventDefault();
  event.stopPropagation();
  const said = new FormData(button.form);
  waiting.push(() => sayAgain(button.id, said));
}, true);

// The form that is there by now is empty: cause, note and better call come from the one that was clicked in.
function sayAgain(id, said) {
  const button = document.getElementById(id);
  if (!button) return;
  for (const [name, value] of said) button.form.elements[name].value = value;
  button.click();
}

// What was typed since a label was given belongs to the next one: it goes over into the form that the answer brings.
const typed = new Map();

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, requestConfig } = event.detail;
  if (!target.matches(".review")) return;
  const since = [...target.querySelectorAll("select, textarea")].filter(
    (field) => field.value !== (requestConfig.formData.get(field.name) ?? ""));
  typed.set(target.id, since.map((field) => [field.name, field.value, field === document.activeElement]));
});

document.addEventListener("htmx:afterSwap", (event) => {
  const form = document.getElementById(event.detail.target.id)?.querySelector("form");
  for (const [name, value, isActive] of (form && typed.get(event.detail.target.id)) ?? []) {
    const field = form.elements[name];
    field.value = value;
    field.closest("details").open = true;
    if (isActive) field.focus();
  }
  typed.delete(event.detail.target.id);
});

function openLabel() {
  const more = reviewed()?.querySelector("form details");
  if (!more) return;
  if (!isAnswered(more)) {
    waiting.push(openLabel);
    return;
  }
  more.open = true;
  more.querySelector("select").focus();
}

const KEYS = {
  1: () => say("right"),
  2: () => say("wrong"),
  3: () => say("unsure"),
  c: openLabel,
  j: () => move(1),
  k: () => move(-1),
  m: () => move(1, (step) => "mark" in step.dataset),
  n: () => follow("a[rel=next]"),
  p: () => follow("a[rel=prev]"),
  u: () => follow("[data-up]"),
  x: () => unfold(document),
  t: toggleTheme,
  "/": search,
  "?": showHelp,
  Enter: unfoldStep,
};

// A key that is pressed before the page is whole, and htmx has seen it, acts once that is so.
const whole = new Promise((resolve) => addEventListener("DOMContentLoaded", resolve));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) {
    if (event.key === "Escape") leave(event);
    return;
  }
  if (document.getElementById("help")?.open && event.key !== "?") return;
  if (!KEYS[event.key]) return;
  if (event.key !== "Enter") event.preventDefault();
  whole.then(() => KEYS[event.key]());
});

// Parameters that say nothing have no place in an address.
document.addEventListener("htmx:configRequest", (event) => {
  const said = event.detail.formData;
  for (const [name, value] of [...said.entries()]) if (!value) said.delete(name);
});

function changed(field) {
  if (!field.options) return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  const given = [...field.options].findIndex((option) => option.defaultSelected);
  return field.selectedIndex !== Math.max(given, 0);
}

const fields = () => [...document.querySelectorAll("#filters :is(input, select)")];

// What was chosen before the scripts were there, or the rows, is searched for once they are.
document.addEventListener("htmx:load", (event) => {
  const filters = document.getElementById("filters");
  if (!event.target.matches("body, #main") || !filters?.matches(":not(.htmx-request)")) return;
  if (fields().some(changed)) htmx.trigger(filters, "change");
});

// The page of a large store asks for itself until all rows are there. Only then is it replaced, and what is
// being chosen stays.
document.addEventListener("htmx:beforeSwap", (event) => {
  const answer = event.detail;
  if (answer.target.id !== "main") return;
  if (answer.xhr.status >= 400) { // the page of a problem, which does not ask again
    answer.shouldSwap = true;
    return;
  }
  if (!answer.shouldSwap) return;
  answer.shouldSwap = !answer.serverResponse.includes('hx-target="#main"');
  const filters = document.getElementById("filters");
  if (!answer.shouldSwap || !filters) return;
  const said = new FormData(filters);
  document.addEventListener("htmx:afterSwap", () => fields().forEach((field) => choose(field, said)), { once: true });
});

function choose(field, said) {
  if (field.type === "checkbox") field.checked = said.getAll(field.name).includes(field.value);
  else if (said.has(field.name)) field.value = said.get(field.name);
}

document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("[data-theme-toggle], [data-help]")) button.hidden = false;
  nameTheme();
  document.querySelector("[data-theme-toggle]").addEventListener("click", toggleTheme);
  document.querySelector("[data-help]").addEventListener("click", showHelp);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameTheme);
  if (location.hash === "#q") document.querySelector("[data-search]")?.select();
  const target = location.hash.startsWith("#turn-") ? location.hash.slice(1) : null;
  const parted = document.querySelector("[data-first]")?.dataset.first;
  if (target || parted) goTo(document.getElementById(target || parted));
});
