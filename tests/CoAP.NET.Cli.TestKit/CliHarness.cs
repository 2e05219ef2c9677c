using System.CommandLine;
using System.Text;
using CoAP.NET.Cli.Output;
using CoAP.NET.Load.CommandLine;
using CoAP.NET.Testing;

namespace CoAP.NET.Cli.Tests;

/// <summary>Runs <c>coap</c>, or <c>coap-load</c>, in this process with streams that are kept.</summary>
internal sealed class CliHarness
{
    private readonly WatchedStream _out = new();
    private readonly WatchedStream _error = new();

    /// <summary>Whether it runs <c>coap-load</c>.</summary>
    public bool IsLoadGenerator { get; init; }

    /// <summary>What the tool reads from its standard input, which is redirected; null for one of a terminal where nobody types.</summary>
    public byte[]? Input { get; init; }

    /// <summary>In place of <see cref="Input"/>, an input that comes later.</summary>
    public Stream? InputStream { get; init; }

    /// <summary>Whether both output streams pass for terminals.</summary>
    public bool IsTerminal { get; init; }

    /// <summary>The columns of the terminal.</summary>
    public int Width { get; init; } = 100;

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Stands for Ctrl-C and SIGTERM.</summary>
    public CancellationToken Stopped { get; init; }

    public Func<CoapEndpointOptions, CoapClient>? CreateClient { get; init; }

    public Func<CoapEndpointOptions, CoapServer>? CreateServer { get; init; }

    /// <summary>Stands for the browser; tests never open one.</summary>
    public Func<Uri, bool> OpenBrowser { get; init; } = static _ => false;

    public Dictionary<string, string> Variables { get; } = [];

    /// <summary>
    /// Makes one of a terminal where no time passes, so that nothing tells of waiting, however busy the machine is.
    /// </summary>
    public static CliHarness OnTerminal(int width = 100) => new() { IsTerminal = true, Width = width, TimeProvider = new VirtualClock() };

    /// <summary>Runs a command line with a plain harness.</summary>
    public static Task<CliRun> RunAsync(params string[] args) => new CliHarness().InvokeAsync(args);

    /// <summary>Runs a command line.</summary>
    public async Task<CliRun> InvokeAsync(params string[] args)
    {
        StatusLine status = new(IsTerminal ? _error : null, Width);
        CliContext context = new()
        {
            Program = IsLoadGenerator ? LoadProgram.Name : "coap",
            In = InputStream ?? new MemoryStream(Input ?? []),
            IsInputRedirected = Input is not null || InputStream is not null,
            Out = new CliOutput(_out, IsTerminal, IsTerminal ? Width : null, status),
            Error = new CliOutput(_error, IsTerminal, IsTerminal ? Width : null, status),
            TimeProvider = TimeProvider,
            Stopped = Stopped,
            CreateClient = CreateClient ?? (options => new CoapClient(options)),
            CreateServer = CreateServer ?? (options => new CoapServer(options)),
            GetVariable = Variables.GetValueOrDefault,
            OpenBrowser = OpenBrowser,
        };
        Command root = IsLoadGenerator ? LoadProgram.Create(context) : CoapTool.CreateRoot(context);
        int code = await CommandProgram.RunAsync(root, args, context);
        return new CliRun(code, _out.ToArray(), Encoding.UTF8.GetString(_error.ToArray()));
    }

    /// <summary>What came on the standard output so far.</summary>
    public string OutSoFar => Encoding.UTF8.GetString(_out.ToArray());

    /// <summary>Ends as soon as a text was written to the standard output, while the tool still runs.</summary>
    public Task WhenOutAsync(string text) => _out.WhenAsync(text);

    /// <summary>Ends as soon as a text was written to the standard error, while the tool still runs.</summary>
    public Task WhenErrorAsync(string text) => _error.WhenAsync(text);
}
