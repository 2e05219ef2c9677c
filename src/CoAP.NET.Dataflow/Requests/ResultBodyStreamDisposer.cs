using CoAP.NET.Resources;

namespace CoAP.NET.Requests;

/// <summary>
/// Tracks the streams in results of a handler behind filters. A filter may return another response, throw, or not wait for the handler.
/// Every stream that is not in the final response is disposed, at the latest when its handler returns it. Thread-safe.
/// </summary>
internal sealed class ResultBodyStreamDisposer
{
    private readonly Lock _gate = new();
    private readonly HashSet<Stream> _open = [];
    private (string Route, CoapEnvironment Environment)? _answered;

    /// <summary>Records the start of a handler; its result goes to <see cref="Add"/>.</summary>
    public static ResultBodyStreamDisposer Of(CoapRequestContext request) => request.Opened ??= new ResultBodyStreamDisposer();

    /// <summary>
    /// Disposes the stream of a result. The stream is a user's, so no lock may be held. When it fails that is counted and logged, and
    /// changes no answer. Never throws.
    /// </summary>
    public static async Task CloseAsync(Stream stream, string route, CoapEnvironment environment)
    {
        try
        {
            await stream.DisposeAsync().ConfigureAwait(false);
        }
#pragma warning disable CA1031 // streams and loggers are users' code and may throw anything; often no caller waits for this
        catch (Exception exception)
        {
            environment.Counters.Add(CoapCounter.HandlerErrors);
            try
            {
                ResultLog.StreamNotClosed(environment.Logger, route, exception);
            }
            catch (Exception)
            {
                environment.Counters.Add(CoapCounter.StageErrors);
            }
        }
#pragma warning restore CA1031
    }

    /// <summary>Records that a request has its response.</summary>
    /// <param name="request">The request.</param>
    /// <param name="given">The result of the filters or, without filters, of the handler; null for none.</param>
    /// <param name="answer">The final response.</param>
    /// <param name="route">The template of its route.</param>
    /// <param name="environment">Provides counters and log.</param>
    public static void OnAnswered(CoapRequestContext request, CoapResult? given, CoapResult? answer, string route,
        CoapEnvironment environment)
    {
        if (request.Opened is not null
            || (given is StreamOrFileResult { Stream: { } stream } && stream != (answer as StreamOrFileResult)?.Stream))
        {
            Of(request).End(given, answer, route, environment);
        }
    }

    public void Add(CoapResult? result)
    {
        if (result is not StreamOrFileResult { Stream: { } stream })
        {
            return;
        }

        lock (_gate)
        {
            if (_answered is null)
            {
                _open.Add(stream);
                return;
            }
        }

        // The filters did not wait for it.
        _ = CloseAsync(stream, _answered.Value.Route, _answered.Value.Environment);
    }

    private void End(CoapResult? given, CoapResult? answer, string route, CoapEnvironment environment)
    {
        Add(given);
        lock (_gate)
        {
            _answered = (route, environment);
        }

        if (answer is StreamOrFileResult { Stream: { } kept })
        {
            _open.Remove(kept);
        }

        foreach (Stream stream in _open)
        {
            _ = CloseAsync(stream, route, environment);
        }
    }
}
