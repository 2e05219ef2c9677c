using System.Net;
using CoAP.NET.Errors;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Every request of ours ends: by its time limit, by what became of its message, or by a limit of last resort.</summary>
public sealed class ClientRequestTimeLimitTests : RequestingTest
{
    private static readonly CoapAddress s_server = CoapAddress.FromIPv4(0xc0000201, 5683);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_request_with_the_maximum_Timeout_does_not_time_out_immediately(bool confirmable)
    {
        Task<CoapResponse> request = Client.SendAsync(
            new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/x") { Confirmable = confirmable, Timeout = TimeSpan.MaxValue });
        string sent = Assert.Single(Transport.TakeSent());
        Clock.Advance(FromSeconds(1));
        Assert.False(request.IsCompleted);
        Transport.Receive(s_server, $"5445abcd{sent[8..16]}");
        await Within(request);
    }

    [Fact]
    public async Task A_request_with_an_infinite_ResponseTimeout_waits_after_the_acknowledgement()
    {
        Options.Parameters = new CoapTransmissionParameters { ResponseTimeout = Timeout.InfiniteTimeSpan };
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        string sent = Assert.Single(Transport.TakeSent());
        Transport.Receive(s_server, $"6000{sent[4..8]}");
        Clock.Advance(FromHours(10));
        Assert.False(request.IsCompleted);
        Transport.Receive(s_server, $"5445abcd{sent[8..16]}");
        await Within(request);
    }

    [Fact]
    [Rfc("7252-4.7-2")]
    public async Task A_request_delayed_by_PROBING_RATE_fails_within_its_default_timeout()
    {
        Task<CoapResponse> first = Client.PutAsync("coap://192.0.2.1/x", CoapContent.Binary(new byte[1000]));
        Clock.Advance(FromSeconds(93));
        await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(first));
        Transport.TakeSent();

        // Five copies of a kilobyte at a byte a second.
        Task<CoapResponse> second = Client.GetAsync("coap://192.0.2.1/x");
        Clock.Advance(FromSeconds(247 + 93));
        CoapTimeoutException timeout = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(second));
        Assert.Equal(CoapTimeoutReason.NotSent, timeout.Reason);
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("7252-4.7-2")]
    public async Task A_registration_delayed_by_PROBING_RATE_fails_within_its_default_timeout()
    {
        Task<CoapResponse> first = Client.PutAsync("coap://192.0.2.1/x", CoapContent.Binary(new byte[1000]));
        Clock.Advance(FromSeconds(93));
        await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(first));
        Transport.TakeSent();
        Task<CoapObservation> second = Client.ObserveAsync("coap://192.0.2.1/x");
        Clock.Advance(FromSeconds(247 + 93));
        await using CoapObservation observation = await Within(second);

        // Small as it is, it was sent EXCHANGE_LIFETIME after the last copy of the large one.
        Assert.Equal(CoapTimeoutReason.NotAcknowledged, Assert.IsType<CoapTimeoutException>(observation.Error).Reason);
    }

    [Fact]
    [Rfc("7252-4.7-2")]
    public async Task A_request_without_a_time_limit_waits_for_PROBING_RATE()
    {
        Task<CoapResponse> first = Client.PutAsync("coap://192.0.2.1/x", CoapContent.Binary(new byte[1000]));
        Clock.Advance(FromSeconds(93));
        await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(first));
        Transport.TakeSent();
        Task<CoapResponse> second =
            Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/x") { Timeout = Timeout.InfiniteTimeSpan });
        Clock.Advance(FromHours(2));
        string sent = Transport.TakeSent()[0];
        await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(second));
        sent.Begins("4401");
    }

    [Fact]
    public void A_negative_Timeout_is_refused()
    {
        CoapRequest request = new(CoapMethod.Get, "coap://192.0.2.1/x");
        Assert.Throws<ArgumentOutOfRangeException>(() => request.Timeout = FromSeconds(-2));
        request.Timeout = Timeout.InfiniteTimeSpan;
        request.Timeout = null;
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapTransmissionParameters { ResponseTimeout = FromSeconds(-2) });
    }

    [Fact]
    public async Task A_Non_confirmable_request_without_a_response_times_out_after_NON_LIFETIME()
    {
        Task<CoapResponse> request = Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/x") { Confirmable = false });
        Clock.Advance(FromSeconds(144));
        Assert.False(request.IsCompleted);
        Clock.Advance(FromSeconds(2));
        CoapTimeoutException timeout = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(request));
        Assert.Equal(CoapTimeoutReason.NoResponse, timeout.Reason);
        Assert.Single(Transport.TakeSent());
    }

    [Fact]
    public async Task The_Timeout_of_a_request_includes_all_addresses_of_its_host()
    {
        Task<CoapResponse> request =
            Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://two.example/x") { Timeout = FromSeconds(5) });
        (CoapAddress remote, byte[] bytes) = Assert.Single(Transport.TakeAll());
        Clock.Advance(FromSeconds(1.5));
        TaskCompletionSource second = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, _) => second.TrySetResult();
        Transport.Context.PortUnreachable(remote, DirectTransport.Local, bytes);
        await second.Task.WaitAsync(FromMinutes(2));
        Clock.Advance(FromSeconds(3.4));
        Assert.False(request.IsCompleted);
        Clock.Advance(FromSeconds(0.2));
        await Assert.ThrowsAsync<CoapTimeoutException>(() => request.WaitAsync(FromMinutes(2)));
    }

    [Theory]
    [InlineData("6445", "ff31")]
    [InlineData("7000", "")]
    [InlineData("", "")]
    public async Task A_request_and_a_ping_time_out_when_a_user_block_withholds_their_outcome(string answer, string payload)
    {
        bool isOpen = true;
        Options.Pipeline.Insert(CoapStageLinks.MessagingToExchanges, () => new GateBlock<CoapInbound>(() => isOpen));
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        string sent = Assert.Single(Transport.TakeSent());
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.9");
        string pinged = Assert.Single(Transport.TakeSent());
        isOpen = false;
        if (answer.Length > 0)
        {
            Transport.Receive(s_server, $"{answer}{sent[4..8]}{(payload.Length > 0 ? sent[8..16] : "")}{payload}");
            Transport.Receive(CoapAddress.FromIPv4(0xc0000209, 5683), $"7000{pinged[4..8]}");
        }

        for (int i = 0; i < 40; i++)
        {
            Clock.Advance(FromSeconds(30));
        }

        await Assert.ThrowsAsync<CoapTimeoutException>(() => request.WaitAsync(FromMinutes(2)));
        await Assert.ThrowsAsync<CoapTimeoutException>(() => ping.WaitAsync(FromMinutes(2)));
    }

    [Fact]
    public async Task A_request_that_waits_long_for_its_turn_does_not_time_out()
    {
        Options.Parameters = new CoapTransmissionParameters { ResponseTimeout = FromHours(2) };
        Task<CoapResponse>[] queue = [.. Enumerable.Range(0, 20).Select(i => Client.GetAsync($"coap://192.0.2.1/{i:00}"))];
        for (int i = 0; i < 20; i++)
        {
            string sent = Assert.Single(Transport.TakeSent().Distinct());
            Clock.Advance(FromSeconds(60));
            Transport.TakeSent();
            Assert.Equal(i, queue.Count(task => task.IsCompleted));
            Transport.Receive(s_server, $"6445{sent[4..8]}{sent[8..16]}");
            await Within(queue[i]);
        }
    }

    [Fact]
    public async Task A_message_that_is_no_request_or_has_no_port_is_not_sent()
    {
        await Assert.ThrowsAsync<ArgumentException>(
            () => Within(Client.SendAsync(new CoapRequest((CoapMethod)0x45, "coap://192.0.2.1/x"))));
        await Assert.ThrowsAsync<ArgumentException>(() => Within(Client.SendAsync(new CoapRequest((CoapMethod)0, "coap://192.0.2.1/x"))));
        await Assert.ThrowsAsync<ArgumentException>(() => Within(Client.GetAsync("coap://192.0.2.1:0/x")));
        await Assert.ThrowsAsync<ArgumentException>(() => Within(Client.PingAsync())); // there is no base address
        Transport.HasSentNothing();
    }

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(FromMinutes(2));
}
