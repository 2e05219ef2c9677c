using CoAP.NET.Edhoc.Coap;
using CoAP.NET.Oscore;
using CoAP.NET.Settings;

namespace CoAP.NET.Edhoc;

/// <summary>Options of an <see cref="EdhocClient"/>, which makes them read-only.</summary>
[HasSettings]
public sealed partial class EdhocClientOptions
{
    private readonly Dictionary<string, object> _servers = new(StringComparer.Ordinal);

    /// <summary>The expected servers by <see cref="ServerUriKey"/>.</summary>
    internal IReadOnlyDictionary<string, object> Servers => _servers;

    /// <summary>The supported cipher suites, preferred ones first.</summary>
    /// <remarks>Default: 2, 3, 0, 1, 4, 5, 6 and 24, as far as this platform supports them.</remarks>
    public IList<EdhocCipherSuite> Suites => Settings.Suites;

    /// <summary>Cipher suites and limits of messages.</summary>
    internal EdhocSettings Settings { get; set; } = new();

    /// <summary>The client's own credentials; it uses the first one that fits the suite. At least one.</summary>
    public IList<EdhocOwnCredential> Credentials { get; } = new SettingList<EdhocOwnCredential>();

    /// <summary>Decides which servers to trust. Default: an empty <see cref="EdhocCredentialStore"/>, which trusts none.</summary>
    public partial IEdhocCredentialResolver Trust { get; set; } = new EdhocCredentialStore();

    /// <summary>Sets the server that the client expects at a URI.</summary>
    /// <param name="uri">Scheme, host and port of the server, such as <c>coap://door.example</c>; the path has no meaning.</param>
    /// <param name="peer">
    /// The <see cref="EdhocCredential.Identity"/> of the server's credential, or the <see cref="EdhocCredential"/> itself. For the
    /// certificates of an <see cref="EdhocCertificateTrust"/> also the DNS name or address that the certificate carries in place of the
    /// host of the URI.
    /// </param>
    /// <returns>This instance.</returns>
    /// <exception cref="ArgumentException">It is not an absolute CoAP URI.</exception>
    /// <remarks>
    /// The client refuses any other server before it proves its own identity. A later call for the same server replaces an earlier one.
    /// Without a call, an <see cref="EdhocCertificateTrust"/> requires the host of the URI in the certificate, and an
    /// <see cref="EdhocCredentialStore"/> has to contain one peer only. An <see cref="IEdhocCredentialResolver"/> of your own decides by
    /// <see cref="EdhocClaimedPeerIdentity.Target"/>.
    /// </remarks>
    public EdhocClientOptions ExpectServer(CoapUri uri, object peer)
    {
        ArgumentNullException.ThrowIfNull(uri);
        ArgumentNullException.ThrowIfNull(peer);
        CoapUri.RequireCoap(uri, nameof(uri));
        _servers[ServerUriKey.Of(uri)] = peer;
        return this;
    }

    /// <inheritdoc cref="ExpectServer(CoapUri, object)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public EdhocClientOptions ExpectServer(string uri, object peer) => ExpectServer(CoapUri.FromString(uri), peer);

    /// <summary>
    /// The authentication method of a client as the Initiator; the server has to support it. Default
    /// <see cref="EdhocMethod.StaticStatic"/>.
    /// </summary>
    public partial EdhocMethod Method { get; set; } = EdhocMethod.StaticStatic;

    /// <summary>Whether the server has to send message_4, which confirms the session (<see cref="EdhocResult.IsConfirmed"/>).</summary>
    /// <remarks>Default false: the client reads it if it comes.</remarks>
    public partial bool RequireMessage4 { get; set; }

    /// <summary>Receives the security context of each session: the object that the client's endpoint got in <c>UseOscore</c>.</summary>
    /// <remarks>
    /// The endpoint then protects requests to the server, except those of EDHOC itself. Default null: create a context with
    /// <see cref="EdhocResult.CreateContext()"/>.
    /// </remarks>
    public partial OscoreContexts? Contexts { get; set; }

    /// <summary>Whether message_3 travels with the first protected request (RFC 9668), which saves a round trip.</summary>
    /// <remarks>
    /// Only for servers that support it, as <c>ed-comb-req</c> in their link shows, and with <see cref="Contexts"/>. The client
    /// nevertheless sends message_3 separately if it has more than 256 bytes, or with <see cref="RequireMessage4"/>. Default false, which
    /// works with any EDHOC server.
    /// </remarks>
    public partial bool CombinesFirstRequest { get; set; }

    /// <summary>Creates external authorization data for each message of the client (RFC 9528 section 3.8).</summary>
    /// <remarks>The client reads data of servers if <see cref="EdhocSettings.EadLabels"/> contains its label. Default null: none.</remarks>
    internal Func<EdhocEadRequest, CancellationToken, ValueTask<IReadOnlyList<EdhocEad>>>? CreateEad { get; set; }

    /// <summary>
    /// Whether the client sends message_4 as the Responder (<see cref="EdhocClient.ConnectReverseAsync(CoapUri, CancellationToken)"/>).
    /// Both sides have to agree on it in advance. Default false.
    /// </summary>
    public partial bool SendsMessage4 { get; set; }

    /// <summary>The path at the server. Default <c>/.well-known/edhoc</c>.</summary>
    public partial string Path { get; set; } = CoapEdhocExtensions.DefaultPath;

    /// <summary>
    /// Decides whether an identifier is in use, for example as the Recipient ID of an OSCORE security context (RFC 9668 section 4.1).
    /// </summary>
    /// <remarks>The client already knows those of <see cref="Contexts"/>. Default: no others are in use.</remarks>
    public partial Func<ReadOnlyMemory<byte>, bool>? IsIdentifierTaken { get; set; }
}
