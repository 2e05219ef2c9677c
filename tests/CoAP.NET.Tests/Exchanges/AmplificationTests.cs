using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Exchanges;

/// <summary>What a server sends to addresses that nobody verified (RFC 7252 section 11.3, RFC 9175 section 2.4).</summary>
public sealed class AmplificationTests : StrangersTest
{
    private const int Free = 136;
    private static readonly byte[] s_body = [.. Enumerable.Range(0, 1000).Select(i => (byte)i)];

    [Fact]
    [Rfc("7252-11.3-1", "9175-2.4-1", "7252-4.7-3")]
    public async Task A_victim_gets_no_more_than_its_share_per_minute_whatever_ports_are_forged()
    {
        await StartWithBigAsync();
        List<(long At, int Size)> large = [];
        for (int i = 0; i < 3000; i++)
        {
            CoapAddress victim = CoapAddress.FromIPv4(0xcb007105, (ushort)(1024 + (i * 7919 % 60_000)));
            int sent = ExchangeAll(victim, Big(i)).Sum(hex => hex.Length / 2);
            Assert.NotEqual(0, sent);
            if (sent > Free)
            {
                large.Add((Clock.GetTimestamp(), sent));
            }

            Clock.Advance(FromMilliseconds(50));
        }

        long minute = Clock.TimestampFrequency * 60;
        Assert.All(large,
            first => Assert.InRange(large.Where(item => item.At >= first.At && item.At < first.At + minute).Sum(item => item.Size), 1,
                16 * 1024));
        Assert.InRange(large.Sum(item => item.Size), 16 * 1024, 40 * 1024);
        Assert.True(Server.Endpoint.Counters[CoapCounter.AmplificationRefused] > 2900);
    }

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("7252-11.3-1")]
    public async Task Responses_to_a_hundred_thousand_addresses_stay_within_the_limit_of_the_endpoint_in_fixed_memory()
    {
        await StartWithBigAsync();
        AmplificationLimiter guard = Server.Endpoint.Pipelines[0].Shard.Guard;
        int memory = guard.Bytes;
        Assert.InRange(memory, 1, 1024 * 1024);
        byte[] request = Wire.Hex(Big(1));
        long large = 0;
        for (int i = 0; i < 100_000; i++)
        {
            Transport.Receive(CoapAddress.FromIPv4(0x0a00_0000u + (uint)i, 5683), request);
            foreach ((_, byte[] bytes) in Transport.TakeAll())
            {
                large += bytes.Length > Free ? bytes.Length : 0;
            }

            if (i % 10_000 == 9_999)
            {
                // One second has passed.
                Assert.InRange(large, 1, 1024 * 1024);
                large = 0;
                Clock.Advance(FromSeconds(1));
            }
        }

        Assert.Equal(memory, guard.Bytes);

        // Whoever comes afterwards gets what he asks for.
        Assert.InRange(Assert.Single(ExchangeAll(Peer, Big(2))).Length / 2, 1000, 1100);
    }

    [Fact]
    [Rfc("7252-11.3-1", "9175-2.4-1", "9175-2.6-1")]
    public async Task An_unverified_peer_beyond_its_share_gets_64_bytes_with_an_Echo_and_the_whole_after_the_Echo()
    {
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        await StartWithBigAsync();
        string small = Assert.Single(ExchangeAll(Peer, Big(1)));
        Assert.InRange(small.Length / 2, 64, Free);
        CoapMessage answer = Read(small);
        Assert.Equal((CoapCode.Content, 0, true, 64),
            (answer.Code, answer.Options.Block2!.Value.Number, answer.Options.Block2.Value.More, answer.Options.Block2.Value.Size));
        Assert.Equal(s_body[..64], answer.Payload.ToArray());
        CoapMessage whole = Read(Assert.Single(ExchangeAll(Peer, Big(2, EchoOf(small)))));
        Assert.Equal(s_body, whole.Payload.ToArray());
        Assert.Null(whole.Options.Echo);
        Assert.Equal(1000, Read(Assert.Single(ExchangeAll(Peer, Big(3)))).Payload.Length);
        Assert.Equal(64, Read(Assert.Single(ExchangeAll(Other, Big(3)))).Payload.Length);
    }

    [Fact]
    public async Task A_requested_block_smaller_than_64_bytes_is_not_enlarged()
    {
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        await StartWithBigAsync();
        CoapMessage answer = Read(Assert.Single(ExchangeAll(Peer, "5101000177b3626967c100")));
        Assert.Equal((16, 16), (answer.Options.Block2!.Value.Size, answer.Payload.Length));
    }

    [Fact]
    [Rfc("9175-2.4-1", "9175-2.4-2")]
    public async Task A_large_GET_answer_is_replaced_by_an_Echo_challenge_and_an_executed_POST_is_answered_in_blocks()
    {
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        int posts = 0;
        CoapResult wide = new CoapResult(CoapCode.Content, s_body.AsMemory(0, 700)).WithLocationPath(new string('a', 200));
        Server.MapGet("/big", () => wide);
        Server.MapPost("/big", () =>
        {
            posts++;
            return CoapResults.Changed(CoapContent.Binary(s_body));
        });
        Server.MapPut("/big", () => CoapResults.BadRequest(new string('x', 300)));
        await StartAsync();
        Assert.Matches("^5181....77ddef00[0-9a-f]{26}$", Assert.Single(ExchangeAll(Peer, Big(1))));
        Assert.Equal(1, Server.Endpoint.Counters[CoapCounter.EchoChallenges]);
        CoapMessage posted = Read(Assert.Single(ExchangeAll(Peer, Big(2, code: "02"))));
        Assert.Equal((CoapCode.Changed, 64, 1), (posted.Code, posted.Payload.Length, posts));
        Assert.Equal(new BlockValue(0, true, 2), posted.Options.Block2);
        CoapMessage put = Read(Assert.Single(ExchangeAll(Peer, Big(3, code: "03"))));
        Assert.Equal((CoapCode.BadRequest, 0), (put.Code, put.Payload.Length));
    }

    [Fact]
    public async Task An_unverified_peer_gets_only_the_code_when_the_options_of_an_executed_POST_are_too_large()
    {
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        CoapResult wide = new CoapResult(CoapCode.Created, s_body.AsMemory(0, 700)).WithLocationPath(new string('a', 200));
        Server.MapPost("/big", () => wide);
        await StartAsync();

        CoapMessage answer = Read(Assert.Single(ExchangeAll(Peer, Big(1, code: "02"))));

        Assert.Equal((CoapCode.Created, 0, 0), (answer.Code, answer.Options.Count, answer.Payload.Length));
    }

    [Fact]
    [Rfc("7252-11.3-1")]
    public async Task A_response_of_up_to_three_times_the_request_size_is_not_limited()
    {
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        Server.MapFetch("/big", () => new CoapResult(CoapCode.Content, s_body.AsMemory(0, 300)));
        await StartAsync();
        string question = new('0', 200);
        Assert.Equal(300, Read(Assert.Single(ExchangeAll(Peer, $"5105000177b362696710ff{question}"))).Payload.Length);
        Assert.Equal(64, Read(Assert.Single(ExchangeAll(Peer, "5105000277b362696710ff" + question[..40]))).Payload.Length);
    }

    [Fact]
    [Rfc("9175-2.4-2")]
    public async Task Retransmissions_of_a_response_count_against_the_amplification_limit()
    {
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        await StartWithSlowAsync();
        Assert.Single(await SlowResponseAsync(1));
        Clock.Advance(FromMinutes(3));
        Transport.HasSentNothing();
        Assert.Equal(4, Server.Endpoint.Counters[CoapCounter.AmplificationRefused]);
    }

    [Fact]
    public async Task A_matching_acknowledgement_raises_the_limit_of_a_peer_and_an_unmatched_one_removes_the_raise()
    {
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        await StartWithSlowAsync();
        Assert.Equal(64, Read(Assert.Single(ExchangeAll(Peer, Big(1)))).Payload.Length);
        string response = Assert.Single(await SlowResponseAsync(2));
        response.Begins("41");
        Transport.Receive(Peer, "6000" + response[4..8]);
        Assert.Equal(1000, Read(Assert.Single(ExchangeAll(Peer, Big(3)))).Payload.Length);
        Assert.Equal(64, Read(Assert.Single(ExchangeAll(Other, Big(3)))).Payload.Length);
        Transport.Receive(Peer, "6000" + response[4..8]);
        Assert.Equal(64, Read(Assert.Single(ExchangeAll(Peer, Big(4)))).Payload.Length);
        Assert.False(Server.Endpoint.Pipelines[0].Channels.All().Exists(channel => channel.IsVerified));
    }

    [Fact]
    public async Task A_stored_reply_is_repeated_only_within_the_amplification_limit()
    {
        Options.Limits.Amplification.SourceBytesPerMinute = 2200;
        Server.MapPost("/big", () => CoapResults.Changed(CoapContent.Binary(s_body)));
        await StartAsync();
        string post = Big(1, code: "02", confirmable: true);
        string first = Assert.Single(ExchangeAll(Peer, post));
        Assert.Equal(1000, Read(first).Payload.Length);
        Assert.Empty(ExchangeAll(Peer, post));
        Clock.Advance(FromMinutes(1));
        Assert.Equal(first, Assert.Single(ExchangeAll(Peer, post)));
    }

    [Fact]
    public async Task An_address_is_verified_for_VerificationLifetime_only()
    {
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        Options.Limits.Peers.VerificationLifetime = FromMinutes(10);
        await StartWithBigAsync();
        string echo = EchoOf(Assert.Single(ExchangeAll(Peer, Big(1))));
        Assert.Equal(1000, Read(Assert.Single(ExchangeAll(Peer, Big(2, echo)))).Payload.Length);
        Clock.Advance(FromMinutes(9));
        Assert.Equal(1000, Read(Assert.Single(ExchangeAll(Peer, Big(3)))).Payload.Length);
        Clock.Advance(FromMinutes(2));
        Assert.Equal(64, Read(Assert.Single(ExchangeAll(Peer, Big(4, echo)))).Payload.Length);
    }

    [Theory]
    [InlineData("192.0.2.0/24", true)]
    [InlineData("192.0.2.0/30", true)]
    [InlineData("192.0.3.0/24", false)]
    [InlineData("0.0.0.0/0", true)]
    [InlineData("::/0", true)]
    [InlineData("2001:db8::/32", false)]
    public async Task A_peer_with_a_trusted_prefix_is_not_limited(string prefix, bool isTrusted)
    {
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        Options.Limits.Peers.TrustedPrefixes.Add(System.Net.IPNetwork.Parse(prefix));
        await StartWithBigAsync();
        Assert.Equal(isTrusted ? 1000 : 64, Read(Assert.Single(ExchangeAll(Peer, Big(1)))).Payload.Length);
    }

    [Fact]
    public async Task The_amplification_limit_can_be_disabled()
    {
        Options.Limits.Amplification.IsLimited = false;
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        await StartWithBigAsync();
        Assert.Equal(1000, Read(Assert.Single(ExchangeAll(Peer, Big(1)))).Payload.Length);
    }

    [Fact]
    [Rfc("7252-11.3-1")]
    public async Task A_client_without_Echo_is_not_limited_in_normal_use()
    {
        Options.Parameters = Options.Parameters with { MaxMessageSize = 4096 };
        byte[] body = [.. Enumerable.Range(0, 3072).Select(i => (byte)(i * 7))];
        Server.MapGet("/big", () => new CoapResult(CoapCode.Content, body));
        await StartAsync();
        for (int visit = 0; visit < 10; visit++)
        {
            List<byte> got = [];
            for (int number = 0; ; number++)
            {
                string block = number == 0 ? string.Empty : $"c1{(number << 4) | 6:x2}";
                CoapMessage answer = Read(Assert.Single(ExchangeAll(Peer, $"4101{(visit << 8) | number:x4}77b3626967{block}")));
                Assert.Equal(CoapCode.Content, answer.Code);
                got.AddRange(answer.Payload.ToArray());
                if (answer.Options.Block2 is not { More: true } part)
                {
                    break;
                }

                Assert.Equal(1024, part.Size);
            }

            Assert.Equal(body, got);
            Clock.Advance(FromSeconds(40));
        }
    }

    [Fact]
    public void Each_link_local_neighbour_has_its_own_share_and_each_customer_prefix_has_a_share()
    {
        SourceRateLimiter budgets = new(new CoAP.NET.Testing.VirtualRandom(1), RateLimit.Within(2000, TimeSpan.FromMinutes(1)));
        Assert.True(budgets.TryDraw(CoapSourceGroupingRule.Default.Of(new CoapAddress(0x2001_0db8_0000_0000, 1, 1, 0)), 1000, 0));
        Assert.False(budgets.TryDraw(CoapSourceGroupingRule.Default.Of(new CoapAddress(0x2001_0db8_0000_00ff, 2, 2, 0)), 1000, 0));
        Assert.True(budgets.TryDraw(CoapSourceGroupingRule.Default.Of(new CoapAddress(0x2001_0db8_0000_0100, 2, 2, 0)), 1000, 0));
        Assert.True(budgets.TryDraw(CoapSourceGroupingRule.Default.Of(new CoapAddress(0xfe80_0000_0000_0000, 1, 1, 3)), 1000, 0));
        Assert.True(budgets.TryDraw(CoapSourceGroupingRule.Default.Of(new CoapAddress(0xfe80_0000_0000_0000, 2, 1, 3)), 1000, 0));
        Assert.False(budgets.TryDraw(CoapSourceGroupingRule.Default.Of(new CoapAddress(0xfe80_0000_0000_0000, 2, 9, 3)), 1000, 0));
    }

    private async Task StartWithBigAsync()
    {
        CoapResult big = new(CoapCode.Content, s_body);
        Server.MapGet("/big", () => big);
        await StartAsync();
    }

    private TaskCompletionSource<CoapResult> _slow = new();

    private async Task StartWithSlowAsync()
    {
        Server.MapGet("/slow", async (CoapRequestContext _) => await _slow.Task.ConfigureAwait(false));
        await StartWithBigAsync();
    }

    // The response of 100 bytes that follows its Empty acknowledgement.
    private async Task<string[]> SlowResponseAsync(int messageId)
    {
        Transport.Receive(Peer, $"4101{messageId:x4}42b4736c6f77");
        Clock.Advance(FromSeconds(1));
        Transport.HasSent($"6000{messageId:x4}");
        _slow.SetResult(new CoapResult(CoapCode.Content, s_body.AsMemory(0, 100)));
        _slow = new TaskCompletionSource<CoapResult>();
        return await NextSentAsync();
    }
}
