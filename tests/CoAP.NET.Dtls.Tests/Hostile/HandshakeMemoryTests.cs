namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>How much memory strangers with a real address make handshakes take.</summary>
/// <param name="output">Takes the figures.</param>
[Collection(MeasuredAlone.Name)]
public sealed class HandshakeMemoryTests(ITestOutputHelper output)
{
    // What docs/dtls.md says of each.
    private const int Documented = 4 * 1_024;
    private const int DocumentedWithCertificates = 20 * 1_024;

    // So many that what the process itself takes and gives back does not count.
    private const int Handshakes = 1_000;
    private static readonly byte[] s_address = [127, 0, 0, 1, 0x16, 0x34];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Handshakes_with_sparse_fragments_use_at_most_the_documented_memory(bool isMutual)
    {
        using BenchAuthority authority = new();
        using X509Certificate2 certificate = authority.Issue("localhost");
        SharedHandshakeContext server = new(new HandshakeSettings
        {
            IsServer = true, Suites = [CipherSuite.All[1]], Certificate = certificate, RequiresClientCertificate = isMutual,
            RequestsClientCertificate = isMutual, OwnCidLength = 8,
        });
        SharedHandshakeContext client = new(new HandshakeSettings { IsServer = false, Suites = [CipherSuite.All[1]], OwnCidLength = 0 });
        CookieIssuer cookies = new(CoapRandomSource.Secure, TimeProvider.System, FromMinutes(2));
        byte[][] attack = [.. Attack()];

        // What libraries take once.
        Attack(server, client, cookies, attack).Dispose();
        long before = PrivateBytes();
        List<ServerHandshake> handshakes = [];
        for (int i = 0; i < Handshakes; i++)
        {
            handshakes.Add(Attack(server, client, cookies, attack));
        }

        long each = (PrivateBytes() - before) / Handshakes;
        output.WriteLine($"{each:N0} bytes for each of {Handshakes} handshakes{(isMutual ? " that ask for certificates" : null)}");
        Assert.All(handshakes, handshake => Assert.Equal(HandshakeStatus.Running, handshake.Status));
        Assert.InRange(each, long.MinValue, isMutual ? DocumentedWithCertificates : Documented);
        handshakes.ForEach(handshake => handshake.Dispose());
    }

    private static ServerHandshake Attack(SharedHandshakeContext serverContext, SharedHandshakeContext clientContext, CookieIssuer cookies,
        byte[][] attack)
    {
        using ClientHandshake client = new(clientContext, [], null, default);
        client.Start(null);
        Assert.True(ClientHello.TryRead(client.TakeOutput()[0], out ClientHello hello));
        byte[] request = new byte[CookieIssuer.RequestLength];
        _ = cookies.TryWriteRequest(hello, s_address, request);
        client.Receive(request);
        ServerHandshake server = new(serverContext, () => [1, 2, 3, 4, 5, 6, 7, 8]);
        server.Start(client.TakeOutput()[0]);
        Assert.NotEmpty(server.TakeOutput());
        foreach (byte[] datagram in attack)
        {
            server.Receive(datagram);
            server.Answer();
        }

        return server;
    }

    // One byte in each page of messages that are too long, in all numbers; then the same within what a handshake may have.
    private static IEnumerable<byte[]> Attack()
    {
        foreach (int length in new[] { 100_000, ServerHandshakeInputFilter.MaxCertificates })
        {
            foreach (int type in new[] { 11, 16, 15 })
            {
                for (int number = 2; number <= 12; number++)
                {
                    for (int offset = 0; offset < length; offset += 4_096)
                    {
                        byte[] message = ServerHandshakeInputFilterTests.Message(type, number, length, offset, 1);
                        byte[] datagram = new byte[RecordHeader.Size + message.Length];
                        new RecordHeader(ContentType.Handshake, 0, (ulong)offset, 0, message.Length).Write(datagram, []);
                        message.CopyTo(datagram, RecordHeader.Size);
                        yield return datagram;
                    }
                }
            }
        }
    }

    private static long PrivateBytes()
    {
        _ = Heap.LiveBytes();
        using Process process = Process.GetCurrentProcess();
        return process.WorkingSet64;
    }
}
