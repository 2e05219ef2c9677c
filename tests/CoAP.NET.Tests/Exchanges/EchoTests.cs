using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Exchanges;

/// <summary>What a server makes of Echo options (RFC 9175 section 2).</summary>
public sealed class EchoTests : StrangersTest
{
    private const string Put = "4103000141b46c6f636bff31";
    private int _calls;

    [Fact]
    [Rfc("9175-2.3-1", "9175-2.2.1-1", "9175-2.6-1")]
    public async Task A_request_that_must_be_fresh_gets_an_Echo_challenge_and_does_not_run()
    {
        await StartWithLockAsync();
        string challenge = Exchange(Put);
        Assert.Matches("^6181000141ddef00[0-9a-f]{26}$", challenge);
        Assert.Equal(0, _calls);
        Assert.Equal("6144000242", Exchange($"4103000242b46c6f636b{EchoAfter(11, EchoOf(challenge))}ff30"));
        Assert.Equal(1, _calls);
        Assert.Equal(1, Server.Endpoint.Counters[CoapCounter.EchoChallenges]);
        Assert.Equal(1, Server.Endpoint.Counters[CoapCounter.AddressesVerified]);
    }

    [Fact]
    [Rfc("9175-2.2.1-2", "9175-2.3-5", "9175-5-1")]
    public async Task An_Echo_value_of_another_peer_or_with_changed_bytes_gets_a_new_challenge()
    {
        await StartWithLockAsync();
        string own = EchoOf(Exchange(Put));
        string port = EchoOf(Assert.Single(ExchangeAll(Peer with { Port = 40_007 }, Put)));
        string other = EchoOf(Assert.Single(ExchangeAll(Other, Put)));
        string changed = own[..^2] + (own.EndsWith("00", Ordinal) ? "01" : "00");
        string later = (own[..8] == "ffffffff" ? "00000000" : "ffffffff") + own[8..];
        int id = 2;
        foreach (string wrong in new[] { "00000009437468756c687521", port, other, changed, later, "01", own + "00", own[..^2] })
        {
            string answer = Exchange($"4103{id++:x4}42b46c6f636b{EchoAfter(11, wrong)}ff30");
            answer.Begins("6181");
            Assert.NotEqual(wrong, EchoOf(answer));
        }

        Assert.Equal(3, new HashSet<string> { own, port, other }.Count);
        Assert.Equal(0, _calls);
        Assert.Equal(0, Server.Endpoint.Counters[CoapCounter.AddressesVerified]);
    }

    [Fact]
    [Rfc("9175-2.2.1-2", "9175-5-1")]
    public async Task An_expired_Echo_value_gets_a_new_challenge()
    {
        await StartWithLockAsync();
        string echo = EchoOf(Exchange(Put));
        Clock.Advance(FromSeconds(11));
        Clock.JumpWallClock(FromSeconds(-11));
        string answer = Exchange($"4103000242b46c6f636b{EchoAfter(11, echo)}ff30");
        answer.Begins("6181");
        Assert.Equal(0, _calls);
        Clock.Advance(FromSeconds(9));
        Exchange($"4103000342b46c6f636b{EchoAfter(11, EchoOf(answer))}ff30").Begins("6144");
    }

    [Fact]
    [Rfc("9175-2.2.1-1")]
    public async Task An_invalid_Echo_is_ignored_without_a_freshness_requirement_and_a_handler_sees_the_age_of_a_valid_one()
    {
        TimeSpan? seen = null;
        Server.MapGet("/age", request =>
        {
            seen = request.EchoAge;
            return request.IsFresh(FromSeconds(5)) ? CoapResults.Changed() : CoapResults.FreshnessRequired();
        });
        Server.MapGet("/free", () => CoapResults.Changed());
        await StartAsync();
        Assert.Equal("60440001", Exchange($"40010001b466726565{EchoAfter(11, "0102")}"));
        Assert.Equal("60440002", Exchange($"40010002b466726565{EchoAfter(11, new string('a', 82))}"));
        string challenge = Exchange($"40010003b3616765{EchoAfter(11, "0102")}");
        Assert.Null(seen);
        Clock.Advance(FromSeconds(4));
        Assert.Equal("60440004", Exchange($"40010004b3616765{EchoAfter(11, EchoOf(challenge))}"));
        Assert.Equal(4, seen!.Value.TotalSeconds, 0.01);
    }

