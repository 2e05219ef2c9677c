namespace CoAP.NET.Edhoc;

/// <summary>How an <see cref="EdhocClient"/> works. Read when it is made.</summary>
public sealed class EdhocClientOptions
{
    /// <summary>Suites and bounds of messages.</summary>
    public EdhocSettings Settings { get; set; } = new();

    /// <summary>What the client authenticates by. The first that fits the suite is used. One at least.</summary>
    public IList<EdhocOwnCredential> Credentials { get; } = [];

    /// <summary>Whom to trust. Default: an empty <see cref="EdhocCredentialStore"/>, nobody.</summary>
    public IEdhocCredentialResolver Trust { get; set; } = new EdhocCredentialStore();

    /// <summary>How both authenticate, where the client is the Initiator; the server has to support it. Default
    /// <see cref="EdhocMethod.StaticStatic"/>.</summary>
    public EdhocMethod Method { get; set; } = EdhocMethod.StaticStatic;

    /// <summary>Whether the server has to send message_4, so that a session is confirmed (<see cref="EdhocSession.IsConfirmed"/>). Default
    /// false: it is read where it comes.</summary>
    public bool RequireMessage4 { get; set; }

    /// <summary>The path at the server. Default <see cref="EdhocMapping.DefaultPath"/>.</summary>
    public string Path { get; set; } = EdhocMapping.DefaultPath;

    /// <summary>
    /// Whether an identifier is taken, such as by the Recipient ID of a security context of OSCORE (RFC 9668 section 3.3). Default: none is
    /// taken.
    /// </summary>
    public Func<ReadOnlyMemory<byte>, bool>? IsIdentifierTaken { get; set; }
}
