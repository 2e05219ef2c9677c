using System.Text;
using CoAP.NET.Cli.Output;
using Microsoft.Win32.SafeHandles;

namespace CoAP.NET.Cli;

/// <summary>The environment of a command: streams, clock, cancellation by signals, and factories of clients. Tests replace it.</summary>
internal sealed class CliContext
{
    private readonly List<IAsyncDisposable> _owned = [];

    /// <summary>The name of the program, for its errors.</summary>
    public string Program { get; init; } = "coap";

    /// <summary>The input of <c>--file -</c>, and the payload of a request that has no other one.</summary>
    public required Stream In { get; init; }

    /// <summary>Whether the input comes from a file or a pipe, and not from a terminal.</summary>
    public bool IsInputRedirected { get; init; }

    /// <summary>The output for results, and nothing else.</summary>
    public required CliOutput Out { get; init; }

    /// <summary>The output for errors, progress and <c>--verbose</c>.</summary>
    public required CliOutput Error { get; init; }

    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Cancelled by Ctrl-C and SIGTERM.</summary>
    public CancellationToken Stopped { get; init; }

    /// <summary>Creates the clients of commands, once per run of a command.</summary>
    public Func<CoapEndpointOptions, CoapClient> CreateClient { get; init; } = options => new CoapClient(options);

    public Func<CoapEndpointOptions, CoapServer> CreateServer { get; init; } = options => new CoapServer(options);

    /// <summary>Reads an environment variable; null if it is not set.</summary>
    public Func<string, string?> GetVariable { get; init; } = Environment.GetEnvironmentVariable;

    /// <summary>Opens an address in the user's browser; false if there is none.</summary>
    public Func<Uri, bool> OpenBrowser { get; init; } = BrowserLauncher.TryOpen;

    /// <summary>Registers an object that ends with the command, after its clients and servers.</summary>
    public void Own(IAsyncDisposable owned) => _owned.Add(owned);

    /// <summary>Disposes the registered objects of the command, the last one first.</summary>
    public async ValueTask EndAsync()
    {
        for (int i = _owned.Count - 1; i >= 0; i--)
        {
            await _owned[i].DisposeAsync().ConfigureAwait(false);
        }

        _owned.Clear();
    }

    public static CliContext ForConsole(string program, CancellationToken stopped)
    {
        Console.OutputEncoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        Stream error = Open(2, Console.IsErrorRedirected, Console.OpenStandardError, stopped);
        StatusLine status = new(Console.IsErrorRedirected ? null : error, WidthOr(Console.IsErrorRedirected) ?? 80);
        return new CliContext
        {
            Program = program,
            In = Console.OpenStandardInput(),
            IsInputRedirected = Console.IsInputRedirected,
            Out = new CliOutput(
                Open(1, Console.IsOutputRedirected, Console.OpenStandardOutput, stopped), !Console.IsOutputRedirected,
                WidthOr(Console.IsOutputRedirected), status),
            Error = new CliOutput(error, !Console.IsErrorRedirected, WidthOr(Console.IsErrorRedirected), status),
            Stopped = stopped,
        };
    }

    // The console's own stream does not report when the reader of a pipe has gone, so an observation would never end. Files still use it:
    // they may share their position with the other stream.
    private static Stream Open(int descriptor, bool isRedirected, Func<Stream> openConsole, CancellationToken stopped)
    {
        if (!isRedirected)
        {
            return openConsole();
        }

        if (OperatingSystem.IsWindows())
        {
            return new StoppableStream(openConsole(), TimeProvider.System, stopped);
        }

        FileStream stream = new(new SafeFileHandle(descriptor, ownsHandle: false), FileAccess.Write, bufferSize: 0);
        return stream.CanSeek ? openConsole() : new StoppableStream(stream, TimeProvider.System, stopped);
    }

    private static int? WidthOr(bool isRedirected)
    {
        try
        {
            return isRedirected || Console.WindowWidth <= 0 ? null : Console.WindowWidth;
        }
        catch (IOException)
        {
            return null;
        }
    }
}
