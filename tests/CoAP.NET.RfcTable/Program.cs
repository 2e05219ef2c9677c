using CoAP.NET.RfcTable;

// Prints which rules of the RFCs the tests show. Without names of assemblies it reads the test assemblies of its own build.
// --write writes docs/conformance.md. --check prints nothing but what is wrong, which includes that this page is stale.
// --results FOLDER: a rule is met when the tests that name it passed, as they wrote it to the folder (COAP_RFC_RESULTS).
// Exit code 1 when a test names a row that does not exist, so that no claim rests on a misprint, and when something is wrong with --check.
bool writes = args.Contains("--write");
bool checks = args.Contains("--check");
int resultsAt = Array.IndexOf(args, "--results");
string? results = resultsAt >= 0 && resultsAt + 1 < args.Length ? args[resultsAt + 1] : null;
string[] named = [.. args.Where((argument, i) => argument is not ("--write" or "--check")
    && (resultsAt < 0 || i - resultsAt is < 0 or > 1))];
DirectoryInfo? root = new(AppContext.BaseDirectory);
while (root is not null && !File.Exists(Path.Combine(root.FullName, "CoAP.NET.sln")))
{
    root = root.Parent;
}

if (root is null)
{
    Console.Error.WriteLine("This tool runs from within the repository.");
    return 2;
}

string build = Path.GetRelativePath(Path.Combine(root.FullName, "tests", "CoAP.NET.RfcTable"), AppContext.BaseDirectory);
string[] assemblies = named.Length > 0
    ? named
    : [.. new[] { "tests", "simulation" }.SelectMany(folder => Directory.GetDirectories(Path.Combine(root.FullName, folder)))
        .Select(folder => Path.Combine(folder, build, Path.GetFileName(folder) + ".dll"))
        .Where(file => file.EndsWith("Tests.dll", StringComparison.Ordinal) && File.Exists(file))
        .Order(StringComparer.Ordinal)];
string table = Path.Combine(root.FullName, "tests", "CoAP.NET.RfcTable", "rows.md");
IReadOnlyList<Row> rows = Row.Read(table);
ILookup<string, string> tests = assemblies.SelectMany(TestRows.Read).Distinct().ToLookup(entry => entry.Row, entry => entry.Test);

string page = Path.Combine(root.FullName, "docs", "conformance.md");
string conformance = ConformancePage.Write(rows, Row.ReadFeatures(table), tests);
bool isWrong = false;
if (writes)
{
    File.WriteAllText(page, conformance);
}
else if (checks && (!File.Exists(page) || File.ReadAllText(page).ReplaceLineEndings("\n") != conformance))
{
    Complain("docs/conformance.md is stale. Run: dotnet run -c Release --project tests/CoAP.NET.RfcTable -- --write");
}

foreach (IGrouping<string, Row> section in rows.GroupBy(row => row.Section))
{
    Say($"\n{section.Key}");
    foreach (Row row in section)
    {
        Say($"  {row.Id,-16} {row.Level}  " + (tests.Contains(row.Id)
            ? "met      " + string.Join(", ", tests[row.Id].Order(StringComparer.Ordinal))
            : "not met  " + (row.NotMet.Length > 0 ? row.NotMet : row.Requirement)));
    }
}

Row[] unmet = [.. rows.Where(row => !tests.Contains(row.Id))];
Console.WriteLine($"\n{rows.Count} rules: {rows.Count - unmet.Length} met, {unmet.Length} not met; of the {rows.Count(row => row.Level == "M")} at level "
    + $"MUST {unmet.Count(row => row.Level == "M")} not met.");
if (results is not null)
{
    TestResults passed = TestResults.Read(results);
    foreach (Row row in rows)
    {
        foreach (string test in passed.NotPassed(row.Id, tests[row.Id]))
        {
            Complain($"{row.Id} is not met: {test}.");
        }
    }
}

HashSet<string> known = [.. rows.Select(row => row.Id)];
string[] unknown = [.. tests.Where(entry => !known.Contains(entry.Key)).Select(entry => $"{entry.Key} ({string.Join(", ", entry)})")
    .Order(StringComparer.Ordinal)];
foreach (string entry in unknown)
{
    Complain($"Unknown row: {entry}");
}

foreach (string id in rows.GroupBy(row => row.Id).Where(group => group.Count() > 1).Select(group => group.Key))
{
    Complain($"Row stands twice: {id}");
}

foreach (Row row in unmet.Where(row => checks && row.NotMet.Length == 0))
{
    Complain($"{row.Id} has no test and no reason why.");
}

return isWrong ? 1 : 0;

void Complain(string what)
{
    isWrong = true;
    Console.Error.WriteLine(what);
}

void Say(string line)
{
    if (!writes && !checks)
    {
        Console.WriteLine(line);
    }
}
