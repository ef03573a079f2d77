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

function openLabel() {
  const more = reviewed()?.querySelector("form details");
  if (!more) return;
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

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea")) {
    if (event.key === "Escape") leave(event);
    return;
  }
  if (document.getElementById("help").open && event.key !== "?") return;
  if (!KEYS[event.key]) return;
  if (event.key !== "Enter") event.preventDefault();
  KEYS[event.key]();
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

// What was chosen before the scripts were there is searched for once they are.
document.addEventListener("htmx:load", (event) => {
  const filters = document.getElementById("filters");
  if (event.target !== document.body || !filters) return;
  if ([...filters.querySelectorAll("input, select")].some(changed)) htmx.trigger(filters, "change");
});

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
