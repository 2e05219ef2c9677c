namespace CoAP.NET.Cli.Tests;

/// <summary>What <c>--help</c> shows.</summary>
public sealed class HelpTests
{
    [Fact]
    public async Task Commands_stand_in_the_order_in_which_they_are_wanted_by_short_names()
    {
        CliRun run = await CliHarness.RunAsync("--help");

        string[] commands = [.. run.Out[run.Out.IndexOf("Commands:", StringComparison.Ordinal)..].Split('\n').Skip(1)
            .Where(line => line.StartsWith("  ", StringComparison.Ordinal) && line[2] != ' ').Select(line => line.Trim().Split(' ')[0])];
        Assert.Equal(
            ["get", "put", "post", "delete", "fetch", "patch", "ipatch", "observe", "discover", "explore", "register", "ping", "serve",
                "proxy", "decode", "bench", "completion"],
            commands);
        Assert.Contains("get <URI>", run.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("|coap", run.Out, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(60)]
    [InlineData(100)]
    public async Task No_line_is_wider_than_the_terminal(int width)
    {
        foreach (string command in (string[])["", "get", "observe", "discover", "register", "ping", "serve", "proxy", "decode", "bench",
            "completion"])
        {
            string[] args = command.Length == 0 ? ["--help"] : [command, "--help"];

            CliRun run = await new CliHarness { IsTerminal = true, Width = width }.InvokeAsync(args);

            Assert.Equal(ExitCodes.Success, run.ExitCode);
            Assert.All(run.Out.Split('\n'),
                line => Assert.True(line.Length <= width || !line.TrimStart().Contains("  ", StringComparison.Ordinal),
                    $"{command}: {line}"));
        }
    }
}
