using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Resources;

/// <summary>
/// Tracks the streams in results of a handler behind filters. A filter may return another response, throw, or not wait for the handler.
/// Every stream that is not in the final response is disposed, at the latest when its handler returns it. Thread-safe.
/// </summary>
internal sealed class OpenedStreams
{
    private readonly Lock _gate = new();
    private List<Stream>? _open;
    private bool _isOver;
    private RouteTemplate? _route;
    private CoapEnvironment? _environment;

    /// <summary>Records the start of a handler; its result goes to <see cref="Add"/>.</summary>
    /// <param name="request">The request.</param>
    public static OpenedStreams Of(CoapRequest request) => request.Opened ??= new OpenedStreams();

    /// <summary>Disposes the stream of a response that is not sent.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="route">The template of its route.</param>
    /// <param name="environment">Provides counters and log.</param>
    public static void Close(Stream stream, RouteTemplate route, CoapEnvironment environment) =>
        _ = new SeekableBody(environment, route, new CoapResult(CoapCode.Content), stream, 0).CloseAsync();

    /// <summary>Records that a request has its response.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="given">The result of the filters or, without filters, of the handler; null for none.</param>
    /// <param name="answer">The final response.</param>
    /// <param name="route">The template of its route.</param>
    /// <param name="environment">Provides counters and log.</param>
    public static void OnAnswered(CoapExchange exchange, CoapResult? given, CoapResult? answer, RouteTemplate route, CoapEnvironment environment)
    {
        Stream? kept = (answer as SeekableResult)?.Stream;
        Stream? dropped = given is SeekableResult { Stream: { } stream } && stream != kept ? stream : null;
        if (exchange.Request.Opened is { } opened)
        {
            opened.End(kept, dropped, route, environment);
        }
        else if (dropped is not null)
        {
            Close(dropped, route, environment);
        }
    }

    /// <summary>Records the result of a handler.</summary>
    /// <param name="result">The result; null for none.</param>
    public void Add(CoapResult? result)
    {
        if (result is not SeekableResult { Stream: { } stream })
        {
            return;
        }

        lock (_gate)
        {
            if (!_isOver)
            {
                (_open ??= []).Add(stream);
                return;
            }
        }

        // The filters did not wait for it.
        Close(stream, _route!, _environment!);
    }

    private void End(Stream? kept, Stream? dropped, RouteTemplate route, CoapEnvironment environment)
    {
        lock (_gate)
        {
            (_route, _environment) = (route, environment);
            _isOver = true;
        }

        HashSet<Stream> left = [.. _open ?? []];
        if (dropped is not null)
        {
            left.Add(dropped);
        }

        if (kept is not null)
        {
            left.Remove(kept);
        }

        foreach (Stream stream in left)
        {
            Close(stream, route, environment);
        }
    }
}
