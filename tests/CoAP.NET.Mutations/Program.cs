using System.Globalization;
using CoAP.NET.Mutations;

// Repeats a mutation trial: draws mutations of the library, and counts those that a test notices. CONTRIBUTING.md explains its use.
// Options: --seed N, --count N, --limit SECONDS, --package NAME, --out FILE (the table), --folder FOLDER (the copy, which is kept).
// Exit code 0 when tests notice at least 90 %, otherwise 1.
const double Enough = 0.9;
CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
int seed = int.Parse(Option("--seed") ?? "1");
int count = int.Parse(Option("--count") ?? "60");
TimeSpan limit = TimeSpan.FromSeconds(double.Parse(Option("--limit") ?? "60"));
string folder = Option("--folder") ?? Directory.CreateTempSubdirectory("coap-mutations-").FullName;

List<string> listed = [];
using ChildProcess git = new("git", Environment.CurrentDirectory, "rev-parse", "--show-toplevel");
await git.RunAsync(listed.Add, Timeout.InfiniteTimeSpan);
string root = listed[0];
listed.Clear();
using ChildProcess list = new("git", root, "ls-files", "--cached", "--others", "--exclude-standard");
await list.RunAsync(listed.Add, Timeout.InfiniteTimeSpan);
string[] files = [.. listed.Where(file => File.Exists(Path.Combine(root, file)))];

Workshop workshop = new(root, folder, files, Option("--package"));
workshop.Copy();
List<Mutant> mutants = await workshop.BuildAsync(new Draw(root, files, Option("--package"), seed), count);
Console.Error.WriteLine($"{mutants.Count} mutations built in {folder}");
Trial trial = new(workshop, limit);
await trial.RecordAsync();

List<string> table =
[
    "| mutant | place | kind | change | noticed by | seconds |",
    "|---|---|---|---|---|---|",
];
int noticed = 0;
foreach (Mutant mutant in mutants)
{
    Verdict verdict = await trial.RunAsync(mutant);
    noticed += verdict.NoticedBy is null ? 0 : 1;
    string row = $"| {mutant.Id} | {mutant.Place.File}:{mutant.Place.Line} | {Words(mutant.Place.Kind)} | {mutant.Place.Change} | "
        + $"{verdict.NoticedBy ?? $"**not noticed** ({verdict.Why})"} | {verdict.Seconds:F0} |";
    table.Add(row);
    Console.Error.WriteLine(row);
}

table.AddRange("", $"{noticed} of {mutants.Count} mutations noticed (seed {seed}, limit {limit.TotalSeconds:F0} s).");
if (Option("--out") is { } page)
{
    File.WriteAllLines(page, table);
}

Console.WriteLine(string.Join('\n', table));
if (Option("--folder") is null)
{
    Directory.Delete(folder, recursive: true);
}

return noticed >= Enough * mutants.Count ? 0 : 1;

string? Option(string name) => Array.IndexOf(args, name) is >= 0 and int at && at + 1 < args.Length ? args[at + 1] : null;

static string Words(MutationKind kind) => kind switch
{
    MutationKind.RemovedCheck => "removed check",
    MutationKind.Boundary => "boundary",
    _ => "dropped statement",
};
