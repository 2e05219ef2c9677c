using CoAP.NET.Pipeline;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Several threads bring datagrams of the same peers to several shards at once.</summary>
public sealed class ConcurrencyTests : EndpointTest
{
    private const int Threads = 4;
    private const int RequestsOfThread = 8000;
    private const int Peers = 97;

    [Fact]
    public async Task No_answer_is_lost_when_four_threads_bring_requests_to_four_shards()
    {
        Options.Shards = 4;
        int later = 0;
        Server.MapGet("/now", () => new CoapResult(CoapCode.Content));
        Server.MapGet("/later", async (_, _) =>
        {
            await Task.Yield();
            Interlocked.Increment(ref later);
            return new CoapResult(CoapCode.Content);
        });
        await StartAsync();
        Exception?[] errors = new Exception?[Threads];
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(number => new Thread(() =>
        {
            try
            {
                Bring(number);
            }
            catch (Exception exception)
            {
                errors[number] = exception;
            }
        }))];
        Array.ForEach(threads, static thread => thread.Start());
        Array.ForEach(threads, static thread => Assert.True(thread.Join(TimeSpan.FromSeconds(30))));
        Assert.All(errors, Assert.Null);
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
        foreach (CoapCounter counter in new[] { CoapCounter.StageErrors, CoapCounter.Declined, CoapCounter.Busy, CoapCounter.Duplicates, CoapCounter.MessageIdReused, CoapCounter.LateResponses })
        {
            Assert.Equal(0, Server.Counters[counter]);
        }

        Assert.Equal(Peers, Server.Endpoint.Pipelines.Sum(static pipeline => pipeline.Channels.Count));
        Assert.All(Server.Endpoint.Pipelines, static pipeline => Assert.True(pipeline.Channels.Count > 0));
        Assert.Equal(0, Server.Endpoint.Pipelines.Sum(static pipeline => pipeline.Messages.Memory.Running));
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
