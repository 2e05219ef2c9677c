using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Observing;

public sealed class ScaleTests(ITestOutputHelper output) : ClientObserveTest
{
    private const int Peers = 100;

    private static readonly int s_count = Campaign.Rounds(20_000);

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task Observations_by_the_ten_thousand_are_made_notified_and_freed()
    {
        Options.Transports.Shards = 2;
        Dictionary<CoapToken, CoapAddress> tokens = new(s_count);
        bool isOn = true;
        Transport.OnSent = (remote, bytes) =>
        {
            if (isOn && bytes[1] == 1)
            {
                CoapMessage request = Read(Wire.Hex(bytes));
                bool registers = request.Options.Observe == 0;
                tokens[request.Token] = remote;
                Answer(request, registers ? 1u : null, "x", maxAge: 100_000, from: remote);
            }
        };
        List<CoapObservation> observations = new(s_count);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        int calls = 0;
        for (int i = 0; i < s_count; i++)
        {
            Task<CoapObservation> registering = Client.ObserveAsync($"coap://192.0.2.{1 + (i % Peers)}/{i}", _ => calls++);
            Assert.True(registering.IsCompletedSuccessfully);
            observations.Add(await registering);
            if (i % 1000 == 0)
            {
                Transport.TakeAll();
            }
        }

        Transport.TakeAll();
        output.WriteLine($"{(GC.GetTotalMemory(forceFullCollection: true) - before) / s_count} B for each observation, if nothing else ran");
        Assert.All(observations, static observation => Assert.Equal(CoapObserveState.Observing, observation.State));
        Assert.Equal((s_count, s_count, s_count), (Endpoint.Observed.Count, Endpoint.Observed.Registrations, StandingRequests));
        Assert.True(Timers >= s_count);
        Assert.True(Clock.TimerCount <= 4);
        foreach ((CoapToken token, CoapAddress remote) in tokens)
        {
            Notify(token, 2, "y", confirmable: false, from: remote);
        }

        // A token is unique towards one peer only, so a few of these may have come to two.
        Assert.InRange(calls, (2 * s_count) - 10, 2 * s_count);
        foreach (CoapObservation observation in observations)
        {
            await observation.DisposeAsync();
        }

        AssertFreed();
        isOn = false;
        Clock.Advance(FromMinutes(10));
        Assert.Equal(0, Timers);
        Assert.Equal(0, Endpoint.Counters[CoapCounter.StageErrors]);
    }
}
