using System.Net;
using System.Runtime.InteropServices;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using CoAP.NET.Dtls.Native;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>A client's end of a handshake.</summary>
internal sealed class ClientHandshake : Handshake
{
    private const int AlertLength = 2;
    private const byte Fatal = 2;
    private const int MessageBits = 32;
    private const byte HelloVerifyRequest = 3;

    // The header of a message, the version and the length of the cookie (RFC 6347 sections 4.2.1 and 4.2.2).
    private const int CookieOffset = 15;

    // RFC 5246 section 7.4: ServerHello, HelloVerifyRequest, NewSessionTicket, Certificate, ServerKeyExchange, CertificateRequest,
    // ServerHelloDone, CertificateStatus
    private const uint ServerMessages = (1u << 2) | (1u << 3) | (1u << 4) | (1u << 11) | (1u << 12) | (1u << 13) | (1u << 14) | (1u << 22);

    private ResumableSession? _resumed;
    private ulong _nextPlain;
    private byte[] _cookie = [];

    /// <summary>Creates a handshake; <see cref="Start"/> begins it.</summary>
    /// <param name="context">The context that the handshakes of its endpoint share.</param>
    /// <param name="ownCid">
    /// The Connection ID for records to this end: often empty, because a client has one socket per server; null: offer none.
    /// </param>
    /// <param name="pskIdentity">The client's identity; null: <see cref="SelectPsk"/> supplies it.</param>
    /// <param name="pskKey">The key of that identity.</param>
    public ClientHandshake(HandshakeContext context, byte[]? ownCid, string? pskIdentity, ReadOnlySpan<byte> pskKey)
        : base(context, ownCid)
    {
        PskIdentity = pskIdentity;
        SetPreSharedKey(pskKey);
        LibSsl.SSL_set_connect_state(Ssl);
    }

    /// <summary>Chooses identity and key when the server wants a pre-shared key, by its hint (RFC 4279 section 5).</summary>
    public Func<string?, (string Identity, ReadOnlyMemory<byte> Key)?>? SelectPsk { get; init; }

    /// <summary>The hint of the server for the choice of the pre-shared key, or null.</summary>
    public string? PskHint { get; private set; }

    /// <summary>Whether the server required a pre-shared key and the client had none.</summary>
    public bool LacksPreSharedKey { get; private set; }

    /// <summary>
    /// The last fatal alert that arrived unprotected (RFC 5246 section 7.2). Any sender can forge it, so it ends nothing by itself.
    /// </summary>
    public byte? Refusal { get; private set; }

    /// <summary>Number of unprotected fatal alerts.</summary>
    public int Refusals { get; private set; }

    /// <summary>Number of accepted records of the server, without alerts.</summary>
    public int Progress { get; private set; }

    /// <summary>The unprotected messages received, one bit per type (RFC 5246 section 7.4).</summary>
    public uint Heard { get; private set; }

    /// <summary>
    /// How often the server asked for another cookie than at first: it has forgotten the handshake, or the first question was forged. Any
    /// sender can forge one.
    /// </summary>
    public int LaterQuestions { get; private set; }

    /// <summary>Offers to resume a session. Before <see cref="Start"/>.</summary>
    /// <param name="session">
    /// The session, with the bytes that <see cref="SaveSession"/> returned; the handshake does not need them afterwards.
    /// </param>
    /// <returns>Whether OpenSSL accepts it.</returns>
    public unsafe bool Resume(ResumableSession session)
    {
        fixed (byte* start = session.Bytes)
        {
            byte* cursor = start;
            nint native = LibSsl.d2i_SSL_SESSION(0, &cursor, new CLong(session.Bytes.Length));
            if (native == 0)
            {
                LibCrypto.ERR_clear_error();
                return false;
            }

            bool isTaken = LibSsl.SSL_set_session(Ssl, native) == 1;
            LibSsl.SSL_SESSION_free(native);
            _resumed = session;
            SetPreSharedKey(session.PskKey);
            return isTaken;
        }
    }

