using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Requests;

/// <summary>What a client does after 4.29 (RFC 8516 section 4).</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class PatienceTests : StepTest
{
    private const string ThreeSeconds = "d10103";

    [Fact]
    [Rfc("8516-4-1", "8516-4-2")]
    public async Task A_request_to_the_resource_after_4_29_fails_at_once_with_RetryAfter()
    {
        Task<CoapResponse> first = Client.GetAsync("coap://192.0.2.1/a?x=1");
        Answer(await NextAsync(), "9d", ThreeSeconds);
        await Within(first).Gives(CoapCode.TooManyRequests);
        Clock.Advance(FromSeconds(1));
        CoapException refused =
            await Failure.OfAsync(CoapError.RetryLater, () => Client.PutAsync("coap://192.0.2.1/a?x=2", null));
        Assert.Equal(2, refused.RetryAfter!.Value.TotalSeconds, 0.01);
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.RequestsHeldBack]);
        AssertNothingSent();
        Task<CoapResponse> elsewhere = Client.GetAsync("coap://192.0.2.1/b");
        Answer(await NextAsync(), "45");
        await Within(elsewhere);
        Task<CoapResponse> anyhow =
            Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { TooManyRequests = CoapTooManyRequestsBehavior.None });
        Answer(await NextAsync(), "45");
        await Within(anyhow);
        Clock.Advance(FromSeconds(2));
        Task<CoapResponse> again = Client.GetAsync("coap://192.0.2.1/a");
        Answer(await NextAsync(), "45");
        Assert.True((await Within(again)).IsSuccess);
    }

    [Fact]
    [Rfc("8516-4-1")]
    public async Task A_4_29_without_Max_Age_holds_requests_for_60_seconds()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/a");
        Answer(await NextAsync(), "9d");
        await Within(request);
        Clock.Advance(FromSeconds(59));
        await Failure.OfAsync(CoapError.RetryLater, () => Client.GetAsync("coap://192.0.2.1/a"));
        Clock.Advance(FromSeconds(1));
        request = Client.GetAsync("coap://192.0.2.1/a");
        Answer(await NextAsync(), "45");
        Assert.True((await Within(request)).IsSuccess);
    }

    [Theory]
    [InlineData("9d", ThreeSeconds, 3)]
    [InlineData("9d", "", 60)]
    [InlineData("a3", ThreeSeconds, 3)]
    [InlineData("a3", "", 60)]
    [InlineData("84", ThreeSeconds, null)]
    [Rfc("8516-4-1", "7252-5.9.3.4-1")]
    public async Task The_exception_of_a_response_that_asks_to_wait_has_RetryAfter(string code, string options, int? seconds)
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/a");
        Answer(await NextAsync(), code, options);
        CoapResponse response = await Within(request);

        CoapResponseException error = Assert.Throws<CoapResponseException>(() => response.EnsureSuccess());

        Assert.Equal(seconds, error.RetryAfter?.TotalSeconds);
    }

    [Theory]
    [InlineData("9d")]
    [InlineData("a3")]
    [Rfc("8516-4-1", "7252-5.9.3.4-1")]
    public async Task A_request_that_waits_after_4_29_or_5_03_is_sent_again_after_Max_Age(string code)
    {
        Task<CoapResponse> request =
            Client.SendAsync(new CoapRequest(CoapMethod.Post, "coap://192.0.2.1/a") { TooManyRequests = CoapTooManyRequestsBehavior.Wait });
        Sent first = await NextAsync();
        Answer(first, code, ThreeSeconds);
        TimeSpan answered = Clock.Elapsed;
        await Clock.AdvanceUntilAsync(() => HasSent, FromSeconds(10));
        Assert.Equal(3, (Clock.Elapsed - answered).TotalSeconds, 0.1);
        Sent second = await NextAsync();
        Assert.NotEqual((first.MessageId, first.Token), (second.MessageId, second.Token));
        Answer(second, "44");
        await Within(request).Gives(CoapCode.Changed);
    }

    [Fact]
    [Rfc("8516-4-1")]
    public async Task A_request_whose_Timeout_is_shorter_than_Max_Age_gets_the_4_29_response()
    {
        Options.TooManyRequests = CoapTooManyRequestsBehavior.Wait;
        Task<CoapResponse> request =
            Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { Timeout = FromSeconds(2) });
        Answer(await NextAsync(), "9d", ThreeSeconds);
        await Within(request).Gives(CoapCode.TooManyRequests);
        await Failure.OfAsync(
            CoapError.RetryLater,
            () => Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { Timeout = FromSeconds(2) }));
    }

    [Fact]
    public async Task A_5_03_is_returned_as_the_response_by_default()
    {
        for (int i = 0; i < 2; i++)
        {
            Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/a");
            Answer(await NextAsync(), "a3", ThreeSeconds);
            await Within(request).Gives(CoapCode.ServiceUnavailable);
        }
    }

    [Fact]
    public async Task A_request_that_waits_after_4_29_can_be_cancelled()
    {
        using CancellationTokenSource cancellation = new();
        Task<CoapResponse> request =
            Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { TooManyRequests = CoapTooManyRequestsBehavior.Wait },
                cancellation.Token);
        Answer(await NextAsync(), "9d", ThreeSeconds);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(request));
    }
}
