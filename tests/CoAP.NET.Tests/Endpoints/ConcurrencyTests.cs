using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Several threads bring datagrams of the same peers to several shards at once.</summary>
public sealed class ConcurrencyTests : EndpointTest
{
    private const int Threads = 4;
    private const int RequestsOfThread = 8000;
    private const int Peers = 97;

    [Fact]
    public async Task No_response_is_lost_when_four_threads_deliver_requests_to_four_shards()
    {
        Options.Transports.Shards = 4;
        int later = 0;
        Server.MapGet("/now", () => new CoapResult(CoapCode.Content));
        Server.MapGet("/later", async (_, _) =>
        {
            await Task.Yield();
            Interlocked.Increment(ref later);
            return new CoapResult(CoapCode.Content);
        });
        await StartAsync();
        OnAllThreads(Bring);
        Server.Endpoint.Served.Stop();
        await Within(Server.Endpoint.Served.WhenIdleAsync());

        List<(CoapAddress Remote, byte[] Bytes)> sent = Transport.TakeAll();
        const int Total = Threads * RequestsOfThread;
        Assert.Equal(Total, sent.Count);
        HashSet<(CoapAddress, string)> answers = [.. sent.Select(static item => (item.Remote, Wire.Hex(item.Bytes)))];
        for (int number = 0; number < Threads; number++)
        {
            for (int i = 0; i < RequestsOfThread; i++)
            {
                Assert.Contains((PeerOf(i), $"6245{MessageIdOf(number, i):x4}{MessageIdOf(number, i):x4}"), answers);
            }
        }

        Assert.Equal(Total / 4, later);
        Assert.Equal(Total, Server.Counters[CoapCounter.RequestsReceived]);
        foreach (CoapCounter counter in new[]
        {
            CoapCounter.StageErrors, CoapCounter.Declined, CoapCounter.Busy, CoapCounter.Duplicates, CoapCounter.MessageIdReused,
            CoapCounter.LateResponses
        })
        {
            Assert.Equal(0, Server.Counters[counter]);
        }

        Assert.Equal(Peers, Server.Endpoint.Pipelines.Sum(static pipeline => pipeline.Channels.Count));
        Assert.All(Server.Endpoint.Pipelines, static pipeline => Assert.True(pipeline.Channels.Count > 0));
        Assert.Equal(0, Server.Endpoint.Pipelines.Sum(static pipeline => pipeline.Messages.Memory.Running));
    }

    [Fact]
    [Rfc("7252-4.5-1")]
    public async Task A_request_delivered_by_four_threads_at_once_runs_once()
    {
        Options.Transports.Shards = 4;
        int[] runs = new int[RequestsOfThread];
        Server.MapPost("/count", request =>
        {
            Interlocked.Increment(ref runs[request.Message.MessageId]);
            return new CoapResult(CoapCode.Changed);
        });
        await StartAsync();
        OnAllThreads(_ =>
        {
            for (int i = 0; i < RequestsOfThread; i++)
            {
                Transport.Receive(PeerOf(i), $"4002{i:x4}b5636f756e74");
            }
        });
        Assert.All(runs, static count => Assert.Equal(1, count));
        Assert.Equal(Threads * RequestsOfThread, Server.Counters[CoapCounter.RequestsReceived] + Server.Counters[CoapCounter.Duplicates]);

        // One that comes while the first is being answered may be met by silence, or by an acknowledgement if the answer is not there yet.
        List<(CoapAddress Remote, byte[] Bytes)> sent = Transport.TakeAll();
        Assert.InRange(sent.Count, RequestsOfThread, Threads * RequestsOfThread);
        AssertQuietInTheEnd();
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task Peers_forgotten_while_threads_deliver_their_datagrams_leave_nothing_behind()
    {
        Options.Limits.Peers.NewcomerMemory = 64 * 1024;
        Options.Limits.Deduplication.Memory = 64 * 1024;
        Options.Limits.Peers.MaxCount = 4;
        Server.MapGet("/big", () => new CoapResult(CoapCode.Content, new byte[500]));
        Server.MapPost("/count", () => CoapResults.Changed());
        await StartAsync();
        OnAllThreads(number =>
        {
            Random random = new(EndpointCampaign.Seed + number);
            for (int i = 0; i < RequestsOfThread; i++)
            {
                CoapAddress peer = CoapAddress.FromIPv4(0x0a000000u + (uint)random.Next(100), 5683);
                Transport.Receive(peer, $"{(i % 2 == 0 ? "4001" : "5001")}{MessageIdOf(number, i):x4}b3626967");
                Transport.Receive(peer, $"4002{MessageIdOf(number, i):x4}b5636f756e74");
                if (number == 0 && i % 50 == 0)
                {
                    Clock.Advance(FromMilliseconds(100));
                }
            }
        });
        Assert.True(Server.Counters[CoapCounter.ChannelEvictions] > 0);
        AssertQuietInTheEnd();
    }

    private static void OnAllThreads(Action<int> work)
    {
        Exception?[] errors = new Exception?[Threads];
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(number => new Thread(() =>
        {
            try
            {
                work(number);
            }
            catch (Exception exception)
            {
                errors[number] = exception;
            }
        }))];
        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => Assert.True(thread.Join(FromMinutes(2))));
        Assert.All(errors, Assert.Null);
    }

    private void AssertQuietInTheEnd()
    {
        // The clock goes on while a thread may be kept off its processor in a handler, which then looks slow and moves to other threads.
        Assert.True(SpinWait.SpinUntil(() => Server.Endpoint.Served.Count == 0, FromMinutes(2)));
        Clock.Advance(FromMinutes(10));
        Assert.Equal(0, Server.Counters[CoapCounter.StageErrors]);
        Assert.All(Server.Endpoint.Pipelines, static pipeline =>
        {
            Assert.Equal((0, 0, 0), (pipeline.Messages.Memory.Running, pipeline.Messages.Outstanding, pipeline.Messages.Waiting));
            Assert.Equal(0, pipeline.Messages.Memory.Finished);
        });
    }

    private static CoapAddress PeerOf(int i) => CoapAddress.FromIPv4(0xc0000200u + (uint)(i % Peers), 40_000);

    private static int MessageIdOf(int thread, int i) => (thread * RequestsOfThread) + i;

    private void Bring(int number)
    {
        for (int i = 0; i < RequestsOfThread; i++)
        {
            string messageId = $"{MessageIdOf(number, i):x4}";
            Transport.Receive(PeerOf(i), i % 4 == 3 ? $"4201{messageId}{messageId}b56c61746572" : $"4201{messageId}{messageId}b36e6f77");
        }
    }
}
