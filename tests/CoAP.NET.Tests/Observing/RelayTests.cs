using CoAP.NET.Observing.Client;

namespace CoAP.NET.Tests.Observing;

/// <summary>Observations of which somebody else says what comes.</summary>
public sealed class RelayTests
{
    [Fact]
    public async Task A_published_relay_state_reaches_the_observation_until_the_end()
    {
        List<string> heard = [];
        List<CoapObserveState> states = [];
        Relay relay = new(new CoapObservationOptions { OnNotification = response => heard.Add(response.GetText()) });
        CoapObservation observation = relay.Observation;
        observation.StateChanged += (_, state) => states.Add(state);
        Assert.Equal((CoapObserveState.Registering, null, null), (observation.State, observation.Latest, observation.Error));

        relay.Say(CoapObserveState.Observing, "1");
        CoapException why = new("lost");
        relay.Say(CoapObserveState.Reregistering, null, why);
        Assert.Equal(("1", why), (observation.Latest!.GetText(), observation.Error));
        relay.Say(CoapObserveState.Observing, "2");
        Assert.Null(observation.Error);
        relay.Say(CoapObserveState.Failed, null, why, isOver: true);
        relay.Say(CoapObserveState.Observing, "3");

        List<string> read = [];
        Assert.Same(why, await Assert.ThrowsAsync<CoapException>(async () =>
        {
            await foreach (CoapResponse response in observation.ReadAllAsync())
            {
                read.Add(response.GetText());
            }
        }));
        Assert.Equal(["2"], read);
        Assert.Equal(["1", "2"], heard);
        Assert.Equal(
            [CoapObserveState.Observing, CoapObserveState.Reregistering, CoapObserveState.Observing, CoapObserveState.Failed], states);
    }

    [Fact]
    public async Task A_relay_gets_a_single_end_of_its_observation_and_refreshes_on_demand()
    {
        Relay relay = new(null);
        await relay.Observation.RefreshAsync().Says("now");
        Assert.Null(await relay.Observation.ExportAsync());

        await relay.Observation.DisposeAsync();
        relay.Observation.LeaveRegistered();

        Assert.Equal((1, CoapObserveState.Cancelled), (relay.Ends, relay.Observation.State));
        Assert.Equal("lamp: Cancelled", relay.Observation.ToString());
    }

    private sealed class Relay(CoapObservationOptions? options) : CoapObservationRelay("lamp", options)
    {
        public int Ends { get; private set; }

        public void Say(CoapObserveState state, string? text, CoapException? error = null, bool isOver = false) =>
            Publish(state, text is null ? null : Of(text), error, isOver);

        protected override Task<CoapResponse> RefreshAsync() => Task.FromResult(Of("now"));

        protected override void OnEnded() => Ends++;

        private static CoapResponse Of(string text) =>
            CoapResponse.FromMessage(new CoapMessage(CoapCode.Content) { Payload = Encoding.UTF8.GetBytes(text) });
    }
}
