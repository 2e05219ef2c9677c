using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Requests;

/// <summary>What a client does after 4.29 (RFC 8516 section 4).</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class PatienceTests : StepTest
{
    private const string ThreeSeconds = "d10103";

    [Fact]
    [Rfc("8516-4-1", "8516-4-2")]
    public async Task After_4_29_a_similar_request_fails_at_once_and_tells_how_long_to_wait()
    {
        Task<CoapResponse> first = Client.GetAsync("coap://192.0.2.1/a?x=1");
        Answer(await NextAsync(), "9d", ThreeSeconds);
        Assert.Equal(CoapCode.TooManyRequests, (await Within(first)).Code);
        Clock.Advance(TimeSpan.FromSeconds(1));
        CoapRetryLaterException refused =
            await Assert.ThrowsAsync<CoapRetryLaterException>(() => Client.PutAsync("coap://192.0.2.1/a?x=2", null));
        Assert.Equal(2, refused.RetryAfter.TotalSeconds, 0.01);
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.RequestsHeldBack]);
        AssertNothingSent();
        Task<CoapResponse> elsewhere = Client.GetAsync("coap://192.0.2.1/b");
        Answer(await NextAsync(), "45");
        await Within(elsewhere);
        Task<CoapResponse> anyhow =
            Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { Patience = CoapPatience.None });
        Answer(await NextAsync(), "45");
        await Within(anyhow);
        Clock.Advance(TimeSpan.FromSeconds(2));
        Task<CoapResponse> again = Client.GetAsync("coap://192.0.2.1/a");
        Answer(await NextAsync(), "45");
        Assert.True((await Within(again)).IsSuccess);
    }

    [Fact]
    [Rfc("8516-4-1")]
    public async Task Without_Max_Age_the_time_is_a_minute()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/a");
        Answer(await NextAsync(), "9d");
        await Within(request);
        Clock.Advance(TimeSpan.FromSeconds(59));
        await Assert.ThrowsAsync<CoapRetryLaterException>(() => Client.GetAsync("coap://192.0.2.1/a"));
        Clock.Advance(TimeSpan.FromSeconds(1));
        request = Client.GetAsync("coap://192.0.2.1/a");
        Answer(await NextAsync(), "45");
        Assert.True((await Within(request)).IsSuccess);
    }

    [Theory]
    [InlineData("9d")]
    [InlineData("a3")]
    [Rfc("8516-4-1", "7252-5.9.3.4-1")]
    public async Task Who_waits_is_served_when_the_time_is_over(string code)
    {
        Task<CoapResponse> request =
            Client.SendAsync(new CoapRequest(CoapMethod.Post, "coap://192.0.2.1/a") { Patience = CoapPatience.Wait });
        Sent first = await NextAsync();
        Answer(first, code, ThreeSeconds);
        TimeSpan answered = Clock.Elapsed;
        await Clock.AdvanceUntilAsync(() => HasSent, TimeSpan.FromSeconds(10));
        Assert.Equal(3, (Clock.Elapsed - answered).TotalSeconds, 0.1);
        Sent second = await NextAsync();
        Assert.NotEqual((first.MessageId, first.Token), (second.MessageId, second.Token));
        Answer(second, "44");
        Assert.Equal(CoapCode.Changed, (await Within(request)).Code);
    }

    [Fact]
    [Rfc("8516-4-1")]
    public async Task Who_has_no_time_to_wait_gets_the_response()
    {
        Options.Patience = CoapPatience.Wait;
        Task<CoapResponse> request =
            Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { Timeout = TimeSpan.FromSeconds(2) });
        Answer(await NextAsync(), "9d", ThreeSeconds);
        Assert.Equal(CoapCode.TooManyRequests, (await Within(request)).Code);
        await Assert.ThrowsAsync<CoapRetryLaterException>(
            () => Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { Timeout = TimeSpan.FromSeconds(2) }));
    }

    [Fact]
    public async Task Plain_5_03_is_given_to_who_did_not_ask_for_patience()
    {
        for (int i = 0; i < 2; i++)
        {
            Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/a");
            Answer(await NextAsync(), "a3", ThreeSeconds);
            Assert.Equal(CoapCode.ServiceUnavailable, (await Within(request)).Code);
        }
    }

    [Fact]
    public async Task A_wait_can_be_cancelled()
    {
        using CancellationTokenSource cancellation = new();
        Task<CoapResponse> request =
            Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { Patience = CoapPatience.Wait }, cancellation.Token);
        Answer(await NextAsync(), "9d", ThreeSeconds);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(request));
    }
}
