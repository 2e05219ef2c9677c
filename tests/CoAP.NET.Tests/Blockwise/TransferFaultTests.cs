using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>Lost datagrams, time limits, cancellation and peers that go away in the middle of a transfer.</summary>
public sealed class TransferFaultTests : TransferTest
{
    private const int Blocks = 10;

    [Fact]
    public async Task A_transfer_completes_whichever_datagram_is_lost()
    {
        HandServer server = new() { Body = Bytes(Blocks * 64, 2), MaxSizeExponent = 2, ETag = [1] };
        Answer = server.Answer;
        byte[] body = Bytes(Blocks * 64, 3);
        for (int lost = 0; lost < 2 * 2 * Blocks; lost++)
        {
            int first = Datagrams;
            Loses = number => number == first + lost;
            CoapRequest put = new(CoapMethod.Put, Uri) { Content = CoapContent.Binary(body), BlockSize = 64 };
            await Within(Client.SendAsync(put)).Gives(CoapCode.Changed);
            Assert.Equal(body, server.Stored[^1]);
            Assert.Equal(server.Body, (await Within(Client.GetAsync(Uri))).Payload.ToArray());
            Assert.Equal(lost + 1, server.Stored.Count);

            // Each loss costs one copy of the request, and one of the answer when that was lost.
            Assert.InRange(Datagrams - first, (4 * Blocks) + 1, (4 * Blocks) + 2);
        }

        Assert.Equal(2 * 2 * Blocks * 2 * Blocks, Requests.Count);
        AssertAllIsFree();
    }

    [Fact]
    public async Task A_lost_block_of_a_Non_confirmable_request_is_retransmitted()
    {
        HandServer server = new() { Body = Bytes(Blocks * 64, 2), MaxSizeExponent = 2, ETag = [1] };
        Answer = server.Answer;
        byte[] body = Bytes(Blocks * 64, 3);
        for (int lost = 0; lost < 2 * Blocks; lost++)
        {
            int first = Datagrams;
            Loses = number => number == first + lost;
            CoapRequest put = new(CoapMethod.Put, Uri) { Content = CoapContent.Binary(body), BlockSize = 64, Confirmable = false };
            await Within(Client.SendAsync(put)).Gives(CoapCode.Changed);
            Assert.Equal(body, server.Stored[^1]);
        }

        // The request itself is sent once.
        for (int lost = 2; lost < 2 * Blocks; lost++)
        {
            int first = Datagrams;
            Loses = number => number == first + lost;
            CoapRequest get = new(CoapMethod.Get, Uri) { Confirmable = false };
            Assert.Equal(server.Body, (await Within(Client.SendAsync(get))).Payload.ToArray());
        }

        AssertAllIsFree();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Cancelling_a_transfer_frees_its_memory_and_stream_immediately(bool isUpload)
    {
        for (int stop = 0; stop < 4; stop++)
        {
            HandServer server = new() { Body = Bytes(1000), MaxSizeExponent = 2 };
            TaskCompletionSource reached = new(RunContinuationsAsynchronously);
            int seen = 0;
            Answer = request =>
            {
                if (seen++ == stop)
                {
                    reached.SetResult();
                    return null;
                }

                return server.Answer(request);
            };
            using CancellationTokenSource cancel = new();
            using PatternStream stream = new(1000);
            Task<CoapResponse> task = isUpload
                ? Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Stream(stream), BlockSize = 64 },
                    cancel.Token)
                : Client.GetAsync(Uri, new MemoryStream(), cancellationToken: cancel.Token);
            await Within(reached.Task);
            int before = Datagrams;
            await cancel.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(task));
            AssertAllIsFree();
            Clock.Advance(FromMinutes(5));
            Assert.Equal(before, Datagrams);
        }
    }

    [Fact]
    public async Task Cancelling_between_blocks_sends_no_further_block()
    {
        using CancellationTokenSource cancel = new();
        HandServer server = new() { Body = Bytes(5000) };
        Answer = server.Answer;
        Action<CoapProgress> stop = item =>
        {
            if (item.BlockNumber == 1)
            {
                cancel.Cancel();
            }
        };
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(Client.SendAsync(
            new CoapRequest(CoapMethod.Get, Uri) { Progress = new ProgressCallback(stop) }, cancel.Token)));
        Assert.Equal(2, Requests.Count);
        AssertAllIsFree();
        using CancellationTokenSource before = new();
        await before.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => Within(Client.PutAsync(Uri, CoapContent.Stream(new PatternStream(9)), before.Token)));
        Assert.Equal(2, Requests.Count);
    }

    [Fact]
    public async Task The_time_limit_of_a_request_is_one_for_all_its_blocks()
    {
        HandServer server = new();
        Answer = request =>
        {
            Clock.Advance(FromSeconds(1));
            return server.Answer(request);
        };
        CoapRequest request = new(CoapMethod.Put, Uri)
        {
            Content = CoapContent.Binary(Bytes(1000)),
            BlockSize = 64,
            Timeout = FromSeconds(4.5)
        };
        await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(Client.SendAsync(request)));
        Assert.InRange(Requests.Count, 4, 5);
        AssertAllIsFree();

        // Without one, each exchange has its own time.
        request.Timeout = null;
        Assert.True((await Within(Client.SendAsync(request))).IsSuccess);
    }

    [Fact]
    public async Task Another_address_of_the_host_is_tried_only_before_the_first_response()
    {
        CoapAddress dead = CoapAddress.FromIPv4(0xc0000209, 5683);
        HandServer server = new();
        Answer = server.Answer;
        bool diesAtOnce = true;
        Intercepts = (remote, bytes) =>
        {
            bool isDead = remote == dead && (diesAtOnce || Requests.Count == 2);
            if (isDead)
            {
                Transport.Context.PortUnreachable(remote, DirectTransport.Local, bytes);
            }

            return isDead;
        };

        // The stream cannot seek, but nothing of it was used up.
        await Within(Client.PutAsync("coap://two.example/large", CoapContent.Stream(new PatternStream(5000, canSeek: false))));
        Assert.Equal(PatternStream.Bytes(0, 5000), Assert.Single(server.Stored));

        // A peer that was silent is asked again when PROBING_RATE allows it.
        Clock.Advance(FromHours(1));
        Requests.Clear();
        diesAtOnce = false;
        CoapException error = await Failure.OfAsync(
            CoapError.Unreachable, () => Within(Client.PutAsync("coap://two.example/large", CoapContent.Stream(new PatternStream(5000)))));
        error.Mentions("during a transfer");
        Assert.Equal(2, Requests.Count);
        Assert.Single(server.Stored);
        AssertAllIsFree();
    }

    [Fact]
    public async Task A_4_29_in_the_middle_of_an_upload_is_the_response_and_the_request_is_not_retried()
    {
        HandServer server = new();
        Answer = request =>
        {
            if (request.Options.Block1 is { Number: < 2 })
            {
                return server.Answer(request);
            }

            CoapMessage busy = new(CoapCode.TooManyRequests);
            busy.Options.MaxAge = FromSeconds(5);
            return busy;
        };
        CoapResponse response = await Within(Client.PutAsync(Uri, CoapContent.Binary(Bytes(5000))));
        Assert.Equal((CoapCode.TooManyRequests, FromSeconds(5)), (response.Code, response.MaxAge));
        Clock.Advance(FromMinutes(5));
        Assert.Equal(3, Requests.Count);
    }

    private sealed class ProgressCallback(Action<CoapProgress> tell) : IProgress<CoapProgress>
    {
        public void Report(CoapProgress value) => tell(value);
    }
}
