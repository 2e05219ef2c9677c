using CoAP.NET.Errors;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Requests;

/// <summary>Requests of which not every response is wanted (RFC 7967).</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class NoResponseRequestTests : ClientTest
{
    [Fact]
    [Rfc("7967-2.1-2", "7967-2.1-4")]
    public async Task A_Confirmable_request_with_No_Response_ends_with_its_acknowledgement()
    {
        Task sending = Client.SendWithoutResponseAsync(new CoapRequest(CoapMethod.Put, "coap://192.0.2.1/a"));
        Sent sent = TakeOne();
        sent.Hex.Ends("b161d1ea1a");
        Assert.False(sending.IsCompleted);
        Transport.Receive(s_server, $"6000{sent.MessageId}");
        await Within(sending);
        Transport.Receive(s_server, $"44440007{sent.Token}");
        Transport.HasSent("70000007");
        Transport.Receive(s_server, $"54440008{sent.Token}");
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("7967-2.1-4")]
    public async Task A_Non_confirmable_request_with_No_Response_ends_when_sent_and_leaves_nothing_behind()
    {
        CoapRequest request = new(CoapMethod.Put, "coap://192.0.2.1/a") { Confirmable = false, NoResponse = NoResponseClasses.All };
        CoapResponse response = await Within(Client.SendAsync(request));
        Assert.True(response.IsNone);
        Assert.Equal(CoapCode.Empty, response.Code);
        Assert.Same(response, response.EnsureSuccess());
        Assert.Equal(1, TakeOne().Type);
        Assert.All(Client.Endpoint.Pipelines[0].Channels.All(),
            channel => Assert.Equal(0, CoAP.NET.Exchanges.ExchangeLayer.PendingOf(channel)), throwIfEmpty: true);
    }

    [Fact]
    public async Task An_unacknowledged_Confirmable_request_with_No_Response_fails()
    {
        Task sending = Client.SendWithoutResponseAsync(new CoapRequest(CoapMethod.Put, "coap://192.0.2.1/a"));
        Clock.Advance(FromSeconds(100));
        Assert.Equal(CoapTimeoutReason.NotAcknowledged, (await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(sending))).Reason);
    }

    [Fact]
    [Rfc("7967-2.1-5")]
    public async Task A_request_with_partial_No_Response_returns_the_response_or_none_after_its_Timeout()
    {
        Options.Parameters = Options.Parameters with { ProbingRate = double.PositiveInfinity };
        CoapRequest request = new(CoapMethod.Put, "coap://192.0.2.1/a") { Confirmable = false, Timeout = FromSeconds(10) };
        Task<CoapResponse> silent = Client.SendAsync(request, NoResponseClasses.Success);
        TakeOne().Hex.Ends("b161d1ea02");
        Clock.Advance(FromSeconds(9));
        Assert.False(silent.IsCompleted);
        Clock.Advance(FromSeconds(2));
        Assert.True((await Within(silent)).IsNone);

        Task<CoapResponse> refused = Client.SendAsync(request, NoResponseClasses.Success);
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"54840001{sent.Token}");
        Assert.Equal(CoapCode.NotFound, (await Within(refused)).Code);

        request = new CoapRequest(CoapMethod.Put, "coap://192.0.2.1/a") { Timeout = FromSeconds(10) };
        Task<CoapResponse> acknowledged = Client.SendAsync(request, NoResponseClasses.Success);
        Transport.Receive(s_server, $"6000{TakeOne().MessageId}");
        Clock.Advance(FromSeconds(11));
        Assert.True((await Within(acknowledged)).IsNone);
    }

    [Fact]
    [Rfc("7967-3.1-1")]
    public async Task The_tokens_of_ten_thousand_requests_with_No_Response_are_unique()
    {
        Options.Parameters = Options.Parameters with { NStart = 65_535, ProbingRate = double.PositiveInfinity };
        CoapRequest request = new(CoapMethod.Put, "coap://192.0.2.1/a") { Confirmable = false };
        HashSet<string> tokens = [];
        for (int i = 0; i < 10_000; i++)
        {
            await Within(Client.SendWithoutResponseAsync(request));
            Assert.True(tokens.Add(TakeOne().Token));
        }
    }

    [Fact]
    [Rfc("7967-3.2-1")]
    public async Task Requests_with_No_Response_to_a_silent_peer_are_spaced()
    {
        CoapRequest request = new(CoapMethod.Put, "coap://192.0.2.1/a") { Confirmable = false };
        await Within(Client.SendWithoutResponseAsync(request));
        int length = TakeOne().Hex.Length / 2;
        Task second = Client.SendWithoutResponseAsync(request);
        Clock.Advance(FromSeconds(2.9));
        Transport.HasSentNothing();
        Assert.False(second.IsCompleted);
        Clock.Advance(FromSeconds(length));
        TakeOne();
        await Within(second);
    }
}
