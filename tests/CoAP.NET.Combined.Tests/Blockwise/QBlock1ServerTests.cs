using CoAP.NET.Diagnostics;
using CoAP.NET.QBlock;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>Q-Block1 in the role of a server: RFC 9177 sections 4.1, 4.3 and 7.2.</summary>
public sealed class QBlock1ServerTests : QBlockTest
{
    private readonly List<byte[]> _stored = [];

    private async Task StartStoreAsync()
    {
        Server.MapPut("/store", request =>
        {
            _stored.Add(request.Payload.ToArray());
            return CoapResults.Changed();
        });
        await StartAsync();
    }

    [Theory]
    [InlineData(CoapQBlockPolicy.Off)]
    [InlineData(CoapQBlockPolicy.Secured)]
    [Rfc("9177-4.1-1")]
    [Rfc("9177-11-1")]
    public async Task Q_Block_options_without_opt_in_or_security_get_4_02(CoapQBlockPolicy use)
    {
        Options.UseQBlock(use);
        await StartStoreAsync();
        Assert.Equal(CoapCode.BadOption, Assert.Single(Deliver(QBlock1(Body(40), 0, confirmable: true))).Code);
        Assert.Equal(CoapCode.BadOption, Assert.Single(Deliver(QBlock2("/store", true, null, "0/1/16"))).Code);
        Assert.Empty(_stored);
    }

