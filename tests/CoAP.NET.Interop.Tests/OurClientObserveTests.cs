namespace CoAP.NET.Interop.Tests;

/// <summary>CoapClient observes <c>/time</c> of libcoap's server, which changes every second and has a Max-Age of one second.</summary>
public sealed class OurClientObserveTests
{
    [Theory]
    [External(LibcoapServer.Program)]
    [InlineData("-N", CoapMessageType.NonConfirmable)]
    [InlineData("-e", CoapMessageType.Confirmable)]
    public async Task A_client_observes_the_time_resource(string argument, CoapMessageType type)
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync(argument);
        await using CoapClient client = new();
        CoapObservation observation = await Within(client.ObserveAsync(server.Uri("/time")));

        // Max-Age is one second, so that it may be stale for a moment.
        Assert.NotEqual(CoapObserveState.NotObserving, observation.State);
        List<string> times = [];
        List<CoapMessageType> types = [];
        using CancellationTokenSource limit = new(PeerProcess.HangLimit);
        await foreach (CoapResponse response in observation.ReadAllAsync(limit.Token))
        {
            Assert.NotNull(response.Options.Observe);
            types.Add(response.Message.Type);
            times.Add(response.GetText());
            if (times.Distinct().Count() == 3)
            {
                break;
            }
        }

        // The first may be the answer to the registration, and with -N every fifth is Confirmable.
        Assert.Contains(type, types);
        await observation.DisposeAsync();
        Assert.Equal(CoapObserveState.Cancelled, observation.State);
    }

    // libcoap's client does not register again, so there is no such test the other way round.
    [Fact]
    [External(LibcoapServer.Program)]
    public async Task An_observation_recovers_by_itself_after_a_restart_of_the_libcoap_server()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync();
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = new FastTimeProvider(5) });
        await using CoapObservation observation = await Within(client.ObserveAsync(server.Uri("/time")));

        // The new server knows of no observer; nothing but Max-Age tells that.
        await server.KillAsync();
        CoapResponse last = observation.Latest!;
        await server.StartAgainAsync();
        await ComesBackAsync(observation, last);
    }

    [Fact]
    [External(LibcoapServer.Program)]
    public async Task An_observation_recovers_by_itself_after_the_libcoap_server_was_unreachable()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync();
        using LogWatch log = new(message => message.Contains("nothing listens", StringComparison.OrdinalIgnoreCase));
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = new FastTimeProvider(5), LoggerFactory = log });
        await using CoapObservation observation = await Within(client.ObserveAsync(server.Uri("/time")));
        await server.KillAsync();

        // At least one registration fails.
        await Within(log.Found);
        CoapResponse last = observation.Latest!;
        await server.StartAgainAsync();
        await ComesBackAsync(observation, last);
    }

    [Fact]
    public async Task An_observation_recovers_by_itself_after_a_restart_of_the_sample_server()
    {
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = new FastTimeProvider(5) });
        SampleServer before = await SampleServer.StartAsync("samples/Server", "--bind", "coap://127.0.0.1:0");
        string address = before.Uri.OriginalString.TrimEnd('/');
        await using CoapObservation observation = await Within(client.ObserveAsync($"{address}/obs"));
        await before.DisposeAsync();
        CoapResponse last = observation.Latest!;
        await using SampleServer after = await SampleServer.StartAsync("samples/Server", "--bind", address);
        await ComesBackAsync(observation, last);
    }

    // What came last from the server before may still be on its way. The state of the one after it is seen for a moment again and again.
    private static Task ComesBackAsync(CoapObservation observation, CoapResponse last) =>
        Eventually.IsTrueAsync(() => observation.State == CoapObserveState.Observing && observation.Latest != last);
}
