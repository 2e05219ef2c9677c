using System.Net;
using System.Runtime.CompilerServices;
using System.Text.Json;
using CoAP.NET.Explorer.Pages;
using CoAP.NET.Tracing;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Explorer.Dashboard;

internal sealed class DashboardPage
{
    private const int MaxQuestion = 1024;

    private readonly CoapDashboardOptions _options;
    private readonly IServiceProvider _services;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly CancellationToken _stopping;
    private readonly Lazy<CoapEndpoint> _endpoint;
    private readonly Lazy<DashboardCollector> _collector;
    private int _traces;

    public DashboardPage(CoapDashboardOptions options, IServiceProvider services)
    {
        _options = options;
        _services = services;
        _time = services.GetService<TimeProvider>() ?? TimeProvider.System;
        _logger = (services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance).CreateLogger(DashboardLog.Category);
        _stopping = services.GetService<IHostApplicationLifetime>()?.ApplicationStopping ?? CancellationToken.None;
        if (options.Endpoint is null && services.GetService<IServiceProviderIsKeyedService>()?.IsKeyedService(
            typeof(CoapServer), options.ServerName) != true)
        {
            throw new InvalidOperationException(
                $"There is no CoAP server {(options.ServerName.Length > 0 ? $"'{options.ServerName}' " : "")}to show. Add it with "
                    + "AddCoapServer, or set Endpoint in the options of MapCoapDashboard.");
        }

        _endpoint = new Lazy<CoapEndpoint>(Find);
        _collector = new Lazy<DashboardCollector>(MakeCollector);
    }

    /// <summary>Measures the server while pages show it.</summary>
    public DashboardCollector Collector => _collector.Value;

    /// <summary>Sends figures as long as the page is open.</summary>
    public async Task ShowAsync(HttpContext context)
    {
        PageEventWriter lines = new(context);
        if (!Collector.TryAdd(lines))
        {
            await RefuseAsync(context, StatusCodes.Status503ServiceUnavailable, new PageProblem("Too many viewers",
                $"{_options.MaxViewers} pages show this server already.", "Close one of them, or raise MaxViewers."))
                .ConfigureAwait(false);
            return;
        }

        try
        {
            await lines.SendAsync().ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is OperationCanceledException or IOException)
        {
            // The page was closed.
        }
        finally
        {
            Collector.Remove(lines);
        }
    }

    public async Task ListPeersAsync(HttpContext context)
    {
        string? text = await ReadAsync(context, "address").ConfigureAwait(false);
        IPAddress? address = null;
        if (!string.IsNullOrWhiteSpace(text) && !IPAddress.TryParse(text.Trim().Trim('[', ']'), out address))
        {
            await RefuseAsync(context, StatusCodes.Status400BadRequest, new PageProblem("No address", "This is not an IP address.",
                "Write it like 192.0.2.7 or 2001:db8::7.")).ConfigureAwait(false);
            return;
        }

        CoapDiagnosticSnapshot snapshot = _endpoint.Value.GetSnapshot(address, _options.MaxPeers);
        context.Response.ContentType = "application/json";
        context.Response.Headers.CacheControl = "no-store";
        await context.Response.WriteAsync(PeerTableJson.Of(snapshot).ToJsonString(), context.RequestAborted).ConfigureAwait(false);
    }

    /// <summary>Sends the messages of a peer for a limited time.</summary>
    public async Task TraceAsync(HttpContext context)
    {
        string? text = await ReadAsync(context, "peer").ConfigureAwait(false);
        if (text is null || !IPEndPoint.TryParse(text.Trim(), out IPEndPoint? peer))
        {
            await RefuseAsync(context, StatusCodes.Status400BadRequest, new PageProblem("No peer", "This is not the address of a peer.",
                "Write it like 192.0.2.7, 192.0.2.7:5683 or [2001:db8::7]:5683.")).ConfigureAwait(false);
            return;
        }

        if (Interlocked.Increment(ref _traces) > _options.MaxTraces)
        {
            Interlocked.Decrement(ref _traces);
            await RefuseAsync(context, StatusCodes.Status503ServiceUnavailable, new PageProblem("Too many traces",
                $"At most {_options.MaxTraces} traces may run at the same time.", "Wait until another one ends.")).ConfigureAwait(false);
            return;
        }

        try
        {
            DashboardLog.TraceBegins(_logger, CoapUntrustedText.LineOf(context.User.Identity?.Name ?? "Somebody"), peer.ToString());
            await SendTraceAsync(new PageEventWriter(context), peer).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is OperationCanceledException or IOException)
        {
            // The page was closed.
        }
        finally
        {
            Interlocked.Decrement(ref _traces);
        }
    }

    private async Task SendTraceAsync(PageEventWriter lines, IPEndPoint peer)
    {
        lines.Add(new() { ["kind"] = "begin", ["peer"] = peer.Port == 0 ? peer.Address.ToString() : peer.ToString() });
        PeerTrace messages = new(lines, _options);
        PcapngParserStream stream = new(messages);
        await using ConfiguredAsyncDisposable streamEnd = stream.ConfigureAwait(false);
        CoapTrace trace = _endpoint.Value.TraceTo(stream, new CoapTraceOptions
        {
            Peer = peer,
            IncludePayload = _options.IncludePayloads,
            MaxQueuedBytes = 1024 * 1024,
        });
        await using ConfiguredAsyncDisposable traceEnd = trace.ConfigureAwait(false);
        using CancellationTokenSource over = new(_options.TraceDuration, _time);
        await using CancellationTokenRegistration onTime = over.Token.UnsafeRegister(
            static state => ((PeerTrace)state!).End("time"), messages);
        await using CancellationTokenRegistration onStop = _stopping.UnsafeRegister(
            static state => ((PeerTrace)state!).End("stopping"), messages);
        await lines.SendAsync().ConfigureAwait(false);
    }

    // Returns a property of the JSON object in the request; null if there is none.
    private static async Task<string?> ReadAsync(HttpContext context, string name)
    {
        byte[] buffer = new byte[MaxQuestion];
        int length = await context.Request.Body.ReadAtLeastAsync(
            buffer, buffer.Length, throwOnEndOfStream: false, context.RequestAborted).ConfigureAwait(false);
        try
        {
            using JsonDocument document = JsonDocument.Parse(buffer.AsMemory(0, length));
            return document.RootElement.ValueKind == JsonValueKind.Object
                && document.RootElement.TryGetProperty(name, out JsonElement value) && value.ValueKind == JsonValueKind.String
                ? value.GetString()
                : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static async Task RefuseAsync(HttpContext context, int status, PageProblem problem)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/json";
        await JsonSerializer.SerializeAsync(context.Response.Body, problem, PageJson.Default.PageProblem, context.RequestAborted)
            .ConfigureAwait(false);
    }

    private CoapEndpoint Find() => _options.Endpoint ?? _services.GetRequiredKeyedService<CoapServer>(_options.ServerName).Endpoint;

    private DashboardCollector MakeCollector()
    {
        DashboardCollector collector = new(_endpoint.Value, _options, _time);
        _stopping.UnsafeRegister(static state => ((DashboardCollector)state!).Dispose(), collector);
        return collector;
    }
}
