using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Messaging;
using CoAP.NET.Tests.Peers;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Shard;

/// <summary>The messages of answers are used again where nobody but the stages can see them, and nowhere else.</summary>
public sealed class SpareMessageTests : EndpointTest
{
    [Fact]
    public async Task A_confirmable_request_that_is_answered_at_once_allocates_no_more_than_400_bytes()
    {
        // As many exchanges are forgotten as are remembered.
        Options.Limits.NewcomerBytes = 512 * 1024;
        Options.Limits.DeduplicationBytes = 512 * 1024;
        CoapResult kept = CoapResults.Text("21.5");
        Server.MapGet("/t", () => kept);
        await StartAsync();
        Transport.Discards = true;
        CoapDatagram[] requests = [.. Enumerable.Range(0, 30_000).Select(id => Request(id))];
        int next = 0;
        using PoisonedMessages pause = PoisonedMessages.Pause();
        Serve(15_000);
        long each = Allocations.Least(() => Serve(15_000 / Allocations.Runs)) / (15_000 / Allocations.Runs);
        Assert.Equal(30_000, Server.Endpoint.Counters[CoapCounter.RequestsReceived]);
        Assert.InRange(each, 1, 400);

        void Serve(int count)
        {
            for (int i = 0; i < count; i++)
            {
                Transport.Context.Receive(requests[next++]);
            }
        }

        CoapDatagram Request(int id)
        {
            // Many peers, so that none is at the bound of what is remembered of one.
            CoapAddress remote = CoapAddress.FromIPv4(0xc0000201, (ushort)(40_000 + (id % 64)));
            byte[] bytes = [0x41, 0x01, (byte)(id >> 8), (byte)id, 0xa1, 0xb1, (byte)'t'];
            CoapDatagram datagram = new(bytes.Length)
            {
                Length = bytes.Length,
                Remote = remote,
                Local = DirectTransport.Local,
                Transport = Transport
            };
            bytes.CopyTo(datagram.Buffer, 0);
            return datagram;
        }
    }

    [Theory]
    [InlineData("exchanges")]
    [InlineData("messaging")]
    public async Task What_a_block_of_a_user_saw_stays_as_it_was(string seam)
    {
        List<CoapMessage> seen = [];
        Options.Pipeline.Insert(
            seam == "exchanges" ? CoapSeams.ExchangesToMessaging : CoapSeams.MessagingToSerializer,
            () => new PassBlock<CoapOutbound>(item => seen.Add(item.Message!)));
        Server.MapGet("/a", () => "first");
        Server.MapGet("/b", () => "second");
        await StartAsync();
        Assert.Equal("61450001a1c0ff6669727374", Exchange("41010001a1b161"));
        Assert.Equal("61450002a2c0ff7365636f6e64", Exchange("41010002a2b162"));
        Assert.Equal(2, seen.Distinct().Count());
        Assert.Equal((CoapCode.Content, "a1", "6669727374"), (seen[0].Code, seen[0].Token.ToString(), Wire.Hex(seen[0].Payload.ToArray())));
        Assert.Equal((CoapCode.Content, "a2", "7365636f6e64"),
            (seen[1].Code, seen[1].Token.ToString(), Wire.Hex(seen[1].Payload.ToArray())));
        Assert.All(seen, message => Assert.False(message.IsLent));
    }

    [Fact]
    public async Task A_separate_answer_that_is_sent_again_is_what_it_was_whatever_was_answered_since()
    {
        TaskCompletionSource<CoapResult> slow = new();
        Server.MapGet("/s", (_, _) => slow.Task);
        Server.MapGet("/a", () => "first");
        await StartAsync();
        using PoisonedMessages pause = PoisonedMessages.Pause();
        Transport.Receive(Peer, "41010001a1b173");
        Clock.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal("60000001", Assert.Single(Transport.TakeSent()));

        // On a thread without a context what it completes goes on within it.
        await Task.Factory.StartNew(() => slow.SetResult(CoapResults.Text("slow")), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        string separate = Assert.Single(Transport.TakeSent());
        Assert.StartsWith("4145", separate, StringComparison.Ordinal);
        Assert.EndsWith("a1c0ff736c6f77", separate, StringComparison.Ordinal);
        Assert.Equal("61450002a2c0ff6669727374", Exchange("41010002a2b161"));
        Clock.Advance(TimeSpan.FromSeconds(4));
        Assert.Equal(separate, Assert.Single(Transport.TakeSent()));
    }

    [Fact]
    public async Task The_bytes_that_answer_a_ping_and_the_answer_after_it_are_each_their_own()
    {
        Server.MapGet("/a", () => "first");
        await StartAsync();
        using PoisonedMessages pause = PoisonedMessages.Pause();
        Assert.Equal("61450001a1c0ff6669727374", Exchange("41010001a1b161"));
        Assert.Equal("70000002", Exchange("40000002"));
        Assert.Equal("60840003", Exchange("40010003b17a"));
        Assert.Equal("61450004a1c0ff6669727374", Exchange("41010004a1b161"));
    }

    [Fact]
    public void A_message_that_is_kept_does_not_come_back()
    {
        CoapMessage kept = SpareMessage.Take(CoapCode.Content, null);
        kept.IsLent = true;
        CoapChannel channel = new(new CoapShard(0, new MessagingRig().Environment), new NullTransport(), 0, Peer, default,
            CoapTransmissionParameters.Default);
        CoapTransmission transmission = new(channel, kept, null);
        SpareMessage.GiveBack(kept);
        Assert.Equal(CoapCode.Content, kept.Code);

        CoapMessage newer = SpareMessage.Take(CoapCode.Changed, null);
        newer.IsLent = true;
        transmission.Message = newer;
        SpareMessage.GiveBack(newer);
        Assert.Equal(CoapCode.Changed, newer.Code);
    }
}