    [Fact]
    [Rfc("9177-4.3-3")]
    public async Task A_body_is_stored_when_all_blocks_have_arrived_in_any_order_and_answered_with_the_last_token()
    {
        await StartStoreAsync();
        byte[] body = Body(60);
        foreach (int number in new[] { 2, 0, 1 })
        {
            Assert.Empty(Deliver(QBlock1(body, number)));
        }

        CoapMessage last = QBlock1(body, 3);
        CoapMessage answer = Assert.Single(Deliver(last));
        Assert.Equal((CoapCode.Changed, CoapMessageType.NonConfirmable, last.Token), (answer.Code, answer.Type, answer.Token));
        Assert.Equal([body], _stored);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_refused_body_stays_refused_when_its_late_blocks_arrive()
    {
        int asked = 0;
        Server.MapPost("/store", request =>
        {
            _stored.Add(request.Payload.ToArray());
            return CoapResults.Changed();
        }).RequireRateLimiting(_ => asked++ == 0 ? FromSeconds(3) : null);
        await StartAsync();
        byte[] body = Body(32);
        foreach (int number in new[] { 1, 1, 0 })
        {
            CoapMessage refused = Assert.Single(Deliver(QBlock1(body, number, method: CoapMethod.Post)));
            Assert.Equal((CoapCode.TooManyRequests, FromSeconds(3)), (refused.Code, refused.Options.MaxAge));
        }

        // The client sends it anew, with another tag, and a copy of before comes later still.
        Assert.Empty(Deliver(QBlock1(body, 0, tag: 10, method: CoapMethod.Post)));
        Assert.Empty(Deliver(QBlock1(body, 0, method: CoapMethod.Post)));
        CoapMessage answer = Assert.Single(Deliver(QBlock1(body, 1, tag: 10, method: CoapMethod.Post)));
        Assert.Equal(CoapCode.Changed, answer.Code);
        Assert.Equal([body], _stored);
        Assert.Equal(2, asked);
        AssertAllFreed();
    }

    [Fact]
    [Rfc("9177-4.3-4")]
    public async Task Two_sets_of_ten_are_confirmed_and_the_last_block_is_answered()
    {
        await StartStoreAsync();
        byte[] body = Body(25 * 16);
        List<(int After, CoapCode Code)> answers = [];
        for (int i = 0; i < 25; i++)
        {
            foreach (CoapMessage answer in Deliver(QBlock1(body, i)))
            {
                answers.Add((i, answer.Code));
                if (answer.Code == CoapCode.Continue)
                {
                    Assert.Equal((i, true),
                        (answer.Options.Get<QBlock1Option>()!.Value.Number, answer.Options.Get<QBlock1Option>()!.Value.More));
                }
            }
        }

        Assert.Equal([(9, CoapCode.Continue), (19, CoapCode.Continue), (24, CoapCode.Changed)], answers);
        Assert.Equal([body], _stored);
    }

    [Fact]
    [Rfc("9177-4.3-4")]
    [Rfc("9177-5-2")]
    public async Task Confirmable_blocks_are_acknowledged_without_2_31_and_without_missing_block_requests()
    {
        await StartStoreAsync();
        byte[] body = Body(25 * 16);
        for (int i = 0; i < 24; i++)
        {
            if (i != 3)
            {
                CoapMessage answer = Assert.Single(Deliver(QBlock1(body, i, confirmable: true)));
                Assert.Equal((CoapMessageType.Acknowledgement, CoapCode.Empty), (answer.Type, answer.Code));
            }
        }

        Assert.Equal(CoapCode.Empty, Assert.Single(Deliver(QBlock1(body, 24, confirmable: true))).Code);
        Assert.Empty(During(100));
        CoapMessage final = Assert.Single(Deliver(QBlock1(body, 3, confirmable: true)));
        Assert.Equal((CoapMessageType.Acknowledgement, CoapCode.Changed), (final.Type, final.Code));
        Assert.Equal([body], _stored);
    }

    [Theory]
    [InlineData(OptionNumber.Size1)]
    [InlineData(OptionNumber.RequestTag)]
    [Rfc("9177-4.3-1")]
    public async Task A_block_without_size_or_tag_is_bad(int option)
    {
        await StartStoreAsync();
        CoapMessage block = QBlock1(Body(40), 0);
        block.Options.Remove(option);
        Assert.Equal(CoapCode.BadRequest, Assert.Single(Deliver(block)).Code);
    }

    [Fact]
    [Rfc("9177-4.3-1")]
    [Rfc("9177-4.6-1")]
    public async Task A_Size1_that_changes_or_does_not_fit_the_blocks_gets_4_00()
    {
        await StartStoreAsync();
        byte[] body = Body(40);
        Assert.Empty(Deliver(QBlock1(body, 0)));
        Assert.Equal(CoapCode.BadRequest, Assert.Single(Deliver(QBlock1(Body(41), 1))).Code);
        CoapMessage last = QBlock1(body, 2);
        last.Options.Size1 = 39;
        Assert.Equal(CoapCode.BadRequest, Assert.Single(Deliver(last)).Code);
        CoapMessage beyond = QBlock1(body, 2);
        beyond.Options.Set(new QBlock1Option(3, false, 16));
        Assert.Equal(CoapCode.BadRequest, Assert.Single(Deliver(beyond)).Code);
        Assert.Empty(_stored);
    }

    [Fact]
    [Rfc("9177-4.1-4")]
    public async Task A_request_with_Block_and_Q_Block_options_gets_4_02()
    {
        await StartStoreAsync();
        Assert.Equal(CoapCode.BadOption,
            Assert.Single(Deliver(QBlock1(Body(40), 0, options: all => all.Block1 = new BlockValue(0, true, 0)))).Code);
        Assert.Equal(CoapCode.BadOption,
            Assert.Single(Deliver(QBlock1(Body(40), 0, options: all => all.Block2 = new BlockValue(0, false, 0)))).Code);
    }

    [Fact]
    [Rfc("9177-4.1-5")]
    public async Task A_request_with_two_Q_Block1_options_gets_4_02()
    {
        await StartStoreAsync();
        Assert.Equal(CoapCode.BadOption,
            Assert.Single(Deliver(QBlock1(Body(40), 0, options: all => all.Add(new QBlock1Option(1, true, 16))))).Code);
    }

    [Fact]
    [Rfc("9177-4.3-5")]
    [Rfc("9177-4.3-6")]
    public async Task Missing_blocks_are_requested_after_NON_RECEIVE_TIMEOUT_and_then_half_as_often()
    {
        await StartStoreAsync();
        byte[] body = Body(10 * 16);
        CoapMessage? last = null;
        foreach (int number in new[] { 0, 1, 2, 4, 5, 6, 8, 9 })
        {
            Assert.Empty(Deliver(last = QBlock1(body, number)));
        }

        Assert.Empty(During(3.9));
        CoapMessage list = Assert.Single(During(0.2));
        Assert.Equal(("0307", last!.Token, CoapMessageType.NonConfirmable), (MissingOf(list), list.Token, list.Type));
        Assert.Empty(During(7.8));
        Assert.Equal("0307", MissingOf(Assert.Single(During(0.4))));
        Assert.Empty(Deliver(QBlock1(body, 3)));
        Assert.Equal(CoapCode.Changed, Assert.Single(Deliver(QBlock1(body, 7))).Code);
        Assert.Equal([body], _stored);
    }

    [Fact]
    [Rfc("9177-4.3-6")]
    public async Task Missing_blocks_of_earlier_sets_are_requested_as_soon_as_a_later_set_begins()
    {
        await StartStoreAsync();
        byte[] body = Body(12 * 16);
        foreach (int number in new[] { 0, 2, 3, 4, 5, 6, 7, 8 })
        {
            Assert.Empty(Deliver(QBlock1(body, number)));
        }

        CoapMessage next = QBlock1(body, 10);
        CoapMessage list = Assert.Single(Deliver(next));
        Assert.Equal(("0109", next.Token), (MissingOf(list), list.Token));
        Assert.Empty(Deliver(QBlock1(body, 11)));
        Assert.Empty(Deliver(QBlock1(body, 1)));
        Assert.Equal(CoapCode.Changed, Assert.Single(Deliver(QBlock1(body, 9))).Code);
    }

    [Fact]
    [Rfc("9177-4.3-6")]
    public async Task The_blocks_of_the_next_set_are_requested_when_none_arrives_after_a_confirmed_set()
    {
        await StartStoreAsync();
        byte[] body = Body(12 * 16);
        for (int i = 0; i < 10; i++)
        {
            Deliver(QBlock1(body, i));
        }

        Assert.Equal("0a0b", MissingOf(Assert.Single(During(4.1))));
    }

    [Fact]
    [Rfc("9177-7.2-2")]
    public async Task A_body_is_dropped_after_four_unanswered_missing_block_lists()
    {
        await StartStoreAsync();
        byte[] body = Body(40);
        Deliver(QBlock1(body, 0));
        Assert.Equal(1, Bodies.Count);
        Assert.Equal(4, During(123).Count);
        Assert.Equal(1, Bodies.Count);
        Assert.Empty(During(2));
        Assert.Equal((0, 0L), (Bodies.Count, Memory.Requests.Used));
        Assert.Equal(1, Server.Counters[CoapCounter.BodiesAbandoned]);
    }

    [Fact]
    [Rfc("9177-4.3-7")]
    public async Task A_repeated_block_changes_nothing_and_is_answered_like_the_first()
    {
        await StartStoreAsync();
        byte[] body = Body(12 * 16);
        byte[] other = Body(12 * 16, seed: 1);
        for (int i = 0; i < 10; i++)
        {
            Deliver(QBlock1(body, i));
            if (i == 3)
            {
                Assert.Empty(Deliver(QBlock1(other, 3)));
            }
        }

        Assert.Equal(CoapCode.Continue, Assert.Single(Deliver(QBlock1(other, 9))).Code);
        Deliver(QBlock1(body, 10));
        Deliver(QBlock1(body, 11));
        Assert.Equal(CoapCode.Changed, Assert.Single(Deliver(QBlock1(other, 11))).Code);
        Assert.Equal([body], _stored);
    }

    [Fact]
    [Rfc("9177-4.3-8")]
    public async Task A_Reset_to_a_missing_block_list_drops_the_body()
    {
        await StartStoreAsync();
        Deliver(QBlock1(Body(40), 0));
        CoapMessage list = Assert.Single(During(5));
        Transport.Receive(Peer, $"7000{list.MessageId:x4}");
        Assert.Equal((0, 0L), (Bodies.Count, Memory.Requests.Used));
        Assert.Empty(During(300));
    }

    [Theory]
    [InlineData(200, true)]
    [InlineData(250, false)]
    [Rfc("9177-4.3-9")]
    public async Task A_partial_body_is_kept_until_NON_PARTIAL_TIMEOUT(int seconds, bool isKept)
    {
        await StartStoreAsync();
        byte[] body = Body(30);

        // Confirmable, as of Non-confirmable blocks the missing ones are asked for, and given up before.
        Deliver(QBlock1(body, 0, confirmable: true));
        Clock.Advance(FromSeconds(seconds));
        Assert.Equal(isKept ? CoapCode.Changed : CoapCode.Empty, Assert.Single(Deliver(QBlock1(body, 1, confirmable: true))).Code);
    }

    [Fact]
    public async Task A_new_Request_Tag_ends_the_previous_body_and_later_blocks_of_the_previous_body_are_ignored()
    {
        await StartStoreAsync();
        byte[] first = Body(40);
        byte[] second = Body(40, seed: 1);
        Deliver(QBlock1(first, 0, tag: 1));
        Deliver(QBlock1(second, 0, tag: 2));
        Assert.Equal(1, Bodies.Count);
        Assert.Empty(Deliver(QBlock1(first, 1, tag: 1)));
        Deliver(QBlock1(second, 1, tag: 2));
        Assert.Equal(CoapCode.Changed, Assert.Single(Deliver(QBlock1(second, 2, tag: 2))).Code);
        Assert.Equal([second], _stored);
        AssertAllFreed();
    }

    [Fact]
    public async Task The_memory_limits_of_Block1_apply_to_Q_Block1()
    {
        Options.Limits.Blockwise.RequestMemory = 64 * 1024;
        await StartStoreAsync();
        byte[] body = Body(32 * 1024);

        // The last block first.
        CoapMessage? answer = Deliver(QBlock1(body, 2047)).FirstOrDefault();
        Assert.True(answer is null ? Memory.Requests.Used <= 64 * 1024 : answer.Code.IsError);
        CoapMessage large = QBlock1(body, 0, tag: 3);
        large.Options.Size1 = 0x7fff_ffff;
        Assert.Equal(CoapCode.RequestEntityTooLarge, Assert.Single(Deliver(large)).Code);
        AssertAllFreed();
    }

    [Fact]
    public async Task An_incomplete_body_uses_memory_only_for_the_blocks_that_arrived()
    {
        await StartStoreAsync();
        byte[] body = Body(500_000);

        Deliver(QBlock1(body, 0));
        Deliver(QBlock1(body, 20_000));

        Assert.Equal(1, Bodies.Count);
        Assert.InRange(Memory.Requests.Used, 1, 64 * 1024);
    }

    [Fact]
    [Rfc("9177-4.8-1")]
    public async Task A_request_to_a_group_with_QBlock_is_ignored()
    {
        await StartStoreAsync();
        CoapMessage request = QBlock2("/store", "0/1/16");
        request.MessageId = 7;
        Transport.TakeSent();
        Transport.Receive(Peer, s_serializer.Serialize(request), CoAP.NET.CoapAddress.FromIPv4(0xe00001bb, 5683));
        Assert.Empty(During(60));
    }
}