    /// <summary>Returns the state for resuming the session, including its master secret. Call it when the handshake is done.</summary>
    /// <returns>Bytes that the caller overwrites after use; null if the server does not resume sessions.</returns>
    public unsafe byte[]? SaveSession()
    {
        nint session = LibSsl.SSL_get_session(Ssl);
        if (Status != HandshakeStatus.Done || !HasExtendedMasterSecret || session == 0 || LibSsl.SSL_SESSION_is_resumable(session) == 0)
        {
            return null;
        }

        byte[] bytes = new byte[LibSsl.i2d_SSL_SESSION(session, null)];
        fixed (byte* start = bytes)
        {
            byte* cursor = start;
            return LibSsl.i2d_SSL_SESSION(session, &cursor) == bytes.Length ? bytes : null;
        }
    }

    /// <summary>Sends the ClientHello.</summary>
    /// <param name="serverName">
    /// The name of the server, for its choice of certificate (RFC 6066 section 3); it sends none for an address or null.
    /// </param>
    public unsafe void Start(string? serverName)
    {
        if (serverName is not null && !IPAddress.TryParse(serverName, out _))
        {
            fixed (byte* name = Encoding.ASCII.GetBytes(serverName + '\0'))
            {
                _ = LibSsl.SSL_ctrl(Ssl, LibSsl.SSL_CTRL_SET_TLSEXT_HOSTNAME, new CLong(0), name);
            }
        }

        Step();
    }

    /// <summary>OpenSSL calls it to get identity and key.</summary>
    /// <param name="hint">The server's hint, or null.</param>
    public void SelectKey(string? hint)
    {
        PskHint = hint;
        if (SelectPsk is not null && SelectPsk(hint) is (string identity, ReadOnlyMemory<byte> key))
        {
            PskIdentity = identity;
            SetPreSharedKey(key.Span);
        }

        LacksPreSharedKey = PskIdentity is null;
    }

    public override byte[]? CidToSend() => OwnCid;

    protected override void OnDone()
    {
        // A short handshake shows neither of them again.
        if (IsResumed && _resumed is { } session)
        {
            (PskIdentity, PeerCertificate, PeerPublicKey) = (session.PskIdentity, session.PeerCertificate, session.PeerPublicKey);
            PeerChain = session.PeerChain;
            PskHint = session.PskHint;
        }
    }

    private bool TakesCookie(ReadOnlySpan<byte> message)
    {
        ReadOnlySpan<byte> cookie = message.Length > CookieOffset ? message[CookieOffset..] : [];
        if ((Heard & (1u << HelloVerifyRequest)) == 0)
        {
            _cookie = cookie.ToArray();
            return true;
        }

        LaterQuestions += cookie.SequenceEqual(_cookie) ? 0 : 1;
        return false;
    }

    protected override bool TakesPlain(in RecordHeader header, ReadOnlyMemory<byte> record)
    {
        ReadOnlySpan<byte> content = record.Span.Slice(header.HeaderLength, header.Length);
        if (header.Type == ContentType.Alert)
        {
            if (content.Length == AlertLength && content[0] == Fatal)
            {
                Refusal = content[1];
                Refusals++;
            }

            return false;
        }

        if (header.Type == ContentType.Handshake)
        {
            // Any other message would end the handshake, and any sender can forge one.
            if (content[0] >= MessageBits || (ServerMessages & (1u << content[0])) == 0)
            {
                return false;
            }

            if (content[0] == HelloVerifyRequest && !TakesCookie(content))
            {
                return false;
            }

            Heard |= 1u << content[0];
        }
        else if (!header.IsChange(content))
        {
            return false;
        }

        // An attacker can choose the numbers of unprotected records: a high one would make OpenSSL treat all later ones as old. The
        // messages in them have numbers of their own.
        Progress++;
        RecordHeader renumbered = new(header.Type, 0, _nextPlain++, 0, header.Length);
        renumbered.Write(MemoryMarshal.AsMemory(record).Span, []);
        return true;
    }
}
