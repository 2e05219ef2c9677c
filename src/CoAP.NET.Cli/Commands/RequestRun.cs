using System.CommandLine;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Cli.Output;
using CoAP.NET.Cli.Wire;

namespace CoAP.NET.Cli.Commands;

/// <summary>One run of a command that sends requests: its client, and what shows what comes.</summary>
internal sealed class RequestRun : IAsyncDisposable
{
    private readonly WireTrace? _trace;

    private RequestRun(CliContext context, CoapClient client, ResponsePrinter printer, WireTrace? trace, WaitingLine? waiting)
    {
        Context = context;
        Client = client;
        Printer = printer;
        _trace = trace;
        Waiting = waiting;
    }

    public CliContext Context { get; }

    public CoapClient Client { get; }

    public ResponsePrinter Printer { get; }

    /// <summary>The proxy that is asked; null for none.</summary>
    public CoapUri? Proxy { get; private init; }

    /// <summary>A sign of life while a peer is waited for; null where nobody looks at it.</summary>
    public WaitingLine? Waiting { get; }

    /// <summary>Whether <c>--verbose</c> was given.</summary>
    public bool IsVerbose => _trace is not null;

    /// <summary>How often messages were sent again so far.</summary>
    public long Retransmissions => Client.Endpoint.Counters[CoapCounter.Retransmissions];

    /// <summary>Makes the client as the command line says.</summary>
    public static RequestRun Begin(ParseResult parse, CliContext context, RequestOptions options)
    {
        OutputOptions output = options.Output;
        ResponsePrinter printer = new(context, output.StyleOf(parse, context), parse.GetValue(output.Newline),
            parse.GetValue(output.Pretty));
        byte[]? token = options.Message.TokenOf(parse);
        WireTrace? trace = null;
        WaitingLine? waiting = null;
        CoapUri uri = options.Message.PeerOf(parse, parse.GetRequiredValue(options.Target));
        CoapClient client = options.Connection.CreateClient(parse, context, uri, endpoint =>
        {
            options.Oscore.ApplyTo(parse, context, endpoint, parse.GetRequiredValue(options.Target));
            HeaderChanges.Insert(token, parse.GetValue(options.Message.NoUriHost), endpoint.Pipeline);
            trace = WireTrace.Insert(context, GlobalOptions.VerbosityOf(parse), endpoint.Pipeline);
            waiting = WaitingLine.Watch(context, parse, uri, endpoint);
        });
        return new RequestRun(context, client, printer, trace, waiting) { Proxy = options.Message.ProxyOf(parse) };
    }

    /// <summary>What is known of a response that came now.</summary>
    public ResponseFacts FactsOf(CoapMethod method, string uri, long started, long retransmissions, string? path = null) => new(
        method.ToString().ToUpperInvariant(), uri, Context.TimeProvider.GetUtcNow(), Context.TimeProvider.GetElapsedTime(started),
        Retransmissions - retransmissions, path, Proxy);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Client.DisposeAsync().ConfigureAwait(false);
        _trace?.Summarize();
    }
}
