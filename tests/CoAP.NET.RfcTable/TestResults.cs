namespace CoAP.NET.RfcTable;

/// <summary>Which tests passed, as the tests of a run wrote it to the folder of <c>COAP_RFC_RESULTS</c>.</summary>
internal sealed class TestResults
{
    // Two runs may contain a test, such as the default one and one for a group of tests: it must pass in both.
    private readonly Dictionary<(string Row, string Test), bool> _passed = [];

    /// <summary>Reads the files of a folder.</summary>
    /// <param name="folder">The folder; without it nothing has passed.</param>
    public static TestResults Read(string folder)
    {
        TestResults results = new();
        foreach (string line in Directory.Exists(folder) ? Directory.GetFiles(folder, "*.txt").SelectMany(File.ReadLines) : [])
        {
            string[] parts = line.Split('\t');
            (string, string) test = (parts[0], parts[1]);
            results._passed[test] = parts[2] == "passed" && results._passed.GetValueOrDefault(test, true);
        }

        return results;
    }

    /// <summary>The tests of a rule that failed or did not run.</summary>
    /// <param name="row">The rule.</param>
    /// <param name="tests">The tests that name it.</param>
    public IEnumerable<string> NotPassed(string row, IEnumerable<string> tests) =>
        tests.Where(test => !_passed.GetValueOrDefault((row, test)))
            .Select(test => _passed.ContainsKey((row, test)) ? $"{test} failed" : $"{test} did not run");
}
