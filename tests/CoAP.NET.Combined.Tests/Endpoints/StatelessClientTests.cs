using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;
using CoAP.NET.Stateless;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Requests whose state is in their token (RFC 8974 section 3).</summary>
public sealed class StatelessClientTests : RequestingTest
{
    private const string Uri = "coap://192.0.2.9/a";

    private static readonly CoapAddress s_server = CoapAddress.FromIPv4(0xc0000209, 5683);
    private static readonly CoapAddress s_other = CoapAddress.FromIPv4(0xc000020a, 5683);

    private readonly List<(string State, CoapCode Code, TimeSpan Age)> _got = [];
    private ushort _nextId = 1;

    // What is told from each other here shall not wait for its turn.
    public StatelessClientTests() => Options.Parameters = CoapTransmissionParameters.Default with { NStart = 500 };

    [Fact]
    [Rfc("8974-3.2-1", "8974-2.2.2-1")]
    public async Task The_first_request_probes_for_long_tokens_with_state_and_later_requests_keep_no_state()
    {
        using CoapStatelessClient client = await BeginAsync();
        Assert.Equal([("first", CoapCode.Content, TimeSpan.Zero)], _got);
        CoapMessage sent = await SendAsync(client, "second");
        Assert.Equal(StatelessTokens.Overhead + 6, sent.Token.Length);
        Assert.Equal(0, ExchangeLayer.PendingOf(Assert.Single(Client.Endpoint.Pipelines[0].Channels.All())));
        Clock.Advance(FromSeconds(1));
        Answer(sent, CoapMessageType.Acknowledgement, sent.MessageId);
        Assert.Equal(("second", CoapCode.Content, FromSeconds(1)), _got[^1]);
        Wire.Hex(sent.Token.ToArray()).Omits("second");
        Assert.False(sent.Token.ToArray().AsSpan().IndexOf("second"u8) >= 0);
    }

    [Theory]
    [Rfc("8974-3.2-1")]
    [InlineData("70")]
    [InlineData("80")]
    public async Task A_server_without_long_tokens_makes_the_client_keep_requests_and_their_state(string refusal)
    {
        using CoapStatelessClient client = new(Client.Endpoint, Take);
        Task sending = client.SendAsync(new CoapRequest(CoapMethod.Get, Uri), "state"u8.ToArray());
        CoapMessage probe = TakeOne();
        Assert.True(probe.Token.IsExtended);
        if (refusal == "70")
        {
            Transport.Receive(s_server, $"7000{probe.MessageId:x4}");
        }
        else
        {
            Answer(probe, CoapMessageType.Acknowledgement, probe.MessageId, CoapCode.BadRequest);
        }

        CoapMessage again = await NextAsync();
        Assert.False(again.Token.IsExtended);
        Answer(again, CoapMessageType.Acknowledgement, again.MessageId);
        await sending.WaitAsync(FromMinutes(2));
        Assert.Equal(("state", CoapCode.Content), (_got[^1].State, _got[^1].Code));
    }

