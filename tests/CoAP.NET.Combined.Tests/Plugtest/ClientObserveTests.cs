using CoAP.NET.Testing;
using Server;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>
/// TD_COAP_OBS of the ETSI plugtests, our client and our server: what the client makes of it, and what it sends. There is no OBS_03.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ClientObserveTests : IAsyncLifetime
{
    private static readonly TimeSpan s_second = FromSeconds(1);
    private PlugtestBench? _bench;

    private PlugtestBench Bench => _bench!;

    public async ValueTask InitializeAsync() => _bench = await PlugtestBench.CreateAsync(isExact: true);

    public async ValueTask DisposeAsync()
    {
        Assert.Equal(0, Bench.StageErrors);
        await Bench.DisposeAsync();
    }

    [Fact]
    [Rfc("7641-3.5-2", "7641-3.2-1")]
    public async Task OBS_01_Confirmable_notifications_are_acknowledged()
    {
        PlugtestObserver observer = await ObserveAsync("/obs");
        CoapMessage registration = Assert.Single(FromClient());
        Assert.Equal(0u, registration.Options.Observe);
        await Bench.PassAsync(FromSeconds(21));
        Assert.Equal(["change 0", "change 1", "change 2", "change 3", "change 4"],
            observer.Taken.Select(static response => response.GetText()));
        Assert.All(observer.Taken, static response => Assert.Equal(CoapContentFormat.TextPlain, response.ContentFormat));
        CoapMessage[] notifications = [.. FromServer().Where(static message => message.Type == CoapMessageType.Confirmable)];
        Assert.All(notifications, message => Assert.Equal(registration.Token, message.Token));
        Assert.Equal(notifications.Select(static message => message.MessageId), FromClient().Skip(1).Select(Acknowledged));
        Assert.Equal(4, notifications.Length);
    }

    [Fact]
    [Rfc("7641-3.5-2", "7641-3.5-3")]
    public async Task OBS_02_each_Non_confirmable_notification_is_delivered_and_each_Confirmable_one_is_acknowledged()
    {
        PlugtestObserver observer = await ObserveAsync("/obs-non");
        await Bench.PassAsync(FromSeconds(151));
        Assert.Equal(Enumerable.Range(0, 31).Select(static i => $"change {i}"),
            observer.Taken.Select(static response => response.GetText()));
        CoapMessage[] confirmable = [.. FromServer().Where(static message => message.Type == CoapMessageType.Confirmable)];
        Assert.InRange(confirmable.Length, 1, 5);
        Assert.Equal(confirmable.Select(static message => message.MessageId), FromClient().Skip(1).Select(Acknowledged));
    }

    [Fact]
    [Rfc("7641-3.3.1-1", "7641-3.3.1-2", "7641-3.3.1-3")]
    public async Task OBS_04_the_client_registers_again_with_the_same_token_after_a_server_restart()
    {
        PlugtestObserver observer = await ObserveAsync("/obs");
        await Bench.PassAsync(FromSeconds(6));
        await Bench.RestartServerAsync();

        // The last notification came at 5 s and is fresh for 5 s.
        await Bench.UntilAsync(() => observer.Observation!.State == CoapObserveState.Stale);
        Assert.InRange(Bench.Clock.Elapsed.TotalSeconds, 9.9, 10.2);
        await Bench.UntilAsync(() => observer.Observation!.State == CoapObserveState.Observing);
        Assert.InRange(Bench.Clock.Elapsed.TotalSeconds, 15, 25.2);
        CoapMessage[] registrations = [.. FromClient().Where(static message => message.Code.IsRequest)];
        Assert.Equal(2, registrations.Length);
        Assert.Equal(registrations[0].Token, registrations[1].Token);
        Assert.Equal(0u, registrations[1].Options.Observe);
        observer.Text.Begins("change ");
    }

    [Fact]
    [Rfc("7641-4.5-2")]
    public async Task OBS_05_a_client_that_is_cut_off_is_removed_after_four_retransmissions()
    {
        await ObserveAsync("/obs");
        Bench.CutClientOff();
        await Bench.UntilAsync(() => Bench.Observers == 0, FromSeconds(110));

        // One and MAX_RETRANSMIT copies.
        Assert.Equal(5, FromServer().Count(static message => message.Type == CoapMessageType.Confirmable));
    }

    [Fact]
    [Rfc("7641-3.5-1", "7641-3.6-1")]
    public async Task OBS_06_a_restarted_client_rejects_notifications_with_Reset()
    {
        await ObserveAsync("/obs");
        await Bench.RestartClientAsync();
        await Bench.UntilAsync(() => Bench.Observers == 0, FromSeconds(6));
        Assert.Equal(CoapMessageType.Reset, FromClient().Last().Type);
    }

    [Fact]
    [Rfc("7641-3.2-1")]
    public async Task OBS_07_the_client_gets_4_04_for_a_deleted_resource_and_registers_again()
    {
        PlugtestObserver observer = await ObserveAsync("/obs");
        await Bench.AskAsync(PlugtestClient.Request(CoapMethod.Delete, "/obs"));
        await Bench.UntilAsync(() => observer.Code == CoapCode.NotFound, s_second);
        Assert.Equal(CoapObserveState.Reregistering, observer.Observation!.State);
        Assert.Equal(0, Bench.Observers);
        await Bench.UntilAsync(() => observer.Observation.State == CoapObserveState.Observing, FromMinutes(1));
        observer.Text.Begins("change ");
    }

    [Fact]
    [Rfc("7641-3.2-1")]
    public async Task OBS_08_the_client_gets_4_06_for_a_changed_Content_Format_and_registers_again()
    {
        PlugtestObserver observer = await ObserveAsync("/obs");
        CoapRequest put = PlugtestClient.Request(CoapMethod.Put, "/obs");
        put.Content = CoapContent.Text("<test/>", CoapContentFormat.Xml);
        await Bench.AskAsync(put);
        await Bench.UntilAsync(() => observer.Code == CoapCode.NotAcceptable, s_second);
        Assert.Equal(0, Bench.Observers);

        // It is there to be had in the new format.
        await Bench.UntilAsync(() => observer.Observation!.State == CoapObserveState.Observing, FromMinutes(1));
        Assert.Equal((CoapContentFormat.Xml, "<test/>"), (observer.Observation!.Latest!.ContentFormat, observer.Text));
    }

    [Fact]
    [Rfc("7641-4.1-1")]
    public async Task OBS_09_the_client_gets_a_value_that_another_client_has_put()
    {
        PlugtestObserver observer = await ObserveAsync("/obs");
        await Bench.AskAsync(PlugtestClient.Request(CoapMethod.Put, "/obs", "new value"));
        await Bench.UntilAsync(() => observer.Text == "new value", s_second);
        Assert.Equal(1, Bench.Observers);
    }

    [Fact]
    [Rfc("7641-4.1-5")]
    public async Task OBS_10_a_plain_request_does_not_cancel_an_observation()
    {
        PlugtestObserver observer = await ObserveAsync("/obs");
        CoapResponse plain = await Bench.AskAsync(PlugtestClient.Request(CoapMethod.Get, "/obs"));
        plain.Says("change 0");
        CoapMessage[] requests = [.. FromClient()];
        Assert.Equal([0u, null], requests.Select(static request => request.Options.Observe));
        Assert.NotEqual(requests[0].Token, requests[1].Token);
        await Bench.UntilAsync(() => observer.Text == "change 1", FromSeconds(6));
    }

    [Fact]
    [Rfc("7641-3.6-2", "7641-3.6-3")]
    public async Task OBS_12_disposing_an_observation_sends_Observe_1_with_its_token()
    {
        PlugtestObserver observer = await ObserveAsync("/obs");
        await observer.Observation!.DisposeAsync();
        await Bench.UntilAsync(() => Bench.Observers == 0, s_second);
        CoapMessage[] requests = [.. FromClient()];
        Assert.Equal([0u, 1u], requests.Select(static request => request.Options.Observe));
        Assert.Equal(requests[0].Token, requests[1].Token);
        await Bench.PassAsync(FromSeconds(60));
        Assert.Equal(2, FromServer().Count());
        Assert.Single(observer.Taken);
    }

    [Theory]
    [InlineData(null)]
    [InlineData(64)]
    [Rfc("7959-2.6-1", "7959-2.6-2", "7641-3.6-2")]
    public async Task OBS_13_the_client_fetches_the_other_blocks_of_each_notification(int? size)
    {
        PlugtestObserver observer = await ObserveAsync("/obs-large", size);
        for (int i = 0; i < 3; i++)
        {
            string expected = $"change {i}\n{LargeText.Make(2000)}";
            await Bench.UntilAsync(() => observer.Text == expected, FromSeconds(8));
        }

        Assert.Equal(3, observer.Taken.Count);

        // One registration; what asks for the rest has other tokens and no Observe.
        CoapMessage[] requests = [.. FromClient().Where(static message => message.Code.IsRequest)];
        Assert.Equal(0u, requests[0].Options.Observe);
        Assert.All(requests.Skip(1), request =>
        {
            Assert.Null(request.Options.Observe);
            Assert.NotEqual(requests[0].Token, request.Token);
            Assert.NotEqual(0, request.Options.Block2!.Value.Number);
        }, throwIfEmpty: true);
        Assert.All(FromServer().Where(static message => message.Type == CoapMessageType.Confirmable), message =>
        {
            Assert.Equal(requests[0].Token, message.Token);
            Assert.Equal(BlockValue.FromSize(0, true, size ?? 1024), message.Options.Block2);
        });

        // The cancellation is the registration but for Observe.
        Assert.Equal(size is { } wanted ? BlockValue.FromSize(0, false, wanted) : null, requests[0].Options.Block2);
        await observer.Observation!.DisposeAsync();
        await Bench.UntilAsync(() => Bench.Observers == 0, s_second);
        CoapMessage cancellation = FromClient().Last();
        Assert.Equal((1u, requests[0].Options.Block2, requests[0].Token),
            (cancellation.Options.Observe, cancellation.Options.Block2, cancellation.Token));
    }

    [Theory]
    [InlineData(null)]
    [InlineData(64)]
    [Rfc("7959-2.6-2")]
    public async Task OBS_14_the_client_gets_each_notification_complete_although_their_sizes_vary(int? size)
    {
        PlugtestObserver observer = await ObserveAsync("/obs-pumping", size);
        int[] lengths = [1000, 1024, 1025, 2048, 2049, 16, 1000];
        foreach (int length in lengths)
        {
            await Bench.UntilAsync(() => observer.Text == LargeText.Make(length), FromSeconds(8));
        }

        Assert.Equal(lengths, observer.Taken.Select(static response => response.Payload.Length));
    }

    private Task<PlugtestObserver> ObserveAsync(string path, int? blockSize = null)
    {
        CoapRequest request = PlugtestClient.Request(CoapMethod.Get, path);
        request.BlockSize = blockSize;
        return Bench.ObserveAsync(request);
    }

    private static ushort Acknowledged(CoapMessage message)
    {
        Assert.Equal((CoapMessageType.Acknowledgement, CoapCode.Empty), (message.Type, message.Code));
        return message.MessageId;
    }

    private IEnumerable<CoapMessage> FromClient() => Sent(fromClient: true);

    private IEnumerable<CoapMessage> FromServer() => Sent(fromClient: false);

    private IEnumerable<CoapMessage> Sent(bool fromClient) => Bench.Network.Trace
        .Where(happened => happened.Kind == NetworkEventKind.Sent && (happened.To == PlugtestBench.ServerAddress) == fromClient)
        .Select(static happened => CoapDatagramSerializer.Default.Deserialize(happened.Packet!.Data.Span));
}
