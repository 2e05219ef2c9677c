namespace CoAP.NET.Tests.Endpoints;

/// <summary>Whom a client sends to, and what it refuses to send.</summary>
public sealed class ClientTargetTests : ClientTest
{
    [Fact]
    [Rfc("7252-4.2-11")]
    public async Task Port_unreachable_fails_only_the_request_it_quotes()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        Sent sent = TakeOne();
        Transport.Context.PortUnreachable(s_server, DirectTransport.Local, Wire.Hex($"44010000{sent.Token}"));
        Assert.False(request.IsCompleted);
        Transport.Context.PortUnreachable(s_server, DirectTransport.Local, Wire.Hex(sent.Hex));
        await Failure.OfAsync(CoapError.Unreachable, () => Within(request));
    }

    [Fact]
    public async Task The_next_address_of_a_name_is_tried_when_nobody_listens_at_the_first()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://two.example/x");
        (CoapAddress remote, byte[] bytes) = Assert.Single(Transport.TakeAll());
        Assert.Equal(s_stranger, remote);
        TaskCompletionSource<string> second = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, copy) => second.TrySetResult(Wire.Hex(copy));
        Transport.Context.PortUnreachable(remote, DirectTransport.Local, bytes);
        Sent sent = new(await Within(second.Task));
        sent.Hex.Mentions("3b74776f2e6578616d706c65");
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}");
        Assert.Equal(s_server, (await Within(request)).Remote);
    }

    [Fact]
    [Rfc("7252-5.10.2-2")]
    public void Proxy_Uri_is_never_sent_with_Uri_options()
    {
        CoapRequest request = new(CoapMethod.Get, "coap://proxy.example/ignored");
        request.Options.Add(new ProxyUriOption("coap://h/"));
        _ = Client.SendAsync(request);
        TakeOne().Hex.Ends("d916636f61703a2f2f682f");
    }

    [Fact]
    public async Task A_ping_is_answered_by_a_reset()
    {
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1");
        Sent sent = TakeOne();
        Assert.Equal($"4000{sent.MessageId}", sent.Hex);
        Clock.Advance(FromMilliseconds(300));
        Transport.Receive(s_server, $"7000{sent.MessageId}");
        Assert.Equal(FromMilliseconds(300), await Within(ping));
    }

    [Fact]
    [Rfc("7252-4.6-1")]
    public async Task A_message_that_fits_no_datagram_is_refused_before_it_is_sent()
    {
        string query = string.Join('&', Enumerable.Repeat(new string('q', 250), 5));
        CoapException error = await Failure.OfAsync(
            CoapError.TooLarge, () => Within(Client.PutAsync($"coap://192.0.2.1/x?{query}", CoapContent.Binary(new byte[20]))));
        error.Mentions("1152");
        Transport.HasSentNothing();
    }

    [Theory]
    [Rfc("7252-6.1-1", "7252-5.10.1-3")]
    [InlineData("http://host/", typeof(ArgumentException))]
    [InlineData("coap:///x", typeof(CoapFormatException))]
    [InlineData("/relative", typeof(ArgumentException))]
    [InlineData("coap://host/#fragment", typeof(CoapFormatException))]
    public async Task A_URI_that_is_not_an_absolute_CoAP_URI_throws(string uri, Type error) =>
        await Assert.ThrowsAsync(error, () => Within(Client.GetAsync(uri)));

    [Theory]
    [InlineData(CoapMethod.Get, "coap://192.0.2.1:0/x", "port 0")]
    [InlineData((CoapMethod)0x45, "coap://192.0.2.1/x", "2.05")]
    [InlineData((CoapMethod)0x63, "coap://192.0.2.1/x", "3.03")]
    [InlineData((CoapMethod)0, "coap://192.0.2.1/x", "0.00")]
    public async Task A_request_with_port_0_or_an_invalid_method_is_refused_before_sending(CoapMethod method, string uri, string mentioned)
    {
        ArgumentException error = await Assert.ThrowsAsync<ArgumentException>(() => Within(Client.SendAsync(new CoapRequest(method, uri))));
        error.Mentions(mentioned);
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task An_error_about_an_invalid_URI_names_the_URI_once_with_the_problem()
    {
        ArgumentException error = await Assert.ThrowsAsync<ArgumentException>(() => Within(Client.GetAsync("http://host/")));
        error.Message.Begins("'http://host/' is not a CoAP URI: position 0: The scheme 'http'");
        Assert.Equal(0, error.Message.LastIndexOf("'http://host/'", Ordinal));
    }

    [Theory]
    [InlineData("coap://192.0.2.1")]
    [InlineData("coap://192.0.2.1/")]
    [InlineData("coap://192.0.2.1/some/where")]
    public void Discovery_asks_the_host_whatever_path_its_URI_has(string uri)
    {
        _ = Client.DiscoverAsync(uri);
        Sent sent = TakeOne();
        sent.Hex.Ends($"{sent.Token}bb2e77656c6c2d6b6e6f776e04636f72656128");
    }
}
