using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>What a server keeps of peers that come from anywhere, once.</summary>
public sealed class BoundTests : EndpointTest
{
    [Fact]
    [Trait("Category", "Campaign")]
    public async Task One_time_addresses_use_bounded_memory_and_do_not_evict_a_returning_peer()
    {
        int runs = 0;
        Server.MapPost("/count", () => CoapResults.Text($"{Interlocked.Increment(ref runs)}"));
        await StartAsync();
        Exchange("40020001b5636f756e74");
        Clock.Advance(FromSeconds(3));
        string answer = Exchange("40020002b5636f756e74");
        CoapShardPipeline pipeline = Server.Endpoint.Pipelines[0];
        CoapChannel channel = Assert.Single(pipeline.Channels.All());
        byte[] request = Wire.Hex("40020001b5636f756e74");
        for (uint i = 0; i < 200_000; i++)
        {
            Transport.Receive(CoapAddress.FromIPv4(0x0a000000 + (i * 7), (ushort)(1 + (i % 60_000))), request);
            if (i % 1000 == 0)
            {
                Assert.InRange(Transport.TakeAll().Count, 1, 1000);
            }
        }

        Assert.Equal(200_002, runs);
        Assert.InRange(pipeline.Channels.Newcomers, 1, Options.Limits.Peers.NewcomerMemory / 1024);
        Assert.Equal(pipeline.Channels.Newcomers + 1, pipeline.Channels.Count);
        DeduplicationStore memory = pipeline.Messages.Memory;
        Assert.InRange(memory.NewcomerBytes, 1, Options.Limits.Peers.NewcomerMemory);
        Assert.InRange(memory.Bytes, 1, Options.Limits.Peers.NewcomerMemory);
        Assert.Contains(channel, pipeline.Channels.All());
        Assert.Equal(answer, Exchange("40020002b5636f756e74"));
        Assert.Equal(200_002, runs);
    }

    [Fact]
    public async Task The_number_of_unacknowledged_responses_that_wait_is_bounded()
    {
        Options.Limits.Messages.MaxOutstanding = 100;
        Options.Parameters = CoapTransmissionParameters.Default with { PiggybackWindow = TimeSpan.Zero };
        Server.MapGet("/", () => "root");
        await StartAsync();
        CoapShardPipeline pipeline = Server.Endpoint.Pipelines[0];
        for (uint i = 0; i < 5000; i++)
        {
            Transport.Receive(CoapAddress.FromIPv4(0x0a000000 + i, 5683), "40010001");
        }

        Assert.Equal(100, pipeline.Messages.Outstanding);
        Assert.InRange(pipeline.Messages.Waiting, 1, 100);
        Assert.Equal(4800, Server.Counters[CoapCounter.NotSent]);
        Clock.Advance(FromMinutes(10));
        Assert.Equal((0, 0), (pipeline.Messages.Outstanding, pipeline.Messages.Waiting));
        Transport.TakeSent();
        Transport.Receive(Peer, "40010001");
        Assert.Equal("60000001", Transport.TakeSent()[0]);
    }
}
