using CoAP.NET.Cli.Tests;

namespace CoAP.NET.Load.Tests.CommandLine;

/// <summary><c>coap bench</c>, called as from a command line.</summary>
internal static class Called
{
    public static Task<(int Code, string Output, string Error)> RunAsync(string[] args, CancellationToken cancellationToken = default) =>
        RunAsync(new CliHarness { Stopped = cancellationToken }, ["bench", .. args]);

    /// <summary>The same as <c>coap-load</c>.</summary>
    public static Task<(int Code, string Output, string Error)> RunAloneAsync(params string[] args) =>
        RunAsync(new CliHarness { IsLoadGenerator = true }, args);

    private static async Task<(int Code, string Output, string Error)> RunAsync(CliHarness program, string[] args)
    {
        CliRun run = await program.InvokeAsync(args).WaitAsync(FromSeconds(240), CancellationToken.None);
        return (run.ExitCode, run.Out, run.Error);
    }
}
