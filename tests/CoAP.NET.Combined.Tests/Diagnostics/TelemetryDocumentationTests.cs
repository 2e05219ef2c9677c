using System.Diagnostics.Metrics;
using System.Net;
using System.Text.RegularExpressions;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;
using CoAP.NET.Tracing;

namespace CoAP.NET.Tests.Diagnostics;

/// <summary>docs/telemetry*.md say what the code does. Set COAP_WRITE_DOCS=1 to write the table of metrics anew.</summary>
public sealed partial class TelemetryDocumentationTests : EndpointTest
{
    private const string Begin = "<!-- metrics: written by a test -->\n";
    private const string End = "<!-- end of metrics -->\n";

    private static readonly string s_path = Path.Combine(SourceTree.Root, "docs", "telemetry-metrics.md");

    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("telemetry.md", "Diagnostics", 2);

    [Fact]
    public void The_table_of_metrics_is_that_of_the_code()
    {
        string page = File.ReadAllText(s_path).ReplaceLineEndings("\n");
        int from = page.IndexOf(Begin, Ordinal) + Begin.Length;
        int to = page.IndexOf(End, Ordinal);
        string table = Table();
        if (Environment.GetEnvironmentVariable("COAP_WRITE_DOCS") == "1")
        {
            File.WriteAllText(s_path, page[..from] + table + page[to..]);
        }
        else
        {
            Assert.Equal(table, page[from..to]);
        }
    }

    [Fact]
    public void Every_instrument_of_the_meter_is_in_the_table_with_its_unit()
    {
        using MetricCapture metrics = new();
        Options.Telemetry.MeterFactory = metrics;
        metrics.Listen();
        _ = Server;
        string table = Table();
        Assert.Equal(2 + CounterInstrument.All.Count + GaugeInstrument.All.Count, metrics.Instruments.Count);
        Assert.All(metrics.Instruments,
            instrument => table.Mentions($"| `{instrument.Name}` | {instrument.GetType().Name.Split('`')[0]} | {instrument.Unit} |"));
    }

