namespace CoAP.NET.Tests.Blockwise;

/// <summary>Q-Block2 in the role of a server: RFC 9177 sections 4.1, 4.4 and 7.2.</summary>
public sealed class QBlock2ServerTests : QBlockTest
{
    private byte[] _body = Body(25 * 16);

    private async Task StartLargeAsync()
    {
        Server.MapGet("/large", () => CoapResults.Bytes(_body));
        await StartAsync();
    }

    [Fact]
    [Rfc("9177-4.4-1")]
    [Rfc("9177-4.6-1")]
    [Rfc("9177-7-1")]
    [Rfc("9177-7.2-1")]
    public async Task A_body_goes_in_sets_of_ten_with_a_pause_after_each()
    {
        await StartLargeAsync();
        CoapMessage request = QBlock2("/large", "0/1/16");
        List<CoapMessage> all = Deliver(request);
        Assert.Equal(Enumerable.Range(0, 10), Numbers(all));
        Assert.Empty(During(1.99));
        List<CoapMessage> second = During(1.02);
        Assert.Equal(Enumerable.Range(10, 10), Numbers(second));
        List<CoapMessage> third = During(3.01);
        Assert.Equal(Enumerable.Range(20, 5), Numbers(third));
        Assert.Empty(During(60));
        all = [.. all, .. second, .. third];
        Assert.Equal(_body, all.SelectMany(message => message.Payload.ToArray()));
        Assert.Single(all.Select(message => message.Options.ETag!.Value.ToString()).Distinct());
        Assert.All(all, message =>
        {
            Assert.Equal((CoapMessageType.NonConfirmable, request.Token, 400u), (message.Type, message.Token, message.Options.Size2));
            Assert.Equal(NumberOf(message) < 24, message.Options.Get<QBlock2Option>()!.Value.More);
        });
        AssertAllFreed();
    }

    [Fact]
    [Rfc("9177-7.2-1")]
    public async Task A_Q_Block2_request_for_the_next_set_ends_the_pause()
    {
        await StartLargeAsync();
        Deliver(QBlock2("/large", "0/1/16"));
        Assert.Equal(Enumerable.Range(10, 10), Numbers(Deliver(QBlock2("/large", "10/1/16"))));
        Assert.Equal(Enumerable.Range(20, 5), Numbers(Deliver(QBlock2("/large", "20/1/16"))));
        Assert.Empty(During(60));
    }

    [Fact]
    [Rfc("9177-4.4-2")]
    public async Task Requested_missing_blocks_are_sent_once_each_with_the_token_of_the_request()
    {
        await StartLargeAsync();
        string etag = Deliver(QBlock2("/large", "0/1/16"))[0].Options.ETag!.Value.ToString();
        During(60);
        CoapMessage request = QBlock2("/large", "3/0/16", "7/1/16", "8/0/16");
        List<CoapMessage> blocks = Deliver(request);
        Assert.Equal([3, 7, 8, 9], Numbers(blocks));
        Assert.All(blocks, block => Assert.Equal((request.Token, etag), (block.Token, block.Options.ETag!.Value.ToString())));
        Assert.Empty(During(60));
    }

    [Fact]
    [Rfc("9177-4.4-2")]
    public async Task A_captured_request_for_two_missing_blocks_is_answered()
    {
        _body = Body(11 * 1024);
        await StartLargeAsync();
        Deliver(QBlock2("/large", "0/1/1024"));

        // GET /large, Q-Block2 3/0/1024 and 7/0/1024.
        Transport.TakeSent();
        Transport.Receive(Peer, "5101700155" + "b56c61726765" + "d107360176");
        Assert.Equal([3, 7], Numbers(Take()));

        // The same with 10/1/1024, which is Continue: the rest has the token of the request for the body.
        Transport.Receive(Peer, "5101700256" + "b56c61726765" + "d107ae");
        Assert.Equal([10], Numbers(Take()));
    }

    [Theory]
    [InlineData("7/0/16", "3/0/16", "4.00")]
    [InlineData("3/0/16", "3/0/16", "4.00")]
    [InlineData("3/0/16", "4/0/32", "4.00")]
    [InlineData("0/1/16", "3/0/16", "4.02")]
    [Rfc("9177-4.4-2")]
    [Rfc("9177-4.1-5")]
    public async Task Several_Q_Block2_options_must_ascend_and_may_not_be_in_a_first_request(string first, string second, string code)
    {
        await StartLargeAsync();
        Assert.Equal(code, Assert.Single(Deliver(QBlock2("/large", first, second))).Code.ToString()[..4]);
    }

