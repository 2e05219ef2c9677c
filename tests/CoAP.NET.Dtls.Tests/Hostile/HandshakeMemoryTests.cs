using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>How much memory strangers with a real address make handshakes take.</summary>
/// <param name="output">Takes the figures.</param>
[Collection(MeasuredAlone.Name)]
public sealed partial class HandshakeMemoryTests(ITestOutputHelper output)
{
    // docs/dtls-operation.md: 9 KiB, 4 KiB of which are kept for a key store, which this server has not; 40 KiB with full chains.
    private const int Documented = (9 - 4) * 1_024;
    private const int DocumentedWithCertificates = 20 * 1_024;

    // So many that what the process itself allocates meanwhile does not count.
    private const int Handshakes = 1_000;
    private static readonly byte[] s_address = [127, 0, 0, 1, 0x16, 0x34];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Handshakes_with_sparse_fragments_use_at_most_the_documented_memory(bool isMutual)
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
        long each = await LiveHeap.MiddleOfThreeAsync(() =>
        {
            long before = AllocatedBytes();
            ServerHandshake[] handshakes = [.. Enumerable.Range(0, Handshakes).Select(_ => Attack(server, client, cookies, attack))];
            long bytes = (AllocatedBytes() - before) / Handshakes;
            Assert.All(handshakes, static handshake => Assert.Equal(HandshakeStatus.Running, handshake.Status));
            Array.ForEach(handshakes, static handshake => handshake.Dispose());
            return Task.FromResult(bytes);
        });
        output.WriteLine($"{each:N0} bytes for each of {Handshakes} handshakes{(isMutual ? " that ask for certificates" : null)}");
        Assert.InRange(each, 1_000, isMutual ? DocumentedWithCertificates : Documented);
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

    // What is allocated now, not the working set of the process, which changes with what the collector keeps of the tests before.
    private static long AllocatedBytes()
    {
        long managed = Heap.LiveBytes();
        if (!NativeLibrary.TryGetExport(NativeLibrary.GetMainProgramHandle(), "mallinfo2", out _))
        {
            return managed;
        }

        NativeHeap native = ReadNativeHeap();
        return managed + (long)(native.InUse + native.Mapped);
    }

    // Only the C library of GNU has it.
    [LibraryImport("libc", EntryPoint = "mallinfo2")]
    private static partial NativeHeap ReadNativeHeap();

    [StructLayout(LayoutKind.Sequential)]
    private readonly struct NativeHeap
    {
        private readonly nuint _arena, _freeChunks, _fastFreeChunks, _mappings;
        public readonly nuint Mapped;
        private readonly nuint _most, _fastFree;
        public readonly nuint InUse;
        private readonly nuint _free, _top;
    }
}
