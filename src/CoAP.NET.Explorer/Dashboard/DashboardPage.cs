using System.Net;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.AspNetCore;
using CoAP.NET.Diagnostics;
using CoAP.NET.Explorer.Exploring;
using CoAP.NET.Explorer.Pages;
using CoAP.NET.Guarding;
using CoAP.NET.Tracing;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>Serves the live page of a server and its events.</summary>
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
    private readonly SourceQuota _viewers;
    private readonly SourceQuota? _traces;

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

        _viewers = new SourceQuota(options.MaxViewers);
        _traces = options.MaxTraces > 0 ? new SourceQuota(options.MaxTraces) : null;
        _endpoint = new Lazy<CoapEndpoint>(Find);
        _collector = new Lazy<DashboardCollector>(MakeCollector);
    }

    /// <summary>Measures the server while pages show it.</summary>
    public DashboardCollector Collector => _collector.Value;

    /// <summary>Sends figures as long as the page is open.</summary>
    public async Task ShowAsync(HttpContext context)
    {
        CoapQuotaSource source = HttpContextPeerIdentity.SourceOf(context);
        if (!_viewers.TryEnter(source))
        {
            await RefuseAsync(context, StatusCodes.Status503ServiceUnavailable, new PageProblem("Too many viewers",
                $"{_viewers.Count} pages show this server already, {_viewers.CountOf(source)} of them yours. There are places for "
                    + $"{_options.MaxViewers}, of which a user never has more than a share.",
                "Close one of them, or raise MaxViewers.")).ConfigureAwait(false);
            return;
        }

        PageEventWriter lines = new(context);
        try
        {
            if (Collector.TryAdd(lines))
            {
                await lines.SendAsync().ConfigureAwait(false);
            }
            else
            {
                await RefuseAsync(context, StatusCodes.Status503ServiceUnavailable,
                    new PageProblem("Server stops", "The application stops, so there are no more figures.")).ConfigureAwait(false);
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or IOException)
        {
            // The page was closed.
        }
        finally
        {
            Collector.Remove(lines);
            _viewers.Exit(source);
        }
    }

    public Task ListPeersAsync(HttpContext context) => AnswerAsync(context, PageJson.Default.PeersRequest, ListPeersAsync);

    /// <summary>Sends the messages of a peer for a limited time.</summary>
    public Task TraceAsync(HttpContext context) => AnswerAsync(context, PageJson.Default.TraceRequest, TraceAsync);

    private static async Task AnswerAsync<T>(HttpContext context, JsonTypeInfo<T> type, Func<HttpContext, T, Task> answer)
        where T : class
    {
        T asked;
        try
        {
            asked = await PageRequestReader.ReadAsync(context, type, MaxQuestion).ConfigureAwait(false);
        }
        catch (ExplorerException exception)
        {
            await RefuseAsync(context, exception.Status, exception.Problem).ConfigureAwait(false);
            return;
        }
        catch (Exception exception) when (exception is OperationCanceledException or IOException)
        {
            // The page was closed.
            return;
        }

        await answer(context, asked).ConfigureAwait(false);
    }

    private async Task ListPeersAsync(HttpContext context, PeersRequest asked)
    {
        IPAddress? address = null;
        if (!string.IsNullOrWhiteSpace(asked.Address) && !IPAddress.TryParse(asked.Address.Trim().Trim('[', ']'), out address))
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

    private async Task TraceAsync(HttpContext context, TraceRequest asked)
    {
        if (!IPEndPoint.TryParse(asked.Peer.Trim(), out IPEndPoint? peer))
        {
            await RefuseAsync(context, StatusCodes.Status400BadRequest, new PageProblem("No peer", "This is not the address of a peer.",
                "Write it like 192.0.2.7, 192.0.2.7:5683 or [2001:db8::7]:5683.")).ConfigureAwait(false);
            return;
        }

        CoapQuotaSource source = HttpContextPeerIdentity.SourceOf(context);
        if (_traces?.TryEnter(source) != true)
        {
            await RefuseAsync(context, StatusCodes.Status503ServiceUnavailable, new PageProblem("Too many traces",
                $"At most {_options.MaxTraces} traces may run at the same time, of which a user never has more than a share.",
                "Wait until another one ends.")).ConfigureAwait(false);
            return;
        }

        try
        {
            DashboardLog.TraceBegins(_logger, CoapUntrustedText.LineOf(context.User.Identity?.Name ?? "An unknown user"), peer.ToString());
            await SendTraceAsync(new PageEventWriter(context), peer).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is OperationCanceledException or IOException)
        {
            // The page was closed.
        }
        finally
        {
            _traces.Exit(source);
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
