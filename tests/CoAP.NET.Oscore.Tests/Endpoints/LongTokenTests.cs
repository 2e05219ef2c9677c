using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>Long tokens (RFC 8974) under OSCORE.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class LongTokenTests : IAsyncLifetime
{
    private readonly OscoreWorld _world = new();

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    [Rfc("8974-2.2.2-1")]
    public async Task A_protected_request_does_not_probe_long_tokens_and_uses_them_after_a_plain_request_did()
    {
        // The window is lost, so that the first request of the context is challenged.
        MemoryOscoreStore store = new();
        await using (OscoreContext crashed = await OscoreContext.OpenAsync(OscoreWorld.Parameters("01", ""), store))
        {
            OscoreContext again = await OscoreContext.OpenAsync(OscoreWorld.Parameters("01", ""), store);
            Assert.Equal(OscoreReplayWindowStatus.Lost, again.Window.State);
            int posts = 0;
            CoapServer server = _world.Server(again);
            server.MapPost("/do", _ =>
            {
                posts++;
                return CoapResults.Changed();
            }).RequireOscore();
            server.MapGet("/plain", () => CoapResults.Text("plain"));
            await server.StartAsync();
            CoapClient client = _world.Client(null, options =>
            {
                options.UseOscore(new OscoreContexts().LeavePlain("/plain").Add(OscoreWorld.ServerUri, OscoreWorld.ClientContext()));
                options.Parameters = CoapTransmissionParameters.Default with { ExtendedTokenLength = 20 };
            });

            await _world.SendAsync(client, new CoapRequest(CoapMethod.Post, OscoreWorld.ServerUri + "/do"));
            Assert.All(_world.Wire, message => Assert.InRange(message.Token.Length, 1, 8));
            Assert.Equal((1, 4), (posts, _world.Wire.Count));

            await _world.GetAsync(client, "/plain");
            _world.Wire.Clear();
            await _world.SendAsync(client, new CoapRequest(CoapMethod.Post, OscoreWorld.ServerUri + "/do"));
            Assert.All(_world.Wire, message => Assert.Equal(20, message.Token.Length));
            Assert.Equal(2, posts);
        }
    }

    [Theory]
    [InlineData("80")]
    [InlineData("reset")]
    public async Task A_hop_that_does_not_support_long_tokens_gets_none_in_a_protected_request(string answer)
    {
        CoapClient client = _world.Client(null, options =>
        {
            options.UseOscore(new OscoreContexts().LeavePlain("/plain").Add(OscoreWorld.ServerUri, OscoreWorld.ClientContext()));
            options.Parameters = CoapTransmissionParameters.Default with { ExtendedTokenLength = 20 };
        });
        using ScriptedPeer old = _world.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8::1]:5683"), InMemoryNetwork.Address("[2001:db8::2]:50000"));
        int tooLong = 0;
        old.Responder = received =>
        {
            if ((received.Data.Span[0] & 0x0f) > 8)
            {
                tooLong++;
                if (answer == "reset")
                {
                    old.Reset(received);
                }
                else
                {
                    // 4.00 with the token, of 20 bytes behind the byte with the rest of its length.
                    old.Send([0x6d, 0x80, .. received.Data.Span[2..25]]);
                }
            }
            else
            {
                old.Piggyback(received, CoapCode.Content);
            }

            return true;
        };

        await _world.GetAsync(client, "/plain");
        Assert.Equal(1, tooLong);

        // What came without protection is no answer; the token was a short one all the same.
        await Assert.ThrowsAnyAsync<CoapException>(() => _world.GetAsync(client, "/secret"));
        Assert.Equal(1, tooLong);
    }
}
