namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Handshakes that wait for a slow key store, and the datagrams that arrive meanwhile.</summary>
/// <param name="output">Takes the figures.</param>
[Collection(MeasuredAlone.Name)]
public sealed class HandshakeQueueTests(ITestOutputHelper output)
{
    // docs/dtls-operation.md says 9 KiB of each: HalfOpenTests show 4 KiB for the handshake itself.
    private const int DocumentedForTheQueue = 4 * 1_024;

    // The headers of arrays, which have no part in the bound.
    private const int Overhead = 512;
    private const int Handshakes = 200;

    [Fact]
    public async Task A_handshake_that_waits_for_its_key_queues_at_most_4_KiB_of_datagrams()
    {
        long each = await LiveHeap.MiddleOfThreeAsync(() =>
        {
            SlowStore store = new();
            using ServerBench bench = new(store: store);
            for (int host = 1; host <= Handshakes; host++)
            {
                bench.Connect(host);
            }

            long before = Heap.LiveBytes();
            for (int host = 1; host <= Handshakes; host++)
            {
                // Long records with numbers of their own, of the epoch of the handshake and of the next.
                for (ulong i = 0; i < 40; i++)
                {
                    byte[] datagram = new byte[1_000];
                    new RecordHeader(ContentType.Handshake, (ushort)(i % 2), 100 + i, 0, datagram.Length - RecordHeader.Size)
                        .Write(datagram, []);
                    datagram[RecordHeader.Size] = (byte)HandshakeType.ClientKeyExchange;
                    bench.Server.Receive(ServerBench.Path(host), datagram);
                }
            }

            long bytes = (Heap.LiveBytes() - before) / Handshakes;
            Assert.Equal((Handshakes, Handshakes), (bench.Server.HandshakeCount, store.Asked));
            return Task.FromResult(bytes);
        });
        output.WriteLine($"{each:N0} bytes for each of {Handshakes} handshakes");
        Assert.InRange(each, 1_000, DocumentedForTheQueue + Overhead);
    }

    [Theory]
    [InlineData(4_096)]
    [InlineData(100)]
    public void A_queue_of_a_handshake_is_limited_in_bytes_and_to_16_datagrams(int max)
    {
        HandshakeDatagramQueue queue = new(max);
        Assert.True(queue.TryEnqueue(new byte[max - 10]));
        Assert.False(queue.TryEnqueue(new byte[11]));
        Assert.True(queue.TryEnqueue(new byte[10]));
        Assert.True(queue.TryDequeue(out byte[]? first));
        Assert.Equal(max - 10, first.Length);
        Assert.False(queue.TryEnqueue(new byte[max]));
        queue.Clear();
        Assert.False(queue.TryDequeue(out _));

        int count = 0;
        while (count < 100 && queue.TryEnqueue([1]))
        {
            count++;
        }

        Assert.Equal(16, count);
    }

    [Fact]
    public void A_server_that_requests_client_certificates_queues_more_bytes_for_a_handshake()
    {
        using ServerBench bench = new();
        Assert.Equal(ServerHandshakeInputFilter.MaxFlight, bench.Server.MaxQueuedBytes);
        using ClientBench mutual = CertificateTests.MutualBench();
        Assert.Equal(ServerHandshakeInputFilter.MaxFlight + ServerHandshakeInputFilter.MaxCertificates, mutual.Server.MaxQueuedBytes);
    }

    private sealed class SlowStore : ICoapPskStore
    {
        private readonly TaskCompletionSource<ReadOnlyMemory<byte>> _never = new();

        public int Asked { get; private set; }

        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken)
        {
            Asked++;
            return new(_never.Task);
        }
    }
}
