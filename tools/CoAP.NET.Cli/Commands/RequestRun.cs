using System.CommandLine;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Cli.Output;
using CoAP.NET.Cli.Wire;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cli.Commands;

/// <summary>One run of a command that sends requests: its client, and the output of responses.</summary>
internal sealed class RequestRun : IAsyncDisposable
{
    private readonly WireTrace? _trace;

    private RequestRun(CliContext context, CoapClient client, ResponsePrinter printer, WireTrace? trace, WaitProgressLine? waiting)
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

    /// <summary>The proxy; null for none.</summary>
    public CoapUri? Proxy { get; private init; }

    /// <summary>Agrees on the keys of the requests; null for none, or keys in a file.</summary>
    public EdhocKeyAgreement? Edhoc { get; private init; }

    /// <summary>The progress line during a wait; null without a terminal.</summary>
    public WaitProgressLine? Waiting { get; }

    public bool IsVerbose => _trace is not null;

    public long Retransmissions => Client.Endpoint.Counters[CoapCounter.Retransmissions];

    /// <summary>Creates the client from the command line.</summary>
    public static async Task<RequestRun> BeginAsync(
        ParseResult parse, CliContext context, RequestOptions options, CancellationToken cancellationToken)
    {
        OutputOptions output = options.Output;
        ResponsePrinter printer = new(context, output.StyleOf(parse, context), parse.GetValue(output.Newline),
            parse.GetValue(output.Pretty));
        byte[]? token = options.Message.TokenOf(parse);
        WireTrace? trace = null;
        WaitProgressLine? waiting = null;
        EdhocKeyAgreement? edhoc = null;
        CoapUri? proxy = options.Message.ProxyOf(parse);
        string target = parse.GetRequiredValue(options.Target);
        CoapUri uri = options.Message.PeerOf(parse, target);
        CoapClient client = options.Connection.CreateClient(parse, context, uri, endpoint =>
        {
            options.Oscore.ApplyTo(parse, context, endpoint, target);
            edhoc = options.Edhoc.ApplyTo(parse, context, endpoint, target, options.Oscore.IsSet(parse), proxy is not null);
            TokenAndHostRewriter.Insert(token, parse.GetValue(options.Message.NoUriHost), endpoint.Pipeline);
            trace = WireTrace.Insert(context, GlobalOptions.VerbosityOf(parse), endpoint);
            waiting = WaitProgressLine.Watch(context, parse, uri, endpoint);
        }, sendsOthers: options.Edhoc.IsSet(parse));
        RequestRun run = new(context, client, printer, trace, waiting) { Proxy = proxy, Edhoc = edhoc };
        try
        {
            if (edhoc is not null)
            {
                await edhoc.ConnectAsync(client, cancellationToken).ConfigureAwait(false);
            }

            return run;
        }
        catch
        {
            await run.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Returns the facts about a response that arrived now.</summary>
    public ResponseDetails FactsOf(CoapMethod method, string uri, long started, long retransmissions, string? path = null) => new(
        method.ToString().ToUpperInvariant(), uri, Context.TimeProvider.GetUtcNow(), Context.TimeProvider.GetElapsedTime(started),
        Retransmissions - retransmissions, path, Proxy);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Client.DisposeAsync().ConfigureAwait(false);
        _trace?.Summarize();
    }
}
