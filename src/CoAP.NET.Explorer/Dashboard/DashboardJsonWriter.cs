using System.Globalization;
using System.Text.Json.Nodes;
using CoAP.NET.Diagnostics;
using CoAP.NET.Explorer.Decoding;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>Figures for the page: times in milliseconds since 1970, latency in seconds.</summary>
internal static class DashboardJsonWriter
{
    private static readonly (string Name, Func<DashboardSample, double?> Read)[] s_columns =
    [
        ("time", static sample => sample.Time.ToUnixTimeMilliseconds()),
        ("requests", static sample => sample.Requests),
        ("success", static sample => sample.Answers.Success),
        ("clientError", static sample => sample.Answers.ClientError),
        ("serverError", static sample => sample.Answers.ServerError),
        ("p50", static sample => sample.Latency.Median),
        ("p90", static sample => sample.Latency.Ninety),
        ("p99", static sample => sample.Latency.NinetyNine),
        ("peers", static sample => sample.Peers),
        ("connections", static sample => sample.Connections),
        ("observers", static sample => sample.Observers),
        ("active", static sample => sample.ActiveRequests),
        ("retransmissions", static sample => sample.Retransmissions),
        ("duplicates", static sample => sample.Duplicates),
        ("drops", static sample => sample.Drops),
        ("refusals", static sample => sample.Refusals),
        ("notifications", static sample => sample.Notifications),
        ("bytesReceived", static sample => sample.BytesReceived),
        ("bytesSent", static sample => sample.BytesSent),
    ];

    /// <summary>Returns the first event: the server, the allowed calls, and the last 15 minutes, column by column.</summary>
    public static JsonObject HistoryOf(CoapEndpoint endpoint, CoapDashboardOptions options, DashboardSample[] samples) => new()
    {
        ["kind"] = "history",
        ["name"] = endpoint.Name,
        ["listening"] = endpoint.LocalEndpoints.Select(static uri => CoapUri.OriginOf(uri.ToString())).ToJson(),
        ["trace"] = new JsonObject
        {
            ["allowed"] = options.MaxTraces > 0,
            ["seconds"] = options.TraceDuration.TotalSeconds,
            ["messages"] = options.MaxTraceMessages,
            ["payloads"] = options.IncludePayloads,
        },
        ["columns"] = ColumnsOf(read => samples.ToJson(sample => Rounded(read(sample)))),
    };

    /// <summary>Returns the event of each second.</summary>
    public static JsonObject SampleOf(DashboardState state) => new()
    {
        ["kind"] = "sample",
        ["values"] = ColumnsOf(read => Rounded(read(state.Sample))),
        ["measured"] = state.Sample.IsMeasured,
        ["requests"] = state.Counters.Total(CoapCounter.RequestsReceived),
        ["codes"] = CodesOf(state.Answers),
        ["routes"] = RoutesOf(state),
        ["drops"] = CountersOf(CounterHistory.Drops, state.Counters),
        ["refusals"] = CountersOf(CounterHistory.Refusals, state.Counters),
        ["bounds"] = state.Snapshot.Bounds.ToJson(static bound => new JsonObject
        {
            ["name"] = bound.Name,
            ["used"] = bound.Used,
            ["limit"] = bound.Limit,
            ["bytes"] = bound.IsBytes,
        }),
    };

    private static JsonObject ColumnsOf(Func<Func<DashboardSample, double?>, JsonNode?> node) =>
        new(s_columns.Select(column => KeyValuePair.Create(column.Name, node(column.Read))));

    private static JsonArray CodesOf(ResponseMeter answers)
    {
        long[] codes = answers.CodesIn(RouteLatency.Seconds);
        double measured = answers.MeasuredIn(RouteLatency.Seconds);
        return codes.Index().Where(static one => one.Item > 0).ToJson(one =>
        {
            CoapCode code = new((byte)one.Index);
            return new JsonObject
            {
                ["code"] = string.Create(CultureInfo.InvariantCulture, $"{code.Class}.{code.Detail:00}"),
                ["name"] = code.Name,
                ["count"] = one.Item,
                ["rate"] = measured > 0 ? Rounded(one.Item / measured) : 0,
            };
        });
    }

    // Routes with requests, and observed ones without requests.
    private static JsonArray RoutesOf(DashboardState state)
    {
        Dictionary<string, int> observers = new(state.Snapshot.ObservedRoutes, StringComparer.Ordinal);

        JsonArray routes = state.Answers.ByRoute().ToJson(route => new JsonObject
        {
            ["route"] = route.Name,
            ["others"] = route.IsOthers,
            ["count"] = route.Minute.Count,
            ["rate"] = Rounded(route.Rate),
            ["recent"] = LatencyOf(route.Recent),
            ["minute"] = LatencyOf(route.Minute),
            ["observers"] = route.Name is { } name && observers.Remove(name, out int count) ? count : 0,
        });
        foreach ((string name, int count) in observers)
        {
            routes.Add(
                (JsonNode)new JsonObject { ["route"] = name, ["others"] = false, ["count"] = 0, ["rate"] = 0, ["observers"] = count });
        }

        return routes;
    }

    private static JsonArray LatencyOf(LatencyFigures figures) =>
        new[] { figures.Median, figures.Ninety, figures.NinetyNine }.ToJson(static figure => Rounded(figure));

    private static JsonArray CountersOf(IReadOnlyList<CounterRow> some, CounterHistory counters) =>
        some.Where(one => counters.Total(one.Counter) > 0).ToJson(one => new JsonObject
        {
            ["counter"] = one.Counter.ToString(),
            ["reason"] = one.Meaning,
            ["total"] = counters.Total(one.Counter),
            ["minute"] = counters.InMinute(one.Counter),
        });

    // Six places: microseconds of latency.
    private static double? Rounded(double? number) => number is { } value ? Math.Round(value, 6) : null;
}
