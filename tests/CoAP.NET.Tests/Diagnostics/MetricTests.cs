using System.Net;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Diagnostics;

public class MetricTests : EndpointTest
{
    private readonly MetricCapture _metrics = new();

    public MetricTests()
    {
        Options.Telemetry.MeterFactory = _metrics;
        Options.Name = "field";
        Options.Telemetry.Tags.Add(new("site", "north"));
    }

    [Fact]
    public async Task A_served_request_is_measured_with_method_code_and_template_and_never_with_its_path()
    {
        Server.MapGet("/devices/{id}", () => "on");
        _metrics.Listen();
        await StartAsync();
        Exchange("40010001b7646576696365730137");
        Exchange("401f0002b7646576696365730137");
        Exchange("40010003b178");

        List<(double Value, Dictionary<string, object?> Tags)> all = _metrics.Read("coap.server.request.duration");
        Assert.Equal(3, all.Count);
        Assert.All(all, one => Assert.InRange(one.Value, 0, 100));
        Assert.Equal(("GET", "2.05", "/devices/{id}", "udp"),
            (all[0].Tags["coap.request.method"], all[0].Tags["coap.response.code"], all[0].Tags["coap.route"],
                all[0].Tags["network.transport"]));
        Assert.Equal(("field", "north"), (all[0].Tags["coap.endpoint.name"], all[0].Tags["site"]));
        Assert.Equal(("_OTHER", "4.05"), (all[1].Tags["coap.request.method"], all[1].Tags["coap.response.code"]));
        Assert.Equal("4.04", all[2].Tags["coap.response.code"]);
        Assert.DoesNotContain("coap.route", all[2].Tags.Keys);
    }

    [Fact]
    public async Task The_duration_of_a_request_is_measured_from_its_arrival_to_its_response()
    {
        TaskCompletionSource<CoapResult> late = new();
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => late.Task);
        _metrics.Listen();
        await StartAsync();
        Transport.Receive(Peer, "40010001b4736c6f77");
        Assert.Equal(1, Assert.Single(_metrics.Read("coap.server.active_requests")).Value);
        Clock.Advance(FromSeconds(7));
        TaskCompletionSource<bool> sent = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, _) => sent.TrySetResult(true);
        late.SetResult(CoapResults.Text("done"));
        await Within(sent.Task);
        Assert.Equal(7, Assert.Single(_metrics.Read("coap.server.request.duration")).Value, 3);
    }

    [Fact]
    public async Task Counters_are_exported_as_metrics_with_the_drop_reason_as_a_tag()
    {
        Server.MapGet("/", () => "x");
        _metrics.Listen();
        await StartAsync();
        Exchange("40010001");
        Exchange("40010001");
        Transport.Receive(Peer, "40");
        Transport.Receive(Peer, "40010002f0");

        Assert.Equal(1, Value("coap.server.requests"));
        Assert.Equal(1, Value("coap.messages.duplicates"));
        Assert.Equal(1, Value("coap.drops", "coap.drop.reason", "ignored"));
        Assert.Equal(1, Value("coap.drops", "coap.drop.reason", "format_error"));
        Assert.Equal(0, Value("coap.drops", "coap.drop.reason", "kernel"));
        Assert.Equal(4, Value("coap.network.packets", "network.io.direction", "receive"));
        Assert.Equal(14, Value("coap.network.io", "network.io.direction", "receive"));
        Assert.Equal(1, Value("coap.peers"));
        Assert.Equal(0, Value("coap.server.active_requests"));
    }

    [Fact]
    public async Task Metrics_of_endpoints_with_equal_tags_are_summed_and_keep_the_counts_of_closed_endpoints()
    {
        Server.MapGet("/", () => "x");
        _metrics.Listen();
        await StartAsync();
        Exchange("40010001");
        DirectTransport transport = new();
        await using (CoapServer other = new(Options))
        {
            other.Endpoint.AddTransport(transport);
            await other.StartAsync();
            transport.Receive(Peer, "40010001");
            Assert.Equal(2, Value("coap.server.requests"));
            Assert.Equal(2, Value("coap.peers"));
        }

        Assert.Equal(2, Value("coap.server.requests"));
        Assert.Equal(1, Value("coap.peers"));
        await using CoapServer named =
            new(new CoapEndpointOptions { Telemetry = { MeterFactory = _metrics }, Name = "other", TimeProvider = Clock });
        Assert.Equal(2, _metrics.Read("coap.server.requests").Count);
    }

    [Fact]
    public async Task An_outgoing_request_is_measured_with_its_response_code_or_its_error_type()
    {
        _metrics.Listen();
        await StartAsync();
        CoapEndpoint endpoint = Server.Endpoint;
        Transport.OnSent = (_, bytes) =>
            Transport.Receive(Other, $"6{bytes[0] & 15:x}45{Wire.Hex(bytes.AsSpan(2, 2))}{Wire.Hex(bytes.AsSpan(4, bytes[0] & 15))}");
        await Within(endpoint.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.2:40001/a")));
        Transport.OnSent = null;
        using CancellationTokenSource stop = new();
        Task<CoapResponse> second = endpoint.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.2:40001/b"), stop.Token);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(second));

        List<(double Value, Dictionary<string, object?> Tags)> all = _metrics.Read("coap.client.request.duration");
        Assert.Equal(["2.05", null], all.Select(one => one.Tags.GetValueOrDefault("coap.response.code")));
        Assert.Equal([null, "canceled"], all.Select(one => one.Tags.GetValueOrDefault("error.type")));
        Assert.All(all,
            one => Assert.DoesNotContain(one.Tags.Values,
                value => value is IPAddress || value is string text && text.Contains("192.0.2", Ordinal)));
    }

    [Fact]
    public void Counters_are_numbered_without_gaps() =>
        Assert.Equal(Enumerable.Range(0, CoapCounters.Kinds), Enum.GetValues<CoapCounter>().Select(static counter => (int)counter).Order());

    [Fact]
    public void Every_counter_belongs_to_exactly_one_metric()
    {
        CoapCounter[] mapped = [
            .. CounterInstrument.All.SelectMany(static instrument => instrument.Rows).Select(static row => row.Counter)];
        Assert.Equal(mapped.Length, mapped.Distinct().Count());
        Assert.Empty(Enum.GetValues<CoapCounter>().Except(mapped));
        Assert.All(CounterInstrument.All.Where(static instrument => instrument.Tag is not null).SelectMany(static one => one.Rows),
            static row => Assert.False(string.IsNullOrEmpty(row.Value) || string.IsNullOrEmpty(row.Meaning), $"{row}"), throwIfEmpty: true);
        Assert.Equal(
            Enum.GetValues<EndpointGauge>(),
            GaugeInstrument.All.SelectMany(static instrument => instrument.Rows).Select(static row => row.Gauge));
    }

    private double Value(string name, string? tag = null, string? value = null) =>
        Assert.Single(_metrics.Read(name), one => tag is null || Equals(one.Tags[tag], value)).Value;
}