    [Theory]
    [Rfc("8974-3.1-1")]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(8)]
    [InlineData(12)]
    [InlineData(-1)]
    public async Task A_token_with_a_changed_bit_is_refused(int index)
    {
        using CoapStatelessClient client = await BeginAsync();
        CoapMessage sent = await SendAsync(client, "x");
        byte[] token = sent.Token.ToArray();
        token[index < 0 ? token.Length - 1 : index] ^= 1;
        AssertRejected(new CoapToken(token));
        Assert.Single(_got);

        // The right one is taken still.
        Answer(sent, CoapMessageType.Acknowledgement, sent.MessageId);
        Assert.Equal(2, _got.Count);
    }

    [Fact]
    [Rfc("8974-3.1-1")]
    public async Task A_response_is_accepted_once_in_time_and_only_from_its_peer()
    {
        using CoapStatelessClient client = await BeginAsync(new CoapStatelessOptions { Lifetime = FromSeconds(60) });
        CoapMessage replayed = await SendAsync(client, "1");
        CoapMessage late = await SendAsync(client, "2", confirmable: false);
        CoapMessage elsewhere = await SendAsync(client, "3", confirmable: false);
        Answer(replayed, CoapMessageType.Acknowledgement, replayed.MessageId);
        Assert.Equal(2, _got.Count);
        AssertRejected(replayed.Token);
        AssertRejected(elsewhere.Token, s_other);
        Answer(elsewhere, CoapMessageType.NonConfirmable, 77);
        Assert.Equal(3, _got.Count);
        Clock.Advance(FromSeconds(60.1));
        AssertRejected(late.Token);
        Assert.Equal(3, _got.Count);
    }

    [Fact]
    [Rfc("8974-3.1-1")]
    public async Task Responses_are_accepted_in_any_order_within_the_replay_window()
    {
        using CoapStatelessClient client = await BeginAsync(new CoapStatelessOptions { ReplayWindow = 64 });
        List<CoapToken> tokens = [];
        for (int i = 0; i < 200; i++)
        {
            tokens.Add((await SendAsync(client, $"{i}", confirmable: false)).Token);
        }

        Deliver(tokens[100]);
        Deliver(tokens[199]);
        Assert.Equal(3, _got.Count);
        foreach (CoapToken old in tokens.Take(72).Append(tokens[100]))
        {
            Deliver(old);
        }

        Assert.Equal(3, _got.Count);
        foreach (CoapToken young in tokens.Skip(150))
        {
            Deliver(young);
            Deliver(young);
        }

        Assert.Equal(3 + 49, _got.Count);
    }

    [Fact]
    [Rfc("8974-3.3-1")]
    public async Task A_piggybacked_response_with_a_bad_token_neither_acknowledges_nor_answers()
    {
        using CoapStatelessClient client = await BeginAsync();
        CoapMessage sent = await SendAsync(client, "x");
        Transport.Receive(s_server, $"6145{sent.MessageId:x4}aaff31");
        Clock.Advance(FromMinutes(2));
        Transport.HasSentNothing();
        Assert.Single(_got);
    }

    [Fact]
    [Rfc("8974-3.3-1")]
    public async Task A_bad_token_gets_a_Reset_in_a_Confirmable_response_and_is_ignored_in_a_Non_confirmable()
    {
        using CoapStatelessClient client = await BeginAsync();
        CoapMessage sent = await SendAsync(client, "x");
        AssertRejected(new CoapToken(new byte[sent.Token.Length]));
        Transport.Receive(s_server, "51450102aaff31");
        Transport.HasSentNothing();
        Assert.Single(_got);
    }

    [Fact]
    public async Task A_separate_response_is_acknowledged_even_when_the_response_handler_throws()
    {
        using CoapStatelessClient client = await BeginAsync();
        CoapMessage sent = await SendAsync(client, "throw");
        Transport.Receive(s_server, $"6000{sent.MessageId:x4}");
        Answer(sent, CoapMessageType.Confirmable, 0x4242);
        Transport.HasSent("60004242");
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public async Task A_disposed_stateless_client_refuses_responses_and_sends_nothing()
    {
        CoapStatelessClient client = await BeginAsync();
        CoapMessage sent = await SendAsync(client, "x", confirmable: false);
        client.Dispose();
        AssertRejected(sent.Token);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => client.SendAsync(new CoapRequest(CoapMethod.Get, Uri), default));
    }

    [Fact]
    public async Task A_stateless_client_refuses_a_request_that_cannot_be_sent()
    {
        using CoapStatelessClient client = await BeginAsync();
        CoapRequest observation = new(CoapMethod.Get, Uri);
        observation.Options.Observe = 0;
        await Assert.ThrowsAsync<ArgumentException>(() => client.SendAsync(observation, default));
        await Assert.ThrowsAsync<ArgumentException>(() => client.SendAsync(new CoapRequest(CoapMethod.Get, Uri), new byte[70_000]));
        await Failure.OfAsync(CoapError.TooLarge, () => client.SendAsync(new CoapRequest(CoapMethod.Get, Uri), new byte[1200]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapStatelessOptions { ReplayWindow = 63 });
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapStatelessOptions { Lifetime = TimeSpan.Zero });
        Assert.Equal(34, CoapStatelessClient.MaxStateLength(64));
    }

    // With the first exchange over, from which on the peer is known to understand long tokens.
    private async Task<CoapStatelessClient> BeginAsync(CoapStatelessOptions? options = null)
    {
        CoapStatelessClient client = new(Client.Endpoint, Take, options);
        Task sending = client.SendAsync(new CoapRequest(CoapMethod.Get, Uri), "first"u8.ToArray());
        CoapMessage probe = TakeOne();
        Assert.True(probe.Token.IsExtended);
        Answer(probe, CoapMessageType.Acknowledgement, probe.MessageId);
        await sending.WaitAsync(FromMinutes(2));
        return client;
    }

    private async Task<CoapMessage> SendAsync(CoapStatelessClient client, string state, bool confirmable = true)
    {
        await client.SendAsync(new CoapRequest(CoapMethod.Get, Uri) { Confirmable = confirmable },
            Encoding.UTF8.GetBytes(state));
        return TakeOne();
    }

    private void Take(CoapStatelessResponse response)
    {
        string state = Encoding.UTF8.GetString(response.State.Span);
        if (state == "throw")
        {
            throw new InvalidOperationException("the application's mistake");
        }

        _got.Add((state, response.Response.Code, response.Age));
    }

    private void AssertRejected(CoapToken token, CoapAddress? from = null)
    {
        Transport.TakeSent();
        CoapMessage message = new(CoapCode.Content) { Type = CoapMessageType.Confirmable, MessageId = 0x0999, Token = token };
        Transport.Receive(from ?? s_server, CoapDatagramSerializer.Default.Serialize(message));
        Transport.HasSent("70000999");
    }

    private void Deliver(CoapToken token)
    {
        CoapMessage message = new(CoapCode.Content) { Type = CoapMessageType.NonConfirmable, MessageId = _nextId++, Token = token };
        Transport.Receive(s_server, CoapDatagramSerializer.Default.Serialize(message));
    }

    private void Answer(CoapMessage request, CoapMessageType type, ushort messageId, CoapCode? code = null)
    {
        CoapMessage message = new(code ?? CoapCode.Content) { Type = type, MessageId = messageId, Token = request.Token };
        Transport.Receive(s_server, CoapDatagramSerializer.Default.Serialize(message));
    }

    private CoapMessage TakeOne() => CoapDatagramSerializer.Default.Deserialize(Wire.Hex(Assert.Single(Transport.TakeSent())).AsSpan());

    // What is sent again comes from another thread.
    private async Task<CoapMessage> NextAsync()
    {
        string[] sent = [];
        await Eventually.IsTrueAsync(() => (sent = Transport.TakeSent()).Length > 0);
        return CoapDatagramSerializer.Default.Deserialize(Wire.Hex(Assert.Single(sent)).AsSpan());
    }
}
