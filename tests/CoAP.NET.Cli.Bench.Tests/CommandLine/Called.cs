using CoAP.NET.Cli.Tests;

namespace CoAP.NET.Cli.Bench.Tests.CommandLine;

/// <summary><c>coap bench</c>, called as from a command line.</summary>
internal static class Called
{
    public static async Task<(int Code, string Output, string Error)> RunAsync(string[] args, CancellationToken cancellationToken = default)
    {
        CliRun run = await new CliHarness { Stopped = cancellationToken }.InvokeAsync(["bench", .. args])
            .WaitAsync(TimeSpan.FromSeconds(240), CancellationToken.None);
        return (run.ExitCode, run.Out, run.Error);
    }
}
