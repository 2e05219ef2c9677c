using System.Buffers.Binary;
using CoAP.NET.Diagnostics;
using CoAP.NET.Errors;

namespace CoAP.NET.Tests.Engines;

/// <summary>
/// Loss over every engine that carries datagrams, in real time: what is lost is sent again, what does not come is given up, and nothing is
/// left of either.
/// </summary>
public abstract class LossOnEngines<TEngines> : LossyEngines<TEngines>
    where TEngines : IEngineList
{
    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_lost_request_is_retransmitted_until_it_arrives_and_executed_once(string engine)
    {
        int runs = 0;
        int left = 3;
        bool loses = false;
        await using EngineWorld world = await StartAsync(engine,
            server => server.MapGet("/x", () => CoapResults.Text($"{Interlocked.Increment(ref runs)}")));

        // Requests only: what acknowledges the answer to the one before may still be on its way.
        CoapClient client = QuickClient(world, losesSent: datagram =>
            Volatile.Read(ref loses) && datagram.Span[1] is > 0 and < 32 && Interlocked.Decrement(ref left) >= 0);
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        long before = client.Endpoint.Counters[CoapCounter.Retransmissions];
        Volatile.Write(ref loses, true);
        await client.GetAsync(world.Uri("/x")).WaitAsync(EngineWorld.Hang).Says("1");
        Assert.True(client.Endpoint.Counters[CoapCounter.Retransmissions] - before >= 3);
        Assert.Equal(1, runs);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_lost_separate_response_is_retransmitted_until_it_is_acknowledged(string engine)
    {
        TaskCompletionSource acknowledged = new(TaskCreationOptions.RunContinuationsAsynchronously);
        int left = 3;
        int asked = -1;
        bool loses = false;
        await using EngineWorld world = await StartAsync(engine, server => server.MapGet("/slow", async () =>
        {
            await acknowledged.Task;
            return CoapResults.Text("separate");
        }));

        // Where the machine is slow, copies of the answer to the request before come late: those acknowledge nothing here.
        CoapClient client = QuickClient(world, losesSent: datagram =>
        {
            if (Volatile.Read(ref loses) && datagram.Span[1] is > 0 and < 32)
            {
                Volatile.Write(ref asked, MessageIdOf(datagram));
            }

            return false;
        }, losesReceived: datagram =>
        {
            if (!Volatile.Read(ref loses))
            {
                return false;
            }

            if ((datagram.Span[0] & 0x30) == 0x20)
            {
                if (datagram.Span[1] == 0 && MessageIdOf(datagram) == Volatile.Read(ref asked))
                {
                    acknowledged.TrySetResult();
                }

                return false;
            }

            return Interlocked.Decrement(ref left) >= 0;
        });
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        Volatile.Write(ref loses, true);
        await client.GetAsync(world.Uri("/slow")).WaitAsync(EngineWorld.Hang).Says("separate");

        // A copy of the request that comes late may be what draws the response again, so that not each copy is a retransmission.
        Assert.True(Volatile.Read(ref left) < 0, "Not all copies that were to be lost were.");
        await world.AssertNothingLeftAsync();
    }

    [Theory]
    [Trait("Category", "Campaign")]
    [MemberData(nameof(Engines))]
    public async Task Each_request_over_a_lossy_path_is_executed_once_and_ends_with_its_own_response(string engine)
    {
        const int requests = 50;
        int[] runs = new int[requests];
        await using EngineWorld world = await StartAsync(engine, server => server.MapPost("/run", request =>
        {
            int i = int.Parse(request.TryGetQuery("i", out string? text) ? text : "", System.Globalization.CultureInfo.InvariantCulture);
            Interlocked.Increment(ref runs[i]);
            return CoapResults.Text($"{i}");
        }));
        using Losses losses = new(seed: 7, percent: 0);
        CoapClient client = QuickClient(world, losses.Loses, losses.Loses);
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        losses.Percent = 20;
        await Task.WhenAll(Enumerable.Range(0, requests).Select(async i =>
            await client.PostAsync(world.Uri($"/run?i={i}"), CoapContent.Text("x")).Says($"{i}")))
            .WaitAsync(EngineWorld.Hang);
        Assert.All(runs, static count => Assert.Equal(1, count));
        Assert.True(losses.Lost > 0);
        losses.Percent = 0;
        await world.AssertNothingLeftAsync();
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_unacknowledged_request_fails_after_its_last_retransmission(string engine)
    {
        // From the first request on: one that has an answer would have to get it within the short time of four copies.
        bool isGone = true;
        await using EngineWorld world = await StartAsync(engine, static _ => { });
        CoapClient client = world.Client(static options => options.Parameters = EngineWorld.Quick with { MaxRetransmit = 3 },
            losesSent: _ => Volatile.Read(ref isGone));
        CoapTimeoutException timeout =
            await Assert.ThrowsAsync<CoapTimeoutException>(() => client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang));
        Assert.Equal(CoapTimeoutReason.NotAcknowledged, timeout.Reason);
        Assert.Equal(3, client.Endpoint.Counters[CoapCounter.Retransmissions]);
        await Eventually.IsTrueAsync(() => client.Endpoint.Pipelines.Sum(static pipeline => pipeline.Messages.Outstanding) == 0);
        Volatile.Write(ref isGone, false);
    }

    private static int MessageIdOf(CoapDatagram datagram) => BinaryPrimitives.ReadUInt16BigEndian(datagram.Span[2..]);
}
