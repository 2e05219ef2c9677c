namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>The server of the library, whose states are learned: cookies, handshakes and sessions of one client.</summary>
internal sealed class LearnedServer : SystemUnderLearning
{
    private static readonly byte[] s_shown = ClientCredentialRecord.OfKey(CoapRandomSource.Secure, HandshakeScene.Key);

    private readonly ServerResumptionCache? _store;

    public LearnedServer(LearnedHandshake handshake)
    {
        Handshake = handshake;
        Inputs = LearningClient.InputsOf(handshake);
        _store = IsResumption ? new ServerResumptionCache(time: Clock) : null;
        Context = new SharedHandshakeContext(HandshakeScene.ServerSettings(handshake.Kind) with
        {
            Mtu = 16_000,
            Time = Clock,
            OwnCidLength = handshake.HasCid ? DtlsServer.CidLength : -1,
            SessionStore = _store,
            RequiresClientCertificate = !handshake.IsOptional && handshake.Kind is HandshakeKind.EcdsaMutual or HandshakeKind.RawPublicKeys,
            RequestsClientCertificate = handshake.IsOptional,
        });
    }

    public LearnedHandshake Handshake { get; }

    public VirtualClock Clock { get; } = new();

    public SharedHandshakeContext Context { get; }

    public bool IsResumption => Handshake.Resumption != ResumptionBy.None;

    public override IReadOnlyList<string> Inputs { get; }

    public override IReadOnlyList<WayPattern> Ways
    {
        get
        {
            const string Hello = "ClientHello (cookie)";
            const string Certificates = Hello + ", Certificate, ClientKeyExchange, CertificateVerify, Finished";
            const string Old = Hello + " | ClientHello (no extended master secret)";
            return IsResumption ? [Hello + ", Finished", Old + ", ClientKeyExchange, Finished"]
                : Handshake.IsOptional ? [Certificates, Hello + ", Certificate (none), ClientKeyExchange, Finished"]
                : Context.Settings.RequiresClientCertificate ? [Certificates]
                : [Hello + ", ClientKeyExchange, Finished"];
        }
    }

    public override IReadOnlyList<string[]> Honest =>
    [
        .. Ways.Select((way, i) =>
            (string[])[i > 0 && IsResumption ? "ClientHello (unknown session)" : "ClientHello", .. way.Longest, "data"]),
    ];

    public override string[] Run(IReadOnlyList<int> word)
    {
        if (_store is not null)
        {
            using SavedResumption saved = new()
            {
                Expires = Clock.GetUtcNow() + FromHours(1),
                Session = new ResumptionState(
                    Context.Settings.Suites[0], [.. LearnedHandshake.EarlierMaster], Context.Rules, []).ToBytes(),
                PskIdentity = HandshakeScene.Identity,
                Certificate = [],
                PublicKey = [],
                ClientCredentials = [.. s_shown],
                ServerName = null,
            };
            _store.Clear();
            _store.Add(LearnedHandshake.EarlierId, saved.ToBytes(), saved.Expires);
        }

        using LearningClient client = new(this);
        return [.. word.Select(input => client.Step(Inputs[input]))];
    }
}
