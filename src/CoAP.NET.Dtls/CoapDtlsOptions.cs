using CoAP.NET.Dtls.Records;
using CoAP.NET.Settings;

namespace CoAP.NET.Dtls;

/// <summary>Security of <c>coaps</c> by DTLS 1.2 (RFC 7252 section 9): credentials and limits.</summary>
/// <remarks>
/// Read-only once <see cref="CoapDtlsExtensions.UseDtls"/> or <c>CoapDtls.CreateTransport</c> has checked them:
/// <see cref="CoapDtlsServerOptions.SelectCredentials"/> and <see cref="CoapDtlsClientOptions.SelectCredentials"/> renew certificates.
/// </remarks>
[HasSettings]
public sealed partial class CoapDtlsOptions
{
    /// <summary>Smallest value of <see cref="MaxDatagramSize"/>.</summary>
    internal const int MinDatagramSize = 256;

    /// <summary>Largest value of <see cref="MaxDatagramSize"/>.</summary>
    internal const int LargestDatagramSize = 16_000;

    /// <summary>The cipher suites that an endpoint uses unless <see cref="CipherSuites"/> names others, best first.</summary>
    /// <remarks>CCM_8, which every CoAP endpoint has (RFC 7252 section 9.1.3), then CCM, then GCM; all with AES-128.</remarks>
    public static IReadOnlyList<CoapDtlsCipherSuite> DefaultCipherSuites { get; } =
    [
        .. CipherSuite.All
            .Where(static suite => suite is { KeyLength: 16, KeyExchange: not KeyExchange.EcdhePsk })
            .Select(static suite => (CoapDtlsCipherSuite)suite.Id).OrderBy(RankOf),
    ];

    /// <summary>The server's credentials, and the clients that it accepts.</summary>
    /// <remarks>Default null: the endpoint cannot listen on <c>coaps</c>.</remarks>
    public partial CoapDtlsServerOptions? Server { get; set; }

    /// <summary>The client's credentials, and the servers that it trusts.</summary>
    /// <remarks>Default null: requests to <c>coaps</c> fail, except those to clients that opened a session.</remarks>
    public partial CoapDtlsClientOptions? Client { get; set; }

    /// <summary>The cipher suites, best first; a server takes the first of its own that the client has.</summary>
    /// <remarks>
    /// Default empty: those of <see cref="DefaultCipherSuites"/> that match the credentials. A suite that you name must match the
    /// credentials of <see cref="Server"/> or <see cref="Client"/>; otherwise the options are in error. The endpoint uses no other suites
    /// then.
    /// </remarks>
    public IList<CoapDtlsCipherSuite> CipherSuites { get; } = new SettingList<CoapDtlsCipherSuite>();

    /// <summary>
    /// Whether the endpoint uses Connection IDs (RFC 9146) with peers that support them, so that a session survives a change of the peer's
    /// address.
    /// </summary>
    /// <remarks>
    /// A server assigns 8 random bytes. A client does not request one for itself. Costs 9 bytes in each record to a server. Default true.
    /// </remarks>
    public partial bool UseConnectionIds { get; set; } = true;

    /// <summary>
    /// Whether handshakes fail with peers that do not bind the master secret to the whole handshake (extended_master_secret, RFC 7627).
    /// </summary>
    /// <remarks>
    /// OpenSSL, GnuTLS, Mbed TLS, Californium and newer versions of tinydtls support it. A session without it is safe as long as no end
    /// renegotiates or resumes it: this library never renegotiates, and does not resume sessions without it (RFC 7627 section 5.4). Default
    /// false, for old devices.
    /// </remarks>
    public partial bool RequireExtendedMasterSecret { get; set; }

