using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Transports.Sessions;

namespace CoAP.NET.Tests.Exchanges;

/// <summary>Echo values of several servers with one secret (RFC 9175), and of one server before and after a restart.</summary>
public sealed class SharedEchoIssuerTests
{
    private static readonly TimeSpan s_freshness = FromMinutes(5);

    [Theory]
    [Rfc("9175-2.3-1", "9175-5-2")]
    [InlineData(0)]
    [InlineData(-60)]
    [InlineData(60)]
    public async Task An_Echo_value_of_a_node_is_accepted_by_another_node_with_a_different_clock(int ahead)
    {
        await using SharedNode one = new(1, FromSeconds(ahead));
        await using SharedNode other = new(2);
        await one.StartAsync(s_freshness);
        await other.StartAsync(s_freshness);
        string echo = Challenge(one);
        Assert.True(other.Serves(2, echo, out _));
        Assert.Equal(1, other.Server.Endpoint.Counters[CoapCounter.AddressesVerified]);

        // And by the one that made it, as exactly as ever.
        one.Clock.Advance(FromSeconds(3));
        Assert.True(one.Serves(3, echo, out _));
        Assert.Equal(FromSeconds(3), one.Ages.Single());
    }

    [Fact]
    public async Task Echo_values_of_both_secrets_are_accepted_while_the_secret_is_replaced()
    {
        bool isUsed = true;
        byte[] next = [.. SharedNode.Secret.Reverse()];
        await using SharedNode old = new(1);
        await using SharedNode both = new(2, secret: next, previous: new PreviousSecret(SharedNode.Secret, () => isUsed));
        await using SharedNode latest = new(3, secret: next);
        foreach (SharedNode node in new[] { old, both, latest })
        {
            await node.StartAsync(s_freshness);
        }

        string echo = Challenge(both);
        Assert.True(old.Serves(2, echo, out _));
        Assert.False(latest.Serves(3, echo, out string ofLatest));
        Assert.True(both.Serves(4, EchoOf(ofLatest), out _));
        Assert.True(both.Serves(5, echo, out _));

        isUsed = false;
        Assert.True(both.Serves(6, echo, out _));
        await using SharedNode again = new(4, secret: next, previous: new PreviousSecret(SharedNode.Secret, () => isUsed));
        await again.StartAsync(s_freshness);
        string later = Challenge(again);
        Assert.True(latest.Serves(7, later, out _));
        Assert.True(both.Serves(8, later, out _));
        await using SharedNode another = new(5);
        await another.StartAsync(s_freshness);
        Assert.False(another.Serves(9, later, out string ofOld));
        Assert.True(again.Serves(10, EchoOf(ofOld), out _));
    }

    [Theory]
    [Rfc("9175-2.2.1-2", "9175-5-1")]
    [InlineData(-60, 0)]
    [InlineData(-60, 200)]
    [InlineData(-59, 100)]
    [InlineData(0, 0)]
    [InlineData(0, 239)]
    [InlineData(60, 0)]
    [InlineData(60, 30)]
    [InlineData(60, 239)]
    public async Task An_Echo_value_of_another_node_never_appears_younger_than_its_true_age(int ahead, int seconds)
    {
        await using SharedNode one = new(1, FromSeconds(ahead));
        await using SharedNode other = new(2);
        await one.StartAsync(FromSeconds(1));
        await other.StartAsync(FromHours(1));
        string echo = Challenge(one);
        other.Clock.Advance(FromSeconds(seconds));
        Assert.True(other.Serves(2, echo, out _));
        Assert.InRange(other.Ages.Single()!.Value, FromSeconds(seconds), FromSeconds(seconds + 120));
    }

    [Fact]
    [Rfc("9175-2.2.1-2")]
    public async Task A_freshness_of_less_than_a_minute_makes_another_node_send_a_new_challenge()
    {
        await using SharedNode one = new(1);
        await using SharedNode other = new(2);
        await one.StartAsync(FromSeconds(10));
        await other.StartAsync(FromSeconds(10));
        Assert.False(other.Serves(2, Challenge(one), out string answer));
        Assert.True(other.Serves(3, EchoOf(answer), out _));
    }

