using CoAP.NET.Errors;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Connections;

// RFC 8323 section 3: requests of a client on connections.
public class ClientRequestTests : ClientConnectionTest
{
    [Fact]
    public async Task A_request_opens_a_connection_and_is_answered_on_it()
    {
        AnswerAll();
        await StartClientAsync();

        CoapResponse response = await Within(Endpoint.GetAsync(Target));

        response.Says("1");
        Assert.Equal(s_first, response.Remote);
        DirectConnection connection = Assert.Single(Streams.OpenedByUs);
        Assert.Equal(s_first, connection.Remote);
    }

    [Fact]
    [Rfc("8323-3.3-2", "8323-3.3-7", "8323-3.3-8")]
    public async Task A_small_request_follows_the_CSM_of_the_client_without_waiting_for_the_CSM_of_the_server()
    {
        ServerCsm = null;
        await StartClientAsync();

        Task<CoapResponse> sent = Endpoint.GetAsync(Target);

        DirectConnection connection = Assert.Single(Streams.OpenedByUs);
        string[] frames = connection.TakeSent();
        Assert.Equal(2, frames.Length);
        Assert.Equal(OurCsm, frames[0]);
        Assert.Equal(1, new Frame(frames[1]).Code);
        connection.Receive(LargeCsm);
        connection.Receive(Content(new Frame(frames[1])));
        await Within(sent);
    }

    [Fact]
    [Rfc("8323-5.3.1-1")]
    public async Task A_large_request_waits_for_the_Max_Message_Size_in_the_CSM_of_the_peer()
    {
        ServerCsm = null;
        await StartClientAsync();

        Task<CoapResponse> sent = Endpoint.PutAsync(Target, CoapContent.Binary(new byte[2000]));

        DirectConnection connection = Assert.Single(Streams.OpenedByUs);
        connection.HasSent(OurCsm);
        Answers = static (_, frame) => frame.Code == 3 ? Reply(frame, "44") : null;
        connection.Receive(LargeCsm);
        await Within(sent).Gives(CoapCode.Changed);
    }

    [Theory]
    [InlineData(true, false, false)]
    [InlineData(false, true, false)]
    [InlineData(true, false, true)]
    [InlineData(false, true, true)]
    public async Task A_forwarded_request_is_not_sent_before_the_CSM_of_the_server(bool isForwarded, bool isOnBehalf, bool observes)
    {
        ServerCsm = null;
        await StartClientAsync();
        CoapRequest request = new(observes ? CoapMethod.Get : CoapMethod.Put, Target)
        {
            IsForwarded = isForwarded,
            OnBehalfOf = isOnBehalf ? default(CoapQuotaSource) : null,
            Content = observes ? null : CoapContent.Text("\r\nFLUSHALL\r\n"),
        };

        Task sent = observes ? Endpoint.ObserveAsync(request) : Endpoint.SendAsync(request);

        DirectConnection connection = Assert.Single(Streams.OpenedByUs);
        connection.HasSent(OurCsm);
        Answers = static (_, frame) => frame.Code is 1 or 3 ? Reply(frame, "44") : null;
        connection.Receive(LargeCsm);
        await Within(sent);
    }

    [Fact]
    public async Task A_large_request_fails_after_the_timeout_when_the_peer_sends_no_CSM()
    {
        ServerCsm = null;
        await StartClientAsync();
        Task<CoapResponse> sent = Endpoint.PutAsync(Target, CoapContent.Binary(new byte[2000]));

        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => PassAsync(sent));

