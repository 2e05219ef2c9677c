namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>The client of the library, whose states are learned: handshakes and sessions with one server.</summary>
internal sealed class LearnedClient : SystemUnderLearning
{
    public LearnedClient(LearnedHandshake handshake)
    {
        Handshake = handshake;
        Inputs = LearningServer.InputsOf(handshake);
        Context = new SharedHandshakeContext(HandshakeScene.ClientSettings(handshake.Kind) with
        {
            Mtu = 16_000,
            Time = Clock,
            OwnCidLength = handshake.HasCid ? LearnedHandshake.ClientCid.Length : -1,
        });
    }

    public LearnedHandshake Handshake { get; }

    public VirtualClock Clock { get; } = new();

    public SharedHandshakeContext Context { get; }

    public override IReadOnlyList<string> Inputs { get; }

    public override IReadOnlyList<WayPattern> Ways
    {
        get
        {
            string begin = Handshake.Resumption == ResumptionBy.None ? "[HelloVerifyRequest], ServerHello"
                : "[HelloVerifyRequest], ServerHello | ServerHello (resumed) | ServerHello (resumed, no extended master secret)";
            string end = Handshake.Resumption == ResumptionBy.Ticket ? ", [NewSessionTicket], Finished" : ", Finished";
            string full = begin + Handshake.Kind switch
            {
                HandshakeKind.Psk => ", [ServerKeyExchange], ServerHelloDone",
                HandshakeKind.EcdhePsk => ", ServerKeyExchange, ServerHelloDone",
                _ => ", Certificate, ServerKeyExchange, [CertificateRequest], ServerHelloDone",
            } + end;
            return Handshake.Resumption == ResumptionBy.None ? [full] : ["[HelloVerifyRequest], ServerHello (resumed)" + end, full];
        }
    }

    public override IReadOnlyList<string[]> Honest =>
    [
        .. Ways.SelectMany(static way => (string[][])[[.. way.Longest, "data"], [.. way.Shortest, "data"]]),

        // The client keeps the new session, and offers it the next time. What it thinks of an alert shows when its time is over.
        .. Handshake.Resumption == ResumptionBy.None
            ? (string[][])[]
            : [[.. Ways[1].Longest, "connect", .. Ways[0].Longest, "data", "30 s"], ["fatal alert (epoch 0)", "30 s"]],
    ];

    public override string[] Run(IReadOnlyList<int> word)
    {
        using LearningServer server = new(this);
        return [.. word.Select(input => server.Step(Inputs[input]))];
    }
}
