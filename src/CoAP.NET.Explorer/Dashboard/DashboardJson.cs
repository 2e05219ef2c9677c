using System.Globalization;
using System.Text.Json;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>Writes figures for the page: times in milliseconds since 1970, latency in seconds.</summary>
internal static class DashboardJson
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

    /// <summary>Writes the first event: the server, the allowed calls, and the last 15 minutes, column by column.</summary>
    public static void WriteHistory(Utf8JsonWriter json, CoapEndpoint endpoint, CoapDashboardOptions options, DashboardSample[] samples)
    {
        json.WriteString("kind", "history");
        json.WriteString("name", endpoint.Name);
        json.WriteStartArray("listening");
        foreach (string uri in endpoint.LocalEndpoints)
        {
            json.WriteStringValue(uri);
        }

        json.WriteEndArray();
        json.WriteStartObject("trace");
        json.WriteBoolean("allowed", options.MaxTraces > 0);
        json.WriteNumber("seconds", options.TraceDuration.TotalSeconds);
        json.WriteNumber("messages", options.MaxTraceMessages);
        json.WriteBoolean("payloads", options.IncludePayloads);
        json.WriteEndObject();
        json.WriteStartObject("columns");
        foreach ((string name, Func<DashboardSample, double?> read) in s_columns)
        {
            json.WriteStartArray(name);
            foreach (DashboardSample sample in samples)
            {
                WriteValue(json, read(sample));
            }

            json.WriteEndArray();
        }

        json.WriteEndObject();
    }

    /// <summary>Writes the event of each second.</summary>
    public static void WriteSample(Utf8JsonWriter json, DashboardState state)
    {
        json.WriteString("kind", "sample");
        json.WriteStartObject("values");
        foreach ((string name, Func<DashboardSample, double?> read) in s_columns)
        {
            json.WritePropertyName(name);
            WriteValue(json, read(state.Sample));
        }

        json.WriteEndObject();
        json.WriteBoolean("measured", state.Sample.IsMeasured);
        json.WriteNumber("requests", state.Counters.Total(CoapCounter.RequestsReceived));
        WriteCodes(json, state.Answers);
        WriteRoutes(json, state);
        WriteCounters(json, "drops", CounterHistory.Drops, state.Counters);
        WriteCounters(json, "refusals", CounterHistory.Refusals, state.Counters);
        json.WriteStartArray("bounds");
        foreach (CoapBoundSnapshot bound in state.Snapshot.Bounds)
        {
            json.WriteStartObject();
            json.WriteString("name", bound.Name);
            json.WriteNumber("used", bound.Used);
            json.WriteNumber("limit", bound.Limit);
            json.WriteBoolean("bytes", bound.IsBytes);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteCodes(Utf8JsonWriter json, AnswerMeter answers)
    {
        long[] codes = answers.CodesIn(RouteLatency.Seconds);
        double measured = answers.MeasuredIn(RouteLatency.Seconds);
        json.WriteStartArray("codes");
        for (int i = 0; i < codes.Length; i++)
        {
            if (codes[i] > 0)
            {
                CoapCode code = new((byte)i);
                json.WriteStartObject();
                json.WriteString("code", string.Create(CultureInfo.InvariantCulture, $"{code.Class}.{code.Detail:00}"));
                json.WriteString("name", code.Name);
                json.WriteNumber("count", codes[i]);
                json.WriteNumber("rate", measured > 0 ? Rounded(codes[i] / measured) : 0);
                json.WriteEndObject();
            }
        }

        json.WriteEndArray();
    }

    // Routes with requests, and observed ones without requests.
    private static void WriteRoutes(Utf8JsonWriter json, DashboardState state)
    {
        Dictionary<string, int> observers = new(StringComparer.Ordinal);
        foreach (CoapRouteSnapshot route in state.Snapshot.ObservedRoutes)
        {
            observers[route.Template] = observers.GetValueOrDefault(route.Template) + route.Observers;
        }

        json.WriteStartArray("routes");
        foreach (RouteFigures route in state.Answers.ByRoute())
        {
            json.WriteStartObject();
            json.WriteString("route", route.Name);
            json.WriteBoolean("others", route.IsOthers);
            json.WriteNumber("count", route.Minute.Count);
            json.WriteNumber("rate", Rounded(route.Rate));
            WriteLatency(json, "recent", route.Recent);
            WriteLatency(json, "minute", route.Minute);
            json.WriteNumber("observers", route.Name is { } name && observers.Remove(name, out int count) ? count : 0);
            json.WriteEndObject();
        }

        foreach ((string name, int count) in observers)
        {
            json.WriteStartObject();
            json.WriteString("route", name);
            json.WriteBoolean("others", false);
            json.WriteNumber("count", 0);
            json.WriteNumber("rate", 0);
            json.WriteNumber("observers", count);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteLatency(Utf8JsonWriter json, string name, LatencyFigures figures)
    {
        json.WriteStartArray(name);
        WriteValue(json, figures.Median);
        WriteValue(json, figures.Ninety);
        WriteValue(json, figures.NinetyNine);
        json.WriteEndArray();
    }

    private static void WriteCounters(
        Utf8JsonWriter json, string name, IReadOnlyList<(CoapCounter Counter, string Reason)> some, CounterHistory counters)
    {
        json.WriteStartArray(name);
        foreach ((CoapCounter counter, string reason) in some.Where(one => counters.Total(one.Counter) > 0))
        {
            json.WriteStartObject();
            json.WriteString("counter", counter.ToString());
            json.WriteString("reason", reason);
            json.WriteNumber("total", counters.Total(counter));
            json.WriteNumber("minute", counters.InMinute(counter));
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteValue(Utf8JsonWriter json, double? value)
    {
        if (value is { } number)
        {
            json.WriteNumberValue(Rounded(number));
        }
        else
        {
            json.WriteNullValue();
        }
    }

    // Six places: microseconds of latency.
    private static double Rounded(double number) => Math.Round(number, 6);
}