        Assert.Equal(CoapError.TooSlow, error.Error);
        Assert.False(error.IsOutcomeUnknown);
        Assert.Single(Streams.OpenedByUs);
    }

    [Fact]
    public async Task The_timeout_of_a_request_ends_its_wait_for_the_CSM()
    {
        ServerCsm = null;
        await StartClientAsync();
        Task<CoapResponse> sent = Endpoint.SendAsync(
            new CoapRequest(CoapMethod.Put, Target) { Content = CoapContent.Binary(new byte[2000]), Timeout = FromSeconds(3) });

        Clock.Advance(FromSeconds(3));

        CoapTimeoutException error = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(sent));
        Assert.Equal(CoapTimeoutReason.NotSent, error.Reason);
        error.Mentions("coap+tcp://192.0.2.1:5683");
    }

    [Fact]
    [Rfc("8323-8-1")]
    public async Task A_request_to_a_group_is_refused_over_TCP()
    {
        await StartClientAsync();

        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(Endpoint.GetAsync("coap+tcp://224.0.1.187/x")));

        error.Mentions("RFC 8323 section 8");
        Assert.Equal(0, Attempts);
        CoapRequest toGroup = new(CoapMethod.Get, "coap+tcp://224.0.1.187/x") { Confirmable = false };
        Assert.Throws<ArgumentException>(() => Endpoint.SendToGroupAsync(toGroup));
        await Assert.ThrowsAsync<CoapException>(() => Within(Endpoint.ObserveAsync("coap+tcp://[ff02::fd]/x")));
    }

    [Fact]
    [Rfc("8323-8-1")]
    public async Task Requests_with_different_schemes_to_the_same_address_use_different_connections()
    {
        DirectStreamTransport secure = new("coaps+tcp");
        AnswerAll();
        Endpoint.AddTransport(secure);
        secure.Connected = connection => connection.OnSent = hex =>
        {
            if (hex != OurCsm)
            {
                connection.Receive(Content(new Frame(hex), "32"));
            }
            else
            {
                connection.Receive(LargeCsm);
            }
        };
        await StartClientAsync();

        await Within(Endpoint.GetAsync("coap+tcp://192.0.2.1:5684/x")).Says("1");
        await Within(Endpoint.GetAsync("coaps+tcp://192.0.2.1:5684/x")).Says("2");

        Assert.Single(Streams.OpenedByUs);
        Assert.Single(secure.OpenedByUs);
    }

    [Fact]
    [Rfc("8323-8.5-1")]
    public async Task A_Uri_Host_equal_to_the_TLS_server_name_is_omitted_and_another_is_sent()
    {
        DirectStreamTransport secure = new("coaps+tcp");
        AnswerAll();
        await StartClientAsync(secure);

        await Within(Endpoint.GetAsync("coaps+tcp://one.example/x"));

        DirectConnection connection = Assert.Single(secure.OpenedByUs);
        Assert.Equal("one.example", connection.ServerName);
        Assert.Equal("b178", new Frame(connection.TakeSent()[1]).Rest);

        // The same server under another of its names.
        await Within(Assert.Single(Endpoint.ConnectedPeers).GetAsync("coaps+tcp://two.example/x"));

        Assert.Equal("3b" + Convert.ToHexStringLower("two.example"u8) + "8178", new Frame(Assert.Single(connection.TakeSent())).Rest);
    }

    [Fact]
    public async Task Uri_Host_is_sent_on_a_connection_without_TLS()
    {
        AnswerAll();
        await StartClientAsync();

        await Within(Endpoint.GetAsync("coap+tcp://one.example/x"));

        DirectConnection connection = Assert.Single(Streams.OpenedByUs);
        Assert.Null(connection.ServerName);
        Assert.Equal("3b" + Convert.ToHexStringLower("one.example"u8) + "8178", new Frame(connection.TakeSent()[1]).Rest);
    }

    [Fact]
    public async Task A_ping_goes_over_the_connection()
    {
        Answers = static (_, frame) => frame.Code == 0xe2 ? $"0{frame.Token.Length / 2:x}e3{frame.Token}" : null;
        await StartClientAsync();

        await Within(Endpoint.PingAsync("coap+tcp://192.0.2.1"));

        Assert.Single(Streams.OpenedByUs);
    }

    [Fact]
    public async Task A_request_to_a_scheme_without_a_transport_fails_and_the_error_names_the_scheme()
    {
        await StartClientAsync();
        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(Endpoint.GetAsync("coaps://192.0.2.1/x")));
        error.Mentions("coaps");
    }
}
