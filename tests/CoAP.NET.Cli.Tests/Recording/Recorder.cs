namespace CoAP.NET.Cli.Tests.Recording;

/// <summary>
/// Runs commands as a person at a terminal would see them, both streams in one, and keeps them as a text that is the same each time.
/// </summary>
internal sealed class Recorder(Normalizer normalizer, VirtualClock clock)
{
    private readonly StringBuilder _page = new();

    public override string ToString() => _page.ToString();

    public void Say(string text) => _page.Append(text).Append("\n\n");

    /// <summary>Runs a command and keeps what it wrote.</summary>
    public async Task RunAsync(string shown, params string[] args)
    {
        WatchedStream stream = new();
        await CoapTool.RunAsync(args, ContextOf(stream, clock, CancellationToken.None));
        Keep(shown, stream);
    }

    /// <summary>Runs a command on a terminal and keeps the last that is seen of each line that changes.</summary>
    public async Task RunOnTerminalAsync(string shown, params string[] args)
    {
        WatchedStream error = new();
        WatchedStream output = new();
        CliContext context = new()
        {
            In = Stream.Null,
            Out = new CliOutput(output, isTerminal: false),
            Error = new CliOutput(error, isTerminal: true, width: 100),
            TimeProvider = clock,
            GetVariable = _ => "dumb"
        };
        await CoapTool.RunAsync(args, context);
        string seen = Normalizer.LastFrame(Encoding.UTF8.GetString(error.ToArray()));
        Keep(shown, seen + Encoding.UTF8.GetString(output.ToArray()));
    }

    /// <summary>Runs a command while something happens; then time passes until it ends.</summary>
    public async Task RunAsync(string shown, string[] args, Func<WatchedStream, Task> meanwhile)
    {
        WatchedStream stream = new();
        Task<int> running = CoapTool.RunAsync(args, ContextOf(stream, clock, CancellationToken.None));
        await meanwhile(stream);
        await clock.AdvanceUntilAsync(running, FromMinutes(10));
        Keep(shown, stream);
    }

    /// <summary>Keeps what a command wrote that ran beside the others.</summary>
    public void Keep(string shown, WatchedStream stream) => Keep(shown, Encoding.UTF8.GetString(stream.ToArray()));

    public static CliContext ContextOf(WatchedStream stream, TimeProvider time, CancellationToken stopped)
    {
        CliOutput both = new(stream, isTerminal: false);
        return new CliContext
        {
            In = Stream.Null,
            Out = both,
            Error = both,
            TimeProvider = time,
            Stopped = stopped,
            GetVariable = _ => null,
        };
    }

    private void Keep(string shown, string text) =>
        _page.Append("```console\n$ ").Append(shown).Append('\n').Append(normalizer.Of(text)).Append("```\n\n");
}
