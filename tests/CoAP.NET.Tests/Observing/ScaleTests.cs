using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Observing;

public sealed class ScaleTests : ObservationTest
{
    private const int Count = 100_000;

    [Theory]
    [InlineData(10)]
    [InlineData(1000)]
    public async Task A_hundred_thousand_observations_are_made_notified_and_freed(int peers)
    {
        Options.Shards = 2;
        Dictionary<CoapToken, CoapAddress> tokens = new(Count);
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
        List<CoapObservation> observations = new(Count);
        int calls = 0;
        for (int i = 0; i < Count; i++)
        {
            string host = $"192.0.{2 + (i % peers / 250)}.{1 + (i % peers % 250)}";
            Task<CoapObservation> registering = Client.ObserveAsync($"coap://{host}/{i}", _ => calls++);
            Assert.True(registering.IsCompletedSuccessfully);
            observations.Add(await registering);
            if (i % 1000 == 0)
            {
                Transport.TakeAll();
            }
        }

        Assert.All(observations, static observation => Assert.Equal(CoapObserveState.Observing, observation.State));
        Assert.Equal((Count, Count, Count), (Endpoint.Observed.Count, Endpoint.Observed.Registrations, StandingRequests));
        Assert.True(Timers >= Count);
        Assert.True(Clock.TimerCount <= 4);
        foreach ((CoapToken token, CoapAddress remote) in tokens)
        {
            Notify(token, 2, "y", confirmable: false, from: remote);
        }

        // A token is unique towards one peer only, so a few of these may have come to two.
        Assert.InRange(calls, (2 * Count) - 10, 2 * Count);
        foreach (CoapObservation observation in observations)
        {
            await observation.DisposeAsync();
        }

        AssertFreed();
        isOn = false;
        Clock.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal(0, Timers);
        Assert.Equal(0, Endpoint.Counters[CoapCounter.StageErrors]);
    }
}
