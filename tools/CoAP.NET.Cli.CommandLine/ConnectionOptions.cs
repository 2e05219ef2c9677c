using System.CommandLine;
using System.Net;
using CoAP.NET.Dtls;

namespace CoAP.NET.Cli;

/// <summary>
/// The connection options of every command with a client: TLS and DTLS, the local address, and the transmission parameters.
/// </summary>
internal sealed class ConnectionOptions
{
    private static readonly TimeSpan s_handshakeTimeout = TimeSpan.FromSeconds(10);

    public Option<FileInfo[]> Ca { get; } = new("--ca", "-C", "-R")
    {
        Description = "TLS, DTLS: trust servers of the authorities in this PEM file, or directory of such, instead of the system's. May "
            + "be repeated.",
        HelpName = "FILE",
    };

    public Option<FileInfo?> Certificate { get; } = new("--cert", "-c")
    {
        Description = "TLS, DTLS: present this certificate (PEM).",
        HelpName = "FILE"
    };

    public Option<FileInfo?> Key { get; } = new("--key", "-j")
    {
        Description = "TLS, DTLS: the key of --cert (PEM), when it is in another file.",
        HelpName = "FILE"
    };

    public Option<string?> Psk { get; } = new("--psk")
    {
        Description = "coaps: the client's identity, and the key that the server shares with it; the key as text, or as 0x and "
            + "hexadecimal digits.",
        HelpName = "ID:KEY"
    };

    public Option<FileInfo?> PskFile { get; } = new("--psk-file")
    {
        Description = "coaps: a file with one line ID:KEY, which the list of processes does not show, unlike --psk.",
        HelpName = "FILE"
    };

    public Option<bool> Insecure { get; } = new("--insecure", "-n") { Description = "TLS, DTLS: trust any server. For tests only." };

    public Option<string?> Bind { get; } = new("--bind", "-a")
    {
        Description = "Send from this address of this machine, with a port for coap: ADDRESS, ADDRESS:PORT, [IPV6]:PORT.",
        HelpName = "ADDRESS"
    };

    public Option<TimeSpan?> HandshakeTimeout { get; } = DurationParser.PositiveOption("--handshake-timeout",
        "TLS, DTLS: how long a handshake may take. Default 10s.");

    public Option<int?> NStart { get; } = CommandExtensions.Number("--nstart",
        "Maximum number of concurrent requests to a peer (NSTART). Default 1.", 1, 1000);

    public Option<TimeSpan?> AckTimeout { get; } = DurationParser.PositiveOption("--ack-timeout",
        "How long to wait for an acknowledgement before a retransmission (ACK_TIMEOUT). Default 2s.");

    public Option<int?> MaxRetransmit { get; } = CommandExtensions.Number("--max-retransmit",
        "Number of retransmissions (MAX_RETRANSMIT). Default 4.", 0, 20);

    public Option<CoapRetransmissionAlgorithm?> Timing { get; } = RetransmissionTimingOption.Create();

    public Option<TimeSpan?> KeepAlive { get; } = DurationParser.Option("--keep-alive",
        "Connections: send a Ping to a peer that was silent for this time. 0 never. Default 2m.", "-K");

    public Option<int?> MaxMessageSize { get; } = CommandExtensions.Number("--max-message-size",
        "Connections: maximum size of a received message in bytes. Default 1048576.", 64, 1 << 30, "-X");

    /// <summary>Adds the options to a command, and <c>--verbose</c>.</summary>
    public void AddTo(GroupedHelpCommand command)
    {
        command.AddGroup(HelpGroup.Output, GlobalOptions.Verbose());
        AddToBrowser(command);
        command.AddGroup(HelpGroup.Network, Bind);
    }

    /// <summary>Adds those that also apply to the requests of a web page, which shows their messages itself.</summary>
    public void AddToBrowser(GroupedHelpCommand command)
    {
        AddSecurityTo(command);
        command.AddGroup(HelpGroup.Network, NStart, AckTimeout, MaxRetransmit, Timing, KeepAlive, MaxMessageSize);
    }

    public void AddSecurityTo(GroupedHelpCommand command) =>
        command.AddGroup(HelpGroup.Security, Psk, PskFile, Ca, Certificate, Key, Insecure, HandshakeTimeout);

    /// <summary>Returns the options of the client's endpoint.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="context">The clock.</param>
    /// <param name="scheme">The scheme of the target, or of the proxy.</param>
    /// <exception cref="UsageException">Options contradict each other.</exception>
    public CoapEndpointOptions ToEndpointOptions(ParseResult parse, CliContext context, string scheme)
    {
        CoapEndpointOptions options = new() { TimeProvider = context.TimeProvider };
        ApplySecurity(parse, scheme, options);
        ApplyTransmission(parse, options);
        return options;
    }

