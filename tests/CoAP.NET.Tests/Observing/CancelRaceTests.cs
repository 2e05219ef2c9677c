using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Observing;

/// <summary>
/// Observations that come and go while notifications do: in random order on one thread, and on two threads at the same time.
/// </summary>
public sealed class CancelRaceTests : ClientObserveTest
{
    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("7641-3.6-3")]
    public async Task A_cancelled_observation_delivers_nothing_afterwards_and_frees_everything_in_any_race()
    {
        for (int seed = EndpointCampaign.Seed; seed < EndpointCampaign.Seed + 100; seed++)
        {
            await RunAsync(new Random(seed));
        }
    }

    [Fact]
    public async Task Two_threads_may_notify_and_dispose_at_the_same_time()
    {
        for (int round = 0; round < 300; round++)
        {
            bool isDisposed = false;
            int late = 0;
            CoapObservationOptions options = new() { OnNotification = _ => late += Volatile.Read(ref isDisposed) ? 1 : 0 };
            (CoapObservation observation, CoapMessage registration) = await RegisterAsync(options: options);
            using Barrier barrier = new(2);
            Thread notifier = new(() =>
            {
                barrier.SignalAndWait();
                for (uint i = 2; i < 12; i++)
                {
                    Notify(registration.Token, i, $"{i}", confirmable: i % 2 == 0);
                }
            });
            notifier.Start();
            barrier.SignalAndWait();
            await observation.DisposeAsync();
            Assert.True(notifier.Join(FromMinutes(2)));
            Volatile.Write(ref isDisposed, true);
            CoapMessage cancellation = Assert.Single(TakeRequests());
            Assert.Equal(1u, cancellation.Options.Observe);
            ushort id = Notify(registration.Token, 12, "late");
            Transport.HasSent($"7000{id:x4}");
            Assert.Equal(0, late);
            Answer(cancellation, null, "last");
            AssertFreed();
        }

        Assert.Equal(0, Endpoint.Counters[CoapCounter.StageErrors]);
    }

    private async Task RunAsync(Random random)
    {
        List<CoapMessage> requests = [];
        List<CoapToken> tokens = [];
        List<(CoapObservation Observation, bool[] IsDisposed)> observations = [];
        List<Task> begun = [];
        int late = 0;
        uint sequence = 1;
        for (int step = 0; step < 60; step++)
        {
            requests.AddRange(TakeRequests());
            switch (random.Next(6))
            {
                case 0:
                    bool[] isDisposed = [false];
                    Task<CoapObservation> registering = Client.ObserveAsync($"{Uri}/{random.Next(3)}", _ => late += isDisposed[0] ? 1 : 0);
                    begun.Add(AddAsync(registering, isDisposed));
                    break;
                case 1 when Registered() is { Length: > 0 } registered:
                    await DisposeAsync(registered[random.Next(registered.Length)]);
                    break;
                case 2 when requests.Count > 0:
                    CoapMessage request = requests[random.Next(requests.Count)];
                    tokens.Add(request.Token);
                    Answer(request, request.Options.Observe == 0 && random.Next(8) > 0 ? ++sequence : null, $"{step}",
                        maxAge: (uint)random.Next(100));
                    break;
                case 3 when requests.Count > 0:
                    Transport.Receive(s_server,
                        $"{(random.Next(2) == 0 ? "70" : "60")}00{requests[random.Next(requests.Count)].MessageId:x4}");
                    break;
                case 4 when tokens.Count > 0:
                    Notify(tokens[random.Next(tokens.Count)], random.Next(8) > 0 ? ++sequence : null, $"{step}",
                        maxAge: (uint)random.Next(100), confirmable: random.Next(2) == 0);
                    break;
                default:
                    Clock.Advance(FromSeconds(random.Next(60)));
                    break;
            }
        }

        // Registrations that wait end by their time-out at the latest; then all leave.
        for (int i = 0; i < 10; i++)
        {
            Clock.Advance(FromMinutes(10));
        }

        await Within(Task.WhenAll(begun));
        foreach ((CoapObservation Observation, bool[] IsDisposed) observation in Registered())
        {
            await DisposeAsync(observation);
        }

        Clock.Advance(FromMinutes(20));
        Transport.TakeSent();
        Assert.Equal(0, late);
        AssertFreed();
        Assert.Equal(0, Endpoint.Counters[CoapCounter.StageErrors]);

        // They are added where their registration completes, which is another thread.
        (CoapObservation Observation, bool[] IsDisposed)[] Registered()
        {
            lock (observations)
            {
                return [.. observations];
            }
        }

        async Task AddAsync(Task<CoapObservation> registering, bool[] isDisposed)
        {
            CoapObservation observation = await registering;
            lock (observations)
            {
                observations.Add((observation, isDisposed));
            }
        }

        static async Task DisposeAsync((CoapObservation Observation, bool[] IsDisposed) item)
        {
            await item.Observation.DisposeAsync();
            item.IsDisposed[0] = true;
        }
    }
}
