using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.AspNetCore;
using CoAP.NET.Explorer.Pages;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>Handles the calls of the page. Requests are JSON; calls that take time return events line by line.</summary>
internal sealed class ExplorerApi : IAsyncDisposable
{
    // The request without its payload, which may be a separate file, or base64.
    private const int DescriptionSize = 64 * 1024;

    private static readonly TimeSpan s_discovery = TimeSpan.FromSeconds(5);

    private readonly CoapExplorerOptions _options;
    private readonly ExplorerTargets _targets;
    private readonly ExplorerClientPool _clients;
    private readonly ExchangeLimiter _places;
    private readonly ExplorerDiscovery _devices;
    private readonly ILogger _logger;
    private readonly TimeProvider _time;

    public ExplorerApi(CoapExplorerOptions options, CoapServer? own, ILoggerFactory loggers, TimeProvider time)
    {
        (_options, _time) = (options, time);
        _targets = new ExplorerTargets(options, own);
        _clients = new ExplorerClientPool(options, _targets, loggers, time);
        _places = new ExchangeLimiter(options);
        _devices = new ExplorerDiscovery(time);
        _logger = loggers.CreateLogger(ExplorerLog.Category);
    }

    public ValueTask DisposeAsync() => _clients.DisposeAsync();

    public void Map(RouteGroupBuilder group)
    {
        group.MapPost("/api/about", AboutAsync);
        group.MapPost("/api/resources", context => GuardAsync(context, () => ResourcesAsync(context)));
        group.MapPost("/api/discover", context => GuardAsync(context, () => DiscoverAsync(context)));
        group.MapPost("/api/request", context => GuardAsync(context, () => ExchangeAsync(context, isObservation: false)));
        group.MapPost("/api/observe", context => GuardAsync(context, () => ExchangeAsync(context, isObservation: true)));
        group.MapPost("/api/code", context => GuardAsync(context, () => CodeAsync(context)));
        group.MapPost("/api/convert", context => GuardAsync(context, () => ConvertAsync(context)));
    }

    // Base64 takes four thirds of the payload.
    private long MaxRequestSize => DescriptionSize + ((long)_options.MaxBodySize * 4 / 3);

    private Task<T> ReadAsync<T>(HttpContext context, JsonTypeInfo<T> type)
        where T : class =>
        PageRequestReader.ReadAsync(context, type, MaxRequestSize);

    private static async Task SendAsync(HttpContext context, string json)
    {
        context.Response.ContentType = "application/json";
        context.Response.Headers.CacheControl = "no-store";
        await context.Response.WriteAsync(json, context.RequestAborted).ConfigureAwait(false);
    }

    private Task AboutAsync(HttpContext context) => SendAsync(context, StartInfoJson.Of(_options, _targets));

    // Handles failures before the first byte of the response.
    private static async Task GuardAsync(HttpContext context, Func<Task> run)
    {
        try
        {
            await run().ConfigureAwait(false);
        }
        catch (Exception exception)
            when (exception is OperationCanceledException or IOException && context.RequestAborted.IsCancellationRequested)
        {
            // The page was closed, or canceled.
        }
        catch (Exception exception) when (ProblemDescriptions.IsExpected(exception) && !context.Response.HasStarted)
        {
            context.Response.StatusCode = exception is ExplorerException known ? known.Status : StatusCodes.Status502BadGateway;
            context.Response.ContentType = "application/json";
            await context.Response.WriteAsync(
                JsonSerializer.Serialize(ProblemDescriptions.Of(exception), PageJson.Default.PageProblem), context.RequestAborted)
                .ConfigureAwait(false);
        }
    }

    private async Task ResourcesAsync(HttpContext context)
    {
        ResourcesRequest asked = await ReadAsync(context, PageJson.Default.ResourcesRequest).ConfigureAwait(false);
        CoapUri target = _targets.Check(asked.Target);
        await WithClientAsync(context, target, asked.Security, async client => await SendAsync(
            context, await _devices.ResourcesAsync(client.Client, target, context.RequestAborted).ConfigureAwait(false))
            .ConfigureAwait(false)).ConfigureAwait(false);
    }

