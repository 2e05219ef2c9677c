using System.CommandLine;
using System.Net;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>How peers are reached: TLS, the local address, and the transmission parameters. For every command that has a client.</summary>
internal sealed class ConnectionOptions
{
    public Option<FileInfo[]> Ca { get; } = new("--ca", "-C", "-R")
    {
        Description = "TLS: trust servers of the authorities in this PEM file, or directory of such, instead of those that the system trusts. May be repeated.",
        HelpName = "FILE",
    };

    public Option<FileInfo?> Certificate { get; } = new("--cert", "-c") { Description = "TLS: show this certificate (PEM).", HelpName = "FILE" };

    public Option<FileInfo?> Key { get; } = new("--key", "-j") { Description = "TLS: the key of --cert (PEM), when it is in another file.", HelpName = "FILE" };

    public Option<bool> Insecure { get; } = new("--insecure", "-n") { Description = "TLS: trust anybody. For trying out only." };

    public Option<string?> Bind { get; } = new("--bind", "-a") { Description = "Send from this address of this machine, with a port for coap: ADDRESS, ADDRESS:PORT, [IPV6]:PORT.", HelpName = "ADDRESS" };

    public Option<int?> NStart { get; } = CommandExtensions.Number("--nstart", "How many requests may be on their way to a peer at a time (NSTART). Default 1.", 1, 1000);

    public Option<TimeSpan?> AckTimeout { get; } = Durations.Option("--ack-timeout", "How long to wait for an acknowledgement before sending again (ACK_TIMEOUT). Default 2s.");

    public Option<int?> MaxRetransmit { get; } = CommandExtensions.Number("--max-retransmit", "How often to send again (MAX_RETRANSMIT). Default 4.", 0, 20);

    public Option<TimeSpan?> KeepAlive { get; } = Durations.Option("--keep-alive", "Connections: ask a silent peer by a Ping after this time. 0 never. Default 2m.", "-K");

    public Option<int?> MaxMessageSize { get; } = CommandExtensions.Number("--max-message-size", "Connections: the largest message in bytes that is taken. Default 1048576.", 64, 1 << 30, "-X");

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[Ca, Certificate, Key, Insecure, Bind, NStart, AckTimeout, MaxRetransmit, KeepAlive, MaxMessageSize])
        {
            command.Options.Add(option);
        }
    }

    /// <summary>The options of the client's endpoint.</summary>
    /// <exception cref="UsageException">Options contradict each other.</exception>
    public CoapEndpointOptions ToEndpointOptions(ParseResult parse, CliContext context)
    {
        CoapEndpointOptions options = new()
        {
            TimeProvider = context.TimeProvider,
            Parameters = Adjust(parse, CoapTransmissionParameters.Default),
            Tls = ClientSecurity.Make(parse.GetValue(Ca) ?? [], parse.GetValue(Certificate), parse.GetValue(Key), parse.GetValue(Insecure)),
        };
        if (parse.GetValue(KeepAlive) is { } keepAlive)
        {
            options.Streams.KeepAliveInterval = keepAlive == TimeSpan.Zero ? Timeout.InfiniteTimeSpan : keepAlive;
        }

        if (parse.GetValue(MaxMessageSize) is { } size)
        {
            options.Limits.MaxStreamMessageSize = size;
        }

        return options;
    }

    /// <summary>Makes the client of a command.</summary>
    public CoapClient CreateClient(ParseResult parse, CliContext context, Action<CoapEndpointOptions>? configure = null)
    {
        CoapEndpointOptions options = ToEndpointOptions(parse, context);
        configure?.Invoke(options);
        CoapClient client = context.CreateClient(options);
        if (BindTo(parse) is { Port: > 0 } end)
        {
            client.Endpoint.Listen($"coap://{end}");
        }

        return client;
    }

    /// <summary>The address that requests leave from; null for whichever the operating system chooses.</summary>
    public IPAddress? LocalAddress(ParseResult parse) => BindTo(parse)?.Address;

    private IPEndPoint? BindTo(ParseResult parse)
    {
        string? text = parse.GetValue(Bind);
        return text is null ? null
            : IPEndPoint.TryParse(text, out IPEndPoint? end) ? end
            : throw new UsageException($"'{text}' is no address of --bind.", "Write an IP address, with a port if you like: 192.0.2.1, 192.0.2.1:5683, [2001:db8::1]:5683.");
    }

    private CoapTransmissionParameters Adjust(ParseResult parse, CoapTransmissionParameters parameters) => parameters with
    {
        NStart = parse.GetValue(NStart) ?? parameters.NStart,
        AckTimeout = parse.GetValue(AckTimeout) ?? parameters.AckTimeout,
        MaxRetransmit = parse.GetValue(MaxRetransmit) ?? parameters.MaxRetransmit,
    };
}
