using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Routes that hold requests back (RFC 8516 section 3).</summary>
public sealed class LimiterTests : EndpointTest
{
    [Fact]
    [Rfc("8516-3-1")]
    public async Task A_request_refused_by_a_rate_limiter_gets_4_29_with_Max_Age_and_does_not_run()
    {
        int calls = 0;
        Queue<TimeSpan?> waits = new([null, FromSeconds(2.5), TimeSpan.Zero, FromSeconds(60)]);
        Server.MapGet("/a", () =>
        {
            calls++;
            return CoapResults.Changed();
        }).RequireRateLimiting(_ => waits.Dequeue());
        await StartAsync();
        Assert.Equal("60440001", Exchange("40010001b161"));
        Assert.Equal("609d0002d10103", Exchange("40010002b161"));
        Assert.Equal("609d0003d10101", Exchange("40010003b161"));
        Assert.Equal("609d0004", Exchange("40010004b161"));
        Assert.Equal(1, calls);
        Assert.Equal(3, Server.Endpoint.Counters[CoapCounter.RequestsLimited]);
        Assert.Equal("60a00005", Exchange("40010005b161"));
    }

    [Fact]
    [Rfc("8516-3-1")]
    public async Task Sending_4_29_is_rate_limited_and_an_unanswered_request_may_be_repeated()
    {
        Options.Limits.Requests.TooManyRequestsPerSecond = 4;
        Server.MapGet("/a", () => CoapResults.Changed()).RequireRateLimiting(_ => FromSeconds(9));
        await StartAsync();
        for (int i = 0; i < 2; i++)
        {
            Assert.Equal($"609d000{i}d10109", Exchange($"4001000{i}b161"));
        }

        Transport.Receive(Peer, "40010009b161");
        Clock.Advance(FromSeconds(1));
        Transport.HasSentNothing();
        Assert.Equal("609d0009d10109", Exchange("40010009b161"));
    }
}