    [Fact]
    [Rfc("9175-2.4-2")]
    public async Task An_Echo_challenge_is_piggybacked_or_Non_confirmable_even_when_the_handler_is_slow()
    {
        TaskCompletionSource<CoapResult> late = new();
        Server.MapGet("/slow", async (CoapRequestContext _) => await late.Task.ConfigureAwait(false));
        await StartWithLockAsync();
        Assert.Single(ExchangeAll(Peer, "5103000141b46c6f636bff31")).Begins("5181");
        Transport.Receive(Peer, "41010002 42 b4736c6f77");
        Clock.Advance(FromSeconds(1));
        Transport.HasSent("60000002");
        late.SetResult(CoapResults.FreshnessRequired());
        Assert.Single(await NextSentAsync()).Begins("5181");
        Clock.Advance(FromMinutes(5));
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task A_response_may_carry_an_Echo_that_makes_the_next_request_fresh()
    {
        List<TimeSpan?> ages = [];
        TaskCompletionSource<CoapResult> late = new();
        Server.MapPost("/next", request =>
        {
            ages.Add(request.EchoAge);
            return CoapResults.Changed().WithEcho();
        });
        Server.MapGet("/slow", async (CoapRequestContext _) => await late.Task.ConfigureAwait(false));
        await StartAsync();
        string first = Exchange("4102000141b46e657874");
        Assert.Matches("^6144000141ddef00[0-9a-f]{26}$", first);
        Clock.Advance(FromHours(2));
        string second = Exchange($"4102000242b46e657874{EchoAfter(11, EchoOf(first))}");
        Assert.NotEqual(EchoOf(first), EchoOf(second));
        Assert.Null(ages[0]);
        Assert.Equal(2, ages[1]!.Value.TotalHours, 0.01);
        Assert.Equal(0, Server.Endpoint.Counters[CoapCounter.EchoChallenges]);

        // A separate response is Confirmable, and has none.
        Transport.Receive(Peer, "41010003 43 b4736c6f77");
        Clock.Advance(FromSeconds(1));
        Transport.HasSent("60000003");
        late.SetResult(CoapResults.Changed().WithEcho());
        Assert.Matches("^4144[0-9a-f]{4}43$", await NextSentAsync() is [var separate] ? separate : "several");
    }

    [Fact]
    [Rfc("9175-5-2", "9175-5-1")]
    public async Task Echo_values_from_before_a_restart_are_refused()
    {
        await StartWithLockAsync();
        string echo = EchoOf(Exchange(Put));
        await using CoapServer next = new(Options);
        Endpoints.DirectTransport transport = new();
        next.Endpoint.AddTransport(transport);
        next.MapPut("/lock", () => CoapResults.Changed()).RequireFreshness(FromSeconds(10));
        await next.StartAsync();
        string again = $"4103000242b46c6f636b{EchoAfter(11, echo)}ff30";
        transport.Receive(Peer, again);
        string answer = Assert.Single(transport.TakeSent());
        answer.Begins("6181");
        Assert.NotEqual(echo, EchoOf(answer));
        Exchange(again).Begins("6144");
    }

    [Fact]
    public async Task RequireFreshness_on_a_route_group_applies_to_its_routes()
    {
        Server.MapGroup("/doors").RequireFreshness(FromSeconds(10)).MapPut("/1", () => CoapResults.Changed());
        await StartAsync();
        Exchange("40030001b5646f6f72730131").Begins("6081");
    }

    private async Task StartWithLockAsync()
    {
        Server.MapPut("/lock", () =>
        {
            _calls++;
            return CoapResults.Changed();
        }).RequireFreshness(FromSeconds(10));
        await StartAsync();
    }
}
