using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Mesh;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Blocks that are inserted and removed while the endpoint runs.</summary>
public sealed class InsertedDataflowBlocksTests : EndpointTest
{
    private const int Threads = 2;
    private const int RequestsOfThread = 20_000;
    private const int Rounds = 100;
    private const int AtATime = 64;

    [Fact]
    public async Task No_request_is_lost_while_blocks_are_inserted_and_removed_under_load()
    {
        Options.Transports.Shards = 2;
        Server.MapGet("/now", () => new CoapResult(CoapCode.Content));
        await StartAsync();
        long brought = 0;
        long answered = 0;
        Transport.OnSent = (_, _) => Interlocked.Increment(ref answered);
        bool isOver = false;
        Thread[] load = [.. Enumerable.Range(0, Threads).Select(number => new Thread(() =>
        {
            for (int i = 0; i < RequestsOfThread || !Volatile.Read(ref isOver); i++)
            {
                // No more at a time than the outbox of a shard holds.
                SpinWait.SpinUntil(() => Interlocked.Read(ref brought) - Interlocked.Read(ref answered) < AtATime, FromMinutes(1));
                Interlocked.Increment(ref brought);
                Bring(number, i);
            }
        }) { IsBackground = true })];
        Array.ForEach(load, static thread => thread.Start());

        long seen = 0;
        for (int round = 0; round < Rounds; round++)
        {
            bool queues = round % 2 == 0;
            await using (Watch(CoapStageLinks.TransportToChannel, queues))
            await using (Watch(CoapStageLinks.MessagingToExchanges, queues))
            await using (Watch(CoapStageLinks.ResourceToExchanges, queues))
            await using (Watch(CoapStageLinks.ChannelToTransport, queues))
            {
                Interlocked.Increment(ref brought);
                Bring(Threads, round);
            }
        }

        Volatile.Write(ref isOver, true);
        Array.ForEach(load, static thread => thread.Join());
        Server.Endpoint.Served.Stop();
        await Within(Server.Endpoint.Served.WhenIdleAsync());

        Assert.True(seen >= 4 * Rounds);
        Assert.Equal(brought, Server.Counters[CoapCounter.RequestsReceived]);
        Assert.Equal(brought, answered);
        Assert.Equal(0, Server.Counters[CoapCounter.StageErrors] + Server.Counters[CoapCounter.Declined]
            + Server.Counters[CoapCounter.Busy]);

        IAsyncDisposable Watch<T>(CoapStageLink<T> link, bool queues) => Server.Endpoint.Insert<T>(
            link, () => queues
                ? new TransformBlock<T, T>(See)
                : new PassBlock<T>(item => See(item)));

        T See<T>(T item)
        {
            Interlocked.Increment(ref seen);
            return item;
        }
    }

    [Fact]
    public async Task A_request_inside_a_removed_block_is_still_answered()
    {
        Server.MapGet("/now", () => new CoapResult(CoapCode.Content));
        await StartAsync();
        TaskCompletionSource go = new();
        IAsyncDisposable block =
            Server.Endpoint.Insert(CoapStageLinks.ExchangesToResource, () => new TransformBlock<CoapExchange, CoapExchange>(
            async item =>
            {
                await go.Task;
                return item;
            }));
        Bring(0, 1);
        Task removal = block.DisposeAsync().AsTask();

        // Later requests wait for it.
        Bring(0, 2);
        Assert.Empty(Transport.TakeAll());
        Assert.False(removal.IsCompleted);
        go.SetResult();
        await Within(removal);
        Assert.Equal(2, Transport.TakeAll().Count);
        Bring(0, 3);
        Assert.Single(Transport.TakeAll());
        Assert.False(Server.Endpoint.Completion.IsCompleted);
    }

    [Fact]
    public async Task A_block_that_ends_while_it_is_inserted_faults_the_endpoint()
    {
        await StartAsync();
        _ = Server.Endpoint.Insert(CoapStageLinks.MessagingToExchanges, () => new PassBlock<CoapInbound>(
            _ => throw new InvalidOperationException("user")));
        Bring(0, 1);

        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(Server.Endpoint.Completion));
        Assert.Equal("The block at the link Messaging to Exchanges faulted while the endpoint was running.", error.Message);
        Assert.IsType<InvalidOperationException>(error.InnerException);
    }

    [Fact]
    public async Task Stopping_the_endpoint_completes_an_inserted_block_and_further_blocks_are_refused()
    {
        await StartAsync();
        PassBlock<CoapInbound> block = new(_ => { });
        IAsyncDisposable inserted = Server.Endpoint.Insert(CoapStageLinks.MessagingToExchanges, () => block);
        Assert.Throws<InvalidOperationException>(() => Server.Endpoint.Insert(CoapStageLinks.SerializerToMessaging, () => block));
        Assert.Throws<InvalidOperationException>(
            () => Server.Endpoint.Insert<CoapInbound>(CoapStageLinks.SerializerToMessaging, () => null!));

        await Within(Server.Endpoint.StopAsync());
        Assert.True(block.Completion.IsCompletedSuccessfully);
        await Within(inserted.DisposeAsync().AsTask());
        Assert.Throws<InvalidOperationException>(
            () => Server.Endpoint.Insert(CoapStageLinks.SerializerToMessaging, () => new PassBlock<CoapInbound>(_ => { })));
    }

    private void Bring(int number, int i)
    {
        // Each source of 50,000 requests has Message IDs of its own.
        CoapAddress remote = CoapAddress.FromIPv4(0xc0000200 + (uint)(number + (i / 50_000 * 8)), (ushort)(5683 + number));
        Transport.Receive(remote, [0x52, 0x01, (byte)(i >> 8), (byte)i, (byte)(i >> 8), (byte)i, 0xb3, .. "now"u8]);
    }
}
