using System.Collections.Concurrent;
using System.Reflection;

namespace CoAP.NET.Tests.Shared;

/// <summary>
/// Records for each rule of an RFC which tests ran and whether they passed. The process writes them at its end to the folder that
/// <c>COAP_RFC_RESULTS</c> names; without it nothing is recorded. <c>CoAP.NET.RfcTable --results</c> reads them.
/// </summary>
internal static class RfcResults
{
    private static readonly string? s_folder = Environment.GetEnvironmentVariable("COAP_RFC_RESULTS");
    private static readonly ConcurrentDictionary<(string Row, string Test), bool> s_results = MakeResults();

    /// <summary>Records a test.</summary>
    /// <param name="rows">The rules that it names.</param>
    /// <param name="method">Its method.</param>
    /// <param name="testClass">The class that it ran in, which may inherit the method.</param>
    /// <param name="result">How it ended.</param>
    public static void Add(IEnumerable<string> rows, MethodInfo method, Type testClass, TestResult? result)
    {
        if (s_folder is null || result is not (TestResult.Passed or TestResult.Failed))
        {
            return;
        }

        foreach (string row in rows)
        {
            Add(row, $"{method.DeclaringType!.Name}.{method.Name}", result == TestResult.Passed);
            for (Type? type = testClass; type is not null && type != typeof(object); type = type.BaseType)
            {
                Add(row, type.Name, result == TestResult.Passed);
            }
        }
    }

    // A theory has passed when each of its rows has.
    private static void Add(string row, string test, bool isPassed) =>
        s_results.AddOrUpdate((row, test), isPassed, (_, before) => before && isPassed);

    private static ConcurrentDictionary<(string Row, string Test), bool> MakeResults()
    {
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Write();
        return [];
    }

    private static void Write()
    {
        if (s_folder is null || s_results.IsEmpty)
        {
            return;
        }

        Directory.CreateDirectory(s_folder);
        File.WriteAllLines(
            Path.Combine(s_folder, $"{Assembly.GetEntryAssembly()?.GetName().Name}.{Environment.ProcessId}.txt"),
            s_results.Select(pair => $"{pair.Key.Row}\t{pair.Key.Test}\t{(pair.Value ? "passed" : "failed")}"));
    }
}
