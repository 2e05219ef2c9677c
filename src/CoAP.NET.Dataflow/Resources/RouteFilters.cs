using CoAP.NET.Requests;

namespace CoAP.NET.Resources;

/// <summary>Puts the filters of a route around its handler.</summary>
internal static class RouteFilters
{
    /// <summary>
    /// Returns the handler with filters around it. Never throws: if a filter cannot be created, the route answers every request with the
    /// exception, so that no request bypasses the filter.
    /// </summary>
    /// <param name="handler">The handler.</param>
    /// <param name="info">The route.</param>
    /// <param name="filters">The filters, the outermost first.</param>
    public static CoapHandler Compose(CoapHandler handler, CoapRouteInfo info, Func<CoapRouteInfo, CoapHandler, CoapHandler>[] filters)
    {
        CoapHandler inner = (request, cancellationToken) => WithItsCode(request, handler(request, cancellationToken));
        CoapHandler composed = inner;
        try
        {
            for (int i = filters.Length - 1; i >= 0; i--)
            {
                composed = filters[i](info, composed)
                    ?? throw new InvalidOperationException(
                        "A filter factory returned null. Return the handler that it received to leave the route unchanged.");
            }
        }
#pragma warning disable CA1031 // users' code may throw anything
        catch (Exception exception)
#pragma warning restore CA1031
        {
            return (_, _) => ValueTask.FromException<CoapResult>(exception);
        }

        return composed == inner ? handler : composed;
    }

    // Filters see the final code. They own the response, but its stream must be disposed.
    private static ValueTask<CoapResult> WithItsCode(CoapRequestContext request, ValueTask<CoapResult> pending)
    {
        if (!pending.IsCompletedSuccessfully)
        {
            return AwaitAsync(request, ResultBodyStreamDisposer.Of(request), pending);
        }

        CoapResult result = pending.Result;
        if (result is StreamOrFileResult)
        {
            ResultBodyStreamDisposer.Of(request).Add(result);
        }

        return new ValueTask<CoapResult>(result is null ? result! : result.AnswerTo(request.Code));

        static async ValueTask<CoapResult> AwaitAsync(
            CoapRequestContext request, ResultBodyStreamDisposer streams, ValueTask<CoapResult> pending)
        {
            CoapResult? result = await pending.ConfigureAwait(false);
            streams.Add(result);
            return result?.AnswerTo(request.Code)!;
        }
    }
}
