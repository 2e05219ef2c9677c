using System.CommandLine;
using System.Net;
using CoAP.NET.Dtls;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>
/// How peers are reached: TLS and DTLS, the local address, and the transmission parameters. For every command that has a client.
/// </summary>
internal sealed class ConnectionOptions
{
    private static readonly TimeSpan s_handshakeTimeout = TimeSpan.FromSeconds(10);

    public Option<FileInfo[]> Ca { get; } = new("--ca", "-C", "-R")
    {
        Description = "TLS, DTLS: trust servers of the authorities in this PEM file, or directory of such, instead of those that the "
            + "system trusts. May be repeated.",
        HelpName = "FILE",
    };

    public Option<FileInfo?> Certificate { get; } = new("--cert", "-c")
    {
        Description = "TLS, DTLS: show this certificate (PEM).",
        HelpName = "FILE"
    };

    public Option<FileInfo?> Key { get; } = new("--key", "-j")
    {
        Description = "TLS, DTLS: the key of --cert (PEM), when it is in another file.",
        HelpName = "FILE"
    };

    public Option<string?> Psk { get; } = new("--psk")
    {
        Description = "coaps: who this is, and the key that the server shares with it; the key as text, or as 0x and hexadecimal digits.",
        HelpName = "ID:KEY"
    };

    public Option<FileInfo?> PskFile { get; } = new("--psk-file")
    {
        Description = "coaps: a file with one line ID:KEY, which nobody sees in the list of processes, unlike --psk.",
        HelpName = "FILE"
    };

    public Option<bool> Insecure { get; } = new("--insecure", "-n") { Description = "TLS, DTLS: trust anybody. For trying out only." };

    public Option<string?> Bind { get; } = new("--bind", "-a")
    {
        Description = "Send from this address of this machine, with a port for coap: ADDRESS, ADDRESS:PORT, [IPV6]:PORT.",
        HelpName = "ADDRESS"
    };

    public Option<TimeSpan?> HandshakeTimeout { get; } = Durations.PositiveOption("--handshake-timeout",
        "TLS, DTLS: how long a handshake may take. Default 10s.");

    public Option<int?> NStart { get; } = CommandExtensions.Number("--nstart",
        "How many requests may be on their way to a peer at a time (NSTART). Default 1.", 1, 1000);

    public Option<TimeSpan?> AckTimeout { get; } = Durations.PositiveOption("--ack-timeout",
        "How long to wait for an acknowledgement before sending again (ACK_TIMEOUT). Default 2s.");

    public Option<int?> MaxRetransmit { get; } = CommandExtensions.Number("--max-retransmit",
        "How often to send again (MAX_RETRANSMIT). Default 4.", 0, 20);

    public Option<TimeSpan?> KeepAlive { get; } = Durations.Option("--keep-alive",
        "Connections: ask a silent peer by a Ping after this time. 0 never. Default 2m.", "-K");

