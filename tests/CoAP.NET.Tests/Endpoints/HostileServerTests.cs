using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A server that a few peers send everything to that can stand in a datagram, while one peer asks what it always asks.</summary>
public sealed class HostileServerTests : EndpointTest
{
    private static readonly CoapDatagramSerializer s_serializer =
        new(new CoapSerializerOptions { MaxTokenLength = CoapToken.MaxExtendedLength, MaxOptions = 10_000 });
    private static readonly CoapAddress[] s_hostile = [
        .. Enumerable.Range(0, 150).Select(static i => CoapAddress.FromIPv4(0xc6336401u + (uint)(i / 2), (ushort)(1000 + i)))];

    private static readonly CoapCounter[] s_always =
    [
        CoapCounter.TruncatedDatagrams, CoapCounter.FormatErrors, CoapCounter.Ignored, CoapCounter.ResetsSent, CoapCounter.Duplicates,
        CoapCounter.MessageIdReused,
        CoapCounter.Retransmissions, CoapCounter.TransmissionsGivenUp, CoapCounter.UnmatchedAcknowledgements,
        CoapCounter.UnmatchedResponses, CoapCounter.HandlerErrors, CoapCounter.BadOptions,
    ];

    private static readonly CoapCounter[] s_ofLittleRoom =
    [
        CoapCounter.DeduplicationEvictions, CoapCounter.UnsafeDeduplicationEvictions, CoapCounter.Busy, CoapCounter.ChannelEvictions,
        CoapCounter.NotSent,
    ];

    private readonly Dictionary<CoapAddress, HashSet<CoapToken>> _tokens = s_hostile.ToDictionary(static peer => peer,
        static _ => new HashSet<CoapToken>());
    private readonly Dictionary<CoapAddress, HashSet<ushort>> _confirmable = s_hostile.ToDictionary(static peer => peer,
        static _ => new HashSet<ushort>());
    private readonly Queue<(CoapAddress Peer, ushort MessageId)> _toAnswer = new();
    private int _good;

    [Theory]
    [Trait("Category", "Campaign")]
    [InlineData(5, false)]
    [InlineData(150, true)]
    [Rfc("7252-4.2-5", "7252-4.3-1")]
    public async Task A_server_follows_the_rules_and_serves_other_peers_under_any_input(int peers, bool hasLittleRoom)
    {
        if (hasLittleRoom)
        {
            // Everything is full all the time: room is made, requests are refused, peers are forgotten.
            Options.Limits.Deduplication.Memory = 64 * 1024;
            Options.Limits.Peers.NewcomerMemory = 64 * 1024;
            Options.Limits.Requests.MaxServed = 10;
            Options.Limits.Messages.MaxOutstanding = 10;
            Options.Limits.Peers.MaxCount = 8;
        }

        MapRoutes();
        await StartAsync();

        // Without a context the continuations of handlers run on the thread that advances the clock: every run is the same.
        SynchronizationContext.SetSynchronizationContext(null);
        string[] paths = ["hello", "count", "slow", "throw", "throw/late", "big", "echo", "things/7", "none", ".well-known/core", ""];
        DatagramFuzzer fuzzer = new(EndpointCampaign.Seed, hasLittleRoom ? [.. paths, .. Enumerable.Repeat("slow", 10)] : paths);
        Random random = fuzzer.Random;
        for (int i = 0; i < EndpointCampaign.Datagrams / 2; i++)
        {
            CoapAddress peer = s_hostile[random.Next(peers)];
            ushort? theirs = null;
            if (_toAnswer.Count > 0 && random.Next(2) == 0)
            {
                (peer, ushort messageId) = _toAnswer.Dequeue();
                theirs = messageId;
            }

            byte[] bytes = fuzzer.Next(theirs);
            bool isTruncated = random.Next(50) == 0;
            Note(peer, bytes);
            Transport.Receive(peer, bytes, random.Next(100) == 0 ? CoapAddress.FromIPv4(0xe00001bb, 5683) : null, isTruncated);
            CheckSent(peer, bytes);
            if (i % 50 == 0)
            {
                AskAsGoodPeer(hasLittleRoom);
            }

            if (i % (hasLittleRoom ? 300 : 100) == 0)
            {
                Clock.Advance(FromMilliseconds(random.Next(3000)));
                CheckSent(default, []);
                CheckRoom();

                // Some prove that they receive at their address; what they asked must not be forgotten.
                foreach (CoapChannel channel in Server.Endpoint.Pipelines[0].Channels.All()
                    .Where(static channel => channel.Remote.Port % 3 == 0))
                {
                    channel.IsVerified = true;
                }
            }
        }

        Clock.Advance(FromMinutes(10));
        CheckSent(default, []);
        foreach (CoapCounter counter in hasLittleRoom ? s_ofLittleRoom : s_always)
        {
            Assert.True(Server.Counters[counter] > 0, $"{counter}: the campaign does not try what it should");
        }

        AssertQuiet();
        AskAsGoodPeer(mayBeBusy: false);
        Assert.Equal(0, Server.Counters[CoapCounter.StageErrors]);
        Assert.Equal(0, Server.Counters[CoapCounter.EncodeErrors]);
    }

