using CoAP.NET.Execution;
using CoAP.NET.Stateless;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Exchanges;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Tokens of stateless clients in several processes with one secret (RFC 8974 section 3), and before and after a
/// restart.</summary>
public sealed class SharedTokenTests
{
    private static readonly CoapAddress s_server = CoapAddress.FromIPv4(0xc0000209, 5683);

    private ushort _nextId = 1;

    [Theory]
    [Rfc("8974-3.1-1")]
    [InlineData(0)]
    [InlineData(-60)]
    [InlineData(60)]
    public async Task A_response_to_a_request_of_another_process_is_accepted_once_with_its_state(int ahead)
    {
        await using Node one = new(1, ahead);
        await using Node other = new(2);
        CoapToken token = await one.SendAsync("state");
        other.Clock.Advance(FromMinutes(2));
        await DeliverAsync(other, token);
        await DeliverAsync(other, token);
        (string state, TimeSpan age) = Assert.Single(other.Got);
        Assert.Equal("state", state);
        Assert.Equal(FromSeconds(120 - ahead), age);
    }

    [Fact]
    public async Task Tokens_of_both_secrets_are_accepted_while_the_secret_is_replaced()
    {
        bool isUsed = true;
        byte[] next = [.. SharedNode.Secret.Reverse()];
        await using Node old = new(1);
        await using Node both = new(2, secret: next, previous: new PreviousSecret(SharedNode.Secret, () => isUsed));
        await using Node latest = new(3, secret: next);
        await DeliverAsync(both, await old.SendAsync("of the old secret"));
        await DeliverAsync(both, await latest.SendAsync("of the new secret"));
        CoapToken before = await both.SendAsync("before");
        await DeliverAsync(old, before);
        await DeliverAsync(latest, before);

        isUsed = false;
        CoapToken after = await both.SendAsync("after");
        await DeliverAsync(old, after);
        await DeliverAsync(latest, after);
        await DeliverAsync(both, after);
        await DeliverAsync(both, before);

        Assert.Equal(["of the old secret", "of the new secret", "after", "before"], both.Got.Select(static got => got.State));
        Assert.Equal("before", Assert.Single(old.Got).State);
        Assert.Equal("after", Assert.Single(latest.Got).State);
    }

    [Fact]
    [Rfc("8974-3.1-1")]
    public async Task Tokens_are_accepted_only_by_processes_with_the_same_secret_and_name()
    {
        await using Node one = new(1);
        await using Node other = new(2);
        await using Node named = new(3, name: "another");
        await using Node stranger = new(4, secret: [.. SharedNode.Secret.Reverse()]);
        foreach (Node node in new[] { one, named, stranger })
        {
            await DeliverAsync(other, await node.SendAsync("x"));
        }

        Assert.Single(other.Got);

        // From elsewhere, and with any bit changed.
        byte[] token = (await one.SendAsync("y")).ToArray();
        await DeliverAsync(other, new CoapToken(token), s_server with { Port = 1 });
        for (int bit = 0; bit < token.Length * 8; bit++)
        {
            byte[] changed = [.. token];
            changed[bit / 8] ^= (byte)(1 << (bit % 8));
            await DeliverAsync(other, new CoapToken(changed));
        }

        Assert.Single(other.Got);
        await DeliverAsync(other, new CoapToken(token));
        Assert.Equal(2, other.Got.Count);
    }

    [Fact]
    [Rfc("8974-3.1-1")]
    public async Task An_expired_token_is_refused_in_every_process_and_tokens_of_two_processes_do_not_collide()
    {
        await using Node one = new(1);
        await using Node other = new(2);
        CoapToken[] tokens = [await one.SendAsync("1"), await one.SendAsync("2"), await other.SendAsync("3")];
        await DeliverAsync(other, tokens[2]);
        await DeliverAsync(other, tokens[1]);
        await DeliverAsync(other, tokens[0]);
        Assert.Equal(["3", "2", "1"], other.Got.Select(static got => got.State));
        CoapToken late = await one.SendAsync("4");
        other.Clock.Advance(FromMinutes(10) + FromSeconds(1));
        await DeliverAsync(other, late);
        Assert.Equal(3, other.Got.Count);
    }

    [Fact]
    public async Task Tokens_are_valid_across_midnight_and_after_a_wall_clock_change()
    {
        DateTimeOffset evening = new(2030, 1, 1, 23, 59, 50, TimeSpan.Zero);
        await using Node one = new(1, start: evening);
        await using Node other = new(2, ahead: 60, start: evening);
        await DeliverAsync(other, await one.SendAsync("1"));
        await DeliverAsync(one, await other.SendAsync("2"));
        CoapToken own = await one.SendAsync("3");
        one.Clock.Advance(FromSeconds(30));
        one.Clock.JumpWallClock(FromHours(-3));
        CoapToken later = await one.SendAsync("4");
        await DeliverAsync(one, own);
        await DeliverAsync(one, later);
        Assert.Equal([("2", TimeSpan.Zero), ("3", FromSeconds(30)), ("4", TimeSpan.Zero)], one.Got);
        Assert.Equal("1", Assert.Single(other.Got).State);
    }

