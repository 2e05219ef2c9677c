namespace CoAP.NET.Edhoc;

/// <summary>How an <see cref="EdhocServer"/> works. Read when it is made.</summary>
public sealed class EdhocServerOptions
{
    /// <summary>Suites and bounds of messages.</summary>
    public EdhocSettings Settings { get; set; } = new();

    /// <summary>What the server authenticates by. The first that fits method and suite is used, so the list says which methods are
    /// supported. One at least.</summary>
    public IList<EdhocOwnCredential> Credentials { get; } = [];

    /// <summary>Whom to trust. Default: an empty <see cref="EdhocCredentialStore"/>, nobody.</summary>
    public IEdhocCredentialResolver Trust { get; set; } = new EdhocCredentialStore();

    /// <summary>
    /// Called for each peer that has proven who it is, before it is answered: make a security context of
    /// <see cref="EdhocSession.ExportOscore"/>. The session is disposed afterwards, and its keys are wiped. An exception is answered 5.00,
    /// and the peer has no session. Default: nothing is done.
    /// </summary>
    public Func<EdhocSession, CoapRequest, CancellationToken, ValueTask>? Established { get; set; }

    /// <summary>
    /// Whether an identifier is taken, such as by the Recipient ID of a security context of OSCORE (RFC 9668 section 3.3). Those of
    /// sessions
    /// that have begun are known. Called often, possibly by several threads. Default: none is taken.
    /// </summary>
    public Func<ReadOnlyMemory<byte>, bool>? IsIdentifierTaken { get; set; }

    /// <summary>Whether the answer to message_3 is message_4, which shows the client that the server has the same keys. Default false: the
    /// first message of OSCORE does.</summary>
    public bool SendsMessage4 { get; set; }

    /// <summary>The method when clients have the server be the Initiator, by an empty POST (RFC 9528 appendix A.2.2). Default null: such
    /// requests are refused.</summary>
    public EdhocMethod? ReverseMethod { get; set; }

    /// <summary>
    /// Whether a client on datagrams must have shown that it receives at its address before any key is computed for it: it is answered 4.01
    /// with an Echo until then (RFC 9175 section 2.3), which clients of this library answer by themselves. Default true.
    /// </summary>
    public bool RequireVerified { get; set; } = true;

    /// <summary>How many sessions may be under way. 1 or more; default 1,000.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxSessions { get; set => field = AtLeastOne(value); } = 1000;

    /// <summary>
    /// How many of them one source may have (<see cref="CoapSource"/>); more get 5.03. A session that failed counts until
    /// <see cref="Timeout"/> has passed, so a source causes no more signatures in this time. 1 or more; default 16.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public int MaxSessionsPerSource { get; set => field = AtLeastOne(value); } = 16;

    /// <summary>How long a session may take from message_1 to the end. Above zero; default 60 s.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero.</exception>
    public TimeSpan Timeout
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            field = value;
        }
    }
    = TimeSpan.FromSeconds(60);

    /// <summary>The clock. Default the system's.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    private static int AtLeastOne(int value)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
        return value;
    }
}
