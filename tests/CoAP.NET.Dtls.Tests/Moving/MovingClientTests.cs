using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>Our client behind a NAT that forgets it.</summary>
public sealed class MovingClientTests
{
    private static readonly TimeSpan s_hangLimit = FromMinutes(2);

    [Fact]
    [Rfc("9146-C-1")]
    public async Task An_observation_continues_after_the_address_of_the_client_changed()
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
                await client.GetAsync($"{nat.Host}/hello").WaitAsync(s_hangLimit).Says("hello");
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

    private static SecureEndpoints Secure() => new(endpoint: options =>
    {
        options.Limits.Peers.TrustedPrefixes.Clear();

        // A copy comes soon, and copies come for minutes: an observer on a busy machine is not given up.
        options.Parameters = CoapTransmissionParameters.Default with { AckTimeout = FromMilliseconds(300), MaxRetransmit = 10 };
    });
}
