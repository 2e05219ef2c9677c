using System.Diagnostics.Metrics;
using CoAP.NET.Diagnostics;
using CoAP.NET.Explorer.Dashboard;
using Microsoft.AspNetCore.Http;

namespace CoAP.NET.Explorer.Tests.Dashboard;

/// <summary>What is measured of a server, and when.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DashboardCollectorTests : IAsyncDisposable
{
    private readonly ServiceProvider _services = new ServiceCollection().AddMetrics().BuildServiceProvider();
    private readonly MeterListener _published = new();
    private readonly List<Instrument> _instruments = [];
    private readonly CoapEndpointPair _pair;
    private readonly CoapDashboardOptions _options = new();
    private DashboardCollector? _collector;

    public DashboardCollectorTests()
    {
        IMeterFactory factory = _services.GetRequiredService<IMeterFactory>();
        _published.InstrumentPublished = (instrument, _) =>
        {
            if (ReferenceEquals(instrument.Meter.Scope, factory))
            {
                _instruments.Add(instrument);
            }
        };
        _pair = new CoapEndpointPair(options =>
        {
            options.Name = "watched";
            options.Telemetry.MeterFactory = factory;
        });
        _published.Start();
    }

    private DashboardCollector Collector => _collector ??= new DashboardCollector(_pair.Server.Endpoint, _options, _pair.Clock);

    public async ValueTask DisposeAsync()
    {
        _collector?.Dispose();
        _published.Dispose();
        await _pair.DisposeAsync();
        await _services.DisposeAsync();
    }

    [Fact]
    public void The_dashboard_collects_measurements_only_while_a_viewer_is_connected()
    {
        using DashboardViewer one = new();
        using DashboardViewer other = new();
        Assert.NotEmpty(_instruments);
        int timers = _pair.Clock.TimerCount;
        Assert.All(_instruments, instrument => Assert.False(instrument.Enabled));
        Assert.False(Collector.IsListening);

        Assert.True(Collector.TryAdd(one.Lines));
        Assert.True(Collector.TryAdd(other.Lines));
        Assert.Equal(["coap.server.request.duration"], _instruments.Where(one => one.Enabled).Select(one => one.Name));
        Assert.Equal(timers + 1, _pair.Clock.TimerCount);

        Collector.Remove(one.Lines);
        Assert.True(Collector.IsListening);

        Collector.Remove(other.Lines);
        Assert.All(_instruments, instrument => Assert.False(instrument.Enabled));
        Assert.False(Collector.IsListening);
        Assert.Equal(timers, _pair.Clock.TimerCount);
    }

    [Fact]
    public async Task A_viewer_gets_the_rate_of_requests_and_of_their_response_codes()
    {
        _pair.Server.MapGet("/good", () => CoapResults.Text("x"));
        await _pair.StartAsync();
        using DashboardViewer viewer = new();
        Collector.TryAdd(viewer.Lines);
        for (int i = 0; i < 6; i++)
        {
            await AskAsync("/good");
        }

        await AskAsync("/missing");
        await AskAsync("/missing");
        _pair.Clock.AdvanceTo(FromSeconds(1));
        _pair.Clock.AdvanceTo(FromSeconds(2));

        JsonElement[] samples = [.. (await viewer.EndAsync()).Skip(1)];
        Assert.Equal(2, samples.Length);
        Assert.Equal(["sample", "sample"], samples.Select(sample => sample.TextOf("kind")));
        JsonElement first = samples[0].GetProperty("values");
        Assert.Equal((8, 6, 2, 0), (Value(first, "requests"), Value(first, "success"), Value(first, "clientError"),
            Value(first, "serverError")));
        JsonElement second = samples[1].GetProperty("values");
        Assert.Equal((0, 0, 0), (Value(second, "requests"), Value(second, "success"), Value(second, "clientError")));
        Assert.Equal([("2.05", 6, 3.0), ("4.04", 2, 1.0)], samples[1].GetProperty("codes").EnumerateArray().Select(code =>
            (code.TextOf("code"), code.GetProperty("count").GetInt32(), code.GetProperty("rate").GetDouble())));
        Assert.Equal(8, samples[1].GetProperty("requests").GetInt64());
    }

    [Fact]
    public async Task Latency_is_reported_by_route_and_not_by_path()
    {
        _pair.Server.MapGet("/slow/{id}", async (CoapRequestContext _) =>
        {
            await Task.Delay(FromMilliseconds(100), _pair.Clock);
            return CoapResults.Text("x");
        });
        _pair.Server.MapGet("/fast", () => CoapResults.Text("x"));
        await _pair.StartAsync();
        using DashboardViewer viewer = new();
        Collector.TryAdd(viewer.Lines);
        await AskAsync("/slow/1");
        await AskAsync("/slow/2");
        await AskAsync("/fast");
        _pair.Clock.AdvanceTo(FromSeconds(1));

        JsonElement[] routes = [.. (await viewer.EndAsync())[^1].GetProperty("routes").EnumerateArray()];
        Assert.Equal([("/slow/{id}", 2), ("/fast", 1)],
            routes.Select(route => (route.TextOf("route"), route.GetProperty("count").GetInt32())));
        Assert.InRange(routes[0].GetProperty("recent")[0].GetDouble(), 0.085, 0.12);
        Assert.InRange(routes[1].GetProperty("recent")[2].GetDouble(), 0, 0.001);
    }

    [Fact]
    public async Task Observers_are_reported_by_route_and_limits_with_their_usage()
    {
        _pair.Server.MapGet("/sensor/{id}", request => CoapResults.Text(request.Route["id"])).Observable();
        await _pair.StartAsync();
        foreach (string id in new[] { "1", "2" })
        {
            await _pair.RunAsync(() => _pair.Client.ObserveAsync(
                new CoapRequest(CoapMethod.Get, CoapEndpointPair.Address + "/sensor/" + id)));
        }

        using DashboardViewer viewer = new();
        Collector.TryAdd(viewer.Lines);
        _pair.Clock.Advance(FromSeconds(1));

        JsonElement sample = (await viewer.EndAsync())[^1];
        Assert.Equal(2, Value(sample.GetProperty("values"), "observers"));
        JsonElement route = Assert.Single(sample.GetProperty("routes").EnumerateArray());
        Assert.Equal(("/sensor/{id}", 2, 0),
            (route.TextOf("route"), route.GetProperty("observers").GetInt32(), route.GetProperty("count").GetInt32()));
        JsonElement bound = Assert.Single(
            sample.GetProperty("bounds").EnumerateArray(), bound => bound.TextOf("name") == "Observe.MaxObservers");
        Assert.Equal((2, new CoapLimits().Observe.MaxObservers, false), (bound.GetProperty("used").GetInt32(),
            bound.GetProperty("limit").GetInt32(), bound.GetProperty("bytes").GetBoolean()));
        Assert.Contains(sample.GetProperty("bounds").EnumerateArray(), bound =>
            bound.TextOf("name") == "Deduplication.Memory" && bound.GetProperty("bytes").GetBoolean());
    }

    [Fact]
    public async Task Dropped_messages_are_reported_by_reason_for_the_last_minute_and_in_total()
    {
        CoapCounters counters = _pair.Server.Counters;
        counters.Add(CoapCounter.FormatErrors, 5);
        using DashboardViewer viewer = new();
        Collector.TryAdd(viewer.Lines);
        counters.Add(CoapCounter.FormatErrors, 2);
        counters.Add(CoapCounter.RequestsLimited, 4);
        counters.Add(CoapCounter.Retransmissions, 3);
        _pair.Clock.Advance(FromSeconds(1));

        JsonElement sample = (await viewer.EndAsync())[^1];
        JsonElement values = sample.GetProperty("values");
        Assert.Equal((2, 4, 3, 0), (Value(values, "drops"), Value(values, "refusals"), Value(values, "retransmissions"),
            Value(values, "duplicates")));
        JsonElement drop = Assert.Single(sample.GetProperty("drops").EnumerateArray());
        Assert.Equal(("FormatErrors", 7, 2),
            (drop.TextOf("counter"), drop.GetProperty("total").GetInt32(), drop.GetProperty("minute").GetInt32()));
        JsonElement refusal = Assert.Single(sample.GetProperty("refusals").EnumerateArray());
        Assert.Equal("rate limit of a route", refusal.TextOf("reason"));
    }

    [Fact]
    public async Task Requests_of_another_endpoint_are_not_counted()
    {
        await using CoapEndpointPair another = new(options => options.Name = "another");
        another.Server.MapGet("/there", () => CoapResults.Text("x"));
        await another.StartAsync();
        using DashboardViewer viewer = new();
        Collector.TryAdd(viewer.Lines);
        await another.RunAsync(() => another.Client.GetAsync(CoapEndpointPair.Address + "/there"));
        _pair.Clock.Advance(FromSeconds(1));

        JsonElement sample = (await viewer.EndAsync())[^1];
        Assert.Empty(sample.GetProperty("routes").EnumerateArray());
        Assert.Empty(sample.GetProperty("codes").EnumerateArray());
    }

    [Fact]
    public async Task A_server_at_full_load_is_measured_in_one_second_of_five()
    {
        Instrument duration = _instruments.Single(one => one.Name == "coap.server.request.duration");
        using DashboardViewer viewer = new();
        Collector.TryAdd(viewer.Lines);
        List<bool> measured = [];
        for (int i = 0; i < 11; i++)
        {
            measured.Add(duration.Enabled);
            _pair.Server.Counters.Add(CoapCounter.RequestsReceived, 30_000);
            _pair.Clock.Advance(FromSeconds(1));
        }

        _pair.Clock.Advance(FromSeconds(1));
        Assert.True(duration.Enabled);

        JsonElement[] samples = [.. (await viewer.EndAsync()).Skip(1)];
        Assert.Equal([true, false, false, false, false, true, false, false, false, false, true], measured);
        Assert.Equal(measured, samples.Take(11).Select(sample => sample.GetProperty("measured").GetBoolean()));
        Assert.All(samples.Take(11), sample => Assert.Equal(30_000, Value(sample.GetProperty("values"), "requests")));
    }

    [Fact]
    public async Task Viewers_of_one_source_leave_places_for_others()
    {
        _options.Endpoint = _pair.Server.Endpoint;
        DashboardPage page = new(_options, _services);
        using CancellationTokenSource closed = new();
        List<(DefaultHttpContext Context, Task Task)> greedy =
            [.. Enumerable.Range(0, 40).Select(i => Open(page, $"2001:db8:0:1{i:x2}::{i}", closed.Token))];
        (DefaultHttpContext Context, Task Task) other = Open(page, "192.0.2.1", closed.Token);
        DefaultHttpContext user = Make("2001:db8:0:101::1", closed.Token);
        user.User = new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "operator")], "test"));
        Task shown = page.ShowAsync(user);

        // One more than half of the sixteen places; the next ones share the rest.
        Assert.Equal(9, greedy.Count(one => !one.Task.IsCompleted));
        Assert.All(greedy.Where(one => one.Task.IsCompleted), one => Assert.Equal(503, one.Context.Response.StatusCode));
        Assert.False(other.Task.IsCompleted);
        Assert.False(shown.IsCompleted);
        Assert.Equal(11, page.Collector.Viewers);

        await closed.CancelAsync();
        await Task.WhenAll([.. greedy.Select(one => one.Task), other.Task, shown]).WaitAsync(FromMinutes(2));
        Assert.Equal(0, page.Collector.Viewers);
        page.Collector.Dispose();
    }

    private static (DefaultHttpContext Context, Task Task) Open(DashboardPage page, string remote, CancellationToken closed)
    {
        DefaultHttpContext context = Make(remote, closed);
        return (context, page.ShowAsync(context));
    }

    private static DefaultHttpContext Make(string remote, CancellationToken closed)
    {
        DefaultHttpContext context = new() { RequestAborted = closed };
        context.Connection.RemoteIpAddress = IPAddress.Parse(remote);
        return context;
    }

    [Fact]
    public async Task A_later_viewer_gets_the_history_of_the_last_15_minutes()
    {
        using DashboardViewer first = new();
        Collector.TryAdd(first.Lines);
        _pair.Clock.Advance(FromSeconds(1000));
        using DashboardViewer second = new();
        Collector.TryAdd(second.Lines);
        Assert.Equal(900, Times(await second.EndAsync()).Length);

        Collector.Remove(first.Lines);
        Collector.Remove(second.Lines);
        _pair.Clock.Advance(FromMinutes(10));
        using DashboardViewer third = new();
        Collector.TryAdd(third.Lines);
        double[] kept = Times(await third.EndAsync());
        Assert.InRange(kept.Length, 299, 301);
        Assert.True(kept[0] >= (_pair.Clock.GetUtcNow() - FromMinutes(15)).ToUnixTimeMilliseconds());

        Collector.Remove(third.Lines);
        _pair.Clock.Advance(FromMinutes(16));
        using DashboardViewer fourth = new();
        Collector.TryAdd(fourth.Lines);
        Assert.Empty(Times(await fourth.EndAsync()));
    }

    [Fact]
    public async Task A_stopping_application_ends_all_viewers_and_refuses_new_ones()
    {
        using DashboardViewer viewer = new();
        using DashboardViewer late = new();
        Collector.TryAdd(viewer.Lines);

        Collector.Dispose();

        await viewer.Lines.SendAsync(); // ends by itself
        Assert.False(Collector.IsListening);
        Assert.False(Collector.TryAdd(late.Lines));
    }

    private static double Value(JsonElement values, string name) => values.GetProperty(name).GetDouble();

    private static double[] Times(JsonElement[] events) =>
        [.. events[0].GetProperty("columns").GetProperty("time").EnumerateArray().Select(time => time.GetDouble())];

    private Task<CoapResponse> AskAsync(string path) => _pair.RunAsync(() => _pair.Client.GetAsync(CoapEndpointPair.Address + path));
}
