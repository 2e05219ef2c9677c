namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>ChangeCipherSpecs that nobody says so (RFC 5246 section 7.1).</summary>
public sealed class ForgedChangeTests
{
    [Theory]
    [InlineData("00")]
    [InlineData("02")]
    [InlineData("0101")]
    public void A_forged_ChangeCipherSpec_ends_no_handshake_at_either_end(string content)
    {
        byte[] key = "secretPSK"u8.ToArray();
        using HandshakePair pair = new(
            new HandshakeSettings { IsServer = false, Suites = CipherSuite.All },
            new HandshakeSettings { IsServer = true, Suites = [CipherSuite.All[0]] },
            "user",
            key);
        pair.Keys["user"] = key;
        byte[] said = Convert.FromHexString(content);
        byte[] forged = new byte[RecordHeader.Size + said.Length];
        new RecordHeader(ContentType.ChangeCipherSpec, 0, 7, 0, said.Length).Write(forged, []);
        said.CopyTo(forged, RecordHeader.Size);

        // Before each datagram, at both ends.
        pair.Loses = (_, _) =>
        {
            pair.Server?.Receive([.. forged]);
            pair.Client.Receive([.. forged]);
            return false;
        };
        pair.Client.Start(null);
        pair.Run();

        Assert.Equal((HandshakeStatus.Done, HandshakeStatus.Done), (pair.Client.Status, pair.Server!.Status));
    }
}
