using System.Threading.Channels;
using CoAP.NET.Diagnostics;
using CoAP.NET.Load.Figures;
using Spectre.Console;

namespace CoAP.NET.Load.Progress;

/// <summary>
/// Shows the progress of runs. Reporting never waits for the terminal: one task writes, and drops ticks when it is too slow. All output
/// goes through it, so that lines do not break the live table.
/// </summary>
internal sealed class LoadDisplay : IProgress<LoadProgress>, IAsyncDisposable
{
    // Ticks come once per second; headings and lines are few.
    private const int Waiting = 1024;

    private readonly Channel<Entry> _entries = Channel.CreateBounded<Entry>(
        new BoundedChannelOptions(Waiting) { SingleReader = true, FullMode = BoundedChannelFullMode.DropWrite });
    private readonly IAnsiConsole _console;
    private readonly LoadDisplayMode _mode;
    private readonly Task _writing;

    public LoadDisplay(IAnsiConsole console, LoadDisplayMode mode)
    {
        _console = console;
        _mode = mode;
        _writing = mode switch
        {
            LoadDisplayMode.Live => DrawAsync(),
            LoadDisplayMode.Plain => WriteAsync(),
            _ => Task.CompletedTask,
        };
    }

    /// <summary>
    /// Creates a display on a terminal, or on a writer if there is none: live if that is standard output or error and a suitable terminal,
    /// otherwise line by line.
    /// </summary>
    /// <param name="terminal">The terminal; null for none.</param>
    /// <param name="writer">The writer without a terminal; standard error if results may go to standard output.</param>
    /// <param name="quiet">Whether to show nothing.</param>
    public static LoadDisplay On(IAnsiConsole? terminal, TextWriter writer, bool quiet)
    {
        if (terminal is not null)
        {
            return new LoadDisplay(terminal, quiet ? LoadDisplayMode.Quiet : LoadDisplayMode.Live);
        }

        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(writer) });
        return new LoadDisplay(console, quiet ? LoadDisplayMode.Quiet : ModeFor(console.Profile));
    }

    public static LoadDisplayMode ModeFor(Profile profile) =>
        profile.Out.IsTerminal && profile.Capabilities.Ansi ? LoadDisplayMode.Live : LoadDisplayMode.Plain;

    /// <summary>Begins a run with a heading, such as "128 peers".</summary>
    public void BeginLevel(string heading) => Add(new Entry(heading, IsHeading: true, null));

    // A message of a worker comes over the network.
    public void Say(string line) => Add(new Entry(CoapUntrustedText.LineOf(line), IsHeading: false, null));

    /// <inheritdoc/>
    public void Report(LoadProgress value) => Add(new Entry(null, IsHeading: false, value));

    /// <summary>Shows the rest of the queue, and ends. It ignores later reports.</summary>
    public async ValueTask DisposeAsync()
    {
        _entries.Writer.TryComplete();
        try
        {
            await _writing;
        }
        catch (IOException)
        {
            // The reader of the output is gone; the measurements remain valid.
        }
    }

    private void Add(Entry entry)
    {
        if (_mode != LoadDisplayMode.Quiet)
        {
            _entries.Writer.TryWrite(entry);
        }
    }

    private async Task WriteAsync()
    {
        // Directly to the writer: a console would wrap lines at a width that a file does not have.
        TextWriter writer = _console.Profile.Out.Writer;
        (string Phase, long Second)? last = null;
        await foreach (Entry entry in _entries.Reader.ReadAllAsync())
        {
            if (entry.Tick is not { } tick)
            {
                last = null;
                await writer.WriteLineAsync(entry.IsHeading ? $"== {entry.Text} ==" : entry.Text);
            }
            else if (last != (tick.Phase, (long)tick.Elapsed.TotalSeconds))
            {
                last = (tick.Phase, (long)tick.Elapsed.TotalSeconds);
                await writer.WriteLineAsync(LoadProgressFormatter.Line(tick));
            }

            await writer.FlushAsync();
        }
    }

    private async Task DrawAsync()
    {
        while (await _entries.Reader.WaitToReadAsync())
        {
            if (_entries.Reader.TryPeek(out Entry next) && next.Tick is null)
            {
                _entries.Reader.TryRead(out _);
                Write(next);
                continue;
            }

            LoadView view = new(_console.Profile);
            await _console.Live(view.Draw()).AutoClear(false).StartAsync(context => DrawAsync(view, context));
        }
    }

    // One run: until the next heading or the end. The last table of a run remains.
    private async Task DrawAsync(LoadView view, LiveDisplayContext context)
    {
        while (await _entries.Reader.WaitToReadAsync())
        {
            while (_entries.Reader.TryPeek(out Entry next))
            {
                if (next.IsHeading)
                {
                    context.UpdateTarget(view.Draw());
                    return;
                }

                _entries.Reader.TryRead(out _);
                if (next.Tick is { } tick)
                {
                    view.Add(tick);
                }
                else
                {
                    Write(next);
                }
            }

            context.UpdateTarget(view.Draw());
        }
    }

    // Never as markup: the texts contain foreign input, and brackets.
    private void Write(Entry entry)
    {
        if (entry.IsHeading)
        {
            _console.WriteLine();
            _console.WriteLine(entry.Text!, new Style(decoration: Decoration.Bold));
        }
        else
        {
            _console.WriteLine(entry.Text!);
        }
    }

    private readonly record struct Entry(string? Text, bool IsHeading, LoadProgress? Tick);
}

internal enum LoadDisplayMode
{
    /// <summary>A table that updates in place, for terminals.</summary>
    Live,

    /// <summary>A line per second, for files and pipes.</summary>
    Plain,

    Quiet,
}
