using System.Diagnostics.Metrics;
using CoAP.NET.ResourceDirectory.Telemetry;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>The metrics of a directory. Set COAP_WRITE_DOCS=1 to write their table in docs/telemetry-metrics.md anew.</summary>
[Collection(VirtualTimeCollection.Name)]
public class DirectoryTelemetryTests
{
    private const string Begin = "<!-- metrics of directories: written by a test -->\n";
    private const string End = "<!-- end of metrics of directories -->";

    [Fact]
    public async Task A_meter_reports_the_contents_requests_and_refusals_of_a_directory()
    {
        using Factory factory = new();
        using MeterListener listener = new();
        Dictionary<string, long> values = new(StringComparer.Ordinal);
        listener.InstrumentPublished = (instrument, self) =>
        {
            if (instrument.Meter.Scope == factory)
            {
                self.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
            values[tags.Length == 0 ? instrument.Name : $"{instrument.Name} {tags[0].Value}"] = value);
        listener.Start();
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.MeterFactory = factory);
        string location = await world.RegisterAsync("ep=a&lt=100", "</x>");
        await world.RegisterAsync("ep=b&lt=500", "</x>");
        await world.LinksAsync();

        // The Echo of the last answer went with the lookup.
        await world.PostAsync(location);
        await world.DeleteAsync(location);
        await world.PostAsync("/rd", "</x>");
        await world.GetAsync("/rd-lookup/res?page=1");

        listener.RecordObservableInstruments();

        Assert.Equal(1, values["coap.directory.endpoints"]);
        Assert.Equal(1, values["coap.directory.held"]);
        Assert.Equal(world.Directory.GetCounters().Bytes, values["coap.directory.bytes"]);
        Assert.Equal(2, values["coap.directory.requests register"]);
        Assert.Equal(1, values["coap.directory.requests update"]);
        Assert.Equal(1, values["coap.directory.requests remove"]);
        Assert.Equal(2, values["coap.directory.requests look_up"]);
        Assert.Equal(2, values["coap.directory.refusals request"]);
        Assert.Equal(1, values["coap.directory.refusals challenge"]);
        Assert.Equal(DirectoryInstrument.All.Sum(each => Math.Max(1, each.Values.Length)), values.Count);
    }

    [Fact]
    public void The_table_of_metrics_matches_the_code()
    {
        StringBuilder table = new("| Name | Instrument | Unit | What | Own tags |\n|---|---|---|---|---|\n");
        foreach (DirectoryInstrument instrument in DirectoryInstrument.All)
        {
            string tags = instrument.Tag is null ? string.Empty : $"`{instrument.Tag}`: {string.Join(", ", instrument.Values)} ";
            string kind = instrument.IsGauge ? "ObservableUpDownCounter" : "ObservableCounter";
            table.Append($"| `{instrument.Name}` | {kind} | {instrument.Unit} | {instrument.Description} | {tags}|\n");
        }

        PageTable.Check("telemetry-metrics.md", Begin, End, table.ToString());
    }

    private sealed class Factory : IMeterFactory
    {
        public Meter Create(MeterOptions options) => new(new MeterOptions(options.Name) { Scope = this });

        public void Dispose()
        {
        }
    }
}