    [Fact]
    [Rfc("9177-4.4-4")]
    public async Task A_request_for_missing_blocks_of_a_forgotten_body_gets_blocks_of_the_new_representation()
    {
        await StartLargeAsync();
        byte[] before = Deliver(QBlock2("/large", "0/1/16"))[0].Options.ETag!.Value.ToArray();
        Clock.Advance(FromMinutes(10));
        _body = Body(20 * 16, seed: 3);
        CoapMessage block = Assert.Single(Deliver(QBlock2("/large", "3/0/16")));
        Assert.Equal((3, 320u), (NumberOf(block), block.Options.Size2));
        Assert.Equal(_body[48..64], block.Payload.ToArray());
        Assert.NotEqual(before, block.Options.ETag!.Value.ToArray());
    }

    [Fact]
    public async Task A_request_for_a_block_beyond_a_shortened_body_gets_its_first_block()
    {
        await StartLargeAsync();
        _body = Body(30);
        CoapMessage block = Assert.Single(Deliver(QBlock2("/large", "7/0/16")));
        Assert.Equal((0, 30u), (NumberOf(block), block.Options.Size2));
    }

    [Fact]
    [Rfc("9177-4.1-3")]
    public async Task A_request_without_QBlock2_is_answered_with_Block2()
    {
        _body = Body(3000);
        await StartLargeAsync();
        CoapMessage plain = Message(CoapMethod.Get, "/large");
        plain.Type = CoapMessageType.Confirmable;
        CoapMessage answer = Assert.Single(Deliver(plain));
        Assert.Equal("0/1/1024", answer.Options.Block2.ToString());
        Assert.False(answer.Options.Contains(OptionNumber.QBlock2));
        Assert.Empty(During(60));
    }

    [Fact]
    [Rfc("9177-7-1")]
    public async Task The_blocks_in_response_to_a_Confirmable_request_are_Confirmable_and_sent_one_by_one()
    {
        _body = Body(50);
        await StartLargeAsync();
        List<CoapMessage> sent = Deliver(QBlock2("/large", true, null, "0/1/16"));
        Assert.Equal((CoapMessageType.Acknowledgement, 0), (sent[0].Type, NumberOf(sent[0])));
        for (int number = 1; number < 4; number++)
        {
            CoapMessage block = sent[^1];
            Assert.Equal((CoapMessageType.Confirmable, number), (block.Type, NumberOf(block)));
            Transport.TakeSent();
            Transport.Receive(Peer, $"6000{block.MessageId:x4}");
            sent = Take();
        }

        Assert.Empty(sent);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_peer_that_resets_a_block_gets_no_further_blocks()
    {
        await StartLargeAsync();
        CoapMessage block = Deliver(QBlock2("/large", "0/1/16"))[^1];
        Transport.Receive(Peer, $"7000{block.MessageId:x4}");
        Assert.Empty(During(60));
    }

    [Fact]
    public async Task All_blocks_of_a_registration_response_have_the_same_Observe_value_and_missing_blocks_have_none()
    {
        Server.MapGet("/watched", () => CoapResults.Bytes(_body)).Observable();
        await StartAsync();
        List<CoapMessage> blocks = Deliver(QBlock2("/watched", false, all => all.Observe = 0, "0/1/16"));
        Assert.Equal(10, blocks.Count);
        Assert.Single(blocks.Select(block => block.Options.Observe).Distinct());
        Assert.NotNull(blocks[0].Options.Observe);
        Assert.Null(Assert.Single(Deliver(QBlock2("/watched", "3/0/16"))).Options.Observe);
    }

    [Fact]
    public async Task The_response_to_an_upload_is_sent_by_Q_Block2_and_the_handler_runs_once()
    {
        int runs = 0;
        Server.MapPost("/echo", request =>
        {
            runs++;
            return CoapResults.Bytes(request.Payload);
        });
        await StartAsync();
        byte[] body = Body(40);
        Deliver(QBlock1(body, 0, path: "/echo", method: CoapMethod.Post));
        Deliver(QBlock1(body, 1, path: "/echo", method: CoapMethod.Post));
        List<CoapMessage> blocks = Deliver(QBlock1(body, 2, path: "/echo", method: CoapMethod.Post));
        Assert.Equal(body, blocks.SelectMany(block => block.Payload.ToArray()));
        Assert.Equal(1, runs);
    }
}
