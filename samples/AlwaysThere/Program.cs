// A device is observed for three weeks, and does each day one of the things that end observations elsewhere: it forgets its observers,
// resets requests, loses power, moves to another address, sends old states. The weeks pass in virtual time, in seconds. Then a device with
// coaps crashes and forgets all sessions, in real time.
using System.Globalization;
using System.Net;
using AlwaysThere;
using CoAP.NET;
using CoAP.NET.Testing;

if (args is ["--device", { } address, { } state])
{
    await SecureDevice.RunAsync(address, state);
    return 0;
}

bool isRight = await ObserveForWeeksAsync(days: 21) & await OutliveSessionsAsync();
Console.WriteLine(isRight ? "the device was always there" : "something is missing above");
return isRight ? 0 : 1;

static async Task<bool> ObserveForWeeksAsync(int days)
{
    VirtualClock clock = new();
    InMemoryNetwork network = new(clock,
        new InMemoryNetworkOptions { Seed = 3, MaxTraceLength = 0, Conditions = new NetworkConditions { Loss = 0.02 } });
    using Device device = new(network, InMemoryNetwork.Address("192.0.2.7:5683"), clock);
    CoapEndpointOptions options = new()
    {
        TimeProvider = clock,
        Pipeline = { Random = new VirtualRandom(3), Scheduler = new VirtualScheduler(clock) },

        // What a name server does: the device has one name and, in time, several addresses.
        Transports = { ResolveHost = (_, _) => Task.FromResult<IPAddress[]>([device.Address.ToIPAddress()]) },
    };
    await using CoapClient client = new(options);
    client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.1:40000")));

    int seen = -1;
    long seenAt = 0;
    TimeSpan silence = TimeSpan.Zero;
    bool wentBack = false;
    CoapResponse? last = null;
    Task<CoapObservation> registering = client.ObserveAsync("coap://filter.example/status");
    await using CoapObservation observation = await clock.AdvanceUntilAsync(registering, TimeSpan.FromMinutes(5));

    bool isRight = true;
    Quirk[] quirks = Enum.GetValues<Quirk>();
    for (int day = 1; day <= days; day++)
    {
        Quirk quirk = quirks[day % quirks.Length];
        int registrations = device.Registrations;
        silence = TimeSpan.Zero;
        device.Have(quirk);
        for (int minute = 0; minute < 24 * 60; minute++)
        {
            clock.Advance(TimeSpan.FromMinutes(1));
            Look();
        }

        // A value that changed just now may still be on its way.
        bool isThere = device.Value - seen <= 1 && !wentBack;
        isRight &= isThere;
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"day {day,2}  {quirk,-20}  longest silence {silence.TotalHours,4:0.0} h, registered {device.Registrations - registrations,2} "
                + $"times, {observation.State}{(isThere ? string.Empty : $": the device says {device.Value}, the client {seen}")}"));
    }

    return isRight;

    void Look()
    {
        if (observation.Latest is not { } response || response == last || response.Code != CoapCode.Content)
        {
            return;
        }

        // A state that was there before is no news; an older one would be wrong.
        last = response;
        int value = int.Parse(response.GetText(), CultureInfo.InvariantCulture);
        wentBack |= value < seen;
        seen = value;
        silence = seenAt == 0 ? TimeSpan.Zero : TimeSpan.FromTicks(Math.Max(silence.Ticks, clock.GetElapsedTime(seenAt).Ticks));
        seenAt = clock.GetTimestamp();
    }
}

static async Task<bool> OutliveSessionsAsync()
{
    if (!CoAP.NET.Dtls.CoapDtls.IsSupported)
    {
        Console.WriteLine("coaps needs a processor with AES instructions, or OpenSSL on Linux: the second part is left out.");
        return true;
    }

    using CancellationTokenSource guard = new(TimeSpan.FromMinutes(5));
    using SecureDevice first = await SecureDevice.StartAsync("coaps://127.0.0.1:0", "before");
    await using CoapClient client = SecureDevice.NewClient();
    await using CoapObservation observation = await client.ObserveAsync(new CoapUri(first.Address).Resolve("/status"), guard.Token);
    SecureDevice? second = null;
    try
    {
        await foreach (CoapResponse response in observation.ReadAllAsync(guard.Token))
        {
            if (response.GetText() == "after")
            {
                Console.WriteLine(
                    "coaps    the device crashed and forgot all sessions and observers: the client made a new handshake and registered "
                        + "again");
                return true;
            }

            if (second is null)
            {
                // The same address and port, and nothing remembered: no alert tells the client.
                first.Crash();
                second = await SecureDevice.StartAsync(first.Address, "after");
            }
        }
    }
    catch (OperationCanceledException)
    {
        Console.Error.WriteLine($"The observation did not come back: {observation}");
    }
    finally
    {
        second?.Dispose();
    }

    return false;
}
