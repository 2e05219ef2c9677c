namespace CoAP.NET.Resources;

/// <summary>Adds descriptions to error responses.</summary>
internal sealed class ErrorResponseDescriber(CoapEnvironment environment, RouteTable routes, HandlerDiagnostics reports)
{
    /// <summary>Returns an error response with the payload of its route.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="result">Its answer.</param>
    /// <param name="error">The exception of its handler; null for none.</param>
    public CoapResult Describe(CoapExchange exchange, CoapResult result, Exception? error)
    {
        // A busy server has no time for it, and an Echo goes to an unverified client: its response stays small.
        if (result.IsRefusal || result.AsksForEcho)
        {
            return result;
        }

        CoapRequestContext request = exchange.Request;
        Route? route = routes.Find(request.Options, out _)?[request.Code];
        Func<CoapRequestContext, CoapResult, Exception?, CoapContent?>? describe =
            route is null ? routes.Root.Settings.Describe : route.GetPlan(environment).Describe;
        if (describe is null)
        {
            return result;
        }

        UserCodeScope.Enter();
        try
        {
            return describe(request, result, error) is { } content ? result.CopyWith(content) : result;
        }
#pragma warning disable CA1031 // users' code may throw anything; the answer goes out as it is
        catch (Exception exception)
#pragma warning restore CA1031
        {
            environment.Counters.Add(CoapCounter.HandlerErrors);
            reports.Report(
                static (logger, path, thrown) => ResourceLog.DescribingFailed(logger, path, thrown!),
                route?.Template.Text ?? "an unknown path",
                exception,
                exchange);
            return result;
        }
        finally
        {
            UserCodeScope.Exit();
        }
    }
}