    private void MapRoutes()
    {
        int counter = 0;
        Server.MapGet("/hello", () => "world");
        Server.MapPost("/count", () => CoapResults.Text($"{Interlocked.Increment(ref counter)}"));
        Server.MapGet("/slow", async (request, cancellationToken) =>
        {
            await Task.Delay(FromMilliseconds(request.Message.MessageId % 7000), Clock, cancellationToken).ConfigureAwait(false);
            return CoapResults.Text("late");
        });
        Server.MapGet("/throw", CoapResult () => throw new InvalidOperationException("thrown by a handler"));
        Server.MapPost("/throw/late", async ValueTask<CoapResult> (_, cancellationToken) =>
        {
            await Task.Delay(FromSeconds(3), Clock, cancellationToken).ConfigureAwait(false);
            throw new OperationCanceledException("thrown by a handler");
        });
        Server.MapGet("/big", () => new CoapResult(CoapCode.Content, new byte[900]));
        Server.MapPut("/echo", request => new CoapResult(CoapCode.Changed, request.Payload));
        Server.MapPost("/echo", request => new CoapResult(CoapCode.Changed, request.Payload));
        Server.MapGet("/things/{id}", request => $"{request.Route["id"]}");
    }

    private void Note(CoapAddress peer, byte[] bytes)
    {
        if (CoapDatagramSerializer.TryReadHeader(bytes, out CoapMessageType type, out ushort messageId)
            && type == CoapMessageType.Confirmable)
        {
            _confirmable[peer].Add(messageId);
        }

        if (CoapDatagramSerializer.TryReadToken(bytes, out CoapMessage? head) && head.Code.IsRequest
            && type is CoapMessageType.Confirmable or CoapMessageType.NonConfirmable)
        {
            _tokens[peer].Add(head!.Token);
        }
    }

    /// <summary>What a datagram caused, or the clock if there is none.</summary>
    private void CheckSent(CoapAddress cause, byte[] bytes)
    {
        foreach ((CoapAddress remote, byte[] sent) in Transport.TakeAll())
        {
            Assert.True(s_serializer.TryDeserialize(sent, out CoapMessage? answer, out CoapFormatError error),
                $"{error} in {Wire.Hex(sent)}");
            string because = $"{Wire.Hex(sent)} to {remote}, after {Wire.Hex(bytes)} of {cause}";
            if (answer.Type is CoapMessageType.Acknowledgement or CoapMessageType.Reset)
            {
                // A notification that nobody wants is rejected even when it is Non-confirmable (RFC 7641 section 3.5).
                bool isUnwanted = answer.Type == CoapMessageType.Reset && DatagramFuzzer.IsNonConfirmableNotification(bytes);
                Assert.True(isUnwanted || _confirmable[remote].Contains(answer.MessageId), because);
                if (bytes.Length > 0)
                {
                    Assert.True(remote == cause && Wire.Hex(bytes.AsSpan(2, 2)) == Wire.Hex(sent.AsSpan(2, 2))
                        && (isUnwanted || ((bytes[0] >> 4) & 3) == 0), because);

                    // Only requests are answered by responses.
                    Assert.True(answer.Code.IsEmpty || new CoapCode(bytes[1]).IsRequest, because);
                }
                else
                {
                    Assert.Equal(CoapMessageType.Acknowledgement, answer.Type);
                }
            }
            else
            {
                Assert.True(answer.Code.IsResponse, because);
            }

            if (!answer.Code.IsEmpty)
            {
                Assert.True(_tokens[remote].Contains(answer.Token), because);
            }

            if (answer.Type == CoapMessageType.Confirmable && _toAnswer.Count < 1000)
            {
                _toAnswer.Enqueue((remote, answer.MessageId));
            }
        }
    }

    private void CheckRoom()
    {
        CoapShardPipeline pipeline = Assert.Single(Server.Endpoint.Pipelines);
        Assert.InRange(pipeline.Messages.Memory.Bytes, 0, Options.Limits.Deduplication.Memory);
        Assert.InRange(pipeline.Messages.Memory.NewcomerBytes, 0, Options.Limits.Peers.NewcomerMemory);
        Assert.InRange(pipeline.Messages.Outstanding, 0, Options.Limits.Messages.MaxOutstanding);
        Assert.InRange(pipeline.Messages.Waiting, 0, Options.Limits.Messages.MaxOutstanding);
        Assert.InRange(Server.Endpoint.Served.Count, 0, Options.Limits.Requests.MaxServed);
    }

    private void AskAsGoodPeer(bool mayBeBusy)
    {
        string messageId = $"{++_good & 0xffff:x4}";
        Transport.Receive(Peer, $"4201{messageId}{messageId}b568656c6c6f");
        (CoapAddress remote, byte[] sent) = Assert.Single(Transport.TakeAll());
        Assert.Equal(Peer, remote);
        string answer = Wire.Hex(sent);
        if (!mayBeBusy || !answer.StartsWith($"62a3{messageId}{messageId}", Ordinal))
        {
            Assert.Equal($"6245{messageId}{messageId}c0ff776f726c64", answer);
        }
    }

    private void AssertQuiet()
    {
        CoapShardPipeline pipeline = Assert.Single(Server.Endpoint.Pipelines);
        Assert.Equal(0, Server.Endpoint.Served.Count);
        Assert.Equal(0, pipeline.Messages.Memory.Running);
        Assert.Equal(0, pipeline.Messages.Outstanding);
        Assert.Equal(0, pipeline.Messages.Waiting);
        Assert.Equal(0, pipeline.Messages.Memory.Finished);
    }
}