    [Fact]
    public async Task A_second_stateless_client_of_an_endpoint_with_a_shared_secret_needs_a_name()
    {
        await using Node node = new(1);
        Exception refusal =
            Assert.Throws<InvalidOperationException>(() => new CoapStatelessClient(node.Endpoint, static _ => { }));
        refusal.Mentions("CoapStatelessOptions.Name");
        using CoapStatelessClient second = new(node.Endpoint, static _ => { }, new CoapStatelessOptions { Name = "second" });
        Assert.Throws<ArgumentException>(() => new CoapStatelessOptions { Name = new string('x', 65) });
    }

    [Fact]
    public async Task A_token_of_one_process_too_many_is_accepted_after_the_tokens_of_another_process_expire()
    {
        await using Node node = new(1);
        List<Node> others = [];
        try
        {
            for (int i = 0; i < 64; i++)
            {
                others.Add(new Node(10 + i));
                await DeliverAsync(node, await others[i].SendAsync("x"));
            }

            // The node itself is one of the 64.
            Assert.Equal(63, node.Got.Count);
            node.Clock.Advance(FromMinutes(12));
            others[63].Clock.Advance(FromMinutes(12));
            await DeliverAsync(node, await others[63].SendAsync("x"));
            Assert.Equal(64, node.Got.Count);
        }
        finally
        {
            foreach (Node other in others)
            {
                await other.DisposeAsync();
            }
        }
    }

    // A response in a message of its own: those in acknowledgements are known by their Message ID.
    private async Task DeliverAsync(Node node, CoapToken token, CoapAddress? from = null)
    {
        CoapMessage message = new(CoapCode.Content) { Type = CoapMessageType.NonConfirmable, MessageId = _nextId++, Token = token };
        await node.Endpoint.StartAsync();
        node.Transport.Receive(from ?? s_server, CoapDatagramSerializer.Default.Serialize(message));
    }

    private sealed class Node : IAsyncDisposable
    {
        private readonly CoapClient _client;
        private readonly CoapStatelessClient _stateless;
        private bool _isKnown;

        public Node(
            int seed, int ahead = 0, string name = "", byte[]? secret = null, DateTimeOffset? start = null, PreviousSecret? previous = null)
        {
            Clock = new VirtualClock((start ?? SharedNode.Start) + FromSeconds(ahead));
            _client = new CoapClient(new CoapEndpointOptions
            {
                TimeProvider = Clock,
                Pipeline = { Random = new VirtualRandom((ulong)seed) },
                Processes = { SharedSecret = secret ?? SharedNode.Secret, PreviousSecret = previous },
                Parameters = CoapTransmissionParameters.Default with { NStart = 500 },
            });
            _client.Endpoint.AddTransport(Transport);
            _stateless = new CoapStatelessClient(_client.Endpoint,
                response => Got.Add((Encoding.UTF8.GetString(response.State.Span), response.Age)),
                new CoapStatelessOptions { Name = name });
        }

        public VirtualClock Clock { get; }

        public DirectTransport Transport { get; } = new();

        public List<(string State, TimeSpan Age)> Got { get; } = [];

        public CoapEndpoint Endpoint => _client.Endpoint;

        /// <summary>Sends a request and returns its token.</summary>
        public async Task<CoapToken> SendAsync(string state)
        {
            if (!_isKnown)
            {
                // The first request finds out whether the peer understands long tokens.
                Task sending = SendOneAsync("");
                CoapMessage probe = TakeOne();
                CoapMessage answer =
                    new(CoapCode.Content) { Type = CoapMessageType.Acknowledgement, MessageId = probe.MessageId, Token = probe.Token };
                Transport.Receive(s_server, CoapDatagramSerializer.Default.Serialize(answer));
                await sending.WaitAsync(FromMinutes(2));
                Got.RemoveAt(Got.Count - 1);
                _isKnown = true;
            }

            await SendOneAsync(state);
            return TakeOne().Token;
        }

        public ValueTask DisposeAsync()
        {
            _stateless.Dispose();
            return _client.DisposeAsync();
        }

        private Task SendOneAsync(string state) => _stateless.SendAsync(
            new CoapRequest(CoapMethod.Get, "coap://192.0.2.9/a") { Confirmable = state.Length == 0 },
            Encoding.UTF8.GetBytes(state));

        private CoapMessage TakeOne() =>
            CoapDatagramSerializer.Default.Deserialize(Wire.Hex(Assert.Single(Transport.TakeSent())).AsSpan());
    }
}
