"""Examples for every ``--help``: commands that parse as they stand."""

EXAMPLES: dict[str, tuple[str, ...]] = {
    "init": ("eops-traj init work", "eops-traj init small --tasks 24 --seed 7"),
    "doctor": (
        "eops-traj doctor",
        "eops-traj doctor collect_openai models.executor.base_url=http://localhost:8000/v1",
    ),
    "import": (
        "eops-traj import enterpriseops results --store store",
        "eops-traj import openai chats.jsonl --store store",
        "eops-traj import claude_code ~/.claude/projects --store store",
    ),
    "collect": (
        "eops-traj collect collect_expert --store store attempts=1 --limit 10",
        "eops-traj collect collect_openai --store store models.executor.model=NAME --resume",
        "eops-traj collect collect_command --store store --limit 10",
    ),
    "branch": (
        "eops-traj branch collect_openai --store store --limit 20",
        "eops-traj branch collect_openai --store store --at writes --alternatives 2",
    ),
    "verify": ("eops-traj verify --store store", "eops-traj verify --store store --tasks suite"),
    "score": (
        "eops-traj score --store store --by domain,split",
        "eops-traj score --store store --by model --k 1 --k 4 --json",
    ),
    "diagnose": ("eops-traj diagnose --store store", "eops-traj diagnose --store store --episode EPISODE"),
    "filter": (
        "eops-traj filter filter_sft --store store --name sft",
        "eops-traj filter mine.yaml --store store --name mine",
    ),
    "selections": ("eops-traj selections --store store", "eops-traj selections --store store --json"),
    "why": (
        "eops-traj why EPISODE --selection sft --store store",
        "eops-traj why EPISODE --selection sft --store store --json",
    ),
    "export": (
        "eops-traj export sft --store store --selection sft --out data/sft",
        "eops-traj export planner_dpo --store store --selection planner --out data/planner_dpo",
    ),
    "convert": (
        "eops-traj convert store out --to openai",
        "eops-traj convert chats.jsonl store2 --from openai",
    ),
    "train": ("eops-traj train train_lora --dry-run", "eops-traj train train_tiny max_steps=2 seed=1"),
    "merge": ("eops-traj merge runs/lora", "eops-traj merge runs/lora --out models/mine"),
    "compare": (
        "eops-traj compare BASE NEW --store store",
        "eops-traj compare BASE NEW --store store --margin 0.03 --json",
    ),
    "rebench": (
        "eops-traj rebench rebench_test model=runs/planner/model",
        "eops-traj rebench rebench_lora model=runs/lora/model attempts=2",
    ),
    "lineage": ("eops-traj lineage runs/planner", "eops-traj lineage runs/planner --store store --json"),
    "leaks": ("eops-traj leaks data/sft test --tasks suite", "eops-traj leaks runs/lora test --tasks suite"),
    "improve": (
        "eops-traj improve loop/sft/model --tasks more --held-out loop/tasks",
        "eops-traj improve planner --tasks more --held-out tasks --method sft --shown values=plain",
    ),
    "loop": (
        "eops-traj loop",
        "eops-traj loop --work loop1 --seed 1 --from dpo",
        "eops-traj loop --size full --work full",
    ),
    "publish": (
        "eops-traj publish sft --store store --to data/public --licence CC-BY-4.0 --dry-run",
        "eops-traj publish sft --store store --to hub:ORG/NAME --licence CC-BY-4.0 --tasks suite",
    ),
    "report": (
        "eops-traj report --store store --out report.html",
        "eops-traj report --store store --pair BEFORE,AFTER",
    ),
    "view": ("eops-traj view --store store", "eops-traj view --store store --review ana"),
    "labels": ("eops-traj labels --store store", "eops-traj labels --store store --json"),
    "schema": ("eops-traj schema", "eops-traj schema --json"),
    "history": ("eops-traj history --store store", "eops-traj history --store store --json"),
    "check": ("eops-traj check store", "eops-traj check store --repair"),
    "compact": ("eops-traj compact --store store", "eops-traj compact --store store --json"),
    "vacuum": ("eops-traj vacuum --store store --dry-run", "eops-traj vacuum --store store --days 30"),
    "config list": ("eops-traj config list", "eops-traj config list --json"),
    "config show": ("eops-traj config show collect_openai", "eops-traj config show train_lora > mine.yaml"),
    "config schema": ("eops-traj config schema collect > collect.schema.json", "eops-traj config schema dpo"),
    "data quality": (
        "eops-traj data quality data/sft",
        "eops-traj data quality data/sft --split none --json",
    ),
    "models smollm": ("eops-traj models smollm", "eops-traj models smollm --out models/small"),
    "gym serve": (
        "eops-traj gym serve --server csm --port 8005",
        "eops-traj gym serve --all",
        "eops-traj gym serve --record store --tasks suite --agent mine",
    ),
    "gym tools": ("eops-traj gym tools --server hr", "eops-traj gym tools --json"),
    "gym stats": ("eops-traj gym stats", "eops-traj gym stats --server hr --json"),
    "gym call": (
        "eops-traj gym call list_users limit=3 --server itsm",
        "eops-traj gym call find_user name=Ann --server csm --json",
    ),
    "gym check-seed": (
        "eops-traj gym check-seed seed.sql",
        "eops-traj gym check-seed seed.sql --server hr --json",
    ),
    "gym bridge": ("eops-traj gym bridge http://localhost:8000/TASK/mcp", "eops-traj gym bridge URL"),
    "gym env": ("eops-traj gym env suite --kind openenv", "eops-traj gym env suite --kind nemo-gym --port 0"),
    "gym rows": (
        "eops-traj gym rows suite --out rows.jsonl",
        "eops-traj gym rows suite --split test --out rows.jsonl",
    ),
    "tasks make": (
        "eops-traj tasks make --suite quick --out tasks",
        "eops-traj tasks make --tasks 64 --seed 3 --no-seeds --out tasks",
    ),
    "tasks check": (
        "eops-traj tasks check suite --limit 20",
        "eops-traj tasks check suite --domain hr --json",
    ),
    "tasks audit": ("eops-traj tasks audit suite", "eops-traj tasks audit suite --store store --json"),
    "tasks attack": ("eops-traj tasks attack suite --limit 20", "eops-traj tasks attack suite --kind blind"),
    "tasks reword": (
        "eops-traj tasks reword suite --out worded --model m base_url=http://localhost:8000/v1",
        "eops-traj tasks reword suite --out worded --model m --split train --limit 50",
    ),
    "tasks list": (
        "eops-traj tasks list suite --split test",
        "eops-traj tasks list suite --domain hr --limit 5",
    ),
    "tasks show": ("eops-traj tasks show suite TASK", "eops-traj tasks show suite TASK --mode plus_5_tools"),
    "tasks stats": ("eops-traj tasks stats suite", "eops-traj tasks stats suite --split test --json"),
    "tasks quality": ("eops-traj tasks quality suite", "eops-traj tasks quality suite --worlds --json"),
    "tasks draft": ("eops-traj tasks draft hr --quiet", "eops-traj tasks draft offboard_employee --count 3"),
}
"""The examples of each command, by its words."""


def epilog(name: str) -> str:
    """Return what a command's help ends with: its examples, a line each and none of them wrapped."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in EXAMPLES.get(name, ()))])