    /// <summary>
    /// The time without an answer after which the endpoint sends a flight of a handshake again; it doubles each time (RFC 6347 section
    /// 4.2.4.1).
    /// </summary>
    /// <remarks>
    /// RFC 7925 section 11 recommends 9 s for networks where an answer takes seconds, because needless retransmissions cost much there.
    /// </remarks>
    [TimeRange(50 * Seconds.Millisecond, Seconds.Minute)]
    public partial TimeSpan RetransmitTimeout { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>Maximum duration of a handshake, including retransmissions and the time of a <see cref="ICoapPskStore"/>.</summary>
    /// <remarks>At least six times <see cref="RetransmitTimeout"/> survives two losses.</remarks>
    [TimeRange(100 * Seconds.Millisecond, 10 * Seconds.Minute)]
    public partial TimeSpan HandshakeTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>Maximum size of a handshake datagram in bytes, without the headers of UDP and IP.</summary>
    /// <remarks>
    /// The endpoint fragments longer messages, such as certificate chains. The endpoint's own limits bound CoAP messages, and a record adds
    /// up to 45 bytes to them.
    /// </remarks>
    [NumberRange(MinDatagramSize, LargestDatagramSize, IsBytes = true)]
    public partial int MaxDatagramSize { get; set; } = 1_200;

    /// <summary>
    /// A file to which the endpoint appends the secrets of all sessions, in the NSS format that Wireshark uses to decrypt captures.
    /// </summary>
    /// <remarks>
    /// Anyone with this file can read all traffic: use it for debugging only, never in production. The endpoint makes it readable for its
    /// owner alone, even if it already exists. On Unix it refuses a link, a device and a pipe, and on Linux also a file of another user or
    /// with a second name. Default null: no secret leaves the process.
    /// </remarks>
    public partial string? KeyLogFile { get; set; }

    /// <summary>Checks that the options fit together, as <see cref="CoapDtlsExtensions.UseDtls"/> does.</summary>
    /// <exception cref="ArgumentException">An option is missing or contradicts another; the message names what to change.</exception>
    public void Validate() => DtlsOptionsValidator.Check(this);

    /// <summary>
    /// How long Confirmable messages stay unanswered before a client checks, with a handshake, whether the server still knows the session.
    /// Null: derived from the session and its transmission parameters (docs/dtls.md). Other values are for tests.
    /// </summary>
    internal TimeSpan? SilenceToProbe { get; set; }

    /// <summary>
    /// Length of the Connection ID that a client assigns to itself, 0 to 8 bytes. Default 0, because a client has sockets of its own. With
    /// another value, an observer on the wire can tell sessions apart in both directions.
    /// </summary>
    internal int ClientCidLength { get; set; }

    /// <summary>
    /// Maximum bytes of a record that the endpoint says it accepts (RFC 8449). Other values than 16,384 play a small device.
    /// </summary>
    internal int RecordSizeLimit { get; set; } = RecordLayer.MaxPlaintext;

    internal CoapDtlsOptions Clone()
    {
        CoapDtlsOptions copy = new()
        {
            Server = Server?.Clone(),
            Client = Client?.Clone(),
            UseConnectionIds = UseConnectionIds,
            RequireExtendedMasterSecret = RequireExtendedMasterSecret,
            RetransmitTimeout = RetransmitTimeout,
            HandshakeTimeout = HandshakeTimeout,
            MaxDatagramSize = MaxDatagramSize,
            KeyLogFile = KeyLogFile,
            SilenceToProbe = SilenceToProbe,
            ClientCidLength = ClientCidLength,
            RecordSizeLimit = RecordSizeLimit,
        };
        foreach (CoapDtlsCipherSuite suite in CipherSuites)
        {
            copy.CipherSuites.Add(suite);
        }

        return copy;
    }

    private static int RankOf(CoapDtlsCipherSuite suite) => suite switch
    {
        CoapDtlsCipherSuite.PskAes128Ccm8 or CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8 => 0,
        CoapDtlsCipherSuite.PskAes128Ccm or CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm => 1,
        _ => 2,
    };
}
