using CoAP.NET.Oscore;

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

    /// <summary>
    /// Where the security context of each session goes: what the endpoint of the client was given by <c>UseOscore</c>. Requests to the
    /// server are protected from then on; those of EDHOC itself never are. Default null: make a context by
    /// <see cref="EdhocSession.CreateContext()"/>.
    /// </summary>
    public OscoreContexts? Contexts { get; set; }

    /// <summary>
    /// Whether message_3 goes with the first request that is protected (RFC 9668), which saves a round trip. Only for servers that are
    /// known to take it, as their link says by <c>ed-comb-req</c>, and with <see cref="Contexts"/>. message_3 is sent before nevertheless
    /// where it has more than 256 bytes, or with <see cref="RequireMessage4"/>. Default false: any server of EDHOC will do.
    /// </summary>
    public bool CombinesFirstRequest { get; set; }

    /// <summary>
    /// Makes external authorization data for each message that the client sends (RFC 9528 section 3.8). What servers send is read where
    /// <see cref="EdhocSettings.EadLabels"/> has its label. Default null: none is sent.
    /// </summary>
    public Func<EdhocEadRequest, CancellationToken, ValueTask<IReadOnlyList<EdhocEad>>>? CreateEad { get; set; }

    /// <summary>Whether the client sends message_4 where it is the Responder (<see cref="EdhocClient.ConnectReverseAsync"/>). Both sides
    /// have to agree on it beforehand. Default false.</summary>
    public bool SendsMessage4 { get; set; }

    /// <summary>The path at the server. Default <see cref="EdhocMapping.DefaultPath"/>.</summary>
    public string Path { get; set; } = EdhocMapping.DefaultPath;

    /// <summary>
    /// Whether an identifier is taken, such as by the Recipient ID of a security context of OSCORE (RFC 9668 section 3.3). Those of
    /// <see cref="Contexts"/> are known. Default: no other one is taken.
    /// </summary>
    public Func<ReadOnlyMemory<byte>, bool>? IsIdentifierTaken { get; set; }
}
