using CoAP.NET.RfcTable;

// Prints which rules of the RFCs the tests show. Without names of assemblies it reads the test assemblies of its own build.
// --write writes docs/conformance.md; --check prints nothing but what is wrong, which includes that this page is stale.
// Exit code 1 when a test names a row that does not exist, so that no claim rests on a misprint, and when something is wrong with --check.
bool writes = args.Contains("--write");
bool checks = args.Contains("--check");
string[] named = [.. args.Where(argument => argument is not ("--write" or "--check"))];
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
IReadOnlyList<Row> rows = Row.Read(Path.Combine(root.FullName, "docs", "rfc-rows.md"));
ILookup<string, string> tests = assemblies.SelectMany(TestRows.Read).Distinct().ToLookup(entry => entry.Row, entry => entry.Test);

string page = Path.Combine(root.FullName, "docs", "conformance.md");
string conformance = ConformancePage.Write(rows, tests);
bool isStale = false;
if (writes)
{
    File.WriteAllText(page, conformance);
}
else if (checks && (!File.Exists(page) || File.ReadAllText(page).ReplaceLineEndings("\n") != conformance))
{
    isStale = true;
    Console.Error.WriteLine("docs/conformance.md is stale. Run: dotnet run -c Release --project tests/CoAP.NET.RfcTable -- --write");
}

int met = 0;
int unmet = 0;
int notClaimed = 0;
foreach (IGrouping<string, Row> section in rows.GroupBy(row => row.Section))
{
    Say($"\n{section.Key}");
    foreach (Row row in section)
    {
        string state;
        if (tests.Contains(row.Id))
        {
            met++;
            state = "met          " + string.Join(", ", tests[row.Id].Order(StringComparer.Ordinal));
        }
        else if (row.NotClaimed.Length > 0)
        {
            notClaimed++;
            state = "not claimed  " + row.NotClaimed;
        }
        else
        {
            unmet++;
            state = "unmet        " + row.Requirement;
        }

        Say($"  {row.Id,-16} {row.Level}  {state}");
    }
}

Console.WriteLine(
    $"\n{rows.Count} rows: {met} met, {unmet} unmet, {notClaimed} not claimed; of the {rows.Count(row => row.Level == "M")} at level "
        + $"M {rows.Count(row => row.Level == "M" && tests.Contains(row.Id))} met.");

HashSet<string> known = [.. rows.Select(row => row.Id)];
string[] unknown = [.. tests.Where(entry => !known.Contains(entry.Key)).Select(entry => $"{entry.Key} ({string.Join(", ", entry)})")
    .Order(StringComparer.Ordinal)];
foreach (string entry in unknown)
{
    Console.Error.WriteLine($"Unknown row: {entry}");
}

foreach (string id in rows.GroupBy(row => row.Id).Where(group => group.Count() > 1).Select(group => group.Key))
{
    Console.Error.WriteLine($"Row stands twice: {id}");
}

if (checks && unmet > 0)
{
    Console.Error.WriteLine($"{unmet} rows are neither met nor have a reason why they are not claimed.");
}

return unknown.Length == 0 && known.Count == rows.Count && !isStale && (!checks || unmet == 0) ? 0 : 1;

void Say(string line)
{
    if (!writes && !checks)
    {
        Console.WriteLine(line);
    }
}
