using CoAP.NET.Dtls.Tests.Transport;
using CoAP.NET.Options;

namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>Our client behind a NAT that forgets it.</summary>
public sealed class MovingClientTests
{
    private static readonly TimeSpan s_hangLimit = TimeSpan.FromMinutes(2);

    [Fact]
    [Rfc("9146-C-1", "9146-6-1")]
    public async Task Bodies_go_on_in_their_session_however_often_the_NAT_forgets()
    {
        byte[] body = new byte[20_000];
        new Random(1).NextBytes(body);
        await using SecureEndpoints secure = Secure();
        secure.Server.MapPost("/echo",
            static request => CoapResults.Content(new CoapContent(request.Payload, CoapContentFormat.OctetStream)));
        await secure.StartAsync();
        await using NatRelay nat = new(secure.Endpoint) { RebindsAt = static number => number > 8 && number % 9 == 0 };
        CoapClient client = secure.Client();

        CoapResponse response = await client.PostAsync($"{nat.Host}/echo", new CoapContent(body, CoapContentFormat.OctetStream))
            .WaitAsync(s_hangLimit);

        Assert.Equal(body, response.Payload.ToArray());
        Assert.True(nat.Rebinds >= 2);
        Assert.Equal(nat.Rebinds, secure.Server.Counters[CoapCounter.PeersMoved]);
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
    }

    [Fact]
    [Rfc("9146-C-1")]
    public async Task An_observation_goes_on_where_it_was()
    {
        int state = 0;
        await using SecureEndpoints secure = Secure();
        CoapRouteHandlerBuilder route = secure.Server.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        await secure.StartAsync();
        await using NatRelay nat = new(secure.Endpoint);
        CoapClient client = secure.Client();
        await using CoapObservation observation = await client.ObserveAsync($"{nat.Host}/state").WaitAsync(s_hangLimit);
        using CancellationTokenSource guard = new(s_hangLimit);
        List<string> seen = [];
        await foreach (CoapResponse response in observation.ReadAllAsync(guard.Token))
        {
            seen.Add(response.GetText());
            if (seen.Count == 4)
            {
                break;
            }

            if (seen.Count == 2)
            {
                int next = nat.Carried + 1;
                nat.RebindsAt = number => number == next;

                // Whatever the client says next comes from elsewhere; it need not be a new registration.
                Assert.Equal("hello", (await client.GetAsync($"{nat.Host}/hello").WaitAsync(s_hangLimit)).GetText());
            }

            Volatile.Write(ref state, seen.Count);
            route.Notify();
        }

        Assert.Equal(["0", "1", "2", "3"], seen);
        Assert.Equal(1, nat.Rebinds);
        Assert.Equal(1, secure.Server.Counters[CoapCounter.PeersMoved]);
        Assert.Equal(1, secure.Server.ObserverCount);
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
    }

    private static SecureEndpoints Secure() => new(endpoint: static options =>
    {
        options.TrustedPrefixes.Clear();
        options.Parameters = CoapTransmissionParameters.Default with { AckTimeout = TimeSpan.FromMilliseconds(300) };
    });
}
