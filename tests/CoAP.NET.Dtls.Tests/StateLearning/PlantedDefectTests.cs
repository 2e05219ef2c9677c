namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>Defects in the library itself change its states, so that <see cref="StateLearningTests"/> shows them.</summary>
[External("Roslyn")]
public sealed class PlantedDefectTests(ITestOutputHelper output)
{
    private static readonly PlantedDefect[] s_defects =
    [
        new("nothing", []),
        new("Finished is not checked",
            [("Handshakes/Handshake.cs", "!CryptographicOperations.FixedTimeEquals(proof, body)", "body.Length == 0")]),
        new("CertificateVerify is not required",
            [("Handshakes/ServerHandshake.cs", "PublicKey.IsEmpty ? ExpectedMessage.Finished : ExpectedMessage.CertificateVerify;",
                "PublicKey.IsEmpty ? ExpectedMessage.Finished : ExpectedMessage.Finished;")]),
        new("the signature of CertificateVerify is not checked",
            [("Handshakes/ServerHandshake.cs", "!IsSignedByPeer(scheme, Transcript.Hash, signature)", "signature.IsEmpty")]),
        new("data of epoch 0 is accepted",
        [
            ("Sessions/DtlsServer.cs", "is { Epoch: > 0, Type: ContentType.ApplicationData", "is { Type: ContentType.ApplicationData"),
            ("Records/RecordLayer.cs", "        int innerLength = header.Length - _suite.Expansion;", """
                        if (header is { Epoch: 0, Type: ContentType.ApplicationData })
                        {
                            content = header.HeaderLength..record.Length;
                            return RecordOpenResult.Opened;
                        }

                        int innerLength = header.Length - _suite.Expansion;
                """),
        ]),
        new("Finished of epoch 0 is accepted",
            [("Handshakes/Handshake.cs", "isProtected == (header.Type == HandshakeType.Finished)", "(isProtected || !isProtected)")]),
        new("a session resumes without the extended master secret",
            [("Handshakes/ServerHandshake.cs", "        if (!HasExtendedMasterSecret)\n", "        if (Settings.IsServer is false)\n")]),
    ];

    public static TheoryData<int, string> Defects => new(s_defects.Select(static (one, i) => (i, one.Name)));

    [Theory]
    [MemberData(nameof(Defects))]
    public void A_planted_defect_of_the_handshake_changes_the_learned_states(int index, string name)
    {
        string? difference = s_defects[index].FindDifference();
        output.WriteLine($"{name}: {difference}");
        Assert.Equal(index > 0, difference is not null);
    }
}