    [Fact]
    public void Every_tag_of_the_code_is_on_one_of_the_pages()
    {
        string page = File.ReadAllText(s_path) + File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "telemetry.md"));
        string[] tags = [.. typeof(TelemetryTags).GetFields().Where(static field => field.IsLiteral)
            .Select(static field => (string)field.GetRawConstantValue()!)];
        Assert.True(tags.Length > 10);
        Assert.All(tags, tag => page.Mentions($"`{tag}`"));
    }

    // What an exporter for Prometheus makes of the names: '_' for '.', the unit, and what is counted.
    [Theory]
    [InlineData("coap-dashboard.json", 20)]
    [InlineData("monitoring.md", 10)]
    public void Every_name_of_the_queries_is_an_instrument_or_a_tag(string file, int atLeast)
    {
        using MetricCapture metrics = new();
        Options.Telemetry.MeterFactory = metrics;
        metrics.Listen();
        _ = Server;
        IEnumerable<string?> tags = typeof(TelemetryTags).GetFields().Where(static field => field.IsLiteral)
            .Select(static field => (string?)field.GetRawConstantValue())
            .Concat(CounterInstrument.All.Select(static counter => counter.Tag))
            .Concat(GaugeInstrument.All.Select(static gauge => gauge.Tag));
        HashSet<string> known = [.. tags.OfType<string>().Select(static tag => tag.Replace('.', '_'))];
        foreach (Instrument instrument in metrics.Instruments)
        {
            string name = instrument.Name.Replace('.', '_') + instrument.Unit switch { "s" => "_seconds", "By" => "_bytes", _ => "" };
            string kind = instrument.GetType().Name.Split('`')[0];
            known.UnionWith(kind switch
            {
                "Histogram" => [$"{name}_bucket", $"{name}_count", $"{name}_sum"],
                "ObservableCounter" => [$"{name}_total"],
                _ => new[] { name }
            });
        }

        string text = File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "guides", file));
        string[] names = [.. QueriedName().Matches(text).Select(static match => match.Value).Distinct()];
        Assert.InRange(names.Length, atLeast, 100);
        Assert.All(names, name => Assert.Contains(name, known));
    }

    [Fact]
    public async Task A_device_without_responses_is_diagnosed_by_snapshot_and_trace()
    {
        CoapServer server = Server;
        await StartAsync();
        Transport.Receive(Peer, "40010001f0");
        StringWriter console = new();
        CoapDiagnosticSnapshot snapshot = server.Endpoint.GetSnapshot(IPAddress.Parse("192.0.2.1"));
        foreach (CoapPeerSnapshot peer in snapshot.Peers)
        {
            console.WriteLine(
                $"{peer}: last seen {peer.LastSeen:T}, {peer.Outstanding} outstanding, "
                    + $"{peer.Queued} queued, last drop {peer.LastDrop?.Reason}");
        }

        console.ToString().Mentions("last drop FormatErrors");

        string path = Path.GetTempFileName();
        try
        {
            await TraceAsync(server, path);
            Assert.NotEmpty(new PcapngReader(await File.ReadAllBytesAsync(path)).Packets);
        }
        finally
        {
            File.Delete(path);
        }
    }

    private async Task TraceAsync(CoapServer server, string path)
    {
        await using FileStream file = File.Create(path);
        await using CoapTrace trace = server.Endpoint.TraceTo(file,
            new CoapTraceOptions { Peer = new IPEndPoint(IPAddress.Parse("192.0.2.1"), 0) });
        Exchange("40010002");
    }

    // The row of a histogram, with the tags that its measurements have. Other tests measure at the same time, on other threads.
    private static string DurationRow(string instrument, string description, Action<EndpointTelemetry> measure)
    {
        SortedSet<string> tags = new(StringComparer.Ordinal);
        int thread = Environment.CurrentManagedThreadId;
        using MeterListener listener = new()
        {
            InstrumentPublished = (published, listener) =>
            {
                if (published.Name == instrument)
                {
                    listener.EnableMeasurementEvents(published);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((_, _, measured, _) =>
        {
            if (Environment.CurrentManagedThreadId == thread)
            {
                foreach (KeyValuePair<string, object?> tag in measured)
                {
                    tags.Add($"`{tag.Key}`");
                }
            }
        });
        listener.Start();
        measure(EndpointTelemetry.None);
        Assert.NotEmpty(tags);
        return $"| `{instrument}` | Histogram | s | {description} | {string.Join(", ", tags)} |\n";
    }

    private static string Table()
    {
        StringBuilder table = new();
        table.Append("| Name | Instrument | Unit | What | Own tags |\n|---|---|---|---|---|\n");
        table.Append(DurationRow("coap.server.request.duration",
            "How long requests took, from their arrival at the routes to their answer.",
            static telemetry => telemetry.Served(1, 69, "/route", isReliable: false, FromSeconds(1))));
        table.Append(DurationRow("coap.client.request.duration",
            "How long requests of ours took, with retransmissions and all blocks.",
            static telemetry =>
            {
                telemetry.Requested(1, 69, null, isReliable: false, FromSeconds(1));
                telemetry.Requested(1, null, "timeout", isReliable: false, FromSeconds(1));
            }));
        foreach (GaugeInstrument gauge in GaugeInstrument.All)
        {
            string tags = TagsOf(gauge.Tag, gauge.Rows.Select(static row => row.Value));
            table.Append($"| `{gauge.Name}` | ObservableUpDownCounter | {gauge.Unit} | {gauge.Description} | {tags}|\n");
        }

        foreach (CounterInstrument counter in CounterInstrument.All)
        {
            string tags = TagsOf(counter.Tag, counter.Rows.Select(static row => row.Value));
            table.Append($"| `{counter.Name}` | ObservableCounter | {counter.Unit} | {counter.Description} | {tags}|\n");
        }

        table.Append("\nThe values of the tags of counters:\n\n| Name | Value | What it counts |\n|---|---|---|\n");
        foreach (CounterInstrument counter in CounterInstrument.All.Where(static counter => counter.Tag is not null))
        {
            foreach (CounterRow row in counter.Rows)
            {
                table.Append($"| `{counter.Name}` | `{row.Value}` | {row.Meaning} |\n");
            }
        }

        return table.ToString();
    }

    private static string TagsOf(string? name, IEnumerable<string?> values) =>
        name is null ? string.Empty : $"`{name}`: {string.Join(", ", values)} ";

    [GeneratedRegex(@"(?<![\w-])coap_[a-z_]+")]
    private static partial Regex QueriedName();
}