    /// <summary>Applies transmission parameters and limits of connections to a client.</summary>
    public void ApplyTransmission(ParseResult parse, CoapEndpointOptions options)
    {
        CoapTransmissionParameters parameters = options.Parameters;
        options.Parameters = parameters with
        {
            NStart = parse.GetValue(NStart) ?? parameters.NStart,
            AckTimeout = parse.GetValue(AckTimeout) ?? parameters.AckTimeout,
            MaxRetransmit = parse.GetValue(MaxRetransmit) ?? parameters.MaxRetransmit,
            RetransmissionTiming = parse.GetValue(Timing) ?? parameters.RetransmissionTiming,
        };
        options.Transports.Streams.HandshakeTimeout = parse.GetValue(HandshakeTimeout) ?? options.Transports.Streams.HandshakeTimeout;
        if (parse.GetValue(KeepAlive) is { } keepAlive)
        {
            options.Transports.Streams.KeepAliveInterval = keepAlive == TimeSpan.Zero ? Timeout.InfiniteTimeSpan : keepAlive;
        }

        if (parse.GetValue(MaxMessageSize) is { } size)
        {
            options.Limits.Connections.MaxMessageSize = size;
        }
    }

    /// <summary>Applies the security options of the command line to a client.</summary>
    /// <exception cref="UsageException">Options contradict each other.</exception>
    public void ApplySecurity(ParseResult parse, string scheme, CoapEndpointOptions options)
    {
        FileInfo[] authorities = parse.GetValue(Ca) ?? [];
        CoapPskCredential? psk = PskOf(parse, scheme);
        options.Transports.Streams.HandshakeTimeout = parse.GetValue(HandshakeTimeout)
            ?? (scheme == "coaps" ? s_handshakeTimeout : options.Transports.Streams.HandshakeTimeout);
        if (scheme == "coaps")
        {
            CoapDtlsOptions dtls = ClientDtlsOptionsFactory.Make(psk, authorities, parse.GetValue(Certificate), parse.GetValue(Key),
                parse.GetValue(Insecure));

            // A user waits for it, and a wrong key causes only silence.
            dtls.HandshakeTimeout = options.Transports.Streams.HandshakeTimeout;
            options.UseDtls(dtls);
        }
        else
        {
            options.Tls = ClientTlsOptionsFactory.Make(
                authorities, parse.GetValue(Certificate), parse.GetValue(Key), parse.GetValue(Insecure));
        }
    }

    /// <summary>Whether the command line has options for keys, certificates or trust.</summary>
    public bool HasSecurity(ParseResult parse) => parse.GetValue(Ca) is { Length: > 0 } || parse.GetValue(Certificate) is not null
        || parse.GetValue(Psk) is not null || parse.GetValue(PskFile) is not null || parse.GetValue(Insecure);

    /// <summary>Returns the handshake timeout of options from this class.</summary>
    public static TimeSpan HandshakeTimeoutOf(CoapEndpointOptions options) => options.Transports.Streams.HandshakeTimeout;

    /// <summary>Creates the client of a command.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="context">Creates clients.</param>
    /// <param name="uri">The target, or the proxy.</param>
    /// <param name="configure">Sets more options; null for none.</param>
    /// <param name="sendsOthers">Whether it sends messages other than requests with <see cref="LocalAddress"/>.</param>
    /// <exception cref="UsageException">Such messages cannot be sent from the address of <c>--bind</c>.</exception>
    public CoapClient CreateClient(ParseResult parse, CliContext context, CoapUri uri, Action<CoapEndpointOptions>? configure = null,
        bool sendsOthers = false)
    {
        IPEndPoint? bound = BindTo(parse);
        if (sendsOthers && bound is not null && uri.Scheme != "coap")
        {
            throw new UsageException($"--bind works only with coap:// here, and the request goes to {uri.Scheme}://.", "Leave it out.");
        }

        CoapEndpointOptions options = ToEndpointOptions(parse, context, uri.Scheme);
        configure?.Invoke(options);
        CoapClient client = context.CreateClient(options);
        if (bound is not null && (bound.Port > 0 || sendsOthers))
        {
            client.Endpoint.Listen($"coap://{bound}");
        }

        return client;
    }

    /// <summary>Returns the source address of requests; null for the operating system's choice.</summary>
    public IPAddress? LocalAddress(ParseResult parse) => BindTo(parse)?.Address;

    // A secret request must not go out unencrypted because of its scheme.
    private CoapPskCredential? PskOf(ParseResult parse, string scheme)
    {
        (string? text, FileInfo? file) = (parse.GetValue(Psk), parse.GetValue(PskFile));
        return text is null && file is null ? null
            : text is not null && file is not null ? throw new UsageException("Both --psk and --psk-file are "
                + "present.", "Give one of them.")
            : scheme != "coaps"
            ? throw new UsageException($"A pre-shared key works only with coaps://, and the request goes to {scheme}://.",
                "Write coaps://; coaps+tcp takes certificates only.")
            : text is not null ? PskParser.Parse(text) : PskParser.ReadOnlyOne(file!);
    }

    private IPEndPoint? BindTo(ParseResult parse)
    {
        string? text = parse.GetValue(Bind);
        return text is null ? null
            : IPEndPoint.TryParse(text, out IPEndPoint? end) ? end
            : throw new UsageException($"'{text}' is not an address for --bind.",
                "Write an IP address, with a port if you like: 192.0.2.1, 192.0.2.1:5683, [2001:db8::1]:5683.");
    }
}
