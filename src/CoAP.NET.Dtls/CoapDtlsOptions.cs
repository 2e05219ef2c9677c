using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls;

/// <summary>
/// Security of <c>coaps</c> by DTLS 1.2 (RFC 7252 section 9): credentials and bounds. Copied and checked by
/// <see cref="CoapDtlsEndpointExtensions.UseDtls"/>, or when a <see cref="CoapDtlsTransport"/> is made of them; what is changed later has
/// no effect. Mutable until then.
/// </summary>
public sealed class CoapDtlsOptions
{
    /// <summary>Smallest value of <see cref="MaxDatagramSize"/>.</summary>
    internal const int MinDatagramSize = 256;

    /// <summary>Largest value of <see cref="MaxDatagramSize"/>.</summary>
    internal const int LargestDatagramSize = 16_000;

    private static readonly TimeSpan s_shortestRetransmit = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_longestRetransmit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_shortestHandshake = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_longestHandshake = TimeSpan.FromMinutes(10);

    /// <summary>
    /// The cipher suites that are used unless <see cref="CipherSuites"/> names others, best first: CCM_8, which every CoAP endpoint has
    /// (RFC 7252 section 9.1.3), then CCM, then GCM.
    /// </summary>
    public static IReadOnlyList<CoapDtlsCipherSuite> DefaultCipherSuites { get; } = [
        .. CipherSuite.All.Select(static suite => (CoapDtlsCipherSuite)suite.Id).OrderBy(RankOf)];

    /// <summary>
    /// What shows who this endpoint is where it listens, and whom it serves. Default null: it cannot listen on <c>coaps</c>.
    /// </summary>
    public CoapDtlsServerOptions? Server { get; set; }

    /// <summary>
    /// What shows who this endpoint is where it asks, and whom it trusts. Default null: requests to <c>coaps</c> fail, but for those to
    /// clients that opened a session.
    /// </summary>
    public CoapDtlsClientOptions? Client { get; set; }

    /// <summary>
    /// The cipher suites, best first; a server takes the first of its own that the client has. Default empty:
    /// <see cref="DefaultCipherSuites"/>, of which those are used that go with the credentials. To name some is to say that no others are
    /// wanted: one for which neither <see cref="Server"/> nor <see cref="Client"/> has the credentials is an error.
    /// </summary>
    public IList<CoapDtlsCipherSuite> CipherSuites { get; } = [];

    /// <summary>
    /// Whether Connection IDs (RFC 9146) are used with peers that know of them, so that a session outlives a change of the peer's address.
    /// A server gives out 8 random bytes; a client needs none for itself, as it is asked for none. Costs 9 bytes in each record to a
    /// server. Default true. Needs an OpenSSL that lets extensions be added, as all since 1.1.1 do; otherwise it is as if it were false.
    /// </summary>
    public bool UseConnectionIds { get; set; } = true;

    /// <summary>
    /// Whether handshakes fail with peers that do not bind the master secret to the whole handshake (extended_master_secret, RFC 7627).
    /// OpenSSL, GnuTLS, Mbed TLS, Californium and newer versions of tinydtls do. Without it a session is safe as long as it is neither
    /// renegotiated nor resumed: renegotiation is never done here, and sessions without it are not resumed (RFC 7627 section 5.4). Default
    /// false, for old devices.
    /// </summary>
    public bool RequireExtendedMasterSecret { get; set; }

    /// <summary>
    /// After so long a silence a flight of a handshake is sent again, then after twice as long, and so on (RFC 6347 section 4.2.4.1).
    /// Default 1 s; 50 ms to 60 s. RFC 7925 section 11 has 9 s for networks where an answer takes seconds, as each needless repetition
    /// costs them much.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 50 ms to 60 s.</exception>
    public TimeSpan RetransmitTimeout { get; set =>
        field = OptionRanges.Check(value, s_shortestRetransmit, s_longestRetransmit, nameof(RetransmitTimeout)); } =
    TimeSpan.FromSeconds(1);

    /// <summary>
    /// How long a handshake may take, with all repetitions and with what a <see cref="ICoapPskStore"/> needs. Default 30 s; 100 ms to 10
    /// min. At least six times <see cref="RetransmitTimeout"/> survives two losses.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 100 ms to 10 min.</exception>
    public TimeSpan HandshakeTimeout { get; set =>
        field = OptionRanges.Check(value, s_shortestHandshake, s_longestHandshake, nameof(HandshakeTimeout)); } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Most bytes of a datagram of a handshake, without the headers of UDP and IP; longer messages, such as chains of certificates, are
    /// sent in fragments. Messages of CoAP are bounded by the endpoint's own limits, and a record adds up to 45 bytes to them. Default
    /// 1,200; 256 to 16,000.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 256 to 16,000.</exception>
    public int MaxDatagramSize { get; set =>
        field = OptionRanges.Check(value, MinDatagramSize, LargestDatagramSize, nameof(MaxDatagramSize)); } = 1_200;

    /// <summary>
    /// A file to which the secrets of all sessions are appended in the NSS format, with which Wireshark opens what it recorded. Whoever has
    /// the file reads everything: for debugging only, and never in production. Made readable for its owner alone, also where it is there
    /// already; a link is refused on Unix. Default null: no secret leaves the process.
    /// </summary>
    public string? KeyLogFile { get; set; }

    /// <summary>
    /// Checks that all fits together, as <see cref="CoapDtlsEndpointExtensions.UseDtls"/> does. Does not look for OpenSSL: see
    /// <see cref="CoapDtls.IsSupported"/>.
    /// </summary>
    /// <exception cref="ArgumentException">Something is missing or does not fit; the message says what to do.</exception>
    public void Validate() => DtlsOptionChecks.Check(this);

    /// <summary>
    /// So long Confirmable messages of ours go unanswered before the server is asked by a handshake whether it still knows the session.
    /// Null: as the session and its transmission parameters say (docs/dtls.md). Other values are for tests.
    /// </summary>
    internal TimeSpan? SilenceToProbe { get; set; }

    /// <summary>
    /// How long a Connection ID is that a client gives out, 0 to 8 bytes. Default 0, as a client has sockets of its own. Another one lets
    /// whoever watches the wire tell sessions apart in both directions.
    /// </summary>
    internal int ClientCidLength { get; set; }

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
