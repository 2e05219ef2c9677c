using System.Collections.Concurrent;
using System.Diagnostics;
using CoAP.NET.Tests.Endpoints;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace CoAP.NET.Tests.Diagnostics;

/// <summary>What users collect with gets what the library tells, by the two names alone.</summary>
[Collection(TelemetryCollection.Name)]
public sealed class OpenTelemetryTests : EndpointTest
{
    [Fact]
    public async Task The_SDK_collects_metrics_and_spans_by_name()
    {
        ConcurrentQueue<string> spans = new();
        ConcurrentDictionary<string, long> points = new();
        using MeterProvider metrics = Sdk.CreateMeterProviderBuilder().AddMeter(CoapTelemetry.MeterName)
            .AddReader(new BaseExportingMetricReader(new Exporter<Metric>(metric => points[metric.Name] = Count(metric)))).Build();
        using TracerProvider traces = Sdk.CreateTracerProviderBuilder().AddSource(CoapTelemetry.ActivitySourceName)
            .AddProcessor(new SimpleActivityExportProcessor(new Exporter<Activity>(activity => spans.Enqueue(activity.DisplayName))))
            .Build();
        Options.Name = "sdk";
        Server.MapGet("/t", () => "x");
        await StartAsync();
        Exchange("40010001b174");
        Assert.True(metrics.ForceFlush());
        Assert.Equal(["GET /t"], spans);
        Assert.Equal(1, points["coap.server.request.duration"]);
        Assert.True(points["coap.server.requests"] > 0);
        Assert.True(points["coap.drops"] > 0);
    }

    private static long Count(Metric metric)
    {
        long count = 0;
        foreach (ref readonly MetricPoint _ in metric.GetMetricPoints())
        {
            count++;
        }

        return count;
    }

    private sealed class Exporter<T>(Action<T> see) : BaseExporter<T>
        where T : class
    {
        public override ExportResult Export(in Batch<T> batch)
        {
            foreach (T item in batch)
            {
                see(item);
            }

            return ExportResult.Success;
        }
    }
}