    public Option<int?> MaxMessageSize { get; } = CommandExtensions.Number("--max-message-size",
        "Connections: the largest message in bytes that is taken. Default 1048576.", 64, 1 << 30, "-X");

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[Ca, Certificate, Key, Insecure, Psk, PskFile, HandshakeTimeout, Bind, NStart, AckTimeout,
            MaxRetransmit, KeepAlive, MaxMessageSize])
        {
            command.Options.Add(option);
        }
    }

    /// <summary>The options of the client's endpoint.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="context">The clock.</param>
    /// <param name="scheme">The scheme of what is asked, or of the proxy.</param>
    /// <exception cref="UsageException">Options contradict each other.</exception>
    public CoapEndpointOptions ToEndpointOptions(ParseResult parse, CliContext context, string scheme)
    {
        CoapEndpointOptions options = new()
        {
            TimeProvider = context.TimeProvider,
            Parameters = Adjust(parse, CoapTransmissionParameters.Default),
        };
        ApplySecurity(parse, scheme, options);
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

    /// <summary>Has a client show and trust what the command line says.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="scheme">The scheme of what is asked.</param>
    /// <param name="options">The options of the client.</param>
    /// <exception cref="UsageException">Options contradict each other.</exception>
    public void ApplySecurity(ParseResult parse, string scheme, CoapEndpointOptions options)
    {
        FileInfo[] authorities = parse.GetValue(Ca) ?? [];
        CoapPskCredential? psk = PskOf(parse, scheme);
        options.Streams.HandshakeTimeout = parse.GetValue(HandshakeTimeout)
            ?? (scheme == "coaps" ? s_handshakeTimeout : options.Streams.HandshakeTimeout);
        if (scheme == "coaps")
        {
            CoapDtlsOptions dtls = ClientDtls.Make(psk, authorities, parse.GetValue(Certificate), parse.GetValue(Key),
                parse.GetValue(Insecure));

            // Somebody waits for it, and a wrong key shows by silence only.
            dtls.HandshakeTimeout = options.Streams.HandshakeTimeout;
            options.UseDtls(dtls);
        }
        else
        {
            options.Tls = ClientSecurity.Make(authorities, parse.GetValue(Certificate), parse.GetValue(Key), parse.GetValue(Insecure));
        }
    }

    /// <summary>Whether anything was said of keys, certificates or trust.</summary>
    public bool HasSecurity(ParseResult parse) => parse.GetValue(Ca) is { Length: > 0 } || parse.GetValue(Certificate) is not null
        || parse.GetValue(Psk) is not null || parse.GetValue(PskFile) is not null || parse.GetValue(Insecure);

    /// <summary>How long a handshake may take by the options that were made here.</summary>
    public static TimeSpan HandshakeTimeoutOf(CoapEndpointOptions options) => options.Streams.HandshakeTimeout;

    /// <summary>Makes the client of a command.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="context">Where clients come from.</param>
    /// <param name="uri">What is asked, or the proxy.</param>
    /// <param name="configure">Sets more options; null for none.</param>
    public CoapClient CreateClient(ParseResult parse, CliContext context, CoapUri uri, Action<CoapEndpointOptions>? configure = null)
    {
        CoapEndpointOptions options = ToEndpointOptions(parse, context, uri.Scheme);
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

    // What was to be secret must not go out in the clear because of a scheme.
    private CoapPskCredential? PskOf(ParseResult parse, string scheme)
    {
        (string? text, FileInfo? file) = (parse.GetValue(Psk), parse.GetValue(PskFile));
        return text is null && file is null ? null
            : text is not null && file is not null ? throw new UsageException("--psk and --psk-file are both given.", "One key is enough.")
            : scheme != "coaps"
            ? throw new UsageException($"A pre-shared key is for coaps://, and this goes to {scheme}://.",
                "Write coaps://; coaps+tcp takes certificates only.")
            : text is not null ? PskText.Parse(text) : PskText.ReadOnlyOne(file!);
    }

    private IPEndPoint? BindTo(ParseResult parse)
    {
        string? text = parse.GetValue(Bind);
        return text is null ? null
            : IPEndPoint.TryParse(text, out IPEndPoint? end) ? end
            : throw new UsageException($"'{text}' is no address of --bind.",
                "Write an IP address, with a port if you like: 192.0.2.1, 192.0.2.1:5683, [2001:db8::1]:5683.");
    }

    /// <summary>Transmission parameters with what the command line says of them.</summary>
    public CoapTransmissionParameters Adjust(ParseResult parse, CoapTransmissionParameters parameters) => parameters with
    {
        NStart = parse.GetValue(NStart) ?? parameters.NStart,
        AckTimeout = parse.GetValue(AckTimeout) ?? parameters.AckTimeout,
        MaxRetransmit = parse.GetValue(MaxRetransmit) ?? parameters.MaxRetransmit,
    };
}
