using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;
using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Observing;

/// <summary>The snippets of docs/observe.md, so that they compile and do what the page says.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ObserveDocumentationTests : GuideTest
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("observe.md", "Observing", 14);

    [Fact]
    public async Task RefreshAsync_and_error_notifications_work_as_on_the_page()
    {
        server.MapGet("/temperature", () => CoapResults.Text("20 C")).Observable();
        await StartAsync();
        await RunAsync(async () =>
        {
            await using CoapObservation observation = await client.ObserveAsync("coap://[::1]/temperature", cancellationToken);
            CoapResponse now = await observation.RefreshAsync(cancellationToken);
            now.Says("20 C");
            using CancellationTokenSource enough = new();
            await enough.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ShowAsync(observation, enough.Token));
        });

        static async Task ShowAsync(CoapObservation observation, CancellationToken cancellationToken)
        {
            await foreach (CoapResponse change in observation.ReadAllAsync(cancellationToken))
            {
                Console.WriteLine(change.IsSuccess ? change.GetText() : $"not there at the moment: {change.Code}");
            }
        }
    }

    [Fact]
    public async Task A_run_serves_all_observers_of_a_state_that_is_the_same_for_all()
    {
        server.MapGet("/meters/{id}", request => CoapResults.Text($"meter {request.Route["id"]}"))
            .Observable(observe => observe.SameForAll = true);
        await StartAsync();
        await RunAsync(async () =>
        {
            await using CoapObservation observation = await client.ObserveAsync("coap://[::1]/meters/7", cancellationToken);
            observation.Latest!.Says("meter 7");
        });
    }

    [Fact]
    public async Task Resources_are_observed()
    {
        int degrees = 20;
        CoapRouteHandlerBuilder temperature = server.MapGet("/temperature", () => CoapResults.Text($"{degrees} C"))
            .Observable(observe => observe.MaxAge = TimeSpan.FromMinutes(30));
        await StartAsync();
        await RunAsync(async () =>
        {
            degrees++;
            temperature.Notify();
            using CancellationTokenSource enough = new();
            await using CoapObservation ending = await client.ObserveAsync("coap://[::1]/temperature", change =>
            {
                if (change.GetText() == "21 C")
                {
                    enough.Cancel();
                }
            }, cancellationToken);
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ReadAsync(enough.Token));
        });
    }

    private async Task ReadAsync(CancellationToken cancellationToken)
    {
        await using CoapObservation observation = await client.ObserveAsync("coap://[::1]/temperature", cancellationToken);
        await foreach (CoapResponse change in observation.ReadAllAsync(cancellationToken))
        {
            Console.WriteLine($"{observation.State}: {change.GetText()}");
        }
    }

    [Fact]
    public async Task Each_resource_of_a_route_has_limits_of_its_own()
    {
        CoapResourceObserverLimits door = new()
        {
            MaxObservers = 2,
            ConfirmableEvery = TimeSpan.FromMinutes(5),
        };
        server.MapGet("/sensors/{id}", request => CoapResults.Text($"sensor {request.Route["id"]}"))
            .Observable()
            .WithObserverLimits(request => request.Route["id"] == "door" ? door : null);
        await StartAsync();
        await RunAsync(async () =>
        {
            await using CoapObservation observation = await client.ObserveAsync("coap://[::1]/sensors/door", cancellationToken);
            await using CoapObservation other = await client.ObserveAsync("coap://[::1]/sensors/window", cancellationToken);
            Assert.Equal((1, CoapObserveState.Observing), (door.Count, other.State));
        });
    }

    [Fact]
    public async Task Hardware_is_polled_only_while_an_observer_is_registered()
    {
        int reads = 0;
        int reading = 0;
        int ReadHardware() => ++reads;
        TimeProvider time = Clock;
        CoapRouteHandlerBuilder sensor = server.MapGet("/sensor", () => CoapResults.Text($"{reading}")).Observable();
        await using ITimer poll = time.CreateTimer(
            _ =>
            {
                reading = ReadHardware();
                sensor.Notify();
            },
            null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        void Watch(object? sender, CoapObserverChange change)
        {
            TimeSpan period = sensor.ObserverCount > 0 ? TimeSpan.FromSeconds(10) : Timeout.InfiniteTimeSpan;
            poll.Change(period, period);
        }

        sensor.ObserverAdded += Watch;
        sensor.ObserverRemoved += Watch;
        await StartAsync();
        await Clock.AdvanceUntilAsync(Task.Delay(TimeSpan.FromMinutes(1), Clock), max: TimeSpan.FromMinutes(5));
        Assert.Equal(0, reads);
        await RunAsync(async () =>
        {
            await using CoapObservation observation = await client.ObserveAsync("coap://[::1]/sensor", cancellationToken);
            await Task.Delay(TimeSpan.FromMinutes(1), Clock);
            Assert.InRange(reads, 5, 7);
            Assert.Equal(1, sensor.ObserverCount);
        });
        await Clock.AdvanceUntilAsync(Task.Delay(TimeSpan.FromMinutes(1), Clock), max: TimeSpan.FromMinutes(5));
        int before = reads;
        await Clock.AdvanceUntilAsync(Task.Delay(TimeSpan.FromMinutes(1), Clock), max: TimeSpan.FromMinutes(5));
        Assert.Equal((before, 0), (reads, sensor.ObserverCount));
    }

    [Fact]
    public async Task ObserverAdded_can_attach_state_to_an_observer()
    {
        CoapRouteHandlerBuilder sensor = server.MapGet("/sensor", () => CoapResults.Text("21.5")).Observable();
        Delivered? state = null;
        sensor.ObserverAdded += (_, change) => change.State = new Delivered();
        sensor.ObserverAcknowledged += (_, change) => ((Delivered)change.State!).Count++;
        sensor.ObserverRemoved += (_, change) =>
            Console.WriteLine($"{change.Peer}: {((Delivered)change.State!).Count} notifications");
        sensor.ObserverRemoved += (_, change) => state = (Delivered)change.State!;
        await StartAsync();
        await RunAsync(async () =>
        {
            CoapObservation observation = await client.ObserveAsync("coap://[::1]/sensor", cancellationToken);
            sensor.Notify();
            await Task.Delay(TimeSpan.FromMinutes(1), Clock);
            await observation.DisposeAsync();
        });
        await Clock.AdvanceUntilAsync(() => state is not null, TimeSpan.FromMinutes(5));
        Assert.Equal(1, state!.Count);
    }

    [Fact]
    public async Task An_observation_is_exported_and_resumed_by_another_endpoint()
    {
        server.MapGet("/temperature", () => CoapResults.Text("20 C")).Observable();
        await StartAsync();
        await RunAsync(async () =>
        {
            CoapObservation observation = await client.ObserveAsync("coap://[::1]/temperature", cancellationToken);
            CoapExportedObservation? kept = await observation.ExportAsync(cancellationToken);
            Assert.NotNull(kept);
            observation.LeaveRegistered();

            CoapEndpoint endpoint = server.Endpoint;
            CoapObservation resumed;
            using (endpoint.PauseNotifications(TimeSpan.FromSeconds(10)))
            {
                resumed = await endpoint.ResumeObservationAsync(kept, cancellationToken: cancellationToken);
            }

            Assert.Equal(CoapObserveState.Observing, resumed.State);
            resumed.LeaveRegistered();
        });
        Assert.Equal(1, server.Counters[CoapCounter.Registrations]);
    }

    [Fact]
    public async Task An_observation_is_a_Dataflow_source_block()
    {
        server.MapGet("/temperature", () => CoapResults.Text("21.5 C")).Observable();
        await StartAsync();
        await RunAsync(async () =>
        {
            await using CoapObservation observation = await client.ObserveAsync("coap://[::1]/temperature", cancellationToken);
            ActionBlock<CoapResponse> block = new(change => Console.WriteLine(change.GetText()));
            observation.AsSourceBlock().LinkTo(block);
            await observation.DisposeAsync();
            await observation.AsSourceBlock().Completion;
        });
    }

    [Fact]
    public async Task A_single_path_of_a_route_is_notified_and_a_request_with_options_observes()
    {
        server.MapGet("/devices/{id}", request => CoapResults.Text($"device {request.Route["id"]}")).Observable();
        server.Notify("/devices/7");
        server.MapGet("/temperature", () => CoapResults.Bytes("21.5"u8.ToArray(), CoapContentFormat.Json)).Observable();
        await StartAsync();
        await RunAsync(async () =>
        {
            CoapRequest request = new(CoapMethod.Get, "coap://[::1]/temperature") { Accept = CoapContentFormat.Json };
            await using CoapObservation rarely = await client.ObserveAsync(
                request, new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.NotMoreOftenThan(TimeSpan.FromHours(1)) },
                cancellationToken);
            Assert.Equal(CoapObserveState.Observing, rarely.State);
        });
    }

    private sealed class Delivered
    {
        public int Count { get; set; }
    }
}
