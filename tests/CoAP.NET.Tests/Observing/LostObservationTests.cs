using CoAP.NET.Tests.Diagnostics;
using CoAP.NET.Tests.Endpoints;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Observing;

/// <summary>What an operator and a program learn of an observation whose server is gone.</summary>
public sealed class LostObservationTests : ClientObserveTest, IDisposable
{
    private readonly EndpointTest.LogCapture _log = new();
    private readonly MetricCapture _metrics = new();

    public LostObservationTests()
    {
        Options.LoggerFactory = _log;
        Options.Telemetry.MeterFactory = _metrics;
        _metrics.Listen();
    }

    public void Dispose() => _metrics.Dispose();

    [Fact]
    public async Task The_first_failure_of_an_outage_raises_StateChanged_even_if_the_state_is_the_same()
    {
        (CoapObservation observation, _) = await RegisterAsync(maxAge: 60);
        await using CoapObservation observed = observation;
        List<(CoapObserveState State, bool HasError)> heard = [];
        observation.StateChanged += (_, state) => heard.Add((state, observation.Error is not null));

        Refuse(NextRequest(FromMinutes(2)).Request);
        Refuse(NextRequest(FromMinutes(2)).Request);
        Assert.Equal(
            [(CoapObserveState.Stale, false), (CoapObserveState.Reregistering, false), (CoapObserveState.Reregistering, true)], heard);

        Answer(NextRequest(FromMinutes(2)).Request, 9, "back", maxAge: 60);
        Assert.Equal((CoapObserveState.Observing, false), heard[^1]);
        Refuse(NextRequest(FromMinutes(2)).Request);
        Assert.Equal((CoapObserveState.Reregistering, true), heard[^1]);
    }

    [Fact]
    public async Task An_active_observation_with_CoapReregistration_Never_is_not_logged_as_lost_before_Max_Age_ends()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(
            maxAge: 60, options: new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.Never });
        await using CoapObservation observed = observation;

        NotifyAcknowledged(registration.Token, 2, "two", maxAge: 60);

        Assert.Equal(CoapObserveState.Observing, observation.State);
        Assert.Empty(Lines(1732));
        Clock.Advance(FromMinutes(3));
        Assert.Single(Lines(1732));
    }

    [Fact]
    public async Task The_loss_of_an_observation_is_logged_once_and_its_return_is_logged_once()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(Uri + "?key=secret");
        Answer(TakeRequest(), 1, "one", maxAge: 60);
        await using CoapObservation observation = await Within(registering);
        Refuse(NextRequest(FromMinutes(2)).Request);
        Refuse(NextRequest(FromMinutes(2)).Request);
        Answer(NextRequest(FromMinutes(2)).Request, 9, "back");

        (LogLevel level, string text) = Assert.Single(Lines(1732));
        Assert.Equal(LogLevel.Warning, level);
        text.Begins($"{Uri} is not observed: Nothing listens at ");
        text.Mentions("without a registration: 1.");
        (level, text) = Assert.Single(Lines(1733));
        Assert.Equal(LogLevel.Information, level);
        text.Begins($"{Uri} is observed again. ");
        text.Mentions("without a registration: 0.");
    }

    [Fact]
    public async Task The_log_names_one_of_many_lost_observations_per_minute_and_their_number()
    {
        List<(CoapObservation Observation, CoapMessage Registration)> all = [];
        for (int i = 0; i < 20; i++)
        {
            all.Add(await RegisterAsync(uri: $"{Uri}/{i}", maxAge: 3600));
        }

        foreach ((CoapObservation _, CoapMessage registration) in all)
        {
            NotifyAcknowledged(registration.Token, 2, "", maxAge: 3600, code: CoapCode.NotFound);
        }

        Assert.Single(Lines(1732)).Text.Mentions("/obs/0 is not observed");
        Assert.Equal(20, Count("reregistering"));
        Clock.Advance(FromSeconds(61));
        (CoapObservation late, CoapMessage last) = await RegisterAsync(uri: $"{Uri}/late", maxAge: 3600);
        NotifyAcknowledged(last.Token, 2, "", maxAge: 3600, code: CoapCode.NotFound);
        Assert.Equal(2, Lines(1732).Count);
        Lines(1732)[1].Text.Mentions("without a registration: 21.");
        foreach (CoapObservation observation in (CoapObservation[])[late, .. all.Select(static one => one.Observation)])
        {
            await observation.DisposeAsync();
        }

        Assert.All(_metrics.Read("coap.client.observations"), static one => Assert.Equal(0, one.Value), throwIfEmpty: true);
    }

    [Fact]
    public async Task The_first_registration_that_fails_is_logged()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);
        Assert.Equal(1, Count("registering"));
        Refuse(TakeRequest());
        await using CoapObservation observation = await Within(registering);
        Assert.Single(Lines(1732));
        Assert.Equal(1, Count("reregistering"));
    }

    [Fact]
    public async Task A_client_that_ends_logs_no_loss()
    {
        (CoapObservation observation, _) = await RegisterAsync();
        await using CoapObservation observed = observation;
        Assert.Equal(1, Count("observing"));
        await Client.DisposeAsync();
        Assert.Equal(CoapObserveState.Failed, observation.State);
        Assert.Empty(Lines(1732));
    }

    [Fact]
    public async Task The_gauge_follows_an_observation_through_its_states()
    {
        (CoapObservation observation, _) = await RegisterAsync(maxAge: 60);
        Assert.Equal((1, 0), (Count("observing"), Count("stale")));
        Clock.Advance(FromSeconds(66));
        while (observation.State == CoapObserveState.Observing)
        {
            Clock.Advance(FromMilliseconds(100));
        }

        Assert.Equal((0, 1), (Count("observing"), Count("stale")));
        Answer(NextRequest(FromMinutes(1)).Request, null, "plain");
        Assert.Equal((0, 1), (Count("stale"), Count("not_observing")));
        Assert.Equal(1, _metrics.Read("coap.client.observations").Sum(static one => one.Value));
        await observation.DisposeAsync();
        Assert.Equal(0, _metrics.Read("coap.client.observations").Sum(static one => one.Value));
    }

    private void Refuse(CoapMessage request) =>
        Transport.Context.PortUnreachable(s_server, DirectTransport.Local, Wire.Hex($"4401{request.MessageId:x4}{request.Token}"));

    private double Count(string state) =>
        Assert.Single(_metrics.Read("coap.client.observations"), one => Equals(one.Tags["coap.observation.state"], state)).Value;

    private List<(LogLevel Level, string Text)> Lines(int id) =>
        [.. _log.Entries.Where(entry => entry.Id == id).Select(static entry => (entry.Level, entry.Text))];
}
