namespace CoAP.NET.Dtls.Tests.Rules;

/// <summary>What RFC 6347, RFC 7925 and RFC 9146 say of handshakes.</summary>
public sealed class HandshakeRuleTests
{
    private static readonly byte[] s_key = "secretPSK"u8.ToArray();

    [Fact]
    [Rfc("6347-4.2.3-1")]
    public void Handshake_messages_are_reassembled_from_small_fragments()
    {
        const int Mtu = 300;
        using BenchAuthority authority = new();
        using X509Certificate2 certificate = authority.Issue("localhost");
        using HandshakePair pair = new(
            new HandshakeSettings { IsServer = false, Suites = CipherSuite.All, Certificate = certificate, Mtu = Mtu },
            new HandshakeSettings
            {
                IsServer = true,
                Suites = [CipherSuite.All[1]],
                Certificate = certificate,
                RequiresClientCertificate = true,
                Mtu = Mtu
            })
        {
            ClientTrusts = _ => true,
            ServerTrusts = _ => true,
            Loses = (_, _) => false,
        };
        pair.Client.Start(null);
        pair.Run();
        Assert.Equal((HandshakeStatus.Done, null), (pair.Server!.Status, pair.Server.Failure));
        Assert.Equal(HandshakeStatus.Done, pair.Client.Status);

        // Two certificates of some 400 bytes do not go in fewer.
        Assert.True(pair.Sent > 8);
    }

    [Theory]
    [InlineData(33)]
    [InlineData(255)]
    [Rfc("9146-3-4")]
    public void Long_Connection_IDs_of_peers_are_written_into_records(int length)
    {
        byte[] wanted = [.. Enumerable.Range(0, length).Select(i => (byte)i)];
        using HandshakePair pair = new(
            new HandshakeSettings { IsServer = false, Suites = CipherSuite.All, OwnCidLength = length },
            new HandshakeSettings { IsServer = true, Suites = [CipherSuite.All[0]], OwnCidLength = 8 },
            "user",
            s_key,
            wanted,
            [1, 2, 3, 4, 5, 6, 7, 8]);
        pair.Keys["user"] = s_key;
        pair.Client.Start(null);
        pair.Run();
        Assert.Equal(HandshakeStatus.Done, pair.Client.Status);
        RecordLayer client = pair.Client.Establish().Records;
        RecordLayer server = pair.Server!.Establish().Records;
        byte[] record = new byte[server.RecordLength(4)];
        Assert.Equal(record.Length, server.Seal(ContentType.ApplicationData, "pong"u8, record));
        Assert.Equal(wanted, record.AsSpan(11, length).ToArray());
        Assert.Equal("pong"u8.ToArray(), HandshakePair.Exchange(server, client, "pong"u8.ToArray()));
    }

    // RFC 7925 section 11 wants 9 s at first for networks that are slow, RFC 6347 section 4.2.4.1 1 s, and 60 s at least where it ends.
    [Theory]
    [InlineData(1)]
    [InlineData(9)]
    [Rfc("7925-11-1")]
    public void The_retransmission_timer_starts_at_its_setting_doubles_and_is_limited_to_a_minute(int seconds)
    {
        VirtualClock clock = new();
        SharedHandshakeContext context = new(new HandshakeSettings
        {
            IsServer = false, Suites = [CipherSuite.All[0]], RetransmitTimeout = FromSeconds(seconds), Time = clock,
        });
        using ClientHandshake handshake = new(context, null, "user", s_key);
        handshake.Start(null);
        for (int wait = seconds; wait < 60; wait = Math.Min(2 * wait, 60))
        {
            Assert.Single(handshake.TakeOutput());
            Assert.Equal(FromSeconds(wait), handshake.NextTimeout());
            clock.Advance(FromSeconds(wait) - FromMilliseconds(1));
            handshake.OnTimeout();
            Assert.Empty(handshake.TakeOutput());
            clock.Advance(FromMilliseconds(1));
            handshake.OnTimeout();
        }

        Assert.Equal(FromSeconds(60), handshake.NextTimeout());
        clock.Advance(FromSeconds(60));
        handshake.OnTimeout();
        Assert.Equal(FromSeconds(60), handshake.NextTimeout());
    }
}
