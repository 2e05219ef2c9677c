using CoAP.NET.RfcTable;

// Prints which rules of the RFCs the tests show. Without arguments it reads the test assemblies of its own build; else those that are named.
// Exit code 1 when a test names a row that does not exist, so that no claim rests on a misprint.
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
string[] assemblies = args.Length > 0
    ? args
    : [.. Directory.GetDirectories(Path.Combine(root.FullName, "tests"))
        .Select(folder => Path.Combine(folder, build, Path.GetFileName(folder) + ".dll"))
        .Where(file => file.EndsWith("Tests.dll", StringComparison.Ordinal) && File.Exists(file))
        .Order(StringComparer.Ordinal)];
IReadOnlyList<Row> rows = Row.Read(Path.Combine(root.FullName, "docs", "rfc-rows.md"));
ILookup<string, string> tests = assemblies.SelectMany(TestRows.Read).Distinct().ToLookup(entry => entry.Row, entry => entry.Test);

int met = 0;
int unmet = 0;
int notClaimed = 0;
foreach (IGrouping<string, Row> section in rows.GroupBy(row => row.Section))
{
    Console.WriteLine($"\n{section.Key}");
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

        Console.WriteLine($"  {row.Id,-16} {row.Level}  {state}");
    }
}

Console.WriteLine($"\n{rows.Count} rows: {met} met, {unmet} unmet, {notClaimed} not claimed; of the {rows.Count(row => row.Level == "M")} at level M {rows.Count(row => row.Level == "M" && tests.Contains(row.Id))} met.");

HashSet<string> known = [.. rows.Select(row => row.Id)];
string[] unknown = [.. tests.Where(entry => !known.Contains(entry.Key)).Select(entry => $"{entry.Key} ({string.Join(", ", entry)})").Order(StringComparer.Ordinal)];
foreach (string entry in unknown)
{
    Console.Error.WriteLine($"Unknown row: {entry}");
}

foreach (string id in rows.GroupBy(row => row.Id).Where(group => group.Count() > 1).Select(group => group.Key))
{
    Console.Error.WriteLine($"Row stands twice: {id}");
}

return unknown.Length == 0 && known.Count == rows.Count ? 0 : 1;
