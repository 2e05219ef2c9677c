namespace CoAP.NET.Cli.Tests;

/// <summary>What tests expect of a run of the tool. A failure shows the whole run.</summary>
internal static class CliRunChecks
{
    public static void HasExitCode(this CliRun run, int code) => Assert.True(run.ExitCode == code, $"{code} was expected: {run}");

    public static void HasOut(this CliRun run, string text) => Has(run, run.Out, text, isExpected: true);

    public static void HasNoOut(this CliRun run, string text) => Has(run, run.Out, text, isExpected: false);

    public static void HasError(this CliRun run, string text) => Has(run, run.Error, text, isExpected: true);

    public static void HasNoError(this CliRun run, string text) => Has(run, run.Error, text, isExpected: false);

    private static void Has(CliRun run, string output, string text, bool isExpected) =>
        Assert.True(output.Contains(text) == isExpected, $"{(isExpected ? "expected" : "not expected")}: {text}\n{run}");
}