    private async Task DiscoverAsync(HttpContext context)
    {
        DiscoverServersRequest asked = await ReadAsync(context, PageJson.Default.DiscoverServersRequest).ConfigureAwait(false);
        if (!_options.AllowDiscovery)
        {
            throw new ExplorerException(StatusCodes.Status403Forbidden, new PageProblem(
                "Not allowed", "This page does not allow the discovery of devices.", "Set CoapExplorerOptions.AllowDiscovery."));
        }

        TimeSpan duration = asked.Seconds switch
        {
            null => s_discovery,
            { } seconds and >= 0.1 and <= 60 => TimeSpan.FromSeconds(seconds),
            _ => throw ExplorerException.Bad("Not a duration", "A discovery lasts from 0.1 to 60 seconds."),
        };
        CoapUri group = CoapUri.Parse("coap://224.0.1.187");
        await WithClientAsync(context, group, null, client => ReportAsync(
            context, events => _devices.DiscoverAsync(client.Client, duration, events, context.RequestAborted))).ConfigureAwait(false);
    }

    private async Task ExchangeAsync(HttpContext context, bool isObservation)
    {
        (EditorRequest asked, byte[]? file) = await ReadRequestAsync(context).ConfigureAwait(false);
        CoapUri uri = _targets.Check(asked.Uri);
        CoapRequest request = ExplorerRequestFactory.Read(asked, uri, PayloadOf(asked, file));
        ExplorerLog.Asked(_logger, context.User.Identity?.Name ?? context.Connection.RemoteIpAddress?.ToString() ?? "an unknown user",
            isObservation ? "observe" : asked.Method, uri.ToString());
        await WithClientAsync(context, uri, asked.Security, client => ReportAsync(context, async events =>
        {
            client.Watch.Sink = events;
            try
            {
                ExplorerRequestRunner exchange = new(client, request, events, _time);
                await (isObservation
                    ? exchange.ObserveAsync(context.RequestAborted)
                    : exchange.SendAsync(asked.Offset, _options.MaxBodySize, context.RequestAborted)).ConfigureAwait(false);
            }
            finally
            {
                client.Watch.Sink = null;
            }
        })).ConfigureAwait(false);
    }

    private async Task CodeAsync(HttpContext context)
    {
        EditorRequest asked = await ReadAsync(context, PageJson.Default.EditorRequest).ConfigureAwait(false);
        CoapUri uri = ExplorerTargets.Parse(asked.Uri);
        bool isFile = asked.Payload?.Kind == "file";
        byte[]? payload = isFile ? [] : PayloadOf(asked, null);

        // Only valid requests have a form in other languages.
        _ = ExplorerRequestFactory.Read(asked, uri, payload);
        RequestSnippetGenerator code = new(asked, uri, payload, isFile);
        await SendAsync(context, JsonSerializer.Serialize(
            new CodeSnippetsAnswer(code.ToCSharp(), code.ToTool(), code.ToLibcoap()), PageJson.Default.CodeSnippetsAnswer))
                .ConfigureAwait(false);
    }

    private async Task ConvertAsync(HttpContext context)
    {
        PayloadBytesRequest asked = await ReadAsync(context, PageJson.Default.PayloadBytesRequest).ConfigureAwait(false);
        byte[] bytes = EditorPayloadEncoder.Read(
            asked.Payload, ExplorerRequestFactory.RequiredFormatOf(asked.ContentFormat), _options.MaxBodySize) ?? [];
        bool isCbor = asked.Payload?.Kind is "cbor" or "hex";
        string? notation = isCbor && CoapCborNotation.TryFormat(bytes, out string text, out _) ? text : null;
        await SendAsync(context, JsonSerializer.Serialize(
            new ConvertAnswer(Convert.ToHexStringLower(bytes), bytes.Length, notation), PageJson.Default.ConvertAnswer))
            .ConfigureAwait(false);
    }

