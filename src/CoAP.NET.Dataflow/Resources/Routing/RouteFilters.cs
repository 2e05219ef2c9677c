namespace CoAP.NET.Resources;

/// <summary>Puts filters around handlers.</summary>
internal static class RouteFilters
{
    /// <summary>
    /// The handler with filters around it. Never throws: a route of which a filter cannot be made answers every request with what was
    /// thrown, so that nothing gets past the filter.
    /// </summary>
    /// <param name="handler">The handler.</param>
    /// <param name="info">The route.</param>
    /// <param name="filters">The filters, the outermost first.</param>
    public static Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> Compose(
        Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler, CoapRouteInfo info,
        Func<CoapRouteInfo, CoapHandler, CoapHandler>[] filters)
    {
        CoapHandler inner = (request, cancellationToken) => WithItsCode(request, handler(request, cancellationToken));
        CoapHandler composed = inner;
        try
        {
            for (int i = filters.Length - 1; i >= 0; i--)
            {
                composed = filters[i](info, composed)
                    ?? throw new InvalidOperationException(
                        "A filter gave null instead of a handler. Give back the handler it got to leave the route as it is.");
            }
        }
#pragma warning disable CA1031 // users' code may throw anything
        catch (Exception exception)
#pragma warning restore CA1031
        {
            return (_, _) => ValueTask.FromException<CoapResult>(exception);
        }

        return composed == inner ? handler : composed.Invoke;
    }

    // Filters see the code that goes out. What they do with an answer is theirs, but a stream of it has to be disposed.
    private static ValueTask<CoapResult> WithItsCode(CoapRequest request, ValueTask<CoapResult> pending)
    {
        if (!pending.IsCompletedSuccessfully)
        {
            return AwaitAsync(request, OpenedStreams.Of(request), pending);
        }

        CoapResult result = pending.Result;
        if (result is SeekableResult)
        {
            OpenedStreams.Of(request).Add(result);
        }

        return new ValueTask<CoapResult>(result is null ? result! : result.AnswerTo(request.Code));

        static async ValueTask<CoapResult> AwaitAsync(CoapRequest request, OpenedStreams streams, ValueTask<CoapResult> pending)
        {
            CoapResult? result = await pending.ConfigureAwait(false);
            streams.Add(result);
            return result?.AnswerTo(request.Code)!;
        }
    }
}
