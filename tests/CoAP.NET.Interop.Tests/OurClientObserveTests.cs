using CoAP.NET.Interop.Tests.Peers;

namespace CoAP.NET.Interop.Tests;

/// <summary>CoapClient observes <c>/time</c> of libcoap's server, which changes every second and has a Max-Age of one second.</summary>
public sealed class OurClientObserveTests
{
    [PeerTheory(LibcoapServer.Program)]
    [InlineData("-N", CoapMessageType.NonConfirmable)]
    [InlineData("-e", CoapMessageType.Confirmable)]
    public async Task The_time_is_observed(string argument, CoapMessageType type)
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync(argument);
        await using CoapClient client = new();
        CoapObservation observation = await Within(client.ObserveAsync(server.Uri("/time")));
        Assert.Equal(CoapObserveState.Observing, observation.State);
        List<string> times = [];
        using CancellationTokenSource limit = new(PeerProcess.HangLimit);
        await foreach (CoapResponse response in observation.ReadAllAsync(limit.Token))
        {
            Assert.NotNull(response.Options.Observe);
            Assert.Equal(times.Count == 0 ? CoapMessageType.Acknowledgement : type, response.Message.Type);
            times.Add(response.GetText());
            if (times.Count == 3)
            {
                break;
            }
        }

        Assert.Equal(3, times.Distinct().Count());
        await observation.DisposeAsync();
        Assert.Equal(CoapObserveState.Cancelled, observation.State);
    }

    // libcoap's client does not register again, so there is no such test the other way round.
    [PeerFact(LibcoapServer.Program)]
    public async Task The_observation_comes_back_by_itself_when_the_server_was_restarted()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync();
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = new FastTimeProvider(5) });
        await using CoapObservation observation = await Within(client.ObserveAsync(server.Uri("/time")));

        // The new server knows of no observer; nothing but Max-Age tells that.
        await server.KillAsync();
        await server.StartAgainAsync();
        await ReachAsync(observation, one => one.State == CoapObserveState.Stale);
        CoapResponse last = observation.Latest!;
        await ReachAsync(observation, one => one.State == CoapObserveState.Observing && one.Latest != last);
    }

    [PeerFact(LibcoapServer.Program)]
    public async Task The_observation_comes_back_by_itself_when_the_server_was_away_for_a_while()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync();
        using LogWatch log = new(message => message.Contains("nobody listens", StringComparison.OrdinalIgnoreCase));
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = new FastTimeProvider(5), LoggerFactory = log });
        await using CoapObservation observation = await Within(client.ObserveAsync(server.Uri("/time")));
        await server.KillAsync();

        // At least one registration fails.
        await Within(log.Found);
        CoapResponse last = observation.Latest!;
        await server.StartAgainAsync();
        await ReachAsync(observation, one => one.State == CoapObserveState.Observing && one.Latest != last);
    }

    [Fact]
    public async Task The_observation_comes_back_by_itself_when_a_server_of_our_own_was_restarted()
    {
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = new FastTimeProvider(5) });
        SampleServer before = await SampleServer.StartAsync("samples/Server", "--bind", "coap://127.0.0.1:0");
        string address = before.Uri.OriginalString.TrimEnd('/');
        await using CoapObservation observation = await Within(client.ObserveAsync($"{address}/obs"));
        await before.DisposeAsync();
        await using SampleServer after = await SampleServer.StartAsync("samples/Server", "--bind", address);
        await ReachAsync(observation, one => one.State is CoapObserveState.Stale or CoapObserveState.Reregistering);
        CoapResponse last = observation.Latest!;
        await ReachAsync(observation, one => one.State == CoapObserveState.Observing && one.Latest != last);
    }

    private static async Task ReachAsync(CoapObservation observation, Predicate<CoapObservation> wanted)
    {
        TaskCompletionSource reached = new(TaskCreationOptions.RunContinuationsAsynchronously);
        void Look()
        {
            if (wanted(observation))
            {
                reached.TrySetResult();
            }
        }

        observation.StateChanged += (_, _) => Look();
        Look();
        await reached.Task.WaitAsync(PeerProcess.HangLimit);
    }

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(PeerProcess.HangLimit);
}