    private async Task<(EditorRequest Asked, byte[]? File)> ReadRequestAsync(HttpContext context)
    {
        if (!context.Request.HasFormContentType)
        {
            return (await ReadAsync(context, PageJson.Default.EditorRequest).ConfigureAwait(false), null);
        }

        PageRequestReader.Limit(context, MaxRequestSize);
        IFormCollection form;
        try
        {
            FormOptions bounds = new()
            {
                MultipartBodyLengthLimit = _options.MaxBodySize + DescriptionSize,
                ValueLengthLimit = DescriptionSize,
                ValueCountLimit = 2,
            };
            form = await context.Request.ReadFormAsync(bounds, context.RequestAborted).ConfigureAwait(false);
        }
        catch (InvalidDataException exception)
        {
            // The exception does not say whether a limit is exceeded or the form is malformed.
            throw context.Request.ContentLength <= _options.MaxBodySize
                ? ExplorerException.Bad("Not a form", $"The form of the page cannot be read: {exception.Message}", "Reload the page.")
                : TooLarge();
        }
        catch (IOException exception) when (HttpBodyErrors.Of(exception) is { } broken)
        {
            throw PageRequestReader.NotReceived(broken);
        }

        IFormFile file = form.Files["file"] ?? throw ExplorerException.Bad("No file", "The request of the page has no file.");
        if (file.Length > _options.MaxBodySize)
        {
            throw TooLarge();
        }

        EditorRequest asked = PageRequestReader.Parse(form["request"].ToString(), PageJson.Default.EditorRequest);
        byte[] bytes = new byte[file.Length];
        using Stream stream = file.OpenReadStream();
        await stream.ReadExactlyAsync(bytes, context.RequestAborted).ConfigureAwait(false);
        return (asked, bytes);

        ExplorerException TooLarge() => new(StatusCodes.Status413PayloadTooLarge, new PageProblem(
            "Too large", $"A file may have at most {_options.MaxBodySize:N0} bytes.", "Raise CoapExplorerOptions.MaxBodySize."));
    }

    private byte[]? PayloadOf(EditorRequest asked, byte[]? file)
    {
        return asked.Payload?.Kind == "file"
            ? file ?? throw ExplorerException.Bad("No file", "The request of the page has no file.")
            : EditorPayloadEncoder.Read(
                asked.Payload, ExplorerRequestFactory.FormatOf(asked, OptionNumber.ContentFormat), _options.MaxBodySize);
    }

    private async Task WithClientAsync(HttpContext context, CoapUri uri, UserCoapCredentials? security, Func<ExplorerClient, Task> run)
    {
        CoapQuotaSource user = _places.Take(context);
        try
        {
            ExplorerClient client = _clients.Take(uri, security);
            bool isSound = false;
            try
            {
                await run(client).ConfigureAwait(false);
                isSound = true;
            }
            finally
            {
                await _clients.ReturnAsync(client, isSound).ConfigureAwait(false);
            }
        }
        finally
        {
            _places.Return(user);
        }
    }

    // Sends events while the call runs; the last one is its outcome.
    private static async Task ReportAsync(HttpContext context, Func<PageEventWriter, Task> run)
    {
        PageEventWriter events = new(context);
        Task sending = events.SendAsync();
        try
        {
            await run(events).ConfigureAwait(false);
        }
        catch (Exception exception) when (ProblemDescriptions.IsExpected(exception))
        {
            PageProblem problem = ProblemDescriptions.Of(exception);
            events.Add(new()
            {
                ["kind"] = "error",
                ["title"] = problem.Title,
                ["detail"] = problem.Detail,
                ["hint"] = problem.Hint,
            });
        }
        finally
        {
            events.Complete();

            // The response must not be written to after the call.
            await sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        await sending.ConfigureAwait(false);
    }
}