    [Fact]
    [Rfc("9175-5-1")]
    public async Task An_Echo_value_from_before_a_restart_has_its_age_and_an_expired_value_is_refused()
    {
        string echo;
        await using (SharedNode before = new(1))
        {
            await before.StartAsync(s_freshness);
            echo = Challenge(before);
        }

        await using SharedNode after = new(2, FromMinutes(2));
        await after.StartAsync(s_freshness);
        Assert.True(after.Serves(2, echo, out _));
        Assert.Equal(FromMinutes(3), after.Ages.Single());
        after.Clock.Advance(FromMinutes(2) + FromMilliseconds(1));
        Assert.False(after.Serves(3, echo, out _));
    }

    [Fact]
    [Rfc("9175-2.2.1-2", "9175-2.3-5", "9175-5-1")]
    public async Task An_Echo_value_of_another_secret_another_peer_or_with_a_changed_bit_is_refused()
    {
        await using SharedNode one = new(1);
        await using SharedNode other = new(2);
        await using SharedNode stranger = new(3, secret: [.. SharedNode.Secret.Reverse()]);
        foreach (SharedNode node in new[] { one, other, stranger })
        {
            await node.StartAsync(s_freshness);
        }

        string echo = Challenge(one);
        int id = 2;
        Assert.False(other.Serves(id++, Challenge(stranger), out _));
        Assert.False(other.Serves(id++, echo, out _, SharedNode.Peer with { Port = 40_007 }));
        for (int bit = 0; bit < echo.Length * 4; bit++)
        {
            byte[] changed = Convert.FromHexString(echo);
            changed[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.False(other.Serves(id++, Convert.ToHexStringLower(changed), out _));
        }

        Assert.Equal(0, other.Server.Endpoint.Counters[CoapCounter.AddressesVerified]);
        Assert.True(other.Serves(id, echo, out _));
    }

    [Fact]
    public async Task Echo_values_are_valid_across_the_daily_key_change_and_expire_after_two_days()
    {
        DateTimeOffset evening = new(2030, 1, 1, 23, 59, 50, TimeSpan.Zero);
        await using SharedNode one = new(1, start: evening);
        await using SharedNode other = new(2, FromSeconds(60), start: evening);
        await one.StartAsync(s_freshness);
        await other.StartAsync(FromDays(10));

        // Already tomorrow there.
        Assert.True(other.Serves(2, Challenge(one), out _));
        string tomorrows = EchoOf(AnswerOf(other, 3));
        Assert.True(one.Serves(4, tomorrows, out _));
        string own = EchoOf(AnswerOf(other, 5));
        other.Clock.Advance(FromHours(24));
        Assert.True(other.Serves(6, own, out _));
        Assert.Equal(FromHours(24), other.Ages[^1]);
        other.Clock.Advance(FromHours(24));
        Assert.False(other.Serves(7, own, out _));
    }

    [Fact]
    [Rfc("9175-5-1")]
    public async Task The_age_of_an_own_Echo_value_is_right_after_a_wall_clock_change()
    {
        await using SharedNode node = new(1);
        await node.StartAsync(FromSeconds(10));
        string echo = Challenge(node);
        node.Clock.Advance(FromSeconds(11));
        node.Clock.JumpWallClock(FromSeconds(-11));
        Assert.False(node.Serves(2, echo, out string answer));
        node.Clock.Advance(FromSeconds(9));
        Assert.True(node.Serves(3, EchoOf(answer), out _));
    }

    [Fact]
    [Rfc("9175-2.3-4")]
    public async Task An_Echo_value_of_a_session_is_valid_where_the_session_moved_and_in_no_other_session()
    {
        await using SharedNode one = new(1);
        await using SharedNode other = new(2);
        DirectSessionTransport ofOne = new();
        DirectSessionTransport ofOther = new();
        one.Server.Endpoint.AddTransport(ofOne);
        other.Server.Endpoint.AddTransport(ofOther);
        await one.StartAsync(s_freshness);
        await other.StartAsync(s_freshness);
        DirectSession kept = ofOne.Accept(SharedNode.Peer);
        kept.Durable = [1, 2, 3];
        string echo = EchoOf(Ask(kept, 1, ""));
        string ofNobody = EchoOf(Ask(ofOne.Accept(SharedNode.Peer), 1, ""));

        DirectSession taken = ofOther.Accept(SharedNode.Peer);
        taken.Durable = [1, 2, 3];
        DirectSession stranger = ofOther.Accept(SharedNode.Peer);
        stranger.Durable = [1, 2, 4];
        DirectSession first = ofOther.Accept(SharedNode.Peer);
        Ask(stranger, 2, echo).Begins("6181");
        Ask(first, 2, echo).Begins("6181");
        Ask(taken, 2, ofNobody).Begins("6181");

        // The same number in another process is another session.
        Ask(stranger, 3, ofNobody).Begins("6181");
        Ask(taken, 3, echo).Begins("6144");
    }

    [Fact]
    public void A_shared_secret_that_is_too_short_or_all_zero_is_refused()
    {
        CoapEndpointOptions options = new();
        Exception refusal = Assert.Throws<ArgumentException>(() => options.Processes.SharedSecret = new byte[31]);
        refusal.Mentions("31");
        Assert.Throws<ArgumentException>(() => options.Processes.SharedSecret = new byte[32]);
        Assert.True(options.Processes.SharedSecret.IsEmpty);
        options.Processes.SharedSecret = SharedNode.Secret;
        options.Processes.SharedSecret = default;
        Assert.Throws<ArgumentException>(() => new RotatingKeyProvider(new byte[31], "x", FromDays(1), TimeProvider.System));
    }

    [Fact]
    public void Keys_depend_on_purpose_and_epoch_and_are_gone_after_disposal()
    {
        VirtualClock clock = new(SharedNode.Start);
        using RotatingKeyProvider one = new(SharedNode.Secret, "one", FromHours(1), clock);
        using RotatingKeyProvider same = new(SharedNode.Secret, "one", FromHours(1), clock);
        using RotatingKeyProvider other = new(SharedNode.Secret, "other", FromHours(1), clock);
        byte[] key = new byte[RotatingKeyProvider.KeyLength];
        HashSet<string> keys = [];
        long first = one.Current;
        for (int hour = 0; hour < 3; hour++, clock.Advance(FromHours(1)))
        {
            foreach (RotatingKeyProvider each in new[] { one, same, other })
            {
                for (long epoch = each.Current - 2; epoch <= each.Current + 2; epoch++)
                {
                    bool isNear = Math.Abs(epoch - each.Current) < 2;
                    Assert.Equal(isNear, each.TryGetKey(epoch, key));
                    Assert.Equal(isNear, key.AsSpan().IndexOfAnyExcept((byte)0) >= 0);
                    keys.Add(Convert.ToHexString(key));
                }
            }
        }

        // Five epochs of two purposes, and that of none.
        Assert.Equal((5 * 2) + 1, keys.Count);
        Assert.Equal(first + 3, one.Current);
        Assert.Equal(one.Current + 1, one.EpochOf((int)(one.Current + 1) & 0x3F, 6));
        Assert.Equal(one.Current - 1, one.EpochOf((int)(one.Current - 1) & 0x3F, 6));
        one.Dispose();
        Assert.False(one.TryGetKey(one.Current, key));
        Assert.True(key.AsSpan().IndexOfAnyExcept((byte)0) < 0);
    }

    private static string Ask(DirectSession session, int id, string echo)
    {
        session.TakeSent();
        session.Receive(SharedNode.Put(id, echo));
        return Assert.Single(session.TakeSent());
    }

    private static string Challenge(SharedNode node) => EchoOf(AnswerOf(node, 1));

    private static string AnswerOf(SharedNode node, int id)
    {
        Assert.False(node.Serves(id, "", out string answer));
        return answer;
    }

    private static string EchoOf(string hex) => Convert.ToHexStringLower(
        CoapDatagramSerializer.Default.Deserialize((ReadOnlySpan<byte>)Wire.Hex(hex)).Options.Echo!.Value.Span);
}
